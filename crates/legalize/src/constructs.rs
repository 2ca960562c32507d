//! Which constructs observe the active set, and what they contain.
//!
//! A construct is *collective* if it contains an operation that depends on which lanes execute it together, or memory
//! accesses whose order between lanes can be observed: then all threads of the warp walk through it together. Other
//! constructs become ordinary branches.
//!
//! Statements of one tangle are ordered, so a construct is also collective if lanes could observe one another's
//! progress: one access writes, and another one, or the same one in another iteration, touches the same memory.
//! Atomic operations of one kind whose results are unused commute, and do not count. Neither need accesses in a
//! single-lane region: no other lane is there to observe their order.

use std::collections::{BTreeMap, BTreeSet};

use ir::facts::{Access, Kind, Space};
use ir::uniformity::Uniformities;
use ir::{Atomic, Binding, Inst, Module, Op, Region};

/// Memory that lanes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    Resource(Binding),
    Counter(Binding),
    Group(u32),
}

/// What is done to some shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    pub reads: bool,
    pub writes: bool,
    /// The number of instructions; a loop counts as many, and a single-lane region as one.
    times: u32,
    /// The only kind of access, if it is an atomic operation whose order cannot be observed.
    commutes: Option<Atomic>,
}

/// What a construct contains, at any depth.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// An operation that depends on which lanes execute it together.
    sees_lanes: bool,
    pub touched: BTreeMap<Shared, Touched>,
    pub returns: bool,
    pub has_loop: bool,
    /// The number of instructions.
    pub size: u32,
    /// Constructs around it that it exits to.
    pub exits: BTreeSet<Inst>,
    /// A barrier, which orders what comes before and after it.
    pub has_barrier: bool,
}

impl Contents {
    pub fn is_collective(&self) -> bool {
        self.sees_lanes || self.touched.values().any(|it| it.is_ordered())
    }

    /// Whether lanes leave it other than at its end.
    pub fn escapes(&self) -> bool {
        self.returns || !self.exits.is_empty()
    }

    /// Adds what follows.
    fn add(&mut self, other: &Contents) {
        self.sees_lanes |= other.sees_lanes;
        self.returns |= other.returns;
        self.has_loop |= other.has_loop;
        self.has_barrier |= other.has_barrier;
        self.size += other.size;
        self.exits.extend(&other.exits);
        for (memory, touched) in &other.touched {
            self.touch(*memory, *touched);
        }
    }

    /// At most one lane at a time does all of it, in the order of the program.
    fn run_by_one_lane(&mut self) {
        for touched in self.touched.values_mut() {
            touched.times = 1;
        }
    }

    fn touch(&mut self, memory: Shared, touched: Touched) {
        match self.touched.get_mut(&memory) {
            None => {
                self.touched.insert(memory, touched);
            }
            Some(known) => known.add(touched),
        }
    }
}

impl Touched {
    pub fn add(&mut self, other: Touched) {
        self.reads |= other.reads;
        self.writes |= other.writes;
        self.times = self.times.saturating_add(other.times);
        if self.commutes != other.commutes {
            self.commutes = None;
        }
    }

    /// Whether the order of lanes can be observed.
    fn is_ordered(&self) -> bool {
        self.writes && self.times > 1 && self.commutes.is_none()
    }

    /// Whether an access after this one must come after it for all lanes.
    pub fn conflicts(&self, other: Touched) -> bool {
        let commute = self.commutes.is_some() && self.commutes == other.commutes;
        (self.writes || other.writes) && !commute
    }
}

