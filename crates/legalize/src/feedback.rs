//! Sampler feedback for devices that have no instruction for it: maps become structured buffers of words, whose layout
//! [`ops::texture::feedback`] defines, and a write becomes arithmetic and atomic operations (`textures/marks.rs`).
//!
//! The state of samplers must be known. In arrays of resources, the state of a lane's sampler and the texture of its
//! map are chosen among those of all elements. The probes of anisotropic filters are divided in 64-bit floats.
//! Deliberately absent: descriptor heaps.

use std::borrow::Cow;

use ir::{Module, Op, Place, ResourceKind, Texture};
use ops::texture::Sampler;

use crate::target::Target;
use crate::textures::{SAMPLER_WORDS, sampler_words};
use crate::writer::Writer;

/// What is known about a resource that takes part in sampler feedback.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Feedback {
    /// Of samplers, the states of the elements; nothing is known if there are none.
    pub samplers: Vec<SamplerState>,
    /// Of maps, for each element the numbers of the resources to which its texture is bound, with their elements.
    pub paired: Vec<Vec<(u32, u32)>>,
}

/// The most elements of a resource that a lane chooses among.
pub const MOST_FEEDBACK_ELEMENTS: usize = 64;

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
}

impl Target {
    /// The same device, with what is known about resources, by their numbers.
    pub fn with_feedback(mut self, known: Vec<Feedback>) -> Target {
        self.feedback = known;
        self
    }
}

/// Rewrites a module to one without feedback maps, if everything about them is known.
pub fn without_feedback<'a>(module: &'a Module, known: &[Feedback]) -> Cow<'a, Module> {
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
    let is_no_heap = |place: &Place| !module.resource(place.binding).register.class.is_heap();
    let is_few = |count: usize| (1..=MOST_FEEDBACK_ELEMENTS).contains(&count);
    let suits = |texture: &Texture| {
        let Texture { texture, sampler, map, .. } = texture;
        let of = |place: &Place| known.get(place.binding.index());
        let is_known = sampler.is_none_or(|it| of(&it).is_some_and(|it| is_few(it.samplers.len())));
        let is_bound = map.is_none_or(|it| of(&it).is_some_and(|it| is_few(it.paired.len())));
        is_known
            && is_bound
            && [Some(texture), sampler.as_ref(), map.as_ref()].into_iter().flatten().all(is_no_heap)
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
