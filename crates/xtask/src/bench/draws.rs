//! Measures draws: wavelane's on an engine, its fixed functions alone, and the same HLSL on a Vulkan driver, such as
//! llvmpipe's, round by round in one run.
//!
//! The driver runs in a process of its own, because it reads its number of threads when it is loaded; its modules are
//! made by `glslangValidator`. Pictures of both are compared before anything is timed.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use raster::{
    Assembly, Batch, Colour, DepthFormat, DepthState, DepthStencil, Input, Inputs, Interpolation,
    Layout, MergeState, Outputs, RasterState, Rasterizer, Samples, Scalar, Target, Targets,
    Topology, VertexLayout, Vertices, Wave,
};
use wavelane::graphics::{GraphicsDesc, GraphicsPipeline, InputElement};
use wavelane::internal::Loops;
use wavelane::texture::{Comparison, Format, Shape};
use wavelane::{
    Adapter, Buffer, CpuOptions, DepthTarget, Device, Draw, NoIncludes, Options, RenderTarget,
    ResourceTable, Shader, ShaderModel, Stage, Texture, VertexBuffer,
};

/// The width and height of the targets.
const SIDE: u32 = 1024;
/// The pixels along each leg of a small triangle.
const LEG: u32 = 4;

struct Scene {
    name: &'static str,
    what: &'static str,
    vertices: fn() -> Vec<f32>,
    /// The semantics of the vertex buffer, and how many floats each has.
    attributes: &'static [(&'static str, u32)],
    /// The floats that a vertex has beside its position, as the fixed functions see them.
    varyings: u32,
    count: u32,
}

const WHOLE: Scene = Scene {
    name: "flat",
    what: "one colour",
    vertices: Vec::new,
    attributes: &[],
    varyings: 0,
    count: 3,
};

const SCENES: [Scene; 5] = [
    WHOLE,
    Scene { name: "lit", what: "four lights, 120 operations", varyings: 3, ..WHOLE },
    Scene { name: "roots", what: "32 square roots", varyings: 4, ..WHOLE },
    Scene { name: "edges", what: "derivatives and discard", varyings: 2, ..WHOLE },
    Scene {
        name: "small",
        what: "triangles of 8 pixels",
        vertices: grid,
        attributes: &[("POSITION", 3), ("COLOR", 4)],
        varyings: 4,
        count: 6 * (SIDE / LEG) * (SIDE / LEG),
    },
];

pub(super) struct Flags<'a> {
    pub(super) scenes: Option<&'a [String]>,
    pub(super) widths: &'a [u32],
    pub(super) rounds: usize,
    pub(super) threads: usize,
    pub(super) engine: &'a str,
}

/// The corners of two triangles in each square of the target, with colours that follow from their places.
fn grid() -> Vec<f32> {
    let mut words = Vec::new();
    for y in 0..SIDE / LEG {
        for x in 0..SIDE / LEG {
            for [right, down] in [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1]] {
                let at = |it: u32| (it * LEG) as f32 / SIDE as f32;
                let (u, v) = (at(x + right), at(y + down));
                words.extend([2.0 * u - 1.0, 1.0 - 2.0 * v, 0.5, u, v, 0.5, 1.0]);
            }
        }
    }
    words
}

