//! A tree as a list of nodes in depth-first order, for searches that have no stack.

use super::{Bounds, Child, Tree, WIDTH};

/// A node: the box of a child.
#[derive(Clone, Copy, Debug)]
pub(in crate::ray) struct Flat {
    pub(in crate::ray) low: [f32; 3],
    pub(in crate::ray) high: [f32; 3],
    /// The node after everything that is inside this one.
    pub(in crate::ray) skip: u32,
    /// The items of a leaf; none for other nodes.
    pub(in crate::ray) first: u32,
    pub(in crate::ray) count: u32,
}

impl Flat {
    /// A leaf that no ray passes by.
    pub(in crate::ray) fn around_all(count: u32) -> Flat {
        let Bounds { low, high } = Bounds::ALL;
        Flat { low, high, skip: 1, first: 0, count }
    }
}

impl<L> Tree<L> {
    /// The nodes, and the primitives of their leaves, which a leaf has at the start of a list.
    pub(in crate::ray) fn flatten(
        &self,
        primitives: impl Fn(&L) -> &[u32],
    ) -> (Vec<Flat>, Vec<u32>) {
        let (mut nodes, mut items): (Vec<Flat>, Vec<u32>) = (Vec::new(), Vec::new());
        // Iterative: how deep a tree is depends on its input. An entry is a child with its box, or the end of a node.
        enum Entry {
            Child(Child, [[f32; 3]; 2]),
            End(usize),
        }
        let mut open: Vec<Entry> = Vec::new();
        let children = |at: usize, open: &mut Vec<Entry>| {
            let node = &self.nodes[at];
            for lane in (0..WIDTH).rev().filter(|it| node.children[*it] != Child::NONE) {
                let corners =
                    [0, 1].map(|side| [0, 1, 2].map(|axis| node.planes[axis][side][lane]));
                open.push(Entry::Child(node.children[lane], corners));
            }
        };
        // Invariant: the root is a node.
        if let Some(root) = self.root {
            children(root.index(), &mut open);
        }
        while let Some(entry) = open.pop() {
            match entry {
                Entry::End(at) => nodes[at].skip = nodes.len() as u32,
                Entry::Child(child, [low, high]) => {
                    let at = nodes.len();
                    let (first, skip) = (items.len() as u32, at as u32 + 1);
                    if child.is_leaf() {
                        let count = child.count();
                        let leaf = primitives(&self.leaves[child.index()]);
                        items.extend(&leaf[..count as usize]);
                        nodes.push(Flat { low, high, skip, first, count });
                    } else {
                        nodes.push(Flat { low, high, skip, first: 0, count: 0 });
                        open.push(Entry::End(at));
                        children(child.index(), &mut open);
                    }
                }
            }
        }
        (nodes, items)
    }
}
