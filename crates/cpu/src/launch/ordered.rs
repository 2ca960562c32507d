//! Launches of programs that are split at their reservation, on several threads: see [`crate::split`].
//!
//! A thread counts a batch of waves, gets the sum of all earlier waves from the chain, and runs the batch. It can stop
//! before any batch and leave the rest to one thread, which runs the unsplit program, because all earlier waves then
//! have run or will, and the counter has the value that it would have with one thread.

use std::sync::atomic::Ordering::Relaxed;

use ir::Span;
use ir::exec::Trap;
use ir::turns::{PATIENCE, ROUNDS};

use super::{Dispatch, Memory, Range, Worker, first_view, run_waves};
use crate::chain::{Chain, Passed};
use crate::layout::{DONE, Fuel, Header};
use crate::meter::Meter;
use crate::views::View;
use crate::{Compiled, Split};
use legalize::split::At;

/// A launch whose waves get their numbers from a chain.
pub(super) struct Ordered<'a> {
    pub(super) split: &'a Split,
    /// Counting is free: only the run itself is paid for.
    pub(super) meter: Meter,
    pub(super) chain: Chain,
}

/// How several threads can run a launch.
pub(super) enum Order<'a> {
    /// In any order.
    Any,
    /// Not at all.
    OneThread,
    /// By the halves of the program, with the counter in this buffer.
    Split(&'a Split, &'a View),
}

pub(super) fn order<'a>(compiled: &'a Compiled, all: &Dispatch<'a>, threads: usize) -> Order<'a> {
    if threads <= 1 || !compiled.sees_order {
        return Order::Any;
    }
    let Ok(split) = compiled.split(&|| all.meter.is_cancelled()) else {
        return if compiled.is_concurrent { Order::Any } else { Order::OneThread };
    };
    // Less work would take one thread no longer than the others to begin.
    let is_small = compiled.batch.threads(all.total, threads) <= 1;
    let view = first_view(all.views, split.counter.binding).filter(|it| match split.counter.at {
        At::Bytes { end, .. } => end <= it.len,
        At::Hidden => it.counter().is_some(),
    });
    match view {
        Some(view) if !is_small => Order::Split(split, view),
        _ => Order::OneThread,
    }
}

/// Runs a program that is split at its reservation.
pub(super) fn run_split(
    compiled: &Compiled,
    split: &Split,
    view: &View,
    all: &Dispatch<'_>,
    threads: usize,
) -> Result<(), Trap> {
    let start = match split.counter.at {
        At::Bytes { offset, bytes, .. } => view.load(offset, bytes),
        At::Hidden => u64::from(view.counted()),
    };
    let ordered = Ordered {
        split,
        meter: Meter::new(None, all.launch.cancel.clone()),
        chain: Chain::new(all.total, start),
    };
    let ended = run_waves(&split.place, all, 0, threads, Some(&ordered));
    let (next, sum) = ordered.chain.left();
    match split.counter.at {
        At::Bytes { offset, bytes, .. } => view.write(offset, bytes, sum),
        At::Hidden => {
            view.counter().into_iter().for_each(|it| it.store(sum as u32, Relaxed));
        }
    }
    ended?;
    if next < all.total { run_waves(compiled, all, next, 1, None) } else { Ok(()) }
}

impl Worker<'_> {
    /// Puts into each slot of a batch the counter as its wave finds it. Returns false if the batch is not to run here.
    pub(super) fn reserve(
        &mut self,
        ordered: &Ordered<'_>,
        range: Range,
        slots: &mut Vec<u64>,
    ) -> bool {
        let shared = self.shared;
        if !self.count(ordered, range, slots) {
            if !shared.stopped.load(Relaxed) && !ordered.chain.give_up(range.first) {
                // Another thread has counted the batch while more fuel was left. Its waves have not paid yet, and pay
                // no less than counting costs: there is not enough for one thread either.
                let module = shared.common.module;
                let last = module.region(module.body).insts.last();
                let span = last.map_or(Span::NONE, |it| module.inst(*it).span);
                self.stop(Trap::OutOfFuel { span });
            }
            return false;
        }
        let total = |slots: &[u64]| slots.iter().fold(0, |sum: u64, it| sum.wrapping_add(*it));
        let added = total(slots);
        loop {
            let first = match ordered.chain.pass(range.first, range.count, added) {
                Passed::Yes(mut sum) => {
                    for slot in slots {
                        (*slot, sum) = (sum, sum.wrapping_add(*slot));
                    }
                    return true;
                }
                Passed::Never => return false,
                Passed::Late(first) => first,
            };
            if shared.stopped.load(Relaxed) {
                return false;
            }
            // A batch that others wait for is not the last one, and has its full size.
            let mut others = std::mem::take(&mut self.others);
            let late = Range { first, count: shared.batch };
            let is_counted = self.count(ordered, late, &mut others);
            if is_counted {
                ordered.chain.help(first, shared.batch, total(&others));
            }
            self.others = others;
            if !is_counted {
                // The thread whose batch it is decides what follows.
                std::thread::yield_now();
            }
        }
    }

    /// Puts what each wave of a batch adds to the counter into its slot. Returns false if the run is over, or if a wave
    /// loops for so long that it is not known to end.
    ///
    /// Counting costs no fuel, because the waves pay when they run; but it may not take more than they could pay.
    pub(super) fn count(
        &mut self,
        ordered: &Ordered<'_>,
        range: Range,
        slots: &mut Vec<u64>,
    ) -> bool {
        let shared = self.shared;
        let compiled = &ordered.split.count;
        let Some(common) = &shared.counting else {
            unreachable!("a launch with a chain can count")
        };
        slots.clear();
        slots.resize(range.count as usize, 0);
        let counting = self.counting.take();
        let mut frame = counting.unwrap_or_else(|| compiled.new_frame());
        let memory = Memory {
            shared: std::ptr::null_mut(),
            copies: Vec::new(),
            slots: slots.as_mut_ptr().cast(),
        };
        shared.fill(&mut frame, compiled, common, range, &memory);
        let start: *mut Header = frame.start().cast();
        let (mut turns, mut spent, mut remaining) = (0, 0, range.count);
        loop {
            // SAFETY: a frame begins with a header, and no code runs in it now.
            let header = unsafe { &mut *start };
            let (_, ask) = ordered.meter.grant(header, ROUNDS, compiled.most_cost);
            // SAFETY: the frame was filled for this code, and what it points to lives as long as the launch.
            let status = unsafe { compiled.code.enter(start) };
            // SAFETY: the code has returned: nothing else uses the frame.
            let header = unsafe { &mut *start };
            if common.fault.is_set() {
                shared.stopped.store(true, Relaxed);
                return false;
            }
            if status == DONE {
                self.counting = Some(frame);
                return true;
            }
            if ordered.meter.is_cancelled() {
                self.stop(Trap::Cancelled { span: compiled.stop_at(header.back) });
                return false;
            }
            spent += Fuel(header.fuel).spent() + (i64::from(ask) - i64::from(header.ask)) as u64;
            turns = if header.remaining == remaining { turns + 1 } else { 0 };
            remaining = header.remaining;
            let is_bounded = shared.launch.fuel.is_some();
            if shared.stopped.load(Relaxed) {
                return false;
            }
            if turns > PATIENCE || is_bounded && spent > shared.common.meter.fuel.load(Relaxed) {
                return false;
            }
        }
    }
}
