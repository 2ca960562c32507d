//! Which pixel is which lane of which wave.

use crate::common::{draw, layout, vertices};
use wavelane_raster::*;

/// The masks of participants, wave by wave.
fn masks(state: &RasterState, corners: &[[f32; 2]], width: u32) -> Vec<u128> {
    let words = vertices(state.width as f32, corners, &[]);
    let inputs = Inputs::new(Vec::new(), layout());
    let mut masks = Vec::new();
    draw(state, &inputs, Topology::TriangleList, &words, 4, width, |wave| {
        masks.push((wave.lanes() & !wave.helpers()).0);
    });
    masks
}

const CORNER: [[f32; 2]; 3] = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]];
/// Two triangles that tile a target of 4×4 pixels.
const TILES: [[f32; 2]; 6] =
    [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [0.0, 4.0], [4.0, 0.0], [4.0, 4.0]];

#[test]
fn quads_are_dense_in_rows() {
    let state = RasterState::new(8, 8);
    let of = |width| masks(&state, &CORNER, width);
    assert_eq!(of(4), [15, 15, 15, 1, 15, 15, 1, 15, 1, 1]);
    assert_eq!(of(8), [0xff, 0x1f, 0xff, 0xf1, 0x11]);
    assert_eq!(of(16), [0x1fff, 0xf1ff, 0x11]);
    assert_eq!(of(32), [0xf1ff_1fff, 0x11]);
    assert_eq!(of(64), [0x11_f1ff_1fff]);
    assert_eq!(of(128), of(64));
}

#[test]
fn waves_mix_primitives_unless_they_must_not() {
    let mut state = RasterState::new(4, 4);
    assert_eq!(masks(&state, &TILES, 16), [0xe11f, 0xfe]);
    state.packing.per_primitive = true;
    assert_eq!(masks(&state, &TILES, 16), [0x11f, 0xfee]);
    state.packing.one_quad = true;
    assert_eq!(masks(&state, &TILES, 16), [0xf, 0x1, 0x1, 0xe, 0xe, 0xf]);
}

#[test]
fn ordered_waves_are_closed_before_an_overlap() {
    let mut state = RasterState::new(4, 4);
    state.packing.ordered = true;
    // The second triangle begins with a quad that the first has.
    assert_eq!(masks(&state, &TILES, 32), [0x11f, 0xfee]);
    let far: Vec<[f32; 2]> =
        TILES.into_iter().take(3).chain([[3.0, 3.0], [4.0, 3.0], [4.0, 4.0]]).collect();
    assert_eq!(masks(&state, &far, 32).len(), 1);
}

#[test]
fn quads_may_begin_at_odd_pixels() {
    let mut state = RasterState::new(4, 4);
    state.packing.odd_origin = [true, true];
    let whole = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]];
    assert_eq!(masks(&state, &whole, 64), [0x1_325f_a4c8]);
    let words = vertices(4.0, &whole, &[]);
    let inputs = Inputs::new(Vec::new(), layout());
    draw(&state, &inputs, Topology::TriangleList, &words, 4, 64, |wave| {
        let corners: Vec<[i32; 2]> = wave.quads().map(|it| [it.x, it.y]).collect();
        assert_eq!(corners[..4], [[-1, -1], [1, -1], [3, -1], [-1, 1]]);
        assert_eq!(wave.quad(0).covered, [0, 0, 0, 1]);
        assert_eq!(wave.quad(2).covered, [0, 0, 1, 0]);
    });
}

#[test]
fn sample_frequency_has_a_quad_for_each_covered_sample() {
    let state = RasterState {
        samples: Samples::Four,
        sample_frequency: true,
        sample_mask: 0b1011,
        ..RasterState::new(2, 2)
    };
    // Only sample 3 of the left pixels lies right of x = 0.6 of them.
    let corners = [[0.6, -9.0], [0.6, 9.0], [40.0, 0.0]];
    let words = vertices(2.0, &corners, &[]);
    let inputs = Inputs::new(vec![Input::SampleIndex, Input::Coverage], layout());
    draw(&state, &inputs, Topology::TriangleList, &words, 4, 16, |wave| {
        let samples: Vec<_> = wave.quads().map(|it| it.sample).collect();
        assert_eq!(samples, [Some(0), Some(1), Some(3)]);
        assert_eq!(wave.helpers().0, 0b0101);
        let mut row = [0; 16];
        wave.row(&inputs, 0, &mut row);
        assert_eq!(row[..12], [0, 0, 0, 0, 1, 1, 1, 1, 3, 3, 3, 3]);
        wave.row(&inputs, 1, &mut row);
        assert_eq!(row[..12], [0, 1, 0, 1, 2, 2, 2, 2, 8, 8, 8, 8]);
    });
}
