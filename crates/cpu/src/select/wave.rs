//! Wave operations: one row for each operation with a short instruction sequence; the others are calls.

use iced_x86::Code::*;
use ir::Value;
use ops::{Fold, Repr, Sign, Ty, WaveOp};

use super::{Home, Selector};
use crate::isa::Isa;
use crate::machine::*;
use crate::vector::*;

impl Selector<'_> {
    pub(super) fn wave_op(
        &mut self,
        op: WaveOp,
        args: &[Value],
        lanes: Option<Value>,
        results: &[Value],
    ) {
        let to = results[0];
        let inst = self.inst_of(to);
        if lanes.is_some() {
            return self.call(inst);
        }
        let ty = args.first().map_or(Ty::I32, |it| self.ty(*it));
        match op {
            WaveOp::LaneIndex => {
                let lanes = (0..self.layout.lanes as u64).collect();
                let home = self.table(lanes);
                self.set(to, home);
            }
            WaveOp::LaneCount => self.set(to, Home::Constant(u64::from(self.width))),
            WaveOp::IsHelperLane => self.is_helper_lane(to),
            WaveOp::GroupWaveIndex => {
                let home = match self.numbered_wave() {
                    Some(wave) => Home::Constant(u64::from(wave)),
                    None => Home::General(self.wave_index()),
                };
                self.set(to, home);
            }
            WaveOp::GroupWaveCount => {
                let count = self.module.threads_per_group().div_ceil(self.width);
                self.set(to, Home::Constant(u64::from(count)));
            }
            WaveOp::IsFirstLane => {
                let active = self.active();
                if let Some(known) = self.known_lanes(&active).filter(|it| *it != 0) {
                    let first = known.trailing_zeros() as usize;
                    let lanes = (0..self.layout.lanes).map(|it| u64::from(it == first)).collect();
                    let home = self.table(lanes);
                    return self.set(to, home);
                }
                let masks = self.lowest_only(&active);
                self.set(to, Home::Bits(masks));
            }
            WaveOp::ActiveLanes | WaveOp::ConvergedLanes => {
                let active = self.active();
                self.set_words_of(&active, results);
            }
            WaveOp::Ballot => {
                let set = self.active_with(args[0]);
                self.set_words_of(&set, results);
            }
            WaveOp::AnyTrue => {
                let set = self.active_with(args[0]);
                let any = self.any(&set);
                self.set(to, Home::General(any));
            }
            WaveOp::AllTrue => {
                let active = self.active();
                let with = self.bits(args[0]);
                let missing: Vec<VReg> =
                    active.iter().zip(&with).map(|(a, b)| self.a.mask_without(*a, *b)).collect();
                let any = self.any(&missing);
                let one = Source::Immediate(Immediate::Word(1));
                let all = self.a.general(Xor_rm32_imm32, View::R32, any, one);
                self.set(to, Home::General(all));
            }
            WaveOp::CountBits => {
                let set = self.active_with(args[0]);
                let count = self.lane_count(&set);
                self.set(to, Home::General(count));
            }
            WaveOp::PrefixCountBits => {
                let active = self.active();
                let set = self.active_with(args[0]);
                if !self.has_helpers() {
                    self.prefixes.insert(to, (args[0], active));
                }
                let below = self.count_below(&set);
                self.set(to, Home::Words(below));
            }
            WaveOp::ReadLaneFirst if self.is_single(args[0]) => self.rename(args[0], to),
            WaveOp::ReadLaneFirst if ty == Ty::Bool => {
                let set = self.active_with(args[0]);
                let active = self.active();
                let first = self.lowest_only(&active);
                let own: Vec<VReg> =
                    set.iter().zip(&first).map(|(a, b)| self.a.mask_and(*a, *b)).collect();
                let any = self.any(&own);
                self.set(to, Home::General(any));
            }
            WaveOp::ReadLaneFirst => {
                let long = ty.repr() == Repr::Long;
                let register = if long {
                    let longs = self.longs(args[0]);
                    self.first_long(&longs)
                } else {
                    let words = self.words(args[0]);
                    self.first_word(&words)
                };
                let home = if ty.is_float() {
                    Home::Splat(self.a.splat(register, long))
                } else {
                    Home::General(register)
                };
                self.set(to, home);
            }
            WaveOp::ReadLaneAt if ty.repr() == Repr::Word => self.read_lane_at(args, to),
            WaveOp::Reduce(fold) if lanewise(fold, ty).is_some() => {
                self.reduce(fold, ty, args[0], to);
            }
            WaveOp::Scan(Fold::Sum) if matches!(ty, Ty::I32 | Ty::F32) => {
                self.scan_sum(ty, args[0], to);
            }
            WaveOp::Match if !self.has_helpers() && self.matches(args, results) => {}
            WaveOp::QuadAny | WaveOp::QuadAll => self.quad_vote(op, args[0], to),
            WaveOp::QuadRead(_) | WaveOp::QuadReadLaneAt if self.quad_read(op, args, to) => {}
            _ => self.call(inst),
        }
    }

    /// The active lanes for which it is true.
    fn active_with(&mut self, value: Value) -> Vec<VReg> {
        let active = self.active();
        let with = self.bits(value);
        active.iter().zip(&with).map(|(a, b)| self.both(*a, *b)).collect()
    }

    /// The words of a set; those beyond the width are zero.
    fn set_words_of(&mut self, set: &[VReg], results: &[Value]) {
        let bits = self.lane_bits(set);
        for (i, result) in results.iter().enumerate() {
            let home = match bits.get(i / 2) {
                None => Home::Constant(0),
                Some(_) if 32 * i >= self.width as usize => Home::Constant(0),
                Some(bits) if i % 2 == 0 => {
                    let source = Source::Register(View::R32, *bits);
                    Home::General(self.a.b.define(Mov_r32_rm32, View::R32, &[source]))
                }
                Some(bits) => {
                    Home::General(self.a.general(Shr_rm64_imm8, View::R64, *bits, byte(32)))
                }
            };
            self.set(*result, home);
        }
    }

    /// The set with only the lowest lane of a set.
    fn lowest_only(&mut self, set: &[VReg]) -> Vec<VReg> {
        let bits = self.lane_bits(set);
        let mut lowest: Vec<VReg> = bits
            .iter()
            .map(|it| {
                self.a.b.define(VEX_Blsi_r64_rm64, View::R64, &[Source::Register(View::R64, *it)])
            })
            .collect();
        if let [low, high] = lowest[..] {
            let zero = self.a.word(0);
            let own = Source::Register(View::R64, low);
            self.a.b.effect(Test_rm64_r64, &[own, own]);
            let zero = Source::Register(View::R64, zero);
            lowest[1] = self.a.general(Cmovne_r64_rm64, View::R64, high, zero);
        }
        self.masks_of(&lowest)
    }

    /// Masks from the bits of 64 lanes each.
    pub(super) fn masks_of(&mut self, bits: &[VReg]) -> Vec<VReg> {
        (0..self.chunks)
            .map(|chunk| {
                let first = chunk * self.lanes;
                let (word, shift) = (bits[first / 64], (first % 64) as u8);
                let own = match shift {
                    0 => word,
                    _ => self.a.general(Shr_rm64_imm8, View::R64, word, byte(shift)),
                };
                self.a.mask_of_bits(own)
            })
            .collect()
    }

    /// For each lane, the number of lanes of the set below it.
    pub(super) fn count_below(&mut self, set: &[VReg]) -> Vec<VReg> {
        let mut before: Option<VReg> = None;
        let mut counts = Vec::new();
        for (chunk, mask) in set.iter().enumerate() {
            let own = self.count_below_in_chunk(*mask);
            counts.push(match before {
                None => own,
                Some(before) => {
                    let before = self.a.splat(before, false);
                    self.a.op(Lanewise::AddD, Arg::Register(own), Arg::Register(before))
                }
            });
            if chunk + 1 < set.len() {
                let own = self.count_in_chunk(*mask);
                before = Some(match before {
                    None => own,
                    Some(before) => {
                        let source = Source::Register(View::R32, before);
                        self.a.general(Add_r32_rm32, View::R32, own, source)
                    }
                });
            }
        }
        counts
    }

    fn count_below_in_chunk(&mut self, mask: VReg) -> VReg {
        let lanes: Vec<u32> = (0..self.lanes as u32).collect();
        let lanes = self.a.constant_words(&lanes);
        if self.a.isa == Isa::Avx512 {
            // A lane in the set has its rank; any other lane has its index minus its rank among the others.
            let lanes = self.a.load(lanes, false);
            let others = self.a.mask_not(mask);
            let source = Source::Register(View::Zmm, lanes);
            let options = Options { mask: Some(others), zeroing: true, ..Options::default() };
            let code = EVEX_Vpexpandd_zmm_k1z_zmmm512;
            let rank = self.a.b.define_with(code, View::Zmm, &[source], options);
            let rest = self.a.op(Lanewise::SubD, Arg::Register(lanes), Arg::Register(rank));
            let options = Options { mask: Some(mask), tied: Some(rest), ..Options::default() };
            return self.a.b.define_with(code, View::Zmm, &[source], options);
        }
        let bits = self.a.mask_bits(mask);
        let bits = self.a.splat(bits, false);
        let below: Vec<u32> = (0..8).map(|lane| (1 << lane) - 1).collect();
        let below = self.a.constant_words(&below);
        let below = self.a.op(Lanewise::And, Arg::Register(bits), below);
        self.count_low_byte(below)
    }

    /// The population count of words below 256.
    fn count_low_byte(&mut self, words: VReg) -> VReg {
        let table: Vec<u32> = (0..8)
            .map(|i| {
                let count = |nibble: u32| nibble.count_ones();
                (0..4).map(|byte| count(i % 4 * 4 + byte) << (8 * byte)).sum()
            })
            .collect();
        let table = self.a.constant_words(&table);
        let table = self.a.load(table, false);
        let fifteen = self.a.constant_word(15);
        let low = self.a.op(Lanewise::And, Arg::Register(words), fifteen);
        let high = self.a.shift(Lanewise::ShrD, words, 4);
        let [low, high] = [low, high].map(|it| {
            let sources = [Source::Register(View::Ymm, table), Source::Register(View::Ymm, it)];
            let counts = self.a.b.define(VEX_Vpshufb_ymm_ymm_ymmm256, View::Ymm, &sources);
            let byte = self.a.constant_word(0xff);
            self.a.op(Lanewise::And, Arg::Register(counts), byte)
        });
        self.a.op(Lanewise::AddD, Arg::Register(low), Arg::Register(high))
    }

    /// Zero in inactive lanes.
    pub(super) fn zero_inactive(&mut self, words: &[VReg], active: &[VReg]) -> Vec<VReg> {
        if self.are_full(active) {
            return words.to_vec();
        }
        let mut zero = None;
        words
            .iter()
            .zip(active)
            .map(|(word, on)| {
                if self.a.isa == Isa::Avx512 {
                    let options = Options { mask: Some(*on), zeroing: true, ..Options::default() };
                    let source = Source::Register(View::Zmm, *word);
                    let code = EVEX_Vmovdqa32_zmm_k1z_zmmm512;
                    return self.a.b.define_with(code, View::Zmm, &[source], options);
                }
                let zero = *zero.get_or_insert_with(|| self.a.zero());
                self.a.blend(*on, *word, zero)
            })
            .collect()
    }

    /// Reading a lane that is not active gives zero.
    fn read_lane_at(&mut self, args: &[Value], to: Value) {
        let active = self.active();
        let words = self.words(args[0]);
        let words = self.zero_inactive(&words, &active);
        if self.is_single(args[1]) {
            let index = self.general(args[1]);
            let last = self.a.word(self.layout.lanes as u32);
            let inside =
                self.a.b.define(Mov_r32_rm32, View::R32, &[Source::Register(View::R32, index)]);
            self.a.b.effect(
                Cmp_rm32_imm32,
                &[
                    Source::Register(View::R32, inside),
                    Source::Immediate(Immediate::Word(self.width)),
                ],
            );
            let last = Source::Register(View::R32, last);
            let index = self.a.general(Cmovae_r32_rm32, View::R32, inside, last);
            // The words of the row are followed by a zero.
            let row = self.layout.row(0);
            let zero = self.a.word(0);
            self.a.store_general(View::R32, Address::frame(row + 4 * self.layout.lanes), zero);
            let word = self.word_of_lane(&words, index);
            let home = if self.ty(to).is_float() {
                Home::Splat(self.a.splat(word, false))
            } else {
                Home::General(word)
            };
            return self.set(to, home);
        }
        if let Home::Table(table) = self.home(args[1]).clone()
            && let Some(read) = self.read_known_lanes(&words, &table)
        {
            return self.set(to, Home::Words(read));
        }
        let index = self.words(args[1]);
        let width = self.a.constant_word(self.width);
        let row = self.layout.row(0);
        if self.chunks > 1 || self.a.isa == Isa::Avx2 {
            for (chunk, vector) in words.iter().enumerate() {
                self.a.store_vector(Address::frame(row + chunk * 4 * self.lanes), *vector);
            }
        }
        let read = index
            .into_iter()
            .map(|index| {
                let inside = self.a.test(Test::Lt, Kind::UnsignedWord, index, width, None);
                if self.chunks == 1 && self.a.isa == Isa::Avx512 {
                    let options =
                        Options { mask: Some(inside), zeroing: true, ..Options::default() };
                    let sources = [index, words[0]].map(|it| Source::Register(View::Zmm, it));
                    let code = EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32;
                    return self.a.b.define_with(code, View::Zmm, &sources, options);
                }
                self.a.gather(Address::frame(row), index, 4, inside)
            })
            .collect();
        self.set(to, Home::Words(read));
    }

    /// Reads of constant lanes, if those for each chunk are in one chunk.
    fn read_known_lanes(&mut self, words: &[VReg], table: &[u64]) -> Option<Vec<VReg>> {
        let lanes = self.lanes;
        let width = u64::from(self.width);
        let used = lanes.min(self.width as usize);
        let mut plan: Vec<(usize, Vec<u32>)> = Vec::new();
        for part in table.chunks(lanes) {
            let from = part[0] as usize / lanes;
            let one = part[..used].iter().all(|it| *it < width && *it as usize / lanes == from);
            if !one {
                return None;
            }
            plan.push((from, part.iter().map(|it| (*it % lanes as u64) as u32).collect()));
        }
        let read = plan.into_iter().map(|(from, order)| {
            let source = words[from];
            let of_four = |i: usize| order[i] as usize % 4;
            let in_fours = order.iter().zip(0..).all(|(it, lane): (&u32, usize)| {
                *it as usize / 4 == lane / 4 && *it as usize % 4 == of_four(lane % 4)
            });
            if order.iter().zip(0..).all(|(it, lane)| *it == lane) {
                return source;
            }
            if in_fours {
                let order = (0..4).map(|i| of_four(i) << (2 * i)).sum::<usize>();
                return self.shuffle(source, order as u8);
            }
            let order = self.a.constant_words(&order);
            let order = self.a.load(order, false);
            let sources = [self.a.vector(order), self.a.vector(source)];
            let code = self.a.pick(EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, VEX_Vpermd_ymm_ymm_ymmm256);
            let view = self.a.view();
            self.a.b.define(code, view, &sources)
        });
        Some(read.collect())
    }

    pub(super) fn raw_words(&mut self, value: Value) -> Vec<VReg> {
        let args = self.raw_word_args(value);
        args.into_iter().map(|it| self.a.load(it, false)).collect()
    }

    /// The words, with another value in inactive lanes.
    fn with_neutral(&mut self, words: Vec<VReg>, neutral: u32) -> Vec<VReg> {
        let active = self.active();
        if neutral == 0 || self.are_full(&active) {
            return self.zero_inactive(&words, &active);
        }
        let neutral = self.a.constant_word(neutral);
        let neutral = self.a.load(neutral, false);
        words.iter().zip(&active).map(|(word, on)| self.a.blend(*on, *word, neutral)).collect()
    }

    /// The canonical reduction: a tree that folds halves onto each other until one lane is left.
    fn reduce(&mut self, fold: Fold, ty: Ty, value: Value, to: Value) {
        let Some(op) = lanewise(fold, ty) else {
            unreachable!("the caller has checked the operation")
        };
        let words = self.raw_words(value);
        let neutral = match (fold, ty) {
            (Fold::Sum, Ty::F32) => 1 << 31,
            _ => fold.identity(ty) as u32,
        };
        let mut words = self.with_neutral(words, neutral);
        while words.len() > 1 {
            let (low, high) = words.split_at(words.len() / 2);
            words = low
                .iter()
                .zip(high)
                .map(|(low, high)| self.a.op(op, Arg::Register(*low), Arg::Register(*high)))
                .collect();
        }
        if op == Lanewise::AddD {
            self.summed.insert(to, words[0]);
        }
        let all = self.fold_lanes(op, words[0]);
        let home = if ty == Ty::F32 {
            let all = self.canonical(all, ty);
            Home::Splat(self.a.spread_lowest(all, false))
        } else {
            Home::General(self.a.lowest(all, false))
        };
        self.set(to, home);
    }

    /// Halves of a vector folded onto each other; the result is in the lowest lane.
    pub(super) fn fold_lanes(&mut self, op: Lanewise, words: VReg) -> VReg {
        let mut all = words;
        let mut width = self.lanes;
        while width > 1 {
            let high = self.upper_half(all, width);
            all = self.a.op(op, Arg::Register(all), Arg::Register(high));
            width /= 2;
        }
        all
    }

    /// The upper half of the lowest `width` words, moved to the lower half.
    fn upper_half(&mut self, words: VReg, width: usize) -> VReg {
        let view = self.a.view();
        let from = Source::Register(view, words);
        match width {
            16 => {
                let code = EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
                self.a.b.define(code, View::Ymm, &[from, byte(1)])
            }
            8 => {
                let from = Source::Register(View::Ymm, words);
                self.a.b.define(extract_code(self.a.isa), View::Xmm, &[from, byte(1)])
            }
            4 => self.shuffle(words, 0x4e),
            _ => self.shuffle(words, 0xb1),
        }
    }

    /// Permutes each four words: two bits for each lane, the lowest first, are the place among them that it reads.
    pub(super) fn shuffle(&mut self, words: VReg, order: u8) -> VReg {
        let code = self.a.pick(EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8, VEX_Vpshufd_ymm_ymmm256_imm8);
        let source = self.a.vector(words);
        let view = self.a.view();
        self.a.b.define(code, view, &[source, byte(order)])
    }

    /// The canonical scan (Hillis–Steele): in each step, every lane adds the value of the lane 1, 2, 4 … below it.
    fn scan_sum(&mut self, ty: Ty, value: Value, to: Value) {
        let words = self.raw_words(value);
        let (op, neutral) = match ty {
            Ty::F32 => (Lanewise::AddS, 1 << 31),
            _ => (Lanewise::AddD, 0),
        };
        let fill = self.a.constant_word(neutral);
        let fill = self.a.load(fill, false);
        let mut sums = self.with_neutral(words, neutral);
        let mut distance = 1;
        while distance < self.width as usize {
            let shifted = self.shifted(&sums, distance, fill);
            sums = sums
                .iter()
                .zip(&shifted)
                .map(|(sum, below)| self.a.op(op, Arg::Register(*below), Arg::Register(*sum)))
                .collect();
            distance *= 2;
        }
        let mut below = self.shifted(&sums, 1, fill);
        if ty == Ty::F32 {
            // The lanes up to the first active one have none below them, so their sum is +0.
            let above = self.above_first();
            let zero = self.a.zero();
            below = (0..self.chunks)
                .map(|chunk| {
                    let sum = self.canonical(below[chunk], ty);
                    self.a.blend(above[chunk], sum, zero)
                })
                .collect();
        }
        self.set(to, Home::Words(below));
    }

    /// The lanes above the first active one.
    fn above_first(&mut self) -> Vec<VReg> {
        let active = self.active();
        if let Some(known) = self.known_lanes(&active) {
            let above = !(((known & known.wrapping_neg()) << 1).wrapping_sub(1));
            return (0..self.chunks)
                .map(|chunk| self.a.mask_constant((above >> (chunk * self.lanes)) as u32))
                .collect();
        }
        let bits = self.lane_bits(&active);
        let first = self.lowest_lane(&bits);
        let first = self.a.splat(first, false);
        (0..self.chunks)
            .map(|chunk| {
                let lanes: Vec<u32> =
                    (0..self.lanes).map(|lane| (chunk * self.lanes + lane) as u32).collect();
                let lanes = self.a.constant_words(&lanes);
                let lanes = self.a.load(lanes, false);
                self.a.test(Test::Gt, Kind::SignedWord, lanes, Arg::Register(first), None)
            })
            .collect()
    }

    /// Each lane gets the value of the lane `distance` below it; the lowest lanes get `fill`.
    fn shifted(&mut self, words: &[VReg], distance: usize, fill: VReg) -> Vec<VReg> {
        let (chunks, lanes) = (distance / self.lanes, distance % self.lanes);
        (0..words.len())
            .map(|i| {
                let at = |back: usize| i.checked_sub(back).map_or(fill, |it| words[it]);
                let (upper, lower) = (at(chunks), at(chunks + 1));
                if lanes == 0 { upper } else { self.joined(upper, lower, lanes) }
            })
            .collect()
    }

    /// The lanes of `upper` shifted up, with the highest of `lower` below them.
    fn joined(&mut self, upper: VReg, lower: VReg, lanes: usize) -> VReg {
        if self.a.isa == Isa::Avx512 {
            let sources = [
                Source::Register(View::Zmm, upper),
                Source::Register(View::Zmm, lower),
                byte((16 - lanes) as u8),
            ];
            let code = EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8;
            return self.a.b.define(code, View::Zmm, &sources);
        }
        let [upper_source, lower_source] = [upper, lower].map(|it| Source::Register(View::Ymm, it));
        // The upper half of `lower` and the lower half of `upper`.
        let middle = self.a.b.define(
            VEX_Vperm2i128_ymm_ymm_ymmm256_imm8,
            View::Ymm,
            &[lower_source, upper_source, byte(0x21)],
        );
        if lanes == 4 {
            return middle;
        }
        let middle = Source::Register(View::Ymm, middle);
        let code = VEX_Vpalignr_ymm_ymm_ymmm256_imm8;
        self.a.b.define(code, View::Ymm, &[upper_source, middle, byte((16 - 4 * lanes) as u8)])
    }
}

