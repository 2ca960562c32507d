//! Generated pixel shaders as draws: a device records how it packs their quads, and what they leave in memory is
//! compared with the reference engine and the second evaluator in the same waves, bit for bit.
//!
//! A lane stores for its own pixel of its own primitive, so that the order of waves does not matter. Inputs are flat,
//! and corners are exact in every arithmetic, so that a device has no freedom but its packing and what helper lanes
//! receive from wave operations. That is undefined, and what it reaches is left out if it differs.

use std::sync::{Arc, Mutex, PoisonError};

use generate::second::{Packed, Replayed, Undefined, replayed};
use generate::{
    Expr, ExprKind, Form, Function, Program, Random, Shader as Of, Statistics, Stmt, Ty,
};
use wavelane::draw::Recording;
use wavelane::graphics::GraphicsDesc;
use wavelane::internal::{Seat, recording, seats};
use wavelane::texture::{Format, Shape};
use wavelane::{
    Adapter, Buffer, Device, Draw, DrawError, RenderTarget, ResourceTable, Stage, Texture,
};

use crate::meshlets::compiled;

/// The size of the target in quads.
const COLUMNS: u32 = 8;
const ROWS: u32 = 4;
/// The most triangles of a draw.
const MOST_TRIANGLES: u32 = 3;
/// Generated programs end soon.
const FUEL: u64 = 1 << 26;

/// A pixel shader with the triangles that it draws.
pub struct Drawing {
    program: Program,
    width: u32,
    vertex: String,
    pixel: String,
}

/// The results of a draw, and its packing.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub log: Vec<u32>,
    pub recording: Recording,
}

/// Why a draw is not compared, or not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The device or the replay lacks something.
    LeftOut(String),
    Different(String),
    /// The device does not finish the draw.
    Lost(String),
}

/// How many words of a log were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Those of the pixels that are drawn.
    pub all: u64,
    /// Those that the language leaves undefined.
    pub undefined: u64,
    /// Those of them that the device has otherwise.
    pub other: u64,
}

impl Drawing {
    /// The program of a seed, with triangles.
    pub fn new(seed: u64, width: u32, statistics: &mut Statistics) -> Drawing {
        let mut program = generate::pixels(seed, width, statistics);
        let (vertex, triangles) = triangles(&mut Random::new(seed));
        program.threads = triangles * COLUMNS * ROWS * 4;
        if let Of::Pixel(pixels) = &mut program.shader {
            pixels.columns = Some(COLUMNS);
            pixels.helpers.clear();
        }
        let pixel = generate::print(&program);
        Drawing { program, width, vertex, pixel }
    }

    /// Whether helper lanes participate in its wave operations.
    pub fn includes_helpers(&self) -> bool {
        self.program.pixels().is_some_and(|it| it.included)
    }

    /// The text of the pixel shader.
    pub fn text(&self) -> &str {
        &self.pixel
    }

