//! Makes a failing program smaller: lines are left out, alone, in runs, and as the braces around others, as long as it fails.

/// More attempts than these are not worth the wait.
const MOST_ATTEMPTS: usize = 3000;

/// The smallest text that was found to fail, of lines of the one that does.
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
        // What opens goes with what closes it, with what is between and without.
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

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|it| [*it, "\n"]).collect()
}

/// The line that closes what this one opens.
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
    fn what_does_not_matter_goes() {
        let text = "a\nif (x) {\n  b\n  for (;;) {\n    c\n  }\n  d\n}\ne\n";
        let balanced = |it: &str| it.matches('{').count() == it.matches('}').count();
        assert_eq!(shrink(text, |it| balanced(it) && it.contains('c')), "    c\n");
        let both = |it: &str| balanced(it) && it.contains('a') && it.contains("for");
        assert_eq!(shrink(text, both), "a\n  for (;;) {\n  }\n");
        assert_eq!(shrink(text, |_| true), "");
        assert_eq!(shrink(text, |it| it.len() == text.len()), text);
    }
}
