//! How values move: loops, switches, all widths of scalars, named lanes, partial waves.

use crate::build::{Shader, launch, module, run_wave, run_words, try_run};
use ir::exec::{Failure, LaneOrder};
use ir::{Builder, Builtin, Op, values};
use ops::{Binary, Fold, Sign, Ty, Unary, WaveOp};

#[test]
fn a_loop_may_swap_and_rotate_its_parameters() {
    let mut s = Shader::new(module([4, 1, 1], 1));
    let thread = s.thread;
    let inits = [0, 10, 20, 30, 40, 50].map(|it| s.int(it));
    let results = s.loop_(&inits, &[Ty::I32; 5], |s, it, params| {
        let [i, a, b, c, d, e] = params[..] else { unreachable!("as many parameters as inits") };
        let more = s.lt(i, thread);
        s.if_(more, |_| {}, |s| s.exit(it, &[a, b, c, d, e]));
        let one = s.int(1);
        // Two parameters swap, three rotate.
        values![s.add(i, one), b, a, d, e, c]
    });
    for (i, value) in results.into_iter().enumerate() {
        let base = s.int(4 * i as u32);
        let at = s.add(base, thread);
        s.store(0, at, value);
    }
    let expected: Vec<u32> =
        [[10, 20, 10, 20], [20, 10, 20, 10], [30, 40, 50, 30], [40, 50, 30, 40], [50, 30, 40, 50]]
            .concat();
    assert_eq!(run_wave(&s.finish(), 20), expected);
}

#[test]
fn a_parameter_read_after_its_next_value_is_computed_keeps_its_value() {
    let mut s = Shader::new(module([4, 1, 1], 1));
    let thread = s.thread;
    let (zero, hundred) = (s.int(0), s.int(100));
    let results = s.loop_(&[zero, hundred], &[Ty::I32], |s, it, params| {
        let [i, last] = params[..] else { unreachable!("as many parameters as inits") };
        let one = s.int(1);
        let next = s.add(i, one);
        let more = s.lt(i, thread);
        s.if_(more, |_| {}, |s| s.exit(it, &[last]));
        values![next, i]
    });
    s.store(0, thread, results[0]);
    assert_eq!(run_wave(&s.finish(), 4), [100, 0, 1, 2]);
}

#[test]
fn arms_yield_values_for_their_own_lanes() {
    let mut s = Shader::new(module([4, 1, 1], 1));
    let thread = s.thread;
    let odd = s.bit(thread, 1);
    let results = s.b_if(
        odd,
        &[Ty::I32, Ty::Bool],
        |s| {
            let seven = s.int(7);
            values![s.mul(thread, seven), odd]
        },
        |s| {
            let hundred = s.int(100);
            let sum = s.add(thread, hundred);
            values![sum, s.lt(hundred, sum)]
        },
    );
    let bit = s.b.value(
        Op::Unary(
            Unary::Convert { to: Ty::I32, from_sign: Sign::Unsigned, to_sign: Sign::Unsigned },
            results[1],
        ),
        Ty::I32,
    );
    let thousand = s.int(1000);
    let bit = s.mul(bit, thousand);
    let sum = s.add(results[0], bit);
    s.store(0, thread, sum);
    assert_eq!(run_wave(&s.finish(), 4), [100, 1007, 1102, 1021]);
}

#[test]
fn values_fall_through_a_switch() {
    let mut s = Shader::new(module([8, 1, 1], 1));
    let thread = s.thread;
    let inst = s.b.reserve();
    let init = s.int(1000);
    let cases = [(vec![0], false), (vec![1], false), (vec![3], true)];
    let bodies: Vec<_> = (cases.into_iter().enumerate())
        .map(|(i, (labels, default))| {
            let region = s.region(&[Ty::I32], |s, params| {
                let step = s.int(10_u32.pow(i as u32));
                values![s.add(params[0], step)]
            });
            Builder::case(labels, default && i == 9, region.0)
        })
        .collect();
    s.b.fill(
        inst,
        Op::Switch { selector: thread, cases: bodies, inits: values![init] },
        &[Ty::I32],
    );
    let result = s.b.results(inst)[0];
    s.store(0, thread, result);
    let got = run_words(&s.finish(), &launch(1, 8), vec![vec![0; 8]]);
    assert_eq!(got[0], [1111, 1110, 1000, 1100, 1000, 1000, 1000, 1000]);
}

