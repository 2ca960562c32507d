//! Properties of coverage that hold for every mesh.

use crate::common::{counts, draw, layout, vertices};
use ops::Random;
use wavelane_raster::*;

/// Points on a grid of 1/256 pixels, so that snapping moves none.
fn place(random: &mut Random, size: u32) -> [f32; 2] {
    [(); 2].map(|()| random.below(size as usize * 256) as f32 / 256.0)
}

/// A rectangle is divided into a mesh: each of its samples is covered exactly once, for every pattern.
#[test]
fn triangles_that_share_edges_cover_each_sample_once() {
    let size = 32;
    let mut random = Random::new(1);
    for round in 0..150 {
        for samples in Samples::ALL {
            let state = RasterState { samples, ..RasterState::new(size, size) };
            // A jittered grid beyond the target's edges; some points lie on pixel centres, where ties matter.
            let cells = 4;
            let mut point = |x: i32, y: i32| {
                let jitter = |random: &mut Random| match round % 3 {
                    0 => 0.0,
                    1 => (random.below(9) as f32 - 4.0) * 0.5,
                    _ => (random.below(1281) as f32 - 640.0) / 256.0,
                };
                [
                    x as f32 * 12.0 - 8.0 + jitter(&mut random),
                    y as f32 * 12.0 - 8.0 + jitter(&mut random),
                ]
            };
            let grid: Vec<Vec<[f32; 2]>> =
                (0..=cells).map(|y| (0..=cells).map(|x| point(x, y)).collect()).collect();
            let mut corners = Vec::new();
            for y in 0..cells as usize {
                for x in 0..cells as usize {
                    let [a, b, c, d] =
                        [grid[y][x], grid[y][x + 1], grid[y + 1][x], grid[y + 1][x + 1]];
                    // Both diagonals and both orders of vertices occur; the jitter is too small for a reflex angle.
                    if (x + y) % 2 == 0 {
                        corners.extend([a, b, c, b, c, d]);
                    } else {
                        corners.extend([a, b, d, d, c, a]);
                    }
                }
            }
            let words = vertices(size as f32, &corners, &[]);
            let counts = counts(&state, Topology::TriangleList, &words);
            assert!(counts.iter().all(|it| *it == 1), "{round} {samples:?}");
        }
    }
}

#[test]
fn a_fan_of_slivers_covers_each_sample_once() {
    let size = 16;
    let mut random = Random::new(2);
    for samples in Samples::ALL {
        let state = RasterState { samples, ..RasterState::new(size, size) };
        for _ in 0..40 {
            // Around a point inside, along a border far outside.
            let centre = place(&mut random, size);
            let mut border: Vec<[f32; 2]> = Vec::new();
            for side in 0..4 {
                let mut along: Vec<f32> =
                    (0..5).map(|_| random.below(48 * 256) as f32 / 256.0 - 16.0).collect();
                along.push(-16.0);
                along.sort_by(f32::total_cmp);
                border.extend(along.iter().map(|it| match side {
                    0 => [*it, -16.0],
                    1 => [32.0, *it],
                    2 => [16.0 - it, 32.0],
                    _ => [-16.0, 16.0 - it],
                }));
            }
            let corners: Vec<[f32; 2]> = (0..border.len())
                .flat_map(|i| [centre, border[i], border[(i + 1) % border.len()]])
                .collect();
            let words = vertices(size as f32, &corners, &[]);
            let counts = counts(&state, Topology::TriangleList, &words);
            assert!(counts.iter().all(|it| *it == 1), "{samples:?}");
        }
    }
}

#[test]
fn coverage_does_not_depend_on_the_first_vertex_or_the_facing() {
    let size = 64;
    let mut random = Random::new(3);
    for samples in [Samples::One, Samples::Four] {
        let state = RasterState { samples, ..RasterState::new(size, size) };
        for _ in 0..300 {
            let [a, b, c] = [(); 3].map(|()| place(&mut random, size));
            let of = |corners: [[f32; 2]; 3]| {
                counts(&state, Topology::TriangleList, &vertices(size as f32, &corners, &[]))
            };
            let first = of([a, b, c]);
            for other in [[b, c, a], [c, a, b], [c, b, a], [a, c, b]] {
                assert!(of(other) == first);
            }
        }
    }
}

