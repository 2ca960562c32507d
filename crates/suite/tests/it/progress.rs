//! The fast engine lets every started wave make progress, on one thread and on several, and reports where none can.

use std::sync::Arc;

use cpu::Stopped;
use diag::Span;
use ir::Module;
use ir::exec::{Bindings, Buffer, Failure, Trap};
use suite::engines::{launch, sets};
use suite::run;

const THREADS: [usize; 4] = [1, 2, 3, 7];

struct Program {
    module: Arc<Module>,
    text: &'static str,
}

fn program(text: &'static str) -> Program {
    let compiled = run::compile_text("test.hlsl", text, &run::options(&[]).unwrap());
    let all = diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain);
    Program { module: Arc::new(compiled.module.unwrap_or_else(|| panic!("{all}\n{text}"))), text }
}

impl Program {
    /// Calls `check` with the words of the first buffer after a run in every configuration.
    fn ends(&self, groups: u32, words: usize, check: impl Fn(&[u32], u32)) {
        for isa in sets() {
            for width in [4, 16, 32, 128] {
                let compiled = cpu::compile(&self.module, isa, width).unwrap();
                for threads in THREADS {
                    let mut bindings = zeros(&self.module, words);
                    compiled.run(&launch([groups, 1, 1], width), &mut bindings, threads).unwrap();
                    let bytes = &bindings.bindings[0][0].bytes;
                    let words: Vec<u32> =
                        bytes.as_chunks::<4>().0.iter().map(|it| u32::from_le_bytes(*it)).collect();
                    check(&words, width);
                }
            }
        }
    }

    /// How a run that cannot succeed ends, by number of threads, with the text at the reported location.
    fn fails(&self, groups: u32, words: usize, fuel: u64) -> Vec<(Trap, &'static str)> {
        let mut all = Vec::new();
        for isa in sets() {
            let compiled = cpu::compile(&self.module, isa, 16).unwrap();
            for threads in THREADS {
                let mut bindings = zeros(&self.module, words);
                let mut launch = launch([groups, 1, 1], 16);
                launch.fuel = Some(fuel);
                let result = compiled.run(&launch, &mut bindings, threads);
                let Err(Stopped::Failure(Failure::Trap(trap))) = result else {
                    panic!("{isa:?}, {threads} threads: {result:?}")
                };
                let span = match trap {
                    Trap::OutOfFuel { span } | Trap::Deadlock { span } => span,
                    ref other => panic!("{isa:?}, {threads} threads: {other:?}"),
                };
                all.push((trap, self.at(span)));
            }
        }
        all
    }

    fn at(&self, span: Span) -> &'static str {
        &self.text[span.lo as usize..span.hi as usize]
    }
}

fn zeros(module: &Module, words: usize) -> Bindings {
    let buffer = || vec![Buffer { bytes: vec![0; 4 * words].into(), ..Buffer::default() }];
    Bindings { bindings: module.resources.iter().map(|_| buffer()).collect() }
}

