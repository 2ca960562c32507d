//! The command `wavelane`: reads arguments, files and terminals, and leaves all work to `wavelane`.
//!
//! The exit status is a contract with scripts, and `Exit` is its only statement.
//! Deliberately absent: any knowledge of engines, of the language, and of how diagnostics look.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod caps;
mod check;
mod compile;
mod diff;
mod dxc;
mod emit;
mod explain;
mod files;
mod flags;
mod help;
mod merge;
mod npy;
mod number;
mod problem;
mod run;
mod san;
mod terminal;
mod test;
pub mod tried;
mod value;
mod warnings;

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use args::{Args, Command, Request};
use problem::{Exit, Problem};

/// Room for shaders that nest as deeply as the front end's limits allow.
const STACK: usize = 256 << 20;

/// Where the last panic happened; only the hook knows it.
static PANICKED_AT: Mutex<Option<String>> = Mutex::new(None);

/// The whole command: reads the arguments of the process, and returns its exit status. `prepare` is called first on the thread
/// that does the work; `stdout_was_closed` says whether the process was started without a standard output.
pub fn main(prepare: fn(), stdout_was_closed: bool) -> ExitCode {
    terminal::note_closed_stdout(stdout_was_closed);
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|it| format!("{}:{}", it.file(), it.line()));
        if let Ok(mut at) = PANICKED_AT.lock() {
            *at = place;
        }
    }));
    let work = move || {
        prepare();
        panic::catch_unwind(AssertUnwindSafe(work))
    };
    let done = match thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(thread) => thread.join().and_then(|it| it),
        // Where so much room is not to be had, the usual stack is enough for usual shaders.
        Err(_) => work(),
    };
    let result = done.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or(payload.downcast_ref::<String>().map(String::as_str));
        Err(Problem::bug(text.unwrap_or("a panic without words")).into())
    });
    let exit = match result {
        Ok(exit) => exit,
        // Whoever read our output has enough of it.
        Err(End::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Fine,
        Err(End::Output(error)) => {
            terminal::report(&Problem::new(
                Exit::BadInput,
                format!("the output cannot be written: {error}"),
            ));
            Exit::BadInput
        }
        Err(End::Problem(problem)) => {
            terminal::report(&problem);
            if problem.exit == Exit::Bug {
                let at = PANICKED_AT.lock().ok().and_then(|at| at.clone());
                terminal::say(&problem::how_to_report(at.as_deref(), std::env::args_os()));
            }
            problem.exit
        }
    };
    ExitCode::from(exit as u8)
}

/// Why a command ended early.
enum End {
    Problem(Box<Problem>),
    /// Standard output does not take more.
    Output(io::Error),
}

impl From<Problem> for End {
    fn from(problem: Problem) -> End {
        End::Problem(Box::new(problem))
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> End {
        End::Output(error)
    }
}

fn work() -> Result<Exit, End> {
    let args = match args::parse(std::env::args_os())? {
        Request::Help(command) => {
            terminal::print(&help::text(command))?;
            return Ok(Exit::Fine);
        }
        Request::Version => {
            terminal::print(&format!("wavelane {}\n", env!("CARGO_PKG_VERSION")))?;
            return Ok(Exit::Fine);
        }
        Request::Work(args) => *args,
    };
    terminal::set_colour(args.colour);
    for remark in &args.remarks {
        terminal::warn(remark);
    }
    command(args)
}

fn command(args: Args) -> Result<Exit, End> {
    match args.command {
        Command::Check => check::check(&args),
        Command::Emit => emit::emit(&args),
        Command::Run => run::run(args),
        Command::Explain => explain::explain(&args),
        Command::Caps => caps::show(&args),
        Command::Test => test::test(args),
        Command::Merge => merge::merge(&args),
        Command::Dxc => dxc::dxc(&args),
        Command::San => san::san(args),
        Command::Bench => bench::bench(&args),
        Command::Diff => diff::diff(args),
    }
}
