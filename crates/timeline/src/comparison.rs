//! The values in which another engine differs, and the lanes that wrote them.
//!
//! The caller has run both engines and compared their results. The recorder gets the bytes that differ, and remembers
//! which lane wrote each last.

use std::collections::BTreeMap;
use std::ops::Range;

use interp::observe::{AccessEvent, Space};

/// How another engine's results of the same dispatch compare with those of the recorded run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The engine, and the device and driver if it has some.
    pub engine: String,
    /// The number of scalars that differ; the first of them are listed.
    pub count: u64,
    pub differences: Vec<Difference>,
}

/// A scalar that differs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Such as `Out[5]`.
    pub place: String,
    /// The value of the recorded run, and that of the other engine.
    pub here: String,
    pub there: String,
    /// Both are floats, and near each other.
    pub is_rounding: bool,
    /// The lane that wrote it last in the recorded run, and the line; `None` if none did.
    pub writer: Option<(u32, u32)>,
    /// The wave, by its number in the recording, and the step; `None` if they are not kept.
    pub at: Option<(u32, u32)>,
}

/// The location of a scalar whose writer is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// The number of the resource in the module, the element of an array of resources, and the bytes.
    Bytes(u32, u32, Range<u64>),
    /// The counter of a structured buffer.
    Counter(u32),
}

/// Bytes, and the number of the difference that they are.
type Watched = (Range<u64>, usize);

/// Finds the places that an access touches.
#[derive(Default)]
pub(crate) struct Writers {
    /// For each resource and element the ranges, ascending, each with the number of its difference.
    bytes: BTreeMap<(u32, u32), Vec<Watched>>,
    counters: BTreeMap<u32, usize>,
}

impl Writers {
    /// The places of differences, in their order.
    pub(crate) fn new(places: &[Location]) -> Writers {
        let mut writers = Writers::default();
        for (number, place) in places.iter().enumerate() {
            match place {
                Location::Bytes(resource, element, range) => {
                    let ranges = writers.bytes.entry((*resource, *element)).or_default();
                    ranges.push((range.clone(), number));
                }
                Location::Counter(resource) => {
                    writers.counters.insert(*resource, number);
                }
            }
        }
        for ranges in writers.bytes.values_mut() {
            ranges.sort_unstable_by_key(|it| it.0.start);
        }
        writers
    }

    /// Whether nothing is wanted.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.counters.is_empty()
    }

    /// Calls `found` with the number of each difference that the access touches, and the lane.
    pub(crate) fn touched(&self, event: &AccessEvent<'_>, mut found: impl FnMut(usize, u32)) {
        match event.space {
            Space::Buffer(resource, elements) => {
                for lane in event.at.active.iter() {
                    let element = elements.map_or(0, |it| it[lane as usize]);
                    let Some(ranges) = self.bytes.get(&(resource.0, element)) else { continue };
                    let begin = event.addresses[lane as usize];
                    let end = begin.saturating_add(event.size.into());
                    // Scalars do not overlap, so that their ends ascend, too.
                    let first = ranges.partition_point(|it| it.0.end <= begin);
                    let touched = ranges[first..].iter().take_while(|it| it.0.start < end);
                    touched.for_each(|it| found(it.1, lane));
                }
            }
            Space::Counter(resource) => {
                let number = self.counters.get(&resource.0);
                let last = event.at.active.iter().last();
                if let (Some(number), Some(lane)) = (number, last) {
                    found(*number, lane);
                }
            }
            Space::Shared(_) | Space::Private(_) => {}
        }
    }
}
