//! Structured control flow.
//!
//! # The scheme
//! | IR | SPIR-V |
//! |---|---|
//! | `if` | a selection; results are phis at its merge; an `OpSelect` if both arms only yield values |
//! | `loop` | a loop; only the yield branches to the continue target; in some mesh shaders a selection around it |
//! | `block` | a selection by an `OpSwitch` with only a default, because a conditional selection cannot be left from inside |
//! | `switch` | an `OpSwitch`: cases neither fall through nor observe the active set (`legalize` makes cascades of other switches) |
//! | `exit` | a branch to the merge of its construct, if SPIR-V allows one |
//! | `return` | `OpReturn` |
//!
//! SPIR-V allows a branch to the merge of the innermost loop, and of the innermost `OpSwitch` if no loop lies between.
//! Every other exit is routed in steps: it branches to the merge of the innermost construct that it must leave, with
//! the number of its destination in a phi, and that merge branches on before doing anything else.
//!
//! # Why the active sets are preserved
//! Under maximal reconvergence lanes diverge only at branches and reconverge exactly at merges and continue targets.
//! Each construct of the IR has one merge here, at which the lanes reconverge that leave the construct in the IR. A
//! routed exit reconverges with others at a merge on its way, and diverges from them again by a selection whose header
//! is that merge. Between the two are only phis, comparisons and branches, none of which observes the active set. So
//! every operation that observes it runs with the lanes of the IR.
//!
//! # What is left to drivers
//! A value that is computed in a loop and used after it belongs to each lane. Drivers without maximal reconvergence may
//! overwrite it in iterations after the lane has left: lavapipe 22.3 and SwiftShader do. Our waterfall loops are
//! written so that these drivers run them correctly (`wave.rs`); loops of the shader are not.

use ir::{Case, Inst, Op, Region, Value};
use ops::{Binary, Compare, Ty};

use crate::CannotEmit;
use crate::emit::Emitter;
use crate::module::{Id, push};
use crate::opcode as op;

/// A side-effect-free loop of at most this many instructions is marked for unrolling. Drivers do not unroll by
/// themselves, even if the trip count is known: on an H200, unrolling halves the time of sorting within a wave.
const MOST_UNROLLED: usize = 128;
/// The bit `Unroll` of a loop control mask.
const UNROLL: u32 = 1;

/// A construct that exits can target.
pub(crate) struct Target {
    inst: Inst,
    is_loop: bool,
    merge: Id,
    incoming: Vec<Edge>,
}

/// A branch to the merge of a construct.
struct Edge {
    from: Id,
    /// The construct whose end is the destination: this one or an enclosing one.
    to: Inst,
    values: Vec<Id>,
}

/// Whether the rest of the region is reachable.
pub(crate) type Reached = bool;

