//! The flags that only dxc needs: outputs that its build scripts ask for, and flags that are accepted so that build
//! scripts can swap the program.
//!
//! An output is written by `wavelane dxc`, or it is refused there, so only `dxc` has the flags that ask for one; `emit`
//! writes its one output to the file of `-Fo`. The other commands have the flags that say what a module is like or how
//! to compile: those are part of a common command line, and no file is missing afterwards.

use wavelane::Stage;

use super::values::nothing;
use super::{COMPILES, Commands, Flag, Section, Takes};
use crate::asked::{Refused, RefusedKind as Kind};
use crate::command::Command;

/// The only command that has the flags for the outputs of a build.
const DXC: Commands = &[Command::Dxc];

/// `-Fx FILE` for an output that is written.
macro_rules! file {
    ($name:literal, $field:ident, $help:literal) => {
        file!($name, $field, DXC, $help)
    };
    ($name:literal, $field:ident, $on:expr, $help:literal) => {
        Flag {
            names: &[$name],
            takes: Takes::Joined("FILE"),
            on: $on,
            section: Section::Build,
            help: $help,
            set: |args, value| {
                args.build.$field = Some(value.to_owned());
                Ok(())
            },
        }
    };
}

/// A flag that is on or off.
macro_rules! switch {
    ($names:expr, $($field:ident).+, $on:expr, $help:literal) => {
        Flag {
            names: &$names,
            takes: Takes::Nothing,
            on: $on,
            section: Section::Build,
            help: $help,
            set: |args, _| {
                args.$($field).+ = true;
                Ok(())
            },
        }
    };
}

/// A flag for an output that only dxc can write, or, with a kind, for how dxc changes one.
macro_rules! refused {
    ($name:literal, $takes:expr, $instead:expr) => {
        refused!($name, $takes, $instead, Kind::Output)
    };
    ($name:literal, $takes:expr, $instead:expr, $kind:expr) => {
        Flag {
            names: &[$name],
            takes: $takes,
            on: match $kind {
                Kind::Output | Kind::ReadsBinaries => DXC,
                Kind::Module | Kind::ModuleOf(_) => COMPILES,
            },
            section: Section::Refused,
            help: "",
            set: |args, value| {
                let separator = if $name.ends_with('=') || value.is_empty() { "" } else { " " };
                let flag = format!("{}{separator}{value}", $name);
                args.build.refused.push(Refused { flag, instead: $instead, kind: $kind });
                Ok(())
            },
        }
    };
}

const TIMES: &str = "`wavelane bench` measures how long a compilation takes";
const PASSES: &str = "`wavelane emit --ir` shows the output of the compiler";
const USED: &str = "a module has what the entry point uses";
const NUMBERS: &str = "`-fvk-bind-register`, `[[vk::binding]]` and the shifts choose bindings";

/// Stages whose inputs or outputs have locations.
const HAS_LOCATIONS: &[Stage] =
    &[Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry, Stage::Mesh, Stage::Pixel];

const FILE: Takes = Takes::Joined("FILE");
const LATER: Takes = Takes::Value("FILE");

