//! Sessions on whole programs: stops, values, expressions, and the law that looking changes nothing.

use std::collections::BTreeMap;

use hlsl::Options;
use interp::{NoObserver, Variation};
use ir::exec::{Bindings, Buffer, Launch, Schedule};
use ops::{LaneMask, Random};
use wavelane_session::{
    Back, Breakpoint, DataBreakpoint, Forward, InstructionBreakpoint, Recipe, Session, Source,
    Stop, Watched, WaveId,
};

const FIRST: WaveId = ([0, 0, 0], 0);
const FUEL: u64 = 1 << 40;

fn source(text: &str) -> Source {
    let options = Options::default();
    Source { name: "a.hlsl".to_owned(), text: text.to_owned(), options, included: BTreeMap::new() }
}

/// Every buffer gets this many words that count up.
fn recipe(text: &str, width: u32, groups: u32, schedule: Schedule) -> Recipe {
    let mut sources = diag::SourceMap::new();
    let mut sink = diag::Sink::new();
    let mut source = source(text);
    let options = source.options.clone();
    let main = sources.add("a.hlsl", text).unwrap();
    let compiled = hlsl::compile(main, &mut sources, &mut source, &options, &mut sink);
    let module = compiled.unwrap_or_else(|| panic!("{:?}\n{text}", sink.into_sorted())).module;
    let bytes: Vec<u8> = (0..256u32).flat_map(u32::to_le_bytes).collect();
    let buffer = || vec![Buffer { bytes: bytes.clone().into(), ..Buffer::default() }];
    let bindings = Bindings { bindings: module.resources.iter().map(|_| buffer()).collect() };
    let launch = Launch { schedule, ..Launch::dispatch([groups, 1, 1], width) };
    Recipe { source, launch, variation: Variation::default(), bindings }
}

fn open(text: &str, width: u32) -> Session {
    Session::open(recipe(text, width, 1, Schedule::Ascending)).ok().unwrap()
}

/// The values of the first scalar of a variable; `None` for lanes that have not written it.
fn values(session: &Session, wave: WaveId, name: &str) -> Vec<Option<u64>> {
    let id = session.find(wave, name).unwrap_or_else(|| panic!("`{name}` is not visible"));
    let row = &session.variable(wave, id).rows[0];
    let lanes = 0..session.width();
    lanes.map(|it| row.written.contains(it).then(|| row.bits[it as usize])).collect()
}

fn line(session: &Session) -> u32 {
    let (_, statement) = session.current().unwrap();
    session.sources().location(statement.span).unwrap().line
}

const STEPS: &str = "RWStructuredBuffer<uint> Out;
uint twice(uint x) {
    uint y = x * 2;
    return y;
}
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = 10;
    if (i & 1) {
        sum += twice(i);
    } else {
        sum = 7;
    }
    Out[i] = sum;
}";

#[test]
fn a_wave_is_stepped_into_over_and_out_of_a_function() {
    let mut session = open(STEPS, 4);
    assert_eq!(session.forward(Forward::Any, FUEL), Stop::Step(FIRST));
    assert_eq!((line(&session), session.active(FIRST)), (8, LaneMask(0xf)));
    assert_eq!(values(&session, FIRST, "i"), [0, 1, 2, 3].map(Some));
    session.forward(Forward::Into(FIRST), FUEL);
    session.forward(Forward::Into(FIRST), FUEL);
    assert_eq!((line(&session), session.active(FIRST)), (10, LaneMask(0b1010)));
    session.forward(Forward::Into(FIRST), FUEL);
    assert_eq!(line(&session), 3);
    let frames = session.frames(FIRST);
    assert_eq!(frames[0].function, "twice");
    assert_eq!(frames[1].function, "main");
    let call = session.sources().location(frames[1].span).unwrap().line;
    assert_eq!(call, 10);
    assert_eq!(values(&session, FIRST, "x"), [None, Some(1), None, Some(3)]);
    session.forward(Forward::Out(FIRST), FUEL);
    assert_eq!((line(&session), session.active(FIRST)), (12, LaneMask(0b0101)));
    // Lanes that wait have what they wrote.
    assert_eq!(values(&session, FIRST, "sum"), [10, 12, 10, 16].map(Some));
    session.forward(Forward::Into(FIRST), FUEL);
    assert_eq!(values(&session, FIRST, "sum"), [7, 12, 7, 16].map(Some));
    assert_eq!(session.forward(Forward::Into(FIRST), FUEL), Stop::End);
    // Back over the end, and to the call, without going into it.
    assert_eq!(session.back(Back::Into(FIRST), FUEL), Stop::Step(FIRST));
    assert_eq!(line(&session), 14);
    session.seek(2, FUEL);
    assert_eq!(line(&session), 10);
    session.forward(Forward::Over(FIRST), FUEL);
    assert_eq!(line(&session), 12);
    session.seek(0, FUEL);
    assert_eq!(session.back(Back::Into(FIRST), FUEL), Stop::Entry(FIRST));
}

