//! Programs with arbitrary indices, on the fast engine with each instruction set: the bits of the reference engine,
//! and no access outside of the run's memory, which is enclosed by guard pages.
//!
//! `cargo xtask fuzz --engines --hostile` runs as many as you like; it sets `HOSTILE_COUNT` and `HOSTILE_SEED`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::print_stdout, reason = "shows what was run")]

#[path = "../../cpu/tests/fence/mod.rs"]
mod fence;

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use cpu::{Isa, Stopped};
use fence::{Fence, RUNNING};
use ir::exec::{Bindings, Failure, Trap};
use suite::{hostile, run};

/// The default number of programs.
const PROGRAMS: u64 = 240;

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A hash of what a run leaves: nothing allocated inside the fence may outlive it.
fn digest(bindings: &Bindings) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for buffer in bindings.bindings.iter().flatten() {
        let bytes =
            buffer.bytes.iter().copied().chain(buffer.what.counter().unwrap_or(0).to_le_bytes());
        bytes.for_each(|byte| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    }
    hash
}

/// How a run ended, and what it left.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ended {
    Well(u64),
    NoEnd,
    Otherwise,
}

fn ended(result: Result<(), Failure>, bindings: &Bindings) -> Ended {
    match result {
        Ok(()) => Ended::Well(digest(bindings)),
        Err(Failure::Trap(Trap::OutOfFuel { .. } | Trap::Deadlock { .. })) => Ended::NoEnd,
        Err(_) => Ended::Otherwise,
    }
}

/// Runs the program of a seed; returns the number of runs on the fast engine.
fn try_seed(seed: u64, sets: &[Isa]) -> u64 {
    let text = hostile::section(seed);
    let sections = suite::section::read("hostile.hlsl", &text).unwrap();
    let width = suite::width_of(seed);
    let module = run::compile(&sections[0], width).unwrap().module;
    let module = Arc::new(module.unwrap_or_else(|| panic!("seed {seed}\n{text}")));
    let launch = run::launch(&sections[0], &module, width);
    let before = run::inputs(&sections[0], &module).unwrap();
    let mut wanted = before.clone();
    let result = interp::run(&module, &launch, &mut wanted, &mut interp::NoObserver);
    let wanted = ended(result, &wanted);
    assert!(matches!(wanted, Ended::Well(_)), "seed {seed} at {width}: {wanted:?}\n{text}");
    RUNNING.store(seed, SeqCst);
    for isa in sets {
        let compiled = cpu::compile(&module, *isa, width).unwrap();
        let got = Fence::around(|| {
            let mut bindings = before.clone();
            let result = match compiled.run(&launch, &mut bindings, 1) {
                Ok(()) => Ok(()),
                Err(Stopped::Failure(failure)) => Err(failure),
                Err(Stopped::Fallback(_)) => return Ended::Otherwise,
            };
            ended(result, &bindings)
        });
        assert_eq!(got, wanted, "seed {seed} at {width} lanes, {}\n{text}", isa.name());
    }
    sets.len() as u64
}

#[test]
fn hostile_programs_touch_nothing_outside_and_give_the_same_bits() {
    Fence::reserve();
    let mut sets = Vec::new();
    for isa in Isa::ALL {
        match isa.missing() {
            None => sets.push(isa),
            Some(missing) => skipped::skipped!("{}: {missing}", isa.name()),
        }
    }
    let (first, count) = (asked("HOSTILE_SEED"), asked("HOSTILE_COUNT"));
    let (first, count) = (first.unwrap_or(0), count.unwrap_or(PROGRAMS));
    let runs: u64 = (0..count).map(|it| try_seed(first.wrapping_add(it), &sets)).sum();
    println!(
        "{count} hostile programs from seed {first}, {runs} runs behind guard pages: no failure"
    );
}
