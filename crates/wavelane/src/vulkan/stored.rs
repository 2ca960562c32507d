//! What a launch binds, as storage on the device: which descriptors see the same bytes, how many there are, and what an
//! image of them must be able to do.
//!
//! Resources of their own have storage of their own. All views of a descriptor heap see the same elements, whatever each
//! takes them for; where an element is something else than a view takes it for, that view's descriptor is a null one.

use std::collections::BTreeMap;

use ash::vk;
use ir::exec::{Bindings, Buffer, Failure, Unsupported};
use ir::{Binding, Element, Module, Op, ResourceKind, TextureOp};
use ops::texture::{Dim, Filter, Sampler, Shape};
use spirv::BindingKind;

use super::context::{Context, Memory};
use super::format;
use super::image::{Picture, Wanted};
use super::program::Program;

/// Which bytes of the bindings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    storage: Binding,
    element: u32,
    /// The hidden counter instead of the bytes.
    counter: bool,
}

/// Bytes on the device, and where they begin in the staging buffer.
pub(super) struct Stored {
    pub(super) place: Place,
    pub(super) held: Held,
    pub(super) staged: u64,
    pub(super) size: u64,
    /// Whether they come back after the dispatch.
    pub(super) written: bool,
}

pub(super) enum Held {
    Buffer(Memory),
    Picture(Picture),
}

/// What all descriptors of a place need of it together.
#[derive(Clone, Copy, Default)]
pub(super) struct Need {
    pub(super) bytes: u64,
    usage: vk::ImageUsageFlags,
    features: vk::FormatFeatureFlags2,
    pub(super) written: bool,
}

/// A descriptor of a binding.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) kind: BindingKind,
    pub(super) resource: Binding,
    pub(super) declared: &'a ir::Resource,
    /// The format that the module names.
    pub(super) format: Option<&'static str>,
    pub(super) place: Place,
    /// What is bound there, if it is what the descriptor takes it for.
    pub(super) bound: Option<&'a Buffer>,
}

fn unsupported<T>(asked: String, missing: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Unsupported(Unsupported { asked, missing: missing.into() }))
}

/// Every descriptor of the program: its binding's number, its element, and what it asks.
pub(super) fn asked<'a>(
    program: &Program,
    module: &'a Module,
    bindings: &'a Bindings,
) -> Vec<(usize, u32, Asked<'a>)> {
    let mut all = Vec::new();
    for (number, binding) in program.reflection.bindings.iter().enumerate() {
        let declared = &module.resources[binding.resource.index()];
        let storage = module.storage(binding.resource);
        let elements: &[Buffer] =
            bindings.bindings.get(storage.index()).map_or(&[], |it| it.as_slice());
        for element in 0..program.counts[number] {
            let bound = elements.get(element as usize).filter(|it| match &declared.kind {
                ResourceKind::Texture { dim, .. } => {
                    it.texture.is_some_and(|it| it.suits(*dim) && it.bytes().is_some())
                }
                ResourceKind::Sampler { .. } => it.sampler.is_some(),
                ResourceKind::Constant { .. }
                | ResourceKind::Structured { .. }
                | ResourceKind::Raw { .. }
                | ResourceKind::Typed { .. } => it.texture.is_none(),
            });
            let counter = binding.kind == BindingKind::Counter;
            let asked = Asked {
                kind: binding.kind,
                resource: binding.resource,
                declared,
                format: binding.format,
                place: Place { storage, element, counter },
                bound,
            };
            all.push((number, element, asked));
        }
    }
    all
}

impl Asked<'_> {
    /// How many bytes the descriptor sees.
    pub(super) fn range(&self) -> u64 {
        let Some(bound) = self.bound else { return 0 };
        let bytes = bound.bytes.len() as u64;
        match (self.kind, &self.declared.kind) {
            (BindingKind::Counter, _) => 4,
            // The module reads whole registers of what is declared.
            (_, ResourceKind::Constant { .. }) if bytes == 0 => 0,
            (_, ResourceKind::Constant { size, .. }) => u64::from(size.div_ceil(16).max(1)) * 16,
            _ => bytes,
        }
    }

    /// The kind and the element of a texture, and its shape, if there is one.
    pub(super) fn texture(&self) -> Option<(Dim, Element, Shape)> {
        match &self.declared.kind {
            ResourceKind::Texture { dim, element, .. } => {
                Some((*dim, *element, self.bound?.texture?))
            }
            ResourceKind::Constant { .. }
            | ResourceKind::Structured { .. }
            | ResourceKind::Raw { .. }
            | ResourceKind::Typed { .. }
            | ResourceKind::Sampler { .. } => None,
        }
    }
}