#[test]
fn expressions_are_those_of_the_language() {
    let mut session = open(
        "RWStructuredBuffer<uint> Out; groupshared uint tile[8]; static float scale = 1.5;
        struct Light { float3 position; uint kind; };
        uint square(uint x) { return x * x; }
        [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
            Light light;
            light.position = float3(i, 2, 3);
            light.kind = i & 3;
            tile[i] = i * 10;
            scale += i;
            uint table[4];
            table[i & 3] = i;
            bool odd = i & 1;
            if (odd) { Out[i] = light.kind; }
        }",
        8,
    );
    session.breakpoints(vec![Breakpoint { line: 13, ..Breakpoint::default() }]);
    let stop = session.forward(Forward::Break, FUEL);
    assert_eq!(stop, Stop::Breakpoint(FIRST, vec![0]));
    session.forward(Forward::Into(FIRST), FUEL);
    assert_eq!(session.active(FIRST), LaneMask(0b1010_1010));
    let shown = |text: &str| {
        let shown = session.eval(FIRST, text).unwrap_or_else(|it| panic!("{text}: {it}"));
        let lanes: Vec<u64> =
            shown.active.iter().map(|it| shown.rows[0].bits[it as usize]).collect();
        (shown.ty, lanes)
    };
    assert_eq!(shown("WaveActiveSum(i)"), ("uint".to_owned(), vec![16; 4]));
    assert_eq!(shown("light.kind"), ("uint".to_owned(), vec![1, 3, 1, 3]));
    let float = |it: f32| u64::from(it.to_bits());
    assert_eq!(
        shown("light.position.x * scale").1,
        [1.0 * 2.5, 3.0 * 4.5, 5.0 * 6.5, 7.0 * 8.5].map(float)
    );
    assert_eq!(shown("light").0, "Light");
    assert_eq!(shown("square(i) + tile[0] + Out[2]").1, [3, 11, 27, 51]);
    assert_eq!(shown("tile[i]").1, [10, 30, 50, 70]);
    assert_eq!(shown("table[i & 3]").1, [1, 3, 5, 7]);
    assert_eq!(shown("i@6").1, [6; 4]);
    assert_eq!(shown("$lane").1, [1, 3, 5, 7]);
    assert_eq!(shown("$active").1, [0b1010_1010; 4]);
    assert_eq!(shown("odd && i > 4").1, [0, 0, 1, 1]);
    for wrong in [
        "i = 3",
        "nothing",
        "i +",
        "InterlockedAdd(Out[0], 1)",
        "i@8",
        "Out.IncrementCounter()",
        "i; i",
    ] {
        assert!(session.eval(FIRST, wrong).is_err(), "{wrong}");
    }
    for nothing in ["GroupMemoryBarrierWithGroupSync()", "InterlockedAdd(Out[0], 1)"] {
        let why = session.eval(FIRST, nothing).unwrap_err();
        assert_eq!(why.to_string(), format!("`{nothing}` has no value"));
    }
}

