//! Wave functions of other languages and libraries, by rules: a prefix for the language, a kind of operation, an
//! operation.
//!
//! GLSL, WGSL, CUDA, HIP, OpenCL and Metal, and the libraries NVAPI and AGS, name their functions systematically, so a
//! rule finds all of them. Functions that differ in their arguments are described in words, without a replacement.

use super::{Foreign, Hlsl};

/// The meaning of a wave function of another language.
pub(super) fn wave(word: &str) -> Option<Foreign> {
    let found = glsl(word)
        .or_else(|| opencl(word))
        .or_else(|| metal(word))
        .or_else(|| cuda(word))
        .or_else(|| nvapi(word))
        .or_else(|| ags(word))
        .or_else(|| unknown(word));
    found.map(|(language, hlsl)| Foreign { language, hlsl })
}

type Found = Option<(&'static str, Hlsl)>;

/// How an operation combines the lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reduce,
    Exclusive,
    Inclusive,
    Clustered,
    Partitioned,
    PartitionedExclusive,
    PartitionedInclusive,
}

/// An associative operation: its names elsewhere, its name in HLSL, and its operator.
struct Operation {
    names: &'static [&'static str],
    hlsl: &'static str,
    operator: &'static str,
}

const OPERATIONS: &[Operation] = &[
    Operation { names: &["add", "sum"], hlsl: "Sum", operator: "+" },
    Operation { names: &["mul", "product"], hlsl: "Product", operator: "*" },
    Operation { names: &["min"], hlsl: "Min", operator: "" },
    Operation { names: &["max"], hlsl: "Max", operator: "" },
    Operation { names: &["and", "bitand"], hlsl: "BitAnd", operator: "&" },
    Operation { names: &["or", "bitor"], hlsl: "BitOr", operator: "|" },
    Operation { names: &["xor", "bitxor"], hlsl: "BitXor", operator: "^" },
];

fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|it| it.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

/// What an operation is in HLSL, where it takes a value and nothing else that counts.
fn folded(kind: Kind, operation: &Operation) -> Hlsl {
    let Operation { hlsl, operator, .. } = *operation;
    let is_extreme = operator.is_empty();
    let text = |it: String| Hlsl::Text(it.into());
    match kind {
        Kind::Reduce => Hlsl::Name(match hlsl {
            "Sum" => "WaveActiveSum",
            "Product" => "WaveActiveProduct",
            "Min" => "WaveActiveMin",
            "Max" => "WaveActiveMax",
            "BitAnd" => "WaveActiveBitAnd",
            "BitOr" => "WaveActiveBitOr",
            _ => "WaveActiveBitXor",
        }),
        Kind::Exclusive if hlsl == "Sum" => Hlsl::Name("WavePrefixSum"),
        Kind::Exclusive if hlsl == "Product" => Hlsl::Name("WavePrefixProduct"),
        Kind::Exclusive
        | Kind::Inclusive
        | Kind::PartitionedExclusive
        | Kind::PartitionedInclusive
            if is_extreme =>
        {
            let name = hlsl.to_lowercase();
            text(format!(
                "there is no prefix {name}: build it from `WaveReadLaneAt(x, WaveGetLaneIndex() - n)` for n = 1, 2, 4, …"
            ))
        }
        Kind::Exclusive => {
            text(format!("it is `WaveMultiPrefix{hlsl}(x, WaveActiveBallot(true))`"))
        }
        Kind::Inclusive if matches!(hlsl, "Sum" | "Product") => {
            text(format!("it is `WavePrefix{hlsl}(x) {operator} x`"))
        }
        Kind::Inclusive => {
            let scan = format!("WaveMultiPrefix{hlsl}(x, WaveActiveBallot(true))");
            text(format!("it is `{scan} {operator} x`"))
        }
        Kind::Clustered => text(format!(
            "combine `x` with `WaveReadLaneAt(x, WaveGetLaneIndex() ^ n)` for n = 1, 2, 4, … below the size; \
             `WaveActive{hlsl}` takes the whole wave"
        )),
        Kind::PartitionedExclusive => text(format!(
            "it is `WaveMultiPrefix{hlsl}(x, mask)`, where `WaveMatch` gives the mask"
        )),
        Kind::PartitionedInclusive => text(format!(
            "it is `WaveMultiPrefix{hlsl}(x, mask) {operator} x`, where `WaveMatch` gives the mask"
        )),
        Kind::Partitioned => text(format!(
            "`WaveMatch` finds the lanes of a part; a loop over the parts with `WaveActive{hlsl}` combines each"
        )),
    }
}

