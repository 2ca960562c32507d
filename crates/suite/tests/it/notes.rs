//! Notes change nothing: with notes and without, a module leaves the same bytes, spends the same fuel, has the same
//! findings, and reports the same other events, in every order of waves. Nor does leaving a run and taking it up. A
//! module with notes of its statements alone has the same statements, and so has one with a note for each basic block:
//! recordings of active lanes alone are the same, byte for byte, as if they were made step by step.
//!
//! `NOTES=text` runs only the sections whose names contain the text.
#![allow(clippy::print_stdout, reason = "shows how much was run")]

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use diag::SourceMap;
use generate::Statistics;
use interp::observe::*;
use interp::{Advance, NoObserver, Observer, Run, Variation};
use ir::exec::{Bindings, Failure, Launch, Schedule, Trap};
use ir::notes::{Note, Stripped, statements, strip};
use ir::{Inst, Module};
use ops::LaneMask;
use ops::scalar::Hazard;
use ops::wave::Lanes;
use rustc_hash::FxHasher;
use suite::engines::Programs;
use suite::run;
use suite::section::Section;
use timeline::{Program, Recorder, Window};

/// `PROGRAMS=100000` tries that many of each kind, and `PROGRAMS=1000..2000` those with these seeds.
const PROGRAMS: u64 = 200;
/// Enough for nearly all.
const FUEL: u64 = 1 << 18;
/// Longer runs are recorded to some point within so much fuel.
const SHORT: u64 = 1 << 13;

/// Compares modules that differ in notes alone. Returns whether there was one.
fn check(section: &Section, width: u32, turn: usize) -> Result<bool, String> {
    let mut options = run::options(&section.flags)?;
    options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
    let plain = run::compile_text(&section.file, &section.source(), &options);
    options.notes = true;
    let noted = run::compile_text(&section.file, &section.source(), &options);
    let said =
        |it: &run::Compiled| diag::render_all(&it.diagnostics, &it.sources, diag::Style::Plain);
    if said(&plain) != said(&noted) {
        return Err("the diagnostics differ".to_owned());
    }
    let sources = noted.sources;
    let (plain, noted) = match (plain.module, noted.module) {
        (Some(plain), Some(noted)) => (plain, noted),
        (None, None) => return Ok(false),
        _ => return Err("only one of them compiles".to_owned()),
    };
    let Stripped { module: stripped, insts, .. } = strip(&noted);
    if stripped != plain {
        let texts = [&stripped, &plain].map(ir::text::print);
        return Err(format!("stripped:\n{}\nplain:\n{}", texts[0], texts[1]));
    }
    let lean = statements(&noted);
    if strip(&lean).module != plain {
        return Err("without values, something else is left".to_owned());
    }
    for module in [&noted, &lean] {
        if let Err(problems) = ir::verify::verify(module) {
            return Err(format!("not a module: {}", problems[0]));
        }
    }
    if plain.io.is_some() {
        return Ok(true);
    }
    let Ok(before) = run::inputs(section, &plain) else { return Ok(true) };
    // Where the fuel ends an endless loop, it ends it at the same place.
    let mut launch = Launch { fuel: Some(FUEL), ..run::launch(section, &plain, width) };
    let schedules = [
        Schedule::Ascending,
        Schedule::Random(turn as u64),
        Schedule::RoundRobin,
        Schedule::Descending,
    ];
    // The canonical order, and another one in which turns end in the middle.
    for schedule in [Schedule::Ascending, schedules[1 + turn % 3]] {
        launch.schedule = schedule;
        let full = alike([&plain, &noted, &lean], &insts, &launch, &before)?;
        let fuel = if full < SHORT { FUEL } else { 1 + turn as u64 * 97 % SHORT };
        let short = Launch { fuel: Some(fuel), ..launch.clone() };
        recorded_alike(&noted, &sources, &short, &before)?;
        // The same where the fuel is spent on the way.
        if schedule != Schedule::Ascending && full > 1 {
            let less = Launch { fuel: Some(1 + turn as u64 % full), ..launch.clone() };
            alike([&plain, &noted, &lean], &insts, &less, &before)?;
            let less = Launch { schedule: Schedule::Ascending, ..less };
            recorded_alike(&noted, &sources, &less, &before)?;
        }
    }
    Ok(true)
}

