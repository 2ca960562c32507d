//! The observer that makes a recording.

use std::collections::BTreeMap;

use diag::{SourceMap, Span};
use interp::Observer;
use interp::observe::{AccessEvent, At, NoteEvent, WaveEvent};
use ir::notes::{Note, Notes, ScopeId};
use ir::{HostScalar, Module};
use ops::LaneMask;
use ops::wave::{self, Lanes};
use rustc_hash::FxHashMap;

use crate::comparison::{Comparison, Location, Writers};
use crate::log::Log;
use crate::waves::Waves;
use crate::window::Window;

/// The most steps whose masks are kept.
pub(crate) const MOST_STEPS: u64 = 1 << 21;
/// The most values and sources of shuffles that are kept, of all lanes together.
pub(crate) const MOST_VALUES: usize = 1 << 23;

/// The most waves for which room is made before they begin.
const MOST_EXPECTED: u64 = 1 << 16;

/// The most steps of a wave for which room is made before they happen.
const MOST_EXPECTED_STEPS: usize = 64;

/// A statement that has not begun yet.
const UNKNOWN: u32 = u32::MAX;

/// The most characters of a call.
const MOST_TEXT: usize = 80;

/// What was run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The main file, as it was named.
    pub name: String,
    pub entry: String,
    /// The texts of all files that statements are in, the main file first.
    pub files: Vec<(String, String)>,
    pub groups: [u32; 3],
    pub group_size: [u32; 3],
    pub wave_size: u32,
}

impl Program {
    /// The number of waves of the dispatch; 0 if it is not known.
    fn waves(&self) -> u64 {
        let product =
            |it: [u32; 3]| it.iter().fold(1, |all: u64, it| all.saturating_mul((*it).into()));
        let of_group = product(self.group_size).div_ceil(u64::from(self.wave_size.max(1)));
        product(self.groups).saturating_mul(of_group)
    }
}

/// A statement of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// An index into [`Program::files`].
    pub file: u32,
    pub line: u32,
    pub column: u32,
    pub scope: u32,
}

/// A function as inlined at one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    pub function: String,
    /// The line of the call.
    pub call: Option<u32>,
    pub caller: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub ty: String,
    /// `None` for a static variable.
    pub scope: Option<u32>,
    pub scalars: Vec<(String, HostScalar)>,
}

/// A statement that a wave begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub statement: u32,
    pub active: LaneMask,
    /// The lanes that have not returned.
    pub live: LaneMask,
    /// The number of writes of the wave before this step's.
    pub writes: u32,
    /// The number of reads of the wave before this step's.
    pub reads: u32,
}

/// A call of a function that gives each lane the value of one lane: `WaveReadLaneAt`, `QuadReadAcrossX` and the like.
#[derive(Clone, Debug, PartialEq)]
pub struct Shuffle {
    /// An index into [`Program::files`].
    pub file: u32,
    pub line: u32,
    pub column: u32,
    /// The call as the source has it, on one line.
    pub text: String,
}

/// Lanes read other lanes: a shuffle is executed. The components of a vector are one read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Read {
    /// An index into [`Recording::shuffles`].
    pub shuffle: u32,
    /// The lanes that take part: those that read, and the only ones whose value is defined.
    pub lanes: LaneMask,
    /// The position of the sources of these lanes, in order, among those of the wave.
    pub sources: u32,
}

/// A scalar of a variable is given values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Write {
    pub variable: u32,
    pub scalar: u32,
    pub lanes: LaneMask,
    pub poison: LaneMask,
    /// The position of the values of these lanes, in order, among those of the wave.
    pub values: u32,
}

