//! Generates programs from seeds.

mod groups;

use std::collections::{BTreeMap, BTreeSet};

use ops::intrinsics::{Elements, Intrinsic, Meaning, Origin, Output, Param, ShaderModel, Stage};

use crate::{
    Bin, Cmp, Counter, Expr, ExprKind, Form, Function, Group, Kind, Meshlets, Pixels, Program,
    Shader, Stmt, Ty,
};

pub use groups::meshlets;

/// What programs consist of; printed, so that a generator of uninteresting programs is noticed.
#[derive(Debug, Default)]
pub struct Statistics {
    /// For each wave function and element type, the number of uses.
    pub uses: BTreeMap<(&'static str, Kind), usize>,
    /// For each depth of nested control flow, the number of wave functions.
    pub depths: BTreeMap<usize, usize>,
    /// For each construct of control flow, the number of programs with it.
    pub constructs: BTreeMap<&'static str, usize>,
    pub programs: usize,
}

impl Statistics {
    /// Counts a program of these shaders.
    fn count(&mut self, shaders: &[&Program]) {
        self.programs += 1;
        let all: BTreeSet<&str> = shaders.iter().flat_map(|it| constructs(it)).collect();
        for construct in all {
            *self.constructs.entry(construct).or_default() += 1;
        }
    }

    pub fn add(&mut self, other: &Statistics) {
        fn sum<K: Copy + Ord>(into: &mut BTreeMap<K, usize>, from: &BTreeMap<K, usize>) {
            for (key, count) in from {
                *into.entry(*key).or_default() += count;
            }
        }
        sum(&mut self.uses, &other.uses);
        sum(&mut self.depths, &other.depths);
        sum(&mut self.constructs, &other.constructs);
        self.programs += other.programs;
    }
}

/// What programs are generated for. Each program depends on the seed alone, not on those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The narrowest and the widest waves; a program is defined at every width from one to the other.
    pub widths: (u32, u32),
    /// Functions of later versions are left out.
    pub model: ShaderModel,
    /// Functions of Slang are used too.
    pub slang: bool,
}

impl Wanted {
    /// The program of a seed.
    pub fn program(&self, seed: u64, statistics: &mut Statistics) -> Program {
        let program = make(seed, *self, statistics, Mode::of(Stage::Compute));
        statistics.count(&[&program]);
        program
    }

    /// The pixel shader of a seed, in which nothing depends on helper lanes that do not participate in wave operations.
    pub fn pixels(&self, seed: u64, statistics: &mut Statistics) -> Program {
        // Another sequence than that of the shader.
        let mut random = Random::new(seed.wrapping_add(1 << 63));
        let helpers = match random.below(4) {
            0 if self.model >= ShaderModel::V6_7 => Helpers::Participate,
            0 | 1 => Helpers::None,
            _ => Helpers::Unread,
        };
        let program = make(seed, *self, statistics, Mode { helpers, ..Mode::of(Stage::Pixel) });
        statistics.count(&[&program]);
        program
    }

    /// The mesh shader of a seed, and the amplification shader before every other one.
    pub fn meshlets(&self, seed: u64, statistics: &mut Statistics) -> Meshlets {
        let program = groups::made(seed, *self, true, statistics);
        let shaders: Vec<&Program> = program.shaders().collect();
        statistics.count(&shaders);
        program
    }
}

#[derive(Clone, Copy)]
struct Mode {
    stage: Stage,
    /// Prefers what the statistics show least of.
    balanced: bool,
    helpers: Helpers,
}

impl Mode {
    fn of(stage: Stage) -> Mode {
        Mode { stage, balanced: false, helpers: Helpers::AsReference }
    }
}

/// What a pixel shader has to do with helper lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Helpers {
    /// Anything; results are those of our reference.
    AsReference,
    /// There are none: quads are whole, and no lane discards.
    None,
    /// Nothing reads them: no quad function, no derivative, and no lane at a fixed place.
    Unread,
    /// They participate in wave operations.
    Participate,
}

/// Generates a program for waves of `width` lanes.
pub fn program(seed: u64, width: u32, statistics: &mut Statistics) -> Program {
    make(seed, of_width(width), statistics, Mode { balanced: true, ..Mode::of(Stage::Compute) })
}

