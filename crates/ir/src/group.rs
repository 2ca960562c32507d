//! What a group of a mesh or amplification shader receives and leaves.
//!
//! Such a shader runs like a compute shader: its groups are those of a launch in x alone. A read-only buffer has a
//! *header* for each group, which says where the group is in its dispatch and where its payload lies; a writable
//! buffer has a *record* for each group, which the code fills before the group ends. Both are the last resources of
//! the module, in this order. Engines know nothing of all this: it is for those who launch the shader and read the
//! records.
//!
//! Deliberately absent: what happens to the records, which a draw decides.

use crate::stage::{Element, slot_count};
use crate::{Module, Resource};

/// The number of buffers of a mesh or amplification shader, which are the last resources of its module.
pub const BUFFERS: usize = 2;
/// Their names, which no identifier of a source can be.
pub const HEADERS: &str = "$groups";
pub const RECORDS: &str = "$records";
/// The bytes of a header: the group in x, y and z, and the offset of its payload in the buffer of headers.
pub const HEADER_BYTES: u32 = 16;
/// Where the payload begins in a record of an amplification shader, after the counts in x, y and z.
pub const PAYLOAD_AT: u32 = 16;

/// What a group leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupIo {
    /// The bytes of the payload that it receives (mesh) or leaves (amplification); 0 without one.
    pub payload: u32,
    /// The output of a mesh shader.
    pub mesh: Option<MeshIo>,
}

/// The output arrays of a mesh shader.
///
/// The words of a record are: the counts of vertices and of primitives as the shader set them; the indices,
/// primitive by primitive; then for each slot of the vertices a word for each vertex, and for each slot of the
/// primitives a word for each primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeshIo {
    /// The indices of a primitive: 1 to 3.
    pub corners: u8,
    /// The lengths of the arrays.
    pub most_vertices: u32,
    pub most_primitives: u32,
    pub vertices: Vec<Element>,
    pub primitives: Vec<Element>,
}

impl Module {
    /// The resources that a host binds: all but the buffers of the groups.
    pub fn bindable(&self) -> &[Resource] {
        let own = if self.group.is_some() { BUFFERS } else { 0 };
        &self.resources[..self.resources.len() - own]
    }
}

impl GroupIo {
    /// The bytes of a record.
    pub fn record_bytes(&self) -> u32 {
        match &self.mesh {
            Some(mesh) => 4 * mesh.words(),
            None => PAYLOAD_AT + self.payload.next_multiple_of(4),
        }
    }
}

impl MeshIo {
    /// The word of a record at which the indices begin.
    pub const INDICES: u32 = 2;

    /// The word at which a slot of the vertices begins.
    pub fn vertex_slot(&self, slot: u32) -> u32 {
        MeshIo::INDICES + u32::from(self.corners) * self.most_primitives + slot * self.most_vertices
    }

    /// The word at which a slot of the primitives begins.
    pub fn primitive_slot(&self, slot: u32) -> u32 {
        self.vertex_slot(slot_count(&self.vertices)) + slot * self.most_primitives
    }

    /// The words of a record.
    pub fn words(&self) -> u32 {
        self.primitive_slot(slot_count(&self.primitives))
    }
}
