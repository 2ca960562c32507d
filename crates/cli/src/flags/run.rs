//! The flags that say what runs: groups, widths, contents, orders, and which tests.

use std::path::PathBuf;

use wavelane::internal::IntraWaveSync;

use super::values::{
    choose, groups, lane_order, number, pair, schedule, timeout, unsigned, wave_size,
};
use super::{
    COMPARES, EXAMINES, Flag, HAS_ALIASES, HAS_BASELINES, HAS_JOBS, HAS_TIMEOUT, PRINTS, RUNS,
    RUNS_SHADERS, RUNS_TESTS, Section, Takes, auto, bench, draw, san,
};
use crate::asked::Fuel;
use crate::command::Command;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        names: &["--groups"],
        takes: Takes::Value("X[,Y[,Z]]"),
        on: RUNS_SHADERS,
        section: Section::Run,
        help: "the number of thread groups to dispatch (1)",
        set: groups,
    },
    Flag {
        names: &["--wave-size"],
        takes: Takes::Value("W|LIST|all"),
        on: RUNS,
        section: Section::Run,
        help: "lanes in a wave: 4, 8, 16, 32, 64, 128, a list (4,8), a range (4..32),\n\
               or all that the shader and the device allow; several are compared.\n\
               Without it: what `[WaveSize]` prefers, else its smallest;\n\
               without the attribute 32, else the device's smallest;\n\
               for san and test, all;\n\
               for diff, with a GPU, the width that it would run at",
        set: wave_size,
    },
    Flag {
        names: &["--bind"],
        takes: Takes::Values("NAME=VALUE"),
        on: RUNS_SHADERS,
        section: Section::Run,
        help: "the contents of the buffer NAME, or of NAME[k] in a resource array\n\
               or in ResourceDescriptorHeap:\n\
               \x20 u32:1,2,3          a list, its element type first\n\
               \x20 1,2,3              the same where the declaration gives the type\n\
               \x20 f32[16]            16 zeros\n\
               \x20 u32[64]:iota       0, 1, 2, …; also iota(START,STEP)\n\
               \x20 f32[64]:fill(7)    the same number everywhere\n\
               \x20 f32[64]:rand(1)    random by a seed: integers over their range,\n\
               \x20                    floats from 0 to 1; rand(1,9): integers below 9\n\
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
               mirror, border, mirror-once, u= v= w=, less-equal and so on, bias=,\n\
               lod=0..3, border=1/1/1/1\n\
               A feedback map: feedback(T, region=8x8) of the texture bound to T;\n\
               contents follow as for buffers: decoded texels",
        set: |args, value| {
            args.bind.binds.push(pair(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--set"],
        takes: Takes::Values("MEMBER=VALUE"),
        on: RUNS_SHADERS,
        section: Section::Run,
        help: "a member of a constant buffer: Count=5, Dim=16,16,1, Weights[2]=0.5,\n\
               Object.Member=1; matrices row by row",
        set: |args, value| {
            args.bind.sets.push(pair(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--counter"],
        takes: Takes::Values("NAME=N"),
        on: RUNS_SHADERS,
        section: Section::Run,
        help: "the hidden counter of a structured buffer (0)",
        set: |args, value| {
            let (name, count) = pair(value)?;
            args.bind.counters.push((name, unsigned(&count)?));
            Ok(())
        },
    },
    Flag {
        names: &["--alias"],
        takes: Takes::Values("NAME=OTHER"),
        on: HAS_ALIASES,
        section: Section::Run,
        help: "NAME is another name for the memory of the buffer OTHER, which alone is bound",
        set: |args, value| {
            args.bind.aliases.push(pair(value)?);
            Ok(())
        },
    },
    draw::DRAW,
    draw::SIZE,
    draw::VERTEX,
    draw::MESH,
    draw::AMPLIFICATION,
    draw::HULL,
    draw::DOMAIN,
    draw::GEOMETRY,
    draw::TARGET,
    draw::BLEND,
    draw::DEPTH,
    draw::STENCIL,
    draw::RASTER,
    draw::SAMPLES,
    draw::PACKING,
    auto::AUTO,
    auto::BINDINGS,
    Flag {
        names: &["--lane-order"],
        takes: Takes::Value("ORDER"),
        on: RUNS,
        section: Section::Run,
        help: "how threads are assigned to lanes: linear, by SV_GroupIndex; quad2d, in squares\n\
               of 2x2; morton; random[:SEED], quads together.\n\
               Without it: squares where a 2D shader uses quads (from 6.6 on)",
        set: lane_order,
    },
    Flag {
        names: &["--schedule"],
        takes: Takes::Value("ORDER"),
        on: RUNS,
        section: Section::Run,
        help: "the order of waves and groups: ascending (canonical), descending,\n\
               round-robin, random[:SEED]",
        set: schedule,
    },
    Flag {
        names: &["--intra-wave-sync"],
        takes: Takes::Value("RULE"),
        on: EXAMINES,
        section: Section::Run,
        help: "what orders the accesses of the lanes of a wave: lockstep, each instruction;\n\
               waveop, wave operations only; none, barriers only (lockstep)",
        set: |args, value| {
            args.san.sync = choose(value, &IntraWaveSync::NAMES)?;
            Ok(())
        },
    },
    Flag {
        names: &["--width-dependent"],
        takes: Takes::Values("NAME"),
        on: &[Command::San],
        section: Section::Run,
        help: "this buffer is meant to differ with the width; may be repeated",
        set: |args, value| {
            args.san.width_dependent.push(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--unordered"],
        takes: Takes::Values("NAME"),
        on: COMPARES,
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
        on: &[Command::San],
        section: Section::Run,
        help: "try N random orders of waves, groups and lanes at each width (1)",
        set: |args, value| {
            args.san.seeds = Some(u64::from(number(value)?));
            Ok(())
        },
    },
    bench::ROUNDS,
    bench::AGAINST,
    bench::FAIL_ABOVE,
    san::THOROUGH,
    san::QUICK,
    san::PUBLICATION,
    san::ORDERS,
    san::FLOAT_ULP,
    san::EXITED_THREADS,
    san::RECONVERGENCE,
    san::PROGRESS,
    san::UNIFORM_LANE_INDEX,
    san::FEEDBACK,
    Flag {
        names: &["--timeout"],
        takes: Takes::Value("SECONDS"),
        on: HAS_TIMEOUT,
        section: Section::Run,
        help: "end the run, its compilation included, after that time, with exit status 1",
        set: timeout,
    },
    Flag {
        names: &["--timeout"],
        takes: Takes::Value("SECONDS"),
        on: &[Command::Reduce, Command::Fuzz, Command::Campaign],
        section: Section::Run,
        help: "end each call of a command, or run of a program, after that time",
        set: timeout,
    },
    Flag {
        names: &["--fuel"],
        takes: Takes::Value("N|none"),
        on: RUNS,
        section: Section::Run,
        help: "end the run after N wave-instructions, with exit status 1; operations\n\
               that take longer than arithmetic, such as samples, count several times\n\
               (2^32, fewer beyond 32 lanes: endless loops end within about a minute)",
        set: |args, value| {
            args.launch.fuel = match value {
                "none" => Fuel::Endless,
                number => Fuel::Of(unsigned(number)?),
            };
            Ok(())
        },
    },
    Flag {
        names: &["--print-limit"],
        takes: Takes::Value("N"),
        on: PRINTS,
        section: Section::Run,
        help: "keep at most N of the lines that the shader prints (1000)",
        set: |args, value| {
            args.launch.print_limit = number(value)? as usize;
            Ok(())
        },
    },
    Flag {
        names: &["--debugging"],
        takes: Takes::Nothing,
        on: RUNS,
        section: Section::Run,
        help: "`dx::IsDebuggingEnabled()` is true",
        set: |args, _| {
            args.compile.options.debugging = true;
            Ok(())
        },
    },
    Flag {
        names: &["--jobs", "-j"],
        takes: Takes::Value("N"),
        on: HAS_JOBS,
        section: Section::Run,
        help: "the number of processes that run at a time (one for each core)",
        set: |args, value| {
            args.jobs = match number(value)? {
                0 => return Err("expected at least one process".to_owned()),
                jobs => Some(jobs as usize),
            };
            Ok(())
        },
    },
    Flag {
        names: &["--filter"],
        takes: Takes::Values("TEXT"),
        on: RUNS_TESTS,
        section: Section::Run,
        help: "only tests whose names contain TEXT; may be repeated. It is an error if none\n\
               matches",
        set: |args, value| {
            args.select.filters.push(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--partition"],
        takes: Takes::Value("hash:M/N"),
        on: &[Command::Test, Command::Campaign],
        section: Section::Run,
        help: "only part M of N, by the names of tests or units; count:M/N takes every N-th.\n\
               LIT_NUM_SHARDS and LIT_RUN_SHARD in the environment do the latter",
        set: |args, value| {
            args.select.partition = Some(crate::asked::Partition::parse(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--baseline"],
        takes: Takes::Value("FILE"),
        on: HAS_BASELINES,
        section: Section::Run,
        help: "known failures, which do not fail the run: a name or name@width a line;\n\
               a line that fits no test is reported;\n\
               for san known findings: CODE FILE: the line of source, wherever it is",
        set: |args, value| {
            args.baselines.baseline = Some(PathBuf::from(value));
            Ok(())
        },
    },
    Flag {
        names: &["--write-baseline"],
        takes: Takes::Value("FILE"),
        on: HAS_BASELINES,
        section: Section::Run,
        help: "write the failures, or the findings, of this run as a baseline",
        set: |args, value| {
            args.baselines.write_baseline = Some(PathBuf::from(value));
            Ok(())
        },
    },
];
