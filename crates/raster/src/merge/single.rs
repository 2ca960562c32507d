//! Merging where pixels have one sample: whole waves at a time, in three steps.
//!
//! First the lanes that coverage leaves, then depth and stencil, then one target after the other. Each step takes
//! lanes in ascending order, and the steps write different memory, so that the result is that of
//! [`MergeState::merge_each`], which takes each lane through all of them in turn. Texels of a whole quad are read and
//! written as two pairs.

use ops::LaneMask;
use ops::texture::{Channels, Encoding, Format, MOST_BYTES, Texel};

use super::{Colour, MergeState, Outputs, TargetState, Targets};
use crate::aligned::Aligned;
use crate::blend::{Blend, Colours};
use crate::depth::{
    DepthStencil, DepthStencilState, Pixel, RowDepth, Rule, pixels_of_lanes, words_of_bits,
};
use crate::each::each4;
use crate::sample::Samples;
use crate::signature::Scalar;
use crate::state::Viewport;
use crate::target::Target;
use crate::wave::{Quad, Run, Wave};

/// The most lanes of a wave.
const LANES: usize = 128;

/// The four lanes of a quad among those of a wave.
#[inline(always)]
fn of_quad(lanes: LaneMask, quad: usize) -> u32 {
    (lanes.0 >> (4 * quad)) as u32 & 15
}

/// The lanes of a quad that a mask of four bits has.
#[inline(always)]
fn each(lanes: u32) -> impl Iterator<Item = usize> {
    (0..4).filter(move |lane| lanes >> lane & 1 == 1)
}

/// The lanes for which `keep` holds.
#[inline(always)]
fn filter(lanes: LaneMask, mut keep: impl FnMut(u32) -> bool) -> LaneMask {
    LaneMask(lanes.iter().fold(0, |all, lane| all | u128::from(keep(lane)) << lane))
}

#[inline(always)]
fn pixel(quad: &Quad, lane: usize) -> [u32; 2] {
    [(quad.x + (lane % 2) as i32) as u32, (quad.y + (lane / 2) as i32) as u32]
}

impl MergeState {
    #[inline(always)]
    pub(super) fn merge_single<const FUSED: bool>(
        &self,
        wave: &Wave,
        lanes: LaneMask,
        outputs: &Outputs<'_>,
        targets: &mut Targets<'_>,
    ) {
        let mut lanes = lanes & wave.lanes() & !wave.helpers();
        if let Some(row) = outputs.coverage {
            lanes = filter(lanes, |lane| row[lane as usize] & 1 == 1);
        } else if self.alpha_to_coverage {
            let leaves = |lane| {
                // There is one sample to choose from, wherever the pixel is.
                self.alpha_coverage(Samples::One, outputs, lane as usize, [0; 2]) & 1 == 1
            };
            lanes = filter(lanes, leaves);
        }
        if let Some(target) = targets.depth_stencil.as_mut().filter(|_| !self.early) {
            lanes = target.test_wave(&self.depth_stencil, wave, lanes, outputs);
        }
        if lanes.is_empty() {
            return;
        }
        let dual = self.state(0).blend.is_some_and(Blend::is_dual_source);
        let colours = outputs.colours.iter().zip(&mut targets.colours).enumerate();
        for (i, (colour, target)) in colours {
            let (Some(colour), Some(target)) = (colour, target) else { continue };
            if dual && i > 0 {
                break;
            }
            let src1 = outputs.colours.get(1).and_then(Option::as_ref).filter(|_| dual);
            self.write_wave::<FUSED>(self.state(i), wave, lanes, colour, src1, target);
        }
    }

