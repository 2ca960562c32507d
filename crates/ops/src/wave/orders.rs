//! Alternative orders in which a wave may sum floats.
//!
//! The canonical order is that of [`super::eval`]; the language does not define one. To learn whether a program
//! relies on an order, compute the same operation in another order and compare. Only sums and products of floats
//! depend on it.

use super::eval::partition;
use super::{Fold, Lanes, LanesMut, Wave, WaveOp, eval};
use crate::scalar::eval_binary;
use crate::{LaneMask, Ty};

/// The order in which the values of lanes are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FoldOrder {
    /// The order that all our engines share.
    #[default]
    Canonical,
    /// One lane after the other, ascending.
    Ascending,
    /// One lane after the other, descending.
    Descending,
    /// Neighbours first, then the sums of neighbours.
    Pairs,
}

impl FoldOrder {
    pub const ALL: [FoldOrder; 4] =
        [FoldOrder::Canonical, FoldOrder::Ascending, FoldOrder::Descending, FoldOrder::Pairs];

    pub fn word(self) -> &'static str {
        match self {
            FoldOrder::Canonical => "canonical",
            FoldOrder::Ascending => "ascending",
            FoldOrder::Descending => "descending",
            FoldOrder::Pairs => "pairs",
        }
    }
}

impl WaveOp {
    /// Whether the result for this type depends on the order in which values are combined.
    pub fn depends_on_order(self, ty: Ty) -> bool {
        ty.is_float() && self.fold().is_some_and(|it| matches!(it, Fold::Sum | Fold::Product))
    }
}

/// Computes an operation in the given order.
pub fn eval_in(
    order: FoldOrder,
    op: WaveOp,
    ty: Ty,
    wave: &Wave,
    args: &[Lanes<'_>],
    out: &mut [LanesMut<'_>],
) {
    let fold = op.fold().filter(|_| op.depends_on_order(ty));
    let Some(fold) = fold.filter(|_| order != FoldOrder::Canonical) else {
        return eval(op, ty, wave, args, out);
    };
    let on = wave.participants();
    let total = |lanes: LaneMask| {
        let mut values: Vec<u64> = lanes.iter().map(|lane| args[0].get(lane)).collect();
        let combine = |a, b| eval_binary(fold.binary(), ty, a, b);
        match order {
            FoldOrder::Canonical | FoldOrder::Ascending => values.into_iter().reduce(combine),
            FoldOrder::Descending => values.into_iter().rev().reduce(combine),
            FoldOrder::Pairs => {
                while values.len() > 1 {
                    let pair = |it: &[u64]| it.iter().copied().reduce(combine).unwrap_or(0);
                    values = values.chunks(2).map(pair).collect();
                }
                values.pop()
            }
        }
        .unwrap_or(fold.identity(ty))
    };
    if let WaveOp::Reduce(_) = op {
        let all = total(on);
        return (0..wave.width).for_each(|lane| out[0].set(lane, all));
    }
    for lane in 0..wave.width {
        let below = LaneMask::below(lane);
        let group = || partition(&args[1..], lane) & on;
        let lanes = match op {
            WaveOp::Scan(_) => on & below,
            WaveOp::MultiScan(_) => group() & below,
            WaveOp::MultiScanInclusive(_) => group() & LaneMask::below(lane + 1),
            _ => group(),
        };
        out[0].set(lane, total(lanes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_adds_in_that_order() {
        let wave = Wave {
            width: 4,
            active: LaneMask::first_n(4),
            helpers: LaneMask::EMPTY,
            index_in_group: 0,
            waves_in_group: 1,
        };
        // These sums depend on what is added to the large values first.
        let values = [1e8f32, 3.0, -1e8, 3.0].map(f32::to_bits);
        for (order, expected) in [
            (FoldOrder::Canonical, (1e8f32 + -1e8) + (3.0 + 3.0)),
            (FoldOrder::Ascending, ((1e8f32 + 3.0) + -1e8) + 3.0),
            (FoldOrder::Descending, ((3.0f32 + -1e8) + 3.0) + 1e8),
            (FoldOrder::Pairs, (1e8f32 + 3.0) + (-1e8 + 3.0)),
        ] {
            let mut out = [0; 4];
            let args = [Lanes::Words(&values)];
            let mut results = [LanesMut::Words(&mut out)];
            eval_in(order, WaveOp::Reduce(Fold::Sum), Ty::F32, &wave, &args, &mut results);
            assert_eq!(out.map(f32::from_bits), [expected; 4], "{order:?}");
        }
    }

    #[test]
    fn scans_give_the_lowest_lane_the_identity_and_integers_ignore_the_order() {
        let wave = Wave {
            width: 4,
            active: LaneMask(0b1110),
            helpers: LaneMask::EMPTY,
            index_in_group: 0,
            waves_in_group: 1,
        };
        for order in FoldOrder::ALL {
            let floats = [9.0f32, 1.0, 2.0, 4.0].map(f32::to_bits);
            let mut out = [0; 4];
            let scan = WaveOp::Scan(Fold::Sum);
            let mut results = [LanesMut::Words(&mut out)];
            eval_in(order, scan, Ty::F32, &wave, &[Lanes::Words(&floats)], &mut results);
            assert_eq!(out.map(f32::from_bits)[1..], [0.0, 1.0, 3.0], "{order:?}");
            assert!(!scan.depends_on_order(Ty::I32));
        }
    }
}
