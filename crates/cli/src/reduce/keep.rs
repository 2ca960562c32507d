//! What makes a candidate worth keeping, and the guard before it: a candidate that is not defined is never tested.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use regex_lite::Regex;
use wavelane::Shader;
use wavelane::internal::diag;

use super::ReduceArgs;
#[cfg(test)]
use crate::candidate::Candidate;
use crate::candidate::{Setting, undefined};
use crate::compile::Remembered;
use crate::external::{self, Ended, Scratch};
use crate::problem::Problem;
use crate::side::{self, Runs, Side, Wanted};

/// The condition for keeping a candidate.
pub(super) enum Keep {
    /// The command ends with status 0.
    Command(String),
    Finding(String),
    Diff(Box<Side>),
    /// A command, or wavelane itself, prints something that matches.
    Message(Regex, Option<String>),
    /// The IR holds all of these.
    #[cfg(test)]
    Ir(&'static [&'static str]),
}

/// What else candidates must satisfy.
#[derive(Debug)]
pub(super) enum Guard {
    None,
    /// They compile, and nothing in them is undefined except findings of this code.
    Defined(Option<String>),
}

impl Keep {
    pub(super) fn of(args: &ReduceArgs) -> Result<Keep, Problem> {
        let tools = &args.tools;
        if let Some(command) = &tools.keep {
            return Ok(Keep::Command(command.clone()));
        }
        if let Some(code) = &tools.keep_finding {
            let known = diag::codes().iter().filter(|it| it.in_runs).map(|it| it.name);
            if !known.clone().any(|it| it == code) {
                let problem = Problem::input(format!("`{code}` is not the code of a finding"));
                return Err(match diag::most_similar(code, known) {
                    Some(meant) => problem.help(format!("did you mean `{meant}`?")),
                    None => problem.help("`wavelane explain --list` lists the codes"),
                });
            }
            return Ok(Keep::Finding(code.clone()));
        }
        if let Some(engine) = &tools.keep_diff {
            if engine.contains(',') {
                return Err(Problem::input("`--keep-diff` names one engine"));
            }
            let device = &args.common.device;
            let wanted = Wanted { engines: Some(engine), module: None, device };
            let mut sides = side::open(wanted)?;
            let side = sides.pop().ok_or_else(|| Problem::bug("an engine was opened and lost"))?;
            if let Runs::Missing(why) = &side.runs {
                let what = format!("`{engine}` is not available here: {why}");
                return Err(Problem::new(crate::problem::Exit::Unsupported, what));
            }
            return Ok(Keep::Diff(Box::new(side)));
        }
        let pattern = tools.keep_message.as_deref().unwrap_or_default();
        let regex = Regex::new(pattern)
            .map_err(|error| Problem::input(format!("`--keep-message {pattern}`: {error}")))?;
        Ok(Keep::Message(regex, tools.by.clone()))
    }

    /// The code of findings that candidates may have.
    pub(super) fn allowed(&self) -> Option<String> {
        match self {
            Keep::Finding(code) => Some(code.clone()),
            Keep::Command(_) | Keep::Diff(_) | Keep::Message(..) => None,
            #[cfg(test)]
            Keep::Ir(_) => None,
        }
    }

    /// Whether candidates have to run here, defined or not.
    pub(super) fn needs_run(&self) -> bool {
        matches!(self, Keep::Finding(_) | Keep::Diff(_))
    }

    /// Whether it is about messages of wavelane's compiler.
    pub(super) fn is_own_message(&self) -> bool {
        matches!(self, Keep::Message(_, None))
    }

    /// What an uninteresting program lacks.
    fn lacks(&self, name: &str) -> String {
        match self {
            Keep::Command(command) => {
                format!("`{command}` does not end with status 0 for `{name}`")
            }
            Keep::Finding(code) => format!("`wavelane san` does not report `{code}` in `{name}`"),
            Keep::Diff(side) => format!("`{}` and `interp` agree on `{name}`", side.name),
            Keep::Message(regex, _) => {
                format!("no message about `{name}` matches `{regex}`")
            }
            #[cfg(test)]
            Keep::Ir(words) => format!("the IR lacks one of {words:?}"),
        }
    }
}

/// Decides about candidates.
pub(super) struct Keeper {
    keep: Keep,
    guard: Guard,
    pub(super) setting: Setting,
    scratch: Scratch,
    patience: Duration,
    /// How often a command was run.
    pub(super) tests: AtomicUsize,
    folders: AtomicUsize,
    /// The outcome of the first command, which gets the whole program.
    first: OnceLock<external::Ran>,
}

/// How many of the last lines that a command printed are shown.
const MOST_LINES: usize = 5;
/// What a shell ends with if it cannot run a command.
const CANNOT_EXECUTE: i32 = 126;
const NOT_FOUND: i32 = 127;

impl Keeper {
    pub(super) fn new(
        keep: Keep,
        guard: Guard,
        setting: Setting,
        patience: Duration,
    ) -> Result<Keeper, Problem> {
        let scratch = Scratch::new().map_err(|error| {
            Problem::input(format!("no folder for candidates can be made: {error}"))
        })?;
        let (tests, folders) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let first = OnceLock::new();
        Ok(Keeper { keep, guard, setting, scratch, patience, tests, folders, first })
    }

