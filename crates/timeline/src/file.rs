//! Recordings as bytes: the format `.wlrec`.
//!
//! ```text
//! "wlrec" 0x00, format: u16, length of the header: u32          little-endian
//! header: JSON, deflated (raw)
//! chunks: up to 4096 steps of one wave each, each deflated by itself, one after the other
//! ```
//!
//! The header has the program, all tables, and for each wave its chunks with their lengths. A chunk has columns, one
//! after the other: statements (differences), active sets, sets of lanes that have not returned, the number of writes
//! of each step, writes, and reads. Numbers are LEB128, signed ones in zigzag. Sets change rarely, so that each is a
//! run: the number of steps, and the set in as many bytes as the wave has eights of lanes.
//!
//! The values of a write take the shortest of four forms: one value; the first value and the difference of each to the
//! next; the exclusive or with the previous values of the same scalar; or each by itself. Most rows in HLSL programs
//! are uniform or affine.
//!
//! Reads are those of shuffles. Few steps have any, so these are listed: their number, and for each the number
//! of steps since the last and its reads. The sources of a read take one of four forms, too: one lane; the distance, or
//! the exclusive or, from each lane to its source; or each by itself.
//!
//! Format 1 had no reads.

use std::collections::HashMap;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use ops::{LaneMask, Named};
use serde_json::{Value, json};

use crate::comparison::{Comparison, Difference};
use crate::json;
use crate::recorder::{
    Finding, LineCount, MOST_VALUES, Program, Read, Recording, Scope, Shuffle, Statement, Step,
    Variable, Wave, Write,
};

/// The number of the format. A reader reads files of every number up to its own.
pub const FORMAT: u16 = 2;
/// The first format with reads.
const WITH_READS: u16 = 2;
const MAGIC: &[u8; 6] = b"wlrec\0";
/// The steps of a chunk.
const CHUNK: usize = 4096;
/// The most bytes that a file may take when it is inflated: a damaged or hostile one makes the reader allocate no more.
const MOST_BYTES: usize = 1 << 28;
const LEVEL: u8 = 6;

const ONE: u64 = 0;
const AFFINE: u64 = 1;
const EACH: u64 = 2;
const XOR: u64 = 3;
/// A write has a set of poisoned lanes.
const POISONED: u64 = 4;
/// It is not for the active lanes of its step, as most are; also for reads.
const OTHER_LANES: u64 = 8;

// The forms of the sources of a read.
const ONE_SOURCE: u64 = 0;
const DISTANCE: u64 = 1;
const XOR_OF_LANE: u64 = 2;
const EACH_SOURCE: u64 = 3;

/// The bytes of a recording.
pub fn write(recording: &Recording) -> Vec<u8> {
    let mut chunks = Vec::new();
    let mut waves = Vec::new();
    for wave in recording.waves.iter() {
        let mut lengths = Vec::new();
        let mut before = HashMap::new();
        for first in (0..wave.steps.len().max(1)).step_by(CHUNK) {
            let last = (first + CHUNK).min(wave.steps.len());
            let raw = chunk(wave, first, last, recording.program.wave_size, &mut before);
            let packed = compress_to_vec(&raw, LEVEL);
            lengths.push(json!([packed.len(), raw.len(), last - first]));
            chunks.extend(packed);
        }
        waves.push(json!({
            "group": wave.group,
            "wave": wave.wave,
            "lanes": hex(wave.lanes),
            "total": wave.total,
            "chunks": lengths,
        }));
    }
    let header = compress_to_vec(header(recording, waves).to_string().as_bytes(), LEVEL);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    bytes.extend(chunks);
    bytes
}

fn hex(LaneMask(lanes): LaneMask) -> String {
    format!("{lanes:#x}")
}

