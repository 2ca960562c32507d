//! Loop unrolling, where the course of a loop is known before it runs ([`ir::rounds::course`]): how often the lanes
//! that do not leave earlier go round, and which conditions of the body hold in which iteration.
//!
//! Three forms, by the number of instructions that they make:
//! - *flat:* all iterations, one after another, if no lane leaves under an unknown condition;
//! - *block:* the same in a block, to whose end lanes leave;
//! - *partial:* a divisor of the number of iterations goes into one, so that the condition at the head is only tested
//!   in one of them. If nothing but arithmetic precedes that condition, it moves to the end (loop rotation), since it
//!   is known to hold at first.
//!
//! An iteration runs with the lanes that reached the end of the one before, in all three forms as in the loop; so the
//! active lanes are the same everywhere. In the copies, arithmetic on constants is folded with the definitions of
//! `ops`, and an `if` with a known condition becomes its arm.
//!
//! A loop that observes lanes and that lanes may leave under an unknown condition stays a loop: there, a vote ends the
//! iterations as soon as no lane is left.
//!
//! Deliberately absent: loops whose number of iterations depends on what is loaded.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use ir::rounds::{Course, course};
use ir::{Inst, Module, Op, Region, Value, Values};
use ops::{Binary, Ty, WaveOp};

use crate::target::Target;
use crate::writer::Writer;

/// The most instructions, before folding, that a loop without unknown exits becomes.
const MOST_FLAT: usize = 1024;
/// The same for other loops, whose code has branches anyway.
const MOST_OTHER: usize = 512;
/// The most iterations that become one.
const MOST_PARTS: usize = 16;
/// The most instructions that are added to a module.
const MOST_OF_ALL: usize = 4096;
/// The most instructions that are examined to find the courses of all loops.
const MOST_LOOKS: usize = 1 << 16;

/// What is known while loops are unrolled.
pub(crate) struct Unrolling {
    /// The lanes of a wave.
    width: u32,
    /// The numbers of instructions that may still be added, and examined.
    room: Cell<usize>,
    looks: Cell<usize>,
    /// Whether anything has been unrolled.
    changes: Cell<bool>,
    /// The number of unrolled loops around the current instruction.
    depth: Cell<u32>,
    /// `if`s whose conditions are known in the current copy.
    known: RefCell<BTreeMap<Inst, bool>>,
    /// The loops around the current instruction that become flat.
    flat: RefCell<Vec<Inst>>,
    /// The arguments of an exit to the innermost of them: what follows it is not copied.
    left: RefCell<Option<Values>>,
}

/// What becomes of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Flat,
    Block,
    /// This many iterations in one.
    Partial(usize),
}

/// The module with its loops unrolled, for waves of a width. `None` if no loop is.
pub fn unrolled(module: &Module, width: u32) -> Option<Module> {
    if !module.insts.iter().any(|it| matches!(it.op, Op::Loop { .. })) {
        return None;
    }
    let module = &*ir::notes::without(module);
    let target = Target::everything();
    let mut writer = Writer::new(module, &target);
    writer.unrolling = Some(Unrolling {
        width,
        room: Cell::new(MOST_OF_ALL),
        looks: Cell::new(MOST_LOOKS),
        changes: Cell::new(false),
        depth: Cell::new(0),
        known: RefCell::default(),
        flat: RefCell::default(),
        left: RefCell::default(),
    });
    writer.list(module.body);
    let changes = writer.unrolling.as_ref().is_some_and(|it| it.changes.get());
    changes.then(|| {
        let mut module = writer.finish();
        // Conditions that have become known are not needed any more.
        ir::simplify::prune(&mut module);
        module
    })
}

