//! Runs random modules on four lanes and compares the events with the promises of the analyses.
//!
//! The runner knows a handful of operations and every kind of control flow, and directly follows the crate's
//! documentation: it shares nothing with an engine or with the analyses.

use ops::{Binary, Compare, Random, Sign, Ty, WaveOp};
use wavelane_ir::uniformity::{Flow, Uniformities, Uniformity, analyse};
use wavelane_ir::{
    Address, Binding, Builder, Inst, Module, Op, Place, Region, Value, Values, values,
};

const LANES: usize = 4;

/// Generates random modules.
struct Writer {
    random: Random,
    builder: Builder,
    /// The `i32` values in scope.
    scope: Values,
    /// The enclosing constructs, with the number of their results.
    targets: Vec<(Inst, usize)>,
}

impl Writer {
    fn module(seed: u64) -> Module {
        let text = "entry \"main\": compute 6.0\ngroup_size 4, 1, 1\nb0 \"Out\": raw.rw at u0 used\nbody r0 {\n}\n";
        let mut empty = wavelane_ir::text::read(text).unwrap();
        empty.regions.clear();
        let mut writer = Writer {
            random: Random::new(seed),
            builder: Builder::new(empty),
            scope: Values::new(),
            targets: Vec::new(),
        };
        writer.define(Op::Const { ty: Ty::I32, bits: 2 });
        writer.define(Op::Wave { op: WaveOp::LaneIndex, args: Values::new(), lanes: None });
        writer.lines(0, 0);
        writer.builder.finish()
    }

    fn define(&mut self, op: Op) {
        let value = self.builder.value(op, Ty::I32);
        self.scope.push(value);
    }

    fn pick(&mut self) -> Value {
        let i = self.random.below(self.scope.len());
        self.scope[i]
    }

    fn picks(&mut self, count: usize) -> Values {
        (0..count).map(|_| self.pick()).collect()
    }

    fn region(&mut self, params: usize, yields: usize, depth: usize) -> Region {
        let outside = self.scope.len();
        let (_, params) = self.builder.open(&vec![Ty::I32; params]);
        self.scope.extend(params);
        self.lines(yields, depth + 1);
        self.scope.truncate(outside);
        self.builder.close()
    }

    fn lines(&mut self, yields: usize, depth: usize) {
        for _ in 0..1 + self.random.below(5) {
            self.line(depth);
        }
        let end = match self.random.below(8) {
            0 | 1 if !self.targets.is_empty() => {
                let i = self.random.below(self.targets.len());
                let (to, count) = self.targets[i];
                Op::Exit { to, args: self.picks(count) }
            }
            2 if depth > 1 && self.random.below(3) == 0 => Op::Return,
            _ => Op::Yield(self.picks(yields)),
        };
        self.builder.terminate(end);
    }

    fn line(&mut self, depth: usize) {
        let kinds = if depth < 5 { 12 } else { 7 };
        match self.random.below(kinds) {
            0 => {
                let bits = self.random.below(4) as u64;
                self.define(Op::Const { ty: Ty::I32, bits });
            }
            1 | 2 => {
                let op = [Binary::Add, Binary::Sub, Binary::Mul, Binary::And][self.random.below(4)];
                let (a, b) = (self.pick(), self.pick());
                self.define(Op::Binary(op, a, b));
            }
            3 => {
                let args = values![self.pick()];
                self.define(Op::Wave { op: WaveOp::ReadLaneFirst, args, lanes: None });
            }
            4..=6 => {
                let (at, value) = (self.pick(), self.pick());
                let (place, at) = (Place { binding: Binding(0), element: None }, Address::Byte(at));
                self.builder.inst(Op::Store { place, at, values: values![value] }, &[]);
            }
            7 | 8 => {
                let (a, b) = (self.pick(), self.pick());
                let op = [Compare::Eq, Compare::Lt(Sign::Unsigned)][self.random.below(2)];
                let cond = self.builder.value(Op::Compare(op, a, b), Ty::Bool);
                self.construct(false, |it, results| {
                    let then = it.region(0, results, depth);
                    Op::If { cond, then, else_: it.region(0, results, depth) }
                });
            }
            9 => {
                let count = self.random.below(3);
                let inits = self.picks(count);
                self.construct(true, |it, _| Op::Loop {
                    body: it.region(count, count, depth),
                    inits,
                });
            }
            10 => {
                self.construct(true, |it, results| Op::Block { body: it.region(0, results, depth) })
            }
            _ => {
                let selector = self.pick();
                self.construct(true, |it, results| {
                    let inits = it.picks(results);
                    let count = it.random.below(4);
                    let default = it.random.below(5);
                    let case = |i| {
                        let body = it.region(results, results, depth);
                        Builder::case(vec![i as u64], i == default, body)
                    };
                    Op::Switch { selector, cases: (0..count).map(case).collect(), inits }
                });
            }
        }
    }

