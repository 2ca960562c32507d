//! `wavelane dxc` as a build uses it: every requested output is written, or the exit status reports that it is not.

use crate::support;

use std::path::{Path, PathBuf};

use support::Ran;

const MAIN: &str = "
#include \"inc/Twice.hlsli\"
#define N 8
#define NEGATIVE -1
RWStructuredBuffer<float> Out;
#if N > 4
[numthreads(N, 1, 1)]
void main(uint i : SV_GroupIndex) { Out[i] = twice(i) -NEGATIVE; }
#endif
";
const TWICE: &str = "#include <Deep.hlsli>\nfloat twice(float x) { return x * TWO; }\n";

const STAGES: &str = "float4 PSMain(float4 p : SV_Position) : SV_Target { return p; }\n\
         [shader(\"vertex\")] float4 VSMain(float4 p : POSITION) : SV_Position { return p; }\n\
         struct V { float4 p : SV_Position; };\n\
         [maxvertexcount(1)] void GSMain(point V v[1], inout PointStream<V> s) { s.Append(v[0]); }\n";

/// A separate folder with a shader that includes files.
fn folder(name: &str) -> PathBuf {
    let files = [
        ("a.hlsl", MAIN),
        ("inc/Twice.hlsli", TWICE),
        ("inc/deep/Deep.hlsli", "#define TWO 2\n"),
        ("stages.hlsl", STAGES),
    ];
    support::fresh_folder(&format!("dxc/{name}"), &files)
}

fn run(folder: &Path, line: &str) -> Ran {
    support::wavelane(folder, &support::words(line))
}

fn has(folder: &Path, file: &str) -> bool {
    folder.join(file).exists()
}

#[test]
fn every_stage_and_library_is_checked() {
    let folder = folder("stages");
    for (line, status, says) in [
        ("dxc -T ps_6_6 -E PSMain stages.hlsl", 0, ""),
        ("dxc -T vs_6_6 -E VSMain stages.hlsl", 0, ""),
        ("dxc -T lib_6_6 stages.hlsl", 0, ""),
        ("dxc -T ps_6_6 -E Other stages.hlsl", 2, "Other"),
        ("dxc -T ps_5_1 -E PSMain stages.hlsl", 0, "`ps_5_1` is promoted to `ps_6_0`"),
        ("dxc -T cs_5_0 -I inc/deep a.hlsl", 0, "`cs_5_0` is promoted to `cs_6_0`"),
        ("dxc -T cs_5_2 -I inc/deep a.hlsl", 2, "the shader models are 6.0"),
        ("dxc -T cs_6_6 -I inc/deep -I nothere a.hlsl", 0, "there is no folder `nothere`"),
        ("check -I nothere -I inc/deep a.hlsl", 0, "there is no folder `nothere`"),
        ("dxc --version", 0, ""),
    ] {
        let ran = run(&folder, line);
        assert_eq!(ran.status, status, "{line}\n{}", ran.err);
        assert!(ran.err.contains(says), "{line}\n{}", ran.err);
        assert!(!says.is_empty() || ran.err.is_empty(), "{line}\n{}", ran.err);
    }
    assert!(run(&folder, "dxc --version").out.starts_with("wavelane "));
}

