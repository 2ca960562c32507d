//! Random wave programs that are well defined by construction, as trees that can be printed as HLSL or evaluated.
//!
//! [`program`] makes a tree from a seed for waves of one width, [`Wanted::program`] for all widths of a range;
//! [`print()`] writes it as HLSL, and [`second`] evaluates it by a second definition of everything. What keeps a
//! program well defined:
//! - lanes read only lanes that are active, partition masks are partitions, wave masks are the active set;
//! - quads, derivatives and rotations are used only where the whole wave is active, or in a pixel shader all that is
//!   left of it;
//! - floats hold integers below 16, so that every order of additions gives the same exact result;
//! - loops end after a few iterations, and a thread writes only its own part of memory, except counters, to which it
//!   adds in ways whose order does not matter;
//! - threads give each other values through groupshared memory between barriers that all of them reach.
//!
//! [`pixels`] makes pixel shaders, whose lanes discard as they run. Results of helper lanes are undefined in the
//! language, and these programs use them; here they are those of our reference, which decide where helper lanes go.
//! They hold for engines that end a quad of helper lanes where its last lane discards. A device need not, so what it
//! does compares with a reference that keeps such quads.
//! [`meshlets`] makes mesh shaders, and amplification shaders before some of them. The threads of a group write the
//! elements of an output that are theirs, wherever control flow takes them, and compact others by a prefix sum over
//! their wave. [`Generated`] is a program of any of these stages with the other shaders of its draw, for engines that
//! draw.
//!
//! Deliberately absent: engines, the IR, and any check of what was generated; `ops` is used for the table of wave
//! functions alone, never for what they mean.
#![forbid(unsafe_code)]

mod asked;
mod draw;
mod group;
mod make;
pub mod moments;
mod print;
pub mod second;

pub use asked::seeds;
pub use draw::{Entry, Generated, PIXEL, Scene, VERTEX};
pub use group::{Array, Field, Groups, MOST_CHILDREN, Mesh, Meshlets, Owners};
pub use make::{Random, Statistics, Wanted, meshlets, pixels, program};
pub use print::{CHECKED, print};

use ops::intrinsics::Intrinsic;

/// The element types that programs compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Bool,
    U32,
    I32,
    U16,
    I16,
    U64,
    I64,
    F16,
    F32,
    F64,
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::Bool,
        Kind::U32,
        Kind::I32,
        Kind::U16,
        Kind::I16,
        Kind::U64,
        Kind::I64,
        Kind::F16,
        Kind::F32,
        Kind::F64,
    ];

    pub fn is_int(self) -> bool {
        self.bits_signed().is_some()
    }

    pub fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::F32 | Kind::F64)
    }

    /// For an integer: its width in bits, and whether it is signed.
    pub fn bits_signed(self) -> Option<(u32, bool)> {
        match self {
            Kind::U16 => Some((16, false)),
            Kind::I16 => Some((16, true)),
            Kind::U32 => Some((32, false)),
            Kind::I32 => Some((32, true)),
            Kind::U64 => Some((64, false)),
            Kind::I64 => Some((64, true)),
            Kind::Bool | Kind::F16 | Kind::F32 | Kind::F64 => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::U32 => "uint",
            Kind::I32 => "int",
            Kind::U16 => "uint16_t",
            Kind::I16 => "int16_t",
            Kind::U64 => "uint64_t",
            Kind::I64 => "int64_t",
            Kind::F16 => "float16_t",
            Kind::F32 => "float",
            Kind::F64 => "double",
        }
    }
}

/// A scalar (`n` is 1) or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty {
    pub kind: Kind,
    pub n: usize,
}

