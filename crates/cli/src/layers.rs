//! The layers of settings: defaults, then the project file, then its table for the entry point, then the command line.
//!
//! A later layer wins: single values replace, named ones (macros, bindings, members) replace those of the same name,
//! and folders of includes are searched first. A command that works on several entry points gets separate values for
//! each.

use std::path::PathBuf;

use crate::args::{self, Line};
use crate::asked::{Binds, LowArgs};
use crate::command::Command;
use crate::operand::is_job;
use crate::problem::Problem;
use crate::project::{self, Project};
use crate::terminal;

/// The layers of an entry point's values.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    line: Line,
    project: Option<Project>,
}

/// Completes the command line with the settings of the project file.
pub(crate) fn complete(args: LowArgs, line: &Line) -> Result<(LowArgs, Layers), Problem> {
    if !project::is_read_by(args.command) {
        return Ok((args, Layers::default()));
    }
    let project = if args.no_config { None } else { Project::find()? };
    if let Some(project) = project.as_ref().filter(|_| args.device.verbose && !args.is_worker) {
        terminal::note(&format!("read `{}`", project.name));
    }
    let is_plain = project.is_none();
    let layers = Layers { line: line.clone(), project };
    let mut args = if is_plain { args } else { layers.of_command(&args)? };
    if args.operands.is_empty()
        && let Some(project) = &layers.project
        && matches!(args.command, Command::Check | Command::San | Command::Test)
    {
        args.operands = project.files()?;
        args.operands_are_of_project = !args.operands.is_empty();
    }
    Ok((args, layers))
}

impl Layers {
    /// The values for a command as a whole.
    fn of_command(&self, said: &LowArgs) -> Result<LowArgs, Problem> {
        let (file, entry) = (said.operands.first(), &said.compile.options.entry);
        let works_on_one = match said.command {
            Command::Check | Command::San => said.entries.len() == 1,
            Command::Test => false,
            _ => true,
        };
        // A job has its own bindings.
        let is_shader =
            |it: &&String| said.operands.len() == 1 && !it.contains("::") && !is_job(it);
        match file.filter(is_shader).filter(|_| works_on_one) {
            Some(file) => self.values(said.command, Some((file, entry))),
            None => self.values(said.command, None),
        }
    }

    /// The values for an entry point of a file.
    pub(crate) fn of_entry(
        &self,
        command: Command,
        file: &str,
        entry: &str,
    ) -> Result<LowArgs, Problem> {
        let mut args = self.values(command, Some((file, entry)))?;
        args.operands = vec![file.to_owned()];
        entry.clone_into(&mut args.compile.options.entry);
        Ok(args)
    }

    /// Whether the project file has settings for an entry point.
    pub(crate) fn knows(&self, file: &str, entry: &str) -> bool {
        self.project.as_ref().is_some_and(|it| it.knows(file, entry))
    }

    fn values(&self, command: Command, of: Option<(&str, &str)>) -> Result<LowArgs, Problem> {
        let mut args = LowArgs::new(command);
        if let Some(project) = &self.project {
            layer(&mut args, |args| project.apply(args))?;
            if let Some((file, entry)) = of {
                layer(&mut args, |args| project.apply_entry(args, file, entry))?;
            }
        }
        let mut line = self.line.clone();
        layer(&mut args, |args| args::read(args, &mut line).map(|_| ()))?;
        Ok(args)
    }
}

/// Sets values over others.
fn layer(
    args: &mut LowArgs,
    set: impl FnOnce(&mut LowArgs) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let below = std::mem::replace(args, args.emptied());
    set(args)?;
    over(&mut args.bind.binds, below.bind.binds, |it| it.0.clone());
    over(&mut args.bind.sets, below.bind.sets, |it| it.0.clone());
    over(&mut args.bind.counters, below.bind.counters, |it| it.0.clone());
    over(&mut args.bind.aliases, below.bind.aliases, |it| it.0.clone());
    args.bind.of_project.splice(..0, below.bind.of_project);
    let (options, below_options) = (&mut args.compile.options, below.compile.options);
    over(&mut options.defines, below_options.defines, |it| it.0.clone());
    over(&mut options.specialization, below_options.specialization, |it| it.0);
    if args.draw.targets.is_empty() {
        args.draw.targets = below.draw.targets;
    }
    let includes: Vec<PathBuf> = below.compile.includes;
    args.compile.includes.extend(includes);
    Ok(())
}

/// Puts the values of the lower layer first, except those with a name that the upper layer also sets.
fn over<T, K: PartialEq>(set: &mut Vec<T>, below: Vec<T>, name: impl Fn(&T) -> K) {
    let is_new = |it: &T| !set.iter().any(|other| name(other) == name(it));
    let kept: Vec<T> = below.into_iter().filter(is_new).collect();
    set.splice(..0, kept);
}

impl LowArgs {
    /// The same values without those that have names: a layer puts its own first.
    fn emptied(&self) -> LowArgs {
        let mut args = self.clone();
        args.bind = Binds { auto: self.bind.auto, ..Binds::default() };
        args.compile.options.defines.clear();
        args.compile.options.specialization.clear();
        args.compile.includes.clear();
        args.draw.targets.clear();
        args
    }
}
