//! The session: commands that move a run, and queries about its current state.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use diag::{Diagnostic, Sink, SourceMap, Span};
use hlsl::{Includer, Options};
use interp::observe::{AccessEvent, At, NoteEvent};
use interp::{Advance, Observer, Program, Run, Variation};
use ir::exec::{Bindings, Failure, Launch};
use ir::notes::{Note, Notes, ScopeId, VariableId};
use ir::{Inst, Module};
use ops::LaneMask;

use crate::bind::{Bound, Breakpoint, bind};
use crate::data::{Access, DataBreakpoint, Touched, Watching};
use crate::eval::{Expressions, Shown};
use crate::expression::{Refused, quantified};
use crate::instructions::{InstructionBreakpoint, Listing};
use crate::keyframes::{Keyframe, Keyframes};
use crate::waves::{Row, Seen, Statement, WaveId, Waves};

/// The text of a program, with all that its compilation needs.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
    pub options: Options,
    /// The texts of included files by their paths.
    pub included: BTreeMap<String, String>,
}

impl Includer for Source {
    fn read(&mut self, path: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        let name = path.trim_start_matches("./");
        self.included.get(name).map(|text| (name.to_owned(), text.as_str().into()))
    }
}

/// Everything that determines a run.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub source: Source,
    pub launch: Launch,
    pub variation: Variation,
    /// The buffers at the beginning, in the order of the resources of the module.
    pub bindings: Bindings,
}

/// Why a session cannot begin.
#[derive(Debug)]
pub enum OpenError {
    /// The program does not compile.
    Program(Vec<Diagnostic>, Box<SourceMap>),
    /// The launch is refused.
    Launch(Failure),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Program(reports, _) => match reports.first() {
                Some(report) => write!(f, "the program does not compile: {}", report.message),
                None => f.write_str("the program does not compile"),
            },
            OpenError::Launch(failure) => write!(f, "the launch is refused: {failure}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forward {
    /// To the next statement of the wave.
    Into(WaveId),
    /// To its next statement that is not in a function called meanwhile.
    Over(WaveId),
    /// To its next statement in the function that called this one.
    Out(WaveId),
    /// To its next instruction.
    Instruction(WaveId),
    /// To the next statement of any wave.
    Any,
    /// To a breakpoint.
    Break,
    /// To the end, ignoring breakpoints and findings.
    End,
}

/// How far to go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// To the statement that the wave began before.
    Into(WaveId),
    /// To the instruction before which the wave stood before.
    Instruction(WaveId),
    /// To the breakpoint that was reached before.
    Break,
}

/// Where a command ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The statement or the instruction that was asked for.
    Step(WaveId),
    /// These breakpoints, by their numbers.
    Breakpoint(WaveId, Vec<usize>),
    /// These breakpoints of instructions, by their numbers.
    Instruction(WaveId, Vec<usize>),
    /// These data breakpoints: the statement of the wave touches what they watch.
    Data(WaveId, Vec<usize>),
    /// The first statement of the run: there is nothing before it.
    Entry(WaveId),
    /// The run has ended.
    End,
    /// The run cannot go on.
    Failed(Failure),
    /// The budget is spent; the same command goes on.
    Budget,
}

/// A function that a wave is in.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub function: String,
    /// The statement, or the call.
    pub span: Span,
    pub scope: ScopeId,
    /// The variables visible there; of those with one name, the innermost.
    pub variables: Vec<VariableId>,
}

/// The current value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub ty: String,
    /// One for each scalar; a variable that no lane has written has rows without written lanes.
    pub rows: Vec<Row>,
}

