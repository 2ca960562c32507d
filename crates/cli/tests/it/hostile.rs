//! Hostile programs, files and command lines: each ends soon, with a report that says where, and
//! exit status 2.
//!
//! The texts are generated here. `cargo xtask fuzz` searches for cases that this table lacks.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Generous, for machines that do many things at once; the compiler takes a fraction of a second.
const LONGEST: Duration = Duration::from_secs(30);

/// How often a construct is repeated that may nest.
const MANY: usize = 50_000;

/// A text with the code of the first report about it.
type Case = (&'static str, Vec<u8>, &'static str);

fn main_of(body: &str) -> Vec<u8> {
    format!("[numthreads(4, 1, 1)] void main(uint lane : SV_GroupIndex) {{ int a = 0; {body} }}")
        .into()
}

/// `before`, many times, around `middle`.
fn nested(before: &str, middle: &str, after: &str) -> String {
    format!("{}{middle}{}", before.repeat(MANY), after.repeat(MANY))
}

/// One line for each number, joined.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (1..count).map(line).collect()
}

fn nesting() -> Vec<Case> {
    let inside = [
        ("parentheses", nested("(", "1", ")")),
        ("casts", nested("(int)", "1", "")),
        ("negations", nested("!", "1", "")),
        ("conditional operators", nested("1 ? 1 : ", "1", "")),
        ("sums", nested("1 + ", "1", "")),
        ("indices", nested("a[", "1", "]")),
        ("calls", nested("abs(", "1", ")")),
    ];
    let mut cases: Vec<Case> = inside
        .into_iter()
        .map(|(name, text)| (name, main_of(&format!("a = {text};")), "nesting-too-deep"))
        .collect();
    cases.extend([
        ("blocks", main_of(&nested("{", "", "}")), "nesting-too-deep"),
        ("conditions", main_of(&nested("if (lane) ", ";", "")), "nesting-too-deep"),
        (
            "lists",
            nested("{", "1", "}").replacen('{', "static int a = {", 1).into(),
            "nesting-too-deep",
        ),
        ("namespaces", nested("namespace N {", "", "}").into(), "nesting-too-deep"),
        ("structs", nested("struct S {", "int a;", "};").into(), "nesting-too-deep"),
        ("#if", "#if 1\n".repeat(MANY).into(), "unbalanced-condition"),
        ("#if (", format!("#if {}\n#endif\n", nested("(", "1", ")")).into(), "nesting-too-deep"),
        (
            "else if",
            main_of(&format!("if (lane == 0) a = 1; {}", nested("else if (lane) a = 2; ", "", ""))),
            "nesting-too-deep",
        ),
        (
            "generations",
            ("struct S0 { int a; };".to_owned()
                + &lines(5000, |i| format!("struct S{i} : S{} {{ int a{i}; }};\n", i - 1)))
                .into(),
            "nesting-too-deep",
        ),
    ]);
    cases
}

fn explosions() -> Vec<Case> {
    let bomb = lines(64, |i| format!("#define A{i} A{} A{}\n", i - 1, i - 1));
    let wide = lines(60, |i| format!("struct S{i} {{ S{0} a; S{0} b; }};\n", i - 1));
    let template = "template <uint N> uint f() { return f<N + 1>(); }\n";
    let with = |text: &str, body: &str| [text.as_bytes(), &main_of(body)].concat();
    vec![
        ("macros", format!("#define A0 x x\n{bomb}A63\n").into(), "too-large"),
        (
            "arguments",
            format!("#define F(x) x x\n{}a{}", "F(".repeat(64), ")".repeat(64)).into(),
            "too-large",
        ),
        (
            "members",
            with(&format!("struct S0 {{ int a; }};\n{wide}"), "S59 s = (S59)0;"),
            "too-large",
        ),
        ("templates", with(template, "f<0>();"), "too-large"),
        ("an array", with("groupshared uint b[4294967295];\n", "b[lane] = 1;"), "too-large"),
        ("a group", "[numthreads(4294967295, 1, 1)] void main() {}".into(), "bad-attribute"),
        ("recursion", with("int f(int a) { return f(a); }\n", "f(1);"), "recursion"),
        (
            "recursion of two",
            with(
                "int g(int a);\nint f(int a) { return g(a); }\nint g(int a) { return f(a); }\n",
                "f(1);",
            ),
            "recursion",
        ),
    ]
}

