//! Binding the resources of realistic shaders: several entry points in a file, and many resources.

use crate::support;

use std::path::PathBuf;

use serde_json::Value;

use support::Ran;

/// Two entry points that share some of their resources.
const LIBRARY: &str = "StructuredBuffer<uint> Src;
RWStructuredBuffer<uint> Dst;
RWStructuredBuffer<uint> Hist;
cbuffer Ka { uint Count; };
cbuffer Kb { uint Shift; uint Threshold; uint Pad; };
[numthreads(64, 1, 1)] void Histogram(uint i : SV_DispatchThreadID) {
    if (i < Count) InterlockedAdd(Hist[Src[i] & 255], 1);
}
[numthreads(64, 1, 1)] void Scale(uint i : SV_DispatchThreadID) { Dst[i] = (Src[i] & 15) << Shift; }
";

const SUM: &str = "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Same;
[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = WaveActiveSum(i); Same[i] = i; }";

const TEXTURE: &str = "Texture2D<uint> T; RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = T.Load(int3(i, 0, 0)); }";

fn folder(name: &str) -> PathBuf {
    support::folder::<&str>(&format!("bindings/{name}"), &[])
}

/// Runs `wavelane` in a separate folder that holds `a.hlsl`.
fn wavelane(name: &str, shader: &str, line: &str) -> Ran {
    let folder = support::folder(&format!("bindings/{name}"), &[("a.hlsl", shader)]);
    support::wavelane(&folder, &line.split(' ').collect::<Vec<_>>())
}

/// The words of a command line that was printed for a shell.
fn shell(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

#[test]
fn a_texture_has_no_counter() {
    let line = "run a.hlsl --bind T=R32_UINT[4x1]:iota --bind Out=[4] --counter T=1";
    let ran = wavelane("counter", TEXTURE, line);
    assert_eq!(ran.status, 2, "{}", ran.text());
    assert!(ran.err.contains("`--counter T=1`: no buffer `T` is bound"), "{}", ran.err);
}

#[test]
fn bindings_that_an_entry_point_does_not_use_are_accepted_with_a_note() {
    let all = "--bind Src=[64]:iota --bind Dst=[64] --bind Hist=[256] --set Count=64 --set Shift=2 \
               --counter Dst=1";
    let line = format!("run a.hlsl -E Histogram {all} --format json");
    let ran = wavelane("unused", LIBRARY, &line);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(
        ran.err,
        "note: `Histogram` does not use `Dst` (a.hlsl:2), so what is given to it has no effect\n\
         note: `Histogram` does not use `Shift` (in `Kb`, a.hlsl:5), so what is given to it has no effect\n"
    );
    assert!(ran.json()["runs"][0]["buffers"].get("Dst").is_none());
    let other = wavelane("unused", LIBRARY, &line.replace("Histogram", "Scale"));
    assert_eq!(other.status, 0, "{}", other.err);
    assert!(other.err.contains("`Scale` does not use `Hist` (a.hlsl:3)"), "{}", other.err);
    assert!(other.err.contains("`Count` (in `Ka`, a.hlsl:4)"), "{}", other.err);
    assert_eq!(other.json()["runs"][0]["buffers"]["Dst"][3], 12);
}

#[test]
fn unknown_names_stay_errors_with_the_name_that_was_meant() {
    for (flag, says) in [
        ("--bind Dts=[64]", "did you mean `Dst`?"),
        ("--bind Hits=[64]", "did you mean `Hist`?"),
        ("--set Coutn=1", "did you mean `Count`?"),
        ("--set Shfit=1", "did you mean `Shift`?"),
    ] {
        let line = format!("run a.hlsl -E Histogram --bind Src=[64] {flag}");
        let ran = wavelane("unknown", LIBRARY, &line);
        assert!(ran.status == 2 && ran.err.contains(says), "{flag}: {}", ran.err);
    }
}

#[test]
fn an_unset_member_is_reported_only_where_it_is_read() {
    let line = "run a.hlsl -E Scale --bind Src=[64] --bind Dst=[64] --set Threshold=1";
    let ran = wavelane("members", LIBRARY, line);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.err.contains("`Scale` does not use `Threshold` (in `Kb`, a.hlsl:5)"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("note: `Shift` is not set and is 0\n"), "{}", ran.err);
    assert!(!ran.err.contains("Pad"), "{}", ran.err);
}

#[test]
fn a_buffer_that_is_not_used_leaves_nothing_to_print() {
    let line = "run a.hlsl -E Scale --auto --print Hist";
    let ran = wavelane("leaves", LIBRARY, line);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("`Scale` does not use `Hist` (a.hlsl:3)"), "{}", ran.err);
}