    /// Draws on a device, which records its packing.
    pub fn record(&self, device: &Device) -> Result<Recorded, Failed> {
        let recording = Arc::new(Mutex::new(Recording::default()));
        let log = self.draw(device, |draw| draw.record = Some(recording.clone()))?;
        let recording = recording.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Recorded { log, recording })
    }

    /// Draws with a packing on an engine of the host; the log.
    pub fn replay(&self, device: &Device, recording: &Recording) -> Result<Vec<u32>, Failed> {
        self.draw(device, |draw| draw.replay = Some(Arc::new(recording.clone())))
    }

    fn draw(&self, device: &Device, with: impl FnOnce(&mut Draw)) -> Result<Vec<u32>, Failed> {
        drawn(device, (&self.vertex, &self.pixel), self.width, self.program.words(), with)
    }

    /// What the second evaluator says of a packing.
    pub fn expected(&self, recording: &Recording, undefined: Undefined) -> Replayed {
        let waves: Vec<Packed> = seats(recording).iter().map(|it| packed(it)).collect();
        replayed(&self.program, self.width, &waves, undefined)
    }

    /// A packing that no device has: the quads of the draw in any order, with gaps.
    pub fn at_random(&self, random: &mut Random) -> Result<Recording, Failed> {
        let one = Expr { ty: Ty::UINT, kind: ExprKind::Literal(vec![1]) };
        let body = vec![Stmt::Log { place: 0, value: one }];
        let main = Function { form: Form::Plain, locals: Vec::new(), body, result: None };
        let program = Program { functions: vec![main], places: 1, ..self.program.clone() };
        let text = generate::print(&program);
        let words = program.words();
        let covered = drawn(&reference(), (&self.vertex, &text), self.width, words, |_| {})?;
        let quad = |(number, lanes): (u32, &[u32])| -> Vec<Option<Seat>> {
            let (primitive, at) = (number / (COLUMNS * ROWS), number % (COLUMNS * ROWS));
            let seat = |lane: u32| {
                let [x, y] = [at % COLUMNS * 2 + lane % 2, at / COLUMNS * 2 + lane / 2];
                Seat { x, y, primitive, instance: 0, layer: 0, sample: 0 }
            };
            let lanes = (0..).zip(lanes);
            lanes.map(|(lane, covered)| (*covered != 0).then(|| seat(lane))).collect()
        };
        let quads = (0..).zip(covered.chunks(4)).map(quad);
        let mut quads: Vec<_> = quads.filter(|it| it.iter().any(Option::is_some)).collect();
        let mut waves = Vec::new();
        while !quads.is_empty() {
            let mut wave: Vec<Option<Seat>> = Vec::new();
            while wave.len() < self.width as usize {
                if quads.is_empty() || random.chance(8) {
                    wave.extend([None; 4]);
                } else {
                    wave.extend(quads.swap_remove(random.below(quads.len() as u32) as usize));
                }
            }
            waves.push(wave);
        }
        Ok(recording(self.width, waves))
    }

    /// Compares what a device left with the second evaluator and the reference engine in the same waves.
    pub fn judge(&self, recorded: &Recorded) -> Result<Words, Failed> {
        let expected = self.expected(&recorded.recording, Undefined::Ours);
        let reference = self.replay(&reference(), &recorded.recording)?;
        let differs = |who: &str, got: &[u32], at: usize| {
            Err(Failed::Different(format!(
                "width {}: `Log[{at}]` is {} {who}, not {}",
                self.width, got[at], expected.log[at]
            )))
        };
        if let Some(at) = (0..reference.len()).find(|at| reference[*at] != expected.log[*at]) {
            return differs("on the reference engine", &reference, at);
        }
        let mut words = Words::default();
        for at in 0..expected.log.len() {
            let is_other = recorded.log[at] != expected.log[at];
            if is_other && !expected.undefined[at] {
                return differs("on the device", &recorded.log, at);
            }
            words.undefined += u64::from(expected.undefined[at]);
            words.other += u64::from(is_other);
        }
        let pixels = seats(&recorded.recording).iter().flatten().flatten().count();
        words.all = (pixels * self.program.places) as u64;
        Ok(words)
    }
}

/// Whether helper lanes participate in wave operations of a device where the program wants it.
pub fn lets_helpers_participate(device: &Device, width: u32) -> Result<bool, Failed> {
    let vertex = "float4 main(uint i : SV_VertexID) : SV_Position {
    return float4(i == 1 ? -0.9 : -1, i == 2 ? 0.7 : 1, 0.5, 1);
}";
    let pixel = "RWStructuredBuffer<uint> Log;
[WaveOpsIncludeHelperLanes] void main() { Log[0] = WaveActiveCountBits(true); }";
    let recording = Arc::new(Mutex::new(Recording::default()));
    let log = drawn(device, (vertex, pixel), width, 1, |draw| draw.record = Some(recording))?;
    Ok(log[0] == 4)
}

fn reference() -> Device {
    Device::new(Adapter::reference())
}