fn name(hlsl: &'static str) -> Hlsl {
    Hlsl::Name(hlsl)
}

fn text(hlsl: &'static str) -> Hlsl {
    Hlsl::Text(hlsl.into())
}

const UP: &str = "it is `WaveReadLaneAt(x, WaveGetLaneIndex() - n)`";
const DOWN: &str = "it is `WaveReadLaneAt(x, WaveGetLaneIndex() + n)`";
const XOR: &str = "it is `WaveReadLaneAt(x, WaveGetLaneIndex() ^ m)`";
const ROTATE: &str = "it is `WaveReadLaneAt(x, (WaveGetLaneIndex() + n) % WaveGetLaneCount())`, if all lanes are active";
const AT: &str = "it is `WaveReadLaneAt(x, lane)`; the set of lanes is that of the active ones";
const COUNT: &str = "it is `WaveActiveCountBits(condition)`";
const REDUCE_BY: &str =
    "each operation has its own function: `WaveActiveSum`, `WaveActiveMin` and its like";
const SCAN_BY: &str = "each operation has its own function, `WavePrefixSum` or, with a mask of lanes, `WaveMultiPrefixBitOr` and its \
     like; none includes the lane's own value";
const COUNT_BELOW: &str = "it is `WavePrefixCountBits(condition)`";
const COUNT_UP_TO: &str = "it is `WavePrefixCountBits(condition) + (condition ? 1 : 0)`";
const BIT_OF_MINE: &str =
    "it is bit `WaveGetLaneIndex() % 32` of the component `WaveGetLaneIndex() / 32` of a ballot";
const FIRST_BIT: &str = "`firstbitlow` of the components of a ballot finds the lowest lane";
const LAST_BIT: &str = "`firstbithigh` of the components of a ballot finds the highest lane";
const LANES_BELOW: &str = "`WavePrefixCountBits` counts lanes below this one; a mask of them has to be computed from `WaveGetLaneIndex()`";
const BARRIER: &str =
    "lanes of a wave run together, and `GroupMemoryBarrierWithGroupSync()` orders memory";
const IN_GROUP: &str = "it is `SV_GroupIndex / WaveGetLaneCount()`, if groups are dealt in order";
const PER_GROUP: &str =
    "it is the size of the group, divided by `WaveGetLaneCount()` and rounded up";
const MASK_IS_ACTIVE: &str = "the mask is left out: the lanes are always the active ones";
const PARTITION: &str = "`WaveMatch(x)` gives the lanes that have the same value";
const FILL: &str =
    "`WaveReadLaneAt` with an index beyond the wave is undefined: choose with a condition";
const WRITE: &str = "it is `WaveGetLaneIndex() == lane ? value : x`";
const SWIZZLE: &str =
    "it is `WaveReadLaneAt` with a computed lane, or `QuadReadAcrossX` and its like";

