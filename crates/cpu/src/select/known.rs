//! Constant folding at selection time: constants, values that are known for each lane, and loops with a small trip
//! count.

use std::rc::Rc;

use ir::{Inst, Region, Value};
use ops::Ty;
use ops::scalar;
use rustc_hash::FxHashMap as HashMap;

use super::joint::has_shared_atomics;
use super::{Home, Selector};

impl Selector<'_> {
    /// Folds a pure operation whose operands are all known.
    pub(super) fn folded(&self, args: &[Value], eval: impl Fn(&[u64]) -> u64) -> Option<Home> {
        let mut tables: Vec<Option<Rc<Vec<u64>>>> = Vec::with_capacity(args.len());
        let mut bits = Vec::with_capacity(args.len());
        for arg in args {
            match self.home(*arg) {
                Home::Constant(own) => {
                    bits.push(*own);
                    tables.push(None);
                }
                Home::Table(table) => {
                    bits.push(0);
                    tables.push(Some(table.clone()));
                }
                _ => return None,
            }
        }
        if tables.iter().all(Option::is_none) {
            return Some(Home::Constant(eval(&bits)));
        }
        let lanes = (0..self.layout.lanes).map(|lane| {
            let own: Vec<u64> = tables
                .iter()
                .zip(&bits)
                .map(|(table, bits)| table.as_ref().map_or(*bits, |it| it[lane]))
                .collect();
            eval(&own)
        });
        Some(self.table(lanes.collect()))
    }

    pub(super) fn table(&self, lanes: Vec<u64>) -> Home {
        match lanes[..self.width as usize].iter().all(|it| *it == lanes[0]) {
            true => Home::Constant(lanes[0]),
            false => Home::Table(Rc::new(lanes)),
        }
    }

    /// The first element, if the values are an arithmetic progression with that stride.
    pub(super) fn table_start(table: &[u64], stride: i32) -> Option<u32> {
        let expected = |lane: u32| (table[0] as u32).wrapping_add(lane.wrapping_mul(stride as u32));
        let all = table.iter().zip(0..).all(|(bits, lane)| *bits as u32 == expected(lane));
        all.then_some(table[0] as u32)
    }

    /// The trip count of a loop, if it is known and the loop can be unrolled.
    pub(super) fn rounds(&self, inst: Inst) -> Option<usize> {
        if self.uniformity.splits(inst) || self.loses_beyond(inst) {
            return None;
        }
        let regions = self.module.inst(inst).op.regions();
        if self.group.is_some() && regions.into_iter().any(|it| has_shared_atomics(self.module, it))
        {
            return None;
        }
        ir::rounds::rounds(self.module, self.width, inst, |value| {
            match self.homes[value.index()].as_ref() {
                Some(Home::Constant(bits)) => Some(*bits),
                _ => None,
            }
        })
    }

    /// An iteration of an unrolled loop, in which the parameters are aliases.
    pub(super) fn unroll(&mut self, inst: Inst, body: Region, inits: &[Value], rounds: usize) {
        let module = self.module;
        let params = &module.region(body).params;
        let yielded = self.yielded(body);
        for round in 0..rounds {
            let from = if round == 0 { inits } else { yielded };
            let homes: Vec<Home> =
                from.iter().zip(params).map(|(from, to)| self.home_as(*from, *to)).collect();
            for (param, home) in params.iter().zip(homes) {
                self.set(*param, home);
            }
            self.copies.push(HashMap::default());
            let falls = self.region(body);
            self.copies.pop();
            if self.given_up {
                return;
            }
            let is_last = round + 1 == rounds;
            assert!(!(falls && is_last), "the loop ends in its last iteration");
            if !falls && !is_last {
                // An inner loop without an exit, which the trip count ignores: nothing reaches the next iteration.
                return;
            }
            if falls {
                self.count_round(inst, body);
            }
        }
    }

    pub(super) fn fold_unary(&self, op: ops::Unary, a: Value) -> Option<Home> {
        let ty = self.ty(a);
        self.folded(&[a], |it| scalar::eval_unary(op, ty, it[0]))
    }

    pub(super) fn fold_binary(&self, op: ops::Binary, a: Value, b: Value) -> Option<Home> {
        let ty = self.ty(a);
        self.folded(&[a, b], |it| scalar::eval_binary(op, ty, it[0], it[1]))
    }

    pub(super) fn fold_compare(&self, op: ops::Compare, a: Value, b: Value) -> Option<Home> {
        let ty = self.ty(a);
        self.folded(&[a, b], |it| u64::from(scalar::eval_compare(op, ty, it[0], it[1])))
    }

    pub(super) fn fold_ternary(&self, op: ops::Ternary, args: [Value; 3]) -> Option<Home> {
        let ty: Ty = self.ty(args[2]);
        self.folded(&args, |it| scalar::eval_ternary(op, ty, it[0], it[1], it[2]))
    }
}
