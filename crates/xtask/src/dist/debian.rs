//! The package for Debian and the distributions that follow it: an archive of three members.

use super::archive::{self, Member};
use super::version;

// Spec: deb(5).
pub(super) fn package(
    architecture: &str,
    glibc: Option<&str>,
    program: Vec<u8>,
    beside: Vec<(String, Vec<u8>)>,
) -> Result<Vec<u8>, String> {
    let size = program.len().div_ceil(1024);
    let mut depends: Vec<String> = glibc.iter().map(|it| format!("libc6 (>= {it})")).collect();
    let library = b"libgcc_s.so.1";
    if program.windows(library.len()).any(|it| it == library) {
        depends.push("libgcc-s1".to_owned());
    }
    let depends = match depends.is_empty() {
        true => String::new(),
        false => format!("Depends: {}\n", depends.join(", ")),
    };
    let control = format!(
        "Package: wavelane\nVersion: {}\nArchitecture: {architecture}\nMaintainer: the wavelane authors <wavelane@localhost>\n\
         Installed-Size: {size}\n{depends}Recommends: libvulkan1\nSection: devel\nPriority: optional\n\
         Description: runs HLSL wave shaders anywhere, exactly, at any wave width\n \
         Compiles HLSL that uses wave intrinsics, and runs it without a GPU at any wave\n \
         width from 4 to 128 lanes; finds what is undefined or depends on the width.\n",
        version()
    );
    let mut data = vec![Member::program("usr/bin/wavelane".to_owned(), program)];
    let documents = beside.into_iter();
    data.extend(
        documents.map(|(name, it)| Member::file(format!("usr/share/doc/wavelane/{name}"), it)),
    );
    let control = archive::tar_gz(vec![Member::file("control".to_owned(), control.into_bytes())])?;
    Ok(archive::ar(&[
        ("debian-binary", b"2.0\n".as_slice()),
        ("control.tar.gz", &control),
        ("data.tar.gz", &archive::tar_gz(archive::with_folders(data))?),
    ]))
}
