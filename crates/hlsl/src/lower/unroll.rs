//! Loop unrolling.
//!
//! Which resource a variable holds must be known at compile time, or the program has no meaning on a device: `for (i
//! …) held[i] = A;` means something only because the loop can be unrolled. So a loop that changes such a variable is
//! unrolled, as far as its condition is known; so is one that takes a resource out of an array in a variable. No other
//! loop is: nothing here is done for speed.

use ir::eval::eval;
use ir::{Op, Value};
use ops::{Binary, Ty, Unary};

use super::control::Break;
use super::facts::Assigned;
use super::place::Storage;
use super::{Lower, Lowerer};
use crate::hir::{Expr, ExprKind, Loop, Stmt};

/// The maximum number of unrolled iterations of all loops together.
const MOST_ITERATIONS: u32 = 1 << 10;

impl Lowerer<'_> {
    /// Unrolls the loop if it must be, and can. Has done nothing where the answer is `false`.
    pub(super) fn unroll(&mut self, stmt: &Stmt, loop_: &Loop, assigned: &Assigned) -> Lower<bool> {
        let Some(cond) = loop_.cond.as_ref().filter(|_| loop_.test_first && assigned.resources)
        else {
            return Ok(false);
        };
        // Both are evaluated once more than in the loop, and by lanes that have left it.
        let counts = loop_.step.as_ref().is_none_or(|step| self.only_counts(step));
        if !counts || !self.can_speculate(cond) {
            return Ok(false);
        }
        self.note_trying(true);
        let is_short = self.is_short(loop_, cond, assigned);
        self.note_trying(false);
        if !is_short? {
            return Ok(false);
        }
        self.unrolling += 1;
        self.block(|this, left| {
            this.breaks.push(Break::Block(left));
            let done = this.iterations(stmt, loop_, cond, assigned);
            this.breaks.pop();
            done
        })?;
        self.unrolling -= 1;
        Ok(true)
    }

    fn iterations(
        &mut self,
        stmt: &Stmt,
        loop_: &Loop,
        cond: &Expr,
        assigned: &Assigned,
    ) -> Lower<()> {
        loop {
            match self.known_condition(cond)? {
                Some(false) => return Ok(()),
                Some(true) if self.unrolled < MOST_ITERATIONS => self.unrolled += 1,
                // The body changes the condition in a way that `is_short`, which knows the step, did not see.
                Some(true) | None => return Err(self.differing_resources(stmt.span)),
            }
            self.note_statement(cond.span);
            self.iteration(loop_, assigned)?;
            if self.is_ended() {
                return Ok(());
            }
            if let Some(step) = &loop_.step {
                self.expr(step)?;
            }
            self.settle(assigned);
        }
    }

    /// Whether the loop is known to end soon, provided only its step changes the variables of its condition.
    fn is_short(&mut self, loop_: &Loop, cond: &Expr, assigned: &Assigned) -> Lower<bool> {
        let mark = self.env.mark();
        let mut left = MOST_ITERATIONS.saturating_sub(self.unrolled);
        let is_short = loop {
            match self.known_condition(cond)? {
                Some(true) if left > 0 => left -= 1,
                Some(false) => break true,
                Some(true) => {
                    // No budget is left to examine another loop.
                    self.unrolled = MOST_ITERATIONS;
                    break false;
                }
                None => break false,
            }
            match &loop_.step {
                Some(step) => drop(self.expr(step)?),
                None => break true,
            }
            self.settle(assigned);
        };
        self.env.undo(mark);
        Ok(is_short)
    }

    /// Whether the step only changes variables.
    fn only_counts(&self, step: &Expr) -> bool {
        let is_local = |place: &Expr| matches!(place.kind, ExprKind::Local(_));
        match &step.kind {
            ExprKind::Step { place, .. } => is_local(place),
            ExprKind::Assign(place, value) | ExprKind::AssignOp { place, value, .. } => {
                is_local(place) && self.can_speculate(value)
            }
            ExprKind::Comma(first, second) => self.only_counts(first) && self.only_counts(second),
            _ => self.can_speculate(step),
        }
    }

    fn known_condition(&mut self, cond: &Expr) -> Lower<Option<bool>> {
        let cond = self.scalar(cond)?;
        Ok(self.known(cond).map(|it| it != 0))
    }

    /// Replaces variables of known value by constants, so that the next value takes one step to compute.
    fn settle(&mut self, assigned: &Assigned) {
        let frame = self.frame();
        let firsts = assigned.locals.iter().filter_map(|id| match frame.local(*id) {
            Storage::Slots { first } => Some(*first),
            Storage::Memory { .. } | Storage::Alias(_) => None,
        });
        // A counter is a scalar: its variable has one slot.
        for slot in firsts.collect::<Vec<_>>() {
            let Some(ty) = self.env.ty(slot) else { continue };
            let value = self.env.get(slot);
            if self.builder.module.constant(value).is_none()
                && let Some(bits) = self.known(value)
            {
                let constant = self.constant(ty, bits);
                self.env.set(slot, constant);
            }
        }
    }

    /// Constant folding: the bits of a value that follow from constants in few steps, without operations that may be
    /// undefined.
    pub(super) fn known(&self, value: Value) -> Option<u64> {
        const MOST_STEPS: u32 = 8;
        self.known_within(value, MOST_STEPS)
    }

    fn known_within(&self, value: Value, steps: u32) -> Option<u64> {
        let module = &self.builder.module;
        if super::resource::is_handle(value) {
            return None;
        }
        let inst = module.made_by(value)?;
        let op = &module.inst(inst).op;
        if let Op::Const { bits, .. } = op {
            return Some(*bits);
        }
        let steps = steps.checked_sub(1)?;
        let known = |value: Value| self.known_within(value, steps);
        Some(match op {
            // Only operations that are never undefined, and that counters use.
            Op::Unary(op, a)
                if module.ty(*a).is_float()
                    || !matches!(op, Unary::Neg | Unary::Not | Unary::Convert { .. }) =>
            {
                return None;
            }
            Op::Binary(Binary::Div(_) | Binary::Rem(_), ..) => return None,
            Op::Binary(op @ (Binary::And | Binary::Or), a, b) if module.ty(*a) == Ty::Bool => {
                // One side decides: `i == 1 && k == 0` is false in all iterations but the first.
                let decides = u64::from(*op == Binary::Or);
                match (known(*a), known(*b)) {
                    (Some(a), _) if a == decides => decides,
                    (_, Some(b)) if b == decides => decides,
                    (Some(_), Some(_)) => 1 - decides,
                    (None, _) | (_, None) => return None,
                }
            }
            op => eval(module, op, known)?,
        })
    }
}
