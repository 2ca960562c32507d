//! The split of a range of primitives in two, by the surface area heuristic (Wald, "On fast Construction of SAH-based
//! Bounding Volume Hierarchies", 2007): centroids are sorted into bins, and a range is split between two bins where the
//! areas of the two halves, weighted by their primitives, are least. Where ranges are large, a sample of them chooses;
//! where they are small, one axis is examined, or none.

use super::LEAF;
use super::rows::{Item, Rows};

/// Ranges of up to this many primitives, which usually become up to four leaves, are split where the interval of their
/// centres has its middle. PERF: an eighth of the time of a build; rays take as long.
const FEWEST: usize = 4 * LEAF;
/// Ranges of up to this many primitives are divided into half as many bins.
const FEW: usize = 64;
/// Ranges of up to this many primitives are split on the axis on which they are widest. In ranges of more than twice as
/// many, about this many choose the split. PERF: samples save a third of the time of a build, and one axis a seventh;
/// rays meet a hundredth more nodes.
pub(super) const SAMPLES: usize = 256;

/// A plane between the centres of primitives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    axis: usize,
    /// The least centre on the right, doubled.
    centre: f32,
}

impl Split {
    /// Everything is on its left.
    pub(super) const BEYOND: Split = Split { axis: 0, centre: f32::INFINITY };

    /// A good split of primitives, if their centres differ.
    pub(super) fn of(items: &[Item]) -> Option<Split> {
        match items.len() {
            len if len <= FEWEST => Some(Split::middle(items)),
            len if len <= FEW => Split::cheapest::<8>(items),
            _ => Split::cheapest::<16>(items),
        }
    }

    /// The split in the middle of the widest axis.
    fn middle(items: &[Item]) -> Split {
        let centres = Rows::around_centres(items, 1);
        let axis = centres.widest();
        Split { axis, centre: centres.low[axis] * 0.5 + centres.high[axis] * 0.5 }
    }

    /// The split between two of this many bins with the least cost, if centres differ at all.
    fn cheapest<const BINS: usize>(items: &[Item]) -> Option<Split> {
        let stride = (items.len() / SAMPLES).max(1);
        let centres = Rows::around_centres(items, stride);
        let axes = match items.len() {
            ..=SAMPLES => centres.widest()..centres.widest() + 1,
            _ => 0..3,
        };
        let mut best: Option<(f32, Split)> = None;
        for axis in axes {
            let grid = Grid::<BINS>::new(&centres, axis);
            let mut bins = [Bin::EMPTY; BINS];
            for Item(item) in items.iter().step_by(stride) {
                let bin = &mut bins[grid.cell(item)];
                bin.bounds.join(item);
                bin.count += 1;
            }
            // The costs of what lies right of each border.
            let mut costs = [0.0; BINS];
            let mut right = Bin::EMPTY;
            for at in (1..BINS).rev() {
                right.join(&bins[at]);
                costs[at] = right.cost();
            }
            let all = right.count + bins[0].count;
            let mut left = Bin::EMPTY;
            for at in 1..BINS {
                left.join(&bins[at - 1]);
                let sum = left.cost() + costs[at];
                let is_proper = left.count > 0 && left.count < all;
                if is_proper && best.is_none_or(|(least, _)| sum < least) {
                    best = Some((sum, Split { axis, centre: grid.border(at) }));
                }
            }
        }
        best.map(|it| it.1)
    }

    /// Whether a box is on the left.
    #[inline(always)]
    pub(super) fn is_left(&self, item: &Rows) -> bool {
        let axis = self.axis % 4;
        item.low[axis] + item.high[axis] < self.centre
    }

    /// Moves what is on the left before what is on the right, and returns where that begins: Lomuto's partition,
    /// without branches on the side of an item, which a processor cannot predict.
    pub(super) fn partition(&self, items: &mut [Item]) -> usize {
        let mut first = 0;
        for at in 0..items.len() {
            // PERF: read where it is; a copy that is indexed by the axis goes through memory.
            let is_left = self.is_left(&items[at].0);
            items.swap(at, first);
            first += usize::from(is_left);
        }
        first
    }
}

/// What has its centre in one interval of an axis.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Bin {
    bounds: Rows,
    count: u32,
}

impl Bin {
    const EMPTY: Bin = Bin { bounds: Rows::EMPTY, count: 0 };

    #[inline(always)]
    fn join(&mut self, other: &Bin) {
        self.bounds.join(&other.bounds);
        self.count += other.count;
    }

    /// The cost of testing the primitives: the probability of meeting their box times the number of leaves.
    #[inline(always)]
    fn cost(&self) -> f32 {
        match self.count {
            0 => 0.0,
            count => self.bounds.area() * count.div_ceil(4) as f32,
        }
    }
}

/// The intervals of the centres of a range on an axis.
#[derive(Clone, Copy, Debug)]
struct Grid<const BINS: usize> {
    axis: usize,
    low: f32,
    scale: f32,
}

impl<const BINS: usize> Grid<BINS> {
    /// A power of two whose sum with a number of up to `BINS` is rounded to an integer: the low bits are those of the
    /// bin, which takes less time than a conversion.
    const ROUND: f32 = (1u32 << 23) as f32;

    fn new(centres: &Rows, axis: usize) -> Grid<BINS> {
        let low = centres.low[axis];
        let scale = (BINS - 1) as f32 / (centres.high[axis] - low);
        Grid { axis, low, scale: if scale.is_finite() { scale } else { 0.0 } }
    }

    /// The bin of a box; any one where its centre is infinite.
    #[inline(always)]
    fn cell(&self, item: &Rows) -> usize {
        let centre = item.low[self.axis] + item.high[self.axis];
        let place = (centre - self.low) * self.scale + Grid::<BINS>::ROUND;
        place.to_bits() as usize % BINS
    }

    /// Where a bin begins.
    fn border(&self, bin: usize) -> f32 {
        self.low + (bin as f32 - 0.5) / self.scale
    }
}