/// With w = 1 and a triangle that reaches far out of the guard band, clipping must not change what is visible. The
/// snapped corners of the clipped polygon may move its edges by less than a unit of the grid.
#[test]
fn clipped_triangles_cover_what_whole_ones_would() {
    let size = 64u32;
    let mut random = Random::new(4);
    let mut differences = 0;
    for _ in 0..60 {
        let state = RasterState::new(size, size);
        let corners = [(); 3].map(|()| {
            [(); 2].map(|()| (random.unit() * 2.0 - 1.0) * f64::from(random.below(60_000) as u32))
        });
        let words = vertices(size as f32, &corners.map(|it| it.map(|it| it as f32)), &[]);
        let counts = counts(&state, Topology::TriangleList, &words);
        let positions: Vec<[f64; 2]> = words
            .chunks(4)
            .map(|it| {
                let half = f64::from(size) * 0.5;
                let number = |i: usize| f64::from(f32::from_bits(it[i]));
                [(number(0) + 1.0) * half, (1.0 - number(1)) * half]
            })
            .collect();
        for y in 0..size {
            for x in 0..size {
                let (px, py) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
                let distances = [0, 1, 2].map(|i: usize| {
                    let ([ax, ay], [bx, by]) = (positions[i], positions[(i + 1) % 3]);
                    ((bx - ax) * (py - ay) - (by - ay) * (px - ax)) / (bx - ax).hypot_of(by - ay)
                });
                let (least, most) = (
                    distances.iter().copied().fold(f64::INFINITY, f64::min),
                    distances.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                );
                let inside = least > 0.0 || most < 0.0;
                let margin = distances.iter().map(|it| it.abs()).fold(f64::INFINITY, f64::min);
                let covered = counts[(y * size + x) as usize];
                assert!(covered <= 1);
                if margin > 0.01 {
                    assert_eq!(covered == 1, inside, "{x} {y} {positions:?}");
                } else if (covered == 1) != inside {
                    differences += 1;
                }
            }
        }
    }
    assert!(differences < 20, "{differences}");
}

trait Hypotenuse {
    fn hypot_of(self, other: f64) -> f64;
}

impl Hypotenuse for f64 {
    fn hypot_of(self, other: f64) -> f64 {
        (self * self + other * other).sqrt()
    }
}

#[test]
fn points_cover_squares_of_one_pixel() {
    let state = RasterState::new(8, 8);
    let of = |x: f32, y: f32| {
        let counts = counts(&state, Topology::PointList, &vertices(8.0, &[[x, y]], &[]));
        counts
            .iter()
            .enumerate()
            .filter(|(_, it)| **it > 0)
            .map(|(i, _)| (i % 8, i / 8))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(2.5, 3.5), [(2, 3)]);
    // The upper left edges of the square belong to it: of two pixels it takes the left or upper one.
    assert_eq!(of(3.0, 3.5), [(2, 3)]);
    assert_eq!(of(3.0, 3.0), [(2, 2)]);
    assert_eq!(of(3.25, 3.75), [(3, 3)]);
    assert_eq!(of(-0.25, 0.0), []);
    let four = RasterState { samples: Samples::Four, ..state.clone() };
    let all = counts(&four, Topology::PointList, &vertices(8.0, &[[3.0, 3.0]], &[]));
    assert_eq!(all.iter().sum::<u32>(), 4);
}

#[test]
fn lines_cover_one_pixel_a_step() {
    let mut random = Random::new(6);
    let state = RasterState::new(64, 64);
    for _ in 0..300 {
        let [from, to] = [(); 2].map(|()| place(&mut random, 64));
        let words = vertices(64.0, &[from, to], &[]);
        let counts = counts(&state, Topology::LineList, &words);
        let steps = (to[0] - from[0]).abs().max((to[1] - from[1]).abs());
        let pixels = counts.iter().sum::<u32>() as f32;
        assert!((pixels - steps).abs() <= 1.5, "{from:?} {to:?} {pixels}");
        // One pixel in each column, or in each row.
        let flat = (to[0] - from[0]).abs() >= (to[1] - from[1]).abs();
        for a in 0..64 {
            let of = |b: usize| if flat { counts[b * 64 + a] } else { counts[a * 64 + b] };
            assert!((0..64).map(of).sum::<u32>() <= 2, "{from:?} {to:?}");
        }
    }
}

