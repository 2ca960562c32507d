//! The instructions of ray queries: their operands and results.
//!
//! A query is a state machine of one lane. It lives in a *slot*: a module declares arrays of slots as it declares
//! private arrays, and [`RayOp::Allocate`] makes a new query in one of them. The result, a *handle*, is an ordinary
//! `i32`, so that variables, arrays and parameters that hold queries need no special treatment, and lanes may hold
//! different ones. A handle that is not one, or whose query has been replaced by a newer one in the same slot, behaves
//! as a query that was never traced.
//!
//! Deliberately absent: what a query answers, which is defined in `ops::ray`.

mod lane;
pub mod observed;
mod together;

use diag::Span;
use ops::Ty;
pub use ops::ray::{Field, Which};

pub use lane::{Answer, Queries, RayCall, Wrong, slots};

use crate::facts::Access;
use crate::{Place, Query, Values};

/// An instruction of a ray query.
#[derive(Clone, Debug, PartialEq)]
pub struct Ray {
    pub op: RayOp,
    /// The slots of a new query, for [`RayOp::Allocate`].
    pub query: Option<Query>,
    /// The scene, for [`RayOp::Trace`].
    pub scene: Option<Place>,
    /// See [`RayOp::args`].
    pub args: Values,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RayOp {
    /// Makes a new query in the slot with this index; returns its handle.
    Allocate,
    /// Starts a traversal: the flags (those of the type included), the mask, and the ray: origin, `TMin`, direction,
    /// `TMax`.
    Trace,
    /// Goes on to the next candidate; returns whether there is one.
    Proceed,
    /// Ends the traversal.
    Abort,
    /// Commits the candidate, a triangle.
    CommitTriangle,
    /// Commits the candidate, a procedural primitive, at this distance.
    CommitProcedural,
    /// Reads a field: all its components.
    Get(Which, Field),
}

/// An array of slots for queries.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryData {
    /// The name of the variable.
    pub name: String,
    /// The flags in the type of its queries.
    pub flags: u32,
    pub len: u32,
    pub span: Span,
}

/// A module has at most this many slots, which a handle can name.
pub const MOST_SLOTS: u32 = 0xffff;

/// The memory that an engine needs for a query, in bytes.
pub const QUERY_BYTES: u64 = 256;

/// Origin, `TMin`, direction, `TMax`.
const RAY: [Ty; 8] = [Ty::F32; 8];

impl RayOp {
    /// The types of the operands. The first is a handle; for a new query it is an index.
    pub fn args(self) -> Vec<Ty> {
        let mut args = vec![Ty::I32];
        match self {
            RayOp::Trace => {
                args.extend([Ty::I32; 2]);
                args.extend(RAY);
            }
            RayOp::CommitProcedural => args.push(Ty::F32),
            RayOp::Allocate
            | RayOp::Proceed
            | RayOp::Abort
            | RayOp::CommitTriangle
            | RayOp::Get(..) => {}
        }
        args
    }

    /// The types of the results.
    pub fn results(self) -> Vec<Ty> {
        match self {
            RayOp::Allocate => vec![Ty::I32],
            RayOp::Proceed => vec![Ty::Bool],
            RayOp::Trace | RayOp::Abort | RayOp::CommitTriangle | RayOp::CommitProcedural => {
                Vec::new()
            }
            RayOp::Get(_, field) => vec![ty(field); field.components() as usize],
        }
    }

    /// How it accesses the query. A new one tells which it is.
    pub fn access(self) -> Access {
        match self {
            RayOp::Get(..) => Access::Read,
            RayOp::Trace => Access::Write,
            RayOp::Allocate
            | RayOp::Proceed
            | RayOp::Abort
            | RayOp::CommitTriangle
            | RayOp::CommitProcedural => Access::Update,
        }
    }

    /// Whether the query has such a field.
    pub fn exists(self) -> bool {
        match self {
            RayOp::Get(which, field) => field.exists(which),
            _ => true,
        }
    }
}

/// The type of the components of a field.
fn ty(field: Field) -> Ty {
    match field {
        Field::Flags
        | Field::Kind
        | Field::InstanceIndex
        | Field::InstanceId
        | Field::Contribution
        | Field::GeometryIndex
        | Field::PrimitiveIndex
        | Field::ClusterId => Ty::I32,
        Field::NonOpaque | Field::FrontFace => Ty::Bool,
        Field::WorldOrigin
        | Field::WorldDirection
        | Field::TMin
        | Field::T
        | Field::Barycentrics
        | Field::ObjectOrigin
        | Field::ObjectDirection
        | Field::ObjectToWorld
        | Field::WorldToObject
        | Field::Positions => Ty::F32,
    }
}