/// GLSL's extensions, and WGSL.
fn glsl(word: &str) -> Found {
    const GLSL: &str = "GLSL";
    const WGSL: &str = "WGSL";
    const BOTH: &str = "GLSL and WGSL";
    let found = match word {
        "subgroupAll" => (BOTH, name("WaveActiveAllTrue")),
        "subgroupAny" => (BOTH, name("WaveActiveAnyTrue")),
        "subgroupAllEqual" => (GLSL, name("WaveActiveAllEqual")),
        "subgroupBallot" => (BOTH, name("WaveActiveBallot")),
        "subgroupElect" => (BOTH, name("WaveIsFirstLane")),
        "subgroupBroadcastFirst" => (BOTH, name("WaveReadLaneFirst")),
        "subgroupBroadcast" | "subgroupShuffle" => (BOTH, name("WaveReadLaneAt")),
        "subgroupShuffleXor" => (BOTH, text(XOR)),
        "subgroupShuffleUp" => (BOTH, text(UP)),
        "subgroupShuffleDown" => (BOTH, text(DOWN)),
        "subgroupRotate" | "subgroupClusteredRotate" => (GLSL, text(ROTATE)),
        "subgroupInverseBallot" | "subgroupBallotBitExtract" => (GLSL, text(BIT_OF_MINE)),
        "subgroupBallotBitCount" => (GLSL, text(COUNT)),
        "subgroupBallotExclusiveBitCount" => (GLSL, text(COUNT_BELOW)),
        "subgroupBallotInclusiveBitCount" => (GLSL, text(COUNT_UP_TO)),
        "subgroupBallotFindLSB" => (GLSL, text(FIRST_BIT)),
        "subgroupBallotFindMSB" => (GLSL, text(LAST_BIT)),
        "subgroupQuadBroadcast" => (GLSL, name("QuadReadLaneAt")),
        "subgroupQuadSwapHorizontal" => (GLSL, name("QuadReadAcrossX")),
        "subgroupQuadSwapVertical" => (GLSL, name("QuadReadAcrossY")),
        "subgroupQuadSwapDiagonal" => (GLSL, name("QuadReadAcrossDiagonal")),
        "subgroupQuadAny" => (GLSL, name("QuadAny")),
        "subgroupQuadAll" => (GLSL, name("QuadAll")),
        "quadBroadcast" => (WGSL, name("QuadReadLaneAt")),
        "quadSwapX" => (WGSL, name("QuadReadAcrossX")),
        "quadSwapY" => (WGSL, name("QuadReadAcrossY")),
        "quadSwapDiagonal" => (WGSL, name("QuadReadAcrossDiagonal")),
        "subgroupPartitionNV" => (GLSL, name("WaveMatch")),
        "subgroupBarrier"
        | "subgroupMemoryBarrier"
        | "subgroupMemoryBarrierBuffer"
        | "subgroupMemoryBarrierShared"
        | "subgroupMemoryBarrierImage" => (GLSL, text(BARRIER)),
        "gl_SubgroupSize" | "gl_SubGroupSizeARB" | "gl_WarpSizeNV" => {
            (GLSL, name("WaveGetLaneCount()"))
        }
        "gl_SubgroupInvocationID" | "gl_SubGroupInvocationARB" | "gl_ThreadInWarpNV" => {
            (GLSL, name("WaveGetLaneIndex()"))
        }
        "gl_SubgroupEqMask" | "gl_SubgroupGeMask" | "gl_SubgroupGtMask" | "gl_SubgroupLeMask"
        | "gl_SubgroupLtMask" => (GLSL, text(LANES_BELOW)),
        "gl_SubgroupID" => (GLSL, text(IN_GROUP)),
        "gl_NumSubgroups" => (GLSL, text(PER_GROUP)),
        "gl_HelperInvocation" => (GLSL, name("IsHelperLane()")),
        "subgroup_size" => (WGSL, name("WaveGetLaneCount()")),
        "subgroup_invocation_id" => (WGSL, name("WaveGetLaneIndex()")),
        "subgroup_id" => (WGSL, text(IN_GROUP)),
        "num_subgroups" => (WGSL, text(PER_GROUP)),
        "anyInvocation" | "anyInvocationARB" | "anyThreadNV" => (GLSL, name("WaveActiveAnyTrue")),
        "allInvocations" | "allInvocationsARB" | "allThreadsNV" => {
            (GLSL, name("WaveActiveAllTrue"))
        }
        "allInvocationsEqual" | "allInvocationsEqualARB" => (GLSL, name("WaveActiveAllEqual")),
        "ballotARB" | "ballotThreadNV" => (GLSL, name("WaveActiveBallot")),
        "readInvocationARB" => (GLSL, name("WaveReadLaneAt")),
        "readFirstInvocationARB" => (GLSL, name("WaveReadLaneFirst")),
        "shuffleNV" => (GLSL, text(AT)),
        "shuffleUpNV" => (GLSL, text(UP)),
        "shuffleDownNV" => (GLSL, text(DOWN)),
        "shuffleXorNV" => (GLSL, text(XOR)),
        "mbcntAMD" => (GLSL, text(COUNT_BELOW)),
        "writeInvocationAMD" => (GLSL, text(WRITE)),
        "swizzleInvocationsAMD" | "swizzleInvocationsMaskedAMD" => (GLSL, text(SWIZZLE)),
        _ => return glsl_fold(word),
    };
    Some(found)
}

