//! Vertex and pixel shaders: inputs and outputs, helper lanes, and the quads of lanes that belong together.
//!
//! Inputs are loaded from rows of the frame, outputs stored to others, and the host exchanges them between waves. Where
//! the code is made for a narrower width than that of the waves, it runs once for each strip of the rows. The
//! helper lanes are a set in variables, like the active one, in pixel shaders only; other code has none of this.
//!
//! A quad that consists of helper lanes *retires*: its lanes leave every construct at once. The sets of lanes that wait
//! somewhere are not searched for them. Instead the lanes of other quads are *kept*, and a set is intersected with
//! these before it becomes active, wherever a quad may have retired since it was computed.

use ir::{Derivative, Inst, Op, Region, Slot, Value};
use ops::wave::Sees;
use ops::{Binary, QuadDirection, Repr, Ty, WaveOp};
use rustc_hash::FxHashMap as HashMap;

use super::{Home, Selector};
use crate::layout::*;
use crate::machine::*;
use crate::vector::*;

use iced_x86::Code::*;

/// The sets of lanes of a vertex or pixel shader, in masks for each chunk.
#[derive(Default)]
pub(super) struct Stage {
    /// The helper lanes; empty in shaders without any.
    helpers: Vec<Var>,
    /// The lanes of quads that have not retired; empty if no quad retires.
    kept: Vec<Var>,
    /// In an operation that helper lanes execute but do not participate in: the lanes that execute it.
    executing: Option<Vec<VReg>>,
    /// The strip that runs, if waves have several.
    strip: Option<Strip>,
}

/// Where the lanes of a strip lie.
#[derive(Clone, Copy)]
struct Strip {
    /// The first lane.
    first: VReg,
    /// The byte of a set of lanes that holds it.
    byte: VReg,
}

/// A set, and the block where it was computed.
type Made = (Block, Vec<VReg>);

/// Sets that are computed from others.
#[derive(Default)]
pub(super) struct Derived {
    made: HashMap<(Rule, Vec<VReg>), Vec<Made>>,
    /// Active sets that consist of whole quads.
    whole: Vec<Vec<VReg>>,
}

/// How a set is computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Rule {
    /// The participants, of the active and the helper lanes.
    Participants,
    /// The lanes of the same set that are not helper lanes.
    Others,
    /// The lanes whose quads contain the lane at these places: see [`Selector::shuffle`].
    Quads(u8),
    /// The set itself, as bits of general registers.
    Bits,
}