/// A run in progress, with what it takes to go back.
pub struct Session {
    pub(crate) recipe: Recipe,
    sources: SourceMap,
    pub(crate) module: Arc<Module>,
    pub(crate) program: Program,
    pub(crate) run: Run,
    pub(crate) bindings: Bindings,
    view: Waves,
    keyframes: Keyframes,
    breakpoints: Vec<Bound>,
    pub(crate) at_instructions: Vec<InstructionBreakpoint>,
    pub(crate) listing: Listing,
    watches: Vec<DataBreakpoint>,
    /// The watched data that a movement has touched.
    touched: Option<Touched>,
    /// The wave that stopped, if the run stands before a statement or an instruction.
    current: Option<WaveId>,
    /// How far the run has come in the statement that has begun last, in notes and in codes of the engine; [`UNKNOWN`]
    /// if it was not counted.
    inside: u64,
    ended: Option<Result<(), Failure>>,
    /// The command whose budget was spent, and the most functions in which it ends.
    left: Option<(Forward, usize)>,
    pub(crate) expressions: Expressions,
}

/// A place in the run: the statements that have begun, and how far the last of them has come.
type Moment = (u64, u64);

const UNKNOWN: u64 = u64::MAX;

/// Which instructions a movement stops before.
type Instructions<'a> = Option<&'a dyn Fn(&Session, WaveId, Inst) -> bool>;

/// What the observer of a moving run looks for.
enum Wanted<'a> {
    Tick(u64),
    /// A statement for which this holds.
    Where(&'a dyn Fn(WaveId, &Statement, &Waves) -> bool),
}

/// Watches a moving run, and pauses it.
struct Mover<'a> {
    view: &'a mut Waves,
    wanted: &'a Wanted<'a>,
    keyframe_at: u64,
    /// The wave that began a statement at which the run pauses.
    hit: Option<WaveId>,
    pauses: bool,
    /// Whether the run pauses after each note.
    is_fine: bool,
    notes: &'a Notes,
    watches: &'a [DataBreakpoint],
    watching: Watching,
    touched: &'a mut Option<Touched>,
}

impl Mover<'_> {
    fn access(&mut self, event: &AccessEvent<'_>, access: Access) {
        for (number, watch) in self.watches.iter().enumerate() {
            if watch.is_touched(self.notes, event, access) {
                self.touch(event.at, number);
            }
        }
    }

    /// The first statement counts that touches something.
    fn touch(&mut self, at: At, number: usize) {
        let Watching::After(skipped) = self.watching else { return };
        let wave = (at.group, at.wave);
        let Some(tick) = self.view.wave(wave).and_then(Seen::tick) else { return };
        if Some(tick) == skipped {
            return;
        }
        let touched =
            self.touched.get_or_insert_with(|| Touched { wave, tick, numbers: Vec::new() });
        if touched.tick == tick && !touched.numbers.contains(&number) {
            touched.numbers.push(number);
        }
    }
}

impl Observer for Mover<'_> {
    const INDIRECT: bool = true;

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.access(event, Access::Load);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.access(event, Access::Store);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.access(event, Access::Atomic);
    }

    fn wave_begin(&mut self, at: At) {
        self.view.wave_begin(at);
    }

    fn wave_end(&mut self, at: At) {
        self.view.wave_end(at);
    }

    fn group_end(&mut self, group: [u32; 3]) {
        self.view.group_end(group);
    }

    fn note(&mut self, event: &NoteEvent<'_>) {
        self.view.note(event);
        self.pauses = self.is_fine;
        if let Note::Write { variable, .. } = event.note {
            for (number, watch) in self.watches.iter().enumerate() {
                if watch.is_written(event.at, *variable) {
                    self.touch(event.at, number);
                }
            }
        }
        if !matches!(event.note, Note::Statement { .. }) {
            return;
        }
        let wave = (event.at.group, event.at.wave);
        let Some(statement) = self.view.wave(wave).and_then(|it| it.at) else { return };
        let is_hit = match self.wanted {
            Wanted::Tick(tick) => statement.tick == *tick,
            Wanted::Where(holds) => holds(wave, &statement, self.view),
        };
        let is_hit = is_hit || self.touched.is_some();
        self.hit = is_hit.then_some(wave);
        self.pauses |= is_hit || self.view.ticks >= self.keyframe_at;
    }

    fn pauses(&mut self) -> bool {
        std::mem::take(&mut self.pauses)
    }
}

