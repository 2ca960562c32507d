//! Helper lanes of pixel shaders, for devices whose wave operations include them.
//!
//! By default helper lanes do not participate in HLSL's wave operations, while a device under maximal reconvergence
//! keeps them active for every instruction. So each operation is rewritten to one that gives the participants the
//! same result although helper lanes take part in it, and the new module says that they do
//! (`[WaveOpsIncludeHelperLanes]`).
//!
//! | operation | here |
//! |---|---|
//! | votes, ballots and counts | helper lanes contribute `false`, or `true` for votes over all lanes |
//! | reductions and scans | helper lanes contribute a neutral value |
//! | the first lane, and reads of it | the lowest bit of a ballot of the participants |
//! | reads of a lane | 0 if that lane does not participate |
//! | `WaveMatch` | ∩ the participants |
//! | folds over partitions | masks ∩ the participants, and a neutral value |
//! | functions with a mask of lanes | a waterfall loop over equal masks, for the lanes in the mask and helper lanes |
//!
//! If only helper lanes are active they participate, so that their loops end. What helper lanes get is undefined in
//! HLSL; here it is what the reference engine gives them where it keeps quads of helper lanes
//! (`interp::Variation::keeps_quads`), except that where a device folds over partitions itself, helper lanes form a
//! separate partition, since each lane must be in its own mask.
//!
//! Deliberately absent: ending quads that consist of helper lanes. A lane knows nothing of the lanes of its quad that
//! are elsewhere in control flow, so it cannot tell that its quad ends. Helper lanes of other quads see the difference
//! where no participant is active: they are with more helper lanes than on the reference engine. Participants see it
//! only in what they read of those, which is undefined. A loop that only ends because its quad does is not reproduced.

use ir::{Value, Values, values};
use ops::wave::Sees;
use ops::{Binary, Compare, Fold, Sign, Ty, Unary, WaveOp};

use crate::target::Class;
use crate::writer::Writer;

/// Appends an operation on operands of a type, among all active lanes or those that a mask names.
type Plain<'a> = dyn Fn(WaveOp, Ty, &[Value], Option<Value>) -> Values + 'a;

/// Who participates in an operation, as the lane sees it.
struct Participants {
    /// Whether the lane does not, because it is a helper lane and others are not.
    excluded: Value,
    included: Value,
    /// The set, as four words.
    set: Values,
}

