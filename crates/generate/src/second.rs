//! A second opinion: evaluates the trees of generated programs tangle by tangle.
//!
//! Shares nothing with the interpreter, the IR or `ops::wave`: values are mathematical integers and doubles, wave
//! functions are computed from their names, lane by lane, and control flow follows the language's definition.
//! It supports only what generated programs contain.

mod expr;
mod groups;
mod packed;
mod tangle;
mod values;
mod waves;

use std::collections::{BTreeMap, BTreeSet};

use crate::moments::{Moment, Simple, Value as Val};
use crate::{Counter, Expr, Function, Group, Program, Stmt};

use groups::Running;
pub use groups::{Left, Started, all_children, groups, meshlets, started};
pub use packed::{Packed, Replayed, Undefined, replayed};
use tangle::Tangle;
use values::{Vals, increment, int, truth, words, zero};

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
    /// The words of the log that an undefined value has reached.
    undefined: BTreeSet<usize>,
    /// Whether wave operations give something else than ours where their result is undefined.
    gives_others: bool,
}

/// Runs a program of one group; returns the final contents of the log.
fn run(program: &Program, width: u32, seen: &mut Seen) -> Vec<u32> {
    let mut log = vec![0; program.words()];
    let group = &mut Running::default();
    Run { program, width, group, log: &mut log, seen }.group();
    log
}

/// A group that runs.
struct Run<'a, 'r> {
    program: &'a Program,
    width: u32,
    group: &'r mut Running,
    log: &'r mut [u32],
    seen: &'r mut Seen,
}

impl<'a> Run<'a, '_> {
    fn group(&mut self) {
        let Run { program, width, .. } = *self;
        let main = program.functions.last().unwrap_or_else(|| unreachable!("a program has a main"));
        let helpers = program.pixels().map_or(&[][..], |it| &it.helpers);
        let mut waves = Vec::new();
        for first in (0..program.threads).step_by(width as usize) {
            let lanes = Tangle::first(width.min(program.threads - first));
            let helpers = helpers
                .iter()
                .filter_map(|it| it.checked_sub(first).filter(|lane| lanes.contains(*lane)));
            let (helpers, gone) = (helpers.collect(), Tangle::default());
            let frame = Frame::new(main, width, lanes);
            let (packed, is_lost, lost_at) = (None, false, None);
            waves.push(State { first, packed, lanes, helpers, gone, is_lost, lost_at, frame });
        }
        self.waves(main, &mut waves);
    }

    fn waves(&mut self, main: &'a Function, waves: &mut [State<'a>]) {
        let Run { program, .. } = *self;
        // All waves run a statement of `main` before any runs the next one: so every barrier is passed, and elsewhere
        // the order does not matter.
        for (number, stmt) in main.body.iter().enumerate() {
            match stmt {
                Stmt::Exchange { local, value, by } => {
                    let given = self.values(waves, value);
                    for state in &mut *waves {
                        for lane in state.lanes {
                            let other = (state.first + lane + by) % program.threads;
                            state.frame.locals[*local][lane as usize]
                                .clone_from(&given[other as usize]);
                        }
                    }
                }
                Stmt::Counts { values: [one, two], from } => {
                    let counts = [one, two].map(|value| {
                        let given = self.values(waves, value);
                        int(&given[*from as usize]) as u32
                    });
                    self.group.count(program, counts);
                }
                _ => {
                    for state in &mut *waves {
                        self.wave(state, |wave, lanes, frame| {
                            let one = std::slice::from_ref(stmt);
                            let after = wave.stmts(one, lanes, frame, &mut Leaving::default());
                            wave.return_astray(one, frame);
                            ((), after)
                        });
                        if state.is_lost {
                            state.lost_at.get_or_insert(number);
                        }
                    }
                }
            }
        }
    }

    /// The values of an expression in all threads of the group.
    fn values(&mut self, waves: &mut [State<'a>], value: &Expr) -> Vec<Vals> {
        let mut given = vec![Vals::default(); self.program.threads as usize];
        for state in waves {
            let values =
                self.wave(state, |wave, lanes, frame| (wave.expr(value, lanes, frame), lanes));
            for lane in state.lanes {
                given[(state.first + lane) as usize].clone_from(&values[lane as usize]);
            }
        }
        given
    }

    /// Lets a wave run; its lanes are afterwards those that are returned.
    fn wave<T>(
        &mut self,
        state: &mut State<'a>,
        run: impl FnOnce(&mut Wave<'_>, Tangle, &mut Frame<'a>) -> (T, Tangle),
    ) -> T {
        let threads = match state.packed {
            Some(packed) => packed.lanes().len(),
            None => (self.program.threads - state.first).min(self.width) as usize,
        };
        let everywhere = Tangle::first(self.width);
        let mut wave = Wave {
            program: self.program,
            width: self.width,
            first: state.first,
            packed: state.packed,
            lanes: threads,
            helpers: state.helpers,
            gone: state.gone,
            astray: if state.is_lost { everywhere } else { Tangle::default() },
            is_lost: state.is_lost,
            group: self.group,
            log: self.log,
            seen: self.seen,
        };
        let (result, lanes) = run(&mut wave, state.lanes, &mut state.frame);
        (state.helpers, state.gone, state.is_lost) = (wave.helpers, wave.gone, wave.is_lost);
        state.lanes = lanes;
        result
    }
}

