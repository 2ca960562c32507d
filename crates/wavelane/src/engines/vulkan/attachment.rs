//! The targets of a draw on the device: images that are filled before it and read back after it.
//!
//! They live as long as the draw, unlike what shaders bind: a target's contents are the host's between draws.
//! An image is copied plane by plane: depth and stencil of one image are two planes.

use std::sync::Arc;

use ash::vk;
use ir::exec::{Failure, Unsupported};
use ops::texture::Format;
use raster::Layout;

use super::context::{Context, Memory};
use super::run::barrier;
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
        self.planes.iter().flat_map(of_plane).collect()
    }
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
        if samples > 1 {
            let asked = format!("targets of {samples} samples");
            let missing = "samples that a GPU has drawn are not read back yet".to_owned();
            return Err(Failure::Unsupported(Unsupported { asked, missing }));
        }
        let usage = usage | Usage::TRANSFER_SRC | Usage::TRANSFER_DST;
        let extent = vk::Extent3D { width, height, depth: 1 };
        let count = vk::SampleCountFlags::from_raw(samples);
        // SAFETY: the physical device belongs to the instance.
        let limits = context.instance.as_ref().and_then(|it| unsafe {
            it.raw
                .get_physical_device_image_format_properties(
                    context.physical,
                    format,
                    vk::ImageType::TYPE_2D,
                    vk::ImageTiling::OPTIMAL,
                    usage,
                    vk::ImageCreateFlags::empty(),
                )
                .ok()
        });
        let fits = limits.is_some_and(|it| {
            width <= it.max_extent.width
                && height <= it.max_extent.height
                && layers <= it.max_array_layers
                && it.sample_counts.contains(count)
        });
        if !fits {
            let asked = format!(
                "a target of {width}×{height} pixels of {}, {layers} slices, {samples} samples",
                first.format
            );
            let missing = format!("the device `{}` does not support it", context.capabilities.name);
            return Err(Failure::Unsupported(Unsupported { asked, missing }));
        }
        let create = vk::ImageCreateInfo::default()
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
            planes: Vec::new(),
            layers,
        };
        for (number, aspect) in planes {
            let texel = attached[*number].format.bytes();
            let layer = width as usize * height as usize * texel;
            let mut offsets = Vec::new();
            for _ in 0..layers {
                offsets.push(*staged);
                // Copies begin at whole texels and whole words, whatever the format.
                *staged = (*staged + layer as u64).next_multiple_of(192);
            }
            made.planes.push(Plane {
                number: *number,
                aspect: *aspect,
                extent,
                layer,
                staged: offsets,
            });
        }
        match self.bind(&mut made, format) {
            Ok(()) => Ok(made),
            Err(error) => {
                free(context, &made);
                Err(failed(error))
            }
        }
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
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let needs = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let staging = self.context.buffer(size, usage, needs, Flags::HOST_CACHED)?;
        self.staging = Some(staging);
        let (all, none) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        // SAFETY: the memory can be mapped, and is mapped once.
        let mapped = unsafe { self.context.device.map_memory(staging.memory, 0, all, none) };
        self.mapped = mapped.map_err(|it| self.context.failed(it, size))?.cast();
        Ok(())
    }

    fn upload(&self, attached: &[Attached<'_>]) {
        for plane in self.images.iter().flatten().flat_map(|it| &it.planes) {
            let it = &attached[plane.number];
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
                let layout = vk::ImageLayout::GENERAL;
                let copies = image.copies();
                device.cmd_copy_buffer_to_image(commands, staging, image.image, layout, &copies);
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
            let copied = Access::TRANSFER_READ | Access::TRANSFER_WRITE;
            barrier(context, commands, (Stage::ALL_GRAPHICS, RENDERED), (Stage::TRANSFER, copied));
            for image in self.images.iter().flatten() {
                let layout = vk::ImageLayout::GENERAL;
                let copies = image.copies();
                let device = &context.device;
                device.cmd_copy_image_to_buffer(commands, image.image, layout, staging, &copies);
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

fn free(context: &Context, image: &Image) {
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
