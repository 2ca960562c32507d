//! `wavelane trace`: a table of what the lanes of waves do, statement by statement.

use std::fmt::Write as _;
use std::ops::Range;

use timeline::{Elsewhere, LaneMask, Read, Recording, Statement, Wave, Window, Write};

use crate::args::Line;
use crate::asked::LowArgs;
use crate::common::Common;
use crate::problem::{End, Exit, Problem};
use crate::recorded::{Recorded, Subject, With, record};
use crate::terminal;
use crate::value::counted;

/// The most steps that are shown; more are counted.
const MOST_STEPS: usize = 1000;
/// The lanes whose values are shown by default.
const LANES: u64 = 16;

/// What `trace` needs.
pub(crate) struct TraceArgs {
    operand: String,
    common: Common,
    window: Window,
    lines: Vec<Range<u64>>,
    lanes: Vec<Range<u64>>,
}

impl TraceArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> Result<TraceArgs, Problem> {
        let operand = low.operand()?;
        let common = Common::new(&low, line);
        let seeing = low.seeing;
        let mut window = seeing.window;
        // One wave, unless more are requested.
        if window.group.is_none() && window.waves.is_none() {
            window.waves = Some(0..1);
        }
        window.group = window.group.or(Some([0; 3]));
        let (lines, lanes) = (seeing.lines, seeing.lanes);
        Ok(TraceArgs { operand, common, window, lines, lanes })
    }
}

pub(crate) fn trace(args: &TraceArgs) -> Result<Exit, End> {
    let subject = Subject::of(&args.operand, &args.common);
    let Recorded { recording, failure } = record(&subject, &args.window, With::Window, None)?;
    let width = recording.program.wave_size;
    if let Some(lane) = args.lanes.iter().find(|it| it.start >= u64::from(width)) {
        let what = format!("there is no lane {}: the waves have {width} lanes", lane.start);
        return Err(Problem::input(what).help("`--lanes` counts from 0").into());
    }
    let waves = |it: &&Wave| args.window.has_wave(it.group, it.wave);
    let mut table = Table { args, recording: &recording, shown: 0, hidden: 0, text: String::new() };
    recording.waves.iter().filter(waves).for_each(|it| table.wave(it));
    let Table { shown, hidden, text, .. } = table;
    terminal::print(&text)?;
    if shown == 0 {
        terminal::note("no statement of these waves begins on the requested lines");
    }
    if hidden > 0 {
        let what = counted(hidden, "more step");
        terminal::note(&format!("{what}; `--lines` and `--window 'steps=…'` say which are shown"));
    }
    match failure {
        Some(problem) => Err(problem.into()),
        None => Ok(Exit::Fine),
    }
}

/// The events on one line within a step: in its statement, or where the wave goes after it without another step, such
/// as in the statement that called the function that has returned.
struct Part<'a> {
    file: u32,
    line: u32,
    is_step: bool,
    active: LaneMask,
    reads: Vec<&'a Read>,
    writes: Vec<&'a Write>,
}

/// The parts of a step: its own, then the others in the order of their writes.
fn parts<'a>(recording: &Recording, wave: &'a Wave, number: usize) -> Vec<Part<'a>> {
    let step = &wave.steps[number];
    let Statement { file, line, .. } = recording.statements[step.statement as usize];
    let active = step.active;
    let own = Part { file, line, is_step: true, active, reads: Vec::new(), writes: Vec::new() };
    let mut parts = vec![own];
    // The newest part on a line, or a new one.
    fn part<'p, 'a>(
        parts: &'p mut Vec<Part<'a>>,
        (file, line): (u32, u32),
        active: LaneMask,
    ) -> &'p mut Part<'a> {
        let known = parts.iter().rposition(|it| (it.file, it.line) == (file, line));
        let at = known.unwrap_or_else(|| {
            let (reads, writes) = (Vec::new(), Vec::new());
            parts.push(Part { file, line, is_step: false, active, reads, writes });
            parts.len() - 1
        });
        &mut parts[at]
    }
    for read in wave.reads_of(number) {
        let shuffle = &recording.shuffles[read.shuffle as usize];
        part(&mut parts, (shuffle.file, shuffle.line), read.lanes).reads.push(read);
    }
    for (write, index) in wave.writes_of(number).iter().zip(step.writes..) {
        let found = wave.elsewhere.binary_search_by_key(&index, |it| it.write);
        let place = found.map_or((file, line), |it| {
            let Elsewhere { file, line, .. } = wave.elsewhere[it];
            (file, line)
        });
        part(&mut parts, place, write.lanes).writes.push(write);
    }
    parts
}

struct Table<'a> {
    args: &'a TraceArgs,
    recording: &'a Recording,
    shown: usize,
    hidden: usize,
    text: String,
}

