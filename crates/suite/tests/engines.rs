//! The fast engine agrees with the reference engine, bit for bit.
//!
//! The whole suite at all its widths, of which nothing may be left to the reference engine, and generated programs.
//! `ENGINES=text` runs only the sections whose names hold the text.
#![allow(clippy::print_stdout, reason = "what falls back is to be seen")]

use std::collections::BTreeMap;
use std::sync::Arc;

use cpu::{Isa, Stopped};
use ir::Module;
use ir::exec::{Bindings, Buffer, Failure, LaneOrder, Launch, Trap};
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

/// Each party of waves may add to a copy of its own: what comes out is the sum, for buffers of any size.
#[test]
fn additions_that_nobody_sees_add_up() {
    let bodies = [
        "InterlockedAdd(Count[In[t] & 63], t);",
        "InterlockedAdd(Count[In[t] & 63], t); InterlockedAdd(Count[3], 1);",
        "if (t & 1) InterlockedAdd(Count[t * 7], In[t]);",
        "for (uint i = 0; i < (In[t] & 3); i++) InterlockedAdd(Count[(t + i) & 7], i + 1);",
        "tile[t & 63] = t; GroupMemoryBarrierWithGroupSync();
            InterlockedAdd(Count[tile[(t + 1) & 63] & 31], 1);",
        "uint old; InterlockedAdd(Count[In[t] & 63], 1, old); Out[t] = old;",
        "InterlockedAdd(Count[In[t] & 63], 1); if (t == 70) Out[0] = Count[0];",
        "InterlockedAdd(Count[In[t] & 63], 1); InterlockedMax(Count[9], t);",
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        let module = module(&format!(
            "RWStructuredBuffer<uint> Count; RWStructuredBuffer<uint> In;
            RWStructuredBuffer<uint> Out; groupshared uint tile[64];
            [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) {{ {body} }}"
        ));
        for size in [256, 40_000] {
            let sizes: Vec<usize> = module.resources.iter().map(|_| size).collect();
            for isa in sets() {
                for width in WIDTHS {
                    let launch = launch([40, 1, 1], width);
                    let outcome = compare(&module, &launch, &buffers(&sizes), isa);
                    assert!(matches!(outcome, Outcome::Same), "{body} at {width}: {outcome:?}");
                    if number > 4 {
                        continue;
                    }
                    let program = cpu::compile(&Arc::new(module.clone()), isa, width).unwrap();
                    let run = |threads| {
                        let mut bindings = buffers(&sizes);
                        program.run(&launch, &mut bindings, threads).unwrap();
                        bindings
                    };
                    assert!(run(5) == run(1), "{body} at {width}");
                }
            }
        }
    }
}

/// Where a second thread would only wait for a counter, there is none: the canonical order is what comes out.
#[test]
fn one_counter_is_left_to_one_thread() {
    let text = "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Count;
        [numthreads(64, 1, 1)] void main(uint3 d : SV_DispatchThreadID) {
            bool keep = (d.x * 0x9e3779b1 >> 8 & 1) != 0;
            uint kept = WaveActiveCountBits(keep), before = WavePrefixCountBits(keep), start = 0;
            if (WaveIsFirstLane()) InterlockedAdd(Count[0], kept, start);
            start = WaveReadLaneFirst(start);
            if (keep) Out[start + before] = d.x;
        }";
    let module = Arc::new(module(text));
    for isa in sets() {
        let program = cpu::compile(&module, isa, 16).unwrap();
        let run = |threads| {
            let mut bindings = buffers(&[4 * 64 * 3000, 4]);
            bindings.bindings[1][0].bytes.fill(0);
            program.run(&launch([3000, 1, 1], 16), &mut bindings, threads).unwrap();
            bindings
        };
        let one = run(1);
        assert!(run(2) == one && run(7) == one, "{isa:?}");
    }
}

/// What an engine computes in other orders of lanes, it computes right; the rest it leaves to the reference engine.
#[test]
fn lanes_in_any_order_are_the_threads_that_they_are() {
    let orders = [LaneOrder::Linear, LaneOrder::Quad2d, LaneOrder::Morton, LaneOrder::Random(3)];
    for size in ["64, 1, 1", "8, 8, 1", "5, 7, 1", "3, 5, 4", "1, 9, 1", "6, 5, 1"] {
        let module = module(&format!(
            "RWStructuredBuffer<uint> Out;
            [numthreads({size})] void main(uint t : SV_GroupIndex, uint3 g : SV_GroupThreadID) {{
                Out[4 * t] = WaveGetLaneIndex() + 100 * g.x + 10000 * g.y + 1000000 * g.z;
                Out[4 * t + 1] = WaveReadLaneFirst(t);
                Out[4 * t + 2] = WavePrefixSum(t);
            }}"
        ));
        for order in orders {
            for width in WIDTHS {
                for isa in sets() {
                    let launch = Launch { lane_order: order, ..launch([2, 1, 1], width) };
                    match compare(&module, &launch, &buffers(&[2048]), isa) {
                        Outcome::Same => {}
                        Outcome::Fallback(_) if order != LaneOrder::Linear => {}
                        other => panic!("{size}, {order:?}, {width}, {isa:?}: {other:?}"),
                    }
                }
            }
        }
    }
}

