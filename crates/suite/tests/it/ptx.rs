//! Emitted PTX does what the reference engine does, bit for bit: the whole suite and generated programs,
//! read back from the text and executed by an interpreter, with threads in several orders. No GPU is needed.
//!
//! `PTX=text` runs only the sections whose names contain the text, and prints their kernels. With `PTXAS=path`, every
//! kernel is also assembled, for every architecture. With `PTX_PROGRAMS=file`, the generated programs are written there
//! as sections, for `wavelane diff` on a GPU.
#![allow(clippy::print_stdout, reason = "shows how much was run")]

use std::collections::BTreeMap;

use generate::Statistics;
use interp::NoObserver;
use ir::exec::{Bindings, Buffer, ElementFormat, FormatScalar, What};
use legalize::Target;
use suite::emulate::{Outcome, assemble, compare, emit};
use suite::engines::{self, Programs};
use suite::legalized::{fault, formats, is_aligned, texture_fault};
use suite::run;
use suite::section::Section;

/// The lanes of a warp.
const WIDTH: u32 = 32;

/// The widths of waves that share a warp.
const PACKED: [u32; 3] = [4, 8, 16];

/// The widths of waves of which a thread holds several lanes.
const WIDE: [u32; 2] = [64, 128];

/// Generated programs of each kind.
const PROGRAMS: u64 = 400;

/// What was run.
#[derive(Default)]
struct Tally {
    runs: u32,
    unsupported: BTreeMap<&'static str, u32>,
    /// Undefined programs with another result.
    excused: Vec<String>,
    /// Programs whose waves wait for one another, and share a warp.
    waiting: Vec<String>,
}

impl Tally {
    /// With an assembler, assembles the kernel for one architecture by turns.
    fn assemble(
        &self,
        module: &ir::Module,
        launch: &ir::exec::Launch,
        before: &Bindings,
        turn: u64,
    ) -> Result<(), String> {
        let Ok(assembler) = std::env::var("PTXAS") else { return Ok(()) };
        let all: Vec<u32> = ptx::KernelEnvironment::architectures().collect();
        let sm = all[turn as usize % all.len()];
        let Ok(emitted) = emit(module, sm, launch.wave_width, before, launch.groups()) else {
            return Ok(());
        };
        let scratch = std::env::temp_dir();
        assemble(&assembler, &emitted.text, sm, &scratch)
            .map_err(|what| format!("sm_{sm}: {what}\n{}", emitted.text))
    }

    /// Runs a section, on an architecture and with an order of threads by turns.
    fn check(&mut self, section: &Section, width: u32, turn: u64) -> Result<(), String> {
        let Some(module) = run::compile(section, width)?.module else { return Ok(()) };
        let Ok(before) = run::inputs(section, &module) else { return Ok(()) };
        let launch = run::launch(section, &module, width);
        let mut wanted = before.clone();
        if interp::run(&module, &launch, &mut wanted, &mut NoObserver).is_err() {
            // Where a run is cut off is not part of the contract.
            return Ok(());
        }
        if legalize::uses_textures(&module)
            && let Some(fault) = texture_fault(&module, &launch, &before, &wanted)
        {
            return Err(format!("{} as buffers: {fault}", section.name));
        }
        let sm = [75, 90][turn as usize % 2];
        self.assemble(&module, &launch, &before, turn)?;
        match compare(&module, sm, &launch, &before, &wanted, turn) {
            Outcome::Same => self.runs += 1,
            Outcome::Unsupported(what) => *self.unsupported.entry(what).or_default() += 1,
            Outcome::Different(what) => {
                if width < WIDTH && what.starts_with("the kernel does not end") && waits(&module) {
                    self.waiting.push(section.name.clone());
                    return Ok(());
                }
                // What is undefined, such as a race between lanes, and misaligned addresses, may differ.
                let is_defined = is_defined(&module, &launch, &before);
                if !is_defined || !is_aligned(&module, &launch, &before) {
                    self.excused.push(section.name.clone());
                    return Ok(());
                }
                return Err(format!("{} at {width}: {what}", section.name));
            }
        }
        Ok(())
    }
}

