//! What shows that a package works: a command of an installed program, and what it must print.

use std::path::Path;
use std::process::Command;

use super::said;

/// A command that must succeed and print something.
pub(super) struct Proof {
    /// What is run, for the reader of the report.
    name: &'static str,
    command: Command,
    prints: Prints,
}

enum Prints {
    Text(String),
    /// Any value of JSON.
    Json,
}

const README: &str = "README's first command";

impl Proof {
    /// README's first command, which prints what README shows. `start` are the program and the words before the
    /// command's.
    pub(super) fn readme(mut start: Command) -> Result<Proof, String> {
        let (words, printed) = first_command()?;
        start.args(words).current_dir(crate::root());
        Ok(Proof { name: README, command: start, prints: Prints::Text(printed) })
    }

    /// The same, printing the buffers as JSON.
    pub(super) fn readme_as_json(mut start: Command) -> Result<Proof, String> {
        start.args(first_command()?.0).current_dir(crate::root());
        Ok(Proof { name: README, command: start, prints: Prints::Json })
    }

    /// The first program of a document, which `command` runs.
    pub(super) fn program(command: Command, printed: &str) -> Proof {
        Proof { name: "the first program", command, prints: Prints::Text(printed.to_owned()) }
    }

    /// Runs it; returns what it shows.
    pub(super) fn shown(mut self) -> Result<String, String> {
        let printed = said(&mut self.command)?;
        let is_right = match &self.prints {
            Prints::Text(text) => printed.trim_end() == text,
            Prints::Json => serde_json::from_str::<serde_json::Value>(&printed).is_ok(),
        };
        match is_right {
            true => Ok(format!("{} runs", self.name)),
            false => Err(format!("{} prints\n{printed}", self.name)),
        }
    }
}

/// The words of the first command that README shows with its output, and the output.
pub(super) fn first_command() -> Result<(Vec<String>, String), String> {
    command_in(&String::from_utf8_lossy(&super::super::read("README.md")?))
}

fn command_in(readme: &str) -> Result<(Vec<String>, String), String> {
    let block = readme.split("```console\n$ wavelane ").nth(1);
    let block = block.and_then(|it| it.split("```").next()).and_then(|it| it.split_once('\n'));
    let (command, printed) = block.ok_or("README.md shows no command")?;
    // Quotes keep words together, and nothing is escaped in them.
    let mut words = Vec::new();
    for (at, piece) in command.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(piece.split_whitespace().map(str::to_owned)),
            _ => words.push(piece.to_owned()),
        }
    }
    Ok((words, printed.trim_end().to_owned()))
}

/// Writes the first block of a language in a document into a file.
pub(super) fn write_program(document: &str, language: &str, to: &Path) -> Result<(), String> {
    let text = String::from_utf8_lossy(&super::super::read(document)?).into_owned();
    let mark = format!("```{language}\n");
    let program = text.split(&mark).nth(1).and_then(|it| it.split("```").next());
    let program = program.ok_or_else(|| format!("{document} has no program in `{language}`"))?;
    std::fs::write(to, program).map_err(|error| format!("{}: {error}", to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_the_words_of_a_command_together() {
        let readme = "# x\n```console\n$ wavelane run a.hlsl --bind 'A=u32: 1'\n 1\n```\n";
        let (words, printed) = command_in(readme).unwrap();
        assert_eq!(words, ["run", "a.hlsl", "--bind", "A=u32: 1"]);
        assert_eq!(printed, " 1");
        assert!(command_in("nothing").is_err());
    }
}