pub(super) fn run(flags: &Flags<'_>, folder: &Path) -> Result<(), String> {
    let mut driver = Driver::start(flags.threads)?;
    println!("driver: {}; threads {}", driver.name, flags.threads);
    println!(
        "{SIDE}\u{b2} pixels, RGBA8_UNORM and D32_FLOAT; best of {} rounds, {}",
        flags.rounds,
        if flags.threads == 1 { "processor time" } else { "wall-clock time" }
    );
    println!(
        "{:>6}  {:>5}  {:>9}  {:>9}  {:>9}  {:>7}  {:>7}  {:>9}  {:>9}  {:>6}",
        "scene",
        "lanes",
        "ours ms",
        "fixed ms",
        "driver ms",
        "ratio",
        "fixed",
        "Mpixel/s",
        "Mtri/s",
        "differ"
    );
    for scene in &SCENES {
        if flags.scenes.is_some_and(|it| !it.iter().any(|it| it == scene.name)) {
            continue;
        }
        driver.record(scene)?;
        let picture = driver.pixels()?;
        for width in flags.widths {
            let ours = Ours::new(scene, folder, *width, flags)?;
            let mut fixed = Fixed::new(scene, *width);
            let mut best = [f64::INFINITY; 3];
            for _ in 0..flags.rounds {
                let times = [ours.draw()?, fixed.draw(), driver.draw()?];
                for (best, time) in best.iter_mut().zip(times) {
                    *best = best.min(time);
                }
            }
            let differ = differing(&ours.pixels()?, &picture);
            let [mine, alone, other] = best;
            let pixels = f64::from(SIDE * SIDE) / mine / 1e3;
            let triangles = f64::from(scene.count / 3) / mine / 1e3;
            println!(
                "{:>6}  {width:>5}  {mine:>9.2}  {alone:>9.2}  {other:>9.2}  {:>7.2}  {:>7.2}  {pixels:>9.1}  {triangles:>9.3}  {differ:>6}  {}",
                scene.name,
                mine / other,
                alone / other,
                scene.what,
            );
        }
    }
    Ok(())
}

/// How many pixels differ by more than one step in a channel.
fn differing(a: &[u8], b: &[u8]) -> usize {
    let is_near = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= 1;
    a.chunks_exact(4).zip(b.chunks_exact(4)).filter(|(a, b)| !a.iter().zip(*b).all(is_near)).count()
}

/// A scene on an engine of wavelane.
struct Ours {
    pipeline: GraphicsPipeline,
    draw: Draw,
    vertex: ResourceTable,
    pixel: ResourceTable,
    image: Texture,
    threads: usize,
}

impl Ours {
    fn new(scene: &Scene, folder: &Path, width: u32, flags: &Flags<'_>) -> Result<Ours, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let path = folder.join(format!("{}.hlsl", scene.name));
        let source = std::fs::read_to_string(&path).map_err(|error| text(&error))?;
        let shader = |stage, entry: &str| {
            let entry = entry.to_owned();
            let options =
                Options { stage, entry, shader_model: ShaderModel::V6_6, ..Options::default() };
            Shader::compile(scene.name, &source, &options, &mut NoIncludes)
                .map_err(|error| text(&error))?
                .shader()
                .map_err(|error| text(&error))
        };
        let vertex = shader(Stage::Vertex, "vertex")?;
        let pixel = shader(Stage::Pixel, "pixel")?;
        let device = match flags.engine {
            "interp" => Device::new(Adapter::reference()),
            _ => {
                let options = CpuOptions { threads: flags.threads, ..CpuOptions::default() };
                Device::with_cpu(Adapter::reference(), options).map_err(|error| text(&error))?
            }
        };
        let format = color();
        let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
        let mut offset = 0;
        for (semantic, floats) in scene.attributes {
            let name = if *floats == 3 { "RGB32_FLOAT" } else { "RGBA32_FLOAT" };
            desc.input_layout.push(InputElement {
                semantic: (*semantic).to_owned(),
                index: 0,
                format: Format::parse(name).ok_or("a format")?,
                slot: 0,
                offset,
                step_rate: None,
            });
            offset += 4 * *floats as usize;
        }
        desc.targets = vec![Some(format)];
        desc.depth_format = Some(DepthFormat::D32Float);
        desc.depth_stencil.depth = Some(DEPTH);
        let pipeline = device.create_graphics_pipeline(&desc).map_err(|error| text(&error))?;
        let image = Texture::new(Shape::new(format, SIDE, SIDE, 1)).map_err(|it| text(&it))?;
        let mut draw = Draw::new(scene.count);
        let words = (scene.vertices)();
        if !words.is_empty() {
            draw.vertex_buffers =
                vec![VertexBuffer { buffer: Buffer::from_slice(&words), stride: offset }];
        }
        draw.targets = vec![Some(RenderTarget::from(&image))];
        let depth = DepthTarget::new(DepthFormat::D32Float, SIDE, SIDE, 1, Samples::One);
        draw.depth = Some(depth.map_err(|error| text(&error))?);
        draw.wave_size = Some(width);
        let (vertex, pixel) = (ResourceTable::new(&vertex), ResourceTable::new(&pixel));
        Ok(Ours { pipeline, draw, vertex, pixel, image, threads: flags.threads })
    }

