//! The orders that the language leaves open, one at a time: how threads are assigned to lanes, how waves and groups
//! take turns, how a wave sums floats. Each has a spelling with which a run can be repeated.

use std::fmt;

use interp::{CoarseDerivatives, HelperPolicy, Progress, Variation};
use ir::Module;
use ir::exec::{LaneOrder, Launch, Schedule};
use ops::ray::{BoxSize, Edges, Order as Candidates, Search, Ties};
use ops::wave::FoldOrder;

use crate::finding::Kind;

/// One variation of the order of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Lanes(LaneOrder),
    Waves(Schedule),
    /// Another wave runs right after each operation that can let it proceed.
    HandOver,
    /// One group runs at a time.
    Groups(GroupOrder),
    /// Each group has twice as many waves, of which every other one is empty.
    SparseWaves,
    Folds(FoldOrder),
    // The rest is about draws.
    /// What helper lanes do.
    Helpers(HelperPolicy),
    /// Which quads share a wave.
    Packing(QuadPacking),
    /// Whether quads begin at odd coordinates, in x and y.
    QuadOrigin([bool; 2]),
    /// What coarse derivatives compare.
    Coarse(CoarseDerivatives),
    /// Depth and stencil are tested before the pixel shader runs, although it does not ask for it.
    EarlyDepth,
    /// Which samples an alpha leaves.
    AlphaSamples(AlphaSamples),
    /// Which vertices share a wave, and how often each runs.
    Vertices(VertexOrder),
    /// Which control points, patches and points of a domain share a wave.
    Patches(LanePacking),
    /// Which primitives share a wave of a geometry shader.
    Primitives(LanePacking),
    /// The order of the groups that one group of an amplification shader dispatches.
    Children(Schedule),
    /// What ray queries offer, and which hit they commit.
    Rays(RayOrder),
}

/// The order in which groups start, each after the one before it has ended: the least that forward progress between
/// groups may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupOrder {
    Ascending,
    Descending,
}

/// What ray queries offer, and which of several hits they commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RayOrder {
    /// The farthest first.
    Farthest,
    /// By instance, geometry and primitive.
    Index,
    Random(u64),
    /// Candidates that may be offered more than once are offered twice.
    Twice,
    /// Boxes are enlarged by this percentage.
    Boxes(u32),
    /// All boxes of an instance.
    AllBoxes,
    /// Of equally near hits, the last.
    Ties,
    /// On the edge between two triangles, the other one.
    Edges,
}

impl RayOrder {
    /// The search that gives these answers.
    pub(crate) fn search(self) -> Search {
        let mut search = Search::default();
        let it = &mut search.admissible;
        match self {
            RayOrder::Farthest => it.order = Candidates::Farthest,
            RayOrder::Index => it.order = Candidates::Index,
            RayOrder::Random(seed) => it.order = Candidates::Random(seed),
            RayOrder::Twice => it.duplicates = true,
            RayOrder::Boxes(percent) => it.boxes = BoxSize::Enlarged(percent),
            RayOrder::AllBoxes => it.boxes = BoxSize::All,
            RayOrder::Ties => it.ties = Ties::Greatest,
            RayOrder::Edges => it.edges = Edges::Mirrored,
        }
        search
    }

    /// The order whose search this is; `None` for the canonical one.
    pub(crate) fn of(search: &Search) -> Option<RayOrder> {
        if let Candidates::Random(seed) = search.admissible.order {
            return Some(RayOrder::Random(seed));
        }
        OF_RAYS.into_iter().find(|it| it.search() == *search)
    }

    /// Whether only hits at the same distance come in another order.
    fn is_tie(self) -> bool {
        matches!(self, RayOrder::Ties | RayOrder::Edges)
    }
}

/// Which quads share a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuadPacking {
    /// Those of one primitive.
    PerPrimitive,
    /// None: each has a separate wave.
    OneQuad,
}

/// Which samples an alpha leaves, other than the first ones; their number is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaSamples {
    Last,
    /// Others in each pixel and for each number.
    Dithered,
}

/// Which vertices share a wave, and how often each runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexOrder {
    /// In order over all instances, one lane for each index.
    #[default]
    Dense,
    /// In order; a wave holds those of one instance.
    PerInstance,
    /// In order; a vertex with several indices runs once in each instance.
    Reuse,
    Random(u64),
}

/// Which lanes of a stage behind the vertex shader share a wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LanePacking {
    /// In order, over all patches or primitives.
    #[default]
    Dense,
    /// In order; a wave holds those of one patch or primitive.
    Apart,
    /// None: each has a separate wave, as the last one of a draw may have anywhere.
    OneLane,
    Random(u64),
}

