//! The accuracy of functions.
//!
//! A new operation must state its accuracy before it compiles. The statements about floats are measured by the test
//! `accuracy` of `ops`; they hold for every type that a function takes.

use ops::{Binary, Ternary, Unary};

use super::{Function, Pure};

/// The guarantees, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Accuracy {
    /// Exact: the result is a value of the type, or no arithmetic is involved. Integers wrap.
    Exact,
    /// Correctly rounded: to nearest, ties to even.
    Nearest,
    /// At most 0.50001 units in the last place off, and correctly rounded except for a handful of arguments.
    AlmostNearest,
    /// The formula in the summary, each of its operations rounded to nearest.
    Formula,
}

impl Accuracy {
    /// For tables.
    pub fn words(self) -> &'static str {
        match self {
            Accuracy::Exact => "exact",
            Accuracy::Nearest => "nearest",
            Accuracy::AlmostNearest => "0.50001 ulp",
            Accuracy::Formula => "formula",
        }
    }
}

impl Function {
    pub fn accuracy(self) -> Accuracy {
        match self {
            Function::Pure(function) => function.accuracy(),
            Function::Interlocked { .. }
            | Function::Barrier(_)
            | Function::FlagBarrier
            | Function::NonUniform
            | Function::Pixel(_)
            | Function::MeshCounts
            | Function::DispatchMesh
            | Function::Factors(_)
            | Function::Print(_)
            | Function::IsDebuggingEnabled
            | Function::Unsupported(_) => Accuracy::Exact,
        }
    }
}

impl Pure {
    fn accuracy(self) -> Accuracy {
        use Accuracy::*;
        match self {
            Pure::Unary(op) => of_unary(op),
            Pure::Binary(op) => of_binary(op),
            Pure::Ternary(Ternary::Fma) => Nearest,
            Pure::Ternary(Ternary::Select) => Exact,
            // At most the last operation rounds.
            Pure::Frac | Pure::Rcp | Pure::Derivative(_) => Nearest,
            Pure::SinCos => AlmostNearest,
            Pure::Clamp
            | Pure::Frexp
            | Pure::IsNormal
            | Pure::Modf
            | Pure::Sign
            | Pure::Step
            | Pure::All
            | Pure::Any
            | Pure::Transpose
            | Pure::AddUint64
            | Pure::AsDouble
            | Pure::Bitcast
            | Pure::IsMapped
            | Pure::SplitDouble
            | Pure::Dot4Add { .. }
            | Pure::Msad4
            | Pure::Pack { .. }
            | Pure::Unpack { .. } => Exact,
            Pure::Degrees
            | Pure::Fwidth
            | Pure::Ldexp
            | Pure::Lerp
            | Pure::Mad
            | Pure::Radians
            | Pure::Smoothstep
            | Pure::Cross
            | Pure::Distance
            | Pure::Dot
            | Pure::Dst
            | Pure::FaceForward
            | Pure::Length
            | Pure::Lit
            | Pure::Normalize
            | Pure::Reflect
            | Pure::Refract
            | Pure::Determinant
            | Pure::Mul
            | Pure::ColorToUbyte4
            | Pure::Dot2Add => Formula,
        }
    }
}

fn of_unary(op: Unary) -> Accuracy {
    use Unary::*;
    match op {
        Neg | Not | Abs | Floor | Ceil | Trunc | Round | Saturate | IsNan | IsInf | IsFinite
        | CountBits | ReverseBits | FirstBitLow | FirstBitHigh(_) | UnpackHalf | Bitcast(_) => {
            Accuracy::Exact
        }
        Sqrt | PackHalf | Convert { .. } => Accuracy::Nearest,
        Rsqrt | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Exp2 | Log
        | Log2 | Log10 => Accuracy::AlmostNearest,
    }
}

fn of_binary(op: Binary) -> Accuracy {
    use Binary::*;
    match op {
        Rem(_) | And | Or | Xor | Shl | Shr(_) | Min(_) | Max(_) => Accuracy::Exact,
        Add | Sub | Mul | Div(_) => Accuracy::Nearest,
        Atan2 | Pow => Accuracy::AlmostNearest,
    }
}
