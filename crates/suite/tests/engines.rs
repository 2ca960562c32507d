//! The fast engine agrees with the reference engine, bit for bit.
//!
//! The whole suite at all its widths, of which nothing may be left to the reference engine, and generated programs.
//! `ENGINES=text` runs only the sections whose names hold the text.
#![allow(clippy::print_stdout, reason = "what falls back is to be seen")]

use std::collections::BTreeMap;
use std::sync::Arc;

use cpu::{Isa, Stopped};
use ir::Module;
use ir::exec::{Bindings, Buffer, Failure, Trap};
use suite::engines::{Outcome, Programs, compare, launch, sets, try_seed};
use suite::generate::Statistics;
use suite::run;
use suite::section::WIDTHS;

/// Of each kind; `cargo xtask fuzz --engines` tries as many as you like.
const PROGRAMS: u64 = 1000;

fn suite_agrees(isa: Isa) {
    let filter = std::env::var("ENGINES").unwrap_or_default();
    let (mut runs, mut fallbacks, mut wrong) = (0, BTreeMap::<String, u32>::new(), Vec::new());
    for file in suite::files(&suite::folder()) {
        for section in suite::read(&file).unwrap() {
            if !section.name.contains(&filter) {
                continue;
            }
            let is_error = |level: &str| level == "error" || level == "unsupported";
            if section.annotations.iter().any(|it| is_error(&it.level)) {
                continue;
            }
            for width in section.widths.clone() {
                let Some(module) = run::compile(&section, width).unwrap().module else { continue };
                let Ok(bindings) = run::inputs(&section, &module) else { continue };
                if !filter.is_empty() {
                    println!("{} at {width}\n{}", section.name, ir::text::print(&module));
                }
                let launch = run::launch(&section, &module, width);
                runs += 1;
                match compare(&module, &launch, &bindings, isa) {
                    Outcome::Same => {}
                    Outcome::Fallback(what) => *fallbacks.entry(what).or_default() += 1,
                    Outcome::Different(what) => {
                        wrong.push(format!("{} at {width}: {what}", section.name));
                    }
                }
            }
        }
    }
    println!("{}: {runs} runs, left to the reference engine: {fallbacks:?}", isa.name());
    assert!(
        wrong.is_empty(),
        "{}: {} of {runs} differ:\n{}",
        isa.name(),
        wrong.len(),
        wrong[..wrong.len().min(60)].join("\n")
    );
    assert!(fallbacks.is_empty(), "{}: some of it was left to the reference engine", isa.name());
}

#[test]
fn the_suite_gives_the_same_bits_with_avx512() {
    if sets().contains(&Isa::Avx512) {
        suite_agrees(Isa::Avx512);
    }
}

#[test]
fn the_suite_gives_the_same_bits_with_avx2() {
    if sets().contains(&Isa::Avx2) {
        suite_agrees(Isa::Avx2);
    }
}

fn programs_agree(programs: Programs) {
    let (mut statistics, mut too_large) = (Statistics::default(), 0);
    for seed in 0..PROGRAMS {
        match try_seed(programs, seed, &mut statistics) {
            Ok(taken) => too_large += u64::from(!taken),
            Err(what) => panic!("{what}"),
        }
    }
    println!("{too_large} of {PROGRAMS} programs are too large for the fast engine");
    assert!(too_large * 200 <= PROGRAMS);
}

#[test]
fn generated_programs_give_the_same_bits() {
    programs_agree(Programs::Generated);
}

#[test]
fn wild_programs_give_the_same_bits() {
    programs_agree(Programs::Wild);
}

fn module(text: &str) -> Module {
    let compiled = run::compile_text("test.hlsl", text, &run::options(&[]).unwrap());
    let all = diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain);
    compiled.module.unwrap_or_else(|| panic!("{all}\n{text}"))
}

fn buffers(sizes: &[usize]) -> Bindings {
    let bytes = |size: usize| (0..size).map(|it| (it * 7 + 1) as u8).collect();
    let buffer = |size: &usize| vec![Buffer { bytes: bytes(*size), ..Buffer::default() }];
    Bindings { bindings: sizes.iter().map(buffer).collect() }
}

