//! The syntax tree: what the text says, before names are resolved.
//!
//! Nodes carry spans and no types; `check` resolves names and gives types. What the parser has already done:
//!
//! - Macros are expanded; a span knows its expansion.
//! - The question "type or expression?" is settled: [`ExprKind::Cast`], [`ExprKind::Construct`] and
//!   [`TemplateArg`] say which it was. It was settled by looking names up (the parser knows which names are
//!   types or templates, scope by scope), so a [`Path`] in a type names a type unless the program is wrong.
//! - Built-in scalar, vector and matrix names (`uint`, `float3`, `min16float2x2`, `unsigned int`) are decoded to
//!   [`TypeKind::Numeric`]. `vector<T, N>`, `matrix<T, R, C>`, bare `vector` and `matrix`, and all object types
//!   (`RWStructuredBuffer<T>`, `Texture2D`, …) stay [`TypeKind::Named`].
//! - A struct or enum declared inside another declaration (`struct S { … } s;`, `typedef struct { … } T;`) is hoisted:
//!   it becomes a separate item right before, and the declaration names it. Unnamed ones get a name that no
//!   source can write.
//!
//! Bounds on depth: an expression is at most [`MOST_HEIGHT`] high, and statements, blocks, types and
//! namespaces together nest at most that deep, so recursion over the tree is safe. Three things are lists
//! because sources chain them at length: operators of one precedence ([`ExprKind::Binary`]), comma
//! expressions, and `else if` ([`If::arms`]). A `Binary` has at most [`MOST_CHAIN`] operands: turned
//! into nested nodes, it becomes a tree of that height.
//!
//! After a syntax error the tree holds what could be parsed; `Error` nodes replace the rest. Later stages
//! skip them silently, since the error has been reported.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use diag::Span;

use crate::options::MatrixOrder;

/// The maximum height of an expression; also the nesting limit for everything else.
pub const MOST_HEIGHT: usize = 256;

/// The maximum number of operands of one [`ExprKind::Binary`].
pub const MOST_CHAIN: usize = 1024;

/// A name as the source writes it: cheap to clone, and compared by its text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

