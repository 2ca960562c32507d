//! Buffers and textures outlive tables, and are the same on every device.

use wavelane::{
    Adapter, Buffer, BufferError, Device, Dispatch, DispatchError, Engine, ResourceTable, Texture,
    Trap,
};

use crate::{devices, shader};

const ADD: &str = "cbuffer Params { uint Amount; }; RWStructuredBuffer<uint> Data;
    [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i] += Amount; }";

fn add(device: &Device, data: &Buffer, amount: u32) {
    let shader = shader("add.hlsl", "main", ADD);
    let pipeline = device.create_compute_pipeline(&shader).unwrap();
    let mut table = ResourceTable::new(&shader);
    table.bind("Data", data).unwrap();
    table.set("Amount", amount).unwrap();
    pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
}

/// The newest contents are found wherever they are: after each device alone, and after the host has written in between.
#[test]
fn a_buffer_goes_from_device_to_device() {
    let data = Buffer::from_slice(&[1u32, 2, 3, 4]);
    let other = Device::with_engine(Adapter::reference(), Engine::Vulkan).ok();
    let (mut expected, mut amount) = ([1u32, 2, 3, 4], 1);
    for round in 0..3 {
        for device in devices().iter().chain(&other) {
            amount *= 3;
            add(device, &data, amount);
            expected.iter_mut().for_each(|it| *it += amount);
            if round == 1 {
                assert_eq!(data.read::<u32>().unwrap(), expected, "{device:?}");
            }
            if round == 2 {
                data.write(&[amount; 4]).unwrap();
                expected = [amount; 4];
            }
        }
        assert_eq!(data.read::<u32>().unwrap(), expected);
    }
}

#[test]
fn two_pipelines_share_a_buffer() {
    let produce = "RWStructuredBuffer<uint> Made;
        [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Made[i] = i * i; }";
    let consume = "ByteAddressBuffer Bytes; RWStructuredBuffer<uint> Sum;
        [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint sum = WaveActiveSum(Bytes.Load(4 * i)); if (i == 0) Sum[0] = sum; }";
    for device in devices() {
        let (produce, consume) =
            (shader("made.hlsl", "main", produce), shader("sum.hlsl", "main", consume));
        let (shared, sum) = (Buffer::zeroed::<u32>(8), Buffer::zeroed::<u32>(1));
        let mut first = ResourceTable::new(&produce);
        first.bind("Made", &shared).unwrap();
        let mut second = ResourceTable::new(&consume);
        second.bind("Bytes", &shared).unwrap();
        second.bind("Sum", &sum).unwrap();
        for (shader, table) in [(&produce, &first), (&consume, &second)] {
            let pipeline = device.create_compute_pipeline(shader).unwrap();
            pipeline.dispatch(&Dispatch::new([1, 1, 1]), table).unwrap();
        }
        assert_eq!(sum.read::<u32>().unwrap(), [140]);
        assert_eq!(shared.read::<u32>().unwrap()[7], 49);
    }
}

