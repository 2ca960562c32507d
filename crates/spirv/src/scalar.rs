//! Arithmetic on one lane, with the corners of `ops::scalar` spelled out where SPIR-V or Vulkan leaves them open:
//!
//! | operation | open in SPIR-V | here |
//! |---|---|---|
//! | shifts | counts beyond the width | the count is masked |
//! | integer division | by zero, smallest by -1, remainders of negative numbers | operands are replaced, the remainder is `a - q * b` |
//! | float to integer | out of range, NaN | converted where in range, else the nearest or 0 |
//! | `min`, `max` | the sign of a zero | zeros are merged bit by bit |
//! | tests for NaN, INF | may be assumed away | tests of bits |
//! | bit counting, reversal | for 32 bits only | made of 32-bit parts |
//!
//! 16-bit integers are words where the environment asks for that: `short.rs`.
//! Nothing is contracted. Division, square roots and transcendental functions have the device's accuracy, unless the
//! environment asks for the reference engine's bits: see `exact.rs`.

use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode::{self as op, Opcode};

/// The integer of the same size.
pub(crate) fn bits_of(ty: Ty) -> Ty {
    match ty {
        Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => ty,
        Ty::F16 => Ty::I16,
        Ty::F32 => Ty::I32,
        Ty::F64 => Ty::I64,
    }
}

/// All ones.
pub(crate) fn ones(ty: Ty) -> u64 {
    u64::MAX >> (64 - ty.bits())
}