fn garbage() -> Vec<Case> {
    let utf16 = "\u{feff}float x = ;".encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        ("NUL bytes", vec![0; 100_000], "syntax"),
        ("no UTF-8", b"\xff\xfd\x80".repeat(10_000), "syntax"),
        ("UTF-16", utf16, "syntax"),
        ("CR LF", "float x = 1;\r\n#if\r\n#endif\r\n".into(), "bad-condition"),
        ("a long line", format!("float x = {}1;", "1 + ".repeat(MANY)).into(), "nesting-too-deep"),
        ("a comment", "/*".repeat(MANY).into(), "unclosed"),
        ("a string", format!("\"{}", "a".repeat(MANY)).into(), "unclosed"),
        (
            "continuations",
            "\\\n".repeat(MANY).into_bytes().into_iter().chain(*b"x").collect(),
            "syntax",
        ),
        ("errors", "float x = ;\n".repeat(MANY).into(), "syntax"),
    ]
}

/// The exit status and what was said of a text on standard input.
fn check(text: &[u8]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wavelane"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("it was asked for");
    input.write_all(text).expect("all of a text is read before anything is said");
    drop(input);
    let mut said = String::new();
    child.stderr.take().expect("it was asked for").read_to_string(&mut said).expect("text");
    (child.wait().expect("it ends").code(), said)
}

fn all_end_well(cases: Vec<Case>) {
    for (name, text, code) in cases {
        let start = Instant::now();
        let (status, said) = check(&text);
        let first = said.lines().next().unwrap_or_default();
        assert_eq!(status, Some(2), "{name}: {first}");
        assert!(
            first.starts_with("<stdin>:") && first.ends_with(&format!("[{code}]")),
            "{name}: {first}"
        );
        assert!(said.len() < 200_000, "{name}: says {} bytes", said.len());
        assert!(start.elapsed() < LONGEST, "{name} takes {:?}", start.elapsed());
    }
}

#[test]
fn endless_nesting_is_reported() {
    all_end_well(nesting());
}

#[test]
fn programs_that_explode_are_reported() {
    all_end_well(explosions());
}

#[test]
fn garbage_is_reported() {
    all_end_well(garbage());
}

/// A shader with one of each kind of thing that is bound.
const BOUND: &str = "
RWStructuredBuffer<uint> Out;
Texture2D<float4> Image;
cbuffer Params { float Scale; uint Count; };
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) { Out[i] = (uint)(Image[uint2(0, 0)].x * Scale) + Count; }
";

/// Files that are not what their names say.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let junk: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let numpy = |shape: &str| {
        let head = format!("{{'descr': '<u4', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = (head.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00".as_slice(), &length, head.as_bytes()].concat()
    };
    let picture =
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0xff; 8], b"\x08\x06\0\0\0\0\0\0\0"];
    vec![
        ("a.hlsl", BOUND.into()),
        ("empty.hlsl", Vec::new()),
        ("junk.npy", junk.clone()),
        ("junk.png", junk.clone()),
        ("junk.hlsl", junk),
        ("cut.npy", b"\x93NUMPY\x01\x00\xff\xff{".to_vec()),
        ("vast.npy", numpy("(99999999999999999999, 99999999999999999999)")),
        ("wrap.npy", numpy("(4294967296, 4294967296)")),
        ("vast.png", picture.concat()),
        ("empty.npy", Vec::new()),
        ("empty.bin", Vec::new()),
    ]
}

