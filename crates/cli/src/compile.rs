//! Compiling a file and reporting its diagnostics, in the same way for all commands that take a FILE.

use std::collections::BTreeMap;
use std::sync::Arc;

use jobs::{Flags, Source};
use wavelane::internal::{self, Declared, diag};
use wavelane::{
    Bug, Compilation, Diagnostic, Includer, Level, NotFound, Options, Shader, SourceMap,
};

use crate::asked::Compiling;
use crate::files::{Folders, read_source};
use crate::problem::{Exit, Problem};
use crate::value::counted;
use crate::{operand, terminal};

/// A compiled file.
pub(crate) struct Compiled {
    pub(crate) name: String,
    pub(crate) shader: Option<Shader>,
    /// After the warning flags were applied.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Which of them another entry point of the file has reported already; empty for none.
    pub(crate) repeated: Vec<bool>,
    pub(crate) sources: SourceMap,
    /// The compiled text, for callers that write it to a file.
    source: Source,
}

/// How far a compilation goes: [`Shader::check`] or [`Shader::compile`].
pub(crate) type Step = fn(&str, &str, &Options, &mut dyn Includer) -> Result<Compilation, Bug>;

/// Compiles a file. Errors in its text are part of the result.
pub(crate) fn compile(file: &str, args: &Compiling, step: Step) -> Result<Compiled, Problem> {
    let (name, text) = read_source(file)?;
    operand::refuse_job(&name, &text)?;
    let mut includer = Recorder { folders: folders_of(args), included: BTreeMap::new() };
    let compilation = step(&name, &text, &args.options, &mut includer)
        .map_err(|bug| Problem::bug(&bug.message))?;
    if let Some(span) = compilation.stopped {
        let seconds = args.timeout.unwrap_or_default().as_secs_f64();
        let what = format!("the time of {seconds} s is spent, and `{name}` is not compiled yet");
        let problem = Problem::new(Exit::Findings, what);
        return Err(problem.at(span, "the compiler was here", &compilation.sources));
    }
    let diagnostics = args.warnings.weigh(compilation.diagnostics);
    let (shader, sources) = (compilation.shader, compilation.sources);
    let flags = flags_of(args);
    let source = Source { name: name.clone(), text, flags, included: includer.included };
    Ok(Compiled { name, shader, diagnostics, repeated: Vec::new(), sources, source })
}

/// Compiles a file, shows its diagnostics, and ends the command if it has errors.
pub(crate) fn shader(file: &str, args: &Compiling) -> Result<(Shader, SourceMap), Problem> {
    program(file, args).map(|(shader, sources, _)| (shader, sources))
}

/// The same, with what was compiled.
pub(crate) fn program(
    file: &str,
    args: &Compiling,
) -> Result<(Shader, SourceMap, Source), Problem> {
    let compiled = compile(file, args, Shader::compile)?;
    terminal::say(&compiled.rendered(args));
    match (compiled.problem(), compiled.shader) {
        (Some(mut problem), _) => {
            let errors = compiled.diagnostics.iter().filter(|it| it.level >= Level::Error);
            problem.causes = errors.map(|it| diag::to_json(it, &compiled.sources)).collect();
            Err(problem)
        }
        (None, Some(shader)) => Ok((shader, compiled.sources, compiled.source)),
        (None, None) => Err(Problem::bug("a compilation gave neither a shader nor an error")),
    }
}

