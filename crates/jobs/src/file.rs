//! A test file that has been read once: its tests, and what they share.
//!
//! A process that runs the tests of a file one after the other keeps this, so that the cost of a test does not
//! depend on how many others the file contains.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use wavelane::{Bug, Entries, Includer, Options};

use crate::lit::Features;
use crate::parts;
use crate::script::{Command, step};
use crate::section::{self, Section};
use crate::test::{NotATest, Test, script, tests_with};
use crate::unit::{self, Kind};

/// A file of tests.
pub struct TestFile {
    name: String,
    text: String,
    tests: Result<Vec<Test>, NotATest>,
    /// The index of a case, or of the whole file, among the tests.
    places: HashMap<Option<String>, usize>,
    has_sections: bool,
    sections: Result<Vec<Section>, String>,
    /// The index of a section among them.
    section_places: HashMap<String, usize>,
    /// The text of a unit test file as compiled.
    compiled: Option<String>,
    line_starts: OnceCell<Vec<usize>>,
    parts: OnceCell<Rc<BTreeMap<String, Arc<str>>>>,
    /// The folder with the prelude, relative to the folder of the file.
    pub(crate) prelude: OnceCell<Option<String>>,
    /// The result of the front end for the file's cases, and its options.
    shared: RefCell<Option<Rc<Shared>>>,
    front_ends: Cell<usize>,
}

/// The result of one run of the front end for all cases of a file.
pub(crate) struct Shared {
    options: Options,
    includes: Vec<String>,
    /// `None` if each case must be compiled separately.
    pub(crate) entries: Option<Entries>,
    /// The included files, by the words in the source.
    pub(crate) included: BTreeMap<String, String>,
}

/// An includer that records the files it finds.
pub(crate) trait Remembering: Includer {
    fn found(&mut self) -> BTreeMap<String, String>;
}