#[test]
fn an_output_is_written_or_the_status_says_that_it_is_not() {
    let folder = folder("outputs");
    for (line, status, says) in [
        ("-Fo o.cso", 3, "`-spirv` writes a SPIR-V module"),
        ("-Fc o.asm", 3, "`-Fc o.asm` cannot be written"),
        ("-Fh o.h", 3, "`-Fh o.h` cannot be written"),
        ("-Zi -Fd o.pdb", 3, "`-Fd o.pdb` is not supported"),
        ("-spirv -Fo o.spv -Fre o.ref", 3, "`-Fre o.ref` is not supported"),
        ("-Fsh o.hash", 3, "`-Fsh o.hash`"),
        ("-Frs o.rs", 3, "`-Frs o.rs`"),
        ("-dumpbin", 3, "DXIL is not read"),
        ("-link", 3, "DXIL libraries are not read"),
        ("-metal", 3, "`-metal` is not supported"),
        ("-Po", 3, "`-P -Fi FILE` writes what is preprocessed"),
        ("-ftime-trace", 3, "`wavelane bench` measures"),
        ("-ftime-trace=o.trace", 3, "`-ftime-trace=o.trace` is not supported"),
        ("-ftime-report", 3, "`wavelane bench` measures"),
        ("-print-after-all", 3, "`wavelane emit --ir` shows"),
        ("-print-before inline", 3, "`-print-before inline` is not supported"),
        ("-ast-dump-implicit", 3, "`wavelane emit --ir` shows"),
        ("-spirv -Fo o.spv -fspv-print-all", 3, "a listing of the module"),
        ("-spirv -Fo o.spv -fspv-reflect", 3, "FILE.json"),
        ("-spirv -Fo o.spv -fspv-preserve-bindings", 3, "what the entry point uses"),
        ("-spirv -Fo o.spv -fvk-auto-shift-bindings", 3, "`-fvk-bind-register`"),
        ("-spirv -Fo o.spv -fspv-flatten-resource-arrays", 3, "`-fvk-bind-register`"),
        ("-spirv -Fo o.spv -fspv-use-vulkan-memory-model", 3, "GLSL450"),
        // Without a module, its contents do not matter.
        ("-fspv-reflect -fvk-auto-shift-bindings", 0, ""),
        ("-Oconfig=-O -fvk-invert-y -fvk-stage-io-order=alpha -fvk-use-gl-layout", 0, ""),
        ("-fspv-nothing", 0, "`-fspv-nothing` is not known and is ignored"),
        ("-P -Fo o.cso", 3, "without `-P`"),
        ("-Fo o.cso --check-only", 0, ""),
        ("-Fo o.cso -E nothing", 2, "does not compile"),
    ] {
        let ran = run(&folder, &format!("dxc -T cs_6_6 -I inc/deep a.hlsl {line}"));
        assert_eq!(ran.status, status, "{line}\n{}", ran.err);
        assert!(ran.err.contains(says), "{line}\n{}", ran.err);
        let files = ["o.cso", "o.asm", "o.h", "o.pdb", "o.spv", "o.ref", "o.hash", "o.rs", "a.i"];
        for file in files.into_iter().chain(["o.trace"]) {
            assert!(!has(&folder, file), "{line} wrote {file}");
        }
    }
    let ran = run(&folder, "dxc -T gs_6_6 -E GSMain stages.hlsl -spirv -Fo geometry.spv");
    assert!(ran.status == 0 && has(&folder, "geometry.spv"), "{}", ran.err);
    let ran = run(&folder, "dxc -T ps_6_6 -E PSMain stages.hlsl -spirv -Fo pixel.spv");
    assert!(ran.status == 0 && has(&folder, "pixel.spv"), "{}", ran.err);
    // A folder that is not there.
    let ran = run(&folder, "dxc -T cs_6_6 -I inc/deep a.hlsl -spirv -Fo no/o.spv");
    assert!(ran.status == 2 && ran.err.contains("`no/o.spv` cannot be written"), "{}", ran.err);
}

#[test]
fn a_module_that_cannot_follow_its_flags_is_not_written() {
    let folder = folder("as-asked");
    let all = [
        "-fvk-invert-y",
        "-fvk-use-dx-position-w",
        "-fvk-stage-io-order=alpha",
        "-fvk-use-gl-layout",
    ];
    for (profile, refused) in [
        ("vs_6_6 -E VSMain", [true, false, true, true]),
        ("gs_6_6 -E GSMain", [true, false, true, true]),
        ("ps_6_6 -E PSMain", [false, true, true, true]),
        ("cs_6_6 -I inc/deep a.hlsl", [false, false, false, true]),
    ] {
        let file = if profile.contains("a.hlsl") { "" } else { "stages.hlsl" };
        for command in ["dxc -spirv", "emit --spirv"] {
            let line = format!("{command} -T {profile} {file}");
            let plain = run(&folder, &line);
            assert_eq!(plain.status, 0, "{line}: {}", plain.err);
            for (flag, refused) in all.into_iter().zip(refused) {
                let ran = run(&folder, &format!("{line} {flag}"));
                if refused {
                    assert_eq!(
                        (ran.status, ran.out.as_str()),
                        (3, ""),
                        "{line} {flag}: {}",
                        ran.err
                    );
                    assert!(ran.err.contains(&format!("`{flag}` is not supported")), "{}", ran.err);
                } else {
                    assert_eq!((ran.status, ran.out), (0, plain.out.clone()), "{line} {flag}");
                }
            }
            // What is declared first has the first location.
            let ran = run(&folder, &format!("{line} -fvk-stage-io-order=decl"));
            assert_eq!((ran.status, ran.out), (0, plain.out), "{line}");
            let ran = run(&folder, &format!("{line} -fvk-stage-io-order=size"));
            assert!(ran.status == 2 && ran.err.contains("alpha, decl"), "{}", ran.err);
        }
    }
}

