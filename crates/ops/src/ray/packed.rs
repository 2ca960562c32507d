//! A scene as words of memory: what a shader reads that searches by itself, without acceleration structures of a
//! device.
//!
//! Trees are flattened in depth-first order, and each node says where to go on if a ray passes its box by (Smits,
//! "Efficiency Issues for Ray Tracing", 1998), so that a search needs no stack. Their boxes are those of the trees
//! here, so that they prune no more.
//!
//! All numbers are little-endian words of 32 bits, and places are counted in words. `docs/rays.md` has the tables.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::IDENTITY;
use super::bottom::{Bottom, Primitives};
use super::scene::Scene;
use super::tree::{self, Block, Flat, Leaf};

/// The words of the header.
pub mod header {
    /// How many instances there are.
    pub const INSTANCES: u32 = 0;
    /// The first node of the tree over the instances, and the end of its nodes.
    pub const NODES: u32 = 1;
    pub const NODES_END: u32 = 2;
    /// The first item of that tree: the indices of instances.
    pub const ITEMS: u32 = 3;
    /// The greatest |coordinate| in that tree, and the factor by which the origin of a ray moves.
    pub const REACH: u32 = 4;
    pub const PAD: u32 = 5;
    /// 1 if there are boxes.
    pub const HAS_BOXES: u32 = 6;
    pub const WORDS: u32 = 8;
}

/// The words of an instance; instances follow the header.
pub mod instance {
    /// Two matrices of twelve words.
    pub const OBJECT_TO_WORLD: u32 = 0;
    pub const WORLD_TO_OBJECT: u32 = 12;
    pub const ID: u32 = 24;
    pub const CONTRIBUTION: u32 = 25;
    /// 0 for an instance that cannot be hit.
    pub const MASK: u32 = 26;
    pub const FLAGS: u32 = 27;
    /// 1 for boxes.
    pub const PROCEDURAL: u32 = 28;
    /// 1 if shaders may read the positions of vertices.
    pub const DATA_ACCESS: u32 = 29;
    /// The tree of its bottom level, its primitives, and its greatest |coordinate|.
    pub const NODES: u32 = 30;
    pub const NODES_END: u32 = 31;
    pub const PRIMITIVES: u32 = 32;
    pub const REACH: u32 = 33;
    pub const WORDS: u32 = 36;
}

/// The words of a node.
pub mod node {
    /// The least x, y and z, then the greatest.
    pub const LOW: u32 = 0;
    pub const HIGH: u32 = 3;
    /// The node after everything that is inside this one.
    pub const SKIP: u32 = 6;
    /// The items of a leaf: the first in the low 28 bits, and their number above. 0 for a node with others inside.
    pub const ITEMS: u32 = 7;
    pub const WORDS: u32 = 8;
    /// The bits of the first item.
    pub const FIRST_BITS: u32 = 28;
}

/// The words of a primitive. Those of a leaf follow each other.
pub mod primitive {
    /// Three vertices, or two corners.
    pub const NUMBERS: u32 = 0;
    pub const GEOMETRY: u32 = 9;
    pub const INDEX: u32 = 10;
    /// Of its geometry.
    pub const FLAGS: u32 = 11;
    pub const WORDS: u32 = 12;
}

/// The factor of padding in a bottom level, times the greatest |coordinate| of a ray's origin.
pub const PAD: f32 = tree::PAD;

/// The most words, so that a byte has an address of 32 bits.
const MOST_WORDS: usize = 1 << 30;

/// Where a bottom level is.
#[derive(Clone, Copy)]
struct Placed {
    nodes: u32,
    nodes_end: u32,
    primitives: u32,
}

