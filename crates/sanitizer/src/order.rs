//! The orders that the language leaves open, one at a time: how threads are assigned to lanes, how waves and groups
//! take turns, how a wave sums floats. Each has a spelling with which a run can be repeated.

use std::fmt;

use interp::{Progress, Variation};
use ir::Module;
use ir::exec::{LaneOrder, Launch, Schedule};
use ops::wave::FoldOrder;

/// One variation of the order of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Lanes(LaneOrder),
    Waves(Schedule),
    /// Another wave runs right after each operation that can let it go on.
    HandOver,
    Folds(FoldOrder),
}

impl Order {
    /// The spellings that [`Order::parse`] knows.
    pub const SPELLINGS: &str = "lanes=linear|quad2d|morton|random:SEED, \
        waves=ascending|descending|round-robin|hand-over|random:SEED, folds=ascending|descending|pairs";

    /// Parses `lanes=random:3` and the like.
    pub fn parse(text: &str) -> Option<Order> {
        let (what, value) = text.split_once('=')?;
        let seed = || value.strip_prefix("random:")?.parse().ok();
        Some(match (what, value) {
            ("lanes", "linear") => Order::Lanes(LaneOrder::Linear),
            ("lanes", "quad2d") => Order::Lanes(LaneOrder::Quad2d),
            ("lanes", "morton") => Order::Lanes(LaneOrder::Morton),
            ("lanes", _) => Order::Lanes(LaneOrder::Random(seed()?)),
            ("waves", "ascending") => Order::Waves(Schedule::Ascending),
            ("waves", "descending") => Order::Waves(Schedule::Descending),
            ("waves", "round-robin") => Order::Waves(Schedule::RoundRobin),
            ("waves", "hand-over") => Order::HandOver,
            ("waves", _) => Order::Waves(Schedule::Random(seed()?)),
            ("folds", word) => {
                Order::Folds(FoldOrder::ALL.into_iter().find(|it| it.word() == word)?)
            }
            _ => return None,
        })
    }

    /// The seed of a random order.
    pub fn seed(self) -> Option<u64> {
        match self {
            Order::Lanes(LaneOrder::Random(seed)) | Order::Waves(Schedule::Random(seed)) => {
                Some(seed)
            }
            Order::Lanes(_) | Order::Waves(_) | Order::HandOver | Order::Folds(_) => None,
        }
    }

    /// The dependence of a result that differs in this order.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Order::Lanes(_) => "the order in which threads are assigned to lanes",
            Order::Waves(_) | Order::HandOver => "the order in which waves and groups run",
            Order::Folds(_) => "the order in which a wave sums floats",
        }
    }

    /// The launch in this order.
    pub(crate) fn apply(self, launch: &Launch, progress: Progress) -> (Launch, Variation) {
        let mut launch = launch.clone();
        let mut variation = Variation { progress, ..Variation::default() };
        match self {
            Order::Lanes(order) => launch.lane_order = order,
            Order::Waves(schedule) => launch.schedule = schedule,
            Order::HandOver => variation.hands_over = true,
            Order::Folds(folds) => variation.folds = folds,
        }
        (launch, variation)
    }

    /// Whether the order can make a difference for a module in this launch.
    pub(crate) fn matters(self, module: &Module, launch: &Launch) -> bool {
        match self {
            Order::Lanes(order) => {
                let deal = |order| ir::deal(module.group_size, order);
                (module.needs.wave_ops || module.needs.quads)
                    && deal(order) != deal(launch.lane_order)
            }
            Order::Waves(schedule) => schedule != launch.schedule && has_waves(module, launch),
            Order::HandOver => has_waves(module, launch) && hands_over(module),
            Order::Folds(order) => order != FoldOrder::Canonical && sums_floats(module),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Lanes(LaneOrder::Linear) => f.write_str("lanes=linear"),
            Order::Lanes(LaneOrder::Quad2d) => f.write_str("lanes=quad2d"),
            Order::Lanes(LaneOrder::Morton) => f.write_str("lanes=morton"),
            Order::Lanes(LaneOrder::Random(seed)) => write!(f, "lanes=random:{seed}"),
            Order::Waves(Schedule::Ascending) => f.write_str("waves=ascending"),
            Order::Waves(Schedule::Descending) => f.write_str("waves=descending"),
            Order::Waves(Schedule::RoundRobin) => f.write_str("waves=round-robin"),
            Order::Waves(Schedule::Random(seed)) => write!(f, "waves=random:{seed}"),
            Order::HandOver => f.write_str("waves=hand-over"),
            Order::Folds(order) => write!(f, "folds={}", order.word()),
        }
    }
}

/// Whether there is more than one wave.
fn has_waves(module: &Module, launch: &Launch) -> bool {
    let groups = launch.groups();
    let threads: u64 = module.group_size.iter().map(|it| u64::from(*it)).product();
    threads > u64::from(launch.wave_width) || groups.iter().any(|it| *it > 1)
}

/// Whether waves can wait for each other, other than at barriers.
fn hands_over(module: &Module) -> bool {
    module.insts.iter().any(|it| it.op.effects().is_atomic())
        || module.resources.iter().any(|it| it.globally_coherent)
}

fn sums_floats(module: &Module) -> bool {
    module.insts.iter().any(|it| match &it.op {
        ir::Op::Wave { op, args, .. } => {
            args.first().is_some_and(|first| op.depends_on_order(module.ty(*first)))
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_round_trip() {
        for text in [
            "lanes=linear",
            "lanes=quad2d",
            "lanes=morton",
            "lanes=random:7",
            "waves=ascending",
            "waves=descending",
            "waves=round-robin",
            "waves=random:3",
            "waves=hand-over",
            "folds=pairs",
        ] {
            assert_eq!(Order::parse(text).map(|it| it.to_string()).as_deref(), Some(text));
        }
        for text in ["lanes", "lanes=", "waves=random:", "folds=upwards", "x=linear"] {
            assert_eq!(Order::parse(text), None, "{text}");
        }
    }
}
