//! The fixed functions alone: vertices are transformed in advance, and the colour is the first four inputs.

use bench::device::Work;
use raster::{
    Assembly, Batch, Colour, DepthFormat, DepthStencil, Input, Inputs, Interpolation, Layout,
    MergeState, Outputs, RasterState, Rasterizer, Scalar, Target, Targets, Topology, VertexLayout,
    Vertices, Wave,
};
use wavelane::internal::Loops;

use super::scenes::{SIDE, Scene};
use super::{Clock, DEPTH, color};

/// A scene without shaders.
pub(super) struct Fixed {
    words: Vec<u32>,
    slots: usize,
    count: u32,
    width: u32,
    inputs: Inputs,
    merge: MergeState,
    color: Vec<u8>,
    depth: Vec<u8>,
}

impl Fixed {
    pub(super) fn new(scene: &Scene, width: u32) -> Option<Fixed> {
        let (varyings, Work::Triangles(count)) = (scene.varyings?, scene.work) else { return None };
        let slots = 4 + varyings as usize;
        let mut words = Vec::new();
        let vertices = (scene.vertices)();
        for vertex in 0..count as usize {
            let mut of = match vertices.chunks_exact(7).nth(vertex) {
                Some([x, y, z, rest @ ..]) => [&[*x, *y, *z, 1.0], rest].concat(),
                _ => {
                    let (x, y) = ([-1.0, 3.0, -1.0][vertex], [1.0, 1.0, -3.0][vertex]);
                    vec![x, y, 0.5, 1.0, x, y, 0.25, 1.0]
                }
            };
            of.truncate(slots);
            words.extend(of.into_iter().map(f32::to_bits));
        }
        let varying = |slot: u32| Input::Varying {
            slot,
            scalar: Scalar::F32,
            interpolation: Interpolation::LINEAR,
        };
        let layout = VertexLayout { position: Some([0, 1, 2, 3]), ..VertexLayout::default() };
        let inputs = Inputs::new((0..varyings).map(|it| varying(4 + it)).collect(), layout);
        let mut merge = MergeState::default();
        merge.depth_stencil.depth = Some(DEPTH);
        let pixels = (SIDE * SIDE) as usize;
        let (color, depth) = (vec![0; 4 * pixels], vec![0; 4 * pixels]);
        Some(Fixed { words, slots, count, width, inputs, merge, color, depth })
    }

    pub(super) fn draw(&mut self) -> f64 {
        let layout = Layout::new(SIDE, SIDE, 1, 1);
        self.depth = DepthFormat::D32Float.cleared(1.0, &layout);
        let mut rows = vec![vec![0x3f00_0000u32; self.width as usize]; 4.max(self.inputs.len())];
        let start = Clock::start(1);
        let state = RasterState::new(SIDE, SIDE);
        let mut wave = Wave::new(self.width, &state);
        let assembly = Assembly::plain(Topology::TriangleList, self.count);
        let mut rasterizer =
            Rasterizer::new(state, self.inputs.clone(), Topology::TriangleList.kind());
        let mut targets = Targets {
            colours: vec![Target::new(color(), layout, &mut self.color)],
            depth_stencil: Some(DepthStencil {
                format: DepthFormat::D32Float,
                depth: Target::new(DepthFormat::D32Float.plane(), layout, &mut self.depth),
                stencil: None,
            }),
        };
        let mut primitives = assembly.primitives();
        let vertices = Vertices { words: &self.words, slots: self.slots };
        let mut batch = Batch { vertices, primitives: &mut primitives };
        let loops = Loops::best();
        while loops.fill(&mut rasterizer, &mut batch, None, &mut wave) || !wave.is_empty() {
            loops.prefetch(&wave, &targets);
            for (input, row) in rows.iter_mut().enumerate().take(self.inputs.len()) {
                loops.row(&mut wave, &self.inputs, input, row);
            }
            let of = |i: usize| Some(&rows[i][..]);
            let colour = Colour { rows: [of(0), of(1), of(2), of(3)], scalar: Scalar::F32 };
            let outputs = Outputs::of_colours([Some(colour)]);
            loops.merge(&self.merge, &wave, !wave.helpers(), &outputs, &mut targets);
            wave.clear();
        }
        start.milliseconds()
    }
}
