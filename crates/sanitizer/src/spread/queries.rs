//! Tags through ray queries: a map for each wave, by handle and lane. A tag that enters a query with its ray, its flags
//! or a committed distance is on everything that the query answers, until it is traced again.

use interp::observe::RayEvent;
use ir::RayOp;

use super::{Cause, Spread, Tag, either};
use crate::hash::HashMap;
use crate::rays::kind_of;

/// The tags of the queries of one wave.
#[derive(Default)]
pub(super) struct Queries {
    /// By handle and lane.
    tags: HashMap<(u32, u32), Tag>,
    /// By lane, where any query may have changed that has not been traced since.
    whole: HashMap<u32, Tag>,
}

impl Queries {
    fn tag(&self, handle: u32, lane: u32) -> Tag {
        let whole = self.whole.get(&lane);
        self.tags.get(&(handle, lane)).or(whole).copied().unwrap_or(0)
    }

    fn set(&mut self, handle: u32, lane: u32, tag: Tag) {
        if tag != 0 || self.whole.contains_key(&lane) {
            self.tags.insert((handle, lane), tag);
        } else {
            self.tags.remove(&(handle, lane));
        }
    }

    /// Any query of a lane may have changed.
    pub(super) fn spoil(&mut self, lane: u32, tag: Tag) {
        self.tags.iter_mut().filter(|it| it.0.1 == lane).for_each(|it| *it.1 = either(*it.1, tag));
        self.whole.entry(lane).or_insert(tag);
    }
}

impl Spread<'_> {
    /// Lanes have executed an instruction of a ray query.
    pub(super) fn asked(&mut self, event: &RayEvent<'_>) {
        let (at, module) = (event.at, self.facts.module);
        let operands = module.inst(at.inst).op.operands();
        let mut wrong: Vec<Tag> = vec![0; self.width as usize];
        for (lane, it) in event.wrong {
            let cause = Cause { kind: kind_of(*it), span: at.span };
            wrong[*lane as usize] = either(wrong[*lane as usize], self.reach.tag(cause));
        }
        let wave = self.groups.of(at.group).wave(at.wave);
        let mut told = vec![0; self.width as usize];
        for lane in at.active.iter() {
            let handle = event.handles[lane as usize];
            let given = operands.iter().map(|it| wave.tag(*it, lane)).find(|it| *it != 0);
            let own = either(wrong[lane as usize], given.unwrap_or(0));
            let known = wave.queries.tag(handle, lane);
            let control = wave.control(lane);
            let tag = match event.op {
                RayOp::Allocate | RayOp::Trace => either(own, control),
                RayOp::CommitProcedural => either(either(known, own), control),
                RayOp::Proceed | RayOp::Abort | RayOp::CommitTriangle => {
                    either(either(known, given.unwrap_or(0)), control)
                }
                RayOp::Get(..) => known,
            };
            wave.is_tagged |= tag != 0;
            wave.queries.set(handle, lane, tag);
            told[lane as usize] = either(own, tag);
        }
        if !module.inst(at.inst).results.is_empty() {
            wave.pending = Some((at.inst, told));
        }
    }
}
