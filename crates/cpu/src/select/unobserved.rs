//! Combined additions: atomic additions that cannot be observed individually are accumulated in a register, and added
//! to memory once for all waves of a frame.
//!
//! This applies if a module only adds to a resource, without using the results. Then no wave can observe when an
//! addition happens, and the order of additions does not affect the sum.
//!
//! If the place is known, its sum is kept in a register. Otherwise each party of waves has a private copy of a small
//! buffer (privatisation), to which it adds without locks; `launch` adds these copies up at the end.

use ir::{Address as At, Binding, Inst, Module, Op, ResourceKind, Value};
use legalize::additions::{accesses, is_only_added, unused_addition};
use ops::Ty;
use rustc_hash::FxHashMap as HashMap;

use super::Selector;
use super::memory::Access;
use crate::machine::*;
use crate::vector::*;

/// The most sums, each of which occupies a register while waves run.
const MOST: usize = 4;

/// A sum that has not been added to memory yet, spread over the lanes of a vector.
#[derive(Clone)]
pub(super) struct Unobserved {
    sum: Var,
    access: Access,
}

/// The additions whose sums may be kept, with their indices.
pub(super) fn unobserved(module: &Module, used: &[bool]) -> Vec<(Inst, Value)> {
    // The index of an addition to a known place.
    let silent = |inst: Inst| match unused_addition(module, used, inst)? {
        At::Structured { index, .. } | At::Byte(index) => module.constant(index).map(|_| index),
        _ => None,
    };
    let all = || (0..module.insts.len() as u32).map(Inst);
    let is_seen = |binding| {
        let mut others = accesses(module, binding);
        others.any(|inst| silent(inst).is_none())
    };
    let found: Vec<(Inst, Value)> = all()
        .filter_map(|inst| silent(inst).map(|index| (inst, index)))
        .filter(|(inst, _)| {
            let is_alone = |it: Binding| !module.shares_memory(it) && !is_seen(it);
            module.inst(*inst).op.places().all(|it| is_alone(it.binding))
        })
        .collect();
    if found.len() > MOST { Vec::new() } else { found }
}

/// The buffers of single words of which each party may have a private copy, initially zero.
pub(super) fn copied(module: &Module, used: &[bool]) -> Vec<Binding> {
    let all = (0..module.resources.len() as u32).map(Binding);
    let is_of_words = |it: Binding| {
        matches!(module.resource(it).kind, ResourceKind::Structured { stride: 4, .. })
    };
    all.filter(|it| is_of_words(*it) && is_only_added(module, used, *it)).collect()
}

impl Selector<'_> {
    /// Before the first wave.
    pub(super) fn begin_unobserved(&mut self) {
        let mut all = HashMap::default();
        for (inst, index) in unobserved(self.module, &self.used) {
            let Op::Atomic { place, at, .. } = self.module.inst(inst).op else {
                unreachable!("only additions are combined")
            };
            let Some(access) = self.access(place, at, 1, Ty::I32) else { continue };
            debug_assert_eq!(access.index, index);
            let sum = self.a.b.var(VECTOR);
            let zero = self.a.zero();
            self.a.b.write(sum, zero);
            all.insert(inst, Unobserved { sum, access });
        }
        self.unobserved = all;
    }

    /// Adds the values of the active lanes; returns whether the addition is accumulated.
    pub(super) fn add_unobserved(&mut self, inst: Inst, value: Value) -> bool {
        let Some(Unobserved { sum, .. }) = self.unobserved.get(&inst).cloned() else {
            return false;
        };
        let active = self.active();
        let one = self.known_lanes(&active).is_some_and(|it| it.count_ones() == 1);
        let parts = self.summed.get(&value).copied().filter(|_| one);
        if let Some(parts) = parts {
            // A wave sum that one lane adds: its value before the horizontal addition.
            let old = self.a.b.read(sum);
            let new = self.a.op(Lanewise::AddD, Arg::Register(old), Arg::Register(parts));
            self.a.b.write(sum, new);
            return true;
        }
        if self.is_single(value) {
            let own = self.general(value);
            let count = self.lane_count(&active);
            let count = Source::Register(View::R32, count);
            let own = self.a.general(iced_x86::Code::Imul_r32_rm32, View::R32, own, count);
            let own = self.a.splat(own, false);
            self.add_in(sum, own, 1);
            return true;
        }
        let words = self.words(value);
        for (words, on) in words.iter().zip(&active) {
            let old = self.a.b.read(sum);
            let new = self.a.op(Lanewise::AddD, Arg::Register(old), Arg::Register(*words));
            let new = self.a.blend(*on, new, old);
            self.a.b.write(sum, new);
        }
        true
    }

    /// Adds words to the sum in constant lanes.
    fn add_in(&mut self, sum: Var, words: VReg, lanes: u32) {
        let on = self.a.mask_constant(lanes);
        let old = self.a.b.read(sum);
        let new = self.a.op(Lanewise::AddD, Arg::Register(old), Arg::Register(words));
        let new = self.a.blend(on, new, old);
        self.a.b.write(sum, new);
    }

    /// After the last wave.
    pub(super) fn end_unobserved(&mut self) {
        let mut all: Vec<(Inst, Unobserved)> = self.unobserved.drain().collect();
        all.sort_by_key(|it| it.0.index());
        for (_, Unobserved { sum, access }) in all {
            let words = self.a.b.read(sum);
            let total = self.fold_lanes(Lanewise::AddD, words);
            let total = self.a.lowest(total, false);
            let index = match self.module.constant(access.index) {
                Some(index) => self.a.word(index as u32),
                None => unreachable!("the index of a combined addition is a constant"),
            };
            let (address, total) = self.address_and_own(&access, index, total);
            let options = Options { tied: Some(total), ..Options::default() };
            self.a.b.exchange_add(address, options);
        }
    }
}
