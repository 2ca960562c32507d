//! Walks the tree of regions in execution order, without recursion.
//!
//! Row allocation and decoding both follow this walk, so that they agree on the order of instructions.
//! It does not visit operands.

use ir::{Inst, Module, Region};

/// A step of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// An instruction that is neither a construct nor a terminator.
    Plain(Inst),
    /// A construct starts.
    Begin(Inst),
    /// The region with this index inside a construct starts; `None` is the body of the module.
    Open {
        construct: Option<Inst>,
        index: usize,
        region: Region,
    },
    /// The last instruction of the open region.
    Terminator(Inst),
    Close {
        construct: Option<Inst>,
        index: usize,
    },
    /// A construct ends, after its last region.
    End(Inst),
}

/// The walk through one module.
pub(crate) struct Walk<'m> {
    module: &'m Module,
    stack: Vec<Cursor>,
}

struct Cursor {
    construct: Option<Inst>,
    regions: Vec<Region>,
    index: usize,
    phase: Phase,
}

#[derive(Clone, Copy)]
enum Phase {
    Before,
    Between,
    /// In the region `index`, before the instruction with this number.
    Inside(usize),
}

impl<'m> Walk<'m> {
    pub(crate) fn new(module: &'m Module) -> Walk<'m> {
        let body =
            Cursor { construct: None, regions: vec![module.body], index: 0, phase: Phase::Between };
        Walk { module, stack: vec![body] }
    }
}

impl Iterator for Walk<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            let top = self.stack.last_mut()?;
            match top.phase {
                Phase::Before => {
                    top.phase = Phase::Between;
                    return top.construct.map(Event::Begin);
                }
                Phase::Between => {
                    let Some(region) = top.regions.get(top.index) else {
                        let construct = top.construct;
                        self.stack.pop();
                        return construct.map(Event::End);
                    };
                    top.phase = Phase::Inside(0);
                    return Some(Event::Open {
                        construct: top.construct,
                        index: top.index,
                        region: *region,
                    });
                }
                Phase::Inside(next) => {
                    let insts = &self.module.region(top.regions[top.index]).insts;
                    let Some(inst) = insts.get(next) else {
                        let event = Event::Close { construct: top.construct, index: top.index };
                        top.phase = Phase::Between;
                        top.index += 1;
                        return Some(event);
                    };
                    top.phase = Phase::Inside(next + 1);
                    let op = &self.module.inst(*inst).op;
                    if op.is_terminator() {
                        // Nothing executes after a terminator.
                        top.phase = Phase::Inside(insts.len());
                        return Some(Event::Terminator(*inst));
                    }
                    if !op.is_construct() {
                        return Some(Event::Plain(*inst));
                    }
                    self.stack.push(Cursor {
                        construct: Some(*inst),
                        regions: op.regions().into_vec(),
                        index: 0,
                        phase: Phase::Before,
                    });
                }
            }
        }
    }
}
