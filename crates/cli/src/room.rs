//! Memory for the allocator of a short-lived process, requested from the system once.
//!
//! The usual allocator of Linux grows the store of a second thread a page at a time, and returns it as eagerly. A
//! `check` of ten thousand lines spent a third of its time in the system: four thousand pages of 4 KiB, each filled in
//! when it was first touched.

/// Blocks up to this size come from the store, not from the system: the allocator learns from the largest one freed.
const LEARNT: usize = 31 << 20;
/// How much the store has at first. No page of it is touched.
const ROOM: usize = 24 << 20;

/// Makes the allocator reserve memory early, keep what is freed, and use huge pages.
///
/// To be called once, on the thread that does the work. It affects only the speed of allocation.
pub(crate) fn make() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LEARNT)));
    let mut room = Vec::<u8>::with_capacity(ROOM);
    take_large_pages(room.spare_capacity_mut());
    drop(std::hint::black_box(room));
}

/// Advises the system to fill in memory by pages of 2 MiB; memory that was touched before keeps its small pages.
#[cfg(target_os = "linux")]
fn take_large_pages(room: &mut [std::mem::MaybeUninit<u8>]) {
    const PAGE: usize = 4096;
    let unaligned = room.as_ptr().align_offset(PAGE);
    let Some(pages) = room.get_mut(unaligned..) else { return };
    // SAFETY: the range lies in a block of ours. The advice changes neither what memory holds nor who may access it;
    // where it is refused, small pages come as before.
    unsafe {
        libc::madvise(pages.as_mut_ptr().cast(), pages.len(), libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn take_large_pages(_room: &mut [std::mem::MaybeUninit<u8>]) {}
