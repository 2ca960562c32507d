//! Measures draws: wavelane's on an engine, its fixed functions alone, and the same HLSL on a Vulkan driver, such as
//! llvmpipe's, round by round in one run.
//!
//! The driver runs in a separate process, because it reads its number of threads when it is loaded; its modules are
//! made by `glslangValidator`. Pictures of both are compared before anything is timed.

mod driver;
mod fixed;
mod ours;
mod scenes;

use std::path::Path;

use raster::DepthState;
use wavelane::texture::{Comparison, Format};

use self::driver::Driver;
pub(super) use self::driver::serve;
use self::fixed::Fixed;
use self::ours::Ours;
use self::scenes::{SCENES, SIDE};
use super::clock::Clock;

const DEPTH: DepthState = DepthState { func: Comparison::LessEqual, write: true };

fn color() -> Format {
    Format::parse("RGBA8_UNORM").unwrap_or_else(|| unreachable!("a format of Direct3D"))
}

pub(super) struct Flags<'a> {
    pub(super) scenes: Option<&'a [String]>,
    pub(super) widths: &'a [u32],
    pub(super) rounds: usize,
    pub(super) threads: usize,
    pub(super) engine: &'a str,
}

pub(super) fn run(flags: &Flags<'_>, folder: &Path) -> Result<(), String> {
    let mut driver = Driver::start(flags.threads)?;
    println!("driver: {}; threads {}", driver.name, flags.threads);
    println!(
        "{SIDE}\u{b2} pixels, RGBA8_UNORM and D32_FLOAT; best of {} rounds, {}",
        flags.rounds,
        if flags.threads == 1 { "processor time" } else { "wall-clock time" }
    );
    println!(
        "{:>8}  {:>5}  {:>9}  {:>9}  {:>9}  {:>7}  {:>7}  {:>9}  {:>9}  {:>6}",
        "scene",
        "lanes",
        "ours ms",
        "fixed ms",
        "driver ms",
        "ratio",
        "fixed",
        "Mpixel/s",
        "Mtri/s",
        "differ"
    );
    for scene in &SCENES {
        if flags.scenes.is_some_and(|it| !it.iter().any(|it| it == scene.name)) {
            continue;
        }
        driver.record(scene)?;
        let picture = driver.pixels()?;
        for width in flags.widths {
            let ours = Ours::new(scene, folder, *width, flags)?;
            let mut fixed = Fixed::new(scene, *width);
            let mut best = [f64::INFINITY; 3];
            for _ in 0..flags.rounds {
                let alone = fixed.as_mut().map_or(f64::NAN, Fixed::draw);
                let times = [ours.draw()?, alone, driver.draw()?];
                for (best, time) in best.iter_mut().zip(times) {
                    *best = best.min(time);
                }
            }
            let differ = differing(&ours.pixels()?, &picture);
            let [mine, alone, other] = best;
            let [fixed, fixed_ratio] = match fixed {
                Some(_) => [alone, alone / other].map(|it| format!("{it:.2}")),
                None => ["–", "–"].map(str::to_owned),
            };
            let pixels = f64::from(SIDE * SIDE) / mine / 1e3;
            let triangles = f64::from(scene.triangles) / mine / 1e3;
            println!(
                "{:>8}  {width:>5}  {mine:>9.2}  {fixed:>9}  {other:>9.2}  {:>7.2}  {fixed_ratio:>7}  {pixels:>9.1}  {triangles:>9.3}  {differ:>6}  {}",
                scene.name,
                mine / other,
                scene.what,
            );
        }
    }
    Ok(())
}

/// How many pixels differ by more than one step in a channel.
fn differing(a: &[u8], b: &[u8]) -> usize {
    let is_near = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= 1;
    a.chunks_exact(4).zip(b.chunks_exact(4)).filter(|(a, b)| !a.iter().zip(*b).all(is_near)).count()
}
