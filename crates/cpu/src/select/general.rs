//! Arithmetic in general registers, for uniform values, and for the bases of affine values.

use iced_x86::Code::{self, *};
use ir::Value;
use ops::{Binary, Compare, Sign, Ty};

use super::Selector;
use crate::machine::*;
use crate::vector::byte;

impl Selector<'_> {
    /// `constant` is the value of the second operand, if it is known.
    pub(super) fn binary_general(
        &mut self,
        op: Binary,
        ty: Ty,
        a: VReg,
        b: VReg,
        constant: Option<u64>,
    ) -> Option<VReg> {
        let (view, long) = match ty {
            Ty::I64 => (View::R64, true),
            Ty::Bool | Ty::I16 | Ty::I32 => (View::R32, false),
            Ty::F16 | Ty::F32 | Ty::F64 => return None,
        };
        let pick = |word: Code, other: Code| if long { other } else { word };
        let source = Source::Register(view, b);
        let word =
            constant.filter(|_| !long).map(|it| Source::Immediate(Immediate::Word(it as u32)));
        // With an immediate, with a word, with a long.
        let plain = match op {
            Binary::Add => Some([Add_rm32_imm32, Add_r32_rm32, Add_r64_rm64]),
            Binary::Sub => Some([Sub_rm32_imm32, Sub_r32_rm32, Sub_r64_rm64]),
            Binary::And => Some([And_rm32_imm32, And_r32_rm32, And_r64_rm64]),
            Binary::Or => Some([Or_rm32_imm32, Or_r32_rm32, Or_r64_rm64]),
            Binary::Xor => Some([Xor_rm32_imm32, Xor_r32_rm32, Xor_r64_rm64]),
            _ => None,
        };
        let result = match op {
            _ if let Some([immediate, short, other]) = plain => match word {
                Some(word) => self.a.general(immediate, view, a, word),
                None => self.a.general(pick(short, other), view, a, source),
            },
            Binary::Mul if !long && constant.is_some_and(u64::is_power_of_two) => {
                let count = constant.map_or(0, u64::trailing_zeros) as u8;
                self.a.general(Shl_rm32_imm8, View::R32, a, byte(count))
            }
            Binary::Mul => self.a.general(pick(Imul_r32_rm32, Imul_r64_rm64), view, a, source),
            Binary::Shl | Binary::Shr(_) if ty != Ty::I16 => {
                if let Some(count) = constant {
                    let code = match op {
                        Binary::Shl => pick(Shl_rm32_imm8, Shl_rm64_imm8),
                        Binary::Shr(Sign::Unsigned) => pick(Shr_rm32_imm8, Shr_rm64_imm8),
                        _ => pick(Sar_rm32_imm8, Sar_rm64_imm8),
                    };
                    let count = (count % u64::from(ty.bits())) as u8;
                    return Some(self.a.general(code, view, a, byte(count)));
                }
                // These instructions reduce the count modulo the width.
                let code = match op {
                    Binary::Shl => pick(VEX_Shlx_r32_rm32_r32, VEX_Shlx_r64_rm64_r64),
                    Binary::Shr(Sign::Unsigned) => {
                        pick(VEX_Shrx_r32_rm32_r32, VEX_Shrx_r64_rm64_r64)
                    }
                    _ => pick(VEX_Sarx_r32_rm32_r32, VEX_Sarx_r64_rm64_r64),
                };
                self.a.b.define(code, view, &[Source::Register(view, a), source])
            }
            Binary::Min(sign) | Binary::Max(sign) if ty != Ty::I16 => {
                let compare = pick(Cmp_r32_rm32, Cmp_r64_rm64);
                self.a.b.effect(compare, &[Source::Register(view, a), source]);
                let code = match (op, sign) {
                    (Binary::Min(_), Sign::Signed) => pick(Cmovg_r32_rm32, Cmovg_r64_rm64),
                    (Binary::Min(_), Sign::Unsigned) => pick(Cmova_r32_rm32, Cmova_r64_rm64),
                    (_, Sign::Signed) => pick(Cmovl_r32_rm32, Cmovl_r64_rm64),
                    (_, Sign::Unsigned) => pick(Cmovb_r32_rm32, Cmovb_r64_rm64),
                };
                self.a.general(code, view, a, source)
            }
            _ => return None,
        };
        let narrow = ty == Ty::I16 && matches!(op, Binary::Add | Binary::Sub | Binary::Mul);
        Some(if narrow {
            let low = Source::Immediate(Immediate::Word(0xffff));
            self.a.general(And_rm32_imm32, View::R32, result, low)
        } else {
            result
        })
    }

    pub(super) fn compare_general(&mut self, op: Compare, ty: Ty, a: Value, b: Value) -> VReg {
        let (mut x, mut y) = (self.general(a), self.general(b));
        let view = if ty == Ty::I64 { View::R64 } else { View::R32 };
        if ty == Ty::I16 && Selector::sign(op) == Some(Sign::Signed) {
            [x, y] = [x, y].map(|it| {
                let high = self.a.general(Shl_rm32_imm8, View::R32, it, byte(16));
                self.a.general(Sar_rm32_imm8, View::R32, high, byte(16))
            });
        }
        let zero = self.a.word(0);
        let (compare, other) = match self.constant(b) {
            Some(bits) if matches!(ty, Ty::I32 | Ty::Bool) => {
                (Cmp_rm32_imm32, Source::Immediate(Immediate::Word(bits as u32)))
            }
            _ if ty == Ty::I64 => (Cmp_r64_rm64, Source::Register(view, y)),
            _ => (Cmp_r32_rm32, Source::Register(view, y)),
        };
        let sources = [Source::Register(view, x), other];
        self.a.b.effect(compare, &sources);
        let (code, condition) = match op {
            Compare::Eq => (Sete_rm8, Condition::Zero),
            Compare::Ne => (Setne_rm8, Condition::NotZero),
            Compare::Lt(Sign::Signed) => (Setl_rm8, Condition::Less),
            Compare::Lt(Sign::Unsigned) => (Setb_rm8, Condition::Below),
            Compare::Le(Sign::Signed) => (Setle_rm8, Condition::LessOrEqual),
            Compare::Le(Sign::Unsigned) => (Setbe_rm8, Condition::BelowOrEqual),
            Compare::Gt(Sign::Signed) => (Setg_rm8, Condition::Greater),
            Compare::Gt(Sign::Unsigned) => (Seta_rm8, Condition::Above),
            Compare::Ge(Sign::Signed) => (Setge_rm8, Condition::GreaterOrEqual),
            Compare::Ge(Sign::Unsigned) => (Setae_rm8, Condition::AboveOrEqual),
        };
        let result = self.a.general0(code, zero);
        self.compared.insert(result, (compare, sources, condition));
        result
    }
}
