//! `wavelane check`: compiles files and folders, and reports for people and for programs.
//!
//! Without `-E` each entry point of a file is compiled: a diagnostic that several of them report is shown once. In a
//! folder, files without an entry point are pieces for others to include, and are left out; tests are left to `wavelane
//! test`.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use wavelane::internal::diag::{self, Style};
use wavelane::{Adapter, Shader, Stage};

use crate::asked::{Compiling, LowArgs, Output};
use crate::command::Command;
use crate::compile::{Compiled, compile};
use crate::entries::{self, Entries};
use crate::layers::Layers;
use crate::problem::{End, Exit, Problem};
use crate::value::counted;
use crate::{checked, terminal, walk};

/// What `check` needs.
pub(crate) struct CheckArgs {
    paths: Vec<String>,
    /// The paths are what the project file lists.
    are_of_project: bool,
    layers: Layers,
    entries: Vec<String>,
    compile: Compiling,
    adapter: Adapter,
    output: Output,
}

impl CheckArgs {
    pub(crate) fn new(low: LowArgs, layers: Layers) -> Result<CheckArgs, Problem> {
        let paths = low.some_operands()?;
        let are_of_project = low.operands_are_of_project;
        let LowArgs { compile, device, output, entries, .. } = low;
        let adapter = device.adapter;
        Ok(CheckArgs { paths, are_of_project, layers, entries, compile, adapter, output })
    }
}

/// One compilation.
struct Job {
    file: String,
    /// Its name in the report.
    name: String,
    compile: Compiling,
}

/// What is compiled, and what is not.
#[derive(Default)]
struct Jobs {
    all: Vec<Job>,
    files: usize,
    /// Files without an entry point.
    pieces: usize,
    /// Files of tests.
    tests: usize,
}

pub(crate) fn check(args: &CheckArgs) -> Result<Exit, End> {
    let is_folder = |it: &String| Path::new(it).is_dir();
    let is_bulk = args.are_of_project || args.paths.iter().any(is_folder);
    let mut jobs = Jobs::default();
    for path in &args.paths {
        if !is_folder(path) && !args.are_of_project {
            jobs.of_file(args, path)?;
            continue;
        }
        for (file, _) in walk::below(Path::new(path))? {
            jobs.of_found(args, &file.to_string_lossy().replace('\\', "/"))?;
        }
    }
    if jobs.all.is_empty() {
        return Err(nothing(args, &jobs).into());
    }
    let mut all = compile_all(&jobs.all)?;
    tell_once(&mut all);
    let exit = checked::tell(&all, &args.compile, &args.adapter, args.output)?;
    if is_bulk && args.output == Output::Text {
        terminal::print(&summary(&jobs, &all))?;
    }
    Ok(exit)
}

/// Why there is nothing to compile.
fn nothing(args: &CheckArgs, jobs: &Jobs) -> Problem {
    let paths = args.paths.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let paths = if args.are_of_project { "`files` of the project file".to_owned() } else { paths };
    match args.entries.first() {
        Some(entry) => Problem::input(format!("no file in {paths} declares `{entry}`")),
        None => Problem::input(format!("there is no entry point in {paths}")).help(format!(
            "{} of tests, {} without `[numthreads]` or `[shader(\"…\")]`; `-T lib_6_6 FILE` checks every \
             function of a file",
            counted(jobs.tests, "file"),
            counted(jobs.pieces, "file"),
        )),
    }
}

fn summary(jobs: &Jobs, all: &[Compiled]) -> String {
    let wrong = all.iter().filter(|it| it.problem().is_some()).count();
    let (right, files) = (all.len() - wrong, counted(jobs.files, "file"));
    let entries = counted(all.len(), "entry point");
    let compile = if right == 1 { "compiles" } else { "compile" };
    let not = if wrong == 1 { "does not" } else { "do not" };
    let mut text = format!("{files}, {entries}: {right} {compile}, {wrong} {not}");
    if jobs.pieces > 0 {
        text.push_str(&format!("; {} without an entry point", counted(jobs.pieces, "file")));
    }
    if jobs.tests > 0 {
        text.push_str(&format!("; {} of tests, see `wavelane test`", counted(jobs.tests, "file")));
    }
    text.push('\n');
    text
}

impl Jobs {
    /// Adds what is to be compiled of a file that was named.
    fn of_file(&mut self, args: &CheckArgs, file: &str) -> Result<(), Problem> {
        self.files += 1;
        let plain = |entry: &str| (entry.to_owned(), None);
        let named: Vec<(String, Option<Stage>)> = args.entries.iter().map(|it| plain(it)).collect();
        if !named.is_empty() {
            return self.add(args, file, named);
        }
        let is_library = args.compile.options.stage == Stage::Library;
        // Standard input is read once.
        if file == "-" || is_library {
            return self.add(args, file, vec![plain(&args.compile.options.entry)]);
        }
        match entries::of_file(file, &args.compile)? {
            Entries::Some(found) => {
                let mut wanted = wanted(args, found);
                if wanted.is_empty() {
                    wanted.push(plain(&args.compile.options.entry));
                }
                self.add(args, file, wanted)
            }
            Entries::None if !args.compile.has_profile => {
                terminal::note(&format!(
                    "`{file}` has no entry point with `[numthreads]` or `[shader(\"…\")]`: every function is checked, as \
                     with `-T lib_6_10`"
                ));
                self.add(args, file, vec![("main".to_owned(), Some(Stage::Library))])
            }
            Entries::None | Entries::Unknown => {
                self.add(args, file, vec![plain(&args.compile.options.entry)])
            }
        }
    }

