//! Programs with one reservation, an atomic addition whose result every thread writes down, which the fast engine
//! splits to run them on several threads. Everything else in them is independent of the order of waves.
//!
//! A program is a section of the suite with one statement per line, so that a failure can be reduced line by line.

use std::fmt::Write;

use ops::Random;

/// More than the waves of one batch, so that a second thread gets some.
const WAVES: u32 = 4200;
/// The values of `In`.
const INPUTS: u32 = 61;

/// Statements before and after the reservation. `x` differs between threads, `y` is a variable, `id` the thread.
const STATEMENTS: [&str; 16] = [
    "y += In[(x + y) % 61];",
    "for (uint i = 0; i < (x & 3); i++) y += In[(y + i) % 61] + i;",
    "y ^= WavePrefixSum(x & 7);",
    "y += WaveActiveCountBits((y & 1) != 0);",
    "if (x % 11 == 3) y = WaveActiveMax(x) * 3;",
    "if (x % 13 == 5) return;",
    "if (WaveActiveAllTrue(x > 9)) y++;",
    "Extra[id] = y;",
    "if ((y & 3) != 0) Extra[id] = x - y;",
    "InterlockedMax(Most[x & 3], y);",
    "InterlockedAdd(Most[4 + (y & 3)], x);",
    "switch (x & 3) { case 0: y += 2; case 1: y *= 3; break; default: y ^= 5; }",
    "{ uint own[3] = { x, y, 3 }; own[y % 3] = 7; y += own[x % 3]; }",
    "if (id % 1009 == 77) printf(\"%u\", y);",
    "y = y * 0x9e3779b1 + (x >> 3);",
    "if (WaveIsFirstLane()) y += 100;",
];

/// What a thread adds.
const OPERANDS: [&str; 7] = [
    "1",
    "x & 15",
    "WaveActiveCountBits((x & 3) != 0)",
    "id",
    "0xfffffff0 + (x & 1)",
    "y",
    "In[4]",
];

/// Reservations: `@` is what a thread adds.
const RESERVATIONS: [&str; 9] = [
    "InterlockedAdd(Count[3], @, old);",
    "InterlockedAdd(Pairs[1].b, @, old);",
    "Bytes.InterlockedAdd(12, @, old);",
    "Bytes.InterlockedAdd(5, @, old);",
    "{ uint64_t o; Bytes.InterlockedAdd64(16, (uint64_t)(@) << 29, o); old = (uint)(o >> 27) ^ (uint)o; }",
    "old = List.IncrementCounter();",
    "old = List.DecrementCounter();",
    "Done.Append(x ^ y);",
    "{ uint n = WaveActiveSum(@), start = 0; if (WaveIsFirstLane()) InterlockedAdd(Count[3], n, start); \
     old = WaveReadLaneFirst(start) + WavePrefixSum(@); }",
];

/// Control flow around the reservation, `#`.
const AROUND: [&str; 10] = [
    "#",
    "if (x & 1) { # }",
    "if (y % 3 == 0) { # } else { y += 7; }",
    "if (y & 2) { Extra[id] = 5; } else { # }",
    "switch (x % 4) { case 0: y++; case 1: { # } case 2: y += 3; Extra[id] = 9; break; default: y = 2; }",
    "if (x & 1) { if (y & 4) return; # y++; }",
    "if (WaveActiveAnyTrue(x % 7 == 0)) { # }",
    "if (WaveActiveAllTrue(x % 7 != 0)) return; #",
    "if (x % 5 == 0) { if (y & 1) { # } else y--; }",
    "y += WaveReadLaneFirst(y); if (WaveIsFirstLane()) { # }",
];

/// The section of that seed.
pub fn section(seed: u64, width: u32) -> String {
    let mut random = Random::new(seed ^ 0x0a11_0cde_12e5_e12e);
    let size = [width, width, 64, 1, 33, 2 * width + 3, 100, 8 * width][random.below(8)].min(1024);
    let groups = WAVES / size.div_ceil(width) + 1;
    // The same groups in a row, or in rows.
    let across = [groups, 1, groups.div_ceil(3)][random.below(3)];
    let down = groups.div_ceil(across);
    let threads = size * across * down;
    let mut text = String::new();
    let mut line = |it: &str| _ = writeln!(text, "{it}");
    line(&format!("//--- ordered-{seed}"));
    line(&format!("//# groups {across} {down} 1"));
    line("//# args -enable-16bit-types -T cs_6_6");
    for (name, bytes) in [("Out", 4 * threads), ("Extra", 4 * threads), ("List", 16)] {
        line(&format!("//# zero {name} {bytes}"));
    }
    line(&format!("//# zero Done {}", 4 * threads.div_ceil(2)));
    line("//# zero Most 32");
    let start = random.bits() as u32;
    line(&format!("//# in Count u32: 1 2 3 {start} 4"));
    line(&format!("//# in Pairs u32: 1 2 3 {start} 4 5"));
    line(&format!("//# in Bytes u32: 1 {start} 3 {start} 4294967290 {start} 9 9"));
    line(&format!("//# in In u32: 3..{}", 3 + INPUTS));
    line("struct Pair { uint a, b; };");
    for resource in [
        "RWStructuredBuffer<uint> Out : register(u0);",
        "RWStructuredBuffer<uint> Extra : register(u1);",
        "RWStructuredBuffer<uint> List : register(u2);",
        "AppendStructuredBuffer<uint> Done : register(u3);",
        "RWStructuredBuffer<uint> Most : register(u4);",
        "RWStructuredBuffer<uint> Count : register(u5);",
        "RWStructuredBuffer<Pair> Pairs : register(u6);",
        "RWByteAddressBuffer Bytes : register(u7);",
        "StructuredBuffer<uint> In : register(t0);",
    ] {
        line(resource);
    }
    line(&format!("[numthreads({size}, 1, 1)]"));
    line("void main(uint3 thread : SV_DispatchThreadID) {");
    line(&format!("    uint id = thread.x + thread.y * {};", size * across));
    line("    uint x = (id * 0x9e3779b1) >> 7, y = id, old = 0;");
    for _ in 0..random.below(5) {
        line(&format!("    {}", random.pick(&STATEMENTS)));
    }
    let operand: &str = random.pick::<&str>(&OPERANDS);
    let reservation = random.pick(&RESERVATIONS).replace('@', operand);
    line(&format!("    {}", random.pick(&AROUND).replace('#', &reservation)));
    for _ in 0..random.below(4) {
        line(&format!("    {}", random.pick(&STATEMENTS)));
    }
    line("    for (uint k = 0; k < (old & 3); k++) y += k;");
    line("    Out[id] = old * 3 + y;");
    line("}");
    text
}
