//! The unobservable rewrites of whole programs, for speed, in their order: those that a target requests ([`Rewrites`])
//! and whose conditions hold for the dispatch.
//!
//! 1. Loops over first lanes become one match (`waterfalls.rs`).
//! 2. Several groups become one (`coarsened.rs`), after loops whose course is known have been unrolled (`unrolled.rs`).
//! 3. Groups run in turn and add up in groupshared copies (`merged.rs`), or else reserve at once (`aggregated.rs`).
//! 4. Loops whose course is known are unrolled, and private arrays whose indices are known by then become values
//!    (`promoted.rs`), for a device whose compiler does not do that.

use std::borrow::Cow;

use ir::Module;

use crate::aggregated::aggregated;
use crate::coarsened::coarsened;
use crate::extents::Dispatch;
use crate::merged::{Record, merged_by};
use crate::pressure::pressure;
use crate::promoted::promoted;
use crate::target::Target;
use crate::textures::uses_textures;
use crate::unrolled::unrolled;
use crate::waterfalls::matched;

/// The most registers that several groups in one may need: with that many, a processor of a GPU has room for a third of
/// its threads, whose loads keep the memory busy.
const MOST_REGISTERS: u32 = 96;

/// The threads of a GPU that hold a wave between them.
const LANES_OF_THREADS: u32 = 32;

/// The rewrites that are worth their while on a device. A device has no less without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rewrites {
    /// What takes long on GPUs in general, for one dispatch: the first three.
    pub(crate) of_dispatches: bool,
    /// The last one, for a device whose compiler neither unrolls loops nor keeps arrays in registers.
    pub(crate) unrolling: bool,
}

/// What the rewrites may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<'a> {
    /// The lanes of a wave.
    pub width: u32,
    /// The only dispatch that the module is for.
    pub dispatch: Option<&'a Dispatch>,
    /// The sizes of the buffers that are small and bound at one place only; 0 for the others.
    pub sizes: Option<&'a [usize]>,
    /// The least number of groups that keeps the device busy.
    pub blocks: Option<u32>,
    /// Whether groups in turn find the dispatch in constants, instead of a buffer with which one module serves all
    /// dispatches.
    pub in_constants: bool,
}

/// What has become of a module.
#[derive(Clone, Debug)]
pub struct Rewritten<'a> {
    pub module: Cow<'a, Module>,
    /// The groups on the first axis that became one.
    pub coarse: u32,
    /// Whether groups run in turn: then they are counted on the first axis only, and there may be any number of them,
    /// or with constants as many as [`runs`] says.
    pub in_turn: bool,
}

/// The groups that run all groups in turn, on a device that this many groups keep busy.
pub fn runs(groups: [u32; 3], blocks: u32) -> u32 {
    groups.iter().fold(1, |all: u32, it| all.saturating_mul(*it)).min(blocks)
}

/// The groups that are left if this many on the first axis become one.
pub fn coarse_groups([x, y, z]: [u32; 3], coarse: u32) -> [u32; 3] {
    [x / coarse.max(1), y, z]
}

/// Rewrites a module as far as the target requests it.
pub fn rewritten<'a>(module: &'a Module, target: &Target, known: &Known<'_>) -> Rewritten<'a> {
    let mut result = Rewritten { module: Cow::Borrowed(module), coarse: 1, in_turn: false };
    let became = |new: Option<Module>, it: &mut Cow<'a, Module>| match new {
        Some(new) => {
            *it = Cow::Owned(new);
            true
        }
        None => false,
    };
    let Rewrites { of_dispatches, unrolling } = target.rewrites;
    let module = &mut result.module;
    if of_dispatches {
        became(matched(module, known.width), module);
    }
    if of_dispatches && let Some((new, coarse)) = coarser(module, known) {
        result.coarse = coarse;
        became(Some(new), module);
    }
    let sizes = known.sizes.filter(|_| of_dispatches);
    // The record would be among those of textures.
    if let Some(sizes) = sizes.filter(|_| !uses_textures(module)) {
        let record = match (known.dispatch, known.blocks) {
            _ if !known.in_constants => Some(Record::Buffer),
            (Some(dispatch), Some(blocks)) => {
                let groups = coarse_groups(dispatch.groups, result.coarse);
                Some(Record::Constants { groups, runs: runs(groups, blocks) })
            }
            _ => None,
        };
        result.in_turn = became(record.and_then(|it| merged_by(module, sizes, it)), module);
    }
    if let Some(sizes) = sizes.filter(|_| !result.in_turn) {
        became(aggregated(module, known.width, sizes), module);
    }
    if unrolling {
        became(unrolled(module, known.width), module);
        became(promoted(module), module);
    }
    result
}

/// The module with as many groups in one as leave enough to keep the device busy, and their number.
fn coarser(module: &Module, known: &Known<'_>) -> Option<(Module, u32)> {
    let (dispatch, least) = (known.dispatch?, known.blocks?);
    let all = dispatch.groups.iter().try_fold(1, |all: u32, it| all.checked_mul(*it))?;
    let fits = |it: &u32| dispatch.groups[0].is_multiple_of(*it) && all / it >= least.max(1);
    let mut numbers = [4, 2].into_iter().filter(fits).peekable();
    numbers.peek()?;
    let unrolled = unrolled(module, known.width);
    let module = unrolled.as_ref().unwrap_or(module);
    // A thread holds as many lanes of a wave as the wave has parts of that size.
    let lanes = known.width.div_ceil(LANES_OF_THREADS);
    numbers.find_map(|it| {
        let new = coarsened(module, it, &dispatch.bytes)?;
        (pressure(&new) * lanes <= MOST_REGISTERS).then_some((new, it))
    })
}
