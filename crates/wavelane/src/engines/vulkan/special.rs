//! Specialises a module for the bound resources: the only place where what a host binds changes the code.
//!
//! - An unbounded array, such as a descriptor heap, gets the number of bound elements as its length.
//! - A writable texture or typed buffer whose format has more channels than the shader declares gets an element with as
//!   many, so that a store keeps those that the shader does not write.
//!
//! - The emitter gets the formats and samplers that are bound, if they are the same for all elements of a resource;
//!   where there is sampler feedback, those of all elements, and the textures of maps.
//!
//! Programs are cached by the properties used here: the [`Key`].

use std::borrow::Cow;

use ir::exec::What;
use ir::{Module, ResourceKind};
use legalize::Feedback;
use ops::texture::{Address, Channel, Channels, Filter, Format, Sampler};
use spirv::Bound;

use super::format;
use crate::engines::feedback;
use crate::memory::{Contents, Slot};

/// The relevant properties of what is bound, for each resource.
pub(super) type Key = Vec<Fact>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fact {
    /// The number of elements.
    count: Option<u32>,
    /// Components of a texel.
    components: u32,
    pub(super) bound: Bound,
}

pub(super) fn key(module: &Module, contents: &Contents<'_>) -> Key {
    let records = feedback::is_recorded(module);
    let one = |index: usize, resource: &ir::Resource| {
        let storage = module.storage(ir::Binding(index as u32));
        let elements = contents.elements(storage);
        let count = match resource.count {
            Some(_) => resource.count,
            // A variable has at least one descriptor, which may be a null one.
            None => Some(elements.len().max(1) as u32),
        };
        let view = resource.kind.view();
        let components = match view.element {
            Some(element) if view.writable => {
                let channels = elements.iter().filter_map(|it| {
                    let texture = it.what.texture().map(|it| format::channels(it.format));
                    texture.or(it.what.format().map(|it| it.components))
                });
                channels.max().unwrap_or(0).max(element.components)
            }
            Some(element) => element.components,
            None => 0,
        };
        let mut bound = bound(elements);
        if records {
            bound.feedback = feedback::of(module, contents, &resource.kind, elements);
        }
        Fact { count, components, bound }
    };
    module.resources.iter().enumerate().map(|(index, it)| one(index, it)).collect()
}

/// The properties that all elements have in common.
fn bound(elements: &[&Slot]) -> Bound {
    let mut all = elements.iter().map(|it| match &it.what {
        What::Memory { format, .. } => Bound { format: format.and_then(plain), ..Bound::default() },
        What::Texture { shape, .. } => Bound { format: Some(shape.format), ..Bound::default() },
        What::Sampler(state) => Bound {
            format: None,
            single: is_single(state),
            whole_levels: state.mip == Filter::Nearest && state.anisotropy <= 1,
            feedback: Feedback::default(),
        },
        What::Scene(_) | What::Feedback(_) => Bound::default(),
    });
    let first = all.next().unwrap_or_default();
    all.fold(first, |common, it| Bound {
        format: common.format.filter(|format| it.format == Some(*format)),
        single: common.single && it.single,
        whole_levels: common.whole_levels && it.whole_levels,
        feedback: Feedback::default(),
    })
}

fn is_single(sampler: &Sampler) -> bool {
    sampler.anisotropy <= 1
        && [sampler.min, sampler.mag, sampler.mip] == [Filter::Nearest; 3]
        && !sampler.address.contains(&Address::Border)
}

/// The format of the texels of a typed buffer as one of textures.
fn plain(format: ir::exec::ElementFormat) -> Option<Format> {
    let Channel { encoding, bits } = format.scalar.channel();
    Format::plain(Channels::of(format.components)?, bits, encoding)
}

pub(super) fn module<'a>(module: &'a Module, key: &Key) -> Cow<'a, Module> {
    let mut special = Cow::Borrowed(module);
    for (index, (resource, fact)) in module.resources.iter().zip(key).enumerate() {
        let Fact { count, components, .. } = fact;
        if resource.count != *count {
            special.to_mut().resources[index].count = *count;
        }
        if let ResourceKind::Typed { element, .. } | ResourceKind::Texture { element, .. } =
            &resource.kind
            && element.components != *components
            && let ResourceKind::Typed { element, .. } | ResourceKind::Texture { element, .. } =
                &mut special.to_mut().resources[index].kind
        {
            element.components = *components;
        }
    }
    special
}
