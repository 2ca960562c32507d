//! What a run shows to those who watch: what happened in the words of the language, never opcodes of the engine.
//!
//! A sanitizer, a timeline or a debugger implements [`Observer`]. Events borrow; what is to be kept must be copied.
//! Observers cannot change a run. They see every execution of an instruction once, in the order of the run; between an
//! event and what it tells of nothing else runs. What an event holds for a lane that is not active means nothing.

use ir::{Binding, Derivative, Inst, Private, Shared, Span, TextureOp};
use ops::scalar::Hazard;
use ops::wave::{Lanes, Wave};
use ops::{Barrier, LaneMask, Ty, WaveOp};

/// Receives the events of a run.
pub trait Observer {
    /// Whether there are events at all; an engine that nobody watches spends nothing on them.
    const EVENTS: bool = true;
    /// Whether the engine keeps track of values that are worth nothing. Without it every poison set is empty.
    const POISON: bool = true;

    fn group_begin(&mut self, _group: [u32; 3]) {}
    fn group_end(&mut self, _group: [u32; 3]) {}
    /// A wave starts with these lanes.
    fn wave_begin(&mut self, _at: At) {}
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
    /// A derivative is about to be taken.
    fn derivative(&mut self, _event: &DerivativeEvent) {}
    /// Active lanes have computed with operands that the operation has no meaning for.
    fn arithmetic(&mut self, _at: At, _hazard: Hazard, _lanes: LaneMask) {}
    /// A condition or a selector has been evaluated; also when all lanes go one way.
    fn diverge(&mut self, _event: &DivergeEvent<'_>) {}
    /// The lanes `at.active` come to a loop or a block.
    fn enter(&mut self, _at: At) {}
    /// The lanes `at.active` start another iteration.
    fn back_edge(&mut self, _at: At) {}
    /// A construct has ended; `at.active` are the lanes that go on after it.
    fn reconverge(&mut self, _at: At) {}
    /// The active lanes leave for the end of an enclosing construct.
    fn exit(&mut self, _at: At, _to: ExitTo) {}
}

/// Watches nothing and costs nothing.
pub struct NoObserver;

impl Observer for NoObserver {
    const EVENTS: bool = false;
    const POISON: bool = false;
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
/// An operation on named lanes (the `WaveMask` functions) gives one event for each group of lanes that name the same set.
#[derive(Debug)]
pub struct WaveEvent<'a> {
    pub at: At,
    pub op: WaveOp,
    /// The type of the values folded or moved.
    pub ty: Ty,
    /// The lanes that took part: `wave.active`. Without a mask operand they are `at.active`.
    pub wave: Wave,
    /// The set that the lanes named, as a 32-bit mask; it should be `at.active`.
    pub named: Option<LaneMask>,
    pub args: &'a [Lanes<'a>],
    pub arg_poison: &'a [LaneMask],
    pub results: &'a [Lanes<'a>],
    pub result_poison: LaneMask,
}

/// A barrier, when a wave comes to it.
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

/// What memory an access concerns.
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
    /// For each lane the byte offset (buffers; textures, where a texel that is not there has [`u64::MAX`]) or the index (groupshared and private arrays) of the first scalar.
    pub addresses: &'a [u64],
    /// The bytes of one lane's access: contiguous from its address. For arrays, 1: one element.
    pub size: u32,
    /// The lanes whose whole access lies in bounds.
    pub in_bounds: LaneMask,
    /// The lanes whose address is worth nothing.
    pub address_poison: LaneMask,
    /// The lanes for which a stored value or an operand is worth nothing, or for loads the value that was found.
    pub value_poison: LaneMask,
    /// The values of a store; for everything else nothing.
    pub values: &'a [Lanes<'a>],
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
    /// The lanes for which an operand is worth nothing.
    pub poison: LaneMask,
    /// The lanes that take derivatives in a quad of which not all lanes are active.
    pub partial: LaneMask,
}

/// A derivative for the lanes `at.active`.
#[derive(Clone, Copy, Debug)]
pub struct DerivativeEvent {
    pub at: At,
    pub of: Derivative,
    /// The lanes for which a value that is read is worth nothing.
    pub poison: LaneMask,
    /// The lanes in a quad of which not all lanes are active.
    pub partial: LaneMask,
}

/// Where the lanes of an `if` or a `switch` go.
#[derive(Clone, Copy, Debug)]
pub struct DivergeEvent<'a> {
    /// `at.active` are the lanes before.
    pub at: At,
    /// The lanes that take the first arm of an `if`, or select some case of a switch.
    pub taken: LaneMask,
    /// The lanes whose condition or selector is worth nothing.
    pub poison: LaneMask,
    /// What the lanes select by, at a `switch`.
    pub selector: Option<Lanes<'a>>,
}

/// Where lanes go that leave a region early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitTo {
    /// The end of that construct.
    Construct(Inst),
    /// They are done.
    Return,
}
