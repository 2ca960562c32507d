//! The entry point: the choice of the function, its attributes, and the bindings of its parameters.

use diag::{Diagnostic, Span, code, most_similar};
use ir::WaveSize;

use super::scope::{Callee, Scopes, ValueEntity};
use super::{Checker, attr, semantic};
use crate::ast::{self, Annotation, AnnotationKind};
use crate::hir::{self, Arg, Expr, ExprKind, FunctionId, LocalId, Stmt, StmtKind, SystemValue};
use crate::options::{PROFILES, Stage};
use crate::types::{Mode, Scalar, StructId, Type, TypeId, Types};

/// The entry point as [`super::reach`] takes it.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) function: FunctionId,
    /// A second function that the stage runs: the patch-constant function of a hull shader.
    pub(super) beside: Option<FunctionId>,
    pub(super) stage: Stage,
    pub(super) group_size: [u32; 3],
    pub(super) wave_size: WaveSize,
    pub(super) inputs: Vec<SystemValue>,
    /// The inputs and outputs of a stage of a draw that does not run in groups.
    pub(super) signature: Option<hir::Signature>,
    /// Those of the function beside a hull shader.
    pub(super) patch: Option<hir::Signature>,
    /// What a mesh or amplification shader passes on.
    pub(super) group: Option<hir::Group>,
    /// A wrapper that assembles structs of inputs and calls the entry point, if that takes structs.
    pub(super) wrapper: Option<hir::Function>,
    pub(super) span: Span,
}

pub(crate) fn stage_word(stage: Stage) -> &'static str {
    stage.word()
}

/// The stage named in `[shader("…")]`.
pub(crate) fn stage_of_word(word: &str) -> Option<Stage> {
    Some(match word {
        "vertex" => Stage::Vertex,
        "hull" => Stage::Hull,
        "domain" => Stage::Domain,
        "geometry" => Stage::Geometry,
        "pixel" => Stage::Pixel,
        "compute" => Stage::Compute,
        "amplification" => Stage::Amplification,
        "mesh" => Stage::Mesh,
        "node" => Stage::Node,
        "raygeneration" | "intersection" | "anyhit" | "closesthit" | "miss" | "callable" => {
            Stage::RayTracing
        }
        _ => return None,
    })
}

/// The stage name in the `[shader("…")]` of a function.
pub(crate) fn shader_word(attributes: &[ast::Attribute]) -> Option<&str> {
    attr::find(attributes, "shader").and_then(|it| attr::text(it, 0))
}

/// The stage that the attributes of a function give.
pub(crate) fn declared_stage(attributes: &[ast::Attribute]) -> Option<Stage> {
    let has = |name: &str| attributes.iter().any(|it| attr::is(it, name));
    if let Some(word) = shader_word(attributes) {
        return stage_of_word(word);
    }
    if has("numthreads") {
        return Some(if has("outputtopology") { Stage::Mesh } else { Stage::Compute });
    }
    if has("domain") {
        return Some(if has("patchconstantfunc") { Stage::Hull } else { Stage::Domain });
    }
    if has("maxvertexcount") {
        return Some(Stage::Geometry);
    }
    has("earlydepthstencil").then_some(Stage::Pixel)
}

/// The stage that functions are checked for, with the kind of a ray-tracing shader: the profile's, or in a library the
/// one that the entry point's attributes give, or else compute.
pub(super) fn stage_of(file: &ast::File, profile: Stage, entry: &str) -> (Stage, Option<String>) {
    if profile != Stage::Library {
        return (profile, None);
    }
    let mut own = file.items.iter().rev().filter(|item| match &item.kind {
        ast::ItemKind::Function(it) => it.name.as_plain().is_some_and(|it| it.name == *entry),
        _ => false,
    });
    let stage = own.find_map(|it| Some((declared_stage(&it.attributes)?, &it.attributes)));
    match stage {
        Some((Stage::RayTracing, attributes)) => {
            (Stage::RayTracing, shader_word(attributes).map(str::to_owned))
        }
        Some((stage, _)) => (stage, None),
        None => (Stage::Compute, None),
    }
}

/// The stage in the name of a profile.
pub(super) fn profile_word(stage: Stage) -> &'static str {
    PROFILES.iter().find(|it| it.1 == stage).map_or("lib", |it| it.0)
}

/// The parameters of a wrapper: each is one system value.
pub(super) type Leaves = Vec<(SystemValue, hir::Local)>;

/// Adds a parameter; returns the expression for it.
pub(super) fn leaf(
    value: SystemValue,
    name: String,
    ty: TypeId,
    span: Span,
    leaves: &mut Leaves,
) -> Expr {
    leaves.push((value, hir::Local { name, ty, span }));
    Expr { kind: ExprKind::Local(LocalId(leaves.len() as u32 - 1)), ty, span }
}

