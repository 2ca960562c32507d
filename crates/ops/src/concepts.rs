//! The concepts behind wave operations, as the reference explains them: a page for each, with an example and the values
//! that it leaves in the lanes of a wave. A test of `wavelane` runs the examples.

/// A concept, and its page.
#[derive(Clone, Copy, Debug)]
pub struct Concept {
    /// The names under which it is found, the usual one first.
    pub names: &'static [&'static str],
    pub text: &'static str,
    /// Statements that compute `x` from the index `i` of the thread.
    pub example: &'static str,
    /// `x` in the lanes of a wave of eight.
    pub lanes: [u32; 8],
    /// Related concepts and functions.
    pub see: &'static [&'static str],
}

impl Concept {
    /// The usual name.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }
}

/// All concepts.
pub fn all() -> &'static [Concept] {
    ALL
}

/// Finds a concept by any of its names; spaces and underscores count as hyphens.
pub fn by_name(name: &str) -> Option<&'static Concept> {
    let name = name.to_ascii_lowercase().replace([' ', '_'], "-");
    ALL.iter().find(|it| it.names.contains(&name.as_str()))
}

const ALL: &[Concept] = &[
    Concept {
        names: &[
            "wave",
            "waves",
            "subgroup",
            "warp",
            "wavefront",
            "simdgroup",
            "wave-size",
            "wave-width",
        ],
        text: "The threads of a group are divided into waves, whose lanes execute instructions together. A wave has 4 to 128 lanes, a power of two; the device decides, unless `[WaveSize]` does. GLSL and Vulkan call it a subgroup, CUDA a warp, Metal a SIMD group.",
        example: "uint x = WaveGetLaneCount();",
        lanes: [8; 8],
        see: &["lane", "active-lanes", "WaveGetLaneCount"],
    },
    Concept {
        names: &["lane", "lanes", "invocation", "lane-index"],
        text: "A lane is the position of a thread in its wave, counted from 0. Each lane has its own values of variables; wave functions let lanes read those of other lanes.",
        example: "uint x = WaveGetLaneIndex();",
        lanes: [0, 1, 2, 3, 4, 5, 6, 7],
        see: &["wave", "active-lanes", "WaveGetLaneIndex", "WaveReadLaneAt"],
    },
    Concept {
        names: &[
            "active-lanes",
            "active-lane",
            "active",
            "active-mask",
            "inactive-lanes",
            "inactive",
        ],
        text: "The active lanes are those that execute an instruction together. They follow from the structure of the program: in a branch, those that took it; in a loop, those that have not left it. A wave function combines the active lanes only. Reading an inactive lane gives an undefined value.",
        example: "uint x;\nif (i < 3) x = WaveActiveSum(1u);\nelse       x = WaveActiveSum(10u);",
        lanes: [3, 3, 3, 50, 50, 50, 50, 50],
        see: &["divergence", "ballot", "WaveActiveSum"],
    },
    Concept {
        names: &["divergence", "divergent", "reconvergence", "control-flow", "tangle"],
        text: "Lanes diverge where a condition differs between them: a branch or a loop then runs with some of the lanes. They reconverge at the end of the construct, whichever path each lane took, even through `break`, `continue` or the `return` of a function.",
        example: "uint x = 0;\nfor (uint k = 0; k < i; k++) x += WaveActiveCountBits(true);\n// all eight lanes have reconverged\nx += 100 * WaveActiveCountBits(true);",
        lanes: [800, 807, 813, 818, 822, 825, 827, 828],
        see: &["active-lanes", "uniform"],
    },
    Concept {
        names: &["uniform", "varying", "non-uniform", "scalarization", "waterfall"],
        text: "A value is uniform if it is the same in all active lanes. Branches on uniform values do not diverge. `WaveReadLaneFirst` makes a value uniform; a waterfall loop, which handles the lanes of one value at a time, makes any value uniform in its body.",
        example: "uint key = i % 3, x = 0, round = 0;\nwhile (true) {\n    round++;\n    if (key == WaveReadLaneFirst(key)) { x = round; break; }\n}",
        lanes: [1, 2, 3, 1, 2, 3, 1, 2],
        see: &["divergence", "WaveReadLaneFirst", "WaveActiveAllEqual"],
    },
    Concept {
        names: &["ballot", "vote", "mask", "lane-mask"],
        text: "A ballot evaluates a condition in every active lane, and returns to all of them a mask of the lanes in which it holds: bit `lane % 32` of component `lane / 32` of a `uint4`. Waves of up to 32 lanes need `.x` alone.",
        example: "uint x = WaveActiveBallot(i % 2 == 1).x;",
        lanes: [170; 8],
        see: &["partition", "WaveActiveBallot", "WaveActiveCountBits", "WavePrefixCountBits"],
    },
    Concept {
        names: &["prefix", "scan", "prefix-sum", "exclusive-scan", "inclusive-scan", "compaction"],
        text: "A prefix function combines the active lanes below this one, without its own value: an exclusive scan. With its own value added, it is an inclusive scan. `WavePrefixCountBits` counts the lanes below for which a condition holds, which gives each of them a position of its own in a compacted list.",
        example: "uint x = WavePrefixSum(i);",
        lanes: [0, 0, 1, 3, 6, 10, 15, 21],
        see: &["partition", "WavePrefixSum", "WavePrefixCountBits"],
    },
    Concept {
        names: &["partition", "partitions", "multi-prefix", "match"],
        text: "A partition splits the active lanes into sets. `WaveMatch` gives each lane the mask of the lanes with the same value; the `WaveMultiPrefix…` functions take such a mask, and scan each set separately.",
        example: "uint x = WaveMultiPrefixSum(1u, WaveMatch(i % 3));",
        lanes: [0, 0, 0, 1, 1, 1, 2, 2],
        see: &["ballot", "prefix", "WaveMatch", "WaveMultiPrefixSum"],
    },
    Concept {
        names: &["quad", "quads", "derivative", "derivatives", "ddx", "ddy"],
        text: "Four consecutive lanes are a quad: lanes 0 to 3, 4 to 7 and so on. In a pixel shader they are 2x2 pixels: 0 and 1 side by side, 2 and 3 below them. Derivatives are differences in a quad, and the functions `Quad…` read its other lanes.",
        example: "uint x = QuadReadAcrossX(i) * 10 + QuadReadAcrossY(i);",
        lanes: [12, 3, 30, 21, 56, 47, 74, 65],
        see: &["helper-lane", "QuadReadAcrossX", "QuadReadAcrossY", "QuadReadAcrossDiagonal"],
    },
    Concept {
        names: &["helper-lane", "helper-lanes", "helper", "helper-invocation"],
        text: "A helper lane completes a quad of a pixel shader at the edge of a triangle, or after `discard`, so that derivatives have all four lanes. It writes nothing and takes no part in wave functions; quad functions and derivatives read it. A compute shader has no helper lanes.",
        example: "uint x = IsHelperLane() ? 1 : 0;",
        lanes: [0; 8],
        see: &["quad", "IsHelperLane"],
    },
    Concept {
        names: &["broadcast", "shuffle", "read-lane"],
        text: "A broadcast gives every active lane the value of one of them; in a shuffle, each lane chooses the lane that it reads. That lane must be active.",
        example: "uint x = WaveReadLaneAt(i * i, WaveGetLaneIndex() ^ 1);",
        lanes: [1, 0, 9, 4, 25, 16, 49, 36],
        see: &["active-lanes", "WaveReadLaneAt", "WaveReadLaneFirst"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_related_pages_exist() {
        let mut names: Vec<&str> = ALL.iter().flat_map(|it| it.names).copied().collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|it| it[0] != it[1]));
        for word in ALL.iter().flat_map(|it| it.see) {
            let exists = by_name(word).is_some() || crate::intrinsics::by_name(word).is_some();
            assert!(exists, "{word}");
        }
        assert_eq!(by_name("Active lanes").map(Concept::name), Some("active-lanes"));
    }
}
