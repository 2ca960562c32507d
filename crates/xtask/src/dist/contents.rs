//! What a package holds, unpacked from the bytes that users get, and the check that none of it names a path of this
//! machine.
//!
//! It reads the formats that `dist` writes, and of ZIP what maturin writes: no encryption, and no archives above 4 GiB.

use std::io::Read;

use flate2::read::{DeflateDecoder, GzDecoder};

use crate::folders;

/// The name and the contents of a file of a package.
type File = (String, Vec<u8>);

/// Fails if a file of a package names a path of the machine that built it.
pub(super) fn check(name: &str, package: &[u8]) -> Result<(), String> {
    for (file, contents) in files(name, package)? {
        if let Some(path) = folders::path_in(&contents) {
            return Err(format!(
                "`{file}` in `{name}` names `{path}`, which is on this machine\n  \
                 = help: `--remap-path-prefix` renames paths that the compiler writes"
            ));
        }
    }
    Ok(())
}

/// The files in a package, which its name tells how to unpack; any other file is itself what it holds.
fn files(name: &str, package: &[u8]) -> Result<Vec<File>, String> {
    let damaged = |why: String| format!("`{name}` cannot be unpacked: {why}");
    let ends = |end: &str| name.ends_with(end);
    if ends(".tar.gz") || ends(".tgz") {
        tar_gz(package).map_err(|error| damaged(error.to_string()))
    } else if ends(".deb") {
        let members =
            ar(package).ok_or_else(|| damaged("the format of `ar` is wrong".to_owned()))?;
        let files = members.into_iter().map(|(name, contents)| files(&name, contents));
        Ok(files.collect::<Result<Vec<_>, _>>()?.concat())
    } else if ends(".whl") {
        zip(package).ok_or_else(|| damaged("the format of ZIP is wrong".to_owned()))
    } else {
        Ok(vec![(name.to_owned(), package.to_owned())])
    }
}

fn tar_gz(package: &[u8]) -> std::io::Result<Vec<File>> {
    let mut archive = tar::Archive::new(GzDecoder::new(package));
    let mut files = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.display().to_string();
        let mut contents = Vec::new();
        entry.read_to_end(&mut contents)?;
        files.push((name, contents));
    }
    Ok(files)
}

// Spec: deb(5), "Format".
fn ar(package: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let mut rest = package.strip_prefix(b"!<arch>\n")?;
    let mut members = Vec::new();
    while !rest.is_empty() {
        let (header, after) = rest.split_at_checked(60)?;
        let field =
            |from: usize, to: usize| std::str::from_utf8(&header[from..to]).ok().map(str::trim_end);
        let size = field(48, 58)?.parse().ok()?;
        let (contents, after) = after.split_at_checked(size)?;
        members.push((field(0, 16)?.to_owned(), contents));
        // Members begin at even places.
        rest = after.get(size % 2..).unwrap_or_default();
    }
    Some(members)
}

// Spec: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
fn zip(package: &[u8]) -> Option<Vec<File>> {
    let bytes = |at: usize, count: usize| package.get(at..at.checked_add(count)?);
    let short = |at| Some(usize::from(u16::from_le_bytes(bytes(at, 2)?.try_into().ok()?)));
    let long = |at| usize::try_from(u32::from_le_bytes(bytes(at, 4)?.try_into().ok()?)).ok();
    let end = package.windows(4).rposition(|it| it == b"PK\x05\x06")?;
    let mut at = long(end + 16)?;
    let mut files = Vec::new();
    for _ in 0..short(end + 10)? {
        if bytes(at, 4)? != b"PK\x01\x02" {
            return None;
        }
        let name = String::from_utf8_lossy(bytes(at + 46, short(at + 28)?)?).into_owned();
        let local = long(at + 42)?;
        let start = local + 30 + short(local + 26)? + short(local + 28)?;
        let packed = bytes(start, long(at + 20)?)?;
        let contents = match short(at + 10)? {
            0 => packed.to_owned(),
            8 => {
                let mut contents = Vec::new();
                DeflateDecoder::new(packed).read_to_end(&mut contents).ok()?;
                contents
            }
            _ => return None,
        };
        files.push((name, contents));
        at += 46 + short(at + 28)? + short(at + 30)? + short(at + 32)?;
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::super::archive::{Member, tar_gz};
    use super::super::debian;
    use super::*;

    /// A program that names a source file of this machine, and one that does not.
    fn programs() -> [Vec<u8>; 2] {
        let path = crate::root().canonicalize().unwrap().join("crates/ops/src/lib.rs");
        [path.display().to_string(), "./crates/ops/src/lib.rs".to_owned()]
            .map(|it| format!("\0panicked at{it}\0").repeat(100).into_bytes())
    }

    #[test]
    fn packages_that_name_a_path_of_this_machine_are_refused() {
        let archive = |it| tar_gz(vec![Member::program("folder/wavelane".to_owned(), it)]).unwrap();
        let debian = |it| debian::package("amd64", None, it, Vec::new()).unwrap();
        for (name, file, package) in [
            ("a.tar.gz", "folder/wavelane", archive as fn(Vec<u8>) -> Vec<u8>),
            ("a.tgz", "folder/wavelane", archive),
            ("a.deb", "usr/bin/wavelane", debian),
            ("a.json", "a.json", |it| it),
        ] {
            let [bad, good] = programs().map(package);
            let error = check(name, &bad).unwrap_err();
            assert!(error.starts_with(&format!("`{file}` in `{name}` names `/")), "{error}");
            assert!(error.contains("crates/ops/src/lib.rs`, which is on this machine"), "{error}");
            assert_eq!(check(name, &good), Ok(()));
        }
        for name in ["a.tar.gz", "a.deb", "a.whl"] {
            let error = check(name, b"damaged").unwrap_err();
            assert!(error.starts_with(&format!("`{name}` cannot be unpacked: ")), "{error}");
        }
    }

    #[test]
    fn wheels_are_unpacked_too() {
        let folder = std::env::temp_dir().join(format!("{}-zip", std::process::id()));
        for (program, is_bad) in programs().into_iter().zip([true, false]) {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("empty.py"), "").unwrap();
            fs::write(folder.join("module.so"), program).unwrap();
            let mut command = Command::new("python3");
            command.args(["-m", "zipfile", "-c", "a.whl", "empty.py", "module.so"]);
            if !command.current_dir(&folder).status().is_ok_and(|it| it.success()) {
                fs::remove_dir_all(&folder).unwrap();
                return skipped::skipped!("there is no `python3`");
            }
            let wheel = fs::read(folder.join("a.whl")).unwrap();
            fs::remove_dir_all(&folder).unwrap();
            let names: Vec<String> =
                files("a.whl", &wheel).unwrap().into_iter().map(|it| it.0).collect();
            assert_eq!(names, ["empty.py", "module.so"]);
            assert_eq!(check("a.whl", &wheel).is_err(), is_bad);
        }
    }

    /// Nothing in a damaged archive makes the reader panic.
    #[test]
    fn damaged_archives_are_refused() {
        let whole = debian::package("amd64", None, vec![1; 100], Vec::new()).unwrap();
        for end in 0..whole.len() {
            let _ = files("a.deb", &whole[..end]);
            let _ =
                files("a.whl", &[&whole[..end], b"PK\x05\x06".as_slice(), &whole[..end]].concat());
        }
    }
}
