//! Faults in draws: pairs with a few lines that are right in one and wrong in the other. Those of pixel shaders are
//! here, those of other stages in [`super::stages`].
//!
//! In pixel shaders the triangle has a slanted edge, so that some quads have helper lanes and others have none; the
//! planted lines are at a random depth of branches and loops that all lanes take. The draws run with the real
//! rasterizer.

use std::fmt::Write;

use sanitizer::{Kind, Plan};

use super::stages::{self, Where};
use super::{Faults, Planted, Told, seeded};
use crate::run;
use generate::Random;

/// One class of faults.
pub struct DrawClass {
    /// The name in the table of the documents.
    pub name: &'static str,
    /// The finding that the sanitizer must report.
    pub kind: Kind,
    pub(super) stage: Where,
    pub(super) lines: fn(&mut Random) -> Vec<Line>,
}

/// A line of the clean program and of the faulty one, and whether the report may be there.
pub(super) type Line = (String, String, bool);

pub(super) fn same(text: &str) -> Line {
    (text.to_owned(), text.to_owned(), false)
}

/// The same in both, but involved in the fault.
pub(super) fn partner(text: &str) -> Line {
    (text.to_owned(), text.to_owned(), true)
}

pub(super) fn fault(clean: &str, faulty: &str) -> Line {
    (clean.to_owned(), faulty.to_owned(), true)
}

/// The wrong line, when the report is about others.
pub(super) fn cause(clean: &str, faulty: &str) -> Line {
    (clean.to_owned(), faulty.to_owned(), false)
}

/// Every class.
pub fn all() -> impl Iterator<Item = &'static DrawClass> {
    OF_PIXELS.iter().chain(stages::ALL)
}

