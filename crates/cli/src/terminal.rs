//! Standard output and standard error: what is printed where, and in which colours.
//!
//! Results go to standard output, everything else to standard error. Errors on standard error are ignored: they could
//! not be reported anywhere.

#[cfg(unix)]
use rustix::io::Errno;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::sync::OnceLock;

use wavelane::internal::diag::Style;

/// Whether the process was started with its standard output closed: only `main` can know.
static STDOUT_WAS_CLOSED: OnceLock<bool> = OnceLock::new();

pub(crate) fn note_closed_stdout(was_closed: bool) {
    let _ = STDOUT_WAS_CLOSED.set(was_closed);
}

/// Standard output, buffered. The caller flushes.
pub(crate) fn out() -> BufWriter<Out> {
    BufWriter::with_capacity(1 << 16, Out(io::stdout().lock()))
}

/// Standard output as the process got it: where it is closed, nothing can be written. Where its reader has left, as
/// `head` does, the rest is dropped, and the work goes on: the exit status must reflect output that was not read, too.
pub(crate) struct Out(StdoutLock<'static>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if STDOUT_WAS_CLOSED.get() == Some(&true) {
            return Err(closed());
        }
        unless_left(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_left(self.0.flush(), ())
    }
}

/// A result of writing, in which a closed reader is not an error.
fn unless_left<T>(result: io::Result<T>, dropped: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(dropped),
        other => other,
    }
}

/// The system's error for a file that is not open.
fn closed() -> io::Error {
    #[cfg(unix)]
    return Errno::BADF.into();
    #[cfg(not(unix))]
    io::Error::other("it is closed")
}

/// Writes a text to standard output.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = out();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a value to standard output.
pub(crate) fn print_json(value: &serde_json::Value) -> io::Result<()> {
    print(&format!("{value:#}\n"))
}

/// Writes a text to standard error as it is.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether a person sees standard error.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// When to write in colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum When {
    /// On a terminal, and not where `NO_COLOR` forbids them.
    #[default]
    Auto,
    Always,
    Never,
}

/// The `--color` of the command line. Messages about the command line itself are printed before it is known.
static COLOUR: OnceLock<When> = OnceLock::new();

/// To be called once, as soon as it is known.
pub(crate) fn set_colour(when: When) {
    let _ = COLOUR.set(when);
}

pub(crate) fn style() -> Style {
    let is_wanted = match COLOUR.get().copied().unwrap_or_default() {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let forbidden = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
            is_watched() && !forbidden
        }
    };
    if is_wanted { Style::Colour } else { Style::Plain }
}

/// A remark about the command line.
pub(crate) fn warn(message: &str) {
    say(&format!("{}: {message}\n", coloured("1;33", "warning")));
}

/// A remark about the work.
pub(crate) fn note(message: &str) {
    say(&format!("{}: {message}\n", coloured("1;36", "note")));
}

/// A text in a colour, where colours are wanted.
pub(crate) fn coloured(code: &str, text: &str) -> String {
    match style() {
        Style::Plain => text.to_owned(),
        Style::Colour => format!("\x1b[{code}m{text}\x1b[0m"),
    }
}
