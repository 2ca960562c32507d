//! Loops that are written out iteration by iteration.
//!
//! Which resource a variable holds is known here, or the program has no meaning on a device: `for (i …) held[i] = A;` means
//! something only because the loop can be taken apart. So a loop that changes such a variable is, as far as its condition
//! is known; so is one that takes a resource out of an array in a variable. No other loop is: nothing here is done for speed.

use ir::eval::eval;
use ir::{Op, Value};
use ops::{Binary, Ty, Unary};

use super::control::Break;
use super::facts::Assigned;
use super::place::Storage;
use super::{Lower, Lowerer};
use crate::hir::{Expr, ExprKind, Loop, Stmt};

/// How many iterations of all loops together are written out.
const MOST_ITERATIONS: u32 = 1 << 10;

impl Lowerer<'_> {
    /// Writes the loop out if it must be, and can. Nothing has happened where the answer is `false`.
    pub(super) fn unroll(&mut self, stmt: &Stmt, loop_: &Loop, assigned: &Assigned) -> Lower<bool> {
        let Some(cond) = loop_.cond.as_ref().filter(|_| loop_.test_first && assigned.resources)
        else {
            return Ok(false);
        };
        // They are evaluated once more, by whom the loop does not ask.
        let counts = loop_.step.as_ref().is_none_or(|step| self.only_counts(step));
        if !counts || !self.is_harmless(cond) {
            return Ok(false);
        }
        if !self.is_short(loop_, cond, assigned)? {
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
                // The body has another mind than the step, of which `is_short` knew.
                Some(true) | None => return Err(self.differing_resources(stmt.span)),
            }
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

    /// Whether the loop is known to end soon, if nothing but its step changes what its condition is about.
    fn is_short(&mut self, loop_: &Loop, cond: &Expr, assigned: &Assigned) -> Lower<bool> {
        let mark = self.env.mark();
        let mut left = MOST_ITERATIONS.saturating_sub(self.unrolled);
        let is_short = loop {
            match self.known_condition(cond)? {
                Some(true) if left > 0 => left -= 1,
                Some(false) => break true,
                Some(true) => {
                    // Another loop is not to be looked at for as long.
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

    /// Whether the step does nothing but change variables.
    fn only_counts(&self, step: &Expr) -> bool {
        let is_local = |place: &Expr| matches!(place.kind, ExprKind::Local(_));
        match &step.kind {
            ExprKind::Step { place, .. } => is_local(place),
            ExprKind::Assign(place, value) | ExprKind::AssignOp { place, value, .. } => {
                is_local(place) && self.is_harmless(value)
            }
            ExprKind::Comma(first, second) => self.only_counts(first) && self.only_counts(second),
            _ => self.is_harmless(step),
        }
    }

    fn known_condition(&mut self, cond: &Expr) -> Lower<Option<bool>> {
        let cond = self.scalar(cond)?;
        Ok(self.known(cond).map(|it| it != 0))
    }

    /// Variables whose values are known hold constants from here on, so that to know the next takes one step.
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

    /// The bits of a value that follow from constants alone, by few steps and without what may be undefined.
    pub(super) fn known(&self, value: Value) -> Option<u64> {
        const MOST_STEPS: u32 = 8;
        self.known_within(value, MOST_STEPS)
    }

    fn known_within(&self, value: Value, steps: u32) -> Option<u64> {
        let module = &self.builder.module;
        if super::resource::is_handle(value) {
            return None;
        }
        let ir::ValueDef::Result(inst, _) = module.values[value.index()].def else { return None };
        let op = &module.inst(inst).op;
        if let Op::Const { bits, .. } = op {
            return Some(*bits);
        }
        let steps = steps.checked_sub(1)?;
        let known = |value: Value| self.known_within(value, steps);
        Some(match op {
            // Only what cannot be undefined, and what counters are made of.
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
