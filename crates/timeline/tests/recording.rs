//! Recordings of whole programs: their contents, that files round-trip, and what the page's script computes from them.

use std::process::Command;

use ir::exec::{Bindings, Buffer, Launch, Schedule};
use wavelane_timeline::{
    Comparison, Difference, Finding, Location, Program, Recorder, Recording, Wave, Window, file,
    fit, json, page, svg,
};

const TEXT: &str = "RWStructuredBuffer<float> Out;
float grow(float x) {
    return x * 1.5;
}
[numthreads(12, 1, 1)]
void main(uint i : SV_GroupIndex) {
    float x = i;
    int odd = -int(i & 1);
    uint never;
    uint64_t wide = uint64_t(i) << 40 | 5;
    for (uint n = 0; n < i; n++) {
        x = grow(x) + asuint(x) % 7;
        never = never * wide;
    }
    if (odd == 0) return;
    Out[i] = x;
}";

struct Nothing;

impl hlsl::Includer for Nothing {
    fn read(&mut self, _: &str, _: &str, _: bool) -> Option<(String, std::sync::Arc<str>)> {
        None
    }
}

fn recorded(text: &str, width: u32, window: &Window) -> Recording {
    recorded_with(text, width, window, &mut Nothing)
}

fn recorded_with(
    text: &str,
    width: u32,
    window: &Window,
    includer: &mut dyn hlsl::Includer,
) -> Recording {
    recorded_beside(text, width, window, includer, None)
}

fn recorded_beside(
    text: &str,
    width: u32,
    window: &Window,
    includer: &mut dyn hlsl::Includer,
    compared: Option<(Comparison, Vec<Location>)>,
) -> Recording {
    let (module, sources) = compiled(text, includer);
    let launch = Launch::dispatch([2, 1, 1], width);
    let mut recorder = Recorder::new(&module, &sources, program(width), window, Vec::new());
    if let Some((comparison, places)) = compared {
        recorder.compare(comparison, &places);
    }
    interp::run(&module, &launch, &mut buffers(), &mut recorder).unwrap();
    recorder.finish(None)
}

fn compiled(text: &str, includer: &mut dyn hlsl::Includer) -> (ir::Module, diag::SourceMap) {
    let (mut sources, mut sink) = (diag::SourceMap::new(), diag::Sink::new());
    let main = sources.add("a.hlsl", text).unwrap();
    let options = hlsl::Options { notes: true, ..hlsl::Options::default() };
    let compiled = hlsl::compile(main, &mut sources, includer, &options, &mut sink);
    (compiled.unwrap_or_else(|| panic!("{:?}", sink.into_sorted())).module, sources)
}

fn buffers() -> Bindings {
    let buffer = Buffer { bytes: vec![0; 64].into(), ..Buffer::default() };
    Bindings { bindings: vec![vec![buffer]] }
}

fn program(width: u32) -> Program {
    Program {
        name: "a.hlsl".to_owned(),
        entry: "main".to_owned(),
        groups: [2, 1, 1],
        group_size: [12, 1, 1],
        wave_size: width,
        ..Program::default()
    }
}

/// What [`timeline::record`] makes of a program.
fn record(text: &str, width: u32, window: &str) -> Recording {
    let (module, sources) = compiled(text, &mut Nothing);
    let launch = Launch::dispatch([2, 1, 1], width);
    let window = Window::parse(window).unwrap();
    let made = program(width);
    let (recording, ended) =
        wavelane_timeline::record(&module, &sources, &launch, buffers(), made, &window, vec![]);
    ended.unwrap();
    recording
}

