//! A run that can be stopped, stepped forward and back, and inspected, lane by lane: the basis of a debugger, a
//! recording and a page in a browser.
//!
//! The reference engine is deterministic, so a [`Recipe`] *is* the run: going back restores a keyframe and runs
//! forward. A session runs the program with notes ([`ir::notes`]), on a copy of its buffers; no request changes the
//! order of the run or its results.
//!
//! # Words A *tick* counts the statements that waves of the run begin, all waves together. A stop is before the
//! statement that begins at its tick: the wave that begins it is the one that stopped.
//!
//! # Deliberately absent
//! Files, clocks, threads, protocols. Work is bounded by the caller's budget, in wave-instructions. Draws: sessions
//! run dispatches.
#![forbid(unsafe_code)]

mod bind;
mod data;
mod eval;
mod expression;
mod findings;
mod instructions;
mod keyframes;
mod session;
mod waves;

pub use bind::Breakpoint;
pub use data::{DataBreakpoint, Watched};
pub use eval::Shown;
pub use expression::Refused;
pub use findings::Finding;
pub use instructions::{InstructionBreakpoint, Line};
pub use sanitizer::Verdict;
pub use session::{Back, Forward, Frame, OpenError, Recipe, Session, Source, Stop, Variable};
pub use waves::{Row, Seen, Statement, WaveId, Waves};
