//! The flags that choose the engine and the device.

use wavelane::{CpuOptions, Engine, JitLevel, RayQueries};

use super::values::{caps, choose, golden};
use super::{
    Flag, HAS_WORKERS, KNOWS_CAPS, READS_PROJECT, RUNS_JOBS, RUNS_ON_AN_ENGINE, RUNS_ON_DEVICES,
    Section, Takes, diff,
};
use crate::command::Command;

/// What runs on devices, and what is emitted for them.
const TRACES: &[Command] =
    &[Command::Run, Command::Test, Command::Bench, Command::Diff, Command::Reduce, Command::Emit];

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        names: &["--profile"],
        takes: Takes::Value("directx|vulkan|wavelane"),
        on: RUNS_JOBS,
        section: Section::Device,
        help: "whose features tests find here (directx); wavelane is directx with wavelane's\n\
               extensions of the job format, such as `Raster`",
        set: |args, value| {
            let choices = [
                ("directx", jobs::Api::DirectX),
                ("vulkan", jobs::Api::Vulkan),
                ("wavelane", jobs::Api::Wavelane),
            ];
            args.select.api = choose(value, &choices)?;
            Ok(())
        },
    },
    Flag {
        names: &["--golden"],
        takes: Takes::Value("DIR"),
        on: RUNS_JOBS,
        section: Section::Device,
        help: "the folder of golden images, which tests call `%goldenimage_dir`; without\n\
               it, tests that need one are unsupported",
        set: |args, value| {
            args.select.golden = Some(golden(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--features"],
        takes: Takes::Nothing,
        on: &[Command::Test],
        section: Section::Device,
        help: "show the features that tests may require, and run nothing",
        set: |args, _| {
            args.show_features = true;
            Ok(())
        },
    },
    Flag {
        names: &["--worker"],
        takes: Takes::Nothing,
        on: HAS_WORKERS,
        section: Section::Ignored,
        help: "",
        set: |args, _| {
            args.is_worker = true;
            Ok(())
        },
    },
    Flag {
        names: &["--engine"],
        takes: Takes::Value("NAME"),
        on: RUNS_ON_AN_ENGINE,
        section: Section::Device,
        help: "what runs the lanes: cpu, machine code for this computer, where that is\n\
               possible; interp, the reference engine; vulkan, a GPU through Vulkan; cuda, an\n\
               NVIDIA GPU through CUDA",
        set: |args, value| {
            args.device.engine = Some(choose(value, &Engine::ALL.map(|it| (it.name(), it)))?);
            Ok(())
        },
    },
    diff::ENGINES,
    diff::SPIRV,
    diff::PTX,
    Flag {
        names: &["--verbose"],
        takes: Takes::Nothing,
        on: READS_PROJECT,
        section: Section::Output,
        help: "say which project file was read; for run also which engine runs which waves, and\n\
               why, where it is not the requested one",
        set: |args, _| {
            args.device.verbose = true;
            Ok(())
        },
    },
    Flag {
        names: &["--no-config"],
        takes: Takes::Nothing,
        on: READS_PROJECT,
        section: Section::Run,
        help: "do not read `wavelane.toml`, the project file in this folder or above it",
        set: |args, _| {
            args.no_config = true;
            Ok(())
        },
    },
    Flag {
        names: &["--device"],
        takes: Takes::Value("DEVICE"),
        on: RUNS_ON_DEVICES,
        section: Section::Device,
        help: "the device of the engine vulkan or cuda: its number in `wavelane caps`, or a\n\
               part of its name; by default the first that can be used",
        set: |args, value| {
            args.device.name = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--jit-level"],
        takes: Takes::Value("0..4"),
        on: RUNS_ON_DEVICES,
        section: Section::Device,
        help: "how much the driver optimises kernels of the engine cuda, 4 by default; no level\n\
               may change a result",
        set: |args, value| {
            let level = value.parse().ok().and_then(JitLevel::new);
            args.device.jit_level = level.ok_or("a level is 0, 1, 2, 3 or 4")?;
            Ok(())
        },
    },
    Flag {
        names: &["--cpu"],
        takes: Takes::Value("SET"),
        on: RUNS_ON_DEVICES,
        section: Section::Device,
        help: "the instructions that the engine cpu uses: avx512 or avx2; by default the\n\
               best that the processor has",
        set: |args, value| {
            args.device.isa = Some(choose(value, &wavelane::Isa::ALL.map(|it| (it.name(), it)))?);
            Ok(())
        },
    },
    Flag {
        names: &["--threads"],
        takes: Takes::Value("N"),
        on: RUNS_ON_DEVICES,
        section: Section::Device,
        help: "the number of threads of the engine cpu, 1 by default: with one, groups and\n\
               waves run in their canonical order; with several, --verbose says if a\n\
               program can tell the difference by the results of atomic operations",
        set: |args, value| {
            args.device.threads = match value.parse() {
                Ok(threads @ 1..=CpuOptions::MOST_THREADS) => threads,
                _ => {
                    return Err(format!(
                        "a number of threads is 1 to {}",
                        CpuOptions::MOST_THREADS
                    ));
                }
            };
            Ok(())
        },
    },
    Flag {
        names: &["--rays"],
        takes: Takes::Value("tree|brute"),
        on: RUNS_ON_DEVICES,
        section: Section::Device,
        help: "how ray queries search a scene on the engine interp: by a tree, the default,\n\
               or by trying every primitive, which defines what they find",
        set: |args, value| {
            args.device.brute_rays = choose(value, &[("tree", false), ("brute", true)])?;
            Ok(())
        },
    },
    Flag {
        names: &["--ray-query"],
        takes: Takes::Value("native|software"),
        on: TRACES,
        section: Section::Device,
        help: "how ray queries run on the engine vulkan, and what emit writes: by instructions\n\
               of the device, the default, or by a search in the shader, which only needs\n\
               64-bit floats and gives the bits of the reference engine",
        set: |args, value| {
            let choices = [("native", RayQueries::Native), ("software", RayQueries::Software)];
            args.device.ray_queries = choose(value, &choices)?;
            Ok(())
        },
    },
    Flag {
        names: &["--caps"],
        takes: Takes::Values("CAP=VALUE,…"),
        on: KNOWS_CAPS,
        section: Section::Device,
        help: "the features of the device: wave-ops=on|off, lanes=32..64, total-lanes=N,\n\
               sm=6.5, int64=on|off, 16bit=on|off, double=on|off, groupshared=BYTES,\n\
               rays=on|off, feedback=none|0.9|1.0",
        set: caps,
    },
];
