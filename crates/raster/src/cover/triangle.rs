//! Triangles: edge functions at every sample, with the top-left rule.
//!
//! A block that no edge crosses is covered wholly or not at all. In the others, edge functions are stepped from row to
//! row in 32 bits, for the edges that cross the block only.

use super::{Block, SIDE, place};
use crate::each::each3;
use crate::sample::Samples;
use crate::setup::Geometry;
use crate::viewport::UNITS;

#[inline(always)]
pub(super) fn cover(geometry: &Geometry, samples: Samples, inside: u64, block: &mut Block) {
    // All samples of the block lie in this box.
    let (first, last) = samples.reach();
    let (first, last) = (i64::from(first), i64::from(last));
    let Some(crossing) = Crossing::of(geometry, [block.x, block.y], first, last) else { return };
    for (covered, offset) in block.covered.iter_mut().zip(samples.offsets()) {
        *covered = crossing.inside([block.x, block.y], *offset) & inside;
    }
}

/// The most pixels that are tested one by one.
const FEW: u32 = 4;

/// The pixels of a block whose centres are covered.
#[inline(always)]
pub(super) fn cover_single(geometry: &Geometry, inside: u64, x: i32, y: i32) -> u64 {
    if inside.count_ones() <= FEW {
        return cover_few(geometry, inside, x, y);
    }
    match Crossing::of(geometry, [x, y], 128, 128) {
        Some(crossing) => crossing.inside([x, y], [0, 0]) & inside,
        None => 0,
    }
}

/// The same by the definition, pixel by pixel: for triangles about as small as one.
#[inline(always)]
fn cover_few(geometry: &Geometry, inside: u64, x: i32, y: i32) -> u64 {
    let (mut covered, mut rest) = (inside, inside);
    while rest != 0 {
        let pixel = rest.trailing_zeros();
        rest &= rest - 1;
        let [x, y] = place(x + pixel as i32 % SIDE, y + pixel as i32 / SIDE, [0, 0]);
        let [a, b, c] = each3(geometry.edges, |it| it.a * x + it.b * y + it.inner());
        let is_outside = (a | b | c) < 0;
        covered &= !(u64::from(is_outside) << pixel);
    }
    covered
}

/// The edges that cross a block: coefficients of functions that are ≥ 0 inside.
struct Crossing {
    edges: [(i64, i64, i64); 3],
    count: usize,
}

impl Crossing {
    /// The edges that cross the box from `first` in the block's first pixel to `last` in its last one, in both
    /// directions; `None` if an edge has it on its outer side.
    #[inline(always)]
    fn of(geometry: &Geometry, [x, y]: [i32; 2], first: i64, last: i64) -> Option<Crossing> {
        let (left, top) = (i64::from(x) * UNITS + first, i64::from(y) * UNITS + first);
        let side = i64::from(SIDE - 1) * UNITS + last - first;
        let mut crossing = Crossing { edges: [(0, 0, 0); 3], count: 0 };
        for edge in &geometry.edges {
            let c = edge.inner();
            let corner = edge.a * left + edge.b * top + c;
            let most = corner + edge.a.max(0) * side + edge.b.max(0) * side;
            let least = corner + edge.a.min(0) * side + edge.b.min(0) * side;
            if most < 0 {
                return None;
            }
            if least < 0 {
                crossing.edges[crossing.count] = (edge.a, edge.b, c);
                crossing.count += 1;
            }
        }
        Some(crossing)
    }

    /// The pixels of the block with the sample at this offset inside.
    ///
    /// Samples of neighbouring pixels are 256 units apart. Therefore E ≥ 0 where ⌊E/256⌋ ≥ 0, which is linear in pixels
    /// too. An edge that crosses the box has |E| ≤ (|a| + |b|) · side < 2³⁶ in it, and the quotient fits in i32.
    #[inline(always)]
    fn inside(&self, [x, y]: [i32; 2], offset: [i8; 2]) -> u64 {
        if self.count == 0 {
            return u64::MAX;
        }
        let [x, y] = place(x, y, offset);
        // Unused edges are 0 everywhere: inside. Each row has a vector of its columns.
        let mut rows = each3(self.edges, |(a, b, c)| {
            let first = ((a * x + b * y + c) >> 8) as i32;
            let mut columns = [0; SIDE as usize];
            for (i, column) in (0..).zip(&mut columns) {
                *column = first.wrapping_add((a as i32).wrapping_mul(i));
            }
            columns
        });
        let down = each3(self.edges, |(_, b, _)| b as i32);
        // The signs of four rows, each lane at its place in the mask.
        let mut outside = [[0u32; SIDE as usize]; 2];
        for (half, outside) in outside.iter_mut().enumerate() {
            for row in 0..4 {
                if half + row > 0 {
                    for (columns, down) in rows.iter_mut().zip(down) {
                        columns.iter_mut().for_each(|it| *it = it.wrapping_add(down));
                    }
                }
                let [a, b, c] = &rows;
                for i in 0..SIDE as usize {
                    let sign = (a[i] | b[i] | c[i]) as u32 >> 31;
                    outside[i] |= sign << (8 * row + i);
                }
            }
        }
        let [upper, lower] =
            outside.map(|it| u64::from(it.into_iter().fold(0, |all, lane| all | lane)));
        !(upper | lower << 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover;
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
        let (mut covered, mut whole_columns) = (0, 0);
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
                let (whole, end) = geometry.covered_columns(top, 0, 96);
                for x in 0..96 {
                    let block = cover::cover(&geometry, samples, x / 8 * 8, top);
                    if samples == Samples::One {
                        let single = cover::cover_single(&geometry, x / 8 * 8, top);
                        assert_eq!(single, block.covered[0], "{vertices:?} {x} {top}");
                        if (whole..end).contains(&x) {
                            assert_eq!(single, u64::MAX, "{vertices:?} {x} {top}");
                            whole_columns += 1;
                        }
                    }
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
        assert!(whole_columns > 5_000, "{whole_columns}");
    }
}
