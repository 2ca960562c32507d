//! Measures ray queries on one thread: how long trees over generated terrains take to build, and the dispatches of
//! `benches/rays` on the engine `cpu`, in turns with the first Vulkan device, if that answers ray queries.
//!
//! Times are the least of all rounds: processor time of this process, or wall-clock time where the device is not a CPU.

use wavelane::rays::{
    BuildOptions, Geometry, GeometryFlags, IndexFormat, Indices, Instance, TopLevel, Triangles,
};
use wavelane::{
    Adapter, Buffer, ComputePipeline, CpuOptions, Device, Dispatch, Gpu, Options, ResourceTable,
    Shader,
};

use super::Benches;
use super::clock::Clock;

const SHADERS: [&str; 2] = ["nearest", "shadow"];
/// The cells of a terrain on a side: 100,352 and 999,698 triangles.
const SIDES: [u32; 2] = [224, 707];
const GROUPS: u32 = 4096;
const RAYS: u32 = GROUPS * 64;

pub(super) fn run(shaders: Option<&[String]>, rounds: usize) -> Result<(), String> {
    let options = CpuOptions { threads: 1, ..CpuOptions::default() };
    let cpu = Device::with_cpu(Adapter::reference(), options).map_err(|it| it.to_string())?;
    let driver = Driver::open();
    match &driver {
        Ok(it) => println!("driver: {}", it.name),
        Err(why) => println!("driver: skipped: {why}"),
    }
    println!("{RAYS} rays a dispatch, one thread; best of {rounds} rounds");
    println!(
        "{:>9}  {:>9}  {:>9}  {:>8}  {:>9}  {:>6}  {:>6}",
        "triangles", "what", "ours ms", "ns/ray", "driver ms", "ratio", "differ"
    );
    for side in SIDES {
        let terrain = Terrain::new(side);
        let (scene, build) = terrain.best_build(&cpu, rounds)?;
        let triangles = terrain.indices.len() / 3;
        println!("{triangles:>9}  {:>9}  {build:>9.1}", "build");
        for name in SHADERS {
            if shaders.is_some_and(|it| !it.iter().any(|it| it == name)) {
                continue;
            }
            let shader = compile(name)?;
            let ours = Side::new(&cpu, &shader, &scene, 1)?;
            let other = match &driver {
                Ok(it) => Side::new(&it.device, &shader, &scene, it.threads).map(Some),
                Err(_) => Ok(None),
            };
            let other = other.unwrap_or_else(|why| {
                println!("driver: skipped: {why}");
                None
            });
            measure(triangles, name, &ours, other.as_ref(), rounds)?;
        }
    }
    Ok(())
}

/// Measures in turns, and prints a row. A round before them compiles and copies.
fn measure(
    triangles: usize,
    name: &str,
    ours: &Side,
    other: Option<&Side>,
    rounds: usize,
) -> Result<(), String> {
    let mut best = [f64::INFINITY; 2];
    for round in 0..=rounds {
        for (best, side) in best.iter_mut().zip([Some(ours), other]) {
            let Some(side) = side else { continue };
            let time = side.dispatch()?;
            *best = if round > 0 { best.min(time) } else { *best };
        }
    }
    let [mine, theirs] = best;
    let each = mine * 1e6 / f64::from(RAYS);
    print!("{triangles:>9}  {name:>9}  {mine:>9.1}  {each:>8.0}");
    if let Some(other) = other {
        let differ = ours.out()?.iter().zip(other.out()?).filter(|(a, b)| *a != b).count();
        print!("  {theirs:>9.1}  {:>6.3}  {differ:>6}", mine / theirs);
    }
    println!();
    Ok(())
}

fn compile(name: &str) -> Result<Shader, String> {
    let folder = crate::root().join("benches/rays");
    let file = format!("{name}.hlsl");
    let text = std::fs::read_to_string(folder.join(&file)).map_err(|error| error.to_string())?;
    Shader::compile(&file, &text, &Options::default(), &mut Benches(&folder))
        .map_err(|error| error.to_string())?
        .shader()
        .map_err(|error| error.to_string())
}

/// A Vulkan device.
struct Driver {
    device: Device,
    name: String,
    /// The threads of this process that do the work: a CPU's count as one, because processor time is that of all of
    /// them.
    threads: usize,
}

