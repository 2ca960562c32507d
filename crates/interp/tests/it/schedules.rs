//! Waves and groups: barriers, progress, orders, and how runs end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::build::{Shader, launch, module, run_words, try_run, words};
use ir::exec::{Failure, Launch, Schedule, Trap};
use ir::{Address, Atomic, Memory, Module, Op, Shared, Span, Values, WaveSize, values};
use ops::{Barrier, Compare, MemoryScope, SyncScope, Ty};

const SCHEDULES: [Schedule; 6] = [
    Schedule::Ascending,
    Schedule::Descending,
    Schedule::RoundRobin,
    Schedule::Random(0),
    Schedule::Random(1),
    Schedule::Random(0xdead_beef),
];

fn barrier(s: &mut Shader) {
    let barrier = Barrier { memory: MemoryScope::Group, sync: SyncScope::Group };
    s.b.inst(Op::Barrier { barrier, lanes: None }, &[]);
}

/// Three times, every thread reads the value of its neighbour.
fn rotate() -> Module {
    let mut m = module([16, 1, 1], 1);
    m.groupshared.push(Memory { name: "tile".into(), ty: Ty::I32, len: 16, span: Span::NONE });
    let memory = Shared(0);
    let mut s = Shader::new(m);
    let thread = s.thread;
    let index = s.b.value(Op::Builtin(ir::Builtin::GroupIndex), Ty::I32);
    let (zero, one, three, low) = (s.int(0), s.int(1), s.int(3), s.int(15));
    let value = s.loop_(&[zero, thread], &[Ty::I32], |s, it, params| {
        let more = s.lt(params[0], three);
        s.if_(more, |_| {}, |s| s.exit(it, &[params[1]]));
        s.b.inst(Op::SharedStore { memory, index, value: params[1] }, &[]);
        barrier(s);
        let neighbour = s.add(index, one);
        let neighbour = s.bin(ops::Binary::And, neighbour, low);
        let value = s.b.value(Op::SharedLoad { memory, index: neighbour }, Ty::I32);
        barrier(s);
        values![s.add(params[0], one), value]
    });
    s.store(0, thread, value[0]);
    s.finish()
}

#[test]
fn barriers_in_loops_synchronise_the_waves_in_every_order() {
    let m = rotate();
    let expected: Vec<u32> = (0..5 * 16).map(|it| it / 16 * 16 + (it + 3) % 16).collect();
    for schedule in SCHEDULES {
        for width in [4, 8, 16, 32] {
            let launch = Launch { schedule, ..launch(5, width) };
            assert_eq!(
                run_words(&m, &launch, vec![vec![0; 80]])[0],
                expected,
                "{schedule:?}, {width} lanes"
            );
        }
    }
}

/// A flag in a buffer: thread 0 waits for it until another thread sets it.
fn wait_for(setter: u32, group_size: u32) -> Module {
    let mut s = Shader::new(module([group_size, 1, 1], 1));
    let thread = s.thread;
    let (zero, setter, one) = (s.int(0), s.int(setter), s.int(1));
    let flag = |op, args| Op::Atomic { place: Shader::place(0), at: Address::Byte(zero), op, args };
    let waits = s.eq(thread, zero);
    s.if_(
        waits,
        |s| {
            s.loop_(&[], &[], |s, it, _| {
                let seen = s.b.value(flag(Atomic::Or, values![zero]), Ty::I32);
                let set = s.cmp(Compare::Ne, seen, zero);
                s.if_(set, |s| s.exit(it, &[]), |_| {});
                Values::new()
            });
            s.store(0, one, one);
        },
        |_| {},
    );
    let sets = s.eq(thread, setter);
    s.if_(
        sets,
        |s| {
            s.b.value(flag(Atomic::Exchange, values![one]), Ty::I32);
        },
        |_| {},
    );
    s.finish()
}

#[test]
fn a_wave_that_spins_lets_the_others_of_its_group_run() {
    let m = wait_for(5, 8);
    for schedule in SCHEDULES {
        let launch = Launch { schedule, ..launch(1, 4) };
        assert_eq!(run_words(&m, &launch, vec![vec![0; 2]])[0], [1, 1], "{schedule:?}");
    }
}

#[test]
fn a_group_that_spins_lets_other_groups_run() {
    let m = wait_for(39, 8);
    for schedule in SCHEDULES {
        let launch = Launch { schedule, ..launch(5, 4) };
        assert_eq!(run_words(&m, &launch, vec![vec![0; 2]])[0], [1, 1], "{schedule:?}");
    }
}

#[test]
fn waves_take_turns_holding_a_lock() {
    let mut s = Shader::new(module([32, 1, 1], 1));
    let (zero, one, four) = (s.int(0), s.int(1), s.int(4));
    let lock = |op, args| Op::Atomic { place: Shader::place(0), at: Address::Byte(zero), op, args };
    // Lanes of one wave compete for the lock too: the winner does its work inside the loop.
    s.loop_(&[], &[], |s, it, _| {
        let old = s.b.value(lock(Atomic::CompareExchange, values![zero, one]), Ty::I32);
        let won = s.eq(old, zero);
        s.if_(
            won,
            |s| {
                let at = Address::Byte(four);
                let value = s.b.value(Op::Load { place: Shader::place(0), at }, Ty::I32);
                let value = s.add(value, one);
                s.b.inst(Op::Store { place: Shader::place(0), at, values: values![value] }, &[]);
                s.b.value(lock(Atomic::Exchange, values![zero]), Ty::I32);
                s.exit(it, &[]);
            },
            |_| {},
        );
        Values::new()
    });
    let m = s.finish();
    for schedule in SCHEDULES {
        let launch = Launch { schedule, ..launch(2, 8) };
        assert_eq!(run_words(&m, &launch, vec![vec![0; 2]])[0], [0, 64], "{schedule:?}");
    }
}

