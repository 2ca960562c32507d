//! Several groups in one (`legalize::coarsened`) leave what the groups leave, on the reference engine and as PTX:
//! generated programs, and every condition by the smallest shader that breaks it. `ptx.rs` runs the suite, few of whose
//! sections load from buffers.
#![allow(clippy::print_stdout, reason = "shows how much was run")]

use interp::NoObserver;
use ir::exec::{Bindings, Buffer, Launch, Work};
use ir::{Module, Op};
use legalize::{Target, coarsened, unrolled};
use ops::Random;
use suite::emulate::{self, Outcome};
use suite::legalized::fault;
use suite::run;

/// Generated programs.
const PROGRAMS: u64 = 300;

/// The elements of `In`.
const INPUTS: usize = 61;

/// Statements of generated programs, whose results do not depend on the order of groups. `x` and `y` differ between
/// threads, `id` numbers the threads of the dispatch, `i` those of the group.
const STATEMENTS: [&str; 31] = [
    "y += In[(x + y) % 61];",
    "y += In[i % 61] ^ In[g.x % 61];",
    "y += In[3] * c.y;",
    "{ uint4 all = c; y += (all.x ^ all.y) * all.z - all.w; }",
    "y ^= WavePrefixSum(x & 7);",
    "y += WaveActiveSum(y & 15);",
    "y += WaveActiveCountBits((y & 1) != 0);",
    "y += WaveReadLaneFirst(y) ^ WaveGetLaneIndex();",
    "y += uint(sqrt(float(x & 255)) * 3);",
    "if (x % 11 == 3) y = WaveActiveMax(x) * 3;",
    "if (WaveIsFirstLane()) y += In[(id + 5) % 61];",
    "if (i < 9) { y += In[(y + i) % 61]; Extra[id] = y; } else { y ^= g.x; }",
    "if (i % 5 == 1) { if (WaveIsFirstLane()) y = In[y % 61]; else x += In[i % 61]; } else y = 7;",
    "{ uint s = WaveActiveSum(x); if (WaveIsFirstLane()) InterlockedAdd(Sum[0], s); }",
    "{ uint s = WaveActiveMin(y); if (WaveIsFirstLane()) InterlockedMin(Least[1], s); }",
    "InterlockedAdd(Sum[1], x);",
    "InterlockedAdd(Sum[2], 3);",
    "InterlockedAdd(Sum[3 + (x & 3)], y);",
    "InterlockedAdd(Sum[900], y);",
    "if ((i & 3) == 1) InterlockedMin(Least[0], y);",
    "InterlockedOr(Bits[0], 1u << (x & 31));",
    "InterlockedXor(Flips[0], WaveActiveBitXor(y)); InterlockedXor(Flips[1], y);",
    "{ uint n; InterlockedAdd(Extra[id], x, n); y += n; }",
    "switch (x & 3) { case 0: y += 2; case 1: y *= 3; break; default: y ^= In[y % 61]; }",
    "Extra[id] = y; if ((y & 3) != 0) Extra[id] += x;",
    "tile[i] = y; GroupMemoryBarrierWithGroupSync(); y += tile[(i + 1) % THREADS]; GroupMemoryBarrierWithGroupSync();",
    "if (i < 3) tile[i] = x; AllMemoryBarrierWithGroupSync(); y ^= tile[2]; GroupMemoryBarrierWithGroupSync();",
    "for (uint k = 0; k < 3; ++k) y += In[(y + k) % 61];",
    "y = early(x, y);",
    "y += g.x * 3 + g.y * 5 + g.z * 7; y ^= l.x + 16 * l.y + 64 * l.z;",
    "Raw.Store(4 * id, y); y ^= Raw.Load(4 * id) >> 3;",
];

