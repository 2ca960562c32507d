//! Wave operations. All 32 threads of a warp execute each; `m` is the set of active lanes as a word.
//!
//! | operation | here |
//! |---|---|
//! | votes, ballots, counts | a vote of the active lanes' conditions |
//! | reads of other lanes | a shuffle; 0, or in a quad the own value, if the bit of the source in `m` is clear |
//! | integer reductions | `redux.sync` for words and pairs of words, otherwise a tree of xor shuffles |
//! | float sums and products | the canonical tree: xor shuffles at distances 16, 8, 4, 2, 1 |
//! | scans | the canonical Hillis–Steele scan: shuffles up by 1, 2, 4, 8, 16 |
//! | `WaveMatch` | `match.any.sync` of each word, within `m` |
//! | folds over partitions | a loop over the lanes of `m`, ascending, each folded where the mask names it |
//!
//! Where several waves share a warp, sets are the wave's part of a vote, and shuffles and trees stay within its
//! segment.
//!
//! Inactive lanes contribute the neutral element. Minimum and maximum of floats are those of integers by now.

use ir::{Derivative, Op, Value};
use ops::scalar::Family;
use ops::{Binary, Compare, Fold, QuadDirection, Relation, Sign, Ty, WaveOp};

use crate::control::Act;
use crate::emit::Emitter;
use crate::text::{Class, Operand, Reg, put, put_if};

/// The element that changes no other, and keeps a lone -0.
fn neutral(fold: Fold, ty: Ty) -> Operand {
    let bits = match fold {
        Fold::Sum if ty.is_float() => 1 << (ty.bits() - 1),
        _ => fold.identity(ty),
    };
    Operand::Bits(ty, bits)
}

