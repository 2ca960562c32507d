//! System values: the stages in which each is an input or an output, and its type. One row for each.
//!
//! The four of compute shaders are bound to parameters in `entry.rs`; this table only checks their names. For the
//! stages of draws it also says which values the fixed functions supply or read ([`Row::system`]).

use ir::stage::SystemValue;
use ops::intrinsics::Stage;

use crate::types::{Scalar, Type, TypeId, Types};

/// The side of a shader's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Input,
    Output,
    /// The patch constants: a result of the hull shader's patch-constant function, an input of the domain shader.
    Patch,
    /// A per-primitive output of a mesh shader.
    Primitive,
}

/// The type of a system value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Up to this many integers.
    Int(u32),
    Float(u32),
    Bool,
    /// Up to this many numbers of any kind.
    Number(u32),
    /// Tessellation factors: one for each edge or inside of the patch's domain.
    Factors,
}

pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    uses: &'static [(Stage, Side)],
}

use Side::{Input, Output, Patch, Primitive};
use Stage::{Amplification, Compute, Domain, Geometry, Hull, Mesh, Node, Pixel, Vertex};

/// The uses of values passed from stage to stage up to the rasterizer.
const TRAVELS: &[(Stage, Side)] = &[
    (Vertex, Input),
    (Vertex, Output),
    (Hull, Input),
    (Hull, Output),
    (Hull, Patch),
    (Domain, Input),
    (Domain, Output),
    (Domain, Patch),
    (Geometry, Input),
    (Geometry, Output),
    (Pixel, Input),
    (Mesh, Output),
];

/// The same for values that a mesh shader outputs for each primitive.
const OF_PRIMITIVES: &[(Stage, Side)] = &[
    (Vertex, Input),
    (Vertex, Output),
    (Hull, Input),
    (Hull, Output),
    (Hull, Patch),
    (Domain, Input),
    (Domain, Output),
    (Domain, Patch),
    (Geometry, Input),
    (Geometry, Output),
    (Pixel, Input),
    (Mesh, Primitive),
];

const GROUPS: &[(Stage, Side)] =
    &[(Compute, Input), (Mesh, Input), (Amplification, Input), (Node, Input)];
const PIXEL_IN: &[(Stage, Side)] = &[(Pixel, Input)];
const PIXEL_OUT: &[(Stage, Side)] = &[(Pixel, Output)];
const VERTEX_IN: &[(Stage, Side)] = &[(Vertex, Input)];

const fn row(name: &'static str, kind: Kind, uses: &'static [(Stage, Side)]) -> Row {
    Row { name, kind, uses }
}

