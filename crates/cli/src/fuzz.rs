//! `wavelane fuzz`: generated programs of a stage, which are defined by construction, on engines or through another
//! compiler.
//!
//! A run may take a night, so its findings survive Ctrl-C: a failing program is written when it is found, and the
//! report is of those programs that were run.

mod emit;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use campaign::{Outcome, Record};
use serde_json::{Value, json};
use wavelane::Stage;

use crate::asked::{DeviceChoice, LowArgs, Output, Tools, WaveSizes};
use crate::generated::{self, Asked, MODEL, WIDTHS, draw};
use crate::pool::Pool;
use crate::problem::{End, Exit, Problem};
use crate::side::{self, Runs};
use crate::value::counted;
use crate::worker::{Answered, Broken, Slot, ask};
use crate::{external, fatal, interrupt, supervise, terminal};

/// How many programs there are by default.
const COUNT: u64 = 1000;
/// More would not fit in memory.
const MOST: u64 = 100_000_000;
/// The candidates of each reduction by default.
const ATTEMPTS: usize = 400;
/// This many failures with the same signature are reduced: further ones would add nothing.
const REDUCED: usize = 3;

/// What `fuzz` needs.
pub(crate) struct FuzzArgs {
    asked: Asked,
    count: u64,
    emit: Option<String>,
    save: Option<String>,
    pool: Pool,
    output: Output,
    device: DeviceChoice,
}

impl FuzzArgs {
    pub(crate) fn new(low: LowArgs) -> Result<FuzzArgs, Problem> {
        if let Some(operand) = low.operands.first() {
            return Err(
                low.usage(format!("unexpected operand `{operand}`: `fuzz` generates its programs"))
            );
        }
        let Tools { target, emit, save, count, seed, attempts, model, stage, .. } =
            low.tools.clone();
        let stage = stage.unwrap_or_default();
        let given = [target.is_some(), low.engines.is_some(), emit.is_some()];
        match given.iter().filter(|it| **it).count() {
            1 => {}
            0 => {
                let what = "`fuzz` needs one of `--target`, `--engines` and `--emit`";
                return Err(low.usage(what.to_owned()));
            }
            _ => {
                let what = "`--target`, `--engines` and `--emit` exclude each other";
                return Err(low.usage(what.to_owned()));
            }
        }
        if emit.is_some() {
            refuse_without_effect(&low)?;
        }
        let target = match &target {
            Some(line) => {
                let words = external::split(line).map_err(|it| low.usage(it))?;
                if !words.iter().any(|it| it.contains("{in}")) {
                    let what = format!("`--target {line}` names no `{{in}}`");
                    return Err(low
                        .usage(what)
                        .help("--target 'dxc -T cs_6_7 -spirv {in} -Fo {out}'"));
                }
                let names = |it: &str| words.iter().any(|word| word.contains(it));
                if stage == Stage::Mesh && !(names("{profile}") && names("{entry}")) {
                    let what = format!(
                        "`--target {line}` names no `{{profile}}` and `{{entry}}`, and programs with mesh shaders have \
                         amplification shaders, too"
                    );
                    let help = "--target 'dxc -T {profile} -E {entry} -spirv {in} -Fo {out}'";
                    return Err(low.usage(what).help(help));
                }
                words
            }
            None => Vec::new(),
        };
        let engines = low.engines.iter().flat_map(|it| it.split(','));
        let engines: Vec<String> = engines.map(|it| it.trim().to_owned()).collect();
        if stage == Stage::Pixel
            && let Some(engine) = engines.iter().find(|it| draw::packs_quads(it))
        {
            let what = format!("`{engine}` {}", draw::PACKS_QUADS);
            let problem = Problem::new(Exit::Unsupported, what);
            return Err(problem.help("--engines interp,cpu"));
        }
        let count = count.unwrap_or(COUNT);
        if count == 0 {
            return Err(low.usage("`--count 0` leaves nothing to run".to_owned()));
        }
        if count > MOST {
            return Err(low.usage(format!("there are at most {MOST} programs in a run")));
        }
        let asked = Asked {
            seed: seed.unwrap_or(1),
            model: model.unwrap_or(MODEL),
            stage,
            engines,
            target,
            widths: widths(&low.launch.wave_sizes),
            order: String::new(),
            timeout: low.launch.timeout,
            attempts: attempts.unwrap_or(ATTEMPTS),
        };
        let pool = Pool { words: supervise::worker(), jobs: low.jobs };
        let LowArgs { output, device, .. } = low;
        Ok(FuzzArgs { asked, count, emit, save, pool, output, device })
    }
}

