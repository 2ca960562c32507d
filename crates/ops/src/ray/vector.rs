//! Eight numbers side by side: what a search computes with.
//!
//! A search is written once, over [`Vector`]. [`Portable`] leaves the choice of instructions to the compiler; an engine
//! that knows those of its host implements the trait with them. All operations round as those of single numbers, so
//! both find the same.

/// How many numbers a vector has.
pub const LANES: usize = 8;

/// Eight numbers. Methods have to be inlined always, so that they are compiled for the instructions that the caller
/// has. On the web there is one set of instructions, and size counts.
pub trait Vector: Copy {
    fn load(from: &[f32; LANES]) -> Self;
    fn splat(value: f32) -> Self;
    fn store(self) -> [f32; LANES];
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// The greater of two numbers, or the other one where one is a NaN.
    fn max(self, other: Self) -> Self;
    /// The lesser of two numbers, or the other one where one is a NaN.
    fn min(self, other: Self) -> Self;
    /// A bit for each lane, the first one lowest, where this number is less than the other or equal to it.
    fn at_most(self, other: Self) -> u32;
    /// Asks for the memory that a value is in, ahead of its use.
    fn prefetch<T>(value: &T);
}

/// Vectors for any host.
#[derive(Clone, Copy, Debug)]
pub struct Portable([f32; LANES]);

impl Portable {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn zip(self, other: Portable, of: impl Fn(f32, f32) -> f32) -> Portable {
        let mut all = self.0;
        for (lane, other) in all.iter_mut().zip(other.0) {
            *lane = of(*lane, other);
        }
        Portable(all)
    }
}

impl Vector for Portable {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn load(from: &[f32; LANES]) -> Portable {
        Portable(*from)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn splat(value: f32) -> Portable {
        Portable([value; LANES])
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn store(self) -> [f32; LANES] {
        self.0
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn add(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a + b)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn sub(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a - b)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn mul(self, other: Portable) -> Portable {
        self.zip(other, |a, b| a * b)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn abs(self) -> Portable {
        self.zip(self, |it, _| it.abs())
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn max(self, other: Portable) -> Portable {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn min(self, other: Portable) -> Portable {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn at_most(self, other: Portable) -> u32 {
        // PERF: selecting a constant and a horizontal OR stay vectors; shifts of single answers do not.
        const BITS: [u32; LANES] = [1, 2, 4, 8, 16, 32, 64, 128];
        let mut bits = BITS;
        for lane in 0..LANES {
            bits[lane] = if self.0[lane] <= other.0[lane] { BITS[lane] } else { 0 };
        }
        bits.iter().fold(0, |all, it| all | it)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn prefetch<T>(_: &T) {}
}