/// Compares runs of a module without notes, with notes, and with those of statements alone; returns the fuel that each
/// spent.
fn alike(
    [plain, noted, lean]: [&Module; 3],
    insts: &[Option<Inst>],
    launch: &Launch,
    before: &Bindings,
) -> Result<u64, String> {
    let identity: Vec<Option<Inst>> =
        (0..plain.insts.len() as u32).map(|it| Some(Inst(it))).collect();
    let wanted = observed(plain, &identity, launch, before, None);
    let begun = begun(lean, launch, before);
    for (name, steps) in [("with notes", None), ("left and taken up", Some(launch.wave_width))] {
        let got = observed(noted, insts, launch, before, steps);
        if wanted.ended != got.ended {
            return Err(format!("{name}: one ends {}, the other {}", wanted.ended, got.ended));
        }
        if wanted.spent != got.spent {
            return Err(format!("{name}: the fuel is {}, not {}", got.spent, wanted.spent));
        }
        let pairs = wanted.events.iter().zip(&got.events);
        if let Some(at) = pairs.clone().position(|(a, b)| a != b) {
            let (a, b) = (wanted.events[at], got.events[at]);
            return Err(format!("{name}, {:?}: event {at} is {b:?}, not {a:?}", launch.schedule));
        }
        if wanted.events.len() != got.events.len() {
            return Err(format!(
                "{name}: {} events, not {}",
                got.events.len(),
                wanted.events.len()
            ));
        }
        if wanted.bindings != got.bindings {
            return Err(format!("{name}: the buffers differ"));
        }
        if got.begun != begun.2 {
            return Err(format!("{name}: other statements than without values"));
        }
    }
    if (wanted.ended, wanted.spent, &wanted.bindings) != (begun.0, begun.1, &begun.3) {
        return Err("with notes of statements alone, the run differs".to_owned());
    }
    Ok(wanted.spent)
}

/// Compares the recording of active lanes alone with what a recorder makes of all steps.
fn recorded_alike(
    module: &Module,
    sources: &SourceMap,
    launch: &Launch,
    before: &Bindings,
) -> Result<(), String> {
    let none = Window::parse("none")?;
    let program = Program { wave_size: launch.wave_width, ..Program::default() };
    let mut recorder = Recorder::new(module, sources, program.clone(), &none, Vec::new());
    let ended = interp::run(module, launch, &mut before.clone(), &mut recorder);
    let steps = recorder.finish(ended.as_ref().err().map(ToString::to_string));
    let bindings = before.clone();
    let (log, also) = timeline::record(module, sources, launch, bindings, program, &none, vec![]);
    let (log, steps) = (timeline::file::write(&log), timeline::file::write(&steps));
    if (told(ended), log) != (told(also), steps) {
        return Err("the recording of active lanes alone differs".to_owned());
    }
    Ok(())
}

/// How a run of which nothing but statements is reported ends, the fuel, the statements, and what it leaves.
fn begun(module: &Module, launch: &Launch, before: &Bindings) -> (String, u64, u64, Bindings) {
    let spent = Arc::new(AtomicU64::new(0));
    let launch = Launch { spent: Some(spent.clone()), ..launch.clone() };
    let (mut bindings, mut begun) = (before.clone(), Begun::default());
    let ended = interp::run(module, &launch, &mut bindings, &mut begun);
    let spent = spent.load(std::sync::atomic::Ordering::Relaxed);
    (told(ended), spent, begun.0.finish(), bindings)
}

/// A digest of the waves that begin, and of the statements that they begin.
#[derive(Default)]
struct Begun(FxHasher);

impl Observer for Begun {
    const EVENTS: bool = false;
    const NOTES: bool = true;
    const POISON: bool = false;

    fn wave_begin(&mut self, at: At) {
        (at.group, at.wave, at.active).hash(&mut self.0);
    }

    fn note(&mut self, event: &NoteEvent<'_>) {
        let At { group, wave, span, active, .. } = event.at;
        if let Note::Statement { scope, .. } = event.note {
            (group, wave, span, active, event.live, scope).hash(&mut self.0);
        }
    }
}