#[test]
fn conditions_hold_in_any_lane_or_in_all() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
            for (uint n = 0; n < 10; n++) {
                Out[i] += n * i;
            }
        }";
    for (condition, wanted) in
        [("n * i == 49", 7), ("all(n >= 3)", 3), ("WaveActiveSum(n) == 48", 6), ("n@2 == 5", 5)]
    {
        let mut session = open(text, 8);
        let condition = Some(condition.to_owned());
        let breakpoint = Breakpoint { line: 4, condition, ..Breakpoint::default() };
        assert_eq!(session.breakpoints(vec![breakpoint]), [Some(4)]);
        assert_eq!(session.forward(Forward::Break, FUEL), Stop::Breakpoint(FIRST, vec![0]));
        assert_eq!(values(&session, FIRST, "n"), [Some(wanted); 8]);
        let here = session.current();
        assert_ne!(session.forward(Forward::Into(FIRST), FUEL), Stop::End);
        assert_eq!(session.back(Back::Break, FUEL), Stop::Breakpoint(FIRST, vec![0]));
        assert_eq!(session.current(), here);
    }
}

#[test]
fn a_condition_is_compiled_once() {
    let mut session = open(
        "RWStructuredBuffer<uint> Out;
        [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
            for (uint n = 0; n < 50; n++) {
                Out[i] += n * i;
            }
        }",
        8,
    );
    let condition = Some("n == 45".to_owned());
    session.breakpoints(vec![Breakpoint { line: 4, condition, ..Breakpoint::default() }]);
    assert_eq!(session.check(0), Ok(()));
    assert_eq!(session.forward(Forward::Break, FUEL), Stop::Breakpoint(FIRST, vec![0]));
    assert_eq!(values(&session, FIRST, "n"), [Some(45); 8]);
    assert_eq!(session.compilations(), 1);
    // What does not compile is not tried again either.
    for _ in 0..3 {
        assert!(session.eval(FIRST, "nothing").is_err());
    }
    assert_eq!(session.compilations(), 2);
}

#[test]
fn breakpoints_are_in_the_file_that_is_named() {
    let text = "RWStructuredBuffer<uint> Out; [numthreads(4, 1, 1)] void main() {}";
    let mut recipe = recipe(text, 4, 1, Schedule::Ascending);
    recipe.source.included = BTreeMap::from([
        ("data.hlsl".to_owned(), "uint two() {\n    return 2;\n}\n".to_owned()),
        ("lib/a.hlsl".to_owned(), "uint one() {\n    return 1;\n}\n".to_owned()),
    ]);
    recipe.source.text = "#include \"data.hlsl\"\n#include \"lib/a.hlsl\"\n\
        RWStructuredBuffer<uint> Out;\n[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {\n\
        Out[i] = one() + two();\n}\n"
        .to_owned();
    recipe.bindings.bindings =
        vec![vec![Buffer { bytes: vec![0; 16].into(), ..Buffer::default() }]];
    let mut session = Session::open(recipe).ok().unwrap();
    for (file, wanted) in [
        ("", Some(5)),
        ("a.hlsl", Some(5)),
        ("/any/where/a.hlsl", Some(5)),
        ("/any/where/lib/a.hlsl", Some(2)),
        ("/any/where/data.hlsl", Some(2)),
        ("ta.hlsl", None),
        ("other/lib.hlsl", None),
    ] {
        let breakpoint = Breakpoint { file: file.to_owned(), line: 1, ..Breakpoint::default() };
        assert_eq!(session.breakpoints(vec![breakpoint]), [wanted], "{file}");
    }
}

