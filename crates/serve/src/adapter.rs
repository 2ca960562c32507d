//! The debug adapter: requests of the Debug Adapter Protocol to commands of a session.
//!
//! A request is answered at once; a run goes on in [`Adapter::go_on`], slice by slice, so that `pause` is heard.

use std::collections::{BTreeMap, BTreeSet};

use diag::Location;
use ir::{HostScalar, ResourceKind};
use ops::LaneMask;
use serde_json::{Value, json};
use session::{Back, Breakpoint, Finding, Forward, Refused, Row, Session, Stop, WaveId};

use crate::show;

/// What a launch means, and what is to be done when the run has ended.
pub trait Launcher {
    /// Opens a session for the arguments of a `launch` request; `Err` is the message of the command line.
    fn launch(&mut self, arguments: &Value) -> Result<Session, String>;
    /// The run has ended.
    fn ended(&mut self, session: &Session) -> Result<(), String>;
}

/// The wave-instructions between two looks at requests.
const SLICE: u64 = 1 << 18;
/// The wave-instructions that are watched for findings.
const WATCHED: u64 = 1 << 26;
/// The most threads that a client is shown.
const MOST_THREADS: usize = 32;
/// The most elements of one answer.
const MOST_CHILDREN: u64 = 4096;

/// How a run goes on.
#[derive(Clone, Copy)]
enum Going {
    Forward(Forward),
    Back(Back),
}

/// What `variablesReference` stands for, until the run goes on.
enum Reference {
    Wave(WaveId),
    Locals(WaveId, usize),
    Groupshared(WaveId),
    Resources,
    Lanes { values: Vec<String>, active: LaneMask },
    SharedArray(WaveId, u32),
    Resource(usize, usize),
}

/// A breakpoint as the client set it.
struct Set {
    breakpoint: Breakpoint,
    hits: Option<HitCondition>,
    log: Option<String>,
    /// The ticks at which it was reached.
    reached: BTreeSet<u64>,
    is_refused: bool,
}

#[derive(Clone, Copy)]
enum HitCondition {
    Equal(u64),
    AtLeast(u64),
    Every(u64),
}

impl HitCondition {
    fn parse(text: &str) -> Option<HitCondition> {
        let text = text.trim();
        let number = |it: &str| it.trim().parse::<u64>().ok().filter(|it| *it > 0);
        match () {
            () if text.starts_with(">=") => number(&text[2..]).map(HitCondition::AtLeast),
            () if text.starts_with("==") => number(&text[2..]).map(HitCondition::Equal),
            () if text.starts_with('%') => number(&text[1..]).map(HitCondition::Every),
            () => number(text).map(HitCondition::Equal),
        }
    }

    fn holds(self, count: u64) -> bool {
        match self {
            HitCondition::Equal(wanted) => count == wanted,
            HitCondition::AtLeast(wanted) => count >= wanted,
            HitCondition::Every(wanted) => count.is_multiple_of(wanted),
        }
    }
}

/// A debug adapter.
pub struct Adapter<L> {
    launcher: L,
    session: Option<Session>,
    sequence: u64,
    is_configured: bool,
    stops_on_entry: bool,
    has_ended: bool,
    /// By the file that they are in.
    breakpoints: BTreeMap<String, Vec<Set>>,
    /// The codes of findings that stop the run.
    filters: BTreeSet<String>,
    findings: Option<Vec<Finding>>,
    /// The finding at which the run stands.
    finding: Option<usize>,
    going: Option<Going>,
    waves: Vec<WaveId>,
    references: Vec<Reference>,
    frames: Vec<(WaveId, usize)>,
}

/// Receives messages.
pub type Out<'a> = &'a mut dyn FnMut(Value);

