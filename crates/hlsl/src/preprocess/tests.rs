//! Tests of the preprocessor: text to spellings and diagnostics.

use std::collections::HashMap;
use std::sync::Arc;

use diag::{Sink, SourceMap};

use super::{Includer, preprocess};
use crate::options::Options;
use crate::token::{Flags, TokenKind, Tokens};

struct Files(HashMap<String, Arc<str>>);

impl Files {
    fn new(files: &[(&str, &str)]) -> Files {
        Files(files.iter().map(|(name, text)| (name.to_string(), Arc::from(*text))).collect())
    }
}

impl Includer for Files {
    fn read(&mut self, path: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        self.0.get(path).map(|text| (path.to_string(), text.clone()))
    }
}

struct Run {
    tokens: Tokens,
    sources: SourceMap,
    sink: Sink,
}

fn run_with(text: &str, files: &[(&str, &str)], options: &Options) -> Run {
    let mut sources = SourceMap::new();
    let file = sources.add("main.hlsl", text).unwrap();
    let mut sink = Sink::new();
    let tokens = preprocess(file, &mut sources, &mut Files::new(files), options, &mut sink);
    Run { tokens, sources, sink }
}

fn run(text: &str) -> Run {
    run_with(text, &[], &Options::default())
}

impl Run {
    /// The tokens, one space between any two.
    fn text(&self) -> String {
        let spell = |token: &crate::token::Token| match token.kind {
            TokenKind::Punct(punct) => punct.text().to_string(),
            _ => self.tokens.names.text(token.symbol).to_string(),
        };
        let all: Vec<String> =
            self.tokens.list.iter().filter(|it| it.kind != TokenKind::Eof).map(spell).collect();
        all.join(" ")
    }

    fn codes(&self) -> Vec<&'static str> {
        self.sink.as_slice().iter().map(|it| it.code.name).collect()
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let run = run(text);
    assert!(run.sink.as_slice().is_empty(), "{text}: {:?}", run.sink.as_slice());
    assert_eq!(run.text(), expected, "{text}");
}

#[track_caller]
fn fails(text: &str, code: &str, message: &str) {
    let run = run(text);
    let found =
        run.sink.as_slice().iter().any(|it| it.code.name == code && it.message.contains(message));
    assert!(found, "{text}: {:?}", run.sink.as_slice());
}

#[test]
fn macros_expand_by_the_rules_of_c() {
    let cases = [
        ("#define A 1 + B\n#define B A * 2\nA B", "1 + A * 2 1 + B * 2"),
        ("#define f(x) x + f(x)\nf(f(1))", "1 + f ( 1 ) + f ( 1 + f ( 1 ) )"),
        ("#define f(a) a*g\n#define g(a) f(a)\nf(2)", "2 * g"),
        ("#define ID(x) x\n#define N ID\nN (3) ID\n(4) ID", "3 4 ID"),
        (
            "#define max2(a,b) ((a)>(b)?(a):(b))\nmax2((1,2),3)",
            "( ( ( 1 , 2 ) ) > ( 3 ) ? ( ( 1 , 2 ) ) : ( 3 ) )",
        ),
        ("#define E\n#define F() x\nE F() E F ( )", "x x"),
        ("#define two(a,\\\n b) a b\ntwo(1,\n 2)", "1 2"),
        ("#define LP (\n#define f(x) <x>\nf LP 1)", "f ( 1 )"),
        ("#define f(x) [x]\n#define g f(\ng 1)", "[ 1 ]"),
        ("#define half float\n#define if\nhalf if", "float"),
        // The example of the C standard, 6.10.3.5.
        (
            "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
             #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
             f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);",
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
             f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
        ),
    ];
    for (text, expected) in cases {
        check(text, expected);
    }
}

