//! A recording as a picture: a band for each wave, a row for each lane, time from left to right. One wave with few
//! steps is a table instead: a row for each step with its source, a column for each lane.
//!
//! Active lanes are filled, lanes that wait are light, and what has returned or never existed is empty. A line leads
//! from each lane that a shuffle reads to the lane that reads it; one whose value is undefined is dashed.

use std::fmt::Write;

use crate::recorder::{Recording, Wave};

const WIDTH: usize = 880;
const LEFT: usize = 96;
/// The most waves in a picture.
const MOST_WAVES: usize = 16;
/// The most steps and lanes of a table.
const MOST_ROWS: usize = 40;
const MOST_COLUMNS: u32 = 32;
/// The most characters of a line of source in a table.
const MOST_TEXT: usize = 56;
/// The narrowest step of a band in which lines of shuffles can be distinguished.
const LEAST_STEP: usize = 8;
/// An addition to the style, if there are shuffles.
const STYLE_OF_READS: &str = "<style>.r,.u{fill:none;stroke:#d9741a;stroke-width:1.2}.u{stroke:#d02f25;stroke-dasharray:3 2}\
    @media(prefers-color-scheme:dark){.r{stroke:#ffb45c}.u{stroke:#ff8a80}}</style>";
const STYLE: &str = "<style>.a{fill:#2f6fb5}.w{fill:#c7d9ee}.n{fill:#888}text{fill:#444}\
    @media(prefers-color-scheme:dark){.a{fill:#7fb4ee}.w{fill:#33475e}text{fill:#bbb}}</style>";

/// What a lane does, as the picture shows it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Active,
    Waiting,
    Gone,
}

fn state(wave: &Wave, step: usize, lane: u32) -> State {
    let Some(step) = wave.steps.get(step) else { return State::Gone };
    match (step.active.contains(lane), step.live.contains(lane)) {
        (true, _) => State::Active,
        (false, true) => State::Waiting,
        (false, false) => State::Gone,
    }
}

/// The picture. The time of all waves has one scale.
pub fn svg(recording: &Recording) -> String {
    match recording.waves.as_slice() {
        [wave] if wave.steps.len() <= MOST_ROWS && recording.program.wave_size <= MOST_COLUMNS => {
            table(recording, wave)
        }
        _ => bands(recording),
    }
}

/// A row for each step of a wave, a column for each lane.
fn table(recording: &Recording, wave: &Wave) -> String {
    const ROW: usize = 24;
    const TOP: usize = 56;
    let lanes = recording.program.wave_size as usize;
    let cell = if lanes <= 8 { 34 } else { 20 };
    let source = |step: &crate::Step| {
        let place = &recording.statements[step.statement as usize];
        let text = recording.program.files.get(place.file as usize).map_or("", |it| &it.1);
        let text = text.lines().nth(place.line.saturating_sub(1) as usize).unwrap_or("");
        (place.line, text.chars().take(MOST_TEXT).collect::<String>())
    };
    let rows: Vec<(u32, String)> = wave.steps.iter().map(source).collect();
    // The common indentation is not shown.
    let blank = |it: &(u32, String)| it.1.len() - it.1.trim_start().len();
    let margin = rows.iter().map(blank).min().unwrap_or(0);
    let longest = rows.iter().map(|it| it.1.chars().count()).max().unwrap_or(0) - margin;
    let left = 64 + longest * 8 + 24;
    let (width, height) = (left + lanes * cell + 16, TOP + rows.len() * ROW + 8);
    let title = escaped(&recording.program.name);
    let mut out = String::new();
    // A failed write to a string is not possible.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"ui-monospace, monospace\" font-size=\"13\">\n\
         <title>{title}: which of {lanes} lanes are active, statement by statement</title>\n{STYLE}\n\
         <text class=\"n\" x=\"16\" y=\"24\">line</text><text x=\"{left}\" y=\"24\">lane</text>\n"
    );
    for lane in 0..lanes {
        let x = left + lane * cell + cell / 2;
        let _ = writeln!(out, "<text x=\"{x}\" y=\"44\" text-anchor=\"middle\">{lane}</text>");
    }
    let mut paths = [String::new(), String::new()];
    let mut reads = [String::new(), String::new()];
    for (step, (line, text)) in rows.iter().enumerate() {
        let y = TOP + step * ROW;
        let text = escaped(text.get(margin..).unwrap_or(""));
        let _ = writeln!(
            out,
            "<text class=\"n\" x=\"48\" y=\"{0}\" text-anchor=\"end\">{line}</text>\
             <text x=\"64\" y=\"{0}\" xml:space=\"preserve\">{text}</text>",
            y + 15
        );
        for lane in 0..lanes {
            let path = match state(wave, step, lane as u32) {
                State::Active => &mut paths[0],
                State::Waiting => &mut paths[1],
                State::Gone => continue,
            };
            let (x, right) = (left + lane * cell + 2, cell - 4);
            let _ = write!(path, "M{x} {}h{right}v18h-{right}z", y + 1);
        }
        let middle = |lane: u32| left + lane as usize * cell + cell / 2;
        add_reads(&mut reads, wave, step, lanes as u32, |source, lane| {
            format!("M{} {}L{} {}m-3 -4l3 4l3 -4", middle(source), y + 1, middle(lane), y + 19)
        });
    }
    put(&mut out, &paths);
    put_reads(&mut out, &reads);
    out.push_str("</svg>\n");
    out
}

