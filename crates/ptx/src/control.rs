//! Control flow that observes lanes, by predication: all 32 threads of a warp walk through a collective construct
//! together, and a predicate says which of them are active.
//!
//! Invariant: all 32 threads execute each instruction emitted here, in the same order. Branches depend only on the
//! results of votes, which are the same in all threads, and no thread leaves the kernel except all 32 of its warp at
//! once. Ordinary branches ([`crate::natural`]) have one entry and one exit, and contain no `.sync`. So every `.sync`
//! is executed by exactly the threads that its mask names: all of them.
//!
//! The active set is the one that the IR defines, by induction over the structure. An arm of an `if` runs with the
//! lanes that selected it, and the `if` ends with those that reached the end of either arm. An iteration of a loop runs
//! with the lanes that reached the end of the body; a loop ends with those that exited to it. A group of a `switch`
//! runs with the lanes that selected it and those that fell through. An exit moves its lanes from the active set into
//! the set of lanes that have left to one construct, and touches no other predicate: the sets around it are rebuilt
//! from their parts.
//!
//! Arithmetic is executed in all threads; memory is accessed, and values of enclosing constructs are assigned, under
//! the predicate. An inactive thread's temporaries are garbage, which no active lane reads, because operations that
//! read other lanes test the set.

use std::collections::BTreeMap;

use ir::{Case, Inst, Op, Region, Value};
use ops::Ty;
use ops::scalar::Family;

use crate::CannotEmit;
use crate::emit::Emitter;
use crate::text::{Class, Label, Operand, Reg, put, put_if};
use legalize::constructs::{Shared, Touched, touched};

/// The lanes that execute an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// All threads of the warp.
    All,
    /// Those for which the predicate holds.
    Some(Reg),
    Never,
}

/// A construct around the current instruction, and how lanes leave to its end.
pub(crate) struct Construct {
    pub(crate) inst: Inst,
    pub(crate) way: Way,
}

#[derive(Clone, Copy)]
pub(crate) enum Way {
    /// The lanes that have left are collected in a predicate.
    Flag(Reg),
    /// All lanes of the warp leave together, by one branch.
    Together(Label),
    /// A branch of each lane.
    Branch(Label),
}

/// What has been done to shared memory since the lanes were last synchronised.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    touched: BTreeMap<Shared, Touched>,
}

/// A region with more instructions than this is skipped if no lane is active.
const LONG: u32 = 24;

/// Arms with at most this many instructions together are executed by all lanes.
const SHORT: usize = 8;

