//! The values that flow from vertices to pixels: where a vertex's outputs lie, and how a pixel's inputs are derived
//! from them.

use ops::F16;

/// The type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    F32,
    F16,
    /// An integer of this many bits, or a `bool`. It is never interpolated.
    Int {
        bits: u8,
    },
}

/// How an input is derived from the values at the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Linear in space: perspective correct.
    Linear,
    /// Linear on the screen.
    NoPerspective,
    /// The bits of the leading vertex.
    Flat,
}

/// Where in a pixel an input is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterpolationPlace {
    Centre,
    Centroid,
    /// At the sample of the invocation; at the centre if the shader runs at pixel frequency.
    Sample,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interpolation {
    pub mode: Mode,
    pub place: InterpolationPlace,
}

/// One component of a pixel shader's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A component that the vertex shader wrote to this slot.
    Varying {
        slot: u32,
        scalar: Scalar,
        interpolation: Interpolation,
    },
    /// `SV_Position`: x and y in pixels, z, and w, the reciprocal of the interpolated 1/w.
    Position {
        component: u8,
        place: InterpolationPlace,
    },
    /// `SV_IsFrontFace`: 1 or 0.
    FrontFace,
    PrimitiveId,
    SampleIndex,
    /// `SV_Coverage`: the covered samples of the pixel; 0 for helper lanes.
    Coverage,
    /// `SV_Barycentrics`: the weight of a vertex.
    Barycentric {
        vertex: u8,
        interpolation: Interpolation,
    },
    Constant(u32),
}

/// Where the outputs of a vertex lie that the rasterizer itself reads: slots, one for each component.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct VertexLayout {
    /// The four slots of `SV_Position`. A vertex without a position is a NaN: nothing is drawn.
    pub position: Option<[u32; 4]>,
    pub clip_distances: Vec<u32>,
    pub cull_distances: Vec<u32>,
    /// `SV_RenderTargetArrayIndex`.
    pub target_index: Option<u32>,
    /// `SV_ViewportArrayIndex`.
    pub viewport_index: Option<u32>,
}

/// Where the values of an input are in a primitive's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// Three numbers, one for each vertex.
    Numbers(usize),
    /// Three words.
    Bits(usize),
    Nowhere,
}

/// The inputs of a pixel shader, arranged for interpolation.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub(crate) inputs: Vec<Input>,
    pub(crate) stored: Vec<Stored>,
    pub(crate) layout: VertexLayout,
    /// The numbers of each vertex: interpolated inputs, then clip distances.
    pub(crate) numbers: Vec<Number>,
    /// The slots whose bits are kept for each vertex.
    pub(crate) bits: Vec<u32>,
}

/// A number of a vertex that clipping interpolates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) of: Of,
    pub(crate) perspective: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Slot(u32, Scalar),
    /// 1 at this vertex, 0 at the others.
    Vertex(u8),
}

impl Interpolation {
    pub const LINEAR: Interpolation =
        Interpolation { mode: Mode::Linear, place: InterpolationPlace::Centre };
    pub const FLAT: Interpolation =
        Interpolation { mode: Mode::Flat, place: InterpolationPlace::Centre };
}

impl Scalar {
    /// The number that bits represent; integers are not interpolated, and give themselves.
    #[inline]
    pub(crate) fn number(self, bits: u32) -> f64 {
        match self {
            Scalar::F32 => f64::from(f32::from_bits(bits)),
            Scalar::F16 => F16(bits as u16).to_f64(),
            Scalar::Int { .. } => f64::from(bits),
        }
    }

    /// The bits of a number, rounded once.
    #[inline]
    pub(crate) fn round(self, number: f64) -> u32 {
        match self {
            Scalar::F32 => (number as f32).to_bits(),
            Scalar::F16 => u32::from(F16::from_f64(number).0),
            Scalar::Int { .. } => number as u32,
        }
    }
}

impl Inputs {
    pub fn new(inputs: Vec<Input>, layout: VertexLayout) -> Inputs {
        let (mut numbers, mut bits) = (Vec::new(), Vec::new());
        let mut stored = Vec::new();
        for input in &inputs {
            let number = |of, interpolation: Interpolation| Number {
                of,
                perspective: interpolation.mode != Mode::NoPerspective,
            };
            let interpolated = match *input {
                Input::Varying { slot, scalar, interpolation } => {
                    if interpolation.mode == Mode::Flat || matches!(scalar, Scalar::Int { .. }) {
                        stored.push(Stored::Bits(bits.len()));
                        bits.push(slot);
                        continue;
                    }
                    Some(number(Of::Slot(slot, scalar), interpolation))
                }
                Input::Barycentric { vertex, interpolation } => {
                    Some(number(Of::Vertex(vertex), interpolation))
                }
                Input::Position { .. }
                | Input::FrontFace
                | Input::PrimitiveId
                | Input::SampleIndex
                | Input::Coverage
                | Input::Constant(_) => None,
            };
            stored.push(match interpolated {
                Some(number) => {
                    numbers.push(number);
                    Stored::Numbers(numbers.len() - 1)
                }
                None => Stored::Nowhere,
            });
        }
        let distance = |slot: &u32| Number { of: Of::Slot(*slot, Scalar::F32), perspective: true };
        numbers.extend(layout.clip_distances.iter().map(distance));
        Inputs { inputs, stored, layout, numbers, bits }
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    pub fn get(&self, input: usize) -> Input {
        self.inputs[input]
    }
}
