//! Reductions and scans over lanes where the device's instructions have undefined cases: halves and 16-bit integers,
//! minimum and maximum of floats, and the sign of a sum that has only `-0` as terms.
//!
//! The order in which a device adds floats stays unspecified.

use ir::{Op, Value, Values};
use ops::{Binary, Compare, Fold, Relation, Sign, Ty, Unary, WaveOp};

use crate::target::Class;
use crate::writer::Writer;

/// A reduction or scan without its operand: the kind of fold, and the lanes.
pub(crate) struct Folding {
    pub(crate) fold: Fold,
    /// The operation with another fold.
    pub(crate) how: fn(Fold) -> WaveOp,
    /// The masks of a partition.
    pub(crate) masks: Values,
    pub(crate) lanes: Option<Value>,
    /// The number of lanes of a scan in which all lanes of the wave take part.
    pub(crate) whole: Option<u32>,
}

impl Folding {
    /// The fold of a wave operation, if it is one, and whether the lowest lane folds nothing.
    pub(crate) fn of(
        op: WaveOp,
        masks: Values,
        lanes: Option<Value>,
        whole: Option<u32>,
    ) -> Option<Folding> {
        let (fold, how): (Fold, fn(Fold) -> WaveOp) = match op {
            WaveOp::Reduce(fold) => (fold, WaveOp::Reduce),
            WaveOp::Scan(fold) => (fold, WaveOp::Scan),
            WaveOp::MultiReduce(fold) => (fold, WaveOp::MultiReduce),
            WaveOp::MultiScan(fold) => (fold, WaveOp::MultiScan),
            WaveOp::MultiScanInclusive(fold) => (fold, WaveOp::MultiScanInclusive),
            _ => return None,
        };
        Some(Folding { fold, how, masks, lanes, whole })
    }

    fn with(&self, fold: Fold) -> Folding {
        Folding { fold, masks: self.masks.clone(), whole: None, ..*self }
    }

    fn is_exclusive(&self) -> bool {
        matches!((self.how)(self.fold), WaveOp::Scan(_) | WaveOp::MultiScan(_))
    }
}

