//! `wavelane test` as its users meet it: our own jobs pass, failures show what a person needs, reports can be joined.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::Output;

use support::root;

fn wavelane(words: &[&str], folder: &Path) -> Output {
    support::command(folder, words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A separate folder for each test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    support::fresh_folder(&format!("jobs/{name}"), files)
}

const WRONG: &str = "#include <wavelane.hlsli>
TEST_CASE(right) { EXPECT(true); }
TEST_CASE(wrong) {
    uint lane = WaveGetLaneIndex();
    EXPECT_EQ(WavePrefixSum(1u), lane < 3 ? lane : 7);
}
TEST_CASE(empty) {}
";

const ENDLESS: &str = "#include <wavelane.hlsli>
RWStructuredBuffer<uint> Flag : register(u7);
TEST_CASE(endless) {
    uint i = 1;
    while (i != 0) i = wavelane_log[1] == 77 ? 0 : i + 2;
    EXPECT(true);
}
TEST_CASE(fine) { EXPECT(true); }
";

/// The verdicts of the cases of a text at waves of 4 lanes: the output, which names those that fail.
fn tested(name: &str, cases: &str) -> String {
    let file = format!("#include <wavelane.hlsli>\n{cases}");
    let folder = folder(name, &[("a.hlsl", &file)]);
    let output = wavelane(&["test", "a.hlsl", "--wave-size", "4,32"], &folder);
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn a_check_of_a_vector_needs_all_its_components() {
    let shown = tested(
        "components",
        "TEST_CASE(vector) { EXPECT(bool2(true, false)); }
TEST_CASE(matrix) { EXPECT(bool2x2(true, true, true, false)); }
TEST_CASE(number) { EXPECT(int3(1, 0, 2)); }
TEST_CASE(right) { EXPECT(bool2(true, true)); EXPECT(true); EXPECT(2u); EXPECT(int3(1, 2, 3)); EXPECT(0.5l); }
",
    );
    for case in ["vector", "matrix", "number"] {
        assert!(shown.contains(&format!("FAIL: a.hlsl::{case} ")), "{case}: {shown}");
    }
    assert!(!shown.contains("::right") && shown.contains("2 passed, 6 failed"), "{shown}");
}

/// The difference of equal infinities is a NaN, so that component is equal, and the other one near.
#[test]
fn components_are_compared_one_by_one() {
    let shown = tested(
        "near",
        "static const float big = 1.0 / 0.0;
TEST_CASE(right) {
    EXPECT_NEAR(float2(big, 1.05), float2(big, 1), 0.1);
    EXPECT_NEAR(float2(big, 1.05), float2(big, 1), float2(0, 0.1));
    EXPECT_NEAR(-big, -big, 0);
    EXPECT_NEAR(1.5l, 1.25l, 0.25);
}
TEST_CASE(far) { EXPECT_NEAR(float2(big, 1.05), float2(big, 2), 0.1); }
TEST_CASE(signs) { EXPECT_NEAR(float2(big, 1), float2(-big, 1), 0.1); }
TEST_CASE(unordered) { EXPECT_NEAR(float2(big - big, 1), float2(big - big, 1), 0.1); }
",
    );
    for case in ["far", "signs", "unordered"] {
        assert!(shown.contains(&format!("FAIL: a.hlsl::{case} ")), "{case}: {shown}");
    }
    assert!(!shown.contains("::right") && shown.contains("2 passed, 6 failed"), "{shown}");
}

#[test]
fn a_check_that_does_not_compile_names_its_own_line() {
    let shown = tested(
        "shapes",
        "TEST_CASE(shapes) {
    EXPECT_EQ(float3(1, 2, 3), float2(1, 2));
}
",
    );
    assert!(shown.contains("error: `float2` cannot be cast to `float3`"), "{shown}");
    assert!(shown.contains("a.hlsl:3:5"), "{shown}");
    assert!(shown.contains("    EXPECT_EQ(float3(1, 2, 3), float2(1, 2));\n"), "{shown}");
    assert!(shown.contains("`wavelane_eq<float3, float2>` is used here"), "{shown}");
}

#[test]
fn checks_in_one_line_are_reported_separately() {
    let shown = tested(
        "one-line",
        "TEST_CASE(two) {
    uint lane = WaveGetLaneIndex();
    EXPECT(lane != 3); EXPECT(test_index != 7);
}
",
    );
    assert!(shown.contains("line 4 not as expected"), "{shown}");
    let rows: Vec<&str> = shown.lines().filter(|it| it.contains("expected true")).collect();
    let expected = [
        "    lane 3 of every wave  expected true  got false",
        "    lane 3  expected true  got false",
        "    lane 3 of every wave  expected true  got false",
        "    lane 7  expected true  got false",
    ];
    assert_eq!(rows, expected, "{shown}");
}

