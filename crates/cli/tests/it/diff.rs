//! `wavelane diff` as scripts see it. Tests that need a Vulkan device print that there is none, and check nothing.

use crate::support;

use std::path::{Path, PathBuf};

use serde_json::Value;

use support::Ran;

const SUM: &str = "RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = WaveActiveSum(t * t);
}
";
const SHADER: &str = "a.hlsl --bind Out=[32]";

/// Runs `wavelane` in a separate folder with these files.
fn wavelane(name: &str, files: &[(&str, &[u8])], line: &str, vulkan: bool) -> Ran {
    let folder = support::folder(&format!("diff/{name}"), files);
    let mut command = support::command(&folder, &support::words(line));
    if !vulkan {
        // A loader that finds no driver, or no loader: the same for the user.
        command.env("VK_DRIVER_FILES", "/nowhere").env("VK_ICD_FILENAMES", "/nowhere");
    }
    command.output().unwrap().into()
}

#[test]
fn flags_that_name_nothing_are_refused() {
    for (line, said) in [
        (format!("{SHADER} --unordered Other"), "no buffer `Other` is bound"),
        (format!("{SHADER} --filter x"), "`--filter` is for tests, and a shader is named"),
        ("empty.yaml".to_owned(), "there is no test in `empty.yaml`"),
    ] {
        let files = [("a.hlsl", SUM.as_bytes()), ("empty.yaml", b"".as_slice())];
        let ran = wavelane("named", &files, &format!("diff {line}"), false);
        assert!(ran.status == 2 && ran.err.contains(said), "{line}: {}", ran.err);
    }
}

fn folder(name: &str) -> PathBuf {
    support::folder::<&str>(&format!("diff/{name}"), &[])
}

fn on_host(name: &str, line: &str) -> Ran {
    wavelane(name, &[("a.hlsl", SUM.as_bytes())], &format!("diff {line}"), false)
}

/// Whether this machine has a device of Vulkan that can be used.
fn has_device() -> bool {
    let caps = support::wavelane(Path::new("."), &["caps", "--format", "json"]).json();
    let has = caps["devices"].as_array().unwrap().iter().any(|it| it["unusable"].is_null());
    if !has {
        skipped::skipped!("no device of Vulkan can be used here");
    }
    has
}

#[test]
fn engines_of_this_machine_agree_on_shaders_and_on_tests() {
    let ran = on_host("agree", &format!("{SHADER} --engines interp,cpu --wave-size 4,64"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(ran.out, "2 comparisons: 2 agree, 0 disagree\n");
    let ran = on_host("agree", &format!("{SHADER} --engines cpu"));
    assert_eq!(ran.out, "agree: a.hlsl with waves of 32 lanes: interp, cpu\n");

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let suite = root.join("suite/wave/reduce/WaveActiveSum.hlsl");
    let ran = on_host("agree", &format!("{} --engines interp,cpu -j 1", suite.display()));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with(" agree, 0 disagree\n"), "{}", ran.out);
}

#[test]
fn without_vulkan_no_test_meant_for_it_passes() {
    let ran = on_host("missing", &format!("{SHADER} --engines interp,cpu,vulkan"));
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("vulkan: unsupported: the engine `vulkan`"), "{}", ran.out);
    assert!(ran.out.contains("agree: a.hlsl with waves of 32 lanes: interp, cpu\n"), "{}", ran.out);
    assert!(ran.out.contains("`vulkan` was not compared: "), "{}", ran.out);
    let ran = on_host("missing", &format!("{SHADER} --engines interp,vulkan"));
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("\nunsupported: a.hlsl"), "{}", ran.out);
    let ran = on_host("missing", &format!("{SHADER} --engines interp,cuda:none"));
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    // Without a word about engines there is no more than what is here.
    assert_eq!(on_host("missing", SHADER).status, 0);
}

#[test]
fn a_legalised_module_is_a_separate_side() {
    let ran =
        on_host("targets", &format!("{SHADER} --engines interp,interp:vulkan1.3,interp:cuda"));
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("interp:cuda"), "{}", ran.out);
}

