//! Runs the waves of a vertex or pixel shader: one after the other in one frame, with inputs from a feed.
//!
//! The feed fills rows, the host copies those that the code reads into the frame, and the outputs back. A wave that
//! iterates for ever is a deadlock at once: no other wave runs before it has ended, so nothing can change what it waits
//! for.

use std::cell::RefCell;
use std::sync::atomic::Ordering::Relaxed;

use ir::Slot;
use ir::exec::{Bindings, Failure, Feed, Launch, Trap, WaveInPlace, WaveInputs, WaveOutputs, Work};
use ir::turns::{PATIENCE, ROUNDS};
use ops::{LaneMask, Repr};

use crate::call::Common;
use crate::endless::{Digest, Past};
use crate::fault::Fault;
use crate::frame::Block;
use crate::launch::{self, GROUP_BYTES};
use crate::layout::{BARRIER, DONE, Fuel, Header, SPINNING, Slice, StageRow, StageRows};
use crate::meter::Meter;
use crate::views::Views;
use crate::{Compiled, Stopped};

pub(crate) fn run(
    compiled: &Compiled,
    launch: &Launch,
    bindings: &mut Bindings,
    feed: &mut dyn Feed,
) -> Result<(), Stopped> {
    let module = &*compiled.module;
    let check = launch.check(module.group_size, module.wave_size, module.needs.wave_masks);
    check.map_err(Failure::Unsupported)?;
    compiled.footprint.check(compiled.mode.width).map_err(Failure::TooLarge)?;
    let (Some(rows), Work::Waves) = (&compiled.layout.stage, &launch.work) else {
        return Err(ir::exec::mismatch().into());
    };
    if let Some(what) = launch::refuses(module, launch, bindings) {
        return Err(what.into());
    }
    let bytes = compiled.frame as u64;
    if bytes > GROUP_BYTES {
        return Err(Failure::Trap(Trap::OutOfMemory { bytes }).into());
    }
    let views = Views::new(bindings);
    let meter = Meter::new(launch.fuel, launch.cancel.clone());
    let common = Common {
        module,
        layout: &compiled.layout,
        sites: &compiled.sites,
        views: &views,
        width: compiled.width,
        fault: Fault::default(),
        asked: compiled.mode.width,
        meter: &meter,
        prints: launch.prints.as_deref(),
        feed: Some(RefCell::new(feed)),
    };
    let mut runner = Runner { compiled, rows, common: &common, frame: compiled.new_frame() };
    let ended = runner.all(launch);
    if let (Some(spent), Some(fuel)) = (&launch.spent, launch.fuel) {
        spent.store(fuel - meter.fuel.load(Relaxed), Relaxed);
    }
    common.fault.resume();
    ended.map_err(|trap| Failure::Trap(trap).into())
}

struct Runner<'a> {
    compiled: &'a Compiled,
    rows: &'a StageRows,
    common: &'a Common<'a>,
    frame: Block,
}

