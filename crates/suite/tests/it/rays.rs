//! Generated programs with ray queries: in divergent control flow, in every state, with handles that differ between
//! lanes. Both engines on the host must leave the same bits.

use std::fmt::Write;
use std::sync::Arc;

use hlsl::Options;
use interp::Observer;
use interp::observe::RayEvent;
use ir::RayOp;
use ir::exec::{Bindings, Buffer, SharedScene, What};
use ops::Random;
use ops::ray::{Bottom, BottomOptions, Geometry, GeometryData, Instance, Scene, geometry_flag};
use suite::emulate;
use suite::engines::{Outcome, compare, launch, sets};
use suite::run;
use suite::section::WIDTHS;

const PROGRAMS: u64 = 12;
const THREADS: u32 = 24;

struct Maker {
    random: Random,
    text: String,
    depth: usize,
    loops: usize,
    /// The names of counters of loops.
    counters: u32,
}

const GETTERS: [&str; 26] = [
    "q.CommittedStatus()",
    "q.CandidateType()",
    "q.RayFlags()",
    "asuint(q.RayTMin())",
    "asuint(q.WorldRayOrigin().x)",
    "asuint(q.WorldRayDirection().y)",
    "asuint(q.CandidateTriangleRayT())",
    "asuint(q.CandidateTriangleBarycentrics().y)",
    "q.CandidateTriangleFrontFace()",
    "q.CandidateProceduralPrimitiveNonOpaque()",
    "q.CandidateInstanceIndex()",
    "q.CandidateInstanceID()",
    "q.CandidateInstanceContributionToHitGroupIndex()",
    "q.CandidateGeometryIndex()",
    "q.CandidatePrimitiveIndex()",
    "asuint(q.CandidateObjectRayOrigin().z)",
    "asuint(q.CandidateObjectRayDirection().x)",
    "asuint(q.CandidateObjectToWorld3x4()[1][2])",
    "asuint(q.CandidateWorldToObject4x3()[2][1])",
    "asuint(q.CommittedRayT())",
    "q.CommittedInstanceIndex()",
    "q.CommittedPrimitiveIndex()",
    "asuint(q.CommittedTriangleBarycentrics().x)",
    "asuint(q.CommittedObjectRayDirection().z)",
    "asuint(q.CommittedWorldToObject3x4()[0][3])",
    "asuint(q.CommittedTriangleObjectPositions().p1.x)",
];

