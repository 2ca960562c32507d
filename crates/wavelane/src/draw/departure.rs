//! Draws that depart from the canonical one where nothing specifies it: what runs their waves, which vertices share a
//! wave, in which order the waves of pixels run, whether depth is tested before the pixel shader, and which samples an
//! alpha leaves.
//!
//! The sanitizer compares such draws. The targets are still written in the order of primitives.

use std::sync::Arc;

use ir::exec::{Bindings, Evaluated, Failure, Feed, Invocation, Launch, Schedule};
use ir::exec::{WaveInputs, WaveOutputs};
use ir::stage::EvalPlace;
use ops::{LaneMask, Random};
use raster::{AlphaSamples, Wave};

use super::pixels::PixelFeed;
use super::vertices::VertexFeed;
use crate::engines::{Program, Step};
use crate::memory::{Indices, Memory};
use crate::{DispatchError, GraphicsPipeline};

pub(crate) use sanitizer::{LanePacking, Part, VertexOrder};

/// Runs the stages of a draw.
pub(crate) trait Stages {
    fn departure(&self) -> Departure {
        Departure::default()
    }

    /// On how many threads the programs of the pipeline may run instead.
    fn threads(&self) -> usize {
        1
    }

    /// Whether an observer sees what each lane represents.
    fn is_watched(&self) -> bool {
        true
    }

    /// Runs the waves of a part.
    fn run(
        &mut self,
        part: Part,
        launch: &Launch,
        bindings: &mut Bindings,
        feed: &mut dyn Feed,
    ) -> Result<(), Failure>;

    /// Runs the groups of a mesh or amplification shader.
    fn dispatch(
        &mut self,
        part: Part,
        launch: &Launch,
        memory: &mut Memory<'_>,
        places: &Indices,
    ) -> Result<(), DispatchError>;
}

/// How a draw departs from the canonical one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) early_depth: bool,
    pub(crate) vertices: VertexOrder,
    /// How control points, patches and points of a domain are packed.
    pub(crate) patches: LanePacking,
    /// How primitives are packed for a geometry shader.
    pub(crate) primitives: LanePacking,
    /// The order in which the waves of a stage run.
    pub(crate) waves: Schedule,
    /// The order of the groups that a group of an amplification shader dispatches.
    pub(crate) children: Schedule,
    pub(crate) alpha_samples: AlphaSamples,
}

impl Default for Departure {
    fn default() -> Departure {
        Departure {
            early_depth: false,
            vertices: VertexOrder::Dense,
            patches: LanePacking::Dense,
            primitives: LanePacking::Dense,
            waves: Schedule::Ascending,
            children: Schedule::Ascending,
            alpha_samples: AlphaSamples::First,
        }
    }
}

impl Departure {
    /// How the lanes of a stage behind the vertex shader are packed.
    pub(super) fn packing(&self, part: Part) -> LanePacking {
        match part {
            Part::Hull | Part::PatchConstants | Part::Domain => self.patches,
            Part::Geometry => self.primitives,
            Part::Amplification | Part::Mesh | Part::Vertex | Part::Pixel => LanePacking::Dense,
        }
    }
}

/// Sorts items in the order of a schedule. No wave waits for another here, so round-robin is the plain order.
pub(super) fn scheduled<T>(all: &mut [T], order: Schedule) {
    match order {
        Schedule::Random(seed) => Random::new(seed).shuffle(all),
        Schedule::Descending => all.reverse(),
        Schedule::Ascending | Schedule::RoundRobin => {}
    }
}

