//! `map` for short arrays, always as a part of its caller.
//!
//! PERF: the library's version is a call in large functions, and then compiled without the instructions that the caller
//! may use: the fixed functions of small triangles took 76 ms with it and take 64.

#[inline(always)]
pub(crate) fn each3<T, U>([a, b, c]: [T; 3], f: impl Fn(T) -> U) -> [U; 3] {
    [f(a), f(b), f(c)]
}

#[inline(always)]
pub(crate) fn each4<T, U>([a, b, c, d]: [T; 4], f: impl Fn(T) -> U) -> [U; 4] {
    [f(a), f(b), f(c), f(d)]
}
