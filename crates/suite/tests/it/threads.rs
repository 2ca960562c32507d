//! Several threads leave what one thread leaves on the fast engine: where waves share a counter, add up, wait for each
//! other, or fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cpu::Stopped;
use generate::Statistics;
use ir::Module;
use ir::exec::{Bindings, Buffer, Failure, Launch, Trap};
use suite::engines::{Outcome, Programs, buffers, compare, compare_on, launch, sets, try_seed};
use suite::run::{self, module};
use suite::section::WIDTHS;

/// Generated programs, which take thousands of waves.
const ORDERED_PROGRAMS: u64 = 60;

/// Left out: what the sanitizer finds to depend on the order of waves by more than the results of atomic operations,
/// and programs whose groups communicate while they run.
#[test]
fn the_suite_gives_the_same_bits_on_several_threads() {
    let (mut runs, mut wrong) = (0, Vec::new());
    let sections =
        suite::files(&suite::folder()).into_iter().flat_map(|it| suite::read(&it).unwrap());
    for (number, section) in sections.enumerate() {
        if section.must_find("race") || section.must_find("order-dependent-result") {
            continue;
        }
        // Widths, threads and instruction sets take turns.
        let (widths, isas) = (&section.widths, sets());
        let (Some(width), Some(isa)) = (
            widths.get(number % widths.len().max(1)).copied(),
            isas.get(number % isas.len().max(1)).copied(),
        ) else {
            continue;
        };
        let threads = 2 + number % 15;
        let compiled = run::compile(&section, width).ok().and_then(|it| it.module);
        let Some(module) = compiled.filter(|it| it.io.is_none()) else { continue };
        let Ok(bindings) = run::inputs(&section, &module) else { continue };
        let made = cpu::compile(&Arc::new(module.clone()), isa, width).ok();
        let order = made.and_then(|it| it.order(threads)).unwrap_or_default();
        if order.contains("in no fixed order") {
            continue;
        }
        let launch = run::launch(&section, &module, width);
        runs += 1;
        let outcome = compare_on(&module, &launch, &bindings, isa, threads);
        if outcome != Outcome::Same {
            wrong.push(format!("{} at {width} on {threads}: {outcome:?}", section.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {runs} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(sets().is_empty() || runs > 1000, "{runs}");
}

/// A thread that waits for long leaves its waves to the others; the last of these runs them, whatever it was doing.
#[test]
fn waves_that_a_thread_has_left_to_others_are_not_lost() {
    // A group that opens barriers makes progress, so that its thread does not look for what others have left. Group 0
    // waits only after a while, when the other thread has certainly taken group 1.
    let text = "globallycoherent RWStructuredBuffer<uint> Out; groupshared uint tile[64];
        [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
            uint seen = 0, sum = t, rounds = g == 0 ? 100000 : 1000000;
            for (uint i = 0; i < rounds; ++i) {
                tile[t] = sum;
                GroupMemoryBarrierWithGroupSync();
                sum = sum * 5 + tile[63 - t];
                GroupMemoryBarrierWithGroupSync();
            }
            Out[2 + g] = sum;
            if (t == 0) {
                if (g == 1) InterlockedAdd(Out[0], 1, seen);
                while (seen == 0 && g == 0) InterlockedAdd(Out[0], 0, seen);
                InterlockedAdd(Out[1], 1, seen);
            }
        }";
    let module = Arc::new(module(text));
    for isa in sets() {
        let mut bindings = Bindings {
            bindings: vec![vec![Buffer { bytes: vec![0; 256].into(), ..Buffer::default() }]],
        };
        let program = cpu::compile(&module, isa, 32).unwrap();
        program.run(&launch([2, 1, 1], 32), &mut bindings, 2).unwrap();
        assert_eq!(bindings.bindings[0][0].bytes[4..8], [2, 0, 0, 0], "{isa:?}");
    }
}

#[test]
fn thread_counts_do_not_matter_where_the_order_does_not() {
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

/// Each team of waves may add to its own copy: the total is the same, for buffers of any size.
#[test]
fn additions_with_unused_results_add_up() {
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

/// Programs with one reservation, which several threads run in the canonical order.
#[test]
fn generated_programs_keep_the_order_of_waves_on_several_threads() {
    let mut statistics = Statistics::default();
    for seed in 0..ORDERED_PROGRAMS {
        if let Err(what) = try_seed(Programs::Ordered, seed, &mut statistics) {
            panic!("{what}");
        }
    }
}

const COMPACT: &str = "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Count;
    [numthreads(64, 1, 1)] void main(uint3 d : SV_DispatchThreadID) {
        bool keep = (d.x * 0x9e3779b1 >> 8 & 1) != 0;
        uint kept = WaveActiveCountBits(keep), before = WavePrefixCountBits(keep), start = 0;
        if (WaveIsFirstLane()) InterlockedAdd(Count[0], kept, start);
        start = WaveReadLaneFirst(start);
        if (keep) Out[start + before] = d.x;
    }";

/// A counter that all waves add to, at every width and number of threads.
#[test]
fn a_compaction_keeps_its_order_on_every_number_of_threads() {
    let module = Arc::new(module(COMPACT));
    let all = WIDTHS.into_iter().flat_map(|width| sets().into_iter().map(move |isa| (width, isa)));
    for (width, isa) in all {
        let program = cpu::compile(&module, isa, width).unwrap();
        assert_eq!(program.order(2), None);
        let groups = 5000 * width.div_ceil(64);
        let run = |threads, groups| {
            let mut bindings = buffers(&[4 * 64 * groups as usize, 4]);
            program.run(&launch([groups, 1, 1], width), &mut bindings, threads).unwrap();
            bindings
        };
        assert_eq!(run(3, 0), run(1, 0), "an empty dispatch");
        let one = run(1, groups);
        for threads in 2..=16 {
            assert!(run(threads, groups) == one, "{width}, {isa:?}, {threads} threads");
        }
    }
}

/// Each program breaks one condition of the split, or none.
#[test]
fn programs_that_cannot_be_split_say_why() {
    let add = "InterlockedAdd(Count[0], x, old);";
    let programs = [
        (add.to_owned(), None),
        (format!("Out[x] = 3; {add}"), None),
        (format!("uint y; InterlockedAdd(Most[x & 3], 1); {add}"), None),
        (format!("for (uint i = 0; i < In[x]; i++) x += In[i]; {add}"), None),
        ("if (In[x] == 3) Done.Append(x);".to_owned(), None),
        (format!("for (uint i = 0; i < x; i++) {add}"), Some("the counter changes in a loop")),
        (format!("do {{ if (x == 7) {add} x--; }} while (x > 3);"), Some("changes in a loop")),
        (format!("{add} InterlockedAdd(Count[1], 1, x);"), Some("several atomic operations")),
        (format!("{add} InterlockedMax(Most[0], 1, x);"), Some("several atomic operations")),
        ("InterlockedMax(Count[0], x, old);".to_owned(), Some("not an addition")),
        ("InterlockedExchange(Count[0], x, old);".to_owned(), Some("not an addition")),
        ("InterlockedAdd(Count[x & 1], 1, old);".to_owned(), Some("at a constant address")),
        ("InterlockedAdd(Array[In[0]][0], 1, old);".to_owned(), Some("an array of buffers")),
        ("InterlockedAdd(Typed[0], 1, old);".to_owned(), Some("in a typed buffer")),
        (format!("{add} Out[x] = Count[0];"), Some("accessed in another way")),
        (format!("Count[5] = x; {add}"), Some("accessed in another way")),
        (format!("InterlockedAdd(Count[2], 1); {add}"), Some("accessed in another way")),
        ("old = List.IncrementCounter(); List[old] = x;".to_owned(), None),
        (
            "old = x & 1 ? List.IncrementCounter() : List.DecrementCounter();".to_owned(),
            Some("several"),
        ),
        (format!("x += Out[x]; Out[x] = 1; {add}"), Some("a buffer that it also writes")),
        (format!("InterlockedMin(Most[1], x); x += Most[0]; {add}"), Some("that it also writes")),
        (format!("tile[t] = x; x = tile[t ^ 1]; {add}"), Some("groupshared memory")),
        (format!("AllMemoryBarrierWithGroupSync(); {add}"), Some("barriers")),
        (format!("uint y; InterlockedExchange(Most[0], x, y); {add}"), Some("exchanges")),
    ];
    for (body, why) in programs {
        let module = Arc::new(module(&format!(
            "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Count;
            RWStructuredBuffer<uint> Most; RWStructuredBuffer<uint> List; RWBuffer<uint> Typed;
            RWStructuredBuffer<uint> Array[3]; AppendStructuredBuffer<uint> Done;
            RWStructuredBuffer<uint> Olds; groupshared uint tile[64];
            [numthreads(64, 1, 1)] void main(uint3 d : SV_DispatchThreadID, uint t : SV_GroupIndex) {{
                uint x = d.x, old = 0;
                {body}
                Olds[d.x] = old + x;
            }}"
        )));
        for isa in sets() {
            let program = cpu::compile(&module, isa, 32).unwrap();
            assert_eq!(program.order(1), None);
            let said = program.order(2);
            match (why, &said) {
                (None, None) => {}
                (Some(why), Some(said)) => assert!(said.contains(why), "{body}: {said}"),
                _ => panic!("{body}: {said:?}, not {why:?}"),
            }
        }
    }
}

/// A wave that loops for long, or for ever, before its reservation or after it: the run ends as with one thread.
#[test]
fn runs_that_fail_on_several_threads_fail_as_on_one() {
    let program = |before: &str, after: &str| {
        format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Count;
            [numthreads(64, 1, 1)] void main(uint3 d : SV_DispatchThreadID) {{
                uint x = d.x * 0x9e3779b1 >> 9, old;
                {before}
                InterlockedAdd(Count[0], x & 7, old);
                {after}
                Out[d.x] = old + x;
            }}"
        )
    };
    let rounds = "for (uint i = 0; i < (d.x == 200000 ? 100000 : 3); i++) x = x * 5 + i;";
    let endless = "while (d.x == 200000) {}";
    let fails = |result: &Result<(), Stopped>| match result {
        Ok(()) => "not at all",
        Err(Stopped::Failure(Failure::Trap(Trap::OutOfFuel { .. }))) => "out of fuel",
        Err(Stopped::Failure(Failure::Trap(Trap::Deadlock { .. }))) => "endless",
        Err(Stopped::Failure(Failure::Trap(Trap::Cancelled { .. }))) => "cancelled",
        other => panic!("{other:?}"),
    };
    let cancel = Some(Arc::new(AtomicBool::new(true)));
    for (before, after, wanted) in [
        (rounds, "", "not at all"),
        ("", rounds, "not at all"),
        (endless, "", "endless"),
        ("", endless, "endless"),
    ] {
        let module = Arc::new(module(&program(before, after)));
        for isa in sets() {
            let program = cpu::compile(&module, isa, 32).unwrap();
            assert_eq!(program.order(2), None, "{before} {after}");
            let run = |threads, launch: &Launch| {
                let mut bindings = buffers(&[4 * 64 * 5000, 4]);
                let result = program.run(launch, &mut bindings, threads);
                (bindings, result)
            };
            let free = Launch { fuel: None, ..launch([5000, 1, 1], 32) };
            let (one, result) = run(1, &free);
            assert_eq!(fails(&result), wanted);
            for threads in [2, 5] {
                let (bindings, result) = run(threads, &free);
                assert_eq!(fails(&result), wanted, "{before} {after}");
                assert!(wanted != "not at all" || bindings == one, "{before} {after}");
            }
            let cancelled = Launch { cancel: cancel.clone(), ..free.clone() };
            assert_eq!(fails(&run(3, &cancelled).1), "cancelled", "{before} {after}");
            // As much fuel as one thread takes is enough for several, and all of it is spent.
            let spent = Arc::new(AtomicU64::new(0));
            let bounded =
                |fuel| Launch { fuel: Some(fuel), spent: Some(spent.clone()), ..free.clone() };
            if wanted == "endless" {
                assert_eq!(fails(&run(4, &bounded(100_000)).1), "out of fuel", "{before} {after}");
                continue;
            }
            assert_eq!(fails(&run(1, &bounded(1 << 30)).1), wanted, "{before} {after}");
            let cost = spent.load(Ordering::Relaxed);
            assert_eq!(fails(&run(4, &bounded(1 << 30)).1), wanted, "{before} {after}");
            assert_eq!(spent.load(Ordering::Relaxed), cost, "{before} {after}");
            for threads in [1, 4] {
                assert_eq!(fails(&run(threads, &bounded(cost / 2)).1), "out of fuel");
                assert_eq!(fails(&run(threads, &bounded(cost)).1), "out of fuel");
            }
        }
    }
}

/// Lanes that count by matching add 1 each instead, but only where the difference is unobservable.
#[test]
fn counting_by_matching_becomes_counting() {
    const LEAD: &str = "m.x != 0 ? firstbitlow(m.x) : m.y != 0 ? 32 + firstbitlow(m.y) : m.z != 0 ? 64 + \
                        firstbitlow(m.z) : 96 + firstbitlow(m.w)";
    const SUM: &str = "c.x + c.y + c.z + c.w";
    let matching = |lead: &str, sum: &str, at: &str| {
        format!(
            "uint4 m = WaveMatch(k), c = countbits(m); uint lead = {lead};
            if (WaveGetLaneIndex() == lead) InterlockedAdd(Out[{at}], {sum});"
        )
    };
    let plain = "InterlockedAdd(Out[k & 63], 1);";
    let alone = [
        matching(LEAD, SUM, "k & 63"),
        matching(LEAD, "c.w + c.x + (c.z + c.y)", "k & 63"),
        "while (true) { uint f = WaveReadLaneFirst(k); bool mine = f == k; uint c = WaveActiveCountBits(mine);
            if (mine) { if (WaveIsFirstLane()) InterlockedAdd(Out[f], c); break; } }".to_owned(),
        "bool done = false; while (!done) { uint f = WaveReadLaneFirst(k); if (f == k) {
            uint c = WaveActiveCountBits(true); if (WaveIsFirstLane()) InterlockedAdd(Out[k], c); done = true; } }"
            .to_owned(),
        // The first lane of all is the first of its set; and each lane by itself.
        "while (true) { uint f = WaveReadLaneFirst(k); bool mine = f == k; uint c = WaveActiveCountBits(mine);
            bool first = WaveIsFirstLane();
            if (mine) { if (first) InterlockedAdd(Out[f], c); break; } }".to_owned(),
        "bool more = true; do { if (WaveReadLaneFirst(k) == k) { InterlockedAdd(Out[k], 1); more = false; } }
            while (more);".to_owned(),
    ];
    let others = [
        // Not the lowest lane, not of the set, not all of it, not of its key, or seen.
        matching("m.x != 0 ? firstbithigh(m.x) : 0", SUM, "k & 63"),
        matching(LEAD, "c.x + c.y + c.z", "k & 63"),
        matching(LEAD, "c.x + c.x + c.y + c.z + c.w", "k & 63"),
        matching(LEAD, "c.x + c.y + c.z + c.w + 1", "k & 63"),
        matching(LEAD, SUM, "t & 63"),
        matching("m.y != 0 ? 32 + firstbitlow(m.y) : firstbitlow(m.x)", SUM, "k & 63"),
        format!("{} Out[64] = 1;", matching(LEAD, SUM, "k & 63")),
        format!("{} In[t] = Out[1];", matching(LEAD, SUM, "k & 63")),
        "uint4 m = WaveMatch(k), c = countbits(m); if (k == 7) return; uint lead = firstbitlow(m.x);
            if (WaveGetLaneIndex() == lead) InterlockedAdd(Out[k & 63], c.x);".to_owned(),
        "uint4 m = WaveMatch(k), c = countbits(m); uint lead = firstbitlow(m.x), old;
            if (WaveGetLaneIndex() == lead) { InterlockedAdd(Out[k & 63], c.x, old); In[t] = old; }"
            .to_owned(),
        "float g = asfloat(k << 31); uint4 m = WaveMatch(g), c = countbits(m); uint lead = firstbitlow(m.x);
            if (WaveGetLaneIndex() == lead) InterlockedAdd(Out[asuint(g) >> 31], c.x);".to_owned(),
        "while (true) { uint f = WaveReadLaneFirst(k); bool mine = f == k; uint c = WaveActiveCountBits(mine);
            if (mine) { InterlockedAdd(Out[f], c); break; } }".to_owned(),
        "while (true) { uint f = WaveReadLaneFirst(k); bool mine = f == k; uint c = WaveActiveCountBits(!mine);
            if (mine) { if (WaveIsFirstLane()) InterlockedAdd(Out[f], c); break; } }".to_owned(),
        "for (uint i = 0; i < 3; ++i) { uint f = WaveReadLaneFirst(k); bool mine = f == k;
            uint c = WaveActiveCountBits(mine);
            if (mine) { if (WaveIsFirstLane()) InterlockedAdd(Out[f], c); break; } }".to_owned(),
        "bool done = false; while (!done) { uint f = WaveReadLaneFirst(k), c = WaveActiveCountBits(f == k);
            if (f == k) { if (WaveIsFirstLane()) InterlockedAdd(Out[k], c); } done = true; }".to_owned(),
    ];
    let made = |body: &str, key: &str| {
        module(&format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In;
            [numthreads(100, 1, 1)] void main(uint t : SV_DispatchThreadID) {{
                uint k = {key}; if (In[t] % 5 == 1) return; {body}
            }}"
        ))
    };
    // The key itself is the index where no operation makes one of it.
    let key = |body: &str| {
        if body.contains("Out[k]") || body.contains("Out[f]") { "In[t] & 63" } else { "In[t]" }
    };
    for (is_alone, body) in
        alone.iter().map(|it| (true, it)).chain(others.iter().map(|it| (false, it)))
    {
        let counted = made(body, key(body));
        let simple = made(
            &plain.replace("k & 63", if key(body) == "In[t]" { "k & 63" } else { "k" }),
            key(body),
        );
        let sizes: Vec<usize> = counted.resources.iter().map(|_| 1600).collect();
        for isa in sets() {
            for width in WIDTHS {
                let code = |module: &Module| {
                    cpu::compile(&Arc::new(module.clone()), isa, width).unwrap().bytes().len()
                };
                // With few lanes, words of the mask that are always zero do not matter.
                if is_alone || width == 128 {
                    let sizes = (code(&counted), code(&simple));
                    assert_eq!(sizes.0 == sizes.1, is_alone, "{body} at {width}: {sizes:?}");
                }
                let outcome = compare(&counted, &launch([4, 1, 1], width), &buffers(&sizes), isa);
                let same = matches!(outcome, Outcome::Same);
                assert!(same, "{body} at {width}, {isa:?}: {outcome:?}");
            }
        }
    }
}

