//! The kernels of the benchmarks by hand, one thread: how fast the engine's code for them could be.
//!
//! Each does what its HLSL says at 16 lanes, save `reduce`, `mandel` and the histograms, which do the same work in any
//! order that gives the same result. The kernels with groupshared memory do the work of a whole group at a time,
//! without barriers. Only the benchmarks call them.
//!
//! The code is unsafe because it names instructions that not every processor has.

pub mod clock;
pub mod device;

/// The bytes of input, output and counters.
pub type Bound = fn(&[u8], &mut [u8], &mut [u8]);

/// The kernel of that name, if this host can run it.
pub fn bound(kernel: &str) -> Option<Bound> {
    #[cfg(target_arch = "x86_64")]
    if cpu::Isa::Avx512.missing().is_none() {
        return wide::bound(kernel);
    }
    let _ = kernel;
    None
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::Bound;

    /// Buffers by address: bounds are those of the loops, which the callers below have checked.
    #[derive(Clone, Copy)]
    struct Buffers {
        input: *const u32,
        output: *mut u32,
        counters: *mut u32,
        elements: usize,
    }

    const GROUP: usize = 256;
    const TILE: usize = 16;
    /// Rows of the matrix that is transposed, and of those that are multiplied.
    const SIDE: usize = 4096;
    const FACTOR: usize = 512;

    pub(super) fn bound(kernel: &str) -> Option<Bound> {
        macro_rules! checked {
            ($kernel:ident, $outputs:expr) => {
                |input, output, counters| {
                    let elements = if input.is_empty() { output.len() } else { input.len() } / 4;
                    assert!(elements.is_multiple_of(GROUP), "whole groups");
                    assert!(output.len() / 4 >= $outputs(elements), "room for every result");
                    let counter = counters.as_mut_ptr().cast::<u32>();
                    assert!(counters.is_empty() || counter.is_aligned(), "atomics are aligned");
                    let buffers = Buffers {
                        input: input.as_ptr().cast(),
                        output: output.as_mut_ptr().cast(),
                        counters: counter,
                        elements,
                    };
                    // SAFETY: `bound` has asked whether the host has these instructions; the lengths are checked above.
                    unsafe { $kernel(buffers) }
                }
            };
        }
        Some(match kernel {
            "compact" => checked!(compact, |it| it),
            "scan" => checked!(scan, |it| it),
            "reduce" => checked!(reduce, |_| 0),
            "mandel" => checked!(mandel, |_| 2048 * 2048),
            "saxpy" => checked!(saxpy, |it| it),
            "bitonic" => checked!(bitonic, |it| it),
            "hist_uni" | "hist_skew" => checked!(histogram, |_| 0),
            "reduce_f32" => checked!(reduce_f32, |it: usize| it / 16),
            "scan_f32" => checked!(scan_f32, |it| it),
            "radix_hist" => checked!(radix_hist, |it: usize| it / 16),
            "tree" => checked!(tree, |it: usize| it / GROUP),
            "transpose" => checked!(transpose, |_| SIDE * SIDE),
            "matmul" => checked!(matmul, |_| FACTOR * FACTOR),
            _ => return None,
        })
    }

    impl Buffers {
        fn waves(self) -> impl Iterator<Item = usize> {
            (0..self.elements).step_by(16)
        }

        /// Adds to a counter.
        unsafe fn add(self, at: usize, value: u32) -> u32 {
            // SAFETY: the caller names a counter that there is.
            unsafe { AtomicU32::from_ptr(self.counters.add(at)) }.fetch_add(value, Relaxed)
        }

        #[target_feature(enable = "avx512f")]
        unsafe fn load(self, at: usize) -> __m512i {
            // SAFETY: inside the input, as the loops go.
            unsafe { _mm512_loadu_si512(self.input.add(at).cast()) }
        }

        #[target_feature(enable = "avx512f")]
        unsafe fn store(self, at: usize, words: __m512i) {
            // SAFETY: inside the output, as the loops go.
            unsafe { _mm512_storeu_si512(self.output.add(at).cast(), words) }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    unsafe fn compact(it: Buffers) {
        let one = _mm512_set1_epi32(1);
        for at in it.waves() {
            // SAFETY: whole waves inside the input; no more is kept than there was.
            unsafe {
                let words = it.load(at);
                let keep = _mm512_test_epi32_mask(words, one);
                let count = keep.count_ones();
                let to = it.output.add(it.add(0, count) as usize).cast();
                let first = (1u32 << count).wrapping_sub(1) as u16;
                _mm512_mask_storeu_epi32(to, first, _mm512_maskz_compress_epi32(keep, words));
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn scan(it: Buffers) {
        let zero = _mm512_setzero_si512();
        for at in it.waves() {
            // SAFETY: whole waves.
            unsafe {
                let mut sum = _mm512_alignr_epi32::<15>(it.load(at), zero);
                sum = _mm512_add_epi32(sum, _mm512_alignr_epi32::<15>(sum, zero));
                sum = _mm512_add_epi32(sum, _mm512_alignr_epi32::<14>(sum, zero));
                sum = _mm512_add_epi32(sum, _mm512_alignr_epi32::<12>(sum, zero));
                sum = _mm512_add_epi32(sum, _mm512_alignr_epi32::<8>(sum, zero));
                it.store(at, sum);
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn reduce(it: Buffers) {
        let mut sums = [_mm512_setzero_si512(); 4];
        for at in (0..it.elements).step_by(64) {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: whole groups.
                *sum = _mm512_add_epi32(*sum, unsafe { it.load(at + 16 * i) });
            }
        }
        let both = [0, 2].map(|i: usize| _mm512_add_epi32(sums[i], sums[i + 1]));
        let total = _mm512_reduce_add_epi32(_mm512_add_epi32(both[0], both[1]));
        // SAFETY: there is a counter.
        unsafe { it.add(0, total as u32) };
    }

    /// Two vectors of pixels at a time.
    #[target_feature(enable = "avx512f")]
    unsafe fn mandel(it: Buffers) {
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let (four, two) = (_mm512_set1_ps(4.0), _mm512_set1_ps(2.0));
        let one = _mm512_set1_epi32(1);
        for at in (0..2048 * 2048).step_by(32) {
            let (row, column) = (at / 2048, at % 2048);
            let cy = _mm512_set1_ps(3.0 * (row as f32 / 2048.0) - 1.5);
            let cx = [0, 16].map(|i| {
                let pixel = _mm512_add_epi32(lanes, _mm512_set1_epi32((column + i) as i32));
                let part = _mm512_div_ps(_mm512_cvtepi32_ps(pixel), _mm512_set1_ps(2048.0));
                _mm512_sub_ps(_mm512_mul_ps(_mm512_set1_ps(3.0), part), two)
            });
            let mut x = [_mm512_setzero_ps(); 2];
            let mut y = x;
            let mut steps = [_mm512_setzero_si512(); 2];
            let mut live = [0xffff; 2];
            for _ in 0..256 {
                for i in 0..2 {
                    let (xx, yy) = (_mm512_mul_ps(x[i], x[i]), _mm512_mul_ps(y[i], y[i]));
                    let square = _mm512_add_ps(xx, yy);
                    live[i] = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(live[i], square, four);
                    steps[i] = _mm512_mask_add_epi32(steps[i], live[i], steps[i], one);
                    y[i] = _mm512_add_ps(_mm512_mul_ps(_mm512_mul_ps(two, x[i]), y[i]), cy);
                    x[i] = _mm512_add_ps(_mm512_sub_ps(xx, yy), cx[i]);
                }
                if live[0] | live[1] == 0 {
                    break;
                }
            }
            for (i, steps) in steps.into_iter().enumerate() {
                // SAFETY: the picture has 2048 rows of 2048 pixels.
                unsafe { it.store(at + 16 * i, steps) };
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn saxpy(it: Buffers) {
        let factor = _mm512_set1_ps(2.5);
        for at in it.waves() {
            // SAFETY: whole waves of both.
            unsafe {
                let own = _mm512_loadu_ps(it.output.add(at).cast());
                let scaled = _mm512_mul_ps(factor, _mm512_castsi512_ps(it.load(at)));
                it.store(at, _mm512_castps_si512(_mm512_add_ps(scaled, own)));
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn bitonic(it: Buffers) {
        let mut steps = [(_mm512_setzero_si512(), 0u16); 10];
        let sizes = [2u32, 4, 4, 8, 8, 8, 16, 16, 16, 16];
        let distances = [1u32, 2, 1, 4, 2, 1, 8, 4, 2, 1];
        for (i, step) in steps.iter_mut().enumerate() {
            let mut partners = [0u32; 16];
            for lane in 0..16u32 {
                partners[lane as usize] = lane ^ distances[i];
                let low = (lane & sizes[i] == 0) == (lane & distances[i] == 0);
                step.1 |= u16::from(low) << lane;
            }
            // SAFETY: an array of 16 words.
            step.0 = unsafe { _mm512_loadu_si512(partners.as_ptr().cast()) };
        }
        for at in it.waves() {
            // SAFETY: whole waves.
            let mut words = unsafe { it.load(at) };
            for (partners, low) in steps {
                let other = _mm512_permutexvar_epi32(partners, words);
                let high = _mm512_max_epu32(words, other);
                words = _mm512_mask_min_epu32(high, low, words, other);
            }
            // SAFETY: as above.
            unsafe { it.store(at, words) };
        }
    }

    /// One addition for each key of a wave.
    /// Element by element, into four copies, so that no addition waits for the one before to the same counter.
    #[target_feature(enable = "avx512f")]
    unsafe fn histogram(it: Buffers) {
        let mut copies = [[0u32; 256]; 4];
        for at in (0..it.elements).step_by(4) {
            for (lane, copy) in copies.iter_mut().enumerate() {
                // SAFETY: whole groups of elements.
                let key = unsafe { it.input.add(at + lane).read_unaligned() };
                copy[(key & 255) as usize] += 1;
            }
        }
        for key in 0..256 {
            let count = copies.iter().map(|copy| copy[key]).sum();
            // SAFETY: there are 256 counters.
            unsafe { it.add(key, count) };
        }
    }

    /// Halves are folded onto each other, as in the canonical order.
    #[target_feature(enable = "avx512f,avx512dq,avx")]
    unsafe fn reduce_f32(it: Buffers) {
        for at in it.waves() {
            // SAFETY: whole waves, one result each.
            unsafe {
                let all = _mm512_castsi512_ps(it.load(at));
                let halves = (_mm512_castps512_ps256(all), _mm512_extractf32x8_ps::<1>(all));
                let eight = _mm256_add_ps(halves.0, halves.1);
                let halves = (_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
                let four = _mm_add_ps(halves.0, halves.1);
                let two = _mm_add_ps(four, _mm_shuffle_ps::<0x4e>(four, four));
                let one = _mm_add_ss(two, _mm_shuffle_ps::<0xb1>(two, two));
                it.output.add(at / 16).cast::<f32>().write_unaligned(_mm_cvtss_f32(one));
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn scan_f32(it: Buffers) {
        let nothing = _mm512_castps_si512(_mm512_set1_ps(-0.0));
        macro_rules! above {
            ($sum:ident, $lanes:literal) => {{
                let words = _mm512_castps_si512($sum);
                _mm512_castsi512_ps(_mm512_alignr_epi32::<$lanes>(words, nothing))
            }};
        }
        for at in it.waves() {
            // SAFETY: whole waves.
            let mut sum = _mm512_castsi512_ps(unsafe { it.load(at) });
            sum = _mm512_add_ps(above!(sum, 15), sum);
            sum = _mm512_add_ps(above!(sum, 14), sum);
            sum = _mm512_add_ps(above!(sum, 12), sum);
            sum = _mm512_add_ps(above!(sum, 8), sum);
            let zero = _mm512_setzero_si512();
            let below = _mm512_alignr_epi32::<15>(_mm512_castps_si512(sum), zero);
            // SAFETY: as above.
            unsafe { it.store(at, below) };
        }
    }
    /// One digit of 4,096 keys for each group.
    #[target_feature(enable = "avx512f")]
    unsafe fn radix_hist(it: Buffers) {
        let keys = 16 * GROUP;
        for (group, first) in (0..it.elements / keys * keys).step_by(keys).enumerate() {
            let mut bins = [0u32; 256];
            for at in first..first + keys {
                // SAFETY: whole groups of keys.
                let key = unsafe { it.input.add(at).read_unaligned() };
                bins[(key >> 8 & 255) as usize] += 1;
            }
            for (bin, count) in bins.into_iter().enumerate() {
                // SAFETY: a sixteenth of the keys.
                unsafe { it.output.add(group * 256 + bin).write_unaligned(count) };
            }
        }
    }

    /// Halves are added to each other in memory, and in a register once they fit into it.
    #[target_feature(enable = "avx512f")]
    unsafe fn tree(it: Buffers) {
        let mut sums = [_mm512_setzero_si512(); GROUP / 16];
        for (group, first) in (0..it.elements).step_by(GROUP).enumerate() {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: whole groups.
                *sum = unsafe { it.load(first + 16 * i) };
            }
            for distance in [8, 4, 2, 1] {
                for i in 0..distance {
                    sums[i] = _mm512_add_epi32(sums[i], sums[i + distance]);
                }
            }
            let total = _mm512_reduce_add_epi32(sums[0]);
            // SAFETY: one result for each group.
            unsafe { it.output.add(group).write_unaligned(total as u32) };
        }
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn transpose(it: Buffers) {
        assert!(it.elements >= SIDE * SIDE, "a whole matrix");
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let column = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(TILE as i32 + 1));
        let mut tile = [0u32; TILE * (TILE + 1)];
        for row in (0..SIDE).step_by(TILE) {
            for first in (0..SIDE).step_by(TILE) {
                for y in 0..TILE {
                    // SAFETY: inside the matrix and the tile.
                    unsafe {
                        let words = it.load((row + y) * SIDE + first);
                        _mm512_storeu_si512(tile.as_mut_ptr().add(y * (TILE + 1)).cast(), words);
                    }
                }
                for y in 0..TILE {
                    // SAFETY: as above.
                    unsafe {
                        let from = tile.as_ptr().add(y).cast();
                        let words = _mm512_i32gather_epi32::<4>(column, from);
                        it.store((first + y) * SIDE + row, words);
                    }
                }
            }
        }
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn matmul(it: Buffers) {
        assert!(it.elements >= 2 * FACTOR * FACTOR, "two matrices");
        let mut left = [0f32; TILE * TILE];
        let mut right = [_mm512_setzero_ps(); TILE];
        for row in (0..FACTOR).step_by(TILE) {
            for column in (0..FACTOR).step_by(TILE) {
                let mut sums = [_mm512_setzero_ps(); TILE];
                for first in (0..FACTOR).step_by(TILE) {
                    for (y, right) in right.iter_mut().enumerate() {
                        // SAFETY: inside the matrices and the tiles.
                        unsafe {
                            let words = it.load((row + y) * FACTOR + first);
                            _mm512_storeu_si512(left.as_mut_ptr().add(y * TILE).cast(), words);
                            let at = FACTOR * FACTOR + (first + y) * FACTOR + column;
                            *right = _mm512_castsi512_ps(it.load(at));
                        }
                    }
                    for (k, right) in right.iter().enumerate() {
                        for (y, sum) in sums.iter_mut().enumerate() {
                            let left = _mm512_set1_ps(left[y * TILE + k]);
                            *sum = _mm512_add_ps(*sum, _mm512_mul_ps(left, *right));
                        }
                    }
                }
                for (y, sum) in sums.into_iter().enumerate() {
                    // SAFETY: inside the product.
                    unsafe { it.store((row + y) * FACTOR + column, _mm512_castps_si512(sum)) };
                }
            }
        }
    }
}
