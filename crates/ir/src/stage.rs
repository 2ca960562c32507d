//! The inputs and outputs of shaders whose lanes come from a feed, and what the fixed functions around them must know.
//!
//! An [`Element`] is one row of a signature: a semantic with an index, and one to four components. A *slot* is one
//! component of an element; slots are numbered in the order of the elements, inputs and outputs separately.
//! Instructions name slots, and a feed ([`crate::exec::Feed`]) supplies one row of lanes for each.
//!
//! Deliberately absent: how inputs are interpolated and what becomes of outputs, which engines do not know either.

use diag::Span;
use ops::{Ty, names};

use crate::{HostScalar, Module, Op, Slot};

/// The signature of a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageIo {
    pub inputs: Vec<Element>,
    pub outputs: Vec<Element>,
    /// Only the defaults in other stages than the pixel shader.
    pub pixel: PixelTraits,
    /// What distinguishes a shader between the vertex shader and the rasterizer.
    pub traits: StageTraits,
}

/// What the fixed functions around a geometry, hull or domain shader must know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StageTraits {
    /// Another stage.
    #[default]
    Plain,
    Geometry(Box<GeometryTraits>),
    /// A hull shader, or its patch-constant function.
    Hull(HullTraits),
    Domain {
        domain: Domain,
        /// How many control points it reads.
        points: u32,
    },
}

/// A geometry shader. Its outputs are words: first how many vertices it has emitted, then for each of them a word with
/// the number of its stream, to which [`CUT`] is added if a strip begins with it, and the scalars of its stream's
/// elements in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeometryTraits {
    /// The vertices of a primitive that it reads: 1, 2, 3, 4 (a line with adjacency) or 6 (a triangle with adjacency);
    /// with a patch, its control points.
    pub vertices: u32,
    pub reads_patch: bool,
    pub most_vertices: u32,
    /// How often it runs for a primitive.
    pub instances: u32,
    pub streams: Vec<Stream>,
}

/// Marks a vertex with which a strip begins.
pub const CUT: u32 = 1 << 8;

/// An output stream of a geometry shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The vertices of its primitives: 1 to 3.
    pub corners: u8,
    pub elements: Vec<Element>,
}

impl GeometryTraits {
    /// The words of a vertex in the outputs: those of the stream with most scalars, and one more.
    pub fn stride(&self) -> u32 {
        1 + self.streams.iter().map(|it| slot_count(&it.elements)).max().unwrap_or(0)
    }
}

/// A hull shader, for the tessellator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HullTraits {
    pub domain: Domain,
    pub partitioning: Partitioning,
    pub topology: PatchTopology,
    /// How many control points it reads, and how many it makes.
    pub read: u32,
    pub made: u32,
}

/// The shape of the domain of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Domain {
    #[default]
    Tri,
    Quad,
    Isoline,
}

/// How the edges of a patch are divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Partitioning {
    #[default]
    Integer,
    Pow2,
    FractionalOdd,
    FractionalEven,
}

/// The primitives that the tessellator makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PatchTopology {
    Point,
    Line,
    #[default]
    Clockwise,
    CounterClockwise,
}

impl PatchTopology {
    /// The vertices of a primitive.
    pub fn corners(self) -> u8 {
        match self {
            PatchTopology::Point => 1,
            PatchTopology::Line => 2,
            PatchTopology::Clockwise | PatchTopology::CounterClockwise => 3,
        }
    }
}

/// Whose value an element of the inputs is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Holder {
    /// The lane's own.
    #[default]
    Own,
    /// That of a vertex of its primitive or patch.
    Vertex(u8),
    /// That of a control point which the hull shader made.
    Point(u8),
    /// A patch constant.
    Patch,
}

/// One row of a signature. Matrices, arrays and structs are consecutive rows with rising indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// As written, without its index; matched without regard to case.
    pub semantic: String,
    pub index: u32,
    pub scalar: HostScalar,
    /// 1 to 4.
    pub components: u8,
    /// For the outputs of a vertex shader, what was declared there: the declaration of the pixel shader counts.
    pub interpolation: Interpolation,
    /// [`Holder::Own`] but in geometry, hull and domain shaders.
    pub holder: Holder,
    /// The meaning of the value to the fixed functions. `None` for what only travels between stages, such as
    /// `SV_Position` as an input of a vertex shader or `SV_ClipDistance` as one of a pixel shader.
    pub system: Option<SystemValue>,
    /// Where it is declared; none for what is made.
    pub span: Span,
}

