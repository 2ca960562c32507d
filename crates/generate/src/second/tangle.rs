//! Sets of lanes, one bit each.

/// The lanes that execute something together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tangle(u128);

impl Tangle {
    /// Lane 0 and those after it, this many in all.
    pub(super) fn first(count: u32) -> Tangle {
        Tangle(u128::MAX.checked_shr(128 - count).unwrap_or(0))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// No set has lanes that a wave cannot have.
    pub(super) fn contains(self, lane: u32) -> bool {
        lane < 128 && self.0 >> lane & 1 == 1
    }

    pub(super) fn extend(&mut self, other: Tangle) {
        self.0 |= other.0;
    }

    pub(super) fn without(self, other: Tangle) -> Tangle {
        Tangle(self.0 & !other.0)
    }

    /// Those lanes of which it is true, and the others.
    pub(super) fn partition(self, is: impl Fn(u32) -> bool) -> (Tangle, Tangle) {
        let yes = self.iter().filter(|lane| is(*lane)).collect();
        (yes, self.without(yes))
    }

    /// In ascending order.
    pub(super) fn iter(self) -> Lanes {
        Lanes(self.0)
    }
}

impl FromIterator<u32> for Tangle {
    fn from_iter<T: IntoIterator<Item = u32>>(lanes: T) -> Tangle {
        Tangle(lanes.into_iter().fold(0, |set, lane| set | 1 << lane))
    }
}

impl IntoIterator for Tangle {
    type Item = u32;
    type IntoIter = Lanes;

    fn into_iter(self) -> Lanes {
        self.iter()
    }
}

/// The lanes of a set that are still to come.
pub(super) struct Lanes(u128);

impl Iterator for Lanes {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let lane = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (lane < 128).then_some(lane)
    }
}

#[test]
fn sets_hold_their_lanes_in_ascending_order() {
    let some: Tangle = [127, 0, 64, 3].into_iter().collect();
    assert_eq!(some.iter().collect::<Vec<u32>>(), [0, 3, 64, 127]);
    assert!(some.contains(127) && !some.contains(1) && !some.contains(128));
    let (low, high) = some.partition(|lane| lane < 64);
    assert_eq!((low.len(), high.iter().last()), (2, Some(127)));
    assert_eq!(Tangle::first(128).len(), 128);
    assert!(Tangle::first(0).is_empty() && Tangle::first(4) == Tangle(15));
}