/// Whether a loop reads memory that the program writes: waves that share a warp leave it together, so that none of them
/// can wait for another.
fn waits(module: &ir::Module) -> bool {
    let loops = module.insts.iter().filter(|it| matches!(it.op, ir::Op::Loop { .. }));
    let mut open: Vec<ir::Region> = loops.flat_map(|it| it.op.regions()).collect();
    while let Some(region) = open.pop() {
        for inst in &module.region(region).insts {
            let op = &module.inst(*inst).op;
            let shared = op.effects().reads().is_some_and(|it| !it.is_private());
            if shared && !matches!(op, ir::Op::Texture(_)) {
                return true;
            }
            open.extend(op.regions());
        }
    }
    false
}

/// Whether the sanitizer has nothing against a run.
fn is_defined(module: &ir::Module, launch: &ir::exec::Launch, bindings: &Bindings) -> bool {
    let plan = sanitizer::Plan::new(vec![launch.wave_width]);
    let report = sanitizer::examine(module, launch, bindings, &plan);
    let portability = sanitizer::Verdict::Portability;
    report.is_ok_and(|it| it.seen.iter().all(|it| it.finding.kind.verdict() == portability))
}

/// Runs the suite at some widths, which sections take by turns; with `PTX=NAME`, sections of that name at all of them.
fn suite_in_ptx(of: &[u32], least: u32) {
    let filter = std::env::var("PTX").unwrap_or_default();
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    let mut turn = 0;
    for file in suite::files(&suite::folder()) {
        for section in suite::read(&file).unwrap() {
            // The order of turns is the reference engine's.
            let takes_turns =
                section.may_wait_for_ever() || section.must_find("order-dependent-result");
            if section.fails() || takes_turns || !section.name.contains(&filter) {
                continue;
            }
            let due = of[turn as usize % of.len()];
            let is_due = |width: &u32| *width == due || !filter.is_empty() && of.contains(width);
            turn += 1;
            for width in section.widths.iter().copied().filter(is_due) {
                if let Err(what) = tally.check(&section, width, turn) {
                    wrong.push(what);
                }
            }
        }
    }
    println!("{} runs; unsupported: {:?}", tally.runs, tally.unsupported);
    println!("undefined and different: {}", tally.excused.join(", "));
    println!("waiting for other waves of the warp: {}", tally.waiting.join(", "));
    assert!(tally.waiting.len() < 20, "{:?}", tally.waiting);
    let first = |what: &String| what.lines().next().unwrap_or("").to_owned();
    let shown: Vec<String> = match filter.is_empty() {
        true => wrong.iter().take(40).map(first).collect(),
        false => wrong.iter().take(3).cloned().collect(),
    };
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), shown.join("\n"));
    assert!(tally.runs > least || !filter.is_empty(), "{} runs", tally.runs);
}

#[test]
fn the_suite_does_the_same_in_ptx() {
    suite_in_ptx(&[WIDTH], 1000);
}

#[test]
fn the_suite_does_the_same_in_waves_that_share_a_warp() {
    suite_in_ptx(&PACKED, 400);
}

#[test]
fn the_suite_does_the_same_in_waves_of_which_a_thread_holds_several_lanes() {
    suite_in_ptx(&WIDE, 400);
}

fn generated(programs: Programs, width: u32, number: u64) {
    let mut tally = Tally::default();
    let mut all = String::new();
    for seed in 0..number {
        let text = programs.section(seed, width, &mut Statistics::default());
        let (marker, rest) = text.split_once('\n').unwrap();
        all += &format!("{marker}\n//# widths {width}\n{rest}\n");
        for section in suite::section::read("generated.hlsl", &text).unwrap() {
            if let Err(what) = tally.check(&section, width, seed) {
                panic!("seed {seed}: {what}\n{text}");
            }
        }
    }
    println!("{} runs; unsupported: {:?}", tally.runs, tally.unsupported);
    assert!(u64::from(tally.runs) > number / 2, "{} runs", tally.runs);
    if let Ok(file) = std::env::var("PTX_PROGRAMS") {
        std::fs::write(file, all).unwrap();
    }
}

