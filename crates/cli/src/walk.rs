//! The files below a folder, in a fixed order.

use std::path::{Path, PathBuf};

use crate::problem::Problem;

/// The files of an operand, sorted: itself, or all files below it, without `.` in their paths, so that a file has one
/// name. The flag says whether it is the operand itself, which the user has named.
pub(crate) fn below(path: &Path) -> Result<Vec<(PathBuf, bool)>, Problem> {
    let mut files = Vec::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(found) = open.pop() {
        let is_operand = found == path;
        // A link may lead to a folder above: only the operand itself is followed.
        let is_link = found.is_symlink() && !is_operand;
        if found.is_dir() {
            if is_link {
                continue;
            }
            let entries = std::fs::read_dir(&found).map_err(|error| unreadable(&found, &error))?;
            for entry in entries {
                open.push(entry.map_err(|error| unreadable(&found, &error))?.path());
            }
        } else if is_operand || found.is_file() {
            files.push((crate::files::tidy(&found), is_operand));
        }
    }
    files.sort();
    Ok(files)
}

/// The error for a path that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::input(format!("`{}` cannot be read: {error}", path.display()))
}
