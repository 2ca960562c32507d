//! The feed of a vertex or pixel shader: hands an engine one wave after the other, rows of inputs in, rows of outputs
//! out.
//!
//! Only the feed knows what a lane represents: a vertex, or a pixel of a primitive. Engines run each wave from its
//! first to its last instruction before they ask for the next one; a wave ends with [`Feed::take`].
//!
//! Deliberately absent: barriers, groups, and any order but that of the feed.

use ops::LaneMask;

use crate::Slot;
use crate::stage::EvalPlace;

/// Supplies the waves of a launch with [`crate::exec::Work::Waves`].
pub trait Feed {
    /// Fills in the next wave; `false` if there is none. Everything in `wave` but its size is as the call before left
    /// it.
    fn next(&mut self, wave: &mut WaveInputs) -> bool;

    /// Receives the outputs of the wave that was fed last, which has ended.
    fn take(&mut self, wave: &WaveOutputs);

    /// The same feed for an engine that keeps rows of words in its own memory; engines query it before each wave and
    /// after it. Nothing else may be called between the two halves of a wave but what answers the running shader.
    fn in_place(&mut self) -> Option<&mut dyn FeedInPlace> {
        None
    }

    /// Whether quads that consist of helper lanes run on, as on a device. By default they end.
    fn keeps_quads(&self) -> bool {
        false
    }

    /// What a lane of the wave that was fed last represents, if the feed knows; engines query it for observers only.
    fn invocation(&self, lane: u32) -> Option<Invocation> {
        let _ = lane;
        None
    }

    /// Fills in [`WaveInputs::depths`] of the wave that was fed last; engines ask for observers only.
    fn depths(&mut self, depths: &mut Vec<u32>) {
        depths.clear();
    }

    /// The value of an input of the running wave, interpolated elsewhere in the lane's pixel.
    fn evaluate(&mut self, slot: Slot, lane: u32, place: EvalPlace<u32>) -> Evaluated {
        let _ = (slot, lane, place);
        unreachable!("the feed of a shader without `eval` instructions is not asked")
    }

    /// The value of an input of the running wave at a vertex of the lane's primitive.
    fn at_vertex(&mut self, slot: Slot, lane: u32, vertex: u32) -> Evaluated {
        let _ = (slot, lane, vertex);
        unreachable!("the feed of a shader without `input_at` instructions is not asked")
    }
}

/// A feed that reads and writes the rows of an engine where they are, 32 bits for each lane: [`WaveInputs`] and
/// [`WaveOutputs`] cost two copies of every row, in 64 bits.
pub trait FeedInPlace {
    /// Fills in the next wave, as [`Feed::next`] does. `false` if there is none.
    fn next_in_place(&mut self, wave: &mut dyn WaveInPlace) -> bool;

    /// Receives the outputs of that wave, as [`Feed::take`] does.
    fn take_in_place(&mut self, wave: &dyn WaveInPlace);
}

/// A wave in the memory of an engine whose inputs and outputs have 32 bits at most.
pub trait WaveInPlace {
    /// Sets the lanes that exist, and those of them that are helper lanes from the start.
    fn deal(&mut self, lanes: LaneMask, helpers: LaneMask);

    /// The row of an input, with an element for each lane; `None` if the shader does not read it. All of it must be
    /// filled in.
    fn input(&mut self, slot: Slot) -> Option<&mut [u32]>;

    /// The lanes whose outputs count, at the end of the wave.
    fn live(&self) -> LaneMask;

    /// The row of an output, of which only live lanes count: 0 where nothing was written.
    fn output(&self, slot: Slot) -> &[u32];
}

/// What a lane represents, however vertices, patches, primitives and quads are packed into waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invocation {
    /// The vertex with this number, counted over the instances of a draw.
    Vertex { number: u64, instance: u32, id: u32 },
    /// A control point that a hull shader makes.
    ControlPoint { patch: Assembled, point: u32 },
    /// A patch, to the patch-constant function.
    Patch(Assembled),
    /// The point with this number among those that the tessellator makes of a patch, at `at` / 65536 in the domain.
    DomainPoint { patch: Assembled, number: u32, at: [u32; 2] },
    /// An instance of a geometry shader for a primitive.
    Primitive { primitive: Assembled, instance: u32 },
    /// A thread of a group of a mesh or amplification shader.
    Thread { group: u32, thread: u32 },
    /// A pixel, or one sample of it.
    Pixel {
        /// The number of the primitive in the draw; the pieces of a clipped one have separate numbers.
        piece: u64,
        at: [i32; 2],
        /// The slice of the targets.
        layer: u32,
        sample: Option<u8>,
        /// `SV_PrimitiveID`.
        primitive: u32,
    },
}

