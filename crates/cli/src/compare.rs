//! Whether two runs left the same: every writable resource, bit for bit, and where the first difference lies.
//!
//! Differences between nearby floats are distinguished from all others, because some sides may choose their rounding;
//! the caller judges whether that applies.

pub(crate) mod drawn;

use std::ops::Range;

use serde_json::{Value, json};
use wavelane::internal::{FloatRoom, Slot, Slots};
use wavelane::texture::Shape;
use wavelane::{Layout, Resource, ResourceTable, Scalar};

use crate::number;

/// The first difference of two runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    /// As a user writes it: `Out` or `Out[2]`.
    pub(crate) buffer: String,
    /// Such as `[5]`, `[5], scalar 1`, or ` counter`.
    pub(crate) place: String,
    pub(crate) expected: Shown,
    pub(crate) got: Shown,
    /// How many elements differ, of how many.
    pub(crate) count: usize,
    pub(crate) of: usize,
    /// All differences are between nearby floats.
    pub(crate) is_rounding: bool,
}

/// A value as people and machines read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) hex: String,
    pub(crate) text: String,
}

impl Shown {
    pub(crate) fn of(bits: u64, scalar: Scalar) -> Shown {
        let digits = 2 * scalar.bytes();
        Shown { hex: format!("0x{bits:0digits$x}"), text: number::text(bits, scalar) }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "hex": self.hex, "value": self.text })
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.hex, self.text)
    }
}

impl Difference {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "buffer": self.buffer,
            "place": self.place.trim(),
            "expected": self.expected.to_json(),
            "got": self.got.to_json(),
            "elements_that_differ": self.count,
            "elements": self.of,
        })
    }
}

/// What counts as the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// How far apart floats may be that count as equal, if the command line says so.
    pub(crate) room: Option<FloatRoom>,
    /// Resources whose elements may come in any order.
    pub(crate) unordered: Vec<String>,
    /// Resources that are not compared.
    pub(crate) without: Vec<String>,
}

/// Compares what two runs have left; `expected` is the reference's.
pub(crate) fn compare(
    expected: &ResourceTable,
    got: &ResourceTable,
    rules: &Rules,
) -> Option<Difference> {
    if std::ptr::eq(expected, got) {
        return None;
    }
    let mut first: Option<Difference> = None;
    for (resource, element, wanted) in expected.iter() {
        let Some(other) = got.get(&resource.name, element) else { continue };
        if !resource.kind.writable() || rules.without.contains(&resource.name) {
            continue;
        }
        if let Some(found) = compare_slots(resource, element, [&wanted, &other], rules) {
            match &mut first {
                None => first = Some(found),
                // What comes first is shown, unless that is rounding alone and this is more.
                Some(it) if it.is_rounding && !found.is_rounding => *it = found,
                Some(_) => {}
            }
        }
    }
    first
}

/// Compares an element of a resource that is not held by a table.
pub(crate) fn compare_slots(
    resource: &Resource,
    element: u32,
    [wanted, got]: [&Slot; 2],
    rules: &Rules,
) -> Option<Difference> {
    let is_same = wanted == got
        || rules.unordered.contains(&resource.name) && is_permuted(resource, wanted, got);
    if is_same { None } else { compare_one(resource, element, wanted, got, rules.room) }
}

/// Whether both hold the same elements, in any order.
fn is_permuted(resource: &Resource, a: &Slot, b: &Slot) -> bool {
    let stride = Layout::of(&resource.kind, a.what.format()).stride;
    let sorted = |it: &'_ Slot| {
        let mut all: Vec<&[u8]> = it.bytes.chunks(stride).collect();
        all.sort_unstable();
        all.concat()
    };
    // Benchmarks have many words, everything else few.
    let words = |it: &Slot| {
        let word = |it: &[u8]| it.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
        let mut all: Vec<u32> = it.bytes.chunks(4).map(word).collect();
        all.sort_unstable();
        all
    };
    a.what.counter() == b.what.counter()
        && a.bytes.len() == b.bytes.len()
        && if stride == 4 { words(a) == words(b) } else { sorted(a) == sorted(b) }
}