const ROWS: &[Row] = &[
    row("SV_Barycentrics", Kind::Float(3), PIXEL_IN),
    row("SV_ClipDistance", Kind::Float(4), TRAVELS),
    row("SV_Coverage", Kind::Int(1), &[(Pixel, Input), (Pixel, Output)]),
    row("SV_CullDistance", Kind::Float(4), TRAVELS),
    row("SV_CullPrimitive", Kind::Bool, &[(Mesh, Primitive)]),
    row("SV_Depth", Kind::Float(1), PIXEL_OUT),
    row("SV_DepthGreaterEqual", Kind::Float(1), PIXEL_OUT),
    row("SV_DepthLessEqual", Kind::Float(1), PIXEL_OUT),
    row("SV_DispatchThreadID", Kind::Int(3), GROUPS),
    row("SV_DomainLocation", Kind::Float(3), &[(Domain, Input)]),
    row("SV_GSInstanceID", Kind::Int(1), &[(Geometry, Input)]),
    row("SV_GroupID", Kind::Int(3), GROUPS),
    row("SV_GroupIndex", Kind::Int(1), GROUPS),
    row("SV_GroupThreadID", Kind::Int(3), GROUPS),
    row("SV_InnerCoverage", Kind::Int(1), PIXEL_IN),
    row("SV_InsideTessFactor", Kind::Factors, &[(Hull, Patch), (Domain, Input), (Domain, Patch)]),
    row("SV_InstanceID", Kind::Int(1), TRAVELS),
    row("SV_IsFrontFace", Kind::Bool, &[(Pixel, Input), (Geometry, Output)]),
    row("SV_OutputControlPointID", Kind::Int(1), &[(Hull, Input)]),
    row("SV_Position", Kind::Float(4), TRAVELS),
    row(
        "SV_PrimitiveID",
        Kind::Int(1),
        &[
            (Hull, Input),
            (Hull, Patch),
            (Domain, Input),
            (Geometry, Input),
            (Geometry, Output),
            (Pixel, Input),
            (Mesh, Primitive),
        ],
    ),
    row("SV_RenderTargetArrayIndex", Kind::Int(1), OF_PRIMITIVES),
    row("SV_SampleIndex", Kind::Int(1), PIXEL_IN),
    row(
        "SV_ShadingRate",
        Kind::Int(1),
        &[(Vertex, Output), (Geometry, Output), (Mesh, Primitive), (Pixel, Input)],
    ),
    row("SV_StartInstanceLocation", Kind::Int(1), VERTEX_IN),
    row("SV_StartVertexLocation", Kind::Int(1), VERTEX_IN),
    row("SV_StencilRef", Kind::Int(1), PIXEL_OUT),
    row("SV_Target", Kind::Number(4), PIXEL_OUT),
    row("SV_TessFactor", Kind::Factors, &[(Hull, Patch), (Domain, Input), (Domain, Patch)]),
    row("SV_VertexID", Kind::Int(1), VERTEX_IN),
    row(
        "SV_ViewID",
        Kind::Int(1),
        &[
            (Vertex, Input),
            (Hull, Input),
            (Domain, Input),
            (Geometry, Input),
            (Pixel, Input),
            (Mesh, Input),
        ],
    ),
    row("SV_ViewportArrayIndex", Kind::Int(1), OF_PRIMITIVES),
];

/// The row of a semantic, and its index.
pub(super) fn find(semantic: &str) -> Option<(&'static Row, u32)> {
    let (name, index) = split(semantic);
    let row = ROWS.iter().find(|row| row.name.eq_ignore_ascii_case(name))?;
    Some((row, index))
}

/// Splits a semantic into its name and its index.
pub(super) fn split(semantic: &str) -> (&str, u32) {
    let name = semantic.trim_end_matches(|it: char| it.is_ascii_digit());
    (name, semantic[name.len()..].parse().unwrap_or(0))
}

/// The names of the system values on a side of a stage.
pub(super) fn names(stage: Stage, side: Side) -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter(move |row| row.is_for(stage, side)).map(|row| row.name)
}

impl Row {
    pub(super) fn is_for(&self, stage: Stage, side: Side) -> bool {
        self.uses.contains(&(stage, side))
    }

    /// The value in the fixed functions, where these supply or read it on that side; elsewhere it is an attribute like
    /// others.
    pub(super) fn system(&self, stage: Stage, side: Side) -> Option<SystemValue> {
        use SystemValue::*;
        let system = match self.name {
            "SV_Barycentrics" => Barycentrics,
            "SV_ClipDistance" => ClipDistance,
            "SV_Coverage" => Coverage,
            "SV_CullDistance" => CullDistance,
            "SV_CullPrimitive" => CullPrimitive,
            "SV_Depth" => Depth,
            "SV_DepthGreaterEqual" => DepthGreaterEqual,
            "SV_DepthLessEqual" => DepthLessEqual,
            "SV_DomainLocation" => DomainLocation,
            "SV_GSInstanceID" => GsInstanceId,
            "SV_InnerCoverage" => InnerCoverage,
            "SV_InsideTessFactor" => InsideTessFactor,
            "SV_InstanceID" => InstanceId,
            "SV_IsFrontFace" => IsFrontFace,
            "SV_OutputControlPointID" => OutputControlPointId,
            "SV_Position" => Position,
            "SV_PrimitiveID" => PrimitiveId,
            "SV_RenderTargetArrayIndex" => RenderTargetArrayIndex,
            "SV_SampleIndex" => SampleIndex,
            "SV_ShadingRate" => ShadingRate,
            "SV_StartInstanceLocation" => StartInstanceLocation,
            "SV_StartVertexLocation" => StartVertexLocation,
            "SV_StencilRef" => StencilRef,
            "SV_Target" => Target,
            "SV_TessFactor" => TessFactor,
            "SV_VertexID" => VertexId,
            "SV_ViewID" => ViewId,
            "SV_ViewportArrayIndex" => ViewportArrayIndex,
            _ => return None,
        };
        let is_theirs = match (stage, side) {
            (Vertex, Input) => {
                let of_vertices =
                    [VertexId, InstanceId, StartVertexLocation, StartInstanceLocation, ViewId];
                of_vertices.contains(&system)
            }
            (Vertex | Domain | Geometry | Mesh, Output) => system != InstanceId,
            (Mesh, Primitive) => true,
            (Hull | Domain | Geometry, Input) => {
                let of_patches =
                    [PrimitiveId, ViewId, OutputControlPointId, DomainLocation, GsInstanceId];
                of_patches.contains(&system)
            }
            (Hull, Patch) => [TessFactor, InsideTessFactor].contains(&system),
            (Pixel, Input) => ![ClipDistance, CullDistance, InstanceId].contains(&system),
            (Pixel, Output) => true,
            _ => false,
        };
        is_theirs.then_some(system)
    }