#[test]
fn functions_are_where_they_begin_or_where_they_are_called() {
    let mut session = open(STEPS, 4);
    let at = |function: &str| Breakpoint {
        function: Some(function.to_owned()),
        ..Breakpoint::default()
    };
    let bound = session.breakpoints(vec![at("twice"), at("main"), at("WaveReadLaneAt")]);
    assert_eq!(bound, [Some(3), Some(8), None]);
    assert_eq!(session.forward(Forward::Break, FUEL), Stop::Breakpoint(FIRST, vec![1]));
    assert_eq!(session.forward(Forward::Break, FUEL), Stop::Breakpoint(FIRST, vec![0]));
    assert_eq!(line(&session), 3);
    assert_eq!(session.forward(Forward::Break, FUEL), Stop::End);
    let mut session = open(
        "RWStructuredBuffer<uint> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint x = i;
            if (i > 1)
                x += WaveReadLaneAt(x * 2, 3);
            InterlockedAdd(Out[0], x);
        }",
        4,
    );
    assert_eq!(
        session.breakpoints(vec![at("WaveReadLaneAt"), at("InterlockedAdd")]),
        [5, 6].map(Some)
    );
}

#[test]
fn what_touches_watched_data_stops_the_run_before_it_does() {
    let text = "RWStructuredBuffer<uint> Out; groupshared uint tile[8];
        [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint first = 0;
            uint x = i;
            Out[i + 8] = 1;
            tile[i] = x;
            if (i == 5)
                x = 7;
            uint list[4];
            list[i & 3] = x;
            Out[i] = tile[7 - i] + list[1];
        }";
    let buffer = |bytes| Watched::Buffer { resource: 0, element: 0, bytes };
    let variable = |session: &Session, name: &str, lane| {
        let variable = session.find(FIRST, name).unwrap();
        Watched::Variable { wave: FIRST, variable, lane }
    };
    let shared = Watched::Shared { group: [0; 3], array: ir::Shared(0), index: 2 };
    let stops = |watched: &dyn Fn(&Session) -> Watched, (reads, writes): (bool, bool)| {
        let mut session = open(text, 4);
        // Where all variables are visible.
        session.breakpoints(vec![Breakpoint { line: 11, ..Breakpoint::default() }]);
        assert_eq!(session.forward(Forward::Break, FUEL), Stop::Breakpoint(FIRST, vec![0]));
        let watched = watched(&session);
        session.breakpoints(Vec::new());
        session.watch(vec![DataBreakpoint { watched, reads, writes }]);
        session.seek(0, FUEL);
        let mut lines = Vec::new();
        loop {
            match session.forward(Forward::Break, FUEL) {
                Stop::Data(wave, numbers) => {
                    assert_eq!((session.current().map(|it| it.0), numbers), (Some(wave), vec![0]));
                    lines.push((wave.1, line(&session)));
                }
                Stop::End => break,
                other => panic!("{other:?}"),
            }
        }
        // The same on the way back.
        let mut back = Vec::new();
        while let Stop::Data(wave, _) = session.back(Back::Break, FUEL) {
            back.push((wave.1, line(&session)));
        }
        back.reverse();
        assert_eq!(back, lines);
        lines
    };
    let writes = (false, true);
    assert_eq!(stops(&|_| buffer(48..52), writes), [(1, 5)]);
    assert_eq!(stops(&|_| buffer(4..5), writes), [(0, 11)]);
    assert_eq!(stops(&|_| buffer(4..5), (true, false)), []);
    assert_eq!(stops(&|_| shared.clone(), writes), [(0, 6)]);
    assert_eq!(stops(&|_| shared.clone(), (true, true)), [(0, 6), (1, 11)]);
    assert_eq!(stops(&|it| variable(it, "x", None), writes), [(0, 4)]);
    assert_eq!(stops(&|it| variable(it, "list", None), writes), [(0, 10)]);
    // What a statement does after a call is done by the statement, not by the last one of the function.
    let mut session = open(STEPS, 4);
    session.seek(2, FUEL);
    let watched = variable(&session, "sum", Some(1));
    session.watch(vec![DataBreakpoint { watched, reads: false, writes: true }]);
    session.seek(1, FUEL);
    assert_eq!(session.forward(Forward::Break, FUEL), Stop::Data(FIRST, vec![0]));
    assert_eq!(line(&session), 10);
    // In one lane: lane 5 alone is given another value.
    let mut session = open(text, 8);
    session.seek(2, FUEL);
    let x = session.find(FIRST, "x").unwrap();
    let of_lane = |lane| Watched::Variable { wave: FIRST, variable: x, lane: Some(lane) };
    for (lane, wanted) in [(5, Stop::Data(FIRST, vec![0])), (4, Stop::End)] {
        session.watch(vec![DataBreakpoint { watched: of_lane(lane), reads: false, writes: true }]);
        session.seek(2, FUEL);
        assert_eq!(session.forward(Forward::Break, FUEL), wanted);
    }
}