    /// Writes one target.
    #[inline(always)]
    fn write_wave<const FUSED: bool>(
        &self,
        state: TargetState,
        wave: &Wave,
        lanes: LaneMask,
        colour: &Colour<'_>,
        src1: Option<&Colour<'_>>,
        target: &mut Target<'_>,
    ) {
        let format = target.format;
        let all = (1 << format.channels().count()) - 1;
        if state.logic.is_none() && state.write_mask & all == all {
            match state.blend {
                None => return store::<FUSED>(format, wave, lanes, colour, target),
                Some(blend) if src1.is_none() && is_small_unorm(format) => {
                    return self.blend_bytes(blend, wave, lanes, colour, target);
                }
                Some(_) => {}
            }
        }
        for lane in lanes.iter() {
            let at = lane as usize;
            let quad = &wave.quad(at / 4);
            let src1 = src1.map_or([0.0; 4], |it| it.floats(at));
            if let Some(texel) = target.texel(pixel(quad, at % 4), quad.layer, 0) {
                self.write(state, format, colour, src1, at, texel);
            }
        }
    }

    /// Blends with texels of four normalised bytes.
    fn blend_bytes(
        &self,
        blend: Blend,
        wave: &Wave,
        lanes: LaneMask,
        colour: &Colour<'_>,
        target: &mut Target<'_>,
    ) {
        let format = target.format;
        let order = byte_order(format);
        for (i, quad) in wave.quads().enumerate() {
            for lane in each(of_quad(lanes, i)) {
                let Some(texel) = target.texel(pixel(&quad, lane), quad.layer, 0) else { continue };
                let dst = order.map(|it| BYTES[usize::from(texel[it])]);
                let (src, src1, constant) =
                    (colour.floats(4 * i + lane), [0.0; 4], self.blend_factor);
                let blended = blend.apply(format, Colours { src, src1, dst, constant });
                for (place, number) in order.into_iter().zip(blended) {
                    texel[place] = to_byte(number) as u8;
                }
            }
        }
    }
}

/// Whether texels are four normalised bytes without a curve.
#[inline(always)]
fn is_small_unorm(format: Format) -> bool {
    matches!(
        format,
        Format::Plain { channels: Channels::Rgba, bits: 8, encoding: Encoding::Unorm }
            | Format::Bgra8 { srgb: false }
    )
}

/// Where the components of four bytes lie.
#[inline(always)]
fn byte_order(format: Format) -> [usize; 4] {
    if matches!(format, Format::Bgra8 { .. }) { [2, 1, 0, 3] } else { [0, 1, 2, 3] }
}

/// The numbers that normalised bytes hold: quotients in f64, rounded again.
static BYTES: [f32; 256] = {
    let mut numbers = [0.0; 256];
    let mut byte = 0;
    while byte < 256 {
        numbers[byte] = (byte as f64 / 255.0) as f32;
        byte += 1;
    }
    numbers
};

/// The normalised byte nearest to a number; NaN is 0.
///
/// The product has 32 significant bits, and is exact in f64. Only 127.5 lies between two integers, and its even
/// neighbour is the one above, so that rounding ties to even, as the addition does, is rounding them up.
#[inline(always)]
fn to_byte(number: f32) -> u32 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let number = if number > 0.0 { number } else { 0.0 };
    let number = if number < 1.0 { number } else { 1.0 };
    (f64::from(number) * 255.0 + ROUND).to_bits() as u32
}

/// The normalised bytes nearest to numbers, as [`to_byte`]: the sum is rounded once, and is where units are the last
/// bits of f32.
#[inline(always)]
#[expect(
    clippy::disallowed_methods,
    reason = "IEEE 754 defines fused multiplication and addition to the last bit"
)]
fn to_byte_fused(number: f32) -> u32 {
    const ROUND: f32 = 12_582_912.0;
    let number = if number > 0.0 { number } else { 0.0 };
    // The bits of numbers from 0 on have their order. PERF: a minimum of floats would be selected after the sum.
    let number = f32::from_bits(number.to_bits().min(1.0f32.to_bits()));
    number.mul_add(255.0, ROUND).to_bits()
}