#[test]
fn a_window_without_waves_leaves_out_values_alone() {
    for text in [TEXT, SHUFFLES] {
        for width in [4, 8, 32] {
            let mut all = record(text, width, "");
            // Two groups, of three waves at most.
            for window in ["none", "wave=3", "group=2"] {
                let mut masks = record(text, width, window);
                assert!(masks.waves.iter().all(|it| it.values.is_empty() && it.sources.is_empty()));
                assert!(masks.complete && !masks.waves.iter().all(|it| it.steps.is_empty()));
                masks.shuffles.clear();
                for recording in [&mut all, &mut masks] {
                    for wave in recording.waves.iter_mut() {
                        wave.steps.iter_mut().for_each(|it| (it.writes, it.reads) = (0, 0));
                        *wave = Wave { steps: std::mem::take(&mut wave.steps), ..bare(wave) };
                    }
                }
                all.shuffles.clear();
                assert_eq!(all, masks, "{window}, {width} lanes");
            }
        }
    }
}

/// Waves that part, wait for each other and return, with several statements in a row, in a loop that is unrolled, too.
const MASKS: &str = "RWStructuredBuffer<uint> Out;
groupshared uint sums[12];
uint twice(uint x) {
    uint y = x;
    y += x;
    return y;
}
[numthreads(12, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint a = i;
    uint b = twice(a) + 1;
    sums[i] = b;
    [unroll] for (uint k = 0; k < 3; k++) {
        a += k;
        b ^= a;
    }
    GroupMemoryBarrierWithGroupSync();
    a = sums[11 - i];
    while (a > i) {
        a -= 3;
        b = twice(b);
        if (b & 8) break;
        b++;
        switch (a & 3) {
        case 0: b += 2; a ^= 1; break;
        case 1: a--;
        default: b--;
        }
    }
    if (i % 3 == 0) return;
    a = WaveActiveSum(b);
    b = a;
    GroupMemoryBarrierWithGroupSync();
    Out[i] = a + b + sums[i];
}";

/// A recording of active lanes alone, and what a recorder makes of the same run step by step.
fn masks(
    (module, sources): &(ir::Module, diag::SourceMap),
    launch: &Launch,
) -> ([Recording; 2], bool) {
    let none = Window::parse("none").unwrap();
    let program = program(launch.wave_width);
    let mut recorder = Recorder::new(module, sources, program.clone(), &none, Vec::new());
    let ended = interp::run(module, launch, &mut buffers(), &mut recorder);
    let steps = recorder.finish(ended.as_ref().err().map(ToString::to_string));
    let (log, other) =
        wavelane_timeline::record(module, sources, launch, buffers(), program, &none, vec![]);
    assert_eq!(ended.is_ok(), other.is_ok());
    ([log, steps], ended.is_ok())
}

#[test]
fn active_lanes_alone_are_those_of_all_steps() {
    for text in [TEXT, SHUFFLES, MASKS] {
        let compiled = compiled(text, &mut Nothing);
        for width in [4, 8, 32] {
            for schedule in [
                Schedule::Ascending,
                Schedule::Descending,
                Schedule::RoundRobin,
                Schedule::Random(width.into()),
            ] {
                let mut launch = Launch { schedule, ..Launch::dispatch([2, 1, 1], width) };
                // Wherever the fuel ends, the recording ends there.
                let stride = if schedule == Schedule::Ascending { 1 } else { 11 };
                for fuel in (0..).step_by(stride) {
                    launch.fuel = Some(fuel);
                    let ([log, steps], has_ended) = masks(&compiled, &launch);
                    assert_eq!(log, steps, "{schedule:?}, {width} lanes, {fuel}");
                    if has_ended {
                        assert_eq!(file::write(&log), file::write(&steps));
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn active_lanes_alone_have_the_limit_of_all_steps() {
    // The limit is in the third of three waves, in the middle of a basic block.
    let text = "RWStructuredBuffer<uint> Out;
[numthreads(12, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint a = i;
    for (uint n = 0; n < 220000; n++) {
        a += n;
        a ^= 5;
        a *= 3;
    }
    Out[i] = a;
    Out[i + 1] = 2;
}";
    let compiled = compiled(text, &mut Nothing);
    let spent = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let mut launch = Launch {
        fuel: Some(1 << 30),
        spent: Some(spent.clone()),
        ..Launch::dispatch([1, 1, 1], 4)
    };
    for ends in [true, false] {
        let ([log, steps], has_ended) = masks(&compiled, &launch);
        assert_eq!(has_ended, ends);
        assert!(!log.complete && log.waves[2].total > log.waves[2].steps.len() as u64);
        assert!(log == steps);
        // Beyond the limit.
        launch.fuel = Some(spent.load(std::sync::atomic::Ordering::Relaxed) / 10 * 9 + 1);
    }
}

/// A wave without its steps and values.
fn bare(wave: &Wave) -> Wave {
    Wave {
        group: wave.group,
        wave: wave.wave,
        lanes: wave.lanes,
        total: wave.total,
        ..Wave::default()
    }
}

#[test]
fn every_statement_is_a_step_with_its_lanes() {
    let recording = recorded(TEXT, 8, &Window::default());
    assert_eq!(recording.waves.len(), 4);
    let json = json::json(&recording);
    let steps = json["waves"][1]["steps"].as_array().unwrap();
    // Lanes 8 to 11: line 7 is run once, by the four lanes that exist.
    assert_eq!(steps[0], serde_json::json!({"line": 7, "active": "0x0f"}));
    let at = |line: u32| steps.iter().filter(|it| it["line"] == line).count();
    // The head of the loop is run once more than the body by the lane that iterates most.
    assert_eq!([at(7), at(11), at(12), at(3)], [1, 1 + 12, 11, 11]);
    assert_eq!(steps.last().unwrap(), &serde_json::json!({"line": 16, "active": "0x0a"}));
    assert_eq!(json["complete"], true);
    let body = recording.lines[&(0, 12)];
    assert_eq!((body.count, body.lanes), (2 * (7 + 11), 2 * (0..12).sum::<u64>()));
}

#[test]
fn values_are_those_that_lanes_write() {
    let recording = recorded(TEXT, 8, &Window::default());
    let variable = recording.variables.iter().position(|it| it.name == "n").unwrap() as u32;
    let wave = &recording.waves[0];
    let writes: Vec<_> = wave.writes.iter().filter(|it| it.variable == variable).collect();
    // Set once, then counted by the lanes that are still in the loop.
    assert_eq!(writes.len(), 1 + 7);
    assert_eq!(writes[3].lanes.0, 0b1111_1000);
    assert_eq!((3..8).map(|it| wave.value(writes[3], it)).collect::<Vec<_>>(), [Some(3); 5]);
    assert_eq!(wave.value(writes[3], 2), None);
    let never = recording.variables.iter().position(|it| it.name == "never").unwrap() as u32;
    assert!(wave.writes.iter().filter(|it| it.variable == never).all(|it| it.poison == it.lanes));
}

/// Shuffles of every form, one of them in a branch, one of a vector, one that reads lanes beyond the active ones and
/// one beyond the width.
const SHUFFLES: &str = "RWStructuredBuffer<float> Out;
[numthreads(12, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint next = WaveReadLaneAt(i, WaveGetLaneIndex() ^ 1);
    float2 pair = QuadReadAcrossDiagonal(float2(i, 2 * i));
    if (i % 3 == 0) {
        next += WaveReadLaneFirst(i) + WaveReadLaneAt(i, 3 - i % 4);
    }
    next += WaveReadLaneAt(i,
        100);
    Out[i] = next + pair.x + pair.y;
}";

/// What each shuffle of a wave's step reads: the text of the call, and for each lane that takes part its source.
fn reads(recording: &Recording, wave: usize, line: u32) -> Vec<(&str, Vec<(u32, u32)>)> {
    let wave = &recording.waves[wave];
    let is_wanted =
        |step: &usize| recording.statements[wave.steps[*step].statement as usize].line == line;
    let step = (0..wave.steps.len()).find(is_wanted).unwrap();
    let text = |number: u32| recording.shuffles[number as usize].text.as_str();
    wave.reads_of(step).iter().map(|it| (text(it.shuffle), wave.pairs(it).collect())).collect()
}

#[test]
fn shuffles_say_which_lane_each_lane_reads() {
    let recording = recorded(SHUFFLES, 8, &Window::default());
    let pairs = |f: fn(u32) -> u32, lanes: &[u32]| lanes.iter().map(|it| (*it, f(*it))).collect();
    let all: Vec<u32> = (0..8).collect();
    let first: Vec<(u32, u32)> = pairs(|it| it ^ 1, &all);
    let call = "WaveReadLaneAt(i, WaveGetLaneIndex() ^ 1)";
    assert_eq!(reads(&recording, 0, 4), [(call, first)]);
    // Two components, one read.
    let across = "QuadReadAcrossDiagonal(float2(i, 2 * i))";
    assert_eq!(reads(&recording, 0, 5), [(across, pairs(|it| it ^ 3, &all))]);
    let (few, at) = ([0, 3, 6], "WaveReadLaneAt(i, 3 - i % 4)");
    let in_branch =
        [("WaveReadLaneFirst(i)", pairs(|_| 0, &few)), (at, pairs(|it| 3 - it % 4, &few))];
    assert_eq!(reads(&recording, 0, 7), in_branch);
    assert_eq!(
        reads(&recording, 0, 9),
        [("WaveReadLaneAt(i, 100)", pairs(|_| 100, &all))],
        "a call on two lines"
    );
    // Of the second wave four lanes exist.
    assert_eq!(reads(&recording, 1, 4)[0].1, [(0, 1), (1, 0), (2, 3), (3, 2)]);
    let step = &json::json(&recording)["waves"][0]["steps"][3];
    let from = serde_json::json!([0, null, null, 0, null, null, 0, null]);
    assert_eq!(step["reads"][0], serde_json::json!({"call": "WaveReadLaneFirst(i)", "from": from}));
    // Nothing is kept outside the window.
    let narrow = recorded(SHUFFLES, 8, &Window::parse("group=1 line=5").unwrap());
    let kept: Vec<usize> = narrow.waves.iter().map(|it| it.reads.len()).collect();
    assert_eq!(kept, [0, 0, 1, 1]);
}

#[test]
fn pictures_have_a_line_for_each_lane_that_reads() {
    let mut recording = recorded(SHUFFLES, 8, &Window::default());
    let count = |picture: &str, class: &str| {
        let begin = format!("class=\"{class}\" d=\"");
        let paths = picture.split(&begin).skip(1);
        paths.map(|it| it.split('"').next().unwrap().matches('L').count()).sum::<usize>()
    };
    // In each group: eight and four lanes that read a neighbour and across the quad, in the branch 0, 3, 6 and 9 that
    // read the first and others, and no line from a lane beyond the width.
    let bands = svg::svg(&recording);
    assert_eq!(count(&bands, "r") + count(&bands, "u"), 2 * (12 + 12 + 4 + 4), "{bands}");
    recording.waves.truncate(1);
    let table = svg::svg(&recording);
    // Lane 0 reads 3 and lane 3 reads 0; lane 6 reads lane 1, which is not in the branch.
    assert_eq!([count(&table, "r"), count(&table, "u")], [8 + 8 + 3 + 2, 1], "{table}");
    assert!(!svg::svg(&recorded(TEXT, 8, &Window::default())).contains("stroke"));
    let long = SHUFFLES.replace(
        "next += WaveReadLaneAt(i,\n",
        "for (uint n = 0; n < 200; n++) next += WaveReadLaneAt(i,\n",
    );
    assert!(svg::svg(&recorded(&long, 8, &Window::default())).contains("is not drawn"));
}

#[test]
fn a_file_round_trips() {
    for (width, text) in [4, 8, 32, 128].into_iter().flat_map(|it| [(it, TEXT), (it, SHUFFLES)]) {
        let recording = recorded(text, width, &Window::default());
        let bytes = file::write(&recording);
        assert!(file::read(&bytes) == Ok(recording), "{width}");
        // Damage is noticed, or harmless; it never panics.
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let _ = file::read(&damaged);
            let _ = file::read(&bytes[..at]);
        }
    }
    assert!(file::read(b"nothing").unwrap_err().contains("not a recording"));
    let mut newer = file::write(&Recording {
        program: Program { wave_size: 4, ..Program::default() },
        ..Recording::default()
    });
    newer[6] = 9;
    assert!(file::read(&newer).unwrap_err().contains("format 9"));
}

/// What a file numbers must exist, because showing a recording looks it up.
#[test]
fn a_file_that_names_missing_entries_is_refused() {
    type Change = fn(&mut Recording);
    let changes: [(&str, Change); 13] = [
        ("statement", |it| it.waves[1].steps[3].statement = 1000),
        ("variable", |it| it.waves[0].writes[1].variable = 77),
        ("scalar", |it| it.waves[0].writes[1].scalar = 1),
        ("file", |it| it.statements[0].file = 1),
        ("scope", |it| it.statements[0].scope = 9),
        ("scope of a variable", |it| it.variables[0].scope = Some(9)),
        ("caller", |it| it.scopes[0].caller = Some(0)),
        ("lanes", |it| it.waves[0].lanes = ops::LaneMask(1 << 8)),
        ("shuffle", |it| it.waves[1].reads[0].shuffle = 9),
        ("file of a shuffle", |it| it.shuffles[0].file = 1),
        ("total", |it| it.waves[0].total = 3),
        ("wave of a finding", |it| it.findings[0].at = Some((4, 0))),
        ("step of a finding", |it| it.findings[0].at = Some((0, 1 << 20))),
    ];
    let mut recording = recorded(SHUFFLES, 8, &Window::default());
    let (code, message) = ("race".to_owned(), String::new());
    recording.findings.push(Finding { code, message, line: 1, tick: 0, at: Some((0, 0)) });
    assert!(file::read(&file::write(&recording)).is_ok());
    for (what, change) in changes {
        let mut other = recording.clone();
        change(&mut other);
        assert_eq!(
            file::read(&file::write(&other)).err().as_deref(),
            Some("the recording is damaged or incomplete"),
            "{what}"
        );
    }
}

/// Readers read files of every format there has been.
#[test]
fn a_file_of_the_first_format_is_read() {
    let bytes = include_bytes!("format1.wlrec");
    let recording = file::read(bytes).unwrap();
    assert_eq!(recording.program.entry, "main");
    assert_eq!(recording.waves.len(), 4);
    assert_eq!(
        recording.waves[1].steps.len(),
        recorded(TEXT, 8, &Window::default()).waves[1].steps.len()
    );
}

#[test]
fn a_file_of_the_second_format_is_read() {
    let recording = file::read(include_bytes!("format2.wlrec")).unwrap();
    let call = "WaveReadLaneAt(i, WaveGetLaneIndex() ^ 1)";
    assert_eq!(reads(&recording, 1, 4), [(call, vec![(0, 1), (1, 0), (2, 3), (3, 2)])]);
    assert_eq!(
        recording.waves[0].sources,
        recorded(SHUFFLES, 8, &Window::default()).waves[0].sources
    );
}

#[test]
fn a_window_keeps_its_values_alone() {
    let window = Window::parse("group=1 wave=0 line=11..12 steps=0..20").unwrap();
    let recording = recorded(TEXT, 8, &window);
    let all = recorded(TEXT, 8, &Window::default());
    assert!(
        recording.waves.iter().zip(all.waves.iter()).all(|it| it.0.steps.len() == it.1.steps.len())
    );
    let with_values: Vec<_> = recording.waves.iter().filter(|it| !it.writes.is_empty()).collect();
    assert_eq!(with_values.len(), 1);
    assert_eq!(with_values[0].group, [1, 0, 0]);
    assert!(with_values[0].writes.len() < all.waves[2].writes.len());
}

#[test]
fn lines_of_a_window_are_those_of_the_main_file() {
    struct Lib;
    impl hlsl::Includer for Lib {
        fn read(&mut self, path: &str, _: &str, _: bool) -> Option<(String, std::sync::Arc<str>)> {
            let text = "uint one(uint x) {\n    uint y = x + 1;\n    return y;\n}\n";
            (path == "lib.hlsl").then(|| (path.to_owned(), text.into()))
        }
    }
    let text = "#include \"lib.hlsl\"\nRWStructuredBuffer<float> Out;\n[numthreads(12, 1, 1)]\n\
        void main(uint i : SV_GroupIndex) {\n    uint z = one(i);\n    Out[i] = z;\n}\n";
    let names = |window: &str| {
        let window = Window::parse(window).unwrap();
        let recording = recorded_with(text, 8, &window, &mut Lib);
        let wave = &recording.waves[0];
        let written = wave.writes[wave.early_writes().len()..].iter();
        let names = written.map(|it| recording.variables[it.variable as usize].name.clone());
        names.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(names("steps=0..100"), ["x", "y", "z"]);
    // Line 2 of the included file is not line 2 of this one.
    assert_eq!(names("line=2"), [""; 0]);
}

#[test]
fn a_picture_has_a_band_for_each_wave() {
    let picture = svg::svg(&recorded(TEXT, 8, &Window::default()));
    assert_eq!(picture.matches("class=\"a\"").count(), 4);
    assert!(picture.contains("0,0,0 \u{b7} 1") && picture.starts_with("<svg "));
}

#[test]
fn a_picture_of_one_wave_with_few_steps_has_its_source() {
    let text = "RWStructuredBuffer<float> Out;\n[numthreads(6, 1, 1)]\n\
        void main(uint i : SV_GroupIndex) {\n    uint x = 1;\n    if (i < 2)\n        x = 2;\n    Out[i] = x;\n}\n";
    let mut recording = recorded(text, 8, &Window::default());
    recording.waves.truncate(1);
    let picture = svg::svg(&recording);
    assert!(
        picture.contains(">    x = 2;</text>") && picture.contains(">if (i &lt; 2)</text>"),
        "{picture}"
    );
    // Six lanes in three statements, and two in one where four wait; the two that never existed are empty.
    let cells = |class: &str| {
        let path = picture.split(&format!("class=\"{class}\" d=\"")).nth(1).unwrap();
        path.split('"').next().unwrap().matches('M').count()
    };
    assert_eq!([cells("a"), cells("w")], [3 * 6 + 2, 4]);
}

/// A recording with differences from another engine: at the first four bytes, at bytes that only lanes 5 write, at two
/// that no lane writes, and at a counter that does not exist.
fn compared() -> Recording {
    let places = vec![
        Location::Bytes(0, 0, 0..4),
        Location::Bytes(0, 0, 20..24),
        Location::Bytes(0, 0, 62..64),
        Location::Counter(0),
    ];
    let difference = |place: &str| Difference {
        place: place.to_owned(),
        here: "1".to_owned(),
        there: "2".to_owned(),
        ..Difference::default()
    };
    let names = ["Out[0]", "Out[5]", "Out[15]", "Out counter"];
    let differences = names.map(difference).into();
    let comparison = Comparison { engine: "other".to_owned(), count: 7, differences };
    let text = SHUFFLES.replace("    Out[i] =", "    Out[0] = 7;\n    Out[i] =");
    let compared = Some((comparison, places));
    recorded_beside(&text, 8, &Window::default(), &mut Nothing, compared)
}

#[test]
fn differences_from_another_engine_have_the_lanes_that_wrote_them() {
    let recording = compared();
    let comparison = recording.comparison.as_ref().unwrap();
    let writers: Vec<_> = comparison.differences.iter().map(|it| it.writer).collect();
    // All lanes write the first element; of the last wave, which has four lanes, the last one does so last.
    assert_eq!(writers, [Some((3, 11)), Some((5, 12)), None, None]);
    let at: Vec<_> = comparison.differences.iter().map(|it| it.at).collect();
    let line = |(wave, step): (u32, u32)| {
        let statement = recording.waves[wave as usize].steps[step as usize].statement;
        (wave, recording.statements[statement as usize].line)
    };
    assert_eq!(at.iter().flatten().map(|it| line(*it)).collect::<Vec<_>>(), [(3, 11), (2, 12)]);
    assert!(file::read(&file::write(&recording)) == Ok(recording.clone()));
    let data = &json::json(&recording)["comparison"];
    assert_eq!((&data["engine"], &data["count"]), (&"other".into(), &7.into()));
    let wanted = serde_json::json!({
        "place": "Out[5]", "here": "1", "there": "2", "rounding": false, "lane": 5, "line": 12,
        "wave": 2, "step": at[1].unwrap().1,
    });
    assert_eq!(data["differences"][1], wanted);
    assert!(json::json(&recorded(TEXT, 8, &Window::default())).get("comparison").is_none());
    // What does not exist is refused, and what a limit drops is not pointed at.
    let mut other = recording.clone();
    other.comparison.as_mut().unwrap().differences[0].at = Some((9, 0));
    assert!(file::read(&file::write(&other)).is_err());
    let mut small = recording.clone();
    let most = file::write(&recording).len() / 2;
    fit(&mut small, most, &|it| {
        if it.waves[0].steps.len() > 1 { vec![0; most + 1] } else { vec![] }
    })
    .unwrap();
    assert!(small.comparison.unwrap().differences.iter().all(|it| it.at.is_none()));
}

#[test]
fn a_page_fetches_nothing() {
    let page = page::page(&recorded(&TEXT.replace("never", "a_b"), 8, &Window::default()));
    assert!(page.contains("default-src 'none'"));
    for word in ["http://", "https://", "fetch(", "import(", "src="] {
        assert!(!page.replace("script-src", "").contains(word), "{word}");
    }
}

/// The script of the page computes the same states and values as the recording holds.
#[test]
fn the_script_of_the_page_agrees() {
    if Command::new("node").arg("--version").output().is_err() {
        skipped::skipped!("there is no `node` to run the page's script");
        return;
    }
    let folder = std::env::temp_dir().join(format!("wavelane-timeline-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("core.js"), page::CORE).unwrap();
    std::fs::write(
        folder.join("drive.js"),
        "const t = require('./core.js'); const fs = require('fs');
        t.decode(new Uint8Array(fs.readFileSync(process.argv[2]))).then((r) => {
          const out = [];
          for (const w of r.waves) for (let s = 0; s < w.length; s++) {
            // Back and forth, so that states are not only found in order.
            if (s % 5 === 0) w.stateAt((s * 7) % w.length);
            const rows = t.rowsAt(r, w, s).map((it) => it.name + '=' + t.lanesOf(it.written).map((l) =>
              t.has(it.poison, l) ? '?' : t.format(it.values[l], it.type)).join(','));
            const lanes = Array.from({ length: r.width }, (_, l) => w.laneAt(s, l).state[0]).join('');
            const reads = w.readsAt(s).map((it) => r.shuffles[it.shuffle][3] + '=' +
              it.pairs.map((p) => p.lane + '<' + p.from + (p.isDefined ? '' : '?')).join(','));
            out.push([t.lineAt(r, w, s), t.mask(w.activeAt(s), r.width), lanes, ...rows, ...reads].join(' '));
          }
          out.push('half ' + t.format(0x3e00, 'f16') + ' ' + t.format(0x8000, 'f16') + ' ' + t.format(0xffffffffffffffffn, 'i64') + ' ' + t.format(0x3dcccccd, 'f32') + ' ' + t.format(1, 'bool') + ' ' + t.format(255, 'u32', 'hexadecimal'));
          console.log(out.join('\\n'));
        });",
    )
    .unwrap();
    for (width, text) in [(8, TEXT), (64, TEXT), (8, SHUFFLES), (32, SHUFFLES)] {
        let recording = recorded(text, width, &Window::default());
        let input = folder.join("a.wlrec");
        std::fs::write(&input, file::write(&recording)).unwrap();
        let output =
            Command::new("node").arg(folder.join("drive.js")).arg(&input).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.pop(), Some("half 1.5 -0 -1 0.1 true 0x000000ff"));
        assert_eq!(lines, wanted(&recording));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What the script prints, from the recording itself: every write in order.
fn wanted(recording: &Recording) -> Vec<String> {
    let width = recording.program.wave_size;
    let mut lines = Vec::new();
    for wave in recording.waves.iter() {
        let mut rows = std::collections::BTreeMap::new();
        for (number, step) in wave.steps.iter().enumerate() {
            let begin = if number == 0 { 0 } else { wave.steps[number - 1].writes as usize };
            for write in &wave.writes[begin..step.writes as usize] {
                let row: &mut Vec<Option<String>> = rows
                    .entry((write.variable, write.scalar))
                    .or_insert_with(|| vec![None; width as usize]);
                let ty =
                    recording.variables[write.variable as usize].scalars[write.scalar as usize].1;
                for lane in write.lanes.iter() {
                    let bits = wave.value(write, lane).unwrap();
                    row[lane as usize] = Some(match ty {
                        _ if write.poison.contains(lane) => "?".to_owned(),
                        ir::HostScalar::F32 => f32::from_bits(bits as u32).to_string(),
                        ir::HostScalar::I32 => (bits as i32).to_string(),
                        _ => bits.to_string(),
                    });
                }
            }
            let mut scopes = Vec::new();
            let place = &recording.statements[step.statement as usize];
            let mut scope = Some(place.scope);
            while let Some(it) = scope {
                scopes.push(it);
                scope = recording.scopes[it as usize].caller;
            }
            let mut shown: Vec<(usize, u32, u32, String)> = Vec::new();
            for ((variable, scalar), row) in &rows {
                let data = &recording.variables[*variable as usize];
                let Some(depth) = scopes.iter().position(|it| data.scope == Some(*it)) else {
                    continue;
                };
                let values: Vec<&str> = row.iter().flatten().map(String::as_str).collect();
                let name = format!("{}{}", data.name, data.scalars[*scalar as usize].0);
                shown.push((depth, *variable, *scalar, format!("{name}={}", values.join(","))));
            }
            shown.sort();
            let lanes: String = (0..width)
                .map(|lane| match () {
                    () if !wave.lanes.contains(lane) => 'a',
                    () if step.active.contains(lane) => 'a',
                    () if step.live.contains(lane) => 'w',
                    () => 'r',
                })
                .collect();
            let mut words = vec![place.line.to_string(), json::mask(step.active, width), lanes];
            words.extend(shown.into_iter().map(|it| it.3));
            for read in wave.reads_of(number) {
                let pair = |(lane, source): (u32, u32)| {
                    let mark = if read.lanes.contains(source) { "" } else { "?" };
                    format!("{lane}<{source}{mark}")
                };
                let pairs: Vec<String> = wave.pairs(read).map(pair).collect();
                let call = &recording.shuffles[read.shuffle as usize].text;
                words.push(format!("{call}={}", pairs.join(",")));
            }
            lines.push(words.join(" "));
        }
    }
    lines
}
