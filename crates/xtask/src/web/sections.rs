//! The suite as requests to the playground's module, with the answers of the native engine.
//!
//! A section becomes one text, with the files that it includes, and the words that the page has for its flags and
//! contents. What the native engine leaves is judged by the section's own expectations, so that no request misses its
//! section's point. What the page cannot run (textures, draws, flags of other commands) is compiled only, or left out,
//! and counted by reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ir::exec::{Bindings, Buffer};
use ir::{Contents, Resource};
use serde_json::{Value, json};
use suite::section::Section;
use values::{Layout, number};

/// Enough for each section that ends, at each width.
const FUEL: u64 = 1 << 22;
/// For each run of a sweep: where it is spent, the findings until then are compared.
const FUEL_OF_SWEEP: u64 = 1 << 16;
/// A ratchet: at least this many sections run on the page.
const LEAST_RUN: usize = 1480;
/// The deepest nesting of included files.
const DEEPEST: usize = 16;

/// Requests with the native engine's answers, and how many sections they are of.
#[derive(Default)]
pub(super) struct Sections {
    pub(super) cases: Vec<Value>,
    all: usize,
    run: usize,
    /// Those that must not compile.
    refused: usize,
    /// Why the others do not run, with the number of sections.
    others: BTreeMap<String, usize>,
}

impl std::fmt::Display for Sections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Sections { cases, all, run, refused, others } = self;
        let cases = cases.len();
        write!(
            f,
            "suite: {cases} answers for {all} sections: {run} run, {refused} are refused as they must be; not run:"
        )?;
        for (reason, count) in others {
            write!(f, "\n  {count:4} {reason}")?;
        }
        Ok(())
    }
}

/// All sections of the suite.
pub(super) fn sections() -> Result<Sections, String> {
    let files = suite::files(&suite::folder());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let parts = std::thread::scope(|scope| {
        let work = |worker: usize| {
            let own = files.iter().skip(worker).step_by(workers);
            let mut part = Sections::default();
            own.map(|file| suite::read_all(file))
                .try_for_each(|sections| sections?.iter().try_for_each(|it| part.add(it)))
                .map(|()| part)
        };
        let threads: Vec<_> = (0..workers).map(|it| scope.spawn(move || work(it))).collect();
        let joined = threads
            .into_iter()
            .map(|it| it.join().unwrap_or_else(|_| Err("a section panics".to_owned())));
        joined.collect::<Result<Vec<Sections>, String>>()
    })?;
    let mut sections = Sections::default();
    for part in parts {
        sections.cases.extend(part.cases);
        sections.all += part.all;
        sections.run += part.run;
        sections.refused += part.refused;
        for (reason, count) in part.others {
            *sections.others.entry(reason).or_default() += count;
        }
    }
    match sections.run {
        0..LEAST_RUN => Err(format!("{sections}\nat least {LEAST_RUN} must run")),
        _ => Ok(sections),
    }
}

impl Sections {
    fn add(&mut self, section: &Section) -> Result<(), String> {
        self.all += 1;
        if section.draw.is_some() {
            self.not_run("draws");
            return Ok(());
        }
        let mut counted = false;
        for widths in section.programs() {
            let at = |what: String| {
                format!("{}:{} ({}): {what}", section.file, section.line, section.name)
            };
            let outcome = self.program(section, &widths).map_err(at)?;
            if std::mem::replace(&mut counted, true) {
                continue;
            }
            match outcome {
                Outcome::Run => self.run += 1,
                Outcome::Refused => self.refused += 1,
                Outcome::NotRun(reason) => self.not_run(&reason),
            }
        }
        Ok(())
    }

    fn not_run(&mut self, reason: &str) {
        *self.others.entry(reason.to_owned()).or_default() += 1;
    }

    /// Adds the requests for a section that is one program at these widths.
    fn program(&mut self, section: &Section, widths: &[u32]) -> Result<Outcome, String> {
        let width = widths[0];
        let section = section.alone();
        let text = with_files(&section.source(), Path::new(&section.file), DEEPEST);
        let native = suite::run::compile(&section, width)?;
        let inputs = native.module.as_ref().filter(|it| it.io.is_none());
        let inputs = inputs.and_then(|it| Some((it, suite::run::inputs(&section, it).ok()?)));
        let flags = match inputs {
            Some((module, bindings)) => {
                words(&section, width) + &contents(&module.resources, &bindings)
            }
            None => words(&section, width),
        };
        if let Err(problem) = web::Flags::read(&flags) {
            return Ok(Outcome::NotRun(reason(&problem.message)));
        }
        let request = |what: &str, fuel: u64| json!({ "do": what, "text": text, "flags": flags, "fuel": fuel, "widths": widths });
        let (case, compiled) = asked(request("compile", FUEL));
        self.cases.push(case);
        if section.fails() {
            return match compiled["entry"].is_null() {
                true => Ok(Outcome::Refused),
                false => Err("it compiles on the page, but errors are expected".to_owned()),
            };
        }
        if compiled["entry"].is_null() {
            let first = compiled["diagnostics"][0]["message"].as_str();
            return Ok(Outcome::NotRun(format!(
                "the page's compiler: {}",
                first.unwrap_or("no message")
            )));
        }
        if let Some(problem) = compiled["problem"]["message"].as_str() {
            return Ok(Outcome::NotRun(reason(problem)));
        }
        let mut run = request("run", FUEL);
        run["bytes"] = json!(true);
        let (case, ran) = asked(run);
        judge(&section, &ran)?;
        self.cases.push(case);
        self.cases.push(asked(request("sweep", FUEL_OF_SWEEP)).0);
        Ok(Outcome::Run)
    }
}