#[test]
fn generated_programs_do_the_same_in_ptx() {
    generated(Programs::Generated, WIDTH, PROGRAMS);
}

#[test]
fn generated_programs_do_the_same_in_waves_that_share_a_warp() {
    for width in PACKED {
        generated(Programs::Generated, width, PROGRAMS / 4);
    }
}

/// Whether a module in slots, on the reference engine in waves of 32 lanes, leaves what the source leaves in wider
/// ones.
fn in_slots(section: &Section, width: u32) -> Result<bool, String> {
    let Some(module) = run::compile(section, width)?.module else { return Ok(false) };
    let Ok(before) = run::inputs(section, &module) else { return Ok(false) };
    if legalize::uses_textures(&module) || !module.queries.is_empty() {
        return Ok(false);
    }
    let mut launch = run::launch(section, &module, width);
    let mut wanted = before.clone();
    if interp::run(&module, &launch, &mut wanted, &mut NoObserver).is_err() {
        return Ok(false);
    }
    let target = Target::cuda().with_formats(formats(&before));
    let legal = legalize::legalize(&module, &target);
    let slots = legalize::in_slots(&legal, width);
    let fail = |what: String| Err(format!("{} at {width}: {what}", section.name));
    if let Err(problems) = ir::verify::verify(&slots) {
        return fail(problems[0].to_string());
    }
    let source = launch.clone();
    launch.wave_width = WIDTH;
    launch.fuel = launch.fuel.map(|it| it.saturating_mul(64));
    let mut got = before.clone();
    if let Err(failure) = interp::run(&slots, &launch, &mut got, &mut NoObserver) {
        return fail(failure.to_string());
    }
    match engines::difference(&module, &wanted, &got) {
        Some(differs) => {
            let is_defined = is_defined(&module, &source, &before);
            if is_defined && is_aligned(&module, &source, &before) {
                fail(differs)
            } else {
                Ok(false)
            }
        }
        None => Ok(true),
    }
}

#[test]
fn wide_waves_do_the_same_in_slots_on_the_reference_engine() {
    let filter = std::env::var("PTX").unwrap_or_default();
    let (mut runs, mut wrong) = (0, Vec::new());
    for file in suite::files(&suite::folder()) {
        for section in suite::read(&file).unwrap() {
            if section.fails() || section.may_wait_for_ever() || !section.name.contains(&filter) {
                continue;
            }
            for width in WIDE.into_iter().filter(|it| section.widths.contains(it)) {
                match in_slots(&section, width) {
                    Ok(ran) => runs += u32::from(ran),
                    Err(what) => wrong.push(what),
                }
            }
        }
    }
    println!("{runs} runs");
    let shown: Vec<&str> = wrong.iter().take(40).filter_map(|it| it.lines().next()).collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), shown.join("\n"));
    assert!(runs > 1500 || !filter.is_empty(), "{runs} runs");
}

#[test]
fn generated_programs_do_the_same_in_waves_of_which_a_thread_holds_several_lanes() {
    for width in WIDE {
        generated(Programs::Generated, width, PROGRAMS / 8);
    }
}

/// The text of a compute shader's kernel.
fn kernel(body: &str) -> String {
    let text = format!(
        "RWStructuredBuffer<uint> Out; groupshared uint tile[64];\n\
         [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {{ {body} }}"
    );
    let compiled = run::compile_text("kernel.hlsl", &text, &hlsl::Options::default());
    let module = compiled.module.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let environment = ptx::KernelEnvironment::for_device(80).unwrap();
    ptx::emit(&module, &environment, &ir::debug::NoDebug).unwrap().text
}