/// The program of a seed, and the groups of its dispatch.
fn program(seed: u64) -> (String, [u32; 3]) {
    let mut random = Random::new(seed ^ 0x0c0a_25e0_0d12_6e37);
    let [x, y, z] = [[32, 1, 1], [24, 1, 1], [8, 4, 1], [6, 2, 3], [64, 1, 1]][random.below(5)];
    let groups = [[4, 1, 1], [8, 2, 1], [2, 3, 2], [12, 1, 3]][random.below(4)];
    let body: Vec<&str> = (0..2 + random.below(5)).map(|_| *random.pick(&STATEMENTS)).collect();
    let text = format!(
        "#define THREADS {}
        StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Extra;
        RWByteAddressBuffer Raw; RWStructuredBuffer<uint> Sum; RWStructuredBuffer<uint> Least;
        RWStructuredBuffer<uint> Bits; RWStructuredBuffer<uint> Flips; cbuffer C {{ uint4 c; }}
        groupshared uint tile[THREADS];
        uint early(uint x, uint y) {{
            if (x % 3 == 0) return y + 1;
            if (y % 5 == 2) return In[(x + y) % 61];
            return y * 2;
        }}
        [numthreads({x}, {y}, {z})]
        void main(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint3 l : SV_GroupThreadID,
                  uint i : SV_GroupIndex) {{
            uint id = (g.x + {} * (g.y + {} * g.z)) * THREADS + i;
            uint x = In[(id * 7) % 61], y = d.x + 3 * d.y + 5 * d.z;
            {}
            Out[id] = y;
        }}",
        x * y * z,
        groups[0],
        groups[1],
        body.join("\n            ")
    );
    (text, groups)
}

fn compiled(text: &str) -> Module {
    let compiled = run::compile_text("coarse.hlsl", text, &hlsl::Options::default());
    compiled.module.unwrap_or_else(|| panic!("{text}: {:?}", compiled.diagnostics))
}

fn words(all: impl IntoIterator<Item = u32>) -> Buffer {
    let bytes: Vec<u8> = all.into_iter().flat_map(u32::to_le_bytes).collect();
    Buffer { bytes: bytes.into(), ..Buffer::default() }
}

/// Contents of the resources of generated programs, and of the shaders below.
fn bound(module: &Module, threads: u32) -> Bindings {
    let given = (0..INPUTS as u32).map(|it| it.wrapping_mul(2_654_435_761) >> 7);
    let of = |it: &ir::Resource| match it.name.as_str() {
        "In" => words(given.clone()),
        "Sum" | "Bits" | "Flips" => words((1..9).map(|it| it << 20)),
        "Least" => words([u32::MAX; 8]),
        "C" => words([3, 5, 7, 9]),
        _ => words(0..threads),
    };
    Bindings { bindings: module.resources.iter().map(|it| vec![of(it)]).collect() }
}

fn sizes(bindings: &Bindings) -> Vec<usize> {
    bindings.bindings.iter().map(|it| it.first().map_or(0, |it| it.bytes.len())).collect()
}

/// The launch of a module whose groups are `slots` of another's.
fn coarse(launch: &Launch, slots: u32) -> Launch {
    let groups = ptx::coarse_groups(launch.groups(), slots);
    Launch { work: Work::Dispatch { groups }, fuel: None, ..launch.clone() }
}

/// What a module leaves.
fn after(module: &Module, launch: &Launch, before: &Bindings) -> Option<Bindings> {
    let mut after = before.clone();
    interp::run(module, launch, &mut after, &mut NoObserver).ok().map(|()| after)
}

/// Coarsens a module for a launch in all ways that are possible, and compares. Returns the number of ways.
fn check(module: &Module, launch: &Launch, before: &Bindings) -> Result<u32, String> {
    let Some(wanted) = after(module, launch, before) else { return Ok(0) };
    let flat = unrolled(module, launch.wave_width);
    let flat = flat.as_ref().unwrap_or(module);
    let mut ways = 0;
    for slots in [2, 4] {
        if !launch.groups()[0].is_multiple_of(slots) {
            continue;
        }
        let Some(new) = coarsened(flat, slots, &sizes(before)) else { continue };
        ways += 1;
        let launch = coarse(launch, slots);
        if let Some(fault) = fault(&new, &Target::everything(), &launch, before, &wanted) {
            return Err(format!("{slots} groups in one: {fault}"));
        }
    }
    Ok(ways)
}

