//! Groups whose waves pass the same barriers run in one frame of the fast engine; all others run wave by wave. Both
//! give the bits of the reference engine, for racy programs too.

use std::sync::Arc;

use ir::Module;
use ir::exec::{Bindings, Buffer};
use suite::engines::{Outcome, compare, launch, sets};
use suite::run::module;
use suite::section::WIDTHS;

/// A group of 128 threads with two arrays and three buffers.
fn group(body: &str) -> Module {
    module(&format!(
        "RWStructuredBuffer<uint> Out; RWStructuredBuffer<uint> In; cbuffer Constants {{ uint Count; uint Flag; }};
        groupshared uint s[128]; groupshared float f[160];
        [numthreads(128, 1, 1)] void main(uint t : SV_GroupIndex, uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID) {{
            uint x = t % 16, y = t / 16;
            {body}
        }}"
    ))
}

const SYNC: &str = "GroupMemoryBarrierWithGroupSync();";

/// Buffers of 2,000 bytes with small numbers; `Count` is 3 and `Flag` 1.
fn buffers(module: &Module) -> Bindings {
    let of = |resource: &ir::Resource| {
        let words: Vec<u32> = match resource.kind {
            ir::ResourceKind::Constant { .. } => vec![3, 1, 0, 0],
            _ => (0..500).map(|it| it * 7 % 61).collect(),
        };
        let bytes: Vec<_> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        vec![Buffer { bytes: bytes.into(), ..Buffer::default() }]
    };
    Bindings { bindings: module.resources.iter().map(of).collect() }
}

fn agrees(module: &Module, what: &str, groups: [u32; 3]) {
    for isa in sets() {
        for width in WIDTHS {
            let outcome = compare(module, &launch(groups, width), &buffers(module), isa);
            assert!(matches!(outcome, Outcome::Same), "{what} at {width}, {isa:?}: {outcome:?}");
        }
    }
}

fn is_whole(module: &Module, isa: cpu::Isa, width: u32) -> bool {
    cpu::compile(&Arc::new(module.clone()), isa, width).unwrap().runs_whole_groups()
}

