//! `cargo xtask fuzz --vulkan`: generated programs on the reference engine and on a GPU, bit for bit.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use device::{Adapter, Device, Gpu};
use suite::generate::Statistics;
use suite::gpu::{Outcome, try_seed};

const STACK: usize = 256 << 20;

/// So many differences are told; of the first the program too.
const MOST_SHOWN: usize = 20;

#[derive(Default)]
struct Tally {
    same: u64,
    unsupported: BTreeMap<String, u64>,
    different: Vec<(u64, String, String)>,
}

pub(super) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut runs, mut first, mut threads, mut width) = (10_000u64, 1_000_000u64, 1u64, None);
    let (mut choice, mut seconds, mut trace) = (None, u64::MAX, false);
    for pair in arguments.chunks(2) {
        let [flag, value] = pair else { return Err(crate::USAGE.to_owned()) };
        let number = || value.parse::<u64>().map_err(|_| format!("`{flag}` needs a number"));
        match flag.as_str() {
            "--runs" => runs = number()?,
            "--seed" => first = number()?,
            "--threads" => threads = number()?.max(1),
            "--trace" => trace = number()? != 0,
            "--seconds" => seconds = number()?,
            "--width" => width = Some(number()? as u32),
            "--device" => choice = Some(value.clone()),
            _ => return Err(crate::USAGE.to_owned()),
        }
    }
    let open =
        || Gpu::open(choice.as_deref()).map_err(|it| format!("{}: {}", it.asked, it.missing));
    let gpu = open()?;
    let width = width.unwrap_or(gpu.adapter().options1.wave_lane_count.min);
    println!("{} ({}), waves of {width} lanes", gpu.adapter().name, gpu.driver());
    drop(gpu);
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let tally: Mutex<Tally> = Mutex::default();
    let failed: Mutex<Option<String>> = Mutex::new(None);
    let fail = |what: String| {
        if let Ok(mut place) = failed.lock() {
            place.get_or_insert(what);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            // A driver's compiler recurses deeper than the usual stack of a thread.
            let thread = std::thread::Builder::new().stack_size(STACK);
            let spawned = thread.spawn_scoped(scope, || {
                // A device for each thread: a queue serves one at a time.
                let device = match open() {
                    Ok(gpu) => Device::with_gpu(Adapter::reference(), gpu),
                    Err(what) => return fail(what),
                };
                let mut statistics = Statistics::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= runs
                        || start.elapsed().as_secs() >= seconds
                        || failed.lock().map_or(true, |it| it.is_some())
                    {
                        return;
                    }
                    let seed = first.wrapping_add(number);
                    if trace {
                        println!("trying {seed}");
                    }
                    let outcome = try_seed(&device, seed, width, &mut statistics);
                    let Ok(mut tally) = tally.lock() else { return };
                    match outcome {
                        Ok((Outcome::Same, _)) => tally.same += 1,
                        Ok((Outcome::Unsupported(what), _)) => {
                            *tally.unsupported.entry(what).or_default() += 1;
                        }
                        Ok((Outcome::Different(what), text)) => {
                            tally.different.push((seed, what, text));
                        }
                        Err(what) => fail(what),
                    }
                }
            });
            if let Err(error) = spawned {
                fail(error.to_string());
            }
        }
    });
    if let Some(what) = failed.into_inner().map_err(|_| "a thread has panicked")? {
        return Err(what);
    }
    let mut tally = tally.into_inner().map_err(|_| "a thread has panicked")?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} programs agree, {} differ, {} are unsupported, {seconds:.0} s",
        tally.same,
        tally.different.len(),
        tally.unsupported.values().sum::<u64>()
    );
    for (what, count) in &tally.unsupported {
        println!("  unsupported, {count}: {what}");
    }
    tally.different.sort();
    for (seed, what, _) in tally.different.iter().take(MOST_SHOWN) {
        println!("  seed {seed}: {what}");
    }
    match tally.different.first() {
        None => Ok(()),
        Some((seed, _, text)) => Err(format!("the program of seed {seed}:\n{text}")),
    }
}
