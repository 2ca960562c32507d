//! Converts many texels from one format to another, with the results of [`Format::decode`] and [`Format::encode`].
//!
//! Lookup tables: where the channels of both formats are independent and those of the source are small, each
//! content of a channel is looked up. These two functions fill the tables, so that there is no second definition.

use std::ops::BitOr;

use super::format::{Channels, Encoding, Format, Texel, shared_exponent};

/// How texels of one format are converted to another.
pub struct Conversion {
    from: Format,
    to: Format,
    /// For each component of the target, its source component.
    sources: [usize; 4],
    way: Way,
}

enum Way {
    /// A copy: the bytes are the same.
    Copy,
    Small(Tables<u32>),
    Wide(Tables<u64>),
    Widest(Tables<u128>),
    /// Channels that share an exponent depend on each other: tables give them as floats, which are then encoded.
    Shared(Box<Conversion>),
    /// One texel at a time.
    Each,
}

/// For each component of a texel and each content of its source channel, the target bits that result.
struct Tables<W> {
    /// For each component: its channel, and where its table starts. Constant components have no table.
    channels: Vec<(usize, usize)>,
    entries: Vec<W>,
    /// The bits of the constant components.
    fixed: W,
}

/// The bytes of a texel as one number.
trait Word: Copy + Default + BitOr<Output = Self> {
    const BYTES: usize;
    fn of(bytes: &[u8]) -> Self;
    fn bytes(self) -> [u8; 16];
}

macro_rules! word {
    ($($word:ty),*) => {$(
        impl Word for $word {
            const BYTES: usize = size_of::<$word>();

            fn of(bytes: &[u8]) -> $word {
                bytes.iter().rev().fold(0, |word, byte| word << 8 | <$word>::from(*byte))
            }

            #[inline(always)]
            fn bytes(self) -> [u8; 16] {
                u128::from(self).to_le_bytes()
            }
        }
    )*};
}

word!(u32, u64, u128);

/// Texels of four floats, and how many of them are kept between two steps.
const FLOATS: Format =
    Format::Plain { channels: Channels::Rgba, bits: 32, encoding: Encoding::Float };
const BLOCK: usize = 64;

