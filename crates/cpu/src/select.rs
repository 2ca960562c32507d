//! Instruction selection: from the structured IR of lanes to the machine program of waves.
//!
//! Every value gets a [`Home`]: uniform integers in general registers, uniform floats in one vector, the rest in as
//! many vectors or masks as a wave has chunks. Operations without a row here go through the runtime (`call`), which
//! supports all of them: everything is supported, some of it slowly.
//!
//! # Map
//! `home` moves values between kinds of homes. `scalar` selects arithmetic, `general` that of uniform values, `math`
//! transcendental functions. `control` selects constructs, `memory` accesses to buffers, `shared` those to groupshared
//! memory (`range` bounds their indices, `pattern` finds contiguous ones). `wave` selects wave operations (`same`:
//! `WaveMatch`), `unobserved` additions that are combined, `stage` inputs, outputs, helper lanes and quads, `call`
//! everything else.
//!
//! Where all waves of a group pass the same barriers (`joint`), the code runs a whole group in one frame (`group`).

mod atomic;
mod call;
mod compress;
mod contiguous;
mod control;
mod general;
mod group;
mod home;
mod joint;
mod known;
mod lanes;
mod math;
mod memory;
mod nan;
mod owners;
mod pattern;
mod pieces;
mod range;
mod root;
mod same;
mod scalar;
mod shared;
mod stage;
mod switch;
pub(crate) mod unobserved;
mod wave;

use std::collections::BTreeSet;

use iced_x86::Code::*;
use ir::uniformity::{Uniformities, Uniformity};
use ir::{Builtin, Inst, Module, Op, Region, Value};
use ops::{Compare, SyncScope, Ty};
use rustc_hash::FxHashMap as HashMap;

use crate::Mode;
use crate::budget::{ASK_EVERY, MOST_INSTRUCTIONS};
use crate::call::Site;
use crate::isa::Isa;
use crate::layout::*;
use crate::machine::*;
use crate::vector::*;
pub(crate) use home::{Home, Kept, Variable};
use legalize::split::SLOT;

/// The result: a machine program, and its calls of the runtime.
pub(crate) struct Selected {
    pub(crate) builder: Builder,
    pub(crate) layout: Layout,
    pub(crate) sites: Vec<Site>,
    pub(crate) has_barriers: bool,
    /// Whether a frame runs whole groups.
    pub(crate) is_whole: bool,
    /// The buffers of which each party may have a private copy.
    pub(crate) copied: Vec<ir::Binding>,
}

pub(crate) struct Selector<'m> {
    pub(crate) a: Assembler,
    module: &'m Module,
    uniformity: Uniformities,
    nans: nan::Nans,
    width: u32,
    /// The width for which fuel is counted.
    asked: u32,
    /// Lanes of a chunk, and how many chunks a wave has.
    lanes: usize,
    chunks: usize,
    layout: Layout,
    sites: Vec<Site>,
    /// The maximal number of rows of a call.
    rows: usize,
    homes: Vec<Option<Home>>,
    /// Values of general registers and affine values as vectors, by the region that has computed them.
    copies: Vec<HashMap<Value, Vec<VReg>>>,
    /// The masks of a wave in which all lanes are active; empty if that is not known.
    full: Vec<VReg>,
    /// The active lanes of each chunk.
    active: Vec<Var>,
    constructs: HashMap<Inst, control::Open>,
    /// The number of open loops.
    loops: usize,
    /// The loops whose iterations are not counted.
    short: BTreeSet<Inst>,
    /// Whether to prefetch memory that later waves will read.
    streams_in: bool,
    /// The blocks at which execution continues when no lane of the region is active, innermost last.
    skips: Vec<Block>,
    /// What is known about the active set, innermost last.
    origins: Vec<control::Origin>,
    /// For each prefix count, its condition and its active set.
    prefixes: HashMap<Value, (Value, Vec<VReg>)>,
    /// The flags that hold uniform results of comparisons.
    compared: HashMap<VReg, (iced_x86::Code, [Source; 2], Condition)>,
    /// The additions that are accumulated in registers, by instruction.
    unobserved: HashMap<Inst, unobserved::Unobserved>,
    /// The buffers that may have private copies for additions.
    copied: Vec<ir::Binding>,
    /// The queries for which any hit is as good as the closest one, by their declaration.
    any_hits: Vec<bool>,
    /// Whether each value is used.
    used: Vec<bool>,
    /// Whether the divider is what the program waits for.
    is_divider_scarce: bool,
    /// Wave sums of words, before the horizontal addition.
    summed: HashMap<Value, VReg>,
    /// The index of the wave in its group, which is also in the frame, for the host.
    wave: Var,
    next_wave: Block,
    /// The hidden buffer of the waves' slots, which moves on by one slot with each wave.
    slots: Option<ir::Binding>,
    /// The waves of a group that runs in one frame.
    group: Option<group::Group>,
    /// Helper lanes, in a pixel shader.
    stage: stage::Stage,
    derived: stage::Derived,
    is_cancelled: &'m dyn Fn() -> bool,
    /// The number of selected instructions, and whether selection has stopped: then all further values are zero, and no
    /// loop ends as it would.
    selected: usize,
    given_up: bool,
}