impl Selector<'_> {
    /// The start of a wave.
    pub(super) fn begin_stage(&mut self) {
        let Some(rows) = &self.layout.stage else { return };
        let (lanes, helpers) = (rows.lanes, rows.helpers());
        if self.width < self.asked {
            let first = self.a.load_general(View::R32, Address::frame(FIRST_LANE));
            let three = Source::Immediate(Immediate::Byte(3));
            let byte = self.a.general(Shr_rm32_imm8, View::R32, first, three);
            self.stage.strip = Some(Strip { first, byte });
        }
        let lanes = self.load_set(self.set_in_strip(lanes));
        self.set_active(&lanes);
        if !self.module.has_helpers() {
            return;
        }
        // The lanes of a pixel shader are dealt in whole quads.
        self.derived.whole.push(lanes.clone());
        let masks = self.load_set(self.set_in_strip(helpers));
        self.stage.helpers = self.mask_variables(&masks);
        let discards = self.module.insts.iter().any(|it| matches!(it.op, Op::Discard));
        if discards && !self.module.helpers_take_part() {
            self.stage.kept = self.mask_variables(&lanes);
        }
    }

    /// The end of a wave, or of one of its strips.
    pub(super) fn end_stage(&mut self, start: Block) {
        if self.stage.strip.is_none() {
            return self.a.b.finish_waves(DONE);
        }
        let remaining = Source::Memory(Address::frame(REMAINING));
        let first = Source::Memory(Address::frame(FIRST_LANE));
        let step = Source::Immediate(Immediate::Word(self.width));
        self.a.b.effect(Add_rm32_imm32, &[first, step]);
        let one = Source::Immediate(Immediate::SignedByte64(1));
        self.a.b.effect(Sub_rm64_imm8, &[remaining, one]);
        let (more, done) = (self.a.b.block(), self.a.b.block());
        self.a.b.branch(Condition::Zero, done, more);
        self.a.b.switch_to(done);
        self.a.b.finish_waves(DONE);
        self.a.b.switch_to(more);
        self.a.b.jump(start);
    }

    /// The strip's part of the set of lanes at this offset.
    fn set_in_strip(&self, at: usize) -> Address {
        let index = self.stage.strip.map(|it| (View::R64, it.byte));
        Address { index, ..Address::frame(at) }
    }

    /// The strip's part of the row at this offset, whose elements have as many bytes.
    fn row_in_strip(&self, at: usize, bytes: u8) -> Address {
        let index = self.stage.strip.map(|it| (View::R64, it.first));
        Address { index, scale: bytes, ..Address::frame(at) }
    }

    /// Stores a set of lanes into the frame, or adds it to what is there.
    fn store_set(&mut self, at: usize, bits: Vec<VReg>, adds: bool) {
        let of_strip = if self.stage.strip.is_some() { self.width } else { 64 };
        let (code, view) = match (of_strip, adds) {
            (8, false) => (Mov_rm8_r8, View::R8),
            (8, true) => (Or_rm8_r8, View::R8),
            (16, false) => (Mov_rm16_r16, View::R16),
            (16, true) => (Or_rm16_r16, View::R16),
            (32, false) => (Mov_rm32_r32, View::R32),
            (32, true) => (Or_rm32_r32, View::R32),
            (_, false) => (Mov_rm64_r64, View::R64),
            (_, true) => (Or_rm64_r64, View::R64),
        };
        for (i, part) in bits.into_iter().enumerate() {
            let place = self.set_in_strip(at + 8 * i);
            self.a.b.store(code, place, Source::Register(view, part), None);
        }
    }

    fn helpers(&mut self) -> Vec<VReg> {
        let variables = self.stage.helpers.clone();
        self.read_all(&variables)
    }

    pub(super) fn has_helpers(&self) -> bool {
        !self.stage.helpers.is_empty()
    }

    /// A set that an equal one dominates is not computed again.
    fn derive(
        &mut self,
        rule: Rule,
        sets: &[VReg],
        make: impl FnOnce(&mut Self) -> Vec<VReg>,
    ) -> Vec<VReg> {
        let key = (rule, sets.to_vec());
        let before = self.derived.made.get(&key).into_iter().flatten().rev();
        if let Some((_, made)) = before.clone().find(|(block, _)| self.a.b.is_dominated_by(*block))
        {
            return made.clone();
        }
        let made = make(self);
        let block = self.a.b.current();
        self.derived.made.entry(key).or_default().push((block, made.clone()));
        made
    }

    // Helper lanes.

    pub(super) fn is_helper_lane(&mut self, to: Value) {
        let home = match self.has_helpers() {
            true => Home::Bits(self.helpers()),
            false => Home::Constant(0),
        };
        self.set(to, home);
    }

    /// The active lanes that are not helper lanes.
    fn others(&mut self) -> Vec<VReg> {
        let (active, helpers) = (self.active(), self.helpers());
        let sets = [active.as_slice(), &helpers].concat();
        self.derive(Rule::Others, &sets, |s| {
            active.iter().zip(&helpers).map(|(a, b)| s.a.mask_without(*a, *b)).collect()
        })
    }

    /// The active lanes that are not helper lanes, or all of them if there are no others.
    fn participants(&mut self) -> Vec<VReg> {
        let others = self.others();
        let (active, helpers) = (self.active(), self.helpers());
        let sets = [active.as_slice(), &helpers].concat();
        self.derive(Rule::Participants, &sets, |s| {
            let any = s.any(&others);
            let one = Source::Immediate(Immediate::Word(1));
            let bits = s.a.general(Sub_rm32_imm32, View::R32, any, one);
            let all_if_none = s.a.mask_of_bits(bits);
            let add = |s: &mut Self, set: VReg, all: VReg| {
                let helpers = s.a.mask_and(all, all_if_none);
                s.a.mask_or(set, helpers)
            };
            others.iter().zip(&active).map(|(set, all)| add(s, *set, *all)).collect()
        })
    }

    /// A wave operation: for the participants, if helper lanes do not participate in it.
    pub(super) fn wave(
        &mut self,
        op: WaveOp,
        args: &[Value],
        lanes: Option<Value>,
        results: &[Value],
    ) {
        let is_for_all = matches!(op.facts().sees, Sees::Nothing | Sees::Quad);
        // The runtime computes the participants by itself.
        let is_call = lanes.is_some() || op == WaveOp::Match;
        if !self.has_helpers() || self.module.helpers_take_part() || is_for_all || is_call {
            return self.wave_op(op, args, lanes, results);
        }
        let before = self.active();
        let participants = self.participants();
        self.set_active(&participants);
        self.stage.executing = Some(before.clone());
        self.wave_op(op, args, lanes, results);
        self.stage.executing = None;
        self.set_active(&before);
    }

    /// The lanes that execute an instruction: the active ones, or the participants of a wave operation.
    pub(super) fn executing(&mut self) -> Vec<VReg> {
        match &self.stage.executing {
            Some(lanes) => lanes.clone(),
            None => self.active(),
        }
    }

    /// An instruction that helper lanes do not execute; its result is 0 for them.
    pub(super) fn without_helpers(&mut self, inst: Inst) {
        let module = self.module;
        let op = &module.inst(inst).op;
        let before = self.active();
        let lanes = self.others();
        let is_masked = matches!(op, Op::Output { .. })
            || self.is_masked_access(op) && module.inst(inst).results.is_empty();
        if is_masked {
            self.set_active(&lanes);
            self.execute(inst);
            return self.set_active(&before);
        }
        let result = module.inst(inst).results.first().filter(|it| self.used[it.index()]);
        let variable = result.map(|it| self.variable(*it));
        if let Some(variable) = &variable {
            self.assign_zero(variable);
        }
        self.only_for(&lanes, |s| {
            s.set_active(&lanes);
            s.origins.push(Default::default());
            s.execute(inst);
            s.origins.pop();
            if let (Some(variable), Some(result)) = (&variable, result) {
                s.assign(variable, *result, Some(&lanes));
            }
            true
        });
        self.set_active(&before);
        match (&variable, result) {
            (Some(variable), Some(result)) => {
                let home = self.read(variable);
                self.set(*result, home);
            }
            _ => module.inst(inst).results.iter().for_each(|it| self.set(*it, Home::Constant(0))),
        }
    }

    // Demotion.

    /// The active lanes become helper lanes, and quads of helper lanes retire; the active set may be empty afterwards.
    pub(super) fn discard(&mut self) {
        let (active, helpers) = (self.active(), self.helpers());
        let all: Vec<VReg> =
            helpers.iter().zip(&active).map(|(a, b)| self.a.mask_or(*a, *b)).collect();
        let variables = self.stage.helpers.clone();
        self.write_all(&variables, &all);
        if let Some(at) = self.layout.stage.as_ref().map(|it| it.helpers()) {
            let bits = self.lane_bits(&all);
            self.store_set(at, bits, false);
        }
        if self.stage.kept.is_empty() {
            return;
        }
        let variables = self.stage.kept.clone();
        let kept = self.read_all(&variables);
        let kept: Vec<VReg> = kept
            .iter()
            .zip(&all)
            .map(|(kept, helpers)| {
                let others = self.a.mask_without(*kept, *helpers);
                self.quads_of(others)
            })
            .collect();
        self.write_all(&variables, &kept);
        let rest = self.without_retired(active);
        self.set_active(&rest);
    }

    /// All lanes of the quads that contain a lane of the mask.
    fn quads_of(&mut self, mask: VReg) -> VReg {
        let mut words = self.a.ones(mask);
        for order in [0b10_11_00_01, 0b01_00_11_10] {
            let across = self.shuffle(words, order);
            words = self.a.op(Lanewise::Or, Arg::Register(words), Arg::Register(across));
        }
        self.a.mask_of_ones(words)
    }

    /// Whether quads may retire in one of the regions.
    pub(super) fn retires(&self, regions: &[Region]) -> bool {
        !self.stage.kept.is_empty()
            && regions.iter().any(|region| {
                self.module.region(*region).insts.iter().any(|inst| {
                    let op = &self.module.inst(*inst).op;
                    matches!(op, Op::Discard) || self.retires(&op.regions())
                })
            })
    }

    /// The set without the lanes of quads that have retired since it was computed.
    pub(super) fn without_retired(&mut self, set: Vec<VReg>) -> Vec<VReg> {
        if self.stage.kept.is_empty() {
            return set;
        }
        let variables = self.stage.kept.clone();
        let kept = self.read_all(&variables);
        let rest: Vec<VReg> = set.iter().zip(&kept).map(|(a, b)| self.a.mask_and(*a, *b)).collect();
        if self.derived.whole.contains(&set) {
            self.derived.whole.push(rest.clone());
        }
        rest
    }

    // Inputs and outputs.

    pub(super) fn input(&mut self, slot: Slot, to: Value) {
        let Some(rows) = &self.layout.stage else {
            unreachable!("the verifier has checked that the module has that input")
        };
        let at = rows.inputs[slot.index()].at;
        let count = match self.ty(to).repr() {
            Repr::Bit | Repr::Word => self.chunks,
            Repr::Long => 2 * self.chunks,
        };
        let bytes = scalar_bytes(self.ty(to)) as u8;
        let vectors: Vec<VReg> = (0..count)
            .map(|i| self.a.load_vector(self.row_in_strip(at + 4 * self.lanes * i, bytes)))
            .collect();
        let home = match self.ty(to).repr() {
            Repr::Bit => {
                let zero = Arg::Register(self.a.zero());
                let test = |it: &VReg| self.a.test(Test::Gt, Kind::SignedWord, *it, zero, None);
                Home::Bits(vectors.iter().map(test).collect())
            }
            Repr::Word => Home::Words(vectors),
            Repr::Long => Home::Longs(vectors),
        };
        self.set(to, home);
    }

    pub(super) fn output(&mut self, slot: Slot, value: Value) {
        let Some(rows) = &self.layout.stage else {
            unreachable!("the verifier has checked that the module has that output")
        };
        let row = rows.outputs[slot.index()];
        let lanes = self.active();
        let bits = self.derive(Rule::Bits, &lanes, |s| s.lane_bits(&lanes));
        self.store_set(row.written, bits, !row.is_whole);
        let bytes = scalar_bytes(self.ty(value)) as u8;
        let at = |chunk: usize| self.row_in_strip(row.at + 4 * self.lanes * chunk, bytes);
        let places: Vec<Address> = (0..2 * self.chunks).map(at).collect();
        let words = match self.ty(value).repr() {
            Repr::Bit => self.bits(value).into_iter().map(|it| self.a.ones(it)).collect(),
            Repr::Word => self.words(value),
            Repr::Long => {
                for (half, longs) in self.longs(value).into_iter().enumerate() {
                    let old = match row.is_whole {
                        true => self.a.zero(),
                        false => self.a.load_vector(places[half]),
                    };
                    let new = self.a.blend_long(lanes[half / 2], half % 2, longs, old);
                    self.a.store_vector(places[half], new);
                }
                return;
            }
        };
        if row.is_whole {
            let words = self.zero_inactive(&words, &lanes);
            words.iter().zip(places).for_each(|(words, at)| self.a.store_vector(at, *words));
        } else {
            let masked = words.iter().zip(&lanes).zip(places);
            masked.for_each(|((words, mask), at)| self.a.store_masked(at, *words, Some(*mask)));
        }
    }

    // Quads.

    /// Whether the active lanes are known to be whole quads.
    fn has_whole_quads(&mut self) -> bool {
        let active = self.active();
        let known = self.known_lanes(&active);
        let is_known = known.is_some_and(|set| {
            (0..32).map(|quad| set >> (4 * quad) & 15).all(|quad| matches!(quad, 0 | 15))
        });
        is_known || self.derived.whole.contains(&active)
    }

    /// For each lane, the word of the lane of its quad that `order` names, or its own if that lane is not active.
    fn quad_words(&mut self, words: &[VReg], order: u8) -> Vec<VReg> {
        let there: Vec<VReg> = words.iter().map(|it| self.shuffle(*it, order)).collect();
        if self.has_whole_quads() {
            return there;
        }
        let active = self.active();
        let is_there = self.derive(Rule::Quads(order), &active, |s| {
            let of = |s: &mut Self, mask: VReg| {
                let words = s.a.ones(mask);
                let across = s.shuffle(words, order);
                s.a.mask_of_ones(across)
            };
            active.iter().map(|it| of(s, *it)).collect()
        });
        let own = words.iter().zip(there).zip(is_there);
        own.map(|((own, there), is_there)| self.a.blend(is_there, there, *own)).collect()
    }

    /// A derivative of 32-bit floats.
    pub(super) fn derivative(&mut self, inst: Inst, of: Derivative, value: Value, to: Value) {
        if self.ty(value) != Ty::F32 {
            return self.call(inst);
        }
        if self.is_single(value) {
            return self.binary(Binary::Sub, value, value, to);
        }
        let words = self.raw_words(value);
        let [greater, lesser] = [0, 1].map(|i| {
            let order = (0..4).map(|lane| of.lanes(lane)[i] << (2 * lane)).sum::<u32>();
            self.quad_words(&words, order as u8)
        });
        let pairs = greater.into_iter().zip(lesser);
        let differences = pairs
            .map(|(a, b)| self.a.op(Lanewise::SubS, Arg::Register(a), Arg::Register(b)))
            .collect();
        self.set(to, Home::Words(differences));
    }

    /// Reads of other lanes of the quad; whether there are instructions for that.
    pub(super) fn quad_read(&mut self, op: WaveOp, args: &[Value], to: Value) -> bool {
        let order = match op {
            WaveOp::QuadRead(QuadDirection::X) => 0b10_11_00_01,
            WaveOp::QuadRead(QuadDirection::Y) => 0b01_00_11_10,
            WaveOp::QuadRead(QuadDirection::Diagonal) => 0b00_01_10_11,
            WaveOp::QuadReadLaneAt => match self.constant(args[1]) {
                Some(lane) => (lane as u8 & 3) * 0b01_01_01_01,
                None => return false,
            },
            _ => return false,
        };
        if self.is_single(args[0]) {
            self.rename(args[0], to);
            return true;
        }
        if self.ty(to).repr() != Repr::Word {
            return false;
        }
        let words = self.words(args[0]);
        let read = self.quad_words(&words, order);
        self.set(to, Home::Words(read));
        true
    }

    /// Whether a condition holds for a lane of the quad, or for all.
    pub(super) fn quad_vote(&mut self, op: WaveOp, value: Value, to: Value) {
        let (active, set) = (self.active(), self.bits(value));
        let votes = active.iter().zip(&set).map(|(active, set)| match op {
            WaveOp::QuadAny => {
                let set = self.a.mask_and(*active, *set);
                self.quads_of(set)
            }
            _ => {
                let missing = self.a.mask_without(*active, *set);
                let quads = self.quads_of(missing);
                self.a.mask_not(quads)
            }
        });
        let votes = votes.collect();
        self.set(to, Home::Bits(votes));
    }
}
