//! Prints how far operations on floats are from the exact results: `cargo run --release -p wavelane-ops --example accuracy`.
//!
//! An argument says how many random arguments of each operation on f32 are tried; ten million if there is none.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

#[path = "../tests/accuracy/measure.rs"]
mod measure;

use measure::{Measured, half_promise, measure, measure_all_halves, subjects};
use wavelane_ops::Ty;

#[expect(clippy::disallowed_methods, reason = "the program's only argument")]
fn main() {
    let samples = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(10_000_000);
    println!(
        "| operation | type | tried | worst, ulp | at | not nearest | promised | Direct3D asks for |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for subject in subjects() {
        let rows = [
            ("float", measure(&subject, Ty::F32, samples), subject.promise),
            ("half", measure_all_halves(&subject), half_promise(&subject)),
        ];
        for (ty, Measured { samples, worst, at: [a, b], got, not_nearest }, promise) in rows {
            println!(
                "| {} | {ty} | {samples} | {worst:.9} | {a:e}, {b:e}: {got:e} | {not_nearest} | {promise:.6} | {} |",
                subject.name, subject.asked
            );
        }
    }
}
