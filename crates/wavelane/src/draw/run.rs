//! A draw on the host: vertices portion by portion, the stages between, and the pixel shader of the primitives that
//! come out.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ir::exec::{Bindings, Feed, Schedule, Trap};
use raster::{Assembly, MergeState, Primitive, RasterState, Targets};

use super::bands::{self, Band};
use super::between::Made;
use super::departure::{Departure, Part, Reordered, Shuffled, Stages, VertexOrder};
use super::pixels::{Pixels, Portion};
use super::portions::{self, Portions};
use super::sharing::Account;
use super::target::{BoundTargets, Planes};
use super::vertices::{Fetched, Transformed, VertexFeed};
use super::{Draw, DrawError, DrawStatistics, MOST_WORDS, PORTION};
use crate::engines::StagePlaces;
use crate::graphics::GraphicsPipeline;
use crate::guard::catch;
use crate::memory::{Indices, Memory};
use crate::{DispatchError, Shader};

/// Where the pixel side of a draw runs.
struct ToPixels<'a, 'm, 't> {
    stages: &'a mut dyn Stages,
    memory: &'a mut Memory<'m>,
    bands: &'a mut [Band<'t>],
}

/// A draw that runs.
#[derive(Clone)]
pub(super) struct Run<'a> {
    pub(super) pipeline: &'a GraphicsPipeline,
    pub(super) draw: &'a Draw,
    pub(super) width: u32,
    pub(super) fetched: Fetched<'a>,
    /// The vertices that fuel and progress count: those that are fetched, unless these are shared.
    pub(super) own: &'a Assembly,
    pub(super) merge: MergeState,
    /// How many of them there are.
    pub(super) total: u64,
    pub(super) places: StagePlaces<'a>,
}

impl<'a> Run<'a> {
    /// Draws, or replays a recording, with the waves of the stages.
    pub(super) fn on_host(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        state: &RasterState,
        bound: &mut BoundTargets,
        planes: &Planes,
    ) -> Result<(), DrawError> {
        let (pipeline, draw, width) = (self.pipeline, self.draw, self.width);
        let GraphicsPipeline { desc, link, between, .. } = pipeline;
        let Some(recording) = &draw.replay else {
            let primitives = self.own.count().saturating_mul(draw.instances.into());
            let most = bands::most_spent(pipeline, state, self.total, primitives, width);
            if most.zip(draw.fuel).is_some_and(|(most, fuel)| most < fuel) {
                let draw = Draw { fuel: None, ..draw.clone() };
                let run = Run { draw: &draw, ..self.clone() };
                return run.on_host(stages, memory, state, bound, planes);
            }
            let mut threads = stages.threads();
            let targets = bound.targets(planes)?;
            if draw.fuel.is_some() && pipeline.has_bands(draw, threads, state, &targets) {
                let before = bound.copy();
                let targets = bound.targets(planes)?;
                match self.attempt(stages, memory, state, targets) {
                    ended if bands::is_open(&ended) => bound.restore(before),
                    ended => return ended,
                }
                threads = 1;
            }
            let targets = bound.targets(planes)?;
            let mut bands = pipeline.bands(draw, threads, state, width, targets);
            return self.all(stages, memory, &mut bands);
        };
        let pixels = Pixels::new(state.clone(), link, between.kind(desc.topology), width);
        let band = Band { pixels, targets: bound.targets(planes)? };
        self.replay(stages, memory, recording, band)
    }

    /// Draws on several threads with bounded fuel, which may leave open how the draw ends on one.
    fn attempt(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        state: &RasterState,
        targets: Targets<'_>,
    ) -> Result<(), DrawError> {
        let statistics = &self.draw.statistics;
        let counted = statistics.as_ref().map(|_| Arc::<DrawStatistics>::default());
        let draw = Draw { statistics: counted.clone(), ..self.draw.clone() };
        let threads = stages.threads();
        let mut bands = self.pipeline.bands(&draw, threads, state, self.width, targets);
        let ended = Run { draw: &draw, ..self.clone() }.all(stages, memory, &mut bands);
        if !bands::is_open(&ended) {
            let both = statistics.iter().zip(&counted);
            both.for_each(|(statistics, counted)| statistics.add(counted));
        }
        ended
    }