    /// Adds what is to be compiled of a file that was found.
    fn of_found(&mut self, args: &CheckArgs, file: &str) -> Result<(), Problem> {
        let ending = Path::new(file).extension().and_then(|it| it.to_str()).unwrap_or("");
        let is_listed = args.are_of_project && !["test", "yaml", "yml"].contains(&ending);
        if ending != "hlsl" && !is_listed {
            return Ok(());
        }
        self.files += 1;
        let (_, text) = crate::files::read_source(file)?;
        if jobs::tests(file, &text).is_ok() {
            self.tests += 1;
            return Ok(());
        }
        let found = match entries::of_file(file, &args.compile)? {
            Entries::Some(found) => found,
            Entries::None => {
                self.pieces += 1;
                return Ok(());
            }
            Entries::Unknown => {
                return self.add(args, file, vec![("main".to_owned(), None)]);
            }
        };
        let chosen: Vec<_> = match args.entries.as_slice() {
            [] => wanted(args, found).into_iter().filter(|it| it.1.is_some()).collect(),
            names => found.into_iter().filter(|it| names.contains(&it.0)).collect(),
        };
        self.pieces += usize::from(chosen.is_empty());
        self.add(args, file, chosen)
    }

    fn add(
        &mut self,
        args: &CheckArgs,
        file: &str,
        entries: Vec<(String, Option<Stage>)>,
    ) -> Result<(), Problem> {
        let are_several = entries.len() > 1;
        for (entry, stage) in entries {
            let low = args.layers.of_entry(Command::Check, file, &entry)?;
            let mut compile = low.compile;
            if let Some(stage) = stage.filter(|_| !compile.has_profile) {
                // A library names the kinds of shaders that have no profile.
                let is_own = stage.has_profile();
                compile.options.stage = if is_own { stage } else { Stage::Library };
            }
            let name = if are_several { format!("{file}::{entry}") } else { file.to_owned() };
            self.all.push(Job { file: file.to_owned(), name, compile });
        }
        Ok(())
    }
}

/// The entry points of the stage asked for; without a profile, all.
fn wanted(args: &CheckArgs, found: Vec<(String, Option<Stage>)>) -> Vec<(String, Option<Stage>)> {
    let stage = args.compile.options.stage;
    let has_known = found.iter().any(|it| it.1.is_some());
    let is_wanted = |it: &(String, Option<Stage>)| match it.1 {
        Some(it) => !args.compile.has_profile || it == stage,
        // A `main` without attributes may be of any stage, or a function like others.
        None => args.compile.has_profile || !has_known,
    };
    found.into_iter().filter(is_wanted).collect()
}

/// Compiles everything, on as many threads as there are cores; the order stays.
fn compile_all(jobs: &[Job]) -> Result<Vec<Compiled>, Problem> {
    let one = |job: &Job| {
        let mut compiled = compile(&job.file, &job.compile, Shader::check)?;
        compiled.name.clone_from(&job.name);
        // Standard input has a name of its own.
        if job.file == "-" {
            crate::files::STDIN.clone_into(&mut compiled.name);
        }
        Ok(compiled)
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    if jobs.len() == 1 || cores == 1 {
        return jobs.iter().map(one).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Result<Compiled, Problem>>>> =
        jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            let result = one(job);
            if let Ok(mut slot) = done[index].lock() {
                *slot = Some(result);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..cores.min(jobs.len()) {
            let thread = thread::Builder::new().stack_size(crate::STACK);
            // If a thread cannot be started, this thread does its share.
            let _ = thread.spawn_scoped(scope, work);
        }
    });
    work();
    let taken = done.into_iter().map(|it| it.into_inner().ok().flatten());
    taken.map(|it| it.unwrap_or_else(|| Err(Problem::bug("a compilation was lost")))).collect()
}

/// Removes diagnostics that an earlier entry point of the file has reported already.
fn tell_once(all: &mut [Compiled]) {
    let mut told: BTreeSet<String> = BTreeSet::new();
    let mut file = String::new();
    for compiled in all {
        let own = compiled.file().to_owned();
        if own != file {
            told.clear();
            file = own;
        }
        let sources = &compiled.sources;
        let is_told = |it| !told.insert(diag::render(it, sources, Style::Plain));
        compiled.repeated = compiled.diagnostics.iter().map(is_told).collect();
    }
}