pub(super) const FLAGS: &[Flag] = &[
    file!(
        "-Fo",
        object,
        &[Command::Dxc, Command::Emit],
        "the output of emit, or of dxc -spirv; beside a SPIR-V module\nFILE.json says what a host must know"
    ),
    file!("-Fc", listing, "a listing of the module, with -spirv"),
    file!("-Fh", header, "the module as an array in a C header, with -spirv"),
    Flag {
        names: &["-Vn"],
        takes: Takes::Joined("NAME"),
        on: DXC,
        section: Section::Build,
        help: "the name of the array in that header (g_ENTRY)",
        set: |args, value| {
            args.build.variable = Some(value.to_owned());
            Ok(())
        },
    },
    file!("-Fe", messages, "write the messages to FILE instead of showing them"),
    switch!(
        ["-P"],
        build.preprocess,
        DXC,
        "only preprocess, into the file of -Fi, or into the\nsource's name with .i"
    ),
    file!("-Fi", preprocessed, "where -P writes to; without -P, written as well"),
    switch!(["-H", "-Vi"], build.show_includes, DXC, "show the included files, nested"),
    switch!(
        ["-M"],
        build.show_dependencies,
        DXC,
        "only print what the output depends on, for make"
    ),
    switch!(
        ["-MD"],
        build.write_dependencies,
        DXC,
        "write that rule to the source's name with .d as well"
    ),
    file!("-MF", dependencies, "the same as -MD, to FILE"),
    switch!(
        ["-Zi"],
        spirv.has_debug,
        COMPILES,
        "SPIR-V holds the text of the sources and the lines"
    ),
    switch!(
        ["-Qstrip_debug"],
        spirv.is_stripped,
        COMPILES,
        "SPIR-V holds no text, no lines and no names"
    ),
    Flag {
        names: &["--check-only"],
        takes: Takes::Nothing,
        on: DXC,
        section: Section::Build,
        help: "check the shader, and write none of the requested outputs",
        set: |args, _| {
            args.build.check_only = true;
            Ok(())
        },
    },
    refused!("-Fd", FILE, "`-spirv -Zi` keeps debug information in the module"),
    refused!("-Fre", FILE, "`-spirv -Fo FILE` writes FILE.json, which says what a host must know"),
    refused!("-Frs", FILE, "root signatures belong to DXIL, which wavelane does not write"),
    refused!("-Fsh", FILE, "shader hashes belong to DXIL, which wavelane does not write"),
    refused!("-Fl", FILE, "libraries belong to DXIL, which wavelane does not write"),
    refused!("-Fx", FILE, "`-spirv -Fc FILE` writes a listing of the module"),
    refused!("-getprivate", FILE, "private data belongs to DXIL, which wavelane does not emit"),
    refused!(
        "-verifyrootsignature",
        FILE,
        "root signatures belong to DXIL, which wavelane does not write"
    ),
    refused!(
        "-extractrootsignature",
        Takes::Nothing,
        "root signatures belong to DXIL, which is not read",
        Kind::ReadsBinaries
    ),
    refused!(
        "-dumpbin",
        Takes::Nothing,
        "DXIL is not read; `-spirv -Fc FILE` writes a listing of a module",
        Kind::ReadsBinaries
    ),
    refused!("-recompile", Takes::Nothing, "DXIL is not read", Kind::ReadsBinaries),
    refused!("-link", Takes::Nothing, "DXIL libraries are not read", Kind::ReadsBinaries),
    refused!("-metal", Takes::Nothing, "Metal libraries are not written"),
    refused!("-Po", Takes::Nothing, "`-P -Fi FILE` writes what is preprocessed"),
    refused!("-ftime-trace", Takes::Nothing, TIMES),
    refused!("-ftime-trace=", FILE, TIMES),
    refused!("-ftime-trace-granularity=", Takes::Joined("N"), TIMES),
    refused!("-ftime-report", Takes::Nothing, TIMES),
    refused!("-ast-dump", Takes::Nothing, PASSES),
    refused!("-ast-dump-implicit", Takes::Nothing, PASSES),
    refused!("-print-before-all", Takes::Nothing, PASSES),
    refused!("-print-after-all", Takes::Nothing, PASSES),
    refused!("-print-before", LATER, PASSES),
    refused!("-print-after", LATER, PASSES),
    refused!("-fspv-print-all", Takes::Nothing, "`-spirv -Fc FILE` writes a listing of the module"),
    refused!(
        "-fspv-reflect",
        Takes::Nothing,
        "`-spirv -Fo FILE` writes FILE.json, which says what a host must know",
        Kind::Module
    ),
    refused!("-fspv-preserve-bindings", Takes::Nothing, USED, Kind::Module),
    refused!("-fspv-preserve-interface", Takes::Nothing, USED, Kind::Module),
    refused!("-fvk-auto-shift-bindings", Takes::Nothing, NUMBERS, Kind::Module),
    refused!("-fspv-flatten-resource-arrays", Takes::Nothing, NUMBERS, Kind::Module),
    refused!(
        "-fspv-use-vulkan-memory-model",
        Takes::Nothing,
        "modules have the memory model GLSL450",
        Kind::Module
    ),
    refused!(
        "-fspv-use-descriptor-heap",
        Takes::Nothing,
        "`-fvk-bind-resource-heap` and `-fvk-bind-sampler-heap` bind descriptor heaps as arrays",
        Kind::Module
    ),
    refused!(
        "-fvk-use-gl-layout",
        Takes::Nothing,
        "modules have the layouts of the language, as with `-fvk-use-dx-layout`",
        Kind::Module
    ),
    refused!(
        "-fvk-invert-y",
        Takes::Nothing,
        "negate `y` of `SV_Position` in the source, or give Vulkan a viewport of negative height",
        Kind::ModuleOf(&[Stage::Vertex, Stage::Domain, Stage::Geometry, Stage::Mesh])
    ),
    refused!(
        "-fvk-use-dx-position-w",
        Takes::Nothing,
        "write `1.0 / position.w` in the source",
        Kind::ModuleOf(&[Stage::Pixel])
    ),
    Flag {
        names: &["-fvk-stage-io-order"],
        takes: Takes::Joined("ORDER"),
        on: COMPILES,
        section: Section::Refused,
        help: "",
        set: |args, value| match value {
            // What is declared first gets the first location.
            "decl" => Ok(()),
            "alpha" => {
                args.build.refused.push(Refused {
                    flag: "-fvk-stage-io-order=alpha".to_owned(),
                    instead: "locations follow the order of the declarations; `[[vk::location(N)]]` chooses them",
                    kind: Kind::ModuleOf(HAS_LOCATIONS),
                });
                Ok(())
            }
            _ => Err("the choices are alpha, decl".to_owned()),
        },
    },
    refused!("-Odump", Takes::Nothing, "there are no passes to choose from"),
    refused!(
        "-import-binding-table",
        LATER,
        "write the registers in the source, or use `-fvk-bind-register`"
    ),
    Flag {
        names: &["-O0", "-Od"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Device,
        help: "no rewrites on the engines cpu, cuda and vulkan, which save atomic operations\nand run several groups as one without an observable difference",
        set: |args, _| {
            args.device.unoptimised = true;
            Ok(())
        },
    },
    Flag {
        names: &["-O1", "-O2", "-O3", "-Zs", "-Zss", "-Zsb", "-nologo", "-Vd"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &[
            "-Gis",
            "-Gfa",
            "-Gfp",
            "-Qembed_debug",
            "-Qstrip_priv",
            "-Qstrip_reflect",
            "-Qstrip_rootsignature",
            "-Qkeep_reflect_in_dxil",
        ],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &[
            "-all-resources-bound",
            "-all_resources_bound",
            "-res-may-alias",
            "-res_may_alias",
            "-Qsource_in_debug_module",
            "-Qpdb_in_private",
            "-Qstrip_reflect_from_dxil",
            "-Qunused-arguments",
            "-Gec",
            "-Ges",
            "-Gpp",
            "-Cc",
            "-Ni",
            "-No",
            "-Lx",
            "-time",
            "-v",
            "-verbose",
            "-enable-lifetime-markers",
            "-disable-lifetime-markers",
            "-enable-payload-qualifiers",
            "-disable-payload-qualifiers",
            "-preserve-intermediate-values",
            "-disable-exception-handling",
            "-skip-serialization",
            "-export-shaders-only",
            "-enable_unbounded_descriptor_tables",
            "-no-legacy-cbuf-layout",
            "-not_use_legacy_cbuf_load",
            "-pack-prefix-stable",
            "-pack_prefix_stable",
            "-pack-optimized",
            "-pack_optimized",
            "-ignore-line-directives",
            "-ignore-opt-semdefs",
            "-unchanged",
            // Instances and vertices are always counted from their bases.
            "-fvk-support-nonzero-base-instance",
            "-fvk-support-nonzero-base-vertex",
            // Flags that affect only the quality of the code.
            "-fspv-fix-func-call-arguments",
            "-fspv-reduce-load-size",
            "-fspv-use-emulated-heap",
            "-fspv-use-unknown-image-format",
        ],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &[
            "-memdep-block-scan-limit",
            "-opt-disable",
            "-opt-enable",
            "-rootsig-define",
            "-exports",
            "-default-linkage",
            "-precise-output",
            "-encoding",
            "-validator-version",
            "-ignore-semdef",
            "-override-semdef",
            "-setrootsignature",
            "-force-rootsig-ver",
            "-force_rootsig_ver",
            "-setprivate",
            "-binding-table-define",
            "-external",
            "-external-fn",
            "-fspv-max-id",
        ],
        takes: Takes::Ignored(1),
        on: COMPILES,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &["-opt-select"],
        takes: Takes::Ignored(2),
        on: COMPILES,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &["-Oconfig"],
        takes: Takes::Joined("LIST"),
        on: COMPILES,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &["-fspv-debug"],
        takes: Takes::Joined("KIND"),
        on: COMPILES,
        section: Section::Ignored,
        help: "other flags that start with -f",
        set: |args, value| {
            // The other kinds have names and lines without the text, which is not supported here.
            args.spirv.has_debug |= value.contains("source");
            Ok(())
        },
    },
];