/// How a movement ended.
enum Moved {
    Hit(WaveId),
    Instruction(WaveId),
    /// The run has ended: [`Session::ended`] says how.
    End,
    Budget,
}

impl Session {
    /// Compiles the program for debugging. Nothing has run yet.
    pub fn open(recipe: Recipe) -> Result<Session, OpenError> {
        let mut source = recipe.source.clone();
        source.options.notes = true;
        let (mut sources, mut sink) = (SourceMap::new(), Sink::new());
        let options = source.options.clone();
        let main = sources.add(source.name.as_str(), source.text.as_str());
        let compiled = main
            .and_then(|main| hlsl::compile(main, &mut sources, &mut source, &options, &mut sink));
        let Some(compiled) = compiled else {
            return Err(OpenError::Program(sink.into_sorted(), Box::new(sources)));
        };
        Session::with_module(recipe, Arc::new(compiled.module), sources)
    }

    /// The same for a module that has been compiled with notes, from these sources.
    pub fn with_module(
        mut recipe: Recipe,
        module: Arc<Module>,
        sources: SourceMap,
    ) -> Result<Session, OpenError> {
        // A run that is repeated prints and counts nothing.
        let Launch { progress, prints, spent, .. } = &mut recipe.launch;
        (*progress, *prints, *spent) = (None, None, None);
        let program = interp::decode(&module);
        let run =
            Run::new(&program, &recipe.launch, recipe.variation).map_err(OpenError::Launch)?;
        let bindings = recipe.bindings.clone();
        let view = Waves::new(Arc::new(module.notes.clone()), recipe.launch.wave_width);
        let listing = Listing::of(&module);
        let first = Keyframe::of(run.clone(), view.clone(), &bindings, None);
        Ok(Session {
            recipe,
            sources,
            module,
            program,
            run,
            bindings,
            view,
            keyframes: Keyframes::new(first),
            breakpoints: Vec::new(),
            at_instructions: Vec::new(),
            listing,
            watches: Vec::new(),
            touched: None,
            current: None,
            inside: 0,
            ended: None,
            left: None,
            expressions: Expressions::default(),
        })
    }

    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    pub fn width(&self) -> u32 {
        self.recipe.launch.wave_width
    }

    /// The contents of the buffers where the run stands.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// How the run ended, if it stands at its end.
    pub fn ended(&self) -> Option<&Result<(), Failure>> {
        self.ended.as_ref()
    }

    /// The statement before which the run stands.
    pub fn current(&self) -> Option<(WaveId, Statement)> {
        let wave = self.current?;
        Some((wave, self.view.wave(wave)?.here()?))
    }

    /// The number of statements that waves have begun: where the run stands before a statement, one more than its tick.
    pub fn ticks(&self) -> u64 {
        self.view.ticks
    }

    /// The position of the run as an increasing number: the statements that have begun, and how far the last has come.
    pub fn place(&self) -> (u64, u64) {
        (self.view.ticks, self.inside)
    }

    /// The waves whose groups have started and not ended.
    pub fn waves(&self) -> impl Iterator<Item = (WaveId, &Seen)> {
        self.view.waves()
    }

    pub fn wave(&self, wave: WaveId) -> Option<&Seen> {
        self.view.wave(wave)
    }

    /// The lanes that execute the statement of the wave, or its instruction.
    pub fn active(&self, wave: WaveId) -> LaneMask {
        // Within a statement, an expression may have branches.
        if self.inside > 0 {
            let mut waves = self.run.waves(&self.program);
            if let Some(it) = waves.find(|it| (it.group(), it.index()) == wave) {
                return it.active();
            }
        }
        let at = self.view.wave(wave).and_then(Seen::here);
        at.map_or(LaneMask::EMPTY, |it| it.active)
    }