/// `subgroupInclusiveAdd`, `subgroupPartitionedExclusiveMaxNV`, `minInvocationsExclusiveScanAMD`.
fn glsl_fold(word: &str) -> Found {
    if let Some(rest) = word.strip_suffix("AMD")
        && let Some((name, scan)) = rest.split_once("Invocations")
    {
        let kind = match scan.strip_suffix("NonUniform").unwrap_or(scan) {
            "" => Kind::Reduce,
            "InclusiveScan" => Kind::Inclusive,
            "ExclusiveScan" => Kind::Exclusive,
            _ => return None,
        };
        return Some(("GLSL", folded(kind, operation(name)?)));
    }
    let rest = word.strip_prefix("subgroup")?;
    let (rest, is_partitioned) = match rest.strip_prefix("Partitioned") {
        Some(rest) => (rest.strip_suffix("NV")?, true),
        None => (rest, false),
    };
    if rest.starts_with("Bit") {
        return None;
    }
    let kinds = [
        ("Exclusive", Kind::Exclusive, Kind::PartitionedExclusive),
        ("Inclusive", Kind::Inclusive, Kind::PartitionedInclusive),
        ("Clustered", Kind::Clustered, Kind::Clustered),
        ("", Kind::Reduce, Kind::Partitioned),
    ];
    kinds.into_iter().find_map(|(prefix, plain, partitioned)| {
        let operation = operation(rest.strip_prefix(prefix)?)?;
        let kind = if is_partitioned { partitioned } else { plain };
        let is_wgsl = match kind {
            Kind::Reduce => true,
            Kind::Exclusive | Kind::Inclusive => matches!(operation.hlsl, "Sum" | "Product"),
            _ => false,
        };
        let language = if is_wgsl { "GLSL and WGSL" } else { "GLSL" };
        Some((language, folded(kind, operation)))
    })
}

fn opencl(word: &str) -> Found {
    let hlsl = match word {
        "get_sub_group_size" | "get_max_sub_group_size" => name("WaveGetLaneCount"),
        "get_sub_group_local_id" => name("WaveGetLaneIndex"),
        "get_sub_group_id" => text(IN_GROUP),
        "get_num_sub_groups" | "get_enqueued_num_sub_groups" => text(PER_GROUP),
        "get_sub_group_eq_mask"
        | "get_sub_group_ge_mask"
        | "get_sub_group_gt_mask"
        | "get_sub_group_le_mask"
        | "get_sub_group_lt_mask" => text(LANES_BELOW),
        "intel_sub_group_shuffle" => name("WaveReadLaneAt"),
        "intel_sub_group_shuffle_xor" => text(XOR),
        "intel_sub_group_shuffle_up" => text(UP),
        "intel_sub_group_shuffle_down" => text(DOWN),
        _ => {
            let rest = word.strip_prefix("sub_group_")?;
            let rest = rest.strip_prefix("non_uniform_").unwrap_or(rest);
            match rest {
                "all" => name("WaveActiveAllTrue"),
                "any" => name("WaveActiveAnyTrue"),
                "all_equal" => name("WaveActiveAllEqual"),
                "elect" => name("WaveIsFirstLane"),
                "ballot" => name("WaveActiveBallot"),
                "broadcast" | "shuffle" => name("WaveReadLaneAt"),
                "broadcast_first" => name("WaveReadLaneFirst"),
                "shuffle_xor" => text(XOR),
                "shuffle_up" => text(UP),
                "shuffle_down" => text(DOWN),
                "rotate" | "clustered_rotate" => text(ROTATE),
                "inverse_ballot" | "ballot_bit_extract" => text(BIT_OF_MINE),
                "ballot_bit_count" => text(COUNT),
                "ballot_exclusive_scan" => text(COUNT_BELOW),
                "ballot_inclusive_scan" => text(COUNT_UP_TO),
                "ballot_find_lsb" => text(FIRST_BIT),
                "ballot_find_msb" => text(LAST_BIT),
                "barrier" => text(BARRIER),
                _ => {
                    let kinds = [
                        ("reduce_", Kind::Reduce),
                        ("scan_exclusive_", Kind::Exclusive),
                        ("scan_inclusive_", Kind::Inclusive),
                        ("clustered_reduce_", Kind::Clustered),
                    ];
                    kinds.into_iter().find_map(|(prefix, kind)| {
                        let rest = rest.strip_prefix(prefix)?;
                        let rest = rest.strip_prefix("logical_").unwrap_or(rest);
                        Some(folded(kind, operation(rest)?))
                    })?
                }
            }
        }
    };
    Some(("OpenCL", hlsl))
}

