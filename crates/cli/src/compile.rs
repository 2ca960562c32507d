//! Compiling a file and telling what was found, which all commands that take a FILE do alike.

use device::{Diagnostic, Level, Shader, SourceMap, diag};

use crate::args::{Args, Warnings};
use crate::files::{Folders, read_source};
use crate::problem::{Exit, Problem};
use crate::terminal;
use crate::value::counted;

/// A compiled file.
pub(crate) struct Compiled {
    pub(crate) name: String,
    pub(crate) shader: Option<Shader>,
    /// As the flags about warnings want them.
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) sources: SourceMap,
}

/// Compiles a file; what is wrong with its text is in the result.
pub(crate) fn compile(file: &str, args: &Args) -> Result<Compiled, Problem> {
    let (name, text) = read_source(file)?;
    let mut includer = Folders { folders: args.includes.clone() };
    let compilation = Shader::compile(&name, &text, &args.options, &mut includer)
        .map_err(|bug| Problem::bug(&bug.message))?;
    let diagnostics = weigh(compilation.diagnostics, &args.warnings);
    Ok(Compiled { name, shader: compilation.shader, diagnostics, sources: compilation.sources })
}

/// Compiles a file, shows its diagnostics, and ends the command if it has errors.
pub(crate) fn shader(file: &str, args: &Args) -> Result<(Shader, SourceMap), Problem> {
    let compiled = compile(file, args)?;
    terminal::say(&diag::render_all(&compiled.diagnostics, &compiled.sources, terminal::style()));
    match (compiled.problem(), compiled.shader) {
        (Some(problem), _) => Err(problem),
        (None, Some(shader)) => Ok((shader, compiled.sources)),
        (None, None) => Err(Problem::bug("a compilation gave neither a shader nor an error")),
    }
}

impl Compiled {
    /// What keeps the shader from being used.
    pub(crate) fn problem(&self) -> Option<Problem> {
        let count = |level| self.diagnostics.iter().filter(|it| it.level == level).count();
        let (errors, unsupported) = (count(Level::Error), count(Level::Unsupported));
        let codes =
            self.diagnostics.iter().filter(|it| it.level >= Level::Error).map(|it| it.code.name);
        let code = codes.clone().next()?;
        let (exit, what) = match errors {
            0 => (Exit::Unsupported, counted(unsupported, "feature that is not built yet")),
            _ => (Exit::BadInput, counted(errors, "error")),
        };
        let what =
            what.replace("feature that is not built yets", "features that are not built yet");
        let problem = Problem::new(exit, format!("`{}` does not compile: {what}", self.name));
        Some(problem.help(format!("`wavelane explain {code}` says more")))
    }
}

fn weigh(diagnostics: Vec<Diagnostic>, warnings: &Warnings) -> Vec<Diagnostic> {
    let is_in = |codes: &[String], it: &Diagnostic| codes.iter().any(|code| code == it.code.name);
    let mut kept = Vec::new();
    for mut it in diagnostics {
        if it.level <= Level::Warning {
            if warnings.none || it.level == Level::Allow || is_in(&warnings.off, &it) {
                continue;
            }
            if it.level == Level::Warning && (warnings.are_errors || is_in(&warnings.errors, &it)) {
                it.level = Level::Error;
                let flag = if warnings.are_errors {
                    "-WX".to_owned()
                } else {
                    format!("-Werror={}", it.code.name)
                };
                it.notes.push(format!("a warning, which `{flag}` makes an error"));
            }
        }
        kept.push(it);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::Span;
    use device::diag::code;

    #[test]
    fn flags_silence_warnings_and_make_them_errors_but_never_touch_errors() {
        let levels = |warnings: &Warnings| {
            let warning = Diagnostic::new(&code::EXTRA_TOKENS, Span::NONE, "w");
            let error = Diagnostic::new(&code::SYNTAX, Span::NONE, "e");
            weigh(vec![warning, error], warnings).iter().map(|it| it.level).collect::<Vec<_>>()
        };
        let codes = || vec!["extra-tokens".to_owned(), "syntax".to_owned()];
        assert_eq!(levels(&Warnings::default()), [Level::Warning, Level::Error]);
        assert_eq!(levels(&Warnings { off: codes(), ..Warnings::default() }), [Level::Error]);
        assert_eq!(levels(&Warnings { none: true, ..Warnings::default() }), [Level::Error]);
        assert_eq!(
            levels(&Warnings { are_errors: true, ..Warnings::default() }),
            [Level::Error, Level::Error]
        );
        assert_eq!(
            levels(&Warnings { errors: codes(), ..Warnings::default() }),
            [Level::Error, Level::Error]
        );
    }
}
