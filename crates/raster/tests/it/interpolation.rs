//! The inputs of a pixel.

use crate::common::{draw, layout, vertices};
use ops::{F16, Random};
use wavelane_raster::*;

const fn at(mode: Mode, place: InterpolationPlace) -> Interpolation {
    Interpolation { mode, place }
}

fn varying(scalar: Scalar, interpolation: Interpolation) -> Input {
    Input::Varying { slot: 4, scalar, interpolation }
}

/// One vertex: a position in clip space and a slot.
fn vertex(position: [f32; 4], slot: u32) -> Vec<u32> {
    position.map(f32::to_bits).into_iter().chain([slot]).collect()
}

/// For each pixel of a draw, the values of an input, helpers included.
fn values(
    state: &RasterState,
    topology: Topology,
    words: &[u32],
    input: Input,
) -> Vec<([i32; 2], bool, u32)> {
    let inputs = Inputs::new(vec![input], layout());
    let mut values = Vec::new();
    draw(state, &inputs, topology, words, 5, 8, |wave| {
        let mut row = [0; 8];
        wave.row(&inputs, 0, &mut row);
        for lane in wave.lanes().iter() {
            let helper = wave.helpers().contains(lane);
            values.push((wave.pixel(lane), helper, row[lane as usize]));
        }
    });
    values
}

/// Random triangles in perspective: a constant stays itself in every lane, in every mode and at every place.
#[test]
fn a_constant_stays_itself() {
    let mut random = Random::new(1);
    let mut lanes = 0;
    for round in 0..300 {
        let samples = *random.pick(&Samples::ALL);
        let state = RasterState { samples, ..RasterState::new(16, 16) };
        let topology = [Topology::TriangleList, Topology::LineList, Topology::PointList][round % 3];
        let constant = [0, (-1.0f32).to_bits(), 1.0f32.to_bits(), 0x0000_0001, 0x7f7f_ffff]
            .get(random.below(6))
            .copied()
            .unwrap_or((random.unit() as f32).to_bits());
        let mut words = Vec::new();
        let mut halves = Vec::new();
        for _ in 0..3 {
            let w = (random.unit() * 9.0 + 0.1) as f32;
            let mut place = || (random.unit() * 4.0 - 2.0) as f32 * w;
            let position = [place(), place(), 0.5 * w, w];
            words.extend(vertex(position, constant));
            halves.extend(vertex(position, constant >> 17));
        }
        for mode in [Mode::Linear, Mode::NoPerspective, Mode::Flat] {
            for place in [
                InterpolationPlace::Centre,
                InterpolationPlace::Centroid,
                InterpolationPlace::Sample,
            ] {
                let input = varying(Scalar::F32, at(mode, place));
                for (_, helper, value) in values(&state, topology, &words, input) {
                    // Weights of helpers may be negative, and so may their zeros.
                    let is_zero = helper && value == 0x8000_0000 && constant == 0;
                    let expected = if is_zero { value } else { constant };
                    assert_eq!(value, expected, "{mode:?} {place:?} {topology:?}");
                    lanes += 1;
                }
                let input = varying(Scalar::F16, at(mode, place));
                for (_, helper, value) in values(&state, topology, &halves, input) {
                    let is_zero = helper && value == 0x8000 && constant >> 17 == 0;
                    let expected = if is_zero { value } else { constant >> 17 };
                    assert_eq!(value, expected, "{mode:?} {place:?} {topology:?}");
                }
            }
        }
    }
    assert!(lanes > 10_000, "{lanes}");
}

const CLIP: [[f32; 2]; 3] = [[-1.0, 1.0], [3.0, 1.0], [-1.0, -3.0]];

/// A triangle that covers the target, with a separate w and separate values for each vertex.
fn whole(w: [f32; 3], slots: [u32; 3]) -> Vec<u32> {
    (0..3)
        .flat_map(|i| {
            let [x, y] = CLIP[i];
            vertex([x * w[i], y * w[i], 0.25 * w[i], w[i]], slots[i])
        })
        .collect()
}

