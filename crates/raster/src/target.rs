//! Render targets: texels in memory.

use std::ops::Range;

use ops::texture::{Format, Shape};

use crate::merge::Targets;
use crate::wave::{Quad, Wave};

/// Where the texels of a level of a texture lie: row by row without padding, the samples of a texel adjacent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub width: u32,
    pub height: u32,
    pub layers: u32,
    pub samples: u32,
    /// The first texel, in bytes.
    pub start: usize,
    /// From one slice to the next, in bytes; `None` if they are adjacent.
    pub layer_stride: Option<usize>,
}

/// A target of a draw.
#[derive(Debug)]
pub struct Target<'a> {
    pub(crate) format: Format,
    pub(crate) layout: Layout,
    /// The rows that `bytes` holds.
    rows: Range<u32>,
    texel: usize,
    layer_stride: usize,
    bytes: &'a mut [u8],
}

impl Layout {
    /// Slices without levels, one after the other.
    pub fn new(width: u32, height: u32, layers: u32, samples: u32) -> Layout {
        Layout { width, height, layers, samples, start: 0, layer_stride: None }
    }

    /// A level of a texture; the slices of a three-dimensional one count as layers. `None` if it has no such level.
    pub fn of_level(shape: &Shape, level: u32) -> Option<Layout> {
        shape.bytes()?;
        if level >= shape.levels {
            return None;
        }
        let [width, height, depth] = shape.size(level);
        let start = shape.offset(level, 0, [0; 3], 0);
        let (layers, layer_stride) = if depth > 1 {
            (depth, None)
        } else {
            (shape.layers, Some(shape.offset(0, 1, [0; 3], 0)))
        };
        Some(Layout { width, height, layers, samples: shape.samples, start, layer_stride })
    }

    /// How many texels and samples there are.
    pub fn texels(&self) -> usize {
        [self.width, self.height, self.layers, self.samples]
            .iter()
            .fold(1, |all: usize, it| all.saturating_mul(*it as usize))
    }
}

impl<'a> Target<'a> {
    /// A target in these bytes; `None` if they do not hold the layout.
    pub fn new(format: Format, layout: Layout, bytes: &'a mut [u8]) -> Option<Target<'a>> {
        let texel = format.bytes();
        let of_layer = [layout.width, layout.height, layout.samples]
            .iter()
            .try_fold(texel, |all: usize, it| all.checked_mul(*it as usize))?;
        let layer_stride = layout.layer_stride.unwrap_or(of_layer);
        let before = layer_stride.checked_mul(layout.layers.saturating_sub(1) as usize)?;
        let end = layout.start.checked_add(before)?.checked_add(of_layer)?;
        let rows = 0..layout.height;
        (end <= bytes.len()).then_some(Target { format, layout, rows, texel, layer_stride, bytes })
    }

    /// The parts of a target with one slice, each with this many rows except the last.
    pub fn bands(self, height: u32) -> Vec<Target<'a>> {
        let Target { format, layout, texel, layer_stride, bytes, .. } = self;
        let row = layout.width as usize * layout.samples as usize * texel;
        let end = layout.start + row * layout.height as usize;
        let tops = (0..layout.height).step_by(height.max(1) as usize);
        let bytes = bytes[layout.start..end].chunks_mut((row * height as usize).max(1));
        let band = |(top, bytes): (u32, &'a mut [u8])| {
            let rows = top..(top + height).min(layout.height);
            let layout = Layout { start: 0, ..layout };
            Target { format, layout, rows, texel, layer_stride, bytes }
        };
        tops.zip(bytes).map(band).collect()
    }