/// A scalar that differs.
pub(crate) struct Differing {
    /// The element of the buffer.
    index: usize,
    /// Such as `[5]`, `[5], scalar 1`, or ` counter`.
    pub(crate) place: String,
    /// Where it is in the buffer; `None` for the counter.
    pub(crate) bytes: Option<Range<usize>>,
    pub(crate) expected: Shown,
    pub(crate) got: Shown,
    /// Both are floats, and near each other.
    pub(crate) is_near: bool,
}

/// The name of an element of a resource: `Out` or `Out[2]`.
pub(crate) fn name_of(resource: &Resource, element: u32) -> String {
    match resource.count {
        Some(1) => resource.name.clone(),
        _ => format!("{}[{element}]", resource.name),
    }
}

fn layout_of(resource: &Resource, slot: &Slot) -> Layout {
    match slot.what.texture() {
        Some(Shape { format, .. }) => Layout::of_texel(format),
        None => Layout::of(&resource.kind, slot.what.format()),
    }
}

/// Calls `tell` for each scalar that differs, in the order of the buffer, and then for the counter.
pub(crate) fn each_that_differs(
    resource: &Resource,
    wanted: &Slot,
    got: &Slot,
    same: Option<FloatRoom>,
    tell: &mut dyn FnMut(&Differing),
) {
    let near = FloatRoom::default();
    let layout = layout_of(resource, wanted);
    let pairs = wanted.bytes.chunks(layout.stride).zip(got.bytes.chunks(layout.stride));
    for (index, (a, b)) in pairs.enumerate().filter(|(_, (a, b))| a != b) {
        let begin = index * layout.stride;
        let mut covered = vec![false; a.len()];
        for (number, (offset, scalar)) in layout.scalars.iter().enumerate() {
            let end = offset + scalar.bytes();
            if end > a.len() {
                continue;
            }
            covered[*offset..end].fill(true);
            let (x, y) =
                (number::read(&a[*offset..], *scalar), number::read(&b[*offset..], *scalar));
            if x == y || same.is_some_and(|it| within(it, *scalar, x, y)) {
                continue;
            }
            let scalar_of = match layout.scalars.len() {
                1 => String::new(),
                _ => format!(", scalar {number}"),
            };
            tell(&Differing {
                index,
                place: format!("[{index}]{scalar_of}"),
                bytes: Some(begin + offset..begin + end),
                expected: Shown::of(x, *scalar),
                got: Shown::of(y, *scalar),
                is_near: within(near, *scalar, x, y),
            });
        }
        for at in (0..a.len()).filter(|at| !covered[*at] && a[*at] != b[*at]) {
            let shown = |byte: u8| Shown::of(byte.into(), Scalar::U8);
            tell(&Differing {
                index,
                place: format!("[{index}], byte {at}"),
                bytes: Some(begin + at..begin + at + 1),
                expected: shown(a[at]),
                got: shown(b[at]),
                is_near: false,
            });
        }
    }
    if wanted.what.counter() != got.what.counter() {
        let shown = |it: u32| Shown::of(it.into(), Scalar::U32);
        tell(&Differing {
            index: usize::MAX,
            place: " counter".to_owned(),
            bytes: None,
            expected: shown(wanted.what.counter().unwrap_or(0)),
            got: shown(got.what.counter().unwrap_or(0)),
            is_near: false,
        });
    }
}