/// Any input gives a defined result.
#[test]
fn absurd_draws_are_total() {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.3,
        f32::MIN_POSITIVE,
        -1e-45,
        1e30,
        -3e38,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        32768.0,
        -32768.0,
    ];
    let viewports = [
        Viewport::whole(16, 16),
        Viewport {
            x: -32768.0,
            y: -32768.0,
            width: 65535.0,
            height: 65535.0,
            ..Viewport::whole(0, 0)
        },
        Viewport { width: f32::INFINITY, height: f32::NAN, x: f32::NAN, ..Viewport::whole(1, 1) },
        Viewport {
            width: -4.0,
            height: 1e-30,
            min_depth: 1.0,
            max_depth: 0.0,
            ..Viewport::whole(1, 1)
        },
    ];
    let inputs = Inputs::new(
        vec![
            Input::Varying {
                slot: 4,
                scalar: Scalar::F32,
                interpolation: Interpolation {
                    mode: Mode::Linear,
                    place: InterpolationPlace::Centroid,
                },
            },
            Input::Varying {
                slot: 4,
                scalar: Scalar::F16,
                interpolation: Interpolation {
                    mode: Mode::NoPerspective,
                    place: InterpolationPlace::Sample,
                },
            },
            Input::Position { component: 2, place: InterpolationPlace::Sample },
            Input::Position { component: 3, place: InterpolationPlace::Centre },
            Input::Coverage,
        ],
        VertexLayout { clip_distances: vec![5], cull_distances: vec![6], ..layout() },
    );
    let mut random = Random::new(7);
    let mut waves = 0;
    for round in 0..4000 {
        let topology =
            [Topology::PointList, Topology::LineStrip, Topology::TriangleStrip][round % 3];
        let samples = *random.pick(&Samples::ALL);
        let size = *random.pick(&[0, 1, 7, 16]);
        let mut state = RasterState::new(size, size);
        state.samples = samples;
        state.viewports = vec![*random.pick(&viewports)];
        state.sample_mask = random.bits() as u32;
        state.depth_clip = random.one_in(2);
        state.sample_frequency = random.one_in(4);
        state.depth_bias = DepthBias {
            bias: *random.pick(&[0, i32::MAX, i32::MIN]),
            slope: *random.pick(&numbers),
            clamp: *random.pick(&numbers),
        };
        state.depth_format =
            *random.pick(&[None, Some(DepthFormat::D16Unorm), Some(DepthFormat::D32Float)]);
        state.packing.odd_origin = [random.one_in(2), random.one_in(2)];
        let mut words = Vec::new();
        for _ in 0..4 * 7 {
            // Many ordinary numbers, so that some primitives are drawn.
            let number = if random.one_in(4) {
                *random.pick(&numbers)
            } else {
                random.unit() as f32 * 2.0 - 0.5
            };
            words.push(number.to_bits());
        }
        draw(&state, &inputs, topology, &words, 7, 16, |wave| {
            waves += 1;
            for quad in wave.quads() {
                let live = quad.covered.iter().enumerate().filter(|(_, it)| **it != 0);
                for (lane, covered) in live {
                    let (x, y) = (quad.x + lane as i32 % 2, quad.y + lane as i32 / 2);
                    assert!((0..size as i32).contains(&x) && (0..size as i32).contains(&y));
                    assert_eq!(covered & !(state.sample_mask as u16 & samples.all()), 0);
                }
            }
            let mut row = [0; 16];
            for input in 0..inputs.len() {
                wave.row(&inputs, input, &mut row);
                wave.evaluate(&inputs, input, 0, At::Snapped([7, -8]));
                wave.evaluate(&inputs, input, 1, At::Sample(u32::MAX));
                wave.at_vertex(&inputs, input, 2, 9);
            }
        });
    }
    assert!(waves > 200, "{waves}");
}

/// The search for a line's pixels is narrowed to where the line is; a line across a large target is drawn at once.
#[test]
fn long_lines_are_complete() {
    let size = 2048;
    let mut random = Random::new(8);
    let state = RasterState::new(size, size);
    for _ in 0..20 {
        let [from, to] = [(); 2].map(|()| place(&mut random, size));
        let words = vertices(size as f32, &[from, to], &[]);
        let counts = counts(&state, Topology::LineList, &words);
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let flat = dx.abs() >= dy.abs();
        // Every step along the major axis has its pixel.
        let (a, b) = if flat { (from[0], to[0]) } else { (from[1], to[1]) };
        for step in a.min(b).ceil() as usize + 1..(a.max(b).floor() as usize).saturating_sub(1) {
            let of = |it: usize| {
                let at = if flat { it * size as usize + step } else { step * size as usize + it };
                counts[at]
            };
            assert_eq!((0..size as usize).map(of).sum::<u32>(), 1, "{from:?} {to:?} {step}");
        }
    }
}

#[test]
fn million_pixel_points_and_lines_cost_what_is_visible() {
    let state = RasterState::new(64, 64);
    let words = vertices(64.0, &[[-1e6, -1e6], [1e6, 1e6]], &[]);
    assert_eq!(counts(&state, Topology::LineList, &words).iter().sum::<u32>(), 64);
    let far = vertices(64.0, &[[1e6, 1e6]], &[]);
    assert_eq!(counts(&state, Topology::PointList, &far).iter().sum::<u32>(), 0);
}