#[test]
fn all_missing_bindings_are_reported_at_once_with_a_command_line_that_runs() {
    let ran = wavelane("missing", LIBRARY, "run a.hlsl -E Histogram --wave-size 8");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("nothing is bound to `Src`, `Hist`, `Ka`"), "{}", ran.err);
    for place in ["a.hlsl:1:24", "a.hlsl:3:26", "a.hlsl:4:9"] {
        assert!(ran.err.contains(place), "{}", ran.err);
    }
    let line = ran.err.lines().find(|it| it.trim().starts_with("wavelane run a.hlsl")).unwrap();
    assert!(line.contains("-E Histogram --wave-size 8"), "{line}");
    let again = support::wavelane(&folder("missing"), &shell(line.trim())[1..]);
    assert_eq!(again.status, 0, "{line}");
    // Every thread adds to one bin: the made-up count lets all of them through.
    let text = again.out;
    let bins: u32 = text
        .lines()
        .filter_map(|it| it.split_once('|'))
        .flat_map(|it| it.1.split_whitespace().map(|it| it.parse::<u32>().unwrap()))
        .sum();
    assert!(bins > 0, "{text}");
}

#[test]
fn bindings_are_listed_for_programs() {
    let shader = "struct Light { float3 position; uint kind; float4x3 world; };
StructuredBuffer<Light> Lights : register(t3, space1);
Texture2D<float4> Image; SamplerState Smooth; ByteAddressBuffer Bytes;
RWBuffer<unorm float2> Typed; RWStructuredBuffer<uint> Unused;
cbuffer Params { uint Count; float2 Scale; };
[numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) {
    float4 texel = Image.SampleLevel(Smooth, Scale, 0);
    Typed[i] = texel.xy * Lights[i].position.xy + Bytes.Load(4 * i) + Lights[i].world[1].x;
}";
    let ran = wavelane("list", shader, "run a.hlsl --bindings --format json --groups 3");
    assert_eq!(ran.status, 0, "{}", ran.err);
    let value = ran.json();
    let of = |name: &str| {
        let all = value["bindings"].as_array().unwrap();
        all.iter()
            .find(|it| it["name"] == name)
            .unwrap_or_else(|| panic!("{name}: {value}"))
            .clone()
    };
    for (name, kind, ty, register, used) in [
        ("Lights", "StructuredBuffer", "struct", "t3", true),
        ("Image", "Texture2D", "float4", "t0", true),
        ("Smooth", "SamplerState", "", "s0", true),
        ("Bytes", "ByteAddressBuffer", "", "t1", true),
        ("Typed", "RWBuffer", "unorm float2", "u0", true),
        ("Params", "ConstantBuffer", "struct", "b0", true),
        ("Unused", "RWStructuredBuffer", "uint", "", false),
    ] {
        let it = of(name);
        assert_eq!(it["kind"], kind);
        assert_eq!(it["type"].as_str().unwrap_or(""), ty, "{it}");
        assert_eq!(it["register"].as_str().unwrap_or(""), register, "{it}");
        assert_eq!(it["used"], used);
    }
    let lights = of("Lights");
    // 96 threads: the next power of two.
    assert_eq!((lights["elements"].as_u64(), lights["space"].as_u64()), (Some(128), Some(1)));
    let members = lights["members"].as_array().unwrap();
    let listed: Vec<(&str, &str, u64)> = members
        .iter()
        .map(|it| {
            let text = |key: &str| it[key].as_str().unwrap();
            (text("name"), text("type"), it["offset"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        listed,
        [("position", "float3", 0), ("kind", "uint", 12), ("world", "float4x3", 16)]
    );
    assert_eq!(of("Params")["members"][0]["used"], false);
    let text = wavelane("list", shader, "run a.hlsl --bindings --groups 3").out;
    assert!(text.contains("t3, space1  StructuredBuffer<64 bytes> Lights"), "{text}");
    assert!(text.contains("12  uint kind"), "{text}");
    assert!(text.lines().any(|it| it.contains("Unused") && it.ends_with("not used")), "{text}");
}

#[test]
fn counters_are_listed_with_the_flag_that_sets_them() {
    let shader = "AppendStructuredBuffer<uint> To; ConsumeStructuredBuffer<uint> From;
RWStructuredBuffer<uint> Plain;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupThreadID) { To.Append(From.Consume()); Plain[i] = i; }";
    let text = wavelane("counters", shader, "run a.hlsl --bindings").out;
    assert!(text.contains("--bind 'From=u32[4]' --counter From=4\n"), "{text}");
    assert!(text.contains("--bind 'To=u32[4]'\n"), "{text}");
    let value = wavelane("counters", shader, "run a.hlsl --bindings --format json").json();
    for row in value["bindings"].as_array().unwrap() {
        assert_eq!(row["has_counter"], row["name"] != "Plain", "{row}");
        let counters = row["counter"].as_array().unwrap();
        assert_eq!(*counters == ["From=4"], row["name"] == "From", "{row}");
    }
}

#[test]
fn what_is_missing_is_made_up_from_a_seed_and_can_be_pasted() {
    let line = "run a.hlsl -E Scale --auto=7 --format json";
    let ran = wavelane("auto", LIBRARY, line);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let value = ran.json();
    assert_eq!(value["auto"]["seed"], 7);
    assert_eq!(value["auto"]["made"][0]["name"], "Src");
    assert_eq!(value["auto"]["made"][0]["bind"], "Src=u32[64]:rand(7)");
    assert!(
        ran.err.contains("note: made up by --auto=7: --bind 'Src=u32[64]:rand(7)'"),
        "{}",
        ran.err
    );
    assert_eq!(wavelane("auto", LIBRARY, line).out, ran.out);
    assert_ne!(wavelane("auto", LIBRARY, &line.replace('7', "8")).json()["runs"], value["runs"]);
    // What was made up, given by hand, leaves the same.
    let binds: Vec<String> = value["auto"]["made"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("--bind {}", it["bind"].as_str().unwrap()))
        .collect();
    let by_hand = format!("run a.hlsl -E Scale --format json {}", binds.join(" "));
    assert_eq!(wavelane("auto", LIBRARY, &by_hand).json()["runs"], value["runs"]);
}

#[test]
fn given_bindings_stay_beside_made_up_ones() {
    let line = "run a.hlsl -E Scale --auto --bind Src=[16]:fill(3) --set Shift=1 --format json";
    let ran = wavelane("given", LIBRARY, line);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let value = ran.json();
    assert_eq!(value["runs"][0]["buffers"]["Dst"][0], 6);
    let made: Vec<&Value> = value["auto"]["made"].as_array().unwrap().iter().collect();
    assert!(made.iter().all(|it| it["name"] != "Src"), "{value}");
}

#[test]
fn buffers_grow_until_the_code_stays_within_them() {
    let shader = "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i * 4 + 3] = In[i * 16]; }";
    let ran = wavelane("grow", shader, "run a.hlsl --auto --format json");
    assert!(!ran.err.contains("beyond the end"), "{}", ran.err);
    let made = &ran.json()["auto"]["made"];
    assert_eq!(made[0]["bind"], "In=u32[128]:rand(1)");
    assert_eq!(made[1]["bind"], "Out=u32[32]");
}

#[test]
fn every_kind_of_resource_is_made_up() {
    let shader =
        "Texture2D<float4> A; Texture2DArray<uint> B; TextureCube<float> C; Texture3D<int2> D;
RWTexture2D<unorm float4> E; SamplerState S; SamplerComparisonState P; Texture2DMS<float> M;
ByteAddressBuffer F; RWByteAddressBuffer G; Buffer<half4> H; ConsumeStructuredBuffer<uint> Q;
struct V { float2 p; uint k; }; StructuredBuffer<V> I[3]; RWStructuredBuffer<double> O;
cbuffer Large { float4x4 Bones[64]; uint BoneCount; bool Flag; };
[numthreads(8, 8, 1)] void main(uint2 t : SV_DispatchThreadID) {
    float4 sum = A.SampleLevel(S, t / 8.0, 0) + C.SampleCmpLevelZero(P, float3(1, 0, 0), 0.5);
    sum += B.Load(int4(t, 0, 0)) + D.Load(int4(t, 0, 0)).x + M.Load(t, 0) + H[t.x];
    for (uint i = 0; i < min(BoneCount, 4); ++i) sum += mul(Bones[i], sum);
    E[t] = sum;
    G.Store(4 * t.x, F.Load(4 * t.y) + I[t.x % 3][t.y].k + Q.Consume());
    O[t.x] = Flag ? sum.x : 1;
}";
    for command in ["run", "san", "diff", "bench"] {
        let rounds = if command == "bench" { " --rounds 1" } else { "" };
        let line = format!("{command} a.hlsl --auto=3 --format json{rounds}");
        let ran = wavelane("kinds", shader, &line);
        assert!(ran.status < 2, "{command}: {}", ran.err);
        let value = ran.json();
        let auto = if command == "bench" { &value["benches"][0]["auto"] } else { &value["auto"] };
        assert_eq!(auto["seed"], 3, "{command}: {value}");
        let names: Vec<&str> = auto["made"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        for name in
            ["A", "B", "C", "D", "E", "S", "P", "M", "F", "G", "H", "Q", "I[2]", "O", "Large"]
        {
            assert!(names.contains(&name), "{command}: {name} of {names:?}");
        }
        assert!(names.contains(&"BoneCount"), "{names:?}");
    }
}

#[test]
fn heaps_are_made_up_if_the_code_determines_their_contents() {
    let shader = "cbuffer Push { uint image; uint out_; };
[numthreads(8, 8, 1)] void main(uint2 t : SV_DispatchThreadID) {
    Texture2D<float4> Image = ResourceDescriptorHeap[image];
    RWTexture2D<float4> Out = ResourceDescriptorHeap[out_];
    StructuredBuffer<uint> Fixed = ResourceDescriptorHeap[5];
    Out[t] = Image.Load(int3(t, 0)) + Fixed[0];
}";
    let shader = shader.replace("out_", "target");
    let ran = wavelane("heap", &shader, "run a.hlsl --auto --format json");
    assert_eq!(ran.status, 0, "{}", ran.err);
    let left = ran.json()["runs"][0]["buffers"].to_string();
    assert!(left.contains("0."), "the picture is not that of the input: {left}");
}

const COMPUTED: &str = "StructuredBuffer<uint> Which;
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {
    Texture2D<float4> Image = ResourceDescriptorHeap[NonUniformResourceIndex(Which[t])];
    RWStructuredBuffer<float4> Out = ResourceDescriptorHeap[NonUniformResourceIndex(Which[t + 8])];
    Out[t] = Image.Load(int3(t, 0, 0));
}";

#[test]
fn what_lies_in_a_heap_is_listed() {
    let shader = "cbuffer C { uint at; };
[numthreads(8, 1, 1)] void main(uint i : SV_DispatchThreadID) {
    RWStructuredBuffer<uint> to = ResourceDescriptorHeap[at];
    ByteAddressBuffer from = ResourceDescriptorHeap[3];
    to[i] = from.Load(4 * i);
}";
    let ran = wavelane("listed", shader, "run a.hlsl --bindings");
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("ResourceDescriptorHeap[0]=u32[8]") && ran.out.contains("and 1 more"));
    // The heap has no type, and each of its views has one.
    let views = "as RWStructuredBuffer<uint>\n      as ByteAddressBuffer\n";
    assert!(ran.out.contains("  -   ResourceDescriptorHeap[]   --bind"), "{}", ran.out);
    assert!(ran.out.contains(views), "{}", ran.out);
    let all = wavelane("listed", shader, "run a.hlsl --bindings --format json").json();
    let heap = all["bindings"].as_array().unwrap().iter().find(|it| it["register"].is_null());
    assert_eq!(heap.unwrap()["elements"], 2);
    assert_eq!(heap.unwrap()["bind"].as_array().unwrap().len(), 2);
    let views = serde_json::json!([
        { "kind": "RWStructuredBuffer", "type": "uint" },
        { "kind": "ByteAddressBuffer", "type": null },
    ]);
    assert_eq!(heap.unwrap()["kind"], "ResourceDescriptorHeap");
    assert_eq!(heap.unwrap()["views"], views);
}

#[test]
fn a_heap_element_that_is_only_read_is_not_a_result() {
    let shader = "cbuffer C { uint at; };
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    RWStructuredBuffer<uint> to = ResourceDescriptorHeap[at];
    StructuredBuffer<uint> from = ResourceDescriptorHeap[3];
    to[i] = from[i] + 1;
}";
    let bind = "--bind ResourceDescriptorHeap[0]=u32[4] --bind ResourceDescriptorHeap[3]=u32[4]:iota --set at=0";
    let ran = wavelane("heap-read", shader, &format!("run a.hlsl {bind}"));
    assert_eq!(ran.status, 0, "{}", ran.err);
    let written = "  ResourceDescriptorHeap[0]: RWStructuredBuffer, 4 x u32\n    0 | 1 2 3 4\n";
    assert_eq!(ran.out, format!("wave size 32\n{written}\n"));
    // It is shown on request, as what it is read as.
    let print = format!("run a.hlsl {bind} --print ResourceDescriptorHeap[3]");
    let ran = wavelane("heap-read", shader, &print);
    let read = "  ResourceDescriptorHeap[3]: StructuredBuffer, 4 x u32\n    0 | 0 1 2 3\n";
    assert!(ran.out.contains(read), "{}", ran.out);
    // An index that is computed may lead to any element.
    let computed = shader.replace("Heap[at]", "Heap[at + i / 4]");
    let ran = wavelane("heap-read", &computed, &format!("run a.hlsl {bind}"));
    assert!(ran.out.contains("ResourceDescriptorHeap[3]: RW"), "{}{}", ran.out, ran.err);
}

#[test]
fn views_of_a_heap_with_computed_indices_are_separate_arrays() {
    let ran = wavelane("apart", COMPUTED, "run a.hlsl --auto --format json");
    assert_eq!(ran.status, 0, "{}", ran.err);
    let (mut loaded, json) = (0, ran.json());
    for (name, left) in json["runs"][0]["buffers"].as_object().unwrap() {
        assert!(name.starts_with("ResourceDescriptorHeap.RWStructuredBuffer["), "{name}");
        let left = left.as_array().unwrap().iter();
        loaded += left.filter(|it| it.as_f64().is_some_and(|it| it > 0.0)).count();
    }
    // Eight lanes store four channels each of what they load, none of which is 0 in random images.
    assert!(loaded > 24, "some lanes have met no image, or no buffer: {json}");
    let ran = wavelane("apart", COMPUTED, "san a.hlsl --auto");
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn the_reported_line_repeats_bindings_made_up_for_a_split_heap() {
    let folder = support::folder("bindings-repeat", &[("a.hlsl", COMPUTED)]);
    let auto = support::wavelane(&folder, &["run", "a.hlsl", "--auto"]);
    assert_eq!(auto.status, 0, "{}", auto.err);
    let (_, made) = auto.err.trim().split_once("made up by --auto=1: ").unwrap();
    assert!(made.contains("'ResourceDescriptorHeap.RWStructuredBuffer[0]="), "{made}");
    let made = made.split(' ').map(|it| it.trim_matches('\''));
    for command in ["run", "san", "trace"] {
        let words: Vec<&str> = [command, "a.hlsl"].into_iter().chain(made.clone()).collect();
        let again = support::wavelane(&folder, &words);
        assert_eq!(again.status, 0, "{command}: {}", again.err);
        assert!(command != "run" || again.out == auto.out, "{}", again.out);
    }
}

#[test]
fn samplers_of_two_kinds_are_made_up_apart_from_textures_that_constants_name() {
    let shader = "cbuffer Push { uint image; uint plain; };
StructuredBuffer<uint> Which; RWStructuredBuffer<float> Out;
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {
    Texture2D<float> Image = ResourceDescriptorHeap[image];
    SamplerState Plain = SamplerDescriptorHeap[Which[t]];
    SamplerComparisonState Less = SamplerDescriptorHeap[Which[t]];
    Out[t] = 1 + Image.SampleLevel(Plain, 0.5, 0) + Image.SampleCmpLevelZero(Less, 0.5, 2);
}";
    let ran = wavelane("samplers", shader, "run a.hlsl --auto --format json");
    assert_eq!(ran.status, 0, "{}", ran.err);
    let made = ran.json()["auto"].to_string();
    assert!(made.contains("ResourceDescriptorHeap[0]"), "{made}");
    assert!(made.contains("SamplerDescriptorHeap.SamplerState[7]"), "{made}");
    assert!(made.contains("less-equal"), "{made}");
}

#[test]
fn what_cannot_be_made_up_is_named_and_ends_with_3() {
    // Where a part of the heap is given, it stays one.
    let given = "--bind ResourceDescriptorHeap[9]=RGBA32_FLOAT[16x16]";
    for command in ["run", "san"] {
        let ran = wavelane("cannot", COMPUTED, &format!("{command} a.hlsl --auto {given}"));
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    }
    let ran = wavelane("cannot", COMPUTED, "diff a.hlsl --auto");
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(ran.err.contains("cannot make up `ResourceDescriptorHeap`"), "{}", ran.err);
}

#[test]
fn rays_meet_a_scene_that_is_made_up() {
    let shader = "RaytracingAccelerationStructure Scene; RWStructuredBuffer<float> Out;
[numthreads(32, 1, 1)] void main(uint t : SV_GroupIndex) {
    RayDesc ray;
    ray.Origin = 0;
    ray.Direction = float3(cos(t), 0.1, sin(t));
    ray.TMin = 0;
    ray.TMax = 100;
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, 0, 255, ray);
    while (q.Proceed()) { COMMIT }
    Out[t] = q.CommittedStatus() == COMMITTED_TRIANGLE_HIT ? q.CommittedRayT() : -1;
}";
    for commit in ["", "if (q.CandidatePrimitiveIndex() != 9) q.CommitNonOpaqueTriangleHit();"] {
        let shader = shader.replace("COMMIT ", commit);
        let ran = wavelane("rays", &shader, "run a.hlsl --auto --format json");
        assert_eq!(ran.status, 0, "{}", ran.err);
        let json = ran.json();
        let left = json["runs"][0]["buffers"].to_string();
        assert!(!left.contains("-1"), "a ray has met nothing: {left}");
        let is_opaque = !json["auto"].to_string().contains("non-opaque");
        assert_eq!(is_opaque, commit.is_empty(), "{json}");
    }
}

#[test]
fn inputs_of_pixel_shaders_are_made_up() {
    let shader = "struct In { float4 at : SV_Position; float3 tint : TINT; nointerpolation uint kind : KIND; };
RWStructuredBuffer<uint> Seen : register(u1);
float4 main(In i) : SV_Target { InterlockedAdd(Seen[i.kind], 1); return float4(i.tint, 1); }";
    let line = "a.hlsl -T ps_6_6 --draw fullscreen --size 8x8";
    let without = wavelane("inputs", shader, &format!("run {line} --bind Seen=[4]"));
    assert_eq!(without.status, 2);
    assert!(without.err.contains("`--draw` has no value for"), "{}", without.err);
    let ran = wavelane("inputs", shader, &format!("run {line} --auto --format json"));
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = wavelane("inputs", shader, &format!("san {line} --auto"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

/// The vertex shader moves, the pixel shader counts; both read the constants.
const DRAWN: &str =
    "StructuredBuffer<float2> Moves; RWStructuredBuffer<uint> Seen; cbuffer C { float one, two; };
float4 vs(uint i : SV_VertexID) : SV_Position { return float4(Moves[i] * one, 0.5, 1); }
float4 main(float4 at : SV_Position) : SV_Target {
    Seen[uint(at.y) * 8 + uint(at.x)] = 1;
    return two;
}";

#[test]
fn what_any_shader_of_a_draw_uses_is_listed() {
    let draw = "run a.hlsl -T ps_6_6 --vertex vs --draw fullscreen --size 8x4";
    let ran = wavelane("drawn", DRAWN, &format!("{draw} --bindings"));
    assert_eq!(
        ran.out,
        "`main` of a.hlsl: for all shaders of the draw; sizes are for --size 8x4
  u0  RWStructuredBuffer<uint> Seen   --bind 'Seen=u32[32]'
  b0  ConstantBuffer C, 8 bytes       --bind C=0.5,0.8125
           0  float one
           4  float two
  t0  StructuredBuffer<float2> Moves  --bind 'Moves=[32]:rand(1)'
",
        "{}",
        ran.err
    );
    // A target has a pixel for each element, so nothing is dropped.
    let ran = wavelane("drawn", DRAWN, &format!("{draw} --auto --bind Moves=[3]:-3,-3,9,-3,-3,9"));
    assert!(ran.out.contains("Seen: RWStructuredBuffer, 32 x u32"), "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains(" 0 0 0"), "{}", ran.out);
}

#[test]
fn san_walks_every_compute_shader_of_a_folder() {
    let walk = folder("walk").join("shaders");
    std::fs::create_dir_all(walk.join("deep")).unwrap();
    std::fs::write(walk.join("library.hlsl"), LIBRARY).unwrap();
    std::fs::write(walk.join("deep/sum.hlsl"), SUM).unwrap();
    std::fs::write(walk.join("pixel.hlsl"), "float4 main() : SV_Target { return 1; }").unwrap();
    std::fs::write(walk.join("wrong.hlsl"), "void main( {").unwrap();
    std::fs::write(walk.join("notes.txt"), "[numthreads(1, 1, 1)] void main() {}").unwrap();
    let ran = wavelane("walk", SUM, "san --auto=5 shaders");
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    let last = ran.out.lines().last().unwrap();
    assert!(
        last.starts_with("3 programs in ") && last.contains(", 1 with findings"),
        "{}",
        ran.out
    );
    assert!(last.ends_with("1 not examined; bindings made up by --auto=5"), "{last}");
    assert!(ran.out.contains("shaders/deep/sum.hlsl:2:"), "{}", ran.out);
    assert!(ran.out.contains("made up by --auto=5: --bind 'Out=u32[8]'"), "{}", ran.out);
    assert!(ran.out.contains("not examined: shaders/wrong.hlsl"), "{}", ran.out);
    let value = wavelane("walk", SUM, "san --auto=5 shaders --format json").json();
    let names: Vec<&str> = value["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "shaders/deep/sum.hlsl::main",
            "shaders/library.hlsl::Histogram",
            "shaders/library.hlsl::Scale",
            "shaders/wrong.hlsl::main"
        ]
    );
    assert_eq!(value["programs"][0]["auto"]["seed"], 5);
    let filtered = wavelane("walk", SUM, "san --auto shaders --filter :Scale").out;
    assert!(filtered.starts_with("1 program in "), "{filtered}");
    let empty = folder("walk").join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    assert_eq!(wavelane("walk", SUM, "san --auto empty").status, 2);
}

#[test]
fn a_format_that_cannot_give_the_declared_type_is_refused_and_the_help_fits() {
    let line = "run a.hlsl --bind Out=[4] --bind T=RGBA8_UNORM[4x1]:iota";
    let ran = wavelane("format", TEXTURE, line);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("RGBA8_UNORM cannot give `T` values of the declared type `uint`"),
        "{}",
        ran.err
    );
    let (_, rest) = ran.err.split_once("--bind 'T=").unwrap();
    let (value, _) = rest.split_once('\'').unwrap();
    let fitting = format!("run a.hlsl --bind Out=[4] --bind T={value}");
    assert_eq!(wavelane("format", TEXTURE, &fitting).status, 0, "{fitting}");
    let line = "run a.hlsl --bind Out=[4] --bind T=R8_UINT[4x1]:iota --format json";
    assert_eq!(wavelane("format", TEXTURE, line).json()["runs"][0]["buffers"]["Out"][3], 3);
}

#[test]
fn a_forgotten_bracket_and_an_empty_dispatch_are_reported() {
    let ran = wavelane("slips", SUM, "run a.hlsl --bind Out=8 --bind Same=[8]");
    assert!(
        ran.err.contains("one element with the value 8; `--bind 'Out=[8]'` makes 8"),
        "{}",
        ran.err
    );
    let ran = wavelane("slips", SUM, "run a.hlsl --bind Out=[8] --bind Same=[8] --groups 0");
    assert_eq!(ran.err, "warning: `--groups 0` dispatches no group: nothing runs\n");
}

#[test]
fn counts_are_not_negative() {
    for (flag, said) in [
        ("--groups -1", "`-1` is negative"),
        ("--groups x", "`x` is not an integer"),
        ("--groups 4294967296", "`4294967296` is too large"),
        ("--counter Out=-3", "`-3` is negative"),
        ("--fuel -1", "`-1` is negative"),
    ] {
        let ran = wavelane("counts", SUM, &format!("run a.hlsl --auto {flag}"));
        assert!(ran.status == 2 && ran.err.contains(said), "{flag}: {}", ran.err);
    }
}

/// What is made up is not the user's to explain.
#[test]
fn made_up_constants_that_are_not_read_are_not_reported() {
    let shader = "cbuffer Large { uint Used[70]; uint Count; uint Rest; };
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = Used[3]; }";
    let ran = wavelane("quiet", shader, "run a.hlsl --auto --bind Out=[4] --set Rest=2");
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.err.matches("does not use").count(), 1, "{}", ran.err);
    let ran = wavelane("quiet", shader, "run a.hlsl --auto");
    assert!(!ran.err.contains("does not use"), "{}", ran.err);
}

/// Also acceleration structures, which no entry point can use yet.
#[test]
fn texture_buffers_and_acceleration_structures_that_are_not_used_can_be_bound() {
    let shader = "struct S { float a; };
TextureBuffer<S> Table : register(t3);
tbuffer Old : register(t4) { float Alpha; float Rows[4]; };
RaytracingAccelerationStructure Scene[2] : register(t5);
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = i; }";
    let line = "run a.hlsl --bind Out=[4] --bind Table=[1] --bind Scene[1]=[4] --set Alpha=1 \
                --set Rows[2]=1";
    let ran = wavelane("opaque", shader, line);
    assert_eq!(ran.status, 0, "{}", ran.err);
    for (name, place) in [
        ("Table", "a.hlsl:2"),
        ("Scene", "a.hlsl:4"),
        ("Alpha", "in `Old`, a.hlsl:3"),
        ("Rows", "in `Old`, a.hlsl:3"),
    ] {
        let note = format!("`main` does not use `{name}` ({place}), so what is given to it");
        assert_eq!(ran.err.matches(&note).count(), 1, "{note}: {}", ran.err);
    }
    let ran = wavelane("opaque", shader, "run a.hlsl --bind Out=[4] --bind Scne=[4]");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("did you mean `Scene`?"), "{}", ran.err);
    let text = wavelane("opaque", shader, "run a.hlsl --bindings");
    assert!(text.out.contains("RaytracingAccelerationStructure Scene"), "{}", text.out);
    let json = wavelane("opaque", shader, "run a.hlsl --bindings --format json").json();
    let table = json["bindings"].as_array().unwrap().iter().find(|it| it["name"] == "Table");
    let table = table.unwrap_or_else(|| panic!("{json}"));
    assert_eq!((&table["kind"], &table["used"]), (&"TextureBuffer".into(), &false.into()));
}

