//! Tests of the parser: text in, compact trees and reports out.

use std::sync::Arc;

use diag::{Sink, SourceMap};

use crate::ast::*;
use crate::options::Options;
use crate::preprocess::{Includer, preprocess};

struct NoFiles;

impl Includer for NoFiles {
    fn read(&mut self, _: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        None
    }
}

fn parse(text: &str) -> (File, Sink, SourceMap) {
    let mut sources = SourceMap::new();
    let file = sources.add("main.hlsl", text).unwrap();
    let mut sink = Sink::new();
    let options = Options::default();
    let tokens = preprocess(file, &mut sources, &mut NoFiles, &options, &mut sink);
    let file = super::parse(&tokens, &options, &mut sink);
    (file, sink, sources)
}

#[track_caller]
fn good(text: &str) -> File {
    let (file, sink, _) = parse(text);
    let messages: Vec<&str> = sink.as_slice().iter().map(|it| it.message.as_str()).collect();
    assert!(messages.is_empty(), "{text}\n{messages:?}");
    file
}

/// What is reported: line, column and message of each.
fn reports(text: &str) -> Vec<String> {
    let (_, sink, sources) = parse(text);
    let report = |it: &diag::Diagnostic| match sources.location(it.primary.span) {
        Some(at) => format!("{}:{} {}", at.line, at.column, it.message),
        None => it.message.clone(),
    };
    sink.into_sorted().iter().map(report).collect()
}

// The printer: expressions as in Lisp, statements and declarations as keyword and parts.

fn list<T>(all: &[T], show: impl Fn(&T) -> String) -> String {
    all.iter().map(show).collect::<Vec<_>>().join(" ")
}

fn args(args: &Option<Vec<TemplateArg>>) -> String {
    let one = |arg: &TemplateArg| match arg {
        TemplateArg::Type(it) => ty(it),
        TemplateArg::Expr(it) => expr(it),
    };
    args.as_ref().map_or_else(String::new, |args| format!("<{}>", list(args, one)))
}

fn path(path: &Path) -> String {
    let mut out = String::from(if path.global { "::" } else { "" });
    for segment in &path.scope {
        out += &format!("{}{}::", segment.ident.name, args(&segment.args));
    }
    out + &path.last.ident.name + &args(&path.last.args)
}

fn ty(it: &Type) -> String {
    let kind = match &it.kind {
        TypeKind::Void => "void".to_string(),
        TypeKind::Array(element, sizes) => format!("{}{}", ty(element), dims(sizes)),
        TypeKind::Auto => "auto".to_string(),
        TypeKind::Error => "ERROR".to_string(),
        TypeKind::Named(it) => format!("'{}", path(it)),
        TypeKind::Numeric(it) => match it.shape {
            Shape::Scalar => format!("{:?}", it.scalar),
            Shape::Vector(n) => format!("{:?}{n}", it.scalar),
            Shape::Matrix(r, c) => format!("{:?}{r}x{c}", it.scalar),
        },
    };
    list(&it.modifiers.list, |it| format!("{} ", it.0.word())).trim_end().to_string()
        + if it.modifiers.list.is_empty() { "" } else { " " }
        + &kind
}

fn dims(dims: &[Dim]) -> String {
    dims.iter().map(|it| format!("[{}]", it.size.as_ref().map_or(String::new(), expr))).collect()
}

