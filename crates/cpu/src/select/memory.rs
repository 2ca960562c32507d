//! Accesses to buffers. Bounds are part of the mask: out-of-bounds elements are neither read nor written.
//!
//! An index that is affine in the lane with the right stride becomes one access for each chunk; any other load becomes
//! a gather. A store to `base + WavePrefixCountBits(p)` by the lanes with `p` becomes a compressing store.

use iced_x86::Code::*;
use ir::uniformity::{Uniformities, Uniformity};
use ir::{Address as At, Atomic, Inst, Module, Op, Place as Of, ResourceKind, Value, ValueDef};
use ops::{Binary, Ty};

use super::pattern::{Run, Runs};
use super::{Place, Selector};
use crate::isa::Isa;
use crate::layout::*;
use crate::machine::*;
use crate::vector::*;

/// An access that can be compiled to instructions.
#[derive(Clone, Copy)]
pub(super) struct Access {
    /// The index and its stride in bytes.
    pub(super) index: Value,
    stride: u32,
    /// Bytes from the index to the first scalar.
    offset: u32,
    /// The offset of its slice in the frame.
    slice: usize,
    /// Whether the slice counts bytes: then each scalar has separate bounds.
    by_byte: bool,
}

/// Indices of one access this far apart are addressed by displacements.
const MOST_SPAN: u32 = 1 << 24;

/// Where the lanes of a wave access a buffer of words.
struct Span {
    base: VReg,
    /// How far behind the base the last one is.
    last: u32,
    /// For each chunk how far behind the base it begins, and how it goes on.
    runs: Vec<(u32, Run)>,
}

/// The prefetch distance for data of later waves. A prefetch is a hint: it is harmless beyond the end of the buffer.
const AHEAD: i32 = 1024;
const LINE: usize = 64;
/// In a loop, how many rows of a group are prefetched ahead, and how long a row may be for that.
///
/// PERF: a histogram over rows of 1 KiB takes 0.87 of the time at 64 lanes, from the second-level cache.
const ROWS_AHEAD: i32 = 2;
const MOST_ROW: i32 = 4096;

/// Whether a program reads buffers and writes very little. Measured: sums over a buffer take a third less time with
/// prefetches (64 lanes, AVX-512), while programs that write as much as they read take a tenth more.
pub(super) fn streams_in(module: &Module, uniformity: &Uniformities) -> bool {
    module.insts.iter().all(|inst| match &inst.op {
        Op::Store { at, .. } => {
            !at.operands().any(|it| matches!(uniformity.of(it), Uniformity::Affine { .. }))
        }
        _ => true,
    })
}

