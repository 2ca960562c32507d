//! Requests and answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use diag::{Allows, FileId, Sink, SourceMap};
use hlsl::{Compiled, Includer};
use interp::Program;
use ir::Module;
use ir::exec::Bindings;
use serde_json::{Value, json};

use crate::lanes::Lanes;
use crate::place::{Places, utf16};
use crate::run::{self, Outcome};
use crate::sweep::{Swept, sweep};
use crate::{FILE, Flags, Problem, WIDTHS, bind, command, mend};

/// The largest text: more cannot be typed, and every keystroke compiles all of it.
const MOST_TEXT: usize = 1 << 20;
/// The fuel of a run without any in the request, and the most there is.
const FUEL: u64 = 1 << 18;
const MOST_FUEL: u64 = 1 << 24;

/// What answers requests. It remembers the last program and its runs, and nothing else.
///
/// A request is an object with `do`, and usually `text` and `flags`; without `flags`, those in a comment of the text
/// count ([`command`]). An answer is an object, which has `error` (`message`, `help`) if there is no other.
///
/// | `do` | also | the answer |
/// |---|---|---|
/// | `tokens` | | `pieces`: start, length and class of each coloured piece |
/// | `compile` | | `diagnostics`, `flags`, `entry`, `group_size`, `width`; `runs`: whether it can run, else a `problem` |
/// | `run` | `widths`, `fuel`, `bytes` | `widths`, `buffers` and `printed` of all widths that have run so far; `unfinished` |
/// | `sweep` | `fuel` | `findings`, `rows`, `left_out`, `runs`, `stopped` |
/// | `mend` | `fuel` | `fixes` of the sweep's findings, each of which was tried |
/// | `lanes` | `width`, `fuel` | `waves` with their steps, `lines` with a profile, `ended` |
/// | `emit` | | `ir`: the module's text |
#[derive(Default)]
pub struct Engine {
    last: Option<Text>,
}

/// A text with everything that is known of it.
struct Text {
    text: String,
    flags: Option<String>,
    places: Places,
    sink: Sink,
    compiled: Option<Compiled>,
    read: Result<Flags, Problem>,
    words: String,
    ready: Option<Ready>,
}

/// A program that can run.
struct Ready {
    program: Program,
    bindings: Bindings,
    runs: BTreeMap<u32, Outcome>,
    swept: Option<(u64, Swept)>,
}

impl Engine {
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Answers one request, regardless of its bytes.
    pub fn call(&mut self, request: &[u8]) -> Vec<u8> {
        let answer =
            self.answer(request).unwrap_or_else(|problem| json!({ "error": told(&problem) }));
        answer.to_string().into_bytes()
    }

    fn answer(&mut self, request: &[u8]) -> Result<Value, Problem> {
        let request: Value = serde_json::from_slice(request)
            .map_err(|error| Problem::new(format!("the request is not JSON: {error}")))?;
        let text = request["text"].as_str().unwrap_or("");
        if text.len() > MOST_TEXT {
            return Err(Problem::new(format!("the text is longer than {MOST_TEXT} bytes")));
        }
        let fuel = request["fuel"].as_u64().unwrap_or(FUEL).min(MOST_FUEL);
        let what = request["do"].as_str().unwrap_or("");
        if what == "tokens" {
            return Ok(tokens(text));
        }
        let known = ["tokens", "compile", "run", "sweep", "mend", "lanes", "emit"];
        if !known.contains(&what) {
            return Err(
                Problem::new(format!("`{what}` is not a request")).known(what, known.into_iter())
            );
        }
        let text = self.text(text, request["flags"].as_str());
        match what {
            "compile" => Ok(text.compiled()),
            "emit" => Ok(json!({ "ir": ir::text::print_without_spans(&text.module()?.module) })),
            "run" => text.run(&widths(&request["widths"]), fuel, request["bytes"] == true),
            "sweep" => text.sweep(fuel),
            "mend" => text.mend(fuel),
            _ => text.lanes(&widths(&request["width"]), fuel),
        }
    }

    /// The text, compiled if it is another one than that of the last request.
    fn text(&mut self, text: &str, flags: Option<&str>) -> &mut Text {
        let is_last = |it: &Text| it.text == text && it.flags.as_deref() == flags;
        if !self.last.as_ref().is_some_and(is_last) {
            self.last = None;
        }
        self.last.get_or_insert_with(|| Text::new(text, flags))
    }
}

