//! Binds a draw: the pipeline's state, the vertex buffers and targets, and a table for each shader.
//!
//! All shaders see the same memory wherever a job binds the same buffer.

use wavelane::graphics::{GraphicsDesc, InputElement, RasterizerState};
use wavelane::{IndexBuffer, ResourceTable, Shader, Stage, StageTables, VertexBuffer};

use super::attachment::Attachments;
use super::passes::{Memory, Passing};
use super::{BindProblem, bind_with, texel_format_of};
use crate::job::Job;
use crate::job::draw::{Attribute, Draw, Stream};
use crate::root::Root;

/// A draw whose buffers are bound.
pub(crate) struct Bound {
    pub(crate) draw: wavelane::Draw,
    /// One for each shader, in the order of the job.
    pub(crate) tables: Vec<ResourceTable>,
    pub(crate) doubts: Vec<String>,
    attachments: Attachments,
    memory: Memory,
}

/// What there is for each stage of a draw, in any order.
pub(crate) fn of_stage<T>(all: &[(Stage, T)], stage: Stage) -> Option<&T> {
    all.iter().find(|it| it.0 == stage).map(|it| &it.1)
}

/// The tables of a draw's shaders.
pub(crate) fn tables<'a>(all: &[(Stage, &'a ResourceTable)]) -> StageTables<'a> {
    StageTables::by_stage(|stage| of_stage(all, stage).copied())
        .unwrap_or_else(|| unreachable!("the reader demands a vertex or a mesh shader"))
}

/// The pipeline of a draw, which has a vertex or a mesh shader.
pub fn desc(draw: &Draw, shaders: &[(Stage, &Shader)]) -> GraphicsDesc {
    let of = |stage| of_stage(shaders, stage).copied();
    let Some(vertex) = of(Stage::Mesh).or_else(|| of(Stage::Vertex)) else {
        unreachable!("the reader demands a vertex or a mesh shader")
    };
    let per_vertex = draw.vertices.attributes.iter().map(|it| input(it, 0, None));
    // Instances take the first slot if there are no vertices.
    let slot = usize::from(draw.vertices.buffer.is_some());
    let per_instance = draw.per_instance.attributes.iter().map(|it| input(it, slot, Some(1)));
    GraphicsDesc {
        input_layout: per_vertex.chain(per_instance).collect(),
        topology: draw.topology,
        rasterizer: RasterizerState {
            cull: draw.cull,
            front_counter_clockwise: !draw.front_is_clockwise,
            depth_bias: draw.bias,
            depth_clip: draw.depth_clip,
        },
        depth_stencil: draw.depth.tests,
        blend: draw.targets.iter().map(|it| draw.write_of(it)).collect(),
        alpha_to_coverage: draw.alpha_to_coverage,
        targets: draw.targets.iter().map(|it| Some(it.format)).collect(),
        depth_format: Some(draw.depth.format),
        samples: draw.samples,
        sample_mask: draw.sample_mask,
        amplification: of(Stage::Amplification).cloned(),
        hull: of(Stage::Hull).cloned(),
        domain: of(Stage::Domain).cloned(),
        geometry: of(Stage::Geometry).cloned(),
        ..GraphicsDesc::new(vertex, of(Stage::Pixel))
    }
}

fn input(attribute: &Attribute, slot: usize, step_rate: Option<u32>) -> InputElement {
    let digits = attribute.name.len()
        - attribute.name.trim_end_matches(|it: char| it.is_ascii_digit()).len();
    let (semantic, index) = attribute.name.split_at(attribute.name.len() - digits);
    InputElement {
        semantic: semantic.to_owned(),
        index: index.parse().unwrap_or(0),
        format: texel_format_of(attribute.format, attribute.channels),
        slot,
        offset: attribute.offset as usize,
        step_rate,
    }
}

/// Binds the draw of a job; `programs` are its shaders.
pub(crate) fn bind(
    job: &Job,
    draw: &Draw,
    programs: &[(&Shader, &Root)],
    is_vulkan: bool,
) -> Result<Bound, BindProblem> {
    let mut memory = Memory::default();
    let (mut tables, mut doubts) = (Vec::new(), Vec::new());
    for (index, (shader, root)) in programs.iter().enumerate() {
        let mut passing = Passing::of_draw(&mut memory, index);
        let binding = bind_with(job, shader, root, is_vulkan, Some(&mut passing))?;
        tables.push(binding.table);
        for doubt in binding.doubts {
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
        }
    }
    let mut buffer = |index: usize| memory.buffer(job, index).map_err(BindProblem);
    let mut vertex_buffers = Vec::new();
    for Stream { buffer: index, stride, .. } in [&draw.vertices, &draw.per_instance] {
        if let Some(index) = index {
            vertex_buffers.push(VertexBuffer { buffer: buffer(*index)?, stride: *stride as usize });
        }
    }
    let indices = match draw.index {
        Some(it) => Some(IndexBuffer { buffer: buffer(it.buffer)?, format: it.format }),
        None => None,
    };
    let mut size = None;
    for target in &draw.targets {
        let source = &job.buffers[target.buffer];
        if memory.has(target.buffer) {
            let what = format!("`{}` is a target, and bound to a shader", source.name);
            return Err(BindProblem(what));
        }
        let Some(it) = source.texture else {
            return Err(BindProblem(format!("`{}` has no `OutputProps`", source.name)));
        };
        size = Some([it.width, it.height, it.depth]);
    }
    let wrong = |error: wavelane::BufferError| BindProblem(error.to_string());
    let attachments = Attachments::new(draw, size.unwrap_or([1; 3]), true).map_err(wrong)?;
    let stencil = draw.depth.tests.stencil;
    let mut draw = wavelane::Draw {
        groups: job.groups,
        instances: draw.instances,
        indices,
        vertex_buffers,
        viewports: draw.viewports.clone(),
        scissors: (!draw.scissors.is_empty()).then(|| draw.scissors.clone()),
        blend_factor: draw.blend_factor,
        stencil_ref: stencil.map_or(0, |it| it.reference),
        ..wavelane::Draw::new(draw.count)
    };
    attachments.attach(&mut draw);
    Ok(Bound { draw, tables, doubts, attachments, memory })
}

impl Bound {
    /// Copies what the draw wrote back into the job: targets with several samples are resolved.
    pub(crate) fn take_back(&self, job: &mut Job, draw: &Draw) -> Result<(), String> {
        let wrong = |error: wavelane::BufferError| error.to_string();
        let texels = self.attachments.texels().map_err(wrong)?;
        for (target, texels) in draw.targets.iter().zip(texels) {
            job.buffers[target.buffer].data[0] = texels;
        }
        let stencil = self.attachments.stencil().map_err(wrong)?;
        if let (Some(index), Some(stencil)) = (draw.depth.stencil_buffer, stencil) {
            job.buffers[index].data[0] = stencil;
        }
        self.memory.take_back(job);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::NumberFormat;

    #[test]
    fn the_last_digits_of_a_name_are_the_index_of_its_semantic() {
        for (name, semantic, index) in
            [("TEXCOORD", "TEXCOORD", 0), ("TEXCOORD12", "TEXCOORD", 12), ("A1B2", "A1B", 2)]
        {
            let attribute = Attribute {
                name: name.to_owned(),
                format: NumberFormat::Float32,
                channels: 2,
                offset: 4,
                at: 0..0,
            };
            let it = input(&attribute, 1, None);
            assert_eq!((it.semantic.as_str(), it.index), (semantic, index));
            assert_eq!(it.format.to_string(), "RG32_FLOAT");
        }
    }
}