#[test]
fn findings_are_where_they_happen() {
    let mut session = open(
        "RWStructuredBuffer<uint> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint x;
            if (i > 1) x = 1;
            Out[i] = x;
            Out[i + 1000] = 2;
        }",
        4,
    );
    let findings = session.findings();
    let names: Vec<&str> = findings.iter().map(|it| it.finding.kind.code().name).collect();
    assert_eq!(names, ["uninitialized-value", "buffer-out-of-bounds"]);
    for (finding, wanted) in findings.iter().zip([5, 6]) {
        session.seek(finding.tick, FUEL);
        assert_eq!(line(&session), wanted);
    }
}

#[test]
fn findings_of_ray_queries_are_where_they_happen() {
    let mut recipe = recipe(
        "RaytracingAccelerationStructure Scene; RWStructuredBuffer<uint> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            RayDesc ray = { float3(0, 0, i + 1), 0, float3(0, 0, -1), 20 };
            RayQuery<RAY_FLAG_FORCE_OPAQUE> query;
            query.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
            query.Proceed();
            Out[i] = query.CommittedGeometryIndex();
        }",
        4,
        1,
        Schedule::Ascending,
    );
    // A scene has no bytes, and every ray misses where there is none.
    recipe.bindings.bindings[0] = vec![Buffer::default()];
    let mut session = Session::open(recipe).ok().unwrap();
    let findings = session.findings();
    let names: Vec<&str> = findings.iter().map(|it| it.finding.kind.code().name).collect();
    assert_eq!(names, ["ray-query-state"]);
    session.seek(findings[0].tick, FUEL);
    assert_eq!(line(&session), 7);
}

