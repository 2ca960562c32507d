//! Lane masks: sets of the lanes of one wave.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// A set of the lanes of one wave; lane L is bit L.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneMask(pub u128);

impl LaneMask {
    pub const EMPTY: LaneMask = LaneMask(0);
    pub const ALL: LaneMask = LaneMask(u128::MAX);

    /// The lanes `0..n`.
    pub fn first_n(n: u32) -> LaneMask {
        LaneMask(if n >= 128 { u128::MAX } else { (1 << n) - 1 })
    }

    pub fn only(lane: u32) -> LaneMask {
        LaneMask(1 << lane)
    }

    /// The lanes with a smaller index than `lane`.
    pub fn below(lane: u32) -> LaneMask {
        LaneMask::first_n(lane)
    }

    pub fn contains(self, lane: u32) -> bool {
        lane < 128 && self.0 >> lane & 1 == 1
    }

    pub fn with(self, lane: u32, member: bool) -> LaneMask {
        LaneMask(self.0 & !(1 << lane) | u128::from(member) << lane)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The lane with the smallest index.
    pub fn first(self) -> Option<u32> {
        (self.0 != 0).then(|| self.0.trailing_zeros())
    }

    /// The lanes in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lane = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(lane)
        })
    }

    /// In HLSL's form: a `uint4` whose `x` holds lanes 0 to 31.
    pub fn words(self) -> [u32; 4] {
        [self.0 as u32, (self.0 >> 32) as u32, (self.0 >> 64) as u32, (self.0 >> 96) as u32]
    }

    pub fn from_words(words: [u32; 4]) -> LaneMask {
        LaneMask(words.iter().rev().fold(0, |mask, word| mask << 32 | u128::from(*word)))
    }
}

impl BitAnd for LaneMask {
    type Output = LaneMask;
    fn bitand(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 & other.0)
    }
}

impl BitAndAssign for LaneMask {
    fn bitand_assign(&mut self, other: LaneMask) {
        self.0 &= other.0;
    }
}

impl BitOr for LaneMask {
    type Output = LaneMask;
    fn bitor(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 | other.0)
    }
}

impl BitOrAssign for LaneMask {
    fn bitor_assign(&mut self, other: LaneMask) {
        self.0 |= other.0;
    }
}

impl BitXor for LaneMask {
    type Output = LaneMask;
    fn bitxor(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 ^ other.0)
    }
}

impl Not for LaneMask {
    type Output = LaneMask;
    fn not(self) -> LaneMask {
        LaneMask(!self.0)
    }
}

impl FromIterator<u32> for LaneMask {
    fn from_iter<I: IntoIterator<Item = u32>>(lanes: I) -> LaneMask {
        lanes.into_iter().fold(LaneMask::EMPTY, |set, lane| set.with(lane, true))
    }
}

impl fmt::Debug for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::LaneMask;

    #[test]
    fn words_round_trip() {
        for lane in 0..128 {
            let set = LaneMask::only(lane);
            assert_eq!(LaneMask::from_words(set.words()), set);
            assert_eq!(set.words()[lane as usize / 32], 1 << (lane % 32));
            assert_eq!(set.iter().collect::<Vec<_>>(), [lane]);
        }
        assert_eq!(LaneMask::first_n(128), LaneMask::ALL);
        assert_eq!(LaneMask::first_n(0), LaneMask::EMPTY);
    }
}