/// How a run ended. Where in the text the fuel ends may be a note.
fn told(ended: Result<(), Failure>) -> String {
    match ended {
        Err(Failure::Trap(Trap::OutOfFuel { .. })) => "out of fuel".to_owned(),
        other => format!("{other:?}"),
    }
}

struct Observed {
    ended: String,
    spent: u64,
    events: Vec<(&'static str, u64)>,
    begun: u64,
    bindings: Bindings,
}

/// Runs a module; with `steps`, leaves the run after that many instructions each time, and at every third note.
fn observed(
    module: &Module,
    insts: &[Option<Inst>],
    launch: &Launch,
    before: &Bindings,
    steps: Option<u32>,
) -> Observed {
    let spent = Arc::new(AtomicU64::new(0));
    let launch = Launch { spent: Some(spent.clone()), ..launch.clone() };
    let mut bindings = before.clone();
    let mut events = Events {
        insts,
        all: Vec::new(),
        notes: 0,
        begun: Begun::default(),
        pauses: steps.is_some(),
    };
    let ended = match steps {
        None => interp::run(module, &launch, &mut bindings, &mut events),
        Some(steps) => left_and_taken_up(module, &launch, &mut bindings, &mut events, steps),
    };
    Observed {
        ended: told(ended),
        spent: spent.load(std::sync::atomic::Ordering::Relaxed),
        events: events.all,
        begun: events.begun.0.finish(),
        bindings,
    }
}

fn left_and_taken_up(
    module: &Module,
    launch: &Launch,
    bindings: &mut Bindings,
    events: &mut Events<'_>,
    steps: u32,
) -> Result<(), Failure> {
    let program = interp::decode(module);
    let mut run = Run::new(&program, launch, Variation::default())?;
    let mut count = 0u64;
    loop {
        // Now and then the run is left for a copy of itself.
        if count.is_multiple_of(7) {
            run = run.clone();
        }
        count += 1;
        if run.advance(&program, bindings, events, u64::from(steps) + count % 5)? == Advance::Done {
            return Ok(());
        }
    }
}

/// The events of a run but notes, each as its kind and a digest.
struct Events<'a> {
    /// The numbers of instructions in the module without notes.
    insts: &'a [Option<Inst>],
    all: Vec<(&'static str, u64)>,
    notes: u32,
    begun: Begun,
    pauses: bool,
}

impl Events<'_> {
    fn push(&mut self, kind: &'static str, at: At, tell: impl FnOnce(&mut FxHasher)) {
        const MOST: usize = 200_000;
        if self.all.len() == MOST {
            return;
        }
        let mut hasher = FxHasher::default();
        let inst = self.insts[at.inst.index()].map(|it| it.0);
        (at.group, at.wave, at.active, at.span, inst).hash(&mut hasher);
        tell(&mut hasher);
        self.all.push((kind, hasher.finish()));
    }

    fn access(&mut self, kind: &'static str, event: &AccessEvent<'_>) {
        let AccessEvent {
            at,
            space,
            addresses,
            size,
            in_bounds,
            address_poison,
            value_poison,
            values,
        } = event;
        let active = at.active;
        self.push(kind, *at, |hasher| {
            let place = match space {
                Space::Buffer(binding, element) => {
                    if let Some(element) = element {
                        active.iter().for_each(|lane| element[lane as usize].hash(hasher));
                    }
                    (0, binding.index())
                }
                Space::Shared(it) => (1, it.index()),
                Space::Private(it) => (2, it.index()),
                Space::Counter(it) => (3, it.index()),
            };
            place.hash(hasher);
            active.iter().for_each(|lane| addresses[lane as usize].hash(hasher));
            (size, *in_bounds & active, *address_poison & active, *value_poison & active)
                .hash(hasher);
            values.iter().for_each(|row| rows(*row, active, hasher));
        });
    }
}

fn rows(row: Lanes<'_>, active: LaneMask, hasher: &mut FxHasher) {
    active.iter().for_each(|lane| row.get(lane).hash(hasher));
}