fn expr(it: &Expr) -> String {
    match &it.kind {
        ExprKind::Int(it) => format!("{}{}", it.value, if it.unsigned { "u" } else { "" }),
        ExprKind::Float(it) => format!("{:?}", it.value),
        ExprKind::Bool(it) => it.to_string(),
        ExprKind::String(it) => format!("{it:?}"),
        ExprKind::Name(it) => path(it),
        ExprKind::This => "this".to_string(),
        ExprKind::Unary { op, operand } => format!("({} {})", op.symbol(), expr(operand)),
        ExprKind::Step { op, postfix: true, operand } => {
            format!("(post{} {})", op.symbol(), expr(operand))
        }
        ExprKind::Step { op, postfix: false, operand } => {
            format!("({} {})", op.symbol(), expr(operand))
        }
        ExprKind::Binary { first, rest } => {
            let mut out = expr(first);
            for operand in rest {
                out = format!("({} {out} {})", operand.op.symbol(), expr(&operand.expr));
            }
            out
        }
        ExprKind::Assign { op, target, value, .. } => {
            format!("({}= {} {})", op.map_or("", |it| it.symbol()), expr(target), expr(value))
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            format!("(? {} {} {})", expr(condition), expr(then), expr(otherwise))
        }
        ExprKind::Comma(all) => format!("(, {})", list(all, expr)),
        ExprKind::Cast { ty: to, dims: sizes, operand } => {
            format!("(cast {}{} {})", ty(to), dims(sizes), expr(operand))
        }
        ExprKind::Construct { ty: of, args } => format!("(new {}{})", ty(of), tail(args)),
        ExprKind::Call { callee, args, .. } => format!("(call {}{})", expr(callee), tail(args)),
        ExprKind::Member { base, name, args: with } => {
            format!("{}.{}{}", expr(base), name.name, args(with))
        }
        ExprKind::Index { base, index } => format!("{}[{}]", expr(base), expr(index)),
        ExprKind::List(all) => format!("{{{}}}", list(all, expr)),
        ExprKind::SizeOfType { ty: of, dims: sizes } => {
            format!("(sizeof {}{})", ty(of), dims(sizes))
        }
        ExprKind::SizeOfExpr(of) => format!("(sizeof {})", expr(of)),
        ExprKind::Error => "ERROR".to_string(),
    }
}

fn tail(all: &[Expr]) -> String {
    all.iter().map(|it| format!(" {}", expr(it))).collect()
}

fn attributes(all: &[Attribute]) -> String {
    all.iter()
        .map(|it| {
            let scope = it.scope.as_ref().map_or(String::new(), |it| format!("{}::", it.name));
            format!("[{scope}{}{}] ", it.name.name, tail(&it.args))
        })
        .collect()
}

fn annotations(all: &[Annotation]) -> String {
    all.iter()
        .map(|it| match &it.kind {
            AnnotationKind::Semantic(it) => format!(" :{}", it.name),
            AnnotationKind::Register(it) => format!(" @{:?},{}", it.slot, it.space),
            AnnotationKind::PackOffset { component } => format!(" @c{component}"),
            AnnotationKind::Access { writes, by } => {
                format!(" {}{}", if *writes { "write" } else { "read" }, by.len())
            }
        })
        .collect()
}

fn modifiers(all: &Modifiers) -> String {
    all.list.iter().map(|it| format!("{} ", it.0.word())).collect()
}

fn var(it: &Var) -> String {
    let one = |it: &Declarator| {
        let owner = it.owner.as_ref().map_or(String::new(), |it| format!("{}::", path(it)));
        let bits = it.bits.as_ref().map_or(String::new(), |it| format!(" bits {}", expr(it)));
        let init = match &it.init {
            Some(Initializer::Expr(it)) => format!(" = {}", expr(it)),
            Some(Initializer::StateBlock(_)) => " = state".to_string(),
            None => String::new(),
        };
        format!(
            "{owner}{}{}{bits}{}{init}",
            it.name.name,
            dims(&it.dims),
            annotations(&it.annotations)
        )
    };
    let all: Vec<String> = it.declarators.iter().map(one).collect();
    format!("{}{} {}", modifiers(&it.modifiers), ty(&it.ty), all.join(", "))
}

fn block(it: &Block) -> String {
    format!("{{{}}}", list(&it.stmts, stmt))
}

fn stmt(it: &Stmt) -> String {
    let text = match &it.kind {
        StmtKind::Block(it) => block(it),
        StmtKind::Var(it) => format!("{};", var(it)),
        StmtKind::Item(it) => item(it),
        StmtKind::Expr(it) => format!("{};", expr(it)),
        StmtKind::If(it) => {
            let mut out = String::new();
            for (index, arm) in it.arms.iter().enumerate() {
                let word = if index == 0 { "if" } else { " elif" };
                out += &format!(
                    "{word} {}{} {}",
                    attributes(&arm.attributes),
                    expr(&arm.condition),
                    stmt(&arm.then)
                );
            }
            out + &it.otherwise.as_ref().map_or(String::new(), |it| format!(" else {}", stmt(it)))
        }
        StmtKind::For(it) => {
            let part = |it: &Option<Expr>| it.as_ref().map_or(String::new(), expr);
            format!(
                "for {} {}; {} {}",
                stmt(&it.init),
                part(&it.condition),
                part(&it.step),
                stmt(&it.body)
            )
        }
        StmtKind::While { condition, body } => format!("while {} {}", expr(condition), stmt(body)),
        StmtKind::Do { body, condition } => format!("do {} {}", stmt(body), expr(condition)),
        StmtKind::Switch(it) => {
            let label = |it: &CaseLabel| it.value.as_ref().map_or("default".to_string(), expr);
            let group = |it: &CaseGroup| {
                format!("({}: {})", list(&it.labels, label), list(&it.stmts, stmt))
            };
            format!("switch {} {}", expr(&it.value), list(&it.groups, group))
        }
        StmtKind::Break => "break".to_string(),
        StmtKind::Continue => "continue".to_string(),
        StmtKind::Discard => "discard".to_string(),
        StmtKind::Return(it) => format!("return {}", it.as_ref().map_or(String::new(), expr)),
        StmtKind::Empty => ";".to_string(),
        StmtKind::Error => "ERROR".to_string(),
    };
    attributes(&it.attributes) + &text
}