/// How an input of a pixel shader follows from the values at the vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interpolation {
    pub mode: InterpolationMode,
    pub place: InterpolationPlace,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InterpolationMode {
    /// With perspective correction.
    #[default]
    Linear,
    NoPerspective,
    /// The value of the leading vertex, as `nointerpolation` and all integers have it.
    Flat,
}

/// Where in the pixel an input is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InterpolationPlace {
    #[default]
    Centre,
    Centroid,
    Sample,
}

/// A value that the fixed functions supply or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemValue {
    // Inputs of vertex shaders.
    VertexId,
    InstanceId,
    StartVertexLocation,
    StartInstanceLocation,
    /// Of both stages.
    ViewId,
    /// An output of vertex shaders and an input of pixel shaders, as are the next two and `ShadingRate`.
    Position,
    RenderTargetArrayIndex,
    ViewportArrayIndex,
    ShadingRate,
    // Outputs of vertex shaders.
    ClipDistance,
    CullDistance,
    // Inputs of pixel shaders.
    PrimitiveId,
    IsFrontFace,
    SampleIndex,
    Barycentrics,
    InnerCoverage,
    /// An input and an output of pixel shaders.
    Coverage,
    // Of the stages between.
    /// A primitive output of mesh shaders.
    CullPrimitive,
    GsInstanceId,
    OutputControlPointId,
    DomainLocation,
    TessFactor,
    InsideTessFactor,
    // Outputs of pixel shaders.
    Target,
    Depth,
    DepthGreaterEqual,
    DepthLessEqual,
    StencilRef,
}

/// What distinguishes a pixel shader to the functions around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelTraits {
    /// `[earlydepthstencil]`: depth and stencil are tested and written before the shader runs.
    pub early_depth: bool,
    /// `[WaveOpsIncludeHelperLanes]`: helper lanes participate in wave operations, and quads of helpers do not
    /// retire.
    pub helpers_take_part: bool,
    /// It accesses a rasterizer-ordered view.
    pub orders_pixels: bool,
    // The rest follows from the instructions: see [`Module::summarise`].
    /// It reads other lanes of the quad, by derivatives, implicit levels of detail or quad operations.
    pub derivatives: bool,
    /// Lanes may become helper lanes as it runs.
    pub discards: bool,
    /// It runs once for each sample: it reads `SV_SampleIndex`, or an input declared `sample`.
    pub sample_frequency: bool,
}

/// Where an input is evaluated again, which its declaration does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalPlace<V> {
    /// At the pixel's centroid.
    Centroid,
    /// At the sample with this index.
    Sample(V),
    /// At the centre plus an offset in sixteenths of a pixel: the low four bits of x and y, sign-extended.
    Snapped(V, V),
}

impl<V: Copy> EvalPlace<V> {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = V> {
        let (first, second) = match self {
            EvalPlace::Centroid => (None, None),
            EvalPlace::Sample(index) => (Some(index), None),
            EvalPlace::Snapped(x, y) => (Some(x), Some(y)),
        };
        first.into_iter().chain(second)
    }
}

impl Element {
    /// The type of its scalars in the IR.
    pub fn ty(&self) -> Ty {
        self.scalar.ty()
    }

    /// Whether it has that semantic.
    pub fn is(&self, semantic: &str, index: u32) -> bool {
        self.index == index && self.semantic.eq_ignore_ascii_case(semantic)
    }
}

/// The elements of one side of a signature with the slots of their first components.
pub fn with_slots(elements: &[Element]) -> impl Iterator<Item = (Slot, &Element)> {
    elements.iter().scan(0, |next, element| {
        let first = *next;
        *next += u32::from(element.components);
        Some((Slot(first), element))
    })
}

/// How many slots the elements have.
pub fn slot_count(elements: &[Element]) -> u32 {
    elements.iter().map(|it| u32::from(it.components)).sum()
}

/// The element that a slot belongs to, and its component there.
pub fn element_of(elements: &[Element], slot: Slot) -> Option<(&Element, u8)> {
    with_slots(elements).find_map(|(first, element)| {
        let component = slot.0.checked_sub(first.0)?;
        (component < u32::from(element.components)).then_some((element, component as u8))
    })
}

