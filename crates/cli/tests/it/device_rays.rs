//! Ray queries on Vulkan devices: by instructions of the device where it has them, and in software on any. Without a
//! usable driver, a test prints that and checks nothing.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use support::Ran;

/// Four rays: what each of them finds.
const SHADER: &str = "RaytracingAccelerationStructure Scene : register(t0);
struct Hit { uint status, instance, id, geometry, primitive, candidates, front; float t; };
RWStructuredBuffer<Hit> Out : register(u0);
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    RayDesc ray = { float3(i * 10 + 0.125, 0.25, 0), 0, float3(0, 0, 1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, 0, 0xff, ray);
    Hit hit = (Hit)0;
    while (q.Proceed()) {
        hit.candidates++;
        if (q.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE) q.CommitNonOpaqueTriangleHit();
        else q.CommitProceduralPrimitiveHit(3);
    }
    hit.status = q.CommittedStatus();
    hit.t = q.CommittedRayT();
    if (hit.status != COMMITTED_NOTHING) {
        hit.instance = q.CommittedInstanceIndex();
        hit.id = q.CommittedInstanceID();
        hit.geometry = q.CommittedGeometryIndex();
        hit.primitive = q.CommittedPrimitiveIndex();
    }
    if (hit.status == COMMITTED_TRIANGLE_HIT) hit.front = q.CommittedTriangleFrontFace();
    Out[i] = hit;
}
";

/// Every part of a scene: indices of both sizes, formats, transforms, masks, flags, boxes, instances that are never
/// hit.
const SCENE: &str = "Buffers:
  - { Name: V, Format: Float32, Data: [0, 1, 5, 1, -1, 5, -1, -1, 5] }
  - { Name: Flat, Format: Float32, Data: [0, 1, 1, -1, -1, -1] }
  - { Name: Wide, Format: Float32, Data: [0, 1, 4, 9, 1, -1, 4, 9, -1, -1, 4, 9] }
  - { Name: Lost, Format: Float32, Data: [nan, 1, 5, 1, -1, 5, -1, -1, 5, 0, 1, 6, 1, -1, 6, -1, -1, 6] }
  - { Name: I16, Format: UInt16, Data: [0, 2, 1] }
  - { Name: I32, Format: Hex32, Data: [0x2, 0x1, 0x0] }
  - { Name: Corners, Format: Float32, Data: [-1, -1, 2, 1, 1, 4, -1, -1, 7, 1, 1, 8] }
AccelerationStructures:
  BLAS:
    - Name: Mesh
      Triangles:
        - { VertexBuffer: V, VertexCount: 3, IndexBuffer: I16, IndexFormat: Uint16, IndexCount: 3 }
        - { VertexBuffer: Wide, VertexFormat: RGBA32Float, VertexStride: 16, VertexCount: 3,
            IndexBuffer: I32, IndexCount: 3, Opaque: false, Transform: [1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 0] }
    - { Name: Plane, Triangles: [{ VertexBuffer: Flat, VertexFormat: RG32Float, VertexStride: 8, VertexCount: 3 }] }
    - { Name: Half, Triangles: [{ VertexBuffer: Lost, VertexCount: 6 }] }
    - { Name: Boxes, AABBs: [{ AABBBuffer: Corners, AABBCount: 2 }] }
  TLAS:
    - Name: All
      Instances:
        - { BLAS: Plane, Transform: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }
        - { BLAS: Mesh, InstanceID: 7, InstanceFlags: [TriangleFrontCounterclockwise] }
        - { BLAS: Plane, InstanceMask: 0 }
        - { BLAS: Boxes, InstanceID: 9, Transform: [1, 0, 0, 20, 0, 1, 0, 0, 0, 0, 1, 0] }
        - { BLAS: Half, InstanceFlags: [ForceNonOpaque], Transform: [1, 0, 0, 30, 0, 1, 0, 0, 0, 0, 1, 2] }
    - { Name: Empty, Instances: [] }
";

fn folder(name: &str) -> PathBuf {
    let files = [("a.hlsl", SHADER), ("scene.yaml", SCENE)];
    support::fresh_folder(&format!("device-rays/{name}"), &files)
}

fn wavelane(folder: &Path, words: &[&str]) -> (i32, String, String) {
    let ran: Ran = support::on_processor(folder, words, 256).output().unwrap().into();
    (ran.status, ran.out, ran.err)
}

/// A CPU driver of Vulkan: its number, and whether it has ray queries.
fn processor() -> Option<(String, bool)> {
    let found = support::processor(256)?;
    Some((found["index"].to_string(), found["RaytracingTier"] == "1.1"))
}