impl<'a> Checker<'a> {
    pub(super) fn entry_point(&mut self, file: &'a ast::File, wanted: &str) -> Option<Entry> {
        let id = self.entry_function(file, wanted)?;
        let function = self.function(id);
        let (span, attributes) = (function.span, function.attributes);
        if let Some(word) = shader_word(attributes)
            && let Some(stage) = stage_of_word(word)
            && stage != self.stage
        {
            let actual = super::stage::with_article(stage_word(stage));
            let wanted = stage_word(self.stage);
            let message =
                format!("this is {actual} shader, but the profile is for {wanted} shaders");
            let report = Diagnostic::new(&code::BAD_ENTRY_POINT, span, message);
            let profile = profile_word(stage);
            self.report(report.help(format!("compile it with `-T {profile}_6_6`")));
            return None;
        }
        if !self.entry_attributes(attributes)
            || !self.signature_takes_no_long_vector(id, "an entry point")
        {
            return None;
        }
        match self.stage {
            Stage::Compute => self.compute_entry(id),
            _ => self.stage_entry(id),
        }
    }

    fn compute_entry(&mut self, id: FunctionId) -> Option<Entry> {
        let function = self.function(id);
        let (span, attributes, result) = (function.span, function.attributes, function.result);
        if let Some((stage, profile, semantic)) = self.meant_stage(id) {
            let message = format!(
                "`{semantic}` belongs to a {stage} shader, and this is compiled as a compute shader"
            );
            let report = Diagnostic::new(&code::BAD_ENTRY_POINT, span, message);
            self.report(report.help(format!("`-T {profile}_6_0` compiles a {stage} shader")));
            return None;
        }
        let group_size = self.group_size(id);
        let wave_size = self.wave_size(attributes);
        if result != Types::VOID && result != Types::ERROR {
            let message =
                format!("a compute shader returns `void`, not `{}`", self.name_of(result));
            self.error(&code::BAD_ENTRY_POINT, span, message);
            return None;
        }
        let group_size = group_size?;
        if let Some(size) = wave_size {
            self.partial_waves(attributes, size, group_size);
        }
        let (inputs, wrapper) = self.inputs(id)?;
        Some(Entry {
            function: id,
            beside: None,
            stage: Stage::Compute,
            group_size,
            wave_size: wave_size?,
            inputs,
            signature: None,
            patch: None,
            group: None,
            wrapper,
            span,
        })
    }

    /// The stage that an entry point without `[numthreads]` was written for, by the semantic of its result.
    fn meant_stage(&self, id: FunctionId) -> Option<(&'static str, &'static str, String)> {
        let function = self.function(id);
        if attr::find(function.attributes, "numthreads").is_some() {
            return None;
        }
        let semantic = semantic_of(&function.ast.annotations)?.name.to_string();
        let lower = semantic.to_ascii_lowercase();
        if lower.starts_with("sv_target") || lower.starts_with("sv_depth") {
            Some(("pixel", "ps", semantic))
        } else if lower == "sv_position" {
            Some(("vertex", "vs", semantic))
        } else {
            None
        }
    }

    /// The required `[numthreads]` of an entry point.
    pub(super) fn group_size(&mut self, id: FunctionId) -> Option<[u32; 3]> {
        let function = self.function(id);
        let (span, attributes) = (function.span, function.attributes);
        if let Some(size) = attr::find(attributes, "numthreads") {
            return self.numthreads(size);
        }
        let word = super::stage::with_article(stage_word(self.stage));
        let message = format!("{word} shader needs `[numthreads(x, y, z)]` before its entry point");
        let report = Diagnostic::new(&code::BAD_ENTRY_POINT, span, message);
        self.report(report.help("`[numthreads(32, 1, 1)]` makes groups of 32 threads in a row"));
        None
    }

