//! The module's exports: an allocator for the page's requests, one function to call, and the last words of a panic.
//!
//! A request is bytes that the page has written into memory from `alloc`; `call` gives the place of the answer in the
//! upper half of its result and the length in the lower one. The page gives both back with `free`. One module has one
//! thread.
#![allow(unsafe_code, reason = "the page passes addresses")]

use std::alloc::Layout;
use std::cell::RefCell;
use std::sync::Once;

use crate::Engine;

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(Engine::new());
    static LAST_WORDS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Room for this many bytes.
#[unsafe(no_mangle)]
extern "C" fn alloc(length: usize) -> *mut u8 {
    let Ok(layout) = Layout::array::<u8>(length.max(1)) else { return std::ptr::null_mut() };
    // SAFETY: the layout has at least one byte.
    unsafe { std::alloc::alloc(layout) }
}

/// Gives back what `alloc` or `call` gave.
///
/// # Safety
/// `place` and `length` are those of one `alloc` or one answer, and are given back once.
#[unsafe(no_mangle)]
unsafe extern "C" fn free(place: *mut u8, length: usize) {
    if let Ok(layout) = Layout::array::<u8>(length.max(1)) {
        // SAFETY: the caller's promise; both have the layout of an array of that many bytes.
        unsafe { std::alloc::dealloc(place, layout) }
    }
}

/// Answers a request.
///
/// # Safety
/// `place` has `length` bytes that the page has written.
#[unsafe(no_mangle)]
unsafe extern "C" fn call(place: *const u8, length: usize) -> u64 {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| {
        std::panic::set_hook(Box::new(|about| {
            LAST_WORDS.with(|it| *it.borrow_mut() = about.to_string());
        }));
    });
    // SAFETY: the caller's promise.
    let request = unsafe { std::slice::from_raw_parts(place, length) };
    handed_over(ENGINE.with(|it| it.borrow_mut().call(request)))
}

/// What the panic said that has just ended a call; empty if memory ran out instead.
#[unsafe(no_mangle)]
extern "C" fn last_words() -> u64 {
    handed_over(LAST_WORDS.with(|it| it.borrow().clone().into_bytes()))
}

/// Leaves bytes to the page, which frees them.
fn handed_over(bytes: Vec<u8>) -> u64 {
    let bytes = if bytes.is_empty() { vec![b' '] } else { bytes };
    let all = Box::leak(bytes.into_boxed_slice());
    (all.as_ptr() as u64) << 32 | all.len() as u64
}