/// The shared memory that an instruction accesses, and how.
pub fn touched(module: &Module, used: &[bool], inst: Inst) -> Option<(Shared, Touched)> {
    let data = module.inst(inst);
    let (space, access) = data.op.effects().memory()?;
    let memory = match space {
        Space::Resource(place) => {
            if !module.may_be_written(place.binding) {
                return None;
            }
            Shared::Resource(module.storage(place.binding))
        }
        Space::Counter(place) => Shared::Counter(module.storage(place.binding)),
        Space::Shared(memory) => Shared::Group(memory.0),
        Space::Private(_) | Space::Queries => return None,
    };
    let unused = !data.results.iter().any(|it| used[it.index()]);
    let commutes = match &data.op {
        Op::Atomic { op, .. } | Op::SharedAtomic { op, .. } if unused => {
            op.fold().is_some().then_some(*op)
        }
        _ => None,
    };
    let (reads, writes) = (access == Access::Read, access != Access::Read);
    Some((memory, Touched { reads, writes, times: 1, commutes }))
}

/// The constructs of all instructions and regions of a module that are reachable from its body.
pub struct Constructs {
    insts: BTreeMap<Inst, Contents>,
    regions: Vec<Contents>,
    /// The regions whose accesses need no order between lanes, because at most one runs them at a time.
    single_lane: Vec<bool>,
    /// Whether anything uses each value.
    pub used: Vec<bool>,
}

impl Constructs {
    /// Accesses need an order between lanes in every region.
    pub fn of(module: &Module) -> Constructs {
        Constructs::with(module, vec![false; module.regions.len()])
    }

    /// Accesses need no order in single-lane regions, so these are not collective for that reason.
    pub fn with_single_lanes(module: &Module, uniformities: &Uniformities) -> Constructs {
        Constructs::with(module, uniformities.single_lane_regions(module))
    }

    fn with(module: &Module, single_lane: Vec<bool>) -> Constructs {
        let mut constructs = Constructs {
            insts: BTreeMap::new(),
            regions: vec![Contents::default(); module.regions.len()],
            single_lane,
            used: ir::flow::used(module),
        };
        // Textual order puts a construct before its regions, so the reverse computes what is inside first.
        let structure = ir::flow::Structure::of(module);
        for step in structure.steps.iter().rev() {
            match *step {
                ir::flow::Step::Inst(inst) => constructs.inst(module, inst),
                ir::flow::Step::Region(_) => {}
            }
        }
        constructs.region(module, module.body);
        constructs
    }

    /// The contents of a construct.
    pub fn of_inst(&self, inst: Inst) -> &Contents {
        match self.insts.get(&inst) {
            Some(contents) => contents,
            None => unreachable!("only constructs have contents, and each has been visited"),
        }
    }

    pub fn of_region(&self, region: Region) -> &Contents {
        &self.regions[region.index()]
    }

    fn inst(&mut self, module: &Module, inst: Inst) {
        let op = &module.inst(inst).op;
        let regions = op.regions();
        if !op.is_construct() {
            return;
        }
        let mut contents = Contents { size: 1, ..Contents::default() };
        for region in regions {
            self.region(module, region);
            contents.add(&self.regions[region.index()]);
        }
        if matches!(op, Op::Loop { .. }) {
            contents.has_loop = true;
            for touched in contents.touched.values_mut() {
                touched.times = touched.times.saturating_mul(2);
            }
        }
        contents.exits.remove(&inst);
        self.insts.insert(inst, contents);
    }

    /// Everything inside the constructs of the region is known.
    fn region(&mut self, module: &Module, region: Region) {
        let mut contents = Contents::default();
        let single_lane = self.single_lane[region.index()];
        for inst in &module.region(region).insts {
            if let Some(inner) = self.insts.get_mut(inst) {
                if single_lane {
                    inner.run_by_one_lane();
                }
                contents.add(inner);
                continue;
            }
            let op = &module.inst(*inst).op;
            let effects = op.effects();
            contents.size += 1;
            contents.sees_lanes |= effects.sees_lanes;
            contents.has_barrier |= effects.kind == Kind::Barrier;
            if let Some((memory, touched)) = touched(module, &self.used, *inst) {
                contents.touch(memory, touched);
            }
            match op {
                Op::Exit { to, .. } => {
                    contents.exits.insert(*to);
                }
                Op::Return => contents.returns = true,
                _ => {}
            }
        }
        if single_lane {
            contents.run_by_one_lane();
        }
        self.regions[region.index()] = contents;
    }
}
