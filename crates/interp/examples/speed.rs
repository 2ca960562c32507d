//! Times the reference engine on a few kernels: `cargo run --release -p wavelane-interp --example speed`.
//!
//! Each line is a kernel: "each" is one iteration of the loop for `mandel`, and one wave for the others.
//! It only measures: there is no verdict and no baseline.
#![allow(clippy::print_stdout, reason = "printing is its purpose")]

#[path = "../tests/it/build.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod build;

use build::{Shader, launch, module, words};
use ir::{Address, Atomic, Module, Op, values};
use ops::{Binary, Compare, Fold, Sign, Ty, WaveOp};
use std::time::{Duration, Instant};

/// Escape times for a square of points: floats, comparisons and a loop.
fn mandel(side: u32, most: u32) -> Module {
    let mut s = Shader::new(module([256, 1, 1], 1));
    let thread = s.thread;
    let side_bits = s.int(side.trailing_zeros());
    let low = s.int(side - 1);
    let (x, y) =
        (s.bin(Binary::And, thread, low), s.bin(Binary::Shr(Sign::Unsigned), thread, side_bits));
    let float = |s: &mut Shader, it| {
        let convert =
            ops::Unary::Convert { to: Ty::F32, from_sign: Sign::Unsigned, to_sign: Sign::Unsigned };
        let it = s.b.value(Op::Unary(convert, it), Ty::F32);
        let (scale, start) = (s.float(3.0 / side as f32), s.float(-2.0));
        let it = s.mul(it, scale);
        s.add(it, start)
    };
    let (cx, cy) = (float(&mut s, x), float(&mut s, y));
    let (zero, none) = (s.float(0.0), s.int(0));
    let (limit, four, two, one) = (s.int(most), s.float(4.0), s.float(2.0), s.int(1));
    let steps = s.loop_(&[none, zero, zero], &[Ty::I32], |s, it, params| {
        let (i, x, y) = (params[0], params[1], params[2]);
        let (xx, yy) = (s.mul(x, x), s.mul(y, y));
        let r = s.add(xx, yy);
        let inside = s.cmp(Compare::Le(Sign::Signed), r, four);
        let more = s.lt(i, limit);
        let go = s.bin(Binary::And, inside, more);
        s.if_(go, |_| {}, |s| s.exit(it, &[i]));
        let xy = s.mul(x, y);
        let xy = s.mul(xy, two);
        let d = s.bin(Binary::Sub, xx, yy);
        let (x, y) = (s.add(d, cx), s.add(xy, cy));
        values![s.add(i, one), x, y]
    });
    s.store(0, thread, steps[0]);
    s.finish()
}

/// Appends the odd values of a buffer to another: one atomic for each wave.
fn compact() -> Module {
    let mut s = Shader::new(module([256, 1, 1], 3));
    let thread = s.thread;
    let value = s.load(0, thread, Ty::I32);
    let odd = s.bit(value, 1);
    let count = s.wave(WaveOp::CountBits, &[odd], Ty::I32);
    let below = s.wave(WaveOp::PrefixCountBits, &[odd], Ty::I32);
    let first = s.wave(WaveOp::IsFirstLane, &[], Ty::Bool);
    let zero = s.int(0);
    let base = s.b_if(
        first,
        &[Ty::I32],
        |s| {
            let add = Op::Atomic {
                place: Shader::place(2),
                at: Address::Byte(zero),
                op: Atomic::Add,
                args: values![count],
            };
            values![s.b.value(add, Ty::I32)]
        },
        |_| values![zero],
    );
    let base = s.wave(WaveOp::ReadLaneFirst, &base, Ty::I32);
    let at = s.add(base, below);
    s.if_(odd, |s| s.store(1, at, value), |_| {});
    s.finish()
}

/// One operation on each wave of a buffer.
fn wave(op: WaveOp) -> Module {
    let mut s = Shader::new(module([256, 1, 1], 2));
    let thread = s.thread;
    let value = s.load(0, thread, Ty::I32);
    let sum = s.wave(op, &[value], Ty::I32);
    s.store(1, thread, sum);
    s.finish()
}

/// Runs a module once and returns the time and the final contents of its buffers.
fn run(
    module: &Module,
    threads: u32,
    width: u32,
    buffers: &[Vec<u32>],
) -> (Duration, Vec<Vec<u32>>) {
    let program = wavelane_interp::decode(module);
    let mut bindings =
        ir::exec::Bindings { bindings: buffers.iter().map(|it| vec![words(it)]).collect() };
    let launch = ir::exec::Launch { fuel: None, ..launch(threads / 256, width) };
    #[expect(clippy::disallowed_methods, reason = "a measurement")]
    let start = Instant::now();
    let result = wavelane_interp::run_program(
        &program,
        &launch,
        &mut bindings,
        &mut wavelane_interp::NoObserver,
    );
    let spent = start.elapsed();
    assert_eq!(result, Ok(()));
    (spent, bindings.bindings.iter().map(|it| build::to_words(&it[0])).collect())
}

fn show(name: &str, width: u32, spent: Duration, per: u64) {
    let each = spent.as_nanos() as f64 / per as f64;
    println!("{name:8} W={width:<3} {:8.1} ms {each:8.1} ns each", spent.as_secs_f64() * 1e3);
}

fn main() {
    let side = 256;
    for width in [8, 32, 128] {
        let (spent, buffers) =
            run(&mandel(side, 256), side * side, width, &[vec![0; (side * side) as usize]]);
        // Each wave iterates as often as its slowest lane.
        let rounds = |lanes: &[u32]| u64::from(lanes.iter().max().copied().unwrap_or(0)) + 1;
        show("mandel", width, spent, buffers[0].chunks(width as usize).map(rounds).sum());
    }
    let n = 16 << 20;
    let input: Vec<u32> = (0..n).map(|it: u32| it.wrapping_mul(0x9e37_79b9) >> 7).collect();
    let buffers = [input, vec![0; n as usize], vec![0]];
    let kernels = [
        ("compact", compact()),
        ("scan", wave(WaveOp::Scan(Fold::Sum))),
        ("sum", wave(WaveOp::Reduce(Fold::Sum))),
    ];
    for (name, module) in kernels {
        for width in [32, 64] {
            let (spent, _) = run(&module, n, width, &buffers[..module.resources.len()]);
            show(name, width, spent, u64::from(n / width));
        }
    }
}
