//! The command `wavelane`: reads arguments, files and terminals, and leaves all work to `wavelane`.
//!
//! The exit status is a contract with scripts, and `Exit` is its only statement.
//! Deliberately absent: any knowledge of engines, of the language, and of how diagnostics look.
#![forbid(unsafe_code)]

// Shared modules, none of which knows a command. A test in `xtask` enforces this.
mod alias;
mod args;
mod asked;
mod auto;
mod bind;
mod candidate;
mod checked;
mod command;
mod common;
mod compare;
mod compared;
mod compile;
mod configuration;
mod device;
mod digest;
mod draw;
mod entries;
mod external;
mod fatal;
mod feedback;
mod files;
mod finding;
mod fitting;
mod flags;
mod generated;
mod heap;
mod help;
mod interrupt;
mod launch;
mod layers;
mod missing;
mod module;
mod operand;
mod pages;
mod picture;
mod plan;
mod pool;
mod printed;
mod problem;
mod project;
mod recorded;
mod records;
mod report;
mod scene;
mod side;
mod spirv;
mod stages;
mod supervise;
mod target;
mod terminal;
mod testing;
mod texture;
#[cfg(feature = "tried")]
pub mod tried;
mod walk;
mod warnings;
mod watch;
mod worker;

// The commands, none of which knows another.
mod bench;
mod campaign;
mod caps;
mod check;
mod dap;
mod diff;
mod dxc;
mod emit;
mod explain;
mod fuzz;
mod merge;
mod new;
mod reduce;
mod run;
mod san;
mod serve;
mod test;
mod timeline;
mod trace;

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

// The notation of values is a separate crate, whose modules are re-exported here.
use values::{npy, number, value};

use args::{Line, Request};
use asked::LowArgs;
use command::Command;
use layers::Layers;
use problem::{End, Exit, Problem};

/// Room for shaders that nest as deeply as the front end's limits allow.
const STACK: usize = 256 << 20;

/// Where the last panic happened; only the hook knows it.
static PANICKED_AT: Mutex<Option<String>> = Mutex::new(None);

/// The whole command: reads the arguments of the process, and returns its exit status. `prepare` is called first on the
/// thread that does the work; `stdout_was_closed` says whether the process was started without a standard output.
#[expect(clippy::disallowed_methods, reason = "the arguments are read here and nowhere else")]
pub fn main(prepare: fn(), stdout_was_closed: bool) -> ExitCode {
    terminal::note_closed_stdout(stdout_was_closed);
    ExitCode::from(whole(std::env::args_os().collect(), prepare))
}

/// The whole command inside another program: `words` are its arguments, the program's name first, and `program` are the
/// words that start the command as a separate process. Returns the exit status.
pub fn main_with(words: Vec<OsString>, program: Vec<OsString>) -> u8 {
    worker::start_by(program);
    whole(words, || {})
}

fn whole(words: Vec<OsString>, prepare: fn()) -> u8 {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|it| format!("{}:{}", it.file(), it.line()));
        if let Ok(mut at) = PANICKED_AT.lock() {
            *at = place;
        }
    }));
    let (of_work, words) = (words.clone(), words);
    let work = move || {
        let words = of_work.clone();
        prepare();
        panic::catch_unwind(AssertUnwindSafe(|| work(words)))
    };
    let done = match thread::Builder::new().stack_size(STACK).spawn(work.clone()) {
        Ok(thread) => thread.join().and_then(|it| it),
        // Without memory for so large a stack, the default one is enough for ordinary shaders.
        Err(_) => work(),
    };
    let result = done.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or(payload.downcast_ref::<String>().map(String::as_str));
        Err(Problem::bug(text.unwrap_or("a panic without a message")).into())
    });
    let exit = match result {
        Ok(exit) => exit,
        Err(End::Output(error)) => {
            problem::report(&Problem::new(
                Exit::BadInput,
                format!("the output cannot be written: {error}"),
            ));
            Exit::BadInput
        }
        Err(End::Problem(problem)) => {
            problem::report(&problem);
            if wants_json(&words) {
                // If the output cannot be written, the exit status still reports the failure.
                let _ = terminal::print_json(&problem::errors(&problem));
            }
            if problem.exit == Exit::Bug {
                let at = PANICKED_AT.lock().ok().and_then(|at| at.clone());
                terminal::say(&problem::how_to_report(at.as_deref(), words.into_iter()));
            }
            problem.exit
        }
    };
    exit as u8
}

/// Whether a program reads the output: derived from the words, since parsing them may have failed.
fn wants_json(words: &[OsString]) -> bool {
    let is = |at: usize, text: &str| words.get(at).is_some_and(|it| it == text);
    (1..words.len()).any(|at| is(at, "--format=json") || is(at, "--format") && is(at + 1, "json"))
}

fn work(words: Vec<OsString>) -> Result<Exit, End> {
    let (args, line) = match args::parse(words)? {
        Request::Help(command, is_whole) => {
            terminal::print(&help::text(command, is_whole))?;
            return Ok(Exit::Fine);
        }
        Request::Version => {
            terminal::print(&format!("wavelane {}\n", env!("CARGO_PKG_VERSION")))?;
            return Ok(Exit::Fine);
        }
        Request::Work(args, line) => (*args, line),
    };
    terminal::set_colour(args.colour);
    let (args, layers) = layers::complete(args, &line)?;
    for remark in &args.compile.remarks {
        terminal::warn(remark);
    }
    if !args.is_worker {
        for folder in args.compile.includes.iter().filter(|it| !it.is_dir()) {
            terminal::warn(&format!("`-I {0}`: there is no folder `{0}`", folder.display()));
        }
    }
    command(args, line, layers)
}

/// The second stage: each command takes what it needs from the command line.
fn command(args: LowArgs, line: Line, layers: Layers) -> Result<Exit, End> {
    match args.command {
        Command::Check => check::check(&check::CheckArgs::new(args, layers)?),
        Command::Emit => emit::emit(&emit::EmitArgs::new(args)?),
        Command::Run => run::run(run::RunArgs::new(args, line)?),
        Command::Explain => explain::explain(&explain::ExplainArgs::new(args)?),
        Command::Caps => caps::show(&caps::CapsArgs::new(args)?),
        Command::Test => test::test(&test::TestArgs::new(args, line)),
        Command::Merge => merge::merge(&merge::MergeArgs::new(args)?),
        Command::Dxc => dxc::dxc(dxc::DxcArgs::new(args)?),
        Command::San => san::san(san::SanArgs::new(args, line, layers)),
        Command::Bench => bench::bench(&bench::BenchArgs::new(args, line)?),
        Command::Diff => diff::diff(diff::DiffArgs::new(args, line)),
        Command::Fuzz => fuzz::fuzz(&fuzz::FuzzArgs::new(args)?),
        Command::Campaign => campaign::campaign(&campaign::CampaignArgs::new(args, line)?),
        Command::Worker => serve::serve(&serve::WorkerArgs::new(args)?),
        Command::Reduce => reduce::reduce(reduce::ReduceArgs::new(args, line)?),
        Command::Dap => dap::dap(&args),
        Command::Trace => trace::trace(&trace::TraceArgs::new(args, line)?),
        Command::Timeline => timeline::timeline(&timeline::TimelineArgs::new(args, line)?),
        Command::New => new::new(&new::NewArgs::new(args)?),
    }
}
