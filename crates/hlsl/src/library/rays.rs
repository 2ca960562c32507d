//! The methods of `RayQuery`: one row for each, with its prototype and its meaning.

use ir::RayOp;
use ir::ray::{Field, Which};
use ops::intrinsics::ShaderModel;

/// A method of a ray query.
#[derive(Debug)]
pub struct Row {
    pub prototype: &'static str,
    pub meaning: RayMethod,
    pub since: ShaderModel,
}

/// What a method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RayMethod {
    pub op: RayOp,
    /// Whether the result is the transpose of the field: its columns are the field's rows.
    pub transposed: bool,
}

const fn op(prototype: &'static str, op: RayOp) -> Row {
    let meaning = RayMethod { op, transposed: false };
    Row { prototype, meaning, since: ShaderModel::V6_5 }
}

const fn ray(prototype: &'static str, field: Field) -> Row {
    op(prototype, RayOp::Get(Which::Ray, field))
}

const fn candidate(prototype: &'static str, field: Field) -> Row {
    op(prototype, RayOp::Get(Which::Candidate, field))
}

const fn committed(prototype: &'static str, field: Field) -> Row {
    op(prototype, RayOp::Get(Which::Committed, field))
}

const fn transposed(row: Row) -> Row {
    Row { meaning: RayMethod { transposed: true, ..row.meaning }, ..row }
}

const fn newer(row: Row) -> Row {
    Row { since: ShaderModel::V6_10, ..row }
}

const ROWS: &[Row] = &[
    op(
        "void TraceRayInline(RaytracingAccelerationStructure scene, uint flags, uint mask, RayDesc ray)",
        RayOp::Trace,
    ),
    op("bool Proceed()", RayOp::Proceed),
    op("void Abort()", RayOp::Abort),
    op("void CommitNonOpaqueTriangleHit()", RayOp::CommitTriangle),
    op("void CommitProceduralPrimitiveHit(float distance)", RayOp::CommitProcedural),
    committed("uint CommittedStatus()", Field::Kind),
    candidate("uint CandidateType()", Field::Kind),
    candidate("bool CandidateProceduralPrimitiveNonOpaque()", Field::NonOpaque),
    ray("uint RayFlags()", Field::Flags),
    ray("float RayTMin()", Field::TMin),
    ray("float3 WorldRayOrigin()", Field::WorldOrigin),
    ray("float3 WorldRayDirection()", Field::WorldDirection),
    candidate("float CandidateTriangleRayT()", Field::T),
    candidate("uint CandidateInstanceIndex()", Field::InstanceIndex),
    candidate("uint CandidateInstanceID()", Field::InstanceId),
    candidate("uint CandidateInstanceContributionToHitGroupIndex()", Field::Contribution),
    candidate("uint CandidateGeometryIndex()", Field::GeometryIndex),
    candidate("uint CandidatePrimitiveIndex()", Field::PrimitiveIndex),
    candidate("float3 CandidateObjectRayOrigin()", Field::ObjectOrigin),
    candidate("float3 CandidateObjectRayDirection()", Field::ObjectDirection),
    candidate("float3x4 CandidateObjectToWorld3x4()", Field::ObjectToWorld),
    transposed(candidate("float4x3 CandidateObjectToWorld4x3()", Field::ObjectToWorld)),
    candidate("float3x4 CandidateWorldToObject3x4()", Field::WorldToObject),
    transposed(candidate("float4x3 CandidateWorldToObject4x3()", Field::WorldToObject)),
    candidate("float2 CandidateTriangleBarycentrics()", Field::Barycentrics),
    candidate("bool CandidateTriangleFrontFace()", Field::FrontFace),
    newer(candidate(
        "BuiltInTrianglePositions CandidateTriangleObjectPositions()",
        Field::Positions,
    )),
    newer(candidate("uint CandidateClusterID()", Field::ClusterId)),
    committed("float CommittedRayT()", Field::T),
    committed("uint CommittedInstanceIndex()", Field::InstanceIndex),
    committed("uint CommittedInstanceID()", Field::InstanceId),
    committed("uint CommittedInstanceContributionToHitGroupIndex()", Field::Contribution),
    committed("uint CommittedGeometryIndex()", Field::GeometryIndex),
    committed("uint CommittedPrimitiveIndex()", Field::PrimitiveIndex),
    committed("float3 CommittedObjectRayOrigin()", Field::ObjectOrigin),
    committed("float3 CommittedObjectRayDirection()", Field::ObjectDirection),
    committed("float3x4 CommittedObjectToWorld3x4()", Field::ObjectToWorld),
    transposed(committed("float4x3 CommittedObjectToWorld4x3()", Field::ObjectToWorld)),
    committed("float3x4 CommittedWorldToObject3x4()", Field::WorldToObject),
    transposed(committed("float4x3 CommittedWorldToObject4x3()", Field::WorldToObject)),
    committed("float2 CommittedTriangleBarycentrics()", Field::Barycentrics),
    committed("bool CommittedTriangleFrontFace()", Field::FrontFace),
    newer(committed(
        "BuiltInTrianglePositions CommittedTriangleObjectPositions()",
        Field::Positions,
    )),
    newer(committed("uint CommittedClusterID()", Field::ClusterId)),
];

/// The prototypes alone, for the table of objects.
pub const PROTOTYPES: &[&str] = &{
    let mut all = [""; ROWS.len()];
    let mut i = 0;
    while i < ROWS.len() {
        all[i] = ROWS[i].prototype;
        i += 1;
    }
    all
};

/// The row with this prototype.
pub fn by_prototype(prototype: &str) -> Option<&'static Row> {
    ROWS.iter().find(|it| it.prototype == prototype)
}

/// The row with this meaning.
pub fn by_meaning(meaning: RayMethod) -> &'static Row {
    let found = ROWS.iter().find(|it| it.meaning == meaning);
    found.unwrap_or_else(|| unreachable!("meanings come from rows"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::prototype;
    use crate::types::Types;

    #[test]
    fn results_suit_the_fields() {
        let mut types = Types::new();
        for row in ROWS {
            assert!(row.meaning.op.exists(), "{}", row.prototype);
            let word = row.prototype.split(' ').next().unwrap();
            let result = prototype::type_of(&mut types, word, None);
            let scalars = types.flatten(result, 12).unwrap();
            let found: Vec<ops::Ty> = scalars.iter().map(|it| it.ty(false)).collect();
            assert_eq!(found, row.meaning.op.results(), "{}", row.prototype);
        }
    }
}
