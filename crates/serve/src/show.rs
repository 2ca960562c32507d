//! The text of values for people.

use ir::HostScalar;
use ops::LaneMask;
use session::Row;

/// The lanes of a set, lane 0 first.
pub(crate) fn lanes(set: LaneMask, width: u32) -> String {
    (0..width).map(|lane| if set.contains(lane) { '#' } else { '.' }).collect()
}

/// What a lane holds: its scalars in order, after the type if there are several. Empty if the lane has written nothing.
pub(crate) fn of_lane(ty: &str, types: &[HostScalar], rows: &[Row], lane: u32) -> String {
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

/// A row in short: `7 (all)`, or the first lanes; inactive lanes stand behind `·`.
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
