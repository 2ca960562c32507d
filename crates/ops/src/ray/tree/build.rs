//! Builds a tree by the surface area heuristic (Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies",
//! 2007): centroids are sorted into bins, and a range is split between two bins where the areas of the two halves,
//! weighted by their primitives, are least. A node splits its largest child until it has eight. Where ranges are large, a
//! sample of them chooses; where they are small, one axis is looked at, or none.

use super::{Child, LEAF, Leaf, Node, Tree, WIDTH};

/// A box; empty if a least coordinate is above a greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::ray) struct Bounds {
    pub(in crate::ray) low: [f32; 3],
    pub(in crate::ray) high: [f32; 3],
}

impl Bounds {
    pub(in crate::ray) const EMPTY: Bounds =
        Bounds { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };
    pub(in crate::ray) const ALL: Bounds =
        Bounds { low: [f32::NEG_INFINITY; 3], high: [f32::INFINITY; 3] };

    /// The box around points; everything if one of them is not finite.
    #[inline(always)]
    pub(in crate::ray) fn around(points: &[[f32; 3]]) -> Bounds {
        let mut all = Bounds::EMPTY;
        for point in points {
            for (axis, value) in point.iter().enumerate() {
                all.low[axis] = less(*value, all.low[axis]);
                all.high[axis] = more(*value, all.high[axis]);
            }
        }
        if are_finite(points.as_flattened()) { all } else { Bounds::ALL }
    }

    #[inline(always)]
    pub(in crate::ray) fn is_finite(&self) -> bool {
        are_finite(&self.low) && are_finite(&self.high)
    }
}

/// Whether all numbers are finite: a sum of zeros and NaNs, which takes one comparison.
#[inline(always)]
pub(in crate::ray) fn are_finite(numbers: &[f32]) -> bool {
    numbers.iter().fold(0.0, |sum, it| sum + it * 0.0) == 0.0
}

/// The lesser of two numbers that are not NaNs: one instruction.
#[inline(always)]
fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn more(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// A box in whole vectors: the fourth elements mean nothing, and are normal numbers, with which processors are fast.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Rows {
    low: [f32; 4],
    high: [f32; 4],
}

impl Rows {
    const EMPTY: Rows = Rows { low: [f32::INFINITY; 4], high: [f32::NEG_INFINITY; 4] };

    #[inline(always)]
    fn join(&mut self, other: &Rows) {
        for at in 0..4 {
            self.low[at] = less(other.low[at], self.low[at]);
            self.high[at] = more(other.high[at], self.high[at]);
        }
    }

    #[inline(always)]
    fn take(&mut self, point: [f32; 4]) {
        self.join(&Rows { low: point, high: point });
    }

    /// The greatest |coordinate|; 0 of an empty box.
    fn reach(&self) -> f32 {
        let [low, high] = [&self.low[..3], &self.high[..3]];
        let is_empty = low[0] > high[0];
        let most = low.iter().chain(high).fold(0.0, |most: f32, it| most.max(it.abs()));
        if is_empty { 0.0 } else { most }
    }

    /// Half of the surface.
    #[inline(always)]
    fn area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.high[axis] - self.low[axis]);
        x * y + y * z + z * x
    }

    /// The box, or an empty one, without a branch.
    #[inline(always)]
    fn only_if(&self, is_wanted: bool) -> Rows {
        const AWAY: [f32; 2] = [f32::INFINITY, 0.0];
        let away = AWAY[usize::from(is_wanted)];
        let mut only = *self;
        for at in 0..4 {
            only.low[at] += away;
            only.high[at] -= away;
        }
        only
    }

    /// The axis on which it is largest.
    #[inline(always)]
    fn widest(&self) -> usize {
        let [x, y, z] = [0, 1, 2].map(|axis| self.high[axis] - self.low[axis]);
        if x >= y && x >= z {
            0
        } else if y >= z {
            1
        } else {
            2
        }
    }

    /// Twice the centre.
    #[inline(always)]
    fn centre(&self) -> [f32; 4] {
        let mut centre = self.low;
        for (sum, high) in centre.iter_mut().zip(&self.high) {
            *sum += high;
        }
        centre
    }
}

/// A primitive while the tree is built.
#[derive(Clone, Copy, Debug)]
struct Item(Rows);

impl Item {
    /// Added to the index of a primitive, which is less than 2²⁹, it gives the bits of a normal number.
    const INDEX: u32 = 1f32.to_bits();

    fn new(bounds: Bounds, primitive: usize) -> Item {
        let ([a, b, c], [d, e, f]) = (bounds.low, bounds.high);
        let index = f32::from_bits(Item::INDEX + primitive as u32);
        Item(Rows { low: [a, b, c, index], high: [d, e, f, index] })
    }

