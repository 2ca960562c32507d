//! Mesh and amplification shaders: their groups run like those of a dispatch, in batches, and what they leave in their
//! records becomes vertices and primitives.
//!
//! Groups are in order, x fastest; the children of an amplification shader's group come before those of the next one.

use std::sync::atomic::Ordering;

use ir::exec::{LaneOrder, Launch, Work};
use ir::group::{HEADER_BYTES, MeshIo, PAYLOAD_AT};
use ir::stage::slot_count;
use raster::Primitive;

use super::DrawError;
use super::between::Made;
use super::departure::{Part, Stages, scheduled};
use super::run::Run;
use super::vertices::interleave;
use crate::graphics::Mesh;
use crate::memory::Memory;

/// The most groups of a draw in one direction.
pub const MOST_MESH_GROUPS: u32 = 65535;
/// The most groups of a draw in all directions together.
const MOST_ALTOGETHER: u64 = 1 << 22;
/// About how many bytes of records are kept at a time.
const BATCH: usize = 1 << 24;

/// The groups of one batch, and the payloads that they receive.
#[derive(Default)]
struct Batch {
    /// For each group its place, and where its payload begins.
    groups: Vec<([u32; 3], usize)>,
    payloads: Vec<u8>,
}

/// Receives what a batch of groups has made.
pub(super) type Taker<'a> = &'a mut dyn FnMut(
    &mut dyn Stages,
    &mut Memory<'_>,
    &mut Option<u64>,
    Made,
) -> Result<(), DrawError>;

/// The number of groups of a draw, if it is possible.
pub(super) fn group_count(groups: [u32; 3]) -> Result<u64, DrawError> {
    let count: u64 = groups.iter().map(|it| u64::from(*it)).fold(1, u64::saturating_mul);
    if groups.iter().any(|it| *it > MOST_MESH_GROUPS) || count > MOST_ALTOGETHER {
        return Err(DrawError::MeshGroups { groups });
    }
    Ok(count)
}

/// All groups of a grid, x fastest.
fn grid([x, y, z]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

impl Run<'_> {
    /// Runs the groups of a draw; `take` receives what a batch has made.
    pub(super) fn mesh(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        fuel: &mut Option<u64>,
        take: Taker<'_>,
    ) -> Result<(), DrawError> {
        let Some(mesh) = &self.pipeline.between.mesh else { return Ok(()) };
        group_count(self.draw.groups)?;
        let most = (BATCH / (mesh.record_bytes as usize).max(1)).max(1);
        let mut before = 0;
        let mut run = |stages: &mut dyn Stages,
                       memory: &mut Memory<'_>,
                       fuel: &mut Option<u64>,
                       batch: &Batch| {
            let bytes = mesh.record_bytes as usize;
            let records = self.groups(stages, memory, Part::Mesh, bytes, batch, fuel)?;
            let first = before;
            before += batch.groups.len() as u32;
            take(stages, memory, fuel, made(mesh, &records, first))
        };
        let mut batch = Batch::default();
        let Some(amplification) = &mesh.amplification else {
            for group in grid(self.draw.groups) {
                batch.groups.push((group, 0));
                if batch.groups.len() >= most {
                    run(stages, memory, fuel, &std::mem::take(&mut batch))?;
                }
            }
            if !batch.groups.is_empty() {
                run(stages, memory, fuel, &batch)?;
            }
            return Ok(());
        };
        let bytes = amplification.record_bytes as usize;
        let mut groups = grid(self.draw.groups).peekable();
        while groups.peek().is_some() {
            let parents: Vec<_> =
                groups.by_ref().take((BATCH / bytes).max(1)).map(|it| (it, 0)).collect();
            let parents = Batch { groups: parents, payloads: Vec::new() };
            let part = Part::Amplification;
            let records = self.groups(stages, memory, part, bytes, &parents, fuel)?;
            for record in records.chunks_exact(bytes) {
                let counts = [0, 4, 8].map(|it| word(record, it));
                if group_count(counts)? == 0 {
                    continue;
                }
                let payload = &record[PAYLOAD_AT as usize..][..amplification.payload as usize];
                let mut place = None;
                let mut children: Vec<[u32; 3]> = grid(counts).collect();
                scheduled(&mut children, stages.departure().children);
                for group in children {
                    let at = *place.get_or_insert_with(|| {
                        let at = batch.payloads.len();
                        batch.payloads.extend_from_slice(payload);
                        batch.payloads.resize(batch.payloads.len().next_multiple_of(16), 0);
                        at
                    });
                    batch.groups.push((group, at));
                    if batch.groups.len() >= most {
                        run(stages, memory, fuel, &std::mem::take(&mut batch))?;
                        place = None;
                    }
                }
            }
        }
        if !batch.groups.is_empty() {
            run(stages, memory, fuel, &batch)?;
        }
        Ok(())
    }

    /// Runs a batch of groups, and returns their records.
    fn groups(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        part: Part,
        record_bytes: usize,
        batch: &Batch,
        fuel: &mut Option<u64>,
    ) -> Result<Vec<u8>, DrawError> {
        let count = batch.groups.len();
        let first = count * HEADER_BYTES as usize;
        let mut headers = Vec::with_capacity(first + batch.payloads.len());
        for (group, payload) in &batch.groups {
            let [x, y, z] = *group;
            let words = [x, y, z, (first + payload) as u32];
            headers.extend(words.into_iter().flat_map(u32::to_le_bytes));
        }
        headers.extend_from_slice(&batch.payloads);
        let (places, shader) = (self.places(part), self.shader(part));
        let cell = |at: usize| places.iter().rev().nth(at).and_then(|it| it[0]);
        let (Some(of_headers), Some(of_records)) = (cell(1), cell(0)) else {
            unreachable!("the buffers of the groups are bound last")
        };
        memory.cell(of_headers).host_mut()?.bytes = headers.into();
        memory.cell(of_records).host_mut()?.bytes = vec![0; count * record_bytes].into();
        let launch = Launch {
            work: Work::Dispatch { groups: [count as u32, 1, 1] },
            lane_order: LaneOrder::natural(&shader.module),
            schedule: stages.departure().waves,
            ..self.draw.launch(self.width, *fuel)
        };
        stages.dispatch(part, &launch, memory, places)?;
        if let (Some(fuel), Some(spent)) = (fuel.as_mut(), &launch.spent) {
            *fuel = fuel.saturating_sub(spent.load(Ordering::Relaxed));
        }
        Ok(std::mem::take(&mut memory.cell(of_records).host_mut()?.bytes).into())
    }
}

