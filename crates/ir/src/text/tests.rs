//! Tests of `text`.

use super::*;
use crate::notes::ScopeId;
use crate::verify::verify;

const EVERY: &str = include_str!("every.ir");
const OF_PIXELS: &str = include_str!("every_of_pixels.ir");

/// A module with the given lines in its body.
fn body(lines: &str) -> String {
    format!("entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nbody r0 {{\n{lines}\n}}\n")
}

#[test]
fn every_instruction_reads_back() {
    for text in [EVERY, OF_PIXELS] {
        let module = read(text).unwrap();
        verify(&module).unwrap();
        let printed = print(&module);
        assert_eq!(read(&printed).unwrap(), module);
        // Except for the comment at its head, the file is exactly what the printer writes.
        let lines = |text: &str| -> Vec<String> {
            text.lines().map(|it| it.split(" //").next().unwrap_or("").to_owned()).collect()
        };
        assert_eq!(lines(&printed), lines(&text[text.find("\nentry").unwrap() + 1..]));
    }
}

/// The printer of one instruction is that of the whole module.
#[test]
fn each_instruction_has_its_line() {
    for text in [EVERY, OF_PIXELS] {
        let module = read(text).unwrap();
        let printed = print_without_spans(&module);
        let without_label = |line: &str| match line.trim().split_once(": ") {
            Some((label, rest)) if label.starts_with('i') && !label.contains(' ') => {
                rest.to_owned()
            }
            _ => line.trim().to_owned(),
        };
        let lines: Vec<String> = printed.lines().map(without_label).collect();
        for inst in module.regions.iter().flat_map(|it| &it.insts) {
            let own = without_label(&print_inst(&module, *inst));
            let is_own = |it: &String| match it.strip_suffix(" {") {
                Some(head) => own.starts_with(head),
                None => *it == own,
            };
            assert!(!own.contains('\n') && lines.iter().any(is_own), "{own}");
        }
    }
}

#[test]
fn spans_can_be_left_out() {
    let mut module = read(EVERY).unwrap();
    let brief = print_without_spans(&module);
    assert!(!brief.contains('@'));
    module.insts.iter_mut().for_each(|it| it.span = diag::Span::NONE);
    module.insts.iter_mut().for_each(|it| it.scope = ScopeId::ENTRY);
    module.notes.scopes.clear();
    module.resources.iter_mut().for_each(|it| it.span = diag::Span::NONE);
    module.groupshared.iter_mut().for_each(|it| it.span = diag::Span::NONE);
    module.queries.iter_mut().for_each(|it| it.span = diag::Span::NONE);
    assert_eq!(read(&brief).unwrap(), module);
}

#[test]
fn instruction_numbers_round_trip() {
    let module =
        read(&body("i1: v1: i32 = const.i32 1\ni0: v0: i32 = const.i32 2\ni2: return")).unwrap();
    assert_eq!(read(&print(&module)).unwrap(), module);
}

#[test]
fn errors_have_a_position() {
    for (lines, expected) in [
        ("  jump", "4:3: expected an instruction, found `jump`"),
        ("  v0: i32 = add v0", "4:19: expected `,`, found the end of the line"),
        ("  v0: i32 = const.i32 -1", "4:23: expected a number, found `-`"),
        ("  v0: i33 = const.i32 1", "4:7: expected a type, found `i33`"),
        ("v1: i32 = const.i32 1", "4:1: `v1` is defined, but `v0` is not"),
        ("v0: i32 = const.i32 1\nv0: i32 = const.i32 1", "5:1: `v0` is defined twice"),
        ("i1: return", "4:1: `i1` is defined, but `i0` is not"),
        ("i4294967295: return", "4:1: 4294967295 is too large here"),
        ("block do r0 {\n}", "4:10: `r0` is defined twice"),
        ("return return", "4:8: expected the end of the line, found `return`"),
        ("\u{e4}", "4:1: `\u{e4}` is not a token"),
        ("const.i32 99999999999999999999", "4:11: `99999999999999999999` does not fit 64 bits"),
        ("load b0[v1]", "4:9: expected `element`, `byte`, `texel` or `within`, found `v1`"),
        ("}\n}", "5:1: expected the end of the text, found `}`"),
    ] {
        assert_eq!(read(&body(lines)).unwrap_err().to_string(), expected, "{lines}");
    }
}

#[test]
fn strings_of_any_characters_read_back() {
    for name in ["a", "\u{7f}{f}", "\u{1b}}abc", "\"\\\n\t", "\u{202e}\u{10ffff}9", "\u{301}{"] {
        let mut module = read(&body("return")).unwrap();
        module.name = name.to_owned();
        assert_eq!(read(&print(&module)).map(|it| it.name).as_deref(), Ok(name), "{name:?}");
    }
}

#[test]
fn the_reader_never_panics() {
    // Every prefix, and the text with each byte replaced: all give a module or an error.
    let text: String = EVERY.chars().filter(char::is_ascii).collect();
    never_panics(&text);
    never_panics(OF_PIXELS);
}

fn never_panics(text: &str) {
    for end in 0..text.len() {
        let _ = read(&text[..end]);
    }
    for at in (0..text.len()).step_by(3) {
        for byte in ["", "}", "\"", "v", "9", "\\", "\n", "\u{e4}"] {
            if let Ok(module) = read(&format!("{}{byte}{}", &text[..at], &text[at + 1..])) {
                let _ = verify(&module);
                assert_eq!(read(&print(&module)).as_ref(), Ok(&module));
            }
        }
    }
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in
        [("loop do r# {\n", "yield\n}\n"), ("switch v0 {\ncase default r# {\n", "yield\n}\n}\n")]
    {
        let nested = |depth: usize| {
            let open: String = (1..=depth).map(|i| open.replace('#', &i.to_string())).collect();
            body(&format!("v0: i32 = const.i32 1\n{open}{}yield", close.repeat(depth)))
        };
        let deepest = read(&nested(MOST_DEPTH - 1)).unwrap();
        verify(&deepest).unwrap();
        crate::uniformity::analyse(&deepest);
        assert_eq!(read(&print(&deepest)).unwrap(), deepest);
        let error = read(&nested(MOST_DEPTH)).unwrap_err();
        assert_eq!(error.message, "regions nest more than 256 deep");
        assert!(read(&nested(100_000)).is_err());
    }
}

#[test]
fn malformed_modules_print() {
    let mut module = read(&body("block do r1 {\nyield\n}\nyield")).unwrap();
    module.regions[1].insts.push(crate::Inst(0));
    module.regions[1].insts.push(crate::Inst(77));
    module.regions[1].params.push(crate::Value(77));
    assert!(print(&module).contains('?'));
    assert!(verify(&module).is_err());
}