fn header(recording: &Recording, waves: Vec<Value>) -> Value {
    let Recording {
        program,
        statements,
        scopes,
        variables,
        shuffles,
        waves: _,
        lines,
        findings,
        complete,
        has_all_values,
        failure,
        comparison,
    } = recording;
    let statement = |it: &Statement| json!([it.file, it.line, it.column, it.scope]);
    let scope = |it: &Scope| json!({"function": it.function, "call": it.call, "caller": it.caller});
    let variable = |it: &Variable| {
        let scalars: Vec<Value> =
            it.scalars.iter().map(|(path, ty)| json!([path, ty.name().to_string()])).collect();
        json!({"name": it.name, "type": it.ty, "scope": it.scope, "scalars": scalars})
    };
    let shuffle = |it: &Shuffle| json!([it.file, it.line, it.column, it.text]);
    let line = |((file, line), count): (&(u32, u32), &LineCount)| {
        json!([file, line, count.count, count.lanes])
    };
    let finding = |it: &Finding| {
        json!({
            "code": it.code, "message": it.message, "line": it.line, "tick": it.tick,
            "at": it.at.map(|(wave, step)| [wave, step]),
        })
    };
    json!({
        "wavelane": env!("CARGO_PKG_VERSION"),
        "program": {
            "name": program.name, "entry": program.entry, "files": program.files,
            "groups": program.groups, "group_size": program.group_size,
            "wave_size": program.wave_size,
        },
        "statements": statements.iter().map(statement).collect::<Vec<_>>(),
        "scopes": scopes.iter().map(scope).collect::<Vec<_>>(),
        "variables": variables.iter().map(variable).collect::<Vec<_>>(),
        "shuffles": shuffles.iter().map(shuffle).collect::<Vec<_>>(),
        "lines": lines.iter().map(line).collect::<Vec<_>>(),
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        "complete": complete,
        "has_all_values": has_all_values,
        "failure": failure,
        "comparison": comparison.as_ref().map(json::comparison),
        "waves": waves,
    })
}

// Chunks.

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

