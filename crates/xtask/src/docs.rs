//! Writes the documents that are generated from the code, or reports those that are out of date.

use std::fmt::Write;

use ops::intrinsics::{Elements, Intrinsic, Origin, Output, Param, Stage, Stages};

/// Writes all generated documents; with `check`, only compares them.
pub(crate) fn run(check: bool) -> Result<(), String> {
    let compiler = crate::coverage::build()?;
    let mut documents = generated_here();
    documents.extend(crate::gallery::pages(&compiler)?);
    write(documents, check)
}

/// The documents that this program can generate by itself.
fn generated_here() -> Vec<(String, String)> {
    vec![
        ("docs/intrinsics.md".to_owned(), intrinsics()),
        ("docs/functions.md".to_owned(), functions()),
        ("docs/sanitizer/README.md".to_owned(), crate::gallery::index()),
        ("crates/capi/include/wavelane.h".to_owned(), crate::header::text()),
        ("docs/active-lanes.svg".to_owned(), crate::picture::text()),
    ]
}

fn write(documents: Vec<(String, String)>, check: bool) -> Result<(), String> {
    let mut stale = Vec::new();
    for (name, text) in documents {
        let path = crate::root().join(&name);
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if old == text {
            continue;
        }
        if check {
            stale.push(name);
        } else {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)
                    .map_err(|error| format!("{}: {error}", folder.display()))?;
            }
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
            "| function | returns | since | stages | also spelled |\n|---|---|---|---|---|\n",
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

/// The reference of all other functions.
fn functions() -> String {
    use hlsl::library::{self, Row};

    let mut text = String::from(
        "# Functions\n\n\
         Generated from the rows in `crates/hlsl/src/library/rows.rs`; do not edit.\n\
         Wave and quad functions are in `docs/intrinsics.md`.\n\n\
         `T<…>` is a number, vector or matrix, the same shape wherever it occurs in a row; `T<N>` is a number or vector.\n\
         Types that the column `T` does not name are converted: `sin` of an `int` or a `double` computes in `float`, as in Direct3D.\n\n\
         Accuracy is that of floats; integers are exact and wrap. The bits are the same on every host.\n\n\
         | word | meaning |\n|---|---|\n\
         | exact | the exact result is a value of the type |\n\
         | nearest | the nearest value of the type, ties to even |\n\
         | 0.50001 ulp | the nearest value except for a handful of arguments, and never further off; 0.5001 ulp for 16-bit floats |\n\
         | formula | each operation of the formula rounds to nearest; sums are added from the left |\n\n\
         Direct3D requires 1 ulp of `rcp`, `rsqrt`, `sqrt` and `exp2`, 2^-21 absolute or 3 ulp of `log2`, \
         and 0.0008 absolute of `sin` and `cos` between -100π and 100π.\n\
         `cargo run --release -p wavelane-ops --example accuracy` measures the accuracy; `cargo test -p wavelane-ops --test accuracy` checks it against this table.\n",
    );
    for (title, rows) in library::groups() {
        let _ = write!(
            text,
            "\n## {title}\n\n| function | `T` | returns or does | since | accuracy |\n|---|---|---|---|---|\n"
        );
        for row in rows {
            let note = if row.note.is_empty() { String::new() } else { format!("; {}", row.note) };
            let accuracy = match row.function {
                library::Function::Pure(_) => row.function.accuracy().words(),
                _ => "",
            };
            let elements = if Row::is_generic(row) { row.class.words() } else { "" };
            let _ = writeln!(
                text,
                "| `{}` | {elements} | {}{note} | {} | {accuracy} |",
                row.signature(),
                row.summary.replace('|', "\\|"),
                row.since,
            );
        }
    }
    let (of_stages, not_run): (Vec<_>, Vec<_>) =
        library::stages::rows().partition(|row| row.meaning.is_some());
    let names = |rows: Vec<&'static library::stages::Row>| rows.iter().map(|it| it.name).collect();
    let list = |names: Vec<&'static str>| {
        names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
    };
    let _ = write!(
        text,
        "\n## Functions of single stages\n\n{}\n\
         \n## Functions that type-check, but do not run yet\n\n{}\n\
         \n## Functions that are refused with a message that names them\n\n{}\n",
        list(names(of_stages)),
        list(names(not_run)),
        list(library::not_built().collect()),
    );
    text
}

/// The signature, as an HLSL declaration.
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
        Some(Elements::UnsignedInDxc) => ", T: any integer; unsigned in DXC",
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
        // The documents that show output of the command line tool are compared by its own tests.
        super::write(super::generated_here(), true).unwrap();
    }
}