#[test]
fn our_own_jobs_pass_at_every_width() {
    for profile in ["directx", "vulkan", "wavelane"] {
        let words = ["test", "suite/jobs", "--wave-size", "all", "--profile", profile];
        let output = wavelane(&words, &root());
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{shown}{}", text(&output.stderr));
        let last = shown.lines().last().unwrap_or("");
        assert!(last.contains(" passed, 0 failed, ") && !last.starts_with("0 "), "{last}");
    }
}

#[test]
fn a_failure_shows_case_line_lanes_values_and_how_to_run_it_again() {
    let folder = folder("failure", &[("wrong.hlsl", WRONG)]);
    let output = wavelane(&["test", "wrong.hlsl", "--wave-size", "4,8"], &folder);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    for part in [
        "FAIL: wrong.hlsl::wrong with waves of 8 lanes\n",
        "wrong.hlsl:5: EXPECT_EQ(WavePrefixSum(1u), lane < 3 ? lane : 7);\n",
        "lane 3 of every wave  expected 7  got 3\n",
        "again: wavelane test wrong.hlsl::wrong --wave-size 8\n",
        "FAIL: wrong.hlsl::empty with waves of 4, 8 lanes\n  the case checks nothing\n",
        "\n2 passed, 4 failed, 0 unsupported; wave sizes 4, 8\n",
    ] {
        assert!(shown.contains(part), "{part}\nis not in\n{shown}");
    }
    let again = wavelane(&["test", "wrong.hlsl::right"], &folder);
    assert_eq!(
        text(&again.stdout),
        "6 passed, 0 failed, 0 unsupported; wave sizes 4, 8, 16, 32, 64, 128\n"
    );
    let github =
        wavelane(&["test", "wrong.hlsl::wrong", "--wave-size", "4", "--format", "github"], &folder);
    assert!(text(&github.stdout).starts_with("::error file=wrong.hlsl,line=5,"));
}

