//! Links the ends of a pipeline: which attribute feeds which input of the vertex shader, and which output of the last
//! stage before the rasterizer which input of the pixel shader.

use std::collections::BTreeSet;

use ir::stage::{
    Element, Interpolation, InterpolationMode, InterpolationPlace, StageIo, SystemValue,
    slot_count, with_slots,
};
use ir::{HostScalar, Op, Slot};
use ops::intrinsics::Stage;
use ops::texture::{Encoding, Format};
use raster::{Input, Inputs, Mode, Scalar, VertexLayout};

use super::between::last_outputs;
use super::{GraphicsDesc, GraphicsError};
use crate::Shader;

/// What a slot of the vertex shader's inputs holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VertexInput {
    VertexId,
    InstanceId,
    StartVertex,
    StartInstance,
    Zero,
    /// A component of an attribute.
    Attribute {
        attribute: usize,
        component: usize,
    },
}

/// An attribute that the vertex shader reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute {
    /// The element of the input layout.
    pub(crate) element: usize,
    pub(crate) scalar: Scalar,
}

/// The first slot of each output of the pixel shader that the merger reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct PixelOutputs {
    /// By target: the first slot, the components and their type.
    pub(crate) colours: Vec<Option<(u32, u8, Scalar)>>,
    pub(crate) depth: Option<u32>,
    /// Whether the semantic of the depth promises a bound.
    pub(crate) promises_depth: bool,
    pub(crate) coverage: Option<u32>,
    pub(crate) stencil_ref: Option<u32>,
}

/// How data flows through a pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// By input slot of the vertex shader.
    pub(crate) vertex_inputs: Vec<VertexInput>,
    pub(crate) attributes: Vec<Attribute>,
    /// How many output slots the vertex shader has.
    pub(crate) vertex_slots: u32,
    /// By input slot of the pixel shader.
    pub(crate) inputs: Inputs,
    /// The inputs that the pixel shader's code reads: the others need no values.
    pub(crate) read: BTreeSet<Slot>,
    pub(crate) outputs: PixelOutputs,
    /// The vertex buffers that attributes lie in.
    pub(crate) buffers: usize,
}

impl Link {
    pub(crate) fn new(desc: &GraphicsDesc) -> Result<Link, GraphicsError> {
        let none = StageIo::default();
        let vertex = desc.vertex.module.io.as_ref().unwrap_or(&none);
        let (vertex_inputs, attributes) = link_attributes(desc, vertex)?;
        let (last, of_vertices, has_id) = last_outputs(desc);
        let (last_shader, writer) = match (&desc.geometry, &desc.domain) {
            (Some(geometry), _) => (geometry, "the geometry shader"),
            (None, Some(domain)) => (domain, "the domain shader"),
            (None, None) if desc.vertex.module.group.is_some() => (&desc.vertex, "the mesh shader"),
            (None, None) => (&desc.vertex, "the vertex shader"),
        };
        let layout = vertex_layout(last_shader, &last)?;
        let (inputs, outputs) = match &desc.pixel {
            Some(pixel) => {
                let io = signature(pixel)?;
                let from = Last { outputs: &last, of_vertices, has_id, writer };
                (link_varyings(pixel, &from, io)?, pixel_outputs(desc, io)?)
            }
            None => (Vec::new(), PixelOutputs::default()),
        };
        let insts = desc.pixel.iter().flat_map(|it| &it.module.insts);
        let read = insts.filter_map(|it| match it.op {
            Op::Input(slot) => Some(slot),
            _ => None,
        });
        let read = read.collect();
        let slots = attributes.iter().map(|it: &Attribute| desc.input_layout[it.element].slot + 1);
        Ok(Link {
            vertex_inputs,
            buffers: slots.max().unwrap_or(0),
            attributes,
            vertex_slots: slot_count(&vertex.outputs),
            inputs: Inputs::new(inputs, layout),
            read,
            outputs,
        })
    }
}

/// What the rasterizer receives.
struct Last<'a> {
    outputs: &'a [Element],
    /// How many of the outputs belong to vertices; the others belong to primitives.
    of_vertices: usize,
    /// Whether primitives have numbers.
    has_id: bool,
    writer: &'static str,
}

fn signature(shader: &Shader) -> Result<&StageIo, GraphicsError> {
    match &shader.module.io {
        Some(io) => Ok(io),
        None => unreachable!("pixel shaders have a signature"),
    }
}

/// A semantic as it is written.
pub(super) fn name(element: &Element) -> String {
    let Element { semantic, index, .. } = element;
    if *index == 0 { semantic.clone() } else { format!("{semantic}{index}") }
}

pub(super) fn names<'a>(elements: impl Iterator<Item = &'a Element>) -> Vec<String> {
    elements.map(name).collect()
}