#[test]
fn generated_programs_leave_the_same() {
    let (mut ways, mut kernels) = (0, 0);
    for seed in 0..PROGRAMS {
        let (text, groups) = program(seed);
        let module = compiled(&text);
        let all = groups.iter().product::<u32>() * module.threads_per_group();
        let before = bound(&module, all);
        let width = [32, 16, 8, 64][seed as usize % 4];
        let launch = suite::engines::launch(groups, width);
        ways += check(&module, &launch, &before).unwrap_or_else(|it| panic!("{it}\n{text}"));
        if width > ptx::LANES {
            continue;
        }
        let emitted = emulate::emit(&module, 90, width, &before, groups);
        kernels += u32::from(emitted.is_ok_and(|it| it.coarse > 1));
        let wanted = after(&module, &launch, &before).unwrap();
        match emulate::compare(&module, 90, &launch, &before, &wanted, seed) {
            Outcome::Same => {}
            other => panic!("{other:?}\n{text}"),
        }
    }
    println!("{ways} modules, {kernels} kernels");
    assert!(ways > 300 && kernels > 150, "{ways} modules, {kernels} kernels");
}

/// A shader with a body in groups of 64 threads.
fn shader(declared: &str, body: &str) -> Module {
    compiled(&format!(
        "{declared} StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Count;
         [numthreads(64, 1, 1)]
         void main(uint t : SV_DispatchThreadID, uint g : SV_GroupID, uint i : SV_GroupIndex) {{ {body} }}"
    ))
}

/// Each condition, by the smallest shader that breaks it.
#[test]
fn groups_that_could_tell_are_not_coarsened() {
    let coarsens =
        |declared: &str, body: &str| coarsened(&shader(declared, body), 2, &[0; 4]).is_some();
    let copy = "Out[t] = In[t];";
    assert!(coarsens("", copy));
    assert!(coarsens("", &format!("{copy} GroupMemoryBarrierWithGroupSync(); Out[t] += 1;")));
    assert!(coarsens("groupshared uint s[64];", "s[i] = In[t]; Out[t] = s[i];"));
    for (why, declared, body) in [
        ("a loop waits", "", "while (Count[0] == 0) {} Out[t] = In[t];"),
        ("a loop without a known course", "", "uint x = In[t]; while (x > 9) x /= 2; Out[t] = x;"),
        ("a lane returns early", "", "if (t == 9) return; Out[t] = In[t];"),
        (
            "a barrier in a branch",
            "",
            "if (g < 2) GroupMemoryBarrierWithGroupSync(); Out[t] = In[t];",
        ),
        ("it prints", "", "printf(\"%u\", In[t]); Out[t] = In[t];"),
        ("nothing is loaded", "", "Out[t] = t;"),
        ("only constants are loaded", "cbuffer C { uint4 c[4]; }", "Out[t] = c[g & 3].x;"),
        ("one load serves all", "", "Out[t] = In[i];"),
        ("the load is in a branch", "", "if (t % 3 == 1) Out[t] = In[t];"),
        (
            "a private array",
            "",
            "uint a[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }; a[t % 9] = In[t]; Out[t] = a[i % 9];",
        ),
        ("much groupshared memory", "groupshared uint s[2049];", "s[i] = In[t]; Out[t] = s[i];"),
        ("a texture", "Texture2D<uint> T;", "Out[t] = T[uint2(t, 0)] + In[t];"),
    ] {
        assert!(!coarsens(declared, body), "{why}");
    }
    let long =
        |steps: usize| format!("uint x = In[t]; {} Out[t] = x;", "x = x * x + 1;".repeat(steps));
    assert!(coarsens("", &long(120)) && !coarsens("", &long(130)));
    // Of another stage.
    let pixels = suite::pixels::compile(
        "StructuredBuffer<uint> In; float4 main(uint v : V) : SV_Target { return In[v]; }",
        "ps_6_6",
    );
    assert!(coarsened(&pixels.unwrap(), 2, &[0]).is_none());
}

/// How many instructions of a kind a module has.
fn count(module: &Module, is: impl Fn(&Op) -> bool) -> usize {
    let insts = module.regions.iter().flat_map(|it| &it.insts);
    insts.filter(|it| is(&module.inst(**it).op)).count()
}

