//! A second opinion: evaluates the trees of generated programs tangle by tangle.
//!
//! Shares nothing with the interpreter, the IR or `ops::wave`: values are mathematical integers and doubles, sets
//! of lanes are lists, wave functions are computed from their names, and control flow follows the language's
//! definition.
//! It supports only what generated programs contain.

use std::collections::{BTreeMap, BTreeSet};

use crate::moments::{Moment, Simple, Value as Val};
use crate::{Bin, Cmp, Counter, Expr, ExprKind, Function, Group, Kind, Program, Stmt, Ty};

/// The lanes that execute something together.
type Tangle = BTreeSet<u32>;

/// A scalar or vector of one lane.
type Vals = Vec<Val>;

/// How many lanes run a wave function together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Active {
    One,
    Some,
    All,
}

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// How often lanes that ran together went different ways.
    pub splits: u64,
    /// For each wave function and set of active lanes, the number of calls.
    pub calls: BTreeMap<(&'static str, Active), u64>,
}

/// The final contents of the log.
pub fn evaluate(program: &Program, width: u32) -> Vec<u32> {
    observe(program, width).0
}

/// The same, with what happened on the way.
pub fn observe(program: &Program, width: u32) -> (Vec<u32>, Observed) {
    let mut seen = Seen::default();
    (run(program, width, &mut seen), seen.observed)
}

/// What variables hold at the statements that lanes begin, wave by wave in order.
pub fn moments(program: &Program, width: u32) -> Vec<Moment> {
    let mut seen = Seen { moments: Some(Vec::new()), ..Seen::default() };
    run(program, width, &mut seen);
    seen.moments.unwrap_or_default()
}

/// What is seen of a run.
#[derive(Default)]
struct Seen {
    observed: Observed,
    /// Only if they are wanted: they are many.
    moments: Option<Vec<Moment>>,
}

/// Runs a program; returns the final contents of the log.
fn run(program: &Program, width: u32, seen: &mut Seen) -> Vec<u32> {
    let mut log = vec![0; program.words()];
    let main = program.functions.last().unwrap_or_else(|| unreachable!("a program has a main"));
    let mut waves = Vec::new();
    for first in (0..program.threads).step_by(width as usize) {
        let lanes: Tangle = (0..width.min(program.threads - first)).collect();
        let helpers = program
            .pixels
            .iter()
            .flat_map(|it| &it.helpers)
            .filter_map(|it| it.checked_sub(first).filter(|lane| lanes.contains(lane)));
        let (helpers, gone) = (helpers.collect(), Tangle::new());
        let frame = Frame::new(main, width, lanes.clone());
        waves.push(State { first, lanes, helpers, gone, frame });
    }
    // All waves run a statement of `main` before any runs the next one: so every barrier is passed, and elsewhere the order
    // does not matter.
    for stmt in &main.body {
        if let Stmt::Exchange { local, value, by } = stmt {
            let mut given = vec![Vec::new(); program.threads as usize];
            for state in &mut waves {
                let values = state.wave(program, width, &mut log, seen, |wave, lanes, frame| {
                    (wave.expr(value, &lanes, frame), lanes)
                });
                for lane in &state.lanes {
                    given[(state.first + lane) as usize].clone_from(&values[*lane as usize]);
                }
            }
            for state in &mut waves {
                for lane in &state.lanes {
                    let other = (state.first + lane + by) % program.threads;
                    state.frame.locals[*local][*lane as usize].clone_from(&given[other as usize]);
                }
            }
            continue;
        }
        for state in &mut waves {
            state.wave(program, width, &mut log, seen, |wave, lanes, frame| {
                let one = std::slice::from_ref(stmt);
                ((), wave.stmts(one, lanes, frame, &mut Leaving::default()))
            });
        }
    }
    log
}

/// A wave between two statements of `main`.
struct State<'a> {
    first: u32,
    lanes: Tangle,
    helpers: Tangle,
    gone: Tangle,
    frame: Frame<'a>,
}

impl<'a> State<'a> {
    /// Lets the wave run; its lanes are afterwards those that are returned.
    fn wave<T>(
        &mut self,
        program: &'a Program,
        width: u32,
        log: &mut [u32],
        seen: &mut Seen,
        run: impl FnOnce(&mut Wave<'_>, Tangle, &mut Frame<'a>) -> (T, Tangle),
    ) -> T {
        let threads = (program.threads - self.first).min(width) as usize;
        let mut wave = Wave {
            program,
            width,
            first: self.first,
            lanes: threads,
            helpers: std::mem::take(&mut self.helpers),
            gone: std::mem::take(&mut self.gone),
            log,
            seen,
        };
        let lanes = std::mem::take(&mut self.lanes);
        let (result, lanes) = run(&mut wave, lanes, &mut self.frame);
        (self.helpers, self.gone) = (wave.helpers, wave.gone);
        self.lanes = lanes;
        result
    }
}

