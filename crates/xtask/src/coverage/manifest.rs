//! Reads the manifest of `cargo xtask coverage`: facts about public projects, a line each.
//!
//! ```text
//! project OWNER/NAME COMMIT KIND     KIND is `program`, `library` or `tests`
//! flags -T cs_6_5 -I shaders         for the entry points that follow, up to the next `flags` or `project`
//! entry FILE NAME… -D MACRO          more flags for these alone
//! unresolved FILE NAME… : REASON     what cannot be compiled outside the project's own build
//! finding FILE LINES CODE : REASON   what the sanitizer finds with any bindings, by the place in the source
//! made-up FILE LINES CODE : REASON   what it finds only because of made-up contents
//! intended FILE LINES CODE : REASON  what it finds and the project intends, or a test shows
//! ```
//!
//! LINES are numbers with commas between them, or `*` for all lines. `#` begins a comment. Words hold no spaces.

use wavelane::Stage;

/// The kind of a project, by which the document groups it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Program,
    Library,
    Tests,
}

impl Kind {
    pub(super) const ALL: [Kind; 3] = [Kind::Program, Kind::Library, Kind::Tests];

    pub(super) fn title(self) -> &'static str {
        match self {
            Kind::Program => "Engines, renderers and samples",
            Kind::Library => "Algorithms and libraries",
            Kind::Tests => "Compilers' and drivers' own tests",
        }
    }

    fn parse(word: &str) -> Option<Kind> {
        match word {
            "program" => Some(Kind::Program),
            "library" => Some(Kind::Library),
            "tests" => Some(Kind::Tests),
            _ => None,
        }
    }
}

/// A project at a commit.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) name: String,
    pub(super) commit: String,
    pub(super) kind: Kind,
    pub(super) entries: Vec<Entry>,
    pub(super) unresolved: Vec<Unresolved>,
    pub(super) findings: Vec<Known>,
}

/// Entry points to compile, in the project's folder.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) flags: Vec<String>,
}

impl Entry {
    /// What the last profile among the flags says.
    pub(super) fn stage(&self) -> Stage {
        let profile = |it: &[String]| match it {
            [flag, profile] if flag == "-T" => {
                STAGES.iter().find(|it| profile.starts_with(it.1)).map(|it| it.0)
            }
            _ => None,
        };
        self.flags.windows(2).rev().find_map(profile).unwrap_or(Stage::Compute)
    }
}

/// The stages of entry points, in the order of reports, with the prefixes of their profiles.
pub(super) const STAGES: [(Stage, &str); 8] = [
    (Stage::Compute, "cs_"),
    (Stage::Vertex, "vs_"),
    (Stage::Hull, "hs_"),
    (Stage::Domain, "ds_"),
    (Stage::Geometry, "gs_"),
    (Stage::Amplification, "as_"),
    (Stage::Mesh, "ms_"),
    (Stage::Pixel, "ps_"),
];

/// What makes `san` run an entry point of the stage alone, if anything does.
pub(super) fn how_to_run(stage: Stage) -> Option<&'static [&'static str]> {
    match stage {
        Stage::Compute => Some(&[]),
        Stage::Pixel => Some(&["--draw", "fullscreen", "--size", "16x16"]),
        _ => None,
    }
}

/// Entry points that cannot be compiled from a checkout alone.
#[derive(Debug)]
pub(super) struct Unresolved {
    pub(super) file: String,
    pub(super) names: Vec<String>,
    pub(super) reason: String,
}

/// What a reader of the source makes of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// It does not depend on what is made up: the project's mistake.
    Mistake,
    /// It follows from contents or constants that the project would not bind.
    MadeUp,
    /// The project means it.
    Intended,
}

impl Class {
    fn parse(keyword: &str) -> Option<Class> {
        match keyword {
            "finding" => Some(Class::Mistake),
            "made-up" => Some(Class::MadeUp),
            "intended" => Some(Class::Intended),
            _ => None,
        }
    }
}

/// Findings that have been read in the source.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) class: Class,
    pub(super) file: String,
    /// Empty for all of the file.
    pub(super) lines: Vec<u64>,
    pub(super) code: String,
    pub(super) reason: String,
}

impl Known {
    pub(super) fn holds(&self, file: &str, line: u64, code: &str) -> bool {
        let is_line = self.lines.is_empty() || self.lines.contains(&line);
        is_line && self.file == file && self.code == code
    }
}

