//! Bombs: kinds of source text that look harmless and ask for much time or memory, each of any size.
//!
//! A test counts the work that each causes (`tests/it/bombs.rs`), and `cargo xtask bombs` measures what a compiler
//! process takes for a megabyte of each. A new kind is a row of [`BOMBS`].
//!
//! Bombs of the front end alone, which need no size to be dangerous, are in `hlsl/src/bombs.rs`.

/// A kind of source.
pub struct Bomb {
    pub name: &'static str,
    /// The text, by the number of statements, cases or other parts that the kind repeats.
    pub source: fn(usize) -> String,
}

impl Bomb {
    /// The largest text of this kind that has at most that many bytes.
    pub fn fill(&self, bytes: usize) -> String {
        let (mut fits, mut exceeds) = (1, 2);
        while (self.source)(exceeds).len() <= bytes {
            (fits, exceeds) = (exceeds, exceeds * 2);
        }
        while fits + fits / 64 + 1 < exceeds {
            let middle = fits.midpoint(exceeds);
            match (self.source)(middle).len() <= bytes {
                true => fits = middle,
                false => exceeds = middle,
            }
        }
        (self.source)(fits)
    }
}

/// The bomb of that name.
pub fn named(name: &str) -> &'static Bomb {
    BOMBS.iter().find(|it| it.name == name).expect("a row of the table")
}

pub const BOMBS: &[Bomb] = &[
    Bomb { name: "cases", source: cases },
    Bomb { name: "cases that fall through", source: falling },
    Bomb { name: "a switch for all lanes", source: uniform_cases },
    Bomb { name: "a switch whose cases load", source: loading_cases },
    Bomb { name: "small switches", source: switches },
    Bomb { name: "variables over branches", source: branches },
    Bomb { name: "variables that live to the end", source: live },
    Bomb { name: "statements", source: statements },
    Bomb { name: "one long expression", source: expression },
    Bomb { name: "parentheses", source: parentheses },
    Bomb { name: "blocks in blocks", source: nested },
    Bomb { name: "stores", source: plain_stores },
    Bomb { name: "stores in branches", source: stores },
    Bomb { name: "branches", source: ifs },
    Bomb { name: "returns", source: returns },
    Bomb { name: "loops", source: loops },
    Bomb { name: "exits of one loop", source: exits },
    Bomb { name: "initialisers", source: initialisers },
    Bomb { name: "initialisers that vary", source: varying_initialisers },
    Bomb { name: "a static table", source: table },
    Bomb { name: "elements of a local array", source: elements },
    Bomb { name: "products of matrices", source: products },
    Bomb { name: "transcendental functions", source: sines },
    Bomb { name: "wave operations", source: waves },
    Bomb { name: "wave reads", source: reads },
    Bomb { name: "atomics", source: atomics },
    Bomb { name: "samples", source: samples },
    Bomb { name: "functions", source: functions },
    Bomb { name: "calls of one function", source: calls },
    Bomb { name: "instances of a template", source: instances },
    Bomb { name: "overloads", source: overloads },
    Bomb { name: "structs", source: structs },
    Bomb { name: "members of a struct", source: members },
    Bomb { name: "resources", source: resources },
    Bomb { name: "members of a constant buffer", source: constants },
    Bomb { name: "macros", source: macros },
    Bomb { name: "macros that call macros", source: macro_chain },
    Bomb { name: "conditions of the preprocessor", source: conditions },
    Bomb { name: "warnings", source: warnings },
    Bomb { name: "errors", source: errors },
    Bomb { name: "attributes", source: attributes },
    Bomb { name: "groupshared variables", source: shared },
];

