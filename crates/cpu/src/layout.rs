//! The data layout for generated code: the frame of a wave, and the views of buffers in it.
//!
//! A frame belongs to one wave at a time. It holds the host's inputs, the rows through which values pass to the runtime
//! and back, private memory, and the registers of a suspended wave.

use std::cell::Cell;
use std::mem::offset_of;

use ir::ray::Queries;
use ir::stage::{Element, slot_count};
use ir::{Module, Op, Slot};
use ops::{Repr, Ty};

use crate::isa::Isa;

/// Runs a wave; generated code begins with it. The System V convention holds on every operating system.
#[cfg(target_arch = "x86_64")]
pub(crate) type Entry = unsafe extern "sysv64" fn(*mut Header) -> u32;
/// What generated code calls.
#[cfg(target_arch = "x86_64")]
pub(crate) type Callee = unsafe extern "sysv64" fn(*mut Header, u32);

// Portability: other processors do not have that convention, and no code is ever run there.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Entry = unsafe extern "C" fn(*mut Header) -> u32;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Callee = unsafe extern "C" fn(*mut Header, u32);

/// The start of every frame.
#[repr(C, align(64))]
pub(crate) struct Header {
    /// The resume address of the wave.
    pub(crate) resume: u64,
    /// The address at which it continues after its registers have been restored.
    pub(crate) back: u64,
    pub(crate) group: [u32; 3],
    /// The index of the wave in its group.
    pub(crate) wave: u32,
    /// The number of waves to run, including this one.
    pub(crate) remaining: u64,
    pub(crate) counts: [u32; 3],
    pub(crate) waves_in_group: u32,
    /// The remaining loop iterations, and what has been spent on them: see [`Fuel`].
    pub(crate) fuel: i64,
    /// The initial `fuel` of the frame's next wave.
    pub(crate) grant: i64,
    /// How much waves of the frame that have ended may still spend on loops before returning to the host.
    pub(crate) ask: i32,
    /// The first lane of the strip that runs, in a vertex or pixel shader.
    pub(crate) first_lane: u32,
    /// The coordinates of a group's threads in the order of lanes: all X, all Y, all Z, all indices.
    pub(crate) threads: *const u32,
    pub(crate) shared: *mut u8,
    pub(crate) call: Callee,
    pub(crate) launch: *const u8,
    /// The ray queries of the wave.
    pub(crate) queries: *mut Queries,
    /// The active lanes of a call.
    pub(crate) active: [u64; 2],
    /// Zero: the address that replaces out-of-bounds ones.
    pub(crate) nowhere: [u64; 2],
    /// The cost of calls since the meter was last consulted; see [`crate::meter`].
    pub(crate) calls: Cell<u32>,
    pub(crate) texels: Cell<u32>,
}

/// A buffer for generated code.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    pub(crate) start: *mut u8,
    /// In bytes.
    pub(crate) len: u64,
    /// In elements of the resource.
    pub(crate) count: u32,
    /// 1 if it is a private copy.
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
pub(crate) const FIRST_LANE: usize = offset_of!(Header, first_lane);
pub(crate) const THREADS: usize = offset_of!(Header, threads);
pub(crate) const SHARED: usize = offset_of!(Header, shared);
pub(crate) const CALL: usize = offset_of!(Header, call);
pub(crate) const ACTIVE: usize = offset_of!(Header, active);

pub(crate) const NOWHERE: usize = offset_of!(Header, nowhere);

pub(crate) const SLICE_COUNT: usize = offset_of!(Slice, count);
pub(crate) const SLICE_OWN: usize = offset_of!(Slice, own);

/// The statuses with which the code returns to the host.
pub(crate) const DONE: u32 = 0;
pub(crate) const BARRIER: u32 = 1;
/// All loop iterations are spent, or the allowance of waves that have ended.
pub(crate) const SPINNING: u32 = 2;

/// Two counters in one number, so that an iteration costs one instruction: the remaining loop iterations less one in
/// the high bits, and what has been spent on them in the low bits. It becomes negative with the last iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fuel(pub(crate) i64);

impl Fuel {
    const SHIFT: u32 = 31;
    /// The most that an iteration may cost, so that the cost of a turn does not overflow into the count.
    pub(crate) const MOST_COST: i32 = ((1i64 << Fuel::SHIFT) / ir::turns::ROUNDS as i64) as i32 - 1;

    /// Fuel for this many iterations, at least one.
    pub(crate) fn new(rounds: u32) -> Fuel {
        Fuel((i64::from(rounds) - 1) << Fuel::SHIFT)
    }

    /// The increment of an iteration.
    pub(crate) fn round(cost: i32) -> i32 {
        i32::MIN + cost.clamp(0, Fuel::MOST_COST)
    }

    /// The cost of the iterations so far.
    pub(crate) fn spent(self) -> u64 {
        (self.0 & i64::from(Fuel::SPENT)) as u64
    }

