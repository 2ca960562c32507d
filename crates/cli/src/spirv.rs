//! A shader as SPIR-V for the environment that the flags describe, and the files written from it.

use serde_json::{Value, json};
use wavelane::internal::spirv_target::{
    Binding, Emitted, Environment, Extension, Numbering, Reflection, Vulkan, strip,
};
use wavelane::{RegisterClass, SourceMap};

use crate::asked::SpirvFlags;
use crate::problem::{Exit, Problem};
use crate::terminal;

/// The shader as SPIR-V for the environment that the flags describe.
pub(crate) fn spirv_of(
    flags: &SpirvFlags,
    shader: &wavelane::Shader,
    sources: &SourceMap,
) -> Result<Emitted, Problem> {
    let environment = environment(flags)?;
    let debug = (flags.has_debug && !flags.is_stripped).then_some(sources);
    let mut emitted = shader
        .spirv(&environment, debug)
        .map_err(|bug| Problem::bug(&bug.message))?
        .map_err(|it| {
            let what = format!("SPIR-V cannot be emitted: {} are not supported yet", it.what);
            Problem::new(Exit::Unsupported, what).at(it.span, &it.asked, sources)
        })?;
    if flags.is_stripped {
        emitted.words = strip(&emitted.words);
    }
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

pub(crate) fn write(path: &str, bytes: &[u8]) -> Result<(), Problem> {
    std::fs::write(path, bytes)
        .map_err(|error| Problem::input(format!("`{path}` cannot be written: {error}")))
}

fn environment(flags: &SpirvFlags) -> Result<Environment, Problem> {
    let mut environment = Environment::default();
    if let Some(name) = &flags.target {
        environment.vulkan = Vulkan::by_name(name).ok_or_else(|| {
            let all = Vulkan::ALL.map(Vulkan::name).join(", ");
            Problem::input(format!("`{name}` is not a target for SPIR-V"))
                .help(format!("one of {all}"))
        })?;
    }
    if !flags.extensions.is_empty() {
        // Allowing one that is not needed has no effect.
        environment.extensions =
            flags.extensions.iter().filter_map(|it| Extension::by_name(it)).collect();
    }
    environment.entry_name = flags.entry.clone();
    environment.numbering = Numbering::Written(flags.written.clone());
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

/// What a host must know of a module.
pub(crate) fn reflected(reflection: &Reflection) -> String {
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
