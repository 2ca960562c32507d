//! The processor time of this process: what a measurement takes however busy the machine is.

/// Milliseconds that all threads of the process have run; `None` where the host does not say.
pub fn milliseconds() -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: this is how the C library declares the function.
        unsafe extern "C" {
            fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
        }
        const PROCESS: i32 = 2;
        let mut time = [0; 2];
        // SAFETY: `timespec` is two words on 64-bit hosts, for which alone this crate is built.
        let failed = unsafe { clock_gettime(PROCESS, &raw mut time) };
        (failed == 0).then(|| time[0] as f64 * 1e3 + time[1] as f64 / 1e6)
    }
    #[cfg(not(target_os = "linux"))]
    None
}
