//! The memory of one wave, and the rows in it.
//!
//! The code here is unsafe because generated code and the runtime share this memory by address.

use std::hash::{DefaultHasher, Hash, Hasher};

use ir::Module;
use ir::ray::Queries;
use ops::wave::Lanes;
use ops::{LaneMask, Repr, Ty};

use crate::layout::{Header, Layout, scalar_bytes};

/// Memory with the alignment of vectors.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// Memory aligned to 64 bytes, all zero at first, shared with generated code by its address.
pub(crate) struct Block {
    lines: Box<[Line]>,
    /// The ray queries of a wave whose frame it is, at an address that stays.
    queries: Box<Queries>,
}

impl Block {
    pub(crate) fn new(bytes: usize) -> Block {
        let lines = vec![Line([0; 64]); bytes.div_ceil(64).max(1)].into_boxed_slice();
        Block { lines, queries: Box::default() }
    }

    /// A frame for waves of a program.
    pub(crate) fn frame(bytes: usize, module: &Module, lanes: usize) -> Block {
        Block { queries: Box::new(Queries::new(module, lanes)), ..Block::new(bytes) }
    }

    pub(crate) fn queries(&mut self) -> *mut Queries {
        &raw mut *self.queries
    }

    /// A hash of the states of all queries.
    pub(crate) fn state_of_queries(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.queries.hash(&mut hasher);
        hasher.finish()
    }

    pub(crate) fn start(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// The contents from an offset on, as words of eight bytes.
    pub(crate) fn words(&self, from: usize) -> impl Iterator<Item = u64> {
        let lines = self.lines[from / 64..].iter();
        lines.flat_map(|it| it.0.as_chunks::<8>().0).map(|it| u64::from_le_bytes(*it))
    }

    pub(crate) fn clear(&mut self) {
        self.lines.fill(Line([0; 64]));
        self.queries.reset();
    }

    // Rows of inputs and outputs, while no code runs in the frame.

    fn check<T>(&self, at: usize, count: usize) {
        assert!(at.is_multiple_of(align_of::<T>()), "a row is aligned");
        assert!(at + count * size_of::<T>() <= size_of_val(&*self.lines), "a row is in its frame");
    }

    /// The words of a row.
    pub(crate) fn row_words(&mut self, at: usize, count: usize) -> &mut [u32] {
        self.check::<u32>(at, count);
        // SAFETY: in bounds and aligned, as checked; any bytes are a word.
        unsafe { std::slice::from_raw_parts_mut(self.start().add(at).cast(), count) }
    }

    /// The same, to read.
    pub(crate) fn words_of(&self, at: usize, count: usize) -> &[u32] {
        self.check::<u32>(at, count);
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().byte_add(at).cast(), count) }
    }

    /// The longs of a row.
    pub(crate) fn row_longs(&mut self, at: usize, count: usize) -> &mut [u64] {
        self.check::<u64>(at, count);
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.start().add(at).cast(), count) }
    }

    /// A set of lanes.
    pub(crate) fn set_of_lanes(&self, at: usize) -> LaneMask {
        let words = self.words_of(at, 4).iter().rev();
        LaneMask(words.fold(0, |all, word| all << 32 | u128::from(*word)))
    }

    pub(crate) fn put_set_of_lanes(&mut self, at: usize, set: LaneMask) {
        self.row_longs(at, 2).copy_from_slice(&[set.0 as u64, (set.0 >> 64) as u64]);
    }
}

/// A call's view of a frame.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    start: *mut u8,
    layout: &'a Layout,
}

