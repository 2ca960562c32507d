//! Values of the second evaluator: mathematical integers and doubles, wrapped and rounded into the types of HLSL.

use std::ops::Deref;

use super::Val;
use crate::{Bin, Cmp, Kind, Ty};

/// A scalar or vector of one lane; nothing in a lane without a value.
///
/// In place rather than in a `Vec`, because a program has thousands of them.
#[derive(Clone, Debug)]
pub(super) struct Vals {
    count: usize,
    components: [Val; 4],
    /// Whether the language leaves it undefined.
    undefined: bool,
}

impl Vals {
    pub(super) fn one(value: Val) -> Vals {
        Vals { count: 1, components: [value; 4], undefined: false }
    }

    pub(super) fn is_undefined(&self) -> bool {
        self.undefined
    }

    /// The same, undefined if that is.
    pub(super) fn undefined_if(self, that: bool) -> Vals {
        Vals { undefined: self.undefined || that, ..self }
    }
}

impl Vals {
    /// Another value of the type.
    pub(super) fn another(self, kind: Kind) -> Vals {
        let other = |value: &Val| match *value {
            Val::Bool(value) => Val::Bool(!value),
            Val::Int(value) => Val::Int(wrap(kind, !value)),
            Val::Float(value) => Val::Float(1.0 - value.clamp(-14.0, 14.0)),
        };
        let all: Vals = self.iter().map(other).collect();
        all.undefined_if(self.undefined)
    }
}

impl Default for Vals {
    fn default() -> Vals {
        Vals { count: 0, components: [Val::Bool(false); 4], undefined: false }
    }
}

impl Deref for Vals {
    type Target = [Val];

    fn deref(&self) -> &[Val] {
        &self.components[..self.count]
    }
}

impl FromIterator<Val> for Vals {
    fn from_iter<T: IntoIterator<Item = Val>>(values: T) -> Vals {
        let mut all = Vals::default();
        for value in values {
            all.components[all.count] = value;
            all.count += 1;
        }
        all
    }
}

pub(super) fn pairs(a: &Vals, b: &Vals, f: impl Fn(Val, Val) -> Val) -> Vals {
    let each: Vals = a.iter().zip(b.iter()).map(|(a, b)| f(*a, *b)).collect();
    each.undefined_if(a.undefined || b.undefined)
}

pub(super) fn zero(ty: Ty) -> Vals {
    std::iter::repeat_n(number(ty.kind, 0), ty.n.max(1)).collect()
}

pub(super) fn number(kind: Kind, value: i64) -> Val {
    match kind {
        Kind::Bool => Val::Bool(value & 1 == 1),
        Kind::F16 | Kind::F32 | Kind::F64 => Val::Float(value as f64),
        _ => Val::Int(wrap(kind, i128::from(value))),
    }
}

/// Wraps into the range of an integer kind.
pub(super) fn wrap(kind: Kind, value: i128) -> i128 {
    let Some((bits, signed)) = kind.bits_signed() else {
        unreachable!("{kind:?} is not an integer")
    };
    // The remainder that is not negative.
    let low = value & ((1 << bits) - 1);
    if signed && low >= 1 << (bits - 1) { low - (1 << bits) } else { low }
}

pub(super) fn integer(value: Val) -> i128 {
    match value {
        Val::Int(value) => value,
        Val::Bool(_) | Val::Float(_) => unreachable!("generated programs are typed"),
    }
}

pub(super) fn double(value: Val) -> f64 {
    match value {
        Val::Float(value) => value,
        Val::Int(_) | Val::Bool(_) => unreachable!("generated programs are typed"),
    }
}

pub(super) fn boolean(value: Val) -> bool {
    match value {
        Val::Bool(value) => value,
        Val::Int(_) | Val::Float(_) => unreachable!("generated programs are typed"),
    }
}

pub(super) fn int(value: &Vals) -> i128 {
    integer(value[0])
}

pub(super) fn truth(value: &Vals) -> bool {
    boolean(value[0])
}

