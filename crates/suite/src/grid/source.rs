//! Generates the program of a cell.
//!
//! A thread has a record of eight-byte slots in `input` and one in `output`; everything that a cell depends on,
//! even whether the thread participates, comes from its record, so that one program serves every width.

use std::fmt::Write;

use ops::intrinsics::{Meaning, Output, Param};

use super::{Cell, Shape, THREADS};
use generate::Kind;

/// The slots of a record in `input`; those of the value's components follow.
pub const TAKES_PART: usize = 0;
pub const INDEX: usize = 1;
pub const WAVE_MASK: usize = 2;
pub const CONDITION: usize = 3;
/// Two slots.
pub const LANES: usize = 4;
pub const VALUE: usize = 6;

/// The lane read by functions with a constant lane.
pub const CONSTANT_LANE: usize = 1;
pub const CLUSTER_SIZE: usize = 2;

pub fn text(cell: &Cell) -> String {
    let mut text = String::new();
    write(cell, &mut text).unwrap_or_else(|_| unreachable!("writing to a string does not fail"));
    text
}

fn write(cell: &Cell, to: &mut String) -> std::fmt::Result {
    let barrier = matches!(cell.row.meaning, Meaning::Barrier(_));
    let of = cell.spelling.word;
    writeln!(to, "// {}", cell.name())?;
    writeln!(to, "ByteAddressBuffer input;\nRWByteAddressBuffer output;")?;
    if barrier {
        writeln!(to, "groupshared uint mail[{THREADS}];")?;
    }
    writeln!(
        to,
        "[numthreads({THREADS}, 1, 1)]\nvoid main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {{"
    )?;
    writeln!(
        to,
        "    uint from = (group.x * {THREADS} + t) * {};",
        8 * (VALUE + cell.components())
    )?;
    writeln!(to, "    uint to = (group.x * {THREADS} + t) * {};", 8 * cell.results())?;
    writeln!(to, "    bool takes_part = input.Load(from + {}) != 0;", 8 * TAKES_PART)?;
    // The other parameters are read only if the function has them.
    let takes = |params: &[Param]| cell.row.params.iter().any(|it| params.contains(it));
    if takes(&[Param::LaneIndex, Param::Distance, Param::QuadIndex]) || barrier {
        writeln!(to, "    uint index = input.Load(from + {});", 8 * INDEX)?;
    }
    if takes(&[Param::WaveMask]) {
        writeln!(to, "    uint mask = input.Load(from + {});", 8 * WAVE_MASK)?;
    }
    if takes(&[Param::Bool]) {
        writeln!(to, "    bool condition = input.Load(from + {}) != 0;", 8 * CONDITION)?;
    }
    if takes(&[Param::Lanes]) {
        writeln!(to, "    uint4 lanes = input.Load4(from + {});", 8 * LANES)?;
    }
    let has_value = barrier || cell.row.params.iter().any(|it| matches!(it, Param::Value(_)));
    for (i, shape) in cell.shapes.iter().enumerate().filter(|_| has_value) {
        let parts: Vec<String> = (shape.first..shape.first + shape.components())
            .map(|component| load(cell.spelling.kind, of, 8 * (VALUE + component)))
            .collect();
        let ty = shaped(of, *shape);
        match parts.as_slice() {
            [part] => writeln!(to, "    {ty} value{i} = {part};")?,
            _ => writeln!(to, "    {ty} value{i} = {ty}({});", parts.join(", "))?,
        }
    }
    if barrier {
        writeln!(to, "    mail[t] = 0;")?;
        writeln!(to, "    uint result0 = 0;")?;
        writeln!(
            to,
            "    if (takes_part) {{\n        mail[t] = value0;\n        {};",
            call(cell, 0)
        )?;
        writeln!(to, "        result0 = mail[index];\n    }}")?;
    } else {
        for (i, shape) in cell.shapes.iter().enumerate() {
            let ty = result_type(cell, *shape);
            writeln!(to, "    {ty} result{i} = ({ty})0;")?;
        }
        writeln!(to, "    if (takes_part) {{")?;
        for i in 0..cell.shapes.len() {
            writeln!(to, "        result{i} = {};", call(cell, i))?;
        }
        writeln!(to, "    }}")?;
    }
    writeln!(to, "    if (takes_part) {{")?;
    for (i, shape) in cell.shapes.iter().enumerate() {
        for k in 0..shape.results {
            let part = component(i, k, cell.row.result, *shape);
            let at = 8 * (shape.first_result + k);
            let (kind, word) = match cell.row.result {
                Output::Value => (cell.spelling.kind, cell.spelling.kind.word()),
                Output::Bool | Output::BoolShape => (Kind::Bool, "bool"),
                Output::Void | Output::Uint | Output::Uint4 | Output::WaveMask => {
                    (Kind::U32, "uint")
                }
            };
            match kind {
                Kind::Bool => writeln!(to, "        output.Store(to + {at}, {part} ? 1u : 0u);")?,
                _ => writeln!(to, "        output.Store<{word}>(to + {at}, ({word}){part});")?,
            }
        }
    }
    writeln!(to, "    }}\n}}")
}

fn load(kind: Kind, of: &str, at: usize) -> String {
    match kind {
        Kind::Bool => format!("input.Load(from + {at}) != 0"),
        _ if of == kind.word() => format!("input.Load<{of}>(from + {at})"),
        _ => format!("({of})input.Load<{}>(from + {at})", kind.word()),
    }
}

fn shaped(of: &str, shape: Shape) -> String {
    match (shape.rows, shape.columns) {
        (1, 1) => of.to_owned(),
        (1, columns) => format!("{of}{columns}"),
        (rows, columns) => format!("{of}{rows}x{columns}"),
    }
}

fn result_type(cell: &Cell, shape: Shape) -> String {
    match cell.row.result {
        Output::Void | Output::Uint | Output::WaveMask => "uint".to_owned(),
        Output::Bool => "bool".to_owned(),
        Output::Uint4 => "uint4".to_owned(),
        Output::BoolShape => shaped("bool", shape),
        Output::Value => shaped(cell.spelling.word, shape),
    }
}

fn component(i: usize, k: usize, output: Output, shape: Shape) -> String {
    match output {
        Output::Void | Output::Bool | Output::Uint | Output::WaveMask => format!("result{i}"),
        Output::Uint4 => format!("result{i}[{k}]"),
        Output::BoolShape | Output::Value => match (shape.rows, shape.columns) {
            (1, 1) => format!("result{i}"),
            (1, _) => format!("result{i}[{k}]"),
            (_, columns) => format!("result{i}[{}][{}]", k / columns, k % columns),
        },
    }
}

fn call(cell: &Cell, i: usize) -> String {
    let args: Vec<String> = cell
        .row
        .params
        .iter()
        .map(|param| match param {
            Param::Value(_) => format!("value{i}"),
            Param::Bool => "condition".to_owned(),
            Param::LaneIndex | Param::Distance | Param::QuadIndex => "index".to_owned(),
            Param::ConstantLane => CONSTANT_LANE.to_string(),
            Param::ClusterSize => CLUSTER_SIZE.to_string(),
            Param::Lanes => "lanes".to_owned(),
            Param::WaveMask => "mask".to_owned(),
        })
        .collect();
    format!("{}({})", cell.row.name, args.join(", "))
}