/// The float at the start of `bytes`.
fn float(bytes: &[u8]) -> f32 {
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

impl Conversion {
    /// Each component of the target is the same component of the source.
    pub fn new(from: Format, to: Format, texels: usize) -> Conversion {
        Conversion::with_sources(from, to, [0, 1, 2, 3], texels)
    }

    /// Each component of the target is the one of the source that `sources` names; `texels` is roughly how many
    /// will follow.
    pub fn with_sources(
        from: Format,
        to: Format,
        sources: [usize; 4],
        texels: usize,
    ) -> Conversion {
        let mut conversion = Conversion { from, to, sources, way: Way::Each };
        if from == to && sources == [0, 1, 2, 3] && is_exact(from) {
            conversion.way = Way::Copy;
            return conversion;
        }
        let is_worth_it = |bits: [u32; 4]| texels >= bits.map(|it| 1 << it).iter().sum::<usize>();
        if let Some(bits) = channel_bits(from).filter(|it| is_worth_it(*it)) {
            conversion.way = match to.bytes() {
                _ if to == Format::Rgb9E5 => {
                    Way::Shared(Box::new(Conversion::with_sources(from, FLOATS, sources, texels)))
                }
                0..=4 => Way::Small(conversion.tables(bits)),
                5..=8 => Way::Wide(conversion.tables(bits)),
                9..=16 => Way::Widest(conversion.tables(bits)),
                _ => Way::Each,
            };
        }
        conversion
    }

    /// Whether the conversion is a copy of the bytes.
    pub fn is_copy(&self) -> bool {
        matches!(self.way, Way::Copy)
    }

    /// Converts as many texels as both slices hold.
    pub fn apply(&self, from: &[u8], to: &mut [u8]) {
        match &self.way {
            Way::Copy => {
                let length = from.len().min(to.len());
                to[..length].copy_from_slice(&from[..length]);
            }
            Way::Small(tables) => self.sized(tables, from, to),
            Way::Wide(tables) => self.sized(tables, from, to),
            Way::Widest(tables) => self.sized(tables, from, to),
            Way::Shared(floats) => {
                let mut block = [0; BLOCK * 16];
                let each = from.chunks(self.from.bytes() * BLOCK);
                for (from, to) in each.zip(to.chunks_mut(self.to.bytes() * BLOCK)) {
                    let count = from.len() / self.from.bytes();
                    let block = &mut block[..16 * count];
                    floats.apply(from, block);
                    let texels = block.chunks_exact(16);
                    for (texel, to) in texels.zip(to.chunks_exact_mut(4)) {
                        let colours = std::array::from_fn(|i| f64::from(float(&texel[4 * i..])));
                        to.copy_from_slice(&shared_exponent(colours).to_le_bytes());
                    }
                }
            }
            Way::Each => {
                let each = from.chunks_exact(self.from.bytes());
                for (texel, to) in each.zip(to.chunks_exact_mut(self.to.bytes())) {
                    self.to.encode(self.picked(self.from.decode(texel)), to);
                }
            }
        }
    }

    /// The texel with its components in the order of the target.
    fn picked(&self, texel: Texel) -> Texel {
        match texel {
            Texel::Float(all) => Texel::Float(self.sources.map(|it| all[it])),
            Texel::Unsigned(all) => Texel::Unsigned(self.sources.map(|it| all[it])),
            Texel::Signed(all) => Texel::Signed(self.sources.map(|it| all[it])),
        }
    }

    /// Each table holds zeros in the bits of the other components, so that texels are assembled with an or.
    fn tables<W: Word>(&self, bits: [u32; 4]) -> Tables<W> {
        let mut tables = Tables { channels: Vec::new(), entries: Vec::new(), fixed: W::default() };
        let mut stored = [0; 16];
        let mut alone = |from: &[u8], component: usize| {
            let to = &mut stored[..self.to.bytes()];
            self.to.encode(only(self.picked(self.from.decode(from)), component), to);
            W::of(to)
        };
        let mut texel = vec![0; self.from.bytes()];
        for (component, channel) in self.sources.into_iter().enumerate() {
            if bits[channel] == 0 {
                tables.fixed = tables.fixed | alone(&texel, component);
                continue;
            }
            tables.channels.push((channel, tables.entries.len()));
            for raw in 0..1 << bits[channel] {
                put(self.from, channel, raw, &mut texel);
                tables.entries.push(alone(&texel, component));
            }
            texel.fill(0);
        }
        tables
    }

    fn sized<W: Word>(&self, tables: &Tables<W>, from: &[u8], to: &mut [u8]) {
        match self.to.bytes() {
            1 => self.with::<W, 1>(tables, from, to),
            2 => self.with::<W, 2>(tables, from, to),
            3 => self.with::<W, 3>(tables, from, to),
            4 => self.with::<W, 4>(tables, from, to),
            6 => self.with::<W, 6>(tables, from, to),
            8 => self.with::<W, 8>(tables, from, to),
            12 => self.with::<W, 12>(tables, from, to),
            16 => self.with::<W, 16>(tables, from, to),
            other => unreachable!("no format with independent channels has {other} bytes"),
        }
    }

    /// The loop, instantiated for each texel size and each layout of the channels.
    fn with<W: Word, const SIZE: usize>(&self, tables: &Tables<W>, from: &[u8], to: &mut [u8]) {
        debug_assert!(SIZE <= W::BYTES);
        let size = self.from.bytes();
        match self.from {
            Format::Plain { bits: 8, .. } => {
                tables
                    .look_up::<SIZE>(from.chunks_exact(size), to, |texel, i| usize::from(texel[i]))
            }
            Format::Plain { .. } => {
                tables.look_up::<SIZE>(from.chunks_exact(size), to, |texel, i| {
                    usize::from(u16::from_le_bytes([texel[2 * i], texel[2 * i + 1]]))
                });
            }
            Format::Bgra8 { .. }
            | Format::Rgb10A2 { .. }
            | Format::Rg11B10Float
            | Format::Rgb9E5 => {
                let places = places(self.from);
                tables.look_up::<SIZE>(from.chunks_exact(size), to, |texel, i| {
                    let word = u32::from_le_bytes([texel[0], texel[1], texel[2], texel[3]]);
                    (word >> places[i].0) as usize & ((1 << places[i].1) - 1)
                });
            }
        }
    }
}

impl<W: Word> Tables<W> {
    #[inline(always)]
    fn look_up<'a, const SIZE: usize>(
        &self,
        from: impl Iterator<Item = &'a [u8]>,
        to: &mut [u8],
        raw: impl Fn(&[u8], usize) -> usize,
    ) {
        let channels = self.channels.as_slice();
        for (texel, to) in from.zip(to.chunks_exact_mut(SIZE)) {
            let word = channels.iter().fold(self.fixed, |word, (channel, start)| {
                word | self.entries[start + raw(texel, *channel)]
            });
            to.copy_from_slice(&word.bytes()[..SIZE]);
        }
    }
}

