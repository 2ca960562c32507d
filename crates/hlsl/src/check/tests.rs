//! Tests of the checker: small programs and the expected reports.

use std::sync::Arc;

use diag::{Diagnostic, Level, Sink, SourceMap};

use crate::hir::Program;
use crate::options::{Options, ShaderModel, Version};
use crate::preprocess::{Includer, preprocess};

struct NoFiles;

impl Includer for NoFiles {
    fn read(&mut self, _: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        None
    }
}

fn check_with(text: &str, options: &Options) -> (Option<Program>, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let file = sources.add("main.hlsl", text).unwrap();
    let mut sink = Sink::new();
    let tokens = preprocess(file, &mut sources, &mut NoFiles, options, &mut sink);
    let file = crate::parse(&tokens, options, &mut sink);
    let program = super::check(&file, options, &mut sink);
    (program, sink.into_sorted())
}

/// Declarations followed by an empty entry point, or a whole program.
fn whole(text: &str) -> String {
    match text.contains("main(") {
        true => text.to_owned(),
        false => format!("{text}\n[numthreads(1, 1, 1)] void main() {{}}\n"),
    }
}

/// Statements as the body of an entry point.
fn body(text: &str) -> String {
    format!(
        "RWStructuredBuffer<uint> result; RWByteAddressBuffer raw; StructuredBuffer<float4> input;\n\
         [numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) {{ {text} }}\n"
    )
}

fn messages(reports: &[Diagnostic]) -> String {
    reports.iter().map(|it| format!("\n  {}: {}", it.code.name, it.message)).collect()
}

#[track_caller]
fn good_with(text: &str, options: &Options) -> Program {
    let (program, reports) = check_with(&whole(text), options);
    assert!(reports.is_empty(), "{text}{}", messages(&reports));
    program.unwrap_or_else(|| panic!("{text}"))
}

#[track_caller]
fn good(text: &str) -> Program {
    good_with(text, &Options::default())
}

#[track_caller]
fn reported_with(text: &str, options: &Options, codes: &str) {
    let (program, reports) = check_with(&whole(text), options);
    let found: Vec<&str> = reports.iter().map(|it| it.code.name).collect();
    assert_eq!(found.join(" "), codes, "{text}{}", messages(&reports));
    let failed = reports.iter().any(|it| it.level >= Level::Error);
    assert_eq!(program.is_none(), failed, "{text}");
}

#[track_caller]
fn reported(text: &str, codes: &str) {
    reported_with(text, &Options::default(), codes);
}

fn version(version: Version) -> Options {
    Options { hlsl_version: version, ..Options::default() }
}

fn model(major: u8, minor: u8) -> Options {
    Options { shader_model: ShaderModel { major, minor }, ..Options::default() }
}