/// What is needed of each place.
pub(super) fn needs<'a>(
    module: &Module,
    bindings: &Bindings,
    all: impl Iterator<Item = &'a (usize, u32, Asked<'a>)>,
) -> BTreeMap<Place, Need> {
    let mut needs: BTreeMap<Place, Need> = BTreeMap::new();
    for (_, _, asked) in all {
        use vk::FormatFeatureFlags2 as Can;
        let need = needs.entry(asked.place).or_default();
        need.bytes = need.bytes.max(asked.range());
        need.written |= asked.declared.kind.writable();
        match asked.kind {
            BindingKind::SampledImage => {
                need.usage |= vk::ImageUsageFlags::SAMPLED;
                need.features |= Can::SAMPLED_IMAGE;
                if is_filtered(module, bindings, asked.resource) {
                    need.features |= Can::SAMPLED_IMAGE_FILTER_LINEAR;
                }
                if is_compared(module, asked.resource) {
                    need.features |= Can::SAMPLED_IMAGE_DEPTH_COMPARISON;
                }
            }
            BindingKind::StorageImage => {
                need.usage |= vk::ImageUsageFlags::STORAGE;
                need.features |= Can::STORAGE_IMAGE;
                if module.changes_atomically(asked.resource) {
                    need.features |= Can::STORAGE_IMAGE_ATOMIC;
                }
                if asked.format.is_none() {
                    need.features |=
                        Can::STORAGE_READ_WITHOUT_FORMAT | Can::STORAGE_WRITE_WITHOUT_FORMAT;
                }
            }
            BindingKind::UniformBuffer
            | BindingKind::StorageBuffer
            | BindingKind::UniformTexelBuffer
            | BindingKind::StorageTexelBuffer
            | BindingKind::Sampler
            | BindingKind::Counter => {}
        }
    }
    needs
}

/// The texture instructions that name a resource as their texture or their sampler.
fn uses(module: &Module, resource: Binding) -> impl Iterator<Item = &ir::Texture> {
    module.insts.iter().filter_map(move |it| match &it.op {
        Op::Texture(it)
            if it.texture.binding == resource
                || it.sampler.is_some_and(|it| it.binding == resource) =>
        {
            Some(&**it)
        }
        _ => None,
    })
}

/// Whether a texture is compared with references.
fn is_compared(module: &Module, texture: Binding) -> bool {
    uses(module, texture)
        .any(|it| matches!(it.op, TextureOp::Compare(_) | TextureOp::GatherCompare(_)))
}

/// Whether a texture is read through a sampler that blends texels.
fn is_filtered(module: &Module, bindings: &Bindings, texture: Binding) -> bool {
    let blends =
        |it: &Sampler| it.anisotropy > 1 || [it.min, it.mag, it.mip].contains(&Filter::Linear);
    let of = |sampler: Binding| {
        let bound = bindings.bindings.get(module.storage(sampler).index());
        let mut samplers = bound.into_iter().flatten().filter_map(|it| it.sampler);
        samplers.any(|it| blends(&it))
    };
    uses(module, texture)
        .filter(|it| matches!(it.op, TextureOp::Sample(_) | TextureOp::Compare(_)))
        .any(|it| it.sampler.is_some_and(|it| of(it.binding)))
}

/// What a sampler is used on.
#[derive(Clone, Copy, Default)]
pub(super) struct Sampled {
    /// Textures of integers.
    pub(super) integers: bool,
    /// Numbers that it may blend; a gather blends none.
    pub(super) blends: bool,
}

