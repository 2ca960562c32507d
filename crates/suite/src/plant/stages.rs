//! Faults in the stages between the vertex shader and the rasterizer, and in mesh shaders: the rows of their classes,
//! and the draws around the planted lines.
//!
//! In the planted lines `n` is a number that differs between lanes, `v.one` is 1 though nothing says so, and `planted`
//! is what becomes an output. Every draw has more lanes than waves of 4 hold, and in no stage a whole number of waves
//! of 8.

use sanitizer::Kind;

use super::pixels::{DrawClass, cause, fault, partner, same};
use generate::Random;

/// Where lines are planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Pixel,
    /// In a pixel shader, with four samples of which alpha covers some.
    Samples,
    ControlPoint,
    PatchConstants,
    Domain,
    Geometry,
    Mesh,
}

/// The text around planted lines.
pub(super) struct Around {
    pub(super) head: String,
    pub(super) tail: &'static str,
    pub(super) widths: &'static [&'static [u32]],
}

/// The declarations of all draws with patches or primitives.
const COMMON: &str = "RWStructuredBuffer<uint> Count : register(u0);
struct Lane { uint one; };
struct P { float2 at : AT; float a : A; nointerpolation uint one : ONE; };
struct V { float4 position : SV_Position; float a : A; nointerpolation uint one : ONE; };
";

const PIXEL: &str = "float4 ps(V v) : SV_Target { return float4(v.a, v.one, 0, 1); }\n";

/// Three patches of three control points. Functions with planted lines come instead of these.
const CONSTANTS: &str = "Factors constants(InputPatch<P, 3> patch) {
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = 3;
    f.a = 1;
    return f;
}
";
const HULL: &str =
    "P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }\n";
const ATTRIBUTES: &str = "[domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)] [patchconstantfunc(\"constants\")]\n";
const DOMAIN: &str = "[domain(\"tri\")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) {
    V v;
    v.position = float4(patch[0].at * uvw.x + patch[1].at * uvw.y + patch[2].at * uvw.z, 0, 1);
    v.a = f.a + patch[0].a;
    v.one = patch[0].one;
    return v;
}
";

/// The draw around lines that are planted in a stage other than the pixel shader.
pub(super) fn around(place: Where, random: &mut Random) -> Around {
    let size = random.pick(&["4x4", "8x4"]);
    let section = |kind: &str| {
        format!("//--- planted\n//# draw {size} {kind}\n//# zero Count 4\n//# args -T ps_6_6\n")
    };
    let patches = || {
        let draw = section("vertices 9 patches 3");
        format!(
            "{draw}{COMMON}struct Factors {{ float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float a : B; }};
P vs(uint id : SV_VertexID) {{
    P p;
    p.at = float2(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1);
    p.a = 1;
    p.one = 1;
    return p;
}}
{PIXEL}"
        )
    };
    let lane = "    Lane v;\n    float planted = 0;\n";
    let widths: &'static [&'static [u32]] = &[&[8, 16], &[4, 8], &[16]];
    let (head, tail) = match place {
        Where::Pixel | Where::Samples => unreachable!("the draw of pixels is made elsewhere"),
        Where::ControlPoint => (
            format!(
                "{}{CONSTANTS}{DOMAIN}{ATTRIBUTES}P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {{
{lane}    v.one = patch[i].one;\n    uint n = 3 * id + i;\n    float a = patch[i].a;\n",
                patches()
            ),
            "    P p = patch[i];\n    p.a = planted;\n    return p;\n}\n",
        ),
        Where::PatchConstants => (
            format!(
                "{}Factors constants(InputPatch<P, 3> patch, uint id : SV_PrimitiveID) {{
{lane}    v.one = patch[0].one;\n    uint n = id;\n    float a = patch[1].a;\n",
                patches()
            ),
            "    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = 1;
    f.a = planted;
    return f;
}
[domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)] [patchconstantfunc(\"constants\")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain(\"tri\")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) {
    V v;
    v.position = float4(patch[0].at * uvw.x + patch[1].at * uvw.y + patch[2].at * uvw.z, 0, 1);
    v.a = f.a;
    v.one = 1;
    return v;
}
",
        ),
        Where::Domain => (
            format!(
                "{}{CONSTANTS}{ATTRIBUTES}{HULL}[domain(\"tri\")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch, uint id : SV_PrimitiveID) {{
{lane}    v.one = patch[0].one;\n    uint n = uint(uvw.x * 12 + 0.5) + uint(uvw.y * 12 + 0.5) * 16;\n    float a = f.a;\n",
                patches()
            ),
            "    V made;
    made.position = float4(patch[0].at * uvw.x + patch[1].at * uvw.y + patch[2].at * uvw.z, 0, 1);
    made.a = planted;
    made.one = 1;
    return made;
}
",
        ),
        Where::Geometry => (
            format!(
                "{}//# raster Topology: PointList\n{COMMON}V vs(uint id : SV_VertexID) {{
    V v;
    v.position = float4((id % 4 + 0.5) / 2 - 1, id < 4 ? 0.5 : -0.5, 0, 1);
    v.a = id;
    v.one = 1;
    return v;
}}
{PIXEL}[maxvertexcount(4)]
void gs(point V input[1], uint n : SV_PrimitiveID, inout PointStream<V> stream) {{
{lane}    v.one = input[0].one;\n    float a = input[0].a;\n    V corner = input[0];\n",
                section("vertices 7 geometry")
            ),
            "    corner.a = planted;\n    stream.Append(corner);\n}\n",
        ),
        Where::Mesh => (
            format!(
                "{}//# in One u32: 1\n{COMMON}StructuredBuffer<uint> One : register(t0);
groupshared uint tile[12];
{PIXEL}[numthreads(12, 1, 1)] [outputtopology(\"triangle\")]
void ms(uint i : SV_GroupIndex, uint group : SV_GroupID, out vertices V verts[12], out indices uint3 tris[4]) {{
{lane}    v.one = One[0];\n    uint n = 12 * group + i;\n    float a = i;\n",
                section("mesh 2,1,1")
            ),
            "    verts[i].position = float4(i % 3 == 1 ? 3 : -1, i % 3 == 2 ? -3 : 1, 0, 1);
    verts[i].a = planted;
    verts[i].one = 1;
    if (i < 4) tris[i] = uint3(3 * i, 3 * i + 1, 3 * i + 2);
}
",
        ),
    };
    // Threads of one wave are in step, so that mesh shaders need several.
    let widths: &'static [&'static [u32]] =
        if place == Where::Mesh { &[&[8], &[4, 8], &[4]] } else { widths };
    Around { head, tail, widths }
}

