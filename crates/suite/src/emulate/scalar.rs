//! The arithmetic instructions of one thread, by the PTX ISA, and where that leaves a result open, something
//! that no program should rely on.

use ops::F16;

use super::parse::{Instruction, Type};

/// A result that the ISA leaves open.
const OPEN: u64 = 0x0bad_0bad_0bad_0bad;

pub(crate) fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// The value of an integer operand.
fn integer(ty: Type, value: u64) -> i128 {
    match ty.is_signed() {
        true => signed(value, ty.bits()).into(),
        false => (value & ones(ty.bits())).into(),
    }
}

/// The value of a float operand.
fn float(bits: u32, value: u64) -> f64 {
    match bits {
        16 => F16(value as u16).to_f64(),
        32 => f64::from(f32::from_bits(value as u32)),
        _ => f64::from_bits(value),
    }
}

/// The NaN of an operation on floats of that size: of 64 bits the payload is open.
fn nan(bits: u32) -> u64 {
    match bits {
        16 => 0x7fff,
        32 => 0x7fff_ffff,
        _ => 0xfff8_0bad_0bad_0bad,
    }
}

/// A float from a wider one, rounded to nearest even.
fn rounded(bits: u32, value: f64) -> u64 {
    if value.is_nan() {
        return nan(bits);
    }
    match bits {
        16 => F16::from_f64(value).0.into(),
        32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

/// An operation on floats, rounded once: f64 holds sums and products of halves exactly enough, those of singles are
/// computed as singles.
fn arithmetic(name: &str, bits: u32, a: u64, b: u64) -> u64 {
    if bits == 32 {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match name {
            "add" => x + y,
            "sub" => x - y,
            "mul" => x * y,
            _ => x / y,
        };
        return rounded(32, result.into());
    }
    let (x, y) = (float(bits, a), float(bits, b));
    let result = match name {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        _ => x / y,
    };
    rounded(bits, result)
}

fn extremum(is_min: bool, bits: u32, a: u64, b: u64) -> u64 {
    let (x, y) = (float(bits, a), float(bits, b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => return nan(bits),
        (true, false) => return b,
        (false, true) => return a,
        (false, false) => {}
    }
    // -0 is below +0.
    let below = x < y || (x == y && x.is_sign_negative());
    if below == is_min { a } else { b }
}

/// The result of a computation on constants and registers. `Err` for what the machine does not know.
pub(crate) fn compute(it: &Instruction, args: &[u64]) -> Result<u64, String> {
    let ty = it.ty();
    let bits = ty.bits();
    let unknown = || Err(format!("unknown instruction `{}`", it.text));
    let arg = |index: usize| -> u64 { args.get(index).copied().unwrap_or(0) };
    let (a, b, c) = (arg(0), arg(1), arg(2));
    let (x, y) = (integer(ty, a), integer(ty, b));
    let word = ones(bits);
    let exact = it.has("rn");
    Ok(match it.name.as_str() {
        "add" | "sub" | "mul" | "div" if ty.is_float() => {
            if !exact {
                return Err("a float operation without its rounding".to_owned());
            }
            arithmetic(&it.name, bits, a, b)
        }
        "min" | "max" if ty.is_float() => extremum(it.name == "min", bits, a, b),
        "add" => (x + y) as u64 & word,
        "sub" => (x - y) as u64 & word,
        "mul" if it.has("lo") => x.wrapping_mul(y) as u64 & word,
        "mul" if it.has("hi") => ((x * y) >> bits) as u64 & word,
        "mul" if it.has("wide") && bits == 32 => (x * y) as u64,
        "mad" if it.has("lo") => x.wrapping_mul(y).wrapping_add(integer(ty, c)) as u64 & word,
        // The result is twice as wide.
        "mad" if it.has("wide") && bits == 32 => (x * y).wrapping_add(i128::from(c)) as u64,
        "div" | "rem" => {
            let overflows = ty.is_signed() && x == -(1i128 << (bits - 1)) && y == -1;
            match y {
                0 => OPEN & word,
                _ if overflows => OPEN & word,
                _ if it.name == "div" => (x / y) as u64 & word,
                _ => (x % y) as u64 & word,
            }
        }
        "min" => x.min(y) as u64 & word,
        "max" => x.max(y) as u64 & word,
        "neg" => (-x) as u64 & word,
        "and" => a & b & word,
        "or" => (a | b) & word,
        "xor" => (a ^ b) & word,
        "not" => !a & word,
        // Counts of the width and above shift everything out.
        "shl" => match b as u32 {
            count if count >= bits => 0,
            count => a << count & word,
        },
        "shr" => {
            let count = (b as u32).min(bits);
            match count == bits {
                true if x < 0 => word,
                true => 0,
                false => (x >> count) as u64 & word,
            }
        }
        "popc" => u64::from((a & word).count_ones()),
        "brev" => (a & word).reverse_bits() >> (64 - bits),
        "bfind" => {
            let value = if x < 0 { !x as u64 & word } else { a & word };
            match value {
                0 => 0xffff_ffff,
                value => {
                    let index = 63 - value.leading_zeros();
                    u64::from(if it.has("shiftamt") { bits - 1 - index } else { index })
                }
            }
        }
        "selp" => (if c & 1 == 1 { a } else { b }) & word,
        "mov" => a & word,
        "setp" => {
            let relation = it.modifiers.first().map_or("", String::as_str);
            let holds = if ty.is_float() {
                let (x, y) = (float(bits, a), float(bits, b));
                match relation {
                    "eq" => x == y,
                    "neu" => x != y,
                    "lt" => x < y,
                    "le" => x <= y,
                    "gt" => x > y,
                    "ge" => x >= y,
                    _ => return unknown(),
                }
            } else {
                match relation {
                    "eq" => x == y,
                    "ne" => x != y,
                    "lt" => x < y,
                    "le" => x <= y,
                    "gt" => x > y,
                    "ge" => x >= y,
                    _ => return unknown(),
                }
            };
            holds.into()
        }
        "testp" => {
            let x = float(bits, a);
            u64::from(match it.modifiers.first().map_or("", String::as_str) {
                "notanumber" => x.is_nan(),
                "number" => !x.is_nan(),
                "infinite" => x.is_infinite(),
                "finite" => x.is_finite(),
                _ => return unknown(),
            })
        }
        "sqrt" if exact => match bits {
            32 => rounded(32, f32::from_bits(a as u32).sqrt().into()),
            _ => rounded(64, f64::from_bits(a).sqrt()),
        },
        "fma" if exact => fused(bits, a, b, c),
        "cvt" => return convert(it, a),
        _ => return unknown(),
    })
}

fn fused(bits: u32, a: u64, b: u64, c: u64) -> u64 {
    match bits {
        // An f64 holds the product of halves exactly, and its sum with a third is rounded to odd by more digits
        // than a half has.
        16 => {
            let value = F16(a as u16).to_f64() * F16(b as u16).to_f64();
            let other = F16(c as u16).to_f64();
            rounded(16, value.mul_add(1.0, other))
        }
        32 => {
            let [x, y, z] = [a, b, c].map(|it| f32::from_bits(it as u32));
            rounded(32, x.mul_add(y, z).into())
        }
        _ => {
            let [x, y, z] = [a, b, c].map(f64::from_bits);
            rounded(64, x.mul_add(y, z))
        }
    }
}

/// `cvt.rounding.to.from`.
fn convert(it: &Instruction, value: u64) -> Result<u64, String> {
    let [to, from] = it.types.as_slice() else {
        return Err("a conversion has two types".to_owned());
    };
    let bits = to.bits();
    let rounding = it.modifiers.first().map(String::as_str);
    let needs = |wanted: &[&str]| match rounding.is_some_and(|it| wanted.contains(&it)) {
        true => Ok(()),
        false => Err(format!("a conversion needs one of {wanted:?}")),
    };
    Ok(match (from.is_float(), to.is_float()) {
        (false, false) => integer(*from, value) as u64 & ones(bits),
        (false, true) => {
            needs(&["rn"])?;
            let value = integer(*from, value);
            match bits {
                16 => F16::from_f64(value as f64).0.into(),
                32 => (value as f32).to_bits().into(),
                _ => (value as f64).to_bits(),
            }
        }
        (true, true) if to == from => {
            let value = float(from.bits(), value);
            let whole = match rounding {
                Some("rni") => value.round_ties_even(),
                Some("rzi") => value.trunc(),
                Some("rmi") => value.floor(),
                Some("rpi") => value.ceil(),
                _ => return Err("a rounding to an integer is missing".to_owned()),
            };
            rounded(bits, whole)
        }
        (true, true) => {
            if bits < from.bits() {
                needs(&["rn"])?;
            } else if rounding.is_some() {
                return Err("a widening conversion does not round".to_owned());
            }
            rounded(bits, float(from.bits(), value))
        }
        (true, false) => {
            needs(&["rzi"])?;
            let value = float(from.bits(), value);
            if value.is_nan() {
                let is_long = bits == 64 || from.bits() == 64;
                return Ok(if is_long { 1 << (bits - 1) } else { 0 });
            }
            let (least, most) = match to.is_signed() {
                true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                false => (0, i128::from(ones(bits))),
            };
            (value.trunc() as i128).clamp(least, most) as u64 & ones(bits)
        }
    })
}
