//! Writes the new module: a copy of the old one, instruction by instruction, with some of them replaced.
//!
//! `ir::rewrite` inserts instructions into a module that stays as it is. Here types change (16-bit integers become
//! words) and constructs become others (a switch becomes `if`s), so that a new module is built, with `ir::Builder`.
//!
//! All methods take `&self`, so that calls that append instructions can be nested like formulas.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use ir::{Binding, Builder, Inst, Memory, Module, Op, Private, Region, Value, Values};
use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

use crate::aggregated::Aggregating;
use crate::coarsened::Coarsening;
use crate::extents::Dispatch;
use crate::feedback::Feedback;
use crate::merged::Merging;
use crate::promoted::Promoting;
use crate::rays::state::States;
use crate::target::{Class, Target};
use crate::textures::Textures;
use crate::unrolled::Unrolling;
use crate::waterfalls::Waterfalls;
use crate::whole_waves::whole_scans;
use crate::{observed, rays};

pub(crate) struct Writer<'a> {
    pub(crate) source: &'a Module,
    pub(crate) target: &'a Target,
    /// Whether 16-bit integers are words whose upper half is zero, except in memory.
    pub(crate) short_words: bool,
    /// What is known about feedback maps and their samplers, if maps become buffers.
    pub(crate) feedback: Option<&'a [Feedback]>,
    out: RefCell<Builder>,
    /// The new value of each value of the source.
    values: RefCell<Vec<Option<Value>>>,
    insts: RefCell<Vec<Option<Inst>>>,
    /// Constants that were added at the beginning of the body.
    constants: RefCell<BTreeMap<(Ty, u64), Value>>,
    /// The sizes of buffers that are the same everywhere, shifted right by this.
    pub(crate) sizes: RefCell<BTreeMap<(Binding, u32), Value>>,
    /// Whether the bits of a value of the source can be observed.
    observed: Vec<bool>,
    /// Whether an instruction of the source is a scan by whole waves.
    whole_scans: Vec<bool>,
    /// The states of ray queries, if these are written out.
    pub(crate) states: Option<States>,
    uses: Cell<Uses>,
    /// The buffers that replace textures, if they are replaced.
    pub(crate) textures: Option<Textures>,
    /// What groups in turn replace, if they are written.
    pub(crate) merging: Option<Merging>,
    /// The additions that groups do at once, if they do.
    pub(crate) aggregating: Option<Aggregating>,
    /// What is known while groups become one, if they do.
    pub(crate) coarsening: Option<Coarsening>,
    /// What is known while loops are unrolled, if they are.
    pub(crate) unrolling: Option<Unrolling>,
    /// What is known while loops over first lanes are replaced, if they are.
    pub(crate) waterfalls: Option<Waterfalls>,
    /// What is known while private arrays become values, if they do.
    pub(crate) promoting: Option<Promoting>,
    /// The dispatch that the module is for, if it is for one only.
    pub(crate) dispatch: Option<&'a Dispatch>,
}

