//! Accesses to neighbouring words: a whole chunk is one load or store, unmasked if all lanes are in bounds.
//!
//! Three forms of addresses qualify: an index that is affine in the lane, a base plus a table of constant distances,
//! and indices that a pattern found to be neighbours chunk by chunk.

use iced_x86::Code::*;
use ir::Value;

use super::memory::Access;
use super::pattern::{Run, Runs};
use super::{Home, Selector};
use crate::isa::Isa;
use crate::machine::*;

/// Indices of one access this far apart are addressed by displacements.
const MOST_SPAN: u32 = 1 << 24;

/// Where the lanes of a wave access a buffer of words.
pub(super) struct Span {
    base: VReg,
    /// How far behind the base the last one is.
    last: u32,
    /// For each chunk how far behind the base it begins, and how it continues.
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

impl Selector<'_> {
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

    /// Ends the likely path, emits the rare one, which begins at `outside`, and continues where both meet.
    fn or_rarely(&mut self, outside: Block, rare: impl FnOnce(&mut Self)) {
        let joined = self.a.b.block();
        self.a.b.jump(joined);
        self.a.b.switch_to(outside);
        self.a.b.is_rare();
        self.copies.push(Default::default());
        rare(self);
        self.copies.pop();
        self.a.b.jump(joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    /// Usually all lanes are in bounds, and the processor handles an unmasked load better.
    pub(super) fn load_contiguous(
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
        self.or_rarely(outside, |it| {
            let words = it.words(access.index);
            let masks = it.in_bounds(access, scalar, &words, active);
            for (chunk, var) in vars.iter().enumerate() {
                let vector = it.a.load_masked(it.chunk_of(from, chunk), Some(masks[chunk]));
                it.a.b.write(*var, vector);
            }
        });
        vars.iter().map(|it| self.a.b.read(*it)).collect()
    }

    /// Where lanes access a buffer of words, if each chunk accesses neighbours, or one word, at constant distances from
    /// a base.
    pub(super) fn span(&self, access: &Access) -> Option<Span> {
        let Home::Shifted { base, table } = self.home(access.index) else { return None };
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
    pub(super) fn load_span(
        &mut self,
        access: &Access,
        start: VReg,
        span: &Span,
        active: &[VReg],
    ) -> Vec<VReg> {
        let vars: Vec<Var> = (0..self.chunks).map(|_| self.a.b.var(VECTOR)).collect();
        let [inside, outside] = self.branch_on_last(access, 0, span.base, span.last as usize);
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
        self.or_rarely(outside, |it| {
            let words = it.words(access.index);
            let masks = it.in_bounds(access, 0, &words, active);
            let from = Address::at(Base::Register(start), access.offset as i32);
            for (chunk, var) in vars.iter().enumerate() {
                let vector = it.a.gather(from, words[chunk], 4, masks[chunk]);
                it.a.b.write(*var, vector);
            }
        });
        vars.iter().map(|it| self.a.b.read(*it)).collect()
    }

    /// The same for a store by known lanes; returns whether that is possible.
    pub(super) fn store_span(&mut self, access: &Access, value: Value) -> bool {
        let active = self.active();
        let Some(span) = self.span(access) else { return false };
        let is_plain = span.runs.iter().all(|it| it.1 == Run::Neighbours);
        if !is_plain || self.known_lanes(&active).is_none() {
            return false;
        }
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        let values = self.words(value);
        let [inside, outside] = self.branch_on_last(access, 0, span.base, span.last as usize);
        self.a.b.switch_to(inside);
        for (chunk, value) in values.iter().enumerate() {
            let to = self.start_of_span(access, start, &span, chunk);
            self.a.store_lanes(to, *value, active[chunk]);
        }
        self.or_rarely(outside, |it| {
            it.scatter(access, 0, value);
        });
        true
    }

    pub(super) fn store_contiguous(&mut self, access: &Access, start: VReg, value: Value) {
        let active = self.active();
        let values = self.words(value);
        let to = self.contiguous(access, start, access.offset);
        if self.known_lanes(&active) == Some(u128::MAX >> (128 - self.width)) {
            let [inside, outside] = self.branch_on_bounds(access, 0);
            self.a.b.switch_to(inside);
            for (chunk, value) in values.iter().enumerate() {
                self.a.store_words(self.chunk_of(to, chunk), *value, self.width);
            }
            self.or_rarely(outside, |it| it.store_in_bounds(access, to, &values, &active));
        } else {
            self.store_in_bounds(access, to, &values, &active);
        }
    }

    /// Stores only what is in bounds.
    fn store_in_bounds(&mut self, access: &Access, to: Address, values: &[VReg], active: &[VReg]) {
        let words = self.words(access.index);
        let masks = self.in_bounds(access, 0, &words, active);
        for (chunk, value) in values.iter().enumerate() {
            self.a.store_masked(self.chunk_of(to, chunk), *value, Some(masks[chunk]));
        }
    }

    pub(super) fn chunk_of(&self, address: Address, chunk: usize) -> Address {
        let displacement = address.displacement + (4 * self.lanes * chunk) as i32;
        Address { displacement, ..address }
    }

    /// Words of four bytes that the lanes of a chunk access side by side, or one that all access; behind an array's
    /// start. With `is_whole` all lanes access memory that there is.
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
        match self.home(index).clone() {
            Home::Affine { base, .. } => base,
            Home::Table(table) => self.a.word(table[0] as u32),
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
}
