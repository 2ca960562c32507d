//! From the structured IR of lanes to machine code of waves.
//!
//! Every value gets a [`Place`]: uniform integers in general registers, uniform floats in one vector, the rest in as many
//! vectors or masks as a wave has chunks. What has no row of its own here goes through the runtime (`call`), which knows
//! every operation: nothing is left out, some things are slow.
//!
//! # Map
//! `place` moves values between kinds of places. `scalar` selects arithmetic, `general` that of one value for all lanes.
//! `control` selects constructs, `memory` accesses to buffers, `shared` those to groupshared memory (`range` bounds
//! indices, and `pattern` knows which lie side by side). `wave` is what lanes tell each other (`same`: who holds the same), `unseen` additions that are made together,
//! `call` everything else.

mod call;
mod control;
mod general;
mod known;
mod memory;
mod nan;
mod pattern;
mod place;
mod range;
mod same;
mod scalar;
mod shared;
mod switch;
pub(crate) mod unseen;
mod wave;

use std::collections::BTreeSet;

use iced_x86::Code::*;
use ir::shape::{Shape, Shapes};
use ir::{Builtin, Inst, Module, Op, Region, Value};
use ops::{Compare, SyncScope, Ty};
use rustc_hash::FxHashMap as HashMap;

use crate::budget::{ASK_EVERY, MOST_INSTRUCTIONS};
use crate::call::Site;
use crate::isa::Isa;
use crate::layout::*;
use crate::machine::*;
use crate::vector::*;
pub(crate) use place::{Kept, Place, Variable};

/// What came out: a machine program, and what it asks of the runtime.
pub(crate) struct Selected {
    pub(crate) builder: Builder,
    pub(crate) layout: Layout,
    pub(crate) sites: Vec<Site>,
    pub(crate) has_barriers: bool,
}

pub(crate) struct Selector<'m> {
    pub(crate) a: Assembler,
    module: &'m Module,
    shapes: Shapes,
    nans: nan::Nans,
    width: u32,
    /// The width that fuel is counted for.
    asked: u32,
    /// Lanes of a chunk, and how many chunks a wave has.
    lanes: usize,
    chunks: usize,
    layout: Layout,
    sites: Vec<Site>,
    /// How many rows the call with the most rows uses.
    rows: usize,
    places: Vec<Option<Place>>,
    /// Values of general registers and affine values as vectors, by the region that has made them.
    copies: Vec<HashMap<Value, Vec<VReg>>>,
    /// The masks of a wave all of whose lanes run; empty where that is not known.
    full: Vec<VReg>,
    /// For each chunk the lanes that run.
    active: Vec<Var>,
    constructs: HashMap<Inst, control::Open>,
    /// How many loops are open.
    loops: usize,
    /// The loops whose rounds do not count.
    short: BTreeSet<Inst>,
    /// Whether memory is asked ahead for what later waves will read.
    streams_in: bool,
    /// Where execution goes on when no lane of the region is left, innermost last.
    skips: Vec<Block>,
    /// What is known of the set of lanes that run now, innermost last.
    origins: Vec<control::Origin>,
    /// For each count of lanes below, what it was a count of and who ran it.
    prefixes: HashMap<Value, (Value, Vec<VReg>)>,
    /// By which flags the uniform results of comparisons can be told.
    compared: HashMap<VReg, (iced_x86::Code, [Source; 2], Condition)>,
    /// The additions that are kept in registers, by instruction.
    unseen: HashMap<Inst, unseen::Unseen>,
    /// The buffers of which there may be copies to add to.
    copied: Vec<ir::Binding>,
    /// Which values are read.
    used: Vec<bool>,
    /// Sums of words over a wave as they were before the lanes of a vector were put together.
    summed: HashMap<Value, VReg>,
    /// The index of the wave in its group, which the frame holds as well, for the host.
    wave: Var,
    next_wave: Block,
    is_cancelled: &'m dyn Fn() -> bool,
    /// How many instructions have been selected, and whether no more are.
    selected: usize,
    given_up: bool,
}

