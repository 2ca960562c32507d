//! `--overlay`: the target, magnified, with its quads, helper lanes or waves drawn over it, or with the meshlets or
//! patches that its pixels belong to.
//!
//! The lane of each pixel is found by drawing the same scene with our own pixel shader: a live lane notes its wave,
//! and the helper lanes of its quad, which cannot write. It shows lanes as they are launched; where
//! primitives overlap, the last one counts. Meshlets and patches are shown where they are visible.

use jobs::Picture;
use wavelane::internal::{Slot, Slots};
use wavelane::texture::Texel;
use wavelane::{Device, NoIncludes, Options, ResourceTable, Shader, ShaderModel, Stage};

use super::Once;
use crate::asked::{DrawArgs, Overlay};
use crate::draw::{Scene, Tables};
use crate::problem::Problem;
use crate::run::{RunArgs, Runs};
use crate::watch::Watch;

/// The pixel shader that notes lanes: the number of the wave for pixels that are covered, and for helper lanes.
const NOTES: &str = "
RWStructuredBuffer<uint2> Lanes : register(u0);
RWStructuredBuffer<uint> Waves : register(u1);
void note(uint helper, uint2 at, uint wave) {
    if (helper != 0 && at.x < WIDTH && at.y < HEIGHT) Lanes[at.y * WIDTH + at.x].y = wave;
}
float4 main(float4 position : SV_Position) : SV_Target {
    uint wave = 0;
    if (WaveIsFirstLane()) InterlockedAdd(Waves[0], 1u, wave);
    wave = WaveReadLaneFirst(wave) + 1;
    uint helper = IsHelperLane();
    uint x = QuadReadAcrossX(helper), y = QuadReadAcrossY(helper), both = QuadReadAcrossDiagonal(helper);
    uint2 at = uint2(position.xy);
    Lanes[at.y * WIDTH + at.x].x = wave;
    note(x, at ^ uint2(1, 0), wave);
    note(y, at ^ uint2(0, 1), wave);
    note(both, at ^ uint2(1, 1), wave);
    return 0;
}
";

/// The pixel shader that notes the meshlet or patch of each pixel that stays visible.
const PARTS: &str = "
RWStructuredBuffer<uint2> Lanes : register(u0);
[earlydepthstencil]
float4 main(float4 position : SV_Position, uint part : SV_PrimitiveID) : SV_Target {
    uint2 at = uint2(position.xy);
    Lanes[at.y * WIDTH + at.x].x = part + 1;
    return 0;
}
";

/// Whether an overlay shows what was drawn, rather than lanes.
fn shows_parts(overlay: Overlay) -> bool {
    match overlay {
        Overlay::Quads | Overlay::Helpers | Overlay::Waves => false,
        Overlay::Meshlets | Overlay::Patches => true,
    }
}

/// Writes a picture for each width.
pub(super) fn write(
    overlay: Overlay,
    args: &RunArgs,
    draw: &DrawArgs,
    scene: &Scene,
    device: &Device,
    runs: &Runs,
    path: &str,
) -> Result<(), Problem> {
    if !path.ends_with(".png") {
        let what = format!("`--overlay` draws a picture, and `{path}` does not end in `.png`");
        return Err(Problem::input(what));
    }
    let missing = match overlay {
        Overlay::Meshlets if draw.mesh.is_none() => Some("`--overlay meshlets` needs `--mesh`"),
        Overlay::Patches if draw.hull.is_none() => Some("`--overlay patches` needs `--hull`"),
        _ => None,
    };
    if let Some(what) = missing {
        return Err(Problem::input(what));
    }
    let [width, height] = draw.size;
    let options = Options {
        stage: Stage::Pixel,
        shader_model: ShaderModel::V6_6,
        defines: [("WIDTH", width), ("HEIGHT", height)]
            .map(|(name, value)| (name.to_owned(), Some(value.to_string())))
            .to_vec(),
        ..Options::default()
    };
    let text = if shows_parts(overlay) { PARTS } else { NOTES };
    let compiled = Shader::compile("<overlay>", text, &options, &mut NoIncludes)
        .map_err(|bug| Problem::bug(&bug.message))?;
    let shader = compiled.shader.ok_or_else(|| Problem::bug("the shader of overlays is wrong"))?;
    let state = scene.state.of_overlay();
    let sources = wavelane::SourceMap::new();
    let pipeline = match overlay {
        Overlay::Meshlets => scene.pipeline_of_groups(device, &state, &shader)?,
        _ => scene.pipeline(device, &state, (&shader, &sources))?,
    };
    let mut tables = Tables::without_pixel(&args.common.bind, scene, draw.size, &sources)?;
    let contents = tables.contents();
    for (lanes, outcome) in &runs.outcomes {
        let mut table = ResourceTable::new(&shader);
        let pixels = width as usize * height as usize;
        for (name, bytes) in [("Lanes", 8 * pixels), ("Waves", 4)] {
            if shader.resource(name).is_none() {
                continue;
            }
            let slot = Slot::new(vec![0; bytes]);
            table.bind_at(name, 0, slot).map_err(|error| Problem::bug(&error.to_string()))?;
        }
        tables.restore(&contents);
        let state = &state;
        let once = Once { pipeline: &pipeline, scene, state, draw, width: *lanes };
        let mut watch = Watch::start(args.common.launch.timeout, 0);
        let drawn = once.run(args, &watch, None, &tables.all(Some(&table)));
        watch.stop();
        drawn.map_err(|error| Problem::input(format!("the overlay: {error}")))?;
        let words = table.get("Lanes", 0).map(|it| words(&it.bytes)).unwrap_or_default();
        let notes = Notes { size: draw.size, words };
        let picture = picture(overlay, draw, &outcome.buffers[0], &notes);
        let file = picture.and_then(|it| it.write());
        let path = path.replace("{width}", &lanes.to_string());
        let file = file.map_err(|what| Problem::input(format!("`{path}`: {what}")))?;
        std::fs::write(&path, file)
            .map_err(|error| Problem::input(format!("`{path}` cannot be written: {error}")))?;
    }
    Ok(())
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
}

