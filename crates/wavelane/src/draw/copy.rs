//! A draw with memory of its own, for callers that repeat it from the same contents.

use std::sync::Arc;

use super::{DepthTarget, Draw, DrawError, StageTables};
use crate::graphics::GraphicsPipeline;
use crate::memory::Cell;
use crate::table::Copies;
use crate::{Buffer, BufferError, ResourceTable, Texture};

/// A draw that changes nothing that others can see.
pub struct DrawCopy {
    pub(super) draw: Draw,
    pub(super) tables: OwnTables,
}

/// The tables of all stages.
pub(super) struct OwnTables {
    pub(super) vertex: ResourceTable,
    pub(super) amplification: Option<ResourceTable>,
    pub(super) hull: Option<ResourceTable>,
    pub(super) domain: Option<ResourceTable>,
    pub(super) geometry: Option<ResourceTable>,
    pub(super) pixel: Option<ResourceTable>,
}

impl OwnTables {
    fn copies(of: &StageTables<'_>, known: &mut Copies) -> Result<OwnTables, BufferError> {
        let mut copy =
            |table: Option<&ResourceTable>| table.map(|it| it.duplicate_with(known)).transpose();
        Ok(OwnTables {
            amplification: copy(of.amplification)?,
            hull: copy(of.hull)?,
            domain: copy(of.domain)?,
            geometry: copy(of.geometry)?,
            pixel: copy(of.pixel)?,
            vertex: of.vertex.duplicate_with(known)?,
        })
    }

    pub(super) fn borrowed(&self) -> StageTables<'_> {
        StageTables {
            vertex: &self.vertex,
            amplification: self.amplification.as_ref(),
            hull: self.hull.as_ref(),
            domain: self.domain.as_ref(),
            geometry: self.geometry.as_ref(),
            pixel: self.pixel.as_ref(),
        }
    }
}

impl DrawCopy {
    /// Copies everything that a draw reads and writes. What several stages bind stays one.
    pub fn of(draw: &Draw, tables: &StageTables<'_>) -> Result<DrawCopy, BufferError> {
        let known = &mut Copies::new();
        let tables = OwnTables::copies(tables, known)?;
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
        Ok(DrawCopy { draw, tables })
    }

    /// Draws.
    pub fn run(&self, pipeline: &GraphicsPipeline) -> Result<(), DrawError> {
        pipeline.draw_stages(&self.draw, &self.tables.borrowed())
    }
}