impl Selector<'_> {
    /// `None` if only the runtime supports it.
    pub(super) fn access(&self, place: Of, at: At, scalars: usize, ty: Ty) -> Option<Access> {
        if place.element.is_some() || !matches!(ty, Ty::I32 | Ty::F32) {
            return None;
        }
        let slice = self.layout.slice(place.binding.index());
        match (&self.module.resource(place.binding).kind, at) {
            (ResourceKind::Structured { stride, .. }, At::Structured { index, offset }) => {
                let offset = self.module.constant(offset)? as u32;
                let fits = u64::from(offset) + 4 * scalars as u64 <= u64::from(*stride);
                (fits && *stride < 1 << 16).then_some(Access {
                    index,
                    stride: *stride,
                    offset,
                    slice,
                    by_byte: false,
                })
            }
            (ResourceKind::Raw { .. } | ResourceKind::Constant { .. }, At::Byte(index)) => {
                Some(Access { index, stride: 1, offset: 0, slice, by_byte: true })
            }
            _ => None,
        }
    }

    /// Whether the access has no effect for an empty set of lanes.
    pub(super) fn is_masked_access(&self, op: &Op) -> bool {
        match op {
            Op::Load { .. } => false,
            Op::Store { place, at, values } => {
                let ty = values.first().map_or(Ty::Bool, |it| self.ty(*it));
                // Nothing is known yet about a value that is selected in the same region.
                self.access(*place, *at, values.len(), ty).is_some_and(|it| {
                    self.places[it.index.index()].is_none()
                        || self.is_contiguous(&it)
                        || self.prefix_base(it.index).is_some()
                }) && values.len() == 1
            }
            Op::Atomic { place, at, op: Atomic::Add, args } => self
                .access(*place, *at, 1, self.ty(args[0]))
                .is_some_and(|it| self.module.constant(it.index).is_some()),
            _ => false,
        }
    }

    /// The number of positions at which the scalar with that index is in bounds.
    fn count(&mut self, access: &Access, scalar: usize) -> VReg {
        let at = Address::frame(access.slice + SLICE_COUNT);
        let count = self.a.load_general(View::R32, at);
        if !access.by_byte || scalar == 0 {
            return count;
        }
        // Clamped at zero.
        let zero = self.a.word(0);
        let less = self.a.general(
            Sub_rm32_imm32,
            View::R32,
            count,
            Source::Immediate(Immediate::Word(4 * scalar as u32)),
        );
        self.a.general(Cmovb_r32_rm32, View::R32, less, Source::Register(View::R32, zero))
    }

    /// The counts as a vector operand.
    fn count_arg(&mut self, access: &Access, scalar: usize) -> Arg {
        if self.a.isa == Isa::Avx512 && !(access.by_byte && scalar != 0) {
            return Arg::Memory(Address::frame(access.slice + SLICE_COUNT).broadcast());
        }
        let count = self.count(access, scalar);
        Arg::Register(self.a.splat(count, false))
    }

    fn is_contiguous(&self, access: &Access) -> bool {
        match self.places[access.index.index()] {
            Some(Place::Affine { stride, .. }) => i64::from(stride) * i64::from(access.stride) == 4,
            Some(Place::Table(ref table)) => {
                4 % access.stride == 0
                    && Selector::table_start(table, (4 / access.stride) as i32).is_some()
            }
            _ => false,
        }
    }

    pub(super) fn load(&mut self, place: Of, at: At, results: &[Value]) {
        let ty = self.ty(results[0]);
        let inst = self.inst_of(results[0]);
        let Some(access) = self.access(place, at, results.len(), ty) else {
            return self.call(inst);
        };
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        if self.slots == Some(place.binding) {
            for (result, at) in results.iter().zip((0..).step_by(4)) {
                let word = self.a.load_general(View::R32, Address::at(Base::Register(start), at));
                self.set(*result, Place::General(word));
            }
            return;
        }
        if self.is_single(access.index) {
            return self.load_single(&access, start, results);
        }
        let active = self.active();
        if let ([result], Some(span)) = (results, self.span(&access)) {
            let vectors = self.load_span(&access, start, &span, &active);
            return self.set(*result, Place::Words(vectors));
        }
        for (i, result) in results.iter().enumerate() {
            let offset = access.offset + 4 * i as u32;
            if self.is_contiguous(&access) {
                let vectors = self.load_contiguous(&access, start, offset, i, &active);
                self.set(*result, Place::Words(vectors));
                continue;
            }
            let words = self.words(access.index);
            let masks = self.in_bounds(&access, i, &words, &active);
            let from = Address::at(Base::Register(start), offset as i32);
            let runs = if access.stride == 4 { self.runs(access.index) } else { None };
            if let Some(runs) = runs {
                let vectors = (0..self.chunks)
                    .map(|chunk| self.load_run(from, &runs, chunk, masks[chunk], false))
                    .collect();
                self.set(*result, Place::Words(vectors));
                continue;
            }
            let (index, scale) = self.scaled(&words, access.stride);
            let vectors = (0..self.chunks)
                .map(|chunk| self.a.gather(from, index[chunk], scale, masks[chunk]))
                .collect();
            self.set(*result, Place::Words(vectors));
        }
    }

    /// The active lanes whose index is in bounds.
    fn in_bounds(
        &mut self,
        access: &Access,
        scalar: usize,
        words: &[VReg],
        active: &[VReg],
    ) -> Vec<VReg> {
        let count = self.count_arg(access, scalar);
        words
            .iter()
            .zip(active)
            .map(|(word, on)| {
                let on = self.partial(*on);
                self.a.test(Test::Lt, Kind::UnsignedWord, *word, count, on)
            })
            .collect()
    }

    /// Jumps to the first block if the words of all lanes are in bounds, otherwise to the second.
    fn branch_on_bounds(&mut self, access: &Access, scalar: usize) -> [Block; 2] {
        let base = self.affine_base(access.index);
        let last = (4 / access.stride) as usize * (self.width as usize - 1);
        self.branch_on_last(access, scalar, base, last)
    }

    /// The same if indices go from a base to one that is so much larger.
    fn branch_on_last(
        &mut self,
        access: &Access,
        scalar: usize,
        base: VReg,
        last: usize,
    ) -> [Block; 2] {
        let count = self.count(access, scalar);
        let base = self.a.b.define(Mov_r32_rm32, View::R32, &[Source::Register(View::R32, base)]);
        let last = Address::at(Base::Register(base), last as i32);
        let last = self.a.b.define(Lea_r64_m, View::R64, &[Source::Memory(last)]);
        let (inside, outside) = (self.a.b.block(), self.a.b.block());
        let sources = [Source::Register(View::R64, last), Source::Register(View::R64, count)];
        self.a.b.effect(Cmp_r64_rm64, &sources);
        self.a.b.branch(Condition::Below, inside, outside);
        [inside, outside]
    }

    /// Usually all lanes are in bounds, and the processor handles an unmasked load better.
    fn load_contiguous(
        &mut self,
        access: &Access,
        start: VReg,
        offset: u32,
        scalar: usize,
        active: &[VReg],
    ) -> Vec<VReg> {
        let from = self.contiguous(access, start, offset);
        let vars: Vec<Var> = (0..self.chunks).map(|_| self.a.b.var(VECTOR)).collect();
        let [inside, outside] = self.branch_on_bounds(access, scalar);
        let joined = self.a.b.block();
        self.a.b.switch_to(inside);
        if let (Some(0), 1..) = (self.numbered_wave(), self.loops) {
            // Each wave of a group reads its part of every row before the next wave starts, a stride that hardware does
            // not prefetch: the first wave prefetches whole rows.
            let row = 4 * self.module.threads_per_group() as i32;
            if row <= MOST_ROW {
                for line in (0..row).step_by(LINE) {
                    let ahead = from.displacement + ROWS_AHEAD * row + line;
                    let ahead = Address { displacement: ahead, ..from };
                    self.a.b.effect(Prefetcht0_m8, &[Source::Memory(ahead)]);
                }
            }
        } else if self.streams_in && self.loops == 0 {
            for line in (0..4 * self.width as i32).step_by(LINE) {
                let ahead = Address { displacement: from.displacement + AHEAD + line, ..from };
                self.a.b.effect(Prefetcht0_m8, &[Source::Memory(ahead)]);
            }
        }
        for (chunk, var) in vars.iter().enumerate() {
            let vector = self.a.load_words(self.chunk_of(from, chunk), self.width);
            self.a.b.write(*var, vector);
        }
        self.a.b.jump(joined);
        self.a.b.switch_to(outside);
        self.a.b.is_rare();
        self.copies.push(Default::default());
        let words = self.words(access.index);
        let masks = self.in_bounds(access, scalar, &words, active);
        for (chunk, var) in vars.iter().enumerate() {
            let vector = self.a.load_masked(self.chunk_of(from, chunk), Some(masks[chunk]));
            self.a.b.write(*var, vector);
        }
        self.copies.pop();
        self.a.b.jump(joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
        vars.iter().map(|it| self.a.b.read(*it)).collect()
    }

    /// Where lanes access a buffer of words, if each chunk accesses neighbours, or one word, at constant distances from
    /// a base.
    fn span(&self, access: &Access) -> Option<Span> {
        let Place::Shifted { base, table } = self.place(access.index) else { return None };
        if access.stride != 4 || access.by_byte {
            return None;
        }
        let last = table[..self.width as usize].iter().map(|it| *it as u32).max()?;
        let runs = self.table_runs(table)?;
        (last < MOST_SPAN).then_some(Span { base: *base, last, runs })
    }

    /// The address of a chunk that is in bounds.
    fn start_of_span(
        &mut self,
        access: &Access,
        start: VReg,
        span: &Span,
        chunk: usize,
    ) -> Address {
        let base = Source::Register(View::R32, span.base);
        let base = self.a.b.define(Mov_r32_rm32, View::R32, &[base]);
        let displacement = (access.offset + 4 * span.runs[chunk].0) as i32;
        let index = Some((View::R64, base));
        Address { index, scale: 4, ..Address::at(Base::Register(start), displacement) }
    }

    /// Bounds are tested once for all lanes, which are usually all inside.
    fn load_span(
        &mut self,
        access: &Access,
        start: VReg,
        span: &Span,
        active: &[VReg],
    ) -> Vec<VReg> {
        let vars: Vec<Var> = (0..self.chunks).map(|_| self.a.b.var(VECTOR)).collect();
        let [inside, outside] = self.branch_on_last(access, 0, span.base, span.last as usize);
        let joined = self.a.b.block();
        self.a.b.switch_to(inside);
        for (chunk, var) in vars.iter().enumerate() {
            let from = self.start_of_span(access, start, span, chunk);
            let vector = match span.runs[chunk].1 {
                Run::Neighbours => self.a.load_words(from, self.width),
                Run::Same => {
                    let code =
                        self.a.pick(EVEX_Vpbroadcastd_zmm_k1z_xmmm32, VEX_Vpbroadcastd_ymm_xmmm32);
                    self.a.b.define(code, self.a.view(), &[Source::Memory(from)])
                }
            };
            self.a.b.write(*var, vector);
        }
        self.a.b.jump(joined);
        self.a.b.switch_to(outside);
        self.a.b.is_rare();
        self.copies.push(Default::default());
        let words = self.words(access.index);
        let masks = self.in_bounds(access, 0, &words, active);
        let from = Address::at(Base::Register(start), access.offset as i32);
        for (chunk, var) in vars.iter().enumerate() {
            let vector = self.a.gather(from, words[chunk], 4, masks[chunk]);
            self.a.b.write(*var, vector);
        }
        self.copies.pop();
        self.a.b.jump(joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
        vars.iter().map(|it| self.a.b.read(*it)).collect()
    }

    /// The same for a store by known lanes; returns whether that is possible.
    fn store_span(&mut self, access: &Access, value: Value) -> bool {
        let active = self.active();
        let Some(span) = self.span(access) else { return false };
        let is_plain = span.runs.iter().all(|it| it.1 == Run::Neighbours);
        if !is_plain || self.known_lanes(&active).is_none() {
            return false;
        }
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        let values = self.words(value);
        let [inside, outside] = self.branch_on_last(access, 0, span.base, span.last as usize);
        let joined = self.a.b.block();
        self.a.b.switch_to(inside);
        for (chunk, value) in values.iter().enumerate() {
            let to = self.start_of_span(access, start, &span, chunk);
            self.a.store_lanes(to, *value, active[chunk]);
        }
        self.a.b.jump(joined);
        self.a.b.switch_to(outside);
        self.a.b.is_rare();
        self.copies.push(Default::default());
        self.scatter(access, 0, value);
        self.copies.pop();
        self.a.b.jump(joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
        true
    }

    fn store_contiguous(&mut self, access: &Access, start: VReg, value: Value) {
        let active = self.active();
        let values = self.words(value);
        let to = self.contiguous(access, start, access.offset);
        let joined = self.a.b.block();
        if self.known_lanes(&active) == Some(u128::MAX >> (128 - self.width)) {
            let [inside, outside] = self.branch_on_bounds(access, 0);
            self.a.b.switch_to(inside);
            for (chunk, value) in values.iter().enumerate() {
                self.a.store_words(self.chunk_of(to, chunk), *value, self.width);
            }
            self.a.b.jump(joined);
            self.a.b.switch_to(outside);
            self.a.b.is_rare();
        }
        self.copies.push(Default::default());
        let words = self.words(access.index);
        let masks = self.in_bounds(access, 0, &words, &active);
        for (chunk, value) in values.iter().enumerate() {
            self.a.store_masked(self.chunk_of(to, chunk), *value, Some(masks[chunk]));
        }
        self.copies.pop();
        self.a.b.jump(joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    pub(super) fn chunk_of(&self, address: Address, chunk: usize) -> Address {
        let displacement = address.displacement + (4 * self.lanes * chunk) as i32;
        Address { displacement, ..address }
    }

    /// Words of four bytes that the lanes of a chunk access side by side, or one that all access; behind an array's start.
    /// With `is_whole` all lanes access memory that there is.
    pub(super) fn load_run(
        &mut self,
        start: Address,
        runs: &Runs,
        chunk: usize,
        mask: VReg,
        is_whole: bool,
    ) -> VReg {
        let from = self.start_of_run(start, runs, chunk);
        match (runs.chunks[chunk].1, self.a.isa) {
            (Run::Neighbours, _) if is_whole => self.a.load_words(from, self.width),
            (Run::Neighbours, _) => self.a.load_masked(from, Some(mask)),
            (Run::Same, Isa::Avx512) => {
                let on = Some(mask).filter(|_| !is_whole);
                let options = Options { mask: on, zeroing: !is_whole, ..Options::default() };
                let code = EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
                self.a.b.define_with(code, View::Zmm, &[Source::Memory(from)], options)
            }
            (Run::Same, Isa::Avx2) if is_whole => {
                let source = [Source::Memory(from)];
                self.a.b.define(VEX_Vpbroadcastd_ymm_xmmm32, View::Ymm, &source)
            }
            (Run::Same, Isa::Avx2) => {
                // A broadcast has no mask here; a gather of one place for all lanes does the same.
                let none = self.a.zero();
                let from = self.run_in_register(from);
                self.a.gather(from, none, 1, mask)
            }
        }
    }

    pub(super) fn store_run(
        &mut self,
        start: Address,
        runs: &Runs,
        chunk: usize,
        words: VReg,
        mask: VReg,
        is_whole: bool,
    ) {
        let to = self.start_of_run(start, runs, chunk);
        match is_whole {
            true => self.a.store_words(to, words, self.width),
            false => self.a.store_masked(to, words, Some(mask)),
        }
    }

    fn start_of_run(&self, start: Address, runs: &Runs, chunk: usize) -> Address {
        let displacement = start.displacement + 4 * runs.chunks[chunk].0;
        Address { index: Some((View::R64, runs.base)), scale: 4, displacement, ..start }
    }

    /// The same address without an index.
    fn run_in_register(&mut self, address: Address) -> Address {
        let register = self.a.b.define(Lea_r64_m, View::R64, &[Source::Memory(address)]);
        Address::at(Base::Register(register), 0)
    }

    fn affine_base(&mut self, index: Value) -> VReg {
        match self.place(index).clone() {
            Place::Affine { base, .. } => base,
            Place::Table(table) => self.a.word(table[0] as u32),
            _ => unreachable!("a contiguous access has an affine index"),
        }
    }

    /// The address that lane 0 of an affine index accesses. Lanes whose index has wrapped around are out of bounds.
    fn contiguous(&mut self, access: &Access, start: VReg, offset: u32) -> Address {
        let base = self.affine_base(access.index);
        let base = self.sign_extended(base);
        let (index, scale) = match access.stride {
            1 | 2 | 4 | 8 => (base, access.stride as u8),
            stride => {
                let sources = [
                    Source::Register(View::R64, base),
                    Source::Immediate(Immediate::Signed64(stride as i32)),
                ];
                (self.a.b.define(Imul_r64_rm64_imm32, View::R64, &sources), 1)
            }
        };
        Address {
            index: Some((View::R64, index)),
            scale,
            ..Address::at(Base::Register(start), offset as i32)
        }
    }

    /// Indices that an instruction can scale to bytes; buffers are smaller than 2 GiB.
    fn scaled(&mut self, words: &[VReg], stride: u32) -> (Vec<VReg>, u8) {
        if matches!(stride, 1 | 2 | 4 | 8) {
            return (words.to_vec(), stride as u8);
        }
        let factor = self.a.constant_word(stride);
        let scaled =
            words.iter().map(|it| self.a.op(Lanewise::MulD, Arg::Register(*it), factor)).collect();
        (scaled, 1)
    }

    /// The address of the scalar, or of a constant zero if it is out of bounds.
    fn single_address(
        &mut self,
        access: &Access,
        start: VReg,
        index: VReg,
        scalar: usize,
    ) -> Address {
        let count = self.count(access, scalar);
        let offset = (access.offset + 4 * scalar as u32) as i32;
        let wide = if access.stride == 1 {
            index
        } else {
            let sources = [
                Source::Register(View::R64, index),
                Source::Immediate(Immediate::Signed64(access.stride as i32)),
            ];
            self.a.b.define(Imul_r64_rm64_imm32, View::R64, &sources)
        };
        let inside = Address {
            index: Some((View::R64, wide)),
            ..Address::at(Base::Register(start), offset)
        };
        let inside = self.a.b.define(Lea_r64_m, View::R64, &[Source::Memory(inside)]);
        let nowhere = Source::Memory(Address::frame(NOWHERE));
        let nowhere = self.a.b.define(Lea_r64_m, View::R64, &[nowhere]);
        self.a.b.effect(
            Cmp_r32_rm32,
            &[Source::Register(View::R32, index), Source::Register(View::R32, count)],
        );
        let nowhere = Source::Register(View::R64, nowhere);
        let address = self.a.general(Cmovae_r64_rm64, View::R64, inside, nowhere);
        Address::at(Base::Register(address), 0)
    }

    /// An index as 64 bits: the upper half of a register may hold anything.
    pub(super) fn index(&mut self, value: Value) -> VReg {
        let index = self.general(value);
        self.a.b.define(Mov_r32_rm32, View::R32, &[Source::Register(View::R32, index)])
    }

    fn load_single(&mut self, access: &Access, start: VReg, results: &[Value]) {
        let index = self.index(access.index);
        for (i, result) in results.iter().enumerate() {
            let address = self.single_address(access, start, index, i);
            let word = self.a.load_general(View::R32, address);
            let place = if self.ty(*result).is_float() {
                Place::Splat(self.a.splat(word, false))
            } else {
                Place::General(word)
            };
            self.set(*result, place);
        }
    }

    fn inst_of(&self, value: Value) -> Inst {
        match self.module.values[value.index()].def {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Param(..) => unreachable!("a parameter is not a result"),
        }
    }

    pub(super) fn store(&mut self, inst: Inst, place: Of, at: At, values: &[Value]) {
        let ty = self.ty(values[0]);
        let Some(access) = self.access(place, at, values.len(), ty) else {
            return self.call(inst);
        };
        if self.slots == Some(place.binding) {
            // The sum over an empty set of lanes is zero, which is there already.
            let start = self.a.load_general(View::R64, Address::frame(access.slice));
            for (value, at) in values.iter().zip((0..).step_by(4)) {
                let word = self.general(*value);
                self.a.store_general(View::R32, Address::at(Base::Register(start), at), word);
            }
            return;
        }
        // Lanes that write to the same place do so in order, so strides smaller than the scalars are excluded.
        if values.len() == 1 && self.is_contiguous(&access) {
            let start = self.a.load_general(View::R64, Address::frame(access.slice));
            self.store_contiguous(&access, start, values[0]);
            return;
        }
        if values.len() == 1
            && access.stride == 4
            && let Some(base) = self.prefix_base(access.index)
        {
            return self.compress(&access, base, values[0]);
        }
        if values.len() == 1
            && self.one_known_lane().is_none()
            && self.store_span(&access, values[0])
        {
            return;
        }
        if access.by_byte && values.len() > 1 {
            // The elements of consecutive lanes may overlap.
            return self.call(inst);
        }
        for (i, value) in values.iter().enumerate() {
            if self.is_single(access.index) && self.is_single(*value) {
                self.store_single(&access, i, *value);
            } else if let Some(lane) = self.one_known_lane() {
                self.store_lane(&access, i, *value, lane);
            } else {
                self.scatter(&access, i, *value);
            }
        }
    }

    /// The single active lane, if it is known: usually the first of a full wave.
    fn one_known_lane(&mut self) -> Option<usize> {
        let active = self.active();
        let known = self.known_lanes(&active).filter(|it| it.count_ones() == 1)?;
        Some(known.trailing_zeros() as usize)
    }

    /// A scalar store by one lane. A scatter would take as long as for all lanes of a chunk, and is slow even for
    /// chunks without active lanes.
    fn store_lane(&mut self, access: &Access, scalar: usize, value: Value, lane: usize) {
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        let index = self.word_in_lane(access.index, lane);
        let index = self.a.b.define(Mov_r32_rm32, View::R32, &[Source::Register(View::R32, index)]);
        let word = self.word_in_lane(value, lane);
        let count = self.count(access, scalar);
        let joined = self.a.b.block();
        self.store_inside(access, start, scalar, [index, count, word], joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    /// Stores a word if its index is less than the count, and continues in the block.
    fn store_inside(
        &mut self,
        access: &Access,
        start: VReg,
        scalar: usize,
        [index, count, word]: [VReg; 3],
        joined: Block,
    ) {
        let (inside, outside) = (self.a.b.block(), self.a.b.block());
        let sources = [index, count].map(|it| Source::Register(View::R32, it));
        self.a.b.effect(Cmp_r32_rm32, &sources);
        self.a.b.branch(Condition::Below, inside, outside);
        self.a.b.switch_to(outside);
        self.a.b.jump(joined);
        self.a.b.switch_to(inside);
        let to = self.scaled_address(access, start, index, scalar);
        self.a.store_general(View::R32, to, word);
        self.a.b.jump(joined);
    }

    /// A uniform store: all lanes store the same value at the same place.
    fn store_single(&mut self, access: &Access, scalar: usize, value: Value) {
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        let index = self.index(access.index);
        let word = self.general(value);
        let count = self.count(access, scalar);
        let active = self.active();
        let joined = self.a.b.block();
        if self.known_lanes(&active).is_none() {
            let (some, none) = (self.a.b.block(), self.a.b.block());
            self.a.test_any(&active);
            self.a.b.branch(Condition::NotZero, some, none);
            self.a.b.switch_to(none);
            self.a.b.jump(joined);
            self.a.b.switch_to(some);
        }
        self.store_inside(access, start, scalar, [index, count, word], joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    /// The address of a scalar at an index that is in bounds.
    fn scaled_address(
        &mut self,
        access: &Access,
        start: VReg,
        index: VReg,
        scalar: usize,
    ) -> Address {
        let (wide, scale) = match access.stride {
            1 | 2 | 4 | 8 => (index, access.stride as u8),
            stride => {
                let stride = Source::Immediate(Immediate::Signed64(stride as i32));
                let sources = [Source::Register(View::R64, index), stride];
                (self.a.b.define(Imul_r64_rm64_imm32, View::R64, &sources), 1)
            }
        };
        let offset = (access.offset + 4 * scalar as u32) as i32;
        let index = Some((View::R64, wide));
        Address { index, scale, ..Address::at(Base::Register(start), offset) }
    }

    /// A scatter, lane by lane in ascending order: of two lanes that store at the same place, the higher one wins.
    fn scatter(&mut self, access: &Access, scalar: usize, value: Value) {
        let active = self.active();
        let words = self.words(access.index);
        let values = self.words(value);
        let masks = self.in_bounds(access, scalar, &words, &active);
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        if access.stride == 4
            && let Some(runs) = self.runs(access.index)
            && runs.chunks.iter().all(|it| it.1 == Run::Neighbours)
        {
            let to = Address::at(Base::Register(start), (access.offset + 4 * scalar as u32) as i32);
            for chunk in 0..self.chunks {
                self.store_run(to, &runs, chunk, values[chunk], masks[chunk], false);
            }
            return;
        }
        if self.a.isa == Isa::Avx512 {
            let (index, scale) = self.scaled(&words, access.stride);
            let offset = (access.offset + 4 * scalar as u32) as i32;
            for chunk in 0..self.chunks {
                let to = Address {
                    index: Some((View::Zmm, index[chunk])),
                    scale,
                    ..Address::at(Base::Register(start), offset)
                };
                // A scatter of no lanes takes as long as one of all lanes, and most chunks of a divergent wave have no
                // active lanes.
                let [some, none, joined] = [0; 3].map(|_| self.a.b.block());
                self.a.test_any(&masks[chunk..=chunk]);
                self.a.b.branch(Condition::NotZero, some, none);
                self.a.b.switch_to(none);
                self.a.b.jump(joined);
                self.a.b.switch_to(some);
                self.a.scatter(to, values[chunk], masks[chunk]);
                self.a.b.jump(joined);
                self.a.b.seal(joined);
                self.a.b.switch_to(joined);
            }
            return;
        }
        self.rows = self.rows.max(2);
        let rows = [0, 1].map(|it| self.layout.row(it));
        for chunk in 0..self.chunks {
            let at = 4 * self.lanes * chunk;
            self.a.store_vector(Address::frame(rows[0] + at), words[chunk]);
            self.a.store_vector(Address::frame(rows[1] + at), values[chunk]);
        }
        self.each_lane(&masks, |s, lane, word| {
            let of = |row: usize| Address {
                index: Some((View::R64, lane)),
                scale: 4,
                ..Address::frame(row + 256 * word)
            };
            let index = s.a.load_general(View::R32, of(rows[0]));
            let to = s.scaled_address(access, start, index, scalar);
            let own = s.a.load_general(View::R32, of(rows[1]));
            s.a.store_general(View::R32, to, own);
        });
    }

    /// A loop over the lanes of a set, ascending. The body gets the lane's index in its word of 64, and the index of
    /// this word.
    pub(super) fn each_lane(&mut self, set: &[VReg], each: impl FnMut(&mut Self, VReg, usize)) {
        let bits = self.lane_bits(set);
        self.each_bit(bits, each);
    }

    /// The same for the bits of 64 lanes each.
    pub(super) fn each_bit(
        &mut self,
        bits: Vec<VReg>,
        mut each: impl FnMut(&mut Self, VReg, usize),
    ) {
        for (word, bits) in bits.into_iter().enumerate() {
            let left = self.a.b.var(GENERAL);
            self.a.b.write(left, bits);
            let (header, body, done) = (self.a.b.block(), self.a.b.block(), self.a.b.block());
            self.a.b.jump(header);
            self.a.b.switch_to(header);
            let bits = self.a.b.read(left);
            let own = Source::Register(View::R64, bits);
            self.a.b.effect(Test_rm64_r64, &[own, own]);
            self.a.b.branch(Condition::NotZero, body, done);
            self.a.b.switch_to(body);
            let lane = self.a.b.define(Tzcnt_r64_rm64, View::R64, &[own]);
            each(self, lane, word);
            let rest = self.a.b.define(VEX_Blsr_r64_rm64, View::R64, &[own]);
            self.a.b.write(left, rest);
            self.a.b.jump(header);
            self.a.b.seal(header);
            self.a.b.switch_to(done);
        }
    }

    /// `base`, if the index is `base` plus the number of active lanes below.
    fn prefix_base(&self, index: Value) -> Option<Option<Value>> {
        let (wanted, before) = self.origins.last()?.condition.as_ref()?;
        let is_prefix = |value: Value| {
            self.prefixes
                .get(&value)
                .is_some_and(|(cond, active)| cond == wanted && active == before)
        };
        if is_prefix(index) {
            return Some(None);
        }
        let ValueDef::Result(inst, _) = self.module.values[index.index()].def else { return None };
        let Op::Binary(Binary::Add, a, b) = self.module.inst(inst).op else { return None };
        if is_prefix(b) && self.uniformity.is_uniform(a) {
            return Some(Some(a));
        }
        (is_prefix(a) && self.uniformity.is_uniform(b)).then_some(Some(b))
    }

    /// A compressing store: writes the values of the active lanes contiguously. Usually there is room for a whole wave.
    fn compress(&mut self, access: &Access, base: Option<Value>, value: Value) {
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        let position = match base {
            Some(base) => self.index(base),
            None => self.a.word(0),
        };
        let active = self.active();
        let values = self.words(value);
        let packed: Vec<(VReg, VReg, VReg)> = active
            .iter()
            .zip(&values)
            .map(|(on, values)| {
                let count = self.count_in_chunk(*on);
                let first = self.first_lanes(count);
                (self.packed(*values, *on), first, count)
            })
            .collect();
        let count = self.count(access, 0);
        let last = Address::at(Base::Register(position), self.layout.lanes as i32 - 1);
        let last = self.a.b.define(Lea_r64_m, View::R64, &[Source::Memory(last)]);
        let [inside, outside, joined] = [0; 3].map(|_| self.a.b.block());
        let sources = [Source::Register(View::R64, last), Source::Register(View::R64, count)];
        self.a.b.effect(Cmp_r64_rm64, &sources);
        self.a.b.branch(Condition::Below, inside, outside);
        let lanes: Vec<u32> = (0..self.lanes as u32).collect();
        for (block, is_inside) in [(inside, true), (outside, false)] {
            self.a.b.switch_to(block);
            if !is_inside {
                self.a.b.is_rare();
            }
            let mut position = position;
            for (packed, first, count) in &packed {
                // As many lanes as there are values, up to the end of the buffer.
                let mask = if is_inside {
                    *first
                } else {
                    let index = self.a.splat(position, false);
                    let table = self.a.constant_words(&lanes);
                    let index = self.a.op(Lanewise::AddD, Arg::Register(index), table);
                    let limit = self.count_arg(access, 0);
                    self.a.test(Test::Lt, Kind::UnsignedWord, index, limit, Some(*first))
                };
                let to = Address {
                    index: Some((View::R64, self.sign_extended(position))),
                    scale: 4,
                    ..Address::at(Base::Register(start), access.offset as i32)
                };
                self.a.store_masked(to, *packed, Some(mask));
                let count = Source::Register(View::R32, *count);
                position = self.a.general(Add_r32_rm32, View::R32, position, count);
            }
            self.a.b.jump(joined);
        }
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    pub(super) fn sign_extended(&mut self, index: VReg) -> VReg {
        self.a.b.define(Movsxd_r64_rm32, View::R64, &[Source::Register(View::R32, index)])
    }

    /// Compresses the words of the lanes in the mask.
    fn packed(&mut self, words: VReg, mask: VReg) -> VReg {
        if self.a.isa == Isa::Avx512 {
            let options = Options { mask: Some(mask), zeroing: true, ..Options::default() };
            let code = EVEX_Vpcompressd_zmmm512_k1z_zmm;
            let words = Source::Register(View::Zmm, words);
            return self.a.b.define_with(code, View::Zmm, &[words], options);
        }
        // A permutation table: the indices of each set of lanes, a byte each.
        let orders: Vec<u8> = (0..256u32)
            .flat_map(|set| {
                let mut own: Vec<u8> = (0..8).filter(|lane| set >> lane & 1 == 1).collect();
                own.resize(8, 0);
                own
            })
            .collect();
        let bits = self.a.mask_bits(mask);
        let order = self.pooled_at(&orders, bits);
        let code = VEX_Vpmovzxbd_ymm_xmmm64;
        let order = self.a.b.define(code, View::Ymm, &[Source::Memory(order)]);
        let sources = [order, words].map(|it| Source::Register(View::Ymm, it));
        self.a.b.define(VEX_Vpermd_ymm_ymm_ymmm256, View::Ymm, &sources)
    }

    /// A mask of the first `count` lanes.
    fn first_lanes(&mut self, count: VReg) -> VReg {
        if self.a.isa == Isa::Avx512 {
            let ones = self.a.word(u32::MAX);
            let sources = [ones, count].map(|it| Source::Register(View::R32, it));
            let first = self.a.b.define(VEX_Bzhi_r32_rm32_r32, View::R32, &sources);
            return self.a.mask_of_bits(first);
        }
        let row = |count: usize| (0..8).map(move |lane| if lane < count { u32::MAX } else { 0 });
        let masks: Vec<u8> = (0..=8).flat_map(row).flat_map(u32::to_le_bytes).collect();
        let four = self.a.general(Shl_rm32_imm8, View::R32, count, byte(2));
        let mask = self.pooled_at(&masks, four);
        self.a.b.define(VEX_Vmovdqu_ymm_ymmm256, View::Ymm, &[Source::Memory(mask)])
    }

    /// Eight bytes of a table in the pool.
    fn pooled_at(&mut self, table: &[u8], index: VReg) -> Address {
        let table = Source::Memory(self.a.b.pooled(table));
        let table = self.a.b.define(Lea_r64_m, View::R64, &[table]);
        Address {
            index: Some((View::R64, index)),
            scale: 8,
            ..Address::at(Base::Register(table), 0)
        }
    }

    pub(super) fn atomic(&mut self, inst: Inst, place: Of, at: At, op: Atomic, args: &[Value]) {
        let ty = self.ty(args[0]);
        let access = self.access(place, at, 1, ty);
        let Some(access) = access.filter(|_| op == Atomic::Add && ty == Ty::I32) else {
            return self.call(inst);
        };
        if self.add_unseen(inst, args[0]) {
            if let Some(result) = self.module.inst(inst).results.first() {
                // Nobody reads it.
                self.set(*result, Place::Constant(0));
            }
            return;
        }
        if !self.is_single(access.index) || !self.is_single(args[0]) {
            let is_copied = self.copied.contains(&place.binding);
            return self.add_by_lane(&access, args[0], inst, is_copied);
        }
        // One addition for all lanes: each sees the sum of the lanes below it.
        let index = self.index(access.index);
        let active = self.active();
        let count = self.lane_count(&active);
        let own = self.general(args[0]);
        let (address, own) = self.address_and_own(&access, index, own);
        let total =
            self.a.general(Imul_r32_rm32, View::R32, own, Source::Register(View::R32, count));
        let options = Options { tied: Some(total), ..Options::default() };
        let old = self.a.b.exchange_add(address, options);
        let Some(result) = self.module.inst(inst).results.first().copied() else { return };
        if self.origins.last().is_some_and(|it| it.single) {
            let splat = self.a.splat(old, false);
            return self.set(result, Place::Words(vec![splat; self.chunks]));
        }
        let below = self.count_below(&active);
        let own = self.a.splat(own, false);
        let old = self.a.splat(old, false);
        let seen = below
            .into_iter()
            .map(|below| {
                let added = self.a.op(Lanewise::MulD, Arg::Register(below), Arg::Register(own));
                self.a.op(Lanewise::AddD, Arg::Register(added), Arg::Register(old))
            })
            .collect();
        self.set(result, Place::Words(seen));
    }

    /// The address of an addition, and the word; out of bounds, nothing is added and the result is zero.
    pub(super) fn address_and_own(
        &mut self,
        access: &Access,
        index: VReg,
        own: VReg,
    ) -> (Address, VReg) {
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        let address = self.single_address(access, start, index, 0);
        let count = self.count(access, 0);
        let zero = self.a.word(0);
        let sources = [index, count].map(|it| Source::Register(View::R32, it));
        self.a.b.effect(Cmp_r32_rm32, &sources);
        let zero = Source::Register(View::R32, zero);
        (address, self.a.general(Cmovae_r32_rm32, View::R32, own, zero))
    }

    /// Lane by lane, ascending, through rows of the frame.
    ///
    /// If the buffer may have a private copy, the result is not used; additions to a private copy need no lock.
    fn add_by_lane(&mut self, access: &Access, value: Value, inst: Inst, is_copied: bool) {
        self.rows = self.rows.max(3);
        let result = self.module.inst(inst).results.first().copied();
        let seen = result.filter(|_| !is_copied);
        let active = self.active();
        let words = self.words(access.index);
        let values = self.words(value);
        let masks = self.in_bounds(access, 0, &words, &active);
        let rows = [0, 1, 2].map(|it| self.layout.row(it));
        let zero = self.a.zero();
        for chunk in 0..self.chunks {
            let at = 4 * self.lanes * chunk;
            self.a.store_vector(Address::frame(rows[0] + at), words[chunk]);
            self.a.store_vector(Address::frame(rows[1] + at), values[chunk]);
            if seen.is_some() {
                self.a.store_vector(Address::frame(rows[2] + at), zero);
            }
        }
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        let add = |s: &mut Self, lane: VReg, word: usize, is_own: bool| {
            let of = |row: usize| Address {
                index: Some((View::R64, lane)),
                scale: 4,
                ..Address::frame(row + 256 * word)
            };
            let index = s.a.load_general(View::R32, of(rows[0]));
            let to = s.scaled_address(access, start, index, 0);
            let added = s.a.load_general(View::R32, of(rows[1]));
            if is_own {
                let sources = [Source::Memory(to), Source::Register(View::R32, added)];
                return s.a.b.effect(Add_rm32_r32, &sources);
            }
            let options = Options { tied: Some(added), ..Options::default() };
            let old = s.a.b.exchange_add(to, options);
            if seen.is_some() {
                s.a.store_general(View::R32, of(rows[2]), old);
            }
        };
        if is_copied {
            // Each case has a separate loop: a lock costs far more than a jump.
            let [own, common, joined] = [0; 3].map(|_| self.a.b.block());
            let is_own = self.a.load_general(View::R32, Address::frame(access.slice + SLICE_OWN));
            let is_own = Source::Register(View::R32, is_own);
            let bits = self.lane_bits(&masks);
            self.a.b.effect(Test_rm32_r32, &[is_own, is_own]);
            self.a.b.branch(Condition::NotZero, own, common);
            for (block, is_own) in [(own, true), (common, false)] {
                self.a.b.switch_to(block);
                self.each_bit(bits.clone(), |s, lane, word| add(s, lane, word, is_own));
                self.a.b.jump(joined);
            }
            self.a.b.seal(joined);
            self.a.b.switch_to(joined);
        } else {
            self.each_lane(&masks, |s, lane, word| add(s, lane, word, false));
        }
        if let Some(result) = seen {
            let seen = (0..self.chunks)
                .map(|chunk| self.a.load_vector(Address::frame(rows[2] + 4 * self.lanes * chunk)))
                .collect();
            self.set(result, Place::Words(seen));
        } else if let Some(result) = result {
            // Nobody reads it.
            self.set(result, Place::Constant(0));
        }
    }
}
