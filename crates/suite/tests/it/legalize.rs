//! A legalised module behaves like the original: bit for bit on the reference engine, for every row of targets,
//! over the whole suite and generated programs, and also where each operation does no more than the target
//! promises.
//!
//! `LEGALIZE=text` runs only the sections whose names contain the text, and prints their legalised forms.
#![allow(clippy::print_stdout, reason = "shows how much was run")]

use generate::Statistics;
use interp::{NoObserver, Variation};
use ir::exec::{Bindings, Buffer, Launch};
use ir::{Address, Module, Op};
use legalize::{Target, legalize};
use suite::engines::{Programs, difference};
use suite::legalized::{fault, is_aligned, merged_fault, perturbed, targets};
use suite::run;
use suite::section::{Section, WIDTHS};

/// Generated programs of each kind.
const PROGRAMS: u64 = 300;

/// Runs a section at a width for targets; returns the number of runs.
fn check(section: &Section, width: u32, turn: Option<usize>) -> Result<u32, String> {
    let Some(module) = run::compile(section, width)?.module else { return Ok(0) };
    let Ok(before) = run::inputs(section, &module) else { return Ok(0) };
    let launch = run::launch(section, &module, width);
    let mut wanted = before.clone();
    if interp::run(&module, &launch, &mut wanted, &mut NoObserver).is_err() {
        // Where a run is cut off is not part of the contract.
        return Ok(0);
    }
    let mut runs = 0;
    let mut before = before;
    let written = legalize::without_ray_queries(&module);
    before.bindings.iter_mut().flatten().for_each(|it| assert!(it.pack_scene()));
    if !module.queries.is_empty() {
        let everything = Target::everything();
        if let Some(what) = fault(&written, &everything, &launch, &before, &wanted) {
            return Err(format!("{} at {width}, queries written out: {what}", section.name));
        }
        runs += 1;
    }
    let module = written;
    if let Some(unrolled) = legalize::unrolled(&module, width) {
        runs += 1;
        if let Some(what) = fault(&unrolled, &Target::everything(), &launch, &before, &wanted) {
            return Err(format!("{} at {width}, unrolled: {what}", section.name));
        }
    }
    let targets = targets(width);
    for (number, (name, target)) in targets.iter().enumerate() {
        if turn.is_some_and(|it| it % targets.len() != number) {
            continue;
        }
        runs += 1;
        if let Some(what) = fault(&module, target, &launch, &before, &wanted) {
            // Lanes that are not in the set they name, or name another one, do something undefined.
            let names = |it: &ir::InstData| matches!(it.op, Op::Wave { lanes: Some(_), .. });
            if module.insts.iter().any(names) && !is_defined(&module, &launch, &before) {
                continue;
            }
            if !is_aligned(&module, &launch, &before) {
                continue;
            }
            return Err(format!("{} at {width} for {name}: {what}", section.name));
        }
    }
    Ok(runs)
}

/// Whether the sanitizer has nothing against a run.
fn is_defined(module: &Module, launch: &Launch, bindings: &Bindings) -> bool {
    let report = sanitizer::examine(
        module,
        launch,
        bindings,
        &sanitizer::Plan::new(vec![launch.wave_width]),
    );
    let portability = sanitizer::Verdict::Portability;
    report.is_ok_and(|it| it.seen.iter().all(|it| it.finding.kind.verdict() == portability))
}

#[test]
fn the_suite_does_the_same_for_every_target() {
    let filter = std::env::var("LEGALIZE").unwrap_or_default();
    let (mut runs, mut wrong) = (0, Vec::new());
    for file in suite::files(&suite::folder()) {
        for section in suite::read(&file).unwrap() {
            if section.fails() || !section.name.contains(&filter) {
                continue;
            }
            // Every section at one width for each target, and at two more for alternating targets.
            let widths = section.widths.iter().step_by(section.widths.len().div_ceil(3).max(1));
            for (turn, width) in widths.enumerate() {
                match check(&section, *width, (turn > 0).then_some(turn + runs as usize)) {
                    Ok(more) => runs += more,
                    Err(what) => wrong.push(what),
                }
            }
        }
    }
    println!("{runs} runs");
    let shown = wrong[..wrong.len().min(20)].join("\n");
    assert!(wrong.is_empty(), "{} differ:\n{shown}", wrong.len());
    assert!(runs > 2000 || !filter.is_empty(), "{runs} runs");
}

