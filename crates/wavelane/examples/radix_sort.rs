//! A radix sort: eight passes of three dispatches each, in one list that runs as one submission.
//!
//! A pass counts the digits of each group, sums the counts, and moves every key after the keys with a smaller digit and
//! the earlier keys with the same digit. The keys stay on the device until they are sorted.

use std::error::Error;

use wavelane::*;

/// One wave per group, so that wave operations cover the whole group.
const SHADER: &str = "
    cbuffer Params { uint Shift; uint Groups; };
    StructuredBuffer<uint> Keys;
    RWStructuredBuffer<uint> Sorted;
    RWStructuredBuffer<uint> Starts;    // of digit d in group g: d * Groups + g

    uint Digit(uint key) { return (key >> Shift) & 15; }

    [WaveSize(32)] [numthreads(32, 1, 1)]
    void Count(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID)
    {
        uint digit = Digit(Keys[id.x]);
        for (uint d = 0; d < 16; d++)
        {
            uint count = WaveActiveCountBits(digit == d);
            if (WaveIsFirstLane())
                Starts[d * Groups + group.x] = count;
        }
    }

    [WaveSize(32)] [numthreads(32, 1, 1)]
    void Scan(uint lane : SV_GroupIndex)
    {
        uint before = 0;
        for (uint i = lane; i < 16 * Groups; i += 32)
        {
            uint count = Starts[i];
            Starts[i] = before + WavePrefixSum(count);
            before += WaveActiveSum(count);
        }
    }

    [WaveSize(32)] [numthreads(32, 1, 1)]
    void Move(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID)
    {
        uint key = Keys[id.x];
        uint same = WaveMatch(Digit(key)).x;
        uint rank = countbits(same & ((1u << WaveGetLaneIndex()) - 1));
        Sorted[Starts[Digit(key) * Groups + group.x] + rank] = key;
    }";

wavelane::shader_struct! {
    /// The constants of all steps.
    struct Params {
        shift: u32,
        groups: u32,
    }
}

/// The keys in ascending order; their number is a multiple of 64.
pub fn sorted(keys: &[u32]) -> Result<Vec<u32>, Box<dyn Error>> {
    let groups = keys.len() as u32 / 32;
    let device = Device::with_engine(Adapter::reference(), Engine::fastest())?;
    let ends = [Buffer::from_slice(keys), Buffer::zeroed::<u32>(keys.len())];
    let starts = Buffer::zeroed::<u32>(16 * groups as usize);

    let mut steps = Vec::new();
    for (entry, groups) in [("Count", groups), ("Scan", 1), ("Move", groups)] {
        let options = Options { entry: entry.to_owned(), ..Options::default() };
        let shader = Shader::compile("sort.hlsl", SHADER, &options, &mut NoIncludes)?.shader()?;
        let pipeline = device.create_compute_pipeline(&shader)?;
        steps.push((shader, pipeline, Dispatch::new([groups, 1, 1])));
    }

    let mut list = CommandList::new();
    for pass in 0..8 {
        for (shader, pipeline, dispatch) in &steps {
            let mut table = ResourceTable::new(shader);
            for (name, buffer) in
                [("Keys", &ends[pass % 2]), ("Sorted", &ends[1 - pass % 2]), ("Starts", &starts)]
            {
                // A step declares only what it uses.
                if shader.resource(name).is_some() {
                    table.bind(name, buffer)?;
                }
            }
            table.set("Params", Params { shift: 4 * pass as u32, groups })?;
            list.dispatch(pipeline, dispatch, &table)?;
        }
    }
    device.execute(&list)?;
    Ok(ends[0].read()?)
}

#[allow(clippy::print_stdout, reason = "printing is what it is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<u32> = (0..4096u32).map(|it| it.wrapping_mul(2_654_435_761)).collect();
    let sorted = sorted(&keys)?;
    println!("{} keys from {} to {}", sorted.len(), sorted[0], sorted[sorted.len() - 1]);
    Ok(())
}