struct Wave<'a> {
    program: &'a Program,
    width: u32,
    /// The thread of lane 0.
    first: u32,
    /// How many lanes there are.
    lanes: usize,
    /// Those that are helper lanes by now.
    helpers: Tangle,
    /// The lanes of quads that have retired.
    gone: Tangle,
    log: &'a mut [u32],
    seen: &'a mut Seen,
}

/// One activation of a function.
struct Frame<'a> {
    function: &'a Function,
    entered: Tangle,
    /// `locals[local][lane]`
    locals: Vec<Vec<Vals>>,
    returned: Vec<Option<Vals>>,
}

impl<'a> Frame<'a> {
    fn new(function: &'a Function, width: u32, entered: Tangle) -> Frame<'a> {
        let n = width as usize;
        let locals = function.locals.iter().map(|ty| vec![zero(*ty); n]).collect();
        Frame { function, entered, locals, returned: vec![None; n] }
    }
}

/// Where the lanes of a tangle went.
#[derive(Default)]
struct Leaving {
    broke: Tangle,
    continued: Tangle,
}

impl Wave<'_> {
    fn call(
        &mut self,
        index: usize,
        lanes: &Tangle,
        argument: Option<Vec<Vals>>,
    ) -> Vec<Option<Vals>> {
        let program = self.program;
        let function = &program.functions[index];
        let mut frame = Frame::new(function, self.width, lanes.clone());
        if let Some(argument) = argument {
            frame.locals[0] = argument;
        }
        self.stmts(&function.body, lanes.clone(), &mut frame, &mut Leaving::default());
        frame.returned
    }

    /// Runs statements and returns the lanes that reach their end.
    fn stmts(
        &mut self,
        stmts: &[Stmt],
        mut lanes: Tangle,
        frame: &mut Frame<'_>,
        leaving: &mut Leaving,
    ) -> Tangle {
        // Retired quads leave wherever their lanes wait.
        lanes.retain(|lane| !self.gone.contains(lane));
        for stmt in stmts {
            if lanes.is_empty() {
                break;
            }
            lanes = self.stmt(stmt, lanes, frame, leaving);
            lanes.retain(|lane| !self.gone.contains(lane));
        }
        lanes
    }

    /// The lanes become helper lanes; quads of nothing else retire, unless helper lanes participate.
    fn discard(&mut self, lanes: &Tangle) {
        self.helpers.extend(lanes);
        if self.participate() {
            return;
        }
        for quad in (0..self.width).step_by(4) {
            let quad = quad..quad + 4;
            if quad.clone().all(|lane| self.helpers.contains(&lane)) {
                self.gone.extend(quad);
            }
        }
    }

    /// Whether helper lanes participate in wave operations.
    fn participate(&self) -> bool {
        self.program.pixels.as_ref().is_some_and(|it| it.included)
    }

    /// The participants of a wave operation: helper lanes only if there are no others.
    fn participants(&self, lanes: &Tangle) -> Tangle {
        let present = self.present(lanes);
        let live: Tangle = present.difference(&self.helpers).copied().collect();
        if live.is_empty() || self.participate() { present } else { live }
    }

    /// Those lanes whose quads have not retired, as a call in the middle of an expression can make them do.
    fn present(&self, lanes: &Tangle) -> Tangle {
        lanes.difference(&self.gone).copied().collect()
    }

