//! Groupshared and private arrays: scalars with a poison bit each, initially zero and poisoned.
//!
//! An index beyond the end loads zero, poisoned, and stores nothing.

use std::hash::{Hash, Hasher};

use ops::{LaneMask, Repr, Ty};

use crate::code::Array;

/// The groupshared arrays of one group.
#[derive(Clone, Debug)]
pub(crate) struct SharedMemory {
    arrays: Vec<SharedArray>,
}

#[derive(Clone, Debug)]
struct SharedArray {
    repr: Repr,
    /// Bits and words alike.
    words: Vec<u32>,
    longs: Vec<u64>,
    /// Empty unless poison is tracked.
    poison: Vec<bool>,
}

impl SharedMemory {
    pub(crate) fn new(arrays: &[Array], track_poison: bool) -> SharedMemory {
        let array = |it: &Array| {
            let n = it.len as usize;
            let long = it.ty.repr() == Repr::Long;
            SharedArray {
                repr: it.ty.repr(),
                words: vec![0; if long { 0 } else { n }],
                longs: vec![0; if long { n } else { 0 }],
                poison: vec![true; if track_poison { n } else { 0 }],
            }
        };
        SharedMemory { arrays: arrays.iter().map(array).collect() }
    }

    pub(crate) fn reset(&mut self) {
        for array in &mut self.arrays {
            array.words.fill(0);
            array.longs.fill(0);
            array.poison.fill(true);
        }
    }

    #[inline(always)]
    pub(crate) fn load(&self, array: usize, index: u64) -> Option<u64> {
        let array = &self.arrays[array];
        match array.repr {
            Repr::Bit | Repr::Word => array.words.get(index as usize).map(|it| u64::from(*it)),
            Repr::Long => array.longs.get(index as usize).copied(),
        }
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, array: usize, index: u64, bits: u64) {
        let array = &mut self.arrays[array];
        match array.repr {
            Repr::Bit | Repr::Word => {
                if let Some(place) = array.words.get_mut(index as usize) {
                    *place = bits as u32;
                }
            }
            Repr::Long => {
                if let Some(place) = array.longs.get_mut(index as usize) {
                    *place = bits;
                }
            }
        }
    }

    /// The elements of an array of words, and which of them are poisoned.
    #[inline(always)]
    pub(crate) fn words(&self, array: usize) -> Option<(&[u32], &[bool])> {
        let array = &self.arrays[array];
        (array.repr == Repr::Word).then_some((&array.words, &array.poison))
    }

    /// The same for stores.
    #[inline(always)]
    pub(crate) fn words_mut(&mut self, array: usize) -> Option<(&mut [u32], &mut [bool])> {
        let array = &mut self.arrays[array];
        (array.repr == Repr::Word).then_some((&mut array.words, &mut array.poison))
    }

    /// Out of bounds, everything is poisoned.
    pub(crate) fn poison(&self, array: usize, index: u64) -> bool {
        self.arrays[array].poison.get(index as usize).copied().unwrap_or(true)
    }

    pub(crate) fn set_poison(&mut self, array: usize, index: u64, poisoned: bool) {
        if let Some(place) = self.arrays[array].poison.get_mut(index as usize) {
            *place = poisoned;
        }
    }
}

/// The private arrays of the lanes of one wave: a row of lanes for each element.
#[derive(Clone, Debug)]
pub(crate) struct PrivateMemory {
    width: usize,
    arrays: Vec<PrivateArray>,
}

#[derive(Clone, Debug)]
struct PrivateArray {
    ty: Ty,
    len: u64,
    bits: Vec<LaneMask>,
    words: Vec<u32>,
    longs: Vec<u64>,
    /// Empty unless poison is tracked.
    poison: Vec<LaneMask>,
}

impl PrivateMemory {
    pub(crate) fn new(arrays: &[Array], width: u32, track_poison: bool) -> PrivateMemory {
        let width = width as usize;
        let array = |it: &Array| {
            let n = it.len as usize;
            let size = |repr: Repr, size: usize| if it.ty.repr() == repr { size } else { 0 };
            PrivateArray {
                ty: it.ty,
                len: u64::from(it.len),
                bits: vec![LaneMask::EMPTY; size(Repr::Bit, n)],
                words: vec![0; size(Repr::Word, n * width)],
                longs: vec![0; size(Repr::Long, n * width)],
                poison: vec![LaneMask::ALL; if track_poison { n } else { 0 }],
            }
        };
        PrivateMemory { width, arrays: arrays.iter().map(array).collect() }
    }

    pub(crate) fn reset(&mut self) {
        for array in &mut self.arrays {
            array.bits.fill(LaneMask::EMPTY);
            array.words.fill(0);
            array.longs.fill(0);
            array.poison.fill(LaneMask::ALL);
        }
    }

    #[inline(always)]
    pub(crate) fn load(&self, array: usize, index: u64, lane: u32) -> Option<u64> {
        let array = &self.arrays[array];
        if index >= array.len {
            return None;
        }
        let at = index as usize * self.width + lane as usize;
        Some(match array.ty.repr() {
            Repr::Bit => u64::from(array.bits[index as usize].contains(lane)),
            Repr::Word => u64::from(array.words[at]),
            Repr::Long => array.longs[at],
        })
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, array: usize, index: u64, lane: u32, bits: u64) {
        let array = &mut self.arrays[array];
        if index >= array.len {
            return;
        }
        let at = index as usize * self.width + lane as usize;
        match array.ty.repr() {
            Repr::Bit => {
                array.bits[index as usize] = array.bits[index as usize].with(lane, bits & 1 == 1)
            }
            Repr::Word => array.words[at] = bits as u32,
            Repr::Long => array.longs[at] = bits,
        }
    }

    /// Feeds the contents of all lanes into a hash.
    pub(crate) fn hash(&self, hasher: &mut impl Hasher) {
        self.arrays.iter().for_each(|it| (&it.bits, &it.words, &it.longs).hash(hasher));
    }

    pub(crate) fn poison(&self, array: usize, index: u64, lane: u32) -> bool {
        self.arrays[array].poison.get(index as usize).is_none_or(|it| it.contains(lane))
    }

    pub(crate) fn set_poison(&mut self, array: usize, index: u64, lane: u32, poisoned: bool) {
        if let Some(place) = self.arrays[array].poison.get_mut(index as usize) {
            *place = place.with(lane, poisoned);
        }
    }
}
