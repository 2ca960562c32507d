//! The worked tables of `docs/semantics.md`, B.3: which lanes are active where, with four lanes.

use crate::build::{Shader, module, run_wave};
use ir::{Module, Op, Value, Values, values};
use ops::{Compare, Sign, Ty, WaveOp};

fn shader() -> Shader {
    Shader::new(module([4, 1, 1], 1))
}

/// Runs a shader of one wave and compares the recorded active sets.
fn expect(shader: Shader, sets: &[u32]) {
    let module: Module = shader.finish();
    assert_eq!(run_wave(&module, sets.len()), sets);
}

/// Slot `base + i`.
fn slot(s: &mut Shader, base: u32, i: Value) {
    let base = s.int(base);
    let at = s.add(base, i);
    s.record(at);
}

#[test]
fn t1_an_if_splits_the_lanes_and_reconverges() {
    let mut s = shader();
    s.mark(0);
    let odd = s.bit(s.thread, 1);
    s.if_(odd, |s| s.mark(1), |s| s.mark(2));
    s.mark(3);
    expect(s, &[0xf, 0xa, 0x5, 0xf]);
}

#[test]
fn t2_lanes_that_return_stay_inactive() {
    let mut s = shader();
    s.mark(0);
    let odd = s.bit(s.thread, 1);
    s.if_(
        odd,
        |s| {
            s.mark(1);
            s.b.terminate(Op::Return);
        },
        |s| s.mark(2),
    );
    s.mark(3);
    expect(s, &[0xf, 0xa, 0x5, 0x5]);
}

#[test]
fn t3_a_nested_return_ends_only_its_own_lanes() {
    let mut s = shader();
    s.mark(0);
    let (odd, high) = (s.bit(s.thread, 1), s.bit(s.thread, 2));
    s.if_(
        odd,
        |s| {
            s.mark(1);
            s.if_(
                high,
                |s| {
                    s.mark(2);
                    s.b.terminate(Op::Return);
                },
                |_| {},
            );
            s.mark(3);
        },
        |s| s.mark(4),
    );
    s.mark(5);
    expect(s, &[0xf, 0xa, 0x8, 0x2, 0x5, 0x7]);
}

#[test]
fn t4_a_loop_runs_with_the_remaining_lanes() {
    let mut s = shader();
    let thread = s.thread;
    s.for_(thread, |s, i, _, _| slot(s, 0, i), |_, _| {});
    s.mark(3);
    expect(s, &[0xe, 0xc, 0x8, 0xf]);
}

#[test]
fn t5_code_before_a_break_runs_once_for_each_iteration() {
    let mut s = shader();
    let (thread, zero) = (s.thread, s.int(0));
    s.loop_(&[zero], &[], |s, it, params| {
        let i = params[0];
        slot(s, 0, i);
        let done = s.cmp(Compare::Ge(Sign::Unsigned), i, thread);
        s.if_(
            done,
            |s| {
                slot(s, 4, i);
                s.exit(it, &[]);
            },
            |_| {},
        );
        slot(s, 8, i);
        let one = s.int(1);
        values![s.add(i, one)]
    });
    s.mark(11);
    // L2 does not run in the last iteration: its slot holds what was written after the loop.
    expect(s, &[0xf, 0xe, 0xc, 0x8, 1, 2, 4, 8, 0xe, 0xc, 0x8, 0xf]);
}

#[test]
fn t6_lanes_that_continue_reconverge_before_the_increment() {
    let mut s = shader();
    let thread = s.thread;
    let odd = s.bit(s.thread, 1);
    s.for_(
        thread,
        |s, i, next, _| {
            slot(s, 0, i);
            s.if_(
                odd,
                |s| {
                    slot(s, 3, i);
                    s.exit(next, &[]);
                },
                |_| {},
            );
            slot(s, 6, i);
        },
        |s, i| slot(s, 9, i),
    );
    s.mark(12);
    expect(s, &[0xe, 0xc, 0x8, 0xa, 0x8, 0x8, 0x4, 0x4, 0, 0xe, 0xc, 0x8, 0xf]);
}

