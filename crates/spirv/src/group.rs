//! Mesh and amplification shaders: the arrays that `native.rs` has put in place of headers and records.
//!
//! | array | SPIR-V |
//! |---|---|
//! | the payload | a variable of words that the group shares with those it dispatches |
//! | the counts | `SetMeshOutputs`, in front of the branch in which one lane sets them: all must call it |
//! | indices | a vector for each primitive, stored with its last corner |
//! | slots | the outputs of vertices and primitives, an element stored when all its components are there |
//!
//! A count above the declared maximum is lowered to it. A primitive that refers to no vertex of the group becomes a
//! degenerate one, which covers nothing: all of its corners are the first vertex, which a group without vertices gets
//! for that. Such a point is culled.

use ir::group::{GroupIo, MeshIo};
use ir::{Op, Region, Value};
use ops::intrinsics::Stage;
use ops::{Barrier, MemoryScope, Named, SyncScope, Ty};

use crate::CannotEmit;
use crate::emit::Emitter;
use crate::module::Id;
use crate::native::{Part, Parts};
use crate::opcode as op;
use crate::stage::MeshList;

/// The state of a mesh or amplification shader.
pub(crate) struct Groups {
    pub(crate) io: GroupIo,
    pub(crate) parts: Parts,
    payload: Option<Id>,
    indices: Option<Id>,
    /// How many vertices the group has.
    vertices: Option<Id>,
    /// The corners of the primitive that is being stored.
    corners: Vec<Id>,
    /// The components so far of incomplete elements: the number of the element, the component, its value.
    pub(crate) components: Vec<(usize, u32, Value)>,
}

impl Groups {
    pub(crate) fn new(io: GroupIo, parts: Parts) -> Groups {
        let (corners, components) = (Vec::new(), Vec::new());
        Groups { io, parts, payload: None, indices: None, vertices: None, corners, components }
    }
}

impl<'a> Emitter<'a> {
    /// Declares what such a shader has in addition to its outputs.
    pub(crate) fn group_variables(&mut self) -> Result<(), CannotEmit> {
        let Some(groups) = &self.groups else { return Ok(()) };
        let (words, mesh) = (groups.io.payload.div_ceil(4), groups.io.mesh.clone());
        if self.environment.vulkan.spirv() < 0x0001_0400 {
            let asked = format!("a {} shader", self.ir.stage.name());
            return self.unsupported("mesh shaders before Vulkan 1.2", asked, None);
        }
        self.out.capabilities.insert(op::CAP_MESH_SHADING);
        self.out.extensions.insert("SPV_EXT_mesh_shader");
        let uint = self.out.uint();
        let payload = (words > 0).then(|| {
            let ty = self.out.array(uint, words);
            let variable = self.global(op::TASK_PAYLOAD, ty);
            self.out.name(variable, "payload");
            variable
        });
        let indices = mesh.map(|mesh| {
            let corners = u32::from(mesh.corners);
            let ty = if corners == 1 { uint } else { self.out.vector(uint, corners) };
            let ty = self.out.array(ty, mesh.most_primitives.max(1));
            let variable = self.global(op::OUTPUT, ty);
            let built_in = match corners {
                1 => op::PRIMITIVE_POINT_INDICES,
                2 => op::PRIMITIVE_LINE_INDICES,
                _ => op::PRIMITIVE_TRIANGLE_INDICES,
            };
            self.out.decorate(variable, op::BUILT_IN, &[built_in]);
            variable
        });
        if let Some(groups) = &mut self.groups {
            (groups.payload, groups.indices) = (payload, indices);
        }
        Ok(())
    }

    /// What a groupshared array represents.
    pub(crate) fn part(&self, memory: u32) -> Option<Part> {
        self.groups.as_ref()?.parts.part(memory)
    }

    /// The variable of the payload.
    pub(crate) fn payload(&self) -> Option<Id> {
        self.groups.as_ref()?.payload
    }

