//! The targets of a draw on the device: images that are filled before it and read back after it.
//!
//! They live as long as the draw, unlike what shaders bind: a target's contents are the host's between draws.
//! An image is copied plane by plane: depth and stencil of one image are two planes. Multisampled images cannot be
//! copied: they are cleared before the draw, and `samples.rs` reads them after it.

use std::sync::Arc;

use ash::vk;
use ir::exec::{Failure, Unsupported};
use ops::texture::{Format, Texel};
use raster::Layout;

use super::context::{Context, Memory};
use super::run::barrier;
use super::samples::{self, SampleCopy, Way};
use super::{format, state};
use crate::engines::{Attached, Part};
use crate::graphics::GraphicsDesc;

/// The targets, and the buffer through which their texels pass.
pub(super) struct Attachments {
    context: Arc<Context>,
    /// By target; the depth buffer last.
    images: Vec<Option<Image>>,
    staging: Option<Memory>,
    mapped: *mut u8,
}

struct Image {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    aspects: vk::ImageAspectFlags,
    format: vk::Format,
    planes: Vec<Plane>,
    layers: u32,
}

/// The texels of an aspect.
struct Plane {
    /// Their number among the attached.
    number: usize,
    aspect: vk::ImageAspectFlags,
    extent: vk::Extent3D,
    /// The bytes of a layer, and the offset of each in the staging buffer.
    layer: usize,
    staged: Vec<u64>,
    /// How a multisampled plane is cleared and read; its staged samples have one offset.
    sampled: Option<Sampled>,
}

/// A multisampled plane.
struct Sampled {
    format: Format,
    samples: u32,
    /// All texels before the draw.
    clear: Texel,
    copy: Option<SampleCopy>,
}

impl Image {
    fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: self.aspects,
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: self.layers,
        }
    }

    fn copies(&self) -> Vec<vk::BufferImageCopy> {
        let of_plane = |plane: &Plane| {
            let copy = |(layer, offset): (usize, &u64)| {
                let layers = vk::ImageSubresourceLayers {
                    aspect_mask: plane.aspect,
                    mip_level: 0,
                    base_array_layer: layer as u32,
                    layer_count: 1,
                };
                vk::BufferImageCopy::default()
                    .buffer_offset(*offset)
                    .image_subresource(layers)
                    .image_extent(plane.extent)
            };
            plane.staged.iter().enumerate().map(copy).collect::<Vec<_>>()
        };
        self.planes.iter().filter(|it| it.sampled.is_none()).flat_map(of_plane).collect()
    }

    /// Records the clearing of multisampled planes.
    ///
    /// # Safety
    /// The commands are being recorded, and the image lives until they have ended.
    unsafe fn clear(&self, context: &Context, commands: vk::CommandBuffer) {
        for plane in &self.planes {
            let Some(sampled) = &plane.sampled else { continue };
            let range = [vk::ImageSubresourceRange { aspect_mask: plane.aspect, ..self.range() }];
            let (device, layout) = (&context.device, vk::ImageLayout::GENERAL);
            // SAFETY: the caller's contract.
            unsafe {
                if plane.aspect == vk::ImageAspectFlags::COLOR {
                    let colour = match sampled.clear {
                        Texel::Float(it) => vk::ClearColorValue { float32: it },
                        Texel::Unsigned(it) => {
                            vk::ClearColorValue { uint32: it.map(|it| it as u32) }
                        }
                        Texel::Signed(it) => vk::ClearColorValue { int32: it.map(|it| it as i32) },
                    };
                    device.cmd_clear_color_image(commands, self.image, layout, &colour, &range);
                } else {
                    let value = match sampled.clear {
                        Texel::Float([depth, ..]) => {
                            vk::ClearDepthStencilValue { depth, stencil: 0 }
                        }
                        Texel::Unsigned([stencil, ..]) => {
                            vk::ClearDepthStencilValue { depth: 0.0, stencil: stencil as u32 }
                        }
                        Texel::Signed(_) => vk::ClearDepthStencilValue::default(),
                    };
                    device.cmd_clear_depth_stencil_image(
                        commands, self.image, layout, &value, &range,
                    );
                }
            }
        }
    }
}

/// The texel that a target holds everywhere.
fn uniform(of: &Attached<'_>, layer: usize) -> Option<Texel> {
    let size = of.format.bytes();
    let start = |it: u32| layer_start(&of.layout, it as usize, layer);
    let first = of.bytes.get(start(0)..start(0) + size)?;
    let is_same = |it: u32| {
        let bytes = &of.bytes[start(it)..start(it) + layer];
        bytes.chunks_exact(size).all(|it| it == first)
    };
    (0..of.layout.layers).all(is_same).then(|| of.format.decode(first))
}

