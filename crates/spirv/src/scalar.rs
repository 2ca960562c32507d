//! Scalar arithmetic, one instruction for each operation: `legalize` has expanded what SPIR-V or Vulkan leaves
//! undefined.
//!
//! Nothing is contracted. The rest are workarounds for drivers: a rounding to halves that cannot be optimised away,
//! explicit minimum and maximum instructions, 16-bit extensions that do not rely on the sign.

use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode::{self as op, Opcode};

impl Emitter<'_> {
    pub(crate) fn typed(&mut self, opcode: Opcode, ty: Ty, operands: &[Id]) -> Id {
        let ty = self.out.ty(ty);
        self.op(opcode, ty, operands)
    }

    pub(crate) fn test(&mut self, opcode: Opcode, a: Id, b: Id) -> Id {
        self.typed(opcode, Ty::Bool, &[a, b])
    }

    pub(crate) fn choose(&mut self, ty: Ty, cond: Id, yes: Id, no: Id) -> Id {
        self.typed(op::SELECT, ty, &[cond, yes, no])
    }

    /// Arithmetic that must not be contracted.
    pub(crate) fn exact(&mut self, opcode: Opcode, ty: Ty, operands: &[Id]) -> Id {
        let id = self.typed(opcode, ty, operands);
        self.out.decorate(id, op::NO_CONTRACTION, &[]);
        id
    }

    pub(crate) fn glsl(&mut self, function: u32, ty: Id, operands: &[Id]) -> Id {
        let set = self.out.glsl();
        let words: Vec<u32> =
            [set.0, function].into_iter().chain(operands.iter().map(|it| it.0)).collect();
        self.op_words(op::EXT_INST, ty, &words)
    }

    fn rounded(&mut self, function: u32, ty: Ty, a: Id) -> Id {
        let ty_id = self.out.ty(ty);
        self.glsl(function, ty_id, &[a])
    }

    /// Whether results must have the reference engine's bits.
    pub(crate) fn is_exact(&self) -> bool {
        self.environment.exact
    }

    /// NaN canonicalisation, for converted texels.
    fn canonical(&mut self, ty: Ty, value: Id) -> Id {
        if !self.is_exact() {
            return value;
        }
        let is_nan = self.magnitude(op::U_GREATER_THAN, ty, value);
        // Selected as integers, because a driver may substitute one NaN for another.
        let int = ty.as_int();
        let (bits, nan) =
            (self.bitcast(value, ty, int), self.out.constant(int, ty.canonical_nan()));
        let chosen = self.choose(int, is_nan, nan, bits);
        self.bitcast(chosen, int, ty)
    }

    pub(crate) fn float(&mut self, value: Id, from: Ty, to: Ty) -> Id {
        if (from, to) == (Ty::F32, Ty::F16) && self.is_exact() {
            let rounded = self.rounded_to_half(value);
            return self.typed(op::F_CONVERT, to, &[rounded]);
        }
        if from == to { value } else { self.typed(op::F_CONVERT, to, &[value]) }
    }

    /// A single rounded to half precision, ties to even, by integer operations. A driver may remove a conversion to
    /// half and back together with its rounding (NVIDIA 580 does), but not this.
    fn rounded_to_half(&mut self, value: Id) -> Id {
        let bits = self.bitcast(value, Ty::F32, Ty::I32);
        let size = self.words(op::BITWISE_AND, bits, 0x7fff_ffff);
        let sign = self.words(op::BITWISE_AND, bits, 0x8000_0000);
        // Normal halves lose 13 bits, ties to even.
        let uint = self.out.uint();
        let last = self.words(op::SHIFT_RIGHT_LOGICAL, size, 13);
        let last = self.words(op::BITWISE_AND, last, 1);
        let sum = self.op(op::I_ADD, uint, &[size, last]);
        let sum = self.words(op::I_ADD, sum, 0xfff);
        let normal = self.words(op::BITWISE_AND, sum, !0x1fff);
        // Denormals are multiples of 2^-24, and so is a sum with one half.
        let half = self.out.constant(Ty::F32, Ty::F32.float_bits(0.5));
        let positive = self.bitcast(size, Ty::I32, Ty::F32);
        let sum = self.exact(op::F_ADD, Ty::F32, &[positive, half]);
        let small = self.exact(op::F_SUB, Ty::F32, &[sum, half]);
        let small = self.bitcast(small, Ty::F32, Ty::I32);
        let limit = self.out.word(0x3880_0000);
        let is_small = self.test(op::U_LESS_THAN, size, limit);
        let rounded = self.choose(Ty::I32, is_small, small, normal);
        // Results of 2^16 or more are infinite; infinities and NaN are kept.
        let most = self.out.word(0x4780_0000);
        let infinity = self.out.word(0x7f80_0000);
        let overflows = self.test(op::U_GREATER_THAN_EQUAL, rounded, most);
        let rounded = self.choose(Ty::I32, overflows, infinity, rounded);
        let special = self.test(op::U_GREATER_THAN, size, infinity);
        let rounded = self.choose(Ty::I32, special, size, rounded);
        let both = self.op(op::BITWISE_OR, uint, &[rounded, sign]);
        self.bitcast(both, Ty::I32, Ty::F32)
    }

    pub(crate) fn bitcast(&mut self, value: Id, from: Ty, to: Ty) -> Id {
        if from == to { value } else { self.typed(op::BITCAST, to, &[value]) }
    }

    pub(crate) fn unary(&mut self, operation: Unary, ty: Ty, a: Id) -> Id {
        let ty_id = self.out.ty(ty);
        match operation {
            Unary::Neg if ty.is_float() => self.op(op::F_NEGATE, ty_id, &[a]),
            Unary::Neg => self.op(op::S_NEGATE, ty_id, &[a]),
            Unary::Not if ty == Ty::Bool => self.op(op::LOGICAL_NOT, ty_id, &[a]),
            Unary::Not => self.op(op::NOT, ty_id, &[a]),
            Unary::Abs if ty.is_float() => {
                let int = ty.as_int();
                let (bits, mask) =
                    (self.bitcast(a, ty, int), self.out.constant(int, int.ones() >> 1));
                let positive = self.typed(op::BITWISE_AND, int, &[bits, mask]);
                self.bitcast(positive, int, ty)
            }
            Unary::Floor => self.rounded(op::GLSL_FLOOR, ty, a),
            Unary::Ceil => self.rounded(op::GLSL_CEIL, ty, a),
            Unary::Trunc => self.rounded(op::GLSL_TRUNC, ty, a),
            Unary::Round => self.rounded(op::GLSL_ROUND_EVEN, ty, a),
            Unary::Sqrt => self.rounded(op::GLSL_SQRT, ty, a),
            Unary::Rsqrt => self.rounded(op::GLSL_INVERSE_SQRT, ty, a),
            Unary::Sin => self.rounded(op::GLSL_SIN, ty, a),
            Unary::Cos => self.rounded(op::GLSL_COS, ty, a),
            Unary::Tan => self.rounded(op::GLSL_TAN, ty, a),
            Unary::Asin => self.rounded(op::GLSL_ASIN, ty, a),
            Unary::Acos => self.rounded(op::GLSL_ACOS, ty, a),
            Unary::Atan => self.rounded(op::GLSL_ATAN, ty, a),
            Unary::Sinh => self.rounded(op::GLSL_SINH, ty, a),
            Unary::Cosh => self.rounded(op::GLSL_COSH, ty, a),
            Unary::Tanh => self.rounded(op::GLSL_TANH, ty, a),
            Unary::Exp => self.rounded(op::GLSL_EXP, ty, a),
            Unary::Exp2 => self.rounded(op::GLSL_EXP2, ty, a),
            Unary::Log => self.rounded(op::GLSL_LOG, ty, a),
            Unary::Log2 => self.rounded(op::GLSL_LOG2, ty, a),
            Unary::Saturate => {
                let (zero, one) =
                    (self.out.constant(ty, 0), self.out.constant(ty, ty.float_bits(1.0)));
                let above = self.test(op::F_ORD_GREATER_THAN, a, zero);
                let low = self.choose(ty, above, a, zero);
                let below = self.test(op::F_ORD_LESS_THAN, low, one);
                self.choose(ty, below, low, one)
            }
            Unary::CountBits => self.typed(op::BIT_COUNT, Ty::I32, &[a]),
            Unary::ReverseBits => self.op(op::BIT_REVERSE, ty_id, &[a]),
            Unary::FirstBitLow => self.glsl(op::GLSL_FIND_LSB, ty_id, &[a]),
            Unary::FirstBitHigh(Sign::Unsigned) => self.glsl(op::GLSL_FIND_UMSB, ty_id, &[a]),
            Unary::UnpackHalf => {
                let single = self.out.ty(Ty::F32);
                let pair = self.out.vector(single, 2);
                let both = self.glsl(op::GLSL_UNPACK_HALF, pair, &[a]);
                self.op_words(op::COMPOSITE_EXTRACT, single, &[both.0, 0])
            }
            Unary::PackHalf => {
                let single = self.out.ty(Ty::F32);
                let pair = self.out.vector(single, 2);
                let zero = self.out.constant(Ty::F32, 0);
                let both = self.op(op::COMPOSITE_CONSTRUCT, pair, &[a, zero]);
                let uint = self.out.uint();
                self.glsl(op::GLSL_PACK_HALF, uint, &[both])
            }
            Unary::Bitcast(to) => self.bitcast(a, ty, to),
            Unary::Convert { to, from_sign, .. } => self.convert(a, ty, from_sign, to),
            Unary::Abs
            | Unary::IsNan
            | Unary::IsInf
            | Unary::IsFinite
            | Unary::FirstBitHigh(Sign::Signed)
            | Unary::Log10 => unreachable!("{operation:?} is legalised for every environment"),
        }
    }

    /// Compares the bits without the sign with those of infinity.
    pub(crate) fn magnitude(&mut self, opcode: Opcode, ty: Ty, a: Id) -> Id {
        let int = ty.as_int();
        let bits = self.bitcast(a, ty, int);
        let mask = self.out.constant(int, int.ones() >> 1);
        let positive = self.typed(op::BITWISE_AND, int, &[bits, mask]);
        let infinity = self.out.constant(int, ty.float_bits(f64::INFINITY));
        self.test(opcode, positive, infinity)
    }

    /// The words of a 64-bit value, the lower one first.
    pub(crate) fn halves(&mut self, a: Id, ty: Ty) -> [Id; 2] {
        let bits = self.bitcast(a, ty, Ty::I64);
        let uint = self.out.uint();
        let pair = self.out.vector(uint, 2);
        let both = self.op(op::BITCAST, pair, &[bits]);
        [0, 1].map(|i| self.component(both, i))
    }

    pub(crate) fn joined(&mut self, low: Id, high: Id, ty: Ty) -> Id {
        let uint = self.out.uint();
        let pair = self.out.vector(uint, 2);
        let both = self.op(op::COMPOSITE_CONSTRUCT, pair, &[low, high]);
        self.typed(op::BITCAST, ty, &[both])
    }

    /// The device's conversion; the sign is that of the integer on either side.
    pub(crate) fn convert(&mut self, a: Id, from: Ty, sign: Sign, to: Ty) -> Id {
        if from == to {
            return a;
        }
        if to == Ty::Bool {
            let zero = self.out.constant(from, 0);
            let opcode = if from.is_float() { op::F_UNORD_NOT_EQUAL } else { op::I_NOT_EQUAL };
            return self.test(opcode, a, zero);
        }
        if from == Ty::Bool {
            let one = if to.is_float() { to.float_bits(1.0) } else { 1 };
            let (one, zero) = (self.out.constant(to, one), self.out.constant(to, 0));
            return self.choose(to, a, one, zero);
        }
        let opcode = match (from.is_float(), to.is_float(), sign) {
            (true, true, _) => return self.float(a, from, to),
            (true, false, Sign::Signed) => op::CONVERT_F_TO_S,
            (true, false, Sign::Unsigned) => op::CONVERT_F_TO_U,
            (false, true, Sign::Signed) => op::CONVERT_S_TO_F,
            (false, true, Sign::Unsigned) => op::CONVERT_U_TO_F,
            (false, false, Sign::Signed) if from == Ty::I16 && self.is_exact() => {
                // A driver assumes that 16-bit sums do not overflow, and extends them wrongly.
                let word = self.typed(op::U_CONVERT, Ty::I32, &[a]);
                let high = self.words(op::SHIFT_LEFT_LOGICAL, word, 16);
                let word = self.words(op::SHIFT_RIGHT_ARITHMETIC, high, 16);
                return if to == Ty::I32 { word } else { self.typed(op::S_CONVERT, to, &[word]) };
            }
            (false, false, Sign::Signed) => op::S_CONVERT,
            (false, false, Sign::Unsigned) => op::U_CONVERT,
        };
        self.typed(opcode, to, &[a])
    }

    /// A conversion between a texel and the type that the shader sees.
    pub(crate) fn texel_converted(&mut self, a: Id, from: Ty, sign: Sign, to: Ty) -> Id {
        let value = self.convert(a, from, sign, to);
        let rounds = from != to && from.is_float() && to.is_float();
        if rounds { self.canonical(to, value) } else { value }
    }

    /// The quotient of two singles, rounded once if results must be exact.
    pub(crate) fn quotient(&mut self, a: Id, b: Id) -> Id {
        if !self.is_exact() {
            return self.exact(op::F_DIV, Ty::F32, &[a, b]);
        }
        let [a, b] = [a, b].map(|it| self.float(it, Ty::F32, Ty::F64));
        let wide = self.exact(op::F_DIV, Ty::F64, &[a, b]);
        self.float(wide, Ty::F64, Ty::F32)
    }

    pub(crate) fn binary(&mut self, operation: Binary, ty: Ty, a: Id, b: Id) -> Id {
        let float = ty.is_float();
        let ty_id = self.out.ty(ty);
        match operation {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div(_) | Binary::Rem(_) if float => {
                let opcode = match operation {
                    Binary::Add => op::F_ADD,
                    Binary::Sub => op::F_SUB,
                    Binary::Mul => op::F_MUL,
                    Binary::Div(_) => op::F_DIV,
                    _ => op::F_REM,
                };
                self.exact(opcode, ty, &[a, b])
            }
            Binary::Add => self.op(op::I_ADD, ty_id, &[a, b]),
            Binary::Sub => self.op(op::I_SUB, ty_id, &[a, b]),
            Binary::Mul => self.op(op::I_MUL, ty_id, &[a, b]),
            Binary::Div(Sign::Signed) => self.op(op::S_DIV, ty_id, &[a, b]),
            Binary::Div(Sign::Unsigned) => self.op(op::U_DIV, ty_id, &[a, b]),
            Binary::Rem(_) => unreachable!("{operation:?} is legalised for every environment"),
            Binary::And if ty == Ty::Bool => self.op(op::LOGICAL_AND, ty_id, &[a, b]),
            Binary::Or if ty == Ty::Bool => self.op(op::LOGICAL_OR, ty_id, &[a, b]),
            Binary::Xor if ty == Ty::Bool => self.op(op::LOGICAL_NOT_EQUAL, ty_id, &[a, b]),
            Binary::And => self.op(op::BITWISE_AND, ty_id, &[a, b]),
            Binary::Or => self.op(op::BITWISE_OR, ty_id, &[a, b]),
            Binary::Xor => self.op(op::BITWISE_XOR, ty_id, &[a, b]),
            Binary::Shl => self.op(op::SHIFT_LEFT_LOGICAL, ty_id, &[a, b]),
            Binary::Shr(Sign::Signed) => self.op(op::SHIFT_RIGHT_ARITHMETIC, ty_id, &[a, b]),
            Binary::Shr(Sign::Unsigned) => self.op(op::SHIFT_RIGHT_LOGICAL, ty_id, &[a, b]),
            Binary::Min(_) if float => self.glsl(op::GLSL_N_MIN, ty_id, &[a, b]),
            Binary::Max(_) if float => self.glsl(op::GLSL_N_MAX, ty_id, &[a, b]),
            Binary::Min(sign) | Binary::Max(sign) if ty != Ty::I16 => {
                // A driver miscompiles the equivalent comparison and selection if a sign is known (NVIDIA 580).
                let function = match (operation, sign) {
                    (Binary::Min(_), Sign::Signed) => op::GLSL_S_MIN,
                    (Binary::Min(_), Sign::Unsigned) => op::GLSL_U_MIN,
                    (_, Sign::Signed) => op::GLSL_S_MAX,
                    (_, Sign::Unsigned) => op::GLSL_U_MAX,
                };
                self.glsl(function, ty_id, &[a, b])
            }
            // The instructions accept 16-bit operands only with a device feature.
            Binary::Min(sign) | Binary::Max(sign) => {
                let less = match sign {
                    Sign::Signed => op::S_LESS_THAN,
                    Sign::Unsigned => op::U_LESS_THAN,
                };
                let takes_b = match operation {
                    Binary::Min(_) => self.test(less, b, a),
                    _ => self.test(less, a, b),
                };
                self.choose(ty, takes_b, b, a)
            }
            Binary::Atan2 => self.glsl(op::GLSL_ATAN2, ty_id, &[a, b]),
            Binary::Pow => self.glsl(op::GLSL_POW, ty_id, &[a, b]),
        }
    }

    pub(crate) fn compare(&mut self, operation: Compare, ty: Ty, a: Id, b: Id) -> Id {
        use Sign::{Signed, Unsigned};
        let opcode = match (operation, ty.is_float(), ty == Ty::Bool) {
            (Compare::Eq, true, _) => op::F_ORD_EQUAL,
            (Compare::Ne, true, _) => op::F_UNORD_NOT_EQUAL,
            (Compare::Lt(_), true, _) => op::F_ORD_LESS_THAN,
            (Compare::Le(_), true, _) => op::F_ORD_LESS_THAN_EQUAL,
            (Compare::Gt(_), true, _) => op::F_ORD_GREATER_THAN,
            (Compare::Ge(_), true, _) => op::F_ORD_GREATER_THAN_EQUAL,
            (Compare::Eq, false, true) => op::LOGICAL_EQUAL,
            (Compare::Ne, false, true) => op::LOGICAL_NOT_EQUAL,
            (Compare::Eq, false, false) => op::I_EQUAL,
            (Compare::Ne, false, false) => op::I_NOT_EQUAL,
            (Compare::Lt(Signed), false, _) => op::S_LESS_THAN,
            (Compare::Lt(Unsigned), false, _) => op::U_LESS_THAN,
            (Compare::Le(Signed), false, _) => op::S_LESS_THAN_EQUAL,
            (Compare::Le(Unsigned), false, _) => op::U_LESS_THAN_EQUAL,
            (Compare::Gt(Signed), false, _) => op::S_GREATER_THAN,
            (Compare::Gt(Unsigned), false, _) => op::U_GREATER_THAN,
            (Compare::Ge(Signed), false, _) => op::S_GREATER_THAN_EQUAL,
            (Compare::Ge(Unsigned), false, _) => op::U_GREATER_THAN_EQUAL,
        };
        self.test(opcode, a, b)
    }

    pub(crate) fn ternary(&mut self, operation: Ternary, ty: Ty, args: [Id; 3]) -> Id {
        let ty_id = self.out.ty(ty);
        match operation {
            Ternary::Fma => self.glsl(op::GLSL_FMA, ty_id, &args),
            Ternary::Select => self.op(op::SELECT, ty_id, &args),
        }
    }
}
