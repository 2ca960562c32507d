//! The built program on small shaders: what it prints, where, and with which exit status.

use crate::support;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use support::Ran;

const TILE: &str = "RWStructuredBuffer<uint> Out; groupshared uint tile[16384];\n\
    [GroupSharedLimit(65536)] [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {\n\
    tile[16383 - i] = i; Out[i] = tile[16383 - i]; }\n";
const SUM: &str = "
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) { Out[i] = WaveActiveSum(i); }
";

const SQUARES: &str = "
RWStructuredBuffer<uint> Out;
[numthreads(8, 8, 1)]
void main(uint t : SV_GroupIndex) { Out[t] = WaveReadLaneAt(t, (t + 1) % 4); }
";

const LOCK: &str = "
RWStructuredBuffer<uint> Lock;
RWStructuredBuffer<uint> Sum;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint before;
    do InterlockedCompareExchange(Lock[0], 0, 1, before); while (before != 0);
    Sum[0] += t;
    InterlockedExchange(Lock[0], 0, before);
}
";

const EVEN: &str = "
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) { Out[i] = i * 2; }
";

const SCALE: &str = "
StructuredBuffer<float> In : register(t0);
RWStructuredBuffer<float> Out : register(u0);
cbuffer Params { uint Count; float3 Scale; };
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) { if (i < Count) Out[i] = In[i] * Scale.y; }
";

const ENDLESS: &str = "
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint n = 0;
    while (Out[0] == 0) { n += 1; }
    Out[i] = n;
}
";

const FOREVER: &str = "[numthreads(1, 1, 1)] void main() { while (true) {} }";

const HUGE: &str = "
RWStructuredBuffer<uint> Out; [numthreads(1, 1, 1)] void main() {
    uint a[4000000]; a[Out[0]] = 1; Out[0] = a[Out[1]];
}";

/// Runs `wavelane` with these words in a separate folder that holds `a.hlsl`, which is its standard input too.
fn wavelane(name: &str, shader: &str, line: &str) -> Ran {
    let folder = support::folder(&format!("cli/{name}"), &[("a.hlsl", shader)]);
    let mut child = support::command(&folder, &support::words(line))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program need not read it, and may be gone already.
    let _ = child.stdin.take().unwrap().write_all(shader.as_bytes());
    child.wait_with_output().unwrap().into()
}

fn folder(name: &str) -> PathBuf {
    support::folder::<&str>(&format!("cli/{name}"), &[])
}

