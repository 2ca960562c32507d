//! Guard pages: an allocator that ends everything it gives out where a page begins that may not be touched. A byte too many
//! ends the process, and what is given back may not be touched either.
#![allow(unsafe_code, reason = "an allocator is replaced")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::SeqCst};

pub(crate) const PAGE: usize = 4096;
const REGION: usize = 64 << 30;

/// Takes memory from a region of pages that may not be touched, while it is armed.
pub(crate) struct Fence;

pub(crate) static ARMED: AtomicBool = AtomicBool::new(false);
static REGION_START: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static USED: AtomicUsize = AtomicUsize::new(PAGE);
/// How many allocations there are in the region.
static ALIVE: AtomicUsize = AtomicUsize::new(0);
/// What runs, for the message about a process that dies.
pub(crate) static RUNNING: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static FENCE: Fence = Fence;

impl Fence {
    pub(crate) fn reserve() {
        let (none, anonymous) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: it maps pages of its own.
        let start =
            unsafe { libc::mmap(null_mut(), REGION, none, anonymous | libc::MAP_NORESERVE, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        REGION_START.store(start.cast(), SeqCst);
        // SAFETY: the handler does nothing but write and end the process.
        unsafe {
            let handler = died as extern "C" fn(libc::c_int);
            libc::signal(libc::SIGSEGV, handler as libc::sighandler_t);
            libc::signal(libc::SIGBUS, handler as libc::sighandler_t);
        }
    }

    /// Runs `work` with all of its memory inside the fence, which it has given back in the end.
    pub(crate) fn around<R: Copy>(work: impl FnOnce() -> R) -> R {
        ARMED.store(true, SeqCst);
        let result = work();
        ARMED.store(false, SeqCst);
        if ALIVE.load(SeqCst) == 0 {
            // All of it is free again, and its pages may not be touched.
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

// SAFETY: what is armed gives out memory that nobody else has; all else is the system's.
unsafe impl GlobalAlloc for Fence {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !ARMED.load(SeqCst) || layout.align() > PAGE {
            // SAFETY: the caller's promise is passed on.
            return unsafe { System.alloc(layout) };
        }
        let pages = Fence::pages(layout);
        let offset = USED.fetch_add(pages + PAGE, SeqCst);
        if offset + pages + PAGE > REGION {
            return null_mut();
        }
        // SAFETY: these pages of the region are given out here for the first time.
        unsafe {
            let start = REGION_START.load(SeqCst).add(offset);
            if libc::mprotect(start.cast(), pages, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                return null_mut();
            }
            ALIVE.fetch_add(1, SeqCst);
            // It ends where the page does that may not be touched, as near as its alignment lets it.
            start.add((pages - layout.size()) & !(layout.align() - 1))
        }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if !Fence::owns(at) {
            // SAFETY: the caller's promise is passed on.
            return unsafe { System.dealloc(at, layout) };
        }
        ALIVE.fetch_sub(1, SeqCst);
        let start = (at as usize & !(PAGE - 1)) as *mut libc::c_void;
        let pages = Fence::pages(layout);
        // SAFETY: these pages were given out by `alloc`, and are used no more. Nothing but memory is lost where it fails.
        unsafe {
            libc::madvise(start, pages, libc::MADV_DONTNEED);
            libc::mprotect(start, pages, libc::PROT_NONE);
        }
    }
}

/// Says what was running. Nothing is allocated here.
extern "C" fn died(_: libc::c_int) {
    let mut text = *b"\nmemory outside was touched, while this ran: 00000000000000000000\n";
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
