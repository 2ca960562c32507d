//! Decodes structured IR into the flat program.
//!
//! Regions become straight-line code; the operands of a terminator become copies between rows.
//! The module must have passed the verifier. There is no recursion, however deeply the module nests.
//!
//! A module with notes costs what it costs without them, instruction for instruction, so that schedules and fuel end
//! turns at the same places. What only notes need is free: arithmetic, and copies between rows. Which copies the module
//! without notes has depends on its rows, so it is decoded too, and its copies are counted instead. Notes without
//! operands leave live ranges in their order, and thereby the rows and copies as they are.
//!
//! For observers of statements alone, the first note of a basic block can represent the others: nothing that they see
//! changes within it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use ir::effort::Effort;
use ir::notes::Note;
use ir::ray::RayCall;
use ir::stage::{EvalPlace, slot_count};
use ir::{Address, Inst, Module, Op, Place, ResourceKind, Span, Texture, TextureCall, Value};
use ops::{Ty, WaveOp};

use crate::allocate::{Allocation, allocate};
use crate::code::*;
use crate::walk::{Event, Walk};

/// Decodes a verified module.
pub fn decode(module: &Module) -> Program {
    // PERF: notes without operands need nothing, so that nothing of them must be free.
    let has_operands = |op: &Op| matches!(op, Op::Note(_)) && !op.operands().is_empty();
    if !module.has_notes() || !module.insts.iter().any(|it| has_operands(&it.op)) {
        return decode_with(module, None, false).0;
    }
    let stripped = ir::notes::strip(module);
    let (program, counted) = decode_with(&stripped.module, None, false);
    let plain = Plain {
        counted,
        insts: stripped.insts,
        values: stripped.values,
        short: ir::turns::short_loops_by_width(&stripped.module),
    };
    let mut noted = decode_with(module, Some(plain), false).0;
    noted.footprint = program.footprint;
    noted
}

/// Decodes a module with notes of its statements alone ([`ir::notes::statements`]), so that observers get one note for
/// each basic block: that of the first statement which begins there. [`Program::blocks`] has the others.
pub fn decode_blocks(module: &Module) -> Program {
    decode_with(module, None, true).0
}

/// Decodes a module to which stores into private arrays have been added, and constants: those instructions and values
/// that the other one does not have. They take no time, so that turns end at the same places.
pub fn decode_marked(marked: &Module, module: &Module) -> Program {
    let counted = decode_with(module, None, false).1;
    let own = |all: usize, count: usize| {
        (0..all as u32).map(move |it| ((it as usize) < count).then_some(it))
    };
    let insts = own(marked.insts.len(), module.insts.len()).map(|it| it.map(Inst)).collect();
    let values = own(marked.values.len(), module.values.len()).map(|it| it.map(Value)).collect();
    let short = ir::turns::short_loops_by_width(module);
    decode_with(marked, Some(Plain { counted, insts, values, short }), false).0
}

/// Decodes a module. If it has notes with operands, it comes with what the module without them gave.
fn decode_with(module: &Module, plain: Option<Plain>, joins_notes: bool) -> (Program, Counted) {
    let short = match &plain {
        None => ir::turns::short_loops_by_width(module),
        Some(plain) => {
            let all = (0..).map(Inst).zip(&plain.insts);
            all.filter_map(|(inst, own)| Some((inst, *plain.short.get(&(*own)?)?))).collect()
        }
    };
    let is_only_noted =
        |it: Value| plain.as_ref().is_some_and(|plain| plain.values[it.index()].is_none());
    let mut decoder = Decoder {
        module,
        allocation: allocate(module, &is_only_noted),
        program: empty_program(module),
        labels: Vec::new(),
        open: Vec::new(),
        frames: Vec::new(),
        spare: [None; 3],
        here: Inst(0),
        short,
        counted: Counted::default(),
        plain,
        joins_notes,
        block: None,
    };
    for event in Walk::new(module) {
        decoder.visit(event);
    }
    decoder.finish()
}

/// What a module without notes spends on control flow, in the order of the walk.
#[derive(Default)]
struct Counted {
    /// For each list of parallel copies, how many there are.
    copies: VecDeque<u32>,
    /// For each case of a switch, whether it has parameters.
    cases: VecDeque<bool>,
}

