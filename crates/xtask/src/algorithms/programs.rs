//! The algorithms: their kernels in order, the input of each, and its expected output.
//!
//! The expected outputs come from sequential loops over all elements; nothing here depends on waves.

use super::{Algorithm, Buffer, Kernel, Source};

pub(super) fn all() -> Vec<Algorithm> {
    vec![
        look_back(
            "chained scan with decoupled look-back",
            "GPUPrefixSumsD3D12/Shaders/ChainedScanDecoupledLookback.hlsl",
            "ChainedScanDecoupledLookbackExclusive",
            "ChainedScanDecoupledLookbackInclusive",
        ),
        look_back(
            "chained scan with decoupled fallback",
            "GPUPrefixSumsD3D12/Shaders/ChainedScanDecoupledLookbackDecoupledFallback.hlsl",
            "ChainedScanDecoupledLookbackDecoupledFallbackExclusive",
            "ChainedScanDecoupledLookbackDecoupledFallbackInclusive",
        ),
        reduce_then_scan(),
        device_radix_sort(),
        one_sweep(),
        parallel_sort(),
        downsampler(),
    ]
}

/// Pseudorandom numbers, the same on every machine.
fn scattered(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(0x0001_9660).wrapping_add(0x3c6e_f35f) ^ state >> 15;
        state.wrapping_mul(0x9e37_79b9)
    };
    (0..count).map(|_| next()).collect()
}

fn buffer(name: &str, words: Vec<u32>) -> Buffer {
    let name = name.to_owned();
    Buffer { name, stride: 4, texture: None, words, expected: None }
}

fn wanted(name: &str, words: Vec<u32>, expected: Vec<u32>) -> Buffer {
    Buffer { expected: Some(expected), ..buffer(name, words) }
}

/// Prefix sums: exclusive or inclusive.
fn sums(numbers: &[u32], inclusive: bool) -> Vec<u32> {
    let mut sum = 0u32;
    let step = |it: &u32| {
        let before = sum;
        sum = sum.wrapping_add(*it);
        if inclusive { sum } else { before }
    };
    numbers.iter().map(step).collect()
}

// ---------------------------------------------------------------------------------------------------------
// Prefix sums
// ---------------------------------------------------------------------------------------------------------

const PREFIX_SUMS: &str = "b0nes164/GPUPrefixSums";
const PREFIX_EVIDENCE: &str =
    "`ScanCommon.hlsl` allows for waves of `MIN_WAVE_SIZE`, 4 lanes, and sets no upper bound.";
/// Numbers that a group scans.
const TILE: usize = 4 * 768;
/// Five whole tiles and a partial one.
const NUMBERS: usize = 5 * TILE + 1000;

fn numbers() -> Vec<u32> {
    // Sums share a word with the flags of the look-back and have 30 bits.
    scattered(NUMBERS, 1).into_iter().map(|it| it % 1000).collect()
}

fn prefix_constants() -> Vec<(&'static str, Vec<u32>)> {
    vec![
        ("e_vectorizedSize", vec![NUMBERS as u32 / 4]),
        ("e_threadBlocks", vec![NUMBERS.div_ceil(TILE) as u32]),
        ("e_isPartial", vec![0]),
        ("e_fullDispatches", vec![0]),
    ]
}

fn look_back(
    title: &'static str,
    file: &'static str,
    exclusive: &'static str,
    inclusive: &'static str,
) -> Algorithm {
    let tiles = NUMBERS.div_ceil(TILE);
    let kernel = |name: &str, entry, is_inclusive| {
        let vectors = |it: Buffer| Buffer { stride: 16, ..it };
        Kernel {
            name: name.to_owned(),
            source: Source::File(file),
            entry,
            flags: Vec::new(),
            groups: [tiles as u32, 1, 1],
            constants: prefix_constants(),
            buffers: vec![
                vectors(buffer("b_scanIn", numbers())),
                vectors(wanted("b_scanOut", vec![0; NUMBERS], sums(&numbers(), is_inclusive))),
                wanted("b_scanBump", vec![0], vec![tiles as u32]),
                buffer("b_threadBlockReduction", vec![0; tiles]),
            ],
        }
    };
    Algorithm {
        title,
        repository: PREFIX_SUMS,
        claims: (4, 128),
        evidence: PREFIX_EVIDENCE,
        note: "A group waits for the groups before it; the canonical order runs those first, and each group takes its number from a counter, so the algorithm terminates in every order.",
        kernels: vec![kernel("exclusive", exclusive, false), kernel("inclusive", inclusive, true)],
    }
}

