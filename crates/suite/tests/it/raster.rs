//! The rasterizer against the second opinion in exact rational arithmetic.

use ops::Random;
use raster::{
    Assembly, Batch, Input, Inputs, Interpolation, InterpolationPlace, Mode, RasterState,
    Rasterizer, Samples, Scalar, Topology, VertexLayout, Vertices, Wave,
};
use suite::rational::{Line, Point, Seen, Triangle, Vertex, places};

/// A primitive as the second opinion sees it.
enum Primitive {
    Triangle(Triangle),
    Line(Line),
    Point(Point, f32),
}

impl Primitive {
    /// The samples of a pixel that it covers.
    fn covered(&self, samples: Samples, x: u32, y: u32) -> u16 {
        let count = samples.count() as usize;
        let each = |covers: &dyn Fn([i128; 2]) -> bool| {
            let places = places(count, x, y).into_iter().enumerate();
            places.fold(0, |all, (i, place)| all | u16::from(covers(place)) << i)
        };
        match self {
            Primitive::Triangle(it) => each(&|place| it.covers(place)),
            Primitive::Point(it, _) => each(&|place| it.covers(place)),
            // A line is not covered sample by sample.
            Primitive::Line(it) if it.covers(places(1, x, y)[0]) => ((1u32 << count) - 1) as u16,
            Primitive::Line(_) => 0,
        }
    }

    /// The value at a place, where weights do not cancel.
    fn at(&self, place: [i128; 2]) -> Option<Seen> {
        match self {
            // Outside of the triangle weights may cancel.
            Primitive::Triangle(it) => it.covers(place).then(|| it.at(place)),
            Primitive::Line(it) => it.at(place),
            Primitive::Point(_, value) => Some(Seen { linear: *value, flat_on_screen: *value }),
        }
    }
}

/// Random vertices. Some lie on pixel centres and corners, where ties decide.
fn vertices(random: &mut Random, size: u32, count: usize) -> Vec<Vertex> {
    let on_grid = random.one_in(3);
    let vertex = |_| {
        let w = if random.one_in(2) { 1.0 } else { (random.unit() * 8.0 + 0.125) as f32 };
        let mut place = || {
            let ndc = if on_grid {
                random.below(4 * size as usize + 1) as f32 / size as f32 - 2.0
            } else {
                (random.unit() * 4.0 - 2.0) as f32
            };
            ndc * w
        };
        let position = [place(), place(), 0.5 * w, w];
        // Of one sign, so that nothing cancels and f64 is far more exact than needed.
        Vertex { position, value: (random.unit() + 1.0) as f32 }
    };
    (0..count).map(vertex).collect()
}

fn check(random: &mut Random, topology: Topology, samples: Samples, size: u32) -> usize {
    let count = match topology {
        Topology::PointList => 1,
        Topology::LineList => 2,
        _ => 3,
    };
    let vertices = vertices(random, size, count);
    let expected = match vertices.as_slice() {
        [it] => Primitive::Point(Point::new(*it, size), it.value),
        [a, b] => Primitive::Line(Line::new([*a, *b], size)),
        [a, b, c] => Primitive::Triangle(Triangle::new([*a, *b, *c], size)),
        _ => unreachable!("a primitive has one to three vertices"),
    };
    let state = RasterState { samples, ..RasterState::new(size, size) };
    let layout = VertexLayout { position: Some([0, 1, 2, 3]), ..VertexLayout::default() };
    let input = |mode| Input::Varying {
        slot: 4,
        scalar: Scalar::F32,
        interpolation: Interpolation { mode, place: InterpolationPlace::Centre },
    };
    let inputs = Inputs::new(vec![input(Mode::Linear), input(Mode::NoPerspective)], layout);
    let words: Vec<u32> = vertices
        .iter()
        .flat_map(|it| it.position.into_iter().chain([it.value]).map(f32::to_bits))
        .collect();
    let assembly = Assembly::plain(topology, count as u32);
    let mut primitives = assembly.primitives();
    let mut batch =
        Batch { vertices: Vertices { words: &words, slots: 5 }, primitives: &mut primitives };
    let mut rasterizer = Rasterizer::new(state.clone(), inputs.clone(), topology.kind());
    let mut wave = Wave::new(16, &state);
    let mut covered = vec![0u16; (size * size) as usize];
    let mut compared = 0;
    loop {
        let more = rasterizer.fill(&mut batch, None, &mut wave);
        let mut rows = [[0; 16]; 2];
        for (input, row) in rows.iter_mut().enumerate() {
            wave.row(&inputs, input, row);
        }
        for lane in (wave.lanes() & !wave.helpers()).iter() {
            let [x, y] = wave.pixel(lane).map(|it| it as u32);
            let quad = wave.quad(lane as usize / 4);
            let at = &mut covered[(y * size + x) as usize];
            assert_eq!(*at, 0, "{x} {y}: {vertices:?}");
            *at = quad.covered[lane as usize % 4];
            if let Some(seen) = expected.at(places(1, x, y)[0]) {
                let values = rows.map(|row| f32::from_bits(row[lane as usize]));
                assert_eq!(values, [seen.linear, seen.flat_on_screen], "{x} {y}: {vertices:?}");
                compared += 1;
            }
        }
        wave.clear();
        if !more {
            break;
        }
    }
    for y in 0..size {
        for x in 0..size {
            assert_eq!(
                covered[(y * size + x) as usize],
                expected.covered(samples, x, y),
                "{samples:?} {x} {y}: {vertices:?}"
            );
        }
    }
    compared
}

/// Checks random primitives; at least `least` values must have been compared.
fn agree(topology: Topology, rounds: usize, least: usize) {
    let mut random = Random::new(16);
    let mut compared = 0;
    for round in 0..rounds {
        let samples = Samples::ALL[round % 5];
        compared += check(&mut random, topology, samples, [4, 8, 16][round % 3]);
    }
    assert!(compared > least, "{compared}");
}

#[test]
fn random_triangles_agree_with_exact_fractions() {
    agree(Topology::TriangleList, 400, 5_000);
}

#[test]
fn random_lines_agree_with_exact_fractions() {
    agree(Topology::LineList, 600, 1_500);
}

#[test]
fn random_points_agree_with_exact_fractions() {
    agree(Topology::PointList, 600, 100);
}
