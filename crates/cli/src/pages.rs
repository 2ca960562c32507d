//! A folder of timeline pages: one for each finding or failure, so that an archive of a build shows what happened.

use std::path::Path;

use timeline::Recording;

use crate::problem::Problem;

/// The most bytes of a page by default.
pub(crate) const MOST_BYTES: usize = 16 << 20;
/// The most pages of one run: more would not be read.
const MOST_PAGES: usize = 50;

/// Writes pages.
pub(crate) struct Pages {
    folder: String,
    count: usize,
}

impl Pages {
    /// Makes the folder.
    pub(crate) fn new(folder: &str) -> Result<Pages, Problem> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Problem::input(format!("`{folder}` cannot be created: {error}")))?;
        Ok(Pages { folder: folder.to_owned(), count: 0 })
    }

    pub(crate) fn are_full(&self) -> bool {
        self.count >= MOST_PAGES
    }

    /// Writes a page of that name; characters that a file name cannot contain become hyphens.
    pub(crate) fn write(&mut self, name: &str, mut recording: Recording) -> Result<(), Problem> {
        let page =
            timeline::fit(&mut recording, MOST_BYTES, &|it| timeline::page::page(it).into_bytes());
        let page = page.map_err(|least| {
            Problem::input(format!("the program takes {least} bytes, too many for a page"))
        })?;
        let path = Path::new(&self.folder).join(format!("{}.html", file_name(name)));
        std::fs::write(&path, page).map_err(|error| {
            Problem::input(format!("`{}` cannot be written: {error}", path.display()))
        })?;
        self.count += 1;
        Ok(())
    }
}

fn file_name(name: &str) -> String {
    let is_kept = |it: char| it.is_alphanumeric() || matches!(it, '.' | '_' | '-');
    let kept: String = name.chars().map(|it| if is_kept(it) { it } else { '-' }).collect();
    kept.trim_start_matches(['.', '-']).replace("--", "-")
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_of_tests_become_names_of_files() {
        assert_eq!(file_name("tests/a.hlsl::scan 2"), "tests-a.hlsl-scan-2");
        assert_eq!(file_name("../a.test"), "a.test");
    }
}
