//! The memory that the threads of a group need, as all our engines count it: from the declarations alone, so that
//! all engines refuse the same programs, and start the same number of groups.

use std::fmt;

use ops::{Repr, Ty};

use crate::ray::QUERY_BYTES;
use crate::{Memory, Module, QueryData, Span};

/// The limit for the local arrays of all threads of a group together, in bytes. Engines allocate up to four times
/// as much: an element may take eight bytes, and a wave of four lanes the space of sixteen.
const MOST_BYTES: u64 = 1 << 28;
/// The largest number of groups in flight.
const MOST_STARTED: u64 = 64;
/// Fewer if their state would exceed this many bytes, but at least two.
const STARTED_BYTES: u64 = 64 << 20;

/// The memory needs of a module.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// The size of all local arrays of a thread, in bytes.
    arrays: u64,
    /// The largest of these arrays.
    largest: Option<Array>,
    /// An upper estimate of the other memory of a thread: every value has its own space.
    values: u64,
    groupshared: u64,
    threads: u64,
}

#[derive(Clone, Debug)]
struct Array {
    name: String,
    span: Span,
    bytes: u64,
}

/// The local arrays exceed the memory limit of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The largest array.
    pub name: String,
    /// Its declaration.
    pub span: Span,
    /// Its size in each thread, in bytes.
    pub bytes: u64,
    /// The size of all local arrays of a thread.
    pub all: u64,
    /// The limit for that size.
    pub most: u64,
    /// How many lanes need space: those of all waves of a group.
    pub lanes: u64,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLarge { name, bytes, all, most, lanes, .. } = self;
        write!(f, "`{name}` takes {} bytes in each thread", Grouped(*bytes))?;
        if all > bytes {
            write!(f, ", and all local arrays take {}", Grouped(*all))?;
        }
        write!(f, "; a group that fills {lanes} lanes has room for {}", Grouped(*most))
    }
}

impl std::error::Error for TooLarge {}

/// A number with its digits grouped in threes.
struct Grouped(u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// The size of one scalar in groupshared or private memory, in bytes.
fn scalar_bytes(ty: Ty) -> u64 {
    match ty.repr() {
        Repr::Bit | Repr::Word => 4,
        Repr::Long => 8,
    }
}

fn bytes(memory: &Memory) -> u64 {
    u64::from(memory.len) * scalar_bytes(memory.ty)
}

impl Footprint {
    pub fn of(module: &Module) -> Footprint {
        let mut largest: Option<Array> = None;
        let mut current: Option<Array> = None;
        for memory in &module.privates {
            // Each scalar member of an array of vectors or structs has its own memory; they are adjacent.
            let name = memory.name.split(['.', '[']).next().unwrap_or("");
            match &mut current {
                Some(it) if it.span == memory.span && it.name == name => it.bytes += bytes(memory),
                _ => {
                    let own =
                        Array { name: name.to_owned(), span: memory.span, bytes: bytes(memory) };
                    current = Some(own);
                }
            }
            if current.as_ref().map(|it| it.bytes) > largest.as_ref().map(|it| it.bytes) {
                largest.clone_from(&current);
            }
        }
        let query_bytes = |it: &QueryData| u64::from(it.len) * QUERY_BYTES;
        for query in &module.queries {
            let bytes = query_bytes(query);
            if bytes > largest.as_ref().map_or(0, |it| it.bytes) {
                largest = Some(Array { name: query.name.clone(), span: query.span, bytes });
            }
        }
        let queries = module.queries.iter().map(query_bytes);
        Footprint {
            arrays: module.privates.iter().map(bytes).chain(queries).sum(),
            largest,
            values: module.values.iter().map(|it| scalar_bytes(it.ty)).sum(),
            groupshared: module.groupshared.iter().map(bytes).sum(),
            threads: module.group_size.iter().map(|it| u64::from(*it)).fold(1, u64::saturating_mul),
        }
    }

    /// The lanes of all waves of a group.
    fn lanes(&self, width: u32) -> u64 {
        self.threads.div_ceil(u64::from(width)).saturating_mul(u64::from(width)).max(1)
    }

    /// Checks that the local arrays of a group fit the limit.
    pub fn check(&self, width: u32) -> Result<(), TooLarge> {
        let lanes = self.lanes(width);
        match &self.largest {
            Some(Array { name, span, bytes }) if self.arrays > MOST_BYTES / lanes => {
                Err(TooLarge {
                    name: name.clone(),
                    span: *span,
                    bytes: *bytes,
                    all: self.arrays,
                    most: MOST_BYTES / lanes,
                    lanes,
                })
            }
            _ => Ok(()),
        }
    }

    /// The largest number of groups in flight.
    pub fn most_started(&self, width: u32) -> usize {
        let own = (self.arrays + self.values).saturating_mul(self.lanes(width));
        let group = own.saturating_add(self.groupshared).max(1);
        (STARTED_BYTES / group).clamp(2, MOST_STARTED) as usize
    }
}
