//! Stage-specific objects: patches, streams, ray queries, records of work graphs, feedback textures, subobjects.
//!
//! One row for each: its template arguments, members, elements, and its methods as prototypes. To add a method, add its
//! prototype to the row. Buffers and textures, which every stage has, are separate types and not here.

use diag::most_similar;
use ir::Detail;
use ops::intrinsics::{ShaderModel, Stage, Stages};

use super::prototype::{self, Prototype};
use super::{ArgInfo, Method, Resolution, rays};
use crate::types::{Object, TypeId, Types};

/// An object, as the language defines it.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    /// What it is, as a phrase.
    pub summary: &'static str,
    pub takes: Takes,
    /// What `object[i]` is, as a word of a prototype.
    pub index: Option<&'static str>,
    pub methods: &'static [&'static str],
    pub stages: Stages,
    pub since: ShaderModel,
}

/// The template arguments of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// `PointStream<T>`
    Element,
    /// `InputPatch<T, 3>`: at most this many.
    ElementAndCount(u32),
    /// `RayQuery<RAY_FLAG_NONE>`, `FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP>`: at most this many numbers.
    Flags {
        most: usize,
        least: usize,
    },
    /// It is declared with a list of these values: `StateObjectConfig c = { … };`.
    Fields(&'static [&'static str]),
}

const fn object(name: &'static str, summary: &'static str) -> Row {
    Row {
        name,
        summary,
        takes: Takes::Nothing,
        index: None,
        methods: &[],
        stages: Stages::ALL,
        since: ShaderModel::V6_0,
    }
}

const fn patch(name: &'static str) -> Row {
    Row {
        takes: Takes::ElementAndCount(MOST_POINTS),
        index: Some("T"),
        stages: Stages::of(&[Stage::Hull, Stage::Domain, Stage::Geometry]),
        ..object(name, "the control points of a patch")
    }
}

const fn stream(name: &'static str) -> Row {
    Row {
        takes: Takes::Element,
        methods: &["void Append(T vertex)", "void RestartStrip()"],
        stages: Stages::of(&[Stage::Geometry]),
        ..object(name, "what a geometry shader emits")
    }
}

const NODE: Stages = Stages::of(&[Stage::Node]);

