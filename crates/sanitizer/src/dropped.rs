//! Outputs that no primitive is made of: vertices that a geometry shader emits beyond the declared number, counts of a
//! mesh shader beyond its arrays, and primitives that name vertices beyond the count.
//!
//! Lowering keeps what a geometry shader has emitted in private memory, and the counts of a mesh shader in groupshared
//! memory; which memory that is follows from the instructions that read it at the end.

use interp::observe::{AccessEvent, Space};
use ir::group::{BUFFERS, MeshIo};
use ir::stage::StageTraits;
use ir::{Binding, Inst, Module, Op, Private, Shared, Slot, Value};
use ops::LaneMask;

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::hash::HashMap;
use crate::slice;

/// What a module can drop.
pub(crate) enum Dropped {
    Nothing,
    /// Of a geometry shader, the memory that counts vertices, that which holds them, and how many there may be.
    Vertices {
        count: Private,
        words: Option<Private>,
        most: u32,
    },
    /// Of an amplification shader, the records with payloads.
    Payloads(Binding),
    /// Of a mesh shader, the memory of the counts, and the records that groups leave.
    Mesh {
        counts: Shared,
        records: Binding,
        io: Box<MeshIo>,
        /// By group, the counts that have been set.
        set: HashMap<[u32; 3], [u32; 2]>,
    },
}

impl Dropped {
    pub(crate) fn new(facts: &Facts<'_>) -> Dropped {
        let module = facts.module;
        if let Some(StageTraits::Geometry(traits)) = module.io.as_ref().map(|it| &it.traits) {
            let loaded = |wanted: u32| {
                let value = module.insts.iter().find_map(|it| match it.op {
                    Op::Output { slot: Slot(slot), value } if slot == wanted => Some(value),
                    _ => None,
                })?;
                match made(module, value)? {
                    Op::PrivateLoad { memory, .. } => Some(*memory),
                    _ => None,
                }
            };
            if let Some(count) = loaded(0) {
                let most = traits.most_vertices;
                return Dropped::Vertices { count, words: loaded(1), most };
            }
        }
        let Some(group) = module.group.as_ref().filter(|_| module.resources.len() >= BUFFERS)
        else {
            return Dropped::Nothing;
        };
        let records = Binding(module.resources.len() as u32 - 1);
        let Some(io) = &group.mesh else { return Dropped::Payloads(records) };
        // The counts are stored together, and nothing else is.
        let counts = module.insts.iter().find_map(|it| match &it.op {
            Op::Store { place, values, .. } if place.binding == records && values.len() == 2 => {
                match (made(module, values[0]), made(module, values[1])) {
                    (
                        Some(Op::SharedLoad { memory, .. }),
                        Some(Op::SharedLoad { memory: other, .. }),
                    ) if memory == other => Some(*memory),
                    _ => None,
                }
            }
            _ => None,
        });
        let Some(counts) = counts else { return Dropped::Nothing };
        Dropped::Mesh { counts, records, io: Box::new(io.clone()), set: HashMap::default() }
    }

    /// Whether a geometry shader keeps its vertices there.
    pub(crate) fn holds_vertices(&self, memory: Private) -> bool {
        matches!(self, Dropped::Vertices { words: Some(words), .. } if *words == memory)
    }

    /// Whether an amplification shader passes its payload there: all of it, though the groups may need only the part
    /// that has been set.
    pub(crate) fn holds_payloads(&self, binding: Binding) -> bool {
        matches!(self, Dropped::Payloads(records) if *records == binding)
    }

    /// Whether what is put out is judged where it is emitted: vertices of several streams have different lengths, so
    /// that some of the words behind are never set.
    pub(crate) fn is_judged_before(&self) -> bool {
        matches!(self, Dropped::Vertices { words: Some(_), .. })
    }

    pub(crate) fn group_end(&mut self, group: [u32; 3]) {
        if let Dropped::Mesh { set, .. } = self {
            set.remove(&group);
        }
    }

