//! Trip counts: evaluates loops to find their number of iterations, where it is known before they run.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ops::WaveOp;

use crate::{Inst, Module, Op, Region, Value};

/// A loop with more iterations than this is not evaluated to its end.
const MOST_ROUNDS: usize = 64;
/// Nor is one that executes more instructions than this in all its iterations.
const MOST_INSTRUCTIONS: usize = 512;
/// Loops inside short ones are examined in each iteration of these, at most this often in a module.
const MOST_VISITS: usize = 4096;
/// Nor are arms nested more deeply than this.
const MOST_DEPTH: usize = 16;
/// A course is followed through this many instructions at most.
const MOST_FOLLOWED: usize = 8192;

/// A loop under evaluation, and the values known outside of it.
struct Loop<'a, F> {
    module: &'a Module,
    /// The lanes of a wave.
    width: u32,
    inside: HashSet<Value>,
    outside: &'a F,
    /// With a course, lanes may also leave under conditions that are unknown.
    course: Option<RefCell<Course>>,
}

/// What is known of the iterations of a loop before it runs, for the lanes that do not leave earlier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// For each iteration, the `if`s whose conditions are known, and the conditions. In the last iteration no lane
    /// reaches the end of the body: all that are left exit to the end of the loop.
    pub taken: Vec<Vec<(Inst, bool)>>,
    /// Whether lanes may leave under a condition that is unknown.
    pub leaves: bool,
    /// The number of instructions in the body, at any depth.
    pub size: usize,
    /// The number of examined instructions.
    pub work: usize,
}

/// How control leaves a region that is evaluated instruction by instruction.
enum Way {
    Yield(Vec<Option<u64>>),
    Exit(Inst),
    /// It depends on an unknown value.
    Open,
}

/// The trip count of the loop `inst`, if it follows from the values that `outside` knows, and if the loop is short.
pub fn rounds(
    module: &Module,
    width: u32,
    inst: Inst,
    outside: impl Fn(Value) -> Option<u64>,
) -> Option<usize> {
    states(module, width, inst, outside).map(|it| it.len())
}

/// The course of the loop `inst`, with at most `most` instructions examined; `None` if it does not follow from the
/// values that `outside` knows, or if that would be too much. The work is spent in either case.
pub fn course(
    module: &Module,
    width: u32,
    inst: Inst,
    most: usize,
    outside: impl Fn(Value) -> Option<u64>,
) -> (Option<Course>, usize) {
    let Op::Loop { body, inits } = &module.inst(inst).op else { return (None, 0) };
    let size = size_of(module, *body);
    let params = &module.region(*body).params;
    let mut values: Vec<Option<u64>> = inits.iter().map(|it| outside(*it)).collect();
    let course = Some(RefCell::new(Course { size, ..Course::default() }));
    let own = Loop { module, width, inside: defined_in(module, *body), outside: &outside, course };
    let mut work = size;
    // Without a known parameter, every iteration is like the first.
    let mut changes = true;
    while changes && work + size <= most.min(MOST_FOLLOWED) {
        work += size;
        let known = params.iter().zip(&values).filter_map(|(it, bits)| Some((*it, (*bits)?)));
        let mut known: HashMap<Value, u64> = known.collect();
        if let Some(course) = &own.course {
            course.borrow_mut().taken.push(Vec::new());
        }
        match own.walk(*body, &mut known, 0) {
            Way::Exit(to) if to == inst => {
                let course = own.course.map(RefCell::into_inner);
                return (course.map(|it| Course { work, ..it }), work);
            }
            Way::Exit(_) | Way::Open => return (None, work),
            Way::Yield(next) => {
                changes = values != next;
                values = next;
            }
        }
    }
    (None, work)
}

