//! The draws of the benchmarks on a Vulkan driver: what the fixed functions and engines of wavelane are compared with.
//!
//! One draw at a time into an `RGBA8_UNORM` image with a `D32_FLOAT` depth buffer, from submission to the fence. Images
//! and vertex buffers stay on the device between draws. Handles live until the process ends.

use std::ffi::{CStr, CString};

use ash::vk;

/// A draw: its shaders, and a vertex buffer of floats.
pub struct Scene<'a> {
    pub stages: &'a [StageCode],
    /// The vertex buffer, and the number of floats in each of its attributes.
    pub words: &'a [f32],
    pub attributes: &'a [u32],
    /// The indices; without any, vertices are taken in order.
    pub indices: &'a [u32],
    pub work: Work,
}

/// The SPIR-V of an entry point.
pub struct StageCode {
    pub stage: StageKind,
    pub entry: CString,
    pub words: Vec<u32>,
}

/// A stage of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageKind {
    Vertex,
    Hull,
    Domain,
    Mesh,
    Pixel,
}

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A list of triangles with this many vertices, or this many indices if there are any.
    Triangles(u32),
    /// A list of patches of four control points with this many vertices.
    Patches(u32),
    /// This many groups of a mesh shader.
    Groups(u32),
}

/// The first device that the loader finds, with targets of this many pixels in width and height.
pub struct Device {
    _entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    /// The functions of mesh shaders, if the device has them.
    mesh: Option<ash::ext::mesh_shader::Device>,
    side: u32,
    name: String,
}

/// A recorded draw.
pub struct Recorded {
    draw: vk::CommandBuffer,
    clear: vk::CommandBuffer,
    read: vk::CommandBuffer,
    pixels: Mapped,
}

/// Memory of the device that the host sees.
struct Mapped {
    buffer: vk::Buffer,
    at: *mut u8,
    bytes: usize,
}

const COLOR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

type Outcome<T> = Result<T, String>;

/// Calls a function of the driver.
macro_rules! call {
    ($what:literal, $call:expr) => {{
        // SAFETY: handles come from this device and live as long as it, structures are built by `ash`, and only one
        // thread uses them.
        let result = unsafe { $call };
        result.map_err(|error| format!("{}: {error}", $what))?
    }};
}

/// Calls a function of the driver that cannot fail.
macro_rules! plain {
    ($call:expr) => {{
        // SAFETY: as in `call`.
        unsafe { $call }
    }};
}

