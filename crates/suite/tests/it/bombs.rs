//! Small sources that would take for ever, or all memory: each is compiled or refused, and its cost grows with its
//! size.
//!
//! Work is counted, not timed: how often the front end asks whether to continue, the values that `prune` looks at, the
//! instructions and the live ranges of machine code. Twice the size may cost twice the work and a little more, and less
//! than four times the live ranges: where these are many, the allocator is chosen that does not mind.
//!
//! A new bomb is a row of [`CASES`].

use std::cell::Cell;
use std::sync::Arc;

use cpu::{Isa, MOST_LIVE_RANGES, Mode, Work};
use diag::Cancel;
use ir::Module;
use ir::exec::{Bindings, Buffer};
use suite::engines::{Outcome, compare, launch, sets};
use suite::run;

/// A kind of source at one size.
struct Case {
    bomb: &'static str,
    size: usize,
    ends: Ends,
}

impl Case {
    fn source(&self, size: usize) -> String {
        (suite::bombs::named(self.bomb).source)(size)
    }
}

fn mode(isa: Isa) -> Mode {
    Mode { isa, width: 32, rewrites: true }
}

/// How it ends at its full size.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    /// Machine code.
    Code,
    /// It is left to the reference engine.
    Fallback,
    /// A report with a place, which says this.
    Refused(&'static str),
}

const CASES: &[Case] = &[
    Case { bomb: "cases", size: 1000, ends: Ends::Code },
    Case { bomb: "cases that fall through", size: 1500, ends: Ends::Code },
    Case { bomb: "a switch for all lanes", size: 1000, ends: Ends::Code },
    Case { bomb: "variables over branches", size: 500, ends: Ends::Code },
    Case { bomb: "statements", size: 5000, ends: Ends::Code },
    Case { bomb: "stores in branches", size: 2000, ends: Ends::Code },
    Case { bomb: "stores in branches", size: 60_000, ends: Ends::Fallback },
    Case { bomb: "initialisers", size: 5000, ends: Ends::Code },
    Case { bomb: "products of matrices", size: 20_000, ends: Ends::Refused("too large") },
];

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
    for bomb in CASES {
        let source = bomb.source(bomb.size);
        let cancel = Cancel::after(most_questions(&source));
        let module = match front(&source, cancel) {
            Ok(module) => Arc::new(module),
            Err(report) => {
                let Ends::Refused(why) = bomb.ends else { panic!("{}: {report}", bomb.bomb) };
                let has_place = report.contains("bomb.hlsl:");
                assert!(report.contains(why) && has_place, "{}: {report}", bomb.bomb);
                continue;
            }
        };
        for isa in sets() {
            let questions = Cell::new(0);
            let count = || {
                questions.set(questions.get() + 1);
                false
            };
            let compiled = cpu::compile_unless(&module, mode(isa), &count);
            let ends = if compiled.is_ok() { Ends::Code } else { Ends::Fallback };
            assert_eq!(ends, bomb.ends, "{} with {}", bomb.bomb, isa.name());
            if let Ok(compiled) = compiled
                && compiled.work().live_ranges > MOST_LIVE_RANGES
            {
                // The linear allocator is at work here: what it makes gives the same.
                let bytes = (0..8192u32).flat_map(|it| (it % 60).to_le_bytes()).collect();
                let bindings =
                    Bindings { bindings: vec![vec![Buffer { bytes, ..Buffer::default() }]] };
                let outcome = compare(&module, &launch([2, 1, 1], 32), &bindings, isa);
                assert!(matches!(outcome, Outcome::Same), "{}", bomb.bomb);
                large += 1;
            }
            assert!(questions.get() <= 4 + module.insts.len() / 100, "{}", bomb.bomb);
        }
    }
    assert!(sets().is_empty() || large > 0);
}

/// A source that takes the front end some time.
fn statements() -> String {
    (suite::bombs::named("statements").source)(3000)
}

/// The cost of a source behind the front end, for each set of instructions.
fn work(source: &str) -> (u64, Vec<Work>) {
    let mut module = front(source, Cancel::default()).unwrap();
    let pruned = ir::simplify::prune(&mut module);
    let module = Arc::new(module);
    let code = |isa| cpu::compile(&module, isa, 32).map(|it| it.work()).ok();
    (pruned, sets().into_iter().filter_map(code).collect())
}

#[test]
fn twice_the_size_costs_no_more_than_twice_the_work() {
    for bomb in CASES.iter().filter(|it| it.ends == Ends::Code) {
        // Variables through branches are a product: there the allocator is chosen by it.
        if bomb.bomb == "variables over branches" {
            continue;
        }
        let [half, whole] = [bomb.size / 4, bomb.size / 2].map(|size| work(&bomb.source(size)));
        assert!(whole.0 <= 5 * half.0 / 2, "{}: {} and {}", bomb.bomb, half.0, whole.0);
        for (half, whole) in half.1.iter().zip(&whole.1) {
            assert!(
                whole.instructions <= 5 * half.instructions / 2,
                "{}: {half:?} {whole:?}",
                bomb.bomb
            );
            assert!(
                whole.live_ranges <= 7 * half.live_ranges / 2,
                "{}: {half:?} {whole:?}",
                bomb.bomb
            );
        }
    }
}

#[test]
fn every_stage_of_the_front_end_can_be_cancelled() {
    let source = statements();
    // Where it had arrived: each stage begins anew at the top.
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
    let module = Arc::new(front(&statements(), Cancel::default()).unwrap());
    for isa in sets() {
        let mut before = 0;
        for questions in 0.. {
            let cancel = Cancel::after(questions);
            match cpu::compile_unless(&module, mode(isa), &|| cancel.is_set()) {
                Err(fallback) => assert!(fallback.is_cancelled, "{fallback}"),
                Ok(_) => break,
            }
            before = questions;
        }
        assert!(before > 10, "asked {before} times");
    }
}
