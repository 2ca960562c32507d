//! Lowers statements to structured control flow, by the rules of `docs/semantics.md` B.2.
//!
//! An [`Edge`] is a way out of a construct: the end of a region, or an exit. Values that differ between the edges of
//! an `if` or a `block` become its results when it closes, as φ nodes would. For loops and switches the assigned
//! scalars are computed in advance: they are parameters of every iteration or case, and results.

use diag::Span;
use ir::{Inst, Op, Region, Value};
use ops::Ty;

use super::env::{Mark, SlotId};
use super::resource::{ResourceRef, is_handle};
use super::{Lower, Lowerer, Values};
use crate::hir::{Expr, Loop, Stmt, StmtKind, Switch};
use crate::lower::call::Returns;
use crate::lower::facts::Assigned;
use crate::lower::place::Storage;

/// A way out of a construct.
pub(super) struct Edge {
    end: End,
    /// The variables that have changed since the construct began.
    changes: Vec<(SlotId, Value)>,
    /// The construct's own values on this edge.
    values: Values,
}

enum End {
    /// The end of a region, whose yield is still missing.
    Region(Region),
    /// An exit, whose arguments are still missing.
    Exit(Inst),
}

/// The start of a construct.
#[derive(Clone, Copy)]
struct Start {
    inst: Inst,
    mark: Mark,
    /// The number of values that existed.
    values: u32,
}

/// A `block` under construction.
pub(super) struct Block {
    start: Start,
    edges: Vec<Edge>,
}

/// The target of a `break`.
pub(super) enum Break {
    /// Out of a loop or switch.
    Construct {
        inst: Inst,
        /// The slots whose values are carried out, in the order of the results.
        carried: Vec<SlotId>,
        is_used: bool,
    },
    /// To the end of the block around an unrolled loop.
    Block(usize),
}

impl Break {
    fn is_used(&self) -> bool {
        matches!(self, Break::Construct { is_used: true, .. })
    }
}

/// What a construct yields after its edges have been compared.
struct Merge {
    types: Vec<Ty>,
    /// The outcome for the construct's own values, and for the variables.
    values: Vec<Outcome>,
    slots: Vec<(SlotId, Outcome)>,
}

enum Outcome {
    /// The same on all edges.
    Same(Value),
    /// A result of the construct.
    Result(usize),
    /// An element of a resource array, chosen by a result.
    Element(crate::hir::ResourceId, usize),
}

