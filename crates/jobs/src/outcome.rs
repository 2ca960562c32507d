//! How a test ended, as data: whoever shows it decides how it looks.

/// How a test ended at a width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The width of its waves; 0 where it never came to a run.
    pub width: u32,
    pub verdict: Verdict,
    /// Why it failed or is unsupported, in a line or a rendered report.
    pub message: String,
    pub findings: Vec<Finding>,
    /// What was not done, or what the file's authors expect.
    pub remarks: Vec<String>,
    /// What the buffers hold at the end, as the format's own tool prints it; nothing where no job came to its end.
    pub output: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    /// Never a pass.
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

/// Something that is not as expected, with the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub message: String,
    pub file: String,
    /// From 1; 0 for the whole file.
    pub line: u32,
    pub rows: Vec<Row>,
    /// How many rows there are that nobody wrote down.
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
            findings: Vec::new(),
            remarks: Vec::new(),
            output: String::new(),
        }
    }
}
