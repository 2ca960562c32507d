//! Prints the error of each float operation: `cargo run --release -p wavelane-ops --example accuracy`.
//!
//! The optional argument is the number of random operands for each f32 operation; the default is ten million.
#![allow(clippy::print_stdout, reason = "printing the table is its purpose")]

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
