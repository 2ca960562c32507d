//! The verifier: checks that a module is well formed. Engines and analyses rely on the invariants listed here and
//! check nothing themselves.
//!
//! # The header
//! - Each dimension of the group is at least 1, and a group has at most 1024 threads.
//! - Wave sizes are powers of two from 4 to 128; a maximum comes with a minimum, a preferred size with both and between
//!   them.
//! - Resources bind to registers of their class, arrays have at least one element, strides are not 0, texels have 1
//!   to 4 components; a resource that an instruction names is marked as used.
//! - An alias and the resource whose memory it names are two buffers, neither of them an array, of constants or with a
//!   hidden counter; the latter is not an alias itself.
//! - Members lie inside their constant buffer or element, with 1 to 4 components in 1 to 4 vectors.
//! - Groupshared and private memories have at least one scalar, and arrays of ray queries one query; there are at most
//!   65535 queries.
//! - Variables name values that exist.
//! - Shaders have a signature if and only if their lanes come from a feed; its elements have 1 to 4 components, and no
//!   semantic occurs twice on one side of one holder. Only a pixel shader has the traits of one, and only geometry,
//!   hull and domain shaders have a shape.
//! - The last resources of mesh and amplification shaders, and of no others, are the buffers of [`crate::group`].
//!
//! # Structure
//! - Every region, instruction and value belongs to exactly one position of the tree below the body, and records
//!   it.
//! - Every region ends with a terminator, and has no other.
//! - Regions nest at most [`crate::text::MOST_DEPTH`] deep.
//! - Only the bodies of loops and the cases of switches have parameters, with the types of the construct's initial
//!   values.
//!
//! # Values
//! - An operand is visible: a parameter of this region or an enclosing one, or a result of an earlier instruction
//!   in one of these.
//! - Results leave a construct through terminators: the arguments of a yield or exit have the types that its target
//!   takes.
//! - An exit names an enclosing `loop`, `switch` or `block`.
//!
//! # Operations
//! - The number and types of operands and results match the operation.
//! - Constants and case labels fit their type; the labels of a switch are distinct, and at most one case is the
//!   default.
//! - Bindings and memories exist; an access suits the kind of its resource: its address, writing, counters, and the
//!   number of scalars, 1 to 16, or at most 4 for a texel. Indices, offsets and elements of resource arrays are
//!   `i32`.
//! - Atomics work on integers of 32 or 64 bits; exchanges also on `f32`.
//! - A new ray query names its slots, a trace its scene; a query has the field that is read.
//! - A texture instruction suits its texture: the operation, and the number of operands for each role.
//! - The scopes that instructions are in exist, and so do the scopes and scalars that notes name. A scope comes after
//!   its caller.
//! - The format of a message suits its types, and an instruction that prints has operands of these types.
//! - Slots exist, and values have their types. Only pixel shaders discard, and read inputs elsewhere than where they
//!   were declared.
//! - A mask of named lanes is an `i32`; only barriers at which a wave waits take one.

mod resources;
mod stage;

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use diag::Span;
use ops::intrinsics::Stage;
use ops::texture::Dim;
use ops::wave::{Operands, Results};
use ops::{Named, SyncScope, Ternary, Ty, WaveOp};

use crate::group;
use crate::notes::{Note, ScopeId};
use crate::ray::MOST_SLOTS;
use crate::stage::{PixelTraits, StageTraits, element_of, slot_count};
use crate::text::MOST_DEPTH;
use crate::{
    Address, Atomic, Binding, Builtin, Case, Contents, Inst, InstData, Member, Memory, Module, Op,
    Place, QueryData, ROLES, Ray, RayOp, Region, RegisterClass, Resource, ResourceKind, Slot,
    Texture, TextureOp, Value, ValueDef, WaveSize,
};

/// The most threads in a group.
const MOST_GROUP: u64 = 1024;

/// After this many problems the rest is omitted.
const MOST_PROBLEMS: usize = 100;

/// The most scalars that one access can move: those of a matrix.
const MOST_SCALARS: usize = 16;

/// A violated invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The instruction concerned; `None` for the module as a whole.
    pub inst: Option<Inst>,
    pub span: Span,
    pub message: String,
}

