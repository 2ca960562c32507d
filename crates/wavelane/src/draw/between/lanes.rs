//! The lanes of the stages between: numbered from 0, dense in waves or packed in another way, and fed row by row.

use ir::Slot;
use ir::exec::{Feed, FeedInPlace, Invocation, WaveInPlace, WaveInputs, WaveOutputs};
use ops::LaneMask;

use crate::draw::vertices::interleave;
use crate::graphics::{Source, Step};

/// What the lanes of a stage are: how many, what their inputs hold, and what each represents.
pub(super) trait Numbered {
    fn total(&self) -> u64;

    /// What an input of a lane holds.
    fn word(&self, lane: u64, source: Source) -> u32;

    /// What an input of consecutive lanes holds, from `first` on.
    fn row(&self, first: u64, source: Source, row: &mut [u32]) {
        (first..).zip(row).for_each(|(lane, to)| *to = self.word(lane, source));
    }

    fn invocation(&self, lane: u64) -> Invocation;
}

/// Feeds the lanes of a stage.
pub(super) struct Lanes<'a> {
    step: &'a Step,
    of: &'a dyn Numbered,
    width: u32,
    next: u64,
    /// How many lanes of the running wave exist.
    lanes: u32,
    /// The outputs, lane by lane.
    pub(super) words: Vec<u32>,
}

/// Feeds them in waves that are packed in another way.
pub(super) struct Dealt<'a> {
    step: &'a Step,
    of: &'a dyn Numbered,
    /// The waves to come, in reverse order.
    waves: Vec<Vec<u64>>,
    running: Vec<u64>,
    /// The outputs, lane by lane.
    pub(super) words: Vec<u32>,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(step: &'a Step, of: &'a dyn Numbered, width: u32) -> Lanes<'a> {
        let words = Vec::with_capacity(of.total() as usize * step.outputs as usize);
        Lanes { step, of, width, next: 0, lanes: 0, words }
    }

    /// The first lane of the next wave, which is counted.
    fn advance(&mut self) -> Option<u64> {
        let (first, total) = (self.next, self.of.total());
        if first >= total {
            return None;
        }
        self.lanes = (total - first).min(u64::from(self.width)) as u32;
        self.next = first + u64::from(self.lanes);
        Some(first)
    }

    /// Makes room for the outputs of the running wave.
    fn grow(&mut self) -> (&mut [u32], usize) {
        let (slots, start) = (self.step.outputs as usize, self.words.len());
        self.words.resize(start + self.lanes as usize * slots, 0);
        (&mut self.words[start..], slots)
    }
}

impl<'a> Dealt<'a> {
    /// `waves` are the lanes of each wave, in the order in which they run.
    pub(super) fn new(step: &'a Step, of: &'a dyn Numbered, mut waves: Vec<Vec<u64>>) -> Dealt<'a> {
        waves.reverse();
        let words = vec![0; of.total() as usize * step.outputs as usize];
        Dealt { step, of, waves, running: Vec::new(), words }
    }
}

impl Feed for Lanes<'_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        let Some(first) = self.advance() else { return false };
        wave.lanes = LaneMask::first_n(self.lanes);
        wave.helpers = LaneMask::EMPTY;
        for (slot, source) in &self.step.inputs {
            let row = wave.rows.row_mut(*slot).iter_mut().take(self.lanes as usize);
            (first..).zip(row).for_each(|(lane, to)| *to = self.of.word(lane, *source).into());
        }
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        let (words, slots) = self.grow();
        for slot in 0..slots {
            let row = wave.rows.row(Slot(slot as u32));
            let lanes = words.chunks_exact_mut(slots);
            lanes.zip(row).for_each(|(lane, bits)| lane[slot] = *bits as u32);
        }
    }

    fn in_place(&mut self) -> Option<&mut dyn FeedInPlace> {
        Some(self)
    }

    fn invocation(&self, lane: u32) -> Option<Invocation> {
        // The wave has been counted.
        let first = self.next - u64::from(self.lanes);
        (lane < self.lanes).then(|| self.of.invocation(first + u64::from(lane)))
    }
}

impl FeedInPlace for Lanes<'_> {
    fn next_in_place(&mut self, wave: &mut dyn WaveInPlace) -> bool {
        let Some(first) = self.advance() else { return false };
        wave.deal(LaneMask::first_n(self.lanes), LaneMask::EMPTY);
        for (slot, source) in &self.step.inputs {
            let Some(row) = wave.input(*slot) else { continue };
            let (row, beyond) = row.split_at_mut(self.lanes as usize);
            self.of.row(first, *source, row);
            beyond.fill(0);
        }
        true
    }

    fn take_in_place(&mut self, wave: &dyn WaveInPlace) {
        let (words, slots) = self.grow();
        interleave(words, slots, |slot| wave.output(Slot(slot as u32)));
    }
}

impl Feed for Dealt<'_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        let Some(lanes) = self.waves.pop() else { return false };
        wave.lanes = LaneMask::first_n(lanes.len() as u32);
        wave.helpers = LaneMask::EMPTY;
        for (slot, source) in &self.step.inputs {
            for (lane, to) in lanes.iter().zip(wave.rows.row_mut(*slot)) {
                *to = self.of.word(*lane, *source).into();
            }
        }
        self.running = lanes;
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        let slots = self.step.outputs as usize;
        for slot in 0..slots {
            let row = wave.rows.row(Slot(slot as u32));
            for (lane, bits) in self.running.iter().zip(row) {
                self.words[*lane as usize * slots + slot] = *bits as u32;
            }
        }
    }

    fn invocation(&self, lane: u32) -> Option<Invocation> {
        self.running.get(lane as usize).map(|it| self.of.invocation(*it))
    }
}
