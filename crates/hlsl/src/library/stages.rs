//! Stage-specific functions, by their prototypes, and the constants that go with them.
//!
//! They type-check everywhere; their rows list the stages that have them and the shader model they need. Only those
//! with a meaning run;
//! derivatives and barriers, which compute shaders have too, are functions of the table in `rows.rs`.

use ops::intrinsics::{ShaderModel, Stage, Stages};

use super::prototype::{self, Prototype};
use super::{ArgInfo, Factors, Function, OfPixels, Reduction, Resolution};
use crate::types::Types;

/// A function of some stages.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    /// Its overloads.
    pub prototypes: &'static [&'static str],
    pub stages: Stages,
    pub since: ShaderModel,
    /// In ray tracing, the shaders that have it, by the words of `[shader("…")]`; all if none is named.
    pub kinds: &'static [&'static str],
    /// `None` for a function that is not supported yet.
    pub meaning: Option<Function>,
}

const V6_1: ShaderModel = ShaderModel { major: 6, minor: 1 };
const V6_3: ShaderModel = ShaderModel { major: 6, minor: 3 };

const RAYS: Stages = Stages::of(&[Stage::RayTracing, Stage::Library]);
const PIXEL: Stages = Stages::of(&[Stage::Pixel, Stage::Library]);
const HULL: Stages = Stages::of(&[Stage::Hull, Stage::Library]);
const MESH: Stages = Stages::of(&[Stage::Mesh, Stage::Library]);
const AMPLIFICATION: Stages = Stages::of(&[Stage::Amplification, Stage::Library]);
const NODE: Stages = Stages::of(&[Stage::Node, Stage::Library]);

/// The shaders that examine one hit or candidate.
const HITS: &[&str] = &["intersection", "anyhit", "closesthit"];
/// These, and the miss shader.
const ON_A_RAY: &[&str] = &["intersection", "anyhit", "closesthit", "miss"];
const TRACERS: &[&str] = &["raygeneration", "closesthit", "miss"];

const fn row(
    name: &'static str,
    stages: Stages,
    since: ShaderModel,
    prototypes: &'static [&'static str],
) -> Row {
    Row { name, prototypes, stages, since, kinds: &[], meaning: None }
}

const fn ray(
    name: &'static str,
    kinds: &'static [&'static str],
    prototypes: &'static [&'static str],
) -> Row {
    Row { name, prototypes, stages: RAYS, since: V6_3, kinds, meaning: None }
}

const fn pixel(
    name: &'static str,
    since: ShaderModel,
    meaning: OfPixels,
    prototypes: &'static [&'static str],
) -> Row {
    Row { meaning: Some(Function::Pixel(meaning)), ..row(name, PIXEL, since, prototypes) }
}

