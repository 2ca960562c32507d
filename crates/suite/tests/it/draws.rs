//! Every section of the suite that draws, on a Vulkan device and on the reference engine.
//!
//! Without wave operations results do not depend on how pixels are packed into waves, and are compared directly.
//! Otherwise the device records its packing, and the reference engine runs the same waves.
//! Integers are equal; numbers may differ by what Vulkan leaves to a device's interpolation and blending. Sections that
//! differ by more are listed with the reason, and must differ.
//!
//! Without a usable device the tests print that they are skipped.
#![expect(clippy::print_stdout, reason = "what is skipped must be seen")]

use std::sync::{Arc, Mutex};

use jobs::{DrawnSection, NotDrawn, Packed};
use suite::section::Section;
use wavelane::draw::Recording;
use wavelane::internal::is_device_choice;
use wavelane::texture::Format;
use wavelane::{Adapter, Device, Engine};

const FUEL: u64 = 1 << 28;

/// Sections whose results on lavapipe are not those of the reference engine, with the reason.
const DIFFERENT: [(&str, &str); 12] = [
    (
        "included-helpers-contribute",
        "lavapipe leaves helper lanes out of wave operations, also where maximal reconvergence keeps them active",
    ),
    (
        "a-constant-stays-itself",
        "its interpolation rounds, so that a constant is not always the same in every pixel",
    ),
    (
        "the-unit-of-an-integer-format-is-its-smallest-step",
        "Vulkan leaves the unit of the depth bias to the device",
    ),
    (
        "the-planes-themselves-are-inside",
        "clipping rounds, so that what lies in a plane may be outside",
    ),
    (
        "positions-far-outside-cover-what-lies-between",
        "its rasterizer has a range of its own, beyond which it drops triangles",
    ),
    ("points-far-outside-cover-nothing", "its points are clipped to the range of its rasterizer"),
    (
        "the-centroid-of-a-whole-pixel-is-its-centre",
        "for Vulkan the centroid may be any place in the pixel that the primitive covers",
    ),
    ("vertices-that-are-counted", "devices transform a vertex once for several primitives"),
    (
        "wave-result-in-a-quad-operation",
        "what helper lanes hold then is not specified, as `san` finds",
    ),
    ("a-derivative-for-some-pixels-of-a-quad", "its value is not specified, as `san` finds"),
    (
        "lines-cover-the-diamonds-that-they-leave",
        "which corners belong to the diamond of a pixel is another rule there",
    ),
    (
        "alpha-that-is-not-a-number-covers-nothing",
        "Vulkan leaves open which samples alpha covers, and so what NaN does",
    ),
];

/// Sections whose results are left to a device, with the reason; they are equal in some runs.
const OPEN: [(&str, &str); 7] = [
    ("an-output-is-not-written", "what it holds is undefined, as `san` finds"),
    ("san-a-sample-that-is-not-there", "what is there is undefined, as `san` finds"),
    ("children-are-ascending-x-fastest", "groups of an amplification shader come in any order"),
    ("an-alpha-on-an-edge", ALPHA),
    ("an-alpha-below-a-mask", ALPHA),
    ("an-alpha-over-another", ALPHA),
    ("half-of-the-samples-on-an-edge-that-halves-pixels", ALPHA),
];

const ALPHA: &str = "which samples an alpha leaves is the device's to choose";

/// Sections that lavapipe must record, behind each kind of stage that it has.
const REPLAYED: [&str; 2] =
    ["waves-of-pixels-behind-a-geometry-shader", "waves-of-pixels-behind-a-tessellator"];

fn device() -> Option<Device> {
    match Device::with_engine(Adapter::reference(), Engine::Vulkan) {
        Ok(device) => Some(device),
        Err(why) => {
            skipped::skipped!("{why}");
            None
        }
    }
}

fn reference() -> Device {
    Device::with_engine(Adapter::reference(), Engine::Interp).unwrap()
}

