//! How a shader uses what is bound to it, as far as its code tells without a run: for hosts that make up contents.
//!
//! Values are followed from the buffers that they are loaded from, through everything but other buffers, to the
//! addresses and conditions that they decide (forward data flow, to a fixed point). It answers what is likely, not what
//! is certain: nothing but the choice of contents may depend on it. Not part of the stability promise.

use std::collections::BTreeMap;

use ir::flow::Structure;
use ir::ray::RayOp;
use ir::{Address, Binding, Module, Op, Place, ResourceKind, Value, ValueDef};
use ops::Binary;

use crate::{Layout, Shader};

/// The uses of one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// It is read, and not only by atomic operations.
    pub loads: bool,
    /// It is the target of atomic operations, or has a hidden counter that is used.
    pub atomics: bool,
    /// Integers of it become addresses, or decide where lanes go.
    pub leads: bool,
    /// Integers of it become indices into arrays of resources or into descriptor heaps.
    pub selects: bool,
    /// Elements are taken out of it by its hidden counter.
    pub consumes: bool,
    /// The number of elements, or of bytes without elements, that constant indices access.
    pub least: u64,
    /// Of an array of resources, the number of elements that constant indices select.
    pub elements: u32,
    /// Of a constant buffer, whether each of its members may be read.
    pub members: Vec<bool>,
}

/// What determines the element of a descriptor heap that code accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// It is that element.
    Element(u32),
    /// The integer at that byte of a constant buffer.
    Constant {
        /// The index of the constant buffer among the shader's resources.
        resource: usize,
        /// Where it lies there.
        offset: u32,
    },
    /// Something else.
    Unknown,
}

/// The uses of all resources of a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// In the order of [`Shader::resources`].
    pub uses: Vec<Use>,
    /// The elements of heaps, with the views as which they are accessed: indices among the shader's resources. Unlike
    /// the rest, this is certain: every access is in it.
    pub heaps: BTreeMap<Slot, Vec<usize>>,
    /// Whether its ray queries commit triangles that are not opaque.
    pub commits: bool,
}

/// Looks through the code of a shader.
pub fn survey(shader: &Shader) -> Survey {
    let module = &*shader.module;
    let mut survey = Survey::default();
    for resource in &module.resources {
        let members = match &resource.kind {
            ResourceKind::Constant { members, .. } => vec![false; members.len()],
            _ => Vec::new(),
        };
        survey.uses.push(Use { members, ..Use::default() });
    }
    for data in &module.insts {
        survey.access(module, &data.op, data.results.len());
    }
    survey.commits = module
        .insts
        .iter()
        .any(|it| matches!(&it.op, Op::Ray(ray) if ray.op == RayOp::CommitTriangle));
    let flow = Flow::new(module);
    let (leads, selects) = (flow.leads(), flow.selects());
    for (index, it) in survey.uses.iter_mut().enumerate() {
        it.leads = leads & bit(Binding(index as u32)) != 0;
        it.selects = selects & bit(Binding(index as u32)) != 0;
    }
    survey
}

impl Survey {
    fn access(&mut self, module: &Module, op: &Op, results: usize) {
        for place in op.places() {
            self.heap(module, place);
            if let Some(known) = place.element.and_then(|it| module.constant(it)) {
                let it = &mut self.uses[place.binding.index()];
                it.elements = it.elements.max((known as u32).saturating_add(1));
            }
        }
        let index = |place: &Place| place.binding.index();
        match op {
            Op::Load { place, at } => {
                self.uses[index(place)].loads = true;
                self.reach(module, place, *at, results);
            }
            Op::Store { place, at, values } => self.reach(module, place, *at, values.len()),
            Op::Atomic { place, at, .. } => {
                self.uses[index(place)].atomics = true;
                self.reach(module, place, *at, 1);
            }
            Op::Counter { place, delta } => {
                let it = &mut self.uses[index(place)];
                it.atomics = true;
                it.consumes |= *delta < 0;
            }
            Op::Texture(texture) => self.uses[index(&texture.texture)].loads = true,
            _ => {}
        }
    }

    /// Notes the elements, or the members, that an access with a constant address reaches.
    fn reach(&mut self, module: &Module, place: &Place, at: Address, scalars: usize) {
        let resource = module.resource(place.binding);
        let it = &mut self.uses[place.binding.index()];
        let constant = |value: Value| module.constant(value);
        if let (ResourceKind::Constant { members, .. }, Address::Byte(from)) = (&resource.kind, at)
        {
            let known = constant(from).map(|it| it as usize);
            for (member, is_read) in members.iter().zip(&mut it.members) {
                let Some(offsets) = Layout::offsets_of(member, &[]) else {
                    *is_read = true;
                    continue;
                };
                // Only vectors, matrices and arrays have indices that are computed at run time.
                *is_read |= match known {
                    Some(from) => offsets.iter().any(|it| is_within(*it, from, scalars)),
                    None => offsets.len() > 1,
                };
            }
            return;
        }
        let last = match at {
            Address::Structured { index, .. } | Address::Texel(index) => constant(index),
            Address::Byte(at) => constant(at).map(|it| it + 4 * scalars as u64 - 1),
            Address::Within { .. } => None,
        };
        // An index of 0xffffffff means no element.
        if let Some(last) = last.filter(|it| *it < 1 << 20) {
            it.least = it.least.max(last + 1);
        }
    }