impl Writer<'_> {
    /// `ty` is the type of `a` in the source.
    pub(crate) fn folded(&self, folding: &Folding, ty: Ty, a: Value) -> Value {
        let (fold, target) = (folding.fold, self.target);
        match (fold, ty) {
            (Fold::Min(_) | Fold::Max(_), Ty::F16)
                if target.leaves_open(Class::FoldExtremum, ty) =>
            {
                // Every half is exact in f32, and the conversion preserves the order.
                let single = self.converted(a, Sign::Signed, Ty::F32);
                let folded = self.folded(folding, Ty::F32, single);
                self.canonical(ty, self.converted(folded, Sign::Signed, ty))
            }
            (Fold::Min(_) | Fold::Max(_), Ty::F32 | Ty::F64)
                if target.leaves_open(Class::FoldExtremum, ty) =>
            {
                self.folded_by_order(folding, ty, a)
            }
            (_, Ty::I16) if target.lacks(Class::Fold, ty) || self.short_words => {
                self.folded_in_words(folding, a)
            }
            (Fold::Sum, Ty::F16 | Ty::F32 | Ty::F64) if target.leaves_open(Class::Fold, ty) => {
                self.folded_sum(folding, ty, a)
            }
            _ if ty.is_float() => self.canonical(ty, self.folded_natively(folding, a)),
            _ if let Some(lanes) = folding.whole => self.whole_scan(fold, ty, a, lanes),
            _ => self.folded_natively(folding, a),
        }
    }

    /// Whether an operation becomes two folds.
    pub(crate) fn is_folded_twice(&self, op: WaveOp, ty: Ty) -> bool {
        let is_sum = matches!(op, WaveOp::Reduce(Fold::Sum) | WaveOp::Scan(Fold::Sum));
        is_sum && ty.is_float() && self.target.leaves_open(Class::Fold, ty)
    }

    fn folded_natively(&self, folding: &Folding, a: Value) -> Value {
        let (op, ty) = ((folding.how)(folding.fold), self.ty(a));
        if let (Some(within), true) = (within_partition(op), self.lacks_partition(folding, ty)) {
            return self.folded_set_by_set(folding, within, a);
        }
        let args = std::iter::once(a).chain(folding.masks.iter().copied()).collect();
        self.value(Op::Wave { op, args, lanes: folding.lanes }, ty)
    }

    /// A fold of integers over partitions: all lanes fold one set of lanes after another. Lanes outside the set
    /// contribute the identity, so that overlapping sets are handled too.
    fn folded_set_by_set(&self, folding: &Folding, within: WaveOp, a: Value) -> Value {
        let (ty, fold) = (self.ty(a), folding.fold);
        let lane = self.wave_op(WaveOp::LaneIndex, &[], &[Ty::I32])[0];
        let nothing = self.constant(ty, fold.identity(ty));
        let none = self.word(u32::MAX);
        let [_, folded] = self.repeat_until([self.word(0), nothing], |[served, old]| {
            // The first waiting lane determines the set.
            let waiting = self.test(Compare::Eq, served, self.word(0));
            let key = self.choose(waiting, lane, none);
            let least = WaveOp::Reduce(Fold::Min(Sign::Unsigned));
            let first = self.wave_op(least, &[key], &[Ty::I32])[0];
            let read =
                |mask: &Value| self.wave_op(WaveOp::ReadLaneAt, &[*mask, first], &[Ty::I32])[0];
            let set: Values = folding.masks.iter().map(read).collect();
            let inside = self.test(Compare::Ne, self.bit_of(&set, lane), self.word(0));
            let value = self.choose(inside, a, nothing);
            let mut folded = self.wave_op(within, &[value], &[ty])[0];
            if matches!((folding.how)(fold), WaveOp::MultiScanInclusive(_)) {
                folded = self.op2(fold.binary(), folded, value);
            }
            let same = set.iter().zip(&folding.masks).map(|(a, b)| self.test(Compare::Eq, *a, *b));
            let same = same.reduce(|a, b| self.both(a, b));
            let same = same.unwrap_or_else(|| unreachable!("a set has four words"));
            let served = self.choose(same, self.word(1), served);
            let still = self.test(Compare::Eq, served, self.word(0));
            let any = self.wave_op(WaveOp::AnyTrue, &[still], &[Ty::Bool])[0];
            (self.op1(Unary::Not, any), [served, self.choose(same, folded, old)])
        });
        folded
    }

    fn lacks_partition(&self, folding: &Folding, ty: Ty) -> bool {
        !folding.masks.is_empty() && self.target.lacks(Class::Partition, ty)
    }

    /// Folds 16-bit integers as words, because a driver loses the sign of 16-bit folds.
    fn folded_in_words(&self, folding: &Folding, a: Value) -> Value {
        let fold = folding.fold;
        let sign = match fold {
            Fold::Min(sign) | Fold::Max(sign) => sign,
            Fold::Sum | Fold::Product | Fold::And | Fold::Or | Fold::Xor => Sign::Unsigned,
        };
        let word = self.convert(a, Ty::I16, sign, Ty::I32, sign);
        let mut folded = self.folded(folding, Ty::I32, word);
        // Without any lanes the result is the identity, which differs in 16 bits.
        let limit = match (fold, sign) {
            (Fold::Min(_), Sign::Signed) => Some((Binary::Min(sign), 0x7fff)),
            (Fold::Max(_), Sign::Signed) => Some((Binary::Max(sign), -0x8000i32 as u32)),
            _ => None,
        };
        if let Some((nearer, limit)) = limit {
            folded = self.op2(nearer, folded, self.word(limit));
        }
        self.convert(folded, Ty::I32, sign, Ty::I16, sign)
    }

    /// Restores the sign of a sum that has only `-0` as terms: devices start sums with `+0`, which loses it.
    fn folded_sum(&self, folding: &Folding, ty: Ty, a: Value) -> Value {
        let int = ty.as_int();
        let sum = self.canonical(ty, self.folded_natively(folding, a));
        let minus = self.constant(int, (int.ones() >> 1) + 1);
        let is_minus = self.test(Compare::Eq, self.bits(a, ty), minus);
        // If partitions are folded set by set, a second fold would be a second loop.
        let all_minus = match !folding.masks.is_empty() && !self.target.partitions {
            true => self.only_in_partition(folding, is_minus),
            false => {
                let one = self.word(1);
                let key = self.choose(is_minus, one, self.word(0));
                // Without any lanes the minimum is neither 0 nor 1.
                let least = folding.with(Fold::Min(Sign::Unsigned));
                self.test(Compare::Eq, self.folded_natively(&least, key), one)
            }
        };
        self.number(self.choose(all_minus, minus, self.bits(sum, ty)), ty)
    }

    /// Whether a condition holds for all lanes that are folded, of which there is at least one.
    fn only_in_partition(&self, folding: &Folding, cond: Value) -> Value {
        let set = |op, args: &[Value]| self.wave_op(op, args, &[Ty::I32; 4]);
        let group: Values = match (folding.how)(folding.fold) {
            WaveOp::MultiScan(_) | WaveOp::MultiScanInclusive(_) => {
                let relation =
                    if folding.is_exclusive() { Relation::Less } else { Relation::LessEqual };
                let below = set(WaveOp::LaneRelation(relation), &[]);
                let both = below.iter().zip(&folding.masks);
                both.map(|(a, b)| self.op2(Binary::And, *a, *b)).collect()
            }
            _ => folding.masks.clone(),
        };
        let any = |cond: Value| {
            let lanes = set(WaveOp::Ballot, &[cond]);
            let words = lanes.iter().zip(&group).map(|(a, b)| self.op2(Binary::And, *a, *b));
            let any = words.reduce(|a, b| self.op2(Binary::Or, a, b));
            any.unwrap_or_else(|| unreachable!("a set has four words"))
        };
        let zero = self.word(0);
        let holds = self.test(Compare::Ne, any(cond), zero);
        let fails = any(self.op1(Unary::Not, cond));
        self.both(holds, self.test(Compare::Eq, fails, zero))
    }

    /// Minimum and maximum of floats as those of integers with the same order: `-0` is below `+0`, a NaN is the result
    /// only if there is nothing else. Devices differ on zeros and, contrary to SPIR-V's specification, on NaN.
    fn folded_by_order(&self, folding: &Folding, ty: Ty, a: Value) -> Value {
        let is_min = matches!(folding.fold, Fold::Min(_));
        let int = ty.as_int();
        let ordered = |bits: Value| {
            let last = u64::from(int.bits() - 1);
            let sign = self.with(Binary::Shr(Sign::Signed), bits, last);
            let flips = self.with(Binary::And, sign, int.ones() >> 1);
            self.op2(Binary::Xor, bits, flips)
        };
        let key = ordered(self.bits(a, ty));
        let infinity = ty.float_bits(f64::INFINITY);
        // The ranks of infinity, of NaN above it, and of the absence of any lane above that.
        let (end, nan, no_lanes) = match is_min {
            true => (infinity, (int.ones() >> 1) - 1, int.ones() >> 1),
            false => {
                let least = (int.ones() >> 1) + 1;
                ((int.ones() >> 1) ^ infinity | least, least + 1, least)
            }
        };
        let is_nan = self.magnitude(Compare::Gt(Sign::Unsigned), ty, a);
        let key = self.choose(is_nan, self.constant(int, nan), key);
        let fold = if is_min { Fold::Min(Sign::Signed) } else { Fold::Max(Sign::Signed) };
        let mut folded = self.folded(&folding.with(fold), int, key);
        if folding.is_exclusive() {
            let is_first = self.test(Compare::Eq, folded, self.constant(int, no_lanes));
            folded = self.choose(is_first, self.constant(int, end), folded);
        }
        self.canonical(ty, self.number(ordered(folded), ty))
    }
}

/// The fold among the lanes of one part, for a fold over a partition.
fn within_partition(op: WaveOp) -> Option<WaveOp> {
    match op {
        WaveOp::MultiReduce(fold) => Some(WaveOp::Reduce(fold)),
        // An inclusive scan adds the lane's own value afterwards.
        WaveOp::MultiScan(fold) | WaveOp::MultiScanInclusive(fold) => Some(WaveOp::Scan(fold)),
        _ => None,
    }
}