impl std::error::Error for Problem {}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inst {
            Some(inst) => write!(f, "{inst}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Checks everything listed in the module documentation.
pub fn verify(module: &Module) -> Result<(), Vec<Problem>> {
    let mut verifier = Verifier {
        module,
        problems: Vec::new(),
        at: None,
        region_used: vec![false; module.regions.len()],
        inst_used: vec![false; module.insts.len()],
        value_defined: vec![false; module.values.len()],
        visible: vec![false; module.values.len()],
        scope: Vec::new(),
        targets: Vec::new(),
    };
    verifier.header();
    verifier.scopes();
    verifier.region(module.body, Frame { role: "the body", params: &[], yields: &[] }, 0);
    verifier.nothing_is_left_over();
    if verifier.problems.is_empty() { Ok(()) } else { Err(verifier.problems) }
}

struct Verifier<'a> {
    module: &'a Module,
    problems: Vec<Problem>,
    /// The instruction being checked.
    at: Option<Inst>,
    region_used: Vec<bool>,
    inst_used: Vec<bool>,
    value_defined: Vec<bool>,
    /// The values that can be named here.
    visible: Vec<bool>,
    /// The visible ones, in the order in which they became visible.
    scope: Vec<Value>,
    /// The enclosing constructs that an exit can name.
    targets: Vec<Inst>,
}

/// The requirements for a region.
#[derive(Clone, Copy)]
struct Frame<'a> {
    role: &'a str,
    /// The types of its parameters.
    params: &'a [Ty],
    /// The types that it must yield.
    yields: &'a [Ty],
}

/// Displays types in a message.
struct Types<'a>(&'a [Ty]);

impl Display for Types<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, ty) in self.0.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ", " }, ty.name())?;
        }
        f.write_str(")")
    }
}

