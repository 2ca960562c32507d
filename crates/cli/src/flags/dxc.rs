//! The flags that only dxc needs: outputs that its build scripts ask for, and flags that are accepted so that build scripts can
//! swap the program.
//!
//! An output is written by `wavelane dxc`, or it is refused there; the other commands take the same command line and leave its
//! outputs alone.

use super::values::nothing;
use super::{COMPILES, Flag, Section, Takes};
use crate::asked::{Refused, RefusedKind as Kind};
use crate::command::Command;

/// `-Fx FILE` for an output that is written.
macro_rules! file {
    ($name:literal, $field:ident, $help:literal) => {
        Flag {
            names: &[$name],
            takes: Takes::Joined("FILE"),
            on: COMPILES,
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
    ($names:expr, $($field:ident).+, $help:literal) => {
        Flag {
            names: &$names,
            takes: Takes::Nothing,
            on: COMPILES,
            section: Section::Build,
            help: $help,
            set: |args, _| {
                args.$($field).+ = true;
                Ok(())
            },
        }
    };
}

/// A flag for an output that only dxc can make.
macro_rules! refused {
    ($name:literal, $takes:expr, $instead:expr) => {
        refused!($name, $takes, $instead, Kind::Output)
    };
    ($name:literal, $takes:expr, $instead:expr, $kind:expr) => {
        Flag {
            names: &[$name],
            takes: $takes,
            on: COMPILES,
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
const PASSES: &str = "`wavelane emit --ir` shows what the compiler makes of a shader";
const USED: &str = "a module has what the entry point uses";
const NUMBERS: &str = "`-fvk-bind-register`, `[[vk::binding]]` and the shifts choose bindings";

const FILE: Takes = Takes::Joined("FILE");
const LATER: Takes = Takes::Value("FILE");

pub(super) const FLAGS: &[Flag] = &[
    file!(
        "-Fo",
        object,
        "the SPIR-V module, with dxc -spirv and emit --spirv; beside it\nFILE.json says what a host must know"
    ),
    file!("-Fc", listing, "a listing of the module, with dxc -spirv"),
    file!("-Fh", header, "the module as an array in a C header, with dxc -spirv"),
    Flag {
        names: &["-Vn"],
        takes: Takes::Joined("NAME"),
        on: COMPILES,
        section: Section::Build,
        help: "the name of the array in that header (g_ENTRY)",
        set: |args, value| {
            args.build.variable = Some(value.to_owned());
            Ok(())
        },
    },
    file!("-Fe", messages, "with dxc, write the messages to FILE instead of showing them"),
    switch!(
        ["-P"],
        build.preprocess,
        "with dxc, only preprocess, into the file of -Fi, or into the\nsource's name with .i"
    ),
    file!("-Fi", preprocessed, "where -P writes to; without -P, written as well"),
    switch!(["-H", "-Vi"], build.show_includes, "with dxc, show the included files, nested"),
    switch!(
        ["-M"],
        build.show_dependencies,
        "with dxc, only print what the output depends on, for make"
    ),
    switch!(
        ["-MD"],
        build.write_dependencies,
        "with dxc, write that rule to the source's name with .d as well"
    ),
    file!("-MF", dependencies, "the same as -MD, to FILE"),
    switch!(["-Zi"], spirv.has_debug, "SPIR-V holds the text of the sources and the lines"),
    switch!(["-Qstrip_debug"], spirv.is_stripped, "SPIR-V holds no text, no lines and no names"),
    Flag {
        names: &["--check-only"],
        takes: Takes::Nothing,
        on: &[Command::Dxc],
        section: Section::Build,
        help: "check the shader, and write none of the outputs asked for",
        set: |args, _| {
            args.build.check_only = true;
            Ok(())
        },
    },
    refused!("-Fd", FILE, "`-spirv -Zi` keeps debug information in the module"),
    refused!("-Fre", FILE, "`-spirv -Fo FILE` writes FILE.json, which says what a host must know"),
    refused!("-Frs", FILE, "root signatures belong to DXIL, which is not made"),
    refused!("-Fsh", FILE, "shader hashes belong to DXIL, which is not made"),
    refused!("-Fl", FILE, "libraries belong to DXIL, which is not made"),
    refused!("-Fx", FILE, "`-spirv -Fc FILE` writes a listing of the module"),
    refused!("-getprivate", FILE, "private data belongs to DXIL, which is not made"),
    refused!("-verifyrootsignature", FILE, "root signatures belong to DXIL, which is not made"),
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
    refused!("-link", Takes::Nothing, "libraries of DXIL are not read", Kind::ReadsBinaries),
    refused!("-metal", Takes::Nothing, "libraries of Metal are not made"),
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
        help: "no rewrites on the engine cuda, which save atomic operations and run several\ngroups in a block without an observable difference",
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
            // What concerns stages of which no module is made, or only how good the code is.
            "-fvk-invert-y",
            "-fvk-use-dx-position-w",
            "-fvk-use-gl-layout",
            "-fvk-support-nonzero-base-instance",
            "-fvk-support-nonzero-base-vertex",
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
        names: &["-Oconfig", "-fvk-stage-io-order"],
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
            // The other kinds keep names and lines apart from the text, which is not done here.
            args.spirv.has_debug |= value.contains("source");
            Ok(())
        },
    },
];
