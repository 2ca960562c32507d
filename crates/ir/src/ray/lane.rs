//! The queries of the lanes of a wave, and their instructions for one lane: from operands to [`ops::ray`], and back.
//! Both host engines call this.
//!
//! The engine decides which lanes run, where operands are held, and what is bound.

use std::hash::{Hash, Hasher};

use ops::ray::{CommitResult, Misuse, Query, Ray, Scene, Search, State};

use super::{MOST_SLOTS, RayOp};
use crate::{Binding, Module, Operands, Value};

/// The most results that an instruction has.
const MOST_RESULTS: usize = 12;

/// An instruction with an engine's representation of its operands.
#[derive(Clone, Debug)]
pub struct RayCall<T> {
    pub op: RayOp,
    /// The first slot of a new query, and how many there are.
    slots: (u32, u32),
    /// The bound scenes, and which element of them.
    pub scene: Option<(Binding, Option<T>)>,
    args: Vec<T>,
}

/// What came of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The results, as many as the instruction has.
    pub bits: [u64; MOST_RESULTS],
    pub wrong: Option<Wrong>,
}

/// A use of a query that is undefined. The instruction had no effect, and its results are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// There is no such query any more: it has been replaced by a newer one.
    Stale,
    /// The state of the query does not allow it.
    State(State),
    /// The committed t is outside of the interval that is left, or a NaN.
    OutOfRange,
    /// The scene was built without access to its data.
    DataAccess,
}

/// The queries of the lanes of one wave: a row of lanes for each slot.
#[derive(Clone, Debug, Default)]
pub struct Queries {
    width: usize,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default, Hash)]
struct Slot {
    /// Which of the queries that were made here it is; 0 before the first.
    generation: u32,
    /// The scene of its last trace: a binding and an element.
    scene: Option<(u32, u32)>,
    query: Query,
}

/// A handle is a slot in its low half and a generation in its high half.
const GENERATION: u32 = MOST_SLOTS + 1;

impl<T: Copy> RayCall<T> {
    /// The instruction of a module.
    pub fn new(module: &Module, ray: &super::Ray, mut operand: impl FnMut(Value) -> T) -> Self {
        let slots = ray.query.map_or((0, 0), |it| {
            let before = module.queries[..it.index()].iter().map(|it| it.len).sum();
            (before, module.queries[it.index()].len)
        });
        // The array element comes before the other operands.
        let scene = ray.scene.map(|it| (module.storage(it.binding), it.element.map(&mut operand)));
        RayCall { op: ray.op, slots, scene, args: ray.args.iter().map(|it| operand(*it)).collect() }
    }

    /// All operands.
    pub fn operands(&self) -> impl Iterator<Item = T> {
        let element = self.scene.and_then(|(_, element)| element);
        element.into_iter().chain(self.args.iter().copied())
    }

    /// The flags and the ray of a trace.
    #[inline(always)]
    pub fn traced(&self, operands: &impl Operands<T>, lane: u32) -> (u32, Ray) {
        let float = |i: usize| f32::from_bits(operands.word(self.args[i], lane));
        let ray = Ray {
            origin: [float(3), float(4), float(5)],
            t_min: float(6),
            direction: [float(7), float(8), float(9)],
            t_max: float(10),
        };
        (operands.word(self.args[1], lane), ray)
    }

    /// The handle of a lane, except that of a new query.
    #[inline(always)]
    pub fn handle(&self, operands: &impl Operands<T>, lane: u32) -> u32 {
        operands.word(self.args[0], lane)
    }
}

impl Queries {
    pub fn new(module: &Module, width: usize) -> Queries {
        Queries::of_slots(slots(module), width)
    }

    /// This many slots for each lane.
    pub fn of_slots(slots: u32, width: usize) -> Queries {
        Queries { width, slots: vec![Slot::default(); slots as usize * width] }
    }

    /// Prepares for a new wave.
    pub fn reset(&mut self) {
        self.slots.fill(Slot::default());
    }

    #[inline(always)]
    fn at(&self, slot: u32, lane: u32) -> usize {
        slot as usize * self.width + lane as usize
    }

