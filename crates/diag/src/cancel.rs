//! How work is ended from outside.
//!
//! No crate below the command line reads a clock: a caller that has one sets a flag, which long work reads after a
//! number of its own steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag that ends the work that holds it, set from another thread. The default is never set.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Option<Arc<AtomicBool>>,
    left: Option<Arc<AtomicU64>>,
}

impl Cancel {
    /// Set after this many reads, so that tests need no clock.
    pub fn after(questions: u64) -> Cancel {
        Cancel { flag: None, left: Some(Arc::new(AtomicU64::new(questions))) }
    }

    /// Whether the work should end.
    pub fn is_set(&self) -> bool {
        if let Some(left) = &self.left {
            let less = |it: u64| it.checked_sub(1);
            return left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err();
        }
        self.flag.as_ref().is_some_and(|it| it.load(Ordering::Relaxed))
    }
}

/// All flags are equal: which one ends the work does not change its result, so that options are compared without it.
impl PartialEq for Cancel {
    fn eq(&self, _: &Cancel) -> bool {
        true
    }
}

impl Eq for Cancel {}

impl From<Arc<AtomicBool>> for Cancel {
    fn from(flag: Arc<AtomicBool>) -> Cancel {
        Cancel { flag: Some(flag), left: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_set_from_outside_or_after_so_many_questions() {
        assert!(!Cancel::default().is_set());
        let flag = Arc::new(AtomicBool::new(false));
        let cancel = Cancel::from(flag.clone());
        assert!(!cancel.clone().is_set());
        flag.store(true, Ordering::Relaxed);
        assert!(cancel.is_set());
        let cancel = Cancel::after(2);
        assert_eq!([0; 4].map(|_| cancel.clone().is_set()), [false, false, true, true]);
    }
}
