//! The coverage grid is complete, every cell passes, and no mutation of a cell goes unnoticed.
#![expect(clippy::print_stdout, reason = "the counts are part of the result")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use generate::Kind;
use ops::intrinsics::{self, Elements, Param};
use suite::grid::{self, Cell, SPELLINGS, Spelling};

#[test]
fn the_grid_is_complete_every_cell_passes_and_every_mutation_is_noticed() {
    let start = Instant::now();
    let cells = grid::cells();
    let reports = grid::run_all(&cells);
    let seconds = start.elapsed().as_secs_f32();
    let failures: Vec<&str> =
        reports.iter().flat_map(|it| &it.failures).map(String::as_str).collect();
    let failed = reports.iter().filter(|it| !it.failures.is_empty()).count();
    assert!(failures.is_empty(), "{failed} cells fail\n{}", failures.join("\n"));

    let mut there: BTreeSet<(&str, Spelling, u32)> = BTreeSet::new();
    for (cell, report) in cells.iter().zip(&reports) {
        there.extend(report.widths.iter().map(|width| (cell.row.name, cell.spelling, *width)));
    }
    let required = grid::required();
    let holes: Vec<_> = required.difference(&there).collect();
    assert!(holes.is_empty(), "{} holes: {holes:?}", holes.len());

    let rows: BTreeSet<&str> = required.iter().map(|(row, ..)| *row).collect();
    let types: BTreeSet<Spelling> = required.iter().map(|(_, spelling, _)| *spelling).collect();
    let checks: usize = reports.iter().map(|it| it.checks).sum();
    let mutations: usize = reports.iter().map(|it| it.mutations).sum();
    println!(
        "{} rows × {} types × 6 widths = {} cells, {checks} checks, {mutations} mutations, {seconds:.1} s",
        rows.len(),
        types.len(),
        required.len(),
    );
    let mut idle: BTreeMap<&str, usize> = BTreeMap::new();
    for (reason, count) in reports.iter().flat_map(|it| &it.idle) {
        *idle.entry(reason).or_default() += count;
    }
    for (reason, count) in idle {
        println!("  {count} mutations would change nothing: {reason}");
    }
}

#[test]
fn every_row_is_tested_on_every_type_of_its_signature() {
    for row in intrinsics::all() {
        let takes = |kind: &Kind| {
            let values = row.params.iter().filter_map(|param| match param {
                Param::Value(elements) => Some(elements),
                _ => None,
            });
            values.into_iter().any(|elements| match elements {
                Elements::Any => true,
                Elements::Numeric => *kind != Kind::Bool,
                Elements::Integer | Elements::UnsignedInDxc => kind.is_int(),
            })
        };
        let met: Vec<Kind> = grid::spellings(row).into_iter().map(|it| it.kind).collect();
        for kind in Kind::ALL.into_iter().filter(takes) {
            assert!(met.contains(&kind), "{} on {}", row.name, kind.word());
        }
        assert!(!met.is_empty() && !grid::widths(row).is_empty(), "{}", row.name);
    }
}

#[test]
fn every_vector_size_is_tested_on_every_type() {
    let cells = grid::cells();
    for spelling in SPELLINGS {
        for size in 2..=4 {
            let met = |cell: &Cell| {
                cell.spelling == spelling
                    && cell.shapes.iter().any(|it| (it.rows, it.columns) == (1, size))
            };
            assert!(cells.iter().any(met), "{}{size}", spelling.name());
        }
    }
}
