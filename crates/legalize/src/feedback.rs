//! Sampler feedback for devices that have no instruction for it: maps become structured buffers of words, whose layout
//! [`ops::texture::feedback`] defines, and a write becomes arithmetic and atomic operations (`textures/marks.rs`).
//!
//! The state of samplers must be known. Deliberately absent: anisotropic filters, whose probes depend on how a device
//! rounds divisions, and maps, textures and samplers in arrays and descriptor heaps.

use std::borrow::Cow;

use ir::{Module, Op, Place, ResourceKind, Texture};
use ops::texture::Sampler;

use crate::target::Target;
use crate::textures::{SAMPLER_WORDS, sampler_words};
use crate::writer::Writer;

/// What is known about a resource that takes part in sampler feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Feedback {
    /// Of a sampler, its state.
    pub sampler: Option<SamplerState>,
    /// Of a map, the number of the resource to which its texture is bound.
    pub paired: Option<u32>,
}

/// The state of a sampler that decides which texels it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerState([u32; SAMPLER_WORDS]);

impl From<&Sampler> for SamplerState {
    fn from(sampler: &Sampler) -> SamplerState {
        // The same for all samplers that use the same texels.
        let Sampler { border, compare, .. } = Sampler::default();
        SamplerState(sampler_words(&Sampler { border, compare, ..*sampler }))
    }
}

impl SamplerState {
    pub(crate) fn words(self) -> [u32; SAMPLER_WORDS] {
        self.0
    }

    fn is_anisotropic(self) -> bool {
        self.0[3] > 1
    }
}

impl Target {
    /// The same device, with what is known about resources, by their numbers.
    pub fn with_feedback(mut self, known: Vec<Feedback>) -> Target {
        self.feedback = known;
        self
    }
}

/// Rewrites a module to one without feedback maps, if everything about them is known.
pub(crate) fn without_feedback<'a>(module: &'a Module, known: &[Feedback]) -> Cow<'a, Module> {
    if !can_be_expanded(module, known) {
        return Cow::Borrowed(module);
    }
    let target = Target::everything();
    let mut writer = Writer::new(module, &target);
    writer.feedback = Some(known);
    writer.list(module.body);
    let mut new = writer.finish();
    for resource in &mut new.resources {
        if let ResourceKind::Feedback { .. } = resource.kind {
            resource.kind = ResourceKind::Structured {
                writable: true,
                stride: 4,
                members: Vec::new(),
                counter: false,
            };
        }
    }
    Cow::Owned(new)
}

/// Whether an instruction writes or measures a map.
pub(crate) fn is_of_map(module: &Module, texture: &Texture) -> bool {
    let of = &module.resource(texture.texture.binding).kind;
    texture.map.is_some() || matches!(of, ResourceKind::Feedback { .. })
}

/// Whether there are maps, and only such that can be expanded.
fn can_be_expanded(module: &Module, known: &[Feedback]) -> bool {
    let is_single = |place: &Place| {
        let resource = module.resource(place.binding);
        place.element.is_none() && resource.count == Some(1) && !resource.register.class.is_heap()
    };
    let suits = |texture: &Texture| {
        let Texture { texture, sampler, map, .. } = texture;
        let is_known = sampler.is_none_or(|it| {
            let state = known.get(it.binding.index()).and_then(|it| it.sampler);
            state.is_some_and(|it| !it.is_anisotropic())
        });
        is_known
            && [Some(texture), sampler.as_ref(), map.as_ref()].into_iter().flatten().all(is_single)
    };
    let mut of_maps = module.insts.iter().filter_map(|it| match &it.op {
        Op::Texture(texture) if is_of_map(module, texture) => Some(&**texture),
        _ => None,
    });
    let mut any = false;
    of_maps.all(|it| {
        any = true;
        suits(it)
    }) && any
}
