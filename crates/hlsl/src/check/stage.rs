//! Entry points of all stages but compute: their attributes, parameters and results. The stages of draws run; the
//! others are only checked.
//!
//! Each stage has one function that checks the requirements on its entry point; the semantics of parameters and results
//! are checked against the table of system values (`semantic.rs`). Bodies are checked like all others.

use diag::{Diagnostic, Span, code, most_similar};
use ir::WaveSize;
use ops::intrinsics::Stages;

use super::entry::{Entry, semantic_of, stage_word};
use super::scope::{Callee, Scopes, ValueEntity};
use super::semantic::{self, Side};
use super::{Checker, attr};
use crate::ast::{self, Attribute, Ident, Modifier};
use crate::foreign::foreign;
use crate::hir::FunctionId;
use crate::library;
use crate::options::Stage;
use crate::types::{Mode, Object, ResourceType, StructId, Type, TypeId, Types};

/// A parameter of an entry point.
#[derive(Clone, Copy)]
pub(super) struct Param<'a> {
    pub(super) ast: &'a ast::Param,
    pub(super) ty: TypeId,
    pub(super) mode: Mode,
    pub(super) span: Span,
}

/// The semantics seen on one side of a shader, to find duplicates.
type Seen = Vec<(String, u32, Span)>;

/// `an amplification`, `a mesh`
pub(super) fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

/// Whether an object is one that engines run.
fn objects_run(object: Object) -> bool {
    matches!(
        object.name,
        "InputPatch" | "OutputPatch" | "PointStream" | "LineStream" | "TriangleStream"
    ) || object.feedback().is_some()
}

/// The deepest nesting of structs of inputs.
const MOST_DEPTH: u32 = 64;

impl Param<'_> {
    fn has(&self, modifier: Modifier) -> bool {
        self.ast.modifiers.has(modifier)
    }

    fn name(&self) -> String {
        self.ast
            .name
            .as_ref()
            .map_or_else(|| "this parameter".to_owned(), |it| format!("`{}`", it.name))
    }
}