/// The bytes of a layer of a plane, in those of its texture.
fn layer_start(layout: &Layout, layer: usize, bytes: usize) -> usize {
    layout.start + layer * layout.layer_stride.unwrap_or(bytes)
}

impl Attachments {
    pub(super) fn new(
        context: &Arc<Context>,
        desc: &GraphicsDesc,
        attached: &[Attached<'_>],
    ) -> Result<Attachments, Failure> {
        let mut all = Attachments {
            context: context.clone(),
            images: Vec::new(),
            staging: None,
            mapped: std::ptr::null_mut(),
        };
        let mut staged = 0u64;
        for target in 0..desc.targets.len() {
            let part = Part::Colour(target);
            let found = attached.iter().position(|it| it.part == part);
            let image = match found {
                Some(number) => {
                    let Some(found) = format::target_format(attached[number].format) else {
                        let format = attached[number].format;
                        return no_target(context, format);
                    };
                    let planes = [(number, vk::ImageAspectFlags::COLOR)];
                    Some(all.image(found, attached, &planes, &mut staged)?)
                }
                None => None,
            };
            all.images.push(image);
        }
        let of = |part: Part| attached.iter().position(|it| it.part == part);
        let depth = of(Part::Depth).map(|it| (it, vk::ImageAspectFlags::DEPTH));
        let stencil = of(Part::Stencil).map(|it| (it, vk::ImageAspectFlags::STENCIL));
        let planes: Vec<(usize, vk::ImageAspectFlags)> = depth.into_iter().chain(stencil).collect();
        let image = match desc.depth_format.filter(|_| !planes.is_empty()) {
            Some(depth) => {
                let depth = state::depth_format(depth);
                Some(all.image(depth, attached, &planes, &mut staged)?)
            }
            None => None,
        };
        all.images.push(image);
        all.stage(staged)?;
        all.upload(attached);
        Ok(all)
    }

    fn image(
        &self,
        format: vk::Format,
        attached: &[Attached<'_>],
        planes: &[(usize, vk::ImageAspectFlags)],
        staged: &mut u64,
    ) -> Result<Image, Failure> {
        let context = &self.context;
        let first = &attached[planes[0].0];
        let Layout { width, height, layers, samples, .. } = first.layout;
        let is_color = planes[0].1 == vk::ImageAspectFlags::COLOR;
        use vk::{FormatFeatureFlags2 as Can, ImageUsageFlags as Usage};
        let (usage, needs) = match is_color {
            true => (Usage::COLOR_ATTACHMENT, Can::COLOR_ATTACHMENT),
            false => (Usage::DEPTH_STENCIL_ATTACHMENT, Can::DEPTH_STENCIL_ATTACHMENT),
        };
        let needs = if first.is_blended { needs | Can::COLOR_ATTACHMENT_BLEND } else { needs };
        if !context.features_of(format).optimal_tiling_features.contains(needs) {
            return no_target(context, first.format);
        }
        let usage = usage | Usage::TRANSFER_SRC | Usage::TRANSFER_DST;
        // Samples are read through a view of integers.
        let (usage, flags) = match (samples > 1, is_color) {
            (false, _) => (usage, vk::ImageCreateFlags::empty()),
            (true, false) => (usage | Usage::SAMPLED, vk::ImageCreateFlags::empty()),
            (true, true) => (usage | Usage::SAMPLED, vk::ImageCreateFlags::MUTABLE_FORMAT),
        };
        let extent = vk::Extent3D { width, height, depth: 1 };
        let count = vk::SampleCountFlags::from_raw(samples);
        self.check_size(format, first, usage, flags)?;
        let create = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(extent)
            .mip_levels(1)
            .array_layers(layers)
            .samples(count)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        let failed = |it| context.failed(it, 0);
        // SAFETY: the structure is complete, and the device reports support for such images.
        let image = unsafe { context.device.create_image(&create, None) }.map_err(failed)?;
        let mut made = Image {
            image,
            memory: vk::DeviceMemory::null(),
            view: vk::ImageView::null(),
            aspects: planes.iter().fold(vk::ImageAspectFlags::empty(), |all, it| all | it.1),
            format,
            planes: Vec::new(),
            layers,
        };
        for (number, aspect) in planes {
            match plane(&attached[*number], (*number, *aspect), staged) {
                Ok(plane) => made.planes.push(plane),
                Err(failure) => {
                    free(context, &made);
                    return Err(failure);
                }
            }
        }
        match self.bind(&mut made, format) {
            Ok(()) => Ok(made),
            Err(error) => {
                free(context, &made);
                Err(failed(error))
            }
        }
    }

    /// Refuses a target that the device does not support in its size.
    fn check_size(
        &self,
        format: vk::Format,
        of: &Attached<'_>,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
    ) -> Result<(), Failure> {
        let context = &self.context;
        let Layout { width, height, layers, samples, .. } = of.layout;
        let (kind, tiling) = (vk::ImageType::TYPE_2D, vk::ImageTiling::OPTIMAL);
        // SAFETY: the physical device belongs to the instance.
        let limits = context.instance.as_ref().and_then(|it| unsafe {
            it.raw
                .get_physical_device_image_format_properties(
                    context.physical,
                    format,
                    kind,
                    tiling,
                    usage,
                    flags,
                )
                .ok()
        });
        let fits = limits.is_some_and(|it| {
            width <= it.max_extent.width
                && height <= it.max_extent.height
                && layers <= it.max_array_layers
                && it.sample_counts.contains(vk::SampleCountFlags::from_raw(samples))
        });
        if fits {
            return Ok(());
        }
        let asked = format!(
            "a target of {width}×{height} pixels of {}, {layers} slices, {samples} samples",
            of.format
        );
        let missing = format!("the device `{}` does not support it", context.capabilities.name);
        Err(Failure::Unsupported(Unsupported { asked, missing }))
    }

    /// Gives an image memory and a view.
    fn bind(&self, made: &mut Image, format: vk::Format) -> Result<(), vk::Result> {
        let context = &self.context;
        let (none, local) =
            (vk::MemoryPropertyFlags::empty(), vk::MemoryPropertyFlags::DEVICE_LOCAL);
        // SAFETY: the image is alive and has no memory; the structures outlive the calls.
        unsafe {
            let required = context.device.get_image_memory_requirements(made.image);
            let mut owner = vk::MemoryDedicatedAllocateInfo::default().image(made.image);
            made.memory = context.allocate(required, &mut owner, none, local)?;
            context.device.bind_image_memory(made.image, made.memory, 0)?;
            let create = vk::ImageViewCreateInfo::default()
                .image(made.image)
                .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
                .format(format)
                .subresource_range(made.range());
            made.view = context.device.create_image_view(&create, None)?;
        }
        Ok(())
    }

    fn stage(&mut self, size: u64) -> Result<(), Failure> {
        use vk::MemoryPropertyFlags as Flags;
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::STORAGE_BUFFER;
        let needs = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let staging = self.context.buffer(size, usage, needs, Flags::HOST_CACHED)?;
        self.staging = Some(staging);
        let (all, none) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        // SAFETY: the memory can be mapped, and is mapped once.
        let mapped = unsafe { self.context.device.map_memory(staging.memory, 0, all, none) };
        self.mapped = mapped.map_err(|it| self.context.failed(it, size))?.cast();
        let mut images = std::mem::take(&mut self.images);
        let made = images.iter_mut().flatten().try_for_each(|it| self.read_samples(it, staging));
        self.images = images;
        made
    }

    /// Prepares the reading of multisampled planes.
    fn read_samples(&self, image: &mut Image, staging: Memory) -> Result<(), Failure> {
        let (handle, range) = (image.image, image.range());
        for plane in &mut image.planes {
            let Some(sampled) = &mut plane.sampled else { continue };
            let (format, way) = match plane.aspect {
                vk::ImageAspectFlags::COLOR => {
                    let Some(integers) = samples::integers(sampled.format.bytes()) else {
                        return no_target(&self.context, sampled.format);
                    };
                    (integers, Way::Read)
                }
                vk::ImageAspectFlags::STENCIL => (image.format, Way::Read),
                _ => (image.format, Way::ReadFloats),
            };
            let mut usage =
                vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::SAMPLED);
            let create = vk::ImageViewCreateInfo::default()
                .image(handle)
                .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
                .format(format)
                .subresource_range(vk::ImageSubresourceRange { aspect_mask: plane.aspect, ..range })
                .push_next(&mut usage);
            // SAFETY: the image is alive, and allows views with formats of the same size.
            let view = unsafe { self.context.device.create_image_view(&create, None) };
            let view = view.map_err(|it| self.context.failed(it, 0))?;
            let vk::Extent3D { width, height, .. } = plane.extent;
            let groups = [width, height, range.layer_count * sampled.samples];
            let size = groups.iter().map(|it| *it as u64).product::<u64>() * samples::ROOM as u64;
            let region = samples::region(staging, plane.staged[0], size);
            sampled.copy = Some(SampleCopy::new(&self.context, way, view, region, groups)?);
        }
        Ok(())
    }

    fn upload(&self, attached: &[Attached<'_>]) {
        for plane in self.images.iter().flatten().flat_map(|it| &it.planes) {
            let it = &attached[plane.number];
            if plane.sampled.is_some() {
                continue;
            }
            for (layer, offset) in plane.staged.iter().enumerate() {
                let start = layer_start(&it.layout, layer, plane.layer);
                // SAFETY: the staging buffer is mapped whole, has room for each layer of each plane at its offset, and
                // is not used by the device yet.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        it.bytes[start..start + plane.layer].as_ptr(),
                        self.mapped.add(*offset as usize),
                        plane.layer,
                    );
                }
            }
        }
    }

