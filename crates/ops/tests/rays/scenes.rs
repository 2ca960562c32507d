//! Scenes and queries that the other files share.

use std::sync::Arc;

use wavelane_ops::ray::{
    Bottom, BottomOptions, Field, Geometry, GeometryData, Instance, Query, Ray, Scene, Search,
    Which, ray_flag,
};

pub(crate) fn triangles(vertices: &[[f32; 3]], flags: u32) -> Arc<Bottom> {
    let data = GeometryData::Triangles { vertices, indices: None, transform: None };
    Bottom::build(&[Geometry { data, flags }], BottomOptions::default()).unwrap()
}

pub(crate) fn boxes(boxes: &[[f32; 6]], flags: u32) -> Arc<Bottom> {
    let geometry = Geometry { data: GeometryData::Boxes(boxes), flags };
    Bottom::build(&[geometry], BottomOptions::default()).unwrap()
}

pub(crate) fn one(bottom: Arc<Bottom>) -> Scene {
    Scene::build(&[Instance { bottom: Some(bottom), ..Instance::default() }]).unwrap()
}

/// What a query says about a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) instance: u32,
    pub(crate) geometry: u32,
    pub(crate) primitive: u32,
    pub(crate) procedural: bool,
    /// The bits of t, of the barycentrics and of the face; 0 for boxes.
    pub(crate) t: u32,
    pub(crate) barycentrics: [u32; 2],
    pub(crate) front: u32,
}

pub(crate) fn seen(query: &Query, scene: &Scene, which: Which) -> Seen {
    let get = |field, component| query.get(Some(scene), which, field, component).bits;
    Seen {
        instance: get(Field::InstanceIndex, 0),
        geometry: get(Field::GeometryIndex, 0),
        primitive: get(Field::PrimitiveIndex, 0),
        procedural: get(Field::Kind, 0) == u32::from(which == Which::Committed) + 1,
        t: get(Field::T, 0),
        barycentrics: [get(Field::Barycentrics, 0), get(Field::Barycentrics, 1)],
        front: get(Field::FrontFace, 0),
    }
}

/// Every candidate of a ray, of which none is committed.
pub(crate) fn all(scene: &Scene, flags: u32, ray: Ray, search: &Search) -> Vec<Seen> {
    let mut query = Query::default();
    query.trace(flags | ray_flag::FORCE_NON_OPAQUE, 0xff, ray);
    let mut all = Vec::new();
    while query.proceed(Some(scene), search) {
        all.push(seen(&query, scene, Which::Candidate));
    }
    all
}
