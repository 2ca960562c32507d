//! The page of a campaign while it runs: the same as the final page, without the groups of failures.

use std::time::{Duration, Instant};

use campaign::{Record, Tally};

use crate::problem::Problem;
use crate::records::{self, Constructs};

/// Pages are this far apart; browsers load them about as often.
const EVERY: Duration = Duration::from_secs(3);

pub(super) struct Page<'a> {
    file: &'a str,
    tally: Tally,
    /// When the last page was written.
    written: Option<Instant>,
}

impl<'a> Page<'a> {
    /// Begins with the records of a ledger.
    pub(super) fn new<'b>(file: &'a str, known: impl Iterator<Item = &'b Record>) -> Page<'a> {
        let (mut tally, mut constructs) = (Tally::default(), Constructs::default());
        known.for_each(|it| tally.add(it, |work| constructs.of(work)));
        Page { file, tally, written: None }
    }

    /// Counts the records of a unit with these constructs.
    pub(super) fn add(&mut self, records: &[Record], constructs: &[&'static str]) {
        for record in records {
            self.tally.add(record, |_| constructs.to_vec());
        }
    }

    /// Writes the page, with `left` units left to run, unless it has just been written.
    pub(super) fn write(&mut self, left: u64) -> Result<(), Problem> {
        if self.written.is_some_and(|it| it.elapsed() < EVERY) {
            return Ok(());
        }
        self.written = Some(Instant::now());
        records::write_page(self.file, &campaign::page_so_far(&self.tally, left))
    }
}
