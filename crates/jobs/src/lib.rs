//! Test jobs: HLSL with buffers, bindings, a dispatch and expected results. Reads them, runs them, and judges the
//! results.
//!
//! Three kinds of files contain tests: `.test` files, which consist of parts with `RUN:` lines; a `job.yaml` beside
//! its shader; and `.hlsl` files whose cases check themselves with `wavelane.hlsli`. All become a [`Test`], which
//! [`run()`] runs.
//!
//! Deliberately absent: folders, processes, clocks, terminals. Files come through [`Files`], and callers that need
//! a time limit set a flag or end the process.
#![forbid(unsafe_code)]

mod bind;
mod compare;
mod dump;
mod error;
mod features;
mod file;
mod filecheck;
mod imgdiff;
pub mod job;
mod lit;
mod number;
mod outcome;
mod parts;
pub mod picture;
mod printed;
mod repro;
mod root;
mod run;
mod script;
pub mod section;
mod shrink;
mod specialize;
mod test;
mod unit;
pub mod vertex;
mod yaml;

pub use bind::attachment::Attachments;
pub use bind::draw::desc as graphics_desc;
pub use compare::{Difference, Number, compare};
pub use dump::{dump, dump_failure};
pub use error::Error;
pub use features::{Api, features};
pub use file::TestFile;
pub use filecheck::{Mismatch, check};
pub use lit::{Condition, Directives, Features, Line, directives};
pub use number::NumberFormat;
pub use outcome::{Finding, Outcome, Row, Verdict};
pub use parts::{Part, split};
pub use picture::Picture;
pub use printed::{
    FailedAssertion, FailedLanes, PlacedLine, PrintedLines, failed_assertions, printed_text,
};
pub use repro::{DrawRepro, Repro, ReproAttribute, ReproStage, Source, words, write, write_draw};
pub use run::{
    Content, DrawnOutcome, DrawnRun, DrawnSection, DrawnStage, Engaged, Files, Flags, NotDrawn,
    Packed, PassName, Runnable, Sequence, SequencePass, SequenceProgram, Setup, Widths, Work,
    prepare, run,
};
pub use script::words as shell_words;
pub use shrink::{shrink, shrink_expressions};
pub use test::{NotATest, Test, tests};
pub use unit::{Case, HEADER, HEADER_NAME, Kind};
