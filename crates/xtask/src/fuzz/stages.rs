//! `cargo xtask fuzz --pixels`, `--mesh` and `--mesh-vulkan`: generated pixel shaders, or mesh and amplification
//! shaders, on the reference engine and the fast one or as draws on a device, compared with the second evaluator, on
//! several threads. A failure is printed with its program.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use cpu::Isa;
use generate::Statistics;
use generate::second;
use suite::{meshlets, pixels};
use wavelane::{Adapter, Device, Engine};

use super::batches::Campaign;

/// The programs of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Pixels,
    Mesh,
    /// On the first Vulkan device, at its widths.
    MeshVulkan,
}

impl Of {
    pub(super) fn named(flag: &str) -> Option<Of> {
        match flag {
            "--pixels" => Some(Of::Pixels),
            "--mesh" => Some(Of::Mesh),
            "--mesh-vulkan" => Some(Of::MeshVulkan),
            _ => None,
        }
    }
}

pub(super) fn run(of: Of, arguments: &[String]) -> Result<(), String> {
    let campaign = Campaign::read(arguments, 10_000, 1)?;
    let start = Instant::now();
    let on = match of {
        Of::Pixels | Of::Mesh => On::Host(suite::engines::sets()),
        Of::MeshVulkan => On::Device(vulkan()?),
    };
    let ran = AtomicU64::new(0);
    campaign.each(|seed, _, statistics| {
        let count =
            try_seed(of, seed, &on, statistics).map_err(|what| format!("seed {seed}, {what}"))?;
        ran.fetch_add(count, Ordering::Relaxed);
        Ok(())
    })?;
    let what = match of {
        Of::Pixels => "pixel shaders",
        Of::Mesh | Of::MeshVulkan => "mesh shaders",
    };
    let ran = ran.into_inner();
    println!(
        "{ran} {what} of {} programs agree, {:.0} s",
        campaign.runs,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The first Vulkan device.
pub(super) fn vulkan() -> Result<Device, String> {
    Device::with_engine(Adapter::reference(), Engine::Vulkan).map_err(|why| why.to_string())
}

/// Where shaders run.
enum On {
    Host(Vec<Isa>),
    Device(Device),
}

/// Compares one generated program, and returns how often it ran; the error says what differs.
fn try_seed(of: Of, seed: u64, on: &On, statistics: &mut Statistics) -> Result<u64, String> {
    let sets = match on {
        On::Host(sets) => sets,
        On::Device(device) => {
            let mut ran = 0;
            for width in device.adapter().wave_lane_count.iter() {
                let program = generate::meshlets(seed, width, statistics);
                ran += u64::from(meshlets::drawn(&program, width, device)?.is_some());
            }
            return Ok(ran);
        }
    };
    let width = suite::width_of(seed);
    if of == Of::Mesh {
        let program = generate::meshlets(seed, width, statistics);
        return meshlets::compare(&program, width, sets).map(|_| 1);
    }
    let program = generate::pixels(seed, width, statistics);
    let expected = second::evaluate(&program, width);
    let got = pixels::log_of(&program, width, sets);
    if got.as_ref() == Ok(&expected) {
        return Ok(1);
    }
    let text = generate::print(&program);
    let what = got.err().unwrap_or_else(|| "the logs differ".to_owned());
    Err(format!("width {width}: {what}\n{text}"))
}