    // Moving.

    /// Replaces all breakpoints. Returns for each the line at which it stops: that of the next statement.
    pub fn breakpoints(&mut self, breakpoints: Vec<Breakpoint>) -> Vec<Option<u32>> {
        let bound = breakpoints.into_iter().map(|it| bind(it, &self.module, &self.sources));
        self.breakpoints = bound.collect();
        self.breakpoints.iter().map(|it| it.line).collect()
    }

    /// The lines of a file on which statements begin; the path means what it means in a [`Breakpoint`].
    pub fn lines(&self, path: &str) -> BTreeSet<u32> {
        crate::bind::lines(path, &self.module, &self.sources).into_keys().collect()
    }

    /// Replaces all data breakpoints.
    pub fn watch(&mut self, watches: Vec<DataBreakpoint>) {
        self.watches = watches;
    }

    /// Whether the condition of a breakpoint can be evaluated where it stops.
    pub fn check(&self, breakpoint: usize) -> Result<(), Refused> {
        let Some(bound) = self.breakpoints.get(breakpoint) else { return Ok(()) };
        let Some(condition) = &bound.breakpoint.condition else { return Ok(()) };
        let at = self.module.insts.iter().find_map(|inst| match &inst.op {
            ir::Op::Note(note) => match **note {
                Note::Statement { innermost, .. }
                    if bound.spans.contains(&(inst.span.lo, inst.span.hi)) =>
                {
                    Some(innermost)
                }
                _ => None,
            },
            _ => None,
        });
        let Some(innermost) = at else { return Ok(()) };
        crate::eval::check(self, innermost, quantified(condition).0)
    }

    /// Moves on, by at most `budget` wave-instructions.
    pub fn forward(&mut self, until: Forward, mut budget: u64) -> Stop {
        let depth = |scope: Option<ScopeId>| self.depth(scope);
        let start = |wave| self.view.wave(wave).and_then(Seen::here).map(|it| it.scope);
        let (wave, most) = match until {
            Forward::Into(wave) => (Some(wave), usize::MAX),
            Forward::Over(wave) => (Some(wave), depth(start(wave))),
            Forward::Out(wave) => (Some(wave), depth(start(wave)).saturating_sub(1)),
            Forward::Instruction(wave) => (Some(wave), 0),
            Forward::Any | Forward::Break | Forward::End => (None, 0),
        };
        // A resumed command is bounded by where it began.
        let most = match self.left.take() {
            Some((left, most)) if left == until => most,
            _ => most,
        };
        let notes = Arc::clone(&self.module);
        let is_step = move |at: WaveId, statement: &Statement, view: &Waves| match wave {
            // Its first statement has begun: it stands before an instruction of it.
            Some(wave) if matches!(until, Forward::Instruction(_)) && at == wave => false,
            Some(wave) if view.wave(wave).is_some_and(|it| !it.has_ended) => {
                at == wave && depth_of(&notes, Some(statement.scope)) <= most
            }
            // The wave that is stepped has ended: another one goes on.
            Some(_) => true,
            None => until == Forward::Any,
        };
        let spans: BTreeSet<(u32, u32)> = match until {
            Forward::End => BTreeSet::new(),
            _ => self.breakpoints.iter().flat_map(|it| it.spans.iter().copied()).collect(),
        };
        let holds = |at: WaveId, statement: &Statement, view: &Waves| {
            is_step(at, statement, view) || spans.contains(&(statement.span.lo, statement.span.hi))
        };
        let by_instruction = |it: &Session, at: WaveId, inst: Inst| match until {
            Forward::Instruction(wave) if wave == at => true,
            Forward::End => false,
            _ => !it.hits_of(at, inst).is_empty(),
        };
        let is_fine = match until {
            Forward::Instruction(_) => true,
            Forward::End => false,
            _ => !self.at_instructions.is_empty(),
        };
        let instructions: Instructions<'_> = if is_fine { Some(&by_instruction) } else { None };
        let here = self.current().map(|_| self.view.ticks.saturating_sub(1));
        let watching = match until {
            Forward::End => Watching::Nothing,
            _ => Watching::After(here),
        };
        loop {
            let moved = self.go(&Wanted::Where(&holds), instructions, &mut budget, watching);
            if let Some(Touched { wave, tick, numbers }) = self.touched.take() {
                // Before the statement; one that had begun before this command did is over.
                if here.is_none_or(|it| tick > it) {
                    self.seek(tick, u64::MAX);
                    return Stop::Data(wave, numbers);
                }
                if let Moved::Hit(wave) = moved {
                    return Stop::Data(wave, numbers);
                }
            }
            match moved {
                Moved::Hit(wave) => {
                    let hits = match until {
                        Forward::End => Vec::new(),
                        _ => self.hits(wave),
                    };
                    if !hits.is_empty() {
                        return Stop::Breakpoint(wave, hits);
                    }
                    let at = self.view.wave(wave).and_then(|it| it.at);
                    if at.is_some_and(|at| is_step(wave, &at, &self.view)) {
                        return Stop::Step(wave);
                    }
                }
                Moved::Instruction(_) => {}
                Moved::End => return self.end(),
                Moved::Budget => {
                    self.left = Some((until, most));
                    return Stop::Budget;
                }
            }
            if let Some(is_wanted) = instructions
                && let Some((wave, inst)) = self.instruction_here()
                && is_wanted(self, wave, inst)
            {
                self.current = Some(wave);
                let hits = self.hits_of(wave, inst);
                return match hits.is_empty() {
                    true => Stop::Step(wave),
                    false => Stop::Instruction(wave, hits),
                };
            }
        }
    }

