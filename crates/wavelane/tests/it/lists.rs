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