    fn entry_function(&mut self, file: &'a ast::File, wanted: &str) -> Option<FunctionId> {
        let found = self.scopes.value_in(Scopes::FILE, wanted).map(|it| it.entity);
        let callees = match found {
            Some(ValueEntity::Functions(callees)) => callees,
            _ => Vec::new(),
        };
        let functions: Vec<FunctionId> = callees
            .iter()
            .filter_map(|it| match *it {
                Callee::Function(id) if self.function(id).definition.is_some() => Some(id),
                Callee::Function(_) | Callee::Template(_) => None,
            })
            .collect();
        let has_size = |id: &&FunctionId| {
            self.function(**id).attributes.iter().any(|it| attr::is(it, "numthreads"))
        };
        if let Some(id) = functions.iter().rfind(has_size).or(functions.last()) {
            return Some(*id);
        }
        if self.sink.has_errors() {
            // The function may be declared with errors.
            return None;
        }
        // The sources begin with the main file, where a file without declarations is reported.
        let at = file.items.last().map_or(Span::new(0, 0), |it| it.span.end());
        let mut report = Diagnostic::new(
            &code::NO_ENTRY_POINT,
            at,
            format!("the entry point `{wanted}` is not declared"),
        );
        // An entry point is a function of the file: neither a method nor in a namespace.
        let chosen = |it: &&super::func::Function| {
            it.definition.is_some() && it.this.is_none() && it.scope == Scopes::FILE
        };
        let is_entry = |it: &&super::func::Function| {
            it.attributes.iter().any(|it| attr::is(it, "numthreads") || attr::is(it, "shader"))
        };
        let functions: Vec<&super::func::Function> = self.functions.iter().filter(chosen).collect();
        let candidates: Vec<(String, Span)> = functions
            .iter()
            .copied()
            .filter(is_entry)
            .map(|it| (it.name.clone(), it.span))
            .collect();
        let entries = candidates.iter().map(|it| it.0.as_str());
        let near = most_similar(wanted, entries)
            .or_else(|| most_similar(wanted, functions.iter().map(|it| it.name.as_str())));
        // The default name is not a slip of the pen.
        if let Some(near) = near.filter(|_| wanted != "main") {
            report = report.help(format!("did you mean `-E {near}`?"));
        }
        for (name, span) in candidates.iter().take(5) {
            report = report.also(*span, format!("`-E {name}` selects this one"));
        }
        if let (true, "main") = (candidates.is_empty(), wanted) {
            for function in functions.iter().take(5) {
                report =
                    report.also(function.span, format!("`-E {}` selects this one", function.name));
            }
        }
        self.report(report);
        None
    }

    // Inputs.

    /// The bindings of the parameters of the entry point, or of its wrapper.
    fn inputs(&mut self, id: FunctionId) -> Option<(Vec<SystemValue>, Option<hir::Function>)> {
        let params = self.function(id).params.clone();
        let written = &self.function(id).ast.params;
        let mut leaves = Leaves::new();
        let mut args = Vec::new();
        let mut has_structs = false;
        let mut fine = true;
        for (param, written) in params.iter().zip(written) {
            if param.mode != Mode::In {
                self.error(
                    &code::BAD_ENTRY_POINT,
                    param.span,
                    "the parameters of a compute entry point must be inputs",
                );
                return None;
            }
            if param.ty == Types::ERROR {
                return None;
            }
            has_structs |= matches!(self.types.get(param.ty), Type::Struct(_));
            let name = param.name.map_or(String::new(), |it| it.name.to_string());
            match self.input(&name, param.ty, &written.annotations, param.span, &mut leaves) {
                Some(arg) => args.push(Arg::In(arg)),
                None => fine = false,
            }
        }
        if !fine {
            return None;
        }
        let inputs: Vec<SystemValue> = leaves.iter().map(|it| it.0).collect();
        if !has_structs {
            return Some((inputs, None));
        }
        Some((inputs, Some(self.wrapper(id, args, leaves))))
    }

    /// A function whose parameters are the leaves, and which calls the entry point.
    pub(super) fn wrapper(
        &self,
        entry: FunctionId,
        args: Vec<Arg>,
        leaves: Leaves,
    ) -> hir::Function {
        let function = self.function(entry);
        let span = function.span;
        let call = Expr { kind: ExprKind::Call { function: entry, args }, ty: Types::VOID, span };
        hir::Function {
            name: function.name.clone(),
            params: vec![Mode::In; leaves.len()],
            locals: leaves.into_iter().map(|it| it.1).collect(),
            result: Types::VOID,
            body: vec![Stmt { kind: StmtKind::Expr(call), span }],
            span,
        }
    }

    /// An input as an expression over the wrapper's parameters, which it adds to `leaves`.
    pub(super) fn input(
        &mut self,
        name: &str,
        ty: TypeId,
        annotations: &[Annotation],
        span: Span,
        leaves: &mut Leaves,
    ) -> Option<Expr> {
        if let Type::Struct(id) = self.types.get(ty) {
            let fields = self.types.structure(id).fields.clone();
            let mut parts = Vec::new();
            for field in fields {
                let semantics = self.annotations_of(id, &field.name);
                // The hidden storage unit of bit-fields has no source location.
                let at = if field.span.is_none() { span } else { field.span };
                let part =
                    self.input(&format!("{name}.{}", field.name), field.ty, semantics, at, leaves)?;
                parts.push(part);
            }
            return Some(Expr { kind: ExprKind::Construct(parts), ty, span });
        }
        let Some(semantic) = semantic_of(annotations) else {
            let report =
                Diagnostic::new(&code::BAD_SEMANTIC, span, format!("`{name}` has no semantic"));
            self.report(report.help(
                "with `: SV_DispatchThreadID` it is the index of the thread in the dispatch",
            ));
            return None;
        };
        let value = self.system_value(semantic)?;
        let is_single = matches!(value, SystemValue::GroupIndex | SystemValue::ViewId);
        let most = if is_single { 1 } else { 3 };
        let fits = match self.types.get(ty) {
            Type::Scalar(scalar) => is_input(scalar),
            Type::Vector(scalar, n) => is_input(scalar) && n <= most,
            _ => false,
        };
        if !fits {
            let wanted = if most == 1 { "`uint`" } else { "`uint`, `uint2` or `uint3`" };
            let message =
                format!("`{}` must be {wanted}, not `{}`", semantic.name, self.name_of(ty));
            self.error(&code::BAD_SEMANTIC, span, message);
            return None;
        }
        Some(leaf(value, name.to_owned(), ty, span, leaves))
    }