#[test]
fn accesses_without_effect_are_counted_in_one_line() {
    let shader =
        "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out; groupshared uint tile[4];
[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
    tile[i] = i;
    uint read = In[i];
    if (i & 1) read += WaveReadLaneAt(i, 0);
    Out[i] = i + 1 + read;
}";
    for engine in ["", " --engine interp", " --engine cpu"] {
        let line = format!("run a.hlsl --bind In=[6] --bind Out=[4]{engine}");
        let ran = wavelane("missed", shader, &line);
        assert_eq!(
            ran.err,
            "note: 2 reads beyond the end of `In` gave 0, 4 writes beyond the end of `Out` were dropped, 4 writes \
             beyond the end of `tile` were dropped, 4 reads of inactive lanes gave 0; wavelane san shows them\n"
        );
        assert_eq!(ran.status, 0);
    }
    let line = "run a.hlsl --bind In=[6] --bind Out=[4] --format json";
    assert_eq!(wavelane("missed", shader, line).json()["missed"]["beyond"][1]["writes"], 4);
    let quiet = wavelane("missed", SUM, "run a.hlsl --bind Out=[8] --bind Same=[8]");
    assert_eq!(quiet.err, "");
}

#[test]
fn both_ends_of_a_long_run_are_counted() {
    // Only the last of many groups goes beyond the end, and no bounded run comes that far from the first.
    let line = "run a.hlsl --bind Out=[511997] --groups 8000";
    let shader = "RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)] void main(uint i : SV_DispatchThreadID) {
    uint sum = 0;
    for (uint k = 0; k < 64; ++k) sum ^= i * k;
    Out[i] = sum;
}";
    let ran = wavelane("long", shader, line);
    assert!(
        ran.err.starts_with("note: at least 3 writes beyond the end of `Out` were dropped"),
        "{}",
        ran.err
    );
}

