//! Atomic additions to buffers: one for all lanes if they add the same number at the same place, otherwise lane by
//! lane. Every other atomic operation is a call.

use iced_x86::Code::*;
use ir::{Address as At, Atomic, Inst, Place, Value};
use ops::Ty;

use super::lanes::{Held, Lane};
use super::memory::Access;
use super::{Home, Selector};
use crate::layout::*;
use crate::machine::*;
use crate::vector::*;

impl Selector<'_> {
    pub(super) fn atomic(&mut self, inst: Inst, place: Place, at: At, op: Atomic, args: &[Value]) {
        let ty = self.ty(args[0]);
        let access = self.access(place, at, 1, ty);
        let Some(access) = access.filter(|_| op == Atomic::Add && ty == Ty::I32) else {
            return self.call(inst);
        };
        if self.add_unobserved(inst, args[0]) {
            if let Some(result) = self.module.inst(inst).results.first() {
                // It is never read.
                self.set(*result, Home::Constant(0));
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
            return self.set(result, Home::Words(vec![splat; self.chunks]));
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
        self.set(result, Home::Words(seen));
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

    /// Lane by lane, ascending.
    ///
    /// If the buffer may have a private copy, the result is not used; additions to a private copy need no lock.
    fn add_by_lane(&mut self, access: &Access, value: Value, inst: Inst, is_copied: bool) {
        let result = self.module.inst(inst).results.first().copied();
        let active = self.active();
        let words = self.words(access.index);
        let masks = self.in_bounds(access, 0, &words, &active);
        let values = self.hold(value, 4, 1);
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        if !is_copied {
            return self.add_locked(access, start, &words, values, &masks, result);
        }
        if let Some(result) = result {
            // It is never read.
            self.set(result, Home::Constant(0));
        }
        // Each case has separate code: a lock costs far more than a jump.
        let [own, common, joined] = [0; 3].map(|_| self.a.b.block());
        let is_own = self.a.load_general(View::R32, Address::frame(access.slice + SLICE_OWN));
        let is_own = Source::Register(View::R32, is_own);
        let bits = self.lane_bits(&masks);
        self.a.b.effect(Test_rm32_r32, &[is_own, is_own]);
        self.a.b.branch(Condition::NotZero, own, common);
        self.a.b.switch_to(own);
        let add = |s: &mut Self, index: VReg, lane: Lane| {
            let to = Source::Memory(s.scaled_address(access, start, index, 0));
            let (code, added) = match values {
                Held::Constant(bits) => {
                    (Add_rm32_imm32, Source::Immediate(Immediate::Word(bits as u32)))
                }
                _ => (Add_rm32_r32, Source::Register(View::R32, s.held(values, lane))),
            };
            s.a.b.effect(code, &[to, added]);
        };
        self.if_whole(&bits, |s, is_whole| match is_whole {
            true => s.each_extracted(&words, add),
            false => {
                let indices = s.hold_vectors(&words, 4, 0);
                s.each_bit(bits.clone(), |s, lane| {
                    let index = s.held(indices, lane);
                    add(s, index, lane);
                });
            }
        });
        self.a.b.jump(joined);
        self.a.b.switch_to(common);
        self.add_locked(access, start, &words, values, &masks, None);
        self.a.b.jump(joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    /// Adds in memory that other threads add to, too. Lanes out of bounds see zero.
    fn add_locked(
        &mut self,
        access: &Access,
        start: VReg,
        words: &[VReg],
        values: Held,
        masks: &[VReg],
        result: Option<Value>,
    ) {
        let indices = self.hold_vectors(words, 4, 0);
        if result.is_some() {
            let zero = self.a.zero();
            self.hold_vectors(&vec![zero; self.chunks], 4, 2);
        }
        self.each_lane(masks, |s, lane| {
            let index = s.held(indices, lane);
            let to = s.scaled_address(access, start, index, 0);
            let added = s.held(values, lane);
            // The exchange leaves the old word in the register of what is added.
            let added =
                s.a.b.define(Mov_r32_rm32, View::R32, &[Source::Register(View::R32, added)]);
            let options = Options { tied: Some(added), ..Options::default() };
            let old = s.a.b.exchange_add(to, options);
            if result.is_some() {
                let seen = s.in_row(2, 4, lane);
                s.a.store_general(View::R32, seen, old);
            }
        });
        if let Some(result) = result {
            let seen = (0..self.chunks)
                .map(|chunk| {
                    self.a.load_vector(Address::frame(self.layout.row(2) + 4 * self.lanes * chunk))
                })
                .collect();
            self.set(result, Home::Words(seen));
        }
    }
}