    fn draw(&self) -> Result<f64, String> {
        if let Some(depth) = &self.draw.depth {
            depth.clear(1.0, 0).map_err(|error| error.to_string())?;
        }
        let start = Clock::start(self.threads);
        self.pipeline
            .draw(&self.draw, &self.vertex, Some(&self.pixel))
            .map_err(|error| error.to_string())?;
        Ok(start.milliseconds())
    }

    fn pixels(&self) -> Result<Vec<u8>, String> {
        self.image.read_bytes().map_err(|error| error.to_string())
    }
}

const DEPTH: DepthState = DepthState { func: Comparison::LessEqual, write: true };

fn color() -> Format {
    Format::parse("RGBA8_UNORM").unwrap_or_else(|| unreachable!("a format of Direct3D"))
}

/// A scene without shaders: its vertices are transformed in advance, and the colour is the first four inputs.
struct Fixed {
    words: Vec<u32>,
    slots: usize,
    count: u32,
    width: u32,
    inputs: Inputs,
    merge: MergeState,
    color: Vec<u8>,
    depth: Vec<u8>,
}

impl Fixed {
    fn new(scene: &Scene, width: u32) -> Fixed {
        let slots = 4 + scene.varyings as usize;
        let mut words = Vec::new();
        let vertices = (scene.vertices)();
        for vertex in 0..scene.count as usize {
            let mut of = match vertices.chunks_exact(7).nth(vertex) {
                Some([x, y, z, rest @ ..]) => [&[*x, *y, *z, 1.0], rest].concat(),
                _ => {
                    let (x, y) = ([-1.0, 3.0, -1.0][vertex], [1.0, 1.0, -3.0][vertex]);
                    vec![x, y, 0.5, 1.0, x, y, 0.25, 1.0]
                }
            };
            of.truncate(slots);
            words.extend(of.into_iter().map(f32::to_bits));
        }
        let varying = |slot: u32| Input::Varying {
            slot,
            scalar: Scalar::F32,
            interpolation: Interpolation::LINEAR,
        };
        let layout = VertexLayout { position: Some([0, 1, 2, 3]), ..VertexLayout::default() };
        let inputs = Inputs::new((0..scene.varyings).map(|it| varying(4 + it)).collect(), layout);
        let mut merge = MergeState::default();
        merge.depth_stencil.depth = Some(DEPTH);
        let pixels = (SIDE * SIDE) as usize;
        let (color, depth) = (vec![0; 4 * pixels], vec![0; 4 * pixels]);
        Fixed { words, slots, count: scene.count, width, inputs, merge, color, depth }
    }

