//! The buffers of a launch for the runtime and the generated code: by address, since threads share them.
//!
//! The code here is unsafe because the shader determines where it reads and writes, within bounds, at any time.

#[cfg(target_arch = "x86_64")]
use std::arch::asm;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use ir::exec::{Bindings, What};

/// One element of one binding.
pub(crate) struct View {
    start: *mut u8,
    pub(crate) len: u64,
    /// A copy of what it was when the launch began.
    pub(crate) what: What,
    /// The hidden counter of the original; null if it has none.
    counter: *mut u32,
}

/// All elements of all bindings, borrowed for as long as the launch runs.
pub(crate) struct Views<'a> {
    pub(crate) bindings: Vec<Vec<View>>,
    borrowed: PhantomData<&'a mut Bindings>,
}

// SAFETY: all access through the addresses is atomic, or made by generated code on behalf of the shader, which is
// responsible for its races.
unsafe impl Sync for View {}
// SAFETY: as above.
unsafe impl Send for View {}

/// Held while a scalar is changed for which there is no atomic instruction.
static ALONE: Mutex<()> = Mutex::new(());

impl<'a> Views<'a> {
    pub(crate) fn new(bindings: &'a mut Bindings) -> Views<'a> {
        let bindings = bindings
            .bindings
            .iter_mut()
            .map(|elements| {
                elements
                    .iter_mut()
                    .map(|buffer| {
                        let (start, len) = buffer.bytes.raw_parts();
                        View {
                            start,
                            len: len as u64,
                            what: buffer.what.clone(),
                            counter: buffer.what.counter_mut().map_or(null_mut(), |it| it),
                        }
                    })
                    .collect()
            })
            .collect();
        Views { bindings, borrowed: PhantomData }
    }
}

/// Compare-and-exchange for a scalar of 4 or 8 bytes, aligned or not: writes it if the memory holds `old`, otherwise
/// returns the contents. The standard library's atomic types must be aligned, but generated code adds by a locked
/// instruction at any address, and only another locked instruction is atomic with respect to it.
///
/// # Safety
/// This many bytes from `place` on must be writable memory.
#[cfg(target_arch = "x86_64")]
unsafe fn exchange_if(place: *mut u8, size: u32, old: u64, new: u64) -> Result<(), u64> {
    let seen: u64;
    if size == 4 {
        let word: u32;
        // SAFETY: the caller's contract; the instruction writes nothing else but the flags.
        unsafe {
            asm!(
                "lock cmpxchg dword ptr [{place}], {new:e}",
                place = in(reg) place,
                new = in(reg) new as u32,
                inout("eax") old as u32 => word,
                options(nostack),
            );
        }
        seen = u64::from(word);
    } else {
        // SAFETY: as above.
        unsafe {
            asm!(
                "lock cmpxchg qword ptr [{place}], {new}",
                place = in(reg) place,
                new = in(reg) new,
                inout("rax") old => seen,
                options(nostack),
            );
        }
    }
    if seen == old { Ok(()) } else { Err(seen) }
}

impl View {
    /// Groupshared memory, which the host keeps for as long as its group runs.
    pub(crate) fn of(start: *mut u8, len: u64) -> View {
        View { start, len, what: What::default(), counter: null_mut() }
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    /// The bytes from an offset on.
    fn bytes(&self, at: u64, size: u32) -> impl Iterator<Item = &AtomicU8> {
        assert!(at + u64::from(size) <= self.len, "an access is in bounds");
        // SAFETY: in bounds, as checked, and atomic.
        (0..u64::from(size))
            .map(move |i| unsafe { AtomicU8::from_ptr(self.start.add((at + i) as usize)) })
    }

    /// A scalar of 1, 2, 4 or 8 bytes.
    pub(crate) fn load(&self, at: u64, size: u32) -> u64 {
        assert!(at + u64::from(size) <= self.len, "an access is in bounds");
        // SAFETY: in bounds, as checked; each access is atomic, and aligned if it covers the whole scalar.
        unsafe {
            let place = self.start.add(at as usize);
            if !(place as usize).is_multiple_of(size as usize) {
                let each = self.bytes(at, size).enumerate();
                return each.map(|(i, it)| u64::from(it.load(Relaxed)) << (8 * i)).sum();
            }
            match size {
                1 => u64::from(AtomicU8::from_ptr(place).load(Relaxed)),
                2 => u64::from(AtomicU16::from_ptr(place.cast()).load(Relaxed)),
                4 => u64::from(AtomicU32::from_ptr(place.cast()).load(Relaxed)),
                _ => AtomicU64::from_ptr(place.cast()).load(Relaxed),
            }
        }
    }

    pub(crate) fn write(&self, at: u64, size: u32, bits: u64) {
        assert!(at + u64::from(size) <= self.len, "an access is in bounds");
        // SAFETY: as above.
        unsafe {
            let place = self.start.add(at as usize);
            if !(place as usize).is_multiple_of(size as usize) {
                let each = self.bytes(at, size).enumerate();
                return each.for_each(|(i, it)| it.store((bits >> (8 * i)) as u8, Relaxed));
            }
            match size {
                1 => AtomicU8::from_ptr(place).store(bits as u8, Relaxed),
                2 => AtomicU16::from_ptr(place.cast()).store(bits as u16, Relaxed),
                4 => AtomicU32::from_ptr(place.cast()).store(bits as u32, Relaxed),
                _ => AtomicU64::from_ptr(place.cast()).store(bits, Relaxed),
            }
        }
    }

    /// Changes a scalar atomically; returns the old value.
    pub(crate) fn update(&self, at: u64, size: u32, change: impl Fn(u64) -> u64) -> u64 {
        assert!(at + u64::from(size) <= self.len, "an access is in bounds");
        // SAFETY: in bounds, as checked.
        let place = unsafe { self.start.add(at as usize) };
        let is_aligned = (place as usize).is_multiple_of(size as usize);
        #[cfg(target_arch = "x86_64")]
        if !is_aligned && size >= 4 {
            let mut old = self.load(at, size);
            loop {
                // SAFETY: in bounds, as checked.
                match unsafe { exchange_if(place, size, old, change(old)) } {
                    Ok(()) => return old,
                    Err(seen) => old = seen,
                }
            }
        }
        if !is_aligned || size < 4 {
            let _alone = View::alone();
            let old = self.load(at, size);
            self.write(at, size, change(old));
            return old;
        }
        // SAFETY: in bounds and aligned.
        unsafe {
            if size == 4 {
                let place = AtomicU32::from_ptr(place.cast());
                let old =
                    place.fetch_update(Relaxed, Relaxed, |it| Some(change(u64::from(it)) as u32));
                u64::from(old.unwrap_or_else(|it| it))
            } else {
                let place = AtomicU64::from_ptr(place.cast());
                place.fetch_update(Relaxed, Relaxed, |it| Some(change(it))).unwrap_or_else(|it| it)
            }
        }
    }

    /// The lock for scalars without an atomic instruction.
    pub(crate) fn alone() -> impl Drop {
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value of the hidden counter; 0 if there is none.
    pub(crate) fn counted(&self) -> u32 {
        self.counter().map_or(0, |it| it.load(Relaxed))
    }

    /// The hidden counter, if there is one.
    pub(crate) fn counter(&self) -> Option<&AtomicU32> {
        // SAFETY: it belongs to a buffer that is borrowed for as long as the view lives, and all access is atomic.
        (!self.counter.is_null()).then(|| unsafe { AtomicU32::from_ptr(self.counter) })
    }
}
