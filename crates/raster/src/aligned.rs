//! Values at the beginning of a cache line.

/// PERF: the compiler aligns arrays to 16 bytes, and each vector of 64 that crosses a line takes two accesses.
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);
