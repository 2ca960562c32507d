//! The memory layout of textures.
//!
//! Layer by layer; in each layer level by level from the largest; in each level slice by slice, row by row, texel
//! by texel, without padding. The samples of a texel are adjacent. The faces of a cube are six layers: +x, -x, +y,
//! -y, +z, -z.

use super::Dim;
use super::format::{Format, MOST_BYTES, Texel};

/// The size and format of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub format: Format,
    pub width: u32,
    /// 1 for one-dimensional textures.
    pub height: u32,
    /// 1 for textures without a third axis.
    pub depth: u32,
    /// Six for each cube; 1 if the texture is not an array.
    pub layers: u32,
    /// The number of levels, including the largest.
    pub levels: u32,
    /// 1 if the texture is not multisampled.
    pub samples: u32,
}

impl Shape {
    /// A texture of one layer and one level.
    pub fn new(format: Format, width: u32, height: u32, depth: u32) -> Shape {
        Shape { format, width, height, depth, layers: 1, levels: 1, samples: 1 }
    }

    /// The size of a level on each axis; each is half the one before, rounded down, and at least 1.
    pub fn size(&self, level: u32) -> [u32; 3] {
        [self.width, self.height, self.depth].map(|size| (size >> level.min(31)).max(1))
    }

    /// Whether a texture of this dimension can have this shape.
    pub fn suits(&self, dim: Dim) -> bool {
        let one = |size: u32, is_free: bool| is_free || size == 1;
        let cubes = !dim.is_cube() || self.width == self.height && self.layers.is_multiple_of(6);
        cubes
            && one(self.height, dim.axes() >= 2)
            && one(self.depth, dim.axes() == 3)
            && one(self.layers, dim.is_array() || dim.is_cube())
            && (dim != Dim::Cube || self.layers == 6)
            && one(self.samples, dim.is_multisampled())
            && one(self.levels, !dim.is_multisampled())
    }

    /// The largest number of levels for this size.
    pub fn most_levels(&self) -> u32 {
        32 - self.width.max(self.height).max(self.depth).leading_zeros()
    }

    /// The size of all texels in bytes; `None` if the shape is impossible or does not fit the address space.
    pub fn bytes(&self) -> Option<usize> {
        let sizes = [self.width, self.height, self.depth, self.layers, self.levels, self.samples];
        if sizes.contains(&0) || self.levels > self.most_levels() {
            return None;
        }
        let layer = self.layer_bytes()?;
        usize::try_from(layer.checked_mul(u64::from(self.layers))?).ok()
    }

    /// The offset of a texel inside the texture.
    pub fn offset(&self, level: u32, layer: u32, [x, y, z]: [u32; 3], sample: u32) -> usize {
        let before: u64 = (0..level).map(|it| self.level_bytes(it).unwrap_or(0)).sum();
        let [width, height, _] = self.size(level).map(u64::from);
        let texel = (u64::from(z) * height + u64::from(y)) * width + u64::from(x);
        let at = texel * u64::from(self.samples) + u64::from(sample);
        let layers = self.layer_bytes().unwrap_or(0) * u64::from(layer);
        (layers + before + at * self.format.bytes() as u64) as usize
    }

    fn level_bytes(&self, level: u32) -> Option<u64> {
        let texel = u64::from(self.samples).checked_mul(self.format.bytes() as u64)?;
        self.size(level).iter().try_fold(texel, |all, size| all.checked_mul(u64::from(*size)))
    }

    fn layer_bytes(&self) -> Option<u64> {
        (0..self.levels).try_fold(0u64, |all, level| all.checked_add(self.level_bytes(level)?))
    }
}

/// Memory that holds texels: exclusively owned, or shared by threads.
pub trait Memory {
    fn size(&self) -> usize;

    /// Copies the bytes from `at` on, which must be in bounds.
    fn read(&self, at: usize, to: &mut [u8]);
}

impl Memory for Vec<u8> {
    fn size(&self) -> usize {
        self.len()
    }

    fn read(&self, at: usize, to: &mut [u8]) {
        to.copy_from_slice(&self[at..at + to.len()]);
    }
}

/// A texture with its texels.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    pub shape: Shape,
    pub memory: &'a dyn Memory,
}

impl Image<'_> {
    /// The texel at a position; `None` outside the texture.
    pub fn texel(&self, level: u32, layer: u32, at: [u32; 3], sample: u32) -> Option<Texel> {
        Some(self.texel_at(self.offset_of(level, layer, at, sample)?))
    }

    /// The texel at an offset that [`Image::offset_of`] returned.
    pub fn texel_at(&self, start: usize) -> Texel {
        let mut bytes = [0; MOST_BYTES];
        let bytes = &mut bytes[..self.shape.format.bytes()];
        self.memory.read(start, bytes);
        self.shape.format.decode(bytes)
    }

    /// The offset of a texel; `None` outside the texture.
    pub fn offset_of(&self, level: u32, layer: u32, at: [u32; 3], sample: u32) -> Option<usize> {
        let shape = &self.shape;
        let inside = level < shape.levels
            && layer < shape.layers
            && sample < shape.samples
            && at.iter().zip(shape.size(level)).all(|(at, size)| *at < size);
        let start = inside.then(|| shape.offset(level, layer, at, sample))?;
        (start + shape.format.bytes() <= self.memory.size()).then_some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_lie_in_layers() {
        let format = Format::parse("RG8_UINT").unwrap();
        let shape = Shape { layers: 2, levels: 3, ..Shape::new(format, 5, 3, 1) };
        assert_eq!(shape.size(1), [2, 1, 1]);
        assert_eq!(shape.bytes(), Some(2 * 2 * (15 + 2 + 1)));
        assert_eq!(shape.offset(0, 0, [1, 1, 0], 0), 12);
        assert_eq!(shape.offset(1, 1, [1, 0, 0], 0), 36 + 30 + 2);
        assert_eq!(Shape { levels: 4, ..shape }.bytes(), None);
        assert_eq!(Shape { depth: 0, ..shape }.bytes(), None);
        let huge = Shape { layers: u32::MAX, ..Shape::new(format, u32::MAX, u32::MAX, 1) };
        assert_eq!(huge.bytes(), None);
    }

    #[test]
    fn samples_are_adjacent() {
        let format = Format::parse("R8_UINT").unwrap();
        let shape = Shape { samples: 4, ..Shape::new(format, 2, 2, 1) };
        let bytes: Vec<u8> = (0..16).collect();
        let image = Image { shape, memory: &bytes };
        assert_eq!(image.texel(0, 0, [1, 1, 0], 2), Some(Texel::Unsigned([14, 0, 0, 1])));
        assert_eq!(image.texel(0, 0, [1, 1, 0], 4), None);
        assert_eq!(image.texel(0, 0, [2, 1, 0], 0), None);
        assert_eq!(image.texel(1, 0, [0, 0, 0], 0), None);
    }
}
