//! Coverage: which samples of a block of 8×8 pixels lie in a primitive.
//!
//! Blocks that lie wholly on one side of an edge are accepted or rejected without testing their samples.
//!
//! Spec: Direct3D 11.3, 3.4.2 (triangles), 3.4.3 (aliased lines) and 3.4.5 (points).

mod line;
mod point;
mod triangle;

use crate::sample::{MOST, Samples};
use crate::setup::Geometry;
use crate::topology::Kind;
use crate::viewport::{Rect, UNITS};

/// The width and height of a block.
pub(crate) const SIDE: i32 = 8;

/// For each sample the covered pixels of a block: bit 8·y + x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The upper left pixel.
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) covered: [u64; MOST],
}

/// The pixels of a block that lie in a rectangle.
#[inline(always)]
fn within([x, y]: [i32; 2], rect: Rect) -> u64 {
    let span = |start: i32, from: i32, to: i32| {
        let from = (i64::from(from) - i64::from(start)).clamp(0, 8) as u32;
        let to = (i64::from(to) - i64::from(start)).clamp(0, 8) as u32;
        if from >= to { 0 } else { (0xffu64 >> (8 - (to - from))) << from }
    };
    let columns = span(x, rect.left, rect.right);
    let rows = span(y, rect.top, rect.bottom);
    if rows == 0xff && columns == 0xff {
        return u64::MAX;
    }
    // Copies each bit of `rows` to a separate byte: the partial products do not overlap. Then fills each byte
    // with the columns.
    let spread = |bits: u64| (bits * 0x0020_4081) & 0x0101_0101;
    let apart = spread(rows & 0xf) | spread(rows >> 4) << 32;
    apart * columns
}

impl Block {
    /// Keeps the samples for which `keep` holds at their place in 1/256 pixels.
    pub(crate) fn retain(&mut self, samples: Samples, keep: impl Fn(i64, i64) -> bool) {
        for (covered, offset) in self.covered.iter_mut().zip(samples.offsets()) {
            let mut rest = *covered;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let [x, y] = place(self.x + (bit % 8) as i32, self.y + (bit / 8) as i32, *offset);
                if !keep(x, y) {
                    *covered &= !(1 << bit);
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self, samples: Samples) -> bool {
        self.covered[..samples.count() as usize].iter().all(|it| *it == 0)
    }
}

/// The place of a sample in 1/256 pixels.
#[inline(always)]
pub(crate) fn place(x: i32, y: i32, [right, down]: [i8; 2]) -> [i64; 2] {
    let at = |pixel, offset| i64::from(pixel) * UNITS + UNITS / 2 + i64::from(offset) * 16;
    [at(x, right), at(y, down)]
}

/// The samples of the block at a pixel that the primitive covers.
#[inline(always)]
pub(crate) fn cover(geometry: &Geometry, samples: Samples, x: i32, y: i32) -> Block {
    let mut block = Block { x, y, covered: [0; MOST] };
    let inside = within([x, y], geometry.bounds);
    if inside != 0 {
        match geometry.kind {
            Kind::Triangle => triangle::cover(geometry, samples, inside, &mut block),
            Kind::Line => line::cover(geometry, samples, inside, &mut block),
            Kind::Point => point::cover(geometry, samples, inside, &mut block),
        }
    }
    block
}

/// The pixels of a block whose centres the primitive covers: bit 8·y + x.
#[inline(always)]
pub(crate) fn cover_single(geometry: &Geometry, x: i32, y: i32) -> u64 {
    if geometry.kind != Kind::Triangle {
        return cover(geometry, Samples::One, x, y).covered[0];
    }
    match within([x, y], geometry.bounds) {
        0 => 0,
        inside => triangle::cover_single(geometry, inside, x, y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_selects_pixels_of_a_block() {
        let pixels = |left, top, right, bottom| within([-1, 8], Rect { left, top, right, bottom });
        assert_eq!(pixels(-9, 0, 99, 99), u64::MAX);
        assert_eq!(pixels(0, 0, 99, 9), 0xfe);
        assert_eq!(pixels(-1, 9, 1, 10), 0x300);
        assert_eq!(pixels(7, 0, 99, 99), 0);
        assert_eq!(pixels(i32::MIN, i32::MIN, i32::MAX, i32::MAX), u64::MAX);
        assert_eq!(pixels(5, 9, 5, 10), 0);
        assert_eq!(pixels(0, 10, 1, 15), 0x02_02_02_02_02_00_00);
    }
}
