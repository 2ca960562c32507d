//! Arithmetic. `legalize` has written out the corner cases; what arrives here has an instruction, or a few.
//!
//! Every rounding is written out: an operation without it could be contracted into a fused one. Nothing is approximate,
//! and denormals are kept. 16-bit floats are compared and combined as 16-bit floats, but their minimum and maximum are
//! those of 32 bits, which older architectures lack.

use ir::{Op, Value};
use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

use crate::emit::Emitter;
use crate::text::{Class, Operand, Reg, put};

/// The name of a type in instructions where signedness counts.
pub(crate) fn signed(ty: Ty, sign: Sign) -> &'static str {
    match (ty, sign) {
        (Ty::Bool, _) => "pred",
        (Ty::I16, Sign::Signed) => "s16",
        (Ty::I16, Sign::Unsigned) => "u16",
        (Ty::I32, Sign::Signed) => "s32",
        (Ty::I32, Sign::Unsigned) => "u32",
        (Ty::I64, Sign::Signed) => "s64",
        (Ty::I64, Sign::Unsigned) => "u64",
        (Ty::F16, _) => "f16",
        (Ty::F32, _) => "f32",
        (Ty::F64, _) => "f64",
    }
}

impl Emitter<'_> {
    /// A new register for a value of a type.
    pub(crate) fn reg_for(&mut self, ty: Ty) -> Reg {
        self.text.reg(Class::of(ty))
    }

    /// An operand as an instruction on numbers of the type takes it: there are no constants of 16-bit floats.
    pub(crate) fn number(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Bits(Ty::F16 | Ty::Bool, _) => Operand::Reg(self.reg(operand)),
            other => other,
        }
    }

    /// An operand of an instruction that only moves bits.
    pub(crate) fn plain(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Bits(ty, bits) => {
                let plain = Operand::Bits(ty.as_int(), bits);
                if ty == Ty::Bool { Operand::Reg(self.reg(plain)) } else { plain }
            }
            reg => reg,
        }
    }

    /// `cond ? yes : no`.
    pub(crate) fn select(&mut self, ty: Ty, cond: Operand, yes: Operand, no: Operand) -> Operand {
        let cond = match cond {
            Operand::Bits(_, bits) => return if bits & 1 == 1 { yes } else { no },
            Operand::Reg(cond) => cond,
        };
        if yes == no {
            return yes;
        }
        if ty == Ty::Bool {
            return Operand::Reg(match (yes, no) {
                (Operand::Bits(_, 1), Operand::Bits(_, 0)) => cond,
                (Operand::Bits(_, 0), Operand::Bits(_, 1)) => self.not(cond),
                (yes, Operand::Bits(_, 0)) => {
                    let yes = self.reg(yes);
                    self.logic("and", cond, yes)
                }
                (Operand::Bits(_, 1), no) => {
                    let no = self.reg(no);
                    self.logic("or", cond, no)
                }
                (yes, no) => {
                    let (yes, no) = (self.reg(yes), self.reg(no));
                    let yes = self.logic("and", cond, yes);
                    let other = self.not(cond);
                    let no = self.logic("and", other, no);
                    self.logic("or", yes, no)
                }
            });
        }
        let (yes, no) = (self.plain(yes), self.plain(no));
        let to = self.reg_for(ty);
        put!(self, "selp.{} {to}, {yes}, {no}, {cond}", Self::bits_of(ty));
        Operand::Reg(to)
    }

    pub(crate) fn unary(&mut self, op: Unary, ty: Ty, a: Value) -> Operand {
        let operand = self.get(a);
        if let Operand::Bits(_, bits) = operand
            && let Some(result) = op.result(ty)
        {
            return Operand::Bits(result, ops::scalar::eval_unary(op, ty, bits));
        }
        let from = self.reg(operand);
        let result = op.result(ty).unwrap_or(ty);
        if let Unary::Bitcast(_) = op {
            // Registers have no type.
            return Operand::Reg(from);
        }
        if let Unary::Convert { to, from_sign, to_sign } = op {
            return Operand::Reg(self.convert(from, ty, from_sign, to, to_sign));
        }
        if let (Unary::Neg, Ty::I16) = (op, ty) {
            return self.combine(Binary::Sub, ty, Operand::Bits(ty, 0), operand);
        }
        let to = self.reg_for(result);
        let float = signed(ty, Sign::Signed);
        match (op, ty) {
            (Unary::Not, Ty::Bool) => put!(self, "not.pred {to}, {from}"),
            (Unary::Not, _) => put!(self, "not.{} {to}, {from}", Self::bits_of(ty)),
            (Unary::Neg, Ty::I32 | Ty::I64) => put!(self, "neg.{float} {to}, {from}"),
            (Unary::CountBits, _) => put!(self, "popc.{} {to}, {from}", Self::bits_of(ty)),
            (Unary::ReverseBits, _) => put!(self, "brev.{} {to}, {from}", Self::bits_of(ty)),
            (Unary::FirstBitHigh(sign), _) => put!(self, "bfind.{} {to}, {from}", signed(ty, sign)),
            (Unary::FirstBitLow, _) => {
                // The distance of the highest bit of the reversed word from the top; all ones if there is none.
                let reversed = self.reg_for(ty);
                put!(self, "brev.{} {reversed}, {from}", Self::bits_of(ty));
                put!(self, "bfind.shiftamt.{} {to}, {reversed}", signed(ty, Sign::Unsigned));
            }
            (Unary::Floor, _) => put!(self, "cvt.rmi.{float}.{float} {to}, {from}"),
            (Unary::Ceil, _) => put!(self, "cvt.rpi.{float}.{float} {to}, {from}"),
            (Unary::Trunc, _) => put!(self, "cvt.rzi.{float}.{float} {to}, {from}"),
            (Unary::Round, _) => put!(self, "cvt.rni.{float}.{float} {to}, {from}"),
            (Unary::Sqrt, _) => put!(self, "sqrt.rn.{float} {to}, {from}"),
            (Unary::Rsqrt, Ty::F64) => {
                put!(self, "sqrt.rn.f64 {to}, {from}");
                put!(self, "div.rn.f64 {to}, 0d3FF0000000000000, {to}");
            }
            (Unary::Rsqrt, _) => {
                // Defined in f64, and rounded once.
                let wide = self.reg_for(Ty::F64);
                put!(self, "cvt.f64.f32 {wide}, {from}");
                put!(self, "sqrt.rn.f64 {wide}, {wide}");
                put!(self, "div.rn.f64 {wide}, 0d3FF0000000000000, {wide}");
                put!(self, "cvt.rn.f32.f64 {to}, {wide}");
            }
            (Unary::IsNan, _) => put!(self, "testp.notanumber.{float} {to}, {from}"),
            (Unary::IsInf, _) => put!(self, "testp.infinite.{float} {to}, {from}"),
            (Unary::IsFinite, _) => put!(self, "testp.finite.{float} {to}, {from}"),
            (Unary::UnpackHalf, _) => {
                let half = self.text.reg(Class::Half);
                put!(self, "cvt.u16.u32 {half}, {from}");
                put!(self, "cvt.f32.f16 {to}, {half}");
            }
            (Unary::PackHalf, _) => {
                let half = self.text.reg(Class::Half);
                put!(self, "cvt.rn.f16.f32 {half}, {from}");
                put!(self, "cvt.u32.u16 {to}, {half}");
            }
            _ => unreachable!("`legalize` expands {op:?} on {ty:?}"),
        }
        Operand::Reg(to)
    }

    /// A conversion. Those from and to `bool` have been expanded.
    pub(crate) fn convert(
        &mut self,
        from: Reg,
        source: Ty,
        from_sign: Sign,
        to: Ty,
        to_sign: Sign,
    ) -> Reg {
        if source == to {
            return from;
        }
        let (is_float, to_float) = (source.is_float(), to.is_float());
        let (read, written) = (signed(source, from_sign), signed(to, to_sign));
        let result = self.reg_for(to);
        match (is_float, to_float) {
            (false, false) if to.bits() < source.bits() => {
                put!(self, "cvt.u{}.u{} {result}, {from}", to.bits(), source.bits());
            }
            // The destination is extended by the sign of the source.
            (false, false) => put!(self, "cvt.{}.{read} {result}, {from}", signed(to, from_sign)),
            (false, true) => put!(self, "cvt.rn.{written}.{read} {result}, {from}"),
            (true, true) if to.bits() > source.bits() => {
                put!(self, "cvt.{written}.{read} {result}, {from}");
            }
            (true, true) => put!(self, "cvt.rn.{written}.{read} {result}, {from}"),
            (true, false) if to == Ty::I64 || source == Ty::F64 => {
                // PTX saturates, but a NaN of 64 bits on either side gives the smallest integer instead of 0.
                let whole = self.reg_for(to);
                let number = self.text.reg(Class::Predicate);
                put!(self, "cvt.rzi.{written}.{read} {whole}, {from}");
                put!(self, "testp.number.{read} {number}, {from}");
                put!(self, "selp.{} {result}, {whole}, 0, {number}", Self::bits_of(to));
            }
            (true, false) => put!(self, "cvt.rzi.{written}.{read} {result}, {from}"),
        }
        result
    }

    pub(crate) fn binary(&mut self, op: Binary, ty: Ty, a: Value, b: Value) -> Operand {
        let (a, b) = match op {
            Binary::Min(_) | Binary::Max(_) => (self.unnegated(a), self.unnegated(b)),
            _ => (self.get(a), self.get(b)),
        };
        if let (Operand::Bits(_, a), Operand::Bits(_, b)) = (a, b) {
            return Operand::Bits(ty, ops::scalar::eval_binary(op, ty, a, b));
        }
        self.combine(op, ty, a, b)
    }

    /// An operand of a minimum or maximum. A negated word is computed from its complement: the driver's
    /// assembler loses the sign where it makes one instruction of a negation and several minima or maxima. For
    /// `max(a, max(b, -x))` it computes `max(a, b, x)` in some programs (ptxas 13.0, sm_90 and sm_100).
    pub(crate) fn unnegated(&mut self, value: Value) -> Operand {
        let (from, negated) = match self.ir.op_of(value) {
            Some(Op::Unary(Unary::Neg, it)) => (Operand::word(0), *it),
            Some(Op::Binary(Binary::Sub, a, b)) => (self.get(*a), *b),
            _ => return self.get(value),
        };
        let negated = self.get(negated);
        if self.ir.ty(value) != Ty::I32 || negated.known().is_some() {
            return self.get(value);
        }
        let complement = self.combine(Binary::Xor, Ty::I32, negated, Operand::word(u32::MAX));
        let next = self.combine(Binary::Add, Ty::I32, complement, Operand::word(1));
        self.combine(Binary::Add, Ty::I32, next, from)
    }

    /// An operation on operands that are not both constants.
    pub(crate) fn combine(&mut self, op: Binary, ty: Ty, a: Operand, b: Operand) -> Operand {
        if let (Binary::And, Some(0), _) | (Binary::And, _, Some(0)) = (op, a.known(), b.known()) {
            return Operand::Bits(ty, 0);
        }
        if let (Binary::Or | Binary::Xor | Binary::Add, Some(0), other, _)
        | (Binary::Or | Binary::Xor | Binary::Add, _, other, Some(0)) =
            (op, a.known(), if a.known() == Some(0) { b } else { a }, b.known())
            && !ty.is_float()
        {
            return other;
        }
        if let (Binary::Div(sign), Some(divisor)) = (op, b.known().filter(|_| ty.is_int()))
            && let Some(quotient) = self.quotient(sign, ty, a, divisor)
        {
            return quotient;
        }
        let first = self.number(a);
        let first = Operand::Reg(self.reg(first));
        let second = self.number(b);
        let to = self.reg_for(ty);
        let bits = Self::bits_of(ty);
        let name = signed(ty, Sign::Signed);
        let float = ty.is_float();
        match op {
            Binary::Add if float => put!(self, "add.rn.{name} {to}, {first}, {second}"),
            Binary::Sub if float => put!(self, "sub.rn.{name} {to}, {first}, {second}"),
            Binary::Mul if float => put!(self, "mul.rn.{name} {to}, {first}, {second}"),
            Binary::Div(_) if float => put!(self, "div.rn.{name} {to}, {first}, {second}"),
            Binary::Min(_) | Binary::Max(_) if ty == Ty::F16 => {
                let name = if matches!(op, Binary::Min(_)) { "min" } else { "max" };
                let [x, y] = [first, second].map(|it| {
                    let half = self.reg(it);
                    self.convert(half, Ty::F16, Sign::Signed, Ty::F32, Sign::Signed)
                });
                put!(self, "{name}.f32 {x}, {x}, {y}");
                put!(self, "cvt.rn.f16.f32 {to}, {x}");
            }
            Binary::Min(_) if float => put!(self, "min.{name} {to}, {first}, {second}"),
            Binary::Max(_) if float => put!(self, "max.{name} {to}, {first}, {second}"),
            Binary::Add => put!(self, "add.{name} {to}, {first}, {second}"),
            Binary::Sub if ty == Ty::I16 => {
                // The driver's assembler takes an extended `sub.s16` from 0, or `neg.s16`, for the negative of the
                // extended operand, which differs for the smallest value.
                let [x, y] = [first, second].map(|it| {
                    let short = self.reg(it);
                    self.convert(short, Ty::I16, Sign::Signed, Ty::I32, Sign::Signed)
                });
                put!(self, "sub.s32 {x}, {x}, {y}");
                put!(self, "cvt.u16.u32 {to}, {x}");
            }
            Binary::Sub => put!(self, "sub.{name} {to}, {first}, {second}"),
            Binary::Mul => put!(self, "mul.lo.{name} {to}, {first}, {second}"),
            Binary::Div(sign) => {
                put!(self, "div.{} {to}, {first}, {second}", signed(ty, sign));
            }
            Binary::Min(sign) => {
                put!(self, "min.{} {to}, {first}, {second}", signed(ty, sign));
            }
            Binary::Max(sign) => {
                put!(self, "max.{} {to}, {first}, {second}", signed(ty, sign));
            }
            Binary::And => put!(self, "and.{bits} {to}, {first}, {second}"),
            Binary::Or => put!(self, "or.{bits} {to}, {first}, {second}"),
            Binary::Xor => put!(self, "xor.{bits} {to}, {first}, {second}"),
            Binary::Shl | Binary::Shr(_) => {
                // The count is a word, regardless of the type.
                let count = match second {
                    Operand::Bits(_, count) => Operand::word(count as u32),
                    Operand::Reg(reg) => match ty {
                        Ty::I32 => second,
                        _ => {
                            let unsigned = Sign::Unsigned;
                            Operand::Reg(self.convert(reg, ty, unsigned, Ty::I32, unsigned))
                        }
                    },
                };
                match op {
                    Binary::Shr(sign) => {
                        put!(self, "shr.{} {to}, {first}, {count}", signed(ty, sign));
                    }
                    _ => put!(self, "shl.{bits} {to}, {first}, {count}"),
                }
            }
            Binary::Rem(_) | Binary::Atan2 | Binary::Pow => {
                unreachable!("`legalize` expands {op:?} on {ty:?}")
            }
        }
        Operand::Reg(to)
    }

    pub(crate) fn compare(&mut self, op: Compare, ty: Ty, a: Value, b: Value) -> Operand {
        let (a, b) = (self.get(a), self.get(b));
        if let (Operand::Bits(_, a), Operand::Bits(_, b)) = (a, b) {
            return Operand::Bits(Ty::Bool, ops::scalar::eval_compare(op, ty, a, b).into());
        }
        Operand::Reg(self.test(op, ty, a, b))
    }

    /// A comparison of operands that are not both constants.
    pub(crate) fn test(&mut self, op: Compare, ty: Ty, a: Operand, b: Operand) -> Reg {
        let first = self.reg(a);
        let second = self.number(b);
        let to = self.text.reg(Class::Predicate);
        if ty == Ty::Bool {
            put!(self, "xor.pred {to}, {first}, {second}");
            return if op == Compare::Eq { self.not(to) } else { to };
        }
        let (name, sign) = match op {
            Compare::Eq => ("eq", Sign::Signed),
            // Unordered for floats: a NaN differs from everything.
            Compare::Ne if ty.is_float() => ("neu", Sign::Signed),
            Compare::Ne => ("ne", Sign::Signed),
            Compare::Lt(sign) => ("lt", sign),
            Compare::Le(sign) => ("le", sign),
            Compare::Gt(sign) => ("gt", sign),
            Compare::Ge(sign) => ("ge", sign),
        };
        put!(self, "setp.{name}.{} {to}, {first}, {second}", signed(ty, sign));
        to
    }

    pub(crate) fn ternary(&mut self, op: Ternary, ty: Ty, args: [Value; 3]) -> Operand {
        let [a, b, c] = args.map(|it| self.get(it));
        match op {
            Ternary::Select => self.select(ty, a, b, c),
            Ternary::Fma => {
                let [a, b, c] = [a, b, c].map(|it| Operand::Reg(self.reg(it)));
                let to = self.reg_for(ty);
                put!(self, "fma.rn.{} {to}, {a}, {b}, {c}", signed(ty, Sign::Signed));
                Operand::Reg(to)
            }
        }
    }
}
