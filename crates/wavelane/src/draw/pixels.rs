//! The pixel side of a draw: feeds the pixel shader with quads, and merges its outputs into the targets.

use std::ops::Range;
use std::sync::Arc;

use ir::Slot;
use ir::exec::{Evaluated, Feed, FeedInPlace, Invocation, WaveInPlace, WaveInputs, WaveOutputs};
use ir::stage::EvalPlace;
use ops::LaneMask;
use raster::{
    At, Batch, Colour, Input, InterpolationPlace, Kind, MergeState, Outputs, Packing, Primitive,
    RasterState, Rasterizer, Targets, Vertices, Wave,
};

use super::loops::Loops;
use super::statistics::DrawStatistics;
use super::vertices::Transformed;
use crate::graphics::Link;

/// The rasterizer and the wave that it fills, which outlive a portion of the draw.
pub(super) struct Pixels {
    rasterizer: Rasterizer,
    wave: Wave,
    kind: Kind,
    loops: Loops,
    /// Counts the pixels, if there is one.
    pub(super) statistics: Option<Arc<DrawStatistics>>,
}

/// A portion of a draw.
pub(super) struct Portion<'a, 'b> {
    pub(super) link: &'a Link,
    pub(super) merge: &'a MergeState,
    pub(super) transformed: &'a Transformed,
    /// The primitives, with vertices counted from the first that is kept.
    pub(super) primitives: &'a mut dyn Iterator<Item = Primitive>,
    pub(super) targets: &'a mut Targets<'b>,
    /// Whether a wave that is not full is run, because nothing follows.
    pub(super) is_last: bool,
}

impl Pixels {
    pub(super) fn new(state: RasterState, link: &Link, kind: Kind, width: u32) -> Pixels {
        let wave = Wave::new(width, &state);
        let rasterizer = Rasterizer::new(state, link.inputs.clone(), kind);
        Pixels { rasterizer, wave, kind, loops: Loops::best(), statistics: None }
    }

    /// Draws within these rows only.
    pub(super) fn restrict(&mut self, rows: Range<u32>) {
        self.rasterizer.restrict(rows);
    }

    /// Fills the wave; whether it is to be run.
    fn fill(&mut self, portion: &mut Portion<'_, '_>) -> bool {
        let transformed = portion.transformed;
        let mut batch = Batch {
            vertices: Vertices { words: &transformed.words, slots: transformed.slots },
            primitives: &mut *portion.primitives,
        };
        let early = portion.targets.depth_stencil.as_mut().filter(|_| portion.merge.early);
        let tests = early.map(|it| (&portion.merge.depth_stencil, it));
        let is_closed = self.loops.fill(&mut self.rasterizer, &mut batch, tests, &mut self.wave);
        let is_run = is_closed || portion.is_last && !self.wave.is_empty();
        if let (true, Some(statistics)) = (is_run, &self.statistics) {
            let pixels = self.wave.lanes() & !self.wave.helpers();
            statistics.add_pixels(pixels.count().into());
        }
        is_run
    }

    /// All quads of a portion, each in a wave of its own.
    pub(super) fn quads(&mut self, portion: &mut Portion<'_, '_>) -> impl Iterator<Item = Wave> {
        let state = self.rasterizer.state();
        let packing = Packing { one_quad: true, ..state.packing };
        let state = RasterState { packing, ..state.clone() };
        let inputs = self.rasterizer.inputs().clone();
        let mut pixels = Pixels {
            wave: Wave::new(4, &state),
            rasterizer: Rasterizer::new(state, inputs, self.kind),
            kind: self.kind,
            loops: Loops::best(),
            statistics: None,
        };
        let mut quads = Vec::new();
        while pixels.fill(portion) {
            quads.push(pixels.wave.clone());
            pixels.wave.clear();
        }
        quads.into_iter()
    }