#[test]
fn work_that_all_slots_share_is_done_once_and_loads_come_first() {
    let body = "uint s = In[3]; uint x = In[t]; GroupMemoryBarrierWithGroupSync();
        if (WaveIsFirstLane()) x += In[t + 1]; Out[t] = x + s;";
    let module = coarsened(&shader("", body), 4, &[]).unwrap();
    let text = ir::text::print(&module);
    assert_eq!(count(&module, |it| matches!(it, Op::Load { .. })), 9, "{text}");
    assert_eq!(count(&module, |it| matches!(it, Op::Barrier { .. })), 1, "{text}");
    assert_eq!(count(&module, |it| matches!(it, Op::If { .. })), 1, "{text}");
    assert_eq!(count(&module, |it| matches!(it, Op::Store { .. })), 4, "{text}");
    let body: Vec<&Op> =
        module.region(module.body).insts.iter().map(|it| &module.inst(*it).op).collect();
    let last = body.iter().rposition(|it| matches!(it, Op::Load { .. }));
    let barrier = body.iter().position(|it| matches!(it, Op::Barrier { .. }));
    assert!(last < barrier, "{text}");
}

/// The first of `emit`'s numbers that divides the groups and leaves enough of them.
#[test]
fn a_kernel_runs_as_many_groups_in_a_block_as_divide_the_dispatch_and_keep_the_device_busy() {
    let emitted = |body: &str, groups: [u32; 3], blocks: Option<u32>| {
        let dispatch = Some(ptx::Dispatch { groups, bytes: vec![1 << 20; 3] });
        let environment = ptx::KernelEnvironment::for_device(90).unwrap();
        let environment = ptx::KernelEnvironment { dispatch, blocks, ..environment };
        ptx::emit(&shader("", body), &environment, &ir::debug::NoDebug).unwrap()
    };
    let copy = "Out[t] = In[t];";
    for (groups, blocks, slots) in [
        ([64, 1, 1], Some(1), 4),
        ([64, 1, 1], Some(16), 4),
        ([64, 1, 1], Some(17), 2),
        ([64, 1, 1], Some(33), 1),
        ([64, 2, 1], Some(33), 2),
        ([6, 1, 1], Some(1), 2),
        ([7, 4, 4], Some(1), 1),
        ([0, 1, 1], Some(1), 1),
        ([64, 1, 1], None, 1),
    ] {
        let kernel = emitted(copy, groups, blocks);
        assert_eq!(kernel.coarse, slots, "{groups:?} on {blocks:?}");
        let loads = kernel.text.matches("ld.global").count();
        assert_eq!(loads as u32, slots, "{}", kernel.text);
        // In bounds in all threads, so nothing is tested; and the loads of all slots come before the first store.
        assert!(!kernel.text.contains("setp"), "{}", kernel.text);
        let last = kernel.text.rfind("ld.global");
        assert!(last < kernel.text.find("st.global"), "{}", kernel.text);
    }
    // Nothing else changes where it does not apply.
    for body in ["Out[t] = t * 3;", "uint x = In[t]; while (x > 9) x /= 2; Out[t] = x;"] {
        assert_eq!(emitted(body, [64, 1, 1], Some(1)), emitted(body, [64, 1, 1], None));
    }
    // Long bodies have fewer slots than short ones.
    let long = format!("uint x = In[t]; {} Out[t] = x;", "x = x * x + 1;".repeat(80));
    assert_eq!(emitted(&long, [64, 1, 1], Some(1)).coarse, 2);
    // So have those whose values need many registers.
    for (values, coarse) in [(15, 4), (30, 2), (60, 1)] {
        let loads: String = (0..values).map(|it| format!("uint x{it} = In[t + {it}];")).collect();
        let all: Vec<String> = (0..values).map(|it| format!("x{it}")).collect();
        let body = format!("{loads} Out[t] = {};", all.join(" ^ "));
        assert_eq!(emitted(&body, [64, 1, 1], Some(1)).coarse, coarse, "{values} values");
    }
}

