//! The flags that only dxc needs: outputs that its build scripts ask for, and flags that are accepted so that build scripts can
//! swap the program.
//!
//! An output is written by `wavelane dxc`, or it is refused there; the other commands take the same command line and leave its
//! outputs alone.

use super::values::nothing;
use super::{COMPILES, Flag, Section, Takes};
use crate::asked::Refused;
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
    ($name:literal, $takes:expr, $instead:literal) => {
        refused!($name, $takes, $instead, false)
    };
    ($name:literal, $takes:expr, $instead:literal, $reads_binaries:literal) => {
        Flag {
            names: &[$name],
            takes: $takes,
            on: COMPILES,
            section: Section::Refused,
            help: "",
            set: |args, value| {
                let flag = format!("{} {value}", $name).trim_end().to_owned();
                args.build.refused.push(Refused {
                    flag,
                    instead: $instead,
                    reads_binaries: $reads_binaries,
                });
                Ok(())
            },
        }
    };
}

const FILE: Takes = Takes::Joined("FILE");
const LATER: Takes = Takes::Value("FILE");

pub(super) const FLAGS: &[Flag] = &[
    file!(
        "-Fo",
        object,
        "the SPIR-V module, with dxc -spirv and emit --spirv; beside it\nFILE.json says what a host must know"
    ),
    file!("-Fc", listing, "dxc -spirv: a listing of the module"),
    file!("-Fh", header, "dxc -spirv: the module as an array in a C header"),
    Flag {
        names: &["-Vn"],
        takes: Takes::Joined("NAME"),
        on: COMPILES,
        section: Section::Build,
        help: "the array in that header (g_ENTRY)",
        set: |args, value| {
            args.build.variable = Some(value.to_owned());
            Ok(())
        },
    },
    file!("-Fe", messages, "dxc: write the messages to FILE instead of showing them"),
    switch!(
        ["-P"],
        build.preprocess,
        "dxc: only preprocess, into the file of -Fi, or into the\nsource's name with .i"
    ),
    file!("-Fi", preprocessed, "where -P writes to; without -P, written as well"),
    switch!(["-H", "-Vi"], build.show_includes, "dxc: show the included files, nested"),
    switch!(
        ["-M"],
        build.show_dependencies,
        "dxc: only print what the output depends on, for make"
    ),
    switch!(
        ["-MD"],
        build.write_dependencies,
        "dxc: write that to the source's name with .d as well"
    ),
    file!("-MF", dependencies, "the same, to FILE"),
    switch!(["-Zi"], spirv.has_debug, "SPIR-V holds the text of the sources and the lines"),
    switch!(["-Qstrip_debug"], spirv.is_stripped, "SPIR-V holds neither, and no names"),
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
        true
    ),
    refused!(
        "-dumpbin",
        Takes::Nothing,
        "DXIL is not read; `-spirv -Fc FILE` writes a listing of a module",
        true
    ),
    refused!("-recompile", Takes::Nothing, "DXIL is not read", true),
    refused!(
        "-ast-dump",
        Takes::Nothing,
        "`wavelane emit --ir` shows what the compiler makes of a shader"
    ),
    refused!("-Odump", Takes::Nothing, "there are no passes to choose from"),
    refused!(
        "-import-binding-table",
        LATER,
        "write the registers in the source, or use `-fvk-bind-register`"
    ),
    Flag {
        names: &["-O0", "-O1", "-O2", "-O3", "-Od", "-Zs", "-Zss", "-Zsb", "-nologo", "-Vd"],
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
            "-print-before-all",
            "-print-after-all",
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
            "-print-before",
            "-print-after",
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
