//! Reading source files, and finding included ones.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wavelane::{Includer, NotFound};

use crate::problem::Problem;

/// The name of `-` in messages.
pub(crate) const STDIN: &str = "<stdin>";

/// The most bytes of a source text, and of what others name.
const MOST_BYTES: u64 = 64 << 20;

/// The name for messages and the text of a file that was named on the command line; `-` is standard input.
pub(crate) fn read_source(file: &str) -> Result<(String, String), Problem> {
    let (name, bytes) = match file {
        "-" => (STDIN, source_bytes(std::io::stdin().lock())),
        _ => (file, std::fs::File::open(file).and_then(source_bytes)),
    };
    let bytes =
        bytes.map_err(|error| Problem::input(format!("`{name}` cannot be read: {error}")))?;
    Ok((name.to_owned(), decode(bytes)))
}

/// The same for a file that only we write, of any size.
pub(crate) fn read_report(file: &str) -> Result<(String, String), Problem> {
    let mut bytes = Vec::new();
    let (name, read) = match file {
        "-" => (STDIN, std::io::stdin().lock().read_to_end(&mut bytes)),
        _ => (file, std::fs::File::open(file).and_then(|mut it| it.read_to_end(&mut bytes))),
    };
    read.map_err(|error| Problem::input(format!("`{name}` cannot be read: {error}")))?;
    Ok((name.to_owned(), decode(bytes)))
}

/// The text of a file of any name.
pub(crate) fn read_path(file: &Path) -> std::io::Result<String> {
    std::fs::File::open(file).and_then(source_bytes).map(decode)
}

/// The bytes of a file that was named on the command line.
pub(crate) fn read_bytes(file: &str) -> std::io::Result<Vec<u8>> {
    std::fs::File::open(file).and_then(source_bytes)
}

fn source_bytes(source: impl Read) -> std::io::Result<Vec<u8>> {
    limited(source, MOST_BYTES)
}