#[test]
fn exit_statuses_are_the_contract() {
    for (name, shader, line, status, says) in [
        ("version", SUM, "--version", 0, "wavelane "),
        ("help", SUM, "run --help", 0, "--wave-size"),
        ("check", SUM, "check a.hlsl", 0, ""),
        ("stdin", SUM, "check -", 0, ""),
        (
            "widths",
            SUM,
            "run a.hlsl --bind Out=[8] --wave-size all",
            0,
            "Out depends on the wave size",
        ),
        ("agree", EVEN, "run a.hlsl --bind Out=[8] --wave-size all", 0, "all 6 wave sizes agree"),
        ("fuel", ENDLESS, "run a.hlsl --bind Out=[4] --fuel 10000", 1, "a.hlsl:6"),
        (
            "time",
            ENDLESS,
            "run a.hlsl --bind Out=[4] --timeout 0.2 --fuel none",
            1,
            "the time of 0.2 s is spent",
        ),
        ("forever", FOREVER, "run a.hlsl --engine cpu", 1, "a.hlsl:1:"),
        ("forever-interp", FOREVER, "run a.hlsl --engine interp", 1, "a.hlsl:1:"),
        ("array", HUGE, "run a.hlsl --bind Out=[4]", 2, "a.hlsl:3:"),
        (
            "array-interp",
            HUGE,
            "run a.hlsl --bind Out=[4] --engine interp",
            2,
            "`a` takes 16,000,000 bytes in each thread",
        ),
        ("error", "void main() { x; }", "check a.hlsl", 2, "a.hlsl:1:"),
        ("flag", SUM, "check a.hlsl --nonsense", 2, "there is no flag `--nonsense`"),
        ("file", SUM, "check b.hlsl", 2, "`b.hlsl` cannot be read"),
        ("unbound", SUM, "run a.hlsl", 2, "nothing is bound to `Out`"),
        ("unknown", SUM, "run a.hlsl --bind Ou=[8]", 2, "did you mean `Out`?"),
        (
            "stride",
            SUM,
            "run a.hlsl --bind Out=u16:1",
            2,
            "not a multiple of the 4-byte stride of `Out`",
        ),
        ("binfile", SUM, "run a.hlsl --bind Out=@none.bin", 2, "`none.bin` cannot be read"),
        ("noname", SUM, "run a.hlsl --bind Out=@", 2, "the name of a file is missing after `@`"),
        (
            "entries",
            SUM,
            "run a.hlsl -E main -E other --bind Out=[8]",
            2,
            "this runs one entry point",
        ),
        ("groups", SUM, "run a.hlsl --bind Out=[8] --groups 65536", 2, "65535"),
        (
            "threads",
            SUM,
            "run a.hlsl --bind Out=[8] --groups 65535,65535,65535",
            2,
            "threads are too many",
        ),
        ("cap", SUM, "run a.hlsl --bind Out=[8] --caps wave-ops=off", 3, "WaveOps"),
        ("nocap", SUM, "check a.hlsl --caps wave-ops=off", 3, "WaveOps"),
        ("groupshared", TILE, "run a.hlsl --bind Out=[8]", 0, "0 1 2 3 4 5 6 7"),
        (
            "nogroupshared",
            TILE,
            "run a.hlsl --bind Out=[8] --caps groupshared=49152",
            3,
            "65536 bytes",
        ),
        ("lanes", SUM, "run a.hlsl --bind Out=[8] --wave-size 4 --caps lanes=32..64", 3, "32, 64"),
        (
            "san",
            SUM,
            "san a.hlsl --bind Out=[8]",
            1,
            "width-dependent-result     x     .     .     .     .     .",
        ),
        ("meant", SUM, "san a.hlsl --bind Out=[8] --width-dependent Out", 0, "no findings: 6 runs"),
        (
            "orders",
            SQUARES,
            "san a.hlsl --bind Out=[64]",
            1,
            "again: wavelane san a.hlsl --bind 'Out=[64]' --wave-size 4 --orders lanes=quad2d",
        ),
        (
            "again",
            SQUARES,
            "san a.hlsl --bind Out=[64] --wave-size 4 --orders lanes=quad2d",
            1,
            "order-dependent-result     x",
        ),
        (
            "inorder",
            SQUARES,
            "san a.hlsl --bind Out=[64] --wave-size 4 --orders none",
            0,
            "no findings: 1 run with",
        ),
        (
            "disorder",
            SQUARES,
            "san a.hlsl --bind Out=[64] --orders lanes=upwards",
            2,
            "`lanes=upwards` is not an order",
        ),
        (
            "seeds",
            SQUARES,
            "san a.hlsl --bind Out=[64] --orders lanes=random:5 --format json",
            1,
            "\"seed\": 5",
        ),
        ("wait", LOCK, "san a.hlsl --bind Lock=[1] --bind Sum=[1]", 1, "endless-wait"),
        ("deadlock", LOCK, "run a.hlsl --bind Lock=[1] --bind Sum=[1]", 1, "deadlock"),
        (
            "fair",
            LOCK,
            "san a.hlsl --bind Lock=[1] --bind Sum=[1] --progress fair",
            0,
            "no findings",
        ),
        ("lanes-at-random", SQUARES, "run a.hlsl --bind Out=[64] --lane-order random:3", 0, "Out"),
        ("unmeant", SUM, "san a.hlsl --bind Out=[8] --unordered Our", 2, "no buffer `Our`"),
        (
            "sanjson",
            SUM,
            "san a.hlsl --bind Out=[8] --format json",
            1,
            "\"verdict\": \"width-dependent\"",
        ),
        ("engine", SUM, "run a.hlsl --bind Out=[8] --engine cuda --device none", 3, "cuda"),
        ("ptx", SUM, "emit --ptx --sm 90 a.hlsl", 0, ".target sm_90"),
        ("sm", SUM, "emit --ptx --sm 91 a.hlsl", 2, "`91` is not an architecture"),
        ("lonely-sm", SUM, "emit --ir --sm 90 a.hlsl", 2, "`--sm` goes with `--ptx`"),
        ("two-forms", SUM, "emit --ir --ptx a.hlsl", 2, "only one form is emitted at a time"),
        (
            "coarse",
            "RWStructuredBuffer<uint> A, B;
             [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) { B[t] = A[t]; }",
            "emit --ptx --groups 6,5 a.hlsl",
            0,
            "// 2 groups in a block",
        ),
        ("lonely-groups", SUM, "emit --ir --groups 4 a.hlsl", 2, "`--groups` goes with `--ptx`"),
        ("notest", SUM, "test a.hlsl", 2, "there is no test in `a.hlsl`"),
        ("nofile", SUM, "test nope", 2, "`nope` cannot be read: "),
        ("noplan", SUM, "campaign nope", 2, "`nope` cannot be read: "),
        ("two", SUM, "run a.hlsl b.hlsl", 2, "takes one operand, and `b.hlsl` is a second one"),
        ("elsewhere", SUM, "emit a.hlsl -o x", 2, "it belongs to `run`, `reduce`, `timeline`"),
        (
            "reducing",
            SUM,
            "reduce --help",
            0,
            "-o FILE                   write the smallest program",
        ),
        ("whole", SUM, "run --help", 0, "in pixels (256x256; new: 8x8)"),
        ("code", SUM, "explain unknown-name", 0, "unknown-name"),
        ("function", SUM, "explain WaveAllSum", 0, "WaveActiveSum"),
        ("library", SUM, "explain lerp", 0, "T lerp(T a, T b, T t)"),
        (
            "nocode",
            SUM,
            "explain WaveActveSum",
            2,
            "did you mean `wavelane explain WaveActiveSum`?",
        ),
        ("caps", SUM, "caps --caps lanes=8..16", 0, "WaveLaneCountMax               16"),
    ] {
        let ran = wavelane(name, shader, line);
        assert_eq!(ran.status, status, "wavelane {line}\n{}\n{}", ran.out, ran.err);
        assert!(
            format!("{}{}", ran.out, ran.err).contains(says),
            "wavelane {line}\n{}\n{}",
            ran.out,
            ran.err
        );
    }
}

