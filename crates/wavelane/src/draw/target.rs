//! What a draw writes: render targets and depth buffers.

use std::sync::Arc;

use ops::texture::{Format, Shape};
use raster::{DepthStencil, Layout, Samples, Target, Targets};

use super::{Draw, DrawError};
use crate::engines::{Attached, Part};
use crate::graphics::{DepthFormat, GraphicsDesc};
use crate::memory::{Cell, Memory, Slot};
use crate::{Buffer, BufferError, Texture};

/// The largest width and height of a target (`D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION`).
pub const MOST_PIXELS: u32 = 16384;

/// A render target: a level of a texture with all of its slices, or a buffer that holds texels.
#[derive(Clone, Debug)]
pub struct RenderTarget {
    pub(super) cell: Arc<Cell>,
    shape: Shape,
    level: u32,
}

/// A depth buffer, with or without a stencil: textures, one for each plane.
#[derive(Clone, Debug)]
pub struct DepthTarget {
    format: DepthFormat,
    pub(super) depth: Texture,
    pub(super) stencil: Option<Texture>,
}

impl RenderTarget {
    /// A level of a texture.
    pub fn of_level(texture: &Texture, level: u32) -> RenderTarget {
        RenderTarget { cell: texture.cell.clone(), shape: texture.shape(), level }
    }

    /// The texels of a buffer, with a shape of one level.
    pub fn buffer(buffer: &Buffer, shape: Shape) -> Result<RenderTarget, DrawError> {
        let needs = shape.bytes().ok_or(DrawError::Shape)?;
        let bytes = buffer.len();
        if shape.levels != 1 {
            return Err(DrawError::Shape);
        }
        if bytes < needs {
            return Err(DrawError::TargetBytes { bytes, needs });
        }
        Ok(RenderTarget { cell: buffer.cell.clone(), shape, level: 0 })
    }

    /// The format of its texels.
    pub fn format(&self) -> Format {
        self.shape.format
    }

    pub(super) fn layout(&self) -> Result<Layout, DrawError> {
        let layout = Layout::of_level(&self.shape, self.level).ok_or(DrawError::Shape)?;
        match Samples::of(layout.samples) {
            Some(_) => Ok(layout),
            None => Err(DrawError::Shape),
        }
    }
}

impl From<&Texture> for RenderTarget {
    fn from(texture: &Texture) -> RenderTarget {
        RenderTarget::of_level(texture, 0)
    }
}

impl DepthTarget {
    /// A new depth buffer, cleared to depth 1 and stencil 0.
    pub fn new(
        format: DepthFormat,
        width: u32,
        height: u32,
        layers: u32,
        samples: Samples,
    ) -> Result<DepthTarget, BufferError> {
        let plane = |format: Format| {
            let shape = Shape::new(format, width, height, 1);
            Texture::new(Shape { layers, samples: samples.count(), ..shape })
        };
        let bytes = Format::parse("R8_UINT").unwrap_or_else(|| unreachable!("a plain format"));
        let stencil = format.has_stencil().then(|| plane(bytes)).transpose()?;
        let target = DepthTarget { format, depth: plane(format.plane())?, stencil };
        target.clear(1.0, 0)?;
        Ok(target)
    }

    /// Sets every depth and every stencil value.
    pub fn clear(&self, depth: f32, stencil: u8) -> Result<(), BufferError> {
        let layout = Layout::of_level(&self.depth.shape(), 0).ok_or(BufferError::Shape)?;
        let cleared = self.format.cleared(depth, &layout);
        self.depth.cell.lock().host_mut()?.bytes.replace(cleared);
        if let Some(plane) = &self.stencil {
            plane.cell.lock().host_mut()?.bytes.fill(stencil);
        }
        Ok(())
    }

    /// The format.
    pub fn format(&self) -> DepthFormat {
        self.format
    }