#[test]
fn only_what_observes_lanes_is_predicated() {
    // An ordinary branch, without a vote.
    let plain = kernel("uint x = i; if (i > 5) { x = 300 / (i & x); x ^= 3; } Out[i] = x;");
    assert!(plain.contains("bra $else") && !plain.contains(".sync"), "{plain}");
    // Nor that, if all that it does is cheaper.
    let short = kernel("uint x = i; if (i > 5) { x = i * 3; x ^= x << (x & 7); } Out[i] = x;");
    assert!(short.contains("selp") && !short.contains("bra"), "{short}");
    // The lanes that sum are flagged: no lane branches around the reduction.
    let sum = kernel("uint x = 1; if (i > 5) x = WaveActiveSum(i); Out[i] = x;");
    assert!(sum.contains("redux.sync.add.u32") && !sum.contains("bra"), "{sum}");
    // In a loop that all lanes leave together, all of them are active: there is no set to compute.
    let together =
        kernel("uint x = i; for (uint k = 0; k < 401; ++k) x += WaveActiveSum(x); Out[i] = x;");
    assert!(!together.contains("ballot"), "{together}");
    let apart =
        kernel("uint x = i; for (uint k = 0; k < i; ++k) x += WaveActiveSum(x); Out[i] = x;");
    assert!(apart.contains("vote.sync.any.pred"), "{apart}");
}

#[test]
fn lanes_are_synchronised_where_accesses_may_conflict_and_nowhere_else() {
    let conflicts = kernel("tile[i] = i; Out[i] = tile[i ^ 1];");
    assert_eq!(conflicts.matches("bar.warp.sync -1").count(), 1, "{conflicts}");
    let reads = kernel("Out[i] = tile[i ^ 1] + tile[i ^ 2];");
    assert!(!reads.contains("bar.warp.sync"), "{reads}");
    // Additions whose results are unused commute.
    let counts = kernel("InterlockedAdd(tile[0], i); InterlockedAdd(tile[1], i);");
    assert!(counts.contains("red.relaxed.cta.shared.add.u32"), "{counts}");
    assert!(!counts.contains("bar.warp.sync"), "{counts}");
    // The barrier of a group orders its accesses by itself.
    let group = kernel("tile[i] = i; GroupMemoryBarrierWithGroupSync(); Out[i] = tile[i ^ 33];");
    assert!(group.contains("bar.sync") && !group.contains("fence"), "{group}");
    let device = kernel("tile[i] = i; AllMemoryBarrierWithGroupSync(); Out[i] = tile[i ^ 33];");
    assert!(device.contains("fence.acq_rel.gpu"), "{device}");
}

/// A loop in which lanes look at flags of the groups before, one after another.
fn look_back(condition: &str, width: u32, flags: usize) -> String {
    let text = format!(
        "globallycoherent RWStructuredBuffer<uint> Flags; RWStructuredBuffer<uint> Out;
         [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex, uint3 g : SV_GroupID) {{
             uint sum = 0;
             if ({condition}) {{
                 uint at = g.x;
                 while (true) {{
                     uint flag = Flags[at];
                     if (flag == 0) continue;
                     sum += flag >> 2;
                     if (flag & 1) break;
                     at--;
                 }}
                 uint old;
                 InterlockedExchange(Flags[g.x], sum, old);
             }}
             Out[i] = sum;
         }}"
    );
    let compiled = run::compile_text("kernel.hlsl", &text, &hlsl::Options::default());
    let module = compiled.module.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let dispatch = Some(ptx::Dispatch { groups: [8, 1, 1], bytes: vec![flags, 256] });
    let environment = ptx::KernelEnvironment::for_device(80).unwrap();
    let environment = ptx::KernelEnvironment { width, dispatch, ..environment };
    ptx::emit(&module, &environment, &ir::debug::NoDebug).unwrap().text
}

#[test]
fn code_for_one_lane_becomes_ordinary_branches() {
    for condition in ["i == 5", "!i", "g.x && !i", "!(g.x == 0 || i != 9)"] {
        for width in [16, 32] {
            let kernel = look_back(condition, width, 32);
            assert!(!kernel.contains(".sync"), "{condition}: {kernel}");
        }
    }
    assert!(look_back("i < 2", 32, 32).contains("bar.warp.sync"));
}