impl StageIo {
    /// The first slot of the output with that meaning: for targets and distances, of the lowest index.
    pub fn system_output(&self, system: SystemValue) -> Option<Slot> {
        let with = with_slots(&self.outputs).filter(|(_, it)| it.system == Some(system));
        with.min_by_key(|(_, it)| it.index).map(|it| it.0)
    }

    /// Recomputes the traits that follow from the instructions of a pixel shader.
    pub(crate) fn summarise<'a>(&mut self, ops: impl Iterator<Item = &'a Op>) {
        let pixel = &mut self.pixel;
        (pixel.derivatives, pixel.discards, pixel.sample_frequency) = (false, false, false);
        for op in ops {
            pixel.derivatives |= op.effects().asks_quad;
            pixel.discards |= matches!(op, Op::Discard);
            if let Op::Input(slot) = op
                && let Some((element, _)) = element_of(&self.inputs, *slot)
            {
                pixel.sample_frequency |= element.system == Some(SystemValue::SampleIndex)
                    || element.system.is_none()
                        && element.interpolation.place == InterpolationPlace::Sample;
            }
        }
    }
}

impl Module {
    /// Whether some of its lanes may be helper lanes.
    pub fn has_helpers(&self) -> bool {
        self.stage == ops::intrinsics::Stage::Pixel
    }

    /// Whether helper lanes participate in wave operations.
    pub fn helpers_take_part(&self) -> bool {
        self.io.as_ref().is_some_and(|io| io.pixel.helpers_take_part)
    }
}

names! { InterpolationMode {
    "linear" => Linear,
    "no_perspective" => NoPerspective,
    "flat" => Flat,
} }

names! { InterpolationPlace {
    "centre" => Centre,
    "centroid" => Centroid,
    "sample" => Sample,
} }

names! { SystemValue {
    "vertex_id" => VertexId,
    "instance_id" => InstanceId,
    "start_vertex_location" => StartVertexLocation,
    "start_instance_location" => StartInstanceLocation,
    "view_id" => ViewId,
    "position" => Position,
    "render_target_array_index" => RenderTargetArrayIndex,
    "viewport_array_index" => ViewportArrayIndex,
    "shading_rate" => ShadingRate,
    "clip_distance" => ClipDistance,
    "cull_distance" => CullDistance,
    "primitive_id" => PrimitiveId,
    "is_front_face" => IsFrontFace,
    "sample_index" => SampleIndex,
    "barycentrics" => Barycentrics,
    "inner_coverage" => InnerCoverage,
    "coverage" => Coverage,
    "cull_primitive" => CullPrimitive,
    "gs_instance_id" => GsInstanceId,
    "output_control_point_id" => OutputControlPointId,
    "domain_location" => DomainLocation,
    "tess_factor" => TessFactor,
    "inside_tess_factor" => InsideTessFactor,
    "target" => Target,
    "depth" => Depth,
    "depth_greater_equal" => DepthGreaterEqual,
    "depth_less_equal" => DepthLessEqual,
    "stencil_ref" => StencilRef,
} }

names! { Domain {
    "tri" => Tri,
    "quad" => Quad,
    "isoline" => Isoline,
} }

names! { Partitioning {
    "integer" => Integer,
    "pow2" => Pow2,
    "fractional_odd" => FractionalOdd,
    "fractional_even" => FractionalEven,
} }

names! { PatchTopology {
    "point" => Point,
    "line" => Line,
    "triangle_cw" => Clockwise,
    "triangle_ccw" => CounterClockwise,
} }

/// A field of [`PixelTraits`].
type Trait = fn(&mut PixelTraits) -> &mut bool;

/// The words of the `pixel` line of the text form, each with its field.
pub(crate) const TRAITS: [(&str, Trait); 6] = [
    ("early_depth", |it| &mut it.early_depth),
    ("helpers_take_part", |it| &mut it.helpers_take_part),
    ("orders_pixels", |it| &mut it.orders_pixels),
    ("derivatives", |it| &mut it.derivatives),
    ("discards", |it| &mut it.discards),
    ("sample_frequency", |it| &mut it.sample_frequency),
];