#[test]
fn results_are_shown_by_width_and_the_first_difference_is_named() {
    let ran = wavelane("shown", SUM, "run a.hlsl --bind Out=[8] --wave-size 4,8,16");
    assert_eq!(
        ran.out,
        "wave size 4
  Out: RWStructuredBuffer, 8 x u32
    0 |  6  6  6  6 22 22 22 22

wave size 8, 16
  Out: RWStructuredBuffer, 8 x u32
    0 | 28 28 28 28 28 28 28 28

Out depends on the wave size: from 8 lanes on it differs
  first at Out[0]: 6 with 4 lanes, 28 with 8
",
        "{}",
        ran.err
    );
}

#[test]
fn constants_lists_and_files_reach_the_shader() {
    let line = "run a.hlsl --bind In=1,2,3,4 --bind Out=[4] --set Count=3 --set Scale=1,0.5,2 --format json --out Out=o.npy";
    let ran = wavelane("values", SCALE, line);
    let value: serde_json::Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    let run = &value["runs"][0];
    assert_eq!(run["wave_size"], 32);
    assert_eq!(run["buffers"], serde_json::json!({ "Out": [0.5, 1.0, 1.5, 0.0] }));
    // What was written can be bound again.
    let line = "run a.hlsl --bind In=@o.npy --bind Out=[4] --set Count=4 --set Params.Scale=1,2,3 --print Out --print In";
    let ran = wavelane("values", SCALE, line);
    assert!(
        ran.out.contains("Out: RWStructuredBuffer, 4 x f32\n    0 | 1 2 3 0\n"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(ran.out.contains("In: StructuredBuffer, 4 x f32\n"), "{}", ran.out);
    let ran = wavelane("values", SCALE, "run a.hlsl --bind In=1,2 --bind Out=[4] --set Cuont=3");
    assert!(ran.status == 2 && ran.err.contains("did you mean `Count`?"), "{}", ran.err);
    let ran = wavelane("values", SCALE, "run a.hlsl --bind In=1,2 --bind Out=[4] --set Scale=3");
    assert!(ran.status == 2 && ran.err.contains("1 value for 3 scalars"), "{}", ran.err);
    let ran = wavelane("values", SCALE, "run a.hlsl --bind In=1,2 --bind Out=[4]");
    assert!(ran.status == 2 && ran.err.contains("uint Count, float3 Scale"), "{}", ran.err);
}

#[test]
fn warnings_become_errors_only_when_asked() {
    let shader = SUM.replace("WaveActiveSum", "WaveAllSum");
    assert_eq!(wavelane("warned", &shader, "check a.hlsl").status, 0);
    let ran = wavelane("warned", &shader, "check a.hlsl -WX");
    assert_eq!(ran.status, 2, "{}", ran.err);
    let code = ran
        .err
        .lines()
        .next()
        .unwrap()
        .rsplit_once('[')
        .unwrap()
        .1
        .trim_end_matches(']')
        .to_owned();
    let ran = wavelane("warned", &shader, &format!("check a.hlsl -WX -Wno-{code}"));
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
}

#[test]
fn machines_get_their_formats_on_standard_output() {
    let shader = "void main() { x; }";
    let json = wavelane("formats", shader, "check a.hlsl --format json");
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["diagnostics"][0]["location"]["file"], "a.hlsl");
    let github = wavelane("formats", shader, "check a.hlsl --format github");
    assert!(github.out.starts_with("::error file=a.hlsl,line=1,"), "{}", github.out);
    let sarif = wavelane("formats", shader, "check a.hlsl --format sarif");
    let value: serde_json::Value = serde_json::from_str(&sarif.out).unwrap();
    assert_eq!(value["version"], "2.1.0");
    let caps = wavelane("formats", shader, "caps --format json");
    let value: serde_json::Value = serde_json::from_str(&caps.out).unwrap();
    assert_eq!(value["adapters"][0]["WaveLaneCountMin"], 4);
}

#[test]
fn included_files_are_found_beside_and_in_folders() {
    let folder = folder("includes");
    std::fs::create_dir_all(folder.join("inc/sub")).unwrap();
    std::fs::write(folder.join("inc/sub/b.hlsli"), "#include \"c.hlsli\"\n").unwrap();
    std::fs::write(folder.join("inc/sub/c.hlsli"), "#define FACTOR 3\n").unwrap();
    let shader = format!("#include <sub\\b.hlsli>\n{}", EVEN.replace("i * 2", "i * FACTOR"));
    let ran = wavelane("includes", &shader, "run a.hlsl -I inc --bind Out=[8]");
    assert!(ran.out.contains("0 |  0  3  6  9 12 15 18 21"), "{}{}", ran.out, ran.err);
    assert_eq!(wavelane("includes", &shader, "check a.hlsl").status, 2);
}

/// Runs the command on a text, with a standard output that its reader has closed.
fn unread(name: &str, text: &str, words: &[&str]) -> Output {
    let folder = folder(name);
    std::fs::write(folder.join("a.hlsl"), text).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_wavelane"))
        .args(words)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

#[test]
fn a_closed_reader_is_not_an_error() {
    let words = ["run", "a.hlsl", "--bind", "Out=[200000]", "--print", "Out"];
    let output = unread("pipe", EVEN, &words);
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
        (Some(0), "")
    );
}

/// As in `wavelane test … | head`, whose status counts under `pipefail`.
#[test]
fn a_closed_pipe_hides_no_failure() {
    let fails = "#include <wavelane.hlsli>\nTEST_CASE(wrong) { EXPECT_EQ(1u, 2u); }\n";
    let output = unread("unread", fails, &["test", "a.hlsl"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_intermediate_representation_is_printed() {
    let ran = wavelane("emit", SUM, "emit --ir a.hlsl");
    assert!(ran.status == 0 && ran.out.contains("wave"), "{}{}", ran.out, ran.err);
    assert_eq!(wavelane("emit", SUM, "emit a.hlsl").status, 2);
    let listing = wavelane("emit", SUM, "emit --spirv -fspv-target-env=vulkan1.1 a.hlsl");
    assert!(listing.out.starts_with("; SPIR-V 1.3,"), "{}", listing.out);
    assert!(listing.out.contains("GroupNonUniformIAdd"), "{}", listing.out);
    let reflection = wavelane("emit", SUM, "emit --spirv --format json a.hlsl");
    assert!(reflection.out.contains("\"register\": \"u0\""), "{}", reflection.out);
    assert_eq!(wavelane("emit", SUM, "emit --spirv -fspv-target-env=dx12 a.hlsl").status, 2);
}

#[test]
fn bindings_of_vulkan_are_what_the_flags_of_dxc_say() {
    let words = "emit --spirv --format json -fvk-t-shift 10 0 -fvk-u-shift 20 all \
                 -fvk-bind-register u0 0 3 1 -fvk-bind-globals 7 2 a.hlsl";
    let ran = wavelane(
        "shifted",
        &SCALE
            .replace("cbuffer Params { uint Count; float3 Scale; };", "uint Count; float3 Scale;"),
        words,
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    let places = bound(&ran.out);
    for (name, set, binding) in [("In", 0, 10), ("Out", 1, 3), ("$Globals", 2, 7)] {
        assert!(places.contains(&(name.to_owned(), set, binding)), "{name} of {places:?}");
    }
    for wrong in
        ["-fvk-t-shift 10", "-fvk-t-shift x 0 a.hlsl", "-fvk-bind-register q0 0 3 1 a.hlsl"]
    {
        assert_eq!(
            wavelane("shifted", SCALE, &format!("emit --spirv {wrong}")).status,
            2,
            "{wrong}"
        );
    }
}

/// The names, sets and bindings that the reflection beside a module lists.
fn bound(reflection: &str) -> Vec<(String, u64, u64)> {
    let reflection: serde_json::Value = serde_json::from_str(reflection).unwrap();
    let place = |it: &serde_json::Value| {
        let number = |key: &str| it[key].as_u64().unwrap();
        (it["name"].as_str().unwrap().to_owned(), number("set"), number("binding"))
    };
    reflection["bindings"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn what_lies_in_a_heap_is_bound_where_the_flags_of_dxc_say() {
    let text = "RWStructuredBuffer<float4> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            Texture2D<float4> t = ResourceDescriptorHeap[1];
            Buffer<uint> b = ResourceDescriptorHeap[0];
            SamplerState s = SamplerDescriptorHeap[0];
            Out[i] = t.SampleLevel(s, 0.5, 0) + b[i];
        }";
    let words = "emit --spirv --format json -T cs_6_6 -fspv-target-env=universal1.5 \
                 -fvk-bind-resource-heap 4 2 -fvk-bind-sampler-heap 5 2 a.hlsl";
    let ran = wavelane("heaps", text, words);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let places = bound(&ran.out);
    let heap = ("ResourceDescriptorHeap".to_owned(), 2, 4);
    assert_eq!(places.iter().filter(|it| **it == heap).count(), 2, "{places:?}");
    assert!(places.contains(&("SamplerDescriptorHeap".to_owned(), 2, 5)), "{places:?}");
    let wrong = "emit --spirv -T cs_6_6 -fvk-bind-resource-heap x 2 a.hlsl";
    assert_eq!(wavelane("heaps", text, wrong).status, 2);
}

const BLUR: &str = "
Texture2D<float4> Tex;
SamplerState S;
RWTexture2D<unorm float4> Out;
[numthreads(4, 2, 1)]
void main(uint2 at : SV_GroupThreadID) { Out[at] = Tex.SampleLevel(S, (at + 0.5) / float2(4, 2), 0); }
";

#[test]
fn textures_come_from_files_and_go_to_files() {
    let bound = "run a.hlsl --bind S=linear,clamp --bind Out=[4x2] --bind";
    let ran = wavelane(
        "texture-out",
        BLUR,
        &format!(
            "{bound} Tex=RGBA8_UNORM[2x1]:0,0,0,255,200,100,50,255 --out Out=out.png --wave-size 4"
        ),
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("Out: RWTexture2D, 4x2 RGBA8_UNORM, 8 x u8x4"), "{}", ran.out);
    assert!(ran.out.contains("50  25  13 255"), "{}", ran.out);
    let picture = std::fs::read(folder("texture-out").join("out.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    let unbound = wavelane("texture-unbound", BLUR, "run a.hlsl --bind Tex=[2x2] --bind Out=[4x2]");
    assert!(unbound.err.contains("nothing is bound to `S`"), "{}", unbound.err);
    let wrong = wavelane("texture-wrong", BLUR, &format!("{bound} Tex=RGBA9[2x2]"));
    assert!(wrong.err.contains("`RGBA9` is not a texture format"), "{}", wrong.err);
}

/// A comparison that is always true, and a sum that loses its fraction.
const TWO_WARNINGS: &str = "
RWStructuredBuffer<uint> out_ : register(u0);
[numthreads(32, 1, 1)] void main(uint t : SV_GroupIndex) { if (t >= 0) out_[t] = 1; t = 2.5; }";

#[test]
fn flags_about_warnings_select_silence_and_raise() {
    let run = |line: &str| wavelane("levels", TWO_WARNINGS, &format!("check a.hlsl {line}"));
    for (line, exit, comparison, conversion) in [
        ("", 0, Some("warning"), Some("warning")),
        ("-Wno-constant-comparison", 0, None, Some("warning")),
        ("-w", 0, None, None),
        ("-Werror=constant-comparison", 2, Some("error"), Some("warning")),
        ("-WX -Wno-error=lossy-conversion -Wno-constant-comparison", 0, None, Some("warning")),
        ("-WX", 2, Some("error"), Some("error")),
        // The last word counts.
        ("-Wno-lossy-conversion -Wlossy-conversion", 0, Some("warning"), Some("warning")),
    ] {
        let ran = run(line);
        assert_eq!(ran.status, exit, "{line}: {}", ran.err);
        for (code, level) in [("constant-comparison", comparison), ("lossy-conversion", conversion)]
        {
            let shown = ran.err.lines().find(|it| it.contains(&format!("[{code}]")));
            let expected = level.map(|it| format!(": {it}: "));
            match (shown, expected) {
                (Some(shown), Some(expected)) => {
                    assert!(shown.contains(&expected), "{line}: {shown}")
                }
                (shown, expected) => {
                    assert_eq!(shown.is_some(), expected.is_some(), "{line}: {code}")
                }
            }
        }
    }
}

#[test]
fn an_unknown_warning_is_reported() {
    let ran = wavelane("unknown-warning", TWO_WARNINGS, "check a.hlsl -Wno-such-thing");
    assert!(ran.err.contains("such-thing"), "{}", ran.err);
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err))
}

#[test]
fn every_engine_deals_threads_to_lanes_alike() {
    let shader = "RWStructuredBuffer<uint> Out;\n\
                  [numthreads(8, 8, 1)]\n\
                  void main(uint i : SV_GroupIndex) { Out[i] = WaveGetLaneIndex(); }\n";
    let mut seen = Vec::new();
    for order in ["linear", "quad2d", "morton", "random:3"] {
        let line = format!("run a.hlsl --bind Out=[64] --wave-size 16 --lane-order {order}");
        let [interp, cpu] = ["interp", "cpu"].map(|engine| {
            let ran = wavelane("deal", shader, &format!("{line} --engine {engine}"));
            assert_eq!(ran.status, 0, "{line}\n{}", ran.err);
            ran.out.lines().filter(|it| it.contains('|')).map(str::to_owned).collect::<Vec<_>>()
        });
        assert_eq!(interp, cpu, "{order}");
        seen.push(cpu);
    }
    let each_differs = (1..seen.len()).all(|i| !seen[..i].contains(&seen[i]));
    assert!(each_differs, "{seen:#?}");
}

#[test]
fn machine_code_runs_where_possible_and_verbose_names_the_engine() {
    let caps = json(&wavelane("default", SUM, "caps --format json"));
    let default = caps["default_engine"].as_str().unwrap();
    let cpu = caps["engines"].as_array().unwrap().iter().find(|it| it["name"] == "cpu").unwrap();
    assert_eq!(default, if cpu["available"] == true { "cpu" } else { "interp" });
    let text = wavelane("default", SUM, "caps").out;
    let line = text.lines().find(|it| it.trim_start().starts_with(default)).unwrap();
    assert!(line.ends_with("available, the default of run and test"), "{text}");

    let run = "run a.hlsl --bind Out=[8]";
    let engine = |line: &str| {
        let ran = wavelane("default", SUM, line);
        (json(&ran)["runs"][0].clone(), ran.err)
    };
    let (ran, err) = engine(&format!("{run} --format json"));
    assert!(ran["engine"].is_null() && err.is_empty(), "{ran} {err}");
    let (ran, _) = engine(&format!("{run} --format json --verbose"));
    assert_eq!(ran["engine"], default);
    let (ran, _) = engine(&format!("{run} --format json --engine interp"));
    assert_eq!(ran["engine"], "interp");
    let said = wavelane("default", SUM, &format!("{run} --verbose")).err;
    assert_eq!(said, format!("note: the engine `{default}` runs waves of 32 lanes\n"));

    if default == "cpu" {
        // Several threads keep the order of one reservation, and say so where they cannot.
        let counted = |body: &str| {
            let source = format!(
                "RWStructuredBuffer<uint> Out; [numthreads(32, 1, 1)] void main(uint t : SV_GroupIndex) {{
                    uint old; {body} }}"
            );
            wavelane("order", &source, &format!("{run} --verbose --threads 2")).err
        };
        let note = |more: &str| format!("note: the engine `cpu` runs waves of 32 lanes{more}\n");
        let add = "InterlockedAdd(Out[0], t, old); if (old == 9) InterlockedAdd(Out[0], old);";
        let also = "the counter is also accessed in another way";
        assert_eq!(counted(add), note(&format!(" on one thread, because {also}")));
        let round =
            "for (uint i = 0; i < t; i++) { InterlockedAdd(Out[0], t, old); Out[1] += old; }";
        let in_a_loop = "because the counter changes in a loop";
        assert_eq!(counted(round), note(&format!(" on one thread, {in_a_loop}")));
        assert_eq!(
            counted(&format!("{round} DeviceMemoryBarrier();")),
            note(&format!(
                " on 2 threads, which share its counters in no fixed order, {in_a_loop}, and its \
                 groups communicate while they run"
            ))
        );
        // Other orders run on the reference engine, without a note unless another engine was requested.
        let order = "--schedule descending --format json";
        assert_eq!(engine(&format!("{run} {order}")).1, "");
        for flag in ["--verbose", "--engine cpu"] {
            let (ran, err) = engine(&format!("{run} {order} {flag}"));
            assert_eq!(ran["engine"], "interp");
            assert!(ran["fallback"].as_str().unwrap().contains("order of waves"), "{ran}");
            assert!(err.starts_with("note: the engine `cpu` does not support an order"), "{err}");
        }
    }
}

#[test]
fn times_are_measured_on_every_engine_and_width() {
    let bind = "--bind Out=[8] --rounds 3";
    for engine in ["interp", "cpu --cpu avx2"] {
        let line = format!("bench a.hlsl {bind} --engine {engine} --wave-size 4,64 --format json");
        let ran = wavelane("bench", SUM, &line);
        if ran.status == 3 {
            assert!(engine != "interp" && ran.err.contains("unsupported"), "{}", ran.err);
            continue;
        }
        let report = json(&ran);
        assert_eq!((&report["rounds"], &report["threads"]), (&3.into(), &1.into()));
        let bench = &report["benches"][0];
        assert_eq!((&bench["file"], &bench["bound_bytes"]), (&"a.hlsl".into(), &32.into()));
        // Each byte is stored, and none is loaded.
        assert_eq!(bench["moved_bytes"], 32);
        let widths: Vec<u64> = bench["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let times = |name: &str| {
                    let time = |key: &str| row[name][key].as_f64().unwrap();
                    let keys = ["least", "lower_quartile", "median", "upper_quartile", "most"];
                    assert!(time("least") > 0.0, "{row}");
                    assert!(keys.is_sorted_by_key(|key| time(key)), "{row}");
                };
                times("run_ms");
                assert_eq!(row["run_ms"]["rounds"], 3);
                match engine.starts_with("cpu") {
                    true => times("code_ms"),
                    false => assert!(row["code_ms"].is_null()),
                }
                assert!(row["gb_per_s"].as_f64().unwrap() > 0.0, "{row}");
                row["wave_size"].as_u64().unwrap()
            })
            .collect();
        assert_eq!(widths, [4, 64]);
    }
    let ran = wavelane("bench", SUM, &format!("bench a.hlsl - {bind}"));
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.out.contains("a.hlsl: compiled to IR in ") && ran.out.contains("\n-: "),
        "{}",
        ran.out
    );
    for (line, status, says) in [
        ("bench", 2, "`wavelane bench` needs FILE…"),
        ("bench a.hlsl", 2, "Out"),
        ("bench a.hlsl --bind Out=[8] --rounds 0", 2, "a number of rounds is 1 to 100000"),
        ("bench a.hlsl --bind Out=[8] --wave-size 4 --caps lanes=8..16", 3, "4 lanes"),
        ("bench none.hlsl", 2, "none.hlsl"),
        (
            "bench a.hlsl --bind Out=[8] --spirv a.hlsl",
            2,
            "`a.hlsl`: it is not a module of SPIR-V or PTX",
        ),
        ("bench a.hlsl --bind Out=[8] --spirv none.spv", 2, "`none.spv` cannot be read"),
        ("bench none.test", 2, "`none.test` cannot be read"),
    ] {
        let ran = wavelane("bench", SUM, line);
        assert_eq!(ran.status, status, "{line}: {}", ran.err);
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
    }
    let ran = wavelane("bench-endless", ENDLESS, "bench a.hlsl --bind Out=[4] --fuel 10000");
    assert!(ran.status == 1 && ran.err.contains("the fuel of 10000"), "{}", ran.err);
}

#[test]
fn the_representation_for_a_target_has_no_operation_that_it_lacks() {
    let text = "RWStructuredBuffer<float> Out;
        [numthreads(32, 1, 1)] void main(uint t : SV_GroupIndex) { Out[t] = sin(t); }";
    let plain = wavelane("target", text, "emit --ir a.hlsl").out;
    let made = wavelane("target", text, "emit --ir --for vulkan1.3 a.hlsl");
    assert!(plain.contains(" = sin ") && !made.out.contains(" = sin "), "{}{}", plain, made.err);
    assert!(made.out.contains(": f64 = mul "), "{}", made.out);
    let unknown = wavelane("target", text, "emit --ir --for dx12 a.hlsl");
    assert_eq!(unknown.status, 2);
    assert!(unknown.err.contains("vulkan1.3") && unknown.err.contains("cuda"), "{}", unknown.err);
    assert_eq!(wavelane("target", text, "emit --spirv --for cuda a.hlsl").status, 2);
}

#[test]
fn a_file_without_declarations_has_a_place_for_its_missing_entry_point() {
    for text in ["", "// nothing\n", "#define X 1\n"] {
        let ran = wavelane("nothing", text, "run a.hlsl");
        assert_eq!(ran.status, 2, "{}", ran.err);
        assert!(
            ran.err.starts_with("a.hlsl:1:1: error: the entry point `main` is not declared"),
            "{}",
            ran.err
        );
    }
}
