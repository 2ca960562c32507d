//! Whether the pieces of waves can be regrouped at joint constructs.
//!
//! In the canonical order a wave runs from one barrier to the next before another wave runs. Where a joint construct begins,
//! ends or iterates in between, its code consists of several pieces, and a frame runs the first piece of all waves before
//! the second piece of any (loop fission without a barrier). The difference is visible only if one of these pieces writes
//! memory that another one accesses. Only a race can make use of that, but the results of a race are canonical, too.

use std::collections::{BTreeMap, BTreeSet};

use ir::facts::Space;
use ir::{Inst, Module, Op, Place, Region, ResourceKind, Shared};

use super::joint::is_barrier;

/// Memory that cannot alias. Descriptors may stand for the same bytes, so all resources are one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Area {
    Resources,
    Shared(Shared),
}

/// What pieces access.
#[derive(Clone, Default, PartialEq)]
struct Accessed {
    all: BTreeSet<Area>,
    written: BTreeSet<Area>,
}

impl Accessed {
    fn join(&mut self, other: &Accessed) {
        self.all.extend(&other.all);
        self.written.extend(&other.written);
    }

    fn conflicts(&self, other: &Accessed) -> bool {
        !self.written.is_disjoint(&other.all) || !self.all.is_disjoint(&other.written)
    }
}

/// Whether every order of pieces between two barriers leaves the same.
pub(super) fn commute(module: &Module, joint: &[bool]) -> bool {
    let mut walk = Walk { module, joint, exits: BTreeMap::new(), commutes: true };
    walk.region(module.body, Some(Accessed::default()));
    walk.commutes
}

struct Walk<'a> {
    module: &'a Module,
    joint: &'a [bool],
    /// By construct: what has been accessed since a barrier where waves leave it.
    exits: BTreeMap<Inst, Accessed>,
    commutes: bool,
}

impl Walk<'_> {
    /// Walks a joint region from what earlier pieces have accessed since the last barrier; returns that at its end, if waves
    /// get there.
    fn region(&mut self, region: Region, mut earlier: Option<Accessed>) -> Option<Accessed> {
        let mut piece = Accessed::default();
        for inst in &self.module.region(region).insts {
            if !self.joint[inst.index()] {
                self.access(*inst, &mut piece);
                continue;
            }
            if let Some(earlier) = &mut earlier {
                self.commutes &= !earlier.conflicts(&piece);
                earlier.join(&piece);
            }
            piece = Accessed::default();
            earlier = self.joint(*inst, earlier);
        }
        earlier
    }

    fn joint(&mut self, inst: Inst, earlier: Option<Accessed>) -> Option<Accessed> {
        let earlier = earlier?;
        match &self.module.inst(inst).op {
            op if is_barrier(op) => Some(Accessed::default()),
            Op::Exit { to, .. } => {
                self.exits.entry(*to).or_default().join(&earlier);
                None
            }
            Op::If { then, else_, .. } => {
                let arms = [*then, *else_].map(|it| self.region(it, Some(earlier.clone())));
                self.either(inst, arms)
            }
            Op::Block { body } => {
                let end = self.region(*body, Some(earlier));
                self.either(inst, [end, None])
            }
            Op::Loop { body, .. } => {
                let mut begin = earlier;
                while let Some(end) = self.region(*body, Some(begin.clone())) {
                    let before = begin.clone();
                    begin.join(&end);
                    if begin == before {
                        break;
                    }
                }
                self.either(inst, [None, None])
            }
            _ => Some(earlier),
        }
    }

    /// What has been accessed behind a construct: at the ends of its regions, and where waves leave it.
    fn either(&mut self, inst: Inst, ends: [Option<Accessed>; 2]) -> Option<Accessed> {
        let ways = ends.into_iter().chain([self.exits.remove(&inst)]).flatten();
        ways.reduce(|mut all, way| {
            all.join(&way);
            all
        })
    }

    fn access(&self, inst: Inst, piece: &mut Accessed) {
        let op = &self.module.inst(inst).op;
        let is_constant = |place: Place| {
            matches!(self.module.resource(place.binding).kind, ResourceKind::Constant { .. })
        };
        if let Some((space, access)) = op.effects().memory() {
            let area = match space {
                // Nothing writes them.
                Space::Resource(place) if is_constant(place) => None,
                Space::Resource(_) | Space::Counter(_) => Some(Area::Resources),
                Space::Shared(memory) => Some(Area::Shared(memory)),
                Space::Private(_) | Space::Queries => None,
            };
            piece.all.extend(area);
            if access.writes() {
                piece.written.extend(area);
            }
        }
        for region in op.regions() {
            self.module.region(region).insts.iter().for_each(|it| self.access(*it, piece));
        }
    }
}
