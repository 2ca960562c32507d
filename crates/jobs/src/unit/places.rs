//! Describes lanes and pixels independently of the width where the failure is, so that equal failures at several widths
//! have the same text.

use std::collections::BTreeMap;

/// Where a check failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Invocation {
    Lane(u32),
    /// In a draw.
    Pixel {
        y: u32,
        x: u32,
    },
}

impl Invocation {
    /// From the words of the log: a lane, and one more than the column and the row of a pixel, or 0.
    pub(super) fn read(lane: u32, column: u32, row: u32) -> Invocation {
        match (column.checked_sub(1), row.checked_sub(1)) {
            (Some(x), Some(y)) => Invocation::Pixel { y, x },
            _ => Invocation::Lane(lane),
        }
    }
}

/// The extent on which a case runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    /// One group of that many threads, in waves of that width.
    Threads { threads: u32, width: u32 },
    /// A target of that size.
    Pixels { size: [u32; 2] },
}

impl Extent {
    /// The places in words, each with the first one, from how often each failed; `is_whole` unless failures are
    /// missing.
    pub(super) fn named(
        self,
        places: &BTreeMap<Invocation, u32>,
        is_whole: bool,
    ) -> Vec<(String, Option<Invocation>)> {
        if !is_whole {
            return vec![(listed(places.keys().copied()), places.keys().next().copied())];
        }
        if self.are_all(places) {
            let all = match self {
                Extent::Threads { .. } => "all lanes",
                Extent::Pixels { .. } => "all pixels",
            };
            return vec![(all.to_owned(), places.keys().next().copied())];
        }
        let mut groups: BTreeMap<String, Vec<Invocation>> = BTreeMap::new();
        for (place, times) in places {
            let how_often = match *times {
                times if self.is_in_every_wave(*place, times) => " of every wave".to_owned(),
                1 => String::new(),
                times => format!(", {times} times"),
            };
            groups.entry(how_often).or_default().push(*place);
        }
        let named = |(how_often, places): (String, Vec<Invocation>)| {
            let each = if places.len() > 1 && how_often.ends_with("times") { " each" } else { "" };
            let first = places.first().copied();
            (format!("{}{how_often}{each}", listed(places.into_iter())), first)
        };
        groups.into_iter().map(named).collect()
    }

    fn are_all(self, places: &BTreeMap<Invocation, u32>) -> bool {
        match self {
            Extent::Threads { threads, width } => {
                let is_whole = |(place, times): (&Invocation, &u32)| match place {
                    Invocation::Lane(lane) => *times == waves(*lane, threads, width),
                    Invocation::Pixel { .. } => false,
                };
                places.len() as u32 == threads.min(width) && places.iter().all(is_whole)
            }
            Extent::Pixels { size: [width, height] } => {
                let is_pixel = |it: &Invocation| matches!(it, Invocation::Pixel { .. });
                places.len() as u64 == u64::from(width) * u64::from(height)
                    && places.iter().all(|(place, times)| is_pixel(place) && *times == 1)
            }
        }
    }

    fn is_in_every_wave(self, place: Invocation, times: u32) -> bool {
        match (self, place) {
            // Narrower waves would be several.
            (Extent::Threads { threads, width }, Invocation::Lane(lane)) => {
                threads > 4 && times == waves(lane, threads, width)
            }
            _ => false,
        }
    }
}

/// In how many waves there is a lane of that number.
fn waves(lane: u32, threads: u32, width: u32) -> u32 {
    threads.saturating_sub(lane).div_ceil(width.max(1))
}