    fn heap(&mut self, module: &Module, place: Place) {
        if !module.resource(place.binding).register.class.is_heap() {
            return;
        }
        let slot = place.element.map_or(Slot::Element(0), |it| slot(module, it));
        let views = self.heaps.entry(slot).or_default();
        if !views.contains(&place.binding.index()) {
            views.push(place.binding.index());
        }
    }
}

fn is_within(offset: usize, from: usize, scalars: usize) -> bool {
    (from..from + 4 * scalars.max(1)).contains(&offset)
}

fn slot(module: &Module, element: Value) -> Slot {
    if let Some(known) = module.constant(element) {
        return Slot::Element(known as u32);
    }
    let ValueDef::Result(inst, number) = module.values[element.index()].def else {
        return Slot::Unknown;
    };
    let Op::Load { place, at: Address::Byte(at) } = &module.inst(inst).op else {
        return Slot::Unknown;
    };
    let is_constant = matches!(module.resource(place.binding).kind, ResourceKind::Constant { .. });
    match module.constant(*at).filter(|_| is_constant && place.element.is_none()) {
        Some(at) => {
            Slot::Constant { resource: place.binding.index(), offset: at as u32 + 4 * number }
        }
        None => Slot::Unknown,
    }
}

/// The bit of a resource in a set of them; the last one represents all further ones.
fn bit(binding: Binding) -> u64 {
    1 << binding.index().min(63)
}

/// The resources that each value comes from.
struct Flow<'a> {
    module: &'a Module,
    structure: Structure,
    values: Vec<u64>,
    shared: Vec<u64>,
    private: Vec<u64>,
}

/// After this many rounds the analysis stops: values that it has not reached may be made up less well.
const MOST_ROUNDS: usize = 8;

impl<'a> Flow<'a> {
    fn new(module: &'a Module) -> Flow<'a> {
        let mut flow = Flow {
            module,
            structure: Structure::of(module),
            values: vec![0; module.values.len()],
            shared: vec![0; module.groupshared.len()],
            private: vec![0; module.privates.len()],
        };
        for _ in 0..MOST_ROUNDS {
            if !flow.round() {
                break;
            }
        }
        flow
    }

    /// Follows every value by one instruction; returns whether anything is new.
    fn round(&mut self) -> bool {
        let mut is_new = false;
        for data in &self.module.insts {
            let from = match &data.op {
                Op::Load { place, .. } | Op::Atomic { place, .. } | Op::Counter { place, .. } => {
                    bit(place.binding)
                }
                Op::Texture(texture) => bit(texture.texture.binding),
                Op::SharedLoad { memory, .. } | Op::SharedAtomic { memory, .. } => {
                    self.shared[memory.index()]
                }
                Op::PrivateLoad { memory, .. } => self.private[memory.index()],
                // A masked value is small.
                Op::Binary(Binary::And, a, b) if self.is_known(*a) || self.is_known(*b) => 0,
                // Their results flow in from their regions.
                Op::If { .. } | Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. } => 0,
                op => op.operands().iter().fold(0, |all, it| all | self.values[it.index()]),
            };
            let to = match &data.op {
                Op::SharedStore { memory, value, .. } => {
                    Some((&mut self.shared[memory.index()], self.values[value.index()]))
                }
                Op::PrivateStore { memory, value, .. } => {
                    Some((&mut self.private[memory.index()], self.values[value.index()]))
                }
                _ => None,
            };
            if let Some((all, more)) = to {
                is_new |= more & !*all != 0;
                *all |= more;
            }
            for result in &data.results {
                let all = &mut self.values[result.index()];
                is_new |= from & !*all != 0;
                *all |= from;
            }
        }
        let values = &mut self.values;
        self.structure.edges(self.module, |from, into| {
            let more = values[from.index()];
            is_new |= more & !values[into.index()] != 0;
            values[into.index()] |= more;
        });
        is_new
    }

    fn is_known(&self, value: Value) -> bool {
        self.module.constant(value).is_some()
    }

