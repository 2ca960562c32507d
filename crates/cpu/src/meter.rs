//! Metering of calls into the runtime: the cancellation flag is checked between calls, since code without loops never
//! checks it.
//!
//! A sample of many texels takes a thousand times as long as an instruction, and a program can contain thousands of
//! them without a loop. So calls add up their cost in the header of their frame; when it is high, the fuel for texels
//! is paid and the flag is checked. All other fuel is paid at back edges and at the end of waves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use ir::Span;
use ir::exec::Trap;
use ir::turns::ROUNDS;

use crate::layout::{Fuel, Header};

/// The budget of the waves of a frame before they return to the host.
const GRANT: i32 = 1 << 15;
/// The cost that is accumulated before it is paid.
const MOST: u32 = 1 << 14;

/// The remaining fuel of a launch, shared by its threads.
pub(crate) struct Meter {
    pub(crate) fuel: AtomicU64,
    is_bounded: bool,
    cancel: Option<Arc<AtomicBool>>,
    is_stopped: AtomicBool,
}

impl Meter {
    pub(crate) fn new(fuel: Option<u64>, cancel: Option<Arc<AtomicBool>>) -> Meter {
        Meter {
            fuel: AtomicU64::new(fuel.unwrap_or(u64::MAX)),
            is_bounded: fuel.is_some(),
            cancel,
            is_stopped: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|it| it.load(Relaxed))
    }

    /// Whether the run has ended, so that calls do nothing any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    /// Pays; returns whether fuel is left.
    pub(crate) fn pay(&self, spent: u64) -> bool {
        if !self.is_bounded {
            return true;
        }
        let old = self.fuel.fetch_update(Relaxed, Relaxed, |it| Some(it.saturating_sub(spent)));
        old.is_ok_and(|old| old > spent)
    }

    /// Pays for a turn; fails if the run was cancelled or no fuel is left.
    pub(crate) fn spend(&self, spent: u64, span: Span) -> Result<(), Trap> {
        if self.is_cancelled() {
            return Err(Trap::Cancelled { span });
        }
        if self.pay(spent) { Ok(()) } else { Err(Trap::OutOfFuel { span }) }
    }

    /// Gives a frame at most that many iterations, or fewer if less fuel is left; returns how many, and what else it
    /// may spend before it returns to the host.
    pub(crate) fn grant(&self, header: &mut Header, rounds: u32, most_cost: u64) -> (u32, i32) {
        let (mut granted, mut ask) = (rounds, GRANT);
        if self.is_bounded {
            let left = self.fuel.load(Relaxed);
            let payable = u32::try_from(left / most_cost.max(1)).unwrap_or(ROUNDS);
            granted = rounds.min(payable).max(1);
            ask = left.min(GRANT as u64) as i32;
        }
        let fuel = Fuel::new(granted).0;
        (header.fuel, header.grant, header.ask) = (fuel, fuel, ask);
        (granted, ask)
    }

    /// Counts a call; returns whether the run continues.
    pub(crate) fn count(&self, header: &Header, effort: u32, texels: u64) -> bool {
        let texels = u32::try_from(texels).unwrap_or(u32::MAX);
        let calls = header.calls.get().saturating_add(effort).saturating_add(texels);
        header.calls.set(calls);
        header.texels.set(header.texels.get().saturating_add(texels));
        if calls < MOST {
            return true;
        }
        header.calls.set(0);
        if self.is_cancelled() || !self.pay(u64::from(header.texels.take())) {
            self.is_stopped.store(true, Relaxed);
            return false;
        }
        true
    }
}
