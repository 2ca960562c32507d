//! Patterns of paths: `*` and `?` within a name, `**` for any number of folders.
//!
//! A pattern is matched part by part while the folders are walked, so that folders it cannot match are not read.
//! Symbolic links to folders are not followed, since they may lead back. Deliberately absent: classes and alternatives.

use std::path::Path;

use crate::problem::Problem;

/// What is wrong with a pattern.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    if pattern.is_empty() {
        return Err("the pattern is empty".to_owned());
    }
    if let Some(other) = pattern.chars().find(|it| "[]{}".contains(*it)) {
        let what = format!("`{other}` has no meaning in a pattern");
        return Err(format!("{what}; `*`, `?` and `**` have one"));
    }
    Ok(())
}

/// The files below a folder that a pattern matches, as paths that start with the folder.
pub(super) fn find(base: &Path, pattern: &str) -> Result<Vec<String>, Problem> {
    let pattern = pattern.replace('\\', "/");
    let parts: Vec<&str> = pattern.split('/').filter(|it| !it.is_empty() && *it != ".").collect();
    let base = if pattern.starts_with('/') { Path::new("/") } else { base };
    let mut found = Vec::new();
    walk(base, &parts, &mut found)?;
    Ok(found)
}

fn walk(folder: &Path, parts: &[&str], found: &mut Vec<String>) -> Result<(), Problem> {
    let Some((first, rest)) = parts.split_first() else { return Ok(()) };
    if !first.contains(['*', '?']) {
        let path = folder.join(first);
        if rest.is_empty() && path.is_file() {
            found.push(path.to_string_lossy().replace('\\', "/"));
        } else if path.is_dir() {
            walk(&path, rest, found)?;
        }
        return Ok(());
    }
    if *first == "**" {
        walk(folder, rest, found)?;
    }
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let cannot = |error| Problem::input(format!("`{}` cannot be read: {error}", here.display()));
    for entry in std::fs::read_dir(here).map_err(cannot)? {
        let Ok(name) = entry.map_err(cannot)?.file_name().into_string() else { continue };
        let path = folder.join(&name);
        let is_folder = path.is_dir() && !path.is_symlink();
        if *first == "**" {
            // Hidden files are skipped.
            if is_folder && !name.starts_with('.') {
                walk(&path, parts, found)?;
            } else if rest.is_empty() && path.is_file() {
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        } else if matches(first.as_bytes(), name.as_bytes()) {
            if rest.is_empty() && path.is_file() {
                found.push(path.to_string_lossy().replace('\\', "/"));
            } else if is_folder {
                walk(&path, rest, found)?;
            }
        }
    }
    Ok(())
}

/// Whether a name matches a part of a pattern, in time proportional to the product of their lengths.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut next) = (0, 0);
    // Where to go on after a mismatch: the last `*` takes one byte more.
    let mut retry: Option<(usize, usize)> = None;
    while next < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at, next));
                at += 1;
            }
            Some(it) if *it == b'?' || *it == name[next] => {
                at += 1;
                next += 1;
            }
            _ => match retry {
                Some((star, taken)) => {
                    retry = Some((star, taken + 1));
                    at = star + 1;
                    next = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|it| *it == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_patterns() {
        for (pattern, name, expected) in [
            ("*.hlsl", "a.hlsl", true),
            ("*.hlsl", "a.hlsli", false),
            ("a?c*", "abcde", true),
            ("a?c", "ac", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "ababa", false),
            ("*", "", true),
            ("a", "b", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
        let many = "*a".repeat(200);
        assert!(!matches(many.as_bytes(), "a".repeat(150).as_bytes()));
    }

    #[test]
    fn files_are_found_in_folders_of_any_depth() {
        let base = Path::new(env!("CARGO_MANIFEST_DIR"));
        let names = |pattern: &str| {
            let mut found = find(base, pattern).map_err(|it| it.message).unwrap();
            found.sort();
            let short = |it: &String| it.strip_prefix(base.to_str().unwrap()).unwrap().to_owned();
            found.iter().map(short).collect::<Vec<_>>()
        };
        assert_eq!(names("src/project/*.rs"), ["/src/project/glob.rs", "/src/project/keys.rs"]);
        assert_eq!(names("src/**/glob.rs"), ["/src/project/glob.rs"]);
        assert_eq!(names("./src/project.rs"), ["/src/project.rs"]);
        assert_eq!(names("**/keys.r?"), ["/src/project/keys.rs"]);
        assert!(names("src/*.nothing").is_empty() && names("nowhere/**").is_empty());
    }
}
