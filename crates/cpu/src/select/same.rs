//! `WaveMatch`: for each lane the set of lanes that hold the same bits.
//!
//! There are two algorithms. In narrow waves each lane's word is compared with all others. That is quadratic in the
//! width, so in wide waves the sets are computed bit by bit: the lanes that agree with a lane in one bit are those that
//! have the bit set or all the others, and a lane's set is the intersection over all bits in which any two lanes
//! differ.

use iced_x86::Code::*;
use ir::Value;
use ops::Repr;

use super::{Home, Selector};
use crate::isa::Isa;
use crate::machine::*;
use crate::vector::*;

/// The largest width at which words are compared with all lanes.
const NARROW: u32 = 32;
/// The number of words of sets that are kept in registers during the loop over bits.
const MOST_SETS: usize = 16;

impl Selector<'_> {
    /// Returns whether the operands are supported.
    pub(super) fn matches(&mut self, args: &[Value], results: &[Value]) -> bool {
        let is_word = |it: &Value| self.ty(*it).repr() == Repr::Word;
        if !args.iter().all(is_word) {
            return false;
        }
        match args {
            [only] if self.width <= NARROW => self.match_lane_by_lane(*only, results),
            _ => self.match_bit_by_bit(args, results),
        }
        true
    }

    /// The set of equal lanes for each lane, by comparing every lane's word with all.
    ///
    /// The words pass through rows of the frame, from which one lane's word can be broadcast, and in which sets of
    /// lanes are assembled from chunks.
    fn match_lane_by_lane(&mut self, value: Value, results: &[Value]) {
        self.rows = self.rows.max(1 + results.len());
        let active = self.active();
        let words = self.words(value);
        let own = self.layout.row(0);
        for (chunk, vector) in words.iter().enumerate() {
            self.a.store_vector(Address::frame(own + 4 * self.lanes * chunk), *vector);
        }
        let per_word = 32 / self.lanes;
        let used = (self.width as usize).div_ceil(32);
        for lane in 0..self.width as usize {
            let one = Address::frame(own + 4 * lane);
            let all = match self.a.isa {
                Isa::Avx512 => Arg::Memory(one.broadcast()),
                Isa::Avx2 => {
                    let source = [Source::Memory(one)];
                    Arg::Register(self.a.b.define(VEX_Vpbroadcastd_ymm_xmmm32, View::Ymm, &source))
                }
            };
            for word in 0..used {
                let to = Address::frame(self.layout.row(1 + word) + 4 * lane);
                let mut bits: Option<VReg> = None;
                let chunks =
                    (word * per_word..(word + 1) * per_word).filter(|it| *it < words.len());
                for (place, chunk) in chunks.enumerate() {
                    let on = self.partial(active[chunk]);
                    let same = self.a.test(Test::Eq, Kind::SignedWord, words[chunk], all, on);
                    let own = self.a.mask_bits(same);
                    bits = Some(match bits {
                        None => own,
                        Some(below) => {
                            let shift = byte((place * self.lanes) as u8);
                            let own = self.a.general(Shl_rm32_imm8, View::R32, own, shift);
                            let below = Source::Register(View::R32, below);
                            self.a.general(Or_r32_rm32, View::R32, own, below)
                        }
                    });
                }
                if let Some(bits) = bits {
                    self.a.store_general(View::R32, to, bits);
                }
            }
        }
        for (word, result) in results.iter().enumerate() {
            if word >= used {
                self.set(*result, Home::Constant(0));
                continue;
            }
            let from = self.layout.row(1 + word);
            let vectors = (0..self.chunks)
                .map(|chunk| self.a.load_vector(Address::frame(from + 4 * self.lanes * chunk)))
                .collect();
            self.set(*result, Home::Words(vectors));
            if self.is_uniform(*result) {
                self.make_single(*result);
            }
        }
    }

    /// The set of equal lanes for each lane, by comparing bit by bit.
    fn match_bit_by_bit(&mut self, args: &[Value], results: &[Value]) {
        let used = (self.width as usize).div_ceil(32);
        let active = self.active();
        let words: Vec<Vec<VReg>> = args.iter().map(|it| self.words(*it)).collect();
        let differing: Vec<VReg> = words.iter().map(|it| self.differing_bits(it)).collect();
        let at_a_time = (MOST_SETS / self.chunks).max(1);
        for first in (0..used).step_by(at_a_time) {
            let part = first..used.min(first + at_a_time);
            // Initially all active lanes, for every lane.
            let sets: Vec<Vec<Var>> = part
                .clone()
                .map(|word| {
                    let all = self.word_of_set(&active, word);
                    let vars = (0..self.chunks).map(|_| self.a.b.var(VECTOR));
                    let vars: Vec<Var> = vars.collect();
                    vars.iter().for_each(|it| self.a.b.write(*it, all));
                    vars
                })
                .collect();
            for (words, differing) in words.iter().zip(&differing) {
                self.each_set_bit(*differing, |s, bit| {
                    let bit = s.a.splat(bit, false);
                    let with: Vec<VReg> = words.iter().map(|it| s.a.test_bit(*it, bit)).collect();
                    let own: Vec<VReg> = with.iter().map(|it| s.a.ones(*it)).collect();
                    for (word, sets) in part.clone().zip(&sets) {
                        let all = s.word_of_set(&with, word);
                        for (set, own) in sets.iter().zip(&own) {
                            let old = s.a.b.read(*set);
                            let new = s.a.keep_where_equal(old, all, *own);
                            s.a.b.write(*set, new);
                        }
                    }
                });
            }
            for (word, sets) in part.zip(&sets) {
                let vectors = sets.iter().map(|it| self.a.b.read(*it)).collect();
                self.set(results[word], Home::Words(vectors));
                if self.is_uniform(results[word]) {
                    self.make_single(results[word]);
                }
            }
        }
        results[used..].iter().for_each(|it| self.set(*it, Home::Constant(0)));
    }

    /// A superset of the bits in which any lane differs from the first.
    fn differing_bits(&mut self, words: &[VReg]) -> VReg {
        let first = self.a.spread_lowest(words[0], false);
        let mut all: Option<VReg> = None;
        for word in words {
            let own = self.a.op(Lanewise::Xor, Arg::Register(*word), Arg::Register(first));
            all = Some(match all {
                Some(all) => self.a.op(Lanewise::Or, Arg::Register(all), Arg::Register(own)),
                None => own,
            });
        }
        let Some(all) = all else { unreachable!("a wave has chunks") };
        let all = self.fold_lanes(Lanewise::Or, all);
        self.a.lowest(all, false)
    }

    /// One of the 32-lane words of a set, in all lanes.
    fn word_of_set(&mut self, set: &[VReg], word: usize) -> VReg {
        let per_word = 32 / self.lanes;
        let end = set.len().min((word + 1) * per_word);
        let part = &set[word * per_word..end];
        let bits = match (part, self.known_lanes(part)) {
            (_, Some(known)) => self.a.word(known as u32),
            ([low, high], None) if self.a.isa == Isa::Avx512 => {
                let sources = [*high, *low].map(|it| Source::Register(View::K, it));
                let both = self.a.b.define(VEX_Kunpckwd_kr_kr_kr, View::K, &sources);
                let source = [Source::Register(View::K, both)];
                self.a.b.define(VEX_Kmovd_r32_kr, View::R32, &source)
            }
            _ => self.lane_bits(part)[0],
        };
        self.a.splat(bits, false)
    }

    /// A loop over the set bits of a word, ascending. The body gets the isolated bit.
    fn each_set_bit(&mut self, word: VReg, each: impl FnOnce(&mut Self, VReg)) {
        let left = self.a.b.var(GENERAL);
        self.a.b.write(left, word);
        let (header, body, done) = (self.a.b.block(), self.a.b.block(), self.a.b.block());
        self.a.b.jump(header);
        self.a.b.switch_to(header);
        let bits = self.a.b.read(left);
        let own = Source::Register(View::R32, bits);
        self.a.b.effect(Test_rm32_r32, &[own, own]);
        self.a.b.branch(Condition::NotZero, body, done);
        self.a.b.switch_to(body);
        let bit = self.a.b.define(VEX_Blsi_r32_rm32, View::R32, &[own]);
        each(self, bit);
        let rest = self.a.b.define(VEX_Blsr_r32_rm32, View::R32, &[own]);
        self.a.b.write(left, rest);
        self.a.b.jump(header);
        self.a.b.seal(header);
        self.a.b.switch_to(done);
    }
}