impl Order {
    /// The spellings that [`Order::parse`] knows.
    pub const SPELLINGS: &str = "lanes=linear|quad2d|morton|random:SEED, \
        waves=ascending|descending|round-robin|hand-over|random:SEED, folds=ascending|descending|pairs, \
        groups=in-order|reverse, group-waves=sparse, \
        rays=farthest|index|random:SEED|twice|boxes-1|boxes-10|boxes-all|ties|edges; \
        in draws waves, folds, helpers=none|included, packing=per-primitive|one-quad, \
        quad-origin=01|10|11, coarse=lower|right|fine, early-z, alpha-samples=last|dithered, \
        vertices=per-instance|reuse|random:SEED, patches=per-patch|one-lane|random:SEED, \
        primitives=per-primitive|one-lane|random:SEED, children=descending|random:SEED";

    /// Parses `lanes=random:3` and the like.
    pub fn parse(text: &str) -> Option<Order> {
        if text == "early-z" {
            return Some(Order::EarlyDepth);
        }
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
            ("groups", "in-order") => Order::Groups(GroupOrder::Ascending),
            ("groups", "reverse") => Order::Groups(GroupOrder::Descending),
            ("group-waves", "sparse") => Order::SparseWaves,
            ("rays", _) if value.starts_with("random:") => Order::Rays(RayOrder::Random(seed()?)),
            ("rays", _) => Order::of_rays().find(|it| it.to_string() == text)?,
            ("folds", word) => {
                Order::Folds(FoldOrder::ALL.into_iter().find(|it| it.word() == word)?)
            }
            ("vertices", _) if value.starts_with("random:") => {
                Order::Vertices(VertexOrder::Random(seed()?))
            }
            ("patches", _) if value.starts_with("random:") => {
                Order::Patches(LanePacking::Random(seed()?))
            }
            ("primitives", _) if value.starts_with("random:") => {
                Order::Primitives(LanePacking::Random(seed()?))
            }
            ("children", _) if value.starts_with("random:") => {
                Order::Children(Schedule::Random(seed()?))
            }
            _ => OF_DRAWS.into_iter().find(|it| it.to_string() == text)?,
        })
    }

    /// Whether groups start only after others have ended.
    pub(crate) fn is_of_groups(self) -> bool {
        matches!(self, Order::Groups(_))
    }

    /// The seed of a random order.
    pub fn seed(self) -> Option<u64> {
        match self {
            Order::Lanes(LaneOrder::Random(seed))
            | Order::Waves(Schedule::Random(seed))
            | Order::Vertices(VertexOrder::Random(seed))
            | Order::Patches(LanePacking::Random(seed))
            | Order::Primitives(LanePacking::Random(seed))
            | Order::Children(Schedule::Random(seed))
            | Order::Rays(RayOrder::Random(seed)) => Some(seed),
            _ => None,
        }
    }

    /// The orders of ray queries, except random ones.
    pub(crate) fn of_rays() -> impl Iterator<Item = Order> {
        OF_RAYS.into_iter().map(Order::Rays)
    }

    /// The kind of finding about a result that differs in this order. `permuted`: its elements come in another order.
    pub(crate) fn finding(self, permuted: bool) -> Kind {
        match self {
            Order::Rays(order) if order.is_tie() => Kind::RayTie,
            Order::Rays(_) => Kind::CandidateDependentResult,
            Order::SparseWaves => Kind::DependsOnWaveCount,
            _ if permuted => Kind::PermutedResult,
            _ => Kind::OrderDependentResult,
        }
    }

    /// The orders that draws have and dispatches do not, except random ones.
    pub(crate) fn of_draws() -> impl Iterator<Item = Order> {
        OF_DRAWS.into_iter()
    }

    /// The dependence of a result that differs in this order.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Order::Lanes(_) => "the order in which threads are assigned to lanes",
            Order::Waves(_) | Order::HandOver | Order::Groups(_) => {
                "the order in which waves and groups run"
            }
            Order::SparseWaves => "how many waves a group has",
            Order::Folds(_) => "the order in which a wave sums floats",
            Order::Helpers(_) => "what helper lanes do",
            Order::Packing(_) => "which quads share a wave",
            Order::QuadOrigin(_) => "which pixels form a quad",
            Order::Coarse(_) => "which lanes a coarse derivative compares",
            Order::EarlyDepth => "whether hidden pixels are dropped before the pixel shader",
            Order::AlphaSamples(_) => "which samples an alpha leaves",
            Order::Vertices(_) => "which vertices share a wave, and how often each runs",
            Order::Patches(_) => {
                "which control points, patches and points of a domain share a wave"
            }
            Order::Primitives(_) => "which primitives share a wave",
            Order::Children(_) => "the order of the groups that an amplification shader dispatches",
            Order::Rays(order) if order.is_tie() => "which of two equally near hits wins",
            Order::Rays(RayOrder::Twice) => "how often a candidate is offered",
            Order::Rays(RayOrder::Boxes(_) | RayOrder::AllBoxes) => {
                "which boxes are offered for a ray"
            }
            Order::Rays(_) => "the order of candidates",
        }
    }

    /// The name of what an order of this kind is varied from, if it has one.
    pub(crate) fn canonical(self, launch: &Launch) -> Option<String> {
        let order = match self {
            Order::Waves(_) | Order::HandOver | Order::Groups(_) => Order::Waves(launch.schedule),
            Order::Lanes(_) => Order::Lanes(launch.lane_order),
            Order::Folds(_) => Order::Folds(FoldOrder::Canonical),
            Order::Rays(_) => return Some("rays=nearest".to_owned()),
            _ => return None,
        };
        Some(order.to_string())
    }

    /// The launch in this order.
    pub(crate) fn apply(self, launch: &Launch, progress: Progress) -> (Launch, Variation) {
        let mut launch = launch.clone();
        let mut variation = Variation { progress, ..Variation::default() };
        match self {
            Order::Lanes(order) => launch.lane_order = order,
            Order::Waves(schedule) => launch.schedule = schedule,
            Order::HandOver => variation.hands_over = true,
            Order::Groups(order) => {
                variation.progress = Progress::OccupancyBound;
                launch.schedule = order.schedule();
            }
            Order::SparseWaves => variation.sparse_waves = true,
            Order::Folds(folds) => variation.folds = folds,
            // Of draws only.
            Order::Helpers(helpers) => variation.helpers = helpers,
            Order::Coarse(coarse) => variation.coarse = coarse,
            Order::Packing(_)
            | Order::QuadOrigin(_)
            | Order::EarlyDepth
            | Order::AlphaSamples(_)
            | Order::Vertices(_)
            | Order::Patches(_)
            | Order::Primitives(_)
            | Order::Children(_) => {}
            Order::Rays(order) => variation.search = order.search(),
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
            Order::Groups(_) => launch.groups().iter().any(|it| *it > 1) && hands_over(module),
            Order::SparseWaves => counts_waves(module),
            Order::Folds(order) => order != FoldOrder::Canonical && sums_floats(module),
            Order::Rays(_) => !module.queries.is_empty(),
            Order::Helpers(_)
            | Order::Packing(_)
            | Order::QuadOrigin(_)
            | Order::Coarse(_)
            | Order::EarlyDepth
            | Order::AlphaSamples(_)
            | Order::Vertices(_)
            | Order::Patches(_)
            | Order::Primitives(_)
            | Order::Children(_) => false,
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
            Order::Groups(GroupOrder::Ascending) => f.write_str("groups=in-order"),
            Order::Groups(GroupOrder::Descending) => f.write_str("groups=reverse"),
            Order::SparseWaves => f.write_str("group-waves=sparse"),
            Order::Folds(order) => write!(f, "folds={}", order.word()),
            Order::Helpers(HelperPolicy::Specified) => f.write_str("helpers=spec"),
            Order::Helpers(HelperPolicy::Included) => f.write_str("helpers=included"),
            Order::Helpers(HelperPolicy::None) => f.write_str("helpers=none"),
            Order::Packing(QuadPacking::PerPrimitive) => f.write_str("packing=per-primitive"),
            Order::Packing(QuadPacking::OneQuad) => f.write_str("packing=one-quad"),
            Order::QuadOrigin([x, y]) => {
                write!(f, "quad-origin={}{}", u8::from(*x), u8::from(*y))
            }
            Order::Coarse(CoarseDerivatives::UpperLeft) => f.write_str("coarse=upper-left"),
            Order::Coarse(CoarseDerivatives::LowerRow) => f.write_str("coarse=lower"),
            Order::Coarse(CoarseDerivatives::RightColumn) => f.write_str("coarse=right"),
            Order::Coarse(CoarseDerivatives::Fine) => f.write_str("coarse=fine"),
            Order::EarlyDepth => f.write_str("early-z"),
            Order::AlphaSamples(AlphaSamples::Last) => f.write_str("alpha-samples=last"),
            Order::AlphaSamples(AlphaSamples::Dithered) => f.write_str("alpha-samples=dithered"),
            Order::Vertices(VertexOrder::Dense) => f.write_str("vertices=dense"),
            Order::Vertices(VertexOrder::PerInstance) => f.write_str("vertices=per-instance"),
            Order::Vertices(VertexOrder::Reuse) => f.write_str("vertices=reuse"),
            Order::Vertices(VertexOrder::Random(seed)) => write!(f, "vertices=random:{seed}"),
            Order::Patches(LanePacking::Dense) => f.write_str("patches=dense"),
            Order::Patches(LanePacking::Apart) => f.write_str("patches=per-patch"),
            Order::Patches(LanePacking::OneLane) => f.write_str("patches=one-lane"),
            Order::Patches(LanePacking::Random(seed)) => write!(f, "patches=random:{seed}"),
            Order::Primitives(LanePacking::Dense) => f.write_str("primitives=dense"),
            Order::Primitives(LanePacking::Apart) => f.write_str("primitives=per-primitive"),
            Order::Primitives(LanePacking::OneLane) => f.write_str("primitives=one-lane"),
            Order::Primitives(LanePacking::Random(seed)) => write!(f, "primitives=random:{seed}"),
            Order::Children(Schedule::Ascending) => f.write_str("children=ascending"),
            Order::Children(Schedule::Descending) => f.write_str("children=descending"),
            Order::Children(Schedule::RoundRobin) => f.write_str("children=round-robin"),
            Order::Children(Schedule::Random(seed)) => write!(f, "children=random:{seed}"),
            Order::Rays(RayOrder::Farthest) => f.write_str("rays=farthest"),
            Order::Rays(RayOrder::Index) => f.write_str("rays=index"),
            Order::Rays(RayOrder::Random(seed)) => write!(f, "rays=random:{seed}"),
            Order::Rays(RayOrder::Twice) => f.write_str("rays=twice"),
            Order::Rays(RayOrder::Boxes(percent)) => write!(f, "rays=boxes-{percent}"),
            Order::Rays(RayOrder::AllBoxes) => f.write_str("rays=boxes-all"),
            Order::Rays(RayOrder::Ties) => f.write_str("rays=ties"),
            Order::Rays(RayOrder::Edges) => f.write_str("rays=edges"),
        }
    }
}