#[test]
fn ordinary_statements_and_expressions_are_accepted() {
    for text in [
        "uint a = 1, b = a + 2; result[id.x] = a * b;",
        "float x = 1; x += 2; x = -x; x++; --x; bool c = x < 2 && !(x > 1) || id.x == 3;",
        "float4 v = float4(1, 2.0, id.xy); v.xz = v.zx; v[id.x & 3] = 1; float s = dot(v, v.wzyx);",
        "float3x4 m = (float3x4)0; m._m00_m11 = float2(1, 2); m[1].yz = 3; float4 r = m[id.x];",
        "int i = id.x > 3 ? -1 : 1; uint u = i; u <<= 2; u |= 1u; u = ~u ^ 0xff;",
        "for (uint i = 0, j = 10; i < j; i++, j--) { if (i == 3) continue; if (i == 5) break; }",
        "while (true) { break; } do { } while (false);",
        "switch (id.x) { case 0: case 1: break; case 2u: { return; } default: break; }",
        "uint a[2][3] = { 1, 2, 3, { 4, 5, 6 } }; a[1][id.x] = 2; uint b[] = { 1, 2 };",
        "uint64_t w = 1; w = w << 40; uint lo = (uint)w; double d = 1.5L; d *= 2;",
        "float f = 1e3; half h = f; min16float m = h * 0.5; f = m;",
        "raw.Store(4, raw.Load(0)); raw.Store<float>(8, 1.0); float2 v = raw.Load<float2>(8);",
        "uint old; InterlockedAdd(result[0], 1, old); raw.InterlockedMax(0, 3u); InterlockedOr(result[1], 2);",
        "float4 v = input[id.x]; float s = input.Load(1).x + v.r; uint n, stride; input.GetDimensions(n, stride);",
        "uint n = 3; { float n = 2.0; n = n.xxx.y; } n++; (void)n;",
        "float2 p = id.xy; p = p * 2 + 1; p = p.x.xx; float2 q = { p }; q = (float2)0;",
        "precise float x = 1; const uint k = 3; uint a[k]; a[0] = k; x = k;",
        "bool b = 5; b = id.x; int i = b + b; uint u = true;",
        "uint x; x = id.x, id.y; uint3 t = id; t.x = t.y = 2; t = max(t, 3);",
        "static const uint table[3] = { 1, 2, 3 }; result[0] = table[id.x % 3];",
        "static uint counter = 0; counter++;",
        "float x = 0x10; x = 1.f; x = .5h; x = 8 / 4; x = 1 << 3; uint s = sizeof(float4) + sizeof(x);",
    ] {
        good(&body(text));
    }
}

#[test]
fn wave_functions_are_accepted() {
    for text in [
        "result[id.x] = WaveActiveSum(id.x) + WavePrefixSum(1) + WaveGetLaneIndex() / WaveGetLaneCount();",
        "float3 v = WaveActiveMin(float3(1, 2, 3)); bool b = WaveIsFirstLane() || WaveActiveAnyTrue(id.x > 3);",
        "uint4 m = WaveActiveBallot(id.x); uint n = WaveActiveCountBits(true) + countbits(m.x) + m[id.x];",
        "uint lo = (uint)WaveActiveBallot(id.x == 1);",
        "bool3 e = WaveActiveAllEqual(id); float4x4 f = WaveReadLaneFirst((float4x4)1);",
        "uint4 g = WaveMatch(id.x); uint s = WaveMultiPrefixSum(id.y, g) + WaveMultiPrefixCountBits(id.x > 1, g);",
        "uint r = WaveReadLaneAt(id.x, 3) + QuadReadAcrossX(id.x) + QuadReadLaneAt(id.x, 1u);",
        "uint a = WaveActiveBitAnd(id.x) | WaveActiveBitOr(1); min16float h = WaveActiveMax((min16float)id.x);",
        "bool q = QuadAny(id.x > 1) && QuadAll(id.y); if (IsHelperLane()) return;",
    ] {
        good(&body(text));
    }
}