    fn stmt(
        &mut self,
        stmt: &Stmt,
        lanes: Tangle,
        frame: &mut Frame<'_>,
        leaving: &mut Leaving,
    ) -> Tangle {
        self.begin(stmt, &lanes, frame);
        match stmt {
            Stmt::Assign(local, value) => {
                let values = self.expr(value, &lanes, frame);
                for lane in &lanes {
                    frame.locals[*local][*lane as usize] = values[*lane as usize].clone();
                }
                lanes
            }
            Stmt::If(condition, then, otherwise) => {
                let (yes, no) = self.split(condition, &lanes, frame);
                let mut after = self.stmts(then, yes, frame, leaving);
                after.extend(self.stmts(otherwise, no, frame, leaving));
                after
            }
            Stmt::For { counter, bound, body } => self.for_(*counter, bound, body, lanes, frame),
            Stmt::DoWhile { counter, body, condition } => {
                self.do_while(*counter, body, condition, lanes, frame)
            }
            Stmt::Switch(selector, groups) => self.switch(selector, groups, lanes, frame, leaving),
            Stmt::Discard => {
                self.discard(&lanes);
                lanes
            }
            Stmt::Break => {
                leaving.broke.extend(lanes);
                Tangle::new()
            }
            Stmt::Continue => {
                leaving.continued.extend(lanes);
                Tangle::new()
            }
            Stmt::Return(value) => {
                let values = self.expr(value, &lanes, frame);
                for lane in &lanes {
                    frame.returned[*lane as usize] = Some(values[*lane as usize].clone());
                }
                Tangle::new()
            }
            Stmt::Count(counter, value) => {
                let values = self.expr(value, &lanes, frame);
                let at = self.program.counters() + counter.index();
                for lane in &lanes {
                    let (old, new) = (self.log[at], int(&values[*lane as usize]) as u32);
                    self.log[at] = match counter {
                        Counter::Add => old.wrapping_add(new),
                        Counter::Or => old | new,
                        Counter::Xor => old ^ new,
                        Counter::Max => old.max(new),
                    };
                }
                lanes
            }
            Stmt::Exchange { .. } => unreachable!("threads exchange values in `main` alone"),
            Stmt::Log { place, value } => {
                let values = self.expr(value, &lanes, frame);
                for lane in lanes.difference(&self.helpers) {
                    let at = (self.first + lane) as usize * self.program.places + place;
                    for scalar in &values[*lane as usize] {
                        for word in words(value.ty.kind, *scalar) {
                            self.log[at] = self.log[at].wrapping_mul(31).wrapping_add(word);
                        }
                    }
                }
                lanes
            }
        }
    }

    fn for_(
        &mut self,
        counter: usize,
        bound: &Expr,
        body: &[Stmt],
        lanes: Tangle,
        frame: &mut Frame<'_>,
    ) -> Tangle {
        let bounds = self.expr(bound, &lanes, frame);
        for lane in &lanes {
            frame.locals[counter][*lane as usize] = vec![Val::Int(0)];
        }
        let mut inside = lanes;
        let mut after = Tangle::new();
        loop {
            let stays = |lane: &u32| {
                int(&frame.locals[counter][*lane as usize]) < int(&bounds[*lane as usize])
            };
            let (stay, leave): (Tangle, Tangle) = inside.into_iter().partition(stays);
            self.parted(&stay, &leave);
            after.extend(leave);
            if stay.is_empty() {
                return after;
            }
            let mut mine = Leaving::default();
            inside = self.stmts(body, stay, frame, &mut mine);
            inside.extend(mine.continued);
            inside.retain(|lane| !self.gone.contains(lane));
            after.extend(mine.broke);
            for lane in &inside {
                increment(&mut frame.locals[counter][*lane as usize]);
            }
        }
    }

    fn do_while(
        &mut self,
        counter: usize,
        body: &[Stmt],
        condition: &Expr,
        lanes: Tangle,
        frame: &mut Frame<'_>,
    ) -> Tangle {
        for lane in &lanes {
            frame.locals[counter][*lane as usize] = vec![Val::Int(0)];
        }
        let mut inside = lanes;
        let mut after = Tangle::new();
        while !inside.is_empty() {
            for lane in &inside {
                increment(&mut frame.locals[counter][*lane as usize]);
            }
            let mut mine = Leaving::default();
            let mut end = self.stmts(body, inside, frame, &mut mine);
            end.extend(mine.continued);
            end.retain(|lane| !self.gone.contains(lane));
            after.extend(mine.broke);
            // `counter < 4 && condition`: the condition runs only in the lanes that have not counted to
            // four.
            let below = |lane: &u32| int(&frame.locals[counter][*lane as usize]) < 4;
            let (ask, done): (Tangle, Tangle) = end.into_iter().partition(below);
            after.extend(done);
            let (yes, no) = self.split(condition, &ask, frame);
            after.extend(no);
            inside = yes;
        }
        after
    }

    /// Notes what variables hold, if that is wanted.
    fn begin(&mut self, stmt: &Stmt, lanes: &Tangle, frame: &Frame<'_>) {
        let Some(moments) = &mut self.seen.moments else { return };
        let statement = match stmt {
            Stmt::Assign(..) => Simple::Assign,
            Stmt::If(..) => Simple::If,
            Stmt::Count(..) => Simple::Count,
            Stmt::Log { .. } => Simple::Log,
            Stmt::Return(..) => Simple::Return,
            _ => return,
        };
        let mut functions = self.program.functions.iter();
        moments.push(Moment {
            first: self.first,
            function: functions.position(|it| std::ptr::eq(it, frame.function)).unwrap_or(0),
            statement,
            active: lanes.iter().copied().collect(),
            entered: frame.entered.iter().copied().collect(),
            locals: frame.locals.clone(),
        });
    }