impl Writer<'_> {
    /// Whether the rest of the region is not copied, because no lane reaches it.
    pub(crate) fn is_cut_short(&self) -> bool {
        let Some(unrolling) = &self.unrolling else { return false };
        unrolling.left.borrow().is_some() || self.is_terminated()
    }

    /// Unrolls a loop, or folds an instruction in a copy. Returns whether it has.
    pub(crate) fn unrolls(&self, inst: Inst) -> bool {
        let Some(unrolling) = &self.unrolling else { return false };
        let data = self.source.inst(inst);
        if let Op::Loop { body, inits } = &data.op {
            return self.unroll(unrolling, inst, *body, inits);
        }
        let is_copied = unrolling.depth.get() > 0;
        match &data.op {
            Op::If { cond, then, else_ } if is_copied => {
                let decided = unrolling.known.borrow().get(&inst).copied();
                let known = || self.known(self.get(*cond)).map(|bits| bits & 1 == 1);
                let Some(yes) = decided.or_else(known) else { return false };
                if let Some(values) = self.inlined(if yes { *then } else { *else_ }) {
                    for (result, value) in data.results.iter().zip(values) {
                        self.set(*result, value);
                    }
                }
                true
            }
            Op::Exit { to, args } if unrolling.flat.borrow().contains(to) => {
                *unrolling.left.borrow_mut() = Some(self.get_all(args));
                true
            }
            Op::Wave { op: WaveOp::LaneCount, .. } => {
                self.set(data.results[0], self.word(unrolling.width));
                true
            }
            Op::Const { .. } if !is_copied => false,
            op => {
                let known = ir::eval::eval(self.source, op, |it| self.known(self.get(it)));
                let known = known.map(|bits| self.constant(self.source.ty(data.results[0]), bits));
                let Some(value) = known.or_else(|| self.counted_on(op)) else { return false };
                self.set(data.results[0], value);
                true
            }
        }
    }

    /// The sum of a constant and a sum with a constant, as one sum: the counters of copies do not depend on each other.
    fn counted_on(&self, op: &Op) -> Option<Value> {
        let Op::Binary(Binary::Add, a, b) = op else { return None };
        let ty = self.source.ty(*a);
        let more = self.known(self.get(*b)).filter(|_| ty.is_int())?;
        let Some(Op::Binary(Binary::Add, first, before)) = self.op_of(self.get(*a)) else {
            return None;
        };
        let sum = ops::scalar::eval_binary(Binary::Add, ty, self.known(before)?, more);
        Some(self.with(Binary::Add, first, sum))
    }

    /// Copies a region into the open one. Returns what it yields, if lanes reach its end.
    fn inlined(&self, region: Region) -> Option<Values> {
        for inst in &self.source.region(region).insts {
            if let Op::Yield(args) = &self.source.inst(*inst).op {
                return Some(self.get_all(args));
            }
            self.inst(*inst);
            if self.is_cut_short() {
                return None;
            }
        }
        unreachable!("the verifier has checked that a region ends in a terminator")
    }

    fn unroll(&self, unrolling: &Unrolling, inst: Inst, body: Region, inits: &[Value]) -> bool {
        let outside = |it: Value| self.known(self.get(it));
        let (course, work) =
            course(self.source, unrolling.width, inst, unrolling.looks.get(), outside);
        unrolling.looks.set(unrolling.looks.get().saturating_sub(work));
        let Some(course) = course else { return false };
        let Some((form, cost)) = form(&course, self.source.sees_lanes(body)) else { return false };
        let Some(room) = unrolling.room.get().checked_sub(cost) else { return false };
        unrolling.room.set(room);
        unrolling.changes.set(true);
        unrolling.depth.set(unrolling.depth.get() + 1);
        let results = &self.source.inst(inst).results;
        let inits = self.get_all(inits);
        match form {
            Form::Flat => {
                unrolling.flat.borrow_mut().push(inst);
                self.copies(body, inits, course.taken.len(), |_| {});
                unrolling.flat.borrow_mut().pop();
                let left = unrolling.left.borrow_mut().take();
                let left = left.unwrap_or_else(|| unreachable!("the course ends in an exit"));
                for (result, value) in results.iter().zip(left) {
                    self.set(*result, value);
                }
            }
            Form::Block => {
                let new = self.reserve(inst);
                self.open(&[]);
                self.copies(body, inits, course.taken.len(), |_| {});
                let body = self.close();
                self.fill(new, Op::Block { body }, results);
            }
            Form::Partial(parts) => {
                let params = &self.source.region(body).params;
                let types: Vec<Ty> = params.iter().map(|it| self.source.ty(*it)).collect();
                let new = self.reserve(inst);
                let (_, first) = self.open(&types);
                let head = self.head(&course, body);
                let rounds = course.taken.len() - usize::from(head.is_some());
                let conditions = conditions(&course.taken[..rounds], parts);
                let decide = |copy: usize| {
                    unrolling.known.borrow_mut().extend(&conditions[copy]);
                };
                let forget = || {
                    let mut known = unrolling.known.borrow_mut();
                    conditions.iter().flat_map(BTreeMap::keys).for_each(|it| {
                        known.remove(it);
                    });
                };
                let last = self.copies(body, first, parts, |copy| {
                    forget();
                    decide(copy);
                });
                forget();
                let body = match last {
                    Some(values) => self.tested(body, head, &values),
                    None => self.close(),
                };
                self.fill(new, Op::Loop { body, inits }, results);
            }
        }
        unrolling.depth.set(unrolling.depth.get() - 1);
        true
    }

    /// The condition at the head of a loop, if only arithmetic precedes it, and if it holds until the last iteration
    /// ends there.
    fn head(&self, course: &Course, body: Region) -> Option<Inst> {
        let insts = &self.source.region(body).insts;
        let op = |it: &Inst| &self.source.inst(*it).op;
        let head = *insts.iter().find(|it| !op(it).is_pure())?;
        let (last, before) = course.taken.split_last()?;
        let [(inst, ends)] = last[..] else { return None };
        let is_head = inst == head && matches!(op(&head), Op::If { .. });
        let holds = before.iter().all(|it| it.first() == Some(&(head, !ends)));
        (is_head && holds && !before.is_empty()).then_some(head)
    }

    /// Closes the body of a loop whose next iteration has these values, after the condition at its head.
    fn tested(&self, body: Region, head: Option<Inst>, values: &[Value]) -> Region {
        if let Some(head) = head {
            let data = self.source.region(body);
            for (param, value) in data.params.iter().zip(values) {
                self.set(*param, *value);
            }
            for inst in data.insts.iter().take_while(|it| **it != head).chain([&head]) {
                self.inst(*inst);
            }
            if self.is_cut_short() {
                return self.close();
            }
        }
        self.close_with(values)
    }

    /// Copies of an iteration, one after another. Returns what the last yields, if lanes reach its end.
    fn copies(
        &self,
        body: Region,
        first: Values,
        count: usize,
        before: impl Fn(usize),
    ) -> Option<Values> {
        let mut values = first;
        for copy in 0..count {
            before(copy);
            for (param, value) in self.source.region(body).params.iter().zip(values) {
                self.set(*param, value);
            }
            values = self.inlined(body)?;
        }
        Some(values)
    }
}

