//! One buffer under several names of a shader, on every engine.

use wavelane::{Buffer, Dispatch, ResourceTable};

use crate::{devices, shader};

/// Stores and loads of one thread through three names of one buffer, as words of different views.
const OWN: &str = "struct Pair { uint a, b; };
    RWStructuredBuffer<uint> A : register(u0); RWByteAddressBuffer B : register(u1);
    StructuredBuffer<Pair> R : register(t0); RWStructuredBuffer<uint> Out : register(u2);
    [numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) {
        uint before = R[i].b;
        A[2 * i + 1] = before + i;
        uint x = B.Load(8 * i + 4);
        B.Store(8 * i + 4, 2 * x);
        uint y = A[2 * i + 1];
        A[2 * i + 1] = 7;
        Out[i] = y + 1000 * R[i].b + 100000 * before;
        for (uint k = 0; k < 3; k++) { A[2 * i] = k + R[i].a; B.Store(8 * i, B.Load(8 * i) * 3); }
    }";

/// Additions whose results are unused, which engines combine unless the location is observed; another name observes it.
const COUNTED: &str =
    "RWStructuredBuffer<uint> Count : register(u0); RWByteAddressBuffer Peek : register(u1);
    RWStructuredBuffer<uint> Out : register(u2);
    [numthreads(64, 1, 1)] void main(uint i : SV_DispatchThreadID) {
        InterlockedAdd(Count[0], 1);
        InterlockedAdd(Count[1], i);
        AllMemoryBarrierWithGroupSync();
        Out[i] = Peek.Load(0) * 10000 + Peek.Load(4);
        AllMemoryBarrierWithGroupSync();
        if (i == 0) Peek.Store(0, 5);
        AllMemoryBarrierWithGroupSync();
        InterlockedAdd(Count[0], 1);
    }";

#[test]
fn what_is_written_under_one_name_is_read_under_the_others() {
    let shader = shader("own.hlsl", "main", OWN);
    let shader = shader.with_alias("B", "A").and_then(|it| it.with_alias("R", "A")).unwrap();
    for device in devices() {
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        for width in pipeline.wave_sizes() {
            let memory: Vec<u32> = (0..64).map(|it| 3 + it).collect();
            let (all, out) = (Buffer::from_slice(&memory), Buffer::zeroed::<u32>(32));
            let mut table = ResourceTable::new(&shader);
            table.bind("A", &all).unwrap();
            table.bind("Out", &out).unwrap();
            let dispatch = Dispatch { wave_size: Some(*width), ..Dispatch::new([1, 1, 1]) };
            pipeline.dispatch(&dispatch, &table).unwrap();
            let own = |i: u32| {
                let (mut a, b) = (memory[2 * i as usize], memory[2 * i as usize + 1]);
                (0..3).for_each(|k| a = (a + k) * 3);
                (a, 2 * (b + i) + 1000 * 7 + 100_000 * b)
            };
            let engine = device.engine().name();
            let expected: Vec<u32> = (0..32).map(|i| own(i).1).collect();
            assert_eq!(out.read::<u32>().unwrap(), expected, "{engine}, {width} lanes");
            let expected: Vec<u32> = (0..32).flat_map(|i| [own(i).0, 7]).collect();
            assert_eq!(all.read::<u32>().unwrap(), expected, "{engine}, {width} lanes");
        }
    }
}

#[test]
fn additions_are_seen_under_another_name() {
    let shader = shader("counted.hlsl", "main", COUNTED).with_alias("Count", "Peek").unwrap();
    for device in devices() {
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        for width in pipeline.wave_sizes() {
            let (both, out) = (Buffer::zeroed::<u32>(2), Buffer::zeroed::<u32>(64));
            let mut table = ResourceTable::new(&shader);
            table.bind("Peek", &both).unwrap();
            table.bind("Out", &out).unwrap();
            let dispatch = Dispatch { wave_size: Some(*width), ..Dispatch::new([1, 1, 1]) };
            pipeline.dispatch(&dispatch, &table).unwrap();
            let engine = device.engine().name();
            assert_eq!(out.read::<u32>().unwrap(), [642_016; 64], "{engine}, {width} lanes");
            assert_eq!(both.read::<u32>().unwrap(), [69, 2016], "{engine}, {width} lanes");
        }
    }
}
