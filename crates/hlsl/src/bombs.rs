//! Resource-exhaustion tests: short texts that ask for much work. Each ends with an error that names the limit, or as
//! a module.
//!
//! Nothing is timed: without its limit each of these takes minutes or gigabytes at least, and most would never end.

use diag::{Level, Sink, SourceMap};

use std::sync::Arc;

use crate::{Includer, Options, compile};

struct NoFiles;

impl Includer for NoFiles {
    fn read(&mut self, _: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        None
    }
}

/// The levels of a tree in which each declaration uses the one before twice.
fn tree(levels: usize, first: &str, each: impl Fn(usize) -> String) -> String {
    std::iter::once(first.to_owned()).chain((1..levels).map(each)).collect()
}

fn main_of(body: &str) -> String {
    format!("RWStructuredBuffer<uint> O;\n[numthreads(1, 1, 1)] void main() {{ {body} }}\n")
}

/// The outcome of a compilation: the code of the first error, or `None` for a module.
fn outcome(text: String) -> Option<&'static str> {
    let mut sources = SourceMap::new();
    let mut sink = Sink::new();
    let file = sources.add("bomb.hlsl", text).unwrap();
    let options = Options::default();
    let module = compile(file, &mut sources, &mut NoFiles, &options, &mut sink);
    let first = sink.as_slice().iter().find(|it| it.level >= Level::Error);
    if let Some(error) = first {
        assert!(!error.primary.span.is_none(), "`{}` has no location", error.message);
    }
    assert_eq!(module.is_some(), first.is_none());
    first.map(|it| it.code.name)
}

const LARGE: Option<&str> = Some("too-large");
const WORK: Option<&str> = Some("program-too-large");
const DEEP: Option<&str> = Some("nesting-too-deep");

/// Compiles each text of a table: its name, the text, and the outcome.
fn outcomes_are<const N: usize>(rows: [(&str, String, Option<&str>); N]) {
    for (name, text, expected) in rows {
        assert_eq!(outcome(text), expected, "{name}");
    }
}

#[test]
fn types_that_multiply_are_bounded() {
    let structs = |levels, first: &str| {
        tree(levels, first, |i| format!("struct S{i} {{ S{0} a; S{0} b; }};\n", i - 1))
    };
    outcomes_are([
        (
            "the size of a struct that doubles",
            structs(60, "struct S0 { uint a; };\n") + &main_of("O[0] = sizeof(S59);"),
            LARGE,
        ),
        (
            "the size of an empty struct that doubles",
            structs(14, "struct S0 { };\n") + &main_of("S13 x; S13 y = x; O[0] = 1;"),
            None,
        ),
        (
            "sizes of a large struct",
            structs(14, "struct S0 { uint a; };\n")
                + &main_of(&"O[0] += sizeof(S13);".repeat(2000)),
            None,
        ),
        (
            "an array of empty structs",
            format!(
                "struct E {{ }};\n{}",
                main_of("E x[4000000000]; E y[4000000000] = x; x = y; O[0] = 1;")
            ),
            None,
        ),
        (
            "inherited fields",
            format!(
                "struct B {{ {} }};\n{}{}",
                (0..4000).map(|i| format!("uint a{i};")).collect::<String>(),
                (0..4000).map(|i| format!("struct D{i} : B {{}};\n")).collect::<String>(),
                main_of("")
            ),
            WORK,
        ),
        (
            "arrays of arrays, through aliases",
            tree(5000, "typedef uint A0[1];\n", |i| format!("typedef A{} A{i}[1];\n", i - 1))
                + &main_of("A4999 x;"),
            DEEP,
        ),
        (
            "structs in structs, one in each",
            tree(5000, "struct S0 { uint a; };\n", |i| {
                format!("struct S{i} {{ S{} a; }};\n", i - 1)
            }) + &main_of("S4999 x;"),
            DEEP,
        ),
    ]);
}

