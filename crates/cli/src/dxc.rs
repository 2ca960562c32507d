//! `wavelane dxc`: takes the command lines that build scripts give to dxc, and checks the shader that they compile.

use crate::args::Args;
use crate::problem::Exit;
use crate::{End, check, terminal};

pub(crate) fn dxc(args: &Args) -> Result<Exit, End> {
    // A build that goes on with a file that is not there should know why.
    for file in &args.unwritten {
        terminal::note(&format!("`{file}` is not written: no machine code is made here"));
    }
    check::check(args)
}
