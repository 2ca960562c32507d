//! Ray queries: the flags in their types, and the flags of their methods.

use diag::{Diagnostic, Level, Span, code};
use ops::intrinsics::ShaderModel;
use ops::ray::{FlagProblem, flag_problem, query_flag, ray_flag};

use super::Checker;
use crate::hir::Expr;
use crate::library::rays::{self, RayMethod};
use crate::types::{Object, TypeId};

/// The second template argument came with this shader model.
const QUERY_FLAGS_SINCE: ShaderModel = ShaderModel::V6_9;

impl Checker<'_> {
    /// The flags of a `RayQuery<…>`: those of rays, and above them those of queries.
    pub(super) fn query_flags(&mut self, args: &[(i64, Span)]) -> Option<u32> {
        let (ray, ray_span) = args.first().copied()?;
        let (query, query_span) = args.get(1).copied().unwrap_or((0, ray_span));
        let known = |value: i64, all: u32| u32::try_from(value).ok().filter(|it| it & !all == 0);
        let Some(ray) = known(ray, ray_flag::KNOWN) else {
            let message = format!("{ray:#x} is not a combination of ray flags");
            let report = Diagnostic::new(&code::BAD_TEMPLATE, ray_span, message);
            self.report(report.help("write `RAY_FLAG_NONE`, or flags that start with `RAY_FLAG_`"));
            return None;
        };
        let Some(query) = known(query, query_flag::KNOWN) else {
            let message = format!("{query:#x} is not a combination of flags of ray queries");
            let report = Diagnostic::new(&code::BAD_TEMPLATE, query_span, message);
            let help = "write `RAYQUERY_FLAG_NONE`, or flags that start with `RAYQUERY_FLAG_`";
            self.report(report.help(help));
            return None;
        };
        if args.len() > 1 && self.shader_model() < QUERY_FLAGS_SINCE {
            let what = "the second template argument of `RayQuery`";
            self.use_needs_shader_model(query_span, what, QUERY_FLAGS_SINCE);
        }
        self.flags_agree(ray, None, ray_span);
        if ray & ray_flag::FORCE_OMM_2_STATE != 0
            && query & query_flag::ALLOW_OPACITY_MICROMAPS == 0
        {
            let message =
                "`RAY_FLAG_FORCE_OMM_2_STATE` needs `RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS`";
            let report = Diagnostic::new(&code::RAY_FLAGS, ray_span, message);
            self.report(report.help("add it as the second template argument of `RayQuery`"));
        }
        Some(ray | (query * (Object::RAY_FLAGS + 1)))
    }

    /// Warns about flags that exclude each other: those of the type and, for a trace, its constant ones.
    ///
    /// A warning, since other compilers accept such flags and the call may never be reached.
    fn flags_agree(&mut self, of_type: u32, dynamic: Option<u32>, span: Span) {
        let all = of_type | dynamic.unwrap_or(0);
        let Some(problem @ FlagProblem::Exclusive(..)) = flag_problem(all) else { return };
        // A type that is wrong by itself is reported where it is written.
        if dynamic.is_some() && matches!(flag_problem(of_type), Some(FlagProblem::Exclusive(..))) {
            return;
        }
        let mut report = Diagnostic::new(&code::RAY_FLAGS, span, problem.to_string());
        report.level = Level::Warning;
        self.report(match (dynamic, of_type) {
            (Some(_), 1..) => report.note(format!(
                "the flags in the type of the query, {of_type:#x}, are added to those of the call"
            )),
            _ => report.help("keep one of them"),
        });
    }

    /// Checks a call of a method of a query.
    pub(super) fn query_method(
        &mut self,
        object: TypeId,
        method: RayMethod,
        args: &[Expr],
        span: Span,
    ) {
        let row = rays::by_meaning(method);
        let since = row.since;
        if since > self.shader_model() {
            let name = crate::library::prototype_name(row.prototype);
            self.needs_shader_model(span, name, since);
        }
        let (ir::RayOp::Trace, Some(of_type)) = (method.op, self.types.query_flags(object)) else {
            return;
        };
        let Some(flags) = args.get(1) else { return };
        if let Some(value) = self.integer_of(flags) {
            self.flags_agree(of_type, Some(value as u32), flags.span);
        }
    }
}
