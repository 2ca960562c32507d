//! Measures the error of float operations, in units in the last place.
//!
//! The reference is the host's mathematics library in f64, which shares nothing with ours: its errors are below a
//! hundred-millionth of a unit in the last place of an f32. It is used only here and in tests.
//!
//! Used by the test beside it, and by `examples/accuracy.rs` for larger samples.
#![expect(clippy::disallowed_methods, reason = "the host's mathematics is the reference")]

use wavelane_ops::scalar::{Binary, Unary, eval_binary, eval_unary};
use wavelane_ops::{F16, Random, Sign, Ty};

/// An operation, its exact result, and where its most interesting arguments are: random arguments come from there,
/// and from all bits.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) operation: Operation,
    /// The range of dense samples, for each argument.
    dense: [(f64, f64); 2],
    /// Direct3D's requirement, in words.
    pub(crate) asked: &'static str,
    /// Our promise: units in the last place for f32.
    pub(crate) promise: f64,
}

pub(crate) enum Operation {
    One(Unary, fn(f64) -> f64),
    Two(Binary, fn(f64, f64) -> f64),
}

/// The worst of many results.
pub(crate) struct Measured {
    pub(crate) samples: u64,
    /// Units in the last place; infinite if a result is wrong altogether, such as a number instead of a NaN.
    pub(crate) worst: f64,
    pub(crate) at: [f64; 2],
    pub(crate) got: f64,
    /// How many results are not the nearest.
    pub not_nearest: u64,
}

/// Half a unit, plus the error of the reference.
const NEAREST: f64 = 0.5 + 1e-8;
/// Ours compute in f64 and round once; a handful of results fall on the wrong side of halfway.
const ALMOST: f64 = 0.50001;
/// A half is rounded from an f32, which moves a result by at most 2^-14 units.
const ALMOST_HALF: f64 = 0.5001;

pub(crate) fn subjects() -> Vec<Subject> {
    use Operation::{One, Two};
    const NONE: (f64, f64) = (0.0, 0.0);
    let one = |name, op, exact, range, asked| Subject {
        name,
        operation: One(op, exact),
        dense: [range, NONE],
        asked,
        promise: ALMOST,
    };
    let two = |name, op, exact, x, y, asked, promise| Subject {
        name,
        operation: Two(op, exact),
        dense: [x, y],
        asked,
        promise,
    };
    let any = (-100.0, 100.0);
    let mut all = vec![
        one("sin", Unary::Sin, f64::sin, (-320.0, 320.0), "0.0008 absolute in -100π..100π"),
        one("cos", Unary::Cos, f64::cos, (-320.0, 320.0), "0.0008 absolute in -100π..100π"),
        one("tan", Unary::Tan, f64::tan, (-320.0, 320.0), ""),
        one("asin", Unary::Asin, f64::asin, (-1.0, 1.0), ""),
        one("acos", Unary::Acos, f64::acos, (-1.0, 1.0), ""),
        one("atan", Unary::Atan, f64::atan, (-8.0, 8.0), ""),
        one("sinh", Unary::Sinh, f64::sinh, (-90.0, 90.0), ""),
        one("cosh", Unary::Cosh, f64::cosh, (-90.0, 90.0), ""),
        one("tanh", Unary::Tanh, f64::tanh, (-10.0, 10.0), ""),
        one("exp", Unary::Exp, f64::exp, (-105.0, 90.0), ""),
        one("exp2", Unary::Exp2, f64::exp2, (-151.0, 129.0), "1 ulp"),
        one("log", Unary::Log, f64::ln, (0.0, 4.0), ""),
        one("log2", Unary::Log2, f64::log2, (0.0, 4.0), "2^-21 absolute in 0.5..2, else 3 ulp"),
        one("log10", Unary::Log10, f64::log10, (0.0, 4.0), ""),
        one("rsqrt", Unary::Rsqrt, |x| 1.0 / x.sqrt(), (0.0, 4.0), "1 ulp"),
        two("atan2", Binary::Atan2, f64::atan2, any, any, "", ALMOST),
        two("pow", Binary::Pow, pow, (0.0, 20.0), (-25.0, 25.0), "", ALMOST),
    ];
    let nearest = [
        one("sqrt", Unary::Sqrt, f64::sqrt, (0.0, 4.0), "1 ulp"),
        one("floor", Unary::Floor, f64::floor, any, "exact"),
        one("ceil", Unary::Ceil, f64::ceil, any, "exact"),
        one("trunc", Unary::Trunc, f64::trunc, any, "exact"),
        one("round", Unary::Round, f64::round_ties_even, any, "exact"),
        two("add", Binary::Add, |a, b| a + b, any, any, "0.5 ulp", NEAREST),
        two("sub", Binary::Sub, |a, b| a - b, any, any, "0.5 ulp", NEAREST),
        two("mul", Binary::Mul, |a, b| a * b, any, any, "0.5 ulp", NEAREST),
        two("div", Binary::Div(Sign::Signed), |a, b| a / b, any, any, "1 ulp", NEAREST),
        two("rem", Binary::Rem(Sign::Signed), |a, b| a % b, any, any, "", NEAREST),
    ];
    all.extend(nearest.into_iter().map(|it| Subject { promise: NEAREST, ..it }));
    all
}

/// Our promise for halves.
pub(crate) fn half_promise(subject: &Subject) -> f64 {
    if subject.promise > NEAREST { ALMOST_HALF } else { NEAREST }
}