#[test]
fn results_have_member_names_and_rows() {
    let shader = "struct T { float3x2 m; uint2 pair; float one; int list[3]; };
RWStructuredBuffer<T> Out; RWStructuredBuffer<float2x3> M; RWStructuredBuffer<uint> Five;
[numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) {
    T t; t.m = float3x2(1, 2, 3, 4, 5, 6); t.pair = uint2(7, 8 + i); t.one = 0.5;
    for (int k = 0; k < 3; ++k) t.list[k] = -k;
    Out[i] = t; M[i] = float2x3(1, 2, 3, 4, 5, 6); Five[i] = 5;
}";
    let ran = wavelane("rows", shader, "run a.hlsl --bind Out=[2] --bind M=[1] --bind Five=[65]");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[1..5],
        [
            "  Out: RWStructuredBuffer, 2 x {float3x2 m, uint2 pair, float one, int list[3]}",
            "    0 | m = [1 2; 3 4; 5 6]  pair = 7 8  one = 0.5  list = 0, -1, -2",
            "    1 | m = [1 2; 3 4; 5 6]  pair = 7 9  one = 0.5  list = 0, -1, -2",
            "  M: RWStructuredBuffer, 1 x float2x3",
        ]
    );
    assert_eq!(lines[5], "    0 | [1 2 3; 4 5 6]");
    // One element more is shown rather than counted.
    assert!(!ran.out.contains("1 more") && ran.out.contains("   64 | 0"), "{}", ran.out);
}

