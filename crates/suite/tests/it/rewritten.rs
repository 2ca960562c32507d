//! Rewrites of whole programs leave what the programs leave, on the reference engine: loops over first lanes as one
//! match, private arrays as values, and all rewrites in their order for a dispatch. `coarsened.rs` and `legalize.rs`
//! test the others one by one, `ptx.rs` all of them over the suite.

use interp::NoObserver;
use ir::exec::{Bindings, Buffer, Launch, Work};
use ir::{Module, Op};
use legalize::split::{Halves, split};
use legalize::{
    Dispatch, Known, Target, coarse_groups, disaggregated, matched, promoted, rewritten, runs,
    unrolled,
};
use spirv::Vulkan;
use suite::legalized::fault;
use suite::run;
use suite::validate::{Validator, Verdict, Ways};

/// A shader with a body in groups of 64 threads.
fn shader(declared: &str, body: &str) -> Module {
    let text = format!(
        "{declared} StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> Count;
         [numthreads(64, 1, 1)]
         void main(uint t : SV_DispatchThreadID, uint i : SV_GroupIndex, uint3 g : SV_GroupID) {{ {body} }}"
    );
    let compiled = run::compile_text("rewritten.hlsl", &text, &hlsl::Options::default());
    compiled.module.unwrap_or_else(|| panic!("{text}: {:?}", compiled.diagnostics))
}

fn words(all: impl IntoIterator<Item = u32>) -> Buffer {
    let bytes: Vec<u8> = all.into_iter().flat_map(u32::to_le_bytes).collect();
    Buffer { bytes: bytes.into(), ..Buffer::default() }
}

fn bound(module: &Module) -> Bindings {
    let of = |it: &ir::Resource| match it.name.as_str() {
        "In" => words((0..1024u32).map(|it| it.wrapping_mul(2_654_435_761) >> 27)),
        "Count" => words((0..32).map(|it| it << 20)),
        _ => words(0..1024),
    };
    Bindings { bindings: module.resources.iter().map(|it| vec![of(it)]).collect() }
}

fn after(module: &Module, launch: &Launch, before: &Bindings) -> Bindings {
    let mut after = before.clone();
    interp::run(module, launch, &mut after, &mut NoObserver).unwrap();
    after
}

fn count(module: &Module, is: impl Fn(&Op) -> bool) -> usize {
    module.insts.iter().filter(|it| is(&it.op)).count()
}

fn loops(module: &Module) -> usize {
    count(module, |it| matches!(it, Op::Loop { .. }))
}

/// Checks a rewritten module on the reference engine, as it is and with its matches bit by bit.
fn check(
    new: &Module,
    width: u32,
    launch: &Launch,
    before: &Bindings,
    wanted: &Bindings,
    body: &str,
) {
    let devices = [
        Target::everything(),
        Target::cuda().with_matches_by_bits(width),
        Target::least().with_matches_by_bits(width),
    ];
    for device in devices {
        let what = fault(new, &device, launch, before, wanted);
        assert_eq!(what, None, "{body} at {width}");
    }
}