fn template(head: &Option<TemplateHead>) -> String {
    let one = |it: &TemplateParam| {
        let name = it.name.as_ref().map_or("_", |it| it.name.as_str());
        match &it.kind {
            TemplateParamKind::Type { default } => {
                name.to_string()
                    + &default.as_ref().map_or(String::new(), |it| format!("={}", ty(it)))
            }
            TemplateParamKind::Value { ty: of, default } => {
                let default = default.as_ref().map_or(String::new(), |it| format!("={}", expr(it)));
                format!("{}:{name}{default}", ty(of))
            }
        }
    };
    head.as_ref().map_or_else(String::new, |it| format!("template({}) ", list(&it.params, one)))
}

fn item(it: &Item) -> String {
    let text = match &it.kind {
        ItemKind::Namespace(it) => {
            format!("namespace {} {{{}}}", it.name.name, list(&it.items, item))
        }
        ItemKind::Struct(it) => {
            let bases: String = it.bases.iter().map(|it| format!(" : {}", ty(it))).collect();
            let members = it
                .members
                .as_ref()
                .map_or(";".to_string(), |it| format!(" {{{}}}", list(it, item)));
            let with = args(&it.specializes);
            format!(
                "{}{:?} {}{with}{bases}{members}",
                template(&it.template),
                it.kind,
                it.name.name
            )
        }
        ItemKind::Enum(it) => {
            let value = |it: &Variant| {
                format!(
                    "{}{}",
                    it.name.name,
                    it.value.as_ref().map_or(String::new(), |it| format!("={}", expr(it)))
                )
            };
            let variants = it.variants.as_ref().map_or(String::new(), |it| list(it, value));
            format!("enum{} {} {{{variants}}}", if it.scoped { " class" } else { "" }, it.name.name)
        }
        ItemKind::Alias(it) => {
            format!(
                "{}alias {}{} {}",
                template(&it.template),
                it.name.name,
                dims(&it.dims),
                ty(&it.ty)
            )
        }
        ItemKind::UsingNamespace(it) => format!("using namespace {}", path(it)),
        ItemKind::Using(it) => format!("using {}", path(it)),
        ItemKind::Buffer(it) => {
            let word = if it.texture { "tbuffer" } else { "cbuffer" };
            format!(
                "{word} {}{} {{{}}}",
                it.name.name,
                annotations(&it.annotations),
                list(&it.members, item)
            )
        }
        ItemKind::Var(it) => format!("{}{};", template(&it.template), var(it)),
        ItemKind::Function(it) => {
            let owner = it.owner.as_ref().map_or(String::new(), |it| format!("{}::", path(it)));
            let name = match &it.name {
                FunctionName::Plain(it) => it.name.to_string(),
                FunctionName::Operator(it, _) => format!("{it:?}"),
                FunctionName::Conversion(_) => "conversion".to_string(),
            };
            let param = |it: &Param| {
                let default =
                    it.default.as_ref().map_or(String::new(), |it| format!("={}", expr(it)));
                let name = it.name.as_ref().map_or("_", |it| it.name.as_str());
                format!(
                    "{}{} {name}{}{}{default}",
                    modifiers(&it.modifiers),
                    ty(&it.ty),
                    dims(&it.dims),
                    annotations(&it.annotations)
                )
            };
            let params: Vec<String> = it.params.iter().map(param).collect();
            format!(
                "{}{}{} {owner}{name}{}({}){}{}{}",
                template(&it.template),
                modifiers(&it.modifiers),
                ty(&it.result),
                args(&it.specializes),
                params.join(", "),
                if it.is_const { " const" } else { "" },
                annotations(&it.annotations),
                it.body.as_ref().map_or(";".to_string(), |it| format!(" {}", block(it)))
            )
        }
        ItemKind::StaticAssert(it) => format!("assert {} {:?}", expr(&it.condition), it.message),
        ItemKind::Empty => ";".to_string(),
    };
    attributes(&it.attributes) + &text
}

