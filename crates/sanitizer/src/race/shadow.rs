//! Shadow memory: the last store to each place, and the loads since.
//!
//! A cell refers to executions of instructions by their numbers in a table of records, so that it stays small;
//! pages of cells are allocated on first access.

use ir::Inst;
use ops::LaneMask;

use super::apart::{Change, History};
use super::rounds::RoundId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Load,
    Store,
    Atomic,
}

/// One execution of an access by the lanes of a wave, with what is needed to order it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) act: Act,
    /// Whether it acquires, and decides where lanes go: whether it can wait for a flag.
    pub(super) can_wait: bool,
    /// What it changes, if that commutes with the changes of others.
    pub(super) change: Option<Change>,
    pub(super) inst: Inst,
    pub(super) group: u32,
    pub(super) wave: u32,
    /// The number of group barriers for the accessed memory that the wave had passed.
    pub(super) phase: u32,
    /// The number of all group barriers that it had passed.
    pub(super) barriers: u32,
    /// The number of wave operations that the wave had executed.
    pub(super) wave_ops: u32,
    /// The number of accesses that the wave had made.
    pub(super) time: u32,
    /// The iterations of the loops around it.
    pub(super) round: RoundId,
    /// The position in the wave's history of active sets.
    pub(super) tangle: u32,
    pub(super) active: LaneMask,
    /// For a store, the position of the hashes of the stored values.
    pub(super) values: u32,
}

/// The number of a record; 0 means none.
pub(super) type RecordId = u32;

impl Record {
    /// The lane of the given rank among the active lanes.
    pub(super) fn lane(&self, rank: u32) -> u32 {
        self.active.iter().nth(rank as usize).unwrap_or(0)
    }
}

/// One lane's part in a record. The lane is identified by its rank among the active ones, because active lanes
/// often access consecutive places, however many inactive ones lie between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) record: RecordId,
    pub(super) rank: u32,
}

/// The latest accesses to one place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    store: RecordId,
    /// The latest load, and the latest by a different wave. Behind an atomic operation that has replaced a plain store,
    /// the second is that store: other atomic operations race with it, and not with the one that hides it.
    loads: [RecordId; 2],
    ranks: [u8; 3],
    pub(super) history: History,
}

impl Cell {
    pub(super) fn store(&self) -> Access {
        Access { record: self.store, rank: u32::from(self.ranks[0]) }
    }

    pub(super) fn load(&self, which: usize) -> Access {
        Access { record: self.loads[which], rank: u32::from(self.ranks[1 + which]) }
    }

    /// Whether it refers only to accesses with smaller numbers.
    #[inline(always)]
    pub(super) fn is_older_than(&self, record: RecordId) -> bool {
        self.store.max(self.loads[0]).max(self.loads[1]) < record
    }

    fn is_fresh(&self) -> bool {
        self.store | self.loads[0] == 0
    }

    #[inline(always)]
    pub(super) fn set_store(&mut self, access: Access) {
        let ranks = [access.rank as u8, 0, 0];
        *self = Cell { store: access.record, loads: [0; 2], ranks, history: self.history };
    }

    /// An atomic operation comes last; `plain`, if the last store before was a plain one.
    #[inline(always)]
    pub(super) fn set_atomic(&mut self, access: Access, plain: bool) {
        let kept = if plain { self.store() } else { self.load(1) };
        self.set_store(access);
        self.loads[1] = kept.record;
        self.ranks[2] = kept.rank as u8;
    }

    #[inline(always)]
    pub(super) fn set_load(&mut self, access: Access, keeps_old: bool) {
        if keeps_old {
            self.loads[1] = self.loads[0];
            self.ranks[2] = self.ranks[1];
        }
        self.loads[0] = access.record;
        self.ranks[1] = access.rank as u8;
    }

    /// After a store, loads before it still count.
    pub(super) fn keep_loads(&mut self, loads: [Access; 2]) {
        self.loads = loads.map(|it| it.record);
        self.ranks = [self.ranks[0], loads[0].rank as u8, loads[1].rank as u8];
    }