    /// Copies the texels back after the draw has ended.
    pub(super) fn download(&self, attached: &mut [Attached<'_>]) {
        for plane in self.images.iter().flatten().flat_map(|it| &it.planes) {
            let it = &mut attached[plane.number];
            if let Some(sampled) = &plane.sampled {
                // SAFETY: the staging buffer is mapped whole, and has room for the samples at the offset; the device
                // has finished.
                unsafe { sampled.keep(self.mapped.add(plane.staged[0] as usize), plane, it) };
                continue;
            }
            for (layer, offset) in plane.staged.iter().enumerate() {
                let start = layer_start(&it.layout, layer, plane.layer);
                // SAFETY: as in `upload`; the device has finished.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        self.mapped.add(*offset as usize),
                        it.bytes[start..start + plane.layer].as_mut_ptr(),
                        plane.layer,
                    );
                }
            }
        }
    }

    /// The views: by target, and the depth buffer with its aspects.
    pub(super) fn views(&self) -> (Vec<Option<vk::ImageView>>, Option<vk::ImageView>) {
        let mut views: Vec<Option<vk::ImageView>> =
            self.images.iter().map(|it| it.as_ref().map(|it| it.view)).collect();
        let depth = views.pop().flatten();
        (views, depth)
    }

    /// Records the filling of all images.
    ///
    /// # Safety
    /// The commands are being recorded, and `self` lives until they have ended.
    pub(super) unsafe fn fill(&self, commands: vk::CommandBuffer) {
        let context = &*self.context;
        let staging = self.staging.map(|it| it.buffer).unwrap_or_default();
        // SAFETY: the caller's contract; the copies lie inside the buffer and the images.
        unsafe {
            for image in self.images.iter().flatten() {
                let barrier = [vk::ImageMemoryBarrier::default()
                    .old_layout(vk::ImageLayout::UNDEFINED)
                    .new_layout(vk::ImageLayout::GENERAL)
                    .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(image.image)
                    .subresource_range(image.range())];
                let (before, after) =
                    (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER);
                let none = vk::DependencyFlags::empty();
                let device = &context.device;
                device.cmd_pipeline_barrier(commands, before, after, none, &[], &[], &barrier);
                image.clear(context, commands);
                let layout = vk::ImageLayout::GENERAL;
                let copies = image.copies();
                if !copies.is_empty() {
                    device.cmd_copy_buffer_to_image(
                        commands,
                        staging,
                        image.image,
                        layout,
                        &copies,
                    );
                }
            }
            use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
            let filled = (Stage::TRANSFER, Access::TRANSFER_WRITE);
            barrier(context, commands, filled, (Stage::ALL_GRAPHICS, RENDERED));
        }
    }

    /// Records the reading of all images.
    ///
    /// # Safety
    /// As for [`Attachments::fill`].
    pub(super) unsafe fn read(&self, commands: vk::CommandBuffer) {
        let context = &*self.context;
        let staging = self.staging.map(|it| it.buffer).unwrap_or_default();
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        // SAFETY: the caller's contract; the copies lie inside the buffer and the images.
        unsafe {
            let copied = (
                Stage::TRANSFER | Stage::COMPUTE_SHADER,
                Access::TRANSFER_READ
                    | Access::TRANSFER_WRITE
                    | Access::SHADER_READ
                    | Access::SHADER_WRITE,
            );
            barrier(context, commands, (Stage::ALL_GRAPHICS, RENDERED), copied);
            for image in self.images.iter().flatten() {
                let sampled = image.planes.iter().filter_map(|it| it.sampled.as_ref());
                for copy in sampled.filter_map(|it| it.copy.as_ref()) {
                    copy.record(context, commands);
                }
                let layout = vk::ImageLayout::GENERAL;
                let copies = image.copies();
                let device = &context.device;
                if !copies.is_empty() {
                    device.cmd_copy_image_to_buffer(
                        commands,
                        image.image,
                        layout,
                        staging,
                        &copies,
                    );
                }
            }
            let read = (Stage::COMPUTE_SHADER, Access::SHADER_WRITE);
            barrier(context, commands, read, (Stage::HOST, Access::HOST_READ));
        }
    }
}

