//! The variables of outputs, and stores to them.
//!
//! Those of a mesh shader are arrays of vertices and primitives, those of a hull shader an array of control points,
//! beside patch constants.

use ir::stage::{Element, StageTraits, SystemValue, with_slots};
use ir::{Slot, Value};
use ops::Ty;
use ops::intrinsics::Stage;

use super::{Kind, Output, Per, Side, VIEWPORTS, named};
use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode as op;

/// One of the two lists of outputs that a mesh shader has.
#[derive(Clone, Copy)]
pub(crate) enum MeshList {
    Vertices,
    Primitives,
}

impl Output {
    /// A variable of one element.
    fn whole(variable: Id, kind: Kind, components: u32, per: Per) -> Output {
        Output { variable, kind, first: (components > 1).then_some(0), limit: None, per }
    }
}

/// The number of scalars of a system value.
fn scalars_of<'e>(system: SystemValue, elements: impl IntoIterator<Item = &'e Element>) -> u32 {
    let all = elements.into_iter().filter(|it| it.system == Some(system));
    all.map(|it| u32::from(it.components)).sum()
}

impl<'a> Emitter<'a> {
    /// The elements of all outputs, and what each of them belongs to.
    pub(super) fn output_lists(&self) -> Vec<(&'a [Element], Per)> {
        let of = |module: &'a ir::Module| module.io.as_ref().map_or(&[][..], |it| &it.outputs);
        if let Some(mesh) = self.ir.group.as_ref().and_then(|it| it.mesh.as_ref()) {
            return vec![
                (&mesh.vertices[..], Per::Vertex(mesh.most_vertices)),
                (&mesh.primitives[..], Per::Primitive(mesh.most_primitives)),
            ];
        }
        match self.ir.io.as_ref().map(|it| &it.traits) {
            // The streams without number 0 are run and dropped.
            Some(StageTraits::Geometry(traits)) => {
                let drawn = traits.streams.first().map_or(&[][..], |it| &it.elements);
                vec![(drawn, Per::Invocation)]
            }
            Some(StageTraits::Hull(traits)) => {
                let made = [Some(self.parts[0]), self.parts.get(1).copied()];
                let pers = [Per::Point(traits.made.max(1)), Per::Patch];
                made.into_iter().zip(pers).filter_map(|(it, per)| Some((of(it?), per))).collect()
            }
            _ => vec![(of(self.ir), Per::Invocation)],
        }
    }

    /// The number of the first patch constant or primitive output among all outputs.
    pub(super) fn first_of_second_list(&self) -> usize {
        self.output_lists().first().map_or(0, |it| it.0.len())
    }

    /// Declares the variables of all outputs.
    pub(super) fn outputs(&mut self) {
        self.point_sizes();
        let mut first = 0;
        for (elements, per) in self.output_lists() {
            self.declare_outputs(elements, first, per);
            first += elements.len();
        }
        if let Some(mesh) = self.points_of_group() {
            self.signature.culled = Some(self.culled(&mesh.primitives, mesh.most_primitives));
        }
    }

    /// Declares the size of points, which is 1. A device requires it from every stage that makes points.
    fn point_sizes(&mut self) {
        let stage = self.ir.stage;
        let single = self.out.float(32);
        if let Some(mesh) = self.points_of_group() {
            let per = Per::Vertex(mesh.most_vertices);
            self.signature.point_size = Some(self.built_in_output(op::POINT_SIZE, single, per));
        } else if self.environment.point_size
            && matches!(stage, Stage::Vertex | Stage::Domain | Stage::Geometry)
        {
            self.out.capabilities.extend(match stage {
                Stage::Domain => Some(op::CAP_TESSELLATION_POINT_SIZE),
                Stage::Geometry => Some(op::CAP_GEOMETRY_POINT_SIZE),
                _ => None,
            });
            let one = self.out.constant(Ty::F32, Ty::F32.float_bits(1.0));
            let variable = self.global_with(op::OUTPUT, single, Some(one));
            self.out.decorate(variable, op::BUILT_IN, &[op::POINT_SIZE]);
            self.signature.point_size = Some(variable);
        }
    }

    /// The truth values by which a mesh shader culls its primitives: those that it declares, or new ones.
    /// Returns whether it declares them, too.
    fn culled(&mut self, primitives: &[Element], most: u32) -> (Id, bool) {
        let is_it = |it: &Element| it.system == Some(SystemValue::CullPrimitive);
        let declared = primitives.iter().position(is_it).and_then(|it| {
            let number = self.first_of_second_list() + it;
            self.signature.outputs.get(&number)?.first().map(|it| it.variable)
        });
        match declared {
            Some(variable) => (variable, true),
            None => {
                let boolean = self.out.bool();
                (self.built_in_output(op::CULL_PRIMITIVE, boolean, Per::Primitive(most)), false)
            }
        }
    }