#[test]
fn loops_over_first_lanes_become_one_match() {
    let add = "if (WaveIsFirstLane()) InterlockedAdd(Count[f], c);";
    for body in [
        // A flag, and a break.
        format!(
            "bool done = false; while (!done) {{ uint f = WaveReadLaneFirst(k); bool mine = f == k;
             uint c = WaveActiveCountBits(mine); if (mine) {{ {add} done = true; }} }}"
        ),
        format!(
            "while (true) {{ uint f = WaveReadLaneFirst(k);
             if (k == f) {{ uint c = WaveActiveCountBits(true); {add} break; }} }}"
        ),
        format!(
            "bool more = true; do {{ uint f = WaveReadLaneFirst(k);
             if (k == f) {{ uint c = WaveActiveSum(3u); {add} more = false; }} }} while (more);"
        ),
        // By every lane, with what it holds; and of groupshared memory.
        "for (;;) { if (WaveReadLaneFirst(k) == k) { InterlockedMax(Count[k], t * 3); InterlockedAdd(Count[k + 1], k); break; } }".to_owned(),
        "while (true) { if (k == WaveReadLaneFirst(k)) { InterlockedXor(shared[k], t); break; } }".to_owned(),
        // The set itself, and the place in it.
        "while (true) { bool mine = k == WaveReadLaneFirst(k); uint4 all = WaveActiveBallot(mine);
         if (mine) { InterlockedAdd(Count[k], all.x ^ all.y * 3 + WavePrefixCountBits(true)); break; } }".to_owned(),
        // Under a condition, and twice.
        format!(
            "if (t % 3 != 1) {{ while (true) {{ uint f = WaveReadLaneFirst(k);
             if (k == f) {{ uint c = WaveActiveCountBits(true); {add} break; }} }} }}
             k = t & 1; while (true) {{ uint f = WaveReadLaneFirst(k);
             if (k == f) {{ uint c = WaveActiveCountBits(true); if (t % 5) {{ {add} }} break; }} }}"
        )
        .replace("if (t % 5) { if (WaveIsFirstLane())", "bool one = WaveIsFirstLane(); if (t % 5) { if (one)"),
    ] {
        let module = shader("groupshared uint shared[64];", &format!("uint k = In[t] % 13; {body} GroupMemoryBarrierWithGroupSync(); if (i < 32) Out[t] = shared[i];"));
        let before = bound(&module);
        for width in [4, 8, 32, 64, 128] {
            let launch = suite::engines::launch([3, 1, 1], width);
            let wanted = after(&module, &launch, &before);
            let new = matched(&module, width).unwrap_or_else(|| panic!("{body}"));
            assert_eq!(loops(&new), 0, "{body}");
            check(&new, width, &launch, &before, &wanted, &body);
        }
    }
}

/// Each condition, by the smallest shader that breaks it.
#[test]
fn loops_in_which_lanes_could_tell_stay() {
    let matches = |body: &str| {
        let module = shader("", &format!("uint k = In[t] % 13, n = 0; {body} Out[t] = n;"));
        matched(&module, 32).is_some()
    };
    let of = |body: &str| format!("while (true) {{ uint f = WaveReadLaneFirst(k); {body} }}");
    assert!(matches(&of("if (k == f) { InterlockedAdd(Count[k], 1); break; }")));
    for (why, body) in [
        ("iterations are counted", "++n; if (k == f) break;"),
        ("the old value is used", "if (k == f) { InterlockedAdd(Count[k], 1, n); break; }"),
        ("the order counts", "uint o; if (k == f) { InterlockedExchange(Count[0], k, o); break; }"),
        ("it stores", "if (k == f) { Out[0] = k; break; }"),
        ("it loads", "if (k == f) { InterlockedAdd(Count[k], Out[k]); break; }"),
        (
            "it sees those who wait",
            "uint c = WaveActiveCountBits(true); if (k == f) { InterlockedAdd(Count[k], c); break; }",
        ),
        ("those who wait act", "if (k == f) break; InterlockedAdd(Count[k], 1);"),
        ("it sums", "if (k == f) { InterlockedAdd(Count[k], WaveActiveSum(t)); break; }"),
        ("the key changes", "if (k == f) { InterlockedAdd(Count[k], 1); break; } k += 1;"),
        ("those who differ leave", "if (k != f) { InterlockedAdd(Count[k], 1); break; }"),
        (
            "some stay",
            "if (k == f && t != 5) { InterlockedAdd(Count[k], 1); break; } if (t == 5) break;",
        ),
        (
            "it sees lanes of a part",
            "if (k == f) { if (t & 1) { if (WaveIsFirstLane()) InterlockedAdd(Count[k], 1); } break; }",
        ),
        ("it returns", "if (k == f) { InterlockedAdd(Count[k], 1); return; }"),
    ] {
        assert!(!matches(&of(body)), "{why}");
    }
    assert!(
        !matches("float x = k; while (true) { if (x == WaveReadLaneFirst(x)) break; }"),
        "a float"
    );
}

