//! Campaigns: many independent runs, dealt to any number of processes, with one report.
//!
//! A [`Plan`] is a product of lists, whose elements are [`Unit`]s: a line of text each, which says everything. Running
//! a unit leaves a [`Record`]; a ledger is a file of them, which [`read()`] reads, and [`Merged`] what several hold
//! together. Reports are functions of that.
//!
//! Guaranteed: a record holds nothing of who made it or when, so that the report of a campaign is the same however its
//! units were dealt, in whatever order their records come, and however often a unit was run. Two different records for
//! one unit are a separate outcome.
//!
//! Deliberately absent: running anything, files, processes and clocks.
#![forbid(unsafe_code)]

mod ledger;
mod page;
mod plan;
mod record;
mod report;
mod tally;

pub use ledger::{NO_UNITS, Torn, is_line, read};
pub use page::{page, page_so_far};
pub use plan::{Numbers, Plan, TEXT_DIGITS, Test, Unit, Work};
pub use record::{Outcome, Record, digest};
pub use report::{Merged, REDUCED, json, junit, sarif, text};
pub use tally::Tally;

#[cfg(test)]
mod tests;
