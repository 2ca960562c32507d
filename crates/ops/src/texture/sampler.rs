//! Sampler state, and how addressing modes map texels outside the texture.

/// How texels are selected and weighted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Minification: for levels of detail above 0.
    pub min: Filter,
    /// Magnification: for levels of detail up to 0.
    pub mag: Filter,
    /// Between levels.
    pub mip: Filter,
    /// Above 1, filtering is anisotropic with at most this many probes, and linear in all other respects.
    pub anisotropy: u32,
    /// For each axis.
    pub address: [Address; 3],
    /// The colour outside the texture with [`Address::Border`].
    pub border: [f32; 4],
    /// Added to the level of detail.
    pub bias: f32,
    pub min_lod: f32,
    pub max_lod: f32,
    /// The comparison of a comparison sampler.
    pub compare: Comparison,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    Nearest,
    Linear,
}

/// The texel that replaces one outside the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// The texture repeats.
    Wrap,
    /// It repeats, every second time mirrored.
    Mirror,
    /// The texel at the edge.
    Clamp,
    /// The border colour.
    Border,
    /// Mirrored once about 0, then clamped to the edge.
    MirrorOnce,
}

/// How a comparison sampler compares the reference value with a texel, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

impl Sampler {
    /// Blends texels and levels, clamped at the edges: the default.
    pub fn linear() -> Sampler {
        Sampler::default()
    }

    /// Takes the nearest texel of the nearest level, clamped at the edges.
    pub fn nearest() -> Sampler {
        let nearest = Filter::Nearest;
        Sampler { min: nearest, mag: nearest, mip: nearest, ..Sampler::default() }
    }
}

impl Default for Sampler {
    /// Linear, clamped, every level: what Direct3D calls `CD3D12_DEFAULT`.
    fn default() -> Sampler {
        Sampler {
            min: Filter::Linear,
            mag: Filter::Linear,
            mip: Filter::Linear,
            anisotropy: 1,
            address: [Address::Clamp; 3],
            border: [0.0; 4],
            bias: 0.0,
            min_lod: 0.0,
            max_lod: f32::MAX,
            compare: Comparison::Never,
        }
    }
}

impl Address {
    /// The texel that is read for a coordinate on an axis of `size` texels; `None` is the border.
    pub fn resolve(self, texel: i64, size: u32) -> Option<u32> {
        let size = i64::from(size.max(1));
        let inside = match self {
            Address::Wrap => texel.rem_euclid(size),
            Address::Mirror => {
                let folded = texel.rem_euclid(2 * size);
                if folded < size { folded } else { 2 * size - 1 - folded }
            }
            Address::Clamp => texel.clamp(0, size - 1),
            Address::MirrorOnce => if texel < 0 { -1 - texel } else { texel }.min(size - 1),
            Address::Border => return (0..size).contains(&texel).then_some(texel as u32),
        };
        Some(inside as u32)
    }

    /// Parses the names that Direct3D, job files and command lines use, in lower case.
    pub fn parse(word: &str) -> Option<Address> {
        Some(match word {
            "wrap" | "repeat" => Address::Wrap,
            "mirror" => Address::Mirror,
            "clamp" => Address::Clamp,
            "border" => Address::Border,
            "mirror-once" | "mirror_once" | "mirroronce" => Address::MirrorOnce,
            _ => return None,
        })
    }
}

impl Comparison {
    /// A NaN on either side is only unequal.
    pub fn holds(self, reference: f64, texel: f64) -> bool {
        match self {
            Comparison::Never => false,
            Comparison::Less => reference < texel,
            Comparison::Equal => reference == texel,
            Comparison::LessEqual => reference <= texel,
            Comparison::Greater => reference > texel,
            Comparison::NotEqual => reference != texel,
            Comparison::GreaterEqual => reference >= texel,
            Comparison::Always => true,
        }
    }

    /// Parses a lower-case name whose words are joined by `-`, `_` or nothing.
    pub fn parse(word: &str) -> Option<Comparison> {
        let word: String = word.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        Some(match word.as_str() {
            "never" => Comparison::Never,
            "less" => Comparison::Less,
            "equal" => Comparison::Equal,
            "lessequal" => Comparison::LessEqual,
            "greater" => Comparison::Greater,
            "notequal" => Comparison::NotEqual,
            "greaterequal" => Comparison::GreaterEqual,
            "always" => Comparison::Always,
            _ => return None,
        })
    }
}

