//! Textures on the device: images, their views, samplers, and the copies that fill images and read them back.
//!
//! An image stays in the general layout from the first copy to the last, because a dispatch is short and may both read
//! and write it. Each level of each layer is one copy between the staging buffer and the image.
//! `format.rs` chooses the format of an image.

use ash::vk;
use ir::exec::{Failure, Unsupported};
use ops::texture::{Address, Dim, Filter, Sampler, Shape};

use super::context::Context;
use super::format;
use super::samples;
use super::stored::Sampled;

/// An image with dedicated memory.
pub(super) struct Picture {
    pub(super) image: vk::Image,
    memory: vk::DeviceMemory,
    format: vk::Format,
    kind: vk::ImageType,
    shape: Shape,
    usage: vk::ImageUsageFlags,
    pieces: Vec<Piece>,
    /// The number of bytes in a staging buffer.
    pub(super) size: u64,
}

/// One level of one layer.
struct Piece {
    /// The offset in the bytes of the texture, the size, and the offset from the texture's start in a staging buffer.
    from: usize,
    len: usize,
    to: u64,
    level: u32,
    layer: u32,
    extent: vk::Extent3D,
}

/// The requirements on an image besides its shape.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) dim: Dim,
    pub(super) format: vk::Format,
    pub(super) usage: vk::ImageUsageFlags,
    pub(super) features: vk::FormatFeatureFlags2,
    pub(super) name: &'a str,
}

fn image_type(dim: Dim) -> vk::ImageType {
    match dim {
        Dim::D1 | Dim::D1Array => vk::ImageType::TYPE_1D,
        Dim::D2 | Dim::D2Array | Dim::D2Ms | Dim::D2MsArray | Dim::Cube | Dim::CubeArray => {
            vk::ImageType::TYPE_2D
        }
        Dim::D3 => vk::ImageType::TYPE_3D,
    }
}

fn view_type(dim: Dim) -> vk::ImageViewType {
    match dim {
        Dim::D1 => vk::ImageViewType::TYPE_1D,
        Dim::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
        Dim::D2 | Dim::D2Ms => vk::ImageViewType::TYPE_2D,
        Dim::D2Array | Dim::D2MsArray => vk::ImageViewType::TYPE_2D_ARRAY,
        Dim::D3 => vk::ImageViewType::TYPE_3D,
        Dim::Cube => vk::ImageViewType::CUBE,
        Dim::CubeArray => vk::ImageViewType::CUBE_ARRAY,
    }
}

fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D32_SFLOAT | vk::Format::D16_UNORM => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

fn unsupported(asked: String, missing: String) -> Failure {
    Failure::Unsupported(Unsupported { asked, missing })
}

impl Picture {
    /// The alignment in the staging buffer: copies begin at whole texels and whole words.
    pub(super) fn alignment(&self) -> u64 {
        alignment(&self.shape)
    }

    pub(super) fn is_multisampled(&self) -> bool {
        self.shape.samples > 1
    }

    /// The number of texels on each axis; the last counts the samples of all layers.
    pub(super) fn samples_in_rows(&self) -> [u32; 3] {
        [self.shape.width, self.shape.height, self.shape.layers * self.shape.samples]
    }