    /// A variable for an output of which there may be several.
    fn output_variable(&mut self, ty: Id, per: Per) -> Id {
        let variable = match per {
            Per::Invocation => {
                let initial = self.out.null(ty);
                self.global_with(op::OUTPUT, ty, Some(initial))
            }
            Per::Patch => self.global(op::OUTPUT, ty),
            Per::Point(count) | Per::Vertex(count) | Per::Primitive(count) => {
                let ty = self.out.array(ty, count.max(1));
                self.global(op::OUTPUT, ty)
            }
        };
        match per {
            Per::Patch => self.out.decorate(variable, op::PATCH, &[]),
            Per::Primitive(_) => self.out.decorate(variable, op::PER_PRIMITIVE, &[]),
            Per::Invocation | Per::Point(_) | Per::Vertex(_) => {}
        }
        variable
    }

    fn built_in_output(&mut self, number: u32, ty: Id, per: Per) -> Id {
        let variable = self.output_variable(ty, per);
        self.out.decorate(variable, op::BUILT_IN, &[number]);
        variable
    }

    fn declare_outputs(&mut self, elements: &[Element], first_number: usize, per: Per) {
        for (number, element) in (first_number..).zip(elements) {
            let built_in = self.system_output(elements, element, per);
            let mut variables: Vec<Output> = built_in.into_iter().collect();
            if let (Some(location), false) = (self.location(Side::Outputs, number), self.is_pixel())
            {
                let kind = Kind::of(element.scalar).between_stages();
                let components = element.components.into();
                let ty = self.vector_ty(kind, components);
                let variable = self.output_variable(ty, per);
                self.out.decorate(variable, op::LOCATION, &[location]);
                self.out.name(variable, &named(element));
                variables.push(Output::whole(variable, kind, components, per));
            }
            self.signature.outputs.insert(number, variables);
        }
    }

    /// The variable that the device reads a system value from.
    fn system_output(
        &mut self,
        elements: &[Element],
        element: &Element,
        per: Per,
    ) -> Option<Output> {
        let system = element.system?;
        let is_early = self.ir.io.as_ref().is_some_and(|it| it.pixel.early_depth);
        Some(match system {
            SystemValue::Position => {
                let ty = self.vector_ty(Kind::Float, 4);
                let variable = self.built_in_output(op::POSITION, ty, per);
                Output::whole(variable, Kind::Float, 4, per)
            }
            SystemValue::ClipDistance | SystemValue::CullDistance => {
                let (built_in, capability) = match system {
                    SystemValue::ClipDistance => (op::CLIP_DISTANCE, op::CAP_CLIP_DISTANCE),
                    _ => (op::CULL_DISTANCE, op::CAP_CULL_DISTANCE),
                };
                self.out.capabilities.insert(capability);
                let before = elements.iter().take_while(|it| !std::ptr::eq(*it, element));
                let (first, all) = (scalars_of(system, before), scalars_of(system, elements));
                self.shared_array(built_in, first, all, per)
            }
            SystemValue::TessFactor | SystemValue::InsideTessFactor => {
                let (built_in, length) = match system {
                    SystemValue::TessFactor => (op::TESS_LEVEL_OUTER, 4),
                    _ => (op::TESS_LEVEL_INNER, 2),
                };
                let before = elements.iter().filter(|it| it.index < element.index);
                self.shared_array(built_in, scalars_of(system, before), length, per)
            }
            SystemValue::RenderTargetArrayIndex => {
                let new = (op::CAP_SHADER_LAYER, op::CAP_GEOMETRY, op::LAYER);
                self.number_output(new, self.environment.layers, per)
            }
            SystemValue::ViewportArrayIndex => {
                let new =
                    (op::CAP_SHADER_VIEWPORT_INDEX, op::CAP_MULTI_VIEWPORT, op::VIEWPORT_INDEX);
                self.number_output(new, Some(VIEWPORTS), per)
            }
            SystemValue::PrimitiveId => {
                let uint = self.out.uint();
                let variable = self.built_in_output(op::PRIMITIVE_ID, uint, per);
                Output::whole(variable, Kind::Unsigned, 1, per)
            }
            SystemValue::CullPrimitive => {
                let boolean = self.out.bool();
                let variable = self.built_in_output(op::CULL_PRIMITIVE, boolean, per);
                Output::whole(variable, Kind::Bool, 1, per)
            }
            SystemValue::Target => self.target_output(element, per),
            // Early tests have used the interpolated depth.
            SystemValue::Depth
            | SystemValue::DepthGreaterEqual
            | SystemValue::DepthLessEqual
            | SystemValue::StencilRef
                if is_early =>
            {
                return None;
            }
            SystemValue::Depth => self.depth_output(op::MODE_DEPTH_REPLACING, per),
            SystemValue::DepthGreaterEqual => self.depth_output(op::MODE_DEPTH_GREATER, per),
            SystemValue::DepthLessEqual => self.depth_output(op::MODE_DEPTH_LESS, per),
            SystemValue::StencilRef => {
                self.out.capabilities.insert(op::CAP_STENCIL_EXPORT);
                self.out.extensions.insert("SPV_EXT_shader_stencil_export");
                let uint = self.out.uint();
                let variable = self.built_in_output(op::FRAG_STENCIL_REF, uint, per);
                self.signature.writes_stencil = true;
                Output::whole(variable, Kind::Unsigned, 1, per)
            }
            SystemValue::Coverage => {
                let uint = self.out.uint();
                let ty = self.out.array(uint, 1);
                let variable = self.built_in_output(op::SAMPLE_MASK, ty, per);
                Output { first: Some(0), ..Output::whole(variable, Kind::Unsigned, 1, per) }
            }
            _ => return None,
        })
    }