    /// Goes back. `Budget` leaves the run where it was.
    pub fn back(&mut self, until: Back, mut budget: u64) -> Stop {
        // The place before which to look.
        let mut limit: Moment = match self.current() {
            Some(_) => (self.view.ticks, self.inside),
            None => (self.view.ticks + 1, 0),
        };
        let here = limit;
        let spans: BTreeSet<(u32, u32)> =
            self.breakpoints.iter().flat_map(|it| it.spans.iter().copied()).collect();
        let holds = |at: WaveId, statement: &Statement, _: &Waves| match until {
            Back::Into(wave) => at == wave,
            Back::Instruction(_) => false,
            Back::Break => spans.contains(&(statement.span.lo, statement.span.hi)),
        };
        let is_fine = match until {
            Back::Into(_) => false,
            Back::Instruction(_) => true,
            Back::Break => !self.at_instructions.is_empty(),
        };
        let watching = match until {
            Back::Into(_) | Back::Instruction(_) => Watching::Nothing,
            Back::Break => Watching::After(None),
        };
        let mut last_touched: Option<Touched> = None;
        while limit > (1, 0) {
            // The last one before the place.
            let number = self.keyframes.before(limit.0 - u64::from(limit.1 == 0));
            self.restore(number);
            let begin = self.view.ticks;
            let mut last: Option<Moment> = None;
            // The statement at which the keyframe stands.
            if let Some((wave, statement)) = self.current() {
                let is_statement =
                    holds(wave, &statement, &self.view) && self.is_wanted(until, wave);
                let is_instruction = || is_fine && self.stands_where(until);
                last = (is_statement || is_instruction()).then_some((begin, 0));
            }
            loop {
                let inside = |wave: WaveId, statement: &Statement, view: &Waves| {
                    (statement.tick + 1, 0) >= limit || holds(wave, statement, view)
                };
                let at_instruction = |it: &Session, wave: WaveId, inst: Inst| {
                    it.place() >= limit || it.is_wanted_at(until, wave, inst)
                };
                let instructions: Instructions<'_> =
                    if is_fine { Some(&at_instruction) } else { None };
                let moved = self.go(&Wanted::Where(&inside), instructions, &mut budget, watching);
                let is_before = |it: &Touched| (it.tick + 1, 0) < limit;
                if let Some(touched) = self.touched.take().filter(is_before) {
                    last = last.max(Some((touched.tick + 1, 0)));
                    last_touched = Some(touched);
                }
                match moved {
                    Moved::Hit(_) | Moved::Instruction(_) if self.place() >= limit => break,
                    Moved::Hit(wave) => {
                        if self.is_wanted(until, wave) {
                            last = last.max(Some(self.place()));
                        }
                    }
                    Moved::Instruction(_) => {}
                    Moved::End => break,
                    Moved::Budget => {
                        self.seek_place(here);
                        return Stop::Budget;
                    }
                }
                if is_fine && self.stands_where(until) {
                    last = last.max(Some(self.place()));
                }
            }
            if let Some(place) = last {
                self.seek_place(place);
                let Some((wave, _)) = self.current() else { return Stop::Budget };
                if until != Back::Break {
                    return Stop::Step(wave);
                }
                let touched = last_touched.filter(|it| place == (it.tick + 1, 0));
                let hits = match place.1 {
                    0 => self.hits(wave),
                    _ => Vec::new(),
                };
                return match touched {
                    Some(touched) => Stop::Data(wave, touched.numbers),
                    None if hits.is_empty() && is_fine => {
                        Stop::Instruction(wave, self.hits_here(wave))
                    }
                    None => Stop::Breakpoint(wave, hits),
                };
            }
            // The keyframe's own statement has been looked at.
            limit = (begin, 0);
        }
        match self.seek(0, u64::MAX) {
            Stop::Step(wave) => Stop::Entry(wave),
            other => other,
        }
    }

