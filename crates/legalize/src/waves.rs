//! Wave operations expanded into votes, ballots, reads and folds.
//!
//! | operation | here |
//! |---|---|
//! | `WaveActiveAllEqual` of floats | all equal the first, by an IEEE comparison |
//! | rotations | a read of the lane at that distance |
//! | counting over partitions | ballot ∩ mask ∩ lower lanes |
//! | quad votes | four bits of a ballot |
//! | `WaveMatch` | a waterfall loop: the first lane's value, a ballot of the lanes that hold it; or a ballot of each bit in which lanes differ |
//! | functions with a mask of lanes | a waterfall loop over equal masks, and a branch on being in the mask |
//!
//! A waterfall loop is entered by all lanes together. Each iteration serves the lanes with the same key as the first
//! lane; these leave, so that the next iteration has another first lane.
//!
//! Folds over partitions are in `folds.rs`.

use ir::{Op, Value, Values, values};
use ops::wave::Results;
use ops::{Binary, Compare, Fold, Relation, Sign, Ty, Unary, WaveOp};

use crate::target::{Class, asks_wave};
use crate::writer::Writer;

use Sign::Unsigned;

/// The most bits in which words are compared one by one; half as many in one step.
const MOST_BITS: u32 = 16;

impl Writer<'_> {
    /// A wave operation with results of these types.
    pub(crate) fn wave_op(&self, op: WaveOp, args: &[Value], results: &[Ty]) -> Values {
        let args = args.iter().copied().collect();
        self.results(self.add(Op::Wave { op, args, lanes: None }, results))
    }

    fn wave_word(&self, op: WaveOp, args: &[Value]) -> Value {
        self.wave_op(op, args, &[Ty::I32])[0]
    }

    /// Four words.
    fn wave_set(&self, op: WaveOp, args: &[Value]) -> Values {
        self.wave_op(op, args, &[Ty::I32; 4])
    }

    /// Expands the operation if the target lacks it; `ty` is the type of its first operand in the source.
    pub(crate) fn expanded(&self, op: WaveOp, ty: Ty, args: &[Value]) -> Option<Values> {
        // Helper lanes would take part in each of its steps.
        let is_whole = !self.source.has_helpers();
        if op == WaveOp::Match
            && args.len() == 1
            && is_whole
            && self.target.lacks(Class::WordMatch, ty)
        {
            return Some(self.matched_by_bits(ty, args[0]));
        }
        let [Some((class, ty)), None] = asks_wave(op, ty) else { return None };
        if !self.target.lacks(class, ty) {
            return None;
        }
        Some(match op {
            WaveOp::AllEqual => {
                let first = self.wave_op(WaveOp::ReadLaneFirst, args, &[self.ty(args[0])])[0];
                let equal = self.test(Compare::Eq, args[0], first);
                self.wave_op(WaveOp::AllTrue, &[equal], &[Ty::Bool])
            }
            WaveOp::Rotate => {
                // The lane count is a power of two.
                let lane = self.wave_word(WaveOp::LaneIndex, &[]);
                let count = self.wave_word(WaveOp::LaneCount, &[]);
                let sum = self.op2(Binary::Add, lane, args[1]);
                let last = self.with(Binary::Sub, count, 1);
                self.read(args[0], self.op2(Binary::And, sum, last))
            }
            WaveOp::ClusteredRotate => {
                let lane = self.wave_word(WaveOp::LaneIndex, &[]);
                let count = self.wave_word(WaveOp::LaneCount, &[]);
                let one = self.word(1);
                let is_none = self.test(Compare::Lt(Unsigned), args[2], one);
                let size = self.choose(is_none, one, args[2]);
                let is_more = self.test(Compare::Lt(Unsigned), count, size);
                let size = self.choose(is_more, count, size);
                // The divisor is not zero.
                let rest = |a: Value| {
                    let quotient = self.op2(Binary::Div(Unsigned), a, size);
                    self.op2(Binary::Sub, a, self.op2(Binary::Mul, quotient, size))
                };
                let inside = rest(lane);
                let start = self.op2(Binary::Sub, lane, inside);
                // Both are less than the size, so their sum does not wrap.
                let moved = rest(self.op2(Binary::Add, inside, rest(args[1])));
                self.read(args[0], self.op2(Binary::Add, start, moved))
            }
            WaveOp::MultiPrefixCountBits => {
                let lanes = self.wave_set(WaveOp::Ballot, &args[..1]);
                let below = self.wave_set(WaveOp::LaneRelation(Relation::Less), &[]);
                let counts =
                    lanes.iter().zip(&below).zip(&args[1..]).map(|((lanes, below), mask)| {
                        let both = self.op2(Binary::And, *lanes, *below);
                        self.op1(Unary::CountBits, self.op2(Binary::And, both, *mask))
                    });
                let sum = counts.reduce(|a, b| self.op2(Binary::Add, a, b));
                values![sum.unwrap_or_else(|| unreachable!("a set has four words"))]
            }
            WaveOp::QuadAny => {
                let bits = self.quad_bits(args[0]);
                values![self.test(Compare::Ne, bits, self.word(0))]
            }
            WaveOp::QuadAll => {
                let bits = self.quad_bits(self.op1(Unary::Not, args[0]));
                values![self.test(Compare::Eq, bits, self.word(0))]
            }
            WaveOp::Match => {
                let keys: Values = args.iter().map(|it| self.key(*it)).collect();
                self.waterfall(&keys, &[Ty::I32; 4], || self.wave_set(WaveOp::ActiveLanes, &[]))
            }
            _ => return None,
        })
    }

    /// The active lanes that hold the same bits, at most [`MOST_BITS`] of which differ: the lanes that agree in each of
    /// these. If more differ, what the target does for any match.
    fn matched_by_bits(&self, ty: Ty, value: Value) -> Values {
        let value = self.converted(self.key(value), Unsigned, Ty::I32);
        let fold = |fold: Fold| self.wave_word(WaveOp::Reduce(fold), &[value]);
        let differing = self.op2(Binary::Xor, fold(Fold::Or), fold(Fold::And));
        let count = self.op1(Unary::CountBits, differing);
        let is_few = self.test(Compare::Le(Unsigned), count, self.word(MOST_BITS));
        let words = self.target.set_words;
        let by_bits = || {
            let mut set = self.wave_set(WaveOp::ActiveLanes, &[]);
            set.truncate(words);
            let (set, rest) = self.agreeing(value, set, differing);
            let is_more = self.test(Compare::Ne, rest, self.word(0));
            let more = || self.agreeing(value, set.clone(), rest).0;
            self.either(is_more, more, || set.clone())
        };
        let at_once = || {
            let lanes = || self.wave_set(WaveOp::ActiveLanes, &[]);
            let mut set = match self.target.lacks(Class::Match, ty) {
                true => self.waterfall(&[value], &[Ty::I32; 4], lanes),
                false => self.wave_set(WaveOp::Match, &[value]),
            };
            set.truncate(words);
            set
        };
        let mut set = self.either(is_few, by_bits, at_once);
        set.extend((words..4).map(|_| self.word(0)));
        set
    }

    /// The lanes of a set that agree with this lane in the lowest bits of `rest`, as many as a step takes; and the
    /// other bits. Where no bit is left, all agree.
    fn agreeing(&self, value: Value, mut set: Values, mut rest: Value) -> (Values, Value) {
        for _ in 0..MOST_BITS / 2 {
            let bit = self.op2(Binary::And, rest, self.op2(Binary::Sub, self.word(0), rest));
            let own = self.test(Compare::Ne, self.op2(Binary::And, value, bit), self.word(0));
            let lanes = self.wave_set(WaveOp::Ballot, &[own]);
            for (word, lanes) in set.iter_mut().zip(lanes) {
                let same = self.choose(own, lanes, self.op1(Unary::Not, lanes));
                *word = self.op2(Binary::And, *word, same);
            }
            rest = self.op2(Binary::Xor, rest, bit);
        }
        (set, rest)
    }

    /// Whether an operation on masked lanes must become one on active lanes: if it expands to several operations, each
    /// would become a loop.
    pub(crate) fn names_apart(&self, op: WaveOp, ty: Ty) -> bool {
        let lacks = |(class, ty): (Class, Ty)| {
            !matches!(class, Class::Fold | Class::FoldExtremum) && self.target.lacks(class, ty)
        };
        lacks((Class::NamedLanes, ty))
            || self.is_folded_twice(op, ty)
            || asks_wave(op, ty).into_iter().flatten().any(lacks)
    }

    fn read(&self, value: Value, lane: Value) -> Values {
        self.wave_op(WaveOp::ReadLaneAt, &[value, lane], &[self.ty(value)])
    }

    /// The four bits of this lane's quad in a ballot.
    fn quad_bits(&self, truth: Value) -> Value {
        let words = self.wave_set(WaveOp::Ballot, &[truth]);
        let lane = self.wave_word(WaveOp::LaneIndex, &[]);
        let first = self.with(Binary::And, lane, 28);
        let shifted = self.op2(Binary::Shr(Unsigned), self.word_of(&words, lane), first);
        self.with(Binary::And, shifted, 15)
    }

    /// The word of a set that holds a lane.
    fn word_of(&self, words: &[Value], lane: Value) -> Value {
        let mut word = words[3];
        for (index, lower) in words[..3].iter().enumerate().rev() {
            let limit = self.word(32 * (index as u32 + 1));
            let is_lower = self.test(Compare::Lt(Unsigned), lane, limit);
            word = self.choose(is_lower, *lower, word);
        }
        word
    }

    /// The bit of a lane in a set.
    pub(crate) fn bit_of(&self, words: &[Value], lane: Value) -> Value {
        let count = self.with(Binary::And, lane, 31);
        let shifted = self.op2(Binary::Shr(Unsigned), self.word_of(words, lane), count);
        self.with(Binary::And, shifted, 1)
    }

    /// The integer whose equality is the equality of bits.
    fn key(&self, value: Value) -> Value {
        match self.ty(value) {
            Ty::Bool => self.choose(value, self.word(1), self.word(0)),
            ty => self.bits(value, ty),
        }
    }

    /// Lanes that name the same set and are in it run `body` together. The others get zeros.
    pub(crate) fn among_named(
        &self,
        mask: Value,
        types: &[Ty],
        body: impl FnOnce() -> Values,
    ) -> Values {
        self.among_named_or(self.constant(Ty::Bool, 0), mask, types, body)
    }

    /// The same, where `also` are lanes that run `body` with those that name the same set, without being in it.
    pub(crate) fn among_named_or(
        &self,
        also: Value,
        mask: Value,
        types: &[Ty],
        body: impl FnOnce() -> Values,
    ) -> Values {
        let lane = self.wave_word(WaveOp::LaneIndex, &[]);
        // A mask has 32 bits, so it never contains lanes beyond 31.
        let count = self.with(Binary::And, lane, 31);
        let bit = self.with(Binary::And, self.op2(Binary::Shr(Unsigned), mask, count), 1);
        let within = self.test(Compare::Lt(Unsigned), lane, self.word(32));
        let named = self.both(self.test(Compare::Ne, bit, self.word(0)), within);
        let named = match self.known(also) {
            Some(0) => named,
            _ => self.op2(Binary::Or, named, also),
        };
        self.waterfall(&[mask], types, || {
            self.either(named, body, || types.iter().map(|ty| self.constant(*ty, 0)).collect())
        })
    }

    /// A waterfall loop: runs `body` once for each combination of values, with the lanes that hold these bits; it
    /// returns values of `types`.
    ///
    /// A lane that was served leaves at the head of the next iteration, with its results among the parameters there:
    /// some drivers keep values computed in a loop in one register for all lanes, and would overwrite them in later
    /// iterations, after the lane has left.
    pub(crate) fn waterfall(
        &self,
        keys: &[Value],
        types: &[Ty],
        body: impl FnOnce() -> Values,
    ) -> Values {
        let zeros: Values = types.iter().map(|ty| self.constant(*ty, 0)).collect();
        let no = self.word(0);
        let inits: Values = std::iter::once(no).chain(zeros).collect();
        let held: Vec<Ty> = inits.iter().map(|it| self.ty(*it)).collect();
        let new = self.construct_begins();
        let (_, params) = self.open(&held);
        let (served, old) = (params[0], &params[1..]);
        let is_served = self.test(Compare::Ne, served, no);
        self.leave_if(is_served, new, old);
        let like = keys.iter().map(|key| {
            let first = self.wave_op(WaveOp::ReadLaneFirst, &[*key], &[self.ty(*key)])[0];
            self.test(Compare::Eq, *key, first)
        });
        let like = like.reduce(|a, b| self.both(a, b));
        let like = like.unwrap_or_else(|| unreachable!("a waterfall has a key"));
        let results = self.either(like, body, || old.iter().copied().collect());
        let served = self.choose(like, self.word(1), no);
        let next: Values = std::iter::once(served).chain(results).collect();
        let body = self.close_with(&next);
        self.construct_ends(new, Op::Loop { body, inits }, types)
    }

    /// The result types of an operation.
    pub(crate) fn result_types(&self, op: WaveOp, ty: Ty) -> Vec<Ty> {
        let (ty, count) = match op.signature().results {
            Results::Bool => (Ty::Bool, 1),
            Results::Word => (Ty::I32, 1),
            Results::Lanes => (Ty::I32, 4),
            Results::Value => (self.held(ty), 1),
        };
        vec![ty; count]
    }
}