const OF_PIXELS: &[DrawClass] = &[
    DrawClass {
        name: "a wave result in a derivative",
        kind: Kind::HelperResult,
        stage: Where::Pixel,
        lines: |random| {
            let fold = random.pick(&["Max", "Min", "BitOr"]);
            // Each row and column of a quad has a derivative, so that one of them takes a value of a helper lane.
            let of = random.pick(&["ddx_fine", "ddy_fine"]);
            vec![
                partner(&format!("float shared = WaveActive{fold}(v.one);")),
                fault(
                    &format!("planted = {of}(a) + shared;"),
                    &format!("planted = {of}(a + shared);"),
                ),
            ]
        },
    },
    DrawClass {
        name: "a derivative where a wave result leads",
        kind: Kind::HelperResult,
        stage: Where::Pixel,
        lines: |random| {
            let test = random.pick(&[
                "WaveActiveAllTrue(v.one == 1)",
                "WaveActiveAnyTrue(v.one == 1)",
                "WaveReadLaneFirst(v.one) == v.one",
            ]);
            let of = random.pick(&["ddx(a)", "ddy(a)", "ddx_fine(a)"]);
            vec![
                partner(&format!("bool goes = {test};")),
                fault(&format!("planted = {of};"), &format!("if (goes) planted = {of};")),
            ]
        },
    },
    DrawClass {
        name: "a lane of another quad",
        kind: Kind::OtherQuadRead,
        stage: Where::Pixel,
        lines: |random| {
            let lane =
                random.pick(&["0", "WaveGetLaneIndex() & 1", "(WaveGetLaneIndex() & 3) ^ 1"]);
            vec![
                same("uint present = firstbitlow(WaveActiveBallot(true).x);"),
                fault(
                    "planted = WaveReadLaneAt(v.one, present);",
                    &format!("planted = WaveReadLaneAt(v.one, {lane});"),
                ),
            ]
        },
    },
    DrawClass {
        name: "helper lanes that count",
        kind: Kind::DependsOnHelpers,
        stage: Where::Pixel,
        lines: |random| {
            let sum = random.pick(&["WaveActiveCountBits(true)", "WaveActiveSum(1u)"]);
            vec![
                same("uint pixels = 0;"),
                fault(
                    &format!("if (!IsHelperLane()) pixels = {sum};"),
                    &format!("pixels = {sum};"),
                ),
                same("if (!IsHelperLane()) {"),
                same("    if (WaveIsFirstLane()) InterlockedAdd(Count[0], pixels);"),
                same("}"),
            ]
        },
    },
    DrawClass {
        name: "what a wave of pixels has in common",
        kind: Kind::DependsOnPacking,
        stage: Where::Pixel,
        lines: |random| {
            let value = random.pick(&["n", "n * 3u + 1u", "(n ^ 5u)"]);
            let fold = random.pick(&["Sum", "Max"]);
            vec![fault(
                "planted = WaveActiveMax(v.one);",
                &format!("if (!IsHelperLane()) planted = WaveActive{fold}({value});"),
            )]
        },
    },
    DrawClass {
        name: "a lane index taken for a pixel",
        kind: Kind::DependsOnPacking,
        stage: Where::Pixel,
        lines: |_| vec![fault("planted = n;", "planted = WaveGetLaneIndex() / 4;")],
    },
    DrawClass {
        name: "a derivative across a jump",
        kind: Kind::DependsOnQuads,
        stage: Where::Pixel,
        lines: |random| {
            let jump = random.pick(&[
                "float(uint(v.position.x) / 2)",
                "frac(v.position.x / 2)",
                "(uint(v.position.x) % 4 < 2 ? 1.0f : 2.0f)",
            ]);
            vec![fault("planted = ddx(a);", &format!("planted = ddx({jump});"))]
        },
    },
    DrawClass {
        name: "an alpha that leaves some samples of an edge",
        kind: Kind::DependsOnAlphaSamples,
        stage: Where::Samples,
        lines: |random| {
            let some = random.pick(&["0.25", "0.5 - 0.25", "0.75", "0.3"]);
            vec![fault("alpha = v.one;", &format!("alpha = ({some}) * v.one;"))]
        },
    },
    DrawClass {
        name: "a derivative in divergent flow",
        kind: Kind::IncompleteQuad,
        stage: Where::Pixel,
        lines: |random| {
            let test = random.pick(&["n % 2 == 0", "v.position.x % 2 < 1", "(n / 8) % 2 == 1"]);
            vec![fault("planted = ddx(a);", &format!("if ({test}) planted = ddx(a);"))]
        },
    },
    DrawClass {
        name: "a store by several pixels",
        kind: Kind::Race,
        stage: Where::Pixel,
        lines: |_| vec![fault("InterlockedMax(Count[0], n);", "Count[0] = n;")],
    },
    DrawClass {
        name: "a ticket from an atomic",
        kind: Kind::OrderDependentResult,
        stage: Where::Pixel,
        lines: |_| {
            vec![
                same("uint before = 0;"),
                partner("InterlockedAdd(Count[0], 1u, before);"),
                (
                    "planted = n;".to_owned(),
                    "if (!IsHelperLane()) planted = before;".to_owned(),
                    true,
                ),
            ]
        },
    },
    DrawClass {
        name: "a depth beyond its promise",
        kind: Kind::BrokenDepthPromise,
        stage: Where::Pixel,
        lines: |random| {
            let (clean, faulty) = random.pick(&[
                ("v.position.z + 0.25 * v.one", "v.position.z - 0.25 * v.one"),
                ("max(a, v.position.z)", "min(a, v.position.z) - 0.5"),
            ]);
            vec![fault(&format!("depth = {clean};"), &format!("depth = {faulty};"))]
        },
    },
    DrawClass {
        name: "a sample that the target does not have",
        kind: Kind::OutOfBounds,
        stage: Where::Pixel,
        lines: |random| {
            let sample = random.pick(&["v.one", "1", "n + 1"]);
            vec![fault(
                "planted = EvaluateAttributeAtSample(v.u, 0);",
                &format!("planted = EvaluateAttributeAtSample(v.u, {sample});"),
            )]
        },
    },
    DrawClass {
        name: "an output that is not set",
        kind: Kind::UninitializedValue,
        stage: Where::Pixel,
        lines: |random| {
            let test = random.pick(&["n > 6", "v.position.x > 2"]);
            vec![
                fault("float unset = a;", "float unset;"),
                same(&format!("if ({test}) unset = n;")),
                same("planted = unset;"),
            ]
        },
    },
];

/// The widths of draws with faults in pixel shaders.
const WIDTHS: &[&[u32]] = &[&[8, 16], &[16, 32], &[8]];

impl Faults for DrawClass {
    /// The widths at which it is examined.
    type Setup = Vec<u32>;

    fn name(&self) -> &'static str {
        self.name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn plant(&self, seed: u64) -> Option<Planted<Vec<u32>>> {
        Some(plant(self, &mut seeded(self.name, 11, seed)))
    }

    fn told(&self, text: &str, widths: &Vec<u32>) -> Result<Vec<Told>, String> {
        examine(text, widths)
    }
}

