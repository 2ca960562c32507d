//! The spelling of operations in the text form of the IR: one row for each, read in both directions.
//!
//! A name is a word, followed by the names of the operation's parameters, separated by dots: `min.u`,
//! `reduce.max.s`, `convert.s.u.f32`. The rows are matches without a wildcard, so a new variant does not compile
//! until it has a name.
//!
//! Deliberately absent: HLSL's names, which are in [`crate::intrinsics`].

use std::fmt;

use crate::intrinsics::Stage;
use crate::wave::QuadDirection;
use crate::{
    Barrier, Binary, Compare, Fold, MemoryScope, Relation, Sign, SyncScope, Ternary, Ty, Unary,
    WaveOp,
};

/// Something with a name in the text form of the IR.
pub trait Named: Sized {
    /// Writes the name.
    fn spell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Parses the name from the front of a dotted name that has been split at its dots.
    fn take<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Self>;

    /// Parses a whole name.
    fn by_name(name: &str) -> Option<Self> {
        let mut parts = name.split('.');
        let it = Self::take(&mut parts)?;
        parts.next().is_none().then_some(it)
    }

    /// The name, for display.
    fn name(&self) -> Name<'_, Self> {
        Name(self)
    }
}

/// Displays a name.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a, T>(&'a T);

impl<T: Named> fmt::Display for Name<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.spell(f)
    }
}

/// Names the variants of an enum. What a variant carries is named after it, in the order of the row.
#[macro_export]
macro_rules! names {
    ($ty:ident { $($word:literal => $variant:ident $(($($of:ident: $of_ty:ty),+))? $({$($field:ident: $field_ty:ty),+})?,)+ }) => {
        impl $crate::Named for $ty {
            fn spell(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $($ty::$variant $(($($of),+))? $({$($field),+})? => {
                        f.write_str($word)?;
                        $($(f.write_str(".")?; $crate::Named::spell($of, f)?;)+)?
                        $($(f.write_str(".")?; $crate::Named::spell($field, f)?;)+)?
                    })+
                }
                Ok(())
            }

            fn take<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<$ty> {
                Some(match parts.next()? {
                    $($word => $ty::$variant
                        $(($(<$of_ty as $crate::Named>::take(parts)?),+))?
                        $({$($field: <$field_ty as $crate::Named>::take(parts)?),+})?,)+
                    _ => return None,
                })
            }
        }
    };
}

impl Named for Ty {
    fn spell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Ty::name(*self))
    }

    fn take<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Ty> {
        Ty::by_name(parts.next()?)
    }
}

/// A small number, such as the index of a vector component.
impl Named for u8 {
    fn spell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }

    fn take<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<u8> {
        parts.next()?.parse().ok()
    }
}

impl Named for Barrier {
    fn spell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.memory.name(), self.sync.name())
    }

    fn take<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Barrier> {
        Some(Barrier { memory: MemoryScope::take(parts)?, sync: SyncScope::take(parts)? })
    }
}

names! { Sign {
    "s" => Signed,
    "u" => Unsigned,
} }

names! { Unary {
    "neg" => Neg,
    "not" => Not,
    "abs" => Abs,
    "floor" => Floor,
    "ceil" => Ceil,
    "trunc" => Trunc,
    "round" => Round,
    "sqrt" => Sqrt,
    "rsqrt" => Rsqrt,
    "saturate" => Saturate,
    "sin" => Sin,
    "cos" => Cos,
    "tan" => Tan,
    "asin" => Asin,
    "acos" => Acos,
    "atan" => Atan,
    "sinh" => Sinh,
    "cosh" => Cosh,
    "tanh" => Tanh,
    "exp" => Exp,
    "exp2" => Exp2,
    "log" => Log,
    "log2" => Log2,
    "log10" => Log10,
    "is_nan" => IsNan,
    "is_inf" => IsInf,
    "is_finite" => IsFinite,
    "count_bits" => CountBits,
    "reverse_bits" => ReverseBits,
    "first_bit_low" => FirstBitLow,
    "first_bit_high" => FirstBitHigh(sign: Sign),
    "unpack_half" => UnpackHalf,
    "pack_half" => PackHalf,
    "bitcast" => Bitcast(to: Ty),
    "convert" => Convert { from_sign: Sign, to_sign: Sign, to: Ty },
} }

names! { Binary {
    "add" => Add,
    "sub" => Sub,
    "mul" => Mul,
    "div" => Div(sign: Sign),
    "rem" => Rem(sign: Sign),
    "and" => And,
    "or" => Or,
    "xor" => Xor,
    "shl" => Shl,
    "shr" => Shr(sign: Sign),
    "min" => Min(sign: Sign),
    "max" => Max(sign: Sign),
    "atan2" => Atan2,
    "pow" => Pow,
} }