#[test]
fn a_wave_that_has_ended_counts_as_arrived() {
    let mut s = Shader::new(module([8, 1, 1], 1));
    let thread = s.thread;
    let four = s.int(4);
    let second = s.cmp(Compare::Ge(ops::Sign::Unsigned), thread, four);
    s.if_(
        second,
        |s| {
            s.b.terminate(Op::Return);
        },
        |_| {},
    );
    barrier(&mut s);
    s.store(0, thread, four);
    assert_eq!(
        run_words(&s.finish(), &launch(1, 4), vec![vec![0; 8]])[0],
        [4, 4, 4, 4, 0, 0, 0, 0]
    );
}

#[test]
fn groups_run_in_ascending_order_with_x_fastest() {
    let mut s = Shader::new(module([4, 1, 1], 1));
    let ids = [0, 1, 2].map(|axis| s.b.value(Op::Builtin(ir::Builtin::GroupId(axis)), Ty::I32));
    let first = s.wave(ops::WaveOp::IsFirstLane, &[], Ty::Bool);
    s.if_(
        first,
        |s| {
            let (zero, one) = (s.int(0), s.int(1));
            let add = Op::Atomic {
                place: Shader::place(0),
                at: Address::Byte(zero),
                op: Atomic::Add,
                args: values![one],
            };
            let slot = s.b.value(add, Ty::I32);
            let slot = s.add(slot, one);
            let mut code = zero;
            for id in ids.into_iter().rev() {
                let ten = s.int(10);
                code = s.mul(code, ten);
                code = s.add(code, id);
            }
            s.store(0, slot, code);
        },
        |_| {},
    );
    let m = s.finish();
    let work = ir::exec::Work::Dispatch { groups: [2, 1, 2] };
    let run = |schedule| {
        run_words(&m, &Launch { work: work.clone(), schedule, ..launch(1, 4) }, vec![vec![0; 5]])
            .remove(0)
    };
    assert_eq!(run(Schedule::Ascending), [4, 0, 1, 100, 101]);
    assert_eq!(run(Schedule::Descending), [4, 101, 100, 1, 0]);
}

fn endless() -> Module {
    let mut s = Shader::new(module([8, 1, 1], 1));
    s.b.span = Span::new(3, 5);
    s.loop_(&[], &[], |_, _, _| Values::new());
    s.finish()
}

#[test]
fn an_endless_loop_is_detected_unless_its_fuel_is_spent_first() {
    for schedule in SCHEDULES {
        let span = Span::new(3, 5);
        for (fuel, trap) in [
            (Some(1000), Trap::OutOfFuel { span }),
            (Some(1 << 24), Trap::Deadlock { span }),
            (None, Trap::Deadlock { span }),
        ] {
            let launch = Launch { schedule, fuel, ..launch(3, 4) };
            let (result, _) = try_run(&endless(), &launch, vec![]);
            assert_eq!(result, Err(Failure::Trap(trap)), "{schedule:?}");
        }
    }
}

#[test]
fn a_run_can_be_cancelled() {
    let flag = Arc::new(AtomicBool::new(true));
    let launch = Launch { cancel: Some(flag), fuel: None, ..launch(1, 4) };
    let (result, _) = try_run(&endless(), &launch, vec![]);
    assert!(matches!(result, Err(Failure::Trap(Trap::Cancelled { .. }))));
}

#[test]
fn widths_that_the_shader_does_not_allow_are_unsupported() {
    let mut m = rotate();
    m.wave_size = WaveSize { min: 8, max: 16, preferred: 0 };
    for (width, fits) in
        [(4, false), (8, true), (16, true), (32, false), (12, false), (256, false), (0, false)]
    {
        let (result, _) = try_run(&m, &launch(1, width), vec![words(&[0; 16])]);
        assert_eq!(!matches!(result, Err(Failure::Unsupported(_))), fits, "{width}");
    }
}

#[test]
fn progress_counts_finished_waves_and_groups() {
    let progress = Arc::new(AtomicU64::new(0));
    let launch = Launch { progress: Some(progress.clone()), ..launch(5, 4) };
    run_words(&rotate(), &launch, vec![vec![0; 80]]);
    assert_eq!(progress.load(Ordering::Relaxed), 5 * (4 + 1));
}

#[test]
fn too_much_memory_is_refused_or_a_trap() {
    let huge = || Memory { name: "huge".into(), ty: Ty::I64, len: u32::MAX, span: Span::NONE };
    let mut m = rotate();
    m.groupshared.push(huge());
    let (result, _) = try_run(&m, &launch(1, 4), vec![]);
    assert!(matches!(result, Err(Failure::Trap(Trap::OutOfMemory { .. }))), "{result:?}");
    // Local arrays have a declaration to point to.
    let mut m = rotate();
    m.privates.push(huge());
    let (result, _) = try_run(&m, &launch(1, 4), vec![]);
    assert!(matches!(&result, Err(Failure::TooLarge(it)) if it.name == "huge"), "{result:?}");
}