    fn is_wanted(&self, until: Back, wave: WaveId) -> bool {
        until != Back::Break || !self.hits(wave).is_empty()
    }

    /// Goes to the statement with this number, before or after.
    pub fn seek(&mut self, tick: u64, mut budget: u64) -> Stop {
        // A keyframe that has begun one statement stands before it.
        let number = self.keyframes.before(tick + 1);
        let of_keyframe = self.keyframes.get(number).view.ticks;
        let is_behind = self.ended.is_some() || self.place() > (tick + 1, 0);
        if is_behind || self.view.ticks < of_keyframe {
            self.restore(number);
        }
        if self.view.ticks == tick + 1
            && let Some(wave) = self.current
        {
            return Stop::Step(wave);
        }
        match self.go(&Wanted::Tick(tick), None, &mut budget, Watching::Nothing) {
            Moved::Hit(wave) | Moved::Instruction(wave) => Stop::Step(wave),
            Moved::End => self.end(),
            Moved::Budget => Stop::Budget,
        }
    }

    /// Goes to an earlier position of the run.
    fn seek_place(&mut self, (ticks, inside): Moment) {
        self.seek(ticks.saturating_sub(1), u64::MAX);
        if inside > 0 {
            let is_there = |it: &Session, _: WaveId, _: Inst| it.place() >= (ticks, inside);
            let nowhere = |_: WaveId, _: &Statement, _: &Waves| false;
            let mut budget = u64::MAX;
            let wanted = Wanted::Where(&nowhere);
            self.go(&wanted, Some(&is_there), &mut budget, Watching::Nothing);
        }
    }

    /// The stop of a run that has ended.
    fn end(&self) -> Stop {
        match &self.ended {
            Some(Err(failure)) => Stop::Failed(failure.clone()),
            _ => Stop::End,
        }
    }

