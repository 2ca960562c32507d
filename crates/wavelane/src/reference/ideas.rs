//! The ideas behind wave functions: a page for each, with an example and what it gives in the lanes of a wave.

/// One idea.
#[derive(Clone, Copy, Debug)]
pub struct Idea {
    /// The names under which it is explained, the usual one first.
    names: &'static [&'static str],
    text: &'static str,
    /// Statements that compute `x` from the index `i` of the thread.
    example: &'static str,
    /// `x` in the lanes of a wave of eight.
    lanes: [u32; 8],
    see: &'static str,
}

/// The idea of that name; a space is as good as a hyphen.
pub fn idea(name: &str) -> Option<Idea> {
    let name = name.to_ascii_lowercase().replace([' ', '_'], "-");
    IDEAS.iter().find(|it| it.names.contains(&name.as_str())).copied()
}

/// All ideas.
pub fn ideas() -> impl Iterator<Item = Idea> {
    IDEAS.iter().copied()
}

/// The names of all ideas.
pub fn idea_names() -> impl Iterator<Item = &'static str> {
    IDEAS.iter().flat_map(|it| it.names.iter().copied())
}

impl Idea {
    /// The usual name.
    pub fn name(self) -> &'static str {
        self.names[0]
    }

    /// What it is.
    pub fn text(self) -> &'static str {
        self.text
    }

    /// The statements of the example.
    pub fn example(self) -> &'static str {
        self.example
    }

    /// What the example leaves in `x`, in each lane of a wave of eight.
    pub fn lanes(self) -> [u32; 8] {
        self.lanes
    }

    /// Where to read on.
    pub fn see(self) -> &'static str {
        self.see
    }
}

