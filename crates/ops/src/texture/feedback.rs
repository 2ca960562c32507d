//! Sampler feedback: which parts of a texture a sample uses, recorded in a map of mip regions.
//!
//! A write visits the taps of a sample ([`super::filter`] chooses them, so that a map cannot differ from filtering)
//! and marks one texel of the map for each. Marks only lower levels or set bits, so that their order does not matter.
//! The map holds what it decodes to; Direct3D leaves its encoding to devices.
//!
//! Spec: DirectX-Specs, `SamplerFeedback.md`; `docs/feedback.md` says what it leaves open.
//! Not here: which lanes write, and resources.

mod admissible;

pub use admissible::{Admissible, Patch, Reason, admissible};

use super::filter::{Pass, Query, Walk, for_each_tap, layer_of};
use super::format::{Channels, Encoding, Format};
use super::sampler::{Address, Filter, Sampler};
use super::shape::Shape;
use super::{Dim, whole};

/// What a map records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeedbackKind {
    /// For each region of the largest level, the least level that was used there.
    MinMip,
    /// For each region of each level, whether it was used.
    MipRegionUsed,
}

crate::names! { FeedbackKind {
    "min_mip" => MinMip,
    "mip_region_used" => MipRegionUsed,
} }

/// The value of a region in which nothing was used, in a map of levels.
pub const NONE: u8 = 0xff;
/// The value of a region that was used, in the other kind of map.
pub const USED: u8 = 0xff;

impl FeedbackKind {
    /// By the number that HLSL's constants have.
    pub fn by_number(number: u64) -> Option<FeedbackKind> {
        match number {
            0 => Some(FeedbackKind::MinMip),
            1 => Some(FeedbackKind::MipRegionUsed),
            _ => None,
        }
    }

    /// The name of HLSL's constant.
    pub fn constant(self) -> &'static str {
        match self {
            FeedbackKind::MinMip => "SAMPLER_FEEDBACK_MIN_MIP",
            FeedbackKind::MipRegionUsed => "SAMPLER_FEEDBACK_MIP_REGION_USED",
        }
    }

    /// The value of a cleared texel.
    pub fn cleared(self) -> u8 {
        match self {
            FeedbackKind::MinMip => NONE,
            FeedbackKind::MipRegionUsed => 0,
        }
    }

    /// A texel after a mark.
    pub fn joined(self, old: u32, mark: u32) -> u32 {
        match self {
            FeedbackKind::MinMip => old.min(mark),
            FeedbackKind::MipRegionUsed => old | mark,
        }
    }

    /// Of two marks, the one that says less.
    pub fn weaker(self, one: u32, other: u32) -> u32 {
        match self {
            FeedbackKind::MinMip => one.max(other),
            FeedbackKind::MipRegionUsed => one & other,
        }
    }

    /// The texel that a decoded byte is encoded as.
    fn encoded(self, byte: u8) -> u32 {
        match self {
            FeedbackKind::MinMip => u32::from(byte),
            FeedbackKind::MipRegionUsed => u32::from(if byte == 0 { 0 } else { USED }),
        }
    }
}

/// A map for a texture of this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    pub kind: FeedbackKind,
    /// The size of the texture, its levels and its layers.
    pub width: u32,
    pub height: u32,
    pub levels: u32,
    pub layers: u32,
    /// The size of a region in texels: powers of two.
    pub region: [u32; 2],
}