pub(super) fn increment(value: &mut Vals) {
    *value = Vals::one(Val::Int(int(value) + 1));
}

pub(super) fn negate(kind: Kind, value: Val) -> Val {
    match value {
        Val::Int(value) => Val::Int(wrap(kind, -value)),
        Val::Float(value) => Val::Float(-value),
        Val::Bool(_) => unreachable!("generated programs do not negate bools"),
    }
}

pub(super) fn binary(kind: Kind, op: Bin, a: Val, b: Val) -> Val {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => Val::Int(match op {
            Bin::Add => wrap(kind, a + b),
            Bin::Sub => wrap(kind, a - b),
            Bin::Mul => wrap(kind, a.wrapping_mul(b)),
            Bin::And => a & b,
            Bin::Or => a | b,
            Bin::Xor => wrap(kind, a ^ b),
            Bin::Min => a.min(b),
            Bin::Max => a.max(b),
        }),
        (Val::Float(a), Val::Float(b)) => Val::Float(match op {
            Bin::Add => (a + b) % 16.0,
            Bin::Sub => (a - b) % 16.0,
            Bin::Mul => (a * b) % 16.0,
            // The smaller one, with the negative zero below the positive one: there is no NaN here.
            Bin::Min => {
                if a.total_cmp(&b).is_lt() {
                    a
                } else {
                    b
                }
            }
            Bin::Max => {
                if a.total_cmp(&b).is_gt() {
                    a
                } else {
                    b
                }
            }
            Bin::And | Bin::Or | Bin::Xor => unreachable!("floats have no bitwise operations"),
        }),
        _ => unreachable!("generated programs are typed"),
    }
}

pub(super) fn equal(a: Val, b: Val) -> bool {
    compare(Cmp::Eq, a, b)
}

/// The same bits.
pub(super) fn identical(a: Val, b: Val) -> bool {
    match (a, b) {
        (Val::Float(a), Val::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

pub(super) fn compare(op: Cmp, a: Val, b: Val) -> bool {
    let order = match (a, b) {
        (Val::Int(a), Val::Int(b)) => a.partial_cmp(&b),
        (Val::Float(a), Val::Float(b)) => a.partial_cmp(&b),
        (Val::Bool(a), Val::Bool(b)) => a.partial_cmp(&b),
        _ => unreachable!("generated programs are typed"),
    };
    match op {
        Cmp::Eq => order == Some(std::cmp::Ordering::Equal),
        Cmp::Ne => order != Some(std::cmp::Ordering::Equal),
        Cmp::Lt => order == Some(std::cmp::Ordering::Less),
        Cmp::Ge => matches!(order, Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal)),
    }
}

pub(super) fn cast(from: Kind, to: Kind, value: Val) -> Val {
    match (value, to) {
        (Val::Bool(value), _) => number(to, i64::from(value)),
        (Val::Int(value), Kind::Bool) => Val::Bool(value != 0),
        (Val::Float(value), Kind::Bool) => Val::Bool(value != 0.0),
        // Floats hold small numbers only.
        (Val::Int(value), Kind::F16 | Kind::F32 | Kind::F64) => {
            Val::Float((wrap(from, value) & 15) as f64)
        }
        (Val::Int(value), _) => Val::Int(wrap(to, value)),
        (Val::Float(value), Kind::F16 | Kind::F32 | Kind::F64) => Val::Float(value),
        (Val::Float(value), _) => Val::Int(wrap(to, value as i128)),
    }
}

pub(super) fn words(kind: Kind, value: Val) -> impl Iterator<Item = u32> {
    let (low, high) = match (kind, value) {
        (_, Val::Bool(value)) => (u32::from(value), None),
        (_, Val::Float(value)) => ((value as f32).to_bits(), None),
        (Kind::U64 | Kind::I64, Val::Int(value)) => (value as u32, Some((value >> 32) as u32)),
        (_, Val::Int(value)) => (value as u32, None),
    };
    std::iter::once(low).chain(high)
}