/// Every class.
pub(super) const ALL: &[DrawClass] = &[
    DrawClass {
        name: "a member of a control point that is not set",
        kind: Kind::UninitializedValue,
        stage: Where::ControlPoint,
        lines: |_| {
            vec![
                fault("float unset = a;", "float unset;"),
                same("if (n % 3 == 1) unset = 5;"),
                same("planted = unset;"),
            ]
        },
    },
    DrawClass {
        name: "what control points of a wave have in common",
        kind: Kind::DependsOnPacking,
        stage: Where::ControlPoint,
        lines: shared,
    },
    DrawClass {
        name: "a lane without a patch",
        kind: Kind::InactiveLaneRead,
        stage: Where::PatchConstants,
        lines: |random| {
            let value = random.pick(&["v.one", "a", "v.one * 3"]);
            vec![fault(
                &format!("planted = WaveReadLaneFirst({value});"),
                &format!("planted = WaveReadLaneAt({value}, 3);"),
            )]
        },
    },
    DrawClass {
        name: "what patches of a wave have in common",
        kind: Kind::DependsOnPacking,
        stage: Where::PatchConstants,
        lines: shared,
    },
    DrawClass {
        name: "what points of a domain have in common",
        kind: Kind::DependsOnPacking,
        stage: Where::Domain,
        lines: shared,
    },
    DrawClass {
        name: "an index past the end in a domain shader",
        kind: Kind::OutOfBounds,
        stage: Where::Domain,
        lines: |_| {
            vec![
                partner("float weights[3] = { 1, 1, 1 };"),
                fault("weights[n % 3] = a;", "weights[n] = a;"),
                same("planted = weights[0] + weights[1];"),
            ]
        },
    },
    DrawClass {
        name: "a member of an emitted vertex that is not set",
        kind: Kind::UninitializedValue,
        stage: Where::Geometry,
        lines: |_| {
            vec![
                fault("float unset = a;", "float unset;"),
                same("if (n > 2) unset = 5;"),
                same("planted = unset;"),
            ]
        },
    },
    DrawClass {
        name: "vertices beyond the declared number",
        kind: Kind::OutOfBounds,
        stage: Where::Geometry,
        lines: |_| {
            vec![
                fault("uint more = 2 * v.one;", "uint more = 2 * v.one + n;"),
                partner("for (uint k = 0; k < more; k++) stream.Append(corner);"),
                same("corner = input[0];"),
            ]
        },
    },
    DrawClass {
        name: "what primitives of a wave have in common",
        kind: Kind::DependsOnPacking,
        stage: Where::Geometry,
        lines: shared,
    },
    DrawClass {
        name: "a store by several primitives",
        kind: Kind::Race,
        stage: Where::Geometry,
        lines: |_| vec![fault("InterlockedMax(Count[0], n);", "Count[0] = n;")],
    },
    DrawClass {
        name: "more vertices than a mesh shader has room for",
        kind: Kind::OutOfBounds,
        stage: Where::Mesh,
        lines: |_| {
            vec![fault(
                "SetMeshOutputCounts(12, 4 * v.one);",
                "SetMeshOutputCounts(12 + v.one, 4);",
            )]
        },
    },
    DrawClass {
        name: "a missing barrier in a mesh shader",
        kind: Kind::Race,
        stage: Where::Mesh,
        lines: |_| {
            vec![
                same("SetMeshOutputCounts(12, 4);"),
                partner("tile[i] = n;"),
                cause("GroupMemoryBarrierWithGroupSync();", ""),
                partner("planted = tile[(i + 5) % 12];"),
            ]
        },
    },
    DrawClass {
        name: "an output of a mesh shader that is not set",
        kind: Kind::UninitializedValue,
        stage: Where::Mesh,
        lines: |_| {
            vec![
                same("SetMeshOutputCounts(12, 4);"),
                fault("float unset = a;", "float unset;"),
                same("if (n % 3 == 1) unset = 5;"),
                same("planted = unset;"),
            ]
        },
    },
];

/// A result of a whole wave that becomes an output.
fn shared(random: &mut Random) -> Vec<super::pixels::Line> {
    let value = random.pick(&["n", "n * 3u + 1u", "(n ^ 5u)"]);
    let fold = random.pick(&["Sum", "Max"]);
    vec![fault("planted = WaveActiveMax(v.one);", &format!("planted = WaveActive{fold}({value});"))]
}