impl Observer for Events<'_> {
    fn wave_begin(&mut self, at: At) {
        self.begun.wave_begin(at);
        (self.all.len() < 200_000).then(|| self.all.push(("wave_begin", u64::from(at.wave))));
    }

    fn wave_end(&mut self, at: At) {
        (self.all.len() < 200_000).then(|| self.all.push(("wave_end", u64::from(at.wave))));
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        let active = event.wave.active;
        self.push("wave_op", event.at, |hasher| {
            (format!("{:?}", event.op), event.named).hash(hasher);
            event.args.iter().for_each(|row| rows(*row, active, hasher));
            event.results.iter().for_each(|row| rows(*row, active, hasher));
            event.arg_poison.iter().for_each(|it| (*it & active).hash(hasher));
            (event.result_poison & active).hash(hasher);
        });
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        self.push("barrier", event.at, |hasher| (event.live, event.named).hash(hasher));
    }

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.access("load", event);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.access("store", event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.access("atomic", event);
    }

    fn sample(&mut self, event: &SampleEvent<'_>) {
        self.push("sample", event.at, |hasher| (event.poison & event.at.active).hash(hasher));
    }

    fn derivative(&mut self, event: &DerivativeEvent) {
        self.push("derivative", event.at, |hasher| (event.poison & event.at.active).hash(hasher));
    }

    fn arithmetic(&mut self, at: At, hazard: Hazard, lanes: LaneMask) {
        self.push("arithmetic", at, |hasher| (format!("{hazard:?}"), lanes).hash(hasher));
    }

    fn diverge(&mut self, event: &DivergeEvent<'_>) {
        self.push("diverge", event.at, |hasher| (event.taken, event.poison).hash(hasher));
    }

    fn enter(&mut self, at: At) {
        self.push("enter", at, |_| {});
    }

    fn back_edge(&mut self, at: At) {
        self.push("back_edge", at, |_| {});
    }

    fn reconverge(&mut self, at: At) {
        self.push("reconverge", at, |_| {});
    }

    fn exit(&mut self, at: At, to: ExitTo) {
        let to = match to {
            ExitTo::Construct(inst) => self.insts[inst.index()].map(|it| it.0),
            ExitTo::Return => None,
        };
        self.push("exit", at, |hasher| to.hash(hasher));
    }

    fn note(&mut self, event: &NoteEvent<'_>) {
        self.begun.note(event);
        self.notes += 1;
    }

    fn pauses(&mut self) -> bool {
        self.pauses && self.notes.is_multiple_of(3)
    }
}

#[test]
fn the_suite_does_the_same_with_notes() {
    let filter = std::env::var("NOTES").unwrap_or_default();
    let (mut runs, mut wrong) = (0, Vec::new());
    for (number, file) in suite::files(&suite::folder()).iter().enumerate() {
        for (turn, section) in suite::read(file).unwrap().iter().enumerate() {
            if section.fails() || section.draw.is_some() || !section.name.contains(&filter) {
                continue;
            }
            for width in suite::two_widths(section, turn + number) {
                match check(section, width, turn * 7 + number) {
                    Ok(ran) => runs += usize::from(ran),
                    Err(what) => wrong.push(format!("{}: {what}", section.name)),
                }
            }
        }
    }
    println!("{runs} runs");
    let shown = wrong[..wrong.len().min(10)].join("\n");
    assert!(wrong.is_empty(), "{} differ:\n{shown}", wrong.len());
    assert!(runs > 1000 || !filter.is_empty(), "{runs} runs");
}

fn programs(programs: Programs, count: u64) {
    let mut statistics = Statistics::default();
    for seed in generate::seeds(count) {
        let width = suite::width_of(seed);
        let text = programs.section(seed, width, &mut statistics);
        for section in &suite::section::read("program.hlsl", &text).unwrap() {
            check(section, width, seed as usize).unwrap_or_else(|what| panic!("{what}\n{text}"));
        }
    }
}

#[test]
fn generated_programs_do_the_same_with_notes() {
    programs(Programs::Generated, PROGRAMS);
}

#[test]
fn wild_programs_do_the_same_with_notes() {
    programs(Programs::Wild, PROGRAMS);
}

/// A program that is proved endless is also proved so with notes.
#[test]
fn endless_programs_do_the_same_with_notes() {
    programs(Programs::Endless, PROGRAMS / 8);
}