fn metal(word: &str) -> Found {
    let hlsl = match word {
        "threads_per_simdgroup" | "thread_execution_width" => name("WaveGetLaneCount()"),
        "thread_index_in_simdgroup" => name("WaveGetLaneIndex()"),
        "simdgroup_index_in_threadgroup" => text(IN_GROUP),
        "simdgroups_per_threadgroup" => text(PER_GROUP),
        "simd_all" => name("WaveActiveAllTrue"),
        "simd_any" => name("WaveActiveAnyTrue"),
        "simd_ballot" | "simd_vote" => name("WaveActiveBallot"),
        "simd_active_threads_mask" => text("it is `WaveActiveBallot(true)`"),
        "simd_is_first" => name("WaveIsFirstLane"),
        "simd_is_helper_thread" => name("IsHelperLane"),
        "simd_broadcast" | "simd_shuffle" => name("WaveReadLaneAt"),
        "simd_broadcast_first" => name("WaveReadLaneFirst"),
        "simd_shuffle_xor" => text(XOR),
        "simd_shuffle_up" => text(UP),
        "simd_shuffle_down" => text(DOWN),
        "simd_shuffle_rotate_up" | "simd_shuffle_rotate_down" => text(ROTATE),
        "simd_shuffle_and_fill_up" | "simd_shuffle_and_fill_down" => text(FILL),
        "simdgroup_barrier" => text(BARRIER),
        "quad_broadcast" | "quad_shuffle" => name("QuadReadLaneAt"),
        "quad_broadcast_first" => text("it is `QuadReadLaneAt(x, 0)`, if all lanes are active"),
        "quad_all" => name("QuadAll"),
        "quad_any" => name("QuadAny"),
        "quad_is_first" => text("it is `WaveGetLaneIndex() % 4 == 0`, if all lanes are active"),
        _ if word.starts_with("quad_") => {
            let rest = &word["quad_".len()..];
            let rest = rest.rsplit("sive_").next().unwrap_or(rest);
            if operation(rest).is_none() && !rest.starts_with("shuffle") && rest != "ballot" {
                return None;
            }
            text("combine `QuadReadAcrossX`, `QuadReadAcrossY` and `QuadReadLaneAt`")
        }
        _ => {
            let rest = word.strip_prefix("simd_")?;
            let (kind, rest) = match rest.strip_prefix("prefix_") {
                None => (Kind::Reduce, rest),
                Some(rest) => match rest.split_once('_')? {
                    ("exclusive", rest) => (Kind::Exclusive, rest),
                    ("inclusive", rest) => (Kind::Inclusive, rest),
                    _ => return None,
                },
            };
            folded(kind, operation(rest)?)
        }
    };
    Some(("Metal", hlsl))
}

