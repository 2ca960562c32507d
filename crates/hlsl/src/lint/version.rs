//! Warnings about wave operations whose active lanes depend on the language version: those in an arm of `?:`, and on
//! the right of `&&` and `||`. Before HLSL 2021 all lanes evaluate them, from then on only the lanes that need the
//! value.
//!
//! A uniform condition makes no difference, so the warning requires a condition that is known to be divergent: one that
//! is computed from a thread's own indices, a lane's index, or a prefix.

use std::cell::OnceCell;

use diag::{Diagnostic, Span, code};
use ops::WaveOp;
use ops::intrinsics::{Intrinsic, Meaning};

use crate::hir::{Arg, Expr, ExprKind, Function, LocalId, Program, StmtKind, SystemValue};
use crate::library::Function as LibraryFunction;
use crate::walk::{each_expr, each_stmt, roots};

/// The deepest expression that is analysed, through variables.
const MOST_DEPTH: usize = 16;

/// Lints all functions of a program.
pub(crate) fn version(program: &Program) -> Vec<Diagnostic> {
    let mut reports = Vec::new();
    for (index, function) in program.functions.iter().enumerate() {
        let is_entry = index == program.entry.function.0 as usize;
        let inputs = if is_entry { program.entry.inputs.as_slice() } else { &[] };
        let reader = Reader { values: OnceCell::new(), function, inputs };
        each_stmt(&function.body, |stmt| {
            for root in roots(stmt) {
                each_expr(root, |expr| reader.expr(expr, &mut reports));
            }
        });
    }
    reports
}

/// The lattice of divergence: whether lanes differ in a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spread {
    Same,
    Unknown,
    Differs,
}

struct Reader<'a> {
    function: &'a Function,
    /// The values assigned to each local in the whole function, computed lazily: few functions need it.
    values: OnceCell<Vec<Vec<&'a Expr>>>,
    /// The bindings of the entry point's parameters.
    inputs: &'a [SystemValue],
}

fn values(function: &Function) -> Vec<Vec<&Expr>> {
    let mut values: Vec<Vec<&Expr>> = function.locals.iter().map(|_| Vec::new()).collect();
    let mut assign = |local: LocalId, value| values[local.0 as usize].push(value);
    each_stmt(&function.body, |stmt| {
        if let StmtKind::Let(local, Some(init)) = &stmt.kind {
            assign(*local, init);
        }
        for root in roots(stmt) {
            each_expr(root, |expr| {
                let (place, value) = match &expr.kind {
                    ExprKind::Assign(place, value) => (place, value),
                    ExprKind::AssignOp { place, value, .. } => (place, value),
                    _ => return,
                };
                if let ExprKind::Local(local) = place.kind {
                    assign(local, value);
                }
            });
        }
    });
    values
}

impl<'a> Reader<'a> {
    fn expr(&self, expr: &Expr, reports: &mut Vec<Diagnostic>) {
        let (cond, arms, what) = match &expr.kind {
            ExprKind::Logic { and, lhs, rhs, .. } => {
                (lhs, [Some(rhs), None], if *and { "`&&`" } else { "`||`" })
            }
            ExprKind::Conditional { cond, then, else_, .. } => {
                (cond, [Some(then), Some(else_)], "`?:`")
            }
            _ => return,
        };
        let mut found: Vec<(&Intrinsic, Span)> = Vec::new();
        for arm in arms.into_iter().flatten() {
            each_expr(arm, |inner| {
                if let ExprKind::Wave { intrinsic, .. } = &inner.kind
                    && depends_on_active_lanes(intrinsic)
                {
                    found.push((intrinsic, inner.span));
                }
            });
        }
        if !found.is_empty() && self.spread(cond, 0) == Spread::Differs {
            let report = |(it, span): (&Intrinsic, Span)| report(it.name, span, cond.span, what);
            reports.extend(found.into_iter().map(report));
        }
    }

