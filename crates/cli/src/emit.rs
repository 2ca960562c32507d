//! `wavelane emit`: the output of the compiler: the IR as text, PTX, or SPIR-V as a module, a listing or reflection
//! data.

use wavelane::internal::ptx_target;
use wavelane::internal::spirv_target::listing;
use wavelane::{RayQueries, Shader, SourceMap};

use crate::asked::LowArgs;
use crate::asked::{Build, Compiling, Output, SpirvFlags};
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
    /// dxc's `-spirv` requests it as well.
    spirv: bool,
    flags: SpirvFlags,
    ptx: bool,
    /// The architecture of the PTX, and the groups of the only dispatch that it is for.
    sm: Option<String>,
    groups: Option<[u32; 3]>,
    /// Whether ray queries are written out.
    writes_queries: bool,
    build: Build,
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
            emit_ptx: ptx,
            sm,
            emit_groups: groups,
            spirv: flags,
            output,
            build,
            device,
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
            ptx,
            sm,
            groups,
            writes_queries: device.ray_queries == RayQueries::Software,
            build,
            output,
        })
    }
}

pub(crate) fn emit(args: &EmitArgs) -> Result<Exit, End> {
    let file = args.file.as_str();
    let asked = [args.ir, args.spirv, args.ptx].iter().filter(|it| **it).count();
    if asked != 1 {
        let what =
            if asked == 0 { "say what to emit" } else { "only one form is emitted at a time" };
        return Err(Problem::input(what)
            .help(format!("wavelane emit --ir {file}"))
            .help(format!("wavelane emit --spirv {file}"))
            .help(format!("wavelane emit --ptx {file}"))
            .into());
    }
    if args.target.is_some() && !args.ir {
        return Err(Problem::input("`--for` goes with `--ir`")
            .help("`-fspv-target-env` says for which Vulkan SPIR-V is emitted")
            .into());
    }
    if args.sm.is_some() && !args.ptx {
        return Err(Problem::input("`--sm` goes with `--ptx`").into());
    }
    if args.groups.is_some() && !args.ptx {
        return Err(Problem::input("`--groups` goes with `--ptx`").into());
    }
    // The file for the output.
    let path = args.build.object.as_deref();
    let stage = args.compile.options.stage;
    if let Some(refused) = args.build.refused.iter().find(|it| it.matters(args.spirv, stage)) {
        return Err(refused.problem().into());
    }
    let (mut shader, sources) = compile::shader(file, &args.compile)?;
    if args.writes_queries {
        shader = shader.without_ray_queries();
    }
    if args.ptx {
        let text = ptx_of(args.sm.as_deref(), args.groups, &shader, &sources)?;
        print_or_write(path, &text)?;
        return Ok(Exit::Fine);
    }
    if args.ir {
        if let Some(target) = &args.target {
            shader = target::made_for(&shader, target)?;
        }
        let text = shader.ir().map_err(|bug| Problem::bug(&bug.message))?;
        print_or_write(path, &text)?;
        return Ok(Exit::Fine);
    }
    let emitted = spirv_of(&args.flags, &shader, &sources)?;
    let Some(path) = path else {
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

fn print_or_write(path: Option<&str>, text: &str) -> Result<(), End> {
    match path {
        Some(path) => write(path, text.as_bytes())?,
        None => terminal::print(text)?,
    }
    Ok(())
}

/// The shader as PTX for an architecture, and for a dispatch of `groups` groups: then for a device that any number of
/// blocks keeps busy.
fn ptx_of(
    sm: Option<&str>,
    groups: Option<[u32; 3]>,
    shader: &Shader,
    sources: &SourceMap,
) -> Result<String, Problem> {
    let mut all = ptx_target::KernelEnvironment::architectures();
    let sm = match sm {
        None => ptx_target::KernelEnvironment::LEAST,
        Some(text) => all.find(|it| it.to_string() == text).ok_or_else(|| {
            let names: Vec<String> =
                ptx_target::KernelEnvironment::architectures().map(|it| it.to_string()).collect();
            Problem::input(format!("`{text}` is not an architecture"))
                .help(format!("one of {}", names.join(", ")))
        })?,
    };
    let environment = ptx_target::KernelEnvironment::for_device(sm);
    let environment =
        environment.unwrap_or_else(|| unreachable!("the architecture is one of those with a name"));
    let environment = ptx_target::KernelEnvironment {
        // The sizes of buffers are unknown.
        dispatch: groups.map(|groups| ptx_target::Dispatch { groups, bytes: Vec::new() }),
        blocks: groups.map(|_| 1),
        ..environment
    };
    let emitted = shader.ptx(&environment, Some(sources));
    let emitted = emitted.map_err(|bug| Problem::bug(&bug.message))?.map_err(|it| {
        let what = format!("PTX cannot be emitted: {} are not supported", it.what);
        Problem::new(Exit::Unsupported, what).at(it.span, &it.asked, sources)
    })?;
    Ok(emitted.text)
}