fn reduce_then_scan() -> Algorithm {
    let tiles = NUMBERS.div_ceil(TILE);
    let reductions: Vec<u32> = numbers().chunks(TILE).map(|it| it.iter().sum()).collect();
    let scanned = sums(&reductions, true);
    let file = "GPUPrefixSumsD3D12/Shaders/ReduceThenScan.hlsl";
    let kernel = |name: &str, entry, groups, buffers| Kernel {
        name: name.to_owned(),
        source: Source::File(file),
        entry,
        flags: Vec::new(),
        groups: [groups, 1, 1],
        constants: prefix_constants(),
        buffers,
    };
    let vectors = |it: Buffer| Buffer { stride: 16, ..it };
    let input = || vectors(buffer("b_scanIn", numbers()));
    let output =
        |inclusive| vectors(wanted("b_scanOut", vec![0; NUMBERS], sums(&numbers(), inclusive)));
    let tile_sums = |words: &[u32]| buffer("b_threadBlockReduction", words.to_vec());
    let tile_sums_wanted = |words: &[u32], expected: &[u32]| {
        wanted("b_threadBlockReduction", words.to_vec(), expected.to_vec())
    };
    let all = tiles as u32;
    Algorithm {
        title: "reduce, then scan",
        repository: PREFIX_SUMS,
        claims: (4, 128),
        evidence: PREFIX_EVIDENCE,
        note: "",
        kernels: vec![
            kernel(
                "reduce",
                "Reduce",
                all,
                vec![input(), tile_sums_wanted(&vec![0; tiles], &reductions)],
            ),
            kernel("scan", "Scan", 1, vec![tile_sums_wanted(&reductions, &scanned)]),
            kernel(
                "exclusive",
                "PropagateExclusive",
                all,
                vec![input(), output(false), tile_sums(&scanned)],
            ),
            kernel(
                "inclusive",
                "PropagateInclusive",
                all,
                vec![input(), output(true), tile_sums(&scanned)],
            ),
        ],
    }
}

// ---------------------------------------------------------------------------------------------------------
// Radix sorts
// ---------------------------------------------------------------------------------------------------------

/// Keys and their payloads.
#[derive(Clone)]
struct Pairs {
    keys: Vec<u32>,
    payloads: Vec<u32>,
}

impl Pairs {
    fn scattered(count: usize) -> Pairs {
        let keys = scattered(count, 7);
        // Some keys are equal, to expose a sort that is not stable.
        let keys =
            keys.into_iter().enumerate().map(|(i, it)| if i % 3 == 0 { it % 64 } else { it });
        Pairs { keys: keys.collect(), payloads: (0..count as u32).collect() }
    }

    fn sorted_by(&self, digit: impl Fn(u32) -> u32) -> Pairs {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_by_key(|it| digit(self.keys[*it]));
        Pairs {
            keys: order.iter().map(|it| self.keys[*it]).collect(),
            payloads: order.iter().map(|it| self.payloads[*it]).collect(),
        }
    }

    /// How often each digit occurs.
    fn counts(keys: &[u32], digits: usize, digit: impl Fn(u32) -> u32) -> Vec<u32> {
        let mut counts = vec![0; digits];
        for key in keys {
            counts[digit(*key) as usize] += 1;
        }
        counts
    }
}

const SORTING: &str = "b0nes164/GPUSorting";
const SORT_EVIDENCE: &str = "`SortCommon.hlsl` has separate code for waves of fewer than 16 lanes, and its per-wave histograms allow for waves of 4; it sets no upper bound.";
/// Keys that a group sorts, with the constants below.
const PART: usize = 1792;
/// Three whole parts and a piece.
const KEYS: usize = 3 * PART + 500;

