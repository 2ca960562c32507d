//! What ends a command early, and the exit statuses.

use std::ffi::OsString;
use std::fmt::Write;
use std::io;

use serde_json::{Value, json};

use crate::terminal;

/// What the exit status says. Scripts rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Everything was done; even if results depend on the wave size, which is an answer and not a failure.
    Fine = 0,
    /// Findings, failed tests, engines that disagree, or a run whose time or fuel was spent.
    Findings = 1,
    /// Wrong arguments, a file that cannot be read, or a shader with errors.
    BadInput = 2,
    /// It may be right, but this adapter or this build cannot do it.
    Unsupported = 3,
    /// A mistake of ours.
    Bug = 70,
}

/// A report that is not about a line of the shader, though it may point to one.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) helps: Vec<String>,
    /// `file:line:col` and the picture of that place.
    pub(crate) place: Option<(String, String)>,
    /// The diagnostics behind it, for programs: people have seen them already.
    pub(crate) causes: Box<[Value]>,
}

impl Problem {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Problem {
        Problem {
            exit,
            message: message.into(),
            helps: Vec::new(),
            place: None,
            causes: Box::default(),
        }
    }

    /// The usual kind: a mistake of the user.
    pub(crate) fn input(message: impl Into<String>) -> Problem {
        Problem::new(Exit::BadInput, message)
    }

    pub(crate) fn bug(message: &str) -> Problem {
        let message = message.trim_start_matches("internal error: entered unreachable code: ");
        Problem::new(Exit::Bug, format!("a bug in wavelane, not in your shader: {message}"))
    }

    pub(crate) fn help(mut self, text: impl Into<String>) -> Problem {
        self.helps.push(text.into());
        self
    }

    /// Shows the location in the shader.
    pub(crate) fn at(
        mut self,
        span: wavelane::Span,
        label: &str,
        sources: &wavelane::SourceMap,
    ) -> Problem {
        if let Some(at) = sources.location(span) {
            let place = format!("{}:{}:{}", at.file, at.line, at.column);
            let picture =
                wavelane::internal::diag::excerpt(span, label, sources, terminal::style());
            self.place = Some((place, picture));
        }
        self
    }
}

/// For programs: the diagnostics that a problem sums up, otherwise the problem itself in the same form.
pub(crate) fn errors(problem: &Problem) -> Value {
    if !problem.causes.is_empty() {
        return json!({ "errors": problem.causes });
    }
    let location = problem.place.as_ref().map(|(place, _)| {
        let mut parts = place.rsplitn(3, ':');
        let mut number = || parts.next().and_then(|it| it.parse::<u32>().ok());
        let (column, line) = (number(), number());
        json!({ "file": parts.next(), "line": line, "column": column })
    });
    let help = |text: &String| json!({ "text": text, "fix": null });
    let error = json!({
        "level": if problem.exit == Exit::Unsupported { "unsupported" } else { "error" },
        "message": problem.message,
        "location": location,
        "helps": problem.helps.iter().map(help).collect::<Vec<_>>(),
    });
    json!({ "errors": [error] })
}

/// Prints it for people.
pub(crate) fn report(problem: &Problem) {
    let word = if problem.exit == Exit::Unsupported { "unsupported" } else { "error" };
    let (place, picture) = match &problem.place {
        Some((place, picture)) => {
            (format!("{}: ", terminal::coloured("1", place)), picture.as_str())
        }
        None => (String::new(), ""),
    };
    let mut text =
        format!("{place}{}: {}\n{picture}", terminal::coloured("1;31", word), problem.message);
    for help in &problem.helps {
        text.push_str(&format!(
            "  = {}: {}\n",
            terminal::coloured("1", "help"),
            help.replace('\n', "\n          ")
        ));
    }
    terminal::say(&text);
}

/// Why a command ended early.
pub(crate) enum End {
    Problem(Box<Problem>),
    /// Standard output accepts no more.
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

/// What a user who finds a bug in wavelane should do.
pub(crate) fn how_to_report(at: Option<&str>, command: impl Iterator<Item = OsString>) -> String {
    let mut text = String::new();
    if let Some(at) = at {
        let _ = writeln!(text, "  at {at}");
    }
    let words: Vec<String> = command.map(|it| quoted(&it.to_string_lossy())).collect();
    let _ = writeln!(text, "  please report it with the shader and the command that shows it:");
    let _ = writeln!(text, "    {}", words.join(" "));
    text
}

/// Quoted for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./=:,+%@".contains(it);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_shows_a_bug_can_be_pasted_into_a_shell() {
        let words = ["wavelane", "run", "my shader.hlsl", "--bind", "A[0]=u32:1", "it's"]
            .map(OsString::from);
        let text = how_to_report(Some("x.rs:1"), words.into_iter());
        assert!(
            text.contains(r"wavelane run 'my shader.hlsl' --bind 'A[0]=u32:1' 'it'\''s'"),
            "{text}"
        );
    }
}