    fn switch(
        &mut self,
        selector: &Expr,
        groups: &[Group],
        lanes: Tangle,
        frame: &mut Frame<'_>,
        leaving: &mut Leaving,
    ) -> Tangle {
        let selectors = self.expr(selector, &lanes, frame);
        let listed: Vec<u32> =
            groups.iter().flat_map(|group| group.labels.iter().flatten().copied()).collect();
        let mut waiting = lanes;
        let mut falling = Tangle::new();
        let mut after = Tangle::new();
        for group in groups {
            let selected = |lane: &u32| {
                let value = int(&selectors[*lane as usize]);
                group.labels.iter().any(|label| match label {
                    Some(label) => i128::from(*label) == value,
                    None => !listed.iter().any(|label| i128::from(*label) == value),
                })
            };
            let (mut inside, rest): (Tangle, Tangle) = waiting.into_iter().partition(selected);
            waiting = rest;
            self.parted(&inside, &waiting);
            inside.append(&mut falling);
            let mut mine = Leaving::default();
            let end = self.stmts(&group.body, inside, frame, &mut mine);
            leaving.continued.extend(mine.continued);
            after.extend(mine.broke);
            match group.breaks {
                true => after.extend(end),
                false => falling = end,
            }
        }
        after.extend(falling);
        after.extend(waiting);
        after
    }

    fn split(&mut self, condition: &Expr, lanes: &Tangle, frame: &Frame<'_>) -> (Tangle, Tangle) {
        if lanes.is_empty() {
            return (Tangle::new(), Tangle::new());
        }
        let values = self.expr(condition, lanes, frame);
        let (yes, no): (Tangle, Tangle) =
            lanes.iter().copied().partition(|lane| truth(&values[*lane as usize]));
        self.parted(&yes, &no);
        (yes, no)
    }

    /// Notes that lanes go different ways, if they do.
    fn parted(&mut self, one: &Tangle, other: &Tangle) {
        self.seen.observed.splits += u64::from(!one.is_empty() && !other.is_empty());
    }

