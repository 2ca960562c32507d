//! The project file, folders and entry points: how `check`, `test`, `san`, `run` and `new` treat a tree of shaders.

use crate::support;

use std::path::{Path, PathBuf};

/// The status, standard output and standard error.
fn ran(line: &str, folder: &Path) -> (i32, String, String) {
    let ran = support::wavelane(folder, &support::words(line));
    (ran.status, ran.out, ran.err)
}

/// A separate folder for each test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    support::fresh_folder(&format!("project/{name}"), files)
}

/// Two entry points; each needs the macro and the header of the project.
const SCAN: &str = "#include \"count.hlsli\"
StructuredBuffer<uint> Src : register(t0);
RWStructuredBuffer<uint> Dst : register(u0);
cbuffer Params { uint Count; };
[numthreads(16, 1, 1)] void Upsweep(uint3 id : SV_DispatchThreadID) {
    if (id.x < Count) Dst[id.x] = Src[id.x] + NUM;
}
[numthreads(16, 1, 1)] void Clear(uint3 id : SV_DispatchThreadID) { Dst[id.x] = count(); }
";
const HEADER: &str = "uint count() { return NUM; }\n";
const CASES: &str = "#include <wavelane.hlsli>
#include \"count.hlsli\"
TEST_CASE(counts) { EXPECT_EQ(count(), 5u); }
";
const CONFIG: &str = "# The project.
files = [\"shaders/**/*.hlsl\", \"tests/*.hlsl\"]
defines = [\"NUM=5\"]
include = [\"inc\"]
profile = \"cs_6_6\"
wave-size = [4, 8]

[entry.Upsweep]
groups = [4, 1, 1]
bind = [\"Src=@data/src.bin\", \"Dst=u32[64]\"]
set = [\"Count=64\"]

[entry.\"shaders/scan.hlsl::Clear\"]
bind = [\"Dst=u32[16]\"]
";

fn project(name: &str) -> PathBuf {
    let folder = folder(
        name,
        &[
            ("wavelane.toml", CONFIG),
            ("shaders/scan.hlsl", SCAN),
            ("shaders/deep/er/piece.hlsl", "uint half_of(uint x) { return x / 2; }\n"),
            ("inc/count.hlsli", HEADER),
            ("tests/counts.hlsl", CASES),
            ("data/src.bin", ""),
        ],
    );
    let words: Vec<u8> = (0..64u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(folder.join("data/src.bin"), words).unwrap();
    folder
}

#[test]
fn every_command_reads_the_project_file_in_and_below_its_folder() {
    let root = project("read");
    let below = root.join("shaders/deep");
    for (here, up) in [(&root, ""), (&below, "../../")] {
        let (status, out, err) = ran("check", here);
        let expected = "3 files, 2 entry points: 2 compile, 0 do not; 1 file without an entry point; 1 file of tests, \
                        see `wavelane test`\n";
        assert_eq!((status, &*out, &*err), (0, expected, ""));
        let (status, out, err) = ran("test", here);
        assert_eq!(
            (status, &*out),
            (0, "2 passed, 0 failed, 0 unsupported; wave sizes 4, 8\n"),
            "{err}"
        );
        let (status, out, err) = ran("san", here);
        assert_eq!(status, 0, "{out}{err}");
        assert!(
            out.starts_with("3 programs in ")
                && out.ends_with(", 0 with findings, 0 not examined\n"),
            "{out}"
        );
        let (status, out, err) =
            ran(&format!("run {up}shaders/scan.hlsl -E Upsweep --print Dst"), here);
        assert!(status == 0 && out.contains("all 2 wave sizes agree"), "{out}{err}");
        assert!(out.contains("68") && !out.contains("69"), "{out}");
        let (_, _, err) = ran(&format!("check {up}shaders/scan.hlsl --verbose"), here);
        assert_eq!(err, format!("note: read `{up}wavelane.toml`\n"));
    }
    // Another folder has no project.
    let (status, _, err) = ran("check", root.parent().unwrap());
    assert!(status == 2 && err.contains("`wavelane check` needs PATH…"), "{err}");
}

#[test]
fn the_command_line_wins_over_the_project_file() {
    let root = project("wins");
    let run = |more: &str| {
        let line = format!("run shaders/scan.hlsl -E Upsweep --format json {more}");
        let (status, out, err) = ran(&line, &root);
        assert_eq!(status, 0, "{more}: {err}");
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        report
    };
    let text = |report: &serde_json::Value| report.to_string();
    assert!(text(&run("")).contains("[5,6,7,"));
    assert!(text(&run("-D NUM=100")).contains("[100,101,102,"));
    assert!(text(&run("--bind Src=u32[64]:fill(7)")).contains("[12,12,12,"));
    assert!(text(&run("--set Count=1")).contains("[5,0,0,"));
    assert!(!text(&run("--groups 1")).contains(",21,"));
    let widths = |more: &str| text(&run(more)).matches("\"wave_size\":").count();
    assert_eq!((widths(""), widths("--wave-size 16")), (2, 1));
    let (status, _, err) = ran("check shaders/scan.hlsl -E Clear --no-config", &root);
    assert!(status == 2 && err.contains("count.hlsli"), "{err}");
    let line = "check shaders/scan.hlsl --no-config -I inc -D NUM=1";
    assert_eq!(ran(line, &root).0, 0);
    // The command line of dxc is complete: nothing is added to it.
    assert_eq!(ran("dxc -T cs_6_6 -E Clear shaders/scan.hlsl", &root).0, 2);
}

#[test]
fn mistakes_in_the_project_file_have_their_line() {
    let root = project("mistakes");
    for (text, says) in [
        ("profile = \"cs_6_6\"\ndefins = []\n", "wavelane.toml:2:1: error: unknown key `defins`"),
        ("[entry.Upsweep]\nbnd = []\n", "did you mean `bind`?"),
        ("wave-size = [4, 7]\n", "wavelane.toml:1:13: error: `4,7`: a wave has a power of two"),
        (
            "files = [\"nowhere/*.hlsl\"]\n",
            "wavelane.toml:1:10: error: no file matches `nowhere/*.hlsl`",
        ),
        ("files = [\n", "wavelane.toml:"),
    ] {
        std::fs::write(root.join("wavelane.toml"), text).unwrap();
        let (status, out, err) = ran("check", &root.join("shaders"));
        assert!(status == 2 && out.is_empty() && err.contains(says), "{text}: {err}");
        assert!(err.contains("../wavelane.toml:"), "{err}");
    }
}

const FINE: &str = "RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)] void A(uint i : SV_GroupIndex) { Out[i] = i; }
[numthreads(8, 1, 1)] void B(uint i : SV_GroupIndex) { Out[i] = i * 2; }
[shader(\"pixel\")] float4 P(float4 at : SV_Position) : SV_Target { return at; }
";

#[test]
fn check_takes_folders_and_every_entry_point() {
    let wrong = FINE.replace("void B(uint i : SV_GroupIndex)", "void B(uint i : SV_GroupIndx)");
    let torn = FINE.replace("i * 2", "j * 2");
    let files = [
        ("s/fine.hlsl", FINE),
        ("s/wrong.hlsl", &wrong),
        ("s/piece.hlsl", "uint one() { return 1; }\n"),
        (
            "s/vs.hlsl",
            "float4 VSMain(float4 p : P) : SV_Position { return p; }\nfloat4 PSMain() : SV_Target { return 0; }\n",
        ),
        ("s/note.txt", "nothing\n"),
    ];
    let root = folder("folders", &files);
    let (status, out, err) = ran("check s", &root);
    assert_eq!(status, 2);
    assert_eq!(
        out,
        "4 files, 6 entry points: 5 compile, 1 does not; 2 files without an entry point\n"
    );
    assert!(
        err.contains("s/wrong.hlsl:3:")
            && err.contains("`s/wrong.hlsl::B` does not compile: 1 error"),
        "{err}"
    );
    assert!(!err.contains("::A`") && !err.contains("::P`"), "{err}");
    // A file needs no `main`, and one entry point may be chosen, or some.
    for (line, status, says) in [
        ("check s/fine.hlsl", 0, ""),
        ("check s/wrong.hlsl -E A", 0, ""),
        ("check s/wrong.hlsl -E A -E P", 2, "the profile is for compute shaders"),
        ("check s/fine.hlsl -E A -E B", 0, ""),
        ("check s/wrong.hlsl -E A -E B", 2, "s/wrong.hlsl::B"),
        ("check s -E A", 0, ""),
        ("check s -E Nothing", 2, "declares `Nothing`"),
        ("check s/fine.hlsl -T cs_6_6", 0, ""),
        ("check s/fine.hlsl -T ps_6_6", 0, ""),
        ("check s/vs.hlsl", 0, "every function is checked, as with `-T lib_6_10`"),
        ("check s/piece.hlsl s/fine.hlsl", 0, "every function is checked"),
        ("check s/note.txt", 2, "error"),
    ] {
        let (ended, _, err) = ran(line, &root);
        assert!(ended == status && err.contains(says), "{line}: {ended} {err}");
        assert!(!(says.is_empty() && status == 0) || err.is_empty(), "{line}: {err}");
    }
    // A mistake in a function concerns every entry point, and is reported once.
    std::fs::write(root.join("s/torn.hlsl"), torn).unwrap();
    let (status, out, err) = ran("check s", &root);
    assert_eq!((status, err.matches("there is no variable `j`").count()), (2, 1), "{err}");
    assert_eq!(err.matches("s/torn.hlsl::").count(), 1, "{err}");
    assert!(out.starts_with("5 files, 9 entry points: 5 compile, 4 do not;"), "{out}");
    let (_, json, _) = ran("check s/torn.hlsl --format json", &root);
    assert_eq!(json.matches("there is no variable").count(), 1, "{json}");
}

#[test]
fn san_takes_folders_and_every_entry_point() {
    let racy = "RWStructuredBuffer<uint> Out;
groupshared uint tile[64];
[numthreads(64, 1, 1)] void A(uint i : SV_GroupIndex) { Out[i] = i; }
[numthreads(64, 1, 1)] void B(uint i : SV_GroupIndex) { tile[i] = i; Out[i] = tile[63 - i]; }
[numthreads(4, 1, 1)] void C() { }
";
    let config = "[entry.A]\nbind = [\"Out=u32[64]\"]\n[entry.\"s/racy.hlsl::B\"]\nbind = [\"Out=u32[64]\"]\n";
    let files = [("s/racy.hlsl", racy), ("s/fine.hlsl", FINE), ("wavelane.toml", config)];
    let root = folder("san", &files);
    let (status, out, err) = ran("san s/racy.hlsl --wave-size 8", &root);
    assert_eq!(status, 1, "{out}{err}");
    assert!(
        out.contains("[race]") && out.contains("san s/racy.hlsl -E B") || out.contains("[race]"),
        "{out}"
    );
    assert!(
        out.ends_with(", 1 with findings, 0 not examined\n") && out.contains("3 programs in "),
        "{out}"
    );
    let (status, out, _) = ran("san s/racy.hlsl -E A -E C --wave-size 8", &root);
    assert_eq!(status, 0, "{out}");
    assert!(out.starts_with("2 programs in "), "{out}");
    let (status, out, _) = ran("san s/racy.hlsl -E A", &root);
    assert!(status == 0 && out.starts_with("no findings: "), "{out}");
    // In a folder nothing says what is bound to `B` of the other file; that is reported, but is not a mistake.
    let (status, out, _) = ran("san s --wave-size 8", &root);
    assert_eq!(status, 1, "{out}");
    let says = "unsupported: s/fine.hlsl::B: nothing is bound to `Out`; `[entry.B]` in `wavelane.toml` says what is, and `--auto` makes it up\n";
    assert!(out.contains(says), "{out}");
    assert!(out.ends_with(", 1 with findings, 1 not examined\n"), "{out}");
}

#[test]
fn a_quick_sweep_makes_few_runs_and_long_sweeps_are_announced() {
    let files = [(
        "a.hlsl",
        "RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { Out[id.x] = id.x; }
",
    )];
    let root = folder("quick", &files);
    let (_, out, err) = ran("san a.hlsl --bind Out=[64] --quick", &root);
    assert_eq!((&*out, &*err), ("no findings: 2 runs with waves of 4, 128 lanes\n", ""));
    // Few threads: nothing is worth telling.
    assert_eq!(ran("san a.hlsl --bind Out=[64]", &root).2, "");
    let (status, out, err) = ran("san a.hlsl --bind Out=[262144] --groups 4096", &root);
    assert_eq!(status, 0, "{out}{err}");
    // One run at each width proves that the order of waves cannot matter; before it, two others are planned.
    assert!(out.starts_with("no findings: 6 runs with "), "{out}");
    let note = "note: up to 18 runs of 262144 threads, at 6 widths; `--quick` makes four\n";
    assert_eq!(err, note);
}

#[test]
fn mesh_and_amplification_shaders_need_no_stage_attribute() {
    let mesh = "struct V { float4 p : SV_Position; };
[outputtopology(\"triangle\")] [numthreads(3, 1, 1)]
void MS(uint t : SV_GroupIndex, out vertices V v[3], out indices uint3 i[1]) {
    SetMeshOutputCounts(3, 1);
    v[t].p = t;
    i[0] = uint3(0, 1, 2);
}
";
    let amplification = "struct P { uint a; };
groupshared P payload;
[numthreads(1, 1, 1)] void AS() { payload.a = 1; DispatchMesh(1, 1, 1, payload); }
";
    let files = [("mesh.hlsl", mesh), ("amplification.hlsl", amplification)];
    let root = folder("stages", &files);
    let (status, out, err) = ran("check .", &root);
    let all = "2 files, 2 entry points: 2 compile, 0 do not\n";
    assert_eq!((status, &*out), (0, all), "{err}");
    let (status, _, err) = ran("check -T lib_6_6 mesh.hlsl", &root);
    assert_eq!(status, 0, "{err}");
}

#[test]
fn new_writes_a_test_that_passes_and_never_overwrites() {
    let root = project("new");
    let (status, out, err) = ran("new test shaders/scan.hlsl -E Upsweep", &root);
    assert_eq!(status, 0, "{err}");
    assert_eq!(
        out,
        "wrote `shaders/Upsweep.test`; to run it: wavelane test shaders/Upsweep.test\n"
    );
    let file = root.join("shaders/Upsweep.test");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("Entry: Upsweep") && text.contains("%S/scan.hlsl"), "{text}");
    let (status, out, err) = ran("test shaders/Upsweep.test --wave-size all", &root);
    assert_eq!(
        (status, &*out),
        (0, "6 passed, 0 failed, 0 unsupported; wave sizes 4, 8, 16, 32, 64, 128\n"),
        "{err}"
    );
    // It says itself what it needs, from wherever it is run.
    assert!(text.contains("-I %S/../inc"), "{text}");
    let (status, out, err) = ran("test Upsweep.test --no-config", &root.join("shaders"));
    assert_eq!(status, 0, "{out}{err}");
    // It guards the shader: a change is a failure.
    let changed = SCAN.replace("+ NUM", "- NUM");
    std::fs::write(root.join("shaders/scan.hlsl"), changed).unwrap();
    assert_eq!(ran("test shaders/Upsweep.test", &root).0, 1);
    let (status, _, err) = ran("new test shaders/scan.hlsl -E Upsweep", &root);
    assert!(status == 2 && err.contains("`shaders/Upsweep.test` exists already"), "{err}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    for (line, says) in [
        ("new test shaders/scan.hlsl", "`-E NAME` chooses one of Upsweep, Clear"),
        ("new tset shaders/scan.hlsl", "cannot write a `tset`, only a `test`"),
        ("new test", "needs `test FILE`"),
        ("new test shaders/nowhere.hlsl -E A", "cannot be read"),
    ] {
        let (status, out, err) = ran(line, &root);
        assert!(status == 2 && out.is_empty() && err.contains(says), "{line}: {err}");
    }
    // What a job cannot say is told in the words of the shader.
    let other = "RaytracingAccelerationStructure Scene; RWStructuredBuffer<uint> Hit;
[numthreads(1, 1, 1)] void Idle() {}
[numthreads(1, 1, 1)] void Trace() {
    RayQuery<RAY_FLAG_NONE> query; RayDesc ray = { float3(0, 0, 0), 0, float3(0, 0, 1), 1 };
    query.TraceRayInline(Scene, 0, 255, ray);
    Hit[0] = query.Proceed();
}";
    std::fs::write(root.join("other.hlsl"), other).unwrap();
    for (entry, says) in [
        ("Idle", "a job of `Idle` would check nothing: it writes nothing that remains"),
        ("Trace", "a job cannot express `Scene`, a RaytracingAccelerationStructure"),
    ] {
        let (status, out, err) = ran(&format!("new test other.hlsl -E {entry}"), &root);
        assert!(status == 3 && out.is_empty() && err.contains(says), "{entry}: {err}");
    }
    // Nothing is bound, and the result depends on the width.
    let files = [(
        "lib.hlsl",
        "StructuredBuffer<float> In;\nRWStructuredBuffer<float> Out;\nRWStructuredBuffer<uint> Same;\ncbuffer P { uint n; float2 s; };
[numthreads(32, 1, 1)] void Scan(uint i : SV_GroupIndex) { Out[i] = WavePrefixSum(In[i]) * s.y; Same[i] = n; }
",
    )];
    let other = folder("new-other", &files);
    let (status, _, err) = ran("new test lib.hlsl", &other);
    assert_eq!(status, 0, "{err}");
    let text = std::fs::read_to_string(other.join("Scan.test")).unwrap();
    assert!(text.contains("`Out` depends on the wave size"), "{text}");
    assert!(text.contains("Expected_Same") && !text.contains("Expected_Out"), "{text}");
    let (status, out, _) = ran("test Scan.test", &other);
    assert_eq!(status, 0, "{out}");
    // A job without results would pass regardless of what the shader does.
    let files = [(
        "a.hlsl",
        "RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)] void Wide(uint i : SV_GroupIndex) { Out[i] = WaveGetLaneCount(); }
[numthreads(32, 1, 1)] void Checked(uint i : SV_GroupIndex) { Out[i] = WaveGetLaneCount(); ASSERT(Out[i] > 3); }
",
    )];
    let text = format!("#include <wavelane.hlsli>\n{}", files[0].1);
    let vacuous = folder("new-vacuous", &[(files[0].0, text.as_str())]);
    let (status, out, err) = ran("new test a.hlsl -E Wide", &vacuous);
    assert!(status == 3 && out.is_empty() && err.contains("would check nothing"), "{out}{err}");
    assert!(!vacuous.join("Wide.test").exists());
    let (status, _, err) = ran("new test a.hlsl -E Checked", &vacuous);
    assert_eq!(status, 0, "{err}");
}

/// Textures of any dimensions and samplers are written with all that decides about results, such as the filter between
/// levels.
#[test]
fn new_writes_textures_and_samplers() {
    let files = [(
        "a.hlsl",
        "Texture2D<float4> Image; Texture2DArray<uint2> Layers[2]; SamplerState Smooth; SamplerComparisonState Shadow;
Texture2D<float> Depths; RWTexture3D<float> Out; RWTexture2D<uint2> Sum;
[numthreads(2, 2, 1)] void Sample(uint2 i : SV_GroupThreadID) {
    Out[uint3(i, 1)] = Image.SampleLevel(Smooth, i + 0.25, 0.5).y + Depths.SampleCmpLevelZero(Shadow, i * 0.5, 0.5);
    Sum[i] = Layers[1].Load(int4(i, 1, 0)) + Layers[0].Load(int4(i, 0, 0));
}
",
    )];
    let root = folder("new-textures", &files);
    let binds = [
        "Image=RGBA32_FLOAT[4x4 mips 3]:rand(3)",
        "Smooth=nearest mip=linear mirror",
        "Shadow=linear less",
    ];
    let words = ["new", "test", "a.hlsl"].into_iter();
    let words: Vec<&str> = words.chain(binds.iter().flat_map(|it| ["--bind", it])).collect();
    let made = support::wavelane(&root, &words);
    assert_eq!(made.status, 0, "{}", made.err);
    let text = std::fs::read_to_string(root.join("Sample.test")).unwrap();
    for part in [
        "OutputProps: { Height: 4, Width: 4, Depth: 1, MipLevels: 3 }",
        "{ Name: Smooth, MinFilter: Nearest, MagFilter: Nearest, MipFilter: Linear, Address: Mirror }",
        "{ Name: Shadow, Kind: SamplerComparison, ComparisonOp: Less, MipFilter: Linear }",
        "ArraySize: 2",
        "Kind: RWTexture2D",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (status, out, err) = ran("test Sample.test --wave-size all", &root);
    assert_eq!(status, 0, "{out}{err}");
    // Each of these decides about a result.
    for (old, new) in [
        ("MipFilter: Linear, A", "A"),
        ("Address: Mirror", "Address: Clamp"),
        (": Less", ": Greater"),
    ] {
        assert!(text.contains(old), "{old}: {text}");
        std::fs::write(root.join("Sample.test"), text.replace(old, new)).unwrap();
        let (status, out, _) = ran("test Sample.test --wave-size 4", &root);
        assert_eq!(status, 1, "{new}: {out}");
    }
    let (status, _, err) = ran("new test a.hlsl --bind Smooth=anisotropic=4", &root);
    assert!(status == 2 && err.contains("exists already"), "{err}");
    std::fs::remove_file(root.join("Sample.test")).unwrap();
    let (status, _, err) = ran("new test a.hlsl --bind Smooth=anisotropic=4", &root);
    assert!(status == 3 && err.contains("a job cannot express the anisotropic filter"), "{err}");
}

#[test]
fn unit_tests_have_buffers() {
    let text = "#include <wavelane.hlsli>
StructuredBuffer<uint> Data : register(t0);
RWStructuredBuffer<uint> Acc : register(u0);

// Sums what it gets.
//# in Data u32: 1,2,3
//# inout Acc u32[8]
TEST_CASE(sums) {
    if (test_index < 3) InterlockedAdd(Acc[0], Data[test_index]);
    GroupMemoryBarrierWithGroupSync();
    AllMemoryBarrierWithGroupSync();
    EXPECT_EQ(Acc[0], 6u);
}

//# in Data u32[8]: 0..8
//# inout Acc u32[8]: 1*8
//= Acc u32: 1..9
TEST_CASE(adds) { if (test_index < 8) Acc[test_index] += Data[test_index]; }

//# inout Acc u32[1]
//= Acc u32: 7
[test] [numthreads(4, 1, 1)] void own(uint i : SV_GroupIndex) { Acc[0] = 7; }
";
    let root = folder("units", &[("a.hlsl", text)]);
    let (status, out, _) = ran("test a.hlsl", &root);
    assert_eq!(
        (status, &*out),
        (0, "18 passed, 0 failed, 0 unsupported; wave sizes 4, 8, 16, 32, 64, 128\n")
    );
    let (status, out, err) = ran("san a.hlsl --wave-size 8", &root);
    assert!(status <= 1 && out.contains("3 programs"), "{out}{err}");
    for (from, to, status, says) in [
        (
            "//# in Data u32: 1,2,3\n",
            "",
            2,
            "a.hlsl:7:1: error: nothing is bound to `Data`, which the case uses\n",
        ),
        ("//# in Data u32: 1,2,3\n", "", 2, "//# in Data u32: 1,2,3\n"),
        (
            "in Data u32: 1",
            "in Data uint: 1",
            2,
            "a.hlsl:6:1: error: unknown element type `uint`; did you mean `u32`?",
        ),
        ("in Data u32: 1", "in Dta u32: 1", 2, "a.hlsl:6:1: error: the file has no resource `Dta`"),
        ("in Data u32: 1", "on Data u32: 1", 2, "a.hlsl:6:1: error: a case has no directive `on`"),
        (
            "//# in Data u32[8]: 0..8",
            "//# in Data u32[9]: 0..8",
            2,
            "`Data` has 9 elements, and 8 values",
        ),
        ("//= Acc u32: 1..9", "//= Acc u32: 2..10", 1, "`Acc` differs"),
        ("in Data u32: 1,2,3", "in Data u32: 1,2,4", 1, "expected 6  got 7"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        std::fs::write(root.join("b.hlsl"), changed.replace("a.hlsl", "b.hlsl")).unwrap();
        let (ended, out, _) = ran("test b.hlsl", &root);
        let says = says.replace("a.hlsl", "b.hlsl");
        assert!(out.contains(&says), "{from}: {out}");
        // Other cases of the file pass, and a file that is wrong somewhere is bad input.
        assert_eq!(ended, status, "{from}: {out}");
    }
}

#[test]
fn a_wrong_binding_in_the_project_file_is_reported_with_its_location() {
    let shader =
        "cbuffer C { uint Count; }\nStructuredBuffer<uint> Src;\nRWStructuredBuffer<uint> Dst;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Dst[i] = Src[i] + Count; }
";
    for (line, says) in [
        (
            "bind = [\"Src=u32[4]\", \"Dst=f99[4]\"]",
            "wavelane.toml:2:23: error: `--bind Dst=f99[4]`",
        ),
        ("bind = [\"Scr=u32[4]\"]", "wavelane.toml:2:9: error: the shader has no buffer `Scr`"),
        ("set = [\"Cuont=4\"]", "wavelane.toml:2:8: error: no constant buffer has a member"),
        ("counter = [\"Src=4\"]", "wavelane.toml:2:12: error: `--counter Src=4`"),
    ] {
        let text = format!("[entry.main]\n{line}\n");
        let folder = folder("blamed", &[("wavelane.toml", &*text), ("a.hlsl", shader)]);
        for command in ["run", "san"] {
            let (status, _, err) = ran(&format!("{command} a.hlsl"), &folder);
            assert_eq!(status, 2, "{line}: {err}");
            assert!(err.contains(says) && err.contains("2 | "), "{line}: {err}");
        }
    }
    // What the command line says instead is not the file's fault.
    let folder = folder("blamed", &[("wavelane.toml", "[entry.main]\nbind = [\"Dst=u32[4]\"]\n")]);
    let (status, _, err) = ran("run a.hlsl --bind Dst=f99[4]", &folder);
    assert!(status == 2 && !err.contains("wavelane.toml"), "{err}");
}