/// What is known of the parameters of a short loop, for each round.
fn states(
    module: &Module,
    width: u32,
    inst: Inst,
    outside: impl Fn(Value) -> Option<u64>,
) -> Option<Vec<Vec<Option<u64>>>> {
    let Op::Loop { body, inits } = &module.inst(inst).op else { return None };
    let size = size_of(module, *body);
    if size > MOST_INSTRUCTIONS {
        return None;
    }
    let params = &module.region(*body).params;
    let mut values: Vec<Option<u64>> = inits.iter().map(|it| outside(*it)).collect();
    let mut states = Vec::new();
    let inside = defined_in(module, *body);
    let own = Loop { module, width, inside, outside: &outside, course: None };
    for _ in 1..=MOST_ROUNDS.min(MOST_INSTRUCTIONS / size.max(1)) {
        let known = params.iter().zip(&values).filter_map(|(it, bits)| Some((*it, (*bits)?)));
        let mut known: HashMap<Value, u64> = known.collect();
        states.push(values);
        match own.walk(*body, &mut known, 0) {
            Way::Exit(to) if to == inst => return Some(states),
            Way::Exit(_) | Way::Open => return None,
            Way::Yield(next) => values = next,
        }
    }
    None
}

/// The result of an operation on known operands, in waves of a known width.
fn evaluated(
    module: &Module,
    width: u32,
    op: &Op,
    known: impl FnMut(Value) -> Option<u64>,
) -> Option<u64> {
    match op {
        Op::Wave { op: WaveOp::LaneCount, .. } => Some(u64::from(width)),
        op => crate::eval::eval(module, op, known),
    }
}

impl<F: Fn(Value) -> Option<u64>> Loop<'_, F> {
    fn of(&self, known: &HashMap<Value, u64>, value: &Value) -> Option<u64> {
        let outside = || (!self.inside.contains(value)).then(|| (self.outside)(*value)).flatten();
        known.get(value).copied().or_else(outside)
    }

    /// Notes the arm of an `if` whose condition is known.
    fn takes(&self, inst: Inst, cond: bool) {
        if let Some(course) = &self.course
            && let Some(taken) = course.borrow_mut().taken.last_mut()
        {
            taken.push((inst, cond));
        }
    }

    /// Notes that lanes may leave under an unknown condition. Returns whether the others can be followed further.
    fn may_leave(&self) -> bool {
        if let Some(course) = &self.course {
            course.borrow_mut().leaves = true;
        }
        self.course.is_some()
    }

    fn walk(&self, region: Region, known: &mut HashMap<Value, u64>, depth: usize) -> Way {
        if depth > MOST_DEPTH {
            return Way::Open;
        }
        for inst in &self.module.region(region).insts {
            let data = self.module.inst(*inst);
            let result =
                evaluated(self.module, self.width, &data.op, |value| self.of(known, &value));
            if let (Some(bits), [to]) = (result, &data.results[..]) {
                known.insert(*to, bits);
                continue;
            }
            match &data.op {
                Op::Yield(args) => {
                    return Way::Yield(args.iter().map(|it| self.of(known, it)).collect());
                }
                Op::Exit { to, .. } => return Way::Exit(*to),
                Op::Return => return Way::Open,
                Op::If { cond, then, else_ } => match self.of(known, cond) {
                    Some(bits) => {
                        self.takes(*inst, bits & 1 == 1);
                        let arm = if bits & 1 == 1 { then } else { else_ };
                        match self.walk(*arm, known, depth + 1) {
                            Way::Yield(values) => {
                                for (result, bits) in data.results.iter().zip(values) {
                                    bits.map(|bits| known.insert(*result, bits));
                                }
                            }
                            other => return other,
                        }
                    }
                    None if (leaves(self.module, *then) || leaves(self.module, *else_))
                        && !self.may_leave() =>
                    {
                        return Way::Open;
                    }
                    None => {}
                },
                Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. }
                    if leaves_beyond(self.module, *inst) && !self.may_leave() =>
                {
                    return Way::Open;
                }
                _ => {}
            }
        }
        Way::Open
    }
}

/// Whether lanes that enter the region may not reach its end.
pub fn leaves(module: &Module, region: Region) -> bool {
    has_exits(module, vec![region], Vec::new())
}

/// Whether lanes inside the construct may leave to beyond it.
pub fn leaves_beyond(module: &Module, inst: Inst) -> bool {
    has_exits(module, module.inst(inst).op.regions().to_vec(), vec![inst])
}