/// What the module without notes gave.
struct Plain {
    counted: Counted,
    /// The numbers of instructions and values without notes; `None` for what only notes need.
    insts: Vec<Option<Inst>>,
    values: Vec<Option<Value>>,
    short: HashMap<Inst, u8>,
}

fn empty_program(module: &Module) -> Program {
    let array = |it: &ir::Memory| Array { ty: it.ty, len: it.len };
    Program {
        codes: Vec::new(),
        origins: Vec::new(),
        spans: module.insts.iter().map(|it| it.span).chain([Span::NONE]).collect(),
        rows: RowCounts::default(),
        constants: Vec::new(),
        waves: Vec::new(),
        barriers: Vec::new(),
        accesses: Vec::new(),
        textures: Vec::new(),
        rays: Vec::new(),
        prints: Vec::new(),
        notes: Vec::new(),
        begun: Vec::new(),
        own_rows: RowCounts::default(),
        switches: Vec::new(),
        resources: module.resources.iter().map(|it| it.kind.clone()).collect(),
        coherent: module.resources.iter().map(|it| it.globally_coherent).collect(),
        checked: checked(module),
        groupshared: module.groupshared.iter().map(array).collect(),
        privates: module.privates.iter().map(array).collect(),
        queries: ir::ray::slots(module),
        group_size: module.group_size,
        wave_size: module.wave_size,
        wave_masks: module.needs.wave_masks,
        footprint: ir::exec::Footprint::of(module),
        evals: Vec::new(),
        slots: module.io.as_ref().map(|io| [slot_count(&io.inputs), slot_count(&io.outputs)]),
        helpers_take_part: module.helpers_take_part(),
    }
}

/// The coherent resources that plain stores go to.
fn checked(module: &Module) -> Vec<bool> {
    let mut all = vec![false; module.resources.len()];
    for inst in &module.insts {
        if let Op::Store { place, .. } = &inst.op {
            let binding = place.binding.index();
            all[binding] = module.resources[binding].globally_coherent;
        }
    }
    all
}

struct Decoder<'m> {
    module: &'m Module,
    allocation: Allocation,
    program: Program,
    /// The position of each label in the code.
    labels: Vec<u32>,
    open: Vec<Open>,
    /// The constructs that currently own a frame, outermost first.
    frames: Vec<Inst>,
    /// A spare row for each representation, which breaks cycles of parallel copies.
    spare: [Option<Row>; 3],
    /// The instruction being decoded.
    here: Inst,
    /// For loops whose iterations do not count, the widths at which they do not.
    short: HashMap<Inst, u8>,
    counted: Counted,
    /// In a module with notes that have operands.
    plain: Option<Plain>,
    /// Whether the first note of a basic block represents the others.
    joins_notes: bool,
    /// That note, by its number in the program, if the block has one already.
    block: Option<usize>,
}

/// A region being decoded.
struct Open {
    construct: Option<Inst>,
    index: usize,
    /// Its end, where execution continues when none of its lanes is left.
    skip: Target,
    /// Its start, for the back edge of a loop.
    start: u32,
}

impl<'m> Decoder<'m> {
    fn visit(&mut self, event: Event) {
        match event {
            Event::Plain(inst) => {
                self.here = inst;
                self.plain(inst);
            }
            Event::Begin(inst) => {
                self.here = inst;
                self.begin(inst);
            }
            Event::Open { construct, index, .. } => self.open(construct, index),
            Event::Terminator(inst) => {
                self.here = inst;
                self.terminator(inst);
            }
            Event::Close { construct, index } => self.close(construct, index),
            Event::End(inst) => self.end(inst),
        }
    }

    fn begin(&mut self, inst: Inst) {
        let data = self.module.inst(inst);
        match &data.op {
            Op::If { cond, .. } => {
                let otherwise = self.label();
                let cond = self.row(*cond);
                self.emit(Code::If { cond, otherwise });
            }
            Op::Loop { body, inits } => {
                self.copy_all(&self.module.region(*body).params, inits);
                self.emit(Code::Enter);
            }
            Op::Block { .. } => self.emit(Code::Enter),
            Op::Switch { selector, cases, inits } => {
                // The defaults for lanes that select no case; all other lanes overwrite them.
                self.copy_all(&data.results, inits);
                let table = SwitchCode {
                    selector: self.row(*selector),
                    cases: cases.iter().map(|case| case.labels.clone()).collect(),
                    default: cases.iter().position(|case| case.default),
                };
                self.program.switches.push(table);
                self.emit(Code::Switch(self.program.switches.len() as u32 - 1));
            }
            _ => unreachable!("the walk begins constructs only"),
        }
        self.frames.push(inst);
    }

