//! A group in one frame: the pieces of its waves between two barriers, one after the other.
//!
//! Where a [`Plan`] says that all waves of a group go through the same barriers, the code of a wave is appended piece
//! by piece: loop fission at barriers, with the loop over the waves unrolled. Waves are numbered while code is made, so
//! the threads of a group have constant indices, tiles have constant addresses, and conditions such as `index < 64` are
//! decided before anything runs. Nothing is saved at a barrier, and a frame continues with the next group without the
//! host.
//!
//! The selector holds the state of one wave at a time; [`Selector::enter`] exchanges it for that of another.
//!
//! Groupshared memory starts as zero in every group. Arrays that are written before they are read need no clearing,
//! which is known only at the end, when [`Selector::end_group`] removes the stores.

use ir::{Inst, Op, Region, Value};
use rustc_hash::FxHashMap as HashMap;

use super::control::{End, Open};
use super::joint::Plan;
use super::{Home, Selector, Variable};
use crate::machine::*;

/// Larger memory is cleared by a loop, even if that turns out to be superfluous.
const MOST_CLEARED: usize = 4096;
/// The most contents of groupshared memory to remember. More would not fit into registers.
const MOST_KNOWN: usize = 12;

/// The state of a wave.
#[derive(Default)]
struct State {
    homes: Vec<Option<Home>>,
    copies: Vec<HashMap<Value, Vec<VReg>>>,
    active: Vec<Var>,
    constructs: HashMap<Inst, Open>,
    prefixes: HashMap<Value, (Value, Vec<VReg>)>,
    summed: HashMap<Value, VReg>,
}

pub(super) struct Group {
    plan: Plan,
    waves: usize,
    /// The wave whose state is in the selector; its own entry is empty.
    pub(super) current: usize,
    states: Vec<State>,
    /// All lanes of a wave.
    masks: Vec<VReg>,
    /// The start of the group's memory.
    pub(super) start: Option<VReg>,
    /// How many constructs are open.
    depth: usize,
    arrays: Vec<Array>,
    known: Vec<Known>,
}

/// An array in groupshared memory.
struct Array {
    /// The elements that every group has written so far.
    written: Vec<bool>,
    /// Whether one may be read before.
    needs_zeros: bool,
    /// The stores that clear it.
    clearing: std::ops::Range<usize>,
}

/// Elements of an array whose contents are in a vector.
#[derive(Clone, Copy)]
struct Known {
    array: usize,
    first: u32,
    lanes: u32,
    vector: VReg,
    /// Where that is so.
    block: Block,
}

impl Group {
    pub(super) fn new(plan: Plan, waves: usize) -> Group {
        Group {
            plan,
            waves,
            current: 0,
            states: Vec::new(),
            masks: Vec::new(),
            start: None,
            depth: 0,
            arrays: Vec::new(),
            known: Vec::new(),
        }
    }
}

