//! The example on each page of `wavelane explain` gives the report that the page is about.

use diag::Level;
use suite::run;

/// The flags for compiling an example: `wavelane check FILE FLAGS` in the page, or none.
fn flags(page: &str) -> Vec<String> {
    let line =
        page.split('`').skip(1).step_by(2).find_map(|it| it.strip_prefix("wavelane check a.hlsl "));
    line.unwrap_or("").split_whitespace().map(str::to_owned).collect()
}

/// The first block of HLSL.
fn example(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("```hlsl\n")?;
    rest.split_once("\n```").map(|(text, _)| text)
}

/// An example is a whole file, declarations, or statements of a function.
fn readings(example: &str) -> [String; 3] {
    let entry = "[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex)";
    [example.to_owned(), format!("{example}\n{entry} {{}}"), format!("{entry} {{\n{example}\n}}")]
}

/// Codes that need many lines or several files are shown only in part; `suite/errors` has the whole.
const IN_PART: [&str; 5] =
    ["include-cycle", "too-large", "nesting-too-deep", "program-too-large", "unsupported-feature"];

#[test]
fn every_page_has_a_working_example() {
    let mut wrong = Vec::new();
    for code in diag::codes() {
        let Some(example) = example(code.page()) else {
            wrong.push(format!("the page of `{}` has no block of HLSL", code.name));
            continue;
        };
        let options = run::options(&flags(code.page())).unwrap();
        // Findings of a run are checked by the tests of the command line tool. If the compiler warns too, its
        // program comes first and the one for runs after it.
        let after = code.page().split("```hlsl\n").nth(1).unwrap_or("");
        let only_runs = code.in_runs && after.contains("`wavelane san a.hlsl");
        if IN_PART.contains(&code.name) || only_runs {
            continue;
        }
        let mut got = String::new();
        let brings = readings(example).iter().any(|text| {
            let compiled = run::compile_text("a.hlsl", text, &options);
            let found = compiled.diagnostics.iter().any(|it| it.code.name == code.name);
            // Nothing else may be wrong with it.
            let others = compiled
                .diagnostics
                .iter()
                .filter(|it| it.code.name != code.name && it.level >= Level::Error);
            let is_alone = others.count() == 0;
            got.push_str(&diag::render_all(
                &compiled.diagnostics,
                &compiled.sources,
                diag::Style::Plain,
            ));
            found && is_alone
        });
        if !brings {
            wrong.push(format!("the example of `{}` gives\n{got}", code.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
