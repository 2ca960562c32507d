//! Recordings: what every wave of a run did, statement by statement and lane by lane, and the page that shows it.
//!
//! [`Recorder`] watches a run of a module with notes ([`ir::notes`]) and leaves a [`Recording`]. [`mod@file`] writes
//! and reads it as a `.wlrec` file, [`page`] as one HTML file that needs no network, [`svg`] as a picture, and [`json`]
//! as plain steps.
//!
//! # What is kept
//! Of each statement that a wave begins: where it is, and which lanes are active and have not returned. Of the steps in
//! a [`Window`] also the values that variables are given, and which lane each lane reads in a shuffle. What a limit
//! leaves out is counted and named, so that no picture has a silent gap; the number of times that each line ran is
//! always that of the whole run.
//!
//! # Deliberately absent
//! Files, clocks, engines: the caller runs the program and writes the bytes.
#![forbid(unsafe_code)]

mod comparison;
pub mod file;
pub mod json;
mod limit;
mod log;
pub mod page;
mod record;
mod recorder;
pub mod svg;
mod value;
mod waves;
mod window;

pub use comparison::{Comparison, Difference, Location};
pub use limit::fit;
pub use ops::LaneMask;
pub use page::base64;
pub use record::{Extent, Known, record, record_extent};
pub use recorder::{
    Elsewhere, Finding, LineCount, Program, Read, Recorder, Recording, Scope, Shuffle, Statement,
    Step, Variable, Wave, Write,
};
pub use value::text;
pub use waves::Waves;
pub use window::{Window, range};