    /// Examines a store.
    pub(crate) fn store(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &AccessEvent<'_>,
    ) -> Option<Finding> {
        let lanes = event.at.active & event.in_bounds & !event.address_poison & !event.value_poison;
        let of = |lane: u32| event.values.first().map_or(0, |it| it.get(lane) as u32);
        let index = |lane: u32| event.addresses.get(lane as usize).copied().unwrap_or(u64::MAX);
        match (self, &event.space) {
            (Dropped::Vertices { count, most, .. }, Space::Private(it)) if it == count => {
                let beyond = lanes.iter().filter(|lane| index(*lane) == 0 && of(*lane) > *most);
                let beyond: LaneMask = beyond.collect();
                beyond.first()?;
                let text = format!("{} emit{} too many here", Named(beyond), third_person(beyond));
                let message = format!("more vertices are emitted than `[maxvertexcount({most})]`");
                let note = "Direct3D drops the vertices beyond that number; Vulkan leaves everything undefined";
                let found = finding(event, width, beyond, message, text, note);
                Some(match bound(facts, event.at.inst) {
                    Some(bound) => found.caused_at(bound),
                    None => found,
                })
            }
            (Dropped::Mesh { counts, io, set, .. }, Space::Shared(it)) if it == counts => {
                let lane = lanes.first()?;
                let (which, count) = (index(lane) as usize & 1, of(lane));
                set.entry(event.at.group).or_default()[which] = count;
                let (what, most) = match which {
                    0 => ("vertices", io.most_vertices),
                    _ => ("primitives", io.most_primitives),
                };
                if count <= most {
                    return None;
                }
                let message = format!("a group asks for {count} {what}, and its array has {most}");
                let text = "the counts are set here".to_owned();
                let note =
                    "entries beyond the array are dropped here; elsewhere, this is undefined";
                Some(finding(event, width, lanes, message, text, note))
            }
            (Dropped::Mesh { records, io, set, .. }, Space::Buffer(it, _)) if it == records => {
                let [vertices, _] = set.get(&event.at.group).copied()?;
                let (first, end) = (u64::from(MeshIo::INDICES), u64::from(io.vertex_slot(0)));
                let word = |lane: u32| index(lane) / 4 % u64::from(io.words().max(1));
                let beyond = lanes.iter().find_map(|lane| {
                    let of_indices = (first..end).contains(&word(lane));
                    let mut indices = event.values.iter().map(|it| it.get(lane) as u32);
                    let index = indices.find(|it| *it >= vertices).filter(|_| of_indices)?;
                    Some((lane, (word(lane) - first) / u64::from(io.corners.max(1)), index))
                });
                let (lane, primitive, index) = beyond?;
                let message = format!("primitive {primitive} of a group names vertex {index}");
                let text = format!("the group has {vertices} vertices");
                let note = "the primitive is dropped here; elsewhere, this is undefined";
                Some(finding(event, width, [lane].into_iter().collect(), message, text, note))
            }
            _ => None,
        }
    }
}

/// What decides how often a loop emits: where its bound is computed, or else the condition.
fn bound(facts: &Facts<'_>, emits: Inst) -> Option<Site> {
    let module = facts.module;
    let is_loop = |it: &Inst| matches!(module.inst(*it).op, Op::Loop { .. });
    let around = facts.ancestors(emits).find(is_loop)?;
    let is_inside = |it: Value| facts.defined_in(it).is_some_and(|it| facts.encloses(around, it));
    let (compare, bound) = slice::comparisons(facts, around).into_iter().find_map(|inst| {
        let Op::Compare(_, a, b) = module.inst(inst).op else { return None };
        match (is_inside(a), is_inside(b)) {
            (true, false) => Some((inst, b)),
            (false, true) => Some((inst, a)),
            _ => None,
        }
    })?;
    let (inst, text) = match facts.computed_by(bound) {
        Some(it) => (it, "this bounds the loop that emits"),
        None => (compare, "the loop that emits continues while this holds"),
    };
    Some(Site { span: module.inst(inst).span, inst: Some(inst), text: text.to_owned() })
}

/// The operation that made a value.
fn made(module: &Module, value: Value) -> Option<&Op> {
    module.made_by(value).map(|it| &module.inst(it).op)
}

fn finding(
    event: &AccessEvent<'_>,
    width: u32,
    lanes: LaneMask,
    message: String,
    text: String,
    note: &str,
) -> Finding {
    let found = Finding::at(event.at, width, Kind::OutOfBounds, lanes, message, text);
    let helps =
        vec!["compare the number with the declared one first, or declare a greater one".to_owned()];
    Finding { notes: vec![note.to_owned()], helps, ..found }
}
