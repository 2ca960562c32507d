//! Wave operations as subgroup operations.
//!
//! | operation | natively | otherwise |
//! |---|---|---|
//! | votes, ballots, reads, folds, scans | always, except as below | |
//! | `WaveReadLaneAt(v, lane ^ k)`, `k` uniform | as an xor shuffle | |
//! | `WaveReadLaneAt(v, lane - k)`, `k` a constant | as a shuffle up, if the device has it | |
//! | `WaveMatch` | with the partitioned extension, on bits | a waterfall loop: the first lane's value, a ballot of the lanes that hold it |
//! | folds and scans over partitions | with the extension, on mask ∩ active | a waterfall loop over equal masks |
//! | quad votes | | four bits of a ballot |
//! | quad reads at a variable lane | | a shuffle |
//! | functions with a mask of lanes | | a waterfall loop over equal masks, and a branch on being in the mask |
//! | `WaveActiveAllEqual` of floats, rotations, counting over partitions | | in `legalize` |
//!
//! A waterfall loop is entered by all lanes together. Each iteration serves the lanes with the same key as the first
//! lane; these leave, so that the next iteration has another first lane. It needs maximal reconvergence, as everything
//! here does.

use ir::uniformity::analyse;
use ir::{Inst, Op, Value};
use ops::wave::Results;
use ops::{Binary, Compare, Fold, QuadDirection, Relation, Sign, Ty, WaveOp};

use crate::builtin::SCOPE_WAVE;
use crate::emit::Emitter;
use crate::environment::Extension;
use crate::module::{Id, push};
use crate::opcode::{self as op, Opcode};