    fn primitive(&self) -> u32 {
        self.0.low[3].to_bits() - Item::INDEX
    }
}

/// Ranges of up to so many primitives, which mostly become two leaves, are split where the interval of their centres has its
/// middle. PERF: a tenth of the time of a build; rays meet a hundredth more leaves.
const FEWEST: usize = 2 * LEAF;
/// Ranges of up to so many primitives are divided into half as many bins.
const FEW: usize = 64;
/// Ranges of up to so many primitives are split on the axis on which they are widest. In ranges of more than twice as many,
/// about so many choose the split. PERF: samples save a third of the time of a build, and one axis a seventh; rays meet a
/// hundredth more nodes.
const SAMPLES: usize = 256;
/// Below this depth, ranges are halved, so that the depth is bounded whatever the primitives are.
const DEEPEST: usize = 48;

/// The boxes of primitives, for a tree over them.
#[derive(Debug)]
pub(in crate::ray) struct Items {
    bounded: Vec<Item>,
    /// What has no box, and is in leaves of its own.
    unbounded: Vec<Item>,
    /// The number of primitives, whether they are in the tree or not.
    count: usize,
    /// Around what is bounded.
    all: Rows,
}

impl Items {
    pub(in crate::ray) fn with_capacity(count: usize) -> Items {
        let (bounded, unbounded) = (Vec::with_capacity(count), Vec::new());
        Items { bounded, unbounded, count: 0, all: Rows::EMPTY }
    }

    /// Adds the next primitive. Those without a box are left out.
    #[inline(always)]
    pub(in crate::ray) fn push(&mut self, bounds: Option<Bounds>) {
        let at = self.count;
        self.count += 1;
        let Some(bounds) = bounds else { return };
        if bounds.is_finite() {
            let item = Item::new(bounds, at);
            self.all.join(&item.0);
            self.bounded.push(item);
        } else {
            self.unbounded.push(Item::new(Bounds::ALL, at));
        }
    }

    /// A tree whose leaves the caller fills, by their index. `pad` is the factor by which boxes are enlarged, times the
    /// greatest |coordinate|.
    pub(in crate::ray) fn tree<L: Default>(
        self,
        pad: f32,
        fill: impl FnMut(usize, &Leaf, &mut L),
    ) -> Tree<L> {
        let Items { bounded: mut items, unbounded, all: bounds, .. } = self;
        let reach = bounds.reach();
        let first = unbounded.len();
        items.splice(0..0, unbounded);
        let count = items.len();
        let tree = Tree { nodes: Vec::new(), leaves: Vec::new(), root: None, reach };
        let mut builder = Builder { items, tree, fill, pad: pad * reach };
        if count > 0 {
            builder.tree.nodes.reserve(count / 20 + 1);
            builder.tree.leaves.reserve(count / 6 + 1);
            builder.tree.nodes.push(Node::EMPTY);
            let mut ranges = Vec::with_capacity(WIDTH);
            if first > 0 {
                ranges.push(builder.range(0, first));
            }
            if first < count {
                ranges.push(Range { start: first, end: count, bounds });
            }
            builder.node(0, ranges, 0);
            builder.tree.root = Some(Child::node(0));
        }
        builder.tree
    }
}

impl Node {
    const EMPTY: Node = Node {
        planes: [[[f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]]; 3],
        children: [Child::NONE; WIDTH],
    };
}

/// A part of the items.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: usize,
    end: usize,
    bounds: Rows,
}

impl Range {
    fn len(&self) -> usize {
        self.end - self.start
    }
}

struct Builder<L, F> {
    items: Vec<Item>,
    tree: Tree<L>,
    fill: F,
    pad: f32,
}

impl<L: Default, F: FnMut(usize, &Leaf, &mut L)> Builder<L, F> {
    fn range(&self, start: usize, end: usize) -> Range {
        let mut bounds = Rows::EMPTY;
        self.items[start..end].iter().for_each(|Item(it)| bounds.join(it));
        Range { start, end, bounds }
    }

