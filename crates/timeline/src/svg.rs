//! A recording as a picture: a band for each wave, a row for each lane, time from left to right.
//!
//! Active lanes are filled, lanes that wait are light, and what has returned or never existed is empty.

use std::fmt::Write;

use crate::recorder::{Recording, Wave};

const WIDTH: usize = 880;
const LEFT: usize = 96;
/// The most waves in a picture.
const MOST_WAVES: usize = 16;

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
    let lanes = recording.program.wave_size;
    let waves = &recording.waves[..recording.waves.len().min(MOST_WAVES)];
    let longest = waves.iter().map(|it| it.steps.len()).max().unwrap_or(0).max(1);
    let row = if lanes <= 32 { 4 } else { 2 };
    let band = lanes as usize * row;
    let height = 32 + waves.len() * (band + 12);
    let room = WIDTH - LEFT - 8;
    let columns = longest.min(room);
    let x = |column: usize| LEFT + column * room / columns;
    let mut out = String::new();
    // A failed write to a string is not possible.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         font-family=\"ui-monospace, monospace\" font-size=\"11\">\n\
         <title>{}: waves of {lanes} lanes over time</title>\n\
         <style>.a{{fill:#2f6fb5}}.w{{fill:#c7d9ee}}text{{fill:#444}}\
         @media(prefers-color-scheme:dark){{.a{{fill:#7fb4ee}}.w{{fill:#33475e}}text{{fill:#bbb}}}}</style>\n\
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
        for (class, path) in ["a", "w"].iter().zip(&paths) {
            if !path.is_empty() {
                let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>");
            }
        }
    }
    if recording.waves.len() > MOST_WAVES {
        let more = recording.waves.len() - MOST_WAVES;
        let _ = writeln!(out, "<text x=\"8\" y=\"{}\">and {more} more waves</text>", height - 2);
    }
    out.push_str("</svg>\n");
    out
}

/// Text as XML has it.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            it if it.is_control() => out.push(' '),
            it => out.push(it),
        }
    }
    out
}
