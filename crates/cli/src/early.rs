//! Detects whether the process was started with its standard output closed, which only its first moment shows.
//!
//! Before `main`, the standard library opens `/dev/null` where a standard stream is closed, so that no file of the
//! program gets its number. From then on, a program whose output was closed looks like one whose output is discarded.
//! So a function that the loader calls checks it before that.

/// Whether standard output was closed when the process started. Unknown on systems other than Linux.
pub(crate) fn stdout_was_closed() -> bool {
    system::stdout_was_closed()
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the loader calls what stands in this section before `main`")]
mod system {
    use std::sync::atomic::{AtomicBool, Ordering};

    static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: the loader calls each entry of the section as a C function once, before any thread is started. This one
    // needs nothing that would not be there yet: a system call and an atomic store.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        // SAFETY: the call reads the flags of a descriptor, which need not be open, and touches no memory.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        WAS_CLOSED.store(flags < 0, Ordering::Relaxed);
    }

    pub(super) fn stdout_was_closed() -> bool {
        WAS_CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn stdout_was_closed() -> bool {
        false
    }
}