#[test]
fn calls_that_multiply_are_bounded() {
    let overloads: String =
        (0..4000).map(|i| format!("struct T{i} {{ uint a; }}; void f(T{i} x) {{}}\n")).collect();
    outcomes_are([
        (
            "calls of functions that do nothing",
            tree(60, "void f0() {}\n", |i| format!("void f{i}() {{ f{0}(); f{0}(); }}\n", i - 1))
                + &main_of("f59();"),
            WORK,
        ),
        (
            "calls that only forward a variable",
            tree(60, "void f0(inout uint x) {}\n", |i| {
                format!("void f{i}(inout uint x) {{ f{0}(x); f{0}(x); }}\n", i - 1)
            }) + &main_of("uint x = 0; f59(x);"),
            WORK,
        ),
        (
            "calls that only forward a resource",
            tree(40, "void f0(RWBuffer<uint> x) {}\n", |i| {
                format!("void f{i}(RWBuffer<uint> x) {{ f{0}(x); f{0}(x); }}\n", i - 1)
            }) + "RWBuffer<uint> B;\n"
                + &main_of("f39(B);"),
            WORK,
        ),
        (
            "operators that call operators",
            format!(
                "struct S {{ uint a; S operator+(S o) {{ S r; r.a = a + o.a; return r; }} }};\n{}{}",
                tree(40, "S f0(S s) { return s + s; }\n", |i| {
                    format!("S f{i}(S s) {{ return f{0}(s) + f{0}(s); }}\n", i - 1)
                }),
                main_of("S s = (S)0; O[0] = f39(s).a;")
            ),
            WORK,
        ),
        (
            "default arguments that call with default arguments",
            tree(30, "uint f0(uint x = 1) { return x; }\n", |i| {
                format!("uint f{i}(uint x = f{0}() + f{0}()) {{ return x; }}\n", i - 1)
            }) + &main_of("O[0] = f29();"),
            WORK,
        ),
        (
            "calls with a great many overloads",
            overloads + &main_of(&format!("T7 s = (T7)0; {}", "f(s);".repeat(4000))),
            WORK,
        ),
        (
            "bodies of many instances",
            format!(
                "RWStructuredBuffer<uint> P; template<uint N> void g(uint x) {{ {} }}\n{}",
                "P[x] += N;".repeat(4000),
                main_of(&(0..4000).map(|i| format!("g<{i}>(1);")).collect::<String>())
            ),
            WORK,
        ),
    ]);
}

#[test]
fn large_constants_and_switches_are_bounded() {
    let table = vec!["1"; 60_000].join(", ");
    outcomes_are([
        (
            "constants that copy a large one",
            format!(
                "struct S {{ uint a[60000]; }}; static const S c0 = (S)0;\n{}{}",
                (1..1000)
                    .map(|i| format!("static const S c{i} = c{};\n", i - 1))
                    .collect::<String>(),
                main_of("O[0] = c9.a[0];")
            ),
            WORK,
        ),
        (
            "elements of a large constant",
            format!(
                "static const uint A[] = {{ {table} }};\n{}",
                main_of(&"O[0] += A[1];".repeat(20_000))
            ),
            None,
        ),
        (
            "a great many case labels",
            main_of(&format!(
                "switch (O[0]) {{ {} O[1] = 1; }}",
                (0..40_000).map(|i| format!("case {i}:")).collect::<String>()
            )),
            None,
        ),
    ]);
}

#[test]
fn call_trees_are_bounded_by_their_instructions() {
    let text = tree(24, "uint f0(uint x) { return x * 3 + 1; }\n", |i| {
        format!("uint f{i}(uint x) {{ return f{0}(x) + f{0}(x + 1); }}\n", i - 1)
    }) + &main_of("O[0] = f23(O[1]);");
    let mut sources = SourceMap::new();
    let mut sink = Sink::new();
    let file = sources.add("bomb.hlsl", text).unwrap();
    compile(file, &mut sources, &mut NoFiles, &Options::default(), &mut sink);
    let notes = &sink.as_slice()[0].notes;
    assert!(notes.iter().any(|it| it.contains("2000000 instructions")), "{notes:?}");
}

/// The stack of a thread of a host program is smaller than ours. Debug builds take several times the space.
#[test]
fn default_arguments_in_each_other_fit_on_a_small_stack() {
    let own = "bool yes(bool a = true) { return a; }
        bool no(bool a = !(no() && (yes() || no()))) { return false; }\n"
        .to_owned();
    let chain = tree(100, "uint f0(uint x) { return x; }\n", |i| {
        format!(
            "uint f{i}(uint x = (2 * (1 + f{0}({1})))) {{ return x; }}\n",
            i - 1,
            if i == 1 { "1" } else { "" }
        )
    });
    let texts = [own + &main_of("no();"), chain + &main_of("O[0] = f99();")];
    let deep = || texts.map(|text| assert_eq!(outcome(text), Some("nesting-too-deep")));
    std::thread::Builder::new().stack_size(1 << 20).spawn(deep).unwrap().join().unwrap();
}