/// The magnification: pixels of the picture for each side of a target pixel.
fn scale(size: [u32; 2]) -> u32 {
    (512 / size[0].max(size[1]).max(1)).clamp(4, 32)
}

const BACKGROUND: [f64; 3] = [1.0, 1.0, 1.0];
const LINE: [f64; 3] = [0.1, 0.1, 0.1];
const HELPER: [f64; 3] = [0.85, 0.1, 0.55];

/// What the pixel shader has noted for each pixel: the number of a wave, a meshlet or a patch, counting from 1.
struct Notes {
    size: [u32; 2],
    words: Vec<u32>,
}

impl Notes {
    fn word(&self, [x, y]: [u32; 2], which: usize) -> u32 {
        let [width, height] = self.size;
        let index = (y as usize * width as usize + x as usize) * 2 + which;
        if x < width && y < height { self.words.get(index).copied().unwrap_or(0) } else { 0 }
    }

    fn is_covered(&self, at: [u32; 2]) -> bool {
        self.word(at, 0) != 0
    }

    /// The number for a pixel, which is covered or a helper lane; otherwise 0.
    fn part(&self, at: [u32; 2]) -> u32 {
        self.word(at, 0).max(self.word(at, 1))
    }

    fn is_helper(&self, at: [u32; 2]) -> bool {
        self.part(at) != 0 && !self.is_covered(at)
    }

    /// Whether a line lies between two neighbours: the borders of waves and so on, or those of quads.
    fn parts_ways(&self, overlay: Overlay, a: [u32; 2], b: [u32; 2]) -> bool {
        match colours_parts(overlay) {
            true => self.part(a) != self.part(b),
            false => {
                let is_launched = self.part(a) != 0 || self.part(b) != 0;
                is_launched && a.map(|it| it / 2) != b.map(|it| it / 2)
            }
        }
    }
}

/// Whether each wave, meshlet or patch has a separate colour.
fn colours_parts(overlay: Overlay) -> bool {
    match overlay {
        Overlay::Quads | Overlay::Helpers => false,
        Overlay::Waves | Overlay::Meshlets | Overlay::Patches => true,
    }
}

fn picture(
    overlay: Overlay,
    draw: &DrawArgs,
    target: &Slot,
    notes: &Notes,
) -> Result<Picture, String> {
    let [width, height] = draw.size;
    let format = target.what.texture().map(|it| it.format).ok_or("the target is not a texture")?;
    let scale = scale(draw.size);
    let colour = |at: [u32; 2]| {
        let start = (at[1] as usize * width as usize + at[0] as usize) * format.bytes();
        let texel = format.decode(&target.bytes[start..start + format.bytes()]);
        let own = match texel {
            Texel::Float(it) => [it[0], it[1], it[2]].map(|it| f64::from(it).clamp(0.0, 1.0)),
            Texel::Unsigned(_) | Texel::Signed(_) => [0.6; 3],
        };
        let is_covered = notes.is_covered(at);
        let base = if is_covered { own } else { BACKGROUND };
        match notes.part(at) {
            part if part > 0 && colours_parts(overlay) => {
                mix(base, hue(part), if is_covered { 0.65 } else { 0.3 })
            }
            _ => base,
        }
    };
    let mut pixels = Vec::with_capacity((width * height * scale * scale) as usize);
    for y in 0..height * scale {
        for x in 0..width * scale {
            let (at, [sx, sy]) = ([x / scale, y / scale], [x % scale, y % scale]);
            let mut here = colour(at);
            if notes.is_helper(at) && (sx + sy) % 4 == 0 {
                here = mix(here, HELPER, 0.8);
            }
            let is_launched = notes.part(at) != 0;
            let ends_at = |neighbour: Option<[u32; 2]>| {
                neighbour.map_or(is_launched, |it| notes.parts_ways(overlay, at, it))
            };
            let left = at[0].checked_sub(1).map(|it| [it, at[1]]);
            let above = at[1].checked_sub(1).map(|it| [at[0], it]);
            let is_last = x + 1 == width * scale || y + 1 == height * scale;
            if sx == 0 && ends_at(left) || sy == 0 && ends_at(above) || is_last && is_launched {
                here = LINE;
            }
            pixels.push(here.map(|it| (it * 255.0).round() as u8));
        }
    }
    Picture::rgb8(width * scale, height * scale, &pixels)
}

fn mix(a: [f64; 3], b: [f64; 3], part: f64) -> [f64; 3] {
    [0, 1, 2].map(|it| a[it] * (1.0 - part) + b[it] * part)
}

/// A colour for a number; those of neighbours are far apart.
fn hue(number: u32) -> [f64; 3] {
    let angle = f64::from(number) * 0.618_033_988_749_895 % 1.0 * 6.0;
    [0.0, 4.0, 2.0].map(|offset| {
        let at = (angle + offset) % 6.0;
        (1.0 - ((at - 3.0).abs() - 1.0).clamp(0.0, 1.0)) * 0.8 + 0.1
    })
}
