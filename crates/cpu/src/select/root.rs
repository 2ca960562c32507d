//! Square roots of floats with AVX-512: where the divider is what a program waits for, it computes some, multiplication
//! the others at the same time.
//!
//! Newton's iteration from `vrsqrt14ps`, whose relative error is below 2⁻¹⁴ on every processor, gives g near √x. What
//! is missing is (x − g²) / (√x + g): the numerator is exact, and the reciprocal of the denominator lies between two
//! bounds that follow from the approximation. Rounding is monotonic: where g plus either bound rounds to the same
//! number, that is √x, correctly rounded. The bounds are 2⁻¹² apart and what is missing is about a unit in the last
//! place, so that one vector in five hundred decides nothing. Then, and for lanes without a root or below 2⁻⁶⁰, whose
//! g² would not be exact, the divider computes all of them.

use iced_x86::Code::{self, *};
use ir::{Module, Op};
use ops::{Binary, Ty, Unary};

use super::Selector;
use crate::isa::Isa;
use crate::machine::*;
use crate::vector::*;

/// The least number whose root is computed by multiplication, 2⁻⁶⁰; 0 is too.
const LEAST: f32 = 1.0 / (1u64 << 60) as f32;

/// Half of the approximation times these bounds the reciprocal of √x + g: its own error is 2⁻¹⁴, and g is nearer to √x.
const BELOW: f32 = 0.5 - 1.0 / 16384.0;
const ABOVE: f32 = 0.5 + 1.0 / 16384.0;

/// Whether the divider has more to do than the ports for vectors, if these compute half of the square roots.
pub(super) fn is_divider_scarce(module: &Module, used: &[bool]) -> bool {
    let (mut roots, mut quotients, mut others) = (0, 0, 0);
    for data in module.insts.iter().filter(|it| it.results.iter().any(|it| used[it.index()])) {
        match data.op {
            Op::Unary(Unary::Sqrt, a) if module.ty(a) == Ty::F32 => roots += 1,
            Op::Binary(Binary::Div(_), a, _) if module.ty(a) == Ty::F32 => quotients += 1,
            _ if data.op.is_elementwise() => others += 1,
            _ => {}
        }
    }
    // A root takes 12 cycles of the divider, a quotient 10. Each of them is three instructions there, a root by
    // multiplication 17, and two of them begin in a cycle.
    2 * (12 * roots + 10 * quotients) > 10 * roots + 3 * quotients + others
}

impl Selector<'_> {
    /// The square roots in each lane of vectors.
    pub(super) fn square_roots(&mut self, args: &[VReg]) -> Vec<VReg> {
        let divided = |s: &mut Self, x: VReg| {
            s.a.unary(EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, VEX_Vsqrtps_ymm_ymmm256, x)
        };
        // PERF: a vector alone is sooner there with the divider.
        if self.a.isa != Isa::Avx512 || args.len() < 2 || !self.is_divider_scarce {
            return args.iter().map(|x| divided(self, *x)).collect();
        }
        let is_multiplied = |number: usize| number % 2 == 1;
        let active = self.active();
        let (mut roots, mut open) = (Vec::new(), Vec::new());
        for (number, x) in args.iter().enumerate() {
            if is_multiplied(number) {
                let (root, decided) = self.multiplied_root(*x);
                roots.push(root);
                open.push(self.a.mask_without(active[number], decided));
            } else {
                roots.push(divided(self, *x));
            }
        }
        let multiplied: Vec<usize> = (0..args.len()).filter(|it| is_multiplied(*it)).collect();
        let variables: Vec<Var> = multiplied.iter().map(|_| self.a.b.var(VECTOR)).collect();
        for (variable, number) in variables.iter().zip(&multiplied) {
            self.a.b.write(*variable, roots[*number]);
        }
        let [some, none, joined] = [self.a.b.block(), self.a.b.block(), self.a.b.block()];
        self.a.test_any(&open);
        self.a.b.branch(Condition::NotZero, some, none);
        self.a.b.switch_to(none);
        self.a.b.jump(joined);
        self.a.b.switch_to(some);
        self.a.b.is_rare();
        for (variable, number) in variables.iter().zip(&multiplied) {
            let root = divided(self, args[*number]);
            self.a.b.write(*variable, root);
        }
        self.a.b.jump(joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
        for (variable, number) in variables.iter().zip(&multiplied) {
            roots[*number] = self.a.b.read(*variable);
        }
        roots
    }

    /// The square roots by multiplication, and the lanes in which they are right.
    fn multiplied_root(&mut self, x: VReg) -> (VReg, VReg) {
        let (add, subtract) = (
            EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
            EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
        );
        let fused = |s: &mut Self, code: Code, a: VReg, b: VReg, c: VReg| {
            let sources = [s.a.vector(b), s.a.vector(c)];
            let options = Options { tied: Some(a), ..Options::default() };
            s.a.b.define_with(code, View::Zmm, &sources, options)
        };
        let word = |s: &mut Self, bits: u32| s.a.constant_word(bits);
        let (least, below, above) =
            (word(self, LEAST.to_bits()), word(self, BELOW.to_bits()), word(self, ABOVE.to_bits()));
        // As integers negative numbers are large, and stay: they have no approximation.
        let not_zero = self.a.op(Lanewise::MaxUd, Arg::Register(x), least);
        let code = EVEX_Vrsqrt14ps_zmm_k1z_zmmm512b32;
        let inverse = self.a.unary(code, code, not_zero);
        let first = self.a.op(Lanewise::MulS, Arg::Register(x), Arg::Register(inverse));
        let lower = self.a.op(Lanewise::MulS, Arg::Register(inverse), below);
        let upper = self.a.op(Lanewise::MulS, Arg::Register(inverse), above);
        let rest = fused(self, subtract, first, first, x);
        let near = fused(self, add, rest, lower, first);
        let rest = fused(self, subtract, near, near, x);
        let root = fused(self, add, rest, lower, near);
        let other = fused(self, add, rest, upper, near);
        // Small numbers are between 0, which turns to the largest integer, and the least one.
        let ones = word(self, u32::MAX);
        let before = self.a.op(Lanewise::AddD, Arg::Register(x), ones);
        let least = word(self, LEAST.to_bits() - 1);
        let large = self.a.test(Test::Ge, Kind::UnsignedWord, before, least, None);
        let decided = self.a.test(Test::Eq, Kind::Float, root, Arg::Register(other), Some(large));
        (root, decided)
    }
}