/// Selects the whole program, or as much of it as may be compiled: behind the limit, and when it is cancelled, nothing more
/// is made of instructions, and what has been made is worth nothing.
pub(crate) fn select<'m>(
    module: &'m Module,
    isa: Isa,
    width: u32,
    asked: u32,
    is_cancelled: &'m dyn Fn() -> bool,
) -> Selected {
    let mut a = Assembler::new(isa);
    let wave = a.b.var(GENERAL);
    let lanes = isa.lanes();
    let has_barriers = module.insts.iter().any(
        |it| matches!(&it.op, Op::Barrier { barrier, .. } if barrier.sync == SyncScope::Group),
    );
    let shapes = ir::shape::shape(module);
    let mut selector = Selector {
        a,
        module,
        streams_in: isa == Isa::Avx512 && memory::streams_in(module, &shapes),
        shapes,
        nans: nan::Nans::new(module),
        width,
        asked,
        lanes,
        chunks: (width as usize).div_ceil(lanes),
        layout: Layout::new(module, isa, width),
        sites: Vec::new(),
        rows: 1,
        places: vec![None; module.values.len()],
        copies: vec![HashMap::default()],
        full: Vec::new(),
        active: Vec::new(),
        constructs: HashMap::default(),
        loops: 0,
        short: ir::turns::short_loops(module, asked),
        skips: Vec::new(),
        origins: Vec::new(),
        prefixes: HashMap::default(),
        compared: HashMap::default(),
        unseen: HashMap::default(),
        copied: unseen::copied(module),
        used: ir::flow::used(module),
        summed: HashMap::default(),
        wave,
        next_wave: Block::new(0),
        is_cancelled,
        selected: 0,
        given_up: false,
    };
    selector.waves();
    selector.layout.close(module, selector.rows);
    Selected { builder: selector.a.b, layout: selector.layout, sites: selector.sites, has_barriers }
}

impl<'m> Selector<'m> {
    /// One wave after the other, until the frame has none left.
    fn waves(&mut self) {
        let class = self.a.mask_class();
        self.active = (0..self.chunks).map(|_| self.a.b.var(class)).collect();
        self.begin_unseen();
        let wave = self.a.load_general(View::R32, Address::frame(WAVE));
        self.a.b.write(self.wave, wave);
        let start = self.a.b.block();
        self.next_wave = self.a.b.block();
        self.a.b.jump(start);
        self.a.b.switch_to(start);
        self.begin_wave();
        self.skips.push(self.next_wave);
        self.origins.push(control::Origin::default());
        let falls = self.region(self.module.body);
        if falls {
            self.a.b.jump(self.next_wave);
        }
        self.a.b.seal(self.next_wave);
        // Behind a loop that nothing leaves there is no code to be made.
        if self.a.b.has_predecessors(self.next_wave) {
            self.a.b.switch_to(self.next_wave);
            self.end_wave(start);
        }
        self.a.b.seal(start);
    }

    /// The lanes that run at the start: those of the group's threads.
    fn begin_wave(&mut self) {
        if !self.module.privates.is_empty() {
            self.call_begin();
        }
        let threads = self.module.threads_per_group();
        if threads.is_multiple_of(self.width) {
            for chunk in 0..self.chunks {
                let left = self.width as usize - chunk * self.lanes;
                let bits =
                    if left >= self.lanes { (1 << self.lanes) - 1 } else { (1u32 << left) - 1 };
                let mask = self.a.mask_constant(bits);
                self.a.b.write(self.active[chunk], mask);
                if left >= self.lanes {
                    self.full.push(mask);
                }
            }
            return;
        }
        // Lane L runs if wave * width + L is less than the threads of the group.
        let wave = self.a.b.read(self.wave);
        let first = self.times(wave, self.width);
        let first = self.a.splat(first, false);
        for chunk in 0..self.chunks {
            let own: Vec<u32> = (0..self.lanes)
                .map(|lane| chunk * self.lanes + lane)
                .map(|lane| if lane < self.width as usize { lane as u32 } else { 1 << 30 })
                .collect();
            let own = self.a.constant_words(&own);
            let index = self.a.op(Lanewise::AddD, Arg::Register(first), own);
            let threads = self.a.constant_word(threads);
            let mask = self.a.test(Test::Lt, Kind::UnsignedWord, index, threads, None);
            self.a.b.write(self.active[chunk], mask);
        }
    }