    fn open(&mut self, construct: Option<Inst>, index: usize) {
        // The first arm of an `if` ends where the second starts; `begin` has already made a label for that.
        let is_then = |op: &Op| matches!(op, Op::If { .. }) && index == 0;
        let skip = match construct {
            Some(inst) if is_then(&self.module.inst(inst).op) => {
                Target(self.labels.len() as u32 - 1)
            }
            _ => self.label(),
        };
        let start = self.program.codes.len() as u32;
        self.open.push(Open { construct, index, skip, start });
        let Some(inst) = construct else { return };
        self.here = inst;
        match &self.module.inst(inst).op {
            Op::If { .. } if index == 1 => self.emit(Code::Else { end: skip }),
            Op::Switch { cases, inits, .. } => {
                let params = &self.module.region(cases[index].body).params;
                self.counted.cases.push_back(!params.is_empty());
                let has_own = match &mut self.plain {
                    Some(plain) => plain.counted.cases.pop_front().unwrap_or(false),
                    None => !params.is_empty(),
                };
                if index == 0 || params.is_empty() {
                    self.copy_all(params, inits);
                    self.emit(Code::Case { index: index as u32, next: skip });
                } else {
                    if !has_own {
                        // Without notes, these two are one.
                        self.emit(Code::Free);
                    }
                    self.emit(Code::CaseSelect { index: index as u32 });
                    self.blend_all(params, inits);
                    self.emit(Code::CaseJoin { next: skip });
                }
            }
            _ => {}
        }
    }

    fn terminator(&mut self, inst: Inst) {
        let open = self.open.last().unwrap_or_else(|| unreachable!("a terminator is in a region"));
        let (construct, index, skip) = (open.construct, open.index, open.skip);
        match &self.module.inst(inst).op {
            Op::Return => self.emit(Code::Return { skip }),
            Op::Exit { to, args } => {
                self.blend_all(&self.module.inst(*to).results, args);
                let depth = self.frames.iter().rposition(|it| it == to);
                let depth = depth.unwrap_or_else(|| {
                    unreachable!("the verifier has checked that {to} encloses its exits")
                });
                let up = (self.frames.len() - 1 - depth) as u32;
                self.emit(Code::Exit { up, to: *to, skip });
            }
            Op::Yield(args) => {
                let Some(construct) = construct else { return self.emit(Code::Return { skip }) };
                let data = self.module.inst(construct);
                match &data.op {
                    // No lane has written the results yet.
                    Op::If { .. } if index == 0 => self.copy_all(&data.results, args),
                    Op::Loop { body, .. } => {
                        self.copy_parallel(&self.module.region(*body).params, args)
                    }
                    Op::Switch { cases, .. } => match cases.get(index + 1) {
                        Some(next) => self.copy_all(&self.module.region(next.body).params, args),
                        None => self.blend_all(&data.results, args),
                    },
                    _ => self.blend_all(&data.results, args),
                }
            }
            _ => unreachable!("the walk reports no other instruction as a terminator"),
        }
    }

    fn close(&mut self, construct: Option<Inst>, index: usize) {
        let open =
            self.open.pop().unwrap_or_else(|| unreachable!("a region closes after it was opened"));
        self.bind(open.skip);
        let Some(inst) = construct else { return self.emit(Code::Halt) };
        self.here = inst;
        let skip = self.outer_skip();
        if let Op::Loop { .. } = self.module.inst(inst).op {
            debug_assert_eq!(index, 0);
            let start = Target(self.label().0);
            self.labels[start.0 as usize] = open.start;
            let short = self.short.get(&inst).copied().unwrap_or(0);
            self.emit(Code::Next { start, skip, short });
        }
    }

    fn end(&mut self, inst: Inst) {
        self.here = inst;
        self.frames.pop();
        if !matches!(self.module.inst(inst).op, Op::Loop { .. }) {
            let skip = self.outer_skip();
            self.emit(Code::End { skip });
        }
    }