    /// The samples of a pixel, and the vertices of a primitive.
    pub(super) fn counts(&self) -> (u32, u32) {
        let vertices = match self.kind {
            Kind::Point => 1,
            Kind::Line => 2,
            Kind::Triangle => 3,
        };
        (self.rasterizer.state().samples.count(), vertices)
    }

    /// The slices of the targets.
    pub(super) fn layers(&self) -> u32 {
        self.rasterizer.state().layers
    }

    /// Draws a portion without a pixel shader: only depth and stencil are tested and written.
    pub(super) fn run_alone(&mut self, portion: &mut Portion<'_, '_>) {
        while self.fill(portion) {
            let lanes = !self.wave.helpers();
            let outputs = Outputs::default();
            self.loops.merge(portion.merge, &self.wave, lanes, &outputs, portion.targets);
            self.wave.clear();
        }
    }

    /// The feed of the pixel shader for a portion.
    pub(super) fn feed<'a, 'b>(&'a mut self, portion: Portion<'a, 'b>) -> PixelFeed<'a, 'b> {
        PixelFeed { pixels: self, portion }
    }
}

/// What the merger reads of a pixel shader's outputs, which `row` gives by slot.
/// They are filled in where they stay, since they are larger than what most waves have.
#[inline(always)]
pub(super) fn put_outputs<'a>(
    link: &Link,
    row: impl Fn(u32) -> &'a [u32],
    outputs: &mut Outputs<'a>,
) {
    let link = &link.outputs;
    for (to, output) in outputs.colours.iter_mut().zip(&link.colours) {
        let Some((first, components, scalar)) = *output else { continue };
        let of = |i: u8| (i < components).then(|| row(first + u32::from(i)));
        *to = Some(Colour { rows: [of(0), of(1), of(2), of(3)], scalar });
    }
    outputs.depth = link.depth.map(&row);
    outputs.coverage = link.coverage.map(&row);
    outputs.stencil_ref = link.stencil_ref.map(&row);
}

/// Feeds the quads of a portion.
pub(super) struct PixelFeed<'a, 'b> {
    pixels: &'a mut Pixels,
    portion: Portion<'a, 'b>,
}

impl PixelFeed<'_, '_> {
    /// Fills the inputs of the wave.
    pub(super) fn inputs(&mut self, wave: &mut WaveInputs) {
        let quads = &mut self.pixels.wave;
        wave.lanes = quads.lanes();
        wave.helpers = quads.helpers();
        let inputs = &self.portion.link.inputs;
        let mut bits = [0; 128];
        let bits = &mut bits[..quads.width() as usize];
        for slot in &self.portion.link.read {
            self.pixels.loops.row(quads, inputs, slot.index(), bits);
            let row = wave.rows.row_mut(*slot);
            row.iter_mut().zip(&*bits).for_each(|(to, bits)| *to = u64::from(*bits));
        }
    }

    /// The depths of the wave's primitives, if the shader promises a bound for its own: at the place of the declared
    /// `SV_Position`, or at the centre or the sample of the invocation.
    pub(super) fn promised_depths(&mut self, depths: &mut Vec<u32>) {
        depths.clear();
        let Link { inputs, outputs, .. } = self.portion.link;
        if !outputs.promises_depth {
            return;
        }
        let declared = (0..inputs.len()).find_map(|it| match inputs.get(it) {
            Input::Position { place, .. } => Some(place),
            _ => None,
        });
        depths.resize(self.pixels.wave.width() as usize, 0);
        self.pixels.wave.depths(declared.unwrap_or(InterpolationPlace::Sample), depths);
    }

    /// Merges the outputs of the wave into the targets.
    pub(super) fn merge(&mut self, wave: &WaveOutputs) {
        let narrow = |slot| wave.rows.row(Slot(slot)).iter().map(|bits| *bits as u32).collect();
        let rows: Vec<Vec<u32>> = (0..wave.written.len() as u32).map(narrow).collect();
        let mut outputs = Outputs::default();
        put_outputs(self.portion.link, |slot| &rows[slot as usize], &mut outputs);
        self.merge_live(wave.live, &outputs);
    }