impl Driver {
    fn open() -> Result<Driver, String> {
        let all = Gpu::all().map_err(|it| it.to_string())?;
        let info = all.iter().find(|it| it.unusable.is_none()).ok_or("no usable device")?;
        let index = info.index.to_string();
        let gpu = Gpu::open(Some(&index)).map_err(|it| it.to_string())?;
        let device = Device::with_gpu(info.adapter.clone(), gpu);
        let name = format!("{}, {}", info.name, info.driver);
        Ok(Driver { device, name, threads: usize::from(info.kind == "CPU") })
    }
}

/// A dispatch on a device.
struct Side {
    pipeline: ComputePipeline,
    table: ResourceTable,
    threads: usize,
}

impl Side {
    fn new(
        device: &Device,
        shader: &Shader,
        scene: &TopLevel,
        threads: usize,
    ) -> Result<Side, String> {
        let pipeline = device.create_compute_pipeline(shader).map_err(|it| it.to_string())?;
        let mut table = ResourceTable::new(shader);
        table.bind("Scene", scene).map_err(|it| it.to_string())?;
        let out = Buffer::zeroed::<u32>(RAYS as usize);
        table.bind("Out", &out).map_err(|it| it.to_string())?;
        Ok(Side { pipeline, table, threads })
    }

    fn dispatch(&self) -> Result<f64, String> {
        let start = Clock::start(self.threads);
        let dispatch = Dispatch::new([GROUPS, 1, 1]);
        self.pipeline.dispatch(&dispatch, &self.table).map_err(|it| it.to_string())?;
        Ok(start.milliseconds())
    }

    fn out(&self) -> Result<Vec<u32>, String> {
        let out = self.table.buffer("Out").ok_or("the buffer is bound")?;
        out.read().map_err(|it| it.to_string())
    }
}

/// Hills on a grid of 28 by 28, two triangles a cell.
struct Terrain {
    /// Three floats a vertex, as bytes.
    vertices: Vec<u8>,
    indices: Vec<u32>,
}

impl Terrain {
    fn new(side: u32) -> Terrain {
        let place = |at: u32| 28.0 * at as f32 / side as f32;
        let height = |x: f32, z: f32| {
            let hills = 0.9 * (0.9 * x).sin() * (0.7 * z).cos();
            hills + 0.3 * (2.3 * x + 1.0).sin() * (1.9 * z).sin() + 0.1 * (7.0 * x).sin()
        };
        let (mut vertices, mut indices) = (Vec::new(), Vec::new());
        for (i, j) in (0..=side).flat_map(|i| (0..=side).map(move |j| (i, j))) {
            let (x, z) = (place(i), place(j));
            vertices.extend([x, height(x, z), z].into_iter().flat_map(f32::to_le_bytes));
            if i < side && j < side {
                let (here, next) = (i * (side + 1) + j, (i + 1) * (side + 1) + j);
                indices.extend([here, here + 1, next, here + 1, next + 1, next]);
            }
        }
        Terrain { vertices, indices }
    }

    /// The scene, and the least time of its tree's build in milliseconds.
    fn best_build(&self, device: &Device, rounds: usize) -> Result<(TopLevel, f64), String> {
        let bytes: Vec<u8> = self.indices.iter().flat_map(|it| it.to_le_bytes()).collect();
        let (format, count) = (IndexFormat::Uint32, self.indices.len());
        let mut triangles = Triangles::new(&self.vertices, self.vertices.len() / 12);
        triangles.indices = Some(Indices { bytes: &bytes, format, count });
        let geometry = [Geometry::triangles(triangles).with_flags(GeometryFlags::OPAQUE)];
        let options = BuildOptions::default();
        let mut best = f64::INFINITY;
        let mut build = || {
            let start = Clock::start(1);
            let bottom = device.build_bottom_level(&geometry, options);
            best = best.min(start.milliseconds());
            bottom.map_err(|it| it.to_string())
        };
        let mut bottom = build()?;
        for _ in 1..rounds {
            bottom = build()?;
        }
        let scene = device.build_top_level(&[Instance::new(&bottom)], options);
        Ok((scene.map_err(|it| it.to_string())?, best))
    }
}
