//! Transcendental functions as instructions: `ops::math` defines them over abstract numbers, and here a number is a
//! vector of doubles, so that running a definition emits it.
//!
//! A call into the runtime computes lane by lane, and takes some ten times as long. Wide waves keep the calls: their
//! code would grow with the number of vectors. So do angles with AVX2, which lacks instructions for the reduction of
//! large ones. PERF: in compute shaders all of them are calls as well; their code was measured with these.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Sub};

use iced_x86::Code::*;
use ir::Value;
use ops::math::{self, Bits, Double};
use ops::{Binary, Ty, Unary};

use super::{Home, Selector};
use crate::isa::Isa;
use crate::machine::*;
use crate::vector::*;

/// The most vectors of doubles in a wave.
const MOST_VECTORS: usize = 8;

impl Selector<'_> {
    fn has_math(&self, ty: Ty) -> bool {
        ty == Ty::F32 && self.module.io.is_some() && 2 * self.chunks <= MOST_VECTORS
    }

    /// A function of one argument, if there are instructions for it.
    pub(super) fn math_unary(&mut self, op: Unary, value: Value, to: Value) -> bool {
        let is_angle = matches!(op, Unary::Sin | Unary::Cos | Unary::Tan);
        if !self.has_math(self.ty(value)) || is_angle && self.a.isa == Isa::Avx2 {
            return false;
        }
        let args = self.widened(value);
        let a = RefCell::new(&mut self.a);
        let one = |it: VReg| Some(math::unary(op, Wide { a: &a, value: it })?.value);
        let made: Option<Vec<VReg>> = args.into_iter().map(one).collect();
        self.set_narrowed(made, to)
    }

    /// The same of two arguments.
    pub(super) fn math_binary(&mut self, op: Binary, x: Value, y: Value, to: Value) -> bool {
        if !self.has_math(self.ty(x)) {
            return false;
        }
        let (x, y) = (self.widened(x), self.widened(y));
        let a = RefCell::new(&mut self.a);
        let wide = |value: VReg| Wide { a: &a, value };
        let one = |(x, y): (VReg, VReg)| Some(math::binary(op, wide(x), wide(y))?.value);
        let made: Option<Vec<VReg>> = x.into_iter().zip(y).map(one).collect();
        self.set_narrowed(made, to)
    }

    /// Floats as doubles, two vectors for each chunk.
    fn widened(&mut self, value: Value) -> Vec<VReg> {
        let words = self.raw_words(value);
        let (code, view) = match self.a.isa {
            Isa::Avx512 => (EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, View::Ymm),
            Isa::Avx2 => (VEX_Vcvtps2pd_ymm_xmmm128, View::Xmm),
        };
        let halves = words.into_iter().flat_map(|it| [(it, 0), (it, 1)]);
        let mut wide = Vec::new();
        for (words, half) in halves {
            let part = self.half_of_words(words, half);
            let whole = self.a.view();
            wide.push(self.a.b.define(code, whole, &[Source::Register(view, part)]));
        }
        wide
    }

    /// The only place where results are rounded.
    fn set_narrowed(&mut self, made: Option<Vec<VReg>>, to: Value) -> bool {
        let Some(wide) = made else { return false };
        let (round, join, whole, part) = match self.a.isa {
            Isa::Avx512 => (
                EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er,
                EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8,
                View::Zmm,
                View::Ymm,
            ),
            Isa::Avx2 => (
                VEX_Vcvtpd2ps_xmm_ymmm256,
                VEX_Vinserti128_ymm_ymm_xmmm128_imm8,
                View::Ymm,
                View::Xmm,
            ),
        };
        let mut words = Vec::new();
        for halves in wide.chunks(2) {
            let [low, high] = [halves[0], halves[1]]
                .map(|it| self.a.b.define(round, part, &[Source::Register(whole, it)]));
            let sources = [Source::Register(whole, low), Source::Register(part, high), byte(1)];
            let all = self.a.b.define(join, whole, &sources);
            words.push(self.canonical(all, Ty::F32));
        }
        self.set(to, Home::Words(words));
        true
    }
}

type Context<'a> = &'a RefCell<&'a mut Assembler>;

/// A vector of doubles.
#[derive(Clone, Copy)]
struct Wide<'a> {
    a: Context<'a>,
    value: VReg,
}

/// A vector of longs.
#[derive(Clone, Copy)]
struct Long<'a> {
    a: Context<'a>,
    value: VReg,
}

/// A mask of longs.
#[derive(Clone, Copy)]
struct Truth<'a> {
    a: Context<'a>,
    value: VReg,
}