    /// The cell a number of places further on, where each place belongs to the next active lane.
    fn further(mut self, places: u8) -> Cell {
        self.ranks = self.ranks.map(|rank| rank.saturating_add(places));
        self
    }
}

/// The cells of a strip: as many as the narrowest wave has lanes, so that its accesses fill whole strips too.
pub(super) const STRIP: u64 = 4;
/// The strips of a page.
const PAGE: usize = 512;

/// Consecutive cells. As long as full strips are accessed by consecutive lanes, the first cell represents all of
/// them.
#[derive(Clone, Copy, Debug, Default)]
struct Strip {
    first: Cell,
    /// The position of the individual cells if there are any, plus one.
    own: u32,
}

/// The cells of one buffer, or of one element of an array of buffers.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// The granularity in bytes, and its logarithm if it has one.
    pub(super) granule: u64,
    shift: Option<u32>,
    pages: Vec<Option<Box<[Strip; PAGE]>>>,
    own: Chunks<[Cell; STRIP as usize]>,
}

impl Pages {
    pub(super) fn new(granule: u64) -> Pages {
        let granule = granule.max(1);
        let shift = granule.is_power_of_two().then(|| granule.trailing_zeros());
        Pages { granule, shift, ..Pages::default() }
    }

    /// The granule that holds a byte.
    #[inline(always)]
    pub(super) fn place(&self, byte: u64) -> u64 {
        // PERF: a division takes longer than the rest of a lane's look at its cell.
        match self.shift {
            Some(shift) => byte >> shift,
            None => byte / self.granule,
        }
    }

    #[inline(always)]
    fn strip(&mut self, strip: u64) -> &mut Strip {
        let (page, place) = (strip as usize / PAGE, strip as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        &mut self.pages[page].get_or_insert_with(|| Box::new([Strip::default(); PAGE]))[place]
    }

    /// The cell that represents a strip, by its first place; `None` if the cells differ.
    #[inline(always)]
    pub(super) fn whole(&mut self, at: u64) -> Option<&mut Cell> {
        let strip = self.strip(at / STRIP);
        (strip.own == 0).then_some(&mut strip.first)
    }

    #[inline(always)]
    pub(super) fn cell(&mut self, at: u64) -> &mut Cell {
        let next = self.own.len() as u32 + 1;
        let strip = self.strip(at / STRIP);
        let own = if strip.own == 0 {
            strip.own = next;
            let first = strip.first;
            let is_fresh = first.is_fresh();
            self.own.push(std::array::from_fn(|i| {
                if is_fresh { first } else { first.further(i as u8) }
            }));
            next
        } else {
            strip.own
        };
        &mut self.own.get_mut(own as usize - 1)[(at % STRIP) as usize]
    }
}

/// A list that grows without moving its elements.
#[derive(Debug)]
pub(super) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

const CHUNK: usize = 1 << 12;

impl<T> Default for Chunks<T> {
    fn default() -> Chunks<T> {
        Chunks { chunks: Vec::new(), len: 0 }
    }
}

impl<T> Chunks<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds several elements.
    pub(super) fn extend(&mut self, mut values: &[T])
    where
        T: Copy,
    {
        while !values.is_empty() {
            let room = CHUNK - self.len % CHUNK;
            let (now, later) = values.split_at(room.min(values.len()));
            self.last().extend_from_slice(now);
            self.len += now.len();
            values = later;
        }
    }

    /// The chunk that the next element belongs to.
    #[inline]
    fn last(&mut self) -> &mut Vec<T> {
        let chunk = self.len / CHUNK;
        if chunk == self.chunks.len() {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        &mut self.chunks[chunk]
    }

    #[inline]
    pub(super) fn push(&mut self, value: T) {
        self.last().push(value);
        self.len += 1;
    }

    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> &T {
        &self.chunks[index / CHUNK][index % CHUNK]
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, index: usize) -> &mut T {
        &mut self.chunks[index / CHUNK][index % CHUNK]
    }

    /// Empties the list and keeps its capacity.
    pub(super) fn clear(&mut self) {
        self.chunks.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }
}
