//! Buffers: descriptors, addresses, bounds, accesses.
//!
//! A buffer is a block with one array of units: words, half words for 16-bit scalars, or 64-bit integers for 64-bit
//! atomics. A buffer that is accessed in several ways is declared once for each, with the same binding, and marked as
//! aliased. A constant buffer is an array of four-word registers. 64-bit scalars are two words.
//!
//! # Bounds
//! In Direct3D, an out-of-bounds load returns zero, an out-of-bounds store does nothing, and an out-of-bounds atomic
//! returns zero. The device's robustness (`robustBufferAccess2`) guarantees that only for plain accesses: not for a
//! partial element at the end of a structured buffer, an index whose address wraps, an offset beyond the element, or
//! the result of an atomic. So `legalize` compares each access with the length of the buffer, and says for which lanes
//! it is in bounds. Here, the other lanes read unit 0 and the result is discarded; their stores and atomic operations
//! are branched around. Left to the device are a buffer without any unit, and, if the environment guarantees
//! robustness, the simplest case ([`Emitter::word`]): the single word of a four-byte element, at an index that cannot
//! wrap.

use std::collections::BTreeMap;

use ir::{Address, Atomic, Inst, Op, Place, RegisterClass, ResourceKind, Value};
use ops::{Barrier, MemoryScope, Sign, SyncScope, Ty};

use crate::CannotEmit;
use crate::binding::Numbers;
use crate::builtin::{SCOPE_DEVICE, SCOPE_GROUP};
use crate::emit::Emitter;
use crate::environment::Numbering;
use crate::module::Id;
use crate::opcode as op;
use crate::reflect::{self, BindingKind};

/// Information about the resources of a module.
#[derive(Default)]
pub(crate) struct Resources {
    pub(crate) bindings: Vec<reflect::Binding>,
    pub(crate) push: Option<reflect::Push>,
    /// Set and binding of each resource, and of its counter.
    places: BTreeMap<(u32, bool), (u32, u32)>,
    views: BTreeMap<(u32, View), Id>,
    /// Whether two resources have the same binding.
    pub(crate) shares: bool,
    /// The number of units of a buffer, if it is the same everywhere.
    lengths: BTreeMap<(u32, u32), Id>,
}

/// The ways to declare a resource.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum View {
    /// Units of this many bytes.
    Units(u32),
    Registers,
    Counter,
    Texels,
    Image,
    Sampler,
    Scene,
}

/// A descriptor to access.
#[derive(Clone, Copy)]
pub(crate) struct Descriptor {
    pub(crate) pointer: Id,
    /// Whether the index into the descriptor array is in bounds; `None` if it always is.
    pub(crate) exists: Option<Id>,
    pub(crate) varies: bool,
    /// The resource, if it is not an array.
    only: Option<u32>,
}

