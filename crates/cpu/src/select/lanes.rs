//! Lanes one by one, ascending: where they may access the same scalar, or where no instruction serves a vector of them.
//!
//! Where all lanes of a wave take part, which is usual, nothing tests which ones do: their operands are read from rows
//! of the frame in an unrolled loop, or go from vectors to general registers two at a time.

use iced_x86::Code::*;
use ir::Value;
use ops::Repr;

use super::Selector;
use crate::machine::*;
use crate::vector::*;

/// Operands of lanes that are processed one by one.
#[derive(Clone, Copy)]
pub(super) enum Held {
    /// The same for all lanes.
    Constant(u64),
    Register(VReg),
    /// In a row of the frame, with elements of this many bytes.
    Row(usize, u32),
}

/// The lane that is being processed.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    /// A register that holds a lane number, and the distance of this lane from that one.
    register: Option<VReg>,
    lane: usize,
}

/// The number of lanes per iteration of the loop over all lanes.
const UNROLLED: usize = 16;

impl Selector<'_> {
    /// Spills the lanes' operands to where they can be read lane by lane.
    pub(super) fn hold(&mut self, value: Value, bytes: u32, row: usize) -> Held {
        if let Some(bits) = self.constant(value) {
            return Held::Constant(bits);
        }
        if self.is_single(value) {
            return Held::Register(self.general(value));
        }
        let vectors = match bytes {
            8 => self.longs(value),
            _ => self.stored_words(value),
        };
        self.hold_vectors(&vectors, bytes, row)
    }

    /// Values as words in memory: a `bool` is 0 or 1 there.
    pub(super) fn stored_words(&mut self, value: Value) -> Vec<VReg> {
        if self.ty(value).repr() != Repr::Bit {
            return self.words(value);
        }
        let masks = self.bits(value);
        let one = self.a.constant_word(1);
        let ones = masks.into_iter().map(|it| {
            let ones = self.a.ones(it);
            self.a.op(Lanewise::And, Arg::Register(ones), one)
        });
        ones.collect()
    }

    /// Spills vectors of operands, one after the other.
    pub(super) fn hold_vectors(&mut self, vectors: &[VReg], bytes: u32, row: usize) -> Held {
        self.rows = self.rows.max(row + 1);
        for (i, vector) in vectors.iter().enumerate() {
            let at = self.layout.row(row) + 4 * self.lanes * i;
            self.a.store_vector(Address::frame(at), *vector);
        }
        Held::Row(row, bytes)
    }

    pub(super) fn in_row(&self, row: usize, bytes: u32, at: Lane) -> Address {
        let start = self.layout.row(row) + at.lane * bytes as usize;
        let index = at.register.map(|it| (View::R64, it));
        Address { index, scale: bytes as u8, ..Address::frame(start) }
    }

    pub(super) fn held(&mut self, held: Held, at: Lane) -> VReg {
        match held {
            Held::Constant(bits) => self.a.long(bits),
            Held::Register(register) => register,
            Held::Row(row, bytes) => {
                let from = self.in_row(row, bytes, at);
                self.a.load_general(if bytes == 8 { View::R64 } else { View::R32 }, from)
            }
        }
    }

    /// Processes the lanes of a set.
    pub(super) fn each_in(&mut self, masks: &[VReg], mut serve: impl FnMut(&mut Self, Lane)) {
        if self.is_whole_wave(masks) {
            return self.each_of_all(&mut serve);
        }
        let bits = self.lane_bits(masks);
        if self.known_lanes(masks).is_some() {
            return self.each_bit(bits, serve);
        }
        self.if_whole(&bits, |s, is_whole| match is_whole {
            true => s.each_of_all(&mut serve),
            false => s.each_bit(bits.clone(), &mut serve),
        });
    }

    /// Emits code for a set of all lanes of a wave, and code for any other.
    pub(super) fn if_whole(&mut self, bits: &[VReg], mut emit: impl FnMut(&mut Self, bool)) {
        let all = match *bits {
            [only] => only,
            [low, high] => {
                self.a.general(And_r64_rm64, View::R64, low, Source::Register(View::R64, high))
            }
            _ => unreachable!("a wave has 128 lanes at most"),
        };
        let whole = self.a.long(u64::MAX >> (64 - self.width.min(64)));
        let sources = [all, whole].map(|it| Source::Register(View::R64, it));
        self.a.b.effect(Cmp_r64_rm64, &sources);
        let [every, some, joined] = [0; 3].map(|_| self.a.b.block());
        self.a.b.branch(Condition::Zero, every, some);
        for (block, is_whole) in [(every, true), (some, false)] {
            self.a.b.switch_to(block);
            emit(self, is_whole);
            self.a.b.jump(joined);
        }
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    /// A loop over the lanes of a set.
    pub(super) fn each_lane(&mut self, set: &[VReg], each: impl FnMut(&mut Self, Lane)) {
        let bits = self.lane_bits(set);
        self.each_bit(bits, each);
    }

    /// The same for the bits of 64 lanes each.
    pub(super) fn each_bit(&mut self, bits: Vec<VReg>, mut each: impl FnMut(&mut Self, Lane)) {
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
            each(self, Lane { register: Some(lane), lane: 64 * word });
            let rest = self.a.b.define(VEX_Blsr_r64_rm64, View::R64, &[own]);
            self.a.b.write(left, rest);
            self.a.b.jump(header);
            self.a.b.seal(header);
            self.a.b.switch_to(done);
        }
    }

    /// Processes all lanes of a wave, several per iteration.
    fn each_of_all(&mut self, serve: &mut dyn FnMut(&mut Self, Lane)) {
        let width = self.width as usize;
        if width <= UNROLLED {
            return (0..width).for_each(|lane| serve(self, Lane { register: None, lane }));
        }
        let next = self.a.b.var(GENERAL);
        let zero = self.a.word(0);
        self.a.b.write(next, zero);
        let header = self.a.b.block();
        self.a.b.jump(header);
        self.a.b.switch_to(header);
        let first = self.a.b.read(next);
        for lane in 0..UNROLLED {
            serve(self, Lane { register: Some(first), lane });
        }
        let step = Source::Immediate(Immediate::Word(UNROLLED as u32));
        let after = self.a.general(Add_rm32_imm32, View::R32, first, step);
        self.a.b.write(next, after);
        let end = Source::Immediate(Immediate::Word(self.width));
        self.a.b.effect(Cmp_rm32_imm32, &[Source::Register(View::R32, after), end]);
        let [again, done] = [0; 2].map(|_| self.a.b.block());
        self.a.b.branch(Condition::Below, again, done);
        self.a.b.switch_to(again);
        self.a.b.jump(header);
        self.a.b.seal(header);
        self.a.b.switch_to(done);
    }

    /// Processes all lanes of a wave, with one word of each in a general register.
    ///
    /// Words go there from vectors, two at a time, which is faster than storing and reloading them. The code is longer,
    /// so loops around it are not unrolled.
    pub(super) fn each_extracted(
        &mut self,
        words: &[VReg],
        mut serve: impl FnMut(&mut Self, VReg, Lane),
    ) {
        let mut pair = self.a.word(0);
        for lane in 0..self.width as usize {
            let word = if lane.is_multiple_of(2) {
                pair = self.a.two_words(words[lane / self.lanes], lane % self.lanes / 2);
                let low = Source::Register(View::R32, pair);
                self.a.b.define(Mov_r32_rm32, View::R32, &[low])
            } else {
                self.a.general(Shr_rm64_imm8, View::R64, pair, byte(32))
            };
            serve(self, word, Lane { register: None, lane });
        }
    }
}
