//! Keyframes: saved states of a run, evenly distributed, so that going back repeats a small part of it.
//!
//! There are at most [`MOST`]: when they are full, every second one is dropped, and the distance doubles. Pages of
//! buffers that did not change between two keyframes are held once.

use std::sync::Arc;

use interp::Run;
use ir::exec::Bindings;

use crate::waves::Waves;

/// The most keyframes.
const MOST: usize = 64;
/// The distance at the beginning, in ticks.
const FIRST_DISTANCE: u64 = 256;
const PAGE: usize = 4096;

/// A saved state.
pub(crate) struct Keyframe {
    pub(crate) run: Run,
    pub(crate) view: Waves,
    pages: Vec<Vec<Arc<[u8]>>>,
    /// The bindings without their bytes.
    shells: Bindings,
}

pub(crate) struct Keyframes {
    /// Ascending by tick.
    frames: Vec<Keyframe>,
    distance: u64,
}

impl Keyframes {
    pub(crate) fn new(first: Keyframe) -> Keyframes {
        Keyframes { frames: vec![first], distance: FIRST_DISTANCE }
    }

    /// Whether a state at this tick is to be saved.
    pub(crate) fn wants(&self, tick: u64) -> bool {
        self.frames.last().is_none_or(|it| tick >= it.view.ticks + self.distance)
    }

    /// The tick from which on no state is saved yet.
    pub(crate) fn next(&self) -> u64 {
        self.frames.last().map_or(0, |it| it.view.ticks + self.distance)
    }

    pub(crate) fn save(&mut self, run: &Run, view: &Waves, bindings: &Bindings) {
        let before = self.frames.last().map(|it| it.pages.as_slice());
        let frame = Keyframe::of(run.clone(), view.clone(), bindings, before);
        self.frames.push(frame);
        if self.frames.len() > MOST {
            let mut number = 0;
            self.frames.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.distance *= 2;
        }
    }

    /// The number of the last keyframe at or before a tick.
    pub(crate) fn before(&self, ticks: u64) -> usize {
        self.frames.partition_point(|it| it.view.ticks <= ticks).saturating_sub(1)
    }

    pub(crate) fn get(&self, number: usize) -> &Keyframe {
        &self.frames[number]
    }
}

impl Keyframe {
    pub(crate) fn of(
        run: Run,
        view: Waves,
        bindings: &Bindings,
        before: Option<&[Vec<Arc<[u8]>>]>,
    ) -> Keyframe {
        let mut pages = Vec::new();
        let mut shells = Bindings::default();
        for buffers in &bindings.bindings {
            let mut own = Vec::with_capacity(buffers.len());
            for buffer in buffers {
                let old = before.and_then(|it| it.get(pages.len()));
                let page = |(number, bytes): (usize, &[u8])| match old.and_then(|it| it.get(number))
                {
                    Some(page) if **page == *bytes => page.clone(),
                    _ => bytes.into(),
                };
                pages.push(buffer.bytes.chunks(PAGE).enumerate().map(page).collect());
                own.push(buffer.what.clone().into());
            }
            shells.bindings.push(own);
        }
        Keyframe { run, view, pages, shells }
    }

    /// The contents of all buffers.
    pub(crate) fn bindings(&self) -> Bindings {
        let mut bindings = self.shells.clone();
        for (buffer, pages) in bindings.bindings.iter_mut().flatten().zip(&self.pages) {
            buffer.bytes = pages.concat().into();
        }
        bindings
    }
}
