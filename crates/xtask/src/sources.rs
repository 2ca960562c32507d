//! The files of a folder.

use std::path::{Path, PathBuf};

/// The files of a folder and the folders in it whose names end like that, sorted. What cannot be read is left out.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|it| it == ending) => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}
