//! The start of the second stage: what all commands that run shaders or tests take from the command line.
//!
//! Each of them has a [`Common`], and beside it the arguments that only this command takes.

use crate::args::Line;
use crate::asked::{Binds, Compiling, DeviceChoice, Launch, LowArgs, Output, Selecting};
use crate::pool::Pool;
use crate::problem::Problem;

/// What commands that run shaders have in common.
#[derive(Clone)]
pub(crate) struct Common {
    /// The one operand, or why there is not exactly one.
    pub(crate) operand: Result<String, Problem>,
    pub(crate) operands: Vec<String>,
    /// The operands are what the project file lists.
    pub(crate) are_of_project: bool,
    pub(crate) entries: Vec<String>,
    pub(crate) line: Line,
    pub(crate) pool: Pool,
    pub(crate) compile: Compiling,
    pub(crate) launch: Launch,
    pub(crate) bind: Binds,
    pub(crate) device: DeviceChoice,
    pub(crate) select: Selecting,
    pub(crate) output: Output,
    /// This process is a worker, which reads requests from its standard input.
    pub(crate) is_worker: bool,
}

impl Common {
    pub(crate) fn new(low: &LowArgs, line: Line) -> Common {
        Common {
            operand: low.operand(),
            operands: low.operands.clone(),
            are_of_project: low.operands_are_of_project,
            entries: low.entries.clone(),
            pool: Pool { words: line.of_worker(), jobs: low.jobs },
            line,
            compile: low.compile.clone(),
            launch: low.launch(),
            bind: low.bind.clone(),
            device: low.device.clone(),
            select: low.select.clone(),
            output: low.output,
            is_worker: low.is_worker,
        }
    }
}
