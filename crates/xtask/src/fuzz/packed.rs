//! `cargo xtask fuzz --pixels-vulkan`: generated pixel shaders are drawn on the first Vulkan device, which records how
//! it packs them, and compared with the reference engine and the second evaluator in the same waves.
//!
//! What does not run is counted by its reason, and so are the words of logs that the language leaves undefined.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use generate::Statistics;
use suite::packed::{Drawing, Failed, Words, lets_helpers_participate};
use wavelane::Device;

use super::MOST_FAILURES;
use super::batches::Campaign;

#[derive(Default)]
struct Tally {
    ran: u64,
    words: Words,
    /// Programs with words that are undefined, and that the device has otherwise.
    other: u64,
    left_out: BTreeMap<String, u64>,
    failures: usize,
}

pub(super) fn run(arguments: &[String]) -> Result<(), String> {
    let campaign = Campaign::read(arguments, 1000, 1)?;
    let device = super::stages::vulkan()?;
    let widths: Vec<u32> = device.adapter().wave_lane_count.iter().collect();
    let mut participate = BTreeMap::new();
    for width in &widths {
        let answer = lets_helpers_participate(&device, *width).map_err(words_of)?;
        participate.insert(*width, answer);
    }
    let start = Instant::now();
    let tally = Mutex::new(Tally::default());
    let attempt = |seed: u64, statistics: &mut Statistics| {
        let width = widths[(seed % widths.len() as u64) as usize];
        let drawing = Drawing::new(seed, width, statistics);
        if drawing.includes_helpers() && !participate[&width] {
            let why = "`[WaveOpsIncludeHelperLanes]`, and the device leaves helper lanes out";
            return (drawing, Err(Failed::LeftOut(why.to_owned())));
        }
        let outcome = drawing.record(&device).and_then(|it| drawing.judge(&it));
        (drawing, outcome)
    };
    let ended = campaign.each(|seed, _, statistics| {
        let (drawing, outcome) = attempt(seed, statistics);
        let mut tally = tally.lock().map_err(|_| "a thread has panicked")?;
        match outcome {
            Ok(words) => {
                tally.ran += 1;
                tally.words.all += words.all;
                tally.words.undefined += words.undefined;
                tally.words.other += words.other;
                tally.other += u64::from(words.other > 0);
            }
            Err(Failed::LeftOut(why)) => *tally.left_out.entry(why).or_default() += 1,
            Err(Failed::Different(what)) => {
                println!("seed {seed}, {what}\n{}", drawing.text());
                tally.failures += 1;
                if tally.failures >= MOST_FAILURES {
                    return Err(format!("{} programs differ", tally.failures));
                }
            }
            Err(Failed::Lost(what)) => {
                return Err(format!("seed {seed}: {what}\n{}", drawing.text()));
            }
        }
        Ok(())
    });
    let tally = tally.into_inner().map_err(|_| "a thread has panicked")?;
    report(&campaign, &device, &tally, start);
    ended?;
    match tally.failures {
        0 => Ok(()),
        count => Err(format!("{count} programs differ")),
    }
}

fn report(campaign: &Campaign, device: &Device, tally: &Tally, start: Instant) {
    let Tally { ran, words, other, left_out, failures } = tally;
    println!(
        "{ran} pixel shaders of {} programs agree on {}, {failures} differ, {:.0} s",
        campaign.runs,
        device.adapter().name,
        start.elapsed().as_secs_f64()
    );
    for (why, count) in left_out {
        println!("  left out, {count}: {why}");
    }
    println!(
        "  of {} words of logs, {} are undefined; of these {} differ, in {other} programs",
        words.all, words.undefined, words.other
    );
}

fn words_of(failed: Failed) -> String {
    match failed {
        Failed::LeftOut(what) | Failed::Different(what) | Failed::Lost(what) => what,
    }
}
