//! Accesses to buffers. Bounds are part of the mask: out-of-bounds elements are neither read nor written.
//!
//! An index that is affine in the lane with the right stride becomes one access for each chunk (`contiguous.rs`); any
//! other load becomes a gather. A store to `base + WavePrefixCountBits(p)` by the lanes with `p` becomes a compressing
//! store (`compress.rs`). Additions are in `atomic.rs`.

use iced_x86::Code::*;
use ir::uniformity::{Uniformities, Uniformity};
use ir::{Address as At, Atomic, Inst, Module, Op, Place, ResourceKind, Value};
use ops::Ty;

use super::pattern::Run;
use super::{Home, Selector};
use crate::isa::Isa;
use crate::layout::*;
use crate::machine::*;
use crate::vector::*;

/// An access that can be compiled to instructions.
#[derive(Clone, Copy)]
pub(super) struct Access {
    /// The index and its stride in bytes.
    pub(super) index: Value,
    pub(super) stride: u32,
    /// Bytes from the index to the first scalar.
    pub(super) offset: u32,
    /// The offset of its slice in the frame.
    pub(super) slice: usize,
    /// Whether the slice counts bytes: then each scalar has separate bounds.
    pub(super) by_byte: bool,
}
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
    pub(super) fn access(&self, place: Place, at: At, scalars: usize, ty: Ty) -> Option<Access> {
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
                    self.homes[it.index.index()].is_none()
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
    pub(super) fn count(&mut self, access: &Access, scalar: usize) -> VReg {
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
    pub(super) fn count_arg(&mut self, access: &Access, scalar: usize) -> Arg {
        if self.a.isa == Isa::Avx512 && !(access.by_byte && scalar != 0) {
            return Arg::Memory(Address::frame(access.slice + SLICE_COUNT).broadcast());
        }
        let count = self.count(access, scalar);
        Arg::Register(self.a.splat(count, false))
    }

    fn is_contiguous(&self, access: &Access) -> bool {
        match self.homes[access.index.index()] {
            Some(Home::Affine { stride, .. }) => i64::from(stride) * i64::from(access.stride) == 4,
            Some(Home::Table(ref table)) => {
                4 % access.stride == 0
                    && Selector::table_start(table, (4 / access.stride) as i32).is_some()
            }
            _ => false,
        }
    }

    pub(super) fn load(&mut self, place: Place, at: At, results: &[Value]) {
        let ty = self.ty(results[0]);
        let inst = self.inst_of(results[0]);
        let Some(access) = self.access(place, at, results.len(), ty) else {
            return self.call(inst);
        };
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        if self.slots == Some(place.binding) {
            for (result, at) in results.iter().zip((0..).step_by(4)) {
                let word = self.a.load_general(View::R32, Address::at(Base::Register(start), at));
                self.set(*result, Home::General(word));
            }
            return;
        }
        if self.is_single(access.index) {
            return self.load_single(&access, start, results);
        }
        let active = self.active();
        if let ([result], Some(span)) = (results, self.span(&access)) {
            let vectors = self.load_span(&access, start, &span, &active);
            return self.set(*result, Home::Words(vectors));
        }
        for (i, result) in results.iter().enumerate() {
            let offset = access.offset + 4 * i as u32;
            if self.is_contiguous(&access) {
                let vectors = self.load_contiguous(&access, start, offset, i, &active);
                self.set(*result, Home::Words(vectors));
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
                self.set(*result, Home::Words(vectors));
                continue;
            }
            let (index, scale) = self.scaled(&words, access.stride);
            let vectors = (0..self.chunks)
                .map(|chunk| self.a.gather(from, index[chunk], scale, masks[chunk]))
                .collect();
            self.set(*result, Home::Words(vectors));
        }
    }

    /// The active lanes whose index is in bounds.
    pub(super) fn in_bounds(
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
    pub(super) fn single_address(
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
            let home = if self.ty(*result).is_float() {
                Home::Splat(self.a.splat(word, false))
            } else {
                Home::General(word)
            };
            self.set(*result, home);
        }
    }

    /// The instruction that a value is a result of.
    pub(super) fn inst_of(&self, value: Value) -> Inst {
        let inst = self.module.made_by(value);
        inst.unwrap_or_else(|| unreachable!("a parameter is not a result"))
    }

    pub(super) fn store(&mut self, inst: Inst, place: Place, at: At, values: &[Value]) {
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
    pub(super) fn scaled_address(
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
    pub(super) fn scatter(&mut self, access: &Access, scalar: usize, value: Value) {
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
        let indices = self.hold_vectors(&words, 4, 0);
        let values = self.hold_vectors(&values, 4, 1);
        self.each_lane(&masks, |s, lane| {
            let index = s.held(indices, lane);
            let to = s.scaled_address(access, start, index, scalar);
            let own = s.held(values, lane);
            s.a.store_general(View::R32, to, own);
        });
    }

    pub(super) fn sign_extended(&mut self, index: VReg) -> VReg {
        self.a.b.define(Movsxd_r64_rm32, View::R64, &[Source::Register(View::R32, index)])
    }
}
