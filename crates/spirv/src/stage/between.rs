//! The stages between the vertex shader and the rasterizer: inputs that are arrays, what a geometry shader emits, and
//! the execution modes.
//!
//! | IR | SPIR-V |
//! |---|---|
//! | an element of each vertex of a primitive or patch | one variable, an array of vertices |
//! | the control points, in the patch-constant function | the output variables of the hull shader |
//! | patch constants | variables with the decoration `Patch` |
//! | the words that a geometry shader emits | stores to the outputs, and `EmitVertex` after the last word of a vertex |
//!
//! The two functions of a hull shader are one here: a barrier lies between them, and one invocation runs the second.

use ir::stage::{
    CUT, Domain, Element, GeometryTraits, Holder, HullTraits, Partitioning, PatchTopology,
    StageTraits, SystemValue, slot_count,
};
use ir::{HostScalar, Inst, Slot, Value};
use ops::Ty;
use ops::intrinsics::Stage;

use super::{Kind, Side, named};
use crate::CannotEmit;
use crate::builtin::SCOPE_GROUP;
use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode as op;

/// Of one invocation.
const SCOPE_INVOCATION: u32 = 4;

/// Identifies a variable of which several elements are vertices.
pub(super) type Key = (String, u32, bool);

fn key(element: &Element) -> Key {
    let is_patch = element.holder == Holder::Patch;
    (element.semantic.to_ascii_uppercase(), element.index, is_patch)
}

/// The location of an element if they are counted: those of one semantic share it.
pub(super) fn counted(elements: &[Element], number: usize) -> u32 {
    let own = key(&elements[number]);
    let mut before: Vec<Key> = Vec::new();
    for element in elements.iter().filter(|it| it.system.is_none()) {
        let key = key(element);
        if key == own {
            break;
        }
        if !before.contains(&key) {
            before.push(key);
        }
    }
    before.len() as u32
}