    /// The stages in which it is valid, each once.
    pub(super) fn stages(&self) -> impl Iterator<Item = Stage> {
        let mut last = None;
        self.uses.iter().map(|it| it.0).filter(move |it| last.replace(*it) != Some(*it))
    }
}

impl Kind {
    pub(super) fn takes(self, types: &Types, ty: TypeId) -> bool {
        let is_int = |scalar: Scalar| scalar.is_int() && scalar.ty(true).bits() <= 32;
        let (fits, most): (fn(Scalar) -> bool, u32) = match self {
            Kind::Int(most) => (is_int, most),
            Kind::Float(most) => (Scalar::is_float, most),
            Kind::Bool => (|it| it.number() == Scalar::Bool || it.is_int(), 1),
            Kind::Number(most) => (|_| true, most),
            // The count is checked against the domain.
            Kind::Factors => (Scalar::is_float, 4),
        };
        match types.get(ty) {
            Type::Scalar(scalar) => fits(scalar),
            Type::Vector(scalar, n) => fits(scalar) && n <= most,
            Type::Array { element, .. } => self.takes(types, element),
            _ => false,
        }
    }

    pub(super) fn words(self) -> String {
        let up_to = |word: &str, most| match most {
            1 => format!("`{word}`"),
            _ => format!("`{word}` or a vector of up to {most}"),
        };
        match self {
            Kind::Int(most) => up_to("uint", most),
            Kind::Float(most) => up_to("float", most),
            Kind::Bool => "`bool`".to_owned(),
            Kind::Number(most) => format!("a number or a vector of up to {most}"),
            Kind::Factors => "`float` or an array of them".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_with_an_index() {
        assert_eq!(find("sv_target3").map(|it| (it.0.name, it.1)), Some(("SV_Target", 3)));
        assert_eq!(find("SV_Position").map(|it| it.1), Some(0));
        assert!(find("TEXCOORD0").is_none());
        assert_eq!(split("TEXCOORD12"), ("TEXCOORD", 12));
    }

    #[test]
    fn every_system_value_of_a_stage_that_runs_is_known() {
        // What only travels is an attribute.
        let travels = [
            (
                Vertex,
                Input,
                "SV_ClipDistance SV_CullDistance SV_Position SV_RenderTargetArrayIndex SV_ViewportArrayIndex",
            ),
            (Vertex, Output, "SV_InstanceID"),
            (Pixel, Input, "SV_ClipDistance SV_CullDistance SV_InstanceID"),
            (Pixel, Output, ""),
        ];
        for (stage, side, travels) in travels {
            let attributes: Vec<&str> = ROWS
                .iter()
                .filter(|it| it.is_for(stage, side) && it.system(stage, side).is_none())
                .map(|it| it.name)
                .collect();
            assert_eq!(attributes.join(" "), travels, "{stage:?} {side:?}");
        }
    }

    #[test]
    fn rows_are_sorted_and_each_is_used() {
        assert!(ROWS.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(ROWS.iter().all(|row| !row.uses.is_empty()));
    }
}
