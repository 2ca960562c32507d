//! Feedback maps in the device API: every engine leaves the same texels, whatever the number of threads.

use wavelane::feedback::{FeedbackDesc, FeedbackError, FeedbackKind, FeedbackMap, NONE, USED};
use wavelane::texture::{Format, Shape};
use wavelane::{
    Adapter, BindProblem, CpuOptions, Device, Dispatch, Engine, ResourceTable, Sampler, Shader,
    Texture,
};

use crate::{devices, shader};

const SHADER: &str = "Texture2DArray<float4> T; SamplerState S;
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIN_MIP> Least;
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIP_REGION_USED> Used;
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    uint i = id.x;
    float3 at = float3((i % 32 + 0.5) / 32, (i / 32 % 32 + 0.5) / 32, i / 1024);
    Least.WriteSamplerFeedbackLevel(T, S, at, (i * 7) % 5);
    if (i % 3 == 0) Used.WriteSamplerFeedbackLevel(T, S, at, (i * 7) % 5);
}";

fn texture(width: u32, height: u32, layers: u32, levels: u32) -> Texture {
    let shape = Shape::new(Format::parse("R8_UNORM").unwrap(), width, height, 1);
    Texture::new(Shape { layers, levels, ..shape }).unwrap()
}

fn bound(shader: &Shader, texture: &Texture, maps: [&FeedbackMap; 2]) -> ResourceTable {
    let mut table = ResourceTable::new(shader);
    table.bind("T", texture).unwrap();
    table.bind("S", Sampler::linear()).unwrap();
    table.bind("Least", maps[0]).unwrap();
    table.bind("Used", maps[1]).unwrap();
    table
}

#[test]
fn engines_leave_the_same_maps() {
    let mut all = devices();
    if Engine::Cpu.is_available() {
        let options = CpuOptions { threads: 3, ..CpuOptions::default() };
        all.push(Device::with_cpu(Adapter::reference(), options).unwrap());
    }
    let shader = shader("feedback.hlsl", "main", SHADER);
    let mut first = None;
    for device in all {
        let texture = texture(64, 32, 2, 5);
        let desc = |kind| FeedbackDesc { kind, paired: &texture, region: [8, 4] };
        let least = device.create_feedback(&desc(FeedbackKind::MinMip)).unwrap();
        let used = device.create_feedback(&desc(FeedbackKind::MipRegionUsed)).unwrap();
        let table = bound(&shader, &texture, [&least, &used]);
        let is_host = matches!(device.engine(), Engine::Interp | Engine::Cpu);
        let pipeline = match device.create_compute_pipeline(&shader) {
            Err(error) if !is_host => {
                skipped::skipped!("{error}");
                continue;
            }
            made => made.unwrap(),
        };
        match pipeline.dispatch(&Dispatch::new([32, 1, 1]), &table) {
            Err(error) if !is_host => {
                skipped::skipped!("{error}");
                continue;
            }
            done => done.unwrap(),
        }
        let left = (least.decode().unwrap(), used.decode().unwrap());
        assert!(left.0.iter().all(|it| *it < 5), "every region was asked for: {:?}", left.0);
        assert!(left.1.contains(&USED) && left.1.contains(&0));
        let first = first.get_or_insert_with(|| left.clone());
        assert_eq!(*first, left, "{:?}", device.engine());
        least.clear().unwrap();
        assert!(least.decode().unwrap().iter().all(|it| *it == NONE));
    }
}

#[test]
fn maps_know_their_sizes_and_keep_what_is_encoded() {
    let texture = texture(20, 100, 3, 2);
    let map = |kind, region| FeedbackMap::new(&FeedbackDesc { kind, paired: &texture, region });
    let used = map(FeedbackKind::MipRegionUsed, [8, 32]).unwrap();
    assert_eq!((used.levels(), used.layers(), used.size(0), used.size(1)), (2, 3, [3, 4], [2, 2]));
    let texels: Vec<u8> = (0..48).map(|it| (it % 5) as u8).collect();
    used.encode(&texels).unwrap();
    let expected: Vec<u8> = texels.iter().map(|it| if *it == 0 { 0 } else { USED }).collect();
    assert_eq!(used.decode().unwrap(), expected);
    assert!(matches!(used.encode(&texels[1..]), Err(FeedbackError::Memory(_))));
    for region in [[16, 32], [8, 64], [2, 4], [8, 12]] {
        assert!(
            matches!(map(FeedbackKind::MinMip, region), Err(FeedbackError::Refused(_))),
            "{region:?}"
        );
    }
}

#[test]
fn what_does_not_suit_a_map_is_refused() {
    let shader = shader("feedback.hlsl", "main", SHADER);
    let texture = texture(64, 32, 2, 5);
    let desc = FeedbackDesc { kind: FeedbackKind::MinMip, paired: &texture, region: [8, 4] };
    let map = FeedbackMap::new(&desc).unwrap();
    let mut table = ResourceTable::new(&shader);
    let problem = |result: Result<(), wavelane::BindError>| result.unwrap_err().problem;
    assert!(matches!(problem(table.bind("Used", &map)), BindProblem::FeedbackKind { .. }));
    assert_eq!(problem(table.bind("Least", &texture)), BindProblem::NoFeedback);
    assert_eq!(problem(table.bind("T", &map)), BindProblem::NoTexture);
    table.bind("Least", &map).unwrap();
    assert!(table.buffer("Least").is_none());
    // A copy of everything keeps maps and textures together.
    table.bind("T", &texture).unwrap();
    table.bind("S", Sampler::nearest()).unwrap();
    table
        .bind(
            "Used",
            FeedbackMap::new(&FeedbackDesc { kind: FeedbackKind::MipRegionUsed, ..desc }).unwrap(),
        )
        .unwrap();
    let copy = table.duplicate().unwrap();
    let device = Device::new(Adapter::reference());
    let pipeline = device.create_compute_pipeline(&shader).unwrap();
    pipeline.dispatch(&Dispatch::new([32, 1, 1]), &copy).unwrap();
    assert!(map.decode().unwrap().iter().all(|it| *it == NONE));
    pipeline.dispatch(&Dispatch::new([32, 1, 1]), &table).unwrap();
    assert!(map.decode().unwrap().iter().all(|it| *it < 5));
}
