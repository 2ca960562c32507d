//! The log of a run for which only active lanes are recorded, and the waves into which it is converted.
//!
//! A step takes 48 bytes, which costs as much as running the statement. The log instead has four bytes for each basic
//! block that a wave begins, and the wave and its lanes where they change. It is converted to steps when these are
//! first read.
//!
//! Turns of waves must end with basic blocks, as they do in the canonical order and its reverse: only then is the order
//! of blocks that of statements, by which the limit of a recording and the numbers of statements go.

use std::ops::Range;

use interp::observe::{At, NoteEvent};
use interp::{Observer, Program};
use ir::notes::Note;
use ir::{Inst, Module, Op};
use ops::LaneMask;
use rustc_hash::FxHashMap;

use crate::recorder::{LineCount, MOST_STEPS, Recorder, Recording, Step, Wave};

/// Blocks that waves began, in the order of the run.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    waves: Vec<Begun>,
    /// For each basic block that a wave began its number.
    entries: Vec<u32>,
    turns: Vec<Turn>,
    sets: Vec<Sets>,
    /// For each block where its statements are.
    blocks: Vec<Range<usize>>,
    /// The numbers of statements in the recording.
    statements: Vec<u32>,
    /// The number of statements of the last entry that were begun, if the run failed among them.
    last: Option<usize>,
    /// For waves that began statements for which there was no room, their number.
    beyond: Vec<u64>,
}

/// A wave that has begun.
#[derive(Clone, Copy, Debug)]
struct Begun {
    group: [u32; 3],
    wave: u32,
    lanes: LaneMask,
}

/// From this entry on a wave runs.
#[derive(Clone, Copy, Debug)]
struct Turn {
    entry: usize,
    wave: usize,
}

/// From this entry on these lanes run.
#[derive(Clone, Copy, Debug)]
struct Sets {
    entry: usize,
    active: LaneMask,
    live: LaneMask,
}

impl Log {
    /// The waves with their steps.
    pub(crate) fn waves(&self) -> Vec<Wave> {
        let mut counts = vec![0; self.waves.len()];
        self.walk(|wave, _, statements| counts[wave] += statements.len());
        let mut waves: Vec<Wave> = self.waves.iter().zip(counts).map(Begun::with_room).collect();
        let mut left = MOST_STEPS as usize;
        self.walk(|wave, sets, statements| {
            let Sets { active, live, .. } = *sets;
            let wave = &mut waves[wave];
            wave.total += statements.len() as u64;
            let kept = &statements[..statements.len().min(left)];
            left -= kept.len();
            let step =
                |statement: &u32| Step { statement: *statement, active, live, writes: 0, reads: 0 };
            wave.steps.extend(kept.iter().map(step));
        });
        for (wave, beyond) in waves.iter_mut().zip(&self.beyond) {
            wave.total += beyond;
        }
        waves
    }

    /// Calls the function for each entry with its wave, its lanes, and the statements that it begins.
    fn walk(&self, mut each: impl FnMut(usize, &Sets, &[u32])) {
        let ends = self.turns[1.min(self.turns.len())..].iter().map(|it| it.entry);
        let mut sets = self.sets.iter().peekable();
        let mut now = None;
        for (turn, end) in self.turns.iter().zip(ends.chain([self.entries.len()])) {
            for (entry, block) in (turn.entry..end).zip(&self.entries[turn.entry..end]) {
                while let Some(next) = sets.next_if(|it| it.entry <= entry) {
                    now = Some(next);
                }
                let Some(sets) = now else { unreachable!("an entry comes after its lanes") };
                let statements = &self.statements[self.blocks[*block as usize].clone()];
                let cut = self.last.filter(|_| entry + 1 == self.entries.len());
                each(turn.wave, sets, &statements[..cut.unwrap_or(statements.len())]);
            }
        }
    }
}

impl Begun {
    fn with_room((begun, steps): (&Begun, usize)) -> Wave {
        Wave {
            group: begun.group,
            wave: begun.wave,
            lanes: begun.lanes,
            steps: Vec::with_capacity(steps),
            ..Wave::default()
        }
    }
}

/// Writes a log.
pub(crate) struct Logger {
    log: Log,
    /// For each instruction of the module the block that it is the first note of.
    by_inst: Vec<u32>,
    blocks: Vec<Block>,
    /// The blocks in the order in which waves first began them.
    order: Vec<u32>,
    /// For each group the number of its first wave.
    groups: FxHashMap<[u32; 3], usize>,
    /// The group that began last.
    newest: Option<([u32; 3], usize)>,
    /// The block that began last, with its wave and its lanes.
    last: u32,
    group: [u32; 3],
    wave: u32,
    number: usize,
    active: LaneMask,
    live: LaneMask,
    /// The number of active lanes.
    count: u64,
    /// The steps that there was room for.
    steps: u64,
    /// Whether a block came after these.
    is_full: bool,
    /// The number of statements of the last block that were begun before the run failed.
    cut: Option<usize>,
}

/// A basic block.
struct Block {
    first: Inst,
    /// Its statements, among those of all blocks.
    statements: Range<usize>,
    count: LineCount,
}