/// Groups in turn leave what groups at once leave: sums by waves, by lanes, in loops and beyond the end of the buffer,
/// in groups that are not whole waves, for fewer, as many and more elements than threads.
#[test]
fn groups_in_turn_leave_the_same() {
    for body in [
        "uint s = WaveActiveSum(In[t]); if (WaveIsFirstLane()) InterlockedAdd(Out[0], s);",
        "InterlockedAdd(Out[In[t] % 7], 1); InterlockedAdd(Out[t], t);",
        "for (uint k = 0; k < t % 5; ++k) InterlockedAdd(Out[(t + k) % 11], k);",
        "if (t % 3) InterlockedAdd(Out[g.x + 4 * g.y + 8 * g.z], i + 100 * t);",
    ] {
        for size in [5u32, 24, 64, 200] {
            let text = format!(
                "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
                 [numthreads(24, 1, 1)]
                 void main(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint i : SV_GroupIndex)
                 {{ uint t = d.x + 96 * d.y + 288 * d.z; {body} }}"
            );
            let compiled = run::compile_text("turn.hlsl", &text, &hlsl::Options::default());
            let module = compiled.module.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
            let words = |all: Vec<u32>| {
                let bytes: Vec<u8> = all.into_iter().flat_map(u32::to_le_bytes).collect();
                Buffer { bytes: bytes.into(), ..Buffer::default() }
            };
            let given = words((0..600u32).map(|it| it.wrapping_mul(2_654_435_761) >> 7).collect());
            let out = words((0..size).map(|it| it << 20).collect());
            let bound =
                |it: &ir::Resource| vec![if it.name == "In" { &given } else { &out }.clone()];
            let before = Bindings { bindings: module.resources.iter().map(bound).collect() };
            let sizes: Vec<usize> = before.bindings.iter().map(|it| it[0].bytes.len()).collect();
            for width in [4, 16, 32] {
                let launch = suite::engines::launch([4, 3, 2], width);
                let mut wanted = before.clone();
                interp::run(&module, &launch, &mut wanted, &mut NoObserver).unwrap();
                assert!(legalize::merged(&module, &sizes).is_some(), "{text}");
                for groups in [1, 5, 24] {
                    let fault = merged_fault(&module, &launch, &before, &wanted, groups);
                    assert_eq!(fault, None, "{text}");
                }
            }
        }
    }
}

