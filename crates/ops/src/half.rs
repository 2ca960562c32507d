//! The 16-bit float: its bits, and the exact conversions to and from wider floats.
//!
//! Arithmetic is not here: `scalar` computes in a wider type and rounds once.
//! Conversions are branch-free (integer operations, selects and one addition), so that loops over lanes vectorise.

/// A float of 1 sign, 5 exponent and 10 fraction bits (IEEE binary16), as its bits.
///
/// There is no `PartialEq`: the caller decides whether to compare bits or numbers.
#[derive(Clone, Copy, Debug)]
pub struct F16(pub u16);

const SIGN: u16 = 0x8000;
const INFINITY: u16 = 0x7c00;
const NAN: u16 = 0x7e00;

impl F16 {
    /// Rounds to nearest, ties to even; values from 65520 up become infinity. Denormals are kept; every NaN becomes
    /// `0x7e00`.
    #[inline]
    pub fn from_f32(value: f32) -> F16 {
        let sign = (value.to_bits() >> 16) as u16 & SIGN;
        let magnitude = value.to_bits() & 0x7fff_ffff;

        // Half a unit in the last place, less one if that place is even, carries exactly when rounding goes up;
        // a carry out of the fraction increments the exponent. The biases differ by 127 - 15.
        let tie = (magnitude >> 13) & 1;
        let normal = magnitude.wrapping_add(0xfff + tie).wrapping_sub(112 << 23) >> 13;
        let normal = normal.min(u32::from(INFINITY));

        // The last place of 0.5 is 2^-24, the smallest f16: the addition rounds, and its fraction is the result. The
        // 16 bits that are kept hold nothing else.
        let denormal = (f32::from_bits(magnitude) + 0.5).to_bits();

        let number = if magnitude < 0x3880_0000 { denormal } else { normal };
        F16(if magnitude > 0x7f80_0000 { NAN } else { sign | number as u16 })
    }

    /// Like [`F16::from_f32`], with a single rounding.
    #[inline]
    pub fn from_f64(value: f64) -> F16 {
        let sign = (value.to_bits() >> 48) as u16 & SIGN;
        let magnitude = value.to_bits() & (u64::MAX >> 1);

        let tie = (magnitude >> 42) & 1;
        let normal = magnitude.wrapping_add((1 << 41) - 1 + tie).wrapping_sub(1008 << 52) >> 42;
        let normal = normal.min(u64::from(INFINITY));

        // The last place of 2^28 is 2^-24.
        let denormal = (f64::from_bits(magnitude) + f64::from(1 << 28)).to_bits();

        let number = if magnitude < 0x3f10_0000_0000_0000 { denormal } else { normal };
        F16(if magnitude > 0x7ff0_0000_0000_0000 { NAN } else { sign | number as u16 })
    }

    /// Exact; every NaN becomes the canonical quiet one, `0x7fc00000`.
    #[inline]
    pub fn to_f32(self) -> f32 {
        let sign = u32::from(self.0 & SIGN) << 16;
        let magnitude = u32::from(self.0 & !SIGN);

        let normal = (magnitude << 13) + (112 << 23);
        // Denormals count units of 2^-24.
        let denormal = (magnitude as i32 as f32 * (1.0 / 16_777_216.0)).to_bits();

        let number = if magnitude < 0x0400 { denormal } else { normal };
        let number = if magnitude == u32::from(INFINITY) { 0x7f80_0000 } else { number };
        f32::from_bits(if magnitude > u32::from(INFINITY) { 0x7fc0_0000 } else { sign | number })
    }