    /// The pieces with their bytes in the texture, and their offsets from the start in a staging buffer.
    pub(super) fn moves(&self) -> impl Iterator<Item = (std::ops::Range<usize>, usize)> + '_ {
        self.pieces.iter().map(|it| (it.from..it.from + it.len, it.to as usize))
    }

    /// Whether the image suits a texture of that shape and those requirements.
    pub(super) fn serves(&self, shape: &Shape, usage: vk::ImageUsageFlags) -> bool {
        self.shape == *shape && self.usage.contains(usage)
    }

    /// Whether a view of that kind can be created for it.
    pub(super) fn takes(&self, dim: Dim, format: vk::Format) -> bool {
        self.kind == image_type(dim) && self.format == format
    }

    fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: aspect(self.format),
            base_mip_level: 0,
            level_count: vk::REMAINING_MIP_LEVELS,
            base_array_layer: 0,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
        }
    }

    fn copies(&self, staged: u64) -> Vec<vk::BufferImageCopy> {
        let copy = |it: &Piece| {
            let layers = vk::ImageSubresourceLayers {
                aspect_mask: aspect(self.format),
                mip_level: it.level,
                base_array_layer: it.layer,
                layer_count: 1,
            };
            vk::BufferImageCopy::default()
                .buffer_offset(staged + it.to)
                .image_subresource(layers)
                .image_extent(it.extent)
        };
        self.pieces.iter().map(copy).collect()
    }

    /// Transitions a new image to its layout and fills it, unless it is multisampled: see `samples.rs`.
    ///
    /// # Safety
    /// The commands are being recorded, and the staging buffer holds the bytes of every piece.
    pub(super) unsafe fn fill(
        &self,
        context: &Context,
        commands: vk::CommandBuffer,
        staging: vk::Buffer,
        staged: u64,
    ) {
        let barrier = [vk::ImageMemoryBarrier::default()
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE | vk::AccessFlags::SHADER_WRITE)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image)
            .subresource_range(self.range())];
        let fills = vk::PipelineStageFlags::TRANSFER | vk::PipelineStageFlags::COMPUTE_SHADER;
        let stages = [vk::PipelineStageFlags::TOP_OF_PIPE, fills];
        let none = vk::DependencyFlags::empty();
        let device = &context.device;
        // SAFETY: the caller's contract.
        unsafe {
            let [before, after] = stages;
            device.cmd_pipeline_barrier(commands, before, after, none, &[], &[], &barrier);
            if !self.is_multisampled() {
                let layout = vk::ImageLayout::GENERAL;
                let copies = self.copies(staged);
                device.cmd_copy_buffer_to_image(commands, staging, self.image, layout, &copies);
            }
        }
    }

    /// Copies the image back into the staging buffer.
    ///
    /// # Safety
    /// The commands are being recorded after those of [`Picture::fill`], and the staging buffer is large enough.
    pub(super) unsafe fn read_back(
        &self,
        context: &Context,
        commands: vk::CommandBuffer,
        staging: vk::Buffer,
        staged: u64,
    ) {
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: the caller's contract.
        unsafe {
            let device = &context.device;
            let copies = self.copies(staged);
            device.cmd_copy_image_to_buffer(commands, self.image, layout, staging, &copies);
        }
    }
}

