//! Every flag: one row with its names, the commands that know it, its help, and what it does.
//!
//! Reading and `--help` are both made from these rows.

mod san;

use std::path::PathBuf;
use std::time::Duration;

use device::{
    Denormals, Dialect, Engine, IntraWaveSync, LaneCounts, LaneOrder, MOST_GROUPS, MatrixOrder,
    PushLayout, Schedule, ShaderModel, Stage, Version, diag,
};

use crate::args::{Args, Command, Fuel, Output, WaveSizes};
use crate::terminal::When;

/// One flag.
pub(crate) struct Flag {
    /// The spellings, the one that is shown first.
    pub(crate) names: &'static [&'static str],
    pub(crate) takes: Takes,
    pub(crate) on: &'static [Command],
    pub(crate) section: Section,
    /// One or several lines.
    pub(crate) help: &'static str,
    /// Records the flag, or says what is wrong with the value.
    pub(crate) set: fn(&mut Args, &str) -> Result<(), String>,
}

/// What follows a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// The next word, or after `=`.
    Value(&'static str),
    /// The next word, or the rest of this one, as dxc has it.
    Joined(&'static str),
    /// So many words that nobody looks at.
    Ignored(usize),
}

impl Takes {
    pub(crate) fn placeholder(self) -> String {
        match self {
            Takes::Nothing => String::new(),
            Takes::Value(name) | Takes::Joined(name) => name.to_owned(),
            Takes::Ignored(count) => format!("{count} values"),
        }
    }
}

/// Where `--help` lists a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Run,
    Device,
    Output,
    Language,
    Warnings,
    /// Accepted so that build scripts can swap the program.
    Ignored,
}

