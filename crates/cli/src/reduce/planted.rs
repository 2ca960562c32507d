//! Planted mistakes in generated programs: compilers that are wrong in one operation, or that cannot take a construct.
//!
//! Each case bounds the size of the result and the work. Every result is examined again: it must be defined.

use std::sync::atomic::Ordering;
use std::time::Duration;

use generate::Wanted;
use reduce::Settings;
use serde_json::json;
use wavelane::{Shader, Stage};

use super::Run;
use super::keep::{Guard, Keep, Keeper};
use crate::asked::{DeviceChoice, Launch, Sanitizing, WaveSizes};
use crate::candidate::{Setting, undefined};
use crate::generated::Asked;
use crate::side::{Runs, Side};

/// What is planted.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// An engine that mistakes one operation for another.
    Wrong(fn(&Shader) -> Shader),
    /// A compiler that ends where the IR has all of these.
    Dies(&'static [&'static str]),
}

struct Case {
    name: &'static str,
    fault: Fault,
    /// The most lines of the result.
    lines: usize,
}

/// The seeds at which the search for programs that show a fault begins: each fault is planted in as many programs.
const SEEDS: [u64; 2] = [1, 1000];

fn replaced(shader: &Shader, from: &str, to: &str) -> Shader {
    let text = shader.ir().unwrap();
    match text.contains(from) {
        true => Shader::from_ir(&text.replace(from, to)).unwrap_or_else(|_| shader.clone()),
        false => shader.clone(),
    }
}

macro_rules! wrong {
    ($from:literal, $to:literal) => {
        Fault::Wrong(|shader| replaced(shader, $from, $to))
    };
}

const CASES: &[Case] = &[
    Case { name: "sum-is-max", fault: wrong!("wave.reduce.sum", "wave.reduce.max.u"), lines: 12 },
    Case { name: "any-is-all", fault: wrong!("wave.any_true", "wave.all_true"), lines: 12 },
    Case {
        name: "prefix-is-inclusive",
        fault: wrong!("wave.scan.sum", "wave.reduce.sum"),
        lines: 10,
    },
    Case { name: "xor-is-or", fault: wrong!(" xor ", " or "), lines: 12 },
    Case { name: "sub-is-add", fault: wrong!(" sub ", " add "), lines: 12 },
    Case { name: "switch", fault: Fault::Dies(&["switch "]), lines: 12 },
    Case { name: "loop-with-ballot", fault: Fault::Dies(&["loop", "wave.ballot"]), lines: 12 },
    Case { name: "match", fault: Fault::Dies(&["wave.match"]), lines: 12 },
    Case { name: "sixty-four-bits", fault: Fault::Dies(&["wave.reduce", "i64"]), lines: 12 },
    Case { name: "min-is-max", fault: wrong!("wave.reduce.min", "wave.reduce.max"), lines: 12 },
    Case { name: "first", fault: Fault::Dies(&["wave.read_lane_first", "loop"]), lines: 12 },
    Case { name: "half", fault: Fault::Dies(&["f16"]), lines: 12 },
];

/// A setting for a generated program, and its text.
fn program(stage: Stage, seed: u64) -> (Setting, String) {
    let asked = json!({ "stage": stage.word(), "attempts": 0 });
    let asked = Asked::from_json(&asked).unwrap();
    let wanted = Wanted { widths: (4, 128), model: asked.model, slang: false };
    let program = wanted.generated(stage, seed, &mut generate::Statistics::default());
    let setting = asked.setting(&program, &DeviceChoice::default()).unwrap();
    let setting = Setting {
        launch: Launch { wave_sizes: WaveSizes::List(vec![4, 32]), ..setting.launch },
        san: Sanitizing { quick: true, ..Sanitizing::default() },
        ..setting
    };
    (setting, program.print())
}

fn keep(fault: Fault) -> Keep {
    match fault {
        Fault::Wrong(fault) => {
            let runs = Runs::Planted(fault);
            Keep::Diff(Box::new(Side { name: "planted".to_owned(), about: None, runs }))
        }
        Fault::Dies(words) => Keep::Ir(words),
    }
}

fn lines(text: &str) -> usize {
    text.lines().filter(|it| !it.trim().is_empty()).count()
}

/// The keeper of the first program, from a seed on, that shows a fault.
fn showing(fault: Fault, stage: Stage, from: u64) -> (Keeper, String) {
    for seed in from..from + 200 {
        let (setting, text) = program(stage, seed);
        let patience = Duration::from_secs(60);
        let keeper = Keeper::new(keep(fault), Guard::Defined(None), setting, patience).unwrap();
        if lines(&text) > 60 && keeper.keeps(&text).unwrap() {
            return (keeper, text);
        }
    }
    panic!("no program shows the fault");
}

fn reduced(keeper: &Keeper, text: &str, jobs: usize) -> reduce::Reduced {
    let settings = Settings { options: keeper.setting.options.clone(), ..Settings::default() };
    let mut run = Run { keeper, jobs, target: None, whole: 0, shown: None, failed: None };
    let reduced = reduce::reduce(text, &settings, &mut run);
    assert!(run.failed.is_none());
    reduced
}

/// Reduces a case, and returns how many lines are left.
#[expect(clippy::print_stderr, reason = "the figures of the documentation")]
fn lines_left(case: &Case, seed: u64) -> usize {
    let (keeper, text) = showing(case.fault, Stage::Compute, seed);
    let small = reduced(&keeper, &text, 1);
    let (before, after) = (lines(&text), lines(&small.text));
    eprintln!("{}: {before} to {after} lines, {} candidates", case.name, small.attempts);
    assert!(after <= case.lines, "{}: {after}\n{}", case.name, small.text);
    assert!(keeper.keeps(&small.text).unwrap(), "{}", case.name);
    let candidate = keeper.setting.compiled(&small.text).unwrap();
    let report = keeper.setting.examined(&candidate, false).unwrap();
    assert!(undefined(&report).is_empty(), "{}", case.name);
    assert!(small.attempts < 600, "{}: {}", case.name, small.attempts);
    assert_eq!(keeper.tests.load(Ordering::Relaxed), 0);
    after
}

#[test]
fn planted_mistakes_shrink_to_a_few_lines_and_stay_defined() {
    let of_seed = |seed| CASES.iter().map(|case| lines_left(case, seed)).collect::<Vec<usize>>();
    let mut sizes = std::thread::scope(|scope| {
        let threads = SEEDS.map(|seed| scope.spawn(move || of_seed(seed)));
        threads.map(|it| it.join().unwrap()).concat()
    });
    sizes.sort_unstable();
    assert!(sizes[sizes.len() / 2] <= 6, "{sizes:?}");
}

#[test]
fn one_process_and_several_find_the_same() {
    let case = &CASES[0];
    let (keeper, text) = showing(case.fault, Stage::Compute, 1);
    assert_eq!(reduced(&keeper, &text, 1), reduced(&keeper, &text, 3));
}

#[test]
fn mistakes_in_draws_shrink_to_a_few_lines_too() {
    let fault = wrong!("wave.reduce.sum", "wave.reduce.max.u");
    for (stage, most) in [(Stage::Pixel, 16), (Stage::Mesh, 24)] {
        let (keeper, text) = showing(fault, stage, 1);
        let small = reduced(&keeper, &text, 1);
        assert!(lines(&small.text) <= most, "{}", small.text);
        assert!(small.text.contains("Sum") && keeper.keeps(&small.text).unwrap(), "{}", small.text);
        // What is drawn is part of it.
        assert!(keeper.setting.drawing.is_some());
    }
}
