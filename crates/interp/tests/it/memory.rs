//! Buffers and arrays: bounds, formats, atomics, counters.

use crate::build::{Shader, launch, module, run_words, to_words, try_run, words};
use ir::exec::{Buffer, ElementFormat, FormatScalar, What};
use ir::{
    Address, Atomic, Element, HostScalar, Memory, Module, Norm, Op, Place, ResourceKind, Span,
    values,
};
use ops::{Fold, Sign, Ty, WaveOp};

fn structured(stride: u32) -> ResourceKind {
    ResourceKind::Structured { writable: true, stride, members: Vec::new(), counter: true }
}

fn with(kinds: &[ResourceKind], threads: u32) -> Module {
    let mut m = module([threads, 1, 1], kinds.len());
    for (resource, kind) in m.resources.iter_mut().zip(kinds) {
        resource.kind = kind.clone();
    }
    m
}

#[test]
fn loads_beyond_the_end_give_zero_and_stores_there_do_nothing() {
    // At width 4 the waves are inside, across the end, and outside.
    let mut s = Shader::new(module([12, 1, 1], 2));
    let thread = s.thread;
    let value = s.load(0, thread, Ty::I32);
    let one = s.int(1);
    let value = s.add(value, one);
    s.store(1, thread, value);
    s.store(0, thread, value);
    let got =
        run_words(&s.finish(), &launch(1, 4), vec![vec![10, 20, 30, 40, 50, 60], vec![0; 12]]);
    assert_eq!(got[0], [11, 21, 31, 41, 51, 61]);
    assert_eq!(got[1], [11, 21, 31, 41, 51, 61, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn byte_addresses_do_not_wrap() {
    let mut s = Shader::new(module([4, 1, 1], 2));
    let thread = s.thread;
    let last = s.int(0xffff_fffc);
    let four = s.int(4);
    let at = s.mul(thread, four);
    let at = s.add(at, last);
    let load =
        s.b.inst(Op::Load { place: Shader::place(0), at: Address::Byte(at) }, &[Ty::I32, Ty::I32]);
    let values = s.b.results(load).to_vec();
    for (i, value) in values.into_iter().enumerate() {
        let base = s.int(4 * i as u32);
        let slot = s.add(base, thread);
        s.store(1, slot, value);
    }
    let got = run_words(&s.finish(), &launch(1, 4), vec![vec![1, 2, 3], vec![9; 8]]);
    assert_eq!(got[1], [0, 1, 2, 3, 0, 2, 3, 0]);
}

#[test]
fn an_access_must_stay_in_its_element() {
    let mut s = Shader::new(with(&[structured(8), ResourceKind::Raw { writable: true }], 4));
    let thread = s.thread;
    let four = s.int(4);
    let place = Shader::place(0);
    let load = s.b.inst(
        Op::Load { place, at: Address::Structured { index: thread, offset: four } },
        &[Ty::I32, Ty::I32],
    );
    let values = s.b.results(load).to_vec();
    for (i, value) in values.into_iter().enumerate() {
        let base = s.int(4 * i as u32);
        let slot = s.add(base, thread);
        s.store(1, slot, value);
    }
    // Three whole elements and half of one, which does not count.
    let got = run_words(&s.finish(), &launch(1, 4), vec![vec![1, 2, 3, 4, 5, 6, 7], vec![9; 8]]);
    assert_eq!(got[1], [2, 4, 6, 0, 0, 0, 0, 0]);
}

#[test]
fn a_missing_binding_is_an_empty_buffer() {
    let mut s = Shader::new(module([4, 1, 1], 2));
    let thread = s.thread;
    let value = s.load(1, thread, Ty::I32);
    s.store(0, thread, value);
    let (result, buffers) = try_run(&s.finish(), &launch(1, 4), vec![words(&[7; 4])]);
    assert_eq!(result, Ok(()));
    assert_eq!(to_words(&buffers[0]), [0; 4]);
}

#[test]
fn atomics_run_in_lane_order_and_return_the_old_value() {
    let mut s = Shader::new(module([8, 1, 1], 2));
    let thread = s.thread;
    let (zero, one) = (s.int(0), s.int(1));
    let add = Op::Atomic {
        place: Shader::place(0),
        at: Address::Byte(zero),
        op: Atomic::Add,
        args: values![one],
    };
    let old = s.b.value(add, Ty::I32);
    s.store(1, thread, old);
    let four = s.int(4);
    let far = s.int(400);
    let max = |at| Op::Atomic {
        place: Shader::place(0),
        at,
        op: Atomic::Max(Sign::Signed),
        args: values![thread],
    };
    s.b.value(max(Address::Byte(four)), Ty::I32);
    let nothing = s.b.value(max(Address::Byte(far)), Ty::I32);
    let eight = s.int(8);
    let slot = s.add(thread, eight);
    s.store(1, slot, nothing);
    let got = run_words(&s.finish(), &launch(1, 4), vec![vec![100, -3_i32 as u32], vec![9; 16]]);
    assert_eq!(got[0], [108, 7]);
    assert_eq!(got[1], [100, 101, 102, 103, 104, 105, 106, 107, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn counters_return_the_slot_when_incremented_and_decremented() {
    let mut s = Shader::new(with(&[structured(4), ResourceKind::Raw { writable: true }], 4));
    let thread = s.thread;
    let up = s.b.value(Op::Counter { place: Shader::place(0), delta: 1 }, Ty::I32);
    let down = s.b.value(Op::Counter { place: Shader::place(0), delta: -1 }, Ty::I32);
    let ten = s.int(10);
    let up = s.mul(up, ten);
    let sum = s.add(up, down);
    s.store(1, thread, sum);
    let size = s.b.inst(Op::Size { place: Shader::place(0) }, &[Ty::I32, Ty::I32]);
    let sizes = s.b.results(size).to_vec();
    for (slot, value) in (4..).zip(sizes) {
        let slot = s.int(slot);
        s.store(1, slot, value);
    }
    let got = run_words(&s.finish(), &launch(1, 4), vec![vec![0; 5], vec![9; 6]]);
    assert_eq!(got[1], [3, 12, 21, 30, 5, 4]);
}

#[test]
fn typed_buffers_convert_and_fill_in_missing_components() {
    let element = Element { scalar: HostScalar::F32, components: 4, norm: Norm::None };
    let kinds =
        [ResourceKind::Typed { writable: true, element }, ResourceKind::Raw { writable: true }];
    let mut s = Shader::new(with(&kinds, 4));
    let thread = s.thread;
    let load =
        s.b.inst(Op::Load { place: Shader::place(0), at: Address::Texel(thread) }, &[Ty::F32; 4]);
    let values = s.b.results(load).to_vec();
    for (c, value) in values.iter().enumerate() {
        let (four, c) = (s.int(4), s.int(c as u32));
        let slot = s.mul(thread, four);
        let slot = s.add(slot, c);
        s.store(1, slot, *value);
    }
    let half = s.float(0.5);
    let stored = values![half, values[0], half, half];
    s.b.inst(
        Op::Store { place: Shader::place(0), at: Address::Texel(thread), values: stored },
        &[],
    );
    let format = ElementFormat { scalar: FormatScalar::Unorm8, components: 2 };
    let typed = Buffer {
        bytes: vec![255, 0, 51, 255, 0, 0].into(),
        what: What::Memory { format: Some(format), counter: 0 },
    };
    let (result, buffers) = try_run(&s.finish(), &launch(1, 4), vec![typed, words(&[7; 16])]);
    assert_eq!(result, Ok(()));
    let floats: Vec<f32> = to_words(&buffers[1]).into_iter().map(f32::from_bits).collect();
    assert_eq!(floats[..8], [1.0, 0.0, 0.0, 1.0, 0.2, 1.0, 0.0, 1.0]);
    assert_eq!(floats[12..], [0.0; 4], "beyond the end everything is zero");
    assert_eq!(buffers[0].bytes, [128, 255, 128, 51, 128, 0]);
}

#[test]
fn lanes_may_access_different_buffers_of_an_array() {
    let mut s = Shader::new(module([4, 1, 1], 2));
    let thread = s.thread;
    let zero = s.int(0);
    let place = Place { binding: ir::Binding(1), element: Some(thread) };
    let value = s.b.value(Op::Load { place, at: Address::Byte(zero) }, Ty::I32);
    s.store(0, thread, value);
    let m = s.finish();
    let mut bindings = ir::exec::Bindings {
        bindings: vec![vec![words(&[9; 4])], vec![words(&[1]), words(&[2]), words(&[3])]],
    };
    let result =
        wavelane_interp::run(&m, &launch(1, 4), &mut bindings, &mut wavelane_interp::NoObserver);
    assert_eq!(result, Ok(()));
    assert_eq!(to_words(&bindings.bindings[0][0]), [1, 2, 3, 0]);
}

#[test]
fn private_arrays_are_per_lane_and_bounds_checked() {
    for ty in [Ty::I32, Ty::I64] {
        let mut m = module([4, 1, 1], 1);
        m.privates.push(Memory { name: "a".into(), ty, len: 3, span: Span::NONE });
        let memory = ir::Private(0);
        let mut s = Shader::new(m);
        let thread = s.thread;
        let to = |s: &mut Shader, it, to| {
            let convert =
                ops::Unary::Convert { to, from_sign: Sign::Unsigned, to_sign: Sign::Unsigned };
            s.b.value(Op::Unary(convert, it), to)
        };
        let value = to(&mut s, thread, ty);
        let ten = s.b.constant(ty, 10);
        let value = s.add(value, ten);
        s.b.inst(Op::PrivateStore { memory, index: thread, value }, &[]);
        let two = s.int(2);
        for (i, index) in [thread, two].into_iter().enumerate() {
            let value = s.b.value(Op::PrivateLoad { memory, index }, ty);
            let value = to(&mut s, value, Ty::I32);
            let base = s.int(4 * i as u32);
            let slot = s.add(base, thread);
            s.store(0, slot, value);
        }
        let got = run_words(&s.finish(), &launch(1, 4), vec![vec![7; 8]]);
        assert_eq!(got[0], [10, 11, 12, 0, 0, 0, 12, 0]);
    }
}

#[test]
fn groupshared_memory_starts_at_zero_in_every_group() {
    let mut m = module([4, 1, 1], 1);
    m.groupshared.push(Memory { name: "sum".into(), ty: Ty::I32, len: 1, span: Span::NONE });
    let memory = ir::Shared(0);
    let mut s = Shader::new(m);
    let thread = s.thread;
    let zero = s.int(0);
    let one = s.int(1);
    s.b.value(
        Op::SharedAtomic { memory, index: zero, op: Atomic::Add, args: values![one] },
        Ty::I32,
    );
    let value = s.b.value(Op::SharedLoad { memory, index: zero }, Ty::I32);
    let sum = s.wave(WaveOp::Reduce(Fold::Sum), &[value], Ty::I32);
    s.store(0, thread, sum);
    let got = run_words(&s.finish(), &launch(3, 4), vec![vec![7; 12]]);
    assert_eq!(got[0], [16; 12]);
}

#[test]
fn full_waves_access_memory_like_partial_ones() {
    let texels = Element { scalar: HostScalar::U32, components: 1, norm: Norm::None };
    let kinds = [
        ResourceKind::Raw { writable: true },
        structured(4),
        structured(12),
        ResourceKind::Typed { writable: true, element: texels },
    ];
    let steps = [
        (0, 0),
        (0, 3),
        (1, 0),
        (1, 2),
        (2, 1),
        (5, 7),
        (u32::MAX, 63),
        (u32::MAX, 10),
        (1 << 30, 1),
        (3, u32::MAX),
    ];
    for (kind, (step, start)) in kinds.iter().flat_map(|kind| steps.map(|it| (kind, it))) {
        let mut s = Shader::new(with(
            &[kind.clone(), kind.clone(), ResourceKind::Raw { writable: true }],
            64,
        ));
        let thread = s.thread;
        let (step_value, start_value, four) = (s.int(step), s.int(start), s.int(4));
        let index = s.mul(thread, step_value);
        let index = s.add(index, start_value);
        let at = match kind {
            ResourceKind::Raw { .. } => Address::Byte(s.mul(index, four)),
            ResourceKind::Structured { .. } => Address::Structured { index, offset: four },
            ResourceKind::Typed { .. }
            | ResourceKind::Constant { .. }
            | ResourceKind::Texture { .. }
            | ResourceKind::Sampler { .. }
            | ResourceKind::Feedback { .. }
            | ResourceKind::Scene => Address::Texel(index),
        };
        // The last scalars of the 4-byte elements are out of bounds, as are all at offset 4.
        let value = s.b.value(Op::Load { place: Shader::place(0), at }, Ty::I32);
        s.store(2, thread, value);
        let sum = s.add(value, thread);
        s.b.inst(Op::Store { place: Shader::place(1), at, values: values![sum] }, &[]);
        let m = s.finish();
        for size in [0, 3, 63, 64, 65, 200, 1000] {
            let content: Vec<u32> = (0..size).map(|it| it * 1000).collect();
            let run = |width| {
                run_words(
                    &m,
                    &launch(1, width),
                    vec![content.clone(), content.clone(), vec![9; 64]],
                )
            };
            assert_eq!(run(64), run(128), "{kind:?}, {step} from {start}, {size} words");
        }
    }
}