/// Selects the whole program. Beyond the limit, or after a cancellation, no more instructions are selected, and the
/// result must be discarded.
pub(crate) fn select<'m>(
    module: &'m Module,
    mode: Mode,
    width: u32,
    slots: Option<ir::Binding>,
    is_cancelled: &'m dyn Fn() -> bool,
) -> Selected {
    let Mode { isa, width: asked, .. } = mode;
    let mut a = Assembler::new(isa);
    let wave = a.b.var(GENERAL);
    let lanes = isa.lanes();
    let uniformity = ir::uniformity::analyse(module);
    let chunks = (width as usize).div_ceil(lanes);
    // Some operations take several instructions.
    a.b.expect((module.insts.len() * chunks * 3 / 2).min(MOST_INSTRUCTIONS));
    let waves = module.threads_per_group().div_ceil(width);
    // A vertex or pixel shader has no groups, and a frame runs one wave of it at a time.
    let plan = match module.io {
        Some(_) => None,
        None => joint::plan(module, &uniformity, width, asked),
    };
    let group = plan.map(|it| group::Group::new(it, waves as usize));
    let is_whole = group.is_some();
    let has_barriers = !is_whole && module.insts.iter().any(|it| joint::is_barrier(&it.op));
    let used = ir::flow::used(module);
    let combines = mode.rewrites && module.io.is_none();
    let mut selector = Selector {
        a,
        module,
        streams_in: isa == Isa::Avx512 && memory::streams_in(module, &uniformity),
        uniformity,
        nans: nan::Nans::new(module),
        width,
        asked,
        lanes,
        chunks,
        layout: Layout::new(module, isa, width, asked),
        sites: Vec::new(),
        rows: 1,
        homes: vec![None; module.values.len()],
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
        unobserved: HashMap::default(),
        copied: if combines { unobserved::copied(module, &used) } else { Vec::new() },
        any_hits: ir::ray::observed::by_status_alone(module),
        is_divider_scarce: root::is_divider_scarce(module, &used),
        used,
        summed: HashMap::default(),
        wave,
        next_wave: Block::new(0),
        slots,
        group,
        stage: stage::Stage::default(),
        derived: stage::Derived::default(),
        is_cancelled,
        selected: 0,
        given_up: false,
    };
    selector.waves(combines);
    selector.layout.close(module, selector.rows);
    let Selector { a, layout, sites, copied, .. } = selector;
    Selected { builder: a.b, layout, sites, has_barriers, is_whole, copied }
}

impl<'m> Selector<'m> {
    /// The loop over the waves of the frame. `combines` says whether additions that cannot be observed are accumulated.
    fn waves(&mut self, combines: bool) {
        let class = self.a.mask_class();
        self.active = (0..self.chunks).map(|_| self.a.b.var(class)).collect();
        if combines {
            self.begin_unobserved();
        }
        let wave = self.a.load_general(View::R32, Address::frame(WAVE));
        self.a.b.write(self.wave, wave);
        if let (Some(_), 1..) = (&self.group, self.layout.shared_bytes) {
            let start = self.a.load_general(View::R64, Address::frame(SHARED));
            self.group.iter_mut().for_each(|it| it.start = Some(start));
        }
        let start = self.a.b.block();
        self.next_wave = self.a.b.block();
        self.a.b.jump(start);
        self.a.b.switch_to(start);
        self.begin_wave();
        self.skips.push(self.next_wave);
        self.origins.push(control::Origin::default());
        let falls = if self.group.is_some() {
            self.begin_group();
            let falls = self.joint_region(self.module.body);
            self.end_group();
            falls
        } else {
            self.region(self.module.body)
        };
        if falls {
            self.a.b.jump(self.next_wave);
        }
        self.a.b.seal(self.next_wave);
        if self.module.io.is_some() {
            // The host exchanges inputs and outputs between two waves.
            if self.a.b.has_predecessors(self.next_wave) {
                self.a.b.switch_to(self.next_wave);
                self.end_stage(start);
            }
            return self.a.b.seal(start);
        }
        // Code after a loop without exits is unreachable.
        if self.a.b.has_predecessors(self.next_wave) {
            self.a.b.switch_to(self.next_wave);
            self.end_wave(start);
        }
        self.a.b.seal(start);
    }

