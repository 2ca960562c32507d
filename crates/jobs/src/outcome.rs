//! How a test ended, as data: the caller decides how to show it.

use crate::job::Buffer;
use crate::printed::PrintedLines;

/// How a test ended at a width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The wave width; 0 if nothing ran.
    pub width: u32,
    pub verdict: Verdict,
    /// Why it failed or is unsupported, as a line or a rendered report.
    pub message: String,
    /// The test's file has errors, so that nothing could be tested: bad input rather than a failure.
    pub is_wrong: bool,
    pub findings: Vec<Finding>,
    /// Steps that were skipped, or expectations of the file's authors.
    pub remarks: Vec<String>,
    /// What each dispatch printed.
    pub printed: Vec<PrintedLines>,
    /// The final contents of the buffers, as printed by the format's own tool; empty if no job finished.
    pub output: String,
    /// The final contents of the buffers of the last job; empty if they were not wanted, or no job finished.
    pub buffers: Vec<Buffer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    /// Never counts as a pass.
    Unsupported,
}

impl Verdict {
    pub const ALL: [Verdict; 3] = [Verdict::Passed, Verdict::Failed, Verdict::Unsupported];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Unsupported => "unsupported",
        }
    }
}

/// One unexpected result, with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub message: String,
    pub file: String,
    /// From 1; 0 for the whole file.
    pub line: u32,
    pub rows: Vec<Row>,
    /// How many further rows were omitted.
    pub more: usize,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Such as `lane 3` or `Out[17]`.
    pub place: String,
    pub expected: String,
    pub got: String,
}

impl Outcome {
    pub fn new(width: u32, verdict: Verdict, message: impl Into<String>) -> Outcome {
        Outcome {
            width,
            verdict,
            message: message.into(),
            is_wrong: false,
            findings: Vec::new(),
            remarks: Vec::new(),
            printed: Vec::new(),
            output: String::new(),
            buffers: Vec::new(),
        }
    }
}