impl Emitter<'_> {
    /// Whether it is a stage whose inputs belong to vertices.
    pub(super) fn is_between(&self) -> bool {
        self.ir.stage.is_of_primitives()
    }

    /// Whether the patch-constant function is being emitted.
    pub(super) fn is_in_constants(&self) -> bool {
        self.parts.len() > 1 && std::ptr::eq(self.ir, self.parts[1])
    }

    /// The component of an input.
    pub(super) fn between_input(
        &mut self,
        inst: Inst,
        (number, element): (usize, &Element),
        component: u32,
        ty: Ty,
    ) -> Result<Id, CannotEmit> {
        match element.system {
            Some(SystemValue::PrimitiveId) => {
                let id = self.input(op::PRIMITIVE_ID);
                return Ok(self.bitcast(id, Ty::I32, ty));
            }
            Some(SystemValue::GsInstanceId | SystemValue::OutputControlPointId) => {
                let id = self.input(op::INVOCATION_ID);
                return Ok(self.bitcast(id, Ty::I32, ty));
            }
            Some(SystemValue::DomainLocation) => return Ok(self.place_in_domain(component)),
            Some(SystemValue::ViewId) => {
                let id = self.out.ty(ty);
                return Ok(self.out.null(id));
            }
            _ => {}
        }
        if matches!(element.scalar, HostScalar::F64 | HostScalar::I64 | HostScalar::U64) {
            let asked = format!("`{}` of 64-bit scalars", element.semantic);
            return self.unsupported("inputs and outputs of 64 bits", asked, Some(inst));
        }
        let kind = Kind::of(element.scalar).between_stages();
        let scalar = self.kind_ty(kind);
        let (variable, storage, vertex) = match element.holder {
            Holder::Own => (self.array_input(number, element)?, op::INPUT, Some(0)),
            Holder::Vertex(vertex) => {
                (self.array_input(number, element)?, op::INPUT, Some(u32::from(vertex)))
            }
            Holder::Point(point) if self.ir.stage == Stage::Hull => {
                let variable = self.made_point(inst, element)?;
                (variable, op::OUTPUT, Some(u32::from(point)))
            }
            Holder::Point(point) => {
                (self.array_input(number, element)?, op::INPUT, Some(u32::from(point)))
            }
            Holder::Patch => (self.array_input(number, element)?, op::INPUT, None),
        };
        let vertex = vertex.map(|it| self.out.word(it));
        let component = self.components_of(element, component);
        let path: Vec<Id> = vertex.into_iter().chain(component).collect();
        let pointer = self.scalar_pointer(storage, kind, variable, &path);
        let value = self.op(op::LOAD, scalar, &[pointer]);
        Ok(self.arrived(kind, value, ty))
    }

    /// The index of a component; a variable of one component has none.
    fn components_of(&mut self, element: &Element, component: u32) -> Option<Id> {
        (element.components > 1).then(|| self.out.word(component))
    }

    /// The variable of an element of all vertices or of the patch.
    fn array_input(&mut self, number: usize, element: &Element) -> Result<Id, CannotEmit> {
        let key = key(element);
        if let Some(variable) = self.signature.arrays.get(&key) {
            return Ok(*variable);
        }
        let vertices = match self.ir.io.as_ref().map(|it| &it.traits) {
            Some(StageTraits::Geometry(traits)) => traits.vertices,
            Some(StageTraits::Hull(traits)) => traits.read,
            Some(StageTraits::Domain { points, .. }) => *points,
            _ => 1,
        };
        let kind = Kind::of(element.scalar).between_stages();
        let ty = self.vector_ty(kind, element.components.into());
        let ty = match element.holder {
            Holder::Patch => ty,
            _ => self.out.array(ty, vertices.max(1)),
        };
        let variable = self.global(op::INPUT, ty);
        let location = self.location(Side::Inputs, number);
        self.out.decorate(variable, op::LOCATION, &[location.unwrap_or(0)]);
        if element.holder == Holder::Patch {
            self.out.decorate(variable, op::PATCH, &[]);
        }
        self.out.name(variable, &named(element));
        self.signature.arrays.insert(key, variable);
        Ok(variable)
    }

    /// The variable that the hull shader writes its control points to.
    fn made_point(&mut self, inst: Inst, element: &Element) -> Result<Id, CannotEmit> {
        let made = self.parts[0].io.as_ref().map_or(&[][..], |it| &it.outputs);
        let number = made.iter().position(|it| it.is(&element.semantic, element.index));
        let output = number.and_then(|it| self.signature.outputs.get(&it)?.last().copied());
        match output {
            Some(output) => Ok(output.variable),
            None => {
                let asked = format!("`{}` of a control point", element.semantic);
                self.unsupported(
                    "control points that the hull shader does not make",
                    asked,
                    Some(inst),
                )
            }
        }
    }

    /// A coordinate in the domain; the third one follows from the others.
    fn place_in_domain(&mut self, component: u32) -> Id {
        self.out.capabilities.insert(op::CAP_TESSELLATION);
        let single = self.out.float(32);
        let three = self.out.vector(single, 3);
        let place = match self.signature.place {
            Some(id) => id,
            None => {
                let variable = self.global(op::INPUT, three);
                self.out.decorate(variable, op::BUILT_IN, &[op::TESS_COORD]);
                let id = self.early(|it| it.op(op::LOAD, three, &[variable]));
                self.signature.place = Some(id);
                id
            }
        };
        let of =
            |it: &mut Self, axis: u32| it.op_words(op::COMPOSITE_EXTRACT, single, &[place.0, axis]);
        if component < 2 {
            return of(self, component);
        }
        let (u, v) = (of(self, 0), of(self, 1));
        let one = self.out.constant(Ty::F32, Ty::F32.float_bits(1.0));
        let rest = self.exact(op::F_SUB, Ty::F32, &[one, u]);
        self.exact(op::F_SUB, Ty::F32, &[rest, v])
    }

    /// Runs the patch-constant function after the control points.
    pub(crate) fn constants(&mut self) -> Result<(), CannotEmit> {
        let [points, constants] = self.parts[..] else { return Ok(()) };
        let [scope, memory, none] = [SCOPE_GROUP, SCOPE_INVOCATION, 0].map(|it| self.out.word(it));
        self.effect(op::CONTROL_BARRIER, &[scope, memory, none]);
        let number = self.input(op::INVOCATION_ID);
        let zero = self.out.word(0);
        let is_first = self.test(op::I_EQUAL, number, zero);
        let (then, merge) = (self.out.id(), self.out.id());
        self.select_branch(is_first, then, merge, merge);
        self.label(then);
        self.begin(constants)?;
        if self.region(constants.body)?.is_some() {
            self.branch(merge);
        }
        self.label(merge);
        self.ir = points;
        Ok(())
    }

    // Geometry shaders.

    /// A word of what a geometry shader has emitted; they come in order, vertex by vertex.
    pub(super) fn emitted(&mut self, traits: &GeometryTraits, slot: Slot, value: Value) {
        // The number of vertices shows in how many of them follow.
        let Some(word) = slot.0.checked_sub(1) else { return };
        let (stride, word) = (traits.stride(), word % traits.stride());
        let id = self.get(value);
        let drawn = traits.streams.first().map_or(&[][..], |it| &it.elements);
        if word == 0 {
            self.signature.control = Some(id);
            if traits.streams.first().is_some_and(|it| it.corners > 1) {
                let cut = self.words(op::BITWISE_AND, id, CUT);
                let is_cut = self.as_truth(cut);
                self.guarded(Some(is_cut), |it| {
                    it.effect(op::END_PRIMITIVE, &[]);
                    []
                });
            }
        } else if word <= slot_count(drawn) {
            self.emitted_scalar(drawn, word - 1, id);
        }
        if word + 1 < stride {
            return;
        }
        let is_drawn = match (traits.streams.len(), self.signature.control) {
            (0 | 1, _) | (_, None) => None,
            (_, Some(control)) => {
                let stream = self.words(op::BITWISE_AND, control, !CUT);
                let zero = self.out.word(0);
                Some(self.test(op::I_EQUAL, stream, zero))
            }
        };
        if let Some(size) = self.signature.point_size {
            let one = self.out.constant(Ty::F32, Ty::F32.float_bits(1.0));
            self.effect(op::STORE, &[size, one]);
        }
        self.guarded(is_drawn, |it| {
            it.effect(op::EMIT_VERTEX, &[]);
            []
        });
    }

    fn emitted_scalar(&mut self, elements: &[Element], slot: u32, word: Id) {
        let Some((element, component)) = ir::stage::element_of(elements, Slot(slot)) else {
            unreachable!("the slots of a vertex are those of its elements")
        };
        let (scalar, ty) = (element.scalar, element.ty());
        let is_it = |it: &&Element| std::ptr::eq(*it, element);
        let number = elements.iter().take_while(|it| !is_it(it)).count();
        let value = match ty {
            Ty::F16 => {
                let short = self.out.int(16);
                let half = self.op(op::U_CONVERT, short, &[word]);
                let half = self.typed(op::BITCAST, Ty::F16, &[half]);
                self.float(half, Ty::F16, Ty::F32)
            }
            Ty::F32 => self.bitcast(word, Ty::I32, Ty::F32),
            Ty::I16 if scalar == HostScalar::I16 => {
                let left = self.words(op::SHIFT_LEFT_LOGICAL, word, 16);
                let (uint, by) = (self.out.uint(), self.out.word(16));
                self.op(op::SHIFT_RIGHT_ARITHMETIC, uint, &[left, by])
            }
            _ => word,
        };
        for output in self.signature.outputs.get(&number).cloned().unwrap_or_default() {
            self.put(output, None, component.into(), value);
        }
    }

    /// The execution modes of a stage between.
    pub(super) fn between_modes(&mut self) -> Vec<Vec<u32>> {
        match self.ir.io.as_ref().map(|it| &it.traits) {
            Some(StageTraits::Geometry(traits)) => {
                self.out.capabilities.insert(op::CAP_GEOMETRY);
                let input = match traits.vertices {
                    1 => op::MODE_INPUT_POINTS,
                    2 => op::MODE_INPUT_LINES,
                    3 => op::MODE_TRIANGLES,
                    4 => op::MODE_INPUT_LINES_ADJACENCY,
                    _ => op::MODE_INPUT_TRIANGLES_ADJACENCY,
                };
                let output = match traits.streams.first().map_or(3, |it| it.corners) {
                    1 => op::MODE_OUTPUT_POINTS,
                    2 => op::MODE_OUTPUT_LINE_STRIP,
                    _ => op::MODE_OUTPUT_TRIANGLE_STRIP,
                };
                vec![
                    vec![op::MODE_INVOCATIONS, traits.instances.max(1)],
                    vec![input],
                    vec![output],
                    vec![op::MODE_OUTPUT_VERTICES, traits.most_vertices.max(1)],
                ]
            }
            Some(StageTraits::Hull(traits)) => {
                self.out.capabilities.insert(op::CAP_TESSELLATION);
                hull_modes(*traits)
            }
            Some(StageTraits::Domain { domain, .. }) => {
                self.out.capabilities.insert(op::CAP_TESSELLATION);
                vec![vec![of_domain(*domain)]]
            }
            Some(StageTraits::Plain) | None => Vec::new(),
        }
    }
}

fn of_domain(domain: Domain) -> u32 {
    match domain {
        Domain::Tri => op::MODE_TRIANGLES,
        Domain::Quad => op::MODE_QUADS,
        Domain::Isoline => op::MODE_ISOLINES,
    }
}

fn hull_modes(traits: HullTraits) -> Vec<Vec<u32>> {
    let spacing = match traits.partitioning {
        // The shader rounds the factors for `pow2`.
        Partitioning::Integer | Partitioning::Pow2 => op::MODE_SPACING_EQUAL,
        Partitioning::FractionalOdd => op::MODE_SPACING_FRACTIONAL_ODD,
        Partitioning::FractionalEven => op::MODE_SPACING_FRACTIONAL_EVEN,
    };
    let order = match traits.topology {
        PatchTopology::Point => op::MODE_POINT_MODE,
        PatchTopology::CounterClockwise => op::MODE_VERTEX_ORDER_CCW,
        PatchTopology::Clockwise | PatchTopology::Line => op::MODE_VERTEX_ORDER_CW,
    };
    vec![
        vec![op::MODE_OUTPUT_VERTICES, traits.made.max(1)],
        vec![of_domain(traits.domain)],
        vec![spacing],
        vec![order],
    ]
}