impl Emitter<'_> {
    /// Assigns a set and binding to each resource that is used.
    pub(crate) fn bind(&mut self) -> Result<(), CannotEmit> {
        let mut numbers = Numbers::new(self.ir, &self.environment.numbering);
        for (index, resource) in self.ir.resources.iter().enumerate().filter(|it| it.1.used) {
            if let (RegisterClass::Push, ResourceKind::Constant { size, .. }) =
                (resource.register.class, &resource.kind)
            {
                self.resources.push = Some(reflect::Push {
                    name: resource.name.clone(),
                    bytes: size.div_ceil(16).max(1) * 16,
                    resource: ir::Binding(index as u32),
                });
                continue;
            }
            let (kind, counter) = match &resource.kind {
                ResourceKind::Constant { .. } => (BindingKind::UniformBuffer, false),
                ResourceKind::Structured { counter, .. } => (BindingKind::StorageBuffer, *counter),
                ResourceKind::Raw { .. } => (BindingKind::StorageBuffer, false),
                ResourceKind::Typed { writable: false, .. } => {
                    (BindingKind::UniformTexelBuffer, false)
                }
                ResourceKind::Typed { writable: true, .. } => {
                    (BindingKind::StorageTexelBuffer, false)
                }
                ResourceKind::Texture { writable: false, .. } => (BindingKind::SampledImage, false),
                ResourceKind::Texture { writable: true, .. } => (BindingKind::StorageImage, false),
                ResourceKind::Sampler { .. } => (BindingKind::Sampler, false),
                ResourceKind::Scene => (BindingKind::Scene, false),
                ResourceKind::Feedback { .. } => (BindingKind::StorageBuffer, false),
            };
            let binding = ir::Binding(index as u32);
            let format = match kind {
                BindingKind::StorageImage | BindingKind::StorageTexelBuffer => {
                    op::name_of(op::IMAGE_FORMATS, self.carrier(binding).format)
                }
                BindingKind::UniformBuffer
                | BindingKind::StorageBuffer
                | BindingKind::UniformTexelBuffer
                | BindingKind::SampledImage
                | BindingKind::Sampler
                | BindingKind::Scene
                | BindingKind::Counter => None,
            };
            let kinds = [Some(kind), counter.then_some(BindingKind::Counter)];
            for kind in kinds.into_iter().flatten() {
                let is_counter = kind == BindingKind::Counter;
                let (set, number) = numbers.next(resource, is_counter);
                let set = match self.environment.numbering {
                    Numbering::Counted => self.environment.first_set + set,
                    Numbering::Written(_) => set,
                };
                self.resources.places.insert((index as u32, is_counter), (set, number));
                self.resources.bindings.push(reflect::Binding {
                    name: resource.name.clone(),
                    kind,
                    set,
                    binding: number,
                    count: resource.count,
                    writable: resource.kind.writable(),
                    format,
                    register: resource.register,
                    resource: binding,
                });
            }
        }
        self.resources.shares = numbers.shares();
        Ok(())
    }

    /// Marks buffers that are declared in several ways as aliased, as well as resources in the same descriptor heap.
    pub(crate) fn aliases(&mut self) {
        let views: Vec<(ir::Binding, View, Id)> = self
            .resources
            .views
            .iter()
            .map(|((of, view), id)| (ir::Binding(*of), *view, *id))
            .collect();
        let units = |view: View| matches!(view, View::Units(_) | View::Texels | View::Image);
        for (of, view, id) in &views {
            let storage = self.ir.storage(*of);
            let ways = views.iter().filter(|it| self.ir.storage(it.0) == storage && units(it.1));
            if units(*view) && ways.count() > 1 {
                self.out.decorate(*id, op::ALIASED, &[]);
                // A device may access buffers and images through different caches.
                if self.mixed(*of) && !self.ir.resource(*of).globally_coherent {
                    self.out.decorate(*id, op::COHERENT, &[]);
                }
            }
        }
    }

    /// Whether the same bytes may be written, and accessed both as a buffer and as texels.
    fn mixed(&self, resource: ir::Binding) -> bool {
        let storage = self.ir.storage(resource);
        if !self.ir.shares_memory(resource) {
            return false;
        }
        let beside = |(index, it): (usize, &'_ ir::Resource)| {
            (it.used && self.ir.storage(ir::Binding(index as u32)) == storage).then(|| {
                let is_texels = matches!(it.kind, ResourceKind::Typed { .. });
                (is_texels, it.kind.writable())
            })
        };
        let all: Vec<(bool, bool)> =
            self.ir.resources.iter().enumerate().filter_map(beside).collect();
        all.iter().any(|it| it.0) && all.iter().any(|it| !it.0) && all.iter().any(|it| it.1)
    }

    /// A barrier after a write: a lane may read as a buffer what it has written as texels, and vice versa.
    pub(crate) fn settle(&mut self, resource: ir::Binding) {
        if self.mixed(resource) {
            let barrier = Barrier { memory: MemoryScope::Device, sync: SyncScope::None };
            self.barrier(barrier);
        }
    }

    /// The type that a descriptor refers to, and its storage class.
    fn viewed(&mut self, binding: ir::Binding, view: View) -> (Id, u32) {
        let uint = self.out.uint();
        match (view, &self.ir.resource(binding).kind) {
            (View::Units(bytes), _) => {
                if bytes == 2 {
                    self.out.capabilities.insert(op::CAP_STORAGE_16);
                }
                let unit = self.out.int(bytes * 8);
                let writable = self.ir.may_be_written(binding);
                (self.out.block(unit, bytes, None, writable), op::STORAGE_BUFFER)
            }
            (View::Counter, _) => (self.out.block(uint, 4, None, true), op::STORAGE_BUFFER),
            (View::Registers, ResourceKind::Constant { size, .. }) => {
                let four = self.out.vector(uint, 4);
                let storage = self.constants_in(binding);
                let count = size.div_ceil(16).max(1);
                (self.out.block(four, 16, Some(count), true), storage)
            }
            (View::Texels, ResourceKind::Typed { .. }) => {
                (self.texel_image(binding), op::UNIFORM_CONSTANT)
            }
            (View::Image, ResourceKind::Texture { .. }) => {
                (self.image_type(binding), op::UNIFORM_CONSTANT)
            }
            (View::Sampler, ResourceKind::Sampler { .. }) => {
                (self.out.made_type(op::TYPE_SAMPLER, &[]), op::UNIFORM_CONSTANT)
            }
            (View::Scene, ResourceKind::Scene) => {
                let ty = self.out.made_type(op::TYPE_ACCELERATION_STRUCTURE, &[]);
                (ty, op::UNIFORM_CONSTANT)
            }
            (View::Registers | View::Texels | View::Image | View::Sampler | View::Scene, _) => {
                unreachable!("the verifier has checked that addresses suit their resources")
            }
        }
    }

    /// The storage class of constants.
    fn constants_in(&self, binding: ir::Binding) -> u32 {
        match self.ir.resource(binding).register.class {
            RegisterClass::Push => op::PUSH_CONSTANT,
            _ => op::UNIFORM,
        }
    }

    fn view(&mut self, binding: ir::Binding, view: View) -> Id {
        if let Some(id) = self.resources.views.get(&(binding.0, view)) {
            return *id;
        }
        let resource = self.ir.resource(binding);
        let (viewed, storage) = self.viewed(binding, view);
        let ty = match resource.count {
            Some(1) => viewed,
            Some(count) => self.out.array(viewed, count),
            None => {
                self.out.capabilities.insert(op::CAP_RUNTIME_DESCRIPTOR_ARRAY);
                self.descriptor_indexing();
                self.out.made_type(op::TYPE_RUNTIME_ARRAY, &[viewed.0])
            }
        };
        let variable = self.global(storage, ty);
        let is_counter = view == View::Counter;
        if let Some((set, number)) = self.resources.places.get(&(binding.0, is_counter)) {
            self.out.decorate(variable, op::DESCRIPTOR_SET, &[*set]);
            self.out.decorate(variable, op::BINDING, &[*number]);
        }
        if resource.globally_coherent || self.orders_pixels() && resource.kind.writable() {
            self.out.decorate(variable, op::COHERENT, &[]);
        }
        let name =
            if is_counter { format!("{}.counter", resource.name) } else { resource.name.clone() };
        self.out.name(variable, &name);
        self.resources.views.insert((binding.0, view), variable);
        variable
    }

    fn descriptor_indexing(&mut self) {
        if self.environment.vulkan.spirv() < 0x0001_0500 {
            self.out.extensions.insert("SPV_EXT_descriptor_indexing");
        }
    }

    /// Whether a value is below `limit`, folded if the value is known; `None` is true.
    pub(crate) fn below(&mut self, value: Id, known: Option<u64>, limit: u32) -> Option<Id> {
        match known {
            Some(known) if known < u64::from(limit) => None,
            Some(_) => Some(self.out.truth(false)),
            None => {
                let limit = self.out.word(limit);
                Some(self.test(op::U_LESS_THAN, value, limit))
            }
        }
    }

    pub(crate) fn both(&mut self, a: Option<Id>, b: Option<Id>) -> Option<Id> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.test(op::LOGICAL_AND, a, b)),
            (one, None) | (None, one) => one,
        }
    }

    /// The index if it is in bounds, otherwise 0.
    pub(crate) fn or_zero(&mut self, inside: Option<Id>, index: Id) -> Id {
        let Some(inside) = inside else { return index };
        let zero = self.out.word(0);
        self.choose(Ty::I32, inside, index, zero)
    }

    /// A descriptor of an array whose element may not exist: of textures and samplers.
    pub(crate) fn descriptor(&mut self, place: Place, view: View) -> Descriptor {
        let Some(element) = place.element else { return self.existing(place, view) };
        let known = self.ir.constant(element);
        let element = self.get(element);
        let exists = match self.ir.resource(place.binding).count {
            Some(count) => self.below(element, known, count),
            None => None,
        };
        let element = self.or_zero(exists, element);
        Descriptor { exists, ..self.descriptor_at(place.binding, view, element, known.is_none()) }
    }

    /// A descriptor that exists, as `legalize` ensures for buffers.
    pub(crate) fn existing(&mut self, place: Place, view: View) -> Descriptor {
        let element = match place.element {
            Some(element) => self.get(element),
            None => self.out.word(0),
        };
        let varies = place.element.is_some_and(|it| self.ir.constant(it).is_none());
        self.descriptor_at(place.binding, view, element, varies)
    }

    fn descriptor_at(
        &mut self,
        binding: ir::Binding,
        view: View,
        element: Id,
        varies: bool,
    ) -> Descriptor {
        let resource = self.ir.resource(binding);
        let variable = self.view(binding, view);
        if resource.count == Some(1) {
            let only = Some(binding.0);
            return Descriptor { pointer: variable, exists: None, varies: false, only };
        }
        let (viewed, storage) = self.viewed(binding, view);
        if varies {
            let kinds = match (view, resource.kind.writable()) {
                // Arrays of them may have any index.
                (View::Scene, _) => vec![op::CAP_SHADER_NON_UNIFORM],
                (View::Units(_) | View::Counter, _) => {
                    vec![
                        op::CAP_STORAGE_BUFFER_DYNAMIC,
                        op::CAP_STORAGE_BUFFER_NON_UNIFORM,
                        op::CAP_SHADER_NON_UNIFORM,
                    ]
                }
                (View::Registers, _) => {
                    vec![
                        op::CAP_UNIFORM_BUFFER_DYNAMIC,
                        op::CAP_UNIFORM_BUFFER_NON_UNIFORM,
                        op::CAP_SHADER_NON_UNIFORM,
                    ]
                }
                (View::Texels, false) => {
                    vec![
                        op::CAP_UNIFORM_TEXEL_DYNAMIC,
                        op::CAP_UNIFORM_TEXEL_NON_UNIFORM,
                        op::CAP_SHADER_NON_UNIFORM,
                    ]
                }
                (View::Texels, true) => {
                    vec![
                        op::CAP_STORAGE_TEXEL_DYNAMIC,
                        op::CAP_STORAGE_TEXEL_NON_UNIFORM,
                        op::CAP_SHADER_NON_UNIFORM,
                    ]
                }
                // Samplers count among sampled images.
                (View::Image | View::Sampler, false) => {
                    vec![
                        op::CAP_SAMPLED_IMAGE_DYNAMIC,
                        op::CAP_SAMPLED_IMAGE_NON_UNIFORM,
                        op::CAP_SHADER_NON_UNIFORM,
                    ]
                }
                (View::Image | View::Sampler, true) => {
                    vec![
                        op::CAP_STORAGE_IMAGE_DYNAMIC,
                        op::CAP_STORAGE_IMAGE_NON_UNIFORM,
                        op::CAP_SHADER_NON_UNIFORM,
                    ]
                }
            };
            self.out.capabilities.extend(kinds);
            self.descriptor_indexing();
        }
        let ty = self.out.pointer(storage, viewed);
        let pointer = self.op(op::ACCESS_CHAIN, ty, &[variable, element]);
        self.mark(varies, pointer);
        Descriptor { pointer, exists: None, varies, only: None }
    }

    /// Marks an id that depends on a descriptor that may differ between lanes.
    pub(crate) fn mark(&mut self, varies: bool, id: Id) {
        if varies {
            self.out.decorate(id, op::NON_UNIFORM, &[]);
        }
    }

    /// The number of units in the buffer.
    fn length(&mut self, descriptor: Descriptor, unit: u32) -> Id {
        let uint = self.out.uint();
        let measure =
            |it: &mut Self| it.op_words(op::ARRAY_LENGTH, uint, &[descriptor.pointer.0, 0]);
        let Some(resource) = descriptor.only else { return measure(self) };
        if let Some(id) = self.resources.lengths.get(&(resource, unit)) {
            return *id;
        }
        let id = self.early(measure);
        self.resources.lengths.insert((resource, unit), id);
        id
    }

    /// The number of whole elements in a structured buffer.
    fn elements(&mut self, descriptor: Descriptor, stride: u32, unit: u32) -> Id {
        let length = self.length(descriptor, unit);
        if stride == unit {
            return length;
        }
        let divide = |it: &mut Self| it.words(op::U_DIV, length, stride / unit);
        if descriptor.only.is_some() { self.early(divide) } else { divide(self) }
    }

    /// A pointer for an access to the single word of a four-byte element, if the device checks its bounds.
    ///
    /// Larger indices are clamped to the last word of a 32-bit address space, which is out of bounds because no buffer
    /// is that large.
    fn word(&mut self, place: Place, at: Address, ty: Ty, count: usize) -> Option<Id> {
        const LAST: u32 = u32::MAX / 4;
        let resource = self.ir.resource(place.binding);
        let Address::Structured { index, offset } = at else { return None };
        let is_word = matches!(resource.kind, ResourceKind::Structured { stride: 4, .. })
            && (ty.bytes(), count, self.ir.constant(offset)) == (4, 1, Some(0));
        if !self.environment.robust || !is_word || resource.count != Some(1) {
            return None;
        }
        let descriptor = self.existing(place, View::Units(4));
        let number = match self.ir.constant(index) {
            Some(known) => self.out.word((known as u32).min(LAST)),
            None => {
                let (index, last) = (self.get(index), self.out.word(LAST));
                let uint = self.out.uint();
                self.glsl(op::GLSL_U_MIN, uint, &[index, last])
            }
        };
        Some(self.unit_pointer(descriptor, number, 4))
    }

    /// A pointer to a unit of a block.
    fn unit_pointer(&mut self, descriptor: Descriptor, unit: Id, bytes: u32) -> Id {
        let ty = self.out.int(bytes * 8);
        let ty = self.out.pointer(op::STORAGE_BUFFER, ty);
        let zero = self.out.word(0);
        let pointer = self.op(op::ACCESS_CHAIN, ty, &[descriptor.pointer, zero, unit]);
        self.mark(descriptor.varies, pointer);
        pointer
    }

    /// The number of a unit, or 0 for lanes that must not access it.
    fn unit_number(&mut self, unit: Id, more: u32, when: Option<Id>) -> Id {
        let number = if more == 0 { unit } else { self.words(op::I_ADD, unit, more) };
        self.or_zero(when, number)
    }

    pub(crate) fn load(
        &mut self,
        inst: Inst,
        place: Place,
        at: Address,
    ) -> Result<Vec<Id>, CannotEmit> {
        let results = &self.ir.inst(inst).results;
        let (ty, count) = (self.ir.ty(results[0]), results.len());
        let Address::Within { unit, bytes, when } = at else {
            let Some(pointer) = self.word(place, at, ty, count) else {
                return self.uneven(inst, place);
            };
            let uint = self.out.uint();
            let word = self.op(op::LOAD, uint, &[pointer]);
            return Ok(vec![self.assembled(ty, &[word])]);
        };
        let when = when.map(|it| self.get(it));
        if bytes == 0 {
            return Ok(self.load_texel(place, unit, when, ty, count));
        }
        if let ResourceKind::Constant { .. } = self.ir.resource(place.binding).kind {
            return Ok(self.load_constants(place, unit, when, ty, count));
        }
        let descriptor = self.existing(place, View::Units(bytes));
        let unit = self.get(unit);
        let int = self.out.int(bytes * 8);
        let per_scalar = ty.bytes() / bytes;
        let mut values = Vec::new();
        for scalar in 0..count as u32 {
            let mut units = Vec::new();
            for part in 0..per_scalar {
                let number = self.unit_number(unit, scalar * per_scalar + part, when);
                let pointer = self.unit_pointer(descriptor, number, bytes);
                let loaded = self.op(op::LOAD, int, &[pointer]);
                self.mark(descriptor.varies, loaded);
                units.push(loaded);
            }
            let value = self.assembled(ty, &units);
            values.push(self.value_or_zero(ty, when, value));
        }
        Ok(values)
    }

    /// An access that `legalize` leaves as it is, because no units fit the elements.
    fn uneven<T>(&self, inst: Inst, place: Place) -> Result<T, CannotEmit> {
        let stride = self.ir.resource(place.binding).kind.view().stride;
        self.unsupported("uneven strides", format!("elements of {stride} bytes"), Some(inst))
    }

    pub(crate) fn value_or_zero(&mut self, ty: Ty, inside: Option<Id>, value: Id) -> Id {
        let Some(inside) = inside else { return value };
        let id = self.out.ty(ty);
        let zero = self.out.null(id);
        self.choose(ty, inside, value, zero)
    }

    /// A scalar from the integers that hold it.
    fn assembled(&mut self, ty: Ty, units: &[Id]) -> Id {
        match (ty, units) {
            (Ty::Bool, [word]) => self.convert(*word, Ty::I32, Sign::Unsigned, Ty::Bool),
            (Ty::I16, [half]) => *half,
            (Ty::F16, [half]) => self.typed(op::BITCAST, ty, &[*half]),
            (_, [low, high]) => self.joined(*low, *high, ty),
            (Ty::I64 | Ty::F64, [long]) => self.bitcast(*long, Ty::I64, ty),
            _ => self.bitcast(units[0], Ty::I32, ty),
        }
    }

    fn taken_apart(&mut self, ty: Ty, value: Id) -> Vec<Id> {
        match ty {
            Ty::Bool => {
                vec![self.convert(value, Ty::Bool, Sign::Unsigned, Ty::I32)]
            }
            Ty::I16 => vec![value],
            Ty::F16 => {
                let short = self.out.int(16);
                vec![self.op(op::BITCAST, short, &[value])]
            }
            Ty::I32 | Ty::F32 => vec![self.bitcast(value, ty, Ty::I32)],
            Ty::I64 | Ty::F64 => self.halves(value, ty).to_vec(),
        }
    }

    fn load_constants(
        &mut self,
        place: Place,
        unit: Value,
        when: Option<Id>,
        ty: Ty,
        count: usize,
    ) -> Vec<Id> {
        let descriptor = self.existing(place, View::Registers);
        let known = self.ir.constant(unit).map(|it| it as u32);
        let unit = self.get(unit);
        let per_scalar = ty.bytes().div_ceil(4);
        let uint = self.out.uint();
        let storage = self.constants_in(place.binding);
        let pointer_ty = self.out.pointer(storage, uint);
        let zero = self.out.word(0);
        let mut values = Vec::new();
        for scalar in 0..count as u32 {
            let mut units = Vec::new();
            for part in 0..per_scalar {
                let more = scalar * per_scalar + part;
                let word = match (known, ty.bytes()) {
                    (Some(known), 2) => self.out.word((known + more) >> 1),
                    (Some(known), _) => self.out.word(known + more),
                    (None, 2) => {
                        let half = self.unit_number(unit, more, None);
                        let word = self.words(op::SHIFT_RIGHT_LOGICAL, half, 1);
                        self.or_zero(when, word)
                    }
                    (None, _) => self.unit_number(unit, more, when),
                };
                let [register, component] = match known {
                    Some(known) => {
                        let word = if ty.bytes() == 2 { (known + more) >> 1 } else { known + more };
                        [word >> 2, word & 3].map(|it| self.out.word(it))
                    }
                    None => [
                        self.words(op::SHIFT_RIGHT_LOGICAL, word, 2),
                        self.words(op::BITWISE_AND, word, 3),
                    ],
                };
                let path = [descriptor.pointer, zero, register, component];
                let pointer = self.op(op::ACCESS_CHAIN, pointer_ty, &path);
                self.mark(descriptor.varies, pointer);
                let loaded = self.op(op::LOAD, uint, &[pointer]);
                self.mark(descriptor.varies, loaded);
                units.push(loaded);
            }
            if ty.bytes() == 2 {
                let half = self.unit_number(unit, scalar, None);
                let odd = self.words(op::BITWISE_AND, half, 1);
                let bits = self.words(op::SHIFT_LEFT_LOGICAL, odd, 4);
                let half = self.op(op::SHIFT_RIGHT_LOGICAL, uint, &[units[0], bits]);
                let short = self.out.int(16);
                units = vec![self.op(op::U_CONVERT, short, &[half])];
            }
            let value = self.assembled(ty, &units);
            values.push(self.value_or_zero(ty, when, value));
        }
        values
    }

    pub(crate) fn store(
        &mut self,
        inst: Inst,
        place: Place,
        at: Address,
        values: &[Value],
    ) -> Result<(), CannotEmit> {
        let ty = self.ir.ty(values[0]);
        let Address::Within { unit, bytes, when } = at else {
            let Some(pointer) = self.word(place, at, ty, values.len()) else {
                return self.uneven(inst, place);
            };
            let value = self.get(values[0]);
            let words = self.taken_apart(ty, value);
            self.effect(op::STORE, &[pointer, words[0]]);
            self.settle(place.binding);
            return Ok(());
        };
        let when = when.map(|it| self.get(it));
        if bytes == 0 {
            self.store_texel(place, unit, when, values);
            return Ok(());
        }
        let descriptor = self.existing(place, View::Units(bytes));
        let unit = self.get(unit);
        let mut units = Vec::new();
        for value in values {
            let value = self.get(*value);
            match bytes {
                8 => units.push(self.bitcast(value, ty, Ty::I64)),
                _ => units.extend(self.taken_apart(ty, value)),
            }
        }
        self.guarded(when, |it| {
            for (number, value) in (0..).zip(&units) {
                let number = it.unit_number(unit, number, None);
                let pointer = it.unit_pointer(descriptor, number, bytes);
                it.effect(op::STORE, &[pointer, *value]);
            }
            []
        });
        self.settle(place.binding);
        Ok(())
    }

    pub(crate) fn atomic(
        &mut self,
        inst: Inst,
        place: Place,
        at: Address,
        operation: Atomic,
        args: &[Value],
    ) -> Result<Id, CannotEmit> {
        let Address::Within { unit, bytes, when } = at else { return self.uneven(inst, place) };
        let when = when.map(|it| self.get(it));
        if bytes == 0 {
            return self.atomic_texel(inst, place, unit, when, operation, args);
        }
        let ty = self.ir.ty(args[0]);
        let descriptor = self.existing(place, View::Units(bytes));
        let unit = self.get(unit);
        let args = self.get_all(args);
        let ty_id = self.out.ty(ty);
        let [old] = self.guarded(when, |it| {
            let pointer = it.unit_pointer(descriptor, unit, bytes);
            [(ty_id, it.atomic_at(pointer, SCOPE_DEVICE, ty, operation, &args))]
        });
        self.settle(place.binding);
        Ok(old)
    }

    /// An atomic operation on an integer in memory, with values of type `ty`; returns the old value.
    pub(crate) fn atomic_at(
        &mut self,
        pointer: Id,
        scope: u32,
        ty: Ty,
        operation: Atomic,
        args: &[Id],
    ) -> Id {
        debug_assert!([SCOPE_DEVICE, SCOPE_GROUP].contains(&scope));
        let int = if ty == Ty::I64 { Ty::I64 } else { Ty::I32 };
        if int == Ty::I64 {
            self.out.capabilities.insert(op::CAP_INT64_ATOMICS);
        }
        let args: Vec<Id> = args.iter().map(|it| self.bitcast(*it, ty, int)).collect();
        let int_id = self.out.ty(int);
        let old = self.atomic_instruction(pointer, scope, int_id, operation, &args);
        self.bitcast(old, int, ty)
    }

    /// The same with values of the type that the pointer points to.
    pub(crate) fn atomic_instruction(
        &mut self,
        pointer: Id,
        scope: u32,
        ty: Id,
        operation: Atomic,
        args: &[Id],
    ) -> Id {
        let (scope, relaxed) = (self.out.word(scope), self.out.word(0));
        let opcode = match operation {
            Atomic::Add => op::ATOMIC_I_ADD,
            Atomic::And => op::ATOMIC_AND,
            Atomic::Or => op::ATOMIC_OR,
            Atomic::Xor => op::ATOMIC_XOR,
            Atomic::Min(Sign::Signed) => op::ATOMIC_S_MIN,
            Atomic::Min(Sign::Unsigned) => op::ATOMIC_U_MIN,
            Atomic::Max(Sign::Signed) => op::ATOMIC_S_MAX,
            Atomic::Max(Sign::Unsigned) => op::ATOMIC_U_MAX,
            Atomic::Exchange => op::ATOMIC_EXCHANGE,
            Atomic::CompareExchange => op::ATOMIC_COMPARE_EXCHANGE,
        };
        let operands = match operation {
            Atomic::CompareExchange => {
                vec![pointer, scope, relaxed, relaxed, args[1], args[0]]
            }
            Atomic::Add
            | Atomic::And
            | Atomic::Or
            | Atomic::Xor
            | Atomic::Min(_)
            | Atomic::Max(_)
            | Atomic::Exchange => vec![pointer, scope, relaxed, args[0]],
        };
        self.op(opcode, ty, &operands)
    }

    /// The units by which the length of a buffer is counted: the smallest by which it is accessed, so that it needs no
    /// separate declaration.
    fn counted(&self, binding: ir::Binding, stride: u32) -> u32 {
        let units = self.ir.insts.iter().filter_map(|it| match &it.op {
            Op::Load { place, at: Address::Within { bytes, .. } }
            | Op::Store { place, at: Address::Within { bytes, .. }, .. }
            | Op::Atomic { place, at: Address::Within { bytes, .. }, .. } => {
                (place.binding == binding).then_some(*bytes)
            }
            _ => None,
        });
        // Only 16-bit scalars give a stride that is not a multiple of words.
        let usual = if stride.is_multiple_of(4) { 4 } else { 2 };
        units.min().filter(|it| stride > 0 || *it < usual).unwrap_or(usual)
    }

    pub(crate) fn size(&mut self, place: Place) -> Vec<Id> {
        let (count, stride) = match &self.ir.resource(place.binding).kind {
            ResourceKind::Structured { stride, .. } => {
                let unit = self.counted(place.binding, *stride);
                let descriptor = self.existing(place, View::Units(unit));
                (self.elements(descriptor, *stride, unit), *stride)
            }
            ResourceKind::Raw { .. } => {
                let unit = self.counted(place.binding, 0);
                let descriptor = self.existing(place, View::Units(unit));
                let length = self.length(descriptor, unit);
                (self.words(op::SHIFT_LEFT_LOGICAL, length, unit.trailing_zeros()), 0)
            }
            ResourceKind::Typed { .. } => (self.texels(place), 0),
            ResourceKind::Constant { .. }
            | ResourceKind::Texture { .. }
            | ResourceKind::Sampler { .. }
            | ResourceKind::Scene
            | ResourceKind::Feedback { .. } => {
                unreachable!("the verifier has checked that sizes are those of buffers")
            }
        };
        vec![count, self.out.word(stride)]
    }

    pub(crate) fn counter(&mut self, place: Place, delta: i32) -> Id {
        let descriptor = self.existing(place, View::Counter);
        let zero = self.out.word(0);
        let pointer = self.unit_pointer(descriptor, zero, 4);
        let by = self.out.word(delta as u32);
        let before = self.atomic_at(pointer, SCOPE_DEVICE, Ty::I32, Atomic::Add, &[by]);
        if delta > 0 { before } else { self.words(op::I_ADD, before, delta as u32) }
    }
}