    /// The bits that hold the cost.
    pub(crate) const SPENT: i32 = i32::MAX;

    /// Whether no iteration is left.
    pub(crate) fn is_empty(self) -> bool {
        self.0 < 0
    }
}

/// The offsets of the parts of a frame.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Lanes of a wave, rounded up to whole chunks.
    pub(crate) lanes: usize,
    pub(crate) slices: usize,
    /// Only for vertex and pixel shaders.
    pub(crate) stage: Option<StageRows>,
    pub(crate) rows: usize,
    pub(crate) row_bytes: usize,
    /// Where the rows end: there are as many as the call with the most of them uses.
    pub(crate) rows_end: usize,
    /// The offset of each private array.
    pub(crate) privates: Vec<usize>,
    pub(crate) privates_end: usize,
    /// The save area for all registers of a wave that is suspended between two instructions.
    pub(crate) saved: usize,
    pub(crate) spills: usize,
    /// The offset of each groupshared array in the group's memory.
    pub(crate) shared: Vec<usize>,
    pub(crate) shared_bytes: usize,
}

/// The rows of a vertex or pixel shader: between two waves, the host exchanges outputs for inputs here.
#[derive(Clone, Debug)]
pub(crate) struct StageRows {
    /// The set of the lanes that exist, and after it that of the helper lanes.
    pub(crate) lanes: usize,
    pub(crate) inputs: Vec<StageRow>,
    pub(crate) outputs: Vec<StageRow>,
    end: usize,
}

/// The row of one slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StageRow {
    pub(crate) at: usize,
    pub(crate) ty: Ty,
    /// Whether the module reads or writes it.
    pub(crate) is_used: bool,
    /// For an output, whether one instruction outside of all constructs writes it: then it sets the whole row, inactive
    /// lanes to 0.
    pub(crate) is_whole: bool,
    /// For an output, the set of the lanes that have written it.
    pub(crate) written: usize,
}

/// The bytes of a set of lanes.
pub(crate) const SET_BYTES: usize = 16;

impl StageRows {
    fn new(module: &Module, start: usize, lanes: usize) -> Option<StageRows> {
        let io = module.io.as_ref()?;
        let mut written = start + 2 * SET_BYTES;
        let sets = slot_count(&io.outputs) as usize * SET_BYTES;
        let mut end = (written + sets).next_multiple_of(64);
        // How many instructions there are for a slot, and how many of them are outside of all constructs.
        let users = |is_one: &dyn Fn(&Op) -> bool| {
            let outside = &module.region(module.body).insts;
            let all = module.insts.iter().filter(|it| is_one(&it.op)).count();
            [all, outside.iter().filter(|it| is_one(&module.inst(**it).op)).count()]
        };
        let mut rows = |elements: &[Element], users: &dyn Fn(Slot) -> [usize; 2]| {
            let slots = elements.iter().flat_map(|it| (0..it.components).map(|_| it.ty()));
            let row = |(slot, ty): (u32, Ty)| {
                let users = users(Slot(slot));
                let (is_used, is_whole) = (users[0] > 0, users == [1, 1]);
                let row = StageRow { at: end, ty, is_used, is_whole, written };
                end = (end + lanes * scalar_bytes(ty)).next_multiple_of(64);
                written += SET_BYTES;
                row
            };
            (0..).zip(slots).map(row).collect::<Vec<StageRow>>()
        };
        let outputs = rows(&io.outputs, &|slot| {
            users(&|op| matches!(op, Op::Output { slot: own, .. } if *own == slot))
        });
        let inputs =
            rows(&io.inputs, &|slot| users(&|op| matches!(op, Op::Input(own) if *own == slot)));
        Some(StageRows { lanes: start, inputs, outputs, end })
    }

    pub(crate) fn helpers(&self) -> usize {
        self.lanes + SET_BYTES
    }
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
    /// For code of that width; the host exchanges rows of waves of the requested one.
    pub(crate) fn new(module: &Module, isa: Isa, width: u32, asked: u32) -> Layout {
        let lanes = (width as usize).next_multiple_of(isa.lanes());
        let slices = size_of::<Header>();
        let rows = (slices + module.resources.len() * size_of::<Slice>()).next_multiple_of(64);
        let exchanged = (asked as usize).next_multiple_of(isa.lanes());
        let stage = StageRows::new(module, rows, exchanged);
        let rows = stage.as_ref().map_or(rows, |it| it.end);
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
            stage,
            rows,
            row_bytes: lanes * 8,
            rows_end: rows,
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

    /// Completes the layout when the number of rows is known.
    pub(crate) fn close(&mut self, module: &Module, rows: usize) {
        self.rows_end = self.row(rows);
        let mut end = self.rows_end.next_multiple_of(64);
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