pub(super) fn scalar(element: &Element) -> Scalar {
    match element.scalar {
        HostScalar::F32 => Scalar::F32,
        HostScalar::F16 => Scalar::F16,
        HostScalar::I16 | HostScalar::U16 => Scalar::Int { bits: 16 },
        HostScalar::Bool
        | HostScalar::I32
        | HostScalar::U32
        | HostScalar::I64
        | HostScalar::U64
        | HostScalar::F64 => Scalar::Int { bits: 32 },
    }
}

/// The type of an element in a message.
pub(super) fn type_name(element: &Element) -> String {
    let scalar = match element.scalar {
        HostScalar::Bool => "bool",
        HostScalar::I16 => "int16_t",
        HostScalar::U16 => "uint16_t",
        HostScalar::I32 => "int",
        HostScalar::U32 => "uint",
        HostScalar::I64 => "int64_t",
        HostScalar::U64 => "uint64_t",
        HostScalar::F16 => "half",
        HostScalar::F32 => "float",
        HostScalar::F64 => "double",
    };
    match element.components {
        1 => scalar.to_owned(),
        more => format!("{scalar}{more}"),
    }
}

fn interpolation(of: Interpolation) -> raster::Interpolation {
    raster::Interpolation {
        mode: match of.mode {
            InterpolationMode::Linear => Mode::Linear,
            InterpolationMode::NoPerspective => Mode::NoPerspective,
            InterpolationMode::Flat => Mode::Flat,
        },
        place: match of.place {
            InterpolationPlace::Centre => raster::InterpolationPlace::Centre,
            InterpolationPlace::Centroid => raster::InterpolationPlace::Centroid,
            InterpolationPlace::Sample => raster::InterpolationPlace::Sample,
        },
    }
}

fn link_attributes(
    desc: &GraphicsDesc,
    io: &StageIo,
) -> Result<(Vec<VertexInput>, Vec<Attribute>), GraphicsError> {
    let (mut inputs, mut attributes) = (Vec::new(), Vec::new());
    for element in &io.inputs {
        let components = usize::from(element.components);
        let value = match element.system {
            Some(SystemValue::VertexId) => VertexInput::VertexId,
            Some(SystemValue::InstanceId) => VertexInput::InstanceId,
            Some(SystemValue::StartVertexLocation) => VertexInput::StartVertex,
            Some(SystemValue::StartInstanceLocation) => VertexInput::StartInstance,
            Some(SystemValue::ViewId) => VertexInput::Zero,
            Some(_) | None => {
                let found =
                    desc.input_layout.iter().position(|it| element.is(&it.semantic, it.index));
                let Some(found) = found else {
                    let has = desc.input_layout.iter().map(|it| match it.index {
                        0 => it.semantic.clone(),
                        index => format!("{}{index}", it.semantic),
                    });
                    let (semantic, has) = (name(element), has.collect());
                    let span = element.span;
                    return Err(GraphicsError::NoAttribute { semantic, has, span });
                };
                let attribute = attributes.len();
                attributes.push(Attribute { element: found, scalar: scalar(element) });
                let of = |component| VertexInput::Attribute { attribute, component };
                inputs.extend((0..components).map(of));
                continue;
            }
        };
        inputs.extend(std::iter::repeat_n(value, components));
    }
    Ok((inputs, attributes))
}

fn vertex_layout(shader: &Shader, outputs: &[Element]) -> Result<VertexLayout, GraphicsError> {
    let mut layout = VertexLayout::default();
    for (first, element) in with_slots(outputs) {
        let first = first.0;
        let slots = first..first + u32::from(element.components);
        match element.system {
            Some(SystemValue::Position) => {
                // Missing components of a shorter vector are w = 1 nowhere: the front end demands four.
                layout.position = Some([first, first + 1, first + 2, first + 3]);
            }
            Some(SystemValue::ClipDistance) => layout.clip_distances.extend(slots),
            Some(SystemValue::CullDistance) => layout.cull_distances.extend(slots),
            Some(SystemValue::RenderTargetArrayIndex) => layout.target_index = Some(first),
            Some(SystemValue::ViewportArrayIndex) => layout.viewport_index = Some(first),
            Some(_) | None => {}
        }
    }
    if layout.position.is_none() {
        return Err(GraphicsError::NoPosition { entry: shader.entry().to_owned() });
    }
    let count = layout.clip_distances.len() + layout.cull_distances.len();
    if count > 8 {
        return Err(GraphicsError::TooManyDistances { count });
    }
    Ok(layout)
}

