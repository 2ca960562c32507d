//! Memory given by its address, for hosts in other languages.

use std::ptr::NonNull;

/// Memory at an address, for [`Buffer::lend`](crate::Buffer::lend) and its like. The host owns it, so it is not freed
/// here.
#[derive(Debug)]
pub struct Borrowed {
    start: NonNull<u8>,
    len: usize,
}

impl Borrowed {
    /// The memory at an address, which may be null if there are no bytes.
    ///
    /// # Safety
    /// `len` bytes from `start` on must be readable memory for as long as this value exists, and writable as well
    /// unless it is lent for reading only. While a shader runs on it, nothing else may write to it, and nothing else
    /// may read it if the shader writes.
    pub unsafe fn new(start: *mut u8, len: usize) -> Borrowed {
        match NonNull::new(start) {
            Some(start) => Borrowed { start, len },
            None => Borrowed { start: NonNull::dangling(), len: 0 },
        }
    }
}

// SAFETY: by the contract of its constructor, other threads leave the memory alone.
unsafe impl Send for Borrowed {}
// SAFETY: as above.
unsafe impl Sync for Borrowed {}

impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the contract of `new`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl AsMut<[u8]> for Borrowed {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: the contract of `new`; memory that is lent for reading is never asked for this way.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;

    #[test]
    fn a_buffer_writes_to_the_address() {
        let mut memory = [0u8; 8];
        // SAFETY: the buffer is dropped before the array is read.
        let buffer = Buffer::lend(unsafe { Borrowed::new(memory.as_mut_ptr(), 8) });
        buffer.write(&[7u32, 8]).unwrap();
        drop(buffer);
        assert_eq!(memory, [7, 0, 0, 0, 8, 0, 0, 0]);
    }

    #[test]
    fn no_bytes_need_no_address() {
        // SAFETY: there are no bytes.
        let none = unsafe { Borrowed::new(std::ptr::null_mut(), 0) };
        assert!(none.as_ref().is_empty());
    }
}