    /// The resources whose values become addresses or conditions.
    fn leads(&self) -> u64 {
        let of = |value: &Value| self.values[value.index()];
        self.module.insts.iter().fold(self.selects(), |all, data| {
            let here = match &data.op {
                Op::Load { at, .. } | Op::Store { at, .. } | Op::Atomic { at, .. } => {
                    at.operands().fold(0, |all, it| all | of(&it))
                }
                Op::SharedLoad { index, .. }
                | Op::SharedStore { index, .. }
                | Op::SharedAtomic { index, .. }
                | Op::PrivateLoad { index, .. }
                | Op::PrivateStore { index, .. } => of(index),
                Op::Texture(_) => data.op.operands().iter().fold(0, |all, it| all | of(it)),
                Op::If { cond, .. } => of(cond),
                Op::Switch { selector, .. } => of(selector),
                _ => 0,
            };
            all | here
        })
    }

    /// The resources whose values say which element of an array of resources, or of a heap, is accessed.
    fn selects(&self) -> u64 {
        let places = self.module.insts.iter().flat_map(|it| it.op.places());
        places.filter_map(|it| it.element).fold(0, |all, it| all | self.values[it.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoIncludes, Options};

    fn of(text: &str) -> (Shader, Survey) {
        let compiled = Shader::compile("a.hlsl", text, &Options::default(), &mut NoIncludes);
        let shader = compiled.unwrap().shader().unwrap();
        let survey = survey(&shader);
        (shader, survey)
    }

    #[test]
    fn what_becomes_an_index_or_a_condition_is_followed() {
        let (shader, survey) =
            of("StructuredBuffer<uint> Index, Bound, Key, Plain; RWStructuredBuffer<uint> Out;
             groupshared uint tile[64];
             [numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {
                 tile[t] = Index[t];
                 GroupMemoryBarrierWithGroupSync();
                 uint sum = 0;
                 for (uint i = 0; i < Bound[0]; ++i) sum += i;
                 InterlockedAdd(Out[Key[t] & 255], 1);
                 Out[tile[t ^ 1] + 1] = sum + Plain[7];
             }");
        let of = |name| &survey.uses[shader.resource(name).unwrap().0];
        let leads = ["Index", "Bound", "Key", "Plain", "Out"].map(|it| of(it).leads);
        assert_eq!(leads, [true, true, false, false, false]);
        assert!(!of("Index").selects);
        assert!(of("Out").atomics && !of("Out").loads && of("Plain").loads);
        assert_eq!((of("Plain").least, of("Bound").least, of("Index").least), (8, 1, 0));
    }

    #[test]
    fn indices_of_resources_are_distinguished_from_indices_of_elements() {
        let (shader, survey) = of("StructuredBuffer<uint> Which, Where; Texture2D<float> T[];
             RWStructuredBuffer<float> Out;
             [numthreads(1, 1, 1)] void main(uint t : SV_GroupIndex) {
                 Out[Where[t]] = T[Which[t] + 1].Load(int3(0, 0, 0)); }");
        let of = |name| &survey.uses[shader.resource(name).unwrap().0];
        assert_eq!(["Which", "Where", "T"].map(|it| of(it).selects), [true, false, false]);
        assert_eq!(["Which", "Where", "T"].map(|it| of(it).leads), [true, true, false]);
        assert_eq!(of("T").elements, 0);
    }

    #[test]
    fn constants_that_select_elements_of_arrays_are_found() {
        let (shader, survey) = of("RWStructuredBuffer<float> Out[]; static const uint Last = 20;
             [numthreads(1, 1, 1)] void main(uint t : SV_GroupIndex) {
                 Out[3][t] = Out[Last][t] + Out[t][0]; }");
        assert_eq!(survey.uses[shader.resource("Out").unwrap().0].elements, 21);
    }

    #[test]
    fn members_that_nothing_reads_are_distinguished() {
        let (shader, survey) =
            of("cbuffer C { uint a; uint b; float4x4 m; float3 v; float w[4]; uint2 last; };
             RWStructuredBuffer<float> Out;
             [numthreads(1, 1, 1)] void main(uint t : SV_GroupIndex) {
                 Out[t] = b + v.y + w[t] + m[1][2]; }");
        let members = &survey.uses[shader.resource("C").unwrap().0].members;
        assert_eq!(members[..2], [false, true]);
        assert!(members[3] && members[4]);
    }

    #[test]
    fn elements_of_heaps_are_found_in_the_code_and_in_constants() {
        let (shader, survey) = of("cbuffer C { uint unused; uint texture; };
             [numthreads(1, 1, 1)] void main(uint t : SV_GroupIndex) {
                 Texture2D<float> T = ResourceDescriptorHeap[texture];
                 RWStructuredBuffer<float> Out = ResourceDescriptorHeap[3];
                 Out[t] = T.Load(int3(0, 0, 0)); }");
        let slots: Vec<Slot> = survey.heaps.keys().copied().collect();
        let resource = shader.resource("C").unwrap().0;
        assert_eq!(slots, [Slot::Element(3), Slot::Constant { resource, offset: 4 }]);
    }
}