/// Why a texture cannot have a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A side of the region: which it is, its length, and the texture's.
    Region { axis: usize, length: u32, texture: u32 },
    /// Only two-dimensional textures with one sample have maps.
    Texture,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Refusal::Region { axis, length, texture } => {
                let side = ["width", "height"][axis.min(1)];
                let most = 1u32.checked_shl((texture / 2).max(1).ilog2()).unwrap_or(0);
                write!(f, "a mip region cannot have the {side} {length}; ")?;
                match most {
                    4.. => write!(
                        f,
                        "for a texture of {side} {texture} it is a power of two from 4 to {most}"
                    ),
                    _ => {
                        write!(f, "a texture needs a {side} of at least 8, and this has {texture}")
                    }
                }
            }
            Refusal::Texture => {
                write!(f, "only a `Texture2D` or a `Texture2DArray` can have a feedback map")
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl Map {
    /// The map of a texture.
    // Spec: SamplerFeedback.md, mip regions: powers of two, at least 4, at most half of the texture.
    pub fn new(kind: FeedbackKind, paired: &Shape, region: [u32; 2]) -> Result<Map, Refusal> {
        if paired.depth != 1 || paired.samples != 1 {
            return Err(Refusal::Texture);
        }
        let sizes = [paired.width, paired.height];
        for (axis, (length, texture)) in region.into_iter().zip(sizes).enumerate() {
            if !length.is_power_of_two() || length < 4 || length > texture / 2 {
                return Err(Refusal::Region { axis, length, texture });
            }
        }
        let Shape { width, height, levels, layers, .. } = *paired;
        Ok(Map { kind, width, height, levels, layers, region })
    }

    /// Whether a texture has the size of the paired one.
    pub fn suits(&self, shape: &Shape) -> bool {
        let own = (self.width, self.height, 1, self.levels, self.layers, 1);
        own == (shape.width, shape.height, shape.depth, shape.levels, shape.layers, shape.samples)
    }

    /// The texture's size, with the format of decoded texels.
    pub fn texture(&self) -> Shape {
        let format = Format::Plain { channels: Channels::R, bits: 8, encoding: Encoding::Uint };
        let Map { width, height, levels, layers, .. } = *self;
        Shape { levels, layers, ..Shape::new(format, width, height, 1) }
    }

    /// The number of levels of the decoded map.
    pub fn held_levels(&self) -> u32 {
        match self.kind {
            FeedbackKind::MinMip => 1,
            FeedbackKind::MipRegionUsed => self.levels,
        }
    }

    /// The size of a level of the texture.
    fn texture_size(&self, level: u32) -> [u32; 2] {
        [self.width, self.height].map(|it| (it >> level.min(31)).max(1))
    }

    /// The size of a level of the decoded map.
    pub fn size(&self, level: u32) -> [u32; 2] {
        let size = self.texture_size(level);
        std::array::from_fn(|axis| size[axis].div_ceil(self.region[axis]))
    }

    fn level_texels(&self, level: u32) -> usize {
        let [width, height] = self.size(level);
        width as usize * height as usize
    }

    fn layer_texels(&self) -> usize {
        (0..self.held_levels()).map(|level| self.level_texels(level)).sum()
    }

    /// The number of texels of all layers and levels.
    pub fn texels(&self) -> usize {
        self.layer_texels() * self.layers as usize
    }

    /// The index of a decoded texel: layer by layer, in each level by level, row by row.
    pub fn texel(&self, layer: u32, level: u32, [x, y]: [u32; 2]) -> usize {
        let before: usize = (0..level).map(|it| self.level_texels(it)).sum();
        let row = y as usize * self.size(level)[0] as usize;
        layer as usize * self.layer_texels() + before + row + x as usize
    }

    /// The layer, the level and the place of a decoded texel.
    pub fn place(&self, texel: usize) -> (u32, u32, [u32; 2]) {
        let mut rest = texel % self.layer_texels();
        let mut level = 0;
        while rest >= self.level_texels(level) {
            rest -= self.level_texels(level);
            level += 1;
        }
        let width = self.size(level)[0] as usize;
        let at = [(rest % width) as u32, (rest / width) as u32];
        ((texel / self.layer_texels()) as u32, level, at)
    }

    // Memory.

    /// The number of words before the texels.
    pub fn header_words(&self) -> usize {
        FIXED_WORDS + LEVEL_WORDS * self.levels as usize
    }

    /// The words before the texels, which generated code reads: see [`Header`] for the first of them. Then, for each
    /// level of the texture, the index of its first texel in the map, and its width there; a map with a single level
    /// repeats that.
    fn header(&self) -> Vec<u32> {
        let [log_x, log_y] = self.region.map(u32::ilog2);
        let mut words = vec![0; self.header_words()];
        for (at, value) in [
            (Header::Width, self.width),
            (Header::Height, self.height),
            (Header::Levels, self.levels),
            (Header::Layers, self.layers),
            (Header::RegionX, log_x),
            (Header::RegionY, log_y),
            (Header::LayerTexels, self.layer_texels() as u32),
        ] {
            words[at as usize] = value;
        }
        for level in 0..self.levels {
            let held = level.min(self.held_levels() - 1);
            let at = FIXED_WORDS + LEVEL_WORDS * level as usize;
            words[at] = (self.header_words() + self.texel(0, held, [0, 0])) as u32;
            words[at + 1] = self.size(held)[0];
        }
        words
    }

    /// The memory of a cleared map: the header, and a word for each decoded texel.
    pub fn memory(&self) -> Vec<u8> {
        let cleared = u32::from(self.kind.cleared());
        let texels = std::iter::repeat_n(cleared, self.texels());
        self.header().into_iter().chain(texels).flat_map(u32::to_le_bytes).collect()
    }

    /// The memory of a map with these decoded texels.
    pub fn encode(&self, texels: &[u8]) -> Vec<u8> {
        let words = texels.iter().map(|it| self.kind.encoded(*it));
        self.header().into_iter().chain(words).flat_map(u32::to_le_bytes).collect()
    }

    /// The decoded texels.
    pub fn decode(&self, memory: &[u8]) -> Vec<u8> {
        memory.iter().skip(self.header_words() * 4).step_by(4).copied().collect()
    }
}

/// The words before the levels of a header.
pub const FIXED_WORDS: usize = 8;
/// The words of a level in a header.
pub const LEVEL_WORDS: usize = 2;

/// The first words of a map's memory.
#[derive(Clone, Copy, Debug)]
pub enum Header {
    Width,
    Height,
    Levels,
    Layers,
    /// The logarithms of the region's sides.
    RegionX,
    RegionY,
    /// How many texels of the map a layer has.
    LayerTexels,
}

/// One mark: the index of a decoded texel, and its new value, to be joined with the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    pub texel: usize,
    pub value: u32,
}

