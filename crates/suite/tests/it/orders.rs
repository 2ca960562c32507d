//! Orders that the sanitizer leaves out cannot matter: where it proves from one run that the order of waves changes
//! nothing, no order of the reference engine does. And where one does not matter, it is left out.

use interp::{NoObserver, Variation};
use ir::Module;
use ir::exec::{Bindings, Buffer, LaneOrder, Launch, Schedule, Work};
use ops::Random;
use sanitizer::Plan;
use suite::run;

const PROGRAMS: u64 = 400;
/// Words of `Out`: one for each thread of two groups, and those that all threads share.
const WORDS: usize = 32 + 8;

fn compile(text: &str) -> Module {
    let compiled = run::compile_text("orders.hlsl", text, &run::options(&[]).unwrap());
    let told = diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain);
    compiled.module.unwrap_or_else(|| panic!("{told}\n{text}"))
}

fn bindings(module: &Module) -> Bindings {
    let bytes = vec![0; WORDS * 4];
    let buffer = || vec![Buffer { bytes: bytes.clone().into(), ..Buffer::default() }];
    Bindings { bindings: module.resources.iter().map(|_| buffer()).collect() }
}

/// Two groups of four waves.
fn launch(schedule: Schedule) -> Launch {
    Launch {
        work: Work::Dispatch { groups: [2, 1, 1] },
        wave_width: 4,
        lane_order: LaneOrder::Linear,
        schedule,
        fuel: Some(1 << 20),
        cancel: None,
        progress: None,
        prints: None,
        spent: None,
    }
}

/// Whether the sanitizer tries other orders of waves.
fn tries_orders(module: &Module) -> bool {
    let launch = launch(Schedule::Ascending);
    let plan = Plan::new(vec![4]);
    let report = sanitizer::examine(module, &launch, &bindings(module), &plan);
    report.unwrap_or_else(|it| panic!("{it:?}")).runs > 1
}

/// What a run leaves.
fn left(module: &Module, schedule: Schedule, hands_over: bool) -> Bindings {
    let mut left = bindings(module);
    let variation = Variation { hands_over, ..Variation::default() };
    let program = interp::decode(module);
    let launch = launch(schedule);
    interp::run_varied(&program, &launch, variation, &mut left, &mut NoObserver).unwrap();
    left
}

const HEAD: &str = "RWStructuredBuffer<uint> Out : register(u0);
groupshared uint g[8];
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 id : SV_DispatchThreadID, uint3 of : SV_GroupID) {
    uint x = id.x * 3 + 1;
    uint wave = t / 4;
    if (t < 8) g[t] = t;
    GroupMemoryBarrierWithGroupSync();
";

/// A random sequence of accesses by some waves, most of them ordered in some way.
fn random(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = HEAD.to_owned();
    for _ in 0..3 + random.below(6) {
        let (at, wave, group) = (random.below(3), random.below(4), random.below(2));
        let step = match random.below(12) {
            0 | 1 => "GroupMemoryBarrierWithGroupSync();".to_owned(),
            2 => "DeviceMemoryBarrierWithGroupSync();".to_owned(),
            3 => format!("if (t == {}) g[{at}] = x;", wave * 4),
            4 => format!("if (wave == {wave}) x += g[{at}];"),
            5 => format!("InterlockedAdd(g[{at}], 1 + t);"),
            6 => format!("if (wave == {wave}) InterlockedXor(g[{at}], x);"),
            7 => format!("InterlockedMax(g[{at}], t);"),
            8 => {
                format!("if (wave == {wave}) {{ uint o; InterlockedAdd(g[{at}], 1, o); x += o; }}")
            }
            9 => format!("InterlockedAdd(Out[{}], t);", 32 + at),
            10 => format!("if (of.x == {group} && wave == {wave}) x += Out[{}];", 32 + at),
            _ => format!("if (of.x == {group} && t == {}) Out[{}] = x;", wave * 4, 32 + at),
        };
        text.push_str(&format!("    {step}\n"));
    }
    text.push_str("    Out[id.x] = x;\n}\n");
    text
}

#[test]
fn an_order_that_is_left_out_changes_nothing() {
    let (mut proved, mut open) = (0, 0);
    for seed in 0..PROGRAMS {
        let text = random(seed);
        let module = compile(&text);
        if tries_orders(&module) {
            open += 1;
            continue;
        }
        proved += 1;
        let canonical = left(&module, Schedule::Ascending, false);
        let random = (1..6).map(Schedule::Random);
        for schedule in random.chain([Schedule::Descending, Schedule::RoundRobin]) {
            let other = left(&module, schedule, false);
            assert!(canonical == other, "seed {seed}, {schedule:?}:\n{text}");
        }
        let other = left(&module, Schedule::Ascending, true);
        assert!(canonical == other, "seed {seed}, waves hand over:\n{text}");
    }
    // Neither the proof nor its absence is the rule.
    assert!(proved >= 40 && open >= 40, "{proved} proved, {open} open");
}

/// Whether orders are tried for a program that ends with these lines.
fn tries(lines: &str) -> bool {
    tries_orders(&compile(&format!("{HEAD}{lines}\n}}\n")))
}

#[test]
fn orders_are_tried_only_where_waves_meet() {
    let barrier = "GroupMemoryBarrierWithGroupSync();";
    assert!(!tries("Out[id.x] = g[t % 8];"));
    // A histogram: additions commute, and a barrier precedes the read of their sum.
    let add = "InterlockedAdd(g[0], t);";
    assert!(!tries(&format!("{add} {barrier} Out[id.x] = g[0];")));
    assert!(!tries("InterlockedAdd(Out[32], t);"));
    // Of a ticket, the order is all that matters.
    assert!(tries("uint o; InterlockedAdd(g[0], 1, o); Out[id.x] = o;"));
    // Additions and maxima do not commute with each other.
    assert!(tries("InterlockedAdd(g[0], t); InterlockedMax(g[0], t); Out[id.x] = 1;"));
    // The wave that added last reads what others have added, which no barrier orders.
    assert!(tries(&format!("{add} if (t >= 12) Out[id.x] = g[0];")));
    // A wave reads, and then all add: no barrier is between its load and the additions of other waves.
    assert!(tries(&format!("if (t < 4) x = g[0]; {add} Out[id.x] = x;")));
    // Groups are never ordered.
    assert!(tries("if (of.x == 0) x = Out[33]; InterlockedAdd(Out[33], 1); Out[id.x] = x;"));
}
