//! Operations that IEEE 754 defines to the last bit, but that a host may implement in its mathematics library:
//! rounding to integers, the remainder, and the fused multiply-add of doubles.
//!
//! They use only integers and the basic operations, so that the host's library does not matter. Rounding is
//! branch-free, so that loops over lanes vectorise.
//! A NaN result may be any NaN; the caller canonicalises it if necessary.
//!
//! The square root is not here: it is as basic as division.

/// Rounding and remainders for one float type.
macro_rules! exact {
    ($float:ident, $name:ident, digits: $digits:literal, chunk: $chunk:literal) => {
        pub(super) mod $name {
            use std::$float;

            /// From here up every number is an integer; adding this to a smaller number rounds that to an integer.
            const WHOLE: $float = (1u64 << ($float::MANTISSA_DIGITS - 1)) as $float;

            /// Rounds to the nearest integer, ties to even; the sign stays.
            #[inline(always)]
            pub(in crate::scalar) fn round(x: $float) -> $float {
                let magnitude = x.abs();
                let rounded = (magnitude + WHOLE) - WHOLE;
                (if magnitude < WHOLE { rounded } else { magnitude }).copysign(x)
            }

            #[inline(always)]
            pub(in crate::scalar) fn floor(x: $float) -> $float {
                let near = round(x);
                near - if near > x { 1.0 } else { 0.0 }
            }

            #[inline(always)]
            pub(in crate::scalar) fn ceil(x: $float) -> $float {
                -floor(-x)
            }

            #[inline(always)]
            pub(in crate::scalar) fn trunc(x: $float) -> $float {
                floor(x.abs()).copysign(x)
            }

            /// The remainder of `x` after integral multiples of `y`, with the sign of `x`: always representable.
            pub(in crate::scalar) fn rem(x: $float, y: $float) -> $float {
                let (size, step) = (x.abs(), y.abs());
                if !(size < $float::INFINITY && step > 0.0) {
                    // An infinity or a NaN on the left, or a zero or a NaN on the right.
                    return $float::NAN;
                }
                if size < step {
                    return x;
                }
                let (mut rest, power) = parts(size);
                let (step, unit) = parts(step);
                rest %= step;
                // Both are integral multiples of 2^unit: scale up in chunks that leave room for a whole
                // significand.
                let mut left = power - unit;
                while left > 0 && rest != 0 {
                    let shift = left.min($chunk);
                    rest = (rest << shift) % step;
                    left -= shift;
                }
                scale(rest, unit).copysign(x)
            }

            /// A finite positive number as a significand and the exponent of its last place.
            fn parts(x: $float) -> (u64, i32) {
                let bits = u64::from(x.to_bits());
                let (exponent, fraction) = ((bits >> $digits) as i32, bits & ((1 << $digits) - 1));
                match exponent {
                    0 => (fraction, 1),
                    _ => (fraction | 1 << $digits, exponent),
                }
            }

            /// The inverse of [`parts`], for a significand of at most as many bits.
            fn scale(significand: u64, power: i32) -> $float {
                if significand == 0 {
                    return 0.0;
                }
                let spare = $digits + 1 - (u64::BITS - significand.leading_zeros()) as i32;
                let shift = spare.min(power - 1);
                let bits = (significand << shift) + ((power - 1 - shift) as u64) * (1 << $digits);
                $float::from_bits(bits as _)
            }
        }
    };
}

exact!(f32, single, digits: 23, chunk: 40);
exact!(f64, double, digits: 52, chunk: 11);

/// The fused multiply-add, rounded once.
pub(super) fn fused(a: f64, b: f64, c: f64) -> f64 {
    let plain = a * b + c;
    if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
        // The product is exact, or not finite.
        return plain;
    }
    if !c.is_finite() {
        // The product is finite, however large.
        return c + c;
    }
    if c == 0.0 {
        return a * b;
    }
    let (product, term) = (Wide::product(a, b), Wide::of(c));
    let (large, small) = if product.top >= term.top { (product, term) } else { (term, product) };
    // A sticky bit: what is shifted out still says on which side of a half the result lies.
    let distance = large.top - small.top;
    let shifted = if distance > 126 { 1 } else { shift_right(small.digits, distance as u32) };
    let (negative, digits) = if large.negative == small.negative {
        (large.negative, large.digits + shifted)
    } else if large.digits >= shifted {
        (large.negative, large.digits - shifted)
    } else {
        (small.negative, shifted - large.digits)
    };
    Wide { negative, digits, top: large.top }.round()
}

/// A number with more digits than a double has: `digits` · 2^(`top` - 126).
struct Wide {
    negative: bool,
    digits: u128,
    top: i32,
}

impl Wide {
    /// A finite number other than zero.
    fn of(x: f64) -> Wide {
        let (significand, power) = Wide::parts(x);
        Wide { negative: x.is_sign_negative(), digits: u128::from(significand), top: power + 126 }
            .normal()
    }

    /// Exact: 53 bits by 53 bits.
    fn product(a: f64, b: f64) -> Wide {
        let ((x, i), (y, j)) = (Wide::parts(a), Wide::parts(b));
        let negative = a.is_sign_negative() != b.is_sign_negative();
        Wide { negative, digits: u128::from(x) * u128::from(y), top: i + j + 126 }.normal()
    }