impl Context {
    /// The device's capabilities for images of a format.
    pub(super) fn features_of(&self, format: vk::Format) -> vk::FormatProperties3<'static> {
        let mut third = vk::FormatProperties3::default();
        let mut properties = vk::FormatProperties2::default().push_next(&mut third);
        if let Some(instance) = &self.instance {
            // SAFETY: the physical device belongs to the instance, and supports the structure since Vulkan 1.3.
            unsafe {
                instance.raw.get_physical_device_format_properties2(
                    self.physical,
                    format,
                    &mut properties,
                );
            }
        }
        third.p_next = std::ptr::null_mut();
        third
    }

    /// An image for a texture of that shape.
    pub(super) fn picture(&self, shape: &Shape, wanted: Wanted<'_>) -> Result<Picture, Failure> {
        let Wanted { dim, format: texels, usage, features, name } = wanted;
        let device = &self.capabilities.name;
        let has = self.features_of(texels).optimal_tiling_features;
        if !has.contains(features) {
            let missing =
                format!("the device `{device}` does not {}", format::lacks(features & !has));
            return Err(unsupported(format!("`{name}` of {}", shape.format), missing));
        }
        let usage = usage | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let mut flags = match dim.is_cube() {
            true => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            false => vk::ImageCreateFlags::empty(),
        };
        let mut usage = usage;
        let samples = vk::SampleCountFlags::from_raw(shape.samples);
        if shape.samples > 1 {
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
            usage |= vk::ImageUsageFlags::STORAGE;
            let writes = vk::FormatFeatureFlags2::STORAGE_IMAGE
                | vk::FormatFeatureFlags2::STORAGE_WRITE_WITHOUT_FORMAT;
            let integers = samples::integers(shape.format.bytes());
            let has = integers.map(|it| self.features_of(it).optimal_tiling_features);
            let stores = self.capabilities.features.shader_storage_image_multisample == vk::TRUE;
            if !stores || !has.is_some_and(|it| it.contains(writes)) {
                let missing = format!("the device `{device}` cannot write single samples");
                return Err(unsupported(format!("the samples of `{name}`"), missing));
            }
        }
        let kind = image_type(dim);
        let tiling = vk::ImageTiling::OPTIMAL;
        // SAFETY: the physical device belongs to the instance.
        let limits = self.instance.as_ref().and_then(|it| unsafe {
            it.raw
                .get_physical_device_image_format_properties(
                    self.physical,
                    texels,
                    kind,
                    tiling,
                    usage,
                    flags,
                )
                .ok()
        });
        let fits = limits.is_some_and(|it| {
            shape.width <= it.max_extent.width
                && shape.height <= it.max_extent.height
                && shape.depth <= it.max_extent.depth
                && shape.layers <= it.max_array_layers
                && shape.levels <= it.max_mip_levels
                && shape.samples.is_power_of_two()
                && it.sample_counts.contains(samples)
        });
        if !fits {
            let Shape { width, height, depth, layers, samples, .. } = shape;
            let asked = format!(
                "`{name}` of {width}×{height}×{depth} texels of {}, {layers} layers, {samples} samples",
                shape.format
            );
            return Err(unsupported(
                asked,
                format!("the device `{device}` does not support such images"),
            ));
        }
        let create = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(kind)
            .format(texels)
            .extent(vk::Extent3D { width: shape.width, height: shape.height, depth: shape.depth })
            .mip_levels(shape.levels)
            .array_layers(shape.layers)
            .samples(samples)
            .tiling(tiling)
            .usage(usage);
        // SAFETY: the structure is complete, and the device reports support for such images.
        let image = unsafe { self.device.create_image(&create, None) };
        let image = image.map_err(|it| self.failed(it, 0))?;
        // SAFETY: the image is alive.
        let required = unsafe { self.device.get_image_memory_requirements(image) };
        let (none, local) =
            (vk::MemoryPropertyFlags::empty(), vk::MemoryPropertyFlags::DEVICE_LOCAL);
        let mut owner = vk::MemoryDedicatedAllocateInfo::default().image(image);
        let memory = match self.allocate(required, &mut owner, none, local) {
            Ok(memory) => memory,
            Err(error) => {
                // SAFETY: the image has no other user.
                unsafe { self.device.destroy_image(image, None) };
                return Err(self.failed(error, required.size));
            }
        };
        let (pieces, size) = pieces(shape);
        let (format, shape) = (texels, *shape);
        let picture = Picture { image, memory, format, kind, shape, usage, pieces, size };
        // SAFETY: both are new and belong together.
        match unsafe { self.device.bind_image_memory(image, memory, 0) } {
            Ok(()) => Ok(picture),
            Err(error) => {
                self.free_picture(&picture);
                Err(self.failed(error, required.size))
            }
        }
    }

    pub(super) fn image_view(&self, of: &Picture, dim: Dim) -> Result<vk::ImageView, Failure> {
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::SAMPLED);
        let mut create = vk::ImageViewCreateInfo::default()
            .image(of.image)
            .view_type(view_type(dim))
            .format(of.format)
            .subresource_range(of.range());
        // `samples.rs` writes the image, which its own format need not allow.
        if of.is_multisampled() {
            create = create.push_next(&mut usage);
        }
        // SAFETY: the image is alive, and its shape suits the kind.
        unsafe { self.device.create_image_view(&create, None) }.map_err(|it| self.failed(it, 0))
    }

    /// A writable integer view of a multisampled image.
    pub(super) fn integers_view(&self, of: &Picture) -> Result<vk::ImageView, Failure> {
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::STORAGE);
        let create = vk::ImageViewCreateInfo::default()
            .image(of.image)
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(samples::integers(of.shape.format.bytes()).unwrap_or_default())
            .subresource_range(of.range())
            .push_next(&mut usage);
        // SAFETY: the image is alive, and allows views with formats of the same size.
        unsafe { self.device.create_image_view(&create, None) }.map_err(|it| self.failed(it, 0))
    }

    pub(super) fn free_picture(&self, picture: &Picture) {
        // SAFETY: the caller no longer uses either, on the device too.
        unsafe {
            self.device.destroy_image(picture.image, None);
            self.device.free_memory(picture.memory, None);
        }
    }

    /// A sampler with that state, for the textures that it is used with.
    pub(super) fn sampler(
        &self,
        state: &Sampler,
        compares: bool,
        sampled: Sampled,
        name: &str,
    ) -> Result<vk::Sampler, Failure> {
        let whole = sampled.integers;
        let device = &self.capabilities.name;
        let lacks = |asked: String| {
            Err(unsupported(
                format!("`{name}` with {asked}"),
                format!("the device `{device}` does not support it"),
            ))
        };
        let limits = &self.capabilities.limits;
        if state.bias.abs() > limits.max_sampler_lod_bias {
            return lacks(format!("a bias of {}", state.bias));
        }
        let is_anisotropic = state.anisotropy > 1 && (sampled.blends || !whole);
        let has_anisotropy = self.capabilities.features.sampler_anisotropy == vk::TRUE;
        if is_anisotropic
            && (!has_anisotropy || state.anisotropy as f32 > limits.max_sampler_anisotropy)
        {
            return lacks(format!("{} probes", state.anisotropy));
        }
        let mirrors = self.capabilities.features12.sampler_mirror_clamp_to_edge == vk::TRUE;
        if state.address.contains(&Address::MirrorOnce) && !mirrors {
            return lacks("the address mode mirror-once".to_owned());
        }
        let is_linear =
            is_anisotropic || [state.min, state.mag, state.mip].contains(&Filter::Linear);
        if whole && sampled.blends && is_linear {
            let asked = format!("`{name}` for both integer and filtered textures");
            return Err(unsupported(
                asked,
                "a Vulkan sampler supports only one of them".to_owned(),
            ));
        }
        // Integers must not be filtered, and drivers may try.
        let filter = |it: Filter| match it {
            _ if whole => vk::Filter::NEAREST,
            _ if is_anisotropic => vk::Filter::LINEAR,
            Filter::Nearest => vk::Filter::NEAREST,
            Filter::Linear => vk::Filter::LINEAR,
        };
        let address = state.address.map(|it| match it {
            Address::Wrap => vk::SamplerAddressMode::REPEAT,
            Address::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
            Address::Clamp => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            Address::Border => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            Address::MirrorOnce => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        });
        let compare = super::state::comparison(state.compare);
        let border = match state.address.contains(&Address::Border) {
            true => border(state.border, whole),
            false => border([0.0; 4], whole),
        };
        let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default()
            .custom_border_color(custom_color(state.border, whole));
        let is_custom =
            matches!(border, vk::BorderColor::FLOAT_CUSTOM_EXT | vk::BorderColor::INT_CUSTOM_EXT);
        if is_custom && !self.capabilities.colors_borders {
            return lacks(format!("a border of {:?}", state.border));
        }
        let mip = match state.mip {
            _ if whole => vk::SamplerMipmapMode::NEAREST,
            _ if is_anisotropic => vk::SamplerMipmapMode::LINEAR,
            Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
            Filter::Linear => vk::SamplerMipmapMode::LINEAR,
        };
        let mut create = vk::SamplerCreateInfo::default()
            .mag_filter(filter(state.mag))
            .min_filter(filter(state.min))
            .mipmap_mode(mip)
            .address_mode_u(address[0])
            .address_mode_v(address[1])
            .address_mode_w(address[2])
            .mip_lod_bias(state.bias)
            .anisotropy_enable(is_anisotropic)
            .max_anisotropy(state.anisotropy.max(1) as f32)
            .compare_enable(compares)
            .compare_op(compare)
            .min_lod(state.min_lod)
            // If they cross, the minimum applies.
            .max_lod(state.max_lod.max(state.min_lod).min(vk::LOD_CLAMP_NONE.max(state.min_lod)))
            .border_color(border);
        if is_custom {
            create = create.push_next(&mut custom);
        }
        // SAFETY: the structures are complete, and request only supported features.
        unsafe { self.device.create_sampler(&create, None) }.map_err(|it| self.failed(it, 0))
    }
}