impl Runner<'_> {
    fn all(&mut self, launch: &Launch) -> Result<(), Trap> {
        let width = self.compiled.mode.width;
        let mut inputs = WaveInputs::new(self.rows.inputs.len() as u32, width);
        let mut outputs = WaveOutputs::new(self.rows.outputs.len() as u32, width);
        let feed = || {
            let feed = self.common.feed.as_ref();
            feed.unwrap_or_else(|| unreachable!("the caller has set it")).borrow_mut()
        };
        self.prepare();
        let mut rows = self.rows.inputs.iter().chain(&self.rows.outputs).filter(|it| it.is_used);
        let is_in_place = rows.all(|it| it.ty.repr() != Repr::Long) && feed().in_place().is_some();
        for number in 0.. {
            let lanes = if is_in_place {
                self.begin_outputs();
                let mut wave = InPlace::new(self.rows, &mut self.frame, width);
                if !feed().in_place().is_some_and(|feed| feed.next_in_place(&mut wave)) {
                    break;
                }
                wave.keep_bits(&self.rows.inputs);
                wave.lanes
            } else {
                if !feed().next(&mut inputs) {
                    break;
                }
                let lanes = inputs.lanes & LaneMask::first_n(width);
                self.put(&inputs, lanes);
                lanes
            };
            if !lanes.is_empty() {
                self.run_one(number, lanes)?;
                if self.common.fault.is_set() {
                    break;
                }
            }
            if is_in_place {
                let mut wave = InPlace::new(self.rows, &mut self.frame, width);
                wave.lanes = lanes;
                wave.keep_bits(&self.rows.outputs);
                if let Some(feed) = feed().in_place() {
                    feed.take_in_place(&wave);
                }
            } else {
                self.take(&mut outputs, lanes);
                feed().take(&outputs);
            }
            if let Some(progress) = &launch.progress {
                progress.fetch_add(1, Relaxed);
            }
        }
        Ok(())
    }

    fn header(&mut self) -> *mut Header {
        self.frame.start().cast()
    }

    /// Prepares the frame for all waves.
    fn prepare(&mut self) {
        let (compiled, common) = (self.compiled, self.common);
        let queries = self.frame.queries();
        let header = Header { queries, ..launch::header(compiled, common) };
        // SAFETY: a frame begins with a header, and is larger than it.
        unsafe { self.header().write(header) };
        for binding in 0..compiled.module.resources.len() {
            let slice = launch::slice(common, binding);
            // SAFETY: the frame's layout has room for the slice of every binding.
            unsafe {
                let at = self.frame.start().add(compiled.layout.slice(binding));
                at.cast::<Slice>().write(slice);
            }
        }
    }

    /// Puts the inputs of a wave into the frame, and nothing into its outputs.
    fn put(&mut self, inputs: &WaveInputs, lanes: LaneMask) {
        let width = self.compiled.mode.width as usize;
        self.frame.put_set_of_lanes(self.rows.lanes, lanes);
        self.frame.put_set_of_lanes(self.rows.helpers(), inputs.helpers & lanes);
        for (slot, row) in (0..).map(Slot).zip(&self.rows.inputs).filter(|(_, row)| row.is_used) {
            let from = inputs.rows.row(slot);
            match row.ty.repr() {
                Repr::Bit => {
                    let to = self.frame.row_words(row.at, width);
                    to.iter_mut().zip(from).for_each(|(to, bits)| *to = *bits as u32 & 1);
                }
                // SAFETY: `compile` has checked that the host has the instructions.
                Repr::Word => unsafe { narrow(from, self.frame.row_words(row.at, width)) },
                Repr::Long => self.frame.row_longs(row.at, width).copy_from_slice(from),
            }
        }
        self.begin_outputs();
    }

    /// Puts nothing into the outputs of a wave.
    fn begin_outputs(&mut self) {
        let width = self.compiled.mode.width as usize;
        for row in self.rows.outputs.iter().filter(|row| row.is_used) {
            self.frame.put_set_of_lanes(row.written, LaneMask::EMPTY);
            match row.ty.repr() {
                _ if row.is_whole => {}
                Repr::Bit | Repr::Word => self.frame.row_words(row.at, width).fill(0),
                Repr::Long => self.frame.row_longs(row.at, width).fill(0),
            }
        }
    }

    /// Puts nothing into the lanes from `end` on of the outputs that code writes whole: no strip of theirs runs.
    fn clear_behind(&mut self, end: usize) {
        let width = self.compiled.mode.width as usize;
        if end >= width {
            return;
        }
        for row in self.rows.outputs.iter().filter(|row| row.is_used && row.is_whole) {
            match row.ty.repr() {
                Repr::Bit | Repr::Word => self.frame.row_words(row.at, width)[end..].fill(0),
                Repr::Long => self.frame.row_longs(row.at, width)[end..].fill(0),
            }
        }
    }

    /// Takes the outputs of a wave from the frame.
    fn take(&mut self, outputs: &mut WaveOutputs, lanes: LaneMask) {
        let width = self.compiled.mode.width as usize;
        let helpers = self.frame.set_of_lanes(self.rows.helpers());
        (outputs.live, outputs.helpers) = (lanes & !helpers, helpers);
        for (number, row) in self.rows.outputs.iter().enumerate().filter(|(_, row)| row.is_used) {
            let StageRow { at, ty, written, .. } = *row;
            let to = outputs.rows.row_mut(Slot(number as u32));
            let written = self.frame.set_of_lanes(written);
            match ty.repr() {
                // Where no lane has written it, the row may be that of an earlier wave.
                _ if written.is_empty() => to.fill(0),
                Repr::Bit => {
                    let from = self.frame.row_words(at, width);
                    to.iter_mut().zip(from).for_each(|(to, bits)| *to = u64::from(*bits & 1));
                }
                // SAFETY: `compile` has checked that the host has the instructions.
                Repr::Word => unsafe { widen(self.frame.row_words(at, width), to) },
                Repr::Long => to.copy_from_slice(self.frame.row_longs(at, width)),
            }
            outputs.written[number] = written;
            outputs.poison[number] = LaneMask::first_n(width as u32) & !written;
        }
    }

    /// Runs a wave to its end, or until the runtime has panicked.
    fn run_one(&mut self, number: u32, lanes: LaneMask) -> Result<(), Trap> {
        let (compiled, meter) = (self.compiled, self.common.meter);
        let header = self.header();
        // Those behind the last lane have nothing to do.
        let strips = (128 - lanes.0.leading_zeros()).div_ceil(compiled.width);
        self.clear_behind((strips * compiled.width) as usize);
        // SAFETY: a frame begins with a header, and no code runs in it now.
        unsafe {
            (*header).resume = compiled.code.address(compiled.code.start);
            ((*header).wave, (*header).remaining) = (number, u64::from(strips));
            (*header).first_lane = 0;
        }
        let (mut rounds, mut turns) = (ROUNDS, 0);
        let mut past = Past::default();
        loop {
            // SAFETY: as above.
            let (granted, ask) = unsafe { meter.grant(&mut *header, rounds, compiled.most_cost) };
            // SAFETY: the frame was prepared for this code, and what it points to lives as long as the launch.
            let status = unsafe { compiled.code.enter(header) };
            if self.common.fault.is_set() {
                return Ok(());
            }
            // SAFETY: the code has returned: nothing else uses the frame.
            let after = unsafe { &*header };
            let fuel = Fuel(after.fuel);
            let spent = fuel.spent()
                + (i64::from(ask) - i64::from(after.ask)) as u64
                + u64::from(after.texels.take());
            match status {
                DONE => {
                    return meter.spend(spent.saturating_add(compiled.wave_cost), compiled.end());
                }
                BARRIER => {
                    // No other wave is in flight, so every barrier is open.
                    meter.spend(spent, compiled.stop_at(after.resume))?;
                    rounds = ROUNDS;
                }
                SPINNING => {
                    let at = compiled.stop_at(after.back);
                    if fuel.is_empty() {
                        rounds -= granted;
                    }
                    meter.spend(spent.max(1), at)?;
                    if rounds == 0 {
                        (rounds, turns) = (ROUNDS, turns + 1);
                        if turns % PATIENCE == 0 && self.is_repeated(&mut past) {
                            return Err(Trap::Deadlock { span: at });
                        }
                    }
                }
                other => unreachable!("the code returned the unknown status {other}"),
            }
        }
    }

    /// Whether the state of a wave that iterates has occurred before, with the same memory.
    fn is_repeated(&mut self, past: &mut Past) -> bool {
        let mut frame = Digest::new();
        // SAFETY: a frame begins with a header, and no code runs in it now.
        frame.header(unsafe { &*self.header() });
        frame.words(self.frame.words(size_of::<Header>()));
        frame.word(self.frame.state_of_queries());
        past.comes_back(frame.finish(), || {
            let mut memory = Digest::new();
            memory.memory(self.common.views);
            memory.finish()
        })
    }
}

