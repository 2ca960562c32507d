//! The contents of a command's help: its examples, and which of its flags are rare.

use crate::command::Command;
use crate::flags::{Flag, Section};

/// Command lines of a command, and what each does.
pub(super) fn of(command: Command) -> &'static [(&'static str, &'static str)] {
    match command {
        Command::Check => &[
            (
                "wavelane check a.hlsl",
                "reports what is wrong with the file and each of its entry points",
            ),
            ("wavelane check -T ps_6_6 -E PSMain -I inc a.hlsl", "the same for a pixel shader"),
            ("wavelane check shaders/", "checks every entry point of every file below a folder"),
        ],
        Command::Run => &[
            (
                "wavelane run a.hlsl --bind 'Out=[64]'",
                "runs one group and prints the contents of `Out`",
            ),
            (
                "wavelane run a.hlsl --bind 'Out=[64]' --wave-size all",
                "the same at every wave size, compared",
            ),
            (
                "wavelane run a.hlsl --groups 4 --bind In=@in.npy --set Count=256 --bind 'Out=[256]'",
                "with an input from a file, and a constant",
            ),
            (
                "wavelane run a.hlsl -T ps_6_6 --draw fullscreen --size 256x256 -o out.png",
                "draws with a pixel shader, and writes the target",
            ),
        ],
        Command::Emit => &[
            ("wavelane emit --ir a.hlsl", "prints the intermediate representation"),
            (
                "wavelane emit --spirv a.hlsl -Fo a.spv",
                "writes a module, and a.spv.json with its bindings",
            ),
            ("wavelane emit --ptx --sm 90 a.hlsl", "prints the kernel for an architecture of CUDA"),
        ],
        Command::Explain => &[
            (
                "wavelane explain WavePrefixSum",
                "says what a function does, with an example and its lanes",
            ),
            (
                "wavelane explain narrow-lane-mask",
                "the page of a message, whose code is in brackets at its end",
            ),
            (
                "wavelane explain divergence",
                "a concept: active-lanes, ballot, quad, helper-lane, partition, …",
            ),
            ("wavelane explain __shfl_sync", "what a function of another language is in HLSL"),
        ],
        Command::Caps => &[
            ("wavelane caps", "shows the adapter, the engines and the devices"),
            ("wavelane caps --caps lanes=32..64", "shows an adapter with other caps"),
        ],
        Command::Test => &[
            ("wavelane test tests/", "runs every test below a folder, at every wave size"),
            (
                "wavelane test sort_test.hlsl -E scan --wave-size 32",
                "the case `scan` of a file, with waves of 32 lanes",
            ),
            ("wavelane test tests/ --format junit", "a report for a CI server"),
        ],
        Command::Merge => &[(
            "wavelane merge part1.jsonl part2.jsonl --format junit",
            "one report of several runs of `test --format json`",
        )],
        Command::Dxc => &[
            ("wavelane dxc -T cs_6_6 -E main a.hlsl", "checks a shader, of any stage"),
            (
                "wavelane dxc -T cs_6_6 -spirv -Fo a.spv -MF a.d a.hlsl",
                "writes a SPIR-V module and what it depends on",
            ),
            (
                "wavelane dxc -T ps_6_6 -Fo a.cso --check-only a.hlsl",
                "checks; without --check-only, the status is 3: wavelane does not emit DXIL",
            ),
            ("wavelane dxc -P -Fi a.i a.hlsl", "preprocesses"),
        ],
        Command::San => &[
            (
                "wavelane san a.hlsl --bind 'Out=[64]'",
                "runs the shader at every wave size, and reports what is undefined",
            ),
            ("wavelane san tests/", "does the same for every test below a folder"),
            ("wavelane san tests/ --baseline known.txt --format sarif", "reports what is new"),
        ],
        Command::Bench => &[(
            "wavelane bench a.hlsl --groups 4096 --bind 'Out=[1048576]'",
            "measures compiling and running",
        )],
        Command::Trace => &[
            (
                "wavelane trace a.hlsl --bind 'Out=[64]' --wave-size 8",
                "what the first wave does, statement by statement",
            ),
            (
                "wavelane trace a.hlsl --bind 'Out=[64]' --lines 5..9 --lanes 0..7",
                "only these lines, and the values of these lanes",
            ),
        ],
        Command::Dap => &[(
            "wavelane dap",
            "started by an editor, to step through a shader wave by wave, forward and back",
        )],
        Command::Timeline => &[
            (
                "wavelane timeline a.hlsl --bind 'Out=[64]' -o run.html",
                "records a run as one page, which needs no network",
            ),
            (
                "wavelane timeline a.hlsl --bind 'Out=[64]' -o lanes.svg",
                "the lanes over time as a picture",
            ),
        ],
        Command::New => &[(
            "wavelane new test lib.hlsl -E BlockScan",
            "writes BlockScan.test beside the file, with made-up contents; it runs as it is",
        )],
        Command::Fuzz => &[
            (
                "wavelane fuzz --engines interp,cpu,vulkan --count 1000",
                "runs 1000 programs at every width on three engines",
            ),
            (
                "wavelane fuzz --target 'dxc -T cs_6_7 -spirv {in} -Fo {out}' --save found",
                "passes them to another compiler; failures are reduced and written",
            ),
            (
                "wavelane fuzz --emit tests --count 100 --seed 7",
                "writes 100 tests that check themselves at every width",
            ),
            (
                "wavelane fuzz --stage pixel --engines interp,cpu",
                "draws with generated pixel shaders",
            ),
        ],
        Command::Campaign => &[
            (
                "wavelane campaign --fuzz 100000 --engines interp,cpu --ledger run.jsonl",
                "runs each program at each width on each engine; started again, it continues",
            ),
            (
                "wavelane campaign plan.toml --partition hash:3/8 --ledger part3.jsonl",
                "a shard of a plan; `wavelane merge part*.jsonl` joins the ledgers",
            ),
            (
                "wavelane campaign tests/ --engines interp,vulkan --html report.html",
                "runs tests, and writes the report as a page with heat maps",
            ),
        ],
        Command::Worker => {
            &[("wavelane worker", "answers each request on standard input with a line of JSON")]
        }
        Command::Reduce => &[
            (
                "wavelane reduce a.hlsl --keep \"$PWD/crashes.sh\"",
                "finds a smaller program for which the command exits with status 0",
            ),
            (
                "wavelane reduce a.hlsl --bind 'Out=[64]' --keep-finding race -o small.hlsl",
                "keeps a finding of the sanitizer",
            ),
            (
                "wavelane reduce a.hlsl --bind 'Out=[64]' --keep-diff vulkan",
                "keeps a difference between a device and the reference engine",
            ),
            (
                "wavelane reduce a.hlsl -T ps_6_6 --draw fullscreen --keep-finding depends-on-helpers",
                "keeps a finding of the sanitizer in a draw",
            ),
        ],
        Command::Diff => &[
            ("wavelane diff a.hlsl --bind 'Out=[64]' --engines interp,vulkan", "compares engines"),
            (
                "wavelane diff a.hlsl -T ps_6_6 --draw fullscreen",
                "compares what engines draw with a pixel shader",
            ),
            (
                "wavelane diff a.hlsl --bind 'Out=[64]' --spirv a.spv",
                "compares another compiler's module",
            ),
        ],
    }
}