    fn construct(&mut self, target: bool, op: impl FnOnce(&mut Writer, usize) -> Op) {
        let inst = self.builder.reserve();
        let results = self.random.below(3);
        if target {
            self.targets.push((inst, results));
        }
        let op = op(self, results);
        if target {
            self.targets.pop();
        }
        self.builder.fill(inst, op, &vec![Ty::I32; results]);
        self.scope.extend(self.builder.results(inst).to_vec());
    }
}

/// Sets of lanes as bits.
type Set = u8;

struct Runner<'a> {
    module: &'a Module,
    uniformity: Uniformities,
    values: Vec<[u32; LANES]>,
    live: Set,
    /// The lanes that wait at the end of each construct.
    waiting: Vec<Set>,
    stores: Vec<(Set, [(u32, u32); LANES])>,
    fuel: usize,
}

fn run(module: &Module) -> Runner<'_> {
    let mut runner = Runner {
        module,
        uniformity: analyse(module),
        values: vec![[0; LANES]; module.values.len()],
        live: 0b1111,
        waiting: vec![0; module.insts.len()],
        stores: Vec::new(),
        fuel: 1000,
    };
    runner.region(module.body, 0b1111);
    runner
}

fn lanes(set: Set) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| set >> lane & 1 == 1)
}

impl Runner<'_> {
    /// Checks that a value has its uniformity in these lanes.
    fn check(&self, value: Value, active: Set) {
        let first = active.trailing_zeros() as usize;
        for lane in lanes(active) {
            let difference =
                self.values[value.index()][lane].wrapping_sub(self.values[value.index()][first]);
            let distance = (lane - first) as u32;
            match self.uniformity.of(value) {
                Uniformity::Uniform => assert_eq!(difference, 0, "{value} is not uniform"),
                Uniformity::Affine { stride } => {
                    assert_eq!(
                        difference,
                        (stride as u32).wrapping_mul(distance),
                        "{value} is not affine"
                    );
                }
                Uniformity::Varying => {}
            }
        }
    }

    fn copy(&mut self, from: &[Value], to: &[Value], set: Set) {
        let read: Vec<[u32; LANES]> = from.iter().map(|it| self.values[it.index()]).collect();
        for (to, read) in to.iter().zip(read) {
            lanes(set).for_each(|lane| self.values[to.index()][lane] = read[lane]);
        }
    }

    fn yields(&self, region: Region) -> Values {
        match &self.module.inst(*self.module.region(region).insts.last().unwrap()).op {
            Op::Yield(args) => args.clone(),
            _ => Values::new(),
        }
    }

    /// The lanes that reach the yield at the end.
    fn region(&mut self, region: Region, mut active: Set) -> Set {
        self.fuel = self.fuel.saturating_sub(1);
        for param in &self.module.region(region).params {
            self.check(*param, active);
        }
        for inst in &self.module.region(region).insts {
            if active == 0 || self.fuel == 0 {
                return 0;
            }
            if self.uniformity.flow(region) == Flow::Uniform {
                assert_eq!(
                    active, self.live,
                    "{inst} in {region} runs with only some lanes of the wave"
                );
            }
            active = self.inst(*inst, active);
            for result in &self.module.inst(*inst).results {
                if active != 0 {
                    self.check(*result, active);
                }
            }
        }
        active
    }

    fn inst(&mut self, inst: Inst, active: Set) -> Set {
        let module = self.module;
        let data = module.inst(inst);
        let set = |it: &mut Self, compute: &dyn Fn(&Self, usize) -> u32| {
            for lane in lanes(active) {
                it.values[data.results[0].index()][lane] = compute(it, lane);
            }
            active
        };
        match &data.op {
            Op::Const { bits, .. } => set(self, &|_, _| *bits as u32),
            Op::Wave { op: WaveOp::LaneIndex, .. } => set(self, &|_, lane| lane as u32),
            Op::Wave { args, .. } => {
                let first = self.values[args[0].index()][active.trailing_zeros() as usize];
                set(self, &|_, _| first)
            }
            Op::Binary(op, a, b) => set(self, &|it, lane| {
                let [a, b] = [a, b].map(|value| u64::from(it.values[value.index()][lane]));
                ops::scalar::eval_binary(*op, Ty::I32, a, b) as u32
            }),
            Op::Compare(op, a, b) => set(self, &|it, lane| {
                let [a, b] = [a, b].map(|value| u64::from(it.values[value.index()][lane]));
                u32::from(ops::scalar::eval_compare(*op, Ty::I32, a, b))
            }),
            Op::Store { at: Address::Byte(at), values, .. } => {
                let stored = |lane: usize| match active >> lane & 1 {
                    0 => (0, 0),
                    _ => (self.values[at.index()][lane], self.values[values[0].index()][lane]),
                };
                self.stores.push((active, std::array::from_fn(stored)));
                active
            }
            Op::If { cond, then, else_ } => {
                let taken = lanes(active).filter(|lane| self.values[cond.index()][*lane] == 1);
                let taken = taken.fold(0, |set, lane| set | 1 << lane);
                let mut after = 0;
                for (region, set) in [(*then, taken), (*else_, active & !taken)] {
                    if set != 0 {
                        assert!(
                            set == active || self.uniformity.flow(region) == Flow::Apart,
                            "{region} is entered by only some lanes"
                        );
                        let left = self.region(region, set);
                        self.copy(&self.yields(region), &data.results, left);
                        after |= left;
                    }
                }
                after
            }
            Op::Loop { body, inits } => {
                self.waiting[inst.index()] = 0;
                let params = &module.region(*body).params;
                self.copy(inits, params, active);
                let mut going = active;
                while going != 0 {
                    going = self.region(*body, going);
                    self.copy(&self.yields(*body), params, going);
                }
                self.waiting[inst.index()]
            }
            Op::Block { body } => {
                self.waiting[inst.index()] = 0;
                let left = self.region(*body, active);
                self.copy(&self.yields(*body), &data.results, left);
                left | self.waiting[inst.index()]
            }
            Op::Switch { selector, cases, inits } => {
                self.waiting[inst.index()] = 0;
                let chosen = |lane: usize| {
                    let label = u64::from(self.values[selector.index()][lane]);
                    let labelled = cases.iter().position(|case| case.labels.contains(&label));
                    labelled.or(cases.iter().position(|case| case.default))
                };
                let chosen: [Option<usize>; LANES] = std::array::from_fn(chosen);
                let selecting = |case| {
                    lanes(active)
                        .filter(|lane| chosen[*lane] == case)
                        .fold(0, |set, lane| set | 1 << lane)
                };
                let nothing: Set = selecting(None);
                self.copy(inits, &data.results, nothing);
                let mut falling = 0;
                for (i, case) in cases.iter().enumerate() {
                    let selected = selecting(Some(i));
                    self.copy(inits, &module.region(case.body).params, selected);
                    falling = if selected | falling != 0 {
                        self.region(case.body, selected | falling)
                    } else {
                        0
                    };
                    let next = cases
                        .get(i + 1)
                        .map_or(&data.results, |next| &module.region(next.body).params);
                    self.copy(&self.yields(case.body), next, falling);
                }
                nothing | falling | self.waiting[inst.index()]
            }
            Op::Yield(_) => active,
            Op::Exit { to, args } => {
                self.copy(args, &module.inst(*to).results, active);
                self.waiting[to.index()] |= active;
                0
            }
            Op::Return => {
                self.live &= !active;
                0
            }
            op => unreachable!("the writer does not generate {op:?}"),
        }
    }
}