    /// The end of the region that contains the construct which has just ended.
    fn outer_skip(&self) -> Target {
        self.open
            .last()
            .map(|it| it.skip)
            .unwrap_or_else(|| unreachable!("every construct is in a region"))
    }

    fn plain(&mut self, inst: Inst) {
        let module = self.module;
        let data = module.inst(inst);
        if let Op::Note(note) = &data.op {
            return self.note(note);
        }
        let is_only_noted =
            self.plain.as_ref().is_some_and(|plain| plain.insts[inst.index()].is_none());
        if is_only_noted {
            return self.only_noted(inst);
        }
        if let Some(effort) = Effort::of(&data.op) {
            self.emit(Code::Effort(effort));
        }
        self.plain_inst(inst);
    }

    /// An instruction without effects whose result only notes use.
    fn only_noted(&mut self, inst: Inst) {
        let op = &self.module.inst(inst).op;
        if matches!(op, Op::Const { .. } | Op::Undef(_)) {
            return;
        }
        let has_hazards = op.has_hazards(|it| self.module.ty(it));
        // Each of these four leaves the budget as it was, so that no turn ends between them.
        if has_hazards {
            self.emit(Code::Hazards(false));
        }
        self.emit(Code::Free);
        self.plain_inst(inst);
        if has_hazards {
            self.emit(Code::Hazards(true));
        }
    }

    fn note(&mut self, note: &Note) {
        let values = match note {
            Note::Write { values, .. } => self.rows(values),
            Note::Statement { .. } | Note::Call { .. } | Note::Return { .. } => Vec::new(),
        };
        let number = self.program.notes.len();
        let begun = &mut self.program.begun;
        let mut block = None;
        if self.joins_notes {
            let at = begun.len();
            begun.push(BlockNote { inst: self.here, position: self.program.codes.len() });
            if let Some(block) = self.block.and_then(|it| self.program.notes[it].block.as_mut()) {
                block.end += 1;
                return;
            }
            block = Some(at..at + 1);
            self.block = Some(number);
        }
        self.program.notes.push(NoteCode { note: note.clone(), values, block });
        self.emit(Code::Note(number as u32));
    }

