//! Triangles: edge functions at every sample, with the top-left rule.
//!
//! A block that no edge crosses is covered wholly or not at all. In the others, edge functions are stepped from pixel
//! to pixel in 32 bits, for the edges that cross the block only.

use super::{Block, SIDE, place};
use crate::each::each3;
use crate::sample::Samples;
use crate::setup::Geometry;
use crate::viewport::UNITS;

#[inline(always)]
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
    // Samples of neighbouring pixels are 256 units apart. Therefore E ≥ 0 where ⌊E/256⌋ ≥ 0, which is linear in pixels
    // too. An edge that crosses the box has |E| ≤ (|a| + |b|) · side < 2³⁶ in it, and the quotient fits in i32.
    // Unused edges are 0 everywhere: inside.
    let across = each3(crossing, |(a, _, _)| a as i32);
    let down = each3(crossing, |(_, b, _)| b as i32);
    let rows = inside.trailing_zeros() / 8..8 - inside.leading_zeros() / 8;
    for (covered, offset) in block.covered.iter_mut().zip(offsets) {
        let [x, y] = place(block.x, block.y + rows.start as i32, *offset);
        let mut at = each3(crossing, |(a, b, c)| ((a * x + b * y + c) >> 8) as i32);
        let mut all = 0;
        for row in rows.clone() {
            // The sign of the last column ends up in the highest bit.
            let mut outside = 0u32;
            let [mut e0, mut e1, mut e2] = at;
            for _ in 0..SIDE {
                outside = outside >> 1 | (e0 | e1 | e2) as u32 & 1 << 31;
                e0 = e0.wrapping_add(across[0]);
                e1 = e1.wrapping_add(across[1]);
                e2 = e2.wrapping_add(across[2]);
            }
            all |= u64::from(!outside >> 24) << (8 * row);
            for (at, down) in at.iter_mut().zip(down) {
                *at = at.wrapping_add(down);
            }
        }
        *covered = all & inside;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::{self, SIDE};
    use crate::state::RasterState;
    use crate::viewport::{Projected, Rect};

    /// The samples of each pixel that lie inside, by the definition: one edge function after the other in 64 bits.
    fn defined(geometry: &Geometry, samples: Samples, x: i32, y: i32) -> u16 {
        let covers = |offset: &[i8; 2]| {
            let [x, y] = place(x, y, *offset);
            geometry.edges.iter().all(|it| it.at(x, y) >= i64::from(!it.is_top_left))
        };
        let offsets = samples.offsets().iter().enumerate();
        offsets.fold(0, |all, (i, it)| all | u16::from(covers(it)) << i)
    }

    #[test]
    fn blocks_and_spans_agree_with_the_edge_functions() {
        let mut random = ops::Random::new(7);
        let mut covered = 0;
        for round in 0..1500 {
            let samples = *random.pick(&Samples::ALL);
            let state = RasterState { samples, ..RasterState::new(96, 40) };
            // Small and large triangles, slivers, and corners at the ends of the grid.
            let reach = [300, 6000, 40_000, 8_388_608][round % 4];
            let mut corner = || {
                let [x, y] = [(); 2].map(|()| random.below(2 * reach) as i64 - reach as i64 / 2);
                let units = if round % 8 < 4 { 1 } else { 128 };
                let snap = |it: i64| (it / units * units).clamp(-8_388_608, 8_388_608);
                Projected { x: snap(x), y: snap(y), clip_z: 0.5, z: 0.5, inverse_w: 1.0 }
            };
            let vertices = [corner(), corner(), corner()];
            let target = Rect { left: 0, top: 0, right: 96, bottom: 40 };
            let Some(geometry) = Geometry::triangle(&vertices, &state, [0.0, 1.0], target) else {
                continue;
            };
            for top in (0..40).step_by(8) {
                let (left, right) = geometry.columns(top, top + SIDE, 0, 96);
                for x in 0..96 {
                    let block = cover::cover(&geometry, samples, x / 8 * 8, top);
                    for y in top..top + SIDE {
                        let bit = 8 * (y - top) + x % 8;
                        let found = block.covered[..samples.count() as usize].iter().enumerate();
                        let found =
                            found.fold(0, |all, (i, it)| all | ((*it >> bit & 1) as u16) << i);
                        let expected = defined(&geometry, samples, x, y);
                        assert_eq!(found, expected, "{vertices:?} {samples:?} {x} {y}");
                        assert!(expected == 0 || (left..right).contains(&x), "{vertices:?} {x}");
                        covered += u64::from(expected != 0);
                    }
                }
            }
        }
        assert!(covered > 400_000, "{covered}");
    }
}