/// Each condition of groups in turn, by the smallest shader that breaks it.
#[test]
fn groups_that_could_tell_do_not_run_in_turn() {
    let merges = |declared: &str, body: &str, size: usize| {
        let text = format!(
            "{declared} RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Other;
             [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {{ {body} }}"
        );
        let compiled = run::compile_text("turn.hlsl", &text, &hlsl::Options::default());
        let module = compiled.module.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let size = |it: &ir::Resource| if it.name == "Out" { size } else { 1 << 20 };
        let sizes: Vec<usize> = module.resources.iter().map(size).collect();
        legalize::merged(&module, &sizes).is_some()
    };
    let add = "InterlockedAdd(Out[t & 3], t);";
    assert!(merges("", add, 256));
    assert!(merges("", &format!("if (t & 1) {{ {add} }} Other[t] = t;"), 256));
    for (why, declared, body) in [
        ("the old value is used", "", "uint o; InterlockedAdd(Out[0], t, o); Other[t] = o;"),
        ("it is read", "", "InterlockedAdd(Out[0], t); Other[t] = Out[1];"),
        ("another operation", "", "InterlockedAdd(Out[0], t); InterlockedMax(Out[1], t);"),
        ("a lane returns early", "", "if (t > 5) return; InterlockedAdd(Out[0], t);"),
        ("a loop waits", "", "while (Other[0] == 0) {} InterlockedAdd(Out[0], t);"),
        (
            "groupshared memory",
            "groupshared uint s[4];",
            "s[t & 3] = t; InterlockedAdd(Out[0], s[0]);",
        ),
        ("a barrier", "", "InterlockedAdd(Out[0], t); GroupMemoryBarrierWithGroupSync();"),
    ] {
        assert!(!merges(declared, body, 256), "{why}");
    }
    // Large buffers have no copies, and neither have those of unknown size.
    assert!(!merges("", add, 1 << 20));
    assert!(!merges("", add, 0));
}

/// A group that adds once leaves what waves leave that add one after another: by first lanes, by all lanes, by some,
/// and twice, in one group and in several.
#[test]
fn groups_that_add_once_leave_the_same() {
    let compact = "bool keep = t % 3 == 1; uint n = WaveActiveCountBits(keep), start = 0;
        if (WaveIsFirstLane()) InterlockedAdd(Count[0], n, start);
        start = WaveReadLaneFirst(start);
        if (keep) Out[start + WavePrefixCountBits(keep)] = t;";
    let tickets = "uint mine; InterlockedAdd(Count[1], t & 3, mine); Out[t] = mine;";
    let some = "uint mine = 5; if (t % 5 < 2) { InterlockedAdd(Count[0], t * 7, mine); mine *= 2; } Out[t] = mine;";
    for body in [compact, tickets, some, &format!("{{ {tickets} }} {{ {some} }}")] {
        let text = format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Count;
             [numthreads(64, 1, 1)] void main(uint t : SV_DispatchThreadID) {{ {body} }}"
        );
        let compiled = run::compile_text("once.hlsl", &text, &hlsl::Options::default());
        let module =
            compiled.module.unwrap_or_else(|| panic!("{body}: {:?}", compiled.diagnostics));
        let buffer = |bytes: usize| Buffer { bytes: vec![3; bytes].into(), ..Buffer::default() };
        let bound = |it: &ir::Resource| vec![buffer(if it.name == "Out" { 4096 } else { 8 })];
        let before = Bindings { bindings: module.resources.iter().map(bound).collect() };
        let sizes: Vec<usize> = before.bindings.iter().map(|it| it[0].bytes.len()).collect();
        for width in [8, 16, 32] {
            let launch = suite::engines::launch([3, 1, 1], width);
            let mut wanted = before.clone();
            interp::run(&module, &launch, &mut wanted, &mut NoObserver).unwrap();
            let once = legalize::aggregated(&module, width, &sizes);
            let once = once.unwrap_or_else(|| panic!("{body} at {width}"));
            let what = fault(&once, &Target::everything(), &launch, &before, &wanted);
            assert_eq!(what, None, "{body} at {width}");
        }
        // One wave, or more waves than lanes.
        assert!(legalize::aggregated(&module, 64, &sizes).is_none(), "{body}");
        assert!(legalize::aggregated(&module, 4, &sizes).is_none(), "{body}");
    }
}