    fn plain_inst(&mut self, inst: Inst) {
        let module = self.module;
        let data = module.inst(inst);
        let to = data.results.first().map(|it| self.row(*it));
        let result = || {
            to.unwrap_or_else(|| unreachable!("the verifier has checked that {inst} has a result"))
        };
        let without_helpers = module.has_helpers() && data.op.skips_helpers();
        if without_helpers {
            self.emit(Code::WithoutHelpers);
        }
        match &data.op {
            // Constant rows are filled once.
            Op::Const { .. } | Op::Undef(_) => {}
            Op::Input(slot) => self.emit(Code::Input { slot: *slot, to: result() }),
            Op::Eval { slot, place } => {
                let place = match *place {
                    EvalPlace::Centroid => EvalPlace::Centroid,
                    EvalPlace::Sample(index) => EvalPlace::Sample(self.row(index)),
                    EvalPlace::Snapped(x, y) => EvalPlace::Snapped(self.row(x), self.row(y)),
                };
                self.eval(EvalCode { slot: *slot, at: EvalAt::Place(place), to: result() });
            }
            Op::InputAt { slot, vertex } => {
                let at = EvalAt::Vertex(self.row(*vertex));
                self.eval(EvalCode { slot: *slot, at, to: result() });
            }
            Op::Output { slot, value } => {
                let value = self.row(*value);
                self.emit(Code::Output { slot: *slot, value });
            }
            Op::Discard => {
                let skip = self.outer_skip();
                self.emit(Code::Discard { skip });
            }
            Op::Builtin(builtin) => self.emit(Code::Builtin { builtin: *builtin, to: result() }),
            Op::Unary(op, a) => {
                let code =
                    Code::Unary { op: *op, ty: module.ty(*a), to: result(), a: self.row(*a) };
                self.emit(code);
            }
            Op::Binary(op, a, b) => {
                let (ty, a, b) = (module.ty(*a), self.row(*a), self.row(*b));
                self.emit(Code::Binary { op: *op, ty, to: result(), a, b });
            }
            Op::Compare(op, a, b) => {
                let (ty, a, b) = (module.ty(*a), self.row(*a), self.row(*b));
                self.emit(Code::Compare { op: *op, ty, to: result(), a, b });
            }
            Op::Ternary(op, args) => {
                // The last operand has the type of the result, in a select too.
                let (ty, args) = (module.ty(args[2]), args.map(|it| self.row(it)));
                self.emit(Code::Ternary { op: *op, ty, to: result(), args });
            }
            Op::Wave { op, args, lanes } => {
                let code = WaveCode {
                    op: *op,
                    ty: args.first().map_or(Ty::I32, |it| module.ty(*it)),
                    args: self.rows(args),
                    results: self.rows(&data.results),
                    lanes: lanes.map(|it| self.row(it)),
                    sees_helpers: module.has_helpers()
                        && (!module.helpers_take_part() || *op == WaveOp::IsHelperLane),
                };
                self.program.waves.push(code);
                self.emit(Code::Wave(self.program.waves.len() as u32 - 1));
            }
            Op::Barrier { barrier, lanes } => {
                let lanes = lanes.map(|it| self.row(it));
                self.program.barriers.push(BarrierCode { barrier: *barrier, lanes });
                self.emit(Code::Barrier(self.program.barriers.len() as u32 - 1));
            }
            Op::Load { place, at } => {
                let ty = data.results.first().map_or(Ty::I32, |it| module.ty(*it));
                let values = self.rows(&data.results);
                let access = AccessCode { values, ..self.access(*place, Some(*at), ty) };
                let table = self.push_access(access);
                self.emit(Code::Load(table));
            }
            Op::Store { place, at, values } => {
                let ty = values.first().map_or(Ty::I32, |it| module.ty(*it));
                let values = self.rows(values);
                let access = AccessCode { values, ..self.access(*place, Some(*at), ty) };
                let table = self.push_access(access);
                self.emit(Code::Store(table));
            }
            Op::Atomic { place, at, op, args } => {
                let ty = args.first().map_or(Ty::I32, |it| module.ty(*it));
                let values = self.rows(args);
                let access = self.access(*place, Some(*at), ty);
                let table = self.push_access(AccessCode {
                    values,
                    result: to,
                    atomic: Some(*op),
                    ..access
                });
                self.emit(Code::Atomic(table));
            }
            Op::Size { place } => {
                let values = self.rows(&data.results);
                let access = AccessCode { values, ..self.access(*place, None, Ty::I32) };
                let table = self.push_access(access);
                self.emit(Code::Size(table));
            }
            Op::Counter { place, delta } => {
                let access =
                    AccessCode { delta: *delta, result: to, ..self.access(*place, None, Ty::I32) };
                let table = self.push_access(access);
                self.emit(Code::Counter(table));
            }
            Op::Texture(texture) => {
                let code = self.texture(texture, &data.results);
                self.program.textures.push(code);
                self.emit(Code::Texture(self.program.textures.len() as u32 - 1));
            }
            Op::Ray(ray) => {
                let call = RayCall::new(module, ray, |it| self.row(it));
                let results = self.rows(&data.results);
                self.program.rays.push(RayCode { call, results });
                self.emit(Code::Ray(self.program.rays.len() as u32 - 1));
            }
            Op::Derivative(of, a) => {
                let (ty, a) = (module.ty(*a), self.row(*a));
                self.emit(Code::Derivative { of: *of, ty, to: result(), a });
            }
            Op::SharedLoad { memory, index } => {
                let index = self.row(*index);
                self.emit(Code::SharedLoad { memory: *memory, to: result(), index });
            }
            Op::SharedStore { memory, index, value } => {
                let (index, value) = (self.row(*index), self.row(*value));
                self.emit(Code::SharedStore { memory: *memory, index, value });
            }
            Op::SharedAtomic { memory, index, op, args } => {
                let ty = module.groupshared[memory.index()].ty;
                let access = AccessCode {
                    binding: ir::Binding(0),
                    storage: ir::Binding(0),
                    element: None,
                    at: AddressCode::None,
                    ty,
                    values: self.rows(args),
                    result: to,
                    atomic: Some(*op),
                    delta: 0,
                };
                let table = self.push_access(access);
                let index = self.row(*index);
                self.emit(Code::SharedAtomic { memory: *memory, index, table });
            }
            Op::PrivateLoad { memory, index } => {
                let index = self.row(*index);
                self.emit(Code::PrivateLoad { memory: *memory, to: result(), index });
            }
            Op::PrivateStore { memory, index, value } => {
                let (index, value) = (self.row(*index), self.row(*value));
                self.emit(Code::PrivateStore { memory: *memory, index, value });
            }
            Op::Print { message, args } => {
                let kind = module.messages[message.index()].kind;
                let code = PrintCode { kind, message: *message, args: self.rows(args) };
                self.program.prints.push(code);
                self.emit(Code::Print(self.program.prints.len() as u32 - 1));
            }
            Op::Note(_)
            | Op::If { .. }
            | Op::Loop { .. }
            | Op::Switch { .. }
            | Op::Block { .. }
            | Op::Yield(_)
            | Op::Exit { .. }
            | Op::Return => unreachable!("the walk reports none of these as plain"),
        }
        if without_helpers {
            self.emit(Code::WithHelpers { result: to });
        }
    }