#[test]
fn bad_input_is_reported_by_name() {
    for (line, message) in [
        (format!("{SHADER} --engines interp,gpu"), "`gpu` is not an engine"),
        (format!("{SHADER} --engines interp,cpu,cpu"), "names `cpu` twice"),
        (format!("{SHADER} --engines interp"), "nothing to compare the reference engine with"),
        (format!("{SHADER} --engines interp,cpu:mmx"), "`cpu` has no `mmx`"),
        (format!("{SHADER} --engines interp:dx12"), "`dx12` is not a target"),
        ("missing.hlsl".to_owned(), "`missing.hlsl` cannot be read"),
        ("a.hlsl".to_owned(), "nothing is bound to `Out`"),
        ("a.hlsl --bind Ou=[32]".to_owned(), "did you mean `Out`?"),
        (format!("{SHADER} --spirv none.spv"), "`none.spv` cannot be read"),
        (format!("{SHADER} --spirv a.hlsl"), "it is not a module of SPIR-V or PTX"),
        (format!("{SHADER} --format sarif"), "the choices are text, json, github, junit"),
    ] {
        let ran = on_host("bad", &line);
        assert_eq!(ran.status, 2, "{line}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(message), "{line}: {}", ran.err);
    }
    // Another compiler's kernel needs the engine that runs it.
    let kernel = b".version 7.0\n.entry main(.param .u64 out) { ret; }".as_slice();
    let line = format!("diff {SHADER} --engines interp,cpu --ptx a.ptx");
    let ran = wavelane("bad", &[("a.ptx", kernel)], &line, false);
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("`--ptx` needs a device to run it on"), "{}", ran.err);
    let broken = [("b.hlsl", b"void main() { return 1 }".as_slice())];
    let ran = wavelane("bad", &broken, "diff b.hlsl", false);
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    let endless = SUM.replace("Out[t] =", "while (Out[0] == 0) {} Out[t] =");
    let ran = wavelane(
        "bad",
        &[("c.hlsl", endless.as_bytes())],
        "diff c.hlsl --bind Out=[32] --fuel 10000",
        false,
    );
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("not run: c.hlsl"), "{}", ran.out);
}

#[test]
fn reports_for_machines_are_whole() {
    let line = format!("{SHADER} --engines interp,cpu,vulkan");
    let ran = on_host("formats", &format!("{line} --format json"));
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.out));
    let comparison = &report["comparisons"][0];
    assert_eq!(comparison["verdict"], "agree");
    assert_eq!(comparison["engines"][0]["result"], "same");
    assert_eq!(comparison["engines"][1]["result"], "unsupported");
    assert_eq!(report["summary"]["agree"], 1);
    let ran = on_host("formats", &format!("{line} --format junit"));
    assert!(
        ran.out.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""),
        "{}",
        ran.out
    );
    let ran = on_host("formats", &format!("{SHADER} --engines vulkan --format junit"));
    assert!(ran.out.contains("<skipped message="), "{}", ran.out);
    let ran = on_host("formats", &format!("{line} --format github"));
    assert_eq!(ran.out, "");
}