/// dxc writes all entry points of a library into one module; a module that lacks one of them would be no substitute.
#[test]
fn a_library_of_several_entry_points_is_not_written_as_one_of_them() {
    let folder = folder("library");
    let entry = |name: &str| {
        format!(
            "[shader(\"compute\")] [numthreads(4, 1, 1)] void {name}(uint i : SV_GroupIndex) {{ Out[i] = i; }}\n"
        )
    };
    let out = "RWStructuredBuffer<uint> Out;\n";
    std::fs::write(folder.join("one.hlsl"), format!("{out}{}", entry("A"))).unwrap();
    for (first, second) in [("A", "B"), ("main", "B"), ("A", "main")] {
        let text = format!("{out}{}{}", entry(first), entry(second));
        std::fs::write(folder.join("two.hlsl"), text).unwrap();
        for output in ["-Fo o.spv", "-Fc o.lst", "-Fh o.h", "", "-E B -Fo o.spv", "-E A -Fo o.spv"]
        {
            let ran = run(&folder, &format!("dxc -T lib_6_6 -spirv two.hlsl {output}"));
            assert_eq!((ran.status, ran.out.as_str()), (3, ""), "{output}: {}", ran.err);
            let says = format!("this library has 2: `{first}`, `{second}`");
            assert!(ran.err.contains(&says), "{}", ran.err);
            assert!(ran.err.starts_with("two.hlsl:3:"), "{}", ran.err);
            assert!(ran.err.contains(&format!("`-T cs_6_6 -E {first}` writes")), "{}", ran.err);
            assert!(["o.spv", "o.lst", "o.h"].iter().all(|it| !has(&folder, it)), "{output}");
        }
        assert_eq!(run(&folder, "dxc -T lib_6_6 -spirv two.hlsl --check-only").status, 0);
        let one = format!("dxc -T cs_6_6 -E {first} -spirv two.hlsl -Fo {first}.spv");
        assert!(run(&folder, &one).status == 0 && has(&folder, &format!("{first}.spv")));
    }
    // Nothing is missing from the module of a library with one entry point.
    let ran = run(&folder, "dxc -T lib_6_6 -spirv one.hlsl -Fo one.spv");
    assert!(ran.status == 0 && has(&folder, "one.spv"), "{}", ran.err);
}

/// Only the command that writes a file takes the flag that names it.
#[test]
fn no_command_succeeds_without_the_requested_file() {
    let folder = folder("owned");
    for line in [
        "check -Fo o.spv",
        "check -Foo.spv",
        "check /Fo o.spv",
        "check -Fc o.lst",
        "check -Fd o.pdb",
        "check -MD",
        "run --bind Out=[8] -Fo o.spv",
        "run --bind Out=[8] -P -Fi o.i",
        "emit --spirv -Fh o.h",
        "emit --spirv -Fc o.lst",
        "emit --ir -Fe o.err",
    ] {
        let ran = run(&folder, &format!("{line} -T cs_6_6 -I inc/deep a.hlsl"));
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.contains(" means nothing to `wavelane "), "{line}: {}", ran.err);
        assert!(ran.err.contains("`dxc`"), "{line}: {}", ran.err);
    }
    // What `emit` prints, it writes.
    for form in ["--ir", "--ptx"] {
        let line = format!("emit {form} -T cs_6_6 -I inc/deep a.hlsl");
        let printed = run(&folder, &line);
        assert!(printed.status == 0 && !printed.out.is_empty(), "{line}: {}", printed.err);
        let ran = run(&folder, &format!("{line} -Fo o.txt"));
        assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{line}: {}", ran.err);
        assert_eq!(std::fs::read_to_string(folder.join("o.txt")).unwrap(), printed.out);
    }
}