impl Compiled {
    /// The diagnostics that are to be shown.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_new = |index: usize| self.repeated.get(index) != Some(&true);
        self.diagnostics.iter().enumerate().filter(move |it| is_new(it.0)).map(|it| it.1)
    }

    /// The file, as it was named.
    pub(crate) fn file(&self) -> &str {
        &self.source.name
    }

    /// The entry points that the text declares by their attributes, with their places in [`Compiled::sources`].
    pub(crate) fn declared(&self, args: &Compiling) -> Result<Vec<Declared>, Problem> {
        let (name, text, mut folders) = (&self.source.name, &self.source.text, folders_of(args));
        let found = internal::declared(name, text, &args.options, &mut folders)
            .map_err(|bug| Problem::bug(&bug.message))?;
        let is_told = |it: &Declared| it.stage.is_some();
        Ok(found.into_iter().flatten().filter(is_told).collect())
    }

    /// The diagnostics for people, up to a number of errors and warnings.
    pub(crate) fn rendered(&self, args: &Compiling) -> String {
        let is_error = |it: &&Diagnostic| it.level >= Level::Error;
        let errors = self.count(Level::Error) + self.count(Level::Unsupported);
        let mut all = self.shown();
        let mut shown = Vec::new();
        let mut left = args.most_errors;
        let (mut warnings, mut unseen) = (0, 0);
        while left > 0
            && let Some(it) = all.next()
        {
            left -= usize::from(is_error(&it));
            warnings += usize::from(!is_error(&it));
            if !is_error(&it) && warnings > args.most_warnings {
                unseen += 1;
                continue;
            }
            shown.push(match args.is_msvc {
                true => diag::to_msvc(it, &self.sources),
                false => diag::render(it, &self.sources, terminal::style()),
            });
        }
        if unseen > 0 {
            let what = counted(unseen, "more warning");
            shown.push(format!("{what} of {warnings}; `-fwarning-limit=0` shows all\n"));
        }
        let more = all.filter(is_error).count();
        if more > 0 {
            let what = counted(more, "more error");
            shown.push(format!("{what} of {errors}; `-ferror-limit=0` shows all\n"));
        }
        shown.join(if args.is_msvc { "" } else { "\n" })
    }

    pub(crate) fn count(&self, level: Level) -> usize {
        self.diagnostics.iter().filter(|it| it.level == level).count()
    }

    /// The reason why there is no shader, if there is none.
    pub(crate) fn problem(&self) -> Option<Problem> {
        let (errors, unsupported) = (self.count(Level::Error), self.count(Level::Unsupported));
        let worst = if errors > 0 { Level::Error } else { Level::Unsupported };
        let code = self.diagnostics.iter().find(|it| it.level == worst)?.code.name;
        let mut counts = Vec::new();
        if errors > 0 {
            counts.push(counted(errors, "error"));
        }
        match unsupported {
            0 => {}
            1 => counts.push("1 feature that is not supported yet".to_owned()),
            many => counts.push(format!("{many} features that are not supported yet")),
        }
        if self.count(Level::Warning) > 0 {
            counts.push(counted(self.count(Level::Warning), "warning"));
        }
        let exit = if errors > 0 { Exit::BadInput } else { Exit::Unsupported };
        let what = format!("`{}` does not compile: {}", self.name, counts.join(", "));
        Some(Problem::new(exit, what).help(format!("`wavelane explain {code}` says more")))
    }
}

/// Resolves `#include` by the flags of the command line.
pub(crate) fn folders_of(args: &Compiling) -> Folders {
    Folders {
        folders: args.includes.clone(),
        roots: args.include_roots.clone(),
        ignore_case: args.ignore_case_includes,
    }
}

/// The compilation flags, for callers that compile by themselves.
pub(crate) fn flags_of(args: &Compiling) -> Flags {
    Flags {
        options: args.options.clone(),
        includes: args.includes.iter().map(|it| it.to_string_lossy().into_owned()).collect(),
        remarks: args.remarks.clone(),
    }
}

/// Finds files by the flags of the command line, and records their texts.
pub(crate) struct Recorder {
    pub(crate) folders: Folders,
    pub(crate) included: BTreeMap<String, String>,
}

impl Includer for Recorder {
    fn read(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)> {
        let found = self.folders.read(path, includer, system)?;
        self.included.insert(path.trim_start_matches("./").to_owned(), found.1.to_string());
        Some(found)
    }

    fn not_found(&mut self, path: &str, includer: &str, system: bool) -> NotFound {
        self.folders.not_found(path, includer, system)
    }
}

/// Finds recorded files only.
pub(crate) struct Remembered<'a>(pub(crate) &'a BTreeMap<String, String>);

impl Includer for Remembered<'_> {
    fn read(&mut self, path: &str, _includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        let name = path.trim_start_matches("./");
        self.0.get(name).map(|text| (name.to_owned(), text.as_str().into()))
    }
}