impl Lowerer<'_> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) -> Lower<()> {
        let block = self.note_block();
        for stmt in stmts {
            // Dead code: no lane gets here, so the rest of the list has no effect.
            if self.is_ended() {
                break;
            }
            self.stmt(stmt)?;
        }
        self.note_block_end(block);
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Lower<()> {
        self.enter(stmt.span)?;
        self.builder.span = stmt.span;
        // A declaration alone does nothing, and a loop has a note for each iteration.
        if !matches!(stmt.kind, StmtKind::Let(_, None) | StmtKind::Block(_) | StmtKind::Loop(_)) {
            self.note_statement(stmt.span);
        }
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.expr(expr)?;
            }
            StmtKind::Let(local, init) => self.let_(*local, init.as_ref(), stmt)?,
            StmtKind::Block(stmts) => self.stmts(stmts)?,
            StmtKind::If { .. } => self.if_stmt(stmt)?,
            StmtKind::Loop(loop_) => self.loop_(stmt, loop_)?,
            StmtKind::Switch(switch) => self.switch(stmt, switch)?,
            StmtKind::Break => self.break_(),
            StmtKind::Continue => {
                if let Some(block) = self.continues.last() {
                    self.exit_block(*block);
                }
            }
            StmtKind::Return(value) => self.return_(value.as_ref(), stmt)?,
            StmtKind::Discard => {
                self.builder.inst(Op::Discard, &[]);
            }
        }
        self.leave();
        Ok(())
    }

    fn if_stmt(&mut self, stmt: &Stmt) -> Lower<()> {
        // The nesting of regions is bounded; beyond this many arms a chain of `else if` is lowered flat.
        const MOST_NESTED_ARMS: usize = 32;
        let mut arms = Vec::new();
        let mut rest = std::slice::from_ref(stmt);
        while let [Stmt { kind: StmtKind::If { cond, then, else_ }, span }] = rest {
            arms.push((cond, then, *span));
            rest = else_;
        }
        if arms.len() > MOST_NESTED_ARMS {
            return self.else_if_chain(&arms, rest);
        }
        let StmtKind::If { cond, then, else_ } = &stmt.kind else { return Ok(()) };
        let cond = self.scalar(cond)?;
        self.builder.span = stmt.span;
        // The other arm may assign another resource, and no lane would run it.
        if self.unrolling > 0
            && let Some(cond) = self.known(cond)
        {
            return self.stmts(if cond == 0 { else_ } else { then });
        }
        self.if_(
            cond,
            |this| this.stmts(then).map(|()| Values::new()),
            |this| this.stmts(else_).map(|()| Values::new()),
        )?;
        Ok(())
    }

    /// Each arm exits to the end of one block, where the same lanes reconverge as after the last nested `if`.
    fn else_if_chain(&mut self, arms: &[(&Expr, &Vec<Stmt>, Span)], last: &[Stmt]) -> Lower<()> {
        self.block(|this, block| {
            for (cond, body, span) in arms {
                let cond = this.scalar(cond)?;
                this.builder.span = *span;
                let arm = |this: &mut Self| {
                    this.stmts(body)?;
                    if !this.is_ended() {
                        this.exit_block(block);
                    }
                    Ok(Values::new())
                };
                this.if_(cond, arm, |_| Ok(Values::new()))?;
            }
            this.stmts(last)
        })
    }

    fn let_(&mut self, local: crate::hir::LocalId, init: Option<&Expr>, stmt: &Stmt) -> Lower<()> {
        let program = self.program;
        let mut values = init.map(|init| self.expr(init)).transpose()?;
        self.builder.span = stmt.span;
        let frame = self.frame();
        let declared = &program.function(frame.function).locals[local.0 as usize];
        let storage = frame.local(local).clone();
        if values.is_none() && program.types.holds_query(declared.ty) {
            values = Some(self.new_queries(&declared.name, declared.ty, declared.span)?);
        }
        let place = storage.place(declared.ty);
        self.note_visible(local);
        if let Storage::Slots { first } = storage {
            let count = self.leaves(declared.ty, stmt.span)?.len() as u32;
            self.env.declare(first, count);
            if values.is_none() {
                for slot in first..first + count {
                    let value = match self.env.ty(slot) {
                        Some(ty) => self.undefined(ty, declared.span),
                        None => super::resource::NO_HANDLE,
                    };
                    self.env.set(slot, value);
                    self.note_writes(std::iter::once((slot, value)));
                }
                // Lets messages about a use of the value name its variable.
                self.record(local);
            }
        }
        match values {
            Some(values) => {
                self.store(&place, &values)?;
                self.record(local);
            }
            None if !self.loops.is_empty() || self.unrolling > 0 || self.is_inlined() => {
                self.unset(&storage, declared.ty)?;
            }
            None => {}
        }
        Ok(())
    }

    fn return_(&mut self, value: Option<&Expr>, stmt: &Stmt) -> Lower<()> {
        let values = value.map(|value| self.expr(value)).transpose()?;
        self.builder.span = stmt.span;
        let frame = self.frame();
        let (result, returns) = (frame.result, frame.returns);
        if let (Some(values), false) = (values, matches!(returns, Returns::Entry)) {
            for (slot, value) in (result..).zip(values) {
                self.env.set(slot, value);
            }
        }
        match returns {
            Returns::Entry => {
                self.builder.terminate(Op::Return);
            }
            Returns::AtEnd => {}
            Returns::Exit(block) => self.exit_block(block),
        }
        Ok(())
    }

    // If and block.

    /// An `if` whose arms yield values. Variables that the arms assign are merged after it.
    pub(super) fn if_(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self) -> Lower<Values>,
        else_: impl FnOnce(&mut Self) -> Lower<Values>,
    ) -> Lower<Values> {
        let was_reachable = self.reachable;
        let start = self.start();
        let mut edges = Vec::new();
        let (then, values) = self.arm(start.mark, &mut edges, then)?;
        let (else_, _) = self.arm(start.mark, &mut edges, else_)?;
        let is_left = !edges.is_empty();
        self.reachable = was_reachable && is_left;
        let merged = self.join(start, Op::If { cond, then, else_ }, edges)?;
        if is_left {
            return Ok(merged);
        }
        // No lane leaves either arm. The unreachable code that follows still needs operands of these types.
        let span = self.builder.span;
        let placeholder = |it| match is_handle(it) {
            true => super::resource::NO_HANDLE,
            false => self.undefined(self.builder.module.ty(it), span),
        };
        Ok(values.into_iter().map(placeholder).collect())
    }

    fn arm(
        &mut self,
        mark: Mark,
        edges: &mut Vec<Edge>,
        body: impl FnOnce(&mut Self) -> Lower<Values>,
    ) -> Lower<(Region, Values)> {
        let span = self.builder.span;
        let (region, _) = self.open(&[])?;
        let values = body(self)?;
        self.builder.span = span;
        self.end_region(region, mark, edges, values.clone());
        self.close();
        self.env.undo(mark);
        Ok((region, values))
    }

    /// A labelled block: `body` receives the index by which [`Lowerer::exit_block`] refers to it.
    pub(super) fn block(&mut self, body: impl FnOnce(&mut Self, usize) -> Lower<()>) -> Lower<()> {
        let was_reachable = self.reachable;
        let span = self.builder.span;
        let start = self.start();
        self.blocks.push(Block { start, edges: Vec::new() });
        let (region, _) = self.open(&[])?;
        body(self, self.blocks.len() - 1)?;
        self.builder.span = span;
        let mut edges = self.blocks.pop().map(|block| block.edges).unwrap_or_default();
        self.end_region(region, start.mark, &mut edges, Values::new());
        self.close();
        self.env.undo(start.mark);
        self.reachable = was_reachable && !edges.is_empty();
        self.join(start, Op::Block { body: region }, edges)?;
        Ok(())
    }

    fn start(&mut self) -> Start {
        let inst = self.builder.reserve();
        Start { inst, mark: self.env.mark(), values: self.builder.module.values.len() as u32 }
    }

    fn exit_block(&mut self, block: usize) {
        let Start { inst: to, mark, .. } = self.blocks[block].start;
        self.branch_args += self.env.logged(mark);
        let changes = self.env.changes(mark);
        let exit = self.builder.terminate(Op::Exit { to, args: Values::new() });
        self.blocks[block].edges.push(Edge {
            end: End::Exit(exit),
            changes,
            values: Values::new(),
        });
    }

    /// Records the edge at the end of the open region, if it is reachable.
    fn end_region(&mut self, region: Region, mark: Mark, edges: &mut Vec<Edge>, values: Values) {
        if self.is_ended() {
            // After an endless loop; the region needs a terminator all the same.
            self.terminate(Op::Return);
            return;
        }
        self.branch_args += self.env.logged(mark);
        edges.push(Edge { end: End::Region(region), changes: self.env.changes(mark), values });
    }

    /// Closes a construct: gives its edges their arguments, and the variables their values after it.
    fn join(&mut self, start: Start, op: Op, edges: Vec<Edge>) -> Lower<Values> {
        let inst = start.inst;
        let (merge, args) = self.merge(start, &edges)?;
        for (edge, args) in edges.into_iter().zip(args) {
            self.branch_args += args.len();
            match edge.end {
                End::Region(region) => {
                    self.builder.reopen(region);
                    self.builder.terminate(Op::Yield(args));
                    self.builder.close();
                }
                End::Exit(exit) => {
                    let data = &mut self.builder.module.insts[exit.index()];
                    if let Op::Exit { args: empty, .. } = &mut data.op {
                        *empty = args;
                    }
                }
            }
        }
        self.builder.fill(inst, op, &merge.types);
        let results = self.builder.results(inst).to_vec();
        for (slot, outcome) in merge.slots {
            let value = self.outcome(outcome, &results);
            self.env.set(slot, value);
        }
        Ok(merge.values.into_iter().map(|it| self.outcome(it, &results)).collect())
    }

    fn outcome(&mut self, outcome: Outcome, results: &[Value]) -> Value {
        match outcome {
            Outcome::Same(value) => value,
            Outcome::Result(i) => results[i],
            Outcome::Element(id, i) => {
                self.handles.make(ResourceRef { id, element: Some(results[i]) })
            }
        }
    }

    /// Compares the edges. Also returns the arguments of each.
    fn merge(&mut self, start: Start, edges: &[Edge]) -> Lower<(Merge, Vec<Values>)> {
        let mut merge = Merge { types: Vec::new(), values: Vec::new(), slots: Vec::new() };
        let mut args: Vec<Values> = edges.iter().map(|_| Values::new()).collect();
        let count = edges.first().map_or(0, |edge| edge.values.len());
        for i in 0..count {
            let incoming: Values =
                edges.iter().filter_map(|edge| edge.values.get(i).copied()).collect();
            let outcome = self.one(start, &incoming, &mut merge.types, &mut args)?;
            merge.values.push(outcome);
        }
        let mut slots: Vec<SlotId> =
            edges.iter().flat_map(|edge| edge.changes.iter().map(|(slot, _)| *slot)).collect();
        slots.sort_unstable();
        slots.dedup();
        // Changes are sorted, as the slots are: one pass reads each edge.
        let mut next = vec![0; edges.len()];
        for slot in slots {
            let before = self.env.get(slot);
            let mut incoming = Vec::with_capacity(edges.len());
            for (edge, next) in edges.iter().zip(&mut next) {
                incoming.push(match edge.changes.get(*next) {
                    Some((changed, value)) if *changed == slot => {
                        *next += 1;
                        *value
                    }
                    _ => before,
                });
            }
            let outcome = self.one(start, &incoming, &mut merge.types, &mut args)?;
            merge.slots.push((slot, outcome));
        }
        Ok((merge, args))
    }

    fn one(
        &mut self,
        start: Start,
        incoming: &[Value],
        types: &mut Vec<Ty>,
        args: &mut [Values],
    ) -> Lower<Outcome> {
        let Some(first) = incoming.first().copied() else {
            return Ok(Outcome::Same(super::resource::NO_HANDLE));
        };
        let all_same = incoming.iter().all(|it| *it == first);
        if incoming.iter().any(|it| is_handle(*it)) {
            let span = self.builder.span;
            if all_same
                && self
                    .handles
                    .get(first)
                    .and_then(|it| it.element)
                    .is_none_or(|it| self.is_before(it, start))
            {
                return Ok(Outcome::Same(first));
            }
            let (id, elements) = self.common_resource(incoming, span)?;
            if elements.iter().all(Option::is_none) {
                return Ok(Outcome::Same(self.handles.make(ResourceRef { id, element: None })));
            }
            for (args, element) in args.iter_mut().zip(elements) {
                let element = element.unwrap_or_else(|| self.undefined(Ty::I32, span));
                args.push(element);
            }
            types.push(Ty::I32);
            return Ok(Outcome::Element(id, types.len() - 1));
        }
        if all_same && self.is_before(first, start) {
            return Ok(Outcome::Same(first));
        }
        for (args, value) in args.iter_mut().zip(incoming) {
            args.push(*value);
        }
        types.push(self.builder.module.ty(first));
        Ok(Outcome::Result(types.len() - 1))
    }

    /// Whether a value that a variable holds is visible after a construct that started there.
    fn is_before(&self, value: Value, start: Start) -> bool {
        value.0 < start.values || self.is_in_front(value)
    }

    // Loops.

    fn loop_(&mut self, stmt: &Stmt, loop_: &Loop) -> Lower<()> {
        let program = self.program;
        let assigned = self.facts.assigned(program, stmt);
        if self.unroll(stmt, loop_, &assigned)? {
            return Ok(());
        }
        let was_reachable = self.reachable;
        let carried = self.carried(&assigned, false);
        let inits: Values = carried.iter().map(|slot| self.env.get(*slot)).collect();
        let types = self.types_of(&carried);
        self.branch_args += inits.len();

        let inst = self.builder.reserve();
        let mark = self.env.mark();
        self.loops.push(mark);
        self.breaks.push(Break::Construct { inst, carried: carried.clone(), is_used: false });
        let (body, params) = self.open(&types)?;
        for (slot, param) in carried.iter().zip(params) {
            self.env.set(*slot, param);
        }
        let head = loop_.cond.as_ref().map_or(stmt.span, |it| it.span);
        if loop_.test_first {
            self.note_statement(head);
            self.test(loop_.cond.as_ref())?;
        }
        self.iteration(loop_, &assigned)?;
        if !self.is_ended() {
            if let Some(step) = &loop_.step {
                self.expr(step)?;
            }
            if !loop_.test_first {
                self.note_statement(head);
                self.test(loop_.cond.as_ref())?;
            }
            self.builder.span = stmt.span;
            let args: Values = carried.iter().map(|slot| self.env.get(*slot)).collect();
            self.branch_args += args.len();
            self.builder.terminate(Op::Yield(args));
        } else {
            self.terminate(Op::Return);
        }
        self.close();
        self.env.undo(mark);
        self.loops.pop();
        let is_left = self.breaks.pop().is_some_and(|it| it.is_used());
        self.builder.fill(inst, Op::Loop { body, inits }, &types);
        self.take_results(inst, &carried);
        self.reachable = was_reachable && is_left;
        Ok(())
    }

    /// The body, up to the step.
    pub(super) fn iteration(&mut self, loop_: &Loop, assigned: &Assigned) -> Lower<()> {
        if !assigned.continues {
            return self.stmts(&loop_.body);
        }
        // Every continuing lane reconverges at the end of this block, whichever path it took.
        self.block(|this, block| {
            this.continues.push(block);
            this.stmts(&loop_.body)?;
            this.continues.pop();
            Ok(())
        })
    }

    /// Leaves the innermost loop where the condition is false.
    fn test(&mut self, cond: Option<&Expr>) -> Lower<()> {
        let Some(cond) = cond else { return Ok(()) };
        let cond = self.scalar(cond)?;
        if self.builder.module.constant(cond) == Some(1) {
            return Ok(());
        }
        self.if_(
            cond,
            |_| Ok(Values::new()),
            |this| {
                this.break_();
                Ok(Values::new())
            },
        )?;
        Ok(())
    }

    fn break_(&mut self) {
        match self.breaks.last_mut() {
            Some(Break::Construct { inst, carried, is_used }) => {
                *is_used = true;
                let args: Values = carried.iter().map(|slot| self.env.get(*slot)).collect();
                self.branch_args += args.len();
                let to = *inst;
                self.builder.terminate(Op::Exit { to, args });
            }
            Some(Break::Block(block)) => {
                let block = *block;
                self.exit_block(block);
            }
            None => {}
        }
    }

    /// The slots that a loop or switch changes, ascending.
    fn carried(&self, assigned: &Assigned, with_declared: bool) -> Vec<SlotId> {
        let program = self.program;
        let frame = self.frame();
        let function = program.function(frame.function);
        let mut slots = Vec::new();
        let mut add = |storage: &Storage, ty| {
            if let Storage::Slots { first } = storage {
                slots.extend(*first..*first + self.count(ty));
            }
        };
        for id in &assigned.statics {
            add(&self.globals[id.0 as usize], program.global(*id).ty);
        }
        for id in
            assigned.locals.iter().filter(|id| with_declared || !assigned.declared.contains(id))
        {
            add(frame.local(*id), function.locals[id.0 as usize].ty);
        }
        // A resource must not change at all; `set_slot` enforces it.
        slots.retain(|slot| self.env.ty(*slot).is_some());
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    fn types_of(&self, slots: &[SlotId]) -> Vec<Ty> {
        slots.iter().filter_map(|slot| self.env.ty(*slot)).collect()
    }

    fn take_results(&mut self, inst: Inst, carried: &[SlotId]) {
        let results = self.builder.results(inst).to_vec();
        for (slot, value) in carried.iter().zip(results) {
            self.env.set(*slot, value);
        }
    }

    // Switches.

    fn switch(&mut self, stmt: &Stmt, switch: &Switch) -> Lower<()> {
        let was_reachable = self.reachable;
        let selector = self.scalar(&switch.selector)?;
        self.builder.span = stmt.span;
        let assigned = self.facts.assigned(self.program, stmt);
        // A variable declared in one case may be visible in the next.
        let carried = self.carried(&assigned, switch.groups.len() > 1);
        let inits: Values = carried.iter().map(|slot| self.env.get(*slot)).collect();
        let types = self.types_of(&carried);
        self.branch_args += inits.len();

        let inst = self.builder.reserve();
        let mark = self.env.mark();
        self.loops.push(mark);
        self.breaks.push(Break::Construct { inst, carried: carried.clone(), is_used: false });
        let mut cases = Vec::with_capacity(switch.groups.len());
        let mut falls_out = true;
        for group in &switch.groups {
            let (body, params) = self.open(&types)?;
            for (slot, param) in carried.iter().zip(params) {
                self.env.set(*slot, param);
            }
            self.stmts(&group.body)?;
            self.builder.span = stmt.span;
            falls_out = !self.is_ended();
            if falls_out {
                let args: Values = carried.iter().map(|slot| self.env.get(*slot)).collect();
                self.branch_args += args.len();
                self.builder.terminate(Op::Yield(args));
            } else {
                self.terminate(Op::Return);
            }
            self.close();
            self.env.undo(mark);
            cases.push(ir::Builder::case(group.labels.clone(), group.default, body));
        }
        self.loops.pop();
        let is_left = self.breaks.pop().is_some_and(|it| it.is_used());
        let has_default = switch.groups.iter().any(|group| group.default);
        self.builder.fill(inst, Op::Switch { selector, cases, inits }, &types);
        self.take_results(inst, &carried);
        self.reachable = was_reachable && (is_left || falls_out || !has_default);
        Ok(())
    }
}
