//! `cargo xtask fuzz --pixels`: generated pixel shaders on the reference engine, compared with the second evaluator of
//! the suite and with the fast engine, log by log. The first failure is printed with its program.

use std::time::Instant;

use generate::Statistics;
use generate::second;
use suite::pixels;
use suite::section::WIDTHS;

pub(super) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut runs, mut first) = (10_000u64, 1_000_000u64);
    super::numbers(arguments, [("--runs", &mut runs), ("--seed", &mut first)])?;
    let start = Instant::now();
    let sets = suite::engines::sets();
    let mut statistics = Statistics::default();
    for seed in first..first.saturating_add(runs) {
        let width = WIDTHS[(seed % WIDTHS.len() as u64) as usize];
        let program = generate::pixels(seed, width, &mut statistics);
        let expected = second::evaluate(&program, width);
        let got = pixels::log_of(&program, width, &sets);
        if got.as_ref() != Ok(&expected) {
            let text = generate::print(&program);
            let what = got.err().unwrap_or_else(|| "the logs differ".to_owned());
            return Err(format!("seed {seed}, width {width}: {what}\n{text}"));
        }
    }
    println!("{runs} pixel shaders agree, {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}
