//! `cargo xtask fuzz`: a coverage-guided fuzzer for the front end, with statistics of what it covered.
//!
//! There are two kinds of inputs, which alternate. Programs of [`grammar`] are unusual, but mostly valid; each is
//! determined by a seed. Mutations start from a corpus, which is the HLSL of this repository, section by section: each
//! is a kept text changed by [`mutate`]. [`judge`] runs every input and looks for what must never happen. An input that
//! covers something new (a new message, a new pair of adjacent token kinds, a new pair of consecutive instructions) is
//! kept and mutated further.
//!
//! Counters of real edge coverage are available from a stable compiler, but the process that increments them cannot
//! read them without `unsafe` code or linker-defined symbols, and this project uses neither. The front end reports in
//! great detail, so its messages are a good approximation of coverage.
//!
//! A run is deterministic for a seed and a number of threads, unless it has a time limit. It does not execute programs:
//! for this, `engines` runs those of the suite's generator on two engines.

mod batches;
mod binary;
mod engines;
mod files;
mod gpu;
mod grammar;
mod judge;
mod mutate;
mod packed;
mod spirv;
mod stages;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{Seek, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use judge::{Finding, Look, Part, Variant};
use ops::Random;

/// An input that takes longer is a finding.
const SLOW: Duration = Duration::from_secs(3);
/// An input that takes longer counts as endless.
const ENDLESS: Duration = Duration::from_secs(20);
/// A process that uses more memory is a finding.
const MOST_MEMORY: u64 = 2 << 30;
/// Longer texts are not kept, since short ones run faster.
const LONGEST_KEPT: usize = 1024;
const MOST_KEPT: usize = 1 << 15;
/// One input in this many is examined closely without a reason.
const SAMPLE: u64 = 16;
/// A run ends after this many failures.
const MOST_FAILURES: usize = 20;

/// Reads flags that each take a number.
fn numbers<const N: usize>(
    arguments: &[String],
    mut flags: [(&str, &mut u64); N],
) -> Result<(), String> {
    for pair in arguments.chunks(2) {
        let [flag, value] = pair else { return Err(crate::USAGE.to_owned()) };
        let number = value.parse().map_err(|_| format!("`{flag}` expects a number"))?;
        match flags.iter_mut().find(|it| it.0 == flag) {
            Some((_, into)) => **into = number,
            None => return Err(crate::USAGE.to_owned()),
        }
    }
    Ok(())
}

/// Where inputs come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Grammar,
    Mutations,
    /// Alternately.
    Both,
}

impl Source {
    const ALL: [(&str, Source); 3] =
        [("grammar", Source::Grammar), ("mutations", Source::Mutations), ("both", Source::Both)];

    fn word(self) -> &'static str {
        Source::ALL.iter().find(|it| it.1 == self).map_or("", |it| it.0)
    }
}

struct Plan {
    part: Part,
    source: Source,
    runs: u64,
    seconds: Option<u64>,
    seed: u64,
    threads: u64,
    /// Whether to write each input to a file before trying it, to find one that kills the process.
    trace: bool,
    /// Files to try unchanged, instead of anything else.
    replay: Vec<PathBuf>,
    /// The program of the grammar to print and try, instead of anything else.
    program: Option<u64>,
}

/// One thread's statistics and failures.
#[derive(Default)]
struct Tally {
    inputs: u64,
    kept: u64,
    codes: BTreeSet<&'static str>,
    /// Inputs that compiled to a module.
    compiled: u64,
    slowest: Option<(Duration, String)>,
    failures: Vec<Failure>,
    grammar: Grammar,
}

/// Statistics of the grammar's programs.
struct Grammar {
    programs: u64,
    compiled: u64,
    /// For each construct, how many programs had it, and how many of those compiled.
    constructs: [(u64, u64); grammar::CONSTRUCTS.len()],
}

impl Default for Grammar {
    fn default() -> Grammar {
        Grammar { programs: 0, compiled: 0, constructs: [(0, 0); grammar::CONSTRUCTS.len()] }
    }
}

