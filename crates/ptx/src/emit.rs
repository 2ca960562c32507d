//! The emitter: dispatches each instruction of the IR to the file that lowers it, and writes what surrounds the body.

use std::collections::BTreeMap;
use std::fmt::{Arguments, Write};

use ir::debug::{Debug, Position};
use ir::uniformity::{Uniformities, analyse};
use ir::{Inst, Module, Op, Value};
use legalize::constructs::Constructs;
use legalize::{Known, Rewritten, Target, in_slots, legalize_for, rewritten};
use ops::texture::{Channels, Format};
use ops::{Named, Ty};

use crate::control::{Act, Construct, Pending};
use crate::environment::KernelEnvironment;
use crate::memory::Descriptor;
use crate::text::{Class, Operand, Reg, Text, identifier, put};
use crate::{CannotEmit, Kernel, LANES, MOST_GROUPSHARED, MOST_LANES, coarse_groups};

/// The most threads of a block.
const MOST_THREADS: u32 = 1024;

/// Emits a verified module.
pub fn emit(
    module: &Module,
    environment: &KernelEnvironment,
    debug: &dyn Debug,
) -> Result<Kernel, CannotEmit> {
    let refuse = |what, asked: String| Err(CannotEmit { what, asked, span: ir::Span::NONE });
    if module.io.is_some() || module.group.is_some() {
        let asked = format!("a {} shader", module.stage.name());
        return refuse("inputs and outputs of a stage", asked);
    }
    let size = module.threads_per_group();
    if size == 0 || size > MOST_THREADS {
        return refuse("groups of more than 1024 threads", format!("groups of {size} threads"));
    }
    let bytes = module.groupshared_bytes();
    // Copies are only made for modules without such memory.
    if bytes > MOST_GROUPSHARED {
        let asked = format!("{bytes} bytes of groupshared memory");
        return refuse("more than 48 KB of groupshared memory", asked);
    }
    if !(4..=MOST_LANES).contains(&environment.width) || !environment.width.is_power_of_two() {
        let asked = format!("waves of {} lanes", environment.width);
        return refuse("waves of other than 4 to 128 lanes", asked);
    }
    let mut environment = environment.clone();
    let mut extras = Vec::new();
    let module = &*legalize::without_feedback(module, &environment.feedback);
    let module = &*legalize::without_ray_queries(module);
    let target = environment.target();
    let known = Known {
        width: environment.width,
        dispatch: environment.dispatch.as_ref(),
        sizes: environment.sizes.as_deref(),
        blocks: environment.blocks,
        in_constants: false,
    };
    let record = ir::Binding(module.resources.len() as u32);
    let Rewritten { module, coarse, in_turn } = rewritten(module, &target, &known);
    let record = in_turn.then_some(record);
    let module = &*module;
    if let Some(dispatch) = &mut environment.dispatch {
        dispatch.groups = coarse_groups(dispatch.groups, coarse);
    }
    let lowered;
    let module = match legalize::uses_textures(module) {
        false => module,
        true => {
            if environment.textures.is_empty() {
                environment.textures = module.resources.iter().map(own_formats).collect();
            }
            lowered = legalize::without_textures(module, &environment.textures)?;
            environment.formats.resize(lowered.units.len(), None);
            for (format, unit) in environment.formats.iter_mut().zip(&lowered.units) {
                *format = unit.or(*format);
            }
            extras.clone_from(&lowered.extras);
            &lowered.module
        }
    };
    // Groups in turn have other numbers, and textures other resources.
    let dispatch = environment.dispatch.as_ref().filter(|_| record.is_none() && extras.is_empty());
    let target = target.with_formats(environment.formats.clone());
    let mut legal = legalize_for(module, &target, dispatch);
    if environment.width > LANES {
        legal = in_slots(&legal, environment.width);
        environment.width = LANES;
    }
    let (ir, environment) = (&legal, &environment);
    let uniformity = analyse(ir);
    let mut emitter = Emitter {
        ir,
        environment,
        target: &target,
        debug,
        constructs: Constructs::with_single_lanes(ir, &uniformity),
        sizes: dispatch.map_or(&[], |it| &it.bytes),
        uniformity,
        text: Text::default(),
        values: vec![None; ir.values.len()],
        act: Act::All,
        live: None,
        natural: None,
        open: Vec::new(),
        masks: Vec::new(),
        pending: Pending::default(),
        descriptors: BTreeMap::new(),
        thread: BTreeMap::new(),
        slots: Vec::new(),
        groupshared: Vec::new(),
        privates: Vec::new(),
        waiting: 0,
        in_turn: record.is_some(),
        coarse,
        place: None,
        has_group_barriers: false,
        exit_of: only_exits(ir),
    };
    emitter.bind();
    emitter.declare_arrays();
    emitter.body()?;
    Ok(Kernel { extras, record, ..emitter.finish(ir.threads_per_group().next_multiple_of(LANES)) })
}