/// Without rewrites, counters are added to one by one, a width is what was asked for, and a reservation is not shared
/// out.
#[test]
fn a_program_runs_as_it_is_written_without_rewrites() {
    let text = "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Count; RWStructuredBuffer<uint> Sum;
        [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) {
            uint old; InterlockedAdd(Count[0], t & 3, old); InterlockedAdd(Sum[1], 1);
            Out[t] = old;
        }";
    let module = Arc::new(module(text));
    let bindings = || Bindings {
        bindings: [4 * 64 * 100, 8, 8]
            .map(|it| vec![Buffer { bytes: vec![0; it].into(), ..Buffer::default() }])
            .to_vec(),
    };
    for isa in sets() {
        for width in [4, 32, 128] {
            let made = |rewrites: bool| {
                let mode = cpu::Mode { isa, width, rewrites };
                cpu::compile_unless(&module, mode, &|| false).unwrap()
            };
            let (plain, rewritten) = (made(false), made(true));
            assert!(plain.bytes() != rewritten.bytes(), "{isa:?} at {width}");
            assert_eq!(rewritten.order(4), None);
            let order = plain.order(4).unwrap();
            assert!(order.ends_with("because the program runs as it is written"), "{order}");
            let after = |code: &cpu::Compiled, threads: usize| {
                let mut bindings = bindings();
                code.run(&launch([100, 1, 1], width), &mut bindings, threads).unwrap();
                bindings
            };
            assert_eq!(after(&plain, 1), after(&rewritten, 4), "{isa:?} at {width}");
        }
    }
}