/// Implements an operator: `$trait` of `$name` emits `$op`.
macro_rules! operator {
    ($($name:ident: $trait:ident $method:ident $op:expr),* $(,)?) => {$(
        impl<'a> $trait for $name<'a> {
            type Output = $name<'a>;

            fn $method(self, other: $name<'a>) -> $name<'a> {
                $name { value: op(self.a, $op, self.value, Arg::Register(other.value)), ..self }
            }
        }
    )*};
}

/// The same with a constant as the second operand.
macro_rules! operator_with {
    ($($name:ident: $trait:ident<$constant:ty> $method:ident $op:expr),* $(,)?) => {$(
        impl<'a> $trait<$constant> for $name<'a> {
            type Output = $name<'a>;

            fn $method(self, other: $constant) -> $name<'a> {
                let other = self.a.borrow_mut().constant_long(other.to_bits());
                $name { value: op(self.a, $op, self.value, other), ..self }
            }
        }
    )*};
}

operator! {
    Wide: Add add Lanewise::AddF,
    Wide: Sub sub Lanewise::SubF,
    Wide: Mul mul Lanewise::MulF,
    Wide: Div div Lanewise::DivF,
    Long: BitAnd bitand Lanewise::And,
    Long: BitOr bitor Lanewise::Or,
    Long: BitXor bitxor Lanewise::Xor,
}

operator_with! {
    Wide: Add<f64> add Lanewise::AddF,
    Wide: Sub<f64> sub Lanewise::SubF,
    Wide: Mul<f64> mul Lanewise::MulF,
}

impl<'a> BitAnd<u64> for Long<'a> {
    type Output = Long<'a>;

    fn bitand(self, other: u64) -> Long<'a> {
        self & Bits::constant(self, other)
    }
}

impl<'a> BitOr<u64> for Long<'a> {
    type Output = Long<'a>;

    fn bitor(self, other: u64) -> Long<'a> {
        self | Bits::constant(self, other)
    }
}

impl<'a> BitAnd for Truth<'a> {
    type Output = Truth<'a>;

    fn bitand(self, other: Truth<'a>) -> Truth<'a> {
        Truth { value: self.a.borrow_mut().mask_and(self.value, other.value), ..self }
    }
}

impl<'a> Neg for Wide<'a> {
    type Output = Wide<'a>;

    fn neg(self) -> Wide<'a> {
        (self.bits() ^ self.bits().constant(1 << 63)).double()
    }
}

fn op(a: Context<'_>, op: Lanewise, x: VReg, y: Arg) -> VReg {
    a.borrow_mut().op(op, Arg::Register(x), y)
}

fn test<'a>(a: Context<'a>, test: Test, kind: Kind, x: VReg, y: VReg) -> Truth<'a> {
    Truth { a, value: a.borrow_mut().test(test, kind, x, Arg::Register(y), None) }
}

fn constant(a: Context<'_>, bits: u64) -> VReg {
    let mut a = a.borrow_mut();
    let arg = a.constant_long(bits);
    a.load(arg, true)
}

impl<'a> Wide<'a> {
    fn test(self, which: Test, other: Wide<'a>) -> Truth<'a> {
        test(self.a, which, Kind::Double, self.value, other.value)
    }
}

impl<'a> Double for Wide<'a> {
    type Bits = Long<'a>;
    type Truth = Truth<'a>;

    fn constant(self, value: f64) -> Wide<'a> {
        Wide { value: constant(self.a, value.to_bits()), ..self }
    }

    fn sqrt(self) -> Wide<'a> {
        let (wide, narrow) = (EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er, VEX_Vsqrtpd_ymm_ymmm256);
        Wide { value: self.a.borrow_mut().unary(wide, narrow, self.value), ..self }
    }

    fn abs(self) -> Wide<'a> {
        (self.bits() & (u64::MAX >> 1)).double()
    }

    fn copysign(self, sign: Wide<'a>) -> Wide<'a> {
        (self.abs().bits() | sign.bits() & (1 << 63)).double()
    }

    fn bits(self) -> Long<'a> {
        Long { a: self.a, value: self.value }
    }

    fn above(self, other: Wide<'a>) -> Truth<'a> {
        self.test(Test::Gt, other)
    }

    fn at_least(self, other: Wide<'a>) -> Truth<'a> {
        self.test(Test::Ge, other)
    }

    fn equals(self, other: Wide<'a>) -> Truth<'a> {
        self.test(Test::Eq, other)
    }

    fn is_infinite(self) -> Truth<'a> {
        Double::equals(self.abs(), Double::constant(self, f64::INFINITY))
    }

    fn is_sign_negative(self) -> Truth<'a> {
        self.bits().is_negative()
    }

    fn pick(cond: Truth<'a>, yes: Wide<'a>, no: Wide<'a>) -> Wide<'a> {
        let value = cond.a.borrow_mut().pick_long(cond.value, yes.value, no.value);
        Wide { value, ..yes }
    }

    fn choose(
        cond: Truth<'a>,
        yes: impl FnOnce() -> Wide<'a>,
        no: impl FnOnce() -> Wide<'a>,
    ) -> Wide<'a> {
        let no = no();
        Double::pick(cond, yes(), no)
    }

    /// Jumps over the rare case unless some lane needs it; the usual one is computed before.
    fn branch(
        cond: Truth<'a>,
        rare: impl FnOnce() -> (Long<'a>, Wide<'a>),
        usual: impl FnOnce() -> (Long<'a>, Wide<'a>),
    ) -> (Long<'a>, Wide<'a>) {
        let a = cond.a;
        let (bits, number) = usual();
        let begin = || {
            let mut a = a.borrow_mut();
            let variables = [a.b.var(VECTOR), a.b.var(VECTOR)];
            a.b.write(variables[0], bits.value);
            a.b.write(variables[1], number.value);
            let [some, none, joined] = [a.b.block(), a.b.block(), a.b.block()];
            a.test_any(&[cond.value]);
            a.b.branch(Condition::NotZero, some, none);
            a.b.switch_to(none);
            a.b.jump(joined);
            a.b.switch_to(some);
            a.b.is_rare();
            (variables, joined)
        };
        let (variables, joined) = begin();
        let (rare_bits, rare_number) = rare();
        let all = [
            <Long<'a> as Bits>::pick(cond, rare_bits, bits).value,
            <Wide<'a> as Double>::pick(cond, rare_number, number).value,
        ];
        let mut assembler = a.borrow_mut();
        for (variable, value) in variables.into_iter().zip(all) {
            assembler.b.write(variable, value);
        }
        assembler.b.jump(joined);
        assembler.b.seal(joined);
        assembler.b.switch_to(joined);
        let [bits, number] = variables.map(|it| assembler.b.read(it));
        (Long { a, value: bits }, Wide { a, value: number })
    }
}

