//! Vertices of an indexed draw that are transformed once each, however often their numbers occur among the indices.
//!
//! Sharing cannot be observed, not even by fuel or progress: a draw spends what it would if each index were a separate
//! vertex. If its fuel suffices in any case, it is not counted. Otherwise vertices are shared only if all waves of the
//! vertex shader cost the same: then the cost of the waves that do not run is known, and so is that the fuel suffices
//! for them. It is deducted portion by portion, as these waves would spend it.

use std::sync::atomic::Ordering;

use raster::{Assembly, RasterState};

use super::bands::{most_of_wave, most_spent};
use super::departure::{Part, Stages};
use super::run::Run;
use super::vertices::{Fetched, Transformed, VertexFeed};
use super::{Draw, DrawError, MOST_WORDS};
use crate::Shader;
use crate::graphics::GraphicsPipeline;
use crate::memory::Memory;

/// Counts the fuel that the vertices of a draw would spend without sharing.
pub(super) struct Account<'a> {
    /// The vertices that count: one for each index.
    own: &'a Assembly,
    /// How many of their waves have been counted.
    waves: u64,
    /// What each of them costs, if that is known.
    cost: Option<u64>,
}

impl GraphicsPipeline {
    /// The vertices of a draw that are transformed, if these are fewer than its indices and the difference cannot be
    /// observed.
    pub(super) fn shared_vertices(
        &self,
        draw: &Draw,
        state: &RasterState,
        own: &Assembly,
        width: u32,
    ) -> Option<Assembly> {
        let vertex = &self.desc.vertex;
        let writes = vertex.resources().iter().any(|it| it.used && it.kind.writable());
        let is_kept = draw.record.is_some() || draw.replay.is_some() || draw.prints.is_some();
        if writes || is_kept || vertex.module.needs.wave_ops || self.backend.gpu().is_some() {
            return None;
        }
        if !self.suffices(draw, state, own, width) {
            return None;
        }
        let words = |it: &Assembly| {
            let vertices = u64::from(it.vertices()).saturating_mul(draw.instances.into());
            vertices.saturating_mul(self.link.vertex_slots.max(1).into())
        };
        own.shared().filter(|it| words(it) < MOST_WORDS / 2)
    }

    /// Whether the fuel of a draw suffices in any case, or at least for its vertices, whose cost is known.
    fn suffices(&self, draw: &Draw, state: &RasterState, own: &Assembly, width: u32) -> bool {
        let Some(fuel) = draw.fuel else { return true };
        let instances = u64::from(draw.instances);
        let vertices = u64::from(own.vertices()).saturating_mul(instances);
        let primitives = own.count().saturating_mul(instances);
        let waves = vertices / u64::from(width) + 1;
        let vertex = &self.desc.vertex;
        let of_vertices = most_of_wave(vertex, width).and_then(|it| it.checked_mul(waves));
        let mosts = [
            most_spent(self, state, vertices, primitives, width),
            of_vertices.filter(|_| is_straight(vertex)),
        ];
        mosts.into_iter().flatten().any(|most| most < fuel)
    }
}

/// Whether all waves of a shader without loops run the same instructions.
fn is_straight(shader: &Shader) -> bool {
    !shader.module.insts.iter().any(|it| it.op.is_branch())
}

impl<'a> Account<'a> {
    pub(super) fn new(own: &'a Assembly) -> Account<'a> {
        Account { own, waves: 0, cost: None }
    }
}

impl Run<'_> {
    /// Transforms the vertices of a feed that have not been transformed, and counts the vertices before `end` that they
    /// serve.
    pub(super) fn transform_shared(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        fuel: &mut Option<u64>,
        (feed, account): (&mut VertexFeed<'_>, &mut Account<'_>),
        end: u64,
    ) -> Result<(), DrawError> {
        let width = u64::from(self.width);
        let first = *feed.next;
        if first < feed.end {
            let mut given = fuel.map(|_| u64::MAX);
            let draw = Draw { progress: None, ..self.draw.clone() };
            let uncounted = Run { draw: &draw, ..self.clone() };
            uncounted.stage(stages, memory, (Part::Vertex, &mut given), feed)?;
            let waves = (*feed.next - first).div_ceil(width);
            let spent = given.map(|left| u64::MAX - left);
            account.cost = spent.filter(|it| it % waves == 0).map(|it| it / waves);
        }
        let next = account.waves * width;
        let waves = end.div_ceil(width) - account.waves;
        account.waves += waves;
        if let Some(fuel) = fuel {
            match account.cost.map(|it| it * waves) {
                Some(spent) if spent < *fuel => *fuel -= spent,
                _ => return self.spend(stages, memory, fuel, account.own, next..end),
            }
        }
        if let Some(progress) = &self.draw.progress {
            progress.fetch_add(waves, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Runs vertices that are not shared only to spend their fuel, which ends within them.
    fn spend(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        fuel: &mut u64,
        own: &Assembly,
        vertices: std::ops::Range<u64>,
    ) -> Result<(), DrawError> {
        let fetched = Fetched { assembly: own, ..self.fetched };
        let mut next = vertices.start;
        let mut feed = VertexFeed {
            fetched: &fetched,
            transformed: &mut Transformed::new(self.pipeline.link.vertex_slots),
            next: &mut next,
            end: vertices.end,
            width: self.width,
            total: u64::from(own.vertices()) * u64::from(self.draw.instances),
            lanes: 0,
        };
        let mut left = Some(*fuel);
        self.stage(stages, memory, (Part::Vertex, &mut left), &mut feed)?;
        *fuel = left.unwrap_or(0);
        Ok(())
    }
}
