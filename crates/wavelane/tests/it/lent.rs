//! Buffers and textures in memory that the host lends.

use std::sync::{Arc, Mutex};

use wavelane::texture::{Format, Shape};
use wavelane::{
    Adapter, BindProblem, Buffer, CpuOptions, Device, Dispatch, DispatchError, Engine,
    ResourceTable, Texture, Trap,
};

use crate::{devices, shader};

/// Memory that goes back to the test when the last handle is dropped.
struct Host {
    memory: Vec<u8>,
    back: Arc<Mutex<Vec<u8>>>,
}

impl AsRef<[u8]> for Host {
    fn as_ref(&self) -> &[u8] {
        &self.memory
    }
}

impl AsMut<[u8]> for Host {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.memory
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        *self.back.lock().unwrap() = std::mem::take(&mut self.memory);
    }
}

/// Lends memory to `work`, which drops it, and checks that the same memory comes back.
fn lend(words: &[u32], work: impl FnOnce(Host)) -> Vec<u32> {
    let memory: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    let address = memory.as_ptr();
    let back = Arc::new(Mutex::new(Vec::new()));
    work(Host { memory, back: back.clone() });
    let back = back.lock().unwrap();
    assert_eq!(back.as_ptr(), address, "the memory was replaced");
    back.chunks_exact(4).map(|it| u32::from_le_bytes(it.try_into().unwrap())).collect()
}

/// All devices of [`devices`], and the engine `cpu` with several threads and with small runs on the reference engine.
fn all() -> Vec<Device> {
    let mut all = devices();
    if Engine::Cpu.is_available() {
        for options in [
            CpuOptions { threads: 3, ..CpuOptions::default() },
            CpuOptions { leaves_small: true, ..CpuOptions::default() },
        ] {
            all.push(Device::with_cpu(Adapter::reference(), options).unwrap());
        }
    }
    all
}

#[test]
fn what_a_dispatch_writes_is_in_the_hosts_memory() {
    let text = "RWStructuredBuffer<uint> Data;
        [numthreads(8, 1, 1)] void main(uint3 i : SV_DispatchThreadID) { Data[i.x] = 2 * Data[i.x] + 1; }";
    let shader = shader("odd.hlsl", "main", text);
    for device in all() {
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let words: Vec<u32> = (0..1024).collect();
        let left = lend(&words, |memory| {
            let buffer = Buffer::lend(memory);
            let mut table = ResourceTable::new(&shader);
            table.bind("Data", &buffer).unwrap();
            pipeline.dispatch(&Dispatch::new([128, 1, 1]), &table).unwrap();
            // Contents that a GPU has written are fetched when the host reads.
            buffer.read_bytes().unwrap();
        });
        let expected: Vec<u32> = words.iter().map(|it| 2 * it + 1).collect();
        assert_eq!(left, expected, "{device:?}");
    }
}

/// The engine `cpu` lets the reference engine try small dispatches, and undoes what took too long.
#[test]
fn an_attempt_is_undone_in_the_hosts_memory() {
    let text = "RWStructuredBuffer<uint> Data;
        [numthreads(32, 1, 1)] void main() {
            for (uint i = 0; i < 5000; i++) InterlockedAdd(Data[0], 1);
        }";
    let shader = shader("count.hlsl", "main", text);
    for device in all() {
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let left = lend(&[7, 9], |memory| {
            let buffer = Buffer::lend(memory);
            let mut table = ResourceTable::new(&shader);
            table.bind("Data", &buffer).unwrap();
            pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
            buffer.read_bytes().unwrap();
        });
        assert_eq!(left, [7 + 32 * 5000, 9], "{device:?}");
    }
}

#[test]
fn the_host_writes_into_its_memory() {
    let left = lend(&[1, 2], |memory| {
        let buffer = Buffer::lend(memory);
        let copy = buffer.duplicate().unwrap();
        buffer.write(&[5u32, 6]).unwrap();
        assert_eq!(copy.read::<u32>().unwrap(), [1, 2]);
    });
    assert_eq!(left, [5, 6]);
}

#[test]
fn a_texture_is_written_in_the_hosts_memory() {
    let text = "RWTexture2D<uint> Image;
        [numthreads(4, 2, 1)] void main(uint3 i : SV_DispatchThreadID) { Image[i.xy] += i.x + 10 * i.y; }";
    let shader = shader("image.hlsl", "main", text);
    let shape = Shape::new(Format::parse("R32_UINT").unwrap(), 4, 2, 1);
    for device in all() {
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let left = lend(&[100; 8], |memory| {
            let texture = Texture::lend(shape, memory).unwrap();
            let mut table = ResourceTable::new(&shader);
            table.bind("Image", &texture).unwrap();
            pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
            texture.read_bytes().unwrap();
        });
        assert_eq!(left, [100, 101, 102, 103, 110, 111, 112, 113], "{device:?}");
    }
    assert!(Texture::lend(shape, vec![0; 31]).is_err());
}

/// Memory that a program must not write, such as that of a static or of a file mapped for reading.
#[test]
fn memory_lent_for_reading_is_bound_only_where_no_shader_writes() {
    static MEMORY: [u8; 16] = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0];
    let text = "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = In[i] * In[i]; }";
    let shader = shader("squares.hlsl", "main", text);
    for device in all() {
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let (input, out) = (Buffer::lend_read_only(&MEMORY[..]), Buffer::zeroed::<u32>(4));
        let mut table = ResourceTable::new(&shader);
        table.bind("In", &input).unwrap();
        table.bind("Out", &out).unwrap();
        pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
        assert_eq!(out.read::<u32>().unwrap(), [1, 4, 9, 16], "{device:?}");
        let error = table.bind("Out", &input).unwrap_err();
        assert_eq!(error.problem, BindProblem::ReadOnly);
        assert_eq!(
            error.to_string(),
            "the shader may write to `Out`, but the memory is lent for reading; lend writable memory"
        );
    }
}

/// What had been written before a trap is there, as in memory of the buffer's own.
#[test]
fn the_memory_comes_back_after_a_trap() {
    let text = "RWStructuredBuffer<uint> Data;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            Data[0] = 5; while (true) { InterlockedAdd(Data[1], 1); } }";
    let shader = shader("endless.hlsl", "main", text);
    let pipeline = Device::new(Adapter::reference()).create_compute_pipeline(&shader).unwrap();
    let left = lend(&[0, 0], |memory| {
        let mut table = ResourceTable::new(&shader);
        table.bind("Data", Buffer::lend(memory)).unwrap();
        let dispatch = Dispatch { fuel: Some(1000), ..Dispatch::new([1, 1, 1]) };
        let error = pipeline.dispatch(&dispatch, &table).unwrap_err();
        assert!(matches!(error, DispatchError::Trap(Trap::OutOfFuel { .. })), "{error}");
    });
    assert_eq!(left[0], 5);
}