impl Name {
    pub fn new(text: impl Into<Arc<str>>) -> Name {
        Name(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

// `Hash` of an `Arc<str>` is `Hash` of its text, so maps keyed by names can be looked up with a `&str`.
impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

/// A name and its location.
#[derive(Clone, Debug)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// A possibly qualified name: `x`, `A::B::f`, `::g`, `Pair<int, 3>`, `S<float>::zero`.
#[derive(Clone, Debug)]
pub struct Path {
    /// It starts with `::`.
    pub global: bool,
    /// It starts with `hlsl::`, the namespace of what the language declares.
    pub library: bool,
    /// The part before the last `::`; empty for most names.
    pub scope: Vec<Segment>,
    pub last: Segment,
    pub span: Span,
}

impl Path {
    /// The name, if it can be a builtin: no scope and no template arguments, at most a leading `::`.
    pub fn as_builtin(&self) -> Option<&Ident> {
        (self.scope.is_empty() && self.last.args.is_none()).then_some(&self.last.ident)
    }

    /// The name, if it is an unqualified one without template arguments.
    pub fn as_simple(&self) -> Option<&Ident> {
        (!self.global && !self.library && self.scope.is_empty() && self.last.args.is_none())
            .then_some(&self.last.ident)
    }
}

/// One part of a path.
#[derive(Clone, Debug)]
pub struct Segment {
    pub ident: Ident,
    /// The template arguments, where a list (possibly empty) was written.
    pub args: Option<Vec<TemplateArg>>,
}

/// An argument in `< >`.
///
/// A name that is not known as a type is an expression; `check` may reclassify it inside templates.
#[derive(Clone, Debug)]
pub enum TemplateArg {
    Type(Type),
    Expr(Expr),
}

impl TemplateArg {
    pub fn span(&self) -> Span {
        match self {
            TemplateArg::Type(ty) => ty.span,
            TemplateArg::Expr(expr) => expr.span,
        }
    }
}

// Declarations.

/// A whole compilation: the main file with everything it includes.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub items: Vec<Item>,
    /// Something outside function bodies could not be parsed, so names may be missing.
    pub is_torn: bool,
}

/// A declaration, at file scope, in a namespace, in a struct or in a function.
#[derive(Clone, Debug)]
pub struct Item {
    pub attributes: Vec<Attribute>,
    pub kind: ItemKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    Namespace(Namespace),
    Struct(Struct),
    Enum(Enum),
    /// `typedef` and `using X = …`.
    Alias(Alias),
    /// `using namespace N;`
    UsingNamespace(Path),
    /// `using N::x;`
    Using(Path),
    Buffer(BufferBlock),
    /// Variables at file scope, fields in a struct, members in a cbuffer.
    Var(Var),
    Function(Box<Function>),
    StaticAssert(StaticAssert),
    /// A stray `;`.
    Empty,
}

#[derive(Clone, Debug)]
pub struct Namespace {
    pub name: Ident,
    pub items: Vec<Item>,
}

/// The keyword a [`Struct`] was declared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructKind {
    Struct,
    Class,
    Interface,
}

#[derive(Clone, Debug)]
pub struct Struct {
    pub kind: StructKind,
    pub template: Option<TemplateHead>,
    pub name: Ident,
    /// `template<> struct S<int>`: the arguments of a specialisation.
    pub specializes: Option<Vec<TemplateArg>>,
    /// Base struct and interfaces, in order.
    pub bases: Vec<Type>,
    /// Fields and static members (`Var`), methods (`Function`), nested types and asserts;
    /// `None` for `struct S;`.
    pub members: Option<Vec<Item>>,
}

#[derive(Clone, Debug)]
pub struct Enum {
    /// `enum class`: its names need `E::`.
    pub scoped: bool,
    pub name: Ident,
    /// `enum E : uint`.
    pub underlying: Option<Type>,
    /// `None` for `enum class E : uint;`.
    pub variants: Option<Vec<Variant>>,
}

#[derive(Clone, Debug)]
pub struct Variant {
    pub name: Ident,
    pub value: Option<Expr>,
}

/// `typedef T name[2];`, one each for a list, or `using name = T;`.
#[derive(Clone, Debug)]
pub struct Alias {
    pub template: Option<TemplateHead>,
    pub name: Ident,
    pub ty: Type,
    pub dims: Vec<Dim>,
}

/// `cbuffer C : register(b0) { … }` and `tbuffer`. Its members are visible without qualification.
#[derive(Clone, Debug)]
pub struct BufferBlock {
    /// `tbuffer` instead of `cbuffer`.
    pub texture: bool,
    pub name: Ident,
    pub annotations: Vec<Annotation>,
    pub members: Vec<Item>,
}

/// `MODIFIERS TYPE DECLARATOR, DECLARATOR;`
#[derive(Clone, Debug)]
pub struct Var {
    pub modifiers: Modifiers,
    /// `template<…>` before a variable.
    pub template: Option<TemplateHead>,
    pub ty: Type,
    /// At least one, unless a syntax error was reported.
    pub declarators: Vec<Declarator>,
}

/// One variable of a declaration.
#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Ident,
    /// `static float S::x = 1;`: the struct or namespace it belongs to.
    pub owner: Option<Box<Path>>,
    /// `template<> const bool is_uint<uint> = true;`: the arguments of a specialisation.
    pub specializes: Option<Vec<TemplateArg>>,
    /// Outermost first: `[2][3]` is two arrays of three.
    pub dims: Vec<Dim>,
    /// `: width` of a bit field.
    pub bits: Option<Box<Expr>>,
    pub annotations: Vec<Annotation>,
    pub init: Option<Initializer>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Initializer {
    /// `= e`, where `e` may be [`ExprKind::List`].
    Expr(Expr),
    /// `{ name = value; … }` after a sampler (the effects framework's state block); its contents are ignored.
    StateBlock(Span),
}

/// `[N]`, or `[]` with no size.
#[derive(Clone, Debug)]
pub struct Dim {
    pub size: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub template: Option<TemplateHead>,
    /// The first head of `template<…> template<…> T S<…>::f()`: the head of the struct template.
    pub owner_template: Option<TemplateHead>,
    pub modifiers: Modifiers,
    pub result: Type,
    /// `void S::f() { … }`: the struct or namespace it belongs to.
    pub owner: Option<Path>,
    pub name: FunctionName,
    /// `template<> f<int>(…)`: the arguments of a specialisation.
    pub specializes: Option<Vec<TemplateArg>>,
    pub params: Vec<Param>,
    /// `const` after the parameters.
    pub is_const: bool,
    /// The semantic of the result.
    pub annotations: Vec<Annotation>,
    /// `None` for a prototype.
    pub body: Option<Block>,
    /// From the first modifier to the `)`: the span that messages about the declaration mark.
    pub head: Span,
}

#[derive(Clone, Debug)]
pub enum FunctionName {
    Plain(Ident),
    /// `operator+`, with the span of both tokens.
    Operator(Operator, Span),
    /// `operator T()`, whose result type is the function's.
    Conversion(Span),
}

impl FunctionName {
    pub fn span(&self) -> Span {
        match self {
            FunctionName::Plain(ident) => ident.span,
            FunctionName::Operator(_, span) | FunctionName::Conversion(span) => *span,
        }
    }

