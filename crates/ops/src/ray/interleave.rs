//! Queries that proceed together, those of a wave: their searches advance in turns, by a node or a leaf at a time
//! (Kocberber, Falsafi and Grot, "Asynchronous Memory Access Chaining", 2015).
//!
//! What a search reads next follows from what it has read, so a search alone spends most of its time waiting for
//! memory. Here each prefetches its memory, and the others advance in the meantime. What a search finds does not depend
//! on those beside it.

use super::query::{Begun, Query};
use super::scene::Scene;
use super::search::{Admissible, Search};
use super::tree::{Closest, Find};
use super::vector::Vector;

/// How many searches of a wave advance in turns. PERF: in a terrain of a million triangles, rays take 0.76 of the time
/// with two, 0.62 with four and 0.54 with eight; but eight take a tenth longer than four where triangles are dense.
const ABREAST: usize = 4;

/// Queries that proceed together. A trait, because closures are compiled without the instructions of the caller.
pub trait Proceeding<'s> {
    /// How the caller finds a query.
    type Handle: Copy;

    /// The next query; after the last one always `None`.
    fn next(&mut self) -> Option<Self::Handle>;

    /// A query, and the scene of its last trace.
    fn query(&mut self, place: Self::Handle) -> (&mut Query, Option<&'s Scene>);

    /// Takes the answer to a query.
    fn answer(&mut self, place: Self::Handle, proceeds: bool);
}

/// [`Query::proceed`] for many queries, in code that is compiled for the vectors of the caller.
#[inline(always)]
pub fn proceed_together<'s, V: Vector>(queries: &mut impl Proceeding<'s>, search: &Search) {
    interleave::<V, ABREAST>(queries, search);
}

/// A search among others.
struct Turn<'s, P> {
    /// Whose search it is, and of which scene; `None` if it is over.
    of: Option<(P, &'s Scene)>,
    find: Find<'s, Closest>,
}

/// The same with this many searches at a time.
#[inline(always)]
pub(super) fn interleave<'s, V: Vector, const ABREAST: usize>(
    queries: &mut impl Proceeding<'s>,
    search: &Search,
) {
    let mut turns: [_; ABREAST] =
        std::array::from_fn(|_| Turn { of: None, find: Find::idle(Closest::default()) });
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        for turn in &mut turns {
            let (place, begun) = match turn.of {
                Some((place, scene)) => {
                    goes_on = true;
                    if turn.find.step::<V>() {
                        continue;
                    }
                    let (query, _) = queries.query(place);
                    (place, query.found(scene, turn.find.keep.best.as_ref()))
                }
                None => {
                    let Some(place) = queries.next() else { continue };
                    goes_on = true;
                    let (query, scene) = queries.query(place);
                    (place, query.begin(scene, search))
                }
            };
            match begun {
                Begun::Searching { scene, any } => {
                    let wanted = queries.query(place).0.wanted(Admissible::CANONICAL);
                    turn.find.start(scene, wanted, Closest { best: None, any });
                    turn.of = Some((place, scene));
                }
                Begun::Answered(proceeds) => {
                    queries.answer(place, proceeds);
                    turn.of = None;
                }
            }
        }
    }
}
