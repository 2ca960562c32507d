//! A bounding volume hierarchy that finds what the loop over all primitives finds, in less time.
//!
//! Nodes have eight children, whose boxes are tested together; leaves hold up to eight primitives. A tree may only
//! leave out what the loop would refuse, so everything that prunes is conservative against the rounding of the exact
//! tests:
//!
//! - An accepted hit deviates from the exact ray by at most 8u·R across it, where u = 2⁻²⁴ and R is the greatest
//!   |vertex − origin| on an axis, because every coordinate of the sheared triangle has an error of a few u·R. As
//!   R ≤ |box| + |origin|, boxes are enlarged by 16u·|box| at the build, and the origin of a ray is moved by
//!   16u·|origin| towards either side for free. The second half of both is what rays along an axis rely on.
//! - Distances to planes have a relative error of 3u, and are compared with a slack of 2⁻²¹.
//! - Numbers near the limits of f32, where relative errors are not bounded, are left to the loop.
//!
//! The shape of the tree is deterministic, and does not matter.

mod block;
mod bounds;
mod build;
mod cells;
mod descent;
mod find;
mod flat;
mod rows;
mod slab;
mod split;

pub(super) use block::Block;
pub(super) use bounds::{Bounds, are_finite};
pub(super) use build::Items;
pub(super) use find::{Closest, Find, gather};
pub(super) use flat::Flat;

use super::vector::LANES;

/// The factor of padding, 16u: twice the greatest deviation of a hit, over the greatest |coordinate|.
pub(super) const PAD: f32 = 1.0 / (1u32 << 20) as f32;

/// How many children a node has.
pub(super) const WIDTH: usize = LANES;
/// How many primitives a leaf has at the most. PERF: with four, rays take a tenth longer.
pub(super) const LEAF: usize = 8;

/// A tree with leaves of a kind: those over instances and boxes name what is in them, those over triangles hold it.
#[derive(Debug)]
pub(super) struct Tree<L> {
    nodes: Vec<Node>,
    pub(super) leaves: Vec<L>,
    /// `None` if there is nothing in the tree.
    root: Option<Child>,
    /// The greatest |coordinate| of what is bounded, before boxes were enlarged.
    pub(super) reach: f32,
}

/// Eight boxes and what is in them.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Node {
    /// By axis: the least coordinate of each child, then the greatest.
    planes: [[[f32; WIDTH]; 2]; 3],
    children: [Child; WIDTH],
}

/// A node or a leaf, by its index; of a leaf also the number of its primitives, which saves a look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Child(u32);

/// The primitives of a leaf, as they are counted in their level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leaf {
    primitives: [u32; LEAF],
    count: u32,
}

impl Child {
    const LEAF: u32 = 1 << 31;
    /// The place of the number of primitives, less one.
    const COUNT: u32 = 28;
    /// Beside an empty box, which no ray meets.
    const NONE: Child = Child(u32::MAX);

    fn node(at: usize) -> Child {
        Child(at as u32)
    }

    /// Invariant: memory ends before 2²⁸ leaves.
    fn leaf(at: usize, count: usize) -> Child {
        Child(at as u32 | (count as u32 - 1) << Child::COUNT | Child::LEAF)
    }

    /// The number of primitives in a leaf.
    fn count(self) -> u32 {
        (self.0 >> Child::COUNT & 7) + 1
    }

    fn is_leaf(self) -> bool {
        self.0 & Child::LEAF != 0
    }

    fn index(self) -> usize {
        match self.is_leaf() {
            true => (self.0 & ((1 << Child::COUNT) - 1)) as usize,
            false => self.0 as usize,
        }
    }
}

impl Leaf {
    pub(super) fn primitives(&self) -> &[u32] {
        &self.primitives[..self.count as usize]
    }
}

impl<L> Tree<L> {
    /// The box around everything, enlarged.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        let node = self.nodes.first()?;
        let mut all = Bounds::EMPTY;
        for child in 0..WIDTH {
            all.low = [0, 1, 2].map(|axis| all.low[axis].min(node.planes[axis][0][child]));
            all.high = [0, 1, 2].map(|axis| all.high[axis].max(node.planes[axis][1][child]));
        }
        Some(all)
    }
}