    fn draw(&mut self) -> f64 {
        let layout = Layout::new(SIDE, SIDE, 1, 1);
        self.depth = DepthFormat::D32Float.cleared(1.0, &layout);
        let mut rows = vec![vec![0x3f00_0000u32; self.width as usize]; 4.max(self.inputs.len())];
        let start = Clock::start(1);
        let state = RasterState::new(SIDE, SIDE);
        let mut wave = Wave::new(self.width, &state);
        let assembly = Assembly::plain(Topology::TriangleList, self.count);
        let mut rasterizer =
            Rasterizer::new(state, self.inputs.clone(), Topology::TriangleList.kind());
        let mut targets = Targets {
            colours: vec![Target::new(color(), layout, &mut self.color)],
            depth_stencil: Some(DepthStencil {
                format: DepthFormat::D32Float,
                depth: Target::new(DepthFormat::D32Float.plane(), layout, &mut self.depth),
                stencil: None,
            }),
        };
        let mut primitives = assembly.primitives();
        let vertices = Vertices { words: &self.words, slots: self.slots };
        let mut batch = Batch { vertices, primitives: &mut primitives };
        let loops = Loops::best();
        while loops.fill(&mut rasterizer, &mut batch, None, &mut wave) || !wave.is_empty() {
            for (input, row) in rows.iter_mut().enumerate().take(self.inputs.len()) {
                loops.row(&mut wave, &self.inputs, input, row);
            }
            let of = |i: usize| Some(&rows[i][..]);
            let colour = Colour { rows: [of(0), of(1), of(2), of(3)], scalar: Scalar::F32 };
            let outputs = Outputs::of_colours([Some(colour)]);
            loops.merge(&self.merge, &wave, !wave.helpers(), &outputs, &mut targets);
            wave.clear();
        }
        start.milliseconds()
    }
}

/// Processor time where one thread works, so that the load of the machine does not count; wall-clock time otherwise.
enum Clock {
    Processor(f64),
    Wall(Instant),
}

impl Clock {
    fn start(threads: usize) -> Clock {
        match bench::clock::milliseconds().filter(|_| threads == 1) {
            Some(start) => Clock::Processor(start),
            None => Clock::Wall(Instant::now()),
        }
    }

    fn milliseconds(&self) -> f64 {
        match self {
            Clock::Processor(start) => {
                bench::clock::milliseconds().map_or(f64::NAN, |it| it - start)
            }
            Clock::Wall(start) => super::milliseconds(*start),
        }
    }
}

/// The process in which a Vulkan driver draws.
struct Driver {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    name: String,
}

impl Driver {
    fn start(threads: usize) -> Result<Driver, String> {
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

    fn record(&mut self, scene: &Scene) -> Result<(), String> {
        self.ask(scene.name).map(|_| ())
    }

    fn draw(&mut self) -> Result<f64, String> {
        self.ask("draw")?.parse().map_err(|_| "the driver gave no time".to_owned())
    }

    /// The picture after one draw.
    fn pixels(&mut self) -> Result<Vec<u8>, String> {
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
pub(super) fn serve(folder: &Path) -> Result<(), String> {
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
    let path = folder.join(format!("{name}.hlsl"));
    let (vertex, pixel) = (module(&path, "vert", "vertex")?, module(&path, "frag", "pixel")?);
    let attributes: Vec<u32> = scene.attributes.iter().map(|(_, floats)| *floats).collect();
    device.record(&bench::device::Scene {
        vertex: &vertex,
        pixel: &pixel,
        words: &(scene.vertices)(),
        attributes: &attributes,
        vertices: scene.count,
    })
}

/// The SPIR-V of an entry point.
fn module(path: &Path, stage: &str, entry: &str) -> Result<Vec<u32>, String> {
    let name = format!("wavelane-draws-{}-{stage}.spv", std::process::id());
    let made: PathBuf = std::env::temp_dir().join(name);
    let result = Command::new("glslangValidator")
        .args(["-D", "-V", "-S", stage, "-e", entry, "--source-entrypoint", entry, "-o"])
        .arg(&made)
        .arg(path)
        .output()
        .map_err(|error| format!("`glslangValidator`: {error}"))?;
    let bytes = std::fs::read(&made);
    let _ = std::fs::remove_file(&made);
    match bytes {
        Ok(bytes) if result.status.success() => Ok(bytes
            .chunks_exact(4)
            .map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]]))
            .collect()),
        _ => Err(String::from_utf8_lossy(&result.stdout).replace('\n', " ")),
    }
}