    /// The value of an expression in each lane of the tangle; other lanes do not matter.
    fn expr(&mut self, it: &Expr, lanes: &Tangle, frame: &Frame<'_>) -> Vec<Vals> {
        let mut result = vec![Vec::new(); self.width as usize];
        if lanes.is_empty() {
            return result;
        }
        let kind = it.ty.kind;
        match &it.kind {
            ExprKind::Literal(values) => {
                let value: Vals = values.iter().map(|value| number(kind, *value)).collect();
                set(&mut result, lanes, |_| value.clone());
            }
            ExprKind::Local(local) => {
                set(&mut result, lanes, |lane| frame.locals[*local][lane].clone())
            }
            ExprKind::Thread => {
                let first = self.first;
                set(&mut result, lanes, |lane| vec![Val::Int(i128::from(first) + lane as i128)]);
            }
            ExprKind::Lane => set(&mut result, lanes, |lane| vec![Val::Int(lane as i128)]),
            ExprKind::Neg(a) => {
                let a = self.expr(a, lanes, frame);
                set(&mut result, lanes, |lane| {
                    a[lane].iter().map(|value| negate(kind, *value)).collect()
                });
            }
            ExprKind::Not(a) => {
                let a = self.expr(a, lanes, frame);
                set(&mut result, lanes, |lane| {
                    a[lane].iter().map(|it| Val::Bool(!boolean(*it))).collect()
                });
            }
            ExprKind::Bin(op, a, b) => {
                let (a, b) = (self.expr(a, lanes, frame), self.expr(b, lanes, frame));
                set(&mut result, lanes, |lane| {
                    pairs(&a[lane], &b[lane], |a, b| binary(kind, *op, a, b))
                });
            }
            ExprKind::Shift { left, value, by } => {
                let value = self.expr(value, lanes, frame);
                let shift = |value: Val| {
                    let value = integer(value);
                    Val::Int(wrap(kind, if *left { value << by } else { value >> by }))
                };
                set(&mut result, lanes, |lane| value[lane].iter().map(|it| shift(*it)).collect());
            }
            ExprKind::Cmp(op, a, b) => {
                let (a, b) = (self.expr(a, lanes, frame), self.expr(b, lanes, frame));
                set(&mut result, lanes, |lane| {
                    pairs(&a[lane], &b[lane], |a, b| Val::Bool(compare(*op, a, b)))
                });
            }
            ExprKind::Cast(a) => {
                let from = a.ty.kind;
                let a = self.expr(a, lanes, frame);
                set(&mut result, lanes, |lane| {
                    a[lane].iter().map(|it| cast(from, kind, *it)).collect()
                });
            }
            ExprKind::Component(a, component) => {
                let a = self.expr(a, lanes, frame);
                set(&mut result, lanes, |lane| vec![a[lane][*component]]);
            }
            ExprKind::Make(parts) => {
                for part in parts {
                    let values = self.expr(part, lanes, frame);
                    for lane in lanes {
                        result[*lane as usize].extend(&values[*lane as usize]);
                    }
                }
            }
            ExprKind::Logic { and, lhs, rhs } => {
                let (yes, no) = self.split(lhs, lanes, frame);
                let (ask, known) = if *and { (yes, no) } else { (no, yes) };
                let (right_yes, _) = self.split(rhs, &ask, frame);
                set(&mut result, lanes, |lane| {
                    let lane = lane as u32;
                    vec![Val::Bool(if known.contains(&lane) {
                        !and
                    } else {
                        right_yes.contains(&lane)
                    })]
                });
            }
            ExprKind::Conditional(condition, a, b) => {
                let (yes, no) = self.split(condition, lanes, frame);
                let (a, b) = (self.expr(a, &yes, frame), self.expr(b, &no, frame));
                set(&mut result, lanes, |lane| {
                    if yes.contains(&(lane as u32)) { a[lane].clone() } else { b[lane].clone() }
                });
            }
            ExprKind::Wave { intrinsic, args } => {
                let kinds: Vec<Kind> = args.iter().map(|it| it.ty.kind).collect();
                let args: Vec<Vec<Vals>> =
                    args.iter().map(|it| self.expr(it, lanes, frame)).collect();
                let active = match lanes.len() {
                    all if all == self.lanes => Active::All,
                    1 => Active::One,
                    _ => Active::Some,
                };
                *self.seen.observed.calls.entry((intrinsic.name, active)).or_default() += 1;
                let call = Call {
                    name: intrinsic.name,
                    ty: it.ty,
                    kinds: &kinds,
                    args: &args,
                    lanes: &self.present(lanes),
                    active: self.participants(lanes),
                    wave: self,
                };
                let results = call.run();
                set(&mut result, lanes, |lane| match self.gone.contains(&(lane as u32)) {
                    true => zero(it.ty),
                    false => results[lane].clone(),
                });
            }
            ExprKind::Peer(flip) => {
                let active = self.participants(lanes);
                set(&mut result, lanes, |lane| {
                    let other = lane as u32 ^ flip;
                    let lane = lane as u32;
                    vec![Val::Int(i128::from(if active.contains(&other) { other } else { lane }))]
                });
            }
            ExprKind::Derivative { down, fine, value } => {
                let values = self.expr(value, lanes, frame);
                set(&mut result, lanes, |lane| {
                    let lane = lane as u32;
                    let step = if *down { 2 } else { 1 };
                    let from = if *fine { lane & !step } else { lane & !3 };
                    let held = |other: u32| {
                        let other = if lanes.contains(&other) { other } else { lane };
                        double(values[other as usize][0])
                    };
                    vec![Val::Float((held(from + step) - held(from)) % 16.0)]
                });
            }
            ExprKind::Call(function, argument) => {
                let argument = self.expr(argument, lanes, frame);
                let returned = self.call(*function, lanes, Some(argument));
                // Lanes that retire in the function return nothing, and nothing reads what is put here.
                set(&mut result, lanes, |lane| {
                    returned[lane].clone().unwrap_or_else(|| zero(it.ty))
                });
            }
        }
        debug_assert!(frame.function.locals.len() == frame.locals.len());
        result
    }
}

/// A call of a wave function.
struct Call<'a, 'b> {
    name: &'static str,
    /// The type of the result.
    ty: Ty,
    kinds: &'a [Kind],
    args: &'a [Vec<Vals>],
    lanes: &'a Tangle,
    /// The participants.
    active: Tangle,
    wave: &'a Wave<'b>,
}

impl Call<'_, '_> {
    fn run(&self) -> Vec<Vals> {
        let mut result = vec![Vec::new(); self.wave.width as usize];
        for lane in self.lanes {
            result[*lane as usize] = self.lane(*lane);
        }
        result
    }

