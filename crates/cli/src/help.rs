//! `--help`, made from the tables.

use std::fmt::Write;

use crate::command::Command;
use crate::flags::{self, Flag, Section, Takes};

/// The help of a command, or the overview.
pub(crate) fn text(command: Option<Command>) -> String {
    let mut text = String::new();
    match command {
        None => overview(&mut text),
        Some(command) => of_command(command, &mut text),
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
        "\n  wavelane COMMAND --help   the flags of a command\n  wavelane --version        the version\n\n\
         exit status: 0 fine; 1 findings, failed tests, engines that disagree, time or fuel spent;\n\
         \x20            2 bad input; 3 not supported here; 70 a bug of ours\n",
    );
}

fn of_command(command: Command, text: &mut String) {
    let _ = writeln!(text, "{}\n", command.summary());
    let _ = writeln!(
        text,
        "usage: wavelane {} {}\n",
        command.name(),
        format!("{} [flags]", command.operands()).trim()
    );
    if command.operands().contains("FILE") {
        text.push_str("`-` as FILE reads standard input.\n\n");
    }
    for (section, title) in Section::ALL {
        let flags: Vec<&Flag> =
            flags::all().filter(|it| it.section == section && it.on.contains(&command)).collect();
        if flags.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{title}:");
        match section {
            Section::Ignored => ignored(&flags, text),
            Section::Run
            | Section::Device
            | Section::Output
            | Section::Language
            | Section::Warnings => {
                flags.iter().for_each(|flag| row(flag, text));
            }
        }
        text.push('\n');
    }
}

const COLUMN: usize = 28;

fn row(flag: &Flag, text: &mut String) {
    let separator = match flag.takes {
        Takes::Joined("[no-]CODE") | Takes::Nothing => "",
        Takes::Value(_) | Takes::Joined(_) | Takes::Words(..) | Takes::Ignored(_) => " ",
    };
    let left = format!("  {}{separator}{}", flag.names.join(", "), flag.takes.placeholder());
    let mut lines = flag.help.lines();
    // What does not fit beside the flag stands below it.
    if left.len() < COLUMN {
        let _ = writeln!(text, "{left:<COLUMN$}{}", lines.next().unwrap_or(""));
    } else {
        let _ = writeln!(text, "{left}");
    }
    for line in lines {
        let _ = writeln!(text, "{:COLUMN$}{line}", "");
    }
}

fn ignored(flags: &[&Flag], text: &mut String) {
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

    #[test]
    fn every_command_has_help_that_fits_a_terminal() {
        for command in Command::ALL.map(Some).into_iter().chain([None]) {
            let text = text(command);
            assert!(text.contains("usage: wavelane"), "{text}");
            for line in text.lines() {
                assert!(line.chars().count() <= 112, "{line}");
            }
        }
        assert!(text(Some(Command::Run)).contains("--wave-size W|LIST|all"));
        assert!(!text(Some(Command::Check)).contains("--groups"));
    }
}