    /// The significand, and the exponent of its last place.
    fn parts(x: f64) -> (u64, i32) {
        let (exponent, fraction) = (x.to_bits() >> 52 & 0x7ff, x.to_bits() & ((1 << 52) - 1));
        match exponent {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, exponent as i32 - 1075),
        }
    }

    /// Normalised: the first digit is at bit 126, which leaves one bit for a carry.
    fn normal(self) -> Wide {
        let shift = self.digits.leading_zeros() as i32 - 1;
        let digits = if shift < 0 { shift_right(self.digits, 1) } else { self.digits << shift };
        Wide { digits, top: self.top - shift, ..self }
    }

    /// The nearest double, ties to even.
    fn round(self) -> f64 {
        if self.digits == 0 {
            return 0.0;
        }
        let it = self.normal();
        // Denormals have fewer digits, down to none.
        let exponent = it.top.max(-1022);
        let dropped = 126 - 52 + (exponent - it.top);
        let (whole, rest) = match dropped {
            ..=127 => (it.digits >> dropped, it.digits << (128 - dropped)),
            _ => (0, 1),
        };
        let up = rest > 1 << 127 || rest == 1 << 127 && whole & 1 == 1;
        let significand = whole as u64 + u64::from(up);
        // The leading digit of a normal number adds one to the exponent field; a carry increments it.
        let magnitude = match exponent {
            1024.. => f64::INFINITY.to_bits(),
            _ => (((exponent + 1022) as u64) << 52) + significand,
        };
        f64::from_bits(magnitude | u64::from(it.negative) << 63)
    }
}

/// Shifts right, keeping a sticky bit: the last bit records whether any bit was lost.
fn shift_right(digits: u128, by: u32) -> u128 {
    let lost = digits & !(u128::MAX << by) != 0;
    digits >> by | u128::from(lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of all magnitudes, from a fixed seed, and every pair of special values.
    fn doubles() -> Vec<f64> {
        let mut state = 0x0123_4567_89ab_cdef_u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 29
        };
        let mut all = vec![
            0.0,
            0.5,
            1.0,
            1.5,
            2.5,
            1e300,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            4_503_599_627_370_495.5,
            4_503_599_627_370_497.0,
            f64::INFINITY,
            f64::NAN,
        ];
        for _ in 0..150 {
            all.push(f64::from_bits(next()));
            // Near 1, where sums cancel and halves are frequent.
            all.push(f64::from_bits(next() >> 7 & !0 >> 11 | 0x3fe0_0000_0000_0000));
            all.push((next() as i32 >> (next() & 31)) as f64 / 4.0);
        }
        let negative: Vec<f64> = all.iter().map(|x| -x).collect();
        all.extend(negative);
        all
    }

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    // The host's functions are good enough to compare with, but must not be used in the definitions.

    #[test]
    fn rounding_to_integers_follows_the_definition() {
        for x in doubles() {
            for x in [x, x.next_up(), x.next_down()] {
                assert!(same(double::floor(x), x.floor()), "floor({x:e})");
                assert!(same(double::ceil(x), x.ceil()), "ceil({x:e})");
                assert!(same(double::trunc(x), x.trunc()), "trunc({x:e})");
                assert!(same(double::round(x), x.round_ties_even()), "round({x:e})");
                let x = x as f32;
                let [floor, ceil] = [single::floor(x), single::ceil(x)].map(f64::from);
                let [trunc, round] = [single::trunc(x), single::round(x)].map(f64::from);
                assert!(same(floor, x.floor().into()), "floor({x:e})");
                assert!(same(ceil, x.ceil().into()), "ceil({x:e})");
                assert!(same(trunc, x.trunc().into()), "trunc({x:e})");
                assert!(same(round, x.round_ties_even().into()), "round({x:e})");
            }
        }
    }

    #[test]
    fn remainders_are_exact() {
        let all = doubles();
        for x in &all {
            for y in &all {
                assert!(same(double::rem(*x, *y), x % y), "{x:e} % {y:e}");
                let (x, y) = (*x as f32, *y as f32);
                assert!(same(single::rem(x, y).into(), (x % y).into()), "{x:e} % {y:e}");
            }
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the host's fused multiply-add also rounds once")]
    fn a_fused_multiply_add_rounds_once() {
        let all = doubles();
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate().skip(i % 7).step_by(7) {
                let any = all[(i * 31 + j * 17) % all.len()];
                // The last two nearly cancel: little more than the rounding error of the product is left.
                for c in [any, -(a * b), -(a * b).next_up()] {
                    let (got, expected) = (fused(*a, *b, c), a.mul_add(*b, c));
                    assert!(
                        same(got, expected),
                        "{a:e} * {b:e} + {c:e}: {got:e}, not {expected:e}"
                    );
                }
            }
        }
        // A product below the smallest number keeps its sign, and is rounded together with the sum.
        let tiny = f64::from_bits(1);
        assert!(same(fused(tiny, -0.5, 0.0), -0.0));
        assert!(same(fused(tiny, 0.5, tiny), f64::from_bits(2)));
        assert!(same(fused(f64::MAX, 2.0, -f64::MAX), f64::MAX));
        assert!(same(fused(f64::MAX, f64::MAX, f64::NEG_INFINITY), f64::NEG_INFINITY));
    }
}