/// Each condition of adding once, by the smallest shader that breaks it.
#[test]
fn groups_that_could_tell_do_not_add_once() {
    let adds = |body: &str, size: usize| {
        let text = format!(
            "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Other;
             [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {{ uint o = 0; {body} Other[t] = o; }}"
        );
        let compiled = run::compile_text("once.hlsl", &text, &hlsl::Options::default());
        let module = compiled.module.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let size = |it: &ir::Resource| if it.name == "Out" { size } else { 1 << 12 };
        let sizes: Vec<usize> = module.resources.iter().map(size).collect();
        legalize::aggregated(&module, 16, &sizes).is_some()
    };
    assert!(adds("InterlockedAdd(Out[1], t, o);", 8));
    assert!(!adds("InterlockedAdd(Out[1], t, o);", 4), "it is out of bounds");
    assert!(!adds("InterlockedAdd(Out[1], t, o);", 0), "the size is unknown");
    for (why, body) in [
        ("no result is used", "InterlockedAdd(Out[1], t);"),
        ("another operation", "InterlockedMax(Out[1], t, o);"),
        ("several elements", "InterlockedAdd(Out[t & 1], t, o);"),
        ("a lane returns early", "if (t == 9) return; InterlockedAdd(Out[1], t, o);"),
        ("a loop waits", "while (Other[0] == 0) {} InterlockedAdd(Out[1], t, o);"),
        ("in a loop", "for (uint k = 0; k < t; ++k) InterlockedAdd(Out[1], t, o);"),
        ("the branch stores", "if (t < 9) { InterlockedAdd(Out[1], t, o); Other[t + 64] = o; }"),
    ] {
        assert!(!adds(body, 8), "{why}");
    }
}

/// Loops whose course is known become straight code, or fewer iterations; others stay. All leave the same.
#[test]
fn loops_are_unrolled_where_their_course_is_known() {
    // The number of loops that remain, if any has been unrolled.
    for (body, remain) in [
        ("for (uint k = 0; k < 5; ++k) s += WaveActiveSum(t + k) * k;", Some(0)),
        (
            "for (uint k = 2; k <= WaveGetLaneCount(); k <<= 1)
                for (uint j = k >> 1; j > 0; j >>= 1) s += j * WaveReadLaneAt(t * k, i ^ j);",
            Some(0),
        ),
        ("for (uint k = 0; k < 6; ++k) { if (t + k == 9) break; s += k; }", Some(0)),
        (
            "for (uint k = 0; k < 6; ++k) { if (k == 1) continue; if (k == 4) break; s += t; }",
            Some(0),
        ),
        ("for (uint k = 0; k < 200; ++k) s = s * 5 + t / (k + 1);", Some(1)),
        ("for (uint k = 0; k < 96; ++k) { if (s > 1000) break; s += t * k; }", Some(1)),
        // Known in the first iteration only.
        ("uint x = 0; for (; s < 128; ++s) { if (x > 40) break; x += t & 3; }", Some(1)),
        (
            "for (uint k = 0; k < 64; ++k) { if (k % 2 == 1) s += t; else if (k == t) return; }",
            Some(1),
        ),
        ("for (uint k = 0; k < 3; ++k) for (uint j = 0; j < t; ++j) s += j;", Some(3)),
        ("while (s < 1000) s += t + 1;", None),
        ("for (uint k = 0; k < t; ++k) s += k;", None),
        ("for (uint k = 0; k < 8; ++k) { if (k == t) break; s += WaveActiveSum(1); }", None),
        ("for (uint k = 0; k < 97; ++k) { if (s > 1000) break; s += t * k; }", None),
    ] {
        let text = format!(
            "RWStructuredBuffer<uint> Out; [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex)
             {{ uint s = 0, i = WaveGetLaneIndex(); Out[t] = 7; {body} Out[t] = s; }}"
        );
        let compiled = run::compile_text("loop.hlsl", &text, &hlsl::Options::default());
        let module =
            compiled.module.unwrap_or_else(|| panic!("{body}: {:?}", compiled.diagnostics));
        let buffer = Buffer { bytes: vec![0; 256].into(), ..Buffer::default() };
        let before = Bindings { bindings: vec![vec![buffer]] };
        for width in [4, 32, 64] {
            let launch = suite::engines::launch([1, 1, 1], width);
            let mut wanted = before.clone();
            interp::run(&module, &launch, &mut wanted, &mut NoObserver).unwrap();
            let unrolled = legalize::unrolled(&module, width);
            let loops = |module: &Module| {
                module.insts.iter().filter(|it| matches!(it.op, Op::Loop { .. })).count()
            };
            assert_eq!(unrolled.as_ref().map(loops), remain, "{body}");
            if let Some(unrolled) = unrolled {
                let what = fault(&unrolled, &Target::everything(), &launch, &before, &wanted);
                assert_eq!(what, None, "{body}");
            }
        }
    }
}

/// Passes that no target requests: pruning and tracing leave what a program stores, and flushing twice is flushing
/// once. Their results are legalised like any module.
fn check_passes(section: &Section, turn: usize) -> Result<bool, String> {
    let width = section.widths[0];
    let Some(module) = run::compile(section, width)?.module else { return Ok(false) };
    let Ok(before) = run::inputs(section, &module) else { return Ok(false) };
    let mut launch = run::launch(section, &module, width);
    // Every pass adds instructions.
    launch.fuel = launch.fuel.map(|it| it * 32);
    let after = |module: &Module, before: &Bindings| {
        ir::verify::verify(module).map_err(|problems| problems[0].to_string())?;
        let mut bindings = before.clone();
        let ended = interp::run(module, &launch, &mut bindings, &mut NoObserver);
        ended.map(|()| bindings).map_err(|failure| failure.to_string())
    };
    let Ok(wanted) = after(&module, &before) else { return Ok(false) };
    let targets = targets(width);
    let (name, target) = &targets[turn % targets.len()];
    let same = |what: &str, module: &Module, before: &Bindings, wanted: &Bindings| {
        let got = after(module, before).map_err(|why| format!("{what}: {why}"))?;
        match difference(module, wanted, &got) {
            None => Ok(()),
            Some(differs) => Err(format!("{what}: {differs}")),
        }
    };
    let legalised = |what: &str, module: &Module, before: &Bindings, wanted: &Bindings| match fault(
        module, target, &launch, before, wanted,
    ) {
        None => Ok(()),
        // Devices access whole words.
        Some(_) if !is_aligned(module, &launch, before) => Ok(()),
        Some(differs) => Err(format!("{what} for {name}: {differs}")),
    };
    let mut pruned = module.clone();
    ir::simplify::prune(&mut pruned);
    same("pruned", &pruned, &before, &wanted)?;

    let mut flushed = module.clone();
    ir::flush_denormals(&mut flushed);
    let flushes = after(&flushed, &before)?;
    let mut twice = flushed.clone();
    ir::flush_denormals(&mut twice);
    same("flushed twice", &twice, &before, &flushes)?;
    legalised("flushed", &flushed, &before, &flushes)?;

    let groups = launch.groups();
    let points = (0..legalize::trace::points(&module).len()).collect();
    let trace = legalize::trace::Trace { groups, points, skip: 0, room: 4, clock: false };
    let (traced, binding) = trace.rewrite(&module);
    let mut with_room = before.clone();
    let events = Buffer { bytes: vec![0; trace.bytes(&module)].into(), ..Buffer::default() };
    with_room.bindings.push(vec![events]);
    let traces = after(&traced, &with_room)?;
    let mut without = traces.clone();
    without.bindings.truncate(binding.index());
    if let Some(differs) = difference(&module, &wanted, &without) {
        return Err(format!("traced: {differs}"));
    }
    // Values that a target makes in another way are other bits: a logarithm of its own, say.
    legalised("traced", &traced, &with_room, &traces)?;
    Ok(true)
}

#[test]
fn pruning_flushing_and_tracing_keep_what_a_program_does() {
    let filter = std::env::var("LEGALIZE").unwrap_or_default();
    let (mut runs, mut wrong) = (0, Vec::new());
    for (turn, file) in suite::files(&suite::folder()).iter().enumerate() {
        // Every third section of a file: those beside it differ in one operation.
        for section in suite::read(file).unwrap().iter().skip(turn % 3).step_by(3) {
            if section.fails() || !section.name.contains(&filter) {
                continue;
            }
            match check_passes(section, turn + runs) {
                Ok(ran) => runs += usize::from(ran),
                Err(what) => wrong.push(format!("{}: {what}", section.name)),
            }
        }
    }
    println!("{runs} runs");
    let shown = wrong[..wrong.len().min(20)].join("\n");
    assert!(wrong.is_empty(), "{} differ:\n{shown}", wrong.len());
    assert!(runs > 200 || !filter.is_empty(), "{runs} runs");
}

/// A module that is not legalised behaves differently on a device that promises no more: one test for each corner
/// case.
#[test]
fn a_corner_case_that_is_not_legalised_is_noticed() {
    let corners = [
        "1u << (t + 31)",
        "asuint(int(t) >> (t + 31))",
        "t / (t & 1)",
        "asuint(int(0x80000000 + (t >> 2)) / int((t & 1) - 1))",
        "t % (t & 1)",
        "uint(asfloat(t << 26))",
        "asuint(int(-asfloat(t << 26)))",
        "asuint(min(asfloat((t & 1) << 31), asfloat((t & 2) << 30)))",
        "asuint(max(asfloat((t & 1) << 31), asfloat((t & 2) << 30)))",
        "asuint(asfloat(0x7f800000 - (t & 1)) - asfloat(0x7f800000))",
        "asuint(-asfloat(0x7f800000 + t))",
        "asuint(abs(asfloat(0xff800000 + t)))",
        "uint(isnan(asfloat(0x7f800000 + t)))",
        "uint(isinf(asfloat(0x7f800000 + t)))",
        "asuint(WaveActiveSum(asfloat(0x80000000)))",
        "asuint(WaveActiveMin(asfloat(t << 26)))",
        "shared_case(t)",
        "falling(t)",
    ];
    let target = Target::vulkan(true, true);
    for corner in corners {
        let main = "[numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex)";
        let text = format!(
            "RWStructuredBuffer<uint> Out;
            uint shared_case(uint t) {{
                switch (t % 3) {{ case 0: case 1: return WaveActiveSum(t); default: return 0; }}
            }}
            uint falling(uint t) {{
                uint n = 7;
                switch (t % 3) {{ case 0: n = t; case 1: n++; break; }}
                return n;
            }}
            {main} {{ Out[t] = {corner}; }}"
        );
        let compiled = run::compile_text("corner.hlsl", &text, &run::options(&[]).unwrap());
        let module =
            compiled.module.unwrap_or_else(|| panic!("{corner}: {:?}", compiled.diagnostics));
        let launch = suite::engines::launch([1, 1, 1], 32);
        let after = |module: &Module| {
            let buffer = Buffer { bytes: vec![0; 256].into(), ..Default::default() };
            let mut bindings = Bindings { bindings: vec![vec![buffer]] };
            interp::run(module, &launch, &mut bindings, &mut NoObserver).unwrap();
            bindings.bindings[0][0].bytes.clone()
        };
        let wanted = after(&module);
        assert_ne!(after(&perturbed(&module, &target)), wanted, "{corner}");
        assert_eq!(after(&perturbed(&legalize(&module, &target), &target)), wanted, "{corner}");
    }
}

/// An access that is out of bounds, although it says that its bounds have been checked, is noticed.
#[test]
fn a_condition_that_legalisation_forgets_is_noticed() {
    let accesses = [
        ("RWStructuredBuffer<uint> Out;", "Out[t + 40] = t; Out[t] += Out[t + 50]"),
        ("RWStructuredBuffer<uint2> Out;", "Out[t].y = t + 1; Out[t].x = Out[t + 25].y"),
        ("RWByteAddressBuffer Out;", "Out.Store4(16 * t + 8, t + 1)"),
        ("RWByteAddressBuffer Out;", "Out.Store(4 * t, Out.Load(192 + 4 * t) + 1)"),
        ("RWByteAddressBuffer Out;", "Out.InterlockedAdd(8 * t, 5)"),
        ("RWBuffer<uint> Out;", "Out[t + 40] = t; Out[t] = Out[t + 50]"),
        ("RWBuffer<uint> Out : register(u0);", "InterlockedMax(Out[t + 40], t)"),
        (
            "RWStructuredBuffer<uint> Out; cbuffer C { uint4 a[4]; }",
            "Out[t] = a[t].x; if (t > 3) Out[0] = a[t].x + t",
        ),
    ];
    for (declared, access) in accesses {
        let text = format!(
            "{declared} [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {{ {access}; }}"
        );
        let compiled = run::compile_text("bounds.hlsl", &text, &run::options(&[]).unwrap());
        let module =
            compiled.module.unwrap_or_else(|| panic!("{access}: {:?}", compiled.diagnostics));
        let launch = suite::engines::launch([1, 1, 1], 32);
        let after = |module: &Module| {
            let buffer = |first: u8| {
                let bytes: Vec<_> = (first..first + 64).flat_map(|it| [it, 0, 0, 0]).collect();
                vec![Buffer { bytes: bytes.into(), ..Default::default() }]
            };
            let constants = vec![Buffer::new(buffer(100)[0].bytes[..64].to_vec())];
            let is_constant =
                |it: &ir::Resource| it.kind.view().class == ir::RegisterClass::Constant;
            let all = module.resources.iter();
            let bindings =
                all.map(|it| if is_constant(it) { constants.clone() } else { buffer(1) });
            let mut bindings = Bindings { bindings: bindings.collect() };
            interp::run(module, &launch, &mut bindings, &mut NoObserver).unwrap();
            bindings.bindings
        };
        let wanted = after(&module);
        for target in [Target::vulkan(true, true), Target::cuda()] {
            let legal = legalize(&module, &target);
            let mut forgetful = legal.clone();
            for inst in &mut forgetful.insts {
                if let Op::Load { at, .. } | Op::Store { at, .. } | Op::Atomic { at, .. } =
                    &mut inst.op
                    && let Address::Within { when, .. } = at
                {
                    *when = None;
                }
            }
            assert_eq!(after(&perturbed(&legal, &target)), wanted, "{access}");
            assert_ne!(after(&perturbed(&forgetful, &target)), wanted, "{access}");
        }
    }
}

fn programs_do_the_same(programs: Programs) {
    let mut statistics = Statistics::default();
    let mut runs = 0;
    for seed in 0..PROGRAMS {
        let width = suite::width_of(seed);
        let text = programs.section(seed, width, &mut statistics);
        let sections = suite::section::read("program.hlsl", &text).unwrap();
        for section in &sections {
            let turn = (seed / WIDTHS.len() as u64) as usize;
            runs +=
                check(section, width, Some(turn)).unwrap_or_else(|what| panic!("{what}\n{text}"));
        }
    }
    assert!(u64::from(runs) > PROGRAMS / 2, "{runs} runs");
}

#[test]
fn generated_programs_do_the_same_for_every_target() {
    programs_do_the_same(Programs::Generated);
}

#[test]
fn wild_programs_do_the_same_for_every_target() {
    programs_do_the_same(Programs::Wild);
}

/// A run of the module before legalisation that has what helper lanes get on a device, where their quads do not end.
fn as_on_a_device() -> Variation {
    Variation { keeps_quads: true, ..Variation::default() }
}

/// Pixel shaders with helper lanes: the device's wave operations include them, and those of the source do not. What
/// helper lanes get without participating is compared, too, since their quads read it.
#[test]
fn generated_pixel_shaders_do_the_same_for_every_target() {
    let mut statistics = Statistics::default();
    let targets = targets(32);
    let mut with_helpers = 0;
    for seed in 0..PROGRAMS {
        let width = suite::width_of(seed);
        let program = generate::pixels(seed, width, &mut statistics);
        let wanted =
            suite::pixels::log_with(&program, width, as_on_a_device(), Module::clone).unwrap();
        let (name, target) = &targets[seed as usize % targets.len()];
        // The number of lanes is that of another width; a device that folds over partitions itself has other undefined
        // results in helper lanes, of which these programs take derivatives.
        if name.contains("whole waves") || name.contains("partitions") {
            continue;
        }
        let on_device = |module: &Module| {
            let legal = legalize(module, target);
            assert!(legal.helpers_take_part());
            perturbed(&legal, target)
        };
        let got = suite::pixels::log_with(&program, width, Variation::default(), on_device);
        assert!(
            got.as_ref() == Ok(&wanted),
            "seed {seed} at {width} for {name}\n{}",
            generate::print(&program)
        );
        with_helpers += usize::from(program.pixels().is_some_and(|it| !it.helpers.is_empty()));
    }
    assert!(with_helpers as u64 > PROGRAMS / 2, "{with_helpers} with helper lanes");
}

/// A device does not end quads of helper lanes. So helper lanes of other quads, where they are alone, are with more
/// lanes than on the reference engine; what a wave operation gives them there is undefined, and so is what their quads
/// read.
#[test]
fn helper_lanes_alone_meet_those_of_quads_that_run_on() {
    let text = "uint main(uint i : I) : SV_Target {
    uint alone = 0;
    if (i == 3 || i / 4 == 1) discard;    // one lane of the first quad, and the second quad
    if (i == 3 || i == 7) alone = WaveActiveCountBits(true);
    return QuadReadAcrossX(alone);
}";
    let module = suite::pixels::compile(text, "ps_6_6").unwrap();
    let waves = [suite::pixels::Quads { lanes: 0xff, helpers: 0 }];
    let bits = |_: usize, _: &str, _: u8, lane: u32| u64::from(lane);
    // The value that lane 2 reads from lane 3.
    let read = |module: &Module, variation: Variation| {
        let mut feed = suite::pixels::Dealt::new(module, 8, &waves, bits);
        let (program, launch) = (interp::decode(module), suite::pixels::launch(8));
        let (mut memory, mut observer) = (Bindings::default(), suite::pixels::Poison);
        interp::run_waves(&program, &launch, variation, &mut memory, &mut feed, &mut observer)
            .unwrap();
        let output = &feed.outputs[0];
        let slot = ir::Slot(0);
        (output.rows.row(slot)[2], output.poison[slot.index()].contains(2))
    };
    let undefined = true;
    assert_eq!(read(&module, Variation::default()), (1, undefined));
    assert_eq!(read(&module, as_on_a_device()), (2, undefined));
    for (name, target) in targets(8) {
        let legal = legalize(&module, &target);
        assert_eq!(read(&perturbed(&legal, &target), Variation::default()).0, 2, "{name}");
    }
}