impl Sampled {
    /// Puts samples in their places in the target.
    ///
    /// # Safety
    /// All staged samples of the plane are at `from`.
    unsafe fn keep(&self, from: *const u8, plane: &Plane, to: &mut Attached<'_>) {
        let (size, samples) = (self.format.bytes(), self.samples as usize);
        let pixels = (plane.extent.width * plane.extent.height) as usize;
        for layer in 0..to.layout.layers as usize {
            let start = layer_start(&to.layout, layer, plane.layer);
            for sample in 0..samples {
                for pixel in 0..pixels {
                    let staged = ((layer * samples + sample) * pixels + pixel) * samples::ROOM;
                    let mut bytes = [0; samples::ROOM];
                    // SAFETY: the caller's contract.
                    unsafe {
                        std::ptr::copy_nonoverlapping(
                            from.add(staged),
                            bytes.as_mut_ptr(),
                            samples::ROOM,
                        );
                    }
                    let at = start + (pixel * samples + sample) * size;
                    let texel = &mut to.bytes[at..at + size];
                    // A depth that is not a float has been read as one.
                    if plane.aspect == vk::ImageAspectFlags::DEPTH && size != 4 {
                        let [a, b, c, d, ..] = bytes;
                        let depth = f32::from_le_bytes([a, b, c, d]);
                        self.format.encode(Texel::Float([depth; 4]), texel);
                    } else {
                        texel.copy_from_slice(&bytes[..size]);
                    }
                }
            }
        }
    }
}

