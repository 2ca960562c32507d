//! Compares a GPU with the reference engine on generated programs, bit for bit, and reduces programs for which they
//! differ.
//!
//! Programs are well defined by construction and their floats are small integers, so that the device has no
//! freedom: every difference is an error of ours, of the driver's compiler, or of the hardware. A reduced program
//! is no longer well defined by construction, so the sanitizer must find nothing in it.

use interp::NoObserver;
use ir::Module;
use ir::exec::{Bindings, Launch};
use jobs::{shrink, shrink_expressions};
use sanitizer::{Plan, Verdict};
use spirv::{Environment, NoDebug};
use wavelane::internal::{Slot, Slots};
use wavelane::{Device, Dispatch, DispatchError, NoIncludes, ResourceTable, Shader};

use crate::engines::Programs;
use crate::run;
use crate::section::Section;
use generate::Statistics;

/// Generated programs end soon; reduced ones may not.
const FUEL: u64 = 1 << 20;

/// The outcome for a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// The device or the emitter does not support it.
    Unsupported(String),
    Different(String),
    /// The dispatch did not finish, and the device can no longer be used.
    Lost(String),
}

/// The generated programs, as sections of the suite, which depend on their seeds alone, regardless of the order of
/// requests.
///
/// The generator prefers what it has used least, so that a program depends on earlier ones: here on those of the
/// same thousand seeds.
pub struct Generated {
    width: u32,
    /// The seed for which the statistics are ready.
    next: u64,
    statistics: Statistics,
}

impl Generated {
    pub fn new(width: u32) -> Generated {
        Generated { width, next: 0, statistics: Statistics::default() }
    }

    pub fn section(&mut self, seed: u64) -> String {
        let first = seed - seed % 1000;
        if !(first..=seed).contains(&self.next) {
            (self.next, self.statistics) = (first, Statistics::default());
        }
        while self.next < seed {
            generate::program(self.next, self.width, &mut self.statistics);
            self.next += 1;
        }
        self.next += 1;
        Programs::Generated.section(seed, self.width, &mut self.statistics)
    }

    pub fn module(&mut self, seed: u64) -> Result<Module, String> {
        let text = self.section(seed);
        compiled(&text, self.width).map(|it| it.1)
    }
}

/// Runs a text of one section on both, at one width. `Err` means that the text itself is at fault.
pub fn compare(gpu: &Device, text: &str, width: u32) -> Result<Outcome, String> {
    let (section, module) = compiled(text, width)?;
    let mut wanted = run::inputs(&section, &module)?;
    let launch = Launch { fuel: Some(FUEL), ..run::launch(&section, &module, width) };
    interp::run(&module, &launch, &mut wanted, &mut NoObserver)
        .map_err(|failure| format!("the reference engine: {failure:?}"))?;
    let mut options = run::options(&section.flags)?;
    options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
    let shader = Shader::compile(&section.file, &section.source(), &options, &mut NoIncludes)
        .map_err(|bug| bug.to_string())?;
    let shader = shader.shader.ok_or("it does not compile for a device")?;
    Ok(match dispatched(gpu, &shader, &section, &module, width) {
        Ok(got) => match difference(&module, &wanted, &got) {
            None => Outcome::Same,
            Some(what) => Outcome::Different(what),
        },
        Err(DispatchError::Unsupported(what)) => {
            Outcome::Unsupported(format!("{}: {}", what.asked, what.missing))
        }
        Err(DispatchError::WaveSize { .. }) => {
            Outcome::Unsupported(format!("waves of {width} lanes"))
        }
        Err(error) => Outcome::Lost(error.to_string()),
    })
}

/// The smallest text that still fails and is well defined: without superfluous lines and parts of expressions.
/// Only texts that pass the sanitizer are tried, and none once the time is up.
pub fn smallest(
    text: &str,
    width: u32,
    has_time: impl Fn() -> bool,
    fails: impl Fn(&str) -> bool,
) -> String {
    let fails = |text: &str| has_time() && is_defined(text, width) && fails(text);
    let mut text = shrink(text, fails);
    loop {
        let smaller = shrink(&shrink_expressions(&text, fails), fails);
        if smaller.len() >= text.len() {
            return text;
        }
        text = smaller;
    }
}

