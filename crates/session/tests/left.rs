//! A run that is suspended and resumed spends the fuel of one that is not, and leaves the same bytes, wherever it is
//! suspended: also among instructions that cost more than others, which are paid for together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use interp::{Advance, NoObserver, Run, Variation};
use ir::exec::{Bindings, Buffer, Failure, Launch, Schedule, Trap};

const TEXT: &str = "RWStructuredBuffer<float> Out; groupshared uint turn;
[numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex, uint3 g : SV_GroupID) {
    float x = t + 1;
    for (uint n = 0; n < 40; n++) {
        x = pow(x, 1.01) + sin(x) * dot(WaveMatch(n & 1), 1);
        uint old; InterlockedAdd(turn, 1, old);
        if (n % 10 == 9) GroupMemoryBarrierWithGroupSync();
        Out[t + 64 * g.x] = x + old;
    }
}";

struct Nothing;

impl hlsl::Includer for Nothing {
    fn read(&mut self, _: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        None
    }
}

fn ran(
    module: &ir::Module,
    schedule: Schedule,
    fuel: u64,
    budget: u64,
) -> (Option<&'static str>, u64, Bindings) {
    let spent = Arc::new(AtomicU64::new(0));
    let launch = Launch {
        schedule,
        fuel: Some(fuel),
        spent: Some(spent.clone()),
        ..Launch::dispatch([2, 1, 1], 16)
    };
    let buffer = Buffer { bytes: vec![0; 512].into(), ..Buffer::default() };
    let mut bindings = Bindings { bindings: vec![vec![buffer]] };
    let program = interp::decode(module);
    let mut run = Run::new(&program, &launch, Variation::default()).unwrap();
    let ended = loop {
        // A copy goes on as the run itself would.
        run = run.clone();
        match run.advance(&program, &mut bindings, &mut NoObserver, budget) {
            Ok(Advance::Done) => break None,
            Ok(Advance::Going | Advance::Paused) => {}
            Err(Failure::Trap(Trap::OutOfFuel { .. })) => break Some("out of fuel"),
            Err(other) => panic!("{other}"),
        }
    };
    (ended, spent.load(Ordering::Relaxed), bindings)
}

#[test]
fn a_run_that_is_left_spends_the_same() {
    let (mut sources, mut sink) = (diag::SourceMap::new(), diag::Sink::new());
    let main = sources.add("a.hlsl", TEXT).unwrap();
    let modules = [false, true].map(|notes| {
        let options = hlsl::Options { notes, ..hlsl::Options::default() };
        let compiled = hlsl::compile(main, &mut sources, &mut Nothing, &options, &mut sink);
        compiled.unwrap().module
    });
    for schedule in [Schedule::Ascending, Schedule::Random(5), Schedule::RoundRobin] {
        let all = ran(&modules[0], schedule, 1 << 30, u64::MAX);
        assert_eq!(all.0, None);
        for fuel in [1 << 30, all.1 / 2, all.1 / 3 + 1, 777] {
            let wanted = ran(&modules[0], schedule, fuel, u64::MAX);
            assert_eq!(wanted.0.is_some(), fuel < all.1, "{schedule:?} {fuel}");
            for module in &modules {
                for budget in [1, 2, 7, 100, 8191, u64::MAX] {
                    let got = ran(module, schedule, fuel, budget);
                    assert_eq!(
                        (got.0, got.1),
                        (wanted.0, wanted.1),
                        "{schedule:?} {fuel} {budget}"
                    );
                    assert!(got.2 == wanted.2, "{schedule:?} {fuel} {budget}");
                }
            }
        }
    }
}
