//! The pixel side of a draw on several threads: each thread draws its own rows of the targets.
//!
//! Every thread takes all primitives in their order and keeps the quads of its band, so that each pixel receives what
//! it would on one thread. Waves are packed otherwise: only shaders that cannot tell are drawn in this way, namely
//! without wave operations, writes to memory, ordered views and prints. A quad lies in one band, which is why helper
//! lanes and derivatives are the same.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cpu::Team;
use ir::exec::{Bindings, Failure, Launch};
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
        let threads = u32::try_from(threads).unwrap_or(u32::MAX);
        // Whole blocks of the rasterizer, so that no quad and no block lies in two bands.
        let height = state.height.div_ceil(threads.max(1)).next_multiple_of(FEWEST_ROWS);
        if threads == 1 || height >= state.height || !self.is_splittable(draw, state, &targets) {
            return vec![Band { pixels: pixels(), targets }];
        }
        let tops = (0..).step_by(height as usize);
        let band = |(targets, top): (Targets<'a>, u32)| {
            let mut pixels = pixels();
            pixels.restrict(top..(top + height).min(state.height));
            Band { pixels, targets }
        };
        targets.bands(height).into_iter().zip(tops).map(band).collect()
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
            && draw.fuel.is_none()
            && draw.prints.is_none()
            && self.desc.pixel.as_ref().is_none_or(cannot_tell)
    }
}

/// Draws a portion into all bands at once. `primitives` gives the primitives of the portion.
pub(super) fn draw<I: Iterator<Item = Primitive>>(
    bands: &mut [Band<'_>],
    common: &Common<'_>,
    bindings: &mut Bindings,
    primitives: impl Fn() -> I + Sync,
) -> Result<(), DrawError> {
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
    for result in results {
        match result {
            Ok(ended) => ended?,
            Err(bug) => return Err(DispatchError::Bug(bug).into()),
        }
    }
    Ok(())
}

/// Panics are caught below, so that no lock is poisoned halfway.
fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Common<'_> {
    fn run(
        &self,
        band: &mut Band<'_>,
        bindings: &mut Bindings,
        primitives: &mut dyn Iterator<Item = Primitive>,
    ) -> Result<(), Failure> {
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
        match program {
            None => band.pixels.run_alone(&mut portion),
            Some(program) => {
                let mut feed = band.pixels.feed(portion);
                program.run_waves(self.launch, bindings, &mut feed)?;
            }
        }
        Ok(())
    }
}