fn compare_one(
    resource: &Resource,
    element: u32,
    wanted: &Slot,
    got: &Slot,
    same: Option<FloatRoom>,
) -> Option<Difference> {
    let mut first: Option<Difference> = None;
    let (mut count, mut last) = (0, None);
    let of = wanted.bytes.len().div_ceil(layout_of(resource, wanted).stride);
    each_that_differs(resource, wanted, got, same, &mut |it| {
        // The counter matters only if nothing else differs.
        if it.bytes.is_none() && first.is_some() {
            return;
        }
        count += usize::from(last != Some(it.index));
        last = Some(it.index);
        // A difference beyond rounding is shown in preference.
        let is_worse = first.as_ref().is_none_or(|it| it.is_rounding) && !it.is_near;
        if first.is_none() || is_worse {
            first = Some(Difference {
                buffer: name_of(resource, element),
                place: it.place.clone(),
                expected: it.expected.clone(),
                got: it.got.clone(),
                count: 0,
                of: if it.bytes.is_none() { 1 } else { of },
                is_rounding: it.is_near,
            });
        }
    });
    first.map(|it| Difference { count, ..it })
}

/// Whether two floats are equal within a tolerance; two NaNs are.
pub(crate) fn within(room: FloatRoom, scalar: Scalar, a: u64, b: u64) -> bool {
    scalar.is_float() && room.admits(scalar.bytes(), a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavelane::{NoIncludes, Options, Shader, ShaderModel};

    /// A table whose `Out` holds these words, as floats or as numbers.
    fn table(element: &str, words: &[u32]) -> ResourceTable {
        let text = format!(
            "RWStructuredBuffer<{element}> Out; [numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) {{ Out[t] = 1; }}"
        );
        let options = Options { shader_model: ShaderModel::V6_6, ..Options::default() };
        let shader =
            Shader::compile("a", &text, &options, &mut NoIncludes).unwrap().shader.unwrap();
        let mut table = ResourceTable::new(&shader);
        let bytes: Vec<_> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
        table.bind_at("Out", 0, Slot::new(bytes)).unwrap();
        table
    }

    fn found(element: &str, a: &[u32], b: &[u32], rules: &Rules) -> Option<(String, bool, usize)> {
        let found = compare(&table(element, a), &table(element, b), rules);
        found.map(|it| (it.place, it.is_rounding, it.count))
    }

    #[test]
    fn every_bit_counts_and_rounding_is_distinguished() {
        let rules = Rules::default();
        let one = 1f32.to_bits();
        assert_eq!(found("uint", &[1, 2], &[1, 2], &rules), None);
        let place = |it: &str| it.to_owned();
        assert_eq!(found("uint", &[1, 2], &[3, 4], &rules), Some((place("[0]"), false, 2)));
        assert_eq!(
            found("float", &[one, one], &[one, one + 1], &rules),
            Some((place("[1]"), true, 1))
        );
        // Zeros of either sign are near each other, NaNs are, and a NaN and a number are not.
        assert_eq!(found("float", &[0], &[1 << 31], &rules), Some((place("[0]"), true, 1)));
        let nan = 0x7fc0_0000;
        assert_eq!(found("float", &[nan], &[nan | 1 << 31], &rules), Some((place("[0]"), true, 1)));
        assert_eq!(
            found("float", &[one, nan], &[one + 1, one], &rules),
            Some((place("[1]"), false, 2))
        );
        let wide = Rules { room: Some(FloatRoom::Ulps(1)), ..Rules::default() };
        assert_eq!(found("float", &[one], &[one + 1], &wide), None);
        assert_eq!(found("float", &[one], &[one + 2], &wide), Some((place("[0]"), true, 1)));
        assert_eq!(found("uint", &[1], &[2], &wide), Some((place("[0]"), false, 1)));
        let shown = Shown::of(0xffff_fffe, Scalar::I32).to_string();
        assert_eq!(shown, "0xfffffffe (-2)");
    }

    #[test]
    fn elements_that_may_come_in_any_order_are_counted() {
        let rules = Rules { unordered: vec!["Out".to_owned()], ..Rules::default() };
        assert_eq!(found("uint", &[1, 2, 3], &[3, 1, 2], &rules), None);
        assert!(found("uint", &[1, 2, 3], &[3, 1, 1], &rules).is_some());
        let without = Rules { without: vec!["Out".to_owned()], ..Rules::default() };
        assert_eq!(found("uint", &[1], &[2], &without), None);
    }
}
