//! What is known while code is made: constants, values that are known for each lane, and loops that end after few rounds.

use std::collections::HashSet;
use std::rc::Rc;

use ir::{Inst, Op, Region, Value};
use ops::scalar;
use ops::{Ty, WaveOp};
use rustc_hash::FxHashMap as HashMap;

use super::{Place, Selector};

/// A loop is unrolled up to so many rounds, and so many instructions in all.
const MOST_ROUNDS: usize = 64;
const MOST_INSTRUCTIONS: usize = 512;

/// How control leaves a region whose instructions are looked at one by one.
enum Way {
    Yield(Vec<Option<u64>>),
    Exit(Inst),
    /// It depends on what is not known now.
    Open,
}

impl Selector<'_> {
    /// A pure operation whose operands are all known.
    pub(super) fn folded(&self, args: &[Value], eval: impl Fn(&[u64]) -> u64) -> Option<Place> {
        let mut tables: Vec<Option<Rc<Vec<u64>>>> = Vec::with_capacity(args.len());
        let mut bits = Vec::with_capacity(args.len());
        for arg in args {
            match self.place(*arg) {
                Place::Constant(own) => {
                    bits.push(*own);
                    tables.push(None);
                }
                Place::Table(table) => {
                    bits.push(0);
                    tables.push(Some(table.clone()));
                }
                _ => return None,
            }
        }
        if tables.iter().all(Option::is_none) {
            return Some(Place::Constant(eval(&bits)));
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

    pub(super) fn table(&self, lanes: Vec<u64>) -> Place {
        match lanes[..self.width as usize].iter().all(|it| *it == lanes[0]) {
            true => Place::Constant(lanes[0]),
            false => Place::Table(Rc::new(lanes)),
        }
    }

    /// The first of a progression with that stride.
    pub(super) fn table_start(table: &[u64], stride: i32) -> Option<u32> {
        let expected = |lane: u32| (table[0] as u32).wrapping_add(lane.wrapping_mul(stride as u32));
        let all = table.iter().zip(0..).all(|(bits, lane)| *bits as u32 == expected(lane));
        all.then_some(table[0] as u32)
    }

    /// How many rounds a loop makes, if that is known now and it can be unrolled.
    pub(super) fn rounds(&self, inst: Inst, body: Region, inits: &[Value]) -> Option<usize> {
        let size = self.size_of(body);
        if self.shapes.splits(inst) || self.loses_beyond(inst) || size > MOST_INSTRUCTIONS {
            return None;
        }
        let inside = self.defined_in(body);
        let params = &self.module.region(body).params;
        let mut values: Vec<Option<u64>> = inits.iter().map(|it| self.constant(*it)).collect();
        for round in 1..=MOST_ROUNDS.min(MOST_INSTRUCTIONS / size.max(1)) {
            let known = params.iter().zip(&values).filter_map(|(it, bits)| Some((*it, (*bits)?)));
            let mut known: HashMap<Value, u64> = known.collect();
            match self.walk(body, &inside, &mut known, 0) {
                Way::Exit(to) if to == inst => return Some(round),
                Way::Exit(_) | Way::Open => return None,
                Way::Yield(next) => values = next,
            }
        }
        None
    }

    fn size_of(&self, region: Region) -> usize {
        let mut open = vec![region];
        let mut size = 0;
        while let Some(region) = open.pop() {
            for inst in &self.module.region(region).insts {
                size += 1;
                open.extend(self.module.inst(*inst).op.regions());
            }
        }
        size
    }

    fn walk(
        &self,
        region: Region,
        inside: &HashSet<Value>,
        known: &mut HashMap<Value, u64>,
        depth: usize,
    ) -> Way {
        if depth > 16 {
            return Way::Open;
        }
        for inst in &self.module.region(region).insts {
            let data = self.module.inst(*inst);
            let of = |known: &HashMap<Value, u64>, value: &Value| {
                let outside = || self.places[value.index()].as_ref();
                known.get(value).copied().or_else(|| match outside() {
                    Some(Place::Constant(bits)) if !inside.contains(value) => Some(*bits),
                    _ => None,
                })
            };
            let all = |known: &HashMap<Value, u64>, args: &[Value]| {
                args.iter().map(|it| of(known, it)).collect::<Option<Vec<u64>>>()
            };
            let ty = |value: &Value| self.module.ty(*value);
            let result = match &data.op {
                Op::Const { bits, .. } => Some(*bits),
                Op::Wave { op: WaveOp::LaneCount, .. } => Some(u64::from(self.width)),
                Op::Unary(op, a) => {
                    all(known, &[*a]).map(|it| scalar::eval_unary(*op, ty(a), it[0]))
                }
                Op::Binary(op, a, b) => {
                    all(known, &[*a, *b]).map(|it| scalar::eval_binary(*op, ty(a), it[0], it[1]))
                }
                Op::Compare(op, a, b) => all(known, &[*a, *b])
                    .map(|it| u64::from(scalar::eval_compare(*op, ty(a), it[0], it[1]))),
                Op::Ternary(op, args) => all(known, args).map(|it| {
                    scalar::eval_ternary(*op, self.module.ty(args[2]), it[0], it[1], it[2])
                }),
                Op::Yield(args) => {
                    return Way::Yield(args.iter().map(|it| of(known, it)).collect());
                }
                Op::Exit { to, .. } => return Way::Exit(*to),
                Op::Return => return Way::Open,
                Op::If { cond, then, else_ } => {
                    match of(known, cond) {
                        Some(bits) => {
                            let arm = if bits & 1 == 1 { then } else { else_ };
                            match self.walk(*arm, inside, known, depth + 1) {
                                Way::Yield(values) => {
                                    for (result, bits) in data.results.iter().zip(values) {
                                        bits.map(|bits| known.insert(*result, bits));
                                    }
                                }
                                other => return other,
                            }
                        }
                        None if self.loses(*then) || self.loses(*else_) => return Way::Open,
                        None => {}
                    }
                    None
                }
                Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. } => {
                    if self.loses_beyond(*inst) {
                        return Way::Open;
                    }
                    None
                }
                _ => None,
            };
            if let (Some(bits), [to]) = (result, &data.results[..]) {
                known.insert(*to, bits);
            }
        }
        Way::Open
    }

    /// The values that a round defines: what an earlier one has left in their places counts for nothing.
    fn defined_in(&self, region: Region) -> HashSet<Value> {
        let mut open = vec![region];
        let mut values = HashSet::new();
        while let Some(region) = open.pop() {
            let data = self.module.region(region);
            values.extend(&data.params);
            for inst in &data.insts {
                values.extend(&self.module.inst(*inst).results);
                open.extend(self.module.inst(*inst).op.regions());
            }
        }
        values
    }

    /// A round of an unrolled loop: parameters are other names.
    pub(super) fn unroll(&mut self, body: Region, inits: &[Value], rounds: usize) {
        let module = self.module;
        let params = &module.region(body).params;
        let yielded = self.yielded(body);
        for round in 0..rounds {
            let from = if round == 0 { inits } else { yielded };
            let places: Vec<Place> =
                from.iter().zip(params).map(|(from, to)| self.place_as(*from, *to)).collect();
            for (param, place) in params.iter().zip(places) {
                self.set(*param, place);
            }
            self.copies.push(HashMap::default());
            let falls = self.region(body);
            self.copies.pop();
            assert_eq!(falls, round + 1 < rounds, "a loop ends when it was seen to end");
        }
    }

    pub(super) fn fold_unary(&self, op: ops::Unary, a: Value) -> Option<Place> {
        let ty = self.ty(a);
        self.folded(&[a], |it| scalar::eval_unary(op, ty, it[0]))
    }

    pub(super) fn fold_binary(&self, op: ops::Binary, a: Value, b: Value) -> Option<Place> {
        let ty = self.ty(a);
        self.folded(&[a, b], |it| scalar::eval_binary(op, ty, it[0], it[1]))
    }

    pub(super) fn fold_compare(&self, op: ops::Compare, a: Value, b: Value) -> Option<Place> {
        let ty = self.ty(a);
        self.folded(&[a, b], |it| u64::from(scalar::eval_compare(op, ty, it[0], it[1])))
    }

    pub(super) fn fold_ternary(&self, op: ops::Ternary, args: [Value; 3]) -> Option<Place> {
        let ty: Ty = self.ty(args[2]);
        self.folded(&args, |it| scalar::eval_ternary(op, ty, it[0], it[1], it[2]))
    }
}