fn put_set(out: &mut Vec<u8>, LaneMask(set): LaneMask, width: u32) {
    out.extend(&set.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Run-length encoding.
fn put_runs(out: &mut Vec<u8>, sets: impl Iterator<Item = LaneMask>, width: u32) {
    let mut runs: Vec<(u64, LaneMask)> = Vec::new();
    for set in sets {
        match runs.last_mut() {
            Some((count, last)) if *last == set => *count += 1,
            _ => runs.push((1, set)),
        }
    }
    for (count, set) in runs {
        put(out, count);
        put_set(out, set, width);
    }
}

type Before = HashMap<(u32, u32), Vec<u64>>;

fn chunk(wave: &Wave, first: usize, last: usize, width: u32, before: &mut Before) -> Vec<u8> {
    let mut out = Vec::new();
    let steps = &wave.steps[first..last];
    let mut statement = 0;
    for step in steps {
        put(&mut out, zigzag(i64::from(step.statement) - statement));
        statement = i64::from(step.statement);
    }
    put_runs(&mut out, steps.iter().map(|it| it.active), width);
    put_runs(&mut out, steps.iter().map(|it| it.live), width);
    // The first chunk begins with what is written before the first step.
    if first == 0 {
        put(&mut out, wave.early_writes().len() as u64);
    }
    for step in first..last {
        put(&mut out, wave.writes_of(step).len() as u64);
    }
    if first == 0 {
        for write in wave.early_writes() {
            put_write(&mut out, wave, write, wave.lanes, width, before);
        }
    }
    for (step, data) in (first..last).zip(steps) {
        for write in wave.writes_of(step) {
            put_write(&mut out, wave, write, data.active, width, before);
        }
    }
    put_reads(&mut out, wave, first, last, width);
    out
}

fn put_reads(out: &mut Vec<u8>, wave: &Wave, first: usize, last: usize, width: u32) {
    if first == 0 {
        put(out, wave.early_reads().len() as u64);
        wave.early_reads().iter().for_each(|it| put_read(out, wave, it, wave.lanes, width));
    }
    let with_reads = || (first..last).filter(|it| !wave.reads_of(*it).is_empty());
    put(out, with_reads().count() as u64);
    let mut next = first;
    for step in with_reads() {
        let reads = wave.reads_of(step);
        put(out, (step - next) as u64);
        put(out, reads.len() as u64);
        reads.iter().for_each(|it| put_read(out, wave, it, wave.steps[step].active, width));
        next = step + 1;
    }
}

fn put_read(out: &mut Vec<u8>, wave: &Wave, read: &Read, active: LaneMask, width: u32) {
    let pairs = || wave.pairs(read);
    let (lane, source) = pairs().next().unwrap_or((0, 0));
    let distance = |lane: u32, source: u32| i64::from(source) - i64::from(lane);
    let form = match () {
        () if pairs().all(|it| it.1 == source) => ONE_SOURCE,
        () if pairs().all(|it| distance(it.0, it.1) == distance(lane, source)) => DISTANCE,
        () if pairs().all(|it| it.0 ^ it.1 == lane ^ source) => XOR_OF_LANE,
        () => EACH_SOURCE,
    };
    let others = if read.lanes == active { 0 } else { OTHER_LANES };
    put(out, form | others);
    put(out, read.shuffle.into());
    if others != 0 {
        put_set(out, read.lanes, width);
    }
    match form {
        ONE_SOURCE => put(out, source.into()),
        DISTANCE => put(out, zigzag(distance(lane, source))),
        XOR_OF_LANE => put(out, (lane ^ source).into()),
        _ => pairs().for_each(|it| put(out, it.1.into())),
    }
}

fn put_write(
    out: &mut Vec<u8>,
    wave: &Wave,
    write: &Write,
    active: LaneMask,
    width: u32,
    before: &mut Before,
) {
    let count = write.lanes.count() as usize;
    let values = &wave.values[write.values as usize..][..count];
    let old =
        before.entry((write.variable, write.scalar)).or_insert_with(|| vec![0; width as usize]);
    let first = values.first().copied().unwrap_or(0);
    let step = values.get(1).map_or(0, |it| it.wrapping_sub(first));
    let is_affine = values.windows(2).all(|it| it[1].wrapping_sub(it[0]) == step);
    let mut body = Vec::new();
    let form = if values.iter().all(|it| *it == first) {
        put(&mut body, first);
        ONE
    } else if is_affine {
        put(&mut body, first);
        put(&mut body, zigzag(step as i64));
        AFFINE
    } else {
        let mut xor = Vec::new();
        for (lane, value) in write.lanes.iter().zip(values) {
            put(&mut body, *value);
            put(&mut xor, *value ^ old[lane as usize]);
        }
        if xor.len() < body.len() {
            body = xor;
            XOR
        } else {
            EACH
        }
    };
    for (lane, value) in write.lanes.iter().zip(values) {
        old[lane as usize] = *value;
    }
    let poisoned = if write.poison.is_empty() { 0 } else { POISONED };
    let others = if write.lanes == active { 0 } else { OTHER_LANES };
    put(out, form | poisoned | others);
    put(out, write.variable.into());
    put(out, write.scalar.into());
    if others != 0 {
        put_set(out, write.lanes, width);
    }
    if poisoned != 0 {
        put_set(out, write.poison, width);
    }
    out.extend(body);
}

// Reading.

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    width: u32,
    format: u16,
    /// The values and sources that the file may still have.
    room: usize,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn set(&mut self) -> Option<LaneMask> {
        let length = self.width.div_ceil(8) as usize;
        let mut bytes = [0; 16];
        bytes[..length].copy_from_slice(self.bytes.get(self.at..self.at + length)?);
        self.at += length;
        Some(LaneMask(u128::from_le_bytes(bytes)) & LaneMask::first_n(self.width))
    }

    fn runs(&mut self, count: usize) -> Option<Vec<LaneMask>> {
        let mut sets = Vec::with_capacity(count);
        while sets.len() < count {
            let run = usize::try_from(self.number()?).ok()?;
            let set = self.set()?;
            if run == 0 || run > count - sets.len() {
                return None;
            }
            sets.extend(std::iter::repeat_n(set, run));
        }
        Some(sets)
    }

    fn chunk(&mut self, wave: &mut Wave, count: usize, before: &mut Before) -> Option<()> {
        let mut statement = 0i64;
        let mut statements = Vec::with_capacity(count);
        for _ in 0..count {
            statement = statement.checked_add(self.signed()?)?;
            statements.push(u32::try_from(statement).ok()?);
        }
        let active = self.runs(count)?;
        let live = self.runs(count)?;
        let first = wave.steps.len();
        let early = if first == 0 { self.number()? } else { 0 };
        let counts: Vec<u64> = (0..count).map(|_| self.number()).collect::<Option<_>>()?;
        for _ in 0..early {
            self.write(wave, wave.lanes, before)?;
        }
        for step in 0..count {
            let (statement, active, live) = (statements[step], active[step], live[step]);
            let (writes, reads) = (wave.writes.len() as u32, wave.reads.len() as u32);
            wave.steps.push(Step { statement, active, live, writes, reads });
            for _ in 0..counts[step] {
                self.write(wave, active, before)?;
            }
        }
        if self.format >= WITH_READS { self.reads(wave, first) } else { Some(()) }
    }

    /// The reads of the steps from this one on.
    fn reads(&mut self, wave: &mut Wave, first: usize) -> Option<()> {
        if first == 0 {
            for _ in 0..self.number()? {
                self.read(wave, wave.lanes)?;
            }
        }
        let mut next = first;
        for _ in 0..self.number()? {
            let step = next.checked_add(usize::try_from(self.number()?).ok()?)?;
            let active = wave.steps.get(step)?.active;
            let count = self.number()?;
            let begin = wave.reads.len() as u32;
            wave.steps[next..=step].iter_mut().for_each(|it| it.reads = begin);
            for _ in 0..count {
                self.read(wave, active)?;
            }
            next = step + 1;
        }
        let end = wave.reads.len() as u32;
        wave.steps[next..].iter_mut().for_each(|it| it.reads = end);
        Some(())
    }

    fn read(&mut self, wave: &mut Wave, active: LaneMask) -> Option<()> {
        let form = self.number()?;
        let shuffle = u32::try_from(self.number()?).ok()?;
        let lanes = if form & OTHER_LANES != 0 { self.set()? } else { active };
        self.room = self.room.checked_sub(lanes.count() as usize)?;
        let sources = wave.sources.len() as u32;
        let form = form & 3;
        let fixed = match form {
            DISTANCE => self.signed()?,
            EACH_SOURCE => 0,
            _ => i64::from(u32::try_from(self.number()?).ok()?),
        };
        for lane in lanes.iter() {
            let source = match form {
                ONE_SOURCE => fixed as u32,
                DISTANCE => u32::try_from(i64::from(lane).checked_add(fixed)?).ok()?,
                XOR_OF_LANE => lane ^ fixed as u32,
                _ => u32::try_from(self.number()?).ok()?,
            };
            wave.sources.push(source);
        }
        wave.reads.push(Read { shuffle, lanes, sources });
        Some(())
    }

    fn write(&mut self, wave: &mut Wave, active: LaneMask, before: &mut Before) -> Option<()> {
        let form = self.number()?;
        let variable = u32::try_from(self.number()?).ok()?;
        let scalar = u32::try_from(self.number()?).ok()?;
        let lanes = if form & OTHER_LANES != 0 { self.set()? } else { active };
        let poison = if form & POISONED != 0 { self.set()? } else { LaneMask::EMPTY };
        self.room = self.room.checked_sub(lanes.count() as usize)?;
        let values = wave.values.len() as u32;
        let width = self.width as usize;
        let old = before.entry((variable, scalar)).or_insert_with(|| vec![0; width]);
        let form = form & 3;
        let (mut value, step) = match form {
            ONE => (self.number()?, 0),
            AFFINE => (self.number()?, self.signed()? as u64),
            _ => (0, 0),
        };
        for lane in lanes.iter() {
            let own = match form {
                EACH => self.number()?,
                XOR => self.number()? ^ old[lane as usize],
                _ => value,
            };
            value = value.wrapping_add(step);
            old[lane as usize] = own;
            wave.values.push(own);
        }
        wave.writes.push(Write { variable, scalar, lanes, poison, values });
        Some(())
    }
}

/// Reads the bytes of a recording; `Err` says what is wrong with them.
pub fn read(bytes: &[u8]) -> Result<Recording, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("this is not a recording of wavelane")?;
    let damaged = || "the recording is damaged or incomplete".to_owned();
    let (format, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let format = u16::from_le_bytes(*format);
    if format == 0 || format > FORMAT {
        return Err(format!(
            "the recording has the format {format}; this program reads up to {FORMAT}"
        ));
    }
    let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (header, mut chunks) =
        rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
    let header = decompress_to_vec_with_limit(header, MOST_BYTES).map_err(|_| damaged())?;
    let header: Value = serde_json::from_slice(&header).map_err(|_| damaged())?;
    let recording = recording(format, &header, &mut chunks).filter(is_consistent);
    recording.ok_or_else(damaged)
}

/// Whether every number refers to an entry, so that no reader of the recording looks beyond its tables.
fn is_consistent(recording: &Recording) -> bool {
    let Recording { program, statements, scopes, variables, shuffles, waves, findings, .. } =
        recording;
    let has = |number: u32, length: usize| (number as usize) < length;
    let all = LaneMask::first_n(program.wave_size);
    let is_write = |it: &Write| {
        let variable = variables.get(it.variable as usize);
        variable.is_some_and(|variable| has(it.scalar, variable.scalars.len()))
    };
    let is_wave = |it: &Wave| {
        (it.lanes & !all).is_empty()
            && it.total >= it.steps.len() as u64
            && it.steps.iter().all(|step| has(step.statement, statements.len()))
            && it.writes.iter().all(is_write)
            && it.reads.iter().all(|read| has(read.shuffle, shuffles.len()))
    };
    // A scope is made by its caller, so that no chain of callers has a cycle.
    let mut callers = scopes.iter().enumerate();
    let is_kept = |(wave, step): (u32, u32)| {
        waves.get(wave as usize).is_some_and(|it| has(step, it.steps.len()))
    };
    let mut differences = recording.comparison.iter().flat_map(|it| &it.differences);
    !program.files.is_empty()
        && differences.all(|it| it.at.is_none_or(is_kept))
        && callers.all(|(number, it)| it.caller.is_none_or(|it| has(it, number)))
        && statements.iter().all(|it| has(it.file, program.files.len()))
        && statements.iter().all(|it| has(it.scope, scopes.len()))
        && shuffles.iter().all(|it| has(it.file, program.files.len()))
        && variables.iter().all(|it| it.scope.is_none_or(|it| has(it, scopes.len())))
        && waves.iter().all(is_wave)
        && findings.iter().all(|it| it.at.is_none_or(is_kept))
}

fn recording(format: u16, header: &Value, chunks: &mut &[u8]) -> Option<Recording> {
    let number = |it: &Value| u32::try_from(it.as_u64()?).ok();
    let text = |it: &Value| it.as_str().map(str::to_owned);
    let option = |it: &Value| if it.is_null() { Some(None) } else { Some(Some(number(it)?)) };
    let three = |it: &Value| Some([number(&it[0])?, number(&it[1])?, number(&it[2])?]);
    let list = |name: &str| header[name].as_array();
    let program = &header["program"];
    let mut files = Vec::new();
    for it in program["files"].as_array()? {
        files.push((text(&it[0])?, text(&it[1])?));
    }
    let wave_size = number(&program["wave_size"])?;
    if !wave_size.is_power_of_two() || !(4..=128).contains(&wave_size) {
        return None;
    }
    let mut recording = Recording {
        program: Program {
            name: text(&program["name"])?,
            entry: text(&program["entry"])?,
            files,
            groups: three(&program["groups"])?,
            group_size: three(&program["group_size"])?,
            wave_size,
        },
        complete: header["complete"].as_bool()?,
        has_all_values: header["has_all_values"].as_bool()?,
        failure: header["failure"].as_str().map(str::to_owned),
        ..Recording::default()
    };
    for it in list("statements")? {
        let [file, line, column, scope] = [0, 1, 2, 3].map(|at| number(&it[at]));
        let (file, line, column, scope) = (file?, line?, column?, scope?);
        recording.statements.push(Statement { file, line, column, scope });
    }
    for it in list("scopes")? {
        let (call, caller) = (option(&it["call"])?, option(&it["caller"])?);
        recording.scopes.push(Scope { function: text(&it["function"])?, call, caller });
    }
    for it in list("variables")? {
        let mut scalars = Vec::new();
        for it in it["scalars"].as_array()? {
            scalars.push((text(&it[0])?, ir::HostScalar::by_name(it[1].as_str()?)?));
        }
        let (name, ty, scope) = (text(&it["name"])?, text(&it["type"])?, option(&it["scope"])?);
        recording.variables.push(Variable { name, ty, scope, scalars });
    }
    let shuffles = if format >= WITH_READS { list("shuffles")?.as_slice() } else { &[] };
    for it in shuffles {
        let [file, line, column] = [0, 1, 2].map(|at| number(&it[at]));
        let (file, line, column, text) = (file?, line?, column?, text(&it[3])?);
        recording.shuffles.push(Shuffle { file, line, column, text });
    }
    for it in list("lines")? {
        let count = LineCount { count: it[2].as_u64()?, lanes: it[3].as_u64()? };
        recording.lines.insert((number(&it[0])?, number(&it[1])?), count);
    }
    for it in list("findings")? {
        let at = match &it["at"] {
            Value::Null => None,
            at => Some((number(&at[0])?, number(&at[1])?)),
        };
        let (code, message) = (text(&it["code"])?, text(&it["message"])?);
        let (line, tick) = (number(&it["line"])?, it["tick"].as_u64()?);
        recording.findings.push(Finding { code, message, line, tick, at });
    }
    if !header["comparison"].is_null() {
        let data = &header["comparison"];
        let mut comparison = Comparison {
            engine: text(&data["engine"])?,
            count: data["count"].as_u64()?,
            differences: Vec::new(),
        };
        for it in data["differences"].as_array()? {
            let lane = option(&it["lane"])?;
            let writer = lane.map(|lane| Some((lane, number(&it["line"])?)));
            let at = option(&it["wave"])?.map(|wave| Some((wave, number(&it["step"])?)));
            comparison.differences.push(Difference {
                place: text(&it["place"])?,
                here: text(&it["here"])?,
                there: text(&it["there"])?,
                is_rounding: it["rounding"].as_bool()?,
                writer: if let Some(it) = writer { Some(it?) } else { None },
                at: if let Some(it) = at { Some(it?) } else { None },
            });
        }
        recording.comparison = Some(comparison);
    }
    let (mut left, mut room) = (MOST_BYTES, MOST_VALUES);
    for it in list("waves")? {
        let lanes = it["lanes"].as_str()?.strip_prefix("0x")?;
        let lanes = LaneMask(u128::from_str_radix(lanes, 16).ok()?);
        let (group, wave) = (three(&it["group"])?, number(&it["wave"])?);
        let total = it["total"].as_u64()?;
        let mut own = Wave { group, wave, lanes, total, ..Wave::default() };
        let mut before = Before::new();
        for chunk in it["chunks"].as_array()? {
            let [length, raw, steps] = [0, 1, 2].map(|at| number(&chunk[at]));
            let (packed, rest) = chunks.split_at_checked(length? as usize)?;
            *chunks = rest;
            let bytes = decompress_to_vec_with_limit(packed, left.min(raw? as usize)).ok()?;
            left -= bytes.len();
            let steps = steps? as usize;
            // A step takes at least a byte.
            if steps > bytes.len() {
                return None;
            }
            let mut reader = Reader { bytes: &bytes, at: 0, width: wave_size, format, room };
            reader.chunk(&mut own, steps, &mut before)?;
            room = reader.room;
        }
        recording.waves.push(own);
    }
    Some(recording)
}
