//! The results of a query's getters, and the states in which they are allowed.

use super::query::{Query, Record, State, Status};
use super::scene::Scene;
use super::{CLUSTER_ID_INVALID, transform};
use crate::names;

/// The subject of a getter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// The query and its ray.
    Ray,
    Candidate,
    Committed,
}

/// What a getter reads. Not every field exists for every [`Which`]: see [`Field::exists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `RayFlags`, of the ray.
    Flags,
    /// `WorldRayOrigin`, of the ray: 3 components.
    WorldOrigin,
    /// `WorldRayDirection`, of the ray: 3 components.
    WorldDirection,
    /// `RayTMin`, of the ray.
    TMin,
    /// `CandidateType` or `CommittedStatus`.
    Kind,
    /// `CandidateProceduralPrimitiveNonOpaque`.
    NonOpaque,
    /// `CandidateTriangleRayT` or `CommittedRayT`.
    T,
    /// 2 components.
    Barycentrics,
    FrontFace,
    InstanceIndex,
    InstanceId,
    /// `InstanceContributionToHitGroupIndex`.
    Contribution,
    GeometryIndex,
    PrimitiveIndex,
    ClusterId,
    /// 3 components.
    ObjectOrigin,
    /// 3 components.
    ObjectDirection,
    /// 12 components: three rows of four.
    ObjectToWorld,
    /// 12 components: three rows of four.
    WorldToObject,
    /// 9 components: three vertices, after the geometry's transform.
    Positions,
}

/// The result of a getter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Got {
    /// The bits of a `float`, a `uint`, or a `bool` as 0 or 1. 0 after misuse.
    pub bits: u32,
    pub misuse: Option<Misuse>,
}

/// Why an answer is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The getter is not allowed in this state.
    State,
    /// The bottom level was built without access to its data.
    DataAccess,
}

names! { Which {
    "ray" => Ray,
    "candidate" => Candidate,
    "committed" => Committed,
} }

names! { Field {
    "flags" => Flags,
    "world_origin" => WorldOrigin,
    "world_direction" => WorldDirection,
    "t_min" => TMin,
    "kind" => Kind,
    "non_opaque" => NonOpaque,
    "t" => T,
    "barycentrics" => Barycentrics,
    "front_face" => FrontFace,
    "instance_index" => InstanceIndex,
    "instance_id" => InstanceId,
    "contribution" => Contribution,
    "geometry_index" => GeometryIndex,
    "primitive_index" => PrimitiveIndex,
    "cluster_id" => ClusterId,
    "object_origin" => ObjectOrigin,
    "object_direction" => ObjectDirection,
    "object_to_world" => ObjectToWorld,
    "world_to_object" => WorldToObject,
    "positions" => Positions,
} }

impl Field {
    pub const ALL: [Field; 20] = [
        Field::Flags,
        Field::WorldOrigin,
        Field::WorldDirection,
        Field::TMin,
        Field::Kind,
        Field::NonOpaque,
        Field::T,
        Field::Barycentrics,
        Field::FrontFace,
        Field::InstanceIndex,
        Field::InstanceId,
        Field::Contribution,
        Field::GeometryIndex,
        Field::PrimitiveIndex,
        Field::ClusterId,
        Field::ObjectOrigin,
        Field::ObjectDirection,
        Field::ObjectToWorld,
        Field::WorldToObject,
        Field::Positions,
    ];

    /// How many components the field has, each of 32 bits.
    pub fn components(self) -> u32 {
        match self {
            Field::Flags
            | Field::TMin
            | Field::Kind
            | Field::NonOpaque
            | Field::T
            | Field::FrontFace
            | Field::InstanceIndex
            | Field::InstanceId
            | Field::Contribution
            | Field::GeometryIndex
            | Field::PrimitiveIndex
            | Field::ClusterId => 1,
            Field::Barycentrics => 2,
            Field::WorldOrigin
            | Field::WorldDirection
            | Field::ObjectOrigin
            | Field::ObjectDirection => 3,
            Field::ObjectToWorld | Field::WorldToObject => 12,
            Field::Positions => 9,
        }
    }

    /// Whether there is such a field of a ray, a candidate or a committed hit.
    #[inline]
    pub fn exists(self, which: Which) -> bool {
        match self {
            Field::Flags | Field::WorldOrigin | Field::WorldDirection | Field::TMin => {
                which == Which::Ray
            }
            Field::NonOpaque => which == Which::Candidate,
            _ => which != Which::Ray,
        }
    }