/// Calls `mark` for each texel that a sample of the paired texture marks. The sample must have no offset.
pub fn write(
    map: &Map,
    shape: &Shape,
    dim: Dim,
    sampler: &Sampler,
    query: &Query,
    mut mark: impl FnMut(Mark),
) {
    let layer = layer_of(shape, dim, query.layer);
    let recorded = levels_as_recorded(map.kind, sampler);
    recorded.each_pass(shape, dim, query, |pass| {
        let size = shape.size(pass.level);
        for_each_tap(pass.axes(dim, size, pass.at, [0; 3]), |texel, _| {
            if let Some(taps) = taps_at(sampler, &pass, size, texel) {
                mark(map.mark(layer, pass.level, taps));
            }
        });
    });
}

/// How a write chooses levels.
struct Recorded {
    state: Sampler,
    /// Only the first of the levels counts.
    one_level: bool,
}

impl Recorded {
    /// Calls `visit` for each probe and level that counts.
    fn each_pass(&self, shape: &Shape, dim: Dim, query: &Query, mut visit: impl FnMut(Pass)) {
        let walk = Walk::new(shape, dim, &self.state, query);
        walk.each_pass(query.at, |pass| {
            if !self.one_level || pass.level == walk.levels.first {
                visit(pass);
            }
        });
    }
}

/// The tap of a texel on both axes, before the address mode; `None` is the border.
fn taps_at(sampler: &Sampler, pass: &Pass, size: [u32; 3], texel: [i64; 3]) -> Option<[Tap; 2]> {
    let [x, y] = [0, 1].map(|axis| {
        let position = pass.at[axis] * f64::from(size[axis]);
        Tap::new(sampler.address[axis], texel[axis], position, size[axis])
    });
    Some([x?, y?])
}

/// Where a sampler takes the nearest level, a map of levels records the level of detail, truncated.
// Spec: SamplerFeedback.md, the sketch of a write, which truncates; devices do the same.
fn levels_as_recorded(kind: FeedbackKind, sampler: &Sampler) -> Recorded {
    let truncates = kind == FeedbackKind::MinMip && sampler.mip == Filter::Nearest;
    let mip = if truncates { Filter::Linear } else { sampler.mip };
    Recorded { state: Sampler { mip, ..*sampler }, one_level: truncates }
}