    /// The result of one lane.
    fn lane(&self, lane: u32) -> Vals {
        // A mask in front changes nothing else: here it is the active set.
        let masked = self.name.starts_with("WaveMask");
        let args = &self.args[usize::from(masked)..];
        let kinds = &self.kinds[usize::from(masked)..];
        let name = self.name_without_mask();
        let below: Vec<u32> = self.active.iter().copied().filter(|other| *other < lane).collect();
        let all: Vec<u32> = self.active.iter().copied().collect();
        let held = |other: u32| args[0][other as usize].clone();
        // Lanes that do not participate are read as zero.
        let read = |other: u32| match self.active.contains(&other) {
            true => held(other),
            false => vec![number(kinds[0], 0); self.ty.n.max(1)],
        };
        let in_quad =
            |other: u32| if self.lanes.contains(&other) { held(other) } else { held(lane) };
        let count =
            |lanes: &[u32]| lanes.iter().filter(|other| truth(&held(**other))).count() as i128;
        let group = || self.group(lane, &args[1]);
        let width = self.wave.width;
        let one = |value: i128| vec![Val::Int(value)];
        let yes = |value: bool| vec![Val::Bool(value)];
        match name.as_str() {
            "WaveGetLaneCount" => one(i128::from(width)),
            "WaveGetLaneIndex" => one(i128::from(lane)),
            "WaveIsFirstLane" => yes(all[0] == lane),
            "IsHelperLane" => yes(self.wave.helpers.contains(&lane)),
            "GetGroupWaveIndex" | "WaveGetWaveIndex" => one(i128::from(self.wave.first / width)),
            "GetGroupWaveCount" | "WaveGetNumWaves" => {
                one(i128::from(self.wave.program.threads.div_ceil(width)))
            }
            "WaveActiveAnyTrue" => yes(count(&all) > 0),
            "WaveActiveAllTrue" => yes(count(&all) == all.len() as i128),
            "WaveActiveBallot" => {
                self.lane_words(all.iter().copied().filter(|other| truth(&held(*other))))
            }
            "WaveActiveCountBits" => one(count(&all)),
            "WavePrefixCountBits" => one(count(&below)),
            "WaveActiveAllEqual" => {
                let first = held(all[0]);
                let same = |i: usize| all.iter().all(|other| equal(held(*other)[i], first[i]));
                let each: Vec<bool> = (0..first.len()).map(same).collect();
                match each.len() == self.ty.n {
                    true => each.into_iter().map(Val::Bool).collect(),
                    false => yes(each.into_iter().all(|it| it)),
                }
            }
            "WaveReadLaneFirst" => held(all[0]),
            "WaveReadLaneAt" | "WaveShuffle" | "WaveBroadcastLaneAt" => {
                read(int(&args[1][lane as usize]) as u32)
            }
            "WaveRotate" => {
                read(((i128::from(lane) + int(&args[1][lane as usize])) % i128::from(width)) as u32)
            }
            "WaveClusteredRotate" => {
                let (by, size) = (int(&args[1][lane as usize]), int(&args[2][lane as usize]));
                let start = i128::from(lane) / size * size;
                read((start + (i128::from(lane) - start + by) % size) as u32)
            }
            "WaveMatch" => {
                let mine = held(lane);
                let same =
                    |other: &u32| held(*other).iter().zip(&mine).all(|(a, b)| identical(*a, *b));
                self.lane_words(all.iter().copied().filter(same))
            }
            "WaveGetActiveMask"
            | "WaveGetConvergedMask"
            | "WaveGetActiveMulti"
            | "WaveGetConvergedMulti" => self.lane_words(all.iter().copied()),
            "WaveGetLaneEqMask" => self.lane_words(lane..lane + 1),
            "WaveGetLaneGeMask" => self.lane_words(lane..width),
            "WaveGetLaneGtMask" => self.lane_words(lane + 1..width),
            "WaveGetLaneLeMask" => self.lane_words(0..lane + 1),
            "WaveGetLaneLtMask" => self.lane_words(0..lane),
            "WaveMultiPrefixCountBits" => {
                let group: Vec<u32> = group().into_iter().filter(|other| *other < lane).collect();
                one(count(&group))
            }
            "QuadReadAcrossX" => in_quad(lane ^ 1),
            "QuadReadAcrossY" => in_quad(lane ^ 2),
            "QuadReadAcrossDiagonal" => in_quad(lane ^ 3),
            "QuadReadLaneAt" => in_quad(lane / 4 * 4 + int(&args[1][lane as usize]) as u32),
            "QuadAny" => yes((lane / 4 * 4..lane / 4 * 4 + 4).any(|other| truth(&held(other)))),
            "QuadAll" => yes((lane / 4 * 4..lane / 4 * 4 + 4).all(|other| truth(&held(other)))),
            _ => {
                let (lanes, op): (Vec<u32>, &str) =
                    if let Some(op) = name.strip_prefix("WaveActive") {
                        (all, op)
                    } else if let Some(op) = name.strip_prefix("WavePrefix") {
                        (below, op)
                    } else if let Some(op) = name.strip_prefix("WaveMultiPrefixInclusive") {
                        (group().into_iter().filter(|other| *other <= lane).collect(), op)
                    } else if let Some(op) = name.strip_prefix("WaveMultiPrefix") {
                        let op = op.strip_prefix("Exclusive").unwrap_or(op);
                        (group().into_iter().filter(|other| *other < lane).collect(), op)
                    } else if let Some(op) = name.strip_prefix("WaveMulti") {
                        (group(), op)
                    } else {
                        unreachable!("`{name}` has no second definition")
                    };
                let n = held(lane).len();
                let folded =
                    (0..n).map(|i| fold(kinds[0], op, lanes.iter().map(|other| held(*other)[i])));
                folded.collect()
            }
        }
    }