struct Failure {
    finding: Finding,
    text: String,
    variant: Variant,
    /// The seed of a program of the grammar.
    seed: Option<u64>,
}

/// A text to try.
struct Input {
    text: String,
    /// For a program of the grammar: its seed and its constructs.
    made: Option<(u64, u64)>,
}

/// The state of a thread that the watchdog can see.
#[derive(Default)]
struct Status {
    inputs: AtomicU64,
    /// Counts every attempt, including those to minimise a failure.
    pulse: AtomicU64,
    text: Mutex<String>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(at) = arguments.iter().position(|it| it == "files")
        && at > 0
        && arguments[at - 1] == "--part"
    {
        let others: Vec<String> = [&arguments[..at - 1], &arguments[at + 1..]].concat();
        let plan = plan(&others)?;
        judge::silence_panics();
        return files::run(plan.runs, plan.seconds, plan.seed);
    }
    if arguments.first().is_some_and(|it| it == "--engines") {
        return engines::run(&arguments[1..]);
    }
    if arguments.first().is_some_and(|it| it == "--pixels-vulkan") {
        return packed::run(&arguments[1..]);
    }
    if let Some(of) = arguments.first().and_then(|it| stages::Of::named(it)) {
        return stages::run(of, &arguments[1..]);
    }
    if arguments.first().is_some_and(|it| it == "--spirv") {
        return spirv::run(&arguments[1..]);
    }
    if let Some(of) = arguments.first().and_then(|it| gpu::Of::named(it)) {
        return gpu::run(of, &arguments[1..]);
    }
    let plan = plan(arguments)?;
    judge::silence_panics();
    let folder = crate::root().join("target/fuzz");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    if let Some(seed) = plan.program {
        return one_program(&plan, seed);
    }
    if !plan.replay.is_empty() {
        return replay(&plan);
    }
    let seeds = if plan.source == Source::Grammar { Vec::new() } else { corpus() };
    println!(
        "fuzzing {} with {}, from {} texts, seed {}, {} threads",
        plan.part.word(),
        plan.source.word(),
        seeds.len(),
        plan.seed,
        plan.threads
    );
    let start = Instant::now();
    let tallies = on_threads(&plan, &seeds, Some(&folder), start);
    let failures = report(&plan, tallies, &folder, start.elapsed())?;
    // Nothing failed, so the last inputs are not needed.
    if failures == 0 {
        for thread in 0..plan.threads {
            let _ = fs::remove_file(current(&folder, thread));
        }
        return Ok(());
    }
    Err(format!("{failures} failures; the inputs are in {}", folder.display()))
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let threads = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
    let mut plan = Plan {
        part: Part::All,
        source: Source::Both,
        runs: 1_000_000,
        seconds: None,
        seed: 1,
        threads,
        trace: false,
        replay: Vec::new(),
        program: None,
    };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if flag == "--trace" {
            plan.trace = true;
            continue;
        }
        if !flag.starts_with("--") {
            plan.replay.push(PathBuf::from(flag));
            continue;
        }
        let value = rest.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let number = || {
            let digits = value.replace('_', "");
            digits.parse::<u64>().map_err(|_| format!("`{value}` is not a number"))
        };
        match flag.as_str() {
            "--part" => {
                let known = Part::ALL.into_iter().find(|it| it.word() == value);
                plan.part =
                    known.ok_or("`--part` expects preprocess, parse, check, all or files")?;
            }
            "--from" => {
                let known = Source::ALL.into_iter().find(|it| it.0 == value);
                plan.source = known.ok_or("`--from` expects grammar, mutations or both")?.1;
            }
            "--program" => plan.program = Some(number()?),
            "--runs" => plan.runs = number()?,
            "--seconds" => {
                plan.seconds = Some(number()?);
                plan.runs = u64::MAX;
            }
            "--seed" => plan.seed = number()?,
            "--threads" => plan.threads = number()?.clamp(1, 256),
            _ => return Err(format!("unknown flag `{flag}`")),
        }
    }
    Ok(plan)
}