    fn eval(&mut self, code: EvalCode) {
        self.program.evals.push(code);
        self.emit(Code::Eval(self.program.evals.len() as u32 - 1));
    }

    fn access(&self, place: Place, at: Option<Address>, ty: Ty) -> AccessCode {
        let at = match at {
            Some(Address::Structured { index, offset }) => {
                let stride = match self.program.resources[place.binding.index()] {
                    ResourceKind::Structured { stride, .. } => stride,
                    _ => 0,
                };
                AddressCode::Structured { index: self.row(index), offset: self.row(offset), stride }
            }
            Some(Address::Byte(at)) => AddressCode::Byte(self.row(at)),
            Some(Address::Texel(at)) => AddressCode::Texel(self.row(at)),
            Some(Address::Within { unit, bytes, when }) => {
                let (index, when) = (self.row(unit), when.map(|it| self.row(it)));
                match bytes {
                    0 => AddressCode::CheckedTexel { index, when },
                    _ => AddressCode::Unit { index, bytes, when },
                }
            }
            None => AddressCode::None,
        };
        let element = place.element.map(|it| self.row(it));
        AccessCode {
            binding: place.binding,
            storage: self.module.storage(place.binding),
            element,
            at,
            ty,
            values: Vec::new(),
            result: None,
            atomic: None,
            delta: 0,
        }
    }

    fn texture(&self, texture: &Texture, results: &[Value]) -> TextureCode {
        let call = TextureCall::new(self.module, texture, results, |it| self.row(it));
        TextureCode { call, results: self.rows(results) }
    }

    fn push_access(&mut self, access: AccessCode) -> u32 {
        self.program.accesses.push(access);
        self.program.accesses.len() as u32 - 1
    }

    fn row(&self, value: Value) -> Row {
        self.allocation.row(value)
    }

    fn rows(&self, values: &[Value]) -> Vec<Row> {
        values.iter().map(|it| self.row(*it)).collect()
    }

    fn emit(&mut self, code: Code) {
        if code.ends_block() {
            self.block = None;
        }
        self.program.codes.push(code);
        self.program.origins.push(self.here);
    }

    /// Emits copies. In a module with notes they are free, and what they cost without notes comes first.
    fn copies(&mut self, copies: impl FnOnce(&mut Self)) {
        if let Some(plain) = &mut self.plain {
            let count = plain.counted.copies.pop_front().unwrap_or(0);
            (0..count).for_each(|_| self.emit(Code::Pass));
        }
        let before = self.program.codes.len();
        copies(self);
        self.counted.copies.push_back((self.program.codes.len() - before) as u32);
    }

    fn emit_copy(&mut self, code: Code) {
        if self.plain.is_some() {
            self.emit(Code::Free);
        }
        self.emit(code);
    }

    /// Sources and destinations are disjoint: no destination is written while a source is still needed.
    fn copy_all(&mut self, to: &[Value], from: &[Value]) {
        self.each_copy(to, from, |to, from| Code::Copy { to, from });
    }

    fn blend_all(&mut self, to: &[Value], from: &[Value]) {
        self.each_copy(to, from, |to, from| Code::Blend { to, from });
    }

    fn each_copy(&mut self, to: &[Value], from: &[Value], code: fn(Row, Row) -> Code) {
        self.copies(|this| {
            for (to, from) in to.iter().zip(from) {
                let (to, from) = (this.row(*to), this.row(*from));
                if to != from {
                    this.emit_copy(code(to, from));
                }
            }
        });
    }