    /// Where the query of a handle is, if there is one.
    #[inline(always)]
    pub fn find(&self, handle: u32, lane: u32) -> Option<usize> {
        let at = self.at(handle % GENERATION, lane);
        let generation = handle / GENERATION;
        let found = self.slots.get(at)?;
        (generation != 0 && found.generation == generation).then_some(at)
    }

    /// The query at a place that [`Queries::find`] gave.
    pub fn query(&self, at: usize) -> &Query {
        &self.slots[at].query
    }

    /// The query at a place, and the scene of its last trace.
    #[inline(always)]
    pub(super) fn traced_query<'s>(
        &mut self,
        at: usize,
        scene: &impl Fn(Binding, u32) -> Option<&'s Scene>,
    ) -> (&mut Query, Option<&'s Scene>) {
        let slot = &mut self.slots[at];
        let bound = slot.scene.and_then(|(binding, element)| scene(Binding(binding), element));
        (&mut slot.query, bound)
    }

    /// Runs an instruction for a lane. `scene` is what is bound as an element of a binding.
    #[inline(always)]
    pub fn run<'s, T: Copy>(
        &mut self,
        call: &RayCall<T>,
        operands: &impl Operands<T>,
        lane: u32,
        search: &Search,
        scene: impl Fn(Binding, u32) -> Option<&'s Scene>,
    ) -> Answer {
        let mut answer = Answer { bits: [0; MOST_RESULTS], wrong: None };
        if call.op == RayOp::Allocate {
            let (first, len) = call.slots;
            // Declarations name slots by constants.
            let index = operands.word(call.args[0], lane).min(len.saturating_sub(1));
            answer.bits[0] = u64::from(self.allocate(first + index, lane));
            return answer;
        }
        let Some(at) = self.find(call.handle(operands, lane), lane) else {
            answer.wrong = Some(Wrong::Stale);
            return answer;
        };
        let slot = &mut self.slots[at];
        let query = &mut slot.query;
        let state = query.state();
        let wrong_if = |is_wrong: bool| is_wrong.then_some(Wrong::State(state));
        let bound = slot.scene.and_then(|(binding, element)| scene(Binding(binding), element));
        answer.wrong = match call.op {
            RayOp::Allocate => None,
            RayOp::Trace => {
                let (flags, ray) = call.traced(operands, lane);
                let word = |it| operands.word(it, lane);
                slot.scene =
                    call.scene.map(|(binding, element)| (binding.0, element.map_or(0, word)));
                query.trace(flags, word(call.args[2]), ray);
                None
            }
            RayOp::Proceed => {
                answer.bits[0] = u64::from(query.proceed(bound, search));
                wrong_if(state == State::New)
            }
            RayOp::Abort => wrong_if(!query.abort()),
            RayOp::CommitTriangle => committed(query.commit_triangle(), state),
            RayOp::CommitProcedural => {
                let t = f32::from_bits(operands.word(call.args[1], lane));
                committed(query.commit_procedural(t), state)
            }
            RayOp::Get(which, field) => {
                let mut wrong = None;
                for i in 0..field.components() {
                    let got = query.get(bound, which, field, i);
                    answer.bits[i as usize] = u64::from(got.bits);
                    wrong = wrong.or(got.misuse);
                }
                wrong.map(|it| match it {
                    Misuse::State => Wrong::State(state),
                    Misuse::DataAccess => Wrong::DataAccess,
                })
            }
        };
        answer
    }

    /// A new query in a slot.
    #[inline(always)]
    fn allocate(&mut self, slot: u32, lane: u32) -> u32 {
        let at = self.at(slot, lane);
        let generation = self.slots[at].generation % MOST_SLOTS + 1;
        self.slots[at] = Slot { generation, ..Slot::default() };
        generation * GENERATION + slot
    }
}

/// The states of all queries.
impl Hash for Queries {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.slots.hash(hasher);
    }
}

fn committed(result: CommitResult, state: State) -> Option<Wrong> {
    match result {
        CommitResult::Committed => None,
        CommitResult::WrongState => Some(Wrong::State(state)),
        CommitResult::OutOfRange => Some(Wrong::OutOfRange),
    }
}