const IDEAS: &[Idea] = &[
    Idea {
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
        text: "The threads of a group are dealt to waves, which execute their instructions together. A wave has 4 to 128 lanes, a power of two; the device decides, unless `[WaveSize]` does. GLSL and Vulkan call it a subgroup, CUDA a warp, Metal a SIMD group.",
        example: "uint x = WaveGetLaneCount();",
        lanes: [8; 8],
        see: "lane, active-lanes, WaveGetLaneCount",
    },
    Idea {
        names: &["lane", "lanes", "invocation", "lane-index"],
        text: "A lane is the place of one thread in its wave, counted from 0. Each lane has its own values of variables; wave functions are how lanes see those of others.",
        example: "uint x = WaveGetLaneIndex();",
        lanes: [0, 1, 2, 3, 4, 5, 6, 7],
        see: "wave, active-lanes, WaveGetLaneIndex, WaveReadLaneAt",
    },
    Idea {
        names: &[
            "active-lanes",
            "active-lane",
            "active",
            "active-mask",
            "inactive-lanes",
            "inactive",
        ],
        text: "The active lanes are those that execute an instruction together. They follow from the structure of the program: in a branch, those that took it; in a loop, those that are still in it. A wave function combines the active lanes only. To read a lane that is not active is undefined.",
        example: "uint x;\nif (i < 3) x = WaveActiveSum(1u);\nelse       x = WaveActiveSum(10u);",
        lanes: [3, 3, 3, 50, 50, 50, 50, 50],
        see: "divergence, ballot, WaveActiveSum",
    },
    Idea {
        names: &["divergence", "divergent", "reconvergence", "control-flow", "tangle"],
        text: "Lanes diverge where a condition differs between them: a branch or a loop then runs with a part of the wave. They come together again where the construct ends, whichever way each lane took, also after `break`, `continue` and `return`.",
        example: "uint x = 0;\nfor (uint k = 0; k < i; k++) x += WaveActiveCountBits(true);\n// all eight lanes are together again\nx += 100 * WaveActiveCountBits(true);",
        lanes: [800, 807, 813, 818, 822, 825, 827, 828],
        see: "active-lanes, uniform",
    },
    Idea {
        names: &["uniform", "varying", "non-uniform", "scalarization", "waterfall"],
        text: "A value is uniform if all active lanes have the same one. Branches on uniform values do not diverge. `WaveReadLaneFirst` makes a value uniform; a loop that handles the lanes of one value at a time, a waterfall, makes any value uniform in its body.",
        example: "uint key = i % 3, x = 0, round = 0;\nwhile (true) {\n    round++;\n    if (key == WaveReadLaneFirst(key)) { x = round; break; }\n}",
        lanes: [1, 2, 3, 1, 2, 3, 1, 2],
        see: "divergence, WaveReadLaneFirst, WaveActiveAllEqual",
    },
    Idea {
        names: &["ballot", "vote", "mask", "lane-mask"],
        text: "A ballot asks every active lane a question, and gives all of them a bit for each lane that said yes: bit `lane % 32` of component `lane / 32` of a `uint4`. Waves of up to 32 lanes need `.x` alone.",
        example: "uint x = WaveActiveBallot(i % 2 == 1).x;",
        lanes: [170; 8],
        see: "partition, WaveActiveBallot, WaveActiveCountBits, WavePrefixCountBits",
    },
    Idea {
        names: &["prefix", "scan", "prefix-sum", "exclusive-scan", "inclusive-scan", "compaction"],
        text: "A prefix function combines the active lanes below this one, without its own value: an exclusive scan. With the own value added it is an inclusive scan. `WavePrefixCountBits` counts the lanes below that said yes, which gives each of them a place of its own in a compacted list.",
        example: "uint x = WavePrefixSum(i);",
        lanes: [0, 0, 1, 3, 6, 10, 15, 21],
        see: "partition, WavePrefixSum, WavePrefixCountBits",
    },
    Idea {
        names: &["partition", "partitions", "multi-prefix", "match"],
        text: "A partition splits the active lanes into sets. `WaveMatch` gives each lane the mask of those with the same value; the functions `WaveMultiPrefix…` take such a mask and scan each set by itself.",
        example: "uint x = WaveMultiPrefixSum(1u, WaveMatch(i % 3));",
        lanes: [0, 0, 0, 1, 1, 1, 2, 2],
        see: "ballot, prefix, WaveMatch, WaveMultiPrefixSum",
    },
    Idea {
        names: &["quad", "quads", "derivative", "derivatives", "ddx", "ddy"],
        text: "Four lanes in a row are a quad: lanes 0 to 3, 4 to 7 and so on. In a pixel shader they are 2x2 pixels: 0 and 1 beside each other, 2 and 3 below them. Derivatives are differences in a quad, and the functions `Quad…` read its other lanes.",
        example: "uint x = QuadReadAcrossX(i) * 10 + QuadReadAcrossY(i);",
        lanes: [12, 3, 30, 21, 56, 47, 74, 65],
        see: "helper-lane, QuadReadAcrossX, QuadReadAcrossY, QuadReadAcrossDiagonal",
    },
    Idea {
        names: &["helper-lane", "helper-lanes", "helper", "helper-invocation"],
        text: "A helper lane completes a quad of a pixel shader at the edge of a triangle, or after `discard`, so that derivatives have all four lanes. It writes nothing, and wave functions leave it out; quad functions and derivatives read it. A compute shader has none.",
        example: "uint x = IsHelperLane() ? 1 : 0;",
        lanes: [0; 8],
        see: "quad, IsHelperLane",
    },
    Idea {
        names: &["broadcast", "shuffle", "read-lane"],
        text: "A broadcast gives every active lane the value of one of them, a shuffle lets each lane choose another one to read. The lane that is read has to be active.",
        example: "uint x = WaveReadLaneAt(i * i, WaveGetLaneIndex() ^ 1);",
        lanes: [1, 0, 9, 4, 25, 16, 49, 36],
        see: "active-lanes, WaveReadLaneAt, WaveReadLaneFirst",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adapter, Buffer, Device, Dispatch, NoIncludes, Options, ResourceTable, Shader};

    #[test]
    fn every_example_gives_the_lanes_that_its_page_shows() {
        for idea in IDEAS {
            let text = format!(
                "RWStructuredBuffer<uint> Out;\n[WaveSize(8)] [numthreads(8, 1, 1)]\n\
                 void main(uint i : SV_GroupIndex) {{\n{}\nOut[i] = x;\n}}\n",
                idea.example
            );
            let compiled =
                Shader::compile(idea.name(), &text, &Options::default(), &mut NoIncludes);
            let compiled = compiled.unwrap();
            assert!(compiled.diagnostics.is_empty(), "{}: {:?}", idea.name(), compiled.diagnostics);
            let shader = compiled.shader.unwrap();
            let device = Device::new(Adapter::reference());
            let pipeline = device.create_compute_pipeline(&shader).unwrap();
            let mut table = ResourceTable::new(&shader);
            let out = Buffer::zeroed::<u32>(8);
            table.bind("Out", &out).unwrap();
            pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
            assert_eq!(out.read::<u32>().unwrap(), idea.lanes, "{}", idea.name());
        }
    }

    #[test]
    fn names_are_unique_and_what_is_to_be_read_exists() {
        let mut names: Vec<&str> = idea_names().collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|it| it[0] != it[1]));
        for idea in IDEAS {
            for word in idea.see.split(", ") {
                assert!(
                    self::idea(word).is_some() || super::super::function(word).is_some(),
                    "{word}"
                );
            }
        }
        assert_eq!(idea("Active lanes").map(Idea::name), Some("active-lanes"));
    }
}