impl Maker {
    fn below(&mut self, count: usize) -> usize {
        self.random.below(count)
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.depth + 1));
    }

    /// A query, which lanes may choose.
    fn query(&mut self) -> &'static str {
        self.pick(&["all[0]", "all[1]", "all[lane % 3]", "all[(lane + acc) % 3]", "other"])
    }

    fn number(&mut self) -> String {
        self.pick(&["(lane * 0.37)", "0.25", "(acc % 7 - 3.0)", "1", "-2.5", "(lane % 4)"])
            .to_owned()
    }

    fn block(&mut self, head: &str, most: usize) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        for _ in 0..=self.below(most) {
            self.statement();
        }
        self.depth -= 1;
        self.line("}");
    }

    fn statement(&mut self) {
        let query = self.query();
        let on = |text: &str| text.replace("q.", &format!("{query}."));
        let is_deep = self.depth >= 4;
        match self.below(if is_deep { 8 } else { 14 }) {
            0 | 1 => {
                let getter = self.pick(&GETTERS);
                self.line(&format!("acc = acc * 31 + {};", on(getter)));
            }
            2 => {
                let numbers: Vec<String> = (0..6).map(|_| self.number()).collect();
                let flags = self.pick(&[
                    "RAY_FLAG_NONE",
                    "RAY_FLAG_FORCE_NON_OPAQUE",
                    "RAY_FLAG_CULL_BACK_FACING_TRIANGLES",
                    "acc & 0x3f7",
                    "RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH",
                ]);
                let mask = self.pick(&["0xff", "acc", "1 << (lane & 3)"]);
                self.line(&format!(
                    "{{ RayDesc ray = {{ float3({}, {}, 4), {}, float3({}, {}, -2), {} }}; \
                     {query}.TraceRayInline(Scene, {flags}, {mask}, ray); }}",
                    numbers[0],
                    numbers[1],
                    numbers[2],
                    numbers[3],
                    numbers[4],
                    if numbers[5].starts_with('-') { "1e30" } else { "50" },
                ));
            }
            3 => self.line(&on("acc += q.Proceed();")),
            4 => self.line(&on("q.CommitNonOpaqueTriangleHit();")),
            5 => {
                let t = self.number();
                self.line(&on(&format!("q.CommitProceduralPrimitiveHit(abs({t}) + 1);")));
            }
            6 => self.line("acc += WaveActiveSum(acc & 15) + WaveActiveCountBits(acc & 1);"),
            7 => {
                let text = match (self.loops > 0, self.below(8)) {
                    (true, 0) => "if (acc % 5 == 0) break;",
                    (true, 1) => "if (acc % 3 == 0) continue;",
                    (_, 2) => "acc = WaveReadLaneFirst(acc) ^ lane;",
                    (_, 3) => "q.Abort();",
                    (_, 4) => "other = all[acc % 3];",
                    (_, 5) => "if (acc % 2) other = RayQuery<RAY_FLAG_NONE>();",
                    _ => "acc = Called(q, acc);",
                };
                let text = text.replace("Called(q,", &format!("Called({query},"));
                self.line(&on(&text));
            }
            8 | 9 => {
                let head = self.pick(&["if (acc & 1)", "if (lane % 3 == 1)", "if (q.Proceed())"]);
                self.block(&on(head), 3);
                if self.below(2) == 0 {
                    self.block("else", 2);
                }
            }
            10..=12 => {
                self.counters += 1;
                let name = format!("k{}", self.counters);
                let head = match self.below(3) {
                    0 => format!("for (uint {name} = 0; {name} < lane % 4 + 1; ++{name})"),
                    _ => format!("for (uint {name} = 0; {name} < 12 && q.Proceed(); ++{name})"),
                };
                self.loops += 1;
                self.block(&on(&head), 4);
                self.loops -= 1;
            }
            _ => {
                self.line("switch (acc % 3) {");
                for label in ["case 0:", "case 1:", "default:"] {
                    let loops = std::mem::take(&mut self.loops);
                    self.block(label, 2);
                    self.loops = loops;
                    self.line("break;");
                }
                self.line("}");
            }
        }
    }
}

fn program(seed: u64) -> String {
    let mut maker =
        Maker { random: Random::new(seed), text: String::new(), depth: 0, loops: 0, counters: 0 };
    for _ in 0..14 {
        maker.statement();
    }
    format!(
        "RaytracingAccelerationStructure Scene;\n\
         RWStructuredBuffer<uint> Out;\n\
         static uint acc, lane;\n\
         uint Called(RayQuery<RAY_FLAG_NONE> q, uint x) {{\n    \
             RayQuery<RAY_FLAG_NONE> own;\n    \
             RayDesc ray = {{ float3(lane * 0.1, 0, 5), 0, float3(0, 0.1, -1), 100 }};\n    \
             own.TraceRayInline(Scene, RAY_FLAG_FORCE_OPAQUE, x, ray);\n    \
             own.Proceed();\n    \
             return x * 7 + own.CommittedStatus() + q.CommittedStatus();\n\
         }}\n\
         [numthreads({THREADS}, 1, 1)]\n\
         void main(uint index : SV_GroupIndex) {{\n    \
             acc = index * 2654435761; lane = index;\n    \
             RayQuery<RAY_FLAG_NONE> all[3];\n    \
             RayQuery<RAY_FLAG_NONE> other = all[2];\n    \
             {{ RayDesc ray = {{ float3(lane * 0.1 - 1, 0.2, 5), 0, float3(0, 0, -1), 100 }};\n      \
                all[0].TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);\n      \
                all[1].TraceRayInline(Scene, RAY_FLAG_FORCE_NON_OPAQUE, 0xff, ray); }}\n\
         {}    Out[index] = acc;\n\
         }}\n",
        maker.text
    )
}

