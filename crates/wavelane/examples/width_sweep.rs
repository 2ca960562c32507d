//! A unit test that runs a shader at every wave width, as a project's own tests would:
//! `cargo test --example width_sweep`.
//!
//! The shader sums a group through wave operations and groupshared memory. A result that depends on the width is a bug
//! that shows on one vendor's devices and not on another's.

use std::error::Error;

use wavelane::*;

const SHADER: &str = "
    StructuredBuffer<uint> Items;
    RWStructuredBuffer<uint> Sums;
    groupshared uint total;

    [numthreads(128, 1, 1)]
    void main(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex, uint3 group : SV_GroupID)
    {
        if (index == 0)
            total = 0;
        GroupMemoryBarrierWithGroupSync();
        uint sum = WaveActiveSum(Items[id.x]);
        if (WaveIsFirstLane())
            InterlockedAdd(total, sum);
        GroupMemoryBarrierWithGroupSync();
        if (index == 0)
            Sums[group.x] = total;
    }";

/// A wave width, and the sums of the groups at that width.
type Sums = (u32, Vec<u32>);

/// The sums of groups of 128 items, at each width that the device supports.
pub fn sums_at_every_width(items: &[u32]) -> Result<Vec<Sums>, Box<dyn Error>> {
    let shader =
        Shader::compile("sum.hlsl", SHADER, &Options::default(), &mut NoIncludes)?.shader()?;
    let pipeline = Device::new(Adapter::reference()).create_compute_pipeline(&shader)?;
    let groups = items.len() / 128;
    let mut table = ResourceTable::new(&shader);
    table.bind("Items", Buffer::from_slice(items))?;
    let mut all = Vec::new();
    for width in pipeline.wave_sizes() {
        let sums = Buffer::zeroed::<u32>(groups);
        table.bind("Sums", &sums)?;
        let groups = [groups as u32, 1, 1];
        let dispatch = Dispatch { wave_size: Some(*width), ..Dispatch::new(groups) };
        pipeline.dispatch(&dispatch, &table)?;
        all.push((*width, sums.read()?));
    }
    Ok(all)
}

#[allow(clippy::print_stdout, reason = "printing is what it is for")]
fn main() -> Result<(), Box<dyn Error>> {
    for (width, sums) in sums_at_every_width(&[1; 256])? {
        println!("waves of {width} lanes: {sums:?}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_the_width() {
        let items: Vec<u32> = (0..512).collect();
        let expected: Vec<u32> = items.chunks(128).map(|it| it.iter().sum()).collect();
        let all = sums_at_every_width(&items).unwrap();
        assert_eq!(all.iter().map(|it| it.0).collect::<Vec<_>>(), [4, 8, 16, 32, 64, 128]);
        for (width, sums) in all {
            assert_eq!(sums, expected, "waves of {width} lanes");
        }
    }
}
