//! Helpers of the tests: draws of meshes in pixels.

use wavelane_raster::*;

/// Vertices with positions in pixels of a target, w = 1, and further slots.
pub(crate) fn vertices(size: f32, corners: &[[f32; 2]], slots: &[u32]) -> Vec<u32> {
    let mut words = Vec::new();
    for [x, y] in corners {
        let half = size * 0.5;
        let position = [x / half - 1.0, 1.0 - y / half, 0.5, 1.0];
        words.extend(position.map(f32::to_bits));
        words.extend(slots);
    }
    words
}

pub(crate) fn layout() -> VertexLayout {
    VertexLayout { position: Some([0, 1, 2, 3]), ..VertexLayout::default() }
}

/// Calls a function with each wave of a draw.
pub(crate) fn draw(
    state: &RasterState,
    inputs: &Inputs,
    topology: Topology,
    words: &[u32],
    slots: usize,
    width: u32,
    mut take: impl FnMut(&mut Wave),
) {
    let assembly = Assembly::plain(topology, (words.len() / slots) as u32);
    let mut rasterizer = Rasterizer::new(state.clone(), inputs.clone(), topology.kind());
    let mut wave = Wave::new(width, state);
    let mut primitives = assembly.primitives();
    let mut batch = Batch { vertices: Vertices { words, slots }, primitives: &mut primitives };
    loop {
        let is_closed = rasterizer.fill(&mut batch, None, &mut wave);
        if !wave.is_empty() {
            take(&mut wave);
            wave.clear();
        }
        if !is_closed {
            return;
        }
    }
}

/// How often each sample of each pixel is covered, pixel by pixel.
pub(crate) fn counts(state: &RasterState, topology: Topology, words: &[u32]) -> Vec<u32> {
    let samples = state.samples.count() as usize;
    let mut counts = vec![0; (state.width * state.height) as usize * samples];
    let inputs = Inputs::new(Vec::new(), layout());
    draw(state, &inputs, topology, words, 4, 32, |wave| {
        for lane in (wave.lanes() & !wave.helpers()).iter() {
            let [x, y] = wave.pixel(lane);
            let covered = wave.quad(lane as usize / 4).covered[lane as usize % 4];
            for sample in 0..samples {
                let at = (y as usize * state.width as usize + x as usize) * samples + sample;
                counts[at] += u32::from(covered >> sample & 1);
            }
        }
    });
    counts
}
