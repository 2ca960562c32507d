//! Wave operations across slots. All lanes of the device take part in each of its operations; flags tell which count.
//!
//! | operation | here |
//! |---|---|
//! | votes | a vote of what holds in any slot |
//! | ballots, counts | a ballot for each slot, which is a word of the set |
//! | reads of other lanes | the slot, then the device's lane |
//! | reductions | the first steps of the canonical tree between slots, the others between lanes |
//! | scans of integers | a scan of each slot, and the folds of the slots below |
//! | scans of floats | the canonical Hillis–Steele scan, step by step |
//! | `WaveMatch` | a waterfall loop over distinct values |
//! | folds over partitions | a loop over the active lanes of each slot, ascending |
//! | quads | in their slot |
//!
//! Minimum and maximum of floats are those of integers by now.

use ir::{Derivative, Op, Value, Values};
use ops::{Binary, Compare, Fold, Sign, Ty, Unary, WaveOp};

use super::{SLOT_LANES, Slots, Slotted};

/// The words of a set of lanes.
const SET_WORDS: usize = 4;

/// The lanes in a relation to a lane that a fold over a partition includes.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    All,
    Below,
    UpToOwn,
}

impl Slotted<'_> {
    fn op1(&self, op: WaveOp, value: Value) -> Value {
        self.writer.wave_op(op, &[value], &[self.writer.ty(value)])[0]
    }

    fn read(&self, value: Value, lane: Value) -> Value {
        self.writer.wave_op(WaveOp::ReadLaneAt, &[value, lane], &[self.writer.ty(value)])[0]
    }

    fn word(&self, bits: u32) -> Value {
        self.writer.word(bits)
    }

    fn is_zero(&self, word: Value) -> Value {
        self.writer.test(Compare::Eq, word, self.word(0))
    }

    fn is_not_zero(&self, word: Value) -> Value {
        self.writer.test(Compare::Ne, word, self.word(0))
    }

    fn either_word(&self, words: &[Value]) -> Value {
        let any = words.iter().copied().reduce(|a, b| self.writer.op2(Binary::Or, a, b));
        any.unwrap_or_else(|| self.word(0))
    }

    fn sum_of(&self, words: &[Value]) -> Value {
        let sum = words.iter().copied().reduce(|a, b| self.writer.op2(Binary::Add, a, b));
        sum.unwrap_or_else(|| self.word(0))
    }

    fn count(&self, set: Value) -> Value {
        self.writer.op1(Unary::CountBits, set)
    }

    /// The device's lanes for which a condition holds.
    fn ballot(&self, cond: Value) -> Value {
        match self.known(cond) {
            Some(true) => self.word(u32::MAX),
            Some(false) => self.word(0),
            None => self.writer.wave_op(WaveOp::Ballot, &[cond], &[Ty::I32; 4])[0],
        }
    }

    /// The active lanes of a slot.
    fn mask(&mut self, slot: usize) -> Value {
        let act = self.act[slot];
        if let Some((_, mask)) = self.masks.iter().find(|it| it.0 == act) {
            return *mask;
        }
        let mask = self.ballot(act);
        self.masks.push((act, mask));
        mask
    }

    fn all_masks(&mut self) -> Slots {
        (0..self.slots).map(|it| self.mask(it)).collect()
    }

    /// The active lanes of each slot in which a condition holds, as flags.
    fn hold(&self, cond: &[Value]) -> Slots {
        self.act.iter().zip(cond).map(|(act, cond)| self.and(*act, *cond)).collect()
    }

    fn fail(&self, cond: &[Value]) -> Slots {
        self.act.iter().zip(cond).map(|(act, cond)| self.and(*act, self.not(*cond))).collect()
    }

    /// The same as sets.
    fn ballots(&self, cond: &[Value]) -> Slots {
        self.hold(cond).into_iter().map(|it| self.ballot(it)).collect()
    }

    /// The same value in each slot.
    fn spread(&self, value: Value) -> Slots {
        vec![value; self.slots]
    }

    /// A set that is the same in all lanes.
    fn set_of(&self, words: &[Value]) -> Vec<Slots> {
        let word = |it: usize| words.get(it).copied().unwrap_or_else(|| self.word(0));
        (0..SET_WORDS).map(|it| self.spread(word(it))).collect()
    }

    /// The results of an operation, in each slot.
    pub(super) fn wave(&mut self, op: WaveOp, ty: Ty, args: &[Value]) -> Vec<Slots> {
        let args: Vec<Slots> = args.iter().map(|it| self.all(*it)).collect();
        vec![match op {
            WaveOp::LaneIndex
            | WaveOp::LaneCount
            | WaveOp::GroupWaveIndex
            | WaveOp::GroupWaveCount
            | WaveOp::IsHelperLane
            | WaveOp::LaneRelation(_) => unreachable!("{op:?} is known by the lane's place"),
            WaveOp::ActiveLanes | WaveOp::ConvergedLanes => {
                let masks = self.all_masks();
                return self.set_of(&masks);
            }
            WaveOp::Ballot => return self.set_of(&self.ballots(&args[0])),
            WaveOp::Match => return self.matching(&args),
            WaveOp::IsFirstLane => {
                let masks = self.all_masks();
                self.are_first(&masks)
            }
            WaveOp::AnyTrue => self.spread(self.any(&self.hold(&args[0]))),
            WaveOp::AllTrue => self.spread(self.not(self.any(&self.fail(&args[0])))),
            WaveOp::CountBits => {
                let counts: Slots =
                    self.ballots(&args[0]).into_iter().map(|it| self.count(it)).collect();
                self.spread(self.sum_of(&counts))
            }
            WaveOp::PrefixCountBits => {
                let sets = self.ballots(&args[0]);
                self.count_below(|_, from| sets[from])
            }
            WaveOp::MultiPrefixCountBits => {
                let sets = self.ballots(&args[0]);
                let masks = &args[1..];
                self.count_below(|slot, from| {
                    self.writer.op2(Binary::And, sets[from], masks[from][slot])
                })
            }
            WaveOp::ReadLaneFirst => {
                let masks = self.all_masks();
                self.spread(self.first_of(&masks, &args[0]))
            }
            WaveOp::ReadLaneAt => self.read_at(&args[0], &args[1]),
            WaveOp::AllEqual => {
                let masks = self.all_masks();
                let first = self.first_of(&masks, &args[0]);
                let differ: Slots =
                    args[0].iter().map(|it| self.writer.test(Compare::Ne, *it, first)).collect();
                self.spread(self.not(self.any(&self.hold(&differ))))
            }
            WaveOp::Reduce(fold) => self.reduce(fold, ty, &args[0]),
            WaveOp::Scan(fold) if ty.is_float() => self.scan_of_floats(fold, ty, &args[0]),
            WaveOp::Scan(fold) => self.scan(fold, ty, &args[0]),
            WaveOp::MultiReduce(fold) => self.multi(fold, ty, &args, Part::All),
            WaveOp::MultiScan(fold) => self.multi(fold, ty, &args, Part::Below),
            WaveOp::MultiScanInclusive(fold) => self.multi(fold, ty, &args, Part::UpToOwn),
            WaveOp::QuadRead(_) | WaveOp::QuadReadLaneAt => (0..self.slots)
                .map(|slot| {
                    let rest: Values = args[1..].iter().map(|it| it[slot]).collect();
                    self.read_in_quad(op, args[0][slot], &rest, self.act[slot])
                })
                .collect(),
            WaveOp::QuadAny => self.quad_any(&self.hold(&args[0])),
            WaveOp::QuadAll => {
                let fail = self.quad_any(&self.fail(&args[0]));
                fail.into_iter().map(|it| self.not(it)).collect()
            }
            WaveOp::Rotate | WaveOp::ClusteredRotate => {
                unreachable!("`legalize` expands {op:?}")
            }
        }]
    }

    // Positions.

    /// Whether no lane of the sets is below each.
    fn are_first(&self, masks: &[Value]) -> Slots {
        let first = |slot: usize| {
            let inside = self.writer.op2(Binary::And, masks[slot], self.threads.below);
            let lower = masks[..slot]
                .iter()
                .copied()
                .fold(inside, |any, it| self.writer.op2(Binary::Or, any, it));
            self.is_zero(lower)
        };
        (0..self.slots).map(first).collect()
    }

    /// The number of lanes below each, in sets that depend on its slot and on theirs.
    fn count_below(&self, set: impl Fn(usize, usize) -> Value) -> Slots {
        let of = |slot: usize| {
            let below = |from: usize| match from == slot {
                true => self.writer.op2(Binary::And, set(slot, from), self.threads.below),
                false => set(slot, from),
            };
            let counts: Slots = (0..=slot).map(|from| self.count(below(from))).collect();
            self.sum_of(&counts)
        };
        (0..self.slots).map(of).collect()
    }

    /// The value of the lowest lane of the sets; 0 if they are empty.
    fn first_of(&self, masks: &[Value], values: &[Value]) -> Value {
        let last = self.slots - 1;
        let (mut mask, mut value) = (masks[last], values[last]);
        for slot in (0..last).rev() {
            let has_any = self.is_not_zero(masks[slot]);
            mask = self.choose(has_any, masks[slot], mask);
            value = self.choose(has_any, values[slot], value);
        }
        // Of an empty set, the number is that of no lane.
        self.read(value, self.writer.op1(Unary::FirstBitLow, mask))
    }

    fn bit(&self, set: Value, lane: Value) -> Value {
        let count = self.writer.with(Binary::And, lane, u64::from(SLOT_LANES - 1));
        let shifted = self.writer.op2(Binary::Shr(Sign::Unsigned), set, count);
        self.is_not_zero(self.writer.with(Binary::And, shifted, 1))
    }

    /// The value of the lane with a number; 0 if it is not active.
    fn read_at(&mut self, values: &[Value], lanes: &[Value]) -> Slots {
        let masks = self.all_masks();
        let ty = self.writer.ty(values[0]);
        let mut all = Slots::new();
        for slot in 0..self.slots {
            if slot > 0 && lanes[slot] == lanes[0] {
                all.push(all[0]);
                continue;
            }
            let shift = u64::from(SLOT_LANES.ilog2());
            let from = self.writer.with(Binary::Shr(Sign::Unsigned), lanes[slot], shift);
            let lane = self.writer.with(Binary::And, lanes[slot], u64::from(SLOT_LANES - 1));
            let mut result = self.writer.constant(ty, 0);
            for (number, (value, mask)) in (0..).zip(values.iter().zip(&masks)) {
                let is_there = self.writer.test(Compare::Eq, from, self.word(number));
                let is_there = self.and(is_there, self.bit(*mask, lane));
                result = self.choose(is_there, self.read(*value, lane), result);
            }
            all.push(result);
        }
        all
    }

    /// The lanes that hold the same bits: a waterfall loop, each iteration of which serves those that hold the same as
    /// the lowest lane left.
    fn matching(&mut self, args: &[Slots]) -> Vec<Slots> {
        let masks = self.all_masks();
        let keys: Vec<Slots> =
            args.iter().map(|it| it.iter().map(|it| self.key(*it)).collect()).collect();
        let slots = self.slots;
        // What is left of each slot's lanes, and for each slot the words of its lanes' sets.
        let mut inits: Values = masks.iter().copied().collect();
        inits.extend(std::iter::repeat_n(self.word(0), slots * slots));
        let types = vec![Ty::I32; inits.len()];
        let new = self.writer.construct_begins();
        let (_, params) = self.writer.open(&types);
        let (rest, sets) = params.split_at(slots);
        self.writer.leave_if(self.is_zero(self.either_word(rest)), new, sets);
        let firsts: Slots = keys.iter().map(|key| self.first_of(rest, key)).collect();
        let alike: Slots = (0..slots)
            .map(|slot| {
                let equal = keys.iter().zip(&firsts);
                let equal =
                    equal.map(|(key, first)| self.writer.test(Compare::Eq, key[slot], *first));
                let all = equal.reduce(|a, b| self.and(a, b));
                all.unwrap_or_else(|| unreachable!("a match has a value"))
            })
            .collect();
        let served = self.ballots(&alike);
        let left = rest.iter().zip(&served).map(|(rest, served)| {
            self.writer.op2(Binary::And, *rest, self.writer.op1(Unary::Not, *served))
        });
        let mut next: Values = left.collect();
        for (like, words) in alike.iter().zip(sets.chunks(slots)) {
            let words = words.iter().zip(&served);
            next.extend(words.map(|(word, served)| self.choose(*like, *served, *word)));
        }
        let body = self.writer.close_with(&next);
        let op = Op::Loop { body, inits };
        let sets = self.writer.construct_ends(new, op, &types[slots..]);
        let zero = self.word(0);
        let word = |word: usize, slot: usize| match word < slots {
            true => sets[slot * slots + word],
            false => zero,
        };
        (0..SET_WORDS).map(|it| (0..slots).map(|slot| word(it, slot)).collect()).collect()
    }

    /// The integer whose equality is the equality of bits.
    fn key(&self, value: Value) -> Value {
        match self.writer.ty(value) {
            Ty::Bool => self.choose(value, self.word(1), self.word(0)),
            ty => self.writer.cast(value, ty.as_int()),
        }
    }

    // Folds.

    /// The value of active lanes, and the neutral element elsewhere.
    fn or_neutral(&self, fold: Fold, ty: Ty, values: &[Value]) -> Slots {
        let neutral = self.writer.constant(ty, fold.neutral(ty));
        self.act.iter().zip(values).map(|(act, it)| self.choose(*act, *it, neutral)).collect()
    }

    fn reduce(&self, fold: Fold, ty: Ty, values: &[Value]) -> Slots {
        let mut values = self.or_neutral(fold, ty, values);
        while values.len() > 1 {
            let upper = values.split_off(values.len() / 2);
            for (value, other) in values.iter_mut().zip(upper) {
                *value = self.writer.op2(fold.binary(), *value, other);
            }
        }
        self.spread(self.op1(WaveOp::Reduce(fold), values[0]))
    }

    /// Exact, because folds of integers are associative.
    fn scan(&self, fold: Fold, ty: Ty, values: &[Value]) -> Slots {
        let values = self.or_neutral(fold, ty, values);
        let mut all = Slots::new();
        let mut below: Option<Value> = None;
        for (slot, value) in values.iter().enumerate() {
            let inside = self.op1(WaveOp::Scan(fold), *value);
            let add = |a: Option<Value>, b: Value| match a {
                Some(a) => self.writer.op2(fold.binary(), a, b),
                None => b,
            };
            all.push(add(below, inside));
            if slot + 1 < self.slots {
                below = Some(add(below, self.op1(WaveOp::Reduce(fold), *value)));
            }
        }
        all
    }

    /// The canonical scan: each lane adds the one at a distance of 1, 2, 4 … below it, all lanes at once.
    fn scan_of_floats(&mut self, fold: Fold, ty: Ty, values: &[Value]) -> Slots {
        let mut sums = self.or_neutral(fold, ty, values);
        let mut distance = 1;
        while distance < self.width {
            let below = self.moved_up(&sums, distance);
            let added = sums.iter().zip(&below).map(|(own, below)| match below {
                None => *own,
                Some((value, exists)) => {
                    let sum = self.writer.op2(fold.binary(), *value, *own);
                    self.choose(*exists, sum, *own)
                }
            });
            sums = added.collect();
            distance *= 2;
        }
        let masks = self.all_masks();
        let first = self.are_first(&masks);
        let identity = self.writer.constant(ty, fold.identity(ty));
        let below = self.moved_up(&sums, 1);
        let result = |(first, below): (Value, Option<(Value, Value)>)| match below {
            Some((value, _)) => self.choose(first, identity, value),
            None => identity,
        };
        first.into_iter().zip(below).map(result).collect()
    }

    /// The value of the lane at a distance below, and whether there is one; `None` if there is in no lane of the slot.
    fn moved_up(&self, values: &[Value], distance: u32) -> Vec<Option<(Value, Value)>> {
        let yes = self.writer.constant(Ty::Bool, 1);
        if distance >= SLOT_LANES {
            let by = (distance / SLOT_LANES) as usize;
            return (0..self.slots)
                .map(|slot| slot.checked_sub(by).map(|it| (values[it], yes)))
                .collect();
        }
        let lane = self.threads.lane;
        let from = self.writer.with(Binary::Sub, lane, distance.into());
        let from = self.writer.with(Binary::And, from, u64::from(SLOT_LANES - 1));
        let is_inside = self.writer.test(Compare::Ge(Sign::Unsigned), lane, self.word(distance));
        let moved: Slots = values.iter().map(|it| self.read(*it, from)).collect();
        let of = |slot: usize| match slot {
            0 => Some((moved[0], is_inside)),
            _ => Some((self.choose(is_inside, moved[slot], moved[slot - 1]), yes)),
        };
        (0..self.slots).map(of).collect()
    }

    /// A fold over the active lanes that each lane's mask names, one after another, ascending, which is the canonical
    /// order.
    fn multi(&mut self, fold: Fold, ty: Ty, args: &[Slots], part: Part) -> Slots {
        let masks = self.all_masks();
        let neutral = self.writer.constant(ty, fold.neutral(ty));
        let mut sums: Values = vec![neutral; self.slots].into();
        let mut all_named: Vec<Slots> = vec![Slots::new(); self.slots];
        let up_to = match part {
            Part::UpToOwn => {
                let own = self.writer.op2(Binary::Shl, self.word(1), self.threads.lane);
                self.writer.op2(Binary::Or, self.threads.below, own)
            }
            Part::All | Part::Below => self.threads.below,
        };
        for from in 0..self.slots {
            let named: Slots = (0..self.slots)
                .map(|slot| {
                    let set = self.writer.op2(Binary::And, args[1 + from][slot], masks[from]);
                    match part {
                        Part::All => set,
                        _ if from < slot => set,
                        _ if from > slot => self.word(0),
                        Part::Below | Part::UpToOwn => self.writer.op2(Binary::And, set, up_to),
                    }
                })
                .collect();
            sums = self.fold_slot(fold, args[0][from], masks[from], &named, sums);
            for (all, named) in all_named.iter_mut().zip(named) {
                all.push(named);
            }
        }
        let identity = self.writer.constant(ty, fold.identity(ty));
        let result = |(sum, named): (Value, Slots)| {
            let any = self.is_not_zero(self.either_word(&named));
            self.choose(any, sum, identity)
        };
        sums.into_iter().zip(all_named).map(result).collect()
    }

    /// Adds the values of a slot's lanes, one after another, to the sums of those that name them.
    fn fold_slot(
        &self,
        fold: Fold,
        value: Value,
        mask: Value,
        named: &[Value],
        sums: Values,
    ) -> Values {
        let inits: Values = std::iter::once(mask).chain(sums).collect();
        let types: Vec<Ty> = inits.iter().map(|it| self.writer.ty(*it)).collect();
        let new = self.writer.construct_begins();
        let (_, params) = self.writer.open(&types);
        let (rest, sums) = (params[0], &params[1..]);
        self.writer.leave_if(self.is_zero(rest), new, sums);
        let lane = self.writer.op1(Unary::FirstBitLow, rest);
        let less = self.writer.with(Binary::Sub, rest, 1);
        let other = self.read(value, lane);
        let mut next: Values = std::iter::once(self.writer.op2(Binary::And, rest, less)).collect();
        for (sum, named) in sums.iter().zip(named) {
            let added = self.writer.op2(fold.binary(), *sum, other);
            next.push(self.choose(self.bit(*named, lane), added, *sum));
        }
        let body = self.writer.close_with(&next);
        self.writer.construct_ends(new, Op::Loop { body, inits }, &types[1..])
    }

    // Quads.

    /// The value of another lane of the quad, or the own value if that is not active.
    fn read_in_quad(&self, op: WaveOp, value: Value, rest: &[Value], act: Value) -> Value {
        let read = |value: Value| {
            let args: Values = std::iter::once(value).chain(rest.iter().copied()).collect();
            self.writer.wave_op(op, &args, &[self.writer.ty(value)])[0]
        };
        let other = read(value);
        match self.known(act) {
            Some(true) => other,
            _ => {
                let active = self.choose(act, self.word(1), self.word(0));
                self.choose(self.is_not_zero(read(active)), other, value)
            }
        }
    }

    fn quad_any(&self, truths: &[Value]) -> Slots {
        let any = |it: &Value| self.writer.wave_op(WaveOp::QuadAny, &[*it], &[Ty::Bool])[0];
        truths.iter().map(any).collect()
    }

    pub(super) fn derivative(&self, of: Derivative, value: Value) -> Slots {
        let one = |slot: usize| {
            let value = self.get(slot, value);
            if self.known(self.act[slot]) == Some(true) {
                return self.writer.value(Op::Derivative(of, value), self.writer.ty(value));
            }
            let lanes = match of {
                Derivative::XCoarse | Derivative::YCoarse => of.lanes(0).map(|it| self.word(it)),
                Derivative::XFine | Derivative::YFine => {
                    let step: u32 = if of == Derivative::XFine { 1 } else { 2 };
                    let lane = self.threads.lane;
                    let lesser = self.writer.with(Binary::And, lane, u64::from(!step));
                    [self.writer.with(Binary::Or, lane, u64::from(step)), lesser]
                }
            };
            let [greater, lesser] = lanes.map(|lane| {
                self.read_in_quad(WaveOp::QuadReadLaneAt, value, &[lane], self.act[slot])
            });
            self.writer.op2(Binary::Sub, greater, lesser)
        };
        (0..self.slots).map(one).collect()
    }
}