#[test]
fn groups_whose_waves_pass_the_same_barriers_run_in_one_frame() {
    let whole = [
        // The loop may not run, but a thread reads behind it what it alone has written.
        "s[t] = t; for (uint n = 0; n < Count; ++n) { Out[d.x] += s[t]; SYNC s[t ^ 1] = n * t; SYNC } Out[d.x] += s[t];",
        "s[t] = In[d.x]; SYNC Out[d.x] = s[127 - t];",
        // Waves of constant conditions and trip counts.
        "s[t] = In[d.x]; SYNC
         for (uint n = 64; n > 0; n /= 2) { if (t < n) s[t] += s[t + n]; SYNC }
         if (t == 0) Out[g.x] = s[0];",
        "for (uint n = 0; n < 5; ++n) { if (n != 3) { s[t] += n + t; SYNC } Out[t] += s[t ^ n]; SYNC }",
        // The trip count is in a constant buffer, and sums go round the loop.
        "float sum = 1; uint last = 9;
         for (uint n = 0; n < Count; ++n) {
             s[t] = In[t + n]; f[t + 5] = asfloat(In[d.x] | 0x3f800000);
             SYNC
             for (uint k = 0; k < 16; ++k) sum += f[y * 16 + k + 5] * s[k * 8 + x % 8];
             last = s[t ^ 1];
             SYNC
         }
         Out[d.x] = asuint(sum) + last;",
        "for (uint n = 0; ; ++n) { s[t] += n; SYNC if (n == Count) break; Out[t] += s[t ^ 9]; SYNC }",
        "uint v = t; if (Flag == 1) { s[t] = 4 * t; SYNC v = s[t ^ 3]; } else { SYNC v = 5; } Out[d.x] = v;",
        "if (g.x == 1) { s[t] = t; SYNC Out[t] = s[t ^ 3]; } else Out[200 + t] = g.x;",
        // Data decide where lanes go between barriers.
        "InterlockedAdd(s[In[d.x] % 40], t); SYNC if (In[t] % 3 == 1) s[t] += 5; SYNC Out[d.x] = s[t];",
        "for (uint n = 0; n < 9; ++n) { uint old; InterlockedAdd(s[In[(t + n) % 400] % 40], 1, old); Out[t] += old; } SYNC Out[t] += s[t % 40];",
        // Operations of waves, which have a number in their group.
        "s[t / WaveGetLaneCount()] = WaveActiveSum(In[d.x]); SYNC Out[d.x] = s[t % (128 / WaveGetLaneCount())] + WavePrefixSum(t) + WaveGetLaneIndex();",
        "if (WaveIsFirstLane()) s[t] = t; SYNC Out[d.x] = s[t / 4 * 4] + GetGroupWaveIndex() * 100 + GetGroupWaveCount();",
        // The runtime asks the frame which wave calls.
        "s[t] = asuint(sin(float(t))); SYNC Out[d.x] = s[t ^ 64] ^ WaveMultiPrefixSum(t, uint4(~0u, ~0u, ~0u, ~0u) * (t % 2));",
    ];
    let apart = [
        // Nothing to wait for.
        "s[t] = t; Out[d.x] = s[t];",
        // Memory decides how often waves wait.
        "s[t] = 0; SYNC for (uint n = 0; n < s[5] + 2; ++n) { Out[d.x] += n; SYNC }",
        "if (In[0] == 0) { s[t] = t; SYNC } Out[d.x] = s[t];",
        // A wave loops until another one arrives.
        "s[t] = 0; SYNC if (t == 127) s[1] = 1; if (t == 0) { uint seen = 0; while (seen == 0) InterlockedAdd(s[1], 0, seen); } SYNC Out[d.x] = s[t];",
        "for (uint n = 0; n < Count; ++n) Out[d.x] += n; SYNC Out[d.x] += s[t];",
        // A round without a barrier may be one of many.
        "for (uint n = 0; n < Count; ++n) { if (Flag == 1) { SYNC } Out[d.x] += n; }",
        // Some waves end before others.
        "if (t < 64) return; SYNC Out[d.x] = 1;",
        "if (g.x == 1) return; SYNC Out[d.x] = 1;",
        "switch (Flag) { case 1: SYNC default: Out[d.x] = 1; }",
        // Arrays belong to a frame.
        "uint own[9]; for (uint n = 0; n < 9; ++n) own[(n + t) % 9] = n; SYNC Out[d.x] = own[In[t] % 9];",
    ];
    for (whole, body) in whole.map(|it| (true, it)).into_iter().chain(apart.map(|it| (false, it))) {
        let module = group(&body.replace("SYNC", SYNC));
        agrees(&module, body, [3, 1, 1]);
        for isa in sets() {
            assert_eq!(is_whole(&module, isa, 32), whole, "{body}");
        }
    }
    let parts = module(
        "RWStructuredBuffer<uint> Out; groupshared uint s[40];
        [numthreads(40, 1, 1)] void main(uint t : SV_GroupIndex) {
            s[t] = t; GroupMemoryBarrierWithGroupSync(); Out[t] = s[39 - t];
        }",
    );
    agrees(&parts, "a group with a part of a wave", [2, 1, 1]);
    for isa in sets() {
        assert!(is_whole(&parts, isa, 8) && !is_whole(&parts, isa, 16));
    }
}

/// A program that would become too long stays apart, so that compilation takes no longer than it did.
#[test]
fn long_programs_run_wave_by_wave() {
    let long = |steps: usize| {
        let body: String =
            (0..steps).map(|it| format!("s[t] += s[t ^ {}] * {it};", it % 97)).collect();
        group(&format!("s[t] = t; {SYNC} {body} {SYNC} Out[d.x] = s[t];"))
    };
    for isa in sets() {
        assert!(is_whole(&long(20), isa, 32));
        assert!(!is_whole(&long(2000), isa, 32));
    }
    agrees(&long(20), "a short one", [2, 1, 1]);
}

