//! The state machine, the flags and the order of candidates on small scenes, where every answer is known.

use std::sync::Arc;

use wavelane_ops::ray::{
    Bottom, CommitResult, Field, Instance, Query, Ray, Scene, Search, State, Status, Which,
    geometry_flag, instance_flag, ray_flag,
};

use crate::scenes::{self, boxes, one};

/// A triangle across the z axis, seen clockwise from below.
fn triangle(z: f32) -> [[f32; 3]; 3] {
    [[0.0, 1.0, z], [1.0, -1.0, z], [-1.0, -1.0, z]]
}

fn triangles(at: &[f32], flags: u32) -> Arc<Bottom> {
    let vertices: Vec<[f32; 3]> = at.iter().flat_map(|z| triangle(*z)).collect();
    scenes::triangles(&vertices, flags)
}

fn up() -> Ray {
    Ray { origin: [0.0, 0.0, 0.0], t_min: 0.0, direction: [0.0, 0.0, 1.0], t_max: 100.0 }
}

fn traced(flags: u32) -> Query {
    let mut query = Query::default();
    query.trace(flags, 0xff, up());
    query
}

fn float(query: &Query, scene: &Scene, which: Which, field: Field, component: u32) -> f32 {
    let got = query.get(Some(scene), which, field, component);
    assert_eq!(got.misuse, None, "{field:?}");
    f32::from_bits(got.bits)
}

#[test]
fn an_opaque_triangle_is_committed_at_once() {
    let scene = one(triangles(&[1.0], geometry_flag::OPAQUE));
    for search in [Search::BRUTE, Search::TREE] {
        let mut query = traced(0);
        assert!(!query.proceed(Some(&scene), &search));
        assert_eq!(query.status(), Status::Triangle);
        assert_eq!(query.state(), State::Finished);
        let get = |field, component| float(&query, &scene, Which::Committed, field, component);
        assert_eq!(get(Field::T, 0), 1.0);
        assert_eq!([get(Field::Barycentrics, 0), get(Field::Barycentrics, 1)], [0.25, 0.25]);
        assert_eq!(query.get(Some(&scene), Which::Committed, Field::FrontFace, 0).bits, 1);
    }
}

#[test]
fn candidates_come_nearest_first_until_one_is_committed() {
    let scene = one(triangles(&[3.0, 1.0, 2.0, 4.0], 0));
    for search in [Search::BRUTE, Search::TREE] {
        let mut query = traced(0);
        let mut seen = Vec::new();
        while query.proceed(Some(&scene), &search) {
            seen.push(query.get(Some(&scene), Which::Candidate, Field::PrimitiveIndex, 0).bits);
            if seen.len() == 2 {
                assert_eq!(query.commit_triangle(), CommitResult::Committed);
            }
        }
        assert_eq!(seen, [1, 2]);
        assert_eq!(float(&query, &scene, Which::Committed, Field::T, 0), 2.0);
    }
}

#[test]
fn of_equal_hits_the_least_index_wins() {
    let scene = one(triangles(&[1.0, 1.0], geometry_flag::OPAQUE));
    let mut query = traced(0);
    assert!(!query.proceed(Some(&scene), &Search::TREE));
    assert_eq!(query.get(Some(&scene), Which::Committed, Field::PrimitiveIndex, 0).bits, 0);
}

#[test]
fn a_box_is_committed_in_its_range_only() {
    let scene = one(boxes(&[[-1.0, -1.0, 1.0, 1.0, 1.0, 2.0]], 0));
    for search in [Search::BRUTE, Search::TREE] {
        let mut query = traced(0);
        assert!(query.proceed(Some(&scene), &search));
        assert_eq!(query.state(), State::CandidateProcedural);
        assert_eq!(query.commit_triangle(), CommitResult::WrongState);
        assert_eq!(query.commit_procedural(-1.0), CommitResult::OutOfRange);
        assert_eq!(query.commit_procedural(f32::NAN), CommitResult::OutOfRange);
        assert_eq!(query.commit_procedural(50.0), CommitResult::Committed);
        assert_eq!(query.commit_procedural(50.5), CommitResult::OutOfRange);
        assert_eq!(query.commit_procedural(50.0), CommitResult::Committed);
        assert!(!query.proceed(Some(&scene), &search));
        assert_eq!(query.status(), Status::Procedural);
        assert_eq!(float(&query, &scene, Which::Committed, Field::T, 0), 50.0);
    }
}