/// The lanes of each wave of a stage, wave by wave in the order in which they run; `of` says to which patch or
/// primitive a lane belongs.
pub(super) fn dealt(
    total: u64,
    width: u32,
    (packing, waves): (LanePacking, Schedule),
    of: impl Fn(u64) -> u64,
) -> Vec<Vec<u64>> {
    let mut all: Vec<u64> = (0..total).collect();
    let split = |it: &[u64]| it.chunks(width as usize).map(<[u64]>::to_vec).collect::<Vec<_>>();
    let mut dealt: Vec<Vec<u64>> = match packing {
        LanePacking::Dense => split(&all),
        LanePacking::Apart => all.chunk_by(|a, b| of(*a) == of(*b)).flat_map(split).collect(),
        LanePacking::OneLane => all.chunks(1).map(<[u64]>::to_vec).collect(),
        LanePacking::Random(seed) => {
            Random::new(seed).shuffle(&mut all);
            split(&all)
        }
    };
    scheduled(&mut dealt, waves);
    dealt
}

/// The programs of a pipeline.
pub(super) struct Programs<'a> {
    pub(super) pipeline: &'a GraphicsPipeline,
}

impl Programs<'_> {
    fn program(&self, part: Part) -> &Arc<dyn Program> {
        let GraphicsPipeline { vertex, pixel, between, .. } = self.pipeline;
        let (tessellation, mesh) = (between.tessellation.as_ref(), between.mesh.as_ref());
        let found = match part {
            Part::Vertex => Some(vertex),
            Part::Hull => tessellation.map(|it| &it.hull.program),
            Part::PatchConstants => tessellation.map(|it| &it.constants.program),
            Part::Domain => tessellation.map(|it| &it.domain.program),
            Part::Geometry => between.geometry.as_ref().map(|it| &it.step.program),
            Part::Amplification => {
                mesh.and_then(|it| it.amplification.as_ref()).map(|it| &it.program)
            }
            Part::Mesh => mesh.map(|it| &it.program),
            Part::Pixel => pixel.as_ref(),
        };
        found.unwrap_or_else(|| unreachable!("only the stages of the pipeline run"))
    }
}

impl Stages for Programs<'_> {
    fn threads(&self) -> usize {
        self.pipeline.vertex.threads()
    }

    fn is_watched(&self) -> bool {
        false
    }

    fn run(
        &mut self,
        part: Part,
        launch: &Launch,
        bindings: &mut Bindings,
        feed: &mut dyn Feed,
    ) -> Result<(), Failure> {
        self.program(part).run_waves(launch, bindings, feed)
    }

    fn dispatch(
        &mut self,
        part: Part,
        launch: &Launch,
        memory: &mut Memory<'_>,
        places: &Indices,
    ) -> Result<(), DispatchError> {
        let step = Step {
            program: &**self.program(part),
            launch,
            places: places.clone(),
            indirect: None,
            budget: None,
        };
        self.pipeline.backend.run(&[step], memory, true).map_err(|it| it.error)
    }
}

/// Feeds all vertices of a draw in another order, or fewer of them.
pub(super) struct Reordered<'a, 'b> {
    feed: &'a mut VertexFeed<'b>,
    /// Wave by wave, in reverse order.
    waves: Vec<Vec<u64>>,
    running: Vec<u64>,
    /// For each vertex that does not run, the one whose outputs it has.
    copies: Vec<(u64, u64)>,
}

impl<'a, 'b> Reordered<'a, 'b> {
    /// The draw runs as one portion, so that the feed is at its first vertex.
    pub(super) fn new(
        feed: &'a mut VertexFeed<'b>,
        order: VertexOrder,
        of_waves: Schedule,
    ) -> Reordered<'a, 'b> {
        let assembly = feed.fetched.assembly;
        let per_instance = u64::from(assembly.vertices()).max(1);
        let width = feed.width as usize;
        let all: Vec<u64> = (0..feed.total).collect();
        let mut copies = Vec::new();
        let split = |it: &[u64]| it.chunks(width).map(<[u64]>::to_vec).collect::<Vec<_>>();
        let mut waves: Vec<Vec<u64>> = match order {
            VertexOrder::Dense => split(&all),
            VertexOrder::PerInstance => all.chunks(per_instance as usize).flat_map(split).collect(),
            VertexOrder::Reuse => {
                let mut first = std::collections::HashMap::new();
                let is_new = |number: &u64| {
                    let instance = number / per_instance;
                    let id = assembly.vertex_id((number % per_instance) as u32);
                    let known = *first.entry((instance, id)).or_insert(*number);
                    if known != *number {
                        copies.push((*number, known));
                    }
                    known == *number
                };
                split(&all.iter().copied().filter(is_new).collect::<Vec<_>>())
            }
            VertexOrder::Random(seed) => {
                let mut all = all;
                Random::new(seed).shuffle(&mut all);
                split(&all)
            }
        };
        scheduled(&mut waves, of_waves);
        waves.reverse();
        let words = feed.total as usize * feed.transformed.slots;
        feed.transformed.words.resize(words, 0);
        Reordered { feed, waves, running: Vec::new(), copies }
    }

