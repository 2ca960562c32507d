//! What README.md shows is what the program prints.

use std::io::Read;
use std::path::Path;
use std::process::Command;

#[test]
fn every_command_in_the_readme_prints_the_output_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let mut shown = 0;
    for block in readme.split("```console\n$ wavelane ").skip(1) {
        let block = block.split("```").next().unwrap();
        let (command, expected) = block.split_once('\n').unwrap();
        // One pipe, so that lines come in the order in which a terminal shows them.
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_wavelane"))
            .args(jobs::shell_words(command))
            .current_dir(&root)
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        child.wait().unwrap();
        assert_eq!(printed.trim_end(), expected.trim_end(), "wavelane {command}");
        shown += 1;
    }
    assert!(shown >= 5, "only {shown} commands found");
}

#[test]
fn every_example_runs_as_its_head_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for entry in std::fs::read_dir(root.join("examples")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let head: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//")).collect();
        let (_, command) = head
            .join("\n")
            .split_once("wavelane run ")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        let arguments = jobs::shell_words(&command.replace("\\\n", " "));
        let output = Command::new(env!("CARGO_BIN_EXE_wavelane"))
            .arg("run")
            .args(&arguments)
            .current_dir(&root)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            path.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!output.stdout.is_empty(), "{}", path.display());
    }
}
