//! `--overlay`: the target, magnified, with its quads, helper lanes or waves drawn over it, or with the meshlets or patches
//! that its pixels belong to.
//!
//! Which pixel is which lane is found by drawing the same scene with a pixel shader of our own: a live lane notes its wave,
//! and the helper lanes of its quad, which can note nothing themselves. It shows lanes as they are launched; where
//! primitives overlap, the last one counts. Meshlets and patches are shown where they are visible.

use jobs::Picture;
use wavelane::internal::{Slot, Slots};
use wavelane::texture::Texel;
use wavelane::{Device, NoIncludes, Options, ResourceTable, Shader, ShaderModel, Stage};

use super::{Once, Others};
use crate::asked::{DrawArgs, Overlay};
use crate::bind;
use crate::draw::{Scene, for_shader};
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
    let pipeline = match overlay {
        Overlay::Meshlets => scene.pipeline_of_groups(device, &state, &shader)?,
        _ => scene.pipeline(device, &state, &shader)?,
    };
    let sources = wavelane::SourceMap::new();
    let binds = for_shader(&args.common.bind, &scene.vertex);
    let mut vertex = bind::bind(&binds, [1; 3], &scene.vertex, &sources)?.table;
    for (lanes, outcome) in &runs.outcomes {
        let mut table = ResourceTable::new(&shader);
        let pixels = width as usize * height as usize;
        for (name, bytes) in [("Lanes", 8 * pixels), ("Waves", 4)] {
            if shader.resource(name).is_none() {
                continue;
            }
            let slot = Slot { bytes: vec![0; bytes].into(), ..Slot::default() };
            table.bind_at(name, 0, slot).map_err(|error| Problem::bug(&error.to_string()))?;
        }
        let others = Others::bind(scene, args, &sources)?;
        let others = &others;
        let state = &state;
        let once = Once { pipeline: &pipeline, scene, state, others, draw, width: *lanes };
        let mut watch = Watch::start(args.common.launch.timeout, 0);
        let drawn = once.run(args, &watch, None, [&mut vertex, &mut table]);
        watch.stop();
        drawn.map_err(|error| Problem::input(format!("the overlay: {error}")))?;
        let notes: Vec<u32> = match table.get("Lanes", 0) {
            Some(slot) => words(&slot.bytes),
            None => Vec::new(),
        };
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

/// How many pixels of the picture a side of a pixel of the target takes.
fn scale(size: [u32; 2]) -> u32 {
    (512 / size[0].max(size[1]).max(1)).clamp(4, 32)
}

const BACKGROUND: [f64; 3] = [1.0, 1.0, 1.0];
const LINE: [f64; 3] = [0.1, 0.1, 0.1];
const HELPER: [f64; 3] = [0.85, 0.1, 0.55];

fn picture(
    overlay: Overlay,
    draw: &DrawArgs,
    target: &Slot,
    notes: &[u32],
) -> Result<Picture, String> {
    let [width, height] = draw.size;
    let format = target.texture.map(|it| it.format).ok_or("the target is not a texture")?;
    let scale = scale(draw.size);
    let note = |x: u32, y: u32, which: usize| {
        let index = (y as usize * width as usize + x as usize) * 2 + which;
        if x < width && y < height { notes.get(index).copied().unwrap_or(0) } else { 0 }
    };
    // The wave of a lane, be it a helper or not.
    let wave = |x: u32, y: u32| note(x, y, 0).max(note(x, y, 1));
    let colour = |x: u32, y: u32| {
        let at = (y as usize * width as usize + x as usize) * format.bytes();
        let texel = format.decode(&target.bytes[at..at + format.bytes()]);
        let covered = note(x, y, 0) != 0;
        let own = match texel {
            Texel::Float(it) => [it[0], it[1], it[2]].map(|it| f64::from(it).clamp(0.0, 1.0)),
            Texel::Unsigned(_) | Texel::Signed(_) => [0.6; 3],
        };
        let base = if covered { own } else { BACKGROUND };
        match overlay {
            Overlay::Quads => base,
            Overlay::Waves | Overlay::Meshlets | Overlay::Patches if wave(x, y) > 0 => {
                let part = if covered { 0.65 } else { 0.3 };
                mix(base, hue(wave(x, y)), part)
            }
            Overlay::Waves | Overlay::Helpers | Overlay::Meshlets | Overlay::Patches => base,
        }
    };
    let mut pixels = Vec::with_capacity((width * height * scale * scale) as usize);
    for y in 0..height * scale {
        for x in 0..width * scale {
            let (px, py, sx, sy) = (x / scale, y / scale, x % scale, y % scale);
            let mut here = colour(px, py);
            let is_launched = wave(px, py) != 0;
            let is_helper = is_launched && note(px, py, 0) == 0;
            if is_helper && (sx + sy) % 4 == 0 {
                here = mix(here, HELPER, 0.8);
            }
            // Borders at the left and the top of a quad, and of a wave.
            let other = |is_edge: bool, qx: u32, qy: u32| {
                is_edge
                    && match overlay {
                        Overlay::Waves | Overlay::Meshlets | Overlay::Patches => {
                            wave(px, py) != wave(qx, qy)
                        }
                        Overlay::Quads | Overlay::Helpers => {
                            let is_border = (px / 2, py / 2) != (qx / 2, qy / 2);
                            is_border && (is_launched || wave(qx, qy) != 0)
                        }
                    }
            };
            let left = px.checked_sub(1);
            let above = py.checked_sub(1);
            let at_left = sx == 0 && left.map_or(is_launched, |it| other(true, it, py));
            let at_top = sy == 0 && above.map_or(is_launched, |it| other(true, px, it));
            let at_end = (x + 1 == width * scale || y + 1 == height * scale) && is_launched;
            if at_left || at_top || at_end {
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
