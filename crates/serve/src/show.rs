//! The text of values for people.

use ir::HostScalar;
use ops::LaneMask;
use session::{Row, Shown};
use values::{Layout, Scalar, number};

/// The most scalars of an element of a buffer that are shown.
const MOST_SCALARS: usize = 64;

/// The lanes of a set, lane 0 first.
pub(crate) fn lanes(set: LaneMask, width: u32) -> String {
    (0..width).map(|lane| if set.contains(lane) { '#' } else { '.' }).collect()
}

/// What a lane holds: its scalars in order, after the type if there are several. Empty if the lane has written nothing.
fn of_lane(ty: &str, types: &[HostScalar], rows: &[Row], lane: u32) -> String {
    let scalar = |(row, ty): (&Row, &HostScalar)| match () {
        () if !row.written.contains(lane) => "–".to_owned(),
        () if row.poison.contains(lane) => "?".to_owned(),
        () => timeline::text(*ty, row.bits[lane as usize]),
    };
    let all: Vec<String> = rows.iter().zip(types).map(scalar).collect();
    match all.as_slice() {
        [one] => one.clone(),
        _ => format!("{ty}({})", all.join(", ")),
    }
}

/// What each lane holds.
pub(crate) fn lanes_of(ty: &str, types: &[HostScalar], rows: &[Row], width: u32) -> Vec<String> {
    (0..width).map(|lane| of_lane(ty, types, rows, lane)).collect()
}

/// The value of an expression in each lane.
pub(crate) fn shown(shown: &Shown, width: u32) -> Vec<String> {
    let types: Vec<HostScalar> = shown.scalars.iter().map(|it| it.ty).collect();
    lanes_of(&shown.ty, &types, &shown.rows, width)
}

/// An element of a buffer: its scalars in order.
pub(crate) fn element(layout: &Layout, bytes: &[u8], index: u64) -> String {
    let begin = usize::try_from(index).unwrap_or(usize::MAX).saturating_mul(layout.stride);
    let scalar = |(offset, ty): &(usize, Scalar)| {
        let bytes = bytes.get(begin.saturating_add(*offset)..).unwrap_or(&[]);
        match ty {
            _ if bytes.len() < ty.bytes() => "–".to_owned(),
            Scalar::Bool => (number::read(bytes, *ty) != 0).to_string(),
            _ => number::text(number::read(bytes, *ty), *ty),
        }
    };
    let mut all: Vec<String> = layout.scalars.iter().take(MOST_SCALARS).map(scalar).collect();
    if layout.scalars.len() > MOST_SCALARS {
        all.push("…".to_owned());
    }
    match all.as_slice() {
        [one] => one.clone(),
        _ => format!("({})", all.join(", ")),
    }
}

/// A row in short: `7 (all)`, or the first lanes; inactive lanes follow `·`.
pub(crate) fn row(values: &[String], active: LaneMask) -> String {
    const SHOWN: usize = 8;
    let mark = |(lane, value): (usize, &String)| match active.contains(lane as u32) {
        true => value.clone(),
        false => format!("·{value}"),
    };
    let mut of_active = active.iter().filter_map(|it| values.get(it as usize));
    if let Some(first) = of_active.next()
        && of_active.all(|it| it == first)
    {
        return format!("{first} (all)");
    }
    let mut shown: Vec<String> = values.iter().enumerate().take(SHOWN).map(mark).collect();
    if values.len() > SHOWN {
        shown.push("…".to_owned());
    }
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_scalars_of_all_their_members() {
        let member = |name: &str, offset, scalar, dims| ir::Member {
            name: name.to_owned(),
            offset,
            scalar,
            components: 2,
            vectors: 1,
            vector_stride: 0,
            row_major: false,
            dims,
        };
        // `struct { bool2 flags; uint2 sizes[3]; }`
        let members = vec![
            member("flags", 0, HostScalar::Bool, Vec::new()),
            member("sizes", 8, HostScalar::U32, vec![(3, 8)]),
        ];
        let kind =
            ir::ResourceKind::Structured { stride: 32, members, writable: true, counter: false };
        let bytes: Vec<u8> = (0..16u32).flat_map(u32::to_le_bytes).collect();
        let layout = Layout::of(&kind, None);
        assert_eq!(element(&layout, &bytes, 0), "(false, true, 2, 3, 4, 5, 6, 7)");
        assert_eq!(element(&layout, &bytes, 1), "(true, true, 10, 11, 12, 13, 14, 15)");
        assert!(element(&layout, &bytes, 2).starts_with("(–, –"));
    }

    #[test]
    fn rows_are_short_where_they_can_be() {
        let row_of = |values: &[&str], active| {
            row(&values.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(), LaneMask(active))
        };
        assert_eq!(row_of(&["7", "7", "7", "7"], 15), "7 (all)");
        assert_eq!(row_of(&["7", "9", "7", "9"], 5), "7 (all)");
        assert_eq!(row_of(&["1", "2", "3", "4"], 7), "1 2 3 ·4");
        assert_eq!(
            row_of(&["0", "1", "2", "3", "4", "5", "6", "7", "8"], 511),
            "0 1 2 3 4 5 6 7 …"
        );
        assert_eq!(lanes(LaneMask(5), 4), "#.#.");
    }
}