/// The location of a write that is not on the line of its step: after a call has returned, in the step of a loop, or in
/// a declaration that is not a statement by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elsewhere {
    /// The number of the write among those of the wave.
    pub write: u32,
    /// An index into [`Program::files`].
    pub file: u32,
    pub line: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wave {
    pub group: [u32; 3],
    pub wave: u32,
    /// The lanes that it started with.
    pub lanes: LaneMask,
    pub steps: Vec<Step>,
    pub writes: Vec<Write>,
    pub values: Vec<u64>,
    /// Ascending; only if the run was recorded for a table ([`crate::Extent::Window`]), and in no file.
    pub elsewhere: Vec<Elsewhere>,
    pub reads: Vec<Read>,
    /// The lanes that are read; an index that the program computes may lie beyond the width.
    pub sources: Vec<u32>,
    /// The number of steps that it had: more than are kept, if there was no room.
    pub total: u64,
}

impl Wave {
    /// The writes before the first step: of parameters, and of statics.
    pub fn early_writes(&self) -> &[Write] {
        let end = self.steps.first().map_or(self.writes.len(), |it| it.writes as usize);
        &self.writes[..end]
    }

    /// The writes between the beginning of a step and that of the next.
    pub fn writes_of(&self, step: usize) -> &[Write] {
        let begin = self.steps.get(step).map_or(self.writes.len(), |it| it.writes as usize);
        let end = self.steps.get(step + 1).map_or(self.writes.len(), |it| it.writes as usize);
        &self.writes[begin..end]
    }

    /// The shuffles before the first step.
    pub fn early_reads(&self) -> &[Read] {
        let end = self.steps.first().map_or(self.reads.len(), |it| it.reads as usize);
        &self.reads[..end]
    }

    /// The shuffles between the beginning of a step and that of the next.
    pub fn reads_of(&self, step: usize) -> &[Read] {
        let begin = self.steps.get(step).map_or(self.reads.len(), |it| it.reads as usize);
        let end = self.steps.get(step + 1).map_or(self.reads.len(), |it| it.reads as usize);
        &self.reads[begin..end]
    }

    /// The lanes that read, each with the lane that it reads.
    pub fn pairs(&self, read: &Read) -> impl Iterator<Item = (u32, u32)> {
        let sources = &self.sources[read.sources as usize..];
        read.lanes.iter().zip(sources.iter().copied())
    }

    /// What a write gives to a lane.
    pub fn value(&self, write: &Write, lane: u32) -> Option<u64> {
        let before = (write.lanes & LaneMask::below(lane)).count() as usize;
        write.lanes.contains(lane).then(|| self.values[write.values as usize + before])
    }
}

/// How often waves began a statement of a line, and with how many lanes in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LineCount {
    pub count: u64,
    pub lanes: u64,
}

/// A finding of the sanitizer.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub code: String,
    pub message: String,
    pub line: u32,
    /// The number of the statement among those of the whole run.
    pub tick: u64,
    /// The wave, by its number in the recording, and the step; `None` if they are not kept.
    pub at: Option<(u32, u32)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    pub program: Program,
    pub statements: Vec<Statement>,
    pub scopes: Vec<Scope>,
    pub variables: Vec<Variable>,
    pub shuffles: Vec<Shuffle>,
    pub waves: Waves,
    /// By file and line.
    pub lines: BTreeMap<(u32, u32), LineCount>,
    pub findings: Vec<Finding>,
    /// Whether every step of the run is in it.
    pub complete: bool,
    /// Whether every value in the window is in it.
    pub has_all_values: bool,
    /// How the run failed, if it did.
    pub failure: Option<String>,
    /// The values in which another engine differs, if one was compared.
    pub comparison: Option<Comparison>,
}

/// A group, and the number of a wave in it.
type WaveKey = ([u32; 3], u32);