#[test]
fn modes_differ_in_perspective_only() {
    let state = RasterState::new(4, 4);
    let numbers = [0.0f32, 8.0, 0.0].map(f32::to_bits);
    let flat_w = whole([1.0; 3], numbers);
    let deep_w = whole([1.0, 4.0, 1.0], numbers);
    let of = |words: &[u32], mode| {
        let input = varying(Scalar::F32, at(mode, InterpolationPlace::Centre));
        values(&state, Topology::TriangleList, words, input)
            .into_iter()
            .map(|(pixel, _, bits)| (pixel, f32::from_bits(bits)))
            .collect::<Vec<_>>()
    };
    // The second vertex has weight u = (x + 1/2) / 8.
    for ([x, _], value) in of(&deep_w, Mode::NoPerspective) {
        assert_eq!(value, x as f32 + 0.5);
    }
    assert_eq!(of(&flat_w, Mode::Linear), of(&flat_w, Mode::NoPerspective));
    for ([x, _], value) in of(&deep_w, Mode::Linear) {
        let u = (f64::from(x) + 0.5) / 8.0;
        assert_eq!(value, (8.0 * (u / 4.0) / (1.0 - u + u / 4.0)) as f32);
    }
    assert!(of(&deep_w, Mode::Flat).iter().all(|(_, value)| *value == 0.0));
}

/// 16-bit floats are rounded once, not through f32.
#[test]
fn halves_are_rounded_once() {
    let state = RasterState::new(64, 64);
    let ends = [0x0001u16, 0x7bff, 0x3555];
    let words = whole([1.0, 3.0, 7.0], ends.map(u32::from));
    let input = |scalar| varying(scalar, at(Mode::NoPerspective, InterpolationPlace::Centre));
    for ([x, y], _, bits) in values(&state, Topology::TriangleList, &words, input(Scalar::F16)) {
        let (u, v) = ((f64::from(x) + 0.5) / 128.0, (f64::from(y) + 0.5) / 128.0);
        let [a, b, c] = ends.map(|it| F16(it).to_f64());
        let exact = (1.0 - u - v) * a + u * b + v * c;
        assert_eq!(bits, u32::from(F16::from_f64(exact).0), "{x} {y}");
    }
}

#[test]
fn integers_and_flat_inputs_are_the_leading_vertexs() {
    let state = RasterState::new(4, 4);
    let words = whole([1.0, 2.0, 3.0], [7, 8, 9]);
    for interpolation in [Interpolation::FLAT, Interpolation::LINEAR] {
        let input = varying(Scalar::Int { bits: 32 }, interpolation);
        let all = values(&state, Topology::TriangleList, &words, input);
        assert!(all.len() == 16 && all.iter().all(|it| it.2 == 7));
    }
    let inputs = Inputs::new(vec![varying(Scalar::F32, Interpolation::FLAT)], layout());
    let mut asked = 0;
    draw(&state, &inputs, Topology::TriangleList, &words, 5, 4, |wave| {
        asked += 1;
        assert_eq!([0, 1, 2, 3].map(|k| wave.at_vertex(&inputs, 0, 1, k)), [7, 8, 9, 9]);
    });
    let line = [vertex([-1.0, 0.25, 0.0, 1.0], 8), vertex([1.0, 0.25, 0.0, 1.0], 9)].concat();
    draw(&state, &inputs, Topology::LineList, &line, 5, 4, |wave| {
        asked += 1;
        assert_eq!([0, 1, 2].map(|k| wave.at_vertex(&inputs, 0, 1, k)), [8, 9, 9]);
    });
    assert!(asked > 4);
}

#[test]
fn positions_have_depth_and_w() {
    let state = RasterState::new(4, 4);
    let words = whole([2.0; 3], [0; 3]);
    let of = |component| {
        let input = Input::Position { component, place: InterpolationPlace::Centre };
        values(&state, Topology::TriangleList, &words, input)
            .into_iter()
            .map(|(pixel, _, bits)| (pixel, f32::from_bits(bits)))
            .collect::<Vec<_>>()
    };
    assert!(of(0).iter().all(|([x, _], value)| *value == *x as f32 + 0.5));
    assert!(of(1).iter().all(|([_, y], value)| *value == *y as f32 + 0.5));
    assert!(of(2).iter().all(|(_, value)| *value == 0.25));
    assert!(of(3).iter().all(|(_, value)| *value == 2.0));
}

