//! `Process…TessFactors…`: the factors of edges as the tessellator will use them, and those of the insides, which
//! follow from the edges and a scale.
//!
//! Factors are clamped to the range of the partitioning and, for `integer` and `pow2`, rounded up. With
//! `fractional_odd` a scaled inside below 3 would give a degenerate ring, so that there the unscaled one counts, up to
//! 3.
//!
//! Limit: the arithmetic is that of dxc 1.8, whose sets of edges for a square in two directions are the first and the
//! last two. Where dxc's code contradicts the documentation, the documentation counts: `pow2` rounds to powers of two,
//! and an isoline's density follows from the density.

use diag::Span;
use ir::stage::{Partitioning, StageTraits};
use ir::{Op, Value, Values};
use ops::{Binary, Compare, Sign, Ternary, Ty, Unary};

use super::{Lower, Lowerer};
use crate::hir::Arg;
use crate::library::{Factors, Reduction};

/// Below this an inside of `fractional_odd` is not scaled.
const LEAST_RING: f32 = 3.0;

impl Lowerer<'_> {
    pub(super) fn factors(&mut self, factors: Factors, args: &[Arg], span: Span) -> Lower<()> {
        let [first, second, outputs @ ..] = args else { return Ok(()) };
        let (first, second) = (self.input(first)?, self.input(second)?);
        self.builder.span = span;
        let partitioning = self.partitioning();
        let results: Vec<Values> = match factors {
            Factors::Isoline => [first, second]
                .into_iter()
                .map(|it| it.into_iter().map(|it| self.rounded_factor(partitioning, it)).collect())
                .collect(),
            Factors::Insides { sets, reduction } => {
                let edges = first.iter().map(|it| self.rounded_factor(partitioning, *it)).collect();
                let (inside, unrounded) =
                    self.insides(partitioning, (sets, reduction), &first, &second);
                vec![edges, inside, unrounded]
            }
        };
        for (output, values) in outputs.iter().zip(results) {
            let target = self.target(output)?;
            self.write(target, values)?;
        }
        Ok(())
    }

    /// That of the hull shader, of which this may be the patch-constant function.
    fn partitioning(&self) -> Partitioning {
        match self.program.entry.signature.as_ref().map(|it| &it.io.traits) {
            Some(StageTraits::Hull(traits)) => traits.partitioning,
            _ => Partitioning::default(),
        }
    }

    /// The factors of the insides, with and without rounding.
    fn insides(
        &mut self,
        partitioning: Partitioning,
        (sets, reduction): (&[&[u32]], Reduction),
        edges: &[Value],
        scales: &[Value],
    ) -> (Values, Values) {
        let (zero, one) = (self.float(0.0), self.float(1.0));
        // NaN becomes the bound.
        let clean: Vec<Value> = edges.iter().map(|it| self.greater(*it, one)).collect();
        let mut unrounded = Values::new();
        for (number, set) in sets.iter().enumerate() {
            let set: Vec<Value> = set.iter().map(|it| clean[*it as usize]).collect();
            let scale = scales[number.min(scales.len() - 1)];
            let scale = self.greater(scale, zero);
            let scale = self.lesser(scale, one);
            let reduced = self.reduced(reduction, &set);
            let scaled = self.value(Op::Binary(Binary::Mul, reduced, scale), Ty::F32);
            let mut inside = self.clamped_factor(partitioning, scaled);
            if partitioning == Partitioning::FractionalOdd {
                let unscaled = match reduction {
                    Reduction::Greatest => reduced,
                    Reduction::Average | Reduction::Least => self.reduced(Reduction::Average, &set),
                };
                let unscaled = self.clamped_factor(partitioning, unscaled);
                inside = self.large_enough(inside, unscaled);
            }
            unrounded.push(inside);
        }
        if let ([a, b], Partitioning::FractionalOdd) = (unrounded.as_slice(), partitioning) {
            let (a, b) = (*a, *b);
            let greatest = self.greater(a, b);
            unrounded = [a, b].into_iter().map(|it| self.large_enough(it, greatest)).collect();
        }
        let round = |it: &Value| self.up(partitioning, *it);
        let mut inside: Values = unrounded.iter().map(round).collect();
        // The two insides of a square that has one scale are equal.
        if edges.len() == 4 && sets.len() == 1 {
            inside.push(inside[0]);
            unrounded.push(unrounded[0]);
        }
        (inside, unrounded)
    }

    /// A factor, or below 3 the other one, which counts up to 3.
    fn large_enough(&mut self, factor: Value, other: Value) -> Value {
        let least = self.float(LEAST_RING);
        let other = self.lesser(other, least);
        let is_small = Op::Compare(Compare::Lt(Sign::Signed), factor, least);
        let is_small = self.value(is_small, Ty::Bool);
        self.value(Op::Ternary(Ternary::Select, [is_small, other, factor]), Ty::F32)
    }

    fn reduced(&mut self, reduction: Reduction, factors: &[Value]) -> Value {
        let op = match reduction {
            Reduction::Average => Binary::Add,
            Reduction::Greatest => Binary::Max(Sign::Signed),
            Reduction::Least => Binary::Min(Sign::Signed),
        };
        let of = |this: &mut Self, a: Value, b: Value| this.value(Op::Binary(op, a, b), Ty::F32);
        let (all, count) = match factors {
            [a, b] => (of(self, *a, *b), 2.0),
            [a, b, c] => {
                let first = of(self, *a, *b);
                (of(self, first, *c), 3.0)
            }
            [a, b, c, d] => {
                let (first, second) = (of(self, *a, *b), of(self, *c, *d));
                (of(self, first, second), 4.0)
            }
            _ => unreachable!("a patch has two, three or four edges in a set"),
        };
        if reduction != Reduction::Average {
            return all;
        }
        let part = self.float(1.0 / count);
        self.value(Op::Binary(Binary::Mul, all, part), Ty::F32)
    }

    fn rounded_factor(&mut self, partitioning: Partitioning, factor: Value) -> Value {
        let clamped = self.clamped_factor(partitioning, factor);
        self.up(partitioning, clamped)
    }

    fn clamped_factor(&mut self, partitioning: Partitioning, factor: Value) -> Value {
        let (least, most) = match partitioning {
            Partitioning::Integer | Partitioning::Pow2 => (1.0, 64.0),
            Partitioning::FractionalOdd => (1.0, 63.0),
            Partitioning::FractionalEven => (2.0, 64.0),
        };
        let (least, most) = (self.float(least), self.float(most));
        let factor = self.greater(factor, least);
        self.lesser(factor, most)
    }

    /// Rounds a factor in range up.
    fn up(&mut self, partitioning: Partitioning, factor: Value) -> Value {
        match partitioning {
            Partitioning::Integer => self.value(Op::Unary(Unary::Ceil, factor), Ty::F32),
            // A mantissa that is not zero carries into the exponent.
            Partitioning::Pow2 => {
                let bits = self.value(Op::Unary(Unary::Bitcast(Ty::I32), factor), Ty::I32);
                let mantissa = self.word(0x007f_ffff);
                let carried = self.value(Op::Binary(Binary::Add, bits, mantissa), Ty::I32);
                let exponent = self.word(0x7f80_0000);
                let power = self.value(Op::Binary(Binary::And, carried, exponent), Ty::I32);
                self.value(Op::Unary(Unary::Bitcast(Ty::F32), power), Ty::F32)
            }
            Partitioning::FractionalOdd | Partitioning::FractionalEven => factor,
        }
    }

    fn float(&mut self, value: f32) -> Value {
        let bits = value.to_bits().into();
        self.value(Op::Const { ty: Ty::F32, bits }, Ty::F32)
    }

    fn greater(&mut self, a: Value, b: Value) -> Value {
        self.value(Op::Binary(Binary::Max(Sign::Signed), a, b), Ty::F32)
    }

    fn lesser(&mut self, a: Value, b: Value) -> Value {
        self.value(Op::Binary(Binary::Min(Sign::Signed), a, b), Ty::F32)
    }
}