impl<'a> Verifier<'a> {
    fn problem(&mut self, message: impl Into<String>) {
        if self.problems.len() < MOST_PROBLEMS {
            let span = self.at.map_or(Span::NONE, |inst| self.module.inst(inst).span);
            self.problems.push(Problem { inst: self.at, span, message: message.into() });
        }
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.problem(message());
        }
    }

    // The header.

    fn header(&mut self) {
        let module = self.module;
        let [x, y, z] = module.group_size.map(u64::from);
        let threads = x.saturating_mul(y).saturating_mul(z);
        self.require(threads != 0, || format!("the group size {x}, {y}, {z} contains a 0"));
        self.require(threads <= MOST_GROUP, || {
            format!("a group has {threads} threads, more than {MOST_GROUP}")
        });
        self.wave_size(module.wave_size);
        self.stage_io();
        for resource in &module.resources {
            self.resource(resource);
        }
        for Memory { name, ty: _, len, span: _ } in
            module.groupshared.iter().chain(&module.privates)
        {
            self.require(*len != 0, || format!("the memory `{name}` is empty"));
        }
        for QueryData { name, flags: _, len, span: _ } in &module.queries {
            self.require(*len != 0, || format!("the array of ray queries `{name}` is empty"));
        }
        let slots = module.queries.iter().map(|it| u64::from(it.len)).sum::<u64>();
        self.require(slots <= u64::from(MOST_SLOTS), || {
            format!("there are {slots} ray queries, more than {MOST_SLOTS}")
        });
        for (i, message) in module.messages.iter().enumerate() {
            if let Err(why) = message.parsed() {
                self.problem(format!("the message m{i} is wrong: {why}"));
            }
        }
        for variable in &module.variables {
            for value in &variable.values {
                let exists = value.index() < module.values.len();
                self.require(exists, || {
                    format!("the variable `{}` names {value}, which does not exist", variable.name)
                });
            }
        }
        for (value, _) in &module.non_uniform {
            let exists = value.index() < module.values.len();
            self.require(exists, || format!("{value} is marked, but does not exist"));
        }
    }

    fn wave_size(&mut self, size: WaveSize) {
        let WaveSize { min, max, preferred } = size;
        let legal = |it: u32| it == 0 || it.is_power_of_two() && (4..=128).contains(&it);
        let ordered = match (min, max, preferred) {
            (0, max, preferred) => max == 0 && preferred == 0,
            (_, 0, preferred) => preferred == 0,
            (min, max, 0) => min <= max,
            (min, max, preferred) => min <= preferred && preferred <= max,
        };
        let fine = legal(min) && legal(max) && legal(preferred) && ordered;
        self.require(fine, || format!("the wave size {min}, {max}, {preferred} is not valid"));
    }

    // Structure.

    fn region(&mut self, region: Region, frame: Frame<'_>, depth: usize) {
        let module = self.module;
        let Some(data) = module.regions.get(region.index()) else {
            return self.problem(format!("{region} does not exist"));
        };
        if std::mem::replace(&mut self.region_used[region.index()], true) {
            return self.problem(format!("{region} is used twice"));
        }
        if depth >= MOST_DEPTH {
            return self.problem(format!("regions nest more than {MOST_DEPTH} deep"));
        }
        let outside = self.scope.len();
        self.define(&data.params, |i| ValueDef::Param(region, i));
        let params = self.types_of(&data.params);
        self.require(params == frame.params, || {
            format!(
                "{region}, {}, has parameters {} but is given {}",
                frame.role,
                Types(&params),
                Types(frame.params)
            )
        });
        if data.insts.is_empty() {
            self.problem(format!("{region} is empty"));
        }
        for (i, inst) in data.insts.iter().enumerate() {
            let Some(inst_data) = module.insts.get(inst.index()) else {
                self.problem(format!("{inst}, in {region}, does not exist"));
                continue;
            };
            if std::mem::replace(&mut self.inst_used[inst.index()], true) {
                self.problem(format!("{inst} occurs twice"));
                continue;
            }
            let around = self.at.replace(*inst);
            let is_last = i + 1 == data.insts.len();
            match (inst_data.op.is_terminator(), is_last) {
                (true, false) => {
                    self.problem(format!("there is a terminator in the middle of {region}"))
                }
                (false, true) => self.problem(format!("{region} does not end with a terminator")),
                (true, true) | (false, false) => {}
            }
            self.op(*inst, &inst_data.op, &inst_data.results, frame, depth);
            self.define(&inst_data.results, |i| ValueDef::Result(*inst, i));
            self.at = around;
        }
        for value in self.scope.drain(outside..) {
            self.visible[value.index()] = false;
        }
    }

    fn define(&mut self, values: &[Value], def: impl Fn(u32) -> ValueDef) {
        for (i, value) in values.iter().enumerate() {
            let Some(data) = self.module.values.get(value.index()) else {
                self.problem(format!("{value} does not exist"));
                continue;
            };
            if std::mem::replace(&mut self.value_defined[value.index()], true) {
                self.problem(format!("{value} is defined twice"));
                continue;
            }
            self.require(data.def == def(i as u32), || {
                format!("{value} has the wrong definition recorded")
            });
            self.visible[value.index()] = true;
            self.scope.push(*value);
        }
    }

    fn nothing_is_left_over(&mut self) {
        let left = |used: &[bool]| used.iter().position(|used| !used).map(|i| i as u32);
        let region = left(&self.region_used).map(|i| format!("{} is never used", Region(i)));
        let inst = left(&self.inst_used).map(|i| format!("{} is not in any region", Inst(i)));
        let value = left(&self.value_defined).map(|i| format!("{} is never defined", Value(i)));
        for message in [region, inst, value].into_iter().flatten() {
            self.problem(message);
        }
    }

    // Values.

    /// The types of values; those that do not exist, a problem reported elsewhere, count as `bool`.
    fn types_of(&self, values: &[Value]) -> Vec<Ty> {
        values
            .iter()
            .map(|it| self.module.values.get(it.index()).map_or(Ty::Bool, |data| data.ty))
            .collect()
    }

    /// The type of an operand, if visible.
    fn operand(&mut self, value: Value) -> Option<Ty> {
        match self.visible.get(value.index()) {
            Some(true) => Some(self.module.ty(value)),
            Some(false) => {
                self.problem(format!("{value} is not visible here"));
                None
            }
            None => {
                self.problem(format!("{value} does not exist"));
                None
            }
        }
    }

    /// The types of operands, if all are visible.
    fn operands(&mut self, values: &[Value]) -> Option<Vec<Ty>> {
        let types: Vec<Option<Ty>> = values.iter().map(|it| self.operand(*it)).collect();
        types.into_iter().collect()
    }

    /// Checks that operands have the given types.
    fn takes(&mut self, what: &str, values: &[Value], wanted: &[Ty]) {
        let Some(types) = self.operands(values) else { return };
        self.require(types == wanted, || {
            format!("{what} are {}, not {}", Types(&types), Types(wanted))
        });
    }

    fn gives(&mut self, results: &[Value], wanted: &[Ty]) {
        let types = self.types_of(results);
        self.require(types == wanted, || {
            format!("the results are {}, not {}", Types(&types), Types(wanted))
        });
    }

    fn scopes(&mut self) {
        let scopes = &self.module.notes.scopes;
        let ordered = (0..).zip(scopes).all(|(at, it)| it.caller.is_none_or(|it| it.0 < at));
        if !ordered {
            self.problem("a scope is not behind its caller");
        }
        let exists =
            |it: &InstData| it.scope == ScopeId::ENTRY || (it.scope.0 as usize) < scopes.len();
        if !self.module.insts.iter().all(exists) {
            self.problem("the scope of an instruction does not exist");
        }
    }

    fn note(&mut self, note: &Note) {
        let notes = &self.module.notes;
        match note {
            Note::Statement { scope, .. } | Note::Call { scope } | Note::Return { scope } => {
                let exists = (scope.0 as usize) < notes.scopes.len();
                self.require(exists, || "the scope of the note does not exist".to_owned());
            }
            Note::Write { variable, first, values } => {
                let scalars = notes.variables.get(variable.0 as usize).map(|it| &it.scalars);
                let written = *first as usize..*first as usize + values.len();
                match scalars.and_then(|it| it.get(written)) {
                    Some(scalars) => {
                        let types: Vec<Ty> = scalars.iter().map(|it| it.ty.ty()).collect();
                        self.takes("the scalars of the variable", values, &types);
                    }
                    None => self.problem("the note names scalars that do not exist"),
                }
            }
        }
    }

    fn bits(&mut self, what: &str, ty: Ty, bits: u64) {
        self.require(ty.bits() == 64 || bits >> ty.bits() == 0, || {
            format!("the {what} {bits} does not fit {}", ty.name())
        });
    }

    // Operations.

    fn op(&mut self, inst: Inst, op: &'a Op, results: &'a [Value], frame: Frame<'_>, depth: usize) {
        match op {
            Op::Const { ty, bits } => {
                self.bits("constant", *ty, *bits);
                self.gives(results, &[*ty]);
            }
            Op::Undef(ty) => self.gives(results, &[*ty]),
            Op::Builtin(builtin) => self.builtin(*builtin, results),
            Op::Input(slot) => {
                if let Some(ty) = self.slot(false, *slot) {
                    self.gives(results, &[ty]);
                }
            }
            Op::Eval { slot, .. } | Op::InputAt { slot, .. } => {
                self.is_of_pixels();
                let operands = op.operands();
                self.takes("the operands", &operands, &[Ty::I32; 2][..operands.len()]);
                if let Some(ty) = self.slot(false, *slot) {
                    self.gives(results, &[ty]);
                }
            }
            Op::Output { slot, value } => {
                if let Some(ty) = self.slot(true, *slot) {
                    self.takes("the types of the output", &[*value], &[ty]);
                }
                self.gives(results, &[]);
            }
            Op::Discard => {
                self.is_of_pixels();
                self.gives(results, &[]);
            }
            Op::Unary(op, a) => {
                if let Some(a) = self.operand(*a) {
                    self.computes(op.result(a), &[a], results);
                }
            }
            Op::Binary(op, a, b) => {
                if let Some(types) = self.operands(&[*a, *b]) {
                    self.computes(
                        op.result(types[0]).filter(|_| types[0] == types[1]),
                        &types,
                        results,
                    );
                }
            }
            Op::Compare(op, a, b) => {
                if let Some(types) = self.operands(&[*a, *b]) {
                    let takes = types[0] == types[1] && op.takes(types[0]);
                    self.computes(takes.then_some(Ty::Bool), &types, results);
                }
            }
            Op::Ternary(op, args) => {
                if let Some(types) = self.operands(args) {
                    let first = match op {
                        Ternary::Fma => types[1],
                        Ternary::Select => Ty::Bool,
                    };
                    let takes = types[0] == first && types[1] == types[2];
                    self.computes(op.result(types[1]).filter(|_| takes), &types, results);
                }
            }
            Op::Wave { op, args, lanes } => {
                self.lanes(*lanes);
                self.wave(*op, args, results);
            }
            Op::Barrier { barrier, lanes } => {
                self.lanes(*lanes);
                let fine = lanes.is_none() || barrier.sync == SyncScope::Wave;
                self.require(fine, || {
                    "only a barrier at which a wave waits takes lanes".to_owned()
                });
                self.gives(results, &[]);
            }
            Op::Load { place, at } => {
                let types = self.types_of(results);
                self.access(*place, *at, &types, false);
            }
            Op::Store { place, at, values } => {
                let types = self.operands(values);
                self.access(*place, *at, types.as_deref().unwrap_or(&[Ty::I32]), true);
                self.gives(results, &[]);
            }
            Op::Atomic { place, at, op, args } => {
                let types = self.operands(args);
                let ty =
                    types.and_then(|types| self.atomic(*op, &types, results)).unwrap_or(Ty::I32);
                self.access(*place, *at, &[ty], true);
            }
            Op::Size { place } => self.size(*place, results),
            Op::Counter { place, delta } => self.counter(*place, *delta, results),
            Op::Texture(texture) => self.texture(texture, results),
            Op::Ray(ray) => self.ray(ray, results),
            Op::Derivative(_, a) => {
                if let Some(a) = self.operand(*a) {
                    self.computes(Some(a).filter(|a| a.is_float()), &[a], results);
                }
            }
            Op::SharedLoad { memory, index } => {
                self.memory_load(self.module.groupshared.get(memory.index()), *index, results)
            }
            Op::PrivateLoad { memory, index } => {
                self.memory_load(self.module.privates.get(memory.index()), *index, results)
            }
            Op::SharedStore { memory, index, value } => {
                self.memory_store(
                    self.module.groupshared.get(memory.index()),
                    *index,
                    *value,
                    results,
                );
            }
            Op::PrivateStore { memory, index, value } => {
                self.memory_store(
                    self.module.privates.get(memory.index()),
                    *index,
                    *value,
                    results,
                );
            }
            Op::SharedAtomic { memory, index, op, args } => {
                let found = self.memory(self.module.groupshared.get(memory.index()), *index);
                let ty = self.operands(args).and_then(|types| self.atomic(*op, &types, results));
                if let (Some(ty), Some(found)) = (ty, found) {
                    self.require(ty == found, || {
                        format!("the memory holds {}, not {}", found.name(), ty.name())
                    });
                }
            }
            Op::Print { message, args } => {
                match self.module.messages.get(message.index()) {
                    Some(data) => self.takes("the types of the message", args, &data.types),
                    None => self.problem(format!("{message} does not exist")),
                }
                self.gives(results, &[]);
            }
            Op::Note(note) => {
                self.note(note);
                self.gives(results, &[]);
            }
            Op::If { .. } | Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. } => {
                self.construct(inst, op, results, depth);
            }
            Op::Yield(args) => {
                self.takes("the yielded types", args, frame.yields);
                self.gives(results, &[]);
            }
            Op::Exit { to, args } => {
                if self.targets.contains(to) {
                    let wanted = self.types_of(&self.module.inst(*to).results);
                    self.takes("the exit's types", args, &wanted);
                } else {
                    self.problem(format!("{to} is not a loop, switch or block around this exit"));
                }
                self.gives(results, &[]);
            }
            Op::Return => self.gives(results, &[]),
        }
    }

    /// An operation with regions, and the regions.
    fn construct(&mut self, inst: Inst, op: &'a Op, results: &'a [Value], depth: usize) {
        match op {
            Op::If { cond, then, else_ } => {
                self.takes("the condition's types", &[*cond], &[Ty::Bool]);
                let yields = self.types_of(results);
                let frame = Frame { role: "an arm of the `if`", params: &[], yields: &yields };
                self.region(*then, frame, depth + 1);
                self.region(*else_, frame, depth + 1);
            }
            Op::Loop { body, inits } => {
                let params = self.operands(inits).unwrap_or_else(|| self.types_of(inits));
                self.targets.push(inst);
                self.region(
                    *body,
                    Frame { role: "the body of the loop", params: &params, yields: &params },
                    depth + 1,
                );
                self.targets.pop();
            }
            Op::Switch { selector, cases, inits } => {
                let params = self.operands(inits).unwrap_or_else(|| self.types_of(inits));
                self.gives(results, &params);
                self.labels(*selector, cases);
                self.targets.push(inst);
                for case in cases {
                    let frame =
                        Frame { role: "a case of the switch", params: &params, yields: &params };
                    self.region(case.body, frame, depth + 1);
                }
                self.targets.pop();
            }
            Op::Block { body } => {
                let yields = self.types_of(results);
                self.targets.push(inst);
                self.region(
                    *body,
                    Frame { role: "the body of the block", params: &[], yields: &yields },
                    depth + 1,
                );
                self.targets.pop();
            }
            _ => unreachable!("the caller passes operations with regions only"),
        }
    }

    /// The selector and the labels of a switch.
    fn labels(&mut self, selector: Value, cases: &[Case]) {
        if let Some(ty) = self.operand(selector) {
            self.require(ty.is_int(), || format!("the selector is {}, not an integer", ty.name()));
            let labels = cases.iter().flat_map(|case| &case.labels);
            labels.clone().for_each(|label| self.bits("label", ty, *label));
            let mut seen = BTreeSet::new();
            if let Some(twice) = labels.into_iter().find(|label| !seen.insert(**label)) {
                self.problem(format!("the label {twice} occurs twice"));
            }
        }
        let defaults = cases.iter().filter(|case| case.default).count();
        self.require(defaults <= 1, || format!("the switch has {defaults} default cases"));
    }

    fn builtin(&mut self, builtin: Builtin, results: &'a [Value]) {
        match builtin {
            Builtin::GroupId(i) | Builtin::GroupThreadId(i) | Builtin::DispatchThreadId(i) => {
                self.require(i < 3, || format!("there is no component {i}"));
            }
            Builtin::GroupIndex => {}
        }
        self.gives(results, &[Ty::I32]);
    }

    /// An arithmetic operation whose result has the given type, or `None` if it does not accept its operands.
    fn computes(&mut self, result: Option<Ty>, operands: &[Ty], results: &[Value]) {
        match result {
            Some(ty) => self.gives(results, &[ty]),
            None => self.problem(format!("the operation does not take {}", Types(operands))),
        }
    }

    fn lanes(&mut self, lanes: Option<Value>) {
        if let Some(lanes) = lanes {
            self.takes("the types of the lanes", &[lanes], &[Ty::I32]);
        }
    }

    fn wave(&mut self, op: WaveOp, args: &[Value], results: &[Value]) {
        let Some(types) = self.operands(args) else { return };
        let signature = op.signature();
        let first = types.first().copied().unwrap_or(Ty::Bool);
        // The number of operands after the values, all of them words.
        let words = match signature.operands {
            Operands::None | Operands::Bool | Operands::Value | Operands::Values => 0,
            Operands::ValueAndIndex => 1,
            Operands::ValueAndTwoIndices => 2,
            Operands::BoolAndLanes | Operands::ValueAndLanes => 4,
        };
        let values = match signature.operands {
            Operands::None => 0,
            Operands::Values => types.len().max(1),
            Operands::Bool
            | Operands::Value
            | Operands::ValueAndIndex
            | Operands::ValueAndTwoIndices
            | Operands::BoolAndLanes
            | Operands::ValueAndLanes => 1,
        };
        let fine = types.len() == values + words
            && op.takes(first)
            && types[..values].iter().all(|ty| *ty == first)
            && types[values..].iter().all(|ty| *ty == Ty::I32);
        self.require(fine, || format!("the operation does not take {}", Types(&types)));
        match signature.results {
            Results::Bool => self.gives(results, &[Ty::Bool]),
            Results::Word => self.gives(results, &[Ty::I32]),
            Results::Value => self.gives(results, &[first]),
            Results::Lanes => self.gives(results, &[Ty::I32; 4]),
        }
    }
}

#[cfg(test)]
mod tests;
