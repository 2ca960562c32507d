//! Status codes, the text of the last error, and the wall that no panic passes.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call ended. The numbers are the exit statuses of the command `wavelane`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "C's spelling")]
pub enum WlStatus {
    /// It did what was asked.
    WL_OK = 0,
    /// The run could not go on, or its fuel is spent.
    WL_TRAP = 1,
    /// The shader, a name or an argument is wrong.
    WL_BAD_INPUT = 2,
    /// This engine or machine cannot do it.
    WL_UNSUPPORTED = 3,
    /// A bug in wavelane; nothing that the call wrote is of use.
    WL_BUG = 70,
}

/// A failure, with its text.
pub(crate) struct Failed(pub(crate) WlStatus, pub(crate) String);

impl Failed {
    pub(crate) fn input(what: impl ToString) -> Failed {
        Failed(WlStatus::WL_BAD_INPUT, what.to_string())
    }

    pub(crate) fn unsupported(what: impl ToString) -> Failed {
        Failed(WlStatus::WL_UNSUPPORTED, what.to_string())
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// A text for C, which ends at the first zero.
pub(crate) fn c_text(text: &str) -> CString {
    let until = text.split('\0').next().unwrap_or("");
    CString::new(until).unwrap_or_default()
}

/// Runs the inside of a function of the interface.
pub(crate) fn enter(work: impl FnOnce() -> Result<(), Failed>) -> WlStatus {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Failed(WlStatus::WL_BUG, format!("a bug in wavelane: {text}")))
    });
    let (status, text) = match result {
        Ok(()) => (WlStatus::WL_OK, String::new()),
        Err(Failed(status, text)) => (status, text),
    };
    LAST.with(|last| *last.borrow_mut() = c_text(&text));
    status
}

/// The text of the error of this thread's last call; empty if it succeeded. For a shader that does not compile, the
/// source lines with carets. It is valid until the thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn wl_last_error() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}

/// The version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn wl_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn a_panic_becomes_a_status_with_its_words() {
        let status = enter(|| unreachable!("two and two are five"));
        assert_eq!(status, WlStatus::WL_BUG);
        // SAFETY: it is a string of C's, valid until the next call.
        let text = unsafe { CStr::from_ptr(wl_last_error()) }.to_str().unwrap();
        assert!(
            text.starts_with("a bug in wavelane: ") && text.ends_with("two and two are five"),
            "{text}"
        );
        assert_eq!(enter(|| Ok(())), WlStatus::WL_OK);
        // SAFETY: as above.
        let text = unsafe { CStr::from_ptr(wl_last_error()) };
        assert!(text.is_empty());
    }
}