/// A wave that finds the lock taken loops until its owner gets its next turn.
#[test]
fn locks_between_waves_and_groups_end() {
    let program = program(
        "globallycoherent RWStructuredBuffer<uint> Out;
        [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {
            if (!WaveIsFirstLane()) return;
            for (uint turn = 0; turn < 20; ++turn) {
                uint old = 1;
                while (true) {
                    InterlockedCompareExchange(Out[0], 0, 1, old);
                    if (old == 0) break;
                }
                uint seen = Out[1];
                for (uint i = 0; i < 50; ++i) Out[2 + i] = seen;
                Out[1] = seen + 1;
                InterlockedExchange(Out[0], 0, old);
            }
        }",
    );
    program.ends(6, 64, |words, width| {
        assert_eq!(words[..2], [0, 6 * 20 * 64u32.div_ceil(width)], "{width}");
    });
}

/// Decoupled look-back: a group sums the results of earlier groups, and waits for those that are not ready.
#[test]
fn groups_that_look_back_end() {
    let program = program(
        "globallycoherent RWStructuredBuffer<uint> Out;
        groupshared uint before;
        [numthreads(32, 1, 1)] void main(uint t : SV_GroupIndex) {
            uint group;
            if (t == 0) InterlockedAdd(Out[0], 1, before);
            GroupMemoryBarrierWithGroupSync();
            group = before;
            GroupMemoryBarrierWithGroupSync();
            if (t == 0) {
                uint sum = group + 1, old;
                if (group != 0) InterlockedExchange(Out[1 + group], sum << 2 | 1, old);
                for (uint at = group; at-- > 0;) {
                    uint word = 0;
                    do { InterlockedAdd(Out[1 + at], 0, word); } while ((word & 3) == 0);
                    sum += word >> 2;
                    if ((word & 3) == 2) break;
                }
                InterlockedExchange(Out[1 + group], sum << 2 | 2, old);
            }
        }",
    );
    program.ends(300, 301, |words, _| {
        for (group, word) in words[1..].iter().enumerate() {
            let sum = (group as u32 + 1) * (group as u32 + 2) / 2;
            assert_eq!(*word, sum << 2 | 2, "{group}");
        }
    });
}

/// Without a barrier each wave of a group must still get a turn.
#[test]
fn waves_that_wait_for_later_ones_of_their_group_end() {
    let program = program(
        "RWStructuredBuffer<uint> Out;
        groupshared uint arrived;
        [numthreads(256, 1, 1)] void main(uint t : SV_GroupIndex, uint3 g : SV_GroupID) {
            uint waves = 256 / WaveGetLaneCount();
            if (WaveIsFirstLane()) {
                uint seen = 0;
                do { InterlockedAdd(arrived, 0, seen); }
                while (seen + 1 + t / WaveGetLaneCount() < waves);
                InterlockedAdd(arrived, 1, seen);
                InterlockedAdd(Out[g.x], 1);
            }
        }",
    );
    program.ends(5, 5, |words, width| assert_eq!(words, [256 / width; 5], "{width}"));
}

/// Groups wait for each other in a ring: each needs what another has.
#[test]
fn a_deadlock_is_proved_and_located() {
    let program = program(
        "globallycoherent RWStructuredBuffer<uint> Out;
        [numthreads(16, 1, 1)] void main(uint t : SV_GroupIndex, uint3 g : SV_GroupID) {
            for (uint i = 0; i < t; ++i) Out[8 + i] = i;
            uint seen = 0;
            while (seen == 0) InterlockedAdd(Out[g.x ^ 1], 0, seen);
            Out[g.x] = 1;
        }",
    );
    for (trap, text) in program.fails(4, 64, 1 << 40) {
        assert!(matches!(trap, Trap::Deadlock { .. }), "{trap:?}");
        assert!(text.starts_with("while (seen == 0)"), "{text}");
    }
}

/// Memory returns to its old state after some iterations, and so does everything else.
#[test]
fn a_loop_that_changes_memory_in_cycles_is_a_deadlock_too() {
    let program = program(
        "RWStructuredBuffer<uint> Out;
        [numthreads(16, 1, 1)] void main(uint t : SV_GroupIndex) {
            while (Out[t] < 8) Out[t] = (Out[t] + 1) & 7;
        }",
    );
    for (trap, text) in program.fails(1, 64, 1 << 40) {
        assert!(matches!(trap, Trap::Deadlock { .. }), "{trap:?}");
        assert!(text.starts_with("while (Out[t] < 8)"), "{text}");
    }
}

/// A loop that counts cannot be proved endless, but its fuel runs out.
#[test]
fn fuel_ends_counting_loops_and_names_the_loop() {
    let program = program(
        "RWStructuredBuffer<uint> Out;
        [numthreads(16, 1, 1)] void main(uint t : SV_GroupIndex) {
            for (uint i = 0; i < t; ++i) Out[8 + i] = i;
            while (Out[t] != 0xffffffff) { if ((Out[t] += 2) == 1) break; }
        }",
    );
    for (trap, text) in program.fails(4, 64, 1 << 22) {
        assert!(matches!(trap, Trap::OutOfFuel { .. }), "{trap:?}");
        assert!(text.starts_with("while (Out[t] != 0xffffffff)"), "{text}");
    }
}
