//! Lists of dispatches: in order, with the constants of the moment of recording, on one device.

use wavelane::{
    Adapter, Buffer, CommandList, Device, Dispatch, DispatchError, ResourceTable, Texture,
};

use crate::{devices, shader};

const STEP: &str = "cbuffer Params { uint Digit; }; RWStructuredBuffer<uint> Data;
    [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i] = 10 * Data[i] + Digit; }";

#[test]
fn each_dispatch_sees_those_before_it_and_its_own_constants() {
    for device in devices() {
        let shader = shader("step.hlsl", "main", STEP);
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let data = Buffer::zeroed::<u32>(4);
        let mut table = ResourceTable::new(&shader);
        table.bind("Data", &data).unwrap();
        let mut list = CommandList::new();
        for digit in 1..=4 {
            table.set("Digit", digit).unwrap();
            list.dispatch(&pipeline, &Dispatch::new([1, 1, 1]), &table).unwrap();
        }
        assert_eq!(list.len(), 4);
        device.execute(&list).unwrap();
        assert_eq!(data.read::<u32>().unwrap(), [1234; 4], "{device:?}");
        device.execute(&list).unwrap();
        assert_eq!(data.read::<u32>().unwrap(), [12_341_234; 4], "{device:?}");
    }
}

/// A list that names another device, or fails half way, says which dispatch it is.
#[test]
fn errors_say_which_dispatch_failed() {
    let endless = "RWStructuredBuffer<uint> Data;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            for (uint n = 0; n < 1000000; n++) InterlockedAdd(Data[i], 1); }";
    for device in devices().into_iter().filter(|it| it.gpu().is_none()) {
        let (step, endless) =
            (shader("step.hlsl", "main", STEP), shader("e.hlsl", "main", endless));
        let data = Buffer::from_slice(&[1u32; 4]);
        let mut first = ResourceTable::new(&step);
        first.bind("Data", &data).unwrap();
        first.set("Digit", 5).unwrap();
        let mut second = ResourceTable::new(&endless);
        second.bind("Data", Buffer::zeroed::<u32>(4)).unwrap();
        let step = device.create_compute_pipeline(&step).unwrap();
        let endless = device.create_compute_pipeline(&endless).unwrap();
        let mut list = CommandList::new();
        list.dispatch(&step, &Dispatch::new([1, 1, 1]), &first).unwrap();
        let bounded = Dispatch { fuel: Some(100), ..Dispatch::new([1, 1, 1]) };
        list.dispatch(&endless, &bounded, &second).unwrap();
        list.dispatch(&step, &Dispatch::new([1, 1, 1]), &first).unwrap();
        let error = device.execute(&list).unwrap_err();
        assert_eq!(error.to_string(), "dispatch 1 of the list: the fuel is spent");
        assert_eq!(data.read::<u32>().unwrap(), [15; 4]);
        let elsewhere = Device::new(Adapter::reference()).execute(&list).unwrap_err();
        assert_eq!((elsewhere.index, elsewhere.error), (0, DispatchError::OtherDevice));
        // A table of another shader is refused when it is recorded.
        let refused = list.dispatch(&endless, &Dispatch::new([1, 1, 1]), &first).unwrap_err();
        assert!(matches!(refused, DispatchError::OtherShader { .. }), "{refused}");
    }
}

/// Vulkan's images have one kind in a submission; a list that needs two still runs.
#[test]
fn a_texture_can_be_seen_in_two_ways_in_one_list() {
    let write = "RWTexture2D<uint> Image;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Image[uint2(i, 0)] = i + 1; }";
    let read = "Texture2DArray<uint> Image; RWStructuredBuffer<uint> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = Image.Load(int4(i, 0, 0, 0)); }";
    let atomic = "RWTexture2D<uint> Image;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { InterlockedAdd(Image[uint2(i, 0)], 10); }";
    let format = wavelane::texture::Format::parse("R32_UINT").unwrap();
    for device in devices() {
        let [write, read, atomic] =
            [write, read, atomic].map(|it| shader("image.hlsl", "main", it));
        let image = Texture::new(wavelane::texture::Shape::new(format, 4, 1, 1)).unwrap();
        let out = Buffer::zeroed::<u32>(4);
        let mut list = CommandList::new();
        for shader in [&write, &atomic, &read] {
            let mut table = ResourceTable::new(shader);
            table.bind("Image", &image).unwrap();
            if shader.resource("Out").is_some() {
                table.bind("Out", &out).unwrap();
            }
            let pipeline = device.create_compute_pipeline(shader).unwrap();
            list.dispatch(&pipeline, &Dispatch::new([1, 1, 1]), &table).unwrap();
        }
        device.execute(&list).unwrap();
        assert_eq!(out.read::<u32>().unwrap(), [11, 12, 13, 14], "{device:?}");
    }
}

