//! The flags that say how much `wavelane san` tries, and what it assumes.

use wavelane::internal::{ExitedThreads, FloatRoom, Order, Progress, Publication, Reconvergence};

use super::values::{choose, number};
use super::{COMPARES, EXAMINES, Flag, Section, Takes};
use crate::command::Command;

pub(super) const THOROUGH: Flag = Flag {
    names: &["--thorough"],
    takes: Takes::Nothing,
    on: &[Command::San],
    section: Section::Run,
    help: "try more orders, watch the runs in all of them, and shuffle the lanes of groups\n\
           of one dimension, too; hardly any scan is correct under that",
    set: |args, _| {
        args.san.thorough = true;
        Ok(())
    },
};

pub(super) const QUICK: Flag = Flag {
    names: &["--quick"],
    takes: Takes::Nothing,
    on: &[Command::San],
    section: Section::Run,
    help: "only the smallest and the largest width, each with one other order; for use at\n\
           every save of a file",
    set: |args, _| {
        args.san.quick = true;
        Ok(())
    },
};

/// Those of `--orders all`.
const ALL_ORDERS: &str =
    "lanes=morton,lanes=random:1,waves=descending,waves=round-robin,waves=random:1";

pub(super) const ORDERS: Flag = Flag {
    names: &["--orders"],
    takes: Takes::Value("LIST"),
    on: &[Command::San, Command::Campaign],
    section: Section::Run,
    help: "the orders to compare with instead of the default ones: none, all, or of\n\
           lanes=linear|quad2d|morton|random:SEED,\n\
           waves=ascending|descending|round-robin|hand-over|random:SEED,\n\
           folds=ascending|descending|pairs, groups=in-order|reverse,\n\
           group-waves=sparse",
    set: |args, value| {
        let order = |text: &str| {
            Order::parse(text).ok_or_else(|| {
                format!("`{text}` is not an order; the orders are {}", Order::SPELLINGS)
            })
        };
        let list = match value {
            "none" => Ok(Vec::new()),
            "all" => ALL_ORDERS.split(',').map(order).collect(),
            list => list.split(',').map(order).collect(),
        };
        args.san.orders = Some(list?);
        Ok(())
    },
};

pub(super) const FLOAT_ULP: Flag = Flag {
    names: &["--float-ulp"],
    takes: Takes::Value("N"),
    on: COMPARES,
    section: Section::Run,
    help: "floats at most N representable numbers apart count as equal\n\
           (without it, san allows one part in 1024, and diff and bench nothing)",
    set: |args, value| {
        args.san.float_room = Some(FloatRoom::Ulps(u64::from(number(value)?)));
        Ok(())
    },
};

pub(super) const EXITED_THREADS: Flag = Flag {
    names: &["--exited-threads"],
    takes: Takes::Value("HOW"),
    on: EXAMINES,
    section: Section::Run,
    help: "how threads that have returned count at a barrier: arrived, missing\n\
           (arrived)",
    set: |args, value| {
        args.san.exited = choose(value, &ExitedThreads::NAMES)?;
        Ok(())
    },
};

pub(super) const PUBLICATION: Flag = Flag {
    names: &["--publication"],
    takes: Takes::Value("RULE"),
    on: &[Command::San],
    section: Section::Run,
    help: "what makes a value visible to a wave that has seen a flag: plain, the flag\n\
           itself; strict, a device memory barrier before it (plain)",
    set: |args, value| {
        args.san.publication = choose(value, &Publication::NAMES)?;
        Ok(())
    },
};

pub(super) const RECONVERGENCE: Flag = Flag {
    names: &["--reconvergence"],
    takes: Takes::Value("RULE"),
    on: &[Command::San],
    section: Section::Run,
    help: "what makes lanes reconverge: maximal, every construct, as in HLSL; spirv,\n\
           only constructs that the whole wave enters and leaves together; independent,\n\
           only barriers (maximal). Wave operations that rely on more are reported",
    set: |args, value| {
        args.san.reconvergence = choose(value, &Reconvergence::NAMES)?;
        Ok(())
    },
};

pub(super) const PROGRESS: Flag = Flag {
    names: &["--progress"],
    takes: Takes::Value("MODEL"),
    on: EXAMINES,
    section: Section::Run,
    help: "which waves make progress while others wait in a loop: lockstep, waves and\n\
           groups that have started; concurrent, of all groups; occupancy-bound, of\n\
           one group at a time; fair, every lane (lockstep)",
    set: |args, value| {
        args.san.progress = choose(value, &Progress::NAMES)?;
        Ok(())
    },
};

pub(super) const UNIFORM_LANE_INDEX: Flag = Flag {
    names: &["--uniform-lane-index"],
    takes: Takes::Nothing,
    on: &[Command::San],
    section: Section::Run,
    help: "report lanes that read different lanes in one operation",
    set: |args, _| {
        args.san.uniform_lane_index = true;
        Ok(())
    },
};

pub(super) const FEEDBACK: Flag = Flag {
    names: &["--feedback"],
    takes: Takes::Nothing,
    on: &[Command::San],
    section: Section::Run,
    help: "name the texels of feedback maps that devices may report differently, and why",
    set: |args, _| {
        args.san.feedback_slack = true;
        Ok(())
    },
};
