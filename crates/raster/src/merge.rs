//! The output merger: from a wave's outputs to the targets.
//!
//! Lanes are merged in ascending order, and waves one after the other, so that targets are written in the order of
//! primitives. For each sample: coverage, stencil, depth, then blending and writing.
//!
//! Spec: Direct3D 11.3, chapter 17.

mod single;

use ops::texture::{Encoding, Format, MOST_BYTES, Texel};
use ops::{F16, LaneMask};

use crate::blend::{Blend, Colours};
use crate::cover::place;
use crate::depth::{DepthStencil, DepthStencilState, Pixel};
use crate::logic::LogicOp;
use crate::sample::Samples;
use crate::signature::Scalar;
use crate::state::Viewport;
use crate::target::Target;
use crate::wave::{Record, Wave};

/// How a target is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetState {
    pub blend: Option<Blend>,
    /// For unsigned integer formats only; blending is off then.
    pub logic: Option<LogicOp>,
    /// Bit c is component c.
    pub write_mask: u8,
}

/// How a wave's outputs are merged.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MergeState {
    /// One for each target; the default for those that are missing.
    pub targets: Vec<TargetState>,
    pub blend_factor: [f32; 4],
    pub alpha_to_coverage: bool,
    pub alpha_samples: AlphaSamples,
    pub depth_stencil: DepthStencilState,
    /// Depth and stencil were tested before the shader ran.
    pub early: bool,
}

/// Which samples alpha leaves; only their number follows from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlphaSamples {
    #[default]
    First,
    Last,
    /// Different ones in each pixel and for each number: the samples of a smaller alpha need not be among those of a
    /// larger one.
    Dithered,
}

/// The most colour targets of a draw.
pub const MOST_TARGETS: usize = 8;

/// The rows of one colour output; missing components are 0.
#[derive(Clone, Copy, Debug)]
pub struct Colour<'a> {
    pub rows: [Option<&'a [u32]>; 4],
    pub scalar: Scalar,
}

/// The outputs of a wave, each a row with an element for each lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outputs<'a> {
    /// `SV_Target0` and so on. An output that is not declared leaves its target alone.
    pub colours: [Option<Colour<'a>>; MOST_TARGETS],
    /// `SV_Depth` in any of its forms.
    pub depth: Option<&'a [u32]>,
    /// `SV_Coverage`.
    pub coverage: Option<&'a [u32]>,
    /// `SV_StencilRef`.
    pub stencil_ref: Option<&'a [u32]>,
}

/// The bound targets.
#[derive(Debug, Default)]
pub struct Targets<'a> {
    pub colours: Vec<Option<Target<'a>>>,
    pub depth_stencil: Option<DepthStencil<'a>>,
}

impl<'a> Targets<'a> {
    /// Parts with this many rows each except the last, for draws on several threads. All targets have one slice and
    /// one height.
    pub fn bands(self, height: u32) -> Vec<Targets<'a>> {
        let mut bands: Vec<Targets<'a>> = Vec::new();
        let mut split = |target: Option<Target<'a>>| {
            let parts = target.map(|it| it.bands(height)).unwrap_or_default();
            bands.resize_with(bands.len().max(parts.len()), Targets::default);
            parts
        };
        let colours: Vec<Vec<Target<'a>>> = self.colours.into_iter().map(&mut split).collect();
        let planes = self.depth_stencil.map(|it| (it.format, split(it.depth), split(it.stencil)));
        for of_target in colours {
            let mut parts = of_target.into_iter();
            bands.iter_mut().for_each(|it| it.colours.push(parts.next()));
        }
        if let Some((format, depth, stencil)) = planes {
            let (mut depth, mut stencil) = (depth.into_iter(), stencil.into_iter());
            for band in &mut bands {
                let (depth, stencil) = (depth.next(), stencil.next());
                band.depth_stencil = Some(DepthStencil { format, depth, stencil });
            }
        }
        bands
    }
}

impl<'a> Outputs<'a> {
    /// Colours for the first targets, in their order.
    pub fn of_colours(colours: impl IntoIterator<Item = Option<Colour<'a>>>) -> Outputs<'a> {
        let mut outputs = Outputs::default();
        outputs.colours.iter_mut().zip(colours).for_each(|(to, from)| *to = from);
        outputs
    }
}

impl Default for TargetState {
    /// Written as it is.
    fn default() -> TargetState {
        TargetState { blend: None, logic: None, write_mask: 15 }
    }
}

impl Record {
    /// The depth at a sample, within the viewport's range.
    pub(crate) fn depth(&self, samples: Samples, x: i32, y: i32, sample: u32) -> f32 {
        let [x, y] = place(x, y, samples.offsets()[sample as usize]);
        Viewport::clamp_depth(self.geometry.depth_range, self.geometry.depth(x, y))
    }
}

impl MergeState {
    /// Merges the outputs of those lanes of a wave that are not helpers at its end.
    pub fn merge(
        &self,
        wave: &Wave,
        lanes: LaneMask,
        outputs: &Outputs<'_>,
        targets: &mut Targets<'_>,
    ) {
        self.merge_inline::<false>(wave, lanes, outputs, targets);
    }

