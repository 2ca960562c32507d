//! The mapping of the threads of a group to lanes.
//!
//! Every order keeps the language's promises about quads: in a group of one dimension whose length is a multiple of
//! four, four consecutive threads form a quad; where X and Y are even, a square of 2×2 threads does. Populated
//! lanes are the lowest.

use ops::Random;

use crate::exec::LaneOrder;

/// The threads of a group in the order in which they are assigned to lanes: their three coordinates and their
/// index.
pub fn deal(size: [u32; 3], order: LaneOrder) -> Vec<[u32; 4]> {
    let index = |x: u32, y: u32, z: u32| x + size[0] * (y + size[1] * z);
    let thread = |x, y, z| [x, y, z, index(x, y, z)];
    let squares = size[0].is_multiple_of(2) && size[1].is_multiple_of(2);
    let is_row = size[1] == 1 && size[2] == 1;
    let linear = || {
        let places = (0..size[2]).flat_map(|z| (0..size[1]).map(move |y| (y, z)));
        places.flat_map(|(y, z)| (0..size[0]).map(move |x| thread(x, y, z))).collect::<Vec<_>>()
    };
    let quads = || {
        let places = (0..size[2])
            .flat_map(|z| (0..size[1]).step_by(2).map(move |y| (y, z)))
            .flat_map(|(y, z)| (0..size[0]).step_by(2).map(move |x| (x, y, z)));
        let quad = |(x, y, z)| {
            [thread(x, y, z), thread(x + 1, y, z), thread(x, y + 1, z), thread(x + 1, y + 1, z)]
        };
        places.flat_map(quad).collect::<Vec<_>>()
    };
    match order {
        LaneOrder::Quad2d if squares => quads(),
        LaneOrder::Linear | LaneOrder::Quad2d => linear(),
        LaneOrder::Morton => {
            let mut threads = linear();
            threads.sort_by_key(|it| (it[2], morton(it[0], it[1])));
            threads
        }
        LaneOrder::Random(seed) => {
            let (threads, run) = match (squares, is_row) {
                (true, _) => (quads(), 4),
                (false, true) => (linear(), 4),
                (false, false) => (linear(), 1),
            };
            let mut runs: Vec<&[[u32; 4]]> = threads.chunks(run).collect();
            // A partial run stays at the end, so that quads begin at multiples of four.
            let full = threads.len() / run;
            Random::new(seed).shuffle(&mut runs[..full]);
            runs.concat()
        }
    }
}

/// The same for all lanes of a group, including those without a thread.
pub fn deal_slots(size: [u32; 3], order: LaneOrder, slots: usize) -> Vec<[u32; 4]> {
    let mut threads = deal(size, order);
    threads.resize(slots, [0; 4]);
    threads
}

/// A Morton code: interleaves the bits of both numbers, those of `x` first.
fn morton(x: u32, y: u32) -> u64 {
    let bit = |from: u32, i: u32| u64::from(from >> i & 1);
    (0..32).fold(0, |code, i| code | bit(x, i) << (2 * i) | bit(y, i) << (2 * i + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [LaneOrder; 5] = [
        LaneOrder::Linear,
        LaneOrder::Quad2d,
        LaneOrder::Morton,
        LaneOrder::Random(1),
        LaneOrder::Random(2),
    ];

    #[test]
    fn every_thread_gets_one_lane() {
        for size in [[1, 1, 1], [7, 1, 1], [64, 1, 1], [8, 8, 1], [6, 4, 3], [5, 3, 2], [1, 8, 1]] {
            for order in ORDERS {
                let mut indices: Vec<u32> = deal(size, order).iter().map(|it| it[3]).collect();
                indices.sort_unstable();
                let all: Vec<u32> = (0..size.iter().product()).collect();
                assert_eq!(indices, all, "{size:?} {order:?}");
            }
        }
    }

    #[test]
    fn quads_stay_together() {
        for order in [LaneOrder::Random(1), LaneOrder::Random(9)] {
            for quad in deal([64, 1, 1], order).chunks(4) {
                assert!(
                    quad.iter().zip(0..).all(|(it, i)| it[3] == quad[0][3] + i && it[3] % 4 == i)
                );
            }
        }
        for order in [LaneOrder::Quad2d, LaneOrder::Morton, LaneOrder::Random(1)] {
            for quad in deal([8, 6, 2], order).chunks(4) {
                let [x, y, z, _] = quad[0];
                assert!(x % 2 == 0 && y % 2 == 0, "{order:?}");
                let all = [[x, y, z], [x + 1, y, z], [x, y + 1, z], [x + 1, y + 1, z]];
                assert!(quad.iter().zip(all).all(|(it, wanted)| it[..3] == wanted), "{order:?}");
            }
        }
    }

    #[test]
    fn different_seeds_give_different_orders() {
        let order = |seed| deal([64, 1, 1], LaneOrder::Random(seed));
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_eq!(deal([64, 1, 1], LaneOrder::Morton), deal([64, 1, 1], LaneOrder::Linear));
    }
}
