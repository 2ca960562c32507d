//! Breakpoints of lines, functions, instructions and data: how clients set them, and which of them stop the run.

use std::collections::{BTreeMap, BTreeSet};

use ir::notes::VariableId;
use serde_json::{Value, json};
use session::{
    Breakpoint, DataBreakpoint, Forward, InstructionBreakpoint, Refused, Session, Watched, WaveId,
};

use crate::adapter::{Adapter, Answer, Going, Launcher, Out};
use crate::disassembly;
use crate::look::Reference;
use crate::show;

/// The identifier of the first data breakpoint; those of other breakpoints count from 1.
const FIRST_DATA: usize = 1_000_000;

/// Where breakpoints are set together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// A file, by its path as the client has it.
    File(String),
    Functions,
}

/// All breakpoints; those of the session have their numbers in this order.
#[derive(Default)]
pub(crate) struct Breakpoints {
    places: BTreeMap<Origin, Vec<Set>>,
    instructions: Vec<Set>,
    data: Vec<Set>,
}

/// A breakpoint as the client set it.
struct Set {
    breakpoint: Breakpoint,
    hits: Option<HitCondition>,
    log: Option<String>,
    /// The places of the run at which it was reached.
    reached: BTreeSet<(u64, u64)>,
    /// Why it cannot stop the run.
    refused: Option<String>,
}

impl Set {
    fn new(breakpoint: Breakpoint, asked: &Value) -> Set {
        let hits = text(asked, "hitCondition").map(|it| (HitCondition::parse(it), it));
        let refused = match hits {
            Some((None, text)) => {
                Some(format!("`{text}` is not a hit count: `N`, `== N`, `>= N` or `% N`"))
            }
            _ => None,
        };
        Set {
            breakpoint: Breakpoint {
                condition: text(asked, "condition").map(str::to_owned),
                ..breakpoint
            },
            hits: hits.and_then(|it| it.0),
            log: text(asked, "logMessage").map(str::to_owned),
            reached: BTreeSet::new(),
            refused,
        }
    }

    /// Counts a hit at a position of the run. Returns whether the client waits for this one.
    fn is_hit(&mut self, place: (u64, u64)) -> bool {
        if self.refused.is_some() {
            return false;
        }
        self.reached.insert(place);
        let count = self.reached.range(..=place).count() as u64;
        self.hits.is_none_or(|it| it.holds(count))
    }
}

fn text<'a>(asked: &'a Value, name: &str) -> Option<&'a str> {
    asked[name].as_str().filter(|it| !it.is_empty())
}

fn list<'a>(arguments: &'a Value, name: &str) -> Result<&'a [Value], String> {
    match &arguments[name] {
        Value::Null => Ok(&[]),
        Value::Array(all) => Ok(all),
        _ => Err(format!("`{name}` is not a list")),
    }
}

