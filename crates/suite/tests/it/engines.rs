//! The fast engine agrees with the reference engine, bit for bit.
//!
//! The whole suite at all its widths, none of it left to the reference engine, and generated programs. Vectors that are
//! not the widest of the machine get two widths of each section, others for the next section.
//! `ENGINES=text` runs only the sections whose names contain the text.
#![allow(clippy::print_stdout, reason = "shows what falls back")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cpu::{Isa, Stopped};
use generate::Statistics;
use ir::ResourceKind;
use ir::exec::{
    Bindings, Buffer, ElementFormat, Failure, FormatScalar, LaneOrder, Launch, TooLarge, Trap,
};
use legalize::{Target, legalize};
use suite::engines::{Outcome, Programs, buffers, compare, launch, sets, try_seed};
use suite::run::{self, module};
use suite::section::WIDTHS;

/// Of each kind; `cargo xtask fuzz --engines` runs as many as you like.
const PROGRAMS: u64 = 1000;
/// Of those that use up their fuel on both engines.
const ENDLESS_PROGRAMS: u64 = 60;

fn suite_agrees(isa: Isa) {
    let filter = std::env::var("ENGINES").unwrap_or_default();
    let (mut runs, mut fallbacks, mut wrong) = (0, BTreeMap::<String, u32>::new(), Vec::new());
    let mut without_inputs = Vec::new();
    let is_widest = isa == Isa::Avx512 || Isa::Avx512.missing().is_some();
    for (number, file) in suite::files(&suite::folder()).iter().enumerate() {
        for (turn, section) in suite::read(file).unwrap().into_iter().enumerate() {
            if !section.name.contains(&filter) {
                continue;
            }
            if section.fails() {
                continue;
            }
            let widths = match is_widest || !filter.is_empty() {
                true => section.widths.clone(),
                false => suite::two_widths(&section, turn + number),
            };
            for width in widths {
                let Some(module) = run::compile(&section, width).unwrap().module else { continue };
                // Shaders of draws only compile here.
                if module.io.is_some() {
                    continue;
                }
                let Ok(bindings) = run::inputs(&section, &module) else {
                    without_inputs.push(section.name.clone());
                    continue;
                };
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
    without_inputs.dedup();
    println!("no inputs, so that they only compile: {without_inputs:?}");
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

/// Every section on the fast engine, regardless of its size: `wavelane test suite` leaves small ones to the reference
/// engine.
fn suite_agrees_if_possible(isa: Isa) {
    match isa.missing() {
        None => suite_agrees(isa),
        Some(missing) => skipped::skipped!("{}: {missing}", isa.name()),
    }
}

#[test]
fn the_suite_gives_the_same_bits_with_avx512() {
    suite_agrees_if_possible(Isa::Avx512);
}

#[test]
fn the_suite_gives_the_same_bits_with_avx2() {
    suite_agrees_if_possible(Isa::Avx2);
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

#[test]
fn endless_programs_are_reported_alike() {
    let mut statistics = Statistics::default();
    for seed in 0..ENDLESS_PROGRAMS {
        if let Err(what) = try_seed(Programs::Endless, seed, &mut statistics) {
            panic!("{what}");
        }
    }
}

/// Whatever the index, stride and size: the results of the reference engine, and no access outside.
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
        "t / 4",
        "(t & 7) + (t >> 3) * 8 - 9",
        "t / 8 * 4 + 0x3ffffff8",
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

/// Each wave waits for all later ones: a deadlock if waves ran to their ends one by one.
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
                bindings: vec![vec![Buffer { bytes: vec![0; 256].into(), ..Buffer::default() }]],
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
        let mut bindings = Bindings {
            bindings: vec![vec![Buffer { bytes: vec![0; 256].into(), ..Buffer::default() }]],
        };
        let mut launch = launch([3, 1, 1], 32);
        launch.fuel = Some(100_000);
        let result = cpu::compile(&module, isa, 32).unwrap().run(&launch, &mut bindings, 1);
        let Err(Stopped::Failure(Failure::Trap(Trap::OutOfFuel { .. }))) = result else {
            panic!("{isa:?}: {result:?}")
        };
    }
}

/// Between two waves, the end of the first is where the fuel has run out.
#[test]
fn fuel_that_runs_out_between_waves_does_so_at_the_end_of_one() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) {
            uint sum = Out[t];
            for (uint i = 0; i < (t & 3); ++i) sum += i * sum;
            Out[t] = sum;
        }";
    let compiled = run::compile_text("test.hlsl", text, &run::options(&[]).unwrap());
    let module = Arc::new(compiled.module.unwrap());
    for isa in sets() {
        let mut launch = launch([1000, 1, 1], 32);
        launch.fuel = Some(1000);
        let program = cpu::compile(&module, isa, 32).unwrap();
        let result = program.run(&launch, &mut buffers(&[4 * 64]), 1);
        let Err(Stopped::Failure(Failure::Trap(Trap::OutOfFuel { span }))) = result else {
            panic!("{isa:?}: {result:?}")
        };
        let line = compiled.sources.location(span).map(|it| it.line);
        assert!(line.is_some_and(|it| it >= 5), "{isa:?}: {line:?}");
    }
}

/// A loop that is unrolled may hold one that no lane leaves, whatever round it is entered in.
#[test]
fn unrolled_loops_around_endless_ones_are_compiled() {
    let bodies = [
        "for (uint k = 0; k < 4; k++) { Out[t] += k; while (true) {} }",
        "for (uint k = 0; k < 4; k++) { Out[t] += k; if (k == 2) { for (;;) {} } }",
        "for (uint k = 0; k < 4; k++) { while (true) { if (k > 5) break; } Out[t] = k; }",
        "for (uint k = 0; k < 4; k++) { Out[t] += k; while (true) { if (k == 1) return; } }",
        "uint sum = 0; for (uint k = 0; k < 3; k++) { do { sum += k; } while (k == 1); } Out[t] = sum;",
    ];
    for body in bodies {
        let module = module(&format!(
            "RWStructuredBuffer<uint> Out;
            [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {{ {body} }}"
        ));
        for isa in sets() {
            for width in WIDTHS {
                let mut launch = launch([2, 1, 1], width);
                launch.fuel = Some(100_000);
                let outcome = compare(&module, &launch, &buffers(&[256]), isa);
                assert_eq!(outcome, Outcome::Same, "{body} at {width}, {isa:?}");
            }
        }
    }
}

/// The engine either computes other lane orders correctly, or leaves them to the reference engine.
#[test]
fn lanes_in_any_order_run_the_right_threads() {
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

/// Programs that cannot observe the wave width have the same code at all widths; others have the same results.
#[test]
fn an_unobservable_width_makes_no_difference() {
    let unobservable = [
        "Out[t] = t * 3 + (In[t ^ 5] >> 2);",
        "Out[t / 3] = t;",
        "Out[t] = Out[t] * 2 + 1; if (t & 4) Out[t] += t;",
        "uint n = In[t] & 15, s = 0; while (n > 0) { s += n * t; n--; } Out[t] = s;",
        "switch (t % 5) { case 1: Out[t] = 7; break; case 2: Out[t] += 3; default: Out[t] = t; }",
        // Additions that cannot be observed one by one: by all lanes, some, out of bounds, of varying values, and in a
        // loop.
        "InterlockedAdd(Out[In[t] & 15], 1);",
        "if (In[t] & 1) InterlockedAdd(Out[In[t] & 15], t);",
        "InterlockedAdd(Out[In[t] & 511], In[t]);",
        "for (uint i = 0; i < (t & 3); i++) InterlockedAdd(Out[t * i & 255], i);",
    ];
    let observable = [
        "Out[t] = Out[t + 1] + 1;",
        "Out[t & 31] = t; Out[t] += 1;",
        "for (uint i = 0; i < 3; i++) Out[(t + i) & 63] = t * 10 + i;",
        "for (uint i = 0; i < 3; i++) { uint at = t + 16 * i; Out[at] = Out[at] + t; }",
        "Out[t * 0x80000000] += t;",
        "Out[t] = WaveGetLaneIndex();",
        "InterlockedAdd(Out[0], 1, Out[t]);",
        "Out[t] = t; Out[255 - t] = 9;",
        "InterlockedAdd(Out[t & 15], 1); Out[64 + t] = Out[0];",
        "InterlockedXor(Out[t & 15], 1);",
    ];
    for (is_unobservable, body) in
        unobservable.map(|it| (true, it)).into_iter().chain(observable.map(|it| (false, it)))
    {
        let module = module(&format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In;
            [numthreads(128, 1, 1)] void main(uint t : SV_DispatchThreadID) {{ {body} }}"
        ));
        let shared = Arc::new(module.clone());
        let sizes: Vec<usize> = module.resources.iter().map(|_| 1024).collect();
        for isa in sets() {
            // The turns of loops are counted as for waves of the requested width: all else is the same.
            let code = |width| cpu::compile(&shared, isa, width).unwrap().bytes().len();
            assert_eq!(code(4) == code(32) && code(32) == code(128), is_unobservable, "{body}");
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

/// Code beyond the limit is given up, also in a loop that is unrolled, alone and for all waves of a group together.
#[test]
fn programs_that_are_too_large_are_left_to_the_reference() {
    let large = "y = (y * 5 + t) ^ (y >> 7) ^ (y << 3);\n".repeat(5000);
    let large = format!("uint64_t y = t + WaveGetLaneIndex(); {large} float x = uint(y);");
    let bodies = [
        format!("{large} for (uint i = 0; i < 4; i++) {{ if (i == 3) break; x += i; }} Out[t] = asuint(x);"),
        format!(
            "{large} for (uint i = 0; i < 4; i++) {{ tile[t] = asuint(x); GroupMemoryBarrierWithGroupSync();
            x += tile[t ^ i]; GroupMemoryBarrierWithGroupSync(); }} Out[t] = asuint(x);"
        ),
    ];
    for body in bodies {
        let module = Arc::new(module(&format!(
            "RWStructuredBuffer<uint> Out; groupshared uint tile[256];
            [numthreads(256, 1, 1)] void main(uint t : SV_GroupIndex) {{ {body} }}"
        )));
        for isa in sets() {
            let refused = cpu::compile(&module, isa, 128).err().map(|it| it.what);
            assert!(refused.as_ref().is_some_and(|it| it.contains("400,000")), "{refused:?}");
        }
    }
}

/// Stores by a known lane, by an unknown one, and by some.
#[test]
fn stores_of_single_lanes_match_the_reference() {
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

/// The fast engine knows which indices are neighbours, or the same, only where the arithmetic says so.
#[test]
fn indices_from_arithmetic_match_the_reference() {
    let bodies = [
        // A sum of which neither part is a multiple of the number that it is taken modulo.
        "Out[(((t & 15) + Count) << 3 & 0x78) >> 3] = t;",
        "Out[(((t & 7) + Count) << 3 & 0x38) >> 3] = t;",
        "Out[t] = In[(((t & 15) + Count) << 3 & 0x78) >> 3];",
        "Out[t] = In[(((t & 7) + Count) << 3 & 0x38) >> 3];",
        "Out[t] = In[((t & 16) + Count) << 1 & 63];",
        "Out[t] = In[((t & 8) + Count) << 1 & 31];",
        // Operations whose pattern is unknown.
        "Out[t] = In[max(t & 15, 16)];",
        "Out[t] = In[max(t & 7, 8)];",
        "Out[max(t & 7, 8)] = t;",
        "Out[t] = In[min((t & 15) + Count, 5)];",
        "Out[t] = In[(int(t & 15) + 8) % 16];",
        "Out[t] = In[(t & 15) ^ 8];",
        "tile[max(t & 7, 8)] = t; Out[t] = tile[t & 15];",
        "tile[t & 31] = t; Out[t] = tile[max(t & 15, 16)];",
        "tile[(((t & 15) + Count) << 3 & 0x78) >> 3] = t; Out[t] = tile[t & 15];",
    ];
    for body in bodies {
        let module = module(&format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In; groupshared uint tile[64];
            cbuffer Constants {{ uint Count; }}
            [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {{ {body} }}"
        ));
        let sizes: Vec<usize> = module.resources.iter().map(|_| 480).collect();
        let mut before = buffers(&sizes);
        for (resource, buffers) in module.resources.iter().zip(&mut before.bindings) {
            if matches!(resource.kind, ResourceKind::Constant { .. }) {
                buffers[0].bytes =
                    [28u32, 0, 0, 0].into_iter().flat_map(u32::to_le_bytes).collect();
            }
        }
        for isa in sets() {
            for width in WIDTHS {
                let outcome = compare(&module, &launch([2, 1, 1], width), &before, isa);
                assert_eq!(outcome, Outcome::Same, "{body} at {width}, {isa:?}");
            }
        }
    }
}

/// The engine also runs what `legalize` makes for GPUs: accesses whose bounds have been checked, by their condition.
#[test]
fn checked_accesses_match_the_reference() {
    let text = "RWByteAddressBuffer Bytes; RWStructuredBuffer<uint2> Pairs; RWBuffer<uint> Texels;
        [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {
            uint sum = Bytes.Load(4 * t) + Pairs[t].y + Texels[t];
            Bytes.Store(4 * (t ^ 1), sum);
            Pairs[t ^ 2].x = sum;
            Texels[t ^ 3] = sum;
            Bytes.InterlockedAdd(8 * t, 5);
        }";
    // Texels, and the bytes of texels of one byte.
    let bytes = ElementFormat { scalar: FormatScalar::Uint8, components: 1 };
    for (target, texel) in [
        (Target::vulkan(true, true), "[within 0 "),
        (Target::cuda().with_formats(vec![Some(bytes); 3]), "[within 1 "),
    ] {
        let checked = legalize(&module(text), &target);
        assert!(ir::text::print(&checked).contains("[within 4 "));
        assert!(ir::text::print(&checked).contains(texel));
        for isa in sets() {
            for width in WIDTHS {
                let outcome =
                    compare(&checked, &launch([1, 1, 1], width), &buffers(&[150, 300, 128]), isa);
                assert_eq!(outcome, Outcome::Same, "{texel} at {width}, {isa:?}");
            }
        }
    }
}

/// Divisors that are powers of two, some of whose reciprocals are not normal numbers.
#[test]
fn division_by_powers_of_two_rounds_like_division() {
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

/// Arithmetic gives the canonical NaN, and nothing else changes: of each class of numbers, and at both sizes.
#[test]
fn only_nans_become_canonical() {
    let module = module(
        "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In; RWStructuredBuffer<uint2> Out2;
        static const uint KINDS[12] = { 0, 1, 0x007fffff, 0x00800000, 0x3f800000, 0x40490fdb, 0x7f7fffff,
            0x7f800000, 0x7f800001, 0x7fc00000, 0x7fc12345, 0x7fffffff };
        [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) {
            uint sign = t & 1 ? 0x80000000 : 0, kind = KINDS[(t >> 1) % 12];
            // Adding negative zero changes no number, and the compiler does not use that.
            float zero = asfloat(In[t] | 0x80000000);
            Out[t] = asuint(asfloat(sign | kind) + (In[t] == 0 ? zero : asfloat(0x80000000)));
            uint high = kind >> 3 | (kind >= 0x7f800000 ? 0x7ff00000 : 0);
            uint low = kind << 29;
            double sum = asdouble(low, sign | high) + asdouble(0, 0x80000000);
            uint2 bits; asuint(sum, bits.x, bits.y);
            Out2[t] = bits;
        }",
    );
    for isa in sets() {
        for width in [4, 16, 32, 128] {
            let outcome =
                compare(&module, &launch([4, 1, 1], width), &buffers(&[1024, 1024, 2048]), isa);
            assert!(matches!(outcome, Outcome::Same), "{isa:?} at {width}: {outcome:?}");
        }
    }
}

/// Roots in programs that wait for the divider and in others, where it computes them differently.
#[test]
fn square_roots_are_those_of_the_reference() {
    let few = "x = sqrt(x);";
    let among = "float y = sqrt(x); x = y * x + t; x = x * x - y; x = x * y + 3; x = x * x * y;
        x = x - y * x; x = x * 7 + y; x = x * x + y * 5; x = x * y * 2 + x * 11;";
    let many = "[unroll] for (int i = 0; i < 6; i++) x = sqrt(x * 1.7 + x / 3);";
    for body in [few, among, many] {
        let module = module(&format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In;
            [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) {{
                uint bits = (In[t] + t) * 0x9e3779b1 >> (t & 1);
                if (t % 9 == 0) bits = 0x7f800000 | t >> 5; if (t % 9 == 1) bits = t & 6 ? t : 0x80000000;
                float x = asfloat(bits);
                {body}
                Out[t] = asuint(x);
            }}"
        ));
        for isa in sets() {
            for width in [16, 32, 64] {
                let (launch, buffers) = (launch([16, 1, 1], width), buffers(&[4096, 4096]));
                let outcome = compare(&module, &launch, &buffers, isa);
                assert!(matches!(outcome, Outcome::Same), "{body}, {isa:?}: {outcome:?}");
            }
        }
    }
}

/// Loops without an exit, anywhere: both engines say that there is no end, and in which loop.
#[test]
fn loops_without_an_exit_are_reported_by_both_engines() {
    let helpers = "uint forever(uint x) { while (true) {} return x; }
        void count() { for (;;) Out[0]++; }
        uint deep(uint x) { { { for (;;) { if (x == 3) { while (true) {} } } } } return forever(x); }";
    let loops = ["while (true) {}", "for (;;) Out[0]++;"];
    let shapes = [
        "@",
        "@ Out[1] = t;",
        "{ { @ } } Out[1] = t;",
        "if (t < 3) { @ } Out[1] = t;",
        "if (t < 3) { Out[2] = 1; } else { @ } Out[1] = t;",
        "if (Out[0] == 0) { @ } Out[1] = t;",
        "for (uint i = 0; i < 3; i++) { @ Out[1] = i; }",
        "while (true) { if (t == 1) { @ } }",
        "while (true) { @ }",
        "switch (t) { case 0: @ break; default: Out[1] = 1; } Out[2] = 1;",
        "switch (t) { case 0: { @ } case 1: Out[1] = 1; break; default: { @ } }",
        "uint x = t; do { x++; @ } while (x < 9); Out[1] = x;",
        "tile[t] = t; GroupMemoryBarrierWithGroupSync(); @ Out[1] = tile[3];",
        "if (t == 70) return; @ Out[1] = t;",
        "Out[1] = forever(t);",
        "count(); Out[1] = t;",
        "Out[1] = deep(t);",
        "if (t > 5) Out[1] = forever(t) + t; Out[2] = 3;",
    ];
    for (shape, own) in shapes.iter().flat_map(|it| loops.map(|own| (it, own))) {
        let body = shape.replace('@', own);
        let text = format!(
            "RWStructuredBuffer<uint> Out; groupshared uint tile[64]; {helpers}
            [numthreads(40, 1, 1)] void main(uint t : SV_GroupIndex) {{ {body} }}"
        );
        let module = module(&text);
        let before = Bindings {
            bindings: vec![vec![Buffer { bytes: vec![0; 64].into(), ..Buffer::default() }]],
        };
        let mut module = module;
        module.resources.truncate(1);
        for width in [8, 128] {
            let launch = Launch { fuel: Some(60_000), ..launch([2, 1, 1], width) };
            let mut wanted = before.clone();
            let reference = interp::run(&module, &launch, &mut wanted, &mut interp::NoObserver);
            let Err(Failure::Trap(Trap::OutOfFuel { .. } | Trap::Deadlock { .. })) = reference
            else {
                panic!("{body}: {reference:?}")
            };
            for isa in sets() {
                let outcome = compare(&module, &launch, &before, isa);
                assert_eq!(outcome, Outcome::Same, "{body} at {width}, {isa:?}");
            }
        }
    }
}

/// What waves see of each other while they loop depends on the length of a turn: it is the same on both engines,
/// regardless of the form of the loops and of whether machine code unrolls them.
#[test]
fn waves_that_wait_for_each_other_take_turns_of_the_same_length() {
    let watch = "uint rounds = 0;
        while (Out[1 - wave] < 5 * # && rounds < 6 * #) { @ Out[wave] = ++rounds; }
        Out[2 + wave] = rounds;";
    let inside = [
        "",
        "for (uint i = 0; i < 3; i++) Out[4] += i;",
        "for (uint i = 0; i < (rounds & 3); i++) Out[4] += i;",
        "for (uint i = 0; i < WaveGetLaneCount() / 4; i++) Out[4] += i;",
        "for (uint i = 0; i < 70; i++) Out[4] += i;",
        "if ((rounds & 7) == 1) continue_here = 1; uint k = 2; while (k-- > 0) { if (t & 1) Out[5]++; }",
        "for (uint i = 0; i < 2; i++) for (uint j = 0; j < 3; j++) Out[4] ^= i + j;",
        "for (uint i = 2; i <= 8; i *= 2) for (uint j = i / 2; j > 0; j /= 2) Out[4] ^= i + j;",
        "for (uint i = 2; i <= rounds % 9; i *= 2) for (uint j = i / 2; j > 0; j /= 2) Out[4] ^= j;",
    ];
    let around = ["", "tile[t & 63] = t; GroupMemoryBarrierWithGroupSync();"];
    let all =
        (0..).zip(inside).flat_map(|(number, it)| [0, 1].map(|with| (number + with, with, it)));
    for (number, with, inside) in all {
        // Each loop at both widths, and with a barrier at one of them.
        let (around, width) = (around[with], [4, 64][number % 2]);
        // Long inner loops end turns sooner.
        let most = if inside.contains("70") { "20" } else { "1000" };
        let body = watch.replace('@', inside).replace('#', most);
        let text = format!(
            "RWStructuredBuffer<uint> Out; groupshared uint tile[64];
            [numthreads({}, 1, 1)] void main(uint t : SV_GroupIndex, uint3 g : SV_GroupID) {{
                uint wave = t / {width}, continue_here = 0; {around} {body}
            }}",
            2 * width
        );
        let module = module(&text);
        let before = buffers(&[64]);
        let mut zero = before.clone();
        zero.bindings[0][0].bytes.fill(0);
        for isa in sets() {
            // The second group starts when the first one is stuck, or has ended.
            let outcome = compare(&module, &launch([2, 1, 1], width), &zero, isa);
            assert_eq!(outcome, Outcome::Same, "{inside} {around} at {width}, {isa:?}");
        }
    }
}

/// Local arrays that exceed the limit are refused by name before anything is allocated.
#[test]
fn oversized_local_arrays_are_refused_with_their_declaration() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(1, 1, 1)] void main(uint t : SV_GroupIndex) {
            uint small[2] = { 1, 2 };
            uint a[4194304];
            a[Out[0]] = 1;
            Out[0] = a[Out[1]] + small[Out[2]];
        }";
    let module = Arc::new(module(text));
    for (width, fits) in [(4, true), (32, false), (128, false)] {
        let launch = launch([1, 1, 1], width);
        let mut bindings = buffers(&[64]);
        let result = interp::run(&module, &launch, &mut bindings, &mut interp::NoObserver);
        if fits {
            assert_eq!(result, Ok(()), "{width}");
            for isa in sets() {
                assert_eq!(compare(&module, &launch, &buffers(&[64]), isa), Outcome::Same);
            }
            continue;
        }
        let Err(Failure::TooLarge(what)) = result else { panic!("{width}: {result:?}") };
        assert!(text[what.span.lo as usize..].starts_with("a[4194304]"), "{what:?}");
        let TooLarge { bytes, most, .. } = what;
        assert_eq!((bytes, most), (16 << 20, (1 << 28) / u64::from(width)));
        assert!(
            what.to_string().starts_with("`a` takes 16,777,216 bytes in each thread"),
            "{what}"
        );
        for isa in sets() {
            // Left to the reference engine, which says the same.
            let fallback = cpu::compile(&module, isa, width).err().unwrap();
            assert_eq!(fallback.what, what.to_string());
        }
    }
}

/// A group whose frames exceed the memory limit does not run, and allocates nothing.
#[test]
fn a_group_whose_frames_take_too_much_is_not_run() {
    let text = "RWStructuredBuffer<uint> Out; groupshared uint tile[64];
        [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {
            tile[t & 63] = t; GroupMemoryBarrierWithGroupSync(); Out[t] = tile[3];
        }";
    let mut module = module(text);
    module.group_size = [1 << 16, 1, 1];
    // Each buffer has a slot in every frame.
    let one = module.resources[0].clone();
    module.resources.extend(std::iter::repeat_n(one, 6000));
    let module = Arc::new(module);
    for isa in sets() {
        let mut bindings = buffers(&[64]);
        bindings.bindings.resize(module.resources.len(), bindings.bindings[0].clone());
        let result =
            cpu::compile(&module, isa, 4).unwrap().run(&launch([1, 1, 1], 4), &mut bindings, 1);
        let Err(Stopped::Failure(Failure::Trap(Trap::OutOfMemory { .. }))) = result else {
            panic!("{isa:?}: {result:?}")
        };
    }
}

/// A turn begins anew behind a barrier, so that a loop with a barrier in it never ends one by going round: it is paid
/// for at the barrier.
#[test]
fn a_loop_with_a_barrier_spends_fuel_and_is_cancelled() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {
            while (Out[0] == 0) AllMemoryBarrierWithGroupSync();
            Out[t] = 1;
        }";
    let module = Arc::new(module(text));
    let bounded = Launch { fuel: Some(200_000), ..launch([2, 1, 1], 16) };
    let cancel = Some(Arc::new(AtomicBool::new(true)));
    let cancelled = Launch { cancel, fuel: None, ..launch([2, 1, 1], 16) };
    for isa in sets() {
        let program = cpu::compile(&module, isa, 16).unwrap();
        let run = |launch| {
            let mut zero = buffers(&[64]);
            zero.bindings[0][0].bytes.fill(0);
            program.run(launch, &mut zero, 1)
        };
        let Err(Stopped::Failure(Failure::Trap(Trap::OutOfFuel { span }))) = run(&bounded) else {
            panic!("{isa:?}: no end for want of fuel")
        };
        assert!(text[span.lo as usize..].starts_with("AllMemoryBarrier"), "{span:?}");
        let Err(Stopped::Failure(Failure::Trap(Trap::Cancelled { .. }))) = run(&cancelled) else {
            panic!("{isa:?}: not cancelled")
        };
    }
}

/// Rounds do not count of loops that machine code writes out: those of which constants say how long they are, be it in
/// each round of a loop around them. The bench kernel that sorts has such a nest.
#[test]
fn loops_that_constants_decide_are_short() {
    let nests = [
        (
            "for (uint i = 2; i <= WaveGetLaneCount(); i *= 2) for (uint j = i / 2; j > 0; j /= 2)",
            2,
        ),
        ("for (uint i = 2; i <= 8; i *= 2) for (uint j = i / 2; j > Out[1]; j /= 2)", 1),
        ("for (uint i = 2; i <= Out[1]; i *= 2) for (uint j = i / 2; j > 0; j /= 2)", 0),
        ("for (uint i = 2; i <= Out[1]; i *= 2) for (uint j = 4; j > 0; j /= 2)", 1),
        // One round of the outer loop is enough to make the inner one long.
        ("for (uint i = 0; i < 5; i++) for (uint j = 0; j < (i == 3 ? 1000 : 2); j++)", 1),
        (
            "for (uint h = 1; h < 4; h++) for (uint i = h; i < 4; i++) for (uint j = i; j < 5; j++)",
            3,
        ),
    ];
    for (nest, count) in nests {
        let text = format!(
            "RWStructuredBuffer<uint> Out;
            [numthreads(32, 1, 1)] void main(uint t : SV_GroupIndex) {{ {nest} Out[t] ^= i + j; }}"
        );
        assert_eq!(ir::turns::short_loops(&module(&text), 32).len(), count, "{nest}");
    }
}
