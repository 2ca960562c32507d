//! The shaders of a graphics pipeline as code for the device: which there are, how values travel between them, and what
//! is bound to each.
//!
//! Every value that a stage reads has a location, `SV_Position` of a hull, domain or geometry shader included: only the
//! rasterizer reads built-in variables. A device is free to assign pixels, vertices and so on to lanes, so a shader
//! that can observe the assignment is refused, unless the draw records it. The groups of mesh and amplification shaders
//! are like those of dispatches.

use std::borrow::Cow;
use std::sync::Arc;

use ash::vk;
use ir::Module;
use ir::exec::Unsupported;
use ir::stage::{Element, Holder, StageTraits, SystemValue};
use smallvec::smallvec;
use spirv::{Emitted, Environment, Locations, NoDebug};

use super::context::Context;
use super::program::Program;
use super::{special, state};
use crate::engines::DrawJob;
use crate::memory::{self, Indices};

/// One stage: its descriptors, and its code.
pub(super) struct Stage {
    /// What uses its resources; of a hull shader the instructions of both functions.
    pub(super) module: Module,
    pub(super) program: Arc<Program>,
    pub(super) words: Vec<u32>,
    pub(super) flag: vk::ShaderStageFlags,
    /// The width to require of its waves.
    pub(super) width: Option<u32>,
    pub(super) places: Indices,
}

/// A stage before its code is emitted.
struct Planned<'a> {
    source: Cow<'a, Module>,
    /// The patch-constant function of a hull shader.
    constants: Option<&'a Module>,
    flag: vk::ShaderStageFlags,
    places: Indices,
    /// The inputs and outputs that travel.
    inputs: Vec<Element>,
    outputs: Vec<Element>,
    /// How many outputs belong to vertices, if others follow, which belong to primitives or patches.
    of_vertices: Option<usize>,
}

impl<'a> Planned<'a> {
    fn new(source: Cow<'a, Module>, flag: vk::ShaderStageFlags, places: &Indices) -> Planned<'a> {
        let places = places.clone();
        let (inputs, outputs, of_vertices) = match (&source.io, &source.group) {
            (Some(io), _) => {
                let outputs = match &io.traits {
                    StageTraits::Geometry(traits) => {
                        traits.streams.first().map_or_else(Vec::new, |it| it.elements.clone())
                    }
                    _ => io.outputs.clone(),
                };
                (io.inputs.clone(), outputs, None)
            }
            (None, Some(group)) => match &group.mesh {
                Some(mesh) => {
                    let all = mesh.vertices.iter().chain(&mesh.primitives).cloned().collect();
                    (Vec::new(), all, Some(mesh.vertices.len()))
                }
                None => (Vec::new(), Vec::new(), None),
            },
            (None, None) => (Vec::new(), Vec::new(), None),
        };
        Planned { source, constants: None, flag, places, inputs, outputs, of_vertices }
    }

    fn with_constants(mut self, constants: &'a Module) -> Planned<'a> {
        self.of_vertices = Some(self.outputs.len());
        if let Some(io) = &constants.io {
            self.inputs.extend(io.inputs.iter().cloned());
            self.outputs.extend(io.outputs.iter().cloned());
        }
        self.constants = Some(constants);
        self
    }
}

/// The stages of a draw, in the order in which they run.
fn planned<'a>(job: &DrawJob<'a>) -> Result<Vec<Planned<'a>>, Unsupported> {
    use vk::ShaderStageFlags as Flag;
    let (desc, places) = (job.desc, job.places);
    let is_mesh = desc.vertex.module.group.is_some();
    let mut all = Vec::new();
    if let Some(shader) = &desc.amplification {
        let source = Cow::Borrowed(&*shader.module);
        all.push(Planned::new(source, Flag::TASK_EXT, places.amplification));
    }
    let recorded = recorded_modules(job);
    let (vertex, pixel) = match recorded {
        Some([vertex, pixel]) => (Cow::Owned(vertex), Some(Cow::Owned(pixel))),
        None => {
            let pixel = desc.pixel.as_ref().map(|it| Cow::Borrowed(&*it.module));
            (Cow::Borrowed(&*desc.vertex.module), pixel)
        }
    };
    let flag = if is_mesh { Flag::MESH_EXT } else { Flag::VERTEX };
    all.push(Planned::new(vertex, flag, places.vertex));
    if let (Some(hull), Some(domain)) = (&desc.hull, &desc.domain) {
        let control = Flag::TESSELLATION_CONTROL;
        let planned = Planned::new(Cow::Borrowed(&*hull.module), control, places.hull);
        let Some(constants) = &hull.patch else {
            unreachable!("a hull shader has a patch-constant function")
        };
        all.push(planned.with_constants(constants));
        let evaluation = Flag::TESSELLATION_EVALUATION;
        all.push(Planned::new(Cow::Borrowed(&*domain.module), evaluation, places.domain));
    }
    if let Some(shader) = &desc.geometry {
        let source = Cow::Borrowed(&*shader.module);
        all.push(Planned::new(source, Flag::GEOMETRY, places.geometry));
    }
    if let Some(pixel) = pixel {
        let mut planned = Planned::new(pixel, Flag::FRAGMENT, places.pixel);
        if job.record.is_some() {
            planned.places.push(smallvec![job.record]);
        }
        all.push(planned);
    }
    Ok(all)
}