    /// The initial active lanes: those of the group's threads.
    fn begin_wave(&mut self) {
        if !self.module.privates.is_empty() || !self.module.queries.is_empty() {
            self.call_begin();
        }
        if self.module.io.is_some() {
            return self.begin_stage();
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
        // Lane L is active if wave * width + L is less than the number of threads in the group.
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
        self.end_unobserved();
        self.a.b.finish_waves(DONE);
        self.a.b.switch_to(more);
        let insts = &self.module.region(self.module.body).insts;
        if let (Some(last), true) = (insts.last(), self.a.b.most_cost() > 0) {
            self.a.b.settle(*last);
        }
        if let Some(slots) = self.slots {
            let slot = Address::frame(self.layout.slice(slots.index()));
            let step = Source::Immediate(Immediate::SignedByte64(SLOT as i8));
            self.a.b.effect(Add_rm64_imm8, &[Source::Memory(slot), step]);
        }
        // The odometer: wave, x, y, z.
        let again = self.a.b.block();
        let digits = [
            (WAVE, WAVES_IN_GROUP),
            (GROUP, COUNTS),
            (GROUP + 4, COUNTS + 4),
            (GROUP + 8, COUNTS + 8),
        ];
        // A frame that runs whole groups has no waves to count.
        let first = usize::from(self.group.is_some());
        for (i, (digit, limit)) in digits.into_iter().enumerate().skip(first) {
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

    /// Selects the instructions of a region; returns whether its end is reachable.
    fn region(&mut self, region: Region) -> bool {
        let module = self.module;
        for inst in &module.region(region).insts {
            if matches!(module.inst(*inst).op, Op::Yield(_)) {
                return true;
            }
            if !self.instruction(*inst) {
                return false;
            }
        }
        unreachable!("the verifier has checked that a region ends in a terminator")
    }

    /// Selects an instruction that does not yield; returns whether its end is reachable.
    fn instruction(&mut self, inst: Inst) -> bool {
        let module = self.module;
        match &module.inst(inst).op {
            Op::Return => {
                self.leave_all();
                false
            }
            Op::Exit { to, args } => {
                self.exit(*to, args);
                false
            }
            Op::If { cond, then, else_ } => self.if_(inst, *cond, *then, *else_),
            Op::Loop { body, inits } => self.loop_(inst, *body, inits),
            Op::Switch { selector, cases, inits } => self.switch(inst, *selector, cases, inits),
            Op::Block { body } => self.block(inst, *body),
            Op::Discard if self.retires(&[self.module.body]) => {
                self.plain(inst);
                self.go_on_if_any();
                true
            }
            _ => {
                self.plain(inst);
                true
            }
        }
    }

    /// The values that a region yields.
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
        self.given_up |= self.a.b.size() > MOST_INSTRUCTIONS;
        if self.given_up {
            return results.iter().for_each(|it| self.set(*it, Home::Constant(0)));
        }
        if self.has_helpers() && data.op.skips_helpers() {
            return self.without_helpers(inst);
        }
        self.execute(inst);
    }

    /// Selects an instruction for the active lanes.
    fn execute(&mut self, inst: Inst) {
        let module = self.module;
        let data = module.inst(inst);
        let results = data.results.as_slice();
        match &data.op {
            Op::Const { bits, .. } => self.set(results[0], Home::Constant(*bits)),
            Op::Undef(_) => self.set(results[0], Home::Constant(0)),
            Op::Builtin(builtin) => self.builtin(*builtin, results[0]),
            Op::Input(slot) => self.input(*slot, results[0]),
            Op::Output { slot, value } => self.output(*slot, *value),
            Op::Discard => self.discard(),
            Op::Derivative(of, value) => self.derivative(inst, *of, *value, results[0]),
            Op::Eval { .. } | Op::InputAt { .. } => self.call(inst),
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
            | Op::Print { .. }
            | Op::Counter { .. }
            | Op::Texture(_)
            | Op::Ray(_)
            | Op::PrivateLoad { .. }
            | Op::PrivateStore { .. } => self.call(inst),
            Op::Note(_) => unreachable!("`compile` drops notes"),
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

    // Built-in inputs.

    fn builtin(&mut self, builtin: Builtin, to: Value) {
        let uniformity = self.uniformity.of(to);
        let (axis, group) = match builtin {
            Builtin::GroupId(axis) => {
                let at = GROUP + 4 * usize::from(axis);
                let id = self.a.load_general(View::R32, Address::frame(at));
                return self.set(to, Home::General(id));
            }
            Builtin::GroupThreadId(axis) => (usize::from(axis), false),
            Builtin::DispatchThreadId(axis) => (usize::from(axis), true),
            Builtin::GroupIndex => (3, false),
        };
        let size = self.module.group_size.get(axis).copied();
        if size == Some(1) && uniformity == Uniformity::Uniform {
            // All threads of a group have the same coordinate on this axis.
            let home = match group {
                true => {
                    Home::General(self.a.load_general(View::R32, Address::frame(GROUP + 4 * axis)))
                }
                false => Home::Constant(0),
            };
            return self.set(to, home);
        }
        // Where the group starts.
        let start = group.then(|| {
            let id = self.a.load_general(View::R32, Address::frame(GROUP + 4 * axis));
            self.times(id, self.module.group_size[axis])
        });
        // In one dimension lane L of wave W is thread W times the width, plus L.
        let [_, y, z] = self.module.group_size;
        if let (Some(wave), None) = (self.numbered_wave(), start)
            && (axis == 3 || y == 1 && z == 1 && axis == 0)
            && uniformity != Uniformity::Varying
        {
            let first = u64::from(wave * self.width);
            let home = self.table((0..self.layout.lanes as u64).map(|it| first + it).collect());
            return self.set(to, home);
        }
        if axis == 3 && uniformity != Uniformity::Varying
            || axis == 0 && y == 1 && z == 1 && uniformity != Uniformity::Varying
        {
            let mut base = self.first_thread();
            if let Some(start) = start {
                let start = Source::Register(View::R32, start);
                base = self.a.general(Add_r32_rm32, View::R32, base, start);
            }
            let home = match uniformity {
                Uniformity::Affine { stride } => Home::Affine { base, stride: stride as i32 },
                _ => Home::General(base),
            };
            return self.set(to, home);
        }
        let slots = self.module.threads_per_group().next_multiple_of(self.width) as usize
            + self.layout.lanes;
        let table = self.a.load_general(View::R64, Address::frame(THREADS));
        let first = self.first_thread();
        let entry = Address {
            index: Some((View::R64, first)),
            scale: 4,
            ..Address::at(Base::Register(table), (4 * axis * slots) as i32)
        };
        if uniformity != Uniformity::Varying {
            let mut base = self.a.load_general(View::R32, entry);
            if let Some(start) = start {
                base = self.a.general(
                    Add_r32_rm32,
                    View::R32,
                    base,
                    Source::Register(View::R32, start),
                );
            }
            let home = match uniformity {
                Uniformity::Affine { stride } => Home::Affine { base, stride: stride as i32 },
                _ => Home::General(base),
            };
            return self.set(to, home);
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
        self.set(to, Home::Words(vectors));
    }

    /// The number of the wave in its group, if it is known while code is made.
    fn numbered_wave(&self) -> Option<u32> {
        self.group.as_ref().map(|it| it.current as u32)
    }

    /// The number of the wave in its group.
    fn wave_index(&mut self) -> VReg {
        match self.numbered_wave() {
            Some(wave) => self.a.word(wave),
            None => self.a.b.read(self.wave),
        }
    }

    /// The thread of the group that is lane 0 of the wave.
    fn first_thread(&mut self) -> VReg {
        match self.numbered_wave() {
            Some(wave) => self.a.word(wave * self.width),
            None => {
                let wave = self.a.b.read(self.wave);
                self.times(wave, self.width)
            }
        }
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
        self.uniformity.is_uniform(value)
    }

    /// The mask, unless it is known to contain all lanes.
    fn partial(&self, mask: VReg) -> Option<VReg> {
        (!self.full.contains(&mask)).then_some(mask)
    }

    fn are_full(&self, masks: &[VReg]) -> bool {
        self.full == masks
    }

    /// The intersection of two sets of lanes.
    fn both(&mut self, active: VReg, with: VReg) -> VReg {
        match self.partial(active) {
            None => with,
            Some(active) => self.a.mask_and(active, with),
        }
    }

    /// The masks of the active lanes.
    fn active(&mut self) -> Vec<VReg> {
        self.active.clone().into_iter().map(|it| self.a.b.read(it)).collect()
    }

    fn set_active(&mut self, masks: &[VReg]) {
        for (var, mask) in self.active.clone().into_iter().zip(masks) {
            self.a.b.write(var, *mask);
        }
    }

    /// Whether the comparison is signed; `None` for equality.
    fn sign(op: Compare) -> Option<ops::Sign> {
        match op {
            Compare::Eq | Compare::Ne => None,
            Compare::Lt(sign) | Compare::Le(sign) | Compare::Gt(sign) | Compare::Ge(sign) => {
                Some(sign)
            }
        }
    }
}
