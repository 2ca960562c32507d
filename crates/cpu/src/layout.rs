//! Where the generated code finds things: the frame of a wave, and the views of buffers in it.
//!
//! A frame belongs to one wave at a time. It holds what the host tells the code, the rows through which values go to the
//! runtime and back, private memory, and the registers of a wave that is not running.

use std::cell::Cell;
use std::mem::offset_of;

use ir::Module;
use ops::{Repr, Ty};

use crate::isa::Isa;

/// What lies at the start of every frame.
#[repr(C, align(64))]
pub(crate) struct Header {
    /// Where the wave goes on.
    pub(crate) resume: u64,
    /// Where it goes on after its registers have been loaded again.
    pub(crate) back: u64,
    pub(crate) group: [u32; 3],
    /// The index of the wave in its group.
    pub(crate) wave: u32,
    /// How many waves are to be run, this one included.
    pub(crate) remaining: u64,
    pub(crate) counts: [u32; 3],
    pub(crate) waves_in_group: u32,
    /// The rounds of loops that are left, and what has been spent on them: see [`Fuel`].
    pub(crate) fuel: i64,
    /// What `fuel` is for the next wave of the frame.
    pub(crate) grant: i64,
    /// How much waves of the frame that have ended may still spend on loops before the host wants to be asked.
    pub(crate) ask: i32,
    pub(crate) unused: u32,
    /// For each thread of a group in the order of lanes: all X, all Y, all Z, all indices.
    pub(crate) threads: *const u32,
    pub(crate) shared: *mut u8,
    pub(crate) call: unsafe extern "sysv64" fn(*mut Header, u32),
    pub(crate) launch: *const u8,
    /// The lanes that make a call.
    pub(crate) active: [u64; 2],
    /// Zero: where an access out of bounds is made in place of it.
    pub(crate) nowhere: [u64; 2],
    /// What calls have cost since the meter was last asked; see [`crate::meter`].
    pub(crate) calls: Cell<u32>,
    pub(crate) texels: Cell<u32>,
}

/// One buffer as the generated code sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    pub(crate) start: *mut u8,
    /// In bytes.
    pub(crate) len: u64,
    /// In elements of the resource that names it.
    pub(crate) count: u32,
    /// 1 if it is a copy that nobody else adds to.
    pub(crate) own: u32,
    pub(crate) unused: [u32; 2],
}

pub(crate) const RESUME: usize = offset_of!(Header, resume);
pub(crate) const BACK: usize = offset_of!(Header, back);
pub(crate) const GROUP: usize = offset_of!(Header, group);
pub(crate) const WAVE: usize = offset_of!(Header, wave);
pub(crate) const REMAINING: usize = offset_of!(Header, remaining);
pub(crate) const COUNTS: usize = offset_of!(Header, counts);
pub(crate) const WAVES_IN_GROUP: usize = offset_of!(Header, waves_in_group);
pub(crate) const FUEL: usize = offset_of!(Header, fuel);
pub(crate) const GRANT: usize = offset_of!(Header, grant);
pub(crate) const ASK: usize = offset_of!(Header, ask);
pub(crate) const THREADS: usize = offset_of!(Header, threads);
pub(crate) const SHARED: usize = offset_of!(Header, shared);
pub(crate) const CALL: usize = offset_of!(Header, call);
pub(crate) const ACTIVE: usize = offset_of!(Header, active);

pub(crate) const NOWHERE: usize = offset_of!(Header, nowhere);

pub(crate) const SLICE_COUNT: usize = offset_of!(Slice, count);
pub(crate) const SLICE_OWN: usize = offset_of!(Slice, own);

/// The statuses with which the code comes back to the host.
pub(crate) const DONE: u32 = 0;
pub(crate) const BARRIER: u32 = 1;
/// All rounds of loops are spent, or what waves that have ended may spend.
pub(crate) const SPINNING: u32 = 2;