#[test]
fn declarations_are_accepted() {
    for text in [
        "struct A { float x; uint y[2]; struct B { int z; } b; }; static A a; static const A k = { 1, 2, 3, 4 };",
        "struct A { float x; float get() { return x; } void set(float v) { x = v; this.x = v; } static uint n() { return 2; } static const uint K = 5; };
         [numthreads(A::K, 1, 1)] void main() { A a; a.set(1); float f = a.get(); uint n = A::n() + A::K + a.K; }",
        "struct Base { uint a; uint sum() { return a; } }; struct D : Base { uint b; uint both() { return sum() + b + a; } };
         [numthreads(1, 1, 1)] void main() { D d = (D)0; d.a = 1; uint x = d.sum() + d.both(); Base c = d; }",
        "namespace N { static const uint W = 4; namespace M { enum E { One = 1, Two, Four = Two * 2 }; } uint f(uint x) { return x + M::Four; } }
         using namespace N; [numthreads(N::M::Four, M::Two, W)] void main() { uint a = f(1) + N::f(2); M::E e = M::One; }",
        "enum class E : uint { A = 1, B }; typedef uint2 P; using Q = float3; typedef uint Arr[4];
         [numthreads(1, 1, 1)] void main() { E e = E::B; P p = 1; Q q = 2; Arr a; a[3] = (uint)e; switch (e) { case E::A: break; } }",
        "uint twice(uint x) { return x * 2; } float twice(float x) { return x * 2; } uint2 twice(uint2 x);
         uint2 twice(uint2 x) { return x * 2; } void add(inout uint x, in uint y = 1, out uint z) { x += y; z = x; }
         [numthreads(1, 1, 1)] void main() { uint a = twice(1); float b = twice(1.5); uint2 c = twice(uint2(1, 2)); uint z; add(a, 2, z); float f; add(f, 1, f); }",
        "bool all(bool a, uint b) { return a; } uint min(uint a, uint b, uint c) { return min(min(a, b), c); }
         [numthreads(1, 1, 1)] void main() { bool x = all(true, 1) && all(bool2(1, 0)); uint m = min(1u, 2u, 3u) + min(1u, 2u); }",
        "float3 pick(float3 a, float3 b) { return a; } float pick(float a, float b) { return b; } uint pick(uint a, uint b) { return a; } int pick(int a, int b) { return a; }
         [numthreads(1, 1, 1)] void main() { float3 v = pick(float3(1, 2, 3), 1.0f); uint u = pick(1, 2u); }",
        "template<typename T> T twice(T x) { return x + x; } template<typename T, uint N = 2> struct S { T a[N]; T first() { return a[0]; } };
         [numthreads(1, 1, 1)] void main() { uint a = twice(2u); float3 v = twice<float3>(1); S<float> s; s.a[1] = 2; S<uint, 4> t; t.a[3] = t.first(); }",
        "template<typename T> struct Id { T v; }; template<> struct Id<bool> { uint w; }; template<typename T> uint f(Id<T> x, vector<T, 3> y) { return 1; }
         template<> uint f<int>(Id<int> x, vector<int, 3> y) { return 2; }
         [numthreads(1, 1, 1)] void main() { Id<bool> b; b.w = 1; Id<uint> i = (Id<uint>)0; uint n = f(i, uint3(1, 2, 3)); Id<int> j = (Id<int>)0; n = f(j, int3(1, 2, 3)); }",
        "struct V { float x; V operator+(V o) { V r; r.x = x + o.x; return r; } float operator[](uint i) { return x; } float operator()(uint i) { return x; }
         V operator*(float b) { V r; r.x = x * b; return r; } };
         [numthreads(1, 1, 1)] void main() { V a = { 1 }, b = a + a; b = b * 2; float f = b[0] + b(1); }",
        "struct F { uint a : 3; uint b : 5; int c : 30; bool d : 1; }; [numthreads(1, 1, 1)] void main() { F f = (F)0; f.a = 2; f.b += f.a; uint x = f.b; }",
        "cbuffer C : register(b1) { float4 color; uint n : packoffset(c2.y); float3x3 m; }; tbuffer T { uint q; }",
        "struct P { uint a; float3 b; }; ConstantBuffer<P> p : register(b2, space1); uint loose; float4 tint[2];
         uint f(P p) { return p.a; } [numthreads(1, 1, 1)] void main() { float3 x = p.b; uint y = p.a + loose; float4 t = tint[1]; y = f(p); P c = p; }",
        "RWStructuredBuffer<uint> a[4] : register(u3); Buffer<unorm float4> t; RWBuffer<float> w; AppendStructuredBuffer<uint2> ap; RWStructuredBuffer<uint> many[] : register(u0, space2);
         void put(RWStructuredBuffer<uint> b, uint i) { b[i] = i; }
         [numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { a[1][i] = 2; put(a[i], 3); float4 f = t[i]; w[i] = f.x; ap.Append(uint2(1, 2)); many[NonUniformResourceIndex(i)][0] = 1; RWStructuredBuffer<uint> l = a[0]; l[1] = 2; }",
        "groupshared uint gs[64]; groupshared struct { uint a; float4 b; } item; groupshared uint4 v[2];
         [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) { gs[i] = i; GroupMemoryBarrierWithGroupSync(); item.a = gs[63 - i]; InterlockedAdd(v[1].y, 2); uint o; InterlockedCompareExchange(gs[0], 1, 2, o); }",
        "struct In { uint3 id : SV_DispatchThreadID; uint gi : SV_GroupIndex; }; RWStructuredBuffer<uint> o; [numthreads(8, 1, 1)] void main(In i, uint g : SV_GroupID) { o[i.id.x] = i.gi + g; }",
        "Texture2D<float4> t; SamplerState s; float4 unused(float2 uv) { return t.Sample(s, uv); }",
        "[RootSignature(\"UAV(u0)\")] [shader(\"compute\")] [WaveSize(32)] [numthreads(32, 1, 1)] void main() { [unroll] for (uint i = 0; i < 4; i++) { [branch] if (i > 2) break; } }",
        "static_assert(sizeof(uint) == 4, \"words\"); static const uint N = 1 << 3; static const float F = 0.5 * N; static_assert(N == 8 && F > 3.5, \"n\");",
        "float sum(float a[3]) { return a[0] + a[2]; } [numthreads(1, 1, 1)] void main() { float a[3] = { 1, 2, 3 }; float s = sum(a); }",
        "struct R { RWStructuredBuffer<uint> b; uint n; }; RWStructuredBuffer<uint> g; [numthreads(1, 1, 1)] void main() { R r; r.b = g; r.n = 1; r.b[0] = r.n; }",
    ] {
        good(text);
    }
}

