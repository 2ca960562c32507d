//! Whether two engines give the same bits for the same launch.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cpu::{Isa, Stopped};
use interp::NoObserver;
use ir::Module;
use ir::exec::{Bindings, Buffer, Failure, Launch, Trap};
use ir::print::PrintLog;

use crate::section::WIDTHS;
use crate::{ordered, run, wild};
use generate::Statistics;
use jobs::shrink;

/// Enough for nearly every program that terminates, and soon spent.
const LITTLE_FUEL: u64 = 1 << 16;
/// Enough for all that terminate.
const MORE_FUEL: u64 = 1 << 22;

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// The fast engine does not support it.
    Fallback(String),
    Different(String),
}

/// Buffers of these sizes in bytes, each bound alone, with contents that are not zero.
pub fn buffers(sizes: &[usize]) -> Bindings {
    let bytes = |size: usize| (0..size).map(|it| (it * 7 + 1) as u8).collect();
    let buffer = |size: &usize| vec![Buffer { bytes: bytes(*size), ..Buffer::default() }];
    Bindings { bindings: sizes.iter().map(buffer).collect() }
}

/// Runs the launch on the reference engine and on the fast one, from the same memory.
pub fn compare(module: &Module, launch: &Launch, before: &Bindings, isa: Isa) -> Outcome {
    compare_on(module, launch, before, isa, 1)
}

/// The same with the fast engine on a number of threads.
pub fn compare_on(
    module: &Module,
    launch: &Launch,
    before: &Bindings,
    isa: Isa,
    threads: usize,
) -> Outcome {
    let with_log = || {
        let log = Arc::new(PrintLog::new(run::MOST_LINES));
        (Launch { prints: Some(log.clone()), ..launch.clone() }, log)
    };
    let mut wanted = before.clone();
    let (logged, printed) = with_log();
    let reference = interp::run(module, &logged, &mut wanted, &mut NoObserver);
    let compiled = match cpu::compile(&Arc::new(module.clone()), isa, launch.wave_width) {
        Ok(compiled) => compiled,
        Err(fallback) => return Outcome::Fallback(fallback.what),
    };
    let mut got = before.clone();
    let (logged, log) = with_log();
    let result = match compiled.run(&logged, &mut got, threads) {
        Ok(()) => Ok(()),
        Err(Stopped::Failure(failure)) => Err(failure),
        Err(Stopped::Fallback(fallback)) => return Outcome::Fallback(fallback.what),
    };
    // Both must say that the run has no end. The rest is not comparable: each engine proves of different loops that
    // they never end, and spends its fuel on the others; each counts fuel in its own way, so that it runs out at a
    // different point, with different values in memory.
    let ended = |result: &Result<(), Failure>| match result {
        Err(Failure::Trap(Trap::OutOfFuel { .. } | Trap::Deadlock { .. })) => "no end".to_owned(),
        other => format!("{other:?}"),
    };
    if ended(&reference) != ended(&result) {
        let what = format!("one ended with {reference:?}, the other with {result:?}");
        return Outcome::Different(what);
    }
    if reference.is_err() {
        return Outcome::Same;
    }
    if let Some(what) = difference(module, &wanted, &got) {
        return Outcome::Different(what);
    }
    let printed = printed.read(&module.messages);
    let got = log.read(&module.messages);
    if printed != got {
        return Outcome::Different(format!("printed {got:?}, not {printed:?}"));
    }
    Outcome::Same
}

/// The first difference between the memory after a run and the expected one.
pub fn difference(module: &Module, wanted: &Bindings, got: &Bindings) -> Option<String> {
    for (binding, (wanted, got)) in wanted.bindings.iter().zip(&got.bindings).enumerate() {
        for (element, (wanted, got)) in wanted.iter().zip(got).enumerate() {
            let name = &module.resources[binding].name;
            let [wanted_count, count] = [wanted, got].map(|it| it.what.counter().unwrap_or(0));
            if wanted_count != count {
                return Some(format!("the counter of `{name}`: {count}, not {wanted_count}"));
            }
            let differs = wanted.bytes.iter().zip(&got.bytes).position(|(a, b)| a != b);
            if let Some(at) = differs {
                let word = |bytes: &[u8]| {
                    let start = at & !3;
                    let mut word = [0; 4];
                    let end = bytes.len().min(start + 4);
                    word[..end - start].copy_from_slice(&bytes[start..end]);
                    u32::from_le_bytes(word)
                };
                return Some(format!(
                    "`{name}[{element}]` at byte {at}: {:#x}, not {:#x}",
                    word(&got.bytes),
                    word(&wanted.bytes)
                ));
            }
        }
    }
    None
}

/// The instruction sets of this host.
pub fn sets() -> Vec<Isa> {
    Isa::ALL.into_iter().filter(|it| it.missing().is_none()).collect()
}

/// A launch in the canonical order.
pub fn launch(groups: [u32; 3], width: u32) -> Launch {
    Launch { fuel: Some(1 << 30), ..Launch::dispatch(groups, width) }
}

/// The programs of the generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Well-defined programs, of wave operations in nested control flow.
    Generated,
    /// Unrestricted programs, with memory and textures.
    Wild,
    /// The same with endless loops, and little fuel.
    Endless,
    /// Programs whose results depend on the order of waves, which several threads must keep.
    Ordered,
}

