//! Float functions with the bits of the reference engine, for devices with 64-bit floats and integers.
//!
//! Functions whose rounding a device leaves open are computed as `ops::math` defines them: in f64, by the same generic
//! definitions, which are instantiated here with a type that emits instructions, and rounded once at the end. Of the
//! device, only integers and f64 additions, multiplications, divisions, roots, comparisons and conversions are used;
//! NaN results are canonicalised. Halves are added and multiplied directly; other operations on them are done in f32
//! and rounded once more (innocuous double rounding).
//!
//! Division, roots and `fma` of f64 are left to the device.

mod remainder;

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Sub};

use ir::Value;
use ops::math::{self, Bits, Double};
use ops::{Binary, Compare, Sign, Ty, Unary};

use crate::target::{Class, asks_binary, asks_unary};
use crate::writer::Writer;

use Sign::{Signed, Unsigned};

/// The number of steps in which a remainder of f32 is computed, and the binary digits of each.
const STEPS: u32 = 11;
const DIGITS: u64 = 26;

// The steps cover all digits of a quotient, and the product of a step's digits with a single is exact.
const _: () = assert!(STEPS as u64 * DIGITS >= 277 && DIGITS + 1 + 24 <= 53);

impl Writer<'_> {
    /// Expands an operation on one float that the device lacks.
    pub(crate) fn exact_unary(&self, op: Unary, ty: Ty, a: Value) -> Option<Value> {
        let [Some((class, _)), _] = asks_unary(op, ty) else { return None };
        if op == Unary::Log10 && ty == Ty::F32 && self.target.lacks(Class::DecimalLogarithm, ty) {
            let scale = std::f64::consts::LOG10_2 as f32;
            return Some(self.with(Binary::Mul, self.op1(Unary::Log2, a), scale.to_bits().into()));
        }
        let rounds = matches!(class, Class::Rounding | Class::Root | Class::Transcendental);
        if !rounds || !self.target.lacks(class, ty) {
            return None;
        }
        // For f16, the result in f32 is rounded once more.
        let by_way_of_f32 =
            class == Class::Rounding || class == Class::Root || !self.target.lacks(class, Ty::F32);
        if ty == Ty::F16 && by_way_of_f32 {
            let single = self.converted(a, Signed, Ty::F32);
            let result = self.unary(op, Ty::F32, single);
            return Some(self.canonical(ty, self.converted(result, Signed, ty)));
        }
        let wide = math::unary(op, self.wide(a))?;
        Some(self.narrow(wide.value, ty))
    }

    /// Expands an operation on two floats.
    pub(crate) fn exact_binary(&self, op: Binary, ty: Ty, a: Value, b: Value) -> Option<Value> {
        let (class, _) = asks_binary(op, ty)?;
        let rounds = matches!(class, Class::Division | Class::Remainder | Class::Transcendental);
        if !rounds || !self.target.lacks(class, ty) {
            return None;
        }
        if let (Binary::Rem(_), Ty::F64) = (op, ty) {
            return Some(self.double_remainder(a, b));
        }
        let by_way_of_f32 = class != Class::Transcendental || !self.target.lacks(class, Ty::F32);
        if ty == Ty::F16 && by_way_of_f32 {
            let [x, y] = [a, b].map(|it| self.converted(it, Signed, Ty::F32));
            let result = self.binary(op, Ty::F32, x, y, true);
            return Some(self.canonical(ty, self.converted(result, Signed, ty)));
        }
        let (x, y) = (self.wide(a), self.wide(b));
        let wide = match op {
            Binary::Rem(_) => self.remainder(x, y),
            _ => math::binary(op, x, y)?,
        };
        Some(self.narrow(wide.value, ty))
    }

    /// `a * b + c`, rounded once.
    pub(crate) fn exact_fma(&self, ty: Ty, args: [Value; 3]) -> Option<Value> {
        if !self.target.lacks(Class::Fma, ty) {
            return None;
        }
        let [a, b, c] = args.map(|it| self.wide(it));
        // The product of two singles is exact. The sum is rounded to odd: its last bit records what was lost, so that
        // the final rounding is the only effective one.
        let product = a * b;
        let sum = product + c;
        let back = sum - product;
        let lost = (product - (sum - back)) + (c - back);
        let (bits, zero) = (sum.bits(), self.long(0));
        let one = self.long(1);
        let is_lossy = self.test(Compare::Ne, lost.value, lost.constant(0.0).value);
        let is_even = (bits & one).equals(zero);
        let moves = Truth { to: self, value: is_lossy } & is_even;
        // Away from zero if the lost part has the sign of the sum, otherwise toward zero.
        let toward = (bits ^ lost.bits()).is_negative();
        let moved = Long::pick(toward, bits.minus(one), bits.plus(one));
        let mut odd = Long::pick(moves, moved, bits);
        if ty == Ty::F16 {
            const LOW: u64 = (1 << 29) - 1;
            let is_whole = (odd & LOW).equals(zero);
            let high = odd & !LOW;
            odd = Long::pick(is_whole, high, high | (1 << 29));
        }
        // An infinity or a NaN needs no rounding.
        let finite = self.magnitude(Compare::Lt(Unsigned), Ty::F64, sum.value);
        let odd = Long::pick(Truth { to: self, value: finite }, odd, bits);
        Some(self.narrow(odd.double().value, ty))
    }

    /// A float converted to f64.
    fn wide(&self, value: Value) -> Wide<'_> {
        // Device compilers support only conversions between adjacent sizes.
        let single = self.converted(value, Signed, Ty::F32);
        Wide { to: self, value: self.converted(single, Signed, Ty::F64) }
    }

    /// The final rounding.
    fn narrow(&self, wide: Value, ty: Ty) -> Value {
        let single = self.converted(wide, Signed, Ty::F32);
        // A NaN is tested for before the conversion, while its bits are still those of the f64 result.
        let is_nan = self.magnitude(Compare::Gt(Unsigned), Ty::F64, wide);
        let bits = self.choose(is_nan, self.word(0x7fc0_0000), self.cast(single, Ty::I32));
        let single = self.cast(bits, Ty::F32);
        if ty == Ty::F32 {
            return single;
        }
        self.canonical(ty, self.converted(single, Signed, ty))
    }

    fn long(&self, value: u64) -> Long<'_> {
        Long { to: self, value: self.constant(Ty::I64, value) }
    }

    /// The remainder of `a / b`, both singles, by long division from the highest digits of the quotient.
    fn remainder<'a>(&'a self, a: Wide<'a>, b: Wide<'a>) -> Wide<'a> {
        let (size, step) = (a.abs(), b.abs());
        let nought = a.constant(0.0);
        let first = self.long(u64::from(STEPS) * DIGITS);
        let [_, rest] = self.repeat_until([first.value, size.value], |[left, rest]| {
            let (left, rest) = (Long { to: self, value: left }, Wide { to: self, value: rest });
            let power = left.minus(self.long(DIGITS));
            let scale = power.plus(self.long(1023)).left(self.long(52)).double();
            let multiple = step * scale;
            let quotient = (rest / multiple).whole();
            let smaller = rest - quotient * multiple;
            // A quotient just below an integer may have been rounded up to it.
            let smaller = Wide::pick(nought.above(smaller), smaller + multiple, smaller);
            let is_done = self.test(Compare::Eq, power.value, self.long(0).value);
            (is_done, [power.value, smaller.value])
        });
        let rest = Wide { to: self, value: rest };
        let finite = self.magnitude(Compare::Lt(Unsigned), Ty::F64, a.value);
        let defined = Truth { to: self, value: finite } & step.above(nought);
        let rest = Wide::pick(b.is_infinite(), size, rest).copysign(a);
        Wide::pick(defined, rest, a.constant(f64::NAN))
    }
}

