//! Small sources that would take for ever, or all memory: each is compiled or refused, and its cost grows with its size.
//!
//! Work is counted, not timed: how often the front end asks whether to go on, the values that `prune` looks at, the
//! instructions and the live ranges of machine code. Twice the size may cost twice the work and a little more, and less than
//! four times the live ranges: where these are many, the allocator is chosen that does not mind.
//!
//! A new bomb is a row of [`BOMBS`].

use std::cell::Cell;
use std::sync::Arc;

use cpu::{MOST_LIVE_RANGES, Work};
use diag::Cancel;
use ir::Module;
use ir::exec::{Bindings, Buffer};
use suite::engines::{Outcome, compare, launch, sets};
use suite::run;

/// A kind of source, by its size.
struct Bomb {
    name: &'static str,
    source: fn(usize) -> String,
    size: usize,
    ends: Ends,
}

/// What comes of it at its full size.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    /// Machine code.
    Code,
    /// It is left to the reference engine.
    Fallback,
    /// A report with a place, which says this.
    Refused(&'static str),
}

const BOMBS: &[Bomb] = &[
    Bomb { name: "cases", source: cases, size: 1000, ends: Ends::Code },
    Bomb { name: "cases that fall through", source: falling, size: 1500, ends: Ends::Code },
    Bomb { name: "a switch for all lanes", source: uniform_cases, size: 1000, ends: Ends::Code },
    Bomb { name: "variables over branches", source: branches, size: 500, ends: Ends::Code },
    Bomb { name: "statements", source: statements, size: 5000, ends: Ends::Code },
    Bomb { name: "stores in branches", source: stores, size: 2000, ends: Ends::Code },
    Bomb { name: "stores past all bounds", source: stores, size: 40_000, ends: Ends::Fallback },
    Bomb { name: "initialisers", source: initialisers, size: 5000, ends: Ends::Code },
    Bomb {
        name: "products of matrices",
        source: products,
        size: 20_000,
        ends: Ends::Refused("too large"),
    },
];

const HEAD: &str = "RWStructuredBuffer<uint> O;
[numthreads(32, 1, 1)] void main(uint3 t : SV_DispatchThreadID, uint3 g : SV_GroupID) {
uint r = t.x;
";

fn body(lines: impl Iterator<Item = String>) -> String {
    format!("{HEAD}{}\nO[t.x] = r; }}\n", lines.collect::<Vec<_>>().join("\n"))
}

fn cases(size: usize) -> String {
    let cases = (0..size).map(|it| format!("case {it}: r += {}; break;", it * 7 % 13));
    body(std::iter::once("switch (O[t.x]) {".to_owned()).chain(cases).chain(["}".to_owned()]))
}

fn falling(size: usize) -> String {
    let cases = (0..size).map(|it| format!("case {it}: r += {};", it * 7 % 13));
    body(std::iter::once("switch (O[t.x]) {".to_owned()).chain(cases).chain(["}".to_owned()]))
}

fn uniform_cases(size: usize) -> String {
    cases(size).replace("O[t.x])", "O[g.x])")
}

/// Variables that live through branches, a fifth as many, each of which changes some of them.
fn branches(size: usize) -> String {
    let made = (0..size).map(|it| format!("uint v{it} = O[t.x + {it}];"));
    let changed = (0..size / 5).map(|branch| {
        let some = (0..size).filter(|it| it % 7 == branch % 7);
        let some: Vec<String> = some.map(|it| format!("v{it} += {branch};")).collect();
        format!("if (O[t.x] == {branch}) {{ {} }}", some.join(" "))
    });
    let read = (0..size).map(|it| format!("r = r * 3 + v{it};"));
    body(made.chain(changed).chain(read))
}

fn statements(size: usize) -> String {
    body((0..size).map(|it| format!("r = r * {} + {};", it % 9 + 3, it % 7)))
}

fn stores(size: usize) -> String {
    body((0..size).map(|it| format!("if (r & {it}) O[r] = {};", it % 7)))
}

fn initialisers(size: usize) -> String {
    let all: Vec<String> = (0..size).map(|it| (it % 10).to_string()).collect();
    body(std::iter::once(format!("uint a[{size}] = {{ {} }}; r = a[t.x * 7];", all.join(", "))))
}

fn products(size: usize) -> String {
    body(
        std::iter::once("float4x4 m = t.x;".to_owned())
            .chain((0..size).map(|_| "m = mul(m, m);".to_owned())),
    )
}

/// The module, or the report that refuses the source.
fn front(source: &str, cancel: Cancel) -> Result<Module, String> {
    let mut options = run::options(&[]).unwrap();
    options.cancel = cancel;
    let compiled = run::compile_text("bomb.hlsl", source, &options);
    compiled.module.ok_or_else(|| {
        diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain)
    })
}

