//! What the variables of the waves in flight hold, from the notes of the run.
//!
//! Of each variable, each lane has what it wrote last, whether it is active or not.

use std::collections::BTreeMap;
use std::sync::Arc;

use interp::observe::{At, NoteEvent, Observer};
use ir::Span;
use ir::notes::{Note, Notes, ScopeId, VariableId};
use ops::LaneMask;

/// A wave: its group, and its index there.
pub type WaveId = ([u32; 3], u32);

/// The values of one scalar of a variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The bits of each lane.
    pub bits: Vec<u64>,
    /// The lanes that have written it.
    pub written: LaneMask,
    /// The lanes whose value is undefined.
    pub poison: LaneMask,
}

/// A statement that a wave begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statement {
    /// Its number among all statements that waves of the run begin.
    pub tick: u64,
    /// Its number among those of its wave.
    pub step: u64,
    pub span: Span,
    pub active: LaneMask,
    pub live: LaneMask,
    pub scope: ScopeId,
    pub innermost: Option<VariableId>,
}

/// A wave as its notes show it.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The lanes that it started with.
    pub lanes: LaneMask,
    /// The statement that it began last.
    pub at: Option<Statement>,
    /// The rows of each variable that has been written, one for each scalar.
    rows: BTreeMap<VariableId, Vec<Row>>,
    steps: u64,
    /// For each function that it is in, the statement with the call; and the one that goes on after a call.
    calls: BTreeMap<ScopeId, Statement>,
    resumed: Option<Statement>,
    /// All its lanes have returned.
    pub has_ended: bool,
}

/// All waves in flight.
#[derive(Clone, Debug)]
pub struct Waves {
    notes: Arc<Notes>,
    width: u32,
    waves: BTreeMap<WaveId, Seen>,
    /// The number of statements that waves have begun.
    pub ticks: u64,
}

impl Waves {
    pub fn new(notes: Arc<Notes>, width: u32) -> Waves {
        Waves { notes, width, waves: BTreeMap::new(), ticks: 0 }
    }

    pub fn wave(&self, wave: WaveId) -> Option<&Seen> {
        self.waves.get(&wave)
    }

    /// The waves whose groups have not ended, in order.
    pub fn waves(&self) -> impl Iterator<Item = (WaveId, &Seen)> {
        self.waves.iter().map(|(id, seen)| (*id, seen))
    }

    fn write(&mut self, at: At, variable: VariableId, first: u32, event: &NoteEvent<'_>) {
        let width = self.width as usize;
        let scalars = self.notes.variable(variable).scalars.len();
        let seen = self.waves.entry((at.group, at.wave)).or_default();
        let rows = seen
            .rows
            .entry(variable)
            .or_insert_with(|| vec![Row { bits: vec![0; width], ..Row::default() }; scalars]);
        let rows = rows[first as usize..].iter_mut();
        for (row, (values, poison)) in rows.zip(event.values) {
            at.active.iter().for_each(|lane| row.bits[lane as usize] = values.get(lane));
            row.written |= at.active;
            row.poison = row.poison & !at.active | *poison & at.active;
        }
    }

    /// No lane of these has written a variable of the scope.
    fn forget(&mut self, at: At, scope: ScopeId) {
        let notes = &self.notes;
        let Some(seen) = self.waves.get_mut(&(at.group, at.wave)) else { return };
        for (variable, rows) in &mut seen.rows {
            if notes.variable(*variable).scope == Some(scope) {
                rows.iter_mut().for_each(|row| row.written &= !at.active);
            }
        }
    }
}

impl Seen {
    /// The statement that it executes: the last one that it began, or after a call the one with the call.
    pub fn here(&self) -> Option<Statement> {
        self.resumed.or(self.at)
    }

    pub fn tick(&self) -> Option<u64> {
        self.here().map(|it| it.tick)
    }

    /// The rows of a variable, one for each scalar; `None` if no lane has written it.
    pub fn rows(&self, variable: VariableId) -> Option<&[Row]> {
        self.rows.get(&variable).map(Vec::as_slice)
    }
}

impl Observer for Waves {
    const INDIRECT: bool = true;

    fn wave_begin(&mut self, at: At) {
        self.waves.insert((at.group, at.wave), Seen { lanes: at.active, ..Seen::default() });
    }

    fn wave_end(&mut self, at: At) {
        if let Some(seen) = self.waves.get_mut(&(at.group, at.wave)) {
            seen.has_ended = true;
        }
    }

    fn group_end(&mut self, group: [u32; 3]) {
        self.waves.retain(|(of, _), _| *of != group);
    }

    fn note(&mut self, event: &NoteEvent<'_>) {
        let at = event.at;
        match event.note {
            Note::Statement { scope, innermost } => {
                let tick = self.ticks;
                self.ticks += 1;
                let seen = self.waves.entry((at.group, at.wave)).or_default();
                let step = seen.steps;
                seen.steps += 1;
                let (span, active, live) = (at.span, at.active, event.live);
                let (scope, innermost) = (*scope, *innermost);
                seen.resumed = None;
                seen.at = Some(Statement { tick, step, span, active, live, scope, innermost });
            }
            Note::Write { variable, first, .. } => self.write(at, *variable, *first, event),
            Note::Call { scope } => {
                self.forget(at, *scope);
                if let Some(seen) = self.waves.get_mut(&(at.group, at.wave)) {
                    seen.calls.extend(seen.here().map(|it| (*scope, it)));
                }
            }
            Note::Return { scope } => {
                if let Some(seen) = self.waves.get_mut(&(at.group, at.wave)) {
                    seen.resumed = seen.calls.get(scope).copied();
                }
            }
        }
    }
}