#[test]
fn hostile_modules_give_a_message() {
    let folder = folder("hostile");
    std::fs::write(folder.join("a.hlsl"), SUM).unwrap();
    let emitted = wavelane("hostile", &[], "emit a.hlsl --spirv -Fo a.spv", false);
    assert_eq!(emitted.status, 0, "{}", emitted.err);
    let whole = std::fs::read(folder.join("a.spv")).unwrap();
    let mut huge = whole.clone();
    huge[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut long = whole.clone();
    long[22..24].copy_from_slice(&u16::MAX.to_le_bytes());
    let mut empty = whole.clone();
    empty[20..24].copy_from_slice(&[0; 4]);
    let noise: Vec<u8> =
        (0..4096u32).map(|it| (it.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (name, bytes) in [
        ("no bytes", Vec::new()),
        ("noise", noise),
        ("half", whole[..whole.len() / 8 * 4].to_vec()),
        ("not a multiple of 4", whole[..whole.len() - 1].to_vec()),
        ("the header alone", whole[..20].to_vec()),
        ("a huge bound", huge),
        ("an instruction that never ends", long),
        ("an instruction of no words", empty),
    ] {
        let line = format!("diff {SHADER} --spirv b.spv");
        let ran = wavelane("hostile", &[("b.spv", &bytes)], &line, false);
        assert_eq!(ran.status, 2, "{name}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("`b.spv`"), "{name}: {}", ran.err);
    }
}

/// The module that is emitted for a shader.
fn emitted(name: &str, text: &str) -> Vec<u8> {
    let files = [("e.hlsl", text.as_bytes())];
    let ran = wavelane(name, &files, "emit e.hlsl --spirv -Fo e.spv", false);
    assert_eq!(ran.status, 0, "{}", ran.err);
    std::fs::read(folder(name).join("e.spv")).unwrap()
}

/// A module with one opcode in the place of another.
fn flipped(module: &[u8], from: u16, to: u16) -> Vec<u8> {
    let mut flipped = module.to_vec();
    let (mut at, mut count) = (20, 0);
    while at < flipped.len() {
        let word = |at: usize| u16::from_le_bytes([module[at], module[at + 1]]);
        if word(at) == from {
            flipped[at..at + 2].copy_from_slice(&to.to_le_bytes());
            count += 1;
        }
        at += 4 * usize::from(word(at + 2));
    }
    assert_eq!(count, 1, "the opcode {from} stands once");
    flipped
}

#[test]
fn another_compilers_module_is_distinguished_from_the_driver() {
    if !has_device() {
        return;
    }
    let folder = folder("foreign");
    let right = emitted("foreign", SUM);
    // Sums become maxima: GroupNonUniformIAdd, GroupNonUniformUMax.
    let wrong = flipped(&right, 349, 357);
    let files = [("a.hlsl", SUM.as_bytes()), ("right.spv", &right), ("wrong.spv", &wrong)];
    let ran = wavelane("foreign", &files, &format!("diff {SHADER} --spirv right.spv"), true);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains(": interp, cpu, vulkan, right.spv\n"), "{}", ran.out);
    // Both modules are measured, by the device's clock, and what they leave is compared.
    for (other, status, said) in [
        ("right.spv", 0, " of its time, with the same results\n"),
        ("wrong.spv", 1, "\n             its results differ: Out[0] is "),
    ] {
        let line = format!("bench {SHADER} --engine vulkan --rounds 2 --spirv {other}");
        let measured = wavelane("foreign", &[], &line, true);
        assert_eq!(measured.status, status, "{}{}", measured.out, measured.err);
        let beside = format!("\n             the module `{other}`: wavelane's takes ");
        assert!(measured.out.contains(&beside), "{}", measured.out);
        assert!(measured.out.contains(said), "{}", measured.out);
    }

    let line = format!("diff {SHADER} --spirv wrong.spv --repro repro.test");
    let ran = wavelane("foreign", &[], &line, true);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    let whose =
        "whose: the compiler that made `wrong.spv`: wavelane's module agrees on the same device";
    assert!(ran.out.contains(whose), "{}", ran.out);
    assert!(ran.out.contains("repro: repro.test"), "{}", ran.out);
    let text = std::fs::read_to_string(folder.join("repro.test")).unwrap();
    let command = text.lines().find_map(|it| it.split_once("wavelane ")).unwrap().1;
    assert!(
        command.starts_with("diff repro.test --engines interp,vulkan --spirv wrong.spv"),
        "{text}"
    );
    let again = wavelane("foreign", &[], &format!("{command} --repro again.test"), true);
    assert_eq!(again.status, 1, "{}{}", again.out, again.err);
    assert!(again.out.contains("`wrong.spv` and `interp` differ"), "{}", again.out);

    // Our own module of the same text is right, and an older file is not overwritten in silence.
    let fine = wavelane("foreign", &[], "diff repro.test --engines interp,vulkan", true);
    assert_eq!(fine.status, 0, "{}{}", fine.out, fine.err);
    let ran = wavelane("foreign", &[], &line, true);
    assert!(ran.err.contains("`repro.test` is overwritten"), "{}", ran.err);
}

#[test]
fn another_compilers_module_gets_textures_in_the_formats_that_it_names() {
    if !has_device() {
        return;
    }
    let text = "Texture2D<float4> T : register(t0);
        SamplerState S : register(s0);
        RWTexture2D<float4> U : register(u1);
        RWStructuredBuffer<float4> Out : register(u0);
        [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
            Out[i] = T.SampleLevel(S, float2((i + 0.5) / 8, 0.5), 0);
            U[uint2(i, 0)] = WaveActiveSum(U[uint2(i, 0)]) + Out[i];
        }";
    let name = "foreign-textures";
    // A module for Vulkan 1.1 names the format that the source declares: four floats.
    let line = "emit a.hlsl --spirv -fspv-target-env=vulkan1.1 -Fo b.spv";
    let ran = wavelane(name, &[("a.hlsl", text.as_bytes())], line, false);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let bound = "--bind S=nearest --bind Out=[8] --bind T=RGBA32_FLOAT[8x1]:iota";
    let line = format!("diff a.hlsl --spirv b.spv {bound} --bind U=");
    let ran = wavelane(name, &[], &format!("{line}RGBA32_FLOAT[8x1]:iota"), true);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains(": interp, cpu, vulkan, b.spv\n"), "{}", ran.out);
    let ran = wavelane(name, &[], &format!("{line}RGBA16_FLOAT[8x1]"), true);
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    let why = "`U` of RGBA16_FLOAT: the module requires texels of the format Rgba32f";
    assert!(ran.out.contains(why), "{}", ran.out);
}

#[test]
fn a_module_of_another_shader_is_bad_input() {
    if !has_device() {
        return;
    }
    let other = emitted("other", &SUM.replace("numthreads(32", "numthreads(64"));
    let files = [("a.hlsl", SUM.as_bytes()), ("b.spv", &other)];
    let ran = wavelane("other", &files, &format!("diff {SHADER} --spirv b.spv"), true);
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("64×1×1 threads, and the shader's 32×1×1"), "{}", ran.out);
}