#[test]
fn a_wrong_job_is_reported_with_its_location() {
    let good = std::fs::read_to_string(root().join("suite/jobs/waves.test")).unwrap();
    let bad = good.replacen("Format: UInt32", "Fromat: UInt32", 1);
    let folder =
        folder("wrong", &[("bad.test", &bad), ("sum.test", &good.replacen("192", "193", 1))]);
    let output = wavelane(&["test", "bad.test"], &folder);
    let shown = text(&output.stdout);
    assert!(shown.contains("bad.test:30:5: error: unknown key `Fromat`\n"), "{shown}");
    assert!(shown.contains("did you mean `Format`?"), "{shown}");
    let output = wavelane(&["test", "sum.test"], &folder);
    let shown = text(&output.stdout);
    assert!(shown.contains("Sums not as expected\n"), "{shown}");
    assert!(shown.contains("    Total[0]  expected 193  got 192\n"), "{shown}");
    let output = wavelane(&["test", "nothing.test"], &folder);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn jobs_are_measured_with_what_they_bind_on_every_engine() {
    let bench = |words: &[&str]| {
        let words: Vec<&str> = ["bench"].iter().chain(words).copied().collect();
        let output = wavelane(&words, &root());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let runs = |words: &[&str]| -> Vec<(String, u64, Vec<u64>)> {
        let (status, out, err) = bench(&[words, &["--rounds", "2", "--format", "json"]].concat());
        assert_eq!(status, Some(0), "{out}{err}");
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let of = |bench: &serde_json::Value| {
            assert!(bench["front_end_ms"]["median"].as_f64().unwrap() > 0.0, "{bench}");
            let rows = bench["runs"].as_array().unwrap().iter();
            let widths = rows.map(|row| {
                assert!(row["run_ms"]["median"].as_f64().unwrap() > 0.0, "{row}");
                assert_eq!(row["run_ms"]["rounds"], 2);
                row["wave_size"].as_u64().unwrap()
            });
            let name = bench["file"].as_str().unwrap().to_owned();
            (name, bench["bound_bytes"].as_u64().unwrap(), widths.collect())
        };
        report["benches"].as_array().unwrap().iter().map(of).collect()
    };
    for engine in ["interp", "cpu"] {
        if engine == "cpu" && bench(&["suite/jobs/waves.test", "--engine", "cpu"]).0 == Some(3) {
            continue;
        }
        let words = ["suite/jobs/waves.test", "--engine", engine, "--wave-size", "8,64"];
        let all = runs(&[&words[..], &["suite/jobs/push.test"]].concat());
        let names: Vec<&str> = all.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names, ["suite/jobs/waves.test", "suite/jobs/push.test"]);
        assert!(all.iter().all(|it| it.1 > 0 && it.2 == [8, 64]), "{all:?}");
    }
    let yaml = runs(&["suite/jobs/beside/job.yaml"]);
    assert_eq!((yaml.len(), yaml[0].1 > 0, &yaml[0].2), (1, true, &vec![16]));
    // One case of a file.
    let cases = std::fs::read_to_string(root().join("suite/jobs/unit.hlsl")).unwrap();
    let (first, _) = cases.split_once("TEST_CASE(").unwrap().1.split_once(')').unwrap();
    let one = runs(&[&format!("suite/jobs/unit.hlsl::{first}"), "--wave-size", "16"]);
    assert_eq!(one.len(), 1);
    assert_eq!(
        (one[0].0.as_str(), &one[0].2),
        (&*format!("suite/jobs/unit.hlsl::{first}"), &vec![16])
    );

    let waves = std::fs::read_to_string(root().join("suite/jobs/waves.test")).unwrap();
    let wrong = [
        (
            "bad.test",
            waves.replacen("Format: UInt32", "Fromat: UInt32", 1),
            2,
            "unknown key `Fromat`",
        ),
        (
            "text.test",
            waves.replacen("RWStructuredBuffer", "RWStructuredBufer", 1),
            2,
            "RWStructuredBufer",
        ),
        (
            "fails.test",
            waves.replacen("# RUN: %offloader", "# RUN: not %offloader", 1),
            3,
            "nothing in it runs",
        ),
    ];
    for (file, of_test, status, says) in &wrong {
        let folder = folder("bench", &[(file, of_test)]);
        let output = wavelane(&["bench", file], &folder);
        let err = text(&output.stderr);
        assert!(output.status.code() == Some(*status) && err.contains(says), "{file}: {err}");
    }
    let flags = bench(&["suite/jobs/waves.test", "--bind", "A=u32[4]"]);
    assert!(flags.0 == Some(2) && flags.2.contains("`--bind` is for shaders"), "{}", flags.2);
    let widths = bench(&["suite/jobs/waves.test", "--wave-size", "4", "--caps", "lanes=8..16"]);
    assert!(widths.0 == Some(3) && widths.2.contains("it runs only with waves of"), "{}", widths.2);
    let other = bench(&["suite/jobs/beside/job.yaml", "--wave-size", "8,64"]);
    assert!(other.0 == Some(3) && other.2.contains("only with waves of 16 lanes"), "{}", other.2);
    let fuel = bench(&["suite/jobs/waves.test", "--fuel", "1"]);
    assert!(fuel.0 == Some(1) && fuel.2.contains("the fuel of 1 "), "{}", fuel.2);
}

#[test]
fn parts_that_do_not_fit_together_are_named() {
    let heap = std::fs::read_to_string(root().join("suite/jobs/heap.test")).unwrap();
    let waves = std::fs::read_to_string(root().join("suite/jobs/waves.test")).unwrap();
    let cases = [
        // Where the flag stands, and which.
        (waves.replacen("-T cs_", "--frob -T cs_", 1), "error: there is no flag `--frob`\n"),
        (
            waves.replacen("Entry: main", "Entry: mian", 1),
            "the job runs `mian`, but `main` was compiled",
        ),
        (
            heap.replacen("Kind: StructuredBuffer", "Kind: ByteAddressBuffer", 1),
            "is a `ByteAddressBuffer` at index 2 of the descriptor heap",
        ),
    ];
    for (text_of_test, part) in &cases {
        let folder = folder("unfit", &[("a.test", text_of_test)]);
        let output = wavelane(&["test", "a.test"], &folder);
        let shown = text(&output.stdout);
        assert!(shown.contains(part), "{part}\nis not in\n{shown}");
        // A file with a flag that does not exist is wrong, as one with a key that does not exist.
        let status = if part.contains("--frob") { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(status), "{shown}");
    }
    let folder = folder("fit", &[("a.test", &waves), ("a.yaml", "Shaders:\n")]);
    for (words, part) in [
        (
            &["run", "a.test", "--bind", "A=u32[4]"][..],
            "`--bind` is for shaders, and `a.test` is a job",
        ),
        (&["test", "a.yaml"], "a job has lines `Shaders:`, `Buffers:` and `DescriptorSets:`"),
    ] {
        let output = wavelane(words, &folder);
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(2));
    }
    let output = wavelane(&["run", "a.test", "--format", "json"], &folder);
    let line = text(&output.stdout).lines().next().unwrap_or("").to_owned();
    assert!(line.starts_with("{\"buffers\":{\"Input\":[3,"), "{line}");
    assert!(line.contains("\"Total\":[192,192]") && line.contains("\"command\":"), "{line}");
}

