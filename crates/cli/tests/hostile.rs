//! Programs that nobody means well with: each ends soon, with a report that says where, and exit status 2.
//!
//! The texts are made here. `cargo xtask fuzz` looks for what this table does not have.

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