    fn system_value(&mut self, semantic: &ast::Ident) -> Option<SystemValue> {
        const NAMES: [(&str, SystemValue); 4] = [
            ("SV_DispatchThreadID", SystemValue::DispatchThreadId),
            ("SV_GroupThreadID", SystemValue::GroupThreadId),
            ("SV_GroupID", SystemValue::GroupId),
            ("SV_GroupIndex", SystemValue::GroupIndex),
        ];
        if self.is_view(&semantic.name) {
            return Some(SystemValue::ViewId);
        }
        // An index after the name is part of the semantic; only 0 is valid here.
        let plain = semantic.name.strip_suffix('0').unwrap_or(&semantic.name);
        if let Some((_, value)) = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(plain)) {
            return Some(*value);
        }
        if let Some((known, _)) = semantic::find(&semantic.name) {
            let stages: Vec<&str> = known.stages().map(stage_word).collect();
            let message = format!("`{}` is not an input of a compute shader", semantic.name);
            let report = Diagnostic::new(&code::BAD_SEMANTIC, semantic.span, message);
            self.report(report.help(format!("it is for {} shaders", stages.join(", "))));
            return None;
        }
        let message = format!("`{}` is not an input of a compute shader", semantic.name);
        let mut report = Diagnostic::new(&code::BAD_SEMANTIC, semantic.span, message);
        match most_similar(&semantic.name, NAMES.iter().map(|it| it.0)) {
            Some(near) => {
                report = report.fix(format!("a similar name is `{near}`"), semantic.span, near)
            }
            None => {
                let names: Vec<String> = NAMES.iter().map(|it| format!("`{}`", it.0)).collect();
                report = report.help(format!("the inputs are {}", names.join(", ")));
            }
        }
        self.report(report);
        None
    }

    /// The annotations of a field, from the struct or the base that declares it.
    pub(super) fn annotations_of(&self, id: StructId, field: &str) -> &'a [Annotation] {
        self.written_of(id, field).0
    }

    /// The annotations and modifiers of a field, from the struct or the base that declares it.
    pub(super) fn written_of(
        &self,
        id: StructId,
        field: &str,
    ) -> (&'a [Annotation], Option<&'a ast::Modifiers>) {
        let Some(info) = self.structs.get(&id) else { return (&[], None) };
        if let Some((var, declarator)) = declarator_of(info.ast, field) {
            return (&declarator.annotations, Some(&var.modifiers));
        }
        let bases = info.bases.iter().filter_map(|base| match self.types.get(*base) {
            Type::Struct(id) => Some(id),
            _ => None,
        });
        bases
            .map(|base| self.written_of(base, field))
            .find(|it| it.1.is_some())
            .unwrap_or((&[], None))
    }
}

fn is_input(scalar: Scalar) -> bool {
    scalar.is_int() && scalar.ty(true).bits() <= 32
}

/// The semantic among the annotations after a name.
pub(super) fn semantic_of(annotations: &[Annotation]) -> Option<&ast::Ident> {
    annotations.iter().find_map(|it| match &it.kind {
        AnnotationKind::Semantic(ident) => Some(ident),
        AnnotationKind::Register(_)
        | AnnotationKind::PackOffset { .. }
        | AnnotationKind::Access { .. } => None,
    })
}

/// The declaration of a field in its struct.
fn declarator_of<'a>(
    structure: &'a ast::Struct,
    field: &str,
) -> Option<(&'a ast::Var, &'a ast::Declarator)> {
    let members = structure.members.as_deref().unwrap_or(&[]);
    let vars = members.iter().filter_map(|it| match &it.kind {
        ast::ItemKind::Var(var) => Some(var),
        _ => None,
    });
    let mut all = vars.flat_map(|var| var.declarators.iter().map(move |it| (var, it)));
    all.find(|(_, it)| it.name.name == *field)
}