    fn end_wave(&mut self, start: Block) {
        let one = Source::Immediate(Immediate::Word(1));
        let (more, done) = (self.a.b.block(), self.a.b.block());
        self.a.b.effect(
            Sub_rm64_imm8,
            &[
                Source::Memory(Address::frame(REMAINING)),
                Source::Immediate(Immediate::SignedByte64(1)),
            ],
        );
        self.a.b.branch(Condition::Zero, done, more);
        self.a.b.switch_to(done);
        self.a.b.is_rare();
        self.end_unseen();
        self.a.b.finish_waves(DONE);
        self.a.b.switch_to(more);
        let insts = &self.module.region(self.module.body).insts;
        if let (Some(last), true) = (insts.last(), self.a.b.most_cost() > 0) {
            self.a.b.settle(*last);
        }
        // The odometer: wave, x, y, z.
        let again = self.a.b.block();
        let digits = [
            (WAVE, WAVES_IN_GROUP),
            (GROUP, COUNTS),
            (GROUP + 4, COUNTS + 4),
            (GROUP + 8, COUNTS + 8),
        ];
        for (i, (digit, limit)) in digits.into_iter().enumerate() {
            let value = match digit {
                WAVE => self.a.b.read(self.wave),
                _ => self.a.load_general(View::R32, Address::frame(digit)),
            };
            let value = self.a.general(Add_rm32_imm32, View::R32, value, one);
            self.a.store_general(View::R32, Address::frame(digit), value);
            if digit == WAVE {
                self.a.b.write(self.wave, value);
            }
            if i == digits.len() - 1 {
                self.a.b.jump(again);
                break;
            }
            self.a.b.effect(
                Cmp_r32_rm32,
                &[Source::Register(View::R32, value), Source::Memory(Address::frame(limit))],
            );
            let (carry, stop) = (self.a.b.block(), self.a.b.block());
            self.a.b.branch(Condition::Zero, carry, stop);
            self.a.b.switch_to(stop);
            self.a.b.jump(again);
            self.a.b.switch_to(carry);
            self.a.b.is_rare();
            let zero = self.a.word(0);
            self.a.store_general(View::R32, Address::frame(digit), zero);
            if digit == WAVE {
                self.a.b.write(self.wave, zero);
            }
        }
        self.a.b.seal(again);
        self.a.b.switch_to(again);
        self.a.b.jump(start);
    }

    // Instructions.

    /// Selects the instructions of a region; says whether its end can be reached.
    fn region(&mut self, region: Region) -> bool {
        let module = self.module;
        for inst in &module.region(region).insts {
            let data = module.inst(*inst);
            match &data.op {
                Op::Yield(_) => return true,
                Op::Return => {
                    self.leave_all();
                    return false;
                }
                Op::Exit { to, args } => {
                    self.exit(*to, args);
                    return false;
                }
                Op::If { cond, then, else_ } => {
                    if !self.if_(*inst, *cond, *then, *else_) {
                        return false;
                    }
                }
                Op::Loop { body, inits } => {
                    if !self.loop_(*inst, *body, inits) {
                        return false;
                    }
                }
                Op::Switch { selector, cases, inits } => {
                    if !self.switch(*inst, *selector, cases, inits) {
                        return false;
                    }
                }
                Op::Block { body } => {
                    if !self.block(*inst, *body) {
                        return false;
                    }
                }
                _ => self.plain(*inst),
            }
        }
        unreachable!("the verifier has seen that a region ends in a terminator")
    }