/// The widths that a request names, and all if it names none.
fn widths(value: &Value) -> Vec<u32> {
    let number = |it: &Value| it.as_u64().and_then(|it| u32::try_from(it).ok());
    let named: Vec<u32> = match value.as_array() {
        Some(list) => list.iter().filter_map(number).collect(),
        None => number(value).into_iter().collect(),
    };
    let known: Vec<u32> = WIDTHS.into_iter().filter(|it| named.contains(it)).collect();
    if known.is_empty() { WIDTHS.to_vec() } else { known }
}

fn told(problem: &Problem) -> Value {
    json!({ "message": problem.message, "help": problem.help })
}

/// The colours of a text, as a flat list of start, length and class: in UTF-16 units, as JavaScript counts.
fn tokens(text: &str) -> Value {
    let (mut pieces, mut bytes, mut units) = (Vec::new(), 0, 0);
    for (range, class) in hlsl::colour::classes(text) {
        units += utf16(&text[bytes..], range.start - bytes);
        let length = utf16(&text[range.start..], range.len());
        pieces.extend([json!(units), json!(length), json!(format!("{class:?}").to_lowercase())]);
        (bytes, units) = (range.end, units + length);
    }
    json!({ "pieces": pieces })
}

/// The one header that exists without files.
struct OurHeader;

impl Includer for OurHeader {
    fn read(&mut self, path: &str, _includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        // The header of test jobs, which are above this layer.
        const HEADER: &str = include_str!("../../jobs/src/wavelane.hlsli");
        (path == "wavelane.hlsli").then(|| (path.to_owned(), HEADER.into()))
    }
}

/// Makes names of buffers mean the memory of others.
fn aliased(module: &mut Module, flags: &Flags) -> Result<(), Problem> {
    flags.aliases.iter().try_for_each(|(name, of)| {
        let wrong = |why| Problem::new(format!("`--alias {name}={of}`: {why}"));
        module.alias(name, of).map_err(wrong)
    })
}

impl Text {
    fn new(text: &str, given: Option<&str>) -> Text {
        let words = given.map_or_else(|| command(text), str::to_owned);
        let mut read = Flags::read(&words);
        let options = read.as_ref().map(|it| it.options.clone()).unwrap_or_default();
        let (mut sources, mut sink) = (SourceMap::new(), Sink::new());
        let main = sources.add(FILE, text);
        let mut compiled = main.and_then(|main| {
            hlsl::compile(main, &mut sources, &mut OurHeader, &options, &mut sink)
        });
        if let Some(compiled) = &mut compiled {
            read = read.and_then(|flags| aliased(&mut compiled.module, &flags).map(|()| flags));
        }
        let main = main.unwrap_or(FileId(0));
        let places = Places::new(Arc::new(sources), main);
        let flags = given.map(str::to_owned);
        Text { text: text.to_owned(), flags, places, sink, compiled, read, words, ready: None }
    }

    fn module(&self) -> Result<&Compiled, Problem> {
        self.compiled.as_ref().ok_or_else(|| Problem::new("the program has errors"))
    }

    fn compiled(&mut self) -> Value {
        let problem = self.ready().err().filter(|_| self.compiled.is_some() || self.read.is_err());
        let diagnostics = self.sink.clone().into_sorted();
        let diagnostics = diagnostics.iter().map(|it| self.places.diagnostic(it));
        let diagnostics: Vec<Value> = diagnostics.collect();
        let module = self.compiled.as_ref().map(|it| &it.module);
        json!({
            "diagnostics": diagnostics,
            "flags": self.words,
            "entry": module.map(|it| &it.name),
            "group_size": module.map(|it| it.group_size),
            "width": self.read.as_ref().ok().and_then(|it| it.width),
            "runs": self.ready.is_some(),
            "problem": problem.as_ref().map(told),
        })
    }

    /// What is needed to run it, made at the first request.
    fn ready(&mut self) -> Result<(), Problem> {
        if self.ready.is_some() {
            return Ok(());
        }
        let flags = self.read.as_ref().map_err(Clone::clone)?;
        let compiled = self.module()?;
        let module = &compiled.module;
        if module.io.is_some() {
            return Err(Problem::new("vertex and pixel shaders run in draws").help(
                "the playground runs compute shaders; `wavelane run --draw` runs the others",
            ));
        }
        let bindings = bind::bind(flags, module, &compiled.unreached.resources)?;
        let program = interp::decode(module);
        let ready = Ready { program, bindings, runs: BTreeMap::new(), swept: None };
        self.ready = Some(ready);
        Ok(())
    }