/// The number of slots of a lane.
pub fn slots(module: &Module) -> u32 {
    module.queries.iter().map(|it| it.len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operands that are their own values.
    struct Plain;

    impl Operands<u32> for Plain {
        fn word(&self, operand: u32, _: u32) -> u32 {
            operand
        }

        fn bits(&self, operand: u32, _: u32) -> u64 {
            u64::from(operand)
        }
    }

    fn run(queries: &mut Queries, op: RayOp, args: &[u32]) -> Answer {
        let scene = (op == RayOp::Trace).then_some((Binding(0), None));
        let call = RayCall { op, slots: (0, 2), scene, args: args.to_vec() };
        queries.run(&call, &Plain, 3, &Search::BRUTE, |_, _| None)
    }

    #[test]
    fn a_replaced_query_is_stale() {
        let mut queries = Queries::of_slots(2, 4);
        let old = run(&mut queries, RayOp::Allocate, &[1]).bits[0] as u32;
        let trace = [old, 0, 0xff, 0, 0, 0, 0, 0, 0, 1f32.to_bits(), 1f32.to_bits()];
        assert_eq!(run(&mut queries, RayOp::Trace, &trace).wrong, None);
        assert_eq!(run(&mut queries, RayOp::Proceed, &[old]).wrong, None);
        let new = run(&mut queries, RayOp::Allocate, &[1]).bits[0] as u32;
        assert_ne!(old, new);
        assert_eq!(run(&mut queries, RayOp::Proceed, &[old]).wrong, Some(Wrong::Stale));
        let early = run(&mut queries, RayOp::Proceed, &[new]).wrong;
        assert_eq!(early, Some(Wrong::State(State::New)));
        // Neither is a handle of nothing, nor one of a slot that does not exist.
        for handle in [0, u32::MAX, 0x1_0000, 0x1_0007] {
            assert_eq!(run(&mut queries, RayOp::Abort, &[handle]).wrong, Some(Wrong::Stale));
        }
    }

    #[test]
    fn lanes_that_proceed_together_are_all_answered() {
        let mut queries = Queries::of_slots(1, 8);
        let call =
            |op, args: &[u32]| RayCall { op, slots: (0, 1), scene: None, args: args.to_vec() };
        let run = |queries: &mut Queries, call: &RayCall<u32>, lane| {
            queries.run(call, &Plain, lane, &Search::BRUTE, |_, _| None).bits[0] as u32
        };
        // Lane 0 has no query, that of lane 1 is new, and the others have been traced.
        let handle = run(&mut queries, &call(RayOp::Allocate, &[0]), 1);
        let trace = [handle, 0, 0xff, 0, 0, 0, 0, 0, 0, 1f32.to_bits(), 1f32.to_bits()];
        for lane in 2..8 {
            run(&mut queries, &call(RayOp::Allocate, &[0]), lane);
            run(&mut queries, &call(RayOp::Trace, &trace), lane);
        }
        let mut answers = Vec::new();
        queries.proceed_together::<ops::ray::Portable, _>(
            &call(RayOp::Proceed, &[handle]),
            &Plain,
            (0..8).filter(|it| *it != 5),
            &Search::TREE,
            |_, _| None,
            |lane, proceeds| answers.push((lane, proceeds)),
        );
        answers.sort_unstable();
        assert_eq!(answers, [0, 1, 2, 3, 4, 6, 7].map(|lane| (lane, false)));
        let states = [1, 2, 5, 7].map(|lane| queries.query(lane).state());
        assert_eq!(states, [State::New, State::Finished, State::Traced, State::Finished]);
    }

    #[test]
    fn states_are_distinguished_by_their_hashes() {
        use std::hash::DefaultHasher;
        let hash = |queries: &Queries| {
            let mut hasher = DefaultHasher::new();
            queries.hash(&mut hasher);
            hasher.finish()
        };
        let mut queries = Queries::of_slots(1, 4);
        let mut seen = vec![hash(&queries)];
        let handle = run(&mut queries, RayOp::Allocate, &[0]).bits[0] as u32;
        seen.push(hash(&queries));
        let trace = [handle, 0, 0xff, 0, 0, 0, 0, 0, 0, 1f32.to_bits(), 1f32.to_bits()];
        run(&mut queries, RayOp::Trace, &trace);
        seen.push(hash(&queries));
        run(&mut queries, RayOp::Proceed, &[handle]);
        seen.push(hash(&queries));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 4);
    }
}