#[test]
fn mistakes_in_functions_are_reported_once() {
    for (text, codes) in [
        ("uint x = y;", "unknown-name"),
        ("uint x = reslt[0];", "unknown-name"),
        ("uint x = WaveActiveSmu(1);", "unknown-name"),
        ("foo(1, bar);", "unknown-name unknown-name"),
        ("float x = id;", "implicit-truncation"),
        ("float3 v = float2(1, 2);", "type-mismatch"),
        ("float3 v = float3(1, 2);", "bad-initializer"),
        ("float3 v = { 1, 2 };", "bad-initializer"),
        ("float3 v; v.w = 1;", "index-out-of-range"),
        ("float3 v; v.q = 1;", "unknown-name"),
        ("uint a[3]; a[3] = 1;", "index-out-of-range"),
        ("input[0] = 1;", "not-assignable"),
        ("const uint k = 1; k = 2;", "not-assignable"),
        ("1 = 2;", "not-assignable"),
        ("float4 v; v.xx = 2;", "not-assignable"),
        ("uint l = 0; InterlockedAdd(l, 1);", "not-assignable"),
        ("break;", "misplaced-statement"),
        ("switch (id.x) { case 1: continue; }", "misplaced-statement"),
        ("switch (id.x) { case 1: case 1: break; }", "duplicate-label"),
        ("switch (id.x) { default: break; default: break; }", "duplicate-label"),
        ("uint n = 2; uint a[n];", "not-constant"),
        ("uint n = 2; switch (1) { case n: break; }", "not-constant"),
        ("uint a; float a;", "duplicate-name"),
        ("return 1;", "type-mismatch"),
        ("if (id > 1) {}", "vector-condition"),
        ("bool3 b = id > 1 && id < 3;", "vector-condition"),
        ("uint3 b = id > 1 ? id : 3;", "vector-condition"),
        ("float f = 1.5 % 2; f = 1.5 << 2;", "type-mismatch"),
        ("raw[0] = 1;", "type-mismatch"),
        ("result.Lod(1);", "unknown-name"),
        ("uint x = main;", "type-mismatch"),
        ("uint x = WaveActiveBitAnd(1.5);", "no-matching-function"),
        ("uint x = WaveReadLaneAt(1);", "no-matching-function"),
        ("int x = WaveActiveBitOr((int)id.x);", "dxc-portability"),
        ("uint x = WaveAllSum(id.x);", "draft-name"),
        ("uint x = WaveRotate(id.x, 1);", "slang-only"),
        ("uint x = WaveBroadcastLaneAt(id.x, id.y);", "slang-only not-constant"),
        ("uint x = QuadReadLaneAt(id.x, 4);", "index-out-of-range"),
        ("float16_t x = 1;", "needs-16bit-types"),
        ("float x = dot(float3(1, 2, 3));", "no-matching-function"),
    ] {
        reported(&body(text), codes);
    }
}

