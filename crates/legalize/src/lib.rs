//! Legalisation: rewrites a module for a target that lacks some of its operations, or whose results differ from `ops`.
//! A pure function from a module and a [`Target`] to an equivalent module.
//!
//! Every back end for a device needs the same answers: how to compute `sin` from additions, what a shift by 40 gives,
//! which NaN must be canonical. They are given here, in terms of the IR; a back end only encodes the result.
//!
//! On the reference engine, the new module gives the same bits as the old one: a test checks this for every target,
//! over the whole suite and generated programs. The test also substitutes arbitrary results where a target promises
//! nothing ([`Has::Partly`]), to show that no device-specific result can be observed.
//!
//! # Map
//! `target.rs`: the capabilities of a device; `writer.rs`: the new module under construction; `corners.rs`: corner
//! cases of arithmetic; `math.rs`: bit-exact float functions; `shorts.rs`: 16-bit integers; `folds.rs`: reductions and
//! scans; `whole_waves.rs`: scans by whole waves; `waves.rs`: other wave operations; `switches.rs`: cases that see
//! lanes; `observed.rs`: which NaN bits can be observed; `bounds.rs`: robust access to buffers; `extents.rs`: which
//! accesses are in bounds in one dispatch; `helpers.rs`: helper lanes of pixel shaders; `rays.rs`: ray queries in
//! software; `textures.rs`: textures as buffers; `typed.rs`: typed buffers as bytes; `channel.rs`: the conversions of
//! both; `term.rs`: formulas; `trace.rs`: a module that records its values; `feedback.rs`: feedback maps as buffers;
//! `merged.rs`: groups in turn; `aggregated.rs`: one atomic operation for a group; `disaggregated.rs`: one for each
//! lane; `split.rs`: a program in two at its reservation; `additions.rs`: which additions cannot be observed;
//! `sweep.rs`: dead code after these; `coarsened.rs`: several groups in one; `unrolled.rs`: loops whose course is
//! known; `waterfalls.rs`: loops over first lanes; `promoted.rs`: private arrays as values; `rewritten.rs`: these in
//! their order; `slots.rs`: waves wider than the device's; `constructs.rs`: which constructs observe lanes;
//! `cannot_emit.rs`: what cannot be rewritten.
//!
//! # Deliberately absent
//! Optimisation of single instructions. Every rewrite here exists because a target lacks something, except those of
//! whole programs: [`rewritten()`] saves atomic operations and branches, and keeps more loads in flight, on GPUs;
//! [`disaggregated()`] and [`split`] let the threads of a processor count apart from each other. [`trace`] rewrites for
//! a caller who looks for the first value in which two engines differ.
#![forbid(unsafe_code)]

pub mod additions;
mod aggregated;
mod bounds;
mod cannot_emit;
mod channel;
mod coarsened;
pub mod constructs;
mod corners;
mod disaggregated;
mod extents;
mod feedback;
mod folds;
mod helpers;
mod math;
mod merged;
mod observed;
mod pressure;
mod promoted;
mod rays;
mod rewritten;
mod shorts;
mod slots;
pub mod split;
mod sweep;
mod switches;
mod target;
mod term;
mod textures;
pub mod trace;
mod typed;
mod unrolled;
mod waterfalls;
mod waves;
mod whole_waves;
mod writer;

use std::borrow::Cow;

use ir::{Module, Op, Region, Value, Values, values};
use ops::{Ty, Unary, WaveOp};

pub use aggregated::aggregated;
pub use cannot_emit::CannotEmit;
pub use coarsened::coarsened;
pub use disaggregated::disaggregated;
pub use extents::Dispatch;
pub use feedback::{Feedback, MOST_FEEDBACK_ELEMENTS, SamplerState, without_feedback};
pub use merged::{Record, merged, merged_by, record as merged_record};
pub use promoted::promoted;
pub use rewritten::{Known, Rewritten, coarse_groups, rewritten, runs};
pub use slots::{SLOT_LANES, in_slots};
pub use target::{Class, Has, Row, Target, asks};
pub use textures::{Extra, Lowered, formats, uses_textures, without_textures};
pub use unrolled::unrolled;
pub use waterfalls::matched;

use folds::Folding;
use writer::Writer;

/// Writes ray queries out, and leaves everything else as it is: scenes become buffers with the bytes of
/// [`ops::ray::Scene::packed`]. Nothing happens to a module without queries.
pub fn without_ray_queries(module: &Module) -> Cow<'_, Module> {
    match module.queries.is_empty() {
        true => Cow::Borrowed(module),
        false => Cow::Owned(legalize(module, &Target::everything().without_ray_queries())),
    }
}

/// Rewrites a module to operations that the target has. The module must be valid, and the result is.
pub fn legalize(module: &Module, target: &Target) -> Module {
    legalize_for(module, target, None)
}

