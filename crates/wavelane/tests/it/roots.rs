//! Square roots are rounded correctly on the engine `cpu`, whichever instructions compute them.

use wavelane::{Adapter, Buffer, CpuOptions, Device, Dispatch, ResourceTable};

use crate::shader;

const ROOTS: &str = "cbuffer Params { uint First; uint Step; }; RWStructuredBuffer<uint> Roots;
    [numthreads(128, 1, 1)] void main(uint i : SV_DispatchThreadID) {
        Roots[i] = asuint(sqrt(asfloat(First + i * Step)));
    }";

/// How many roots a dispatch computes.
const COUNT: u32 = 1 << 20;

/// All floats from 1 to 4, which represent all normal ones, since the others are these times a power of 4; numbers of
/// all kinds, with zeros, negative numbers, infinities and NaN; and the ends of the range where multiplication may be
/// used.
#[test]
fn square_roots_are_rounded_correctly() {
    let shader = shader("roots.hlsl", "main", ROOTS);
    let options = CpuOptions { threads: 1, ..CpuOptions::default() };
    let Ok(device) = Device::with_cpu(Adapter::reference(), options) else {
        skipped::skipped!("the host has no instruction set for the engine `cpu`");
        return;
    };
    let pipeline = device.create_compute_pipeline(&shader).unwrap();
    let roots = Buffer::zeroed::<u32>(COUNT as usize);
    let mut table = ResourceTable::new(&shader);
    table.bind("Roots", &roots).unwrap();
    let mut check = |width: u32, first: u32, step: u32| {
        table.set("First", first).unwrap();
        table.set("Step", step).unwrap();
        let dispatch = Dispatch { wave_size: Some(width), ..Dispatch::new([COUNT / 128, 1, 1]) };
        pipeline.dispatch(&dispatch, &table).unwrap();
        for (i, bits) in (0..).zip(roots.read::<u32>().unwrap()) {
            let x = f32::from_bits(first.wrapping_add(step.wrapping_mul(i)));
            let (root, expected) = (f32::from_bits(bits), x.sqrt());
            let is_same = root.to_bits() == expected.to_bits();
            assert!(is_same || root.is_nan() && expected.is_nan(), "{width}: √{x:e} is {root:e}");
        }
    };
    for part in 0..16 {
        check(128, 1f32.to_bits() + part * COUNT, 1);
    }
    for width in [16, 32, 128] {
        check(width, 0, 4099);
        for around in [0, f32::MIN_POSITIVE.to_bits(), f32::INFINITY.to_bits(), 1 << 31] {
            check(width, around.wrapping_sub(COUNT / 2), 1);
        }
        let least = 1.0 / (1u64 << 60) as f32;
        check(width, least.to_bits() - COUNT / 2, 1);
    }
}