impl<'a> Rows<'a> {
    /// # Safety
    /// The frame must have this layout, and must not be used otherwise while the rows live.
    pub(crate) unsafe fn new(frame: *mut Header, layout: &'a Layout) -> Rows<'a> {
        Rows { start: frame.cast(), layout }
    }

    /// The address of a lane's word or long in a row, which must exist. PERF: one comparison for both.
    fn element<T>(&self, row: usize, lane: usize) -> *mut T {
        const { assert!(size_of::<T>() <= size_of::<u64>(), "a row has eight bytes for each lane") };
        let at = self.layout.row(row) + lane * size_of::<T>();
        assert!(at < self.layout.rows_end, "the layout has room for every row of a call");
        // SAFETY: before the end of the rows, which are inside the frame and a whole number of longs.
        unsafe { self.start.add(at).cast() }
    }

    pub(crate) fn word(&self, row: usize, lane: usize) -> u32 {
        // SAFETY: an element of a row, which is aligned and always initialised.
        unsafe { self.element::<u32>(row, lane).read() }
    }

    pub(crate) fn long(&self, row: usize, lane: usize) -> u64 {
        // SAFETY: as above.
        unsafe { self.element::<u64>(row, lane).read() }
    }

    /// The helper lanes of the wave; none in a compute shader.
    pub(crate) fn helpers(&self) -> LaneMask {
        let Some(stage) = &self.layout.stage else { return LaneMask::EMPTY };
        // SAFETY: the layout keeps the set inside the frame, aligned.
        let [low, high] = unsafe { self.start.add(stage.helpers()).cast::<[u64; 2]>().read() };
        LaneMask(u128::from(low) | u128::from(high) << 64)
    }

    pub(crate) fn bits(&self, row: usize) -> LaneMask {
        let [low, high] = [self.long(row, 0), self.long(row, 1)];
        LaneMask(u128::from(low) | u128::from(high) << 64)
    }

    pub(crate) fn set_bits(&self, row: usize, bits: LaneMask) {
        for (i, part) in [bits.0 as u64, (bits.0 >> 64) as u64].into_iter().enumerate() {
            self.set_long(row, i, part);
        }
    }

    pub(crate) fn set_long(&self, row: usize, lane: usize, bits: u64) {
        // SAFETY: an element of a row, and no slice of a row that is written lives: see `lanes`.
        unsafe { self.element::<u64>(row, lane).write(bits) }
    }

    pub(crate) fn set_word(&self, row: usize, lane: usize, bits: u32) {
        // SAFETY: as above.
        unsafe { self.element::<u32>(row, lane).write(bits) }
    }

    pub(crate) fn get(&self, row: usize, ty: Ty, lane: usize) -> u64 {
        match ty.repr() {
            Repr::Bit => u64::from(self.bits(row).contains(lane as u32)),
            Repr::Word => u64::from(self.word(row, lane)),
            Repr::Long => self.long(row, lane),
        }
    }

    pub(crate) fn set(&self, row: usize, ty: Ty, lane: usize, bits: u64) {
        match ty.repr() {
            Repr::Bit => {
                self.set_bits(row, self.bits(row).with(lane as u32, bits & 1 == 1));
            }
            Repr::Word => self.set_word(row, lane, bits as u32),
            Repr::Long => self.set_long(row, lane, bits),
        }
    }

    /// All elements of a row, as operands of a wave operation.
    ///
    /// # Safety
    /// The row must not be written while the result lives, through a copy of `self` either.
    pub(crate) unsafe fn lanes(&self, row: usize, ty: Ty) -> Lanes<'a> {
        match ty.repr() {
            Repr::Bit => Lanes::Bits(self.bits(row)),
            Repr::Word => {
                // SAFETY: a row has room for this many words, is aligned and always initialised; the caller's contract.
                Lanes::Words(unsafe {
                    std::slice::from_raw_parts(self.element::<u32>(row, 0), self.layout.lanes)
                })
            }
            Repr::Long => {
                // SAFETY: as above.
                Lanes::Longs(unsafe {
                    std::slice::from_raw_parts(self.element::<u64>(row, 0), self.layout.lanes)
                })
            }
        }
    }

    // Private memory: a row of lanes for each element.

    /// The address of an element for a lane, which both must exist.
    fn private_at(&self, array: usize, ty: Ty, index: usize, lane: usize) -> *mut u8 {
        let Layout { privates, privates_end, lanes, .. } = self.layout;
        let bytes = scalar_bytes(ty);
        let at = privates[array] + (index * lanes + lane) * bytes;
        let end = privates.get(array + 1).unwrap_or(privates_end);
        assert!(lane < *lanes && at + bytes <= *end, "an element of a private array");
        // SAFETY: inside the array, as checked, and the layout keeps arrays inside the frame.
        unsafe { self.start.add(at) }
    }

    pub(crate) fn private(&self, array: usize, ty: Ty, index: usize, lane: usize) -> u64 {
        let at = self.private_at(array, ty, index, lane);
        match scalar_bytes(ty) {
            // SAFETY: an element of that size, aligned to it, and always initialised.
            8 => unsafe { at.cast::<u64>().read() },
            // SAFETY: as above.
            _ => u64::from(unsafe { at.cast::<u32>().read() }),
        }
    }

    pub(crate) fn set_private(&self, array: usize, ty: Ty, index: usize, lane: usize, bits: u64) {
        let at = self.private_at(array, ty, index, lane);
        match scalar_bytes(ty) {
            // SAFETY: an element of that size, aligned to it.
            8 => unsafe { at.cast::<u64>().write(bits) },
            // SAFETY: as above.
            _ => unsafe { at.cast::<u32>().write(bits as u32) },
        }
    }

    pub(crate) fn clear_privates(&self) {
        if let Some(first) = self.layout.privates.first() {
            // SAFETY: the private arrays are contiguous in the frame.
            unsafe { self.start.add(*first).write_bytes(0, self.layout.privates_end - first) }
        }
    }
}
