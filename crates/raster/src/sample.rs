//! Sample patterns.
//!
//! Spec: Direct3D 11.3, 19.2.4.1, "standard multisample patterns".

/// The samples of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Samples {
    One,
    Two,
    Four,
    Eight,
    Sixteen,
}

/// The largest number of samples.
pub(crate) const MOST: usize = 16;

impl Samples {
    pub const ALL: [Samples; 5] =
        [Samples::One, Samples::Two, Samples::Four, Samples::Eight, Samples::Sixteen];

    /// 1, 2, 4, 8 or 16.
    pub fn of(count: u32) -> Option<Samples> {
        Samples::ALL.into_iter().find(|it| it.count() == count)
    }

    #[inline]
    pub fn count(self) -> u32 {
        1 << self as u32
    }

    /// A bit for each sample.
    #[inline]
    pub fn all(self) -> u16 {
        ((1u32 << self.count()) - 1) as u16
    }

    /// Between which places of a pixel its samples lie in both directions, in 1/256 pixels.
    #[inline]
    pub(crate) fn reach(self) -> (u8, u8) {
        match self {
            Samples::One => (128, 128),
            _ => (0, 240),
        }
    }

    /// The offset of each sample from the centre of its pixel, in sixteenths of a pixel.
    #[inline]
    pub fn offsets(self) -> &'static [[i8; 2]] {
        match self {
            Samples::One => &[[0, 0]],
            Samples::Two => &[[4, 4], [-4, -4]],
            Samples::Four => &[[-2, -6], [6, -2], [-6, 2], [2, 6]],
            Samples::Eight => {
                &[[1, -3], [-1, 3], [5, 1], [-3, -5], [-5, 5], [-7, -1], [3, 7], [7, -7]]
            }
            Samples::Sixteen => &[
                [1, 1],
                [-1, -3],
                [-3, 2],
                [4, -1],
                [-5, -2],
                [2, 5],
                [5, 3],
                [3, -5],
                [-2, 6],
                [0, -7],
                [-4, -6],
                [-6, 4],
                [-8, 0],
                [7, -4],
                [6, 7],
                [-7, -8],
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_as_many_places_as_samples() {
        for samples in Samples::ALL {
            let mut places = samples.offsets().to_vec();
            assert_eq!(places.len() as u32, samples.count());
            assert_eq!(samples.all().count_ones(), samples.count());
            assert_eq!(Samples::of(samples.count()), Some(samples));
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len() as u32, samples.count());
            assert!(places.iter().flatten().all(|it| (-8..8).contains(it)));
        }
        assert_eq!(Samples::of(3), None);
    }
}
