//! Builds a tree by the surface area heuristic (Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies",
//! 2007): centroids are sorted into bins, and a range is split between two bins where the areas of the two halves,
//! weighted by their primitives, are least. A node splits its largest child until it has eight.

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
        let mut finite = true;
        for point in points {
            for (axis, value) in point.iter().enumerate() {
                all.low[axis] = less(*value, all.low[axis]);
                all.high[axis] = more(*value, all.high[axis]);
                finite &= value.is_finite();
            }
        }
        if finite { all } else { Bounds::ALL }
    }

    pub(in crate::ray) fn is_finite(&self) -> bool {
        self.low.iter().chain(&self.high).all(|it| it.is_finite())
    }

    /// The greatest |coordinate|.
    fn reach(&self) -> f32 {
        self.low.iter().chain(&self.high).fold(0.0, |most: f32, it| most.max(it.abs()))
    }

    #[inline(always)]
    fn join(&mut self, other: &Bounds) {
        for axis in 0..3 {
            self.low[axis] = less(other.low[axis], self.low[axis]);
            self.high[axis] = more(other.high[axis], self.high[axis]);
        }
    }

    /// Half of the surface.
    #[inline(always)]
    fn area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.high[axis] - self.low[axis]);
        x * y + y * z + z * x
    }

    fn enlarged(&self, by: f32) -> Bounds {
        Bounds {
            low: self.low.map(|it| (it - by).next_down()),
            high: self.high.map(|it| (it + by).next_up()),
        }
    }
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

/// A primitive while the tree is built.
#[derive(Clone, Copy, Debug)]
struct Item {
    bounds: Bounds,
    primitive: u32,
}

impl Item {
    /// Twice the centre, along an axis.
    #[inline(always)]
    fn centre(&self, axis: usize) -> f32 {
        self.bounds.low[axis] + self.bounds.high[axis]
    }
}

const BINS: usize = 16;
/// Below this depth, ranges are halved, so that the depth is bounded whatever the primitives are.
const DEEPEST: usize = 48;

/// A tree over the boxes of primitives. `pad` is the factor by which they are enlarged, times the greatest
/// |coordinate|. Primitives without a box are left out.
pub(in crate::ray) fn build(boxes: impl Iterator<Item = Option<Bounds>>, pad: f32) -> Tree {
    let mut items: Vec<Item> = boxes
        .enumerate()
        .filter_map(|(at, it)| it.map(|bounds| Item { bounds, primitive: at as u32 }))
        .collect();
    // What is unbounded comes first, in leaves of its own.
    items.sort_by_key(|it| it.bounds.is_finite());
    let unbounded = items.partition_point(|it| !it.bounds.is_finite());
    let reach = items[unbounded..].iter().fold(0.0, |most: f32, it| most.max(it.bounds.reach()));
    let mut builder = Builder { items, tree: Tree { reach, ..Tree::default() }, pad: pad * reach };
    let count = builder.items.len();
    if count > 0 {
        builder.tree.nodes.reserve(count / 12 + 1);
        builder.tree.leaves.reserve(count / 3 + 1);
        builder.tree.nodes.push(Node::EMPTY);
        let mut first: Vec<Range> = Vec::new();
        if unbounded > 0 {
            first.push(Range { start: 0, end: unbounded, bounds: Bounds::ALL });
        }
        if unbounded < count {
            first.push(builder.range(unbounded, count));
        }
        builder.node(0, first, 0);
        builder.tree.root = Some(Child::node(0));
    }
    builder.tree
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
    bounds: Bounds,
}

struct Builder {
    items: Vec<Item>,
    tree: Tree,
    pad: f32,
}

impl Builder {
    fn range(&self, start: usize, end: usize) -> Range {
        let mut bounds = Bounds::EMPTY;
        for item in &self.items[start..end] {
            bounds.join(&item.bounds);
        }
        Range { start, end, bounds }
    }