impl Ty {
    pub const BOOL: Ty = Ty { kind: Kind::Bool, n: 1 };
    pub const UINT: Ty = Ty { kind: Kind::U32, n: 1 };
    pub const UINT4: Ty = Ty { kind: Kind::U32, n: 4 };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Ge,
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    pub ty: Ty,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// One small number for each component.
    Literal(Vec<i64>),
    /// A local variable of the function.
    Local(usize),
    /// `SV_GroupIndex`
    Thread,
    Lane,
    /// The number of the group, in mesh and amplification shaders.
    Group,
    /// A word of the payload that the group has received, in the `main` of a mesh shader. The index is taken modulo the
    /// number of words.
    Payload(Box<Expr>),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Bin(Bin, Box<Expr>, Box<Expr>),
    /// A shift by a constant, left or right.
    Shift {
        left: bool,
        value: Box<Expr>,
        by: u32,
    },
    Cmp(Cmp, Box<Expr>, Box<Expr>),
    /// A conversion to the same number of components.
    Cast(Box<Expr>),
    Component(Box<Expr>, usize),
    Make(Vec<Expr>),
    /// `&&`, `||`: the right side runs only in the lanes that need it.
    Logic {
        and: bool,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
    },
    /// `?:`: the arms run separately.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Wave {
        intrinsic: &'static Intrinsic,
        args: Vec<Expr>,
    },
    /// The index of another active lane: this lane's with some bits flipped, or its own.
    Peer(u32),
    /// A call of a function of the program, by its index, with one argument.
    Call(usize, Box<Expr>),
    /// A derivative of a float.
    Derivative {
        down: bool,
        fine: bool,
        value: Box<Expr>,
    },
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Assign(usize, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for (counter = 0; counter < bound; ++counter)`, with a small bound in a local.
    For {
        counter: usize,
        bound: Expr,
        body: Vec<Stmt>,
    },
    /// `counter = 0; do { ++counter; … } while (counter < 4 && condition)`
    DoWhile {
        counter: usize,
        body: Vec<Stmt>,
        condition: Expr,
    },
    /// On a value below 4; `None` is `default`. A group ends with `break` if it says so, else it falls through.
    Switch(Expr, Vec<Group>),
    Break,
    Continue,
    Discard,
    Return(Expr),
    /// Adds a `uint` to a counter, by an operation whose order does not matter.
    Count(Counter, Expr),
    /// Every thread of the group gives a `uint`, and its local becomes what another thread gave. In `main` alone, where
    /// all threads arrive.
    Exchange {
        local: usize,
        value: Expr,
        /// How far away the other thread is.
        by: u32,
    },
    /// Sets the counts of a mesh shader's vertices and primitives, or dispatches the children of an amplification
    /// shader. The counts are those of one thread. In `main` alone, where all threads arrive.
    Counts {
        values: [Expr; 2],
        from: u32,
    },
    /// Writes an element of an output, or one component of it, unless the index is beyond the counts. In `main` alone.
    Output {
        /// Its index in [`Groups::fields`].
        field: usize,
        component: Option<usize>,
        at: Expr,
        value: Expr,
    },
    /// Mixes a value into the thread's slot of the log.
    Log {
        place: usize,
        value: Expr,
    },
}

/// The counters behind the log, each with its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Add,
    Or,
    Xor,
    Max,
}

impl Counter {
    pub const ALL: [Counter; 4] = [Counter::Add, Counter::Or, Counter::Xor, Counter::Max];

    pub fn index(self) -> usize {
        self as usize
    }
}

#[derive(Clone, Debug)]
pub struct Group {
    pub labels: Vec<Option<u32>>,
    pub body: Vec<Stmt>,
    pub breaks: bool,
}

/// How a function is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Plain,
    /// A template over the type of its parameter.
    Template,
    /// A method of a structure.
    Method,
}

/// A function of one parameter, which is its local 0; `main` has none and returns nothing.
#[derive(Clone, Debug)]
pub struct Function {
    pub form: Form,
    pub locals: Vec<Ty>,
    pub body: Vec<Stmt>,
    pub result: Option<Ty>,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    /// A function calls only earlier ones; the last one is `main`.
    pub functions: Vec<Function>,
    pub threads: u32,
    /// The number of log slots of each thread.
    pub places: usize,
    pub shader: Shader,
    /// Whether the counters follow the slots of the log.
    pub counts: bool,
    /// Only what every compiler of HLSL knows is used: `fmod` takes no `double`.
    pub portable: bool,
}

impl Program {
    /// The size of the log in words.
    pub fn words(&self) -> usize {
        self.counters() + if self.counts { Counter::ALL.len() } else { 0 }
    }

    /// Where the counters begin.
    pub fn counters(&self) -> usize {
        self.slots() * self.places
    }

    /// How many threads have a part of the log.
    pub fn slots(&self) -> usize {
        let groups = self.groups().map_or(1, |it| it.most);
        (groups * self.threads) as usize
    }

    pub fn pixels(&self) -> Option<&Pixels> {
        match &self.shader {
            Shader::Pixel(pixels) => Some(pixels),
            Shader::Compute | Shader::Groups(_) => None,
        }
    }

    pub fn groups(&self) -> Option<&Groups> {
        match &self.shader {
            Shader::Groups(groups) => Some(groups),
            Shader::Compute | Shader::Pixel(_) => None,
        }
    }
}

/// The stage of a program, with what is particular to it.
#[derive(Clone, Debug)]
pub enum Shader {
    /// Of one group.
    Compute,
    /// Threads are pixels here, four to a quad.
    Pixel(Pixels),
    /// A mesh or amplification shader.
    Groups(Groups),
}

/// The packing of a pixel shader's quads, and its mode.
#[derive(Clone, Debug)]
pub struct Pixels {
    /// The threads that are helper lanes from the start, fewer than four in each quad.
    pub helpers: Vec<u32>,
    /// In a draw: how many quads of the target are in a row. Threads are then the pixels of a quad, the quads of a row,
    /// and the rows, from the number that the primitive gives on.
    pub columns: Option<u32>,
    /// Whether helper lanes participate in wave operations.
    pub included: bool,
}