/// Emits the shaders and makes their descriptors.
pub(super) fn of(
    context: &Arc<Context>,
    job: &DrawJob<'_>,
    memory: &memory::Memory<'_>,
) -> Result<Vec<Stage>, Unsupported> {
    let planned = planned(job)?;
    let mut stages: Vec<Stage> = Vec::new();
    let mut first_set = 0;
    let last = planned.iter().rposition(|it| it.flag != vk::ShaderStageFlags::FRAGMENT);
    for (number, (it, locations)) in planned.iter().zip(all_locations(&planned)).enumerate() {
        // Only points need it, and stages after the vertex shader a feature for it.
        let point_size = last == Some(number)
            && (it.flag == vk::ShaderStageFlags::VERTEX || job.kind == raster::Kind::Point);
        let environment =
            Environment { first_set, point_size, ..environment(context, job, locations) };
        let stage = stage(context, job, memory, it, environment)?;
        first_set = first_set.max(stage.program.sets.len() as u32);
        stages.push(stage);
    }
    let most = context.capabilities.limits.max_bound_descriptor_sets;
    if first_set > most {
        let missing = format!("the device `{}` supports at most {most}", context.capabilities.name);
        return state::unsupported(format!("{first_set} register spaces"), missing);
    }
    Ok(stages)
}

/// What all stages of a draw have in common, and the locations of one.
fn environment(context: &Context, job: &DrawJob<'_>, locations: StageLocations) -> Environment {
    let blend = job.desc.blend.first().and_then(|it| it.blend);
    Environment {
        locations: locations.all,
        of_primitives: locations.of_primitives,
        layers: Some(job.state.layers),
        dual_source: blend.is_some_and(|it| it.is_dual_source()),
        ..context.capabilities.graphics_environment()
    }
}

/// Emits a shader.
fn stage(
    context: &Arc<Context>,
    job: &DrawJob<'_>,
    memory: &memory::Memory<'_>,
    planned: &Planned<'_>,
    environment: Environment,
) -> Result<Stage, Unsupported> {
    let Planned { source, constants, flag, places, .. } = planned;
    let graphics = context.capabilities.graphics;
    let sees_packing = source.sees_packing() || constants.is_some_and(Module::sees_packing);
    let is_recorded = job.record.is_some() && *flag == vk::ShaderStageFlags::FRAGMENT;
    let width = match is_recorded || sees_packing {
        true => Some(packed_width(context, &source.name, job, *flag)?),
        false => None,
    };
    let width = width.filter(|_| graphics.width_stages.contains(*flag));
    let empty = memory::Slot::default();
    let key = special::key(source, &memory.contents(places, &empty));
    let special = |it| {
        let module = special::module(it, &key);
        match context.capabilities.traces_in_software() {
            true => legalize::without_ray_queries(&module).into_owned(),
            false => module.into_owned(),
        }
    };
    let mut module = special(source);
    let constants = constants.map(special);
    let bound = key.iter().map(|it| it.bound.clone()).collect();
    let environment = Environment { lanes: width, bound, ..environment };
    let emitted = match &constants {
        Some(constants) => spirv::emit_hull(&module, constants, &environment, &NoDebug),
        None => spirv::emit(&module, &environment, &NoDebug),
    };
    let Emitted { words, reflection } = emitted.map_err(|it| Unsupported {
        asked: it.asked,
        missing: format!("SPIR-V cannot express {}", it.what),
    })?;
    let uses_waves = reflection.capabilities.contains(&"GroupNonUniform");
    if uses_waves && !graphics.subgroup_stages.contains(*flag) {
        let name = &context.capabilities.name;
        let missing = format!("the device `{name}` has no wave operations in this stage");
        return state::unsupported(format!("`{}`", source.name), missing);
    }
    // The resources of both functions are the same, and are looked at for all of their uses.
    if let Some(constants) = &constants {
        module.insts.extend(constants.insts.iter().cloned());
    }
    let program = Arc::new(Program::of_stage(context, &reflection, *flag)?);
    Ok(Stage { module, program, words, flag: *flag, width, places: places.clone() })
}

/// The shaders with instructions that record the packing of pixels, if it is recorded.
fn recorded_modules(job: &DrawJob<'_>) -> Option<[Module; 2]> {
    job.record?;
    let pixel = &*job.desc.pixel.as_ref()?.module;
    let vertex = &*job.desc.vertex.module;
    let told = job.desc.told(job.draw.instances);
    let (pixel, _) = ir::packing::pixel(pixel, told);
    let vertex = if told.instances { ir::packing::vertex(vertex) } else { vertex.clone() };
    Some([vertex, pixel])
}