    /// The program itself must be worth keeping.
    pub(super) fn check(&self, text: &str) -> Result<(), Problem> {
        if self.keeps(text)? {
            return Ok(());
        }
        let lacks = self.keep.lacks(&self.setting.name);
        let Some(ran) = self.first.get() else {
            return Err(Problem::input(format!("{lacks}: there is nothing to keep")));
        };
        let (how, status) = match ran.ended {
            Ended::Status(status) => {
                (format!("ended with status {}", external::status_text(status)), status)
            }
            Ended::Signal(signal) => (format!("was ended by signal {signal}"), 0),
            Ended::TimedOut => (format!("took longer than {} s", self.patience.as_secs_f64()), 0),
        };
        let problem =
            Problem::input(format!("{lacks}: the command {how}, and there is nothing to keep"));
        let lines: Vec<&str> = ran.said.lines().collect();
        let last = lines[lines.len().saturating_sub(MOST_LINES)..].join("\n");
        let problem = match last.trim().is_empty() {
            true => problem,
            false => problem.help(format!("it printed: {}", last.trim())),
        };
        Err(match [CANNOT_EXECUTE, NOT_FOUND].contains(&status) {
            true => problem.help(
                "the command runs in a separate folder: name a script by its absolute path, such as \
                 \"$PWD/crashes.sh\"",
            ),
            false => problem,
        })
    }

    pub(super) fn keeps(&self, text: &str) -> Result<bool, Problem> {
        let needs_run = self.keep.needs_run();
        let candidate = match &self.guard {
            Guard::None if !needs_run => None,
            Guard::None | Guard::Defined(_) => match self.setting.compiled(text) {
                Some(candidate) => Some(candidate),
                None => return Ok(false),
            },
        };
        // The comparison is cheaper than the sweep of the sanitizer, and rejects more candidates.
        if let (Keep::Diff(side), Some(candidate)) = (&self.keep, &candidate)
            && self.setting.differs(side, candidate) != Some(true)
        {
            return Ok(false);
        }
        // A difference may turn out to be a note of another finding, by its cause.
        let keeps_finding = matches!(self.keep, Keep::Finding(_));
        let is_examined = matches!(self.guard, Guard::Defined(_)) || keeps_finding;
        let seen = match candidate.as_ref().filter(|_| is_examined) {
            Some(candidate) => match self.setting.examined(candidate, keeps_finding) {
                Some(seen) => seen,
                None => return Ok(false),
            },
            None => Vec::new(),
        };
        if let Guard::Defined(allowed) = &self.guard
            && undefined(&seen).into_iter().any(|it| Some(it) != allowed.as_deref())
        {
            return Ok(false);
        }
        match &self.keep {
            Keep::Diff(_) => Ok(true),
            #[cfg(test)]
            Keep::Ir(words) => Ok(candidate.as_ref().is_some_and(|it| match it {
                Candidate::Dispatch { shader, .. } => {
                    shader.ir().is_ok_and(|ir| words.iter().all(|word| ir.contains(word)))
                }
                Candidate::Draw(_) => false,
            })),
            Keep::Finding(code) => Ok(seen.iter().any(|it| it.finding.kind.code().name == code)),
            Keep::Command(command) => Ok(self.run(command, text)?.ended == Ended::Status(0)),
            Keep::Message(regex, Some(command)) => {
                Ok(regex.is_match(&self.run(command, text)?.said))
            }
            Keep::Message(regex, None) => {
                let included = &mut Remembered(&self.setting.included);
                let Setting { name, options, .. } = &self.setting;
                let compiled = Shader::compile(name, text, options, included);
                Ok(compiled.is_ok_and(|it| {
                    it.diagnostics
                        .iter()
                        .any(|it| regex.is_match(&it.message) || regex.is_match(it.code.name))
                }))
            }
        }
    }

    /// Runs a command in a separate folder, which holds the candidate and the files that the program includes.
    fn run(&self, command: &str, text: &str) -> Result<external::Ran, Problem> {
        self.tests.fetch_add(1, Ordering::Relaxed);
        let number = self.folders.fetch_add(1, Ordering::Relaxed);
        let folder = self.scratch.0.join(number.to_string());
        let cannot =
            |error: std::io::Error| Problem::input(format!("`{command}` cannot be run: {error}"));
        let file = self.laid_out(&folder, text).map_err(cannot)?;
        let mut shell = external::shell(command, &file);
        shell.current_dir(&folder);
        let log = self.scratch.0.join(format!("{number}.log"));
        let ran = external::run(&mut shell, &log, self.patience).map_err(cannot)?;
        if number == 0 {
            let _ = self.first.set(ran.clone());
        }
        // A folder that cannot be removed now is removed with the others at the end.
        let _ = std::fs::remove_dir_all(&folder);
        Ok(ran)
    }

    fn laid_out(&self, folder: &Path, text: &str) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        for (name, included) in &self.setting.included {
            let path = Path::new(name);
            let is_below =
                path.components().all(|it| matches!(it, std::path::Component::Normal(_)));
            if is_below {
                let path = folder.join(path);
                if let Some(parent) = path.parent() {
                    std::fs::create_dir_all(parent)?;
                }
                std::fs::write(path, included)?;
            }
        }
        let name = Path::new(&self.setting.name)
            .file_name()
            .filter(|_| self.setting.name != crate::files::STDIN);
        let file = folder.join(name.unwrap_or_else(|| "stdin.hlsl".as_ref()));
        std::fs::write(&file, text)?;
        Ok(file)
    }
}
