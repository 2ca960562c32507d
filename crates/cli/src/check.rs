//! `wavelane check`: compiles files, and reports for people and for programs.

use wavelane::{Adapter, Shader};

use crate::asked::LowArgs;
use crate::asked::{Compiling, Output};
use crate::checked;
use crate::problem::{End, Exit, Problem};

/// What `check` needs.
pub(crate) struct CheckArgs {
    files: Vec<String>,
    compile: Compiling,
    adapter: Adapter,
    output: Output,
}

impl CheckArgs {
    pub(crate) fn new(low: LowArgs) -> Result<CheckArgs, Problem> {
        let files = low.some_operands()?;
        let LowArgs { compile, device, output, .. } = low;
        Ok(CheckArgs { files, compile, adapter: device.adapter, output })
    }
}

pub(crate) fn check(args: &CheckArgs) -> Result<Exit, End> {
    checked::report(&args.files, &args.compile, Shader::check, &args.adapter, args.output)
}