/// The format of a texture if nothing is known of what is bound: that of the shader's element type.
fn own_formats(resource: &ir::Resource) -> Vec<Format> {
    let ir::ResourceKind::Texture { element, .. } = &resource.kind else { return Vec::new() };
    let own = ir::texel::own_format(element);
    let channel = own.scalar.channel();
    let channels = Channels::of(own.components);
    channels.and_then(|it| Format::plain(it, channel.bits, channel.encoding)).into_iter().collect()
}

pub(crate) struct Emitter<'a> {
    pub(crate) ir: &'a Module,
    pub(crate) environment: &'a KernelEnvironment,
    pub(crate) target: &'a Target,
    debug: &'a dyn Debug,
    pub(crate) constructs: Constructs,
    pub(crate) uniformity: Uniformities,
    pub(crate) text: Text,
    values: Vec<Option<Operand>>,
    /// The lanes that execute the current instruction.
    pub(crate) act: Act,
    /// The lanes that have not returned, if an instruction needs them.
    pub(crate) live: Option<Reg>,
    /// The natural construct around the current instruction.
    pub(crate) natural: Option<crate::natural::Natural>,
    /// The enclosing constructs that can be exited to.
    pub(crate) open: Vec<Construct>,
    /// Masks of active lanes that have been computed.
    pub(crate) masks: Vec<(Reg, Reg)>,
    /// What has been done to shared memory since the lanes were last synchronised.
    pub(crate) pending: Pending,
    pub(crate) descriptors: BTreeMap<u32, Descriptor>,
    /// The size in bytes of what is bound to each resource; 0 if that is unknown. Resources beyond the end are unknown.
    pub(crate) sizes: &'a [usize],
    /// What identifies the thread, by name.
    pub(crate) thread: BTreeMap<&'static str, Reg>,
    pub(crate) slots: Vec<ir::Binding>,
    /// The offset of each array, and the size of all.
    pub(crate) groupshared: Vec<u32>,
    pub(crate) privates: Vec<u32>,
    /// The number of loops around the current instruction that may wait for other lanes.
    pub(crate) waiting: u32,
    /// Whether groups run in turn: then no loop waits.
    pub(crate) in_turn: bool,
    /// The groups that a block runs at once.
    coarse: u32,
    /// The line of the current instruction.
    place: Option<Position>,
    pub(crate) has_group_barriers: bool,
    /// For each value, whether its only use is in an exit.
    exit_of: Vec<bool>,
}

/// For each value, whether its only use is in an exit.
fn only_exits(module: &Module) -> Vec<bool> {
    let mut only: Vec<bool> = ir::flow::uses(module).into_iter().map(|it| it == 1).collect();
    for data in &module.insts {
        let is_exit = matches!(data.op, Op::Exit { .. });
        data.op.operands().iter().for_each(|it| only[it.index()] &= is_exit);
    }
    only
}

