//! Every section of the suite that compiles, and generated programs, are emitted as SPIR-V for every version of
//! Vulkan, in the ways that `suite::validate` lists, and validated by `spirv-val`.
//!
//! `SPIRV_VAL` names the validator, otherwise the one on the path is used. Without one the test prints that it
//! skips, and still emits. A validator that does not know an extension gets the modules without it, and the test
//! says so.
//! Modules that are not emitted are counted by reason, and the counts are printed.

#![expect(clippy::print_stdout, reason = "what is skipped or missing must be seen")]

use std::collections::BTreeMap;

use ir::Module;
use spirv::{NoDebug, Vulkan};
use suite::validate::{Validator, Verdict, Ways, environment, sections};

const WIDTH: u32 = 32;
/// Generated programs; `cargo xtask fuzz --spirv` runs as many as you like.
const PROGRAMS: u64 = 400;

/// The generator's programs, with which GPUs are compared.
fn generated() -> Vec<(String, Module)> {
    let mut programs = suite::gpu::Generated::new(WIDTH);
    let module = |seed| {
        let module = programs.module(seed).expect("a generated program compiles");
        (format!("seed {seed}"), module)
    };
    (0..PROGRAMS).map(module).collect()
}

#[test]
fn every_section_that_compiles_is_emitted_and_validates() {
    let validator = Validator::find();
    match &validator {
        None => println!("skipped: there is no spirv-val, so the modules are emitted only"),
        Some(it) if !it.shortcomings().is_empty() => {
            println!("{} does not know {}", it.path(), it.shortcomings().join(", "));
        }
        Some(_) => {}
    }
    let modules = [sections(WIDTH).expect("the suite can be read"), generated()].concat();
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut emitted = 0;
    for (number, (name, module)) in modules.iter().enumerate() {
        for (turn, vulkan) in Vulkan::ALL.into_iter().enumerate() {
            // Neighbours alternate, so that each version gets modules emitted in each way.
            let ways = Ways::ALL[(number + turn) % Ways::ALL.len()];
            let verdict = match &validator {
                Some(it) if it.versions().contains(&vulkan) => it.judge(module, vulkan, ways),
                _ => match spirv::emit(module, &environment(vulkan, ways), &NoDebug) {
                    Ok(_) => Verdict::Valid,
                    Err(unsupported) => Verdict::NotEmitted(unsupported.what),
                },
            };
            match verdict {
                Verdict::Valid => emitted += 1,
                Verdict::NotEmitted(what) => *missing.entry(what).or_default() += 1,
                Verdict::Invalid(what) => {
                    failures.push(format!("{name} for {}, {ways:?}: {what}", vulkan.name()));
                }
            }
        }
    }
    let all = modules.len() * Vulkan::ALL.len();
    println!("{emitted} of {all} modules emitted; not emitted: {missing:?}");
    // Only levels of detail need an extension.
    let known = "levels of detail without SPV_KHR_compute_shader_derivatives";
    assert!(missing.keys().all(|it| *it == known), "{missing:?}");
    assert!(emitted > all * 9 / 10, "{emitted} of {all}");
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_validator_rejects_invalid_modules() {
    let Some(validator) = Validator::find() else {
        println!("skipped: there is no spirv-val");
        return;
    };
    let module = &generated()[0].1;
    let environment = validator.environment(Vulkan::V1_3, Ways::ALL[0]);
    let made = spirv::emit(module, &environment, &NoDebug).expect("it is emitted");
    assert_eq!(validator.validate(&made.bytes(), Vulkan::V1_3), Ok(()));
    let cut = &made.bytes()[..4 * (made.words.len() - 1)];
    assert!(validator.validate(cut, Vulkan::V1_3).is_err());
}