#[test]
fn a_time_limit_ends_a_job_of_run_too() {
    let folder = folder("endless-run", &[("endless.hlsl", ENDLESS)]);
    let words = ["run", "endless.hlsl::endless", "--timeout", "0.5", "--fuel", "none"];
    let output = wavelane(&words, &folder);
    let shown = text(&output.stdout);
    assert!(shown.contains("it did not end within 0.5 s"), "{shown}");
    assert!(shown.contains("again: wavelane run endless.hlsl::endless"), "{shown}");
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_folder_that_links_to_itself_is_walked_once() {
    let waves = std::fs::read_to_string(root().join("suite/jobs/waves.test")).unwrap();
    let folder = folder("circle", &[("a.test", &waves)]);
    let link = folder.join("self");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    let shown = text(&wavelane(&["test", "."], &folder).stdout);
    assert_eq!(
        shown.lines().last(),
        Some("6 passed, 0 failed, 0 unsupported; wave sizes 4, 8, 16, 32, 64, 128")
    );
}

#[test]
fn a_test_that_never_ends_fails_alone() {
    let folder = folder("endless", &[("endless.hlsl", ENDLESS)]);
    let words =
        ["test", "endless.hlsl", "--wave-size", "4,8", "--timeout", "0.5", "--fuel", "none"];
    let output = wavelane(&words, &folder);
    let shown = text(&output.stdout);
    assert!(shown.contains("FAIL: endless.hlsl::endless with waves of 4, 8 lanes\n"), "{shown}");
    assert!(shown.contains("it did not end within 0.5 s"), "{shown}");
    assert!(!shown.contains("signal"), "{shown}");
    assert!(shown.ends_with("2 passed, 2 failed, 0 unsupported; wave sizes 4, 8\n"), "{shown}");
    let words = ["test", "endless.hlsl", "--wave-size", "4", "--fuel", "10000"];
    let shown = text(&wavelane(&words, &folder).stdout);
    assert!(shown.contains("the fuel is spent"), "{shown}");
}

#[test]
fn a_test_that_can_never_end_does_not_use_up_its_time() {
    let folder = folder("stuck", &[("stuck.hlsl", &ENDLESS.replace("i + 2", "1"))]);
    let words = ["test", "stuck.hlsl", "--wave-size", "4", "--fuel", "none"];
    let shown = text(&wavelane(&words, &folder).stdout);
    assert!(shown.contains("or loops for ever"), "{shown}");
    assert!(shown.ends_with("1 passed, 1 failed, 0 unsupported; wave size 4\n"), "{shown}");
}

#[test]
fn what_waits_for_ever_on_purpose_is_left_to_the_sanitizer() {
    let words = ["test", "suite/san/endless-wait.hlsl", "--wave-size", "4"];
    let shown = text(&wavelane(&words, &root()).stdout);
    assert!(shown.contains("only the sanitizer can check it; use `wavelane san`"), "{shown}");
    assert!(shown.contains(" passed, 0 failed, "), "{shown}");
}

/// A report without times, the one thing that differs between two runs.
fn timeless(report: &str) -> String {
    let mut left = String::new();
    let mut rest = report;
    let marks = ["\"seconds\":", "\"started\":\"", " time=\"", " timestamp=\""];
    while let Some((at, mark)) =
        marks.iter().filter_map(|it| Some((rest.find(it)?, *it))).min_by_key(|it| it.0)
    {
        left.push_str(&rest[..at + mark.len()]);
        rest = rest[at + mark.len()..].trim_start_matches(|it: char| !",}\"".contains(it));
    }
    left + rest
}

#[test]
fn parts_of_a_run_join_to_the_report_of_the_whole() {
    let folder = folder("merge", &[("a.hlsl", WRONG), ("b.hlsl", ENDLESS)]);
    let run = |more: &[&str]| {
        let words = ["test", ".", "--wave-size", "4,16", "--format", "json", "--fuel", "10000"];
        text(&wavelane(&[&words[..], more].concat(), &folder).stdout)
    };
    let whole = run(&["--jobs", "1"]);
    let parts: Vec<String> =
        ["hash:1/3", "hash:2/3", "hash:3/3"].map(|it| run(&["--partition", it])).to_vec();
    let names = ["1.jsonl", "2.jsonl", "3.jsonl"];
    for (name, part) in names.iter().zip(&parts) {
        // What runs a test again does not name the part.
        assert!(!part.contains("--partition"), "{part}");
        std::fs::write(folder.join(name), part).unwrap();
    }
    std::fs::write(folder.join("whole.jsonl"), &whole).unwrap();
    let merge = |names: &[&str], format: &str| {
        let words = [&["merge"], names, &["--format", format]].concat();
        let output = wavelane(&words, &folder);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        timeless(&text(&output.stdout))
    };
    for format in ["json", "junit", "sarif", "github", "text"] {
        assert_eq!(merge(&names, format), merge(&["whole.jsonl"], format), "{format}");
    }
    assert!(
        merge(&names, "text").ends_with("4 passed, 6 failed, 0 unsupported; wave sizes 4, 16\n")
    );
    let count = run(&["--partition", "count:1/2"]).lines().count();
    assert!(count > 1 && count < whole.lines().count());
}

#[test]
fn known_failures_do_not_fail_a_run() {
    let folder = folder("baseline", &[("a.hlsl", WRONG)]);
    let words = ["test", "a.hlsl", "--wave-size", "4", "--write-baseline", "known.txt"];
    assert_eq!(wavelane(&words, &folder).status.code(), Some(1));
    let words = ["test", "a.hlsl", "--wave-size", "4", "--baseline", "known.txt"];
    let output = wavelane(&words, &folder);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.contains("known failure: a.hlsl::empty"), "{shown}");
    assert!(shown.ends_with(
        "2 of the failures are known\n1 passed, 2 failed, 0 unsupported; wave size 4\n"
    ));
}