/// The sections that draw.
fn sections() -> Vec<Section> {
    let files = suite::files(&suite::folder());
    let all = files.iter().flat_map(|it| suite::read_all(it).unwrap());
    all.filter(|it| it.draw.is_some()).collect()
}

enum Outcome {
    Same { waves: bool },
    Unsupported(String),
    Different(String),
}

fn drawn(section: &Section, device: &Device, width: u32) -> Outcome {
    let refused = |error: NotDrawn| match error {
        NotDrawn::Unsupported(what) => Outcome::Unsupported(what),
        NotDrawn::Wrong(what) => Outcome::Different(what),
    };
    let mut options = suite::run::options(&section.flags).unwrap();
    options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
    let compiled = match DrawnSection::compile(section, &options, &mut suite::run::SuiteFiles) {
        Ok(compiled) => compiled,
        Err(error) => return refused(error),
    };
    let run = |device: &Device, packed: &Packed| {
        compiled.run_packed(section, device, width, packed, |draw| draw.fuel = Some(FUEL))
    };
    let recording = Arc::new(Mutex::new(Recording::default()));
    let shaders = compiled.shaders();
    let pixel = shaders[shaders.len() - 1];
    let waves = pixel.sees_packing();
    let packed = if waves { Packed::Record(recording.clone()) } else { Packed::Own };
    let got = match run(device, &packed) {
        Ok(got) => got,
        Err(error) => return refused(error),
    };
    let packed = match waves {
        true => Packed::Replay(Arc::new(recording.lock().unwrap().clone())),
        false => Packed::Own,
    };
    let wanted = match run(&reference(), &packed) {
        Ok(wanted) => wanted,
        Err(error) => return refused(error),
    };
    let formats = wanted.targets();
    for ((name, element, wanted), (_, _, got)) in wanted.contents().iter().zip(got.contents()) {
        let format = formats.iter().find(|it| it.0 == *name).map(|it| it.1);
        let size = format.map_or(4, Format::bytes);
        for (at, (a, b)) in wanted.chunks(size).zip(got.chunks(size)).enumerate() {
            let same = match format {
                Some(format) => is_device_choice(format, a, b),
                None => a == b,
            };
            if !same {
                let what = format!("{name}[{element}] at {at}: {b:?} on the device, not {a:?}");
                return Outcome::Different(what);
            }
        }
    }
    Outcome::Same { waves }
}

#[test]
fn sections_that_draw_agree_with_the_reference_engine() {
    let Some(device) = device() else { return };
    let widths = device.adapter().wave_lane_count;
    let filter = std::env::var("DRAWS").unwrap_or_default();
    let is_lavapipe = device.adapter().name.contains("llvmpipe");
    let (mut same, mut replayed, mut wrong) = (0, 0, Vec::new());
    for section in sections() {
        if !section.name.contains(&filter) {
            continue;
        }
        let Some(width) = section.widths.iter().copied().find(|it| widths.contains(*it)) else {
            skipped::skipped!("{}: waves of other widths", section.name);
            continue;
        };
        let known = DIFFERENT.iter().find(|it| is_lavapipe && section.name == it.0);
        let open = OPEN.iter().find(|it| section.name == it.0);
        match (drawn(&section, &device, width), known.or(open)) {
            (Outcome::Same { waves }, it) if it == open => {
                same += 1;
                replayed += u32::from(waves);
            }
            (Outcome::Same { .. }, _) => {
                wrong.push(format!("{} agrees, and is listed as different", section.name));
            }
            (Outcome::Unsupported(what), _)
                if is_lavapipe && REPLAYED.contains(&section.name.as_str()) =>
            {
                wrong.push(format!("{} is not replayed: {what}", section.name));
            }
            (Outcome::Unsupported(what), _) => println!("unsupported: {}: {what}", section.name),
            (Outcome::Different(_), Some((name, why))) => println!("differs: {name}: {why}"),
            (Outcome::Different(what), None) => wrong.push(format!("{}: {what}", section.name)),
        }
    }
    println!("{same} sections agree, {replayed} of them with the device's packing");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 0 || !filter.is_empty());
}
