//! The debug adapter: requests of the Debug Adapter Protocol to commands of a session.
//!
//! A request is answered at once; a run goes on in [`Adapter::go_on`], slice by slice, so that `pause` is received.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use session::{Back, Finding, Forward, Session, Stop, WaveId};

use crate::breakpoints::Breakpoints;
use crate::look::{Reference, index};

/// Defines what a launch means, and what happens when the run has ended.
pub trait Launcher {
    /// Opens a session for the arguments of a `launch` request; `Err` is the message of the command line.
    fn launch(&mut self, arguments: &Value) -> Result<Session, String>;
    /// The path with which clients open a file of the program.
    fn path(&self, file: &str) -> String {
        file.to_owned()
    }
    /// The run has ended.
    fn ended(&mut self, session: &Session) -> Result<(), String>;
}

/// The wave-instructions between two checks for requests.
const SLICE: u64 = 1 << 18;

/// How a run goes on.
#[derive(Clone, Copy)]
pub(crate) enum Going {
    Forward(Forward),
    Back(Back),
}

/// A debug adapter.
pub struct Adapter<L> {
    pub(crate) launcher: L,
    pub(crate) session: Option<Session>,
    sequence: u64,
    is_configured: bool,
    stops_on_entry: bool,
    has_ended: bool,
    pub(crate) breakpoints: Breakpoints,
    /// The codes of findings that stop the run.
    filters: BTreeSet<String>,
    findings: Option<Vec<Finding>>,
    /// The finding at which the run is stopped.
    finding: Option<usize>,
    /// The first finding that the current command may reach: earlier ones have been passed.
    next_finding: usize,
    going: Option<Going>,
    waves: Vec<WaveId>,
    pub(crate) references: Vec<Reference>,
    pub(crate) frames: Vec<(WaveId, usize)>,
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
            breakpoints: Breakpoints::default(),
            filters: BTreeSet::new(),
            findings: None,
            finding: None,
            next_finding: 0,
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

    /// Takes the body of a message. Messages that are not requests are ignored.
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
        let stop = match going {
            Going::Forward(until) => session.forward(until, SLICE),
            // Going back is bounded by the run so far.
            Going::Back(until) => session.back(until, u64::MAX),
        };
        if let (Going::Forward(_), Some(number)) = (going, self.finding_before(&stop)) {
            return self.stop_at_finding(number, out);
        }
        match stop {
            Stop::Budget => {}
            Stop::Step(wave) => self.stopped("step", wave, out),
            Stop::Entry(wave) => self.stopped("entry", wave, out),
            Stop::Breakpoint(wave, numbers) => self.at_breakpoints(going, wave, &numbers, out),
            Stop::Instruction(wave, numbers) => self.at_instructions(going, wave, &numbers, out),
            Stop::Data(wave, numbers) => self.at_data(wave, &numbers, out),
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
        self.send(event(name, body), out);
    }

    pub(crate) fn output(&mut self, category: &str, text: &str, out: Out<'_>) {
        self.event("output", json!({"category": category, "output": format!("{text}\n")}), out);
    }

    // Stopping.

    /// The event of a stop. What was shown at the previous one is out of date.
    fn stop_event(&mut self, reason: &str, wave: WaveId) -> Value {
        self.going = None;
        self.references.clear();
        self.frames.clear();
        let thread = self.thread(wave);
        let body = json!({"reason": reason, "threadId": thread, "allThreadsStopped": true});
        event("stopped", body)
    }