#[test]
fn an_unsupported_test_does_not_pass() {
    let only = "#--- end\n# REQUIRES: Metal\n# RUN: split-file %s %t\n";
    let folder = folder("unsupported", &[("a.test", only)]);
    let output = wavelane(&["test", "a.test"], &folder);
    assert_eq!(output.status.code(), Some(3));
    let expected =
        "unsupported: it requires `Metal`\n  a.test\n0 passed, 0 failed, 1 unsupported\n";
    assert_eq!(text(&output.stdout), expected);
    let features = text(&wavelane(&["test", "--features"], &folder).stdout);
    assert!(features.lines().any(|it| it == "WaveSize_128"), "{features}");
    let listed = text(&wavelane(&["test", "--list", "a.test"], &folder).stdout);
    assert_eq!(listed, "a.test\n");
}

#[test]
fn dxc_command_lines_are_taken() {
    let shader = "RWStructuredBuffer<uint> Out; [numthreads(4,1,1)] void CS(uint i : SV_GroupIndex) { Out[i] = X; }";
    let folder = folder("dxc", &[("a.hlsl", shader), ("args.rsp", "/T cs_6_5 -E CS\n-D \"X=7\"")]);
    let words =
        ["dxc", "@args.rsp", "-Fo", "a.dxil", "-Zi", "-fspv-reflect", "-fnew-flag", "a.hlsl"];
    let output = wavelane(&words, &folder);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("`-fnew-flag` is not known")
            && said.contains("`-Fo a.dxil` cannot be written"),
        "{said}"
    );
    // What build scripts pass, in both spellings: none of it is a reason to stop.
    let script = "/nologo /T cs_6_5 -E CS -all_resources_bound /Gis -Qpdb_in_private -opt-disable gvn \
        -rootsig-define RS -validator-version 1.6 -auto-binding-space 1 -fvk-bind-resource-heap 0 1 \
        -fspv-max-id 100 -denorm preserve /Fi a.i -MF a.d -exports CS -Od -Zpr -HV 2021 -D X=7 a.hlsl";
    let words: Vec<&str> = ["dxc"].into_iter().chain(script.split_whitespace()).collect();
    let output = wavelane(&words, &folder);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(folder.join("a.i").exists() && folder.join("a.d").exists());
    let output = wavelane(&["dxc", "/T", "cs_6_5", "/E", "CS", "a.hlsl"], &folder);
    assert_eq!(output.status.code(), Some(2));
}

