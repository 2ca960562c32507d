//! Counting by matching, disaggregated: lanes that look for others with the same key, and let one of them add their
//! number, become lanes that each add 1.
//!
//! On a GPU, few additions are better than many. On a processor each thread has a private copy of the counters, to
//! which a lane adds faster than lanes can be compared. Two forms are recognised:
//!
//! - `WaveMatch`: the lowest lane of each set adds the number of its lanes;
//! - the loop over first lanes, which is a `WaveMatch` once it is served at once (`waterfalls.rs`).
//!
//! Both add as much in total, for each key, as its lanes adding 1 each. So the difference is unobservable if nothing
//! else is done with the counters, and no addition's result is used: whether they happen early or late, in what order
//! and in what portions, cannot be seen.
//!
//! Deliberately absent: sets that are used for something else besides. Their lanes are compared in any case.

use std::cell::Cell;

use ir::flow::yielded;
use ir::rewrite::rewrite;
use ir::{Address, Atomic, Inst, Module, Op, Place, Region, Value, ValueDef, Values};
use ops::{Binary, Compare, Relation, Ternary, Ty, Unary, WaveOp};

use crate::additions::is_only_added;
use crate::sweep::sweep;
use crate::waterfalls::matched;

/// The module with each lane counting for itself, for waves of a width. `None` if it does not count by matching.
pub fn disaggregated(module: &Module, width: u32) -> Option<Module> {
    // Helper lanes may be counted, but do not add.
    if module.io.is_some() {
        return None;
    }
    if let Some(served) = matched(module, width) {
        let found = found(&served, width);
        let alone = alone(served, &found);
        // Otherwise a loop over the sets, which are often few, is better than comparing all lanes.
        if matches(&alone) <= matches(module) {
            return Some(alone);
        }
    }
    let found = found(module, width);
    (!found.is_empty()).then(|| alone(module.clone(), &found))
}

fn matches(module: &Module) -> usize {
    let is_match = |op: &Op| matches!(op, Op::Wave { op: WaveOp::Match, .. });
    module.insts.iter().filter(|it| is_match(&it.op)).count()
}

fn found(module: &Module, width: u32) -> Vec<Found> {
    if matches(module) == 0 {
        return Vec::new();
    }
    let used = ir::flow::used(module);
    Counting { module, used, words: width.div_ceil(32), tried: Cell::new(0) }.found()
}

/// The module with an addition of 1 in place of each that was found, and without what only they needed.
fn alone(mut module: Module, found: &[Found]) -> Module {
    rewrite(&mut module, |to, _, inst| {
        let Some(it) = found.iter().find(|it| it.replaced == inst) else { return to.keep(inst) };
        it.kept.iter().for_each(|it| to.keep(*it));
        let (offset, one) = (to.constant(Ty::I32, it.offset), to.constant(Ty::I32, 1));
        let at = Address::Structured { index: it.index, offset };
        let args = Values::from_slice(&[one]);
        to.inst(Op::Atomic { place: it.place, at, op: Atomic::Add, args }, &[Ty::I32]);
    });
    // What compared the lanes, and chose the lowest.
    sweep(&mut module, is_idle);
    module
}

/// Whether an instruction is a wave operation, or an `if` with no effect. Loops stay, since they might not end.
fn is_idle(module: &Module, inst: Inst) -> bool {
    let does_nothing = |region: Region| {
        module.region(region).insts.iter().all(|it| {
            let op = &module.inst(*it).op;
            op.is_pure() || matches!(op, Op::Yield(_)) || is_idle(module, *it)
        })
    };
    match module.inst(inst).op {
        Op::Wave { .. } => true,
        Op::If { then, else_, .. } => does_nothing(then) && does_nothing(else_),
        _ => false,
    }
}

/// The most words of masks in one expression.
const MOST_WORDS: usize = 8;

/// What becomes an addition of 1.
struct Found {
    /// An `if` without results.
    replaced: Inst,
    /// What was in it and computes the index.
    kept: Vec<Inst>,
    place: Place,
    index: Value,
    offset: u64,
}

/// An addition whose result is not used, to counters that are only added to.
struct Addition {
    place: Place,
    index: Value,
    offset: u64,
    count: Value,
}

struct Counting<'m> {
    module: &'m Module,
    /// The values that are used.
    used: Vec<bool>,
    /// The words of a mask that may have bits.
    words: u32,
    /// How many candidates were examined closely, each of which may take a walk over the whole module.
    tried: Cell<u32>,
}