    /// The plane of depths: `R32_FLOAT` or `R16_UNORM`.
    pub fn depth(&self) -> &Texture {
        &self.depth
    }

    /// The plane of stencil values, `R8_UINT`.
    pub fn stencil(&self) -> Option<&Texture> {
        self.stencil.as_ref()
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &Arc<Cell>> {
        std::iter::once(&self.depth.cell).chain(self.stencil.iter().map(|it| &it.cell))
    }
}

impl Draw {
    /// The cells of everything that is written by the output merger: targets, then depth, then stencil.
    pub(super) fn written(&self) -> Vec<&Arc<Cell>> {
        let targets = self.targets.iter().flatten().map(|it| &it.cell);
        targets.chain(self.depth.iter().flat_map(DepthTarget::cells)).collect()
    }

    /// Checks that the targets are those of the pipeline and of one size. Returns width, height and slices; `None` if
    /// nothing is bound.
    pub(super) fn check_targets(&self, desc: &GraphicsDesc) -> Result<Option<[u32; 3]>, DrawError> {
        let mut size: Option<[u32; 4]> = None;
        let mut meet = |layout: Layout| {
            let Layout { width, height, layers, samples, .. } = layout;
            if width > MOST_PIXELS || height > MOST_PIXELS {
                return Err(DrawError::TooLarge { size: [width, height] });
            }
            let Some([w, h, s, l]) = size else {
                size = Some([width, height, samples, layers]);
                return Ok(());
            };
            if [w, h, s] != [width, height, samples] {
                let (first, other) = ([w, h, s], [width, height, samples]);
                return Err(DrawError::Sizes { first, other });
            }
            size = Some([w, h, s, l.min(layers)]);
            Ok(())
        };
        for target in 0..self.targets.len().max(desc.targets.len()) {
            let has = self.targets.get(target).and_then(Option::as_ref);
            let needs = desc.targets.get(target).copied().flatten();
            if has.map(RenderTarget::format) != needs {
                let name = |it: Option<Format>| {
                    it.map_or_else(|| "absent".to_owned(), |it| it.to_string())
                };
                return Err(DrawError::Target {
                    target,
                    needs: name(needs),
                    has: name(has.map(RenderTarget::format)),
                });
            }
            if let Some(has) = has {
                meet(has.layout()?)?;
            }
        }
        let has = self.depth.as_ref().map(DepthTarget::format);
        if has != desc.depth_format {
            let name = |it: Option<DepthFormat>| {
                it.map_or_else(|| "absent".to_owned(), |it| it.name().to_owned())
            };
            return Err(DrawError::Depth { needs: name(desc.depth_format), has: name(has) });
        }
        if let Some(depth) = &self.depth {
            meet(Layout::of_level(&depth.depth.shape(), 0).ok_or(DrawError::Shape)?)?;
        }
        if let Some([_, _, has, _]) = size
            && has != desc.samples.count()
        {
            return Err(DrawError::Samples { needs: desc.samples.count(), has });
        }
        Ok(size.map(|[width, height, _, layers]| [width, height, layers]))
    }
}

/// How a target lies in memory.
type Plane = (Format, Layout);

/// The planes of the targets of a draw, looked up before their cells are locked.
pub(super) struct Planes {
    colours: Vec<Option<Plane>>,
    depth: Option<(DepthFormat, Plane, Option<Plane>)>,
}

impl Planes {
    pub(super) fn of(draw: &Draw) -> Result<Planes, DrawError> {
        let mut colours = Vec::new();
        for target in &draw.targets {
            let plane = |it: &RenderTarget| Ok::<_, DrawError>((it.format(), it.layout()?));
            colours.push(target.as_ref().map(plane).transpose()?);
        }
        let depth = draw.depth.as_ref().map(|it| {
            let plane = |it: &Texture| {
                let shape = it.shape();
                Ok::<_, DrawError>((
                    shape.format,
                    Layout::of_level(&shape, 0).ok_or(DrawError::Shape)?,
                ))
            };
            let stencil = it.stencil.as_ref().map(plane).transpose()?;
            Ok::<_, DrawError>((it.format, plane(&it.depth)?, stencil))
        });
        Ok(Planes { colours, depth: depth.transpose()? })
    }
}

/// The contents of the targets while a draw runs.
pub(super) struct BoundTargets {
    /// In the order of [`Draw::written`].
    slots: Vec<Slot>,
}

impl BoundTargets {
    /// Takes the contents out of their cells.
    pub(super) fn take(
        memory: &mut Memory<'_>,
        cells: &[usize],
    ) -> Result<BoundTargets, DrawError> {
        for cell in cells {
            memory.cell(*cell).fetch()?;
        }
        Ok(BoundTargets { slots: cells.iter().map(|it| memory.cell(*it).take()).collect() })
    }

