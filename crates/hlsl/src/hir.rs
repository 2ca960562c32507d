//! The typed syntax tree of a checked program: names resolved, overloads selected, templates instantiated, every
//! conversion explicit.
//!
//! `check` builds it from the syntax tree, and `lower` turns it into IR. It contains only what the entry point reaches,
//! and the names of other resources.
//! It is free of errors, except those that only lowering finds (call trees that explode).

use std::rc::Rc;

use diag::Span;
use ir::{Register, WaveSize};
use ops::intrinsics::{Intrinsic, Output, ShaderModel, Stage};

use crate::library::{Function as LibraryFunction, Method};
use crate::types::{BinaryOp, Mode, Packing, Scalar, StructId, TypeId, Types, UnaryOp};

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

/// A checked entry point with everything that it reaches.
#[derive(Debug)]
pub struct Program {
    /// Shared by all programs of one file.
    pub types: Rc<Types>,
    pub functions: Vec<Function>,
    /// Static and groupshared variables.
    pub globals: Vec<Global>,
    pub resources: Vec<Resource>,
    /// The resources that the file declares and the entry point does not reach: for hosts alone, which may bind them.
    pub unreached: Vec<Resource>,
    pub entry: Entry,
}

#[derive(Debug)]
pub struct Entry {
    pub function: FunctionId,
    pub stage: Stage,
    pub shader_model: ShaderModel,
    pub group_size: [u32; 3],
    pub wave_size: WaveSize,
    /// One for each parameter of the function, in a compute, mesh or amplification shader.
    pub inputs: Vec<SystemValue>,
    /// In the other stages of a draw.
    pub signature: Option<Signature>,
    /// The patch-constant function of a hull shader.
    pub patch: Option<(FunctionId, Signature)>,
    /// In a mesh or amplification shader.
    pub group: Option<Group>,
    /// What a shader of a draw needs and no engine has: if there is anything, it does not run.
    pub missing: Vec<diag::Diagnostic>,
    pub native_16bit: bool,
    /// Lowering determines whether features were used that set the native-16-bit, 64-bit or double flags.
    pub span: Span,
}

/// What a parameter of the entry point of a compute, mesh or amplification shader is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemValue {
    GroupId,
    GroupThreadId,
    DispatchThreadId,
    GroupIndex,
    /// Always 0.
    ViewId,
    /// The payload of the mesh shader's group, by reference.
    Payload,
    /// The output arrays of a mesh shader, by reference.
    Vertices,
    Indices,
    Primitives,
}

/// What a mesh or amplification shader passes on.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The type of the payload that a mesh shader receives.
    pub payload: Option<TypeId>,
    pub mesh: Option<Mesh>,
}

/// The output of a mesh shader.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    pub io: ir::group::MeshIo,
    /// The slots of the scalars of a vertex and of a primitive, in the order of [`Types::flatten`].
    pub vertex_slots: Vec<ir::Slot>,
    pub primitive_slots: Vec<ir::Slot>,
}

/// The inputs and outputs of a shader of a draw that does not run in groups.
#[derive(Clone, Debug)]
pub struct Signature {
    pub io: ir::stage::StageIo,
    /// One for each parameter of the function.
    pub params: Vec<ParamSlots>,
    /// The outputs that the scalars of the result are, in order.
    pub result: Vec<ir::Slot>,
    /// For each stream of a geometry shader, the slots of the scalars of its elements.
    pub streams: Vec<Vec<ir::Slot>>,
}

/// The slots of the scalars of a parameter, in the order of [`Types::flatten`].
#[derive(Clone, Debug, Default)]
pub struct ParamSlots {
    /// Empty for an `out` parameter.
    pub inputs: Vec<ir::Slot>,
    /// Empty for an `in` parameter.
    pub outputs: Vec<ir::Slot>,
    /// The type of the array that holds the vertices of a primitive, or the points of a patch.
    pub array: Option<TypeId>,
    /// The number of the stream that it is.
    pub stream: Option<u32>,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    pub kind: GlobalKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum GlobalKind {
    /// One copy for each lane, initialised when the entry point starts; without an initialiser it is zero, not poison.
    Static {
        init: Option<Expr>,
    },
    Groupshared,
}

/// A resource binding, including constant buffers.
#[derive(Clone, Debug)]
pub struct Resource {
    pub name: String,
    /// A resource type ([`crate::types::Type::Resource`]); for a `cbuffer` block, a constant buffer of the struct of
    /// its members.
    pub ty: TypeId,
    /// The number of array elements over all dimensions: 1 if it is not an array, `None` if unbounded.
    pub count: Option<u32>,
    /// The dimensions of the array as declared, outermost first; an unbounded one is 0.
    pub dims: Vec<u32>,
    /// Assigned by DXC's rules if the source gives none.
    pub register: Register,
    pub chosen: ir::Chosen,
    pub globally_coherent: bool,
    /// The packing of a constant buffer's members; unused for other resources.
    pub packing: Packing,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// Parameters come first, in order; the first one of a method is `this`, which is `inout`.
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
    /// Whether the condition is tested before each iteration, rather than after it.
    pub cond: Option<Expr>,
    pub test_first: bool,
    pub body: Vec<Stmt>,
    /// Run by every continuing lane before the next iteration.
    pub step: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Switch {
    /// Of an integer type.
    pub selector: Expr,
    pub groups: Vec<CaseGroup>,
}

/// The labels in front of one list of statements.
#[derive(Clone, Debug)]
pub struct CaseGroup {
    /// As bits of the selector's type.
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
    /// A scalar, as the bits of its type.
    Const(u64),
    Local(LocalId),
    Global(GlobalId),
    /// A resource, or an entire resource array.
    Resource(ResourceId),
    /// A member of a struct, by the index of the field.
    Field(Box<Expr>, u32),
    /// Components of a vector, or of a scalar treated as a vector of one; a single component gives a scalar.
    Swizzle(Box<Expr>, Vec<u32>),
    /// Elements of a matrix, (row, column); a single element gives a scalar.
    MatrixSwizzle(Box<Expr>, Vec<(u32, u32)>),
    /// An element of an array, a component of a vector, a row of a matrix, an element of a resource or of a resource
    /// array. The index is of type `uint` or `int`, or a vector of them for multi-dimensional resources.
    Index(Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    /// Both operands have the same type, even for shifts. Comparisons give `bool`s of the same shape.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `&&`, `||`: with `short_circuit` the right operand runs only in the lanes that need it, otherwise in all.
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
    /// Both operands have the same type. The result is the left operand's new value.
    Assign(Box<Expr>, Box<Expr>),
    /// `a op= b`: `a` is read once, converted to `compute`, combined with `b` (of that type), converted back and
    /// stored.
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
    /// Conversion to [`Expr::ty`]: numbers, splats, truncations, flattening casts between aggregates.
    Convert(Box<Expr>),
    /// A value of [`Expr::ty`] from the scalars of all parts, in order, which already have the right types.
    Construct(Vec<Expr>),
    Comma(Box<Expr>, Box<Expr>),
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// Of the parameter's type.
    In(Expr),
    /// An lvalue; `ty` is the parameter's type, to and from which its value is converted.
    Out { place: Expr, ty: TypeId, mode: Mode },
}

impl Arg {
    /// The parameter's type.
    pub fn ty(&self) -> TypeId {
        match self {
            Arg::In(expr) => expr.ty,
            Arg::Out { ty, .. } => *ty,
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
