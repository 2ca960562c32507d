//! Random programs, run by the engine and by a tree walker that is too simple to be wrong.
//!
//! The walker keeps a value for each SSA name and writes only the active lanes, so that a row shared too early, or
//! a mask that is off by a lane, shows in what the program stores.

use std::collections::BTreeMap;

use crate::build::{Shader, launch, module, run_words, to_words, words};
use ir::exec::{Bindings, LaneOrder, Launch, Schedule};
use ir::{Address, Builder, Inst, Module, Op, Region, Value, Values};
use ops::{Binary, Compare, Fold, LaneMask, Random, Sign, Ty, WaveOp, scalar};
use wavelane_interp::Observer;
use wavelane_interp::observe::{AccessEvent, DivergeEvent, WaveEvent};

const WIDTH: usize = 8;
type Lanes = [u64; WIDTH];

struct Tree<'m> {
    module: &'m Module,
    values: Vec<Lanes>,
    /// The lanes that wait at the end of a construct.
    joined: BTreeMap<Inst, LaneMask>,
    buffer: Vec<u32>,
}

impl Tree<'_> {
    fn get(&self, value: Value) -> Lanes {
        self.values[value.index()]
    }

    fn set(&mut self, value: Value, lanes: LaneMask, bits: Lanes) {
        lanes
            .iter()
            .for_each(|lane| self.values[value.index()][lane as usize] = bits[lane as usize]);
    }

    fn set_all(&mut self, to: &[Value], lanes: LaneMask, from: &[Lanes]) {
        to.iter().zip(from).for_each(|(to, from)| self.set(*to, lanes, *from));
    }

    fn get_all(&self, values: &[Value]) -> Vec<Lanes> {
        values.iter().map(|it| self.get(*it)).collect()
    }

    fn each(f: impl Fn(usize) -> u64) -> Lanes {
        std::array::from_fn(f)
    }

    /// Runs a region; returns the lanes that reached its end, and their values.
    fn run(&mut self, region: Region, mut active: LaneMask) -> (LaneMask, Vec<Lanes>) {
        let module = self.module;
        for inst in &module.region(region).insts {
            if active.is_empty() {
                return (active, Vec::new());
            }
            let data = module.inst(*inst);
            let ty = |value: &Value| module.ty(*value);
            match &data.op {
                Op::Const { bits, .. } => self.set(data.results[0], active, [*bits; WIDTH]),
                Op::Builtin(_) => self.set(data.results[0], active, Tree::each(|lane| lane as u64)),
                Op::Binary(op, a, b) => {
                    let (x, y) = (self.get(*a), self.get(*b));
                    let bits = Tree::each(|lane| scalar::eval_binary(*op, ty(a), x[lane], y[lane]));
                    self.set(data.results[0], active, bits);
                }
                Op::Compare(op, a, b) => {
                    let (x, y) = (self.get(*a), self.get(*b));
                    let bits = Tree::each(|lane| {
                        u64::from(scalar::eval_compare(*op, ty(a), x[lane], y[lane]))
                    });
                    self.set(data.results[0], active, bits);
                }
                Op::Wave { args, .. } => {
                    let x = self.get(args[0]);
                    let sum = active
                        .iter()
                        .fold(0_u32, |sum, lane| sum.wrapping_add(x[lane as usize] as u32));
                    self.set(data.results[0], active, [u64::from(sum); WIDTH]);
                }
                Op::Store { at: Address::Byte(at), values, .. } => {
                    let (at, x) = (self.get(*at), self.get(values[0]));
                    active.iter().for_each(|it| {
                        self.buffer[at[it as usize] as usize / 4] = x[it as usize] as u32
                    });
                }
                Op::If { cond, then, else_ } => {
                    let cond = self.get(*cond);
                    let taken: LaneMask =
                        active.iter().filter(|lane| cond[*lane as usize] == 1).collect();
                    let mut after = LaneMask::EMPTY;
                    for (arm, lanes) in [(*then, taken), (*else_, active & !taken)] {
                        let (came, values) = self.run(arm, lanes);
                        self.set_all(&data.results, came, &values);
                        after |= came;
                    }
                    active = after;
                }
                Op::Loop { body, inits } => {
                    let mut values = self.get_all(inits);
                    while !active.is_empty() {
                        self.set_all(&module.region(*body).params, active, &values);
                        (active, values) = self.run(*body, active);
                    }
                    active = self.joined.remove(inst).unwrap_or_default();
                }
                Op::Block { body } => {
                    let (came, values) = self.run(*body, active);
                    self.set_all(&data.results, came, &values);
                    active = came | self.joined.remove(inst).unwrap_or_default();
                }
                Op::Switch { selector, cases, inits } => {
                    let (selector, inits) = (self.get(*selector), self.get_all(inits));
                    let selects =
                        |lane: &u32, labels: &[u64]| labels.contains(&selector[*lane as usize]);
                    let named = |lane: &u32| cases.iter().any(|case| selects(lane, &case.labels));
                    let (mut came, mut values) = (LaneMask::EMPTY, Vec::new());
                    let mut waiting = active;
                    for case in cases {
                        let mine = |lane: &u32| {
                            selects(lane, &case.labels) || case.default && !named(lane)
                        };
                        let mine: LaneMask = active.iter().filter(mine).collect();
                        waiting &= !mine;
                        let params = &module.region(case.body).params;
                        self.set_all(params, came, &values);
                        self.set_all(params, mine, &inits);
                        (came, values) = self.run(case.body, came | mine);
                    }
                    self.set_all(&data.results, came, &values);
                    self.set_all(&data.results, waiting, &inits);
                    active = came | waiting | self.joined.remove(inst).unwrap_or_default();
                }
                Op::Yield(args) => return (active, self.get_all(args)),
                Op::Exit { to, args } => {
                    let values = self.get_all(args);
                    self.set_all(&module.inst(*to).results, active, &values);
                    *self.joined.entry(*to).or_default() |= active;
                    return (LaneMask::EMPTY, Vec::new());
                }
                Op::Return => return (LaneMask::EMPTY, Vec::new()),
                other => unreachable!("the generator does not make {other:?}"),
            }
        }
        unreachable!("a region ends with a terminator")
    }
}