#[test]
fn barycentrics_sum_to_one_and_name_vertices() {
    let state = RasterState::new(8, 8);
    let words = whole([1.0, 4.0, 2.0], [0; 3]);
    for mode in [Mode::Linear, Mode::NoPerspective] {
        let of = |vertex| {
            let input =
                Input::Barycentric { vertex, interpolation: at(mode, InterpolationPlace::Centre) };
            values(&state, Topology::TriangleList, &words, input)
        };
        let [a, b, c] = [0, 1, 2].map(of);
        for ((a, b), c) in a.iter().zip(&b).zip(&c) {
            let sum: f32 = [a, b, c].iter().map(|it| f32::from_bits(it.2)).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{mode:?}");
        }
        // The first pixel is near the first vertex.
        assert!(f32::from_bits(a[0].2) > 0.8);
    }
}

/// Clipping must not bend anything: both modes agree with the unclipped triangle inside the target.
#[test]
fn clipped_triangles_interpolate_as_whole_ones() {
    let state = RasterState::new(16, 16);
    // The same plane, once with corners far out of the guard band, once without.
    let plane = |[x, y]: [f32; 2]| x * 0.5 - y * 0.25;
    let near = [[-1.0f32, 1.0], [3.0, 1.0], [-1.0, -3.0]];
    let far = [[-40_000.0f32, 40_000.0], [120_000.0, 40_000.0], [-40_000.0, -120_000.0]];
    for mode in [Mode::Linear, Mode::NoPerspective] {
        let of = |corners: [[f32; 2]; 3], w: f32| {
            let words: Vec<u32> = corners
                .iter()
                .flat_map(|it| vertex([it[0] * w, it[1] * w, 0.5 * w, w], plane(*it).to_bits()))
                .collect();
            let mut all = values(
                &state,
                Topology::TriangleList,
                &words,
                varying(Scalar::F32, at(mode, InterpolationPlace::Centre)),
            );
            all.retain(|it| !it.1);
            all.sort_by_key(|it| [it.0[1], it.0[0]]);
            all
        };
        let (near, far) = (of(near, 1.0), of(far, 2.0));
        assert_eq!(near.len(), 256);
        assert_eq!(far.len(), 256);
        for (near, far) in near.iter().zip(&far) {
            assert_eq!(near.0, far.0);
            let [near, far] = [near.2, far.2].map(f32::from_bits);
            assert!((near - far).abs() < 0.01, "{mode:?} {near} {far}");
        }
    }
}

#[test]
fn a_triangle_behind_the_eye_keeps_its_values() {
    // The plane y = -1 of the world, from the eye outwards; the value is the depth, w.
    let state = RasterState::new(16, 16);
    let floor = |x: f32, z: f32| vertex([x, -1.0, 0.5 * z, z], z.to_bits());
    let words = [floor(-100.0, -5.0), floor(100.0, -5.0), floor(0.0, 200.0)].concat();
    let input = varying(Scalar::F32, at(Mode::Linear, InterpolationPlace::Centre));
    let all = values(&state, Topology::TriangleList, &words, input);
    let seen: Vec<_> = all.iter().filter(|it| !it.1).collect();
    assert!(seen.len() > 50, "{}", seen.len());
    for ([_, y], _, bits) in seen {
        // y/w = -1/w on the screen.
        let ndc = 1.0 - (f64::from(*y) + 0.5) / 8.0;
        let value = f64::from(f32::from_bits(*bits));
        // Near the horizon, snapping moves the plane by much.
        assert!((value * -ndc - 1.0).abs() < 5e-3, "{y} {value}");
    }
}

