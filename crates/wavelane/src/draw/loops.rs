//! The loops of the fixed functions, compiled for the instruction sets of hosts.
//!
//! Function multiversioning: `raster` has one definition of each loop, which is inlined here into functions with more
//! instructions enabled. The results are the same: every operation is IEEE's, and the compiler fuses only what is
//! written as fused.

use ops::LaneMask;
use raster::{
    Batch, DepthStencil, DepthStencilState, Inputs, MergeState, Outputs, Rasterizer, Targets, Wave,
};

/// The version for this host.
///
/// Invariant: the host has the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Loops(Version);

#[derive(Clone, Copy, Debug)]
enum Version {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Depth and stencil tests before the pixel shader runs.
type Early<'a, 'b> = Option<(&'a DepthStencilState, &'a mut DepthStencil<'b>)>;

impl Loops {
    /// The version with the most instructions that the host has.
    pub fn best() -> Loops {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let has_avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            match (has_avx2, has_avx512) {
                (true, true) => return Loops(Version::Avx512),
                (true, false) => return Loops(Version::Avx2),
                (false, _) => {}
            }
        }
        Loops(Version::Plain)
    }

    /// The version for any host.
    pub fn plain() -> Loops {
        Loops(Version::Plain)
    }
}

impl Loops {
    /// Asks for the memory that the next wave of a row probably writes, while this one runs.
    /// The processor's own prefetching begins anew in each page, and a row of a target is about one.
    #[inline]
    pub fn prefetch(self, wave: &Wave, targets: &Targets<'_>) {
        #[cfg(target_arch = "x86_64")]
        if !matches!(self.0, Version::Plain) {
            use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
            targets.each_ahead(wave, |row| {
                for line in row.chunks(64) {
                    // SAFETY: prefetching has no effect but on the time of later accesses.
                    unsafe { _mm_prefetch::<_MM_HINT_ET0>(line.as_ptr().cast()) };
                }
            });
        }
        let _ = (self, wave, targets);
    }
}

/// Defines a function that calls the version of the host.
macro_rules! versions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? { $body:expr })*) => {
        impl Loops {
            $($(#[$doc])*
            #[inline]
            pub fn $name(self, $($argument: $type),*) $(-> $result)? {
                match self.0 {
                    Version::Plain => $body,
                    // SAFETY: the host has the instructions, or there would be no such version.
                    #[cfg(target_arch = "x86_64")]
                    Version::Avx2 => unsafe { avx2::$name($($argument),*) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Version::Avx512 => unsafe { avx512::$name($($argument),*) },
                }
            })*
        }

        /// Whether fused multiplication and addition is an instruction.
        const FUSED: bool = false;

        #[cfg(target_arch = "x86_64")]
        mod avx2 {
            use super::*;

            const FUSED: bool = true;

            $(#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            pub(super) fn $name($($argument: $type),*) $(-> $result)? {
                $body
            })*
        }

        #[cfg(target_arch = "x86_64")]
        mod avx512 {
            use super::*;

            const FUSED: bool = true;

            $(#[target_feature(
                enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl"
            )]
            pub(super) fn $name($($argument: $type),*) $(-> $result)? {
                $body
            })*
        }
    };
}

versions! {
    /// [`Rasterizer::fill`].
    fn fill(
        rasterizer: &mut Rasterizer,
        batch: &mut Batch<'_>,
        early: Early<'_, '_>,
        wave: &mut Wave
    ) -> bool {
        rasterizer.fill_inline(batch, early, wave)
    }

    /// [`Wave::row`].
    fn row(wave: &mut Wave, inputs: &Inputs, input: usize, row: &mut [u32]) {
        wave.row_inline(inputs, input, row)
    }

    /// [`MergeState::merge`].
    fn merge(
        state: &MergeState,
        wave: &Wave,
        lanes: LaneMask,
        outputs: &Outputs<'_>,
        targets: &mut Targets<'_>
    ) {
        state.merge_inline::<FUSED>(wave, lanes, outputs, targets)
    }
}
