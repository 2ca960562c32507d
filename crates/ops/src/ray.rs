//! Inline ray tracing: what a `RayQuery` answers, defined without a tree.
//!
//! - A [`Scene`] is a top-level acceleration structure: instances of [`Bottom`] levels, each built from plain arrays
//!   of triangles or boxes. Both are immutable.
//! - A [`Query`] is the state machine of one lane. [`Query::proceed`] goes through the primitives of a scene in one
//!   fixed order, ascending by distance and then by index, commits opaque triangles and stops at what the shader
//!   must judge.
//! - A [`Search`] says how primitives are found: by a loop over all of them, which is the definition, or by a tree,
//!   which may only leave out what the loop would refuse. It also holds the departures from the canonical answer
//!   that the specification allows ([`Admissible`]).
//!
//! The test of a triangle follows Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013): the triangle
//! is sheared into the space of the ray in f32. Its edge functions are computed in f64, where products of two f32 are
//! exact, so that their signs are exact; zeros are decided by symbolic perturbation of the origin (Edelsbrunner and
//! Mücke, "Simulation of Simplicity", 1990). An edge that two triangles share gives the same number with the opposite
//! sign, so a closed mesh is hit exactly once.
//!
//! Deliberately absent: vertex formats and bindings (the library decodes them), handles and slots (engines keep
//! them), motion, opacity micromaps and clusters.

mod aabb;
mod bottom;
mod field;
mod flags;
mod interleave;
pub mod packed;
mod query;
mod refusal;
mod scene;
mod search;
mod transform;
mod tree;
mod triangle;
mod triangles;
mod vector;

pub use bottom::{Bottom, BottomOptions, Geometry, GeometryData};
pub use field::{Field, Got, Misuse, Needs, Which};
pub use flags::{
    Constant, FLAGS, Flag, FlagProblem, constants, flag_problem, geometry_flag, instance_flag,
    query_flag, ray_flag,
};
pub use interleave::{Proceeding, proceed_together};
pub use query::{CommitResult, Query, State, Status};
pub use refusal::Refusal;
pub use scene::{Instance, InstanceProblem, Scene};
pub use search::{Admissible, BoxSize, Edges, Method, Order, Search, Ties};
pub use transform::{IDENTITY, Transform};
pub use vector::{LANES, Portable, Vector};

/// What `CandidateClusterID` and `CommittedClusterID` answer for geometry without clusters.
pub const CLUSTER_ID_INVALID: u32 = 0xffff_ffff;

/// A ray, as a `RayDesc` describes it: the points `origin + t · direction` with `t` from `t_min` to `t_max`. The
/// direction need not be normalised.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Ray {
    pub origin: [f32; 3],
    pub t_min: f32,
    pub direction: [f32; 3],
    pub t_max: f32,
}

/// What is undefined about a ray. It has a fixed result nonetheless: see [`Ray::hits_nothing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RayProblem {
    Nan,
    NegativeTMin,
    TMinAboveTMax,
    Infinite,
    ZeroDirection,
}

impl Ray {
    /// What is undefined about this ray, if anything.
    pub fn problem(&self) -> Option<RayProblem> {
        if self.is_nan() {
            Some(RayProblem::Nan)
        } else if self.t_min < 0.0 {
            Some(RayProblem::NegativeTMin)
        } else if self.t_min > self.t_max {
            Some(RayProblem::TMinAboveTMax)
        } else if self.origin.iter().chain(&self.direction).any(|it| it.is_infinite()) {
            Some(RayProblem::Infinite)
        } else if self.direction == [0.0; 3] {
            Some(RayProblem::ZeroDirection)
        } else {
            None
        }
    }

    /// Whether the ray misses every scene: a NaN anywhere, a zero direction, or an empty interval.
    #[inline]
    pub fn hits_nothing(&self) -> bool {
        self.is_nan() || self.t_min > self.t_max || self.direction == [0.0; 3]
    }

    /// Whether any of its numbers is a NaN.
    #[inline]
    pub fn is_nan(&self) -> bool {
        let ends = [self.t_min, self.t_max];
        self.origin.iter().chain(&self.direction).chain(&ends).any(|it| it.is_nan())
    }
}

impl std::error::Error for RayProblem {}

impl std::fmt::Display for RayProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            RayProblem::Nan => "the ray contains a NaN",
            RayProblem::NegativeTMin => "`TMin` is negative",
            RayProblem::TMinAboveTMax => "`TMin` is greater than `TMax`",
            RayProblem::Infinite => "the origin or the direction is infinite",
            RayProblem::ZeroDirection => "the direction is zero",
        })
    }
}