/// A wave whose rows a feed reads and writes in the frame.
struct InPlace<'a> {
    rows: &'a StageRows,
    frame: &'a mut Block,
    width: usize,
    lanes: LaneMask,
}

/// The most lanes of a wave.
const MOST_LANES: usize = 128;

/// The row of an output that no lane has written.
const ZEROS: [u32; MOST_LANES] = [0; MOST_LANES];

impl<'a> InPlace<'a> {
    fn new(rows: &'a StageRows, frame: &'a mut Block, width: u32) -> InPlace<'a> {
        InPlace { rows, frame, width: width as usize, lanes: LaneMask::EMPTY }
    }

    /// Reduces the rows of Boolean values to 0 and 1.
    fn keep_bits(&mut self, rows: &[StageRow]) {
        for row in rows.iter().filter(|it| it.is_used && it.ty.repr() == Repr::Bit) {
            self.frame.row_words(row.at, self.width).iter_mut().for_each(|it| *it &= 1);
        }
    }
}

impl WaveInPlace for InPlace<'_> {
    fn deal(&mut self, lanes: LaneMask, helpers: LaneMask) {
        self.lanes = lanes & LaneMask::first_n(self.width as u32);
        self.frame.put_set_of_lanes(self.rows.lanes, self.lanes);
        self.frame.put_set_of_lanes(self.rows.helpers(), helpers & self.lanes);
    }

    fn input(&mut self, slot: Slot) -> Option<&mut [u32]> {
        let row = self.rows.inputs.get(slot.index()).filter(|it| it.is_used)?;
        Some(self.frame.row_words(row.at, self.width))
    }

    fn live(&self) -> LaneMask {
        self.lanes & !self.frame.set_of_lanes(self.rows.helpers())
    }

    fn output(&self, slot: Slot) -> &[u32] {
        let row = self.rows.outputs.get(slot.index()).filter(|it| it.is_used);
        // Where no lane has written it, the row may be that of an earlier wave.
        match row.filter(|it| !self.frame.set_of_lanes(it.written).is_empty()) {
            Some(row) => self.frame.words_of(row.at, self.width),
            None => &ZEROS[..self.width],
        }
    }
}

/// Copies the low words of longs.
///
/// # Safety
/// The host must have AVX2, with which the compiler vectorises the loop.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn narrow(from: &[u64], to: &mut [u32]) {
    to.iter_mut().zip(from).for_each(|(to, bits)| *to = *bits as u32);
}

/// Copies words to longs.
///
/// # Safety
/// As above.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn widen(from: &[u32], to: &mut [u64]) {
    to.iter_mut().zip(from).for_each(|(to, bits)| *to = u64::from(*bits));
}
