//! Looking at a stopped run: threads, frames, variables, expressions and memory.

use diag::Location;
use ir::exec::Buffer;
use ir::notes::VariableId;
use ir::{HostScalar, ResourceKind};
use ops::LaneMask;
use serde_json::{Value, json};
use session::{Refused, Session, WaveId};
use values::Layout;

use crate::adapter::{Adapter, Answer, Launcher};
use crate::disassembly::address;
use crate::show;

/// The most threads that a client is shown.
const MOST_THREADS: usize = 32;
/// The most elements of one answer.
const MOST_CHILDREN: u64 = 4096;
/// The most bytes of one answer.
const MOST_BYTES: u64 = 1 << 20;

/// What `variablesReference` refers to, until the run continues.
pub(crate) enum Reference {
    Wave(WaveId),
    Locals(WaveId, usize),
    Groupshared(WaveId),
    Resources,
    /// The lanes of a row, and the variable that it shows if it shows one.
    Lanes {
        values: Vec<String>,
        active: LaneMask,
        of: Option<(WaveId, VariableId)>,
    },
    SharedArray(WaveId, u32),
    Resource(usize, usize),
}

impl<L: Launcher> Adapter<L> {
    pub(crate) fn threads(&mut self) -> Result<Answer, String> {
        let session = self.session.as_ref().ok_or("nothing is launched")?;
        let width = session.width();
        let current = session.current().map(|it| it.0);
        let waves = session.waves().filter(|it| !it.1.has_ended);
        let mut all: Vec<(WaveId, String)> = waves
            .map(|(wave, seen)| {
                let active = seen.at.map_or(seen.lanes, |it| it.active);
                let [x, y, z] = wave.0;
                let lanes = show::lanes(active, width);
                (wave, format!("wave {} · ({x},{y},{z}) · {lanes}", wave.1))
            })
            .collect();
        // The wave that stopped is among them.
        all.sort_by_key(|it| Some(it.0) != current);
        all.truncate(MOST_THREADS);
        all.sort();
        let threads: Vec<Value> = all
            .into_iter()
            .map(|(wave, name)| json!({"id": self.thread(wave), "name": name}))
            .collect();
        Ok(Answer::of(json!({"threads": threads})))
    }

    pub(crate) fn stack_trace(&mut self, arguments: &Value) -> Result<Answer, String> {
        let wave = self.wave(arguments)?;
        let session = self.session()?;
        let start = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
        let levels = match arguments["levels"].as_u64() {
            None | Some(0) => usize::MAX,
            Some(levels) => usize::try_from(levels).unwrap_or(usize::MAX),
        };
        let next = session.instruction(wave).map(|it| address(it as i64));
        let all = session.frames(wave);
        let total = all.len();
        let mut shown = Vec::new();
        for (depth, frame) in all.iter().enumerate().skip(start).take(levels) {
            let place = session.sources().location(frame.span);
            let Location { file, line, column } =
                place.unwrap_or(Location { file: "".into(), line: 0, column: 0 });
            let mut answer = json!({
                "name": frame.function,
                "line": line,
                "column": column,
                "source": self.source_of(session, &file),
            });
            // For a caller this would be the instruction in the function that it calls.
            if let (0, Some(next)) = (depth, &next) {
                answer["instructionPointerReference"] = json!(next);
            }
            shown.push((depth, answer));
        }
        let mut answers = Vec::new();
        for (depth, mut answer) in shown {
            self.frames.push((wave, depth));
            answer["id"] = json!(self.frames.len());
            answers.push(answer);
        }
        Ok(Answer::of(json!({"stackFrames": answers, "totalFrames": total})))
    }

    pub(crate) fn frame(&self, id: &Value) -> Result<(WaveId, usize), String> {
        let at = index(id, self.frames.len(), "frameId", "frame")?;
        Ok(self.frames[at])
    }

    fn reference(&mut self, reference: Reference) -> usize {
        self.references.push(reference);
        self.references.len()
    }