/// Centroids: the centre if all samples are covered, else the first covered sample, else the mask's.
#[test]
fn centroids_lie_in_the_primitive() {
    let state = RasterState { samples: Samples::Four, ..RasterState::new(4, 4) };
    let of = |state: &RasterState, corners: &[[f32; 2]]| {
        let words = vertices(4.0, corners, &[0]);
        let place = |component| Input::Position { component, place: InterpolationPlace::Centroid };
        let x = values(state, Topology::TriangleList, &words, place(0));
        let y = values(state, Topology::TriangleList, &words, place(1));
        x.into_iter()
            .zip(y)
            .map(|(x, y)| (x.0, x.1, [x.2, y.2].map(f32::from_bits)))
            .collect::<Vec<_>>()
    };
    // Right of x = 0.6, sample 1 is the first that is covered in the pixels of the first column.
    let corners = [[0.6, -9.0], [0.6, 9.0], [40.0, 0.0]];
    for ([x, y], helper, [u, v]) in of(&state, &corners) {
        assert!(!helper);
        let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
        let expected = if x == 0 { [px + 0.375, py - 0.125] } else { [px, py] };
        assert_eq!([u, v], expected, "{x} {y}");
    }
    // Samples 2 and 3 only: sample 3 is covered in the first column, and helpers take sample 2.
    let masked = RasterState { sample_mask: 0b1100, ..state.clone() };
    for ([x, y], helper, [u, v]) in of(&masked, &[[0.6, 0.0], [0.6, 1.0], [1.0, 0.5]]) {
        let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
        let offset = if helper { [-0.375, 0.125] } else { [0.125, 0.375] };
        assert_eq!([u, v], [px + offset[0], py + offset[1]], "{x} {y} {helper}");
    }
    // Without a mask helpers stay at the centre.
    for ([x, y], helper, place) in of(&state, &[[0.6, 0.0], [0.6, 1.0], [1.0, 0.5]]) {
        if helper {
            assert_eq!(place, [x as f32 + 0.5, y as f32 + 0.5]);
        }
    }
}

#[test]
fn inputs_can_be_evaluated_elsewhere() {
    let state = RasterState { samples: Samples::Four, ..RasterState::new(4, 4) };
    // The value is x in pixels.
    let words = whole([1.0; 3], [0.0f32, 8.0, 0.0].map(f32::to_bits));
    let inputs = Inputs::new(
        vec![varying(Scalar::F32, at(Mode::Linear, InterpolationPlace::Sample))],
        layout(),
    );
    draw(&state, &inputs, Topology::TriangleList, &words, 5, 16, |wave| {
        for lane in wave.lanes().iter() {
            let x = wave.pixel(lane)[0] as f32 + 0.5;
            let value = |at| f32::from_bits(wave.evaluate(&inputs, 0, lane, at)) - x;
            assert_eq!(value(At::Centre), 0.0);
            assert_eq!(value(At::Centroid), 0.0);
            assert_eq!(value(At::Sample(1)), 0.375);
            assert_eq!(value(At::Sample(9)), 0.125);
            assert_eq!(value(At::Snapped([-8, 0])), -0.5);
            assert_eq!(value(At::Snapped([7, 3])), 0.4375);
            assert_eq!(value(At::Snapped([0x18, 0])), -0.5);
        }
    });
}

#[test]
fn clip_and_cull_distances_drop_samples_and_primitives() {
    let state = RasterState::new(4, 4);
    // The distance is x - 2 in pixels, or a constant.
    let count = |clip: Vec<u32>, cull: Vec<u32>, slots: [f32; 3]| {
        let layout = VertexLayout { clip_distances: clip, cull_distances: cull, ..layout() };
        let inputs = Inputs::new(Vec::new(), layout);
        let words = whole([1.0, 2.0, 3.0], slots.map(f32::to_bits));
        let mut live = 0;
        draw(&state, &inputs, Topology::TriangleList, &words, 5, 16, |wave| {
            live += (wave.lanes() & !wave.helpers()).count();
        });
        live
    };
    // Linear in space, and 0 on the screen where it is 0 in space: with w = 1, 2, 3 the weights change, not the sign.
    assert_eq!(count(vec![4], vec![], [-2.0, 12.0, -6.0]), 8);
    assert_eq!(count(vec![4], vec![], [f32::NAN, 1.0, 1.0]), 0);
    assert_eq!(count(vec![4], vec![], [0.0, 0.0, 0.0]), 16);
    assert_eq!(count(vec![4], vec![], [-0.0, -0.0, -0.0]), 16);
    assert_eq!(count(vec![], vec![4], [-1.0, f32::NAN, -3.0]), 0);
    assert_eq!(count(vec![], vec![4], [-1.0, -1.0, 0.0]), 16);
}

#[test]
fn near_and_far_plane_are_tested_for_each_sample() {
    let mut state = RasterState::new(4, 4);
    let words: Vec<u32> = CLIP
        .iter()
        .zip([-0.5f32, 1.5, -0.5])
        .flat_map(|([x, y], z)| vertex([*x, *y, z, 1.0], 0))
        .collect();
    // z = (x + 1/2) / 4 - 1/2 in pixel x.
    let live = |state: &RasterState| {
        let input = Input::Position { component: 2, place: InterpolationPlace::Centre };
        let mut all = values(state, Topology::TriangleList, &words, input);
        all.retain(|it| !it.1);
        all.len()
    };
    assert_eq!(live(&state), 8);
    state.depth_clip = false;
    assert_eq!(live(&state), 16);
}

