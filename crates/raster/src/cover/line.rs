//! Aliased lines: the diamond rule, in exact integers.
//!
//! A line covers a pixel if it meets the diamond |u| + |v| ≤ 1/2 around its centre and does not end in it. In the
//! coordinates a = u + v, b = u − v the diamond is a square, and the parts of its border that belong to it make it
//! half-open: −1/2 < a ≤ 1/2, −1/2 ≤ b < 1/2. The right corner, a = b = 1/2, belongs to it for steep lines only.
//!
//! Every sample of a covered pixel is covered.

use std::cmp::Ordering;

use super::{Block, place};
use crate::sample::Samples;
use crate::setup::Geometry;
use crate::viewport::UNITS;

const HALF: i64 = UNITS / 2;

pub(super) fn cover(geometry: &Geometry, samples: Samples, inside: u64, block: &mut Block) {
    let [start, end, _] = geometry.corners;
    let mut covered = 0;
    let mut rest = inside;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        rest &= rest - 1;
        let [x, y] = place(block.x + (bit % 8) as i32, block.y + (bit / 8) as i32, [0, 0]);
        if covers([start[0] - x, start[1] - y], [end[0] - x, end[1] - y]) {
            covered |= 1 << bit;
        }
    }
    block.covered[..samples.count() as usize].fill(covered);
}

/// Whether a line between two places, relative to a pixel's centre, covers the pixel.
fn covers(start: [i64; 2], end: [i64; 2]) -> bool {
    let [dx, dy] = [end[0] - start[0], end[1] - start[1]];
    let is_steep = dy.abs() > dx.abs();
    // The diamond reaches as far as half a pixel along the major axis from the line; most pixels are farther away.
    if (dx * start[1] - dy * start[0]).abs() > HALF * dx.abs().max(dy.abs()) {
        return false;
    }
    let rotate = |[u, v]: [i64; 2]| [u + v, u - v];
    let (start, end) = (rotate(start), rotate(end));
    !is_in_diamond(end, is_steep) && meets_diamond(start, end, is_steep)
}

fn is_in_diamond([a, b]: [i64; 2], is_steep: bool) -> bool {
    (1 - HALF..=HALF).contains(&a) && (-HALF..HALF).contains(&b)
        || is_steep && a == HALF && b == HALF
}

/// A bound of the parameter along a line, and whether the bound itself is excluded.
#[derive(Clone, Copy)]
struct Bound {
    /// Over a positive denominator.
    numerator: i64,
    denominator: i64,
    is_open: bool,
}

impl Bound {
    fn compare(self, other: Bound) -> Ordering {
        let (left, right) =
            (self.numerator * other.denominator, other.numerator * self.denominator);
        left.cmp(&right)
    }
}

/// Whether a point of the closed segment lies in the diamond.
fn meets_diamond(start: [i64; 2], end: [i64; 2], is_steep: bool) -> bool {
    let [da, db] = [end[0] - start[0], end[1] - start[1]];
    let mut low = Bound { numerator: 0, denominator: 1, is_open: false };
    let mut high = Bound { numerator: 1, denominator: 1, is_open: false };
    // Each is f + t·df ≥ 0, or > 0 if it is open.
    let planes = [
        (start[0] + HALF, da, true),
        (HALF - start[0], -da, false),
        (start[1] + HALF, db, false),
        (HALF - start[1], -db, true),
    ];
    let mut meets = true;
    for (f, df, is_open) in planes {
        let bound = Bound { numerator: -f * df.signum(), denominator: df.abs(), is_open };
        match df.cmp(&0) {
            Ordering::Equal => meets &= f > 0 || f == 0 && !is_open,
            // t is at least −f / df.
            Ordering::Greater => match bound.compare(low) {
                Ordering::Greater => low = bound,
                Ordering::Equal => low.is_open |= is_open,
                Ordering::Less => {}
            },
            Ordering::Less => match bound.compare(high) {
                Ordering::Less => high = bound,
                Ordering::Equal => high.is_open |= is_open,
                Ordering::Greater => {}
            },
        }
    }
    let is_empty = match low.compare(high) {
        Ordering::Less => false,
        Ordering::Equal => low.is_open || high.is_open,
        Ordering::Greater => true,
    };
    meets && !is_empty || is_steep && passes(start, end, [HALF, HALF])
}

