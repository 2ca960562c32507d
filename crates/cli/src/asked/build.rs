//! What a build script asks dxc for besides the code: files, listings, dependencies.

use wavelane::Stage;

use crate::problem::{Exit, Problem};

/// The outputs of dxc's flags, as they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Build {
    /// `-Fo FILE`
    pub(crate) object: Option<String>,
    /// `-Fc FILE`
    pub(crate) listing: Option<String>,
    /// `-Fh FILE`
    pub(crate) header: Option<String>,
    /// `-Vn NAME`: the variable in the header.
    pub(crate) variable: Option<String>,
    /// `-Fe FILE`
    pub(crate) messages: Option<String>,
    /// `-P`
    pub(crate) preprocess: bool,
    /// `-Fi FILE`
    pub(crate) preprocessed: Option<String>,
    /// `-H`
    pub(crate) show_includes: bool,
    /// `-M`
    pub(crate) show_dependencies: bool,
    /// `-MD`
    pub(crate) write_dependencies: bool,
    /// `-MF FILE`
    pub(crate) dependencies: Option<String>,
    /// `--check-only`
    pub(crate) check_only: bool,
    /// The requested outputs that cannot be written.
    pub(crate) refused: Vec<Refused>,
}

/// A flag for an output that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The flag with its value.
    pub(crate) flag: String,
    /// What can be done instead.
    pub(crate) instead: &'static str,
    pub(crate) kind: RefusedKind,
}

/// What a refused flag is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusedKind {
    /// A separate output.
    Output,
    /// The operand is a container instead of a source.
    ReadsBinaries,
    /// The contents of the module that `-spirv` writes; without `-spirv` it means nothing.
    Module,
    /// The same, for entry points of these stages.
    ModuleOf(&'static [Stage]),
}

impl Refused {
    /// Whether the flag is refused: one that only changes modules has no effect where none is written.
    pub(crate) fn matters(&self, writes_module: bool, stage: Stage) -> bool {
        match self.kind {
            RefusedKind::Output | RefusedKind::ReadsBinaries => true,
            RefusedKind::Module => writes_module,
            RefusedKind::ModuleOf(stages) => {
                writes_module && (stage == Stage::Library || stages.contains(&stage))
            }
        }
    }

    pub(crate) fn problem(&self) -> Problem {
        let what = format!("`{}` is not supported", self.flag);
        Problem::new(Exit::Unsupported, what).help(self.instead)
    }
}