const fn factors(name: &'static str, meaning: Factors, prototypes: &'static [&'static str]) -> Row {
    let meaning = Some(Function::Factors(meaning));
    Row { meaning, ..row(name, HULL, ShaderModel::V6_0, prototypes) }
}

/// The edges that determine the inside of a triangle, of a square, and of a square in either direction.
const TRI: &[&[u32]] = &[&[0, 1, 2]];
const QUAD: &[&[u32]] = &[&[0, 1, 2, 3]];
const QUAD_2D: &[&[u32]] = &[&[0, 1], &[2, 3]];

const ROWS: &[Row] = &[
    // Pixel shaders.
    pixel(
        "EvaluateAttributeAtSample",
        ShaderModel::V6_0,
        OfPixels::AtSample,
        &["number EvaluateAttributeAtSample(number value, uint sample)"],
    ),
    pixel(
        "EvaluateAttributeCentroid",
        ShaderModel::V6_0,
        OfPixels::AtCentroid,
        &["number EvaluateAttributeCentroid(number value)"],
    ),
    pixel(
        "EvaluateAttributeSnapped",
        ShaderModel::V6_0,
        OfPixels::Snapped,
        &["number EvaluateAttributeSnapped(number value, int2 offset)"],
    ),
    pixel(
        "GetAttributeAtVertex",
        V6_1,
        OfPixels::AtVertex,
        &["number GetAttributeAtVertex(number value, uint vertex)"],
    ),
    row(
        "GetRenderTargetSampleCount",
        PIXEL,
        ShaderModel::V6_0,
        &["uint GetRenderTargetSampleCount()"],
    ),
    row(
        "GetRenderTargetSamplePosition",
        PIXEL,
        ShaderModel::V6_0,
        &["float2 GetRenderTargetSamplePosition(int sample)"],
    ),
    pixel("clip", ShaderModel::V6_0, OfPixels::Clip, &["void clip(number value)"]),
    // Hull shaders.
    factors(
        "Process2DQuadTessFactorsAvg",
        Factors::Insides { sets: QUAD_2D, reduction: Reduction::Average },
        &[
            "void Process2DQuadTessFactorsAvg(float4 edges, float2 scale, out float4 roundedEdges, out float2 roundedInside, out float2 unroundedInside)",
        ],
    ),
    factors(
        "Process2DQuadTessFactorsMax",
        Factors::Insides { sets: QUAD_2D, reduction: Reduction::Greatest },
        &[
            "void Process2DQuadTessFactorsMax(float4 edges, float2 scale, out float4 roundedEdges, out float2 roundedInside, out float2 unroundedInside)",
        ],
    ),
    factors(
        "Process2DQuadTessFactorsMin",
        Factors::Insides { sets: QUAD_2D, reduction: Reduction::Least },
        &[
            "void Process2DQuadTessFactorsMin(float4 edges, float2 scale, out float4 roundedEdges, out float2 roundedInside, out float2 unroundedInside)",
        ],
    ),
    factors(
        "ProcessQuadTessFactorsAvg",
        Factors::Insides { sets: QUAD, reduction: Reduction::Average },
        &[
            "void ProcessQuadTessFactorsAvg(float4 edges, float scale, out float4 roundedEdges, out float2 roundedInside, out float2 unroundedInside)",
        ],
    ),
    factors(
        "ProcessQuadTessFactorsMax",
        Factors::Insides { sets: QUAD, reduction: Reduction::Greatest },
        &[
            "void ProcessQuadTessFactorsMax(float4 edges, float scale, out float4 roundedEdges, out float2 roundedInside, out float2 unroundedInside)",
        ],
    ),
    factors(
        "ProcessQuadTessFactorsMin",
        Factors::Insides { sets: QUAD, reduction: Reduction::Least },
        &[
            "void ProcessQuadTessFactorsMin(float4 edges, float scale, out float4 roundedEdges, out float2 roundedInside, out float2 unroundedInside)",
        ],
    ),
    factors(
        "ProcessTriTessFactorsAvg",
        Factors::Insides { sets: TRI, reduction: Reduction::Average },
        &[
            "void ProcessTriTessFactorsAvg(float3 edges, float scale, out float3 roundedEdges, out float roundedInside, out float unroundedInside)",
        ],
    ),
    factors(
        "ProcessTriTessFactorsMax",
        Factors::Insides { sets: TRI, reduction: Reduction::Greatest },
        &[
            "void ProcessTriTessFactorsMax(float3 edges, float scale, out float3 roundedEdges, out float roundedInside, out float unroundedInside)",
        ],
    ),
    factors(
        "ProcessTriTessFactorsMin",
        Factors::Insides { sets: TRI, reduction: Reduction::Least },
        &[
            "void ProcessTriTessFactorsMin(float3 edges, float scale, out float3 roundedEdges, out float roundedInside, out float unroundedInside)",
        ],
    ),
    factors(
        "ProcessIsolineTessFactors",
        Factors::Isoline,
        &[
            "void ProcessIsolineTessFactors(float detail, float density, out float roundedDetail, out float roundedDensity)",
        ],
    ),
    // Mesh and amplification shaders.
    Row {
        meaning: Some(Function::MeshCounts),
        ..row(
            "SetMeshOutputCounts",
            MESH,
            ShaderModel::V6_5,
            &["void SetMeshOutputCounts(uint vertices, uint primitives)"],
        )
    },
    Row {
        meaning: Some(Function::DispatchMesh),
        ..row(
            "DispatchMesh",
            AMPLIFICATION,
            ShaderModel::V6_5,
            &["void DispatchMesh(uint x, uint y, uint z, T payload)"],
        )
    },
    // Ray tracing.
    ray(
        "TraceRay",
        TRACERS,
        &[
            "void TraceRay(RaytracingAccelerationStructure scene, uint flags, uint mask, uint contribution, uint multiplier, uint miss, RayDesc ray, inout T payload)",
        ],
    ),
    ray(
        "CallShader",
        &["raygeneration", "closesthit", "miss", "callable"],
        &["void CallShader(uint index, inout T parameter)"],
    ),
    ray(
        "ReportHit",
        &["intersection"],
        &["bool ReportHit(float distance, uint kind, T attributes)"],
    ),
    ray("IgnoreHit", &["anyhit"], &["void IgnoreHit()"]),
    ray("AcceptHitAndEndSearch", &["anyhit"], &["void AcceptHitAndEndSearch()"]),
    ray("DispatchRaysIndex", &[], &["uint3 DispatchRaysIndex()"]),
    ray("DispatchRaysDimensions", &[], &["uint3 DispatchRaysDimensions()"]),
    ray("WorldRayOrigin", ON_A_RAY, &["float3 WorldRayOrigin()"]),
    ray("WorldRayDirection", ON_A_RAY, &["float3 WorldRayDirection()"]),
    ray("RayTMin", ON_A_RAY, &["float RayTMin()"]),
    ray("RayTCurrent", ON_A_RAY, &["float RayTCurrent()"]),
    ray("RayFlags", ON_A_RAY, &["uint RayFlags()"]),
    ray("PrimitiveIndex", HITS, &["uint PrimitiveIndex()"]),
    ray("InstanceIndex", HITS, &["uint InstanceIndex()"]),
    ray("InstanceID", HITS, &["uint InstanceID()"]),
    Row { since: ShaderModel::V6_5, ..ray("GeometryIndex", HITS, &["uint GeometryIndex()"]) },
    ray("ObjectRayOrigin", HITS, &["float3 ObjectRayOrigin()"]),
    ray("ObjectRayDirection", HITS, &["float3 ObjectRayDirection()"]),
    ray("ObjectToWorld", HITS, &["float3x4 ObjectToWorld()"]),
    ray("ObjectToWorld3x4", HITS, &["float3x4 ObjectToWorld3x4()"]),
    ray("ObjectToWorld4x3", HITS, &["float4x3 ObjectToWorld4x3()"]),
    ray("WorldToObject", HITS, &["float3x4 WorldToObject()"]),
    ray("WorldToObject3x4", HITS, &["float3x4 WorldToObject3x4()"]),
    ray("WorldToObject4x3", HITS, &["float4x3 WorldToObject4x3()"]),
    ray("HitKind", &["anyhit", "closesthit"], &["uint HitKind()"]),
    // Work graphs.
    row(
        "GetRemainingRecursionLevels",
        NODE,
        ShaderModel::V6_8,
        &["uint GetRemainingRecursionLevels()"],
    ),
];

/// The constants of pipelines of ray tracing, of work graphs and of feedback textures. Those of ray queries are in
/// [`ops::ray`].
const FLAGS: &[(&str, u32)] = &[
    ("HIT_KIND_NONE", 0),
    ("HIT_KIND_TRIANGLE_FRONT_FACE", 0xfe),
    ("HIT_KIND_TRIANGLE_BACK_FACE", 0xff),
    ("RAYTRACING_PIPELINE_FLAG_NONE", 0),
    ("RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES", 0x100),
    ("RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES", 0x200),
    ("RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS", 0x400),
    ("STATE_OBJECT_FLAGS_NONE", 0),
    ("STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS", 0x1),
    ("STATE_OBJECT_FLAGS_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS", 0x2),
    ("STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS", 0x1),
    ("STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS", 0x2),
    // As spelled by DXC.
    ("STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS", 0x1),
    ("STATE_OBJECT_FLAGS_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITONS", 0x2),
    ("STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS", 0x4),
    ("SAMPLER_FEEDBACK_MIN_MIP", 0),
    ("SAMPLER_FEEDBACK_MIP_REGION_USED", 1),
];

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter()
}