/// How often the front end asks: so often it may ask, and no more often.
fn most_questions(source: &str) -> u64 {
    // Four steps for each byte of the source, and a question for every 256 steps.
    8 + source.len() as u64 / 64
}

#[test]
fn every_bomb_is_compiled_or_refused_in_bounded_work() {
    let mut large = 0;
    for bomb in BOMBS {
        let source = (bomb.source)(bomb.size);
        let cancel = Cancel::after(most_questions(&source));
        let module = match front(&source, cancel) {
            Ok(module) => Arc::new(module),
            Err(report) => {
                let Ends::Refused(why) = bomb.ends else { panic!("{}: {report}", bomb.name) };
                let has_place = report.contains("bomb.hlsl:");
                assert!(report.contains(why) && has_place, "{}: {report}", bomb.name);
                continue;
            }
        };
        for isa in sets() {
            let questions = Cell::new(0);
            let count = || {
                questions.set(questions.get() + 1);
                false
            };
            let compiled = cpu::compile_unless(&module, isa, 32, &count);
            let ends = if compiled.is_ok() { Ends::Code } else { Ends::Fallback };
            assert_eq!(ends, bomb.ends, "{} with {}", bomb.name, isa.name());
            if let Ok(compiled) = compiled
                && compiled.work().live_ranges > MOST_LIVE_RANGES
            {
                // The linear allocator is at work here: what it makes gives the same.
                let bytes = (0..8192u32).flat_map(|it| (it % 60).to_le_bytes()).collect();
                let bindings =
                    Bindings { bindings: vec![vec![Buffer { bytes, ..Buffer::default() }]] };
                let outcome = compare(&module, &launch([2, 1, 1], 32), &bindings, isa);
                assert!(matches!(outcome, Outcome::Same), "{}", bomb.name);
                large += 1;
            }
            assert!(questions.get() <= 4 + module.insts.len() / 100, "{}", bomb.name);
        }
    }
    assert!(sets().is_empty() || large > 0);
}

/// What a source costs behind the front end, for each set of instructions.
fn work(source: &str) -> (u64, Vec<Work>) {
    let mut module = front(source, Cancel::default()).unwrap();
    let pruned = ir::simplify::prune(&mut module);
    let module = Arc::new(module);
    let code = |isa| cpu::compile(&module, isa, 32).map(|it| it.work()).ok();
    (pruned, sets().into_iter().filter_map(code).collect())
}

#[test]
fn twice_the_size_costs_no_more_than_twice_the_work() {
    for bomb in BOMBS.iter().filter(|it| it.ends == Ends::Code) {
        // Variables through branches are a product: there the allocator is chosen by it.
        if bomb.name == "variables over branches" {
            continue;
        }
        let [half, whole] = [bomb.size / 4, bomb.size / 2].map(|size| work(&(bomb.source)(size)));
        assert!(whole.0 <= 5 * half.0 / 2, "{}: {} and {}", bomb.name, half.0, whole.0);
        for (half, whole) in half.1.iter().zip(&whole.1) {
            assert!(
                whole.instructions <= 5 * half.instructions / 2,
                "{}: {half:?} {whole:?}",
                bomb.name
            );
            assert!(
                whole.live_ranges <= 7 * half.live_ranges / 2,
                "{}: {half:?} {whole:?}",
                bomb.name
            );
        }
    }
}

#[test]
fn whatever_the_front_end_does_can_be_cancelled() {
    let source = statements(3000);
    // Where it had come to: from stage to stage it begins anew at the top.
    let mut places = Vec::new();
    for questions in 0.. {
        let mut options = run::options(&[]).unwrap();
        options.cancel = Cancel::after(questions);
        let mut sources = diag::SourceMap::new();
        let mut sink = diag::Sink::new();
        let main = sources.add("bomb.hlsl", source.as_str()).unwrap();
        let none = &mut wavelane::NoIncludes;
        let module = hlsl::compile(main, &mut sources, none, &options, &mut sink);
        let Some(place) = sink.stopped() else {
            assert!(module.is_some());
            break;
        };
        assert!(module.is_none() && sink.as_slice().is_empty(), "{:?}", sink.as_slice());
        places.push(place.lo);
    }
    let begins = places.windows(2).filter(|it| it[1] < it[0]).count();
    assert!(begins >= 3, "preprocessing, parsing, checking and lowering: {places:?}");
}

#[test]
fn making_code_can_be_cancelled() {
    let module = Arc::new(front(&statements(3000), Cancel::default()).unwrap());
    for isa in sets() {
        let mut before = 0;
        for questions in 0.. {
            let cancel = Cancel::after(questions);
            match cpu::compile_unless(&module, isa, 32, &|| cancel.is_set()) {
                Err(fallback) => assert!(fallback.is_cancelled, "{fallback}"),
                Ok(_) => break,
            }
            before = questions;
        }
        assert!(before > 10, "asked {before} times");
    }
}
