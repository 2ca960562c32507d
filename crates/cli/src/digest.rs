//! The digest of a test: of the text of its file, and of all files that the text names.
//!
//! Tests name other files in includes, in `RUN:` lines and in the keys of jobs, each in a different syntax. None of
//! them is parsed: every word that looks like the path of an existing file counts as its name. So a word in a comment
//! can change the digest needlessly, and a name that a macro composes is missed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::files::{Roots, read_bytes_named, tidy};

/// Further files of a test are not followed.
const MOST_FILES: usize = 4096;
/// Longer words are not looked up as paths.
const MOST_PATH: usize = 256;

/// The digest of a test's file as it is now. A file that cannot be read has one as well: running it says why.
pub(crate) fn of_test(file: &str) -> String {
    let mut found: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut open = vec![tidy(Path::new(file))];
    // Where names are looked up: beside the test, and in the folders of `-I`.
    let of_test = folder(Path::new(file));
    let mut folders = vec![of_test.clone()];
    while let Some(path) = open.pop() {
        if found.len() >= MOST_FILES || found.contains_key(&path) {
            continue;
        }
        let bytes = read_bytes_named(&path, &Roots::default()).unwrap_or_default();
        if let Ok(text) = std::str::from_utf8(&bytes) {
            folders.extend(included_folders(text).map(|it| of_test.join(it)));
            let beside = folder(&path);
            for word in words(text) {
                let all = folders.iter().chain([&beside]).map(|it| tidy(&it.join(word)));
                open.extend(all.filter(|it| !found.contains_key(it) && it.is_file()));
            }
        }
        found.insert(path, campaign::digest(&bytes));
    }
    // In the order of the paths, which is the same in every folder that the tests are copied to.
    let all: String = found.into_values().collect();
    let digest = campaign::digest(all.as_bytes());
    digest[digest.len() - campaign::TEXT_DIGITS..].to_owned()
}

fn folder(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).to_path_buf()
}

/// The words of a text that may be paths, and its quoted texts.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |it: char| it.is_whitespace() || "\"'<>()[]{},;=@".contains(it);
    let quoted = text.lines().flat_map(|it| it.split('"').skip(1).step_by(2));
    // In `RUN:` lines `%S` is the folder of the test.
    let word = text.split(is_end).chain(quoted).map(|it| it.trim_start_matches("%S/"));
    word.filter(|it| it.contains(['.', '/']) && it.len() <= MOST_PATH && !it.contains('\0'))
}

/// The folders of `-I` on the command lines in a text.
fn included_folders(text: &str) -> impl Iterator<Item = &str> {
    let mut words = text.split_whitespace();
    std::iter::from_fn(move || {
        let joined = words.find_map(|it| it.strip_prefix("-I"))?;
        let folder = if joined.is_empty() { words.next()? } else { joined };
        Some(folder.trim_start_matches("%S/"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external::Scratch;

    #[test]
    fn every_file_that_a_test_names_decides_its_digest() {
        let Scratch(folder) = &Scratch::new().unwrap();
        std::fs::create_dir_all(folder.join("inc")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(
            "a.test",
            "# RUN: %dxc_target -I %S/inc -Fo x %S/b.hlsl\n#include <c.hlsli>\nFile: d.npy\n",
        );
        write("b.hlsl", "#include \"e with space.hlsli\"\n");
        let others = ["inc/c.hlsli", "d.npy", "e with space.hlsli", "not-named.hlsl"];
        for name in others {
            write(name, "1\n");
        }
        let digest = || of_test(&folder.join("a.test").to_string_lossy());
        let mut before = digest();
        assert_eq!(before.len(), campaign::TEXT_DIGITS);
        assert_eq!(before, digest());
        for name in others {
            write(name, "2\n");
            let after = digest();
            assert_eq!(after != before, name != "not-named.hlsl", "{name}");
            before = after;
        }
        assert_eq!(of_test("there/is/none.test"), of_test("nor/here.test"));
    }
}
