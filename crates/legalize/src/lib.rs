//! Rewrites a module for a target that lacks some of its operations, or does not do them as `ops` defines: a pure function
//! from a module and a [`Target`] to a module that does the same.
//!
//! Every back end for a device needs the same answers: how `sin` is made of additions, what a shift by 40 is, whose NaN
//! has to be the canonical one. They stand here, in terms of the IR. A back end encodes what comes out.
//!
//! The reference engine runs the new module as it runs the old one, and both give the same bits: a test holds every target to
//! that, over the whole suite and generated programs. It also puts anything at all where a target promises nothing
//! ([`Has::Partly`]), so that what a device may do cannot be seen.
//!
//! # Map
//! `target.rs` what a device has; `writer.rs` the new module under construction; `corners.rs` arithmetic with its corners,
//! `math.rs` floats to the last bit, `shorts.rs` 16-bit integers, `folds.rs` folds over lanes, `whole_waves.rs` scans by
//! whole waves, `waves.rs` other wave operations; `observed.rs` which NaN can be
//! told from another.
//!
//! # Deliberately absent
//! Optimisation. A pass has a target that lacks something, or it has no place here.
#![forbid(unsafe_code)]

mod corners;
mod folds;
mod math;
mod observed;
mod shorts;
mod target;
mod waves;
mod whole_waves;
mod writer;

use ir::{Case, Module, Op, Region, Value, Values, values};
use ops::{Ty, WaveOp};

pub use target::{Class, Has, Row, Target, asks};

use folds::Folding;
use writer::Writer;

/// The module, made of operations that the target has. It must have been verified; so is what comes out.
pub fn legalize(module: &Module, target: &Target) -> Module {
    let writer = Writer::new(module, target);
    writer.list(module.body);
    writer.finish()
}

impl Writer<'_> {
    /// A region of the source, with parameters for its own.
    fn region(&self, region: Region) -> Region {
        let params = &self.source.region(region).params;
        let types: Vec<Ty> = params.iter().map(|it| self.held(self.source.ty(*it))).collect();
        let (_, new) = self.open(&types);
        for (old, new) in params.iter().zip(new) {
            self.set(*old, new);
        }
        self.list(region);
        self.close()
    }

    /// The instructions of a region, in the one that is open.
    fn list(&self, region: Region) {
        for inst in &self.source.region(region).insts {
            self.inst(*inst);
        }
    }

    fn inst(&self, inst: ir::Inst) {
        let data = self.source.inst(inst);
        self.at(data.span);
        let ty = |value: Value| self.source.ty(value);
        let one = |value: Value| self.set(data.results[0], value);
        match &data.op {
            Op::Const { ty, bits } => {
                let ty = self.held(*ty);
                one(self.value(Op::Const { ty, bits: *bits }, ty));
            }
            Op::Undef(ty) => one(self.value(Op::Undef(self.held(*ty)), self.held(*ty))),
            Op::Unary(op, a) => one(self.unary(*op, ty(*a), self.get(*a))),
            Op::Binary(op, a, b) => {
                let observed = self.is_observed(data.results[0]);
                one(self.binary(*op, ty(*a), self.get(*a), self.get(*b), observed));
            }
            Op::Compare(op, a, b) => one(self.compare(*op, ty(*a), self.get(*a), self.get(*b))),
            Op::Ternary(op, args) => {
                one(self.ternary(*op, ty(args[1]), args.map(|it| self.get(it))));
            }
            Op::Wave { op, args, lanes } => self.wave(inst, *op, args, *lanes),
            Op::If { cond, then, else_ } => {
                let cond = self.get(*cond);
                let new = self.reserve(inst);
                let (then, else_) = (self.region(*then), self.region(*else_));
                self.fill(new, Op::If { cond, then, else_ }, &data.results);
            }
            Op::Loop { body, inits } => {
                let inits = self.get_all(inits);
                let new = self.reserve(inst);
                let body = self.region(*body);
                self.fill(new, Op::Loop { body, inits }, &data.results);
            }
            Op::Switch { selector, cases, inits } => {
                let (selector, inits) = (self.get(*selector), self.get_all(inits));
                let new = self.reserve(inst);
                let case = |it: &Case| Case { body: self.region(it.body), ..it.clone() };
                let cases = cases.iter().map(case).collect();
                self.fill(new, Op::Switch { selector, cases, inits }, &data.results);
            }
            Op::Block { body } => {
                let new = self.reserve(inst);
                let body = self.region(*body);
                self.fill(new, Op::Block { body }, &data.results);
            }
            Op::Exit { to, args } => {
                let op = Op::Exit { to: self.construct(*to), args: self.get_all(args) };
                self.add(op, &[]);
            }
            Op::Yield(args) => {
                self.add(Op::Yield(self.get_all(args)), &[]);
            }
            Op::Builtin(_)
            | Op::Barrier { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Size { .. }
            | Op::Counter { .. }
            | Op::Texture(_)
            | Op::Derivative(..)
            | Op::SharedLoad { .. }
            | Op::SharedStore { .. }
            | Op::SharedAtomic { .. }
            | Op::PrivateLoad { .. }
            | Op::PrivateStore { .. }
            | Op::Return => self.kept(inst),
        }
    }

    /// An instruction that stays, but for its operands. Memory has 16-bit integers as they are.
    fn kept(&self, inst: ir::Inst) {
        let data = self.source.inst(inst);
        let mut op = data.op.clone();
        op.for_each_operand(|it| *it = self.stored(self.get(*it), self.source.ty(*it)));
        let types: Vec<Ty> = data.results.iter().map(|it| self.source.ty(*it)).collect();
        let new = self.add(op, &types);
        // A difference of lanes is computed: a NaN is the device's own.
        let computes = matches!(data.op, Op::Derivative(..));
        for ((old, new), ty) in data.results.iter().zip(self.results(new)).zip(types) {
            let value = self.loaded(new, ty);
            self.set(*old, if computes { self.canonical(ty, value) } else { value });
        }
    }

    fn wave(&self, inst: ir::Inst, op: WaveOp, args: &[Value], lanes: Option<Value>) {
        let results = &self.source.inst(inst).results;
        let ty = args.first().map_or(Ty::Bool, |it| self.source.ty(*it));
        let args = self.get_all(args);
        let lanes = lanes.map(|it| self.get(it));
        let news = match lanes {
            Some(lanes) if self.names_apart(op, ty) => {
                let types = self.result_types(op, ty);
                self.among_named(lanes, &types, || self.among_active(inst, op, ty, &args, None))
            }
            lanes => self.among_active(inst, op, ty, &args, lanes),
        };
        for (old, new) in results.iter().zip(news) {
            self.set(*old, new);
        }
    }

    /// A wave operation of the active lanes, or of those that a mask names where the device knows that.
    fn among_active(
        &self,
        inst: ir::Inst,
        op: WaveOp,
        ty: Ty,
        args: &[Value],
        lanes: Option<Value>,
    ) -> Values {
        let masks = args.iter().skip(1).copied().collect();
        if let Some(folding) = Folding::of(op, masks, lanes, self.whole_scan_lanes(inst)) {
            return values![self.folded(&folding, ty, args[0])];
        }
        if let (None, Some(expanded)) = (lanes, self.expanded(op, ty, args)) {
            return expanded;
        }
        let types = self.result_types(op, ty);
        let args = args.iter().copied().collect();
        self.results(self.add(Op::Wave { op, args, lanes }, &types))
    }
}
