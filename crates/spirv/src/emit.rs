//! The emitter: dispatches each instruction of the IR to the file that lowers it, and emits the parts of the module
//! around the function.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use ir::debug::{Debug, Position};
use ir::uniformity::Uniformities;
use ir::{Inst, Op, Value};
use legalize::legalize;
use ops::intrinsics::Stage;
use ops::{Ternary, Ty};

use crate::control::{Reached, Target};
use crate::environment::{Environment, Extension};
use crate::group::Groups;
use crate::memory::Resources;
use crate::module::{Id, Module, push, push_all, string};
use crate::native::native;
use crate::opcode::{self as op, Opcode};
use crate::reflect::{Reflection, Warning};
use crate::stage::Signature;
use crate::{CannotEmit, Emitted};

/// HLSL in SPIR-V's list of source languages.
const HLSL: u32 = 5;

/// The most bytes of source text in one instruction.
const MOST_TEXT: usize = 200_000;

/// Emits a verified module.
pub fn emit(
    ir: &ir::Module,
    environment: &Environment,
    debug: &dyn Debug,
) -> Result<Emitted, CannotEmit> {
    let made = match &ir.group {
        Some(io) => Some(native(ir, io)?),
        None => None,
    };
    let source = made.as_ref().map_or(ir, |it| &it.0);
    let groups = ir.group.as_ref().zip(made.as_ref());
    let groups = groups.map(|(io, made)| Groups::new((**io).clone(), made.1.clone()));
    let ir = legalize(source, &environment.target());
    emit_legal(&[&ir], groups, environment, debug)
}

/// Emits the two functions of a hull shader as one: `points` makes the control points, and `constants` the patch
/// constants. Both have the same resources.
pub fn emit_hull(
    points: &ir::Module,
    constants: &ir::Module,
    environment: &Environment,
    debug: &dyn Debug,
) -> Result<Emitted, CannotEmit> {
    let [mut points, constants] = [points, constants].map(|it| legalize(it, &environment.target()));
    for (resource, other) in points.resources.iter_mut().zip(&constants.resources) {
        resource.used |= other.used;
    }
    emit_legal(&[&points, &constants], None, environment, debug)
}

fn emit_legal(
    parts: &[&ir::Module],
    groups: Option<Groups>,
    environment: &Environment,
    debug: &dyn Debug,
) -> Result<Emitted, CannotEmit> {
    let ir = parts[0];
    let mut out = Module::new();
    let [main, start] = [out.id(), out.id()];
    let mut emitter = Emitter {
        ir,
        parts,
        groups,
        environment,
        debug,
        out,
        values: vec![None; ir.values.len()],
        distances_only: Vec::new(),
        uniformity: OnceCell::new(),
        block: start,
        targets: Vec::new(),
        resources: Resources::default(),
        built_ins: BTreeMap::new(),
        arrays: BTreeMap::new(),
        queries: Vec::new(),
        interface: Vec::new(),
        srgb: None,
        signature: Signature::default(),
        files: Vec::new(),
        place: None,
    };
    emitter.distances_only = emitter.distances_only();
    emitter.sources();
    emitter.bind()?;
    emitter.signature()?;
    emitter.local_arrays();
    emitter.ray_queries()?;
    emitter.entry()?;
    Ok(emitter.finish(main, start))
}

pub(crate) struct Emitter<'a> {
    /// The module whose instructions are emitted: one of the parts.
    pub(crate) ir: &'a ir::Module,
    /// The module, or the control points and the patch constants of a hull shader.
    pub(crate) parts: &'a [&'a ir::Module],
    /// What a mesh or amplification shader has in place of memory.
    pub(crate) groups: Option<Groups>,
    pub(crate) environment: &'a Environment,
    debug: &'a dyn Debug,
    pub(crate) out: Module,
    values: Vec<Option<Id>>,
    /// Instructions that are used only as the distance of a relative read.
    distances_only: Vec<bool>,
    /// The uniformity of values, computed on demand.
    pub(crate) uniformity: OnceCell<Uniformities>,
    /// The block under construction.
    pub(crate) block: Id,
    /// The enclosing constructs.
    pub(crate) targets: Vec<Target>,
    pub(crate) resources: Resources,
    /// Built-in values that have been loaded.
    pub(crate) built_ins: BTreeMap<u32, Id>,
    /// The variables of groupshared (`true`) and private arrays.
    pub(crate) arrays: BTreeMap<(bool, u32), Id>,
    /// The variables of the slots of ray queries.
    pub(crate) queries: Vec<crate::ray::Slot>,
    /// Every variable in the entry point's interface.
    pub(crate) interface: Vec<(u32, Id)>,
    /// The table of linear values of sRGB bytes.
    pub(crate) srgb: Option<Id>,
    /// The variables of inputs and outputs.
    pub(crate) signature: Signature,
    files: Vec<Id>,
    /// The debug line of the current instruction.
    place: Option<Position>,
}

