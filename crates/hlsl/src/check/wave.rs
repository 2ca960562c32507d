//! Calls of wave and quad functions, checked against the rows of [`ops::intrinsics`].

use diag::{Diagnostic, Span, code};
use ops::intrinsics::{
    Elements, Found, Intrinsic, Origin, Output, Param, ShaderModel, Stage, Stages,
};

use super::stage::with_article;
use super::{Checker, entry};
use crate::ast;
use crate::hir::{Expr, ExprKind};
use crate::options::Dialect;
use crate::types::convert;
use crate::types::{ResourceType, Scalar, Type, TypeId, Types};

impl Checker<'_> {
    pub(super) fn needs_shader_model(&mut self, span: Span, name: &str, since: ShaderModel) {
        self.use_needs_shader_model(span, &format!("`{name}`"), since);
    }

    /// The same for a use described in words.
    pub(super) fn use_needs_shader_model(&mut self, span: Span, what: &str, since: ShaderModel) {
        let have = self.shader_model();
        let report = Diagnostic::new(
            &code::NEEDS_SHADER_MODEL,
            span,
            format!("{what} requires shader model {since}, but the profile has {have}"),
        );
        let stage = entry::profile_word(self.options.stage);
        self.gate(
            report.help(format!("compile with `-T {stage}_{}_{}`", since.major, since.minor)),
        );
    }

    /// Derivatives are available where quads exist, in compute shaders from shader model 6.6 on.
    pub(super) fn gate_derivatives(&mut self, span: Span, name: &str) {
        if !Stages::QUADS.contains(self.stage) {
            let word = with_article(entry::stage_word(self.stage));
            let message = format!(
                "`{name}` takes derivatives, which {word} shader does not have: its lanes form no quads"
            );
            self.gate(Diagnostic::new(&code::WRONG_STAGE, span, message));
        }
        let is_compute = self.stage == Stage::Compute || self.stage.is_of_meshlets();
        if is_compute && self.shader_model() < ShaderModel::V6_6 {
            self.needs_shader_model(span, name, ShaderModel::V6_6);
        }
    }

    /// Atomic operations are limited to 32 bits before shader model 6.6.
    pub(super) fn gate_wide_atomic(&mut self, place: TypeId, name: &str, span: Span) {
        let is_wide = matches!(self.types.scalar_of(place), Some(Scalar::I64 | Scalar::U64));
        if is_wide && self.shader_model() < ShaderModel::V6_6 {
            let what = format!("`{name}` on 64-bit integers");
            self.use_needs_shader_model(span, &what, ShaderModel::V6_6);
        }
    }

    /// Integer textures can be sampled from shader model 6.7 on, always in Vulkan, and never with a comparison.
    pub(super) fn gate_integer_sampling(&mut self, texture: TypeId, method: &str, span: Span) {
        let Type::Resource(ResourceType::Texture { element, .. }) = self.types.get(texture) else {
            return;
        };
        let is_integer = self.types.scalar_of(element).is_some_and(Scalar::is_int);
        if !is_integer || !method.starts_with("Sample") {
            return;
        }
        if method.starts_with("SampleCmp") {
            let name = self.name_of(texture);
            let message = format!("`{method}` compares floats, but this is a `{name}`");
            self.error(&code::TYPE_MISMATCH, span, message);
        } else if self.shader_model() < ShaderModel::V6_7 && !self.options.spirv {
            let what = format!("`{method}` from a texture of integers");
            self.use_needs_shader_model(span, &what, ShaderModel::V6_7);
        }
    }

    /// The type that a value converts to for a parameter, or the reason why it is rejected.
    fn wave_value(&mut self, elements: Elements, arg: &Expr) -> Option<TypeId> {
        let given = self.settled(arg);
        let scalar = self.types.scalar_of(given)?;
        let is_literal = arg.ty != given;
        let wanted = match elements {
            Elements::Any => scalar,
            Elements::Numeric if scalar == Scalar::Bool => Scalar::I32,
            Elements::Numeric => scalar,
            Elements::Integer | Elements::UnsignedInDxc if scalar.is_float() => return None,
            Elements::Integer | Elements::UnsignedInDxc if scalar == Scalar::Bool => Scalar::U32,
            Elements::UnsignedInDxc if is_literal && scalar == Scalar::I32 => Scalar::U32,
            Elements::Integer | Elements::UnsignedInDxc => scalar,
        };
        Some(self.types.with_scalar(given, wanted))
    }

    /// The type of one parameter for an argument.
    fn wave_param(&mut self, param: Param, arg: &Expr) -> Option<TypeId> {
        let ty = match param {
            Param::Value(elements) => return self.wave_value(elements, arg),
            Param::Bool => Types::BOOL,
            Param::LaneIndex
            | Param::ConstantLane
            | Param::Distance
            | Param::ClusterSize
            | Param::QuadIndex
            | Param::WaveMask => Types::UINT,
            Param::Lanes => self.types.vector(Scalar::U32, 4),
        };
        convert::implicit(&self.types, arg.ty, ty).map(|_| ty)
    }

    /// The types of the parameters for these arguments, if the function takes them.
    pub(super) fn wave_params(
        &mut self,
        intrinsic: &Intrinsic,
        args: &[Expr],
    ) -> Option<Vec<TypeId>> {
        if args.len() != intrinsic.params.len() {
            return None;
        }
        intrinsic.params.iter().zip(args).map(|(param, arg)| self.wave_param(*param, arg)).collect()
    }

    pub(super) fn wave(
        &mut self,
        found: Found,
        ident: &ast::Ident,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let intrinsic = found.intrinsic;
        let name = ident.name.as_str();
        self.wave_name(found, ident);
        if args.len() != intrinsic.params.len() {
            let message = format!(
                "`{name}` takes {}, but {} given",
                arguments(intrinsic.params.len()),
                were(args.len())
            );
            let report = Diagnostic::new(&code::NO_MATCHING_FUNCTION, span, message);
            self.report(report.note(format!("`{}`: {}", signature(intrinsic), intrinsic.summary)));
            return self.broken(span);
        }
        let mut value = None;
        let mut passed = Vec::with_capacity(args.len());
        for (param, arg) in intrinsic.params.iter().zip(args) {
            let Some(ty) = self.wave_param(*param, &arg) else {
                let message =
                    format!("`{name}` takes {}, not `{}`", words(*param), self.name_of(arg.ty));
                let report = Diagnostic::new(&code::NO_MATCHING_FUNCTION, arg.span, message);
                self.report(report.note(format!(
                    "candidate: `{}`, {}",
                    signature(intrinsic),
                    intrinsic.summary
                )));
                return self.broken(span);
            };
            if matches!(param, Param::Value(_)) {
                value = Some(ty);
            }
            if *param == Param::Value(Elements::UnsignedInDxc) {
                self.unsigned_in_dxc(name, ty, arg.span);
            }
            let arg = self.coerce(arg, ty);
            self.require_constant(*param, name, &arg);
            passed.push(arg);
        }
        if passed.iter().any(|it| it.ty == Types::ERROR) {
            return self.broken(span);
        }
        self.wave_gates(found, name, ident.span);
        let output = found.result();
        let value = value.unwrap_or(Types::UINT);
        let ty = match output {
            Output::Void => Types::VOID,
            Output::Bool => Types::BOOL,
            Output::BoolShape => self.types.with_scalar(value, Scalar::Bool),
            Output::Uint | Output::WaveMask => Types::UINT,
            Output::Uint4 => self.types.vector(Scalar::U32, 4),
            Output::Value => value,
        };
        Expr { kind: ExprKind::Wave { intrinsic, output, args: passed }, ty, span }
    }

    /// Warns about names that other compilers do not accept.
    fn wave_name(&mut self, found: Found, ident: &ast::Ident) {
        let origin = found.alias.map_or(found.intrinsic.origin, |it| it.origin);
        let name = &ident.name;
        let shipped = found.intrinsic.name;
        match origin {
            Origin::Hlsl => {}
            Origin::Draft => {
                let report = Diagnostic::new(
                    &code::DRAFT_NAME,
                    ident.span,
                    format!(
                        "`{name}` is a name from the draft of 2015; HLSL shipped it as `{shipped}`"
                    ),
                );
                self.report(report.fix(format!("write `{shipped}`"), ident.span, shipped));
            }
            Origin::Slang => {
                if self.options.dialect != Dialect::Slang {
                    let report = Diagnostic::new(
                        &code::SLANG_ONLY,
                        ident.span,
                        format!("`{name}` is a function of Slang, which DXC does not have"),
                    );
                    self.report(report.help("compile with `--dialect slang` if this is intended"));
                }
            }
        }
    }

    fn unsigned_in_dxc(&mut self, name: &str, ty: TypeId, span: Span) {
        if matches!(self.types.scalar_of(ty), Some(Scalar::U32 | Scalar::U64)) {
            return;
        }
        let given = self.name_of(ty);
        let report = Diagnostic::new(
            &code::DXC_PORTABILITY,
            span,
            format!("DXC takes `uint` and `uint64_t` for `{name}`, not `{given}`"),
        );
        self.report(
            report.help("cast it to `uint`, which gives the same bits and compiles everywhere"),
        );
    }

    /// Checks immediate operands: lane indices of broadcasts, and cluster sizes.
    fn require_constant(&mut self, param: Param, name: &str, arg: &Expr) {
        if arg.ty == Types::ERROR {
            return;
        }
        let value = self.integer_of(arg);
        match (param, value) {
            (Param::ConstantLane | Param::ClusterSize, None) => {
                let message = format!("{} of `{name}` must be known at compile time", words(param));
                self.error(&code::NOT_CONSTANT, arg.span, message);
            }
            (Param::ClusterSize, Some(size))
                if size < 1 || size & (size - 1) != 0 || size > 128 =>
            {
                let message =
                    format!("the size of a cluster must be a power of two up to 128, not {size}");
                self.error(&code::INDEX_OUT_OF_RANGE, arg.span, message);
            }
            (Param::ConstantLane, Some(lane)) if !(0..128).contains(&lane) => {
                let message = format!("a wave has at most 128 lanes, so there is no lane {lane}");
                self.error(&code::INDEX_OUT_OF_RANGE, arg.span, message);
            }
            (Param::QuadIndex, Some(lane)) if !(0..4).contains(&lane) => {
                let message = format!("a quad has the lanes 0 to 3, not {lane}");
                self.error(&code::INDEX_OUT_OF_RANGE, arg.span, message);
            }
            _ => {}
        }
    }

    fn wave_gates(&mut self, found: Found, name: &str, span: Span) {
        let intrinsic = found.intrinsic;
        if intrinsic.since > self.shader_model() {
            self.needs_shader_model(span, name, intrinsic.since);
        }
        if !intrinsic.stages.contains(self.stage) {
            let message = self.unavailable(&format!("`{name}`"));
            self.gate(Diagnostic::new(&code::WRONG_STAGE, span, message));
        }
    }
}

fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}

fn were(count: usize) -> String {
    if count == 1 { "1 was".to_owned() } else { format!("{count} were") }
}

/// A description of what a parameter takes, for messages.
fn words(param: Param) -> &'static str {
    match param {
        Param::Value(Elements::Any) => "a number, a vector or a matrix",
        Param::Value(Elements::Numeric) => "a number, a vector or a matrix",
        Param::Value(Elements::Integer | Elements::UnsignedInDxc) => {
            "an integer or a vector or matrix of them"
        }
        Param::Bool => "a `bool`",
        Param::LaneIndex | Param::ConstantLane => "the index of a lane",
        Param::Distance => "a distance",
        Param::ClusterSize => "the size of a cluster",
        Param::QuadIndex => "the index of a lane in its quad",
        Param::Lanes => "a `uint4` of lanes",
        Param::WaveMask => "a `uint` of lanes",
    }
}

/// A signature such as `uint4 WaveMultiPrefixSum(T value, uint4 lanes)`.
fn signature(intrinsic: &Intrinsic) -> String {
    let param = |param: &Param| match param {
        Param::Value(Elements::Any | Elements::Numeric) => "T value",
        Param::Value(Elements::Integer) => "integer T value",
        Param::Value(Elements::UnsignedInDxc) => "unsigned T value",
        Param::Bool => "bool condition",
        Param::LaneIndex | Param::ConstantLane => "uint lane",
        Param::Distance => "uint delta",
        Param::ClusterSize => "constant uint size",
        Param::QuadIndex => "uint lane",
        Param::Lanes => "uint4 lanes",
        Param::WaveMask => "uint lanes",
    };
    let params: Vec<&str> = intrinsic.params.iter().map(param).collect();
    let result = match intrinsic.result {
        Output::Void => "void",
        Output::Bool => "bool",
        Output::BoolShape => "bool<…>",
        Output::Uint | Output::WaveMask => "uint",
        Output::Uint4 => "uint4",
        Output::Value => "T",
    };
    format!("{result} {}({})", intrinsic.name, params.join(", "))
}