/// Forms that the driver's assembler gets wrong are not emitted: a constant that a shuffle passes on, and a negated
/// operand of a minimum or maximum.
#[test]
fn minima_and_maxima_have_no_negated_operands_and_constants_are_not_shuffled() {
    for constant in [
        "WaveReadLaneFirst(1)",
        "QuadReadAcrossX(1)",
        "WaveReadLaneAt(1, i & 31)",
        "WaveActiveProduct(3)",
    ] {
        let text = kernel(&format!("Out[i] = max(0, {constant} - (int)WaveGetLaneIndex());"));
        assert!(!text.contains("shfl"), "{constant}: {text}");
    }
    let words = |line: &str| -> Vec<String> {
        line.split([' ', ',', ';', '\t']).filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    for body in [
        "max(x, max(y, -x))",
        "min(y - x, 3)",
        "clamp(1 - x, y, 9)",
        "WaveActiveMax(-x)",
        "x > 3 ? WaveActiveMin(y - x) : 1",
    ] {
        let text = kernel(&format!("int x = Out[i + 1], y = Out[i + 2]; Out[i] = {body};"));
        let lines: Vec<Vec<String>> = text.lines().map(words).filter(|it| it.len() > 2).collect();
        let is = |line: &[String], names: &[&str]| names.iter().any(|it| line[0].starts_with(it));
        let folds = lines.iter().filter(|it| is(it, &["min.", "max.", "redux.sync.m"]));
        let folded: Vec<&String> = folds.flat_map(|it| &it[2..]).collect();
        assert!(!folded.is_empty(), "{body}: {text}");
        for line in lines.iter().filter(|it| is(it, &["neg.", "sub."])) {
            assert!(!folded.contains(&&line[1]), "{body}: {text}");
        }
    }
}

/// A branch around the load would cost more than the load of another element.
#[test]
fn a_lane_that_waits_loads_without_a_branch_where_something_is_bound() {
    let loads = |flags: usize| {
        let kernel = look_back("i == 5", 32, flags);
        let load = kernel.lines().find(|it| it.contains("ld.relaxed.gpu.global")).unwrap();
        load.trim_start().starts_with('@')
    };
    assert_eq!([32, 4, 0].map(loads), [false, false, true]);
}

#[test]
fn accesses_of_one_element_become_one() {
    let text = "struct Pair { uint4 a; uint2 b; float2 c; };
        StructuredBuffer<Pair> In; RWStructuredBuffer<Pair> Out;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = In[i]; }";
    let compiled = run::compile_text("kernel.hlsl", text, &hlsl::Options::default());
    let module = compiled.module.unwrap();
    let environment = ptx::KernelEnvironment::for_device(75).unwrap();
    let text = ptx::emit(&module, &environment, &ir::debug::NoDebug).unwrap().text;
    assert!(text.contains("ld.global.nc.v4.b32") && text.contains("st.global.v4.b32"), "{text}");
}

#[test]
fn sorting_within_a_wave_is_straight_code() {
    let text = kernel(
        "uint v = Out[i], lane = WaveGetLaneIndex();
         for (uint k = 2; k <= WaveGetLaneCount(); k <<= 1)
             for (uint j = k >> 1; j > 0; j >>= 1) {
                 uint other = WaveReadLaneAt(v, lane ^ j);
                 v = ((lane & k) == 0) == ((lane & j) == 0) ? min(v, other) : max(v, other);
             }
         Out[i] = v;",
    );
    assert_eq!(text.matches("shfl.sync.bfly").count(), 15, "{text}");
    assert!(!text.contains("bra") && !text.contains("shfl.sync.idx"), "{text}");
}

#[test]
fn a_counted_loop_that_lanes_leave_tests_its_counter_once_in_16_iterations() {
    let text = kernel(
        "float x = 0; uint n = 0;
         while (n < 256) { if (x * x > 4) break; x = x * x + i; n++; }
         Out[i] = n;",
    );
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("setp.gt.f32"), count(", 256;")), (16, 1), "{text}");
    // Values that only leaving lanes need are computed where they leave.
    let added = text.lines().position(|it| it.contains("add.s32") && it.ends_with(", 7;"));
    let moved = added.and_then(|it| text.lines().nth(it + 1));
    assert!(moved.is_some_and(|it| it.contains("mov.b32")), "{text}");
}