#[test]
fn private_arrays_with_known_indices_become_values() {
    for (body, arrays, kept) in [
        (
            "uint a[4]; for (uint k = 0; k < 4; ++k) a[k] = In[t + k]; uint s = 0; for (uint j = 0; j < 4; ++j) s = s * 3 + a[j]; Out[t] = s;",
            1,
            Some(0),
        ),
        (
            "uint a[2]; a[0] = t; a[1] = a[0] * 3; if (t & 1) Out[t] = a[1]; else { a[0] = 7; Out[t] = a[0]; }",
            1,
            None,
        ),
        (
            "uint a[2]; a[0] = t; a[1] = 5; while (a[0] > In[t] + a[1]) { Out[t] += a[0]; t /= 2; break; } a[0] = 9; Out[t + 64] = a[0];",
            1,
            Some(0),
        ),
        (
            "uint a[3], b[3]; a[t % 3] = t; b[0] = 1; b[1] = In[t]; b[2] = b[1] + b[0]; Out[t] = a[i % 3] + b[2];",
            2,
            Some(1),
        ),
        ("uint a[2]; for (uint k = 0; k < t; ++k) { a[0] = k; Out[t] += a[0]; }", 1, Some(0)),
    ] {
        // Small arrays whose indices are constants have been values from the start.
        let module = shader("", body);
        let before = bound(&module);
        for width in [4, 32] {
            let flat = unrolled(&module, width).unwrap_or_else(|| module.clone());
            if flat.privates.len() < arrays {
                continue;
            }
            let new = promoted(&flat);
            assert_eq!(new.as_ref().map(|it| it.privates.len()), kept, "{body}");
            let launch = suite::engines::launch([2, 1, 1], width);
            let wanted = after(&module, &launch, &before);
            if let Some(new) = new {
                check(&new, width, &launch, &before, &wanted, body);
            }
        }
    }
}

/// A module as it is rewritten for a dispatch, with the dispatch in constants, as for a Vulkan device.
#[test]
fn programs_rewritten_for_a_dispatch_leave_the_same() {
    let validator = Validator::find();
    if validator.is_none() {
        skipped::skipped!("there is no `spirv-val`, so the modules are not validated as SPIR-V");
    }
    let histogram = "uint k = In[t % 1024] % 13; while (true) { uint f = WaveReadLaneFirst(k);
        if (k == f) { uint c = WaveActiveCountBits(true); if (WaveIsFirstLane()) InterlockedAdd(Count[f], c); break; } }";
    for (body, coarse, in_turn) in [
        ("Out[t % 1024] = In[t % 1024] * 3;", 4, false),
        (
            "uint s = WaveActiveSum(In[t % 1024]); if (WaveIsFirstLane()) InterlockedAdd(Count[1], s);",
            4,
            true,
        ),
        ("InterlockedAdd(Count[(t + g.y * 3 + g.z * 5) % 32], t);", 1, true),
        (histogram, 4, true),
    ] {
        let module = shader("", &body.replace("t % 1024", "(t + 512 * g.y) % 1024"));
        let before = bound(&module);
        let bytes: Vec<usize> = before.bindings.iter().map(|it| it[0].bytes.len()).collect();
        let small = bytes.iter().map(|it| if *it > 128 { 0 } else { *it }).collect::<Vec<_>>();
        for (groups, blocks) in [([8, 1, 1], 2), ([8, 2, 1], 3), ([4, 3, 2], 2), ([16, 1, 2], 5)] {
            for width in [8, 32] {
                let launch = suite::engines::launch(groups, width);
                let wanted = after(&module, &launch, &before);
                let dispatch = Dispatch { groups, bytes: bytes.clone() };
                let known = Known {
                    width,
                    dispatch: Some(&dispatch),
                    sizes: Some(&small),
                    blocks: Some(blocks),
                    in_constants: true,
                };
                let target = Target::vulkan(true, true);
                let same = rewritten(&module, &target, &known);
                assert_eq!(
                    *same.module, module,
                    "nothing is rewritten that the target does not ask for"
                );
                let new = rewritten(&module, &target.with_rewrites(), &known);
                assert_eq!((new.coarse, new.in_turn), (coarse, in_turn), "{body}");
                let mut groups = coarse_groups(groups, new.coarse);
                if new.in_turn {
                    groups = [runs(groups, blocks), 1, 1];
                }
                let launch = Launch { work: Work::Dispatch { groups }, fuel: None, ..launch };
                check(&new.module, width, &launch, &before, &wanted, body);
                if let Some(validator) = validator.as_ref().filter(|_| width == 32) {
                    let ways = Ways { extended: false, exact: true };
                    let shader = new.module.into_owned().into();
                    assert_eq!(
                        validator.judge(&shader, Vulkan::V1_3, ways),
                        Verdict::Valid,
                        "{body}"
                    );
                }
            }
        }
    }
}

