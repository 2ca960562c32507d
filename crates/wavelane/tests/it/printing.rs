//! What shaders print reaches the host, the same on every engine.

use std::sync::Arc;

use wavelane::{
    Adapter, ComputePipeline, CpuOptions, Device, Dispatch, PrintLog, Printed, ResourceTable,
    Shader,
};

use crate::{devices, shader};

const LINES: &str = "[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex, uint g : SV_GroupID) {
    for (uint k = 0; k < 3; k++) if (i % 2 == k % 2) printf(\"%u %u\\n\", g * 10 + i, k);
}";

fn printed(
    shader: &Shader,
    pipeline: &ComputePipeline,
    limit: usize,
    fuel: Option<u64>,
) -> Printed {
    let log = Arc::new(PrintLog::new(limit));
    let prints = Some(log.clone());
    let dispatch = Dispatch { prints, fuel, wave_size: Some(4), ..Dispatch::new([5, 1, 1]) };
    let _ = pipeline.dispatch(&dispatch, &ResourceTable::new(shader));
    shader.printed(&log)
}

/// In the same order with any number of threads, also where the fast engine leaves a small dispatch to the other one.
#[test]
fn every_engine_prints_the_same_lines_in_the_same_order() {
    let shader = shader("lines.hlsl", "main", LINES);
    assert!(shader.prints() && !shader.asserts());
    let reference = Device::new(Adapter::reference()).create_compute_pipeline(&shader).unwrap();
    let wanted = printed(&shader, &reference, 1000, None);
    assert_eq!((wanted.lines.len(), wanted.more, wanted.failures.len()), (60, 0, 0));
    assert_eq!(wanted.lines[0].text, "0 0");
    let cpu = |threads, leaves_small| {
        let options = CpuOptions { threads, leaves_small, ..CpuOptions::default() };
        Device::with_cpu(Adapter::reference(), options).ok()
    };
    let cpus = [cpu(1, true), cpu(4, false)].into_iter().flatten();
    for device in devices().into_iter().chain(cpus) {
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        if device.gpu().is_some() {
            // A GPU runs the shader, and prints nothing here.
            assert!(printed(&shader, &pipeline, 1000, None).is_empty());
            continue;
        }
        for _ in 0..5 {
            assert_eq!(printed(&shader, &pipeline, 1000, None), wanted);
        }
        let few = printed(&shader, &pipeline, 7, None);
        assert_eq!((&few.lines[..], few.more), (&wanted.lines[..7], 53));
    }
}

/// Attempts that the fast engine takes back are not printed twice.
#[test]
fn a_dispatch_that_starts_anew_prints_once() {
    let text = "[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
        printf(\"start\"); uint n = 0;
        for (uint k = 0; k < 100000; k++) n = n * 3 + k;
        printf(\"%u\", n); }";
    let shader = shader("long.hlsl", "main", text);
    let options = CpuOptions { leaves_small: true, ..CpuOptions::default() };
    let Ok(device) = Device::with_cpu(Adapter::reference(), options) else {
        return skipped::skipped!("the engine `cpu`");
    };
    let pipeline = device.create_compute_pipeline(&shader).unwrap();
    assert_eq!(printed(&shader, &pipeline, 1000, None).lines.len(), 40);
}
