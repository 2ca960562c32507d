//! Registers, operands and lines of PTX text.
//!
//! Registers are untyped: `.pred`, and `.b16`, `.b32` and `.b64`, which fit every instruction type of their size.

use std::fmt;

use ops::Ty;

/// A class of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Predicate,
    Half,
    Word,
    Long,
}

impl Class {
    pub(crate) const ALL: [Class; 4] = [Class::Predicate, Class::Half, Class::Word, Class::Long];

    pub(crate) fn of(ty: Ty) -> Class {
        match ty {
            Ty::Bool => Class::Predicate,
            Ty::I16 | Ty::F16 => Class::Half,
            Ty::I32 | Ty::F32 => Class::Word,
            Ty::I64 | Ty::F64 => Class::Long,
        }
    }

    pub(crate) fn letter(self) -> char {
        match self {
            Class::Predicate => 'p',
            Class::Half => 'h',
            Class::Word => 'r',
            Class::Long => 'd',
        }
    }

    /// The type without a meaning.
    pub(crate) fn bits(self) -> &'static str {
        match self {
            Class::Predicate => "pred",
            Class::Half => "b16",
            Class::Word => "b32",
            Class::Long => "b64",
        }
    }
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reg {
    pub(crate) class: Class,
    pub(crate) number: u32,
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}{}", self.class.letter(), self.number)
    }
}

/// A value: a register, or a constant of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Reg(Reg),
    Bits(Ty, u64),
}

impl Operand {
    pub(crate) fn word(value: u32) -> Operand {
        Operand::Bits(Ty::I32, value.into())
    }

    pub(crate) fn known(self) -> Option<u64> {
        match self {
            Operand::Bits(_, bits) => Some(bits),
            Operand::Reg(_) => None,
        }
    }
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

impl fmt::Display for Operand {
    /// A constant is spelled for instructions of its type. There are no constants of 16-bit floats and of predicates:
    /// these are moved into a register first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Operand::Reg(reg) => reg.fmt(f),
            Operand::Bits(Ty::F32, bits) => write!(f, "0f{bits:08X}"),
            Operand::Bits(Ty::F64, bits) => write!(f, "0d{bits:016X}"),
            Operand::Bits(Ty::Bool, bits) => write!(f, "{}", bits & 1),
            Operand::Bits(Ty::I16 | Ty::F16, bits) => write!(f, "{}", bits as i16),
            Operand::Bits(Ty::I32, bits) => write!(f, "{}", bits as i32),
            Operand::Bits(Ty::I64, bits) => write!(f, "{}", bits as i64),
        }
    }
}

/// A label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) number: u32,
    /// What it marks.
    pub(crate) hint: &'static str,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}_{}", self.hint, self.number)
    }
}

/// The text of the body under construction, and the registers and labels in use.
#[derive(Default)]
pub(crate) struct Text {
    /// What runs before everything else, on which any instruction may rely.
    pub(crate) prologue: String,
    pub(crate) body: String,
    counts: [u32; 4],
    labels: u32,
}

impl Text {
    pub(crate) fn reg(&mut self, class: Class) -> Reg {
        let count = &mut self.counts[class as usize];
        *count += 1;
        Reg { class, number: *count - 1 }
    }

    pub(crate) fn label(&mut self, hint: &'static str) -> Label {
        self.labels += 1;
        Label { number: self.labels, hint }
    }

    /// The declarations of all registers.
    pub(crate) fn declarations(&self) -> String {
        let used = Class::ALL.into_iter().filter(|it| self.counts[*it as usize] > 0);
        let declare = |class: Class| {
            let (bits, letter) = (class.bits(), class.letter());
            format!("\t.reg .{bits} \t%{letter}<{}>;\n", self.counts[class as usize])
        };
        used.map(declare).collect()
    }
}

/// Appends an instruction that all threads execute.
macro_rules! put {
    ($emitter:expr, $($format:tt)+) => {
        $emitter.line(None, format_args!($($format)+))
    };
}

/// Appends an instruction that only threads execute whose predicate holds; all do without one.
macro_rules! put_if {
    ($emitter:expr, $when:expr, $($format:tt)+) => {{
        let when: Option<$crate::text::Reg> = $when;
        $emitter.line(when, format_args!($($format)+))
    }};
}

pub(crate) use put;
pub(crate) use put_if;

/// A name that PTX takes as an identifier.
pub(crate) fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    name.chars().map(plain).collect()
}
