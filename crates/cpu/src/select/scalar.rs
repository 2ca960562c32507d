//! Arithmetic: one row for each operation with instructions; the others are calls.

use iced_x86::Code::{self, *};
use ir::Value;
use ir::uniformity::Uniformity;
use ops::{Binary, Compare, Repr, Sign, Ternary, Ty, Unary};

use super::{Home, Selector};
use crate::call::What;
use crate::isa::Isa;
use crate::machine::*;
use crate::vector::*;

/// The result of selecting vector instructions.
enum Made {
    Vectors(Vec<VReg>),
    Masks(Vec<VReg>),
}

impl Selector<'_> {
    pub(super) fn unary(&mut self, op: Unary, a: Value, to: Value) {
        if let Some(home) = self.fold_unary(op, a) {
            return self.set(to, home);
        }
        let (ty, result) = (self.ty(a), self.ty(to));
        if let (Uniformity::Affine { stride }, Ty::I32, Ty::I32) =
            (self.uniformity.of(to), ty, result)
            && let Some(base) = self.affine_parts(a)
        {
            let base = match op {
                Unary::Neg => self.a.general1(Neg_rm32, base),
                Unary::Not => self.a.general1(Not_rm32, base),
                _ => base,
            };
            return self.set(to, Home::Affine { base, stride: stride as i32 });
        }
        if self.is_single(a)
            && let Some(register) = self.unary_general(op, ty, result, a)
        {
            return self.set(to, Home::General(register));
        }
        let single = self.is_single(a);
        let exact = matches!(op, Unary::Neg | Unary::Abs | Unary::Bitcast(_));
        let args = self.args(a, single, exact);
        match self.unary_vectors(op, ty, result, &args, single) {
            Some(made) => self.keep(made, to, single),
            None if !single && self.math_unary(op, a, to) => {}
            None => self.call_pure(What::Unary(op), &[a], to),
        }
    }

    pub(super) fn binary(&mut self, op: Binary, a: Value, b: Value, to: Value) {
        if let Some(home) = self.fold_binary(op, a, b) {
            return self.set(to, home);
        }
        if self.divide_by_power(op, a, b, to) {
            return;
        }
        let ty = self.ty(a);
        if let (Uniformity::Affine { stride }, Ty::I32) = (self.uniformity.of(to), ty)
            && let (Some(x), Some(y)) = (self.affine_parts(a), self.affine_parts(b))
            && let Some(base) = self.binary_general(op, ty, x, y, self.constant(b))
        {
            return self.set(to, Home::Affine { base, stride: stride as i32 });
        }
        if ty == Ty::I32
            && let Some(home) = self.shifted_home(op, a, b)
        {
            return self.set(to, home);
        }
        let single = self.is_single(a) && self.is_single(b);
        if single && !ty.is_float() {
            let (x, y) = (self.general(a), self.general(b));
            if let Some(register) = self.binary_general(op, ty, x, y, self.constant(b)) {
                return self.set(to, Home::General(register));
            }
        }
        if ty == Ty::Bool {
            let (x, y) = (self.bits(a), self.bits(b));
            let masks = x
                .iter()
                .zip(&y)
                .map(|(x, y)| match op {
                    Binary::And => self.a.mask_and(*x, *y),
                    Binary::Or => self.a.mask_or(*x, *y),
                    _ => self.a.mask_xor(*x, *y),
                })
                .collect();
            return self.set(to, Home::Bits(masks));
        }
        let swaps = match op {
            Binary::Mul => self.is_two(ty, a),
            Binary::Min(_) | Binary::Max(_) if matches!(ty, Ty::F32 | Ty::F64) => {
                self.constant(a).is_some()
            }
            _ => false,
        };
        let (a, b) = if swaps { (b, a) } else { (a, b) };
        let x = self.args(a, single, false);
        let (op, y) = match self.reciprocal(op, ty, b) {
            Some(reciprocal) => (Binary::Mul, vec![reciprocal; x.len()]),
            // The same result, with lower latency.
            None if op == Binary::Mul && self.is_two(ty, b) => (Binary::Add, x.clone()),
            None => (op, self.args(b, single, false)),
        };
        let args = [x, y];
        match self.binary_vectors(op, ty, &args, self.constant(b)) {
            Some(vectors) => self.keep(Made::Vectors(vectors), to, single),
            None if !single && self.math_binary(op, a, b, to) => {}
            None => self.call_pure(What::Binary(op), &[a, b], to),
        }
    }

    fn is_two(&self, ty: Ty, value: Value) -> bool {
        let two = match ty {
            Ty::F32 => u64::from(2f32.to_bits()),
            Ty::F64 => 2f64.to_bits(),
            _ => return false,
        };
        self.constant(value) == Some(two)
    }

    /// The reciprocal of a known power of two, to multiply by instead of dividing.
    fn reciprocal(&mut self, op: Binary, ty: Ty, b: Value) -> Option<Arg> {
        let bits = self.constant(b).filter(|_| matches!(op, Binary::Div(_)))?;
        let reciprocal = ops::scalar::reciprocal_of_power(ty, bits)?;
        Some(match ty {
            Ty::F32 => self.a.constant_word(reciprocal as u32),
            _ => self.a.constant_long(reciprocal),
        })
    }

    /// Strength reduction: an unsigned division or remainder by a known power of two becomes a shift or a mask.
    /// Programs divide by `WaveGetLaneCount()` to number their waves.
    fn divide_by_power(&mut self, op: Binary, a: Value, b: Value, to: Value) -> bool {
        let ty = self.ty(a);
        let Some(by) = self.constant(b).filter(|it| it.is_power_of_two()) else { return false };
        let (op, bits) = match (op, ty) {
            (Binary::Div(Sign::Unsigned), Ty::I32 | Ty::I64) => {
                (Binary::Shr(Sign::Unsigned), u64::from(by.trailing_zeros()))
            }
            (Binary::Rem(Sign::Unsigned), Ty::I32 | Ty::I64) => (Binary::And, by - 1),
            _ => return false,
        };
        let single = self.is_single(a);
        if single {
            let x = self.general(a);
            let y = match ty {
                Ty::I64 => self.a.long(bits),
                _ => self.a.word(bits as u32),
            };
            let Some(made) = self.binary_general(op, ty, x, y, Some(bits)) else { return false };
            self.set(to, Home::General(made));
            return true;
        }
        let x = self.args(a, single, false);
        let y = match ty {
            Ty::I64 => self.a.constant_long(bits),
            _ => self.a.constant_word(bits as u32),
        };
        let y = vec![y; x.len()];
        let Some(made) = self.binary_vectors(op, ty, &[x, y], Some(bits)) else { return false };
        if let (Home::Affine { base, .. }, Some(first)) = (self.home(a).clone(), made.first()) {
            // Usually the first lane writes for its wave, and its quotient is that of the wave's first thread.
            let by = self.a.word(bits as u32);
            if let Some(lowest) = self.binary_general(op, ty, base, by, Some(bits)) {
                self.a.note_lowest(*first, lowest);
            }
        }
        self.keep(Made::Vectors(made), to, single);
        true
    }

    pub(super) fn compare(&mut self, op: Compare, a: Value, b: Value, to: Value) {
        if let Some(home) = self.fold_compare(op, a, b) {
            return self.set(to, home);
        }
        let ty = self.ty(a);
        let single = self.is_single(a) && self.is_single(b);
        if single && !ty.is_float() {
            let register = self.compare_general(op, ty, a, b);
            return self.set(to, Home::General(register));
        }
        if ty == Ty::Bool {
            let (x, y) = (self.bits(a), self.bits(b));
            let masks = x
                .iter()
                .zip(&y)
                .map(|(x, y)| {
                    let differ = self.a.mask_xor(*x, *y);
                    if op == Compare::Eq { self.a.mask_not(differ) } else { differ }
                })
                .collect();
            return self.set(to, Home::Bits(masks));
        }
        let signed = Selector::sign(op) == Some(Sign::Signed);
        let kind = match ty {
            Ty::I16 if signed => return self.call_pure(What::Compare(op), &[a, b], to),
            Ty::F16 => return self.call_pure(What::Compare(op), &[a, b], to),
            Ty::I32 if signed => Kind::SignedWord,
            Ty::I16 | Ty::I32 | Ty::Bool => Kind::UnsignedWord,
            Ty::I64 if signed => Kind::SignedLong,
            Ty::I64 => Kind::UnsignedLong,
            Ty::F32 => Kind::Float,
            Ty::F64 => Kind::Double,
        };
        let test = match op {
            Compare::Eq => Test::Eq,
            Compare::Ne => Test::Ne,
            Compare::Lt(_) => Test::Lt,
            Compare::Le(_) => Test::Le,
            Compare::Gt(_) => Test::Gt,
            Compare::Ge(_) => Test::Ge,
        };
        let args = [self.args(a, single, false), self.args(b, single, false)];
        let masks = self.test_vectors(test, kind, &args, ty.repr() == Repr::Long, single);
        self.keep(Made::Masks(masks), to, single);
    }

    pub(super) fn ternary(&mut self, op: Ternary, [a, b, c]: [Value; 3], to: Value) {
        if let Some(home) = self.fold_ternary(op, [a, b, c]) {
            return self.set(to, home);
        }
        let ty = self.ty(c);
        let single = [a, b, c].iter().all(|it| self.is_single(*it));
        match op {
            Ternary::Fma => {
                let code = match ty {
                    Ty::F32 => (
                        EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
                        VEX_Vfmadd213ps_ymm_ymm_ymmm256,
                    ),
                    Ty::F64 => (
                        EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
                        VEX_Vfmadd213pd_ymm_ymm_ymmm256,
                    ),
                    _ => return self.call_pure(What::Ternary(op), &[a, b, c], to),
                };
                let code = self.a.pick(code.0, code.1);
                let long = ty == Ty::F64;
                let args = [a, b, c].map(|it| self.args(it, single, false));
                let vectors = (0..args[0].len())
                    .map(|i| {
                        let [x, y, z] = [0, 1, 2].map(|arg: usize| self.a.load(args[arg][i], long));
                        let sources = [self.a.vector(y), self.a.vector(z)];
                        let options = Options { tied: Some(x), ..Options::default() };
                        let view = self.a.view();
                        self.a.b.define_with(code, view, &sources, options)
                    })
                    .collect();
                self.keep(Made::Vectors(vectors), to, single);
            }
            Ternary::Select => self.choose(a, b, c, to),
        }
    }

    fn choose(&mut self, cond: Value, yes: Value, no: Value, to: Value) {
        if yes == no || self.constant(cond).is_some() {
            let taken = if self.constant(cond) == Some(0) { no } else { yes };
            return self.rename(taken, to);
        }
        let ty = self.ty(yes);
        let single = [cond, yes, no].iter().all(|it| self.is_single(*it));
        if single && !ty.is_float() {
            let (yes, no) = (self.general(yes), self.general(no));
            let cond = self.general(cond);
            let source = Source::Register(View::R32, cond);
            self.a.b.effect(Test_rm32_r32, &[source, source]);
            let picked =
                self.a.general(Cmovne_r64_rm64, View::R64, no, Source::Register(View::R64, yes));
            return self.set(to, Home::General(picked));
        }
        let mut masks = self.bits(cond);
        if ty == Ty::Bool {
            let (yes, no) = (self.bits(yes), self.bits(no));
            let picked = (0..self.chunks)
                .map(|i| {
                    let yes = self.a.mask_and(yes[i], masks[i]);
                    let no = self.a.mask_without(no[i], masks[i]);
                    self.a.mask_or(yes, no)
                })
                .collect();
            return self.set(to, Home::Bits(picked));
        }
        if single {
            masks.truncate(1);
        }
        let long = ty.repr() == Repr::Long;
        let exact = !self.nans.is_raw(to);
        let args = [yes, no].map(|it| self.args(it, single, exact));
        let picked = (0..args[0].len())
            .map(|i| {
                let [yes, no] = [0, 1].map(|arg: usize| self.a.load(args[arg][i], long));
                if long {
                    self.a.blend_long(masks[i / 2], i % 2, yes, no)
                } else {
                    self.a.blend(masks[i], yes, no)
                }
            })
            .collect();
        self.keep(Made::Vectors(picked), to, single);
    }

    // Operands and results.

    /// The operand as vectors: a single one if all operands are uniform. Without `exact`, a NaN may have any bits.
    fn args(&mut self, value: Value, single: bool, exact: bool) -> Vec<Arg> {
        let ty = self.ty(value);
        if ty == Ty::Bool {
            let mut masks = self.bits(value);
            masks.truncate(if single { 1 } else { self.chunks });
            return masks.into_iter().map(Arg::Register).collect();
        }
        if single {
            return match self.home(value).clone() {
                Home::Constant(bits) if ty.repr() == Repr::Long => {
                    vec![self.a.constant_long(bits)]
                }
                Home::Constant(bits) => vec![self.a.constant_word(bits as u32)],
                _ if exact => vec![Arg::Register(self.splat(value))],
                _ => vec![Arg::Register(self.raw_splat(value))],
            };
        }
        match (ty.repr() == Repr::Long, exact) {
            (true, true) => self.long_args(value),
            (true, false) => self.raw_long_args(value),
            (false, true) => self.word_args(value),
            (false, false) => self.raw_word_args(value),
        }
    }

    fn keep(&mut self, made: Made, to: Value, single: bool) {
        let ty = self.ty(to);
        let home = match made {
            Made::Vectors(vectors) if single && ty.is_float() => Home::Splat(vectors[0]),
            Made::Vectors(vectors) if single => {
                Home::General(self.a.lowest(vectors[0], ty.repr() == Repr::Long))
            }
            Made::Vectors(vectors) if ty.repr() == Repr::Long => Home::Longs(vectors),
            Made::Vectors(vectors) => Home::Words(vectors),
            Made::Masks(masks) if single => {
                let bits = self.a.mask_bits(masks[0]);
                let one = Source::Immediate(Immediate::Word(1));
                Home::General(self.a.general(And_rm32_imm32, View::R32, bits, one))
            }
            Made::Masks(masks) => Home::Bits(masks),
        };
        self.set(to, home);
    }

    /// NaN canonicalisation.
    pub(super) fn canonical(&mut self, vector: VReg, ty: Ty) -> VReg {
        let long = ty == Ty::F64;
        let nan = match ty {
            Ty::F32 => self.a.constant_word(0x7fc0_0000),
            _ => self.a.constant_long(0x7ff8_0000_0000_0000),
        };
        let nan = self.a.load(nan, long);
        if self.a.isa == Isa::Avx512 {
            return self.a.unless_nan(nan, vector, long);
        }
        let kind = if long { Kind::Double } else { Kind::Float };
        let is_nan = self.a.test(Test::Unordered, kind, vector, Arg::Register(vector), None);
        self.a.blend(is_nan, nan, vector)
    }

    // Rows of vector instructions.

    fn unary_vectors(
        &mut self,
        op: Unary,
        ty: Ty,
        result: Ty,
        args: &[Arg],
        single: bool,
    ) -> Option<Made> {
        let long = ty.repr() == Repr::Long;
        let isa = self.a.isa;
        macro_rules! each {
            (|$it:ident| $body:expr) => {
                Some(Made::Vectors(
                    args.iter()
                        .map(|it| {
                            let $it = self.a.load(*it, long);
                            $body
                        })
                        .collect(),
                ))
            };
        }
        let word = |s: &mut Self, bits: u32| s.a.constant_word(bits);
        match (op, ty) {
            (Unary::Not, Ty::Bool) => {
                let registers = args.iter().map(|it| match it {
                    Arg::Register(register) => *register,
                    Arg::Memory(_) => unreachable!("masks are in registers"),
                });
                let registers: Vec<VReg> = registers.collect();
                Some(Made::Masks(registers.iter().map(|it| self.a.mask_not(*it)).collect()))
            }
            (Unary::Neg, Ty::F32) => {
                let sign = word(self, 1 << 31);
                each!(|a| self.a.op(Lanewise::Xor, Arg::Register(a), sign))
            }
            (Unary::Abs, Ty::F32) => {
                let rest = word(self, !0 >> 1);
                each!(|a| self.a.op(Lanewise::And, Arg::Register(a), rest))
            }
            (Unary::Neg, Ty::F16) => {
                let sign = word(self, 1 << 15);
                each!(|a| self.a.op(Lanewise::Xor, Arg::Register(a), sign))
            }
            (Unary::Abs, Ty::F16) => {
                let rest = word(self, 0x7fff);
                each!(|a| self.a.op(Lanewise::And, Arg::Register(a), rest))
            }
            (Unary::Neg, Ty::F64) => {
                let sign = self.a.constant_long(1 << 63);
                each!(|a| self.bitwise_long(Lanewise::Xor, a, sign))
            }
            (Unary::Abs, Ty::F64) => {
                let rest = self.a.constant_long(!0 >> 1);
                each!(|a| self.bitwise_long(Lanewise::And, a, rest))
            }
            (Unary::Neg, Ty::I32) => {
                let zero = word(self, 0);
                each!(|a| self.a.op(Lanewise::SubD, zero, Arg::Register(a)))
            }
            (Unary::Neg, Ty::I64) => {
                let zero = self.a.constant_long(0);
                each!(|a| self.a.op(Lanewise::SubQ, zero, Arg::Register(a)))
            }
            (Unary::Not, Ty::I32 | Ty::I64) => {
                let ones = word(self, !0);
                each!(|a| self.a.op(Lanewise::Xor, Arg::Register(a), ones))
            }
            (Unary::Not, Ty::I16) => {
                let ones = word(self, 0xffff);
                each!(|a| self.a.op(Lanewise::Xor, Arg::Register(a), ones))
            }
            (Unary::Abs, Ty::I32) => {
                each!(|a| self.a.unary(EVEX_Vpabsd_zmm_k1z_zmmm512b32, VEX_Vpabsd_ymm_ymmm256, a))
            }
            (Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Round, Ty::F32 | Ty::F64) => {
                let mode = match op {
                    Unary::Floor => 9,
                    Unary::Ceil => 10,
                    Unary::Trunc => 11,
                    _ => 8,
                };
                let (wide, narrow) = if long {
                    (EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae, VEX_Vroundpd_ymm_ymmm256_imm8)
                } else {
                    (EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, VEX_Vroundps_ymm_ymmm256_imm8)
                };
                let code = self.a.pick(wide, narrow);
                each!(|a| {
                    let sources = [self.a.vector(a), byte(mode)];
                    let view = self.a.view();
                    self.a.b.define(code, view, &sources)
                })
            }
            (Unary::CountBits, Ty::I32 | Ty::I16) => each!(|a| self.count_bits(a)),
            (Unary::FirstBitHigh(Sign::Unsigned), Ty::I32) if isa == Isa::Avx512 => {
                let last = word(self, 31);
                each!(|a| {
                    let code = EVEX_Vplzcntd_zmm_k1z_zmmm512b32;
                    let zeros = self.a.unary(code, code, a);
                    self.a.op(Lanewise::SubD, last, Arg::Register(zeros))
                })
            }
            (Unary::FirstBitLow, Ty::I32) if isa == Isa::Avx512 => {
                let (zero, last) = (word(self, 0), word(self, 31));
                each!(|a| {
                    let code = EVEX_Vplzcntd_zmm_k1z_zmmm512b32;
                    let negative = self.a.op(Lanewise::SubD, zero, Arg::Register(a));
                    let lowest =
                        self.a.op(Lanewise::And, Arg::Register(a), Arg::Register(negative));
                    let zeros = self.a.unary(code, code, lowest);
                    self.a.op(Lanewise::SubD, last, Arg::Register(zeros))
                })
            }
            (Unary::Sqrt, Ty::F32) => {
                let vectors: Vec<VReg> = args.iter().map(|it| self.a.load(*it, false)).collect();
                Some(Made::Vectors(self.square_roots(&vectors)))
            }
            (Unary::Sqrt, Ty::F64) => each!(|a| self.a.unary(
                EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
                VEX_Vsqrtpd_ymm_ymmm256,
                a
            )),
            (Unary::Saturate, Ty::F32) => {
                let (zero, one) = (word(self, 0), word(self, 0x3f80_0000));
                each!(|a| {
                    let low = self.a.op(Lanewise::MaxS, Arg::Register(a), zero);
                    self.a.op(Lanewise::MinS, Arg::Register(low), one)
                })
            }
            (Unary::IsNan, Ty::F32 | Ty::F64) => {
                let kind = if long { Kind::Double } else { Kind::Float };
                let args = [args.to_vec(), args.to_vec()];
                Some(Made::Masks(self.test_vectors(Test::Unordered, kind, &args, long, single)))
            }
            (Unary::Bitcast(_), _) => each!(|a| a),
            (Unary::Convert { to, from_sign, to_sign }, _) => {
                debug_assert_eq!(to, result);
                self.convert(ty, from_sign, to, to_sign, args, single, isa)
            }
            _ => None,
        }
    }

    /// The population count of each word: a table lookup for each nibble, summed up.
    fn count_bits(&mut self, words: VReg) -> VReg {
        let table: Vec<u32> = (0..self.lanes as u32)
            .map(|i| (0..4).map(|byte| (i % 4 * 4 + byte).count_ones() << (8 * byte)).sum())
            .collect();
        let table = self.a.constant_words(&table);
        let table = self.a.load(table, false);
        let low = self.a.constant_word(0x0f0f_0f0f);
        let upper = self.a.shift(Lanewise::ShrD, words, 4);
        let counts = [words, upper].map(|it| {
            let nibbles = self.a.op(Lanewise::And, Arg::Register(it), low);
            self.a.bytes(
                EVEX_Vpshufb_zmm_k1z_zmm_zmmm512,
                VEX_Vpshufb_ymm_ymm_ymmm256,
                table,
                nibbles,
            )
        });
        let add = (EVEX_Vpaddb_zmm_k1z_zmm_zmmm512, VEX_Vpaddb_ymm_ymm_ymmm256);
        let bytes = self.a.bytes(add.0, add.1, counts[0], counts[1]);
        let ones = self.a.constant_word(0x0101_0101);
        let ones = self.a.load(ones, false);
        let pairs = (EVEX_Vpmaddubsw_zmm_k1z_zmm_zmmm512, VEX_Vpmaddubsw_ymm_ymm_ymmm256);
        let halves = self.a.bytes(pairs.0, pairs.1, bytes, ones);
        let ones = self.a.constant_word(0x0001_0001);
        let ones = self.a.load(ones, false);
        let sums = (EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512, VEX_Vpmaddwd_ymm_ymm_ymmm256);
        self.a.bytes(sums.0, sums.1, halves, ones)
    }

    /// A bitwise operation with a 64-bit constant.
    fn bitwise_long(&mut self, op: Lanewise, a: VReg, constant: Arg) -> VReg {
        let constant = self.a.load(constant, true);
        self.a.op(op, Arg::Register(a), Arg::Register(constant))
    }

    #[expect(clippy::too_many_arguments, reason = "a conversion is between two types with signs")]
    fn convert(
        &mut self,
        from: Ty,
        from_sign: Sign,
        to: Ty,
        to_sign: Sign,
        args: &[Arg],
        single: bool,
        isa: Isa,
    ) -> Option<Made> {
        macro_rules! each {
            (|$it:ident| $body:expr) => {
                Some(Made::Vectors(
                    args.iter()
                        .map(|it| {
                            let $it = self.a.load(*it, from.repr() == Repr::Long);
                            $body
                        })
                        .collect(),
                ))
            };
        }
        match (from, to) {
            (Ty::Bool, Ty::I16 | Ty::I32 | Ty::F32 | Ty::F16) => {
                let one = match to {
                    Ty::F32 => 0x3f80_0000,
                    Ty::F16 => 0x3c00,
                    _ => 1,
                };
                let (zero, one) = (self.a.zero(), self.a.constant_word(one));
                let one = self.a.load(one, false);
                each!(|mask| self.a.blend(mask, one, zero))
            }
            (Ty::I16 | Ty::I32 | Ty::F32, Ty::Bool) => {
                let kind = if from == Ty::F32 { Kind::Float } else { Kind::SignedWord };
                let zero = self.a.constant_word(0);
                let args = [args.to_vec(), vec![zero; args.len()]];
                Some(Made::Masks(self.test_vectors(Test::Ne, kind, &args, false, single)))
            }
            (Ty::I64 | Ty::F64, Ty::Bool) => {
                let kind = if from == Ty::F64 { Kind::Double } else { Kind::SignedLong };
                let zero = self.a.constant_long(0);
                let args = [args.to_vec(), vec![zero; args.len()]];
                Some(Made::Masks(self.test_vectors(Test::Ne, kind, &args, true, single)))
            }
            (Ty::I32, Ty::I16) => {
                let low = self.a.constant_word(0xffff);
                each!(|a| self.a.op(Lanewise::And, Arg::Register(a), low))
            }
            (Ty::I16, Ty::I32) if from_sign == Sign::Unsigned => each!(|a| a),
            (Ty::I16, Ty::I32) => each!(|a| {
                let high = self.a.shift(Lanewise::ShlD, a, 16);
                self.a.shift(Lanewise::SarD, high, 16)
            }),
            (Ty::I32, Ty::I32) | (Ty::I16, Ty::I16) | (Ty::I64, Ty::I64) => each!(|a| a),
            (Ty::F32, Ty::F32) | (Ty::F64, Ty::F64) => each!(|a| self.canonical(a, from)),
            (Ty::I32, Ty::F32) if from_sign == Sign::Signed => {
                each!(|a| self.a.unary(
                    EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
                    VEX_Vcvtdq2ps_ymm_ymmm256,
                    a
                ))
            }
            (Ty::I32, Ty::F32) if isa == Isa::Avx512 => {
                let code = EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er;
                each!(|a| self.a.unary(code, code, a))
            }
            (Ty::I32, Ty::F32) => {
                // Both halves convert exactly, and their sum is rounded once.
                let [low, one, other, both] = [0xffff, 0x4b00_0000, 0x5300_0000, 0x5300_0080]
                    .map(|it| self.a.constant_word(it));
                each!(|a| {
                    let lower = self.a.op(Lanewise::And, Arg::Register(a), low);
                    let lower = self.a.op(Lanewise::Or, Arg::Register(lower), one);
                    let upper = self.a.shift(Lanewise::ShrD, a, 16);
                    let upper = self.a.op(Lanewise::Or, Arg::Register(upper), other);
                    let upper = self.a.op(Lanewise::SubS, Arg::Register(upper), both);
                    self.a.op(Lanewise::AddS, Arg::Register(upper), Arg::Register(lower))
                })
            }
            (Ty::F32, Ty::I32) if to_sign == Sign::Signed => {
                let (limit, most) =
                    (self.a.constant_word(0x4f00_0000), self.a.constant_word(0x7fff_ffff));
                let (most, zero) = (self.a.load(most, false), self.a.zero());
                each!(|a| {
                    let (wide, narrow) =
                        (EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, VEX_Vcvttps2dq_ymm_ymmm256);
                    let rounded = self.a.unary(wide, narrow, a);
                    let large = self.a.test(Test::Ge, Kind::Float, a, limit, None);
                    let rounded = self.a.blend(large, most, rounded);
                    let nan = self.a.test(Test::Unordered, Kind::Float, a, Arg::Register(a), None);
                    self.a.blend(nan, zero, rounded)
                })
            }
            (Ty::F32, Ty::I32) if isa == Isa::Avx512 => {
                let zero = self.a.constant_word(0);
                let code = EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae;
                each!(|a| {
                    // Zero for NaN and negative values; all ones for values that are too large.
                    let positive = self.a.op(Lanewise::MaxS, Arg::Register(a), zero);
                    self.a.unary(code, code, positive)
                })
            }
            (Ty::I32, Ty::I64) => {
                let (wide, narrow) = match from_sign {
                    Sign::Signed => (EVEX_Vpmovsxdq_zmm_k1z_ymmm256, VEX_Vpmovsxdq_ymm_xmmm128),
                    Sign::Unsigned => (EVEX_Vpmovzxdq_zmm_k1z_ymmm256, VEX_Vpmovzxdq_ymm_xmmm128),
                };
                let code = self.a.pick(wide, narrow);
                let mut longs = Vec::new();
                for arg in args {
                    let words = self.a.load(*arg, false);
                    for half in 0..if single { 1 } else { 2 } {
                        let part = self.half_of_words(words, half);
                        let view = if isa == Isa::Avx512 { View::Ymm } else { View::Xmm };
                        let whole = self.a.view();
                        longs.push(self.a.b.define(code, whole, &[Source::Register(view, part)]));
                    }
                }
                Some(Made::Vectors(longs))
            }
            (Ty::I64, Ty::I32) if isa == Isa::Avx512 && !single => {
                let words = args
                    .chunks(2)
                    .map(|halves| {
                        let [low, high] = [0, 1].map(|i: usize| {
                            let long = self.a.load(halves[i], true);
                            let source = Source::Register(View::Zmm, long);
                            self.a.b.define(EVEX_Vpmovqd_ymmm256_k1z_zmm, View::Ymm, &[source])
                        });
                        let sources = [
                            Source::Register(View::Zmm, low),
                            Source::Register(View::Ymm, high),
                            byte(1),
                        ];
                        let code = EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
                        self.a.b.define(code, View::Zmm, &sources)
                    })
                    .collect();
                Some(Made::Vectors(words))
            }
            _ => None,
        }
    }

    /// Half the words of a chunk, in the lower half of a vector.
    pub(super) fn half_of_words(&mut self, words: VReg, half: usize) -> VReg {
        if half == 0 {
            return words;
        }
        match self.a.isa {
            Isa::Avx512 => {
                let sources = [Source::Register(View::Zmm, words), byte(1)];
                self.a.b.define(EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, View::Ymm, &sources)
            }
            Isa::Avx2 => {
                let sources = [Source::Register(View::Ymm, words), byte(1)];
                self.a.b.define(VEX_Vextracti128_xmmm128_ymm_imm8, View::Xmm, &sources)
            }
        }
    }

    fn binary_vectors(
        &mut self,
        op: Binary,
        ty: Ty,
        args: &[Vec<Arg>; 2],
        constant: Option<u64>,
    ) -> Option<Vec<VReg>> {
        use Lanewise::*;
        let isa = self.a.isa;
        let extreme = match (op, ty) {
            (Binary::Min(_), Ty::F32) => Some((MinS, Or)),
            (Binary::Max(_), Ty::F32) => Some((MaxS, And)),
            (Binary::Min(_), Ty::F64) => Some((MinF, Or)),
            (Binary::Max(_), Ty::F64) => Some((MaxF, And)),
            _ => None,
        };
        if let Some((pick, zeros)) = extreme {
            let is_simple = constant.is_some_and(|it| is_simple_bound(op, ty, it));
            return Some(match is_simple {
                true => self.bounded(pick, ty, args),
                false => self.float_extremes(pick, zeros, ty, args),
            });
        }
        let op = match (op, ty) {
            (Binary::And, _) => And,
            (Binary::Or, _) => Or,
            (Binary::Xor, _) => Xor,
            (Binary::Add, Ty::I32 | Ty::I16) => AddD,
            (Binary::Sub, Ty::I32 | Ty::I16) => SubD,
            (Binary::Mul, Ty::I32 | Ty::I16) => MulD,
            (Binary::Min(Sign::Unsigned), Ty::I32 | Ty::I16) => MinUd,
            (Binary::Max(Sign::Unsigned), Ty::I32 | Ty::I16) => MaxUd,
            (Binary::Min(Sign::Signed), Ty::I32) => MinSd,
            (Binary::Max(Sign::Signed), Ty::I32) => MaxSd,
            (Binary::Shl, Ty::I32) => ShlD,
            (Binary::Shr(Sign::Unsigned), Ty::I32) => ShrD,
            (Binary::Shr(Sign::Signed), Ty::I32) => SarD,
            (Binary::Add, Ty::I64) => AddQ,
            (Binary::Sub, Ty::I64) => SubQ,
            (Binary::Mul, Ty::I64) => MulQ,
            (Binary::Min(Sign::Unsigned), Ty::I64) => MinUq,
            (Binary::Max(Sign::Unsigned), Ty::I64) => MaxUq,
            (Binary::Min(Sign::Signed), Ty::I64) => MinSq,
            (Binary::Max(Sign::Signed), Ty::I64) => MaxSq,
            (Binary::Shl, Ty::I64) => ShlQ,
            (Binary::Shr(Sign::Unsigned), Ty::I64) => ShrQ,
            (Binary::Shr(Sign::Signed), Ty::I64) => SarQ,
            (Binary::Add, Ty::F32) => AddS,
            (Binary::Sub, Ty::F32) => SubS,
            (Binary::Mul, Ty::F32) => MulS,
            (Binary::Div(_), Ty::F32) => DivS,
            (Binary::Add, Ty::F64) => AddF,
            (Binary::Sub, Ty::F64) => SubF,
            (Binary::Mul, Ty::F64) => MulF,
            (Binary::Div(_), Ty::F64) => DivF,
            _ => return None,
        };
        if !op.exists(isa) {
            return None;
        }
        let long = ty.repr() == Repr::Long;
        let is_shift = matches!(op, ShlD | ShrD | SarD | ShlQ | ShrQ | SarQ);
        let narrow = (ty == Ty::I16 && matches!(op, AddD | SubD | MulD))
            .then(|| self.a.constant_word(0xffff));
        let count_mask = is_shift.then(|| match long {
            true => self.a.constant_long(63),
            false => self.a.constant_word(31),
        });
        let mut vectors = Vec::with_capacity(args[0].len());
        // A constant first operand can be a memory operand if the operation is commutative.
        let swap = op.commutes() && matches!(args[0].first(), Some(Arg::Memory(_)));
        let (first, second) = if swap { (&args[1], &args[0]) } else { (&args[0], &args[1]) };
        for (a, b) in first.iter().zip(second) {
            let a = self.a.load(*a, long);
            let result = match (count_mask, constant) {
                (Some(_), Some(count)) => {
                    let bits = u64::from(ty.bits());
                    self.a.shift(op, a, (count % bits) as u8)
                }
                (Some(mask), None) => {
                    let count = self.a.load(*b, long);
                    let mask = self.a.load(mask, long);
                    let count = self.a.op(And, Arg::Register(count), Arg::Register(mask));
                    self.a.op(op, Arg::Register(a), Arg::Register(count))
                }
                (None, _) => {
                    // Bitwise instructions broadcast words.
                    let b = match *b {
                        Arg::Memory(_) if long && matches!(op, And | Or | Xor) => {
                            Arg::Register(self.a.load(*b, true))
                        }
                        other => other,
                    };
                    self.a.op(op, Arg::Register(a), b)
                }
            };
            let result = match narrow {
                Some(low) => self.a.op(And, Arg::Register(result), low),
                None => result,
            };
            vectors.push(result);
        }
        Some(vectors)
    }

    /// Minimum or maximum with a simple bound: the instruction returns its second operand if one is NaN, or if both are
    /// zero.
    fn bounded(&mut self, op: Lanewise, ty: Ty, [a, b]: &[Vec<Arg>; 2]) -> Vec<VReg> {
        let long = ty == Ty::F64;
        let mut bounded = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let a = self.a.load(*a, long);
            bounded.push(self.a.op(op, Arg::Register(a), *b));
        }
        bounded
    }

    /// Minimum or maximum: the number if one operand is NaN, and -0 is below +0.
    fn float_extremes(
        &mut self,
        op: Lanewise,
        zeros: Lanewise,
        ty: Ty,
        args: &[Vec<Arg>; 2],
    ) -> Vec<VReg> {
        let long = ty == Ty::F64;
        let kind = if long { Kind::Double } else { Kind::Float };
        let mut vectors = Vec::with_capacity(args[0].len());
        for (a, b) in args[0].iter().zip(&args[1]) {
            let (a, b) = (self.a.load(*a, long), self.a.load(*b, long));
            // The instruction returns the second operand if one is NaN, or if both are zero.
            let pick = self.a.op(op, Arg::Register(a), Arg::Register(b));
            let equal = self.a.test(Test::Eq, kind, a, Arg::Register(b), None);
            let both = self.a.op(zeros, Arg::Register(a), Arg::Register(b));
            let pick = self.blend_kind(equal, both, pick, long);
            let nan = self.a.test(Test::Unordered, kind, b, Arg::Register(b), None);
            let pick = self.blend_kind(nan, a, pick, long);
            vectors.push(self.canonical(pick, ty));
        }
        vectors
    }

    /// A blend by a mask that results from a comparison of vectors of this kind.
    fn blend_kind(&mut self, mask: VReg, b: VReg, a: VReg, long: bool) -> VReg {
        if long && self.a.isa == Isa::Avx512 {
            self.a.blend_long(mask, 0, b, a)
        } else {
            self.a.blend(mask, b, a)
        }
    }

    fn test_vectors(
        &mut self,
        test: Test,
        kind: Kind,
        args: &[Vec<Arg>; 2],
        long: bool,
        single: bool,
    ) -> Vec<VReg> {
        if !long || single {
            let pairs = args[0].iter().zip(&args[1]);
            return pairs
                .map(|(a, b)| {
                    let a = self.a.load(*a, long);
                    self.a.test(test, kind, a, *b, None)
                })
                .collect();
        }
        args[0]
            .chunks(2)
            .zip(args[1].chunks(2))
            .map(|(a, b)| {
                let a = [0, 1].map(|half: usize| self.a.load(a[half], true));
                self.a.test_long(test, kind, a, [b[0], b[1]])
            })
            .collect()
    }

    // Rows of instructions on general registers.

    fn unary_general(&mut self, op: Unary, ty: Ty, result: Ty, a: Value) -> Option<VReg> {
        if ty.is_float() || result.is_float() {
            return None;
        }
        let a = self.general(a);
        let word = |bits: u32| Source::Immediate(Immediate::Word(bits));
        Some(match (op, ty, result) {
            (Unary::Neg, Ty::I32, _) => self.a.general1(Neg_rm32, a),
            (Unary::Neg, Ty::I64, _) => self.a.general1(Neg_rm64, a),
            (Unary::Not, Ty::I32, _) => self.a.general1(Not_rm32, a),
            (Unary::Not, Ty::I64, _) => self.a.general1(Not_rm64, a),
            (Unary::Not, Ty::Bool, _) => self.a.general(Xor_rm32_imm32, View::R32, a, word(1)),
            (Unary::CountBits, Ty::I32 | Ty::I16, _) => {
                self.a.b.define(Popcnt_r32_rm32, View::R32, &[Source::Register(View::R32, a)])
            }
            (Unary::CountBits, Ty::I64, _) => {
                self.a.b.define(Popcnt_r64_rm64, View::R64, &[Source::Register(View::R64, a)])
            }
            (Unary::Convert { .. }, Ty::Bool, Ty::I16 | Ty::I32 | Ty::I64) => a,
            (Unary::Convert { .. }, Ty::I16 | Ty::I32, Ty::Bool) => {
                self.test_general(Setne_rm8, View::R32, a)
            }
            (Unary::Convert { .. }, Ty::I64, Ty::Bool) => {
                self.test_general(Setne_rm8, View::R64, a)
            }
            (Unary::Convert { .. }, from, to) if from == to => a,
            (Unary::Convert { .. }, Ty::I64, Ty::I32) => {
                self.a.b.define(Mov_r32_rm32, View::R32, &[Source::Register(View::R32, a)])
            }
            (Unary::Convert { .. }, Ty::I64 | Ty::I32, Ty::I16) => {
                self.a.general(And_rm32_imm32, View::R32, a, word(0xffff))
            }
            (Unary::Convert { from_sign: Sign::Unsigned, .. }, Ty::I32, Ty::I64) => {
                self.a.b.define(Mov_r32_rm32, View::R32, &[Source::Register(View::R32, a)])
            }
            (Unary::Convert { from_sign: Sign::Signed, .. }, Ty::I32, Ty::I64) => {
                self.a.b.define(Movsxd_r64_rm32, View::R64, &[Source::Register(View::R32, a)])
            }
            (Unary::Convert { from_sign: Sign::Unsigned, .. }, Ty::I16, Ty::I32 | Ty::I64) => a,
            (Unary::Bitcast(_), _, _) => a,
            _ => return None,
        })
    }

    fn test_general(&mut self, code: Code, view: View, a: VReg) -> VReg {
        let zero = self.a.word(0);
        let source = Source::Register(view, a);
        let test = if view == View::R64 { Test_rm64_r64 } else { Test_rm32_r32 };
        self.a.b.effect(test, &[source, source]);
        self.a.general0(code, zero)
    }
}

/// Whether a constant is not NaN, and of both zeros the result of the minimum or maximum.
fn is_simple_bound(op: Binary, ty: Ty, bits: u64) -> bool {
    let number = match ty {
        Ty::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    let is_least = matches!(op, Binary::Min(_));
    !number.is_nan() && (number != 0.0 || number.is_sign_negative() == is_least)
}