#[test]
fn tokens_are_pasted_and_quoted() {
    let cases = [
        (
            "#define cat(a,b) a ## b\ncat(x,1) cat(,y) cat(z,) cat(,) cat(1,u) cat(<,<=)",
            "x1 y z 1u <<=",
        ),
        ("#define cat(a,b,c) a##b##c\ncat(a,,c) cat(,b,)", "ac b"),
        (
            "#define cat(a,b) a##b\n#define xcat(a,b) cat(a,b)\n#define N 3\ncat(t,N) xcat(t,N)",
            "tN t3",
        ),
        ("#define A AB\n#define AB done\n#define cat(a,b) a##b\ncat(A,B)", "done"),
        ("#define q(x) #x\nq( a  +\n \"b\\n\" ) q()", "\"a + \\\"b\\\\n\\\"\" \"\""),
        ("#define q(x) #x\n#define xq(x) q(x)\n#define N 3\nq(N) xq(N)", "\"N\" \"3\""),
        ("#define H(a) a##1\nH(x y)", "x y1"),
        ("#define O a ## b\nO", "ab"),
    ];
    for (text, expected) in cases {
        check(text, expected);
    }
    fails("#define p(a,b) a##b\np(.,x)", "bad-macro", "joins `.` and `x`");
    fails("#define p(a) ## a", "bad-macro", "between two tokens");
    fails("#define p(a) #b", "bad-macro", "followed by a parameter");
}

#[test]
fn variadic_macros_take_the_rest() {
    let cases = [
        ("#define v(...) f(__VA_ARGS__)\nv() v(1) v(1,2)", "f ( ) f ( 1 ) f ( 1 , 2 )"),
        (
            "#define v(a, ...) f(a, ##__VA_ARGS__)\nv(1) v(1,) v(1,2,3)",
            "f ( 1 ) f ( 1 ) f ( 1 , 2 , 3 )",
        ),
        ("#define v(a, rest...) [rest] a #rest\nv(1,2, 3)", "[ 2 , 3 ] 1 \"2, 3\""),
    ];
    for (text, expected) in cases {
        check(text, expected);
    }
    fails("#define v(a,...) a\n#define w(a) __VA_ARGS__", "bad-macro", "`...`");
}

#[test]
fn wrong_calls_are_reported() {
    fails("#define f(a,b) a\nf(1)", "bad-macro", "takes 2 arguments, but 1 was given");
    fails("#define f() a\nf(1)", "bad-macro", "takes 0 arguments, but 1 was given");
    fails("#define f(a) a\nf(1", "unclosed", "no closing `)`");
    fails("#define f(a,a) a", "bad-macro", "appears twice");
    fails("#define 1 2", "bad-macro", "cannot be named");
    fails("#define A 1\n#define A 2", "macro-redefined", "`A`");
    fails("#undef __LINE__", "bad-macro", "built in");
    check("#define A 1 /* x */ + 2\n#define A 1 + 2\nA", "1 + 2");
}

#[test]
fn conditions_are_evaluated() {
    let holds = [
        "1 + 2 * 3 == 7",
        "!UNDEFINED",
        "defined(A) && !defined B",
        "A == 2 || 1 / 0",
        "0 ? 1 / 0 : 1",
        "-1 < 0 && -1 > 0u",
        "(1 << 4 | 3) == 19 && (0xff & ~0xf0) == 15",
        "7 % 4 == 3 && -7 / 2 == -3",
        "1 ? 2 : 0",
        "true && !false",
        "'a' == 97",
        "__HLSL_VERSION >= 2021 && __SHADER_TARGET_MAJOR == 6",
        "__SHADER_TARGET_STAGE == __SHADER_STAGE_COMPUTE",
        "F(2) == 4",
        "9223372036854775808 > 0",
        "(2 , 1)",
        "1 << 70 == 0 && (-8 >> 1) == -4",
        "- - 1 == 1",
    ];
    for condition in holds {
        let text =
            format!("#define A 2\n#define F(x) x * 2\n#if {condition}\nyes\n#else\nno\n#endif");
        check(&text, "yes");
    }
    for (wrong, message) in [
        ("1 +", "expected a value"),
        ("", "expected a condition"),
        ("1 / 0", "division by zero"),
        ("F(1)", "`F`"),
        ("1.5", "not an integer"),
        ("(1", "expected `)`"),
        ("1 2", "expected an operator"),
        ("defined(", "defined(NAME)"),
        ("1 ? 2", "expected `:`"),
        ("\"a\"", "expected a value"),
    ] {
        fails(&format!("#if {wrong}\n#endif"), "bad-condition", message);
    }
}