    /// The plain name, if it has one.
    pub fn as_plain(&self) -> Option<&Ident> {
        match self {
            FunctionName::Plain(ident) => Some(ident),
            FunctionName::Operator(..) | FunctionName::Conversion(_) => None,
        }
    }
}

/// An operator that can be overloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    Binary(BinaryOp),
    /// `+=` and the like.
    Assign(BinaryOp),
    /// `=`
    Set,
    Unary(UnaryOp),
    /// `++` and `--`, prefix or postfix.
    Step(StepOp),
    /// `()`
    Call,
    /// `[]`
    Index,
    /// `,`
    Comma,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub attributes: Vec<Attribute>,
    pub modifiers: Modifiers,
    pub ty: Type,
    pub name: Option<Ident>,
    pub dims: Vec<Dim>,
    pub annotations: Vec<Annotation>,
    pub default: Option<Expr>,
    pub span: Span,
}

/// `template<typename T, uint N = 4>`
#[derive(Clone, Debug)]
pub struct TemplateHead {
    pub params: Vec<TemplateParam>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TemplateParam {
    /// `None` for `typename = …`, the unnamed parameter of a SFINAE condition.
    pub name: Option<Ident>,
    pub kind: TemplateParamKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TemplateParamKind {
    Type { default: Option<Type> },
    Value { ty: Type, default: Option<Expr> },
}

/// `static_assert(cond, "text")`, also spelled `_Static_assert`.
#[derive(Clone, Debug)]
pub struct StaticAssert {
    pub condition: Expr,
    pub message: Option<Arc<str>>,
}

/// `[name(args)]` or `[[scope::name(args)]]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// `vk` in `[[vk::binding(0)]]`.
    pub scope: Option<Ident>,
    pub name: Ident,
    pub args: Vec<Expr>,
    /// With the brackets.
    pub span: Span,
}

/// An annotation after a name: what follows a `:`.
#[derive(Clone, Debug)]
pub struct Annotation {
    pub kind: AnnotationKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum AnnotationKind {
    /// `SV_DispatchThreadID`, `TEXCOORD3`
    Semantic(Ident),
    Register(Register),
    /// `packoffset(c4.y)`: in units of four bytes from the start of the buffer.
    PackOffset {
        component: u32,
    },
    /// `read(caller, closesthit)` and `write(miss)`: which shaders access a field of a ray payload.
    Access {
        writes: bool,
        by: Vec<Ident>,
    },
}

/// `register(t3, space1)`; `register(space1)` has no slot.
#[derive(Clone, Debug)]
pub struct Register {
    /// The letter in lower case (`b`, `t`, `u`, `s`, and the old `c`, `i`) and the number.
    pub slot: Option<(char, u32)>,
    pub space: u32,
    /// `register(ps_5_0, s0)` applies to one profile only.
    pub profile: Option<Ident>,
}

// Types.

/// A type as written. Array sizes belong to the declarator.
#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    /// Modifiers of a type that is not a declaration's: `Buffer<unorm float4>`, `(const float3)x`.
    /// For a declaration all modifiers, wherever written, are in the declaration.
    pub modifiers: Modifiers,
    /// The matrix order here, unless `row_major` or `column_major` gives one: from `#pragma pack_matrix`, or
    /// the option.
    pub order: MatrixOrder,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Void,
    Numeric(Numeric),
    /// A user's type, a template parameter, or a built-in that is not [`Numeric`].
    Named(Path),
    /// `T[n]`, as a template argument or as a result of a function.
    Array(Box<Type>, Vec<Dim>),
    /// `auto`, which HLSL has from 202x on; `check` decides.
    Auto,
    /// A type that could not be parsed; reported.
    Error,
}

/// A built-in numeric type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numeric {
    pub scalar: Scalar,
    pub shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    Scalar,
    /// 1 to 4.
    Vector(u8),
    /// Rows and columns, 1 to 4 each.
    Matrix(u8, u8),
}

