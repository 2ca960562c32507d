//! Waterfall loops over first lanes as one match: a loop in which the lanes that hold the same word as the first lane
//! are served and leave, until no lane is left. All sets of equal lanes are known from one `WaveMatch`; then each lane
//! does what it would have done in its iteration, at once with the others.
//!
//! The difference cannot be observed under these conditions:
//! - *Every lane is served once, with those that hold the same word.* Followed with the values that the loop begins
//!   with, a lane that differs from the first comes back to these values, without an effect; a lane that does not
//!   differ leaves, at once or before it sees lanes in the next iteration.
//! - *The order of iterations is not seen.* Lanes that are served do arithmetic, and atomic operations whose order does
//!   not matter and whose results are unused. They see of other lanes only what follows from the set: its first lane,
//!   how many lanes it has, which these are.
//!
//! Deliberately absent: keys that change in the loop, keys of several words, keys of floats (which may be equal to
//! none), loads and stores in the loop.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use ir::flow::Structure;
use ir::{Inst, Module, Op, Region, Value, Values};
use ops::wave::Sees;
use ops::{Binary, Compare, Fold, Relation, Ty, Unary, WaveOp};

use crate::target::Target;
use crate::writer::Writer;

/// The most instructions of a loop that is examined.
const MOST_INSTS: usize = 256;

/// What is known while loops are replaced.
pub(crate) struct Waterfalls {
    loops: BTreeMap<Inst, Waterfall>,
    /// The words of a set that can have a bit.
    words: usize,
    serving: RefCell<Option<Serving>>,
}

/// A loop that is replaced.
struct Waterfall {
    key: Value,
    /// What a lane does when it is served, in order.
    steps: Vec<Step>,
    /// The results of the loop.
    results: Vec<Held>,
}

enum Step {
    Does(Inst),
    Is(Value, Held),
}

/// A value where the loop was.
#[derive(Clone, Copy)]
enum Held {
    Known(u64),
    Same(Value),
}

/// The set of a lane, while the code that serves it is written.
struct Serving {
    /// The value of the source that the lanes of the set have in common.
    key: Value,
    set: Values,
    count: Value,
    is_first: Value,
}

/// The new module, for waves of a width. `None` if there is no such loop.
pub fn matched(module: &Module, width: u32) -> Option<Module> {
    let is_loop = |it: &Inst| matches!(module.inst(*it).op, Op::Loop { .. });
    let reads_first = |it: &Op| matches!(it, Op::Wave { op: WaveOp::ReadLaneFirst, .. });
    if !module.insts.iter().any(|it| reads_first(&it.op)) {
        return None;
    }
    let module = &*ir::notes::without(module);
    let used = ir::flow::used(module);
    let insts = Structure::of(module).insts().filter(is_loop).collect::<Vec<_>>();
    let found = insts.into_iter().filter_map(|it| Some((it, waterfall(module, &used, it)?)));
    let loops: BTreeMap<Inst, Waterfall> = found.collect();
    if loops.is_empty() {
        return None;
    }
    let target = Target::everything();
    let mut writer = Writer::new(module, &target);
    let words = width.div_ceil(32).max(1) as usize;
    writer.waterfalls = Some(Waterfalls { loops, words, serving: RefCell::default() });
    writer.list(module.body);
    let mut new = writer.finish();
    // The first lane's word, which is the lane's own.
    ir::simplify::prune(&mut new);
    Some(new)
}

