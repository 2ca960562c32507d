//! Wave and quad functions: one operation for each scalar, as specified by their rows.

use ir::{Op, Value};
use ops::intrinsics::{Intrinsic, Meaning, Output, Param};
use ops::wave::{Operands, Results};
use ops::{Binary, Sign, Ty, WaveOp};

use super::{Lower, Lowerer, Values};
use crate::hir::Expr;
use crate::types::Scalar;

/// The operands of a wave function by their roles.
#[derive(Default)]
struct WaveArgs {
    /// The scalars of the value operated on.
    value: Values,
    sign: Option<Sign>,
    /// Indices, distances, or the four words of a lane mask.
    words: Values,
    /// The participating lanes, in place of the active ones.
    lanes: Option<Value>,
}

impl Lowerer<'_> {
    pub(super) fn wave(
        &mut self,
        intrinsic: &Intrinsic,
        output: Output,
        args: &[Expr],
        expr: &Expr,
    ) -> Lower<Values> {
        let mut given = WaveArgs::default();
        for (param, arg) in intrinsic.params.iter().zip(args) {
            let values = self.expr(arg)?;
            match param {
                Param::Value(_) | Param::Bool => {
                    given.sign = self.program.types.scalar_of(arg.ty).map(Scalar::sign);
                    given.value = values;
                }
                Param::LaneIndex
                | Param::ConstantLane
                | Param::Distance
                | Param::ClusterSize
                | Param::QuadIndex
                | Param::Lanes => given.words.extend(values),
                Param::WaveMask => given.lanes = values.first().copied(),
            }
        }
        self.builder.span = expr.span;
        self.wave_masks |= intrinsic.is_masked() || output == Output::WaveMask;
        let op = match intrinsic.meaning {
            Meaning::Barrier(barrier) => {
                self.builder.inst(Op::Barrier { barrier, lanes: given.lanes }, &[]);
                return Ok(Values::new());
            }
            Meaning::Wave(op) => given.sign.map_or(op, |sign| op.with_sign(sign)),
        };
        let operands: Vec<Values> = match op.signature().operands {
            Operands::None => vec![Values::new()],
            // All components at once.
            Operands::Values => vec![given.value],
            Operands::Bool
            | Operands::Value
            | Operands::ValueAndIndex
            | Operands::ValueAndTwoIndices
            | Operands::BoolAndLanes
            | Operands::ValueAndLanes => {
                let with_words = |value: &Value| {
                    std::iter::once(*value).chain(given.words.iter().copied()).collect()
                };
                given.value.iter().map(with_words).collect()
            }
        };
        let mut results = Values::new();
        for args in operands {
            results.extend(self.wave_op(op, args, given.lanes));
        }
        Ok(match output {
            Output::Void => Values::new(),
            Output::Bool => self.all_of(&results),
            Output::WaveMask => results[..1].into(),
            Output::BoolShape | Output::Uint | Output::Uint4 | Output::Value => results,
        })
    }

    fn wave_op(&mut self, op: WaveOp, args: Values, lanes: Option<Value>) -> Values {
        let types: &[Ty] = match op.signature().results {
            Results::Bool => &[Ty::Bool],
            Results::Word => &[Ty::I32],
            Results::Value => &[self.builder.module.ty(args[0])],
            Results::Lanes => &[Ty::I32; 4],
        };
        let inst = self.builder.inst(Op::Wave { op, args, lanes }, types);
        self.builder.results(inst).into()
    }

    /// Reduces several `bool`s to one.
    fn all_of(&mut self, values: &[Value]) -> Values {
        let mut all: Option<Value> = None;
        for value in values {
            all = Some(match all {
                Some(all) => self.value(Op::Binary(Binary::And, all, *value), Ty::Bool),
                None => *value,
            });
        }
        all.into_iter().collect()
    }
}