fn sort_flags() -> Vec<String> {
    [
        "KEY_UINT",
        "PAYLOAD_UINT",
        "SORT_PAIRS",
        "SHOULD_ASCEND",
        "KEYS_PER_THREAD_7",
        "D_DIM_256",
        "PART_SIZE_1792",
        "D_TOTAL_SMEM_4096",
    ]
    .iter()
    .flat_map(|it| ["-D".to_owned(), (*it).to_owned()])
    .collect()
}

fn sort_kernel(
    file: &'static str,
    name: String,
    entry: &'static str,
    groups: usize,
    (shift, parts): (u32, usize),
    buffers: Vec<Buffer>,
) -> Kernel {
    Kernel {
        name,
        source: Source::File(file),
        entry,
        flags: sort_flags(),
        groups: [groups as u32, 1, 1],
        constants: vec![
            ("e_numKeys", vec![KEYS as u32]),
            ("e_radixShift", vec![shift]),
            ("e_threadBlocks", vec![parts as u32]),
            ("e_isPartial", vec![0]),
        ],
        buffers,
    }
}

fn pairs(before: &Pairs, after: &Pairs) -> Vec<Buffer> {
    let empty = || vec![0; before.keys.len()];
    vec![
        buffer("b_sort", before.keys.clone()),
        wanted("b_alt", empty(), after.keys.clone()),
        buffer("b_sortPayload", before.payloads.clone()),
        wanted("b_altPayload", empty(), after.payloads.clone()),
    ]
}

fn device_radix_sort() -> Algorithm {
    let file = "GPUSortingD3D12/Shaders/DeviceRadixSort.hlsl";
    let parts = KEYS.div_ceil(PART);
    let mut now = Pairs::scattered(KEYS);
    let mut kernels = Vec::new();
    for pass in 0..4 {
        let shift = 8 * pass;
        let digit = |key: u32| key >> shift & 255;
        let next = now.sorted_by(digit);
        // By digit, then by part.
        let by_part: Vec<Vec<u32>> =
            now.keys.chunks(PART).map(|it| Pairs::counts(it, 256, digit)).collect();
        let counted: Vec<u32> =
            (0..256).flat_map(|digit| by_part.iter().map(move |it| it[digit])).collect();
        let scanned: Vec<u32> = counted.chunks(parts).flat_map(|it| sums(it, false)).collect();
        let mut offsets = vec![0; 4 * 256];
        let global = sums(&Pairs::counts(&now.keys, 256, digit), false);
        offsets[256 * pass as usize..][..256].copy_from_slice(&global);
        let kernel = |name: &str, entry, groups, buffers| {
            let name = format!("{name} of the digit {pass}");
            sort_kernel(file, name, entry, groups, (shift, parts), buffers)
        };
        kernels.push(kernel(
            "upsweep",
            "Upsweep",
            parts,
            vec![
                buffer("b_sort", now.keys.clone()),
                wanted("b_globalHist", vec![0; 4 * 256], offsets.clone()),
                wanted("b_passHist", vec![0; 256 * parts], counted.clone()),
            ],
        ));
        kernels.push(kernel(
            "scan",
            "Scan",
            256,
            vec![wanted("b_passHist", counted, scanned.clone())],
        ));
        let mut buffers = pairs(&now, &next);
        buffers.push(buffer("b_globalHist", offsets));
        buffers.push(buffer("b_passHist", scanned));
        kernels.push(kernel("downsweep", "Downsweep", parts, buffers));
        now = next;
    }
    Algorithm {
        title: "radix sort by reduce and scan",
        repository: SORTING,
        claims: (4, 128),
        evidence: SORT_EVIDENCE,
        note: "The finding is in `Downsweep` with waves of 4 and 8 lanes, and the fault is the algorithm's: there is no barrier between `ClearWaveHists` and the ranking of keys, although `DigitBinningPass` of the same repository has one. The canonical order of waves hides it. With that barrier there is no finding at any width.",
        kernels,
    }
}

