//! What a draw does, counted while it runs (`D3D12_QUERY_DATA_PIPELINE_STATISTICS`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts of draws, which add to it.
#[derive(Debug, Default)]
pub struct DrawStatistics {
    primitives: AtomicU64,
    pixels: AtomicU64,
    /// Of the device's clock.
    nanoseconds: AtomicU64,
}

impl DrawStatistics {
    /// The primitives that reached the rasterizer, culled and clipped ones included (`CInvocations`). A GPU does not
    /// count them.
    pub fn primitives(&self) -> u64 {
        self.primitives.load(Ordering::Relaxed)
    }

    /// The lanes of pixel shaders that were not helper lanes at the start of their waves (`PSInvocations`); without a
    /// pixel shader, the pixels whose depth was tested. A GPU does not count them.
    pub fn pixels(&self) -> u64 {
        self.pixels.load(Ordering::Relaxed)
    }

    /// How long a GPU took by its own clock, without the copies to it and from it. Nothing if it has none, and on the
    /// other engines.
    pub fn device_time(&self) -> Option<Duration> {
        match self.nanoseconds.load(Ordering::Relaxed) {
            0 => None,
            nanoseconds => Some(Duration::from_nanos(nanoseconds)),
        }
    }

    pub(crate) fn add_primitives(&self, count: u64) {
        self.primitives.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn add_pixels(&self, count: u64) {
        self.pixels.fetch_add(count, Ordering::Relaxed);
    }

    /// Adds the counts of another one, which no device has made.
    pub(crate) fn add(&self, other: &DrawStatistics) {
        self.add_primitives(other.primitives());
        self.add_pixels(other.pixels());
    }

    pub(crate) fn add_time(&self, time: Duration) {
        // A clock may be too coarse to see a short draw, which is not the same as none.
        self.nanoseconds.fetch_add((time.as_nanos() as u64).max(1), Ordering::Relaxed);
    }
}