    /// Runs portions of whole instances, one after the other.
    fn all(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        bands: &mut [Band<'_>],
    ) -> Result<(), DrawError> {
        let assembly = self.fetched.assembly;
        let (per_instance, instances) = (u64::from(assembly.vertices()), self.draw.instances);
        if self.pipeline.between.mesh.is_some() {
            return self.all_groups(stages, memory, bands);
        }
        if self.total == 0 {
            return Ok(());
        }
        let has_more = !self.pipeline.between.is_empty();
        let Departure { vertices, waves, .. } = stages.departure();
        let is_canonical = vertices == VertexOrder::Dense && waves == Schedule::Ascending;
        let is_one = self.pipeline.desc.writes_memory() || !is_canonical || has_more;
        let most = if is_one { u64::MAX } else { PORTION };
        // The primitives of a small portion often lie in the band of one thread.
        let portions = Portions::new(self.own, instances, most, bands.len() == 1);
        let is_shared = !std::ptr::eq(self.own, assembly);
        let mut account = Account::new(self.own);
        let link = &self.pipeline.link;
        let mut transformed = Transformed::new(link.vertex_slots);
        let mut fuel = self.draw.fuel;
        let mut next = 0;
        for portions::Part { instances: drawn, primitives: ids, vertices: counted, is_last } in
            portions
        {
            // Any of an instance's primitives may have a shared vertex.
            let of_instance = |instance: u32| u64::from(instance) * per_instance;
            let kept = match is_shared {
                true => of_instance(drawn.start)..of_instance(drawn.end),
                false => counted.clone(),
            };
            transformed.forget(kept.start);
            let end_vertex = kept.end;
            let kept = end_vertex - transformed.first + u64::from(self.width);
            if kept.saturating_mul(u64::from(link.vertex_slots.max(1))) > MOST_WORDS {
                let most = MOST_WORDS / u64::from(link.vertex_slots.max(1));
                return Err(DrawError::TooManyVertices { vertices: self.total, most });
            }
            transformed.reserve(end_vertex + u64::from(self.width));
            let mut feed = VertexFeed {
                fetched: &self.fetched,
                transformed: &mut transformed,
                next: &mut next,
                end: end_vertex,
                width: self.width,
                total: of_instance(instances),
                lanes: 0,
            };
            if is_shared {
                let feed = (&mut feed, &mut account);
                self.transform_shared(stages, memory, &mut fuel, feed, counted.end)?;
            } else if is_canonical {
                self.stage(stages, memory, (Part::Vertex, &mut fuel), &mut feed)?;
            } else {
                let mut feed = Reordered::new(&mut feed, vertices, waves);
                self.stage(stages, memory, (Part::Vertex, &mut fuel), &mut feed)?;
                feed.finish();
            }
            let first = transformed.first;
            let primitives = || {
                let ids = ids.clone();
                drawn.clone().flat_map(move |instance| {
                    // The kept vertices are fewer than `MOST_WORDS`.
                    let start = of_instance(instance);
                    let kept = move |it: u32| (start + u64::from(it) - first) as u32;
                    assembly
                        .some_primitives(ids.clone())
                        .map(move |it| Primitive { vertices: it.vertices.map(kept), id: it.id })
                })
            };
            if has_more {
                let made = self.between(stages, memory, transformed, &mut fuel)?;
                let mut pixels = ToPixels { stages, memory, bands };
                let primitives = || made.primitives.iter().copied();
                return self.rasterize(&mut pixels, &mut fuel, &made.transformed, true, primitives);
            }
            let mut pixels = ToPixels { stages, memory, bands };
            self.rasterize(&mut pixels, &mut fuel, &transformed, is_last, primitives)?;
        }
        Ok(())
    }

    /// Draws what the groups of a mesh shader make.
    fn all_groups(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        bands: &mut [Band<'_>],
    ) -> Result<(), DrawError> {
        let mut fuel = self.draw.fuel;
        let writes = self.pipeline.desc.writes_memory();
        let mut kept: Option<Made> = None;
        self.mesh(stages, memory, &mut fuel, &mut |stages, memory, fuel, made| {
            // Where the order of the stages can be seen, all groups run first.
            if let (true, Some(before)) = (writes, &mut kept) {
                return before.append(made);
            }
            if writes {
                kept = Some(made);
                return Ok(());
            }
            let mut pixels = ToPixels { stages, memory, bands };
            let primitives = || made.primitives.iter().copied();
            self.rasterize(&mut pixels, fuel, &made.transformed, false, primitives)
        })?;
        // The last wave may not be full.
        let rest = kept.unwrap_or_else(|| Made::new(0));
        let mut pixels = ToPixels { stages, memory, bands };
        let primitives = || rest.primitives.iter().copied();
        self.rasterize(&mut pixels, &mut fuel, &rest.transformed, true, primitives)
    }

    /// Rasterizes primitives, and runs the pixel shader.
    fn rasterize<I: Iterator<Item = Primitive>>(
        &self,
        ToPixels { stages, memory, bands }: &mut ToPixels<'_, '_, '_>,
        fuel: &mut Option<u64>,
        transformed: &Transformed,
        is_last: bool,
        primitives: impl Fn() -> I + Sync,
    ) -> Result<(), DrawError> {
        if let Some(statistics) = &self.draw.statistics {
            statistics.add_primitives(primitives().count() as u64);
        }
        let link = &self.pipeline.link;
        let [Band { pixels, targets }] = &mut **bands else {
            let each = bands::most_for_each(self.width);
            let launch = self.draw.launch(self.width, fuel.map(|it| it / each));
            let (pipeline, merge) = (self.pipeline, &self.merge);
            let common = bands::Common { pipeline, merge, transformed, launch: &launch, is_last };
            let mut bindings = memory.take(self.places.pixel)?;
            let result = bands::draw(bands, &common, &mut bindings, primitives);
            if let Some(program) = &self.pipeline.pixel {
                memory.put(self.places.pixel, bindings, program.module());
            }
            let spent = result?;
            return match fuel {
                Some(fuel) if *fuel / each <= spent && spent > 0 => {
                    let span = ir::Span::NONE;
                    Err(DispatchError::Trap(Trap::OutOfFuel { span }).into())
                }
                Some(fuel) => {
                    *fuel -= spent * each;
                    Ok(())
                }
                None => Ok(()),
            };
        };
        let mut of_draw = Portion {
            link,
            merge: &self.merge,
            transformed,
            primitives: &mut primitives(),
            targets,
            is_last,
        };
        if self.pipeline.pixel.is_none() {
            pixels.run_alone(&mut of_draw);
            return Ok(());
        }
        let mut feed = pixels.feed(of_draw);
        match stages.departure().waves {
            Schedule::Ascending => self.stage(*stages, memory, (Part::Pixel, fuel), &mut feed),
            order => {
                let mut feed = Shuffled::new(feed, order);
                self.stage(*stages, memory, (Part::Pixel, fuel), &mut feed)?;
                feed.finish();
                Ok(())
            }
        }
    }

    /// What is bound to the shader of a part.
    pub(super) fn places(&self, part: Part) -> &'a Indices {
        let places = &self.places;
        match part {
            Part::Vertex | Part::Mesh => places.vertex,
            Part::Hull | Part::PatchConstants => places.hull,
            Part::Domain => places.domain,
            Part::Geometry => places.geometry,
            Part::Amplification => places.amplification,
            Part::Pixel => places.pixel,
        }
    }

    /// The shader of a part.
    pub(super) fn shader(&self, part: Part) -> &Shader {
        let desc = &*self.pipeline.desc;
        let found = match part {
            Part::Vertex | Part::Mesh => None,
            Part::Hull | Part::PatchConstants => desc.hull.as_ref(),
            Part::Domain => desc.domain.as_ref(),
            Part::Geometry => desc.geometry.as_ref(),
            Part::Amplification => desc.amplification.as_ref(),
            Part::Pixel => desc.pixel.as_ref(),
        };
        found.unwrap_or(&desc.vertex)
    }

    /// Runs the waves of a stage that a feed supplies.
    pub(super) fn stage(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        (part, fuel): (Part, &mut Option<u64>),
        feed: &mut dyn Feed,
    ) -> Result<(), DrawError> {
        let launch = self.draw.launch(self.width, *fuel);
        let places = self.places(part);
        let mut bindings: Bindings = memory.take(places)?;
        // The contents are put back into the buffers in any case.
        let result = catch(|| stages.run(part, &launch, &mut bindings, feed));
        memory.put(places, bindings, &self.shader(part).module);
        if let (Some(fuel), Some(spent)) = (fuel.as_mut(), &launch.spent) {
            *fuel = fuel.saturating_sub(spent.load(Ordering::Relaxed));
        }
        match result {
            Ok(ended) => Ok(ended?),
            Err(bug) => Err(DispatchError::Bug(bug).into()),
        }
    }
}