/// Waves run in order between barriers, whatever they do to each other's memory.
#[test]
fn races_between_waves_end_alike() {
    let bodies = [
        "s[t] = t; Out[d.x] = s[(t + 64) % 128]; SYNC Out[d.x] += s[t];",
        "s[(t + 16) % 128] = t; s[t] += 1; Out[d.x] = s[t ^ 16]; SYNC s[t ^ 16] = s[t]; SYNC Out[d.x] += s[t];",
        "s[t % 48] = t; SYNC Out[d.x] = s[t % 48]; s[t / 2] = t; Out[d.x] += s[t];",
        // Remembered elements of an array change in part, by other lanes, by atomic operations, and in loops.
        "s[t] = t; s[x * 8 + y] = 7 * t; Out[d.x] = s[t]; SYNC s[t] = 5; InterlockedMax(s[In[t]], 50); Out[d.x] += s[t];",
        "s[t] = t; if (t < 5) s[t] = 90; if (In[t] > 30) s[t + 1] = 70; SYNC Out[d.x] = s[t];",
        "s[t] = t; for (uint n = 0; n < In[3] % 4; ++n) { Out[t] += s[t]; s[t] = n; } Out[t] += s[t];",
        "s[t] = t; for (uint n = 0; n < Count; ++n) { Out[d.x] += s[t]; SYNC s[t ^ 1] = n * t; SYNC } Out[d.x] += s[t ^ 16];",
        "s[t / 16] = t; SYNC Out[d.x] = s[t];",
        "s[t / 8] = t; SYNC Out[d.x] = s[t];",
        "s[5] = 3; s[t] = t; s[5] = 8; Out[d.x] = s[t]; SYNC s[6] = s[t / 128]; Out[d.x] += s[t];",
        "f[t] = 1.5; s[t] = 2; f[t + 16] = asfloat(s[t]); SYNC Out[d.x] = asuint(f[t]) ^ s[t];",
        // Between two barriers a wave iterates, enters or leaves before the next one runs.
        "for (uint n = 0; n < 3; ++n) { s[t] = In[t] + n; SYNC Out[d.x] += s[t ^ 64]; }",
        "s[t] = In[t]; for (uint n = 0; n < Count; ++n) { f[t] = s[t ^ 64]; SYNC s[t] = asuint(f[t ^ 1]); SYNC }",
        "for (uint n = 0; n < Count; ++n) { s[t] = n; SYNC Out[d.x] = s[t ^ 64]; SYNC s[t] = 9; } Out[d.x] += s[t ^ 32];",
        "Out[t] = t; if (Count > 1) { Out[d.x] += Out[t ^ 64]; SYNC } s[t] = Out[t ^ 32]; SYNC Out[d.x] = s[t];",
    ];
    for body in bodies {
        let spun = body.contains("for (uint n") || body.contains("if (Count");
        let module = group(&format!("{} {SYNC}", body.replace("SYNC", SYNC)));
        for isa in sets() {
            assert_eq!(is_whole(&module, isa, 16), !spun, "{body}");
        }
        agrees(&module, body, [2, 1, 1]);
    }
}