/// Every section of the suite, and every other HLSL file of the repository.
fn corpus() -> Vec<String> {
    let mut seeds = Vec::new();
    for folder in ["suite", "examples", "benches"] {
        for file in suite::files(&crate::root().join(folder)) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let mut section = String::new();
            for line in text.lines() {
                if line.starts_with("//---") {
                    seeds.push(finished(&mut section));
                }
                // Directives and expectations of the suite are comments to the front end.
                if !line.trim_start().starts_with("//") {
                    section.push_str(line.split("//~").next().unwrap_or(line).trim_end());
                    section.push('\n');
                }
            }
            seeds.push(finished(&mut section));
        }
    }
    // A text that exhausts a budget takes a second, and so do its mutations.
    let is_bomb = |text: &str| {
        let outcome = judge::judge_closely(Part::All, text, Variant(0));
        outcome.codes.iter().any(|it| it.ends_with("too-large"))
    };
    seeds.retain(|it| !it.trim().is_empty() && !is_bomb(it));
    seeds
}

/// A section as the suite compiles it, with the header if it uses that.
fn finished(section: &mut String) -> String {
    let text = std::mem::take(section);
    match text.contains("EXPECT") {
        true => format!("#include \"prelude.hlsli\"\n{text}"),
        false => text,
    }
}

/// Runs the plan on its threads; this thread is the watchdog.
fn on_threads(plan: &Plan, seeds: &[String], folder: Option<&Path>, start: Instant) -> Vec<Tally> {
    let statuses: Vec<Status> = (0..plan.threads).map(|_| Status::default()).collect();
    let over = AtomicBool::new(false);
    let over = &over;
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..)
            .zip(&statuses)
            .map(|(number, status)| {
                scope.spawn(move || {
                    let mut worker = Worker::new(plan, number, seeds, status, folder);
                    worker.work(over);
                    worker.tally
                })
            })
            .collect();
        let mut seen = vec![(u64::MAX, start); statuses.len()];
        let mut printed = Instant::now();
        while !handles.iter().all(|it| it.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            if plan.seconds.is_some_and(|it| start.elapsed().as_secs() >= it) {
                over.store(true, Ordering::Relaxed);
            }
            let large = memory().is_some_and(|it| it > MOST_MEMORY);
            for ((status, seen), handle) in statuses.iter().zip(&mut seen).zip(&handles) {
                let pulse = status.pulse.load(Ordering::Relaxed);
                if pulse != seen.0 || handle.is_finished() {
                    *seen = (pulse, Instant::now());
                }
                if large || seen.1.elapsed() > ENDLESS {
                    give_up(
                        folder,
                        status,
                        if large { "uses too much memory" } else { "never ends" },
                    );
                }
            }
            if printed.elapsed() > Duration::from_secs(30) {
                printed = Instant::now();
                let inputs: u64 = statuses.iter().map(|it| it.inputs.load(Ordering::Relaxed)).sum();
                println!("{:>6} s {inputs:>12} inputs", start.elapsed().as_secs());
            }
        }
        handles.into_iter().filter_map(|it| it.join().ok()).collect()
    })
}

/// Ends the process, since a thread cannot be ended.
fn give_up(folder: Option<&Path>, status: &Status, what: &str) {
    let text = status.text.lock().map(|it| it.clone()).unwrap_or_default();
    if let Some(folder) = folder {
        let file = folder.join("stuck.hlsl");
        let _ = fs::write(&file, &text);
        eprintln!("an input {what}; it may be {}", file.display());
    }
    eprintln!("{text}");
    std::process::exit(1);
}

/// The memory of this process in bytes, if the system reports it.
fn memory() -> Option<u64> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
}

fn current(folder: &Path, thread: u64) -> PathBuf {
    folder.join(format!("current-{thread}.hlsl"))
}

struct Worker<'a> {
    plan: &'a Plan,
    runs: u64,
    random: Random,
    seeds: &'a [String],
    kept: Vec<String>,
    seen: Seen,
    status: &'a Status,
    /// Holds the current input, in case it kills the process.
    black_box: Option<fs::File>,
    tally: Tally,
}

/// The features seen: a Bloom filter with one hash. A collision only loses a text that should have been kept.
struct Seen(Vec<u64>);