fn border(color: [f32; 4], whole: bool) -> vk::BorderColor {
    use vk::BorderColor as B;
    let [transparent, black, white, custom] = match whole {
        false => [
            B::FLOAT_TRANSPARENT_BLACK,
            B::FLOAT_OPAQUE_BLACK,
            B::FLOAT_OPAQUE_WHITE,
            B::FLOAT_CUSTOM_EXT,
        ],
        true => {
            [B::INT_TRANSPARENT_BLACK, B::INT_OPAQUE_BLACK, B::INT_OPAQUE_WHITE, B::INT_CUSTOM_EXT]
        }
    };
    match color {
        [0.0, 0.0, 0.0, 0.0] => transparent,
        [0.0, 0.0, 0.0, 1.0] => black,
        [1.0, 1.0, 1.0, 1.0] => white,
        _ => custom,
    }
}

fn custom_color(color: [f32; 4], whole: bool) -> vk::ClearColorValue {
    match whole {
        false => vk::ClearColorValue { float32: color },
        true => vk::ClearColorValue { int32: color.map(|it| it as i32) },
    }
}

fn alignment(shape: &Shape) -> u64 {
    // On every device, multiples of 256 are aligned for a storage buffer.
    let least = if shape.samples > 1 { 256 } else { 64 };
    least * shape.format.bytes() as u64
}