    /// The same, inlined into the caller, which may be compiled for more instructions. `FUSED`: fused multiplication
    /// and addition is one of them.
    #[inline(always)]
    pub fn merge_inline<const FUSED: bool>(
        &self,
        wave: &Wave,
        lanes: LaneMask,
        outputs: &Outputs<'_>,
        targets: &mut Targets<'_>,
    ) {
        if wave.samples == Samples::One {
            self.merge_single::<FUSED>(wave, lanes, outputs, targets);
        } else {
            self.merge_each(wave, lanes, outputs, targets);
        }
    }

    /// Merges one lane after the other. This is the definition of merging.
    fn merge_each(
        &self,
        wave: &Wave,
        lanes: LaneMask,
        outputs: &Outputs<'_>,
        targets: &mut Targets<'_>,
    ) {
        let dual = self.state(0).blend.is_some_and(Blend::is_dual_source);
        for lane in (lanes & wave.lanes()).iter() {
            let at = lane as usize;
            let quad = &wave.quad(at / 4);
            let [x, y] = wave.pixel(lane);
            let mut covered = quad.covered[at % 4];
            if let Some(row) = outputs.coverage {
                covered &= row[at] as u16;
            } else if self.alpha_to_coverage {
                covered &= self.alpha_coverage(wave.samples, outputs, at, [x, y]);
            }
            if covered == 0 {
                continue;
            }
            let pixel = [x as u32, y as u32];
            let record = wave.record(quad);
            if let Some(target) = targets.depth_stencil.as_mut().filter(|_| !self.early) {
                let range = record.geometry.depth_range;
                let written = outputs.depth.map(|row| f32::from_bits(row[at]));
                let depth = |sample: u32| match written {
                    Some(z) => Viewport::clamp_depth(range, z),
                    None => record.depth(wave.samples, x, y, sample),
                };
                let reference = outputs.stencil_ref.map(|row| row[at] as u8);
                let (layer, front) = (quad.layer, record.front);
                let pixel = Pixel { at: pixel, layer, covered, front, reference };
                covered = target.test(&self.depth_stencil, &pixel, depth);
            }
            let colours = outputs.colours.iter().zip(&mut targets.colours).enumerate();
            for (i, (colour, target)) in colours {
                let (Some(colour), Some(target)) = (colour, target) else { continue };
                if dual && i > 0 {
                    break;
                }
                let src1 = match outputs.colours.get(1) {
                    Some(Some(src1)) if dual => src1.floats(at),
                    _ => [0.0; 4],
                };
                let state = self.state(i);
                let mut rest = covered;
                while rest != 0 {
                    let sample = rest.trailing_zeros();
                    rest &= rest - 1;
                    let format = target.format;
                    if let Some(texel) = target.texel(pixel, quad.layer, sample) {
                        self.write(state, format, colour, src1, at, texel);
                    }
                }
            }
        }
    }

    /// The samples that alpha leaves. NaN leaves none.
    fn alpha_coverage(
        &self,
        samples: Samples,
        outputs: &Outputs<'_>,
        lane: usize,
        [x, y]: [i32; 2],
    ) -> u16 {
        let Some(Some(colour)) = outputs.colours.first() else { return u16::MAX };
        if colour.rows[3].is_none() {
            return u16::MAX;
        }
        let alpha = f64::from(colour.floats(lane)[3]);
        let alpha = if alpha.is_nan() { 0.0 } else { alpha.clamp(0.0, 1.0) };
        let all = samples.count();
        let count = (alpha * f64::from(all)).round() as u32;
        let first = match self.alpha_samples {
            AlphaSamples::First => 0,
            AlphaSamples::Last => all - count,
            AlphaSamples::Dithered => {
                (x as u32).wrapping_add((y as u32).wrapping_mul(2)).wrapping_add(count) % all
            }
        };
        let chosen = ((1u32 << count) - 1) << first;
        // Those beyond the last sample are the first ones.
        (chosen | chosen >> all) as u16 & samples.all()
    }

    fn state(&self, target: usize) -> TargetState {
        self.targets.get(target).copied().unwrap_or_default()
    }

