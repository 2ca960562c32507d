//! Every section of the suite that compiles, and generated programs, are emitted as SPIR-V for several environments, what a
//! device is given among them, and `spirv-val` looks at it.
//!
//! `SPIRV_VAL` names the validator, else the one on the path is taken. Without one the test prints that it skips, and
//! emits all the same. A validator that does not know maximal reconvergence gets the modules without it, and the test says
//! so. What is not emitted is counted by its reason, and the counts are printed.

#![expect(clippy::print_stdout, reason = "what is skipped or missing must be seen")]

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use ir::Module;
use spirv::{Bound, Environment, Extension, Floats, NoDebug, Numbering, Vulkan};

const WIDTH: u32 = 32;
/// Generated programs; `cargo xtask fuzz --vulkan --keep 1` writes down as many as you like.
const PROGRAMS: u64 = 400;

/// The path of a validator that runs, if there is one.
fn validator() -> Option<String> {
    let path = std::env::var("SPIRV_VAL").unwrap_or_else(|_| "spirv-val".to_owned());
    let runs = Command::new(&path).arg("--version").stdout(Stdio::null()).status();
    runs.is_ok_and(|it| it.success()).then_some(path)
}

fn validate(path: &str, bytes: &[u8], vulkan: Vulkan) -> Result<(), String> {
    let mut process = Command::new(path)
        .args(["--target-env", vulkan.name(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut input) = process.stdin.take() {
        // A validator that has seen enough stops reading.
        drop(input.write_all(bytes));
    }
    let output = process.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// The smallest module that asks for maximal reconvergence.
fn probe() -> Module {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = WaveActiveSum(i); }";
    let compiled = suite::run::compile_text("probe.hlsl", text, &hlsl::Options::default());
    compiled.module.expect("the probe compiles")
}

/// The smallest module that asks for a device's own derivatives.
fn deriving() -> Module {
    let text = "Texture2D<float> Tex; SamplerState S; RWStructuredBuffer<float> Out;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {
            Out[i] = Tex.CalculateLevelOfDetail(S, float2(i, i));
        }";
    let compiled = suite::run::compile_text("probe.hlsl", text, &hlsl::Options::default());
    compiled.module.expect("the probe compiles")
}

fn environments(reconverges: bool, derives: bool, newest: Vulkan) -> Vec<Environment> {
    let plain: Vec<Extension> =
        reconverges.then_some(Extension::MaximalReconvergence).into_iter().collect();
    let partitions = [Extension::SubgroupPartitioned];
    let derivatives = derives.then_some(Extension::ComputeDerivatives);
    let all: Vec<Extension> = plain.iter().copied().chain(partitions).chain(derivatives).collect();
    [(Vulkan::V1_1, plain.clone(), false), (Vulkan::V1_3, plain, true), (newest, all, false)]
        .into_iter()
        .map(|(vulkan, extensions, exact)| Environment {
            vulkan,
            extensions,
            exact,
            short_words: exact,
            zero_groupshared: exact,
            bound: Vec::new(),
            numbering: Numbering::Counted,
            floats: Floats::ALL,
        })
        .collect()
}

/// Formats that a host may bind, so that every conversion is emitted somewhere.
fn bound(module: &Module) -> Vec<Bound> {
    let formats = ["RGBA8_UNORM", "RG16_SNORM", "RGBA8_SRGB", "RGB10A2_UINT", "R16_SINT"];
    let suits = |resource: &ir::Resource, name: &str| match &resource.kind {
        ir::ResourceKind::Texture { element, .. } | ir::ResourceKind::Typed { element, .. } => {
            let is_float = matches!(element.scalar, ir::HostScalar::F16 | ir::HostScalar::F32);
            is_float != name.ends_with("INT")
        }
        _ => false,
    };
    let one = |(index, resource): (usize, &ir::Resource)| {
        let mut names = formats.iter().cycle().skip(index).take(formats.len());
        let name = names.find(|it| suits(resource, it));
        let format = name.and_then(|it| ops::texture::Format::parse(it));
        Bound { format, single: true, whole_levels: index % 2 == 0 }
    };
    module.resources.iter().enumerate().map(one).collect()
}

/// Everything that the suite compiles, with its name.
fn modules() -> Vec<(String, Module)> {
    let mut all = Vec::new();
    for file in suite::files(&suite::folder()) {
        for section in suite::read(&file).expect("the suite can be read") {
            let width = if section.widths.contains(&WIDTH) { WIDTH } else { section.widths[0] };
            let compiled = suite::run::compile(&section, width).expect("the flags are known");
            let is_compute = suite::run::options(&section.flags)
                .is_ok_and(|it| it.stage == hlsl::Stage::Compute);
            if let (Some(module), true) = (compiled.module, is_compute) {
                all.push((section.name, module));
            }
        }
    }
    all
}

/// What the generator makes, which a GPU is compared on.
fn generated() -> Vec<(String, Module)> {
    let mut programs = suite::gpu::Generated::new(WIDTH);
    let module = |seed| {
        let text = programs.section(seed);
        let sections = suite::section::read("generated.hlsl", &text).expect("it is a section");
        let compiled = suite::run::compile(&sections[0], WIDTH).expect("the flags are known");
        (format!("seed {seed}"), compiled.module.expect("a generated program compiles"))
    };
    (0..PROGRAMS).map(module).collect()
}

#[test]
fn every_section_that_compiles_is_emitted_and_validates() {
    let path = validator();
    let knows_of = |probe: Module, vulkan, extensions| {
        let environment =
            Environment { vulkan, extensions, floats: Floats::ALL, ..Environment::default() };
        let module = spirv::emit(&probe, &environment, &NoDebug).expect("the probe is emitted");
        path.as_ref().is_none_or(|it| validate(it, &module.bytes(), vulkan).is_ok())
    };
    let knows = |vulkan, extensions| knows_of(probe(), vulkan, extensions);
    let derives = knows_of(deriving(), Vulkan::V1_3, vec![Extension::ComputeDerivatives]);
    let reconverges = knows(Vulkan::V1_3, vec![Extension::MaximalReconvergence]);
    let newest = if knows(Vulkan::V1_4, Vec::new()) { Vulkan::V1_4 } else { Vulkan::V1_3 };
    match &path {
        None => println!("skipped: there is no spirv-val, so the modules are emitted only"),
        Some(path) if !reconverges => {
            println!("{path} does not know maximal reconvergence: validated without it");
        }
        Some(path) if !derives => {
            println!("{path} does not know Khronos's derivatives: validated without them");
        }
        Some(_) => {}
    }
    let modules = [modules(), generated()].concat();
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut emitted = 0;
    for (name, module) in &modules {
        for mut environment in environments(reconverges, derives, newest) {
            environment.bound = bound(module);
            let made = match spirv::emit(module, &environment, &NoDebug) {
                Ok(made) => made,
                Err(unsupported) => {
                    *missing.entry(unsupported.what).or_default() += 1;
                    continue;
                }
            };
            let vulkan = environment.vulkan;
            if let Some(path) = &path
                && let Err(what) = validate(path, &made.bytes(), vulkan)
            {
                failures.push(format!("{name} for {}: {what}", vulkan.name()));
                break;
            }
            emitted += usize::from(environment.exact);
        }
    }
    println!("{emitted} of {} modules emitted; not emitted: {missing:?}", modules.len());
    assert!(emitted > 0, "nothing was emitted");
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_validator_objects_to_what_is_wrong() {
    let Some(path) = validator() else {
        println!("skipped: there is no spirv-val");
        return;
    };
    let environment = Environment { extensions: Vec::new(), ..Environment::default() };
    let module = spirv::emit(&probe(), &environment, &NoDebug).expect("the probe is emitted");
    assert_eq!(validate(&path, &module.bytes(), Vulkan::V1_3), Ok(()));
    let cut = &module.bytes()[..4 * (module.words.len() - 1)];
    assert!(validate(&path, cut, Vulkan::V1_3).is_err());
}