#[test]
fn the_sanitizer_finds_the_same_with_notes() {
    let mut found = 0;
    for file in suite::files(&suite::folder().join("san")) {
        for section in suite::read(&file).unwrap() {
            if section.draw.is_some() || section.fails() {
                continue;
            }
            let width = section.widths[0];
            let mut options = run::options(&section.flags).unwrap();
            options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
            let mut reports = Vec::new();
            for notes in [false, true] {
                options.notes = notes;
                let compiled = run::compile_text(&section.file, &section.source(), &options);
                let Some(module) = compiled.module else { continue };
                let Ok(before) = run::inputs(&section, &module) else { continue };
                let launch = run::launch(&section, &module, width);
                let plan = sanitizer::Plan::new(vec![width]);
                let seen = match sanitizer::examine(&module, &launch, &before, &plan) {
                    Ok(report) => report.seen,
                    Err(stopped) => stopped.report.seen,
                };
                let all = seen.iter().map(|it| {
                    let finding = &it.finding;
                    (
                        finding.kind,
                        finding.site.span,
                        finding.lanes,
                        finding.wave,
                        finding.message.clone(),
                    )
                });
                reports.push(all.collect::<Vec<_>>());
            }
            if let [plain, noted] = &reports[..] {
                assert_eq!(plain, noted, "{}", section.name);
                found += plain.len();
            }
        }
    }
    assert!(found > 20, "{found} findings");
}

/// A variable that holds the whole set is debug information, and so is one that is computed from a word of it and not
/// read.
#[test]
fn a_word_that_only_notes_read_is_lost() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint4 odd = WaveActiveBallot(i % 2 == 1);
            uint high = odd.y + odd.z;
            uint unread = odd.x + 1;
            Out[i] = countbits(odd.x);
        }";
    let found = [false, true].map(|notes| {
        let mut options = run::options(&[]).unwrap();
        options.notes = notes;
        let compiled = run::compile_text("a.hlsl", text, &options);
        let module = compiled.module.unwrap();
        let codes: Vec<&str> = compiled.diagnostics.iter().map(|it| it.code.name).collect();
        assert!(codes.contains(&"narrow-lane-mask"), "{codes:?}");
        let launch = suite::engines::launch([1, 1, 1], 64);
        let buffer = ir::exec::Buffer { bytes: vec![0; 256].into(), ..Default::default() };
        let before = Bindings { bindings: vec![vec![buffer]] };
        let plan = sanitizer::Plan::new(vec![64]);
        let report = sanitizer::examine(&module, &launch, &before, &plan).unwrap();
        let of = |it: &sanitizer::Seen| {
            let finding = &it.finding;
            (finding.kind, finding.message.clone(), finding.site.span)
        };
        report.seen.iter().map(of).collect::<Vec<_>>()
    });
    assert_eq!(found[0], found[1]);
    let kinds: Vec<sanitizer::Kind> = found[0].iter().map(|it| it.0).collect();
    assert_eq!(kinds, [sanitizer::Kind::TruncatedMask]);
}

/// A loop whose iterations differ in a variable that nothing reads has no end all the same, and an unused division by
/// zero is not reported: only notes need them.
#[test]
fn instructions_that_only_notes_need_are_silent_and_free() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint unused = 7 / i;
            uint rounds = 0;
            while (Out[0] == 0) { rounds = rounds * 3 + 1; unused = unused % i; }
            Out[i] = 1;
        }";
    let mut options = run::options(&[]).unwrap();
    options.notes = true;
    let noted = run::compile_text("a.hlsl", text, &options).module.unwrap();
    let launch = suite::engines::launch([1, 1, 1], 32);
    let buffer = ir::exec::Buffer { bytes: vec![0; 256].into(), ..Default::default() };
    let mut bindings = Bindings { bindings: vec![vec![buffer]] };
    let mut events = Events {
        insts: &vec![None; noted.insts.len()],
        all: Vec::new(),
        notes: 0,
        begun: Begun::default(),
        pauses: false,
    };
    let ended = interp::run(&noted, &launch, &mut bindings, &mut events);
    assert!(matches!(ended, Err(Failure::Trap(Trap::Deadlock { .. }))), "{ended:?}");
    assert!(events.all.iter().all(|it| it.0 != "arithmetic"));
    assert!(events.notes > 100);
    let ended = interp::run(&noted, &launch, &mut bindings, &mut NoObserver);
    assert!(matches!(ended, Err(Failure::Trap(Trap::Deadlock { .. }))), "{ended:?}");
}