impl Scene {
    /// The scene as bytes, or `None` if there are more than 4 GiB of them.
    pub fn packed(&self) -> Option<Vec<u8>> {
        let first = (header::WORDS + instance::WORDS * self.instances.len() as u32) as usize;
        let mut words = vec![0u32; first];
        let mut bottoms: HashMap<*const Bottom, Placed> = HashMap::new();
        for (at, placed) in self.instances.iter().enumerate() {
            let given = &placed.given;
            let record = (header::WORDS + instance::WORDS * at as u32) as usize;
            let mut put = |field: u32, value: u32| words[record + field as usize] = value;
            let inverse = placed.world_to_object.unwrap_or(IDENTITY);
            for row in 0..12 {
                put(instance::OBJECT_TO_WORLD + row, given.transform[row as usize].to_bits());
                put(instance::WORLD_TO_OBJECT + row, inverse[row as usize].to_bits());
            }
            put(instance::ID, given.id);
            put(instance::CONTRIBUTION, given.contribution);
            put(instance::FLAGS, u32::from(given.flags));
            let (Some(bottom), true) = (&given.bottom, placed.world_to_object.is_some()) else {
                continue;
            };
            put(instance::MASK, u32::from(given.mask));
            put(instance::PROCEDURAL, u32::from(bottom.is_procedural()));
            put(instance::DATA_ACCESS, u32::from(bottom.data_access()));
            put(instance::REACH, bottom.reach().to_bits());
            let found = match bottoms.entry(Arc::as_ptr(bottom)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(pack_bottom(&mut words, bottom)?),
            };
            words[record + instance::NODES as usize] = found.nodes;
            words[record + instance::NODES_END as usize] = found.nodes_end;
            words[record + instance::PRIMITIVES as usize] = found.primitives;
        }
        let (nodes, items) = match &self.tree {
            Some(tree) => tree.flatten(Leaf::primitives),
            // A leaf around everything. With a reach of 0, nothing is left out.
            None => {
                let all: Vec<u32> = (0..self.instances.len() as u32).collect();
                let leaf = Flat::around_all(all.len() as u32);
                (if all.is_empty() { Vec::new() } else { vec![leaf] }, all)
            }
        };
        let (start, end) = put_nodes(&mut words, &nodes);
        let at = words.len() as u32;
        words.extend(items);
        let reach = self.tree.as_ref().map_or(0.0, |it| it.reach);
        for (field, value) in [
            (header::INSTANCES, self.instances.len() as u32),
            (header::NODES, start),
            (header::NODES_END, end),
            (header::ITEMS, at),
            (header::REACH, reach.to_bits()),
            (header::PAD, self.pad.to_bits()),
            (header::HAS_BOXES, u32::from(self.has_boxes)),
        ] {
            words[field as usize] = value;
        }
        (words.len() <= MOST_WORDS).then(|| words.iter().flat_map(|it| it.to_le_bytes()).collect())
    }
}

/// Appends nodes, and returns where they are.
fn put_nodes(words: &mut Vec<u32>, nodes: &[Flat]) -> (u32, u32) {
    let start = words.len() as u32;
    for node in nodes {
        words.extend(node.low.iter().chain(&node.high).map(|it| it.to_bits()));
        words.push(start + node.skip * node::WORDS);
        words.push(node.first | node.count << node::FIRST_BITS);
    }
    (start, words.len() as u32)
}

fn pack_bottom(words: &mut Vec<u32>, bottom: &Bottom) -> Option<Placed> {
    let (flat, items) = match &bottom.primitives {
        Primitives::Triangles(all) => all.tree.flatten(Block::primitives),
        Primitives::Boxes(all) => all.tree.flatten(Leaf::primitives),
    };
    let size = flat.len() * node::WORDS as usize + items.len() * primitive::WORDS as usize;
    if items.len() >= 1 << node::FIRST_BITS || words.len() + size > MOST_WORDS {
        return None;
    }
    words.reserve(size);
    let (nodes, nodes_end) = put_nodes(words, &flat);
    let primitives = words.len() as u32;
    for item in items {
        let first = words.len();
        match &bottom.primitives {
            Primitives::Triangles(triangles) => {
                words.extend(triangles.get(item).as_flattened().iter().map(|it| it.to_bits()));
            }
            Primitives::Boxes(boxes) => {
                let corners = &boxes.all[item as usize];
                words.extend(corners.as_flattened().iter().map(|it| it.to_bits()));
            }
        }
        words.resize(first + primitive::GEOMETRY as usize, 0);
        let named = bottom.primitive(item);
        words.extend([named.geometry, named.index, named.flags]);
    }
    Some(Placed { nodes, nodes_end, primitives })
}
