//! What the fixed functions must know of a geometry, hull or domain shader, from its attributes and parameters.

use diag::{Diagnostic, Span, code};
use ir::HostScalar;
use ir::stage::{
    Domain, Element, GeometryTraits, Holder, HullTraits, Interpolation, Partitioning,
    PatchTopology, StageTraits, Stream, SystemValue, slot_count,
};
use ops::Named;
use ops::intrinsics::Stage;

use super::semantic::Side;
use super::stage::Param;
use super::{Checker, attr};
use crate::ast::{Attribute, Modifier};
use crate::hir::{FunctionId, Signature};
use crate::types::{Object, ResourceType, Type};

/// The most scalars of all vertices that a geometry shader emits.
const MOST_EMITTED: u32 = 1024;

/// The primitives that a geometry shader reads, with their vertices.
const PRIMITIVES: [(Modifier, u32); 5] = [
    (Modifier::Point, 1),
    (Modifier::Line, 2),
    (Modifier::Triangle, 3),
    (Modifier::LineAdj, 4),
    (Modifier::TriangleAdj, 6),
];

impl Param<'_> {
    /// The primitive of which it holds the vertices, and their number.
    pub(super) fn primitive(&self) -> Option<(Modifier, u32)> {
        PRIMITIVES.into_iter().find(|it| self.ast.modifiers.has(it.0))
    }
}

impl<'a> Checker<'a> {
    /// Completes the signature of a geometry, hull or domain shader; `None` after a report.
    pub(super) fn stage_traits(
        &mut self,
        signature: &mut Signature,
        attributes: &'a [Attribute],
        params: &[Param<'a>],
        streams: Vec<Stream>,
    ) -> Option<()> {
        let patch = |this: &Self, wanted: &str| {
            params.iter().find_map(|param| match this.types.get(param.ty) {
                Type::Resource(ResourceType::Other(Object { name, count, .. }))
                    if name == wanted =>
                {
                    Some(count)
                }
                _ => None,
            })
        };
        let word = |name: &str| attr::find(attributes, name).and_then(|it| attr::text(it, 0));
        let domain = word("domain").and_then(Domain::by_name).unwrap_or_default();
        signature.io.traits = match self.stage {
            Stage::Geometry => {
                let reads_patch = patch(self, "InputPatch");
                let vertices = reads_patch
                    .or_else(|| params.iter().find_map(|it| it.primitive()).map(|it| it.1));
                let traits = GeometryTraits {
                    vertices: vertices.unwrap_or(1),
                    reads_patch: reads_patch.is_some(),
                    most_vertices: self.attribute_number(attributes, "maxvertexcount").unwrap_or(1),
                    instances: self.attribute_number(attributes, "instance").unwrap_or(1),
                    streams,
                };
                self.emitted(&traits, attributes, params)?;
                let words = traits.stride() * traits.most_vertices + 1;
                signature.io.outputs = emitted_words(words);
                StageTraits::Geometry(Box::new(traits))
            }
            Stage::Hull => {
                let partitioning = word("partitioning").and_then(Partitioning::by_name);
                let topology = match word("outputtopology") {
                    Some("triangle") => Some(PatchTopology::Clockwise),
                    given => given.and_then(PatchTopology::by_name),
                };
                let made = self.attribute_number(attributes, "outputcontrolpoints");
                StageTraits::Hull(HullTraits {
                    domain,
                    partitioning: partitioning.unwrap_or_default(),
                    topology: topology.unwrap_or_default(),
                    read: patch(self, "InputPatch").unwrap_or(0),
                    made: made.unwrap_or(0),
                })
            }
            Stage::Domain => {
                StageTraits::Domain { domain, points: patch(self, "OutputPatch").unwrap_or(0) }
            }
            _ => StageTraits::Plain,
        };
        Some(())
    }

    /// The patch-constant function of a hull shader, with its signature; `None` after a report.
    pub(super) fn patch_signature(&mut self, id: FunctionId) -> Option<Signature> {
        let function = self.function(id);
        let (attributes, span) = (function.attributes, function.span);
        let params = self.params_of(id);
        let found = self.stage_signature(id, attributes, &params, Side::Patch);
        if found.is_none() && self.missing.is_empty() && !self.sink.has_errors() {
            let message = "an input or output of the patch-constant function has no semantic";
            self.error(&code::BAD_SEMANTIC, span, message);
        }
        found
    }

    /// Checks the limits of what a geometry shader emits.
    fn emitted(
        &mut self,
        traits: &GeometryTraits,
        attributes: &'a [Attribute],
        params: &[Param<'a>],
    ) -> Option<()> {
        let scalars = traits.streams.iter().map(|it| slot_count(&it.elements)).max().unwrap_or(0);
        let span = attr::find(attributes, "maxvertexcount").map_or(Span::NONE, |it| it.span);
        let all = scalars.saturating_mul(traits.most_vertices);
        if all > MOST_EMITTED {
            let message = format!(
                "{} vertices of {scalars} scalars are {all} scalars, but a geometry shader emits at most {MOST_EMITTED}",
                traits.most_vertices
            );
            let report = Diagnostic::new(&code::BAD_ENTRY_POINT, span, message);
            let most = MOST_EMITTED / scalars.max(1);
            self.report(
                report.help(format!("`[maxvertexcount({most})]` is the most for this vertex")),
            );
            return None;
        }
        if traits.streams.len() > 4 {
            let message =
                format!("a geometry shader has at most 4 streams, not {}", traits.streams.len());
            self.error(&code::BAD_ENTRY_POINT, span, message);
            return None;
        }
        if traits.streams.len() > 1 && traits.streams.iter().any(|it| it.corners != 1) {
            let message = "only streams of points can be several";
            let is_stream = |it: &&Param<'_>| {
                matches!(self.types.get(it.ty), Type::Resource(ResourceType::Other(object))
                    if matches!(object.name, "LineStream" | "TriangleStream"))
            };
            let at = params.iter().find(is_stream).map_or(span, |it| it.span);
            let report = Diagnostic::new(&code::BAD_ENTRY_POINT, at, message);
            self.report(report.help("make each of them a `PointStream`"));
            return None;
        }
        Some(())
    }
}

/// The outputs of a geometry shader, which are words.
fn emitted_words(words: u32) -> Vec<Element> {
    let element = |index: u32| Element {
        semantic: "$emitted".to_owned(),
        index,
        scalar: HostScalar::U32,
        components: (words - 4 * index).min(4) as u8,
        interpolation: Interpolation::default(),
        holder: Holder::Own,
        system: None::<SystemValue>,
        span: Span::NONE,
    };
    (0..words.div_ceil(4)).map(element).collect()
}