#[test]
fn t7_two_continues_reconverge_despite_breaks_beside_them() {
    let mut s = shader();
    let thread = s.thread;
    let (odd, high) = (s.bit(thread, 1), s.bit(thread, 2));
    let never = s.b.constant(Ty::Bool, 0);
    s.for_(
        thread,
        |s, i, next, around| {
            slot(s, 0, i);
            s.block(&[], |s, inner| {
                s.if_(
                    odd,
                    |s| {
                        s.if_(
                            high,
                            |s| {
                                s.if_(never, |s| s.exit(around, &[]), |_| {});
                                slot(s, 3, i);
                                s.exit(next, &[]);
                            },
                            |s| {
                                s.if_(never, |s| s.exit(around, &[]), |_| {});
                                slot(s, 6, i);
                                s.exit(inner, &[]);
                            },
                        );
                    },
                    |_| {},
                );
                Values::new()
            });
            slot(s, 9, i);
        },
        |_, _| {},
    );
    s.mark(12);
    expect(s, &[0xe, 0xc, 0x8, 0x8, 0x8, 0x8, 0x2, 0, 0, 0x6, 0x4, 0, 0xf]);
}

fn case<'a>(slot: u32, breaks: bool) -> crate::build::Body<'a> {
    Box::new(move |s, it| {
        s.mark(slot);
        if breaks {
            s.exit(it, &[]);
        }
    })
}

#[test]
fn t8_a_switch_runs_its_cases_in_order_and_reconverges_after_them() {
    let mut s = shader();
    let cases = vec![
        (vec![0], false, case(0, true)),
        (vec![1], false, case(1, true)),
        (vec![2], false, case(2, true)),
        (vec![], true, case(3, true)),
    ];
    s.switch(s.thread, cases);
    s.mark(4);
    expect(s, &[1, 2, 4, 8, 0xf]);
}

#[test]
fn t8_lanes_that_select_no_case_wait_after_the_switch() {
    let mut s = shader();
    let cases = vec![
        (vec![0], false, case(0, true)),
        (vec![1], false, case(1, true)),
        (vec![2], false, case(2, true)),
    ];
    s.switch(s.thread, cases);
    s.mark(4);
    expect(s, &[1, 2, 4, 0, 0xf]);
}

#[test]
fn t9_labels_before_one_statement_are_one_group() {
    let mut s = shader();
    s.switch(s.thread, vec![(vec![0, 1], false, case(0, true)), (vec![2], true, case(2, true))]);
    s.mark(4);
    expect(s, &[3, 0, 0xc, 0, 0xf]);
}

#[test]
fn t10_lanes_that_fall_through_join_the_next_group() {
    let mut s = shader();
    let cases = vec![
        (vec![0], false, case(0, false)),
        (vec![1], false, case(1, false)),
        (vec![], true, case(2, false)),
    ];
    s.switch(s.thread, cases);
    s.mark(3);
    expect(s, &[1, 3, 0xf, 0xf]);
}

#[test]
fn t12_lanes_reconverge_after_a_call() {
    let mut s = shader();
    let odd = s.bit(s.thread, 1);
    let result = s.block(&[Ty::I32], |s, call| {
        s.if_(
            odd,
            |s| {
                let one = s.int(1);
                s.exit(call, &[one]);
            },
            |_| {},
        );
        let everyone = s.b.constant(Ty::Bool, 1);
        values![s.wave(WaveOp::CountBits, &[everyone], Ty::I32)]
    });
    s.store(0, s.thread, result[0]);
    s.mark(4);
    expect(s, &[2, 1, 2, 1, 0xf]);
}

#[test]
fn t13_a_waterfall_visits_each_key_once() {
    let mut s = shader();
    let odd = s.bit(s.thread, 1);
    let (five, seven) = (s.int(5), s.int(7));
    let key = s.b.value(Op::Ternary(ops::Ternary::Select, [odd, seven, five]), Ty::I32);
    let zero = s.int(0);
    let result = s.loop_(&[zero], &[Ty::I32], |s, it, params| {
        let first = s.wave(WaveOp::ReadLaneFirst, &[key], Ty::I32);
        let mine = s.eq(first, key);
        s.if_(
            mine,
            |s| {
                let at = s.int(4);
                let at = s.add(at, params[0]);
                s.record(at);
                let everyone = s.b.constant(Ty::Bool, 1);
                let count = s.wave(WaveOp::CountBits, &[everyone], Ty::I32);
                let ten = s.int(10);
                let tens = s.mul(params[0], ten);
                let count = s.add(count, tens);
                s.exit(it, &[count]);
            },
            |_| {},
        );
        let one = s.int(1);
        values![s.add(params[0], one)]
    });
    s.store(0, s.thread, result[0]);
    expect(s, &[2, 12, 2, 12, 0x5, 0xa]);
}
