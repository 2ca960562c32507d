//! The 16-bit float, as bits, and its conversions: each rounds once, to nearest even.
//!
//! Arithmetic on it is defined in `scalar`. Written with selects instead of branches, so that loops over lanes vectorise.

/// The bits of an IEEE binary16 number.
#[derive(Clone, Copy, Debug)]
pub struct F16(pub u16);

/// What is added to the exponent field of a half to make that of a float: 127 - 15.
const REBIAS: u32 = 112 << 23;

impl F16 {
    /// Rounds to nearest even; overflow gives an infinity, a NaN the canonical one.
    #[inline(always)]
    pub fn from_f32(value: f32) -> F16 {
        let bits = value.to_bits();
        let sign = bits >> 16 & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        // Adding just under half a unit, and the lowest bit that stays, rounds ties to even.
        let normal = (magnitude.wrapping_add(0xfff + (magnitude >> 13 & 1)) >> 13).wrapping_sub(REBIAS >> 13);
        // Added to 0.5, a number below 2^-14 has its last bit where that of a denormal half is: the addition rounds.
        let denormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
        let finite = if magnitude < 113 << 23 { denormal } else { normal };
        // From 65520 on, halfway between the largest half and the next power of two, numbers round to infinity.
        let rounded = if magnitude >= 0x477f_f000 { 0x7c00 } else { finite };
        if magnitude > 0x7f80_0000 { F16(0x7e00) } else { F16((sign | rounded) as u16) }
    }

    /// Rounds once, to nearest even.
    #[inline(always)]
    pub fn from_f64(value: f64) -> F16 {
        // Rounded to odd, a float says on which side of a tie the exact value lies, so that the second rounding is right.
        let nearest = value as f32;
        let back = f64::from(nearest);
        let bits = nearest.to_bits();
        let moves = back != value && bits & 1 == 0 && value.is_finite();
        let moved = if back.abs() > value.abs() { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
        F16::from_f32(f32::from_bits(if moves { moved } else { bits }))
    }

    /// Exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let sign = u32::from(self.0 & 0x8000) << 16;
        let magnitude = u32::from(self.0 & 0x7fff) << 13;
        let normal = magnitude + REBIAS;
        // A denormal half becomes normal with the exponent of 2^-14; what that adds is taken away again.
        let denormal = (f32::from_bits(magnitude + (113 << 23)) - f32::from_bits(113 << 23)).to_bits();
        let special = magnitude | 0x7f80_0000;
        let bits = if magnitude < 1 << 23 { denormal } else { normal };
        let bits = if magnitude >= 31 << 23 { special } else { bits };
        f32::from_bits(sign | bits)
    }

    /// Exact.
    #[inline(always)]
    pub fn to_f64(self) -> f64 {
        f64::from(self.to_f32())
    }
}

#[cfg(test)]
mod tests {
    use super::F16;

    /// The value by its definition.
    fn exact(bits: u16) -> f64 {
        let exponent = i32::from(bits >> 10 & 31);
        let fraction = f64::from(bits & 0x3ff);
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
        };
        if bits & 0x8000 == 0 { magnitude } else { -magnitude }
    }

    #[test]
    fn every_half_has_its_value_and_comes_back() {
        for bits in 0..=u16::MAX {
            let value = F16(bits).to_f64();
            if value.is_nan() {
                assert!(exact(bits).is_nan());
                assert_eq!(F16::from_f64(value).0, 0x7e00);
                continue;
            }
            assert_eq!(value.to_bits(), exact(bits).to_bits());
            assert_eq!(F16::from_f64(value).0, bits);
            assert_eq!(F16::from_f32(value as f32).0, bits);
        }
    }

    #[test]
    fn values_between_two_halves_round_to_the_nearer_and_ties_to_even() {
        for bits in 0..0x7c00u16 {
            let (low, high) = (exact(bits), if bits == 0x7bff { 65536.0 } else { exact(bits + 1) });
            let middle = (low + high) / 2.0;
            let even = if bits & 1 == 0 { bits } else { bits + 1 };
            for sign in [1.0, -1.0] {
                let round = |value: f64| F16::from_f64(sign * value).0 & 0x7fff;
                assert_eq!(round(middle), even);
                assert_eq!(F16::from_f32((sign * middle) as f32).0 & 0x7fff, even);
                // So close to the tie that a float cannot tell.
                assert_eq!(round(f64::from_bits(middle.to_bits() - 1)), bits);
                assert_eq!(round(f64::from_bits(middle.to_bits() + 1)), bits + 1);
            }
        }
        assert_eq!(F16::from_f64(1e300).0, 0x7c00);
        assert_eq!(F16::from_f64(-1e-300).0, 0x8000);
    }
}