/// Accesses that are in bounds in every thread of a dispatch are not tested; all others are.
#[test]
fn bounds_are_tested_where_a_thread_may_be_beyond() {
    let tests = |body: &str, groups: u32, bytes: usize| {
        let text = format!(
            "RWStructuredBuffer<uint> Out;
             [numthreads(64, 1, 1)] void main(uint i : SV_DispatchThreadID, uint3 g : SV_GroupID)
             {{ {body} }}"
        );
        let compiled = run::compile_text("kernel.hlsl", &text, &hlsl::Options::default());
        let module = compiled.module.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let dispatch = Some(ptx::Dispatch { groups: [groups, 1, 1], bytes: vec![bytes] });
        let environment = ptx::KernelEnvironment::for_device(80).unwrap();
        let environment = ptx::KernelEnvironment { dispatch, ..environment };
        let text = ptx::emit(&module, &environment, &ir::debug::NoDebug).unwrap().text;
        text.lines().filter(|it| it.contains("@") && it.contains("st.global")).count()
    };
    for (body, elements) in [
        ("Out[i] = i;", 256),
        ("Out[i + 3] = i;", 259),
        ("Out[i * 3] = i;", 766),
        ("Out[(i >> 2) ^ 9] = i;", 64),
        ("Out[min(i, 10u) + g.x] = i;", 14),
        ("Out[i & 12] = i;", 13),
    ] {
        assert_eq!(tests(body, 4, 4 * elements), 0, "{body}");
        assert_eq!(tests(body, 4, 4 * elements - 1), 1, "{body}");
        assert_eq!(tests(body, 4, 0), 1, "{body}");
    }
    // The sum may wrap, and what is loaded may be anything.
    for body in
        ["Out[i - 1] = i;", "Out[i * 0x10000000] = i;", "Out[Out[i]] = i;", "Out[i + ~0u] = i;"]
    {
        assert_eq!(tests(body, 4, 4096), 1, "{body}");
    }
}

#[test]
fn constants_divide_without_a_division() {
    let text = kernel("Out[i] = i / 7 + i % 12 * (i / 16) + uint(int(i) / -5) + int(i) % 8;");
    assert!(!text.contains("div.") && !text.contains("rem."), "{text}");
    let text = kernel("Out[i] = float(i) / 2048 * 9 > 3 ? i : 7;");
    assert!(!text.contains("div.") && !text.contains("testp"), "{text}");
}

#[test]
fn a_texture_of_which_nothing_is_known_has_the_format_of_its_elements() {
    let text = "Texture2D<float2> In; RWTexture2D<uint> Out;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex)
        { Out[uint2(i, 0)] = asuint(In[uint2(i, 0)].y); }";
    let compiled = run::compile_text("kernel.hlsl", text, &hlsl::Options::default());
    let environment = ptx::KernelEnvironment::for_device(75).unwrap();
    let text =
        ptx::emit(&compiled.module.unwrap(), &environment, &ir::debug::NoDebug).unwrap().text;
    assert!(text.contains("In.shapes") || text.contains("In_shapes"), "{text}");
    assert!(text.contains("ld.global.nc.b32") && text.contains("st.global.b32"), "{text}");
}