/// Writes texels as they are.
#[inline(always)]
fn store<const FUSED: bool>(
    format: Format,
    wave: &Wave,
    lanes: LaneMask,
    colour: &Colour<'_>,
    target: &mut Target<'_>,
) {
    match format.bytes() {
        1 => store_sized::<1, FUSED>(format, wave, lanes, colour, target),
        2 => store_sized::<2, FUSED>(format, wave, lanes, colour, target),
        4 => store_sized::<4, FUSED>(format, wave, lanes, colour, target),
        8 => store_sized::<8, FUSED>(format, wave, lanes, colour, target),
        16 => store_sized::<16, FUSED>(format, wave, lanes, colour, target),
        size => {
            let mut texel = [0; MOST_BYTES];
            for lane in lanes.iter() {
                let quad = &wave.quad(lane as usize / 4);
                format.encode(colour.texel(lane as usize, format), &mut texel);
                let at = pixel(quad, lane as usize % 4);
                if let Some(place) = target.texel(at, quad.layer, 0) {
                    place.copy_from_slice(&texel[..size]);
                }
            }
        }
    }
}

#[inline(always)]
fn store_sized<const SIZE: usize, const FUSED: bool>(
    format: Format,
    wave: &Wave,
    lanes: LaneMask,
    colour: &Colour<'_>,
    target: &mut Target<'_>,
) {
    let Aligned(texels) = &mut Aligned([[0; SIZE]; LANES]);
    encode::<SIZE, FUSED>(format, colour, lanes, &mut texels[..4 * wave.count()]);
    for run in &wave.runs {
        let of = texels[4 * run.start..4 * run.end].as_chunks::<4>().0;
        let live = Wave::live_of(*run, lanes);
        if live == 0 {
            continue;
        }
        if let Some([upper, lower]) = solid(wave, *run, target) {
            if live != Wave::all_of(*run) {
                let mut rows = [[[[0; SIZE]; 2]; LANES / 4]; 2];
                let [first, second] = &mut rows;
                split_rows(of, first, second);
                let [upper_live, lower_live] = pixels_of_lanes(live);
                write_live(upper, first.as_flattened(), &words_of_bits(upper_live));
                write_live(lower, second.as_flattened(), &words_of_bits(lower_live));
                continue;
            }
            let (upper, lower) = (upper.as_chunks_mut::<SIZE>().0, lower.as_chunks_mut::<SIZE>().0);
            split_rows(of, upper.as_chunks_mut::<2>().0, lower.as_chunks_mut::<2>().0);
            continue;
        }
        for (of, i) in of.iter().zip(run.start..run.end) {
            let covered = of_quad(lanes, i);
            if covered == 0 {
                continue;
            }
            let quad = &wave.quad_of(*run, i);
            if let Some([upper, lower]) = target.pairs(quad, 1) {
                let (upper, lower) =
                    (upper.as_chunks_mut::<SIZE>().0, lower.as_chunks_mut::<SIZE>().0);
                if let ([a, b], [c, d]) = (upper, lower) {
                    // Without branches: a quad at an edge may have any of its pixels covered.
                    for (lane, place) in [a, b, c, d].into_iter().enumerate() {
                        *place = if covered >> lane & 1 == 1 { of[lane] } else { *place };
                    }
                }
                continue;
            }
            for lane in each(covered) {
                if let Some(place) = target.texel(pixel(quad, lane), quad.layer, 0) {
                    place.copy_from_slice(&of[lane]);
                }
            }
        }
    }
}

/// The two rows of pixels of quads.
#[inline(always)]
fn split_rows<const SIZE: usize>(
    quads: &[[[u8; SIZE]; 4]],
    upper: &mut [[[u8; SIZE]; 2]],
    lower: &mut [[[u8; SIZE]; 2]],
) {
    if SIZE == 4 {
        // In longs, which the compiler loads and stores as vectors.
        let (longs, _) = quads.as_flattened().as_flattened().as_chunks::<8>();
        let upper = upper.as_flattened_mut().as_flattened_mut().as_chunks_mut::<8>().0;
        let lower = lower.as_flattened_mut().as_flattened_mut().as_chunks_mut::<8>().0;
        let places = upper.iter_mut().zip(lower);
        for ([first, second], (upper, lower)) in longs.as_chunks::<2>().0.iter().zip(places) {
            let (first, second) = (u64::from_le_bytes(*first), u64::from_le_bytes(*second));
            *upper = first.to_le_bytes();
            *lower = second.to_le_bytes();
        }
        return;
    }
    for ((quad, upper), lower) in quads.iter().zip(upper).zip(lower) {
        *upper = [quad[0], quad[1]];
        *lower = [quad[2], quad[3]];
    }
}

