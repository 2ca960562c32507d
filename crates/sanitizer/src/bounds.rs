//! Out-of-bounds accesses. Loads from arrays are tracked as poison; everything else is reported at once.

use interp::observe::{AccessEvent, Space};
use ops::LaneMask;

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::place;

/// Stores and atomic operations on arrays, and all accesses to buffers.
pub(crate) fn access(
    facts: &Facts<'_>,
    width: u32,
    event: &AccessEvent<'_>,
    stores: bool,
) -> Option<Finding> {
    let at = event.at;
    let outside = at.active & !event.in_bounds & !event.address_poison;
    if outside.is_empty() {
        return None;
    }
    let lane = outside.first().unwrap_or(0);
    let address = event.addresses[lane as usize];
    let verb = if stores { "write" } else { "read" };
    let past = if stores { "written" } else { "read" };
    let (kind, name, declared, note) = match event.space {
        Space::Private(_) | Space::Shared(_) if !stores => return None,
        Space::Private(it) => {
            let memory = &facts.module.privates[it.index()];
            array(memory)
        }
        Space::Shared(it) => {
            let memory = &facts.module.groupshared[it.index()];
            array(memory)
        }
        Space::Buffer(binding, _) => {
            let resource = facts.module.resource(binding);
            (
                Kind::BufferOutOfBounds,
                resource.name.clone(),
                Site { span: resource.span, inst: None, text: "declared here".to_owned() },
                if stores {
                    "Direct3D drops the write; other APIs do so only with robust buffer access"
                } else {
                    "Direct3D reads zero; other APIs do so only with robust buffer access"
                },
            )
        }
        Space::Counter(_) => return None,
    };
    let mut notes = Vec::new();
    // A texel outside the texture has no address.
    if address != u64::MAX {
        let place = place::place(facts, &event.space, address, u64::from(event.size));
        notes.push(format!("lane {lane} {verb}s {place}"));
    }
    if !note.is_empty() {
        notes.push(note.to_owned());
    }
    Some(Finding {
        kind,
        message: format!("`{name}` is {past} beyond its end"),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!("{} {verb}{} beyond the end", Named(outside), third_person(outside)),
        },
        related: vec![declared],
        notes,
        helps: vec![help(kind)],
        stacks: Vec::new(),
        group: at.group,
        wave: at.wave,
        lanes: outside & LaneMask::first_n(width),
        width,
    })
}

/// What to do about an index beyond the end.
pub(crate) fn help(kind: Kind) -> String {
    match kind {
        Kind::BufferOutOfBounds => {
            "compare the index with the number of elements first, or clamp it with `min` and `max`"
        }
        _ => "make the array large enough for every wave width, or compare the index with its size first",
    }
    .to_owned()
}

fn array(memory: &ir::Memory) -> (Kind, String, Site, &'static str) {
    let site = Site {
        span: memory.span,
        inst: None,
        text: format!("`{}` has {} elements", memory.name, memory.len),
    };
    (Kind::OutOfBounds, memory.name.clone(), site, "")
}
