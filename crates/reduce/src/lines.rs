//! Passes for texts that cannot be parsed: lines, then what brackets enclose, then words.

use std::ops::Range;

use crate::edit::{Edit, runs};
use crate::word::words;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Pass {
    Lines,
    Brackets,
    Words,
}

impl Pass {
    pub(crate) const ALL: [Pass; 3] = [Pass::Lines, Pass::Brackets, Pass::Words];
}

pub(crate) fn candidates(pass: Pass, text: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    match pass {
        Pass::Lines => {
            let mut at = 0;
            let lines: Vec<Range<usize>> = text
                .split_inclusive('\n')
                .map(|line| {
                    at += line.len();
                    at - line.len()..at
                })
                .collect();
            runs(&lines, &mut edits);
        }
        Pass::Brackets => {
            let all = words(text);
            let mut open: Vec<(&str, usize)> = Vec::new();
            for word in &all {
                let spelled = &text[word.at.clone()];
                match spelled {
                    "(" | "[" | "{" => open.push((spelled, word.at.start)),
                    ")" | "]" | "}" => {
                        let Some((_, start)) = open.pop() else { continue };
                        let (whole, inside) = (start..word.at.end, start + 1..word.at.start);
                        edits.push(Edit::cut(whole.clone()));
                        edits.push(Edit::cut(inside.clone()));
                        edits.push(Edit::replace(whole, &text[inside]));
                    }
                    _ => {}
                }
            }
        }
        Pass::Words => {
            let all: Vec<Range<usize>> = words(text).into_iter().map(|it| it.at).collect();
            runs(&all, &mut edits);
        }
    }
    edits
}