/// Whether a point lies on the closed segment.
fn passes(start: [i64; 2], end: [i64; 2], point: [i64; 2]) -> bool {
    let [da, db] = [end[0] - start[0], end[1] - start[1]];
    let (pa, pb) = (point[0] - start[0], point[1] - start[1]);
    let along = pa * da + pb * db;
    pa * db == pb * da && 0 <= along && along <= da * da + db * db
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines from and to eighths of a pixel around a centre, right and down.
    #[test]
    fn the_diamond_rule_as_a_table() {
        let at = |it: [i64; 2]| it.map(|it| it * 32);
        for (start, end, expected, why) in [
            ([-8, 0], [8, 0], true, "through the centre"),
            ([-8, 0], [0, 0], false, "ends in the interior"),
            ([0, 0], [8, 0], true, "starts in the interior and leaves"),
            ([0, 0], [1, 0], false, "starts and ends in the interior"),
            ([-8, 0], [4, 0], true, "flat lines do not end in the right corner"),
            ([4, -8], [4, 0], false, "steep lines end in the right corner"),
            ([4, -8], [4, 8], true, "a steep line touches the right corner"),
            ([4, 0], [12, 0], false, "a flat line starts at the right corner"),
            ([4, 0], [4, 8], true, "a steep line starts at the right corner"),
            ([-4, -8], [-4, 8], false, "the left corner does not belong"),
            ([-12, 0], [-4, 0], false, "a line ends at the left corner"),
            ([-8, -4], [8, -4], false, "the top corner does not belong"),
            ([-8, 4], [8, 4], true, "the bottom corner belongs"),
            ([0, 12], [0, 4], false, "a line ends in the bottom corner"),
            ([0, 4], [0, 12], true, "a line starts in the bottom corner"),
            ([-4, 0], [0, 4], false, "along the lower left edge, to the bottom corner"),
            ([-8, -4], [4, 8], true, "along the lower left edge and on"),
            ([8, -4], [-4, 8], true, "along the lower right edge and on"),
            ([-8, 4], [4, -8], false, "along the upper left edge"),
            ([-4, -8], [8, 4], false, "along the upper right edge, a flat line"),
            ([2, 2], [8, 8], true, "starts on the lower right edge"),
            ([8, 8], [2, 2], false, "ends on the lower right edge"),
            ([8, -8], [2, -2], false, "ends on the upper right edge without meeting more"),
            ([3, 3], [8, 8], false, "starts outside"),
            ([2, 2], [2, 2], false, "no length"),
        ] {
            assert_eq!(covers(at(start), at(end)), expected, "{start:?} {end:?}: {why}");
        }
    }

    /// A chain of segments covers a pixel at most once for each time it passes through it, and never misses one that
    /// a single segment through the same places covers.
    #[test]
    fn a_line_in_pieces_covers_what_the_whole_covers() {
        let mut random = ops::Random::new(5);
        for _ in 0..2000 {
            let mut coordinate = || random.below(4096) as i64 - 2048;
            let start = [coordinate(), coordinate()];
            let step = [coordinate() / 8, coordinate() / 8];
            let ends = |i: i64| [start[0] + i * step[0], start[1] + i * step[1]];
            for x in -6..6 {
                for y in -6..6 {
                    let from = |[a, b]: [i64; 2]| [a - x * 256, b - y * 256];
                    let whole = covers(from(ends(0)), from(ends(8)));
                    let pieces =
                        (0..8).filter(|i| covers(from(ends(*i)), from(ends(i + 1)))).count();
                    assert_eq!(pieces, usize::from(whole), "{start:?} {step:?} {x} {y}");
                }
            }
        }
    }
}
