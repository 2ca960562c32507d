//! The checked program: names resolved, overloads chosen, templates instantiated, every conversion written out.
//!
//! `check` makes it from the syntax tree, `lower` turns it into IR. Only what the entry point reaches is in it.
//! Nothing here can be wrong any more, except what only lowering sees (call trees that explode).

use std::sync::Arc;

use diag::Span;
use ir::{Register, WaveSize};
use ops::intrinsics::{Intrinsic, Output, ShaderModel, Stage};

use crate::library::{Function as LibraryFunction, Method};
use crate::types::{Packing, Scalar, StructId, TypeId, Types};

/// An index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// An index into [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// An index into [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// An index into [`Program::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub u32);

/// A checked entry point with everything it reaches.
#[derive(Debug)]
pub struct Program {
    /// All programs of one file share them.
    pub types: Arc<Types>,
    pub functions: Vec<Function>,
    /// Static and groupshared variables.
    pub globals: Vec<Global>,
    pub resources: Vec<Resource>,
    pub entry: Entry,
}

#[derive(Debug)]
pub struct Entry {
    pub function: FunctionId,
    pub stage: Stage,
    pub shader_model: ShaderModel,
    pub group_size: [u32; 3],
    pub wave_size: WaveSize,
    /// One for each parameter of the function.
    pub inputs: Vec<SystemValue>,
    pub native_16bit: bool,
    /// Whether a feature that sets the native-16-bit, 64-bit or double flags was used is found out by lowering.
    pub span: Span,
}

/// What a parameter of a compute entry point is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemValue {
    GroupId,
    GroupThreadId,
    DispatchThreadId,
    GroupIndex,
}

/// A variable outside functions.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    pub kind: GlobalKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum GlobalKind {
    /// One for each lane, initialised when the entry point starts; without an initialiser it is zero, not poison.
    Static {
        init: Option<Expr>,
    },
    Groupshared,
}

/// A resource binding, a constant buffer included.
#[derive(Clone, Debug)]
pub struct Resource {
    pub name: String,
    /// A resource type ([`crate::types::Type::Resource`]); for a `cbuffer` block, a constant buffer of the struct of its members.
    pub ty: TypeId,
    /// How many elements its array has, dimensions multiplied: 1 for no array, `None` for an unbounded one.
    pub count: Option<u32>,
    /// The dimensions of the array as written, outermost first; an unbounded one is 0.
    pub dims: Vec<u32>,
    /// Assigned by DXC's rules where the source gives none.
    pub register: Register,
    pub chosen: ir::Chosen,
    pub globally_coherent: bool,
    /// How the members of a constant buffer lie; other resources do not ask.
    pub packing: Packing,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// Parameters come first, in order; `this` of a method is the first of them, `inout`.
    pub locals: Vec<Local>,
    pub params: Vec<Mode>,
    pub result: TypeId,
    pub body: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: TypeId,
    pub span: Span,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    In,
    Out,
    InOut,
    /// Groupshared or resource arguments that stay where they are.
    Reference,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Expr(Expr),
    /// The declaration of a local; without an initialiser its value is poison.
    Let(LocalId, Option<Expr>),
    Block(Vec<Stmt>),
    If {
        cond: Expr,
        then: Vec<Stmt>,
        else_: Vec<Stmt>,
    },
    Loop(Box<Loop>),
    Switch(Box<Switch>),
    Break,
    Continue,
    Return(Option<Expr>),
    /// `discard` and `clip`, in pixel shaders.
    Discard,
}

#[derive(Clone, Debug)]
pub struct Loop {
    /// Tested before each iteration, or after it.
    pub cond: Option<Expr>,
    pub test_first: bool,
    pub body: Vec<Stmt>,
    /// What every continuing lane runs before the next iteration.
    pub step: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Switch {
    /// Of an integer type.
    pub selector: Expr,
    pub groups: Vec<CaseGroup>,
}

/// All labels that stand before the same statements.
#[derive(Clone, Debug)]
pub struct CaseGroup {
    /// Bits of the selector's type.
    pub labels: Vec<u64>,
    pub default: bool,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A scalar; the bits of its type.
    Const(u64),
    Local(LocalId),
    Global(GlobalId),
    /// A resource, or a whole resource array.
    Resource(ResourceId),
    /// A member of a struct, by the index of the field.
    Field(Box<Expr>, u32),
    /// Components of a vector, or of a scalar seen as a vector of one; one component gives a scalar.
    Swizzle(Box<Expr>, Vec<u32>),
    /// Elements of a matrix, (row, column); one element gives a scalar.
    MatrixSwizzle(Box<Expr>, Vec<(u32, u32)>),
    /// An element of an array, a component of a vector, a row of a matrix, an element of a resource or of a resource array.
    /// The index is of type `uint` or `int`, or a vector of them for multi-dimensional resources.
    Index(Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    /// Both operands have the same type; for shifts too. Comparisons give `bool`s of the same shape.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `&&`, `||`: with `short_circuit` the right side runs only in the lanes that need it, else in all.
    Logic {
        and: bool,
        short_circuit: bool,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `?:`; the condition is a `bool` or a vector of them that selects component by component.
    Conditional {
        short_circuit: bool,
        cond: Box<Expr>,
        then: Box<Expr>,
        else_: Box<Expr>,
    },
    /// Both sides have the same type. The value is the left side's new value.
    Assign(Box<Expr>, Box<Expr>),
    /// `a op= b`: `a` is read once, converted to `compute`, combined with `b` (of that type), converted back and stored.
    AssignOp {
        op: BinaryOp,
        place: Box<Expr>,
        compute: TypeId,
        value: Box<Expr>,
    },
    /// `++` and `--`.
    Step {
        place: Box<Expr>,
        increment: bool,
        prefix: bool,
    },
    Call {
        function: FunctionId,
        args: Vec<Arg>,
    },
    /// A wave or quad function; arguments have the types of its parameters, converted.
    Wave {
        intrinsic: &'static Intrinsic,
        output: Output,
        args: Vec<Expr>,
    },
    /// A function of the standard library.
    Library {
        function: LibraryFunction,
        args: Vec<Arg>,
    },
    /// A method of a resource object.
    Method {
        method: Method,
        object: Box<Expr>,
        args: Vec<Arg>,
    },
    /// The value as [`Expr::ty`]: numbers, splats, truncations, flattening casts between aggregates.
    Convert(Box<Expr>),
    /// The scalars of all parts, in order, make up a value of [`Expr::ty`]; each part's scalars already have the right types.
    Construct(Vec<Expr>),
    Comma(Box<Expr>, Box<Expr>),
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// Of the parameter's type.
    In(Expr),
    /// A place; `ty` is the parameter's type, which the place's value is converted to and from.
    Out { place: Expr, ty: TypeId, mode: Mode },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    /// `~`
    BitNot,
    /// `!`
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        match self {
            Eq | Ne | Lt | Le | Gt | Ge => true,
            Add | Sub | Mul | Div | Rem | Shl | Shr | And | Or | Xor => false,
        }
    }
}

impl Program {
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0 as usize]
    }

    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    /// The struct's name and fields.
    pub fn structure(&self, id: StructId) -> &crate::types::Struct {
        self.types.structure(id)
    }

    pub fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        self.types.scalar_of(ty)
    }
}
