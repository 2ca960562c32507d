//! Data breakpoints: memory and variables that are watched, and which events of a run touch them.

use std::ops::Range;

use interp::observe::{AccessEvent, At, Space};
use ir::notes::{Notes, VariableId};
use ops::LaneMask;

use crate::waves::WaveId;

/// What a data breakpoint watches.
#[derive(Clone, Debug, PartialEq)]
pub enum Watched {
    /// Bytes of a buffer: a resource, and its element if it is an array of buffers.
    Buffer { resource: u32, element: u32, bytes: Range<u64> },
    /// An element of a groupshared array, in one group.
    Shared { group: [u32; 3], array: ir::Shared, index: u64 },
    /// A variable of a wave, in one lane or in any.
    Variable { wave: WaveId, variable: VariableId, lane: Option<u32> },
}

/// Stops before a statement that reads or writes what is watched. Variables are watched for writes alone.
#[derive(Clone, Debug, PartialEq)]
pub struct DataBreakpoint {
    pub watched: Watched,
    pub reads: bool,
    pub writes: bool,
}

/// What an instruction does with memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Load,
    Store,
    Atomic,
}

impl Access {
    fn reads(self) -> bool {
        self != Access::Store
    }

    fn writes(self) -> bool {
        self != Access::Load
    }
}

/// How a movement watches data.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Watching {
    Nothing,
    /// All but what the statement with this tick does: the run stands before it.
    After(Option<u64>),
}

/// The statement that has touched watched data, and the numbers of the breakpoints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Touched {
    pub(crate) wave: WaveId,
    pub(crate) tick: u64,
    pub(crate) numbers: Vec<usize>,
}

impl DataBreakpoint {
    /// Whether an access is one that it stops at.
    pub(crate) fn is_touched(
        &self,
        notes: &Notes,
        event: &AccessEvent<'_>,
        access: Access,
    ) -> bool {
        if !(self.reads && access.reads() || self.writes && access.writes()) {
            return false;
        }
        let at = event.at;
        let mut active = at.active.iter();
        let address = |lane: u32| event.addresses.get(lane as usize).copied();
        match (&self.watched, &event.space) {
            (Watched::Buffer { resource, element, bytes }, Space::Buffer(binding, elements)) => {
                let size = u64::from(event.size);
                let is_element = |lane: u32| {
                    let own = elements.and_then(|it| it.get(lane as usize).copied()).unwrap_or(0);
                    own == *element
                };
                let overlaps = |lane: u32| {
                    event.in_bounds.contains(lane)
                        && address(lane).is_some_and(|it| {
                            it < bytes.end && bytes.start < it.saturating_add(size)
                        })
                };
                binding.index() == *resource as usize
                    && active.any(|it| is_element(it) && overlaps(it))
            }
            (Watched::Shared { group, array, index }, Space::Shared(of)) => {
                at.group == *group && of == array && active.any(|it| address(it) == Some(*index))
            }
            (Watched::Variable { wave, variable, lane }, Space::Private(of)) => {
                let places = notes.variable(*variable).memory.as_deref().unwrap_or(&[]);
                let is_place = |lane: u32| {
                    let held = |it: &ir::notes::InMemory| {
                        it.array == *of && Some(u64::from(it.index)) == address(lane)
                    };
                    places.iter().any(held)
                };
                let is_wanted = |it: &u32| lane.is_none_or(|lane| lane == *it);
                access.writes()
                    && (at.group, at.wave) == *wave
                    && active.filter(is_wanted).any(is_place)
            }
            _ => false,
        }
    }

    /// Whether it watches a variable that lanes are given values of.
    pub(crate) fn is_written(&self, at: At, written: VariableId) -> bool {
        let Watched::Variable { wave, variable, lane } = self.watched else { return false };
        let lanes = lane.map_or(at.active, |it| at.active & LaneMask::only(it));
        wave == (at.group, at.wave) && variable == written && !lanes.is_empty()
    }
}
