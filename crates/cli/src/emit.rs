//! `wavelane emit`: what the compiler makes of a shader, as text.

use crate::args::Args;
use crate::problem::{Exit, Problem};
use crate::{End, compile, terminal};

pub(crate) fn emit(args: &Args) -> Result<Exit, End> {
    let file = args.operand()?;
    if !args.emit_ir {
        return Err(Problem::input("say what to emit")
            .help(format!("wavelane emit --ir {file}"))
            .into());
    }
    let (shader, _) = compile::shader(file, args)?;
    let text = shader.ir().map_err(|bug| Problem::bug(&bug.message))?;
    terminal::print(&text)?;
    Ok(Exit::Fine)
}