/// Refuses flags that say how programs are run, where they are only written.
fn refuse_without_effect(low: &LowArgs) -> Result<(), Problem> {
    let tools = &low.tools;
    let given = [
        (
            "--widths",
            low.launch.wave_sizes != WaveSizes::Default,
            "tests hold the results for every width",
        ),
        ("--save", tools.save.is_some(), "no program fails, since none is run"),
        ("--attempts", tools.attempts.is_some(), "nothing is reduced"),
        ("--timeout", low.launch.timeout.is_some(), "nothing is run"),
    ];
    match given.iter().find(|it| it.1) {
        None => Ok(()),
        Some((flag, _, why)) => {
            let what = format!("`{flag}` has no effect with `--emit`: {why}");
            Err(low.usage(what))
        }
    }
}

/// The requested widths; by default all.
pub(crate) fn widths(asked: &WaveSizes) -> Vec<u32> {
    match asked {
        WaveSizes::Default | WaveSizes::All => WIDTHS.to_vec(),
        WaveSizes::List(list) => list.clone(),
    }
}

/// The outcome of a program.
struct Judged {
    program: u64,
    record: Record,
    reduced: Option<Record>,
    statistics: Value,
    /// How it ended the process of its worker, if it did.
    broken: Option<Broken>,
}

pub(crate) fn fuzz(args: &FuzzArgs) -> Result<Exit, End> {
    if let Some(folder) = &args.emit {
        return emit::emit(&args.asked, args.count, folder, args.output);
    }
    let are_all_here = check_engines(args)?;
    if let Some(folder) = &args.save {
        std::fs::create_dir_all(folder)
            .map_err(|error| Problem::input(format!("`{folder}` cannot be created: {error}")))?;
    }
    interrupt::watch();
    let plain = Asked { attempts: 0, ..args.asked.clone() };
    let numbers: Vec<u64> = (0..args.count).collect();
    let fails = |it: &Judged| it.record.outcome.fails();
    let mut judged = args.pool.run_as(
        "programs",
        &numbers,
        None,
        |slot, number| {
            let judged = one(slot, &plain, *number)?;
            if fails(&judged) {
                save(args, &judged)?;
            }
            Ok(vec![judged])
        },
        fails,
    )?;
    reduce(args, &mut judged)?;
    let mut files = BTreeMap::new();
    for it in judged.iter().filter(|it| fails(it)) {
        files.extend(save(args, it)?.map(|file| (it.program, file)));
    }
    if interrupt::is_caught() {
        let ran = counted(judged.len(), "program");
        terminal::note(&format!("interrupted: {ran} of {} were run", args.count));
    }
    match args.output {
        Output::Json => {
            let value = as_json(args, &judged, &files);
            terminal::print_json(&value)?;
        }
        _ => terminal::print(&as_text(args, &judged, &files))?,
    }
    interrupt::obey();
    let are_not_run = judged.iter().all(|it| it.record.outcome == Outcome::NotRun);
    Ok(match judged.iter().any(fails) {
        true => Exit::Findings,
        // An engine that was named and ran nothing proves nothing; neither does a module that was never run.
        false if !are_all_here || (are_not_run && !judged.is_empty()) => Exit::Unsupported,
        false => Exit::Fine,
    })
}

/// Reports unknown and missing engines before anything runs. Returns whether all are available.
fn check_engines(args: &FuzzArgs) -> Result<bool, Problem> {
    let mut are_all_here = true;
    for engine in args.asked.engines.iter().filter(|it| *it != "interp") {
        let wanted = side::Wanted { engines: Some(engine), module: None, device: &args.device };
        let side = side::open(wanted)?.pop();
        if let Some(Runs::Missing(why)) = side.map(|it| it.runs) {
            terminal::note(&format!("`{engine}` is not available here: {why}"));
            are_all_here = false;
        }
    }
    Ok(are_all_here)
}

