//! Properties that every tessellated patch has, over many generated factors.

use std::collections::BTreeSet;

use ops::Random;
use wavelane_raster::{Domain, Factors, Partitioning, PatchTopology, Tessellated, tessellate};

const ONE: i64 = 1 << 16;
const PARTITIONINGS: [Partitioning; 4] = [
    Partitioning::Integer,
    Partitioning::Pow2,
    Partitioning::FractionalOdd,
    Partitioning::FractionalEven,
];

/// How many patches are tried of each domain and partitioning: `PATCHES`, or a few.
#[expect(clippy::disallowed_methods, reason = "the environment says how much is tried")]
fn patches() -> u64 {
    std::env::var("PATCHES").ok().and_then(|it| it.parse().ok()).unwrap_or(400)
}

/// A factor: usually small, sometimes at or beyond a bound.
fn factor(random: &mut Random) -> f32 {
    match random.below(8) {
        0 => *random.pick(&[1.0, 2.0, 3.0, 63.0, 64.0, 65.0, 1e9, f32::INFINITY]),
        1 => (random.below(64) + 1) as f32,
        2 => 1.0 + random.below(4) as f32 / 65536.0,
        3 => random.below(65536) as f32 / 1024.0 + 0.001,
        _ => random.below(65536) as f32 / 8192.0 + 0.001,
    }
}

fn factors(random: &mut Random) -> Factors {
    let edges = [(); 4].map(|()| factor(random));
    Factors { edges, insides: [(); 2].map(|()| factor(random)) }
}

fn patch(domain: Domain, partitioning: Partitioning, factors: &Factors) -> Tessellated {
    tessellate(domain, partitioning, PatchTopology::Clockwise, factors).unwrap()
}

