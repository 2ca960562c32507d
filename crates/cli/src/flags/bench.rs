//! The flags of `bench` alone.

use super::{Flag, Section, Takes};
use crate::asked::MOST_ROUNDS;
use crate::command::Command;

pub(super) const ROUNDS: Flag = Flag {
    names: &["--rounds"],
    takes: Takes::Value("N"),
    on: &[Command::Bench],
    section: Section::Run,
    help: "how often everything is measured (10); one run before that warms up",
    set: |args, value| {
        args.rounds = match value.parse() {
            Ok(rounds @ 1..=MOST_ROUNDS) => rounds,
            _ => return Err(format!("a number of rounds is 1 to {MOST_ROUNDS}")),
        };
        Ok(())
    },
};
