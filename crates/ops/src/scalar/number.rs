//! The integer and float types over which the definitions are generic.

use super::exact;
use crate::F16;
use crate::ty::Lane;

/// An integer without signedness: where it matters, the method says which is meant.
pub(super) trait Int: Lane + PartialEq {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div_unsigned(self, other: Self) -> Self;
    fn div_signed(self, other: Self) -> Self;
    fn rem_unsigned(self, other: Self) -> Self;
    fn rem_signed(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn shl(self, count: Self) -> Self;
    fn shr_unsigned(self, count: Self) -> Self;
    fn shr_signed(self, count: Self) -> Self;
    fn lt_unsigned(self, other: Self) -> bool;
    fn lt_signed(self, other: Self) -> bool;
    fn neg(self) -> Self;
    fn not(self) -> Self;
    fn abs(self) -> Self;
    fn count_bits(self) -> u32;
    fn reverse_bits(self) -> Self;
    fn first_bit_low(self) -> u32;
    fn first_bit_high(self) -> u32;
    fn first_bit_high_signed(self) -> u32;
}

macro_rules! int {
    ($unsigned:ty, $signed:ty) => {
        impl Int for $unsigned {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            // Division by zero gives all ones, as in D3D; the smallest integer divided by -1 wraps.
            #[inline(always)]
            fn div_unsigned(self, other: Self) -> Self {
                self.checked_div(other).unwrap_or(Self::MAX)
            }
            #[inline(always)]
            fn div_signed(self, other: Self) -> Self {
                if other == 0 {
                    Self::MAX
                } else {
                    (self as $signed).wrapping_div(other as $signed) as Self
                }
            }
            #[inline(always)]
            fn rem_unsigned(self, other: Self) -> Self {
                self.checked_rem(other).unwrap_or(Self::MAX)
            }
            #[inline(always)]
            fn rem_signed(self, other: Self) -> Self {
                if other == 0 {
                    Self::MAX
                } else {
                    (self as $signed).wrapping_rem(other as $signed) as Self
                }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            // HLSL takes shift counts modulo the width.
            #[inline(always)]
            fn shl(self, count: Self) -> Self {
                self.wrapping_shl(count as u32)
            }
            #[inline(always)]
            fn shr_unsigned(self, count: Self) -> Self {
                self.wrapping_shr(count as u32)
            }
            #[inline(always)]
            fn shr_signed(self, count: Self) -> Self {
                (self as $signed).wrapping_shr(count as u32) as Self
            }
            #[inline(always)]
            fn lt_unsigned(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn lt_signed(self, other: Self) -> bool {
                (self as $signed) < (other as $signed)
            }
            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn abs(self) -> Self {
                (self as $signed).wrapping_abs() as Self
            }
            #[inline(always)]
            fn count_bits(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn reverse_bits(self) -> Self {
                self.reverse_bits()
            }
            #[inline(always)]
            fn first_bit_low(self) -> u32 {
                if self == 0 { u32::MAX } else { self.trailing_zeros() }
            }
            #[inline(always)]
            fn first_bit_high(self) -> u32 {
                if self == 0 { u32::MAX } else { Self::BITS - 1 - self.leading_zeros() }
            }
            #[inline(always)]
            fn first_bit_high_signed(self) -> u32 {
                (if (self as $signed) < 0 { !self } else { self }).first_bit_high()
            }
        }
    };
}

int!(u16, i16);
int!(u32, i32);
int!(u64, i64);

/// A float; arithmetic is the host's, and `canonical` replaces any NaN by the canonical quiet one.
pub(super) trait Float: Lane {
    fn from_f32(value: f32) -> Self;
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
    fn canonical(self) -> Self;
    fn flip_sign(self) -> Self;
    fn clear_sign(self) -> Self;
    fn is_nan(self) -> bool;
    fn is_inf(self) -> bool;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn eq(self, other: Self) -> bool;
    fn lt(self, other: Self) -> bool;
    fn le(self, other: Self) -> bool;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round(self) -> Self;
    fn sqrt(self) -> Self;
    fn rsqrt(self) -> Self;
    fn saturate(self) -> Self;
}

macro_rules! float {
    ($ty:ident, $int:ident, $exact:ident, $nan:literal, to_f32: |$a:ident| $to_f32:expr, from_f32: |$b:ident| $from_f32:expr,
     rsqrt: |$c:ident| $rsqrt:expr, fma: |$x:ident, $y:ident, $z:ident| $fma:expr) => {
        impl Float for $ty {
            #[inline(always)]
            fn from_f32($b: f32) -> Self {
                $from_f32
            }
            #[inline(always)]
            fn to_f32(self) -> f32 {
                let $a = self;
                $to_f32
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                // On the bits: a compiler may pick any NaN as the result of arithmetic, and so drop a choice
                // between two of them.
                let exponent = $ty::INFINITY.to_bits();
                let bits = self.to_bits();
                $ty::from_bits(if bits & ($int::MAX >> 1) > exponent { $nan } else { bits })
            }
            #[inline(always)]
            fn flip_sign(self) -> Self {
                $ty::from_bits(self.to_bits() ^ (1 << ($int::BITS - 1)))
            }
            #[inline(always)]
            fn clear_sign(self) -> Self {
                $ty::from_bits(self.to_bits() & ($int::MAX >> 1))
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }
            #[inline(always)]
            fn is_inf(self) -> bool {
                self.clear_sign() == $ty::INFINITY
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                exact::$exact::rem(self, other)
            }
            #[inline(always)]
            fn fma(self, $y: Self, $z: Self) -> Self {
                let $x = self;
                $fma
            }
            // The number if one operand is a NaN; -0 is below +0.
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                let smaller = if self < other { self } else { other };
                let zeros = $ty::from_bits(self.to_bits() | other.to_bits());
                let pick = if self == other { zeros } else { smaller };
                let pick = if self != self {
                    other
                } else if other != other {
                    self
                } else {
                    pick
                };
                pick.canonical()
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let larger = if self > other { self } else { other };
                let zeros = $ty::from_bits(self.to_bits() & other.to_bits());
                let pick = if self == other { zeros } else { larger };
                let pick = if self != self {
                    other
                } else if other != other {
                    self
                } else {
                    pick
                };
                pick.canonical()
            }
            #[inline(always)]
            fn eq(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn floor(self) -> Self {
                exact::$exact::floor(self)
            }
            #[inline(always)]
            fn ceil(self) -> Self {
                exact::$exact::ceil(self)
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                exact::$exact::trunc(self)
            }
            #[inline(always)]
            fn round(self) -> Self {
                exact::$exact::round(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $ty::sqrt(self)
            }
            #[inline(always)]
            fn rsqrt(self) -> Self {
                let $c = self;
                $rsqrt
            }
            #[inline(always)]
            fn saturate(self) -> Self {
                let low = if self > 0.0 { self } else { 0.0 };
                if low < 1.0 { low } else { 1.0 }
            }
        }
    };
}

float!(f32, u32, single, 0x7fc0_0000, to_f32: |a| a, from_f32: |b| b,
    rsqrt: |c| crate::math::rsqrt(c), fma: |x, y, z| fma_f32(x, y, z));
float!(f64, u64, double, 0x7ff8_0000_0000_0000, to_f32: |a| a as f32, from_f32: |b| f64::from(b),
    rsqrt: |c| 1.0 / c.sqrt(), fma: |x, y, z| exact::fused(x, y, z));

/// The sum rounded to odd: rounding it again to a narrower type gives the correctly rounded exact sum.
#[inline(always)]
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // The rounding error of the sum, exactly (Knuth's two-sum).
    let back = sum - a;
    let error = (a - (sum - back)) + (b - back);
    let bits = sum.to_bits();
    // An inexact sum with an even last bit moves one step towards the exact value, which makes it odd.
    let moves = error != 0.0 && sum.is_finite() && bits & 1 == 0;
    let towards_zero = (error < 0.0) != (sum < 0.0);
    let moved = if towards_zero { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
    f64::from_bits(if moves { moved } else { bits })
}

/// The product is exact in f64.
#[inline(always)]
fn fma_f32(x: f32, y: f32, z: f32) -> f32 {
    add_to_odd(f64::from(x) * f64::from(y), f64::from(z)) as f32
}

impl Float for F16 {
    #[inline(always)]
    fn from_f32(value: f32) -> F16 {
        F16::from_f32(value)
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        F16::to_f32(self)
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self.to_f32())
    }
    #[inline(always)]
    fn canonical(self) -> F16 {
        if self.0 & 0x7fff > 0x7c00 { F16(0x7e00) } else { self }
    }
    #[inline(always)]
    fn flip_sign(self) -> F16 {
        F16(self.0 ^ 0x8000)
    }
    #[inline(always)]
    fn clear_sign(self) -> F16 {
        F16(self.0 & 0x7fff)
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.0 & 0x7fff > 0x7c00
    }
    #[inline(always)]
    fn is_inf(self) -> bool {
        self.0 & 0x7fff == 0x7c00
    }
    // Double rounding is harmless: f32 has more than twice the precision of f16 plus two bits.
    #[inline(always)]
    fn add(self, other: F16) -> F16 {
        F16::from_f32(self.to_f32() + other.to_f32())
    }
    #[inline(always)]
    fn sub(self, other: F16) -> F16 {
        F16::from_f32(self.to_f32() - other.to_f32())
    }
    #[inline(always)]
    fn mul(self, other: F16) -> F16 {
        F16::from_f32(self.to_f32() * other.to_f32())
    }
    #[inline(always)]
    fn div(self, other: F16) -> F16 {
        F16::from_f32(self.to_f32() / other.to_f32())
    }
    #[inline(always)]
    fn rem(self, other: F16) -> F16 {
        F16::from_f32(exact::single::rem(self.to_f32(), other.to_f32()))
    }
    #[inline(always)]
    fn fma(self, b: F16, c: F16) -> F16 {
        F16::from_f64(add_to_odd(f64::from(self.to_f32() * b.to_f32()), f64::from(c.to_f32())))
    }
    #[inline(always)]
    fn min(self, other: F16) -> F16 {
        F16::from_f32(Float::min(self.to_f32(), other.to_f32()))
    }
    #[inline(always)]
    fn max(self, other: F16) -> F16 {
        F16::from_f32(Float::max(self.to_f32(), other.to_f32()))
    }
    #[inline(always)]
    fn eq(self, other: F16) -> bool {
        self.to_f32() == other.to_f32()
    }
    #[inline(always)]
    fn lt(self, other: F16) -> bool {
        self.to_f32() < other.to_f32()
    }
    #[inline(always)]
    fn le(self, other: F16) -> bool {
        self.to_f32() <= other.to_f32()
    }
    #[inline(always)]
    fn floor(self) -> F16 {
        F16::from_f32(exact::single::floor(self.to_f32()))
    }
    #[inline(always)]
    fn ceil(self) -> F16 {
        F16::from_f32(exact::single::ceil(self.to_f32()))
    }
    #[inline(always)]
    fn trunc(self) -> F16 {
        F16::from_f32(exact::single::trunc(self.to_f32()))
    }
    #[inline(always)]
    fn round(self) -> F16 {
        F16::from_f32(exact::single::round(self.to_f32()))
    }
    #[inline(always)]
    fn sqrt(self) -> F16 {
        F16::from_f32(self.to_f32().sqrt())
    }
    #[inline(always)]
    fn rsqrt(self) -> F16 {
        F16::from_f64(1.0 / f64::from(self.to_f32()).sqrt())
    }
    #[inline(always)]
    fn saturate(self) -> F16 {
        F16::from_f32(Float::saturate(self.to_f32()))
    }
}
