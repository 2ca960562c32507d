//! What is known of the groups in flight: the tags and the values of their waves, and the tags of groupshared memory.

use ir::{Inst, Value};
use ops::LaneMask;

use super::Tag;
use super::queries::Queries;
use crate::hash::HashMap;

/// A decision on a tagged value that still has effects.
pub(super) struct Decision {
    /// The construct at whose end the lanes are together again; `None` if some returned.
    pub(super) until: Option<Inst>,
    pub(super) lanes: LaneMask,
    pub(super) tag: Tag,
}

/// The tags of one group.
#[derive(Default)]
pub(super) struct Group {
    /// By number.
    waves: Vec<Wave>,
    /// By array and element of groupshared memory.
    pub(super) shared: HashMap<(u32, u64), Tag>,
    /// By array, where any element may have changed.
    pub(super) shared_whole: HashMap<u32, Tag>,
}

impl Group {
    #[inline]
    pub(super) fn wave(&mut self, number: u32) -> &mut Wave {
        let number = number as usize;
        if self.waves.len() <= number {
            self.waves.resize_with(number + 1, Wave::default);
        }
        &mut self.waves[number]
    }
}

/// The tags and values of one wave.
#[derive(Default)]
pub(super) struct Wave {
    /// By value: a tag for each lane, if there are any.
    tags: Vec<Option<Box<[Tag]>>>,
    /// By value: the bits of each lane, for values that may be addresses.
    bits: Vec<Option<Box<[u64]>>>,
    pub(super) decisions: Vec<Decision>,
    /// What an event says about the result of an instruction that has not been marked yet.
    pub(super) pending: Option<(Inst, Vec<Tag>)>,
    pub(super) private: HashMap<(u32, u64, u32), Tag>,
    /// Private arrays of a lane of which any element may have changed.
    pub(super) private_whole: HashMap<(u32, u32), Tag>,
    pub(super) queries: Queries,
    /// Whether any value or array was ever tagged, or any decision. Most waves never see anything undefined.
    pub(super) is_tagged: bool,
}

impl Wave {
    pub(super) fn tag(&self, value: Value, lane: u32) -> Tag {
        let row = self.tags.get(value.index()).and_then(Option::as_ref);
        row.map_or(0, |it| it[lane as usize])
    }

    pub(super) fn bits(&self, value: Value, lane: u32) -> Option<u64> {
        let row = self.bits.get(value.index()).and_then(Option::as_ref)?;
        Some(row[lane as usize])
    }

    pub(super) fn set(
        &mut self,
        value: Value,
        width: u32,
        lanes: LaneMask,
        tag: impl Fn(u32) -> Tag,
    ) {
        if self.tags.len() <= value.index() {
            self.tags.resize_with(value.index() + 1, || None);
        }
        let row = &mut self.tags[value.index()];
        if row.is_none() && lanes.iter().all(|lane| tag(lane) == 0) {
            return;
        }
        self.is_tagged = true;
        let row = row.get_or_insert_with(|| vec![0; width as usize].into());
        lanes.iter().for_each(|lane| row[lane as usize] = tag(lane));
    }

    pub(super) fn set_bits(
        &mut self,
        value: Value,
        width: u32,
        lanes: LaneMask,
        bits: impl Fn(u32) -> u64,
    ) {
        if self.bits.len() <= value.index() {
            self.bits.resize_with(value.index() + 1, || None);
        }
        let row = self.bits[value.index()].get_or_insert_with(|| vec![0; width as usize].into());
        lanes.iter().for_each(|lane| row[lane as usize] = bits(lane));
    }

    /// What decided that a lane is here.
    pub(super) fn control(&self, lane: u32) -> Tag {
        let mut around = self.decisions.iter().filter(|it| it.lanes.contains(lane));
        around.next().map_or(0, |it| it.tag)
    }

    /// What decided which lanes are here.
    pub(super) fn company(&self) -> Tag {
        self.decisions.first().map_or(0, |it| it.tag)
    }
}
