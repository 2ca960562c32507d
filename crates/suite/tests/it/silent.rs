//! No false alarms: the sanitizer reports nothing for generated programs, which are well defined by construction.
//!
//! `PROGRAMS=100000` tries that many programs, and `PROGRAMS=1000..2000` those with these seeds.

use generate::{Program, Statistics, Wanted};
use ir::exec::{Bindings, Buffer, Launch};
use sanitizer::{Plan, Verdict};
use suite::run;
use suite::section::WIDTHS;

const PROGRAMS: u64 = 600;
/// The number of programs for every width.
const WIDE: u64 = 60;

/// Seeds that once gave programs which take a component of a set of lanes, and so lose lanes of wide waves.
const LOSING: [u64; 4] = [1100, 1265, 1280, 1490];

fn examine(program: &Program, width: u32) -> Result<(), String> {
    let flags = ["-enable-16bit-types", "--dialect", "slang"].map(str::to_owned);
    let mut options = run::options(&flags)?;
    options.shader_model = hlsl::ShaderModel::V6_10;
    let compiled = run::compile_text("generated.hlsl", &generate::print(program), &options);
    let Some(module) = compiled.module else {
        return Err(diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain));
    };
    let bytes = vec![0; 4 * program.words()];
    let bindings =
        Bindings { bindings: vec![vec![Buffer { bytes: bytes.into(), ..Buffer::default() }]] };
    let launch = Launch { fuel: Some(1 << 30), ..Launch::dispatch([1, 1, 1], width) };
    let report = sanitizer::examine(&module, &launch, &bindings, &Plan::new(vec![width]))
        .map_err(|failure| format!("{failure:?}"))?;
    let wrong = report.seen.iter().filter(|it| it.finding.kind.verdict() != Verdict::Portability);
    let reports: Vec<_> = wrong.map(|it| it.finding.report()).collect();
    match reports.is_empty() {
        true => Ok(()),
        false => Err(diag::render_all(&reports, &compiled.sources, diag::Style::Plain)),
    }
}

#[test]
fn nothing_is_found_in_programs_that_are_correct_by_construction() {
    let mut statistics = Statistics::default();
    for seed in generate::seeds(PROGRAMS) {
        let width = suite::width_of(seed);
        let program = generate::program(seed, width, &mut statistics);
        if let Err(what) = examine(&program, width) {
            panic!("seed {seed}, width {width}:\n{what}");
        }
    }
}

/// Sets of lanes of wide waves have more lanes than a word has bits.
#[test]
fn nothing_is_found_in_programs_for_every_width_in_wide_waves() {
    let model = hlsl::ShaderModel::V6_7;
    let wanted = Wanted { widths: (WIDTHS[0], WIDTHS[WIDTHS.len() - 1]), model, slang: false };
    for seed in generate::seeds(WIDE).chain(LOSING) {
        let program = wanted.program(seed, &mut Statistics::default());
        for width in [64, 128] {
            if let Err(what) = examine(&program, width) {
                panic!("seed {seed}, width {width}:\n{what}");
            }
        }
    }
}
