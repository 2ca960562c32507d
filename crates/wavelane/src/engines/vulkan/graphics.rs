//! Draws on a GPU: the shaders of a graphics pipeline (`stages.rs`) as a pipeline of the device, made for one draw, and
//! its recording.
//!
//! The device's fixed functions replace `raster`: coverage, interpolation and blending are as exact as the device is.
//! What Vulkan or the device cannot express is refused by name (`state.rs`). A device is free to assign pixels to
//! lanes, so a shader that can observe the assignment is refused, unless the draw records it.
//!
//! Draws have a separate device, with a queue that can draw; what shaders bind stays on it, like after a dispatch
//! (`resident.rs`).

use std::ffi::CString;
use std::sync::Arc;

use ash::vk;
use ir::exec::{Failure, Unsupported};

use super::attachment::Attachments;
use super::context::{Context, Memory};
use super::run::{self, BoundStages, Job};
use super::stages::{self, Stage};
use super::state;
use crate::engines::{DrawJob, Part};
use crate::graphics::Packing;
use crate::memory;

/// The largest vertex buffer that is extended with zeros, so that reads beyond its end need no robustness.
const MOST_PADDED: u64 = 1 << 28;

/// The objects of a draw; destroyed after it, unless the device may still use them.
struct Drawn {
    context: Arc<Context>,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    modules: Vec<vk::ShaderModule>,
    /// By attribute, the buffer of its slot.
    vertex_buffers: Vec<Memory>,
    indices: Option<Memory>,
}

/// Draws on the device of the context.
pub(super) fn draw(
    context: &Arc<Context>,
    job: &mut DrawJob<'_>,
    memory: &mut memory::Memory<'_>,
) -> Result<(), Failure> {
    if job.draw.packing != Packing::default() || job.draw.replay.is_some() {
        let missing = "a GPU assigns pixels to lanes itself";
        return state::unsupported("a packing of quads", missing).map_err(Failure::Unsupported);
    }
    state::check(context, job).map_err(Failure::Unsupported)?;
    let stages = stages::of(context, job, memory).map_err(Failure::Unsupported)?;
    let attachments = Attachments::new(context, job.desc, &job.attached)?;
    let mut drawn = Drawn {
        context: context.clone(),
        layout: vk::PipelineLayout::null(),
        pipeline: vk::Pipeline::null(),
        modules: Vec::new(),
        vertex_buffers: Vec::new(),
        indices: None,
    };
    drawn.buffers(job)?;
    drawn.pipeline(job, &stages).map_err(Failure::Unsupported)?;
    let pushed = pushed(&stages)?;
    let jobs: Vec<Job<'_>> = stages
        .iter()
        .enumerate()
        .map(|(space, stage)| Job {
            program: &stage.program,
            module: &stage.module,
            launch: job.launch,
            places: Some(&stage.places),
            indirect: None,
            space,
        })
        .collect();
    let time = run::draw(&jobs, memory, |commands, bound| {
        // SAFETY: the commands are being recorded; everything they name lives until `run::draw` has returned, or is
        // leaked because the device is lost.
        unsafe { drawn.record(commands, job, &stages, bound, &pushed, &attachments) };
    })?;
    if let (Some(statistics), Some(time)) = (&job.draw.statistics, time) {
        statistics.add_time(time);
    }
    attachments.download(&mut job.attached);
    Ok(())
}

/// The stage that has push constants, whose ranges begin at 0 in all.
fn pushed(stages: &[Stage]) -> Result<Option<(vk::ShaderStageFlags, u32, usize)>, Failure> {
    let mut found: Option<(vk::ShaderStageFlags, u32, usize)> = None;
    for (number, stage) in stages.iter().enumerate() {
        let Some(push) = &stage.program.reflection.push else { continue };
        if found.is_some() {
            return Err(Failure::Unsupported(Unsupported {
                asked: "push constants of several stages".to_owned(),
                missing: "they would share their bytes".to_owned(),
            }));
        }
        found = Some((stage.flag, push.bytes, number));
    }
    Ok(found)
}