/// An input or output of a node of a work graph.
const fn record(name: &'static str, takes: Takes, methods: &'static [&'static str]) -> Row {
    Row {
        takes,
        methods,
        stages: NODE,
        since: ShaderModel::V6_8,
        ..object(name, "records of a node of a work graph")
    }
}

const fn subobject(name: &'static str, fields: &'static [&'static str]) -> Row {
    Row { takes: Takes::Fields(fields), ..object(name, "a part of a state object") }
}

const fn feedback(name: &'static str, methods: &'static [&'static str]) -> Row {
    Row {
        takes: Takes::Flags { most: 1, least: 1 },
        methods,
        since: ShaderModel::V6_5,
        ..object(name, "a map of which parts of a texture are sampled")
    }
}

const fn legacy(name: &'static str) -> Row {
    object(name, "a sampler of Direct3D 9")
}

/// The maximum number of control points of a patch.
const MOST_POINTS: u32 = 32;
const INFINITE: u32 = u32::MAX;

const ROWS: &[Row] = &[
    // Tessellation and geometry.
    patch("InputPatch"),
    patch("OutputPatch"),
    stream("PointStream"),
    stream("LineStream"),
    stream("TriangleStream"),
    // Ray tracing.
    Row {
        takes: Takes::Flags { most: 2, least: 1 },
        methods: rays::PROTOTYPES,
        since: ShaderModel::V6_5,
        ..object(Object::RAY_QUERY, "a traversal of a scene along a ray")
    },
    // Work graphs.
    record("DispatchNodeInputRecord", Takes::Element, &["T Get()"]),
    record(
        "RWDispatchNodeInputRecord",
        Takes::Element,
        &["T Get()", "bool FinishedCrossGroupSharing()"],
    ),
    Row {
        index: Some("T"),
        ..record("GroupNodeInputRecords", Takes::Element, &["T Get(uint index?)", "uint Count()"])
    },
    Row {
        index: Some("T"),
        ..record("RWGroupNodeInputRecords", Takes::Element, &["T Get(uint index?)", "uint Count()"])
    },
    record("ThreadNodeInputRecord", Takes::Element, &["T Get()"]),
    record("RWThreadNodeInputRecord", Takes::Element, &["T Get()"]),
    record("EmptyNodeInput", Takes::Nothing, &["uint Count()"]),
    record("NodeOutput", Takes::Element, NODE_OUTPUT),
    Row { index: Some("NodeOutput<T>"), ..record("NodeOutputArray", Takes::Element, &[]) },
    record("EmptyNodeOutput", Takes::Nothing, EMPTY_OUTPUT),
    Row { index: Some("EmptyNodeOutput"), ..record("EmptyNodeOutputArray", Takes::Nothing, &[]) },
    Row { index: Some("T"), ..record("ThreadNodeOutputRecords", Takes::Element, OUTPUT_RECORDS) },
    Row { index: Some("T"), ..record("GroupNodeOutputRecords", Takes::Element, OUTPUT_RECORDS) },
    // Textures.
    feedback(
        Object::FEEDBACK,
        &[
            "void GetDimensions(out uint width, out uint height)",
            "void GetDimensions(uint level, out uint width, out uint height, out uint levels)",
            "void WriteSamplerFeedback(Texture2D texture, SamplerState sampler, float2 location, float clamp?)",
            "void WriteSamplerFeedbackBias(Texture2D texture, SamplerState sampler, float2 location, float bias, float clamp?)",
            "void WriteSamplerFeedbackGrad(Texture2D texture, SamplerState sampler, float2 location, float2 ddx, float2 ddy, float clamp?)",
            "void WriteSamplerFeedbackLevel(Texture2D texture, SamplerState sampler, float2 location, float level)",
        ],
    ),
    feedback(
        Object::FEEDBACK_ARRAY,
        &[
            "void GetDimensions(out uint width, out uint height, out uint layers)",
            "void GetDimensions(uint level, out uint width, out uint height, out uint layers, out uint levels)",
            "void WriteSamplerFeedback(Texture2DArray texture, SamplerState sampler, float3 location, float clamp?)",
            "void WriteSamplerFeedbackBias(Texture2DArray texture, SamplerState sampler, float3 location, float bias, float clamp?)",
            "void WriteSamplerFeedbackGrad(Texture2DArray texture, SamplerState sampler, float3 location, float2 ddx, float2 ddy, float clamp?)",
            "void WriteSamplerFeedbackLevel(Texture2DArray texture, SamplerState sampler, float3 location, float level)",
        ],
    ),
    Row {
        takes: Takes::ElementAndCount(INFINITE),
        methods: &["T SubpassLoad()"],
        stages: Stages::of(&[Stage::Pixel]),
        ..object("SubpassInput", "an attachment of a Vulkan render pass")
    },
    Row {
        takes: Takes::ElementAndCount(INFINITE),
        methods: &["T SubpassLoad(int sample)"],
        stages: Stages::of(&[Stage::Pixel]),
        ..object("SubpassInputMS", "a multisampled attachment of a Vulkan render pass")
    },
    legacy("sampler1D"),
    legacy("sampler2D"),
    legacy("sampler3D"),
    legacy("samplerCUBE"),
    // Subobjects of state objects.
    subobject("StateObjectConfig", &["uint"]),
    subobject("GlobalRootSignature", &["string"]),
    subobject("LocalRootSignature", &["string"]),
    subobject("SubobjectToExportsAssociation", &["string", "string"]),
    subobject("RaytracingShaderConfig", &["uint", "uint"]),
    subobject("RaytracingPipelineConfig", &["uint"]),
    subobject("RaytracingPipelineConfig1", &["uint", "uint"]),
    subobject("TriangleHitGroup", &["string", "string"]),
    subobject("ProceduralPrimitiveHitGroup", &["string", "string", "string"]),
];

const NODE_OUTPUT: &[&str] = &[
    "ThreadNodeOutputRecords<T> GetThreadNodeOutputRecords(uint count)",
    "GroupNodeOutputRecords<T> GetGroupNodeOutputRecords(uint count)",
    "bool IsValid()",
];

const EMPTY_OUTPUT: &[&str] = &[
    "void GroupIncrementOutputCount(uint count)",
    "void ThreadIncrementOutputCount(uint count)",
    "bool IsValid()",
];

const OUTPUT_RECORDS: &[&str] = &["T Get(uint index?)", "void OutputComplete()"];

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter()
}

pub fn by_name(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// The row of an object.
pub fn row_of(object: Object) -> &'static Row {
    // Only descriptor heaps have none: the program cannot declare one.
    by_name(object.name).unwrap_or(&HEAP)
}

const HEAP: Row = object("", "a descriptor heap");

/// What `object[i]` is, if it has elements.
pub fn element_of(types: &mut Types, object: Object) -> Option<TypeId> {
    let word = row_of(object).index?;
    Some(prototype::type_of(types, word, Some(object.element)))
}

/// Whether `.Length` is the number of its elements.
pub fn has_length(object: Object) -> bool {
    row_of(object).takes == Takes::ElementAndCount(MOST_POINTS)
}

pub(super) fn names(object: Object) -> impl Iterator<Item = &'static str> {
    let mut last = "";
    let names = row_of(object).methods.iter().map(|it| prototype::name_of(it));
    names.filter(move |name| std::mem::replace(&mut last, name) != *name)
}

pub(super) fn resolve(
    types: &mut Types,
    object: Object,
    name: &str,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let texts = row_of(object).methods.iter().copied().filter(|it| prototype::name_of(it) == name);
    let prototypes: Vec<Prototype> = texts.clone().map(prototype::read).collect();
    let Some(first) = prototypes.first() else { return Resolution::Unknown };
    match prototype::choose(types, &prototypes, Some(object.element), args) {
        Ok((params, result)) => {
            // Methods of ray queries have no overloads.
            let query = texts.clone().next().and_then(rays::by_prototype);
            let function = match (query, object.name, first.name) {
                (Some(query), ..) => Method::Ray(query.meaning),
                (None, "PointStream" | "LineStream" | "TriangleStream", "Append") => Method::Emit,
                (None, "PointStream" | "LineStream" | "TriangleStream", _) => Method::Cut,
                (None, Object::FEEDBACK | Object::FEEDBACK_ARRAY, name) => feedback_method(name),
                (None, ..) => Method::Unsupported(first.name),
            };
            Resolution::Found { function, params, result }
        }
        Err(message) => {
            let notes = texts.map(|it| format!("`{it}`")).collect();
            Resolution::Mismatch { message, notes }
        }
    }
}

/// A method of a feedback map.
fn feedback_method(name: &str) -> Method {
    match name {
        "WriteSamplerFeedback" => Method::Feedback(Detail::Implicit),
        "WriteSamplerFeedbackBias" => Method::Feedback(Detail::Bias),
        "WriteSamplerFeedbackGrad" => Method::Feedback(Detail::Gradients),
        "WriteSamplerFeedbackLevel" => Method::Feedback(Detail::Level),
        _ => Method::FeedbackSize,
    }
}

/// The object whose name is like a word.
pub fn similar(word: &str) -> Option<&'static str> {
    most_similar(word, ROWS.iter().map(|row| row.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::prototype::is_sound;
    use crate::library::testing::{args, describe};

    #[test]
    fn every_prototype_is_made_of_words_that_mean_something() {
        for row in rows() {
            for text in row.methods {
                assert!(is_sound(text), "{}: {text}", row.name);
            }
            if let Some(word) = row.index {
                prototype::type_of(&mut Types::new(), word, Some(Types::UINT));
            }
            let mut names: Vec<&str> =
                row.methods.iter().map(|it| prototype::name_of(it)).collect();
            names.dedup();
            let runs = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), runs, "overloads stand together: {}", row.name);
        }
    }

    #[test]
    fn methods_are_found_with_their_types() {
        let mut types = Types::new();
        let float4 = types.vector(crate::types::Scalar::F32, 4);
        let query = Object { name: "RayQuery", element: Types::VOID, count: 0 };
        let stream = Object { name: "PointStream", element: float4, count: 0 };
        let output = Object { name: "NodeOutput", element: float4, count: 0 };
        for (object, name, list, expected) in [
            (query, "Proceed", "", "() bool"),
            (query, "CandidateObjectToWorld3x4", "", "() float3x4"),
            (query, "CommitProceduralPrimitiveHit", "int", "(float) void"),
            (query, "Proceed", "int", "`Proceed` takes no arguments, but 1 was given"),
            (query, "Trace", "", "unknown"),
            (stream, "Append", "float4", "(float4) void"),
            (
                stream,
                "Append",
                "float3",
                "`vertex` of `Append` must be `float4`, but this is `float3`",
            ),
            (
                output,
                "GetThreadNodeOutputRecords",
                "literal int",
                "(uint) ThreadNodeOutputRecords<float4>",
            ),
        ] {
            let args = args(&mut types, list);
            let got = match resolve(&mut types, object, name, &args) {
                Resolution::Found { params, result, .. } => describe(&types, &params, result),
                Resolution::Mismatch { message, .. } => message,
                Resolution::Unknown => "unknown".to_owned(),
            };
            assert_eq!(got, expected, "{name}({list})");
        }
    }
}