/// A draw as a section, clean and with its fault.
fn plant(class: &DrawClass, random: &mut Random) -> Planted<Vec<u32>> {
    let lines = (class.lines)(random);
    let (mut head, mut tail, widths) = match class.stage {
        Where::Pixel => {
            let (head, tail) = pixel_shader(random, "");
            (head, tail, WIDTHS)
        }
        Where::Samples => {
            let state = "//# raster Samples: 4\n//# raster Blend: { AlphaToCoverage: true }\n";
            let (head, tail) = pixel_shader(random, state);
            let head = head + "    float alpha = 1;\n";
            (head, tail.replace("planted, n, 1)", "planted, n, alpha)"), WIDTHS)
        }
        other => {
            let around = stages::around(other, random);
            (around.head, around.tail.to_owned(), around.widths)
        }
    };
    let mut closing = String::new();
    // Mesh shaders set their outputs in control flow that all threads take.
    let most = if class.stage == Where::Mesh { 1 } else { 3 };
    for depth in 0..random.below(most) {
        let open = match random.below(3) {
            0 => "if (v.one == 1) {".to_owned(),
            1 => format!("for (uint k{depth} = 0; k{depth} < v.one; ++k{depth}) {{"),
            _ => "if (v.one > 3) { planted = 9; } else {".to_owned(),
        };
        let _ = writeln!(head, "    {open}");
        closing.push_str("    }\n");
    }
    tail.insert_str(0, &closing);
    let first = head.lines().count() as u32 + 1;
    let text = |is_faulty: bool| {
        let mut text = head.clone();
        for (clean, faulty, _) in &lines {
            let _ = writeln!(text, "        {}", if is_faulty { faulty } else { clean });
        }
        text + &tail
    };
    let marked = (first..).zip(&lines).filter(|it| it.1.2).map(|it| it.0).collect();
    let setup = random.pick(widths).to_vec();
    Planted { clean: text(false), faulty: text(true), lines: marked, setup }
}

/// A pixel shader of a random triangle in a state of its own, before and after the planted lines.
fn pixel_shader(random: &mut Random, state: &str) -> (String, String) {
    let size = random.pick(&["8x8", "12x8", "8x12"]);
    // Of several quads, some of which are whole.
    let mut corner = || f64::from(2 + random.below(5)) / 4.0;
    let (right, low) = (corner(), corner());
    let mut head = format!(
        "//--- planted\n//# draw {size}\n{state}//# zero Count 4\n//# args -T ps_6_6 -Wno-wave-derivative\n\
         RWStructuredBuffer<uint> Count : register(u0);\n\
         struct V {{ float4 position : SV_Position; float u : U; nointerpolation uint one : ONE; }};\n\
         V vs(uint id : SV_VertexID) {{\n    \
         const float2 corners[3] = {{ float2(-1, 1), float2({right:?}, 1), float2(-1, -{low:?}) }};\n    \
         V v;\n    v.position = float4(corners[id], 0.25 * id, 1);\n    v.u = corners[id].x + corners[id].y * 2;\n    \
         v.one = 1;\n    return v;\n}}\nfloat4 ps(V v, out float depth : SV_DepthGreaterEqual) : SV_Target {{\n    \
         depth = v.position.z;\n    float a = v.u * {} + {};\n    uint n = uint(v.position.x) + uint(v.position.y) * 8;\n    \
         float planted = 0;\n",
        1 + random.below(3),
        random.below(4),
    );
    for _ in 0..random.below(3) {
        let _ = writeln!(
            head,
            "    {}",
            random.pick(&[
                "a += ddy(v.u);",
                "if (n > 20) a += 1 - v.one;",
                "a = a * 2 - a;",
                "n += QuadReadAcrossY(v.one) - 1;",
            ])
        );
    }
    (head, "    return float4(a, planted, n, 1);\n}\n".to_owned())
}

fn examine(text: &str, widths: &[u32]) -> Result<Vec<Told>, String> {
    let sections = crate::section::read("planted.hlsl", text)?;
    let [section] = sections.as_slice() else {
        return Err(format!("{} sections", sections.len()));
    };
    let run = run::watched(section, widths.to_vec())?;
    // Packing decides what shares a wave at each width, too.
    let plan = Plan::new(widths.to_vec());
    let draw = wavelane::Draw { fuel: Some(1 << 26), ..run.draw.clone() };
    let report =
        wavelane::internal::examine_draw(&run.pipeline, &draw, &plan, &run.tables(), &run.names)
            .map_err(|it| it.to_string())?;
    let told = report.seen.iter().map(|(stage, seen)| {
        Told::new(&seen.finding, &seen.report(), run.sources(Some(*stage)), text)
    });
    Ok(told.collect())
}