pub fn by_name(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// The value of a constant.
pub(super) fn flag(name: &str) -> Option<u32> {
    let of_queries = || ops::ray::constants().find(|it| it.name == name).map(|it| it.value);
    FLAGS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).or_else(of_queries)
}

pub(super) fn resolve(types: &mut Types, row: &Row, args: &[ArgInfo]) -> Resolution<Function> {
    let prototypes: Vec<Prototype> = row.prototypes.iter().map(|it| prototype::read(it)).collect();
    match prototype::choose(types, &prototypes, None, args) {
        Ok((params, result)) => {
            let function = row.meaning.unwrap_or(Function::Unsupported(row.name));
            Resolution::Found { function, params, result }
        }
        Err(message) => {
            let notes = row.prototypes.iter().map(|it| format!("`{it}`")).collect();
            Resolution::Mismatch { message, notes }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_sound_prototypes_of_its_name() {
        for row in rows() {
            for text in row.prototypes {
                assert!(prototype::is_sound(text), "{text}");
                assert_eq!(prototype::name_of(text), row.name);
            }
        }
    }

    #[test]
    fn the_names_of_functions_and_constants_are_unique() {
        let mut names: Vec<&str> =
            rows().map(|row| row.name).chain(FLAGS.iter().map(|(name, _)| *name)).collect();
        let before = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), before);
    }
}