    pub(crate) fn scopes(&mut self, arguments: &Value) -> Result<Answer, String> {
        let (wave, depth) = self.frame(&arguments["frameId"])?;
        self.session()?;
        let scopes = [
            ("Wave", Reference::Wave(wave), false),
            ("Locals", Reference::Locals(wave, depth), false),
            ("Groupshared", Reference::Groupshared(wave), true),
            ("Resources", Reference::Resources, true),
        ];
        let scopes = scopes.map(|(name, reference, is_expensive)| {
            let reference = self.reference(reference);
            json!({"name": name, "variablesReference": reference, "expensive": is_expensive})
        });
        Ok(Answer::of(json!({"scopes": scopes})))
    }

    pub(crate) fn reference_at(&self, id: &Value) -> Result<usize, String> {
        index(id, self.references.len(), "variablesReference", "variables reference")
    }

    pub(crate) fn variables(&mut self, arguments: &Value) -> Result<Answer, String> {
        let at = self.reference_at(&arguments["variablesReference"])?;
        let start = arguments["start"].as_u64().unwrap_or(0);
        let count = arguments["count"].as_u64().filter(|it| *it > 0).unwrap_or(MOST_CHILDREN);
        let range = (start, count.min(MOST_CHILDREN));
        self.session()?;
        let Some(session) = self.session.take() else { return Ok(Answer::NOTHING) };
        let listed = self.list(&session, at, range);
        self.session = Some(session);
        Ok(Answer::of(json!({"variables": listed})))
    }

    fn list(&mut self, session: &Session, at: usize, (start, count): (u64, u64)) -> Vec<Value> {
        let inside = |length: u64| start..start.saturating_add(count).min(length);
        match &self.references[at] {
            Reference::Wave(wave) => lanes_of_wave(session, *wave),
            Reference::Locals(wave, depth) => {
                let (wave, depth) = (*wave, *depth);
                self.locals(session, wave, depth)
            }
            Reference::Lanes { values, active, .. } => inside(values.len() as u64)
                .map(|lane| {
                    let value = &values[lane as usize];
                    let mark = if active.contains(lane as u32) { "" } else { "·" };
                    plain(&format!("[{lane}]"), format!("{mark}{value}"))
                })
                .collect(),
            Reference::Groupshared(wave) => {
                let wave = *wave;
                self.groupshared(session, wave)
            }
            Reference::SharedArray(wave, number) => {
                let memory = &session.module().groupshared[*number as usize];
                let ty = shown_as(memory.ty);
                let value = |index: u64| {
                    let (bits, poisoned) = session.shared(*wave, ir::Shared(*number), index)?;
                    Some(if poisoned { "?".to_owned() } else { timeline::text(ty, bits) })
                };
                inside(memory.len.into())
                    .filter_map(|index| Some(plain(&format!("[{index}]"), value(index)?)))
                    .collect()
            }
            Reference::Resources => self.resources(session),
            Reference::Resource(number, element) => {
                let kind = &session.module().resources[*number].kind;
                let buffer = &session.bindings().bindings[*number][*element];
                let layout = Layout::of(kind, buffer.what.format());
                inside(count_of(kind, buffer))
                    .map(|it| plain(&format!("[{it}]"), show::element(&layout, &buffer.bytes, it)))
                    .collect()
            }
        }
    }

    fn locals(&mut self, session: &Session, wave: WaveId, depth: usize) -> Vec<Value> {
        let frames = session.frames(wave);
        let Some(frame) = frames.get(depth) else { return Vec::new() };
        let active = session.active(wave);
        let one = |id: &VariableId| {
            let variable = session.variable(wave, *id);
            let scalars = &session.module().notes.variable(*id).scalars;
            let types: Vec<HostScalar> = scalars.iter().map(|it| it.ty).collect();
            let values = show::lanes_of(&variable.ty, &types, &variable.rows, session.width());
            let of = Some((wave, *id));
            self.of_lanes(&variable.name, &variable.ty, values, active, of)
        };
        frame.variables.iter().map(one).collect()
    }

    fn groupshared(&mut self, session: &Session, wave: WaveId) -> Vec<Value> {
        let memories = session.module().groupshared.iter();
        let one = |(number, memory): (usize, &ir::Memory)| {
            let reference = self.reference(Reference::SharedArray(wave, number as u32));
            json!({
                "name": memory.name,
                "value": format!("{} × {}", memory.len, memory.ty.name()),
                "variablesReference": reference,
                "indexedVariables": memory.len,
            })
        };
        memories.enumerate().map(one).collect()
    }