/// Whether the usual help of a command leaves a flag out.
pub(super) fn is_rare(flag: &Flag, command: Command) -> bool {
    let is_of_build = flag.section == Section::Build && command != Command::Dxc;
    // `emit` writes the module.
    let is_of_emit = command == Command::Emit && flag.names.contains(&"-Fo");
    matches!(flag.section, Section::Ignored | Section::Refused)
        || is_of_build && !is_of_emit
        || flag.names.iter().any(|it| RARE.contains(it))
}

/// Flags that few command lines need.
pub(super) const RARE: &[&str] = &[
    "-O0",
    "--include-root",
    "--no-config",
    "--dialect",
    "--constant",
    "-denorm",
    "-fvk-use-dx-layout",
    "-fspv-use-legacy-buffer-matrix-order",
    "-auto-binding-space",
    "-Zpr",
    "-Zpc",
    "-fspv-target-env",
    "-fspv-extension",
    "-fspv-enable-maximal-reconvergence",
    "-fspv-entrypoint-name",
    "-fvk-b-shift",
    "-fvk-t-shift",
    "-fvk-u-shift",
    "-fvk-s-shift",
    "-fvk-bind-register",
    "-fvk-bind-globals",
    "-fvk-bind-resource-heap",
    "-fvk-bind-sampler-heap",
    "-fvk-bind-counter-heap",
    "-ferror-limit",
    "-fdiagnostics-format",
    "-fwarning-limit",
    "--counter",
    "--schedule",
    "--cpu",
    "--profile",
    "--features",
    "--amplification",
    "--geometry",
    "--golden",
    "--hull",
    "--domain",
    "--stencil",
    "--raster",
    "--exited-threads",
    "--uniform-lane-index",
];