impl Writer<'_> {
    /// Whether wave operations must leave out helper lanes.
    pub(crate) fn hides_helpers(&self) -> bool {
        let module = self.source;
        module.has_helpers()
            && !module.helpers_take_part()
            && self.target.lacks(Class::Helpers, Ty::Bool)
    }

    /// A wave operation that gives the participants their result although helper lanes take part in it; `None` if the
    /// operation does not depend on them. `plain` includes all
    /// active lanes.
    pub(crate) fn among_participants(
        &self,
        op: WaveOp,
        ty: Ty,
        args: &[Value],
        lanes: Option<Value>,
        plain: &Plain<'_>,
    ) -> Option<Values> {
        if matches!(op.facts().sees, Sees::Nothing | Sees::Quad) {
            return None;
        }
        let participants = self.participants();
        let Participants { excluded, included, ref set } = participants;
        if let Some(lanes) = lanes {
            // Helper lanes are excluded, regardless of the mask that they name.
            let types = self.result_types(op, ty);
            let among = || self.among_participants(op, ty, args, None, plain);
            let body = || among().unwrap_or_else(|| plain(op, ty, args, None));
            return Some(self.among_named_or(excluded, lanes, &types, body));
        }
        let plain = |op: WaveOp, ty: Ty, args: &[Value]| plain(op, ty, args, None);
        let one = |op: WaveOp, value: Value| plain(op, ty, &[value]);
        let also = |value: Value| self.both(value, included);
        Some(match op {
            WaveOp::ActiveLanes | WaveOp::ConvergedLanes => set.clone(),
            WaveOp::IsFirstLane => {
                values![self.test(Compare::Eq, self.lane(), self.first_of(set))]
            }
            WaveOp::AnyTrue | WaveOp::Ballot | WaveOp::CountBits | WaveOp::PrefixCountBits => {
                one(op, also(args[0]))
            }
            WaveOp::AllTrue => one(op, self.op2(Binary::Or, args[0], excluded)),
            WaveOp::MultiPrefixCountBits => {
                let args: Values =
                    std::iter::once(also(args[0])).chain(args[1..].iter().copied()).collect();
                plain(op, ty, &args)
            }
            WaveOp::ReadLaneFirst => plain(WaveOp::ReadLaneAt, ty, &[args[0], self.first_of(set)]),
            WaveOp::AllEqual => {
                let first = self.first_of(set);
                let first = plain(WaveOp::ReadLaneAt, ty, &[args[0], first])[0];
                let equal = self.compare(Compare::Eq, ty, args[0], first);
                let equal = self.op2(Binary::Or, equal, excluded);
                plain(WaveOp::AllTrue, Ty::Bool, &[equal])
            }
            WaveOp::ReadLaneAt => {
                let read = plain(op, ty, args)[0];
                let is_there = self.test(Compare::Ne, self.bit_of(set, args[1]), self.word(0));
                values![self.choose(is_there, read, self.constant(ty, 0))]
            }
            WaveOp::Rotate | WaveOp::ClusteredRotate => {
                let flag = self.choose(included, self.word(1), self.word(0));
                let of: Values = std::iter::once(flag).chain(args[1..].iter().copied()).collect();
                let flag = plain(op, Ty::I32, &of)[0];
                let is_there = self.test(Compare::Ne, flag, self.word(0));
                let read = plain(op, ty, args)[0];
                values![self.choose(is_there, read, self.constant(ty, 0))]
            }
            WaveOp::Match => {
                let equal = plain(op, ty, args);
                equal.iter().zip(set).map(|(a, b)| self.op2(Binary::And, *a, *b)).collect()
            }
            WaveOp::Reduce(fold) => {
                let first = self.first_of(set);
                one(op, self.neutralised(fold, ty, args[0], excluded, first))
            }
            WaveOp::Scan(fold) => {
                let first = self.first_of(set);
                let scanned = one(op, self.neutralised(fold, ty, args[0], excluded, first))[0];
                // Below the first participant there is nothing, not even a neutral value.
                let is_above = self.test(Compare::Lt(Sign::Unsigned), first, self.lane());
                values![self.or_identity(fold, ty, is_above, scanned)]
            }
            WaveOp::MultiReduce(_) | WaveOp::MultiScan(_) | WaveOp::MultiScanInclusive(_)
                if self.target.partitions =>
            {
                let all = self.wave_op(WaveOp::ActiveLanes, &[], &[Ty::I32; 4]);
                let masks = args[1..].iter().zip(set).zip(&all).map(|((mask, set), all)| {
                    let others = self.op2(Binary::Xor, *set, *all);
                    self.choose(excluded, others, self.op2(Binary::And, *mask, *set))
                });
                let args: Values = std::iter::once(args[0]).chain(masks).collect();
                plain(op, ty, &args)
            }
            WaveOp::MultiReduce(fold)
            | WaveOp::MultiScan(fold)
            | WaveOp::MultiScanInclusive(fold) => {
                let masks = args[1..].iter().zip(set);
                let masks: Values = masks.map(|(a, b)| self.op2(Binary::And, *a, *b)).collect();
                let first = self.first_of(&masks);
                let value = self.neutralised(fold, ty, args[0], excluded, first);
                let args: Values = std::iter::once(value).chain(masks).collect();
                let folded = plain(op, ty, &args)[0];
                let lane = self.lane();
                let is_any = match op {
                    WaveOp::MultiReduce(_) => self.test(Compare::Ne, first, self.word(u32::MAX)),
                    WaveOp::MultiScan(_) => self.test(Compare::Lt(Sign::Unsigned), first, lane),
                    _ => self.test(Compare::Le(Sign::Unsigned), first, lane),
                };
                values![self.or_identity(fold, ty, is_any, folded)]
            }
            WaveOp::LaneIndex
            | WaveOp::LaneCount
            | WaveOp::IsHelperLane
            | WaveOp::GroupWaveIndex
            | WaveOp::GroupWaveCount
            | WaveOp::LaneRelation(_)
            | WaveOp::QuadRead(_)
            | WaveOp::QuadReadLaneAt
            | WaveOp::QuadAny
            | WaveOp::QuadAll => unreachable!("it does not depend on who participates"),
        })
    }

    fn lane(&self) -> Value {
        self.wave_op(WaveOp::LaneIndex, &[], &[Ty::I32])[0]
    }

    fn participants(&self) -> Participants {
        let helper = self.wave_op(WaveOp::IsHelperLane, &[], &[Ty::Bool])[0];
        let own = self.op1(Unary::Not, helper);
        let any = self.wave_op(WaveOp::AnyTrue, &[own], &[Ty::Bool])[0];
        let excluded = self.both(helper, any);
        let included = self.op1(Unary::Not, excluded);
        let set = self.wave_op(WaveOp::Ballot, &[included], &[Ty::I32; 4]);
        Participants { excluded, included, set }
    }

    /// The lowest lane of a set; all ones if it is empty.
    fn first_of(&self, set: &[Value]) -> Value {
        let of = |word: usize| {
            let bit = self.op1(Unary::FirstBitLow, set[word]);
            self.with(Binary::Or, bit, 32 * word as u64)
        };
        (0..3).rev().fold(of(3), |above, word| {
            let is_here = self.test(Compare::Ne, set[word], self.word(0));
            self.choose(is_here, of(word), above)
        })
    }

    /// The value of a participant; in the others one that changes no fold of the participants, of which `first` is one.
    fn neutralised(
        &self,
        fold: Fold,
        ty: Ty,
        value: Value,
        excluded: Value,
        first: Value,
    ) -> Value {
        let neutral = match fold {
            // No constant leaves a NaN alone.
            Fold::Min(_) | Fold::Max(_) if ty.is_float() => {
                self.wave_op(WaveOp::ReadLaneAt, &[value, first], &[self.held(ty)])[0]
            }
            _ => self.constant(ty, fold.neutral(ty)),
        };
        self.choose(excluded, neutral, value)
    }

    /// The result of a fold of no lanes where there are none, which for floats is not the neutral value.
    fn or_identity(&self, fold: Fold, ty: Ty, is_any: Value, folded: Value) -> Value {
        if !ty.is_float() {
            return folded;
        }
        self.choose(is_any, folded, self.constant(ty, fold.identity(ty)))
    }
}