/// Makes random programs of 32-bit integers.
struct Generator {
    random: Random,
    shader: Shader,
    /// The values in scope.
    scope: Vec<Value>,
    /// The constructs that can be exited, with the number of values they take.
    targets: Vec<(Inst, usize)>,
    /// How many more instructions may be generated.
    left: u32,
    slot: u32,
}

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn pick(&mut self) -> Value {
        // Prefer the latest values: those are the likeliest to be mixed up.
        let n = self.scope.len();
        let window = if self.below(3) == 0 { n } else { n.min(6) };
        let back = self.below(window);
        self.scope[n - 1 - back]
    }

    fn picks(&mut self, n: usize) -> Values {
        (0..n).map(|_| self.pick()).collect()
    }

    fn condition(&mut self) -> Value {
        let (a, b) = (self.pick(), self.pick());
        let seven = self.shader.int(7);
        let (a, b) =
            (self.shader.bin(Binary::And, a, seven), self.shader.bin(Binary::And, b, seven));
        self.shader.cmp(Compare::Lt(Sign::Unsigned), a, b)
    }

    fn store(&mut self, value: Value) {
        let base = self.shader.int(self.slot * WIDTH as u32);
        self.slot += 1;
        let thread = self.shader.thread;
        let at = self.shader.add(base, thread);
        self.shader.store(0, at, value);
    }

    fn region(
        &mut self,
        params: usize,
        results: usize,
        depth: u32,
        head: impl FnOnce(&mut Generator, &[Value]),
    ) -> Region {
        let outer = self.scope.len();
        let (region, params) = self.shader.b.open(&vec![Ty::I32; params]);
        self.scope.extend(&params);
        head(self, &params);
        self.body(depth);
        let values = self.picks(results);
        self.shader.end(&values);
        self.shader.b.close();
        self.scope.truncate(outer);
        region
    }

    fn body(&mut self, depth: u32) {
        let n = 1 + self.below(6);
        for _ in 0..n {
            if self.left == 0 || self.shader.b.is_terminated() {
                return;
            }
            self.left -= 1;
            let kinds = if depth == 0 { 6 } else { 12 };
            match self.below(kinds) {
                0..=3 => {
                    let op = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Xor][self.below(4)];
                    let (a, b) = (self.pick(), self.pick());
                    let value = self.shader.bin(op, a, b);
                    self.scope.push(value);
                }
                4 => {
                    let a = self.pick();
                    let sum = self.shader.wave(WaveOp::Reduce(Fold::Sum), &[a], Ty::I32);
                    self.scope.push(sum);
                }
                5 => {
                    let a = self.pick();
                    self.store(a);
                }
                6 | 7 => {
                    let cond = self.condition();
                    let results = self.below(3);
                    let inst = self.shader.b.reserve();
                    let then = self.region(0, results, depth - 1, |g, _| g.maybe_leave());
                    let else_ = self.region(0, results, depth - 1, |g, _| g.maybe_leave());
                    self.fill(inst, Op::If { cond, then, else_ }, results);
                }
                8 => {
                    let results = self.below(3);
                    let inst = self.shader.b.reserve();
                    self.targets.push((inst, results));
                    let body = self.region(0, results, depth - 1, |_, _| {});
                    self.targets.pop();
                    self.fill(inst, Op::Block { body }, results);
                }
                9 | 10 => {
                    let results = self.below(3);
                    let params = 1 + self.below(4);
                    let mut inits = self.picks(params);
                    inits[0] = self.shader.int(0);
                    let limit = self.pick();
                    let three = self.shader.int(3);
                    let limit = self.shader.bin(Binary::And, limit, three);
                    let inst = self.shader.b.reserve();
                    self.targets.push((inst, results));
                    let outer = self.scope.len();
                    let (body, params) = self.shader.b.open(&vec![Ty::I32; params]);
                    self.scope.extend(&params);
                    let more = self.shader.lt(params[0], limit);
                    let args = self.picks(results);
                    self.shader.if_(more, |_| {}, |s| s.exit(inst, &args));
                    self.body(depth - 1);
                    let one = self.shader.int(1);
                    if !self.shader.b.is_terminated() {
                        let mut next = self.picks(params.len());
                        next[0] = self.shader.add(params[0], one);
                        self.shader.end(&next);
                    }
                    self.shader.b.close();
                    self.scope.truncate(outer);
                    self.targets.pop();
                    self.fill(inst, Op::Loop { body, inits }, results);
                }
                _ => {
                    let results = self.below(3);
                    let inits = self.picks(results);
                    let selector = self.pick();
                    let three = self.shader.int(3);
                    let selector = self.shader.bin(Binary::And, selector, three);
                    let inst = self.shader.b.reserve();
                    self.targets.push((inst, results));
                    let default = self.below(5);
                    let cases = (0..3)
                        .map(|i| {
                            let body =
                                self.region(results, results, depth - 1, |g, _| g.maybe_leave());
                            Builder::case(vec![(i as u64 * 2) % 5], i == default, body)
                        })
                        .collect();
                    self.targets.pop();
                    self.fill(inst, Op::Switch { selector, cases, inits }, results);
                }
            }
        }
    }

    /// Sometimes ends a region by exiting to an enclosing construct, or by returning.
    fn maybe_leave(&mut self) {
        let targets = self.targets.len();
        if self.below(3) == 0 && targets > 0 {
            let chosen = self.below(targets);
            let (to, n) = self.targets[chosen];
            let args = self.picks(n);
            self.shader.exit(to, &args);
        } else if self.below(20) == 0 {
            self.shader.b.terminate(Op::Return);
        }
    }

    fn fill(&mut self, inst: Inst, op: Op, results: usize) {
        self.shader.b.fill(inst, op, &vec![Ty::I32; results]);
        self.scope.extend(self.shader.b.results(inst).to_vec());
    }
}