/// An f64 value in the new module.
#[derive(Clone, Copy)]
struct Wide<'a> {
    to: &'a Writer<'a>,
    value: Value,
}

/// A 64-bit integer in the new module.
#[derive(Clone, Copy)]
struct Long<'a> {
    to: &'a Writer<'a>,
    value: Value,
}

#[derive(Clone, Copy)]
struct Truth<'a> {
    to: &'a Writer<'a>,
    value: Value,
}

/// Implements an operator: `$trait` of `$name` emits the operation `$op`.
macro_rules! operator {
    ($($name:ident: $trait:ident $method:ident $op:expr),* $(,)?) => {$(
        impl<'a> $trait for $name<'a> {
            type Output = $name<'a>;

            fn $method(self, other: $name<'a>) -> $name<'a> {
                $name { value: self.to.op2($op, self.value, other.value), ..self }
            }
        }
    )*};
}

/// The same with a constant as the second operand.
macro_rules! operator_with {
    ($($name:ident: $trait:ident<$constant:ty> $method:ident),* $(,)?) => {$(
        impl<'a> $trait<$constant> for $name<'a> {
            type Output = $name<'a>;

            fn $method(self, other: $constant) -> $name<'a> {
                $trait::$method(self, self.constant(other))
            }
        }
    )*};
}