    /// The state that a candidate or a committed hit has to be in.
    #[inline]
    pub fn needs(self) -> Needs {
        match self {
            Field::Flags | Field::WorldOrigin | Field::WorldDirection | Field::TMin => {
                Needs::Traced
            }
            Field::NonOpaque => Needs::Procedural,
            Field::Barycentrics | Field::FrontFace | Field::Positions => Needs::Triangle,
            Field::T | Field::Kind => Needs::Own,
            Field::InstanceIndex
            | Field::InstanceId
            | Field::Contribution
            | Field::GeometryIndex
            | Field::PrimitiveIndex
            | Field::ClusterId
            | Field::ObjectOrigin
            | Field::ObjectDirection
            | Field::ObjectToWorld
            | Field::WorldToObject => Needs::Any,
        }
    }
}

/// The requirements of a getter, besides a query that has been traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing else.
    Traced,
    /// A hit of either kind.
    Any,
    Triangle,
    Procedural,
    /// Of a committed hit: only a ray. Of a candidate: any for its type, a triangle for its t.
    Own,
}

impl Query {
    /// The result of a getter: a component of a field. `scene` is that of the last `TraceRayInline`.
    #[inline]
    pub fn get(&self, scene: Option<&Scene>, which: Which, field: Field, component: u32) -> Got {
        if !self.allows(which, field) {
            return Got { bits: 0, misuse: Some(Misuse::State) };
        }
        let at = component as usize;
        let record = if which == Which::Candidate { &self.candidate } else { &self.committed };
        let bits = match field {
            Field::Flags => self.flags,
            Field::WorldOrigin => float(&self.ray.origin, at),
            Field::WorldDirection => float(&self.ray.direction, at),
            Field::TMin => self.ray.t_min.to_bits(),
            Field::Kind if which == Which::Candidate => {
                u32::from(self.state == State::CandidateProcedural)
            }
            Field::Kind => self.status as u32,
            Field::NonOpaque => u32::from(!record.opaque),
            Field::T if which == Which::Candidate => record.t.to_bits(),
            Field::T => self.t_max.to_bits(),
            Field::Barycentrics => float(&record.barycentrics, at),
            Field::FrontFace => u32::from(record.front),
            Field::InstanceIndex => record.instance,
            Field::GeometryIndex => record.geometry,
            Field::PrimitiveIndex => record.primitive,
            Field::ClusterId => CLUSTER_ID_INVALID,
            Field::InstanceId
            | Field::Contribution
            | Field::ObjectOrigin
            | Field::ObjectDirection
            | Field::ObjectToWorld
            | Field::WorldToObject
            | Field::Positions => match self.of_instance(scene, record, field, at) {
                Ok(bits) => bits,
                Err(misuse) => return Got { bits: 0, misuse: Some(misuse) },
            },
        };
        Got { bits, misuse: None }
    }

    /// Whether a getter is allowed in the present state.
    #[inline]
    pub fn allows(&self, which: Which, field: Field) -> bool {
        let needs = field.needs();
        if self.state == State::New || !field.exists(which) {
            return false;
        }
        let (triangle, procedural) = match which {
            Which::Candidate => {
                (self.state == State::CandidateTriangle, self.state == State::CandidateProcedural)
            }
            Which::Ray | Which::Committed => {
                (self.status == Status::Triangle, self.status == Status::Procedural)
            }
        };
        match needs {
            Needs::Traced => true,
            Needs::Any => triangle || procedural,
            Needs::Triangle => triangle,
            Needs::Procedural => procedural,
            Needs::Own => {
                which == Which::Committed || triangle || procedural && field == Field::Kind
            }
        }
    }

    /// A field that is computed from the instance that was hit.
    fn of_instance(
        &self,
        scene: Option<&Scene>,
        record: &Record,
        field: Field,
        at: usize,
    ) -> Result<u32, Misuse> {
        // A hit is of an instance of its scene; another scene is a misuse of the engine's.
        let placed =
            scene.and_then(|it| it.instances.get(record.instance as usize)).ok_or(Misuse::State)?;
        let inverse = placed.world_to_object.as_ref().ok_or(Misuse::State)?;
        Ok(match field {
            Field::InstanceId => placed.given.id,
            Field::Contribution => placed.given.contribution,
            Field::ObjectOrigin => float(&transform::point(inverse, self.ray.origin), at),
            Field::ObjectDirection => float(&transform::direction(inverse, self.ray.direction), at),
            Field::ObjectToWorld => float(&placed.given.transform, at),
            Field::WorldToObject => float(inverse, at),
            _ => {
                let bottom = placed.given.bottom.as_ref().ok_or(Misuse::State)?;
                if !bottom.data_access() {
                    return Err(Misuse::DataAccess);
                }
                let vertices =
                    bottom.triangle(record.geometry, record.primitive).ok_or(Misuse::State)?;
                float(vertices.as_flattened(), at)
            }
        })
    }
}

/// The bits of a component, or 0 beyond the last.
fn float(values: &[f32], at: usize) -> u32 {
    values.get(at).map_or(0, |it| it.to_bits())
}