/// The two rows of pixels of a solid run.
#[inline(always)]
fn solid<'a>(wave: &Wave, run: Run, target: &'a mut Target<'_>) -> Option<[&'a mut [u8]; 2]> {
    if !run.is_solid {
        return None;
    }
    target.pairs(&wave.listed(run)[0], run.end - run.start)
}

/// Writes those texels of a row whose words are set.
#[inline(always)]
fn write_live<const SIZE: usize>(row: &mut [u8], new: &[[u8; SIZE]], live: &[u32]) {
    if SIZE == 4 {
        let (row, new) = (row.as_chunks_mut().0, new.as_flattened().as_chunks().0);
        for ((place, new), live) in row.iter_mut().zip(new).zip(live) {
            let (old, new) = (u32::from_le_bytes(*place), u32::from_le_bytes(*new));
            *place = (old & !live | new & live).to_le_bytes();
        }
        return;
    }
    let (row, _) = row.as_chunks_mut::<SIZE>();
    for ((place, new), live) in row.iter_mut().zip(new).zip(live) {
        *place = if *live != 0 { *new } else { *place };
    }
}

/// The bytes of the texels of lanes.
#[inline(always)]
fn encode<const SIZE: usize, const FUSED: bool>(
    format: Format,
    colour: &Colour<'_>,
    lanes: LaneMask,
    texels: &mut [[u8; SIZE]],
) {
    let rows = colour.rows;
    if colour.scalar == Scalar::F32 && is_small_unorm(format) {
        static ZEROS: [u32; LANES] = [0; LANES];
        let count = texels.len();
        let [r, g, b, a] = each4(rows, |row| &row.unwrap_or(&ZEROS)[..count]);
        let (first, third) = if byte_order(format)[0] == 0 { (r, b) } else { (b, r) };
        let byte = |bits: u32| {
            let number = f32::from_bits(bits);
            (if FUSED { to_byte_fused(number) } else { to_byte(number) }) & 0xff
        };
        // PERF: without indices. Their bounds left the last vector to a loop over lanes: a quarter of the time of
        // merging.
        let lanes = first.iter().zip(g).zip(third).zip(a);
        for (texel, (((first, g), third), a)) in texels.iter_mut().zip(lanes) {
            let word = byte(*first) | byte(*g) << 8 | byte(*third) << 16 | byte(*a) << 24;
            texel.copy_from_slice(&word.to_le_bytes()[..SIZE]);
        }
        return;
    }
    // A move keeps the bits of a NaN.
    if colour.scalar == Scalar::F32
        && let Format::Plain { bits: 32, encoding: Encoding::Float, .. } = format
    {
        for (component, row) in rows.iter().enumerate().take(format.channels().count()) {
            let Some(row) = row else { continue };
            for (texel, bits) in texels.iter_mut().zip(*row) {
                texel[4 * component..4 * component + 4].copy_from_slice(&bits.to_le_bytes());
            }
        }
        return;
    }
    for lane in lanes.iter() {
        let texel: Texel = colour.texel(lane as usize, format);
        format.encode(texel, &mut texels[lane as usize]);
    }
}

