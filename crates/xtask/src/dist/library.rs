//! The C library: the header, the shared library and a file for `pkg-config`.

use std::fs;
use std::path::{Path, PathBuf};

use super::archive::{self, Member};
use super::{DESCRIPTION, Trouble, build, licences, read, version};

const TARGET: &str = "x86_64-unknown-linux-gnu";

pub(super) fn write(out: &Path) -> Result<PathBuf, Trouble> {
    let file = build::cargo(TARGET, &["-p", "wavelane-capi", "--lib"])?.join("libwavelane_c.so");
    let library = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(super::write(out, &format!("{}.tar.gz", folder()), &package(library)?)?)
}

/// The name of the archive and of the folder in it.
fn folder() -> String {
    format!("wavelane-c-{}-{TARGET}", version())
}

/// The archive with a library.
pub(super) fn package(library: Vec<u8>) -> Result<Vec<u8>, String> {
    let folder = folder();
    // The prefix is that of the file itself, so that the folder may be anywhere.
    let pc = format!(
        "prefix=${{pcfiledir}}/../..\nName: wavelane\nDescription: {DESCRIPTION}\n\
         Version: {}\nCflags: -I${{prefix}}/include\nLibs: -L${{prefix}}/lib -lwavelane_c\n",
        version()
    );
    let mut members = vec![
        Member::file(
            format!("{folder}/include/wavelane.h"),
            read("crates/capi/include/wavelane.h")?,
        ),
        Member::program(format!("{folder}/lib/libwavelane_c.so"), library),
        Member::file(format!("{folder}/lib/pkgconfig/wavelane.pc"), pc.into_bytes()),
        Member::file(format!("{folder}/c.md"), read("docs/c.md")?),
    ];
    members.extend(licences(&folder)?);
    archive::tar_gz(members)
}
