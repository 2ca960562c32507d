//! Recordings of whole programs: what is in them, that files give back what was written, and what the page's script
//! makes of them.
#![allow(clippy::print_stdout, reason = "says what was skipped")]

use std::process::Command;

use ir::exec::{Bindings, Buffer, Launch};
use wavelane_timeline::{Finding, Program, Recorder, Recording, Window, file, json, page, svg};

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
    let (mut sources, mut sink) = (diag::SourceMap::new(), diag::Sink::new());
    let main = sources.add("a.hlsl", text).unwrap();
    let options = hlsl::Options { notes: true, ..hlsl::Options::default() };
    let compiled = hlsl::compile(main, &mut sources, includer, &options, &mut sink);
    let module = compiled.unwrap_or_else(|| panic!("{:?}", sink.into_sorted())).module;
    let launch = Launch::dispatch([2, 1, 1], width);
    let buffer = Buffer { bytes: vec![0; 64].into(), ..Buffer::default() };
    let mut bindings = Bindings { bindings: vec![vec![buffer]] };
    let program = Program {
        name: "a.hlsl".to_owned(),
        entry: "main".to_owned(),
        groups: [2, 1, 1],
        group_size: [12, 1, 1],
        wave_size: width,
        ..Program::default()
    };
    let mut recorder = Recorder::new(&module, &sources, program, window, Vec::new());
    interp::run(&module, &launch, &mut bindings, &mut recorder).unwrap();
    recorder.finish(None)
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

#[test]
fn a_file_gives_back_what_was_written() {
    for width in [4, 8, 32, 128] {
        let recording = recorded(TEXT, width, &Window::default());
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
fn a_file_that_names_what_it_does_not_have_is_refused() {
    type Change = fn(&mut Recording);
    let changes: [(&str, Change); 11] = [
        ("statement", |it| it.waves[1].steps[3].statement = 1000),
        ("variable", |it| it.waves[0].writes[1].variable = 77),
        ("scalar", |it| it.waves[0].writes[1].scalar = 1),
        ("file", |it| it.statements[0].file = 1),
        ("scope", |it| it.statements[0].scope = 9),
        ("scope of a variable", |it| it.variables[0].scope = Some(9)),
        ("caller", |it| it.scopes[0].caller = Some(0)),
        ("lanes", |it| it.waves[0].lanes = ops::LaneMask(1 << 8)),
        ("total", |it| it.waves[0].total = 3),
        ("wave of a finding", |it| it.findings[0].at = Some((4, 0))),
        ("step of a finding", |it| it.findings[0].at = Some((0, 1 << 20))),
    ];
    let mut recording = recorded(TEXT, 8, &Window::default());
    let (code, message) = ("race".to_owned(), String::new());
    recording.findings.push(Finding { code, message, line: 1, tick: 0, at: Some((0, 0)) });
    assert!(file::read(&file::write(&recording)).is_ok());
    for (what, change) in changes {
        let mut other = recording.clone();
        change(&mut other);
        assert_eq!(
            file::read(&file::write(&other)).err().as_deref(),
            Some("the recording is damaged"),
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
fn a_window_keeps_its_values_alone() {
    let window = Window::parse("group=1 wave=0 line=11..12 steps=0..20").unwrap();
    let recording = recorded(TEXT, 8, &window);
    let all = recorded(TEXT, 8, &Window::default());
    assert!(recording.waves.iter().zip(&all.waves).all(|it| it.0.steps.len() == it.1.steps.len()));
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
        println!("skipped: there is no `node` to run the page's script");
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
            out.push([t.lineAt(r, w, s), t.mask(w.activeAt(s), r.width), lanes, ...rows].join(' '));
          }
          out.push('half ' + t.format(0x3e00, 'f16') + ' ' + t.format(0x8000, 'f16') + ' ' + t.format(0xffffffffffffffffn, 'i64') + ' ' + t.format(0x3dcccccd, 'f32') + ' ' + t.format(1, 'bool') + ' ' + t.format(255, 'u32', 'hexadecimal'));
          console.log(out.join('\\n'));
        });",
    )
    .unwrap();
    for width in [8, 64] {
        let recording = recorded(TEXT, width, &Window::default());
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
    for wave in &recording.waves {
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
            lines.push(words.join(" "));
        }
    }
    lines
}
