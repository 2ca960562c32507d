//! `wavelane reduce` as scripts see it.
#![cfg(unix)]

use crate::support;

use std::path::PathBuf;

use support::wavelane;

const RACE: &str = "#define SIZE 32
groupshared uint shared_words[SIZE];
RWStructuredBuffer<uint> Out;
float scale(float x) { return x * 2 + 1; }
// The write of lane 0 races with the others' reads.
[numthreads(SIZE, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float unused = scale(t);
    shared_words[t] = t;
    GroupMemoryBarrierWithGroupSync();
    uint sum = 0;
    for (uint i = 0; i < 4; ++i) {
        sum += shared_words[(t + i) % SIZE] + uint(unused) % 3;
    }
    shared_words[0] = sum;
    Out[t] = sum;
}
";

const SUM: &str = "RWStructuredBuffer<uint> Out;
uint twice(uint x) { return x + x; }
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a = twice(t);
    if (t & 1) { a += WaveActiveSum(t * t); } else { a -= 3; }
    Out[t] = a;
}
";

fn folder(name: &str) -> PathBuf {
    support::fresh_folder::<&str>(&format!("reduce/{name}"), &[])
}

fn lines(text: &str) -> usize {
    text.lines().filter(|it| !it.trim().is_empty()).count()
}

