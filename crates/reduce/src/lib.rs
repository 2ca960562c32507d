//! Test-case reduction for HLSL: finds a smaller program that is still interesting, as a caller decides.
//!
//! The method is hierarchical delta debugging: candidates are edits along the syntax tree (declarations, statements,
//! blocks without their braces, calls by bodies, expressions by operands and constants, parameters, types, numbers,
//! attributes), largest first, until no edit helps. A text that cannot be parsed is reduced by lines and tokens.
//!
//! Guaranteed: the result is interesting or the input itself; and it depends on the input, the options and the answers
//! alone, never on how many candidates are tested at a time. Each accepted edit makes the text smaller by [`size`], so
//! reduction ends.
//!
//! Deliberately absent: files, processes and threads (a [`Tester`] has those), and any opinion about what is
//! interesting or defined: a tester rejects what it does not want, and a candidate need not even compile.
#![forbid(unsafe_code)]

mod edit;
mod layout;
mod lines;
mod replace;
mod tree;
mod word;

use std::collections::{BTreeMap, BTreeSet};

use edit::Edit;
pub use word::{Size, size};

/// Decides which texts are interesting.
pub trait Tester {
    /// How many texts are tested at a time; more than one is speculation, and changes no result.
    fn at_a_time(&self) -> usize {
        1
    }

    /// Whether each text is interesting. `None` ends the reduction.
    fn test(&mut self, texts: &[String]) -> Option<Vec<bool>>;

    /// A smaller interesting text was found.
    fn found(&mut self, _text: &str, _attempts: usize) {}
}

/// What the reducer needs besides the text.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The options of the compilation: macros and the version of the language matter.
    pub options: hlsl::Options,
    /// The texts of included files, by the words of their `#include`.
    pub included: BTreeMap<String, String>,
    /// The most candidates that may be tested.
    pub attempts: Option<usize>,
}

/// What came of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    pub text: String,
    /// The tested candidates, without speculation.
    pub attempts: usize,
    /// The attempts were spent, or the tester ended the reduction: a smaller text may exist.
    pub stopped: bool,
}

/// Finds a smaller text that is interesting. The text itself is taken to be.
pub fn reduce(text: &str, settings: &Settings, tester: &mut dyn Tester) -> Reduced {
    let mut run = Run {
        settings,
        tester,
        text: text.to_owned(),
        answers: BTreeMap::new(),
        counted: BTreeSet::new(),
        attempts: 0,
        stopped: false,
    };
    run.all();
    Reduced { text: run.text, attempts: run.attempts, stopped: run.stopped }
}

struct Run<'a> {
    settings: &'a Settings,
    tester: &'a mut dyn Tester,
    text: String,
    /// What is known of texts by their digests, from speculation too.
    answers: BTreeMap<u128, bool>,
    /// The digests that count as attempts.
    counted: BTreeSet<u128>,
    attempts: usize,
    stopped: bool,
}

impl Run<'_> {
    fn all(&mut self) {
        // Macros and includes hide the tree, so they go first, even if the text grows.
        if let Some(flat) = tree::preprocessed(&self.text, self.settings) {
            self.try_whole(flat);
        }
        self.try_whole(layout::without_comments(&self.text));
        loop {
            let before = self.text.clone();
            match tree::parses(&self.text, self.settings) {
                true => {
                    for pass in tree::Pass::ALL {
                        self.pass(|text, settings| tree::candidates(pass, text, settings));
                    }
                }
                false => {
                    for pass in lines::Pass::ALL {
                        self.pass(|text, _| lines::candidates(pass, text));
                    }
                }
            }
            if self.stopped || self.text == before {
                break;
            }
        }
        self.try_whole(layout::tidy(&self.text));
    }

    /// Replaces the text by another one, whatever its size.
    fn try_whole(&mut self, text: String) {
        if !self.stopped && text != self.text && self.ask(std::slice::from_ref(&text)) == Some(0) {
            self.take(text);
        }
    }

    fn take(&mut self, text: String) {
        self.text = text;
        self.tester.found(&self.text, self.attempts);
    }

    /// Tries the candidates of a pass in order; after a success the candidates of the new text from the same position
    /// on.
    fn pass(&mut self, candidates: impl Fn(&str, &Settings) -> Vec<Edit>) {
        let mut position = 0;
        while !self.stopped {
            let edits = candidates(&self.text, self.settings);
            let now = size(&self.text);
            let mut left = edits.iter().skip(position);
            let mut found = None;
            while found.is_none() && !self.stopped {
                // A window of candidates, with their positions after it.
                let (mut texts, mut ends) = (Vec::new(), Vec::new());
                let mut looked = 0;
                for edit in left.by_ref() {
                    looked += 1;
                    let text = edit.applied(&self.text);
                    if size(&text) < now {
                        texts.push(text);
                        ends.push(position + looked - 1);
                        if texts.len() == self.tester.at_a_time().max(1) {
                            break;
                        }
                    }
                }
                if texts.is_empty() {
                    return;
                }
                match self.ask(&texts) {
                    Some(first) => found = Some((texts.swap_remove(first), ends[first])),
                    None => position += looked,
                }
            }
            let Some((text, at)) = found else { return };
            position = at;
            self.take(text);
        }
    }

    /// The first interesting text, as if they were tested one after the other.
    fn ask(&mut self, texts: &[String]) -> Option<usize> {
        let digests: Vec<u128> = texts.iter().map(|it| diag::digest(it.as_bytes())).collect();
        let mut unknown: Vec<usize> = Vec::new();
        for (index, digest) in digests.iter().enumerate() {
            let is_new = !unknown.iter().any(|it| digests[*it] == *digest);
            if is_new && !self.answers.contains_key(digest) {
                unknown.push(index);
            }
        }
        // Nothing is tested beyond the bound, not even ahead.
        let room = self.settings.attempts.map(|most| most.saturating_sub(self.attempts));
        unknown.truncate(room.unwrap_or(usize::MAX));
        if !unknown.is_empty() {
            let wanted: Vec<String> = unknown.iter().map(|it| texts[*it].clone()).collect();
            let Some(answers) = self.tester.test(&wanted) else {
                self.stopped = true;
                return None;
            };
            for (index, answer) in unknown.iter().zip(answers) {
                self.answers.insert(digests[*index], answer);
            }
        }
        for (index, digest) in digests.iter().enumerate() {
            if !self.counted.contains(digest) {
                if self.settings.attempts.is_some_and(|most| self.attempts >= most) {
                    self.stopped = true;
                    return None;
                }
                self.counted.insert(*digest);
                self.attempts += 1;
            }
            if self.answers.get(digest) == Some(&true) {
                return Some(index);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