impl Emitter<'_> {
    /// The whole body.
    pub(crate) fn body(&mut self) -> Result<(), CannotEmit> {
        let ir = self.ir;
        self.has_group_barriers = ir.insts.iter().any(|it| match it.op {
            Op::Barrier { barrier, .. } => barrier.sync == ops::SyncScope::Group,
            _ => false,
        });
        self.clear_arrays();
        let threads = ir.threads_per_group();
        if !threads.is_multiple_of(crate::LANES) {
            let thread = self.thread_index();
            let exists = self.text.reg(Class::Predicate);
            put!(self, "setp.lt.u32 {exists}, {thread}, {threads}");
            self.act = Act::Some(exists);
        }
        if self.has_group_barriers && self.constructs.of_region(ir.body).returns {
            let live = self.text.reg(Class::Predicate);
            let act = self.act_reg();
            put!(self, "mov.pred {live}, {act}");
            self.live = Some(live);
        }
        self.linear(ir.body)?;
        put!(self, "ret");
        Ok(())
    }

    // Predicates.

    pub(crate) fn predicate(&mut self, operand: Operand) -> Reg {
        self.reg(operand)
    }

    /// The active set as a predicate.
    pub(crate) fn act_reg(&mut self) -> Reg {
        match self.act {
            Act::Some(reg) => reg,
            Act::All => self.reg(Operand::Bits(Ty::Bool, 1)),
            Act::Never => self.reg(Operand::Bits(Ty::Bool, 0)),
        }
    }

    pub(crate) fn logic(&mut self, op: &str, a: Reg, b: Reg) -> Reg {
        let to = self.text.reg(Class::Predicate);
        put!(self, "{op}.pred {to}, {a}, {b}");
        to
    }

    pub(crate) fn not(&mut self, a: Reg) -> Reg {
        let to = self.text.reg(Class::Predicate);
        put!(self, "not.pred {to}, {a}");
        to
    }

    /// The lanes of a set for which a condition holds.
    fn and(&mut self, act: Act, cond: Operand) -> Act {
        match (act, cond) {
            (Act::Never, _) => Act::Never,
            (act, Operand::Bits(_, bits)) => {
                if bits & 1 == 1 {
                    act
                } else {
                    Act::Never
                }
            }
            (Act::All, Operand::Reg(cond)) => Act::Some(cond),
            (Act::Some(act), Operand::Reg(cond)) => Act::Some(self.logic("and", act, cond)),
        }
    }

    fn or(&mut self, a: Act, b: Act) -> Act {
        match (a, b) {
            (Act::Never, other) | (other, Act::Never) => other,
            (Act::All, _) | (_, Act::All) => Act::All,
            (Act::Some(a), Act::Some(b)) if a == b => Act::Some(a),
            (Act::Some(a), Act::Some(b)) => Act::Some(self.logic("or", a, b)),
        }
    }

    /// The predicate under which a memory access is made: active, and in bounds.
    pub(crate) fn when(&mut self, inside: Option<Reg>) -> Option<Reg> {
        match (self.act, inside) {
            (Act::All, inside) => inside,
            (Act::Some(act), None) => Some(act),
            (Act::Some(act), Some(inside)) => Some(self.logic("and", act, inside)),
            (Act::Never, _) => Some(self.reg(Operand::Bits(Ty::Bool, 0))),
        }
    }

    /// Branches if no thread of the warp is active. All 32 vote.
    fn skip_unless_any(&mut self, act: Act, to: Label) {
        let Act::Some(act) = act else { return };
        let any = self.text.reg(Class::Predicate);
        put!(self, "vote.sync.any.pred {any}, {act}, -1");
        self.line_text(format_args!("\t@!{any} bra.uni {to};"));
    }

    pub(crate) fn line_text(&mut self, text: std::fmt::Arguments<'_>) {
        use std::fmt::Write;
        let written = writeln!(self.text.body, "{text}");
        debug_assert!(written.is_ok(), "a string takes everything");
    }

    pub(crate) fn mark(&mut self, label: Label) {
        self.line_text(format_args!("{label}:"));
    }

    // Values that lanes carry.

    /// Moves values into registers of others, all at once, for the lanes of a set.
    pub(crate) fn assign(&mut self, to: &[Value], from: &[Value], act: Act) {
        if act == Act::Never {
            return;
        }
        let targets: Vec<Operand> = to.iter().map(|it| self.get(*it)).collect();
        let mut sources = self.get_all(from);
        for (number, source) in sources.iter_mut().enumerate() {
            let overwritten = targets[..number].contains(source);
            if let (true, Operand::Reg(reg)) = (overwritten, *source) {
                let copy = self.text.reg(reg.class);
                put!(self, "mov.{} {copy}, {reg}", reg.class.bits());
                *source = Operand::Reg(copy);
            }
        }
        let when = match act {
            Act::Some(reg) => Some(reg),
            Act::All | Act::Never => None,
        };
        for (target, source) in targets.iter().zip(sources) {
            self.move_to(*target, source, when);
        }
    }

    pub(crate) fn move_to(&mut self, target: Operand, source: Operand, when: Option<Reg>) {
        let Operand::Reg(target) = target else {
            unreachable!("what constructs assign is in registers")
        };
        if source == Operand::Reg(target) {
            return;
        }
        let source = match source {
            Operand::Bits(ty, bits) => Operand::Bits(ty.as_int(), bits),
            reg => reg,
        };
        put_if!(self, when, "mov.{} {target}, {source}", target.class.bits());
    }

    // Memory.

    /// Synchronises the lanes before an instruction if another lane could observe its order after earlier accesses.
    pub(crate) fn order(&mut self, inst: Inst) {
        if self.natural.is_some() {
            return;
        }
        let Some((memory, now)) = touched(self.ir, &self.constructs.used, inst) else { return };
        self.order_construct(&BTreeMap::from([(memory, now)]));
    }

    /// The same for all that a construct does.
    pub(crate) fn order_construct(&mut self, now: &BTreeMap<Shared, Touched>) {
        let conflicts = now.iter().any(|(memory, now)| {
            self.pending.touched.get(memory).is_some_and(|before| before.conflicts(*now))
        });
        if conflicts {
            self.sync_lanes();
        }
        self.remember(now);
    }

    pub(crate) fn sync_lanes(&mut self) {
        put!(self, "bar.warp.sync -1");
        self.pending.touched.clear();
    }

    pub(crate) fn forget_pending(&mut self) {
        self.pending.touched.clear();
    }

    fn remember(&mut self, now: &BTreeMap<Shared, Touched>) {
        for (memory, now) in now {
            self.pending.touched.entry(*memory).and_modify(|it| it.add(*now)).or_insert(*now);
        }
    }

    // Constructs.

    /// Emits a construct, and defines its results.
    pub(crate) fn construct(&mut self, inst: Inst) -> Result<(), CannotEmit> {
        let ir = self.ir;
        let data = ir.inst(inst);
        if let Op::If { cond, then, else_ } = data.op
            && let Some(arms) = self.short_arms(then, else_)
        {
            for inst in arms {
                self.inst(inst)?;
            }
            let yields = [then, else_].map(|it| ir::flow::yielded(ir, it).unwrap_or_default());
            let cond = self.get(cond);
            for (result, (yes, no)) in data.results.iter().zip(yields[0].iter().zip(yields[1])) {
                let (yes, no) = (self.get(*yes), self.get(*no));
                let picked = self.select(ir.ty(*result), cond, yes, no);
                self.set(*result, picked);
            }
            return Ok(());
        }
        for result in &data.results {
            self.define(*result);
        }
        let waits = self.may_wait(inst);
        self.waiting += u32::from(waits);
        let result = if self.natural.is_some() {
            self.natural_construct(inst)
        } else if self.goes_together(inst) {
            self.together(inst)
        } else if !self.constructs.of_inst(inst).is_collective() {
            self.enter_natural(inst)
        } else {
            self.collective(inst)
        };
        self.waiting -= u32::from(waits);
        result
    }

    /// If-conversion: the instructions of both arms, if all lanes may execute them because they are few and cheap, and
    /// only compute values that the `if` selects from.
    fn short_arms(&self, then: Region, else_: Region) -> Option<Vec<Inst>> {
        let mut arms = Vec::new();
        for region in [then, else_] {
            let (last, insts) = self.ir.region(region).insts.split_last()?;
            let yields = matches!(self.ir.inst(*last).op, Op::Yield(_));
            if !yields || !insts.iter().all(|it| self.is_cheap(*it)) {
                return None;
            }
            arms.extend(insts);
        }
        (arms.len() <= SHORT).then_some(arms)
    }

    /// Whether an instruction only computes, in about one instruction of the device.
    pub(crate) fn is_cheap(&self, inst: Inst) -> bool {
        let data = self.ir.inst(inst);
        let is_short = |family| {
            !matches!(
                family,
                Family::Division | Family::Remainder | Family::Root | Family::Transcendental
            )
        };
        let is_wide = data.op.operands().iter().any(|it| self.ir.ty(*it) == Ty::F64);
        match &data.op {
            Op::Const { .. } => true,
            op => !is_wide && op.scalar_facts().is_some_and(|it| is_short(it.family)),
        }
    }

    /// Whether a loop may wait until another wave changes memory. A barrier makes waves see changes anyway.
    fn may_wait(&self, inst: Inst) -> bool {
        let contents = self.constructs.of_inst(inst);
        matches!(self.ir.inst(inst).op, Op::Loop { .. })
            && !(contents.has_barrier || self.in_turn)
            && contents.touched.values().any(|it| it.reads)
    }

    // Constructs through which all 32 lanes go together. Votes decide, although the condition is the same in all lanes:
    // if it comes from memory that another wave writes, two threads may have read different values.

    /// Whether all lanes of the warp are active, and go through a construct by the same path.
    fn goes_together(&self, inst: Inst) -> bool {
        let contents = self.constructs.of_inst(inst);
        // What is uniform in a wave differs between the waves of a warp.
        if self.act != Act::All || contents.returns || self.environment.is_packed() {
            return false;
        }
        match &self.ir.inst(inst).op {
            Op::If { cond, .. } => {
                let together = |to: &Inst| matches!(self.way(*to), Some(Way::Together(_)));
                let leaves = !contents.exits.is_empty();
                (leaves || contents.is_collective())
                    && self.uniformity.is_uniform(*cond)
                    && contents.exits.iter().all(together)
            }
            Op::Loop { body, .. } => {
                contents.is_collective()
                    && contents.exits.is_empty()
                    && self.leave_together(inst, *body)
            }
            _ => false,
        }
    }

    /// Whether lanes leave for the end of a construct only under uniform conditions.
    fn leave_together(&self, to: Inst, region: Region) -> bool {
        let ir = self.ir;
        ir.region(region).insts.iter().all(|inst| match &ir.inst(*inst).op {
            op if !op.is_construct() => true,
            _ if !self.constructs.of_inst(*inst).exits.contains(&to) => true,
            Op::If { cond, then, else_ } => {
                self.uniformity.is_uniform(*cond)
                    && self.constructs.of_inst(*inst).exits.len() == 1
                    && self.leave_together(to, *then)
                    && self.leave_together(to, *else_)
            }
            _ => false,
        })
    }

    fn together(&mut self, inst: Inst) -> Result<(), CannotEmit> {
        let ir = self.ir;
        let end = self.text.label("end");
        match &ir.inst(inst).op {
            Op::If { cond, then, else_ } => {
                let results = &ir.inst(inst).results;
                let other = self.text.label("else");
                let cond = self.get_reg(*cond);
                let any = self.text.reg(Class::Predicate);
                put!(self, "vote.sync.any.pred {any}, {cond}, -1");
                self.line_text(format_args!("\t@!{any} bra.uni {other};"));
                let before = self.pending.clone();
                let yes = self.all_of(*then, results)?;
                self.line_text(format_args!("\tbra.uni {end};"));
                let after = std::mem::replace(&mut self.pending, before);
                self.mark(other);
                let no = self.all_of(*else_, results)?;
                self.remember(&after.touched);
                self.mark(end);
                self.act = if yes || no { Act::All } else { Act::Never };
            }
            Op::Loop { body, inits } => {
                let params = &ir.region(*body).params;
                for param in params {
                    self.define(*param);
                }
                self.assign(params, inits, Act::All);
                let head = self.text.label("loop");
                // The memory accesses of an iteration precede those of the next.
                let inside = self.constructs.of_region(*body).touched.clone();
                self.remember(&inside);
                self.mark(head);
                self.open.push(Construct { inst, way: Way::Together(end) });
                if self.all_of(*body, params)? {
                    self.line_text(format_args!("\tbra.uni {head};"));
                }
                self.open.pop();
                self.mark(end);
                self.remember(&inside);
                self.act = Act::All;
            }
            _ => unreachable!("other constructs are not entered together"),
        }
        Ok(())
    }

    /// Emits a region for all lanes, and assigns what it yields. Returns whether they reach its end.
    fn all_of(&mut self, region: Region, results: &[Value]) -> Result<bool, CannotEmit> {
        let yielded = self.region_of(region, Act::All)?;
        let Some(values) = yielded else { return Ok(false) };
        debug_assert_eq!(self.act, Act::All, "no lane leaves alone");
        self.assign(results, &values, Act::All);
        Ok(true)
    }

    fn collective(&mut self, inst: Inst) -> Result<(), CannotEmit> {
        let ir = self.ir;
        match &ir.inst(inst).op {
            Op::If { cond, then, else_ } => self.if_(inst, *cond, *then, *else_)?,
            Op::Loop { body, inits } => self.loop_(inst, *body, inits)?,
            Op::Switch { selector, cases, inits } => self.switch(inst, *selector, cases, inits)?,
            Op::Block { body } => self.block(inst, *body)?,
            _ => unreachable!("only these instructions have regions"),
        }
        if self.constructs.of_inst(inst).returns {
            self.end_if_all_returned();
        }
        Ok(())
    }

    /// A wave without lanes must not reach later barriers out of step: it ends, and counts as arrived.
    pub(crate) fn end_if_all_returned(&mut self) {
        let Some(live) = self.live else { return };
        let any = self.text.reg(Class::Predicate);
        put!(self, "vote.sync.any.pred {any}, {live}, -1");
        self.line_text(format_args!("\t@!{any} exit;"));
    }

    /// Emits a region for the lanes of `act`. Returns what it yields, and leaves the lanes that reach its end in
    /// `self.act`.
    fn region_of(&mut self, region: Region, act: Act) -> Result<Option<Vec<Value>>, CannotEmit> {
        self.act = act;
        // A mask that was computed inside may not have been computed outside.
        let known = self.masks.len();
        let yielded = self.linear(region)?;
        self.masks.truncate(known);
        Ok(yielded)
    }

    /// Emits a region that all threads walk through.
    fn linear(&mut self, region: Region) -> Result<Option<Vec<Value>>, CannotEmit> {
        let ir = self.ir;
        for inst in &ir.region(region).insts {
            match &ir.inst(*inst).op {
                Op::Yield(values) => return Ok(Some(values.to_vec())),
                Op::Exit { to, args } => {
                    let act = self.act;
                    let results = &ir.inst(*to).results;
                    self.assign(results, args, act);
                    match self.way(*to) {
                        Some(Way::Flag(out)) => {
                            let act = self.act_reg();
                            put!(self, "or.pred {out}, {out}, {act}");
                        }
                        Some(Way::Together(end)) => {
                            debug_assert_eq!(act, Act::All, "all lanes leave together");
                            self.line_text(format_args!("\tbra.uni {end};"));
                        }
                        Some(Way::Branch(_)) | None => {
                            unreachable!("a construct around collective code is collective")
                        }
                    }
                    self.act = Act::Never;
                    return Ok(None);
                }
                Op::Return => {
                    self.lose_live();
                    self.act = Act::Never;
                    return Ok(None);
                }
                _ => self.inst(*inst)?,
            }
            if self.act == Act::Never {
                return Ok(None);
            }
        }
        unreachable!("the verifier has checked that a region ends in a terminator")
    }

    pub(crate) fn way(&self, to: Inst) -> Option<Way> {
        self.open.iter().rev().find(|it| it.inst == to).map(|it| it.way)
    }

    /// The active lanes return.
    fn lose_live(&mut self) {
        let Some(live) = self.live else { return };
        let act = self.act_reg();
        put_if!(self, Some(act), "mov.pred {live}, 0");
    }

    /// Emits a region, unless it is long and no lane is active. Assigns what it yields to `results`, and returns the
    /// lanes that reach its end.
    fn arm(&mut self, region: Region, act: Act, results: &[Value]) -> Result<Act, CannotEmit> {
        if act == Act::Never {
            return Ok(Act::Never);
        }
        let contents = self.constructs.of_region(region);
        let skips = contents.has_loop || !contents.touched.is_empty() || contents.size > LONG;
        let escapes = contents.escapes();
        let skips = skips && matches!(act, Act::Some(_));
        let end = self.text.label("skip");
        // The lanes that reach the end, also if the region is skipped.
        let mut reached = None;
        if skips {
            if escapes {
                let all = self.text.reg(Class::Predicate);
                put!(self, "mov.pred {all}, 0");
                reached = Some(all);
            }
            self.skip_unless_any(act, end);
        }
        let before = self.pending.clone();
        let yielded = self.region_of(region, act)?;
        if let Some(values) = &yielded {
            let act = self.act;
            self.assign(results, values, act);
        }
        let mut after = if yielded.is_some() { self.act } else { Act::Never };
        debug_assert!(escapes || after == act, "only escapes change the active set");
        if skips {
            if let (Some(reached), Act::Some(reg)) = (reached, after) {
                put!(self, "mov.pred {reached}, {reg}");
                after = Act::Some(reached);
            }
            self.mark(end);
            self.remember(&before.touched);
        }
        Ok(after)
    }

    fn if_(
        &mut self,
        inst: Inst,
        cond: Value,
        then: Region,
        else_: Region,
    ) -> Result<(), CannotEmit> {
        let ir = self.ir;
        let results = &ir.inst(inst).results;
        let before = self.act;
        let cond = self.get(cond);
        let yes = self.and(before, cond);
        let is_empty = |region: Region| ir.region(region).insts.len() == 1;
        let opposite = match cond {
            Operand::Bits(ty, bits) => Operand::Bits(ty, !bits & 1),
            Operand::Reg(cond) => Operand::Reg(self.not(cond)),
        };
        let no = self.and(before, opposite);
        let escapes = self.constructs.of_inst(inst).escapes();
        let after_yes = self.arm(then, yes, results)?;
        let after_no = match is_empty(else_) && results.is_empty() && !escapes {
            true => no,
            false => self.arm(else_, no, results)?,
        };
        // Without an escape, the same lanes go on.
        self.act = if escapes { self.or(after_yes, after_no) } else { before };
        Ok(())
    }

    /// A predicate for the lanes that leave to the end of a construct, if any can.
    fn open(&mut self, inst: Inst, exits: bool) -> Option<Reg> {
        if !exits {
            return None;
        }
        let out = self.text.reg(Class::Predicate);
        put!(self, "mov.pred {out}, 0");
        self.open.push(Construct { inst, way: Way::Flag(out) });
        Some(out)
    }

    fn close(&mut self, out: Option<Reg>) -> Act {
        match out {
            None => Act::Never,
            Some(out) => {
                self.open.pop();
                Act::Some(out)
            }
        }
    }

    fn is_exited(&self, inst: Inst) -> bool {
        let mut regions = self.ir.inst(inst).op.regions().into_iter();
        regions.any(|it| self.constructs.of_region(it).exits.contains(&inst))
    }

    fn loop_(&mut self, inst: Inst, body: Region, inits: &[Value]) -> Result<(), CannotEmit> {
        let ir = self.ir;
        let active = self.act;
        let params = &ir.region(body).params;
        for param in params {
            self.define(*param);
        }
        self.assign(params, inits, Act::All);
        let out = self.open(inst, true);
        let current = self.text.reg(Class::Predicate);
        let act = self.act_reg();
        put!(self, "mov.pred {current}, {act}");
        let (head, end) = (self.text.label("loop"), self.text.label("end"));
        // The memory accesses of an iteration precede those of the next.
        let inside = self.constructs.of_region(body).touched.clone();
        let before = self.pending.clone();
        self.remember(&inside);
        self.mark(head);
        self.skip_unless_any(Act::Some(current), end);
        let yielded = self.region_of(body, Act::Some(current))?;
        // Otherwise no lane starts another iteration.
        if let Some(values) = yielded {
            // First, because the set may be in the register of a parameter.
            let act = self.act_reg();
            put!(self, "mov.pred {current}, {act}");
            self.assign(params, &values, Act::Some(current));
            self.line_text(format_args!("\tbra.uni {head};"));
        }
        self.mark(end);
        self.remember(&inside);
        self.remember(&before.touched);
        let left = self.close(out);
        // Without an escape, all lanes leave in the end.
        let escapes = self.constructs.of_inst(inst).escapes();
        self.act = if escapes { left } else { active };
        Ok(())
    }

    fn block(&mut self, inst: Inst, body: Region) -> Result<(), CannotEmit> {
        let ir = self.ir;
        let before = self.act;
        let out = self.open(inst, self.is_exited(inst));
        let yielded = self.region_of(body, before)?;
        let mut after = Act::Never;
        if let Some(values) = yielded {
            after = self.act;
            self.assign(&ir.inst(inst).results, &values, after);
        }
        let out = self.close(out);
        let escapes = self.constructs.of_inst(inst).escapes();
        self.act = if escapes { self.or(after, out) } else { before };
        Ok(())
    }

    fn switch(
        &mut self,
        inst: Inst,
        selector: Value,
        cases: &[Case],
        inits: &[Value],
    ) -> Result<(), CannotEmit> {
        let ir = self.ir;
        let results = &ir.inst(inst).results;
        let before = self.act;
        for case in cases {
            for param in &ir.region(case.body).params {
                self.define(*param);
            }
        }
        let (selected, default) = self.selected(selector, cases);
        let out = self.open(inst, self.is_exited(inst));
        // The lanes that fall into the next case, and those that select none.
        let mut falls = Act::Never;
        let mut none = before;
        if cases.iter().any(|it| it.default) {
            none = Act::Never;
        } else {
            none = self.and(none, default);
        }
        for (number, (case, selected)) in cases.iter().zip(selected).enumerate() {
            let params = &ir.region(case.body).params;
            let enters = self.and(before, selected);
            self.assign(params, inits, enters);
            let act = self.or(falls, enters);
            let next = cases.get(number + 1).map(|it| &ir.region(it.body).params);
            falls = self.arm(case.body, act, next.unwrap_or(results))?;
        }
        self.assign(results, inits, none);
        let out = self.close(out);
        let after = self.or(falls, out);
        let after = self.or(after, none);
        let escapes = self.constructs.of_inst(inst).escapes();
        self.act = if escapes { after } else { before };
        Ok(())
    }

    /// For each case, whether it is selected; and whether no label is.
    fn selected(&mut self, selector: Value, cases: &[Case]) -> (Vec<Operand>, Operand) {
        let ty = self.ir.ty(selector);
        let selector = self.get_reg(selector);
        let mut labelled: Option<Reg> = None;
        let mut all = Vec::new();
        for case in cases {
            let mut any: Option<Reg> = None;
            for label in &case.labels {
                let equal = self.equals(ty, selector, *label);
                any = Some(match any {
                    None => equal,
                    Some(any) => self.logic("or", any, equal),
                });
            }
            if let Some(any) = any {
                labelled = Some(match labelled {
                    None => any,
                    Some(labelled) => self.logic("or", labelled, any),
                });
            }
            all.push(any);
        }
        let default = match labelled {
            None => Operand::Bits(Ty::Bool, 1),
            Some(labelled) => Operand::Reg(self.not(labelled)),
        };
        let mut selected = Vec::new();
        for (case, any) in cases.iter().zip(all) {
            selected.push(match (case.default, any, default) {
                (false, None, _) => Operand::Bits(Ty::Bool, 0),
                (false, Some(any), _) => Operand::Reg(any),
                (true, None, default) => default,
                (true, Some(_), Operand::Bits(..)) => default,
                (true, Some(any), Operand::Reg(default)) => {
                    Operand::Reg(self.logic("or", any, default))
                }
            });
        }
        (selected, default)
    }

    pub(crate) fn equals(&mut self, ty: Ty, selector: Reg, label: u64) -> Reg {
        let to = self.text.reg(Class::Predicate);
        if ty == Ty::Bool {
            match label & 1 {
                1 => put!(self, "mov.pred {to}, {selector}"),
                _ => put!(self, "not.pred {to}, {selector}"),
            }
            return to;
        }
        let label = Operand::Bits(ty, label);
        put!(self, "setp.eq.{} {to}, {selector}, {label}", Self::bits_of(ty));
        to
    }
}