/// Twice the signed area of a triangle.
fn area(points: &[[u32; 2]], triangle: [u32; 3]) -> i64 {
    let [a, b, c] = triangle.map(|it| points[it as usize].map(i64::from));
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Checks that the triangles cover the domain: each inner edge belongs to two of them in opposite directions, each
/// outer one to one, and the areas add up.
fn covers(domain: Domain, patch: &Tessellated, what: &str) {
    let mut edges = Vec::with_capacity(3 * patch.primitives.len());
    let mut total = 0;
    for triangle in &patch.primitives {
        total += area(&patch.points, *triangle);
        edges.extend((0..3).map(|i| (triangle[i], triangle[(i + 1) % 3])));
    }
    let whole = if domain == Domain::Tri { ONE * ONE } else { 2 * ONE * ONE };
    assert_eq!(total.abs(), whole, "{what}: the areas add up to another domain");
    edges.sort_unstable();
    let is_double = edges.windows(2).any(|it| it[0] == it[1]);
    assert!(!is_double, "{what}: an edge belongs to two triangles on one side");
    for &(a, b) in &edges {
        if edges.binary_search(&(b, a)).is_ok() {
            continue;
        }
        let [a, b] = [a, b].map(|it| patch.points[it as usize]);
        let is_border = |on: fn([u32; 2]) -> bool| on(a) && on(b);
        let is_outer = match domain {
            Domain::Tri => {
                is_border(|it| it[0] == 0)
                    || is_border(|it| it[1] == 0)
                    || is_border(|it| it[0] + it[1] == 1 << 16)
            }
            _ => {
                is_border(|it| it[0] == 0)
                    || is_border(|it| it[1] == 0)
                    || is_border(|it| it[0] == 1 << 16)
                    || is_border(|it| it[1] == 1 << 16)
            }
        };
        assert!(is_outer, "{what}: there is a crack between {a:?} and {b:?}");
    }
    let mut used = vec![false; patch.points.len()];
    patch.primitives.iter().flatten().for_each(|it| used[*it as usize] = true);
    assert!(used.iter().all(|it| *it), "{what}: a point belongs to no triangle");
}

#[test]
fn triangles_cover_their_domain_without_cracks() {
    let of = |domain: Domain, partitioning: Partitioning| {
        let mut random = Random::new(1);
        for _ in 0..patches() {
            let factors = factors(&mut random);
            let what = format!("{domain:?} {partitioning:?} {factors:?}");
            covers(domain, &patch(domain, partitioning, &factors), &what);
        }
    };
    std::thread::scope(|scope| {
        for domain in [Domain::Tri, Domain::Quad] {
            for partitioning in PARTITIONINGS {
                scope.spawn(move || of(domain, partitioning));
            }
        }
    });
}

#[test]
fn edges_with_equal_factors_have_equal_and_symmetric_points() {
    let mut random = Random::new(2);
    for _ in 0..patches() {
        let (one, mut other) = (factors(&mut random), factors(&mut random));
        other.edges[0] = one.edges[0];
        for partitioning in PARTITIONINGS {
            // The first edge comes first and ends at the origin; a quad that is left whole begins there.
            // Its points as a set: beside the middle, rounded lengths of segments can fold an edge by some 2^-16.
            let edge = |domain, factors: &Factors| {
                let points = patch(domain, partitioning, factors).points;
                let count = match points.len() {
                    4 => 4,
                    _ => 1 + points.iter().position(|it| *it == [0, 0]).unwrap(),
                };
                let on = points[..count].iter().filter(|it| it[0] == 0).map(|it| it[1]);
                on.collect::<BTreeSet<u32>>()
            };
            let of_tri = edge(Domain::Tri, &one);
            assert_eq!(of_tri, edge(Domain::Tri, &other), "{partitioning:?} {one:?}");
            assert_eq!(of_tri, edge(Domain::Quad, &one), "{partitioning:?} {one:?}");
            for (a, b) in of_tri.iter().zip(of_tri.iter().rev()) {
                assert_eq!(a + b, 1 << 16, "{partitioning:?} {one:?}");
            }
        }
    }
}

#[test]
fn factors_of_one_leave_a_patch_whole() {
    let factors = Factors { edges: [0.5, 1.0, 0.1, 1.0], insides: [f32::NAN, -3.0] };
    for partitioning in [Partitioning::Integer, Partitioning::Pow2, Partitioning::FractionalOdd] {
        let tri = patch(Domain::Tri, partitioning, &factors);
        assert_eq!(tri.points, [[0, 65536], [0, 0], [65536, 0]]);
        assert_eq!(tri.primitives, [[0, 1, 2]]);
        let quad = patch(Domain::Quad, partitioning, &factors);
        assert_eq!(quad.points, [[0, 0], [65536, 0], [65536, 65536], [0, 65536]]);
        assert_eq!(quad.primitives, [[0, 1, 3], [1, 2, 3]]);
    }
}

#[test]
fn a_factor_that_is_not_positive_culls_the_patch() {
    for bad in [0.0, -0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        for (domain, edges) in [(Domain::Tri, 3), (Domain::Quad, 4), (Domain::Isoline, 2)] {
            for edge in 0..4 {
                let mut factors = Factors { edges: [2.0; 4], insides: [2.0; 2] };
                factors.edges[edge] = bad;
                let found =
                    tessellate(domain, Partitioning::Integer, PatchTopology::Clockwise, &factors);
                assert_eq!(found.is_none(), edge < edges, "{domain:?} {bad} at {edge}");
            }
        }
    }
    // Insides do not cull.
    let factors = Factors { edges: [2.0; 4], insides: [f32::NAN, 0.0] };
    assert!(!patch(Domain::Quad, Partitioning::Integer, &factors).points.is_empty());
}

#[test]
fn integer_factors_give_their_number_of_segments() {
    for factor in 1..=64u32 {
        let even = Factors { edges: [factor as f32; 4], insides: [factor as f32; 2] };
        let quad = patch(Domain::Quad, Partitioning::Integer, &even);
        if factor > 1 {
            assert_eq!(quad.primitives.len() as u32, 2 * factor * factor, "{factor}");
            assert_eq!(quad.points.len() as u32, (factor + 1) * (factor + 1), "{factor}");
        }
        let tri = patch(Domain::Tri, Partitioning::Integer, &even);
        // Two thirds of a grid: rings of 3f, 3(f - 2) and so on points.
        let rings = (0..).map(|ring| factor as i64 - 2 * ring).take_while(|it| *it > 0);
        let points: i64 = rings.map(|it| 3 * it).sum::<i64>() + i64::from(factor % 2 == 0);
        assert_eq!(tri.points.len() as i64, points, "{factor}");
    }
}

#[test]
fn isolines_are_lines_of_segments() {
    let factors = Factors { edges: [2.5, 4.0, 0.0, 0.0], insides: [0.0; 2] };
    let lines =
        tessellate(Domain::Isoline, Partitioning::Integer, PatchTopology::Line, &factors).unwrap();
    let at = |u: u32, v: u32| [u * 16384, v];
    // Thirds, in fixed point.
    let rows = [0, 21845, 65536 - 21845];
    let points: Vec<[u32; 2]> =
        rows.into_iter().flat_map(|v| (0..5).map(move |u| at(u, v))).collect();
    assert_eq!(lines.points, points);
    let segments: Vec<[u32; 3]> = (0..3)
        .flat_map(|row| (0..4).map(move |s| [5 * row + s, 5 * row + s + 1, 5 * row + s + 1]))
        .collect();
    assert_eq!(lines.primitives, segments);
    let points =
        tessellate(Domain::Isoline, Partitioning::Integer, PatchTopology::Point, &factors).unwrap();
    assert_eq!(points.primitives.len(), 15);
}

#[test]
fn the_order_of_points_and_triangles_is_by_rings_and_edges() {
    let factors = Factors { edges: [2.0; 4], insides: [2.0; 2] };
    let tri = patch(Domain::Tri, Partitioning::Integer, &factors);
    let half = 32768;
    let corners = [[0, 65536], [0, half], [0, 0], [half, 0], [65536, 0], [half, half]];
    assert_eq!(tri.points[..6], corners);
    assert_eq!(tri.points[6], [0x5555; 2]);
    let fan = [[0, 1, 6], [1, 2, 6], [2, 3, 6], [3, 4, 6], [4, 5, 6], [5, 0, 6]];
    assert_eq!(tri.primitives, fan);
    let turned =
        tessellate(Domain::Tri, Partitioning::Integer, PatchTopology::CounterClockwise, &factors);
    assert_eq!(turned.unwrap().primitives[0], [0, 6, 1]);
}