const PROGRAMS: [&str; 4] = [
    "RWStructuredBuffer<uint> Out; StructuredBuffer<uint> In;
    groupshared uint sums[16];
    uint scan(uint x, uint t) {
        sums[t % 16] = x;
        GroupMemoryBarrierWithGroupSync();
        uint total = 0;
        for (uint n = 0; n <= t % 16; n++) { total += sums[n]; }
        GroupMemoryBarrierWithGroupSync();
        return total;
    }
    [numthreads(16, 1, 1)] void main(uint t : SV_GroupIndex, uint3 g : SV_GroupID) {
        uint dead = t / (t & 3);
        uint x = scan(In[t] + g.x, t);
        if (x & 1) x = scan2(x); else InterlockedAdd(Out[0], x, x);
        Out[t + 16 * g.x] += x + WavePrefixSum(t);
    }
    uint scan2(uint x) { while (x > 10) { x = x / 2 + WaveActiveCountBits(x & 1); } return x; }",
    "RWStructuredBuffer<uint> Out;
    [numthreads(12, 1, 1)] void main(uint t : SV_GroupIndex) {
        float4 v = float4(t, t * 2, 0, 1);
        uint kinds[5];
        for (uint i = 0; i < 5; i++) kinds[i] = (t + i) % 3;
        [loop] for (uint n = 0; n < 200; n++) {
            switch (kinds[n % 5]) {
            case 0: v.x += 1; break;
            case 1: v.yz *= 1.5; // falls
            case 2: v.w -= v.x; if (n > t * 20) continue; break;
            }
            if (n == 150 + t) return;
            Out[t] = asuint(v.w) + n;
        }
    }",
    "globallycoherent RWStructuredBuffer<uint> Out;
    [numthreads(32, 1, 1)] void main(uint t : SV_GroupIndex) {
        uint ticket; InterlockedAdd(Out[0], 1, ticket);
        bool done = false;
        while (!done) {
            uint key = WaveReadLaneFirst(ticket & 3);
            if (key == (ticket & 3)) { Out[1 + ticket] = key * t; done = true; }
        }
    }",
    "RWStructuredBuffer<uint> Out; static uint calls = 0;
    struct S { uint a; uint2 b; };
    S change(inout S s, uint by) { calls++; s.a += by; if (s.a > 6) return s; s.b.y -= by; return s; }
    [numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {
        S s = { t, { 1, 2 } };
        for (uint i = 0; i < 300; i++) { S other = change(s, i & 3); s.b.x += other.b.y; }
        Out[t] = s.a + s.b.x * calls;
    }",
];

fn undisturbed(recipe: &Recipe) -> Bindings {
    let mut source = recipe.source.clone();
    let (mut sources, mut sink) = (diag::SourceMap::new(), diag::Sink::new());
    let main = sources.add("a.hlsl", recipe.source.text.as_str()).unwrap();
    let options = source.options.clone();
    let compiled = hlsl::compile(main, &mut sources, &mut source, &options, &mut sink).unwrap();
    let mut bindings = recipe.bindings.clone();
    interp::run(&compiled.module, &recipe.launch, &mut bindings, &mut NoObserver).unwrap();
    bindings
}

/// All that can be seen where the run stands.
fn picture(session: &Session) -> String {
    let mut text = format!("{:?}", session.current());
    for (wave, _) in session.waves() {
        for frame in session.frames(wave) {
            text.push_str(&format!("\n{wave:?} {} {:?}", frame.function, frame.span));
            for id in frame.variables {
                text.push_str(&format!("\n{:?}", session.variable(wave, id)));
            }
        }
    }
    text
}

#[test]
fn looking_changes_nothing() {
    let mut random = Random::new(7);
    for (number, text) in PROGRAMS.iter().enumerate() {
        let text = match number {
            0 => text.replacen("groupshared", "uint scan2(uint x);\n    groupshared", 1),
            _ => (*text).to_owned(),
        };
        for schedule in [Schedule::Ascending, Schedule::Random(3), Schedule::RoundRobin] {
            let recipe = recipe(&text, 8, 3, schedule);
            let wanted = undisturbed(&recipe);
            let mut session = Session::open(recipe).ok().unwrap();
            session.breakpoints(vec![Breakpoint { line: 7, ..Breakpoint::default() }]);
            // Every moment of the run, as it was first seen.
            let mut seen: BTreeMap<u64, String> = BTreeMap::new();
            for _ in 0..60 {
                let wave = session.current().map_or(FIRST, |it| it.0);
                let tick = session.current().map_or(0, |it| it.1.tick);
                match random.below(8) {
                    0 => session.forward(Forward::Into(wave), FUEL),
                    1 => session.forward(Forward::Over(wave), FUEL),
                    2 => session.forward(Forward::Out(wave), FUEL),
                    3 => session.forward(Forward::Break, FUEL),
                    4 => session.back(Back::Into(wave), FUEL),
                    5 => session.back(Back::Break, FUEL),
                    6 => session.seek(tick + random.below(700) as u64, FUEL),
                    _ => session.seek(tick / 2, FUEL),
                };
                // Looks at what could be disturbed.
                let _ = session.eval(wave, "WaveActiveSum(t) + Out[0]");
                if let Some((_, statement)) = session.current() {
                    let picture = picture(&session);
                    let first = seen.entry(statement.tick).or_insert_with(|| picture.clone());
                    assert_eq!(*first, picture, "{number} {schedule:?} at {}", statement.tick);
                }
            }
            assert!(seen.len() > 10, "{}", seen.len());
            session.forward(Forward::End, FUEL);
            assert_eq!(session.ended(), Some(&Ok(())));
            assert!(*session.bindings() == wanted, "{number} {schedule:?}");
        }
    }
}

#[test]
fn a_step_over_a_function_may_take_several_budgets() {
    let mut session = open(
        "RWStructuredBuffer<uint> Out;
        uint slow(uint x) {
            for (uint n = 0; n < 100; n++) { x = x * 3 + n; }
            return x;
        }
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint y = slow(i);
            Out[i] = y;
        }",
        4,
    );
    session.forward(Forward::Any, FUEL);
    assert_eq!(line(&session), 7);
    let mut budgets = 0;
    while session.forward(Forward::Over(FIRST), 50) == Stop::Budget {
        budgets += 1;
    }
    assert!(budgets > 5, "{budgets}");
    assert_eq!(line(&session), 8);
}