    fn restore(&mut self, number: usize) {
        self.left = None;
        let keyframe = self.keyframes.get(number);
        self.run = keyframe.run.clone();
        self.view = keyframe.view.clone();
        self.bindings = keyframe.bindings();
        self.ended = None;
        self.inside = 0;
        let tick = self.view.ticks.checked_sub(1);
        let of = |it: &(WaveId, &Seen)| it.1.at.map(|at| at.tick) == tick && tick.is_some();
        self.current = self.view.waves().find(of).map(|it| it.0);
    }

    /// Moves to a statement that is wanted; with `instructions` also to one of these, one code of the engine after the
    /// other.
    fn go(
        &mut self,
        wanted: &Wanted<'_>,
        instructions: Instructions<'_>,
        budget: &mut u64,
        watching: Watching,
    ) -> Moved {
        /// The instructions between two looks at the budget.
        const SLICE: u64 = 1 << 16;
        if self.ended.is_some() {
            return Moved::End;
        }
        loop {
            if *budget == 0 {
                return Moved::Budget;
            }
            let slice = if instructions.is_some() { 1 } else { SLICE.min(*budget) };
            let before = self.view.ticks;
            let mut mover = Mover {
                view: &mut self.view,
                wanted,
                keyframe_at: self.keyframes.next(),
                hit: None,
                pauses: false,
                is_fine: instructions.is_some(),
                notes: &self.module.notes,
                watches: match watching {
                    Watching::Nothing => &[],
                    Watching::After(_) => &self.watches,
                },
                watching,
                touched: &mut self.touched,
            };
            let advance = self.run.advance(&self.program, &mut self.bindings, &mut mover, slice);
            let hit = mover.hit;
            let has_begun = self.view.ticks > before;
            self.inside = match (has_begun, instructions.is_some()) {
                (true, true) => 0,
                (true, false) if matches!(advance, Ok(Advance::Paused)) => 0,
                (_, false) => UNKNOWN,
                (false, true) => self.inside.saturating_add(1),
            };
            match advance {
                Ok(Advance::Going) => *budget -= slice,
                Ok(Advance::Paused) if !has_begun => {}
                Ok(Advance::Paused) => {
                    self.current = self
                        .view
                        .waves()
                        .find(|it| it.1.at.is_some_and(|at| at.tick + 1 == self.view.ticks))
                        .map(|it| it.0);
                    if self.keyframes.wants(self.view.ticks) {
                        self.keyframes.save(&self.run, &self.view, &self.bindings);
                    }
                    *budget -= 1;
                    if let Some(wave) = hit {
                        return Moved::Hit(wave);
                    }
                }
                Ok(Advance::Done) => {
                    (self.current, self.ended) = (None, Some(Ok(())));
                    return Moved::End;
                }
                Err(failure) => {
                    (self.current, self.ended) = (None, Some(Err(failure)));
                    return Moved::End;
                }
            }
            if let Some(is_wanted) = instructions
                && let Some((wave, inst)) = self.instruction_here()
                && is_wanted(self, wave, inst)
            {
                self.current = Some(wave);
                return Moved::Instruction(wave);
            }
        }
    }

    /// The breakpoints at which the wave stands, and whose conditions hold.
    fn hits(&self, wave: WaveId) -> Vec<usize> {
        let Some(at) = self.view.wave(wave).and_then(|it| it.at) else { return Vec::new() };
        let here = (at.span.lo, at.span.hi);
        let all = self.breakpoints.iter().enumerate().filter(|it| it.1.spans.contains(&here));
        let holds = |bound: &Bound| match &bound.breakpoint.condition {
            None => true,
            // An expression that cannot be evaluated here does not stop the run.
            Some(condition) => self.holds(wave, condition).unwrap_or(false),
        };
        all.filter(|it| holds(it.1)).map(|it| it.0).collect()
    }

    // Looking.

    fn depth(&self, scope: Option<ScopeId>) -> usize {
        depth_of(&self.module, scope)
    }