    /// Fills a node with the ranges, which it splits as long as there is room.
    fn node(&mut self, at: usize, mut ranges: Vec<Range>, depth: usize) {
        while ranges.len() < WIDTH {
            let mut largest: Option<(usize, f32)> = None;
            for (index, it) in ranges.iter().enumerate() {
                let area = it.bounds.area();
                let more = largest.is_none_or(|(_, most)| area > most);
                if it.len() > LEAF && more {
                    largest = Some((index, area));
                }
            }
            let Some((index, _)) = largest else { break };
            let (left, right) = self.split(&ranges[index], depth);
            ranges[index] = left;
            ranges.push(right);
        }
        for (lane, range) in ranges.into_iter().enumerate() {
            let Rows { low, high } = range.bounds;
            let child = if range.len() <= LEAF {
                let mut leaf = Leaf { primitives: [0; LEAF], count: range.len() as u32 };
                let items = &self.items[range.start..range.end];
                for (primitive, item) in leaf.primitives.iter_mut().zip(items) {
                    *primitive = item.primitive();
                }
                let index = self.tree.leaves.len();
                // PERF: filled where it is; leaves of triangles are large.
                self.tree.leaves.push(L::default());
                (self.fill)(index, &leaf, &mut self.tree.leaves[index]);
                Child::leaf(index, range.len())
            } else {
                self.tree.nodes.push(Node::EMPTY);
                let inner = self.tree.nodes.len() - 1;
                let mut ranges = Vec::with_capacity(WIDTH);
                ranges.push(range);
                self.node(inner, ranges, depth + 1);
                Child::node(inner)
            };
            let node = &mut self.tree.nodes[at];
            node.children[lane] = child;
            for axis in 0..3 {
                node.planes[axis][0][lane] = (low[axis] - self.pad).next_down();
                node.planes[axis][1][lane] = (high[axis] + self.pad).next_up();
            }
        }
    }

    /// Two parts of a range, neither of them empty.
    fn split(&mut self, range: &Range, depth: usize) -> (Range, Range) {
        let split = match range.len() {
            _ if depth >= DEEPEST => None,
            len if len <= FEWEST => self.middle(range),
            len if len <= FEW => self.cheapest::<8>(range),
            _ => self.cheapest::<16>(range),
        };
        if let Some(parts) = split.and_then(|it| self.partition(range, &it)) {
            return parts;
        }
        let middle = range.start + range.len() / 2;
        (self.range(range.start, middle), self.range(middle, range.end))
    }

    /// The box around the centres, doubled, of every so many primitives.
    #[inline(always)]
    fn centres(&self, range: &Range, stride: usize) -> Rows {
        let mut centres = Rows::EMPTY;
        for Item(item) in self.items[range.start..range.end].iter().step_by(stride) {
            centres.take(item.centre());
        }
        centres
    }

    /// The split in the middle of the widest axis.
    fn middle(&self, range: &Range) -> Option<Split> {
        let centres = self.centres(range, 1);
        let axis = centres.widest();
        Some(Split { axis, centre: centres.low[axis] * 0.5 + centres.high[axis] * 0.5 })
    }

    /// The split between two of so many bins with the least cost, if centres differ at all.
    fn cheapest<const BINS: usize>(&self, range: &Range) -> Option<Split> {
        let stride = (range.len() / SAMPLES).max(1);
        let centres = self.centres(range, stride);
        let axes = match range.len() {
            ..=SAMPLES => centres.widest()..centres.widest() + 1,
            _ => 0..3,
        };
        let mut best: Option<(f32, Split)> = None;
        for axis in axes {
            let grid = Grid::<BINS>::new(&centres, axis);
            let mut bins = [Bin::EMPTY; BINS];
            for Item(item) in self.items[range.start..range.end].iter().step_by(stride) {
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

    /// Both sides of a split, unless one of them is empty: Lomuto's partition, without branches on the side of an item, which
    /// a processor cannot predict.
    fn partition(&mut self, range: &Range, split: &Split) -> Option<(Range, Range)> {
        let items = &mut self.items[range.start..range.end];
        let mut first = 0;
        let (mut left, mut right) = (Rows::EMPTY, Rows::EMPTY);
        for at in 0..items.len() {
            let is_left = split.is_left(&items[at].0);
            let Item(item) = items[at];
            items[at] = items[first];
            items[first] = Item(item);
            left.join(&item.only_if(is_left));
            right.join(&item.only_if(!is_left));
            first += usize::from(is_left);
        }
        let middle = range.start + first;
        let left = Range { start: range.start, end: middle, bounds: left };
        let right = Range { start: middle, end: range.end, bounds: right };
        (left.len() > 0 && right.len() > 0).then_some((left, right))
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

/// A plane between two bins.
#[derive(Clone, Copy, Debug)]
struct Split {
    axis: usize,
    /// The least centre on the right, doubled.
    centre: f32,
}

impl Split {
    #[inline(always)]
    fn is_left(&self, item: &Rows) -> bool {
        item.low[self.axis] + item.high[self.axis] < self.centre
    }
}
