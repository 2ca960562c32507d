//! Archives without anything of the machine that writes them: `tar` in its portable form, compressed, and `ar`.

use std::io::Write;

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
}

const BLOCK: usize = 512;

/// The header of a member.
// Spec: POSIX.1-1988, the interchange format `ustar`.
fn header(member: &Member) -> Result<[u8; BLOCK], String> {
    if member.name.len() > 100 {
        return Err(format!("`{}` is too long for an archive", member.name));
    }
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, member.name.as_bytes());
    put(100, format!("{:07o}\0", member.mode).as_bytes());
    // The user and the group with the number 0.
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", member.contents.len()).as_bytes());
    // The time 0.
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|it| u32::from(*it)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

/// A compressed archive of these files, in the order of their names.
pub(super) fn tar_gz(mut members: Vec<Member>) -> Result<Vec<u8>, String> {
    members.sort_by(|a, b| a.name.cmp(&b.name));
    // No time, and the operating system "unknown".
    let mut gzip =
        GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let cannot = |error: std::io::Error| error.to_string();
    for member in &members {
        gzip.write_all(&header(member)?).map_err(cannot)?;
        gzip.write_all(&member.contents).map_err(cannot)?;
        let rest = member.contents.len().next_multiple_of(BLOCK) - member.contents.len();
        gzip.write_all(&[0; BLOCK][..rest]).map_err(cannot)?;
    }
    gzip.write_all(&[0; 2 * BLOCK]).map_err(cannot)?;
    gzip.finish().map_err(cannot)
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