/// Has a worker judge a program. If the process ends, the program that it ran has crashed.
fn one(slot: &mut Slot<'_>, asked: &Asked, program: u64) -> Result<Judged, Problem> {
    let mut request = asked.to_json();
    request["program"] = json!(program);
    // Each width and each candidate may take the time of one call.
    let calls = asked.widths.len() + asked.attempts + 1;
    let patience = asked.patience().saturating_mul(calls as u32) + Duration::from_secs(60);
    let unit = format!("program {program}");
    match ask(slot, &request, patience, |_| {})? {
        Answered::Whole(answer) => {
            if let Some(problem) = answer["problem"].as_str() {
                return Err(Problem::input(problem));
            }
            if answer["lost"].as_bool().unwrap_or(false) {
                slot.end();
            }
            let record = Record::from_json(&answer["record"])
                .ok_or_else(|| Problem::bug("a worker gave no record"))?;
            let reduced = Record::from_json(&answer["reduced"]);
            let statistics = answer["statistics"].clone();
            Ok(Judged { program, record, reduced, statistics, broken: None })
        }
        Answered::Broken(broken) => {
            let outcome = if broken.is_late { Outcome::Hang } else { Outcome::Crash };
            let mut record = Record::new(unit, outcome);
            record.signature = Some(broken.how().to_owned());
            let (reduced, statistics) = (None, Value::Null);
            Ok(Judged { program, record, reduced, statistics, broken: Some(broken) })
        }
    }
}

/// Reduces the first failures of each signature.
fn reduce(args: &FuzzArgs, judged: &mut [Judged]) -> Result<(), Problem> {
    if args.asked.attempts == 0 {
        return Ok(());
    }
    let mut counts: BTreeMap<(Outcome, Option<String>), usize> = BTreeMap::new();
    let mut wanted = Vec::new();
    for (index, it) in judged.iter().enumerate() {
        if it.record.outcome.fails() {
            let key = (it.record.outcome, it.record.signature.clone());
            let count = counts.entry(key).or_default();
            *count += 1;
            if *count <= REDUCED {
                wanted.push(index);
            }
        }
    }
    let reduced = args.pool.run_as(
        "failures reduced",
        &wanted,
        None,
        |slot, index| {
            let Judged { program, record, broken, .. } = &judged[*index];
            let reduced = match broken {
                None => one(slot, &args.asked, *program)?.reduced,
                Some(broken) => {
                    let text = fatal::reduced(slot, &args.asked, *program, broken)?;
                    Some(Record { text, ..record.clone() })
                }
            };
            Ok(vec![(*index, reduced)])
        },
        |_| false,
    )?;
    for (index, it) in reduced {
        judged[index].reduced = it;
    }
    Ok(())
}

/// Writes a failing program, reduced if it was, to the folder of `--save`. Returns the name of the file.
fn save(args: &FuzzArgs, judged: &Judged) -> Result<Option<String>, Problem> {
    let Some(folder) = &args.save else { return Ok(None) };
    let Judged { program, record, reduced, .. } = judged;
    let word = record.outcome.word().replace(' ', "-");
    let file = Path::new(folder).join(format!("{word}-{}-{program}.hlsl", args.asked.seed));
    let file = file.to_string_lossy().into_owned();
    let whole = args.asked.program(*program, &mut generate::Statistics::default());
    let command = draw::command(&args.asked, &whole, &file);
    let head = command.map_or(String::new(), |it| format!("// {it}\n"));
    std::fs::write(&file, head + &text_of(args, *program, reduced.as_ref()))
        .map_err(|error| Problem::input(format!("`{file}` cannot be written: {error}")))?;
    Ok(Some(file))
}

fn text_of(args: &FuzzArgs, program: u64, reduced: Option<&Record>) -> String {
    match reduced.and_then(|it| it.text.clone()) {
        Some(text) => text,
        None => args.asked.program(program, &mut generate::Statistics::default()).print(),
    }
}

/// The outcomes that programs have: each is judged once.
fn outcomes() -> impl Iterator<Item = Outcome> {
    Outcome::ALL.into_iter().filter(|it| *it != Outcome::Unstable)
}

fn count(judged: &[Judged], outcome: Outcome) -> usize {
    judged.iter().filter(|it| it.record.outcome == outcome).count()
}

fn statistics(judged: &[Judged]) -> Value {
    let mut all = json!({});
    for it in judged {
        generated::add(&mut all, &it.statistics);
    }
    all
}

fn signature(it: &Judged) -> &str {
    let reduced = it.reduced.as_ref().and_then(|it| it.signature.as_deref());
    reduced.or(it.record.signature.as_deref()).unwrap_or("")
}