/// The scalar types by their keywords. Synonyms are folded (`dword`, `uint32_t` and `unsigned int`
/// are `Uint`); types whose meaning depends on options are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
    Double,
    /// `half`: 16 bits with `-enable-16bit-types`, else a float.
    Half,
    Min16Float,
    Min10Float,
    Min16Int,
    Min12Int,
    Min16Uint,
    /// `float16_t`
    Float16,
    /// `int16_t`, and `short` as Slang writes it
    Int16,
    /// `uint16_t`, and `ushort` as Slang writes it
    Uint16,
    Int64,
    Uint64,
    /// `int8_t4_packed`
    Int8x4Packed,
    /// `uint8_t4_packed`
    Uint8x4Packed,
}

/// Keywords before (or after) the type of a declaration, each with its location.
#[derive(Clone, Debug, Default)]
pub struct Modifiers {
    /// In source order; a word may occur twice.
    pub list: Vec<(Modifier, Span)>,
}

impl Modifiers {
    pub fn has(&self, modifier: Modifier) -> bool {
        self.list.iter().any(|(it, _)| *it == modifier)
    }

    /// The location of a modifier.
    pub fn span(&self, modifier: Modifier) -> Option<Span> {
        self.list.iter().find(|(it, _)| *it == modifier).map(|(_, span)| *span)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    Const,
    Static,
    Extern,
    Volatile,
    Inline,
    Export,
    GroupShared,
    Uniform,
    Shared,
    Precise,
    GloballyCoherent,
    ReorderCoherent,
    RowMajor,
    ColumnMajor,
    Snorm,
    Unorm,
    /// Interpolation.
    NoInterpolation,
    Linear,
    Centroid,
    NoPerspective,
    Sample,
    /// Parameters. `in out` is two words.
    In,
    Out,
    InOut,
    /// Primitive kinds of geometry shaders.
    Point,
    Line,
    Triangle,
    LineAdj,
    TriangleAdj,
    /// Mesh shaders.
    Vertices,
    Indices,
    Primitives,
    Payload,
}

impl Modifier {
    /// As written in source.
    pub fn word(self) -> &'static str {
        match self {
            Modifier::Const => "const",
            Modifier::Static => "static",
            Modifier::Extern => "extern",
            Modifier::Volatile => "volatile",
            Modifier::Inline => "inline",
            Modifier::Export => "export",
            Modifier::GroupShared => "groupshared",
            Modifier::Uniform => "uniform",
            Modifier::Shared => "shared",
            Modifier::Precise => "precise",
            Modifier::GloballyCoherent => "globallycoherent",
            Modifier::ReorderCoherent => "reordercoherent",
            Modifier::RowMajor => "row_major",
            Modifier::ColumnMajor => "column_major",
            Modifier::Snorm => "snorm",
            Modifier::Unorm => "unorm",
            Modifier::NoInterpolation => "nointerpolation",
            Modifier::Linear => "linear",
            Modifier::Centroid => "centroid",
            Modifier::NoPerspective => "noperspective",
            Modifier::Sample => "sample",
            Modifier::In => "in",
            Modifier::Out => "out",
            Modifier::InOut => "inout",
            Modifier::Point => "point",
            Modifier::Line => "line",
            Modifier::Triangle => "triangle",
            Modifier::LineAdj => "lineadj",
            Modifier::TriangleAdj => "triangleadj",
            Modifier::Vertices => "vertices",
            Modifier::Indices => "indices",
            Modifier::Primitives => "primitives",
            Modifier::Payload => "payload",
        }
    }
}