/// A loop over first lanes, if all conditions hold.
fn waterfall(module: &Module, used: &[bool], inst: Inst) -> Option<Waterfall> {
    let Op::Loop { body, inits } = &module.inst(inst).op else { return None };
    let inner = values_of(module, *body)?;
    let (like, key) = module.region(*body).insts.iter().find_map(|it| {
        let Op::Compare(Compare::Eq, a, b) = module.inst(*it).op else { return None };
        let result = module.inst(*it).results[0];
        let first_of = |first: Value, key: Value| {
            let is_first = matches!(module.op_of(first),
                Some(Op::Wave { op: WaveOp::ReadLaneFirst, args, lanes: None }) if args[0] == key);
            let is_fixed = !inner.contains(&key) && module.ty(key).is_int();
            (is_first && is_fixed && inner.contains(&first)).then_some((result, key))
        };
        first_of(a, b).or_else(|| first_of(b, a))
    })?;
    let begins: Vec<u64> =
        inits.iter().map(|it| module.constant(*it)).collect::<Option<Vec<u64>>>()?;
    let follow = |params: &[u64], is_like: Option<bool>| {
        let mut walk = Walk::new(module, used, inst, like, key);
        let names = &module.region(*body).params;
        walk.known.extend(names.iter().copied().zip(params.iter().copied()));
        walk.known.extend(is_like.map(|it| (like, it.into())));
        let end = walk.region(*body, false)?;
        Some((walk, end))
    };
    // A lane that differs from the first.
    let (others, end) = follow(&begins, Some(false))?;
    let stays =
        |args: &[Value]| args.iter().zip(&begins).all(|(it, was)| others.bits(*it) == Some(*was));
    let goes_on = matches!(end, End::Yield(ref args) if stays(args));
    if !goes_on || others.acts {
        return None;
    }
    // One that does not.
    let (served, end) = follow(&begins, Some(true))?;
    let held = |walk: &Walk<'_>, it: &Value| match walk.bits(*it) {
        Some(bits) => Held::Known(bits),
        None => Held::Same(*it),
    };
    let results = match end {
        End::Exit(args) => args.iter().map(|it| held(&served, it)).collect(),
        End::Yield(args) => {
            let next = args.iter().map(|it| served.bits(*it)).collect::<Option<Vec<u64>>>()?;
            let (leaving, end) = follow(&next, None)?;
            let End::Exit(args) = end else { return None };
            let result = |it: &Value| match held(&leaving, it) {
                Held::Same(value) if inner.contains(&value) => None,
                held => Some(held),
            };
            if leaving.acts || leaving.sees {
                return None;
            }
            args.iter().map(result).collect::<Option<Vec<Held>>>()?
        }
    };
    Some(Waterfall { key, steps: served.steps, results })
}

/// The parameters and results of a region and of those nested in it; `None` if they are many.
fn values_of(module: &Module, region: Region) -> Option<BTreeSet<Value>> {
    let (mut values, mut open, mut count) = (BTreeSet::new(), vec![region], 0);
    while let Some(region) = open.pop() {
        let data = module.region(region);
        values.extend(&data.params);
        for inst in &data.insts {
            count += 1;
            values.extend(&module.inst(*inst).results);
            open.extend(module.inst(*inst).op.regions());
        }
    }
    (count <= MOST_INSTS).then_some(values)
}

/// The place that a lane reaches.
enum End {
    /// The end of the region.
    Yield(Values),
    /// The end of the loop.
    Exit(Values),
}

/// The path of a lane through an iteration, as far as known values decide it.
struct Walk<'a> {
    module: &'a Module,
    used: &'a [bool],
    within: Inst,
    like: Value,
    key: Value,
    known: BTreeMap<Value, u64>,
    steps: Vec<Step>,
    /// Whether anything on the way has an effect, or depends on other lanes.
    acts: bool,
    sees: bool,
}

impl<'a> Walk<'a> {
    fn new(module: &'a Module, used: &'a [bool], within: Inst, like: Value, key: Value) -> Self {
        let (known, steps) = (BTreeMap::new(), Vec::new());
        Walk { module, used, within, like, key, known, steps, acts: false, sees: false }
    }

    fn bits(&self, value: Value) -> Option<u64> {
        self.module.constant(value).or_else(|| self.known.get(&value).copied())
    }

