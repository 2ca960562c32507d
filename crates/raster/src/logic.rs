//! Logic operations on the bits of unsigned integer targets.
//!
//! Spec: Direct3D 11.3, 17.4.

/// A function of each bit of source and destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogicOp {
    Clear,
    Set,
    Copy,
    CopyInverted,
    Noop,
    Invert,
    And,
    Nand,
    Or,
    Nor,
    Xor,
    Equiv,
    AndReverse,
    AndInverted,
    OrReverse,
    OrInverted,
}

impl LogicOp {
    pub const ALL: [(&'static str, LogicOp); 16] = [
        ("Clear", LogicOp::Clear),
        ("Set", LogicOp::Set),
        ("Copy", LogicOp::Copy),
        ("CopyInverted", LogicOp::CopyInverted),
        ("Noop", LogicOp::Noop),
        ("Invert", LogicOp::Invert),
        ("And", LogicOp::And),
        ("Nand", LogicOp::Nand),
        ("Or", LogicOp::Or),
        ("Nor", LogicOp::Nor),
        ("Xor", LogicOp::Xor),
        ("Equiv", LogicOp::Equiv),
        ("AndReverse", LogicOp::AndReverse),
        ("AndInverted", LogicOp::AndInverted),
        ("OrReverse", LogicOp::OrReverse),
        ("OrInverted", LogicOp::OrInverted),
    ];

    /// Parses Direct3D's name, with or without underscores; case is ignored.
    pub fn parse(name: &str) -> Option<LogicOp> {
        let name = name.replace('_', "");
        LogicOp::ALL.into_iter().find(|(it, _)| it.eq_ignore_ascii_case(&name)).map(|(_, it)| it)
    }

    pub(crate) fn apply(self, src: u8, dst: u8) -> u8 {
        match self {
            LogicOp::Clear => 0,
            LogicOp::Set => u8::MAX,
            LogicOp::Copy => src,
            LogicOp::CopyInverted => !src,
            LogicOp::Noop => dst,
            LogicOp::Invert => !dst,
            LogicOp::And => src & dst,
            LogicOp::Nand => !(src & dst),
            LogicOp::Or => src | dst,
            LogicOp::Nor => !(src | dst),
            LogicOp::Xor => src ^ dst,
            LogicOp::Equiv => !(src ^ dst),
            LogicOp::AndReverse => src & !dst,
            LogicOp::AndInverted => !src & dst,
            LogicOp::OrReverse => src | !dst,
            LogicOp::OrInverted => !src | dst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results for (source, destination) = 00, 01, 10, 11, from the most significant bit down.
    #[test]
    fn truth_tables() {
        for (op, table) in [
            (LogicOp::Clear, 0b0000),
            (LogicOp::Set, 0b1111),
            (LogicOp::Copy, 0b0011),
            (LogicOp::CopyInverted, 0b1100),
            (LogicOp::Noop, 0b0101),
            (LogicOp::Invert, 0b1010),
            (LogicOp::And, 0b0001),
            (LogicOp::Nand, 0b1110),
            (LogicOp::Or, 0b0111),
            (LogicOp::Nor, 0b1000),
            (LogicOp::Xor, 0b0110),
            (LogicOp::Equiv, 0b1001),
            (LogicOp::AndReverse, 0b0010),
            (LogicOp::AndInverted, 0b0100),
            (LogicOp::OrReverse, 0b1011),
            (LogicOp::OrInverted, 0b1101),
        ] {
            assert_eq!(op.apply(0b0011, 0b0101) & 15, table, "{op:?}");
            assert_eq!(LogicOp::parse(&format!("{op:?}")), Some(op));
        }
        assert_eq!(LogicOp::parse("AND_REVERSE"), Some(LogicOp::AndReverse));
    }
}
