//! [`RayOp::Proceed`] for the lanes of a wave together: an engine may wait for the memory of many searches at once.

use ops::ray::{Proceeding, Query, Scene, Search, Vector, proceed_together};

use super::{Queries, RayCall};
use crate::{Binding, Operands};

impl Queries {
    /// [`super::RayOp::Proceed`] for many lanes, in code that is compiled for the vectors of the caller. `answer` takes
    /// what a lane is answered, in any order of lanes; wrong uses are answered, but not reported.
    #[inline(always)]
    pub fn proceed_together<'s, V: Vector, T: Copy>(
        &mut self,
        call: &RayCall<T>,
        operands: &impl Operands<T>,
        lanes: impl Iterator<Item = u32>,
        search: &Search,
        scene: impl Fn(Binding, u32) -> Option<&'s Scene>,
        answer: impl FnMut(u32, bool),
    ) {
        let handle = |lane: u32| call.handle(operands, lane);
        let mut lanes = Lanes { queries: self, lanes, handle, scene, answer };
        proceed_together::<V>(&mut lanes, search);
    }
}

/// The lanes that proceed, and how the engine finds what they name.
struct Lanes<'q, L, H, S, A> {
    queries: &'q mut Queries,
    lanes: L,
    handle: H,
    scene: S,
    answer: A,
}

impl<'s, L, H, S, A> Proceeding<'s> for Lanes<'_, L, H, S, A>
where
    L: Iterator<Item = u32>,
    H: Fn(u32) -> u32,
    S: Fn(Binding, u32) -> Option<&'s Scene>,
    A: FnMut(u32, bool),
{
    /// A lane, and where its query is.
    type Handle = (u32, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(u32, usize)> {
        for lane in self.lanes.by_ref() {
            match self.queries.find((self.handle)(lane), lane) {
                Some(at) => return Some((lane, at)),
                // The query has been replaced.
                None => (self.answer)(lane, false),
            }
        }
        None
    }

    #[inline(always)]
    fn query(&mut self, (_, at): (u32, usize)) -> (&mut Query, Option<&'s Scene>) {
        self.queries.traced_query(at, &self.scene)
    }

    #[inline(always)]
    fn answer(&mut self, (lane, _): (u32, usize), proceeds: bool) {
        (self.answer)(lane, proceeds);
    }
}
