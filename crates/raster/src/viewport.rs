//! From clip space to the grid of the screen: division, viewport, snapping, guard band, and the pixels that may be
//! drawn.
//!
//! Spec: Direct3D 11.3, 3.3.1, 15.4 and 15.6.

use crate::state::{RasterState, Scissor, Viewport};

/// Units of the screen's grid in a pixel: coordinates have 8 fraction bits.
pub(crate) const UNITS: i64 = 256;
/// The largest coordinate in pixels.
const LIMIT: f64 = 32768.0;

/// A vertex on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Projected {
    /// In 1/256 of a pixel.
    pub(crate) x: i64,
    pub(crate) y: i64,
    /// z/w before the depth range, for near and far plane.
    pub(crate) clip_z: f32,
    /// z in the viewport's depth range.
    pub(crate) z: f32,
    pub(crate) inverse_w: f64,
}

/// The pixels `left..right`, `top..bottom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

impl Viewport {
    /// Projects a position in clip space; `None` if a coordinate is NaN.
    #[inline(always)]
    pub(crate) fn project(&self, position: [f32; 4]) -> Option<Projected> {
        let [x, y, z, w] = position;
        let (x, y, clip_z) = (x / w, y / w, z / w);
        let screen_x = ((x + 1.0) * self.width) * 0.5 + self.x;
        let screen_y = ((1.0 - y) * self.height) * 0.5 + self.y;
        let z = clip_z * (self.max_depth - self.min_depth) + self.min_depth;
        if screen_x.is_nan() || screen_y.is_nan() || z.is_nan() {
            return None;
        }
        let inverse_w = 1.0 / f64::from(w);
        Some(Projected { x: snap(screen_x), y: snap(screen_y), clip_z, z, inverse_w })
    }

    /// The guard band: the largest power of two G, at least 1, so that |x| ≤ G·w lies within ±32767 pixels on both
    /// axes.
    pub(crate) fn guard_band(&self) -> f64 {
        let fits = |g: f64, size: f32, start: f32| {
            let (half, start) = (f64::from(size) * 0.5, f64::from(start));
            let ends = [(1.0 + g) * half + start, (1.0 - g) * half + start];
            ends.iter().all(|it| it.abs() <= LIMIT - 1.0)
        };
        // Viewports narrower than a thousandth of a pixel need no larger band.
        let mut band = 1.0;
        while band < f64::from(1 << 26)
            && fits(2.0 * band, self.width, self.x)
            && fits(2.0 * band, self.height, self.y)
        {
            band *= 2.0;
        }
        band
    }

    /// The depth that a test uses: NaN becomes the smallest.
    #[inline(always)]
    pub(crate) fn clamp_depth(range: [f32; 2], z: f32) -> f32 {
        let z = if z > range[0] { z } else { range[0] };
        if z < range[1] { z } else { range[1] }
    }
}

/// To the nearest 1/256, ties to even, saturating.
#[inline(always)]
fn snap(coordinate: f32) -> i64 {
    let units = UNITS as f64;
    // Exact: 24 bits times a power of two. Where units are the last bits of f64, addition rounds to nearest even.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let clamped = (f64::from(coordinate) * units).clamp(-LIMIT * units, LIMIT * units);
    ((clamped + ROUND) - ROUND) as i64
}

/// The pixels that a primitive of this viewport may cover.
pub(crate) fn drawable(state: &RasterState, viewport: usize) -> Rect {
    let empty = Rect { left: 0, top: 0, right: 0, bottom: 0 };
    let Some(view) = state.viewports.get(viewport) else { return empty };
    // Casts saturate, and NaN becomes 0.
    let mut rect = Rect {
        left: view.x.floor() as i32,
        top: view.y.floor() as i32,
        right: (view.x + view.width).floor() as i32,
        bottom: (view.y + view.height).floor() as i32,
    };
    if let Some(scissors) = &state.scissors {
        let Some(scissor) = scissors.get(viewport) else { return empty };
        let Scissor { left, top, right, bottom } = *scissor;
        rect = rect.intersect(Rect { left, top, right, bottom });
    }
    let most = LIMIT as u32;
    let (width, height) = (state.width.min(most) as i32, state.height.min(most) as i32);
    rect.intersect(Rect { left: 0, top: 0, right: width, bottom: height })
}

impl Rect {
    #[inline(always)]
    pub(crate) fn intersect(self, other: Rect) -> Rect {
        Rect {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guard_bands_reach_as_far_as_coordinates() {
        let band = |size: f32, start: f32| {
            Viewport { x: start, ..Viewport::whole(0, 0) }.sized(size).guard_band()
        };
        assert_eq!(band(256.0, 0.0), 128.0);
        assert_eq!(band(16384.0, 0.0), 2.0);
        assert_eq!(band(32767.0, 0.0), 1.0);
        assert_eq!(band(1.0, 0.0), 32768.0);
        assert_eq!(band(256.0, 30000.0), 16.0);
        for absurd in [0.0, 1e-30, f32::INFINITY, f32::NAN, -5.0, f32::MAX] {
            assert!(band(absurd, 0.0) >= 1.0 && band(8.0, absurd) >= 1.0);
        }
    }

    impl Viewport {
        fn sized(self, size: f32) -> Viewport {
            Viewport { width: size, height: size, ..self }
        }
    }

    #[test]
    fn positions_are_snapped_to_nearest_even_and_saturate() {
        let view = Viewport::whole(2, 2);
        let at = |x: f32| view.project([x - 1.0, 0.0, 0.5, 1.0]).unwrap().x;
        let unit = 1.0 / 256.0;
        assert_eq!([0.5, 1.5, 2.5, 0.75].map(|it| at(it * unit)), [0, 2, 2, 1]);
        assert_eq!(at(1e9), 32768 * 256);
        assert_eq!(at(f32::INFINITY), 32768 * 256);
        assert_eq!(at(-1e9), -32768 * 256);
        assert_eq!(view.project([f32::NAN, 0.0, 0.0, 1.0]), None);
        assert_eq!(view.project([0.0, 0.0, f32::NAN, 1.0]), None);
        assert_eq!(view.project([0.0, 0.0, 0.0, 0.0]), None);
    }

    #[test]
    fn a_viewport_scissors_and_so_does_the_target() {
        let mut state = RasterState::new(8, 8);
        state.viewports =
            vec![Viewport { x: -2.5, y: 1.75, width: 6.0, height: 20.0, ..Viewport::whole(0, 0) }];
        assert_eq!(drawable(&state, 0), Rect { left: 0, top: 1, right: 3, bottom: 8 });
        assert!(drawable(&state, 1).is_empty());
        state.scissors = Some(vec![Scissor { left: 1, top: -9, right: 99, bottom: 4 }]);
        assert_eq!(drawable(&state, 0), Rect { left: 1, top: 1, right: 3, bottom: 4 });
        state.scissors = Some(vec![]);
        assert!(drawable(&state, 0).is_empty());
    }

    #[test]
    fn every_depth_is_clamped() {
        let range = [0.25, 0.75];
        let depths =
            [0.0, 0.5, 1.0, f32::NAN, f32::INFINITY].map(|z| Viewport::clamp_depth(range, z));
        assert_eq!(depths, [0.25, 0.5, 0.75, 0.25, 0.75]);
    }
}
