//! Whether two runs left the same: every writable resource, bit for bit, and where the first difference lies.
//!
//! Floats that lie near each other are told apart from all other differences, because some sides may round as they like;
//! whether that is so here is for others to judge.

use device::texture::Shape;
use device::{Buffer, FloatRoom, Layout, Resource, ResourceTable, Scalar};
use serde_json::{Value, json};

use crate::number;

/// The first difference of two runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Difference {
    /// As users write it: `Out` or `Out[2]`.
    pub(super) buffer: String,
    /// Such as `[5]`, `[5], scalar 1`, or ` counter`.
    pub(super) place: String,
    pub(super) expected: Shown,
    pub(super) got: Shown,
    /// How many elements differ, of how many.
    pub(super) count: usize,
    pub(super) of: usize,
    /// All differences are of floats that lie near each other.
    pub(super) is_rounding: bool,
}

/// A value as people and machines read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) hex: String,
    pub(super) text: String,
}

impl Shown {
    pub(super) fn of(bits: u64, scalar: Scalar) -> Shown {
        let digits = 2 * scalar.bytes();
        Shown { hex: format!("0x{bits:0digits$x}"), text: number::text(bits, scalar) }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "hex": self.hex, "value": self.text })
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.hex, self.text)
    }
}

impl Difference {
    pub(super) fn to_json(&self) -> Value {
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

/// Compares what two runs have left; `expected` is the reference's. Floats within `same` are the same.
pub(super) fn compare(
    expected: &ResourceTable,
    got: &ResourceTable,
    same: Option<FloatRoom>,
) -> Option<Difference> {
    compare_without(expected, got, "", same)
}

/// The same, but for one resource.
pub(super) fn compare_without(
    expected: &ResourceTable,
    got: &ResourceTable,
    without: &str,
    same: Option<FloatRoom>,
) -> Option<Difference> {
    let near = FloatRoom::default();
    let mut first: Option<Difference> = None;
    for (resource, element, wanted) in expected.iter() {
        let Some(other) = got.get(&resource.name, element) else { continue };
        if !resource.kind.writable() || wanted == other || resource.name == without {
            continue;
        }
        if let Some(found) = compare_one(resource, element, wanted, other, same, near) {
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

fn compare_one(
    resource: &Resource,
    element: u32,
    wanted: &Buffer,
    got: &Buffer,
    same: Option<FloatRoom>,
    near: FloatRoom,
) -> Option<Difference> {
    let buffer = match resource.count {
        Some(1) => resource.name.clone(),
        _ => format!("{}[{element}]", resource.name),
    };
    let layout = match &wanted.texture {
        Some(Shape { format, .. }) => Layout::of_texel(*format),
        None => Layout::of(&resource.kind, wanted.format),
    };
    let mut first: Option<(String, Shown, Shown)> = None;
    let (mut count, mut is_rounding) = (0, true);
    let pairs = wanted.bytes.chunks(layout.stride).zip(got.bytes.chunks(layout.stride));
    for (index, (a, b)) in pairs.enumerate().filter(|(_, (a, b))| a != b) {
        let mut differs = false;
        let mut tell = |place: String, a: Shown, b: Shown, is_near: bool| {
            differs = true;
            // Something worse than rounding is what is shown.
            if first.is_none() || is_rounding && !is_near {
                first = Some((place, a, b));
            }
            is_rounding &= is_near;
        };
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
            let place = format!("[{index}]{scalar_of}");
            tell(place, Shown::of(x, *scalar), Shown::of(y, *scalar), within(near, *scalar, x, y));
        }
        for at in (0..a.len()).filter(|at| !covered[*at] && a[*at] != b[*at]) {
            let shown = |byte: u8| Shown::of(byte.into(), Scalar::U8);
            tell(format!("[{index}], byte {at}"), shown(a[at]), shown(b[at]), false);
        }
        count += usize::from(differs);
    }
    let of = wanted.bytes.len().div_ceil(layout.stride);
    if let Some((place, expected, got)) = first {
        return Some(Difference { buffer, place, expected, got, count, of, is_rounding });
    }
    (wanted.counter != got.counter).then(|| {
        let shown = |it: u32| Shown::of(it.into(), Scalar::U32);
        let (expected, got) = (shown(wanted.counter), shown(got.counter));
        let place = " counter".to_owned();
        Difference { buffer, place, expected, got, count: 1, of: 1, is_rounding: false }
    })
}

/// Whether two floats are the same to someone with that much room; NaNs are.
pub(super) fn within(room: FloatRoom, scalar: Scalar, a: u64, b: u64) -> bool {
    scalar.is_float() && room.admits(scalar.bytes(), a, b)
}
