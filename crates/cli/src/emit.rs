//! `wavelane emit`: what the compiler makes of a shader: the IR as text, or SPIR-V as a module, a listing or a reflection.

use serde_json::{Value, json};
use wavelane::internal::spirv_target::{
    Binding, Emitted, Environment, Extension, Numbering, Reflection, Vulkan, Written, listing,
};
use wavelane::{RegisterClass, SourceMap};

use crate::args::{Args, Output};
use crate::problem::{Exit, Problem};
use crate::{End, compile, terminal};

/// What was said about SPIR-V on the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpirvArgs {
    pub(crate) wanted: bool,
    pub(crate) target: Option<String>,
    pub(crate) extensions: Vec<String>,
    pub(crate) format_given: bool,
    /// What the flags of dxc say of bindings.
    pub(crate) written: Written,
}

pub(crate) fn emit(args: &Args) -> Result<Exit, End> {
    let file = args.operand()?;
    // dxc's `-spirv` asks for it as well.
    let spirv = args.spirv.wanted || args.options.spirv;
    if args.emit_ir == spirv {
        return Err(Problem::input("say what to emit")
            .help(format!("wavelane emit --ir {file}"))
            .help(format!("wavelane emit --spirv {file}"))
            .into());
    }
    if args.emit_for.is_some() && !args.emit_ir {
        return Err(Problem::input("`--for` goes with `--ir`")
            .help("`-fspv-target-env` says for which Vulkan SPIR-V is emitted")
            .into());
    }
    let (shader, sources) = compile::shader(file, args)?;
    if args.emit_ir {
        let text = ir_text(&shader, args.emit_for.as_deref())?;
        terminal::print(&text)?;
        return Ok(Exit::Fine);
    }
    let emitted = spirv_of(args, &shader, &sources)?;
    let Some(path) = args.unwritten.last() else {
        match args.output {
            Output::Json => terminal::print(&reflected(&emitted.reflection))?,
            Output::Text | Output::Github | Output::Sarif | Output::Junit => {
                terminal::print(&listing(&emitted.words))?;
            }
        }
        return Ok(Exit::Fine);
    };
    match (args.output, args.spirv.format_given) {
        (Output::Text, true) => write(path, listing(&emitted.words).as_bytes())?,
        (Output::Json, _) => write(path, reflected(&emitted.reflection).as_bytes())?,
        (Output::Text | Output::Github | Output::Sarif | Output::Junit, _) => {
            write_module(path, &emitted)?
        }
    }
    Ok(Exit::Fine)
}

/// The IR, as it is or made for a target.
fn ir_text(shader: &wavelane::Shader, target: Option<&str>) -> Result<String, Problem> {
    let bug = |bug: wavelane::Bug| Problem::bug(&bug.message);
    let Some(target) = target else { return shader.ir().map_err(bug) };
    let made = shader.made_for(target).map_err(bug)?.ok_or_else(|| unknown_target(target))?;
    made.ir().map_err(bug)
}

/// What is said of a target that there is not.
pub(crate) fn unknown_target(name: &str) -> Problem {
    let all = wavelane::Shader::targets().join(", ");
    Problem::input(format!("`{name}` is not a target")).help(format!("one of {all}"))
}

/// The shader as SPIR-V for the environment that the flags describe.
pub(crate) fn spirv_of(
    args: &Args,
    shader: &wavelane::Shader,
    sources: &SourceMap,
) -> Result<Emitted, Problem> {
    let environment = environment(&args.spirv)?;
    let emitted = shader
        .spirv(&environment, Some(sources))
        .map_err(|bug| Problem::bug(&bug.message))?
        .map_err(|it| {
            let what = format!("SPIR-V cannot be emitted: {} are not built yet", it.what);
            Problem::new(Exit::Unsupported, what).at(it.span, &it.asked, sources)
        })?;
    for warning in &emitted.reflection.warnings {
        terminal::warn(warning.message());
    }
    Ok(emitted)
}

/// The module, and beside it the reflection.
pub(crate) fn write_module(path: &str, emitted: &Emitted) -> Result<(), Problem> {
    write(path, &emitted.bytes())?;
    write(&format!("{path}.json"), reflected(&emitted.reflection).as_bytes())
}

fn write(path: &str, bytes: &[u8]) -> Result<(), Problem> {
    std::fs::write(path, bytes)
        .map_err(|error| Problem::input(format!("`{path}` cannot be written: {error}")))
}

fn environment(args: &SpirvArgs) -> Result<Environment, Problem> {
    let mut environment = Environment::default();
    if let Some(name) = &args.target {
        environment.vulkan = Vulkan::by_name(name).ok_or_else(|| {
            let all = Vulkan::ALL.map(Vulkan::name).join(", ");
            Problem::input(format!("`{name}` is no target for SPIR-V here"))
                .help(format!("one of {all}"))
        })?;
    }
    if !args.extensions.is_empty() {
        // Those that nothing here needs are allowed in vain.
        environment.extensions =
            args.extensions.iter().filter_map(|it| Extension::by_name(it)).collect();
    }
    environment.numbering = Numbering::Written(args.written.clone());
    Ok(environment)
}

/// The letter before a register's number.
fn class(class: RegisterClass) -> &'static str {
    match class {
        RegisterClass::Constant => "b",
        RegisterClass::Shader => "t",
        RegisterClass::Unordered => "u",
        RegisterClass::Sampler => "s",
        RegisterClass::Push => "push",
        RegisterClass::ResourceHeap | RegisterClass::SamplerHeap => "heap",
    }
}

fn reflected(reflection: &Reflection) -> String {
    let Reflection {
        entry,
        group_size,
        wave_size,
        most_lanes,
        bindings,
        push,
        capabilities,
        extensions,
        warnings,
    } = reflection;
    let size = |it: u32| (it != 0).then_some(it);
    let binding = |it: &Binding| {
        json!({
            "name": it.name,
            "kind": it.kind.name(),
            "set": it.set,
            "binding": it.binding,
            "count": it.count,
            "writable": it.writable,
            "format": it.format,
            "register": format!("{}{}", class(it.register.class), it.register.index),
            "space": it.register.space,
        })
    };
    let all = json!({
        "entry": entry,
        "group_size": group_size,
        "wave_size": {
            "min": size(wave_size.min),
            "max": size(wave_size.max),
            "preferred": size(wave_size.preferred),
        },
        "most_lanes": most_lanes,
        "bindings": bindings.iter().map(binding).collect::<Vec<Value>>(),
        "push_constants": push.as_ref().map(|it| json!({ "name": it.name, "bytes": it.bytes })),
        "capabilities": capabilities,
        "extensions": extensions,
        "warnings": warnings.iter().map(|it| it.message()).collect::<Vec<&str>>(),
    });
    format!("{all:#}\n")
}