/// Every operation gives participants what it gave before, although helper lanes take part in it.
#[test]
fn wave_operations_of_pixel_shaders_leave_out_helper_lanes() {
    let expressions = [
        "WaveIsFirstLane()",
        "WaveActiveAnyTrue(h)",
        "WaveActiveAllTrue(!h)",
        "dot(WaveActiveBallot(v & 1), 1)",
        "WaveActiveCountBits(v & 1)",
        "WavePrefixCountBits(v & 1)",
        "WaveReadLaneFirst(v)",
        "WaveActiveAllEqual(h ? v : 7)",
        "WaveActiveAllEqual(h ? 1.5 : 2.5)",
        "WaveActiveSum(v)",
        "WaveActiveProduct(v)",
        "WaveActiveMin(int(v))",
        "asuint(WaveActiveMax(h ? 1e9 : asfloat(0x7fc00000)))",
        "asuint(WaveActiveSum(h ? 1.0 : -0.0))",
        "asuint(WavePrefixSum(h ? 1.0 : -0.0))",
        "WavePrefixSum(v)",
        "asuint(WavePrefixProduct(float(v)))",
        "dot(WaveMatch(v / 3), 1)",
        "WaveMultiPrefixSum(v, WaveMatch(v % 3))",
        "WaveMultiPrefixCountBits(v & 1, WaveMatch(v % 3))",
        "WaveReadLaneAt(v, v / 2)",
        "WaveReadLaneAt(v, WaveGetLaneIndex() ^ 1)",
    ];
    for expression in expressions {
        let text = format!(
            "RWByteAddressBuffer Out;
            void main(uint v : V) {{
                bool h = IsHelperLane();
                uint at = 4 * v;
                if (v % 5 == 0) discard;
                h = IsHelperLane();
                Out.Store(at, {expression});
                if (v % 2) Out.Store(at + 1024, {expression});
            }}"
        );
        let module = suite::pixels::compile(&text, "ps_6_6")
            .unwrap_or_else(|what| panic!("{expression}: {what}"));
        let waves = [suite::pixels::Quads { lanes: 0xffff, helpers: 0x8421 }];
        let lane = |_: usize, _: &str, _: u8, lane: u32| u64::from(lane);
        let (_, wanted) = suite::pixels::run(&module, 16, &waves, lane).unwrap();
        for (name, target) in targets(16) {
            let legal = legalize(&module, &target);
            let device = perturbed(&legal, &target);
            let (_, got) = suite::pixels::run(&device, 16, &waves, lane).unwrap();
            assert!(got == wanted, "{expression} for {name}\n{}", ir::text::print(&legal));
            // Without legalisation, a device that includes helper lanes does something else.
            let mut careless = module.clone();
            careless.io.as_mut().unwrap().pixel.helpers_take_part = true;
            let (_, other) = suite::pixels::run(&careless, 16, &waves, lane).unwrap();
            assert!(other != wanted, "{expression} does not see helper lanes");
        }
    }
}
