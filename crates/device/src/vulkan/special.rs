//! A module as it is for what is bound: the one place where what a host binds changes the code.
//!
//! - An array without bounds, such as a descriptor heap, gets the length of what is bound, beyond which nothing is.
//! - A writable texture or typed buffer whose format has more channels than the shader declares gets an element with as
//!   many, so that a store keeps those that the shader does not give.
//!
//! Programs are kept by what matters here: the [`Key`].

use std::borrow::Cow;

use ir::exec::{Bindings, Buffer};
use ir::{Module, ResourceKind};

use super::format;

/// For each resource how many elements it has, and how many components a texel.
pub(super) type Key = Vec<(Option<u32>, u32)>;

pub(super) fn key(module: &Module, bindings: &Bindings) -> Key {
    let one = |index: usize, resource: &ir::Resource| {
        let storage = module.storage(ir::Binding(index as u32));
        let elements: &[Buffer] =
            bindings.bindings.get(storage.index()).map_or(&[], |it| it.as_slice());
        let count = match resource.count {
            Some(_) => resource.count,
            // A variable has one descriptor at least, which is a null one then.
            None => Some(elements.len().max(1) as u32),
        };
        let components = match &resource.kind {
            ResourceKind::Typed { writable: true, element }
            | ResourceKind::Texture { writable: true, element, .. } => {
                let channels = elements.iter().filter_map(|it| {
                    let texture = it.texture.map(|it| format::channels(it.format));
                    texture.or(it.format.map(|it| it.components))
                });
                channels.max().unwrap_or(0).max(element.components)
            }
            ResourceKind::Typed { writable: false, element }
            | ResourceKind::Texture { writable: false, element, .. } => element.components,
            ResourceKind::Constant { .. }
            | ResourceKind::Structured { .. }
            | ResourceKind::Raw { .. }
            | ResourceKind::Sampler { .. } => 0,
        };
        (count, components)
    };
    module.resources.iter().enumerate().map(|(index, it)| one(index, it)).collect()
}

pub(super) fn module<'a>(module: &'a Module, key: &Key) -> Cow<'a, Module> {
    let mut special = Cow::Borrowed(module);
    for (index, (resource, (count, components))) in module.resources.iter().zip(key).enumerate() {
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
