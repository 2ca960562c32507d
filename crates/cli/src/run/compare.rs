//! Reports whether the widths agree.

use std::fmt::Write;
use std::rc::Rc;

use wavelane::internal::Slot;
use wavelane::{Layout, Member};

use super::{ResultBuffer, Runs};
use crate::number;
use crate::value::counted;

/// The verdict over several widths; empty for one.
pub(super) fn verdict(runs: &Runs) -> String {
    let [(first, base), others @ ..] = runs.outcomes.as_slice() else { return String::new() };
    if others.is_empty() {
        return String::new();
    }
    if others.iter().all(|(_, it)| Rc::ptr_eq(it, base)) {
        return format!("all {} agree\n", counted(others.len() + 1, "wave size"));
    }
    let mut text = String::new();
    for (index, view) in runs.views.iter().enumerate().filter(|(_, view)| view.writable) {
        let other = others.iter().find(|(_, it)| it.buffers[index] != base.buffers[index]);
        let Some((width, other)) = other else {
            let _ = writeln!(text, "{} is the same at all wave sizes", view.name);
            continue;
        };
        let _ = writeln!(
            text,
            "{} depends on the wave size: from {width} lanes on it differs",
            view.name
        );
        let (at, a, b) = first_difference(view, &base.buffers[index], &other.buffers[index]);
        let _ = writeln!(text, "  first at {at}: {a} with {first} lanes, {b} with {width}");
    }
    text
}

/// The buffers that differ between widths.
pub(super) fn dependent(runs: &Runs) -> impl Iterator<Item = &ResultBuffer> {
    let others = |index: usize| {
        let mut all = runs.outcomes.iter().map(move |(_, it)| &it.buffers[index]);
        let first = all.next();
        all.any(|it| Some(it) != first)
    };
    let written = runs.views.iter().enumerate().filter(|(_, it)| it.writable);
    written.filter(move |(index, _)| others(*index)).map(|(_, it)| it)
}

/// Where two buffers differ first, and what they hold there.
fn first_difference(view: &ResultBuffer, a: &Slot, b: &Slot) -> (String, String, String) {
    let layout = &view.layout;
    let byte = a.bytes.iter().zip(&b.bytes).position(|(a, b)| a != b);
    let Some(byte) = byte else {
        return (
            format!("the counter of {}", view.name),
            a.what.counter().unwrap_or(0).to_string(),
            b.what.counter().unwrap_or(0).to_string(),
        );
    };
    let (element, within) = (byte / layout.stride, byte % layout.stride);
    let scalar = layout
        .scalars
        .iter()
        .position(|(offset, it)| (*offset..offset + it.bytes()).contains(&within));
    let place = format!("{}[{element}]", view.name);
    match scalar {
        Some(index) => {
            let (offset, scalar) = layout.scalars[index];
            let at = element * layout.stride + offset;
            let show =
                |buffer: &Slot| number::text(number::read(&buffer.bytes[at..], scalar), scalar);
            let component = match member_at(&view.members, offset) {
                Some((name, 1, _)) => format!(".{name}"),
                Some((name, _, at)) => format!(".{name}, scalar {at}"),
                None if layout.scalars.len() > 1 => format!(", scalar {index}"),
                None => String::new(),
            };
            (format!("{place}{component}"), show(a), show(b))
        }
        None => (
            format!("{place}, byte {within}"),
            a.bytes[byte].to_string(),
            b.bytes[byte].to_string(),
        ),
    }
}

/// The named member that has a scalar at an offset: how many scalars it has, and which of them that is.
fn member_at(members: &[Member], offset: usize) -> Option<(&str, usize, usize)> {
    members.iter().filter(|it| !it.name.is_empty()).find_map(|member| {
        let offsets = Layout::offsets_of(member, &[])?;
        let at = offsets.iter().position(|it| *it == offset)?;
        Some((member.name.as_str(), offsets.len(), at))
    })
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;
    use wavelane::Scalar;

    fn view(name: &str) -> ResultBuffer {
        ResultBuffer {
            resource: name.to_owned(),
            element: 0,
            name: name.to_owned(),
            kind: "RWStructuredBuffer",
            layout: Layout::uniform(Scalar::U16, 2),
            members: Vec::new(),
            texture: None,
            map: None,
            writable: true,
            has_counter: false,
        }
    }

    fn outcome(contents: [[u8; 8]; 2]) -> Rc<Outcome> {
        let buffers = contents.map(|it| Slot::new(it.to_vec()));
        Rc::new(Outcome { buffers: buffers.to_vec() })
    }

    #[test]
    fn the_verdict_names_buffers_widths_places_and_values() {
        let same = outcome([[0; 8], [1; 8]]);
        let other = outcome([[0, 0, 0, 0, 0, 0, 7, 0], [1; 8]]);
        let views = || vec![view("A"), view("B")];
        let agree = Runs {
            views: views(),
            outcomes: vec![(4, same.clone()), (8, same.clone())],
            printed: Vec::new(),
            engines: Vec::new(),
            auto: None,
            missed: None,
        };
        assert_eq!(verdict(&agree), "all 2 wave sizes agree\n");
        let differ = Runs {
            views: views(),
            outcomes: vec![(4, same.clone()), (8, same.clone()), (16, other)],
            printed: Vec::new(),
            engines: Vec::new(),
            auto: None,
            missed: None,
        };
        assert_eq!(
            verdict(&differ),
            "A depends on the wave size: from 16 lanes on it differs\n\
             \x20 first at A[1], scalar 1: 0 with 4 lanes, 7 with 16\n\
             B is the same at all wave sizes\n"
        );
        assert_eq!(
            verdict(&Runs {
                views: views(),
                outcomes: vec![(4, same)],
                printed: Vec::new(),
                engines: Vec::new(),
                auto: None,
                missed: None,
            }),
            ""
        );
    }
}
