//! Generated pixel shaders with divergence as draws: in waves that a device records, and in others made up here.
#![expect(clippy::print_stdout, reason = "what is skipped must be seen")]

use generate::second::Undefined;
use generate::{Random, Statistics, seeds};
use suite::packed::{Drawing, Failed, Recorded, Words, lets_helpers_participate};
use wavelane::internal::{recording, seats};
use wavelane::{Adapter, CpuOptions, Device, Engine};

/// How many programs run in waves made up here.
const PROGRAMS: u64 = 60;

/// How many run on a device: a driver takes a while to compile one.
const ON_DEVICE: u64 = 12;

fn cpu() -> Device {
    Device::with_cpu(Adapter::reference(), CpuOptions::default()).unwrap()
}

/// Generated programs with what the fast engine makes of them in waves made up here, in the place of a device.
fn made_up() -> impl Iterator<Item = (u64, Drawing, Recorded)> {
    let (cpu, mut statistics) = (cpu(), Statistics::default());
    (0..PROGRAMS).map(move |seed| {
        let width = suite::width_of(seed);
        let drawing = Drawing::new(seed, width, &mut statistics);
        let recording = drawing.at_random(&mut Random::new(seed)).unwrap();
        let log = drawing.replay(&cpu, &recording).unwrap();
        (seed, drawing, Recorded { log, recording })
    })
}

#[test]
fn draws_agree_in_a_devices_waves() {
    let device = match Device::with_engine(Adapter::reference(), Engine::Vulkan) {
        Ok(device) => device,
        Err(why) => return skipped::skipped!("{why}"),
    };
    let width = device.adapter().wave_lane_count.min;
    let participate = lets_helpers_participate(&device, width).unwrap();
    let (mut statistics, mut ran) = (Statistics::default(), 0);
    for seed in seeds(ON_DEVICE) {
        let drawing = Drawing::new(seed, width, &mut statistics);
        if drawing.includes_helpers() && !participate {
            println!("not run: seed {seed}: the device leaves helper lanes out");
            continue;
        }
        match drawing.record(&device).and_then(|it| drawing.judge(&it)) {
            Ok(_) => ran += 1,
            Err(Failed::LeftOut(why)) => println!("not run: seed {seed}: {why}"),
            Err(failed) => panic!("seed {seed}: {failed:?}\n{}", drawing.text()),
        }
    }
    println!("{ran} programs ran on {}", device.adapter().name);
    assert!(ran > 0 || !device.adapter().name.contains("llvmpipe"));
}

#[test]
fn draws_agree_in_any_waves() {
    let mut words = Words::default();
    for (seed, drawing, recorded) in made_up() {
        let judged = drawing.judge(&recorded);
        let judged = judged.unwrap_or_else(|failed| panic!("seed {seed}: {failed:?}"));
        // Our engines agree on what is undefined, too.
        assert_eq!(judged.other, 0, "seed {seed}");
        words.all += judged.all;
        words.undefined += judged.undefined;
    }
    // Most of what is compared has to be defined.
    assert!(words.all > 30_000 && words.undefined * 2 < words.all, "{words:?}");
}

#[test]
fn helper_lanes_change_only_what_is_undefined() {
    let (mut changed, mut undefined) = (0, 0);
    for (seed, drawing, recorded) in made_up() {
        let [ours, other] =
            [Undefined::Ours, Undefined::Other].map(|it| drawing.expected(&recorded.recording, it));
        for (at, is_undefined) in ours.undefined.iter().enumerate() {
            let is_changed = ours.log[at] != other.log[at];
            assert!(!is_changed || *is_undefined, "seed {seed}: `Log[{at}]`\n{}", drawing.text());
            changed += u32::from(is_changed);
            undefined += u32::from(*is_undefined);
        }
    }
    assert!(changed * 8 > undefined && changed > 1000, "{changed} of {undefined}");
}

#[test]
fn a_wrong_result_of_a_draw_is_noticed() {
    let mut noticed = 0;
    for (seed, drawing, mut recorded) in made_up() {
        let expected = drawing.expected(&recorded.recording, Undefined::Ours);
        let is_fit = |at: &usize| expected.log[*at] != 0 && !expected.undefined[*at];
        let Some(at) = (0..expected.log.len()).filter(is_fit).nth(seed as usize) else { continue };
        recorded.log[at] ^= 1;
        let judged = drawing.judge(&recorded);
        assert!(matches!(judged, Err(Failed::Different(_))), "seed {seed}: {judged:?}");
        noticed += 1;
    }
    assert!(noticed > 40, "only {noticed} programs log enough");
}

#[test]
fn a_wrong_recording_of_a_draw_is_noticed() {
    let (mut noticed, mut tried) = (0, 0);
    for (_, drawing, mut recorded) in made_up() {
        let width = recorded.recording.wave_size();
        let mut waves = seats(&recorded.recording).clone();
        // Every other quad of two waves is said to be in the other one.
        let [one, other, ..] = &mut waves[..] else { continue };
        if width == 4 {
            continue;
        }
        for first in (0..width as usize).step_by(8) {
            one[first..first + 4].swap_with_slice(&mut other[first..first + 4]);
        }
        recorded.recording = recording(width, waves);
        tried += 1;
        noticed += u32::from(matches!(drawing.judge(&recorded), Err(Failed::Different(_))));
    }
    // Many programs show little of which pixels share a wave.
    assert!(tried > 20 && noticed * 2 > tried, "{noticed} of {tried}");
}
