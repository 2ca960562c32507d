//! Points: squares of one pixel around their position, with the top-left rule.

use super::Block;
use crate::sample::Samples;
use crate::setup::Geometry;
use crate::viewport::UNITS;

pub(super) fn cover(geometry: &Geometry, samples: Samples, inside: u64, block: &mut Block) {
    let [centre_x, centre_y] = geometry.corners[0];
    let half = UNITS / 2;
    block.covered[..samples.count() as usize].fill(inside);
    block.retain(samples, |x, y| {
        (-half..half).contains(&(x - centre_x)) && (-half..half).contains(&(y - centre_y))
    });
}
