//! Where a report proposes to put what is missing: a fault that is the absence of a line has no line of its own that a
//! report could name, but there is a gap in the text from which the line was taken.
//!
//! A report names that gap if the first help of its finding proposes a statement between the accesses (1) and (2), or
//! at the end of the loop that they are in, and nothing but the line that was taken stands there.

use diag::SourceMap;
use sanitizer::Finding;

/// Helps that propose a statement between the accesses (1) and (2).
const BETWEEN: [&str; 3] = ["between them", "between the stores", "between the read and the store"];
/// Those that propose it at the end of a round.
const AT_THE_END: &str = "at the end of the loop";

/// The lines, from 1, between which the first help of a finding proposes to put a statement.
pub(super) fn proposed(finding: &Finding, sources: &SourceMap, text: &str) -> Option<[u32; 2]> {
    let help = finding.helps.first().filter(|it| it.contains("put "))?;
    let sites = || std::iter::once(&finding.site).chain(&finding.related);
    let line = |number: &str| {
        let site = sites().find(|it| it.text.starts_with(number))?;
        sources.location(site.span).map(|at| at.line)
    };
    let (first, second) = (line("(1)")?, line("(2)")?);
    let (low, high) = (first.min(second), first.max(second));
    if help.contains(AT_THE_END) {
        return Some([high, closing(text, high)?]);
    }
    BETWEEN.iter().any(|it| help.contains(it)).then_some([low, high])
}

/// The line that closes the block in which a line is.
fn closing(text: &str, line: u32) -> Option<u32> {
    let mut depth = 0;
    let mut behind = (1..).zip(text.lines()).filter(|it| it.0 > line);
    behind.find_map(|(number, code)| {
        depth += code.matches('{').count() as i32 - code.matches('}').count() as i32;
        (depth < 0).then_some(number)
    })
}

/// Whether a gap in a faulty text is that of its wrong line, which holds no code any more.
pub(super) fn is_of(text: &str, [low, high]: [u32; 2], wrong: u32) -> bool {
    let has_code = |line: u32| {
        let code = text.lines().nth(line as usize - 1).unwrap_or("");
        !code.split("//").next().unwrap_or("").trim().is_empty()
    };
    low < wrong && wrong < high && (low + 1..high).all(|line| !has_code(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "for (;;) {\n    tile[i] = 1;\n    // no barrier\n    n += tile[j];\n    if (n) {\n    }\n\n}\n";

    #[test]
    fn a_gap_holds_the_line_that_was_taken_and_nothing_else() {
        assert!(is_of(TEXT, [2, 4], 3));
        assert!(is_of(TEXT, [6, 8], 7));
        for (gap, wrong) in [([2, 4], 7), ([2, 8], 3), ([4, 8], 7), ([3, 4], 3), ([2, 4], 2)] {
            assert!(!is_of(TEXT, gap, wrong), "{gap:?}, {wrong}");
        }
    }

    #[test]
    fn a_block_ends_where_its_brace_is_closed() {
        assert_eq!(closing(TEXT, 4), Some(8));
        assert_eq!(closing(TEXT, 5), Some(6));
        assert_eq!(closing(TEXT, 8), None);
    }

    #[test]
    fn the_first_help_proposes_a_gap() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.hlsl", TEXT).unwrap();
        let base = sources.file(file).start;
        let site = |at: &str, text: &str| sanitizer::Site {
            span: diag::Span::new(
                base + TEXT.find(at).unwrap() as u32,
                base + TEXT.find(at).unwrap() as u32 + 1,
            ),
            inst: None,
            text: text.to_owned(),
        };
        let of = |helps: &[&str]| {
            let finding = Finding {
                kind: sanitizer::Kind::Race,
                message: String::new(),
                site: site("n +=", "(2) lane 1 reads it here"),
                related: vec![site("tile[i]", "(1) lane 0 writes it here")],
                stacks: Vec::new(),
                notes: Vec::new(),
                helps: helps.iter().map(|it| (*it).to_owned()).collect(),
                group: [0; 3],
                wave: 0,
                lanes: ops::LaneMask::EMPTY,
                width: 4,
            };
            proposed(&finding, &sources, TEXT)
        };
        assert_eq!(of(&["put `Barrier()` between them"]), Some([2, 4]));
        assert_eq!(of(&["put `Barrier()` at the end of the loop, so that"]), Some([4, 8]));
        assert_eq!(of(&["use `Barrier()` instead of the barrier between them"]), None);
        assert_eq!(of(&["declare it", "put `Barrier()` between them"]), None);
        assert_eq!(of(&[]), None);
    }
}