/// `lane 3`, `lanes 0 to 3, 7`, `pixel (3, 2)`, `pixels (0 to 3, 2), (1, 3)`.
fn listed(places: impl Iterator<Item = Invocation>) -> String {
    let (mut lanes, mut rows): (Vec<(u32, u32)>, Vec<Rectangle>) = (Vec::new(), Vec::new());
    for place in places {
        match place {
            Invocation::Lane(lane) => extend(&mut lanes, lane),
            Invocation::Pixel { y, x } => match rows.last_mut() {
                Some(row) if row.rows == (y, y) && row.columns.1 + 1 == x => row.columns.1 = x,
                _ => rows.push(Rectangle { columns: (x, x), rows: (y, y) }),
            },
        }
    }
    // Equal runs of columns in adjacent rows are one rectangle.
    let mut rectangles: Vec<Rectangle> = Vec::new();
    for row in rows {
        let above = rectangles
            .iter_mut()
            .find(|it| it.columns == row.columns && it.rows.1 + 1 == row.rows.0);
        match above {
            Some(above) => above.rows.1 = row.rows.1,
            None => rectangles.push(row),
        }
    }
    let pair = |it: &(u32, u32)| it.0 == it.1;
    let lone_lane = matches!(lanes.as_slice(), [it] if pair(it));
    let lone_pixel = matches!(rectangles.as_slice(), [it] if pair(&it.columns) && pair(&it.rows));
    let lanes: Vec<String> = lanes
        .iter()
        .map(|(first, last)| match last - first {
            1 => format!("{first}, {last}"),
            _ => range(*first, *last),
        })
        .collect();
    let pixel = |it: &Rectangle| {
        let (columns, rows) = (range(it.columns.0, it.columns.1), range(it.rows.0, it.rows.1));
        format!("({columns}, {rows})")
    };
    let pixels: Vec<String> = rectangles.iter().map(pixel).collect();
    let parts = [(lone_lane, "lane", lanes), (lone_pixel, "pixel", pixels)];
    let named = parts.into_iter().filter(|it| !it.2.is_empty()).map(|(is_one, word, all)| {
        let plural = if is_one { "" } else { "s" };
        format!("{word}{plural} {}", all.join(", "))
    });
    named.collect::<Vec<_>>().join(", ")
}

/// Pixels from the first to the last column and row, inclusive.
struct Rectangle {
    columns: (u32, u32),
    rows: (u32, u32),
}

fn extend(ranges: &mut Vec<(u32, u32)>, number: u32) {
    match ranges.last_mut() {
        Some((_, last)) if *last + 1 == number => *last = number,
        _ => ranges.push((number, number)),
    }
}

/// `3`, `0 to 3`.
fn range(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

#[cfg(test)]
mod tests {
    use crate::section::WIDTHS;

    use super::*;

    fn texts(places: BTreeMap<Invocation, u32>, extent: Extent) -> Vec<String> {
        extent.named(&places, true).into_iter().map(|it| it.0).collect()
    }

    #[test]
    fn lanes_are_described_independently_of_the_width() {
        let lanes = |all: &mut dyn Iterator<Item = (u32, u32)>, threads, width| {
            let places = all.map(|(lane, times)| (Invocation::Lane(lane), times)).collect();
            texts(places, Extent::Threads { threads, width })
        };
        let all = |lanes: std::ops::Range<u32>, times| lanes.map(move |it| (it, times));
        for width in WIDTHS {
            assert_eq!(
                lanes(&mut all(0..width, 128 / width), 128, width),
                ["all lanes"],
                "{width}"
            );
            assert_eq!(lanes(&mut all(3..4, 128 / width), 128, width), ["lane 3 of every wave"]);
            // The last wave is not full.
            let mut partial = (0..width.min(130)).map(|it| (it, (130 - it).div_ceil(width)));
            assert_eq!(lanes(&mut partial, 130, width), ["all lanes"], "{width}");
        }
        assert_eq!(lanes(&mut all(1..4, 2), 128, 8), ["lanes 1 to 3, 2 times each"]);
        let mut some = [(0, 1), (2, 1), (3, 1), (7, 1)].into_iter();
        assert_eq!(lanes(&mut some, 128, 8), ["lanes 0, 2, 3, 7"]);
        assert_eq!(lanes(&mut [(1, 1)].into_iter(), 4, 4), ["lane 1"]);
        assert_eq!(
            lanes(&mut [(1, 16), (2, 3)].into_iter(), 128, 8),
            ["lane 1 of every wave", "lane 2, 3 times"]
        );
    }

    #[test]
    fn pixels_are_reported_as_rectangles() {
        let extent = Extent::Pixels { size: [4, 3] };
        let pixels = |all: &[(u32, u32, u32)]| {
            let place = |&(x, y, times): &(u32, u32, u32)| (Invocation::Pixel { y, x }, times);
            texts(all.iter().map(place).collect(), extent)
        };
        let all: Vec<_> = (0..12).map(|it| (it % 4, it / 4, 1)).collect();
        assert_eq!(pixels(&all), ["all pixels"]);
        assert_eq!(pixels(&all[..8]), ["pixels (0 to 3, 0 to 1)"]);
        assert_eq!(pixels(&[(3, 2, 1)]), ["pixel (3, 2)"]);
        assert_eq!(pixels(&[(0, 0, 1), (2, 0, 1), (2, 1, 1)]), ["pixels (0, 0), (2, 0 to 1)"]);
        assert_eq!(pixels(&[(1, 1, 4), (2, 1, 4)]), ["pixels (1 to 2, 1), 4 times each"]);
    }
}