/// A wave between two statements of `main`.
struct State<'a> {
    first: u32,
    packed: Option<&'a Packed>,
    lanes: Tangle,
    helpers: Tangle,
    gone: Tangle,
    is_lost: bool,
    /// The statement of `main` in which it was lost.
    lost_at: Option<usize>,
    frame: Frame<'a>,
}

struct Wave<'a> {
    program: &'a Program,
    width: u32,
    /// The thread of lane 0.
    first: u32,
    /// Which threads the lanes are instead, and that quads of helper lanes stay.
    packed: Option<&'a Packed>,
    /// How many lanes there are.
    lanes: usize,
    /// Those that are helper lanes by now.
    helpers: Tangle,
    /// The lanes of quads that have retired.
    gone: Tangle,
    /// The lanes that an undefined value has led here, and may have led elsewhere.
    astray: Tangle,
    /// Whether they are participants, so that nothing of the wave is defined any more.
    is_lost: bool,
    group: &'a mut Running,
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
        lanes: Tangle,
        argument: Option<Vec<Vals>>,
    ) -> Vec<Option<Vals>> {
        let program = self.program;
        let function = &program.functions[index];
        let mut frame = Frame::new(function, self.width, lanes);
        if let Some(argument) = argument {
            frame.locals[0] = argument;
        }
        let before = self.astray;
        self.stmts(&function.body, lanes, &mut frame, &mut Leaving::default());
        for lane in self.astray {
            let returned = frame.returned[lane as usize].take();
            frame.returned[lane as usize] = returned.map(|it| it.undefined_if(true));
        }
        if !self.is_lost {
            self.astray = before;
        }
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
        lanes = self.present(lanes);
        for stmt in stmts {
            if lanes.is_empty() {
                break;
            }
            lanes = self.stmt(stmt, lanes, frame, leaving);
            lanes = self.present(lanes);
        }
        lanes
    }

    /// The lanes become helper lanes; quads of nothing else retire, unless helper lanes participate.
    fn discard(&mut self, lanes: Tangle) {
        self.helpers.extend(lanes);
        if self.participate() || self.packed.is_some() {
            return;
        }
        for quad in (0..self.width).step_by(4) {
            let quad: Tangle = (quad..quad + 4).collect();
            if quad.without(self.helpers).is_empty() {
                self.gone.extend(quad);
            }
        }
    }

    /// Whether helper lanes participate in wave operations.
    fn participate(&self) -> bool {
        self.program.pixels().is_some_and(|it| it.included)
    }

    /// The participants of a wave operation: helper lanes only if there are no others.
    fn participants(&self, lanes: Tangle) -> Tangle {
        let present = self.present(lanes);
        let live = present.without(self.helpers);
        if live.is_empty() || self.participate() { present } else { live }
    }

    /// Those lanes whose quads have not retired, as a call in the middle of an expression can make them do.
    fn present(&self, lanes: Tangle) -> Tangle {
        lanes.without(self.gone)
    }

    /// The thread that a lane is.
    fn thread(&self, lane: u32) -> u32 {
        self.packed.map_or(self.first + lane, |it| it.thread(lane))
    }

    fn stmt(
        &mut self,
        stmt: &Stmt,
        lanes: Tangle,
        frame: &mut Frame<'_>,
        leaving: &mut Leaving,
    ) -> Tangle {
        self.begin(stmt, lanes, frame);
        match stmt {
            Stmt::Assign(local, value) => {
                let values = self.expr(value, lanes, frame);
                for lane in lanes {
                    frame.locals[*local][lane as usize] = values[lane as usize].clone();
                }
                lanes
            }
            Stmt::If(condition, then, otherwise) => {
                let (yes, no) = self.split(condition, lanes, frame);
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
                self.discard(lanes);
                lanes
            }
            Stmt::Break => {
                leaving.broke.extend(lanes);
                Tangle::default()
            }
            Stmt::Continue => {
                leaving.continued.extend(lanes);
                Tangle::default()
            }
            Stmt::Return(value) => {
                let values = self.expr(value, lanes, frame);
                for lane in lanes {
                    frame.returned[lane as usize] = Some(values[lane as usize].clone());
                }
                Tangle::default()
            }
            Stmt::Count(counter, value) => {
                let values = self.expr(value, lanes, frame);
                let at = self.program.counters() + counter.index();
                for lane in lanes {
                    let (old, new) = (self.log[at], int(&values[lane as usize]) as u32);
                    self.log[at] = match counter {
                        Counter::Add => old.wrapping_add(new),
                        Counter::Or => old | new,
                        Counter::Xor => old ^ new,
                        Counter::Max => old.max(new),
                    };
                }
                lanes
            }
            Stmt::Exchange { .. } | Stmt::Counts { .. } => {
                unreachable!("all threads of a group arrive at it, in `main`")
            }
            Stmt::Output { field, component, at, value } => {
                let places = self.expr(at, lanes, frame);
                let values = self.expr(value, lanes, frame);
                for lane in lanes {
                    let (at, value) = (&places[lane as usize], &values[lane as usize]);
                    self.group.output(self.program, *field, *component, int(at), value);
                }
                lanes
            }
            Stmt::Log { place, value } => {
                let values = self.expr(value, lanes, frame);
                for lane in lanes.without(self.helpers) {
                    let thread = self.group.number * self.program.threads + self.thread(lane);
                    let at = thread as usize * self.program.places + place;
                    if values[lane as usize].is_undefined() {
                        self.seen.undefined.insert(at);
                    }
                    for scalar in values[lane as usize].iter() {
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
        let bounds = self.expr(bound, lanes, frame);
        self.decide(&bounds, lanes);
        for lane in lanes {
            frame.locals[counter][lane as usize] = Vals::one(Val::Int(0));
        }
        let mut inside = lanes;
        let mut after = Tangle::default();
        loop {
            let stays = |lane: u32| {
                int(&frame.locals[counter][lane as usize]) < int(&bounds[lane as usize])
            };
            let (stay, leave) = inside.partition(stays);
            self.parted(stay, leave);
            after.extend(leave);
            if stay.is_empty() {
                return after;
            }
            let mut mine = Leaving::default();
            inside = self.stmts(body, stay, frame, &mut mine);
            inside.extend(mine.continued);
            inside = self.present(inside);
            after.extend(mine.broke);
            for lane in inside {
                increment(&mut frame.locals[counter][lane as usize]);
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
        for lane in lanes {
            frame.locals[counter][lane as usize] = Vals::one(Val::Int(0));
        }
        let mut inside = lanes;
        let mut after = Tangle::default();
        while !inside.is_empty() {
            for lane in inside {
                increment(&mut frame.locals[counter][lane as usize]);
            }
            let mut mine = Leaving::default();
            let mut end = self.stmts(body, inside, frame, &mut mine);
            end.extend(mine.continued);
            end = self.present(end);
            after.extend(mine.broke);
            // `counter < 4 && condition`: the condition runs only in the lanes that have not counted to
            // four.
            let below = |lane: u32| int(&frame.locals[counter][lane as usize]) < 4;
            let (ask, done) = end.partition(below);
            after.extend(done);
            let (yes, no) = self.split(condition, ask, frame);
            after.extend(no);
            inside = yes;
        }
        after
    }

    /// Notes what variables hold, if that is wanted.
    fn begin(&mut self, stmt: &Stmt, lanes: Tangle, frame: &Frame<'_>) {
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
            active: lanes.iter().collect(),
            entered: frame.entered.iter().collect(),
            locals: frame
                .locals
                .iter()
                .map(|it| it.iter().map(|it| it.to_vec()).collect())
                .collect(),
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
        let selectors = self.expr(selector, lanes, frame);
        self.decide(&selectors, lanes);
        let listed: Vec<u32> =
            groups.iter().flat_map(|group| group.labels.iter().flatten().copied()).collect();
        let mut waiting = lanes;
        let mut falling = Tangle::default();
        let mut after = Tangle::default();
        for group in groups {
            let selected = |lane: u32| {
                let value = int(&selectors[lane as usize]);
                group.labels.iter().any(|label| match label {
                    Some(label) => i128::from(*label) == value,
                    None => !listed.iter().any(|label| i128::from(*label) == value),
                })
            };
            let (mut inside, rest) = waiting.partition(selected);
            waiting = rest;
            self.parted(inside, waiting);
            inside.extend(std::mem::take(&mut falling));
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

    fn split(&mut self, condition: &Expr, lanes: Tangle, frame: &Frame<'_>) -> (Tangle, Tangle) {
        if lanes.is_empty() {
            return (Tangle::default(), Tangle::default());
        }
        let values = self.expr(condition, lanes, frame);
        self.decide(&values, lanes);
        let (yes, no) = lanes.partition(|lane| truth(&values[lane as usize]));
        self.parted(yes, no);
        (yes, no)
    }

    /// Notes that lanes go different ways, if they do.
    fn parted(&mut self, one: Tangle, other: Tangle) {
        self.seen.observed.splits += u64::from(!one.is_empty() && !other.is_empty());
    }
}