impl Selector<'_> {
    fn group(&mut self) -> &mut Group {
        match &mut self.group {
            Some(group) => group,
            None => unreachable!("only groups in one frame have joint regions"),
        }
    }

    /// Switches to the state of a wave.
    fn enter(&mut self, wave: usize) {
        let Some(group) = &mut self.group else {
            unreachable!("only groups in one frame have several waves")
        };
        let old = std::mem::replace(&mut group.current, wave);
        if old == wave {
            return;
        }
        let mut state = std::mem::take(&mut group.states[wave]);
        std::mem::swap(&mut self.homes, &mut state.homes);
        std::mem::swap(&mut self.copies, &mut state.copies);
        std::mem::swap(&mut self.active, &mut state.active);
        std::mem::swap(&mut self.constructs, &mut state.constructs);
        std::mem::swap(&mut self.prefixes, &mut state.prefixes);
        std::mem::swap(&mut self.summed, &mut state.summed);
        group.states[old] = state;
    }

    fn each_wave(&mut self, mut each: impl FnMut(&mut Self, usize)) {
        for wave in 0..self.group().waves {
            self.enter(wave);
            each(self, wave);
        }
    }

    /// Starts a group: its memory is cleared, and all lanes of its waves are active.
    pub(super) fn begin_group(&mut self) {
        self.clear_shared();
        let class = self.a.mask_class();
        // Those of the first wave, which have just been set.
        let masks = self.active();
        let waves = self.group().waves;
        self.group().masks = masks.clone();
        self.group().states = (0..waves).map(|_| State::default()).collect();
        self.each_wave(|s, wave| {
            if wave > 0 {
                s.homes = vec![None; s.module.values.len()];
                s.copies = vec![HashMap::default()];
                s.active = (0..s.chunks).map(|_| s.a.b.var(class)).collect();
            }
            s.set_active(&masks);
        });
    }

    fn clear_shared(&mut self) {
        let bytes = self.layout.shared_bytes;
        let lens: Vec<usize> = self.module.groupshared.iter().map(|it| it.len as usize).collect();
        let new =
            |len: usize| Array { written: vec![false; len], needs_zeros: false, clearing: 0..0 };
        self.group().arrays = lens.into_iter().map(new).collect();
        let Some(start) = self.group().start else { return };
        let zero = self.a.zero();
        let size = 4 * self.lanes;
        if bytes > MOST_CLEARED {
            let next = self.a.b.var(GENERAL);
            let first = self.a.word(0);
            self.a.b.write(next, first);
            let header = self.a.b.block();
            self.a.b.jump(header);
            self.a.b.switch_to(header);
            let at = self.a.b.read(next);
            for displacement in (0..64).step_by(size) {
                let to = Address {
                    index: Some((View::R64, at)),
                    ..Address::at(Base::Register(start), displacement)
                };
                self.a.store_vector(to, zero);
            }
            let step = Source::Immediate(Immediate::Word(64));
            let after = self.a.general(iced_x86::Code::Add_rm32_imm32, View::R32, at, step);
            self.a.b.write(next, after);
            let end = Source::Immediate(Immediate::Word(bytes as u32));
            let sources = [Source::Register(View::R32, after), end];
            self.a.b.effect(iced_x86::Code::Cmp_rm32_imm32, &sources);
            let [again, done] = [0; 2].map(|_| self.a.b.block());
            self.a.b.branch(Condition::Below, again, done);
            self.a.b.switch_to(again);
            self.a.b.jump(header);
            self.a.b.seal(header);
            return self.a.b.switch_to(done);
        }
        let starts = self.layout.shared.clone();
        for (array, from) in starts.iter().enumerate() {
            let to = starts.get(array + 1).copied().unwrap_or(bytes);
            let before = self.a.b.size();
            for at in (*from..to).step_by(size) {
                self.a.store_vector(Address::at(Base::Register(start), at as i32), zero);
            }
            let clearing = before..self.a.b.size();
            self.group().arrays[array].clearing = clearing;
        }
    }

    /// Ends the code of a group.
    pub(super) fn end_group(&mut self) {
        let Some(group) = &self.group else { return };
        for array in group.arrays.iter().filter(|it| !it.needs_zeros) {
            self.a.b.forget(array.clearing.clone());
        }
    }

    // Regions.

    /// Selects a region that all waves of a group go through together; returns whether its end is reachable.
    pub(super) fn joint_region(&mut self, region: Region) -> bool {
        let module = self.module;
        let mut insts = &module.region(region).insts[..];
        loop {
            let is_joint =
                |it: &Inst| self.group.as_ref().is_some_and(|own| own.plan.joint[it.index()]);
            let Some(at) = insts.iter().position(is_joint) else {
                unreachable!("the verifier has checked that a region ends in a terminator")
            };
            if !self.piece(&insts[..at]) {
                return false;
            }
            let inst = insts[at];
            let goes_on = match &module.inst(inst).op {
                Op::Yield(_) => return true,
                Op::Exit { to, args } => {
                    self.joint_exit(*to, args);
                    return false;
                }
                // The pieces of all waves before it have been appended.
                Op::Barrier { .. } => true,
                Op::If { cond, then, else_ } => self.joint_if(inst, *cond, [*then, *else_]),
                Op::Loop { body, inits } => self.joint_loop(inst, *body, inits),
                Op::Block { body } => self.joint_block(inst, *body),
                _ => unreachable!("the plan has checked what is joint"),
            };
            if !goes_on {
                return false;
            }
            insts = &insts[at + 1..];
        }
    }

    /// Instructions of one wave after the other; returns whether their end is reachable.
    fn piece(&mut self, insts: &[Inst]) -> bool {
        let waves = if insts.is_empty() { 0 } else { self.group().waves };
        (0..waves).all(|wave| {
            self.enter(wave);
            insts.iter().all(|inst| self.piece_of_wave(wave, *inst))
        })
    }

    fn piece_of_wave(&mut self, wave: usize, inst: Inst) -> bool {
        let module = self.module;
        let data = module.inst(inst);
        if let (1.., [result]) = (wave, &data.results[..])
            && self.group().plan.same[result.index()]
            && data.op.is_pure()
            && let Some(home) = self.home_in_first_wave(*result)
        {
            self.set(*result, home);
            return true;
        }
        let is_construct = !data.op.regions().is_empty();
        self.group().depth += usize::from(is_construct);
        let goes_on = self.instruction(inst);
        self.group().depth -= usize::from(is_construct);
        // A cancelled selection no longer knows the conditions of loops, and its result is discarded.
        assert!(goes_on || self.given_up, "constructs that lanes leave for good are joint");
        goes_on
    }

    /// The home of a value that is the same in all waves.
    fn home_in_first_wave(&mut self, value: Value) -> Option<Home> {
        let home = self.group().states[0].homes[value.index()].as_ref()?;
        matches!(home, Home::Constant(_) | Home::General(_) | Home::Splat(_)).then(|| home.clone())
    }

    /// Runs `inside` in a new scope: vector copies of values that are made there are not available afterwards.
    fn scope<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.group().depth += 1;
        self.each_wave(|s, _| s.copies.push(HashMap::default()));
        self.origins.push(Default::default());
        let result = inside(self);
        self.origins.pop();
        self.each_wave(|s, _| {
            s.copies.pop();
        });
        self.group().depth -= 1;
        result
    }

    fn joint_exit(&mut self, to: Inst, args: &[Value]) {
        let mut end = None;
        self.each_wave(|s, _| {
            let open = s.open(to);
            let End::Together(block) = open.end else {
                unreachable!("waves leave a joint construct together")
            };
            end = Some(block);
            for (variable, arg) in open.results.iter().zip(args) {
                s.assign(variable, *arg, None);
            }
        });
        if let Some(end) = end {
            self.a.b.jump(end);
        }
    }

    fn joint_if(&mut self, inst: Inst, cond: Value, arms: [Region; 2]) -> bool {
        let module = self.module;
        let results = &module.inst(inst).results;
        self.enter(0);
        if let Some(bits) = self.constant(cond) {
            let arm = arms[usize::from(bits & 1 == 0)];
            if !self.joint_region(arm) {
                return false;
            }
            let args = self.yielded(arm);
            self.each_wave(|s, _| {
                args.iter().zip(results).for_each(|(arg, result)| s.rename(*arg, *result));
            });
            return true;
        }
        let mut variables: Vec<Vec<Variable>> = Vec::new();
        self.each_wave(|s, _| variables.push(s.results(inst)));
        self.enter(0);
        let blocks = [0; 2].map(|_| self.a.b.block());
        self.branch_on(cond, blocks[0], blocks[1]);
        let joined = self.a.b.block();
        for (arm, block) in arms.into_iter().zip(blocks) {
            self.a.b.switch_to(block);
            self.scope(|s| {
                if s.joint_region(arm) {
                    let args = s.yielded(arm);
                    s.each_wave(|s, wave| {
                        for (variable, arg) in variables[wave].iter().zip(args) {
                            s.assign(variable, *arg, None);
                        }
                    });
                    s.a.b.jump(joined);
                }
            });
        }
        self.joint_end(inst, joined, &variables)
    }

    /// Continues at the end of a construct.
    fn joint_end(&mut self, inst: Inst, end: Block, variables: &[Vec<Variable>]) -> bool {
        self.a.b.seal(end);
        if !self.a.b.has_predecessors(end) {
            return false;
        }
        self.a.b.switch_to(end);
        self.forget_shared();
        let masks = self.group().masks.clone();
        self.each_wave(|s, wave| {
            s.set_results(inst, &variables[wave]);
            s.set_active(&masks);
        });
        true
    }

    /// Opens a construct; returns the block at its end and the variables of its results, for each wave.
    fn joint_open(&mut self, inst: Inst) -> (Block, Vec<Vec<Variable>>) {
        let end = self.a.b.block();
        let mut all = Vec::new();
        self.each_wave(|s, _| {
            let results = s.results(inst);
            s.constructs.insert(inst, Open { results: results.clone(), end: End::Together(end) });
            all.push(results);
        });
        (end, all)
    }

    fn joint_block(&mut self, inst: Inst, body: Region) -> bool {
        let (end, results) = self.joint_open(inst);
        self.scope(|s| {
            if s.joint_region(body) {
                let args = s.yielded(body);
                s.each_wave(|s, wave| {
                    for (variable, arg) in results[wave].iter().zip(args) {
                        s.assign(variable, *arg, None);
                    }
                });
                s.a.b.jump(end);
            }
        });
        self.joint_end(inst, end, &results)
    }

    fn joint_loop(&mut self, inst: Inst, body: Region, inits: &[Value]) -> bool {
        let module = self.module;
        let params = &module.region(body).params;
        let next = self.yielded(body);
        let (end, results) = self.joint_open(inst);
        self.enter(0);
        if let Some(rounds) = self.rounds(inst) {
            for round in 0..rounds {
                let from = if round == 0 { inits } else { next };
                self.each_wave(|s, _| {
                    let homes: Vec<Home> =
                        from.iter().zip(params).map(|(from, to)| s.home_as(*from, *to)).collect();
                    for (param, home) in params.iter().zip(homes) {
                        s.set(*param, home);
                    }
                });
                let falls = self.scope(|s| s.joint_region(body));
                let is_right = !falls || round + 1 < rounds || self.given_up;
                assert!(is_right, "the loop ends in its last iteration");
                if !falls {
                    break;
                }
                self.count_joint_round(inst, body);
            }
            return self.joint_end(inst, end, &results);
        }
        let mut variables: Vec<Vec<Variable>> = Vec::new();
        self.each_wave(|s, _| {
            let own: Vec<Variable> = params.iter().map(|it| s.variable(*it)).collect();
            for (variable, init) in own.iter().zip(inits) {
                s.assign(variable, *init, None);
            }
            variables.push(own);
        });
        let header = self.a.b.block();
        self.a.b.jump(header);
        self.a.b.switch_to(header);
        self.forget_shared();
        let masks = self.group().masks.clone();
        self.each_wave(|s, wave| {
            for (param, variable) in params.iter().zip(&variables[wave]) {
                let home = s.read(variable);
                s.set(*param, home);
            }
            s.set_active(&masks);
        });
        self.loops += 1;
        self.scope(|s| {
            if s.joint_region(body) {
                // Values are registers: writing a variable changes none of them.
                s.each_wave(|s, wave| {
                    for (variable, arg) in variables[wave].iter().zip(next) {
                        s.assign(variable, *arg, None);
                    }
                });
                s.count_joint_round(inst, body);
                s.a.b.jump(header);
            }
        });
        self.loops -= 1;
        self.a.b.seal(header);
        self.joint_end(inst, end, &results)
    }

    /// The back edge of a loop, which every wave pays for.
    fn count_joint_round(&mut self, inst: Inst, body: Region) {
        if !self.is_short(inst) {
            let cost = self.cost(body).saturating_mul(self.group().waves as i32);
            self.a.b.fuel(cost, inst);
        }
    }

    // Groupshared memory.

    /// Records that elements of an array are read: all of them, if it is not known which.
    pub(super) fn note_read(&mut self, array: usize, elements: Option<&[u32]>) {
        let Some(group) = &mut self.group else { return };
        let own = &mut group.arrays[array];
        let is_written = |at: &u32| own.written.get(*at as usize).copied().unwrap_or(true);
        own.needs_zeros |= match elements {
            Some(elements) => !elements.iter().all(is_written),
            None => own.written.contains(&false),
        };
    }

    /// Records that every group writes these elements of an array.
    pub(super) fn note_written(&mut self, array: usize, elements: &[u32]) {
        let Some(group) = &mut self.group else { return };
        if group.depth == 0 {
            let own = &mut group.arrays[array].written;
            elements.iter().for_each(|it| own[*it as usize] = true);
        }
    }

    /// The vector that holds these elements, if there is one.
    pub(super) fn held_in(&self, array: usize, first: u32, lanes: u32) -> Option<VReg> {
        let known = self.group.as_ref()?.known.iter().rev();
        let is_it = |it: &&Known| it.array == array && it.first == first && it.lanes >= lanes;
        known.filter(is_it).find(|it| self.a.b.is_dominated_by(it.block)).map(|it| it.vector)
    }

    /// Remembers that a vector holds the contents of these elements.
    pub(super) fn remember_shared(&mut self, array: usize, first: u32, lanes: u32, vector: VReg) {
        let block = self.a.b.current();
        let Some(group) = &mut self.group else { return };
        if group.known.len() == MOST_KNOWN {
            group.known.remove(0);
        }
        group.known.push(Known { array, first, lanes, vector, block });
    }

    /// Forgets the contents of some elements that are about to change.
    pub(super) fn forget_elements(&mut self, array: usize, first: u32, lanes: u32) {
        let Some(group) = &mut self.group else { return };
        group.known.retain(|it| {
            it.array != array || it.first + it.lanes <= first || first + lanes <= it.first
        });
    }

    pub(super) fn forget_array(&mut self, array: usize) {
        self.forget_elements(array, 0, u32::MAX);
    }

    /// Forgets all contents, where control flow joins.
    pub(super) fn forget_shared(&mut self) {
        if let Some(group) = &mut self.group {
            group.known.clear();
        }
    }
}