#[test]
fn all_outputs_of_one_command_are_written() {
    let folder = folder("all");
    let line = "dxc -T cs_6_6 -I inc/deep a.hlsl -spirv -Fo o.spv -Fc o.lst -Fh o.h -Vn bytes -MF o.d \
                -Fe o.err";
    let ran = run(&folder, line);
    assert_eq!((ran.status, ran.err.as_str(), ran.out.as_str()), (0, "", ""));
    let module = std::fs::read(folder.join("o.spv")).unwrap();
    assert_eq!(module[..4], [3, 2, 0x23, 7]);
    assert!(has(&folder, "o.spv.json"));
    let header = std::fs::read_to_string(folder.join("o.h")).unwrap();
    assert!(
        header.starts_with("static const unsigned char bytes[] = {\n  0x03, 0x02, 0x23, 0x07,")
    );
    assert_eq!(header.matches("0x").count(), module.len());
    let listing = std::fs::read_to_string(folder.join("o.lst")).unwrap();
    assert!(listing.contains("OpEntryPoint") || listing.contains("EntryPoint"), "{listing}");
    let rule = std::fs::read_to_string(folder.join("o.d")).unwrap();
    assert_eq!(rule, "o.spv: a.hlsl \\\n  inc/Twice.hlsli \\\n  inc/deep/Deep.hlsli\n");
    assert_eq!(std::fs::read_to_string(folder.join("o.err")).unwrap(), "");
    // Without a file, the listing is printed, as by dxc.
    let ran = run(&folder, "dxc -T cs_6_6 -I inc/deep a.hlsl -spirv");
    assert_eq!(ran.out, listing);
    // Errors go to the file as well.
    let ran = run(&folder, "dxc -T cs_6_6 -I inc/deep a.hlsl -E nothing -Fe o.err");
    let messages = std::fs::read_to_string(folder.join("o.err")).unwrap();
    assert!(ran.status == 2 && messages.contains("nothing"), "{messages}");
}

#[test]
fn the_entry_point_of_a_module_can_have_another_name() {
    let folder = folder("entry");
    let line = "dxc -T cs_6_6 -I inc/deep a.hlsl -spirv -fspv-enable-maximal-reconvergence";
    let plain = run(&folder, line);
    assert_eq!((plain.status, plain.err.as_str()), (0, ""));
    let named = run(&folder, &format!("{line} -fspv-entrypoint-name=scan"));
    assert_eq!(named.out, plain.out.replace("\"main\"", "\"scan\"").replace("%main", "%scan"));
    assert_ne!(named.out, plain.out);
    let ran = run(&folder, &format!("{line} -fspv-entrypoint-name=scan -Fo o.spv"));
    assert_eq!(ran.status, 0, "{}", ran.err);
    let json = std::fs::read_to_string(folder.join("o.spv.json")).unwrap();
    assert!(json.contains("\"entry\": \"scan\""), "{json}");
}

#[test]
fn dependencies_and_includes_are_printed() {
    let folder = folder("depend");
    let rule = "a.hlsl: a.hlsl \\\n  inc/Twice.hlsli \\\n  inc/deep/Deep.hlsli\n";
    let ran = run(&folder, "dxc -T cs_6_6 -I inc/deep a.hlsl -M");
    assert_eq!((ran.status, ran.out.as_str()), (0, rule));
    assert_eq!(run(&folder, "dxc -T cs_6_6 -I inc/deep a.hlsl -MD").status, 0);
    assert_eq!(std::fs::read_to_string(folder.join("a.d")).unwrap(), rule);
    let ran = run(&folder, "dxc -T cs_6_6 -I inc/deep a.hlsl -H");
    assert_eq!(ran.out, ". inc/Twice.hlsli\n.. inc/deep/Deep.hlsli\n");
}