/// Records a run of a module with notes.
pub struct Recorder<'a> {
    notes: &'a Notes,
    sources: &'a SourceMap,
    window: &'a Window,
    recording: Recording,
    known: FxHashMap<(Span, ScopeId), u32>,
    /// For each instruction of the module the statement that it notes, or [`UNKNOWN`]: what the table above has found.
    by_inst: Vec<u32>,
    shuffles: FxHashMap<Span, u32>,
    files: FxHashMap<String, u32>,
    waves: Vec<Wave>,
    /// Their numbers.
    numbers: FxHashMap<WaveKey, usize>,
    /// The wave that was found last: most events are of the one before.
    newest: Option<(WaveKey, usize)>,
    /// The most steps that a wave had when another one began.
    longest: usize,
    /// By statement; lines are counted at the end.
    counts: Vec<LineCount>,
    steps: u64,
    values: usize,
    ticks: u64,
    /// The ticks of findings, each with its number; ascending.
    awaited: Vec<(u64, usize)>,
    /// The places that differ from another engine's.
    writers: Writers,
    /// The waves that may still begin a step of the window; `None` if the run is recorded to its end.
    awaited_waves: Option<u64>,
    /// Whether to remember where writes are made.
    has_places: bool,
}

impl<'a> Recorder<'a> {
    /// Findings come from an earlier, watched run.
    pub fn new(
        module: &'a Module,
        sources: &'a SourceMap,
        program: Program,
        window: &'a Window,
        findings: Vec<Finding>,
    ) -> Recorder<'a> {
        let notes = &module.notes;
        let line = |span| sources.location(span).map(|it| it.line);
        let scope = |it: &ir::notes::Scope| Scope {
            function: it.function.clone(),
            call: line(it.call),
            caller: it.caller.map(|it| it.0),
        };
        let variable = |it: &ir::notes::Variable| Variable {
            name: it.name.clone(),
            ty: it.ty.clone(),
            scope: it.scope.map(|it| it.0),
            scalars: it.scalars.iter().map(|it| (it.path.clone(), it.ty)).collect(),
        };
        let mut awaited: Vec<_> = findings.iter().enumerate().map(|it| (it.1.tick, it.0)).collect();
        awaited.sort_unstable();
        awaited.reverse();
        let mut recorder = Recorder {
            notes,
            sources,
            window,
            recording: Recording {
                program,
                scopes: notes.scopes.iter().filter(|_| notes.are_complete).map(scope).collect(),
                variables: notes.variables.iter().map(variable).collect(),
                findings,
                complete: true,
                has_all_values: true,
                ..Recording::default()
            },
            known: FxHashMap::default(),
            by_inst: vec![UNKNOWN; module.insts.len()],
            shuffles: FxHashMap::default(),
            files: FxHashMap::default(),
            waves: Vec::new(),
            numbers: FxHashMap::default(),
            newest: None,
            longest: 0,
            counts: Vec::new(),
            steps: 0,
            values: 0,
            ticks: 0,
            awaited,
            writers: Writers::default(),
            awaited_waves: None,
            has_places: false,
        };
        if let Some((_, main)) = sources.files().next() {
            recorder.file(&main.name, Some(&main.text));
        }
        recorder
    }

    /// Records which lanes write the values in which another engine differs: these locations, one for each difference.
    pub fn compare(&mut self, comparison: Comparison, places: &[Location]) {
        self.writers = Writers::new(places);
        self.recording.comparison = Some(comparison);
    }

    /// Records for a table of the window: with the places of writes, and to the last step of the window, if it has one.
    pub(crate) fn end_with_window(&mut self, groups: [u32; 3], waves: u32) {
        self.has_places = true;
        let has_end = self.window.steps.is_some();
        self.awaited_waves = has_end.then(|| self.window.waves_of(groups, waves));
    }

    /// A wave of the window has begun its first step beyond it, or has ended before.
    fn leaves_window(&mut self) {
        self.awaited_waves = self.awaited_waves.map(|it| it.saturating_sub(1));
    }

    /// Remembers the lanes that write what differs.
    fn wrote(&mut self, event: &AccessEvent<'_>) {
        if self.writers.is_empty() {
            return;
        }
        let Recorder { recording, writers, waves, numbers, sources, .. } = self;
        let Some(comparison) = &mut recording.comparison else { return };
        let number = numbers.get(&(event.at.group, event.at.wave));
        writers.touched(event, |difference, lane| {
            let Some(difference) = comparison.differences.get_mut(difference) else { return };
            let line = sources.location(event.at.span).map_or(0, |it| it.line);
            difference.writer = Some((lane, line));
            difference.at = number.and_then(|number| {
                let wave = &waves[*number];
                let is_kept = wave.steps.len() as u64 == wave.total && wave.total > 0;
                is_kept.then(|| (*number as u32, wave.steps.len() as u32 - 1))
            });
        });
    }

    /// The recording of the run, which ended so.
    pub fn finish(mut self, failure: Option<String>) -> Recording {
        self.recording.waves = self.waves.into();
        self.recording.failure = failure;
        for (statement, count) in self.recording.statements.iter().zip(&self.counts) {
            let line = self.recording.lines.entry((statement.file, statement.line)).or_default();
            line.count += count.count;
            line.lanes += count.lanes;
        }
        self.recording
    }

    /// The recording of a run that has a log.
    pub(crate) fn finish_log(
        self,
        log: Log,
        is_complete: bool,
        failure: Option<String>,
    ) -> Recording {
        let recording = self.finish(failure);
        Recording { waves: Waves::of(log), complete: is_complete, ..recording }
    }

    /// Counts how often waves began a statement; returns its number.
    pub(crate) fn count(&mut self, span: Span, scope: ScopeId, count: LineCount) -> u32 {
        let number = self.statement_of(span, scope);
        let all = &mut self.counts[number as usize];
        all.count += count.count;
        all.lanes += count.lanes;
        number
    }

    /// The number of waves for which room is made before they begin.
    pub(crate) fn expected(&self) -> usize {
        self.recording.program.waves().min(MOST_EXPECTED) as usize
    }

    /// Makes room for the waves of the run.
    pub(crate) fn make_room(&mut self) {
        let expected = self.expected();
        self.waves.reserve(expected);
        self.numbers.reserve(expected);
    }

    /// The number of a wave in the recording.
    fn wave(&mut self, at: At) -> Option<usize> {
        let key = (at.group, at.wave);
        match self.newest {
            Some((newest, number)) if newest == key => Some(number),
            _ => {
                let number = *self.numbers.get(&key)?;
                self.newest = Some((key, number));
                Some(number)
            }
        }
    }

    fn file(&mut self, name: &str, text: Option<&str>) -> u32 {
        if let Some(number) = self.files.get(name) {
            return *number;
        }
        let number = self.recording.program.files.len() as u32;
        let found = self.sources.files().find(|it| *it.1.name == *name);
        let text = text.or(found.map(|it| &*it.1.text)).unwrap_or("");
        self.recording.program.files.push((name.to_owned(), text.to_owned()));
        self.files.insert(name.to_owned(), number);
        number
    }

    /// The file, line and column.
    fn place(&mut self, span: Span) -> (u32, u32, u32) {
        match self.sources.location(span) {
            Some(at) => (self.file(&at.file, None), at.line, at.column),
            None => (0, 0, 0),
        }
    }

    fn shuffle(&mut self, span: Span) -> u32 {
        if let Some(number) = self.shuffles.get(&span) {
            return *number;
        }
        let (file, line, column) = self.place(span);
        let words: Vec<&str> = self.sources.text(span).split_whitespace().collect();
        let mut text = words.join(" ");
        if let Some((cut, _)) = text.char_indices().nth(MOST_TEXT) {
            text.truncate(cut);
            text.push('\u{2026}');
        }
        let number = self.recording.shuffles.len() as u32;
        self.recording.shuffles.push(Shuffle { file, line, column, text });
        self.shuffles.insert(span, number);
        number
    }

    /// The number of the statement that a note begins.
    fn statement(&mut self, at: At, scope: ScopeId) -> u32 {
        let known = self.by_inst[at.inst.index()];
        if known != UNKNOWN {
            return known;
        }
        let number = self.statement_of(at.span, scope);
        self.by_inst[at.inst.index()] = number;
        number
    }

    /// An unrolled loop has several notes for one statement.
    fn statement_of(&mut self, span: Span, scope: ScopeId) -> u32 {
        if let Some(number) = self.known.get(&(span, scope)) {
            return *number;
        }
        let (file, line, column) = self.place(span);
        let number = self.recording.statements.len() as u32;
        self.recording.statements.push(Statement { file, line, column, scope: scope.0 });
        self.counts.push(LineCount::default());
        self.known.insert((span, scope), number);
        number
    }

    fn step(&mut self, at: At, live: LaneMask, scope: ScopeId) {
        let tick = self.ticks;
        self.ticks += 1;
        let statement = self.statement(at, scope);
        let count = &mut self.counts[statement as usize];
        count.count += 1;
        count.lanes += u64::from(at.active.count());
        let Some(number) = self.wave(at) else { return };
        let wave = &mut self.waves[number];
        wave.total += 1;
        let is_beyond =
            self.window.steps.as_ref().is_some_and(|it| wave.total == it.end.saturating_add(1));
        let leaves = is_beyond && self.window.has_wave(at.group, at.wave);
        let is_kept = self.steps < MOST_STEPS;
        while let Some((awaited, finding)) = self.awaited.last().copied()
            && awaited <= tick
        {
            self.awaited.pop();
            let step = wave.steps.len() as u32;
            self.recording.findings[finding].at = is_kept.then_some((number as u32, step));
        }
        if is_kept {
            self.steps += 1;
            let (writes, reads) = (wave.writes.len() as u32, wave.reads.len() as u32);
            wave.steps.push(Step { statement, active: at.active, live, writes, reads });
        } else {
            self.recording.complete = false;
        }
        if leaves {
            self.leaves_window();
        }
    }

    /// The number of the wave, if the window has the step in which it is.
    fn wave_in_window(&mut self, at: At) -> Option<usize> {
        if !self.window.has_wave(at.group, at.wave) {
            return None;
        }
        let number = self.wave(at)?;
        let wave = &self.waves[number];
        if wave.steps.len() as u64 != wave.total {
            return None;
        }
        let in_window = match wave.steps.last() {
            Some(step) => {
                let place = &self.recording.statements[step.statement as usize];
                self.window.has_place(place.file, place.line)
                    && self.window.has_step(wave.total.saturating_sub(1))
            }
            // Parameters are given values before the first statement.
            None => true,
        };
        in_window.then_some(number)
    }

    fn read(&mut self, event: &WaveEvent<'_>) {
        if !event.op.reads_one_lane() {
            return;
        }
        let Some(number) = self.wave_in_window(event.at) else { return };
        let shuffle = self.shuffle(event.at.span);
        let lanes = event.wave.active;
        let source = |lane| wave::source(event.op, &event.wave, event.args, lane);
        let wave = &mut self.waves[number];
        let begin = wave.steps.last().map_or(0, |it| it.reads as usize);
        let is_same = |it: &Read| {
            (it.shuffle, it.lanes) == (shuffle, lanes)
                && wave.pairs(it).all(|(lane, from)| source(lane) == from)
        };
        // Another component of the same vector.
        if wave.reads[begin..].iter().any(is_same) {
            return;
        }
        let count = lanes.count() as usize;
        if self.values + count > MOST_VALUES {
            self.recording.has_all_values = false;
            return;
        }
        self.values += count;
        wave.reads.push(Read { shuffle, lanes, sources: wave.sources.len() as u32 });
        wave.sources.extend(lanes.iter().map(source));
    }

    /// Remembers where the next writes of a wave are made, if that is not on the line of its step.
    fn note_place(&mut self, number: usize, span: Span, count: usize) {
        let Some(step) = self.waves[number].steps.last() else { return };
        let statement = &self.recording.statements[step.statement as usize];
        let own = (statement.file, statement.line);
        let (file, line, _) = self.place(span);
        if (file, line) == own || line == 0 {
            return;
        }
        let wave = &mut self.waves[number];
        let writes = (wave.writes.len() as u32..).take(count);
        wave.elsewhere.extend(writes.map(|write| Elsewhere { write, file, line }));
    }

    fn write(&mut self, event: &NoteEvent<'_>, variable: u32, first: u32) {
        let at = event.at;
        let Some(number) = self.wave_in_window(at) else { return };
        let lanes = at.active;
        let count = event.values.len();
        if self.has_places && self.values + count * lanes.count() as usize <= MOST_VALUES {
            self.note_place(number, at.span, count);
        }
        let wave = &mut self.waves[number];
        for ((values, poison), scalar) in event.values.iter().zip(first..) {
            let count = lanes.count() as usize;
            if self.values + count > MOST_VALUES {
                self.recording.has_all_values = false;
                return;
            }
            self.values += count;
            let poison = *poison & lanes;
            let write = Write { variable, scalar, lanes, poison, values: wave.values.len() as u32 };
            wave.writes.push(write);
            push_values(&mut wave.values, *values, lanes);
        }
    }
}