    /// The part from `first` on of an array of floats that all elements of a system value share.
    fn shared_array(&mut self, built_in: u32, first: u32, length: u32, per: Per) -> Output {
        let key = (built_in, per);
        let variable = match self.signature.shared_arrays.get(&key) {
            Some(variable) => *variable,
            None => {
                let single = self.out.float(32);
                let ty = self.out.array(single, length);
                let variable = self.built_in_output(built_in, ty, per);
                self.signature.shared_arrays.insert(key, variable);
                variable
            }
        };
        Output { first: Some(first), ..Output::whole(variable, Kind::Float, 1, per) }
    }

    fn target_output(&mut self, element: &Element, per: Per) -> Output {
        let kind = Kind::of(element.scalar);
        let ty = self.vector_ty(kind, 4);
        let variable = self.output_variable(ty, per);
        let (location, source) = match self.environment.dual_source {
            true => (0, element.index),
            false => (element.index, 0),
        };
        self.out.decorate(variable, op::LOCATION, &[location]);
        if self.environment.dual_source {
            self.out.decorate(variable, op::INDEX, &[source]);
        }
        self.out.name(variable, &named(element));
        Output::whole(variable, kind, 4, per)
    }

    fn depth_output(&mut self, mode: u32, per: Per) -> Output {
        let single = self.out.float(32);
        let variable = self.built_in_output(op::FRAG_DEPTH, single, per);
        self.signature.writes_depth = Some(mode);
        Output::whole(variable, Kind::Float, 1, per)
    }

    /// The index of a slice or viewport. Each stage has a different capability for it.
    fn number_output(
        &mut self,
        (of_vertices, of_geometry, built_in): (u32, u32, u32),
        most: Option<u32>,
        per: Per,
    ) -> Output {
        match self.ir.stage {
            Stage::Geometry => {
                self.out.capabilities.insert(of_geometry);
            }
            Stage::Mesh => {
                let is_viewport = built_in == op::VIEWPORT_INDEX;
                self.out.capabilities.extend(is_viewport.then_some(of_geometry));
            }
            _ if self.environment.vulkan.spirv() >= 0x0001_0500 => {
                self.out.capabilities.insert(of_vertices);
            }
            _ => {
                self.out.capabilities.insert(op::CAP_SHADER_VIEWPORT_INDEX_LAYER);
                self.out.extensions.insert("SPV_EXT_shader_viewport_index_layer");
            }
        }
        let uint = self.out.uint();
        let variable = self.built_in_output(built_in, uint, per);
        Output { variable, kind: Kind::Unsigned, first: None, limit: most, per }
    }

    pub(crate) fn stage_output(&mut self, slot: Slot, value: Value) {
        if let Some(StageTraits::Geometry(traits)) = self.ir.io.as_ref().map(|it| &it.traits) {
            return self.emitted(traits, slot, value);
        }
        let (number, element, component) = self.slot_element(Side::Outputs, slot);
        let scalar = element.scalar;
        let ty = self.ir.ty(value);
        let value = self.get(value);
        let is_constants = self.is_in_constants();
        let number = if is_constants { self.first_of_second_list() + number } else { number };
        let outputs = self.signature.outputs.get(&number).cloned().unwrap_or_default();
        let at = match outputs.first().map(|it| it.per) {
            Some(Per::Point(_)) => Some(self.input(op::INVOCATION_ID)),
            _ => None,
        };
        for output in outputs {
            let value = self.departed(output.kind, scalar, value, ty);
            self.put(output, at, component, value);
        }
    }