/// Programs that cannot tell the width of their waves are the same code at all widths; of others the bits are the same.
#[test]
fn a_width_that_nobody_sees_makes_no_difference() {
    let unseen = [
        "Out[t] = t * 3 + (In[t ^ 5] >> 2);",
        "Out[t / 3] = t;",
        "Out[t] = Out[t] * 2 + 1; if (t & 4) Out[t] += t;",
        "uint n = In[t] & 15, s = 0; while (n > 0) { s += n * t; n--; } Out[t] = s;",
        "switch (t % 5) { case 1: Out[t] = 7; break; case 2: Out[t] += 3; default: Out[t] = t; }",
    ];
    let seen = [
        "Out[t] = Out[t + 1] + 1;",
        "Out[t & 31] = t; Out[t] += 1;",
        "for (uint i = 0; i < 3; i++) Out[(t + i) & 63] = t * 10 + i;",
        "for (uint i = 0; i < 3; i++) { uint at = t + 16 * i; Out[at] = Out[at] + t; }",
        "Out[t * 0x80000000] += t;",
        "Out[t] = WaveGetLaneIndex();",
        "InterlockedAdd(Out[0], 1, Out[t]);",
        "Out[t] = t; Out[255 - t] = 9;",
    ];
    for (is_unseen, body) in
        unseen.map(|it| (true, it)).into_iter().chain(seen.map(|it| (false, it)))
    {
        let module = module(&format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In;
            [numthreads(128, 1, 1)] void main(uint t : SV_DispatchThreadID) {{ {body} }}"
        ));
        let shared = Arc::new(module.clone());
        let sizes: Vec<usize> = module.resources.iter().map(|_| 1024).collect();
        for isa in sets() {
            // Loops pay for their turns as waves of the width that was asked for would: all else is the same.
            let code = |width| cpu::compile(&shared, isa, width).unwrap().bytes().len();
            assert_eq!(code(4) == code(32) && code(32) == code(128), is_unseen, "{body}");
            for width in WIDTHS {
                let launch = launch([2, 1, 1], width);
                let outcome = compare(&module, &launch, &buffers(&sizes), isa);
                assert!(
                    matches!(outcome, Outcome::Same),
                    "{body} at {width}, {isa:?}: {outcome:?}"
                );
            }
        }
    }
}

/// Stores by a lane that is known, by one that is not, and by some.
#[test]
fn stores_of_single_lanes_are_those_of_all() {
    let bodies = [
        "float s = WaveActiveSum(asfloat(In[t] << 20)); if (WaveIsFirstLane()) Out[t / WaveGetLaneCount()] = asuint(s);",
        "if (In[t] & 1) { uint s = WaveActiveSum(t); if (WaveIsFirstLane()) Out[t] = s; }",
        "if (WaveGetLaneIndex() == 3) Out[In[t] & 127] = t;",
        "if (WaveIsFirstLane()) Out[In[t] - 40] = t * t;",
        "if (WaveGetLaneIndex() == 2) Out2[t & 15] = uint3(t, 5, In[t]);",
        "if (In[t] % 7 == 0) Out[In[t] * 3 & 127] = t;",
        "Out[In[t] & 63] = t;",
        "if (WaveGetLaneIndex() < 2) Bytes.Store(4 * (t % 9) + (t & 1), t);",
    ];
    for threads in [64, 40] {
        for body in bodies {
            let module = module(&format!(
                "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In;
                RWStructuredBuffer<uint3> Out2; RWByteAddressBuffer Bytes;
                [numthreads({threads}, 1, 1)] void main(uint t : SV_DispatchThreadID) {{ {body} }}"
            ));
            let sizes: Vec<usize> = module.resources.iter().map(|_| 480).collect();
            for isa in sets() {
                for width in WIDTHS {
                    let outcome =
                        compare(&module, &launch([2, 1, 1], width), &buffers(&sizes), isa);
                    let same = matches!(outcome, Outcome::Same);
                    assert!(same, "{threads}: {body} at {width}, {isa:?}: {outcome:?}");
                }
            }
        }
    }
}

/// Divisors that are powers of two, some of whose reciprocals are no normal numbers.
#[test]
fn division_by_powers_of_two_rounds_as_division_does() {
    let divisors = [
        "2.0",
        "-0.25",
        "1.0",
        "1.7014118346046923e38",
        "-8.507059173023462e37",
        "1.1754943508222875e-38",
        "5.877471754111438e-39",
        "1.401298464324817e-45",
        "3.0",
        "0.0",
        "-0.0",
        "1.0e39",
    ];
    for divisor in divisors {
        let module = module(&format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In;
            [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) {{
                uint bits = In[t] * 0x9e3779b1 << (t & 7);
                if (t % 9 == 0) bits = 0x7f800000 | t >> 5; if (t % 9 == 1) bits = 0x80000001 + t;
                Out[t] = asuint(asfloat(bits) / {divisor});
            }}"
        ));
        for isa in sets() {
            let outcome = compare(&module, &launch([4, 1, 1], 16), &buffers(&[1024, 1024]), isa);
            assert!(matches!(outcome, Outcome::Same), "{divisor}, {isa:?}: {outcome:?}");
        }
    }
}