    fn resources(&mut self, session: &Session) -> Vec<Value> {
        let mut all = Vec::new();
        for (number, resource) in session.module().resources.iter().enumerate() {
            let buffers = &session.bindings().bindings[number];
            for (element, buffer) in buffers.iter().enumerate() {
                let count = count_of(&resource.kind, buffer);
                let reference = match count {
                    0 => 0,
                    _ => self.reference(Reference::Resource(number, element)),
                };
                let name = match buffers.len() {
                    1 => resource.name.clone(),
                    _ => format!("{}[{element}]", resource.name),
                };
                all.push(json!({
                    "name": name,
                    "value": format!("{} bytes", buffer.bytes.len()),
                    "variablesReference": reference,
                    "indexedVariables": count,
                    "memoryReference": format!("{number}:{element}"),
                }));
            }
        }
        all
    }

    fn of_lanes(
        &mut self,
        name: &str,
        ty: &str,
        values: Vec<String>,
        active: LaneMask,
        of: Option<(WaveId, VariableId)>,
    ) -> Value {
        let (value, width) = (show::row(&values, active), values.len());
        let reference = self.reference(Reference::Lanes { values, active, of });
        json!({
            "name": name,
            "value": value,
            "type": ty,
            "variablesReference": reference,
            "indexedVariables": width,
        })
    }

    pub(crate) fn evaluate(&mut self, arguments: &Value) -> Result<Answer, String> {
        let text = arguments["expression"].as_str().ok_or("`expression` is missing")?;
        let session = self.session()?;
        let wave = match arguments["frameId"] {
            Value::Null => {
                session.current().map(|it| it.0).ok_or("the run is not at a statement")?
            }
            ref id => self.frame(id)?.0,
        };
        let shown = session.eval(wave, text).map_err(|Refused(why)| why)?;
        let width = session.width();
        let values = show::shown(&shown, width);
        let row = self.of_lanes(text, &shown.ty, values, shown.active, None);
        let value = row["value"].as_str().unwrap_or("").to_owned();
        let one = value.strip_suffix(" (all)");
        let (reference, count) = match one {
            Some(_) => (json!(0), json!(0)),
            None => (row["variablesReference"].clone(), json!(width)),
        };
        Ok(Answer::of(json!({
            "result": value,
            "type": shown.ty,
            "variablesReference": reference,
            "indexedVariables": count,
        })))
    }

    // Memory.

    /// The layout of a buffer's elements, and their number.
    pub(crate) fn layout(&self, resource: usize, element: usize) -> Result<(Layout, u64), String> {
        let session = self.session()?;
        let kind = session.module().resources.get(resource).map(|it| &it.kind);
        let buffers = session.bindings().bindings.get(resource);
        let buffer = buffers.and_then(|it| it.get(element));
        let (kind, buffer) = kind.zip(buffer).ok_or("unknown memory reference")?;
        Ok((Layout::of(kind, buffer.what.format()), count_of(kind, buffer)))
    }

    pub(crate) fn read_memory(&self, arguments: &Value) -> Result<Answer, String> {
        let reference = arguments["memoryReference"].as_str();
        let reference = reference.ok_or("`memoryReference` is missing")?;
        let place = reference.split_once(':').and_then(|(resource, element)| {
            Some((resource.parse::<usize>().ok()?, element.parse::<usize>().ok()?))
        });
        let session = self.session()?;
        let buffer = place.and_then(|(resource, element)| {
            session.bindings().bindings.get(resource)?.get(element)
        });
        let buffer = buffer.ok_or_else(|| format!("unknown memory reference `{reference}`"))?;
        let offset = arguments["offset"].as_i64().unwrap_or(0);
        let count = arguments["count"].as_u64().ok_or("`count` is missing")?;
        // Bytes outside the buffer cannot be read.
        let Ok(begin) = usize::try_from(offset) else {
            return Ok(Answer::of(
                json!({"address": offset.to_string(), "unreadableBytes": count}),
            ));
        };
        let length = buffer.bytes.len();
        let begin = begin.min(length);
        let most = usize::try_from(count.min(MOST_BYTES)).unwrap_or(usize::MAX);
        let end = begin.saturating_add(most).min(length);
        let read = (end - begin) as u64;
        Ok(Answer::of(json!({
            "address": format!("{begin:#x}"),
            "data": timeline::base64(&buffer.bytes[begin..end]),
            "unreadableBytes": count - read,
        })))
    }