impl<'a> Long<'a> {
    fn with(self, which: Lanewise, other: Long<'a>) -> Long<'a> {
        Long { value: op(self.a, which, self.value, Arg::Register(other.value)), ..self }
    }

    fn test(self, which: Test, kind: Kind, other: Long<'a>) -> Truth<'a> {
        test(self.a, which, kind, self.value, other.value)
    }

    /// An instruction that AVX2 lacks, and that only functions of angles need.
    fn wide_only(self, code: iced_x86::Code) -> VReg {
        self.a.borrow_mut().unary(code, code, self.value)
    }
}

impl<'a> Bits for Long<'a> {
    type Double = Wide<'a>;
    type Truth = Truth<'a>;

    fn constant(self, value: u64) -> Long<'a> {
        Long { value: constant(self.a, value), ..self }
    }

    fn plus(self, other: Long<'a>) -> Long<'a> {
        self.with(Lanewise::AddQ, other)
    }

    fn minus(self, other: Long<'a>) -> Long<'a> {
        self.with(Lanewise::SubQ, other)
    }

    fn times(self, other: Long<'a>) -> Long<'a> {
        self.with(Lanewise::MulQ, other)
    }

    fn left(self, by: Long<'a>) -> Long<'a> {
        self.with(Lanewise::ShlQ, by)
    }

    fn right(self, by: Long<'a>) -> Long<'a> {
        self.with(Lanewise::ShrQ, by)
    }

    /// With AVX2, by a shift of an unsigned number around the middle of the range.
    fn right_signed(self, by: u32) -> Long<'a> {
        let count = Bits::constant(self, by.into());
        if Lanewise::SarQ.exists(self.a.borrow().isa) {
            return self.with(Lanewise::SarQ, count);
        }
        let middle = Bits::constant(self, 1 << 63);
        self.plus(middle).right(count).minus(middle.right(count))
    }

    fn leading_zeros(self) -> Long<'a> {
        Long { value: self.wide_only(EVEX_Vplzcntq_zmm_k1z_zmmm512b64), ..self }
    }

    fn equals(self, other: Long<'a>) -> Truth<'a> {
        self.test(Test::Eq, Kind::UnsignedLong, other)
    }

    fn above(self, other: Long<'a>) -> Truth<'a> {
        self.test(Test::Gt, Kind::UnsignedLong, other)
    }

    fn is_negative(self) -> Truth<'a> {
        self.test(Test::Lt, Kind::SignedLong, Bits::constant(self, 0))
    }

    fn pick(cond: Truth<'a>, yes: Long<'a>, no: Long<'a>) -> Long<'a> {
        let value = cond.a.borrow_mut().pick_long(cond.value, yes.value, no.value);
        Long { value, ..yes }
    }

    fn double(self) -> Wide<'a> {
        Wide { a: self.a, value: self.value }
    }

    fn rounded(self) -> Wide<'a> {
        Wide { a: self.a, value: self.wide_only(EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er) }
    }

    /// Exact: the integer is added to the bits of 1.5 · 2^52, whose last place is 1.
    fn small(self) -> Wide<'a> {
        const MIDDLE: f64 = 6_755_399_441_055_744.0;
        let shifted = self.plus(Bits::constant(self, MIDDLE.to_bits()));
        shifted.double() - MIDDLE
    }
}