/// Triangles and boxes in a few instances, opaque or not.
fn scene(seed: u64) -> SharedScene {
    let mut random = Random::new(!seed);
    let mut number = |scale: f32| (random.below(4001) as f32 / 2000.0 - 1.0) * scale;
    let mut instances = Vec::new();
    for at in 0..4u32 {
        let vertices: Vec<[f32; 3]> =
            (0..18).map(|_| [number(3.0), number(3.0), number(3.0)]).collect();
        let corners: Vec<[f32; 6]> = (0..4)
            .map(|_| {
                let [x, y, z] = [number(2.0), number(2.0), number(3.0)];
                [x, y, z, x + 1.0, y + 1.0, z + 1.0]
            })
            .collect();
        let data = match at % 2 {
            0 => GeometryData::Triangles { vertices: &vertices, indices: None, transform: None },
            _ => GeometryData::Boxes(&corners),
        };
        let opaque = Geometry { data, flags: geometry_flag::OPAQUE };
        let bottom =
            Bottom::build(&[opaque, Geometry { data, flags: 0 }], BottomOptions::default());
        let mut instance =
            Instance { id: at * 5, mask: 1 << at, bottom: bottom.ok(), ..Instance::default() };
        instance.transform[3] = number(1.0);
        instance.transform[5] = 1.5;
        instances.push(instance);
    }
    SharedScene(Arc::new(Scene::build(&instances).unwrap()))
}

/// Counts what queries find.
#[derive(Default)]
struct Found {
    candidates: u32,
    hits: u32,
    wrong: u32,
}

impl Observer for Found {
    fn ray(&mut self, event: &RayEvent<'_>) {
        self.candidates += event.found.count();
        self.wrong += event.wrong.len() as u32;
        let commits = matches!(event.op, RayOp::CommitTriangle | RayOp::CommitProcedural);
        self.hits += if commits { event.at.active.count() } else { 0 };
    }
}

#[test]
fn engines_agree_on_programs_with_queries() {
    let mut found = Found::default();
    for seed in 1..=PROGRAMS {
        let text = program(seed);
        let compiled = run::compile_text("rays.hlsl", &text, &Options::default());
        let module =
            compiled.module.unwrap_or_else(|| panic!("seed {seed} does not compile:\n{text}"));
        run::check_module(&module).unwrap();
        let bind = |it: &ir::Resource| {
            vec![match it.kind {
                ir::ResourceKind::Scene => What::Scene(scene(seed)).into(),
                _ => Buffer { bytes: vec![0; THREADS as usize * 4].into(), ..Buffer::default() },
            }]
        };
        let bindings = Bindings { bindings: module.resources.iter().map(bind).collect() };
        let launch_of = |width| launch([1, 1, 1], width);
        let written = legalize::without_ray_queries(&module);
        run::check_module(&written).unwrap();
        assert!(written.insts.iter().all(|it| !matches!(it.op, ir::Op::Ray(_))), "{text}");
        interp::run(&module, &launch_of(32), &mut bindings.clone(), &mut found).unwrap();
        // Each program at two widths, so that all of them have several.
        for width in [seed, seed + 3].map(|it| WIDTHS[it as usize % WIDTHS.len()]) {
            let launch = launch_of(width);
            // Queries that are written out find the same.
            let (mut wanted, mut got) = (bindings.clone(), bindings.clone());
            got.bindings.iter_mut().flatten().for_each(|it| assert!(it.pack_scene()));
            interp::run(&module, &launch, &mut wanted, &mut interp::NoObserver).unwrap();
            interp::run(&written, &launch, &mut got, &mut interp::NoObserver).unwrap();
            let differs = suite::engines::difference(&module, &wanted, &got);
            assert_eq!(differs, None, "seed {seed} at {width}\n{text}");
            // A search takes long there.
            if width <= ptx::LANES && seed % 16 == 1 {
                match emulate::compare(&module, 90, &launch, &bindings, &wanted, seed) {
                    emulate::Outcome::Same => {}
                    other => panic!("seed {seed} in PTX at {width}: {other:?}\n{text}"),
                }
            }
            for isa in sets() {
                match compare(&module, &launch, &bindings, isa) {
                    Outcome::Same => {}
                    other => panic!("seed {seed} at {width}: {other:?}\n{text}"),
                }
            }
        }
    }
    // The programs meet what they are about.
    let Found { candidates, hits, wrong } = found;
    assert!(candidates > 100 && hits > 100 && wrong > 100, "{candidates} {hits} {wrong}");
}