operator! {
    Wide: Add add Binary::Add,
    Wide: Sub sub Binary::Sub,
    Wide: Mul mul Binary::Mul,
    Wide: Div div Binary::Div(Signed),
    Long: BitAnd bitand Binary::And,
    Long: BitOr bitor Binary::Or,
    Long: BitXor bitxor Binary::Xor,
    Truth: BitAnd bitand Binary::And,
}

operator_with! {
    Wide: Add<f64> add,
    Wide: Sub<f64> sub,
    Wide: Mul<f64> mul,
    Long: BitAnd<u64> bitand,
    Long: BitOr<u64> bitor,
}

impl<'a> Neg for Wide<'a> {
    type Output = Wide<'a>;

    fn neg(self) -> Wide<'a> {
        let sign = self.bits().constant(1 << 63);
        (self.bits() ^ sign).double()
    }
}

impl<'a> Wide<'a> {
    /// A number from 0 to 2⁵², without its fraction. llvmpipe, on processors without AVX-512, truncates doubles as
    /// if they were floats: from 2²⁴ on, the fraction stays.
    fn whole(self) -> Wide<'a> {
        let no_fraction = self.constant((1u64 << 52) as f64);
        let nearest = (self + no_fraction) - no_fraction;
        Wide::pick(nearest.above(self), nearest - self.constant(1.0), nearest)
    }

    fn test(self, op: Compare, other: Wide<'a>) -> Truth<'a> {
        Truth { to: self.to, value: self.to.test(op, self.value, other.value) }
    }
}

impl<'a> Double for Wide<'a> {
    type Bits = Long<'a>;
    type Truth = Truth<'a>;