pub(super) fn sampled(module: &Module, sampler: Binding) -> Sampled {
    let mut sampled = Sampled::default();
    for texture in uses(module, sampler) {
        let is_float = match &module.resource(texture.texture.binding).kind {
            ResourceKind::Texture { element, .. } => {
                matches!(element.scalar, ir::HostScalar::F16 | ir::HostScalar::F32)
            }
            ResourceKind::Constant { .. }
            | ResourceKind::Structured { .. }
            | ResourceKind::Raw { .. }
            | ResourceKind::Typed { .. }
            | ResourceKind::Sampler { .. } => false,
        };
        let gathers = matches!(texture.op, TextureOp::Gather(_) | TextureOp::GatherCompare(_));
        sampled.integers |= !is_float;
        sampled.blends |= is_float && !gathers;
    }
    sampled
}

/// The format of an image as a view wants it.
pub(super) fn view_format(
    context: &Context,
    asked: &Asked<'_>,
    element: &Element,
    shape: &Shape,
    need: &Need,
) -> Result<vk::Format, Failure> {
    use vk::FormatFeatureFlags2 as Can;
    let name = &asked.declared.name;
    let Some(found) = format::image_format(shape.format, element, asked.format) else {
        let asked_for = format!("`{name}` of {}", shape.format);
        return unsupported(asked_for, format::no_format(asked.format));
    };
    let compares = need.features.contains(Can::SAMPLED_IMAGE_DEPTH_COMPARISON);
    let has = context.features_of(found).optimal_tiling_features;
    match format::depth(found) {
        Some(depth) if compares && !has.contains(Can::SAMPLED_IMAGE_DEPTH_COMPARISON) => Ok(depth),
        _ => Ok(found),
    }
}

/// The image of a texture.
pub(super) fn picture(
    context: &Context,
    asked: &Asked<'_>,
    (dim, format, shape): (Dim, vk::Format, &Shape),
    need: &Need,
    staged: u64,
) -> Result<Picture, Failure> {
    let name = &asked.declared.name;
    if dim.is_multisampled() && shape.samples == 1 {
        let missing = "a multisampled image of Vulkan has two samples at least";
        return unsupported(format!("`{name}` of one sample"), missing);
    }
    let Need { usage, features, .. } = *need;
    context.picture(shape, Wanted { dim, format, usage, features, name }, staged)
}

impl Stored {
    /// The bytes as they are in the bindings.
    pub(super) fn bytes<'a>(&self, bindings: &'a Bindings, counter: &'a mut [u8; 4]) -> &'a [u8] {
        let Place { storage, element, counter: is_counter } = self.place;
        let Some(buffer) = bindings.bindings[storage.index()].get(element as usize) else {
            return &[];
        };
        if is_counter {
            *counter = buffer.counter.to_le_bytes();
            return counter;
        }
        &buffer.bytes
    }

    /// Gives the bindings what the device has made of the bytes.
    pub(super) fn give_back(&self, bindings: &mut Bindings, staging: &[u8]) {
        let Place { storage, element, counter } = self.place;
        let Some(buffer) = bindings.bindings[storage.index()].get_mut(element as usize) else {
            return;
        };
        match &self.held {
            Held::Buffer(_) if counter => {
                buffer.counter = staging.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
            }
            Held::Buffer(_) => {
                let count = buffer.bytes.len().min(staging.len());
                buffer.bytes[..count].copy_from_slice(&staging[..count]);
            }
            Held::Picture(picture) => {
                for (from, to) in picture.moves() {
                    let to = (to - self.staged) as usize;
                    let len = buffer.bytes.len().saturating_sub(from.start).min(from.len());
                    buffer.bytes[from.start..from.start + len]
                        .copy_from_slice(&staging[to..to + len]);
                }
            }
        }
    }

    /// Lays the bytes out as the staging buffer wants them, over zeros.
    pub(super) fn lay_out(&self, bytes: &[u8], staging: &mut [u8]) {
        staging.fill(0);
        match &self.held {
            Held::Buffer(_) => {
                let count = bytes.len().min(staging.len());
                staging[..count].copy_from_slice(&bytes[..count]);
            }
            Held::Picture(picture) => {
                for (from, to) in picture.moves() {
                    let to = (to - self.staged) as usize;
                    let len = bytes.len().saturating_sub(from.start).min(from.len());
                    staging[to..to + len].copy_from_slice(&bytes[from.start..from.start + len]);
                }
            }
        }
    }
}