    pub(crate) fn stopped(&mut self, reason: &str, wave: WaveId, out: Out<'_>) {
        let event = self.stop_event(reason, wave);
        self.send(event, out);
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

    /// The first finding between where the command began and where the run is now.
    fn finding_before(&self, stop: &Stop) -> Option<usize> {
        let end = match stop {
            Stop::End | Stop::Failed(_) => u64::MAX,
            // The statement that has begun last may not be over.
            _ => self.session.as_ref()?.ticks().saturating_sub(1),
        };
        let all = self.findings.iter().flatten().enumerate().skip(self.next_finding);
        let mut wanted = all.filter(|(_, it)| {
            let code = it.finding.kind.code().name;
            let is_undefined = it.finding.kind.verdict() == session::Verdict::Undefined;
            self.filters.contains(code) || is_undefined && self.filters.contains("undefined")
        });
        wanted.find(|(_, it)| it.tick < end).map(|it| it.0)
    }

    /// The first finding of the statement before which the run stands, or after it.
    fn first_finding(&self) -> usize {
        match (self.finding, self.session.as_ref().and_then(Session::current)) {
            (Some(told), _) => told + 1,
            (None, Some(_)) => {
                let begun = self.session.as_ref().map_or(0, Session::ticks);
                let all = self.findings.iter().flatten();
                all.take_while(|it| it.tick + 1 < begun).count()
            }
            (None, None) => 0,
        }
    }

    fn stop_at_finding(&mut self, number: usize, out: Out<'_>) {
        let tick = self.findings.as_ref().map_or(0, |it| it[number].tick);
        let Some(session) = &mut self.session else { return };
        if let Stop::Step(wave) = session.seek(tick, u64::MAX) {
            self.finding = Some(number);
            self.stopped("exception", wave, out);
        }
    }

    pub(crate) fn thread(&mut self, wave: WaveId) -> u64 {
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
            "setFunctionBreakpoints" => self.set_function_breakpoints(arguments),
            "setInstructionBreakpoints" => self.set_instruction_breakpoints(arguments),
            "disassemble" => self.disassemble(arguments),
            "dataBreakpointInfo" => self.data_breakpoint_info(arguments),
            "setDataBreakpoints" => self.set_data_breakpoints(arguments),
            "breakpointLocations" => self.breakpoint_locations(arguments),
            "setExceptionBreakpoints" => {
                let filters = arguments["filters"].as_array().ok_or("`filters` is missing")?;
                self.filters =
                    filters.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect();
                if let (Some(session), false) = (&self.session, self.filters.is_empty()) {
                    self.findings.get_or_insert_with(|| session.findings());
                }
                Ok(Answer::NOTHING)
            }
            "configurationDone" => self.configuration_done(),
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "readMemory" => self.read_memory(arguments),
            "loadedSources" => self.loaded_sources(),
            "continue" => {
                self.resume(Going::Forward(Forward::Break))?;
                Ok(Answer::of(json!({"allThreadsContinued": true})))
            }
            "reverseContinue" => self.resume(Going::Back(Back::Break)).map(|()| Answer::NOTHING),
            "next" | "stepIn" | "stepOut" | "stepBack" => {
                let wave = self.wave(arguments)?;
                let is_fine = arguments["granularity"] == "instruction";
                self.resume(match command {
                    // Calls are inlined: no instruction is one.
                    "next" | "stepIn" if is_fine => Going::Forward(Forward::Instruction(wave)),
                    "stepBack" if is_fine => Going::Back(Back::Instruction(wave)),
                    "next" => Going::Forward(Forward::Over(wave)),
                    "stepIn" => Going::Forward(Forward::Into(wave)),
                    "stepOut" => Going::Forward(Forward::Out(wave)),
                    _ => Going::Back(Back::Into(wave)),
                })?;
                Ok(Answer::NOTHING)
            }
            "pause" => self.pause(out),
            "exceptionInfo" => self.exception_info(),
            "source" => self.source_text(arguments),
            "disconnect" | "terminate" => {
                self.going = None;
                Ok(Answer::NOTHING)
            }
            _ => Err(format!("unknown request `{command}`")),
        }
    }

    fn launch(&mut self, arguments: &Value) -> Result<Answer, String> {
        if self.session.is_some() {
            return Err("a program is launched already".to_owned());
        }
        let session = self.launcher.launch(arguments)?;
        self.stops_on_entry = arguments["stopOnEntry"].as_bool().unwrap_or(false);
        self.session = Some(session);
        Ok(Answer { body: Value::Null, event: Some(event("initialized", json!({}))) })
    }

    fn configuration_done(&mut self) -> Result<Answer, String> {
        let session = self.session.as_mut().ok_or("nothing is launched")?;
        if self.is_configured {
            return Err("the configuration is done already".to_owned());
        }
        self.is_configured = true;
        if !self.filters.is_empty() && self.findings.is_none() {
            self.findings = Some(session.findings());
        }
        if self.stops_on_entry
            && let Stop::Step(wave) = session.seek(0, u64::MAX)
        {
            let event = self.stop_event("entry", wave);
            return Ok(Answer { body: Value::Null, event: Some(event) });
        }
        self.next_finding = 0;
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
        self.next_finding = self.first_finding();
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
            Stop::Step(wave)
            | Stop::Breakpoint(wave, _)
            | Stop::Instruction(wave, _)
            | Stop::Data(wave, _)
            | Stop::Entry(wave) => {
                let event = self.stop_event("pause", wave);
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

    // Looking.

    pub(crate) fn session(&self) -> Result<&Session, String> {
        if self.going.is_some() {
            return Err("the program is running".to_owned());
        }
        self.session.as_ref().ok_or_else(|| "nothing is launched".to_owned())
    }

    pub(crate) fn wave(&self, arguments: &Value) -> Result<WaveId, String> {
        let at = index(&arguments["threadId"], self.waves.len(), "threadId", "thread")?;
        Ok(self.waves[at])
    }

    fn exception_info(&self) -> Result<Answer, String> {
        let number = self.finding.ok_or("the run is not at a finding")?;
        let finding = self.findings.as_ref().and_then(|it| it.get(number));
        let finding = finding.ok_or("the run is not at a finding")?;
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
pub(crate) struct Answer {
    body: Value,
    event: Option<Value>,
}

impl Answer {
    pub(crate) const NOTHING: Answer = Answer { body: Value::Null, event: None };

    pub(crate) fn of(body: Value) -> Answer {
        Answer { body, event: None }
    }
}

fn event(name: &str, body: Value) -> Value {
    json!({"type": "event", "event": name, "body": body})
}

fn capabilities() -> Value {
    let filter = |name: &str, label: &str| json!({"filter": name, "label": label});
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsFunctionBreakpoints": true,
        "supportsDataBreakpoints": true,
        "supportsInstructionBreakpoints": true,
        "supportsDisassembleRequest": true,
        "supportsSteppingGranularity": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsLoadedSourcesRequest": true,
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