/// Everything that can be read from there, unless it exceeds a number of bytes.
pub(crate) fn limited(source: impl Read, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let what = format!("it is larger than {} MiB", most >> 20);
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

/// Replaces each `@file` among the words by the words in that file, as compilers' build scripts use it.
pub(crate) fn expand(words: Vec<String>) -> Result<Vec<String>, Problem> {
    let mut expanded = Vec::new();
    for word in words {
        match word.strip_prefix('@') {
            Some(file) if !file.is_empty() => expanded.extend(split(&read_source(file)?.1)),
            _ => expanded.push(word),
        }
    }
    Ok(expanded)
}

/// The words of a response file: white space separates them, double quotes hold them together.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for character in text.chars() {
        match character {
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            it if it.is_whitespace() && !is_quoted => words.extend(word.take()),
            it => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    words
}

/// Text in UTF-8, or in UTF-16 with its mark; other encodings occur in comments and only lose those.
fn decode(bytes: Vec<u8>) -> String {
    let utf16 = |from: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|it| from([it[0], it[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => utf16(u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf16(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

/// The folders of `--include-root`. If there are any, only files below them can be included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roots(Vec<PathBuf>);

impl Roots {
    /// Adds a folder, whose path is resolved now.
    pub(crate) fn add(&mut self, folder: &str) -> Result<(), String> {
        let path = std::fs::canonicalize(folder).map_err(|error| error.to_string())?;
        if !path.is_dir() {
            return Err("it is not a folder".to_owned());
        }
        self.0.push(path);
        Ok(())
    }

    /// The path to open for a file, if it may be opened: the target of symbolic links decides.
    fn allowed(&self, file: &Path) -> Option<PathBuf> {
        if self.0.is_empty() {
            return Some(file.to_path_buf());
        }
        let file = std::fs::canonicalize(file).ok()?;
        self.0.iter().any(|root| file.starts_with(root)).then_some(file)
    }
}

/// The text of a file that another file names: a regular one below the roots.
pub(crate) fn read_named(file: &Path, roots: &Roots) -> Option<String> {
    regular(&roots.allowed(file)?).ok().map(decode)
}

/// The same for a binary file.
pub(crate) fn read_bytes_named(file: &Path, roots: &Roots) -> Option<Vec<u8>> {
    regular(&roots.allowed(file)?).ok()
}

/// The bytes of a regular file. A device or a pipe may never end, and reading it may have effects.
fn regular(file: &Path) -> std::io::Result<Vec<u8>> {
    let refused = || std::io::Error::other("it is not a regular file");
    if !std::fs::metadata(file)?.is_file() {
        return Err(refused());
    }
    // Time of check, time of use: the path may have changed, so the open file is checked again. Opening does not block.
    let mut file = open_at_once(file)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(refused());
    }
    // Files below `/proc` claim to be regular files of size 0, and some of them are endless. So no more bytes are read
    // than the size says, and a file of size 0 must not have any.
    if about.len() == 0 {
        return match file.read(&mut [0])? {
            0 => Ok(Vec::new()),
            _ => Err(refused()),
        };
    }
    source_bytes(file.take(about.len()))
}

/// Opens a file for reading; a pipe without a writer does not block.
#[cfg(unix)]
fn open_at_once(file: &Path) -> std::io::Result<std::fs::File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    std::fs::OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(file)
}

// Portability: on other systems opening a file does not block.
#[cfg(not(unix))]
fn open_at_once(file: &Path) -> std::io::Result<std::fs::File> {
    std::fs::File::open(file)
}

/// Looks for `"file"` beside the file that includes it, then for both kinds in the folders of `-I`, in order.
pub(crate) struct Folders {
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) roots: Roots,
    /// Take a file whose path differs in case, if none has exactly the path.
    pub(crate) ignore_case: bool,
}

impl Includer for Folders {
    fn read(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)> {
        let path = path.replace('\\', "/");
        let folders = self.searched(includer, system);
        let found =
            folders.iter().map(|it| (it, tidy(&it.join(&path)))).find_map(|(folder, exact)| {
                let file = match exact.is_file() {
                    true => exact,
                    false if self.ignore_case => tidy(&in_any_case(folder, &path)?),
                    false => return None,
                };
                let text = read_named(&file, &self.roots)?;
                Some((file.to_string_lossy().into_owned(), text.into()))
            });
        // The header of unit tests needs no file.
        found.or_else(|| (path == jobs::HEADER_NAME).then_some((path, jobs::HEADER.into())))
    }

    fn not_found(&mut self, path: &str, includer: &str, system: bool) -> NotFound {
        let folders = self.searched(includer, system);
        let shown = |it: &PathBuf| match it.as_os_str().is_empty() {
            true => "`.`".to_owned(),
            false => format!("`{}`", it.display()),
        };
        let mut said = NotFound::default();
        let mut all: Vec<String> = folders.iter().map(shown).collect();
        all.dedup();
        said.notes.push(match (all.is_empty(), system) {
            (false, _) => format!("looked in {}", all.join(", ")),
            (true, _) => "`<…>` is looked up in the folders of `-I`, and there are none".to_owned(),
        });
        let near = folders.iter().filter_map(|it| Some((it, in_any_case(it, path)?)));
        // Security: files outside the roots are not even named.
        let near = near.map(|(_, file)| tidy(&file)).find(|it| self.roots.allowed(it).is_some());
        if let Some(file) = near {
            said.helps.push(format!(
                "`{}` differs only in case: correct the name, or use `--ignore-case-includes`",
                file.display()
            ));
        } else if let Some(folder) = self.folders.iter().find(|it| !it.is_dir()) {
            said.helps.push(format!("the folder `{}` of `-I` does not exist", folder.display()));
        }
        said
    }
}

impl Folders {
    /// The folders that an `#include` of a file is looked up in, in order.
    fn searched(&self, includer: &str, system: bool) -> Vec<PathBuf> {
        let beside = match includer {
            STDIN => Path::new("").to_path_buf(),
            _ => Path::new(includer).parent().unwrap_or(Path::new("")).to_path_buf(),
        };
        (!system).then_some(beside).into_iter().chain(self.folders.iter().cloned()).collect()
    }
}

/// The file below a folder whose path equals this one, ignoring case.
fn in_any_case(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut found = folder.to_path_buf();
    for part in path.split('/').filter(|it| !it.is_empty()) {
        let exact = found.join(part);
        if exact.exists() {
            found = exact;
            continue;
        }
        let here = if found.as_os_str().is_empty() { Path::new(".") } else { &found };
        let names =
            std::fs::read_dir(here).ok()?.filter_map(|it| it.ok()?.file_name().into_string().ok());
        // Among several, always the same one.
        let name = names.filter(|it| it.eq_ignore_ascii_case(part)).min()?;
        found.push(name);
    }
    found.is_file().then_some(found)
}

/// Without `.` and, where it is safe, without `..`, so that one file has one name.
pub(crate) fn tidy(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // Portability: after a symbolic link `..` leads elsewhere, so only plain folders are removed.
            Component::ParentDir
                if matches!(tidied.components().next_back(), Some(Component::Normal(_)))
                    && !tidied.is_symlink() =>
            {
                tidied.pop();
            }
            _ => tidied.push(part),
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_encoding_is_read() {
        assert_eq!(decode(b"\xef\xbb\xbfa".to_vec()), "a");
        assert_eq!(decode(b"\xff\xfea\0\xe4\0".to_vec()), "a\u{e4}");
        assert_eq!(decode(b"\xfe\xff\0a".to_vec()), "a");
        assert_eq!(decode(b"a // \xe4".to_vec()), "a // \u{fffd}");
        assert_eq!(decode(b"\xff\xfea".to_vec()), "");
    }

    #[test]
    fn response_files_are_split_into_words() {
        assert_eq!(split("-T cs_6_0\n  -D \"A=1 2\"\t\"\""), ["-T", "cs_6_0", "-D", "A=1 2", ""]);
        assert_eq!(split(" \n"), Vec::<String>::new());
    }

    #[test]
    fn the_case_of_a_path_matters_unless_a_flag_ignores_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = Folders {
            folders: vec![folder.to_path_buf()],
            roots: Roots::default(),
            ignore_case: false,
        };
        assert!(folders.read("SRC\\Files.RS", "", true).is_none());
        folders.ignore_case = true;
        let (name, _) = folders.read("SRC\\Files.RS", "", true).unwrap();
        assert_eq!(Path::new(&name), folder.join("src/files.rs"));
        assert!(folders.read("SRC/Nothing.RS", "", true).is_none());
    }

    #[test]
    fn a_file_has_one_name_however_it_is_reached() {
        assert_eq!(tidy(Path::new("a/./b/../c.hlsl")), Path::new("a/c.hlsl"));
        assert_eq!(tidy(Path::new("../c.hlsl")), Path::new("../c.hlsl"));
    }
}
