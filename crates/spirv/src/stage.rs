//! Inputs and outputs of shaders that draw, and helper invocations. `stage/outputs.rs` has the outputs,
//! `stage/between.rs` what is specific to the stages between the vertex shader and the rasterizer.
//!
//! | IR | SPIR-V |
//! |---|---|
//! | an element of the signature | a variable with a location, of 32-bit scalars: 16-bit values are converted here |
//! | `SV_VertexID`, `SV_InstanceID` | the index without its base: Vulkan's includes it |
//! | `SV_Position` of pixels | `FragCoord`, whose w is the reciprocal of HLSL's |
//! | indices of slices and viewports | the built-in, and a location if the pixel shader reads what was written |
//! | clip and cull distances | one array each, in the order of the elements |
//! | `discard` | demotion to a helper invocation |
//!
//! Outputs start as zero, so that components that are not written are. A target's variable has four components.
//!
//! Helper invocations take part in all instructions: `legalize` has rewritten wave operations. Their stores and atomic
//! operations have no effect in Vulkan; what an atomic operation returns to them is replaced by zero here.
//!
//! Accesses to rasterizer-ordered views are ordered by one critical section around the whole shader.
//!
//! Not expressed: `SV_InnerCoverage`.

mod between;
mod outputs;

pub(crate) use outputs::MeshList;

use std::collections::BTreeMap;

use ir::stage::{
    Element, EvalPlace, InterpolationMode, InterpolationPlace, StageTraits, SystemValue,
    element_of, with_slots,
};
use ir::{HostScalar, Inst, Op, Slot, Value};
use ops::intrinsics::Stage;
use ops::{Sign, Ty};

use crate::CannotEmit;
use crate::emit::Emitter;
use crate::environment::{Extension, Locations};
use crate::module::{Id, push};
use crate::opcode as op;

/// The most viewports.
const VIEWPORTS: u32 = 16;

/// The variables of the signature.
#[derive(Default)]
pub(crate) struct Signature {
    /// By element.
    inputs: BTreeMap<usize, Input>,
    outputs: BTreeMap<usize, Vec<Output>>,
    /// Elements that are read at single vertices.
    per_vertex: Vec<bool>,
    /// The arrays of distances and tessellation factors, by their built-ins.
    shared_arrays: BTreeMap<(u32, Per), Id>,
    /// The inputs of stages between, which belong to vertices or patches.
    arrays: BTreeMap<between::Key, Id>,
    /// The place in the domain.
    place: Option<Id>,
    /// The word that says which stream the vertex belongs to that a geometry shader is emitting.
    control: Option<Id>,
    /// The size of points.
    point_size: Option<Id>,
    /// The output by which points of a mesh shader are culled, and whether the shader declares it.
    culled: Option<(Id, bool)>,
    /// Bits of execution modes that follow from the outputs.
    pub(crate) writes_depth: Option<u32>,
    pub(crate) writes_stencil: bool,
}

#[derive(Clone, Copy)]
struct Input {
    variable: Id,
    kind: Kind,
    components: u32,
    /// What was loaded before everything else; of an array the first element.
    loaded: Id,
}

/// A variable that an element is written to.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    variable: Id,
    kind: Kind,
    /// The index of the element's first component, in a vector or an array; `None` for a scalar.
    first: Option<u32>,
    /// Values from this index on, which a device does not define, are replaced by 0.
    limit: Option<u32>,
    per: Per,
}

/// What each output belongs to, with the number of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Per {
    Invocation,
    /// A control point that a hull shader makes.
    Point(u32),
    Patch,
    /// A vertex or primitive of a mesh shader.
    Vertex(u32),
    Primitive(u32),
}

/// The scalars of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Unsigned,
    Signed,
    Bool,
}

impl Kind {
    fn of(scalar: HostScalar) -> Kind {
        match scalar {
            HostScalar::F16 | HostScalar::F32 | HostScalar::F64 => Kind::Float,
            HostScalar::I16 | HostScalar::I32 | HostScalar::I64 => Kind::Signed,
            HostScalar::Bool | HostScalar::U16 | HostScalar::U32 | HostScalar::U64 => {
                Kind::Unsigned
            }
        }
    }

