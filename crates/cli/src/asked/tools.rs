//! The flags of `fuzz`, `reduce` and `campaign` that they do not share with other commands.

/// The values of their flags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tools {
    /// `--keep`: the command that decides what is interesting.
    pub(crate) keep: Option<String>,
    /// `--keep-finding`: the code of a finding.
    pub(crate) keep_finding: Option<String>,
    /// `--keep-diff`: the engines that must differ from the reference.
    pub(crate) keep_diff: Option<String>,
    /// `--keep-message`: a pattern.
    pub(crate) keep_message: Option<String>,
    /// `--by`: the command whose messages are matched.
    pub(crate) by: Option<String>,
    pub(crate) allow_undefined: bool,
    /// The most candidates of a reduction.
    pub(crate) attempts: Option<usize>,
    /// `--target`: another compiler.
    pub(crate) target: Option<String>,
    /// `--emit`: the folder of tests to write.
    pub(crate) emit: Option<String>,
    /// `--save`: the folder of programs that failed.
    pub(crate) save: Option<String>,
    pub(crate) count: Option<u64>,
    pub(crate) seed: Option<u64>,
    /// `--model`: the shader model of generated programs.
    pub(crate) model: Option<wavelane::ShaderModel>,
    /// `--stage`: the stage of generated programs.
    pub(crate) stage: Option<wavelane::Stage>,
    /// `--fuzz`: how many generated programs a campaign has.
    pub(crate) fuzz: Option<u64>,
    pub(crate) ledger: Option<String>,
    /// `--supervise`: a worker runs its units in another process.
    pub(crate) supervise: bool,
    /// `--html`: the file of a campaign's page.
    pub(crate) html: Option<String>,
}