    fn constant(self, value: f64) -> Wide<'a> {
        Wide { value: self.to.constant(Ty::F64, value.to_bits()), ..self }
    }

    fn sqrt(self) -> Wide<'a> {
        Wide { value: self.to.op1(Unary::Sqrt, self.value), ..self }
    }

    fn abs(self) -> Wide<'a> {
        (self.bits() & (u64::MAX >> 1)).double()
    }

    fn copysign(self, sign: Wide<'a>) -> Wide<'a> {
        let sign = sign.bits() & (1 << 63);
        (self.abs().bits() | sign).double()
    }

    fn bits(self) -> Long<'a> {
        Long { to: self.to, value: self.to.cast(self.value, Ty::I64) }
    }

    fn above(self, other: Wide<'a>) -> Truth<'a> {
        self.test(Compare::Gt(Signed), other)
    }

    fn at_least(self, other: Wide<'a>) -> Truth<'a> {
        self.test(Compare::Ge(Signed), other)
    }

    fn equals(self, other: Wide<'a>) -> Truth<'a> {
        self.test(Compare::Eq, other)
    }

    fn is_infinite(self) -> Truth<'a> {
        Truth { to: self.to, value: self.to.magnitude(Compare::Eq, Ty::F64, self.value) }
    }

    fn is_sign_negative(self) -> Truth<'a> {
        self.bits().is_negative()
    }

    fn pick(cond: Truth<'a>, yes: Wide<'a>, no: Wide<'a>) -> Wide<'a> {
        Wide { value: cond.to.choose(cond.value, yes.value, no.value), ..yes }
    }

    fn choose(
        cond: Truth<'a>,
        yes: impl FnOnce() -> Wide<'a>,
        no: impl FnOnce() -> Wide<'a>,
    ) -> Wide<'a> {
        let no = no();
        Wide::pick(cond, yes(), no)
    }

    /// Branches only for the rare case; the usual one is computed before it.
    fn branch(
        cond: Truth<'a>,
        rare: impl FnOnce() -> (Long<'a>, Wide<'a>),
        usual: impl FnOnce() -> (Long<'a>, Wide<'a>),
    ) -> (Long<'a>, Wide<'a>) {
        let to = cond.to;
        let (bits, number) = usual();
        let rare = || {
            let (bits, number) = rare();
            [bits.value, number.value]
        };
        let [bits, number] = to.branch(cond.value, rare, || [bits.value, number.value]);
        (Long { to, value: bits }, Wide { to, value: number })
    }
}

impl<'a> Long<'a> {
    fn with(self, op: Binary, other: Long<'a>) -> Long<'a> {
        Long { value: self.to.op2(op, self.value, other.value), ..self }
    }

    fn test(self, op: Compare, other: Long<'a>) -> Truth<'a> {
        Truth { to: self.to, value: self.to.test(op, self.value, other.value) }
    }

    fn as_double(self, sign: Sign) -> Wide<'a> {
        Wide { to: self.to, value: self.to.converted(self.value, sign, Ty::F64) }
    }
}

impl<'a> Bits for Long<'a> {
    type Double = Wide<'a>;
    type Truth = Truth<'a>;

    fn constant(self, value: u64) -> Long<'a> {
        self.to.long(value)
    }

    fn plus(self, other: Long<'a>) -> Long<'a> {
        self.with(Binary::Add, other)
    }

    fn minus(self, other: Long<'a>) -> Long<'a> {
        self.with(Binary::Sub, other)
    }

    fn times(self, other: Long<'a>) -> Long<'a> {
        self.with(Binary::Mul, other)
    }

    fn left(self, by: Long<'a>) -> Long<'a> {
        self.with(Binary::Shl, by)
    }

    fn right(self, by: Long<'a>) -> Long<'a> {
        self.with(Binary::Shr(Unsigned), by)
    }

    fn right_signed(self, by: u32) -> Long<'a> {
        self.with(Binary::Shr(Signed), self.constant(by.into()))
    }

    fn leading_zeros(self) -> Long<'a> {
        let first = self.to.unary(Unary::FirstBitHigh(Unsigned), Ty::I64, self.value);
        let first = Long { value: self.to.converted(first, Unsigned, Ty::I64), ..self };
        self.constant(63).minus(first)
    }

    fn equals(self, other: Long<'a>) -> Truth<'a> {
        self.test(Compare::Eq, other)
    }

    fn above(self, other: Long<'a>) -> Truth<'a> {
        self.test(Compare::Gt(Unsigned), other)
    }

    fn is_negative(self) -> Truth<'a> {
        self.test(Compare::Lt(Signed), self.constant(0))
    }

    fn pick(cond: Truth<'a>, yes: Long<'a>, no: Long<'a>) -> Long<'a> {
        Long { value: cond.to.choose(cond.value, yes.value, no.value), ..yes }
    }

    fn double(self) -> Wide<'a> {
        Wide { to: self.to, value: self.to.cast(self.value, Ty::F64) }
    }

    fn rounded(self) -> Wide<'a> {
        self.as_double(Unsigned)
    }

    fn small(self) -> Wide<'a> {
        self.as_double(Signed)
    }
}