impl Map {
    /// The mark of a tap.
    fn mark(&self, layer: u32, level: u32, taps: [Tap; 2]) -> Mark {
        let (held, value) = match self.kind {
            FeedbackKind::MinMip => (0, level),
            FeedbackKind::MipRegionUsed => (level, u32::from(USED)),
        };
        let size = self.texture_size(level);
        let sizes = [self.width, self.height];
        let at = std::array::from_fn(|axis| match self.kind {
            FeedbackKind::MinMip => {
                taps[axis].region_of_largest(sizes[axis], size[axis], self.region[axis])
            }
            FeedbackKind::MipRegionUsed => taps[axis].texel / self.region[axis],
        });
        Mark { texel: self.texel(layer, held, at), value }
    }
}

/// A texel on an axis, and a place in it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tap {
    texel: u32,
    within: Within,
}

/// A place in a texel, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Within {
    Start,
    /// This fraction, or 1 minus it; neither 0 nor 1.
    Fraction(f64),
    Mirrored(f64),
    /// Just below 1.
    End,
}

impl Within {
    fn mirrored(self) -> Within {
        match self {
            Within::Start => Within::End,
            Within::Fraction(it) => Within::Mirrored(it),
            Within::Mirrored(it) => Within::Fraction(it),
            Within::End => Within::Start,
        }
    }
}

impl Tap {
    /// The tap of a texel that may lie outside; `None` is the border.
    fn new(address: Address, texel: i64, position: f64, size: u32) -> Option<Tap> {
        let own = whole(position);
        let within = match texel - own {
            0 => match position - position.floor() {
                // Far beyond every texel there are no fractions.
                it if it > 0.0 && it < 1.0 => Within::Fraction(it),
                // Just below 0, the difference is rounded to 1.
                1.0 => Within::End,
                _ => Within::Start,
            },
            1.. => Within::Start,
            _ => Within::End,
        };
        let end = i64::from(size);
        let within = match address {
            Address::Wrap | Address::Border => within,
            Address::Mirror if texel.rem_euclid(2 * end) >= end => within.mirrored(),
            Address::Mirror => within,
            Address::Clamp if texel < 0 => Within::Start,
            Address::MirrorOnce if texel < -end => Within::End,
            Address::MirrorOnce if texel < 0 => within.mirrored(),
            Address::Clamp | Address::MirrorOnce if texel >= end => Within::End,
            Address::Clamp | Address::MirrorOnce => within,
        };
        Some(Tap { texel: address.resolve(texel, size)?, within })
    }

    /// The region of the largest level, of `largest` texels, in which the place lies; this level has `size` texels.
    fn region_of_largest(&self, largest: u32, size: u32, region: u32) -> u32 {
        let (texel, largest) = (u64::from(self.texel), u64::from(largest));
        let each = u64::from(size) * u64::from(region);
        // Of the place times the size, only the floor counts: everything else is an integer.
        let start = texel * largest;
        let found = match self.within {
            Within::Start => start / each,
            Within::Fraction(it) => (start + scaled(it, largest)) / each,
            Within::Mirrored(it) => {
                // The floor of the negative is the ceiling.
                let down = scaled(it, largest);
                let up = down + u64::from(!is_scaled_whole(it, largest));
                (start + largest - up) / each
            }
            Within::End => (start + largest).div_ceil(each) - 1,
        };
        found as u32
    }
}

/// The mantissa of a fraction, and the power of two to divide it by.
fn parts(fraction: f64) -> (u128, u32) {
    let bits = fraction.to_bits();
    let exponent = (bits >> 52) as u32 & 0x7ff;
    let mantissa = bits & ((1 << 52) - 1);
    match exponent {
        0 => (u128::from(mantissa), 1074),
        _ => (u128::from(mantissa | 1 << 52), 1075 - exponent),
    }
}

/// ⌊fraction · by⌋, exactly, for a fraction below 1.
fn scaled(fraction: f64, by: u64) -> u64 {
    let (mantissa, shift) = parts(fraction);
    (mantissa * u128::from(by)).checked_shr(shift).unwrap_or(0) as u64
}

/// Whether fraction · by is an integer; the fraction is not 0.
fn is_scaled_whole(fraction: f64, by: u64) -> bool {
    let (mantissa, shift) = parts(fraction);
    (mantissa * u128::from(by)).trailing_zeros() >= shift
}

#[cfg(test)]
mod tests;