/// The width of the waves of a shader that can see it, if the device can have it.
fn packed_width(
    context: &Context,
    entry: &str,
    job: &DrawJob<'_>,
    stage: vk::ShaderStageFlags,
) -> Result<u32, Unsupported> {
    use vk::ShaderStageFlags as Flag;
    let width = job.width;
    let is_recorded = job.record.is_some() && stage == Flag::FRAGMENT;
    let asked = format!("wave operations of {width} lanes in `{entry}`");
    let is_group = [Flag::MESH_EXT, Flag::TASK_EXT].contains(&stage);
    if !is_recorded && !is_group {
        let missing = match stage {
            Flag::FRAGMENT => {
                "a GPU assigns pixels to lanes itself; record the packing to see which"
            }
            Flag::VERTEX => "a GPU assigns vertices to lanes itself",
            _ => "a GPU assigns primitives and points to lanes itself",
        };
        return state::unsupported(asked, missing);
    }
    let graphics = context.capabilities.graphics;
    let is_possible = match graphics.width_stages.contains(stage) {
        true => context.capabilities.widths.contains(width),
        false => graphics.width == width,
    };
    if !is_possible {
        let missing = format!("the device `{}` draws with others", context.capabilities.name);
        return state::unsupported(asked, missing);
    }
    Ok(width)
}

/// The locations of a stage.
struct StageLocations {
    all: Locations,
    /// For each input of the pixel shader, whether it belongs to the primitive.
    of_primitives: Vec<bool>,
}

fn all_locations(planned: &[Planned<'_>]) -> Vec<StageLocations> {
    let mut inputs: Vec<Vec<Option<u32>>> =
        planned.iter().map(|it| vec![None; it.inputs.len()]).collect();
    let mut outputs: Vec<Vec<Option<u32>>> =
        planned.iter().map(|it| vec![None; it.outputs.len()]).collect();
    let mut of_primitives = vec![Vec::new(); planned.len()];
    for (number, it) in planned.iter().enumerate() {
        if it.flag == vk::ShaderStageFlags::VERTEX {
            let of_buffers = inputs[number].iter_mut().zip(&it.inputs);
            let of_buffers = of_buffers.filter(|(_, it)| it.system.is_none());
            for (attribute, (location, _)) in (0..).zip(of_buffers) {
                *location = Some(attribute);
            }
        }
        let Some(before) = number.checked_sub(1).map(|it| &planned[it]) else { continue };
        if before.flag == vk::ShaderStageFlags::TASK_EXT {
            continue;
        }
        let mut next = 0;
        let mut given = |found: usize, outputs: &mut Vec<Option<u32>>| {
            *outputs[found].get_or_insert_with(|| {
                next += 1;
                next - 1
            })
        };
        // The patch-constant function may read what the domain shader does not.
        if before.flag == vk::ShaderStageFlags::TESSELLATION_CONTROL {
            (0..before.outputs.len()).for_each(|it| {
                given(it, &mut outputs[number - 1]);
            });
        }
        for (at, element) in it.inputs.iter().enumerate() {
            let of = |it: &Element| it.is(&element.semantic, element.index);
            let found = match element.holder {
                // Of the same stage.
                Holder::Point(_) if it.flag == vk::ShaderStageFlags::TESSELLATION_CONTROL => None,
                Holder::Patch => {
                    let first = before.of_vertices.unwrap_or(before.outputs.len());
                    before.outputs[first..].iter().position(of).map(|it| first + it)
                }
                Holder::Own | Holder::Vertex(_) | Holder::Point(_) => {
                    before.outputs.iter().position(of)
                }
            };
            if let (vk::ShaderStageFlags::FRAGMENT, Some(first)) = (it.flag, before.of_vertices) {
                of_primitives[number].push(found.is_some_and(|it| it >= first));
            }
            if let Some(found) = found.filter(|_| is_passed(element)) {
                inputs[number][at] = Some(given(found, &mut outputs[number - 1]));
            }
        }
    }
    let locations = inputs.into_iter().zip(outputs);
    let locations = locations.map(|(inputs, outputs)| Locations::Given { inputs, outputs });
    let all = locations.zip(of_primitives);
    all.map(|(all, of_primitives)| StageLocations { all, of_primitives }).collect()
}

/// Whether an input arrives from the stage before, rather than from the device.
fn is_passed(element: &Element) -> bool {
    matches!(
        element.system,
        None | Some(
            SystemValue::RenderTargetArrayIndex
                | SystemValue::ViewportArrayIndex
                | SystemValue::ViewId
                | SystemValue::ShadingRate
        )
    )
}
