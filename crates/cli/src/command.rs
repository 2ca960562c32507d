//! The commands, by name: nothing here knows what they do.

/// The word after `wavelane`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Check,
    Run,
    Emit,
    Explain,
    Caps,
    Test,
    Merge,
    Dxc,
    San,
    Bench,
    Diff,
    Fuzz,
    Reduce,
    Campaign,
    Trace,
    Timeline,
    Dap,
    New,
    Worker,
}

impl Command {
    pub(crate) const ALL: [Command; 19] = [
        Command::Check,
        Command::Run,
        Command::Emit,
        Command::Explain,
        Command::Caps,
        Command::Test,
        Command::Merge,
        Command::Dxc,
        Command::San,
        Command::Bench,
        Command::Diff,
        Command::Fuzz,
        Command::Reduce,
        Command::Campaign,
        Command::Trace,
        Command::Timeline,
        Command::Dap,
        Command::New,
        Command::Worker,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Command::Check => "check",
            Command::Run => "run",
            Command::Emit => "emit",
            Command::Explain => "explain",
            Command::Caps => "caps",
            Command::Test => "test",
            Command::Merge => "merge",
            Command::Dxc => "dxc",
            Command::San => "san",
            Command::Diff => "diff",
            Command::Fuzz => "fuzz",
            Command::Reduce => "reduce",
            Command::Campaign => "campaign",
            Command::Worker => "worker",
            Command::Bench => "bench",
            Command::Trace => "trace",
            Command::Timeline => "timeline",
            Command::Dap => "dap",
            Command::New => "new",
        }
    }

    /// Whether it runs shaders at every width unless widths are named: a test that was not run at a width says nothing
    /// about it.
    pub(crate) fn runs_at_every_width(self) -> bool {
        matches!(self, Command::San | Command::Test | Command::Reduce)
    }

    pub(crate) fn summary(self) -> &'static str {
        match self {
            Command::Check => "compile a shader and report what is wrong with it",
            Command::Run => "run a shader at one or several wave sizes, and compare the results",
            Command::Emit => "write the output of the compiler: IR, SPIR-V or PTX",
            Command::Explain => "explain a diagnostic code or a wave intrinsic",
            Command::Caps => "show the adapter's caps and the engines",
            Command::Test => "run test jobs and unit tests in HLSL, at one or several wave sizes",
            Command::Merge => {
                "join the JSON reports of several test runs, or the ledgers of campaigns"
            }
            Command::Dxc => "check or compile a shader, with the command line of dxc",
            Command::San => {
                "find undefined behaviour, and results that depend on the width or order of waves"
            }
            Command::Diff => {
                "compare engines and other compilers' modules, and find the cause of a difference"
            }
            Command::Fuzz => {
                "run generated programs on engines or through a compiler, or write them as tests"
            }
            Command::Campaign => {
                "run many programs or tests on many processes, with a report that can be merged"
            }
            Command::Worker => "run units for `campaign`: requests on standard input",
            Command::Reduce => "find a smaller program that still shows the same failure",
            Command::Bench => "measure how long shaders and jobs take to compile and to run",
            Command::Trace => "show what each lane of a wave does, statement by statement",
            Command::Timeline => {
                "record what every lane does over time, as a page that any browser shows"
            }
            Command::Dap => {
                "debug in an editor: the Debug Adapter Protocol on standard input and output"
            }
            Command::New => "write a test job for an entry point, ready to run",
        }
    }

    /// What may follow it besides flags.
    pub(crate) fn operands(self) -> &'static str {
        match self {
            Command::Check => "PATH…",
            Command::Run | Command::Emit | Command::Reduce | Command::Trace => "FILE",
            Command::Timeline => "FILE|RECORDING",
            Command::San => "PATH…",
            Command::Explain => "CODE|INTRINSIC",
            Command::Caps | Command::Fuzz | Command::Worker | Command::Dap => "",
            Command::Campaign => "[PLAN.toml|PATH…]",
            Command::Test => "PATH…",
            Command::Merge => "REPORT…",
            Command::Dxc => "FILE",
            Command::Bench => "FILE…",
            Command::Diff => "FILE|PATH…",
            Command::New => "test FILE",
        }
    }
}