const SECTIONS: &str = "//--- good\n//# zero Out 64\n//# widths 4 8\nRWStructuredBuffer<uint> Out;\n\
    [numthreads(WIDTH, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = i; }\n//= Out u32: 0..4\n\
    //--- bad\n//# zero Out 64\nRWStructuredBuffer<uint> Out;\n\
    [numthreads(WIDTH, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = i; }\n//= Out u32: 7\n\
    //--- wrong\n[numthreads(4, 1, 1)] void main() { uint x = y; } //~ error[unknown-name]\n";

#[test]
fn sections_are_tests_and_their_expectations_count() {
    let folder =
        folder("sections", &[("s.hlsl", SECTIONS), ("torn.hlsl", "//--- a\n//# no such line\n")]);
    let good = wavelane(&["test", "s.hlsl::good"], &folder);
    assert_eq!(text(&good.stdout), "2 passed, 0 failed, 0 unsupported; wave sizes 4, 8\n");
    let all = wavelane(&["test", "s.hlsl", "--wave-size", "8"], &folder);
    assert_eq!(all.status.code(), Some(1));
    let said = text(&all.stdout);
    assert!(
        said.contains("`Out` differs")
            && said.ends_with("2 passed, 1 failed, 0 unsupported; wave size 8\n"),
        "{said}"
    );
    let torn = wavelane(&["test", "torn.hlsl"], &folder);
    assert!(text(&torn.stdout).contains("torn.hlsl:2: unknown directive `no`"));
}

#[test]
fn a_job_runs_as_a_test_and_shows_its_buffers() {
    let job =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../suite/jobs/push.test"));
    let folder = folder("run-job", &[("a.test", &job.unwrap())]);
    let output = wavelane(&["run", "a.test", "--wave-size", "4,8"], &folder);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("# waves of 8 lanes") && said.contains("Data:            [ 1, 0, 3, 4 ]"),
        "{said}"
    );
    assert!(said.ends_with("2 passed, 0 failed, 0 unsupported; wave sizes 4, 8\n"), "{said}");
}