    /// Writes one sample.
    fn write(
        &self,
        state: TargetState,
        format: Format,
        colour: &Colour<'_>,
        src1: [f32; 4],
        lane: usize,
        texel: &mut [u8],
    ) {
        let all = (1 << format.channels().count()) - 1;
        if state.logic.is_none() && state.blend.is_none() && state.write_mask & all == all {
            return format.encode(colour.texel(lane, format), texel);
        }
        let mut new = [0; MOST_BYTES];
        let new = &mut new[..texel.len()];
        match (state.logic, state.blend) {
            (Some(op), _) => {
                format.encode(colour.low_bits(lane, format), new);
                for (new, old) in new.iter_mut().zip(&*texel) {
                    *new = op.apply(*new, *old);
                }
            }
            (None, Some(blend)) if !format.is_integer() => {
                let Texel::Float(dst) = format.decode(texel) else {
                    unreachable!("formats that are not integers are floats")
                };
                let src = colour.floats(lane);
                let colours = Colours { src, src1, dst, constant: self.blend_factor };
                format.encode(Texel::Float(blend.apply(format, colours)), new);
            }
            (None, _) => format.encode(colour.texel(lane, format), new),
        }
        let mask = component_bits(format, state.write_mask);
        for ((old, new), mask) in texel.iter_mut().zip(new).zip(mask) {
            *old = *old & !mask | *new & mask;
        }
    }
}

impl Colour<'_> {
    fn bits(&self, lane: usize) -> [u32; 4] {
        self.rows.map(|row| row.map_or(0, |row| row[lane]))
    }

    fn floats(&self, lane: usize) -> [f32; 4] {
        self.bits(lane).map(|bits| match self.scalar {
            Scalar::F32 => f32::from_bits(bits),
            Scalar::F16 => F16(bits as u16).to_f32(),
            Scalar::Int { .. } => bits as f32,
        })
    }

    /// The values for a target of this format.
    fn texel(&self, lane: usize, format: Format) -> Texel {
        match self.scalar {
            Scalar::F32 | Scalar::F16 => Texel::Float(self.floats(lane)),
            Scalar::Int { bits } => {
                let unused = 32 - u32::from(bits.clamp(1, 32));
                let values = self.bits(lane).map(|it| it << unused);
                if matches!(format, Format::Plain { encoding: Encoding::Sint, .. }) {
                    Texel::Signed(values.map(|it| i64::from(it as i32 >> unused)))
                } else {
                    Texel::Unsigned(values.map(|it| u64::from(it >> unused)))
                }
            }
        }
    }

    /// The values without the bits that the format has no room for.
    fn low_bits(&self, lane: usize, format: Format) -> Texel {
        let widths = match format {
            Format::Plain { bits, .. } => [bits; 4],
            Format::Rgb10A2 { .. } => [10, 10, 10, 2],
            Format::Bgra8 { .. } | Format::Rg11B10Float | Format::Rgb9E5 => [8; 4],
        };
        let mut values = self.bits(lane);
        for (value, width) in values.iter_mut().zip(widths) {
            *value &= u32::MAX >> (32 - u32::from(width.clamp(1, 32)));
        }
        Texel::Unsigned(values.map(u64::from))
    }
}

/// The bits of a texel that belong to the components of a mask.
fn component_bits(format: Format, mask: u8) -> [u8; MOST_BYTES] {
    let mut bits = [0; MOST_BYTES];
    let has = |component: usize| mask >> component & 1 == 1;
    let word = |parts: [u32; 4]| {
        (0..4).filter(|it| has(*it)).fold(0, |all: u32, it| all | parts[it]).to_le_bytes()
    };
    match format {
        Format::Plain { bits: width, channels, .. } => {
            let size = usize::from(width) / 8;
            for component in (0..channels.count()).filter(|it| has(*it)) {
                bits[component * size..(component + 1) * size].fill(0xff);
            }
        }
        Format::Bgra8 { .. } => {
            bits[..4].copy_from_slice(&word([0xff_0000, 0xff00, 0xff, 0xff00_0000]));
        }
        Format::Rgb10A2 { .. } => {
            bits[..4].copy_from_slice(&word([0x3ff, 0x3ff << 10, 0x3ff << 20, 3 << 30]));
        }
        Format::Rg11B10Float => {
            bits[..4].copy_from_slice(&word([0x7ff, 0x7ff << 11, 0x3ff << 22, 0]));
        }
        // The exponent belongs to all components, which are written together or not at all.
        Format::Rgb9E5 => bits[..4].fill(if mask & 7 == 7 { 0xff } else { 0 }),
    }
    bits
}