impl<'a> Emitter<'a> {
    /// Emits a region's instructions; returns the arguments of its yield, if it is reachable.
    pub(crate) fn region(&mut self, region: Region) -> Result<Option<&'a [Value]>, CannotEmit> {
        let ir = self.ir;
        for inst in &ir.region(region).insts {
            // Constants are outside the function.
            if !matches!(ir.inst(*inst).op, Op::Const { .. } | Op::Undef(_)) {
                self.line(*inst);
            }
            match &ir.inst(*inst).op {
                Op::Yield(args) => return Ok(Some(args)),
                Op::Exit { to, args } => {
                    let values = self.sent(args);
                    self.leave(*to, values);
                    return Ok(None);
                }
                Op::Return => {
                    self.leave_main();
                    return Ok(None);
                }
                _ => {
                    if !self.inst(*inst)? {
                        return Ok(None);
                    }
                }
            }
        }
        unreachable!("the verifier has checked that a region ends in a terminator")
    }

    /// The body of the entry point, which ends with a yield.
    pub(crate) fn entry(&mut self) -> Result<(), CannotEmit> {
        if self.orders_pixels() {
            self.effect(op::BEGIN_INTERLOCK, &[]);
        }
        if self.region(self.ir.body)?.is_some() {
            self.constants()?;
            self.leave_main();
        }
        Ok(())
    }

    fn leave_main(&mut self) {
        if self.orders_pixels() {
            self.effect(op::END_INTERLOCK, &[]);
        }
        if !self.end_amplification() {
            self.effect(op::RETURN, &[]);
        }
    }

    pub(crate) fn label(&mut self, label: Id) {
        self.effect(op::LABEL, &[label]);
        self.block = label;
        self.forget_line();
    }

    pub(crate) fn branch(&mut self, to: Id) {
        self.effect(op::BRANCH, &[to]);
    }

    /// A conditional selection; the caller continues with the label of one of its blocks.
    pub(crate) fn select_branch(&mut self, cond: Id, then: Id, else_: Id, merge: Id) {
        push(&mut self.out.body, op::SELECTION_MERGE, &[merge.0, 0]);
        self.effect(op::BRANCH_CONDITIONAL, &[cond, then, else_]);
    }

    pub(crate) fn phi(&mut self, ty: Id, incoming: &[(Id, Id)]) -> Id {
        let operands: Vec<Id> = incoming.iter().flat_map(|(value, from)| [*value, *from]).collect();
        self.op(op::PHI, ty, &operands)
    }

    /// Converts operands of phis: booleans become words.
    ///
    /// A driver's compiler crashes on some loops with boolean phis (NVIDIA 580, two nested loops).
    fn sent(&mut self, values: &[Value]) -> Vec<Id> {
        let carry = |it: &Value| match self.ir.ty(*it) {
            Ty::Bool => {
                let value = self.get(*it);
                self.as_word(value)
            }
            _ => self.get(*it),
        };
        values.iter().map(carry).collect()
    }

    fn sent_ty(&mut self, value: Value) -> Id {
        let ty = self.ir.ty(value);
        self.out.ty(if ty == Ty::Bool { Ty::I32 } else { ty })
    }

    /// Converts the results of phis back, after the last phi of the block.
    fn arrive(&mut self, values: &[Value], phis: &[Id]) {
        for (value, phi) in values.iter().zip(phis) {
            let id = if self.ir.ty(*value) == Ty::Bool { self.as_truth(*phi) } else { *phi };
            self.set(*value, id);
        }
    }

    /// 1 for true, 0 for false.
    pub(crate) fn as_word(&mut self, truth: Id) -> Id {
        let (one, zero) = (self.out.word(1), self.out.word(0));
        self.choose(Ty::I32, truth, one, zero)
    }

    pub(crate) fn as_truth(&mut self, word: Id) -> Id {
        let zero = self.out.word(0);
        self.test(op::I_NOT_EQUAL, word, zero)
    }

    /// Runs `body` for the lanes for which the condition holds, and returns its value there, zero elsewhere. Without a
    /// condition it always runs.
    pub(crate) fn guarded<const N: usize>(
        &mut self,
        cond: Option<Id>,
        body: impl FnOnce(&mut Self) -> [(Id, Id); N],
    ) -> [Id; N] {
        let Some(cond) = cond else { return body(self).map(|(_, value)| value) };
        let (then, merge) = (self.out.id(), self.out.id());
        let before = self.block;
        self.select_branch(cond, then, merge, merge);
        self.label(then);
        let values = body(self);
        let after = self.block;
        self.branch(merge);
        self.label(merge);
        values.map(|(ty, value)| {
            let zero = self.out.null(ty);
            self.phi(ty, &[(zero, before), (value, after)])
        })
    }

    pub(crate) fn if_(
        &mut self,
        inst: Inst,
        cond: Value,
        then: Region,
        else_: Region,
    ) -> Result<Reached, CannotEmit> {
        self.mesh_counts(then);
        if let (Some(yes), Some(no)) = (self.ir.only_yields(then), self.ir.only_yields(else_)) {
            for (result, (yes, no)) in self.ir.inst(inst).results.iter().zip(yes.iter().zip(no)) {
                let picked = self.picked(cond, *yes, *no);
                self.set(*result, picked);
            }
            return Ok(true);
        }
        let cond = self.get(cond);
        let (then_label, else_label, merge) = (self.out.id(), self.out.id(), self.out.id());
        self.select_branch(cond, then_label, else_label, merge);
        let mut edges = Vec::new();
        for (label, region) in [(then_label, then), (else_label, else_)] {
            self.label(label);
            if let Some(values) = self.region(region)? {
                let values = self.get_all(values);
                edges.push((self.block, values));
                self.branch(merge);
            }
        }
        self.label(merge);
        if edges.is_empty() {
            self.effect(op::UNREACHABLE, &[]);
            return Ok(false);
        }
        for (i, result) in self.ir.inst(inst).results.iter().enumerate() {
            let incoming: Vec<(Id, Id)> =
                edges.iter().map(|(from, values)| (values[i], *from)).collect();
            let ty = self.ty_of(*result);
            let phi = self.phi(ty, &incoming);
            self.set(*result, phi);
        }
        Ok(true)
    }

    /// A selection between two values. If it selects the smaller or the larger of two integers, it becomes a minimum or
    /// maximum: see `binary`.
    pub(crate) fn picked(&mut self, cond: Value, yes: Value, no: Value) -> Id {
        let ir = self.ir;
        let ty = ir.ty(yes);
        let compared = match ir.op_of(cond) {
            Some(Op::Compare(Compare::Lt(sign) | Compare::Le(sign), a, b)) => Some((*sign, *a, *b)),
            Some(Op::Compare(Compare::Gt(sign) | Compare::Ge(sign), a, b)) => Some((*sign, *b, *a)),
            _ => None,
        };
        let extremum = match compared {
            Some((sign, less, more)) if (less, more) == (yes, no) => Some(Binary::Min(sign)),
            Some((sign, less, more)) if (less, more) == (no, yes) => Some(Binary::Max(sign)),
            _ => None,
        };
        let (yes_id, no_id) = (self.get(yes), self.get(no));
        match extremum {
            Some(extremum) if !ty.is_float() => self.binary(extremum, ty, yes_id, no_id),
            _ => {
                let cond = self.get(cond);
                self.choose(ty, cond, yes_id, no_id)
            }
        }
    }

    /// A loop; where a driver wants it, behind a branch that all active lanes take.
    ///
    /// In groups of several waves of a mesh or amplification shader, NVIDIA's driver (580.159) makes a loop never end
    /// that lanes of a wave leave one after the other and in which an operation observes the active set, unless the
    /// loop is in divergent flow. Each lane's own bit of a ballot is set, which the driver cannot deduce.
    pub(crate) fn loop_(
        &mut self,
        inst: Inst,
        body: Region,
        inits: &[Value],
    ) -> Result<Reached, CannotEmit> {
        if !self.has_several_waves() || !self.sees_lanes_without_barriers(body) {
            return self.plain_loop(inst, body, inits);
        }
        let is_active = self.is_active();
        let (then, merge) = (self.out.id(), self.out.id());
        let before = self.block;
        self.select_branch(is_active, then, merge, merge);
        self.label(then);
        let reached = self.plain_loop(inst, body, inits)?;
        let after = self.block;
        if reached {
            self.branch(merge);
        }
        self.label(merge);
        if !reached {
            self.effect(op::UNREACHABLE, &[]);
            return Ok(false);
        }
        for result in &self.ir.inst(inst).results {
            let ty = self.ty_of(*result);
            let (zero, value) = (self.out.null(ty), self.get(*result));
            let phi = self.phi(ty, &[(zero, before), (value, after)]);
            self.set(*result, phi);
        }
        Ok(true)
    }

    /// Whether this is a mesh or amplification shader whose groups may have several waves.
    fn has_several_waves(&self) -> bool {
        let threads: u32 = self.ir.group_size.iter().product();
        self.groups.is_some() && self.environment.lanes.is_none_or(|lanes| threads > lanes)
    }

    /// Whether an operation of a region observes the active set, and none is a barrier, which must stay in uniform
    /// flow.
    fn sees_lanes_without_barriers(&self, region: Region) -> bool {
        let mut sees_lanes = false;
        let mut regions = vec![region];
        while let Some(region) = regions.pop() {
            for inst in &self.ir.region(region).insts {
                let op = &self.ir.inst(*inst).op;
                if matches!(op, Op::Barrier { .. }) {
                    return false;
                }
                sees_lanes |= op.effects().sees_lanes;
                regions.extend(op.regions());
            }
        }
        sees_lanes
    }

    fn plain_loop(
        &mut self,
        inst: Inst,
        body: Region,
        inits: &[Value],
    ) -> Result<Reached, CannotEmit> {
        let inits = self.sent(inits);
        let [header, start, next, merge] = std::array::from_fn(|_| self.out.id());
        let before = self.block;
        self.branch(header);
        self.label(header);
        // Back-edge operands are patched in later.
        let mut places = Vec::new();
        let mut phis = Vec::new();
        let params = &self.ir.region(body).params;
        for (param, init) in params.iter().zip(&inits) {
            let ty = self.sent_ty(*param);
            phis.push(self.phi(ty, &[(*init, before), (*init, next)]));
            places.push(self.out.body.len() - 2);
        }
        self.arrive(params, &phis);
        push(&mut self.out.body, op::LOOP_MERGE, &[merge.0, next.0, 0]);
        let control = self.out.body.len() - 1;
        self.branch(start);
        self.label(start);
        self.targets.push(Target { inst, is_loop: true, merge, incoming: Vec::new() });
        if let Some(values) = self.region(body)? {
            let values = self.sent(values);
            for (place, value) in places.into_iter().zip(values) {
                self.out.body[place] = value.0;
            }
            self.branch(next);
        }
        self.label(next);
        self.branch(header);
        if self.only_computes(body) && is_short(&self.out.body[control + 1..], MOST_UNROLLED) {
            self.out.body[control] = UNROLL;
        }
        Ok(self.close(inst))
    }

    /// Whether a region has no side effects.
    fn only_computes(&self, region: Region) -> bool {
        let ir = self.ir;
        ir.region(region).insts.iter().all(|inst| {
            let op = &ir.inst(*inst).op;
            !op.effects().acts() && op.regions().into_iter().all(|it| self.only_computes(it))
        })
    }

    pub(crate) fn block(&mut self, inst: Inst, body: Region) -> Result<Reached, CannotEmit> {
        self.open(inst);
        if let Some(values) = self.region(body)? {
            let values = self.sent(values);
            self.leave(inst, values);
        }
        Ok(self.close(inst))
    }

    /// Starts a selection that can be left from inside.
    fn open(&mut self, inst: Inst) {
        let (start, merge) = (self.out.id(), self.out.id());
        let zero = self.out.word(0);
        push(&mut self.out.body, op::SELECTION_MERGE, &[merge.0, 0]);
        self.effect(op::SWITCH, &[zero, start]);
        self.label(start);
        self.targets.push(Target { inst, is_loop: false, merge, incoming: Vec::new() });
    }

    /// Branches to the end of a construct, or to the merge that routes the lanes there.
    fn leave(&mut self, to: Inst, values: Vec<Id>) {
        let wanted = self.targets.iter().rposition(|it| it.inst == to);
        let wanted = wanted.unwrap_or_else(|| {
            unreachable!("the verifier has checked that an exit names an enclosing construct")
        });
        let innermost = self.targets.len() - 1;
        let hop = match self.targets.iter().rposition(|it| it.is_loop) {
            Some(innermost_loop) if innermost_loop >= wanted => innermost_loop,
            _ => innermost,
        };
        let from = self.block;
        let target = &mut self.targets[hop];
        target.incoming.push(Edge { from, to, values });
        let merge = target.merge;
        self.branch(merge);
    }

    /// Closes a construct: its merge defines its results, and routes lanes with other destinations.
    fn close(&mut self, inst: Inst) -> Reached {
        let Some(Target { merge, incoming, .. }) = self.targets.pop() else {
            unreachable!("a construct is closed after it was opened")
        };
        self.label(merge);
        if incoming.is_empty() {
            self.effect(op::UNREACHABLE, &[]);
            return false;
        }
        let ir = self.ir;
        let mut further: Vec<Inst> = Vec::new();
        for edge in &incoming {
            if edge.to != inst && !further.contains(&edge.to) {
                further.push(edge.to);
            }
        }
        let stays = incoming.iter().any(|edge| edge.to == inst);
        // Phis first: the destination, the results, and the values of the routed lanes.
        let route = (further.len() + usize::from(stays) > 1).then(|| {
            let number =
                |to: Inst| further.iter().position(|it| *it == to).map_or(0, |it| it as u32 + 1);
            let numbers: Vec<(Id, Id)> =
                incoming.iter().map(|edge| (self.out.word(number(edge.to)), edge.from)).collect();
            let uint = self.out.uint();
            self.phi(uint, &numbers)
        });
        let mut carried = Vec::new();
        let mut arrived = Vec::new();
        for to in stays.then_some(inst).into_iter().chain(further.iter().copied()) {
            let mut values = Vec::new();
            for (i, result) in ir.inst(to).results.iter().enumerate() {
                let ty = self.sent_ty(*result);
                let nothing = self.out.undef(ty);
                let edges: Vec<(Id, Id)> = incoming
                    .iter()
                    .map(|edge| (if edge.to == to { edge.values[i] } else { nothing }, edge.from))
                    .collect();
                values.push(self.phi(ty, &edges));
            }
            if to == inst {
                arrived = values;
            } else {
                carried.push((to, values));
            }
        }
        self.arrive(&ir.inst(inst).results, &arrived);
        let last = carried.len();
        for (i, (to, values)) in carried.into_iter().enumerate() {
            let Some(route) = route.filter(|_| stays || i + 1 < last) else {
                self.leave(to, values);
                return false;
            };
            let number = self.out.word(i as u32 + 1);
            let boolean = self.out.bool();
            let goes = self.op(op::I_EQUAL, boolean, &[route, number]);
            let (away, here) = (self.out.id(), self.out.id());
            self.select_branch(goes, away, here, here);
            self.label(away);
            self.leave(to, values);
            self.label(here);
        }
        true
    }

    /// No case falls through, except out of the last one: `legalize` has made cascades of the other switches.
    pub(crate) fn switch(
        &mut self,
        inst: Inst,
        selector: Value,
        cases: &[Case],
        inits: &[Value],
    ) -> Result<Reached, CannotEmit> {
        let inits = self.sent(inits);
        let merge = self.out.id();
        let labels: Vec<Id> = cases.iter().map(|_| self.out.id()).collect();
        let default = cases.iter().position(|case| case.default);
        let mut incoming = Vec::new();
        if default.is_none() {
            incoming.push(Edge { from: self.block, to: inst, values: inits.clone() });
        }
        let mut words = vec![self.get(selector).0, default.map_or(merge, |it| labels[it]).0];
        for (case, label) in cases.iter().zip(&labels) {
            words.extend(case.labels.iter().flat_map(|it| [*it as u32, label.0]));
        }
        push(&mut self.out.body, op::SELECTION_MERGE, &[merge.0, 0]);
        push(&mut self.out.body, op::SWITCH, &words);
        self.targets.push(Target { inst, is_loop: false, merge, incoming });
        for (case, label) in cases.iter().zip(labels) {
            self.label(label);
            self.set_params(case.body, &inits);
            if let Some(values) = self.region(case.body)? {
                let values = self.sent(values);
                self.leave(inst, values);
            }
        }
        Ok(self.close(inst))
    }

    fn set_params(&mut self, region: Region, values: &[Id]) {
        self.arrive(&self.ir.region(region).params, values);
    }
}

/// Whether the words hold at most `most` instructions. Debug lines do not count, so that debug information does not
/// change the code.
fn is_short(mut words: &[u32], most: usize) -> bool {
    let mut count = 0;
    while let (Some(first), true) = (words.first(), count <= most) {
        count += usize::from(first & 0xffff != u32::from(op::LINE.number));
        words = words.get((first >> 16).max(1) as usize..).unwrap_or(&[]);
    }
    count <= most
}