/// How a rendering accesses its targets.
const RENDERED: vk::AccessFlags = vk::AccessFlags::from_raw(
    vk::AccessFlags::COLOR_ATTACHMENT_READ.as_raw()
        | vk::AccessFlags::COLOR_ATTACHMENT_WRITE.as_raw()
        | vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_READ.as_raw()
        | vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw(),
);

fn no_target<T>(context: &Context, format: Format) -> Result<T, Failure> {
    let missing =
        format!("the device `{}` does not draw to such texels", context.capabilities.name);
    Err(Failure::Unsupported(Unsupported { asked: format!("a target of {format}"), missing }))
}

/// A plane of an image, with its places in the staging buffer, which grows by them.
fn plane(
    of: &Attached<'_>,
    (number, aspect): (usize, vk::ImageAspectFlags),
    staged: &mut u64,
) -> Result<Plane, Failure> {
    let Layout { width, height, layers, samples, .. } = of.layout;
    let texels = [width, height, samples].map(|it| it as usize);
    let layer = texels.iter().product::<usize>() * of.format.bytes();
    let mut offsets = Vec::new();
    let sampled = if samples > 1 {
        let Some(clear) = uniform(of, layer) else {
            let asked = format!("targets of {samples} samples with contents");
            let missing = "samples are only cleared before a draw on a GPU".to_owned();
            return Err(Failure::Unsupported(Unsupported { asked, missing }));
        };
        // Descriptors begin at multiples of 256 bytes on every device.
        offsets.push(staged.next_multiple_of(256));
        let texels = [width, height, layers, samples].map(u64::from);
        *staged = offsets[0] + texels.iter().product::<u64>() * samples::ROOM as u64;
        Some(Sampled { format: of.format, samples, clear, copy: None })
    } else {
        for _ in 0..layers {
            offsets.push(*staged);
            // Copies begin at whole texels and whole words, whatever the format.
            *staged = (*staged + layer as u64).next_multiple_of(192);
        }
        None
    };
    let extent = vk::Extent3D { width, height, depth: 1 };
    Ok(Plane { number, aspect, extent, layer, staged: offsets, sampled })
}

fn free(context: &Context, image: &Image) {
    let sampled = image.planes.iter().filter_map(|it| it.sampled.as_ref());
    for copy in sampled.filter_map(|it| it.copy.as_ref()) {
        copy.free(context);
    }
    // SAFETY: the device no longer uses any of it, or never did; null handles are ignored.
    unsafe {
        context.device.destroy_image_view(image.view, None);
        context.device.destroy_image(image.image, None);
        context.device.free_memory(image.memory, None);
    }
}

impl Drop for Attachments {
    fn drop(&mut self) {
        if self.context.is_lost() {
            return;
        }
        for image in self.images.iter().flatten() {
            free(&self.context, image);
        }
        if let Some(staging) = self.staging {
            self.context.free(staging);
        }
    }
}