    /// The functions that the wave is in, the innermost first.
    pub fn frames(&self, wave: WaveId) -> Vec<Frame> {
        let notes = &self.module.notes;
        let Some(at) = self.view.wave(wave).and_then(Seen::here) else { return Vec::new() };
        let (mut scope, mut span, mut innermost) = (Some(at.scope), at.span, at.innermost);
        let mut frames = Vec::new();
        while let Some(id) = scope {
            let data = notes.scope(id);
            let mut names = BTreeSet::new();
            let variables = notes.visible(innermost);
            let variables =
                variables.filter(|it| names.insert(&notes.variable(*it).name)).collect();
            frames.push(Frame { function: data.function.clone(), span, scope: id, variables });
            (scope, span, innermost) = (data.caller, data.call, data.innermost);
        }
        frames
    }

    /// What a variable holds in each lane of the wave.
    pub fn variable(&self, wave: WaveId, id: VariableId) -> Variable {
        let variable = self.module.notes.variable(id);
        let width = self.width();
        let nothing = || Row { bits: vec![0; width as usize], ..Row::default() };
        let rows = match &variable.memory {
            None => match self.view.wave(wave).and_then(|it| it.rows(id)) {
                Some(rows) => rows.to_vec(),
                None => variable.scalars.iter().map(|_| nothing()).collect(),
            },
            Some(places) => {
                let found = self.run.waves(&self.program);
                let found = found.into_iter().find(|it| (it.group(), it.index()) == wave);
                let row = |place: &ir::notes::InMemory| {
                    let mut row = nothing();
                    let Some(wave) = &found else { return row };
                    for lane in wave.lanes().iter() {
                        let Some((bits, poisoned)) =
                            wave.private(place.array, place.index.into(), lane)
                        else {
                            continue;
                        };
                        row.bits[lane as usize] = bits;
                        row.written = row.written.with(lane, true);
                        row.poison = row.poison.with(lane, poisoned);
                    }
                    row
                };
                places.iter().map(row).collect()
            }
        };
        Variable { name: variable.name.clone(), ty: variable.ty.clone(), rows }
    }

    /// An element of a groupshared array of the wave's group, and whether it is undefined.
    pub fn shared(&self, wave: WaveId, array: ir::Shared, index: u64) -> Option<(u64, bool)> {
        let found = self.run.waves(&self.program).find(|it| it.group() == wave.0)?;
        found.shared(array, index)
    }

    /// The variable of that name where the wave stands, in its innermost function.
    pub fn find(&self, wave: WaveId, name: &str) -> Option<VariableId> {
        let frames = self.frames(wave);
        let mut all = frames.first()?.variables.iter().copied();
        all.find(|it| self.module.notes.variable(*it).name == name)
    }

    /// Evaluates an expression of HLSL where the wave stands, in its active lanes. `x@5` is what lane 5 holds, `$lane`
    /// the lane, `$active` the set of active lanes. An expression that would change anything is refused.
    pub fn eval(&self, wave: WaveId, expression: &str) -> Result<Shown, Refused> {
        crate::eval::eval(self, wave, expression)
    }

    /// How often an expression had to be compiled: once for all places where the same variables are visible.
    pub fn compilations(&self) -> u64 {
        self.expressions.compilations()
    }

    /// Whether a condition holds where the wave stands: in any active lane, or written as `all(…)` in all of them.
    pub fn holds(&self, wave: WaveId, condition: &str) -> Result<bool, Refused> {
        let (expression, in_all) = quantified(condition);
        let shown = self.eval(wave, expression)?;
        let row = shown.rows.first().cloned().unwrap_or_default();
        let mut lanes = shown.active.iter().map(|it| row.bits[it as usize] != 0);
        Ok(if in_all { lanes.all(|it| it) } else { lanes.any(|it| it) })
    }
}

fn depth_of(module: &Module, scope: Option<ScopeId>) -> usize {
    std::iter::successors(scope, |it| module.notes.scope(*it).caller).count()
}