/// The word at a place of a record.
fn word(record: &[u8], at: usize) -> u32 {
    let bytes = record.get(at..at + 4).and_then(|it| it.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}

/// The vertices and primitives in the records of a batch, of which `first` is the number of the first group.
fn made(mesh: &Mesh, records: &[u8], first: u32) -> Made {
    let io = &mesh.io;
    let (own, of_primitives) = (slot_count(&io.vertices), slot_count(&io.primitives));
    let mut made = Made::new(own + of_primitives);
    let mut words: Vec<u32> = Vec::new();
    // The next vertex.
    let mut next = 0;
    for (group, record) in (first..).zip(records.chunks_exact(mesh.record_bytes as usize)) {
        words.clear();
        words.extend(record.as_chunks().0.iter().map(|it| u32::from_le_bytes(*it)));
        let at = |place: u32| words[place as usize];
        let vertices = at(0).min(io.most_vertices);
        let primitives = at(1).min(io.most_primitives);
        let first = next;
        if of_primitives == 0 {
            let to = made.transformed.grow(vertices);
            interleave(to, own as usize, |slot| &words[io.vertex_slot(slot as u32) as usize..]);
            next += vertices;
        }
        for primitive in 0..primitives {
            let of = |slot: u32| at(io.primitive_slot(slot) + primitive);
            if mesh.cull.is_some_and(|it| of(it) != 0) {
                continue;
            }
            let corners = u32::from(io.corners);
            let index =
                |corner: u32| at(MeshIo::INDICES + primitive * corners + corner.min(corners - 1));
            let indices = [index(0), index(1), index(2)];
            if indices.iter().any(|it| *it >= vertices) {
                continue;
            }
            let id = match mesh.numbers_groups {
                true => group,
                false => mesh.primitive_id.map_or(0, of),
            };
            if of_primitives == 0 {
                let vertices = indices.map(|it| first + it);
                made.primitives.push(Primitive { vertices, id });
                continue;
            }
            // What belongs to a primitive lies behind each of its vertices.
            for index in indices {
                let of_vertex = (0..own).map(|it| at(io.vertex_slot(it) + index));
                made.transformed.words.extend(of_vertex.chain((0..of_primitives).map(of)));
            }
            made.primitives.push(Primitive { vertices: [next, next + 1, next + 2], id });
            next += 3;
        }
    }
    made
}