fn items(text: &str) -> String {
    list(&good(text).items, item)
}

/// The statements of a function with this body, behind some declarations.
fn body(text: &str) -> String {
    let head = "struct S { float a; }; typedef float3 V; template<typename T> struct P { T x; static const int n = 1; }; \
                template<typename T> T id(T t) { return t; } enum class E { A }; namespace N { struct Q {}; int k; }";
    let file = good(&format!("{head} void f() {{ {text} }}"));
    match &file.items.last().unwrap().kind {
        ItemKind::Function(it) => list(&it.body.as_ref().unwrap().stmts, stmt),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn bodies(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(body(text), *expected, "{text}");
    }
}

#[test]
fn operators_bind_as_in_c() {
    bodies(&[
        ("a | b + c << 2;", "(| a (<< (+ b c) 2));"),
        ("a + b * c - d / e % f;", "(- (+ a (* b c)) (% (/ d e) f));"),
        (
            "a || b && c | d ^ e & f == g < h << i + j * k;",
            "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))));",
        ),
        (
            "a * b + c << d < e == f & g ^ h | i && j || k;",
            "(|| (&& (| (^ (& (== (< (<< (+ (* a b) c) d) e) f) g) h) i) j) k);",
        ),
        ("a = b += c ? d : e = f;", "(= a (+= b (? c d (= e f))));"),
        ("a ? b : c ? d : e;", "(? a b (? c d e));"),
        ("a ? b, c : d;", "(? a (, b c) d);"),
        ("a, b = 1, c;", "(, a (= b 1) c);"),
        ("-a * !b - ~c--;", "(- (* (- a) (! b)) (~ (post-- c)));"),
        ("++a[1].x++;", "(++ (post++ a[1].x));"),
        ("a - b - c < d > e;", "(> (< (- (- a b) c) d) e);"),
        ("a <<= b >>= 1;", "(<<= a (>>= b 1));"),
    ]);
}

#[test]
fn casts_and_parentheses_are_distinguished() {
    bodies(&[
        ("(float3)x;", "(cast Float3 x);"),
        ("(a)(b);", "(call a b);"),
        ("(S)0;", "(cast 'S 0);"),
        ("(a) - b;", "(- a b);"),
        ("(uint) - b;", "(cast Uint (- b));"),
        ("(V)-x.y;", "(cast 'V (- x.y));"),
        ("(float3(1, 2, 3)).x;", "(new Float3 1 2 3).x;"),
        ("(float[2])x;", "(cast Float[2] x);"),
        ("(const unsigned int)x;", "(cast const Uint x);"),
        ("(P<float>)x;", "(cast 'P<Float> x);"),
        ("(N::Q)x;", "(cast 'N::Q x);"),
        ("(N::k)+x;", "(+ N::k x);"),
        ("(Unknown)x;", "(cast 'Unknown x);"),
        ("(int)(uint)a + b;", "(+ (cast Int (cast Uint a)) b);"),
        ("(float2x2)m[0];", "(cast Float2x2 m[0]);"),
        ("float S = 1; (S)-1;", "Float S = 1; (- S 1);"),
        ("V(1, 2, 3).xy;", "(new 'V 1 2 3).xy;"),
        (
            "sizeof(S) + sizeof(float[4]) + sizeof(x) + sizeof x;",
            "(+ (+ (+ (sizeof 'S) (sizeof Float[4])) (sizeof x)) (sizeof x));",
        ),
        ("min16float3(1, 2, 3);", "(new Min16Float3 1 2 3);"),
    ]);
}

#[test]
fn angle_brackets_are_arguments_only_behind_templates() {
    bodies(&[
        ("a < b > c;", "(> (< a b) c);"),
        ("buf.Load<float4>(0);", "(call buf.Load<Float4> 0);"),
        ("buf.Load<P<int> >(0);", "(call buf.Load<'P<Int>> 0);"),
        ("buf.Load<P<int>>(0);", "(call buf.Load<'P<Int>> 0);"),
        ("buf.Load < 4;", "(< buf.Load 4);"),
        ("id<float>(1);", "(call id<Float> 1);"),
        ("P<P<float>> p;", "'P<'P<Float>> p;"),
        ("P<float>::n + 1;", "(+ P<Float>::n 1);"),
        ("vector<float, 1 + 2> v;", "'vector<Float (+ 1 2)> v;"),
        ("vector<uint, (2 > 1)> v;", "'vector<Uint (> 2 1)> v;"),
        ("matrix<float, 3, 4> m; vector w;", "'matrix<Float 3 4> m; 'vector w;"),
        ("Texture2D<unorm float4> t;", "'Texture2D<unorm Float4> t;"),
        ("Unknown<float> x;", "'Unknown<Float> x;"),
    ]);
}

#[test]
fn declarations_and_expressions_are_distinguished() {
    bodies(&[
        ("S s; S t = s;", "'S s; 'S t = s;"),
        ("Unknown x = 1;", "'Unknown x = 1;"),
        ("N::Q q; N::k = 1;", "'N::Q q; (= N::k 1);"),
        ("E e = E::A;", "'E e = E::A;"),
        ("float4 a[2] = { 1, { 2, 3 } }, b;", "Float4 a[2] = {1 {2 3}}, b;"),
        ("const static uint k = 1;", "const static Uint k = 1;"),
        ("uint const k = 1;", "const Uint k = 1;"),
        ("row_major float4x4 m;", "row_major Float4x4 m;"),
        (
            "float4 sample = 1; sample.x = point + line;",
            "Float4 sample = 1; (= sample.x (+ point line));",
        ),
        (
            "linear float x; uint triangle = indices[0];",
            "linear Float x; Uint triangle = indices[0];",
        ),
        ("struct L { int x; } l;", "Struct L {Int x;} 'L l;"),
        (
            "struct { int x; } l, m[2];",
            "Struct <unnamed struct 1> {Int x;} '<unnamed struct 1> l, m[2];",
        ),
        ("typedef float F[2], G; F f;", "alias F[2] Float alias G Float 'F f;"),
        ("using U = P<int>; U u;", "alias U 'P<Int> 'U u;"),
        (
            "static_assert(sizeof(S) == 4, \"no\" \"pe\");",
            "assert (== (sizeof 'S) 4) Some(\"nope\")",
        ),
        ("Texture2D texture; texture.Load(0);", "'Texture2D texture; (call texture.Load 0);"),
        ("dword d; unsigned int u; unsigned v; signed int3 w;", "Uint d; Uint u; Uint v; Int3 w;"),
    ]);
}

#[test]
fn statements_are_read() {
    bodies(&[
        (
            "if (a) b; else if (c) d; else [flatten] if (e) ; else f;",
            "if a b; elif c d; elif [flatten] e ; else f;",
        ),
        ("if (a) if (b) c; else d;", "if a if b c; else d;"),
        (
            "[unroll(4)] for (uint i = 0, j = 1; i < 4; i++, j--) { }",
            "[unroll 4] for Uint i = 0, j = 1; (< i 4); (, (post++ i) (post-- j)) {}",
        ),
        ("for (i = 0; ; ) continue;", "for (= i 0); ;  continue"),
        ("[loop] while (true) { discard; return; }", "[loop] while true {discard return }"),
        (";;", "; ;"),
        ("do x++; while (x < 4);", "do (post++ x); (< x 4)"),
        (
            "switch (x) { case 0: case 1: a; break; default: b; { } case E::A: }",
            "switch x (0 1: a; break) (default: b; {}) (E::A: )",
        ),
        ("for (;;) break;", "for ; ;  break"),
        ("return a, b;", "return (, a b)"),
        ("if (x) float y = 1;", "if x Float y = 1;"),
    ]);
}

#[test]
fn declarations_are_read() {
    let cases = [
        (
            "struct S : B, I { float a[2] : A, b; uint x : 3, y : 1 + 2; static const int n = 4; void f() const; };",
            "Struct S : 'B : 'I {Float a[2] :A, b; Uint x bits 3, y bits (+ 1 2); static const Int n = 4; void f() const;}",
        ),
        (
            "interface I { float f(int); }; class C : I { float f(int i) { return this.f(i); } };",
            "Interface I {Float f(Int _);} Class C : 'I {Float f(Int i) {return (call this.f i)}}",
        ),
        (
            "enum E : uint { A, B = 4, }; enum class F { C }; enum { D }; E e;",
            "enum E {A B=4} enum class F {C} enum <unnamed enum 1> {D} 'E e;",
        ),
        (
            "cbuffer C : register(b1, space2) { float4 a : packoffset(c1.y); uint b; }",
            "cbuffer C @Some(('b', 1)),2 {Float4 a @c5; Uint b;}",
        ),
        (
            "RWStructuredBuffer<uint> u[4] : register(u3), v[]; globallycoherent RWByteAddressBuffer w : register(space1);",
            "'RWStructuredBuffer<Uint> u[4] @Some(('u', 3)),0, v[]; globallycoherent 'RWByteAddressBuffer w @None,1;",
        ),
        (
            "[[vk::binding(0, 1)]] [[vk::push_constant]] ConstantBuffer<P> c;",
            "[vk::binding 0 1] [vk::push_constant] 'ConstantBuffer<P> c;",
        ),
        (
            "groupshared uint g[2][3]; SamplerState s { Filter = POINT; }; static float x = 1, y;",
            "groupshared Uint g[2][3]; 'SamplerState s = state; static Float x = 1, y;",
        ),
        (
            "[numthreads(8, N::X, 1)] void main(uint i : SV_GroupIndex, uint3 g : SV_GroupID) { }",
            "[numthreads 8 N::X 1] void main(Uint i :SV_GroupIndex, Uint3 g :SV_GroupID) {}",
        ),
        (
            "inline float4 f(in float a, out float b[2], inout uint c = 1, const int d : D = 2, void_t e) : SV_Target0;",
            "inline Float4 f(in Float a, out Float b[2], inout Uint c=1, const Int d :D=2, 'void_t e) :SV_Target0;",
        ),
        (
            "void f(void); float g() { } namespace A { namespace B { struct S {}; } } A::B::S s; namespace A::C { int x; }",
            "void f(); Float g() {} namespace A {namespace B {Struct S {}}} 'A::B::S s; namespace A {namespace C {Int x;}}",
        ),
        (
            "template<typename T, uint N = 4, class U = P<int> > struct A { T x[N]; }; A<float, 2> a;",
            "template(T Uint:N=4 U='P<Int>) Struct A {'T x[N];} 'A<Float 2> a;",
        ),
        (
            "template<class T> T f(T a) { T b = (T)a; return T(b); } template<> int f<int>(int a) { return f<int>(a); }",
            "template(T) 'T f('T a) {'T b = (cast 'T a); return (new 'T b)} template() Int f<Int>(Int a) {return (call f<Int> a)}",
        ),
        (
            "template<typename T> struct S {}; template<> struct S<int> { int a; }; template<typename T> using A = S<T>; A<int> x;",
            "template(T) Struct S {} template() Struct S<Int> {Int a;} template(T) alias A 'S<'T> 'A<Int> x;",
        ),
        (
            "struct S { S operator+(S o) { } bool operator()(int i) { } float operator[](int i); operator float(); };",
            "Struct S {'S Binary(Add)('S o) {} Bool Call(Int i) {} Float Index(Int i); Float conversion();}",
        ),
        (
            "struct S { struct I { int a; }; I f(I i); static int n; }; S::I S::f(I i) { I j; } static int S::n = 1;",
            "Struct S {Struct I {Int a;} 'I f('I i); static Int n;} 'S::I S::f('I i) {'I j;} static Int S::n = 1;",
        ),
        (
            "namespace N { struct T {}; } using namespace N; T t; typedef struct { int a; } Q; Q q;",
            "namespace N {Struct T {}} using namespace N 'T t; Struct <unnamed struct 1> {Int a;} alias Q '<unnamed struct 1> 'Q q;",
        ),
        (
            "template<typename T, typename = enable_if<T> > T::type f(typename T::x y);",
            "template(T _='enable_if<'T>) 'T::type f('T::x y);",
        ),
        (
            "struct S; struct S { int a; }; uint64_t a = 0xFFull; static const struct { int x; } k = { 1 };",
            "Struct S; Struct S {Int a;} Uint64 a = 255u; Struct <unnamed struct 1> {Int x;} static const '<unnamed struct 1> k = {1};",
        ),
        (
            "struct M { template<typename T> T Get(int i) { } }; float f(M m) { return m.Get<float>(0); }",
            "Struct M {template(T) 'T Get(Int i) {}} Float f('M m) {return (call m.Get<Float> 0)}",
        ),
        (
            "struct Foo { int a; }; ConstantBuffer<Foo> Foo; int f() { return (Foo).a; }",
            "Struct Foo {Int a;} 'ConstantBuffer<'Foo> Foo; Int f() {return Foo.a}",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(items(text), expected, "{text}");
    }
}

#[test]
fn matrix_order_is_in_the_type() {
    let file = good("float4x4 a;\n#pragma pack_matrix(row_major)\nfloat4x4 b;");
    let orders: Vec<_> = file
        .items
        .iter()
        .map(|it| match &it.kind {
            ItemKind::Var(it) => it.ty.order,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(orders, [crate::MatrixOrder::ColumnMajor, crate::MatrixOrder::RowMajor]);
}

#[test]
fn mistakes_are_reported_once_and_in_place() {
    let cases: &[(&str, &[&str])] = &[
        ("void f() {\n  int a = 1\n  int b;\n}", &["2:12 expected `;` after this declaration"]),
        ("void f() {\n  a = 1\n}", &["2:8 expected `;` after this expression"]),
        (
            "void f() {\n  a = ;\n  b = ;\n  c;\n}",
            &["2:7 expected an expression, found `;`", "3:7 expected an expression, found `;`"],
        ),
        ("void f() {\n  g(1, 2;\n  c;\n}", &["2:9 expected `)`, found `;`"]),
        ("void f() {\n  if a) b;\n  c;\n}", &["2:5 expected `(` after `if`, found `a`"]),
        (
            "void f() { int x[2; }\nint y",
            &["1:19 expected `]`, found `;`", "2:6 expected `;` after this declaration"],
        ),
        ("void f() { {", &["1:12 this bracket has no closing `}`"]),
        ("struct S { int a; }\nvoid f() { }", &["1:20 expected `;` after this declaration"]),
        ("struct S { int a }; int b;", &["1:17 expected `;` after this member"]),
        ("void f() { p->x = 1; }", &["1:13 HLSL has no pointers, so there is no `->`"]),
        (
            "int private = 1;\nint y = 2;",
            &["1:5 `private` is a word of the language and cannot be a name"],
        ),
        ("void f() { goto x; y; }", &["1:12 HLSL has no `goto`"]),
        ("}\nint x;", &["1:1 unmatched `}`"]),
        ("if (x) { y; }\nint z;", &["1:1 `if` cannot appear outside a function"]),
        ("void f() { else x; y; }", &["1:12 `else` without a matching `if`"]),
        (
            "void f() { case 1: y; }",
            &["1:12 `case` is only allowed directly in the body of a `switch`"],
        ),
        (
            "void f() { switch (x) { a; b; case 1: c; } }",
            &["1:25 expected `case` or `default` in this `switch`"],
        ),
        (
            "uint a = 09; uint b = 1z;",
            &["1:10 `09` has a digit that is not octal", "1:23 `z` is not an integer suffix"],
        ),
        ("void f() { float3; }", &["1:12 this declares nothing: a name is missing after the type"]),
        ("void f() { x = float3; y; }", &["1:16 `float3` is a type, but a value is expected here"]),
        ("void f() { float x(1); y; }", &["1:18 a function cannot be declared inside a function"]),
        ("Texture2D t : register(x3);\nint y;", &["1:24 `x3` is not a register"]),
        ("@import waveOps.h;\nint x;", &["1:1 `@import` is not part of HLSL"]),
        ("int a $ b;\nint c;", &["1:6 expected `;` after this declaration"]),
        (
            "#define M 1 +\nint a = M;\nint b = ;",
            &["2:10 expected an expression, found `;`", "3:9 expected an expression, found `;`"],
        ),
        (
            "struct S { public: int a; };",
            &["1:12 HLSL has no access specifiers: all members are public"],
        ),
        (
            "void f(int a, ) { }\nvoid g() { h(; }",
            &["1:15 expected a type, found `)`", "2:14 expected an expression, found `;`"],
        ),
        ("cbuffer C { float a; int b }\nint c;", &["1:27 expected `;` after this member"]),
        (
            "INLINE void f() { }\nint = 1;",
            &[
                "1:1 `INLINE` is not a modifier or a type that can appear here",
                "2:5 expected a name, found `=`",
            ],
        ),
        ("int f() { return 1 }", &["1:19 expected `;` after `return`"]),
        (
            "void f() { for (int i = 0; i < 4) { } }",
            &["1:33 expected `;` after the condition of this `for`, found `)`"],
        ),
        ("void f() { x ? y; z; }", &["1:17 expected `:` of the conditional, found `;`"]),
    ];
    for (text, expected) in cases {
        assert_eq!(reports(text), *expected, "{text}");
    }
}

#[test]
fn depth_is_bounded_and_chains_are_long() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("void f() {{ x = {}1{}; y; }}", open.repeat(count), close.repeat(count))
    };
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("- -", ""),
        ("(int)", ""),
        ("a[", "]"),
        ("g(", ")"),
        ("a ? b : ", ""),
        ("a = ", ""),
        ("float3(", ")"),
        ("a ? ", " : b"),
        ("1 + (2 * (3 - ", "))"),
        ("sizeof ", ""),
        ("(const ", ")x"),
    ] {
        let found = reports(&deep(open, close, 100_000));
        assert!(
            (1..=3).contains(&found.len()),
            "{open}: {} reports, {:?}",
            found.len(),
            &found[..found.len().min(4)]
        );
        if !open.contains("const") {
            good(&deep(open, close, 40));
        }
    }
    let statements = [
        ("{", "}"),
        ("if (a) ", ";"),
        ("for (;;) ", ";"),
        ("while (a) ", ";"),
        ("do ", ";"),
        ("switch (a) { case 1: ", "}"),
        ("if (a) b; else { ", "}"),
    ];
    for (open, close) in statements {
        let text = format!("void f() {{ {}{} }}", open.repeat(50_000), close.repeat(50_000));
        assert!(!reports(&text).is_empty(), "{open}");
    }
    for (open, close) in [
        ("struct S { ", "};"),
        ("namespace N { ", "}"),
        ("P<", "> x;"),
        ("vector<", "> x;"),
        ("{", "}"),
    ] {
        let text = format!("{}{}", open.repeat(50_000), close.repeat(50_000));
        assert!(!reports(&text).is_empty(), "{open}");
    }
    let chains = [
        format!("void f() {{ {} b; }}", "if (a) b; else ".repeat(10_000)),
        format!("void f() {{ x = {}1; }}", "a + b * ".repeat(500)),
        format!("void f() {{ x = {}1; }}", "a, ".repeat(10_000)),
        format!("int x[] = {{ {} }};", "1, ".repeat(100_000)),
        format!("void f() {{ {} }}", "a = 1; ".repeat(20_000)),
        format!("void f() {{ a{} = 1; }}", ".x".repeat(200)),
    ];
    for text in chains {
        good(&text);
    }
    for text in [
        format!("void f() {{ x = {}1; y; }}", "a + ".repeat(100_000)),
        format!("void f() {{ a{} = 1; }}", ".x".repeat(100_000)),
        format!("void f() {{ a{} = 1; }}", "[0]".repeat(100_000)),
        format!("int a{};", "[1]".repeat(100_000)),
    ] {
        assert_eq!(reports(&text).len(), 1);
    }
}

#[test]
fn any_text_is_survived() {
    let text = "namespace N { template<typename T, int M = 1> struct S : B { T a[M] : X; uint b : 3; T f(in T x = {}) const; }; }\n\
                [numthreads(1,1,1)] void main(uint i : SV_GroupIndex) : T { [unroll] for (int a = 0, b; a < 1; ++a) { if (a) b; else \
                switch (c) { case 1: default: (float3)x.y[2] ? N::S<int, 2>(1) : buf.Load<float4>(0); } do { } while (1); }\n\
                return sizeof(int) + -1.5f * \"s\"; }\ncbuffer C : register(b0) { enum class E { A = 1 } e; operator+(); typedef using static_assert(1, \"\"); }";
    let ends: Vec<usize> = (0..=text.len()).filter(|end| text.is_char_boundary(*end)).collect();
    for end in &ends {
        parse(&text[..*end]);
        parse(&text[*end..]);
    }
    // And with each word left out.
    let words: Vec<&str> =
        text.split_inclusive([' ', '(', ')', '{', '}', ';', ':', '<', '>']).collect();
    for skipped in 0..words.len() {
        let all: String =
            words.iter().enumerate().filter(|(i, _)| *i != skipped).map(|(_, it)| *it).collect();
        parse(&all);
    }
}

#[test]
fn spans_cover_whole_nodes() {
    let (file, _, sources) = parse("int f() { return (a + b) * c[1]; }");
    let ItemKind::Function(function) = &file.items[0].kind else { panic!() };
    assert_eq!(sources.text(function.head), "int f()");
    let StmtKind::Return(Some(value)) = &function.body.as_ref().unwrap().stmts[0].kind else {
        panic!()
    };
    assert_eq!(sources.text(value.span), "(a + b) * c[1]");
    let ExprKind::Binary { first, rest } = &value.kind else { panic!() };
    assert_eq!(sources.text(first.span), "(a + b)");
    assert_eq!((sources.text(rest[0].op_span), sources.text(rest[0].expr.span)), ("*", "c[1]"));
}
