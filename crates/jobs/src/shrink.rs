//! Test-case reduction: removes lines, alone, in runs, and as braces around others, as long as the program fails;
//! then replaces parentheses and calls by their contents.

/// Further attempts are not worth the wait.
const MOST_ATTEMPTS: usize = 3000;

/// The smallest failing text found, made of lines of the original.
pub fn shrink(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut left = MOST_ATTEMPTS;
    let mut without = |lines: &mut Vec<&str>, gone: &[std::ops::Range<usize>]| {
        let is_kept = |it: usize| !gone.iter().any(|range| range.contains(&it));
        let kept: Vec<&str> =
            (0..lines.len()).filter(|it| is_kept(*it)).map(|it| lines[it]).collect();
        let is_smaller = kept.len() < lines.len();
        let fails = is_smaller && left > 0 && fails(&joined(&kept));
        left = left.saturating_sub(1);
        if fails {
            *lines = kept;
        }
        fails
    };
    loop {
        let before = lines.len();
        let mut run = lines.len() / 2;
        while run > 0 {
            let mut at = 0;
            while at < lines.len() {
                let end = (at + run).min(lines.len());
                if !without(&mut lines, std::slice::from_ref(&(at..end))) {
                    at += run;
                }
            }
            run /= 2;
        }
        // An opening line is removed together with its closing line, with and without the lines between.
        let mut at = 0;
        while at < lines.len() {
            let gone = closing(&lines, at).is_some_and(|end| {
                without(&mut lines, std::slice::from_ref(&(at..end + 1)))
                    || without(&mut lines, &[at..at + 1, end..end + 1])
            });
            at += usize::from(!gone);
        }
        if lines.len() == before {
            return joined(&lines);
        }
    }
}

/// The smallest failing text found, where each call and each pair of parentheses may be replaced by a zero, by one
/// of its arguments or by one side of an operator. `fails` decides whether the result is HLSL.
pub fn shrink_expressions(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut text = text.to_owned();
    let mut left = MOST_ATTEMPTS;
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('(')).map(|it| at + it) {
        let smaller = replacements(&text, open).into_iter().find(|it| {
            let tries = left > 0;
            left = left.saturating_sub(1);
            tries && fails(it)
        });
        match smaller {
            // The replacement may begin earlier: at the name of the removed call.
            Some(smaller) => {
                at = name_before(&text, open);
                text = smaller;
            }
            None => at = open + 1,
        }
    }
    text
}

/// The start of the name before a parenthesis.
fn name_before(text: &str, open: usize) -> usize {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    text[..open].trim_end_matches(is_name).len()
}

/// The texts in which something shorter replaces the parentheses that open there, and the name before them.
fn replacements(text: &str, open: usize) -> Vec<String> {
    let Some(close) = matching(text, open) else { return Vec::new() };
    let start = name_before(text, open);
    let old = &text[start..=close];
    let is_cast = text[close + 1..].starts_with(|it: char| it.is_ascii_alphanumeric() || it == '(');
    if is_cast {
        return vec![[&text[..start], &text[close + 1..]].concat()];
    }
    let mut parts = vec!["0".to_owned()];
    // At the top level inside, `a, b`, `a + b` and `a ? b : c` are split into parts.
    let inside = &text[open + 1..close];
    let (mut depth, mut begin) = (0, 0);
    for (place, letter) in inside.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 => {
                parts.push(inside[begin..place].trim_end_matches(',').to_owned());
                begin = place + 1;
            }
            _ => {}
        }
    }
    parts.push(inside[begin..].to_owned());
    let mut found: Vec<String> = Vec::new();
    for part in parts {
        for new in [part.clone(), format!("({part})")] {
            let is_new = !found.contains(&new) && !part.is_empty();
            if is_new && new.len() < old.len() {
                found.push(new);
            }
        }
    }
    found.iter().map(|new| [&text[..start], new, &text[close + 1..]].concat()).collect()
}

/// The parenthesis that closes the one at `open`.
fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    text[open..].char_indices().find_map(|(place, letter)| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        (depth == 0).then_some(open + place)
    })
}

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|it| [*it, "\n"]).collect()
}

/// The line that closes the one that this line opens.
fn closing(lines: &[&str], at: usize) -> Option<usize> {
    if !lines[at].trim_end().ends_with('{') {
        return None;
    }
    let mut depth = 0i32;
    lines.iter().enumerate().skip(at).find_map(|(number, line)| {
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        (depth <= 0).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_operators_are_replaced_by_their_operands() {
        let needs = |what: &'static str| move |it: &str| it.contains(what) && it.contains("x = ");
        let text = "x = f((a + g(1, (uint)b)) ? c : (d - e));";
        assert_eq!(shrink_expressions(text, needs("b")), "x = b;");
        assert_eq!(shrink_expressions(text, needs("g(")), "x = g(1, b);");
        assert_eq!(shrink_expressions(text, |_| false), text);
        assert_eq!(shrink_expressions("x = (((", |_| true), "x = (((");
    }

    #[test]
    fn irrelevant_lines_are_removed() {
        let text = "a\nif (x) {\n  b\n  for (;;) {\n    c\n  }\n  d\n}\ne\n";
        let balanced = |it: &str| it.matches('{').count() == it.matches('}').count();
        assert_eq!(shrink(text, |it| balanced(it) && it.contains('c')), "    c\n");
        let both = |it: &str| balanced(it) && it.contains('a') && it.contains("for");
        assert_eq!(shrink(text, both), "a\n  for (;;) {\n  }\n");
        assert_eq!(shrink(text, |_| true), "");
        assert_eq!(shrink(text, |it| it.len() == text.len()), text);
    }
}
