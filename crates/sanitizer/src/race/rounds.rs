//! The iterations of loops in which accesses are made.
//!
//! The stacks of loops are a tree, to whose nodes the records of accesses refer: a node is added only in iterations
//! that access memory.

use ir::Inst;

/// A node of the tree, or 0 outside of loops.
pub(super) type RoundId = u32;

/// An iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) of: Inst,
    pub(super) number: u32,
}

/// All iterations that records refer to.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    nodes: Vec<(RoundId, Round)>,
}

/// The loops that a wave is in, outermost first, each with its node if there is one.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    rounds: Vec<(Round, RoundId)>,
}

impl Stack {
    /// Lanes enter a loop.
    pub(super) fn enter(&mut self, of: Inst) {
        self.leave(of);
        self.rounds.push((Round { of, number: 1 }, 0));
    }

    /// Lanes begin another iteration of a loop.
    pub(super) fn next_round(&mut self, of: Inst) {
        let Some(at) = self.position(of) else { return };
        self.rounds.truncate(at + 1);
        let (round, node) = &mut self.rounds[at];
        (round.number, *node) = (round.number + 1, 0);
    }

    /// A loop has ended.
    pub(super) fn leave(&mut self, of: Inst) {
        if let Some(at) = self.position(of) {
            self.rounds.truncate(at);
        }
    }

    fn position(&self, of: Inst) -> Option<usize> {
        self.rounds.iter().position(|it| it.0.of == of)
    }

    /// The node of the current iterations.
    pub(super) fn node(&mut self, all: &mut Rounds) -> RoundId {
        match self.rounds.last() {
            None => 0,
            Some((_, node)) if *node != 0 => *node,
            Some(_) => self.rounds.iter_mut().fold(0, |parent, (round, node)| {
                if *node == 0 {
                    all.nodes.push((parent, *round));
                    *node = all.nodes.len() as RoundId;
                }
                *node
            }),
        }
    }
}

impl Rounds {
    /// The iterations of a node, outermost first.
    pub(super) fn of(&self, node: RoundId) -> Vec<Round> {
        let get = |node: RoundId| self.nodes.get((node as usize).checked_sub(1)?);
        let up = std::iter::successors(get(node), |it| get(it.0));
        let mut all: Vec<Round> = up.map(|it| it.1).collect();
        all.reverse();
        all
    }
}
