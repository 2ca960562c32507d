//! Small dispatches: the reference engine is done with them before machine code for them would be made.
//!
//! How much a dispatch does is known once it has been done, so it is tried with little fuel; where that is spent, the
//! buffers are as they were and machine code starts anew. Both engines give the same bits, also where waves watch each other
//! (`ir::turns`), so that only a clock can tell. A run that does not come to its end is another matter: what it leaves in the
//! buffers, and how much fuel that took, depends on the engine.

use ir::Module;
use ir::exec::{Bindings, Failure, Launch, Trap};

/// About as many wave-instructions as the reference engine executes while machine code for a small kernel is made.
const FUEL: u64 = 4096;
/// Copying more than this to be able to start anew would take as long.
const MOST_BYTES: usize = 1 << 20;

/// Runs a dispatch if it is small; `None` where it is not, with `bindings` as they were.
pub(crate) fn run(
    module: &Module,
    launch: &Launch,
    bindings: &mut Bindings,
) -> Option<Result<(), Failure>> {
    let all = || bindings.bindings.iter().flatten();
    if all().map(|it| it.bytes.len()).sum::<usize>() > MOST_BYTES {
        return None;
    }
    let before = bindings.clone();
    let is_bounded = launch.fuel.is_some_and(|fuel| fuel <= FUEL);
    let fuel = if is_bounded { launch.fuel } else { Some(FUEL) };
    // What is undone is not progress.
    let attempt = Launch { fuel, progress: None, ..launch.clone() };
    match interp::run(module, &attempt, bindings, &mut interp::NoObserver) {
        Err(Failure::Trap(Trap::OutOfFuel { .. })) if !is_bounded => {
            *bindings = before;
            None
        }
        result => Some(result),
    }
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a test that does not run says so")]
mod tests {
    use crate::{
        Adapter, Buffer, Device, Dispatch, Engine, NoIncludes, Options, ResourceTable, Shader,
    };

    /// What one group of 32 threads leaves in `Out`, having added 1 so often, and whether code was made for it.
    fn count_to(rounds: u32, fuel: Option<u64>) -> (Result<(), String>, u32, bool) {
        let text = format!(
            "RWStructuredBuffer<uint> Out;
             [numthreads(32, 1, 1)] void main() {{
                 for (uint i = 0; i < {rounds}; i++) InterlockedAdd(Out[0], 1);
             }}"
        );
        let compiled = Shader::compile("count.hlsl", &text, &Options::default(), &mut NoIncludes);
        let shader = compiled.unwrap().shader.unwrap();
        let device = Device::with_engine(Adapter::reference(), Engine::Cpu).unwrap();
        let pipeline = device.leaving_small_dispatches().create_compute_pipeline(&shader).unwrap();
        let mut table = ResourceTable::new(&shader);
        table.bind("Out", 0, Buffer { bytes: vec![0; 4], ..Buffer::default() }).unwrap();
        let dispatch = Dispatch { fuel, wave_size: Some(32), ..Dispatch::new([1, 1, 1]) };
        let result = pipeline.dispatch(&dispatch, &mut table).map_err(|error| error.to_string());
        let left = u32::from_le_bytes(table.get("Out", 0).unwrap().bytes[..4].try_into().unwrap());
        let crate::pipeline::Runner::Cpu(programs) = &pipeline.runner else { unreachable!() };
        (result, left, !programs.leaves_small(32))
    }

    #[test]
    fn no_code_is_made_for_what_is_small_and_what_is_large_starts_anew() {
        if let Some(missing) = Engine::Cpu.missing() {
            println!("skipped: {missing}");
            return;
        }
        assert_eq!(count_to(10, None), (Ok(()), 320, false));
        assert_eq!(count_to(20_000, None), (Ok(()), 640_000, true));
    }

    #[test]
    fn fuel_that_the_caller_bounds_is_spent_once() {
        if let Some(missing) = Engine::Cpu.missing() {
            println!("skipped: {missing}");
            return;
        }
        let spent = || Err("the fuel is spent".to_owned());
        let (result, left, has_code) = count_to(20_000, Some(1000));
        assert_eq!((result, has_code), (spent(), false));
        assert!((32..32_000).contains(&left));
        let (result, _, has_code) = count_to(20_000, Some(10_000));
        assert_eq!((result, has_code), (spent(), true));
    }
}
