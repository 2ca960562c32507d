//! The entry point: which function it is, its attributes, and what its parameters are bound to.

use diag::{Diagnostic, Span, code};
use ir::WaveSize;
use ops::intrinsics as rows;

use super::scope::{Callee, Scopes, ValueEntity, most_similar};
use super::{Checker, attr};
use crate::ast::{self, Annotation, AnnotationKind};
use crate::hir::{
    self, Arg, Expr, ExprKind, FunctionId, LocalId, Mode, Stmt, StmtKind, SystemValue,
};
use crate::options::Stage;
use crate::types::{Scalar, Type, TypeId, Types};

/// The entry point as [`super::reach`] takes it.
pub(super) struct Entry {
    pub(super) function: FunctionId,
    pub(super) stage: rows::Stage,
    pub(super) group_size: [u32; 3],
    pub(super) wave_size: WaveSize,
    pub(super) inputs: Vec<SystemValue>,
    /// A function that makes structs of inputs and calls the entry point, where that takes structs.
    pub(super) wrapper: Option<hir::Function>,
    pub(super) span: Span,
}

/// The stage as tables of functions know it.
pub(super) fn stage(stage: Stage) -> rows::Stage {
    match stage {
        Stage::Pixel => rows::Stage::Pixel,
        Stage::Vertex => rows::Stage::Vertex,
        Stage::Geometry => rows::Stage::Geometry,
        Stage::Hull => rows::Stage::Hull,
        Stage::Domain => rows::Stage::Domain,
        Stage::Compute => rows::Stage::Compute,
        // Of a library one entry point is compiled, and only those of compute shaders are.
        Stage::Library => rows::Stage::Compute,
        Stage::Mesh => rows::Stage::Mesh,
        Stage::Amplification => rows::Stage::Amplification,
    }
}

pub(super) fn stage_word(stage: rows::Stage) -> &'static str {
    match stage {
        rows::Stage::Vertex => "vertex",
        rows::Stage::Hull => "hull",
        rows::Stage::Domain => "domain",
        rows::Stage::Geometry => "geometry",
        rows::Stage::Pixel => "pixel",
        rows::Stage::Compute => "compute",
        rows::Stage::Amplification => "amplification",
        rows::Stage::Mesh => "mesh",
        rows::Stage::Library => "library",
        rows::Stage::Node => "node",
        rows::Stage::RayTracing => "ray tracing",
    }
}

/// The stage in the name of a profile.
pub(super) fn profile_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Pixel => "ps",
        Stage::Vertex => "vs",
        Stage::Geometry => "gs",
        Stage::Hull => "hs",
        Stage::Domain => "ds",
        Stage::Compute => "cs",
        Stage::Library => "lib",
        Stage::Mesh => "ms",
        Stage::Amplification => "as",
    }
}

impl<'a> Checker<'a> {
    pub(super) fn entry_point(&mut self, file: &'a ast::File) -> Option<Entry> {
        let id = self.entry_function(file)?;
        let function = self.function(id);
        let (span, attributes, result) = (function.span, function.attributes, function.result);
        if !matches!(self.options.stage, Stage::Compute | Stage::Library) {
            let word = stage_word(stage(self.options.stage));
            self.error(
                &code::UNSUPPORTED_FEATURE,
                span,
                format!("{word} shaders are not built yet"),
            );
            return None;
        }
        let sizes: Vec<&'a ast::Attribute> =
            attributes.iter().filter(|it| attr::is(it, "numthreads")).collect();
        let Some(size) = sizes.last() else {
            let report = Diagnostic::new(
                &code::BAD_ENTRY_POINT,
                span,
                "a compute shader needs `[numthreads(x, y, z)]` before its entry point",
            );
            self.report(
                report.help("`[numthreads(32, 1, 1)]` makes groups of 32 threads in a row"),
            );
            return None;
        };
        let group_size = self.numthreads(size);
        let wave_size = self.wave_size(attributes);
        if result != Types::VOID && result != Types::ERROR {
            let message = format!(
                "a compute shader returns nothing, and this returns `{}`",
                self.name_of(result)
            );
            self.error(&code::BAD_ENTRY_POINT, span, message);
            return None;
        }
        let (inputs, wrapper) = self.inputs(id)?;
        Some(Entry {
            function: id,
            stage: rows::Stage::Compute,
            group_size: group_size?,
            wave_size: wave_size?,
            inputs,
            wrapper,
            span,
        })
    }