impl<'a> Emitter<'a> {
    /// Goes on with another module, whose values and private arrays are its own.
    pub(crate) fn begin(&mut self, ir: &'a ir::Module) -> Result<(), CannotEmit> {
        self.variable_names();
        self.ir = ir;
        self.values = vec![None; ir.values.len()];
        self.uniformity = OnceCell::new();
        self.distances_only = self.distances_only();
        self.arrays.retain(|(is_shared, _), _| *is_shared);
        self.queries.clear();
        self.private_arrays();
        self.ray_queries()
    }

    pub(crate) fn get(&self, value: Value) -> Id {
        self.values[value.index()].unwrap_or_else(|| {
            unreachable!("the verifier has checked that operands are defined before they are used")
        })
    }

    pub(crate) fn get_all(&self, values: &[Value]) -> Vec<Id> {
        values.iter().map(|it| self.get(*it)).collect()
    }

    pub(crate) fn set(&mut self, value: Value, id: Id) {
        self.values[value.index()] = Some(id);
    }

    pub(crate) fn ty_of(&mut self, value: Value) -> Id {
        self.out.ty(self.ir.ty(value))
    }

    /// An instruction with a result.
    pub(crate) fn op(&mut self, opcode: Opcode, ty: Id, operands: &[Id]) -> Id {
        let id = self.out.id();
        let body = &mut self.out.body;
        body.push((operands.len() as u32 + 3) << 16 | u32::from(opcode.number));
        body.extend([ty.0, id.0]);
        body.extend(operands.iter().map(|it| it.0));
        id
    }

    /// The same with operands that are not all ids.
    pub(crate) fn op_words(&mut self, opcode: Opcode, ty: Id, operands: &[u32]) -> Id {
        let id = self.out.id();
        push_all(&mut self.out.body, opcode, &[ty.0, id.0], operands);
        id
    }

    /// An instruction without a result.
    pub(crate) fn effect(&mut self, opcode: Opcode, operands: &[Id]) {
        let body = &mut self.out.body;
        body.push((operands.len() as u32 + 1) << 16 | u32::from(opcode.number));
        body.extend(operands.iter().map(|it| it.0));
    }

    /// The same with operands that are not all ids.
    pub(crate) fn effect_words(&mut self, opcode: Opcode, operands: &[u32]) {
        let body = &mut self.out.body;
        body.push((operands.len() as u32 + 1) << 16 | u32::from(opcode.number));
        body.extend(operands);
    }

    pub(crate) fn unsupported<T>(
        &self,
        what: &'static str,
        asked: impl Into<String>,
        inst: Option<Inst>,
    ) -> Result<T, CannotEmit> {
        Err(CannotEmit::new(what, asked, self.ir, inst))
    }