    pub(crate) fn loaded_sources(&self) -> Result<Answer, String> {
        let session = self.session.as_ref().ok_or("nothing is launched")?;
        let files = session.sources().files().filter(|it| !is_built_in(&it.1.name));
        let all: Vec<Value> = files.map(|it| self.source_of(session, &it.1.name)).collect();
        Ok(Answer::of(json!({"sources": all})))
    }

    /// A file as clients know it: one that is not on a disk has a number, with which clients request its text.
    pub(crate) fn source_of(&self, session: &Session, file: &str) -> Value {
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        if is_built_in(file) {
            let at = session.sources().files().position(|it| *it.1.name == *file);
            return json!({"name": name, "sourceReference": at.map_or(0, |it| it + 1)});
        }
        json!({"name": name, "path": self.launcher.path(file)})
    }

    pub(crate) fn source_text(&self, arguments: &Value) -> Result<Answer, String> {
        let session = self.session.as_ref().ok_or("nothing is launched")?;
        let reference = &arguments["source"]["sourceReference"];
        let number = reference.as_u64().or(arguments["sourceReference"].as_u64()).unwrap_or(0);
        let at = usize::try_from(number).ok().and_then(|it| it.checked_sub(1));
        let file = at.and_then(|it| session.sources().files().nth(it));
        let file = file.ok_or("the sources of a program are files")?;
        Ok(Answer::of(json!({"content": &*file.1.text, "mimeType": "text/x-hlsl"})))
    }
}

/// The place in a list of what an identifier of the client counts from 1.
pub(crate) fn index(id: &Value, length: usize, field: &str, what: &str) -> Result<usize, String> {
    let id = id.as_u64().ok_or_else(|| format!("`{field}` is missing"))?;
    let at = usize::try_from(id).ok().and_then(|it| it.checked_sub(1));
    at.filter(|it| *it < length).ok_or_else(|| format!("unknown {what} {id}"))
}

/// A variable without parts.
fn plain(name: &str, value: String) -> Value {
    json!({"name": name, "value": value, "variablesReference": 0})
}

fn lanes_of_wave(session: &Session, wave: WaveId) -> Vec<Value> {
    let Some(seen) = session.wave(wave) else { return Vec::new() };
    let (active, live) = (session.active(wave), seen.at.map_or(seen.lanes, |it| it.live));
    let lanes = |set: LaneMask| show::lanes(set, session.width());
    let counted = format!("{} {} of {}", lanes(active), active.count(), live.count());
    vec![plain("active", counted), plain("live", lanes(live)), plain("lanes", lanes(seen.lanes))]
}

/// Whether the compiler brings the file along.
fn is_built_in(file: &str) -> bool {
    file.starts_with('<')
}

/// The number of elements that are shown of a buffer; 0 if it has none that can be.
fn count_of(kind: &ResourceKind, buffer: &Buffer) -> u64 {
    match kind.view().is_buffer() {
        true => (buffer.bytes.len() / Layout::of(kind, buffer.what.format()).stride) as u64,
        false => 0,
    }
}

/// Groupshared memory has no signs: its integers are shown without.
fn shown_as(ty: ops::Ty) -> HostScalar {
    match ty {
        ops::Ty::Bool => HostScalar::Bool,
        ops::Ty::I16 => HostScalar::U16,
        ops::Ty::I32 => HostScalar::U32,
        ops::Ty::I64 => HostScalar::U64,
        ops::Ty::F16 => HostScalar::F16,
        ops::Ty::F32 => HostScalar::F32,
        ops::Ty::F64 => HostScalar::F64,
    }
}