/// With private copies of the counters, each lane adds for itself, and nothing compares lanes any more.
#[test]
fn counting_by_matching_is_disaggregated() {
    let matching = "uint4 m = WaveMatch(k), c = countbits(m); uint n = c.x + c.y + c.z + c.w;
        uint lead = m.x ? firstbitlow(m.x) : m.y ? 32 + firstbitlow(m.y) : m.z ? 64 + firstbitlow(m.z)
            : 96 + firstbitlow(m.w);
        if (WaveGetLaneIndex() == lead) InterlockedAdd(Count[k], n);";
    let looped = "while (true) { uint f = WaveReadLaneFirst(k);
        if (k == f) { uint c = WaveActiveCountBits(true); if (WaveIsFirstLane()) InterlockedAdd(Count[f], c); break; } }";
    let each =
        "while (true) { if (k == WaveReadLaneFirst(k)) { InterlockedAdd(Count[k], 1); break; } }";
    let compares = |it: &Op| matches!(it, Op::Wave { .. } | Op::Loop { .. });
    for body in [matching, looped, each] {
        for around in ["{}", "if (t % 3 != 1) { {} }", "{} k = t & 1; {}"] {
            let all = around.replace("{}", &format!("{{ {body} }}"));
            let module = shader("", &format!("uint k = In[t] % 13; {all}"));
            let before = bound(&module);
            for width in [4, 32, 64, 128] {
                let launch = suite::engines::launch([3, 1, 1], width);
                let new = disaggregated(&module, width).unwrap_or_else(|| panic!("{all}"));
                assert_eq!(count(&new, compares), 0, "{all} at {width}");
                assert_eq!(
                    after(&new, &launch, &before),
                    after(&module, &launch, &before),
                    "{all} at {width}"
                );
            }
        }
    }
    // The maximum needs the set, and what is read is observed.
    for body in
        [looped.replace("InterlockedAdd", "InterlockedMax"), format!("{looped} Out[t] = Count[3];")]
    {
        let module = shader("", &format!("uint k = In[t] % 13; {body}"));
        assert!(disaggregated(&module, 32).is_none(), "{body}");
    }
}

/// A program that is split at its reservation, wave by wave: the first half leaves what the wave adds, and the second
/// is the program with the counter at the sum of earlier waves.
#[test]
fn halves_of_a_program_count_and_place_as_the_whole_does() {
    let halves = |body: &str| {
        let module = shader("", &format!("uint n = In[t] % 5, old; {body} Out[t] = old + n;"));
        let halves = split(&module).unwrap_or_else(|it| panic!("{body}: {it}"));
        (module, halves)
    };
    for body in [
        "if (n == 2) return; InterlockedAdd(Count[7], n, old);",
        "old = 0; if (n != 1) { InterlockedAdd(Count[7], 3, old); }",
        "uint s = WaveActiveSum(n); if (WaveIsFirstLane()) InterlockedAdd(Count[7], s, old);
             old = WaveReadLaneFirst(old) + WavePrefixSum(n);",
        "InterlockedAdd(Count[7], n - 2, old); Out[1023 - t] = old;",
    ] {
        let (module, Halves { count, place, slots, .. }) = halves(body);
        let slot = |bindings: &mut Bindings, first: u32| {
            bindings.bindings.push(vec![words([first, 0])]);
            assert_eq!(bindings.bindings.len(), slots.index() + 1, "{body}");
        };
        for (width, start) in [(64, 0), (64, 1000), (128, u32::MAX)] {
            // One group of one wave.
            let launch = suite::engines::launch([1, 1, 1], width);
            let mut before = bound(&module);
            let counter = before.bindings.len();
            let at = module.resources.iter().position(|it| it.name == "Count").unwrap();
            before.bindings[at][0].bytes[28..32].copy_from_slice(&start.to_le_bytes());
            let wanted = after(&module, &launch, &before);
            let total = |it: &Bindings| it.bindings[at][0].bytes[28..32].to_vec();

            let mut counted = before.clone();
            slot(&mut counted, 0);
            let counted = after(&count, &launch, &counted);
            let sum =
                u32::from_le_bytes(counted.bindings[counter][0].bytes[..4].try_into().unwrap());
            assert_eq!(start.wrapping_add(sum).to_le_bytes().to_vec(), total(&wanted), "{body}");
            assert_eq!(counted.bindings[..counter], before.bindings[..], "counting has effects");

            slot(&mut before, start);
            let mut placed = after(&place, &launch, &before);
            placed.bindings.truncate(counter);
            assert_eq!(total(&placed), start.to_le_bytes(), "the counter itself is written last");
            placed.bindings[at] = wanted.bindings[at].clone();
            assert_eq!(placed, wanted, "{body} at {width} from {start}");
        }
    }
}
