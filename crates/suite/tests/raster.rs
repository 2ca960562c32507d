//! The rasterizer against the second opinion in exact rational arithmetic.

use ops::Random;
use raster::{
    Assembly, Batch, Input, Inputs, Interpolation, Mode, Place, RasterState, Rasterizer, Samples,
    Scalar, Topology, VertexLayout, Vertices, Wave,
};
use suite::rational::{Triangle, Vertex, places};

/// Three random vertices. Some lie on pixel centres and corners, where ties decide.
fn triangle(random: &mut Random, size: u32) -> [Vertex; 3] {
    let on_grid = random.one_in(3);
    [(); 3].map(|()| {
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
    })
}

fn check(random: &mut Random, samples: Samples, size: u32) -> usize {
    let vertices = triangle(random, size);
    let expected = Triangle::new(vertices, size);
    let state = RasterState { samples, ..RasterState::new(size, size) };
    let layout = VertexLayout { position: Some([0, 1, 2, 3]), ..VertexLayout::default() };
    let input = |mode| Input::Varying {
        slot: 4,
        scalar: Scalar::F32,
        interpolation: Interpolation { mode, place: Place::Centre },
    };
    let inputs = Inputs::new(vec![input(Mode::Linear), input(Mode::NoPerspective)], layout);
    let words: Vec<u32> = vertices
        .iter()
        .flat_map(|it| it.position.into_iter().chain([it.value]).map(f32::to_bits))
        .collect();
    let assembly = Assembly::plain(Topology::TriangleList, 3);
    let mut primitives = assembly.primitives();
    let mut batch =
        Batch { vertices: Vertices { words: &words, slots: 5 }, primitives: &mut primitives };
    let mut rasterizer =
        Rasterizer::new(state.clone(), inputs.clone(), Topology::TriangleList.kind());
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
            let quad = &wave.quads()[lane as usize / 4];
            let at = &mut covered[(y * size + x) as usize];
            assert_eq!(*at, 0, "{x} {y}: {vertices:?}");
            *at = quad.covered[lane as usize % 4];
            let centre = places(1, x, y)[0];
            // Outside of the triangle weights may cancel.
            if expected.covers(centre) {
                let seen = expected.at(centre);
                let values = rows.map(|row| f32::from_bits(row[lane as usize] as u32));
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
            let expected = places(samples.count() as usize, x, y)
                .into_iter()
                .enumerate()
                .fold(0, |all, (i, place)| all | u16::from(expected.covers(place)) << i);
            assert_eq!(
                covered[(y * size + x) as usize],
                expected,
                "{samples:?} {x} {y}: {vertices:?}"
            );
        }
    }
    compared
}

#[test]
fn random_triangles_agree_with_exact_fractions() {
    let mut random = Random::new(16);
    let mut compared = 0;
    for round in 0..400 {
        let samples = Samples::ALL[round % 5];
        compared += check(&mut random, samples, [4, 8, 16][round % 3]);
    }
    assert!(compared > 5_000, "{compared}");
}