/// The hidden counter is a part of the buffer: it goes with it, and the host can set it.
#[test]
fn counters_go_with_their_buffer() {
    let text = "AppendStructuredBuffer<uint> Kept;
        [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { if (i & 1) Kept.Append(i); }";
    for device in devices() {
        let shader = shader("append.hlsl", "main", text);
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let kept = Buffer::zeroed::<u32>(12);
        let mut table = ResourceTable::new(&shader);
        table.bind("Kept", &kept).unwrap();
        for expected in [4, 8] {
            pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
            assert_eq!(kept.counter().unwrap(), expected);
        }
        kept.set_counter(1).unwrap();
        pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
        assert_eq!(kept.counter().unwrap(), 5);
        let mut left = kept.read::<u32>().unwrap();
        left[1..5].sort_unstable();
        assert_eq!(left[1..5], [1, 3, 5, 7]);
    }
}

/// An image that was written stays on the device, also where the next shader reads it through a view of another kind.
#[test]
fn textures_are_written_and_sampled() {
    let write = "RWTexture2D<float> Image;
        [numthreads(4, 4, 1)] void main(uint2 at : SV_DispatchThreadID) { Image[at] += at.x + 4 * at.y; }";
    let read = "Texture2D<float> Image; RWStructuredBuffer<float> Out;
        [numthreads(4, 4, 1)] void main(uint2 at : SV_DispatchThreadID) {
            Out[at.x + 4 * at.y] = Image.Load(int3(at, 0)); }";
    let format = wavelane::texture::Format::parse("R32_FLOAT").unwrap();
    for device in devices() {
        let (write, read) =
            (shader("write.hlsl", "main", write), shader("read.hlsl", "main", read));
        let image = Texture::new(wavelane::texture::Shape::new(format, 4, 4, 1)).unwrap();
        let out = Buffer::zeroed::<f32>(16);
        let mut first = ResourceTable::new(&write);
        first.bind("Image", &image).unwrap();
        let mut second = ResourceTable::new(&read);
        second.bind("Image", &image).unwrap();
        second.bind("Out", &out).unwrap();
        for (shader, table) in [(&write, &first), (&write, &first), (&read, &second)] {
            let pipeline = device.create_compute_pipeline(shader).unwrap();
            pipeline.dispatch(&Dispatch::new([1, 1, 1]), table).unwrap();
        }
        let expected: Vec<f32> = (0..16u8).map(|it| 2.0 * f32::from(it)).collect();
        assert_eq!(out.read::<f32>().unwrap(), expected, "{device:?}");
        assert_eq!(image.read::<f32>().unwrap(), expected, "{device:?}");
        image.write(&[1.0f32; 16]).unwrap();
        let pipeline = device.create_compute_pipeline(&read).unwrap();
        pipeline.dispatch(&Dispatch::new([1, 1, 1]), &second).unwrap();
        assert_eq!(out.read::<f32>().unwrap(), [1.0; 16], "{device:?}");
    }
}

/// What had been written before a trap is there, and the buffer can still be used.
#[test]
fn buffers_survive_a_trap() {
    let text = "RWStructuredBuffer<uint> Data;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            Data[i] = i + 1; for (uint n = 0; n < 1000000; n++) InterlockedAdd(Data[i], 0); }";
    for device in devices().into_iter().filter(|it| it.gpu().is_none()) {
        let shader = shader("trap.hlsl", "main", text);
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let data = Buffer::zeroed::<u32>(4);
        let mut table = ResourceTable::new(&shader);
        table.bind("Data", &data).unwrap();
        let dispatch = Dispatch { fuel: Some(1000), ..Dispatch::new([1, 1, 1]) };
        let error = pipeline.dispatch(&dispatch, &table).unwrap_err();
        assert!(matches!(error, DispatchError::Trap(Trap::OutOfFuel { .. })), "{error}");
        assert_eq!(data.read::<u32>().unwrap(), [1, 2, 3, 4]);
        add(&device, &data, 1);
        assert_eq!(data.read::<u32>().unwrap(), [2, 3, 4, 5]);
    }
}

#[test]
fn values_are_read_as_what_they_are() {
    let buffer = Buffer::from_slice(&[(1u32, 0.5f32), (2, 1.5)]);
    assert_eq!(buffer.read::<(u32, f32)>().unwrap(), [(1, 0.5), (2, 1.5)]);
    assert!(matches!(buffer.read::<u32>(), Err(BufferError::Type { .. })));
    assert_eq!(buffer.read_bytes().unwrap().len(), 16);
    let length = buffer.write(&[(1u32, 1.0f32)]).unwrap_err();
    assert_eq!(length.to_string(), "expected 16 bytes of contents, got 8");
    let bytes = Buffer::from_bytes([1, 0, 0, 0, 2]);
    assert_eq!(bytes.read::<u32>(), Err(BufferError::Size { bytes: 5, element: 4 }));
    let copy = buffer.duplicate().unwrap();
    copy.write(&[(7u32, 7.0f32); 2]).unwrap();
    assert_eq!(buffer.read::<(u32, f32)>().unwrap()[0], (1, 0.5));
}

#[test]
fn constants_find_their_members() {
    let text = "struct Light { float3 Position; float Power; };
        cbuffer Params { uint Count; bool On; Light Lamp; float Weights[3]; int2x3 Turn; };
        cbuffer Other { uint Limit; };
        RWStructuredBuffer<float> Out;
        [numthreads(1, 1, 1)] void main() {
            Out[0] = Count; Out[1] = On; Out[2] = Lamp.Position.z; Out[3] = Lamp.Power;
            Out[4] = Weights[2]; Out[5] = Turn[1][0]; Out[6] = Limit; Out[7] = Turn[0][2]; }";
    let shader = shader("params.hlsl", "main", text);
    let pipeline = Device::new(Adapter::reference()).create_compute_pipeline(&shader).unwrap();
    let out = Buffer::zeroed::<f32>(8);
    let mut table = ResourceTable::new(&shader);
    table.bind("Out", &out).unwrap();
    table.set("Count", 3u8).unwrap();
    table.set("Params.On", true).unwrap();
    table.set("Lamp", ([1.0, 2.0, 3.5], 4.5)).unwrap();
    table.set("Weights[2]", 0.25f32).unwrap();
    table.set("Turn", [[1, 2, 3], [4, 5, 6]]).unwrap();
    table.set("Limit", u32::MAX >> 8).unwrap();
    pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
    let left = out.read::<f32>().unwrap();
    assert_eq!(left, [3.0, 1.0, 3.5, 4.5, 0.25, 4.0, 16_777_215.0, 3.0]);

    let message = |table: &mut ResourceTable, name: &str, value: i64| {
        table.set(name, value).unwrap_err().to_string()
    };
    for (name, value, expected) in [
        ("Cuont", 1, "the shader uses no constant `Cuont`; did you mean `Count`?"),
        ("Count", -1, "`Count` is `u32`, which cannot hold -1"),
        ("Lamp.Power", 1, "`Lamp.Power` is `f32`, which cannot hold 1"),
        ("Weights", 1, "`Weights` takes 3 numbers, got 1"),
        ("Weights[3]", 1, "`Weights[3]` is out of range"),
    ] {
        assert_eq!(message(&mut table, name, value), expected);
    }
    // A buffer that the host has bound is not changed behind its back.
    let limit = Buffer::from_slice(&[7u32, 0, 0, 0]);
    table.bind("Other", &limit).unwrap();
    table.set("Limit", 8).unwrap();
    pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
    assert_eq!(out.read::<f32>().unwrap()[6], 8.0);
    assert_eq!(limit.read::<u32>().unwrap()[0], 7);
}