impl<'a> Checker<'a> {
    /// The parameters of a function that a stage calls.
    pub(super) fn params_of(&self, id: FunctionId) -> Vec<Param<'a>> {
        let function = self.function(id);
        let params = function.params.iter().zip(&function.ast.params);
        params.map(|(it, ast)| Param { ast, ty: it.ty, mode: it.mode, span: it.span }).collect()
    }

    /// Checks the entry point of a stage; `None` after a report.
    pub(super) fn stage_entry(&mut self, id: FunctionId) -> Option<Entry> {
        let function = self.function(id);
        let (span, attributes) = (function.span, function.attributes);
        let params = self.params_of(id);
        if params.iter().any(|it| it.ty == Types::ERROR) {
            return None;
        }
        let mut entry = Entry {
            function: id,
            beside: None,
            stage: self.stage,
            group_size: [1; 3],
            wave_size: WaveSize::default(),
            inputs: Vec::new(),
            signature: None,
            patch: None,
            group: None,
            wrapper: None,
            span,
        };
        let fine = match self.stage {
            Stage::Compute | Stage::Library => true,
            Stage::Vertex | Stage::Pixel => true,
            Stage::Hull => self.hull(&mut entry, attributes),
            Stage::Domain => self.require_attribute(span, attributes, "domain(\"tri\")").is_some(),
            Stage::Geometry => self.geometry(span, attributes, &params),
            Stage::Mesh => {
                let size = self.group_size(id);
                entry.group_size = size.unwrap_or([1; 3]);
                self.mesh(span, attributes, &params) && size.is_some()
            }
            Stage::Amplification => {
                let size = self.group_size(id);
                entry.group_size = size.unwrap_or([1; 3]);
                size.is_some()
            }
            Stage::RayTracing => return self.ray_params(id, &params).then_some(entry),
            Stage::Node => self.node(id, &params),
        };
        let wave_size = self.wave_size(attributes);
        let fine = self.signature_semantics(id, &params) && fine;
        entry.wave_size = wave_size?;
        match self.stage {
            stage if fine && stage.has_signature() => {
                entry.signature = self.stage_signature(id, attributes, &params, Side::Output);
                entry.patch = entry.beside.and_then(|id| self.patch_signature(id));
                // Its attributes are those of the hull shader.
                if let (Some(own), Some(patch)) = (&entry.signature, &mut entry.patch) {
                    patch.io.traits = own.io.traits.clone();
                }
                let is_whole = entry.beside.is_some() == entry.patch.is_some();
                if (entry.signature.is_none() || !is_whole) && self.missing.is_empty() {
                    return None;
                }
            }
            stage if fine && stage.is_of_meshlets() => {
                self.group_entry(&mut entry, attributes, &params)?;
            }
            _ => {}
        }
        fine.then_some(entry)
    }

    /// A required attribute of the stage, given as an example of its use.
    fn require_attribute(
        &mut self,
        span: Span,
        attributes: &'a [Attribute],
        example: &str,
    ) -> Option<&'a Attribute> {
        let name = example.split('(').next().unwrap_or(example);
        let found = attr::find(attributes, name);
        if found.is_none() {
            let message = format!(
                "{} shader needs `[{name}]` before its entry point",
                with_article(stage_word(self.stage))
            );
            let report = Diagnostic::new(&code::BAD_ENTRY_POINT, span, message);
            self.report(report.help(format!("for example `[{example}]`")));
        }
        found
    }

    fn bad_entry(&mut self, span: Span, message: impl Into<String>) -> bool {
        self.error(&code::BAD_ENTRY_POINT, span, message);
        false
    }

    /// Whether every input and output has a semantic that is valid in the stage.
    fn signature_semantics(&mut self, id: FunctionId, params: &[Param<'a>]) -> bool {
        let (mut inputs, mut outputs) = (Seen::new(), Seen::new());
        let mut fine = true;
        for param in params {
            fine &= self.parameter_attributes(&param.ast.attributes);
            fine &= self.param_semantics(param, &mut inputs, &mut outputs);
        }
        let function = self.function(id);
        let (result, ast) = (function.result, function.ast);
        if result == Types::VOID || result == Types::ERROR {
            return fine;
        }
        let span = ast.result.span;
        if matches!(self.stage, Stage::Geometry | Stage::Mesh | Stage::Amplification | Stage::Node)
        {
            let (word, ty) = (with_article(stage_word(self.stage)), self.name_of(result));
            return self.bad_entry(span, format!("{word} shader returns `void`, not `{ty}`"));
        }
        let semantic = semantic_of(&ast.annotations);
        self.semantics_in(result, semantic, span, "the result", Side::Output, &mut outputs, 0)
            && fine
    }

    fn param_semantics(
        &mut self,
        param: &Param<'a>,
        inputs: &mut Seen,
        outputs: &mut Seen,
    ) -> bool {
        if param.ty == Types::ERROR {
            return false;
        }
        // Payloads are not part of the signature, and uniform parameters are constants.
        if [Modifier::Payload, Modifier::Uniform, Modifier::Indices].iter().any(|it| param.has(*it))
        {
            return true;
        }
        let semantic = semantic_of(&param.ast.annotations);
        let name = param.name();
        let (mut ty, mut side) = (param.ty, Side::Input);
        match self.types.get(ty) {
            Type::Resource(ResourceType::Other(Object { name: object, element, .. })) => {
                side = match (object, self.stage) {
                    ("PointStream" | "LineStream" | "TriangleStream", _) => Side::Output,
                    ("InputPatch", _) | ("OutputPatch", Stage::Hull) => Side::Input,
                    // The output of the hull shader.
                    _ => return true,
                };
                ty = element;
                // Each stream is a separate output.
                let mut own = Seen::new();
                return self.semantics_in(ty, semantic, param.span, &name, side, &mut own, 0);
            }
            Type::Resource(_) => return true,
            Type::Array { element, .. }
                if [
                    Modifier::Vertices,
                    Modifier::Primitives,
                    Modifier::Point,
                    Modifier::Line,
                    Modifier::Triangle,
                    Modifier::LineAdj,
                    Modifier::TriangleAdj,
                ]
                .iter()
                .any(|it| param.has(*it)) =>
            {
                ty = element;
            }
            _ => {}
        }
        if self.stage == Stage::Amplification && semantic.is_none() && param.mode == Mode::In {
            let is_struct = matches!(self.types.get(ty), Type::Struct(_));
            if !is_struct {
                return self.semantics_in(ty, semantic, param.span, &name, side, inputs, 0);
            }
        }
        if param.has(Modifier::Primitives) {
            side = Side::Primitive;
        } else if param.mode == Mode::Out || param.has(Modifier::Vertices) {
            side = Side::Output;
        }
        // Besides control points, a domain shader receives the results of the patch-constant function.
        if self.stage == Stage::Domain
            && matches!(self.types.get(ty), Type::Struct(_))
            && side == Side::Input
        {
            side = Side::Patch;
        }
        let seen = if side == Side::Output { outputs } else { inputs };
        let fine = self.semantics_in(ty, semantic, param.span, &name, side, seen, 0);
        if param.mode == Mode::InOut && !matches!(self.types.get(param.ty), Type::Resource(_)) {
            let mut own = Seen::new();
            return self.semantics_in(ty, semantic, param.span, &name, Side::Output, &mut own, 0)
                && fine;
        }
        fine
    }

    /// Checks the semantics of all values in a type.
    #[expect(
        clippy::too_many_arguments,
        reason = "the type, its source location, and the state of the walk"
    )]
    fn semantics_in(
        &mut self,
        ty: TypeId,
        semantic: Option<&Ident>,
        span: Span,
        name: &str,
        side: Side,
        seen: &mut Seen,
        depth: u32,
    ) -> bool {
        if ty == Types::ERROR || depth > MOST_DEPTH {
            return false;
        }
        if let Type::Struct(id) = self.types.get(ty) {
            // A semantic of a struct applies to its fields, in order.
            if semantic.is_some() {
                return true;
            }
            return self.fields_semantics(id, name, side, seen, depth);
        }
        if let Type::Array { element, .. } = self.types.get(ty)
            && matches!(self.types.get(element), Type::Struct(_))
        {
            return self.semantics_in(element, semantic, span, name, side, seen, depth + 1);
        }
        if self.types.holds_resource(ty) {
            let what = self.name_of(ty);
            self.error(
                &code::BAD_SEMANTIC,
                span,
                format!("{name} is a `{what}`, which cannot be passed between stages"),
            );
            return false;
        }
        let Some(semantic) = semantic else {
            let message = format!("{name} has no semantic");
            let report = Diagnostic::new(&code::BAD_SEMANTIC, span, message);
            let example = semantic::names(self.stage, side).next();
            let own = "add `: TEXCOORD0`, or any other name, to pass it between stages";
            self.report(match (self.stage, example) {
                (Stage::Amplification | Stage::Node, Some(example)) => {
                    report.help(format!("for example `: {example}`"))
                }
                _ => report.help(own),
            });
            return false;
        };
        self.semantic_fits(ty, semantic, side) && self.first_of_its_name(semantic, seen)
    }

    fn fields_semantics(
        &mut self,
        id: StructId,
        name: &str,
        side: Side,
        seen: &mut Seen,
        depth: u32,
    ) -> bool {
        let fields = self.types.structure(id).fields.clone();
        let mut fine = true;
        for field in fields.iter().filter(|it| !it.hidden) {
            let semantic = semantic_of(self.annotations_of(id, &field.name));
            let inner = format!("{}.{}`", name.trim_end_matches('`'), field.name);
            let inner = if name.starts_with('`') { inner } else { format!("`{}`", field.name) };
            fine &=
                self.semantics_in(field.ty, semantic, field.span, &inner, side, seen, depth + 1);
        }
        fine
    }

    /// Checks that a system value exists on that side of the stage and has that type.
    fn semantic_fits(&mut self, ty: TypeId, semantic: &Ident, side: Side) -> bool {
        let is_system = semantic.name.get(..3).is_some_and(|it| it.eq_ignore_ascii_case("SV_"));
        if !is_system {
            return true;
        }
        let stage = self.stage;
        let word = with_article(stage_word(stage));
        let role = match side {
            Side::Input => "an input",
            Side::Output => "an output",
            Side::Patch => "a patch constant",
            Side::Primitive => "a per-primitive value",
        };
        let Some((row, index)) = semantic::find(&semantic.name) else {
            let message = format!("there is no system value `{}`", semantic.name);
            let mut report = Diagnostic::new(&code::BAD_SEMANTIC, semantic.span, message);
            if let Some(near) = most_similar(&semantic.name, semantic::names(stage, side)) {
                report = report.fix(format!("a similar name is `{near}`"), semantic.span, near);
            } else {
                let names: Vec<String> =
                    semantic::names(stage, side).map(|it| format!("`{it}`")).collect();
                report = report.help(format!("the system values here are {}", names.join(", ")));
            }
            self.report(report);
            return false;
        };
        if !row.is_for(stage, side) {
            let message = format!("`{}` is not {role} of {word} shader", semantic.name);
            let report = Diagnostic::new(&code::BAD_SEMANTIC, semantic.span, message);
            let opposite = if side == Side::Input { Side::Output } else { Side::Input };
            self.report(match row.is_for(stage, opposite) {
                true => {
                    let role = if side == Side::Input { "output" } else { "input" };
                    report.help(format!("it is an {role}"))
                }
                false => {
                    let stages: Vec<&str> = row.stages().map(stage_word).collect();
                    report.help(format!("it is for {} shaders", stages.join(", ")))
                }
            });
            return false;
        }
        if row.name == "SV_Target" && index > 7 {
            let message = format!("there is no `SV_Target{index}`: the last of 8 is `SV_Target7`");
            self.error(&code::BAD_SEMANTIC, semantic.span, message);
            return false;
        }
        if !row.kind.takes(&self.types, ty) {
            let message = format!(
                "`{}` must be {}, not `{}`",
                semantic.name,
                row.kind.words(),
                self.name_of(ty)
            );
            self.error(&code::BAD_SEMANTIC, semantic.span, message);
            return false;
        }
        true
    }

    fn first_of_its_name(&mut self, semantic: &Ident, seen: &mut Seen) -> bool {
        let (name, index) = semantic::split(&semantic.name);
        // The three semantics of depth are one value with different promises.
        let name = match name.to_ascii_uppercase() {
            depth if depth.starts_with("SV_DEPTH") => "SV_DEPTH".to_owned(),
            name => name,
        };
        if let Some((_, _, before)) = seen.iter().find(|it| it.0 == name && it.1 == index) {
            let message = match name.as_str() {
                "SV_DEPTH" => "a pixel has one depth, and this is a second one".to_owned(),
                _ => format!("two values have the semantic `{}`", semantic.name),
            };
            let report = Diagnostic::new(&code::BAD_SEMANTIC, semantic.span, message);
            self.report(report.also(*before, "the other one"));
            return false;
        }
        seen.push((name, index, semantic.span));
        true
    }

    // Functions and objects of stages.

    /// Reports, if the program reaches this code, why a function that only some stages have cannot run here.
    pub(super) fn gate_stage_function(&mut self, name: &str, span: Span) {
        let Some(row) = library::stages::by_name(name) else {
            if let Some(found) = foreign(name) {
                let message = format!("there is no function `{name}` in shader model 6");
                let report = Diagnostic::new(&code::UNKNOWN_NAME, span, message);
                return self.gate(report.help(found.help(name)));
            }
            self.unsupported(span, format!("`{name}` is not supported yet"));
            return;
        };
        if row.since > self.shader_model() {
            self.needs_shader_model(span, name, row.since);
        }
        if !row.stages.contains(self.stage) {
            self.wrong_stage(&format!("`{name}`"), row.stages, span);
            return;
        }
        if row.meaning.is_some() {
            return;
        }
        match &self.ray_kind {
            Some(kind) if !row.kinds.is_empty() && !row.kinds.contains(&kind.as_str()) => {
                let message = format!("`{name}` is not available in {} shader", with_article(kind));
                let report = Diagnostic::new(&code::WRONG_STAGE, span, message);
                self.gate(report.help(format!("it is for {} shaders", row.kinds.join(", "))));
            }
            _ => self.unsupported(span, format!("`{name}` is not supported yet")),
        }
    }

    /// The same for the use of an object.
    pub(super) fn gate_object(&mut self, object: Object, what: &str, span: Span) {
        let row = library::objects::row_of(object);
        let ty = self.types.intern(Type::Resource(ResourceType::Other(object)));
        let name = self.name_of(ty);
        if row.since > self.shader_model() {
            self.needs_shader_model(span, object.name, row.since);
        }
        if !row.stages.contains(self.stage) {
            self.wrong_stage(&format!("`{}`", object.name), row.stages, span);
            return;
        }
        if objects_run(object) {
            return;
        }
        self.unsupported(span, format!("{what} of a `{name}` is not supported yet"));
    }

    /// `what` is not available in the stage.
    pub(super) fn unavailable(&self, what: &str) -> String {
        format!("{what} is not available in {} shader", with_article(stage_word(self.stage)))
    }

    fn wrong_stage(&mut self, what: &str, stages: Stages, span: Span) {
        const ALL: [Stage; 10] = [
            Stage::Vertex,
            Stage::Hull,
            Stage::Domain,
            Stage::Geometry,
            Stage::Pixel,
            Stage::Compute,
            Stage::Amplification,
            Stage::Mesh,
            Stage::Node,
            Stage::RayTracing,
        ];
        let message = self.unavailable(what);
        let words: Vec<&str> =
            ALL.into_iter().filter(|it| stages.contains(*it)).map(stage_word).collect();
        let report = Diagnostic::new(&code::WRONG_STAGE, span, message);
        self.gate(report.help(format!("it is for {} shaders", words.join(", "))));
    }

    // Tessellation.

    fn hull(&mut self, entry: &mut Entry, attributes: &'a [Attribute]) -> bool {
        let span = entry.span;
        let domain = self.require_attribute(span, attributes, "domain(\"tri\")");
        let topology = self.require_attribute(span, attributes, "outputtopology(\"triangle_cw\")");
        let partitioning = self.require_attribute(span, attributes, "partitioning(\"integer\")");
        let points = self.require_attribute(span, attributes, "outputcontrolpoints(3)");
        let function = self.require_attribute(span, attributes, "patchconstantfunc(\"f\")");
        let (Some(domain), Some(function)) = (domain, function) else { return false };
        let Some(id) = self.patch_constant_function(function) else { return false };
        entry.beside = Some(id);
        if !self.signature_takes_no_long_vector(id, "a patch-constant function") {
            return false;
        }
        let domain = attr::text(domain, 0).unwrap_or("tri").to_owned();
        self.patch_constants(id, &domain)
            && topology.is_some()
            && partitioning.is_some()
            && points.is_some()
    }

    fn patch_constant_function(&mut self, attribute: &'a Attribute) -> Option<FunctionId> {
        let name = attr::text(attribute, 0)?;
        let span = attribute.args.first().map_or(attribute.span, |it| it.span);
        let found = self.scopes.value_in(Scopes::FILE, name).map(|it| it.entity);
        let callees = match found {
            Some(ValueEntity::Functions(callees)) => callees,
            _ => Vec::new(),
        };
        let defined = callees.iter().rev().find_map(|it| match *it {
            Callee::Function(id) if self.function(id).definition.is_some() => Some(id),
            Callee::Function(_) | Callee::Template(_) => None,
        });
        if defined.is_none() {
            let message = format!("the patch-constant function `{name}` is not declared");
            let report = Diagnostic::new(&code::BAD_ATTRIBUTE, span, message);
            let names = self.functions.iter().map(|it| it.name.as_str());
            let near = most_similar(name, names).map(|near| format!("\"{near}\""));
            self.report(match near {
                Some(near) => report.fix(format!("a similar name is `{near}`"), span, near),
                None => report,
            });
        }
        defined
    }

    /// Checks that the result of a patch-constant function has the tessellation factors of the domain.
    fn patch_constants(&mut self, id: FunctionId, domain: &str) -> bool {
        let function = self.function(id);
        let (result, ast, span) = (function.result, function.ast, function.span);
        let mut values: Vec<(String, TypeId)> = Vec::new();
        let mut seen = Seen::new();
        let mut fine = true;
        if result != Types::VOID {
            let semantic = semantic_of(&ast.annotations);
            fine &= self.semantics_in(
                result,
                semantic,
                ast.result.span,
                "the result",
                Side::Patch,
                &mut seen,
                0,
            );
            self.collect(result, semantic, &mut values, 0);
        }
        let params = self.function(id).params.clone();
        for (param, written) in params.iter().zip(&ast.params) {
            if param.mode != Mode::In {
                let semantic = semantic_of(&written.annotations);
                self.collect(param.ty, semantic, &mut values, 0);
            }
        }
        let (edges, insides) = match domain {
            "quad" => (4, 2),
            "isoline" => (2, 0),
            _ => (3, 1),
        };
        for (name, wanted) in [("SV_TessFactor", edges), ("SV_InsideTessFactor", insides)] {
            let found: Vec<&(String, TypeId)> = values
                .iter()
                .filter(|it| semantic::split(&it.0).0.eq_ignore_ascii_case(name))
                .collect();
            let count: u64 = found.iter().map(|it| self.types.scalar_count(it.1)).sum();
            if count == wanted || fine && found.is_empty() && wanted == 0 {
                continue;
            }
            let message = match count {
                0 => format!(
                    "a patch of the domain `{domain}` needs {wanted} `{name}`, but there are none"
                ),
                _ => format!("a patch of the domain `{domain}` has {wanted} `{name}`, not {count}"),
            };
            let report = Diagnostic::new(&code::BAD_SEMANTIC, span, message);
            let dims = if wanted == 1 { String::new() } else { format!("[{wanted}]") };
            self.report(match wanted {
                0 => report,
                _ => report.help(format!(
                    "add a field such as `float factors{dims} : {name};` to its result"
                )),
            });
            fine = false;
        }
        fine
    }

    /// Collects the values in a type with their semantics.
    fn collect(
        &self,
        ty: TypeId,
        semantic: Option<&Ident>,
        values: &mut Vec<(String, TypeId)>,
        depth: u32,
    ) {
        match (self.types.get(ty), semantic) {
            (Type::Struct(id), None) if depth < MOST_DEPTH => {
                for field in &self.types.structure(id).fields {
                    let semantic = semantic_of(self.annotations_of(id, &field.name));
                    self.collect(field.ty, semantic, values, depth + 1);
                }
            }
            (_, Some(semantic)) => values.push((semantic.name.to_string(), ty)),
            _ => {}
        }
    }

    // Geometry and mesh shaders.

    fn geometry(&mut self, span: Span, attributes: &'a [Attribute], params: &[Param<'a>]) -> bool {
        let most = self.require_attribute(span, attributes, "maxvertexcount(3)");
        let mut fine = most.is_some();
        let (mut inputs, mut streams) = (0, 0);
        for param in params {
            if let Some((modifier, wanted)) = param.primitive() {
                inputs += 1;
                let len = match self.types.get(param.ty) {
                    Type::Array { len, .. } => len,
                    Type::Error => return false,
                    _ => 0,
                };
                if len != wanted {
                    let (word, name) = (modifier.word(), param.name());
                    let message = format!(
                        "a `{word}` has {wanted} vertices, so {name} must be an array of {wanted}"
                    );
                    fine = self.bad_entry(param.span, message);
                }
            }
            match self.types.get(param.ty) {
                Type::Resource(ResourceType::Other(Object { name: "InputPatch", .. })) => {
                    inputs += 1
                }
                Type::Resource(ResourceType::Other(it)) if it.name.ends_with("Stream") => {
                    streams += 1;
                    if param.mode != Mode::InOut {
                        let message =
                            format!("{} is a stream, which must be `inout`", param.name());
                        fine = self.bad_entry(param.span, message);
                    }
                }
                _ => {}
            }
        }
        if inputs != 1 {
            let count = if inputs == 0 { "no".to_owned() } else { inputs.to_string() };
            let report = Diagnostic::new(
                &code::BAD_ENTRY_POINT,
                span,
                format!(
                    "a geometry shader must have one primitive as its input, but this has {count}"
                ),
            );
            self.report(report.help("for example `triangle Vertex vertices[3]`"));
            fine = false;
        }
        if streams == 0 {
            let report = Diagnostic::new(
                &code::BAD_ENTRY_POINT,
                span,
                "a geometry shader needs a stream for its output",
            );
            self.report(report.help("for example `inout TriangleStream<Vertex> stream`"));
            fine = false;
        }
        fine
    }

    fn mesh(&mut self, span: Span, attributes: &'a [Attribute], params: &[Param<'a>]) -> bool {
        const MOST: u32 = 256;
        let topology = self.require_attribute(span, attributes, "outputtopology(\"triangle\")");
        let mut fine = topology.is_some();
        let topology = topology.and_then(|it| attr::text(it, 0)).unwrap_or("triangle");
        let corners = match topology {
            "point" => 1,
            "line" => 2,
            "triangle" | "triangle_cw" | "triangle_ccw" => 3,
            other => {
                let message =
                    format!("a mesh shader outputs points, lines or triangles, not `\"{other}\"`");
                self.error(&code::BAD_ATTRIBUTE, span, message);
                return false;
            }
        };
        let mut indices = None;
        for param in params {
            let kinds = [Modifier::Vertices, Modifier::Indices, Modifier::Primitives];
            let Some(kind) = kinds.into_iter().find(|it| param.has(*it)) else { continue };
            let (word, name) = (kind.word(), param.name());
            let (element, len) = match self.types.get(param.ty) {
                Type::Array { element, len } => (element, len),
                Type::Error => return false,
                _ => {
                    fine = self.bad_entry(
                        param.span,
                        format!("{name} holds {word}, so it must be an array"),
                    );
                    continue;
                }
            };
            if param.mode != Mode::Out {
                fine =
                    self.bad_entry(param.span, format!("{name} holds {word}, so it must be `out`"));
            }
            if len > MOST {
                let message = format!("a mesh has at most {MOST} {word}, not {len}");
                fine = self.bad_entry(param.span, message);
            }
            if kind == Modifier::Indices {
                let wanted = match corners {
                    1 => Types::UINT,
                    _ => self.types.vector(crate::types::Scalar::U32, corners),
                };
                if element != wanted {
                    let (wanted, given) = (self.name_of(wanted), self.name_of(element));
                    let message = format!(
                        "a {topology} has {corners} indices, so they must be `{wanted}`, not `{given}`"
                    );
                    fine = self.bad_entry(param.span, message);
                }
                indices = Some((len, param.span));
            }
        }
        for param in params.iter().filter(|it| it.has(Modifier::Primitives)) {
            if let (Type::Array { len, .. }, Some((count, span))) =
                (self.types.get(param.ty), indices)
                && len != count
            {
                let message = format!("there are {len} primitives, but indices for {count}");
                let report = Diagnostic::new(&code::BAD_ENTRY_POINT, param.span, message);
                self.report(report.also(span, "the indices"));
                fine = false;
            }
        }
        fine
    }

    // Ray tracing and work graphs.

    /// Checks the parameters of a ray-tracing shader, which have no semantics: a payload, hit attributes, or a
    /// parameter.
    fn ray_params(&mut self, id: FunctionId, params: &[Param<'a>]) -> bool {
        let (span, result) = (self.function(id).span, self.function(id).result);
        let kind = self.ray_kind.clone().unwrap_or_default();
        let shader = with_article(&kind);
        let wanted: &[(&str, bool)] = match kind.as_str() {
            "miss" => &[("payload", true)],
            "anyhit" | "closesthit" => &[("payload", true), ("attributes", false)],
            "callable" => &[("parameter", true)],
            _ => &[],
        };
        if params.len() != wanted.len() {
            let names: Vec<String> = wanted.iter().map(|it| format!("a {}", it.0)).collect();
            let message = match wanted {
                [] => format!("{shader} shader takes no parameters"),
                _ => format!(
                    "{shader} shader takes {}",
                    names.join(" and ").replace("a attributes", "attributes")
                ),
            };
            return self.bad_entry(span, message);
        }
        let mut fine = true;
        for (param, (what, is_inout)) in params.iter().zip(wanted) {
            if param.ty == Types::ERROR {
                return false;
            }
            let name = param.name();
            if *is_inout != (param.mode == Mode::InOut) {
                let mode = if *is_inout { "`inout`" } else { "`in`" };
                fine = self.bad_entry(param.span, format!("the {what} {name} must be {mode}"));
            }
            if !matches!(self.types.get(param.ty), Type::Struct(_)) {
                let ty = self.name_of(param.ty);
                fine = self.bad_entry(
                    param.span,
                    format!("the {what} {name} must be a struct, not `{ty}`"),
                );
            }
        }
        if result != Types::VOID && result != Types::ERROR {
            let ty = self.name_of(result);
            return self.bad_entry(span, format!("{shader} shader returns `void`, not `{ty}`"));
        }
        fine
    }

    fn node(&mut self, id: FunctionId, params: &[Param<'a>]) -> bool {
        let function = self.function(id);
        let (span, attributes) = (function.span, function.attributes);
        let launch = attr::find(attributes, "NodeLaunch").and_then(|it| attr::text(it, 0));
        let launch = launch.unwrap_or("broadcasting").to_owned();
        let mut fine = true;
        if launch != "thread" {
            fine &= self.group_size(id).is_some();
        }
        let has_grid = ["NodeDispatchGrid", "NodeMaxDispatchGrid"]
            .iter()
            .any(|it| attr::find(attributes, it).is_some());
        if launch == "broadcasting" && !has_grid {
            let report = Diagnostic::new(
                &code::BAD_ENTRY_POINT,
                span,
                "a broadcasting node needs `[NodeDispatchGrid]` or `[NodeMaxDispatchGrid]`",
            );
            self.report(report.help("for example `[NodeDispatchGrid(4, 1, 1)]`"));
            fine = false;
        }
        let mut input: Option<Span> = None;
        for param in params {
            let Type::Resource(ResourceType::Other(object)) = self.types.get(param.ty) else {
                continue;
            };
            let is_input = object.name.contains("Input");
            let wanted = match object.name.trim_start_matches("RW") {
                "DispatchNodeInputRecord" => "broadcasting",
                "GroupNodeInputRecords" | "EmptyNodeInput" => "coalescing",
                "ThreadNodeInputRecord" => "thread",
                _ => &launch,
            };
            if is_input && wanted != launch {
                let message = format!(
                    "a `{}` needs `[NodeLaunch(\"{wanted}\")]`, but this node has `\"{launch}\"`",
                    object.name
                );
                fine = self.bad_entry(param.span, message);
            }
            if let (true, Some(before)) = (is_input, input) {
                let message = "a node can have only one input";
                let report = Diagnostic::new(&code::BAD_ENTRY_POINT, param.span, message);
                self.report(report.also(before, "the first one"));
                fine = false;
            }
            if is_input {
                input = Some(param.span);
            }
        }
        fine
    }
}
