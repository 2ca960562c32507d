//! Writes the documents that are made from the code, and tells when one is out of date.

use std::fmt::Write;

use ops::intrinsics::{Elements, Intrinsic, Origin, Output, Param, Stage, Stages};

/// Writes all generated documents, or with `check` only compares them.
pub(crate) fn run(check: bool) -> Result<(), String> {
    let mut stale = Vec::new();
    for (name, text) in [("docs/intrinsics.md", intrinsics())] {
        let path = crate::root().join(name);
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if old == text {
            continue;
        }
        if check {
            stale.push(name);
        } else {
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!("out of date, run `cargo xtask docs`: {}", stale.join(", ")))
    }
}

/// The reference of all wave and quad functions.
fn intrinsics() -> String {
    let mut text = String::from(
        "# Wave and quad functions\n\n\
         Generated from the rows in `crates/ops/src/intrinsics/`; do not edit.\n\
         `T` is a scalar, vector or matrix of the named elements; operations work component by component.\n",
    );
    for (title, origin) in [("HLSL", Origin::Hlsl), ("Slang", Origin::Slang)] {
        let _ = write!(text, "\n## {title}\n\n");
        text.push_str(
            "| function | what it gives | since | stages | also spelled |\n|---|---|---|---|---|\n",
        );
        for row in ops::intrinsics::all().filter(|it| it.origin == origin) {
            let aliases: Vec<String> =
                row.aliases.iter().map(|it| format!("`{}`", it.name)).collect();
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | {} |",
                signature(row),
                row.summary,
                row.since,
                stages(row.stages),
                aliases.join(", ")
            );
        }
    }
    text
}

/// As a declaration in HLSL.
pub(crate) fn signature(row: &Intrinsic) -> String {
    let mut elements = None;
    let params: Vec<&str> = row
        .params
        .iter()
        .map(|param| match param {
            Param::Value(of) => {
                elements = Some(*of);
                "T value"
            }
            Param::Bool => "bool condition",
            Param::LaneIndex => "uint lane",
            Param::ConstantLane => "constant uint lane",
            Param::Distance => "uint distance",
            Param::ClusterSize => "constant uint size",
            Param::QuadIndex => "uint lane",
            Param::Lanes => "uint4 lanes",
            Param::WaveMask => "uint lanes",
        })
        .collect();
    let result = match row.result {
        Output::Void => "void",
        Output::Bool => "bool",
        Output::BoolShape => "bool<n>",
        Output::Uint | Output::WaveMask => "uint",
        Output::Uint4 => "uint4",
        Output::Value => "T",
    };
    let elements = match elements {
        None => "",
        Some(Elements::Any) => ", T: any number or bool",
        Some(Elements::Numeric) => ", T: any number",
        Some(Elements::Integer) => ", T: any integer",
        Some(Elements::UnsignedInDxc) => ", T: any integer; for DXC unsigned",
    };
    format!("{result} {}({}){elements}", row.name, params.join(", "))
}

fn stages(stages: Stages) -> &'static str {
    match (stages.contains(Stage::Vertex), stages.contains(Stage::Pixel)) {
        (true, _) => "all",
        (false, true) => "pixel, compute, mesh, amplification, node",
        (false, false) => "compute, mesh, amplification, node",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn generated_documents_are_up_to_date() {
        super::run(true).unwrap();
    }
}
