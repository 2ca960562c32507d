//! The storage on the device for what a launch binds: which descriptors share bytes, how many there are, and the
//! required capabilities of images.
//!
//! Separate resources have separate storage. All views of a descriptor heap share the same elements, whatever type each
//! declares; if an element has a different type, that view's descriptor is a null one.

use std::collections::BTreeMap;
use std::sync::Arc;

use ash::vk;
use ir::exec::{Bindings, Failure, Unsupported};
use ir::{Binding, Element, Module, Op, ResourceKind};
use ops::texture::{Dim, Filter, Sampler, Shape};
use spirv::BindingKind;

use super::context::Context;
use super::format;
use super::image::{Picture, Wanted};
use super::resident::{Held, Resident};
use super::run::Job;
use crate::memory::{Contents, Slot};

/// Identifies storage: the bytes or the counter of an owner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StorageId {
    pub(super) owner: Owner,
    /// The hidden counter instead of the bytes.
    pub(super) counter: bool,
}

/// The owner of the bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// A buffer or texture of the host, by its number in the memory.
    Cell(usize),
    /// An element of a resource without storage beyond the run; `space` distinguishes dispatches.
    Element { space: usize, storage: Binding, element: u32 },
}

/// Bytes on the device, and whether they pass through the staging buffer.
pub(super) struct Stored {
    pub(super) place: StorageId,
    pub(super) resident: Arc<Resident>,
    /// Their offset there, if they do.
    pub(super) staged: u64,
    /// Whether they are uploaded; otherwise the device has them already.
    pub(super) uploads: bool,
    pub(super) size: u64,
    /// Whether the run writes to them.
    pub(super) written: bool,
}

/// The combined requirements of all descriptors of a place.
#[derive(Clone, Copy, Default)]
pub(super) struct Need {
    pub(super) bytes: u64,
    pub(super) usage: vk::ImageUsageFlags,
    features: vk::FormatFeatureFlags2,
    pub(super) written: bool,
}

/// A descriptor of a binding.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) kind: BindingKind,
    pub(super) resource: Binding,
    pub(super) declared: &'a ir::Resource,
    /// The format that the module declares.
    pub(super) format: Option<&'static str>,
    pub(super) place: StorageId,
    /// What is bound there, if it suits the descriptor.
    pub(super) bound: Option<&'a Slot>,
}

fn unsupported<T>(asked: String, missing: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Unsupported(Unsupported { asked, missing: missing.into() }))
}

/// Every descriptor of the program: its binding's number, its element, and its requirements.
pub(super) fn asked<'a>(job: &Job<'a>, contents: &Contents<'a>) -> Vec<(usize, u32, Asked<'a>)> {
    let (program, module) = (job.program, job.module);
    let mut all = Vec::new();
    for (number, binding) in program.reflection.bindings.iter().enumerate() {
        let declared = &module.resources[binding.resource.index()];
        let storage = module.storage(binding.resource);
        let elements = contents.elements(storage);
        for element in 0..program.counts[number] {
            let view = declared.kind.view();
            let bound = elements.get(element as usize).copied().filter(|it| match view.dim {
                Some(dim) => {
                    it.what.texture().is_some_and(|it| it.suits(dim) && it.bytes().is_some())
                }
                None if binding.kind == BindingKind::Scene => it.what.scene().is_some(),
                None if view.contents == ir::Contents::Feedback => it.what.feedback().is_some(),
                None if binding.kind == BindingKind::Counter => it.what.counter().is_some(),
                None if view.is_buffer() => it.what.is_buffer(),
                None => it.what.sampler().is_some(),
            });
            let counter = binding.kind == BindingKind::Counter;
            let asked = Asked {
                kind: binding.kind,
                resource: binding.resource,
                declared,
                format: binding.format,
                place: StorageId { owner: job.owner(storage, element), counter },
                bound,
            };
            all.push((number, element, asked));
        }
    }
    all
}

impl Asked<'_> {
    /// The number of bytes in the descriptor's range.
    pub(super) fn range(&self) -> u64 {
        let Some(bound) = self.bound else { return 0 };
        let bytes = bound.bytes.len() as u64;
        match (self.kind, &self.declared.kind) {
            (BindingKind::Counter, _) => 4,
            // The module reads whole registers of the declared members.
            (_, ResourceKind::Constant { .. }) if bytes == 0 => 0,
            (_, ResourceKind::Constant { size, .. }) => u64::from(size.div_ceil(16).max(1)) * 16,
            _ => bytes,
        }
    }

    /// The kind and the element of a texture, and its shape, if there is one.
    pub(super) fn texture(&self) -> Option<(Dim, Element, Shape)> {
        let view = self.declared.kind.view();
        Some((view.dim?, view.element?, self.bound?.what.texture()?))
    }
}