/// HLSL's definition: `exp2(y * log2(x))`, so that negative numbers have no powers.
fn pow(x: f64, y: f64) -> f64 {
    if (y * x.log2()).is_nan() { f64::NAN } else { x.abs().powf(y) }
}

/// Tries the edges of the type and `samples` random arguments.
pub(crate) fn measure(subject: &Subject, ty: Ty, samples: u64) -> Measured {
    let mut random = Random::new(0x243f_6a88_85a3_08d3);
    let edges = edges(ty);
    let mut measured = Measured::new();
    let mut try_with = |a: u64, b: u64| measured.take(subject, ty, a, b);
    for (i, a) in edges.iter().enumerate() {
        match subject.operation {
            Operation::One(..) => try_with(*a, 0),
            // Every edge with some others: all pairs would be millions.
            Operation::Two(..) => {
                edges.iter().skip(i % 23).step_by(23).for_each(|b| try_with(*a, *b))
            }
        }
    }
    for i in 0..samples {
        let mut argument = |(low, high): (f64, f64)| match i % 2 {
            0 => random.bits() & mask(ty),
            _ => bits_of(ty, low + (high - low) * random.unit()),
        };
        let (a, b) = (argument(subject.dense[0]), argument(subject.dense[1]));
        try_with(a, b);
    }
    measured
}

/// Tries all halves; with two arguments, each with some others.
pub(crate) fn measure_all_halves(subject: &Subject) -> Measured {
    let mut random = Random::new(0x1319_8a2e_0370_7344);
    let mut measured = Measured::new();
    for a in 0..=0xffff {
        match subject.operation {
            Operation::One(..) => measured.take(subject, Ty::F16, a, 0),
            Operation::Two(..) => {
                for _ in 0..4 {
                    measured.take(subject, Ty::F16, a, random.bits() & 0xffff);
                }
            }
        }
    }
    measured
}

impl Measured {
    fn new() -> Measured {
        Measured { samples: 0, worst: 0.0, at: [0.0; 2], got: 0.0, not_nearest: 0 }
    }

    fn take(&mut self, subject: &Subject, ty: Ty, a: u64, b: u64) {
        let at = [value(ty, a), value(ty, b)];
        let (got, exact) = match subject.operation {
            Operation::One(op, exact) => (eval_unary(op, ty, a), exact(at[0])),
            Operation::Two(op, exact) => (eval_binary(op, ty, a, b), exact(at[0], at[1])),
        };
        let error = error(ty, got, exact);
        self.samples += 1;
        self.not_nearest += u64::from(error > NEAREST);
        if error > self.worst {
            (self.worst, self.at, self.got) = (error, at, value(ty, got));
        }
    }
}

/// The distance between a result and the exact one, in units in the last place of the exact one.
fn error(ty: Ty, bits: u64, exact: f64) -> f64 {
    let got = value(ty, bits);
    let (digits, least, most) = match ty {
        Ty::F16 => (10, -24, 65_504.0),
        _ => (23, -149, f64::from(f32::MAX)),
    };
    if exact.is_nan() {
        let canonical = if ty == Ty::F16 { 0x7e00 } else { 0x7fc0_0000 };
        return if bits == canonical { 0.0 } else { f64::INFINITY };
    }
    if got.is_nan() || got.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    // From half a unit beyond the largest number up, the nearest is infinity; at exactly halfway the reference is
    // uncertain.
    let halfway = most * (1.0 + 0.5f64.powi(digits + 2));
    if got.is_infinite() {
        return if exact.abs() >= halfway * (1.0 - 1e-12) { 0.0 } else { f64::INFINITY };
    }
    if exact.abs() > halfway * (1.0 + 1e-12) {
        return f64::INFINITY;
    }
    let exponent = ((exact.to_bits() >> 52 & 0x7ff) as i32 - 1023 - digits).max(least);
    (got - exact).abs() / 2f64.powi(exponent)
}

fn value(ty: Ty, bits: u64) -> f64 {
    match ty {
        Ty::F16 => F16(bits as u16).to_f64(),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}

fn bits_of(ty: Ty, value: f64) -> u64 {
    match ty {
        Ty::F16 => u64::from(F16::from_f64(value).0),
        _ => u64::from((value as f32).to_bits()),
    }
}

fn mask(ty: Ty) -> u64 {
    u64::MAX >> (64 - ty.bits())
}

/// Zeros, powers of two, integers, multiples of π/4, the limits of exponentials, and the neighbours of all of them.
fn edges(ty: Ty) -> Vec<u64> {
    let mut numbers = vec![0.0, f64::INFINITY, f64::from(f32::MAX), 65_504.0];
    numbers.extend((-150..128).map(|power| 2f64.powi(power)));
    numbers.extend((1..=64).map(|n| f64::from(n) / 2.0));
    numbers.extend((1..=64).map(|n| f64::from(n) * std::f64::consts::FRAC_PI_4));
    numbers.extend((0..32).map(|power| 2f64.powi(power) * std::f64::consts::FRAC_PI_2));
    numbers.extend((-37..=38).map(|power| 10f64.powi(power)));
    numbers.extend([88.722_84, 89.415_99, 87.336_54, 103.972_08, 103.278_93, 149.5, 11.09, 17.33]);
    let mut all = vec![mask(ty) >> 1];
    for number in numbers {
        let bits = bits_of(ty, number);
        for bits in [bits.saturating_sub(1), bits, bits + 1] {
            all.extend([bits, bits | ((mask(ty) >> 1) + 1)]);
        }
    }
    all
}