/// Two counts in one number, so that going round a loop costs one instruction: the rounds of loops that are left, less one,
/// in the high bits, and what has been spent on these rounds in the low ones. It becomes negative with the last round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fuel(pub(crate) i64);

impl Fuel {
    const SHIFT: u32 = 31;
    /// A round costs at most so much: what is spent in a turn stays below the count of rounds.
    pub(crate) const MOST_COST: i32 = ((1i64 << Fuel::SHIFT) / ir::turns::ROUNDS as i64) as i32 - 1;

    /// For so many rounds, at least one.
    pub(crate) fn new(rounds: u32) -> Fuel {
        Fuel((i64::from(rounds) - 1) << Fuel::SHIFT)
    }

    /// What going round adds.
    pub(crate) fn round(cost: i32) -> i32 {
        i32::MIN + cost.clamp(0, Fuel::MOST_COST)
    }

    /// What has been spent on rounds.
    pub(crate) fn spent(self) -> u64 {
        (self.0 & i64::from(Fuel::SPENT)) as u64
    }

    /// The bits that hold what has been spent.
    pub(crate) const SPENT: i32 = i32::MAX;

    /// Whether no round is left.
    pub(crate) fn is_empty(self) -> bool {
        self.0 < 0
    }
}

/// Where the parts of a frame lie, in bytes from its start.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Lanes of a wave, rounded up to whole chunks.
    pub(crate) lanes: usize,
    pub(crate) slices: usize,
    pub(crate) rows: usize,
    pub(crate) row_bytes: usize,
    /// For each private array its place.
    pub(crate) privates: Vec<usize>,
    pub(crate) privates_end: usize,
    /// Where all registers go when a wave is suspended between two instructions.
    pub(crate) saved: usize,
    pub(crate) spills: usize,
    /// For each groupshared array its place in the memory of the group.
    pub(crate) shared: Vec<usize>,
    pub(crate) shared_bytes: usize,
}

/// All vectors, masks and general registers.
pub(crate) const SAVED_BYTES: usize = 32 * 64 + 8 * 8 + 16 * 8;

/// The bytes of one scalar in groupshared and private memory and in rows; a `bool` takes a word.
pub(crate) fn scalar_bytes(ty: Ty) -> usize {
    match ty.repr() {
        Repr::Bit | Repr::Word => 4,
        Repr::Long => 8,
    }
}

impl Layout {
    pub(crate) fn new(module: &Module, isa: Isa, width: u32) -> Layout {
        let lanes = (width as usize).next_multiple_of(isa.lanes());
        let slices = size_of::<Header>();
        let rows = (slices + module.resources.len() * size_of::<Slice>()).next_multiple_of(64);
        let mut shared_bytes = 0;
        let shared = module
            .groupshared
            .iter()
            .map(|it| {
                let at = shared_bytes;
                let bytes = it.len as usize * scalar_bytes(it.ty);
                shared_bytes += bytes.next_multiple_of(64);
                at
            })
            .collect();
        Layout {
            lanes,
            slices,
            rows,
            row_bytes: lanes * 8,
            privates: Vec::new(),
            privates_end: 0,
            saved: 0,
            spills: 0,
            shared,
            shared_bytes,
        }
    }

    pub(crate) fn slice(&self, binding: usize) -> usize {
        self.slices + binding * size_of::<Slice>()
    }

    pub(crate) fn row(&self, row: usize) -> usize {
        self.rows + row * self.row_bytes
    }

    /// Once it is known how many rows are used.
    pub(crate) fn close(&mut self, module: &Module, rows: usize) {
        let mut end = self.row(rows).next_multiple_of(64);
        self.privates.clear();
        for memory in &module.privates {
            self.privates.push(end);
            end += memory.len as usize * self.lanes * scalar_bytes(memory.ty);
        }
        self.privates_end = end;
        self.saved = end.next_multiple_of(64);
        self.spills = (self.saved + SAVED_BYTES).next_multiple_of(64);
    }
}
