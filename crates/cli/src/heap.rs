//! Descriptor heaps: the types as which a shader accesses their elements.

use wavelane::internal::{HeapSlot, Slots, survey};
use wavelane::{RegisterClass, Resource, Shader};

use crate::bind::Bound;
use crate::missing::type_name;

/// The views of a heap that a shader uses, each type once.
pub(crate) fn views(shader: &Shader, class: RegisterClass) -> Vec<&Resource> {
    let mut views = Vec::new();
    add(&mut views, shader.resources().iter().filter(|it| it.used && it.register.class == class));
    views
}

/// Adds views of types that are not among those that are known.
pub(crate) fn add<'a>(
    known: &mut Vec<&'a Resource>,
    views: impl IntoIterator<Item = &'a Resource>,
) {
    for view in views {
        if !known.iter().any(|it| type_name(it) == type_name(view)) {
            known.push(view);
        }
    }
}

/// The elements of heaps that a shader accesses, as far as its code and its constants show.
pub(crate) struct Taken<'a> {
    /// The element, `None` for any, and the view as which it is accessed.
    all: Vec<(Option<u32>, &'a Resource)>,
}

impl<'a> Taken<'a> {
    pub(crate) fn of(shader: &'a Shader, bound: &Bound) -> Taken<'a> {
        let resources = shader.resources();
        let mut all = Vec::new();
        if resources.iter().any(|it| it.used && it.register.class.is_heap()) {
            for (slot, views) in survey(shader).heaps {
                let element = match slot {
                    HeapSlot::Element(at) => Some(at),
                    HeapSlot::Constant { resource, offset } => {
                        constant(bound, &resources[resource], offset)
                    }
                    HeapSlot::Unknown => None,
                };
                all.extend(views.iter().map(|it| (element, &resources[*it])));
            }
        }
        Taken { all }
    }

    /// The views as which an element may be accessed.
    pub(crate) fn views(
        &self,
        class: RegisterClass,
        element: u32,
    ) -> impl Iterator<Item = &'a Resource> {
        let is_it = move |it: &&(Option<u32>, &Resource)| {
            it.1.register.class == class && it.0.is_none_or(|it| it == element)
        };
        self.all.iter().filter(is_it).map(|it| it.1)
    }
}

/// The value of a constant, where it is bound.
fn constant(bound: &Bound, buffer: &Resource, offset: u32) -> Option<u32> {
    let slot = bound.table.get(&buffer.name, 0)?;
    let bytes = slot.bytes.get(offset as usize..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
