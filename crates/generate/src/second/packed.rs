//! Pixel shaders in the waves of a device, and what the language leaves undefined there.
//!
//! A device packs quads in any way and keeps those of helper lanes, so it reports which thread each lane is. What
//! helper lanes receive from wave operations is undefined, and a device need not give them what ours do. Quad
//! operations and derivatives carry such values on, so each value is tagged lane by lane, and so is what it decides
//! about: a helper lane that an undefined condition may have led elsewhere computes nothing defined until it is
//! together with the others again, and a participant takes its whole wave with it.

use super::values::Vals;
use super::{Frame, Run, Running, Seen, State, Tangle, Wave};
use crate::{Program, Stmt};

/// A wave as a device packed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The thread of each lane; `None` where there is none.
    pub threads: Vec<Option<u32>>,
    /// Bits of the lanes that are helper lanes from the start.
    pub helpers: u128,
}

impl Packed {
    pub(super) fn lanes(&self) -> Tangle {
        (0..).zip(&self.threads).filter(|it| it.1.is_some()).map(|it| it.0).collect()
    }

    pub(super) fn thread(&self, lane: u32) -> u32 {
        let thread = self.threads.get(lane as usize).copied().flatten();
        thread.unwrap_or_else(|| unreachable!("only lanes that exist run"))
    }
}

/// What a program leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    pub log: Vec<u32>,
    /// Which words of the log the language leaves undefined.
    pub undefined: Vec<bool>,
}

/// What wave operations give where their result is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// What our engines give.
    Ours,
    /// Something else, as a device may.
    Other,
}

/// Runs a pixel shader in waves that are packed like this.
pub fn replayed<'a>(
    program: &'a Program,
    width: u32,
    waves: &'a [Packed],
    undefined: Undefined,
) -> Replayed {
    let mut log = vec![0; program.words()];
    let gives_others = undefined == Undefined::Other;
    let (group, seen) = (&mut Running::default(), &mut Seen { gives_others, ..Seen::default() });
    let main = program.functions.last().unwrap_or_else(|| unreachable!("a program has a main"));
    let state = |packed: &'a Packed| {
        let Packed { helpers, .. } = packed;
        let lanes = packed.lanes();
        State {
            first: 0,
            packed: Some(packed),
            lanes,
            helpers: lanes.partition(|lane| helpers >> lane & 1 == 1).0,
            gone: Tangle::default(),
            is_lost: false,
            lost_at: None,
            frame: Frame::new(main, width, lanes),
        }
    };
    let mut states: Vec<State<'_>> = waves.iter().map(state).collect();
    Run { program, width, group, log: &mut log, seen }.waves(main, &mut states);
    let mut undefined = vec![false; log.len()];
    seen.undefined.iter().for_each(|it| undefined[*it] = true);
    for (state, packed) in states.iter().zip(waves) {
        let Some(lost_at) = state.lost_at else { continue };
        // What was logged before stays.
        let mut places = Vec::new();
        places_of(&main.body[lost_at..], &mut places);
        let others = program.functions.split_last().map_or(&[][..], |it| it.1);
        others.iter().for_each(|it| places_of(&it.body, &mut places));
        for lane in state.frame.entered {
            let first = packed.thread(lane) as usize * program.places;
            places.iter().for_each(|it| undefined[first + it] = true);
        }
    }
    Replayed { log, undefined }
}

impl Wave<'_> {
    /// The lanes that receive nothing defined from wave operations.
    pub(super) fn excluded(&self) -> Tangle {
        if self.participate() { Tangle::default() } else { self.helpers }
    }

    /// Lanes decide by values where to go.
    pub(super) fn decide(&mut self, by: &[Vals], lanes: Tangle) {
        let (undefined, _) = lanes.partition(|lane| by[lane as usize].is_undefined());
        if undefined.without(self.excluded()).is_empty() {
            self.astray.extend(undefined);
        } else {
            self.astray = Tangle::first(self.width);
            self.is_lost = true;
        }
    }

    /// All lanes are together behind statements of `main`; what those may have assigned that went astray is undefined.
    pub(super) fn return_astray(&mut self, behind: &[Stmt], frame: &mut Frame<'_>) {
        if self.astray.is_empty() {
            return;
        }
        let mut assigned = Vec::new();
        locals_of(behind, &mut assigned);
        for local in assigned {
            for lane in self.astray {
                let value = &mut frame.locals[local][lane as usize];
                *value = std::mem::take(value).undefined_if(true);
            }
        }
    }
}

/// The locals that statements assign, some of them repeatedly.
fn locals_of(stmts: &[Stmt], found: &mut Vec<usize>) {
    each(stmts, &mut |stmt| match stmt {
        Stmt::Assign(local, _) | Stmt::Exchange { local, .. } => found.push(*local),
        Stmt::For { counter, .. } | Stmt::DoWhile { counter, .. } => found.push(*counter),
        _ => {}
    });
}

/// The places of the log that statements write.
fn places_of(stmts: &[Stmt], found: &mut Vec<usize>) {
    each(stmts, &mut |stmt| {
        if let Stmt::Log { place, .. } = stmt {
            found.push(*place);
        }
    });
}

/// Visits statements, and those within them.
fn each(stmts: &[Stmt], visit: &mut dyn FnMut(&Stmt)) {
    for stmt in stmts {
        visit(stmt);
        match stmt {
            Stmt::If(_, then, otherwise) => {
                each(then, visit);
                each(otherwise, visit);
            }
            Stmt::For { body, .. } | Stmt::DoWhile { body, .. } => each(body, visit),
            Stmt::Switch(_, groups) => groups.iter().for_each(|it| each(&it.body, visit)),
            Stmt::Assign(..)
            | Stmt::Exchange { .. }
            | Stmt::Break
            | Stmt::Continue
            | Stmt::Discard
            | Stmt::Return(_)
            | Stmt::Count(..)
            | Stmt::Counts { .. }
            | Stmt::Output { .. }
            | Stmt::Log { .. } => {}
        }
    }
}
