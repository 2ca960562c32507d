//! Wave operations as subgroup operations.
//!
//! | operation | natively | otherwise |
//! |---|---|---|
//! | votes, ballots, reads, folds, scans | always, but as below | |
//! | scans of integers by whole waves | | ladders: `ladder.rs` |
//! | `WaveReadLaneAt(v, lane ^ k)`, `k` the same in all lanes | as an exchange | |
//! | `WaveActiveAllEqual` of floats | | all equal the first, as IEEE compares |
//! | `WaveMatch` | with the partitioned extension, on bits | a waterfall: the first lane's value, a ballot of those who have it |
//! | folds and scans over partitions | with the extension, on mask ∩ active | a waterfall over equal masks |
//! | counting over partitions | | ballot ∩ mask ∩ lower lanes |
//! | minimum, maximum of floats | unless results are to be exact | the same of integers in the same order |
//! | folds of 16-bit integers | | the same of words |
//! | quad votes | | four bits of a ballot |
//! | rotations, quad reads at a variable lane | | a shuffle |
//! | functions with a mask of lanes | | a waterfall over equal masks, and a branch on being named |
//!
//! A waterfall is a loop that all lanes enter together. Each round serves the lanes that are like the first one; these
//! leave, so that the next round has another first lane. It needs maximal reconvergence, as everything here does.

use ir::shape::shape;
use ir::{Inst, Op, Value, ValueDef};
use ops::wave::Results;
use ops::{Binary, Compare, Fold, QuadDirection, Relation, Sign, Ty, WaveOp};

use crate::builtin::SCOPE_WAVE;
use crate::emit::Emitter;
use crate::environment::Extension;
use crate::module::{Id, push};
use crate::opcode::{self as op, Opcode};
use crate::scalar::{bits_of, float_bits, ones};

/// Operations of a group: over everybody, over those up to this lane, over those below.
const REDUCE: u32 = 0;
const INCLUSIVE: u32 = 1;
const EXCLUSIVE: u32 = 2;
/// The same over the lanes of a partition.
const PARTITIONED: u32 = 6;

/// The instruction for a fold.
fn fold_of(fold: Fold, ty: Ty) -> Opcode {
    let float = ty.is_float();
    match fold {
        Fold::Sum if float => op::GROUP_F_ADD,
        Fold::Sum => op::GROUP_I_ADD,
        Fold::Product if float => op::GROUP_F_MUL,
        Fold::Product => op::GROUP_I_MUL,
        Fold::Min(_) if float => op::GROUP_F_MIN,
        Fold::Min(Sign::Signed) => op::GROUP_S_MIN,
        Fold::Min(Sign::Unsigned) => op::GROUP_U_MIN,
        Fold::Max(_) if float => op::GROUP_F_MAX,
        Fold::Max(Sign::Signed) => op::GROUP_S_MAX,
        Fold::Max(Sign::Unsigned) => op::GROUP_U_MAX,
        Fold::And => op::GROUP_AND,
        Fold::Or => op::GROUP_OR,
        Fold::Xor => op::GROUP_XOR,
    }
}

