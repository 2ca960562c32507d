//! The process in which a Vulkan driver draws.

use std::ffi::CString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use bench::device::{StageCode, StageKind};

use super::Clock;
use super::scenes::{SCENES, SIDE, Scene};

/// A process with a driver.
pub(super) struct Driver {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    pub(super) name: String,
}

impl Driver {
    pub(super) fn start(threads: usize) -> Result<Driver, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        // llvmpipe's own threads come on top of the one that submits; without any, that one does all the work.
        let own = if threads == 1 { 0 } else { threads };
        let mut child = Command::new(program)
            .args(["bench", "--draws-on-driver"])
            .env("LP_NUM_THREADS", own.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the driver's process has no pipes".to_owned());
        };
        let from = BufReader::new(from);
        let mut driver = Driver { child, to, from, name: String::new() };
        driver.name = driver.line()?;
        Ok(driver)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.from.read_line(&mut line).map_err(|error| error.to_string())?;
        match line.trim_end_matches('\n').split_once(' ') {
            Some(("ok", rest)) => Ok(rest.to_owned()),
            Some((_, rest)) => Err(format!("the driver: {rest}")),
            None => Err("the driver's process has ended".to_owned()),
        }
    }

    fn ask(&mut self, what: &str) -> Result<String, String> {
        writeln!(self.to, "{what}").map_err(|error| error.to_string())?;
        self.line()
    }

    pub(super) fn record(&mut self, scene: &Scene) -> Result<(), String> {
        self.ask(scene.name).map(|_| ())
    }

    pub(super) fn draw(&mut self) -> Result<f64, String> {
        self.ask("draw")?.parse().map_err(|_| "the driver gave no time".to_owned())
    }

    /// The picture after one draw.
    pub(super) fn pixels(&mut self) -> Result<Vec<u8>, String> {
        self.draw()?;
        self.ask("pixels")?;
        let mut pixels = vec![0; 4 * (SIDE * SIDE) as usize];
        self.from.read_exact(&mut pixels).map_err(|error| error.to_string())?;
        Ok(pixels)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It ends with its input; if it hangs in the driver, it is ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other side of [`Driver`]: reads a command from each line.
pub(in crate::bench) fn serve(folder: &Path) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    let device = match bench::device::Device::new(SIDE) {
        Ok(device) => device,
        Err(what) => {
            writeln!(out, "error {what}").map_err(|error| error.to_string())?;
            return Ok(());
        }
    };
    writeln!(out, "ok {}", device.name()).map_err(|error| error.to_string())?;
    // The caller passes on its own number of threads.
    let threads = std::env::var("LP_NUM_THREADS").map_or(1, |it| it.parse().unwrap_or(0).max(1));
    let mut recorded = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let answer = match (line.as_str(), &recorded) {
            ("draw", Some(it)) => device.clear(it).and_then(|()| {
                let start = Clock::start(threads);
                device.draw(it)?;
                Ok((start.milliseconds().to_string(), Vec::new()))
            }),
            ("pixels", Some(it)) => device.pixels(it).map(|bytes| (String::new(), bytes)),
            (name, _) => record(&device, name, folder).map(|it| {
                recorded = Some(it);
                (String::new(), Vec::new())
            }),
        };
        let result = match answer {
            Ok((text, bytes)) => writeln!(out, "ok {text}").and_then(|()| out.write_all(&bytes)),
            Err(what) => writeln!(out, "error {what}"),
        };
        result.and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn record(
    device: &bench::device::Device,
    name: &str,
    folder: &Path,
) -> Result<bench::device::Recorded, String> {
    let scene =
        SCENES.iter().find(|it| it.name == name).ok_or_else(|| format!("no scene `{name}`"))?;
    let stages = scene.stages.iter().map(|(stage, entry)| code(folder, scene.file, *stage, entry));
    let stages = stages.collect::<Result<Vec<_>, _>>()?;
    let attributes: Vec<u32> = scene.attributes.iter().map(|(_, floats)| *floats).collect();
    device.record(&bench::device::Scene {
        stages: &stages,
        words: &(scene.vertices)(),
        attributes: &attributes,
        indices: &(scene.indices)(),
        work: scene.work,
    })
}

/// The SPIR-V of an entry point. Mesh shaders are written in GLSL beside the HLSL, which the validator does not read.
fn code(folder: &Path, file: &str, stage: StageKind, entry: &str) -> Result<StageCode, String> {
    let name = match stage {
        StageKind::Vertex => "vert",
        StageKind::Hull => "tesc",
        StageKind::Domain => "tese",
        StageKind::Mesh => "mesh",
        StageKind::Pixel => "frag",
    };
    let made =
        std::env::temp_dir().join(format!("wavelane-draws-{}-{name}.spv", std::process::id()));
    let mut validator = Command::new("glslangValidator");
    validator.args(["-V", "-S", name, "-o"]).arg(&made);
    let entry = match stage {
        StageKind::Mesh => {
            validator.args(["--target-env", "spirv1.4"]).arg(folder.join(format!("{file}.mesh")));
            "main"
        }
        _ => {
            validator.args(["-D", "-DDRIVER", "-e", entry, "--source-entrypoint", entry]);
            validator.arg(folder.join(format!("{file}.hlsl")));
            entry
        }
    };
    let result = validator.output().map_err(|error| format!("`glslangValidator`: {error}"))?;
    let bytes = std::fs::read(&made);
    let _ = std::fs::remove_file(&made);
    match bytes {
        Ok(bytes) if result.status.success() => {
            let words = bytes.chunks_exact(4);
            let words = words.map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect();
            let entry = CString::new(entry).map_err(|error| error.to_string())?;
            Ok(StageCode { stage, entry, words })
        }
        _ => Err(String::from_utf8_lossy(&result.stdout).replace('\n', " ")),
    }
}
