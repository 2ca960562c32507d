//! Group counts that a buffer holds: three words that an earlier dispatch may have written.
//!
//! An engine of the host reads and checks them right before the dispatch. A GPU must not wait for the host between two
//! dispatches, and what Vulkan does with too many groups is undefined. So a program of one thread, the *guard*, runs
//! before such a dispatch: it copies counts that are allowed to a buffer of our own, which the dispatch takes them
//! from. Counts that are not allowed are noted there, and become zeros, as do those of all later dispatches of the
//! list: their counts go through the guard too, even if the host knows them. When the list has ended, the host reads
//! the note.

use std::sync::{Arc, OnceLock};

use hlsl::Options;
use ir::exec::Launch;

use crate::engines::{Backend, StepError};
use crate::list::Recorded;
use crate::memory::Cell;
use crate::{
    Buffer, ComputePipeline, Dispatch, DispatchError, MOST_GROUPS, MOST_THREADS, NoIncludes,
    ResourceTable, Shader,
};

/// The bytes of three group counts.
pub(crate) const BYTES: usize = 12;

/// The group counts at an offset that lies within the bytes.
pub(crate) fn counts(bytes: &[u8], offset: usize) -> [u32; 3] {
    [0, 4, 8].map(|it| {
        let word = bytes.get(offset + it..).and_then(<[u8]>::first_chunk);
        word.map_or(0, |it| u32::from_le_bytes(*it))
    })
}

/// Whether a dispatch may have that many groups.
pub(crate) fn check(groups: [u32; 3], threads_per_group: u32) -> Result<(), DispatchError> {
    if let Some(groups) = groups.iter().find(|it| **it > MOST_GROUPS) {
        return Err(DispatchError::TooManyGroups { groups: *groups });
    }
    let groups: u64 = groups.iter().map(|it| u64::from(*it)).product();
    let threads = groups.saturating_mul(u64::from(threads_per_group));
    if threads > MOST_THREADS {
        return Err(DispatchError::TooManyThreads { threads });
    }
    Ok(())
}

/// The guard. `State` begins with the note, the number of the refused dispatch from 1 on and its counts; four words for
/// each dispatch follow. `Most` is the largest number of groups that [`MOST_THREADS`] allows, its low 16 bits in `y`.
const GUARD: &str = "
    cbuffer Guard { uint Offset; uint Number; uint2 Most; };
    ByteAddressBuffer Arguments;
    RWByteAddressBuffer State;
    [numthreads(1, 1, 1)]
    void main() {
        uint3 groups = Arguments.Load3(Offset);
        // A product of 48 bits, the low 16 of them in `low`.
        uint plane = groups.x * groups.y;
        uint low = (plane & 0xffff) * groups.z;
        uint high = (plane >> 16) * groups.z + (low >> 16);
        low &= 0xffff;
        bool fits = all(groups <= 65535) && (high < Most.x || high == Most.x && low <= Most.y);
        if (State.Load(0) != 0) {
            groups = 0;
        } else if (!fits) {
            State.Store4(0, uint4(Number, groups));
            groups = 0;
        }
        State.Store3(16 * Number, groups);
    }";

/// The guard as a shader, compiled on its first use.
pub(crate) fn guard() -> &'static Shader {
    static GUARD_SHADER: OnceLock<Shader> = OnceLock::new();
    GUARD_SHADER.get_or_init(|| {
        let compiled = Shader::compile("guard", GUARD, &Options::default(), &mut NoIncludes);
        match compiled.map(|it| it.shader()) {
            Ok(Ok(shader)) => shader,
            _ => unreachable!("the guard compiles"),
        }
    })
}

/// The dispatches of a list with guards between them.
pub(crate) struct Guarded {
    pipeline: ComputePipeline,
    state: Buffer,
    /// The number of dispatches before the first guard.
    first: usize,
    guards: Vec<(ResourceTable, Launch)>,
}