#[test]
fn a_finding_is_kept_and_nothing_else_becomes_undefined() {
    let folder = folder("finding");
    std::fs::write(folder.join("a.hlsl"), RACE).unwrap();
    let line = ["reduce", "a.hlsl", "--bind", "Out=[32]", "--keep-finding", "race"];
    let ran = wavelane(&folder, &[&line[..], &["-o", "small.hlsl"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let small = std::fs::read_to_string(folder.join("small.hlsl")).unwrap();
    assert!(lines(&small) <= 7 && !small.contains("#define"), "{small}");
    assert_eq!(std::fs::read_to_string(folder.join("a.hlsl")).unwrap(), RACE);
    let san = wavelane(&folder, &["san", "small.hlsl", "--auto", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&san.out).unwrap();
    let text = report.to_string();
    assert!(text.contains("\"race\""), "{text}");
    for jobs in ["1", "3"] {
        let ran = wavelane(&folder, &[&line[..], &["-j", jobs]].concat());
        assert_eq!(ran.out, small, "-j {jobs}");
    }
}

#[test]
fn a_command_decides_and_never_sees_what_is_undefined() {
    let folder = folder("command");
    std::fs::write(folder.join("a.hlsl"), SUM).unwrap();
    let log = folder.join("seen");
    let seen = log.display().to_string();
    std::fs::create_dir_all(&log).unwrap();
    // Keeps a copy of every file that it gets.
    let keep = format!(
        "cp a.hlsl {seen}/$$.hlsl && test $(basename {{}}) = a.hlsl && grep -q WaveActiveSum {{}}"
    );
    let ran =
        wavelane(&folder, &["reduce", "a.hlsl", "--bind", "Out=[32]", "--keep", &keep, "-j", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(lines(&ran.out) <= 5, "{}", ran.out);
    let mut count = 0;
    for entry in std::fs::read_dir(&log).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        std::fs::write(folder.join("one.hlsl"), &text).unwrap();
        let san = wavelane(&folder, &["san", "one.hlsl", "--auto", "-Wno-width-dependent-result"]);
        assert_ne!(san.status, 2, "{text}\n{}", san.err);
        assert!(!san.out.contains("uninitialized") && !san.out.contains("race"), "{text}");
        count += 1;
    }
    assert!(count < 100, "{count}");
    assert!(ran.err.contains("candidates tested, ") && ran.err.contains(" by the command"));
}

#[test]
fn what_cannot_be_kept_and_what_is_undefined_is_refused() {
    let folder = folder("refused");
    std::fs::write(folder.join("a.hlsl"), SUM).unwrap();
    let undefined = "RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) { uint x; Out[t] = x; }
";
    std::fs::write(folder.join("undefined.hlsl"), undefined).unwrap();
    std::fs::write(folder.join("broken.hlsl"), "void main( {\n").unwrap();
    let pixel = "uint main() : SV_Target { return WaveGetLaneIndex(); }\n";
    std::fs::write(folder.join("pixel.hlsl"), pixel).unwrap();
    let of = |words: &[&str]| wavelane(&folder, &[&["reduce"], words].concat());
    let bind = ["--bind", "Out=[32]"];
    for (words, said) in [
        (
            &["a.hlsl"][..],
            "`reduce` needs one of `--keep`, `--keep-finding`, `--keep-diff` and `--keep-message`",
        ),
        (&["a.hlsl", "--keep", "true", "--keep-diff", "cpu"], "exclude each other"),
        (&["a.hlsl", "--keep", "true", "--by", "x"], "`--by` goes with `--keep-message`"),
        (
            &["a.hlsl", "--keep", "false"],
            "`false` does not end with status 0 for `a.hlsl`: the command ended with status 1",
        ),
        // The command runs elsewhere, and what the shell says of it is shown.
        (&["a.hlsl", "--keep", "./crashes.sh"], "the command ended with status 127"),
        (&["a.hlsl", "--keep", "./crashes.sh"], "help: it printed: sh: "),
        (&["a.hlsl", "--keep", "./crashes.sh"], "\"$PWD/crashes.sh\""),
        (&["a.hlsl", "--keep-message", "x", "--by", "./crashes.sh"], "\"$PWD/crashes.sh\""),
        (&["a.hlsl", "--keep", "echo no such bug; kill -9 $$"], "was ended by signal 9"),
        (&["a.hlsl", "--keep", "echo no such bug; kill -9 $$"], "it printed: no such bug"),
        (&["a.hlsl", "--keep-finding", "rac"], "did you mean `race`?"),
        (&["a.hlsl", "--keep-finding", "race"], "does not report `race`"),
        (&["a.hlsl", "--keep-diff", "cpu"], "`cpu` and `interp` agree"),
        (&["a.hlsl", "--keep-message", "("], "--keep-message"),
        (&["undefined.hlsl", "--keep", "true"], "--allow-undefined"),
        (&["broken.hlsl", "--keep", "true"], "--allow-undefined"),
        (&["missing.hlsl", "--keep", "true"], "cannot be read"),
    ] {
        let ran = of(&[words, &bind[..]].concat());
        assert_eq!(ran.status, 2, "{words:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
        assert!(ran.out.is_empty());
    }
    for keep in ["--keep-finding", "--keep-diff", "--keep"] {
        let kept = if keep == "--keep-diff" { "cpu" } else { "race" };
        let ran = of(&["pixel.hlsl", "-T", "ps_6_0", keep, kept]);
        assert_eq!(ran.status, 3, "{}", ran.err);
        assert!(ran.err.contains("`pixel.hlsl` is for the pixel stage"), "{}", ran.err);
    }
    let ran = of(&["undefined.hlsl", "--keep", "grep -q uint {}", "--allow-undefined"]);
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "RWStructuredBuffer<uint> Out;\n"),
        "{}",
        ran.err
    );
}

#[test]
fn messages_are_kept_of_wavelane_and_of_other_commands() {
    let folder = folder("message");
    let wrong = "struct S { float a; float b; };
float f(float x) { return x + 1; }
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float y = f(t);
    float z = WaveActiveSumm(y);
}
";
    std::fs::write(folder.join("a.hlsl"), wrong).unwrap();
    let ran = wavelane(&folder, &["reduce", "a.hlsl", "--keep-message", "WaveActiveSum[m]"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(lines(&ran.out) <= 4 && ran.out.contains("WaveActiveSumm"), "{}", ran.out);
    std::fs::write(folder.join("b.hlsl"), SUM).unwrap();
    let by = "if grep -q WaveActiveSum {}; then echo 'internal error 17'; exit 1; fi";
    let line =
        ["reduce", "b.hlsl", "--bind", "Out=[32]", "--keep-message", "error [0-9]+", "--by", by];
    let ran = wavelane(&folder, &line);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(lines(&ran.out) <= 5 && ran.out.contains("WaveActiveSum"), "{}", ran.out);
}

/// A disc whose pixels are counted: what helper lanes do decides.
const DISC: &str = "struct V { float4 position : SV_Position; float2 uv : TEXCOORD; };
RWStructuredBuffer<uint> Visible;
cbuffer C { float scale; }
V corners(uint id : SV_VertexID) {
    float2 places[3] = { float2(-1, 1), float2(3, 1), float2(-1, -3) };
    V v;
    v.position = float4(places[id], 0, 1);
    v.uv = places[id] * scale;
    return v;
}
float shade(float2 uv) { return dot(uv, uv) * 2 + 1; }
float4 main(V v) : SV_Target {
    float colour = shade(v.uv);
    uint extra = 0;
    for (uint i = 0; i < 3; ++i) extra += i * uint(v.position.x);
    if (distance(v.position.xy, 8) > 6) discard;
    uint pixels = WaveActiveCountBits(true);
    if (WaveIsFirstLane()) InterlockedAdd(Visible[0], pixels);
    InterlockedAdd(Visible[1], extra & 1);
    return colour;
}
";

#[test]
fn a_draw_shrinks_with_its_guard() {
    let folder = folder("draw");
    std::fs::write(folder.join("a.hlsl"), DISC).unwrap();
    let scene = ["-T", "ps_6_6", "--draw", "3", "--vertex", "corners", "--size", "16x16"];
    let bound = ["--bind", "Visible=[2]", "--set", "scale=1"];
    let of = |words: &[&str]| {
        wavelane(&folder, &[&["reduce", "a.hlsl"], &scene[..], &bound[..], words].concat())
    };
    let ran = of(&["--keep-finding", "depends-on-helpers", "-o", "small.hlsl"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let small = std::fs::read_to_string(folder.join("small.hlsl")).unwrap();
    assert!(small.contains("WaveActiveCountBits") && !small.contains("shade"), "{small}");
    let san = wavelane(&folder, &[&["san", "small.hlsl"], &scene[..], &bound[..2]].concat());
    assert!(san.out.contains("[depends-on-helpers]"), "{}{}", san.out, san.err);
    // Nothing that is undefined is asked about.
    let keep =
        "! grep -q 'V v;' {} || grep -q 'v.position = ' {} && grep -q WaveActiveCountBits {}";
    let ran = of(&["--keep", keep]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(lines(&ran.out) < 16 && ran.out.contains("SV_Position"), "{}", ran.out);
    let by = "if grep -q WaveIsFirstLane {}; then echo 'internal error 17'; fi";
    let ran = of(&["--keep-message", "error [0-9]+", "--by", by]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(lines(&ran.out) < 16 && ran.out.contains("WaveIsFirstLane"), "{}", ran.out);
    // What is not given is made up, and nothing else is told.
    let line = ["reduce", "a.hlsl", "--draw", "3", "--vertex", "corners", "--size", "16x16"];
    let ran = wavelane(&folder, &[&line[..], &["--keep", "grep -q WaveActive {}"]].concat());
    assert!(ran.err.starts_with("note: made up by --auto=1: --bind 'Visible="), "{}", ran.err);
    std::fs::write(folder.join("b.hlsl"), "float4 main() : SV_Target { return 1 + 1; }\n").unwrap();
    let line = ["reduce", "b.hlsl", "--draw", "fullscreen", "--size", "4x4"];
    let ran = wavelane(&folder, &[&line[..], &["--keep", "true"]].concat());
    assert_eq!((ran.status, ran.err.lines().count()), (0, 1), "{}", ran.err);
    for (words, status, said) in [
        (&["--keep-diff", "cpu"][..], 2, "`cpu` and `interp` agree on `a.hlsl`"),
        (&["--keep-finding", "race"], 2, "does not report `race`"),
        (&["--keep-diff", "interp:nothing"], 2, "is not a target"),
    ] {
        let ran = of(words);
        assert_eq!(ran.status, status, "{words:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
}

#[test]
fn a_mesh_shader_shrinks_in_its_draw() {
    let folder = folder("mesh");
    let text = "struct V { float4 position : SV_Position; };
RWStructuredBuffer<uint> Out;
groupshared uint words[8];
[numthreads(8, 1, 1)] [outputtopology(\"triangle\")]
void mesh(uint t : SV_GroupIndex, out vertices V verts[3], out indices uint3 corners[1]) {
    SetMeshOutputCounts(3, 1);
    words[t] = t;
    Out[t] = words[(t + 1) % 8];
    if (t < 3) verts[t].position = float4(t == 1 ? 3 : -1, t == 2 ? -3 : 1, 0, 1);
    if (t == 0) corners[0] = uint3(0, 1, 2);
}
float4 main() : SV_Target { return 1; }
";
    std::fs::write(folder.join("a.hlsl"), text).unwrap();
    let line = ["reduce", "a.hlsl", "--draw", "1", "--mesh", "mesh", "--size", "4x4"];
    let more = ["--bind", "Out=[8]", "--keep-finding", "race"];
    let ran = wavelane(&folder, &[&line[..], &more].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let is_small = !ran.out.contains("SetMeshOutputCounts") && !ran.out.contains("corners");
    assert!(ran.out.contains("words") && is_small, "{}", ran.out);
}

#[test]
fn attempts_bound_the_work_and_the_best_so_far_is_left() {
    let folder = folder("attempts");
    std::fs::write(folder.join("a.hlsl"), SUM).unwrap();
    let keep = "echo x >> ../../count; grep -q WaveActiveSum {}";
    let keep = keep.replace("../../count", &folder.join("count").display().to_string());
    let line = [
        "reduce",
        "a.hlsl",
        "--bind",
        "Out=[32]",
        "--keep",
        &keep,
        "--attempts",
        "5",
        "-o",
        "b.hlsl",
    ];
    let ran = wavelane(&folder, &line);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.err.contains("5 candidates tested") && ran.err.contains("`--attempts` ended it"));
    let count = std::fs::read_to_string(folder.join("count")).unwrap().lines().count();
    assert!((1..=6).contains(&count), "{count}");
    let small = std::fs::read_to_string(folder.join("b.hlsl")).unwrap();
    assert!(small.contains("WaveActiveSum") && small.len() <= SUM.len());
}
