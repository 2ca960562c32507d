//! The pixel side of a draw on several threads: each thread draws its own rows of the targets.
//!
//! Every thread takes all primitives in their order and keeps the quads of its band, so that each pixel receives what
//! it would on one thread. Waves are packed differently, so only shaders that cannot observe the packing are drawn in
//! this way: those without wave operations, writes to memory, ordered views and prints. A quad lies in one band, which
//! is why helper lanes and derivatives are the same.
//!
//! Fuel is what one thread would spend, which depends on the packing. So bands run speculatively: they are charged an
//! upper bound of it, and where that does not suffice, the draw begins again on one thread. A wave costs at most as
//! much as its quads would in waves of their own, since at least one lane takes part in each instruction that it runs;
//! and a quad alone costs at most as much as the wave of the band that it was in. Hence one thread spends at most the
//! cost of each of the bands' waves times the number of its quads. Where the code and the size of the target show that
//! fuel suffices in any case, it is not counted at all.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cpu::Team;
use ir::Op;
use ir::exec::{Bindings, Failure, Launch, Trap};
use raster::{Packing, Primitive, RasterState, Targets};

use super::pixels::{Pixels, Portion};
use super::vertices::Transformed;
use super::{Draw, DrawError};
use crate::engines::Program;
use crate::graphics::{GraphicsPipeline, Link};
use crate::guard::catch;
use crate::{DispatchError, Shader};

/// The fewest rows of a band.
const FEWEST_ROWS: u32 = 16;
/// The most bytes of bound memory that are copied for another thread.
const MOST_COPIED: usize = 64 << 20;

/// What draws some rows of the targets.
pub(super) struct Band<'a> {
    pub(super) pixels: Pixels,
    pub(super) targets: Targets<'a>,
}

/// What all bands of a portion have in common.
pub(super) struct Common<'a> {
    pub(super) pipeline: &'a GraphicsPipeline,
    pub(super) merge: &'a raster::MergeState,
    pub(super) transformed: &'a Transformed,
    pub(super) launch: &'a Launch,
    pub(super) is_last: bool,
}

impl GraphicsPipeline {
    /// The bands of a draw: one for each thread, or one of all rows.
    pub(super) fn bands<'a>(
        &self,
        draw: &Draw,
        threads: usize,
        state: &RasterState,
        width: u32,
        targets: Targets<'a>,
    ) -> Vec<Band<'a>> {
        let (link, kind) = (&*self.link, self.between.kind(self.desc.topology));
        let pixels = || {
            let mut pixels = Pixels::new(state.clone(), link, kind, width);
            pixels.statistics.clone_from(&draw.statistics);
            pixels
        };
        if !self.has_bands(draw, threads, state, &targets) {
            return vec![Band { pixels: pixels(), targets }];
        }
        let height = rows(threads, state);
        let tops = (0..).step_by(height as usize);
        let band = |(targets, top): (Targets<'a>, u32)| {
            let mut pixels = pixels();
            pixels.restrict(top..(top + height).min(state.height));
            Band { pixels, targets }
        };
        targets.bands(height).into_iter().zip(tops).map(band).collect()
    }

    /// Whether a draw has several bands.
    pub(super) fn has_bands(
        &self,
        draw: &Draw,
        threads: usize,
        state: &RasterState,
        targets: &Targets<'_>,
    ) -> bool {
        rows(threads, state) < state.height && self.is_splittable(draw, state, targets)
    }

    /// Whether the rows of the targets can be drawn apart from each other.
    fn is_splittable(&self, draw: &Draw, state: &RasterState, targets: &Targets<'_>) -> bool {
        let cannot_tell = |pixel: &Shader| {
            let orders = pixel.module.io.as_ref().is_some_and(|it| it.pixel.orders_pixels);
            let writes = pixel.resources().iter().any(|it| it.used && it.kind.writable());
            !(pixel.module.needs.wave_ops || orders || writes)
        };
        let depth = targets.depth_stencil.as_ref();
        let planes = depth.into_iter().flat_map(|it| [&it.depth, &it.stencil]);
        let mut all = targets.colours.iter().chain(planes).flatten().peekable();
        // Without targets there is nothing to split.
        all.peek().is_some()
            && all.all(|it| it.layout().layers == 1)
            && state.packing == Packing::default()
            // A draw that begins again must not have written what it reads.
            && (draw.fuel.is_none() || !self.desc.writes_memory())
            && draw.prints.is_none()
            && self.desc.pixel.as_ref().is_none_or(cannot_tell)
    }
}

/// The rows of a band: whole blocks of the rasterizer, so that no quad and no block lies in two bands.
fn rows(threads: usize, state: &RasterState) -> u32 {
    let threads = u32::try_from(threads).unwrap_or(u32::MAX).max(1);
    state.height.div_ceil(threads).next_multiple_of(FEWEST_ROWS)
}