impl Sampler {
    /// Reads words such as `linear wrap`, as described in the README of the suite and in `wavelane help run`.
    ///
    /// `nearest` and `linear` set all three filters, `min=`, `mag=` and `mip=` one of them, `anisotropic=N` the probes;
    /// an address mode sets all three axes, `u=`, `v=` and `w=` one; a comparison such as `less-equal`, `bias=`,
    /// `lod=A..B`, `border=R/G/B/A`.
    pub fn parse(words: &str) -> Result<Sampler, String> {
        let mut sampler = Sampler::default();
        for word in words.split([' ', ',']).filter(|it| !it.is_empty()) {
            sampler.word(&word.to_ascii_lowercase()).ok_or_else(|| {
                format!("`{word}` is not sampler state; expected, for example, `linear wrap` or `min=nearest u=clamp less lod=0..3`")
            })?;
        }
        Ok(sampler)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let filter = |word: &str| match word {
            "nearest" | "point" => Some(Filter::Nearest),
            "linear" => Some(Filter::Linear),
            _ => None,
        };
        let number = |word: &str| word.parse::<f32>().ok().filter(|it| !it.is_nan());
        if let Some((key, value)) = word.split_once('=') {
            match key {
                "min" => self.min = filter(value)?,
                "mag" => self.mag = filter(value)?,
                "mip" => self.mip = filter(value)?,
                "u" => self.address[0] = Address::parse(value)?,
                "v" => self.address[1] = Address::parse(value)?,
                "w" => self.address[2] = Address::parse(value)?,
                "bias" => self.bias = number(value)?,
                "anisotropic" => self.anisotropy = value.parse().ok().filter(|it| *it <= 16)?,
                "compare" => self.compare = Comparison::parse(value)?,
                "lod" => {
                    let (low, high) = value.split_once("..")?;
                    (self.min_lod, self.max_lod) = (number(low)?, number(high)?);
                }
                "border" => {
                    let parts: Vec<f32> = value.split('/').map(number).collect::<Option<_>>()?;
                    self.border = parts.try_into().ok()?;
                }
                _ => return None,
            }
        } else if let Some(filter) = filter(word) {
            (self.min, self.mag, self.mip) = (filter, filter, filter);
        } else if let Some(address) = Address::parse(word) {
            self.address = [address; 3];
        } else if let Some(compare) = Comparison::parse(word) {
            self.compare = compare;
        } else if word == "anisotropic" {
            self.anisotropy = 16;
        } else {
            return None;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_modes_map_texels_into_the_texture() {
        let all = |mode: Address| {
            (-5..8).map(|it| mode.resolve(it, 3).map_or(9, |it| it)).collect::<Vec<u32>>()
        };
        assert_eq!(all(Address::Wrap), [1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]);
        assert_eq!(all(Address::Mirror), [1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]);
        assert_eq!(all(Address::Clamp), [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]);
        assert_eq!(all(Address::Border), [9, 9, 9, 9, 9, 0, 1, 2, 9, 9, 9, 9, 9]);
        assert_eq!(all(Address::MirrorOnce), [2, 2, 2, 1, 0, 0, 1, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn comparisons_match_their_names() {
        // A smaller reference, an equal one, a larger one, and a NaN on either side.
        let table = [
            ("never", [false; 5]),
            ("less", [true, false, false, false, false]),
            ("equal", [false, true, false, false, false]),
            ("less-equal", [true, true, false, false, false]),
            ("greater", [false, false, true, false, false]),
            ("not-equal", [true, false, true, true, true]),
            ("greater-equal", [false, true, true, false, false]),
            ("always", [true; 5]),
        ];
        let pairs = [(0.25, 0.5), (0.5, 0.5), (0.75, 0.5), (f64::NAN, 0.5), (0.5, f64::NAN)];
        for (name, expected) in table {
            let comparison = Comparison::parse(name).unwrap();
            assert_eq!(pairs.map(|(a, b)| comparison.holds(a, b)), expected, "{name}");
        }
    }

    #[test]
    fn state_is_read_from_words() {
        let sampler = Sampler::parse(
            "nearest wrap mip=linear v=mirror-once less-equal lod=-1..3 border=0/0.5/0/1 anisotropic=16",
        )
        .unwrap();
        assert_eq!(
            (sampler.min, sampler.mag, sampler.mip),
            (Filter::Nearest, Filter::Nearest, Filter::Linear)
        );
        assert_eq!(sampler.address, [Address::Wrap, Address::MirrorOnce, Address::Wrap]);
        assert_eq!((sampler.min_lod, sampler.max_lod), (-1.0, 3.0));
        assert_eq!((sampler.compare, sampler.anisotropy), (Comparison::LessEqual, 16));
        assert_eq!(sampler.border, [0.0, 0.5, 0.0, 1.0]);
        for bad in ["cubic", "u=linear", "lod=1", "border=1/2", "anisotropic=17", "bias=nan"] {
            assert!(Sampler::parse(bad).is_err(), "{bad}");
        }
    }
}