    /// The outputs of a mesh shader that makes points.
    pub(crate) fn points_of_group(&self) -> Option<&'a MeshIo> {
        self.ir.group.as_ref()?.mesh.as_ref().filter(|it| it.corners == 1)
    }

    /// Sets the counts in front of a branch that does so in the IR.
    pub(crate) fn mesh_counts(&mut self, then: Region) {
        let Some(mesh) = self.groups.as_ref().and_then(|it| it.io.mesh.clone()) else { return };
        let ir = self.ir;
        let set = ir.region(then).insts.iter().filter_map(|it| match ir.inst(*it).op {
            Op::SharedStore { memory, value, .. } if self.part(memory.0) == Some(Part::Counts) => {
                Some(value)
            }
            _ => None,
        });
        let set: Vec<Value> = set.collect();
        let [vertices, primitives] = set[..] else { return };
        let uint = self.out.uint();
        let counts = [(vertices, mesh.most_vertices), (primitives, mesh.most_primitives)];
        let [vertices, primitives] = counts.map(|(count, most)| {
            let (count, most) = (self.get(count), self.out.word(most));
            self.glsl(op::GLSL_U_MIN, uint, &[count, most])
        });
        let one = self.out.word(1);
        let at_least_one = self.glsl(op::GLSL_U_MAX, uint, &[vertices, one]);
        self.effect(op::SET_MESH_OUTPUTS, &[at_least_one, primitives]);
        if let Some(groups) = &mut self.groups {
            groups.vertices = Some(vertices);
        }
    }

    /// A store to an array that does not represent memory.
    pub(crate) fn store_part(&mut self, part: Part, index: Value, value: Value) {
        let at = self.get(index);
        match part {
            Part::Payload | Part::Counts => {}
            Part::Vertex(slot) => self.store_mesh_slot(MeshList::Vertices, slot, at, value),
            Part::Primitive(slot) => self.store_mesh_slot(MeshList::Primitives, slot, at, value),
            Part::Index(corner) => self.store_corner(corner, at, value),
        }
    }

    fn store_corner(&mut self, corner: u32, at: Id, value: Value) {
        let index = self.get(value);
        let Some(groups) = &mut self.groups else { return };
        let corners = groups.io.mesh.as_ref().map_or(3, |it| u32::from(it.corners));
        if corner == 0 {
            groups.corners.clear();
        }
        groups.corners.push(index);
        if corner + 1 < corners {
            return;
        }
        let indices = std::mem::take(&mut groups.corners);
        let (Some(variable), vertices) = (groups.indices, groups.vertices) else { return };
        let mut all_inside: Option<Id> = None;
        if let Some(vertices) = vertices {
            for index in &indices {
                let inside = self.test(op::U_LESS_THAN, *index, vertices);
                all_inside = self.both(all_inside, Some(inside));
            }
        }
        if let (1, Some(inside)) = (corners, all_inside) {
            let outside = self.typed(op::LOGICAL_NOT, Ty::Bool, &[inside]);
            self.cull_point(at, outside);
        }
        let indices: Vec<Id> =
            indices.into_iter().map(|it| self.value_or_zero(Ty::I32, all_inside, it)).collect();
        let uint = self.out.uint();
        let (ty, whole) = match indices[..] {
            [index] => (uint, index),
            _ => {
                let ty = self.out.vector(uint, corners);
                (ty, self.op(op::COMPOSITE_CONSTRUCT, ty, &indices))
            }
        };
        let pointer_ty = self.out.pointer(op::OUTPUT, ty);
        let pointer = self.op(op::ACCESS_CHAIN, pointer_ty, &[variable, at]);
        self.effect(op::STORE, &[pointer, whole]);
    }

    /// Ends an amplification shader, which dispatches its children. Returns whether it is one.
    pub(crate) fn end_amplification(&mut self) -> bool {
        let dispatched = self.groups.as_ref().and_then(|it| it.parts.dispatched);
        let (Some(memory), Stage::Amplification) = (dispatched, self.ir.stage) else {
            return false;
        };
        self.barrier(Barrier { memory: MemoryScope::Group, sync: SyncScope::Group });
        let variable = self.arrays[&(true, memory.0)];
        let uint = self.out.uint();
        let pointer_ty = self.out.pointer(op::WORKGROUP, uint);
        let counts = [0, 1, 2].map(|axis| {
            let axis = self.out.word(axis);
            let pointer = self.op(op::ACCESS_CHAIN, pointer_ty, &[variable, axis]);
            self.op(op::LOAD, uint, &[pointer])
        });
        let operands: Vec<Id> = counts.into_iter().chain(self.payload()).collect();
        self.effect(op::EMIT_MESH_TASKS, &operands);
        true
    }

    /// The execution modes of a mesh shader.
    pub(crate) fn group_modes(&self) -> Vec<Vec<u32>> {
        let mesh = self.groups.as_ref().and_then(|it| it.io.mesh.as_ref());
        let Some(mesh) = mesh else { return Vec::new() };
        let primitive = match mesh.corners {
            1 => op::MODE_OUTPUT_POINTS,
            2 => op::MODE_OUTPUT_LINES,
            _ => op::MODE_OUTPUT_TRIANGLES,
        };
        vec![
            vec![op::MODE_OUTPUT_VERTICES, mesh.most_vertices.max(1)],
            vec![op::MODE_OUTPUT_PRIMITIVES, mesh.most_primitives.max(1)],
            vec![primitive],
        ]
    }
}