#[test]
fn a_budget_ends_an_endless_loop_and_stops_nothing() {
    let mut session = open(
        "RWStructuredBuffer<uint> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint n = 0;
            while (Out[200] == 200) { n++; Out[i] = n; }
        }",
        4,
    );
    assert_eq!(session.forward(Forward::Break, 100_000), Stop::Budget);
    assert_eq!(session.forward(Forward::Into(FIRST), FUEL), Stop::Step(FIRST));
    assert_eq!(session.back(Back::Into(FIRST), FUEL), Stop::Step(FIRST));
}

/// Two waves that take turns, branches, a loop and a call.
const INSTRUCTIONS: &str = "RWStructuredBuffer<uint> Out; groupshared uint turn;
uint twice(uint x) {
    uint y = x * 2;
    return y;
}
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = 10;
    for (uint n = 0; n < i % 3; n++) {
        uint all = WaveActiveSum(n);
        sum += twice(i) + all;
    }
    if (i & 1) InterlockedAdd(turn, sum);
    GroupMemoryBarrierWithGroupSync();
    Out[i] = sum + turn;
}";

fn without_label(line: &str) -> &str {
    let line = line.trim();
    let label = line.split_once(": ").filter(|it| {
        it.0.strip_prefix('i').is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
    });
    label.map_or(line, |it| it.1)
}

#[test]
fn the_listing_is_the_text_of_the_program_without_notes() {
    let session = open(INSTRUCTIONS, 4);
    let (mut sources, mut sink) = (diag::SourceMap::new(), diag::Sink::new());
    let mut source = source(INSTRUCTIONS);
    let main = sources.add("a.hlsl", INSTRUCTIONS).unwrap();
    let compiled = hlsl::compile(main, &mut sources, &mut source, &Options::default(), &mut sink);
    let module = compiled.unwrap().module;
    let printed = ir::text::print_without_spans(&module);
    let lines = session.listed(0..session.instructions());
    assert_eq!(lines.len(), module.regions.iter().map(|it| it.insts.len()).sum::<usize>());
    // Line by line, except for lines that only begin and end regions.
    let mut rest = printed.lines().map(without_label).skip_while(|it| !it.starts_with("body"));
    for line in &lines {
        let text = without_label(&line.text);
        let is_it =
            |it: &str| it == text || it.strip_suffix(" {").is_some_and(|it| text.starts_with(it));
        assert!(rest.any(is_it), "`{text}` is not there, or not in this order:\n{printed}");
    }
    let firsts = lines.iter().filter(|it| it.region.is_some()).count();
    assert_eq!(firsts, module.regions.iter().filter(|it| !it.insts.is_empty()).count());
    assert_eq!(session.listed(3..1 << 40), []);
}

/// The place in the run, the instruction, the active lanes and the functions.
type Here = ((u64, u64), Option<usize>, LaneMask, Vec<String>);