#[test]
fn groups_are_chosen_and_skipped() {
    let cases = [
        ("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne", "b e"),
        ("#if 0\n# if 1\na\n# else\nb\n# endif\n#else\nc\n#endif", "c"),
        ("#ifdef X\na\n#elifndef X\nb\n#endif", "b"),
        ("#ifndef X\na\n#endif /* done */ // really\nb", "a b"),
        (
            "#if 0\ndon't \"open /* x */ \n /* \n#endif\n */ @ # nonsense ' \"\n#error no\n#endif\nok",
            "ok",
        ),
        ("#if 1\na\n#elif 1/0 nonsense\nb\n#endif", "a"),
        ("#define f(x) x\nf(\n#if 1\na\n#else\nb\n#endif\n)", "a"),
        ("  #  define A 1\n# \nA", "1"),
        ("a /*\n#error no\n*/ b // \\\n#error no\nc", "a b c"),
    ];
    for (text, expected) in cases {
        check(text, expected);
    }
    fails("#if 1\na", "unbalanced-condition", "no `#endif`");
    fails("#endif", "unbalanced-condition", "without `#if`");
    fails("#if 0\n#else\n#else\n#endif", "unbalanced-condition", "after `#else`");
    fails("#elif 1", "unbalanced-condition", "without `#if`");
}

#[test]
fn other_directives_have_their_effects() {
    fails("#error  wrong width ", "error-directive", "wrong width");
    fails("#warning \"hm\"", "warning-directive", "hm");
    fails("#inclde \"x\"", "bad-directive", "`#inclde` is not a directive");
    fails("#pragma ones", "unknown-pragma", "ones");
    fails("#line x", "bad-directive", "line number");
    fails("#ifdef A B\n#endif", "extra-tokens", "#ifdef A");
    check(
        "#pragma warning(disable: 3557)\n#line 7 \"gen.hlsl\"\n__LINE__ __FILE__",
        "7 \"gen.hlsl\"",
    );
    check("__COUNTER__ __COUNTER__\n__LINE__", "0 1 2");
    check("#define L __LINE__\n\nL", "3");
    let run = run("#pragma kernel A\n#pragma odd A\n#pragma odd B\n");
    assert_eq!(run.codes(), ["unknown-pragma"]);
}

#[test]
fn pack_matrix_marks_the_tokens_after_it() {
    let run = run("a\n#pragma pack_matrix(row_major)\nb\n#pragma pack_matrix(column_major)\nc");
    let marks: Vec<bool> =
        run.tokens.list.iter().map(|it| it.flags.has(Flags::ROW_MAJOR)).collect();
    assert_eq!(marks, [false, true, false, false]);
}

#[test]
fn files_are_included() {
    let files = [
        ("once.h", "#pragma once\nonce"),
        ("guard.h", "// c\n#ifndef G\n#define G\nguard\n#endif\n"),
        ("dir/sub.h", "sub"),
        ("a.h", "#include \"b.h\"\n"),
        ("b.h", "#include \"a.h\"\n"),
        ("open.h", "#if 1\n"),
    ];
    let include = |text: &str| run_with(text, &files, &Options::default());
    let twice = include(
        "#include \"once.h\"\n#include <once.h>\n#include \"guard.h\"\n#include \"guard.h\"\nend",
    );
    assert_eq!((twice.text().as_str(), twice.codes()), ("once guard end", vec![]));
    assert_eq!(include("#include \"dir\\sub.h\" // c\nx").text(), "sub x");
    assert_eq!(
        include("#define P <dir/sub.h>\n#define Q \"once.h\"\n#include P\n#include Q").text(),
        "sub once"
    );
    assert_eq!(include("#include \"a.h\"\n#include \"nothing.h\"").codes(), ["include-cycle"]);
    assert_eq!(include("#include \"nothing.h\"\nx").codes(), ["file-not-found"]);
    assert_eq!(include("#include nothing\nx").codes(), ["bad-directive"]);
    assert_eq!(include("#include \"open.h\"\n#endif").codes().len(), 2);
    // The second reading of a guarded file does not even enter the map.
    let files = twice.sources.files().filter(|(_, it)| it.name.as_ref() == "guard.h").count();
    assert_eq!(files, 1);
}

