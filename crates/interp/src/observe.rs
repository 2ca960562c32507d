//! What observers of a run see: events in the terms of the language, never opcodes of the engine.
//!
//! A sanitizer, a timeline or a debugger implements [`Observer`]. Events borrow their data; copy what must be kept.
//! Observers cannot change a run. They see every execution of an instruction once, in the order of the run; nothing
//! else runs between an event and its effect. The contents of an event for an inactive lane are meaningless.

use ir::exec::{FeedbackMap, WaveInputs};
use ir::ray::Wrong;
use ir::{Binding, Derivative, Inst, Private, RayOp, Shared, Slot, Span, TextureOp};
use ops::ray::{FlagProblem, RayProblem, Scene};
use ops::scalar::Hazard;
use ops::texture::{Dim, Query, Sampler, Shape};
use ops::wave::{Lanes, Wave};
use ops::{Barrier, LaneMask, Ty, WaveOp};

/// Receives the events of a run.
pub trait Observer {
    /// Whether to report events at all; without an observer, the engine spends nothing on them.
    const EVENTS: bool = true;
    /// Whether to report notes and the beginnings of waves: without other events, these alone.
    const NOTES: bool = Self::EVENTS;
    /// Whether the engine tracks poison. Without it every poison set is empty.
    const POISON: bool = true;
    /// Whether events come through a pointer. All such observers share the engine's code, of which every other observer
    /// needs 100 KB: for those whose runs are few. They get events and notes.
    const INDIRECT: bool = false;