/// Each group finds zeros where it has written nothing, though a group before it has.
#[test]
fn memory_that_a_group_has_not_written_is_zero() {
    let bodies = [
        "if (In[d.x] % 2 == 1) s[t] = t + 1; SYNC Out[d.x] = s[t ^ 1];",
        "Out[d.x] = s[t]; SYNC s[t] = t + 1;",
        "if (t < 100) s[t] = t + 1; SYNC Out[d.x] = s[t ^ 1];",
        "for (uint n = 0; n < Count - 3; ++n) { s[t] = 1; SYNC } SYNC Out[d.x] = s[t]; SYNC s[t] = 9;",
        "f[t] = 3; SYNC Out[d.x] = asuint(f[t + 9]); SYNC f[t + 30] = 7;",
        "InterlockedAdd(s[t], t); SYNC Out[d.x] = s[t ^ 1];",
        "s[t] = t; SYNC Out[d.x] = s[In[t]] + asuint(f[In[t]]); f[t] = 3; SYNC",
        "s[t + 1] = t; SYNC Out[d.x] = s[t]; SYNC s[0] = 8;",
    ];
    for body in bodies {
        let module = group(&body.replace("SYNC", SYNC));
        agrees(&module, body, [3, 1, 1]);
        for isa in sets() {
            assert!(is_whole(&module, isa, 32), "{body}");
        }
    }
    // Memory that is written before it is read is not cleared: which saves the stores.
    let size = |before: &str, read: &str, isa| {
        let text = format!("{before} f[t] = t; {SYNC} Out[d.x] = asuint(f[{read}]);");
        let module = Arc::new(group(&text));
        cpu::compile(&module, isa, 32).unwrap().work().instructions
    };
    let around = format!("for (uint n = 0; n < Count; ++n) {{ s[t] = n; {SYNC} }}");
    for isa in sets() {
        let stores = 160 * 4 / if isa == cpu::Isa::Avx512 { 64 } else { 32 };
        for before in ["", &around] {
            let (written, cleared) = (size(before, "127 - t", isa), size(before, "159 - t", isa));
            assert!(written + stores <= cleared, "{before} {isa:?}");
        }
    }
}

/// Known lanes at known places, which need not be whole vectors.
#[test]
fn parts_of_vectors_are_read_and_written_alone() {
    for lanes in [1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32, 33, 64, 100, 127] {
        let body = format!(
            "s[t] = t; f[t] = t; {SYNC}
            if (t < {lanes}) {{ s[t] += 3 * s[t + 1]; f[t + 7] += f[t + 16] * 0.5; }} {SYNC}
            if (t >= {lanes}) s[t - {lanes}] ^= t; {SYNC}
            Out[d.x] = s[t] + asuint(f[t]);"
        );
        let module = group(&body);
        agrees(&module, &body, [2, 1, 1]);
        for isa in sets() {
            assert!(is_whole(&module, isa, 32));
        }
    }
}

/// Rows of tiles in buffers: one test of bounds for a wave, and one for each lane where a row crosses the end.
#[test]
fn tiles_of_buffers_end_where_the_buffer_does() {
    let bodies = [
        "s[t] = In[(g.x * 8 + y) * 40 + x]; SYNC Out[(g.x * 8 + x % 8) * 16 + t / 8] = s[t ^ 1];",
        "s[t] = In[(g.x - 1) * 64 + y * 3 + x]; SYNC Out[(g.x - 2) * 100 + y * 16 + x] = s[t];",
        "s[t] = In[g.x * 190 + y * 16 + 3]; SYNC Out[g.x * 190 + (7 - y) * 16 + x] = s[t];",
        "s[t] = In[(5 - y) * 16 - g.x + x]; SYNC Out[(g.x << 7) + x * 8 + y] = s[t];",
        "s[t] = In[g.x * 0x40000000 + y * 0x40000000 + x]; SYNC if (t < 70) Out[g.x * 180 + y * 17 + x] = s[t];",
        "s[t] = In[y * 16 + x - g.x * 30]; SYNC if (In[t] > 20) Out[g.x * 180 + y * 17 + x] = s[t];",
    ];
    for body in bodies {
        let module = group(&body.replace("SYNC", SYNC));
        agrees(&module, body, [4, 1, 1]);
        for isa in sets() {
            assert!(is_whole(&module, isa, 16), "{body}");
        }
    }
}