fn one_sweep() -> Algorithm {
    let file = "GPUSortingD3D12/Shaders/OneSweep.hlsl";
    let parts = KEYS.div_ceil(PART);
    let mut now = Pairs::scattered(KEYS);
    let histogram: Vec<u32> = (0..4)
        .flat_map(|pass| Pairs::counts(&now.keys, 256, |key| key >> (8 * pass) & 255))
        .collect();
    // The first part of each pass starts from the sums before each digit, with two bits set that mark them complete.
    let mut tiles = vec![0; 4 * 256 * parts];
    for (pass, counts) in histogram.chunks(256).enumerate() {
        for (digit, sum) in sums(counts, false).into_iter().enumerate() {
            tiles[pass * 256 * parts + digit] = sum << 2 | 2;
        }
    }
    let mut kernels = vec![
        sort_kernel(
            file,
            "histogram".to_owned(),
            "GlobalHistogram",
            1,
            (0, 1),
            vec![
                buffer("b_sort", now.keys.clone()),
                wanted("b_globalHist", vec![0; 4 * 256], histogram.clone()),
            ],
        ),
        sort_kernel(
            file,
            "scan".to_owned(),
            "Scan",
            4,
            (0, parts),
            vec![
                buffer("b_globalHist", histogram),
                wanted("b_passHist", vec![0; 4 * 256 * parts], tiles.clone()),
            ],
        ),
    ];
    for pass in 0..4 {
        let shift = 8 * pass;
        let next = now.sorted_by(|key| key >> shift & 255);
        let mut buffers = pairs(&now, &next);
        buffers.push(buffer("b_passHist", tiles.clone()));
        buffers.push(buffer("b_index", vec![0; 4]));
        let name = format!("binning of the digit {pass}");
        kernels.push(sort_kernel(file, name, "DigitBinningPass", parts, (shift, parts), buffers));
        now = next;
    }
    Algorithm {
        title: "one-sweep radix sort",
        repository: SORTING,
        claims: (4, 128),
        evidence: SORT_EVIDENCE,
        note: "",
        kernels,
    }
}

/// Entry points like those of the repository's sample, for keys with payloads.
const PARALLEL_SORT: &str = r#"#define FFX_HLSL
#define kRS_ValueCopy
#include "FFX_ParallelSort.h"

cbuffer Constants : register(b0) {
    uint NumKeys;
    int NumBlocksPerThreadGroup;
    uint NumThreadGroups;
    uint NumThreadGroupsWithAdditionalBlocks;
    uint NumReduceThreadgroupPerBin;
    uint NumScanValues;
    uint Shift;
};

RWStructuredBuffer<uint> Keys : register(u0);
RWStructuredBuffer<uint> Payloads : register(u1);
RWStructuredBuffer<uint> Sums : register(u2);
RWStructuredBuffer<uint> Reduced : register(u3);
RWStructuredBuffer<uint> SortedKeys : register(u4);
RWStructuredBuffer<uint> SortedPayloads : register(u5);
RWStructuredBuffer<uint> Source : register(u6);
RWStructuredBuffer<uint> Target : register(u7);
RWStructuredBuffer<uint> Scratch : register(u8);

FFX_ParallelSortCB all() {
    FFX_ParallelSortCB it;
    it.NumKeys = NumKeys;
    it.NumBlocksPerThreadGroup = NumBlocksPerThreadGroup;
    it.NumThreadGroups = NumThreadGroups;
    it.NumThreadGroupsWithAdditionalBlocks = NumThreadGroupsWithAdditionalBlocks;
    it.NumReduceThreadgroupPerBin = NumReduceThreadgroupPerBin;
    it.NumScanValues = NumScanValues;
    return it;
}

static const uint Block = FFX_PARALLELSORT_ELEMENTS_PER_THREAD * FFX_PARALLELSORT_THREADGROUP_SIZE;

[numthreads(FFX_PARALLELSORT_THREADGROUP_SIZE, 1, 1)]
void Count(uint thread : SV_GroupThreadID, uint group : SV_GroupID) {
    FFX_ParallelSort_Count_uint(thread, group, all(), Shift, Keys, Sums);
}