/// Hostile command lines; a word is never split.
const LINES: &[&str] = &[
    "",
    "-",
    "--",
    "---",
    "run",
    "run --",
    "run a.hlsl b.hlsl",
    "run missing.hlsl",
    "run folder",
    "run empty.hlsl",
    "run junk.hlsl",
    "check folder",
    "check junk.npy",
    "check a.hlsl --format x",
    "explain \u{1}",
    "explain --",
    "compile",
    "test missing",
    "run a.hlsl --groups 0",
    "run a.hlsl --groups -1",
    "run a.hlsl --groups 99999999999999999999",
    "run a.hlsl --groups 4294967295,4294967295,4294967295",
    "run a.hlsl --groups 1,2,3,4",
    "run a.hlsl --groups ,",
    "run a.hlsl --wave-size 0",
    "run a.hlsl --wave-size 5..3",
    "run a.hlsl --wave-size 99999999999",
    "run a.hlsl --timeout -1",
    "run a.hlsl --timeout nan",
    "run a.hlsl --timeout 1e999",
    "run a.hlsl --fuel -1",
    "run a.hlsl --caps lanes=0..0",
    "run a.hlsl --schedule random:x",
    "run a.hlsl --bind",
    "run a.hlsl --bind =",
    "run a.hlsl --bind Out",
    "run a.hlsl --bind Out=",
    "run a.hlsl --bind Nothing=1",
    "run a.hlsl --bind Out=u32[4294967295]",
    "run a.hlsl --bind Out=u32[18446744073709551616]",
    "run a.hlsl --bind Out=u32[4611686018427387904]:iota",
    "run a.hlsl --bind Out=u32[-1]",
    "run a.hlsl --bind Out=f32:nan,inf,1e999",
    "run a.hlsl --bind Out[99999999999]=1",
    "run a.hlsl --bind Out[=1",
    "run a.hlsl --bind Out=@",
    "run a.hlsl --bind Out=@missing.npy",
    "run a.hlsl --bind Out=@folder",
    "run a.hlsl --bind Out=@junk.npy",
    "run a.hlsl --bind Out=@cut.npy",
    "run a.hlsl --bind Out=@vast.npy",
    "run a.hlsl --bind Out=@wrap.npy",
    "run a.hlsl --bind Out=@empty.npy",
    "run a.hlsl --bind Out=[4] --bind Image=@junk.png",
    "run a.hlsl --bind Out=[4] --bind Image=@vast.png",
    "run a.hlsl --bind Out=[4] --bind Image=@folder",
    "run a.hlsl --bind Out=[4] --bind Image=@vast.npy",
    "run a.hlsl --set Scale=",
    "run a.hlsl --set Scale=x",
    "run a.hlsl --set Count=99999999999999999999",
    "run a.hlsl --set Nothing=1",
    "run a.hlsl --set Scale[99999999999]=1",
    "run a.hlsl --counter Out=-1",
    "run a.hlsl --out Out=folder",
    "run a.hlsl -D",
    "run a.hlsl -D=",
    "run a.hlsl -D (x",
    "run a.hlsl -T cs_99999999999_1",
    "run a.hlsl -HV 9",
    "run a.hlsl -E \u{e4}",
    #[cfg(unix)]
    "check /dev/zero",
];

#[test]
fn command_lines_and_files_that_make_no_sense_are_refused() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(folder.join("folder")).expect("there is room");
    for (name, content) in files() {
        std::fs::write(folder.join(name), content).expect("there is room");
    }
    for line in LINES {
        let start = Instant::now();
        let ran = Command::new(env!("CARGO_BIN_EXE_wavelane"))
            .args(line.split(' ').filter(|it| !it.is_empty()))
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&ran.stderr);
        // Without any word it says how it is used.
        let wanted = if line.is_empty() { 0 } else { 2 };
        assert_eq!(ran.status.code(), Some(wanted), "{line}: {said}");
        assert!(wanted == 0 || said.contains("error: "), "{line}: {said}");
        assert!(said.len() < 100_000, "{line}: says {} bytes", said.len());
        assert!(start.elapsed() < LONGEST, "{line} takes {:?}", start.elapsed());
    }
}
