//! `wavelane trace` and `wavelane timeline` on the built program.

use crate::support;

use std::path::PathBuf;

use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    support::folder::<&str>(&format!("seeing/{name}"), &[])
}

/// Status, standard output and standard error of `wavelane` in a separate folder that holds `a.hlsl`.
fn wavelane(name: &str, shader: &str, words: &[&str]) -> (i32, String, String) {
    let folder = support::folder(&format!("seeing/{name}"), &[("a.hlsl", shader)]);
    let ran = support::wavelane(&folder, words);
    let text = |text: String| text.replace("\r\n", "\n");
    (ran.status, text(ran.out), text(ran.err))
}

const SHADER: &str = "RWStructuredBuffer<uint> Out;

[numthreads(12, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = WavePrefixSum(i);
    uint unset;
    if (i & 1) {
        sum += 100;
        unset = sum;
    }
    Out[i] = sum + unset;
}
";
const BIND: [&str; 4] = ["--bind", "Out=u32[12]", "--wave-size", "8"];

fn with<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, &BIND].concat()
}

#[test]
fn a_trace_has_a_row_for_each_statement_and_values_below() {
    let (status, out, err) = wavelane("trace", SHADER, &with(&["trace", "a.hlsl"]));
    assert_eq!(status, 0, "{err}");
    let wanted = "\
wave 0 of group (0, 0, 0): 8 lanes
  step  line  active      statement, and what it gives to lanes
     0     5  [########]  uint sum = WavePrefixSum(i);
                          sum =  0  0  1  3  6 10 15 21
           6  [########]  uint unset;
                          unset = ? ? ? ? ? ? ? ?
     1     7  [########]  if (i & 1) {
     2     8  [.#.#.#.#]  sum += 100;
                          sum =   · 100   · 103   · 110   · 121
     3     9  [.#.#.#.#]  unset = sum;
                          unset =   · 100   · 103   · 110   · 121
     4    11  [########]  Out[i] = sum + unset;
";
    assert_eq!(out, wanted);
}

#[test]
fn a_trace_says_which_lane_each_lane_reads() {
    let shader = "RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint next = WaveReadLaneAt(i, i ^ 1);
    if (i & 2) {
        next += WaveReadLaneFirst(i) + WaveReadLaneAt(i, 7 - i);
    }
    Out[i] = next;
}
";
    let words = ["trace", "a.hlsl", "--bind", "Out=u32[8]", "--wave-size", "8", "--lines", "4..6"];
    let (status, out, err) = wavelane("reads", shader, &words);
    assert_eq!(status, 0, "{err}");
    let wanted = "\
wave 0 of group (0, 0, 0): 8 lanes
  step  line  active      statement, and what it gives to lanes
     0     4  [########]  uint next = WaveReadLaneAt(i, i ^ 1);
                          WaveReadLaneAt(i, i ^ 1) reads lane 1 0 3 2 5 4 7 6
                          next = 1 0 3 2 5 4 7 6
     1     5  [########]  if (i & 2) {
     2     6  [..##..##]  next += WaveReadLaneFirst(i) + WaveReadLaneAt(i, 7 - i);
                          WaveReadLaneFirst(i) reads lane · · 2 2 · · 2 2
                          WaveReadLaneAt(i, 7 - i) reads lane  ·  · 5? 4?  ·  · 1? 0?
                          next = · · ? ? · · ? ?
";
    assert_eq!(out, wanted);
}

#[test]
fn a_trace_shows_values_below_the_line_that_sets_them() {
    let shader = "RWStructuredBuffer<uint> Out;
uint twice(uint x) {
    x += x;
    return x;
}
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint a = twice(i) + WaveReadLaneFirst(i);
    for (uint k = 0; k < 1; k++) {
        a++;
    }
    Out[i] = a;
}
";
    let words = ["trace", "a.hlsl", "--bind", "Out=u32[4]", "--wave-size", "4"];
    let (status, out, err) = wavelane("places", shader, &words);
    assert_eq!(status, 0, "{err}");
    let wanted = "\
wave 0 of group (0, 0, 0): 4 lanes
  step  line  active  statement, and what it gives to lanes
     0     8  [####]  uint a = twice(i) + WaveReadLaneFirst(i);
                      x = 0 1 2 3
     1     3  [####]  x += x;
                      x = 0 2 4 6
     2     4  [####]  return x;
           8  [####]  uint a = twice(i) + WaveReadLaneFirst(i);
                      WaveReadLaneFirst(i) reads lane 0 0 0 0
                      a = 0 2 4 6
     3     9  [####]  for (uint k = 0; k < 1; k++) {
                      k = 0 0 0 0
     4     9  [####]  for (uint k = 0; k < 1; k++) {
     5    10  [####]  a++;
                      a = 1 3 5 7
           9  [####]  for (uint k = 0; k < 1; k++) {
                      k = 1 1 1 1
     6     9  [####]  for (uint k = 0; k < 1; k++) {
     7    12  [####]  Out[i] = a;
";
    assert_eq!(out, wanted);
    // Such a line is chosen as any other.
    let (_, out, _) = wavelane("places", shader, &[&words[..], &["--lines", "8"]].concat());
    assert!(out.contains("a = 0 2 4 6") && !out.contains("return"), "{out}");
}

#[test]
fn lines_lanes_and_waves_are_chosen() {
    let words =
        ["trace", "a.hlsl", "--lines", "8..9", "--lanes", "0..1,3", "--window", "wave=0..1"];
    let (status, out, err) = wavelane("chosen", SHADER, &with(&words));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("sum =   · 100 103\n"), "{out}");
    assert!(out.contains("wave 1 of group (0, 0, 0): 4 lanes"), "{out}");
    assert!(out.contains("[.#.#    ]"), "{out}");
    assert_eq!(out.matches("sum += 100").count(), 2, "{out}");
    assert!(!out.contains("Out[i]"), "{out}");
}

#[test]
fn a_trace_ends_with_its_window_of_steps() {
    let endless = "RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint k = 0;
    if (i >= 4) return;
    while (Out[0] == 0) {
        k++;
    }
}
";
    // Wave 1 returns before the window ends.
    let window = "wave=0..1 steps=2..4";
    let bound = ["--bind", "Out=u32[1]", "--wave-size", "4"];
    let words = [&["trace", "a.hlsl", "--window", window][..], &bound].concat();
    let (status, out, err) = wavelane("endless", endless, &words);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let wave = out.split("wave 1 of group").next().unwrap();
    let rows: Vec<&str> = wave.lines().filter(|it| it.contains('[')).collect();
    assert_eq!(rows.len(), 3, "{out}");
    // What the last statement gives to a variable is there.
    assert!(rows[1].ends_with("k++;") && out.contains("k = 1 1 1 1\n"), "{out}");
    // Without a window of steps the run goes on to its end.
    let words = [&["trace", "a.hlsl", "--fuel", "5000"][..], &bound].concat();
    let (status, _, err) = wavelane("endless", endless, &words);
    assert!(status == 1 && err.contains("the fuel of 5000"), "{err}");
}

fn engine<'a>(file: &'a str, engine: &'a str) -> Vec<&'a str> {
    vec!["timeline", "a.hlsl", "-o", file, "--with-engine", engine]
}

#[test]
fn another_engine_is_compared() {
    let words = with(&engine("run.json", "interp:vulkan1.3"));
    let (status, _, err) = wavelane("engine", SHADER, &words);
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("`interp:vulkan1.3` leaves the same values"), "{err}");
    let steps = std::fs::read(folder("engine").join("run.json")).unwrap();
    let steps: Value = serde_json::from_slice(&steps).unwrap();
    let wanted = serde_json::json!({"engine": "interp:vulkan1.3", "count": 0, "differences": []});
    assert_eq!(steps["comparison"], wanted);
    let (status, _, err) = wavelane("engine", SHADER, &with(&engine("run.html", "interp:least")));
    assert_eq!(status, 0, "{err}");
    let page = std::fs::read_to_string(folder("engine").join("run.html")).unwrap();
    assert!(page.contains("id=\"comparison\""), "the page has a place for it");
    // A run that does not end leaves nothing to compare.
    let endless = "RWStructuredBuffer<uint> Out; [numthreads(4, 1, 1)] void main() {
        while (Out[0] == 0) {}
    }";
    let mut words = engine("run.html", "interp:least");
    words.extend(["--bind", "Out=u32[4]", "--fuel", "2000"]);
    let (status, _, err) = wavelane("engine-endless", endless, &words);
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("the fuel of 2000") && !err.contains("leaves"), "{err}");
}

#[test]
fn requests_that_cannot_be_shown_are_refused() {
    for (words, wanted) in [
        (vec!["trace", "a.hlsl", "--lanes", "8"], "there is no lane 8"),
        (vec!["trace", "a.hlsl", "--lines", "x"], "`x` is not a number"),
        (vec!["trace", "a.hlsl", "--window", "wave=7"], "a wave or a group that does not run"),
        (vec!["trace", "a.hlsl", "--window", "time=7"], "`time` is not a part of a window"),
        (vec!["trace", "a.hlsl", "--window", "group=1,0,0"], "a wave or a group that does not run"),
        (
            vec!["timeline", "a.hlsl", "-o", "run.html", "--window", "group=1,0,0"],
            "a wave or a group that does not run",
        ),
        (vec!["timeline", "a.hlsl"], "needs a file to write"),
        (vec!["timeline", "a.hlsl", "-o", "run.txt"], "has an unknown ending; expected `.html`"),
        (vec!["timeline", "a.hlsl", "-o", "no/such/run.html"], "cannot be written"),
        (vec!["timeline", "a.hlsl", "-o", "run.html", "--limit", "100"], "the program alone takes"),
        (vec!["timeline", "a.hlsl", "-o", "run.html", "--limit", "1GB"], "KiB or MiB"),
        (engine("run.html", "interp"), "`interp` is the engine that is recorded"),
        (engine("run.html", "cpu,vulkan"), "takes one engine"),
        (engine("run.html", "gpu"), "`gpu` is not an engine"),
        (engine("run.svg", "cpu"), "an `.svg` does not show what `--with-engine` compares"),
    ] {
        let (status, _, err) = wavelane("wrong", SHADER, &with(&words));
        assert_eq!(status, 2, "{words:?}: {err}");
        assert!(err.contains(wanted), "{words:?}: {err}");
    }
    let words = ["trace", "a.hlsl", "--bind", "Out=u32[12]", "--wave-size", "4,8"];
    let (status, _, err) = wavelane("wrong", SHADER, &words);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("one wave size"), "{err}");
    let (status, _, err) = wavelane("broken", "void main( {}", &with(&["trace", "a.hlsl"]));
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("a.hlsl:1:"), "{err}");
}

#[test]
fn a_run_that_does_not_end_is_shown_as_far_as_it_got() {
    let endless =
        "RWStructuredBuffer<uint> Out; [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
        uint n = 0;
        while (Out[0] == 0) n++;
        Out[i] = n;
    }";
    let words = ["trace", "a.hlsl", "--bind", "Out=u32[4]", "--fuel", "2000"];
    let (status, out, err) = wavelane("endless", endless, &words);
    assert_eq!(status, 1, "{err}");
    assert!(out.contains("while (Out[0] == 0) n++;"), "{out}");
    assert!(err.contains("the fuel of 2000 wave-instructions is spent"), "{err}");
    let bounds = ["--bind", "Out=u32[4]", "--timeout", "0.05", "--fuel", "none"];
    for words in [&["trace", "a.hlsl"][..], &["timeline", "a.hlsl", "-o", "run.html"]] {
        let (status, _, err) = wavelane("endless", endless, &[words, &bounds].concat());
        assert_eq!(status, 1, "{err}");
        assert!(err.contains("the time of 0.05 s is spent"), "{err}");
    }
}

#[test]
fn a_timeline_is_a_page_a_picture_steps_or_a_recording() {
    let write = |file: &str| {
        let (status, out, err) =
            wavelane("timeline", SHADER, &with(&["timeline", "a.hlsl", "-o", file]));
        assert_eq!((status, out.as_str()), (0, ""), "{err}");
        std::fs::read(folder("timeline").join(file)).unwrap()
    };
    let page = String::from_utf8(write("run.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<canvas"));
    assert!(!page.contains("http://") && !page.contains("https://"));
    let steps: Value = serde_json::from_slice(&write("run.json")).unwrap();
    assert_eq!(steps["wave_size"], 8);
    assert_eq!(steps["complete"], true);
    assert_eq!(steps["waves"][1]["steps"][2], serde_json::json!({"line": 8, "active": "0x0a"}));
    let picture = String::from_utf8(write("run.svg")).unwrap();
    assert!(picture.starts_with("<svg "));
    let recording = timeline::file::read(&write("run.wlrec")).unwrap();
    assert_eq!(recording.program.name, "a.hlsl");
    // What is read before it is set: the finding is at the statement that reads it.
    let finding = &recording.findings[0];
    assert_eq!((finding.code.as_str(), finding.at), ("uninitialized-value", Some((0, 4))));
}

#[test]
fn a_recording_is_read_and_written_in_every_form() {
    let name = "recording";
    let (status, _, err) = wavelane(name, SHADER, &with(&["timeline", "a.hlsl", "-o", "a.wlrec"]));
    assert_eq!(status, 0, "{err}");
    for ending in ["html", "svg", "json", "wlrec"] {
        let [direct, again] = [format!("direct.{ending}"), format!("again.{ending}")];
        wavelane(name, SHADER, &with(&["timeline", "a.hlsl", "-o", &direct]));
        let (status, out, err) = wavelane(name, SHADER, &["timeline", "a.wlrec", "-o", &again]);
        assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""), "{ending}");
        let [direct, again] = [direct, again].map(|it| std::fs::read(folder(name).join(it)));
        assert!(direct.unwrap() == again.unwrap(), "{ending}");
    }
    let whole = std::fs::read(folder(name).join("a.wlrec")).unwrap();
    for (bytes, wanted) in [
        (&b"float4 main() {}"[..], "this is not a recording of wavelane"),
        (b"", "this is not a recording of wavelane"),
        (&whole[..whole.len() - 1], "the recording is damaged or incomplete"),
        (&whole[..9], "the recording is damaged or incomplete"),
    ] {
        std::fs::write(folder(name).join("b.wlrec"), bytes).unwrap();
        let (status, _, err) = wavelane(name, SHADER, &["timeline", "b.wlrec", "-o", "b.html"]);
        assert_eq!(status, 2, "{err}");
        assert!(err.contains(wanted) && err.contains("`b.wlrec`"), "{err}");
    }
    for (words, wanted) in [
        (&["timeline", "none.wlrec", "-o", "b.html"][..], "`none.wlrec` cannot be read"),
        (&["timeline", "a.wlrec", "-o", "b.html", "--bind", "Out=[4]"], "`--bind` has no effect"),
        (&["timeline", "a.wlrec", "-o", "b.html", "--with-engine", "cpu"], "has no effect"),
    ] {
        let (status, _, err) = wavelane(name, SHADER, words);
        assert_eq!(status, 2, "{err}");
        assert!(err.contains(wanted), "{err}");
    }
}

#[test]
fn a_limit_leaves_out_values_and_then_steps_and_says_so() {
    let long =
        "RWStructuredBuffer<uint> Out; [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {
        uint hash = i;
        for (uint n = 0; n < 20000; n++) { hash = hash * 1664525 + 1013904223; }
        Out[i] = hash;
    }";
    let run = |limit: &str, file: &str| {
        let words = ["timeline", "a.hlsl", "--bind", "Out=u32[32]", "--limit", limit, "-o", file];
        let (status, _, err) = wavelane("limit", long, &words);
        assert_eq!(status, 0, "{err}");
        (std::fs::read(folder("limit").join(file)).unwrap().len(), err)
    };
    let (bytes, err) = run("1MiB", "a.html");
    assert!(bytes <= 1 << 20, "{bytes}");
    assert!(err.contains("not all values were kept") && err.contains("--window"), "{err}");
    let (bytes, err) = run("800", "a.wlrec");
    assert!(bytes <= 800, "{bytes}");
    assert!(err.contains("not all steps were kept") && err.contains("--limit"), "{err}");
}

#[test]
fn the_sanitizer_writes_a_page_for_each_finding() {
    let pages = folder("san").join("pages");
    let _ = std::fs::remove_dir_all(&pages);
    let words = ["san", "a.hlsl", "--bind", "Out=u32[12]", "--timeline", "pages"];
    let (status, _, err) = wavelane("san", SHADER, &words);
    assert_eq!(status, 1, "{err}");
    let mut names: Vec<String> = std::fs::read_dir(&pages)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.iter().any(|it| it.starts_with("uninitialized-value")), "{names:?}");
    assert!(names.iter().all(|it| it.ends_with(".html")), "{names:?}");
}

/// A section of two tests, of which one fails at each width, and a shader that reads what it has not written.
const TESTS: &str = "//--- right
//# zero Out 16
//= Out u32: 0 1 2 3
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) { Out[t] = t; }

//--- wrong
//# zero Out 16
//= Out u32: 1 1 1 1
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint unset;
    if (t > 1) unset = 1;
    Out[t] = unset;
}
";

fn pages(name: &str) -> Vec<String> {
    let all = std::fs::read_dir(folder(name).join("pages")).unwrap();
    let mut names: Vec<String> =
        all.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn failed_tests_have_pages() {
    let _ = std::fs::remove_dir_all(folder("failures").join("pages"));
    let words = ["test", "a.hlsl", "--wave-size", "4,8", "--timeline", "pages"];
    let (status, out, err) = wavelane("failures", TESTS, &words);
    assert_eq!(status, 1, "{out}{err}");
    assert_eq!(pages("failures"), ["a.hlsl-wrong-wave4.html", "a.hlsl-wrong-wave8.html"]);
    // What has no page is reported once, regardless of the widths.
    let idle = "#include <wavelane.hlsli>\nTEST_CASE(idle) {}";
    let (_, _, err) = wavelane("idle", idle, &words);
    assert_eq!(err, "note: `a.hlsl::idle` runs nothing that `--timeline` could record\n");
    let page = std::fs::read(folder("failures").join("pages/a.hlsl-wrong-wave8.html")).unwrap();
    assert!(page.starts_with(b"<!doctype html>"));
    let (status, _, err) =
        wavelane("failures", TESTS, &["test", "a.hlsl", "--timeline", "a.hlsl/no"]);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("cannot be created"), "{err}");
}

#[test]
fn findings_in_tests_have_pages() {
    let _ = std::fs::remove_dir_all(folder("findings").join("pages"));
    let words = ["san", "a.hlsl", "--wave-size", "8", "--timeline", "pages"];
    let (status, out, err) = wavelane("findings", TESTS, &words);
    assert_eq!(status, 1, "{out}{err}");
    let names = pages("findings");
    assert!(!names.is_empty(), "{out}{err}");
    for name in names {
        assert!(name.starts_with("a.hlsl-wrong-") && name.ends_with("-wave8.html"), "{name}");
    }
}

#[test]
fn a_run_is_written_as_a_configuration_for_editors() {
    let words = [
        "run",
        "a.hlsl",
        "--groups",
        "2,1",
        "--wave-size=8",
        "--bind",
        "Out=u32[12]",
        "-DN=1",
        "-E",
        "main",
        "-HV",
        "2021",
        "--debug",
    ];
    let (status, out, err) = wavelane("configuration", SHADER, &words);
    assert_eq!(status, 0, "{err}");
    let configuration: Value = serde_json::from_str(&out).unwrap();
    let wanted = serde_json::json!({
        "type": "wavelane", "request": "launch", "name": "a.hlsl", "program": "a.hlsl",
        "groups": [2, 1], "waveSize": 8, "bind": ["Out=u32[12]"], "defines": ["N=1"],
        "entry": "main", "flags": ["-HV", "2021"], "stopOnEntry": true,
    });
    assert_eq!(configuration, wanted);
    let (status, _, err) = wavelane("configuration", TESTS, &["run", "a.hlsl::right", "--debug"]);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("`--debug` is for dispatches of a shader"), "{err}");
}