#[test]
fn the_command_line_defines_macros() {
    let define = |name: &str, value: Option<&str>| (name.to_string(), value.map(str::to_string));
    let options = Options {
        defines: vec![
            define("A", None),
            define("B", Some("x\n#error")),
            define("F(a)", Some("a + a")),
        ],
        ..Options::default()
    };
    let run = run_with("A B F(2)", &[], &options);
    assert_eq!(run.text(), "1 x # error 2 + 2");
}

#[test]
fn tokens_know_the_expansion_they_come_from() {
    let run = run("#define IN(x) x + bad\n#define OUT IN(1)\nOUT;");
    let token = |text: &str| {
        let found = run.tokens.list.iter().find(|it| run.tokens.names.text(it.symbol) == text);
        found.unwrap().span
    };
    let bad = token("bad");
    let inner = run.sources.expansion(bad.expansion).unwrap();
    let outer = run.sources.expansion(inner.call.expansion).unwrap();
    assert_eq!((inner.name.as_ref(), outer.name.as_ref()), ("IN", "OUT"));
    assert_eq!(run.sources.text(bad), "bad");
    assert_eq!(run.sources.text(inner.definition), "IN");
    assert_eq!(run.sources.location(bad).unwrap().line, 3);
    // Arguments stay where they were written.
    assert_eq!(run.sources.text(token("1")), "1");
}

#[test]
fn unclosed_constructs_are_reported_where_they_open() {
    fails("a /* b", "unclosed", "comment");
    fails("\"abc", "unclosed", "string");
    fails("'a", "unclosed", "character");
    fails("#if 0\n/* b", "unclosed", "comment");
}

#[test]
fn runaway_input_ends_early() {
    let mut doubling = String::from("#define A0 x x\n");
    for i in 1..64 {
        doubling += &format!("#define A{i} A{} A{}\n", i - 1, i - 1);
    }
    doubling += "A63\n";
    let empty = doubling.replace("x x", "");
    let mut quoting = String::from("#define S(x) #x\n#define X(x) S(x)\n");
    quoting += &"X(".repeat(200);
    quoting += "\"a\"";
    quoting += &")".repeat(200);
    let calls = |count| format!("#define f(x) x\n{}1{}", "f(".repeat(count), ")".repeat(count));
    let (nested, far_nested) = (calls(2000), calls(100_000));
    let pasting = "#define P(x) x##x\n#define Q(x) P(x)\n".to_string()
        + &"Q(".repeat(64)
        + "a"
        + &")".repeat(64);
    let parens = format!("#if {}1\n#endif", "(".repeat(100_000));
    let minus = format!("#if {}1\n#endif", "- ".repeat(100_000));
    for (name, text, code) in [
        ("doubling", doubling, Some("too-large")),
        ("empty", empty, Some("too-large")),
        ("quoting", quoting, Some("too-large")),
        ("nested", nested, Some("nesting-too-deep")),
        ("far nested", far_nested, Some("too-large")),
        ("pasting", pasting, None),
        ("parens", parens, Some("nesting-too-deep")),
        ("minus", minus, None),
    ] {
        let run = run(&text);
        assert!(code.is_none_or(|code| run.codes().contains(&code)), "{name}: {:?}", run.codes());
    }
}

#[test]
fn a_file_that_includes_itself_twice_ends() {
    let run = run_with(
        "#include \"s.h\"",
        &[("s.h", "#include \"s.h\"\n#include \"s.h\"\n")],
        &Options::default(),
    );
    assert_eq!(run.codes(), ["include-cycle"]);
}

#[test]
fn any_text_is_processed_without_panic() {
    // Every prefix of a text that uses all features.
    let text = "#define f(a,b...) #a a##b\n#if defined(f) && (1?2:0)\nf(x,\"y\\\"\",'z')/*c*/\n#elif 1\n#endif\n\
                #include <x>\n#line 3 \"q\"\n#pragma once\n1.5e+3f \\\n .. ... @ \u{e4}";
    for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
        run(&text[..end]);
    }
}