names! { Compare {
    "eq" => Eq,
    "ne" => Ne,
    "lt" => Lt(sign: Sign),
    "le" => Le(sign: Sign),
    "gt" => Gt(sign: Sign),
    "ge" => Ge(sign: Sign),
} }

names! { Ternary {
    "fma" => Fma,
    "select" => Select,
} }

names! { WaveOp {
    "lane_index" => LaneIndex,
    "lane_count" => LaneCount,
    "is_first_lane" => IsFirstLane,
    "is_helper_lane" => IsHelperLane,
    "group_wave_index" => GroupWaveIndex,
    "group_wave_count" => GroupWaveCount,
    "lanes" => LaneRelation(relation: Relation),
    "active_lanes" => ActiveLanes,
    "converged_lanes" => ConvergedLanes,
    "any_true" => AnyTrue,
    "all_true" => AllTrue,
    "ballot" => Ballot,
    "count_bits" => CountBits,
    "prefix_count_bits" => PrefixCountBits,
    "read_lane_first" => ReadLaneFirst,
    "read_lane_at" => ReadLaneAt,
    "rotate" => Rotate,
    "clustered_rotate" => ClusteredRotate,
    "all_equal" => AllEqual,
    "reduce" => Reduce(fold: Fold),
    "scan" => Scan(fold: Fold),
    "match" => Match,
    "multi_prefix_count_bits" => MultiPrefixCountBits,
    "multi_reduce" => MultiReduce(fold: Fold),
    "multi_scan" => MultiScan(fold: Fold),
    "multi_scan_inclusive" => MultiScanInclusive(fold: Fold),
    "quad_read" => QuadRead(direction: QuadDirection),
    "quad_read_lane_at" => QuadReadLaneAt,
    "quad_any" => QuadAny,
    "quad_all" => QuadAll,
} }

names! { Fold {
    "sum" => Sum,
    "product" => Product,
    "min" => Min(sign: Sign),
    "max" => Max(sign: Sign),
    "and" => And,
    "or" => Or,
    "xor" => Xor,
} }

names! { Relation {
    "equal" => Equal,
    "greater_equal" => GreaterEqual,
    "greater" => Greater,
    "less_equal" => LessEqual,
    "less" => Less,
} }

names! { QuadDirection {
    "x" => X,
    "y" => Y,
    "diagonal" => Diagonal,
} }

names! { MemoryScope {
    "group" => Group,
    "device" => Device,
    "all" => All,
} }

names! { SyncScope {
    "none" => None,
    "wave" => Wave,
    "group" => Group,
} }

names! { Stage {
    "vertex" => Vertex,
    "hull" => Hull,
    "domain" => Domain,
    "geometry" => Geometry,
    "pixel" => Pixel,
    "compute" => Compute,
    "amplification" => Amplification,
    "mesh" => Mesh,
    "library" => Library,
    "node" => Node,
    "ray_tracing" => RayTracing,
} }

#[cfg(test)]
mod tests {
    use super::*;

    fn reads_back<T: Named + PartialEq + fmt::Debug>(values: &[T], spelled: &[&str]) {
        for (value, spelled) in values.iter().zip(spelled) {
            assert_eq!(value.name().to_string(), *spelled);
            assert_eq!(T::by_name(spelled).as_ref(), Some(value));
        }
    }

    #[test]
    fn names_read_back() {
        let convert =
            Unary::Convert { to: Ty::F32, from_sign: Sign::Unsigned, to_sign: Sign::Signed };
        reads_back(
            &[Unary::Neg, convert, Unary::Bitcast(Ty::I64)],
            &["neg", "convert.u.s.f32", "bitcast.i64"],
        );
        reads_back(&[Binary::Min(Sign::Unsigned)], &["min.u"]);
        let folds = [WaveOp::Reduce(Fold::Max(Sign::Signed)), WaveOp::QuadRead(QuadDirection::X)];
        reads_back(&folds, &["reduce.max.s", "quad_read.x"]);
        reads_back(&[Barrier { memory: MemoryScope::All, sync: SyncScope::None }], &["all.none"]);
    }

    #[test]
    fn unknown_names_are_refused() {
        for name in ["", "min", "min.", "min.u.u", "min.x", "add.", "convert.s.f32", "."] {
            assert_eq!(Binary::by_name(name), None, "{name}");
            assert_eq!(Unary::by_name(name), None, "{name}");
        }
    }
}
