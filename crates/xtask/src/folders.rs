//! The folders of the machine that builds: flags with which a compiler renames them, and a search for them in what it
//! made.
//!
//! What is published must not tell where it was built, and must have the same bytes wherever that was. The search is
//! for the text of a path: a path that is encoded in another way is not found.

use std::path::{Path, PathBuf};

/// How much of a path is shown.
const SHOWN: usize = 120;

/// Flags of the compiler that give the folders the same names on every machine.
pub(crate) fn flags() -> Vec<String> {
    let flag =
        |(folder, name): (PathBuf, _)| format!("--remap-path-prefix={}={name}", folder.display());
    own().into_iter().map(flag).collect()
}

/// The first path of this machine that a file names.
pub(crate) fn path_in(contents: &[u8]) -> Option<String> {
    own().iter().find_map(|(folder, _)| path_below(folder, contents))
}

/// The folders, each with the name that replaces it. Of the flags for a path the compiler takes the last, so outer
/// folders come first.
#[allow(clippy::disallowed_methods, reason = "the environment says where they are, as for Cargo")]
fn own() -> Vec<(PathBuf, &'static str)> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let home = variable("HOME").or_else(|| variable("USERPROFILE"));
    let in_home = |name| Some(home.as_ref()?.join(name));
    let root = crate::root();
    let folders = [
        (home.clone(), "home"),
        (variable("RUSTUP_HOME").or_else(|| in_home(".rustup")), "rustup"),
        (Some(root.canonicalize().unwrap_or(root)), "."),
        (variable("CARGO_HOME").or_else(|| in_home(".cargo")), "cargo"),
    ];
    // Some containers have the root of the file system as home, which says nothing about the machine.
    let named = |(folder, name): (Option<PathBuf>, _)| {
        folder.filter(|it| it.file_name().is_some()).map(|it| (it, name))
    };
    folders.into_iter().filter_map(named).collect()
}

/// The first path in a file that is this folder or in it. What precedes it does not matter: compilers put texts
/// together without anything between them.
fn path_below(folder: &Path, contents: &[u8]) -> Option<String> {
    let folder = folder.to_str()?.as_bytes();
    let continues_name = |it: &u8| it.is_ascii_alphanumeric() || b"-_.".contains(it);
    let is_path = |at: &usize| {
        contents[*at..].starts_with(folder)
            && !contents.get(at + folder.len()).is_some_and(continues_name)
    };
    let first = *folder.first()?;
    let starts = contents.iter().enumerate().filter(|it| *it.1 == first).map(|it| it.0);
    let at = starts.into_iter().find(is_path)?;
    let shown = contents[at..].iter().take_while(|it| it.is_ascii_graphic()).take(SHOWN);
    Some(shown.map(|it| char::from(*it)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_in_the_middle_of_other_text() {
        let found = |text: &[u8]| path_below(Path::new("/home/me"), text);
        assert_eq!(found(b"\0index/home/me/a.rs\0"), Some("/home/me/a.rs".to_owned()));
        assert_eq!(found(b"/home/me"), Some("/home/me".to_owned()));
        assert_eq!(found(b"/home/melissa/a.rs /home/you"), None);
        assert_eq!(found(b""), None);
    }

    #[test]
    fn the_sources_are_in_a_folder_of_this_machine() {
        assert!(path_in(env!("CARGO_MANIFEST_DIR").as_bytes()).is_some());
        assert_eq!(path_in(b"/rustc/0123/library/core/src/option.rs"), None);
    }
}