/// The active lanes, and those that wait.
fn put(out: &mut String, paths: &[String; 2]) {
    for (class, path) in ["a", "w"].iter().zip(paths) {
        if !path.is_empty() {
            let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
}

/// Adds a line for each lane that a shuffle of the step reads, to the defined ones or the others; `line` gives it for a
/// source and the lane that reads it.
fn add_reads(
    [defined, undefined]: &mut [String; 2],
    wave: &Wave,
    step: usize,
    width: u32,
    line: impl Fn(u32, u32) -> String,
) {
    for read in wave.reads_of(step) {
        for (lane, source) in wave.pairs(read).filter(|it| it.1 < width) {
            let path = if read.lanes.contains(source) { &mut *defined } else { &mut *undefined };
            path.push_str(&line(source, lane));
        }
    }
}

fn put_reads(out: &mut String, paths: &[String; 2]) {
    if paths.iter().any(|it| !it.is_empty()) {
        out.push_str(STYLE_OF_READS);
        out.push('\n');
    }
    for (class, path) in ["r", "u"].iter().zip(paths) {
        if !path.is_empty() {
            let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
}

fn bands(recording: &Recording) -> String {
    let lanes = recording.program.wave_size;
    let waves = &recording.waves[..recording.waves.len().min(MOST_WAVES)];
    let longest = waves.iter().map(|it| it.steps.len()).max().unwrap_or(0).max(1);
    let row = if lanes <= 32 { 4 } else { 2 };
    let band = lanes as usize * row;
    let height = 32 + waves.len() * (band + 12);
    let room = WIDTH - LEFT - 8;
    let columns = longest.min(room);
    let x = |column: usize| LEFT + column * room / columns;
    let has_room = room / longest >= LEAST_STEP;
    let mut reads = [String::new(), String::new()];
    let mut out = String::new();
    // A failed write to a string is not possible.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         font-family=\"ui-monospace, monospace\" font-size=\"11\">\n\
         <title>{}: waves of {lanes} lanes over time</title>\n\
         {STYLE}\n\
         <text x=\"8\" y=\"16\">{} \u{b7} {} \u{b7} {longest} steps</text>\n",
        escaped(&recording.program.name),
        escaped(&recording.program.name),
        escaped(&recording.program.entry),
    );
    for (number, wave) in waves.iter().enumerate() {
        let top = 28 + number * (band + 12);
        let [gx, gy, gz] = wave.group;
        let label = match recording.program.groups {
            [1, 1, 1] => format!("wave {}", wave.wave),
            _ => format!("{gx},{gy},{gz} \u{b7} {}", wave.wave),
        };
        let _ = writeln!(out, "<text x=\"8\" y=\"{}\">{label}</text>", top + band.min(12));
        let mut paths = [String::new(), String::new()];
        for lane in 0..lanes {
            let at = |column: usize| state(wave, column * longest / columns, lane);
            let mut begin = 0;
            for end in 1..=columns {
                if end < columns && at(end) == at(begin) {
                    continue;
                }
                let path = match at(begin) {
                    State::Active => Some(&mut paths[0]),
                    State::Waiting => Some(&mut paths[1]),
                    State::Gone => None,
                };
                if let Some(path) = path {
                    let (from, to) = (x(begin), x(end).max(x(begin) + 1));
                    let y = top + lane as usize * row;
                    let _ = write!(path, "M{from} {y}H{to}v{}H{from}z", row - 1);
                }
                begin = end;
            }
        }
        put(&mut out, &paths);
        if has_room {
            let middle = |lane: u32| top + lane as usize * row + row / 2;
            for step in 0..wave.steps.len() {
                let (from, to) = (x(step), x(step + 1) - 1);
                add_reads(&mut reads, wave, step, lanes, |source, lane| {
                    format!("M{from} {}L{to} {}m-3 -1l3 1l-2 -3", middle(source), middle(lane))
                });
            }
        }
    }
    put_reads(&mut out, &reads);
    if !has_room && waves.iter().any(|it| !it.reads.is_empty()) {
        let text = "what shuffles read is not drawn: the steps are too narrow";
        let _ = writeln!(out, "<text x=\"{}\" y=\"16\">{text}</text>", WIDTH / 2);
    }
    if recording.waves.len() > MOST_WAVES {
        let more = recording.waves.len() - MOST_WAVES;
        let _ = writeln!(out, "<text x=\"8\" y=\"{}\">and {more} more waves</text>", height - 2);
    }
    out.push_str("</svg>\n");
    out
}

/// Text as XML has it, on one line.
pub(crate) fn escaped(text: &str) -> String {
    diag::escaped(&text.replace(char::is_control, " "))
}