impl DepthStencil<'_> {
    /// Tests lanes and updates the buffer. Returns those that pass.
    #[inline(always)]
    fn test_wave(
        &mut self,
        state: &DepthStencilState,
        wave: &Wave,
        lanes: LaneMask,
        outputs: &Outputs<'_>,
    ) -> LaneMask {
        if state.depth.is_none() && state.stencil.is_none() {
            return lanes;
        }
        let plane = self.depth.as_mut().filter(|_| state.stencil.is_none());
        let rule = state.depth.map(|it| (Rule::of(it.func), it.write));
        let mut fast = plane.zip(rule).filter(|_| self.format.is_float());
        let mut passed = 0;
        let mut rest = LaneMask::EMPTY;
        for run in &wave.runs {
            let geometry = &wave.records[run.record as usize].geometry;
            let constant = geometry.constant_depth();
            let constant = constant.map(|z| Viewport::clamp_depth(geometry.depth_range, z));
            let planes = geometry.planes();
            let live = Wave::live_of(*run, lanes);
            if live == 0 {
                continue;
            }
            if let Some((plane, (rule, write))) = &mut fast
                && outputs.depth.is_none()
                && let Some(rows) = solid(wave, *run, plane)
            {
                let quad = &wave.listed(*run)[0];
                let depth = match constant {
                    Some(z) => RowDepth::Constant(z),
                    None => RowDepth::Plane(geometry, &planes),
                };
                let at = [quad.x, quad.y];
                passed |= rule.test_rows(*write, &depth, at, rows, live) << (4 * run.start);
                continue;
            }
            for i in run.start..run.end {
                let covered = of_quad(lanes, i);
                if covered == 0 {
                    continue;
                }
                let quad = &wave.quad_of(*run, i);
                let Some((plane, (rule, write))) = &mut fast else {
                    rest.0 |= u128::from(covered) << (4 * i);
                    continue;
                };
                let Some([upper, lower]) = plane.pairs(quad, 1) else {
                    rest.0 |= u128::from(covered) << (4 * i);
                    continue;
                };
                let z = match (outputs.depth, constant) {
                    (Some(row), _) => std::array::from_fn(|lane| {
                        let z = f32::from_bits(row[4 * i + lane]);
                        Viewport::clamp_depth(geometry.depth_range, z)
                    }),
                    (None, Some(z)) => [z; 4],
                    (None, None) => geometry
                        .depths(&planes, quad.x, quad.y)
                        .map(|z| Viewport::clamp_depth(geometry.depth_range, z)),
                };
                passed |= u128::from(rule.test(*write, z, covered, upper, lower)) << (4 * i);
            }
        }
        // Quads at the border of the target, and other rare cases.
        let each = filter(rest, |lane| {
            let at = lane as usize;
            let quad = &wave.quad(at / 4);
            let record = wave.record(quad);
            let [x, y] = pixel(quad, at % 4);
            let depth = |sample: u32| match outputs.depth {
                Some(row) => {
                    let z = f32::from_bits(row[at]);
                    Viewport::clamp_depth(record.geometry.depth_range, z)
                }
                None => record.depth(Samples::One, x as i32, y as i32, sample),
            };
            let reference = outputs.stencil_ref.map(|row| row[at] as u8);
            let (layer, front) = (quad.layer, record.front);
            let pixel = Pixel { at: [x, y], layer, covered: 1, front, reference };
            self.test(state, &pixel, depth) == 1
        });
        LaneMask(passed) | each
    }
}

#[cfg(test)]
mod tests {
    use ops::Random;
    use ops::texture::Comparison;

    use super::*;
    use crate::blend::{BlendOp, Equation, Factor};
    use crate::depth::{DepthFormat, DepthState, StencilFace, StencilOp, StencilState};
    use crate::logic::LogicOp;
    use crate::rasterizer::{Batch, Rasterizer, Vertices};
    use crate::signature::{Inputs, VertexLayout};
    use crate::state::RasterState;
    use crate::target::Layout;
    use crate::topology::{Assembly, Topology};

    const COMPARISONS: [Comparison; 8] = [
        Comparison::Never,
        Comparison::Less,
        Comparison::Equal,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::NotEqual,
        Comparison::GreaterEqual,
        Comparison::Always,
    ];

    const FORMATS: [&str; 16] = [
        "RGBA8_UNORM",
        "RGBA8_UNORM",
        "BGRA8_UNORM",
        "RGBA8_UNORM_SRGB",
        "RGBA32_FLOAT",
        "RG32_FLOAT",
        "R32_FLOAT",
        "RGBA16_FLOAT",
        "RGB10A2_UNORM",
        "RG11B10_FLOAT",
        "R8_UNORM",
        "RG8_SNORM",
        "RGBA8_UINT",
        "R32_UINT",
        "RGBA16_SINT",
        "RGB32_FLOAT",
    ];

    fn equation(random: &mut Random) -> Equation {
        let ops = [BlendOp::Add, BlendOp::Add, BlendOp::Subtract, BlendOp::Min, BlendOp::Max];
        // All but those that need a second output.
        let mut factor = || random.pick(&Factor::ALL[..13]).1;
        let (src, dst) = (factor(), factor());
        Equation { src, dst, op: *random.pick(&ops) }
    }

