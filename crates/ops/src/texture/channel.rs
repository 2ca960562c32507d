//! One channel of a texel: the numbers that its bits represent.
//!
//! Everything that converts channels starts from here: textures and typed buffers on the host, and the instructions
//! that back ends emit, for which the steps and limits are public.

use super::Encoding;

/// How the bits of a channel are read, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    pub encoding: Encoding,
    pub bits: u8,
}

impl Channel {
    pub const fn new(encoding: Encoding, bits: u8) -> Channel {
        Channel { encoding, bits }
    }

    /// The channel with all bits set, without the sign bit of signed ones: the most steps or the largest integer.
    fn most(self) -> u64 {
        u64::MAX >> (64 - u32::from(self.bits) + u32::from(self.is_signed()))
    }

    /// Whether the highest bit is a sign, of integers and normalised numbers.
    pub fn is_signed(self) -> bool {
        matches!(self.encoding, Encoding::Snorm | Encoding::Sint)
    }

    /// The number of steps from 0 to 1 of a normalised channel; `None` for all others.
    pub fn steps(self) -> Option<u32> {
        match self.encoding {
            Encoding::Unorm | Encoding::Snorm => Some(self.most() as u32),
            Encoding::Uint | Encoding::Sint | Encoding::Float | Encoding::Srgb => None,
        }
    }

    /// The least and the largest integer; `None` if the channel holds no integers.
    pub fn limits(self) -> Option<(i64, u64)> {
        match self.encoding {
            Encoding::Uint => Some((0, self.most())),
            Encoding::Sint => Some((!(self.most() as i64), self.most())),
            Encoding::Unorm | Encoding::Snorm | Encoding::Float | Encoding::Srgb => None,
        }
    }

    /// The bits, zero-extended, as an integer with the channel's sign.
    pub fn whole(self, raw: u64) -> i64 {
        let unused = 64 - u32::from(self.bits);
        if self.is_signed() { ((raw << unused) as i64) >> unused } else { raw as i64 }
    }

    /// The value of a normalised channel. The quotient in f64, rounded again to a smaller type, is the number of that
    /// type nearest to the exact one.
    pub fn fraction(self, raw: u64) -> f64 {
        (self.whole(raw) as f64 / self.most() as f64).max(-1.0)
    }

    /// The step of a normalised channel nearest to a number, halves away from zero: clamp, scale and round. NaN
    /// gives 0. Negative steps are sign-extended.
    pub fn nearest(self, value: f64) -> i64 {
        let least = if self.is_signed() { -1.0 } else { 0.0 };
        // NaN passes the clamp, and the conversion makes it 0.
        (value.clamp(least, 1.0) * self.most() as f64).round() as i64
    }

    /// The nearest integer that the channel can hold, of an unsigned one.
    pub fn saturated(self, value: u64) -> u64 {
        value.min(self.most())
    }

    /// The same of a signed one.
    pub fn saturated_signed(self, value: i64) -> i64 {
        let most = self.most() as i64;
        value.clamp(!most, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_steps_follow_from_the_bits() {
        let of = |encoding, bits| Channel::new(encoding, bits);
        assert_eq!(of(Encoding::Unorm, 8).steps(), Some(255));
        assert_eq!(of(Encoding::Unorm, 2).steps(), Some(3));
        assert_eq!(of(Encoding::Snorm, 16).steps(), Some(32767));
        assert_eq!(of(Encoding::Uint, 10).limits(), Some((0, 1023)));
        assert_eq!(of(Encoding::Sint, 8).limits(), Some((-128, 127)));
        assert_eq!(of(Encoding::Sint, 64).limits(), Some((i64::MIN, i64::MAX as u64)));
        assert_eq!(of(Encoding::Uint, 64).limits(), Some((0, u64::MAX)));
        assert_eq!(of(Encoding::Float, 16).steps(), None);
    }

    /// Each step is the nearest to its own value, and so are the numbers up to halfway to its neighbours.
    #[test]
    fn steps_round_trip() {
        for (encoding, bits) in [
            (Encoding::Unorm, 8),
            (Encoding::Unorm, 16),
            (Encoding::Snorm, 8),
            (Encoding::Unorm, 10),
        ] {
            let channel = Channel::new(encoding, bits);
            let steps = f64::from(channel.steps().unwrap());
            for raw in 0..1 << bits {
                let whole = channel.whole(raw);
                if whole as f64 >= -steps {
                    assert_eq!(channel.nearest(channel.fraction(raw)), whole);
                }
            }
            assert_eq!(channel.nearest(f64::NAN), 0);
            assert_eq!(channel.nearest(7.0), steps as i64);
        }
    }
}