/// Generates a pixel shader for waves of `width` lanes.
pub fn pixels(seed: u64, width: u32, statistics: &mut Statistics) -> Program {
    make(seed, of_width(width), statistics, Mode { balanced: true, ..Mode::of(Stage::Pixel) })
}

/// Everything that a width allows.
fn of_width(width: u32) -> Wanted {
    Wanted { widths: (width, width), model: ShaderModel::HIGHEST, slang: true }
}

fn make(seed: u64, wanted: Wanted, statistics: &mut Statistics, mode: Mode) -> Program {
    let mut maker = Maker::new(seed, wanted, statistics, mode);
    maker.some_functions();
    if mode.stage == Stage::Pixel {
        return maker.finish_pixels(seed);
    }
    // Whole waves, a partial one, or a whole and a partial one. What fills the widest wave fills narrower ones, too.
    let width = maker.width;
    let whole = maker.random.below(2) == 0;
    let threads = if whole { width } else { 1 + maker.random.below(2 * width) };
    let main = maker.main(whole);
    maker.functions.push(main);
    let (places, functions) = (maker.places, maker.functions);
    let (counts, portable) = (!mode.balanced, !wanted.slang);
    Program { seed, places, functions, threads, shader: Shader::Compute, counts, portable }
}

/// The random choices of a seed. Not [`ops::Random`], because documents and campaigns name programs by their seeds.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 20
    }

    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n)) as u32
    }

    pub fn chance(&mut self, one_in: u32) -> bool {
        self.below(one_in) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}

struct Maker<'a> {
    random: Random,
    wanted: Wanted,
    narrowest: u32,
    /// The widest waves.
    width: u32,
    stage: Stage,
    balanced: bool,
    helpers: Helpers,
    statistics: &'a mut Statistics,
    functions: Vec<Function>,
    locals: Vec<Ty>,
    places: usize,
    depth: usize,
    /// Every lane of the wave is active here.
    whole: bool,
    /// How many loops are open, and how many switches inside the innermost of them.
    loops: usize,
    switches: usize,
    /// The remaining budget of statements.
    budget: i32,
    result: Option<Ty>,
    /// In a mesh or amplification shader.
    outputs: groups::Outputs,
}

const BINS: [Bin; 8] =
    [Bin::Add, Bin::Sub, Bin::Mul, Bin::And, Bin::Or, Bin::Xor, Bin::Min, Bin::Max];

