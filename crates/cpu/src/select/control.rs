//! Constructs: structured control flow, and the active sets that it determines.
//!
//! Uniform control flow becomes a jump. In divergent control flow, each arm runs with its subset of the lanes and is
//! skipped if that is empty. An exit writes results, moves its lanes to the waiting set at the end of the construct,
//! and continues with the empty set; only exits that all lanes take are jumps.

use ir::{Inst, Op, Region, Value};
use ops::WaveOp;

use super::{Home, Selector, Variable};
use crate::machine::*;

use iced_x86::Code::*;

/// A construct that exits can target.
#[derive(Clone)]
pub(super) struct Open {
    pub(super) results: Vec<Variable>,
    pub(super) end: End,
}

#[derive(Clone)]
pub(super) enum End {
    /// All lanes leave together, by a jump.
    Together(Block),
    /// The waiting lanes of each chunk.
    Apart(Vec<Var>),
}

/// What is known about an active set.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin {
    /// The condition that it was split by, and the masks before the split.
    pub(super) condition: Option<(Value, Vec<VReg>)>,
    /// Whether it has at most one lane.
    pub(super) single: bool,
}

impl Selector<'_> {
    // Leaving.

    /// Ends the active lanes.
    pub(super) fn leave_all(&mut self) {
        self.leave_with_none();
    }

    /// Jumps, with an empty active set, to the block that checks for remaining lanes.
    fn leave_with_none(&mut self) {
        let none = self.a.mask_constant(0);
        let masks = vec![none; self.chunks];
        self.set_active(&masks);
        let skip = self.skip();
        self.a.b.jump(skip);
    }

    fn skip(&self) -> Block {
        match self.skips.last() {
            Some(skip) => *skip,
            None => unreachable!("the body has a skip block"),
        }
    }

    pub(super) fn exit(&mut self, to: Inst, args: &[Value]) {
        let open = self.open(to);
        match open.end {
            End::Together(block) => {
                for (variable, arg) in open.results.iter().zip(args) {
                    self.assign(variable, *arg, None);
                }
                self.a.b.jump(block);
            }
            End::Apart(waiting) => {
                let lanes = self.active();
                self.wait(&open.results, &waiting, args, [&lanes, &lanes]);
                self.leave_with_none();
            }
        }
    }

    /// Lanes leave a construct with results. Lanes that stay in it may get these results as well: they are overwritten
    /// before they are used.
    fn wait(
        &mut self,
        results: &[Variable],
        waiting: &[Var],
        args: &[Value],
        [lanes, and_behind]: [&[VReg]; 2],
    ) {
        for (variable, arg) in results.iter().zip(args) {
            self.assign(variable, *arg, Some(and_behind));
        }
        for (var, lane) in waiting.iter().zip(lanes) {
            let old = self.a.b.read(*var);
            let all = self.a.mask_or(old, *lane);
            self.a.b.write(*var, all);
        }
    }

    pub(super) fn open(&self, construct: Inst) -> Open {
        match self.constructs.get(&construct) {
            Some(open) => open.clone(),
            None => unreachable!("the verifier has checked that {construct} encloses its exits"),
        }
    }

    /// Selects a region in a new scope; returns the block at its end, to be filled next, or `None` if that is
    /// unreachable.
    pub(super) fn nested(
        &mut self,
        region: Region,
        origin: Origin,
        yielded: impl FnOnce(&mut Self),
    ) -> bool {
        let end = self.a.b.block();
        self.skips.push(end);
        self.origins.push(origin);
        self.copies.push(Default::default());
        if self.region(region) {
            yielded(self);
            self.a.b.jump(end);
        }
        self.copies.pop();
        self.origins.pop();
        self.skips.pop();
        self.a.b.seal(end);
        let reached = self.a.b.has_predecessors(end);
        if reached {
            self.a.b.switch_to(end);
        }
        reached
    }

    /// Continues if a lane is active, otherwise jumps to the end of the enclosing region.
    pub(super) fn go_on_if_any(&mut self) {
        let active = self.active();
        let (some, none) = (self.a.b.block(), self.a.b.block());
        self.a.test_any(&active);
        self.a.b.branch(Condition::NotZero, some, none);
        self.a.b.switch_to(none);
        let skip = self.skip();
        self.a.b.jump(skip);
        self.a.b.switch_to(some);
    }

    /// Whether lanes that enter the region may leave it before its end.
    pub(super) fn loses(&self, region: Region) -> bool {
        ir::rounds::leaves(self.module, region)
    }

    /// The back edge of a loop.
    pub(super) fn count_round(&mut self, inst: Inst, body: Region) {
        if !self.is_short(inst) {
            self.a.b.fuel(self.cost(body), inst);
        }
    }

    /// Whether the iterations of a loop are not counted.
    pub(super) fn is_short(&self, inst: Inst) -> bool {
        self.short.contains(&inst)
    }

    /// The maximal cost of a loop iteration: its instructions, as counted in the module. Inner loops are counted
    /// separately. A wave that runs in place of several, or of part of one, pays as those would.
    pub(super) fn cost(&self, body: Region) -> i32 {
        let mut open = vec![body];
        let mut cost = 0;
        while let Some(region) = open.pop() {
            let insts = &self.module.region(region).insts;
            let own =
                insts.iter().map(|it| ir::effort::cost(&self.module.inst(*it).op, self.asked));
            cost += own.sum::<u64>();
            let ops = insts.iter().map(|it| &self.module.inst(*it).op);
            open.extend(ops.filter(|it| !matches!(it, Op::Loop { .. })).flat_map(Op::regions));
        }
        let scaled = cost * u64::from(self.width) / u64::from(self.asked);
        scaled.clamp(1, 1 << 24) as i32
    }

    pub(super) fn branch_on(&mut self, cond: Value, then: Block, otherwise: Block) {
        let register = self.general(cond);
        if let Some((code, sources, condition)) = self.compared.get(&register).copied() {
            self.a.b.effect(code, &sources);
            return self.a.b.branch(condition, then, otherwise);
        }
        let source = Source::Register(View::R32, register);
        self.a.b.effect(Test_rm32_r32, &[source, source]);
        self.a.b.branch(Condition::NotZero, then, otherwise);
    }

    pub(super) fn results(&mut self, inst: Inst) -> Vec<Variable> {
        let module = self.module;
        module.inst(inst).results.iter().map(|it| self.variable(*it)).collect()
    }

    pub(super) fn set_results(&mut self, inst: Inst, variables: &[Variable]) {
        let module = self.module;
        for (value, variable) in module.inst(inst).results.iter().zip(variables) {
            let home = self.read(variable);
            self.set(*value, home);
        }
    }

    // If.

    pub(super) fn if_(&mut self, inst: Inst, cond: Value, then: Region, else_: Region) -> bool {
        if let Some(bits) = self.constant(cond) {
            let arm = if bits & 1 == 1 { then } else { else_ };
            let module = self.module;
            if !self.region(arm) {
                return false;
            }
            let results = &module.inst(inst).results;
            for (arg, result) in self.yielded(arm).iter().zip(results) {
                self.rename(*arg, *result);
            }
            return true;
        }
        // A uniform value has one copy, so an arm that no lane enters must not write it.
        if self.is_single(cond) || self.is_uniform(cond) {
            return self.if_together(inst, cond, [then, else_]);
        }
        if self.is_flat(then) && self.is_flat(else_) {
            return self.if_flat(inst, cond, [then, else_]);
        }
        let module = self.module;
        let variables = self.results(inst);
        let before = self.active();
        let taken = self.bits(cond);
        let single = self.is_one_lane(cond);
        let lost = self.loses(then) || self.loses(else_);
        let retires = self.retires(&[then, else_]);
        let class = self.a.mask_class();
        // The remaining lanes of both arms.
        let left: Vec<Var> = (0..self.chunks).map(|_| self.a.b.var(class)).collect();
        let none = self.a.mask_constant(0);
        left.iter().for_each(|var| self.a.b.write(*var, none));
        let taken: Vec<VReg> =
            before.iter().zip(&taken).map(|(all, taken)| self.both(*all, *taken)).collect();
        for (arm, region) in [then, else_].into_iter().enumerate() {
            let lanes: Vec<VReg> = before
                .iter()
                .zip(&taken)
                .map(|(all, taken)| match arm {
                    0 => *taken,
                    _ => self.a.mask_without(*all, *taken),
                })
                .collect();
            let lanes = if retires { self.without_retired(lanes) } else { lanes };
            if let [only] = module.region(region).insts[..]
                && matches!(module.inst(only).op, Op::Yield(_))
            {
                let args = self.yielded(region);
                for (variable, arg) in variables.iter().zip(args) {
                    self.assign(variable, *arg, Some(&lanes));
                }
                self.join(&left, &lanes);
                continue;
            }
            // No check is needed if the set is known not to be empty.
            let known = self.known_lanes(&lanes);
            if known == Some(0) {
                continue;
            }
            let joined = self.a.b.block();
            match known {
                Some(_) => {}
                None => {
                    let (run, over) = (self.a.b.block(), self.a.b.block());
                    self.a.test_any(&lanes);
                    self.a.b.branch(Condition::NotZero, run, over);
                    self.a.b.switch_to(over);
                    self.a.b.jump(joined);
                    self.a.b.switch_to(run);
                }
            }
            self.set_active(&lanes);
            let origin = Origin {
                condition: (arm == 0).then(|| (cond, before.clone())),
                single: arm == 0 && single,
            };
            let args = self.yielded(region);
            let reached = self.nested(region, origin, |s| {
                let lanes = s.active();
                for (variable, arg) in variables.iter().zip(args) {
                    s.assign(variable, *arg, Some(&lanes));
                }
            });
            if reached {
                let rest = self.active();
                self.join(&left, &rest);
                self.a.b.jump(joined);
            }
            self.a.b.seal(joined);
            if !self.a.b.has_predecessors(joined) {
                return false;
            }
            self.a.b.switch_to(joined);
        }
        self.set_results(inst, &variables);
        let left = match lost {
            true => left.iter().map(|it| self.a.b.read(*it)).collect(),
            false => before,
        };
        self.continue_with(left, [lost, retires]);
        true
    }

    /// Continues behind a construct with the lanes that are left; they may be none if lanes have left it to elsewhere,
    /// or if quads have retired in it.
    fn continue_with(&mut self, lanes: Vec<VReg>, [lost, retires]: [bool; 2]) {
        let lanes = if retires { self.without_retired(lanes) } else { lanes };
        self.set_active(&lanes);
        if lost || retires {
            self.go_on_if_any();
        }
    }

    pub(super) fn join(&mut self, to: &[Var], lanes: &[VReg]) {
        for (var, lanes) in to.iter().zip(lanes) {
            let old = self.a.b.read(*var);
            let all = self.a.mask_or(old, *lanes);
            self.a.b.write(*var, all);
        }
    }

    /// Whether the value is true for at most one lane.
    fn is_one_lane(&self, cond: Value) -> bool {
        matches!(self.module.op_of(cond), Some(Op::Wave { op: WaveOp::IsFirstLane, .. }))
    }

    /// A uniform branch: all lanes take the same arm. If none reaches its end, none is active afterwards.
    fn if_together(&mut self, inst: Inst, cond: Value, arms: [Region; 2]) -> bool {
        let variables = self.results(inst);
        let blocks = [self.a.b.block(), self.a.b.block()];
        self.branch_on(cond, blocks[0], blocks[1]);
        let joined = self.a.b.block();
        let origin = self.origins.last().cloned().unwrap_or_default();
        for (region, block) in arms.into_iter().zip(blocks) {
            self.a.b.switch_to(block);
            self.origins.push(origin.clone());
            self.copies.push(Default::default());
            if self.region(region) {
                for (variable, arg) in variables.iter().zip(self.yielded(region)) {
                    self.assign(variable, *arg, None);
                }
                self.a.b.jump(joined);
            }
            self.copies.pop();
            self.origins.pop();
        }
        self.a.b.seal(joined);
        if !self.a.b.has_predecessors(joined) {
            return false;
        }
        self.a.b.switch_to(joined);
        self.set_results(inst, &variables);
        true
    }

    /// If-conversion: whether a region is so short and free of side effects that it may run even without active lanes.
    fn is_flat(&self, region: Region) -> bool {
        let insts = &self.module.region(region).insts;
        insts.len() <= 6
            && insts.iter().all(|inst| match &self.module.inst(*inst).op {
                Op::Const { .. } | Op::Undef(_) | Op::Yield(_) => true,
                Op::Discard => true,
                Op::Exit { to, .. } => {
                    matches!(self.constructs.get(to), Some(Open { end: End::Apart(_), .. }))
                }
                op if op.is_elementwise() => self.is_cheap(op),
                op @ (Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. }) => {
                    self.is_masked_access(op)
                }
                _ => false,
            })
    }

    fn is_cheap(&self, op: &Op) -> bool {
        use ops::scalar::Family;
        use ops::{Repr, Unary};
        let words = op
            .operands()
            .iter()
            .all(|it| self.ty(*it).repr() != Repr::Long && self.ty(*it) != ops::Ty::F16);
        words
            && match op {
                Op::Unary(op, _) => matches!(
                    op,
                    Unary::Neg
                        | Unary::Not
                        | Unary::Bitcast(_)
                        | Unary::CountBits
                        | Unary::FirstBitLow
                ),
                Op::Binary(op, ..) => !matches!(
                    op.facts().family,
                    Family::Division | Family::Remainder | Family::Transcendental
                ),
                _ => true,
            }
    }

    /// If-conversion: both arms in sequence, without jumps.
    fn if_flat(&mut self, inst: Inst, cond: Value, arms: [Region; 2]) -> bool {
        let module = self.module;
        let before = self.active();
        let taken = self.bits(cond);
        let taken: Vec<VReg> =
            before.iter().zip(&taken).map(|(all, taken)| self.both(*all, *taken)).collect();
        let single = self.is_one_lane(cond);
        let mut left: Vec<Option<Vec<VReg>>> = Vec::new();
        for (arm, region) in arms.into_iter().enumerate() {
            let insts = &module.region(region).insts;
            if let [only] = insts[..]
                && matches!(module.inst(only).op, Op::Yield(_))
            {
                left.push(None);
                continue;
            }
            let lanes: Vec<VReg> = before
                .iter()
                .zip(&taken)
                .map(|(all, taken)| match arm {
                    0 => *taken,
                    _ => self.a.mask_without(*all, *taken),
                })
                .collect();
            self.set_active(&lanes);
            self.origins.push(Origin {
                condition: (arm == 0).then(|| (cond, before.clone())),
                single: arm == 0 && single,
            });
            self.copies.push(Default::default());
            let mut gone = None;
            for inner in insts {
                match &module.inst(*inner).op {
                    Op::Yield(_) => {}
                    Op::Exit { to, args } => {
                        let open = self.open(*to);
                        let End::Apart(waiting) = &open.end else {
                            unreachable!("a flattened region has no exit that is a jump")
                        };
                        let someone_left = left.iter().any(Option::is_some);
                        let and_behind = if someone_left { &lanes } else { &before };
                        self.wait(&open.results, waiting, args, [&lanes, and_behind]);
                        gone = Some(lanes.clone());
                    }
                    _ => self.plain(*inner),
                }
            }
            self.copies.pop();
            self.origins.pop();
            left.push(gone);
        }
        // The results are selections, as in straight-line code.
        let both = arms.map(|it| self.yielded(it));
        let ends = arms.map(|it| {
            let last = module.region(it).insts.last().map(|it| &module.inst(*it).op);
            matches!(last, Some(Op::Yield(_)))
        });
        for (i, result) in module.inst(inst).results.iter().enumerate() {
            match ends {
                [true, true] => {
                    self.set_active(&before);
                    self.choose_result(cond, both[0][i], both[1][i], *result);
                }
                [true, false] => self.rename(both[0][i], *result),
                [false, true] => self.rename(both[1][i], *result),
                [false, false] => self.set(*result, Home::Constant(0)),
            }
        }
        let mut rest = before.clone();
        let mut anybody_gone = false;
        for gone in left.into_iter().flatten() {
            anybody_gone = true;
            rest = rest
                .iter()
                .zip(&gone)
                .map(|(all, gone)| self.a.mask_without(*all, *gone))
                .collect();
        }
        self.continue_with(rest, [anybody_gone, self.retires(&arms)]);
        true
    }

    fn choose_result(&mut self, cond: Value, yes: Value, no: Value, to: Value) {
        self.ternary(ops::Ternary::Select, [cond, yes, no], to);
    }

    // Blocks, loops, switches.

    /// Opens a construct; returns the lanes before it and the variables for waiting lanes.
    fn begin(&mut self, inst: Inst) -> (Open, Vec<VReg>) {
        let results = self.results(inst);
        let before = self.active();
        let end = if self.uniformity.splits(inst) {
            let class = self.a.mask_class();
            let waiting: Vec<Var> = (0..self.chunks).map(|_| self.a.b.var(class)).collect();
            let none = self.a.mask_constant(0);
            waiting.iter().for_each(|var| self.a.b.write(*var, none));
            End::Apart(waiting)
        } else {
            End::Together(self.a.b.block())
        };
        let open = Open { results, end };
        self.constructs.insert(inst, open.clone());
        (open, before)
    }

    /// Closes a construct after the current block, or after `None` if its end is reached only by exits.
    pub(super) fn end(
        &mut self,
        inst: Inst,
        open: &Open,
        before: &[VReg],
        current: bool,
        lost: bool,
    ) -> bool {
        match &open.end {
            End::Together(block) => {
                if current {
                    self.a.b.jump(*block);
                }
                self.a.b.seal(*block);
                if !self.a.b.has_predecessors(*block) {
                    return false;
                }
                self.a.b.switch_to(*block);
            }
            End::Apart(waiting) => {
                if !current {
                    return false;
                }
                let rest: Vec<VReg> = waiting.iter().map(|it| self.a.b.read(*it)).collect();
                self.set_active(&rest);
            }
        }
        self.set_results(inst, &open.results);
        let left = if lost { self.active() } else { before.to_vec() };
        let retires = self.retires(&self.module.inst(inst).op.regions());
        self.continue_with(left, [lost, retires]);
        true
    }

    pub(super) fn block(&mut self, inst: Inst, body: Region) -> bool {
        let (open, before) = self.begin(inst);
        let lost = self.loses_beyond(inst);
        let origin = self.origins.last().cloned().unwrap_or_default();
        let args = self.yielded(body);
        let results = open.results.clone();
        let reached = self.nested(body, origin, |s| {
            let lanes = s.active();
            for (variable, arg) in results.iter().zip(args) {
                s.assign(variable, *arg, Some(&lanes));
            }
        });
        if reached && let End::Apart(waiting) = &open.end {
            let lanes = self.active();
            self.join(waiting, &lanes);
        }
        self.end(inst, &open, &before, reached, lost)
    }

    /// Whether lanes inside the construct may leave to outside it.
    pub(super) fn loses_beyond(&self, inst: Inst) -> bool {
        ir::rounds::leaves_beyond(self.module, inst)
    }

    pub(super) fn loop_(&mut self, inst: Inst, body: Region, inits: &[Value]) -> bool {
        let module = self.module;
        let (open, before) = self.begin(inst);
        let lost = self.loses_beyond(inst);
        if let Some(rounds) = self.rounds(inst) {
            self.unroll(inst, body, inits, rounds);
            return self.end(inst, &open, &before, false, lost);
        }
        let params = &module.region(body).params;
        let variables: Vec<Variable> = params.iter().map(|it| self.variable(*it)).collect();
        for (variable, init) in variables.iter().zip(inits) {
            self.assign(variable, *init, None);
        }
        let header = self.a.b.block();
        self.a.b.jump(header);
        self.a.b.switch_to(header);
        self.forget_shared();
        for (param, variable) in params.iter().zip(&variables) {
            let home = self.read(variable);
            self.set(*param, home);
        }
        if matches!(open.end, End::Together(_)) && !lost && !self.retires(&[body]) {
            // Lanes leave only all together.
            self.set_active(&before);
        }
        // Lanes at the end of the body take the back edge; if there are none, all have left the loop or an enclosing
        // construct.
        let done = match open.end {
            End::Together(_) => None,
            End::Apart(_) => Some(self.a.b.block()),
        };
        self.skips.extend(done);
        self.origins.push(Origin::default());
        self.copies.push(Default::default());
        self.loops += 1;
        if self.region(body) {
            let args = self.yielded(body);
            let new: Vec<(Variable, Value)> =
                variables.iter().cloned().zip(args.iter().copied()).collect();
            self.assign_all(&new);
            self.count_round(inst, body);
            self.a.b.jump(header);
        }
        self.loops -= 1;
        self.copies.pop();
        self.origins.pop();
        self.a.b.seal(header);
        self.forget_shared();
        let Some(done) = done else { return self.end(inst, &open, &before, false, lost) };
        self.skips.pop();
        self.a.b.seal(done);
        let reached = self.a.b.has_predecessors(done);
        if reached {
            self.a.b.switch_to(done);
        }
        self.end(inst, &open, &before, reached, lost)
    }

    /// Gives variables their values, all of which are read before the first is written.
    fn assign_all(&mut self, all: &[(Variable, Value)]) {
        // Values are registers: writing a variable changes none of them.
        for (variable, value) in all {
            self.assign(variable, *value, None);
        }
    }
}