impl Emitter<'_> {
    /// The set of active lanes as a word.
    pub(crate) fn mask(&mut self) -> Operand {
        match self.act {
            Act::All | Act::Never => Operand::word(self.environment.all_lanes()),
            Act::Some(act) => {
                if let Some((_, mask)) = self.masks.iter().find(|it| it.0 == act) {
                    return Operand::Reg(*mask);
                }
                let threads = self.text.reg(Class::Word);
                put!(self, "vote.sync.ballot.b32 {threads}, {act}, -1");
                let mask = self.set_of_wave(threads);
                self.masks.push((act, mask));
                Operand::Reg(mask)
            }
        }
    }

    fn word(&mut self) -> Reg {
        self.text.reg(Class::Word)
    }

    /// An operation on two words.
    fn words(&mut self, op: Binary, a: impl Into<Operand>, b: impl Into<Operand>) -> Operand {
        let (a, b) = (a.into(), b.into());
        if let (Some(a), Some(b)) = (a.known(), b.known()) {
            return Operand::Bits(Ty::I32, ops::scalar::eval_binary(op, Ty::I32, a, b));
        }
        match (op, a.known(), b.known()) {
            (Binary::And, Some(0xffff_ffff), _) => b,
            (Binary::And, _, Some(0xffff_ffff)) => a,
            _ => self.combine(op, Ty::I32, a, b),
        }
    }

    fn is_not_zero(&mut self, word: Operand) -> Operand {
        match word {
            Operand::Bits(_, bits) => Operand::Bits(Ty::Bool, u64::from(bits != 0)),
            reg => Operand::Reg(self.test(Compare::Ne, Ty::I32, reg, Operand::word(0))),
        }
    }

    fn is_zero(&mut self, word: Operand) -> Operand {
        match word {
            Operand::Bits(_, bits) => Operand::Bits(Ty::Bool, u64::from(bits == 0)),
            reg => Operand::Reg(self.test(Compare::Eq, Ty::I32, reg, Operand::word(0))),
        }
    }

    /// A condition of the active lanes; false for the others.
    fn holds(&mut self, cond: Operand) -> Reg {
        let cond = self.reg(cond);
        match self.act {
            Act::Some(act) => self.logic("and", act, cond),
            Act::All | Act::Never => cond,
        }
    }

    /// The active lanes for which a condition does not hold.
    fn fails(&mut self, cond: Operand) -> Reg {
        let cond = self.reg(cond);
        let opposite = self.not(cond);
        self.holds(Operand::Reg(opposite))
    }

    fn ballot(&mut self, cond: Reg) -> Operand {
        let to = self.word();
        put!(self, "vote.sync.ballot.b32 {to}, {cond}, -1");
        Operand::Reg(self.set_of_wave(to))
    }

    /// Whether a condition holds in any thread of the wave.
    fn any(&mut self, cond: Reg) -> Operand {
        if self.environment.is_packed() {
            let set = self.ballot(cond);
            return self.is_not_zero(set);
        }
        let to = self.text.reg(Class::Predicate);
        put!(self, "vote.sync.any.pred {to}, {cond}, -1");
        Operand::Reg(to)
    }

    /// Whether it holds in none.
    fn none(&mut self, cond: Reg) -> Operand {
        let any = self.any(cond);
        let any = self.reg(any);
        Operand::Reg(self.not(any))
    }

    fn count(&mut self, set: Operand) -> Operand {
        let set = self.reg(set);
        let to = self.word();
        put!(self, "popc.b32 {to}, {set}");
        Operand::Reg(to)
    }

    /// The number of the lowest lane of a set.
    fn lowest(&mut self, set: Operand) -> Operand {
        match set {
            Operand::Bits(ty, bits) => {
                Operand::Bits(ty, u64::from((bits as u32).trailing_zeros() & 31))
            }
            Operand::Reg(set) => {
                let [reversed, lane] = [self.word(), self.word()];
                put!(self, "brev.b32 {reversed}, {set}");
                put!(self, "bfind.shiftamt.u32 {lane}, {reversed}");
                Operand::Reg(lane)
            }
        }
    }

    /// A set as four words.
    fn set_of(word: Operand) -> Vec<Operand> {
        vec![word, Operand::word(0), Operand::word(0), Operand::word(0)]
    }

    // Shuffles.

    /// The words of a value, the lower one first.
    fn words_of(&mut self, ty: Ty, value: Reg) -> Vec<Reg> {
        match Class::of(ty) {
            Class::Predicate => {
                let word = self.word();
                put!(self, "selp.b32 {word}, 1, 0, {value}");
                vec![word]
            }
            Class::Half => {
                let word = self.word();
                put!(self, "cvt.u32.u16 {word}, {value}");
                vec![word]
            }
            Class::Word => vec![value],
            Class::Long => {
                let [low, high] = [self.word(), self.word()];
                put!(self, "mov.b64 {{{low}, {high}}}, {value}");
                vec![low, high]
            }
        }
    }

    fn of_words(&mut self, ty: Ty, words: &[Reg]) -> Reg {
        let class = Class::of(ty);
        if class == Class::Word {
            return words[0];
        }
        let to = self.text.reg(class);
        match class {
            Class::Predicate => put!(self, "setp.ne.b32 {to}, {}, 0", words[0]),
            Class::Half => put!(self, "cvt.u16.u32 {to}, {}", words[0]),
            Class::Word => {}
            Class::Long => put!(self, "mov.b64 {to}, {{{}, {}}}", words[0], words[1]),
        }
        to
    }

    /// What other threads hold, by a shuffle in mode `idx` or `bfly`. All hold a constant.
    ///
    /// A shuffled constant is not left to the driver's assembler, which takes its minimum or maximum wrongly: for
    /// `max(1 - x, 0)` it computes `max(x - 1, 0)` (ptxas 13.0, sm_90 and sm_100).
    fn shuffled(&mut self, mode: &str, ty: Ty, value: Operand, by: Operand) -> Operand {
        match value {
            Operand::Bits(..) => value,
            Operand::Reg(value) => Operand::Reg(self.shuffle(mode, ty, value, by, None)),
        }
    }

    /// A shuffle in one of PTX's modes. With `range`, that predicate says whether the source lane exists.
    fn shuffle(&mut self, mode: &str, ty: Ty, value: Reg, by: Operand, range: Option<Reg>) -> Reg {
        // The last operand bounds the source: 31 above, or 0 below for shuffles up.
        // The bits above it are those of a lane's number that stay as they are: its segment.
        let segment = (crate::LANES - self.environment.width) << 8;
        let limit = segment | if mode == "up" { 0 } else { 31 };
        let words = self.words_of(ty, value);
        let mut moved = Vec::new();
        for (number, word) in words.into_iter().enumerate() {
            let to = self.word();
            match range.filter(|_| number == 0) {
                Some(range) => {
                    put!(self, "shfl.sync.{mode}.b32 {to}|{range}, {word}, {by}, {limit}, -1");
                }
                None => put!(self, "shfl.sync.{mode}.b32 {to}, {word}, {by}, {limit}, -1"),
            }
            moved.push(to);
        }
        self.of_words(ty, &moved)
    }

    /// Whether a lane is active. A number beyond the wave is not a lane: shifts are clamped.
    fn is_active(&mut self, lane: Operand) -> Operand {
        let mask = self.mask();
        match (mask, lane) {
            (Operand::Bits(..), Operand::Bits(_, lane)) => {
                Operand::Bits(Ty::Bool, u64::from(lane < self.environment.width.into()))
            }
            (Operand::Bits(..), lane) => {
                let width = Operand::word(self.environment.width);
                Operand::Reg(self.test(Compare::Lt(Sign::Unsigned), Ty::I32, lane, width))
            }
            (mask, lane) => {
                let bit = self.bit(mask, lane);
                self.is_not_zero(bit)
            }
        }
    }

    fn bit(&mut self, mask: Operand, lane: Operand) -> Operand {
        let shifted = self.word();
        put!(self, "shr.u32 {shifted}, {mask}, {lane}");
        self.words(Binary::And, shifted, Operand::word(1))
    }

    fn read_at(&mut self, ty: Ty, value: Operand, lane: Operand) -> Operand {
        let read = self.shuffled("idx", ty, value, lane);
        let active = self.is_active(lane);
        self.select(ty, active, read, Operand::Bits(ty, 0))
    }

    /// The constant `bits` of a lane's number `WaveGetLaneIndex() ^ bits`, which is always that of a lane.
    fn flipped(&self, lane: Value) -> Option<u32> {
        let Some(Op::Binary(Binary::Xor, a, b)) = self.ir.op_of(lane) else { return None };
        let is_own =
            |it: Value| matches!(self.ir.op_of(it), Some(Op::Wave { op: WaveOp::LaneIndex, .. }));
        let bits = match (is_own(*a), is_own(*b)) {
            (true, false) => self.get(*b).known(),
            (false, true) => self.get(*a).known(),
            _ => None,
        };
        bits.map(|it| it as u32).filter(|it| *it < self.environment.width)
    }

    /// An xor shuffle. `lane` is the number of the source.
    fn read_flipped(&mut self, ty: Ty, value: Operand, lane: Operand, bits: u32) -> Operand {
        let read = self.shuffled("bfly", ty, value, Operand::word(bits));
        match self.mask() {
            Operand::Bits(..) => read,
            Operand::Reg(_) => {
                let active = self.is_active(lane);
                self.select(ty, active, read, Operand::Bits(ty, 0))
            }
        }
    }

    fn read_first(&mut self, ty: Ty, value: Operand) -> Operand {
        let mask = self.mask();
        let lane = self.lowest(mask);
        self.shuffled("idx", ty, value, lane)
    }

    /// The value of another lane of the quad, or the own value if that is not active.
    fn read_in_quad(&mut self, ty: Ty, value: Operand, lane: Operand) -> Operand {
        let read = self.shuffled("idx", ty, value, lane);
        let mask = self.mask();
        if read.known().is_some() || mask.known().is_some() {
            return read;
        }
        let active = self.is_active(lane);
        self.select(ty, active, read, value)
    }

    fn quad(&mut self) -> Operand {
        let lane = self.lane();
        self.words(Binary::And, lane, Operand::word(28))
    }

    fn quad_bits(&mut self, cond: Reg) -> Operand {
        let set = self.ballot(cond);
        let first = self.quad();
        let shifted = self.word();
        put!(self, "shr.u32 {shifted}, {set}, {first}");
        self.words(Binary::And, shifted, Operand::word(15))
    }

    pub(crate) fn derivative(&mut self, of: Derivative, value: Value) -> Operand {
        let ty = self.ir.ty(value);
        let value = self.get_reg(value);
        let first = self.quad();
        let lane = self.lane();
        let lanes: [Operand; 2] = match of {
            Derivative::XCoarse | Derivative::YCoarse => {
                of.lanes(0).map(|it| self.words(Binary::Or, first, Operand::word(it)))
            }
            Derivative::XFine | Derivative::YFine => {
                let step = if of == Derivative::XFine { 1 } else { 2 };
                [
                    self.words(Binary::Or, lane, Operand::word(step)),
                    self.words(Binary::And, lane, Operand::word(!step)),
                ]
            }
        };
        let [greater, lesser] = lanes.map(|it| self.read_in_quad(ty, value.into(), it));
        self.combine(Binary::Sub, ty, greater, lesser)
    }

    // Folds.

    /// The value that a lane contributes.
    fn folded(&mut self, fold: Fold, value: Value) -> Operand {
        match fold {
            Fold::Min(_) | Fold::Max(_) => self.unnegated(value),
            _ => self.get(value),
        }
    }

    /// The value of active lanes, and the neutral element elsewhere.
    fn or_neutral(&mut self, fold: Fold, ty: Ty, value: Reg) -> Reg {
        match self.act {
            Act::All | Act::Never => value,
            Act::Some(act) => {
                let picked =
                    self.select(ty, Operand::Reg(act), Operand::Reg(value), neutral(fold, ty));
                self.reg(picked)
            }
        }
    }

    fn reduce(&mut self, fold: Fold, ty: Ty, value: Operand) -> Operand {
        let steps = self.environment.width.ilog2();
        if let (Operand::Bits(_, bits), Act::All) = (value, self.act) {
            // At each step of the tree, all lanes hold the same.
            let doubled = |it, _| ops::scalar::eval_binary(fold.binary(), ty, it, it);
            return Operand::Bits(ty, (0..steps).fold(bits, doubled));
        }
        let value = self.reg(value);
        let mut value = self.or_neutral(fold, ty, value);
        let bitwise = fold.binary().facts().family == Family::Bits;
        let redux = match fold {
            Fold::Sum => Some("add.u32"),
            Fold::Min(Sign::Signed) => Some("min.s32"),
            Fold::Min(Sign::Unsigned) => Some("min.u32"),
            Fold::Max(Sign::Signed) => Some("max.s32"),
            Fold::Max(Sign::Unsigned) => Some("max.u32"),
            Fold::And => Some("and.b32"),
            Fold::Or => Some("or.b32"),
            Fold::Xor => Some("xor.b32"),
            Fold::Product => None,
        };
        if let Some(redux) = redux
            && self.environment.has_redux()
            && (ty == Ty::I32 || (ty == Ty::I64 && bitwise))
        {
            let words = self.words_of(ty, value);
            let mut folded = Vec::new();
            for word in words {
                let to = self.word();
                put!(self, "redux.sync.{redux} {to}, {word}, -1");
                folded.push(to);
            }
            return Operand::Reg(self.of_words(ty, &folded));
        }
        for distance in (0..steps).rev().map(|it| 1 << it) {
            let other = self.shuffle("bfly", ty, value, Operand::word(distance), None);
            let sum = self.combine(fold.binary(), ty, value.into(), other.into());
            value = self.reg(sum);
        }
        Operand::Reg(value)
    }

    fn scan(&mut self, fold: Fold, ty: Ty, value: Reg) -> Operand {
        let own = self.or_neutral(fold, ty, value);
        // It is overwritten where there is a lane below.
        let sum = self.reg_for(ty);
        put!(self, "mov.{} {sum}, {own}", Self::bits_of(ty));
        for distance in (0..self.environment.width.ilog2()).map(|it| 1 << it) {
            let exists = self.text.reg(Class::Predicate);
            let below = self.shuffle("up", ty, sum, Operand::word(distance), Some(exists));
            let added = self.combine(fold.binary(), ty, below.into(), sum.into());
            put_if!(self, Some(exists), "mov.{} {sum}, {added}", Self::bits_of(ty));
        }
        if ty.is_int() && matches!(fold, Fold::Sum | Fold::Xor) {
            // Exact for integers, which wrap.
            let back = if fold == Fold::Sum { Binary::Sub } else { Binary::Xor };
            return self.combine(back, ty, sum.into(), own.into());
        }
        let below = self.shuffle("up", ty, sum, Operand::word(1), None);
        let first = self.is_first();
        self.select(ty, first, Operand::Bits(ty, fold.identity(ty)), below.into())
    }

    /// Whether no active lane is below.
    fn is_first(&mut self) -> Operand {
        let (mask, lower) = (self.mask(), self.lanes(Relation::Less));
        let below = self.words(Binary::And, mask, lower);
        self.is_zero(below)
    }

    /// A fold over the active lanes of a mask that are in a relation to this lane: one lane after another, ascending,
    /// which is the canonical order.
    fn multi(
        &mut self,
        fold: Fold,
        ty: Ty,
        value: Operand,
        named: Operand,
        relation: Option<Relation>,
    ) -> Operand {
        let mask = self.mask();
        let mut set = self.words(Binary::And, named, mask);
        if let Some(relation) = relation {
            let lanes = self.lanes(relation);
            set = self.words(Binary::And, set, lanes);
        }
        let rest = self.word();
        put!(self, "mov.b32 {rest}, {mask}");
        let sum = self.reg_for(ty);
        put!(self, "mov.{} {sum}, {}", Self::bits_of(ty), {
            let Operand::Bits(ty, bits) = neutral(fold, ty) else { unreachable!("a constant") };
            Operand::Bits(ty.as_int(), bits)
        });
        let (head, end) = (self.text.label("lanes"), self.text.label("end"));
        self.mark(head);
        let done = match self.environment.is_packed() {
            false => self.is_zero(Operand::Reg(rest)),
            true => {
                // Until no wave of the warp has lanes left. One without has no lowest lane, which no set names.
                let more = self.is_not_zero(Operand::Reg(rest));
                let more = self.reg(more);
                let any = self.text.reg(Class::Predicate);
                put!(self, "vote.sync.any.pred {any}, {more}, -1");
                Operand::Reg(self.not(any))
            }
        };
        self.line_text(format_args!("\t@{done} bra.uni {end};"));
        let lane = self.lowest(Operand::Reg(rest));
        let less = self.words(Binary::Add, rest, Operand::word(u32::MAX));
        put!(self, "and.b32 {rest}, {rest}, {less}");
        let other = self.shuffled("idx", ty, value, lane);
        let bit = self.bit(set, lane);
        let named = self.is_not_zero(bit);
        let named = self.reg(named);
        let added = self.combine(fold.binary(), ty, sum.into(), other);
        put_if!(self, Some(named), "mov.{} {sum}, {added}", Self::bits_of(ty));
        self.line_text(format_args!("\tbra.uni {head};"));
        self.mark(end);
        if neutral(fold, ty) == Operand::Bits(ty, fold.identity(ty)) {
            return Operand::Reg(sum);
        }
        let none = self.is_zero(set);
        self.select(ty, none, Operand::Bits(ty, fold.identity(ty)), Operand::Reg(sum))
    }

    /// The active lanes in which a condition holds.
    fn ballot_of(&mut self, condition: Operand) -> Operand {
        let holds = self.holds(condition);
        self.ballot(holds)
    }

    /// The active lanes that have the same values.
    fn matching(&mut self, args: &[Value], operands: &[Operand]) -> Operand {
        let mut set = self.mask();
        for (arg, operand) in args.iter().zip(operands) {
            let value = self.reg(*operand);
            for word in self.words_of(self.ir.ty(*arg), value) {
                let same = self.word();
                put!(self, "match.any.sync.b32 {same}, {word}, -1");
                let same = self.set_of_wave(same);
                set = self.words(Binary::And, set, same);
            }
        }
        set
    }

    /// A wave operation.
    pub(crate) fn wave(&mut self, op: WaveOp, args: &[Value]) -> Vec<Operand> {
        let ty = args.first().map_or(Ty::Bool, |it| self.ir.ty(*it));
        let operands = self.get_all(args);
        vec![match op {
            WaveOp::LaneIndex => Operand::Reg(self.lane()),
            WaveOp::LaneCount => Operand::word(self.environment.width),
            WaveOp::IsFirstLane => self.is_first(),
            WaveOp::IsHelperLane => Operand::Bits(Ty::Bool, 0),
            WaveOp::GroupWaveIndex => Operand::Reg(self.wave_index()),
            WaveOp::GroupWaveCount => {
                Operand::word(self.ir.threads_per_group().div_ceil(self.environment.width))
            }
            WaveOp::LaneRelation(relation) => {
                let lanes = self.lanes(relation);
                return Self::set_of(Operand::Reg(lanes));
            }
            WaveOp::ActiveLanes | WaveOp::ConvergedLanes => {
                let mask = self.mask();
                return Self::set_of(mask);
            }
            WaveOp::AnyTrue => {
                let holds = self.holds(operands[0]);
                self.any(holds)
            }
            WaveOp::AllTrue => {
                let fails = self.fails(operands[0]);
                self.none(fails)
            }
            WaveOp::Ballot => {
                let set = self.ballot_of(operands[0]);
                return Self::set_of(set);
            }
            WaveOp::CountBits => {
                let set = self.ballot_of(operands[0]);
                self.count(set)
            }
            WaveOp::PrefixCountBits => {
                let set = self.ballot_of(operands[0]);
                let lower = self.lanes(Relation::Less);
                let below = self.words(Binary::And, set, lower);
                self.count(below)
            }
            WaveOp::ReadLaneFirst => self.read_first(ty, operands[0]),
            WaveOp::ReadLaneAt => match self.flipped(args[1]) {
                Some(bits) => self.read_flipped(ty, operands[0], operands[1], bits),
                None => self.read_at(ty, operands[0], operands[1]),
            },
            WaveOp::AllEqual => {
                let value = self.reg(operands[0]);
                let first = self.read_first(ty, value.into());
                let differs = self.test(Compare::Ne, ty, value.into(), first);
                let differs = self.holds(Operand::Reg(differs));
                self.none(differs)
            }
            WaveOp::Reduce(fold) => {
                let value = self.folded(fold, args[0]);
                self.reduce(fold, ty, value)
            }
            WaveOp::Scan(fold) => {
                let value = self.folded(fold, args[0]);
                let value = self.reg(value);
                self.scan(fold, ty, value)
            }
            WaveOp::Match => {
                let set = self.matching(args, &operands);
                return Self::set_of(set);
            }
            WaveOp::MultiPrefixCountBits => {
                let set = self.ballot_of(operands[0]);
                let lower = self.lanes(Relation::Less);
                let named = self.words(Binary::And, operands[1], lower);
                let below = self.words(Binary::And, set, named);
                self.count(below)
            }
            WaveOp::MultiReduce(fold) => {
                let value = self.folded(fold, args[0]);
                self.multi(fold, ty, value, operands[1], None)
            }
            WaveOp::MultiScan(fold) => {
                let value = self.folded(fold, args[0]);
                self.multi(fold, ty, value, operands[1], Some(Relation::Less))
            }
            WaveOp::MultiScanInclusive(fold) => {
                let value = self.folded(fold, args[0]);
                self.multi(fold, ty, value, operands[1], Some(Relation::LessEqual))
            }
            WaveOp::QuadRead(direction) => {
                let across = match direction {
                    QuadDirection::X => 1,
                    QuadDirection::Y => 2,
                    QuadDirection::Diagonal => 3,
                };
                let lane = self.lane();
                let lane = self.words(Binary::Xor, lane, Operand::word(across));
                self.read_in_quad(ty, operands[0], lane)
            }
            WaveOp::QuadReadLaneAt => {
                let index = self.words(Binary::And, operands[1], Operand::word(3));
                let first = self.quad();
                let lane = self.words(Binary::Or, first, index);
                self.read_in_quad(ty, operands[0], lane)
            }
            WaveOp::QuadAny => {
                let holds = self.holds(operands[0]);
                let bits = self.quad_bits(holds);
                self.is_not_zero(bits)
            }
            WaveOp::QuadAll => {
                let fails = self.fails(operands[0]);
                let bits = self.quad_bits(fails);
                self.is_zero(bits)
            }
            WaveOp::Rotate | WaveOp::ClusteredRotate => {
                unreachable!("`legalize` expands {op:?}")
            }
        }]
    }
}
