//! Guard pages: an allocator whose every allocation ends at an inaccessible page. An access one byte too far ends the
//! process, and freed memory is inaccessible too.
#![allow(unsafe_code, reason = "an allocator is replaced")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::SeqCst};

pub(crate) const PAGE: usize = 4096;
const REGION: usize = 64 << 30;

/// Allocates from a region of inaccessible pages, while it is armed.
pub(crate) struct Fence;

pub(crate) static ARMED: AtomicBool = AtomicBool::new(false);
static REGION_START: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static USED: AtomicUsize = AtomicUsize::new(PAGE);
/// The number of allocations in the region.
static ALIVE: AtomicUsize = AtomicUsize::new(0);
/// The running test, for the message when the process dies.
pub(crate) static RUNNING: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static FENCE: Fence = Fence;

impl Fence {
    pub(crate) fn reserve() {
        let (none, anonymous) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: it maps new pages.
        let start =
            unsafe { libc::mmap(null_mut(), REGION, none, anonymous | libc::MAP_NORESERVE, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        REGION_START.store(start.cast(), SeqCst);
        // SAFETY: the handler only writes and ends the process.
        unsafe {
            let handler = died as extern "C" fn(libc::c_int);
            libc::signal(libc::SIGSEGV, handler as libc::sighandler_t);
            libc::signal(libc::SIGBUS, handler as libc::sighandler_t);
        }
    }

    /// Runs `work` with all of its memory inside the fence, and checks that it frees all of it.
    pub(crate) fn around<R: Copy>(work: impl FnOnce() -> R) -> R {
        ARMED.store(true, SeqCst);
        let result = work();
        ARMED.store(false, SeqCst);
        if ALIVE.load(SeqCst) == 0 {
            // All of it is free again, and its pages are inaccessible.
            USED.store(PAGE, SeqCst);
        }
        result
    }

    pub(crate) fn owns(at: *mut u8) -> bool {
        let start = REGION_START.load(SeqCst) as usize;
        start != 0 && (start..start + REGION).contains(&(at as usize))
    }

    fn pages(layout: Layout) -> usize {
        layout.size().next_multiple_of(PAGE)
    }
}

// SAFETY: an armed allocator returns memory that is not in use; otherwise the system's allocator does.
unsafe impl GlobalAlloc for Fence {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !ARMED.load(SeqCst) || layout.align() > PAGE {
            // SAFETY: the caller's contract.
            return unsafe { System.alloc(layout) };
        }
        let pages = Fence::pages(layout);
        let offset = USED.fetch_add(pages + PAGE, SeqCst);
        if offset + pages + PAGE > REGION {
            return null_mut();
        }
        // SAFETY: these pages of the region are used for the first time.
        unsafe {
            let start = REGION_START.load(SeqCst).add(offset);
            if libc::mprotect(start.cast(), pages, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                return null_mut();
            }
            ALIVE.fetch_add(1, SeqCst);
            // It ends at the guard page, as close as its alignment allows.
            start.add((pages - layout.size()) & !(layout.align() - 1))
        }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if !Fence::owns(at) {
            // SAFETY: the caller's contract.
            return unsafe { System.dealloc(at, layout) };
        }
        ALIVE.fetch_sub(1, SeqCst);
        let start = (at as usize & !(PAGE - 1)) as *mut libc::c_void;
        let pages = Fence::pages(layout);
        // SAFETY: these pages were allocated by `alloc`, and are no longer used. A failure only leaks memory.
        unsafe {
            libc::madvise(start, pages, libc::MADV_DONTNEED);
            libc::mprotect(start, pages, libc::PROT_NONE);
        }
    }
}

/// Prints what was running, without allocating.
extern "C" fn died(_: libc::c_int) {
    let mut text = *b"\nan access out of bounds, while this ran: 00000000000000000000\n";
    let mut left = RUNNING.load(SeqCst);
    let end = text.len() - 1;
    for digit in text[end - 20..end].iter_mut().rev() {
        *digit = b'0' + (left % 10) as u8;
        left /= 10;
    }
    // SAFETY: it writes bytes that live.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(139);
    }
}