impl Section {
    pub(crate) const ALL: [(Section, &'static str); 6] = [
        (Section::Run, "The run"),
        (Section::Device, "The device"),
        (Section::Output, "Output"),
        (Section::Language, "The language, as dxc has it"),
        (Section::Warnings, "Warnings"),
        (Section::Ignored, "Accepted for dxc's sake, without effect"),
    ];
}

const EVERYWHERE: &[Command] = &[
    Command::Check,
    Command::Emit,
    Command::Run,
    Command::Explain,
    Command::Caps,
    Command::Test,
    Command::Merge,
    Command::Dxc,
    Command::San,
];
const RUN: &[Command] = &[Command::Run];
const SAN: &[Command] = &[Command::San];
const RUN_AND_SAN: &[Command] = &[Command::Run, Command::San];
const EMIT: &[Command] = &[Command::Emit];
const TEST: &[Command] = &[Command::Test];
const TEST_AND_SAN: &[Command] = &[Command::Test, Command::San];
const RUN_AND_TEST: &[Command] = &[Command::Run, Command::Test];
const RUN_TEST_AND_SAN: &[Command] = &[Command::Run, Command::Test, Command::San];
const COMPILE: &[Command] =
    &[Command::Check, Command::Emit, Command::Run, Command::Test, Command::Dxc, Command::San];
const DEVICE: &[Command] =
    &[Command::Check, Command::Run, Command::Caps, Command::Test, Command::San];
const FORMAT: &[Command] = &[
    Command::Check,
    Command::Emit,
    Command::Run,
    Command::Caps,
    Command::Explain,
    Command::Test,
    Command::Merge,
    Command::San,
];

pub(crate) const ALL: &[Flag] = &[
    Flag {
        names: &["--groups"],
        takes: Takes::Value("X[,Y[,Z]]"),
        on: RUN_AND_SAN,
        section: Section::Run,
        help: "how many thread groups to dispatch (1)",
        set: groups,
    },
    Flag {
        names: &["--wave-size"],
        takes: Takes::Value("W|LIST|all"),
        on: RUN_TEST_AND_SAN,
        section: Section::Run,
        help: "lanes in a wave: 4, 8, 16, 32, 64, 128, a list (4,8), a range (4..32),\n\
               or all that shader and device allow; several are compared.\n\
               Without it: what `[WaveSize]` prefers, else its smallest;\n\
               without the attribute 32, else the device's smallest",
        set: wave_size,
    },
    Flag {
        names: &["--bind"],
        takes: Takes::Value("NAME=VALUE"),
        on: RUN_AND_SAN,
        section: Section::Run,
        help: "what the buffer NAME, or NAME[k] of a resource array\n\
               or of ResourceDescriptorHeap, holds:\n\
               \x20 u32:1,2,3          a list, its element type first\n\
               \x20 1,2,3              the same where the declaration tells the type\n\
               \x20 f32[16]            16 zeros\n\
               \x20 u32[64]:iota       0, 1, 2, …; also iota(START,STEP)\n\
               \x20 f32[64]:fill(7)    the same number everywhere\n\
               \x20 f32[64]:rand(1)    random by a seed: integers over their range,\n\
               \x20                    floats from 0 to 1\n\
               \x20 [64]:iota          64 elements of the declared type\n\
               \x20 @file.npy          the numbers of a numpy array\n\
               \x20 @file.bin          bytes\n\
               element types: u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64 bool;\n\
               for typed buffers the type is the format in memory.\n\
               A texture:\n\
               \x20 @image.png               its pixels; RGBA8_SRGB@image.png as that format\n\
               \x20 RGBA8_UNORM[64x64]       zeros; [4x4x4] a volume,\n\
               \x20                          [64x64 mips 7 layers 6 samples 4]\n\
               \x20 [4x4]:iota               contents follow as for buffers: raw channels,\n\
               \x20                          layer by layer, level by level\n\
               A sampler: linear wrap; nearest, anisotropic=8, min= mag= mip=, clamp,\n\
               mirror, border, mirror-once, u= v= w=, less-equal and its like, bias=,\n\
               lod=0..3, border=1/1/1/1",
        set: |args, value| {
            args.binds.push(pair(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--set"],
        takes: Takes::Value("MEMBER=VALUE"),
        on: RUN_AND_SAN,
        section: Section::Run,
        help: "a member of a constant buffer: Count=5, Dim=16,16,1, Weights[2]=0.5,\n\
               Object.Member=1; matrices row by row",
        set: |args, value| {
            args.sets.push(pair(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--counter"],
        takes: Takes::Value("NAME=N"),
        on: RUN_AND_SAN,
        section: Section::Run,
        help: "the hidden counter of a structured buffer (0)",
        set: |args, value| {
            let (name, count) = pair(value)?;
            let count = count.parse().map_err(|_| format!("`{count}` is no whole number"))?;
            args.counters.push((name, count));
            Ok(())
        },
    },
    Flag {
        names: &["--lane-order"],
        takes: Takes::Value("ORDER"),
        on: RUN_TEST_AND_SAN,
        section: Section::Run,
        help: "how threads are dealt to lanes: linear, by SV_GroupIndex; quad2d, in squares of\n\
               2x2; morton; random[:SEED], quads together.\n\
               Without it: squares where a 2D shader uses quads (from 6.6 on)",
        set: lane_order,
    },
    Flag {
        names: &["--schedule"],
        takes: Takes::Value("ORDER"),
        on: RUN_TEST_AND_SAN,
        section: Section::Run,
        help: "the order of waves and groups: ascending (canonical), descending,\n\
               round-robin, random[:SEED]",
        set: schedule,
    },
    Flag {
        names: &["--intra-wave-sync"],
        takes: Takes::Value("RULE"),
        on: SAN,
        section: Section::Run,
        help: "what orders the accesses of the lanes of a wave: lockstep, each instruction;\n\
               waveop, wave operations only; none, barriers only (lockstep)",
        set: |args, value| {
            args.san.sync = choose(
                value,
                &[
                    ("lockstep", IntraWaveSync::Lockstep),
                    ("waveop", IntraWaveSync::WaveOp),
                    ("none", IntraWaveSync::None),
                ],
            )?;
            Ok(())
        },
    },
    Flag {
        names: &["--width-dependent"],
        takes: Takes::Value("NAME"),
        on: SAN,
        section: Section::Run,
        help: "this buffer is meant to differ with the width; may be repeated",
        set: |args, value| {
            args.san.width_dependent.push(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--unordered"],
        takes: Takes::Value("NAME"),
        on: SAN,
        section: Section::Run,
        help: "the elements of this buffer may come in any order; may be repeated",
        set: |args, value| {
            args.san.unordered.push(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--seeds"],
        takes: Takes::Value("N"),
        on: SAN,
        section: Section::Run,
        help: "try so many random orders of waves, groups and lanes at each width (1)",
        set: |args, value| {
            args.san.seeds = Some(u64::from(number(value)?));
            Ok(())
        },
    },
    san::THOROUGH,
    san::ORDERS,
    san::FLOAT_ULP,
    san::EXITED_THREADS,
    san::RECONVERGENCE,
    san::PROGRESS,
    san::UNIFORM_LANE_INDEX,
    Flag {
        names: &["--timeout"],
        takes: Takes::Value("SECONDS"),
        on: RUN_TEST_AND_SAN,
        section: Section::Run,
        help: "end the run after so long, with exit status 1",
        set: timeout,
    },
    Flag {
        names: &["--fuel"],
        takes: Takes::Value("N|none"),
        on: RUN_TEST_AND_SAN,
        section: Section::Run,
        help: "end the run after so many wave-instructions, with exit status 1\n\
               (2^32, fewer beyond 32 lanes: endless loops end within about a minute)",
        set: |args, value| {
            args.fuel = match value {
                "none" => Fuel::Endless,
                number => {
                    Fuel::Of(number.parse().map_err(|_| format!("`{number}` is no whole number"))?)
                }
            };
            Ok(())
        },
    },
    Flag {
        names: &["--jobs", "-j"],
        takes: Takes::Value("N"),
        on: TEST,
        section: Section::Run,
        help: "so many processes run tests at a time (one for each core)",
        set: |args, value| {
            args.test.jobs = Some(number(value)? as usize);
            Ok(())
        },
    },
    Flag {
        names: &["--filter"],
        takes: Takes::Value("TEXT"),
        on: TEST_AND_SAN,
        section: Section::Run,
        help: "only tests whose names hold the text; may be repeated",
        set: |args, value| {
            args.test.filters.push(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--partition"],
        takes: Takes::Value("hash:M/N"),
        on: TEST,
        section: Section::Run,
        help: "only part M of N, by the tests' names; count:M/N takes every N-th.\n\
               LIT_NUM_SHARDS and LIT_RUN_SHARD in the environment do the latter",
        set: |args, value| {
            args.test.partition = Some(crate::test::Partition::parse(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--baseline"],
        takes: Takes::Value("FILE"),
        on: TEST_AND_SAN,
        section: Section::Run,
        help: "known failures, which do not fail the run: a name or name@width a line;\n\
               for san known findings: CODE FILE: the line of source, wherever it stands",
        set: |args, value| {
            args.test.baseline = Some(PathBuf::from(value));
            Ok(())
        },
    },
    Flag {
        names: &["--write-baseline"],
        takes: Takes::Value("FILE"),
        on: TEST_AND_SAN,
        section: Section::Run,
        help: "write the failures, or the findings, of this run as a baseline",
        set: |args, value| {
            args.test.write_baseline = Some(PathBuf::from(value));
            Ok(())
        },
    },
    Flag {
        names: &["--profile"],
        takes: Takes::Value("directx|vulkan"),
        on: TEST,
        section: Section::Device,
        help: "whose features tests find here (directx)",
        set: |args, value| {
            let choices = [("directx", jobs::Api::DirectX), ("vulkan", jobs::Api::Vulkan)];
            args.test.api = choose(value, &choices)?;
            Ok(())
        },
    },
    Flag {
        names: &["--features"],
        takes: Takes::Nothing,
        on: TEST,
        section: Section::Device,
        help: "show the features that tests may require, and run nothing",
        set: |args, _| {
            args.test.show_features = true;
            Ok(())
        },
    },
    Flag {
        names: &["--worker"],
        takes: Takes::Nothing,
        on: TEST,
        section: Section::Ignored,
        help: "",
        set: |args, _| {
            args.test.is_worker = true;
            Ok(())
        },
    },
    Flag {
        names: &["--engine"],
        takes: Takes::Value("NAME"),
        on: RUN_AND_TEST,
        section: Section::Device,
        help: "what runs the lanes: interp, the reference engine; cpu, machine code for\n\
               this computer; vulkan and cuda are not built yet",
        set: |args, value| {
            args.engine = choose(value, &Engine::ALL.map(|it| (it.name(), it)))?;
            Ok(())
        },
    },
    Flag {
        names: &["--cpu"],
        takes: Takes::Value("SET"),
        on: RUN_AND_TEST,
        section: Section::Device,
        help: "the instructions that the engine cpu uses: avx512 or avx2; by default the\n\
               best that the processor has",
        set: |args, value| {
            args.isa = Some(choose(value, &device::Isa::ALL.map(|it| (it.name(), it)))?);
            Ok(())
        },
    },
    Flag {
        names: &["--threads"],
        takes: Takes::Value("N"),
        on: RUN_AND_TEST,
        section: Section::Device,
        help: "how many threads the engine cpu uses, 1 by default: with one, groups and\n\
               waves run in their canonical order",
        set: |args, value| {
            args.threads = match value.parse() {
                Ok(threads @ 1..=256) => threads,
                _ => return Err("a number of threads is 1 to 256".to_owned()),
            };
            Ok(())
        },
    },
    Flag {
        names: &["--caps"],
        takes: Takes::Value("CAP=VALUE,…"),
        on: DEVICE,
        section: Section::Device,
        help: "what the device can do: wave-ops=on|off, lanes=32..64, total-lanes=N,\n\
               sm=6.5, int64=on|off, 16bit=on|off, double=on|off",
        set: caps,
    },
    Flag {
        names: &["--print"],
        takes: Takes::Value("NAME"),
        on: RUN,
        section: Section::Output,
        help: "show this buffer whole, and no others; may be repeated",
        set: |args, value| {
            args.prints.extend(value.split(',').map(|it| it.trim().to_owned()));
            Ok(())
        },
    },
    Flag {
        names: &["--out"],
        takes: Takes::Value("NAME=FILE"),
        on: RUN,
        section: Section::Output,
        help: "write a buffer to FILE.npy or FILE.bin; with several wave sizes the\n\
               name must hold {width}, which the size replaces",
        set: |args, value| {
            args.outs.push(pair(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--format"],
        takes: Takes::Value("FORMAT"),
        on: FORMAT,
        section: Section::Output,
        help: "text or json; for check also github and sarif, for san, test and\n\
               merge also junit, github and sarif; for emit --spirv a listing,\n\
               or what a host must know. In the JSON of run\n\
               each buffer is a flat list of its scalars in memory order, with\n\
               \"NaN\", \"Infinity\", \"-Infinity\" as strings and bools as 0 and 1",
        set: format,
    },
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
        names: &["-fcolor-diagnostics", "-fdiagnostics-color"],
        takes: Takes::Nothing,
        on: COMPILE,
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
        on: COMPILE,
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
        on: &[Command::Explain, Command::Test],
        section: Section::Output,
        help: "all diagnostic codes with a line about each; for test, the names of the tests",
        set: |args, _| {
            args.list = true;
            args.test.list = true;
            Ok(())
        },
    },
    Flag {
        names: &["--ir"],
        takes: Takes::Nothing,
        on: EMIT,
        section: Section::Output,
        help: "the intermediate representation",
        set: |args, _| {
            args.emit_ir = true;
            Ok(())
        },
    },
    Flag {
        names: &["--spirv"],
        takes: Takes::Nothing,
        on: EMIT,
        section: Section::Output,
        help: "SPIR-V for Vulkan: a listing, or with -Fo FILE a module in FILE\n\
               and beside it what a host must know, in FILE.json",
        set: |args, _| {
            args.spirv.wanted = true;
            args.options.spirv = true;
            Ok(())
        },
    },
    Flag {
        names: &["-fspv-target-env"],
        takes: Takes::Joined("ENV"),
        on: COMPILE,
        section: Section::Output,
        help: "vulkan1.1, vulkan1.2, vulkan1.3 (the default) or vulkan1.4",
        set: |args, value| {
            args.spirv.target = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["-fspv-extension"],
        takes: Takes::Joined("NAME"),
        on: COMPILE,
        section: Section::Output,
        help: "an extension of SPIR-V that may be used; the first one given drops\n\
               SPV_KHR_maximal_reconvergence, which is used otherwise",
        set: |args, value| {
            args.spirv.extensions.push(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["-T"],
        takes: Takes::Joined("PROFILE"),
        on: COMPILE,
        section: Section::Language,
        help: "cs_6_0 to cs_6_10 (cs_6_10)",
        set: profile,
    },
    Flag {
        names: &["-E"],
        takes: Takes::Joined("NAME"),
        on: COMPILE,
        section: Section::Language,
        help: "the entry point (main)",
        set: |args, value| {
            args.options.entry = value.to_owned();
            Ok(())
        },
    },
    Flag {
        names: &["-D"],
        takes: Takes::Joined("NAME[=VALUE]"),
        on: COMPILE,
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
            args.options.defines.push((name.to_owned(), text));
            Ok(())
        },
    },
    Flag {
        names: &["-I"],
        takes: Takes::Joined("FOLDER"),
        on: COMPILE,
        section: Section::Language,
        help: "look for included files there too",
        set: |args, value| {
            args.includes.push(PathBuf::from(value));
            Ok(())
        },
    },
    Flag {
        names: &["--ignore-case-includes"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Language,
        help: "find included files whose names differ in the case of letters",
        set: |args, _| {
            args.ignore_case_includes = true;
            Ok(())
        },
    },
    Flag {
        names: &["-HV"],
        takes: Takes::Joined("YEAR"),
        on: COMPILE,
        section: Section::Language,
        help: "the language version: 2016, 2017, 2018, 2021, 202x (2021)",
        set: |args, value| {
            let known = "the versions are 2016, 2017, 2018, 2021 and 202x";
            args.options.hlsl_version = Version::parse(value).ok_or(known)?;
            Ok(())
        },
    },
    Flag {
        names: &["-enable-16bit-types"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Language,
        help: "half and min16 types have 16 bits",
        set: |args, _| {
            args.options.enable_16bit = true;
            Ok(())
        },
    },
    Flag {
        names: &["-spirv"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Language,
        help: "[[vk::binding(N, SET)]] gives a resource its register N and space SET;\n\
               vk::push_constant, vk::constant_id and vk::offset count too",
        set: |args, _| {
            args.options.spirv = true;
            args.options.vulkan = true;
            Ok(())
        },
    },
    Flag {
        names: &["--constant"],
        takes: Takes::Value("ID=[TYPE:]VALUE"),
        on: COMPILE,
        section: Section::Language,
        help: "with -spirv: the specialization constant [[vk::constant_id(ID)]], such as\n\
               0=8, 1=f32:0.5, 2=true; whole numbers are i32, others f32",
        set: constant,
    },
    Flag {
        names: &["-denorm"],
        takes: Takes::Joined("any|preserve|ftz"),
        on: COMPILE,
        section: Section::Language,
        help: "denormal floats: kept, or with ftz taken and given as zeros (any: kept)",
        set: |args, value| {
            let choices = [
                ("any", Denormals::Any),
                ("preserve", Denormals::Preserve),
                ("ftz", Denormals::FlushToZero),
            ];
            args.options.denormals = choose(value, &choices)?;
            Ok(())
        },
    },
    Flag {
        names: &["-fvk-use-dx-layout", "-fvk-use-scalar-layout"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Language,
        help: "with -spirv: push constants are packed as structured buffers are",
        set: |args, _| {
            args.options.push_layout = PushLayout::Scalar;
            Ok(())
        },
    },
    Flag {
        names: &["-fspv-use-legacy-buffer-matrix-order"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Language,
        help: "matrices in byte address buffers lie the other way round",
        set: |args, _| {
            args.options.legacy_matrix_order = true;
            Ok(())
        },
    },
    Flag {
        names: &["-auto-binding-space"],
        takes: Takes::Value("N"),
        on: COMPILE,
        section: Section::Language,
        help: "the space of resources that the source gives no register (default 0)",
        set: |args, value| {
            args.options.auto_space = number(value)?;
            Ok(())
        },
    },
    Flag {
        names: &["-Zpr"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Language,
        help: "matrices lie row by row in memory",
        set: |args, _| {
            args.options.matrix_order = MatrixOrder::RowMajor;
            Ok(())
        },
    },
    Flag {
        names: &["-Zpc"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Language,
        help: "matrices lie column by column in memory (so by default)",
        set: |args, _| {
            args.options.matrix_order = MatrixOrder::ColumnMajor;
            Ok(())
        },
    },
    Flag {
        names: &["--dialect"],
        takes: Takes::Value("hlsl|slang"),
        on: COMPILE,
        section: Section::Language,
        help: "with slang, Slang's wave functions are no reason for a warning",
        set: |args, value| {
            args.options.dialect =
                choose(value, &[("hlsl", Dialect::default()), ("slang", Dialect::Slang)])?;
            Ok(())
        },
    },
    Flag {
        names: &["-WX"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Warnings,
        help: "warnings are errors, also -Werror; -Wno-error takes it back",
        set: |args, _| {
            args.warnings.are_errors = true;
            Ok(())
        },
    },
    Flag {
        names: &["-no-warnings", "-w"],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Warnings,
        help: "show no warnings",
        set: |args, _| {
            args.warnings.none = true;
            Ok(())
        },
    },
    Flag {
        names: &["-W"],
        takes: Takes::Joined("[no-]CODE"),
        on: COMPILE,
        section: Section::Warnings,
        help: "show a warning, or with no- do not; -Werror=CODE makes it an error,\n\
               -Wno-error=CODE keeps it a warning. The last one counts. The code is\n\
               what stands in brackets behind a message; names of dxc and clang,\n\
               such as -Wno-conversion, are understood",
        set: warning,
    },
    Flag {
        names: &["-ferror-limit"],
        takes: Takes::Joined("N"),
        on: COMPILE,
        section: Section::Warnings,
        help: "show so many errors, and count the rest (20); 0: all",
        set: |args, value| {
            args.most_errors = match number(value)? {
                0 => usize::MAX,
                most => most as usize,
            };
            Ok(())
        },
    },
    Flag {
        names: &["-O0", "-O1", "-O2", "-O3", "-Od", "-Zi", "-Zs", "-Zss", "-Zsb", "-nologo", "-Vd"],
        takes: Takes::Nothing,
        on: COMPILE,
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
            "-Qstrip_debug",
            "-Qstrip_priv",
            "-Qstrip_reflect",
            "-Qstrip_rootsignature",
            "-Qkeep_reflect_in_dxil",
        ],
        takes: Takes::Nothing,
        on: COMPILE,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &["-Fo"],
        takes: Takes::Joined("FILE"),
        on: COMPILE,
        section: Section::Output,
        help: "the file for SPIR-V, with emit --spirv and with dxc -spirv",
        set: |args, value| {
            args.unwritten.push(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["-Fc", "-Fe", "-Fd", "-Fh", "-Fre", "-Frs", "-Vn"],
        takes: Takes::Joined("FILE"),
        on: COMPILE,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &[
            "-fvk-b-shift",
            "-fvk-t-shift",
            "-fvk-u-shift",
            "-fvk-s-shift",
            "-fvk-bind-globals",
        ],
        takes: Takes::Ignored(2),
        on: COMPILE,
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
            "-H",
            "-Vi",
            "-MD",
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
        on: COMPILE,
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
            "-verifyrootsignature",
            "-force-rootsig-ver",
            "-force_rootsig_ver",
            "-setprivate",
            "-import-binding-table",
            "-binding-table-define",
            "-external",
            "-external-fn",
            "-Fsh",
            "-fspv-max-id",
        ],
        takes: Takes::Ignored(1),
        on: COMPILE,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &[
            "-opt-select",
            "-fvk-bind-resource-heap",
            "-fvk-bind-sampler-heap",
            "-fvk-bind-counter-heap",
        ],
        takes: Takes::Ignored(2),
        on: COMPILE,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &["-Fl", "-Fx", "-Fi", "-MF"],
        takes: Takes::Joined("FILE"),
        on: COMPILE,
        section: Section::Ignored,
        help: "",
        set: nothing,
    },
    Flag {
        names: &["-fvk-bind-register"],
        takes: Takes::Ignored(4),
        on: COMPILE,
        section: Section::Ignored,
        help: "other flags that start with -f",
        set: nothing,
    },
];

fn nothing(_: &mut Args, _: &str) -> Result<(), String> {
    Ok(())
}

fn pair(value: &str) -> Result<(String, String), String> {
    let (name, value) = value.split_once('=').ok_or("the form is NAME=VALUE")?;
    let name = name.trim();
    if name.is_empty() {
        Err("the form is NAME=VALUE".to_owned())
    } else {
        Ok((name.to_owned(), value.to_owned()))
    }
}

fn choose<T: Copy>(word: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        format!("the choices are {}", names.join(", "))
    })
}

fn number(word: &str) -> Result<u32, String> {
    word.trim().parse().map_err(|_| format!("`{}` is no whole number", word.trim()))
}

fn groups(args: &mut Args, value: &str) -> Result<(), String> {
    let counts = value.split(',').map(number).collect::<Result<Vec<u32>, String>>()?;
    if counts.len() > 3 {
        return Err("a dispatch has three dimensions at most".to_owned());
    }
    if counts.iter().any(|it| *it > MOST_GROUPS) {
        return Err(format!("each dimension has at most {MOST_GROUPS} groups"));
    }
    args.groups = [1; 3];
    args.groups[..counts.len()].copy_from_slice(&counts);
    Ok(())
}

fn wave_size(args: &mut Args, value: &str) -> Result<(), String> {
    args.wave_sizes = match value {
        "all" => WaveSizes::All,
        "attr" => WaveSizes::Default,
        _ => {
            let mut sizes = Vec::new();
            for part in value.split(',') {
                sizes.extend(range(part)?.iter());
            }
            sizes.sort_unstable();
            sizes.dedup();
            WaveSizes::List(sizes)
        }
    };
    Ok(())
}

/// `W` or `W..W`.
fn range(text: &str) -> Result<LaneCounts, String> {
    let (min, max) = text.split_once("..").unwrap_or((text, text));
    let (min, max) = (number(min)?, number(max)?);
    for size in [min, max] {
        if !size.is_power_of_two() || !(4..=128).contains(&size) {
            return Err(format!("a wave has a power of two from 4 to 128 lanes, not {size}"));
        }
    }
    if min > max {
        return Err(format!("there is nothing from {min} to {max}"));
    }
    Ok(LaneCounts { min, max })
}

fn lane_order(args: &mut Args, value: &str) -> Result<(), String> {
    args.lane_order = Some(match value.split_once(':') {
        Some(("random", seed)) => {
            LaneOrder::Random(seed.parse().map_err(|_| format!("`{seed}` is no seed"))?)
        }
        _ => {
            let choices = [
                ("linear", LaneOrder::Linear),
                ("quad2d", LaneOrder::Quad2d),
                ("morton", LaneOrder::Morton),
                ("random", LaneOrder::Random(1)),
            ];
            let order = choose(value, &choices)?;
            if order == LaneOrder::Random(1) {
                args.remarks.push(
                    "the seed of the random lane order is 1; `random:SEED` chooses another"
                        .to_owned(),
                );
            }
            order
        }
    });
    Ok(())
}

fn schedule(args: &mut Args, value: &str) -> Result<(), String> {
    args.schedule = match value.split_once(':') {
        Some(("random", seed)) => {
            Schedule::Random(seed.parse().map_err(|_| format!("`{seed}` is no seed"))?)
        }
        _ => {
            let choices = [
                ("ascending", Schedule::Ascending),
                ("descending", Schedule::Descending),
                ("round-robin", Schedule::RoundRobin),
                ("random", Schedule::Random(1)),
            ];
            let schedule = choose(value, &choices)?;
            if schedule == Schedule::Random(1) {
                args.remarks.push(
                    "the seed of the random schedule is 1; `random:SEED` chooses another"
                        .to_owned(),
                );
            }
            schedule
        }
    };
    Ok(())
}

fn timeout(args: &mut Args, value: &str) -> Result<(), String> {
    let seconds: f64 = value.parse().map_err(|_| format!("`{value}` is no number of seconds"))?;
    let timeout = Duration::try_from_secs_f64(seconds)
        .map_err(|_| format!("`{value}` is no number of seconds"))?;
    args.timeout = Some(timeout);
    Ok(())
}

fn format(args: &mut Args, value: &str) -> Result<(), String> {
    if matches!(args.command, Command::Test | Command::Merge) {
        args.test.format = choose(value, &crate::test::Format::NAMES)?;
        return Ok(());
    }
    let all = [
        ("text", Output::Text),
        ("json", Output::Json),
        ("github", Output::Github),
        ("sarif", Output::Sarif),
        ("junit", Output::Junit),
    ];
    let choices = match args.command {
        Command::San => &all[..],
        Command::Check => &all[..4],
        _ => &all[..2],
    };
    args.output = choose(value, choices)?;
    args.spirv.format_given = true;
    Ok(())
}

fn profile(args: &mut Args, value: &str) -> Result<(), String> {
    let stages = [
        ("cs", Stage::Compute),
        ("ps", Stage::Pixel),
        ("vs", Stage::Vertex),
        ("gs", Stage::Geometry),
        ("hs", Stage::Hull),
        ("ds", Stage::Domain),
        ("ms", Stage::Mesh),
        ("as", Stage::Amplification),
        ("lib", Stage::Library),
    ];
    let form = "a profile looks like cs_6_6";
    let [stage, major, minor] = value.split('_').collect::<Vec<_>>()[..] else {
        return Err(form.to_owned());
    };
    args.options.stage = choose(stage, &stages)?;
    let highest = ShaderModel::HIGHEST;
    let minor =
        if minor == "x" { u32::from(highest.minor) } else { minor.parse().map_err(|_| form)? };
    if major.parse() != Ok(u32::from(highest.major)) || minor > u32::from(highest.minor) {
        return Err(format!("the shader models are 6.0 to {highest}"));
    }
    args.options.shader_model = (u32::from(highest.major), minor);
    Ok(())
}

fn constant(args: &mut Args, value: &str) -> Result<(), String> {
    let (id, value) = pair(value)?;
    let id = id.parse().map_err(|_| format!("`{id}` is no number of a constant"))?;
    let (ty, text) = match value.split_once(':') {
        Some((ty, text)) => (ty, text.trim()),
        None => (if value.contains(['.', 'e']) { "f32" } else { "i32" }, value.trim()),
    };
    let wrong = || format!("`{text}` is no value of type {ty}");
    let float = || text.parse::<f64>().map_err(|_| wrong());
    let bits = match (ty, text) {
        ("i32" | "bool", "true") => 1,
        ("i32" | "bool", "false") => 0,
        ("f16", _) => device::F16::from_f64(float()?).0.into(),
        ("f32", _) => u64::from((float()? as f32).to_bits()),
        ("f64", _) => float()?.to_bits(),
        ("bool" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64", _) => {
            let (digits, radix) = match text.strip_prefix("0x") {
                Some(digits) => (digits, 16),
                None => (text, 10),
            };
            i128::from_str_radix(digits, radix).map_err(|_| wrong())? as u64
        }
        _ => return Err(format!("`{ty}` is none of bool i16 u16 f16 i32 u32 f32 i64 u64 f64")),
    };
    args.options.specialization.push((id, bits));
    Ok(())
}

fn warning(args: &mut Args, value: &str) -> Result<(), String> {
    if let Some(remark) = args.warnings.read(value) {
        args.remarks.push(remark);
    }
    Ok(())
}

fn caps(args: &mut Args, value: &str) -> Result<(), String> {
    for item in value.split(',') {
        let (cap, value) = item.split_once('=').ok_or("the form is CAP=VALUE")?;
        cap_value(args, cap.trim(), value.trim())?;
    }
    Ok(())
}

fn cap_value(args: &mut Args, cap: &str, value: &str) -> Result<(), String> {
    const NAMES: [&str; 7] = ["wave-ops", "lanes", "total-lanes", "sm", "int64", "16bit", "double"];
    let adapter = &mut args.adapter;
    let switch = || choose(value, &[("on", true), ("off", false)]);
    match cap {
        "wave-ops" => adapter.options1.wave_ops = switch()?,
        "lanes" => adapter.options1.wave_lane_count = range(value)?,
        "total-lanes" => adapter.options1.total_lane_count = number(value)?,
        "int64" => adapter.options1.int64_shader_ops = switch()?,
        "16bit" => adapter.options4.native_16bit_shader_ops = switch()?,
        "double" => adapter.double_precision_float_shader_ops = switch()?,
        "sm" => {
            let highest = ShaderModel::HIGHEST;
            let parts = value
                .split_once(['.', '_'])
                .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            let model = parts.map(|(major, minor)| ShaderModel { major, minor });
            let model = model.filter(|it| it.major == highest.major && it.minor <= highest.minor);
            adapter.shader_model =
                model.ok_or_else(|| format!("the shader models are 6.0 to {highest}"))?;
        }
        _ => {
            let near =
                diag::most_similar(cap, NAMES).or(cap.starts_with("wave").then_some("wave-ops"));
            let near = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
            return Err(format!("there is no cap `{cap}`{near}; they are {}", NAMES.join(", ")));
        }
    }
    adapter.name = "custom".to_owned();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_unique_and_every_shown_flag_has_help() {
        let mut names: Vec<&str> = ALL.iter().flat_map(|it| it.names.iter().copied()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|it| it[0] != it[1]));
        for flag in ALL {
            assert!(flag.section == Section::Ignored || !flag.help.is_empty(), "{}", flag.names[0]);
            assert!(flag.help.lines().all(|it| it.len() <= 80), "{}", flag.names[0]);
        }
    }
}