impl Seen {
    const BITS: u32 = 22;

    fn new() -> Seen {
        Seen(vec![0; 1 << (Seen::BITS - 6)])
    }

    /// Returns whether the feature is new.
    fn insert(&mut self, feature: u64) -> bool {
        let bit = feature >> (64 - Seen::BITS);
        let word = &mut self.0[(bit >> 6) as usize];
        let is_new = *word >> (bit & 63) & 1 == 0;
        *word |= 1 << (bit & 63);
        is_new
    }
}

impl<'a> Worker<'a> {
    fn new(
        plan: &'a Plan,
        number: u64,
        seeds: &'a [String],
        status: &'a Status,
        folder: Option<&Path>,
    ) -> Worker<'a> {
        let share = plan.runs / plan.threads + u64::from(number < plan.runs % plan.threads);
        Worker {
            plan,
            runs: share,
            random: Random::new(plan.seed.wrapping_mul(1000) + number),
            seeds,
            kept: Vec::new(),
            seen: Seen::new(),
            status,
            black_box: folder
                .filter(|_| plan.trace)
                .and_then(|it| fs::File::create(current(it, number)).ok()),
            tally: Tally::default(),
        }
    }

    fn work(&mut self, over: &AtomicBool) {
        // The unchanged corpus goes first, so that only features outside it count as new.
        for text in self.seeds {
            if over.load(Ordering::Relaxed) || self.is_done() {
                return;
            }
            self.attempt(Input { text: text.clone(), made: None });
        }
        while !over.load(Ordering::Relaxed) && !self.is_done() {
            let by_grammar = match self.plan.source {
                Source::Grammar => true,
                Source::Mutations => false,
                Source::Both => self.tally.inputs.is_multiple_of(2),
            };
            let input = if by_grammar { self.program() } else { self.mutation() };
            self.attempt(input);
        }
    }

    fn is_done(&self) -> bool {
        self.tally.inputs >= self.runs || self.tally.failures.len() >= MOST_FAILURES
    }

    /// The next program of the grammar.
    fn program(&mut self) -> Input {
        let seed = self.random.bits();
        let program = grammar::program(seed);
        Input { text: program.text, made: Some((seed, program.constructs)) }
    }

    /// A changed text.
    fn mutation(&mut self) -> Input {
        let random = &mut self.random;
        let (one, two) =
            (base(&self.kept, self.seeds, random), base(&self.kept, self.seeds, random));
        // The shorter one is as useful and runs faster.
        let (base, other) = if one.len() < two.len() { (one, two) } else { (two, one) };
        Input { text: mutate::mutate(base, other, random), made: None }
    }

    fn attempt(&mut self, input: Input) {
        let Input { text, made } = input;
        let variant = Variant(self.random.below(Variant::COUNT) as u8);
        self.show(&text);
        let start = Instant::now();
        self.status.pulse.fetch_add(1, Ordering::Relaxed);
        let look = Look {
            closely: made.is_some() || self.tally.inputs.is_multiple_of(SAMPLE),
            note: &mut |feature| self.seen.insert(feature),
        };
        let outcome = judge::judge(self.plan.part, &text, variant, look);
        let took = start.elapsed();
        self.tally.inputs += 1;
        self.status.inputs.store(self.tally.inputs, Ordering::Relaxed);
        self.tally.codes.extend(&outcome.codes);
        self.tally.compiled += u64::from(outcome.compiled);
        if let Some((_, constructs)) = made {
            self.tally.grammar.count(constructs, outcome.compiled);
        }
        if self.tally.slowest.as_ref().is_none_or(|(slowest, _)| took > *slowest) {
            self.tally.slowest = Some((took, text.clone()));
        }
        // The machine may have been busy with something else, so the input is timed again.
        let slow = took > SLOW && {
            let start = Instant::now();
            self.again(&text, variant);
            start.elapsed() > SLOW
        };
        let finding = outcome.finding.or(slow.then(|| Finding::slow(took)));
        if let Some(finding) = finding {
            let is_known = self.tally.failures.iter().any(|it| it.finding.same(&finding));
            if !is_known {
                let text = self.smallest(text, &finding, variant);
                let seed = made.map(|it| it.0);
                self.tally.failures.push(Failure { finding, text, variant, seed });
            }
            return;
        }
        if outcome.is_new && text.len() <= LONGEST_KEPT {
            self.tally.kept += 1;
            if self.kept.len() < MOST_KEPT {
                self.kept.push(text);
            } else {
                let old = self.random.below(MOST_KEPT);
                self.kept[old] = text;
            }
        }
    }

    /// Tries an input that was tried before.
    fn again(&self, text: &str, variant: Variant) -> judge::Outcome {
        self.status.pulse.fetch_add(1, Ordering::Relaxed);
        judge::judge_closely(self.plan.part, text, variant)
    }

    fn show(&mut self, text: &str) {
        if let Ok(mut shown) = self.status.text.lock() {
            shown.clear();
            shown.push_str(text);
        }
        if let Some(file) = &mut self.black_box {
            let _ = file.rewind();
            let _ = file.write_all(text.as_bytes());
            let _ = file.set_len(text.len() as u64);
        }
    }

    /// Minimises the text while it still fails.
    fn smallest(&self, text: String, finding: &Finding, variant: Variant) -> String {
        let fails = |text: &str| {
            let start = Instant::now();
            match self.again(text, variant).finding {
                Some(found) => found.same(finding),
                None => finding.is_slow() && start.elapsed() > SLOW,
            }
        };
        // A slow input is slow to minimise.
        mutate::minimise(text, if finding.is_slow() { 20 } else { 3000 }, fails)
    }
}