impl Programs {
    pub const ALL: [Programs; 4] =
        [Programs::Generated, Programs::Wild, Programs::Endless, Programs::Ordered];

    /// The program of a seed as a section of the suite.
    pub fn section(self, seed: u64, width: u32, statistics: &mut Statistics) -> String {
        match self {
            Programs::Generated => {
                let program = generate::program(seed, width, statistics);
                let bytes = program.threads as usize * program.places * 4;
                format!(
                    "//--- generated-{seed}\n\
                     //# args -enable-16bit-types --dialect slang -T cs_6_10\n\
                     //# zero Log {bytes}\n{}",
                    generate::print(&program)
                )
            }
            Programs::Wild => wild::section(seed),
            Programs::Endless => wild::endless(seed),
            Programs::Ordered => ordered::section(seed, width),
        }
    }
}

/// Compares the engines on the program of that seed; widths and instruction sets alternate.
/// `false` if the program is too large for the fast engine, as few are. `Err` is a readable report: a section of
/// the suite, reduced.
pub fn try_seed(
    programs: Programs,
    seed: u64,
    statistics: &mut Statistics,
) -> Result<bool, String> {
    let width = crate::width_of(seed);
    let sets = sets();
    let turn = (seed / WIDTHS.len() as u64) as usize;
    let Some(isa) = sets.get(turn % sets.len().max(1)) else { return Ok(true) };
    let text = programs.section(seed, width, statistics);
    let compare_section = |text: &str, width, isa| {
        match programs {
            Programs::Generated | Programs::Wild => {
                return compare_section(text, width, isa, None);
            }
            Programs::Ordered => {
                return compare_threads(text, width, isa, 2 + (seed % 15) as usize);
            }
            Programs::Endless => {}
        }
        // Each engine counts fuel in its own way: if only one of them runs out, retry with more.
        match compare_section(text, width, isa, Some(LITTLE_FUEL))? {
            Outcome::Different(_) => compare_section(text, width, isa, Some(MORE_FUEL)),
            other => Ok(other),
        }
    };
    // A panic must not take the text of the program with it.
    let outcome = catch_unwind(AssertUnwindSafe(|| compare_section(&text, width, *isa)))
        .unwrap_or_else(|_| Err("an engine panics, as printed above".to_owned()));
    let what = match outcome {
        Ok(Outcome::Same) => return Ok(true),
        Ok(Outcome::Fallback(what)) if what.contains("machine instructions") => return Ok(false),
        Ok(Outcome::Fallback(what)) => format!("left to another engine: {what}"),
        Ok(Outcome::Different(_)) => {
            let differs = |text: &str| {
                matches!(compare_section(text, width, *isa), Ok(Outcome::Different(_)))
            };
            let text = shrink(&text, differs);
            let what = compare_section(&text, width, *isa);
            let (marker, rest) = text.split_once('\n').unwrap_or((&text, ""));
            return Err(format!(
                "{} at {width} lanes: {what:?}\n\n{marker}\n//# widths {width}\n{rest}",
                isa.name()
            ));
        }
        Err(what) => what,
    };
    Err(format!("{} at {width} lanes: {what}\n\n{text}", isa.name()))
}

/// Compares the engines on a program that several threads must run in the canonical order.
fn compare_threads(text: &str, width: u32, isa: Isa, threads: usize) -> Result<Outcome, String> {
    let (module, launch, bindings) = prepared(text, width)?;
    let same = compare(&module, &launch, &bindings, isa);
    if same != Outcome::Same {
        return Ok(same);
    }
    let module = Arc::new(module);
    let compiled = cpu::compile(&module, isa, width).map_err(|it| it.what)?;
    if let Some(what) = compiled.order(threads) {
        return Err(format!("it runs {what}"));
    }
    let run = |threads| {
        let (log, mut memory) = (Arc::new(PrintLog::new(run::MOST_LINES)), bindings.clone());
        let launch = Launch { prints: Some(log.clone()), ..launch.clone() };
        compiled.run(&launch, &mut memory, threads).map_err(|it| format!("{it:?}"))?;
        Ok::<_, String>((memory, log.read(&module.messages)))
    };
    let ((wanted, printed), (got, lines)) = (run(1)?, run(threads)?);
    Ok(match difference(&module, &wanted, &got) {
        Some(what) => Outcome::Different(format!("on {threads} threads: {what}")),
        None if printed != lines => {
            Outcome::Different(format!("{threads} threads printed {lines:?}, not {printed:?}"))
        }
        None => Outcome::Same,
    })
}

/// What a text of one section runs.
fn prepared(text: &str, width: u32) -> Result<(Module, Launch, Bindings), String> {
    let sections = crate::section::read("program.hlsl", text)?;
    let [section] = sections.as_slice() else {
        return Err("it is not a single section".to_owned());
    };
    let module = run::compile(section, width)?.module.ok_or("it does not compile")?;
    let bindings = run::inputs(section, &module)?;
    let launch = run::launch(section, &module, width);
    Ok((module, launch, bindings))
}

/// Compares the engines on a text of one section.
fn compare_section(text: &str, width: u32, isa: Isa, fuel: Option<u64>) -> Result<Outcome, String> {
    let (module, mut launch, bindings) = prepared(text, width)?;
    launch.fuel = fuel.or(launch.fuel);
    Ok(compare(&module, &launch, &bindings, isa))
}