    fn spread(&self, expr: &Expr, depth: usize) -> Spread {
        if depth > MOST_DEPTH {
            return Spread::Unknown;
        }
        let all = |exprs: &mut dyn Iterator<Item = &Expr>| {
            exprs.map(|it| self.spread(it, depth + 1)).max().unwrap_or(Spread::Same)
        };
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Resource(_) => Spread::Same,
            ExprKind::Local(local) => self.local(*local, depth),
            ExprKind::Field(inner, _)
            | ExprKind::Swizzle(inner, _)
            | ExprKind::MatrixSwizzle(inner, _)
            | ExprKind::Unary(_, inner)
            | ExprKind::Convert(inner) => self.spread(inner, depth + 1),
            // `t / WaveGetLaneCount()` and `t < WaveGetLaneCount()` differ between waves, not between the lanes of one.
            ExprKind::Binary(_, a, b) if is_lane_count(a) || is_lane_count(b) => Spread::Unknown,
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Logic { lhs: a, rhs: b, .. } => all(&mut [&**a, &**b].into_iter()),
            ExprKind::Conditional { cond, then, else_, .. } => {
                all(&mut [&**cond, &**then, &**else_].into_iter())
            }
            ExprKind::Construct(parts) => all(&mut parts.iter()),
            ExprKind::Wave { intrinsic, .. } => match intrinsic.meaning {
                Meaning::Wave(op) => match op.facts().spread {
                    ops::wave::Spread::LaneIndex | ops::wave::Spread::ByPlace => Spread::Differs,
                    ops::wave::Spread::Uniform => Spread::Same,
                    ops::wave::Spread::Operands(_) | ops::wave::Spread::Any => Spread::Unknown,
                },
                Meaning::Barrier(_) => Spread::Unknown,
            },
            ExprKind::Library { function: LibraryFunction::Pure(_), args } => {
                let inputs = args.iter().filter_map(|it| match it {
                    Arg::In(it) => Some(it),
                    Arg::Out { .. } => None,
                });
                all(&mut inputs.into_iter())
            }
            // Memory is not tracked, and calls are not analysed.
            ExprKind::Global(_)
            | ExprKind::Assign(..)
            | ExprKind::AssignOp { .. }
            | ExprKind::Step { .. }
            | ExprKind::Call { .. }
            | ExprKind::Library { .. }
            | ExprKind::Method { .. }
            | ExprKind::Comma(..) => Spread::Unknown,
        }
    }

    fn local(&self, local: LocalId, depth: usize) -> Spread {
        let index = local.0 as usize;
        if index < self.function.params.len() {
            return match self.inputs.get(index) {
                Some(SystemValue::GroupId | SystemValue::ViewId) => Spread::Same,
                Some(
                    SystemValue::GroupThreadId
                    | SystemValue::DispatchThreadId
                    | SystemValue::GroupIndex,
                ) => Spread::Differs,
                Some(
                    SystemValue::Payload
                    | SystemValue::Vertices
                    | SystemValue::Indices
                    | SystemValue::Primitives,
                )
                | None => Spread::Unknown,
            };
        }
        // With several assignments the value may depend on control flow, so only variables with one value are analysed.
        match self.values.get_or_init(|| values(self.function))[index].as_slice() {
            [only] => self.spread(only, depth + 1),
            _ => Spread::Unknown,
        }
    }
}

fn is_lane_count(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Convert(inner) => is_lane_count(inner),
        ExprKind::Wave { intrinsic, .. } => intrinsic.meaning == Meaning::Wave(WaveOp::LaneCount),
        _ => false,
    }
}

/// Whether a lane's result can depend on which other lanes are active.
fn depends_on_active_lanes(intrinsic: &Intrinsic) -> bool {
    match intrinsic.meaning {
        // The participating lanes are an operand.
        Meaning::Wave(_) if intrinsic.is_masked() => false,
        Meaning::Wave(op) => op.sees_lanes(),
        Meaning::Barrier(_) => false,
    }
}

fn report(name: &str, at: Span, cond: Span, what: &str) -> Diagnostic {
    Diagnostic::new(
        &code::VERSION_DEPENDENT_ARM,
        at,
        format!("the lanes that evaluate `{name}` here depend on the language version"),
    )
    .also(cond, "this differs between lanes")
    .note(format!(
        "{what} evaluates in all lanes before HLSL 2021, and only in those that need it from then on"
    ))
    .help("for all lanes, assign it to a variable first; for some lanes, write an `if`")
}