/// Chooses a text to mutate.
fn base<'a>(kept: &'a [String], seeds: &'a [String], random: &mut Random) -> &'a str {
    // The corpus is valid, so its mutations get far into the front end.
    if kept.is_empty() || random.one_in(2) {
        return random.pick::<String>(seeds);
    }
    // The texts kept last are the least explored.
    let among = if random.one_in(2) { kept.len().div_ceil(4) } else { kept.len() };
    &kept[kept.len() - 1 - random.below(among)]
}

/// Prints the statistics, writes the failing inputs, and returns how many there are.
fn report(
    plan: &Plan,
    tallies: Vec<Tally>,
    folder: &Path,
    took: Duration,
) -> Result<usize, String> {
    let mut whole = Tally::default();
    for tally in tallies {
        whole.inputs += tally.inputs;
        whole.kept += tally.kept;
        whole.compiled += tally.compiled;
        whole.codes.extend(tally.codes);
        whole.grammar.add(&tally.grammar);
        if tally.slowest > whole.slowest {
            whole.slowest = tally.slowest;
        }
        for failure in tally.failures {
            if !whole.failures.iter().any(|it| it.finding.same(&failure.finding)) {
                whole.failures.push(failure);
            }
        }
    }
    let rate = whole.inputs as f64 / took.as_secs_f64().max(1e-9);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  inputs     {} in {:.1} s", whole.inputs, took.as_secs_f64());
    let _ = writeln!(
        text,
        "  per second {rate:.0}, {:.0} on each of {} threads",
        rate / plan.threads as f64,
        plan.threads
    );
    let _ = writeln!(text, "  kept       {} that covered something new", whole.kept);
    let _ = writeln!(text, "  compiled   {} down to a module", whole.compiled);
    let _ = writeln!(
        text,
        "  codes      {} of {} diagnostic codes reached",
        whole.codes.len(),
        diag::codes().len()
    );
    if let Some((slowest, of)) = &whole.slowest {
        let ms = slowest.as_secs_f64() * 1e3;
        let _ = writeln!(text, "  slowest    {ms:.1} ms, {} bytes", of.len());
        let _ = fs::write(folder.join("slowest.hlsl"), of);
    }
    if whole.grammar.programs > 0 {
        text.push_str(&whole.grammar.words());
    }
    let _ = writeln!(text, "  failures   {}", whole.failures.len());
    print!("{text}");
    for (number, failure) in whole.failures.iter().enumerate() {
        let file = folder.join(format!("failure-{number}.hlsl"));
        fs::write(&file, &failure.text).map_err(|error| format!("{}: {error}", file.display()))?;
        println!(
            "{}: {} ({})",
            file.display(),
            failure.finding.words(),
            failure.variant.describe()
        );
        if let Some(seed) = failure.seed {
            println!("    `cargo xtask fuzz --program {seed}` prints the original program");
        }
    }
    Ok(whole.failures.len())
}

