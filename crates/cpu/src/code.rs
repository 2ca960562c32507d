//! Executable pages: written once, then executable and never writable again (W^X).

use std::io;
use std::sync::OnceLock;

use memmap2::{Mmap, MmapMut};

use crate::layout::{Entry, Header};

/// Whether the system refuses executable memory to this process.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no code is generated there"))]
pub(crate) fn is_refused() -> bool {
    static REFUSED: OnceLock<bool> = OnceLock::new();
    const RETURN: u8 = 0xc3;
    *REFUSED.get_or_init(|| Code::new(&[RETURN], 0, 0).is_err())
}

/// Executable machine code.
#[derive(Debug)]
pub(crate) struct Code {
    pages: Mmap,
    entry: usize,
    pub(crate) start: usize,
}

impl Code {
    /// Fails if the system refuses executable memory.
    pub(crate) fn new(bytes: &[u8], entry: usize, start: usize) -> io::Result<Code> {
        let mut pages = MmapMut::map_anon(bytes.len())?;
        pages.copy_from_slice(bytes);
        Ok(Code { pages: pages.make_exec()?, entry, start })
    }

    pub(crate) fn address(&self, offset: usize) -> u64 {
        self.pages.as_ptr() as u64 + offset as u64
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.pages
    }

    /// Runs the wave of a frame until it ends or waits.
    ///
    /// # Safety
    /// The frame must have the layout of this code, with slices that are valid for as long as the code runs.
    pub(crate) unsafe fn enter(&self, frame: *mut Header) -> u32 {
        let address = self.pages[self.entry..].as_ptr();
        // SAFETY: the entry that `encode` has written is at this address, and follows the System V convention.
        let entry: Entry = unsafe { std::mem::transmute(address) };
        // SAFETY: the caller vouches for the frame; the code accesses memory only through it, within bounds.
        unsafe { entry(frame) }
    }
}
