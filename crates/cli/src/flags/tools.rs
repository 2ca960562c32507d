//! The flags that only `wavelane fuzz`, `reduce`, `campaign` and `merge` know.

use super::values::{number, unsigned};
use super::{Commands, Flag, Section, Takes};
use crate::asked::LowArgs;
use crate::command::Command;
use crate::stages::stage_of;

const REDUCE: Commands = &[Command::Reduce];
const FUZZ: Commands = &[Command::Fuzz];
const CAMPAIGN: Commands = &[Command::Campaign];
const GENERATES: Commands = &[Command::Fuzz, Command::Campaign];

const fn flag(
    names: &'static [&'static str],
    takes: Takes,
    on: Commands,
    section: Section,
    help: &'static str,
    set: fn(&mut LowArgs, &str) -> Result<(), String>,
) -> Flag {
    Flag { names, takes, on, section, help, set }
}

fn count(value: &str) -> Result<u64, String> {
    unsigned(&value.replace('_', ""))
}

/// What is kept, and what is generated.
pub(super) const RUN: &[Flag] = &[
    flag(
        &["--keep"],
        Takes::Value("CMD"),
        REDUCE,
        Section::Run,
        "keep programs for which CMD exits with status 0: `sh -c CMD`, on Windows\n\
         `cmd /C CMD`, in a scratch folder that holds the candidate under the name\n\
         of FILE; `{}` is its path",
        |args, value| {
            args.tools.keep = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--keep-finding"],
        Takes::Value("CODE"),
        REDUCE,
        Section::Run,
        "keep programs for which `wavelane san` reports this code, such as race",
        |args, value| {
            args.tools.keep_finding = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--keep-diff"],
        Takes::Value("ENGINE"),
        REDUCE,
        Section::Run,
        "keep programs whose results here differ from those on interp: cpu,\n\
         cpu:avx2, vulkan, vulkan:DEVICE",
        |args, value| {
            args.tools.keep_diff = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--keep-message"],
        Takes::Value("REGEX"),
        REDUCE,
        Section::Run,
        "keep programs for which wavelane, or the command of --by, prints a message\n\
         that REGEX matches",
        |args, value| {
            args.tools.keep_message = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--by"],
        Takes::Value("CMD"),
        REDUCE,
        Section::Run,
        "with --keep-message, the command that prints the message; `{}` is the\n\
         candidate's path",
        |args, value| {
            args.tools.by = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--allow-undefined"],
        Takes::Nothing,
        REDUCE,
        Section::Run,
        "candidates need not compile with wavelane or be defined",
        |args, _| {
            args.tools.allow_undefined = true;
            Ok(())
        },
    ),
    flag(
        &["--attempts"],
        Takes::Value("N"),
        &[Command::Reduce, Command::Fuzz, Command::Campaign],
        Section::Run,
        "test at most N candidates for each reduction; with fuzz and campaign 0 reduces\n\
         nothing",
        |args, value| {
            args.tools.attempts = Some(number(value)? as usize);
            Ok(())
        },
    ),
    flag(
        &["--count"],
        Takes::Value("N"),
        FUZZ,
        Section::Run,
        "the number of programs to generate (1000)",
        |args, value| {
            args.tools.count = Some(count(value)?);
            Ok(())
        },
    ),
    flag(
        &["--seed"],
        Takes::Value("S"),
        GENERATES,
        Section::Run,
        "the seed of the programs (1); program K of a seed is always the same",
        |args, value| {
            args.tools.seed = Some(count(value)?);
            Ok(())
        },
    ),
    flag(
        &["--model"],
        Takes::Value("M.N"),
        GENERATES,
        Section::Run,
        "the shader model of the programs (6.7): functions of later ones are left out",
        |args, value| {
            let form = "a shader model looks like 6.6, from 6.5 on";
            let model =
                wavelane::ShaderModel::parse(value).filter(|it| *it >= wavelane::ShaderModel::V6_5);
            args.tools.model = Some(model.ok_or(form)?);
            Ok(())
        },
    ),
    flag(
        &["--stage"],
        Takes::Value("STAGE"),
        GENERATES,
        Section::Run,
        "the stage of the programs: compute (the default), pixel, or mesh, half of which\n\
         have an amplification shader; pixel and mesh shaders are drawn",
        |args, value| {
            let stage = stage_of(value).ok_or("compute, pixel or mesh")?;
            args.tools.stage = Some(stage);
            Ok(())
        },
    ),
    WIDTHS,
    flag(
        &["--fuzz"],
        Takes::Value("N"),
        CAMPAIGN,
        Section::Run,
        "run N generated programs",
        |args, value| {
            args.tools.fuzz = Some(count(value)?);
            Ok(())
        },
    ),
    flag(
        &["--supervise"],
        Takes::Nothing,
        &[Command::Worker],
        Section::Run,
        "run units in a separate process; a unit that ends it twice has crashed",
        |args, _| {
            args.tools.supervise = true;
            Ok(())
        },
    ),
    flag(
        &["--target"],
        Takes::Value("CMD"),
        FUZZ,
        Section::Device,
        "another compiler: its command line, in which `{in}` is the HLSL to compile,\n\
         `{out}` the SPIR-V to write, `{profile}` the profile, such as cs_6_7, and\n\
         `{entry}` the entry point; split like a shell's words, without a shell",
        |args, value| {
            args.tools.target = Some(value.to_owned());
            Ok(())
        },
    ),
];

/// What is written.
pub(super) const OUTPUT: &[Flag] = &[
    flag(
        &["-o"],
        Takes::Value("FILE"),
        REDUCE,
        Section::Output,
        "write the smallest program found so far to FILE",
        |args, value| {
            args.target_file = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--emit"],
        Takes::Value("DIR"),
        FUZZ,
        Section::Output,
        "write a `.test` file for each program to DIR, with its results at every width",
        |args, value| {
            args.tools.emit = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--save"],
        Takes::Value("DIR"),
        FUZZ,
        Section::Output,
        "write each program that fails to DIR, reduced",
        |args, value| {
            args.tools.save = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--ledger"],
        Takes::Value("FILE"),
        &[Command::Campaign],
        Section::Output,
        "append a record of each unit to FILE; units with a record there are not run\n\
         again (campaign.jsonl)",
        |args, value| {
            args.tools.ledger = Some(value.to_owned());
            Ok(())
        },
    ),
    flag(
        &["--html"],
        Takes::Value("FILE"),
        &[Command::Campaign, Command::Merge],
        Section::Output,
        "write the report of a campaign as one page to FILE, with heat maps",
        |args, value| {
            args.tools.html = Some(value.to_owned());
            Ok(())
        },
    ),
];

/// The same as `--wave-size`, for programs that run at every width.
const WIDTHS: Flag = flag(
    &["--widths"],
    Takes::Value("LIST"),
    GENERATES,
    Section::Run,
    "the lanes of a wave: 4, 8, 16, 32, 64, 128, a list (4,8), or all (all)",
    super::values::wave_size,
);
