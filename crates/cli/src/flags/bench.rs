//! The flags of `bench` alone.

use super::{Flag, Section, Takes};
use crate::asked::MOST_ROUNDS;
use crate::command::Command;

pub(super) const ROUNDS: Flag = Flag {
    names: &["--rounds"],
    takes: Takes::Value("N"),
    on: &[Command::Bench],
    section: Section::Run,
    help: "the number of measurements (10), after one run to warm up",
    set: |args, value| {
        args.rounds = match value.parse() {
            Ok(rounds @ 1..=MOST_ROUNDS) => rounds,
            _ => return Err(format!("a number of rounds is 1 to {MOST_ROUNDS}")),
        };
        Ok(())
    },
};

pub(super) const AGAINST: Flag = Flag {
    names: &["--against"],
    takes: Takes::Value("FILE"),
    on: &[Command::Bench],
    section: Section::Run,
    help: "compare with another shader or job, which runs in turns with each FILE, or\n\
           with an earlier report of `--format json`, a file that ends in `.json`: how\n\
           many times as long ours takes, as median, quartiles and ratio of the least\n\
           times",
    set: |args, value| {
        args.against.file = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const FAIL_ABOVE: Flag = Flag {
    names: &["--fail-above"],
    takes: Takes::Value("RATIO"),
    on: &[Command::Bench],
    section: Section::Run,
    help: "exit with status 1 if the median of `--against` is greater, such as 1.1",
    set: |args, value| {
        args.against.fail_above = match value.parse::<f64>() {
            Ok(ratio) if ratio > 0.0 && ratio.is_finite() => Some(ratio),
            _ => return Err("a ratio is a number greater than 0, such as 1.1".to_owned()),
        };
        Ok(())
    },
};