/// The requirements on each place.
pub(super) fn needs(
    needs: &mut BTreeMap<StorageId, Need>,
    module: &Module,
    contents: &Contents<'_>,
    all: &[(usize, u32, Asked<'_>)],
) {
    for (_, _, asked) in all {
        use vk::FormatFeatureFlags2 as Can;
        let need = needs.entry(asked.place).or_default();
        need.bytes = need.bytes.max(asked.range());
        need.written |= asked.declared.kind.writable();
        match asked.kind {
            BindingKind::SampledImage => {
                need.usage |= vk::ImageUsageFlags::SAMPLED;
                need.features |= Can::SAMPLED_IMAGE;
                if is_filtered(module, contents, asked.resource) {
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
            | BindingKind::Scene
            | BindingKind::Counter => {}
        }
    }
}

/// The texture instructions that use a resource as their texture or sampler.
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

/// Whether a texture is used in comparisons.
fn is_compared(module: &Module, texture: Binding) -> bool {
    uses(module, texture).any(|it| it.op.compares())
}

/// Whether a texture is read through a sampler that filters.
fn is_filtered(module: &Module, contents: &Contents<'_>, texture: Binding) -> bool {
    let blends =
        |it: &Sampler| it.anisotropy > 1 || [it.min, it.mag, it.mip].contains(&Filter::Linear);
    let of = |sampler: Binding| {
        let bound = contents.elements(module.storage(sampler));
        let mut samplers = bound.iter().filter_map(|it| it.what.sampler());
        samplers.any(|it| blends(&it))
    };
    uses(module, texture)
        .filter(|it| it.op.filters())
        .any(|it| it.sampler.is_some_and(|it| of(it.binding)))
}

/// The uses of a sampler.
#[derive(Clone, Copy, Default)]
pub(super) struct Sampled {
    /// Textures of integers.
    pub(super) integers: bool,
    /// Textures that it may filter; a gather does not filter.
    pub(super) blends: bool,
}

pub(super) fn sampled(module: &Module, sampler: Binding) -> Sampled {
    let mut sampled = Sampled::default();
    for texture in uses(module, sampler) {
        let element = module.resource(texture.texture.binding).kind.view().element;
        let is_float = element
            .is_some_and(|it| matches!(it.scalar, ir::HostScalar::F16 | ir::HostScalar::F32));
        sampled.integers |= !is_float;
        sampled.blends |= is_float && texture.op.gathered().is_none();
    }
    sampled
}

/// The format of an image for a view.
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

/// Whether storage on the device suits a descriptor.
pub(super) fn fits(
    context: &Arc<Context>,
    asked: &Asked<'_>,
    need: &Need,
    resident: &Resident,
) -> Result<bool, Failure> {
    let is_here = Arc::ptr_eq(&resident.context, context);
    Ok(is_here
        && match (&resident.held, asked.texture()) {
            (Held::Buffer(_, size), None) => *size >= need.bytes,
            (Held::Picture(picture), Some((dim, element, shape))) => {
                let format = view_format(context, asked, &element, &shape, need)?;
                picture.serves(&shape, need.usage) && picture.takes(dim, format)
            }
            (Held::Buffer(..), Some(_)) | (Held::Picture(_), None) => false,
        })
}

/// The image of a texture.
pub(super) fn picture(
    context: &Context,
    asked: &Asked<'_>,
    (dim, format, shape): (Dim, vk::Format, &Shape),
    need: &Need,
) -> Result<Picture, Failure> {
    let name = &asked.declared.name;
    if dim.is_multisampled() && shape.samples == 1 {
        let missing = "a multisampled Vulkan image has at least two samples";
        return unsupported(format!("`{name}` of one sample"), missing);
    }
    if dim.is_multisampled() && need.written {
        let missing = "samples that a shader has written cannot be read back yet";
        return unsupported(format!("writes to `{name}`"), missing);
    }
    let Need { usage, features, .. } = *need;
    context.picture(shape, Wanted { dim, format, usage, features, name })
}

/// The bytes of a place in what is bound there.
pub(super) fn bytes<'a>(place: StorageId, slot: &'a Slot, counter: &'a mut [u8; 4]) -> &'a [u8] {
    if place.counter {
        *counter = slot.what.counter().unwrap_or(0).to_le_bytes();
        return counter;
    }
    &slot.bytes
}

impl Stored {
    /// Copies the device's results into what is bound.
    pub(super) fn give_back(&self, bindings: &mut Bindings, staging: &[u8]) {
        let Owner::Element { storage, element, .. } = self.place.owner else { return };
        if let Some(slot) = bindings.bindings[storage.index()].get_mut(element as usize) {
            self.resident.unpack(self.place.counter, slot, staging);
        }
    }
}
