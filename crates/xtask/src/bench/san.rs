//! Measures the cost of the sanitizer: the reference engine with all dynamic detectors against itself without any.
//!
//! The two alternate, so that other load affects both; only their ratio is meaningful.

use std::time::Instant;

use interp::NoObserver;
use sanitizer::{Rules, Watcher};

use super::{Kernel, ROW, bindings, compile, launch, milliseconds};

/// Compaction, a scan, and a reduction in groupshared memory.
const KERNELS: [&str; 3] = ["compact", "scan", "shared"];

const THREADS: [u32; 2] = [ROW, 2];

pub(super) fn run(only: Option<&[String]>, width: u32, rounds: usize) -> Result<(), String> {
    let threads = THREADS[0] * THREADS[1];
    println!("{threads} threads, {width} lanes; medians of {rounds} alternating runs");
    println!("{:>10}  {:>10}  {:>10}  {:>6}", "kernel", "plain ms", "watched ms", "ratio");
    for name in KERNELS {
        if only.is_some_and(|it| !it.iter().any(|it| it == name)) {
            continue;
        }
        let kernel = Kernel { name, file: name, grid: THREADS, each: 1, check: |_, _| true };
        let module = compile(name, None)?;
        let launch = launch(&kernel, width);
        let failed = |failure| format!("{name}: {failure:?}");
        let (mut plain, mut watched) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let mut left = bindings(&kernel, &module);
            let start = Instant::now();
            interp::run(&module, &launch, &mut left, &mut NoObserver).map_err(failed)?;
            plain.push(milliseconds(start));
            let mut again = bindings(&kernel, &module);
            let start = Instant::now();
            let mut watcher = Watcher::new(&module, width, Rules::default());
            interp::run(&module, &launch, &mut again, &mut watcher).map_err(failed)?;
            let findings = watcher.into_findings();
            watched.push(milliseconds(start));
            if let Some(finding) = findings.first() {
                return Err(format!(
                    "`{name}` is correct, but the sanitizer reports: {}",
                    finding.message
                ));
            }
            if left != again {
                return Err(format!("`{name}`: the detectors change the result"));
            }
        }
        let [plain, watched] = [plain, watched].map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        println!("{name:>10}  {plain:>10.1}  {watched:>10.1}  {:>6.2}", watched / plain);
    }
    Ok(())
}