impl Maker<'_> {
    fn new(seed: u64, wanted: Wanted, statistics: &mut Statistics, mode: Mode) -> Maker<'_> {
        let (narrowest, width) = wanted.widths;
        Maker {
            random: Random::new(seed),
            wanted,
            narrowest,
            width,
            stage: mode.stage,
            balanced: mode.balanced,
            helpers: mode.helpers,
            statistics,
            functions: Vec::new(),
            locals: Vec::new(),
            places: 0,
            depth: 0,
            whole: false,
            loops: 0,
            switches: 0,
            budget: 0,
            result: None,
            outputs: groups::Outputs::default(),
        }
    }

    /// Adds functions for `main` to call.
    fn some_functions(&mut self) {
        for _ in 0..self.random.below(3) {
            let function = self.function();
            self.functions.push(function);
        }
    }

    /// Adds the main function of a pixel shader, and deals its quads.
    fn finish_pixels(mut self, seed: u64) -> Program {
        let quads = 1 + self.random.below(self.width / 2);
        let main = self.main(true);
        self.functions.push(main);
        let mut helpers = Vec::new();
        for quad in (0..quads).filter(|_| self.helpers != Helpers::None) {
            // Most quads of a triangle have no helper lane.
            let set = if self.random.chance(2) { self.random.below(15) } else { 0 };
            helpers.extend((0..4).filter(|it| set >> it & 1 == 1).map(|it| 4 * quad + it));
        }
        let included = match self.helpers {
            Helpers::AsReference => self.random.chance(4),
            Helpers::None | Helpers::Unread => false,
            Helpers::Participate => true,
        };
        let (places, functions, portable) = (self.places, self.functions, !self.wanted.slang);
        let shader = Shader::Pixel(Pixels { helpers, columns: None, included });
        Program { seed, places, functions, threads: 4 * quads, shader, counts: false, portable }
    }

    fn main(&mut self, whole: bool) -> Function {
        self.begin(None, 14);
        self.whole = whole;
        let mut body = self.initialise(0);
        while self.budget > 0 {
            if !self.balanced && self.stage == Stage::Compute && self.random.chance(5) {
                body.extend(self.exchange());
            }
            let next = self.stmt();
            body.push(next);
        }
        for local in 0..self.locals.len() {
            body.push(self.log(Expr { ty: self.locals[local], kind: ExprKind::Local(local) }));
        }
        let (form, locals) = (Form::Plain, std::mem::take(&mut self.locals));
        Function { form, locals, body, result: None }
    }

    fn function(&mut self) -> Function {
        let ty = self.ty();
        self.begin(Some(ty), 5);
        self.locals.push(ty);
        let mut body = self.initialise(1);
        let inner = self.block();
        body.extend(inner);
        let result = self.expr(ty, 2);
        body.push(Stmt::Return(result));
        let form = match self.balanced {
            true => Form::Plain,
            false => self.random.pick(&[Form::Plain, Form::Template, Form::Method]),
        };
        let locals = std::mem::take(&mut self.locals);
        Function { form, locals, body, result: Some(ty) }
    }

    /// A local gets what another thread gave, if there is a local for it.
    fn exchange(&mut self) -> Option<Stmt> {
        let all = 0..self.locals.len();
        let fitting: Vec<usize> = all.filter(|it| self.locals[*it] == Ty::UINT).collect();
        if fitting.is_empty() {
            return None;
        }
        let local = self.random.pick(&fitting);
        let value = self.expr(Ty::UINT, 2);
        Some(Stmt::Exchange { local, value, by: 1 + self.random.below(2 * self.width) })
    }

    /// Whether every lane of the wave is active here, and each may be read.
    fn sees_whole(&self) -> bool {
        self.whole && self.helpers != Helpers::Unread
    }

    fn begin(&mut self, result: Option<Ty>, budget: i32) {
        self.locals = Vec::new();
        (self.depth, self.loops, self.switches) = (0, 0, 0);
        self.whole = false;
        self.budget = budget;
        self.result = result;
    }

    /// Declares a few locals and initialises each with a value that differs between lanes.
    fn initialise(&mut self, given: usize) -> Vec<Stmt> {
        let n = 3 + self.random.below(3) as usize;
        let mut body = Vec::new();
        for local in given..given + n {
            let ty = self.ty();
            let value = self.leaf(ty);
            self.locals.push(ty);
            body.push(Stmt::Assign(local, value));
        }
        body
    }

    fn ty(&mut self) -> Ty {
        // The type of lane masks.
        if self.random.chance(12) {
            return Ty::UINT4;
        }
        let kind = self.random.pick(&Kind::ALL);
        let n = if self.random.chance(3) { 2 + self.random.below(3) as usize } else { 1 };
        Ty { kind, n }
    }

    fn block(&mut self) -> Vec<Stmt> {
        let n = 1 + self.random.below(3);
        let mut body = Vec::new();
        for _ in 0..n {
            let stmt = self.stmt();
            let ends = matches!(stmt, Stmt::Break | Stmt::Continue | Stmt::Return(_));
            body.push(stmt);
            if ends {
                break;
            }
        }
        body
    }

    /// A block that only some lanes may enter.
    fn inner(&mut self) -> Vec<Stmt> {
        let whole = std::mem::replace(&mut self.whole, false);
        self.depth += 1;
        let body = self.block();
        self.depth -= 1;
        self.whole = whole;
        body
    }

    fn stmt(&mut self) -> Stmt {
        self.budget -= 1;
        // Only in `main`, because a call's lanes have to come back.
        let pixel = self.stage == Stage::Pixel;
        let may_discard = pixel && self.helpers != Helpers::None;
        if may_discard && self.result.is_none() && self.depth > 0 && self.random.chance(8) {
            return Stmt::Discard;
        }
        if !self.balanced && !pixel && self.random.chance(12) {
            let counter = self.random.pick(&Counter::ALL);
            return Stmt::Count(counter, self.expr(Ty::UINT, 2));
        }
        if let Some(output) = self.some_output() {
            return output;
        }
        // A function may be called from deep inside loops, so its own nesting is kept low.
        let deepest = if self.result.is_some() { 2 } else { 4 };
        let deep = self.depth >= deepest || self.budget <= 0;
        match self.random.below(if deep { 8 } else { 15 }) {
            0..=3 => self.assign(),
            4 | 5 => {
                let ty = self.ty();
                let value = self.expr(ty, 3);
                self.log(value)
            }
            6 if self.depth > 0 && self.loops > 0 => {
                // A break inside a switch leaves the switch; a continue always refers to the loop.
                if self.random.chance(2) { Stmt::Continue } else { Stmt::Break }
            }
            7 if self.depth > 0 && self.result.is_some() => {
                let ty = self.result.unwrap_or(Ty::UINT);
                Stmt::Return(self.expr(ty, 2))
            }
            6 | 7 => self.assign(),
            8..=10 => {
                let condition = self.expr(Ty::BOOL, 3);
                let then = self.inner();
                let otherwise = if self.random.chance(2) { self.inner() } else { Vec::new() };
                Stmt::If(condition, then, otherwise)
            }
            11 | 12 => {
                let bound = self.small();
                let counter = self.counter();
                let body = self.in_loop();
                Stmt::For { counter, bound, body }
            }
            13 => {
                let counter = self.counter();
                let body = self.in_loop();
                // Lanes may have left the loop when its condition runs.
                let whole = std::mem::replace(&mut self.whole, false);
                let condition = self.expr(Ty::BOOL, 2);
                self.whole = whole;
                Stmt::DoWhile { counter, body, condition }
            }
            _ => self.switch(),
        }
    }

    fn assign(&mut self) -> Stmt {
        // Loop counters cannot be assigned, so that every loop ends.
        let free: Vec<usize> =
            (0..self.locals.len()).filter(|it| self.locals[*it] != COUNTER).collect();
        let local = self.random.pick(&free);
        let value = self.expr(self.locals[local], 3);
        Stmt::Assign(local, value)
    }

    fn counter(&mut self) -> usize {
        self.locals.push(COUNTER);
        self.locals.len() - 1
    }

    fn in_loop(&mut self) -> Vec<Stmt> {
        let switches = std::mem::replace(&mut self.switches, 0);
        self.loops += 1;
        let body = self.inner();
        self.loops -= 1;
        self.switches = switches;
        body
    }

    fn switch(&mut self) -> Stmt {
        let selector = self.small();
        self.switches += 1;
        let mut labels: Vec<Option<u32>> = vec![Some(0), Some(1), Some(2), Some(3), None];
        // Any order, and sometimes one label less.
        for i in (1..labels.len()).rev() {
            let j = self.random.below(i as u32 + 1) as usize;
            labels.swap(i, j);
        }
        labels.truncate(3 + self.random.below(3) as usize);
        let mut groups = Vec::new();
        while !labels.is_empty() {
            let n = (1 + self.random.below(2) as usize).min(labels.len());
            let body = self.inner();
            let breaks = labels.len() == n || !self.random.chance(3);
            groups.push(Group { labels: labels.drain(..n).collect(), body, breaks });
        }
        self.switches -= 1;
        Stmt::Switch(selector, groups)
    }

    fn log(&mut self, value: Expr) -> Stmt {
        self.places += 1;
        Stmt::Log { place: self.places - 1, value }
    }

    /// A `uint` below 4.
    fn small(&mut self) -> Expr {
        let value = self.expr(Ty::UINT, 2);
        bin(Bin::And, value, literal(Ty::UINT, 3))
    }

    fn leaf(&mut self, ty: Ty) -> Expr {
        let same: Vec<usize> = (0..self.locals.len()).filter(|it| self.locals[*it] == ty).collect();
        if !same.is_empty() && !self.random.chance(3) {
            let local = self.random.pick(&same);
            return Expr { ty, kind: ExprKind::Local(local) };
        }
        if ty.n > 1 {
            return self.made(ty, 0);
        }
        let by_lane = if self.random.chance(2) { ExprKind::Thread } else { ExprKind::Lane };
        let uint = Expr { ty: Ty::UINT, kind: by_lane };
        let uint = self.of_group().unwrap_or(uint);
        match ty.kind {
            _ if self.random.chance(4) => literal(ty, i64::from(self.random.below(16))),
            Kind::Bool => {
                let bit = literal(Ty::UINT, 1 << self.random.below(3));
                let masked = bin(Bin::And, uint, bit);
                Expr {
                    ty,
                    kind: ExprKind::Cmp(Cmp::Ne, Box::new(masked), Box::new(literal(Ty::UINT, 0))),
                }
            }
            Kind::U32 => uint,
            // Floats stay below 16; see the head of `generate`.
            _ => cast(bin(Bin::And, uint, literal(Ty::UINT, 15)), ty.kind),
        }
    }

    /// A vector, made of scalars.
    fn made(&mut self, ty: Ty, depth: u32) -> Expr {
        let parts = (0..ty.n).map(|_| self.expr(Ty { n: 1, ..ty }, depth)).collect();
        Expr { ty, kind: ExprKind::Make(parts) }
    }

    fn expr(&mut self, ty: Ty, depth: u32) -> Expr {
        if depth == 0 || self.random.chance(6) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        let derives =
            self.stage == Stage::Pixel && self.sees_whole() && ty == (Ty { kind: Kind::F32, n: 1 });
        if derives && self.random.chance(3) {
            let (down, fine) = (self.random.chance(2), self.random.chance(2));
            let value = Box::new(self.expr(ty, depth));
            return Expr { ty, kind: ExprKind::Derivative { down, fine, value } };
        }
        if self.random.chance(2)
            && let Some(wave) = self.wave(ty, depth)
        {
            return wave;
        }
        if ty.n == 1 && self.random.chance(12) {
            return self.conditional(ty, depth);
        }
        let callable: Vec<usize> =
            (0..self.functions.len()).filter(|it| self.functions[*it].result == Some(ty)).collect();
        if !callable.is_empty() && self.random.chance(4) {
            let function = self.random.pick(&callable);
            let argument = self.expr(ty, depth);
            return Expr { ty, kind: ExprKind::Call(function, Box::new(argument)) };
        }
        match ty.kind {
            Kind::Bool => self.condition(ty, depth),
            kind if kind.is_float() => {
                let op = self.random.pick(&[Bin::Add, Bin::Sub, Bin::Mul, Bin::Min, Bin::Max]);
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                if self.random.chance(6) {
                    Expr { ty, kind: ExprKind::Neg(Box::new(a)) }
                } else {
                    bin(op, a, b)
                }
            }
            _ => match self.random.below(8) {
                0 => {
                    let value = self.expr(ty, depth);
                    let by = 1 + self.random.below(7);
                    let left = self.random.chance(2);
                    Expr { ty, kind: ExprKind::Shift { left, value: Box::new(value), by } }
                }
                1 => {
                    let of = Ty { kind: self.random.pick(&Kind::ALL), ..ty };
                    cast(self.expr(of, depth), ty.kind)
                }
                2 if ty.n == 1 => {
                    let of = Ty { n: 2 + self.random.below(3) as usize, ..ty };
                    // Not a set of lanes: one of its words has no room for the lanes of a wide wave.
                    let may_lose = of.n == 4 && self.width > 32;
                    let vector = if may_lose { self.made(of, depth) } else { self.expr(of, depth) };
                    let component = self.random.below(of.n as u32) as usize;
                    Expr { ty, kind: ExprKind::Component(Box::new(vector), component) }
                }
                3 => Expr { ty, kind: ExprKind::Neg(Box::new(self.expr(ty, depth))) },
                _ => {
                    let op = self.random.pick(&BINS);
                    let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                    bin(op, a, b)
                }
            },
        }
    }

    fn conditional(&mut self, ty: Ty, depth: u32) -> Expr {
        let condition = self.expr(Ty::BOOL, depth);
        let whole = std::mem::replace(&mut self.whole, false);
        self.depth += 1;
        let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
        self.depth -= 1;
        self.whole = whole;
        Expr { ty, kind: ExprKind::Conditional(Box::new(condition), Box::new(a), Box::new(b)) }
    }

    fn condition(&mut self, ty: Ty, depth: u32) -> Expr {
        if ty.n == 1 && self.random.chance(3) {
            let lhs = self.expr(ty, depth);
            let whole = std::mem::replace(&mut self.whole, false);
            self.depth += 1;
            let rhs = self.expr(ty, depth);
            self.depth -= 1;
            self.whole = whole;
            let and = self.random.chance(2);
            return Expr {
                ty,
                kind: ExprKind::Logic { and, lhs: Box::new(lhs), rhs: Box::new(rhs) },
            };
        }
        if self.random.chance(5) {
            return Expr { ty, kind: ExprKind::Not(Box::new(self.expr(ty, depth))) };
        }
        let of = Ty { kind: self.random.pick(&Kind::ALL[1..]), ..ty };
        let op = self.random.pick(&[Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Ge]);
        let (a, b) = (self.expr(of, depth), self.expr(of, depth));
        Expr { ty, kind: ExprKind::Cmp(op, Box::new(a), Box::new(b)) }
    }

    /// A call of some wave function with a result of that type, if possible.
    fn wave(&mut self, ty: Ty, depth: u32) -> Option<Expr> {
        let fitting: Vec<&'static Intrinsic> =
            ops::intrinsics::all().filter(|it| self.fits(it, ty)).collect();
        if fitting.is_empty() {
            return None;
        }
        // Prefers the least used of a few, so that every pair of function and type gets its turn.
        let few = [(); 4].map(|()| self.random.pick(&fitting));
        let wanted = |it: &Intrinsic| (it.result == Output::Value).then_some(ty.kind);
        let intrinsic =
            few.into_iter().min_by_key(|it| self.tried(it, wanted(it))).unwrap_or(fitting[0]);
        let value = match intrinsic.result {
            Output::Value => ty,
            Output::BoolShape => Ty { kind: self.least_tried(intrinsic), n: ty.n },
            Output::Void | Output::Bool | Output::Uint | Output::Uint4 | Output::WaveMask => {
                Ty { kind: self.least_tried(intrinsic), ..self.ty() }
            }
        };
        let mut counted = Kind::Bool;
        let mut args = Vec::new();
        for param in intrinsic.params {
            args.push(match param {
                Param::Value(elements) => {
                    let value = Ty { kind: self.element(*elements, value.kind), ..value };
                    counted = value.kind;
                    self.value(intrinsic, value, depth)
                }
                Param::Bool => self.expr(Ty::BOOL, depth),
                Param::LaneIndex => self.lane_index(),
                Param::ConstantLane => {
                    literal(Ty::UINT, i64::from(self.random.below(self.narrowest)))
                }
                Param::Distance => literal(Ty::UINT, i64::from(self.random.below(2 * self.width))),
                Param::ClusterSize => literal(Ty::UINT, 1 << self.random.below(3)),
                Param::QuadIndex => self.small(),
                Param::Lanes => self.partition(depth),
                Param::WaveMask => {
                    let ballot = call("WaveActiveBallot", Ty::UINT4, vec![literal(Ty::BOOL, 1)]);
                    Expr { ty: Ty::UINT, kind: ExprKind::Component(Box::new(ballot), 0) }
                }
            });
        }
        *self.statistics.uses.entry((intrinsic.name, counted)).or_default() += 1;
        *self.statistics.depths.entry(self.depth).or_default() += 1;
        Some(Expr { ty, kind: ExprKind::Wave { intrinsic, args } })
    }

    /// The number of uses of a function on that type, or on its least used type.
    fn tried(&self, intrinsic: &Intrinsic, kind: Option<Kind>) -> usize {
        let kinds = kind.map_or_else(|| kinds_of(intrinsic), |kind| vec![kind]);
        let uses =
            |kind: &Kind| self.statistics.uses.get(&(intrinsic.name, *kind)).copied().unwrap_or(0);
        kinds.iter().map(uses).min().unwrap_or(0)
    }

    fn least_tried(&mut self, intrinsic: &Intrinsic) -> Kind {
        let kinds = kinds_of(intrinsic);
        if !self.balanced {
            return self.random.pick(&kinds);
        }
        kinds
            .into_iter()
            .min_by_key(|kind| self.tried(intrinsic, Some(*kind)))
            .unwrap_or(Kind::Bool)
    }

    /// Whether a function can return that type here and stay well defined.
    fn fits(&self, intrinsic: &Intrinsic, ty: Ty) -> bool {
        let Meaning::Wave(op) = intrinsic.meaning else { return false };
        let is_known = intrinsic.since <= self.wanted.model
            && (self.wanted.slang || intrinsic.origin == Origin::Hlsl);
        if !is_known {
            return false;
        }
        let foreign = self.stage != Stage::Compute && !intrinsic.stages.contains(self.stage);
        if foreign || self.stage == Stage::Pixel && op.is_about_group() {
            return false;
        }
        let gives = match intrinsic.result {
            Output::Void => false,
            Output::Bool => ty == Ty::BOOL,
            Output::BoolShape => ty.kind == Kind::Bool,
            Output::Uint | Output::WaveMask => ty == Ty::UINT,
            Output::Uint4 => ty == Ty::UINT4,
            Output::Value => intrinsic.params.iter().any(|param| match param {
                Param::Value(elements) => takes(*elements, ty.kind),
                _ => false,
            }),
        };
        let needs_all = intrinsic.name.starts_with("Quad")
            || intrinsic
                .params
                .iter()
                .any(|it| matches!(it, Param::Distance | Param::ConstantLane));
        let narrow = intrinsic.is_masked() || intrinsic.result == Output::WaveMask;
        gives && (self.sees_whole() || !needs_all) && (self.width <= 32 || !narrow)
    }

    fn element(&mut self, elements: Elements, wanted: Kind) -> Kind {
        if takes(elements, wanted) {
            return wanted;
        }
        let fitting: Vec<Kind> =
            Kind::ALL.into_iter().filter(|kind| takes(elements, *kind)).collect();
        self.random.pick(&fitting)
    }

    fn value(&mut self, intrinsic: &Intrinsic, ty: Ty, depth: u32) -> Expr {
        let value = self.expr(ty, depth);
        let is_any = |ends: &[&str]| ends.iter().any(|it| intrinsic.name.ends_with(it));
        if ty.kind.is_float() && is_any(&["AllEqual", "Match"]) {
            // Machines disagree whether the two zeros are equal; adding 0 leaves one of them.
            return bin(Bin::Add, value, literal(ty, 0));
        }
        if !(ty.kind.is_float() && is_any(&["Product"])) {
            return value;
        }
        // Only products of 1 and -1 are exact for any number of lanes.
        let zero = literal(ty, 0);
        let (one, minus) = (literal(ty, 1), literal(ty, -1));
        let parts = (0..ty.n).map(|i| {
            let at = |it: &Expr| match ty.n {
                1 => Box::new(it.clone()),
                _ => Box::new(Expr {
                    ty: Ty { n: 1, ..ty },
                    kind: ExprKind::Component(Box::new(it.clone()), i),
                }),
            };
            let positive =
                Expr { ty: Ty::BOOL, kind: ExprKind::Cmp(Cmp::Lt, at(&zero), at(&value)) };
            Expr {
                ty: Ty { n: 1, ..ty },
                kind: ExprKind::Conditional(Box::new(positive), at(&one), at(&minus)),
            }
        });
        let mut parts: Vec<Expr> = parts.collect();
        if ty.n == 1 { parts.remove(0) } else { Expr { ty, kind: ExprKind::Make(parts) } }
    }

    /// An active lane: a peer, or the first one.
    fn lane_index(&mut self) -> Expr {
        if self.random.chance(3) {
            let lane = Expr { ty: Ty::UINT, kind: ExprKind::Lane };
            return call("WaveReadLaneFirst", Ty::UINT, vec![lane]);
        }
        Expr { ty: Ty::UINT, kind: ExprKind::Peer(self.random.below(self.width)) }
    }

    /// A mask that partitions the active lanes.
    fn partition(&mut self, depth: u32) -> Expr {
        match self.random.below(4) {
            0 => literal(Ty::UINT4, -1),
            1 => call("WaveActiveBallot", Ty::UINT4, vec![literal(Ty::BOOL, 1)]),
            _ => {
                let key = self.expr(Ty::UINT, depth.min(1));
                let few = bin(Bin::And, key, literal(Ty::UINT, 3));
                call("WaveMatch", Ty::UINT4, vec![few])
            }
        }
    }
}

