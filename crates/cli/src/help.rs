//! `--help`, made from the tables.
//!
//! The usual help of a command fits two screens: examples first, then the usual flags, each with the first sentence of
//! its help. `--help all` has every flag and every word.

mod examples;

use std::fmt::Write;

use crate::command::Command;
use crate::flags::{self, Flag, Section, Takes};

/// The help of a command, whole or with its usual flags, or the overview.
pub(crate) fn text(command: Option<Command>, is_whole: bool) -> String {
    let mut text = String::new();
    match command {
        None => overview(&mut text),
        Some(command) => of_command(command, is_whole, &mut text),
    }
    text
}

fn overview(text: &mut String) {
    text.push_str(
        "wavelane runs HLSL wave shaders anywhere, exactly, at any wave width from 4 to 128.\n\n",
    );
    text.push_str("usage: wavelane COMMAND …\n\n");
    for command in Command::ALL {
        let _ = writeln!(text, "  {:<9}{}", command.name(), command.summary());
    }
    text.push_str(
        "\n  wavelane COMMAND --help       examples, and the usual flags of a command\n  \
         wavelane COMMAND --help all   all its flags\n  \
         wavelane --version            the version\n\n\
         exit status: 0 fine; 1 findings, failed tests, engines that disagree, time or fuel spent;\n\
         \x20            2 bad input; 3 not supported here; 70 a bug in wavelane\n",
    );
}

fn of_command(command: Command, is_whole: bool, text: &mut String) {
    let _ = writeln!(text, "{}\n", command.summary());
    let _ = writeln!(
        text,
        "usage: wavelane {} {}\n",
        command.name(),
        format!("{} [flags]", command.operands()).trim()
    );
    text.push_str("Examples:\n");
    for (line, what) in examples::of(command) {
        let _ = writeln!(text, "  {line}\n      {what}");
    }
    text.push('\n');
    if is_whole && command.operands().contains("FILE") {
        text.push_str("`-` as FILE reads standard input.\n\n");
    }
    let mut hidden = 0;
    for (section, title) in Section::ALL {
        let of_section = |it: &&Flag| {
            let is_internal = it.names.contains(&flags::WORKER);
            it.section == section && it.on.contains(&command) && !is_internal
        };
        let (flags, rare): (Vec<&Flag>, Vec<&Flag>) = flags::all()
            .filter(of_section)
            .partition(|it| is_whole || !examples::is_rare(it, command));
        hidden += rare.iter().map(|it| it.names.len()).sum::<usize>();
        if flags.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{title}:");
        match section {
            Section::Ignored | Section::Refused => names(&flags, text),
            Section::Run
            | Section::Device
            | Section::Output
            | Section::Language
            | Section::Warnings
            | Section::Build => flags.iter().for_each(|flag| row(flag, is_whole, text)),
        }
        text.push('\n');
    }
    if hidden > 0 {
        let _ = writeln!(
            text,
            "`wavelane {} --help all` has {hidden} more flags and all details.",
            command.name()
        );
    }
}

const COLUMN: usize = 28;
/// The most characters of help on a line.
const WIDTH: usize = 80;

fn row(flag: &Flag, is_whole: bool, text: &mut String) {
    let separator = match flag.takes {
        Takes::Joined("[no-]CODE") | Takes::Nothing | Takes::Optional(_) => "",
        Takes::Value(_)
        | Takes::Values(_)
        | Takes::Joined(_)
        | Takes::Words(..)
        | Takes::Ignored(_) => " ",
    };
    let left = format!("  {}{separator}{}", flag.names.join(", "), flag.takes.placeholder());
    let first = first_sentence(flag.help);
    let mut lines = if is_whole { flag.help.lines() } else { first.lines() };
    // A flag that is too long for its column has its help on the next line.
    if left.len() < COLUMN {
        let _ = writeln!(text, "{left:<COLUMN$}{}", lines.next().unwrap_or(""));
    } else {
        let _ = writeln!(text, "{left}");
    }
    for line in lines {
        let _ = writeln!(text, "{:COLUMN$}{line}", "");
    }
}

/// A help up to the end of its first sentence or clause, without the table that may follow, wrapped into lines.
fn first_sentence(help: &str) -> String {
    let text = help.lines().take_while(|line| !line.trim().contains("  "));
    let words: Vec<&str> = text.flat_map(str::split_whitespace).collect();
    // Text in parentheses is not cut.
    let mut open = 0;
    let end = words.iter().position(|it| {
        open += it.matches('(').count();
        open -= it.matches(')').count().min(open);
        open == 0 && it.ends_with(['.', ';', ':'])
    });
    let words = &words[..end.map_or(words.len(), |it| it + 1)];
    let mut lines = vec![String::new()];
    for word in words {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines.join("\n").trim_end_matches(['.', ';', ':']).to_owned()
}

fn names(flags: &[&Flag], text: &mut String) {
    let mut line = " ".to_owned();
    for word in
        flags.iter().flat_map(|it| it.names.iter().copied()).chain(flags.iter().map(|it| it.help))
    {
        if line.len() + word.len() > 78 {
            let _ = writeln!(text, "{line}");
            line = " ".to_owned();
        }
        if !word.is_empty() {
            line.push(' ');
            line.push_str(word);
        }
    }
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two screens.
    const MOST_LINES: usize = 80;

    #[test]
    fn every_command_has_help_that_fits_two_screens_and_examples_come_first() {
        for command in Command::ALL.map(Some).into_iter().chain([None]) {
            for is_whole in [false, true] {
                let text = text(command, is_whole);
                assert!(text.contains("usage: wavelane"), "{text}");
                for line in text.lines() {
                    assert!(line.chars().count() <= 112, "{line}");
                }
                assert_eq!(text.matches('(').count(), text.matches(')').count(), "{text}");
                assert!(
                    is_whole || text.lines().count() <= MOST_LINES,
                    "{}\n{text}",
                    text.lines().count()
                );
                assert!(
                    command.is_none() || text.find("Examples:") < text.find("--color"),
                    "{text}"
                );
            }
        }
        assert!(text(Some(Command::Run), false).contains("--wave-size W|LIST|all"));
        assert!(!text(Some(Command::Check), true).contains("--groups"));
        assert!(!text(Some(Command::Test), true).contains("--worker"));
    }

    #[test]
    fn every_example_is_a_command_line() {
        for command in Command::ALL {
            assert!(!examples::of(command).is_empty());
            for (line, _) in examples::of(command) {
                let words = jobs::shell_words(line).into_iter().map(std::ffi::OsString::from);
                if let Err(problem) = crate::args::parse(words) {
                    panic!("{line}: {}", problem.message);
                }
            }
        }
    }

    #[test]
    fn rare_flags_exist() {
        for name in examples::RARE {
            assert!(flags::all().any(|it| it.names.contains(name)), "{name}");
        }
    }

    #[test]
    fn the_first_sentence_of_a_help_is_wrapped() {
        assert_eq!(first_sentence("one\ntwo; three"), "one two");
        assert_eq!(first_sentence("what it holds:\n  a  first\n  b  second"), "what it holds");
        assert_eq!(first_sentence("1.5 is a number. And"), "1.5 is a number");
        assert_eq!(first_sentence("a size (8; new: 4); more"), "a size (8; new: 4)");
        let long = first_sentence(&"word ".repeat(40));
        assert!(long.lines().count() > 1 && long.lines().all(|it| it.len() <= WIDTH));
    }
}
