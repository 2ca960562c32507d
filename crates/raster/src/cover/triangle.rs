//! Triangles: edge functions at every sample, with the top-left rule.

use super::{Block, SIDE, place};
use crate::sample::Samples;
use crate::setup::Geometry;
use crate::viewport::UNITS;

pub(super) fn cover(geometry: &Geometry, samples: Samples, inside: u64, block: &mut Block) {
    // All samples of the block lie in this box.
    let (first, last) = if samples.count() == 1 { (128, 128) } else { (0, 240) };
    let (left, top) = (i64::from(block.x) * UNITS + first, i64::from(block.y) * UNITS + first);
    let side = i64::from(SIDE - 1) * UNITS + last - first;
    // The edges that cross the box. Those that do not belong to the triangle need E > 0, and for integers that is
    // E - 1 ≥ 0.
    let mut crossing = [(0, 0, 0); 3];
    let mut count = 0;
    for edge in &geometry.edges {
        let c = edge.c - i64::from(!edge.is_top_left);
        let corner = edge.a * left + edge.b * top + c;
        let most = corner + edge.a.max(0) * side + edge.b.max(0) * side;
        let least = corner + edge.a.min(0) * side + edge.b.min(0) * side;
        if most < 0 {
            return;
        }
        if least < 0 {
            crossing[count] = (edge.a, edge.b, c);
            count += 1;
        }
    }
    let offsets = samples.offsets();
    if count == 0 {
        block.covered[..offsets.len()].fill(inside);
        return;
    }
    // Unused edges are 0 everywhere: inside.
    let steps = crossing.map(|(a, _, _)| a * UNITS);
    let down = crossing.map(|(_, b, _)| b * UNITS);
    let rows = inside.trailing_zeros() / 8..8 - inside.leading_zeros() / 8;
    for (covered, offset) in block.covered.iter_mut().zip(offsets) {
        let [x, y] = place(block.x, block.y + rows.start as i32, *offset);
        let mut at = crossing.map(|(a, b, c)| a * x + b * y + c);
        let mut all = 0;
        for row in rows.clone() {
            let mut bits = 0;
            for column in 0..SIDE {
                let across = i64::from(column);
                let outside = (at[0] + steps[0] * across)
                    | (at[1] + steps[1] * across)
                    | (at[2] + steps[2] * across);
                bits |= u64::from(outside >= 0) << column;
            }
            all |= bits << (8 * row);
            for (at, down) in at.iter_mut().zip(down) {
                *at += down;
            }
        }
        *covered = all & inside;
    }
}