impl GroupOrder {
    pub(crate) fn schedule(self) -> Schedule {
        match self {
            GroupOrder::Ascending => Schedule::Ascending,
            GroupOrder::Descending => Schedule::Descending,
        }
    }
}

/// Whether the program reads the index or the number of waves in its group.
fn counts_waves(module: &Module) -> bool {
    let counts = |op: &ir::Op| matches!(op, ir::Op::Wave { op, .. } if op.is_about_group());
    module.insts.iter().any(|it| counts(&it.op))
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

const OF_RAYS: [RayOrder; 8] = [
    RayOrder::Farthest,
    RayOrder::Index,
    RayOrder::Twice,
    RayOrder::Boxes(1),
    RayOrder::Boxes(10),
    RayOrder::AllBoxes,
    RayOrder::Ties,
    RayOrder::Edges,
];

const OF_DRAWS: [Order; 20] = [
    Order::Helpers(HelperPolicy::None),
    Order::Helpers(HelperPolicy::Included),
    Order::Packing(QuadPacking::PerPrimitive),
    Order::Packing(QuadPacking::OneQuad),
    Order::EarlyDepth,
    Order::QuadOrigin([true, false]),
    Order::QuadOrigin([false, true]),
    Order::QuadOrigin([true, true]),
    Order::Coarse(CoarseDerivatives::LowerRow),
    Order::Coarse(CoarseDerivatives::RightColumn),
    Order::Coarse(CoarseDerivatives::Fine),
    Order::AlphaSamples(AlphaSamples::Last),
    Order::AlphaSamples(AlphaSamples::Dithered),
    Order::Vertices(VertexOrder::PerInstance),
    Order::Vertices(VertexOrder::Reuse),
    Order::Patches(LanePacking::Apart),
    Order::Patches(LanePacking::OneLane),
    Order::Primitives(LanePacking::Apart),
    Order::Primitives(LanePacking::OneLane),
    Order::Children(Schedule::Descending),
];

pub(crate) fn sums_floats(module: &Module) -> bool {
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
            "groups=in-order",
            "groups=reverse",
            "group-waves=sparse",
            "folds=pairs",
            "helpers=included",
            "packing=one-quad",
            "quad-origin=10",
            "coarse=right",
            "early-z",
            "alpha-samples=dithered",
            "vertices=reuse",
            "vertices=random:9",
            "patches=per-patch",
            "patches=one-lane",
            "patches=random:2",
            "primitives=per-primitive",
            "primitives=one-lane",
            "primitives=random:5",
            "children=descending",
            "children=random:6",
            "rays=farthest",
            "rays=boxes-10",
            "rays=random:4",
        ] {
            assert_eq!(Order::parse(text).map(|it| it.to_string()).as_deref(), Some(text));
        }
        for text in
            ["lanes", "lanes=", "waves=random:", "folds=upwards", "x=linear", "quad-origin=00"]
        {
            assert_eq!(Order::parse(text), None, "{text}");
        }
    }
}