#[test]
fn mistakes_in_declarations_are_reported_once() {
    for (text, codes) in [
        ("void f(uint a) {} [numthreads(1, 1, 1)] void main() { f(); }", "no-matching-function"),
        ("void f(uint a); [numthreads(1, 1, 1)] void main() { f(1); }", "undefined-function"),
        (
            "void f(int a, float b) {} void f(float a, int b) {} [numthreads(1, 1, 1)] void main() { f(1, 1); }",
            "ambiguous-call",
        ),
        (
            "void f(out uint a) { a = 1; } [numthreads(1, 1, 1)] void main() { f(3); }",
            "no-matching-function",
        ),
        (
            "uint f(uint n) { return n < 2 ? 1 : f(n - 1); } [numthreads(1, 1, 1)] void main() { f(3); }",
            "recursion",
        ),
        ("uint f(uint n) { if (n > 1) return 2; }", "missing-return"),
        ("uint f(uint n) { while (true) { if (n > 1) return 2; n++; } }", ""),
        ("uint f(uint n) { switch (n) { case 1: return 1; default: return 2; } }", ""),
        ("struct S { S inner; };", "bad-declaration"),
        ("struct S { uint a; uint a; };", "duplicate-name"),
        (
            "groupshared uint a[9000]; [numthreads(1, 1, 1)] void main() { a[0] = 1; }",
            "groupshared-too-large",
        ),
        ("groupshared uint a[9000];", ""),
        ("uint a[0x7fffffff]; void g() { float b[70000][70000]; }", "too-large too-large"),
        ("uint f() { return 1; } uint f() { return 2; }", "duplicate-name"),
        ("static_assert(1 == 2, \"no\");", "static-assert"),
        ("void main() {}", "bad-entry-point"),
        ("[numthreads(64, 64, 1)] void main() {}", "bad-attribute"),
        ("[numthreads(0, 1, 1)] void main() {}", "bad-attribute"),
        ("[numthreads(1, 1)] void main() {}", "bad-attribute"),
        ("[numthread(1, 1, 1)] [numthreads(1, 1, 1)] void main() {}", "unknown-attribute"),
        ("[numthreads(1, 1, 1)] void main(uint x) {}", "bad-semantic"),
        ("[numthreads(1, 1, 1)] void main(uint x : SV_ThreadID) {}", "bad-semantic"),
        ("[numthreads(1, 1, 1)] void main(float3 x : SV_GroupID) {}", "bad-semantic"),
        ("[WaveSize(24)] [numthreads(1, 1, 1)] void main() {}", "bad-wave-size"),
        ("[WaveSize(32, 16)] [numthreads(1, 1, 1)] void main() {}", "bad-wave-size"),
        ("[WaveSize(16, 64, 8)] [numthreads(1, 1, 1)] void main() {}", "bad-wave-size"),
        ("[WaveSize(16)] [WaveSize(32)] [numthreads(1, 1, 1)] void main() {}", "bad-wave-size"),
        ("[WaveSize(16)] [WaveSize(16)] [numthreads(1, 1, 1)] void main() {}", ""),
        ("RWBuffer<uint> a : register(t0);", "bad-register"),
        (
            "RWBuffer<uint> a : register(u1); RWBuffer<uint> b : register(u1); [numthreads(1, 1, 1)] void main() { a[0] = b[0]; }",
            "bad-register",
        ),
        ("uint x = 3; [numthreads(1, 1, 1)] void main() { uint y = x; }", "initializer-ignored"),
        ("uint x; [numthreads(1, 1, 1)] void main() { x = 1; }", "not-assignable"),
        ("template<typename T> struct S { T a; }; static S<1> s;", "bad-template"),
        (
            "TextureCube<float4> t; [numthreads(1, 1, 1)] void main() { float4 c = t[uint2(1, 2)]; }",
            "type-mismatch",
        ),
        ("template<uint N> struct S { S<N + 1> a; }; static S<0> s;", "nesting-too-deep"),
    ] {
        reported(text, codes);
    }
}

