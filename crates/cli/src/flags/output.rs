//! The flags that say what is printed and written.

use wavelane::RegisterClass;
use wavelane::internal::spirv_target::Named;

use super::binding::{bind, bind_register, shift};
use super::values::{choose, format, pair};
use super::{COMPILES, Commands, EVERYWHERE, Flag, Section, Takes, diff, draw};
use crate::asked::LowArgs;
use crate::command::Command;
use crate::terminal::When;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        names: &["--print"],
        takes: Takes::Values("NAME[:BASE]"),
        on: &[Command::Run],
        section: Section::Output,
        help: "show this buffer in full, and no others; may be repeated. The BASE is x\n\
               (hexadecimal), b (binary) or mask: lanes from lane 0 on, `#` in the set",
        set: |args, value| {
            args.prints.extend(value.split(',').map(|it| it.trim().to_owned()));
            Ok(())
        },
    },
    Flag {
        names: &["--out"],
        takes: Takes::Values("NAME=FILE"),
        on: &[Command::Run],
        section: Section::Output,
        help: "write a buffer to FILE.npy or FILE.bin; with several wave sizes the\n\
               name must hold {width}, which the size replaces",
        set: |args, value| {
            args.outs.push(pair(value)?);
            Ok(())
        },
    },
    draw::FILE,
    draw::OVERLAY,
    diff::REPRO,
    format_of(&[Command::Check], "text, json, github, sarif or msvc"),
    format_of(
        &[Command::San, Command::Test, Command::Merge],
        "text or json, and for CI servers junit, github or sarif",
    ),
    format_of(&[Command::Diff], "text or json, and for CI servers junit or github"),
    format_of(&[Command::Emit], "with --spirv: a listing (text), or what a host must know (json)"),
    format_of(
        &[Command::Run],
        "text or json. In JSON each buffer is a flat list of its scalars in memory order,\n\
         with \"NaN\", \"Infinity\" and \"-Infinity\" as strings and bools as 0 and 1",
    ),
    format_of(
        &[Command::Caps, Command::Explain, Command::Bench, Command::Fuzz, Command::Campaign],
        "text or json",
    ),
    Flag {
        names: &["--color", "--colour"],
        takes: Takes::Value("WHEN"),
        on: EVERYWHERE,
        section: Section::Output,
        help: "auto (on a terminal, unless NO_COLOR is set), always or never",
        set: |args, value| {
            args.colour = choose(
                value,
                &[("auto", When::Auto), ("always", When::Always), ("never", When::Never)],
            )?;
            Ok(())
        },
    },
    Flag {
        names: &["-fdiagnostics-format"],
        takes: Takes::Joined("KIND"),
        on: COMPILES,
        section: Section::Output,
        help: "msvc writes messages as FILE(LINE,COLUMN): error CODE: …, which Visual\nStudio reads; clang as usual",
        set: |args, value| {
            args.compile.is_msvc = choose(value, &[("clang", false), ("msvc", true)])?;
            Ok(())
        },
    },
    Flag {
        names: &["-fcolor-diagnostics", "-fdiagnostics-color"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Ignored,
        help: "",
        set: |args, _| {
            args.colour = When::Always;
            Ok(())
        },
    },
    Flag {
        names: &["-fno-color-diagnostics", "-fno-diagnostics-color"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Ignored,
        help: "",
        set: |args, _| {
            args.colour = When::Never;
            Ok(())
        },
    },
    Flag {
        names: &["--list"],
        takes: Takes::Nothing,
        on: &[Command::Explain],
        section: Section::Output,
        help: "show all diagnostic codes and concepts",
        set: list,
    },
    Flag {
        names: &["--list"],
        takes: Takes::Nothing,
        on: &[Command::Test],
        section: Section::Output,
        help: "show the names of the tests and run none",
        set: list,
    },
    Flag {
        names: &["--list"],
        takes: Takes::Nothing,
        on: &[Command::Campaign],
        section: Section::Output,
        help: "write the requests to workers and run none; with --ledger, only missing ones",
        set: list,
    },
    Flag {
        names: &["--ir"],
        takes: Takes::Nothing,
        on: &[Command::Emit],
        section: Section::Output,
        help: "the intermediate representation",
        set: |args, _| {
            args.emit_ir = true;
            Ok(())
        },
    },
    Flag {
        names: &["--for"],
        takes: Takes::Value("TARGET"),
        on: &[Command::Emit],
        section: Section::Output,
        help: "with --ir, the module rewritten for a target: vulkan1.1 to vulkan1.4, cuda, or\n\
               least, the device with the fewest features",
        set: |args, value| {
            args.emit_for = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--spirv"],
        takes: Takes::Nothing,
        on: &[Command::Emit],
        section: Section::Output,
        help: "SPIR-V for Vulkan: a listing, or with -Fo FILE a module in FILE\n\
               and beside it, in FILE.json, what a host must know",
        set: |args, _| {
            args.emit_spirv = true;
            args.compile.options.spirv = true;
            Ok(())
        },
    },
    Flag {
        names: &["--ptx"],
        takes: Takes::Nothing,
        on: &[Command::Emit],
        section: Section::Output,
        help: "PTX for CUDA, as the engine cuda runs it; with -Fo FILE, in FILE",
        set: |args, _| {
            args.emit_ptx = true;
            Ok(())
        },
    },
    Flag {
        names: &["--sm"],
        takes: Takes::Value("N"),
        on: &[Command::Emit],
        section: Section::Output,
        help: "with --ptx, the architecture: 75, which is the default, to 121",
        set: |args, value| {
            args.sm = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--groups"],
        takes: Takes::Value("X[,Y[,Z]]"),
        on: &[Command::Emit],
        section: Section::Output,
        help: "with --ptx, the kernel for a dispatch of this size, in which a block may run\n\
               several groups: `// 4 groups in a block`",
        set: |args, value| {
            super::values::groups(args, value)?;
            args.emit_groups = Some(args.launch.groups);
            Ok(())
        },
    },
    Flag {
        names: &["-fspv-target-env"],
        takes: Takes::Joined("ENV"),
        on: COMPILES,
        section: Section::Output,
        help: "vulkan1.1, vulkan1.2, vulkan1.3 (the default) or vulkan1.4;\n\
               universal1.3, universal1.5 and universal1.6 mean the first three",
        set: |args, value| {
            args.spirv.target = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["-fspv-extension"],
        takes: Takes::Joined("NAME"),
        on: COMPILES,
        section: Section::Output,
        help: "an extension of SPIR-V that may be used; the first one given drops\n\
               SPV_KHR_maximal_reconvergence, which is used otherwise",
        set: |args, value| {
            args.spirv.extensions.push(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["-fspv-enable-maximal-reconvergence"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Output,
        help: "the same as -fspv-extension=SPV_KHR_maximal_reconvergence",
        set: |args, _| {
            args.spirv.extensions.push("SPV_KHR_maximal_reconvergence".to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["-fspv-entrypoint-name"],
        takes: Takes::Joined("NAME"),
        on: COMPILES,
        section: Section::Output,
        help: "the name of the entry point in SPIR-V (that of -E)",
        set: |args, value| {
            args.spirv.entry = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["-fvk-b-shift"],
        takes: Takes::Words("N SPACE|all", 2),
        on: COMPILES,
        section: Section::Output,
        help: "for SPIR-V: register(bI, spaceS) is binding I + N of set S",
        set: |args, value| shift(args, RegisterClass::Constant, value),
    },
    Flag {
        names: &["-fvk-t-shift"],
        takes: Takes::Words("N SPACE|all", 2),
        on: COMPILES,
        section: Section::Output,
        help: "the same for registers t",
        set: |args, value| shift(args, RegisterClass::Shader, value),
    },
    Flag {
        names: &["-fvk-u-shift"],
        takes: Takes::Words("N SPACE|all", 2),
        on: COMPILES,
        section: Section::Output,
        help: "the same for registers u",
        set: |args, value| shift(args, RegisterClass::Unordered, value),
    },
    Flag {
        names: &["-fvk-s-shift"],
        takes: Takes::Words("N SPACE|all", 2),
        on: COMPILES,
        section: Section::Output,
        help: "the same for registers s",
        set: |args, value| shift(args, RegisterClass::Sampler, value),
    },
    Flag {
        names: &["-fvk-bind-register"],
        takes: Takes::Words("REGISTER SPACE N SET", 4),
        on: COMPILES,
        section: Section::Output,
        help: "for SPIR-V: this register is binding N of set SET, such as t3 0 7 1",
        set: bind_register,
    },
    Flag {
        names: &["-fvk-bind-globals"],
        takes: Takes::Words("N SET", 2),
        on: COMPILES,
        section: Section::Output,
        help: "for SPIR-V: constants outside any buffer are binding N of set SET",
        set: |args, value| bind(args, Named::Globals, value),
    },
    Flag {
        names: &["-fvk-bind-resource-heap"],
        takes: Takes::Words("N SET", 2),
        on: COMPILES,
        section: Section::Output,
        help: "for SPIR-V: what comes from ResourceDescriptorHeap is binding N of set SET,\n\
               whose descriptors are mutable ones of VK_EXT_mutable_descriptor_type",
        set: |args, value| bind(args, Named::ResourceHeap, value),
    },
    Flag {
        names: &["-fvk-bind-sampler-heap"],
        takes: Takes::Words("N SET", 2),
        on: COMPILES,
        section: Section::Output,
        help: "the same for SamplerDescriptorHeap",
        set: |args, value| bind(args, Named::SamplerHeap, value),
    },
    Flag {
        names: &["-fvk-bind-counter-heap"],
        takes: Takes::Words("N SET", 2),
        on: COMPILES,
        section: Section::Output,
        help: "the same for the hidden counters of buffers in ResourceDescriptorHeap",
        set: |args, value| bind(args, Named::CounterHeap, value),
    },
];

const fn format_of(on: Commands, help: &'static str) -> Flag {
    Flag {
        names: &["--format"],
        takes: Takes::Value("FORMAT"),
        on,
        section: Section::Output,
        help,
        set: format,
    }
}

fn list(args: &mut LowArgs, _: &str) -> Result<(), String> {
    args.list = true;
    Ok(())
}