/// Parses the manifest. An error begins with its line number.
pub(super) fn read(text: &str) -> Result<Vec<Project>, String> {
    let mut projects: Vec<Project> = Vec::new();
    let mut flags: Vec<String> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: &str| format!("{}: {what}", index + 1);
        let (words, reason) = match line.split_once(" : ") {
            Some((words, reason)) => (words, reason.trim()),
            None => (line, ""),
        };
        let mut words = words.split_whitespace().map(str::to_owned);
        let Some(keyword) = words.next().filter(|it| !it.starts_with('#')) else { continue };
        let words: Vec<String> = words.collect();
        if keyword == "project" {
            let [name, commit, kind] = words.as_slice() else {
                return Err(wrong("a project has a name, a commit and a kind"));
            };
            let kind = Kind::parse(kind).ok_or_else(|| wrong("unknown kind"))?;
            let (name, commit) = (name.clone(), commit.clone());
            flags.clear();
            let (entries, unresolved, findings) = (vec![], vec![], vec![]);
            projects.push(Project { name, commit, kind, entries, unresolved, findings });
            continue;
        }
        let project =
            projects.last_mut().ok_or_else(|| wrong("expected a `project` line first"))?;
        if keyword == "flags" {
            flags = words;
            continue;
        }
        let (file, rest) = words.split_first().ok_or_else(|| wrong("expected a file"))?;
        match keyword.as_str() {
            "entry" => {
                let end = rest.iter().position(|it| it.starts_with('-')).unwrap_or(rest.len());
                let (names, more) = rest.split_at(end);
                if names.is_empty() {
                    return Err(wrong("expected an entry point"));
                }
                project.entries.extend(names.iter().map(|name| Entry {
                    file: file.clone(),
                    name: name.clone(),
                    flags: flags.iter().chain(more).cloned().collect(),
                }));
            }
            "unresolved" | "finding" | "made-up" | "intended" if reason.is_empty() => {
                return Err(wrong("expected a reason"));
            }
            "unresolved" => project.unresolved.push(Unresolved {
                file: file.clone(),
                names: rest.to_vec(),
                reason: reason.to_owned(),
            }),
            keyword => {
                let class = Class::parse(keyword).ok_or_else(|| wrong("unknown keyword"))?;
                let [numbers, code] = rest else { return Err(wrong("expected lines and a code")) };
                let lines: Result<Vec<u64>, _> = match numbers.as_str() {
                    "*" => Ok(Vec::new()),
                    numbers => numbers.split(',').map(str::parse).collect(),
                };
                project.findings.push(Known {
                    class,
                    file: file.clone(),
                    lines: lines.map_err(|_| wrong("expected lines and a code"))?,
                    code: code.clone(),
                    reason: reason.to_owned(),
                });
            }
        }
    }
    Ok(projects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_projects_with_entry_points() {
        let text = "# facts\nproject a/b 12ab library\nflags -T cs_6_0 -I .\nentry x.hlsl one two -D A=1\n\
                    unresolved y.hlsl three : needs a generated file\n\
                    finding x.hlsl 7 race : no barrier\nmade-up x.hlsl 8,9 race : random\n\
                    intended y.hlsl * race : shown\nproject c/d 34 tests\nentry z.hlsl main";
        let projects = read(text).unwrap();
        let [first, second] = projects.as_slice() else { panic!("{projects:?}") };
        assert_eq!((first.entries.len(), first.unresolved.len()), (2, 1));
        assert_eq!(first.entries[1].name, "two");
        assert_eq!(first.entries[1].flags, ["-T", "cs_6_0", "-I", ".", "-D", "A=1"]);
        assert_eq!(first.unresolved[0].reason, "needs a generated file");
        let [known, made_up, intended] = first.findings.as_slice() else { panic!("{first:?}") };
        assert_eq!((known.class, known.reason.as_str()), (Class::Mistake, "no barrier"));
        assert!(known.holds("x.hlsl", 7, "race") && !known.holds("x.hlsl", 8, "race"));
        assert!(made_up.class == Class::MadeUp && made_up.holds("x.hlsl", 9, "race"));
        assert!(intended.class == Class::Intended && intended.holds("y.hlsl", 4, "race"));
        assert!(!intended.holds("y.hlsl", 4, "out-of-bounds"));
        assert_eq!(first.entries[1].stage(), Stage::Compute);
        assert!(second.kind == Kind::Tests && second.entries[0].flags.is_empty());
    }

    #[test]
    fn a_wrong_line_is_named() {
        let cases = [
            ("entry x main", "1: expected a `project` line first"),
            ("project a", "1: a project has a name, a commit and a kind"),
            ("project a 1 tests\nentry x", "2: expected an entry point"),
            ("project a 1 tests\nunresolved x y", "2: expected a reason"),
            ("project a 1 tests\nfinding x race : y", "2: expected lines and a code"),
            ("project a 1 tests\nmade-up x 1,y race : y", "2: expected lines and a code"),
            ("project a 1 tests\nfinding x 1 race", "2: expected a reason"),
            ("project a 1 tests\nfoo x", "2: unknown keyword"),
        ];
        for (text, error) in cases {
            assert_eq!(read(text).unwrap_err(), error);
        }
    }

    #[test]
    fn the_manifest_reads() {
        let text = std::fs::read_to_string(crate::root().join(super::super::MANIFEST)).unwrap();
        let projects = read(&text).unwrap();
        assert!(projects.iter().map(|it| it.entries.len()).sum::<usize>() >= 150);
    }
}
