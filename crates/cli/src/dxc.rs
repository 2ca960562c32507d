//! `wavelane dxc`: takes the command lines that build scripts give to dxc, checks the shader that they compile, and with
//! `-spirv` writes the module.

use crate::args::Args;
use crate::problem::Exit;
use crate::{End, check, compile, emit, terminal};

pub(crate) fn dxc(args: &Args) -> Result<Exit, End> {
    if let (true, Some(path)) = (args.options.spirv, args.unwritten.last()) {
        let (shader, sources) = compile::shader(args.operand()?, args)?;
        emit::write_module(path, &emit::spirv_of(args, &shader, &sources)?)?;
        return Ok(Exit::Fine);
    }
    // A build that goes on with a file that is not there should know why.
    for file in &args.unwritten {
        terminal::note(&format!("`{file}` is not written: no machine code is made here"));
    }
    check::check(args)
}