#[test]
fn instructions_are_stepped_forward_and_back() {
    for schedule in [Schedule::Ascending, Schedule::RoundRobin, Schedule::Random(3)] {
        let recipe = recipe(INSTRUCTIONS, 4, 1, schedule);
        let mut session = Session::open(recipe.clone()).ok().unwrap();
        let Stop::Step(wave) = session.forward(Forward::Any, FUEL) else { panic!("no step") };
        let mut places: Vec<Here> = Vec::new();
        let functions = |it: &Session| -> Vec<String> {
            it.frames(wave).into_iter().map(|it| it.function).collect()
        };
        let here =
            |it: &Session| (it.place(), it.instruction(wave), it.active(wave), functions(it));
        while session.forward(Forward::Instruction(wave), FUEL) == Stop::Step(wave) {
            places.push(here(&session));
        }
        let distinct: std::collections::BTreeSet<_> = places.iter().map(|it| it.1).collect();
        assert!(places.len() > 30 && distinct.len() > 15, "{} {}", places.len(), distinct.len());
        assert!(places.windows(2).all(|it| it[0].0 < it[1].0), "{places:?}");
        // After a call the wave is in the function that called.
        assert!(places.iter().any(|it| it.3 == ["twice", "main"]), "{places:?}");
        let is_back = |it: &[Here]| it[0].3.len() == 2 && it[1].3.len() == 1 && it[1].0.1 > 0;
        assert!(places.windows(2).any(is_back), "{places:?}");
        for (at, place) in places.iter().enumerate().rev() {
            assert_eq!(session.back(Back::Instruction(wave), FUEL), Stop::Step(wave));
            assert_eq!(here(&session), *place, "{schedule:?} {at}");
            // A statement back and forward again, from the middle of one.
            if at % 7 == 3 {
                session.back(Back::Into(wave), FUEL);
                while session.place() < place.0 {
                    session.forward(Forward::Instruction(wave), FUEL);
                }
                assert_eq!(here(&session), *place, "{schedule:?} {at}");
            }
        }
        assert_eq!(session.forward(Forward::End, FUEL), Stop::End);
        assert!(*session.bindings() == undisturbed(&recipe), "{schedule:?}");
    }
}

#[test]
fn breakpoints_on_instructions_stop_forward_and_back() {
    let recipe = recipe(INSTRUCTIONS, 4, 1, Schedule::RoundRobin);
    let mut session = Session::open(recipe.clone()).ok().unwrap();
    let lines = session.listed(0..session.instructions());
    let of = |word: &str| lines.iter().position(|it| it.text.contains(word)).unwrap();
    let (sum, constant) = (of("wave.reduce.sum"), of("const."));
    let at = |number, condition: Option<&str>| InstructionBreakpoint {
        number,
        condition: condition.map(str::to_owned),
    };
    let all = vec![at(sum, None), at(constant, None), at(sum, Some("n == 1")), at(9999, None)];
    assert_eq!(session.instruction_breakpoints(all), [true, false, true, false]);
    assert!(session.check_at(sum, "n == 1").is_ok() && session.check_at(sum, "m ==").is_err());
    let mut places = Vec::new();
    let ended = loop {
        match session.forward(Forward::Break, FUEL) {
            Stop::Instruction(wave, numbers) => {
                assert_eq!(session.instruction(wave), Some(sum));
                places.push((session.place(), wave, numbers));
            }
            other => break other,
        }
    };
    assert_eq!(ended, Stop::End);
    // Two trips of each wave; in the second the condition holds, too.
    let hits = |wanted: &[usize]| places.iter().filter(|it| it.2 == wanted).count();
    assert_eq!([places.len(), hits(&[0]), hits(&[0, 2])], [4, 2, 2], "{places:?}");
    for (place, wave, numbers) in places.iter().rev() {
        assert_eq!(session.back(Back::Break, FUEL), Stop::Instruction(*wave, numbers.clone()));
        assert_eq!(session.place(), *place);
    }
    assert!(matches!(session.back(Back::Break, FUEL), Stop::Entry(_)));
    session.instruction_breakpoints(Vec::new());
    assert_eq!(session.forward(Forward::Break, FUEL), Stop::End);
    assert!(*session.bindings() == undisturbed(&recipe));
}