    /// Follows a region; `is_set` if its lanes are those that are served together. `None` if a condition does not hold.
    fn region(&mut self, region: Region, is_set: bool) -> Option<End> {
        let module = self.module;
        for inst in &module.region(region).insts {
            let data = module.inst(*inst);
            match &data.op {
                Op::Yield(args) => return Some(End::Yield(args.clone())),
                Op::Exit { to, args } if *to == self.within => {
                    return Some(End::Exit(args.clone()));
                }
                Op::If { cond, then, else_ } => match self.bits(*cond) {
                    Some(bits) => {
                        let is_set = is_set || *cond == self.like;
                        let arm = if bits & 1 == 1 { *then } else { *else_ };
                        match self.region(arm, is_set)? {
                            End::Yield(args) => self.is_each(&data.results, &args),
                            exit @ End::Exit(_) => return Some(exit),
                        }
                    }
                    None if self.is_contained(*then) && self.is_contained(*else_) => {
                        self.steps.push(Step::Does(*inst));
                    }
                    None => return None,
                },
                _ => self.step(*inst, is_set)?,
            }
        }
        unreachable!("the verifier has checked that a region ends in a terminator")
    }

    /// The results of a construct, by the values that the lane carries to its end.
    fn is_each(&mut self, results: &[Value], values: &[Value]) {
        for (result, value) in results.iter().zip(values) {
            match self.bits(*value) {
                Some(bits) => self.is_known(*result, bits),
                None => self.steps.push(Step::Is(*result, Held::Same(*value))),
            }
        }
    }

    fn is_known(&mut self, value: Value, bits: u64) {
        self.known.insert(value, bits);
        self.steps.push(Step::Is(value, Held::Known(bits)));
    }

    /// Whether a region under an unknown condition reaches its end, and neither observes lanes nor does anything
    /// observable.
    fn is_contained(&mut self, region: Region) -> bool {
        let module = self.module;
        module.region(region).insts.iter().all(|inst| match &module.inst(*inst).op {
            Op::Yield(_) => true,
            Op::If { then, else_, .. } => self.is_contained(*then) && self.is_contained(*else_),
            op if op.is_pure() => true,
            _ => self.is_silent(*inst),
        })
    }

    /// Whether an instruction is an atomic operation whose place among others of its kind is not seen.
    fn is_silent(&mut self, inst: Inst) -> bool {
        let data = self.module.inst(inst);
        let (Op::Atomic { op, args, .. } | Op::SharedAtomic { op, args, .. }) = &data.op else {
            return false;
        };
        self.acts = true;
        op.fold().is_some()
            && !self.module.ty(args[0]).is_float()
            && data.results.iter().all(|it| !self.used[it.index()])
    }

    fn step(&mut self, inst: Inst, is_set: bool) -> Option<()> {
        let data = self.module.inst(inst);
        if let Op::Wave { op, args, lanes } = &data.op
            && op.facts().sees != Sees::Nothing
        {
            self.sees = true;
            if lanes.is_some() || !self.follows_from_set(*op, args, is_set) {
                return None;
            }
        } else if data.op.is_pure() {
            let of_like = (data.results[..] == [self.like]).then(|| self.bits(self.like));
            let bits = of_like
                .unwrap_or_else(|| ir::eval::eval(self.module, &data.op, |it| self.bits(it)));
            if let Some(bits) = bits {
                self.is_known(data.results[0], bits);
                return Some(());
            }
        } else if !self.is_silent(inst) {
            return None;
        }
        self.steps.push(Step::Does(inst));
        Some(())
    }