#[test]
fn long_and_short_integers_keep_their_width() {
    let mut s = Shader::new(module([4, 1, 1], 2));
    let thread = s.thread;
    let convert = |to| Unary::Convert { to, from_sign: Sign::Unsigned, to_sign: Sign::Unsigned };
    let long = s.b.value(Op::Unary(convert(Ty::I64), thread), Ty::I64);
    let big = s.b.constant(Ty::I64, 0xffff_ffff);
    let long = s.add(long, big);
    let sum = s.wave(WaveOp::Reduce(Fold::Sum), &[long], Ty::I64);
    let odd = s.bit(thread, 1);
    let long = s.b.value(Op::Ternary(ops::Ternary::Select, [odd, sum, long]), Ty::I64);
    s.store(0, thread, long);
    let short = s.b.value(Op::Unary(convert(Ty::I16), thread), Ty::I16);
    let most = s.b.constant(Ty::I16, 0xfffe);
    let short = s.add(short, most);
    s.store(1, thread, short);
    let got = run_words(&s.finish(), &launch(1, 4), vec![vec![0; 8], vec![0; 2]]);
    assert_eq!(got[0], [0xffff_ffff, 0, 2, 4, 1, 1, 2, 4]);
    assert_eq!(got[1], [0xffff_fffe, 0x0001_0000]);
}

#[test]
fn doubles_add_in_lanes() {
    let mut s = Shader::new(module([4, 1, 1], 1));
    let thread = s.thread;
    let value = s.b.constant(Ty::F64, 1.5_f64.to_bits());
    let sum = s.wave(WaveOp::Scan(Fold::Sum), &[value], Ty::F64);
    s.store(0, thread, sum);
    let got = run_words(&s.finish(), &launch(1, 4), vec![vec![0; 8]]);
    let doubles: Vec<f64> = got[0]
        .chunks(2)
        .map(|it| f64::from_bits(u64::from(it[0]) | u64::from(it[1]) << 32))
        .collect();
    assert_eq!(doubles, [0.0, 1.5, 3.0, 4.5]);
}

#[test]
fn the_last_wave_has_the_remaining_lanes() {
    for width in [4, 8, 16, 32, 64, 128] {
        let mut s = Shader::new(module([width + 2, 1, 1], 1));
        let thread = s.thread;
        let everyone = s.b.constant(Ty::Bool, 1);
        let count = s.wave(WaveOp::CountBits, &[everyone], Ty::I32);
        let lanes = s.wave(WaveOp::LaneCount, &[], Ty::I32);
        let thousand = s.int(1000);
        let lanes = s.mul(lanes, thousand);
        let sum = s.add(count, lanes);
        s.store(0, thread, sum);
        let size = width as usize;
        let got = run_words(&s.finish(), &launch(1, width), vec![vec![0; size + 2]]);
        let mut expected = vec![1001 * width; size];
        expected.extend([1000 * width + 2; 2]);
        assert_eq!(got[0], expected);
    }
}

#[test]
fn lanes_that_name_the_same_set_work_together() {
    let mut m = module([4, 1, 1], 1);
    m.needs.wave_masks = true;
    let mut s = Shader::new(m);
    let thread = s.thread;
    let odd = s.bit(thread, 1);
    let (a, b) = (s.int(0xa), s.int(0xf5));
    let lanes = s.b.value(Op::Ternary(ops::Ternary::Select, [odd, a, b]), Ty::I32);
    let op = WaveOp::Reduce(Fold::Sum);
    let sum = s.b.value(Op::Wave { op, args: values![thread], lanes: Some(lanes) }, Ty::I32);
    s.store(0, thread, sum);
    let m = s.finish();
    assert_eq!(run_wave(&m, 4), [2, 4, 2, 4]);
    let (result, _) = try_run(&m, &launch(1, 64), vec![]);
    assert!(matches!(result, Err(Failure::Unsupported(_))));
}

#[test]
fn quads_are_four_consecutive_lanes() {
    let mut s = Shader::new(module([4, 2, 1], 1));
    let index = s.b.value(Op::Builtin(Builtin::GroupIndex), Ty::I32);
    let lane = s.wave(WaveOp::LaneIndex, &[], Ty::I32);
    s.store(0, lane, index);
    let m = s.finish();
    let dealt = |lane_order| {
        let launch = ir::exec::Launch { lane_order, ..launch(1, 8) };
        run_words(&m, &launch, vec![vec![0; 8]]).remove(0)
    };
    assert_eq!(dealt(LaneOrder::Linear), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(dealt(LaneOrder::Quad2d), [0, 1, 4, 5, 2, 3, 6, 7]);
}

#[test]
fn comparisons_agree_with_arithmetic_on_every_lane() {
    // 128 lanes and odd values: a chunk written to the wrong place would show.
    let mut s = Shader::new(module([128, 1, 1], 1));
    let thread = s.thread;
    let (three, seven) = (s.int(3), s.int(7));
    let rest = s.bin(Binary::Rem(Sign::Unsigned), thread, three);
    let zero = s.int(0);
    let divides = s.eq(rest, zero);
    let value = s.b.value(Op::Ternary(ops::Ternary::Select, [divides, thread, seven]), Ty::I32);
    s.store(0, thread, value);
    let m = s.finish();
    let expected: Vec<u32> = (0..128).map(|it| if it % 3 == 0 { it } else { 7 }).collect();
    for width in [4, 8, 16, 32, 64, 128] {
        assert_eq!(run_words(&m, &launch(1, width), vec![vec![0; 128]])[0], expected);
    }
}