    /// The name of the function that does the same without a mask.
    fn name_without_mask(&self) -> String {
        match self.name.strip_prefix("WaveMask") {
            Some("Match") => "WaveMatch".to_owned(),
            Some("IsFirstLane") => "WaveIsFirstLane".to_owned(),
            Some(rest)
                if rest.starts_with("Prefix")
                    || rest.starts_with("Read")
                    || rest.starts_with("Broadcast") =>
            {
                format!("Wave{rest}")
            }
            Some("Shuffle") => "WaveShuffle".to_owned(),
            Some(rest) => format!("WaveActive{rest}"),
            None => self.name.to_owned(),
        }
    }

    /// The words of a set of lanes; only the first if the function returns only that.
    fn lane_words(&self, lanes: impl Iterator<Item = u32>) -> Vals {
        let mut words = [0i128; 4];
        for lane in lanes {
            words[lane as usize / 32] += 1 << (lane % 32);
        }
        words.iter().take(self.ty.n).map(|word| Val::Int(*word)).collect()
    }

    /// The participants in a lane's partition mask.
    fn group(&self, lane: u32, masks: &[Vals]) -> Vec<u32> {
        let words = &masks[lane as usize];
        let named = |other: &u32| integer(words[*other as usize / 32]) >> (other % 32) & 1 == 1;
        self.active.iter().copied().filter(named).collect()
    }
}

/// Folds values in ascending order of their lanes; an empty fold gives the identity.
/// Floats are reduced as in the printed program.
fn fold(kind: Kind, op: &str, values: impl Iterator<Item = Val>) -> Val {
    let combine = |a: Val, b: Val| match (op, a, b) {
        ("Sum", Val::Float(a), Val::Float(b)) => Val::Float(a + b),
        ("Product", Val::Float(a), Val::Float(b)) => Val::Float(a * b),
        ("Sum", ..) => binary(kind, Bin::Add, a, b),
        ("Product", ..) => binary(kind, Bin::Mul, a, b),
        ("Min", ..) => binary(kind, Bin::Min, a, b),
        ("Max", ..) => binary(kind, Bin::Max, a, b),
        ("BitAnd", ..) => binary(kind, Bin::And, a, b),
        ("BitOr", ..) => binary(kind, Bin::Or, a, b),
        ("BitXor", ..) => binary(kind, Bin::Xor, a, b),
        _ => unreachable!("`{op}` has no second definition"),
    };
    let folded = values.reduce(combine).unwrap_or_else(|| match (op, kind.bits_signed()) {
        ("Sum" | "BitOr" | "BitXor", _) => number(kind, 0),
        ("Product", _) => number(kind, 1),
        ("BitAnd", _) => Val::Int(wrap(kind, -1)),
        ("Min", None) => Val::Float(f64::INFINITY),
        ("Max", None) => Val::Float(f64::NEG_INFINITY),
        ("Min", Some((bits, true))) => Val::Int((1 << (bits - 1)) - 1),
        ("Min", Some((bits, false))) => Val::Int((1 << bits) - 1),
        ("Max", Some((bits, true))) => Val::Int(-(1 << (bits - 1))),
        ("Max", Some((_, false))) => Val::Int(0),
        _ => unreachable!("`{op}` has no second definition"),
    });
    match (op, folded) {
        ("Sum", Val::Float(value)) => Val::Float(value % 16.0),
        ("Min" | "Max", Val::Float(value)) => Val::Float(value.clamp(-15.0, 15.0)),
        _ => folded,
    }
}

fn set(result: &mut [Vals], lanes: &Tangle, value: impl Fn(usize) -> Vals) {
    for lane in lanes {
        result[*lane as usize] = value(*lane as usize);
    }
}