impl Device {
    pub fn new(side: u32) -> Outcome<Device> {
        let entry = call!("the Vulkan loader", ash::Entry::load());
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = call!("the instance", entry.create_instance(&info, None));
        let all = call!("the devices", instance.enumerate_physical_devices());
        let physical = *all.first().ok_or("there is no Vulkan device")?;
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        plain!(instance.get_physical_device_properties2(physical, &mut properties));
        let text = |it: &[std::ffi::c_char]| {
            let bytes: Vec<u8> = it.iter().map(|it| *it as u8).collect();
            CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
        };
        let device_name = text(&properties.properties.device_name);
        let name = format!("{device_name}, {}", text(&driver.driver_info));
        let families = plain!(instance.get_physical_device_queue_family_properties(physical));
        let family = families
            .iter()
            .position(|it| it.queue_flags.contains(vk::QueueFlags::GRAPHICS))
            .ok_or("no queue draws")? as u32;
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        let extensions =
            call!("the extensions", instance.enumerate_device_extension_properties(physical));
        let has_mesh = extensions
            .iter()
            .any(|it| it.extension_name_as_c_str() == Ok(ash::ext::mesh_shader::NAME));
        let names = [ash::ext::mesh_shader::NAME.as_ptr()];
        let mut features = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
        let mut of_mesh = vk::PhysicalDeviceMeshShaderFeaturesEXT::default().mesh_shader(true);
        let stages = vk::PhysicalDeviceFeatures::default().tessellation_shader(true);
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_features(&stages)
            .push_next(&mut features);
        if has_mesh {
            info = info.enabled_extension_names(&names).push_next(&mut of_mesh);
        }
        let device = call!("the device", instance.create_device(physical, &info, None));
        let mesh = has_mesh.then(|| ash::ext::mesh_shader::Device::new(&instance, &device));
        let queue = plain!(device.get_device_queue(family, 0));
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let pool = call!("a command pool", device.create_command_pool(&info, None));
        Ok(Device { _entry: entry, instance, physical, device, queue, pool, mesh, side, name })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Memory for requirements, which the host sees if it is to.
    fn memory(&self, needs: vk::MemoryRequirements, mapped: bool) -> Outcome<vk::DeviceMemory> {
        let kinds = plain!(self.instance.get_physical_device_memory_properties(self.physical));
        let wanted = if mapped {
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT
        } else {
            vk::MemoryPropertyFlags::empty()
        };
        let fits = |it: &u32| {
            needs.memory_type_bits >> it & 1 == 1
                && kinds.memory_types[*it as usize].property_flags.contains(wanted)
        };
        let kind = (0..kinds.memory_type_count).find(fits).ok_or("no memory fits")?;
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        Ok(call!("memory", self.device.allocate_memory(&info, None)))
    }

    fn buffer(&self, bytes: usize, usage: vk::BufferUsageFlags) -> Outcome<Mapped> {
        let info = vk::BufferCreateInfo::default().size(bytes.max(4) as u64).usage(usage);
        let buffer = call!("a buffer", self.device.create_buffer(&info, None));
        let needs = plain!(self.device.get_buffer_memory_requirements(buffer));
        let memory = self.memory(needs, true)?;
        call!("a buffer's memory", self.device.bind_buffer_memory(buffer, memory, 0));
        let flags = vk::MemoryMapFlags::empty();
        let at = call!("mapping", self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags));
        Ok(Mapped { buffer, at: at.cast(), bytes })
    }

    /// A buffer with these contents.
    fn filled<T: Copy>(&self, words: &[T], usage: vk::BufferUsageFlags) -> Outcome<Mapped> {
        let buffer = self.buffer(size_of_val(words), usage)?;
        // SAFETY: the buffer is as long as the words, is mapped, and nothing runs yet.
        unsafe {
            std::ptr::copy_nonoverlapping(words.as_ptr().cast(), buffer.at, size_of_val(words));
        }
        Ok(buffer)
    }

