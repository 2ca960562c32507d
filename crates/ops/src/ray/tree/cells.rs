//! The first splits of a large tree. A sample of the primitives chooses all of them, and every primitive is then moved
//! once, to where the last of them want it, instead of once for each.

use super::build::Range;
use super::rows::{Item, Rows};
use super::split::{SAMPLES, Split};

/// How often everything is split. PERF: the cells of a million primitives then fit into a cache.
const DEPTH: u32 = 6;
const LAST: usize = 1 << DEPTH;

/// Cells, each the half of another one: a binary tree, in which the halves of a cell are at twice its index and next to
/// it.
pub(super) struct Cells {
    /// What is in each; empty if the primitives are too few.
    ranges: Vec<Range>,
}

impl Cells {
    /// The cell that everything is in.
    pub(super) const ALL: usize = 1;
    /// No cell, or one of the last, which have no halves.
    pub(super) const NONE: usize = 0;

    /// Moves primitives into cells, unless they are too few.
    pub(super) fn divide(items: &mut [Item]) -> Cells {
        let stride = items.len() / (LAST * SAMPLES);
        if stride < 2 {
            return Cells { ranges: Vec::new() };
        }
        let splits = choose(items.iter().step_by(stride).copied().collect());
        let mut bounds = [Rows::EMPTY; LAST];
        let mut counts = [0; LAST];
        let mut cells = Vec::with_capacity(items.len());
        for Item(item) in items.iter() {
            let mut at = Cells::ALL;
            for _ in 0..DEPTH {
                at = 2 * at + usize::from(!splits[at % LAST].is_left(item));
            }
            cells.push((at % LAST) as u8);
            counts[at % LAST] += 1;
            bounds[at % LAST].join(item);
        }
        let ranges = ranges(counts, bounds);
        permute(items, &mut cells, &ranges[LAST..]);
        Cells { ranges }
    }

    /// The box around everything, if it is in cells.
    pub(super) fn bounds(&self) -> Option<Rows> {
        self.ranges.get(Cells::ALL).map(|all| all.bounds)
    }

    /// The halves of a range that is a cell, unless all in it are in one of the last cells. Neither is empty.
    pub(super) fn halves(&self, range: &Range) -> Option<(Range, Range)> {
        let mut cell = range.cell;
        while (Cells::ALL..self.ranges.len() / 2).contains(&cell) {
            let (left, right) = (self.ranges[2 * cell], self.ranges[2 * cell + 1]);
            match (left.len(), right.len()) {
                (0, _) => cell = 2 * cell + 1,
                (_, 0) => cell *= 2,
                _ => return Some((left, right)),
            }
        }
        None
    }
}

/// The ranges of all cells, from what is in the last of them.
fn ranges(counts: [usize; LAST], bounds: [Rows; LAST]) -> Vec<Range> {
    let empty = Range { start: 0, end: 0, bounds: Rows::EMPTY, cell: Cells::NONE };
    let mut ranges = vec![empty; 2 * LAST];
    let mut start = 0;
    for (at, (count, bounds)) in counts.into_iter().zip(bounds).enumerate() {
        ranges[LAST + at] = Range { start, end: start + count, bounds, ..empty };
        start += count;
    }
    for cell in (Cells::ALL..LAST).rev() {
        let (left, right) = (ranges[2 * cell], ranges[2 * cell + 1]);
        let mut bounds = left.bounds;
        bounds.join(&right.bounds);
        ranges[cell] = Range { start: left.start, end: right.end, bounds, cell };
    }
    ranges
}

/// Moves items to the ranges of their cells: American flag sort (McIlroy, Bostic and McIlroy, "Engineering Radix Sort",
/// 1993), which needs no second list.
fn permute(items: &mut [Item], cells: &mut [u8], ranges: &[Range]) {
    let mut next: [usize; LAST] = std::array::from_fn(|cell| ranges[cell].start);
    for (cell, range) in ranges.iter().enumerate() {
        while next[cell] < range.end {
            let at = next[cell];
            let other = usize::from(cells[at]) % LAST;
            let to = next[other];
            next[other] += 1;
            items.swap(at, to);
            cells.swap(at, to);
        }
    }
}

/// The splits of all cells but the last.
fn choose(mut samples: Vec<Item>) -> [Split; LAST] {
    let mut splits = [Split::BEYOND; LAST];
    let mut ranges = vec![0..0; 2 * LAST];
    ranges[Cells::ALL] = 0..samples.len();
    for cell in Cells::ALL..LAST {
        let range = ranges[cell].clone();
        let items = &mut samples[range.clone()];
        let split = Split::of(items).unwrap_or(Split::BEYOND);
        let middle = range.start + split.partition(items);
        splits[cell] = split;
        ranges[2 * cell] = range.start..middle;
        ranges[2 * cell + 1] = middle..range.end;
    }
    splits
}