    /// Whether the result of a wave operation follows from the set of lanes that hold the same word. If the active
    /// lanes are more than that, it must be the same as among the set.
    fn follows_from_set(&self, op: WaveOp, args: &[Value], is_set: bool) -> bool {
        let is_of_set = |it: Value| it == self.like || is_set && self.bits(it) == Some(1);
        match op {
            WaveOp::ReadLaneFirst => args[0] == self.key,
            WaveOp::IsFirstLane => true,
            WaveOp::ActiveLanes => is_set,
            WaveOp::CountBits | WaveOp::PrefixCountBits | WaveOp::Ballot => is_of_set(args[0]),
            WaveOp::Reduce(Fold::Sum) => {
                is_set && self.module.ty(args[0]) == Ty::I32 && self.bits(args[0]).is_some()
            }
            _ => false,
        }
    }
}

impl Writer<'_> {
    /// Replaces a loop over first lanes, or what a lane sees of others while it is served. Returns whether it has.
    pub(crate) fn serves(&self, inst: Inst) -> bool {
        let Some(waterfalls) = &self.waterfalls else { return false };
        let data = self.source.inst(inst);
        if let Some(waterfall) = waterfalls.loops.get(&inst) {
            self.at_once(waterfalls, waterfall, &data.results);
            return true;
        }
        let serving = waterfalls.serving.borrow();
        let (Some(serving), Op::Wave { op, args, .. }) = (&*serving, &data.op) else {
            return false;
        };
        let result = match op {
            WaveOp::ReadLaneFirst => self.get(serving.key),
            WaveOp::IsFirstLane => serving.is_first,
            WaveOp::CountBits => serving.count,
            WaveOp::PrefixCountBits => self.count_of(&self.lower(&serving.set)),
            WaveOp::Reduce(Fold::Sum) => self.op2(Binary::Mul, serving.count, self.get(args[0])),
            WaveOp::ActiveLanes | WaveOp::Ballot => {
                let words = serving.set.iter().copied();
                let words = words.chain(std::iter::repeat_with(|| self.word(0)));
                data.results.iter().zip(words).for_each(|(result, word)| self.set(*result, word));
                return true;
            }
            _ => return false,
        };
        self.set(data.results[0], result);
        true
    }

    fn at_once(&self, waterfalls: &Waterfalls, waterfall: &Waterfall, results: &[Value]) {
        let mut set = self.wave_op(WaveOp::Match, &[self.get(waterfall.key)], &[Ty::I32; 4]);
        set.truncate(waterfalls.words);
        let lower = self.lower(&set).into_iter().reduce(|a, b| self.op2(Binary::Or, a, b));
        let lower = lower.unwrap_or_else(|| unreachable!("a set has a word"));
        let is_first = self.test(Compare::Eq, lower, self.word(0));
        let count = self.count_of(&set);
        let Waterfall { key, steps, .. } = waterfall;
        *waterfalls.serving.borrow_mut() = Some(Serving { key: *key, set, count, is_first });
        for step in steps {
            match step {
                Step::Does(inst) => self.inst(*inst),
                Step::Is(value, held) => self.set(*value, self.now(*held, *value)),
            }
        }
        for (result, held) in results.iter().zip(&waterfall.results) {
            self.set(*result, self.now(*held, *result));
        }
        *waterfalls.serving.borrow_mut() = None;
    }

    /// A value where the loop was, for a value of the source of the same type.
    fn now(&self, held: Held, like: Value) -> Value {
        match held {
            Held::Known(bits) => self.constant(self.source.ty(like), bits),
            Held::Same(value) => self.get(value),
        }
    }

    /// The lanes of a set that are below this one.
    fn lower(&self, set: &[Value]) -> Values {
        let below = WaveOp::LaneRelation(Relation::Less);
        let below = self.wave_op(below, &[], &[Ty::I32; 4]);
        set.iter().zip(below).map(|(word, below)| self.op2(Binary::And, *word, below)).collect()
    }

    fn count_of(&self, set: &[Value]) -> Value {
        let counts = set.iter().map(|it| self.op1(Unary::CountBits, *it));
        let count = counts.reduce(|a, b| self.op2(Binary::Add, a, b));
        count.unwrap_or_else(|| unreachable!("a set has a word"))
    }
}