impl<L: Launcher> Adapter<L> {
    pub fn new(launcher: L) -> Adapter<L> {
        Adapter {
            launcher,
            session: None,
            sequence: 0,
            is_configured: false,
            stops_on_entry: false,
            has_ended: false,
            breakpoints: BTreeMap::new(),
            filters: BTreeSet::new(),
            findings: None,
            finding: None,
            going: None,
            waves: Vec::new(),
            references: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// Whether [`Adapter::go_on`] has something to do.
    pub fn is_going(&self) -> bool {
        self.going.is_some()
    }

    /// Takes the body of a message. What is not a request is passed over.
    pub fn message(&mut self, body: &[u8], out: Out<'_>) {
        let Ok(request) = serde_json::from_slice::<Value>(body) else { return };
        let Some(command) = request["command"].as_str().filter(|_| request["type"] == "request")
        else {
            return;
        };
        let answer = self.request(command, &request["arguments"], out);
        let mut response = json!({
            "type": "response",
            "request_seq": request["seq"],
            "command": command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(Answer { ref body, .. }) if body.is_null() => {}
            Ok(Answer { ref body, .. }) => response["body"] = body.clone(),
            Err(ref message) => {
                response["message"] = json!(message);
                response["body"] = json!({"error": {"id": 1, "format": message, "showUser": true}});
            }
        }
        self.send(response, out);
        if let Ok(Answer { event: Some(event), .. }) = answer {
            self.send(event, out);
        }
    }

    /// Lets the run go on for a while.
    pub fn go_on(&mut self, out: Out<'_>) {
        let Some(going) = self.going else { return };
        let Some(session) = &mut self.session else { return };
        let before = session.current().map(|it| it.1.tick);
        let stop = match going {
            Going::Forward(until) => session.forward(until, SLICE),
            // Going back is bounded by the run so far.
            Going::Back(until) => session.back(until, u64::MAX),
        };
        if let (Going::Forward(_), Some(number)) = (going, self.finding_after(before, &stop)) {
            return self.stop_at_finding(number, out);
        }
        match stop {
            Stop::Budget => {}
            Stop::Step(wave) => self.stopped("step", wave, out),
            Stop::Entry(wave) => self.stopped("entry", wave, out),
            Stop::Breakpoint(wave, numbers) => self.at_breakpoints(going, wave, &numbers, out),
            Stop::End => self.end(None, out),
            Stop::Failed(failure) => self.end(Some(failure.to_string()), out),
        }
    }

    fn send(&mut self, mut message: Value, out: Out<'_>) {
        self.sequence += 1;
        message["seq"] = json!(self.sequence);
        out(message);
    }

    fn event(&mut self, name: &str, body: Value, out: Out<'_>) {
        self.send(json!({"type": "event", "event": name, "body": body}), out);
    }

    fn output(&mut self, category: &str, text: &str, out: Out<'_>) {
        self.event("output", json!({"category": category, "output": format!("{text}\n")}), out);
    }

    // Stopping.

    fn stopped(&mut self, reason: &str, wave: WaveId, out: Out<'_>) {
        self.going = None;
        self.references.clear();
        self.frames.clear();
        let thread = self.thread(wave);
        let body = json!({"reason": reason, "threadId": thread, "allThreadsStopped": true});
        self.event("stopped", body, out);
    }

    fn end(&mut self, failure: Option<String>, out: Out<'_>) {
        self.going = None;
        if let Some(failure) = failure {
            self.output("stderr", &failure, out);
        }
        if let Some(session) = &self.session
            && let Err(message) = self.launcher.ended(session)
        {
            self.output("stderr", &message, out);
        }
        self.has_ended = true;
        self.event("terminated", json!({}), out);
    }

    /// Stops at breakpoints whose conditions hold, unless they only write a line.
    fn at_breakpoints(&mut self, going: Going, wave: WaveId, numbers: &[usize], out: Out<'_>) {
        let Some((_, statement)) = self.session.as_ref().and_then(Session::current) else { return };
        let (mut lines, mut stops) = (Vec::new(), false);
        let session = self.session.as_ref();
        for set in self.breakpoints.values_mut().flatten().enumerate() {
            let (number, set) = set;
            if !numbers.contains(&number) || set.is_refused {
                continue;
            }
            set.reached.insert(statement.tick);
            let count = set.reached.range(..=statement.tick).count() as u64;
            if set.hits.is_some_and(|it| !it.holds(count)) {
                continue;
            }
            match (&set.log, session) {
                (Some(text), Some(session)) => lines.push(log_line(session, wave, text)),
                _ => stops = true,
            }
        }
        for line in lines {
            self.output("console", &line, out);
        }
        let is_target = match going {
            Going::Forward(Forward::Into(of) | Forward::Over(of)) => of == wave,
            _ => false,
        };
        if stops {
            self.stopped("breakpoint", wave, out);
        } else if is_target {
            self.stopped("step", wave, out);
        }
    }

    /// The first finding on the way from a statement to where the run stopped.
    fn finding_after(&self, before: Option<u64>, stop: &Stop) -> Option<usize> {
        let session = self.session.as_ref()?;
        let end = match stop {
            Stop::End | Stop::Failed(_) => u64::MAX,
            _ => session.current()?.1.tick,
        };
        let all = self.findings.iter().flatten().enumerate();
        let mut wanted = all.filter(|(_, it)| {
            let code = it.finding.kind.code().name;
            let is_undefined = it.finding.kind.verdict() == session::Verdict::Undefined;
            self.filters.contains(code) || is_undefined && self.filters.contains("undefined")
        });
        let found = wanted.find(|(_, it)| before.is_none_or(|at| it.tick > at) && it.tick < end);
        found.map(|it| it.0)
    }

    fn stop_at_finding(&mut self, number: usize, out: Out<'_>) {
        let tick = self.findings.as_ref().map_or(0, |it| it[number].tick);
        let Some(session) = &mut self.session else { return };
        if let Stop::Step(wave) = session.seek(tick, u64::MAX) {
            self.finding = Some(number);
            self.stopped("exception", wave, out);
        }
    }

    fn thread(&mut self, wave: WaveId) -> u64 {
        let at = self.waves.iter().position(|it| *it == wave);
        let at = at.unwrap_or_else(|| {
            self.waves.push(wave);
            self.waves.len() - 1
        });
        at as u64 + 1
    }

    // Requests.

    fn request(
        &mut self,
        command: &str,
        arguments: &Value,
        out: Out<'_>,
    ) -> Result<Answer, String> {
        match command {
            "initialize" => Ok(Answer::of(capabilities())),
            "launch" => self.launch(arguments),
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setExceptionBreakpoints" => {
                let filters = arguments["filters"].as_array().ok_or("`filters` is missing")?;
                self.filters =
                    filters.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect();
                if let (Some(session), false) = (&self.session, self.filters.is_empty()) {
                    self.findings.get_or_insert_with(|| session.findings(WATCHED));
                }
                Ok(Answer::NOTHING)
            }
            "configurationDone" => self.configuration_done(),
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "continue" => {
                self.resume(Going::Forward(Forward::Break))?;
                Ok(Answer::of(json!({"allThreadsContinued": true})))
            }
            "reverseContinue" => self.resume(Going::Back(Back::Break)).map(|()| Answer::NOTHING),
            "next" | "stepIn" | "stepOut" | "stepBack" => {
                let wave = self.wave(arguments)?;
                self.resume(match command {
                    "next" => Going::Forward(Forward::Over(wave)),
                    "stepIn" => Going::Forward(Forward::Into(wave)),
                    "stepOut" => Going::Forward(Forward::Out(wave)),
                    _ => Going::Back(Back::Into(wave)),
                })?;
                Ok(Answer::NOTHING)
            }
            "pause" => self.pause(out),
            "exceptionInfo" => self.exception_info(),
            "source" => Err("sources are files".to_owned()),
            "disconnect" | "terminate" => {
                self.going = None;
                Ok(Answer::NOTHING)
            }
            _ => Err(format!("there is no request `{command}`")),
        }
    }

    fn launch(&mut self, arguments: &Value) -> Result<Answer, String> {
        if self.session.is_some() {
            return Err("a program is launched already".to_owned());
        }
        let session = self.launcher.launch(arguments)?;
        self.stops_on_entry = arguments["stopOnEntry"].as_bool().unwrap_or(false);
        self.session = Some(session);
        let event = json!({"type": "event", "event": "initialized"});
        Ok(Answer { body: Value::Null, event: Some(event) })
    }

    fn configuration_done(&mut self) -> Result<Answer, String> {
        let session = self.session.as_mut().ok_or("nothing is launched")?;
        if self.is_configured {
            return Err("the configuration is done already".to_owned());
        }
        self.is_configured = true;
        if !self.filters.is_empty() && self.findings.is_none() {
            self.findings = Some(session.findings(WATCHED));
        }
        if self.stops_on_entry
            && let Stop::Step(wave) = session.seek(0, u64::MAX)
        {
            let thread = self.thread(wave);
            let body = json!({"reason": "entry", "threadId": thread, "allThreadsStopped": true});
            let event = json!({"type": "event", "event": "stopped", "body": body});
            return Ok(Answer { body: Value::Null, event: Some(event) });
        }
        self.going = Some(Going::Forward(Forward::Break));
        Ok(Answer::NOTHING)
    }

    fn resume(&mut self, going: Going) -> Result<(), String> {
        if !self.is_configured || self.session.is_none() {
            return Err("the program does not run yet".to_owned());
        }
        if self.has_ended && matches!(going, Going::Forward(_)) {
            return Err("the run has ended".to_owned());
        }
        if self.going.is_some() {
            return Err("the program is running".to_owned());
        }
        self.has_ended = false;
        self.finding = None;
        self.references.clear();
        self.frames.clear();
        self.going = Some(going);
        Ok(())
    }

    fn pause(&mut self, out: Out<'_>) -> Result<Answer, String> {
        let Some(session) = &mut self.session else { return Err("nothing is launched".to_owned()) };
        if self.going.take().is_none() {
            return Ok(Answer::NOTHING);
        }
        match session.forward(Forward::Any, u64::MAX) {
            Stop::Step(wave) | Stop::Breakpoint(wave, _) | Stop::Entry(wave) => {
                let thread = self.thread(wave);
                let body =
                    json!({"reason": "pause", "threadId": thread, "allThreadsStopped": true});
                let event = json!({"type": "event", "event": "stopped", "body": body});
                Ok(Answer { body: Value::Null, event: Some(event) })
            }
            Stop::End => {
                self.end(None, out);
                Ok(Answer::NOTHING)
            }
            Stop::Failed(failure) => {
                self.end(Some(failure.to_string()), out);
                Ok(Answer::NOTHING)
            }
            Stop::Budget => Ok(Answer::NOTHING),
        }
    }

    fn set_breakpoints(&mut self, arguments: &Value) -> Result<Answer, String> {
        let path = arguments["source"]["path"].as_str().or(arguments["source"]["name"].as_str());
        let path = path.ok_or("`source` has no path")?.replace('\\', "/");
        let file = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let none = Vec::new();
        let wanted = arguments["breakpoints"].as_array().unwrap_or(&none);
        let mut sets = Vec::new();
        let mut wrong = Vec::new();
        for it in wanted {
            let line = it["line"].as_u64().and_then(|it| u32::try_from(it).ok());
            let line = line.ok_or("a breakpoint has no line")?;
            let text = |name: &str| it[name].as_str().filter(|it| !it.is_empty());
            let hits = text("hitCondition").map(|it| (HitCondition::parse(it), it));
            wrong.push(match hits {
                Some((None, text)) => {
                    Some(format!("`{text}` is not a hit count: `N`, `== N`, `>= N` or `% N`"))
                }
                _ => None,
            });
            sets.push(Set {
                breakpoint: Breakpoint {
                    file: file.clone(),
                    line,
                    condition: text("condition").map(str::to_owned),
                },
                hits: hits.and_then(|it| it.0),
                log: text("logMessage").map(str::to_owned),
                reached: BTreeSet::new(),
                is_refused: false,
            });
        }
        self.breakpoints.insert(file.clone(), sets);
        let session = self.session.as_mut().ok_or("nothing is launched")?;
        let all: Vec<Breakpoint> =
            self.breakpoints.values().flatten().map(|it| it.breakpoint.clone()).collect();
        let lines = session.breakpoints(all);
        let first: usize = self.breakpoints.range(..file.clone()).map(|it| it.1.len()).sum();
        let mut answers = Vec::new();
        for (at, set) in self.breakpoints.get_mut(&file).into_iter().flatten().enumerate() {
            let number = first + at;
            let condition = set.breakpoint.condition.as_deref().map(unwrapped);
            let refused = condition.and_then(|it| session.check(number, it).err());
            let message = match (lines[number], refused, &wrong[at]) {
                (None, ..) => Some("no statement begins on this line or after it".to_owned()),
                (_, Some(Refused(why)), _) => Some(why),
                (_, None, why) => why.clone(),
            };
            set.is_refused = message.is_some();
            let mut answer = json!({
                "id": number + 1,
                "verified": message.is_none(),
                "line": lines[number].unwrap_or(set.breakpoint.line),
            });
            if let Some(message) = message {
                answer["message"] = json!(message);
            }
            answers.push(answer);
        }
        Ok(Answer::of(json!({"breakpoints": answers})))
    }

    // Looking.

    fn session(&self) -> Result<&Session, String> {
        if self.going.is_some() {
            return Err("the program is running".to_owned());
        }
        self.session.as_ref().ok_or_else(|| "nothing is launched".to_owned())
    }

    fn wave(&self, arguments: &Value) -> Result<WaveId, String> {
        let thread = arguments["threadId"].as_u64().ok_or("`threadId` is missing")?;
        let wave = thread.checked_sub(1).and_then(|it| self.waves.get(usize::try_from(it).ok()?));
        wave.copied().ok_or_else(|| format!("there is no thread {thread}"))
    }

    fn threads(&mut self) -> Result<Answer, String> {
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

    fn stack_trace(&mut self, arguments: &Value) -> Result<Answer, String> {
        let wave = self.wave(arguments)?;
        let session = self.session()?;
        let all = session.frames(wave);
        let mut frames = Vec::new();
        for (depth, frame) in all.iter().enumerate() {
            let place = session.sources().location(frame.span);
            let Location { file, line, column } =
                place.unwrap_or(Location { file: "".into(), line: 0, column: 0 });
            frames.push((depth, frame.function.clone(), file, line, column));
        }
        let total = frames.len();
        let start = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
        let levels = match arguments["levels"].as_u64() {
            None | Some(0) => usize::MAX,
            Some(levels) => usize::try_from(levels).unwrap_or(usize::MAX),
        };
        let mut answers = Vec::new();
        for (depth, name, file, line, column) in frames.into_iter().skip(start).take(levels) {
            self.frames.push((wave, depth));
            let name_of_file = file.rsplit('/').next().unwrap_or(&file).to_owned();
            answers.push(json!({
                "id": self.frames.len(),
                "name": name,
                "line": line,
                "column": column,
                "source": {"name": name_of_file, "path": &*file},
            }));
        }
        Ok(Answer::of(json!({"stackFrames": answers, "totalFrames": total})))
    }

    fn frame(&self, id: &Value) -> Result<(WaveId, usize), String> {
        let id = id.as_u64().ok_or("`frameId` is missing")?;
        let frame = id.checked_sub(1).and_then(|it| self.frames.get(usize::try_from(it).ok()?));
        frame.copied().ok_or_else(|| format!("there is no frame {id}"))
    }

    fn reference(&mut self, reference: Reference) -> usize {
        self.references.push(reference);
        self.references.len()
    }

    fn scopes(&mut self, arguments: &Value) -> Result<Answer, String> {
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

    fn variables(&mut self, arguments: &Value) -> Result<Answer, String> {
        let id =
            arguments["variablesReference"].as_u64().ok_or("`variablesReference` is missing")?;
        let at = usize::try_from(id).ok().and_then(|it| it.checked_sub(1));
        let at = at.filter(|it| *it < self.references.len());
        let at = at.ok_or_else(|| format!("there are no variables {id}"))?;
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
        let width = session.width();
        let inside = |length: u64| start..start.saturating_add(count).min(length);
        let plain = |name: &str, value: String| json!({"name": name, "value": value, "variablesReference": 0});
        match &self.references[at] {
            Reference::Wave(wave) => {
                let Some(seen) = session.wave(*wave) else { return Vec::new() };
                let live = seen.at.map_or(seen.lanes, |it| it.live);
                let active = session.active(*wave);
                vec![
                    plain(
                        "active",
                        format!(
                            "{} {} of {}",
                            show::lanes(active, width),
                            active.count(),
                            live.count()
                        ),
                    ),
                    plain("live", show::lanes(live, width)),
                    plain("lanes", show::lanes(seen.lanes, width)),
                ]
            }
            Reference::Locals(wave, depth) => {
                let (wave, depth) = (*wave, *depth);
                let frames = session.frames(wave);
                let Some(frame) = frames.get(depth) else { return Vec::new() };
                let active = session.active(wave);
                let mut all = Vec::new();
                for id in &frame.variables {
                    let variable = session.variable(wave, *id);
                    let types: Vec<HostScalar> = session
                        .module()
                        .notes
                        .variable(*id)
                        .scalars
                        .iter()
                        .map(|it| it.ty)
                        .collect();
                    all.push(self.of_lanes(
                        &variable.name,
                        &variable.ty,
                        &types,
                        &variable.rows,
                        active,
                        width,
                    ));
                }
                all
            }
            Reference::Lanes { values, active } => inside(values.len() as u64)
                .map(|lane| {
                    let value = &values[lane as usize];
                    let mark = if active.contains(lane as u32) { "" } else { "·" };
                    plain(&format!("[{lane}]"), format!("{mark}{value}"))
                })
                .collect(),
            Reference::Groupshared(wave) => {
                let wave = *wave;
                let memories = &session.module().groupshared;
                let mut all = Vec::new();
                for (number, memory) in memories.iter().enumerate() {
                    let reference = self.reference(Reference::SharedArray(wave, number as u32));
                    all.push(json!({
                        "name": memory.name,
                        "value": format!("{} × {}", memory.len, memory.ty.name()),
                        "variablesReference": reference,
                        "indexedVariables": memory.len,
                    }));
                }
                all
            }
            Reference::SharedArray(wave, number) => {
                let memory = &session.module().groupshared[*number as usize];
                let elements = inside(memory.len.into());
                elements
                    .filter_map(|index| {
                        let (bits, poisoned) = session.shared(*wave, ir::Shared(*number), index)?;
                        let ty = shown_as(memory.ty);
                        let value =
                            if poisoned { "?".to_owned() } else { timeline::text(ty, bits) };
                        Some(plain(&format!("[{index}]"), value))
                    })
                    .collect()
            }
            Reference::Resources => {
                let mut all = Vec::new();
                for (number, resource) in session.module().resources.iter().enumerate() {
                    let buffers = &session.bindings().bindings[number];
                    for (element, buffer) in buffers.iter().enumerate() {
                        let count = elements(&resource.kind, buffer.bytes.len());
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
                        }));
                    }
                }
                all
            }
            Reference::Resource(number, element) => {
                let kind = &session.module().resources[*number].kind;
                let bytes = &session.bindings().bindings[*number][*element].bytes;
                inside(elements(kind, bytes.len()))
                    .map(|index| plain(&format!("[{index}]"), element_text(kind, bytes, index)))
                    .collect()
            }
        }
    }

    fn of_lanes(
        &mut self,
        name: &str,
        ty: &str,
        types: &[HostScalar],
        rows: &[Row],
        active: LaneMask,
        width: u32,
    ) -> Value {
        let values: Vec<String> =
            (0..width).map(|lane| show::of_lane(ty, types, rows, lane)).collect();
        let value = show::row(&values, active);
        let reference = self.reference(Reference::Lanes { values, active });
        json!({
            "name": name,
            "value": value,
            "type": ty,
            "variablesReference": reference,
            "indexedVariables": width,
        })
    }

    fn evaluate(&mut self, arguments: &Value) -> Result<Answer, String> {
        let text = arguments["expression"].as_str().ok_or("`expression` is missing")?;
        let session = self.session()?;
        let wave = match arguments["frameId"] {
            Value::Null => session.current().map(|it| it.0).ok_or("the run stands nowhere")?,
            ref id => self.frame(id)?.0,
        };
        let shown = session.eval(wave, text).map_err(|Refused(why)| why)?;
        let width = session.width();
        let types: Vec<HostScalar> = shown.scalars.iter().map(|it| it.ty).collect();
        let row = self.of_lanes(text, &shown.ty, &types, &shown.rows, shown.active, width);
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

    fn exception_info(&self) -> Result<Answer, String> {
        let number = self.finding.ok_or("the run does not stand at a finding")?;
        let finding = self.findings.as_ref().and_then(|it| it.get(number));
        let finding = finding.ok_or("the run does not stand at a finding")?;
        let sources = self.session()?.sources();
        let text = diag::render(&finding.finding.report(), sources, diag::Style::Plain);
        Ok(Answer::of(json!({
            "exceptionId": finding.finding.kind.code().name,
            "description": text,
            "breakMode": "always",
        })))
    }
}

/// A response, and an event after it.
struct Answer {
    body: Value,
    event: Option<Value>,
}

impl Answer {
    const NOTHING: Answer = Answer { body: Value::Null, event: None };

    fn of(body: Value) -> Answer {
        Answer { body, event: None }
    }
}

fn capabilities() -> Value {
    let filter = |name: &str, label: &str| json!({"filter": name, "label": label});
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsStepBack": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionInfoRequest": true,
        "supportsTerminateRequest": true,
        "exceptionBreakpointFilters": [
            filter("undefined", "undefined: any kind"),
            filter("race", "race"),
            filter("inactive-lane-read", "inactive lane read"),
            filter("uninitialized-value", "uninitialized value"),
            filter("buffer-out-of-bounds", "buffer out of bounds"),
        ],
    })
}