/// Whether the regions contain a return, or an exit to a construct that is neither in them nor one of `inside`.
fn has_exits(module: &Module, mut open: Vec<Region>, mut inside: Vec<Inst>) -> bool {
    let mut exits: Vec<Inst> = Vec::new();
    while let Some(region) = open.pop() {
        for inst in &module.region(region).insts {
            match &module.inst(*inst).op {
                Op::Return => return true,
                Op::Exit { to, .. } => exits.push(*to),
                op => {
                    let regions = op.regions();
                    if !regions.is_empty() {
                        inside.push(*inst);
                        open.extend(regions);
                    }
                }
            }
        }
    }
    exits.iter().any(|it| !inside.contains(it))
}

fn size_of(module: &Module, region: Region) -> usize {
    let mut open = vec![region];
    let mut size = 0;
    while let Some(region) = open.pop() {
        for inst in &module.region(region).insts {
            let op = &module.inst(*inst).op;
            size += usize::from(!matches!(op, Op::Note(_)));
            open.extend(op.regions());
        }
    }
    size
}

/// The values that an iteration defines: results of the previous iteration are invalid.
fn defined_in(module: &Module, region: Region) -> HashSet<Value> {
    let mut open = vec![region];
    let mut values = HashSet::new();
    while let Some(region) = open.pop() {
        let data = module.region(region);
        values.extend(&data.params);
        for inst in &data.insts {
            values.extend(&module.inst(*inst).results);
            open.extend(module.inst(*inst).op.regions());
        }
    }
    values
}

/// The loops whose number of rounds follows from constants and the width alone, in each round of the loops around them.
pub(crate) fn short_loops(module: &Module, width: u32) -> BTreeSet<Inst> {
    let known = vec![None; module.values.len()];
    let mut finder = Finder { module, width, known, is_short: BTreeMap::new(), visits: 0 };
    finder.region(module.body);
    finder.is_short.into_iter().filter(|(_, is_short)| *is_short).map(|(inst, _)| inst).collect()
}

/// Goes through a module in the order of the text, in which a value precedes its uses, and through short loops
/// iteration by iteration.
struct Finder<'a> {
    module: &'a Module,
    width: u32,
    known: Vec<Option<u64>>,
    is_short: BTreeMap<Inst, bool>,
    /// How many rounds have been gone through.
    visits: usize,
}

impl Finder<'_> {
    fn region(&mut self, region: Region) {
        let module = self.module;
        let mut open = vec![(region, 0)];
        while let Some((region, at)) = open.pop() {
            let Some(inst) = module.region(region).insts.get(at) else { continue };
            open.push((region, at + 1));
            let data = module.inst(*inst);
            let bits = evaluated(module, self.width, &data.op, |it| self.known[it.index()]);
            // What an earlier round has left there counts for nothing.
            data.results.iter().for_each(|it| self.known[it.index()] = None);
            if let (Some(bits), [to]) = (bits, &data.results[..]) {
                self.known[to.index()] = Some(bits);
            }
            let regions = data.op.regions();
            if let Op::Loop { body, .. } = data.op {
                let known = |it: Value| self.known[it.index()];
                let states = states(module, self.width, *inst, known);
                *self.is_short.entry(*inst).or_insert(true) &= states.is_some();
                if let Some(states) = states
                    && has_loops(module, body)
                    && self.visits + states.len() <= MOST_VISITS
                {
                    self.visits += states.len();
                    for state in states {
                        self.enter(body, &state);
                        self.region(body);
                    }
                    continue;
                }
                self.enter(body, &[]);
            }
            open.extend(regions.iter().rev().map(|it| (*it, 0)));
        }
    }

    /// Sets the parameters of a loop; those without a value are unknown.
    fn enter(&mut self, body: Region, state: &[Option<u64>]) {
        let states = state.iter().copied().chain(std::iter::repeat(None));
        for (param, bits) in self.module.region(body).params.iter().zip(states) {
            self.known[param.index()] = bits;
        }
    }
}

fn has_loops(module: &Module, region: Region) -> bool {
    let mut open = vec![region];
    while let Some(region) = open.pop() {
        for inst in &module.region(region).insts {
            let op = &module.inst(*inst).op;
            if matches!(op, Op::Loop { .. }) {
                return true;
            }
            open.extend(op.regions());
        }
    }
    false
}
