//! Faults in ray queries, in the scenes of [`scene`] and [`flat_scene`].

use std::sync::Arc;

use generate::Random;
use ir::exec::SharedScene;
use ops::ray::{Bottom, BottomOptions, Geometry, GeometryData, Instance, Scene, geometry_flag};
use sanitizer::Kind;

use super::{Class, Reach, SINK, Snippet};

/// The declaration of the scene.
const SCENE: &str = "RaytracingAccelerationStructure Scene;";
/// It meets everything in the scene.
const RAY: &str = "RayDesc ray = { float3(0, 0, 3), 1, float3(0, 0, -1), 100 };";
const QUERY: &str = "RayQuery<RAY_FLAG_NONE> q;";

/// What the ray meets, by the bits of the masks: two opaque triangles at one distance, three triangles that are not
/// opaque, and a box.
pub(crate) fn scene() -> SharedScene {
    let at = |z: f32| [[0.0, 1.0, z], [-1.0, -1.0, z], [1.0, -1.0, z]];
    let (same, farther) = (at(0.0), [at(0.0), at(-1.0), at(-2.0)].concat());
    let triangles = |vertices, flags| Geometry {
        data: GeometryData::Triangles { vertices, indices: None, transform: None },
        flags,
    };
    let opaque = triangles(&same, geometry_flag::OPAQUE);
    let boxes = [[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]];
    let boxes = Geometry { data: GeometryData::Boxes(&boxes), flags: geometry_flag::OPAQUE };
    let levels = [vec![opaque, opaque], vec![triangles(&farther, 0)], vec![boxes]];
    let instances: Vec<Instance> = levels
        .iter()
        .enumerate()
        .map(|(number, geometries)| {
            let bottom = Bottom::build(geometries, BottomOptions::default());
            Instance { mask: 1 << number, bottom: bottom.ok(), ..Instance::default() }
        })
        .collect();
    SharedScene(Arc::new(Scene::build(&instances).unwrap_or_default()))
}

fn traced(mask: u32) -> Snippet {
    Snippet::new()
        .declare(SCENE)
        .line(RAY)
        .line(QUERY)
        .line(&format!("q.TraceRayInline(Scene, RAY_FLAG_NONE, {mask}, ray);"))
}

const fn class(
    name: &'static str,
    kind: Kind,
    snippet: fn(&mut Random, &super::Context<'_>) -> Option<Snippet>,
) -> Class {
    Class { name, kind, place: Reach::Anywhere, widths: &[], waves: None, groups: false, snippet }
}

/// A scene whose only instance is flat.
pub(crate) fn flat_scene() -> SharedScene {
    let transform = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let instance = Instance { transform, ..Instance::default() };
    SharedScene(Arc::new(Scene::build(&[instance]).unwrap_or_default()))
}

pub(super) const ALL: &[Class] = &[
    class("a scene with a flat instance", Kind::BadInstance, |random, _| {
        let trace = |scene: &str| format!("q.TraceRayInline({scene}, RAY_FLAG_NONE, 1, ray);");
        Some(
            Snippet::new()
                .declare(SCENE)
                .declare("RaytracingAccelerationStructure Flat;")
                .line(RAY)
                .line(QUERY)
                .fault(&trace("Scene"), &trace("Flat"))
                .line("q.Proceed();")
                .line("uint planted = q.CommittedStatus();")
                .used(random),
        )
    }),
    class("a candidate that is not there", Kind::RayQueryState, |random, _| {
        let clean = "uint planted = q.CommittedStatus();";
        let faulty = "uint planted = q.CandidatePrimitiveIndex();";
        Some(traced(1).line("q.Proceed();").fault(clean, faulty).used(random))
    }),
    class("ray flags that exclude each other", Kind::RayFlags, |random, context| {
        context.some_thread(|thread| thread % 2 == 1).then_some(())?;
        let trace = |flags: &str| {
            format!("q.TraceRayInline(Scene, thread & 1 ? {flags} : RAY_FLAG_NONE, 1, ray);")
        };
        let clean = trace("RAY_FLAG_CULL_OPAQUE");
        let faulty = trace("RAY_FLAG_CULL_OPAQUE | RAY_FLAG_FORCE_OPAQUE");
        Some(
            Snippet::new()
                .declare(SCENE)
                .line(RAY)
                .line(QUERY)
                .fault(&clean, &faulty)
                .line("q.Proceed();")
                .line("uint planted = q.CommittedStatus();")
                .used(random),
        )
    }),
    class("a ray without a direction", Kind::BadRay, |random, _| {
        Some(
            Snippet::new()
                .declare(SCENE)
                .fault(RAY, &RAY.replace("-1)", "0)"))
                .line(QUERY)
                .partner("q.TraceRayInline(Scene, RAY_FLAG_NONE, 1, ray);")
                .line("q.Proceed();")
                .line("uint planted = q.CommittedStatus();")
                .used(random),
        )
    }),
    class("a hit before its ray begins", Kind::RayHitOutOfRange, |random, _| {
        Some(
            traced(4)
                .line("q.Proceed();")
                .fault("q.CommitProceduralPrimitiveHit(3);", "q.CommitProceduralPrimitiveHit(0.5);")
                .line("uint planted = q.CommittedStatus();")
                .used(random),
        )
    }),
    class("a candidate that nothing judges", Kind::UnreadCandidates, |random, _| {
        Some(
            traced(2)
                .fault("while (q.Proceed()) {}", "q.Proceed();")
                .line("uint planted = q.CommittedStatus();")
                .used(random),
        )
    }),
    class("counted candidates", Kind::CandidateDependentResult, |_, _| {
        Some(
            traced(2)
                .line("uint planted = 0;")
                .fault(
                    "while (q.Proceed()) q.CommitNonOpaqueTriangleHit();",
                    "while (q.Proceed()) planted += 1;",
                )
                .partner(SINK),
        )
    }),
    class("one of two equally near triangles", Kind::RayTie, |_, _| {
        Some(
            traced(1)
                .line("q.Proceed();")
                .fault(
                    "uint planted = q.CommittedStatus();",
                    "uint planted = q.CommittedGeometryIndex();",
                )
                .partner(SINK),
        )
    }),
];