    fn state(random: &mut Random) -> MergeState {
        let target = |random: &mut Random| TargetState {
            blend: random
                .one_in(3)
                .then(|| Blend { color: equation(random), alpha: equation(random) }),
            logic: None,
            write_mask: if random.one_in(4) { random.below(16) as u8 } else { 15 },
        };
        let mut merge = MergeState {
            targets: vec![target(random), target(random)],
            blend_factor: std::array::from_fn(|_| (random.unit() * 1.5) as f32),
            alpha_to_coverage: random.one_in(5),
            ..MergeState::default()
        };
        if random.one_in(8) {
            let (_, op) = *random.pick(&LogicOp::ALL);
            merge.targets[0] = TargetState { logic: Some(op), ..TargetState::default() };
        }
        let func = *random.pick(&COMPARISONS);
        let write = !random.one_in(3);
        merge.depth_stencil.depth = (!random.one_in(4)).then_some(DepthState { func, write });
        if random.one_in(5) {
            let pass = StencilOp::Incr;
            let face = StencilFace { func: *random.pick(&COMPARISONS), pass, ..Default::default() };
            let both = StencilState { reference: 2, front: face, back: face, ..Default::default() };
            merge.depth_stencil.stencil = Some(both);
        }
        merge
    }

    /// The contents of all targets.
    #[derive(Clone, PartialEq, Debug)]
    struct Memory {
        formats: [Format; 2],
        colours: [Vec<u8>; 2],
        depth_format: DepthFormat,
        depth: Vec<u8>,
        stencil: Vec<u8>,
    }

    impl Memory {
        fn with(&mut self, layout: Layout, change: impl FnOnce(&mut Targets<'_>)) {
            let colours = self.colours.iter_mut().zip(self.formats);
            let colours = colours.map(|(bytes, format)| Target::new(format, layout, bytes));
            let bytes = Format::parse("R8_UINT").unwrap();
            let mut targets = Targets {
                colours: colours.collect(),
                depth_stencil: Some(DepthStencil {
                    format: self.depth_format,
                    depth: Target::new(self.depth_format.plane(), layout, &mut self.depth),
                    stencil: Target::new(bytes, layout, &mut self.stencil),
                }),
            };
            change(&mut targets);
        }
    }

