//! The types of lane values.
//!
//! Integers have no signedness: operations for which it matters take a [`Sign`].
//! Every value is held in one of three representations: a bit in a lane mask, a 32-bit word, a 64-bit long.
//! The unused upper bits of 16-bit values in words are zero.

use crate::F16;

/// The type of one lane's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    Bool,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

/// How an integer operation reads its operands. Floats use `Signed` throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    Signed,
    Unsigned,
}

/// How engines represent a lane's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repr {
    Bit,
    Word,
    Long,
}

impl Ty {
    pub const ALL: [Ty; 7] = [Ty::Bool, Ty::I16, Ty::I32, Ty::I64, Ty::F16, Ty::F32, Ty::F64];

    /// The spelling in the text form of the IR.
    pub fn name(self) -> &'static str {
        match self {
            Ty::Bool => "bool",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::F16 => "f16",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
        }
    }

    pub fn by_name(name: &str) -> Option<Ty> {
        Ty::ALL.into_iter().find(|ty| ty.name() == name)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64)
    }

    pub fn is_int(self) -> bool {
        matches!(self, Ty::I16 | Ty::I32 | Ty::I64)
    }

    pub fn repr(self) -> Repr {
        match self {
            Ty::Bool => Repr::Bit,
            Ty::I16 | Ty::I32 | Ty::F16 | Ty::F32 => Repr::Word,
            Ty::I64 | Ty::F64 => Repr::Long,
        }
    }

    /// The size of a value in a buffer, in bytes; a `bool` takes a whole word.
    pub fn bytes(self) -> u32 {
        match self {
            Ty::I16 | Ty::F16 => 2,
            Ty::Bool | Ty::I32 | Ty::F32 => 4,
            Ty::I64 | Ty::F64 => 8,
        }
    }

    /// The width of a value in bits.
    pub fn bits(self) -> u32 {
        match self {
            Ty::Bool => 1,
            Ty::I16 | Ty::F16 => 16,
            Ty::I32 | Ty::F32 => 32,
            Ty::I64 | Ty::F64 => 64,
        }
    }

    /// All bits of a value.
    pub fn ones(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The integer type of the same size; other types than floats are returned unchanged.
    pub fn as_int(self) -> Ty {
        match self {
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => self,
            Ty::F16 => Ty::I16,
            Ty::F32 => Ty::I32,
            Ty::F64 => Ty::I64,
        }
    }

    /// The bits of a number, rounded to this float type.
    pub fn float_bits(self, number: f64) -> u64 {
        match self {
            Ty::F16 => u64::from(F16::from_f64(number).0),
            Ty::F32 => u64::from((number as f32).to_bits()),
            Ty::F64 => number.to_bits(),
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => unreachable!("{self:?} is not a float"),
        }
    }

    /// The bits of the canonical NaN of this float type.
    pub fn canonical_nan(self) -> u64 {
        match self {
            Ty::F16 => 0x7e00,
            Ty::F32 => 0x7fc0_0000,
            Ty::F64 => 0x7ff8_0000_0000_0000,
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => unreachable!("{self:?} is not a float"),
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// One of the three representations: `bool`, `u32`, `u64`.
pub trait Held: Copy + Default + sealed::Sealed + 'static {
    const REPR: Repr;
    fn to_bits(self) -> u64;
    fn from_bits(bits: u64) -> Self;
}

/// A Rust type that represents a lane's value in the definition of an operation.
pub trait Lane: Copy + 'static {
    type Held: Held;
    fn hold(self) -> Self::Held;
    fn of(held: Self::Held) -> Self;
}

macro_rules! held {
    ($ty:ty, $repr:ident, |$bits:ident| $from:expr) => {
        impl sealed::Sealed for $ty {}
        impl Held for $ty {
            const REPR: Repr = Repr::$repr;
            #[inline(always)]
            fn to_bits(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn from_bits($bits: u64) -> $ty {
                $from
            }
        }
    };
}

held!(bool, Bit, |bits| bits & 1 == 1);
held!(u32, Word, |bits| bits as u32);
held!(u64, Long, |bits| bits);

macro_rules! lane {
    ($ty:ty as $held:ty, |$value:ident| $hold:expr, |$bits:ident| $of:expr) => {
        impl Lane for $ty {
            type Held = $held;
            #[inline(always)]
            fn hold(self) -> $held {
                let $value = self;
                $hold
            }
            #[inline(always)]
            fn of($bits: $held) -> $ty {
                $of
            }
        }
    };
}

lane!(bool as bool, |it| it, |it| it);
lane!(u16 as u32, |it| u32::from(it), |it| it as u16);
lane!(u32 as u32, |it| it, |it| it);
lane!(u64 as u64, |it| it, |it| it);
lane!(i16 as u32, |it| u32::from(it as u16), |it| it as i16);
lane!(i32 as u32, |it| it as u32, |it| it as i32);
lane!(i64 as u64, |it| it as u64, |it| it as i64);
lane!(F16 as u32, |it| u32::from(it.0), |it| F16(it as u16));
lane!(f32 as u32, |it| it.to_bits(), |it| f32::from_bits(it));
lane!(f64 as u64, |it| it.to_bits(), |it| f64::from_bits(it));