/// The same for one dispatch: accesses that are in bounds in all its threads get no condition.
pub fn legalize_for(module: &Module, target: &Target, dispatch: Option<&Dispatch>) -> Module {
    let module = &*ir::notes::without(module);
    let module = &*without_feedback(module, &target.feedback);
    let mut writer = Writer::new(module, target);
    writer.dispatch = dispatch;
    writer.begin();
    writer.list(module.body);
    writer.finish()
}

impl Writer<'_> {
    /// Copies a region of the source, with new parameters.
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

    /// Appends a region's instructions to the open region.
    fn list(&self, region: Region) {
        let insts = &self.source.region(region).insts;
        self.expect(insts.len());
        for inst in insts {
            self.inst(*inst);
            if self.is_cut_short() {
                break;
            }
        }
    }

    fn inst(&self, inst: ir::Inst) {
        let data = self.source.inst(inst);
        self.at(data.span);
        if self.is_replaced(inst) {
            return;
        }
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
            Op::Switch { selector, cases, inits } => self.switch(inst, *selector, cases, inits),
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
            Op::Ray(ray) if self.traces_in_software() => self.ray_in_software(inst, ray),
            Op::Ray(_) => self.kept(inst),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Size { .. }
            | Op::Counter { .. } => self.buffer_access(inst),
            Op::Texture(_) if self.textures.is_some() => self.texture(inst),
            Op::Texture(texture)
                if let Some(known) = self.feedback
                    && feedback::is_of_map(self.source, texture) =>
            {
                self.feedback(inst, texture, known);
            }
            Op::Builtin(_)
            | Op::Input(_)
            | Op::Eval { .. }
            | Op::InputAt { .. }
            | Op::Output { .. }
            | Op::Discard
            | Op::Barrier { .. }
            | Op::Texture(_)
            | Op::Derivative(..)
            | Op::SharedLoad { .. }
            | Op::SharedStore { .. }
            | Op::SharedAtomic { .. }
            | Op::PrivateLoad { .. }
            | Op::PrivateStore { .. }
            | Op::Print { .. }
            | Op::Return => self.kept(inst),
            Op::Note(_) => unreachable!("notes are dropped before a module is rewritten"),
        }
    }

    /// Replaces an instruction as the rewrite asks that is under way. Returns whether it has.
    fn is_replaced(&self, inst: ir::Inst) -> bool {
        self.merges(inst)
            || self.aggregates(inst)
            || self.unrolls(inst)
            || self.coarsens(inst)
            || self.serves(inst)
            || self.promotes(inst)
    }

    /// Copies an instruction with new operands. In memory, 16-bit integers keep their type.
    pub(crate) fn kept(&self, inst: ir::Inst) {
        let data = self.source.inst(inst);
        let mut op = data.op.clone();
        op.for_each_operand(|it| *it = self.stored(self.get(*it), self.source.ty(*it)));
        if let Op::Texture(texture) = &mut op
            && texture.is_biased()
            && self.target.lacks(Class::SampleBias, Ty::F32)
        {
            texture.args.ddx = values![self.unary(Unary::Exp2, Ty::F32, texture.args.level[0])];
        }
        let new = self.add_like(op, &data.results);
        // A derivative is a subtraction, so its NaN may have any bits.
        let computes = matches!(data.op, Op::Derivative(..));
        for (old, new) in data.results.iter().zip(self.results(new)) {
            let ty = self.source.ty(*old);
            let value = self.loaded(new, ty);
            self.set(*old, if computes { self.canonical(ty, value) } else { value });
        }
    }

    fn wave(&self, inst: ir::Inst, op: WaveOp, args: &[Value], lanes: Option<Value>) {
        let results = &self.source.inst(inst).results;
        let ty = args.first().map_or(Ty::Bool, |it| self.source.ty(*it));
        let args = self.get_all(args);
        let lanes = lanes.map(|it| self.get(it));
        let plain = |op: WaveOp, ty: Ty, args: &[Value], lanes: Option<Value>| match lanes {
            Some(lanes) if self.names_apart(op, ty) => {
                let types = self.result_types(op, ty);
                self.among_named(lanes, &types, || self.among_active(inst, op, ty, args, None))
            }
            lanes => self.among_active(inst, op, ty, args, lanes),
        };
        let masked = match self.hides_helpers() {
            true => self.among_participants(op, ty, &args, lanes, &plain),
            false => None,
        };
        let news = masked.unwrap_or_else(|| plain(op, ty, &args, lanes));
        for (old, new) in results.iter().zip(news) {
            self.set(*old, new);
        }
    }

    /// A wave operation of the active lanes, or of the lanes in a mask if the device supports that.
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