const HEAD: &str = "RWStructuredBuffer<uint> O;
[numthreads(32, 1, 1)] void main(uint3 t : SV_DispatchThreadID, uint3 g : SV_GroupID) {
uint r = t.x;
";

/// A body of lines around `r`, which it writes at the end.
fn body(lines: impl Iterator<Item = String>) -> String {
    format!("{HEAD}{}\nO[t.x] = r; }}\n", lines.collect::<Vec<_>>().join("\n"))
}

/// A body that repeats one line.
fn repeat(size: usize, line: impl Fn(usize) -> String) -> String {
    body((0..size).map(line))
}

/// A body with declarations before the entry point.
fn declared(declarations: impl Iterator<Item = String>, line: &str) -> String {
    declarations.collect::<Vec<_>>().join("\n") + "\n" + &body(std::iter::once(line.to_owned()))
}

/// One list: `open`, the items with commas between them, `close`.
fn list(size: usize, open: &str, item: impl Fn(usize) -> String, close: &str) -> String {
    open.to_owned() + &(0..size).map(item).collect::<Vec<_>>().join(", ") + close
}

fn switch(size: usize, case: impl Fn(usize) -> String) -> String {
    let cases = (0..size).map(case);
    body(std::iter::once("switch (O[t.x]) {".to_owned()).chain(cases).chain(["}".to_owned()]))
}

fn cases(size: usize) -> String {
    switch(size, |it| format!("case {it}: r += {}; break;", it * 7 % 13))
}

fn falling(size: usize) -> String {
    switch(size, |it| format!("case {it}: r += {};", it * 7 % 13))
}

fn uniform_cases(size: usize) -> String {
    cases(size).replace("O[t.x])", "O[g.x])")
}

fn loading_cases(size: usize) -> String {
    switch(size, |it| format!("case {it}: r += O[{it}]; break;")).replace("O[t.x])", "O[g.x])")
}

fn switches(size: usize) -> String {
    repeat(size, |_| {
        "switch (r) { case 0: r += 1; case 1: r += 2; break; default: r = 5; }".to_owned()
    })
}

/// Variables that live through branches, a fifth as many, each of which changes some of them.
fn branches(size: usize) -> String {
    let made = (0..size).map(|it| format!("uint v{it} = O[t.x + {it}];"));
    let changed = (0..size / 5).map(|branch| {
        let some = (0..size).filter(|it| it % 7 == branch % 7);
        let some: Vec<String> = some.map(|it| format!("v{it} += {branch};")).collect();
        format!("if (O[t.x] == {branch}) {{ {} }}", some.join(" "))
    });
    let read = (0..size).map(|it| format!("r = r * 3 + v{it};"));
    body(made.chain(changed).chain(read))
}

fn live(size: usize) -> String {
    let made = (0..size).map(|it| format!("uint v{it} = O[t.x * {it}];"));
    body(made.chain((0..size).map(|it| format!("r = r * 3 + v{it};"))))
}

fn statements(size: usize) -> String {
    repeat(size, |it| format!("r = r * {} + {};", it % 9 + 3, it % 7))
}

fn expression(size: usize) -> String {
    let terms: Vec<String> = (0..size).map(|it| format!("r * {it}")).collect();
    body(std::iter::once(format!("r = {};", terms.join(" + "))))
}

fn parentheses(size: usize) -> String {
    body(std::iter::once(format!("r = {}r{};", "(".repeat(size), ")".repeat(size))))
}

fn nested(size: usize) -> String {
    body(["if (r > 1) { ".repeat(size), "r++;".to_owned(), "}".repeat(size)].into_iter())
}

fn plain_stores(size: usize) -> String {
    repeat(size, |it| format!("O[t.x + {it}] = t.x;"))
}

fn stores(size: usize) -> String {
    repeat(size, |it| format!("if (r & {it}) O[r] = {};", it % 7))
}

fn ifs(size: usize) -> String {
    repeat(size, |it| format!("if (r & {it}) r += {};", it % 7))
}

fn returns(size: usize) -> String {
    repeat(size, |it| format!("if (r == {it}) return;"))
}

fn loops(size: usize) -> String {
    repeat(size, |it| format!("while (r & {it}) r++;"))
}

fn exits(size: usize) -> String {
    let exits = (0..size).map(|it| format!("if (r == {it}) break; r += 3;"));
    body(
        std::iter::once("for (uint k = 0; k < O[0]; k++) {".to_owned())
            .chain(exits)
            .chain(["}".to_owned()]),
    )
}

fn initialisers(size: usize) -> String {
    let all = list(size, "{ ", |it| (it % 10).to_string(), " }");
    body(std::iter::once(format!("uint a[{size}] = {all}; r = a[t.x * 7];")))
}

fn varying_initialisers(size: usize) -> String {
    let all = list(size, "{ ", |_| "r".to_owned(), " }");
    body(std::iter::once(format!("uint a[{size}] = {all}; r = a[t.x * 7];")))
}

fn table(size: usize) -> String {
    let all = list(size, "{ ", |it| (it % 10).to_string(), " };");
    declared(std::iter::once(format!("static const uint a[{size}] = {all}")), "r = a[t.x];")
}

fn elements(size: usize) -> String {
    let stored = (0..size).map(|it| format!("a[{it}] = t.x;"));
    body(std::iter::once(format!("uint a[{size}];")).chain(stored).chain(["r = a[r];".to_owned()]))
}

fn products(size: usize) -> String {
    body(
        std::iter::once("float4x4 m = t.x;".to_owned())
            .chain((0..size).map(|_| "m = mul(m, m);".to_owned())),
    )
}

fn sines(size: usize) -> String {
    body(
        std::iter::once("float4 v = t.x;".to_owned())
            .chain((0..size).map(|_| "v = sin(v);".to_owned()))
            .chain(["r = asuint(v.x);".to_owned()]),
    )
}

fn waves(size: usize) -> String {
    repeat(size, |_| "r = WavePrefixSum(r);".to_owned())
}

fn reads(size: usize) -> String {
    repeat(size, |_| "r = WaveReadLaneAt(r, r);".to_owned())
}

fn atomics(size: usize) -> String {
    repeat(size, |_| "InterlockedAdd(O[t.x], 1, r);".to_owned())
}

fn samples(size: usize) -> String {
    let lines = (0..size).map(|it| {
        format!("v += T.SampleGrad(S, float2(v.x, {it}), float2(0.5, 0.1), float2(0.001, 0.02));")
    });
    let lines = std::iter::once("float4 v = 0;".to_owned()).chain(lines);
    "Texture2D<float4> T; SamplerState S;\n".to_owned()
        + &body(lines.chain(["r = asuint(v.x);".to_owned()]))
}

fn functions(size: usize) -> String {
    declared((0..size).map(|it| format!("uint f{it}(uint x) {{ return x + {it}; }}")), "r = f0(r);")
}

fn calls(size: usize) -> String {
    "uint f(uint x) { return x * 3 + 1; }\n".to_owned() + &repeat(size, |_| "r = f(r);".to_owned())
}

fn instances(size: usize) -> String {
    "template<uint N> uint f(uint x) { return x * N + 1; }\n".to_owned()
        + &repeat(size, |it| format!("r = f<{it}>(r);"))
}

fn overloads(size: usize) -> String {
    declared(
        (0..size).map(|it| format!("struct T{it} {{ uint a; }}; void f(T{it} x) {{}}")),
        "T0 x = (T0)0; f(x);",
    )
}

fn structs(size: usize) -> String {
    declared(
        (0..size).map(|it| format!("struct S{it} {{ uint a; float b[{}]; }};", it % 9 + 1)),
        "S0 s; s.a = r; r = s.a;",
    )
}

fn members(size: usize) -> String {
    let fields: String = (0..size).map(|it| format!("uint a{it};\n")).collect();
    declared(std::iter::once(format!("struct S {{ {fields} }};")), "S s = (S)r; r = s.a0;")
}

fn resources(size: usize) -> String {
    declared((0..size).map(|it| format!("RWStructuredBuffer<uint> B{it};")), "r = B0[r];")
}

fn constants(size: usize) -> String {
    let fields: String = (0..size).map(|it| format!("uint a{it};\n")).collect();
    declared(std::iter::once(format!("cbuffer C {{ {fields} }}")), "r += a0;")
}

fn macros(size: usize) -> String {
    declared((0..size).map(|it| format!("#define M{it} {it}")), "r += M0;")
}

fn macro_chain(size: usize) -> String {
    let chain = (1..size).map(|it| format!("#define M{it} M{} + 1", it - 1));
    declared(
        std::iter::once("#define M0 1".to_owned()).chain(chain),
        &format!("r = M{};", size - 1),
    )
}

fn conditions(size: usize) -> String {
    repeat(size, |it| format!("#if {it} % 3 == 1\nr += 1;\n#endif"))
}

fn warnings(size: usize) -> String {
    repeat(size, |_| "r = WaveActiveBallot(true).x;".to_owned())
}

fn errors(size: usize) -> String {
    repeat(size, |it| format!("r = missing{it};"))
}

fn attributes(size: usize) -> String {
    repeat(size, |_| "[branch] [loop] while (r > 9) r--;".to_owned())
}

fn shared(size: usize) -> String {
    declared((0..size).map(|it| format!("groupshared uint s{it};")), "s0 = r; r = s0;")
}
