//! The flags that only `wavelane diff` knows.

use super::{Flag, Section, TAKES_MODULES, Takes};
use crate::command::Command;

pub(super) const ENGINES: Flag = Flag {
    names: &["--engines"],
    takes: Takes::Value("LIST"),
    on: &[Command::Diff, Command::Fuzz, Command::Campaign],
    section: Section::Device,
    help: "the engines to compare with interp, the reference engine: cpu, cpu:avx2, vulkan,\n\
           vulkan:DEVICE by number or a part of its name, any number of times\n\
           (interp,cpu, and vulkan where a device can be used)",
    set: |args, value| {
        args.engines = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const SPIRV: Flag = Flag {
    names: &["--spirv"],
    takes: Takes::Value("FILE"),
    on: TAKES_MODULES,
    section: Section::Device,
    help: "run this module, which another compiler made of the same shader, on the\n\
           device of vulkan beside wavelane's own; bench measures both in turns, and\n\
           says whether their results are the same",
    set: |args, value| {
        args.module = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const PTX: Flag = Flag {
    names: &["--ptx"],
    takes: Takes::Value("FILE"),
    on: TAKES_MODULES,
    section: Section::Device,
    help: "the same with a kernel in PTX, on the device of cuda: nvcc's, with the addresses\n\
           of all resources in their order, or Slang's",
    set: |args, value| {
        args.module = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const REPRO: Flag = Flag {
    names: &["--repro"],
    takes: Takes::Value("FILE"),
    on: &[Command::Diff],
    section: Section::Output,
    help: "write the `.test` file that shows a disagreement to FILE, further ones to FILE-2\n\
           and so on; without it, to an unused name in this folder",
    set: |args, value| {
        args.repro = Some(value.to_owned());
        Ok(())
    },
};
