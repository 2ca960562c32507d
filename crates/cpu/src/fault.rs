//! A panic below generated code, which has no tables to unwind by: it is caught where the runtime was entered, and goes on
//! where the host has taken over again.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// What the threads of a launch know of a panic; the first one counts.
#[derive(Default)]
pub(crate) struct Fault {
    is_set: AtomicBool,
    payload: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Fault {
    /// Does the work unless a panic has happened, and keeps one that happens in it. Says whether the work was done.
    #[inline]
    pub(crate) fn guard(&self, work: impl FnOnce()) -> bool {
        if self.is_set() {
            return false;
        }
        // The launch is given up: nothing that was left half done is looked at again.
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(()) => true,
            Err(payload) => {
                let mut place = self.payload.lock().unwrap_or_else(PoisonError::into_inner);
                place.get_or_insert(payload);
                self.is_set.store(true, Relaxed);
                false
            }
        }
    }

    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Relaxed)
    }

    /// Lets the panic go on, if there was one. To be called when no generated code runs.
    pub(crate) fn resume(&self) {
        let payload = self.payload.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = payload {
            resume_unwind(payload);
        }
    }
}