fn pairs(a: &Vals, b: &Vals, f: impl Fn(Val, Val) -> Val) -> Vals {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

fn zero(ty: Ty) -> Vals {
    vec![number(ty.kind, 0); ty.n.max(1)]
}

fn number(kind: Kind, value: i64) -> Val {
    match kind {
        Kind::Bool => Val::Bool(value & 1 == 1),
        Kind::F16 | Kind::F32 | Kind::F64 => Val::Float(value as f64),
        _ => Val::Int(wrap(kind, i128::from(value))),
    }
}

/// Wraps into the range of an integer kind.
fn wrap(kind: Kind, value: i128) -> i128 {
    let Some((bits, signed)) = kind.bits_signed() else {
        unreachable!("{kind:?} is not an integer")
    };
    let low = value.rem_euclid(1 << bits);
    if signed && low >= 1 << (bits - 1) { low - (1 << bits) } else { low }
}

fn integer(value: Val) -> i128 {
    match value {
        Val::Int(value) => value,
        Val::Bool(_) | Val::Float(_) => unreachable!("generated programs are typed"),
    }
}

fn double(value: Val) -> f64 {
    match value {
        Val::Float(value) => value,
        Val::Int(_) | Val::Bool(_) => unreachable!("generated programs are typed"),
    }
}

fn boolean(value: Val) -> bool {
    match value {
        Val::Bool(value) => value,
        Val::Int(_) | Val::Float(_) => unreachable!("generated programs are typed"),
    }
}

fn int(value: &Vals) -> i128 {
    integer(value[0])
}

fn truth(value: &Vals) -> bool {
    boolean(value[0])
}

fn increment(value: &mut Vals) {
    *value = vec![Val::Int(int(value) + 1)];
}

fn negate(kind: Kind, value: Val) -> Val {
    match value {
        Val::Int(value) => Val::Int(wrap(kind, -value)),
        Val::Float(value) => Val::Float(-value),
        Val::Bool(_) => unreachable!("generated programs do not negate bools"),
    }
}

fn binary(kind: Kind, op: Bin, a: Val, b: Val) -> Val {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => Val::Int(match op {
            Bin::Add => wrap(kind, a + b),
            Bin::Sub => wrap(kind, a - b),
            Bin::Mul => wrap(kind, a.wrapping_mul(b)),
            Bin::And => a & b,
            Bin::Or => a | b,
            Bin::Xor => wrap(kind, a ^ b),
            Bin::Min => a.min(b),
            Bin::Max => a.max(b),
        }),
        (Val::Float(a), Val::Float(b)) => Val::Float(match op {
            Bin::Add => (a + b) % 16.0,
            Bin::Sub => (a - b) % 16.0,
            Bin::Mul => (a * b) % 16.0,
            // The smaller one, with the negative zero below the positive one: there is no NaN here.
            Bin::Min => {
                if a.total_cmp(&b).is_lt() {
                    a
                } else {
                    b
                }
            }
            Bin::Max => {
                if a.total_cmp(&b).is_gt() {
                    a
                } else {
                    b
                }
            }
            Bin::And | Bin::Or | Bin::Xor => unreachable!("floats have no bitwise operations"),
        }),
        _ => unreachable!("generated programs are typed"),
    }
}

fn equal(a: Val, b: Val) -> bool {
    compare(Cmp::Eq, a, b)
}

/// The same bits.
fn identical(a: Val, b: Val) -> bool {
    match (a, b) {
        (Val::Float(a), Val::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn compare(op: Cmp, a: Val, b: Val) -> bool {
    let order = match (a, b) {
        (Val::Int(a), Val::Int(b)) => a.partial_cmp(&b),
        (Val::Float(a), Val::Float(b)) => a.partial_cmp(&b),
        (Val::Bool(a), Val::Bool(b)) => a.partial_cmp(&b),
        _ => unreachable!("generated programs are typed"),
    };
    match op {
        Cmp::Eq => order == Some(std::cmp::Ordering::Equal),
        Cmp::Ne => order != Some(std::cmp::Ordering::Equal),
        Cmp::Lt => order == Some(std::cmp::Ordering::Less),
        Cmp::Ge => matches!(order, Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal)),
    }
}

fn cast(from: Kind, to: Kind, value: Val) -> Val {
    match (value, to) {
        (Val::Bool(value), _) => number(to, i64::from(value)),
        (Val::Int(value), Kind::Bool) => Val::Bool(value != 0),
        (Val::Float(value), Kind::Bool) => Val::Bool(value != 0.0),
        // Floats hold small numbers only.
        (Val::Int(value), Kind::F16 | Kind::F32 | Kind::F64) => {
            Val::Float((wrap(from, value) & 15) as f64)
        }
        (Val::Int(value), _) => Val::Int(wrap(to, value)),
        (Val::Float(value), Kind::F16 | Kind::F32 | Kind::F64) => Val::Float(value),
        (Val::Float(value), _) => Val::Int(wrap(to, value as i128)),
    }
}

fn words(kind: Kind, value: Val) -> Vec<u32> {
    match (kind, value) {
        (_, Val::Bool(value)) => vec![u32::from(value)],
        (_, Val::Float(value)) => vec![(value as f32).to_bits()],
        (Kind::U64 | Kind::I64, Val::Int(value)) => vec![value as u32, (value >> 32) as u32],
        (_, Val::Int(value)) => vec![value as u32],
    }
}
