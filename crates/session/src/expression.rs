//! Reads the additions to HLSL that watch expressions have, and refuses what would change something.
//!
//! `x@5` is what lane 5 holds in `x`, `$lane` the lane, `$active` the set of active lanes. Everything else is left to
//! the front end.

use std::fmt;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// An expression as the front end takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expression {
    pub(crate) text: String,
    /// The identifiers in it.
    pub(crate) names: Vec<String>,
    /// The variables of one lane: a new name for each, the name in the source, and the lane.
    pub(crate) of_lanes: Vec<(String, String, u32)>,
}

/// The most characters of an expression.
const MOST_CHARACTERS: usize = 4096;

/// A condition holds if its expression is true in any active lane; written as `all(…)`, if it is in all of them.
/// Returns the expression, and whether it must be true in all lanes.
pub(crate) fn quantified(condition: &str) -> (&str, bool) {
    let inner = condition.trim().strip_prefix("all(").and_then(|it| it.strip_suffix(')'));
    (inner.unwrap_or(condition), inner.is_some())
}

pub(crate) fn read(text: &str, width: u32) -> Result<Expression, Refused> {
    if text.len() > MOST_CHARACTERS {
        return Err(Refused(format!("an expression has at most {MOST_CHARACTERS} characters")));
    }
    let mut expression = Expression::default();
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    let word = |mut at: usize| {
        let begin = at;
        while characters.get(at).is_some_and(|it| it.is_ascii_alphanumeric() || *it == '_') {
            at += 1;
        }
        characters[begin..at].iter().collect::<String>()
    };
    while let Some(first) = characters.get(at).copied() {
        let second = characters.get(at + 1).copied();
        match (first, second) {
            ('=' | '!' | '<' | '>', Some('=')) if second == Some('=') => {
                expression.text.extend([first, '=']);
                at += 2;
                if (first, characters.get(at)) == ('=', Some(&'=')) {
                    return Err(Refused("`===` is not an operator of HLSL".to_owned()));
                }
            }
            ('+', Some('+')) | ('-', Some('-')) => return Err(changes(&format!("{first}{first}"))),
            ('<' | '>', Some(same)) if same == first => {
                if characters.get(at + 2) == Some(&'=') {
                    return Err(changes(&format!("{first}{first}=")));
                }
                expression.text.extend([first, first]);
                at += 2;
            }
            ('+' | '-' | '*' | '/' | '%' | '&' | '|' | '^', Some('=')) => {
                return Err(changes(&format!("{first}=")));
            }
            ('=', _) => return Err(changes("=")),
            (';' | '{' | '}' | '#' | '"' | '\\', _) | ('/', Some('/' | '*')) => {
                return Err(Refused(format!("`{first}` is not part of an expression")));
            }
            ('$', _) => {
                let name = word(at + 1);
                expression.text.push_str(match name.as_str() {
                    "lane" => "WaveGetLaneIndex()",
                    "active" => "WaveActiveBallot(true)",
                    _ => {
                        let what = format!("there is no `${name}`");
                        return Err(Refused(format!("{what}; there are `$lane` and `$active`")));
                    }
                });
                at += 1 + name.len();
            }
            ('@', _) => {
                return Err(Refused("the name of a variable comes before `@`".to_owned()));
            }
            _ if first.is_ascii_alphabetic() || first == '_' => {
                let name = word(at);
                at += name.len();
                if characters.get(at) != Some(&'@') {
                    expression.text.push_str(&name);
                    expression.names.push(name);
                    continue;
                }
                let number: String =
                    characters[at + 1..].iter().take_while(|it| it.is_ascii_digit()).collect();
                let lane = number.parse().ok().filter(|it| *it < width);
                let Some(lane) = lane else {
                    let most = width - 1;
                    return Err(Refused(format!("after `@` comes a lane, from 0 to {most}")));
                };
                at += 1 + number.len();
                let new = format!("wavelane_lane_{}", expression.of_lanes.len());
                expression.text.push_str(&new);
                expression.of_lanes.push((new, name, lane));
            }
            _ if first.is_ascii_digit() => {
                let number = word(at);
                at += number.len();
                expression.text.push_str(&number);
            }
            _ => {
                expression.text.push(first);
                at += 1;
            }
        }
    }
    if expression.text.trim().is_empty() {
        return Err(Refused("an expression is expected".to_owned()));
    }
    Ok(expression)
}

fn changes(what: &str) -> Refused {
    Refused(format!("`{what}` would change the run; an expression may only look"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_names_are_found() {
        let it = read("x@5 + WaveActiveSum(y.x) > $lane", 8).unwrap();
        assert_eq!(it.text, "wavelane_lane_0 + WaveActiveSum(y.x) > WaveGetLaneIndex()");
        assert_eq!(it.of_lanes, [("wavelane_lane_0".to_owned(), "x".to_owned(), 5)]);
        assert_eq!(it.names, ["WaveActiveSum", "y", "x"]);
        assert_eq!(read("a <= b && a != 3 || a >> 2 == 1", 8).unwrap().names.len(), 4);
    }

    #[test]
    fn what_would_change_something_is_refused() {
        for text in [
            "x = 1", "x += 1", "x <<= 1", "++x", "x--", "x; y", "x@8", "x@", "@3", "$q", "",
            "/* a */",
        ] {
            assert!(read(text, 8).is_err(), "{text}");
        }
    }
}
