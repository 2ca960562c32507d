//! `wavelane emit`: the output of the compiler: the IR as text, or SPIR-V as a module, a listing or reflection data.

use wavelane::internal::spirv_target::listing;

use crate::asked::LowArgs;
use crate::asked::{Compiling, Output, SpirvFlags};
use crate::problem::{End, Exit, Problem};
use crate::spirv::{reflected, spirv_of, write, write_module};
use crate::{compile, target, terminal};

/// What `emit` needs.
pub(crate) struct EmitArgs {
    file: String,
    compile: Compiling,
    ir: bool,
    /// The target that the emitted IR is made for.
    target: Option<String>,
    /// dxc's `-spirv` asks for it as well.
    spirv: bool,
    flags: SpirvFlags,
    /// The file for the module.
    path: Option<String>,
    output: Output,
}

impl EmitArgs {
    pub(crate) fn new(low: LowArgs) -> Result<EmitArgs, Problem> {
        let file = low.operand()?;
        let LowArgs {
            compile,
            emit_ir,
            emit_for: target,
            emit_spirv,
            spirv: flags,
            output,
            build,
            ..
        } = low;
        let spirv = emit_spirv || compile.options.spirv;
        Ok(EmitArgs {
            file,
            compile,
            ir: emit_ir,
            target,
            spirv,
            flags,
            path: build.object,
            output,
        })
    }
}

pub(crate) fn emit(args: &EmitArgs) -> Result<Exit, End> {
    let file = args.file.as_str();
    if args.ir == args.spirv {
        return Err(Problem::input("say what to emit")
            .help(format!("wavelane emit --ir {file}"))
            .help(format!("wavelane emit --spirv {file}"))
            .into());
    }
    if args.target.is_some() && !args.ir {
        return Err(Problem::input("`--for` goes with `--ir`")
            .help("`-fspv-target-env` says for which Vulkan SPIR-V is emitted")
            .into());
    }
    let (mut shader, sources) = compile::shader(file, &args.compile)?;
    if args.ir {
        if let Some(target) = &args.target {
            shader = target::made_for(&shader, target)?;
        }
        let text = shader.ir().map_err(|bug| Problem::bug(&bug.message))?;
        terminal::print(&text)?;
        return Ok(Exit::Fine);
    }
    let emitted = spirv_of(&args.flags, &shader, &sources)?;
    let Some(path) = &args.path else {
        match args.output {
            Output::Json => terminal::print(&reflected(&emitted.reflection))?,
            Output::Text | Output::Github | Output::Sarif | Output::Junit => {
                terminal::print(&listing(&emitted.words))?;
            }
        }
        return Ok(Exit::Fine);
    };
    match (args.output, args.flags.format_given) {
        (Output::Text, true) => write(path, listing(&emitted.words).as_bytes())?,
        (Output::Json, _) => write(path, reflected(&emitted.reflection).as_bytes())?,
        (Output::Text | Output::Github | Output::Sarif | Output::Junit, _) => {
            write_module(path, &emitted)?
        }
    }
    Ok(Exit::Fine)
}
