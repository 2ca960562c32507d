//! From the outputs of a wave to the texels of targets.

use crate::common::{draw, layout, vertices};
use ops::texture::{Comparison, Format};
use wavelane_raster::*;

const WHOLE: [[f32; 2]; 3] = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]];

/// Draws a triangle over the target with the same colours everywhere.
fn merge(
    state: &RasterState,
    merge: &MergeState,
    colours: &[([f32; 4], Scalar)],
    change: impl Fn(&mut Outputs<'_>),
    targets: &mut Targets<'_>,
) {
    let words = vertices(state.width as f32, &WHOLE, &[]);
    let inputs = Inputs::new(Vec::new(), layout());
    let rows: Vec<Vec<Vec<u32>>> = colours
        .iter()
        .map(|(colour, scalar)| {
            colour
                .iter()
                .map(|it| match scalar {
                    Scalar::Int { .. } => vec![*it as i64 as u32; 16],
                    Scalar::F16 => vec![u32::from(ops::F16::from_f32(*it).0); 16],
                    Scalar::F32 => vec![it.to_bits(); 16],
                })
                .collect()
        })
        .collect();
    draw(state, &inputs, Topology::TriangleList, &words, 4, 16, |wave| {
        let mut outputs =
            Outputs::of_colours(rows.iter().zip(colours).map(|(rows, (_, scalar))| {
                let rows = [0, 1, 2, 3].map(|i: usize| Some(&rows[i][..]));
                Some(Colour { rows, scalar: *scalar })
            }));
        change(&mut outputs);
        merge.merge(wave, !wave.helpers(), &outputs, targets);
    });
}

/// The texels of one target after one draw.
fn drawn(
    state: &RasterState,
    how: &MergeState,
    format: &str,
    colour: ([f32; 4], Scalar),
    before: &[u8],
) -> Vec<u8> {
    let format = Format::parse(format).unwrap();
    let layout = Layout::new(state.width, state.height, state.layers, state.samples.count());
    let mut bytes = before.repeat(layout.texels());
    let mut targets = Targets {
        colours: vec![Some(Target::new(format, layout, &mut bytes).unwrap())],
        depth_stencil: None,
    };
    merge(state, how, &[colour], |_| {}, &mut targets);
    bytes
}

fn with(state: TargetState) -> MergeState {
    MergeState { targets: vec![state], ..MergeState::default() }
}

#[test]
fn colours_are_stored_by_the_formats_conversion() {
    let state = RasterState::new(1, 1);
    let of = |format, colour, scalar| {
        drawn(&state, &MergeState::default(), format, (colour, scalar), &[0; 4])
    };
    assert_eq!(of("RGBA8_UNORM", [1.0, 0.5, -1.0, 9.0], Scalar::F32), [255, 128, 0, 255]);
    assert_eq!(of("RGBA8_UNORM", [1.0, 0.5, -1.0, 9.0], Scalar::F16), [255, 128, 0, 255]);
    let integer = Scalar::Int { bits: 32 };
    assert_eq!(of("RGBA8_UINT", [1.0, 300.0, 0.0, 255.0], integer), [1, 255, 0, 255]);
    assert_eq!(of("RGBA8_SINT", [-1.0, 300.0, -300.0, 5.0], integer), [255, 127, 128, 5]);
}

#[test]
fn write_masks_select_components() {
    let state = RasterState::new(1, 1);
    for (format, colour, before, expected) in [
        ("RGBA8_UNORM", [1.0; 4], [1u8, 2, 3, 4], [255, 2, 255, 4]),
        ("BGRA8_UNORM", [1.0, 1.0, 0.0, 1.0], [1, 2, 3, 4], [0, 2, 255, 4]),
        ("RGB10A2_UNORM", [1.0; 4], [0; 4], (0x3ffu32 | 0x3ff << 20).to_le_bytes()),
        ("RG11B10_FLOAT", [0.0; 4], [0xff; 4], (0x7ffu32 << 11).to_le_bytes()),
    ] {
        let mask = with(TargetState { write_mask: 0b0101, ..TargetState::default() });
        assert_eq!(
            drawn(&state, &mask, format, (colour, Scalar::F32), &before),
            expected,
            "{format}"
        );
    }
}

#[test]
fn logic_operations_take_the_low_bits() {
    let state = RasterState::new(1, 1);
    let xor = with(TargetState { logic: Some(LogicOp::Xor), ..TargetState::default() });
    let colour = ([0x1ff as f32, 0x0f as f32, 0.0, 1.0], Scalar::Int { bits: 32 });
    assert_eq!(drawn(&state, &xor, "RGBA8_UINT", colour, &[0x0f, 0xff, 7, 1]), [0xf0, 0xf0, 7, 0]);
}

#[test]
fn blending_reads_the_target_and_the_second_output() {
    let state = RasterState::new(1, 1);
    let equation = |src, dst| Equation { src, dst, op: BlendOp::Add };
    let over = Blend {
        color: equation(Factor::SrcAlpha, Factor::InvSrcAlpha),
        alpha: equation(Factor::One, Factor::Zero),
    };
    let how = with(TargetState { blend: Some(over), ..TargetState::default() });
    let colour = ([1.0, 0.0, 1.0, 0.25], Scalar::F32);
    assert_eq!(drawn(&state, &how, "RGBA8_UNORM", colour, &[0, 255, 255, 9]), [64, 191, 255, 64]);
    // sRGB is blended in linear light.
    let half = ([1.0, 1.0, 1.0, 0.5], Scalar::F32);
    assert_eq!(drawn(&state, &how, "RGBA8_UNORM_SRGB", half, &[0, 0, 0, 0]), [188, 188, 188, 128]);

    let format = Format::parse("R32_FLOAT").unwrap();
    let layout = Layout::new(1, 1, 1, 1);
    let [mut first, mut second] = [2.0f32, 7.0].map(|it| it.to_le_bytes().to_vec());
    let mut targets = Targets {
        colours: vec![
            Target::new(format, layout, &mut first),
            Target::new(format, layout, &mut second),
        ],
        depth_stencil: None,
    };
    let dual = equation(Factor::Src1Color, Factor::Src1Alpha);
    let how = with(TargetState {
        blend: Some(Blend { color: dual, alpha: dual }),
        ..TargetState::default()
    });
    let colours = [([3.0; 4], Scalar::F32), ([5.0, 0.0, 0.0, 10.0], Scalar::F32)];
    merge(&state, &how, &colours, |_| {}, &mut targets);
    assert_eq!(first, 35.0f32.to_le_bytes());
    assert_eq!(second, 7.0f32.to_le_bytes());
}

#[test]
fn several_targets_have_separate_states() {
    let state = RasterState::new(1, 1);
    let format = Format::parse("R32_FLOAT").unwrap();
    let mut bytes: Vec<Vec<u8>> = (0..8).map(|_| vec![0; 4]).collect();
    let targets = bytes.iter_mut().map(|it| Target::new(format, Layout::new(1, 1, 1, 1), it));
    let mut targets = Targets { colours: targets.collect(), depth_stencil: None };
    let mut how = MergeState { targets: vec![TargetState::default(); 3], ..MergeState::default() };
    how.targets[1].write_mask = 0;
    let colours: Vec<_> = (0..8).map(|i| ([i as f32 + 1.0; 4], Scalar::F32)).collect();
    // An output that the shader does not declare leaves its target alone.
    merge(&state, &how, &colours, |outputs| outputs.colours[2] = None, &mut targets);
    let values: Vec<f32> =
        bytes.iter().map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect();
    assert_eq!(values, [1.0, 0.0, 0.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
}

#[test]
fn coverage_comes_from_the_mask_and_alpha() {
    let mut state = RasterState { samples: Samples::Four, ..RasterState::new(1, 1) };
    let written = |state: &RasterState, how: &MergeState, alpha: f32| {
        let colour = ([1.0, 1.0, 1.0, alpha], Scalar::F32);
        let bytes = drawn(state, how, "R8_UNORM", colour, &[0]);
        bytes.iter().enumerate().fold(0, |all, (i, it)| all | u32::from(*it != 0) << i)
    };
    let plain = MergeState::default();
    assert_eq!(written(&state, &plain, 0.0), 15);
    state.sample_mask = 0b0110;
    assert_eq!(written(&state, &plain, 0.0), 0b0110);
    state.sample_mask = u32::MAX;
    let alpha = MergeState { alpha_to_coverage: true, ..MergeState::default() };
    for (value, expected) in [
        (0.0, 0),
        (0.12, 0),
        (0.125, 1),
        (0.5, 3),
        (0.8, 7),
        (1.0, 15),
        (9.0, 15),
        (-1.0, 0),
        (f32::NAN, 0),
    ] {
        assert_eq!(written(&state, &alpha, value), expected, "{value}");
    }
}

#[test]
fn alpha_leaves_as_many_samples_wherever_they_are() {
    let state = RasterState { samples: Samples::Four, ..RasterState::new(2, 1) };
    let written = |alpha_samples: AlphaSamples, alpha: f32| {
        let how = MergeState { alpha_to_coverage: true, alpha_samples, ..MergeState::default() };
        let colour = ([1.0, 1.0, 1.0, alpha], Scalar::F32);
        let bytes = drawn(&state, &how, "R8_UNORM", colour, &[0]);
        let pixel = |it: &[u8]| (0..4).fold(0, |all, i| all | u32::from(it[i] != 0) << i);
        [pixel(&bytes[..4]), pixel(&bytes[4..])]
    };
    for (alpha, first, last, dithered) in [
        (0.0, 0, 0, [0, 0]),
        (0.25, 0b0001, 0b1000, [0b0010, 0b0100]),
        (0.5, 0b0011, 0b1100, [0b1100, 0b1001]),
        (0.75, 0b0111, 0b1110, [0b1011, 0b0111]),
        (1.0, 15, 15, [15, 15]),
    ] {
        assert_eq!(written(AlphaSamples::First, alpha), [first; 2], "{alpha}");
        assert_eq!(written(AlphaSamples::Last, alpha), [last; 2], "{alpha}");
        assert_eq!(written(AlphaSamples::Dithered, alpha), dithered, "{alpha}");
    }
}

#[test]
fn a_written_coverage_replaces_alpha_to_coverage() {
    let state = RasterState { samples: Samples::Four, sample_mask: 7, ..RasterState::new(1, 1) };
    let alpha = MergeState { alpha_to_coverage: true, ..MergeState::default() };
    let row = [0b1010; 16];
    let format = Format::parse("R8_UNORM").unwrap();
    let mut bytes = vec![0; 4];
    let mut targets = Targets {
        colours: vec![Target::new(format, Layout::new(1, 1, 1, 4), &mut bytes)],
        depth_stencil: None,
    };
    let words = vertices(1.0, &WHOLE, &[]);
    let inputs = Inputs::new(Vec::new(), layout());
    let one = [1.0f32.to_bits(); 16];
    let zero = [0; 16];
    draw(&state, &inputs, Topology::TriangleList, &words, 4, 16, |wave| {
        let rows = [Some(&one[..]), None, None, Some(&zero[..])];
        let colour = Colour { rows, scalar: Scalar::F32 };
        let outputs = Outputs { coverage: Some(&row), ..Outputs::of_colours([Some(colour)]) };
        alpha.merge(wave, !wave.helpers(), &outputs, &mut targets);
    });
    assert_eq!(bytes, [0, 255, 0, 0]);
}

/// Two triangles at different depths over a cleared buffer, drawn near first and far first, early and late.
#[test]
fn depth_keeps_the_nearest_in_any_order() {
    for format in [DepthFormat::D32Float, DepthFormat::D16Unorm] {
        for samples in [Samples::One, Samples::Four] {
            for (first, early) in [(0.25, false), (0.75, false), (0.25, true), (0.75, true)] {
                let state = RasterState { samples, ..RasterState::new(4, 4) };
                let layout = Layout::new(4, 4, 1, samples.count());
                let mut depth = format.cleared(1.0, &layout);
                let mut colour = vec![0; layout.texels()];
                let how = MergeState {
                    depth_stencil: DepthStencilState {
                        depth: Some(DepthState { func: Comparison::Less, write: true }),
                        stencil: None,
                    },
                    early,
                    ..MergeState::default()
                };
                let mut words = vertices(4.0, &[WHOLE, WHOLE].concat(), &[]);
                for (i, vertex) in words.chunks_mut(4).enumerate() {
                    let z = if i < 3 { first } else { 1.0 - first };
                    vertex[2] = f32::to_bits(z);
                }
                let inputs = Inputs::new(vec![Input::PrimitiveId], crate::common::layout());
                let mut rasterizer = Rasterizer::new(state.clone(), inputs, Kind::Triangle);
                let assembly = Assembly::plain(Topology::TriangleList, 6);
                let mut primitives = assembly.primitives();
                let mut batch = Batch {
                    vertices: Vertices { words: &words, slots: 4 },
                    primitives: &mut primitives,
                };
                let mut targets = Targets {
                    colours: vec![Target::new(
                        Format::parse("R8_UINT").unwrap(),
                        layout,
                        &mut colour,
                    )],
                    depth_stencil: Some(DepthStencil {
                        format,
                        depth: Target::new(format.plane(), layout, &mut depth),
                        stencil: None,
                    }),
                };
                let mut wave = Wave::new(16, &state);
                let mut quads = 0;
                loop {
                    let planes = targets.depth_stencil.as_mut().filter(|_| early);
                    let tests = planes.map(|it| (&how.depth_stencil, it));
                    let more = rasterizer.fill(&mut batch, tests, &mut wave);
                    quads += wave.count();
                    let mut row = [0; 16];
                    wave.row(rasterizer.inputs(), 0, &mut row);
                    let row = row.map(|it| it + 1);
                    let rows = [Some(&row[..]), None, None, None];
                    let colour = Colour { rows, scalar: Scalar::Int { bits: 32 } };
                    let outputs = Outputs::of_colours([Some(colour)]);
                    how.merge(&wave, !wave.helpers(), &outputs, &mut targets);
                    wave.clear();
                    if !more {
                        break;
                    }
                }
                let nearest = if first < 0.5 { 1 } else { 2 };
                assert!(colour.iter().all(|it| *it == nearest), "{format:?} {samples:?} {first}");
                assert_eq!(depth, format.cleared(0.25, &layout));
                // Early, hidden quads are not even launched.
                let launched = if early && first < 0.5 { 4 } else { 8 };
                assert_eq!(quads, launched);
            }
        }
    }
}