const COUNT: &str = "RWStructuredBuffer<uint> Out : register(u0);
    [numthreads(4, 1, 1)] void count() { InterlockedAdd(Out[0], 1); }
    RWStructuredBuffer<uint> Counts : register(u1); cbuffer Params { uint3 Groups; };
    [numthreads(1, 1, 1)] void plan() { for (uint i = 0; i < 3; i++) Counts[i + 1] = Groups[i]; }";

/// Records: what plans, what counts by these plans, and what counts by a plan of the host.
fn planned(device: &Device, groups: [u32; 3]) -> (CommandList, Buffer) {
    let (plan, count) = (shader("c.hlsl", "plan", COUNT), shader("c.hlsl", "count", COUNT));
    let (counts, out) = (Buffer::zeroed::<u32>(4), Buffer::zeroed::<u32>(1));
    let mut of_plan = ResourceTable::new(&plan);
    of_plan.bind("Counts", &counts).unwrap();
    of_plan.set("Groups", groups).unwrap();
    let mut of_count = ResourceTable::new(&count);
    of_count.bind("Out", &out).unwrap();
    let plan = device.create_compute_pipeline(&plan).unwrap();
    let count = device.create_compute_pipeline(&count).unwrap();
    let one = Dispatch::new([1, 1, 1]);
    let mut list = CommandList::new();
    list.dispatch(&count, &one, &of_count).unwrap();
    list.dispatch(&plan, &one, &of_plan).unwrap();
    list.dispatch_indirect(&count, &one, &of_count, &counts, 4).unwrap();
    list.dispatch(&count, &one, &of_count).unwrap();
    let misaligned = list.dispatch_indirect(&count, &one, &of_count, &counts, 2).unwrap_err();
    assert_eq!(misaligned, DispatchError::MisalignedArguments { offset: 2 });
    for offset in [8, usize::MAX - 3] {
        let error = list.dispatch_indirect(&count, &one, &of_count, &counts, offset).unwrap_err();
        assert_eq!(error, DispatchError::ArgumentsOutOfBounds { offset, bytes: 16 });
    }
    (list, out)
}

/// Group counts that an earlier dispatch writes are taken on the device, and refused there as on the host.
#[test]
fn group_counts_can_be_written_by_an_earlier_dispatch() {
    for device in devices() {
        for (groups, threads) in
            [([2, 3, 1], 6), ([1, 1, 1], 1), ([0, 5, 5], 0), ([65535, 0, 65535], 0)]
        {
            let (list, out) = planned(&device, groups);
            device.execute(&list).unwrap();
            assert_eq!(out.read::<u32>().unwrap(), [4 * (threads + 2)], "{device:?} {groups:?}");
            device.execute(&list).unwrap();
            assert_eq!(out.read::<u32>().unwrap(), [8 * (threads + 2)], "{device:?} {groups:?}");
        }
        for (groups, error) in [
            ([1, 65536, 1], DispatchError::TooManyGroups { groups: 65536 }),
            ([u32::MAX, 0, 0], DispatchError::TooManyGroups { groups: u32::MAX }),
            ([65535; 3], DispatchError::TooManyThreads { threads: 4 * 65535 * 65535 * 65535 }),
        ] {
            let (list, out) = planned(&device, groups);
            let failed = device.execute(&list).unwrap_err();
            assert_eq!((failed.index, failed.error), (2, error), "{device:?}");
            // Nothing after it has run.
            assert_eq!(out.read::<u32>().unwrap(), [4], "{device:?}");
        }
    }
}

#[test]
fn the_fuel_of_a_list_is_for_all_its_dispatches_together() {
    for device in devices().into_iter().filter(|it| it.gpu().is_none()) {
        let shader = shader(
            "step.hlsl",
            "main",
            "RWStructuredBuffer<uint> Data;
            [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
                for (uint n = 0; n < 100; n++) InterlockedAdd(Data[i], i); }",
        );
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let mut table = ResourceTable::new(&shader);
        table.bind("Data", Buffer::zeroed::<u32>(4)).unwrap();
        let run = |count: usize, fuel| {
            let mut list = CommandList::new();
            list.set_fuel(Some(fuel));
            for _ in 0..count {
                list.dispatch(&pipeline, &Dispatch::new([1, 1, 1]), &table).unwrap();
            }
            device.execute(&list).map_err(|it| it.index)
        };
        let enough = (0..).map(|it| 1 << it).find(|fuel| run(1, *fuel).is_ok()).unwrap();
        assert_eq!(run(5, 8 * enough), Ok(()), "{device:?}");
        let stopped = run(100, 8 * enough).unwrap_err();
        assert!((7..20).contains(&stopped), "{device:?}: {stopped}");
    }
}