    fn entry_function(&mut self, file: &'a ast::File) -> Option<FunctionId> {
        let wanted = self.options.entry.clone();
        let found = self.scopes.value_in(Scopes::FILE, &wanted).map(|it| it.entity);
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
            // The function may be there and broken.
            return None;
        }
        let at = file.items.last().map_or(Span::NONE, |it| it.span);
        let mut report = Diagnostic::new(
            &code::NO_ENTRY_POINT,
            at.end(),
            format!("there is no function `{wanted}` to start with"),
        );
        let candidates: Vec<(String, Span)> = self
            .functions
            .iter()
            .filter(|it| {
                it.attributes.iter().any(|it| attr::is(it, "numthreads") || attr::is(it, "shader"))
            })
            .map(|it| (it.name.clone(), it.span))
            .collect();
        for (name, span) in candidates.iter().take(5) {
            report = report.also(*span, format!("`-E {name}` starts here"));
        }
        if candidates.is_empty() {
            let names = self.functions.iter().map(|it| it.name.as_str());
            if let Some(near) = most_similar(&wanted, names) {
                report = report.help(format!("a similar name is `{near}`"));
            }
        }
        self.report(report);
        None
    }

    // -----------------------------------------------------------------------------------------------------
    // Inputs
    // -----------------------------------------------------------------------------------------------------

    /// What the parameters of the entry point, or of a wrapper around it, are bound to.
    fn inputs(&mut self, id: FunctionId) -> Option<(Vec<SystemValue>, Option<hir::Function>)> {
        let params = self.function(id).params.clone();
        let written = &self.function(id).ast.params;
        let mut leaves: Vec<(SystemValue, hir::Local)> = Vec::new();
        let mut args = Vec::new();
        let mut has_structs = false;
        let mut fine = true;
        for (param, written) in params.iter().zip(written) {
            if param.mode != Mode::In {
                self.error(
                    &code::BAD_ENTRY_POINT,
                    param.span,
                    "the entry point of a compute shader only takes inputs",
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
        let function = self.function(id);
        let (name, span) = (function.name.clone(), function.span);
        let call = Expr { kind: ExprKind::Call { function: id, args }, ty: Types::VOID, span };
        let wrapper = hir::Function {
            name,
            params: vec![Mode::In; leaves.len()],
            locals: leaves.into_iter().map(|it| it.1).collect(),
            result: Types::VOID,
            body: vec![Stmt { kind: StmtKind::Expr(call), span }],
            span,
        };
        Some((inputs, Some(wrapper)))
    }

    /// An input as an expression over the wrapper's parameters.
    fn input(
        &mut self,
        name: &str,
        ty: TypeId,
        annotations: &[Annotation],
        span: Span,
        leaves: &mut Vec<(SystemValue, hir::Local)>,
    ) -> Option<Expr> {
        if let Type::Struct(id) = self.types.get(ty) {
            let members = self.structs.get(&id).map(|it| it.ast)?;
            let fields = self.types.structure(id).fields.clone();
            let mut parts = Vec::new();
            for field in fields {
                let semantics = annotations_of(members, &field.name);
                let part = self.input(
                    &format!("{name}.{}", field.name),
                    field.ty,
                    semantics,
                    field.span,
                    leaves,
                )?;
                parts.push(part);
            }
            return Some(Expr { kind: ExprKind::Construct(parts), ty, span });
        }
        let semantic = annotations.iter().find_map(|it| match &it.kind {
            AnnotationKind::Semantic(ident) => Some(ident),
            AnnotationKind::Register(_) | AnnotationKind::PackOffset { .. } => None,
        });
        let Some(semantic) = semantic else {
            let report = Diagnostic::new(
                &code::BAD_SEMANTIC,
                span,
                format!("nothing says what `{name}` is: it has no semantic"),
            );
            self.report(
                report.help(
                    "`: SV_DispatchThreadID` makes it the index of the thread in the dispatch",
                ),
            );
            return None;
        };
        let value = self.system_value(semantic)?;
        let most = if value == SystemValue::GroupIndex { 1 } else { 3 };
        let fits = match self.types.get(ty) {
            Type::Scalar(scalar) => is_input(scalar),
            Type::Vector(scalar, n) => is_input(scalar) && n <= most,
            _ => false,
        };
        if !fits {
            let wanted = if most == 1 { "`uint`" } else { "`uint`, `uint2` or `uint3`" };
            let message = format!("`{}` is {wanted}, not `{}`", semantic.name, self.name_of(ty));
            self.error(&code::BAD_SEMANTIC, span, message);
            return None;
        }
        leaves.push((value, hir::Local { name: name.to_owned(), ty, span }));
        Some(Expr { kind: ExprKind::Local(LocalId(leaves.len() as u32 - 1)), ty, span })
    }

    fn system_value(&mut self, semantic: &ast::Ident) -> Option<SystemValue> {
        const NAMES: [(&str, SystemValue); 4] = [
            ("SV_DispatchThreadID", SystemValue::DispatchThreadId),
            ("SV_GroupThreadID", SystemValue::GroupThreadId),
            ("SV_GroupID", SystemValue::GroupId),
            ("SV_GroupIndex", SystemValue::GroupIndex),
        ];
        // An index behind the name is part of the semantic, and only 0 has a meaning here.
        let plain = semantic.name.strip_suffix('0').unwrap_or(&semantic.name);
        if let Some((_, value)) = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(plain)) {
            return Some(*value);
        }
        let message = format!("`{}` is no input of a compute shader", semantic.name);
        let mut report = Diagnostic::new(&code::BAD_SEMANTIC, semantic.span, message);
        match most_similar(&semantic.name, NAMES.iter().map(|it| it.0)) {
            Some(near) => {
                report = report.fix(format!("a similar name is `{near}`"), semantic.span, near)
            }
            None => {
                let names: Vec<String> = NAMES.iter().map(|it| format!("`{}`", it.0)).collect();
                report = report.help(format!("its inputs are {}", names.join(", ")));
            }
        }
        self.report(report);
        None
    }
}

fn is_input(scalar: Scalar) -> bool {
    scalar.is_int() && scalar.ty(true).bits() <= 32
}

/// The semantics of a field as its struct declares it.
fn annotations_of<'a>(structure: &'a ast::Struct, field: &str) -> &'a [Annotation] {
    let members = structure.members.as_deref().unwrap_or(&[]);
    let declarators = members.iter().flat_map(|it| match &it.kind {
        ast::ItemKind::Var(var) => var.declarators.as_slice(),
        _ => &[],
    });
    let mut found = declarators.filter(|it| it.name.name == *field);
    found.next().map_or(&[], |it| &it.annotations)
}