/// Texels of every format, read as every type and stored back: all contents of small scalars, and the corners of
/// others; with fewer components than the shader's, too, of which the last texel may lack some.
#[test]
fn texels_are_converted_like_on_the_reference_engine() {
    const TYPES: [&str; 8] =
        ["float4", "uint4", "int4", "half4", "uint16_t4", "int16_t4", "uint64_t2", "double2"];
    let formats = {
        use FormatScalar::*;
        [
            Float16, Float32, Float64, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64,
            Unorm8, Unorm16, Snorm8, Snorm16,
        ]
    };
    for ty in TYPES {
        let text = format!(
            "Buffer<{ty}> In; RWBuffer<{ty}> Out; RWStructuredBuffer<{ty}> Read; StructuredBuffer<{ty}> Given;
             [numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID)
             {{ Read[i] = In[i]; Out[i] = Given[i]; }}"
        );
        let options = hlsl::Options {
            enable_16bit: true,
            shader_model: hlsl::ShaderModel::V6_6,
            ..hlsl::Options::default()
        };
        let compiled = run::compile_text("texels.hlsl", &text, &options);
        let module = compiled.module.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let few = [1, 2, 3].into_iter().cycle();
        for (scalar, components) in
            formats.into_iter().zip(few).flat_map(|(it, few)| [(it, 4), (it, few)])
        {
            let bytes = ir::texel::scalar_bytes(scalar) as usize;
            let texels = corners(bytes);
            let groups = (texels.len() / bytes / 4).div_ceil(32) as u32;
            let format = Some(ElementFormat { scalar, components });
            let what = What::Memory { format, counter: 0 };
            let typed = |bytes: Vec<u8>| Buffer { bytes: bytes.into(), what: what.clone() };
            let given = match ty {
                "uint64_t2" | "double2" => corners(8),
                "half4" | "uint16_t4" | "int16_t4" => corners(2),
                _ => corners(4),
            };
            let stored = 32 * groups as usize * 4 * bytes;
            let shown =
                Buffer { bytes: vec![7; 32 * groups as usize * 32].into(), ..Buffer::default() };
            let given = Buffer { bytes: given.into(), ..Buffer::default() };
            let bound = |name: &str| match name {
                "In" => typed(texels.clone()),
                "Out" => typed(vec![7; stored]),
                "Read" => shown.clone(),
                _ => given.clone(),
            };
            let bindings = module.resources.iter().map(|it| vec![bound(&it.name)]).collect();
            let before = Bindings { bindings };
            let launch = engines::launch([groups, 1, 1], WIDTH);
            let mut wanted = before.clone();
            interp::run(&module, &launch, &mut wanted, &mut NoObserver).unwrap();
            let changed = wanted.bindings.iter().zip(&before.bindings).filter(|(a, b)| a != b);
            assert_eq!(changed.count(), 2, "{ty} {scalar:?}");
            let fault = fault(&module, &Target::cuda(), &launch, &before, &wanted);
            assert_eq!(fault, None, "{ty} {scalar:?} of {components} components");
            match compare(&module, 80, &launch, &before, &wanted, 0) {
                Outcome::Same => {}
                Outcome::Unsupported(what) => panic!("{ty} {scalar:?}: {what}"),
                Outcome::Different(what) => panic!("{ty} {scalar:?}: {what}"),
            }
        }
    }
}

/// Scalars of that size, side by side: all of them, or those around powers of two, with both signs, and NaN.
fn corners(bytes: usize) -> Vec<u8> {
    let mut all: Vec<u64> = match bytes {
        1 => (0..1 << 8).collect(),
        2 => (0..1 << 16).collect(),
        _ => Vec::new(),
    };
    if bytes > 2 {
        let float =
            |it: f64| if bytes == 4 { u64::from((it as f32).to_bits()) } else { it.to_bits() };
        for exponent in 0..8 * bytes as u32 {
            let power = 1u64 << exponent;
            let fraction = 0.5 + f64::from(exponent) / 256.0;
            all.extend([power - 1, power, power + 1, power.wrapping_neg()]);
            all.extend(
                [power as f64, fraction, -fraction, fraction * 255.0, power as f64 + 0.5]
                    .map(float),
            );
            all.extend(
                [(f64::from(exponent) + 0.5) / 255.0, (power as f64 + 0.5) / 65535.0].map(float),
            );
        }
        all.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, -1.0, 1.0].map(float));
        all.extend([f64::NAN.to_bits() | 1 << 51 | 5, u64::from(f32::NAN.to_bits() | 9)]);
    }
    // Whole texels.
    all.resize(all.len().next_multiple_of(4), 0);
    all.iter().flat_map(|it| it.to_le_bytes()[..bytes].to_vec()).collect()
}