/// Rows are computed for many lanes at once, with shortcuts for solid rows of quads and for w = 1. Each value is the
/// one that the definition gives for its lane alone.
#[test]
fn rows_of_lanes_agree_with_the_definition() {
    let mut random = Random::new(6);
    let mut compared = 0;
    for round in 0..240 {
        let samples = if round % 3 == 0 { *random.pick(&Samples::ALL) } else { Samples::One };
        let state = RasterState {
            samples,
            sample_frequency: random.one_in(3),
            sample_mask: if random.one_in(4) { random.bits() as u32 } else { u32::MAX },
            ..RasterState::new(64, 24)
        };
        let topology = *random.pick(&[
            Topology::TriangleList,
            Topology::TriangleList,
            Topology::TriangleList,
            Topology::LineList,
            Topology::PointList,
        ]);
        let is_flat = random.one_in(2);
        // From triangles of a few pixels to ones that cover rows of whole blocks.
        let reach = *random.pick(&[0.2, 1.0, 4.0]);
        let mut words = Vec::new();
        let count = 6 + random.below(12);
        for _ in 0..count {
            let w = if is_flat { 1.0 } else { (random.unit() * 5.0 + 0.2) as f32 };
            let mut place = || ((random.unit() * 2.0 - 1.0) * reach) as f32 * w;
            let (x, y) = (place(), place());
            let z = random.unit() as f32;
            let value = (random.unit() * 100.0 - 50.0) as f32;
            words.extend(vertex([x, y, z * w, w], value.to_bits()));
            words.extend([u32::from(F16::from_f32(value).0), z.to_bits()]);
        }
        let mut inputs = Vec::new();
        for mode in [Mode::Linear, Mode::NoPerspective, Mode::Flat] {
            for place in [
                InterpolationPlace::Centre,
                InterpolationPlace::Centroid,
                InterpolationPlace::Sample,
            ] {
                let interpolation = at(mode, place);
                inputs.push((varying(Scalar::F32, interpolation), place));
                let half = Input::Varying { slot: 5, scalar: Scalar::F16, interpolation };
                inputs.push((half, place));
                inputs.push((Input::Barycentric { vertex: 1, interpolation }, place));
            }
        }
        let depth = Input::Position { component: 2, place: InterpolationPlace::Centre };
        inputs.push((depth, InterpolationPlace::Centre));
        let (depth, number) = (inputs.len() - 1, inputs.len());
        let interpolation = at(Mode::NoPerspective, InterpolationPlace::Centre);
        let of_depth = Input::Varying { slot: 6, scalar: Scalar::F32, interpolation };
        inputs.push((of_depth, InterpolationPlace::Centre));
        let places: Vec<InterpolationPlace> = inputs.iter().map(|it| it.1).collect();
        let inputs = Inputs::new(inputs.into_iter().map(|it| it.0).collect(), layout());
        let width = *random.pick(&[4, 8, 32, 128]);
        draw(&state, &inputs, topology, &words, 7, width, |wave| {
            let mut row = vec![1; width as usize];
            for (input, place) in places.iter().enumerate() {
                wave.row(&inputs, input, &mut row);
                let beyond = wave.lanes().count() as usize;
                assert!(row[beyond..].iter().all(|it| *it == 0));
                for lane in wave.lanes().iter() {
                    let sample = wave.quad(lane as usize / 4).sample;
                    let at = match (place, sample) {
                        (InterpolationPlace::Centroid, _) => At::Centroid,
                        (InterpolationPlace::Sample, Some(sample)) => At::Sample(u32::from(sample)),
                        (InterpolationPlace::Centre, _) | (InterpolationPlace::Sample, None) => {
                            At::Centre
                        }
                    };
                    let of = if input == depth {
                        // Only where the divisions by w are exact, the vertices have exactly this z.
                        if !is_flat {
                            continue;
                        }
                        number
                    } else {
                        input
                    };
                    let expected = wave.evaluate(&inputs, of, lane, at);
                    assert_eq!(row[lane as usize], expected, "{round} {input} {lane}");
                    compared += 1;
                }
            }
        });
    }
    assert!(compared > 200_000, "{compared}");
}