/// Whether decoding and encoding again preserves the bytes. It does not for the smallest SNORM and some NaNs.
fn is_exact(format: Format) -> bool {
    match format {
        Format::Plain { encoding, .. } => {
            matches!(encoding, Encoding::Unorm | Encoding::Uint | Encoding::Sint)
        }
        Format::Bgra8 { srgb } => !srgb,
        Format::Rgb10A2 { .. } => true,
        Format::Rg11B10Float | Format::Rgb9E5 => false,
    }
}

/// The width of each channel, 0 where a format lacks it; `None` if channels are large or depend on each other.
fn channel_bits(format: Format) -> Option<[u32; 4]> {
    match format {
        Format::Plain { channels, bits: bits @ (8 | 16), .. } => {
            let count = channels.count();
            Some(std::array::from_fn(|i| if i < count { u32::from(bits) } else { 0 }))
        }
        Format::Bgra8 { .. } | Format::Rgb10A2 { .. } | Format::Rg11B10Float => {
            Some(places(format).map(|it| it.1))
        }
        Format::Plain { .. } | Format::Rgb9E5 => None,
    }
}

/// The first bit and the width of each channel of a format of one word.
fn places(format: Format) -> [(u32, u32); 4] {
    match format {
        Format::Bgra8 { .. } => [(16, 8), (8, 8), (0, 8), (24, 8)],
        Format::Rgb10A2 { .. } => [(0, 10), (10, 10), (20, 10), (30, 2)],
        Format::Rg11B10Float => [(0, 11), (11, 11), (22, 10), (0, 0)],
        Format::Rgb9E5 | Format::Plain { .. } => [(0, 0); 4],
    }
}

/// Writes raw content into one channel of a texel.
fn put(format: Format, channel: usize, raw: u32, texel: &mut [u8]) {
    match format {
        Format::Plain { bits, .. } => {
            let size = usize::from(bits) / 8;
            texel[channel * size..][..size].copy_from_slice(&raw.to_le_bytes()[..size]);
        }
        Format::Bgra8 { .. } | Format::Rgb10A2 { .. } | Format::Rg11B10Float | Format::Rgb9E5 => {
            texel.copy_from_slice(&(raw << places(format)[channel].0).to_le_bytes());
        }
    }
}

/// The texel with all components but one set to 0.
fn only(texel: Texel, component: usize) -> Texel {
    fn keep<T: Copy + Default>(all: [T; 4], component: usize) -> [T; 4] {
        std::array::from_fn(|i| if i == component { all[i] } else { T::default() })
    }
    match texel {
        Texel::Float(all) => Texel::Float(keep(all, component)),
        Texel::Unsigned(all) => Texel::Unsigned(keep(all, component)),
        Texel::Signed(all) => Texel::Signed(keep(all, component)),
    }
}