/// Each level of each layer, and their total size in the staging buffer.
fn pieces(shape: &Shape) -> (Vec<Piece>, u64) {
    let texel = shape.format.bytes();
    if shape.samples > 1 {
        return samples(shape);
    }
    let alignment = alignment(shape);
    let mut pieces = Vec::new();
    let mut to = 0u64;
    for layer in 0..shape.layers {
        for level in 0..shape.levels {
            let [width, height, depth] = shape.size(level);
            let len = texel * width as usize * height as usize * depth as usize;
            let from = shape.offset(level, layer, [0; 3], 0);
            let extent = vk::Extent3D { width, height, depth };
            pieces.push(Piece { from, len, to, level, layer, extent });
            to = (to + len as u64).next_multiple_of(alignment);
        }
    }
    (pieces, to)
}

/// The same for a multisampled image: each sample is separate.
fn samples(shape: &Shape) -> (Vec<Piece>, u64) {
    let len = shape.format.bytes();
    let mut pieces = Vec::new();
    let mut to = 0;
    for layer in 0..shape.layers {
        for sample in 0..shape.samples {
            for y in 0..shape.height {
                for x in 0..shape.width {
                    let from = shape.offset(0, layer, [x, y, 0], sample);
                    let extent = vk::Extent3D { width: 1, height: 1, depth: 1 };
                    pieces.push(Piece { from, len, to, level: 0, layer, extent });
                    to += samples::ROOM as u64;
                }
            }
        }
    }
    (pieces, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ops::texture::Format;

    #[test]
    fn pieces_begin_at_whole_texels_and_cover_the_texture() {
        for name in ["R8_UNORM", "RGB32_FLOAT", "RGBA16_FLOAT"] {
            let format = Format::parse(name).unwrap();
            let shape = Shape { layers: 2, levels: 3, ..Shape::new(format, 5, 4, 1) };
            let (pieces, size) = pieces(&shape);
            let mut next = 0;
            for piece in &pieces {
                assert_eq!(piece.from, next, "{name}");
                assert_eq!(piece.to % format.bytes() as u64, 0, "{name}");
                assert_eq!(piece.to % 4, 0, "{name}");
                assert!(piece.to + piece.len as u64 <= size, "{name}");
                next += piece.len;
            }
            assert_eq!(Some(next), shape.bytes(), "{name}");
        }
    }
}