impl Emitter<'_> {
    /// Appends one instruction.
    pub(crate) fn line(&mut self, when: Option<Reg>, text: Arguments<'_>) {
        let body = &mut self.text.body;
        let written = match when {
            None => writeln!(body, "\t{text};"),
            Some(when) => writeln!(body, "\t@{when} {text};"),
        };
        debug_assert!(written.is_ok(), "a string takes everything");
    }

    /// Emits into the prologue.
    pub(crate) fn early<T>(&mut self, emit: impl FnOnce(&mut Self) -> T) -> T {
        let body = std::mem::take(&mut self.text.body);
        let place = self.place.take();
        let result = emit(self);
        let made = std::mem::replace(&mut self.text.body, body);
        self.text.prologue.push_str(&made);
        self.place = place;
        result
    }

    pub(crate) fn unsupported<T>(
        &self,
        what: &'static str,
        asked: impl Into<String>,
        inst: Option<Inst>,
    ) -> Result<T, CannotEmit> {
        Err(CannotEmit::new(what, asked, self.ir, inst))
    }

    pub(crate) fn get(&self, value: Value) -> Operand {
        self.values[value.index()].unwrap_or_else(|| {
            unreachable!("the verifier has checked that operands are defined before they are used")
        })
    }

    pub(crate) fn get_all(&self, values: &[Value]) -> Vec<Operand> {
        values.iter().map(|it| self.get(*it)).collect()
    }

    pub(crate) fn set(&mut self, value: Value, operand: impl Into<Operand>) {
        self.values[value.index()] = Some(operand.into());
    }

    /// A new register for a value.
    pub(crate) fn define(&mut self, value: Value) -> Reg {
        let reg = self.text.reg(Class::of(self.ir.ty(value)));
        self.set(value, reg);
        reg
    }

    /// The operand in a register.
    pub(crate) fn reg(&mut self, operand: Operand) -> Reg {
        match operand {
            Operand::Reg(reg) => reg,
            Operand::Bits(ty, bits) => {
                let class = Class::of(ty);
                let reg = self.text.reg(class);
                let bits = Operand::Bits(ty.as_int(), bits);
                put!(self, "mov.{} {reg}, {bits}", class.bits());
                reg
            }
        }
    }

    /// The operand of a value in a register.
    pub(crate) fn get_reg(&mut self, value: Value) -> Reg {
        let operand = self.get(value);
        self.reg(operand)
    }

    /// Writes the source line of an instruction where it changes.
    fn locate(&mut self, inst: Inst) {
        let place = self.debug.place(self.ir.inst(inst).span);
        if let Some(place) = place
            && self.place.as_ref() != Some(&place)
        {
            let (file, line, column) = (place.file + 1, place.line, place.column);
            let written = writeln!(self.text.body, "\t.loc \t{file} {line} {column}");
            debug_assert!(written.is_ok(), "a string takes everything");
            self.place = Some(place);
        }
    }

    /// Emits an instruction that is not a terminator.
    pub(crate) fn inst(&mut self, inst: Inst) -> Result<(), CannotEmit> {
        if self.is_sunk(inst) {
            return Ok(());
        }
        self.emitted(inst)
    }

    /// Whether an instruction is emitted at the only exit that uses its result, so that lanes that stay do not compute
    /// it. The assembler would not move it there.
    fn is_sunk(&self, inst: Inst) -> bool {
        match &self.ir.inst(inst).results[..] {
            [result] => {
                self.natural.is_some() && self.exit_of[result.index()] && self.is_cheap(inst)
            }
            _ => false,
        }
    }

    /// Emits the values that an exit passes on and that have not been emitted.
    pub(crate) fn sunk(&mut self, args: &[Value]) -> Result<(), CannotEmit> {
        for arg in args {
            if self.values[arg.index()].is_none()
                && let Some(inst) = self.ir.made_by(*arg)
            {
                self.emitted(inst)?;
            }
        }
        Ok(())
    }

    fn emitted(&mut self, inst: Inst) -> Result<(), CannotEmit> {
        self.locate(inst);
        let ir = self.ir;
        let data = ir.inst(inst);
        self.order(inst);
        let results: Vec<Operand> = match &data.op {
            Op::Const { ty, bits } => vec![Operand::Bits(*ty, *bits)],
            // Undefined in the language, zero in all our engines.
            Op::Undef(ty) => vec![Operand::Bits(*ty, 0)],
            Op::Builtin(builtin) => vec![self.builtin(*builtin)],
            Op::Input(_)
            | Op::Eval { .. }
            | Op::InputAt { .. }
            | Op::Output { .. }
            | Op::Discard => unreachable!("`emit` refuses modules with inputs and outputs"),
            Op::Unary(op, a) => vec![self.unary(*op, ir.ty(*a), *a)],
            Op::Binary(op, a, b) => vec![self.binary(*op, ir.ty(*a), *a, *b)],
            Op::Compare(op, a, b) => vec![self.compare(*op, ir.ty(*a), *a, *b)],
            Op::Ternary(op, args) => vec![self.ternary(*op, ir.ty(args[1]), *args)],
            Op::Wave { op, args, lanes } => {
                debug_assert!(lanes.is_none(), "`legalize` expands functions with masks");
                self.wave(*op, args)
            }
            Op::Barrier { barrier, lanes: _ } => {
                self.barrier(*barrier);
                Vec::new()
            }
            Op::Load { place, at } => self.load(inst, *place, *at)?,
            Op::Store { place, at, values } => {
                self.store(inst, *place, *at, values)?;
                Vec::new()
            }
            Op::Atomic { place, at, op, args } => self.atomic(inst, *place, *at, *op, args)?,
            Op::Size { place } => self.size(*place, data.results.len()),
            Op::Counter { place, delta } => vec![self.counter(*place, *delta)],
            Op::Texture(_) => unreachable!("`legalize` has made buffers of textures"),
            Op::Ray(_) => unreachable!("`legalize` has written out ray queries"),
            Op::Derivative(of, value) => vec![self.derivative(*of, *value)],
            Op::SharedLoad { memory, index } => vec![self.shared_load(*memory, *index)],
            Op::SharedStore { memory, index, value } => {
                self.shared_store(*memory, *index, *value);
                Vec::new()
            }
            Op::SharedAtomic { memory, index, op, args } => {
                self.shared_atomic(inst, *memory, *index, *op, args)
            }
            Op::PrivateLoad { memory, index } => vec![self.private_load(*memory, *index)],
            Op::PrivateStore { memory, index, value } => {
                self.private_store(*memory, *index, *value);
                Vec::new()
            }
            // A kernel does not print: the note of the command line says so.
            Op::Print { .. } => Vec::new(),
            Op::Note(_) => unreachable!("`legalize` drops notes"),
            Op::If { .. } | Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. } => {
                return self.construct(inst);
            }
            Op::Yield(_) | Op::Exit { .. } | Op::Return => {
                unreachable!("the end of a region is emitted with the region")
            }
        };
        for (result, operand) in data.results.iter().zip(results) {
            self.set(*result, operand);
        }
        Ok(())
    }

    /// The whole text.
    fn finish(self, threads: u32) -> Kernel {
        let KernelEnvironment { sm, .. } = self.environment;
        // With a suffix, no name is one of PTX's words.
        let entry = format!("{}_kernel", identifier(&self.ir.name));
        let mut text = String::new();
        let mut head = |line: Arguments<'_>| {
            let written = writeln!(text, "{line}");
            debug_assert!(written.is_ok(), "a string takes everything");
        };
        head(format_args!(".version {}", self.environment.version()));
        head(format_args!(".target sm_{sm}"));
        head(format_args!(".address_size 64\n"));
        for (number, source) in (1..).zip(self.debug.sources()) {
            head(format_args!(".file \t{number} \"{}\"", source.name.replace(['"', '\n'], "_")));
        }
        if self.coarse > 1 {
            head(format_args!("// {} groups in a block", self.coarse));
        }
        for (slot, binding) in self.slots.iter().enumerate() {
            let name = identifier(&self.ir.resource(*binding).name);
            head(format_args!("// bindings[{}]: {name}", slot as u32 * crate::DESCRIPTOR_BYTES));
        }
        let shared = self.groupshared.last().copied().unwrap_or(0);
        for (memory, offset) in self.ir.groupshared.iter().zip(&self.groupshared) {
            head(format_args!("// groupshared[{offset}]: {}", identifier(&memory.name)));
        }
        for (memory, offset) in self.ir.privates.iter().zip(&self.privates) {
            head(format_args!("// privates[{offset}]: {}", identifier(&memory.name)));
        }
        head(format_args!(".visible .entry {entry}("));
        if !self.slots.is_empty() {
            let bytes = self.slots.len() as u32 * crate::DESCRIPTOR_BYTES;
            head(format_args!("\t.param .align 8 .b8 bindings[{bytes}]"));
        }
        head(format_args!(")\n.reqntid {threads}, 1, 1\n{{"));
        if shared > 0 {
            head(format_args!("\t.shared .align 16 .b8 groupshared[{shared}];"));
        }
        let private = self.privates.last().copied().unwrap_or(0);
        if private > 0 {
            head(format_args!("\t.local .align 8 .b8 privates[{private}];"));
        }
        text.push_str(&self.text.declarations());
        text.push('\n');
        text.push_str(&self.text.prologue);
        text.push_str(&self.text.body);
        text.push_str("}\n");
        let (slots, extras) = (self.slots, Vec::new());
        Kernel { text, entry, slots, extras, record: None, threads, coarse: self.coarse }
    }

    /// The type of a value, for instructions that only move bits.
    pub(crate) fn bits_of(ty: Ty) -> &'static str {
        Class::of(ty).bits()
    }
}