fn path_of(arguments: &Value) -> Result<&str, String> {
    let source = &arguments["source"];
    let path = source["path"].as_str().or(source["name"].as_str());
    path.ok_or_else(|| "`source` has no path".to_owned())
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

impl<L: Launcher> Adapter<L> {
    /// Stops at breakpoints whose conditions hold, unless they only write a line.
    pub(crate) fn at_breakpoints(
        &mut self,
        going: Going,
        wave: WaveId,
        numbers: &[usize],
        out: Out<'_>,
    ) {
        let Some(session) = &self.session else { return };
        let place = session.place();
        let (mut lines, mut stops) = (Vec::new(), None);
        for (number, set) in self.breakpoints.places.values_mut().flatten().enumerate() {
            if !numbers.contains(&number) || !set.is_hit(place) {
                continue;
            }
            match &set.log {
                Some(text) => lines.push(log_line(session, wave, text)),
                None if set.breakpoint.function.is_some() => {
                    stops = stops.or(Some("function breakpoint"));
                }
                None => stops = Some("breakpoint"),
            }
        }
        for line in lines {
            self.output("console", &line, out);
        }
        match stops {
            Some(reason) => self.stopped(reason, wave, out),
            None if is_target(going, wave) => self.stopped("step", wave, out),
            None => {}
        }
    }

    /// Stops before an instruction.
    pub(crate) fn at_instructions(
        &mut self,
        going: Going,
        wave: WaveId,
        numbers: &[usize],
        out: Out<'_>,
    ) {
        let Some(session) = &self.session else { return };
        let place = session.place();
        let mut stops = false;
        for (number, set) in self.breakpoints.instructions.iter_mut().enumerate() {
            stops |= numbers.contains(&number) && set.is_hit(place);
        }
        match stops {
            true => self.stopped("instruction breakpoint", wave, out),
            // A statement that is stepped to has not begun yet.
            false if matches!(going, Going::Forward(Forward::Instruction(of)) if of == wave) => {
                self.stopped("step", wave, out);
            }
            false => {}
        }
    }

    /// Stops before a statement that touches watched data.
    pub(crate) fn at_data(&mut self, wave: WaveId, numbers: &[usize], out: Out<'_>) {
        let Some(session) = &self.session else { return };
        let place = session.place();
        let mut stops = false;
        let verified = self.breakpoints.data.iter_mut().filter(|it| it.refused.is_none());
        for (number, set) in verified.enumerate() {
            let holds = match &set.breakpoint.condition {
                Some(condition) => session.holds(wave, condition).unwrap_or(false),
                None => true,
            };
            stops |= numbers.contains(&number) && holds && set.is_hit(place);
        }
        if stops {
            self.stopped("data breakpoint", wave, out);
        }
    }

    pub(crate) fn set_breakpoints(&mut self, arguments: &Value) -> Result<Answer, String> {
        let path = path_of(arguments)?.to_owned();
        let mut sets = Vec::new();
        for asked in list(arguments, "breakpoints")? {
            let line = asked["line"].as_u64().and_then(|it| u32::try_from(it).ok());
            let line = line.ok_or("a breakpoint has no line")?;
            let file = path.clone();
            sets.push(Set::new(Breakpoint { file, line, ..Breakpoint::default() }, asked));
        }
        self.set(Origin::File(path), sets, "no statement begins on this line or after it")
    }

    pub(crate) fn set_function_breakpoints(&mut self, arguments: &Value) -> Result<Answer, String> {
        let mut sets = Vec::new();
        for asked in list(arguments, "breakpoints")? {
            let name = text(asked, "name").ok_or("a breakpoint has no function")?;
            let function = Some(name.to_owned());
            sets.push(Set::new(Breakpoint { function, ..Breakpoint::default() }, asked));
        }
        self.set(Origin::Functions, sets, "the program neither has nor calls this function")
    }

    /// Replaces the breakpoints of an origin; `nowhere` gets those without a statement.
    fn set(&mut self, origin: Origin, sets: Vec<Set>, nowhere: &str) -> Result<Answer, String> {
        let session = self.session.as_mut().ok_or("nothing is launched")?;
        let places = &mut self.breakpoints.places;
        places.insert(origin.clone(), sets);
        let all: Vec<Breakpoint> =
            places.values().flatten().map(|it| it.breakpoint.clone()).collect();
        let lines = session.breakpoints(all);
        let first: usize = places.range(..&origin).map(|it| it.1.len()).sum();
        let mut answers = Vec::new();
        for (number, set) in (first..).zip(places.get_mut(&origin).into_iter().flatten()) {
            set.refused = match (lines[number], session.check(number)) {
                (None, _) => Some(nowhere.to_owned()),
                (_, Err(Refused(why))) => Some(why),
                (_, Ok(())) => set.refused.take(),
            };
            let mut answer = answer(number + 1, set);
            let line = lines[number].or(Some(set.breakpoint.line).filter(|it| *it > 0));
            if let Some(line) = line {
                answer["line"] = json!(line);
            }
            answers.push(answer);
        }
        Ok(Answer::of(json!({"breakpoints": answers})))
    }

    pub(crate) fn breakpoint_locations(&mut self, arguments: &Value) -> Result<Answer, String> {
        let path = path_of(arguments)?;
        let first = arguments["line"].as_u64().ok_or("`line` is missing")?;
        let last = arguments["endLine"].as_u64().unwrap_or(first);
        let lines = self.session.as_ref().ok_or("nothing is launched")?.lines(path);
        let wanted = lines.into_iter().filter(|it| (first..=last).contains(&u64::from(*it)));
        let all: Vec<Value> = wanted.map(|it| json!({"line": it})).collect();
        Ok(Answer::of(json!({"breakpoints": all})))
    }

    pub(crate) fn set_instruction_breakpoints(
        &mut self,
        arguments: &Value,
    ) -> Result<Answer, String> {
        let session = self.session.as_mut().ok_or("nothing is launched")?;
        let (mut sets, mut all) = (Vec::new(), Vec::new());
        for asked in list(arguments, "breakpoints")? {
            let reference = text(asked, "instructionReference");
            let offset = asked["offset"].as_i64().unwrap_or(0);
            let number =
                reference.and_then(disassembly::number).and_then(|it| it.checked_add(offset));
            let number = number.and_then(|it| usize::try_from(it).ok());
            let mut set = Set::new(Breakpoint::default(), asked);
            match (number, &set.breakpoint.condition) {
                (None, _) => {
                    set.refused = Some("there is no instruction at this address".to_owned())
                }
                (Some(number), Some(condition)) => {
                    let checked = session.check_at(number, condition);
                    set.refused = checked.err().map(|Refused(why)| why).or(set.refused.take());
                }
                (Some(_), None) => {}
            }
            let condition = set.breakpoint.condition.clone();
            all.push(InstructionBreakpoint { number: number.unwrap_or(usize::MAX), condition });
            sets.push(set);
        }
        let addresses: Vec<usize> = all.iter().map(|it| it.number).collect();
        let can_stop = session.instruction_breakpoints(all);
        let mut answers = Vec::new();
        for (number, set) in sets.iter_mut().enumerate() {
            if !can_stop[number] {
                let why = "no wave stops here: this is a constant, or not an instruction";
                set.refused.get_or_insert_with(|| why.to_owned());
            }
            let mut answer = answer(2_000_000 + number, set);
            if set.refused.is_none() {
                answer["instructionReference"] =
                    json!(disassembly::address(addresses[number] as i64));
            }
            answers.push(answer);
        }
        self.breakpoints.instructions = sets;
        Ok(Answer::of(json!({"breakpoints": answers})))
    }

    // Data.

    pub(crate) fn data_breakpoint_info(&mut self, arguments: &Value) -> Result<Answer, String> {
        let name = arguments["name"].as_str().ok_or("`name` is missing")?;
        let found = match &arguments["variablesReference"] {
            Value::Null => {
                let wave = match &arguments["frameId"] {
                    Value::Null => None,
                    id => Some(self.frame(id)?.0),
                };
                let session = self.session()?;
                let wave = wave.or(session.current().map(|it| it.0));
                let wave = wave.ok_or("the run is not at a statement")?;
                let variable = session.find(wave, name);
                variable.map(|variable| Watched::Variable { wave, variable, lane: None })
            }
            id => self.part(&self.references[self.reference_at(id)?], name)?,
        };
        let Some(watched) = found else {
            let description = format!("`{name}` cannot be watched");
            return Ok(Answer::of(json!({"dataId": null, "description": description})));
        };
        let accesses = match watched {
            Watched::Variable { .. } => json!(["write"]),
            _ => json!(["read", "write", "readWrite"]),
        };
        Ok(Answer::of(json!({
            "dataId": to_id(&watched).to_string(),
            "description": name,
            "accessTypes": accesses,
            "canPersist": false,
        })))
    }

    /// What can be watched of a variable's part of this name.
    fn part(&self, of: &Reference, name: &str) -> Result<Option<Watched>, String> {
        let session = self.session()?;
        let index = || name.strip_prefix('[')?.strip_suffix(']')?.parse::<u64>().ok();
        Ok(match of {
            Reference::Locals(wave, depth) => {
                let (wave, frames) = (*wave, session.frames(*wave));
                let notes = &session.module().notes;
                let mut all = frames.get(*depth).into_iter().flat_map(|it| &it.variables).copied();
                let variable = all.find(|it| notes.variable(*it).name == name);
                variable.map(|variable| Watched::Variable { wave, variable, lane: None })
            }
            Reference::Lanes { of: Some((wave, variable)), .. } => {
                let (wave, variable) = (*wave, *variable);
                let lane = index().and_then(|it| u32::try_from(it).ok());
                let lane = lane.filter(|it| *it < session.width());
                lane.map(|lane| Watched::Variable { wave, variable, lane: Some(lane) })
            }
            Reference::SharedArray(wave, number) => {
                let len = session.module().groupshared[*number as usize].len;
                let array = ir::Shared(*number);
                let index = index().filter(|it| *it < u64::from(len));
                index.map(|index| Watched::Shared { group: wave.0, array, index })
            }
            Reference::Resource(resource, element) => {
                let (layout, count) = self.layout(*resource, *element)?;
                let stride = layout.stride as u64;
                let index = index().filter(|it| *it < count);
                index.map(|it| Watched::Buffer {
                    resource: *resource as u32,
                    element: *element as u32,
                    bytes: it * stride..(it + 1) * stride,
                })
            }
            Reference::Wave(_)
            | Reference::Groupshared(_)
            | Reference::Resources
            | Reference::Lanes { of: None, .. } => None,
        })
    }

    pub(crate) fn set_data_breakpoints(&mut self, arguments: &Value) -> Result<Answer, String> {
        let asked = list(arguments, "breakpoints")?;
        let session = self.session.as_mut().ok_or("nothing is launched")?;
        let (mut sets, mut watches) = (Vec::new(), Vec::new());
        for asked in asked {
            let mut set = Set::new(Breakpoint::default(), asked);
            let watched = text(asked, "dataId").and_then(|it| of_id(it, session));
            let access = text(asked, "accessType").unwrap_or("write");
            let (reads, writes) = (access != "write", access != "read");
            match (watched, access) {
                (Some(watched), "read" | "write" | "readWrite") => {
                    if set.refused.is_none() {
                        watches.push(DataBreakpoint { watched, reads, writes });
                    }
                }
                (None, _) => set.refused = Some("this data cannot be watched".to_owned()),
                (_, other) => set.refused = Some(format!("`{other}` is not an access")),
            }
            sets.push(set);
        }
        session.watch(watches);
        let answers: Vec<Value> =
            (FIRST_DATA..).zip(&sets).map(|(number, set)| answer(number, set)).collect();
        self.breakpoints.data = sets;
        Ok(Answer::of(json!({"breakpoints": answers})))
    }
}

/// Whether the command steps this wave.
fn is_target(going: Going, wave: WaveId) -> bool {
    match going {
        Going::Forward(Forward::Into(of) | Forward::Over(of) | Forward::Instruction(of)) => {
            of == wave
        }
        _ => false,
    }
}

fn answer(id: usize, set: &Set) -> Value {
    let mut answer = json!({"id": id, "verified": set.refused.is_none()});
    if let Some(message) = &set.refused {
        answer["message"] = json!(message);
    }
    answer
}

/// What is watched, as text that clients hand back.
fn to_id(watched: &Watched) -> Value {
    match watched {
        Watched::Buffer { resource, element, bytes } => {
            json!(["buffer", resource, element, bytes.start, bytes.end])
        }
        Watched::Shared { group, array, index } => json!(["shared", group, array.0, index]),
        Watched::Variable { wave, variable, lane } => {
            json!(["variable", wave.0, wave.1, variable.0, lane])
        }
    }
}

fn of_id(id: &str, session: &Session) -> Option<Watched> {
    let id: Value = serde_json::from_str(id).ok()?;
    let number = |it: &Value| u32::try_from(it.as_u64()?).ok();
    let group = |it: &Value| Some([number(&it[0])?, number(&it[1])?, number(&it[2])?]);
    Some(match id[0].as_str()? {
        "buffer" => Watched::Buffer {
            resource: number(&id[1])?,
            element: number(&id[2])?,
            bytes: id[3].as_u64()?..id[4].as_u64()?,
        },
        "shared" => Watched::Shared {
            group: group(&id[1])?,
            array: ir::Shared(number(&id[2])?),
            index: id[3].as_u64()?,
        },
        "variable" => {
            let variable = number(&id[3])?;
            if variable as usize >= session.module().notes.variables.len() {
                return None;
            }
            Watched::Variable {
                wave: (group(&id[1])?, number(&id[2])?),
                variable: VariableId(variable),
                lane: if id[4].is_null() { None } else { Some(number(&id[4])?) },
            }
        }
        _ => return None,
    })
}

/// The line of a log point: expressions in braces are evaluated.
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
                line.push_str(&show::row(&show::shown(&shown, session.width()), shown.active));
            }
            Err(Refused(why)) => line.push_str(&format!("<{why}>")),
        }
        rest = after;
    }
    line.push_str(rest);
    line.replace('\n', " ")
}
