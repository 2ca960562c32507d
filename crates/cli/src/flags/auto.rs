//! The flags about missing bindings: which resources there are, and made-up contents.

use super::{Flag, RUNS_SHADERS, Section, Takes};
use crate::command::Command;

pub(super) const AUTO: Flag = Flag {
    names: &["--auto"],
    takes: Takes::Optional("SEED"),
    on: RUNS_SHADERS,
    section: Section::Run,
    help: "make up whatever is not bound or set, of the declared types and of sizes\n\
           that fit the dispatch; the report lists it, as flags that repeat it.\n\
           The same SEED (1) makes up the same. With it, san takes a folder and runs\n\
           every compute shader in its .hlsl files",
    set: |args, value| {
        args.bind.auto = Some(match value {
            "" => 1,
            seed => {
                seed.parse().map_err(|_| format!("`{seed}` is not a seed; a seed is an integer"))?
            }
        });
        Ok(())
    },
};

pub(super) const BINDINGS: Flag = Flag {
    names: &["--bindings"],
    takes: Takes::Nothing,
    on: &[Command::Run],
    section: Section::Run,
    help: "run nothing, but list what can be bound: kind, element type, register, members\n\
           with offsets, whether this entry point uses it, and a size that makes sense",
    set: |args, _| {
        args.lists_bindings = true;
        Ok(())
    },
};