    fn merge_live(&mut self, live: LaneMask, outputs: &Outputs<'_>) {
        let portion = &mut self.portion;
        let Pixels { loops, wave: quads, .. } = &*self.pixels;
        loops.merge(portion.merge, quads, live, outputs, portion.targets);
    }

    /// Takes the next wave away, to be run later.
    pub(super) fn next_wave(&mut self) -> Option<Wave> {
        if !self.pixels.fill(&mut self.portion) {
            return None;
        }
        let empty = Wave::new(self.pixels.wave.width(), self.pixels.rasterizer.state());
        Some(std::mem::replace(&mut self.pixels.wave, empty))
    }

    /// Goes on with that wave.
    pub(super) fn replace_wave(&mut self, wave: Wave) {
        self.pixels.wave = wave;
    }

    /// Forgets the wave.
    pub(super) fn clear(&mut self) {
        self.pixels.wave.clear();
    }
}

impl Feed for PixelFeed<'_, '_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        if !self.pixels.fill(&mut self.portion) {
            return false;
        }
        self.inputs(wave);
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        self.merge(wave);
        self.pixels.wave.clear();
    }

    fn in_place(&mut self) -> Option<&mut dyn FeedInPlace> {
        Some(self)
    }

    fn invocation(&self, lane: u32) -> Option<Invocation> {
        let wave = &self.pixels.wave;
        let number = lane as usize / 4;
        let quad = (number < wave.count()).then(|| wave.quad(number))?;
        Some(Invocation::Pixel {
            piece: wave.piece(number),
            at: wave.pixel(lane),
            layer: quad.layer,
            sample: quad.sample,
            primitive: wave.primitive_id(number),
        })
    }

    fn depths(&mut self, depths: &mut Vec<u32>) {
        self.promised_depths(depths);
    }

    fn evaluate(&mut self, slot: Slot, lane: u32, place: EvalPlace<u32>) -> Evaluated {
        let wave = &self.pixels.wave;
        let count = self.pixels.rasterizer.state().samples.count();
        let (at, poisoned) = match place {
            EvalPlace::Centroid => (At::Centroid, false),
            EvalPlace::Sample(index) => (At::Sample(index), index >= count),
            EvalPlace::Snapped(x, y) => (At::Snapped([x as i32, y as i32]), false),
        };
        let bits = wave.evaluate(&self.portion.link.inputs, slot.index(), lane, at);
        Evaluated { bits: bits.into(), poisoned }
    }

    fn at_vertex(&mut self, slot: Slot, lane: u32, vertex: u32) -> Evaluated {
        let (_, count) = self.pixels.counts();
        let wave = &self.pixels.wave;
        let bits = wave.at_vertex(&self.portion.link.inputs, slot.index(), lane, vertex);
        Evaluated { bits: bits.into(), poisoned: vertex >= count }
    }
}

impl FeedInPlace for PixelFeed<'_, '_> {
    fn next_in_place(&mut self, wave: &mut dyn WaveInPlace) -> bool {
        if !self.pixels.fill(&mut self.portion) {
            return false;
        }
        self.pixels.loops.prefetch(&self.pixels.wave, self.portion.targets);
        let quads = &mut self.pixels.wave;
        wave.deal(quads.lanes(), quads.helpers());
        for slot in &self.portion.link.read {
            if let Some(row) = wave.input(*slot) {
                self.pixels.loops.row(quads, &self.portion.link.inputs, slot.index(), row);
            }
        }
        true
    }

    fn take_in_place(&mut self, wave: &dyn WaveInPlace) {
        let mut outputs = Outputs::default();
        put_outputs(self.portion.link, |slot| wave.output(Slot(slot)), &mut outputs);
        self.merge_live(wave.live(), &outputs);
        self.pixels.wave.clear();
    }
}