#[test]
fn numbers_are_printed_in_the_requested_base() {
    let shader = "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint4> Set;
[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
    Out[i] = 0xdeadbee0 + i; Set[i] = WaveActiveBallot(i % 3 == 1);
}";
    let line = "run a.hlsl --bind Out=[8] --bind Set=[8] --wave-size 8 -w";
    let of = |print: &str| wavelane("bases", shader, &format!("{line} --print {print}")).out;
    assert!(of("Out:x").contains("0xdeadbee0 0xdeadbee1"), "{}", of("Out:x"));
    assert!(of("Out:b").contains("0b11011110101011011011111011100011"), "{}", of("Out:b"));
    assert!(of("Set:mask").contains("| .#..#..# .#..#..#"), "{}", of("Set:mask"));
    let wrong = wavelane("bases", shader, &format!("{line} --print Out:q"));
    assert!(
        wrong.status == 2 && wrong.err.contains("x (hexadecimal), b (binary)"),
        "{}",
        wrong.err
    );
}

#[test]
fn whole_halves_are_printed_exactly() {
    let shader = "RWStructuredBuffer<float16_t> Out;
[numthreads(1, 1, 1)] void main() { Out[0] = (float16_t)65504; Out[1] = (float16_t)0.1; }";
    let line = "run a.hlsl -T cs_6_6 -enable-16bit-types --bind Out=[2]";
    let ran = wavelane("halves", shader, line);
    assert!(ran.out.contains("| 65504   0.1"), "{}{}", ran.out, ran.err);
}