/// Draws triangles with a pixel shader that logs; the log.
fn drawn(
    device: &Device,
    (vertex, pixel): (&str, &str),
    width: u32,
    words: usize,
    with: impl FnOnce(&mut Draw),
) -> Result<Vec<u32>, Failed> {
    let wrong = |what: String| Failed::Different(what);
    let failed = |error: DrawError| match error.is_unsupported() {
        true => Failed::LeftOut(error.to_string()),
        false => Failed::Lost(error.to_string()),
    };
    let corners = vertex.matches("float2(").count().max(3) as u32;
    let vertex = compiled(vertex, Stage::Vertex).map_err(wrong)?;
    let pixel = compiled(pixel, Stage::Pixel).map_err(wrong)?;
    let format = Format::parse("RGBA8_UNORM").unwrap_or_else(|| unreachable!("it is a format"));
    let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
    desc.targets = vec![Some(format)];
    let pipeline = match device.create_graphics_pipeline(&desc) {
        Ok(pipeline) if pipeline.wave_sizes().contains(&width) => pipeline,
        Ok(_) => return Err(Failed::LeftOut(format!("waves of {width} lanes"))),
        Err(error) if error.is_unsupported() => return Err(Failed::LeftOut(error.to_string())),
        Err(error) => return Err(wrong(error.to_string())),
    };
    let shape = Shape::new(format, 2 * COLUMNS, 2 * ROWS, 1);
    let target = Texture::new(shape).map_err(|it| wrong(it.to_string()))?;
    let mut draw = Draw::new(corners);
    draw.wave_size = Some(width);
    draw.targets = vec![Some(RenderTarget::from(&target))];
    draw.fuel = Some(FUEL);
    with(&mut draw);
    let mut table = ResourceTable::new(&pixel);
    let log = Buffer::from_slice(&vec![0u32; words]);
    table.bind("Log", &log).map_err(|it| wrong(it.to_string()))?;
    pipeline.draw(&draw, &ResourceTable::new(&vertex), Some(&table)).map_err(failed)?;
    log.read::<u32>().map_err(|it| wrong(it.to_string()))
}

/// A vertex shader of random triangles within the target, and how many there are.
fn triangles(random: &mut Random) -> (String, u32) {
    let count = 1 + random.below(MOST_TRIANGLES);
    let mut corners = Vec::new();
    for triangle in 0..count {
        // The first covers about half of the target; the others may be small.
        let within = |random: &mut Random, pixels: u32| random.below(16 * pixels + 1);
        let (x, y) = (2 * COLUMNS, 2 * ROWS);
        let some: [[u32; 2]; 3] = match triangle {
            0 => [
                [0, 0],
                [16 * x - within(random, 3), within(random, 4)],
                [within(random, x), 16 * y],
            ],
            _ => std::array::from_fn(|_| [within(random, x), within(random, y)]),
        };
        corners.extend(some);
    }
    // The target's size is a power of two, so that nothing is rounded.
    let place = |[x, y]: [u32; 2]| {
        let [x, y] = [(x, COLUMNS), (y, ROWS)].map(|it| it.0 as f32 / (16 * it.1) as f32);
        format!("float2({:?}, {:?})", x - 1.0, 1.0 - y)
    };
    let corners: Vec<String> = corners.into_iter().map(place).collect();
    let text = format!(
        "struct Corner {{ float4 at : SV_Position; nointerpolation uint first : INDEX; }};
static const float2 corners[] = {{ {} }};
Corner main(uint number : SV_VertexID) {{
    Corner corner;
    corner.at = float4(corners[number], 0.5, 1);
    corner.first = number / 3 * {};
    return corner;
}}
",
        corners.join(", "),
        COLUMNS * ROWS * 4
    );
    (text, count)
}

/// The threads of a recorded wave: four for each quad of which a lane is there.
fn packed(wave: &[Option<Seat>]) -> Packed {
    let mut packed = Packed { threads: vec![None; wave.len()], helpers: 0 };
    for (quad, lanes) in wave.chunks(4).enumerate() {
        let Some(seat) = lanes.iter().flatten().next() else { continue };
        let first = ((seat.primitive * ROWS + seat.y / 2) * COLUMNS + seat.x / 2) * 4;
        for (lane, seat) in lanes.iter().enumerate() {
            packed.threads[4 * quad + lane] = Some(first + lane as u32);
            packed.helpers |= u128::from(seat.is_none()) << (4 * quad + lane);
        }
    }
    packed
}