    pub(super) fn put(self, memory: &mut Memory<'_>, cells: &[usize]) {
        for (cell, slot) in cells.iter().zip(self.slots) {
            memory.cell(*cell).put(slot);
        }
    }

    /// The contents, to begin again with.
    pub(super) fn copy(&self) -> Vec<Vec<u8>> {
        self.slots.iter().map(|it| it.bytes.to_vec()).collect()
    }

    pub(super) fn restore(&mut self, contents: Vec<Vec<u8>>) {
        for (slot, contents) in self.slots.iter_mut().zip(contents) {
            slot.bytes.replace(contents);
        }
    }

    /// The targets for an engine with its own fixed functions.
    pub(super) fn attached(
        &mut self,
        planes: &Planes,
        desc: &GraphicsDesc,
    ) -> Result<Vec<Attached<'_>>, DrawError> {
        let mut slots = self.slots.iter_mut();
        let mut next = |part: Part, (format, layout): Plane| {
            let Some(slot) = slots.next() else { unreachable!("each plane has a cell") };
            let (bytes, needs) = (slot.bytes.len(), layout.texels() * format.bytes());
            if Target::new(format, layout, &mut slot.bytes).is_none() {
                return Err(DrawError::TargetBytes { bytes, needs });
            }
            let is_blended = match part {
                Part::Colour(target) => desc.blend.get(target).is_some_and(|it| it.blend.is_some()),
                Part::Depth | Part::Stencil => false,
            };
            Ok(Attached { part, format, layout, is_blended, bytes: &mut slot.bytes })
        };
        let mut all = Vec::new();
        for (target, plane) in planes.colours.iter().enumerate() {
            if let Some(plane) = plane {
                all.push(next(Part::Colour(target), *plane)?);
            }
        }
        if let Some((_, depth, stencil)) = planes.depth {
            all.push(next(Part::Depth, depth)?);
            if let Some(stencil) = stencil {
                all.push(next(Part::Stencil, stencil)?);
            }
        }
        Ok(all)
    }

    /// The targets for the merger.
    pub(super) fn targets(&mut self, planes: &Planes) -> Result<Targets<'_>, DrawError> {
        let mut slots = self.slots.iter_mut();
        let mut next = |(format, layout): Plane| {
            let Some(slot) = slots.next() else { unreachable!("each plane has a cell") };
            let (bytes, needs) = (slot.bytes.len(), layout.texels() * format.bytes());
            Target::new(format, layout, &mut slot.bytes)
                .ok_or(DrawError::TargetBytes { bytes, needs })
        };
        let mut colours = Vec::new();
        for plane in &planes.colours {
            colours.push(plane.map(&mut next).transpose()?);
        }
        let depth_stencil = match planes.depth {
            Some((format, depth, stencil)) => {
                let depth = Some(next(depth)?);
                Some(DepthStencil { format, depth, stencil: stencil.map(&mut next).transpose()? })
            }
            None => None,
        };
        Ok(Targets { colours, depth_stencil })
    }
}
