//! How much work scenes of a million instances are, and what they take in memory.

use std::cell::Cell;
use std::sync::Arc;

use super::super::{Leaf, Node};
use super::*;
use crate::ray::{
    Admissible, BottomOptions, Geometry, GeometryData, Instance, Ray, Scene, geometry_flag,
};

thread_local! {
    /// How many instances were looked into.
    pub(super) static ENTERED: Cell<u64> = const { Cell::new(0) };
}

const MILLION: usize = 1_000_000;
const SIDE: usize = 1000;

/// A triangle around the origin, in the plane of x and y.
fn bottom() -> Arc<Bottom> {
    let vertices = [[0.0, 0.25, 0.0], [-0.25, -0.25, 0.0], [0.25, -0.25, 0.0]];
    let data = GeometryData::Triangles { vertices: &vertices, indices: None, transform: None };
    let geometry = Geometry { data, flags: geometry_flag::OPAQUE };
    Bottom::build(&[geometry], BottomOptions::default()).unwrap()
}

fn at(x: f32, y: f32) -> Instance {
    let mut instance = Instance { bottom: Some(bottom()), ..Instance::default() };
    (instance.transform[3], instance.transform[7]) = (x, y);
    instance
}

/// The nearest hit.
fn closest(scene: &Scene, wanted: &Wanted) -> Option<Hit> {
    let mut find = Find::idle(Closest::default());
    find.start(scene, *wanted, Closest::default());
    while find.step::<Portable>() {}
    find.keep.best
}

/// What a ray downwards hits, and how many instances were looked into.
fn hit(scene: &Scene, x: f32, y: f32, t_min: f32) -> (Option<u32>, u64) {
    let ray = Ray { origin: [x, y, 4.0], t_min, direction: [0.0, 0.0, -1.0], t_max: 100.0 };
    let wanted = Wanted {
        ray,
        flags: 0,
        mask: 0xff,
        t_max: ray.t_max,
        after: None,
        admissible: Admissible::default(),
    };
    ENTERED.set(0);
    let found = closest(scene, &wanted).map(|it| it.instance);
    let entered = ENTERED.get();
    let all: Vec<u32> = gather(scene, &wanted).iter().map(|it| it.instance).collect();
    assert_eq!(all, Vec::from_iter(found));
    (found, entered)
}

/// Instances without a bottom level, with an empty one, and without an inverse.
fn empty() -> Vec<Instance> {
    let hollow = Bottom::build(&[], BottomOptions::default()).unwrap();
    let singular = Instance { transform: [0.0; 12], bottom: Some(bottom()), ..Instance::default() };
    let hollow = Instance { bottom: Some(hollow), ..Instance::default() };
    let kinds = [Instance::default(), hollow, singular];
    (0..MILLION).map(|it| kinds[it % 3].clone()).collect()
}

#[test]
fn a_million_empty_instances_cost_a_ray_nothing() {
    let mut instances = empty();
    let scene = Scene::build(&instances).unwrap();
    assert_eq!(scene.instance_count(), MILLION);
    for t_min in [0.0, -1.0] {
        assert_eq!(hit(&scene, 0.0, 0.0, t_min), (None, 0));
    }
    let last = MILLION as u32 - 1;
    instances[MILLION - 1] = at(0.0, 0.0);
    let scene = Scene::build(&instances).unwrap();
    for t_min in [0.0, -1.0] {
        assert_eq!(hit(&scene, 0.0, 0.0, t_min), (Some(last), 1));
        // Far beside it, no box is met; without pruning, one instance is looked into.
        assert_eq!(hit(&scene, 90.0, 0.0, t_min), (None, u64::from(t_min < 0.0)));
    }
}

#[test]
fn a_ray_looks_into_few_of_a_million_instances() {
    let one = at(0.0, 0.0);
    let place = |it: usize| ((it % SIDE) as f32, (it / SIDE) as f32);
    let instances: Vec<Instance> = (0..MILLION)
        .map(|it| {
            let (x, y) = place(it);
            let mut instance = one.clone();
            (instance.transform[3], instance.transform[7]) = (x, y);
            instance
        })
        .collect();
    let scene = Scene::build(&instances).unwrap();
    for it in [0, 1, SIDE, 123_456, 500_500, MILLION - 1] {
        let (x, y) = place(it);
        let (found, entered) = hit(&scene, x, y, 0.0);
        assert_eq!(found, Some(it as u32));
        assert!(entered <= 64, "{entered} instances for one ray");
        assert_eq!(hit(&scene, x + 0.5, y + 0.5, 0.0).0, None);
    }
    // Memory: the tree is smaller than the instances, and a bottom level is held once.
    let tree = scene.tree.as_ref().unwrap();
    let bytes = size_of_val(&tree.nodes[..]) + size_of_val(&tree.leaves[..]);
    assert!(bytes < MILLION * size_of::<Placed>(), "{bytes}");
    assert!(size_of::<Placed>() <= 144 && size_of::<Node>() <= 256 && size_of::<Leaf>() <= 36);
    assert_eq!(Arc::strong_count(one.bottom.as_ref().unwrap()), 2 * MILLION + 1);
}

#[test]
fn coinciding_instances_are_divided_all_the_same() {
    let instances = vec![at(0.0, 0.0); 100_000];
    let scene = Scene::build(&instances).unwrap();
    // All are equally near, and the first wins.
    let ray =
        Ray { origin: [0.0, 0.0, 4.0], t_min: 0.0, direction: [0.0, 0.0, -1.0], t_max: 100.0 };
    let wanted = Wanted {
        ray,
        flags: 0,
        mask: 0xff,
        t_max: 100.0,
        after: None,
        admissible: Admissible::default(),
    };
    ENTERED.set(0);
    assert_eq!(closest(&scene, &wanted).map(|it| it.instance), Some(0));
    assert!(ENTERED.get() <= 100_000);
}
