//! The vertex buffers of a draw while it runs: taken out of their cells, so that nothing is copied.
//!
//! Only what a shader or another part of the draw holds as well is copied: shaders may write it, and the input
//! assembler reads what was there before.

use ir::exec::Failure;

use crate::memory::{Indices, Memory, Slot};

/// The contents of the vertex buffers.
pub(super) struct BoundBuffers {
    /// Each with its cell, to which it returns; copies have none.
    slots: Vec<(Option<usize>, Slot)>,
    /// For each vertex buffer its place among the slots.
    places: Vec<usize>,
}

impl BoundBuffers {
    /// Takes the contents of the first cells of `of_buffers`; `others` are what the rest of the draw holds.
    pub(super) fn take(
        memory: &mut Memory<'_>,
        of_buffers: &Indices,
        others: &[&Indices],
    ) -> Result<BoundBuffers, Failure> {
        let mut others: Vec<usize> =
            others.iter().copied().flatten().flatten().flatten().copied().collect();
        others.sort_unstable();
        let cells = || of_buffers.iter().flatten().flatten().copied();
        for cell in cells() {
            memory.cell(cell).fetch()?;
        }
        let mut bound = BoundBuffers { slots: Vec::new(), places: Vec::new() };
        let mut known: Vec<usize> = Vec::new();
        for cell in cells() {
            let place = known.iter().position(|it| *it == cell).unwrap_or_else(|| {
                known.push(cell);
                bound.slots.push(match others.binary_search(&cell) {
                    Ok(_) => (None, memory.look(cell).shape().clone()),
                    Err(_) => (Some(cell), memory.cell(cell).take()),
                });
                bound.slots.len() - 1
            });
            bound.places.push(place);
        }
        Ok(bound)
    }

    /// The bytes of each vertex buffer.
    pub(super) fn bytes(&self) -> Vec<&[u8]> {
        self.places.iter().map(|it| self.slots[*it].1.bytes.as_slice()).collect()
    }

    /// Puts the contents back.
    pub(super) fn put(self, memory: &mut Memory<'_>) {
        for (cell, slot) in self.slots {
            if let Some(cell) = cell {
                memory.cell(cell).put_unchanged(slot);
            }
        }
    }
}