    fn group_begin(&mut self, _group: [u32; 3]) {}
    fn group_end(&mut self, _group: [u32; 3]) {}
    /// A wave starts with the given lanes.
    fn wave_begin(&mut self, _at: At) {}
    /// The wave that has just started got these inputs from the feed of a vertex or pixel shader.
    fn fed(&mut self, _at: At, _inputs: &WaveInputs) {}
    /// Lanes of a pixel shader become helper lanes.
    fn discard(&mut self, _event: &DiscardEvent) {}
    /// Lanes of a vertex or pixel shader write an output.
    fn output(&mut self, _event: &OutputEvent<'_>) {}
    /// Lanes have read an input at samples or vertices that do not exist, or whose value is poisoned.
    fn eval(&mut self, _event: &EvalEvent<'_>) {}
    /// All lanes of a wave have returned.
    fn wave_end(&mut self, _at: At) {}
    fn wave_op(&mut self, _event: &WaveEvent<'_>) {}
    fn barrier(&mut self, _event: &BarrierEvent) {}
    fn load(&mut self, _event: &AccessEvent<'_>) {}
    fn store(&mut self, _event: &AccessEvent<'_>) {}
    fn atomic(&mut self, _event: &AccessEvent<'_>) {}
    /// A texture is about to be sampled or gathered from. Loads, stores and atomic operations on single texels are
    /// accesses to the bytes of the texture.
    fn sample(&mut self, _event: &SampleEvent<'_>) {}
    /// Sampler feedback is about to be recorded; [`Observer::sample`] has reported the texture.
    fn feedback(&mut self, _event: &FeedbackEvent<'_>) {}
    /// Lanes have executed an instruction of a ray query.
    fn ray(&mut self, _event: &RayEvent<'_>) {}
    /// A derivative is about to be taken.
    fn derivative(&mut self, _event: &DerivativeEvent) {}
    /// Active lanes have computed with operands for which the operation is undefined.
    fn arithmetic(&mut self, _at: At, _hazard: Hazard, _lanes: LaneMask) {}
    /// A condition or a selector has been evaluated; also reported if all lanes agree.
    fn diverge(&mut self, _event: &DivergeEvent<'_>) {}
    /// The lanes `at.active` enter a loop or a block.
    fn enter(&mut self, _at: At) {}
    /// The lanes `at.active` start another iteration.
    fn back_edge(&mut self, _at: At) {}
    /// A construct has ended; `at.active` are the lanes that continue after it.
    fn reconverge(&mut self, _at: At) {}
    /// The active lanes leave for the end of an enclosing construct.
    fn exit(&mut self, _at: At, _to: ExitTo) {}
    /// A note of a module that was compiled for debugging.
    fn note(&mut self, _event: &NoteEvent<'_>) {}
    /// Whether the run pauses; called after each note. [`crate::Run::advance`] returns then.
    fn pauses(&mut self) -> bool {
        false
    }
}

/// An observer that ignores everything and costs nothing.
pub struct NoObserver;

impl Observer for NoObserver {
    const EVENTS: bool = false;
    const POISON: bool = false;
}

/// Whether an observer sees nothing. The engine's code for such runs, the fastest, is compiled in this crate, once.
pub(crate) const fn is_unobserved<O: Observer>() -> bool {
    !O::EVENTS && !O::NOTES && !O::POISON
}

/// Gives another macro the events of [`Observer`], for those who pass on all of them.
macro_rules! with_events {
    ($each:ident) => {
        $each! {
            group_begin(group: [u32; 3]);
            group_end(group: [u32; 3]);
            wave_begin(at: At);
            fed(at: At, inputs: &WaveInputs);
            discard(event: &DiscardEvent);
            output(event: &OutputEvent<'_>);
            eval(event: &EvalEvent<'_>);
            wave_end(at: At);
            wave_op(event: &WaveEvent<'_>);
            barrier(event: &BarrierEvent);
            load(event: &AccessEvent<'_>);
            store(event: &AccessEvent<'_>);
            atomic(event: &AccessEvent<'_>);
            sample(event: &SampleEvent<'_>);
            feedback(event: &FeedbackEvent<'_>);
            ray(event: &RayEvent<'_>);
            derivative(event: &DerivativeEvent);
            arithmetic(at: At, hazard: Hazard, lanes: LaneMask);
            diverge(event: &DivergeEvent<'_>);
            enter(at: At);
            back_edge(at: At);
            reconverge(at: At);
            exit(at: At, to: ExitTo);
            note(event: &NoteEvent<'_>);
        }
    };
}
pub(crate) use with_events;

macro_rules! to_both {
    ($($event:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $event(&mut self, $($arg: $ty),*) {
            self.0.$event($($arg),*);
            self.1.$event($($arg),*);
        })*
    };
}

/// Two observers of one run; the first sees each event before the second.
pub struct Pair<'a, A, B>(pub &'a mut A, pub &'a mut B);

impl<A: Observer, B: Observer> Observer for Pair<'_, A, B> {
    const EVENTS: bool = A::EVENTS || B::EVENTS;
    const NOTES: bool = A::NOTES || B::NOTES;
    const POISON: bool = A::POISON || B::POISON;

    with_events!(to_both);

    fn pauses(&mut self) -> bool {
        let first = self.0.pauses();
        self.1.pauses() || first
    }
}

/// Where in the run something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub group: [u32; 3],
    /// The index of the wave in its group.
    pub wave: u32,
    pub inst: Inst,
    pub span: Span,
    /// The lanes that execute the instruction together.
    pub active: LaneMask,
}

/// A wave operation, after it has been computed.
///
/// An operation on named lanes (the `WaveMask` functions) gives one event for each group of lanes that name the
/// same set.
#[derive(Debug)]
pub struct WaveEvent<'a> {
    pub at: At,
    pub op: WaveOp,
    /// The type of the values folded or moved.
    pub ty: Ty,
    /// The participating lanes: [`Wave::participants`], which are `wave.active` in a shader without helper lanes.
    /// Without a mask operand `wave.active` is `at.active`.
    pub wave: Wave,
    /// The set that the lanes named, as a 32-bit mask; it should be `at.active`.
    pub named: Option<LaneMask>,
    pub args: &'a [Lanes<'a>],
    pub arg_poison: &'a [LaneMask],
    pub results: &'a [Lanes<'a>],
    pub result_poison: LaneMask,
}

/// A barrier, when a wave arrives at it.
///
/// A group barrier waits for whole waves: a wave arrives once for each execution of the instruction, with the lanes
/// that are active; lanes and waves that have returned count as arrived. In uniform flow `live` equals `at.active`
/// in all waves, and every wave arrives at the same instruction.
#[derive(Clone, Copy, Debug)]
pub struct BarrierEvent {
    pub at: At,
    pub barrier: Barrier,
    /// The lanes of the wave that have not returned.
    pub live: LaneMask,
    /// For a barrier of named lanes, those that the lowest active lane names.
    pub named: Option<LaneMask>,
}

/// The memory that an access is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space<'a> {
    /// A buffer or a texture, with the element of the resource array for each lane; `None` for element 0.
    Buffer(Binding, Option<&'a [u32]>),
    /// The hidden counter of a structured buffer.
    Counter(Binding),
    Shared(Shared),
    Private(Private),
}

/// A load, a store or an atomic operation by the lanes `at.active`.
#[derive(Debug)]
pub struct AccessEvent<'a> {
    pub at: At,
    pub space: Space<'a>,
    /// For each lane the byte offset (buffers; textures, where a texel outside the texture has [`u64::MAX`]) or the
    /// index (groupshared and private arrays) of the first scalar.
    pub addresses: &'a [u64],
    /// The size of one lane's access in bytes, contiguous from its address. For arrays, 1: one element.
    pub size: u32,
    /// The lanes whose whole access is in bounds.
    pub in_bounds: LaneMask,
    /// The lanes whose address is poisoned.
    pub address_poison: LaneMask,
    /// The lanes whose stored value or operand is poisoned; for loads, whose loaded value is.
    pub value_poison: LaneMask,
    /// The values of a store; empty for everything else.
    pub values: &'a [Lanes<'a>],
}

/// A note: see [`ir::notes`].
#[derive(Debug)]
pub struct NoteEvent<'a> {
    pub at: At,
    pub note: &'a ir::notes::Note,
    /// The lanes of the wave that have not returned.
    pub live: LaneMask,
    /// What a write gives to each scalar, and the lanes whose value is poisoned.
    pub values: &'a [(Lanes<'a>, LaneMask)],
}

/// A sample, a gather or a query of a level of detail by the lanes `at.active`.
#[derive(Debug)]
pub struct SampleEvent<'a> {
    pub at: At,
    pub op: TextureOp,
    pub texture: Binding,
    /// The element of the array of textures for each lane; `None` for element 0.
    pub element: Option<&'a [u32]>,
    pub sampler: Option<Binding>,
    /// The lanes with a poisoned operand.
    pub poison: LaneMask,
    /// The lanes that take derivatives in a partially active quad.
    pub partial: LaneMask,
}

/// A record of sampler feedback by the lanes `at.active`.
#[derive(Debug)]
pub struct FeedbackEvent<'a> {
    pub at: At,
    /// The map, and its element for each lane; `None` for element 0.
    pub map: Binding,
    pub element: Option<&'a [u32]>,
    /// The lanes whose resources are all there and of the declared kinds; other lanes record nothing.
    pub writes: &'a [FeedbackWrite<'a>],
    /// The lanes with a poisoned operand.
    pub poison: LaneMask,
}

/// What one lane records.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackWrite<'a> {
    pub lane: u32,
    /// The element of the array of maps.
    pub element: u32,
    pub map: FeedbackMap,
    /// The memory of the map, before the instruction.
    pub memory: &'a [u8],
    /// The texture that is sampled.
    pub shape: Shape,
    /// Whether it is the one that the map was made for; otherwise nothing is recorded.
    pub is_paired: bool,
    pub sampler: Sampler,
    pub dim: Dim,
    pub query: Query,
}

/// An instruction of a ray query, after the lanes `at.active` have executed it.
#[derive(Debug)]
pub struct RayEvent<'a> {
    pub at: At,
    pub op: RayOp,
    /// For each lane the handle of its query: for a new one, the result.
    pub handles: &'a [u32],
    /// What is undefined about it, lane by lane.
    pub wrong: &'a [(u32, Undefined)],
    /// The lanes with a poisoned operand, or whose query a poisoned value has reached.
    pub poison: LaneMask,
    /// The lanes for which `Proceed` has found a candidate.
    pub found: LaneMask,
    /// The scenes that are traced and have instances that are not valid.
    pub odd_scenes: &'a [OddScene<'a>],
}

/// A scene with instances that are not valid.
#[derive(Clone, Copy, Debug)]
pub struct OddScene<'a> {
    /// The element of the array of scenes.
    pub element: u32,
    pub scene: &'a Scene,
    /// Who traces it.
    pub lanes: LaneMask,
}

/// What is undefined about an instruction of a ray query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Undefined {
    Use(Wrong),
    /// Flags of a trace.
    Flags(FlagProblem),
    /// The ray of a trace.
    Ray(RayProblem),
}

/// The lanes `at.active` discard their pixels.
#[derive(Clone, Copy, Debug)]
pub struct DiscardEvent {
    pub at: At,
    /// Those that were not helper lanes before.
    pub discarded: LaneMask,
    /// The lanes of quads that end because all their lanes are helper lanes.
    pub ended: LaneMask,
}

/// The lanes `at.active` write an output.
#[derive(Clone, Copy, Debug)]
pub struct OutputEvent<'a> {
    pub at: At,
    pub slot: Slot,
    /// Those of them that are helper lanes, whose outputs have no effect.
    pub helpers: LaneMask,
    /// The lanes whose value is poisoned.
    pub poison: LaneMask,
    pub values: Lanes<'a>,
}

/// An input that was read at samples or vertices, some of which do not exist. The value at a vertex may be poisoned in
/// stages between vertices and pixels.
#[derive(Clone, Copy, Debug)]
pub struct EvalEvent<'a> {
    pub at: At,
    pub slot: Slot,
    /// The lanes that get nothing defined.
    pub missing: LaneMask,
    /// For each lane the sample or the vertex.
    pub index: &'a [u32],
}

/// A derivative for the lanes `at.active`.
#[derive(Clone, Copy, Debug)]
pub struct DerivativeEvent {
    pub at: At,
    pub of: Derivative,
    /// The lanes that read a poisoned value.
    pub poison: LaneMask,
    /// The lanes in a partially active quad.
    pub partial: LaneMask,
}

/// Where the lanes of an `if` or a `switch` go.
#[derive(Clone, Copy, Debug)]
pub struct DivergeEvent<'a> {
    /// `at.active` are the lanes before the split.
    pub at: At,
    /// The lanes that take the first arm of an `if`, or select some case of a switch.
    pub taken: LaneMask,
    /// The lanes whose condition or selector is poisoned.
    pub poison: LaneMask,
    /// The selector values, at a `switch`.
    pub selector: Option<Lanes<'a>>,
}

/// Where lanes go that leave a region early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitTo {
    /// The end of that construct.
    Construct(Inst),
    /// The end of the shader.
    Return,
}
