//! Reductions with closures as testers, which look at words only.

use super::*;

/// Texts that compile and have certain words.
struct Needs {
    words: &'static [&'static str],
    window: usize,
    tested: usize,
    /// Whether candidates must parse.
    must_parse: bool,
}

impl Needs {
    fn all(words: &'static [&'static str]) -> Needs {
        Needs { words, window: 1, tested: 0, must_parse: true }
    }
}

impl Tester for Needs {
    fn at_a_time(&self) -> usize {
        self.window
    }

    fn test(&mut self, texts: &[String]) -> Option<Vec<bool>> {
        self.tested += texts.len();
        let keeps = |text: &String| {
            let is_whole = !self.must_parse || compiles(text);
            is_whole && self.words.iter().all(|word| text.contains(word))
        };
        Some(texts.iter().map(keeps).collect())
    }
}

fn compiles(text: &str) -> bool {
    let (mut sources, mut sink) = (diag::SourceMap::new(), diag::Sink::new());
    let main = sources.add("a.hlsl", text).unwrap();
    let options =
        hlsl::Options { shader_model: hlsl::ShaderModel::V6_6, ..hlsl::Options::default() };
    let compiled = hlsl::compile(main, &mut sources, &mut Nothing, &options, &mut sink);
    compiled.is_some() && !sink.has_errors()
}

struct Nothing;

impl hlsl::Includer for Nothing {
    fn read(&mut self, _: &str, _: &str, _: bool) -> Option<(String, std::sync::Arc<str>)> {
        None
    }
}

const TEXT: &str = "\
#define TWICE(x) ((x) * 2)
RWStructuredBuffer<uint> Out; // where it goes
struct Pair { uint a; float3 b; };
float unused(float x) { return x + 1; }
uint sum(uint a, uint b, uint c) { return a + WaveActiveSum(b) + TWICE(c); }
void put(uint at, uint value) { Out[at] = value; }
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex) {
    Pair p; p.a = lane; p.b = float3(1, 2, 3);
    uint total = 0;
    for (uint i = 0; i < 4; ++i) {
        if (lane % 2 == 0) { total += sum(i, lane, id.x); } else { total += p.a; }
    }
    switch (lane & 3) { case 0: total += 1; break; case 1: total += 2; break; default: break; }
    put(id.x, total);
}
";

#[test]
fn a_program_shrinks_to_what_matters() {
    let mut tester = Needs::all(&["WaveActiveSum", "Out["]);
    let reduced = reduce(TEXT, &Settings::default(), &mut tester);
    // Two functions that nothing calls, and an empty `main`: the tester looks at the text alone.
    let expected = "\
RWStructuredBuffer<uint> Out;
uint sum() {
    return WaveActiveSum(0);
}
void put() {
    Out[0];
}
[numthreads(1, 1, 1)]
void main() {
}
";
    assert_eq!(reduced.text, expected);
    assert!(!reduced.stopped);
    assert!(tester.tested < 400, "{}", tester.tested);
}

/// A call that only decides about other statements stays without them.
#[test]
fn calls_in_conditions_outlive_their_statements() {
    for statement in [
        "for (; WaveActiveAllTrue(id > 3); ) { Out[id] = 1; }",
        "while (WaveActiveAllTrue(id > 3)) { Out[id] = 1; }",
        "do { Out[id] = 1; } while (WaveActiveAllTrue(id > 3));",
        "if (WaveActiveAllTrue(id > 3)) { Out[id] = 1; }",
        "switch (WaveActiveAllTrue(id > 3)) { case 0: Out[id] = 1; break; default: break; }",
    ] {
        let text = format!(
            "RWStructuredBuffer<uint> Out;\n[numthreads(64, 1, 1)]\n\
             void main(uint id : SV_GroupIndex) {{\n    {statement}\n}}\n"
        );
        let mut tester = Needs::all(&["WaveActiveAllTrue"]);
        let reduced = reduce(&text, &Settings::default(), &mut tester);
        let expected = "\
[numthreads(1, 1, 1)]
void main() {
    WaveActiveAllTrue(0);
}
";
        assert_eq!(reduced.text, expected, "{statement}");
    }
}

#[test]
fn the_result_does_not_depend_on_how_many_are_tested_at_a_time() {
    let of = |window, attempts| {
        let mut tester = Needs { window, ..Needs::all(&["switch", "case 1"]) };
        let settings = Settings { attempts, ..Settings::default() };
        let reduced = reduce(TEXT, &settings, &mut tester);
        assert!(attempts.is_none_or(|most| reduced.attempts <= most));
        assert!(window > 1 || tester.tested == reduced.attempts);
        reduced
    };
    for attempts in [None, Some(1), Some(17), Some(40)] {
        let one = of(1, attempts);
        assert_eq!(one.stopped, attempts.is_some());
        for window in [2, 3, 16] {
            let many = of(window, attempts);
            assert_eq!(one, many, "{window} {attempts:?}");
        }
    }
}

#[test]
fn a_text_that_does_not_parse_is_reduced_by_words() {
    let text = "void f() {\n    int a = (1 + ;\n    b($ 2);\n}\nint c;\n";
    let mut tester = Needs { must_parse: false, ..Needs::all(&["+ ;", "$"]) };
    let reduced = reduce(text, &Settings::default(), &mut tester);
    assert!(reduced.text.split_whitespace().count() <= 3, "{}", reduced.text);
}

#[test]
fn an_interesting_text_without_smaller_ones_stays() {
    let text = "RWStructuredBuffer<uint> Out;\n";
    struct Never;
    impl Tester for Never {
        fn test(&mut self, texts: &[String]) -> Option<Vec<bool>> {
            Some(vec![false; texts.len()])
        }
    }
    let reduced = reduce(text, &Settings::default(), &mut Never);
    assert_eq!(reduced.text, text);
}

#[test]
fn reduction_ends_where_everything_is_interesting() {
    struct Always;
    impl Tester for Always {
        fn test(&mut self, texts: &[String]) -> Option<Vec<bool>> {
            Some(vec![true; texts.len()])
        }
    }
    for text in [TEXT, "((((", "\u{0}\u{ff}\"", "#if\n#define X(\n", "a b c"] {
        let reduced = reduce(text, &Settings::default(), &mut Always);
        assert!(reduced.text.trim().is_empty(), "{:?}", reduced.text);
    }
}
