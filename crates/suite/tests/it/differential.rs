//! The interpreter agrees with the second evaluator on generated programs.
//!
//! Ten thousand programs, each at one of the widths in turn. The test prints what the programs consist of, and
//! fails if any wave function was used on a type fewer than twenty times. `-- --nocapture` shows the counts.
#![allow(clippy::print_stdout, reason = "a generator without statistics cannot be trusted")]

use std::collections::BTreeMap;

use generate::second;
use generate::{Kind, Program, Statistics};
use interp::NoObserver;
use ir::exec::{Bindings, Buffer, Launch};
use suite::run;

const PROGRAMS: u64 = 10_000;

fn log_of(program: &Program, width: u32) -> Result<Vec<u32>, String> {
    let text = generate::print(program);
    let flags = ["-enable-16bit-types", "--dialect", "slang"].map(str::to_owned);
    let mut options = run::options(&flags)?;
    options.shader_model = hlsl::ShaderModel::V6_10;
    let compiled = run::compile_text("generated.hlsl", &text, &options);
    let Some(module) = compiled.module else {
        return Err(diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain));
    };
    if program.seed.is_multiple_of(16) {
        run::check_module(&module)?;
    }
    let bytes = vec![0; program.threads as usize * program.places * 4];
    let mut bindings =
        Bindings { bindings: vec![vec![Buffer { bytes: bytes.into(), ..Buffer::default() }]] };
    let launch = Launch { fuel: Some(1 << 30), ..Launch::dispatch([1, 1, 1], width) };
    interp::run(&module, &launch, &mut bindings, &mut NoObserver)
        .map_err(|failure| format!("{failure:?}"))?;
    let words = bindings.bindings[0][0].bytes.chunks_exact(4);
    Ok(words.map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect())
}

#[test]
fn the_interpreter_agrees_with_the_second_evaluator() {
    let mut statistics = Statistics::default();
    for seed in 0..PROGRAMS {
        let width = suite::width_of(seed);
        let program = generate::program(seed, width, &mut statistics);
        let expected = second::evaluate(&program, width);
        let got = log_of(&program, width);
        if got.as_ref() != Ok(&expected) {
            let text = generate::print(&program);
            let first = got.as_ref().map(|got| got.iter().zip(&expected).position(|(a, b)| a != b));
            let place = first.map(|at| at.map(|at| (at / program.places, at % program.places)));
            let error = got.as_ref().err().cloned().unwrap_or_default();
            panic!("seed {seed}, width {width}: {place:?} (thread, place)\n{text}\n{error}");
        }
    }
    println!("{PROGRAMS} programs; wave functions by nesting depth: {:?}", statistics.depths);
    let mut by_name: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((name, kind), uses) in &statistics.uses {
        by_name.entry(name).or_default().push(format!("{} {uses}", kind.word()));
    }
    for (name, uses) in &by_name {
        println!("  {name}: {}", uses.join(", "));
    }
    let rare: Vec<&(&str, Kind)> =
        statistics.uses.iter().filter(|it| *it.1 < 20).map(|it| it.0).collect();
    assert!(rare.is_empty(), "used too rarely: {rare:?}");
    assert!(by_name.len() > 90, "only {} wave functions were tried", by_name.len());
}