    /// Gives the vertices that did not run their outputs.
    pub(super) fn finish(self) {
        let slots = self.feed.transformed.slots;
        for (vertex, of) in self.copies {
            let from = of as usize * slots;
            self.feed.transformed.words.copy_within(from..from + slots, vertex as usize * slots);
        }
    }
}

impl Feed for Reordered<'_, '_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        let Some(vertices) = self.waves.pop() else { return false };
        wave.lanes = LaneMask::first_n(vertices.len() as u32);
        wave.helpers = LaneMask::EMPTY;
        self.feed.fetched.fill(vertices.iter().copied(), wave);
        self.running = vertices;
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        let slots = self.feed.transformed.slots;
        for slot in 0..slots {
            let row = wave.rows.row(ir::Slot(slot as u32));
            for (vertex, bits) in self.running.iter().zip(row) {
                self.feed.transformed.words[*vertex as usize * slots + slot] = *bits as u32;
            }
        }
    }

    fn invocation(&self, lane: u32) -> Option<Invocation> {
        let number = self.running.get(lane as usize)?;
        Some(self.feed.fetched.invocation(*number))
    }
}

/// Feeds the waves of a portion in another order; they are merged in the canonical one, at the end.
pub(super) struct Shuffled<'a, 'b> {
    feed: PixelFeed<'a, 'b>,
    waves: Vec<(Wave, Option<WaveOutputs>)>,
    /// The numbers of the waves to come, in reverse order.
    order: Vec<usize>,
    running: usize,
}

impl<'a, 'b> Shuffled<'a, 'b> {
    pub(super) fn new(mut feed: PixelFeed<'a, 'b>, order: Schedule) -> Shuffled<'a, 'b> {
        let mut waves = Vec::new();
        while let Some(wave) = feed.next_wave() {
            waves.push((wave, None));
        }
        let mut numbers: Vec<usize> = (0..waves.len()).collect();
        scheduled(&mut numbers, order);
        numbers.reverse();
        Shuffled { feed, waves, order: numbers, running: 0 }
    }

    /// Merges what all waves left.
    pub(super) fn finish(mut self) {
        for (wave, outputs) in self.waves {
            let Some(outputs) = outputs else { continue };
            self.feed.replace_wave(wave);
            self.feed.merge(&outputs);
        }
        self.feed.clear();
    }
}

impl Feed for Shuffled<'_, '_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        let Some(number) = self.order.pop() else { return false };
        self.running = number;
        self.feed.replace_wave(self.waves[number].0.clone());
        self.feed.inputs(wave);
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        self.waves[self.running].1 = Some(wave.clone());
    }

    fn invocation(&self, lane: u32) -> Option<Invocation> {
        self.feed.invocation(lane)
    }

    fn depths(&mut self, depths: &mut Vec<u32>) {
        self.feed.promised_depths(depths);
    }

    fn evaluate(&mut self, slot: ir::Slot, lane: u32, place: EvalPlace<u32>) -> Evaluated {
        self.feed.evaluate(slot, lane, place)
    }

    fn at_vertex(&mut self, slot: ir::Slot, lane: u32, vertex: u32) -> Evaluated {
        self.feed.at_vertex(slot, lane, vertex)
    }
}