#[test]
fn the_verdict_across_widths_is_in_the_json() {
    let line = "run a.hlsl --bind Out=[8] --bind Same=[8] --wave-size 4,8 --format json";
    let value = wavelane("verdict", SUM, line).json();
    assert_eq!(value["agree"], false);
    assert_eq!(value["depends_on_wave_size"], serde_json::json!(["Out"]));
    let value = wavelane("verdict", SUM, &line.replace("4,8", "8,16")).json();
    assert_eq!(
        (&value["agree"], value["depends_on_wave_size"].as_array().unwrap().len()),
        (&true.into(), 0)
    );
}

#[test]
fn errors_are_in_the_json_too() {
    for (shader, line, status, says, place) in [
        (SUM, "run a.hlsl --format json", 2, "nothing is bound to `Out`", Some(1)),
        (
            "\n[numthreads(1, 1, 1)] void main() { x; }",
            "run a.hlsl --format json",
            2,
            "`x`",
            Some(2),
        ),
        (SUM, "run a.hlsl --bind Ou=[8] --format json", 2, "no buffer `Ou`", None),
        (SUM, "run b.hlsl --format=json", 2, "cannot be read", None),
        (SUM, "run a.hlsl --nonsense --format json", 2, "--nonsense", None),
        (SUM, "san a.hlsl --format json", 2, "nothing is bound", Some(1)),
        (SUM, "diff a.hlsl --format json", 2, "nothing is bound", Some(1)),
        (SUM, "bench a.hlsl --format json", 2, "nothing is bound", Some(1)),
        (
            SUM,
            "run a.hlsl --auto --wave-size 4 --caps lanes=8..16 --format json",
            3,
            "4 lanes",
            None,
        ),
    ] {
        let ran = wavelane("errors", shader, line);
        assert_eq!(ran.status, status, "{line}: {}", ran.err);
        let value = ran.json();
        let error = &value["errors"][0];
        assert!(error["message"].as_str().unwrap().contains(says), "{line}: {value}");
        assert_eq!(error["location"]["line"].as_u64(), place, "{line}: {value}");
        assert!(!ran.err.is_empty(), "the message is also printed for people");
    }
}
