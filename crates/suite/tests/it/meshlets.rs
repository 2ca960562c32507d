//! Generated mesh and amplification shaders with divergence, on the reference engine and the fast one, and on a device.
#![expect(clippy::print_stdout, reason = "what is skipped must be seen")]

use generate::{Array, Owners, Statistics, seeds};
use suite::meshlets::{compare, drawn};
use wavelane::{Adapter, Device, Engine};

/// How many programs are tried.
const PROGRAMS: u64 = 60;

/// How many on a device: a driver takes seconds to compile one.
const ON_DEVICE: u64 = 4;

#[test]
fn generated_mesh_shaders_agree_with_the_second_evaluator() {
    let mut statistics = Statistics::default();
    let sets = suite::engines::sets();
    let (mut amplified, mut groups, mut primitives, mut compacted) = (0, 0, 0, 0);
    for seed in 0..PROGRAMS {
        let width = suite::width_of(seed);
        let program = generate::meshlets(seed, width, &mut statistics);
        let left =
            compare(&program, width, &sets).unwrap_or_else(|what| panic!("seed {seed}, {what}"));
        amplified += usize::from(program.amplification.is_some() && !left.is_empty());
        groups += left.len();
        let fields = program.mesh.groups().map_or(&[][..], |it| &it.fields);
        for it in &left {
            primitives += it.counts[1];
            compacted += fields
                .iter()
                .zip(&it.fields)
                .filter(|(field, values)| {
                    let is_written = values.iter().flatten().any(|it| *it != 0);
                    field.owners == Owners::Compacted
                        && field.array == Array::Vertices
                        && is_written
                })
                .count();
        }
    }
    // Generators of uninteresting programs are noticed.
    assert!(amplified > 10, "only {amplified} programs have children");
    assert!(groups > 65, "only {groups} groups ran");
    assert!(primitives > 500, "only {primitives} primitives");
    assert!(compacted > 12, "only {compacted} outputs were compacted");
    let reductions: usize =
        statistics.uses.iter().filter(|it| it.0.0.starts_with("WaveActive")).map(|it| it.1).sum();
    assert!(reductions > 280, "only {reductions} reductions over waves");
}

/// A draw on a device gives the same wherever the device runs it, with its own waves.
#[test]
fn generated_mesh_shaders_leave_the_same_on_a_device() {
    let device = match Device::with_engine(Adapter::reference(), Engine::Vulkan) {
        Ok(device) => device,
        Err(why) => return skipped::skipped!("{why}"),
    };
    let mut statistics = Statistics::default();
    let mut ran = 0;
    for seed in seeds(ON_DEVICE) {
        for width in device.adapter().wave_lane_count.iter() {
            let program = generate::meshlets(seed, width, &mut statistics);
            let drawn = drawn(&program, width, &device)
                .unwrap_or_else(|what| panic!("seed {seed}, {what}"));
            ran += usize::from(drawn.is_some());
        }
    }
    println!("{ran} programs ran on {}", device.adapter().name);
    // Neither does a device without mesh shaders.
    assert!(ran == 0 || ran > 1, "only {ran} programs ran");
}