impl Drawn {
    /// A buffer that the host fills, with zeros up to a size.
    fn buffer(
        &self,
        bytes: &[u8],
        size: u64,
        usage: vk::BufferUsageFlags,
    ) -> Result<Memory, Failure> {
        use vk::MemoryPropertyFlags as Flags;
        let context = &self.context;
        let size = size.max(bytes.len() as u64).max(4);
        let needs = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let memory = context.buffer(size, usage, needs, Flags::DEVICE_LOCAL)?;
        let (all, none) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        // SAFETY: the memory can be mapped and is mapped once; it has `size` bytes, and the device does not use it yet.
        unsafe {
            let mapped = match context.device.map_memory(memory.memory, 0, all, none) {
                Ok(mapped) => mapped.cast::<u8>(),
                Err(error) => {
                    context.free(memory);
                    return Err(context.failed(error, size));
                }
            };
            std::ptr::write_bytes(mapped, 0, size as usize);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped, bytes.len());
            context.device.unmap_memory(memory.memory);
        }
        Ok(memory)
    }

    /// Makes the buffers of the input assembler. Beyond their ends they read as 0.
    fn buffers(&mut self, job: &DrawJob<'_>) -> Result<(), Failure> {
        let draw = job.draw;
        let mut last = u64::from(draw.start) + u64::from(draw.count);
        if let (Some(indices), Some(bytes)) = (&draw.indices, &job.indices) {
            let size = indices.format.bytes();
            let cut = indices.format.cut();
            let numbers = bytes
                .chunks_exact(size)
                .map(|it| it.iter().rev().fold(0u32, |all, byte| all << 8 | u32::from(*byte)));
            let most = numbers.filter(|it| *it != cut).max().unwrap_or(0);
            last = (i64::from(most) + i64::from(draw.base_vertex) + 1).max(1) as u64;
            let needs = (u64::from(draw.start) + u64::from(draw.count)) * size as u64;
            let needs = if needs <= MOST_PADDED { needs } else { 0 };
            let usage = vk::BufferUsageFlags::INDEX_BUFFER;
            self.indices = Some(self.buffer(bytes, needs, usage)?);
        }
        for attribute in &job.link.attributes {
            let element = &job.desc.input_layout[attribute.element];
            let elements = match element.step_rate {
                None => last,
                Some(_) => u64::from(draw.start_instance) + u64::from(draw.instances),
            };
            let stride = draw.vertex_buffers[element.slot].stride as u64;
            let end = elements.saturating_mul(stride).saturating_add(element.offset as u64 + 16);
            let needs = if end <= MOST_PADDED { end } else { 0 };
            let bytes = &job.buffers[element.slot];
            let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
            let made = self.buffer(bytes, needs, usage)?;
            self.vertex_buffers.push(made);
        }
        Ok(())
    }

    fn pipeline(&mut self, job: &DrawJob<'_>, stages: &[Stage]) -> Result<(), Unsupported> {
        let (bindings, attributes) = self.vertex_input(job)?;
        let (viewports, scissors) = state::viewports(&self.context, job.desc, job.state)?;
        let made = self.make(job, stages, (&bindings, &attributes), (&viewports, &scissors));
        made.map_err(|result| Unsupported {
            asked: format!("a pipeline for `{}`", job.desc.vertex.entry()),
            missing: format!(
                "the driver of `{}` cannot create it: {result}",
                self.context.capabilities.name
            ),
        })
    }

    fn vertex_input(
        &self,
        job: &DrawJob<'_>,
    ) -> Result<
        (Vec<vk::VertexInputBindingDescription>, Vec<vk::VertexInputAttributeDescription>),
        Unsupported,
    > {
        let inputs = job.desc.vertex.module.io.as_ref().map_or(&[][..], |it| &it.inputs);
        let mut read = inputs.iter().filter(|it| it.system.is_none());
        let (mut bindings, mut attributes) = (Vec::new(), Vec::new());
        for (number, attribute) in (0..).zip(&job.link.attributes) {
            let element = &job.desc.input_layout[attribute.element];
            let Some(input) = read.next() else {
                unreachable!("each attribute has an input of the vertex shader")
            };
            let signed = matches!(input.scalar, ir::HostScalar::I16 | ir::HostScalar::I32);
            let (semantic, scalar) = (&element.semantic, attribute.scalar);
            let format =
                state::attribute_format(&self.context, semantic, element.format, scalar, signed)?;
            let stride = job.draw.vertex_buffers[element.slot].stride;
            let asked = format!("the attribute `{semantic}`");
            let unit = element.format.bytes() / element.format.channels().count().max(1);
            let unit = if unit * element.format.channels().count() == element.format.bytes() {
                unit.max(1)
            } else {
                element.format.bytes()
            };
            if !stride.is_multiple_of(unit) || !element.offset.is_multiple_of(unit) {
                return state::unsupported(asked, "Vulkan needs attributes that are aligned");
            }
            let limits = &self.context.capabilities.limits;
            if stride > limits.max_vertex_input_binding_stride as usize
                || number >= limits.max_vertex_input_bindings
            {
                return state::unsupported(asked, "it is beyond a limit of the device");
            }
            let rate = match element.step_rate {
                None => vk::VertexInputRate::VERTEX,
                Some(1) => vk::VertexInputRate::INSTANCE,
                Some(rate) => {
                    let missing = format!("steps of {rate} instances are not supported");
                    return state::unsupported(asked, missing);
                }
            };
            bindings.push(vk::VertexInputBindingDescription {
                binding: number,
                stride: stride as u32,
                input_rate: rate,
            });
            attributes.push(vk::VertexInputAttributeDescription {
                location: number,
                binding: number,
                format,
                // The buffer is bound from the offset on.
                offset: 0,
            });
        }
        Ok((bindings, attributes))
    }

    fn make(
        &mut self,
        job: &DrawJob<'_>,
        stages: &[Stage],
        (bindings, attributes): (
            &[vk::VertexInputBindingDescription],
            &[vk::VertexInputAttributeDescription],
        ),
        (viewports, scissors): (&[vk::Viewport], &[vk::Rect2D]),
    ) -> Result<(), vk::Result> {
        let desc = job.desc;
        let graphics = self.context.capabilities.graphics;
        self.make_layout(stages)?;
        self.make_modules(stages)?;
        let names: Vec<CString> = stages
            .iter()
            .map(|it| CString::new(it.program.reflection.entry.as_str()).unwrap_or_default())
            .collect();
        let mut required: Vec<vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo<'_>> = stages
            .iter()
            .map(|it| {
                vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
                    .required_subgroup_size(it.width.unwrap_or(0))
            })
            .collect();
        let made = stages.iter().zip(&self.modules).zip(&names).zip(&mut required).map(
            |(((stage, module), name), required)| {
                let made = vk::PipelineShaderStageCreateInfo::default()
                    .stage(stage.flag)
                    .module(*module)
                    .name(name);
                if stage.width.is_some() { made.push_next(required) } else { made }
            },
        );
        let made: Vec<vk::PipelineShaderStageCreateInfo<'_>> = made.collect();

        let vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(bindings)
            .vertex_attribute_descriptions(attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(state::topology(desc.topology))
            .primitive_restart_enable(desc.topology.is_strip() && job.draw.indices.is_some());
        let viewport =
            vk::PipelineViewportStateCreateInfo::default().viewports(viewports).scissors(scissors);
        let tessellation = vk::PipelineTessellationStateCreateInfo::default()
            .patch_control_points(desc.topology.vertices());
        let mut clip = vk::PipelineRasterizationDepthClipStateCreateInfoEXT::default()
            .depth_clip_enable(desc.rasterizer.depth_clip);
        let mut lines = vk::PipelineRasterizationLineStateCreateInfoEXT::default()
            .line_rasterization_mode(vk::LineRasterizationModeEXT::BRESENHAM);
        let clamps = self.context.capabilities.features.depth_clamp == vk::TRUE
            && (graphics.clips_depth || !desc.rasterizer.depth_clip);
        let mut raster = state::rasterization(&desc.rasterizer).depth_clamp_enable(clamps);
        if graphics.clips_depth {
            raster = raster.push_next(&mut clip);
        }
        if graphics.draws_lines {
            raster = raster.push_next(&mut lines);
        }
        // Vulkan takes the samples of alpha from those that the shader writes, too; Direct3D ignores alpha then.
        let by_alpha = desc.alpha_to_coverage && job.link.outputs.coverage.is_none();
        let mask = [desc.sample_mask];
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(desc.samples.count()))
            .sample_mask(&mask)
            .alpha_to_coverage_enable(by_alpha);
        let depth_stencil = state::depth_stencil(desc, job.draw.stencil_ref);
        let blending = state::blending(desc, job.link);
        let logic = desc.blend.iter().find_map(|it| it.logic);
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&blending)
            .logic_op_enable(logic.is_some())
            .logic_op(logic.map_or(vk::LogicOp::COPY, state::logic))
            .blend_constants(job.draw.blend_factor);
        let formats: Vec<vk::Format> = desc
            .targets
            .iter()
            .map(|it| it.and_then(super::format::target_format).unwrap_or_default())
            .collect();
        let depth = desc.depth_format.map_or(vk::Format::UNDEFINED, state::depth_format);
        let has_stencil = desc.depth_format.is_some_and(|it| it.has_stencil());
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&formats)
            .depth_attachment_format(depth)
            .stencil_attachment_format(if has_stencil { depth } else { vk::Format::UNDEFINED });
        let mut create = vk::GraphicsPipelineCreateInfo::default();
        if desc.vertex.module.group.is_none() {
            create = create.vertex_input_state(&vertex_input).input_assembly_state(&assembly);
        }
        if desc.hull.is_some() {
            create = create.tessellation_state(&tessellation);
        }
        let create = [create
            .stages(&made)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth_stencil)
            .color_blend_state(&blend)
            .layout(self.layout)
            .push_next(&mut rendering)];
        // SAFETY: everything that the structures name is alive, and within the device's features, which `state::check`
        // has compared.
        let pipelines = unsafe {
            self.context.device.create_graphics_pipelines(vk::PipelineCache::null(), &create, None)
        };
        self.pipeline =
            pipelines.map_err(|(_, result)| result)?.first().copied().unwrap_or_default();
        Ok(())
    }

    /// The layout: the sets of all stages, one after the other, and their push constants.
    fn make_layout(&mut self, stages: &[Stage]) -> Result<(), vk::Result> {
        let mut sets: Vec<vk::DescriptorSetLayout> = Vec::new();
        for stage in stages {
            sets.extend(stage.program.sets.iter().skip(sets.len()));
        }
        let pushed = stages.iter().filter_map(|it| {
            let push = it.program.reflection.push.as_ref()?;
            Some(vk::PushConstantRange { stage_flags: it.flag, offset: 0, size: push.bytes })
        });
        let pushed: Vec<vk::PushConstantRange> = pushed.collect();
        let create = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&sets)
            .push_constant_ranges(&pushed);
        // SAFETY: the layouts of the sets are alive.
        self.layout = unsafe { self.context.device.create_pipeline_layout(&create, None) }?;
        Ok(())
    }

    fn make_modules(&mut self, stages: &[Stage]) -> Result<(), vk::Result> {
        for stage in stages {
            let create = vk::ShaderModuleCreateInfo::default().code(&stage.words);
            // SAFETY: the words are a module that `spirv` has emitted.
            let module = unsafe { self.context.device.create_shader_module(&create, None) }?;
            self.modules.push(module);
        }
        Ok(())
    }

    /// Records the draw.
    ///
    /// # Safety
    /// The commands are being recorded, and everything they name lives until they have ended.
    unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        job: &DrawJob<'_>,
        stages: &[Stage],
        bound: &BoundStages<'_>,
        pushed: &Option<(vk::ShaderStageFlags, u32, usize)>,
        attachments: &Attachments,
    ) {
        let device = &self.context.device;
        let (views, depth) = attachments.views();
        let attachment = |view: Option<vk::ImageView>| {
            vk::RenderingAttachmentInfo::default()
                .image_view(view.unwrap_or_default())
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
        };
        let colours: Vec<vk::RenderingAttachmentInfo<'_>> =
            views.into_iter().map(attachment).collect();
        let depth_attachment = attachment(depth);
        let has_stencil = job.attached.iter().any(|it| it.part == Part::Stencil);
        let limits = &self.context.capabilities.limits;
        let area = vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D {
                width: job.state.width.min(limits.max_framebuffer_width),
                height: job.state.height.min(limits.max_framebuffer_height),
            },
        };
        let mut rendering = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(job.state.layers)
            .color_attachments(&colours);
        if depth.is_some() {
            rendering = rendering.depth_attachment(&depth_attachment);
            if has_stencil {
                rendering = rendering.stencil_attachment(&depth_attachment);
            }
        }
        // SAFETY: the caller's contract.
        unsafe {
            attachments.fill(commands);
            let has_clock = bound.clock != vk::QueryPool::null();
            let end = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
            if has_clock {
                device.cmd_reset_query_pool(commands, bound.clock, 0, 2);
                device.cmd_write_timestamp(commands, end, bound.clock, 0);
            }
            device.cmd_begin_rendering(commands, &rendering);
            self.bind(commands, job, stages, bound, pushed);
            self.call(commands, job);
            device.cmd_end_rendering(commands);
            if has_clock {
                device.cmd_write_timestamp(commands, end, bound.clock, 1);
            }
            attachments.read(commands);
        }
    }

    /// Binds the pipeline, the descriptors of its stages, the push constants and the vertex buffers.
    ///
    /// # Safety
    /// That of [`Drawn::record`].
    unsafe fn bind(
        &self,
        commands: vk::CommandBuffer,
        job: &DrawJob<'_>,
        stages: &[Stage],
        bound: &BoundStages<'_>,
        pushed: &Option<(vk::ShaderStageFlags, u32, usize)>,
    ) {
        let device = &self.context.device;
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: the caller's contract.
        unsafe {
            device.cmd_bind_pipeline(commands, point, self.pipeline);
            let mut next = 0;
            for (sets, stage) in bound.sets.iter().zip(stages) {
                // The sets below are those of the stage before.
                let own = sets.get(next..).unwrap_or(&[]);
                if !own.is_empty() {
                    let first = next as u32;
                    device.cmd_bind_descriptor_sets(commands, point, self.layout, first, own, &[]);
                }
                next = next.max(stage.program.sets.len());
            }
            if let Some((flag, _, number)) = pushed
                && let Some(bytes) = &bound.pushed[*number]
            {
                device.cmd_push_constants(commands, self.layout, *flag, 0, bytes);
            }
            for (number, (buffer, attribute)) in
                (0..).zip(self.vertex_buffers.iter().zip(&job.link.attributes))
            {
                let offset = job.desc.input_layout[attribute.element].offset as u64;
                let buffers = [buffer.buffer];
                device.cmd_bind_vertex_buffers(commands, number, &buffers, &[offset]);
            }
        }
    }

    /// The draw call: with indices, of groups, or of vertices.
    ///
    /// # Safety
    /// That of [`Drawn::record`].
    unsafe fn call(&self, commands: vk::CommandBuffer, job: &DrawJob<'_>) {
        let (device, draw) = (&self.context.device, job.draw);
        let ([x, y, z], start, instance) = (draw.groups, draw.start, draw.start_instance);
        // SAFETY: the caller's contract.
        unsafe {
            match (&self.indices, &draw.indices) {
                (Some(memory), Some(indices)) => {
                    let ty = match indices.format {
                        raster::IndexFormat::Uint16 => vk::IndexType::UINT16,
                        raster::IndexFormat::Uint32 => vk::IndexType::UINT32,
                    };
                    device.cmd_bind_index_buffer(commands, memory.buffer, 0, ty);
                    let (count, instances, base) = (draw.count, draw.instances, draw.base_vertex);
                    device.cmd_draw_indexed(commands, count, instances, start, base, instance);
                }
                _ if job.desc.vertex.module.group.is_some() => {
                    if let Some(mesh) = &self.context.mesh {
                        mesh.cmd_draw_mesh_tasks(commands, x, y, z);
                    }
                }
                _ => device.cmd_draw(commands, draw.count, draw.instances, start, instance),
            }
        }
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        if self.context.is_lost() {
            return;
        }
        let device = &self.context.device;
        // SAFETY: the device no longer uses any of it, or never did; null handles are ignored.
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            for module in &self.modules {
                device.destroy_shader_module(*module, None);
            }
        }
        for memory in self.vertex_buffers.iter().chain(&self.indices) {
            self.context.free(*memory);
        }
    }
}
