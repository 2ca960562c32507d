//! A draw with memory of its own, for callers that repeat it from the same contents.

use std::sync::Arc;

use super::{DepthTarget, Draw, DrawError, StageTables};
use crate::graphics::GraphicsPipeline;
use crate::memory::Cell;
use crate::table::Copies;
use crate::{Buffer, BufferError, ResourceTable, Texture};

/// A draw that changes nothing that others can see.
pub struct DrawCopy {
    draw: Draw,
    vertex: ResourceTable,
    amplification: Option<ResourceTable>,
    hull: Option<ResourceTable>,
    domain: Option<ResourceTable>,
    geometry: Option<ResourceTable>,
    pixel: Option<ResourceTable>,
}

impl DrawCopy {
    /// Copies everything that a draw reads and writes. What several stages bind stays one.
    pub fn of(draw: &Draw, tables: &StageTables<'_>) -> Result<DrawCopy, BufferError> {
        let known = &mut Copies::new();
        let vertex = tables.vertex.duplicate_with(known)?;
        let mut table =
            |it: Option<&ResourceTable>| it.map(|it| it.duplicate_with(known)).transpose();
        let amplification = table(tables.amplification)?;
        let (hull, domain) = (table(tables.hull)?, table(tables.domain)?);
        let (geometry, pixel) = (table(tables.geometry)?, table(tables.pixel)?);
        let mut draw = draw.clone();
        let copy = |cell: &Arc<Cell>, known: &mut Copies| ResourceTable::copy_of(cell, known);
        for target in draw.targets.iter_mut().flatten() {
            target.cell = copy(&target.cell, known)?;
        }
        if let Some(DepthTarget { depth, stencil, .. }) = &mut draw.depth {
            *depth = Texture { cell: copy(&depth.cell, known)? };
            if let Some(stencil) = stencil {
                *stencil = Texture { cell: copy(&stencil.cell, known)? };
            }
        }
        for buffer in &mut draw.vertex_buffers {
            buffer.buffer = Buffer { cell: copy(&buffer.buffer.cell, known)? };
        }
        if let Some(indices) = &mut draw.indices {
            indices.buffer = Buffer { cell: copy(&indices.buffer.cell, known)? };
        }
        Ok(DrawCopy { draw, vertex, amplification, hull, domain, geometry, pixel })
    }

    /// Draws.
    pub fn run(&self, pipeline: &GraphicsPipeline) -> Result<(), DrawError> {
        let tables = StageTables {
            vertex: &self.vertex,
            amplification: self.amplification.as_ref(),
            hull: self.hull.as_ref(),
            domain: self.domain.as_ref(),
            geometry: self.geometry.as_ref(),
            pixel: self.pixel.as_ref(),
        };
        pipeline.draw_stages(&self.draw, &tables)
    }
}