    /// Generated meshes with generated states: each wave is merged in both ways, into memories that must stay equal.
    #[test]
    fn whole_waves_merge_as_one_lane_after_the_other() {
        let mut random = Random::new(8);
        let mut waves = 0;
        for round in 0..400 {
            // Odd sizes leave quads that the target cuts.
            let size = [64, 33, 7][round % 3];
            let raster = RasterState::new(size, size);
            let layout = Layout::new(size, size, 1, 1);
            let is_level = random.one_in(2);
            let mut words = Vec::new();
            for _ in 0..3 * (1 + random.below(5)) {
                let mut place = || (random.unit() * 5.0 - 2.5) as f32;
                let (x, y) = (place(), place());
                let z = if is_level { 0.25 } else { random.unit() as f32 };
                words.extend([x, y, z, 1.0].map(f32::to_bits));
            }
            let merge = state(&mut random);
            let integer = random.one_in(6);
            let pick = |random: &mut Random| loop {
                let format = Format::parse(FORMATS[random.below(16)]).unwrap();
                let needs = merge.targets[0].logic.is_some() || integer;
                if format.is_integer() == needs {
                    return format;
                }
            };
            let formats = [pick(&mut random), pick(&mut random)];
            let depth_format = *random.pick(&[
                DepthFormat::D32Float,
                DepthFormat::D32Float,
                DepthFormat::D16Unorm,
            ]);
            let mut bytes =
                |count: usize| -> Vec<u8> { (0..count).map(|_| random.bits() as u8).collect() };
            let texels = layout.texels();
            let mut fast = Memory {
                formats,
                colours: formats.map(|it| bytes(it.bytes() * texels)),
                depth_format,
                depth: depth_format.cleared(0.5, &layout),
                stencil: bytes(texels).into_iter().map(|it| it % 4).collect(),
            };
            let mut slow = fast.clone();
            let layout_of_vertices =
                VertexLayout { position: Some([0, 1, 2, 3]), ..VertexLayout::default() };
            let inputs = Inputs::new(Vec::new(), layout_of_vertices);
            let width = *random.pick(&[4, 16, 64, 128]);
            let mut wave = Wave::new(width, &raster);
            let topology = Topology::TriangleList;
            let assembly = Assembly::plain(topology, words.len() as u32 / 4);
            let mut primitives = assembly.primitives();
            let mut rasterizer = Rasterizer::new(raster, inputs, topology.kind());
            let vertices = Vertices { words: &words, slots: 4 };
            let mut batch = Batch { vertices, primitives: &mut primitives };
            while rasterizer.fill(&mut batch, None, &mut wave) || !wave.is_empty() {
                waves += 1;
                let scalar = if integer { Scalar::Int { bits: 32 } } else { Scalar::F32 };
                let special = [f32::NAN, f32::INFINITY, -0.0, 1e-40, 0.5, 1.0, 127.5 / 255.0];
                let mut row = |_| -> Vec<u32> {
                    let value = |random: &mut Random| match random.below(8) {
                        _ if integer => random.bits() as u32,
                        0 => random.pick(&special).to_bits(),
                        1 => ((random.below(511) as f32) / 510.0).to_bits(),
                        _ => ((random.unit() * 2.0 - 0.5) as f32).to_bits(),
                    };
                    (0..width).map(|_| value(&mut random)).collect()
                };
                let rows: [[Vec<u32>; 4]; 2] = [(); 2].map(|()| std::array::from_fn(&mut row));
                let depths = row(4);
                let coverage: Vec<u32> = row(5).iter().map(|it| it >> 3 & 1).collect();
                let lanes = LaneMask(if random.one_in(2) {
                    u128::MAX
                } else {
                    u128::from(random.bits()) << 64 | u128::from(random.bits())
                });
                let missing = random.one_in(5);
                let colours = rows.iter().map(|of| {
                    let row = |i: usize| (i < 3 || !missing).then_some(&of[i][..]);
                    Some(Colour { rows: [row(0), row(1), row(2), row(3)], scalar })
                });
                let outputs = Outputs {
                    depth: random.one_in(6).then_some(&depths),
                    coverage: random.one_in(6).then_some(&coverage),
                    ..Outputs::of_colours(colours)
                };
                let lanes = lanes & !wave.helpers();
                fast.with(layout, |it| match random.one_in(2) {
                    true => merge.merge_single::<true>(&wave, lanes, &outputs, it),
                    false => merge.merge_single::<false>(&wave, lanes, &outputs, it),
                });
                slow.with(layout, |it| merge.merge_each(&wave, lanes, &outputs, it));
                assert!(fast == slow, "{round} {formats:?} {merge:?}");
                wave.clear();
            }
        }
        assert!(waves > 5000, "{waves}");
    }

    #[test]
    fn bytes_are_those_of_the_formats_conversion() {
        let format = Format::parse("R8_UNORM").unwrap();
        let check = |number: f32| {
            let mut byte = [0];
            format.encode(Texel::Float([number; 4]), &mut byte);
            assert_eq!(to_byte(number) & 0xff, u32::from(byte[0]), "{number:e}");
            assert_eq!(to_byte_fused(number) & 0xff, u32::from(byte[0]), "{number:e}");
        };
        for units in 0..=510u32 {
            // Around each number and each halfway point.
            let number = units as f32 / 510.0;
            let (mut below, mut above) = (number, number);
            for _ in 0..50 {
                check(below);
                check(above);
                (below, above) = (below.next_down(), above.next_up());
            }
        }
        let ends = [f32::NAN, f32::INFINITY, -f32::INFINITY, -0.0, 1e-45, -1.0, 2.0, f32::MAX];
        ends.into_iter().for_each(check);
        for (byte, number) in BYTES.iter().enumerate() {
            assert_eq!(format.decode(&[byte as u8]), Texel::Float([*number, 0.0, 0.0, 1.0]));
        }
    }
}
