//! The properties of bound resources that determine sampler feedback on a device: `legalize` turns it into arithmetic
//! and atomic operations, in which the states of samplers and the textures of maps are constants.

use ir::{Module, ResourceKind};
use legalize::{Feedback, MOST_FEEDBACK_ELEMENTS, SamplerState};

use crate::memory::{Contents, Slot};

/// Whether a module may write maps.
pub(super) fn is_recorded(module: &Module) -> bool {
    let is_map = |it: &ir::Resource| it.kind.view().contents == ir::Contents::Feedback;
    module.resources.iter().any(|it| it.used && is_map(it))
}

/// What is known of each resource; nothing of a module without maps.
pub(super) fn known(module: &Module, contents: &Contents<'_>) -> Vec<Feedback> {
    if !is_recorded(module) {
        return Vec::new();
    }
    let bindings = (0..module.resources.len() as u32).map(ir::Binding);
    let elements = |it: ir::Binding| contents.elements(module.storage(it));
    bindings.map(|it| of(module, contents, &module.resource(it).kind, elements(it))).collect()
}

/// What determines sampler feedback: the samplers of a resource, and where the textures of its maps are bound.
pub(super) fn of(
    module: &Module,
    contents: &Contents<'_>,
    kind: &ResourceKind,
    elements: &[&Slot],
) -> Feedback {
    let mut found = Feedback::default();
    if elements.len() > MOST_FEEDBACK_ELEMENTS {
        return found;
    }
    let places = |slot: &&Slot| -> Vec<(u32, u32)> {
        let Some(map) = slot.what.feedback() else { return Vec::new() };
        let bindings = (0..module.resources.len() as u32).map(ir::Binding);
        let of = |binding: ir::Binding| {
            let slots = contents.elements(module.storage(binding)).iter();
            let numbered = (0..).zip(slots).filter(|it| {
                it.1.what.identified().is_some_and(|(_, identity)| identity == map.paired)
            });
            numbered.map(move |it| (binding.0, it.0)).collect::<Vec<_>>()
        };
        bindings.flat_map(of).collect()
    };
    match kind {
        ResourceKind::Sampler { .. } => {
            let state = |it: &&Slot| SamplerState::from(&it.what.sampler().unwrap_or_default());
            found.samplers = elements.iter().map(state).collect();
        }
        ResourceKind::Feedback { .. } => found.paired = elements.iter().map(places).collect(),
        _ => {}
    }
    found
}