/// The input of the pixel shader in each of its slots.
fn link_varyings(
    pixel: &Shader,
    last: &Last<'_>,
    io: &StageIo,
) -> Result<Vec<Input>, GraphicsError> {
    let mut inputs = Vec::new();
    for element in &io.inputs {
        let place = interpolation(element.interpolation).place;
        let written = || {
            let mut all = with_slots(last.outputs).enumerate();
            all.find(|(_, (_, it))| element.is(&it.semantic, it.index))
        };
        let missing = || GraphicsError::NoVarying {
            stage: Stage::Pixel,
            reader: "the pixel shader",
            writer: last.writer,
            semantic: name(element),
            has: names(last.outputs.iter()),
            span: element.span,
        };
        let components = 0..element.components;
        match element.system {
            Some(SystemValue::Position) => {
                inputs.extend(components.map(|component| Input::Position { component, place }));
                continue;
            }
            Some(SystemValue::Barycentrics) => {
                let interpolation = interpolation(element.interpolation);
                inputs
                    .extend(components.map(|vertex| Input::Barycentric { vertex, interpolation }));
                continue;
            }
            Some(SystemValue::IsFrontFace) => inputs.push(Input::FrontFace),
            Some(SystemValue::PrimitiveId) if !last.has_id => return Err(missing()),
            Some(SystemValue::PrimitiveId) => inputs.push(Input::PrimitiveId),
            Some(SystemValue::SampleIndex) => inputs.push(Input::SampleIndex),
            Some(SystemValue::Coverage) => inputs.push(Input::Coverage),
            Some(SystemValue::InnerCoverage) => {
                let what = "`SV_InnerCoverage`, which needs conservative rasterization".to_owned();
                return Err(GraphicsError::Unsupported { entry: pixel.entry().to_owned(), what });
            }
            // Without an output of the vertex shader these are 0.
            Some(
                SystemValue::RenderTargetArrayIndex
                | SystemValue::ViewportArrayIndex
                | SystemValue::ViewId
                | SystemValue::ShadingRate,
            ) if written().is_none() => inputs.push(Input::Constant(0)),
            Some(_) | None => {
                let Some((number, (first, output))) = written() else { return Err(missing()) };
                if output.components < element.components
                    || scalar(output) != scalar(element)
                    || output.scalar.ty() != element.scalar.ty()
                {
                    return Err(GraphicsError::Varying {
                        stage: Stage::Pixel,
                        reader: "the pixel shader",
                        writer: last.writer,
                        semantic: name(element),
                        written: type_name(output),
                        read: type_name(element),
                        span: element.span,
                    });
                }
                let mut interpolation = interpolation(element.interpolation);
                if number >= last.of_vertices {
                    interpolation.mode = Mode::Flat;
                }
                inputs.extend(components.map(|component| Input::Varying {
                    slot: first.0 + u32::from(component),
                    scalar: scalar(element),
                    interpolation,
                }));
            }
        }
    }
    Ok(inputs)
}

fn pixel_outputs(desc: &GraphicsDesc, io: &StageIo) -> Result<PixelOutputs, GraphicsError> {
    let mut outputs = PixelOutputs::default();
    for (first, element) in with_slots(&io.outputs) {
        let first = first.0;
        match element.system {
            Some(SystemValue::Target) => {
                let target = element.index as usize;
                let is_integer = matches!(scalar(element), Scalar::Int { .. });
                let is_wide =
                    matches!(element.scalar, HostScalar::I64 | HostScalar::U64 | HostScalar::F64);
                if let Some(Some(format)) = desc.targets.get(target)
                    && (is_wide
                        || is_integer != format.is_integer()
                        || is_integer && !same_sign(element, *format))
                {
                    let (written, format, span) = (type_name(element), *format, element.span);
                    return Err(GraphicsError::Output { target, written, format, span });
                }
                if outputs.colours.len() <= target {
                    outputs.colours.resize(target + 1, None);
                }
                outputs.colours[target] = Some((first, element.components, scalar(element)));
            }
            Some(SystemValue::Depth) => outputs.depth = Some(first),
            Some(SystemValue::DepthGreaterEqual | SystemValue::DepthLessEqual) => {
                (outputs.depth, outputs.promises_depth) = (Some(first), true);
            }
            Some(SystemValue::Coverage) => outputs.coverage = Some(first),
            Some(SystemValue::StencilRef) => outputs.stencil_ref = Some(first),
            Some(_) | None => {}
        }
    }
    let blend = desc.blend.first().and_then(|it| it.blend);
    let has_second = outputs.colours.get(1).is_some_and(Option::is_some);
    if blend.is_some_and(|it| it.is_dual_source()) && !has_second {
        return Err(GraphicsError::NoSecondSource);
    }
    Ok(outputs)
}

/// Whether the integers of an output and of a format are both signed or both unsigned.
fn same_sign(element: &Element, format: Format) -> bool {
    let is_signed = matches!(element.scalar, HostScalar::I16 | HostScalar::I32);
    is_signed == matches!(format, Format::Plain { encoding: Encoding::Sint, .. })
}