// Statements.

/// `{ … }`: a scope.
#[derive(Clone, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    /// With the braces.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    /// `[unroll]`, `[branch]`, …
    pub attributes: Vec<Attribute>,
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Block(Block),
    /// Local variables.
    Var(Box<Var>),
    /// A local struct, enum, alias, `using` or `static_assert`.
    Item(Box<Item>),
    Expr(Expr),
    If(Box<If>),
    For(Box<For>),
    While {
        condition: Expr,
        body: Box<Stmt>,
    },
    Do {
        body: Box<Stmt>,
        condition: Expr,
    },
    Switch(Box<Switch>),
    Break,
    Continue,
    Discard,
    Return(Option<Expr>),
    Empty,
    /// Text that could not be parsed; reported.
    Error,
}

/// Whether one of the statements, or a statement in one of them, has a property.
pub fn any_stmt(stmts: &[Stmt], has: &impl Fn(&StmtKind) -> bool) -> bool {
    let is_one = |stmt: &Stmt| any_stmt(std::slice::from_ref(stmt), has);
    stmts.iter().any(|stmt| {
        has(&stmt.kind)
            || match &stmt.kind {
                StmtKind::Block(block) => any_stmt(&block.stmts, has),
                StmtKind::If(it) => {
                    it.arms.iter().map(|arm| &arm.then).chain(&it.otherwise).any(is_one)
                }
                StmtKind::For(it) => is_one(&it.body),
                StmtKind::While { body, .. } | StmtKind::Do { body, .. } => is_one(body),
                StmtKind::Switch(it) => it.groups.iter().any(|it| any_stmt(&it.stmts, has)),
                StmtKind::Var(_)
                | StmtKind::Item(_)
                | StmtKind::Expr(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Discard
                | StmtKind::Return(_)
                | StmtKind::Empty
                | StmtKind::Error => false,
            }
    })
}

/// `if (c) s else if (c) s else s`, the whole chain.
///
/// Attributes of the first `if` are the statement's; those of a later one are its arm's.
#[derive(Clone, Debug)]
pub struct If {
    /// At least one.
    pub arms: Vec<IfArm>,
    pub otherwise: Option<Stmt>,
}

#[derive(Clone, Debug)]
pub struct IfArm {
    /// Empty for the first arm.
    pub attributes: Vec<Attribute>,
    pub condition: Expr,
    pub then: Stmt,
    /// From `if` to the end of `then`.
    pub span: Span,
}

/// A `for` loop. In HLSL 2018 and before, names declared in its header stay visible after it: `check` decides.
#[derive(Clone, Debug)]
pub struct For {
    /// A `Var`, an `Expr` or `Empty`.
    pub init: Stmt,
    pub condition: Option<Expr>,
    pub step: Option<Expr>,
    pub body: Stmt,
}

#[derive(Clone, Debug)]
pub struct Switch {
    pub value: Expr,
    /// Runs of labels, each with the statements up to the next label. Without a `break` at its end, a group
    /// falls through to the next. All groups share one scope.
    pub groups: Vec<CaseGroup>,
}

#[derive(Clone, Debug)]
pub struct CaseGroup {
    /// At least one.
    pub labels: Vec<CaseLabel>,
    pub stmts: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct CaseLabel {
    /// `None` for `default`.
    pub value: Option<Expr>,
    pub span: Span,
}

// Expressions.

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// With the parentheses around it; there is no node for them.
    pub span: Span,
    /// The height of the tree, a leaf being 1. The parser keeps it at most [`MOST_HEIGHT`].
    pub height: u16,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(IntLiteral),
    Float(FloatLiteral),
    Bool(bool),
    /// Adjacent strings joined, escapes replaced.
    String(Arc<str>),
    /// A variable, a function (as the callee of a call), an enumerator.
    Name(Path),
    This,
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    /// `++x`, `x--`
    Step {
        op: StepOp,
        postfix: bool,
        operand: Box<Expr>,
    },
    /// `first op rest[0] op rest[1] …`, operators of one precedence, which associate to the left:
    /// `((first op rest[0]) op rest[1]) …`. `rest` is never empty. A plain `a + b` has one in `rest`.
    Binary {
        first: Box<Expr>,
        rest: Vec<Operand>,
    },
    /// `target = value`, or `target op= value`. Associates to the right.
    Assign {
        op: Option<BinaryOp>,
        op_span: Span,
        target: Box<Expr>,
        value: Box<Expr>,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `a, b, c`; at least two.
    Comma(Vec<Expr>),
    /// `(T)e` and `(T[2])e`
    Cast {
        ty: Box<Type>,
        dims: Vec<Dim>,
        operand: Box<Expr>,
    },
    /// `T(a, b)`, where `T` is a type.
    Construct {
        ty: Box<Type>,
        args: Vec<Expr>,
    },
    /// `f(a)`, `x.m(a)`, `f<int>(a)`: the callee is a `Name` or a `Member`, unless the program is wrong.
    Call {
        callee: Box<Expr>,
        args: Vec<Expr>,
        args_span: Span,
    },
    /// `base.name`: a field, a method, or a swizzle. `args` are explicit template arguments.
    Member {
        base: Box<Expr>,
        name: Ident,
        args: Option<Vec<TemplateArg>>,
    },
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    /// `{ a, b, { c } }`, as an initialiser only.
    List(Vec<Expr>),
    SizeOfType {
        ty: Box<Type>,
        dims: Vec<Dim>,
    },
    SizeOfExpr(Box<Expr>),
    /// Text that could not be parsed; reported.
    Error,
}

/// One step of a chain of binary operators.
#[derive(Clone, Debug)]
pub struct Operand {
    pub op: BinaryOp,
    pub op_span: Span,
    pub expr: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntLiteral {
    pub value: u64,
    /// It has the suffix `u`.
    pub unsigned: bool,
    /// It has the suffix `l` (64 bits).
    pub long: bool,
    /// Written in decimal: without a suffix, such a literal is never implicitly unsigned.
    pub decimal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatLiteral {
    /// Correctly rounded to 64 bits; with suffix `f` or `h`, correctly rounded to 32 bits.
    pub value: f64,
    pub suffix: FloatSuffix,
    /// It is infinite, and written in digits.
    pub overflows: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    None,
    /// `f`
    Float,
    /// `h`
    Half,
    /// `l`
    Double,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

impl UnaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
        }
    }
}

/// `++` or `--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepOp {
    Increment,
    Decrement,
}

impl StepOp {
    pub fn symbol(self) -> &'static str {
        match self {
            StepOp::Increment => "++",
            StepOp::Decrement => "--",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl BinaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// Whether it works on the bits of integers.
    pub fn is_of_bits(self) -> bool {
        use BinaryOp::*;
        matches!(self, BitAnd | BitXor | BitOr | Shl | Shr)
    }

    /// Binding strength, from 1 (`||`) to 10 (`*`).
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::BitOr => 3,
            BinaryOp::BitXor => 4,
            BinaryOp::BitAnd => 5,
            BinaryOp::Eq | BinaryOp::Ne => 6,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => 7,
            BinaryOp::Shl | BinaryOp::Shr => 8,
            BinaryOp::Add | BinaryOp::Sub => 9,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
        }
    }
}