/// The constructs of control flow in a program.
fn constructs(program: &Program) -> BTreeSet<&'static str> {
    fn block(stmts: &[Stmt], found: &mut BTreeSet<&'static str>) {
        for stmt in stmts {
            let (word, inner): (_, &[&[Stmt]]) = match stmt {
                Stmt::If(_, then, otherwise) => ("if", &[then, otherwise]),
                Stmt::For { body, .. } => ("for", &[body]),
                Stmt::DoWhile { body, .. } => ("do", &[body]),
                Stmt::Switch(_, groups) => {
                    for group in groups {
                        block(&group.body, found);
                        if !group.breaks {
                            found.insert("fallthrough");
                        }
                    }
                    ("switch", &[])
                }
                Stmt::Break => ("break", &[]),
                Stmt::Continue => ("continue", &[]),
                Stmt::Discard => ("discard", &[]),
                Stmt::Count(..) => ("atomic", &[]),
                Stmt::Exchange { .. } => ("barrier", &[]),
                Stmt::Counts { .. } => ("counts", &[]),
                Stmt::Output { .. } => ("output", &[]),
                Stmt::Return(_) | Stmt::Assign(..) | Stmt::Log { .. } => continue,
            };
            found.insert(word);
            for stmts in inner {
                block(stmts, found);
            }
        }
    }
    let mut found = BTreeSet::new();
    for function in &program.functions {
        block(&function.body, &mut found);
        // The last statement of a function is a return, which is not an early one.
        let last = function.body.len().saturating_sub(1);
        if function.result.is_some() && returns(&function.body[..last]) {
            found.insert("early return");
        }
    }
    for function in program.functions.iter().filter(|it| it.result.is_some()) {
        found.insert(match function.form {
            Form::Plain => "function",
            Form::Template => "template",
            Form::Method => "method",
        });
    }
    found
}

