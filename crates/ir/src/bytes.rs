//! The bytes of a resource: its own, or memory that the host lends.
//!
//! Lent memory is used in place: what a run writes is in the host's memory when the run ends. Memory that is lent for
//! reading is copied on write, as [`std::borrow::Cow`] does; devices refuse to bind it where a shader may write.
//! A lender is any owner of memory that gives it out as a slice, so that no lifetime is attached to a resource, and
//! nothing here is unsafe. Its slice must keep its length; this is checked at each use, because engines rely on bounds
//! that were computed once.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use ops::texture::Memory;

/// Memory that can be lent to a resource: an owner of bytes, such as a `Box<[u8]>` or a memory-mapped file.
pub trait Lender: AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static {}

impl<T: AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static> Lender for T {}

/// The bytes of a resource.
pub struct Bytes(Held);

enum Held {
    Owned(Vec<u8>),
    Lent { from: Box<dyn Lender>, len: usize },
    ReadOnly { from: Arc<dyn AsRef<[u8]> + Send + Sync>, len: usize },
}

impl Bytes {
    /// Memory of the host's, in place.
    pub fn lent(mut from: impl Lender) -> Bytes {
        let len = from.as_mut().len();
        Bytes(Held::Lent { from: Box::new(from), len })
    }

    /// The same for memory that is only read. Code that writes nevertheless writes to a copy.
    pub fn lent_read_only(from: impl AsRef<[u8]> + Send + Sync + 'static) -> Bytes {
        let len = from.as_ref().len();
        Bytes(Held::ReadOnly { from: Arc::new(from), len })
    }

    /// Whether the memory is lent for reading.
    pub fn is_read_only(&self) -> bool {
        matches!(self.0, Held::ReadOnly { .. })
    }

    pub fn as_slice(&self) -> &[u8] {
        self
    }

    /// The address of the bytes and their number, for engines that share them between threads. Memory that is lent for
    /// reading stays where it is: nothing may be written through the address.
    pub fn raw_parts(&mut self) -> (*mut u8, usize) {
        if let Held::ReadOnly { .. } = self.0 {
            return (self.as_ptr().cast_mut(), self.len());
        }
        let bytes: &mut [u8] = self;
        (bytes.as_mut_ptr(), bytes.len())
    }

    /// Replaces the contents, in place if the memory is lent. The number of bytes must be the same.
    pub fn replace(&mut self, contents: Vec<u8>) {
        match &mut self.0 {
            Held::Lent { .. } => self.copy_from_slice(&contents),
            held @ (Held::Owned(_) | Held::ReadOnly { .. }) => *held = Held::Owned(contents),
        }
    }
}

/// The bytes that a lender gives out.
#[inline]
fn unchanged(len: usize, expected: usize) {
    assert_eq!(len, expected, "lent memory keeps its length");
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Held::Owned(bytes) => bytes,
            Held::Lent { from, len } => {
                let bytes = (**from).as_ref();
                unchanged(bytes.len(), *len);
                bytes
            }
            Held::ReadOnly { from, len } => {
                let bytes = (**from).as_ref();
                unchanged(bytes.len(), *len);
                bytes
            }
        }
    }
}

impl DerefMut for Bytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        if let Held::ReadOnly { .. } = self.0 {
            self.0 = Held::Owned(self.to_vec());
        }
        match &mut self.0 {
            Held::Owned(bytes) => bytes,
            Held::Lent { from, len } => {
                let bytes = (**from).as_mut();
                unchanged(bytes.len(), *len);
                bytes
            }
            Held::ReadOnly { .. } => unreachable!("it was copied above"),
        }
    }
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes(Held::Owned(Vec::new()))
    }
}

impl Memory for Bytes {
    fn size(&self) -> usize {
        self.len()
    }

    fn read(&self, at: usize, to: &mut [u8]) {
        to.copy_from_slice(&self[at..at + to.len()]);
    }
}

/// A copy has separate memory.
impl Clone for Bytes {
    fn clone(&self) -> Bytes {
        Bytes(Held::Owned(self.to_vec()))
    }

    fn clone_from(&mut self, other: &Bytes) {
        match &mut self.0 {
            Held::Owned(bytes) => {
                bytes.clear();
                bytes.extend_from_slice(other);
            }
            Held::Lent { .. } | Held::ReadOnly { .. } => self.replace(other.to_vec()),
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(Held::Owned(bytes))
    }
}

impl<'a> IntoIterator for &'a Bytes {
    type Item = &'a u8;
    type IntoIter = std::slice::Iter<'a, u8>;

    fn into_iter(self) -> std::slice::Iter<'a, u8> {
        self.iter()
    }
}

impl FromIterator<u8> for Bytes {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Bytes {
        Vec::from_iter(bytes).into()
    }
}

impl From<Bytes> for Vec<u8> {
    fn from(bytes: Bytes) -> Vec<u8> {
        match bytes.0 {
            Held::Owned(bytes) => bytes,
            Held::Lent { .. } | Held::ReadOnly { .. } => bytes.to_vec(),
        }
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        **self == **other
    }
}

impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for Bytes {
    fn eq(&self, other: &T) -> bool {
        **self == *other.as_ref()
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_copy_of_lent_memory_is_its_own() {
        let mut lent = Bytes::lent(vec![1, 2, 3].into_boxed_slice());
        let address = lent.as_ptr();
        let copy = lent.clone();
        lent[1] = 9;
        assert_eq!((lent.as_slice(), copy.as_slice()), (&[1, 9, 3][..], &[1, 2, 3][..]));
        lent.replace(vec![4, 5, 6]);
        assert_eq!((lent.as_slice(), lent.as_ptr()), (&[4, 5, 6][..], address));
        lent.clone_from(&copy);
        assert_eq!((lent.as_slice(), lent.as_ptr()), (&[1, 2, 3][..], address));
    }

    #[test]
    fn memory_lent_for_reading_is_copied_on_write() {
        static MEMORY: [u8; 3] = [1, 2, 3];
        let mut lent = Bytes::lent_read_only(&MEMORY[..]);
        assert!(lent.is_read_only());
        assert_eq!(lent.raw_parts(), (MEMORY.as_ptr().cast_mut(), 3));
        lent[0] = 7;
        assert!(!lent.is_read_only());
        assert_eq!((lent.as_slice(), MEMORY), (&[7, 2, 3][..], [1, 2, 3]));
    }

    #[test]
    #[should_panic = "lent memory keeps its length"]
    fn a_lender_that_shrinks_is_noticed() {
        struct Shrinking(Vec<u8>, Mutex<usize>);
        impl AsRef<[u8]> for Shrinking {
            fn as_ref(&self) -> &[u8] {
                &self.0[..*self.1.lock().unwrap()]
            }
        }
        impl AsMut<[u8]> for Shrinking {
            fn as_mut(&mut self) -> &mut [u8] {
                let len = self.1.get_mut().unwrap();
                *len -= 1;
                &mut self.0[..*len]
            }
        }
        let mut lent = Bytes::lent(Shrinking(vec![0; 8], Mutex::new(8)));
        lent[0] = 1;
    }
}