impl Counting<'_> {
    /// Whether there have not been too many candidates.
    fn tries(&self) -> bool {
        const MOST: u32 = 64;
        self.tried.set(self.tried.get() + 1);
        self.tried.get() <= MOST
    }

    fn found(&self) -> Vec<Found> {
        let structure = ir::flow::Structure::of(self.module);
        structure
            .insts()
            .filter(|it| self.module.inst(*it).results.is_empty())
            .filter_map(|it| self.counted(it, structure.region(it)))
            .collect()
    }

    fn op(&self, inst: Inst) -> &Op {
        &self.module.inst(inst).op
    }

    fn insts(&self, region: Region) -> &[Inst] {
        &self.module.region(region).insts
    }

    /// The instruction that computes a value, and the number of its result.
    fn definition(&self, value: Value) -> Option<(&Op, u32)> {
        match self.module.values[value.index()].def {
            ValueDef::Result(inst, number) => Some((self.op(inst), number)),
            ValueDef::Param(..) => None,
        }
    }

    fn addition(&self, inst: Inst) -> Option<Addition> {
        // Only additions of words, without an element, are made to counters that are only added to.
        let Op::Atomic { place, at: Address::Structured { index, offset }, args, .. } =
            self.op(inst)
        else {
            return None;
        };
        let offset = self.module.constant(*offset)?;
        let is_counter = is_only_added(self.module, &self.used, place.binding);
        is_counter.then_some(Addition { place: *place, index: *index, offset, count: args[0] })
    }

    /// The only instruction in a region with an effect, and the pure ones; its yield has no operands.
    fn only_effect(&self, region: Region) -> Option<(Inst, Vec<Inst>)> {
        let (last, rest) = self.insts(region).split_last()?;
        let ends = matches!(self.op(*last), Op::Yield(args) if args.is_empty());
        let (pure, effects): (Vec<Inst>, Vec<Inst>) =
            rest.iter().partition(|it| self.op(**it).is_pure());
        match effects[..] {
            [effect] if ends => Some((effect, pure)),
            _ => None,
        }
    }

    fn does_nothing(&self, region: Region) -> bool {
        yielded(self.module, region).is_some() && self.insts(region).len() == 1
    }

    /// `if (this is the lowest lane of the set) InterlockedAdd(…, lanes of the set)`.
    fn counted(&self, inst: Inst, region: Region) -> Option<Found> {
        let Op::If { cond, then, else_ } = *self.op(inst) else { return None };
        let matching = self.leads(cond).filter(|_| self.tries())?;
        let Op::Wave { args: keys, .. } = self.op(matching) else { return None };
        // The same lanes are active at both, since none has left between.
        let between = self.insts(region);
        let from = between.iter().position(|it| *it == matching)?;
        let to = between.iter().position(|it| *it == inst)?;
        let is_straight = between[from..to].iter().all(|it| !self.may_leave(*it));
        let (effect, kept) = self.only_effect(then).filter(|_| self.does_nothing(else_))?;
        let it = self.addition(effect)?;
        let is_sum = self.counts(it.count, matching);
        // Floats may be equal without having the same bits.
        let are_exact = keys.iter().all(|it| !self.module.ty(*it).is_float());
        let is_of_key = self.depends_only_on(it.index, keys);
        (is_straight && is_sum && are_exact && is_of_key).then_some(Found {
            replaced: inst,
            kept,
            place: it.place,
            index: it.index,
            offset: it.offset,
        })
    }

    /// Whether lanes may leave or become helpers inside.
    fn may_leave(&self, inst: Inst) -> bool {
        let op = self.op(inst);
        let inside = |region: Region| self.insts(region).iter().any(|it| self.may_leave(*it));
        matches!(op, Op::Exit { .. } | Op::Return | Op::Discard)
            || op.regions().into_iter().any(inside)
    }

    /// The `WaveMatch` of which the condition chooses the lowest lane: by its number, or since none is lower.
    fn leads(&self, cond: Value) -> Option<Inst> {
        let (Op::Compare(Compare::Eq, a, b), _) = self.definition(cond)? else { return None };
        if self.module.constant(*b) == Some(0)
            && let Some(found) = self.lower(*a)
        {
            return Some(found);
        }
        let is_lane = |it: Value| {
            let lane = self.definition(it);
            matches!(lane, Some((Op::Wave { op: WaveOp::LaneIndex, .. }, _)))
        };
        match (is_lane(*a), is_lane(*b)) {
            (true, _) => self.lowest(*b, 0),
            (_, true) => self.lowest(*a, 0),
            _ => None,
        }
    }

    /// The `WaveMatch` of which a value has a bit if and only if one of its lanes is below this one.
    fn lower(&self, value: Value) -> Option<Inst> {
        let (mut open, mut seen, mut found) = (vec![value], [false; 4], None);
        while let Some(value) = open.pop() {
            match self.definition(value)? {
                (Op::Binary(Binary::Or, a, b), _) if open.len() < MOST_WORDS => {
                    open.extend([*a, *b]);
                }
                (Op::Binary(Binary::And, a, b), _) => {
                    let (inst, word) = self.word(*a)?;
                    if !self.is_below(*b, word) || *found.get_or_insert(inst) != inst {
                        return None;
                    }
                    seen[word as usize] = true;
                }
                _ => return None,
            }
        }
        found.filter(|_| seen[..self.words as usize].iter().all(|it| *it))
    }

    /// Whether a value is a word of the mask of lanes below this one.
    fn is_below(&self, value: Value, word: u32) -> bool {
        let below = WaveOp::LaneRelation(Relation::Less);
        matches!(self.definition(value), Some((Op::Wave { op, .. }, of)) if *op == below && of == word)
    }

    /// The `WaveMatch` of which a value is the lowest lane in the words from this one on, if it has any there.
    fn lowest(&self, value: Value, word: u32) -> Option<Inst> {
        if word + 1 == self.words
            && let Some(found) = self.lowest_of_word(value, word)
        {
            return Some(found);
        }
        let (cond, yes, no) = self.choice(value)?;
        let found = self.lowest_of_word(yes, word)?;
        let is_word = |it: Value| self.word(it) == Some((found, word));
        let is_zero = |it: Value| self.module.constant(it) == Some(0);
        let tests = match self.definition(cond)?.0 {
            Op::Compare(Compare::Ne, a, b) => {
                is_word(*a) && is_zero(*b) || is_zero(*a) && is_word(*b)
            }
            Op::Unary(Unary::Convert { to: Ty::Bool, .. }, it) => is_word(*it),
            _ => false,
        };
        // The last word has bits if no other has.
        let goes_on = word + 1 >= self.words || self.lowest(no, word + 1) == Some(found);
        (tests && goes_on).then_some(found)
    }

    /// A condition, and the values if it is true and if not.
    fn choice(&self, value: Value) -> Option<(Value, Value, Value)> {
        match self.definition(value)? {
            (Op::Ternary(Ternary::Select, [cond, yes, no]), _) => Some((*cond, *yes, *no)),
            (Op::If { cond, then, else_ }, number) => {
                let at =
                    |region: Region| yielded(self.module, region)?.get(number as usize).copied();
                Some((*cond, at(*then)?, at(*else_)?))
            }
            _ => None,
        }
    }

    /// The lowest bit of a word of a mask, as a lane.
    fn lowest_of_word(&self, value: Value, word: u32) -> Option<Inst> {
        let bit = match self.definition(value)? {
            (Op::Binary(Binary::Add, a, b), _) if word > 0 => {
                let first = |it: Value| self.module.constant(it) == Some(u64::from(32 * word));
                if first(*a) { *b } else { Some(*a).filter(|_| first(*b))? }
            }
            _ if word == 0 => value,
            _ => return None,
        };
        let (Op::Unary(Unary::FirstBitLow, of), _) = self.definition(bit)? else { return None };
        self.word(*of).filter(|it| it.1 == word).map(|it| it.0)
    }

    /// The `WaveMatch` that gives a word, and the number of the word.
    fn word(&self, value: Value) -> Option<(Inst, u32)> {
        let ValueDef::Result(inst, number) = self.module.values[value.index()].def else {
            return None;
        };
        let is_match = matches!(self.op(inst), Op::Wave { op: WaveOp::Match, lanes: None, .. });
        is_match.then_some((inst, number))
    }

    /// Whether a value is the number of lanes in a set: each word that may have bits is counted once.
    fn counts(&self, value: Value, matching: Inst) -> bool {
        let (mut open, mut seen) = (vec![value], [0; 4]);
        while let Some(value) = open.pop() {
            match self.definition(value) {
                Some((Op::Binary(Binary::Add, a, b), _)) => open.extend([*a, *b]),
                Some((Op::Unary(Unary::CountBits, of), _)) => match self.word(*of) {
                    Some((inst, word)) if inst == matching => seen[word as usize] += 1,
                    _ => return false,
                },
                _ => return false,
            }
            if open.len() > MOST_WORDS {
                return false;
            }
        }
        seen[..self.words as usize].iter().all(|it| *it == 1)
    }

    fn depends_only_on(&self, value: Value, keys: &[Value]) -> bool {
        const MOST: usize = 64;
        let mut open = vec![value];
        for _ in 0..MOST {
            let Some(value) = open.pop() else { return true };
            if keys.contains(&value) {
                continue;
            }
            match self.definition(value) {
                Some((Op::Const { .. }, _)) => {}
                Some((op, _)) if op.is_elementwise() => open.extend(op.operands()),
                _ => return false,
            }
        }
        false
    }
}
