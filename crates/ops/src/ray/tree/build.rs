//! Builds a tree, top down: ranges of primitives are split in two, and a node splits its largest child until it has
//! eight.

use super::bounds::Bounds;
use super::cells::Cells;
use super::rows::{Item, Rows};
use super::split::Split;
use super::{Child, LEAF, Leaf, Node, Tree, WIDTH};

/// Below this depth, ranges are halved, so that the depth is bounded for any primitives.
const DEEPEST: usize = 48;

/// The boxes of primitives, for a tree over them.
#[derive(Debug)]
pub(in crate::ray) struct Items {
    bounded: Vec<Item>,
    /// Primitives without a box, which are in separate leaves.
    unbounded: Vec<Item>,
    /// The number of primitives, whether they are in the tree or not.
    count: usize,
}

impl Items {
    pub(in crate::ray) fn with_capacity(count: usize) -> Items {
        let (bounded, unbounded) = (Vec::with_capacity(count), Vec::new());
        Items { bounded, unbounded, count: 0 }
    }

    /// Adds the next primitive. Those without a box are left out.
    #[inline(always)]
    pub(in crate::ray) fn push(&mut self, bounds: Option<Bounds>) {
        let at = self.count;
        self.count += 1;
        let Some(bounds) = bounds else { return };
        if bounds.is_finite() {
            self.bounded.push(Item::new(bounds, at));
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
        let Items { bounded: mut items, unbounded, .. } = self;
        let cells = Cells::divide(&mut items);
        let bounds = cells.bounds().unwrap_or_else(|| Rows::around(&items));
        let reach = bounds.reach();
        let bounded = items.len();
        items.extend(unbounded);
        let count = items.len();
        let tree = Tree { nodes: Vec::new(), leaves: Vec::new(), root: None, reach };
        // An eighth more than the padding, at least 2u · reach: the sums with it are rounded by less.
        let pad = pad * reach * 1.125 + f32::MIN_POSITIVE;
        let mut builder = Builder { items, cells, tree, fill, pad };
        if count > 0 {
            builder.tree.nodes.reserve(count / 20 + 1);
            builder.tree.leaves.reserve(count / 6 + 1);
            builder.tree.nodes.push(Node::EMPTY);
            let mut ranges = Vec::with_capacity(WIDTH);
            if bounded < count {
                ranges.push(builder.range(bounded, count));
            }
            if bounded > 0 {
                ranges.push(Range { start: 0, end: bounded, bounds, cell: Cells::ALL });
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
pub(super) struct Range {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) bounds: Rows,
    /// Which of the [`Cells`] it is, if it is one.
    pub(super) cell: usize,
}

impl Range {
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }
}

struct Builder<L, F> {
    items: Vec<Item>,
    cells: Cells,
    tree: Tree<L>,
    fill: F,
    pad: f32,
}

impl<L: Default, F: FnMut(usize, &Leaf, &mut L)> Builder<L, F> {
    fn range(&self, start: usize, end: usize) -> Range {
        Range { start, end, bounds: Rows::around(&self.items[start..end]), cell: Cells::NONE }
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
                node.planes[axis][0][lane] = low[axis] - self.pad;
                node.planes[axis][1][lane] = high[axis] + self.pad;
            }
        }
    }

    /// Two parts of a range, neither of them empty.
    fn split(&mut self, range: &Range, depth: usize) -> (Range, Range) {
        if let Some(parts) = self.cells.halves(range) {
            return parts;
        }
        let items = &mut self.items[range.start..range.end];
        let split = if depth < DEEPEST { Split::of(items) } else { None };
        let left = split.map_or(0, |it| it.partition(items));
        let is_proper = 0 < left && left < items.len();
        let middle = range.start + if is_proper { left } else { items.len() / 2 };
        (self.range(range.start, middle), self.range(middle, range.end))
    }
}