fn run(folder: &Path, scene: &str, more: &[&str]) -> (i32, Value, String) {
    let bind = format!("Scene={scene}");
    let words = ["run", "a.hlsl", "--bind", &bind, "--bind", "Out=[4]", "--format", "json"];
    let (status, said, error) = wavelane(folder, &[&words[..], more].concat());
    let json: Value = serde_json::from_str(&said).unwrap_or_default();
    (status, json["runs"][0]["buffers"]["Out"].clone(), error)
}

const SCENES: [&str; 6] = [
    "@scene.yaml#All",
    "@scene.yaml#Empty",
    "none",
    "triangles(0 1 1, 1 -1 1, -1 -1 1)",
    "non-opaque triangles(0 1 1, 1 -1 1, -1 -1 1, 10 1 2, 11 -1 2, 9 -1 2)",
    "boxes(-1 -1 1 1 1 2, 19 -1 2 22 1 7)",
];

#[test]
fn devices_find_what_the_reference_engine_finds() {
    let Some((device, is_native)) = processor() else { return };
    let folder = folder("found");
    for scene in SCENES {
        let (status, wanted, error) = run(&folder, scene, &["--engine", "interp"]);
        assert_eq!(status, 0, "{scene}: {error}");
        let vulkan = ["--engine", "vulkan", "--device", &device];
        let software = [&vulkan[..], &["--ray-query", "software"]].concat();
        let (status, found, error) = run(&folder, scene, &software);
        assert_eq!(status, 0, "{scene}: {error}");
        assert_eq!(found, wanted, "{scene}");
        if !is_native {
            continue;
        }
        let (status, found, error) = run(&folder, scene, &vulkan);
        assert_eq!(status, 0, "{scene}: {error}");
        // Which box a device offers first, and how often, is its own.
        let fields = |all: &Value| -> Vec<Value> {
            let all = all.as_array().unwrap();
            all.chunks(8).flat_map(|it| [0, 1, 2, 7].map(|at| it[at].clone())).collect()
        };
        assert_eq!(fields(&found), fields(&wanted), "{scene}");
    }
}

/// The sections check themselves with what the reference engine gives, bit for bit.
#[test]
fn queries_in_software_have_the_bits_of_the_reference_engine() {
    let Some((device, _)) = processor() else { return };
    let words = ["test", "suite/ray/candidates.hlsl", "--engine", "vulkan"];
    let more = ["--device", &device, "--ray-query", "software", "--format", "json"];
    let (_, said, error) =
        wavelane(&support::root(), &[&words[..], &more, &["--timeout", "240"]].concat());
    let mut passed = 0;
    for line in said.lines() {
        let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
        match record["verdict"].as_str() {
            Some("passed") => passed += 1,
            Some("unsupported") | None => {}
            Some(_) => panic!("{record}"),
        }
    }
    assert!(passed >= 5, "{passed} passed only:\n{said}{error}");
}

#[test]
fn only_vulkan_has_a_choice_of_queries() {
    let folder = folder("choice");
    for engine in ["cpu", "interp"] {
        let more = ["--engine", engine, "--ray-query", "software"];
        let (status, _, error) = run(&folder, "none", &more);
        assert_eq!(status, 2, "{error}");
        assert!(error.contains("`--ray-query software` is for the engine `vulkan`"), "{error}");
    }
    let (status, _, error) = run(&folder, "none", &["--ray-query", "hard"]);
    assert_eq!(status, 2, "{error}");
    // What lacks queries says what does not need them.
    let (status, _, error) = run(&folder, "none", &["--caps", "rays=off"]);
    assert_eq!(status, 3, "{error}");
    assert!(error.contains("ray queries") && error.contains("--ray-query software"), "{error}");
}

#[test]
fn queries_are_written_out_in_what_is_emitted() {
    let folder = folder("emitted");
    let (status, native, error) = wavelane(&folder, &["emit", "--spirv", "a.hlsl"]);
    assert_eq!(status, 0, "{error}");
    assert!(native.contains("RayQueryProceedKHR"), "{native}");
    let words = ["emit", "--spirv", "a.hlsl", "--ray-query", "software"];
    let (status, software, error) = wavelane(&folder, &words);
    assert_eq!(status, 0, "{error}");
    assert!(!software.contains("RayQuery") && software.contains("Capability Float64"));
    let (_, reflection, _) = wavelane(&folder, &[&words[..], &["--format", "json"]].concat());
    assert!(reflection.contains("storage-buffer"), "{reflection}");
    assert!(!reflection.contains("acceleration-structure"), "{reflection}");
    if Command::new("spirv-val").arg("--version").output().is_ok() {
        let words = [&words[..], &["-Fo", "a.spv"]].concat();
        assert_eq!(wavelane(&folder, &words).0, 0);
        let output = Command::new("spirv-val")
            .current_dir(&folder)
            .args(["--target-env", "vulkan1.3", "a.spv"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    } else {
        skipped::skipped!("spirv-val is not installed");
    }
}