#[test]
fn vector_conditions_depend_on_the_language_version() {
    let text = body(
        "uint3 b = id > 1 ? id : 3; bool3 c = id > 1 && id < 3; for (int i = 0; i < 2; i++) {} i = 1; for (int i = 0; i < 2; i++) {}",
    );
    good_with(&text, &version(Version::V2018));
    reported_with(
        "template<typename T> T f(T x) { return x; }",
        &version(Version::V2018),
        "needs-hlsl-2021",
    );
}

#[test]
fn the_shader_model_limits_what_the_entry_point_may_reach() {
    let text = body("uint4 m = WaveMatch(id.x);");
    reported_with(&text, &model(6, 4), "needs-shader-model");
    good_with(&text, &model(6, 5));
    good_with("uint4 f() { return WaveMatch(1); }", &model(6, 0));
    reported_with(&body("uint x = GetGroupWaveIndex();"), &model(6, 9), "needs-shader-model");
    reported_with(
        "[WaveSize(16)] [numthreads(1, 1, 1)] void main() {}",
        &model(6, 5),
        "needs-shader-model",
    );
    reported_with(
        "[WaveSize(16, 32)] [numthreads(1, 1, 1)] void main() {}",
        &model(6, 6),
        "needs-shader-model",
    );
}

#[test]
fn registers_are_assigned_in_declaration_order() {
    let text = "RWBuffer<uint> a : register(u1); RWBuffer<uint> b; RWBuffer<uint> c : register(u2); RWBuffer<uint> d; RWBuffer<uint> e[2]; uint loose;
        cbuffer C { uint n; } [numthreads(1, 1, 1)] void main() { e[1][0] = 1; d[0] = 1; b[0] = n; a[0] = loose; }";
    let program = good(text);
    let registers: Vec<String> =
        program.resources.iter().map(|it| format!("{} {}", it.name, it.register.index)).collect();
    assert_eq!(registers, ["a 1", "b 0", "d 2", "e 3", "$Globals 0", "C 1"]);
}

#[test]
fn only_what_the_entry_point_reaches_is_in_the_program() {
    let text = "RWBuffer<uint> a; RWBuffer<uint> b; static uint s = 1; static uint t; void f() { a[0] = s; } void g() { b[0] = t; }
        [numthreads(4, 2, 1)] void main() { f(); }";
    let program = good(text);
    assert_eq!(program.functions.len(), 2);
    assert_eq!(program.resources.len(), 1);
    assert_eq!(program.globals.len(), 1);
    assert_eq!(program.entry.group_size, [4, 2, 1]);
}

#[test]
fn hostile_programs_are_rejected_with_a_report() {
    for (text, codes) in [
        (
            "template<uint N> struct S { S<N - 1> a; S<N - 1> b; }; template<> struct S<0> { uint x; }; static S<40> s;",
            "too-large",
        ),
        (
            "template<uint N> struct S { uint f() { S<N + 1> s; return s.f(); } }; uint g() { S<0> s; return s.f(); }",
            "too-large",
        ),
        (
            "template<typename A, typename B> struct Q {}; template<uint N> struct S { Q<S<N + 1>, S<N + 2> > q; }; static S<0> s;",
            "nesting-too-deep",
        ),
        (
            "struct A { uint4 a[1000]; }; struct B { A a[1000]; }; struct C { B a[1000]; };",
            "too-large",
        ),
        ("struct S : S {}; struct T : uint {};", "bad-declaration bad-declaration"),
        ("enum E { A = B, B = 1 };", "unknown-name"),
        ("uint f(uint a[]) { return a[0]; }", "bad-declaration"),
    ] {
        reported(text, codes);
    }
    let many =
        |n: usize| (0..n).map(|i| format!("else if (id.x == {i}) {{}} ")).collect::<String>();
    good(&body(&format!("if (id.y) {{}} {}", many(400))));
    reported(&body(&format!("if (id.y) {{}} {}", many(600))), "nesting-too-deep");
    good(&body(&format!("uint x = {};", vec!["id.x"; 1000].join(" + "))));
}

