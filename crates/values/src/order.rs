//! The words for orders of lanes, waves and groups: `quad2d`, `round-robin`, `random:7`.

use ir::exec::{LaneOrder, Schedule};

/// The orders in which the threads of a group are assigned to lanes; `random` also takes a seed.
pub const LANE_ORDERS: [(&str, LaneOrder); 4] = [
    ("linear", LaneOrder::Linear),
    ("quad2d", LaneOrder::Quad2d),
    ("morton", LaneOrder::Morton),
    ("random", LaneOrder::Random(1)),
];

/// The orders in which waves and groups run; `random` also takes a seed.
pub const SCHEDULES: [(&str, Schedule); 4] = [
    ("ascending", Schedule::Ascending),
    ("descending", Schedule::Descending),
    ("round-robin", Schedule::RoundRobin),
    ("random", Schedule::Random(1)),
];

/// The seed of `random:7`; `None` if the word is not of that form.
pub fn seed(word: &str) -> Option<Result<u64, String>> {
    let seed = word.strip_prefix("random:")?;
    Some(seed.parse().map_err(|_| format!("`{seed}` is not a number")))
}