impl Logger {
    /// Makes room for `waves` waves.
    pub(crate) fn new(module: &Module, program: &Program, waves: usize) -> Logger {
        let mut by_inst = vec![0; module.insts.len()];
        let mut blocks: Vec<Block> = Vec::new();
        for mut insts in program.blocks() {
            let begin = blocks.last().map_or(0, |it| it.statements.end);
            let statements = begin..begin + insts.len();
            let Some(first) = insts.next() else { unreachable!("a note is of its own block") };
            by_inst[first.index()] = blocks.len() as u32;
            blocks.push(Block { first, statements, count: LineCount::default() });
        }
        Logger {
            log: Log {
                waves: Vec::with_capacity(waves),
                entries: Vec::with_capacity(waves),
                turns: Vec::with_capacity(waves),
                sets: Vec::new(),
                blocks: Vec::new(),
                statements: Vec::new(),
                last: None,
                beyond: Vec::new(),
            },
            by_inst,
            blocks,
            order: Vec::new(),
            groups: FxHashMap::default(),
            newest: None,
            last: 0,
            // No wave has such a number.
            group: [0; 3],
            wave: u32::MAX,
            number: 0,
            active: LaneMask::EMPTY,
            live: LaneMask::EMPTY,
            count: 0,
            steps: 0,
            is_full: false,
            cut: None,
        }
    }

    /// The wave that began a block last, and the first note of that block.
    pub(crate) fn last(&self) -> Option<([u32; 3], u32, Inst)> {
        let has_any = !self.order.is_empty();
        has_any.then(|| (self.group, self.wave, self.blocks[self.last as usize].first))
    }

    /// The run has failed after `begun` statements of the last block were begun.
    pub(crate) fn cut(&mut self, begun: usize) {
        let others = (self.blocks[self.last as usize].statements.len() - begun) as u64;
        self.cut = Some(begun);
        if self.is_full {
            self.log.beyond[self.number] -= others;
        } else {
            self.steps -= others;
            self.log.last = Some(begun);
        }
    }

    /// The recording, given a recorder of the module that has recorded nothing.
    pub(crate) fn finish(
        mut self,
        (module, program): (&Module, &Program),
        mut recorder: Recorder<'_>,
        failure: Option<String>,
    ) -> Recording {
        let insts: Vec<Inst> = program.blocks().flatten().collect();
        self.log.statements = vec![0; insts.len()];
        for number in self.order {
            let Block { statements, count, .. } = &self.blocks[number as usize];
            for (place, at) in statements.clone().zip(0..) {
                let mut count = *count;
                if number == self.last && self.cut.is_some_and(|it| at >= it) {
                    count.count -= 1;
                    count.lanes -= self.count;
                }
                let data = module.inst(insts[place]);
                if let Op::Note(note) = &data.op
                    && let Note::Statement { scope, .. } = **note
                    && count.count > 0
                {
                    self.log.statements[place] = recorder.count(data.span, scope, count);
                }
            }
        }
        self.log.blocks = self.blocks.into_iter().map(|it| it.statements).collect();
        let is_complete = !self.is_full && self.steps <= MOST_STEPS;
        recorder.finish_log(self.log, is_complete, failure)
    }

    /// Another wave runs.
    #[inline(never)]
    fn turn(&mut self, at: At) {
        let first = match self.newest {
            Some((group, first)) if group == at.group => first,
            _ => *self.groups.get(&at.group).unwrap_or_else(|| {
                unreachable!("the waves of a group begin before their statements")
            }),
        };
        self.number = first + at.wave as usize;
        debug_assert_eq!(self.log.waves[self.number].wave, at.wave, "they begin in their order");
        (self.group, self.wave) = (at.group, at.wave);
        if !self.is_full {
            self.log.turns.push(Turn { entry: self.log.entries.len(), wave: self.number });
        }
    }

    /// Other lanes run.
    #[inline(never)]
    fn change(&mut self, active: LaneMask, live: LaneMask) {
        (self.active, self.live) = (active, live);
        self.count = active.count().into();
        if !self.is_full {
            self.log.sets.push(Sets { entry: self.log.entries.len(), active, live });
        }
    }

    /// Counts a block for which there is no room.
    #[cold]
    fn count_beyond(&mut self, statements: u64) {
        self.is_full = true;
        let beyond = &mut self.log.beyond;
        if beyond.len() <= self.number {
            beyond.resize(self.number + 1, 0);
        }
        beyond[self.number] += statements;
    }
}

impl Observer for Logger {
    const EVENTS: bool = false;
    const NOTES: bool = true;
    const POISON: bool = false;

    fn wave_begin(&mut self, at: At) {
        if self.newest.is_none_or(|it| it.0 != at.group) {
            let first = self.log.waves.len();
            self.newest = Some((at.group, first));
            self.groups.insert(at.group, first);
        }
        self.log.waves.push(Begun { group: at.group, wave: at.wave, lanes: at.active });
    }

    #[inline(always)]
    fn note(&mut self, event: &NoteEvent<'_>) {
        let at = event.at;
        if at.wave != self.wave || at.group != self.group {
            self.turn(at);
        }
        if at.active != self.active || event.live != self.live {
            self.change(at.active, event.live);
        }
        let number = self.by_inst[at.inst.index()];
        let block = &mut self.blocks[number as usize];
        if block.count.count == 0 {
            self.order.push(number);
        }
        block.count.count += 1;
        block.count.lanes += self.count;
        self.last = number;
        let statements = block.statements.len() as u64;
        if self.steps >= MOST_STEPS {
            return self.count_beyond(statements);
        }
        self.steps += statements;
        self.log.entries.push(number);
    }
}