impl Guarded {
    /// Guards for the dispatches from the first indirect one on; `None` if there is none, or the engine needs no guard.
    pub(crate) fn new(
        backend: &Arc<dyn Backend>,
        all: &[Recorded<'_>],
    ) -> Result<Option<Guarded>, DispatchError> {
        let Some(first) = all.iter().position(|it| it.indirect.is_some()) else { return Ok(None) };
        let Some(program) = backend.guard() else { return Ok(None) };
        let shader = guard();
        // It has one thread, so that any width does.
        let wave_sizes = all[first].pipeline.wave_sizes.clone();
        let (backend, program) = (backend.clone(), program.clone());
        let pipeline = ComputePipeline {
            shader: shader.clone(),
            backend,
            program,
            wave_sizes,
            examination: Arc::default(),
        };
        let state = Buffer::from_bytes(vec![0; 16 * (all.len() - first + 1)]);
        let mut guards = Vec::new();
        for (number, recorded) in (1u32..).zip(&all[first..]) {
            let groups = recorded.launch.groups();
            let direct = Buffer::from_slice(&groups);
            let (cell, offset) = match recorded.indirect {
                Some((cell, offset)) => (cell, offset),
                None => (&direct.cell, 0),
            };
            let threads = u64::from(recorded.pipeline.shader.module.threads_per_group().max(1));
            let most = MOST_THREADS / threads;
            let mut table = ResourceTable::new(shader);
            let given = [offset as u64, u64::from(number), most >> 16, most & 0xffff];
            let constants = given.map(|it| it as u32);
            // What is bound need not be a whole number of words, as a host's buffer must.
            let mut bind = |name: &str, cell: &Arc<Cell>| match shader.resource(name) {
                Some((index, _)) => table.put_cell(index, 0, cell.clone()),
                None => unreachable!("the guard declares it"),
            };
            bind("Arguments", cell);
            bind("State", &state.cell);
            bind("Guard", &Buffer::from_slice(&constants).cell);
            let Launch { fuel, cancel, wave_width, .. } = recorded.launch;
            let (fuel, cancel, wave_size) = (*fuel, cancel.clone(), Some(*wave_width));
            let dispatch = Dispatch { wave_size, fuel, cancel, ..Dispatch::new([1; 3]) };
            let launch = pipeline.launch(&dispatch, &table)?;
            guards.push((table, launch));
        }
        Ok(Some(Guarded { pipeline, state, first, guards }))
    }

    /// Everything to run, in order.
    pub(crate) fn steps<'a>(&'a self, all: &[Recorded<'a>]) -> Vec<Recorded<'a>> {
        let (plain, guarded) = all.split_at(self.first);
        let mut steps = plain.to_vec();
        for (index, (recorded, (table, launch))) in guarded.iter().zip(&self.guards).enumerate() {
            let pipeline = &self.pipeline;
            steps.push(Recorded { pipeline, launch, table, indirect: None });
            let offset = 16 * (index + 1);
            steps.push(Recorded { indirect: Some((&self.state.cell, offset)), ..*recorded });
        }
        steps
    }

    /// The dispatch to which a step belongs.
    pub(crate) fn dispatch_of(&self, step: usize) -> usize {
        step.checked_sub(self.first).map_or(step, |it| self.first + it / 2)
    }

    /// The steps that are dispatches of the list.
    pub(crate) fn is_dispatch(&self, step: usize) -> bool {
        step.checked_sub(self.first).is_none_or(|it| it % 2 == 1)
    }

    /// The dispatch whose counts the guard has refused, if there is one.
    pub(crate) fn refused(&self, all: &[Recorded<'_>]) -> Option<StepError> {
        let stopped = |step, error| Some(StepError { step, error });
        let bytes = match self.state.read_bytes() {
            Ok(bytes) => bytes,
            Err(error) => return stopped(self.first, error.into()),
        };
        let number = counts(&bytes, 0)[0] as usize;
        let step = self.first + number.checked_sub(1)?;
        let threads = all.get(step)?.pipeline.shader.module.threads_per_group();
        stopped(step, check(counts(&bytes, 4), threads).err()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adapter, Device};

    /// The guard and the host refuse the same counts.
    #[test]
    fn the_guard_checks_as_the_host_does() {
        let device = Device::new(Adapter::reference());
        let pipeline = device.create_compute_pipeline(guard()).unwrap();
        let sides = [0, 1, 2, 255, 256, 1023, 1024, 16384, 65535, 65536, u32::MAX];
        let threads = [1u32, 63, 64, 1000, 1024];
        let mut refused = 0;
        for (index, groups) in sides
            .iter()
            .flat_map(|x| sides.map(|y| sides.map(|z| [*x, y, z])))
            .flatten()
            .enumerate()
        {
            let threads = threads[index % threads.len()];
            let most = MOST_THREADS / u64::from(threads);
            let state = Buffer::zeroed::<u32>(12);
            let mut table = ResourceTable::new(guard());
            let arguments = [&[7][..], &groups[..]].concat();
            table.bind("Arguments", Buffer::from_slice(&arguments)).unwrap();
            table.bind("State", &state).unwrap();
            table.set("Offset", 4).unwrap();
            table.set("Number", 2).unwrap();
            table.set("Most", [(most >> 16) as u32, (most & 0xffff) as u32]).unwrap();
            pipeline.dispatch(&Dispatch::new([1; 3]), &table).unwrap();
            let left = state.read::<u32>().unwrap();
            match check(groups, threads) {
                Ok(()) => {
                    assert_eq!(left[..4], [0; 4], "{groups:?}");
                    assert_eq!(left[8..11], groups);
                }
                Err(_) => {
                    refused += 1;
                    assert_eq!(left[..4], [&[2][..], &groups[..]].concat(), "{groups:?} {threads}");
                    assert_eq!(left[8..11], [0; 3]);
                }
            }
        }
        assert!(refused > 100);
        // Once one is refused, nothing runs any more.
        let state = Buffer::from_slice(&[1u32, 9, 9, 9, 0, 0, 0, 0, 5, 5, 5, 5]);
        let mut table = ResourceTable::new(guard());
        table.bind("Arguments", Buffer::from_slice(&[1u32, 1, 1])).unwrap();
        table.bind("State", &state).unwrap();
        table.set("Guard", (0, 2, [1, 0])).unwrap();
        pipeline.dispatch(&Dispatch::new([1; 3]), &table).unwrap();
        assert_eq!(state.read::<u32>().unwrap(), [1, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 5]);
    }
}