/// What becomes of a loop with this course, and the number of instructions before folding.
fn form(course: &Course, sees_lanes: bool) -> Option<(Form, usize)> {
    let all = course.taken.len();
    let size = course.size.max(1);
    if course.leaves && sees_lanes {
        return None;
    }
    if !course.leaves && all * size <= MOST_FLAT {
        return Some((Form::Flat, all * size));
    }
    if course.leaves && all * size <= MOST_OTHER {
        return Some((Form::Block, all * size));
    }
    // In the last iteration, no lane reaches the end.
    let whole = all - 1;
    let most = MOST_PARTS.min(MOST_OTHER / size);
    let parts = (2..=most).rev().find(|it| whole.is_multiple_of(*it))?;
    Some((Form::Partial(parts), parts * size))
}

/// For each of the iterations that become one, the `if`s whose conditions are known and the same each time.
fn conditions(rounds: &[Vec<(Inst, bool)>], parts: usize) -> Vec<BTreeMap<Inst, bool>> {
    let of = |copy: usize| {
        let mut rounds = rounds.iter().skip(copy).step_by(parts);
        let mut same: BTreeMap<Inst, bool> = rounds.next()?.iter().copied().collect();
        for taken in rounds {
            let taken: BTreeMap<Inst, bool> = taken.iter().copied().collect();
            same.retain(|inst, cond| taken.get(inst) == Some(cond));
        }
        Some(same)
    };
    (0..parts).map(|copy| of(copy).unwrap_or_default()).collect()
}