impl Emitter<'_> {
    fn wave_scope(&mut self) -> Id {
        self.out.word(SCOPE_WAVE)
    }

    fn group(&mut self, opcode: Opcode, capability: u32, ty: Id, operands: &[Id]) -> Id {
        self.out.capabilities.extend([op::CAP_GROUP, capability]);
        let scope = self.wave_scope();
        let operands = [&[scope], operands].concat();
        self.op(opcode, ty, &operands)
    }

    fn vote(&mut self, opcode: Opcode, a: Id) -> Id {
        let boolean = self.out.bool();
        self.group(opcode, op::CAP_GROUP_VOTE, boolean, &[a])
    }

    /// The lanes for which a condition holds, as four words.
    fn ballot(&mut self, a: Id) -> Id {
        let uint = self.out.uint();
        let four = self.out.vector(uint, 4);
        self.group(op::GROUP_BALLOT, op::CAP_GROUP_BALLOT, four, &[a])
    }

    pub(crate) fn everybody(&mut self) -> Id {
        let yes = self.out.truth(true);
        self.ballot(yes)
    }

    /// How many lanes a wave has: a constant where that is known, so that a driver can unroll what depends on it.
    fn lane_count(&mut self) -> Id {
        match self.environment.lanes {
            Some(lanes) => self.out.word(lanes),
            None => self.input(op::SUBGROUP_SIZE),
        }
    }

    fn first(&mut self, ty: Id, a: Id) -> Id {
        self.group(op::GROUP_BROADCAST_FIRST, op::CAP_GROUP_BALLOT, ty, &[a])
    }

    pub(crate) fn shuffle(&mut self, ty: Ty, a: Id, lane: Id) -> Id {
        let ty = self.out.ty(ty);
        self.group(op::GROUP_SHUFFLE, op::CAP_GROUP_SHUFFLE, ty, &[a, lane])
    }

    /// What the lane `distance` lanes below holds; anything in lanes that have none there.
    pub(crate) fn held_below(&mut self, ty: Ty, a: Id, distance: u32) -> Id {
        let distance = self.out.word(distance);
        let ty = self.out.ty(ty);
        self.group(op::GROUP_SHUFFLE_UP, op::CAP_GROUP_SHUFFLE_RELATIVE, ty, &[a, distance])
    }

    /// What an operation gives where devices are faster if they are told how far the lanes are that a lane reads.
    fn by_distance(&mut self, inst: Inst, operation: WaveOp, ty: Ty, args: &[Id]) -> Option<Id> {
        match operation {
            WaveOp::Scan(fold) => {
                let lanes = self.ladders.lanes(inst)?;
                Some(self.climb(fold, ty, args[0], lanes))
            }
            WaveOp::ReadLaneAt => {
                let flipped = self.flipped_bits(self.ir.inst(inst).op.operands()[1])?;
                let (ty, flipped) = (self.out.ty(ty), self.get(flipped));
                let operands = [args[0], flipped];
                Some(self.group(op::GROUP_SHUFFLE_XOR, op::CAP_GROUP_SHUFFLE, ty, &operands))
            }
            _ => None,
        }
    }

    /// If an index is the reading lane's with some bits flipped, the same in all lanes: these bits.
    fn flipped_bits(&self, index: Value) -> Option<Value> {
        let made_by = |value: Value| match self.ir.values[value.index()].def {
            ValueDef::Result(inst, _) => Some(&self.ir.inst(inst).op),
            ValueDef::Param(..) => None,
        };
        let Some(Op::Binary(Binary::Xor, a, b)) = made_by(index) else { return None };
        let is_lane =
            |value: &Value| matches!(made_by(*value), Some(Op::Wave { op: WaveOp::LaneIndex, .. }));
        let bits = match (is_lane(a), is_lane(b)) {
            (true, _) => b,
            (_, true) => a,
            (false, false) => return None,
        };
        self.shapes.get_or_init(|| shape(self.ir)).is_uniform(*bits).then_some(*bits)
    }

    fn folded(&mut self, fold: Fold, ty: Ty, how: u32, a: Id, partition: Option<Id>) -> Id {
        match (fold, ty) {
            (Fold::Min(_) | Fold::Max(_), Ty::F16) if self.is_exact() => {
                // Every half is a single, and the order is the same.
                let single = self.float(a, ty, Ty::F32);
                let folded = self.folded(fold, Ty::F32, how, single, partition);
                let half = self.float(folded, Ty::F32, ty);
                self.canonical(ty, half)
            }
            (Fold::Min(_) | Fold::Max(_), Ty::F32 | Ty::F64) if self.is_exact() => {
                self.folded_by_order(fold, ty, how, a, partition)
            }
            (_, Ty::I16) => self.in_words(fold, a, |it, word| {
                it.folded_natively(fold, Ty::I32, how, word, partition)
            }),
            (Fold::Sum, Ty::F16 | Ty::F32 | Ty::F64) if self.is_exact() => {
                self.folded_sum(ty, how, a, partition)
            }
            _ => self.folded_natively(fold, ty, how, a, partition),
        }
    }

    /// 16-bit integers as words: a driver forgets the sign of what it folds in 16 bits.
    pub(crate) fn in_words(
        &mut self,
        fold: Fold,
        a: Id,
        folded: impl FnOnce(&mut Self, Id) -> Id,
    ) -> Id {
        let sign = match fold {
            Fold::Min(sign) | Fold::Max(sign) => sign,
            Fold::Sum | Fold::Product | Fold::And | Fold::Or | Fold::Xor => Sign::Unsigned,
        };
        let word = self.convert(a, Ty::I16, sign, Ty::I32, sign);
        let mut folded = folded(self, word);
        // Of no lanes at all the result is the identity, which is another one in 16 bits.
        let limit = match (fold, sign) {
            (Fold::Min(_), Sign::Signed) => Some((Binary::Min(sign), 0x7fff)),
            (Fold::Max(_), Sign::Signed) => Some((Binary::Max(sign), -0x8000i32 as u32)),
            _ => None,
        };
        if let Some((nearer, limit)) = limit {
            let limit = self.out.word(limit);
            folded = self.binary(nearer, Ty::I32, folded, limit, None);
        }
        self.convert(folded, Ty::I32, sign, Ty::I16, sign)
    }

    /// Devices begin sums with `+0`, so that a sum of nothing but `-0` loses its sign: it is given back.
    fn folded_sum(&mut self, ty: Ty, how: u32, a: Id, partition: Option<Id>) -> Id {
        let int = bits_of(ty);
        let sum = self.folded_natively(Fold::Sum, ty, how, a, partition);
        let sum = self.canonical(ty, sum);
        let (bits, minus) =
            (self.bitcast(a, ty, int), self.out.constant(int, (ones(int) >> 1) + 1));
        let is_minus = self.test(op::I_EQUAL, bits, minus);
        let (one, zero) = (self.out.word(1), self.out.word(0));
        let key = self.choose(Ty::I32, is_minus, one, zero);
        // Of no lanes at all the minimum is neither 0 nor 1.
        let least = Fold::Min(Sign::Unsigned);
        let least = self.folded_natively(least, Ty::I32, how, key, partition);
        let all_minus = self.test(op::I_EQUAL, least, one);
        let bits = self.bitcast(sum, ty, int);
        let bits = self.choose(int, all_minus, minus, bits);
        self.bitcast(bits, int, ty)
    }

    /// Minimum and maximum of floats as those of integers in the same order: `-0` is below `+0`, a NaN counts only where
    /// there is nothing else. Devices agree neither on zeros nor, against SPIR-V's own words, on NaN.
    fn folded_by_order(
        &mut self,
        fold: Fold,
        ty: Ty,
        how: u32,
        a: Id,
        partition: Option<Id>,
    ) -> Id {
        let is_min = matches!(fold, Fold::Min(_));
        let int = bits_of(ty);
        let ordered = |it: &mut Self, bits: Id| {
            let last = it.out.constant(int, u64::from(int.bits() - 1));
            let known = Some(u64::from(int.bits() - 1));
            let sign = it.binary(Binary::Shr(Sign::Signed), int, bits, last, known);
            let mask = it.out.constant(int, ones(int) >> 1);
            let flips = it.binary(Binary::And, int, sign, mask, None);
            it.binary(Binary::Xor, int, bits, flips, None)
        };
        let bits = self.bitcast(a, ty, int);
        let key = ordered(self, bits);
        let infinity = float_bits(ty, f64::INFINITY);
        // The places of the infinity, of a NaN beyond it, and beyond that of no lanes at all.
        let (end, nan, nobody) = match is_min {
            true => (infinity, (ones(int) >> 1) - 1, ones(int) >> 1),
            false => {
                let least = (ones(int) >> 1) + 1;
                ((ones(int) >> 1) ^ infinity | least, least + 1, least)
            }
        };
        let is_nan = self.magnitude(op::U_GREATER_THAN, ty, a);
        let nan = self.out.constant(int, nan);
        let key = self.choose(int, is_nan, nan, key);
        let fold = if is_min { Fold::Min(Sign::Signed) } else { Fold::Max(Sign::Signed) };
        let mut folded = self.folded(fold, int, how, key, partition);
        if how % 3 == EXCLUSIVE {
            let (end, nobody) = (self.out.constant(int, end), self.out.constant(int, nobody));
            let is_first = self.test(op::I_EQUAL, folded, nobody);
            folded = self.choose(int, is_first, end, folded);
        }
        let bits = ordered(self, folded);
        let value = self.bitcast(bits, int, ty);
        self.canonical(ty, value)
    }

    fn folded_natively(
        &mut self,
        fold: Fold,
        ty: Ty,
        how: u32,
        a: Id,
        partition: Option<Id>,
    ) -> Id {
        self.out.capabilities.extend([op::CAP_GROUP, op::CAP_GROUP_ARITHMETIC]);
        if how >= PARTITIONED {
            self.partitioned();
        }
        let scope = self.wave_scope();
        let ty_id = self.out.ty(ty);
        let words: Vec<u32> =
            [scope.0, how, a.0].into_iter().chain(partition.map(|it| it.0)).collect();
        self.op_words(fold_of(fold, ty), ty_id, &words)
    }

    fn partitioned(&mut self) {
        self.out.capabilities.insert(op::CAP_GROUP_PARTITIONED);
        self.out.extensions.insert(Extension::SubgroupPartitioned.name());
    }

    fn lanes_of(&mut self, four: Id) -> Vec<Id> {
        (0..4).map(|i| self.component(four, i)).collect()
    }

    fn four(&mut self, words: &[Id]) -> Id {
        let uint = self.out.uint();
        let four = self.out.vector(uint, 4);
        self.op(op::COMPOSITE_CONSTRUCT, four, words)
    }

    /// A wave operation, of the lanes that a mask names if there is one.
    pub(crate) fn wave(
        &mut self,
        inst: Inst,
        operation: WaveOp,
        args: &[Value],
        lanes: Option<Value>,
    ) -> Vec<Id> {
        let ty = args.first().map_or(Ty::Bool, |it| self.ir.ty(*it));
        let known = args.get(1).and_then(|it| self.ir.constant(*it));
        let args = self.get_all(args);
        match lanes {
            None => self
                .by_distance(inst, operation, ty, &args)
                .map_or_else(|| self.among_active(operation, ty, &args, known), |it| vec![it]),
            Some(lanes) => {
                let mask = self.get(lanes);
                let types = self.result_types(operation, ty);
                self.among_named(mask, &types, |it| it.among_active(operation, ty, &args, known))
            }
        }
    }

    fn result_types(&mut self, operation: WaveOp, ty: Ty) -> Vec<Id> {
        let (ty, count) = match operation.signature().results {
            Results::Bool => (Ty::Bool, 1),
            Results::Word => (Ty::I32, 1),
            Results::Lanes => (Ty::I32, 4),
            Results::Value => (ty, 1),
        };
        vec![self.out.ty(ty); count]
    }

    /// Lanes that name the same set run `body` together, as far as they are in it. The others get zeros.
    fn among_named(
        &mut self,
        mask: Id,
        types: &[Id],
        body: impl FnOnce(&mut Self) -> Vec<Id>,
    ) -> Vec<Id> {
        let zero = self.out.word(0);
        let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
        let uint = self.out.uint();
        let shifted = self.op(op::SHIFT_RIGHT_LOGICAL, uint, &[mask, lane]);
        let bit = self.words(op::BITWISE_AND, shifted, 1);
        let named = self.test(op::I_NOT_EQUAL, bit, zero);
        self.waterfall(&[(mask, Ty::I32)], types, |it| {
            let (inside, merge) = (it.out.id(), it.out.id());
            let before = it.block;
            it.select_branch(named, inside, merge, merge);
            it.label(inside);
            let values = body(it);
            let after = it.block;
            it.branch(merge);
            it.label(merge);
            let phis = types.iter().zip(values).map(|(ty, value)| {
                let zero = it.out.null(*ty);
                it.phi(*ty, &[(zero, before), (value, after)])
            });
            phis.collect()
        })
    }

    /// Runs `body` once for each combination of values, with the lanes that hold these bits; it gives values of `types`.
    ///
    /// A lane that was served leaves at the head of the next round, with its results in phis there: drivers that keep one
    /// place for what a loop computes would overwrite them in later rounds, where the lane is gone.
    fn waterfall(
        &mut self,
        keys: &[(Id, Ty)],
        types: &[Id],
        body: impl FnOnce(&mut Self) -> Vec<Id>,
    ) -> Vec<Id> {
        let [header, start, found, others, next, merge] = std::array::from_fn(|_| self.out.id());
        let before = self.block;
        self.branch(header);
        self.label(header);
        let (uint, no) = (self.out.uint(), self.out.word(0));
        let served = self.phi(uint, &[(no, before), (no, next)]);
        let served_place = self.out.body.len() - 2;
        let mut results = Vec::new();
        let mut places = Vec::new();
        // Booleans go through phis as words: see `sent`.
        let boolean = self.out.bool();
        let held: Vec<Id> =
            types.iter().map(|ty| if *ty == boolean { uint } else { *ty }).collect();
        for ty in &held {
            let nothing = self.out.null(*ty);
            results.push(self.phi(*ty, &[(nothing, before), (nothing, next)]));
            places.push(self.out.body.len() - 2);
        }
        let served = self.as_truth(served);
        push(&mut self.out.body, op::LOOP_MERGE, &[merge.0, next.0, 0]);
        self.effect(op::BRANCH_CONDITIONAL, &[served, merge, start]);
        self.label(start);
        let mut like: Option<Id> = None;
        for (key, ty) in keys {
            let ty_id = self.out.ty(*ty);
            let first = self.first(ty_id, *key);
            let equal = self.compare(Compare::Eq, *ty, *key, first);
            like = self.both(like, Some(equal));
        }
        let like = like.unwrap_or_else(|| self.out.truth(true));
        self.select_branch(like, found, others, others);
        self.label(found);
        let mut values = body(self);
        for (ty, value) in types.iter().zip(&mut values) {
            if *ty == boolean {
                *value = self.as_word(*value);
            }
        }
        let last = self.block;
        self.branch(others);
        self.label(others);
        for (((ty, value), old), place) in held.iter().zip(values).zip(&results).zip(places) {
            let new = self.phi(*ty, &[(*old, start), (value, last)]);
            self.out.body[place] = new.0;
        }
        self.out.body[served_place] = self.as_word(like).0;
        self.branch(next);
        self.label(next);
        self.branch(header);
        self.label(merge);
        for (ty, result) in types.iter().zip(&mut results) {
            if *ty == boolean {
                *result = self.as_truth(*result);
            }
        }
        results
    }

    fn count_bits(&mut self, words: &[Id]) -> Id {
        let uint = self.out.uint();
        let mut sum = None;
        for word in words {
            let count = self.op(op::BIT_COUNT, uint, &[*word]);
            sum = Some(match sum {
                None => count,
                Some(sum) => self.op(op::I_ADD, uint, &[sum, count]),
            });
        }
        sum.unwrap_or_else(|| self.out.word(0))
    }

    /// The lanes of a mask that are active.
    fn active_part(&mut self, words: &[Id]) -> Id {
        let (mask, everybody) = (self.four(words), self.everybody());
        let uint = self.out.uint();
        let four = self.out.vector(uint, 4);
        self.op(op::BITWISE_AND, four, &[mask, everybody])
    }

    fn over_partition(&mut self, fold: Fold, ty: Ty, how: u32, args: &[Id]) -> Id {
        let mask = self.active_part(&args[1..]);
        if self.environment.has(Extension::SubgroupPartitioned) {
            return self.folded(fold, ty, how + PARTITIONED, args[0], Some(mask));
        }
        let keys: Vec<(Id, Ty)> = self.lanes_of(mask).into_iter().map(|it| (it, Ty::I32)).collect();
        let value = args[0];
        let ty_id = self.out.ty(ty);
        self.waterfall(&keys, &[ty_id], |it| vec![it.folded(fold, ty, how, value, None)])[0]
    }

    /// The integers whose equality is the equality of bits.
    fn key(&mut self, value: Id, ty: Ty) -> (Id, Ty) {
        match ty {
            Ty::Bool => {
                let word = self.convert(value, ty, Sign::Unsigned, Ty::I32, Sign::Unsigned);
                (word, Ty::I32)
            }
            Ty::I16 | Ty::F16 => (self.bitcast(value, ty, Ty::I16), Ty::I16),
            Ty::I32 | Ty::F32 => (self.bitcast(value, ty, Ty::I32), Ty::I32),
            Ty::I64 | Ty::F64 => (self.bitcast(value, ty, Ty::I64), Ty::I64),
        }
    }

    fn match_lanes(&mut self, ty: Ty, args: &[Id]) -> Vec<Id> {
        let keys: Vec<(Id, Ty)> = args.iter().map(|it| self.key(*it, ty)).collect();
        let uint = self.out.uint();
        let four = self.out.vector(uint, 4);
        let lanes = if self.environment.has(Extension::SubgroupPartitioned) {
            self.partitioned();
            let mut all: Option<Id> = None;
            for (key, _) in keys {
                let lanes = self.op(op::GROUP_PARTITION, four, &[key]);
                all = Some(match all {
                    None => lanes,
                    Some(all) => self.op(op::BITWISE_AND, four, &[all, lanes]),
                });
            }
            all.unwrap_or_else(|| self.everybody())
        } else {
            self.waterfall(&keys, &[four], |it| vec![it.everybody()])[0]
        };
        self.lanes_of(lanes)
    }

    /// The bits of this lane's quad in a ballot.
    pub(crate) fn quad_bits(&mut self, ballot: Id) -> Id {
        let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
        let uint = self.out.uint();
        let index = self.words(op::SHIFT_RIGHT_LOGICAL, lane, 5);
        let word = self.op(op::VECTOR_EXTRACT_DYNAMIC, uint, &[ballot, index]);
        let first = self.words(op::BITWISE_AND, lane, 28);
        let shifted = self.op(op::SHIFT_RIGHT_LOGICAL, uint, &[word, first]);
        self.words(op::BITWISE_AND, shifted, 15)
    }

    fn among_active(
        &mut self,
        operation: WaveOp,
        ty: Ty,
        args: &[Id],
        known: Option<u64>,
    ) -> Vec<Id> {
        let uint = self.out.uint();
        let boolean = self.out.bool();
        let zero = self.out.word(0);
        let one = match operation {
            WaveOp::LaneIndex => self.input(op::SUBGROUP_LOCAL_INVOCATION_ID),
            WaveOp::LaneCount => self.lane_count(),
            WaveOp::IsFirstLane => {
                self.out.capabilities.insert(op::CAP_GROUP);
                let scope = self.wave_scope();
                self.op(op::GROUP_ELECT, boolean, &[scope])
            }
            // Compute shaders have none.
            WaveOp::IsHelperLane => self.out.truth(false),
            WaveOp::GroupWaveIndex => self.input(op::SUBGROUP_ID),
            WaveOp::GroupWaveCount => self.input(op::NUM_SUBGROUPS),
            WaveOp::LaneRelation(relation) => {
                let mask = self.input(match relation {
                    Relation::Equal => op::SUBGROUP_EQ_MASK,
                    Relation::GreaterEqual => op::SUBGROUP_GE_MASK,
                    Relation::Greater => op::SUBGROUP_GT_MASK,
                    Relation::LessEqual => op::SUBGROUP_LE_MASK,
                    Relation::Less => op::SUBGROUP_LT_MASK,
                });
                return self.lanes_of(mask);
            }
            WaveOp::ActiveLanes | WaveOp::ConvergedLanes => {
                let lanes = self.everybody();
                return self.lanes_of(lanes);
            }
            WaveOp::AnyTrue => self.vote(op::GROUP_ANY, args[0]),
            WaveOp::AllTrue => self.vote(op::GROUP_ALL, args[0]),
            WaveOp::Ballot => {
                let lanes = self.ballot(args[0]);
                return self.lanes_of(lanes);
            }
            WaveOp::CountBits | WaveOp::PrefixCountBits => {
                let how = if operation == WaveOp::CountBits { REDUCE } else { EXCLUSIVE };
                let lanes = self.ballot(args[0]);
                let scope = self.wave_scope();
                self.op_words(op::GROUP_BALLOT_BIT_COUNT, uint, &[scope.0, how, lanes.0])
            }
            WaveOp::ReadLaneFirst => {
                let ty = self.out.ty(ty);
                self.first(ty, args[0])
            }
            WaveOp::ReadLaneAt => self.shuffle(ty, args[0], args[1]),
            WaveOp::Rotate => {
                // The lane count is a power of two.
                let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
                let count = self.lane_count();
                let sum = self.op(op::I_ADD, uint, &[lane, args[1]]);
                let last = self.words(op::I_SUB, count, 1);
                let source = self.op(op::BITWISE_AND, uint, &[sum, last]);
                self.shuffle(ty, args[0], source)
            }
            WaveOp::ClusteredRotate => {
                let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
                let count = self.lane_count();
                let one = self.out.word(1);
                let too_small = self.test(op::U_LESS_THAN, args[2], one);
                let size = self.choose(Ty::I32, too_small, one, args[2]);
                let too_large = self.test(op::U_LESS_THAN, count, size);
                let size = self.choose(Ty::I32, too_large, count, size);
                let inside = self.op(op::U_MOD, uint, &[lane, size]);
                let start = self.op(op::I_SUB, uint, &[lane, inside]);
                // Both are less than the size, so that their sum does not wrap.
                let distance = self.op(op::U_MOD, uint, &[args[1], size]);
                let sum = self.op(op::I_ADD, uint, &[inside, distance]);
                let moved = self.op(op::U_MOD, uint, &[sum, size]);
                let source = self.op(op::I_ADD, uint, &[start, moved]);
                self.shuffle(ty, args[0], source)
            }
            WaveOp::AllEqual if ty.is_float() => {
                let ty_id = self.out.ty(ty);
                let first = self.first(ty_id, args[0]);
                let equal = self.compare(Compare::Eq, ty, args[0], first);
                self.vote(op::GROUP_ALL, equal)
            }
            WaveOp::AllEqual => self.vote(op::GROUP_ALL_EQUAL, args[0]),
            WaveOp::Reduce(fold) => self.folded(fold, ty, REDUCE, args[0], None),
            WaveOp::Scan(fold) => self.folded(fold, ty, EXCLUSIVE, args[0], None),
            WaveOp::Match => return self.match_lanes(ty, args),
            WaveOp::MultiPrefixCountBits => {
                let lanes = self.ballot(args[0]);
                let lanes = self.lanes_of(lanes);
                let below = self.input(op::SUBGROUP_LT_MASK);
                let below = self.lanes_of(below);
                let mut words = Vec::new();
                for ((lanes, below), mask) in lanes.into_iter().zip(below).zip(&args[1..]) {
                    let both = self.op(op::BITWISE_AND, uint, &[lanes, below]);
                    words.push(self.op(op::BITWISE_AND, uint, &[both, *mask]));
                }
                self.count_bits(&words)
            }
            WaveOp::MultiReduce(fold) => self.over_partition(fold, ty, REDUCE, args),
            WaveOp::MultiScan(fold) => self.over_partition(fold, ty, EXCLUSIVE, args),
            WaveOp::MultiScanInclusive(fold) => self.over_partition(fold, ty, INCLUSIVE, args),
            WaveOp::QuadRead(direction) => {
                let direction = self.out.word(match direction {
                    QuadDirection::X => 0,
                    QuadDirection::Y => 1,
                    QuadDirection::Diagonal => 2,
                });
                let ty = self.out.ty(ty);
                self.group(op::GROUP_QUAD_SWAP, op::CAP_GROUP_QUAD, ty, &[args[0], direction])
            }
            WaveOp::QuadReadLaneAt => match known {
                Some(index) => {
                    let index = self.out.word(index as u32 & 3);
                    let ty = self.out.ty(ty);
                    self.group(op::GROUP_QUAD_BROADCAST, op::CAP_GROUP_QUAD, ty, &[args[0], index])
                }
                None => {
                    let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
                    let first = self.words(op::BITWISE_AND, lane, !3);
                    let index = self.words(op::BITWISE_AND, args[1], 3);
                    let source = self.op(op::BITWISE_OR, uint, &[first, index]);
                    self.shuffle(ty, args[0], source)
                }
            },
            WaveOp::QuadAny => {
                let lanes = self.ballot(args[0]);
                let bits = self.quad_bits(lanes);
                self.test(op::I_NOT_EQUAL, bits, zero)
            }
            WaveOp::QuadAll => {
                let missing = self.op(op::LOGICAL_NOT, boolean, &[args[0]]);
                let lanes = self.ballot(missing);
                let bits = self.quad_bits(lanes);
                self.test(op::I_EQUAL, bits, zero)
            }
        };
        vec![one]
    }
}