/// Groups that add to one element add once, and those that reserve get parts of what is reserved once.
#[test]
fn slots_add_once_and_reserve_once() {
    let is_atomic = |it: &Op| matches!(it, Op::Atomic { .. });
    let is_reduction = |it: &Op| matches!(it, Op::Wave { op: ops::WaveOp::Reduce(_), .. });
    let of = |body: &str, bytes: &[usize]| coarsened(&shader("", body), 4, bytes).unwrap();
    for (body, atomics, reductions) in [
        (
            "uint s = WaveActiveSum(In[t]); if (WaveIsFirstLane()) InterlockedAdd(Count[0], s);",
            1,
            1,
        ),
        (
            "uint s = WaveActiveMax(In[t]); if (WaveIsFirstLane()) InterlockedMax(Count[0], s);",
            1,
            1,
        ),
        // Another operation, and another use.
        (
            "uint s = WaveActiveMax(In[t]); if (WaveIsFirstLane()) InterlockedAdd(Count[0], s);",
            1,
            4,
        ),
        ("uint s = WaveActiveSum(In[t]); InterlockedAdd(Count[0], s); Out[t] = s;", 1, 4),
        ("InterlockedXor(Count[1], In[t]);", 1, 0),
        // An element for each slot, an operation that keeps one operand, and a branch of each slot's own.
        ("InterlockedAdd(Count[g], In[t]);", 4, 0),
        ("uint o; InterlockedExchange(Count[0], In[t], o);", 4, 0),
        ("if (In[t] & 1) InterlockedAdd(Count[0], 1);", 4, 0),
        // The old value is only known where the element exists.
        ("uint o; InterlockedAdd(Count[1], In[t], o); Out[t] = o;", 1, 0),
        ("uint o; InterlockedAdd(Count[2], In[t], o); Out[t] = o;", 4, 0),
        ("uint o; InterlockedMax(Count[1], In[t], o); Out[t] = o;", 4, 0),
    ] {
        let module = of(body, &[1 << 20, 1 << 20, 8]);
        let text = ir::text::print(&module);
        assert_eq!(count(&module, is_atomic), atomics, "{body}\n{text}");
        assert_eq!(count(&module, is_reduction), reductions, "{body}\n{text}");
    }

    // Compaction: another order than that of the groups one after another, and nothing lost or doubled.
    let body = "uint v = In[t % 61]; bool keep = (v & 1) != 0; uint n = WaveActiveCountBits(keep), start = 0;
        if (WaveIsFirstLane()) InterlockedAdd(Count[0], n, start);
        start = WaveReadLaneFirst(start);
        if (keep) Out[start + WavePrefixCountBits(keep)] = t;";
    let module = shader("", body);
    let mut before = bound(&module, 1024);
    let at = |name: &str| module.resources.iter().position(|it| it.name == name).unwrap();
    before.bindings[at("Count")] = vec![words([0, 0])];
    for width in [16, 32, 64] {
        let launch = suite::engines::launch([16, 1, 1], width);
        let new = coarsened(&module, 4, &sizes(&before)).unwrap();
        assert_eq!(count(&new, is_atomic), 1);
        let got = after(&new, &coarse(&launch, 4), &before).unwrap();
        let wanted = after(&module, &launch, &before).unwrap();
        let kept = |it: &Bindings| {
            let bytes = &it.bindings[at("Out")][0].bytes;
            let words = bytes.chunks_exact(4).map(|it| u32::from_le_bytes(it.try_into().unwrap()));
            let mut words: Vec<u32> = words.collect();
            let count = it.bindings[at("Count")][0].bytes[..4].try_into().unwrap();
            words.truncate(u32::from_le_bytes(count) as usize);
            words.sort_unstable();
            words
        };
        assert_eq!(kept(&got), kept(&wanted), "at {width}");
        // The waves of the group reserve together what the slots have reserved together.
        let once = legalize::aggregated(&new, width, &sizes(&before));
        assert_eq!(once.is_some(), width < 64);
        if let Some(once) = once {
            let got = after(&once, &coarse(&launch, 4), &before).unwrap();
            assert_eq!(kept(&got), kept(&wanted), "together at {width}");
        }
    }
}
