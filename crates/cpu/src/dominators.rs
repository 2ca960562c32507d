//! The dominator tree of the blocks under construction: a block's parent is the last block that all ways to it lead
//! through.
//!
//! Each node also keeps a *jump*, an ancestor so much higher that the lowest common ancestor of two nodes is found in a
//! number of steps logarithmic in the tree's depth (a skew-binary jump pointer). A chain of early returns is as deep as
//! the program is long, and each of its blocks meets the exit.

use crate::machine::Block;

#[derive(Clone, Copy)]
struct Node {
    parent: Block,
    jump: Block,
    depth: u32,
}

/// Block 0 is the root.
#[derive(Default)]
pub(crate) struct Dominators {
    nodes: Vec<Option<Node>>,
}

impl Dominators {
    /// Makes room for the next block, which nothing reaches so far.
    pub(crate) fn push(&mut self) {
        self.nodes.push(None);
    }

    pub(crate) fn is_reached(&self, block: Block) -> bool {
        block.index() == 0 || self.nodes[block.index()].is_some()
    }

    /// The immediate dominator. The root has none, nor has a block that nothing reaches.
    pub(crate) fn parent(&self, block: Block) -> Option<Block> {
        self.nodes[block.index()].map(|it| it.parent)
    }

    pub(crate) fn set_parent(&mut self, block: Block, parent: Block) {
        let above = self.node(parent);
        let higher = self.node(above.jump);
        // Two jumps of one length above the parent become one of twice that length.
        let are_equal = above.depth - higher.depth == higher.depth - self.node(higher.jump).depth;
        let jump = if are_equal { higher.jump } else { parent };
        self.nodes[block.index()] = Some(Node { parent, jump, depth: above.depth + 1 });
    }

    /// The lowest common ancestor: the last block that all ways to either lead through.
    pub(crate) fn meet(&self, a: Block, b: Block) -> Block {
        let (mut low, mut high) = (a, b);
        if self.node(low).depth < self.node(high).depth {
            std::mem::swap(&mut low, &mut high);
        }
        let depth = self.node(high).depth;
        while self.node(low).depth > depth {
            let node = self.node(low);
            low = if self.node(node.jump).depth >= depth { node.jump } else { node.parent };
        }
        // At equal depths both jumps have equal lengths.
        while low != high {
            let (one, other) = (self.node(low), self.node(high));
            (low, high) = match one.jump == other.jump {
                true => (one.parent, other.parent),
                false => (one.jump, other.jump),
            };
        }
        low
    }

    /// The root is its own parent.
    fn node(&self, block: Block) -> Node {
        let root = Block::new(0);
        self.nodes[block.index()].unwrap_or(Node { parent: root, jump: root, depth: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: climb one step at a time.
    fn slow_meet(tree: &Dominators, mut a: Block, mut b: Block) -> Block {
        while a != b {
            let lower = if tree.node(a).depth < tree.node(b).depth { &mut b } else { &mut a };
            *lower = tree.parent(*lower).unwrap();
        }
        a
    }

    #[test]
    fn blocks_meet_where_climbing_step_by_step_meets() {
        // A chain, a tree that branches by halves, and one in which every third block hangs far up.
        let parents: [fn(usize) -> usize; 3] =
            [|it| it - 1, |it| it / 2, |it| if it % 3 == 0 { it / 5 } else { it - 1 }];
        for parent in parents {
            let mut tree = Dominators::default();
            for number in 0..300 {
                tree.push();
                if number > 0 {
                    tree.set_parent(Block::new(number), Block::new(parent(number)));
                }
            }
            for a in 0..300 {
                for b in (0..300).step_by(7) {
                    let [a, b] = [a, b].map(Block::new);
                    assert_eq!(tree.meet(a, b), slow_meet(&tree, a, b));
                }
            }
        }
    }
}