fn returns(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Return(_) => true,
        Stmt::If(_, then, otherwise) => returns(then) || returns(otherwise),
        Stmt::For { body, .. } | Stmt::DoWhile { body, .. } => returns(body),
        Stmt::Switch(_, groups) => groups.iter().any(|it| returns(&it.body)),
        Stmt::Assign(..)
        | Stmt::Break
        | Stmt::Continue
        | Stmt::Discard
        | Stmt::Count(..)
        | Stmt::Exchange { .. }
        | Stmt::Counts { .. }
        | Stmt::Output { .. }
        | Stmt::Log { .. } => false,
    })
}

/// Loop counters have a type that no other local has.
const COUNTER: Ty = Ty { kind: Kind::U32, n: 0 };

fn takes(elements: Elements, kind: Kind) -> bool {
    match elements {
        Elements::Any => true,
        Elements::Numeric => kind != Kind::Bool,
        Elements::Integer | Elements::UnsignedInDxc => kind.is_int(),
    }
}

/// The element types under which uses of a function are counted: those of its value, or `bool` if it has none.
fn kinds_of(intrinsic: &Intrinsic) -> Vec<Kind> {
    let elements = intrinsic.params.iter().find_map(|param| match param {
        Param::Value(elements) => Some(*elements),
        _ => None,
    });
    match elements {
        Some(elements) => Kind::ALL.into_iter().filter(|kind| takes(elements, *kind)).collect(),
        None => vec![Kind::Bool],
    }
}

fn literal(ty: Ty, value: i64) -> Expr {
    Expr { ty, kind: ExprKind::Literal(vec![value; ty.n]) }
}

fn bin(op: Bin, a: Expr, b: Expr) -> Expr {
    Expr { ty: a.ty, kind: ExprKind::Bin(op, Box::new(a), Box::new(b)) }
}

fn cast(value: Expr, kind: Kind) -> Expr {
    let ty = Ty { kind, n: value.ty.n };
    Expr { ty, kind: ExprKind::Cast(Box::new(value)) }
}

fn call(name: &str, ty: Ty, args: Vec<Expr>) -> Expr {
    let found =
        ops::intrinsics::by_name(name).unwrap_or_else(|| unreachable!("`{name}` has a row"));
    Expr { ty, kind: ExprKind::Wave { intrinsic: found.intrinsic, args } }
}
