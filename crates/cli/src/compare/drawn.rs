//! Whether two draws left the same: targets pixel by pixel, writable buffers element by element.
//!
//! The tolerance for floats applies to both, in normalised channels as one step; an arbitrary order of elements is
//! allowed only in buffers.

use serde_json::{Value, json};
use wavelane::internal::{Holder, Left, Slots};
use wavelane::texture::Format;
use wavelane::{Resource, ResourceTable, Stage};

use super::{Difference, Rules, compare_slots};
use crate::problem::Problem;

/// The first difference of two runs, or of two draws.
pub(crate) enum Differs {
    Element(Difference),
    /// In a target: the place, and both values.
    Pixel {
        place: String,
        expected: String,
        got: String,
    },
}

impl Differs {
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Differs::Element(difference) => difference.to_json(),
            Differs::Pixel { place, expected, got } => {
                json!({ "place": place, "expected": expected, "got": got })
            }
        }
    }

    /// In words; `right` says whose the expected values are.
    pub(crate) fn text(&self, right: &str) -> String {
        match self {
            Differs::Element(it) => format!(
                "{}{} is {}, and {} in {right}; {} of {} elements differ",
                it.buffer, it.place, it.got, it.expected, it.count, it.of
            ),
            Differs::Pixel { place, expected, got } => {
                format!("{place} is {got}, and {expected} in {right}")
            }
        }
    }
}

/// Refuses rules that no draw into these targets can follow.
pub(crate) fn check(rules: &Rules, targets: &[String]) -> Result<(), Problem> {
    match rules.unordered.iter().find(|it| targets.contains(it)) {
        Some(name) => Err(Problem::input(format!(
            "`--unordered {name}`: `{name}` is a target, whose pixels have places"
        ))),
        None => Ok(()),
    }
}

/// The first difference between the results of two draws, except texels of targets that `is_close` accepts. `table` is
/// what is bound to a stage; `expected` is the reference's.
pub(crate) fn compare_drawn<'a>(
    expected: &Left,
    got: &Left,
    table: impl Fn(Stage) -> Option<&'a ResourceTable>,
    rules: &Rules,
    is_close: impl Fn(Format, &[u8], &[u8]) -> bool,
) -> Option<Differs> {
    let mut pairs = expected.contents.iter().zip(&got.contents);
    let of_buffers = pairs.find_map(|(wanted, got)| {
        let Holder::Resource(part, _, element) = wanted.holder else { return None };
        let mut held = table(part.stage())?.iter();
        let is_it = |it: &Resource, at: u32| it.name == wanted.name && at == element;
        let (resource, ..) = held.find(|(resource, at, _)| is_it(resource, *at))?;
        compare_slots(resource, element, [&wanted.buffer, &got.buffer], rules)
    });
    if let Some(found) = of_buffers {
        return Some(Differs::Element(found));
    }
    let (place, [expected, got]) = expected.first_far_target(got, rules.room, is_close)?;
    Some(Differs::Pixel { place, expected, got })
}
