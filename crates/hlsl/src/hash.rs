//! A fast hash for tables that are looked up for every name and every statement, the same in every process.
//!
//! For look-ups only: where the order matters, sort.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map with cheap look-ups.
pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// Mixes eight bytes at a time.
#[derive(Default)]
pub(crate) struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        // Hash tables use both the high and the low bits.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_keys_are_found() {
        let mut map: QuickMap<String, usize> = QuickMap::default();
        let name = |i: usize| format!("{}{i}", "name".repeat(i % 5));
        for i in 0..5000 {
            assert_eq!(map.insert(name(i), i), None);
        }
        assert!((0..5000).all(|i| map.get(&name(i)) == Some(&i)));
    }
}
