//! Acceleration structures on the command line: every form of a scene, jobs that hold one, and bad ones.

use crate::support;

use std::path::{Path, PathBuf};

/// Two rays upwards: what each of them hits, and where.
const SHADER: &str = "RaytracingAccelerationStructure Scene : register(t0);
RWStructuredBuffer<float> Out : register(u0);
[numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) {
    RayDesc ray = { float3(i * 10, 0, 0), 0, float3(0, 0, 1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, 0, 0xff, ray);
    while (q.Proceed()) { q.CommitNonOpaqueTriangleHit(); }
    Out[i] = q.CommittedStatus() == COMMITTED_NOTHING ? -1 : q.CommittedRayT();
}
";

const SCENE: &str = "Buffers:
  - { Name: V, Format: Float32, Data: [0, 1, 5, 1, -1, 5, -1, -1, 5] }
AccelerationStructures:
  BLAS: [{ Name: Mesh, Triangles: [{ VertexBuffer: V, VertexCount: 3 }] }]
  TLAS:
    - Name: Pair
      Instances:
        - { BLAS: Mesh }
        - { BLAS: Mesh, Transform: [1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 2] }
    - { Name: Empty, Instances: [] }
";

const MESH: &str = "g front\nv 0 1 3\nv 1 -1 3\nv -1 -1 3\nf 1 2 3\n";

fn folder(name: &str) -> PathBuf {
    let files = [("a.hlsl", SHADER), ("scene.yaml", SCENE), ("mesh.obj", MESH)];
    support::fresh_folder(&format!("rays/{name}"), &files)
}

/// The status, and both streams.
fn wavelane(folder: &Path, words: &[&str]) -> (i32, String) {
    let ran = support::wavelane(folder, words);
    (ran.status, ran.text())
}

fn run(folder: &Path, scene: &str, engine: &str) -> (i32, String) {
    let bind = format!("Scene={scene}");
    let words = ["run", "a.hlsl", "--bind", &bind, "--bind", "Out=[2]", "--engine", engine];
    wavelane(folder, &[&words[..], &["--format", "json"]].concat())
}

fn hits(text: &str) -> Vec<f64> {
    let json: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"));
    let out = json["runs"][0]["buffers"]["Out"].as_array().unwrap_or_else(|| panic!("{text}"));
    out.iter().map(|it| it.as_f64().unwrap()).collect()
}

#[test]
fn every_form_of_a_scene_binds() {
    let folder = folder("forms");
    for (scene, expected) in [
        ("triangles(0 1 1, 1 -1 1, -1 -1 1)", [1.0, -1.0]),
        ("non-opaque triangles(0 1 1, 1 -1 1, -1 -1 1, 10 1 2, 11 -1 2, 9 -1 2)", [1.0, 2.0]),
        ("boxes(-1 -1 1 1 1 2)", [-1.0, -1.0]),
        ("none", [-1.0, -1.0]),
        ("@mesh.obj", [3.0, -1.0]),
        ("@scene.yaml#Pair", [5.0, 7.0]),
        ("@scene.yaml#Empty", [-1.0, -1.0]),
    ] {
        for engine in ["interp", "cpu"] {
            let (status, text) = run(&folder, scene, engine);
            assert_eq!(status, 0, "{scene}: {text}");
            assert_eq!(hits(&text), expected, "{scene} on {engine}");
        }
    }
}

#[test]
fn bad_scenes_are_bad_input() {
    let folder = folder("bad");
    let bad = SCENE.replace("VertexCount: 3", "VertexCount: 6");
    std::fs::write(folder.join("bad.yaml"), bad).unwrap();
    for (scene, expected) in [
        ("triangles(0 1 1, 1 -1 1)", "not a multiple of 3"),
        ("triangles(0 nan 1, 1 -1 1, -1 -1 1)", "has a NaN"),
        ("spheres(0 0 0 1)", "expected `triangles(…)` or `boxes(…)`"),
        ("@none.yaml", "`none.yaml` cannot be read"),
        ("@scene.yaml", "several top levels"),
        ("@bad.yaml#Pair", "bad.yaml:4:38: 6 vertices of geometry 0 take 72 bytes"),
    ] {
        let (status, text) = run(&folder, scene, "interp");
        assert_eq!(status, 2, "{scene}: {text}");
        assert!(text.contains(expected), "{scene}: {text}");
    }
}

#[test]
fn an_adapter_without_rays_refuses_a_shader_that_queries() {
    let folder = folder("caps");
    let words = "run a.hlsl --bind Scene=none --bind Out=[2] --caps rays=off";
    let (status, text) = wavelane(&folder, &words.split(' ').collect::<Vec<_>>());
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("`main` uses ray queries"), "{text}");
    assert!(text.contains("a.hlsl:5:"), "{text}");
    let (status, text) = wavelane(&folder, &["caps", "--caps", "rays=off"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("RaytracingTier                 no"), "{text}");
}

/// A job with an array of scenes, run as `wavelane test` runs it.
#[test]
fn jobs_run_with_their_scenes() {
    let folder = folder("jobs");
    let shader = SHADER
        .replace("Scene : register(t0)", "Scenes[2] : register(t3)")
        .replace("TraceRayInline(Scene,", "TraceRayInline(Scenes[NonUniformResourceIndex(i)],");
    let job = format!(
        "#--- source.hlsl
{shader}
#--- pipeline.yaml
---
Shaders: [{{ Stage: Compute, Entry: main }}]
Buffers:
  - {{ Name: V, Format: Float32, Stride: 12, Data: [0, 1, 5, 1, -1, 5, -1, -1, 5] }}
  - {{ Name: Out, Format: Float32, Stride: 4, FillSize: 8 }}
  - {{ Name: Expected, Format: Float32, Stride: 4, Data: [5, 7] }}
AccelerationStructures:
  BLAS: [{{ Name: Mesh, Triangles: [{{ VertexBuffer: V, VertexCount: 3, Opaque: false }}] }}]
  TLAS:
    - Name: Scenes
      ArraySize: 2
      Instances:
        - - {{ BLAS: Mesh }}
        - - {{ BLAS: Mesh, Transform: [1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 2] }}
DescriptorSets:
  - Resources:
    - {{ Name: Scenes, Kind: AccelerationStructure, DirectXBinding: {{ Register: 3, Space: 0 }} }}
    - {{ Name: Out, Kind: RWStructuredBuffer, DirectXBinding: {{ Register: 0, Space: 0 }} }}
Results:
  - {{ Result: Hits, Rule: BufferExact, Actual: Out, Expected: Expected }}
...
#--- end
# REQUIRES: acceleration-structure
# RUN: split-file %s %t
# RUN: %dxc_target -T cs_6_5 -Fo %t.o %t/source.hlsl
# RUN: %offloader %t/pipeline.yaml %t.o
"
    );
    std::fs::write(folder.join("scenes.test"), &job).unwrap();
    let (status, text) = wavelane(&folder, &["test", "scenes.test"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("6 passed, 0 failed"), "{text}");
    std::fs::write(folder.join("scenes.test"), job.replace("Data: [5, 7]", "Data: [5, 8]"))
        .unwrap();
    let (status, text) = wavelane(&folder, &["test", "scenes.test"]);
    assert_eq!(status, 1, "{text}");
    let bad = job.replace("{ BLAS: Mesh }", "{ BLAS: Mash }");
    std::fs::write(folder.join("scenes.test"), bad).unwrap();
    let (status, text) = wavelane(&folder, &["test", "scenes.test"]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("scenes.test:25:21: error: there is no bottom level `Mash`"), "{text}");
}

#[test]
fn invalid_instances_run_and_are_reported() {
    let folder = folder("singular");
    // The second instance is flat, the third has a NaN.
    let scene = SCENE.replace(
        "Transform: [1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 2] }",
        "Transform: [1, 0, 0, 10, 0, 0, 0, 0, 0, 0, 1, 2] }
        - { BLAS: Mesh, Transform: [1, 0, 0, 10, 0, nan, 0, 0, 0, 0, 1, 2] }",
    );
    std::fs::write(folder.join("scene.yaml"), scene).unwrap();
    for engine in ["interp", "cpu"] {
        let (status, text) = run(&folder, "@scene.yaml#Pair", engine);
        assert_eq!((status, hits(&text)), (0, vec![5.0, -1.0]), "{text}");
    }
    let words = "san a.hlsl --bind Scene=@scene.yaml#Pair --bind Out=[2] --format json";
    let (status, text) = wavelane(&folder, &words.split(' ').collect::<Vec<_>>());
    assert_eq!(status, 1, "{text}");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let [found] = &report["findings"].as_array().unwrap()[..] else { panic!("{text}") };
    assert_eq!((&found["id"], &found["line"]), (&"bad-instance".into(), &6.into()), "{text}");
    let message = "instance 1 of `Scene` is not valid: the transform has no inverse";
    assert_eq!(found["message"], message, "{text}");
    assert!(found["notes"].to_string().contains("instance 2: the transform has a NaN"), "{text}");
    // What is not bound cannot be wrong.
    let words = "san a.hlsl --bind Scene=none --bind Out=[2]";
    let (status, text) = wavelane(&folder, &words.split(' ').collect::<Vec<_>>());
    assert_eq!(status, 0, "{text}");
}

#[test]
fn what_is_wrong_in_a_scene_file_is_located() {
    let folder = folder("located");
    let with = |from: &str, to: &str| {
        assert!(SCENE.contains(from), "{from}");
        SCENE.replacen(from, to, 1)
    };
    let indexed = with("VertexCount: 3", "VertexCount: 3, IndexBuffer: I, IndexCount: 3")
        .replace("Buffers:\n", "Buffers:\n  - { Name: I, Format: UInt32, Data: [0, 1, 3] }\n");
    for (text, expected) in [
        (indexed, "scene.yaml:5:38: index 2 of geometry 0 is 3, and the geometry has 3 vertices"),
        (
            with("Data: [0, 1, 5,", "Data: [0, nan, 5,"),
            "scene.yaml:4:38: primitive 0 of geometry 0",
        ),
        (with("- { BLAS: Mesh }", "- { BLAS: Mush }"), "scene.yaml:8:19: there is no bottom level"),
        (
            with("- { BLAS: Mesh }", "- { BLAS: Mesh, InstanceMask: 256 }"),
            "scene.yaml:8:39: a mask",
        ),
        (
            with("0, 0, 0, 0, 1, 2]", "0, 0, 0, 0, 1]"),
            "scene.yaml:9:36: a transform has 12 numbers",
        ),
        (with("VertexCount: 3", "VertexCount: 4"), "scene.yaml:4:"),
        (with("VertexBuffer: V", "VertexBuffer: W"), "scene.yaml:4:52: "),
        (with("AccelerationStructures:", "AccelerationStructure:"), "scene.yaml:"),
        (with("{ Name: Empty,", "{ Name: Empty, ["), "scene.yaml:1"),
        (String::new(), "scene.yaml:1:1"),
    ] {
        std::fs::write(folder.join("scene.yaml"), &text).unwrap();
        let (status, out) = run(&folder, "@scene.yaml#Pair", "interp");
        assert_eq!(status, 2, "{text}\n{out}");
        assert!(out.contains(expected), "{expected}\n{text}\n{out}");
    }
    for (text, expected) in [
        ("v 0 0 0\nv 0 nan 0\nv 1 0 0\ng a\nf 1 3 2\n", "mesh.obj:5: primitive 0 of geometry 0"),
        ("v 0 0 0\nf 1 2 3\n", "mesh.obj:2: `2` names a vertex that is not above; there are 1"),
        ("v 0 0 0\nf 1 x 1\n", "mesh.obj:2: `x` is not a corner of a face"),
        ("v 0 0 0\nf 1 1\n", "mesh.obj:2: a face has at least three corners"),
        ("v 0 zero 0\n", "mesh.obj:1: `zero` is not a number"),
    ] {
        std::fs::write(folder.join("mesh.obj"), text).unwrap();
        let (status, out) = run(&folder, "@mesh.obj", "interp");
        assert_eq!(status, 2, "{text}\n{out}");
        assert!(out.contains(expected), "{expected}\n{text}\n{out}");
    }
}

#[test]
fn scenes_of_many_instances_run_and_their_errors_are_counted() {
    let folder = folder("many");
    let scene = |bottom: &str, count: usize| {
        let instance = format!("        - {{ BLAS: {bottom}, InstanceID: 7 }}\n");
        let head = "AccelerationStructures:\n  BLAS: [{ Name: Empty }]\n  TLAS:\n    - Name: Many\n      Instances:\n";
        std::fs::write(folder.join("many.yaml"), format!("{head}{}", instance.repeat(count)))
            .unwrap();
    };
    scene("Empty", 20_000);
    let (status, text) = run(&folder, "@many.yaml", "cpu");
    assert_eq!(status, 0, "{text}");
    assert_eq!(hits(&text), [-1.0, -1.0]);
    // The lines of the first errors are sought, and the others are only counted.
    scene("Emty", 20_000);
    let (status, text) = run(&folder, "@many.yaml", "cpu");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("many.yaml:25:19: there is no bottom level `Emty`"), "{text}");
    assert!(!text.contains("many.yaml:26:"), "{text}");
    assert!(text.contains("… and 19980 more errors"), "{text}");
}