/// The bits of a number that the type holds exactly.
pub(crate) fn float_bits(ty: Ty, value: f64) -> u64 {
    match ty {
        Ty::F16 => u64::from(ops::F16::from_f64(value).0),
        Ty::F64 => value.to_bits(),
        Ty::F32 | Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => u64::from((value as f32).to_bits()),
    }
}

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

    /// Arithmetic that must be rounded as it stands.
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
        let value = self.glsl(function, ty_id, &[a]);
        self.canonical(ty, value)
    }

    /// A function that is defined in f32; f16 rounds its result once more.
    fn through_single(&mut self, function: u32, ty: Ty, operands: &[Id]) -> Id {
        let wide: Vec<Id> = operands.iter().map(|it| self.float(*it, ty, Ty::F32)).collect();
        let single = self.out.ty(Ty::F32);
        let result = self.glsl(function, single, &wide);
        self.float(result, Ty::F32, ty)
    }

    pub(crate) fn float(&mut self, value: Id, from: Ty, to: Ty) -> Id {
        if (from, to) == (Ty::F32, Ty::F16) && self.is_exact() {
            let rounded = self.rounded_to_half(value);
            return self.typed(op::F_CONVERT, to, &[rounded]);
        }
        if from == to { value } else { self.typed(op::F_CONVERT, to, &[value]) }
    }

    /// A single rounded as a half is, to the nearest even. A driver may leave out what is converted to a half and back, and
    /// the rounding with it (NVIDIA 580 does); of this nothing is lost.
    fn rounded_to_half(&mut self, value: Id) -> Id {
        let bits = self.bitcast(value, Ty::F32, Ty::I32);
        let size = self.words(op::BITWISE_AND, bits, 0x7fff_ffff);
        let sign = self.words(op::BITWISE_AND, bits, 0x8000_0000);
        // Normal halves lose 13 bits, to the nearest even.
        let uint = self.out.uint();
        let last = self.words(op::SHIFT_RIGHT_LOGICAL, size, 13);
        let last = self.words(op::BITWISE_AND, last, 1);
        let sum = self.op(op::I_ADD, uint, &[size, last]);
        let sum = self.words(op::I_ADD, sum, 0xfff);
        let normal = self.words(op::BITWISE_AND, sum, !0x1fff);
        // Smaller ones are multiples of 2^-24, as sums with a half are.
        let half = self.out.constant(Ty::F32, float_bits(Ty::F32, 0.5));
        let positive = self.bitcast(size, Ty::I32, Ty::F32);
        let sum = self.exact(op::F_ADD, Ty::F32, &[positive, half]);
        let small = self.exact(op::F_SUB, Ty::F32, &[sum, half]);
        let small = self.bitcast(small, Ty::F32, Ty::I32);
        let limit = self.out.word(0x3880_0000);
        let is_small = self.test(op::U_LESS_THAN, size, limit);
        let rounded = self.choose(Ty::I32, is_small, small, normal);
        // What rounds to 2^16 is infinite; infinities and NaN stay.
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
        match (from, to) {
            _ if from == to => value,
            (Ty::I16, _) if self.out.short_words => {
                let short = self.short(value);
                self.typed(op::BITCAST, to, &[short])
            }
            (_, Ty::I16) if self.out.short_words => {
                let short = self.out.int(16);
                let bits = self.op(op::BITCAST, short, &[value]);
                self.unsigned_word(bits)
            }
            _ => self.typed(op::BITCAST, to, &[value]),
        }
    }

    pub(crate) fn unary(&mut self, operation: Unary, ty: Ty, a: Id) -> Id {
        if ty == Ty::I16 && self.out.short_words {
            return self.short_unary(operation, a);
        }
        if let Some(exact) = self.exact_unary(operation, ty, a) {
            return exact;
        }
        let ty_id = self.out.ty(ty);
        match operation {
            // A change of sign keeps the bits of a NaN.
            Unary::Neg if ty.is_float() && self.is_exact() => {
                let int = bits_of(ty);
                let sign = self.out.constant(int, (ones(int) >> 1) + 1);
                let bits = self.bitcast(a, ty, int);
                let flipped = self.typed(op::BITWISE_XOR, int, &[bits, sign]);
                self.bitcast(flipped, int, ty)
            }
            Unary::Neg if ty.is_float() => self.op(op::F_NEGATE, ty_id, &[a]),
            Unary::Neg => self.op(op::S_NEGATE, ty_id, &[a]),
            Unary::Not if ty == Ty::Bool => self.op(op::LOGICAL_NOT, ty_id, &[a]),
            Unary::Not => self.op(op::NOT, ty_id, &[a]),
            Unary::Abs if ty.is_float() => {
                let int = bits_of(ty);
                let (bits, mask) =
                    (self.bitcast(a, ty, int), self.out.constant(int, ones(int) >> 1));
                let positive = self.typed(op::BITWISE_AND, int, &[bits, mask]);
                self.bitcast(positive, int, ty)
            }
            Unary::Abs => {
                let zero = self.out.constant(ty, 0);
                let negative = self.test(op::S_LESS_THAN, a, zero);
                let other = self.op(op::S_NEGATE, ty_id, &[a]);
                self.choose(ty, negative, other, a)
            }
            Unary::Floor => self.rounded(op::GLSL_FLOOR, ty, a),
            Unary::Ceil => self.rounded(op::GLSL_CEIL, ty, a),
            Unary::Trunc => self.rounded(op::GLSL_TRUNC, ty, a),
            Unary::Round => self.rounded(op::GLSL_ROUND_EVEN, ty, a),
            Unary::Sqrt => self.rounded(op::GLSL_SQRT, ty, a),
            Unary::Rsqrt => self.rounded(op::GLSL_INVERSE_SQRT, ty, a),
            Unary::Saturate => {
                let (zero, one) =
                    (self.out.constant(ty, 0), self.out.constant(ty, float_bits(ty, 1.0)));
                let above = self.test(op::F_ORD_GREATER_THAN, a, zero);
                let low = self.choose(ty, above, a, zero);
                let below = self.test(op::F_ORD_LESS_THAN, low, one);
                self.choose(ty, below, low, one)
            }
            Unary::Sin => self.through_single(op::GLSL_SIN, ty, &[a]),
            Unary::Cos => self.through_single(op::GLSL_COS, ty, &[a]),
            Unary::Tan => self.through_single(op::GLSL_TAN, ty, &[a]),
            Unary::Asin => self.through_single(op::GLSL_ASIN, ty, &[a]),
            Unary::Acos => self.through_single(op::GLSL_ACOS, ty, &[a]),
            Unary::Atan => self.through_single(op::GLSL_ATAN, ty, &[a]),
            Unary::Sinh => self.through_single(op::GLSL_SINH, ty, &[a]),
            Unary::Cosh => self.through_single(op::GLSL_COSH, ty, &[a]),
            Unary::Tanh => self.through_single(op::GLSL_TANH, ty, &[a]),
            Unary::Exp => self.through_single(op::GLSL_EXP, ty, &[a]),
            Unary::Exp2 => self.through_single(op::GLSL_EXP2, ty, &[a]),
            Unary::Log => self.through_single(op::GLSL_LOG, ty, &[a]),
            Unary::Log2 => self.through_single(op::GLSL_LOG2, ty, &[a]),
            Unary::Log10 => {
                let wide = self.float(a, ty, Ty::F32);
                let single = self.out.ty(Ty::F32);
                let log2 = self.glsl(op::GLSL_LOG2, single, &[wide]);
                let scale =
                    self.out.constant(Ty::F32, float_bits(Ty::F32, std::f64::consts::LOG10_2));
                let log10 = self.exact(op::F_MUL, Ty::F32, &[log2, scale]);
                self.float(log10, Ty::F32, ty)
            }
            Unary::IsNan => self.magnitude(op::U_GREATER_THAN, ty, a),
            Unary::IsInf => self.magnitude(op::I_EQUAL, ty, a),
            Unary::IsFinite => self.magnitude(op::U_LESS_THAN, ty, a),
            Unary::CountBits => match ty {
                Ty::I64 => {
                    let [low, high] = self.halves(a, ty);
                    let [low, high] =
                        [low, high].map(|it| self.typed(op::BIT_COUNT, Ty::I32, &[it]));
                    self.typed(op::I_ADD, Ty::I32, &[low, high])
                }
                _ => {
                    let word = self.widened(a, ty);
                    self.typed(op::BIT_COUNT, Ty::I32, &[word])
                }
            },
            Unary::ReverseBits => match ty {
                Ty::I64 => {
                    let [low, high] = self.halves(a, ty);
                    let [low, high] =
                        [low, high].map(|it| self.typed(op::BIT_REVERSE, Ty::I32, &[it]));
                    self.joined(high, low, ty)
                }
                Ty::I16 => {
                    let word = self.widened(a, ty);
                    let reversed = self.typed(op::BIT_REVERSE, Ty::I32, &[word]);
                    let low = self.words(op::SHIFT_RIGHT_LOGICAL, reversed, 16);
                    self.typed(op::U_CONVERT, Ty::I16, &[low])
                }
                _ => self.op(op::BIT_REVERSE, ty_id, &[a]),
            },
            Unary::FirstBitLow => self.first_bit(op::GLSL_FIND_LSB, ty, a),
            Unary::FirstBitHigh(Sign::Unsigned) => self.first_bit(op::GLSL_FIND_UMSB, ty, a),
            Unary::FirstBitHigh(Sign::Signed) => {
                // The highest bit that differs from the sign.
                let last = self.out.constant(ty, u64::from(ty.bits() - 1));
                let sign = self.op(op::SHIFT_RIGHT_ARITHMETIC, ty_id, &[a, last]);
                let differs = self.op(op::BITWISE_XOR, ty_id, &[a, sign]);
                self.first_bit(op::GLSL_FIND_UMSB, ty, differs)
            }
            Unary::UnpackHalf => {
                let single = self.out.ty(Ty::F32);
                let pair = self.out.vector(single, 2);
                let both = self.glsl(op::GLSL_UNPACK_HALF, pair, &[a]);
                let half = self.op_words(op::COMPOSITE_EXTRACT, single, &[both.0, 0]);
                self.canonical(Ty::F32, half)
            }
            Unary::PackHalf => {
                let single = self.out.ty(Ty::F32);
                let pair = self.out.vector(single, 2);
                let zero = self.out.constant(Ty::F32, 0);
                let both = self.op(op::COMPOSITE_CONSTRUCT, pair, &[a, zero]);
                let uint = self.out.uint();
                let packed = self.glsl(op::GLSL_PACK_HALF, uint, &[both]);
                if !self.is_exact() {
                    return packed;
                }
                let is_nan = self.magnitude(op::U_GREATER_THAN, Ty::F32, a);
                let nan = self.out.word(0x7e00);
                self.choose(Ty::I32, is_nan, nan, packed)
            }
            Unary::Bitcast(to) => self.bitcast(a, ty, to),
            Unary::Convert { to, from_sign, to_sign } => {
                self.convert(a, ty, from_sign, to, to_sign)
            }
        }
    }

    /// Compares the bits without the sign with those of infinity.
    pub(crate) fn magnitude(&mut self, opcode: Opcode, ty: Ty, a: Id) -> Id {
        let int = bits_of(ty);
        let bits = self.bitcast(a, ty, int);
        let mask = self.out.constant(int, ones(int) >> 1);
        let positive = self.typed(op::BITWISE_AND, int, &[bits, mask]);
        let infinity = self.out.constant(int, float_bits(ty, f64::INFINITY));
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

    /// A 16-bit integer as a word.
    pub(crate) fn widened(&mut self, a: Id, ty: Ty) -> Id {
        if ty == Ty::I16 && !self.out.short_words { self.unsigned_word(a) } else { a }
    }

    /// The index of the first bit, all ones if there is none.
    pub(crate) fn first_bit(&mut self, function: u32, ty: Ty, a: Id) -> Id {
        let uint = self.out.uint();
        if ty != Ty::I64 {
            let word = self.widened(a, ty);
            return self.glsl(function, uint, &[word]);
        }
        let [low, high] = self.halves(a, ty);
        let [of_low, of_high] = [low, high].map(|it| self.glsl(function, uint, &[it]));
        let zero = self.out.word(0);
        let beyond = self.words(op::I_ADD, of_high, 32);
        let has_high = self.test(op::I_NOT_EQUAL, high, zero);
        if function == op::GLSL_FIND_LSB {
            let has_low = self.test(op::I_NOT_EQUAL, low, zero);
            let upper = self.choose(Ty::I32, has_high, beyond, of_high);
            self.choose(Ty::I32, has_low, of_low, upper)
        } else {
            self.choose(Ty::I32, has_high, beyond, of_low)
        }
    }

    pub(crate) fn convert(
        &mut self,
        a: Id,
        from: Ty,
        from_sign: Sign,
        to: Ty,
        to_sign: Sign,
    ) -> Id {
        if from == to {
            return a;
        }
        if to == Ty::Bool {
            let zero = self.out.constant(from, 0);
            let opcode = if from.is_float() { op::F_UNORD_NOT_EQUAL } else { op::I_NOT_EQUAL };
            return self.test(opcode, a, zero);
        }
        if from == Ty::Bool {
            let one = if to.is_float() { float_bits(to, 1.0) } else { 1 };
            let (one, zero) = (self.out.constant(to, one), self.out.constant(to, 0));
            return self.choose(to, a, one, zero);
        }
        if from == Ty::I16 && self.out.short_words {
            let word = if from_sign == Sign::Signed { self.signed_word(a) } else { a };
            return self.convert(word, Ty::I32, from_sign, to, to_sign);
        }
        if to == Ty::I16 && !from.is_float() && self.out.short_words {
            let word = self.convert(a, from, from_sign, Ty::I32, to_sign);
            return self.half_of(word);
        }
        match (from.is_float(), to.is_float()) {
            (true, true) => {
                let value = self.float(a, from, to);
                self.canonical(to, value)
            }
            (true, false) => self.truncated(a, from, to, to_sign),
            (false, true) => {
                let opcode = match from_sign {
                    Sign::Signed => op::CONVERT_S_TO_F,
                    Sign::Unsigned => op::CONVERT_U_TO_F,
                };
                // f32 holds exactly every integer that f16 does not overflow for.
                let through = if to == Ty::F16 { Ty::F32 } else { to };
                let wide = self.typed(opcode, through, &[a]);
                self.float(wide, through, to)
            }
            (false, false) if from == Ty::I16 && from_sign == Sign::Signed && self.is_exact() => {
                // A driver takes it that sums of 16 bits do not overflow, and extends them in ways of its own.
                let word = self.typed(op::U_CONVERT, Ty::I32, &[a]);
                let high = self.words(op::SHIFT_LEFT_LOGICAL, word, 16);
                let word = self.words(op::SHIFT_RIGHT_ARITHMETIC, high, 16);
                if to == Ty::I32 { word } else { self.typed(op::S_CONVERT, to, &[word]) }
            }
            (false, false) => {
                let opcode = match from_sign {
                    Sign::Signed => op::S_CONVERT,
                    Sign::Unsigned => op::U_CONVERT,
                };
                self.typed(opcode, to, &[a])
            }
        }
    }

    /// Toward zero, saturating; NaN gives 0.
    fn truncated(&mut self, a: Id, from: Ty, to: Ty, sign: Sign) -> Id {
        // f16 does not reach the limits, and 16 bits are cut off a word.
        let (a, from) =
            if from == Ty::F16 { (self.float(a, from, Ty::F32), Ty::F32) } else { (a, from) };
        let wide = if to == Ty::I16 { Ty::I32 } else { to };
        let power = |n: u32| (1u128 << n) as f64;
        let (opcode, low, high, least, most) = match sign {
            Sign::Signed => {
                let limit = power(to.bits() - 1);
                (op::CONVERT_F_TO_S, -limit, limit, (ones(to) >> 1) + 1, ones(to) >> 1)
            }
            Sign::Unsigned => (op::CONVERT_F_TO_U, 0.0, power(to.bits()), 0, ones(to)),
        };
        let (low, high) = (
            self.out.constant(from, float_bits(from, low)),
            self.out.constant(from, float_bits(from, high)),
        );
        let above = self.test(op::F_ORD_GREATER_THAN, a, low);
        let below = self.test(op::F_ORD_LESS_THAN, a, high);
        let inside = self.test(op::LOGICAL_AND, above, below);
        let zero = self.out.constant(from, 0);
        let safe = self.choose(from, inside, a, zero);
        let whole = self.typed(opcode, wide, &[safe]);
        let whole = match wide == to {
            true => whole,
            false => self.convert(whole, wide, sign, to, sign),
        };
        let (least, most) = (self.out.constant(to, least), self.out.constant(to, most));
        let is_low = self.test(op::F_ORD_LESS_THAN_EQUAL, a, low);
        let whole = self.choose(to, is_low, least, whole);
        let is_high = self.test(op::F_ORD_GREATER_THAN_EQUAL, a, high);
        self.choose(to, is_high, most, whole)
    }

    /// The same as [`Emitter::binary`], where nobody can tell one NaN from another.
    pub(crate) fn unseen_binary(
        &mut self,
        operation: Binary,
        ty: Ty,
        [a, b]: [Id; 2],
        known: Option<u64>,
    ) -> Id {
        match (operation, ty) {
            (Binary::Add, Ty::F32 | Ty::F64) => self.exact(op::F_ADD, ty, &[a, b]),
            (Binary::Sub, Ty::F32 | Ty::F64) => self.exact(op::F_SUB, ty, &[a, b]),
            (Binary::Mul, Ty::F32 | Ty::F64) => self.exact(op::F_MUL, ty, &[a, b]),
            _ => self.binary(operation, ty, a, b, known),
        }
    }

    /// `known` are the bits of the second operand where it is a constant.
    pub(crate) fn binary(
        &mut self,
        operation: Binary,
        ty: Ty,
        a: Id,
        b: Id,
        known: Option<u64>,
    ) -> Id {
        if ty == Ty::I16 && self.out.short_words {
            return self.short_binary(operation, a, b, known);
        }
        if let (Binary::Div(_), Ty::F32, Some(divisor)) = (operation, ty, known)
            && let Some(inverse) = ops::scalar::reciprocal_of_power(ty, divisor)
        {
            // A product with a power of two is the quotient to the last bit.
            let inverse = self.out.constant(ty, inverse);
            return self.binary(Binary::Mul, ty, a, inverse, None);
        }
        if let Some(exact) = self.exact_binary(operation, ty, a, b) {
            return exact;
        }
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
                let value = self.exact(opcode, ty, &[a, b]);
                self.canonical(ty, value)
            }
            Binary::Add => self.op(op::I_ADD, ty_id, &[a, b]),
            Binary::Sub => self.op(op::I_SUB, ty_id, &[a, b]),
            Binary::Mul => self.op(op::I_MUL, ty_id, &[a, b]),
            Binary::Div(sign) => self.divide(sign, ty, a, b, known, false),
            Binary::Rem(sign) => self.divide(sign, ty, a, b, known, true),
            Binary::And if ty == Ty::Bool => self.op(op::LOGICAL_AND, ty_id, &[a, b]),
            Binary::Or if ty == Ty::Bool => self.op(op::LOGICAL_OR, ty_id, &[a, b]),
            Binary::Xor if ty == Ty::Bool => self.op(op::LOGICAL_NOT_EQUAL, ty_id, &[a, b]),
            Binary::And => self.op(op::BITWISE_AND, ty_id, &[a, b]),
            Binary::Or => self.op(op::BITWISE_OR, ty_id, &[a, b]),
            Binary::Xor => self.op(op::BITWISE_XOR, ty_id, &[a, b]),
            Binary::Shl | Binary::Shr(_) => {
                let width = u64::from(ty.bits());
                let count = if known.is_some_and(|it| it < width) {
                    b
                } else {
                    let mask = self.out.constant(ty, width - 1);
                    self.op(op::BITWISE_AND, ty_id, &[b, mask])
                };
                let opcode = match operation {
                    Binary::Shr(Sign::Signed) => op::SHIFT_RIGHT_ARITHMETIC,
                    Binary::Shr(Sign::Unsigned) => op::SHIFT_RIGHT_LOGICAL,
                    _ => op::SHIFT_LEFT_LOGICAL,
                };
                self.op(opcode, ty_id, &[a, count])
            }
            Binary::Min(_) if float => {
                let least = self.glsl(op::GLSL_N_MIN, ty_id, &[a, b]);
                let least = self.zeros(op::BITWISE_OR, ty, a, b, least);
                self.canonical(ty, least)
            }
            Binary::Max(_) if float => {
                let most = self.glsl(op::GLSL_N_MAX, ty_id, &[a, b]);
                let most = self.zeros(op::BITWISE_AND, ty, a, b, most);
                self.canonical(ty, most)
            }
            Binary::Min(sign) | Binary::Max(sign) if ty != Ty::I16 => {
                // A driver gets comparisons and selections that mean the same wrong where a sign is known (NVIDIA 580).
                let function = match (operation, sign) {
                    (Binary::Min(_), Sign::Signed) => op::GLSL_S_MIN,
                    (Binary::Min(_), Sign::Unsigned) => op::GLSL_U_MIN,
                    (_, Sign::Signed) => op::GLSL_S_MAX,
                    (_, Sign::Unsigned) => op::GLSL_U_MAX,
                };
                self.glsl(function, ty_id, &[a, b])
            }
            // 16 bits are beyond what the instructions take without a promise of the device.
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
            Binary::Atan2 => self.through_single(op::GLSL_ATAN2, ty, &[a, b]),
            Binary::Pow => self.through_single(op::GLSL_POW, ty, &[a, b]),
        }
    }

    /// Equal operands of a minimum or maximum: of two zeros, the sign is decided bit by bit.
    fn zeros(&mut self, merge: Opcode, ty: Ty, a: Id, b: Id, otherwise: Id) -> Id {
        let int = bits_of(ty);
        let (x, y) = (self.bitcast(a, ty, int), self.bitcast(b, ty, int));
        let merged = self.typed(merge, int, &[x, y]);
        let merged = self.bitcast(merged, int, ty);
        let equal = self.test(op::F_ORD_EQUAL, a, b);
        self.choose(ty, equal, merged, otherwise)
    }

    /// Division and remainder: by zero all ones; the smallest by -1 is itself, with the remainder 0.
    fn divide(
        &mut self,
        sign: Sign,
        ty: Ty,
        a: Id,
        b: Id,
        known: Option<u64>,
        remainder: bool,
    ) -> Id {
        let ty_id = self.out.ty(ty);
        let opcode = match sign {
            Sign::Signed => op::S_DIV,
            Sign::Unsigned => op::U_DIV,
        };
        let harmless = known.is_some_and(|it| it != 0 && it != ones(ty));
        let zero = self.out.constant(ty, 0);
        let by_zero = (!harmless).then(|| self.test(op::I_EQUAL, b, zero));
        let divisor = match by_zero {
            None => b,
            Some(by_zero) => {
                let replaced = match sign {
                    Sign::Unsigned => by_zero,
                    Sign::Signed => {
                        let smallest = self.out.constant(ty, (ones(ty) >> 1) + 1);
                        let minus_one = self.out.constant(ty, ones(ty));
                        let is_smallest = self.test(op::I_EQUAL, a, smallest);
                        let is_minus_one = self.test(op::I_EQUAL, b, minus_one);
                        let overflows = self.test(op::LOGICAL_AND, is_smallest, is_minus_one);
                        self.test(op::LOGICAL_OR, by_zero, overflows)
                    }
                };
                let one = self.out.constant(ty, 1);
                self.choose(ty, replaced, one, b)
            }
        };
        let mut result = self.op(opcode, ty_id, &[a, divisor]);
        if remainder {
            let whole = self.op(op::I_MUL, ty_id, &[result, divisor]);
            result = self.op(op::I_SUB, ty_id, &[a, whole]);
        }
        match by_zero {
            None => result,
            Some(by_zero) => {
                let all = self.out.constant(ty, ones(ty));
                self.choose(ty, by_zero, all, result)
            }
        }
    }

    pub(crate) fn compare(&mut self, operation: Compare, ty: Ty, a: Id, b: Id) -> Id {
        use Sign::{Signed, Unsigned};
        let sees_sign = matches!(
            operation,
            Compare::Lt(Signed) | Compare::Le(Signed) | Compare::Gt(Signed) | Compare::Ge(Signed)
        );
        let (a, b) = match ty == Ty::I16 && sees_sign && self.out.short_words {
            true => (self.signed_word(a), self.signed_word(b)),
            false => (a, b),
        };
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
            Ternary::Fma => match self.exact_fma(ty, args) {
                Some(exact) => exact,
                None => {
                    let value = self.glsl(op::GLSL_FMA, ty_id, &args);
                    self.canonical(ty, value)
                }
            },
            Ternary::Select => self.op(op::SELECT, ty_id, &args),
        }
    }
}