/// The words that a device would get.
pub fn words(text: &str, width: u32, environment: &Environment) -> Result<Vec<u8>, String> {
    let (_, module) = compiled(text, width)?;
    let emitted = spirv::emit(&module, environment, &NoDebug).map_err(|it| it.asked)?;
    Ok(emitted.bytes())
}

/// The kernel that a device of CUDA would get.
pub fn kernel(text: &str, width: u32) -> Result<String, String> {
    let (_, module) = compiled(text, width)?;
    let environment = ptx::KernelEnvironment::for_device(ptx::KernelEnvironment::LEAST);
    let environment = environment.ok_or("the least capability has no name")?;
    let environment = ptx::KernelEnvironment { width, ..environment };
    ptx::emit(&module, &environment, &NoDebug).map(|it| it.text).map_err(|it| it.asked)
}

fn compiled(text: &str, width: u32) -> Result<(Section, Module), String> {
    let mut sections = crate::section::read("generated.hlsl", text)?;
    let (Some(section), true) = (sections.pop(), sections.is_empty()) else {
        return Err("it is not a single section".to_owned());
    };
    let module = run::compile(&section, width)?.module.ok_or("it does not compile")?;
    Ok((section, module))
}

/// Whether a text passes the sanitizer at that width.
fn is_defined(text: &str, width: u32) -> bool {
    let Ok((section, module)) = compiled(text, width) else { return false };
    let Ok(bindings) = run::inputs(&section, &module) else { return false };
    let launch = Launch { fuel: Some(FUEL), ..run::launch(&section, &module, width) };
    let report = sanitizer::examine(&module, &launch, &bindings, &Plan::new(vec![width]));
    report
        .is_ok_and(|it| it.seen.iter().all(|it| it.finding.kind.verdict() == Verdict::Portability))
}

fn dispatched(
    gpu: &Device,
    shader: &Shader,
    section: &Section,
    module: &Module,
    width: u32,
) -> Result<Vec<Vec<u8>>, DispatchError> {
    let unsupported = |missing: String| {
        let asked = "the program".to_owned();
        DispatchError::Unsupported(wavelane::Unsupported { asked, missing })
    };
    let pipeline =
        gpu.create_compute_pipeline(shader).map_err(|error| unsupported(error.to_string()))?;
    let mut table = ResourceTable::new(shader);
    for resource in &module.resources {
        let bytes = section.input(&resource.name, 0).map(|it| it.bytes.clone());
        let buffer = Slot { bytes: bytes.unwrap_or_default().into(), ..Slot::default() };
        table.bind_at(&resource.name, 0, buffer).map_err(|error| unsupported(error.to_string()))?;
    }
    let dispatch = Dispatch {
        wave_size: Some(width),
        fuel: Some(1 << 30),
        lane_order: Some(ir::exec::LaneOrder::natural(module)),
        ..Dispatch::new(section.groups)
    };
    pipeline.dispatch(&dispatch, &table)?;
    let bytes = |name: &str| table.get(name, 0).map(|it| it.bytes.to_vec()).unwrap_or_default();
    Ok(module.resources.iter().map(|it| bytes(&it.name)).collect())
}

/// The number of differing words, and the first of them.
fn difference(module: &Module, wanted: &Bindings, got: &[Vec<u8>]) -> Option<String> {
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
    };
    module.resources.iter().zip(&wanted.bindings).zip(got).find_map(|((resource, wanted), got)| {
        let (wanted, got) = (words(&wanted.first()?.bytes), words(got));
        let differing: Vec<usize> = (0..got.len()).filter(|at| got[*at] != wanted[*at]).collect();
        let first = *differing.first()?;
        Some(format!(
            "{} of {} words of `{}` differ; the first is [{first}]: {:#x}, not {:#x}",
            differing.len(),
            got.len(),
            resource.name,
            got[first],
            wanted[first]
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_its_program_regardless_of_earlier_requests() {
        let alone = |seed| Generated::new(32).section(seed);
        let mut some = Generated::new(32);
        for seed in [7003, 7004, 7001, 8002, 7004] {
            assert_eq!(some.section(seed), alone(seed), "{seed}");
        }
        assert_ne!(alone(7003), alone(7004));
    }
}