/// Atomic operations without a hardware instruction are atomic all the same: a number at an odd address, which the
/// runtime updates, like 64-bit numbers everywhere.
#[test]
fn atomics_at_odd_addresses_add_up_on_several_threads() {
    let text = "RWByteAddressBuffer Bytes; RWStructuredBuffer<uint> Out;
        [numthreads(64, 1, 1)] void main(uint3 d : SV_DispatchThreadID) {
            uint64_t old, sum = 0;
            for (uint i = 0; i < 4; i++) {
                Bytes.InterlockedAdd64((d.x & 1) ? 1 : 17, 1, old);
                sum += old;
            }
            if (sum == 0xffffffff) Out[0] = 1;
        }";
    let module = Arc::new(module(text));
    for isa in sets() {
        let program = cpu::compile(&module, isa, 32).unwrap();
        let mut bindings = Bindings {
            bindings: vec![vec![Buffer { bytes: vec![0; 32].into(), ..Buffer::default() }]; 2],
        };
        // More than one batch of waves for each thread.
        program.run(&launch([20_000, 1, 1], 32), &mut bindings, 4).unwrap();
        let bytes = &bindings.bindings[0][0].bytes;
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!([number(1), number(17)], [20_000 * 32 * 4; 2], "{isa:?}");
    }
}

/// Additions have an instruction of their own, other changes are made by the runtime: at an odd address they keep out
/// of each other's way as well.
#[test]
fn additions_and_other_changes_at_odd_addresses_lose_nothing_on_several_threads() {
    let text = "RWByteAddressBuffer Bytes;
        [numthreads(64, 1, 1)] void main(uint3 d : SV_DispatchThreadID) {
            uint at = (d.x & 1) ? 1 : 18;
            for (uint i = 0; i < 4; i++) {
                Bytes.InterlockedAdd(at, 1);
                Bytes.InterlockedXor(at, 0x80000000u);
            }
        }";
    let module = Arc::new(module(text));
    for isa in sets() {
        let program = cpu::compile(&module, isa, 32).unwrap();
        let mut bindings = Bindings {
            bindings: vec![vec![Buffer { bytes: vec![0; 32].into(), ..Buffer::default() }]],
        };
        // More than one batch of waves for each thread.
        program.run(&launch([20_000, 1, 1], 32), &mut bindings, 4).unwrap();
        let bytes = &bindings.bindings[0][0].bytes;
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!([number(1), number(18)], [20_000 * 32 * 4; 2], "{isa:?}");
    }
}