    /// Exact; every NaN becomes the canonical quiet one, `0x7ff8000000000000`.
    #[inline]
    pub fn to_f64(self) -> f64 {
        let wide = f64::from(self.to_f32());
        if wide.is_nan() { f64::from_bits(0x7ff8_0000_0000_0000) } else { wide }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of finite bits, in units of 2^-24, written from the definition.
    fn units(bits: u16) -> u64 {
        let (exponent, fraction) = (u64::from(bits >> 10 & 31), u64::from(bits & 1023));
        if exponent == 0 { fraction } else { (1024 + fraction) << (exponent - 1) }
    }

    /// The value of non-negative bits; infinity counts as 2^16, the next power after the largest number.
    fn value(bits: u16) -> f64 {
        units(bits) as f64 / 16_777_216.0
    }

    /// The conversion by search: the nearer of the two neighbours, ties to even.
    fn nearest(wide: f64) -> u16 {
        if wide.is_nan() {
            return NAN;
        }
        let sign = if wide.is_sign_negative() { SIGN } else { 0 };
        let wide = wide.abs();
        let (mut low, mut high) = (0, INFINITY);
        if wide >= value(INFINITY) {
            return sign | INFINITY;
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            if value(middle) <= wide { low = middle } else { high = middle }
        }
        // The midpoint has 12 significant bits, so it is exact.
        let midpoint = (value(low) + value(high)) / 2.0;
        let up = wide > midpoint || wide == midpoint && low & 1 == 1;
        sign | if up { high } else { low }
    }

    #[test]
    fn every_value_survives_a_round_trip_through_a_wider_float() {
        for bits in 0..=u16::MAX {
            let half = F16(bits);
            let kept = if bits & !SIGN > INFINITY { NAN } else { bits };
            assert_eq!(F16::from_f32(half.to_f32()).0, kept, "{bits:#06x} through f32");
            assert_eq!(F16::from_f64(half.to_f64()).0, kept, "{bits:#06x} through f64");
        }
    }

    #[test]
    fn every_value_matches_the_definition() {
        for bits in 0..INFINITY {
            let (positive, negative) = (F16(bits), F16(bits | SIGN));
            assert_eq!(positive.to_f64().to_bits(), value(bits).to_bits(), "{bits:#06x}");
            assert_eq!(positive.to_f32().to_bits(), (value(bits) as f32).to_bits(), "{bits:#06x}");
            assert_eq!(negative.to_f64().to_bits(), (-value(bits)).to_bits(), "-{bits:#06x}");
            assert_eq!(
                negative.to_f32().to_bits(),
                (-value(bits) as f32).to_bits(),
                "-{bits:#06x}"
            );
        }
        for bits in INFINITY + 1..SIGN {
            for bits in [bits, bits | SIGN] {
                assert_eq!(F16(bits).to_f32().to_bits(), 0x7fc0_0000, "{bits:#06x}");
                assert_eq!(F16(bits).to_f64().to_bits(), 0x7ff8_0000_0000_0000, "{bits:#06x}");
            }
        }
        assert_eq!(F16(INFINITY).to_f32(), f32::INFINITY);
        assert_eq!(F16(INFINITY | SIGN).to_f64(), f64::NEG_INFINITY);
    }

    #[test]
    fn every_midpoint_and_its_neighbours_round_to_nearest_even() {
        for bits in 0..INFINITY {
            let midpoint = value(bits).midpoint(value(bits + 1));
            let narrow = midpoint as f32;
            for wide in [midpoint.next_down(), midpoint, midpoint.next_up()] {
                for wide in [wide, -wide] {
                    assert_eq!(F16::from_f64(wide).0, nearest(wide), "{wide:e}");
                }
            }
            for wide in [narrow.next_down(), narrow, narrow.next_up()] {
                for wide in [wide, -wide] {
                    assert_eq!(F16::from_f32(wide).0, nearest(f64::from(wide)), "{wide:e}");
                }
            }
        }
    }

    #[test]
    fn arbitrary_bits_of_a_wider_float_round_to_nearest_even() {
        let mut random = crate::Random::new(1);
        for _ in 0..50_000 {
            let state = random.bits();
            let any = f32::from_bits((state >> 32) as u32);
            assert_eq!(F16::from_f32(any).0, nearest(f64::from(any)), "{any:e}");
            let any = f64::from_bits(state);
            assert_eq!(F16::from_f64(any).0, nearest(any), "{any:e}");
            // Most f64 are far out of range; these are not.
            let near = f64::from_bits(state >> 6 | 0x3c00_0000_0000_0000);
            assert_eq!(F16::from_f64(near).0, nearest(near), "{near:e}");
        }
        for (wide, half) in [
            (f64::MIN_POSITIVE, 0),
            (5e-324, 0),
            (-5e-324, SIGN),
            (-0.0, SIGN),
            (f64::MAX, INFINITY),
        ] {
            assert_eq!(F16::from_f64(wide).0, half, "{wide:e}");
        }
        for nan in [0x7f80_0001, 0xffc0_0000, u32::MAX] {
            assert_eq!(F16::from_f32(f32::from_bits(nan)).0, NAN, "{nan:#x}");
        }
    }

    #[test]
    fn a_double_is_not_rounded_through_a_float() {
        // Just above the midpoint of 1 and its successor, by less than an f32 can represent.
        let above = 1.0 + 1.0 / 2048.0 + 1.0 / 1_099_511_627_776.0;
        assert_eq!(F16::from_f64(above).0, 0x3c01);
        assert_eq!(F16::from_f32(above as f32).0, 0x3c00);
    }
}