impl Format {
    /// Every format.
    pub fn all() -> Vec<Format> {
        let encodings = [
            Encoding::Unorm,
            Encoding::Snorm,
            Encoding::Uint,
            Encoding::Sint,
            Encoding::Float,
            Encoding::Srgb,
        ];
        let channels = [Channels::R, Channels::Rg, Channels::Rgb, Channels::Rgba];
        let mut all: Vec<Format> = encodings
            .into_iter()
            .flat_map(|encoding| channels.map(|it| (encoding, it)))
            .flat_map(|(encoding, it)| {
                [8, 16, 32, 64].map(|bits| Format::plain(it, bits, encoding))
            })
            .flatten()
            .collect();
        all.extend([
            Format::Bgra8 { srgb: false },
            Format::Bgra8 { srgb: true },
            Format::Rgb10A2 { uint: false },
            Format::Rgb10A2 { uint: true },
            Format::Rg11B10Float,
            Format::Rgb9E5,
        ]);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes without a pattern.
    fn noise(count: usize) -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    /// Every pair of formats, or a sample of them in which each format is converted from and to others. Most of the
    /// time goes into tables. Each choice of channels is a separate test, so that all cores have work.
    fn many_equal_each(sources: [usize; 4], one_of: usize) {
        const COUNT: usize = 512;
        let noise = noise(COUNT * 32);
        let all = Format::all();
        for (turn, from) in all.iter().copied().enumerate() {
            for to in all.iter().copied().skip(turn % one_of).step_by(one_of) {
                // For this many texels, every table is worth building.
                let quick = Conversion::with_sources(from, to, sources, 1 << 20);
                let slow = Conversion { from, to, sources, way: Way::Each };
                let texels = &noise[..COUNT * from.bytes()];
                let mut all = [vec![0xee; COUNT * to.bytes()], vec![0xdd; COUNT * to.bytes()]];
                quick.apply(texels, &mut all[0]);
                slow.apply(texels, &mut all[1]);
                assert!(all[0] == all[1], "{from} to {to} by {sources:?}");
            }
        }
    }

    #[test]
    fn converting_many_texels_equals_converting_each() {
        many_equal_each([0, 1, 2, 3], 1);
    }

    #[test]
    fn converting_many_texels_with_a_channel_repeated_equals_converting_each() {
        many_equal_each([0, 0, 0, 1], 5);
    }

    #[test]
    fn converting_many_texels_with_channels_swapped_equals_converting_each() {
        many_equal_each([2, 1, 0, 3], 5);
    }

    #[test]
    fn common_conversions_take_fast_paths() {
        let way = |from, to, count| {
            let format = |name| Format::parse(name).unwrap();
            match Conversion::new(format(from), format(to), count).way {
                Way::Copy => "copy",
                Way::Small(_) | Way::Wide(_) | Way::Widest(_) => "tables",
                Way::Shared(_) => "tables and an exponent",
                Way::Each => "each",
            }
        };
        assert_eq!(way("RGBA8_UNORM", "RGBA8_UNORM", 1), "copy");
        assert_eq!(way("RGBA8_UNORM", "RGBA32_FLOAT", 1 << 20), "tables");
        assert_eq!(way("RGBA16_UNORM", "RGBA8_UNORM", 1 << 20), "tables");
        let shared = way("RGBA8_UNORM", "RGB9E5_SHAREDEXP", 1 << 20);
        assert_eq!(shared, "tables and an exponent");
        assert_eq!(way("RGB10A2_UNORM", "RGBA8_UNORM", 1 << 20), "tables");
        // For a small image, a table would cost more than its texels.
        assert_eq!(way("RGBA16_UNORM", "RGBA8_UNORM", 64), "each");
    }
}
