//! What the groups of generated mesh and amplification shaders receive and output.

use crate::{Program, Ty};

/// The most children of a group of an amplification shader in x and y, and the most groups of a mesh shader without
/// one.
pub const MOST_CHILDREN: [u32; 2] = [2, 2];

/// A mesh shader, and the amplification shader that dispatches it, if there is one.
#[derive(Clone, Debug)]
pub struct Meshlets {
    pub amplification: Option<Program>,
    pub mesh: Program,
    /// The groups in x and y that the draw dispatches.
    pub grid: [u32; 2],
}

impl Meshlets {
    /// The shaders in the order of the draw.
    pub fn shaders(&self) -> impl Iterator<Item = &Program> {
        self.amplification.iter().chain([&self.mesh])
    }
}

/// A mesh or amplification shader.
#[derive(Clone, Debug)]
pub struct Groups {
    /// How many groups have a part of the log.
    pub most: u32,
    /// The words of the payload that a group receives or leaves; 0 if there is none.
    pub payload: u32,
    /// `None` for an amplification shader.
    pub mesh: Option<Mesh>,
    /// The outputs. The first one of a mesh shader is the position.
    pub fields: Vec<Field>,
}

/// The output arrays of a mesh shader.
#[derive(Clone, Copy, Debug)]
pub struct Mesh {
    /// The vertices of a primitive: 1 to 3.
    pub corners: u32,
    /// 1 if a group has primitives only where it has a vertex for them, which an index needs.
    pub least_vertices: u32,
    pub most_vertices: u32,
    pub most_primitives: u32,
}

/// An output of a group.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub array: Array,
    pub ty: Ty,
    pub owners: Owners,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    Vertices,
    Primitives,
    Indices,
    Payload,
}

/// Which thread may write an element of an output, so that two threads never write the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owners {
    /// The elements belong to the threads in turn, from the first element on.
    Ascending,
    /// The same from the last element on.
    Descending,
    /// A single statement writes it: lanes compact their elements behind the number of their wave's first thread.
    Compacted,
}

impl Mesh {
    /// How many counts of vertices there are.
    pub fn vertex_counts(&self) -> u32 {
        self.most_vertices + 1 - self.least_vertices
    }
}

impl Groups {
    /// The length of an output array.
    pub fn len(&self, array: Array) -> u32 {
        match (array, &self.mesh) {
            (Array::Payload, _) => self.payload,
            (_, None) => 0,
            (Array::Vertices, Some(mesh)) => mesh.most_vertices,
            (Array::Primitives | Array::Indices, Some(mesh)) => mesh.most_primitives,
        }
    }

    /// Which of the two counts bounds an output array; the payload is always whole.
    pub fn count(array: Array) -> Option<usize> {
        match array {
            Array::Vertices => Some(0),
            Array::Primitives | Array::Indices => Some(1),
            Array::Payload => None,
        }
    }

    /// The number of the group at a place, whose parent has that number.
    pub fn number(parent: u32, [x, y]: [u32; 2]) -> u32 {
        let [width, height] = MOST_CHILDREN;
        parent * width * height + y * width + x
    }
}