    /// Fills a node with the ranges, which it splits as long as there is room.
    fn node(&mut self, at: usize, mut ranges: Vec<Range>, depth: usize) {
        while ranges.len() < WIDTH {
            let mut largest: Option<(usize, f32)> = None;
            for (index, it) in ranges.iter().enumerate() {
                let area = it.bounds.area();
                let more = largest.is_none_or(|(_, most)| area > most);
                if it.end - it.start > LEAF && more {
                    largest = Some((index, area));
                }
            }
            let Some((index, _)) = largest else { break };
            let (left, right) = self.split(ranges[index], depth);
            ranges[index] = left;
            ranges.push(right);
        }
        for (lane, range) in ranges.into_iter().enumerate() {
            let child = if range.end - range.start <= LEAF {
                let mut leaf = Leaf { primitives: [0; LEAF], count: 0 };
                for item in &self.items[range.start..range.end] {
                    leaf.primitives[leaf.count as usize] = item.primitive;
                    leaf.count += 1;
                }
                self.tree.leaves.push(leaf);
                Child::leaf(self.tree.leaves.len() - 1, leaf.count as usize)
            } else {
                self.tree.nodes.push(Node::EMPTY);
                let inner = self.tree.nodes.len() - 1;
                self.node(inner, vec![range], depth + 1);
                Child::node(inner)
            };
            let node = &mut self.tree.nodes[at];
            node.children[lane] = child;
            let bounds = range.bounds.enlarged(self.pad);
            for axis in 0..3 {
                node.planes[axis][0][lane] = bounds.low[axis];
                node.planes[axis][1][lane] = bounds.high[axis];
            }
        }
    }

    /// Two parts of a range, neither of them empty.
    fn split(&mut self, range: Range, depth: usize) -> (Range, Range) {
        let found = if depth < DEEPEST { self.cheapest(&range) } else { None };
        let middle = match found {
            Some(split) => self.partition(&range, split),
            None => range.start + (range.end - range.start) / 2,
        };
        (self.range(range.start, middle), self.range(middle, range.end))
    }

    /// The split between two bins with the least cost, if centres differ at all.
    fn cheapest(&self, range: &Range) -> Option<Split> {
        let items = &self.items[range.start..range.end];
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for item in items {
            for axis in 0..3 {
                low[axis] = less(item.centre(axis), low[axis]);
                high[axis] = more(item.centre(axis), high[axis]);
            }
        }
        let scale = [0, 1, 2].map(|axis| {
            let scale = BINS as f32 * 0.999 / (high[axis] - low[axis]);
            if scale.is_finite() { scale } else { 0.0 }
        });
        let mut bins = [[(Bounds::EMPTY, 0u32); BINS]; 3];
        for item in items {
            for axis in 0..3 {
                let (bounds, count) =
                    &mut bins[axis][Split::bin(item.centre(axis), low[axis], scale[axis])];
                bounds.join(&item.bounds);
                *count += 1;
            }
        }
        let mut best: Option<(f32, Split)> = None;
        for axis in 0..3 {
            // The areas of what lies right of each border, weighted.
            let mut costs = [0.0; BINS];
            let (mut bounds, mut count) = (Bounds::EMPTY, 0);
            for bin in (1..BINS).rev() {
                let (more, of) = &bins[axis][bin];
                bounds.join(more);
                count += of;
                costs[bin] = cost(&bounds, count);
            }
            let (mut bounds, mut count) = (Bounds::EMPTY, 0);
            for bin in 1..BINS {
                let (more, of) = &bins[axis][bin - 1];
                bounds.join(more);
                count += of;
                let sum = cost(&bounds, count) + costs[bin];
                let is_proper = count > 0 && (count as usize) < items.len();
                if is_proper && best.as_ref().is_none_or(|(least, _)| sum < *least) {
                    best = Some((sum, Split { axis, low: low[axis], scale: scale[axis], bin }));
                }
            }
        }
        best.map(|it| it.1)
    }

    fn partition(&mut self, range: &Range, split: Split) -> usize {
        let items = &mut self.items[range.start..range.end];
        let (mut left, mut right) = (0, items.len());
        while left < right {
            if split.is_left(&items[left]) {
                left += 1;
            } else {
                right -= 1;
                items.swap(left, right);
            }
        }
        range.start + left
    }
}

/// The cost of testing primitives: the probability of meeting their box times the number of leaves.
fn cost(bounds: &Bounds, count: u32) -> f32 {
    if count == 0 { 0.0 } else { bounds.area() * count.div_ceil(4) as f32 }
}

/// A border between two bins.
#[derive(Clone, Copy, Debug)]
struct Split {
    axis: usize,
    low: f32,
    scale: f32,
    /// The first bin on the right.
    bin: usize,
}

impl Split {
    #[inline(always)]
    fn bin(centre: f32, low: f32, scale: f32) -> usize {
        (((centre - low) * scale) as usize).min(BINS - 1)
    }

    #[inline(always)]
    fn is_left(&self, item: &Item) -> bool {
        Split::bin(item.centre(self.axis), self.low, self.scale) < self.bin
    }
}
