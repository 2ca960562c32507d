//! Panics in the runtime. Generated code has no unwind tables, so a panic is caught at the entry of the runtime and
//! resumed when the host is in control again.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The first panic of a launch, shared by its threads.
#[derive(Default)]
pub(crate) struct Fault {
    is_set: AtomicBool,
    payload: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Fault {
    /// Runs `work` unless a panic has happened before, and records a panic in it. Returns whether it finished.
    #[inline]
    pub(crate) fn guard(&self, work: impl FnOnce()) -> bool {
        if self.is_set() {
            return false;
        }
        // The launch is abandoned: data that was being changed is not used again.
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

    /// Resumes the recorded panic, if there was one. Must be called when no generated code runs.
    pub(crate) fn resume(&self) {
        let payload = self.payload.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = payload {
            resume_unwind(payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ir::exec::{Bindings, Buffer, Launch};

    use super::*;
    use crate::call::What;
    use crate::{Compiled, Isa, compile};

    fn run(compiled: &Compiled, threads: usize) -> Bindings {
        let buffer = || Buffer { bytes: vec![1; 64].into(), ..Buffer::default() };
        let resources = &compiled.module.resources;
        let elements = |it: &ir::Resource| (0..it.count.unwrap_or(1)).map(|_| buffer()).collect();
        let mut bindings = Bindings { bindings: resources.iter().map(elements).collect() };
        let launch = Launch::dispatch([9, 1, 1], 8);
        compiled.run(&launch, &mut bindings, threads).unwrap();
        bindings
    }

    /// Whichever call panics, in a loop or not: the host gets the panic, and the next launch is not affected.
    #[test]
    fn a_panic_below_generated_code_comes_out() {
        let module = Arc::new(ir::text::read(include_str!("../tests/escape.ir")).unwrap());
        for isa in Isa::ALL.into_iter().filter(|it| it.missing().is_none()) {
            let mut compiled = compile(&module, isa, 8).unwrap();
            let before = run(&compiled, 1);
            let count = compiled.sites.len();
            assert!(count > 20);
            for number in [0, 1, count / 2, count - 1] {
                let right = std::mem::replace(&mut compiled.sites[number].what, What::Panic);
                for threads in [1, 3] {
                    let result =
                        catch_unwind(AssertUnwindSafe(|| run(&compiled, threads))).map(|_| ());
                    let payload = result.expect_err("the call is made");
                    assert_eq!(payload.downcast_ref(), Some(&"a bug in a definition"));
                }
                compiled.sites[number].what = right;
            }
            assert!(run(&compiled, 1) == before);
        }
    }
}