/// Types that the new instructions introduce.
#[derive(Clone, Copy, Default)]
struct Uses {
    int64: bool,
    double: bool,
    native_16bit: bool,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(source: &'a Module, target: &'a Target) -> Writer<'a> {
        let empty = Module {
            // Most modules grow by less than a quarter.
            values: Vec::with_capacity(source.values.len() * 5 / 4),
            insts: Vec::with_capacity(source.insts.len() * 5 / 4),
            regions: Vec::with_capacity(source.regions.len()),
            name: source.name.clone(),
            resources: source.resources.clone(),
            groupshared: source.groupshared.clone(),
            privates: source.privates.clone(),
            queries: source.queries.clone(),
            messages: source.messages.clone(),
            variables: Vec::new(),
            non_uniform: Vec::new(),
            notes: Default::default(),
            stage: source.stage,
            shader_model: source.shader_model,
            group_size: source.group_size,
            wave_size: source.wave_size,
            needs: source.needs,
            io: source.io.clone(),
            group: source.group.clone(),
            body: source.body,
        };
        Writer {
            source,
            target,
            short_words: target.lacks(Class::Arithmetic, Ty::I16),
            feedback: None,
            out: RefCell::new(Builder::new(empty)),
            values: RefCell::new(vec![None; source.values.len()]),
            insts: RefCell::new(vec![None; source.insts.len()]),
            constants: RefCell::default(),
            sizes: RefCell::default(),
            observed: observed::observed(source, target),
            whole_scans: whole_scans(source, target),
            states: None,
            uses: Cell::default(),
            textures: None,
            merging: None,
            aggregating: None,
            coarsening: None,
            unrolling: None,
            waterfalls: None,
            promoting: None,
            dispatch: None,
        }
    }

    /// Declares what new instructions need from the start.
    pub(crate) fn begin(&mut self) {
        if self.traces_in_software() {
            self.states = Some(self.declare_states());
        }
    }

    /// Declares an array of private memory.
    pub(crate) fn declare(&self, memory: Memory) -> Private {
        let privates = &mut self.out.borrow_mut().module.privates;
        privates.push(memory);
        Private(privates.len() as u32 - 1)
    }

    pub(crate) fn finish(self) -> Module {
        let hides_helpers = self.hides_helpers();
        let traces = self.traces_in_software();
        let mut module = self.out.into_inner().finish();
        let values = self.values.into_inner();
        module.variables.clone_from(&self.source.variables);
        for variable in &mut module.variables {
            variable.values = variable.values.iter().filter_map(|it| values[it.index()]).collect();
        }
        if let (true, Some(io)) = (hides_helpers, &mut module.io) {
            io.pixel.helpers_take_part = true;
        }
        if traces {
            rays::finish(&mut module);
        }
        module.needs.int64 |= self.uses.get().int64;
        module.needs.double |= self.uses.get().double;
        module.needs.native_16bit |= self.uses.get().native_16bit;
        module
    }

    /// The new module, and the buffers that have replaced its textures.
    pub(crate) fn finish_with_textures(mut self) -> (Module, Textures) {
        let textures = self.textures.take();
        let textures = textures.unwrap_or_else(|| unreachable!("the caller has given the buffers"));
        (self.finish(), textures)
    }

    // The map from old values to new ones.

    /// The type that holds a value of this type.
    pub(crate) fn held(&self, ty: Ty) -> Ty {
        if ty == Ty::I16 && self.short_words { Ty::I32 } else { ty }
    }

    pub(crate) fn get(&self, value: Value) -> Value {
        self.values.borrow()[value.index()].unwrap_or_else(|| {
            unreachable!("the verifier has checked that operands are defined before they are used")
        })
    }

    pub(crate) fn get_all(&self, values: &[Value]) -> Values {
        values.iter().map(|it| self.get(*it)).collect()
    }

    pub(crate) fn set(&self, value: Value, new: Value) {
        self.values.borrow_mut()[value.index()] = Some(new);
    }

    /// Exchanges the new values of all values of the source for others.
    pub(crate) fn exchange(&self, values: &mut Vec<Option<Value>>) {
        std::mem::swap(&mut *self.values.borrow_mut(), values);
    }

    pub(crate) fn is_observed(&self, value: Value) -> bool {
        self.observed.get(value.index()).is_none_or(|it| *it)
    }

    /// The number of lanes of a scan of the source, if all lanes of the wave take part and a Hillis–Steele scan is
    /// worth the code.
    pub(crate) fn whole_scan_lanes(&self, inst: Inst) -> Option<u32> {
        let is_whole = self.whole_scans.get(inst.index()).is_some_and(|it| *it);
        self.target.whole_waves.filter(|_| is_whole)
    }

    pub(crate) fn construct(&self, inst: Inst) -> Inst {
        self.insts.borrow()[inst.index()].unwrap_or_else(|| {
            unreachable!("the verifier has checked that an exit names a construct around it")
        })
    }

    // Constructs.

    pub(crate) fn at(&self, span: ir::Span) {
        self.out.borrow_mut().span = span;
    }

    /// Reserves a place for a construct of the source, whose operation is filled in later.
    pub(crate) fn reserve(&self, inst: Inst) -> Inst {
        let new = self.out.borrow_mut().reserve();
        self.insts.borrow_mut()[inst.index()] = Some(new);
        new
    }

    /// Fills in a reserved construct's operation, and maps the results of the source's construct to its own.
    pub(crate) fn fill(&self, new: Inst, op: Op, old: &[Value]) {
        let types: Vec<Ty> = old.iter().map(|it| self.held(self.source.ty(*it))).collect();
        self.out.borrow_mut().fill(new, op, &types);
        for (old, new) in old.iter().zip(self.results(new)) {
            self.set(*old, new);
        }
    }

    pub(crate) fn open(&self, params: &[Ty]) -> (Region, Values) {
        self.out.borrow_mut().open(params)
    }

    /// Makes room for instructions in the open region.
    pub(crate) fn expect(&self, insts: usize) {
        self.out.borrow_mut().expect(insts);
    }

    pub(crate) fn close(&self) -> Region {
        self.out.borrow_mut().close()
    }

    pub(crate) fn results(&self, inst: Inst) -> Values {
        self.out.borrow().results(inst).iter().copied().collect()
    }

    /// An `if` with two lists of instructions, whose values are the results.
    pub(crate) fn branch<const N: usize>(
        &self,
        cond: Value,
        then: impl FnOnce() -> [Value; N],
        otherwise: impl FnOnce() -> [Value; N],
    ) -> [Value; N] {
        let results = self.either(
            cond,
            || then().into_iter().collect(),
            || otherwise().into_iter().collect(),
        );
        std::array::from_fn(|it| results[it])
    }

    /// The same for a number of values that is not known at compile time.
    pub(crate) fn either(
        &self,
        cond: Value,
        then: impl FnOnce() -> Values,
        otherwise: impl FnOnce() -> Values,
    ) -> Values {
        let inst = self.construct_begins();
        self.open(&[]);
        let values = then();
        let types: Vec<Ty> = values.iter().map(|it| self.ty(*it)).collect();
        let then = self.close_with(&values);
        self.open(&[]);
        let values = otherwise();
        let else_ = self.close_with(&values);
        self.construct_ends(inst, Op::If { cond, then, else_ }, &types)
    }

    /// Appends a construct that is not in the source, before its contents.
    pub(crate) fn construct_begins(&self) -> Inst {
        self.out.borrow_mut().reserve()
    }

    pub(crate) fn construct_ends(&self, inst: Inst, op: Op, types: &[Ty]) -> Values {
        self.out.borrow_mut().fill(inst, op, types);
        self.results(inst)
    }

    /// Lanes for which the condition holds go to the end of a construct with these values.
    pub(crate) fn leave_if(&self, cond: Value, to: Inst, values: &[Value]) {
        self.open(&[]);
        self.add(Op::Exit { to, args: values.iter().copied().collect() }, &[]);
        let then = self.close();
        self.open(&[]);
        let else_ = self.close_with(&[]);
        self.add(Op::If { cond, then, else_ }, &[]);
    }

    /// Whether the open region has its terminator.
    pub(crate) fn is_terminated(&self) -> bool {
        self.out.borrow().is_terminated()
    }

    pub(crate) fn close_with(&self, values: &[Value]) -> Region {
        self.add(Op::Yield(values.iter().copied().collect()), &[]);
        self.close()
    }

    /// A loop that repeats `body` with the values it returned last until its condition holds, and returns the last
    /// values.
    pub(crate) fn repeat_until<const N: usize>(
        &self,
        inits: [Value; N],
        body: impl FnOnce([Value; N]) -> (Value, [Value; N]),
    ) -> [Value; N] {
        let types = inits.map(|it| self.ty(it));
        let inst = self.construct_begins();
        let (_, params) = self.open(&types);
        let (is_done, next) = body(std::array::from_fn(|it| params[it]));
        self.leave_if(is_done, inst, &next);
        let body = self.close_with(&next);
        let op = Op::Loop { body, inits: inits.into_iter().collect() };
        let results = self.construct_ends(inst, op, &types);
        std::array::from_fn(|it| results[it])
    }

    // Single instructions.

    pub(crate) fn ty(&self, value: Value) -> Ty {
        self.out.borrow().module.ty(value)
    }

    /// The bits of a constant.
    pub(crate) fn known(&self, value: Value) -> Option<u64> {
        self.out.borrow().module.constant(value)
    }

    /// The operation that makes a value, if it is a result.
    pub(crate) fn op_of(&self, value: Value) -> Option<Op> {
        self.out.borrow().module.op_of(value).cloned()
    }

    pub(crate) fn add(&self, op: Op, results: &[Ty]) -> Inst {
        for ty in results {
            self.note(*ty);
        }
        self.out.borrow_mut().inst(op, results)
    }

    /// The same with results of the types of values of the source.
    pub(crate) fn add_like(&self, op: Op, results: &[Value]) -> Inst {
        // What the source has, it has declared that it needs.
        let types = results.iter().map(|it| self.source.ty(*it));
        self.out.borrow_mut().inst_with(op, types)
    }

    pub(crate) fn value(&self, op: Op, ty: Ty) -> Value {
        self.note(ty);
        let mut out = self.out.borrow_mut();
        let inst = out.inst(op, &[ty]);
        out.results(inst)[0]
    }

    fn note(&self, ty: Ty) {
        let mut uses = self.uses.get();
        uses.int64 |= ty == Ty::I64;
        uses.double |= ty == Ty::F64;
        uses.native_16bit |= matches!(ty, Ty::I16 | Ty::F16);
        self.uses.set(uses);
    }

    /// A constant, in a word if the type is held in one.
    pub(crate) fn constant(&self, ty: Ty, bits: u64) -> Value {
        let ty = self.held(ty);
        self.note(ty);
        let known = self.constants.borrow().get(&(ty, bits)).copied();
        known.unwrap_or_else(|| {
            let value = self.results(self.early(Op::Const { ty, bits }, &[ty]))[0];
            self.constants.borrow_mut().insert((ty, bits), value);
            value
        })
    }

    /// Adds an instruction at the beginning of the body.
    pub(crate) fn early(&self, op: Op, results: &[Ty]) -> Inst {
        let mut out = self.out.borrow_mut();
        let span = std::mem::replace(&mut out.span, ir::Span::NONE);
        let inst = out.early(op, results);
        out.span = span;
        inst
    }

    pub(crate) fn word(&self, bits: u32) -> Value {
        self.constant(Ty::I32, bits.into())
    }

    pub(crate) fn op1(&self, op: Unary, a: Value) -> Value {
        let ty = op.result(self.ty(a));
        let ty = ty.unwrap_or_else(|| unreachable!("{op:?} takes this type"));
        self.value(Op::Unary(op, a), ty)
    }

    pub(crate) fn op2(&self, op: Binary, a: Value, b: Value) -> Value {
        self.value(Op::Binary(op, a, b), self.ty(a))
    }

    /// The same with a constant of the type.
    pub(crate) fn with(&self, op: Binary, a: Value, bits: u64) -> Value {
        let b = self.constant(self.ty(a), bits);
        self.op2(op, a, b)
    }

    pub(crate) fn test(&self, op: Compare, a: Value, b: Value) -> Value {
        self.value(Op::Compare(op, a, b), Ty::Bool)
    }

    pub(crate) fn choose(&self, cond: Value, yes: Value, no: Value) -> Value {
        self.value(Op::Ternary(Ternary::Select, [cond, yes, no]), self.ty(yes))
    }

    pub(crate) fn both(&self, a: Value, b: Value) -> Value {
        self.op2(Binary::And, a, b)
    }

    /// A conversion that is left to the device.
    pub(crate) fn converted(&self, a: Value, sign: Sign, to: Ty) -> Value {
        if self.ty(a) == to {
            return a;
        }
        self.op1(Unary::Convert { to, from_sign: sign, to_sign: sign }, a)
    }

    /// A bit cast.
    pub(crate) fn cast(&self, a: Value, to: Ty) -> Value {
        if self.ty(a) == to { a } else { self.op1(Unary::Bitcast(to), a) }
    }
}
