//! Inserts mutants into a text, each behind its switch, beside the original code.
//!
//! ```text
//! a < b        (if crate::mutant(17) { (a) <= (b) } else { a < b })
//! list.push(x);    if crate::mutant(18) { } else { list.push(x); }
//! ```
//!
//! Line numbers stay the same, unless a mutation spans several lines.

use std::ops::Range;

use super::sites::Site;

/// The new text, and the part of it that belongs to each mutant, by number.
pub(super) fn rewritten(
    text: &str,
    mutants: &[(u32, &Site)],
) -> (String, Vec<(Range<usize>, u32)>) {
    let mut edits: Vec<_> = mutants
        .iter()
        .flat_map(|(number, site)| site.edits.iter().map(move |edit| (*number, edit)))
        .collect();
    edits.sort_by_key(|(_, edit)| edit.range.start);
    let (mut new, mut at, mut parts) = (String::new(), 0, Vec::new());
    for (number, edit) in edits {
        assert!(at <= edit.range.start, "the changes of a sample do not overlap");
        new.push_str(&text[at..edit.range.start]);
        let start = new.len();
        let (mutated, original) = (&edit.mutated, &text[edit.range.clone()]);
        let choice = format!("if crate::mutant({number}) {{ {mutated} }} else {{ {original} }}");
        new.push_str(&if edit.bare { choice } else { format!("({choice})") });
        parts.push((start..new.len(), number));
        at = edit.range.end;
    }
    new.push_str(&text[at..]);
    (new, parts)
}
