//! The tests in a file.

use crate::features::Api;
use crate::file::TestFile;
use crate::parts::Part;
use crate::section::Section;
use crate::unit::{Case, Kind};
use crate::{Error, job, lit, parts};

/// One test of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The path by which the file was named.
    pub file: String,
    /// A case within the file, where it holds several.
    pub case: Option<Case>,
}

impl Test {
    /// `file` or `file::case`.
    pub fn name(&self) -> String {
        match &self.case {
            Some(case) => format!("{}::{}", self.file, case.name),
            None => self.file.clone(),
        }
    }
}

/// Why a file contains no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATest;

/// The tests of a file, determined by its extension and its text.
pub fn tests(file: &str, text: &str) -> Result<Vec<Test>, NotATest> {
    TestFile::new(file, text).tests().map(<[Test]>::to_vec)
}

/// The tests of a file whose sections or cases have been read already.
pub(crate) fn tests_with(
    file: &str,
    text: &str,
    sections: Option<&Result<Vec<Section>, String>>,
    cases: Vec<Case>,
) -> Result<Vec<Test>, NotATest> {
    let whole = || Test { file: file.to_owned(), case: None };
    let test = |case| Test { file: file.to_owned(), case: Some(case) };
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    match (ending, sections) {
        ("test", _) => Ok(vec![whole()]),
        ("yaml" | "yml", _) if is_job(text) => Ok(vec![whole()]),
        ("hlsl", Some(Ok(sections))) => {
            let case =
                |it: &Section| Case { name: it.name.clone(), line: it.line, kind: Kind::Open };
            Ok(sections.iter().map(|it| test(case(it))).collect())
        }
        // Errors in the file are reported when it runs.
        ("hlsl", Some(Err(_))) => Ok(vec![whole()]),
        ("hlsl", None) if !cases.is_empty() => Ok(cases.into_iter().map(test).collect()),
        _ => Err(NotATest),
    }
}

/// Other YAML is found beside shaders too; a job starts with keys that all jobs have.
fn is_job(text: &str) -> bool {
    ["Shaders:", "DescriptorSets:"].iter().all(|key| text.lines().any(|it| it.starts_with(key)))
}

/// A parsed file of parts with `RUN:` lines.
pub(crate) struct Script {
    pub(crate) directives: lit::Directives,
    pub(crate) parts: Vec<Part>,
}

pub(crate) fn script(text: &str) -> Result<Script, Error> {
    Ok(Script { directives: lit::directives(text)?, parts: parts::split(text)? })
}

/// Reads a job at `offset` of its file.
pub(crate) fn read_job(text: &str, offset: usize, api: Api) -> Result<job::Job, Vec<Error>> {
    job::read_for(text, api).map_err(|mut errors| {
        for error in &mut errors {
            error.at = error.at.start + offset..error.at.end + offset;
        }
        errors
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_classified_by_extension_and_text() {
        let names =
            |file, text| tests(file, text).map(|it| it.iter().map(Test::name).collect::<Vec<_>>());
        assert_eq!(names("a.test", ""), Ok(vec!["a.test".to_owned()]));
        assert_eq!(names("a.yaml", "x: 1\n"), Err(NotATest));
        assert_eq!(names("a.yaml", "Shaders:\nDescriptorSets:\n").map(|it| it.len()), Ok(1));
        assert_eq!(names("a.hlsl", "void main() {}"), Err(NotATest));
        assert_eq!(names("a.hlsl", "TEST_CASE(b) {}"), Ok(vec!["a.hlsl::b".to_owned()]));
        assert_eq!(names("a.hlsl", "//--- c\nvoid main() {}"), Ok(vec!["a.hlsl::c".to_owned()]));
        assert_eq!(names("a.hlsl", "//--- c\n//# no\n"), Ok(vec!["a.hlsl".to_owned()]));
        assert_eq!(names("a.txt", "TEST_CASE(b) {}"), Err(NotATest));
    }
}