/// A condition without the `all(…)` that says how lanes count.
fn unwrapped(condition: &str) -> &str {
    let inner = condition.trim().strip_prefix("all(").and_then(|it| it.strip_suffix(')'));
    inner.unwrap_or(condition)
}

/// The line of a log point: what stands in braces is evaluated.
fn log_line(session: &Session, wave: WaveId, text: &str) -> String {
    let (mut line, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        line.push_str(before);
        let Some((expression, after)) = behind.split_once('}') else {
            line.push('{');
            rest = behind;
            continue;
        };
        match session.eval(wave, expression) {
            Ok(shown) => {
                let types: Vec<HostScalar> = shown.scalars.iter().map(|it| it.ty).collect();
                let values: Vec<String> = (0..session.width())
                    .map(|lane| show::of_lane(&shown.ty, &types, &shown.rows, lane))
                    .collect();
                line.push_str(&show::row(&values, shown.active));
            }
            Err(Refused(why)) => line.push_str(&format!("<{why}>")),
        }
        rest = after;
    }
    line.push_str(rest);
    line.replace('\n', " ")
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

/// The number of elements that a buffer of so many bytes has; 0 if its elements are not shown.
fn elements(kind: &ResourceKind, bytes: usize) -> u64 {
    let size = match kind {
        ResourceKind::Structured { stride, .. } => *stride,
        ResourceKind::Raw { .. } | ResourceKind::Constant { .. } => 4,
        ResourceKind::Typed { element, .. } => element.scalar.bytes() * element.components,
        ResourceKind::Texture { .. } | ResourceKind::Sampler { .. } | ResourceKind::Scene => {
            return 0;
        }
    };
    bytes as u64 / u64::from(size.max(1))
}

fn element_text(kind: &ResourceKind, bytes: &[u8], index: u64) -> String {
    let scalar = |offset: u64, ty: HostScalar| {
        let mut word = [0; 8];
        let size = ty.bytes() as usize;
        let Some(bytes) = bytes.get(offset as usize..offset as usize + size) else {
            return "–".to_owned();
        };
        word[..size].copy_from_slice(bytes);
        timeline::text(ty, u64::from_le_bytes(word))
    };
    match kind {
        ResourceKind::Structured { stride, members, .. } => {
            let mut all = Vec::new();
            for member in members {
                let vectors = u64::from(member.vectors) * u64::from(member.components);
                for at in 0..vectors {
                    let (vector, component) =
                        (at / u64::from(member.components), at % u64::from(member.components));
                    let offset = index * u64::from(*stride)
                        + u64::from(member.offset)
                        + vector * u64::from(member.vector_stride)
                        + component * u64::from(member.scalar.bytes());
                    all.push(scalar(offset, member.scalar));
                }
            }
            match all.as_slice() {
                [one] => one.clone(),
                _ => format!("({})", all.join(", ")),
            }
        }
        ResourceKind::Typed { element, .. } => {
            let (size, count) = (u64::from(element.scalar.bytes()), u64::from(element.components));
            let all: Vec<String> =
                (0..count).map(|it| scalar((index * count + it) * size, element.scalar)).collect();
            if all.len() == 1 { all[0].clone() } else { format!("({})", all.join(", ")) }
        }
        _ => scalar(index * 4, HostScalar::U32),
    }
}
