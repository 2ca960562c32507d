//! Measures the cost of the sanitizer: the reference engine with all dynamic detectors against itself without any.
//!
//! The two alternate, so that other load affects both; only their ratio is meaningful.

use std::path::Path;

use interp::NoObserver;
use sanitizer::{Plan, Rules, Watcher};

use crate::algorithms;

use super::clock::Clock;
use super::{Kernel, Limit, ROW, bindings, compile, launch};

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
        let kernel = Kernel {
            name,
            file: name,
            grid: THREADS,
            each: 1,
            limit: Limit::Memory,
            check: |_, _| true,
        };
        let module = compile(name, None)?;
        let launch = launch(&kernel, width);
        let failed = |failure| format!("{name}: {failure:?}");
        let (mut plain, mut watched) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let mut left = bindings(&kernel, &module);
            let start = Clock::start(1);
            interp::run(&module, &launch, &mut left, &mut NoObserver).map_err(failed)?;
            plain.push(start.milliseconds());
            let mut again = bindings(&kernel, &module);
            let start = Clock::start(1);
            let mut watcher = Watcher::new(&module, width, Rules::default());
            interp::run(&module, &launch, &mut again, &mut watcher).map_err(failed)?;
            let findings = watcher.into_findings();
            watched.push(start.milliseconds());
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

/// Public algorithms, all dispatches together: the plain run at one width, the watched one, a quick sweep, and the
/// sweep over all widths and default orders, on one thread and on all cores.
pub(super) fn algorithms(
    root: &Path,
    only: Option<&[String]>,
    width: u32,
    rounds: usize,
) -> Result<(), String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{width} lanes; medians of {rounds} alternating runs, whole sweeps of one; processor time, on {cores} cores wall-clock time"
    );
    println!(
        "{:<40}  {:>10}  {:>10}  {:>6}  {:>6}  {:>6}  {:>10}  {:>6}",
        "algorithm", "plain ms", "watched ms", "ratio", "worst", "quick", "one thread", "all"
    );
    for (title, dispatches) in algorithms::prepared(root)? {
        if only.is_some_and(|it| !it.iter().any(|it| title.contains(it.as_str()))) {
            continue;
        }
        let failed = |error: &dyn std::fmt::Display| format!("{title}: {error}");
        let mut totals = [0.0; 5];
        let mut worst = 0.0f64;
        for it in &dispatches {
            let dispatch = wavelane::Dispatch { wave_size: Some(width), ..it.dispatch.clone() };
            let plain = || {
                let table = it.table.duplicate().map_err(|it| failed(&it))?;
                let start = Clock::start(1);
                it.pipeline.dispatch(&dispatch, &table).map_err(|it| failed(&it))?;
                Ok::<f64, String>(start.milliseconds())
            };
            let swept = |plan: &Plan| {
                let start = Clock::start(plan.threads);
                it.pipeline.examine(&dispatch, plan, &it.table).map_err(|it| failed(&it))?;
                Ok::<f64, String>(start.milliseconds())
            };
            let mut one = Plan::new(vec![width]);
            one.orders.clear();
            let (mut plains, mut watched) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                plains.push(plain()?);
                watched.push(swept(&one)?);
            }
            let median = |mut times: Vec<f64>| {
                times.sort_by(f64::total_cmp);
                times[times.len() / 2]
            };
            let (plain, watched) = (median(plains), median(watched));
            worst = worst.max(watched / plain);
            let sizes = it.pipeline.wave_sizes();
            let ends = [sizes.first(), sizes.last()].into_iter().flatten().copied().collect();
            let mut quick = Plan::new(ends);
            quick.quick();
            quick.threads = cores;
            let all = Plan::new(sizes.to_vec());
            let (one, all) = (swept(&all)?, swept(&Plan { threads: cores, ..all })?);
            let times = [plain, watched, swept(&quick)?, one, all];
            totals.iter_mut().zip(times).for_each(|(total, time)| *total += time);
        }
        let [plain, watched, quick, one, all] = totals;
        println!(
            "{title:<40}  {plain:>10.1}  {watched:>10.1}  {:>6.2}  {worst:>6.2}  {:>6.2}  {:>10.2}  {:>6.2}",
            watched / plain,
            quick / plain,
            one / plain,
            all / plain
        );
    }
    Ok(())
}