/// CUDA, and HIP's own functions.
fn cuda(word: &str) -> Found {
    const MASKED: fn(&'static str) -> Hlsl =
        |it| Hlsl::Text(format!("it is `{it}`; {MASK_IS_ACTIVE}").into());
    let hlsl = match word {
        "warpSize" => name("WaveGetLaneCount()"),
        "__lane_id" | "__laneid" => name("WaveGetLaneIndex"),
        "__activemask" => text("it is `WaveActiveBallot(true)`"),
        "__all" => name("WaveActiveAllTrue"),
        "__any" => name("WaveActiveAnyTrue"),
        "__ballot" => name("WaveActiveBallot"),
        "__all_sync" => MASKED("WaveActiveAllTrue(condition)"),
        "__any_sync" => MASKED("WaveActiveAnyTrue(condition)"),
        "__ballot_sync" => MASKED("WaveActiveBallot(condition)"),
        "__match_any_sync" => MASKED("WaveMatch(x)"),
        "__match_all_sync" => MASKED("WaveActiveAllEqual(x)"),
        "__shfl" => text(AT),
        "__shfl_sync" => MASKED("WaveReadLaneAt(x, lane)"),
        "__shfl_xor" => text(XOR),
        "__shfl_up" => text(UP),
        "__shfl_down" => text(DOWN),
        "__shfl_xor_sync" => MASKED("WaveReadLaneAt(x, WaveGetLaneIndex() ^ m)"),
        "__shfl_up_sync" => MASKED("WaveReadLaneAt(x, WaveGetLaneIndex() - n)"),
        "__shfl_down_sync" => MASKED("WaveReadLaneAt(x, WaveGetLaneIndex() + n)"),
        "__syncwarp" => text(BARRIER),
        "__lanemask_lt" | "__lanemask_le" | "__lanemask_eq" | "__lanemask_ge" | "__lanemask_gt" => {
            text(LANES_BELOW)
        }
        "coalesced_threads" | "this_thread_block" | "tiled_partition" | "labeled_partition" => {
            text(
                "the group of lanes is always that of the active ones; `WaveMatch` finds parts of it",
            )
        }
        "__builtin_amdgcn_readfirstlane" => return Some(("HIP", name("WaveReadLaneFirst"))),
        "__builtin_amdgcn_readlane" => return Some(("HIP", name("WaveReadLaneAt"))),
        "__builtin_amdgcn_mbcnt_lo" | "__builtin_amdgcn_mbcnt_hi" => {
            return Some(("HIP", text(COUNT_BELOW)));
        }
        "__builtin_amdgcn_ballot_w32" | "__builtin_amdgcn_ballot_w64" => {
            return Some(("HIP", name("WaveActiveBallot")));
        }
        _ => {
            let rest = word.strip_prefix("__reduce_")?.strip_suffix("_sync")?;
            let Hlsl::Name(hlsl) = folded(Kind::Reduce, operation(rest)?) else { return None };
            Hlsl::Text(format!("it is `{hlsl}(x)`; {MASK_IS_ACTIVE}").into())
        }
    };
    Some(("CUDA", hlsl))
}

fn nvapi(word: &str) -> Found {
    let rest = word.strip_prefix("Nv")?;
    let hlsl = match rest {
        "Shfl" => text(AT),
        "ShflUp" => text(UP),
        "ShflDown" => text(DOWN),
        "ShflXor" => text(XOR),
        "Any" => name("WaveActiveAnyTrue"),
        "All" => name("WaveActiveAllTrue"),
        "Ballot" => text("it is `WaveActiveBallot(condition).x` in waves of 32 lanes"),
        "GetLaneId" => name("WaveGetLaneIndex"),
        "ActiveThreads" => text("it is `WaveActiveBallot(true).x` in waves of 32 lanes"),
        "WaveMatch" => text(PARTITION),
        _ => {
            let rest = rest.strip_prefix("WaveMultiPrefix")?;
            let (kind, name) =
                match (rest.strip_prefix("Inclusive"), rest.strip_prefix("Exclusive")) {
                    (Some(name), _) => (Kind::PartitionedInclusive, name),
                    (_, Some(name)) => (Kind::PartitionedExclusive, name),
                    _ => return None,
                };
            folded(kind, operation(name)?)
        }
    };
    Some(("NVAPI", hlsl))
}

/// `AmdDxExtShaderIntrinsics_…` for Direct3D 11 and `AmdExtD3DShaderIntrinsics_…` for Direct3D 12.
fn ags(word: &str) -> Found {
    let rest = word
        .strip_prefix("AmdDxExtShaderIntrinsics_")
        .or_else(|| word.strip_prefix("AmdExtD3DShaderIntrinsics_"))?;
    // A letter for the type: float, int or unsigned.
    let untyped = rest.strip_suffix(['F', 'I', 'U']).unwrap_or(rest);
    let hlsl = match untyped {
        "Readfirstlane" | "ReadfirstLane" => name("WaveReadLaneFirst"),
        "Readlane" | "ReadlaneAt" => name("WaveReadLaneAt"),
        "LaneId" => name("WaveGetLaneIndex"),
        "GetWaveSize" => name("WaveGetLaneCount"),
        "Ballot" => name("WaveActiveBallot"),
        "BallotAny" => name("WaveActiveAnyTrue"),
        "BallotAll" => name("WaveActiveAllTrue"),
        "MBCnt" => text(COUNT_BELOW),
        "Swizzle" => text(SWIZZLE),
        // The operation is an argument.
        "WaveReduce" => text(REDUCE_BY),
        "WaveScan" => text(SCAN_BY),
        _ => {
            let kinds = [
                ("WaveActive", Kind::Reduce),
                ("WavePrefix", Kind::Exclusive),
                ("WavePostfix", Kind::Inclusive),
                ("WaveCluster", Kind::Clustered),
            ];
            kinds.into_iter().find_map(|(prefix, kind)| {
                Some(folded(kind, operation(untyped.strip_prefix(prefix)?)?))
            })?
        }
    };
    Some(("AGS", hlsl))
}

/// Names that no library has, but that are guessed.
fn unknown(word: &str) -> Found {
    let rest = word.strip_prefix("Wave")?;
    let hlsl = match rest {
        "Broadcast" | "Shuffle" | "ReadLane" => name("WaveReadLaneAt"),
        "BroadcastFirst" | "ReadFirstLane" => name("WaveReadLaneFirst"),
        "ShuffleXor" => text(XOR),
        "ShuffleUp" => text(UP),
        "ShuffleDown" => text(DOWN),
        "Size" | "GetSize" | "GetWidth" => name("WaveGetLaneCount"),
        "GetLaneId" | "LaneId" | "LaneIndex" => name("WaveGetLaneIndex"),
        "IsFirst" | "Elect" => name("WaveIsFirstLane"),
        _ => {
            let kinds = [
                ("Inclusive", Kind::Inclusive),
                ("PostfixInclusive", Kind::Inclusive),
                ("PrefixInclusive", Kind::Inclusive),
                ("Exclusive", Kind::Exclusive),
                ("Reduce", Kind::Reduce),
                ("", Kind::Reduce),
            ];
            kinds.into_iter().find_map(|(prefix, kind)| {
                Some(folded(kind, operation(rest.strip_prefix(prefix)?)?))
            })?
        }
    };
    Some(("", hlsl))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::names::WAVES;

    #[test]
    fn every_wave_function_of_every_language_has_an_answer() {
        for (language, words) in WAVES {
            for word in words.split_whitespace() {
                let found = wave(word).unwrap_or_else(|| panic!("{word} of {language}"));
                assert!(found.language.contains(language), "{word}: {}", found.language);
                let names: Vec<&str> = match &found.hlsl {
                    Hlsl::Name(name) => vec![name.trim_end_matches("()")],
                    // All functions that the text names.
                    Hlsl::Text(text) => text
                        .split(|it: char| !it.is_ascii_alphanumeric() && it != '_')
                        .filter(|it| it.starts_with("Wave") || it.starts_with("Quad"))
                        .collect(),
                };
                for name in names {
                    assert!(ops::intrinsics::by_name(name).is_some(), "{word}: {name}");
                }
            }
        }
        for word in [
            "subgroup",
            "simd_float4",
            "NvInterlockedAddFp32",
            "Waves",
            "WaveActiveSum",
            "sub_group_",
        ] {
            assert!(wave(word).is_none(), "{word}");
        }
    }
}