#[test]
fn an_aborted_query_keeps_its_candidate_until_it_proceeds() {
    let scene = one(triangles(&[1.0, 2.0], 0));
    let mut query = traced(ray_flag::FORCE_NON_OPAQUE);
    assert!(query.proceed(Some(&scene), &Search::TREE));
    assert!(query.abort());
    assert_eq!(query.commit_triangle(), CommitResult::Committed);
    assert_eq!(float(&query, &scene, Which::Candidate, Field::T, 0), 1.0);
    assert!(!query.proceed(Some(&scene), &Search::TREE));
    assert_eq!(query.status(), Status::Triangle);
    let after = query.get(Some(&scene), Which::Candidate, Field::T, 0);
    assert!(after.misuse.is_some() && after.bits == 0);
}

#[test]
fn the_first_commit_ends_the_search_where_the_flag_says_so() {
    let scene = one(triangles(&[1.0, 2.0], 0));
    let mut query = traced(ray_flag::ACCEPT_FIRST_HIT_AND_END_SEARCH);
    assert!(query.proceed(Some(&scene), &Search::TREE));
    query.commit_triangle();
    assert!(!query.proceed(Some(&scene), &Search::TREE));
}

#[test]
fn a_query_without_a_scene_or_a_sound_ray_misses() {
    let scene = one(boxes(&[[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]], 0));
    let mut query = traced(0);
    assert!(!query.proceed(None, &Search::TREE));
    let nan = f32::NAN;
    for ray in [
        Ray { direction: [0.0; 3], ..up() },
        Ray { direction: [0.0, nan, 1.0], ..up() },
        Ray { t_min: 2.0, t_max: 1.0, ..up() },
        Ray { t_max: nan, ..up() },
    ] {
        assert!(ray.problem().is_some());
        query.trace(0, 0xff, ray);
        assert!(!query.proceed(Some(&scene), &Search::BRUTE), "{ray:?}");
        let t = query.get(Some(&scene), Which::Committed, Field::T, 0);
        assert_eq!((t.bits, t.misuse), (ray.t_max.to_bits(), None));
    }
    assert!(Query::default().get(None, Which::Ray, Field::TMin, 0).misuse.is_some());
}

#[test]
fn a_singular_instance_is_passed_over() {
    let mut transform = wavelane_ops::ray::IDENTITY;
    transform[10] = 0.0;
    let bottom = Some(triangles(&[1.0], geometry_flag::OPAQUE));
    let instance = Instance { transform, bottom, ..Instance::default() };
    let scene = Scene::build(&[instance.clone(), Instance::default()]).unwrap();
    assert_eq!(scene.problems().len(), 1);
    assert!(!traced(0).proceed(Some(&scene), &Search::TREE));
    let both = (instance_flag::FORCE_OPAQUE | instance_flag::FORCE_NON_OPAQUE) as u8;
    let instance =
        Instance { flags: both, ..Instance { transform: wavelane_ops::ray::IDENTITY, ..instance } };
    let scene = Scene::build(&[instance]).unwrap();
    assert_eq!(scene.problems().len(), 1);
    assert!(traced(0).proceed(Some(&scene), &Search::TREE));
}

#[test]
fn an_inverted_box_is_the_point_in_its_middle() {
    // x is inverted, so the box is the point (0.5, 0, 2) on all axes.
    let scene = one(boxes(&[[2.0, -1.0, 1.0, -1.0, 1.0, 3.0]], 0));
    for search in [Search::BRUTE, Search::TREE] {
        for (x, expected) in [(0.5, true), (0.25, false), (1.5, false)] {
            let mut query = Query::default();
            query.trace(0, 0xff, Ray { origin: [x, 0.0, 0.0], ..up() });
            assert_eq!(query.proceed(Some(&scene), &search), expected, "{x}");
            if expected {
                assert_eq!(query.commit_procedural(2.0), CommitResult::Committed);
            }
        }
    }
}

#[test]
fn inactive_primitives_are_counted_and_never_hit() {
    let mut vertices = [triangle(1.0), triangle(2.0), triangle(3.0)].concat();
    vertices[1][0] = f32::NAN;
    let scene = one(scenes::triangles(&vertices, geometry_flag::OPAQUE));
    for search in [Search::BRUTE, Search::TREE] {
        let mut query = traced(0);
        assert!(!query.proceed(Some(&scene), &search));
        let primitive = query.get(Some(&scene), Which::Committed, Field::PrimitiveIndex, 0);
        assert_eq!(primitive.bits, 1);
    }
}
