//! The flags of the language and of warnings, as in dxc.

use std::path::PathBuf;

use wavelane::{Denormals, Dialect, MatrixOrder, PushLayout, Version};

use super::values::{choose, constant, number, profile, warning};
use super::{COMPILES, Flag, Section, Takes};

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        names: &["-T"],
        takes: Takes::Joined("PROFILE"),
        on: COMPILES,
        section: Section::Language,
        help: "the stage and the shader model, such as cs_6_6, ps_6_0 or lib_6_8, which checks\nevery entry point (cs_6_10); models before 6.0 become 6.0",
        set: |args, value| {
            args.compile.has_profile = true;
            profile(args, value)
        },
    },
    Flag {
        names: &["-E"],
        takes: Takes::Joined("NAME"),
        on: COMPILES,
        section: Section::Language,
        help: "the entry point (main); check, san and test take several, and without this flag\n\
               they take every one of the file",
        set: |args, value| {
            args.entries.push(value.to_owned());
            args.select.entries.push(value.to_owned());
            args.compile.options.entry = value.to_owned();
            Ok(())
        },
    },
    Flag {
        names: &["-D"],
        takes: Takes::Joined("NAME[=VALUE]"),
        on: COMPILES,
        section: Section::Language,
        help: "define a macro",
        set: |args, value| {
            let (name, text) = match value.split_once('=') {
                Some((name, text)) => (name, Some(text.to_owned())),
                None => (value, None),
            };
            if name.is_empty() {
                return Err("the macro has no name".to_owned());
            }
            args.compile.options.defines.push((name.to_owned(), text));
            Ok(())
        },
    },
    Flag {
        names: &["-I"],
        takes: Takes::Joined("FOLDER"),
        on: COMPILES,
        section: Section::Language,
        help: "also look for included files in FOLDER",
        set: |args, value| {
            args.compile.includes.push(PathBuf::from(value));
            Ok(())
        },
    },
    Flag {
        names: &["--include-root"],
        takes: Takes::Values("FOLDER"),
        on: COMPILES,
        section: Section::Language,
        help: "read only what lies below FOLDER, where symbolic links lead counts, for\n\
               #include and for files that a job names; may be repeated. For services:\n\
               a message may show a line of any file that is read",
        set: |args, value| args.compile.include_roots.add(value),
    },
    Flag {
        names: &["--ignore-case-includes"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Language,
        help: "find included files whose names differ in the case of letters",
        set: |args, _| {
            args.compile.ignore_case_includes = true;
            Ok(())
        },
    },
    Flag {
        names: &["-HV"],
        takes: Takes::Joined("YEAR"),
        on: COMPILES,
        section: Section::Language,
        help: "the language version: 2016, 2017, 2018, 2021, 202x (2021)",
        set: |args, value| {
            let known = "the versions are 2016, 2017, 2018, 2021 and 202x";
            args.compile.options.hlsl_version = Version::parse(value).ok_or(known)?;
            Ok(())
        },
    },
    Flag {
        names: &["-enable-16bit-types"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Language,
        help: "half and min16 types have 16 bits",
        set: |args, _| {
            args.compile.options.enable_16bit = true;
            Ok(())
        },
    },
    Flag {
        names: &["-spirv"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Language,
        help: "[[vk::binding(N, SET)]] gives a resource its register N and space SET;\n\
               vk::push_constant, vk::constant_id and vk::offset count too",
        set: |args, _| {
            args.compile.options.spirv = true;
            args.compile.options.vulkan = true;
            Ok(())
        },
    },
    Flag {
        names: &["--constant"],
        takes: Takes::Values("ID=[TYPE:]VALUE"),
        on: COMPILES,
        section: Section::Language,
        help: "with -spirv: the specialization constant [[vk::constant_id(ID)]], such as\n\
               0=8, 1=f32:0.5, 2=true; whole numbers are i32, others f32",
        set: constant,
    },
    Flag {
        names: &["-denorm"],
        takes: Takes::Joined("any|preserve|ftz"),
        on: COMPILES,
        section: Section::Language,
        help: "denormal floats: preserved, or with ftz flushed to zero (any: preserved)",
        set: |args, value| {
            let choices = [
                ("any", Denormals::Any),
                ("preserve", Denormals::Preserve),
                ("ftz", Denormals::FlushToZero),
            ];
            args.compile.options.denormals = choose(value, &choices)?;
            Ok(())
        },
    },
    Flag {
        names: &["-fvk-use-dx-layout", "-fvk-use-scalar-layout"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Language,
        help: "with -spirv: push constants are packed as structured buffers are",
        set: |args, _| {
            args.compile.options.push_layout = PushLayout::Scalar;
            Ok(())
        },
    },
    Flag {
        names: &["-fspv-use-legacy-buffer-matrix-order"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Language,
        help: "matrices in byte address buffers have the opposite storage order",
        set: |args, _| {
            args.compile.options.legacy_matrix_order = true;
            Ok(())
        },
    },
    Flag {
        names: &["-auto-binding-space"],
        takes: Takes::Value("N"),
        on: COMPILES,
        section: Section::Language,
        help: "the space of resources to which the source gives no register (0)",
        set: |args, value| {
            args.compile.options.auto_space = number(value)?;
            Ok(())
        },
    },
    Flag {
        names: &["-Zpr"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Language,
        help: "matrices lie row by row in memory",
        set: |args, _| {
            args.compile.options.matrix_order = MatrixOrder::RowMajor;
            Ok(())
        },
    },
    Flag {
        names: &["-Zpc"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Language,
        help: "matrices lie column by column in memory (the default)",
        set: |args, _| {
            args.compile.options.matrix_order = MatrixOrder::ColumnMajor;
            Ok(())
        },
    },
    Flag {
        names: &["--dialect"],
        takes: Takes::Value("hlsl|slang"),
        on: COMPILES,
        section: Section::Language,
        help: "with slang, Slang's wave functions cause no warning",
        set: |args, value| {
            args.compile.options.dialect =
                choose(value, &[("hlsl", Dialect::default()), ("slang", Dialect::Slang)])?;
            Ok(())
        },
    },
    Flag {
        names: &["-WX"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Warnings,
        help: "warnings are errors, also -Werror; -Wno-error undoes it",
        set: |args, _| {
            args.compile.warnings.are_errors = true;
            Ok(())
        },
    },
    Flag {
        names: &["-no-warnings", "-w"],
        takes: Takes::Nothing,
        on: COMPILES,
        section: Section::Warnings,
        help: "show no warnings",
        set: |args, _| {
            args.compile.warnings.none = true;
            Ok(())
        },
    },
    Flag {
        names: &["-W"],
        takes: Takes::Joined("[no-]CODE"),
        on: COMPILES,
        section: Section::Warnings,
        help: "show a warning, or with no- do not; -Werror=CODE makes it an error,\n\
               -Wno-error=CODE keeps it a warning. The last one counts. The code is\n\
               in brackets at the end of each message; names of dxc and clang,\n\
               such as -Wno-conversion, are understood",
        set: warning,
    },
    Flag {
        names: &["-ferror-limit"],
        takes: Takes::Joined("N"),
        on: COMPILES,
        section: Section::Warnings,
        help: "show this many errors, and count the rest (20); 0: all",
        set: |args, value| {
            args.compile.most_errors = match number(value)? {
                0 => usize::MAX,
                most => most as usize,
            };
            Ok(())
        },
    },
    Flag {
        names: &["-fwarning-limit"],
        takes: Takes::Joined("N"),
        on: COMPILES,
        section: Section::Warnings,
        help: "show this many warnings, and count the rest (100); 0: all. Beyond 1000\n\
               the compiler looks for no more of them",
        set: |args, value| {
            args.compile.most_warnings = match number(value)? {
                0 => usize::MAX,
                most => most as usize,
            };
            Ok(())
        },
    },
];