/// A patch or primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Assembled {
    /// Counted over the instances of a draw.
    pub number: u64,
    /// The instance of the draw.
    pub instance: u32,
    /// Counted within the instance.
    pub id: u32,
}

/// What [`Feed::evaluate`] and [`Feed::at_vertex`] give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluated {
    pub bits: u64,
    /// There is no such sample or vertex, or the value at a vertex is poisoned.
    pub poisoned: bool,
}

/// One value for each lane of a wave in each of several slots: the bits of 16- and 32-bit values are the low ones, and
/// `bool` is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    width: u32,
    bits: Vec<u64>,
}

impl Rows {
    pub fn new(slots: u32, width: u32) -> Rows {
        Rows { width, bits: vec![0; slots as usize * width as usize] }
    }

    /// The lanes of a slot.
    pub fn row(&self, slot: Slot) -> &[u64] {
        let width = self.width as usize;
        &self.bits[slot.index() * width..][..width]
    }

    pub fn row_mut(&mut self, slot: Slot) -> &mut [u64] {
        let width = self.width as usize;
        &mut self.bits[slot.index() * width..][..width]
    }

    /// How many lanes a row has.
    pub fn width(&self) -> u32 {
        self.width
    }
}

/// A wave to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveInputs {
    /// The lanes that exist. In a pixel shader these are whole quads.
    pub lanes: LaneMask,
    /// Those of them that are helper lanes from the start; only in pixel shaders.
    pub helpers: LaneMask,
    /// By input slot.
    pub rows: Rows,
    /// By input slot, the lanes whose value is undefined.
    pub poison: Vec<LaneMask>,
    /// What each lane represents: an engine with an observer queries the feed.
    pub invocations: Vec<Option<Invocation>>,
    /// By lane, the bits of the primitive's depth where the pixel shader sees it, if the shader promises a bound for
    /// the depth that it writes; otherwise empty. An engine with an observer asks the feed.
    pub depths: Vec<u32>,
}

impl WaveInputs {
    pub fn new(slots: u32, width: u32) -> WaveInputs {
        WaveInputs {
            lanes: LaneMask::EMPTY,
            helpers: LaneMask::EMPTY,
            rows: Rows::new(slots, width),
            poison: vec![LaneMask::EMPTY; slots as usize],
            invocations: Vec::new(),
            depths: Vec::new(),
        }
    }
}

/// A wave that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveOutputs {
    /// The lanes whose outputs count: those that exist and are not helper lanes.
    pub live: LaneMask,
    /// The helper lanes at the end, those of retired quads among them.
    pub helpers: LaneMask,
    /// By output slot; 0 where nothing was written.
    pub rows: Rows,
    /// By output slot, the lanes that wrote it.
    pub written: Vec<LaneMask>,
    /// By output slot, the lanes whose value is undefined: those that did not write it, and if the engine tracks
    /// poison, those that wrote a poisoned value.
    pub poison: Vec<LaneMask>,
}

impl WaveOutputs {
    pub fn new(slots: u32, width: u32) -> WaveOutputs {
        let mut outputs = WaveOutputs {
            live: LaneMask::EMPTY,
            helpers: LaneMask::EMPTY,
            rows: Rows::new(slots, width),
            written: vec![LaneMask::EMPTY; slots as usize],
            poison: Vec::new(),
        };
        outputs.reset();
        outputs
    }

    /// Prepares for a new wave: nothing is written.
    pub fn reset(&mut self) {
        self.rows.bits.fill(0);
        self.written.fill(LaneMask::EMPTY);
        self.poison.clear();
        self.poison.resize(self.written.len(), LaneMask::first_n(self.rows.width));
    }

    /// Lanes write an output.
    pub fn write(&mut self, slot: Slot, lanes: LaneMask, bits: impl Fn(u32) -> u64) {
        let row = self.rows.row_mut(slot);
        lanes.iter().for_each(|lane| row[lane as usize] = bits(lane));
        self.written[slot.index()] |= lanes;
        self.poison[slot.index()] &= !lanes;
    }
}
