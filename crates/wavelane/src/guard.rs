//! The only place where a panic of the lower layers becomes an error.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A bug in wavelane, not in the shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The violated invariant, in words.
    pub message: String,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a bug in wavelane: {}", self.message)
    }
}

impl std::error::Error for Bug {}

/// Runs `work`. After a panic, data that it was changing must not be used.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Bug> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Bug { message: message(&*payload) })
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or(payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_bug_with_its_message() {
        assert_eq!(catch(|| 7), Ok(7));
        let bug = catch(|| -> () { unreachable!("two and two are five") }).unwrap_err();
        assert!(bug.message.ends_with("two and two are five"), "{bug}");
    }
}