/// What becomes of a section.
enum Outcome {
    Run,
    Refused,
    NotRun(String),
}

/// A request with its answer, as the module must give it, and the answer.
fn asked(request: Value) -> (Value, Value) {
    let case = super::check::answered(&request);
    let answer = case["answer"].as_str().map(serde_json::from_str).and_then(Result::ok);
    (case, answer.unwrap_or_default())
}

/// Why the page does not run a program, from its message: without the program's own names, so that equal reasons count
/// together.
fn reason(message: &str) -> String {
    match message.split_once("`: ").or(message.split_once("` is ")) {
        Some((_, what)) => match what.strip_prefix("a ") {
            Some(resource) => format!("has a {resource}"),
            None => what.to_owned(),
        },
        None => message.to_owned(),
    }
}

/// Whether what the runs have left is what the section expects.
fn judge(section: &Section, answer: &Value) -> Result<(), String> {
    for (at, run) in answer["widths"].as_array().into_iter().flatten().enumerate() {
        let width = run["width"].as_u64().unwrap_or_default() as u32;
        match run["ended"]["word"].as_str() {
            None => continue,
            Some("done") => {}
            Some("fuel" | "trap") if section.may_wait_for_ever() => continue,
            _ => return Err(format!("at width {width}: it ended: {}", run["ended"])),
        }
        let buffers = answer["buffers"].as_array().into_iter().flatten();
        let bytes = |it: &Value| {
            Some((it["name"].as_str()?.to_owned(), bytes_of(it["bytes"][at].as_str()?)))
        };
        let buffers: BTreeMap<String, Vec<u8>> = buffers.filter_map(bytes).collect();
        let find = |name: &str, element: usize| {
            let one = buffers.get(name).filter(|_| element == 0);
            one.or_else(|| buffers.get(&format!("{name}[{element}]"))).map(Vec::as_slice)
        };
        section.judge(width, find).map_err(|what| format!("at width {width}: {what}"))?;
    }
    Ok(())
}

fn bytes_of(hexadecimal: &str) -> Vec<u8> {
    let byte = |it: &[u8]| u8::from_str_radix(&String::from_utf8_lossy(it), 16).unwrap_or_default();
    hexadecimal.as_bytes().chunks(2).map(byte).collect()
}

/// A text with the files that it includes in place of the directives.
fn with_files(text: &str, file: &Path, deepest: usize) -> String {
    let included = |line: &str| -> Option<String> {
        let name = line.trim_start().strip_prefix("#include \"")?.split_once('"')?.0;
        let beside = file.parent().map(|it| it.join(name));
        let found: [Option<PathBuf>; 2] = [beside, Some(suite::folder().join(name))];
        let path = found.into_iter().flatten().find(|it| it.is_file())?;
        let text = std::fs::read_to_string(&path).ok()?;
        (deepest > 0).then(|| with_files(&text, &path, deepest - 1))
    };
    text.lines().map(|line| included(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}

/// How a section runs, in the words of the page.
fn words(section: &Section, width: u32) -> String {
    let [x, y, z] = section.groups;
    let mut words = format!("--groups {x},{y},{z} -D WIDTH={width}");
    // What a test allows its compiler to say changes nothing.
    for flag in section.flags.iter().filter(|it| !it.starts_with("-Wno-")) {
        words += &format!(" {flag}");
    }
    for (name, of) in &section.aliases {
        words += &format!(" --alias {name}={of}");
    }
    words
}

/// What its buffers hold, in the words of the page.
fn contents(resources: &[Resource], bindings: &Bindings) -> String {
    let mut words = String::new();
    for (resource, elements) in resources.iter().zip(&bindings.bindings) {
        let view = resource.kind.view();
        let is_bound = matches!(view.contents, Contents::Constants | Contents::Buffer);
        for (at, buffer) in elements.iter().enumerate().filter(|_| resource.used && is_bound) {
            if buffer.bytes.is_empty() {
                continue;
            }
            let name = if elements.len() == 1 { String::new() } else { format!("[{at}]") };
            words += &format!(" --bind '{}{name}={}'", resource.name, value(resource, buffer));
        }
    }
    words
}

/// The VALUE of a buffer: of a typed one its elements, of all others the bytes.
fn value(resource: &Resource, buffer: &Buffer) -> String {
    let is_zero = buffer.bytes.iter().all(|it| *it == 0);
    let count = buffer.bytes.len();
    match resource.kind.view().element {
        Some(_) => {
            let scalar = Layout::of(&resource.kind, None).scalars[0].1;
            let each = buffer.bytes.chunks_exact(scalar.bytes());
            let each: Vec<String> =
                each.map(|it| number::text(number::read(it, scalar), scalar)).collect();
            format!("{}:{}", scalar.name(), each.join(","))
        }
        None if is_zero => format!("u8[{count}]"),
        None => {
            let each: Vec<String> = buffer.bytes.iter().map(u8::to_string).collect();
            format!("u8:{}", each.join(","))
        }
    }
}