/// The instruction for a fold of that type.
fn lanewise(fold: Fold, ty: Ty) -> Option<Lanewise> {
    Some(match (fold, ty) {
        (Fold::Sum, Ty::I32) => Lanewise::AddD,
        (Fold::Product, Ty::I32) => Lanewise::MulD,
        (Fold::And, Ty::I32) => Lanewise::And,
        (Fold::Or, Ty::I32) => Lanewise::Or,
        (Fold::Xor, Ty::I32) => Lanewise::Xor,
        (Fold::Min(Sign::Signed), Ty::I32) => Lanewise::MinSd,
        (Fold::Min(Sign::Unsigned), Ty::I32) => Lanewise::MinUd,
        (Fold::Max(Sign::Signed), Ty::I32) => Lanewise::MaxSd,
        (Fold::Max(Sign::Unsigned), Ty::I32) => Lanewise::MaxUd,
        (Fold::Sum, Ty::F32) => Lanewise::AddS,
        (Fold::Product, Ty::F32) => Lanewise::MulS,
        _ => return None,
    })
}

/// Only the EVEX encoding can address all registers.
fn extract_code(isa: Isa) -> iced_x86::Code {
    match isa {
        Isa::Avx512 => EVEX_Vextracti32x4_xmmm128_k1z_ymm_imm8,
        Isa::Avx2 => VEX_Vextracti128_xmmm128_ymm_imm8,
    }
}