fn random_module(seed: u64) -> (Module, usize) {
    let shader = Shader::new(module([WIDTH as u32, 1, 1], 1));
    let scope = vec![shader.thread];
    let mut g = Generator {
        random: Random::new(seed),
        shader,
        scope,
        targets: Vec::new(),
        left: 60 + seed as u32 % 3 * 60,
        slot: 0,
    };
    let five = g.shader.int(5);
    g.scope.push(five);
    while g.left > 0 && !g.shader.b.is_terminated() {
        g.body(4);
    }
    for value in g.scope.clone() {
        g.store(value);
    }
    let slots = g.slot as usize;
    (g.shader.finish(), slots * WIDTH)
}

/// Checks that no poison appears: these programs use nothing uninitialised.
struct NoPoison;

impl Observer for NoPoison {
    fn store(&mut self, event: &AccessEvent<'_>) {
        assert_eq!(event.value_poison | event.address_poison, LaneMask::EMPTY, "{event:?}");
    }
    fn diverge(&mut self, event: &DivergeEvent) {
        assert_eq!(event.poison, LaneMask::EMPTY, "{event:?}");
    }
    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        assert_eq!(event.result_poison, LaneMask::EMPTY, "{event:?}");
    }
}

#[test]
fn random_programs_match_the_tree_walker() {
    for seed in 0..2000 {
        let (module, size) = random_module(seed);
        assert_eq!(ir::verify::verify(&module), Ok(()), "seed {seed}");
        let mut tree = Tree {
            module: &module,
            values: vec![[0xbad; WIDTH]; module.values.len()],
            joined: BTreeMap::new(),
            buffer: vec![0; size],
        };
        tree.run(module.body, LaneMask::first_n(WIDTH as u32));
        let expected = tree.buffer;
        for schedule in [Schedule::Ascending, Schedule::RoundRobin, Schedule::Random(seed)] {
            let launch =
                Launch { schedule, lane_order: LaneOrder::Linear, ..launch(1, WIDTH as u32) };
            let got = run_words(&module, &launch, vec![vec![0; size]]);
            assert_eq!(got[0], expected, "seed {seed}, {schedule:?}\n{}", ir::text::print(&module));
        }
        let mut bindings = Bindings { bindings: vec![vec![words(&vec![0; size])]] };
        let result =
            wavelane_interp::run(&module, &launch(1, WIDTH as u32), &mut bindings, &mut NoPoison);
        assert_eq!(result, Ok(()));
        assert_eq!(to_words(&bindings.bindings[0][0]), expected, "seed {seed}, observed");
    }
}