impl TestFile {
    /// Reads a text; the file extension determines what it may contain.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> TestFile {
        let (name, text) = (name.into(), text.into());
        let is_hlsl = name.ends_with(".hlsl");
        let has_sections = is_hlsl && Section::are_in(&text);
        let sections = match is_hlsl {
            true => section::read(&name, &text),
            false => Err(String::new()),
        };
        let (cases, compiled) = match is_hlsl && !has_sections {
            true => unit::cases(&text),
            false => (Vec::new(), String::new()),
        };
        let compiled = (!cases.is_empty()).then_some(compiled);
        let tests = tests_with(&name, &text, has_sections.then_some(&sections), cases);
        // The first of several with the same name counts.
        let mut places = HashMap::new();
        for (index, test) in tests.iter().flatten().enumerate() {
            places.entry(test.case.as_ref().map(|it| it.name.clone())).or_insert(index);
        }
        let mut section_places = HashMap::new();
        for (index, section) in sections.iter().flatten().enumerate() {
            section_places.entry(section.name.clone()).or_insert(index);
        }
        TestFile {
            name,
            text,
            tests,
            places,
            has_sections,
            sections,
            section_places,
            compiled,
            line_starts: OnceCell::new(),
            parts: OnceCell::new(),
            prelude: OnceCell::new(),
            shared: RefCell::new(None),
            front_ends: Cell::new(0),
        }
    }

    /// The path by which the file was named.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// All its tests, in order.
    pub fn tests(&self) -> Result<&[Test], NotATest> {
        self.tests.as_deref().map_err(|it| *it)
    }

    /// The test for that case, or the test for the whole file.
    pub fn test(&self, case: Option<&str>) -> Option<&Test> {
        let index = *self.places.get(&case.map(str::to_owned))?;
        self.tests.as_ref().ok()?.get(index)
    }

    /// Whether it specifies how its shaders are compiled, so that flags from outside are ignored.
    pub fn says_flags(&self) -> bool {
        if self.has_sections || self.compiled.is_some() {
            return self.has_sections;
        }
        let Ok(script) = script(&self.text) else { return false };
        let steps = script.directives.run.iter().map(|it| step(it, &Features::new()));
        steps
            .flatten()
            .any(|it| matches!(&it.command, Command::Compile { flags, .. } if !flags.is_empty()))
    }

    /// How often the front end has read and checked a text for the tests of this file, so that a test can bound it.
    pub fn front_ends(&self) -> usize {
        self.front_ends.get()
    }

    pub(crate) fn count_front_end(&self) {
        self.front_ends.set(self.front_ends.get() + 1);
    }

    pub(crate) fn has_sections(&self) -> bool {
        self.has_sections
    }

    /// The section of that name, or the first unnamed one.
    pub(crate) fn section(&self, name: &str) -> Result<&Section, String> {
        let sections = self.sections.as_ref().map_err(Clone::clone)?;
        let found = self.section_places.get(name).and_then(|it| sections.get(*it));
        found.ok_or_else(|| format!("there is no section `{name}`"))
    }

    /// The text of its unit tests as compiled.
    pub(crate) fn unit_text(&self) -> &str {
        self.compiled.as_deref().unwrap_or(&self.text)
    }

    /// A line, counted from 1; empty after the last one.
    pub(crate) fn line(&self, number: u32) -> &str {
        let starts = self.line_starts.get_or_init(|| {
            let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        });
        let index = (number as usize).saturating_sub(1);
        let Some(start) = starts.get(index) else { return "" };
        let end = starts.get(index + 1).map_or(self.text.len(), |it| *it);
        self.text[*start..end].trim_end_matches(['\n', '\r'])
    }

    /// The parts of the file, by name.
    pub(crate) fn parts(&self) -> Rc<BTreeMap<String, Arc<str>>> {
        let parts = self.parts.get_or_init(|| {
            let parts = parts::split(&self.text).unwrap_or_default();
            Rc::new(parts.into_iter().map(|it| (it.name, self.text[it.at].into())).collect())
        });
        parts.clone()
    }

    /// The front end's result for all its cases but pixel shaders: computed once, as long as the options stay the same.
    pub(crate) fn shared(
        &self,
        options: &Options,
        includes: &[String],
        includer: &mut dyn Remembering,
    ) -> Result<Rc<Shared>, Bug> {
        // All cases are entry points, whichever of them is requested.
        let options = Options { entry: String::new(), ..options.clone() };
        let known = self.shared.borrow().clone();
        if let Some(known) = known.filter(|it| it.options == options && it.includes == includes) {
            return Ok(known);
        }
        let cases = self.tests.iter().flatten().filter_map(|it| it.case.as_ref());
        let cases = cases.filter(|it| !matches!(it.kind, Kind::Pixels(_)));
        let cases: Vec<String> = cases.map(|it| it.name.clone()).collect();
        self.count_front_end();
        let entries = Entries::read(&self.name, self.unit_text(), &options, includer, &cases)?;
        let (includes, included) = (includes.to_vec(), includer.found());
        let shared = Rc::new(Shared { options, includes, entries, included });
        *self.shared.borrow_mut() = Some(shared.clone());
        Ok(shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_text() {
        let file = TestFile::new("a.test", "first\r\n  second\n\nlast");
        let lines: Vec<&str> = (0..6).map(|it| file.line(it)).collect();
        assert_eq!(lines, ["first", "first", "  second", "", "last", ""]);
    }

    #[test]
    fn tests_are_found_by_case_name() {
        let file = TestFile::new("a.hlsl", "TEST_CASE(b) {}\nTEST_CASE(c) {}\nTEST_CASE(b) {}\n");
        let line = |case| file.test(case).and_then(|it| it.case.as_ref()).map(|it| it.line);
        assert_eq!((line(Some("b")), line(Some("c")), line(Some("d"))), (Some(1), Some(2), None));
        assert!(file.test(None).is_none());
        assert!(TestFile::new("a.test", "").test(None).is_some());
    }
}
