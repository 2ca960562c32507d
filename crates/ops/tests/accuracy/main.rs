//! Every float operation is as accurate as promised: on the edges of its type and 100,000 random arguments for f32,
//! on all arguments for halves.
//!
//! `cargo run --release -p wavelane-ops --example accuracy` tries more of them, and prints the errors found.

mod measure;

use measure::{Measured, Subject, half_promise, measure, measure_all_halves, subjects};
use wavelane_ops::Ty;

fn check(subject: &Subject, measured: &Measured, promise: f64, ty: Ty) {
    let Measured { worst, at: [a, b], got, .. } = measured;
    assert!(
        *worst <= promise,
        "{} of {a:e}, {b:e} as {ty:?} is {got:e}: off by {worst} units in the last place, where {promise} are promised; Direct3D requires: {}",
        subject.name,
        subject.asked
    );
}

#[test]
fn floats_are_as_accurate_as_promised() {
    for subject in subjects() {
        let measured = measure(&subject, Ty::F32, 100_000);
        check(&subject, &measured, subject.promise, Ty::F32);
        // A handful of arguments in all 2^32: hitting two of them by chance means that there are many.
        assert!(measured.not_nearest <= 2, "{}: {}", subject.name, measured.not_nearest);
    }
}

#[test]
fn all_halves_are_as_accurate_as_promised() {
    for subject in subjects() {
        check(&subject, &measure_all_halves(&subject), half_promise(&subject), Ty::F16);
    }
}
