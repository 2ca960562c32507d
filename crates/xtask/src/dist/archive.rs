//! Archives without anything of the machine that writes them: `tar` in its portable form, compressed, and `ar`.

use std::collections::BTreeSet;
use std::io;

use flate2::{Compression, GzBuilder};

/// A file of an archive.
pub(super) struct Member {
    name: String,
    mode: u32,
    contents: Vec<u8>,
}

impl Member {
    pub(super) fn file(name: String, contents: Vec<u8>) -> Member {
        Member { name, mode: 0o644, contents }
    }

    pub(super) fn program(name: String, contents: Vec<u8>) -> Member {
        Member { name, mode: 0o755, contents }
    }

    /// A folder; its name ends in a slash.
    fn folder(name: String) -> Member {
        Member { name, mode: 0o755, contents: Vec::new() }
    }

    fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }
}

/// Adds the folders that the files are in, for programs such as `dpkg`, which make none that the archive does not have.
pub(super) fn with_folders(mut members: Vec<Member>) -> Vec<Member> {
    let parents = |it: &Member| {
        let slashes = it.name.match_indices('/').map(|(at, _)| it.name[..=at].to_owned());
        slashes.collect::<Vec<_>>()
    };
    let folders: BTreeSet<String> = members.iter().flat_map(parents).collect();
    members.extend(folders.into_iter().map(Member::folder));
    members
}

/// A compressed archive of these files, in the order of their names.
pub(super) fn tar_gz(mut members: Vec<Member>) -> Result<Vec<u8>, String> {
    members.sort_by(|a, b| a.name.cmp(&b.name));
    pack(&members).map_err(|error| error.to_string())
}

fn pack(members: &[Member]) -> io::Result<Vec<u8>> {
    // No time, and the operating system "unknown".
    let gzip =
        GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for member in members {
        // A new header has the time 0, and the user and the group with the number 0.
        let mut header = tar::Header::new_ustar();
        header.set_mode(member.mode);
        header.set_size(member.contents.len() as u64);
        if member.is_folder() {
            header.set_entry_type(tar::EntryType::Directory);
        }
        archive.append_data(&mut header, &member.name, member.contents.as_slice())?;
    }
    archive.into_inner()?.finish()
}

/// An archive as `ar` writes it.
// Spec: deb(5), "Format".
pub(super) fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, contents) in members {
        archive.extend(
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 100_644, contents.len())
                .bytes(),
        );
        archive.extend_from_slice(contents);
        if contents.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    archive
}