#[test]
fn flags_without_effect_are_refused() {
    let job =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../suite/jobs/push.test"));
    let shader = "RWStructuredBuffer<uint> Out; [numthreads(4,1,1)] void main(uint i : SV_GroupIndex) { Out[i] = i; }";
    let pixel = "float4 main(float4 at : SV_Position) : SV_Target { return at; }";
    let cases = "#include <wavelane.hlsli>\nTEST_CASE(one) { EXPECT_EQ(1u, 1u); }\n";
    let job = job.unwrap();
    let files = [("a.test", &*job), ("a.hlsl", shader), ("p.hlsl", pixel), ("u.hlsl", cases)];
    let folder = folder("effects", &files);
    for (subject, flags) in [
        (
            "run a.hlsl --bind Out=[4]",
            &[
                "--size 4x4",
                "--vertex VS",
                "--mesh MS",
                "--target RGBA8_UNORM",
                "--blend alpha",
                "--depth less",
                "--samples 4",
                "--packing device",
                "--overlay quads",
                "--raster Cull:Back",
                "--golden .",
                "--profile vulkan",
                "--device 0",
                "--cpu avx2 --engine interp",
                "--threads 2 --engine interp",
                "-o a.png",
            ][..],
        ),
        (
            "run p.hlsl --draw fullscreen --size 4x4",
            &[
                "--groups 2",
                "--lane-order morton",
                "--schedule descending",
                "--golden .",
                "--debug",
            ],
        ),
        (
            "run a.test",
            &[
                "--groups 2",
                "--bind A=[4]",
                "--auto",
                "--size 4x4",
                "--samples 4",
                "-E main",
                "--bindings",
                "--debug",
                "--print Data",
                "-D A=1",
                "-T cs_6_6",
                "-HV 2021",
                "--debugging",
                "--device 0",
            ],
        ),
        ("run u.hlsl::one", &["-E other", "--bindings", "--overlay quads", "--groups 2"]),
        ("san a.hlsl --bind Out=[4]", &["--size 4x4", "--samples 4"]),
        ("san p.hlsl --draw fullscreen --size 4x4", &["--groups 2", "--schedule descending"]),
        ("bench a.hlsl --bind Out=[4]", &["--size 4x4", "--packing device", "--device 0"]),
        ("test a.test", &["--device 0", "--threads 2 --engine interp"]),
    ] {
        for flag in flags {
            let line = format!("{subject} {flag}");
            let output = wavelane(&line.split(' ').collect::<Vec<_>>(), &folder);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{line}: {said}");
            let name = flag.split(' ').next().unwrap();
            assert!(said.contains(&format!("`{name}` ")), "{line}: {said}");
        }
        let output = wavelane(&subject.split(' ').collect::<Vec<_>>(), &folder);
        assert_eq!(output.status.code(), Some(0), "{subject}: {}", text(&output.stderr));
    }
    // They count for cases, which do not say how they are compiled.
    for flag in ["-D ZZ=1", "-T cs_6_6", "--debugging", "--profile vulkan"] {
        let line = format!("run u.hlsl::one {flag}");
        let output = wavelane(&line.split(' ').collect::<Vec<_>>(), &folder);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
    }
}

#[test]
fn plain_buffers_of_a_job_are_written_as_arrays() {
    let job =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../suite/jobs/push.test"));
    let folder = folder("npy", &[("a.test", &job.unwrap())]);
    let output = wavelane(&["run", "a.test", "--wave-size", "4", "--out", "Out=o.npy"], &folder);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let file = std::fs::read(folder.join("o.npy")).unwrap();
    let (head, numbers) = file.split_at(file.len() - 16);
    let head = String::from_utf8_lossy(head);
    assert!(head.contains("NUMPY") && head.contains("4'") && head.contains("(4,)"), "{head}");
    let numbers: Vec<u8> = numbers.iter().copied().step_by(4).collect();
    assert_eq!(numbers, [1, 0, 3, 4]);
    let output = wavelane(&["run", "a.test", "--wave-size", "4", "--out", "Out[1]=o.npy"], &folder);
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("no `Out[1]`"), "{said}");
}

#[test]
fn a_job_given_to_a_command_for_shaders_is_called_a_job() {
    let job =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../suite/jobs/push.test"));
    let folder = folder("no-shader", &[("a.test", &job.unwrap())]);
    for line in [
        "check a.test",
        "dxc -T cs_6_6 a.test",
        "emit --ir a.test",
        "trace a.test",
        "timeline a.test -o o.html",
        "reduce a.test --keep true",
    ] {
        let output = wavelane(&line.split(' ').collect::<Vec<_>>(), &folder);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(
            said.starts_with("error: `a.test` is a job, and this command takes a shader"),
            "{said}"
        );
        assert!(said.contains("`wavelane run`, `test`"), "{said}");
        assert!(!said.contains("directive"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn an_endless_file_is_refused_quickly() {
    let shader = "RWStructuredBuffer<uint> Out; [numthreads(4,1,1)] void main(uint i : SV_GroupIndex) { Out[i] = i; }";
    let folder = folder("endless-input", &[("a.hlsl", shader)]);
    let output = wavelane(&["run", "a.hlsl", "--bind", "Out=@/dev/zero"], &folder);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is not a regular file and did not end within 64 MiB"));
}
