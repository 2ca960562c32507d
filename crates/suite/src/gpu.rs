//! Whether a GPU gives the same bits as the reference engine for a generated program.
//!
//! Programs are well defined by construction and their floats are small whole numbers, so that nothing is left open to a
//! device: every difference is ours, the compiler's of the driver, or the hardware's.

use device::{Adapter, Buffer, Device, Dispatch, DispatchError, NoIncludes, ResourceTable, Shader};

use crate::generate::{self, Statistics};
use crate::run;

/// What came of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// The device or the emitter does not do that.
    Unsupported(String),
    Different(String),
}

/// Runs the generated program of that seed on both, at one width. `Err` says that the program itself is at fault.
pub fn try_seed(
    gpu: &Device,
    seed: u64,
    width: u32,
    statistics: &mut Statistics,
) -> Result<(Outcome, String), String> {
    let program = generate::program(seed, width, statistics);
    let text = generate::print(&program);
    let bytes = program.threads as usize * program.places * 4;
    let flags = ["-enable-16bit-types", "--dialect", "slang"].map(str::to_owned);
    let mut options = run::options(&flags)?;
    options.shader_model = (6, 10);
    let compiled = Shader::compile("generated.hlsl", &text, &options, &mut NoIncludes)
        .map_err(|bug| bug.to_string())?;
    let shader = compiled.shader.ok_or_else(|| format!("seed {seed} does not compile:\n{text}"))?;
    let reference = Device::new(Adapter::reference());
    let wanted = dispatched(&reference, &shader, bytes, width)
        .map_err(|error| format!("seed {seed}: {error}\n{text}"))?;
    let outcome = match dispatched(gpu, &shader, bytes, width) {
        Ok(got) if got == wanted => Outcome::Same,
        Ok(got) => Outcome::Different(difference(&got, &wanted, program.places)),
        Err(DispatchError::Unsupported(what)) => {
            Outcome::Unsupported(format!("{}: {}", what.asked, what.missing))
        }
        Err(error) => Outcome::Different(error.to_string()),
    };
    Ok((outcome, text))
}

fn dispatched(
    device: &Device,
    shader: &Shader,
    bytes: usize,
    width: u32,
) -> Result<Vec<u8>, DispatchError> {
    let unsupported = |missing: String| {
        let asked = "the program".to_owned();
        DispatchError::Unsupported(device::Unsupported { asked, missing })
    };
    let pipeline =
        device.create_compute_pipeline(shader).map_err(|error| unsupported(error.to_string()))?;
    let mut table = ResourceTable::new(shader);
    let names: Vec<String> = shader.resources().iter().map(|it| it.name.clone()).collect();
    for name in &names {
        let buffer = Buffer { bytes: vec![0; bytes], ..Buffer::default() };
        table.bind(name, 0, buffer).map_err(|error| unsupported(error.to_string()))?;
    }
    let dispatch = Dispatch {
        wave_size: Some(width),
        fuel: Some(1 << 30),
        lane_order: Some(device::LaneOrder::Linear),
        ..Dispatch::new([1, 1, 1])
    };
    pipeline.dispatch(&dispatch, &mut table)?;
    let first = names.first().and_then(|name| table.get(name, 0));
    Ok(first.map(|it| it.bytes.clone()).unwrap_or_default())
}

/// The first word that differs, by the thread that wrote it.
fn difference(got: &[u8], wanted: &[u8], places: usize) -> String {
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
    };
    let (got, wanted) = (words(got), words(wanted));
    let differing: Vec<usize> = (0..got.len()).filter(|at| got[*at] != wanted[*at]).collect();
    let first = differing.first().copied().unwrap_or(0);
    format!(
        "{} of {} words differ; first place {} of thread {}: {:#x}, not {:#x}",
        differing.len(),
        got.len(),
        first % places.max(1),
        first / places.max(1),
        got[first],
        wanted[first]
    )
}