/// Whatever index, stride and size: what the reference engine gives, and nothing else is touched.
#[test]
fn hostile_indices_strides_and_sizes_stay_in_bounds() {
    let indices = [
        "t",
        "t - 3",
        "3 - t",
        "t * 2",
        "t + 0x3ffffff0",
        "t + 0x7ffffff0",
        "t + 0x80000000",
        "t + 0xfffffff0",
        "t * 0x40000000",
        "t * 0x10000001",
        "0xffffffff",
        "t * t",
        "t ^ 5",
        "In[t]",
    ];
    let element = "struct E { uint a, b, c; };";
    for (number, index) in indices.iter().enumerate() {
        let text = format!(
            "{element}
            StructuredBuffer<uint> In : register(t0); StructuredBuffer<E> Wide : register(t1);
            ByteAddressBuffer Raw : register(t2); RWStructuredBuffer<uint> Out : register(u0);
            RWStructuredBuffer<E> Others : register(u1); RWByteAddressBuffer Bytes : register(u2);
            [numthreads(48, 1, 1)] void main(uint t : SV_GroupIndex) {{
                uint i = {index};
                uint sum = In[i] + Wide[i].b + Raw.Load(i) + Raw.Load3(i * 4).z;
                Out[i] = sum;
                Others[i].c = sum + 1;
                Bytes.Store(i, sum); Bytes.Store(i * 4, t);
                uint old = 0;
                InterlockedAdd(Out[i + 1], t, old);
                if ((t & 3) == 1) Out[WavePrefixCountBits((t & 3) == 1) + i] = old;
                bool keep = (sum & 1) != 0;
                uint below = WavePrefixCountBits(keep);
                if (keep) Out[WaveReadLaneFirst(i) + below] = t;
            }}"
        );
        let module = module(&text);
        for width in WIDTHS {
            for isa in sets() {
                for size in [0, 1, 3, 4, 7, 12, 60, 64, 65, 128, 1000] {
                    let before = buffers(&[size; 6]);
                    let outcome = compare(&module, &launch([2, 1, 1], width), &before, isa);
                    assert_eq!(
                        outcome,
                        Outcome::Same,
                        "{number}: {index}, {size} bytes, {width}, {isa:?}"
                    );
                }
            }
        }
    }
}

/// Each wave waits for all that come after it: nobody could go on if waves ran to their ends one by one.
#[test]
fn waves_and_groups_that_wait_for_later_ones_end() {
    let text = "globallycoherent RWStructuredBuffer<uint> Out;
        [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex, uint3 g : SV_GroupID) {
            uint waves = 64 / WaveGetLaneCount();
            uint number = g.x * waves + t / WaveGetLaneCount();
            uint last = 3 * waves - 1;
            uint seen = 0;
            if (WaveIsFirstLane()) {
                do { InterlockedAdd(Out[0], 0, seen); } while (seen < last - number);
                InterlockedAdd(Out[0], 1, seen);
                Out[1 + number] = seen;
            }
        }";
    let module = Arc::new(module(text));
    for width in [8, 16, 64] {
        for isa in sets() {
            let mut bindings = Bindings {
                bindings: vec![vec![Buffer { bytes: vec![0; 256], ..Buffer::default() }]],
            };
            let launch = launch([3, 1, 1], width);
            cpu::compile(&module, isa, width).unwrap().run(&launch, &mut bindings, 1).unwrap();
            let waves = 3 * 64u32.div_ceil(width);
            let first = &bindings.bindings[0][0].bytes[..4];
            assert_eq!(
                first,
                if width > 64 { [0; 4] } else { waves.to_le_bytes() },
                "{width} {isa:?}"
            );
        }
    }
}

#[test]
fn an_endless_loop_ends_when_the_fuel_does() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) { while (Out[t] == 0) Out[t] = 0; }";
    let module = Arc::new(module(text));
    for isa in sets() {
        let mut bindings =
            Bindings { bindings: vec![vec![Buffer { bytes: vec![0; 256], ..Buffer::default() }]] };
        let mut launch = launch([3, 1, 1], 32);
        launch.fuel = Some(100_000);
        let result = cpu::compile(&module, isa, 32).unwrap().run(&launch, &mut bindings, 1);
        let Err(Stopped::Failure(Failure::Trap(Trap::OutOfFuel { .. }))) = result else {
            panic!("{isa:?}: {result:?}")
        };
    }
}

#[test]
fn threads_give_the_same_where_the_order_does_not_matter() {
    let text = "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Sum;
        groupshared uint tile[64];
        [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex, uint3 d : SV_DispatchThreadID) {
            tile[t] = d.x * 3;
            GroupMemoryBarrierWithGroupSync();
            Out[d.x] = tile[63 - t] + WaveActiveSum(d.x);
            InterlockedAdd(Sum[d.x & 7], d.x);
        }";
    let module = Arc::new(module(text));
    for isa in sets() {
        let program = cpu::compile(&module, isa, 16).unwrap();
        let run = |threads| {
            let mut bindings = buffers(&[4 * 64 * 500, 32]);
            program.run(&launch([500, 1, 1], 16), &mut bindings, threads).unwrap();
            bindings
        };
        let one = run(1);
        assert!(run(2) == one && run(7) == one, "{isa:?}");
    }
}
