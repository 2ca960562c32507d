//! Attributes: `[numthreads]`, `[WaveSize]`, and which others there are.

use diag::{Diagnostic, Span, code};
use ir::WaveSize;
use ops::intrinsics::ShaderModel;

use super::Checker;
use super::scope::most_similar;
use crate::ast::{self, Attribute};
use crate::types::Types;

/// Attributes of functions that are known; only some of them matter here.
const OF_FUNCTIONS: &[&str] = &[
    "numthreads",
    "WaveSize",
    "shader",
    "RootSignature",
    "WaveOpsIncludeHelperLanes",
    "noinline",
    "earlydepthstencil",
    "maxvertexcount",
    "instance",
    "domain",
    "partitioning",
    "outputtopology",
    "outputcontrolpoints",
    "patchconstantfunc",
    "maxtessfactor",
    "clipplanes",
    "NodeLaunch",
    "NodeIsProgramEntry",
    "NodeID",
    "NodeDispatchGrid",
    "NodeMaxDispatchGrid",
    "NodeMaxRecursionDepth",
    "NodeLocalRootArgumentsTableIndex",
    "NodeShareInputOf",
    "experimental",
    "raypayload",
];

const OF_STATEMENTS: &[&str] =
    &["unroll", "loop", "branch", "flatten", "allow_uav_condition", "fastopt", "call", "forcecase"];

const MOST_THREADS: i64 = 1024;
const MOST_THREADS_IN_Z: i64 = 64;

pub(super) fn is(attribute: &Attribute, name: &str) -> bool {
    attribute.scope.is_none() && attribute.name.name.eq_ignore_ascii_case(name)
}

/// Warns about an attribute of a function that nobody knows.
pub(super) fn report_unknown(checker: &mut Checker, attribute: &Attribute) {
    unknown(checker, attribute, OF_FUNCTIONS);
}

/// Warns about an attribute of a statement that nobody knows.
pub(super) fn report_unknown_on_statement(checker: &mut Checker, attribute: &Attribute) {
    unknown(checker, attribute, OF_STATEMENTS);
}

fn unknown(checker: &mut Checker, attribute: &Attribute, known: &[&'static str]) {
    if attribute.scope.is_some() || known.iter().any(|it| is(attribute, it)) {
        return;
    }
    let name = &attribute.name;
    let message = format!("`{}` is no attribute that has a meaning here", name.name);
    let mut report = Diagnostic::new(&code::UNKNOWN_ATTRIBUTE, name.span, message);
    if let Some(near) = most_similar(&name.name, known.iter().copied()) {
        report = report.fix(format!("a similar name is `{near}`"), name.span, near);
    }
    checker.report(report);
}

impl<'a> Checker<'a> {
    /// The value of an attribute's argument; `None` after a report.
    fn attribute_value(&mut self, arg: &'a ast::Expr, attribute: &Attribute) -> Option<i64> {
        let (value, checked) =
            self.constant_integer(arg, &format!("an argument of `{}`", attribute.name.name))?;
        (checked.ty != Types::ERROR).then_some(value)
    }

    /// `[numthreads(x, y, z)]` of the entry point.
    pub(super) fn numthreads(&mut self, attribute: &'a Attribute) -> Option<[u32; 3]> {
        if attribute.args.len() != 3 {
            let message =
                format!("`numthreads` takes 3 arguments, and {} stand here", attribute.args.len());
            self.error(&code::BAD_ATTRIBUTE, attribute.span, message);
            return None;
        }
        let mut size = [0; 3];
        let mut product: i64 = 1;
        for (i, arg) in attribute.args.iter().enumerate() {
            let value = self.attribute_value(arg, attribute)?;
            let most = if i == 2 { MOST_THREADS_IN_Z } else { MOST_THREADS };
            if !(1..=most).contains(&value) {
                let axis = ["x", "y", "z"][i];
                let message =
                    format!("a group has 1 to {most} threads in {axis}, and this is {value}");
                self.error(&code::BAD_ATTRIBUTE, arg.span, message);
                return None;
            }
            size[i] = value as u32;
            product *= value;
        }
        if product > MOST_THREADS {
            let message =
                format!("a group has at most {MOST_THREADS} threads, and these are {product}");
            self.error(&code::BAD_ATTRIBUTE, attribute.span, message);
            return None;
        }
        Some(size)
    }

    /// All `[WaveSize]` of the entry point.
    pub(super) fn wave_size(&mut self, attributes: &'a [Attribute]) -> Option<WaveSize> {
        let mut found: Option<(WaveSize, Span)> = None;
        for attribute in attributes.iter().filter(|it| is(it, "WaveSize")) {
            let size = self.one_wave_size(attribute)?;
            match found {
                Some((before, span)) if before != size => {
                    let report = Diagnostic::new(
                        &code::BAD_WAVE_SIZE,
                        attribute.span,
                        "two `WaveSize` attributes contradict each other",
                    );
                    self.report(report.also(span, "the first one"));
                    return None;
                }
                Some(_) => {}
                None => found = Some((size, attribute.span)),
            }
        }
        Some(found.map_or_else(WaveSize::default, |it| it.0))
    }

    fn one_wave_size(&mut self, attribute: &'a Attribute) -> Option<WaveSize> {
        let span = attribute.span;
        let args = &attribute.args;
        if args.is_empty() || args.len() > 3 {
            let message =
                format!("`WaveSize` takes 1 to 3 arguments, and {} stand here", args.len());
            self.error(&code::BAD_WAVE_SIZE, span, message);
            return None;
        }
        if self.shader_model() < ShaderModel::V6_6 {
            self.needs_shader_model(span, "WaveSize", ShaderModel::V6_6);
            return None;
        }
        if args.len() > 1 && self.shader_model() < ShaderModel::V6_8 {
            self.needs_shader_model(span, "WaveSize with several arguments", ShaderModel::V6_8);
            return None;
        }
        let mut values = Vec::new();
        for arg in args {
            let value = self.attribute_value(arg, attribute)?;
            if !(4..=128).contains(&value) || value & (value - 1) != 0 {
                let message =
                    format!("a wave has 4, 8, 16, 32, 64 or 128 lanes, and this is {value}");
                self.error(&code::BAD_WAVE_SIZE, arg.span, message);
                return None;
            }
            values.push((value as u32, arg.span));
        }
        let (min, _) = values[0];
        let Some((max, max_span)) = values.get(1).copied() else {
            return Some(WaveSize { min, max: 0, preferred: 0 });
        };
        if min >= max {
            let message = match min == max {
                true => format!("the range of wave sizes from {min} to {max} has one size only"),
                false => format!("the smallest wave size is {min} and the largest {max}"),
            };
            let report = Diagnostic::new(&code::BAD_WAVE_SIZE, max_span, message);
            let remedy = match min == max {
                true => report.help(format!("write `[WaveSize({min})]`")),
                false => report.help("the smallest comes first"),
            };
            self.report(remedy);
            return None;
        }
        let preferred = values.get(2).copied();
        if let Some((preferred, span)) = preferred
            && !(min..=max).contains(&preferred)
        {
            let message =
                format!("the preferred wave size is {preferred}, and must be from {min} to {max}");
            self.error(&code::BAD_WAVE_SIZE, span, message);
            return None;
        }
        Some(WaveSize { min, max, preferred: preferred.map_or(0, |it| it.0) })
    }
}
