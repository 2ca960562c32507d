//! Stream compaction: keeps the even numbers of a buffer, with one atomic operation for each wave.

use std::error::Error;

use wavelane::*;

const SHADER: &str = "
    cbuffer Params { uint Count; };
    StructuredBuffer<uint> Items;
    RWStructuredBuffer<uint> Kept;
    RWStructuredBuffer<uint> KeptCount;

    [numthreads(64, 1, 1)]
    void main(uint3 id : SV_DispatchThreadID)
    {
        bool keep = id.x < Count && Items[id.x] % 2 == 0;
        uint before = WavePrefixCountBits(keep);
        uint all = WaveActiveCountBits(keep);
        uint start = 0;
        if (WaveIsFirstLane())
            InterlockedAdd(KeptCount[0], all, start);
        start = WaveReadLaneFirst(start);
        if (keep)
            Kept[start + before] = Items[id.x];
    }";

/// The even numbers among `items`.
pub fn even(items: &[u32]) -> Result<Vec<u32>, Box<dyn Error>> {
    let shader =
        Shader::compile("compact.hlsl", SHADER, &Options::default(), &mut NoIncludes)?.shader()?;
    let device = Device::with_engine(Adapter::reference(), Engine::fastest())?;
    let pipeline = device.create_compute_pipeline(&shader)?;

    let kept = Buffer::zeroed::<u32>(items.len());
    let kept_count = Buffer::zeroed::<u32>(1);
    let mut table = ResourceTable::new(&shader);
    table.bind("Items", Buffer::from_slice(items))?;
    table.bind("Kept", &kept)?;
    table.bind("KeptCount", &kept_count)?;
    table.set("Count", items.len() as u32)?;
    let groups = items.len().div_ceil(64) as u32;
    pipeline.dispatch(&Dispatch::new([groups, 1, 1]), &table)?;

    let count = kept_count.read::<u32>()?[0] as usize;
    Ok(kept.read::<u32>()?[..count].to_vec())
}

#[allow(clippy::print_stdout, reason = "printing is what it is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let items: Vec<u32> = (0..1000).collect();
    let kept = even(&items)?;
    println!("{} of {} are even: {:?} …", kept.len(), items.len(), &kept[..4]);
    Ok(())
}