/// Group operations: over all active lanes, over those up to this lane, over those below.
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

    pub(crate) fn all_active(&mut self) -> Id {
        let yes = self.out.truth(true);
        self.ballot(yes)
    }

    /// Whether this lane is active, which it is: its own bit of the ballot of all.
    pub(crate) fn is_active(&mut self) -> Id {
        let active = self.all_active();
        let shifted = self.ballot_from(active, 31);
        let own = self.words(op::BITWISE_AND, shifted, 1);
        let zero = self.out.word(0);
        self.test(op::I_NOT_EQUAL, own, zero)
    }

    /// The number of lanes in a wave: a constant if it is known, so that a driver can unroll loops that depend on it.
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

    /// A read of another lane by relative index or xor, which is faster on devices than a read of any lane.
    fn by_distance(&mut self, ty: Ty, value: Value, index: Value) -> Option<Id> {
        let value = self.get(value);
        if let Some(distance) = self.distance_below(index) {
            let (ty, distance) = (self.out.ty(ty), self.out.word(distance));
            let capability = op::CAP_GROUP_SHUFFLE_RELATIVE;
            return Some(self.group(op::GROUP_SHUFFLE_UP, capability, ty, &[value, distance]));
        }
        let flipped = self.flipped_bits(index)?;
        let (ty, flipped) = (self.out.ty(ty), self.get(flipped));
        Some(self.group(op::GROUP_SHUFFLE_XOR, op::CAP_GROUP_SHUFFLE, ty, &[value, flipped]))
    }

    fn is_lane(&self, value: Value) -> bool {
        matches!(self.ir.op_of(value), Some(Op::Wave { op: WaveOp::LaneIndex, .. }))
    }

    /// For each instruction, whether only relative reads use it, which encode the distance themselves.
    pub(crate) fn distances_only(&self) -> Vec<bool> {
        let mut only = vec![false; self.ir.insts.len()];
        let maker = |value: Value| self.ir.made_by(value).map(Inst::index);
        let index = |op: &Op| match op {
            Op::Wave { op: WaveOp::ReadLaneAt, args, lanes: None } => {
                Some(args[1]).filter(|it| self.distance_below(*it).is_some())
            }
            _ => None,
        };
        for maker in self.ir.insts.iter().filter_map(|it| maker(index(&it.op)?)) {
            only[maker] = true;
        }
        for inst in &self.ir.insts {
            let index = index(&inst.op);
            for value in inst.op.operands() {
                if let (true, Some(maker)) = (index != Some(value), maker(value)) {
                    only[maker] = false;
                }
            }
        }
        only
    }

    /// The distance, if an index is that of a lane at a constant distance below the reading one.
    fn distance_below(&self, index: Value) -> Option<u32> {
        let Some(Op::Binary(Binary::Sub, lane, distance)) = self.ir.op_of(index) else {
            return None;
        };
        let distance = self.ir.constant(*distance)? as u32;
        let is_near = self.environment.lanes.is_some_and(|it| distance < it);
        (is_near && self.environment.relative_reads && self.is_lane(*lane)).then_some(distance)
    }

    /// The operand of an xor shuffle, if an index is the reading lane's xor a uniform value.
    fn flipped_bits(&self, index: Value) -> Option<Value> {
        let Some(Op::Binary(Binary::Xor, a, b)) = self.ir.op_of(index) else { return None };
        let bits = match (self.is_lane(*a), self.is_lane(*b)) {
            (true, _) => b,
            (_, true) => a,
            (false, false) => return None,
        };
        self.uniformity.get_or_init(|| analyse(self.ir)).is_uniform(*bits).then_some(*bits)
    }

    fn folded(&mut self, fold: Fold, ty: Ty, how: u32, a: Id, partition: Option<Id>) -> Id {
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

    /// A wave operation, restricted to the lanes of a mask if there is one.
    pub(crate) fn wave(
        &mut self,
        operation: WaveOp,
        args: &[Value],
        lanes: Option<Value>,
    ) -> Vec<Id> {
        let ty = args.first().map_or(Ty::Bool, |it| self.ir.ty(*it));
        let known = args.get(1).and_then(|it| self.ir.constant(*it));
        if let (WaveOp::ReadLaneAt, [value, index], None) = (operation, args, lanes)
            && let Some(read) = self.by_distance(ty, *value, *index)
        {
            return vec![read];
        }
        let args = self.get_all(args);
        match lanes {
            None => self.among_active(operation, ty, &args, known),
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

    /// Lanes that name the same set and are in it run `body` together. The others get zeros.
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

    /// A waterfall loop: runs `body` once for each combination of values, with the lanes that hold these bits; it
    /// returns values of `types`.
    ///
    /// A lane that was served leaves at the head of the next iteration, with its results in phis there: some drivers
    /// keep values computed in a loop in one register for all lanes, and would overwrite them in later iterations,
    /// after the lane has left.
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

    /// The lanes of a mask that are active.
    fn active_part(&mut self, words: &[Id]) -> Id {
        let (mask, all_active) = (self.four(words), self.all_active());
        let uint = self.out.uint();
        let four = self.out.vector(uint, 4);
        self.op(op::BITWISE_AND, four, &[mask, all_active])
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
                let word = self.convert(value, ty, Sign::Unsigned, Ty::I32);
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
            all.unwrap_or_else(|| self.all_active())
        } else {
            self.waterfall(&keys, &[four], |it| vec![it.all_active()])[0]
        };
        self.lanes_of(lanes)
    }

    /// The bits of this lane's quad in a ballot.
    pub(crate) fn quad_bits(&mut self, ballot: Id) -> Id {
        let shifted = self.ballot_from(ballot, 28);
        self.words(op::BITWISE_AND, shifted, 15)
    }

    /// The word of a ballot that has this lane's bit, from that bit on, or from one before it: `kept` are the bits that
    /// remain of the lane's number in its word.
    fn ballot_from(&mut self, ballot: Id, kept: u32) -> Id {
        let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
        let uint = self.out.uint();
        let index = self.words(op::SHIFT_RIGHT_LOGICAL, lane, 5);
        let word = self.op(op::VECTOR_EXTRACT_DYNAMIC, uint, &[ballot, index]);
        let first = self.words(op::BITWISE_AND, lane, kept);
        self.op(op::SHIFT_RIGHT_LOGICAL, uint, &[word, first])
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
            WaveOp::IsHelperLane => self.is_helper(),
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
                let lanes = self.all_active();
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
            WaveOp::AllEqual => self.vote(op::GROUP_ALL_EQUAL, args[0]),
            WaveOp::Reduce(fold) => self.folded(fold, ty, REDUCE, args[0], None),
            WaveOp::Scan(fold) => self.folded(fold, ty, EXCLUSIVE, args[0], None),
            WaveOp::Match => return self.match_lanes(ty, args),
            WaveOp::Rotate | WaveOp::ClusteredRotate | WaveOp::MultiPrefixCountBits => {
                unreachable!("{operation:?} is legalised for every environment")
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
            // A driver may leave helper lanes out of ballots, but not of quads.
            WaveOp::QuadAny | WaveOp::QuadAll if self.is_pixel() => {
                let own = self.as_word(args[0]);
                let opcode =
                    if operation == WaveOp::QuadAny { op::BITWISE_OR } else { op::BITWISE_AND };
                let both = |it: &mut Self, word: Id, direction: u32| {
                    let direction = it.out.word(direction);
                    let capability = op::CAP_GROUP_QUAD;
                    let other = it.group(op::GROUP_QUAD_SWAP, capability, uint, &[word, direction]);
                    it.op(opcode, uint, &[word, other])
                };
                let row = both(self, own, 0);
                let all = both(self, row, 1);
                self.as_truth(all)
            }
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