#[test]
fn what_is_preprocessed_compiles_to_the_same_module() {
    let folder = folder("preprocess");
    let ran = run(&folder, "dxc -T cs_6_6 -I inc/deep a.hlsl -P");
    assert_eq!(ran.status, 0, "{}", ran.err);
    let text = std::fs::read_to_string(folder.join("a.i")).unwrap();
    assert!(!text.contains("NEGATIVE") && text.contains("#line 2 \"inc/Twice.hlsli\""), "{text}");
    // `-NEGATIVE` must not become `--1`.
    assert!(text.contains("- - 1") || text.contains("- -1"), "{text}");
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = vec![folder.join("a.hlsl")];
    let found = std::fs::read_dir(programs).unwrap().map(|it| it.unwrap().path());
    files.extend(found.filter(|it| it.extension().is_some_and(|it| it == "hlsl")));
    files.sort();
    assert!(files.len() > 5);
    let mut compared = 0;
    for file in &files {
        let shader = file.display();
        let module = |source: &str, out: &str| {
            let flags = "dxc -T cs_6_6 -spirv -Qstrip_debug -w -I inc/deep";
            let ran = run(&folder, &format!("{flags} {source} -Fo {out}"));
            std::fs::read(folder.join(out)).map_err(|_| ran.err)
        };
        let Ok(expected) = module(&shader.to_string(), "1.spv") else { continue };
        let ran = run(&folder, &format!("dxc -T cs_6_6 -I inc/deep {shader} -P -Fi 2.i"));
        assert_eq!(ran.status, 0, "{shader}: {}", ran.err);
        assert!(module("2.i", "2.spv").unwrap() == expected, "{shader}");
        std::fs::remove_file(folder.join("1.spv")).unwrap();
        std::fs::remove_file(folder.join("2.spv")).unwrap();
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
    // A message about the preprocessed text names the place in the source.
    std::fs::write(
        folder.join("wrong.hlsl"),
        "\n\n#define X Out[0] = nothing;\n[numthreads(1,1,1)] void main() {\nX }\n",
    )
    .unwrap();
    assert_eq!(run(&folder, "dxc -T cs_6_6 wrong.hlsl -P").status, 0);
    let ran = run(&folder, "check wrong.i");
    assert!(ran.err.contains("wrong.hlsl:5:"), "{}", ran.err);
    // The matrix order of a pragma stays.
    std::fs::write(
        folder.join("order.hlsl"),
        "#pragma pack_matrix(row_major)\nRWStructuredBuffer<float2x3> M;\n[numthreads(1,1,1)] void main() { \
         M[0] = float2x3(1, 2, 3, 4, 5, 6); }\n",
    )
    .unwrap();
    assert_eq!(run(&folder, "dxc -T cs_6_6 order.hlsl -P").status, 0);
    let ran = run(&folder, "run order.i --bind M=[1] --format json");
    assert!(
        ran.out.split_whitespace().collect::<String>().contains("1.0,2.0,3.0,4.0,5.0,6.0"),
        "{}",
        ran.out
    );
}

#[test]
fn source_text_goes_into_modules_with_zi_only() {
    let folder = folder("debug");
    let module = |flags: &str| {
        let line = format!("dxc -T cs_6_6 -I inc/deep a.hlsl -spirv -Fo o.spv {flags}");
        assert_eq!(run(&folder, &line).status, 0);
        String::from_utf8_lossy(&std::fs::read(folder.join("o.spv")).unwrap()).into_owned()
    };
    let (plain, debug) = (module(""), module("-Zi"));
    assert!(!plain.contains("numthreads") && !plain.contains("a.hlsl") && plain.contains("Out"));
    assert!(debug.contains("numthreads") && debug.contains("a.hlsl"));
    for stripped in [module("-Zi -Qstrip_debug"), module("-Qstrip_debug")] {
        assert!(!stripped.contains("numthreads") && !stripped.contains("Out"));
        assert!(stripped.contains("main") && stripped.len() < plain.len());
    }
}

#[test]
fn a_missing_include_lists_the_searched_folders_and_names_that_differ_in_case() {
    let folder = folder("missing");
    let include = |line: &str| {
        std::fs::write(folder.join("m.hlsl"), format!("{line}\n")).unwrap();
    };
    include("#include \"twice.hlsli\"");
    let ran = run(&folder, "check m.hlsl -I inc -I inc/deep");
    assert!(ran.err.contains("looked in `.`, `inc`, `inc/deep`"), "{}", ran.err);
    assert!(ran.err.contains("`inc/Twice.hlsli` differs only in case"), "{}", ran.err);
    assert!(ran.err.contains("`--ignore-case-includes`"), "{}", ran.err);
    include("#include <nothing.hlsli>");
    let ran = run(&folder, "check m.hlsl");
    assert!(
        ran.err.contains("looked up in the folders of `-I`, and there are none"),
        "{}",
        ran.err
    );
    // What lies outside of the roots is not named.
    include("#include \"../inc/twice.hlsli\"");
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    std::fs::rename(folder.join("m.hlsl"), folder.join("sub/m.hlsl")).unwrap();
    let ran = run(&folder, "check sub/m.hlsl --include-root sub");
    assert!(ran.status == 2 && !ran.err.contains("differs"), "{}", ran.err);
    let ran = run(&folder, "check sub/m.hlsl --include-root .");
    assert!(ran.err.contains("differs only in case"), "{}", ran.err);
}

#[test]
fn warnings_beyond_the_limit_are_counted() {
    let folder = folder("limit");
    let lines: String = (0..5).map(|it| format!("    i + {it};\n")).collect();
    let text = format!("[numthreads(1, 1, 1)]\nvoid main(uint i : SV_GroupIndex) {{\n{lines}}}\n");
    std::fs::write(folder.join("w.hlsl"), text).unwrap();
    let shown = |flags: &str| {
        let ran = run(&folder, &format!("check w.hlsl {flags}"));
        assert_eq!(ran.status, 0, "{}", ran.err);
        (ran.err.matches("[unused-value]").count(), ran.err)
    };
    assert_eq!(shown("").0, 5);
    assert_eq!(shown("-fwarning-limit=0").0, 5);
    assert_eq!(shown("-fwarning-limit 5").0, 5);
    let (count, text) = shown("-fwarning-limit=2");
    assert_eq!(count, 2);
    assert!(text.contains("3 more warnings of 5; `-fwarning-limit=0` shows all"), "{text}");
    // Errors are shown however many warnings go before them.
    let text = std::fs::read_to_string(folder.join("w.hlsl")).unwrap();
    std::fs::write(folder.join("w.hlsl"), text.replace("i + 4;", "nothing();")).unwrap();
    let ran = run(&folder, "check w.hlsl -fwarning-limit=1");
    assert!(ran.status == 2 && ran.err.contains("nothing"), "{}", ran.err);
}

#[test]
fn messages_can_be_lines_that_visual_studio_reads() {
    let folder = folder("msvc");
    let text = "[numthreads(1, 1, 1)]\nvoid main() {\n    uint x = yy;\n    WaveAllSum(1);\n}\n";
    std::fs::write(folder.join("a.hlsl"), text).unwrap();
    for line in ["check a.hlsl --format msvc", "dxc -T cs_6_6 a.hlsl -fdiagnostics-format=msvc"] {
        let ran = run(&folder, line);
        assert_eq!(ran.status, 2);
        let lines: Vec<&str> = ran.err.lines().collect();
        assert!(
            lines.iter().any(|it| it.starts_with("a.hlsl(3,14): error unknown-name: ")),
            "{}",
            ran.err
        );
        assert!(
            lines.iter().any(|it| it.starts_with("a.hlsl(4,5): warning draft-name: ")),
            "{}",
            ran.err
        );
        assert!(!ran.err.contains("^^"), "{}", ran.err);
    }
}