/// Appends the values of these lanes, in order.
fn push_values(to: &mut Vec<u64>, values: Lanes<'_>, lanes: LaneMask) {
    let count = lanes.count();
    // PERF: usually no lane is inactive before an active one, and a copy takes a fraction of the time of a walk over
    // the set.
    match values {
        Lanes::Words(words) if lanes == LaneMask::first_n(count) => {
            to.extend(words[..count as usize].iter().map(|it| u64::from(*it)));
        }
        _ => to.extend(lanes.iter().map(|lane| values.get(lane))),
    }
}

/// Records the steps alone, one by one: which lanes begin which statements.
pub(crate) struct Masks<'r, 'a>(pub(crate) &'r mut Recorder<'a>);

impl Observer for Masks<'_, '_> {
    const EVENTS: bool = false;
    const NOTES: bool = true;
    const POISON: bool = false;

    fn wave_begin(&mut self, at: At) {
        self.0.wave_begin(at);
    }

    fn note(&mut self, event: &NoteEvent<'_>) {
        self.0.note(event);
    }
}

impl Observer for Recorder<'_> {
    const INDIRECT: bool = true;

    fn wave_begin(&mut self, at: At) {
        let number = self.waves.len();
        let key = (at.group, at.wave);
        self.numbers.insert(key, number);
        // Most waves begin as many statements as those before.
        let ended = |(_, number): (_, usize)| self.waves[number].steps.len();
        self.longest = self.longest.max(self.newest.map_or(0, ended));
        self.newest = Some((key, number));
        self.waves.push(Wave {
            group: at.group,
            wave: at.wave,
            lanes: at.active,
            steps: Vec::with_capacity(self.longest.min(MOST_EXPECTED_STEPS)),
            ..Wave::default()
        });
    }

    fn wave_end(&mut self, at: At) {
        let Some(number) = self.wave(at) else { return };
        let total = self.waves[number].total;
        let was_beyond = self.window.steps.as_ref().is_some_and(|it| total > it.end);
        if !was_beyond && self.window.has_wave(at.group, at.wave) {
            self.leaves_window();
        }
    }

    fn pauses(&mut self) -> bool {
        self.awaited_waves == Some(0)
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.wrote(event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.wrote(event);
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        self.read(event);
    }

    fn note(&mut self, event: &NoteEvent<'_>) {
        match event.note {
            Note::Statement { scope, .. } => self.step(event.at, event.live, *scope),
            Note::Write { variable, first, .. } => self.write(event, variable.0, *first),
            Note::Call { .. } | Note::Return { .. } => {}
        }
        debug_assert!(!self.notes.scopes.is_empty(), "a note comes from a module with notes");
    }
}
