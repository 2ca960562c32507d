//! `wavelane dxc`: takes the command lines that build scripts give to dxc, checks the shader that they compile, and with
//! `-spirv` writes the module.

use wavelane::{Adapter, Shader};

use crate::asked::LowArgs;
use crate::asked::{Compiling, Output, SpirvFlags};
use crate::problem::{End, Exit, Problem};
use crate::spirv::{spirv_of, write_module};
use crate::{checked, compile, terminal};

/// What `dxc` needs.
pub(crate) struct DxcArgs {
    files: Vec<String>,
    /// The one file, or why there is none, where a module is to be written.
    file: Result<String, Problem>,
    compile: Compiling,
    flags: SpirvFlags,
    /// Files that dxc would write.
    unwritten: Vec<String>,
    adapter: Adapter,
    output: Output,
}

impl DxcArgs {
    pub(crate) fn new(low: LowArgs) -> Result<DxcArgs, Problem> {
        let (files, file) = (low.some_operands()?, low.operand());
        let LowArgs { compile, spirv: flags, unwritten, device, output, .. } = low;
        let adapter = device.adapter;
        Ok(DxcArgs { files, file, compile, flags, unwritten, adapter, output })
    }
}

pub(crate) fn dxc(args: DxcArgs) -> Result<Exit, End> {
    let DxcArgs { files, file, compile, flags, unwritten, adapter, output } = args;
    if let (true, Some(path)) = (compile.options.spirv, unwritten.last()) {
        let (shader, sources) = compile::shader(&file?, &compile)?;
        write_module(path, &spirv_of(&flags, &shader, &sources)?)?;
        return Ok(Exit::Fine);
    }
    // A build that goes on with a file that is not there should know why.
    for file in &unwritten {
        terminal::note(&format!("`{file}` is not written: no machine code is made here"));
    }
    checked::report(&files, &compile, Shader::compile, &adapter, output)
}