    /// Between stages, integers are words: one stage may declare them signed, the other unsigned.
    fn between_stages(self) -> Kind {
        if self == Kind::Signed { Kind::Unsigned } else { self }
    }
}

/// One of the two lists of elements that a stage has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Inputs,
    Outputs,
}

impl Emitter<'_> {
    fn signature_elements(&self, side: Side) -> &[Element] {
        match (&self.ir.io, side) {
            (Some(io), Side::Inputs) => &io.inputs,
            (Some(io), Side::Outputs) => &io.outputs,
            (None, _) => &[],
        }
    }

    /// The element to which a slot belongs: its number, and the component.
    fn slot_element(&self, side: Side, slot: Slot) -> (usize, Element, u32) {
        let number = self.element_number(side, slot);
        let Some((element, component)) = element_of(self.signature_elements(side), slot) else {
            unreachable!("the slot has an element")
        };
        (number, element.clone(), component.into())
    }

    /// A pointer to a scalar of a variable; an empty path means the variable.
    fn scalar_pointer(&mut self, storage: u32, kind: Kind, variable: Id, path: &[Id]) -> Id {
        if path.is_empty() {
            return variable;
        }
        let scalar = self.kind_ty(kind);
        let pointer_ty = self.out.pointer(storage, scalar);
        let path: Vec<Id> = std::iter::once(variable).chain(path.iter().copied()).collect();
        self.op(op::ACCESS_CHAIN, pointer_ty, &path)
    }

    fn kind_ty(&mut self, kind: Kind) -> Id {
        match kind {
            Kind::Float => self.out.float(32),
            Kind::Unsigned => self.out.uint(),
            Kind::Signed => self.out.made_type(op::TYPE_INT, &[32, 1]),
            Kind::Bool => self.out.bool(),
        }
    }

    fn vector_ty(&mut self, kind: Kind, components: u32) -> Id {
        let scalar = self.kind_ty(kind);
        if components == 1 { scalar } else { self.out.vector(scalar, components) }
    }

    pub(crate) fn is_pixel(&self) -> bool {
        self.ir.stage == Stage::Pixel
    }

    /// Whether pixels run in the order of primitives where they access the same memory.
    pub(crate) fn orders_pixels(&self) -> bool {
        self.ir.io.as_ref().is_some_and(|it| it.pixel.orders_pixels)
    }

    /// Declares the outputs, and checks that everything can be expressed.
    pub(crate) fn signature(&mut self) -> Result<(), CannotEmit> {
        let ir = self.ir;
        if ir.stage == Stage::Hull && self.parts.len() < 2 {
            let asked = "a hull shader".to_owned();
            return self.unsupported("hull shaders without a patch-constant function", asked, None);
        }
        self.group_variables()?;
        if self.groups.is_some() {
            self.outputs();
        }
        let Some(io) = &ir.io else { return Ok(()) };
        if let StageTraits::Geometry(traits) = &io.traits
            && traits.reads_patch
        {
            let asked = "an `InputPatch`".to_owned();
            return self.unsupported("geometry shaders of patches", asked, None);
        }
        if io.pixel.orders_pixels {
            if !self.environment.has(Extension::PixelInterlock) {
                let what = "rasterizer-ordered views without SPV_EXT_fragment_shader_interlock";
                return self.unsupported(what, "a rasterizer-ordered view", None);
            }
            self.out.capabilities.insert(op::CAP_PIXEL_INTERLOCK);
            self.out.extensions.insert(Extension::PixelInterlock.name());
        }
        let wide = |it: &&Element| it.scalar.bytes() == 8;
        if let Some(element) = io.inputs.iter().chain(&io.outputs).find(wide) {
            let asked = format!("`{}` of 64-bit scalars", element.semantic);
            return self.unsupported("inputs and outputs of 64 bits", asked, None);
        }
        self.signature.per_vertex = vec![false; io.inputs.len()];
        for inst in &ir.insts {
            if let Op::InputAt { slot, .. } = inst.op {
                let number = self.element_number(Side::Inputs, slot);
                self.signature.per_vertex[number] = true;
            }
        }
        self.outputs();
        Ok(())
    }

    fn element_number(&self, side: Side, slot: Slot) -> usize {
        let elements = self.signature_elements(side);
        let found = with_slots(elements).position(|(first, it)| {
            (first.0..first.0 + u32::from(it.components)).contains(&slot.0)
        });
        found.unwrap_or_else(|| {
            unreachable!("the verifier has checked that slots belong to elements")
        })
    }

    /// The location of an element, if it has one.
    fn location(&self, side: Side, number: usize) -> Option<u32> {
        // The inputs of the patch-constant function follow those of the control points.
        let first = match side {
            Side::Inputs if self.is_in_constants() => inputs_of(self.parts[0]).len(),
            Side::Inputs | Side::Outputs => 0,
        };
        match &self.environment.locations {
            Locations::Given { inputs, outputs } => {
                let given = match side {
                    Side::Inputs => inputs,
                    Side::Outputs => outputs,
                };
                given.get(first + number).copied().flatten()
            }
            Locations::Counted => {
                let lists = self.output_lists();
                let mut all = Vec::new();
                match side {
                    Side::Inputs => {
                        self.parts.iter().for_each(|it| all.extend_from_slice(inputs_of(it)));
                    }
                    Side::Outputs => lists.into_iter().for_each(|it| all.extend_from_slice(it.0)),
                }
                let number = first + number;
                all[number].system.is_none().then(|| between::counted(&all, number))
            }
        }
    }

    fn built_in_input(&mut self, number: u32, ty: Id) -> Id {
        let variable = self.global(op::INPUT, ty);
        self.out.decorate(variable, op::BUILT_IN, &[number]);
        variable
    }

    // Inputs.

    /// The component of an input that a slot names.
    pub(crate) fn stage_input(&mut self, inst: Inst, slot: Slot) -> Result<Id, CannotEmit> {
        let (number, element, component) = self.slot_element(Side::Inputs, slot);
        let ty = self.ir.ty(self.ir.inst(inst).results[0]);
        let zero = |it: &mut Self| {
            let id = it.out.ty(ty);
            Ok(it.out.null(id))
        };
        if self.is_between() {
            return self.between_input(inst, (number, &element), component, ty);
        }
        let has_location = self.location(Side::Inputs, number).is_some();
        match element.system {
            Some(SystemValue::VertexId) => self.index(op::VERTEX_INDEX, op::BASE_VERTEX),
            Some(SystemValue::InstanceId) => self.index(op::INSTANCE_INDEX, op::BASE_INSTANCE),
            Some(SystemValue::StartVertexLocation) => Ok(self.draw_parameter(op::BASE_VERTEX)),
            Some(SystemValue::StartInstanceLocation) => Ok(self.draw_parameter(op::BASE_INSTANCE)),
            Some(SystemValue::ViewId | SystemValue::ShadingRate) if !has_location => zero(self),
            Some(SystemValue::RenderTargetArrayIndex | SystemValue::ViewportArrayIndex)
                if !has_location
                    && matches!(self.environment.locations, Locations::Given { .. }) =>
            {
                zero(self)
            }
            Some(SystemValue::InnerCoverage) => {
                self.unsupported("conservative rasterization", "`SV_InnerCoverage`", Some(inst))
            }
            Some(SystemValue::Position) => {
                let input = self.variable(inst, number, &element)?;
                let value = self.input_component(input, component);
                Ok(self.coordinate(&element, component, value))
            }
            _ => {
                let input = self.variable(inst, number, &element)?;
                let value = self.input_component(input, component);
                Ok(self.arrived(input.kind, value, ty))
            }
        }
    }

    /// An index without its base.
    fn index(&mut self, index: u32, base: u32) -> Result<Id, CannotEmit> {
        let (index, base) = (self.draw_parameter(index), self.draw_parameter(base));
        let uint = self.out.uint();
        Ok(self.op(op::I_SUB, uint, &[index, base]))
    }

    fn draw_parameter(&mut self, number: u32) -> Id {
        if [op::BASE_VERTEX, op::BASE_INSTANCE].contains(&number) {
            self.out.capabilities.insert(op::CAP_DRAW_PARAMETERS);
        }
        self.input(number)
    }

    /// A component of `SV_Position`, for pixels.
    fn coordinate(&mut self, element: &Element, component: u32, value: Id) -> Id {
        let one = self.out.constant(Ty::F32, Ty::F32.float_bits(1.0));
        let per_sample = self.ir.io.as_ref().is_some_and(|it| it.pixel.sample_frequency);
        let at_centre = element.interpolation.place == InterpolationPlace::Centre;
        match component {
            // Of a sample, unless the shader runs once for a pixel.
            0 | 1 if per_sample && at_centre => {
                let single = self.out.float(32);
                let whole = self.glsl(op::GLSL_FLOOR, single, &[value]);
                let half = self.out.constant(Ty::F32, Ty::F32.float_bits(0.5));
                self.exact(op::F_ADD, Ty::F32, &[whole, half])
            }
            3 => self.exact(op::F_DIV, Ty::F32, &[one, value]),
            _ => value,
        }
    }

    fn input_component(&mut self, input: Input, component: u32) -> Id {
        let loaded = input.loaded;
        if input.components == 1 {
            return loaded;
        }
        let ty = self.kind_ty(input.kind);
        self.op_words(op::COMPOSITE_EXTRACT, ty, &[loaded.0, component])
    }

    /// A scalar of a variable as the IR has it.
    fn arrived(&mut self, kind: Kind, value: Id, ty: Ty) -> Id {
        match kind {
            Kind::Bool => value,
            Kind::Float => self.float(value, Ty::F32, ty),
            Kind::Unsigned | Kind::Signed => {
                let uint = self.out.uint();
                let word =
                    if kind == Kind::Signed { self.op(op::BITCAST, uint, &[value]) } else { value };
                match ty {
                    Ty::Bool => self.as_truth(word),
                    Ty::I16 => {
                        let short = self.out.int(16);
                        self.op(op::U_CONVERT, short, &[word])
                    }
                    _ => self.bitcast(word, Ty::I32, ty),
                }
            }
        }
    }

    /// The variable of an input, which is loaded once, before everything else.
    fn variable(
        &mut self,
        inst: Inst,
        number: usize,
        element: &Element,
    ) -> Result<Input, CannotEmit> {
        if let Some(input) = self.signature.inputs.get(&number) {
            return Ok(*input);
        }
        let own = u32::from(element.components);
        let location = self.location(Side::Inputs, number);
        let is_per_vertex = self.signature.per_vertex[number];
        let (built_in, kind, components) = match (element.system, location) {
            (Some(SystemValue::Position), _) => (Some(op::FRAG_COORD), Kind::Float, 4),
            (Some(SystemValue::PrimitiveId), _) => {
                self.out.capabilities.insert(op::CAP_GEOMETRY);
                (Some(op::PRIMITIVE_ID), Kind::Unsigned, 1)
            }
            (Some(SystemValue::IsFrontFace), _) => (Some(op::FRONT_FACING), Kind::Bool, 1),
            (Some(SystemValue::SampleIndex), _) => {
                self.out.capabilities.insert(op::CAP_SAMPLE_RATE);
                (Some(op::SAMPLE_ID), Kind::Unsigned, 1)
            }
            (Some(SystemValue::Coverage), _) => (Some(op::SAMPLE_MASK), Kind::Unsigned, 1),
            (Some(SystemValue::Barycentrics), _) => {
                self.barycentric(inst, "`SV_Barycentrics`")?;
                let number = match element.interpolation.mode {
                    InterpolationMode::NoPerspective => op::BARY_COORD_NO_PERSPECTIVE,
                    InterpolationMode::Linear | InterpolationMode::Flat => op::BARY_COORD,
                };
                (Some(number), Kind::Float, 3)
            }
            (Some(SystemValue::RenderTargetArrayIndex), None) => {
                self.out.capabilities.insert(op::CAP_GEOMETRY);
                (Some(op::LAYER), Kind::Unsigned, 1)
            }
            (Some(SystemValue::ViewportArrayIndex), None) => {
                self.out.capabilities.insert(op::CAP_MULTI_VIEWPORT);
                (Some(op::VIEWPORT_INDEX), Kind::Unsigned, 1)
            }
            _ => {
                let kind = Kind::of(element.scalar);
                let kind = if self.is_pixel() { kind.between_stages() } else { kind };
                (None, kind, own)
            }
        };
        let value_ty = self.vector_ty(kind, components);
        let ty = match built_in {
            Some(op::SAMPLE_MASK) => self.out.array(value_ty, 1),
            _ if is_per_vertex => self.out.array(value_ty, 3),
            _ => value_ty,
        };
        let variable = match built_in {
            Some(number) => self.built_in_input(number, ty),
            None => {
                let variable = self.global(op::INPUT, ty);
                self.out.decorate(variable, op::LOCATION, &[location.unwrap_or(0)]);
                self.out.name(variable, &named(element));
                variable
            }
        };
        if self.is_pixel() {
            if self.environment.of_primitives.get(number) == Some(&true) {
                self.out.capabilities.insert(op::CAP_MESH_SHADING);
                self.out.extensions.insert("SPV_EXT_mesh_shader");
                self.out.decorate(variable, op::PER_PRIMITIVE, &[]);
            }
            self.interpolated(inst, variable, built_in, kind, element, is_per_vertex)?;
        }
        let pointer_ty = self.out.pointer(op::INPUT, value_ty);
        let zero = self.out.word(0);
        let is_array = is_per_vertex || built_in == Some(op::SAMPLE_MASK);
        let loaded = self.early(|it| {
            let pointer = match is_array {
                true => it.op(op::ACCESS_CHAIN, pointer_ty, &[variable, zero]),
                false => variable,
            };
            it.op(op::LOAD, value_ty, &[pointer])
        });
        let input = Input { variable, kind, components, loaded };
        self.signature.inputs.insert(number, input);
        Ok(input)
    }

    /// Decorates an input of a pixel shader.
    fn interpolated(
        &mut self,
        inst: Inst,
        variable: Id,
        built_in: Option<u32>,
        kind: Kind,
        element: &Element,
        is_per_vertex: bool,
    ) -> Result<(), CannotEmit> {
        if is_per_vertex {
            self.barycentric(inst, "`GetAttributeAtVertex`")?;
            self.out.decorate(variable, op::PER_VERTEX, &[]);
            return Ok(());
        }
        let is_integer = matches!(kind, Kind::Unsigned | Kind::Signed);
        let takes_place = match built_in {
            None => true,
            Some(number) => [op::BARY_COORD, op::BARY_COORD_NO_PERSPECTIVE].contains(&number),
        };
        if is_integer {
            self.out.decorate(variable, op::FLAT, &[]);
            return Ok(());
        }
        if !takes_place {
            return Ok(());
        }
        match element.interpolation.mode {
            InterpolationMode::Flat => {
                self.out.decorate(variable, op::FLAT, &[]);
                return Ok(());
            }
            InterpolationMode::NoPerspective if built_in.is_none() => {
                self.out.decorate(variable, op::NO_PERSPECTIVE, &[]);
            }
            InterpolationMode::NoPerspective | InterpolationMode::Linear => {}
        }
        match element.interpolation.place {
            InterpolationPlace::Centre => {}
            InterpolationPlace::Centroid => self.out.decorate(variable, op::CENTROID, &[]),
            InterpolationPlace::Sample => {
                self.out.capabilities.insert(op::CAP_SAMPLE_RATE);
                self.out.decorate(variable, op::SAMPLE, &[]);
            }
        }
        Ok(())
    }

    fn barycentric(&mut self, inst: Inst, asked: &str) -> Result<(), CannotEmit> {
        if !self.environment.has(Extension::Barycentric) {
            let what = "barycentric coordinates without SPV_KHR_fragment_shader_barycentric";
            return self.unsupported(what, asked, Some(inst));
        }
        self.out.capabilities.insert(op::CAP_BARYCENTRIC);
        self.out.extensions.insert(Extension::Barycentric.name());
        Ok(())
    }

    /// An input at another place of the pixel.
    pub(crate) fn evaluated(
        &mut self,
        inst: Inst,
        slot: Slot,
        place: EvalPlace<Value>,
    ) -> Result<Id, CannotEmit> {
        let (number, element, component) = self.slot_element(Side::Inputs, slot);
        let is_flat = element.interpolation.mode == InterpolationMode::Flat;
        if is_flat || self.signature.per_vertex[number] {
            return self.stage_input(inst, slot);
        }
        let ty = self.ir.ty(self.ir.inst(inst).results[0]);
        let input = self.variable(inst, number, &element)?;
        self.out.capabilities.insert(op::CAP_INTERPOLATION);
        let vector = self.vector_ty(input.kind, input.components);
        let found = match place {
            EvalPlace::Centroid => self.glsl(op::GLSL_AT_CENTROID, vector, &[input.variable]),
            EvalPlace::Sample(index) => {
                let index = self.get(index);
                self.glsl(op::GLSL_AT_SAMPLE, vector, &[input.variable, index])
            }
            EvalPlace::Snapped(x, y) => {
                let offsets = [x, y].map(|it| self.sixteenths(it));
                let single = self.out.float(32);
                let two = self.out.vector(single, 2);
                let offset = self.op(op::COMPOSITE_CONSTRUCT, two, &offsets);
                self.glsl(op::GLSL_AT_OFFSET, vector, &[input.variable, offset])
            }
        };
        let value = match input.components {
            1 => found,
            _ => {
                let scalar = self.kind_ty(input.kind);
                self.op_words(op::COMPOSITE_EXTRACT, scalar, &[found.0, component])
            }
        };
        Ok(self.arrived(input.kind, value, ty))
    }

    /// The low four bits of an offset, sign-extended, in sixteenths of a pixel.
    fn sixteenths(&mut self, offset: Value) -> Id {
        let (word, uint) = (self.get(offset), self.out.uint());
        let high = self.words(op::SHIFT_LEFT_LOGICAL, word, 28);
        let by = self.out.word(28);
        let extended = self.op(op::SHIFT_RIGHT_ARITHMETIC, uint, &[high, by]);
        let single = self.out.float(32);
        let number = self.op(op::CONVERT_S_TO_F, single, &[extended]);
        let part = self.out.constant(Ty::F32, Ty::F32.float_bits(1.0 / 16.0));
        self.exact(op::F_MUL, Ty::F32, &[number, part])
    }

    /// The value of an input at a vertex of the primitive.
    pub(crate) fn at_vertex(
        &mut self,
        inst: Inst,
        slot: Slot,
        vertex: Value,
    ) -> Result<Id, CannotEmit> {
        let (number, element, component) = self.slot_element(Side::Inputs, slot);
        let ty = self.ir.ty(self.ir.inst(inst).results[0]);
        let input = self.variable(inst, number, &element)?;
        let (vertex, last) = (self.get(vertex), self.out.word(2));
        let uint = self.out.uint();
        let vertex = self.glsl(op::GLSL_U_MIN, uint, &[vertex, last]);
        let mut path = vec![vertex];
        if input.components > 1 {
            path.push(self.out.word(component));
        }
        let pointer = self.scalar_pointer(op::INPUT, input.kind, input.variable, &path);
        let scalar = self.kind_ty(input.kind);
        let value = self.op(op::LOAD, scalar, &[pointer]);
        Ok(self.arrived(input.kind, value, ty))
    }

    /// A scalar of the IR as a variable has it.
    fn departed(&mut self, kind: Kind, scalar: HostScalar, value: Id, ty: Ty) -> Id {
        match kind {
            Kind::Bool => value,
            Kind::Float => self.float(value, ty, Ty::F32),
            Kind::Unsigned | Kind::Signed => {
                let word = match (ty, scalar) {
                    (Ty::Bool, _) => self.as_word(value),
                    (Ty::I16, HostScalar::I16) => self.convert(value, ty, Sign::Signed, Ty::I32),
                    (Ty::I16, _) => self.convert(value, ty, Sign::Unsigned, Ty::I32),
                    _ => self.bitcast(value, ty, Ty::I32),
                };
                let held = self.kind_ty(kind);
                if kind == Kind::Signed { self.op(op::BITCAST, held, &[word]) } else { word }
            }
        }
    }

    // Helper invocations.

    pub(crate) fn discard(&mut self) {
        self.demotes();
        self.effect(op::DEMOTE, &[]);
    }

    fn demotes(&mut self) {
        self.out.capabilities.insert(op::CAP_DEMOTE);
        self.out.extensions.insert("SPV_EXT_demote_to_helper_invocation");
    }

    /// Whether the lane is a helper lane now.
    pub(crate) fn is_helper(&mut self) -> Id {
        if !self.ir.has_helpers() {
            return self.out.truth(false);
        }
        self.demotes();
        let boolean = self.out.bool();
        self.op(op::IS_HELPER, boolean, &[])
    }

    /// What an atomic operation returned, or zero to helper lanes, for which that is undefined.
    pub(crate) fn not_for_helpers(&mut self, ty: Ty, old: Id) -> Id {
        if !self.ir.has_helpers() {
            return old;
        }
        let helper = self.is_helper();
        let id = self.out.ty(ty);
        let zero = self.out.null(id);
        self.choose(ty, helper, zero, old)
    }

    /// The execution modes of a graphics stage.
    pub(crate) fn stage_modes(&mut self, main: Id) {
        for mode in self.group_modes().into_iter().chain(self.between_modes()) {
            let words: Vec<u32> = std::iter::once(main.0).chain(mode).collect();
            push(&mut self.out.modes, op::EXECUTION_MODE, &words);
        }
        let Some(io) = &self.ir.io else { return };
        if !self.is_pixel() {
            return;
        }
        let (early, whole) =
            (io.pixel.early_depth, io.pixel.derivatives || self.ir.insts.iter().any(asks_lanes));
        let mut modes = vec![op::MODE_ORIGIN_UPPER_LEFT];
        modes.extend(early.then_some(op::MODE_EARLY_TESTS));
        if let Some(how) = self.signature.writes_depth {
            modes.push(op::MODE_DEPTH_REPLACING);
            modes.extend((how != op::MODE_DEPTH_REPLACING).then_some(how));
        }
        modes.extend(self.signature.writes_stencil.then_some(op::MODE_STENCIL_REF_REPLACING));
        if whole && self.environment.has(Extension::QuadControl) {
            self.out.capabilities.insert(op::CAP_QUAD_CONTROL);
            self.out.extensions.insert(Extension::QuadControl.name());
            modes.push(op::MODE_REQUIRE_FULL_QUADS);
        }
        for mode in modes {
            push(&mut self.out.modes, op::EXECUTION_MODE, &[main.0, mode]);
        }
    }
}

fn inputs_of(module: &ir::Module) -> &[Element] {
    module.io.as_ref().map_or(&[], |it| &it.inputs)
}

fn asks_lanes(inst: &ir::InstData) -> bool {
    inst.op.effects().sees_lanes
}

/// The semantic with its index.
fn named(element: &Element) -> String {
    match element.index {
        0 => element.semantic.clone(),
        index => format!("{}{index}", element.semantic),
    }
}
