//! Homes: the representations of values, and conversions between them.

use std::rc::Rc;

use iced_x86::Code::*;
use ir::Value;
use ir::uniformity::Uniformity;
use ops::{Repr, Ty};

use super::Selector;
use crate::machine::*;
use crate::vector::*;

/// Where the lanes' values of a result are held, and in which representation.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// A constant, the same in all lanes.
    Constant(u64),
    /// The same integer in all lanes, or 0 or 1 for a `bool`.
    General(VReg),
    /// The same float in all lanes.
    Splat(VReg),
    /// An `i32`: lane L holds `base + stride * L`.
    Affine { base: VReg, stride: i32 },
    /// A constant for each lane.
    Table(Rc<Vec<u64>>),
    /// An `i32`: lane L holds `base + table[L]`.
    Shifted { base: VReg, table: Rc<Vec<u64>> },
    /// A vector for each chunk.
    Words(Vec<VReg>),
    /// Two vectors for each chunk.
    Longs(Vec<VReg>),
    /// A mask for each chunk.
    Bits(Vec<VReg>),
}

/// A mutable home, and whether any NaN in it means the canonical one.
#[derive(Clone, Debug)]
pub(crate) struct Variable(pub(super) Kept, bool);

#[derive(Clone, Debug)]
pub(crate) enum Kept {
    General(Var),
    Splat(Var),
    Affine(Var, i32),
    Words(Vec<Var>),
    Longs(Vec<Var>),
    Bits(Vec<Var>),
}