    /// Stores to an output, with the number of its vertex, primitive or control point.
    pub(crate) fn put(&mut self, output: Output, at: Option<Id>, component: u32, value: Id) {
        let mut value = value;
        if let Some(limit) = output.limit {
            let inside = self.below(value, None, limit);
            value = self.or_zero(inside, value);
        }
        let component = output.first.map(|first| self.out.word(first + component));
        let path: Vec<Id> = at.into_iter().chain(component).collect();
        let pointer = self.scalar_pointer(op::OUTPUT, output.kind, output.variable, &path);
        self.effect(op::STORE, &[pointer, value]);
    }

    /// Stores to a slot of the vertices or primitives of a mesh shader, at the number of one of them. All slots are
    /// written in one place, those of matrices column by column; an element is stored when its last component comes.
    pub(crate) fn store_mesh_slot(&mut self, list: MeshList, slot: u32, at: Id, value: Value) {
        let lists = self.output_lists();
        let [(vertices, _), (primitives, _)] = lists[..] else {
            unreachable!("a mesh shader has two lists of outputs")
        };
        let (list, before) = match list {
            MeshList::Vertices => (vertices, 0),
            MeshList::Primitives => (primitives, vertices.len()),
        };
        let found = with_slots(list).enumerate().find(|(_, (first, element))| {
            (first.0..first.0 + u32::from(element.components)).contains(&slot)
        });
        let Some((number, (first, element))) = found else {
            unreachable!("the record has a place for each slot")
        };
        let (number, component) = (before + number, slot - first.0);
        let Some(groups) = &mut self.groups else { return };
        groups.components.push((number, component, value));
        let of = |component: u32| {
            groups.components.iter().find(|it| (it.0, it.1) == (number, component)).map(|it| it.2)
        };
        let values = (0..element.components.into()).map(of).collect::<Option<Vec<Value>>>();
        let Some(values) = values else { return };
        groups.components.retain(|it| it.0 != number);
        for output in self.signature.outputs.get(&number).cloned().unwrap_or_default() {
            let values: Vec<Id> =
                values.iter().map(|it| self.mesh_scalar(output.kind, element, *it)).collect();
            self.put_all(output, at, &values);
        }
        if let (Some(SystemValue::Position), Some(sizes)) =
            (element.system, self.signature.point_size)
        {
            let one = self.out.constant(Ty::F32, Ty::F32.float_bits(1.0));
            let pointer = self.scalar_pointer(op::OUTPUT, Kind::Float, sizes, &[at]);
            self.effect(op::STORE, &[pointer, one]);
        }
    }

    /// Culls a point of a mesh shader whose vertex the group does not have. A value that the shader writes has been
    /// stored already.
    pub(crate) fn cull_point(&mut self, at: Id, outside: Id) {
        let Some((variable, is_declared)) = self.signature.culled else { return };
        let pointer = self.scalar_pointer(op::OUTPUT, Kind::Bool, variable, &[at]);
        self.guarded(is_declared.then_some(outside), |it| {
            it.effect(op::STORE, &[pointer, outside]);
            []
        });
    }

    /// A scalar of a mesh shader's output as the variable has it.
    fn mesh_scalar(&mut self, kind: Kind, element: &Element, value: Value) -> Id {
        let (ty, value) = (self.ir.ty(value), self.get(value));
        match (kind, ty) {
            (Kind::Bool, Ty::I32) => self.as_truth(value),
            (kind, _) => self.departed(kind, element.scalar, value, ty),
        }
    }

    /// Stores all components of an element: a vector as a whole, since llvmpipe loses components that are stored alone
    /// (Mesa 25.0.7).
    fn put_all(&mut self, output: Output, at: Id, values: &[Id]) {
        let is_vector = values.len() > 1
            && !self.signature.shared_arrays.values().any(|it| *it == output.variable);
        if !is_vector {
            for (component, value) in (0..).zip(values) {
                self.put(output, Some(at), component, *value);
            }
            return;
        }
        let ty = self.vector_ty(output.kind, values.len() as u32);
        let whole = self.op(op::COMPOSITE_CONSTRUCT, ty, values);
        let pointer_ty = self.out.pointer(op::OUTPUT, ty);
        let pointer = self.op(op::ACCESS_CHAIN, pointer_ty, &[output.variable, at]);
        self.effect(op::STORE, &[pointer, whole]);
    }
}
