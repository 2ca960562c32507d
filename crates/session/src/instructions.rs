//! Instructions: the listing of a program, the positions of waves in it, and breakpoints on instructions.
//!
//! The listing has the instructions of the program as compiled without notes, in the order of its text: what
//! `wavelane emit --ir` prints. A wave stands before an instruction when the next code that the engine runs is the
//! first of that instruction; constants have no codes. Constructs have several parts, such as their begin and their
//! end, and a wave stands before each.

use std::collections::HashMap;
use std::ops::Range;

use diag::Span;
use ir::notes::{Note, VariableId};
use ir::{Inst, Module, Op, Region};

use crate::expression::{Refused, quantified};
use crate::session::{Back, Session};
use crate::waves::WaveId;

/// A breakpoint on an instruction.
#[derive(Clone, Debug)]
pub struct InstructionBreakpoint {
    /// A number in the listing.
    pub number: usize,
    /// An expression that must hold in an active lane; in all of them, if it is `all(…)`.
    pub condition: Option<String>,
}

/// An instruction in the listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its text, with blanks before it for each construct that it is in.
    pub text: String,
    /// The region of which it is the first instruction.
    pub region: Option<String>,
    /// Where it comes from.
    pub span: Span,
}

/// All instructions of a program, in the order of its text.
pub(crate) struct Listing {
    /// The program without notes.
    plain: Module,
    lines: Vec<Listed>,
    /// The numbers of the instructions of the module with notes.
    numbers: HashMap<Inst, usize>,
}

struct Listed {
    /// Its number in the program without notes.
    inst: Inst,
    /// The region of which it is the first.
    region: Option<Region>,
    /// The number of constructs around it.
    depth: usize,
    /// The variables visible at its statement.
    innermost: Option<VariableId>,
}

impl Listing {
    pub(crate) fn of(module: &Module) -> Listing {
        let stripped = ir::notes::strip(module);
        let mut listing =
            Listing { plain: stripped.module, lines: Vec::new(), numbers: HashMap::new() };
        let mut innermost = None;
        // Depth first, without recursion: regions may be nested deeply. A region begins before its first own
        // instruction.
        let mut open = vec![(module.body, 0, 0, true)];
        while let Some((region, next, depth, mut is_first)) = open.pop() {
            let Some(inst) = module.regions[region.index()].insts.get(next).copied() else {
                continue;
            };
            if let Op::Note(note) = &module.inst(inst).op
                && let Note::Statement { innermost: visible, .. } = **note
            {
                innermost = visible;
            }
            if let Some(own) = stripped.insts[inst.index()] {
                listing.numbers.insert(inst, listing.lines.len());
                let region = is_first.then_some(region);
                listing.lines.push(Listed { inst: own, region, depth, innermost });
                is_first = false;
            }
            open.push((region, next + 1, depth, is_first));
            let inner = module.inst(inst).op.regions();
            open.extend(inner.into_iter().rev().map(|it| (it, 0, depth + 1, true)));
        }
        listing
    }
}

impl Session {
    /// The number of instructions in the listing.
    pub fn instructions(&self) -> usize {
        self.listing.lines.len()
    }

    /// A part of the listing.
    pub fn listed(&self, range: Range<usize>) -> Vec<Line> {
        let Listing { plain, lines, .. } = &self.listing;
        let line = |it: &Listed| Line {
            text: format!("{:1$}{2}", "", 2 * it.depth, ir::text::print_inst(plain, it.inst)),
            region: it.region.map(|it| it.to_string()),
            span: plain.inst(it.inst).span,
        };
        lines.get(range).unwrap_or(&[]).iter().map(line).collect()
    }

    /// The number of the instruction that the wave runs next.
    pub fn instruction(&self, wave: WaveId) -> Option<usize> {
        let mut waves = self.run.waves(&self.program);
        let found = waves.find(|it| (it.group(), it.index()) == wave)?;
        found.upcoming().find_map(|it| self.listing.numbers.get(&it).copied())
    }

    /// Whether a condition can be evaluated where an instruction stands.
    pub fn check_at(&self, number: usize, condition: &str) -> Result<(), Refused> {
        let Some(line) = self.listing.lines.get(number) else { return Ok(()) };
        crate::eval::check(self, line.innermost, quantified(condition).0)
    }

    /// Replaces all breakpoints of instructions. Returns for each whether waves can stop there.
    pub fn instruction_breakpoints(&mut self, all: Vec<InstructionBreakpoint>) -> Vec<bool> {
        let ran: Vec<Inst> = self.program.insts().collect();
        let numbers: std::collections::HashSet<usize> =
            ran.iter().filter_map(|it| self.listing.numbers.get(it).copied()).collect();
        let can_stop = all.iter().map(|it| numbers.contains(&it.number)).collect();
        self.at_instructions = all;
        can_stop
    }

    /// The wave that stands before an instruction, and the instruction in the module with notes.
    pub(crate) fn instruction_here(&self) -> Option<(WaveId, Inst)> {
        let next = self.run.next(&self.program)?;
        let inst = next.inst();
        let wave = (next.group(), next.index());
        // Before its first statement a wave has no variables to look at.
        let has_begun = || self.wave(wave).is_some_and(|it| it.at.is_some());
        let is_listed = self.listing.numbers.contains_key(&inst);
        (is_listed && next.is_at_begin() && has_begun()).then_some((wave, inst))
    }

    /// The breakpoints of an instruction before which the wave stands, and whose conditions hold.
    pub(crate) fn hits_of(&self, wave: WaveId, inst: Inst) -> Vec<usize> {
        let Some(number) = self.listing.numbers.get(&inst) else { return Vec::new() };
        let all = self.at_instructions.iter().enumerate().filter(|it| it.1.number == *number);
        // An expression that cannot be evaluated here does not stop the run.
        let holds = |it: &InstructionBreakpoint| match &it.condition {
            Some(condition) => self.holds(wave, condition).unwrap_or(false),
            None => true,
        };
        all.filter(|it| holds(it.1)).map(|it| it.0).collect()
    }

    /// Those where the run stands.
    pub(crate) fn hits_here(&self, wave: WaveId) -> Vec<usize> {
        match self.instruction_here() {
            Some((at, inst)) if at == wave => self.hits_of(wave, inst),
            _ => Vec::new(),
        }
    }

    /// Whether going back stops before this instruction.
    pub(crate) fn is_wanted_at(&self, until: Back, wave: WaveId, inst: Inst) -> bool {
        match until {
            Back::Instruction(of) => of == wave,
            Back::Break => !self.hits_of(wave, inst).is_empty(),
            Back::Into(_) => false,
        }
    }

    /// The same where the run stands.
    pub(crate) fn stands_where(&self, until: Back) -> bool {
        self.instruction_here().is_some_and(|(wave, inst)| self.is_wanted_at(until, wave, inst))
    }
}