    fn image(&self, format: vk::Format, usage: vk::ImageUsageFlags) -> Outcome<vk::Image> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: self.side, height: self.side, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        let image = call!("an image", self.device.create_image(&info, None));
        let memory =
            self.memory(plain!(self.device.get_image_memory_requirements(image)), false)?;
        call!("an image's memory", self.device.bind_image_memory(image, memory, 0));
        Ok(image)
    }

    fn view(
        &self,
        image: vk::Image,
        format: vk::Format,
        aspect: vk::ImageAspectFlags,
    ) -> Outcome<vk::ImageView> {
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(range(aspect));
        Ok(call!("a view", self.device.create_image_view(&info, None)))
    }

    fn shader(&self, words: &[u32]) -> Outcome<vk::ShaderModule> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        Ok(call!("a shader", self.device.create_shader_module(&info, None)))
    }

    fn pipeline<'a>(&self, scene: &Scene<'a>) -> Outcome<vk::Pipeline> {
        let stage = |it: &'a StageCode| {
            Ok(vk::PipelineShaderStageCreateInfo::default()
                .stage(match it.stage {
                    StageKind::Vertex => vk::ShaderStageFlags::VERTEX,
                    StageKind::Hull => vk::ShaderStageFlags::TESSELLATION_CONTROL,
                    StageKind::Domain => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
                    StageKind::Mesh => vk::ShaderStageFlags::MESH_EXT,
                    StageKind::Pixel => vk::ShaderStageFlags::FRAGMENT,
                })
                .module(self.shader(&it.words)?)
                .name(&it.entry))
        };
        let stages = scene.stages.iter().map(stage).collect::<Outcome<Vec<_>>>()?;
        let stride = 4 * scene.attributes.iter().sum::<u32>();
        let bindings = [vk::VertexInputBindingDescription::default().stride(stride)];
        let mut attributes = Vec::new();
        let mut offset = 0;
        for (location, floats) in scene.attributes.iter().enumerate() {
            let format = match floats {
                2 => vk::Format::R32G32_SFLOAT,
                3 => vk::Format::R32G32B32_SFLOAT,
                _ => vk::Format::R32G32B32A32_SFLOAT,
            };
            let attribute = vk::VertexInputAttributeDescription::default();
            attributes.push(attribute.location(location as u32).format(format).offset(offset));
            offset += 4 * floats;
        }
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(if attributes.is_empty() { &[] } else { &bindings })
            .vertex_attribute_descriptions(&attributes);
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(match scene.work {
                Work::Patches(_) => vk::PrimitiveTopology::PATCH_LIST,
                Work::Triangles(_) | Work::Groups(_) => vk::PrimitiveTopology::TRIANGLE_LIST,
            });
        let patches = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(4);
        // Upside down: y points up in HLSL.
        let side = self.side as f32;
        let viewports = [vk::Viewport {
            x: 0.0,
            y: side,
            width: side,
            height: -side,
            min_depth: 0.0,
            max_depth: 1.0,
        }];
        let scissors = [self.area()];
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::LESS_OR_EQUAL);
        let blends = [vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let formats = [COLOR];
        let mut targets = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&formats)
            .depth_attachment_format(DEPTH);
        let layout = call!(
            "a layout",
            self.device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None)
        );
        let infos = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&patches)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(layout)
            .push_next(&mut targets)];
        let cache = vk::PipelineCache::null();
        let made = plain!(self.device.create_graphics_pipelines(cache, &infos, None));
        made.map(|it| it[0]).map_err(|(_, error)| format!("a pipeline: {error}"))
    }

    fn area(&self) -> vk::Rect2D {
        let extent = vk::Extent2D { width: self.side, height: self.side };
        vk::Rect2D { offset: vk::Offset2D::default(), extent }
    }

    fn commands(&self) -> Outcome<vk::CommandBuffer> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        let commands = call!("commands", self.device.allocate_command_buffers(&info))[0];
        let info = vk::CommandBufferBeginInfo::default();
        call!("commands", self.device.begin_command_buffer(commands, &info));
        Ok(commands)
    }

    /// Makes the pipeline and the targets of a draw, and records it.
    pub fn record(&self, scene: &Scene<'_>) -> Outcome<Recorded> {
        let pipeline = self.pipeline(scene)?;
        let transfer = vk::ImageUsageFlags::TRANSFER_DST;
        let color = self.image(
            COLOR,
            vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC | transfer,
        )?;
        let depth = self.image(DEPTH, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | transfer)?;
        let vertices = self.filled(scene.words, vk::BufferUsageFlags::VERTEX_BUFFER)?;
        let indices = self.filled(scene.indices, vk::BufferUsageFlags::INDEX_BUFFER)?;
        let general = vk::ImageLayout::GENERAL;
        let attachment = |image, format, aspect| {
            Ok::<_, String>(
                vk::RenderingAttachmentInfo::default()
                    .image_view(self.view(image, format, aspect)?)
                    .image_layout(general)
                    .load_op(vk::AttachmentLoadOp::LOAD)
                    .store_op(vk::AttachmentStoreOp::STORE),
            )
        };
        let colors = [attachment(color, COLOR, vk::ImageAspectFlags::COLOR)?];
        let depths = attachment(depth, DEPTH, vk::ImageAspectFlags::DEPTH)?;
        let clear = self.commands()?;
        for (image, aspect) in
            [(color, vk::ImageAspectFlags::COLOR), (depth, vk::ImageAspectFlags::DEPTH)]
        {
            let barrier = vk::ImageMemoryBarrier::default()
                .new_layout(general)
                .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .image(image)
                .subresource_range(range(aspect));
            plain!(self.device.cmd_pipeline_barrier(
                clear,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[barrier],
            ));
        }
        let black = vk::ClearColorValue { float32: [0.0; 4] };
        let far = vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 };
        let ranges = [range(vk::ImageAspectFlags::COLOR)];
        plain!(self.device.cmd_clear_color_image(clear, color, general, &black, &ranges));
        let ranges = [range(vk::ImageAspectFlags::DEPTH)];
        plain!(self.device.cmd_clear_depth_stencil_image(clear, depth, general, &far, &ranges));
        call!("commands", self.device.end_command_buffer(clear));

        let draw = self.commands()?;
        let info = vk::RenderingInfo::default()
            .render_area(self.area())
            .layer_count(1)
            .color_attachments(&colors)
            .depth_attachment(&depths);
        plain!({
            self.device.cmd_begin_rendering(draw, &info);
            self.device.cmd_bind_pipeline(draw, vk::PipelineBindPoint::GRAPHICS, pipeline);
            self.device.cmd_bind_vertex_buffers(draw, 0, &[vertices.buffer], &[0]);
        });
        match (scene.work, &self.mesh) {
            (Work::Groups(groups), Some(mesh)) => {
                plain!(mesh.cmd_draw_mesh_tasks(draw, groups, 1, 1));
            }
            (Work::Groups(_), None) => return Err("the driver has no mesh shaders".to_owned()),
            (Work::Triangles(count), _) if !scene.indices.is_empty() => plain!({
                let format = vk::IndexType::UINT32;
                self.device.cmd_bind_index_buffer(draw, indices.buffer, 0, format);
                self.device.cmd_draw_indexed(draw, count, 1, 0, 0, 0);
            }),
            (Work::Triangles(count) | Work::Patches(count), _) => {
                plain!(self.device.cmd_draw(draw, count, 1, 0, 0));
            }
        }
        plain!(self.device.cmd_end_rendering(draw));
        call!("commands", self.device.end_command_buffer(draw));

        let pixels =
            self.buffer(4 * (self.side * self.side) as usize, vk::BufferUsageFlags::TRANSFER_DST)?;
        let read = self.commands()?;
        let copy = vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .layer_count(1),
            )
            .image_extent(vk::Extent3D { width: self.side, height: self.side, depth: 1 });
        plain!(self.device.cmd_copy_image_to_buffer(read, color, general, pixels.buffer, &[copy]));
        call!("commands", self.device.end_command_buffer(read));
        Ok(Recorded { draw, clear, read, pixels })
    }

    /// Submits commands and waits for them.
    fn submit(&self, commands: vk::CommandBuffer) -> Outcome<()> {
        let info = vk::FenceCreateInfo::default();
        let fence = call!("a fence", self.device.create_fence(&info, None));
        let commands = [commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        call!("submission", self.device.queue_submit(self.queue, &submits, fence));
        call!("waiting", self.device.wait_for_fences(&[fence], true, u64::MAX));
        plain!(self.device.destroy_fence(fence, None));
        Ok(())
    }

    /// Clears the targets.
    pub fn clear(&self, recorded: &Recorded) -> Outcome<()> {
        self.submit(recorded.clear)
    }

    /// Draws, and waits until the targets are written.
    pub fn draw(&self, recorded: &Recorded) -> Outcome<()> {
        self.submit(recorded.draw)
    }

    /// The pixels as they are now, row by row, four bytes each.
    pub fn pixels(&self, recorded: &Recorded) -> Outcome<Vec<u8>> {
        self.submit(recorded.read)?;
        let Mapped { at, bytes, .. } = recorded.pixels;
        // SAFETY: the memory is mapped and this long, and the device is done with it.
        Ok(unsafe { std::slice::from_raw_parts(at, bytes) }.to_vec())
    }
}

fn range(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1)
}