    pub fn format(&self) -> Format {
        self.format
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The bytes of a sample; `None` outside. A slice that does not exist means the first.
    #[inline(always)]
    pub(crate) fn texel(&mut self, [x, y]: [u32; 2], layer: u32, sample: u32) -> Option<&mut [u8]> {
        let layout = &self.layout;
        let is_inside = x < layout.width && self.rows.contains(&y) && sample < layout.samples;
        if !is_inside || layout.layers == 0 {
            return None;
        }
        let y = y - self.rows.start;
        let layer = if layer < layout.layers { layer as usize } else { 0 };
        let (width, samples) = (layout.width as usize, layout.samples as usize);
        let texel = (y as usize * width + x as usize) * samples + sample as usize;
        let start = layout.start + layer * self.layer_stride + texel * self.texel;
        self.bytes.get_mut(start..start + self.texel)
    }

    /// The bytes of adjacent quads' pixels in a target with one sample: those of the upper row, and of the lower row.
    /// `None` if the target does not hold all of them.
    #[inline(always)]
    pub(crate) fn pairs(&mut self, first: &Quad, count: usize) -> Option<[&mut [u8]; 2]> {
        let [upper, lower] = self.places(first, count)?;
        let (row, size) = (lower.start - upper.start, upper.len());
        let (upper, lower) = self.bytes.get_mut(upper.start..lower.end)?.split_at_mut(row);
        Some([&mut upper[..size], &mut lower[..size]])
    }

    /// Where those bytes are.
    #[inline(always)]
    fn places(&self, first: &Quad, count: usize) -> Option<[Range<usize>; 2]> {
        let layout = &self.layout;
        let (x, y) = (usize::try_from(first.x).ok()?, u32::try_from(first.y).ok()?);
        let y = y.checked_sub(self.rows.start)? as usize;
        let (width, height) = (layout.width as usize, self.rows.len());
        if x + 2 * count > width || y + 2 > height || layout.layers == 0 {
            return None;
        }
        let layer = if first.layer < layout.layers { first.layer as usize } else { 0 };
        let (size, row) = (2 * count * self.texel, width * self.texel);
        let start = layout.start + layer * self.layer_stride + (y * width + x) * self.texel;
        Some([start..start + size, start + row..start + row + size])
    }

    /// The bytes behind those of a wave whose last quads lie side by side, in both rows of pixels: the next wave
    /// probably writes them. Behind the end of a row they are the first of the next rows.
    #[inline(always)]
    fn ahead(&self, wave: &Wave) -> Option<[&[u8]; 2]> {
        let run = wave.runs.last().filter(|it| it.is_solid)?;
        let (first, count) = (wave.listed(*run)[0], run.end - run.start);
        let x = first.x + 2 * count as i32;
        let next = match (x as u32) < self.layout.width {
            true => Quad { x, ..first },
            false => Quad { x: 0, y: first.y + 2, ..first },
        };
        let [upper, lower] = self.places(&next, count)?;
        Some([self.bytes.get(upper)?, self.bytes.get(lower)?])
    }
}

impl Targets<'_> {
    /// Visits the bytes of all targets that the next wave probably reads and writes, for prefetching.
    #[inline(always)]
    pub fn each_ahead(&self, wave: &Wave, mut visit: impl FnMut(&[u8])) {
        let depth = self.depth_stencil.as_ref().and_then(|it| it.depth.as_ref());
        for target in self.colours.iter().flatten().chain(depth) {
            if let Some([upper, lower]) = target.ahead(wave) {
                visit(upper);
                visit(lower);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_hold_their_rows() {
        // Two rows a band, of three rows after a byte that is not the target's.
        let format = Format::parse("R8_UINT").unwrap();
        let layout = Layout { start: 1, ..Layout::new(4, 3, 1, 1) };
        let mut bytes: Vec<u8> = (0..20).collect();
        let mut bands = Target::new(format, layout, &mut bytes).unwrap().bands(2);
        assert_eq!(bands.len(), 2);
        assert_eq!(bands[0].texel([1, 1], 0, 0), Some(&mut [6][..]));
        assert_eq!(bands[0].texel([1, 2], 0, 0), None);
        assert_eq!(bands[1].texel([1, 1], 0, 0), None);
        assert_eq!(bands[1].texel([1, 2], 0, 0), Some(&mut [10][..]));
        assert_eq!(bands[1].texel([1, 3], 0, 0), None);
    }

    #[test]
    fn levels_slices_and_samples_have_their_places() {
        let format = Format::parse("R8_UINT").unwrap();
        let shape = Shape { layers: 2, levels: 2, ..Shape::new(format, 4, 2, 1) };
        let layout = Layout::of_level(&shape, 1).unwrap();
        assert_eq!((layout.start, layout.layer_stride, layout.layers), (8, Some(10), 2));
        assert_eq!(Layout::of_level(&shape, 2), None);
        let mut bytes: Vec<u8> = (0..20).collect();
        let mut target = Target::new(format, layout, &mut bytes).unwrap();
        assert_eq!(target.texel([1, 0], 1, 0), Some(&mut [19][..]));
        assert_eq!(target.texel([1, 0], 7, 0), Some(&mut [9][..]));
        assert_eq!(target.texel([2, 0], 0, 0), None);
        assert!(Target::new(format, layout, &mut bytes[..19]).is_none());
        let volume =
            Layout::of_level(&Shape { depth: 3, ..Shape::new(format, 2, 2, 1) }, 0).unwrap();
        assert_eq!(volume.layers, 3);
        let huge = Layout::new(u32::MAX, u32::MAX, u32::MAX, 16);
        assert!(Target::new(format, huge, &mut bytes).is_none());
        let mut none = [];
        let mut empty = Target::new(format, Layout::new(0, 0, 1, 1), &mut none).unwrap();
        assert_eq!(empty.texel([0, 0], 0, 0), None);
    }
}
