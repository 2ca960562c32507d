//! Many texels from one format to another, as [`Format::decode`] and [`Format::encode`] say it for one.
//!
//! Where the channels of both formats are independent of each other and those of the first one small, what a channel becomes
//! is looked up: each table is filled by those two functions, so that there is no second definition.

use std::ops::BitOr;

use super::format::{Channels, Encoding, Format, Texel};

/// How texels of one format become texels of another.
pub struct Conversion {
    from: Format,
    to: Format,
    /// Which component of the first each component of the second is.
    sources: [usize; 4],
    way: Way,
}

enum Way {
    /// The bytes are the same.
    Copy,
    Small(Tables<u32>),
    Wide(Tables<u64>),
    Widest(Tables<u128>),
    /// One by one.
    Each,
}

/// For each component of a texel and each content of the channel that it comes from, the bits of the texel that come of it.
struct Tables<W> {
    /// Of each component: its channel, and where its table starts. Components that are always the same have none.
    channels: Vec<(usize, usize)>,
    entries: Vec<W>,
    /// What components give that are always the same.
    fixed: W,
}

/// The bytes of a texel as a number.
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

impl Conversion {
    /// Components of the second format are those of the first.
    pub fn new(from: Format, to: Format, texels: usize) -> Conversion {
        Conversion::with_sources(from, to, [0, 1, 2, 3], texels)
    }

    /// Each component of the second format is the one of the first that `sources` names; `texels` is about how many there
    /// will be.
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
        if let Some(bits) = channel_bits(from).filter(|it| is_worth_it(*it))
            && to != Format::Rgb9E5
        {
            conversion.way = match to.bytes() {
                0..=4 => Way::Small(conversion.tables(bits)),
                5..=8 => Way::Wide(conversion.tables(bits)),
                9..=16 => Way::Widest(conversion.tables(bits)),
                _ => Way::Each,
            };
        }
        conversion
    }

    /// Whether texels stay as they are, byte by byte.
    pub fn is_copy(&self) -> bool {
        matches!(self.way, Way::Copy)
    }

    /// Converts as many texels as there are in both.
    pub fn apply(&self, from: &[u8], to: &mut [u8]) {
        match &self.way {
            Way::Copy => {
                let length = from.len().min(to.len());
                to[..length].copy_from_slice(&from[..length]);
            }
            Way::Small(tables) => self.sized(tables, from, to),
            Way::Wide(tables) => self.sized(tables, from, to),
            Way::Widest(tables) => self.sized(tables, from, to),
            Way::Each => {
                let each = from.chunks_exact(self.from.bytes());
                for (texel, to) in each.zip(to.chunks_exact_mut(self.to.bytes())) {
                    self.to.encode(self.picked(self.from.decode(texel)), to);
                }
            }
        }
    }

    /// The texel with its components in the order of the second format.
    fn picked(&self, texel: Texel) -> Texel {
        match texel {
            Texel::Float(all) => Texel::Float(self.sources.map(|it| all[it])),
            Texel::Unsigned(all) => Texel::Unsigned(self.sources.map(|it| all[it])),
            Texel::Signed(all) => Texel::Signed(self.sources.map(|it| all[it])),
        }
    }

    /// Every component of a texel is 0 in the others' bits, so that the bits of all make up the texel.
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

    /// The loop, made for each size and for each way in which channels lie.
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

/// Whether what is read and written again has the same bytes. A smallest SNORM and some NaN do not.
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

/// How many bits each channel has, 0 where a format lacks it; nothing where channels are large or depend on each other.
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

/// From which bit on each channel of a format of one word lies, and how many bits it has.
fn places(format: Format) -> [(u32, u32); 4] {
    match format {
        Format::Bgra8 { .. } => [(16, 8), (8, 8), (0, 8), (24, 8)],
        Format::Rgb10A2 { .. } => [(0, 10), (10, 10), (20, 10), (30, 2)],
        Format::Rg11B10Float => [(0, 11), (11, 11), (22, 10), (0, 0)],
        Format::Rgb9E5 | Format::Plain { .. } => [(0, 0); 4],
    }
}

/// Puts a raw content into one channel of a texel.
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

/// The texel with all components but one 0.
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

    /// Bytes that follow no pattern.
    fn noise(count: usize) -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn many_texels_become_what_each_becomes() {
        const COUNT: usize = 512;
        let noise = noise(COUNT * 32);
        for from in Format::all() {
            for to in Format::all() {
                for sources in [[0, 1, 2, 3], [0, 0, 0, 1], [2, 1, 0, 3]] {
                    // With so many to come, every table is worth it.
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
    }

    #[test]
    fn the_usual_conversions_are_quick_ones() {
        let way = |from, to, count| {
            let format = |name| Format::parse(name).unwrap();
            match Conversion::new(format(from), format(to), count).way {
                Way::Copy => "copy",
                Way::Small(_) | Way::Wide(_) | Way::Widest(_) => "tables",
                Way::Each => "each",
            }
        };
        assert_eq!(way("RGBA8_UNORM", "RGBA8_UNORM", 1), "copy");
        assert_eq!(way("RGBA8_UNORM", "RGBA32_FLOAT", 1 << 20), "tables");
        assert_eq!(way("RGBA16_UNORM", "RGBA8_UNORM", 1 << 20), "tables");
        assert_eq!(way("RGB10A2_UNORM", "RGBA8_UNORM", 1 << 20), "tables");
        // For a small picture a table would take longer than its texels.
        assert_eq!(way("RGBA16_UNORM", "RGBA8_UNORM", 64), "each");
    }
}
