//! Counts over records, kept while they come.

use std::collections::BTreeMap;

use crate::plan::{Unit, Work};
use crate::record::{Outcome, Record};
use crate::report::{Merged, REDUCED};

/// How many units of a row and a width there are, and how many of them fail.
pub(crate) type Grid = BTreeMap<String, BTreeMap<u32, (usize, usize)>>;

/// How many units have each outcome, in all and by engine, order, width and construct. It grows with the rows of these
/// tables, and not with the units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub(crate) counts: BTreeMap<Outcome, usize>,
    pub(crate) engines: Grid,
    pub(crate) orders: Grid,
    /// A unit counts for every construct that it has.
    pub(crate) constructs: BTreeMap<&'static str, BTreeMap<Outcome, usize>>,
}

impl Tally {
    /// The units of a report. `constructs` has the constructs of what a unit runs, each once, where they are known.
    pub(crate) fn of(
        merged: &Merged,
        mut constructs: impl FnMut(&Work) -> Vec<&'static str>,
    ) -> Tally {
        let mut tally = Tally::default();
        merged.units().for_each(|it| tally.add(it, &mut constructs));
        tally
    }

    /// Counts a record, unless it is of a reduced program.
    pub fn add(&mut self, record: &Record, constructs: impl FnOnce(&Work) -> Vec<&'static str>) {
        if record.unit.starts_with(REDUCED) {
            return;
        }
        let outcome = record.outcome;
        *self.counts.entry(outcome).or_default() += 1;
        let Some(unit) = Unit::parse(&record.unit).filter(|_| outcome != Outcome::NotRun) else {
            return;
        };
        for construct in constructs(&unit.work) {
            *self.constructs.entry(construct).or_default().entry(outcome).or_default() += 1;
        }
        let order = match unit.order.as_str() {
            "" => "canonical order".to_owned(),
            order => order.to_owned(),
        };
        for (grid, row) in [(&mut self.engines, unit.engine), (&mut self.orders, order)] {
            let cell = grid.entry(row).or_default().entry(unit.width).or_default();
            cell.0 += 1;
            cell.1 += usize::from(outcome.fails());
        }
    }
}