fn as_json(args: &FuzzArgs, judged: &[Judged], files: &BTreeMap<u64, String>) -> Value {
    let outcomes: serde_json::Map<String, Value> =
        outcomes().map(|it| (it.word().to_owned(), json!(count(judged, it)))).collect();
    let failures: Vec<Value> = judged
        .iter()
        .filter(|it| it.record.outcome.fails())
        .map(|it| {
            json!({
                "outcome": it.record.outcome.word(),
                "program": it.program,
                "file": files.get(&it.program),
                "signature": signature(it),
                "message": it.record.message,
                "detail": it.record.detail,
                "reduced": it.reduced.as_ref().and_then(|it| it.text.clone()),
            })
        })
        .collect();
    json!({
        "seed": args.asked.seed,
        "stage": args.asked.stage.word(),
        "count": judged.len(),
        "outcomes": outcomes,
        "failures": failures,
        "statistics": statistics(judged),
    })
}

fn as_text(args: &FuzzArgs, judged: &[Judged], files: &BTreeMap<u64, String>) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let mut groups: BTreeMap<(Outcome, &str), Vec<&Judged>> = BTreeMap::new();
    for it in judged.iter().filter(|it| it.record.outcome.fails()) {
        groups.entry((it.record.outcome, signature(it))).or_default().push(it);
    }
    for ((outcome, signature), all) in &groups {
        let length = |it: &&Judged| it.reduced.as_ref()?.text.as_ref().map(String::len);
        let first = all.iter().copied().filter(|it| length(it).is_some()).min_by_key(length);
        let first = first.unwrap_or(all[0]);
        // The signature lacks names and numbers, which people want to see.
        let said = first.record.message.as_deref().unwrap_or(signature);
        let _ = writeln!(text, "{}: {said}", outcome.word());
        let numbers: Vec<String> = all.iter().take(8).map(|it| it.program.to_string()).collect();
        let more =
            if all.len() > 8 { format!(" and {} more", all.len() - 8) } else { String::new() };
        let _ =
            writeln!(text, "  programs {}{more} of seed {}", numbers.join(", "), args.asked.seed);
        let detail = first.record.detail.as_deref().filter(|it| *it != said).unwrap_or("");
        for line in detail.lines() {
            let _ = writeln!(text, "  {line}");
        }
        match files.get(&first.program) {
            Some(file) => {
                let _ = writeln!(text, "  written to `{file}`");
            }
            None => {
                for line in text_of(args, first.program, first.reduced.as_ref()).lines().take(40) {
                    let _ = writeln!(text, "  | {line}");
                }
            }
        }
        text.push('\n');
    }
    let shown = outcomes().map(|it| (it.word(), count(judged, it))).filter(|it| it.1 > 0);
    let shown: Vec<String> = shown.map(|(word, count)| format!("{word} {count}")).collect();
    let colon = if shown.is_empty() { "" } else { ": " };
    let _ = writeln!(text, "{}{colon}{}", counted(judged.len(), "program"), shown.join(", "));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for it in judged.iter().filter(|it| it.record.outcome == Outcome::NotRun) {
        *reasons.entry(it.record.signature.as_deref().unwrap_or("")).or_default() += 1;
    }
    for (why, count) in reasons {
        let _ = writeln!(text, "  not run: {why} ({count})");
    }
    text.push_str(&generated_text(&statistics(judged)));
    text
}

/// The contents of the programs, in a few lines.
fn generated_text(all: &Value) -> String {
    let list = |key: &str| -> String {
        let Some(map) = all[key].as_object() else { return String::new() };
        map.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
    };
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let programs = number(&all["programs"]).max(1);
    let percent = 100 * number(&all["diverging"]) / programs;
    let (mut by_active, mut functions) = (BTreeMap::<&str, u64>::new(), 0);
    for calls in all["calls_by_active_lanes"].as_object().into_iter().flat_map(|it| it.values()) {
        functions += 1;
        for (active, count) in calls.as_object().into_iter().flatten() {
            *by_active.entry(active).or_default() += number(count);
        }
    }
    let by_active: Vec<String> =
        by_active.iter().map(|(active, count)| format!("{active} {count}")).collect();
    format!(
        "  {percent} % of the programs diverge with waves of 32 lanes\n  \
         programs with each construct: {}\n  \
         wave functions by depth of control flow: {}\n  \
         by element type: {}\n  \
         calls of {functions} wave functions by active lanes: {}\n",
        list("constructs"),
        list("functions_by_depth"),
        list("functions_by_type"),
        by_active.join(", ")
    )
}