    /// Emits an instruction that is not a terminator.
    pub(crate) fn inst(&mut self, inst: Inst) -> Result<Reached, CannotEmit> {
        let ir = self.ir;
        let data = ir.inst(inst);
        let results: Vec<Id> = match &data.op {
            Op::Const { ty, bits } => vec![self.out.constant(*ty, *bits)],
            // Undefined in the language, zero in all our engines.
            Op::Undef(ty) => {
                let ty = self.out.ty(*ty);
                vec![self.out.null(ty)]
            }
            Op::Builtin(builtin) => vec![self.builtin(*builtin)],
            Op::Input(slot) => vec![self.stage_input(inst, *slot)?],
            Op::Eval { slot, place } => vec![self.evaluated(inst, *slot, *place)?],
            Op::InputAt { slot, vertex } => vec![self.at_vertex(inst, *slot, *vertex)?],
            Op::Output { slot, value } => {
                self.stage_output(*slot, *value);
                Vec::new()
            }
            Op::Discard => {
                self.discard();
                Vec::new()
            }
            Op::Unary(op, a) => vec![self.unary(*op, ir.ty(*a), self.get(*a))],
            Op::Binary(..) if self.distances_only[inst.index()] => return Ok(true),
            Op::Binary(op, a, b) => {
                vec![self.binary(*op, ir.ty(*a), self.get(*a), self.get(*b))]
            }
            Op::Compare(op, a, b) => {
                vec![self.compare(*op, ir.ty(*a), self.get(*a), self.get(*b))]
            }
            Op::Ternary(Ternary::Select, [cond, yes, no]) => vec![self.picked(*cond, *yes, *no)],
            Op::Ternary(op, args) => {
                vec![self.ternary(*op, ir.ty(args[1]), args.map(|it| self.get(it)))]
            }
            Op::Wave { op, args, lanes } => self.wave(*op, args, *lanes),
            Op::Barrier { barrier, lanes: _ } => {
                self.barrier(*barrier);
                Vec::new()
            }
            Op::Load { place, at } => self.load(inst, *place, *at)?,
            Op::Store { place, at, values } => {
                self.store(inst, *place, *at, values)?;
                Vec::new()
            }
            Op::Atomic { place, at, op, args } => {
                let old = self.atomic(inst, *place, *at, *op, args)?;
                let old = self.not_for_helpers(ir.ty(args[0]), old);
                vec![old; data.results.len()]
            }
            Op::Size { place } => self.size(*place),
            Op::Counter { place, delta } => {
                let count = self.counter(*place, *delta);
                vec![self.not_for_helpers(Ty::I32, count)]
            }
            Op::Texture(texture) => self.texture(inst, texture)?,
            Op::Ray(ray) => self.ray(inst, ray)?,
            Op::Derivative(of, value) => {
                let id = self.get(*value);
                vec![self.derivative(*of, ir.ty(*value), id)]
            }
            Op::SharedLoad { memory, index } => vec![self.array_load((true, memory.0), *index)],
            Op::PrivateLoad { memory, index } => vec![self.array_load((false, memory.0), *index)],
            Op::SharedStore { memory, index, value } => {
                self.array_store((true, memory.0), *index, *value);
                Vec::new()
            }
            Op::PrivateStore { memory, index, value } => {
                self.array_store((false, memory.0), *index, *value);
                Vec::new()
            }
            Op::SharedAtomic { memory, index, op, args } => {
                let old = self.array_atomic(memory.0, *index, *op, args);
                vec![old; data.results.len()]
            }
            Op::Note(_) => unreachable!("`legalize` drops notes"),
            Op::Print { message, args } => {
                self.print(*message, args);
                Vec::new()
            }
            Op::If { cond, then, else_ } => return self.if_(inst, *cond, *then, *else_),
            Op::Loop { body, inits } => return self.loop_(inst, *body, inits),
            Op::Switch { selector, cases, inits } => {
                return self.switch(inst, *selector, cases, inits);
            }
            Op::Block { body } => return self.block(inst, *body),
            Op::Yield(_) | Op::Exit { .. } | Op::Return => {
                unreachable!("the end of a region is emitted with the region")
            }
        };
        for (result, id) in data.results.iter().zip(results) {
            self.set(*result, id);
        }
        Ok(true)
    }

    // The parts of the module around the function.

    fn sources(&mut self) {
        for source in self.debug.sources() {
            let file = self.out.id();
            let name = [vec![file.0], string(&source.name)].concat();
            push(&mut self.out.strings, op::STRING, &name);
            self.files.push(file);
            let mut pieces = pieces(&source.text);
            let first = pieces.next().unwrap_or("");
            let words = [vec![HLSL, 0, file.0], string(first)].concat();
            push(&mut self.out.strings, op::SOURCE, &words);
            for piece in pieces {
                push(&mut self.out.strings, op::SOURCE_CONTINUED, &string(piece));
            }
        }
    }

    /// Sets the debug line of the following instructions.
    pub(crate) fn line(&mut self, inst: Inst) {
        let place = self.debug.place(self.ir.inst(inst).span);
        if let Some(place) = place
            && self.place.as_ref() != Some(&place)
            && let Some(file) = self.files.get(place.file)
        {
            push(&mut self.out.body, op::LINE, &[file.0, place.line, place.column]);
            self.place = Some(place);
        }
    }

    /// A debug line ends with its block.
    pub(crate) fn forget_line(&mut self) {
        self.place = None;
    }

    fn variable_names(&mut self) {
        let mut named = vec![false; self.values.len()];
        for variable in &self.ir.variables {
            for value in &variable.values {
                // A constant may be the value of many variables.
                if self.ir.constant(*value).is_some() {
                    continue;
                }
                if let (Some(id), false) = (self.values[value.index()], named[value.index()]) {
                    named[value.index()] = true;
                    self.out.name(id, &variable.name);
                }
            }
        }
    }