impl Grammar {
    fn count(&mut self, constructs: u64, compiled: bool) {
        self.programs += 1;
        self.compiled += u64::from(compiled);
        for (bit, (made, right)) in self.constructs.iter_mut().enumerate() {
            let has = constructs >> bit & 1;
            *made += has;
            *right += has * u64::from(compiled);
        }
    }

    fn add(&mut self, other: &Grammar) {
        self.programs += other.programs;
        self.compiled += other.compiled;
        for (sum, it) in self.constructs.iter_mut().zip(other.constructs) {
            *sum = (sum.0 + it.0, sum.1 + it.1);
        }
    }

    fn words(&self) -> String {
        let mut text = format!(
            "  grammar    {} programs, {} compiled; programs with each construct (compiled):\n",
            self.programs, self.compiled
        );
        let all = grammar::CONSTRUCTS.iter().zip(self.constructs);
        let all: Vec<_> =
            all.map(|(word, (made, right))| format!("{word} {made} ({right})")).collect();
        for line in all.chunks(4) {
            let _ = writeln!(text, "             {}", line.join(", "));
        }
        text
    }
}

/// Prints a program of the grammar, and tries it in every variant of the options.
fn one_program(plan: &Plan, seed: u64) -> Result<(), String> {
    let text = grammar::program(seed).text;
    println!("{text}");
    tried(plan.part, "the program", &text)
}

/// Tries a text in every variant of the options.
fn tried(part: Part, name: &str, text: &str) -> Result<(), String> {
    let mut failures = 0;
    for variant in (0..Variant::COUNT as u8).map(Variant) {
        let start = Instant::now();
        let outcome = judge::judge_closely(part, text, variant);
        let slow = (start.elapsed() > SLOW).then(|| Finding::slow(start.elapsed()));
        if let Some(finding) = outcome.finding.or(slow) {
            failures += 1;
            println!("{name}: {} ({})", finding.words(), variant.describe());
        }
    }
    if failures > 0 { Err(format!("{failures} failures")) } else { Ok(()) }
}

/// Tries files unchanged, in every variant of the options.
fn replay(plan: &Plan) -> Result<(), String> {
    let mut failed = 0;
    for file in &plan.replay {
        let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.display().to_string();
        failed += usize::from(tried(plan.part, &name, &String::from_utf8_lossy(&bytes)).is_err());
    }
    if failed > 0 { Err(format!("{failed} files fail")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(part: Part, source: Source, runs: u64) -> Vec<Tally> {
        let plan = Plan {
            part,
            source,
            runs,
            seconds: None,
            seed: 7,
            threads: 1,
            trace: false,
            replay: Vec::new(),
            program: None,
        };
        on_threads(&plan, &corpus(), None, Instant::now())
    }

    #[test]
    fn a_short_run_of_every_part_finds_nothing() {
        for part in Part::ALL {
            for tally in short(part, Source::Both, 5000) {
                let found: Vec<_> = tally
                    .failures
                    .iter()
                    .map(|it| format!("{}\n{}", it.finding.words(), it.text))
                    .collect();
                assert!(found.is_empty(), "{}: {}", part.word(), found.join("\n"));
                assert!(tally.inputs == 5000 && tally.kept > 100 && tally.codes.len() > 5);
                assert!(tally.grammar.programs > 500, "{}", tally.grammar.programs);
            }
        }
    }

    #[test]
    fn the_same_seed_tries_the_same_inputs() {
        let (first, second) =
            (short(Part::Parse, Source::Both, 2000), short(Part::Parse, Source::Both, 2000));
        assert_eq!((first[0].kept, &first[0].codes), (second[0].kept, &second[0].codes));
    }
}
