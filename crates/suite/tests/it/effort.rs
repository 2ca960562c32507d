//! Operations that take longer than arithmetic cost fuel, the same on both engines, and end when they are told to, in
//! loops or not.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cpu::Stopped;
use ir::Module;
use ir::exec::{Bindings, Failure, Launch, Trap};
use suite::engines::{launch, sets};
use suite::{run, section};

/// A program of a group for each wave that samples so often, with or without a loop, and what is bound.
fn samples(count: u32, in_loop: bool) -> (Arc<Module>, Bindings) {
    let one = "r += T.SampleGrad(S, float2(t.x, r.x), float2(0.5, 0.1), float2(0.001, 0.02));\n";
    let all = match in_loop {
        true => format!("for (uint i = 0; i < {count}; i++) {one}"),
        false => one.repeat(count as usize),
    };
    let text = format!(
        "//--- samples\n//# zero O 65536\n//# texture T RGBA8_UNORM 16x16\n//# sampler S anisotropic=16\n\
         Texture2D<float4> T; SamplerState S; RWStructuredBuffer<uint> O;\n\
         [numthreads(32, 1, 1)] void main(uint3 t : SV_DispatchThreadID) {{\n\
         float4 r = 0;\n{all}O[t.x] = r.x < 2; }}\n"
    );
    let section = section::read("samples.hlsl", &text).unwrap().remove(0);
    let module = run::compile(&section, 32).unwrap().module.unwrap();
    let bindings = run::inputs(&section, &module).unwrap();
    (Arc::new(module), bindings)
}

fn on_cpu(module: &Arc<Module>, launch: &Launch, bindings: &mut Bindings) -> Vec<Result<(), Trap>> {
    let run =
        |isa| match cpu::compile(module, isa, 32).unwrap().run(launch, &mut bindings.clone(), 1) {
            Ok(()) => Ok(()),
            Err(Stopped::Failure(Failure::Trap(trap))) => Err(trap),
            other => panic!("{other:?}"),
        };
    sets().into_iter().map(run).collect()
}

fn on_interp(module: &Module, launch: &Launch, bindings: &Bindings) -> Result<(), Trap> {
    match interp::run(module, launch, &mut bindings.clone(), &mut interp::NoObserver) {
        Ok(()) => Ok(()),
        Err(Failure::Trap(trap)) => Err(trap),
        other => panic!("{other:?}"),
    }
}

#[test]
fn samples_of_many_texels_spend_fuel_on_both_engines() {
    // 64 samples of 32 lanes, of 16 probes of 4 texels in one or two levels, at 5 each: 700,000 or more.
    for in_loop in [true, false] {
        let (module, mut bindings) = samples(64, in_loop);
        for (fuel, is_enough) in [(200_000, false), (4_000_000, true)] {
            let launch = Launch { fuel: Some(fuel), ..launch([1, 1, 1], 32) };
            let ends = |result: &Result<(), Trap>| match result {
                Ok(()) => is_enough,
                Err(Trap::OutOfFuel { .. }) => !is_enough,
                Err(_) => false,
            };
            let result = on_interp(&module, &launch, &bindings);
            assert!(ends(&result), "{in_loop} {fuel} {result:?}");
            let results = on_cpu(&module, &launch, &mut bindings);
            assert!(results.iter().all(ends), "{in_loop} {fuel} {results:?}");
        }
    }
}

#[test]
fn code_without_loops_is_cancelled_between_its_calls() {
    let (module, bindings) = samples(64, false);
    let cancel = Some(Arc::new(AtomicBool::new(true)));
    let launch = Launch { cancel, fuel: None, ..launch([512, 1, 1], 32) };
    for isa in sets() {
        let mut bindings = bindings.clone();
        let result = cpu::compile(&module, isa, 32).unwrap().run(&launch, &mut bindings, 1);
        let Err(Stopped::Failure(Failure::Trap(Trap::Cancelled { .. }))) = result else {
            panic!("{result:?}")
        };
        // Every lane writes a one; no more than the first wave had begun, which may be as wide as four.
        let written = bindings.bindings.iter().flatten().filter(|it| it.bytes.len() == 65536);
        let ones = written.flat_map(|it| &it.bytes).filter(|it| **it != 0).count();
        assert!(ones <= 128, "{ones} lanes ran");
    }
}