#[test]
fn uniformity_and_pruning_keep_their_promises() {
    let (mut finished, mut uniform_results, mut pruned_insts) = (0, 0, 0);
    for seed in 0..5_000 {
        let module = Writer::module(seed);
        let text = wavelane_ir::text::print(&module);
        let judged = wavelane_ir::verify::verify(&module);
        assert!(judged.is_ok(), "seed {seed}: {judged:?}\n{text}");
        assert_eq!(wavelane_ir::text::read(&text).as_ref(), Ok(&module), "seed {seed}\n{text}");
        let mut pruned = module.clone();
        wavelane_ir::simplify::prune(&mut pruned);
        let judged = wavelane_ir::verify::verify(&pruned);
        assert!(judged.is_ok(), "seed {seed}: {judged:?}\n{text}");
        let result = std::panic::catch_unwind(|| {
            let (before, after) = (run(&module), run(&pruned));
            assert_eq!(before.stores, after.stores, "pruning changes what is stored");
            assert_eq!(before.live, after.live, "pruning changes which lanes return");
            usize::from(before.fuel != 0)
        });
        let Ok(ended) = result else {
            panic!("seed {seed}\n{text}\npruned:\n{}", wavelane_ir::text::print(&pruned))
        };
        finished += ended;
        pruned_insts += module.insts.len() - pruned.insts.len();
        let uniformity = analyse(&module);
        let constructs = module.insts.iter().filter(|it| !it.op.regions().is_empty());
        uniform_results +=
            constructs.flat_map(|it| &it.results).filter(|it| uniformity.is_uniform(**it)).count();
    }
    // The test is meaningful only if it meets enough interesting cases.
    assert!(finished > 2_500, "{finished} runs finished");
    assert!(uniform_results > 2_500, "{uniform_results} results of constructs are uniform");
    assert!(pruned_insts > 25_000, "{pruned_insts} instructions were pruned");
}