    fn modes(&mut self, main: Id) {
        let mut mode = |mode: &[u32]| {
            push(&mut self.out.modes, op::EXECUTION_MODE, &[&[main.0], mode].concat());
        };
        if self.ir.io.is_none() {
            let [x, y, z] = self.ir.group_size;
            mode(&[op::MODE_LOCAL_SIZE, x, y, z]);
        }
        if self.out.capabilities.contains(&op::CAP_PIXEL_INTERLOCK) {
            mode(&[op::MODE_PIXEL_INTERLOCK_ORDERED]);
        }
        if self.out.capabilities.contains(&op::CAP_DERIVATIVES_IN_ROWS) {
            mode(&[op::MODE_DERIVATIVES_IN_ROWS]);
        }
        let floats = self.environment.floats;
        // Only for types that are used, since a device may lack the others. For 16 and 64 bits both or neither, because
        // a device may have one mode for both, and then ignores a mode that is set for only one of them.
        let declared = &self.out.capabilities;
        let mut values = self.parts.iter().flat_map(|it| &it.values);
        let single = values.any(|it| it.ty == Ty::F32);
        let others = [op::CAP_FLOAT16, op::CAP_FLOAT64].iter().any(|it| declared.contains(it));
        let has = |ty: Ty| if ty == Ty::F32 { single } else { others };
        for ty in [Ty::F16, Ty::F32, Ty::F64].into_iter().filter(|it| has(*it)) {
            for (sizes, number, capability) in [
                (floats.denorm_preserve, op::MODE_DENORM_PRESERVE, op::CAP_DENORM_PRESERVE),
                (
                    floats.signed_zero_inf_nan,
                    op::MODE_SIGNED_ZERO_INF_NAN,
                    op::CAP_SIGNED_ZERO_INF_NAN,
                ),
                (floats.rounding_rte, op::MODE_ROUNDING_RTE, op::CAP_ROUNDING_RTE),
            ] {
                if !sizes.has(ty) {
                    continue;
                }
                mode(&[number, ty.bits()]);
                self.out.capabilities.insert(capability);
                if self.environment.vulkan.spirv() < 0x0001_0400 {
                    self.out.extensions.insert("SPV_KHR_float_controls");
                }
            }
        }
    }

    /// Requests maximal reconvergence if an operation can observe the difference.
    fn reconvergence(&mut self, main: Id) -> Vec<Warning> {
        let mut insts = self.parts.iter().flat_map(|it| &it.insts);
        if !insts.any(|it| it.op.effects().sees_lanes) {
            return Vec::new();
        }
        if !self.environment.has(Extension::MaximalReconvergence) {
            return vec![Warning::NoMaximalReconvergence];
        }
        self.out.extensions.insert("SPV_KHR_maximal_reconvergence");
        let mode = [main.0, op::MODE_MAXIMALLY_RECONVERGES];
        push(&mut self.out.modes, op::EXECUTION_MODE, &mode);
        Vec::new()
    }

    fn finish(mut self, main: Id, start: Id) -> Emitted {
        if self.parts.len() == 1 {
            self.variable_names();
        }
        let name = self.environment.entry_name.clone().unwrap_or_else(|| self.ir.name.clone());
        self.out.name(main, &name);
        self.stage_modes(main);
        self.modes(main);
        let mut warnings = self.reconvergence(main);
        warnings.extend(self.resources.shares.then_some(Warning::SharedBinding));
        self.aliases();
        // Before SPIR-V 1.4 the interface has only inputs and outputs.
        let whole = self.environment.vulkan.spirv() >= 0x0001_0400;
        let is_shown = |storage: u32| whole || [op::INPUT, op::OUTPUT].contains(&storage);
        let interface = self.interface.iter().filter(|(storage, _)| is_shown(*storage));
        let interface: Vec<u32> = interface.map(|(_, id)| id.0).collect();
        let model = match self.ir.stage {
            Stage::Vertex => op::MODEL_VERTEX,
            Stage::Pixel => op::MODEL_FRAGMENT,
            Stage::Hull => op::MODEL_TESSELLATION_CONTROL,
            Stage::Domain => op::MODEL_TESSELLATION_EVALUATION,
            Stage::Geometry => op::MODEL_GEOMETRY,
            Stage::Mesh => op::MODEL_MESH,
            Stage::Amplification => op::MODEL_TASK,
            _ => op::MODEL_COMPUTE,
        };
        let entry = [vec![model, main.0], string(&name), interface].concat();
        let named = |number: &u32| op::name_of(op::CAPABILITIES, *number).unwrap_or("");
        let reflection = Reflection {
            entry: name,
            group_size: self.ir.group_size,
            wave_size: self.ir.wave_size,
            most_lanes: self.ir.needs.wave_masks.then_some(32),
            bindings: std::mem::take(&mut self.resources.bindings),
            push: self.resources.push.take(),
            capabilities: self.out.capabilities.iter().map(named).collect(),
            extensions: self.out.extensions.iter().copied().collect(),
            warnings,
        };
        let words = self.out.finish(self.environment.vulkan.spirv(), &entry, main, start);
        Emitted { words, reflection }
    }
}

/// Splits a text into pieces that fit into an instruction.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = rest.len().min(MOST_TEXT);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