[numthreads(FFX_PARALLELSORT_THREADGROUP_SIZE, 1, 1)]
void Reduce(uint thread : SV_GroupThreadID, uint group : SV_GroupID) {
    FFX_ParallelSort_ReduceCount(thread, group, all(), Sums, Reduced);
}

[numthreads(FFX_PARALLELSORT_THREADGROUP_SIZE, 1, 1)]
void Scan(uint thread : SV_GroupThreadID, uint group : SV_GroupID) {
    FFX_ParallelSort_ScanPrefix(NumScanValues, thread, group, 0, Block * group, false, all(), Source, Target, Scratch);
}

[numthreads(FFX_PARALLELSORT_THREADGROUP_SIZE, 1, 1)]
void ScanAdd(uint thread : SV_GroupThreadID, uint group : SV_GroupID) {
    uint bin = group / NumReduceThreadgroupPerBin;
    uint first = group % NumReduceThreadgroupPerBin * Block;
    FFX_ParallelSort_ScanPrefix(NumThreadGroups, thread, group, bin * NumThreadGroups, first, true, all(), Source, Target, Scratch);
}

[numthreads(FFX_PARALLELSORT_THREADGROUP_SIZE, 1, 1)]
void Scatter(uint thread : SV_GroupThreadID, uint group : SV_GroupID) {
    FFX_ParallelSort_Scatter_uint(thread, group, all(), Shift, Keys, SortedKeys, Sums, Payloads, SortedPayloads);
}
"#;

fn parallel_sort() -> Algorithm {
    const BLOCK: usize = 512;
    let count = 5 * BLOCK + 200;
    let groups = count.div_ceil(BLOCK);
    let mut now = Pairs::scattered(count);
    let mut kernels = Vec::new();
    for pass in 0..8 {
        let shift = 4 * pass;
        let digit = |key: u32| key >> shift & 15;
        let next = now.sorted_by(digit);
        let by_group: Vec<Vec<u32>> =
            now.keys.chunks(BLOCK).map(|it| Pairs::counts(it, 16, digit)).collect();
        let counted: Vec<u32> =
            (0..16).flat_map(|digit| by_group.iter().map(move |it| it[digit])).collect();
        let reduced: Vec<u32> = counted.chunks(groups).map(|it| it.iter().sum()).collect();
        let before = sums(&reduced, false);
        let offsets = sums(&counted, false);
        let kernel = |name: &str, entry, groups_here: usize, buffers| Kernel {
            name: format!("{name} of the digit {pass}"),
            source: Source::Around { text: PARALLEL_SORT, includes: "ffx-parallelsort" },
            entry,
            flags: Vec::new(),
            groups: [groups_here as u32, 1, 1],
            constants: vec![
                ("NumKeys", vec![count as u32]),
                ("NumBlocksPerThreadGroup", vec![1]),
                ("NumThreadGroups", vec![groups as u32]),
                ("NumThreadGroupsWithAdditionalBlocks", vec![0]),
                ("NumReduceThreadgroupPerBin", vec![1]),
                ("NumScanValues", vec![16]),
                ("Shift", vec![shift]),
            ],
            buffers,
        };
        kernels.push(kernel(
            "count",
            "Count",
            groups,
            vec![
                buffer("Keys", now.keys.clone()),
                wanted("Sums", vec![0; 16 * groups], counted.clone()),
            ],
        ));
        kernels.push(kernel(
            "reduce",
            "Reduce",
            16,
            vec![buffer("Sums", counted.clone()), wanted("Reduced", vec![0; 16], reduced.clone())],
        ));
        kernels.push(kernel(
            "scan",
            "Scan",
            1,
            vec![
                buffer("Source", reduced),
                wanted("Target", vec![0; 16], before.clone()),
                buffer("Scratch", vec![0; 16]),
            ],
        ));
        kernels.push(kernel(
            "scan-add",
            "ScanAdd",
            16,
            vec![
                buffer("Source", counted),
                wanted("Target", vec![0; 16 * groups], offsets.clone()),
                buffer("Scratch", before),
            ],
        ));
        let empty = || vec![0; count];
        kernels.push(kernel(
            "scatter",
            "Scatter",
            groups,
            vec![
                buffer("Keys", now.keys.clone()),
                buffer("Payloads", now.payloads.clone()),
                buffer("Sums", offsets),
                wanted("SortedKeys", empty(), next.keys.clone()),
                wanted("SortedPayloads", empty(), next.payloads.clone()),
            ],
        ));
        now = next;
    }
    Algorithm {
        title: "parallel sort",
        repository: "GPUOpen-Effects/FidelityFX-ParallelSort",
        claims: (16, 128),
        evidence: "A comment in `FFX_ParallelSort.h` says that waves of 8 or fewer lanes may not work.",
        note: "They do not, and the fault is the algorithm's: in `FFX_ParallelSort_BlockScanPrefix` the first wave scans the sums of all waves of a group of 128 threads, one per lane, and below 16 lanes the group has more waves than a wave has lanes. The findings are its loads: a thread loads its keys before it checks which of them exist, and Direct3D returns zeros for the others.",
        kernels,
    }
}

