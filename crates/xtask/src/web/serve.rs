//! A server for the site on this machine alone: files of one folder, one request at a time.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};

pub(super) fn serve(folder: &Path, port: u16) -> Result<(), String> {
    if !folder.join("index.html").is_file() {
        return Err("there is no site yet; `cargo xtask web build` writes it".to_owned());
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| format!("port {port}: {error}"))?;
    println!("http://localhost:{port}/");
    for stream in listener.incoming().flatten() {
        // One visitor that leaves does not end it.
        let _ = answer(folder, stream);
    }
    Ok(())
}

fn answer(folder: &Path, mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    // The rest of the head has to be read before the connection is closed.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let file = first.split(' ').nth(1).and_then(|it| path(folder, it));
    let (status, kind, body) = match file.and_then(|it| Some((kind(&it), std::fs::read(it).ok()?)))
    {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain", b"not found\n".to_vec()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}

/// The file that a request names; `None` if it leads out of the folder.
fn path(folder: &Path, target: &str) -> Option<PathBuf> {
    let target = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let is_plain =
        |it: &str| !it.is_empty() && it != "." && it != ".." && !it.contains(['\\', ':']);
    let (parts, ends_in_folder) = (target.trim_end_matches('/'), target.ends_with('/'));
    if !parts.is_empty() && !parts.split('/').all(is_plain) {
        return None;
    }
    let path = folder.join(parts);
    Some(if parts.is_empty() || ends_in_folder { path.join("index.html") } else { path })
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|it| it.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_stay_in_the_folder() {
        let folder = Path::new("site");
        assert_eq!(path(folder, "/"), Some(folder.join("index.html")));
        assert_eq!(path(folder, "/docs/a.html?embed"), Some(folder.join("docs/a.html")));
        assert_eq!(path(folder, "/docs/"), Some(folder.join("docs/index.html")));
        for bad in
            ["", "a", "/../Cargo.toml", "/a/../../b", "//etc/passwd", "/c:/x", "/a\\..\\b", "/./a"]
        {
            assert_eq!(path(folder, bad), None, "{bad}");
        }
    }
}
