//! What observers of a run see: events in the terms of the language, never opcodes of the engine.
//!
//! A sanitizer, a timeline or a debugger implements [`Observer`]. Events borrow their data; copy what must be kept.
//! Observers cannot change a run. They see every execution of an instruction once, in the order of the run; nothing
//! else runs between an event and its effect. The contents of an event for an inactive lane are meaningless.

use ir::exec::WaveInputs;
use ir::{Binding, Derivative, Inst, Private, Shared, Slot, Span, TextureOp};
use ops::scalar::Hazard;
use ops::wave::{Lanes, Wave};
use ops::{Barrier, LaneMask, Ty, WaveOp};

/// Receives the events of a run.
pub trait Observer {
    /// Whether to report events at all; without an observer, the engine spends nothing on them.
    const EVENTS: bool = true;
    /// Whether the engine tracks poison. Without it every poison set is empty.
    const POISON: bool = true;

    fn group_begin(&mut self, _group: [u32; 3]) {}
    fn group_end(&mut self, _group: [u32; 3]) {}
    /// A wave starts with the given lanes.
    fn wave_begin(&mut self, _at: At) {}
    /// The wave that has just started got these inputs from the feed of a vertex or pixel shader.
    fn fed(&mut self, _at: At, _inputs: &WaveInputs) {}
    /// Lanes of a pixel shader become helper lanes.
    fn discard(&mut self, _event: &DiscardEvent) {}
    /// Lanes of a vertex or pixel shader write an output.
    fn output(&mut self, _event: &OutputEvent) {}
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
}

/// An observer that ignores everything and costs nothing.
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
pub struct OutputEvent {
    pub at: At,
    pub slot: Slot,
    /// Those of them that are helper lanes, whose outputs have no effect.
    pub helpers: LaneMask,
    /// The lanes whose value is poisoned.
    pub poison: LaneMask,
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