// ---------------------------------------------------------------------------------------------------------
// Single-pass downsampler
// ---------------------------------------------------------------------------------------------------------

fn downsampler() -> Algorithm {
    const SIZE: usize = 256;
    const LEVELS: usize = 8;
    // Their sums are exact in every order.
    let image: Vec<f32> =
        scattered(4 * SIZE * SIZE, 3).into_iter().map(|it| (it >> 20 & 15) as f32).collect();
    let mut levels = vec![image];
    for level in 1..=LEVELS {
        let (above, size) = (&levels[level - 1], SIZE >> level);
        let at = |x: usize, y: usize, channel: usize| above[4 * (y * 2 * size + x) + channel];
        let mut mean = Vec::with_capacity(4 * size * size);
        for (y, x) in (0..size).flat_map(|y| (0..size).map(move |x| (y, x))) {
            for channel in 0..4 {
                let sum: f32 = [(0, 0), (1, 0), (0, 1), (1, 1)]
                    .iter()
                    .map(|(dx, dy)| at(2 * x + dx, 2 * y + dy, channel))
                    .sum();
                mean.push(sum * 0.25);
            }
        }
        levels.push(mean);
    }
    let mut buffers: Vec<Buffer> = levels
        .iter()
        .enumerate()
        .map(|(level, texels)| {
            let size = SIZE >> level;
            // One level has its own variable, since all groups read it.
            let name = match level {
                6 => "imgDst6".to_owned(),
                _ => format!("imgDst[{level}]"),
            };
            let words: Vec<u32> = texels.iter().map(|it| it.to_bits()).collect();
            Buffer {
                name,
                stride: 0,
                texture: Some((size as u32, size as u32)),
                words: if level == 0 { words.clone() } else { vec![0; words.len()] },
                expected: Some(words),
            }
        })
        .collect();
    let counters = wanted("spdGlobalAtomic", vec![0; 6], vec![0; 6]);
    buffers.push(Buffer { stride: 24, ..counters });
    let groups = (SIZE / 64) as u32;
    let kernel = Kernel {
        name: "downsample".to_owned(),
        source: Source::Around {
            text: "#include \"../sample/src/DX12/SPDIntegration.hlsl\"\n",
            includes: "ffx-spd",
        },
        entry: "main",
        flags: Vec::new(),
        groups: [groups, groups, 1],
        constants: vec![
            ("mips", vec![LEVELS as u32]),
            ("numWorkGroups", vec![groups * groups]),
            ("workGroupOffset", vec![0, 0]),
        ],
        buffers,
    };
    Algorithm {
        title: "single-pass downsampler",
        repository: "GPUOpen-Effects/FidelityFX-SPD",
        claims: (4, 128),
        evidence: "It uses only quad operations, which exist at every wave size.",
        note: "The last group treats the small levels as if they were whole tiles: reads beyond them return zero, and writes beyond them are dropped, as Direct3D specifies. All threads of that group reset the counter, to the same zero.",
        kernels: vec![kernel],
    }
}