    /// What the region yields.
    fn yielded(&self, region: Region) -> &'m [Value] {
        ir::flow::yielded(self.module, region).unwrap_or_default()
    }

    fn plain(&mut self, inst: Inst) {
        let module = self.module;
        let data = module.inst(inst);
        let results = data.results.as_slice();
        self.selected += 1;
        if self.selected.is_multiple_of(ASK_EVERY) {
            self.given_up |= (self.is_cancelled)();
        }
        if self.given_up || self.a.b.size() > MOST_INSTRUCTIONS {
            return results.iter().for_each(|it| self.set(*it, Place::Constant(0)));
        }
        match &data.op {
            Op::Const { bits, .. } => self.set(results[0], Place::Constant(*bits)),
            Op::Undef(_) => self.set(results[0], Place::Constant(0)),
            Op::Builtin(builtin) => self.builtin(*builtin, results[0]),
            Op::Unary(op, a) => self.unary(*op, *a, results[0]),
            Op::Binary(op, a, b) => self.binary(*op, *a, *b, results[0]),
            Op::Compare(op, a, b) => self.compare(*op, *a, *b, results[0]),
            Op::Ternary(op, args) => self.ternary(*op, *args, results[0]),
            Op::Wave { op, args, lanes } => self.wave(*op, args, *lanes, results),
            Op::Barrier { barrier, .. } => {
                if barrier.sync == SyncScope::Group {
                    self.a.b.suspend(BARRIER, inst);
                }
            }
            Op::Load { place, at } => self.load(*place, *at, results),
            Op::Store { place, at, values } => self.store(inst, *place, *at, values),
            Op::Atomic { place, at, op, args } => self.atomic(inst, *place, *at, *op, args),
            Op::Size { .. }
            | Op::Counter { .. }
            | Op::Texture(_)
            | Op::Derivative(..)
            | Op::PrivateLoad { .. }
            | Op::PrivateStore { .. } => self.call(inst),
            Op::SharedLoad { memory, index } => self.shared_load(*memory, *index, results[0]),
            Op::SharedStore { memory, index, value } => self.shared_store(*memory, *index, *value),
            Op::SharedAtomic { memory, index, op, args } => {
                self.shared_atomic(inst, *memory, *index, *op, args)
            }
            Op::If { .. }
            | Op::Loop { .. }
            | Op::Switch { .. }
            | Op::Block { .. }
            | Op::Yield(_)
            | Op::Exit { .. }
            | Op::Return => unreachable!("constructs and terminators are selected with regions"),
        }
    }

    // What a dispatch gives.

    fn builtin(&mut self, builtin: Builtin, to: Value) {
        let shape = self.shapes.of(to);
        let (axis, group) = match builtin {
            Builtin::GroupId(axis) => {
                let at = GROUP + 4 * usize::from(axis);
                let id = self.a.load_general(View::R32, Address::frame(at));
                return self.set(to, Place::General(id));
            }
            Builtin::GroupThreadId(axis) => (usize::from(axis), false),
            Builtin::DispatchThreadId(axis) => (usize::from(axis), true),
            Builtin::GroupIndex => (3, false),
        };
        let size = self.module.group_size.get(axis).copied();
        if size == Some(1) && shape == Shape::Uniform {
            // All threads of a group have the same place on this axis.
            let place = match group {
                true => {
                    Place::General(self.a.load_general(View::R32, Address::frame(GROUP + 4 * axis)))
                }
                false => Place::Constant(0),
            };
            return self.set(to, place);
        }
        // Where the group starts.
        let start = group.then(|| {
            let id = self.a.load_general(View::R32, Address::frame(GROUP + 4 * axis));
            self.times(id, self.module.group_size[axis])
        });
        // In one dimension lane L of wave W is thread W times the width, plus L.
        let [_, y, z] = self.module.group_size;
        if axis == 3 && shape != Shape::Varying
            || axis == 0 && y == 1 && z == 1 && shape != Shape::Varying
        {
            let wave = self.a.b.read(self.wave);
            let mut base = self.times(wave, self.width);
            if let Some(start) = start {
                let start = Source::Register(View::R32, start);
                base = self.a.general(Add_r32_rm32, View::R32, base, start);
            }
            let place = match shape {
                Shape::Affine { stride } => Place::Affine { base, stride: stride as i32 },
                _ => Place::General(base),
            };
            return self.set(to, place);
        }
        let slots = self.module.threads_per_group().next_multiple_of(self.width) as usize
            + self.layout.lanes;
        let table = self.a.load_general(View::R64, Address::frame(THREADS));
        let wave = self.a.b.read(self.wave);
        let first = self.times(wave, self.width);
        let entry = Address {
            index: Some((View::R64, first)),
            scale: 4,
            ..Address::at(Base::Register(table), (4 * axis * slots) as i32)
        };
        if shape != Shape::Varying {
            let mut base = self.a.load_general(View::R32, entry);
            if let Some(start) = start {
                base = self.a.general(
                    Add_r32_rm32,
                    View::R32,
                    base,
                    Source::Register(View::R32, start),
                );
            }
            let place = match shape {
                Shape::Affine { stride } => Place::Affine { base, stride: stride as i32 },
                _ => Place::General(base),
            };
            return self.set(to, place);
        }
        let start = start.map(|it| self.a.splat(it, false));
        let vectors = (0..self.chunks)
            .map(|chunk| {
                let displacement = entry.displacement + (4 * chunk * self.lanes) as i32;
                let own = self.a.load_vector(Address { displacement, ..entry });
                match start {
                    Some(start) => {
                        self.a.op(Lanewise::AddD, Arg::Register(own), Arg::Register(start))
                    }
                    None => own,
                }
            })
            .collect();
        self.set(to, Place::Words(vectors));
    }

    /// A general register times a constant.
    fn times(&mut self, a: VReg, factor: u32) -> VReg {
        let source = Source::Register(View::R32, a);
        match factor {
            1 => a,
            _ if factor.is_power_of_two() => {
                self.a.general(Shl_rm32_imm8, View::R32, a, byte(factor.trailing_zeros() as u8))
            }
            _ => self.a.b.define(
                Imul_r32_rm32_imm32,
                View::R32,
                &[source, Source::Immediate(Immediate::Word(factor))],
            ),
        }
    }

    fn ty(&self, value: Value) -> Ty {
        self.module.ty(value)
    }

    fn is_uniform(&self, value: Value) -> bool {
        self.shapes.is_uniform(value)
    }

    /// The mask, unless it is known to hold all lanes.
    fn partial(&self, mask: VReg) -> Option<VReg> {
        (!self.full.contains(&mask)).then_some(mask)
    }

    fn are_full(&self, masks: &[VReg]) -> bool {
        self.full == masks
    }

    /// The lanes that are in both.
    fn both(&mut self, active: VReg, with: VReg) -> VReg {
        match self.partial(active) {
            None => with,
            Some(active) => self.a.mask_and(active, with),
        }
    }

    /// The masks of the lanes that run.
    fn active(&mut self) -> Vec<VReg> {
        self.active.clone().into_iter().map(|it| self.a.b.read(it)).collect()
    }

    fn set_active(&mut self, masks: &[VReg]) {
        for (var, mask) in self.active.clone().into_iter().zip(masks) {
            self.a.b.write(var, *mask);
        }
    }

    /// Whether the comparison is one of signed numbers; `None` for equality.
    fn sign(op: Compare) -> Option<ops::Sign> {
        match op {
            Compare::Eq | Compare::Ne => None,
            Compare::Lt(sign) | Compare::Le(sign) | Compare::Gt(sign) | Compare::Ge(sign) => {
                Some(sign)
            }
        }
    }
}