    /// The parts of a program that runs.
    fn parts(&mut self) -> Result<(&Flags, &Compiled, &Places, &mut Ready), Problem> {
        self.ready()?;
        match (&self.read, &self.compiled, &mut self.ready) {
            (Ok(flags), Some(compiled), Some(ready)) => Ok((flags, compiled, &self.places, ready)),
            _ => unreachable!("what is ready has flags and a module"),
        }
    }

    fn run(&mut self, widths: &[u32], fuel: u64, bytes: bool) -> Result<Value, Problem> {
        let (flags, compiled, places, ready) = self.parts()?;
        let module = &compiled.module;
        for width in widths {
            let is_known = |it: &Outcome| !it.is_unfinished() || it.fuel >= fuel;
            if !ready.runs.get(width).is_some_and(is_known) {
                let launch = run::launch(flags, module, *width, fuel);
                let outcome = run::run(&ready.program, module, launch, &ready.bindings);
                ready.runs.insert(*width, outcome);
            }
        }
        let outcomes = WIDTHS.map(|width| ready.runs.get(&width));
        let mut answer = run::table(module, &outcomes, places, bytes);
        let unfinished = outcomes.iter().flatten().any(|it| it.is_unfinished());
        answer["unfinished"] = json!(unfinished);
        Ok(answer)
    }

    fn swept(&mut self, fuel: u64) -> Result<(), Problem> {
        let (flags, compiled, places, ready) = self.parts()?;
        if ready.swept.as_ref().is_none_or(|(it, _)| *it != fuel) {
            let mut swept = sweep(flags, &compiled.module, &ready.bindings, fuel);
            let sources = places.sources();
            let (mut allows, _) = Allows::read(sources);
            let seen = std::mem::take(&mut swept.report.seen).into_iter();
            let left = seen.flat_map(|it| it.without(|it| it.is_allowed(&mut allows, sources)));
            swept.report.seen = left.collect();
            ready.swept = Some((fuel, swept));
        }
        Ok(())
    }

    fn sweep(&mut self, fuel: u64) -> Result<Value, Problem> {
        self.swept(fuel)?;
        let (_, _, places, ready) = self.parts()?;
        Ok(ready.swept.as_ref().map_or(Value::Null, |(_, it)| it.answer(places)))
    }

    fn mend(&mut self, fuel: u64) -> Result<Value, Problem> {
        self.swept(fuel)?;
        let Some((_, before)) = self.ready.as_ref().and_then(|it| it.swept.as_ref()) else {
            return Ok(json!({ "fixes": [] }));
        };
        let mut mended = BTreeSet::new();
        let tried = mend::candidates(&before.report, &self.places).into_iter().filter(|fix| {
            // One fix for each finding is enough.
            if mended.contains(&fix.finding) {
                return false;
            }
            let mut text = Text::new(&fix.applied(&self.text), Some(&self.words));
            let kind = before.report.seen[fix.finding].finding.kind;
            let helps = text.swept(fuel).is_ok()
                && text.ready.and_then(|it| it.swept).is_some_and(|(_, after)| {
                    after.stopped.is_none() && mend::helps(kind, &before.report, &after.report)
                });
            helps && mended.insert(fix.finding)
        });
        let fixes = tried.map(|fix| {
            let at = utf16(&self.text, fix.at);
            json!({
                "finding": fix.finding, "text": fix.what, "range": [at, at],
                "replacement": fix.text,
            })
        });
        Ok(json!({ "fixes": fixes.collect::<Vec<Value>>() }))
    }

    fn lanes(&mut self, widths: &[u32], fuel: u64) -> Result<Value, Problem> {
        let (flags, compiled, places, ready) = self.parts()?;
        let width = widths.first().copied().unwrap_or(WIDTHS[0]);
        let launch = run::launch(flags, &compiled.module, width, fuel);
        let mut lanes = Lanes::new(places);
        let mut left = ready.bindings.clone();
        let ended = interp::run_program(&ready.program, &launch, &mut left, &mut lanes);
        let mut answer = lanes.answer(width);
        let outcome = Outcome { ended, left, printed: ir::print::Printed::default(), fuel };
        answer["ended"] = run::ended(&outcome, places);
        Ok(answer)
    }
}