impl Table<'_> {
    fn wave(&mut self, wave: &Wave) {
        let width = self.recording.program.wave_size;
        let lanes = self.lanes(wave);
        let [x, y, z] = wave.group;
        let count = counted(wave.lanes.count() as usize, "lane");
        let _ = writeln!(self.text, "wave {} of group ({x}, {y}, {z}): {count}", wave.wave);
        let room = width as usize + 2;
        let head = format!("{:>6} {:>5}  {:<room$}  ", "step", "line", "active");
        let _ = writeln!(self.text, "{head}statement, and what it gives to lanes");
        for number in 0..wave.steps.len() {
            if !self.args.window.has_step(number as u64) {
                continue;
            }
            for part in parts(self.recording, wave, number) {
                // Lines are those of the main file.
                let Part { file, line, .. } = part;
                let is_wanted = self.args.lines.is_empty()
                    || file == 0 && self.args.lines.iter().any(|it| it.contains(&u64::from(line)));
                if !is_wanted || !self.args.window.has_place(file, line) {
                    continue;
                }
                if self.shown == MOST_STEPS {
                    self.hidden += 1;
                    continue;
                }
                self.shown += 1;
                self.part(wave, number, &part, &lanes, width);
            }
        }
    }

    fn part(&mut self, wave: &Wave, number: usize, part: &Part<'_>, lanes: &[u32], width: u32) {
        let live = wave.steps[number].live;
        let mark = |lane| match (part.active.contains(lane), live.contains(lane)) {
            (true, _) => '#',
            (false, true) => '.',
            (false, false) => ' ',
        };
        let mask: String = (0..width).map(mark).collect();
        let files = &self.recording.program.files;
        let text = files.get(part.file as usize).map_or("", |it| it.1.as_str());
        let source = text.lines().nth(part.line.saturating_sub(1) as usize).unwrap_or("");
        let step = if part.is_step { number.to_string() } else { String::new() };
        let _ = writeln!(self.text, "{step:>6} {:>5}  [{mask}]  {}", part.line, source.trim());
        self.reads(wave, &part.reads, lanes, width);
        self.values(wave, &part.writes, lanes, width);
    }

    fn values(&mut self, wave: &Wave, writes: &[&Write], lanes: &[u32], width: u32) {
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for write in writes {
            let variable = &self.recording.variables[write.variable as usize];
            let (path, ty) = &variable.scalars[write.scalar as usize];
            let cell = |lane: &u32| match wave.value(write, *lane) {
                None => "·".to_owned(),
                Some(_) if write.poison.contains(*lane) => "?".to_owned(),
                Some(bits) => timeline::text(*ty, bits),
            };
            let name = format!("{}{path}", variable.name);
            let cells = lanes.iter().map(cell).collect();
            // If a variable is written twice, the last value counts.
            match rows.iter_mut().find(|it| it.0 == name) {
                Some(row) => row.1 = cells,
                None => rows.push((name, cells)),
            }
        }
        rows.iter().for_each(|(name, cells)| self.row(&format!("{name} ="), cells, width));
    }

    /// Which lane each lane reads; `?` marks one that does not take part, whose value is undefined.
    fn reads(&mut self, wave: &Wave, reads: &[&Read], lanes: &[u32], width: u32) {
        for read in reads {
            let mut sources = vec![None; width as usize];
            wave.pairs(read).for_each(|(lane, source)| sources[lane as usize] = Some(source));
            let cell = |lane: &u32| match sources[*lane as usize] {
                None => "·".to_owned(),
                Some(source) if read.lanes.contains(source) => source.to_string(),
                Some(source) => format!("{source}?"),
            };
            let cells: Vec<String> = lanes.iter().map(cell).collect();
            let call = &self.recording.shuffles[read.shuffle as usize].text;
            self.row(&format!("{call} reads lane"), &cells, width);
        }
    }

    /// A line below a step: what it is about, and a cell for each lane.
    fn row(&mut self, name: &str, cells: &[String], width: u32) {
        let room = cells.iter().map(|it| it.chars().count()).max().unwrap_or(0);
        let values: Vec<String> = cells.iter().map(|it| format!("{it:>room$}")).collect();
        let margin = 6 + 1 + 5 + 2 + width as usize + 2;
        let _ = writeln!(self.text, "{:>margin$}  {name} {}", "", values.join(" "));
    }

    /// The lanes whose values are shown.
    fn lanes(&self, wave: &Wave) -> Vec<u32> {
        let usual = 0..LANES;
        let asked = match self.args.lanes.as_slice() {
            [] => std::slice::from_ref(&usual),
            asked => asked,
        };
        let is_asked = |lane: &u32| asked.iter().any(|it| it.contains(&u64::from(*lane)));
        wave.lanes.iter().filter(is_asked).collect()
    }
}