#[test]
fn templates_compute_and_choose() {
    good(
        "template<uint N> struct F { static const uint v = F<N - 1>::v + F<N - 2>::v; };
         template<> struct F<0> { static const uint v = 0; }; template<> struct F<1> { static const uint v = 1; };
         static_assert(F<30>::v == 832040, \"fibonacci\");
         template<bool B, typename T> struct enable_if {}; template<typename T> struct enable_if<true, T> { using type = T; };
         template<typename T> struct is_float { static const bool value = false; }; template<> struct is_float<float> { static const bool value = true; };
         template<typename T> typename enable_if<is_float<T>::value, uint>::type kind(T x) { return 1; }
         template<typename T> typename enable_if<!is_float<T>::value, uint>::type kind(T x) { return 2; }
         [numthreads(1, 1, 1)] void main() { uint a = kind(1.0f) + kind(2u); }",
    );
}

/// The texts after each fix that the reports on a text offer.
fn fixed(text: &str) -> Vec<String> {
    let (_, reports) = check_with(text, &Options::default());
    let helps = reports.iter().flat_map(|it| &it.helps);
    let apply = |fix: &diag::Fix| {
        let (from, to) = (fix.span.lo as usize, fix.span.hi as usize);
        format!("{}{}{}", &text[..from], fix.replacement, &text[to..])
    };
    helps.filter_map(|it| it.fix.as_ref()).map(apply).collect()
}

fn compiles(text: &str) -> bool {
    check_with(text, &Options::default()).1.iter().all(|it| it.level < Level::Error)
}

/// Wherever a user may put it: as a call, as a type, as a value, in front of a declaration, or as a whole declaration.
#[test]
fn every_foreign_name_is_answered() {
    let mut silent = Vec::new();
    for word in crate::foreign::words() {
        let answer = crate::foreign::foreign(word).expect(word).help(word);
        let forms = [
            body(&format!("{word}(1u);")),
            body(&format!("{word} x;")),
            body(&format!("uint x = {word};")),
            format!("{word} float4 x; {}", body("")),
            format!("{word} X {{ }} {}", body("")),
        ];
        let answered = forms.iter().any(|text| {
            let (_, reports) = check_with(text, &Options::default());
            reports.iter().flat_map(|it| &it.helps).any(|it| it.text.contains(&answer))
        });
        if !answered {
            silent.push((word, answer));
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn every_fix_of_a_foreign_name_compiles() {
    let mut tried = 0;
    for word in crate::foreign::words() {
        // A fix keeps the arguments, so it must fit some of each number for which it is offered.
        for count in 0..=4 {
            let calls = ["1u", "1.0", "true", "gs"].map(|it| {
                let args = vec![it; count].join(", ");
                format!("groupshared uint gs; {}", body(&format!("{word}({args});")))
            });
            let offered: Vec<String> = calls.iter().flat_map(|it| fixed(it)).collect();
            tried += offered.len();
            assert!(
                offered.is_empty() || offered.iter().any(|it| compiles(it)),
                "{word} with {count} arguments: {offered:#?}"
            );
        }
        for text in fixed(&body(&format!("{word} x;"))) {
            tried += 1;
            // A fix that names a function or a qualifier does not apply where a type is expected.
            let offered = text.rsplit("{ ").next().and_then(|it| it.split(" x;").next());
            let is_type = offered.is_some_and(crate::parse::is_builtin_type);
            assert!(!is_type || compiles(&text), "{word}: {text}");
        }
    }
    assert!(tried > 400, "{tried}");
}