impl Selector<'_> {
    pub(super) fn set(&mut self, value: Value, home: Home) {
        // In an unrolled loop, a value has had other homes before.
        self.copies.iter_mut().for_each(|it| {
            it.remove(&value);
        });
        self.homes[value.index()] = Some(home);
    }

    pub(super) fn home(&self, value: Value) -> &Home {
        match &self.homes[value.index()] {
            Some(home) => home,
            None => {
                unreachable!("the verifier has checked that {value} is defined before its uses")
            }
        }
    }

    /// Whether the value is held once for all lanes.
    pub(super) fn is_single(&self, value: Value) -> bool {
        match self.home(value) {
            Home::Constant(_) | Home::General(_) | Home::Splat(_) => true,
            Home::Affine { .. }
            | Home::Table(_)
            | Home::Shifted { .. }
            | Home::Words(_)
            | Home::Longs(_)
            | Home::Bits(_) => false,
        }
    }

    /// Makes a value an alias of another.
    pub(super) fn rename(&mut self, from: Value, to: Value) {
        let home = self.home_as(from, to);
        self.set(to, home);
    }

    /// The home of a value, for use by an alias.
    pub(super) fn home_as(&mut self, from: Value, to: Value) -> Home {
        match self.home(from).clone() {
            it if !self.nans.is_raw(from) || self.nans.is_raw(to) => it,
            Home::Splat(_) => Home::Splat(self.splat(from)),
            Home::Words(_) => Home::Words(self.words(from)),
            Home::Longs(_) => Home::Longs(self.longs(from)),
            it => it,
        }
    }

    pub(super) fn constant(&self, value: Value) -> Option<u64> {
        match self.home(value) {
            Home::Constant(bits) => Some(*bits),
            _ => None,
        }
    }

    // Reading.

    /// A uniform integer or `bool`.
    pub(super) fn general(&mut self, value: Value) -> VReg {
        let long = self.ty(value).repr() == Repr::Long;
        match self.home(value).clone() {
            Home::Constant(bits) => self.a.long(bits),
            Home::General(register) => register,
            Home::Splat(_) => {
                let vector = self.splat(value);
                self.a.lowest(vector, long)
            }
            // Only the analysis says that it is uniform.
            Home::Table(_) if self.ty(value) == Ty::Bool => {
                let set = self.bits(value);
                let active = self.active();
                let set: Vec<VReg> =
                    set.iter().zip(&active).map(|(a, b)| self.a.mask_and(*a, *b)).collect();
                self.any(&set)
            }
            Home::Table(_) if long => {
                let longs = self.longs(value);
                self.first_long(&longs)
            }
            Home::Affine { .. } | Home::Shifted { .. } | Home::Words(_) | Home::Table(_) => {
                let words = self.words(value);
                self.first_word(&words)
            }
            Home::Longs(vectors) => self.first_long(&vectors),
            Home::Bits(masks) => {
                let active = self.active();
                let both: Vec<VReg> =
                    masks.iter().zip(&active).map(|(a, b)| self.a.mask_and(*a, *b)).collect();
                self.any(&both)
            }
        }
    }

    /// A uniform float, in a vector.
    pub(super) fn splat(&mut self, value: Value) -> VReg {
        let vector = self.raw_splat(value);
        if self.nans.is_raw(value) { self.canonical(vector, self.ty(value)) } else { vector }
    }

    /// The same, with any NaN.
    pub(super) fn raw_splat(&mut self, value: Value) -> VReg {
        let long = self.ty(value).repr() == Repr::Long;
        match self.home(value).clone() {
            Home::Constant(bits) => {
                let arg = if long {
                    self.a.constant_long(bits)
                } else {
                    self.a.constant_word(bits as u32)
                };
                self.a.load(arg, long)
            }
            Home::Splat(vector) => vector,
            _ => {
                let register = self.general(value);
                self.a.splat(register, long)
            }
        }
    }

    /// Words for each chunk, constants in memory.
    pub(super) fn word_args(&mut self, value: Value) -> Vec<Arg> {
        match self.home(value).clone() {
            Home::Constant(bits) => vec![self.a.constant_word(bits as u32); self.chunks],
            Home::Table(table) => table
                .chunks(self.lanes)
                .map(|it| {
                    let words: Vec<u32> = it.iter().map(|bits| *bits as u32).collect();
                    self.a.constant_words(&words)
                })
                .collect(),
            _ => self.words(value).into_iter().map(Arg::Register).collect(),
        }
    }

    /// The same, with any NaN.
    pub(super) fn raw_word_args(&mut self, value: Value) -> Vec<Arg> {
        match self.home(value).clone() {
            Home::Words(vectors) => vectors.into_iter().map(Arg::Register).collect(),
            Home::Splat(vector) => vec![Arg::Register(vector); self.chunks],
            _ => self.word_args(value),
        }
    }

    pub(super) fn words(&mut self, value: Value) -> Vec<VReg> {
        if let Some(copy) = self.copies.iter().rev().find_map(|it| it.get(&value)) {
            return copy.clone();
        }
        let is_raw = self.nans.is_raw(value);
        let made = match self.home(value).clone() {
            Home::Words(vectors) if is_raw => {
                vectors.into_iter().map(|it| self.canonical(it, Ty::F32)).collect()
            }
            Home::Words(vectors) => return vectors,
            Home::Splat(_) => vec![self.splat(value); self.chunks],
            Home::Constant(bits) => {
                let arg = self.a.constant_word(bits as u32);
                let vector = self.a.load(arg, false);
                return vec![vector; self.chunks];
            }
            Home::General(register) => {
                let vector = self.a.splat(register, false);
                vec![vector; self.chunks]
            }
            Home::Affine { base, stride } => {
                let base = self.a.splat(base, false);
                (0..self.chunks).map(|chunk| self.affine_chunk(base, stride, chunk)).collect()
            }
            Home::Table(_) => {
                let args = self.word_args(value);
                args.into_iter().map(|it| self.a.load(it, false)).collect()
            }
            Home::Shifted { base, table } => {
                let base = self.a.splat(base, false);
                let chunks = table.chunks(self.lanes);
                let chunks = chunks.map(|it| it.iter().map(|it| *it as u32).collect::<Vec<u32>>());
                chunks
                    .map(|own| {
                        let own = self.a.constant_words(&own);
                        self.a.op(Lanewise::AddD, Arg::Register(base), own)
                    })
                    .collect()
            }
            Home::Longs(_) | Home::Bits(_) => unreachable!("{value} is not a word"),
        };
        self.remember(value, &made);
        made
    }

    fn affine_chunk(&mut self, base: VReg, stride: i32, chunk: usize) -> VReg {
        let lane = |it: usize| (chunk * self.lanes + it) as u32;
        let own: Vec<u32> =
            (0..self.lanes).map(|it| lane(it).wrapping_mul(stride as u32)).collect();
        let own = self.a.constant_words(&own);
        self.a.op(Lanewise::AddD, Arg::Register(base), own)
    }

    fn remember(&mut self, value: Value, made: &[VReg]) {
        let depth = self.copies.len() - 1;
        self.copies[depth].insert(value, made.to_vec());
    }

    pub(super) fn long_args(&mut self, value: Value) -> Vec<Arg> {
        match self.home(value).clone() {
            Home::Constant(bits) => vec![self.a.constant_long(bits); 2 * self.chunks],
            _ => self.longs(value).into_iter().map(Arg::Register).collect(),
        }
    }

    /// The same, with any NaN.
    pub(super) fn raw_long_args(&mut self, value: Value) -> Vec<Arg> {
        match self.home(value).clone() {
            Home::Longs(vectors) => vectors.into_iter().map(Arg::Register).collect(),
            Home::Splat(vector) => vec![Arg::Register(vector); 2 * self.chunks],
            _ => self.long_args(value),
        }
    }

    pub(super) fn longs(&mut self, value: Value) -> Vec<VReg> {
        let vector = match self.home(value).clone() {
            Home::Longs(vectors) if self.nans.is_raw(value) => {
                return vectors.into_iter().map(|it| self.canonical(it, Ty::F64)).collect();
            }
            Home::Longs(vectors) => return vectors,
            Home::Splat(_) => self.splat(value),
            Home::Constant(bits) => {
                let arg = self.a.constant_long(bits);
                self.a.load(arg, true)
            }
            Home::General(register) => self.a.splat(register, true),
            Home::Table(table) => {
                return table
                    .chunks(self.lanes / 2)
                    .map(|it| {
                        let words: Vec<u32> =
                            it.iter().flat_map(|it| [*it as u32, (*it >> 32) as u32]).collect();
                        let arg = self.a.constant_words(&words);
                        self.a.load(arg, true)
                    })
                    .collect();
            }
            Home::Affine { .. } | Home::Shifted { .. } | Home::Words(_) | Home::Bits(_) => {
                unreachable!("{value} is not a long")
            }
        };
        vec![vector; 2 * self.chunks]
    }

    pub(super) fn bits(&mut self, value: Value) -> Vec<VReg> {
        let mask = match self.home(value).clone() {
            Home::Bits(masks) => return masks,
            Home::Constant(bits) => {
                self.a.mask_constant(if bits & 1 == 1 { (1 << self.lanes) - 1 } else { 0 })
            }
            Home::General(register) => {
                let all = self.a.general1(Neg_rm32, register);
                self.a.mask_of_bits(all)
            }
            Home::Table(table) => {
                return table
                    .chunks(self.lanes)
                    .map(|it| {
                        let bits =
                            it.iter().zip(0..).map(|(bits, lane)| (*bits as u32 & 1) << lane);
                        self.a.mask_constant(bits.sum())
                    })
                    .collect();
            }
            Home::Splat(_)
            | Home::Affine { .. }
            | Home::Shifted { .. }
            | Home::Words(_)
            | Home::Longs(_) => {
                unreachable!("{value} is not a bool")
            }
        };
        vec![mask; self.chunks]
    }

    // Lanes.

    /// The lanes of masks, if they are constant.
    pub(super) fn known_lanes(&self, masks: &[VReg]) -> Option<u128> {
        masks.iter().enumerate().try_fold(0, |all, (chunk, mask)| {
            Some(all | u128::from(self.a.known(*mask)?) << (chunk * self.lanes))
        })
    }

    /// The number of lanes in the masks.
    pub(super) fn lane_count(&mut self, masks: &[VReg]) -> VReg {
        if let Some(known) = self.known_lanes(masks) {
            return self.a.word(known.count_ones());
        }
        // Counts of single masks are shared with other uses.
        let counts: Vec<VReg> = masks.iter().map(|it| self.count_in_chunk(*it)).collect();
        let mut sum = counts[0];
        for count in &counts[1..] {
            let count = Source::Register(View::R32, *count);
            sum = self.a.general(Add_r32_rm32, View::R32, sum, count);
        }
        sum
    }

    pub(super) fn count_in_chunk(&mut self, mask: VReg) -> VReg {
        let bits = self.a.mask_bits(mask);
        self.a.b.define(Popcnt_r32_rm32, View::R32, &[Source::Register(View::R32, bits)])
    }

    /// The bits of masks, 64 lanes in a register.
    pub(super) fn lane_bits(&mut self, masks: &[VReg]) -> Vec<VReg> {
        let mut all: Vec<VReg> = Vec::new();
        let per = 64 / self.lanes;
        if let Some(known) = self.known_lanes(masks) {
            let parts = masks.len().div_ceil(per);
            return (0..parts).map(|it| self.a.long((known >> (64 * it)) as u64)).collect();
        }
        for part in masks.chunks(per) {
            let mut bits: Option<VReg> = None;
            for mask in part.iter().rev() {
                let own = self.a.mask_bits(*mask);
                bits = Some(match bits {
                    None => own,
                    Some(above) => {
                        let above =
                            self.a.general(Shl_rm64_imm8, View::R64, above, byte(self.lanes as u8));
                        self.a.general(
                            Or_r64_rm64,
                            View::R64,
                            above,
                            Source::Register(View::R64, own),
                        )
                    }
                });
            }
            all.extend(bits);
        }
        all
    }

    /// 1 if a lane is in one of the masks, else 0.
    pub(super) fn any(&mut self, masks: &[VReg]) -> VReg {
        let zero = self.a.word(0);
        self.a.test_any(masks);
        self.a.general0(Setne_rm8, zero)
    }

    /// The index of the lowest lane of a set; at least the width if it is empty.
    pub(super) fn lowest_lane(&mut self, bits: &[VReg]) -> VReg {
        let low =
            self.a.b.define(Tzcnt_r64_rm64, View::R64, &[Source::Register(View::R64, bits[0])]);
        let Some(high) = bits.get(1) else { return low };
        let high =
            self.a.b.define(Tzcnt_r64_rm64, View::R64, &[Source::Register(View::R64, *high)]);
        let high = self.a.general(
            Add_rm64_imm8,
            View::R64,
            high,
            Source::Immediate(Immediate::SignedByte64(64)),
        );
        let own = Source::Register(View::R64, bits[0]);
        self.a.b.effect(Test_rm64_r64, &[own, own]);
        self.a.general(Cmove_r64_rm64, View::R64, low, Source::Register(View::R64, high))
    }

    /// The value of the lowest active lane, through the scratch row.
    pub(super) fn first_word(&mut self, words: &[VReg]) -> VReg {
        let active = self.active();
        if let Some(known) = self.known_lanes(&active) {
            return self.word_of_known_lane(words, known.trailing_zeros() as usize);
        }
        if let ([word], [on], crate::isa::Isa::Avx512) = (words, &active[..], self.a.isa) {
            let options = Options { mask: Some(*on), zeroing: true, ..Options::default() };
            let source = Source::Register(View::Zmm, *word);
            let code = EVEX_Vpcompressd_zmmm512_k1z_zmm;
            let packed = self.a.b.define_with(code, View::Zmm, &[source], options);
            return self.a.lowest(packed, false);
        }
        let bits = self.lane_bits(&active);
        let lane = self.lowest_lane(&bits);
        self.word_of_lane(words, lane)
    }

    /// The value of the lane with that index, which is less than 129.
    pub(super) fn word_of_lane(&mut self, words: &[VReg], lane: VReg) -> VReg {
        let row = self.layout.row(0);
        for (chunk, vector) in words.iter().enumerate() {
            self.a.store_vector(Address::frame(row + chunk * 4 * self.lanes), *vector);
        }
        let index = Some((View::R64, lane));
        self.a.load_general(View::R32, Address { index, scale: 4, ..Address::frame(row) })
    }

    /// The value of a lane with a constant index.
    pub(super) fn word_in_lane(&mut self, value: Value, lane: usize) -> VReg {
        match self.home(value).clone() {
            Home::Constant(_) | Home::General(_) | Home::Splat(_) => self.general(value),
            Home::Table(table) => self.a.word(table[lane] as u32),
            Home::Affine { base, stride: 0 } => base,
            Home::Affine { base, .. } if lane == 0 => base,
            _ => {
                let words = self.words(value);
                self.word_of_known_lane(&words, lane)
            }
        }
    }

    fn word_of_known_lane(&mut self, words: &[VReg], lane: usize) -> VReg {
        if let (Some(word), 0) = (words.get(lane / self.lanes), lane % self.lanes) {
            return self.a.lowest(*word, false);
        }
        let lane = self.a.word(lane as u32);
        self.word_of_lane(words, lane)
    }

    pub(super) fn first_long(&mut self, longs: &[VReg]) -> VReg {
        let active = self.active();
        let bits = self.lane_bits(&active);
        let lane = self.lowest_lane(&bits);
        let row = self.layout.row(0);
        for (half, vector) in longs.iter().enumerate() {
            self.a.store_vector(Address::frame(row + half * 4 * self.lanes), *vector);
        }
        let index = Some((View::R64, lane));
        self.a.load_general(View::R64, Address { index, scale: 8, ..Address::frame(row) })
    }

    // Variables.

    /// An uninitialised variable for values with the uniformity and type of this one.
    pub(super) fn variable(&mut self, like: Value) -> Variable {
        let ty = self.ty(like);
        let uniformity = self.uniformity.of(like);
        let mut fresh = |class: RegClass| {
            let var = self.a.b.var(class);
            let undefined = self.a.b.undefined(class);
            self.a.b.write(var, undefined);
            var
        };
        let mask = if self.a.isa == crate::isa::Isa::Avx512 { MASK } else { VECTOR };
        let kept = match (uniformity, ty.repr()) {
            (Uniformity::Uniform, _) if ty.is_float() => Kept::Splat(fresh(VECTOR)),
            (Uniformity::Uniform, _) => Kept::General(fresh(GENERAL)),
            (Uniformity::Affine { stride }, _) if ty == Ty::I32 => {
                Kept::Affine(fresh(GENERAL), stride as i32)
            }
            (_, Repr::Word) => Kept::Words((0..self.chunks).map(|_| fresh(VECTOR)).collect()),
            (_, Repr::Long) => Kept::Longs((0..2 * self.chunks).map(|_| fresh(VECTOR)).collect()),
            (_, Repr::Bit) => Kept::Bits((0..self.chunks).map(|_| fresh(mask)).collect()),
        };
        Variable(kept, self.nans.is_raw(like))
    }

    /// The current value of the variable.
    pub(super) fn read(&mut self, variable: &Variable) -> Home {
        let mut all = |vars: &[Var]| vars.iter().map(|it| self.a.b.read(*it)).collect();
        match &variable.0 {
            Kept::General(var) => Home::General(self.a.b.read(*var)),
            Kept::Splat(var) => Home::Splat(self.a.b.read(*var)),
            Kept::Affine(var, stride) => {
                Home::Affine { base: self.a.b.read(*var), stride: *stride }
            }
            Kept::Words(vars) => Home::Words(all(vars)),
            Kept::Longs(vars) => Home::Longs(all(vars)),
            Kept::Bits(vars) => Home::Bits(all(vars)),
        }
    }

    /// Assigns 0 in all lanes.
    pub(super) fn assign_zero(&mut self, variable: &Variable) {
        let (vars, zero) = match &variable.0 {
            Kept::General(var) | Kept::Affine(var, _) => (vec![*var], self.a.word(0)),
            Kept::Splat(var) => (vec![*var], self.a.zero()),
            Kept::Words(vars) | Kept::Longs(vars) => (vars.clone(), self.a.zero()),
            Kept::Bits(vars) => (vars.clone(), self.a.mask_constant(0)),
        };
        vars.into_iter().for_each(|var| self.a.b.write(var, zero));
    }

    /// Assigns to the variable: in the lanes of the masks, or without masks in all.
    ///
    /// A uniform value is the same for all lanes that reach this point, so the old value need not be kept.
    pub(super) fn assign(&mut self, variable: &Variable, value: Value, lanes: Option<&[VReg]>) {
        // The variable may hold any NaN if it is raw itself.
        let raw = variable.1;
        match &variable.0 {
            Kept::General(var) => {
                let new = self.general(value);
                self.a.b.write(*var, new);
            }
            Kept::Splat(var) => {
                let new = if raw { self.raw_splat(value) } else { self.splat(value) };
                self.a.b.write(*var, new);
            }
            Kept::Affine(var, stride) => {
                let new = self.base(value, *stride);
                self.a.b.write(*var, new);
            }
            Kept::Words(vars) => {
                let new: Vec<VReg> = if raw {
                    let args = self.raw_word_args(value);
                    args.into_iter().map(|it| self.a.load(it, false)).collect()
                } else {
                    self.words(value)
                };
                for (chunk, (var, new)) in vars.iter().zip(new).enumerate() {
                    let new = match lanes {
                        Some(lanes) => {
                            let old = self.a.b.read(*var);
                            self.a.blend(lanes[chunk], new, old)
                        }
                        None => new,
                    };
                    self.a.b.write(*var, new);
                }
            }
            Kept::Longs(vars) => {
                let new: Vec<VReg> = if raw {
                    let args = self.raw_long_args(value);
                    args.into_iter().map(|it| self.a.load(it, true)).collect()
                } else {
                    self.longs(value)
                };
                for (half, (var, new)) in vars.iter().zip(new).enumerate() {
                    let new = match lanes {
                        Some(lanes) => {
                            let old = self.a.b.read(*var);
                            self.a.blend_long(lanes[half / 2], half % 2, new, old)
                        }
                        None => new,
                    };
                    self.a.b.write(*var, new);
                }
            }
            Kept::Bits(vars) => {
                let new = self.bits(value);
                for (chunk, (var, new)) in vars.iter().zip(new).enumerate() {
                    let new = match lanes {
                        Some(lanes) => {
                            let old = self.a.b.read(*var);
                            let kept = self.a.mask_without(old, lanes[chunk]);
                            let new = self.a.mask_and(new, lanes[chunk]);
                            self.a.mask_or(kept, new)
                        }
                        None => new,
                    };
                    self.a.b.write(*var, new);
                }
            }
        }
    }

    /// The value of lane 0 of an affine value, whether or not it is active.
    fn base(&mut self, value: Value, stride: i32) -> VReg {
        match self.home(value).clone() {
            Home::Affine { base, .. } => base,
            Home::Constant(_) | Home::General(_) => self.general(value),
            Home::Table(table) if Selector::table_start(&table, stride).is_some() => {
                self.a.word(table[0] as u32)
            }
            _ => {
                let words = self.words(value);
                let active = self.active();
                let bits = self.lane_bits(&active);
                let lane = self.lowest_lane(&bits);
                let own = self.word_of_lane(&words, lane);
                let offset = self.times(lane, stride as u32);
                self.a.general(Sub_r32_rm32, View::R32, own, Source::Register(View::R32, offset))
            }
        }
    }

    /// Whether an arithmetic result can be kept as an affine value, because its operands are.
    pub(super) fn affine_parts(&mut self, value: Value) -> Option<VReg> {
        match self.home(value).clone() {
            Home::Affine { base, .. } => Some(base),
            Home::Constant(bits) => Some(self.a.word(bits as u32)),
            Home::General(register) => Some(register),
            Home::Table(table) => Some(self.a.word(table[0] as u32)),
            Home::Splat(_)
            | Home::Shifted { .. }
            | Home::Words(_)
            | Home::Longs(_)
            | Home::Bits(_) => None,
        }
    }
}

impl Assembler {
    /// An instruction that modifies its only operand.
    pub(crate) fn general1(&mut self, code: iced_x86::Code, a: VReg) -> VReg {
        let view = match code {
            Neg_rm64 | Not_rm64 => View::R64,
            _ => View::R32,
        };
        let options = Options { tied: Some(a), ..Options::default() };
        self.b.define_with(code, view, &[], options)
    }

    /// Sets the lowest byte of a zero register by the flags.
    pub(crate) fn general0(&mut self, code: iced_x86::Code, zero: VReg) -> VReg {
        let options = Options { tied: Some(zero), ..Options::default() };
        self.b.define_with(code, View::R8, &[], options)
    }
}