/// What one thread may spend at most, for each wave-instruction of the bands.
pub(super) fn most_for_each(width: u32) -> u64 {
    u64::from(width / 4).max(1)
}

/// The most fuel that a draw of a vertex and a pixel shader can spend, whatever the packing; `None` if that is not
/// known, because a shader loops or samples, or there are more stages.
pub(super) fn most_spent(
    pipeline: &GraphicsPipeline,
    state: &RasterState,
    vertices: u64,
    primitives: u64,
    width: u32,
) -> Option<u64> {
    if !pipeline.between.is_empty() || pipeline.between.mesh.is_some() {
        return None;
    }
    let pixel = pipeline.desc.pixel.as_ref().map_or(Some(0), |it| most_of_wave(it, width))?;
    let [across, down] = [state.width, state.height].map(|it| u64::from(it / 2 + 1));
    // The quads of a target, and those along the edges of the pieces of a primitive that is clipped.
    let quads = (across * down + 32 * (across + down)) * u64::from(state.samples.count());
    let waves = vertices / u64::from(width) + 1;
    let of_pixels = primitives.checked_mul(quads)?.checked_mul(pixel)?;
    let of_vertices = waves.checked_mul(most_of_wave(&pipeline.desc.vertex, width)?)?;
    of_vertices.checked_add(of_pixels)
}

/// The most fuel that a wave of a shader can spend; `None` if it loops or samples.
pub(super) fn most_of_wave(shader: &Shader, width: u32) -> Option<u64> {
    let mut insts = shader.module.insts.iter().map(|it| &it.op);
    insts.try_fold(0u64, |all, op| match op {
        Op::Loop { .. } | Op::Texture(_) | Op::Ray(_) => None,
        op => all.checked_add(ir::effort::cost(op, width)),
    })
}

/// Whether the results of the bands do not determine how the draw ends on one thread.
pub(super) fn is_open(ended: &Result<(), DrawError>) -> bool {
    let trap = match ended {
        Err(DrawError::Run(DispatchError::Trap(trap))) => trap,
        _ => return false,
    };
    !matches!(trap, Trap::Cancelled { .. })
}

/// Draws a portion into all bands at once, and returns the fuel that they have spent together. `primitives` gives the
/// primitives of the portion.
pub(super) fn draw<I: Iterator<Item = Primitive>>(
    bands: &mut [Band<'_>],
    common: &Common<'_>,
    bindings: &mut Bindings,
    primitives: impl Fn() -> I + Sync,
) -> Result<u64, DrawError> {
    let run = |band: &mut Band<'_>, bindings: &mut Bindings| {
        catch(|| common.run(band, bindings, &mut primitives()))
    };
    let bytes: usize = bindings.bindings.iter().flatten().map(|it| it.bytes.len()).sum();
    let results: Vec<_> = if bytes > MOST_COPIED {
        bands.iter_mut().map(|band| run(band, bindings)).collect()
    } else {
        let team = Team::of(bands.len());
        let mut copies: Vec<Bindings> = bands.iter().skip(1).map(|_| bindings.clone()).collect();
        let all = bands.iter_mut().zip(std::iter::once(bindings).chain(&mut copies)).enumerate();
        // A thread may have started before another is awake, and takes its band too.
        let (left, results) = (Mutex::new(all), Mutex::new(Vec::new()));
        let next = || lock(&left).next();
        team.run(|| {
            while let Some((index, (band, bindings))) = next() {
                let result = run(band, bindings);
                lock(&results).push((index, result));
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    };
    let mut spent: u64 = 0;
    for result in results {
        match result {
            Ok(ended) => spent = spent.saturating_add(ended?),
            Err(bug) => return Err(DispatchError::Bug(bug).into()),
        }
    }
    Ok(spent)
}

/// Panics are caught below, so that no lock is poisoned halfway.
fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Common<'_> {
    /// Draws into a band, and returns the fuel that it has spent.
    fn run(
        &self,
        band: &mut Band<'_>,
        bindings: &mut Bindings,
        primitives: &mut dyn Iterator<Item = Primitive>,
    ) -> Result<u64, Failure> {
        let link: &Link = &self.pipeline.link;
        let mut portion = Portion {
            link,
            merge: self.merge,
            transformed: self.transformed,
            primitives,
            targets: &mut band.targets,
            is_last: self.is_last,
        };
        let program: Option<&dyn Program> = self.pipeline.pixel.as_deref();
        let Some(program) = program else {
            band.pixels.run_alone(&mut portion);
            return Ok(0);
        };
        let spent = self.launch.fuel.map(|_| Arc::default());
        let launch = Launch { spent: spent.clone(), ..self.launch.clone() };
        program.run_waves(&launch, bindings, &mut band.pixels.feed(portion))?;
        Ok(spent.map_or(0, |it| it.load(Ordering::Relaxed)))
    }
}
