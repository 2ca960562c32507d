//! The functions of pixel shaders: `clip`, and inputs that are read again.
//!
//! Such an input must be one: calls are inlined and variables are values, so it is found wherever it was passed, as
//! long as nothing was computed from it.

use diag::{Diagnostic, Span, code};
use ir::stage::{EvalPlace, InterpolationMode, element_of};
use ir::{Op, Slot, Value, Values};
use ops::{Binary, Compare, Sign, Ty};

use super::{Lower, Lowerer};
use crate::hir::{Arg, Expr, ExprKind};
use crate::library::OfPixels;

impl Lowerer<'_> {
    pub(super) fn of_pixels(
        &mut self,
        function: OfPixels,
        args: &[Arg],
        expr: &Expr,
    ) -> Lower<Values> {
        let mut operands = Vec::new();
        for arg in args {
            operands.push(self.input(arg)?);
        }
        self.builder.span = expr.span;
        if let (OfPixels::AtVertex, [_, Arg::In(Expr { kind: ExprKind::Const(vertex), span, .. })]) =
            (function, args)
            && *vertex > 2
        {
            let message = format!("a primitive has the vertices 0 to 2, not {}", *vertex as i32);
            return Err(self.stop(Diagnostic::new(&code::INDEX_OUT_OF_RANGE, *span, message)));
        }
        let value = operands.first().cloned().unwrap_or_default();
        let rest: Values = operands.into_iter().skip(1).flatten().collect();
        if function == OfPixels::Clip {
            let is_signed = args.first().is_some_and(|arg| self.is_signed(arg));
            self.clip(&value, is_signed)?;
            return Ok(Values::new());
        }
        let mut results = Values::new();
        for scalar in value {
            let slot = self.slot_of(scalar, function, expr.span)?;
            let ty = self.builder.module.ty(scalar);
            let op = match (function, rest.as_slice()) {
                (OfPixels::AtSample, [index]) => {
                    Op::Eval { slot, place: EvalPlace::Sample(*index) }
                }
                (OfPixels::Snapped, [x, y]) => Op::Eval { slot, place: EvalPlace::Snapped(*x, *y) },
                (OfPixels::AtVertex, [vertex]) => Op::InputAt { slot, vertex: *vertex },
                _ => Op::Eval { slot, place: EvalPlace::Centroid },
            };
            results.push(self.value(op, ty));
        }
        Ok(results)
    }

    fn is_signed(&self, arg: &Arg) -> bool {
        let (Arg::In(Expr { ty, .. }) | Arg::Out { ty, .. }) = arg;
        let scalar = self.program.types.scalar_of(*ty);
        scalar.is_some_and(|it| it.is_float() || it.sign() == Sign::Signed)
    }

    /// Discards the lanes for which a component is negative.
    fn clip(&mut self, values: &[Value], is_signed: bool) -> Lower<()> {
        let mut negative: Option<Value> = None;
        for value in values.iter().filter(|_| is_signed) {
            let ty = self.builder.module.ty(*value);
            if ty == Ty::Bool {
                continue;
            }
            let zero = self.value(Op::Const { ty, bits: 0 }, ty);
            let is = self.value(Op::Compare(Compare::Lt(Sign::Signed), *value, zero), Ty::Bool);
            negative = Some(match negative {
                Some(any) => self.value(Op::Binary(Binary::Or, any, is), Ty::Bool),
                None => is,
            });
        }
        let Some(negative) = negative else { return Ok(()) };
        self.if_(
            negative,
            |this| {
                this.builder.inst(Op::Discard, &[]);
                Ok(Values::new())
            },
            |_| Ok(Values::new()),
        )?;
        Ok(())
    }

    /// The input that a value is.
    fn slot_of(&self, value: Value, function: OfPixels, span: Span) -> Lower<Slot> {
        let module = &self.builder.module;
        let op = module.op_of(value);
        let wrong = |message: String, help: &str| {
            let report = Diagnostic::new(&code::TYPE_MISMATCH, span, message);
            Err(self.stop(report.help(help.to_owned())))
        };
        let elements = module.io.as_ref().map_or(&[][..], |it| &it.inputs);
        let Some((slot, element)) = op.and_then(|op| match op {
            Op::Input(slot) => Some((*slot, element_of(elements, *slot)?.0)),
            _ => None,
        }) else {
            return wrong(
                "only an input of the shader can be evaluated again".to_owned(),
                "pass a parameter of the entry point, or a member of one, that nothing has changed",
            );
        };
        let name = format!("{}{}", element.semantic, element.index);
        if element.system.is_some() {
            return wrong(
                format!("the system value `{name}` cannot be evaluated again"),
                "pass an input with a semantic of your own",
            );
        }
        if function == OfPixels::AtVertex && element.interpolation.mode != InterpolationMode::Flat {
            return wrong(
                format!("the input `{name}` is interpolated, so it has no value at a vertex"),
                "declare it `nointerpolation`",
            );
        }
        Ok(slot)
    }
}
