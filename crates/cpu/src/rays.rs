//! Ray queries with the vectors of the host: the search of [`ops::ray`], compiled for AVX2.
//!
//! Every host that runs generated code has these instructions ([`crate::isa`]). Results are those of any other vectors.

use ir::Binding;
use ir::ray::{Queries, RayCall, RayOp};
use ops::ray::{Scene, Search};

use crate::call::Call;
use crate::texture::Operand;

#[cfg(not(target_arch = "x86_64"))]
use ops::ray::Portable as Host;

#[cfg(target_arch = "x86_64")]
use avx2::Avx2 as Host;

/// An instruction of a ray query for the active lanes of a wave. Searches of all lanes advance together.
///
/// # Safety
/// The host must have the instructions of [`crate::Isa::Avx2`].
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"))]
pub(crate) unsafe fn run<'s>(
    queries: &mut Queries,
    ray: &RayCall<Operand>,
    call: &Call<'_>,
    search: &Search,
    scene: impl Fn(Binding, u32) -> Option<&'s Scene>,
) {
    if ray.op == RayOp::Proceed {
        let answer = |lane, proceeds| call.set_results(lane as usize, &[u64::from(proceeds)]);
        queries.proceed_together::<Host, _>(ray, call, call.active.iter(), search, scene, answer);
        return;
    }
    for lane in call.active.iter() {
        let answer = queries.run(ray, call, lane, search, &scene);
        call.set_results(lane as usize, &answer.bits);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use ops::ray::{LANES, Vector};

    /// A register of eight numbers.
    ///
    /// Invariant: there are values of this type only in code that [`super::run`] calls, on a host with AVX2. Every
    /// block below relies on that.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(__m256);

    /// The bytes that a processor loads at once.
    const CACHE_LINE: usize = 64;

    impl Vector for Avx2 {
        #[inline(always)]
        fn load(from: &[f32; LANES]) -> Avx2 {
            // SAFETY: the invariant, and a reference to eight numbers may be read.
            Avx2(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        fn splat(value: f32) -> Avx2 {
            // SAFETY: the invariant.
            Avx2(unsafe { _mm256_set1_ps(value) })
        }

        #[inline(always)]
        fn store(self) -> [f32; LANES] {
            let mut to = [0.0; LANES];
            // SAFETY: the invariant, and there is room for eight numbers.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) };
            to
        }

        #[inline(always)]
        fn add(self, other: Avx2) -> Avx2 {
            // SAFETY: the invariant.
            Avx2(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Avx2) -> Avx2 {
            // SAFETY: the invariant.
            Avx2(unsafe { _mm256_sub_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn mul(self, other: Avx2) -> Avx2 {
            // SAFETY: the invariant.
            Avx2(unsafe { _mm256_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn abs(self) -> Avx2 {
            // SAFETY: the invariant.
            Avx2(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
        }

        #[inline(always)]
        fn max(self, other: Avx2) -> Avx2 {
            // SAFETY: the invariant.
            Avx2(unsafe { _mm256_max_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn min(self, other: Avx2) -> Avx2 {
            // SAFETY: the invariant.
            Avx2(unsafe { _mm256_min_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn at_most(self, other: Avx2) -> u32 {
            // SAFETY: the invariant.
            let bits = unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)) };
            bits as u32
        }

        #[inline(always)]
        fn prefetch<T>(value: &T) {
            let first = std::ptr::from_ref(value).cast::<i8>();
            for at in (0..size_of::<T>()).step_by(CACHE_LINE) {
                // SAFETY: the address is inside the value; prefetching has no effect but on time.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(first.add(at)) };
            }
        }
    }
}
