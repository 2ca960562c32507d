//! Minima and maxima with constants have the same bits on both engines of the host.

use wavelane::{Adapter, Buffer, CpuOptions, Device, Dispatch, Isa, ResourceTable};

use crate::shader;

/// Zeros of both signs, bounds of `saturate`, numbers, infinities, and a NaN.
const BOUNDS: [&str; 8] = [
    "0.0",
    "asfloat(0x80000000)",
    "1.0",
    "-2.5",
    "1e-40",
    "asfloat(0x7f800000)",
    "asfloat(0xff800000)",
    "asfloat(0x7fc00000)",
];

#[test]
fn extremes_with_constants_are_those_of_the_reference_engine() {
    let cpu = |isa| {
        let options = CpuOptions { isa: Some(isa), ..CpuOptions::default() };
        Device::with_cpu(Adapter::reference(), options).ok()
    };
    let mut devices = vec![Device::new(Adapter::reference())];
    devices.extend([Isa::Avx2, Isa::Avx512].into_iter().filter_map(cpu));
    let special = [0.0, 1.0, -2.5, 1e-40, 3.0, 1e-45, f32::INFINITY, f32::MAX];
    let mut numbers: Vec<u32> =
        special.iter().flat_map(|it| [it.to_bits(), (-it).to_bits()]).collect();
    // Quiet NaNs and signalling ones.
    numbers.extend([0x7fc0_0000, 0xffc0_0000, 0x7fc1_2345, 0x7f80_0001, 0xff80_0001]);
    numbers.resize(32, 0x3f00_0000);
    for bound in BOUNDS {
        let text = format!(
            "StructuredBuffer<uint> In; RWStructuredBuffer<uint4> Out;
             RWStructuredBuffer<double4> Doubles;
             [numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) {{
                 float x = asfloat(In[i]), bound = {bound};
                 Out[i] = asuint(float4(max(x, bound), max(bound, x), min(x, bound), min(bound, x)));
                 double y = x, limit = bound;
                 Doubles[i] =
                     double4(max(y, limit), max(limit, y), min(y, limit), min(limit, y));
             }}"
        );
        let shader = shader("extremes.hlsl", "main", &text);
        let run = |device: &Device| {
            let pipeline = device.create_compute_pipeline(&shader).unwrap();
            let mut table = ResourceTable::new(&shader);
            let (floats, doubles) = (Buffer::zeroed::<u32>(128), Buffer::zeroed::<f64>(128));
            table.bind("In", Buffer::from_slice(&numbers)).unwrap();
            table.bind("Out", &floats).unwrap();
            table.bind("Doubles", &doubles).unwrap();
            pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
            let doubles = doubles.read::<f64>().unwrap();
            let doubles: Vec<u64> = doubles.into_iter().map(f64::to_bits).collect();
            (floats.read::<u32>().unwrap(), doubles)
        };
        let made: Vec<_> = devices.iter().map(run).collect();
        assert!(made.iter().all(|it| *it == made[0]), "{bound}: {made:x?}");
    }
}