    /// Parallel copies: a loop may swap its parameters.
    fn copy_parallel(&mut self, to: &[Value], from: &[Value]) {
        self.copies(|this| this.emit_parallel(to, from));
    }

    fn emit_parallel(&mut self, to: &[Value], from: &[Value]) {
        let mut waiting: BTreeMap<Row, Row> = BTreeMap::new();
        let mut readers: BTreeMap<Row, usize> = BTreeMap::new();
        for (to, from) in to.iter().zip(from) {
            let (to, from) = (self.row(*to), self.row(*from));
            if to != from {
                waiting.insert(to, from);
                *readers.entry(from).or_default() += 1;
            }
        }
        // A row that is no longer read can be overwritten.
        let mut ready: Vec<Row> =
            waiting.keys().filter(|to| !readers.contains_key(to)).copied().collect();
        loop {
            while let Some(to) = ready.pop() {
                let Some(from) = waiting.remove(&to) else { continue };
                self.emit_copy(Code::Copy { to, from });
                let left = readers.entry(from).or_default();
                *left -= 1;
                if *left == 0 {
                    readers.remove(&from);
                    ready.push(from);
                }
            }
            // Only cycles are left: save one row of each in the spare row, which is free again after the cycle.
            let Some((broken, _)) = waiting.first_key_value().map(|(to, from)| (*to, *from)) else {
                return;
            };
            let repr = broken.repr();
            let spare =
                *self.spare[repr as usize].get_or_insert_with(|| self.allocation.extra(repr));
            self.emit_copy(Code::Copy { to: spare, from: broken });
            waiting.values_mut().filter(|from| **from == broken).for_each(|from| *from = spare);
            if let Some(count) = readers.remove(&broken) {
                readers.insert(spare, count);
            }
            ready.push(broken);
        }
    }

    fn label(&mut self) -> Target {
        self.labels.push(u32::MAX);
        Target(self.labels.len() as u32 - 1)
    }

    fn bind(&mut self, label: Target) {
        self.labels[label.0 as usize] = self.program.codes.len() as u32;
    }

    fn finish(mut self) -> (Program, Counted) {
        let labels = self.labels;
        let resolve = |target: &mut Target| *target = Target(labels[target.0 as usize]);
        for code in &mut self.program.codes {
            match code {
                Code::If { otherwise: it, .. }
                | Code::Else { end: it }
                | Code::Case { next: it, .. }
                | Code::CaseJoin { next: it }
                | Code::End { skip: it }
                | Code::Exit { skip: it, .. }
                | Code::Discard { skip: it }
                | Code::Return { skip: it } => resolve(it),
                Code::Next { start, skip, .. } => {
                    resolve(start);
                    resolve(skip);
                }
                Code::Unary { .. }
                | Code::Binary { .. }
                | Code::Compare { .. }
                | Code::Ternary { .. }
                | Code::Builtin { .. }
                | Code::Input { .. }
                | Code::Eval(_)
                | Code::Output { .. }
                | Code::WithoutHelpers
                | Code::WithHelpers { .. }
                | Code::Copy { .. }
                | Code::Blend { .. }
                | Code::Wave(_)
                | Code::Barrier(_)
                | Code::Load(_)
                | Code::Store(_)
                | Code::Atomic(_)
                | Code::Size(_)
                | Code::Counter(_)
                | Code::Texture(_)
                | Code::Ray(_)
                | Code::Print(_)
                | Code::Effort(_)
                | Code::Note(_)
                | Code::Free
                | Code::Hazards(_)
                | Code::Pass
                | Code::Derivative { .. }
                | Code::SharedLoad { .. }
                | Code::SharedStore { .. }
                | Code::SharedAtomic { .. }
                | Code::PrivateLoad { .. }
                | Code::PrivateStore { .. }
                | Code::Enter
                | Code::Switch(_)
                | Code::CaseSelect { .. }
                | Code::Halt => {}
            }
        }
        self.program.rows = self.allocation.counts;
        self.program.own_rows = match self.plain {
            Some(_) => self.allocation.own,
            None => self.allocation.counts,
        };
        self.program.constants = std::mem::take(&mut self.allocation.constants);
        (self.program, self.counted)
    }
}
