//! Resources: declarations, constant buffers and their members, register assignment.

use std::collections::{BTreeMap, BTreeSet};

use diag::{Diagnostic, Span, code};
use ir::{Chosen, Register, RegisterClass};

use super::Checker;
use super::scope::ValueEntity;
use super::work::cost;
use crate::ast::{self, Annotation, AnnotationKind, Declarator, ItemKind, Modifier};
use crate::hir::{self, Expr, ExprKind, GlobalKind, ResourceId};
use crate::options::PushLayout;
use crate::types::{
    Access, Packing, ResourceType, Struct, StructId, Type, TypeId, Types, layout_of,
};

/// A declared resource; only those that the program uses are assigned registers.
#[derive(Clone)]
pub(super) struct ResourceInfo {
    pub(super) name: String,
    pub(super) ty: TypeId,
    pub(super) span: Span,
    pub(super) class: RegisterClass,
    /// The register or binding given in the source.
    slot: Option<u32>,
    space: u32,
    /// What assigned it: the compiler, `register(…)` or `[[vk::binding(…)]]`.
    chosen: Chosen,
    globally_coherent: bool,
    packing: Packing,
}

impl ResourceInfo {
    /// A resource without registers: a view of a descriptor heap, or push constants.
    pub(super) fn without_registers(
        name: &str,
        ty: TypeId,
        class: RegisterClass,
        span: Span,
    ) -> ResourceInfo {
        let name = name.to_owned();
        let packing = Packing::Constant;
        let (slot, space, globally_coherent) = (None, 0, false);
        let chosen = Chosen::Register;
        ResourceInfo { name, ty, span, class, slot, space, chosen, globally_coherent, packing }
    }
}

/// The longest array of structs with resources.
const MOST_STRUCTS: u32 = 256;

/// The registers of one class and space that a resource takes: the first, the one after the last, and the resource.
type Taken = (u64, u64, usize);

/// The class of registers that a resource takes.
fn class_of(resource: ResourceType) -> RegisterClass {
    match resource {
        ResourceType::Constant(_) => RegisterClass::Constant,
        ResourceType::Sampler { .. } => RegisterClass::Sampler,
        ResourceType::Structured { access: Access::Read, .. }
        | ResourceType::Raw { writable: false }
        | ResourceType::Typed { writable: false, .. }
        | ResourceType::Texture { writable: false, .. }
        | ResourceType::TextureBuffer(_)
        | ResourceType::AccelerationStructure => RegisterClass::Shader,
        ResourceType::Structured { .. }
        | ResourceType::Raw { .. }
        | ResourceType::Typed { .. }
        | ResourceType::Texture { .. }
        | ResourceType::Other(_) => RegisterClass::Unordered,
    }
}

fn letter(class: RegisterClass) -> char {
    match class {
        RegisterClass::Constant => 'b',
        RegisterClass::Shader => 't',
        RegisterClass::Unordered => 'u',
        RegisterClass::Sampler => 's',
        RegisterClass::Push | RegisterClass::ResourceHeap | RegisterClass::SamplerHeap => {
            unreachable!("heaps are not declared, and push constants take no register")
        }
    }
}

impl<'a> Checker<'a> {
    /// The resource type of a type, or of the elements of an array.
    pub(super) fn resource_of(&self, ty: TypeId) -> Option<ResourceType> {
        match self.types.get(ty) {
            Type::Resource(resource) => Some(resource),
            Type::Array { element, .. } => self.resource_of(element),
            _ => None,
        }
    }

    pub(super) fn is_resource(&self, ty: TypeId) -> bool {
        self.resource_of(ty).is_some()
    }

    pub(super) fn resource_var(
        &mut self,
        var: &'a ast::Var,
        declarator: &'a Declarator,
        ty: TypeId,
    ) {
        if self.types.holds_query(ty) {
            let name = &declarator.name;
            let message = format!("`{}` is a ray query, which no host can bind", name.name);
            let report = Diagnostic::new(&code::BAD_DECLARATION, name.span, message);
            self.report(report.help("declare it in a function, or `static`"));
            return self.declare(name, ValueEntity::Broken);
        }
        if let Some(ResourceType::Other(object)) = self.resource_of(ty) {
            self.subobject(object, declarator);
        }
        let name = format!("{}{}", self.prefix(), declarator.name.name);
        let coherent = var.modifiers.has(Modifier::GloballyCoherent);
        if let Some(span) = var.modifiers.span(Modifier::GloballyCoherent)
            && self.resource_of(ty).is_some_and(|it| class_of(it) != RegisterClass::Unordered)
        {
            let message = format!(
                "a `{}` cannot be `globallycoherent`: it is never written",
                self.name_of(ty)
            );
            self.error(&code::BAD_DECLARATION, span, message);
        }
        let entity = match self.add_resource(
            name,
            ty,
            &declarator.annotations,
            coherent,
            declarator.name.span,
        ) {
            Some(id) => ValueEntity::Resource(id),
            None => ValueEntity::Broken,
        };
        self.declare(&declarator.name, entity);
    }

    fn add_resource(
        &mut self,
        name: String,
        ty: TypeId,
        annotations: &'a [Annotation],
        globally_coherent: bool,
        span: Span,
    ) -> Option<ResourceId> {
        if !self.spend(cost::RESOURCE, span) {
            return None;
        }
        let class = class_of(self.resource_of(ty)?);
        let (slot, space, packing) = (None, 0, Packing::Constant);
        let chosen = Chosen::Register;
        let mut info =
            ResourceInfo { name, ty, span, class, slot, space, chosen, globally_coherent, packing };
        for annotation in annotations {
            if let AnnotationKind::Register(register) = &annotation.kind {
                self.register(&mut info, register, annotation.span);
            }
        }
        self.resources.push(info);
        Some(ResourceId(self.resources.len() as u32 - 1))
    }

    fn register(&mut self, info: &mut ResourceInfo, register: &ast::Register, span: Span) {
        let stage = super::entry::profile_word(self.options.stage);
        if let Some(profile) = &register.profile
            && !profile.name.to_ascii_lowercase().starts_with(stage)
        {
            return;
        }
        info.space = register.space;
        let Some((given, index)) = register.slot else { return };
        let wanted = letter(info.class);
        if given != wanted {
            let name = self.name_of(info.ty);
            let report = Diagnostic::new(
                &code::BAD_REGISTER,
                span,
                format!("a `{name}` takes a register `{wanted}`, not `{given}`"),
            );
            self.report(report.help(format!("write `register({wanted}{index})`")));
            return;
        }
        info.slot = Some(index);
    }

    /// `[[vk::binding(N, SET)]]` of the resources from `first` on. With `-spirv` it overrides `register(…)`, whose
    /// numbers may conflict then; without, it has no effect.
    pub(super) fn vulkan_binding(&mut self, first: usize, attributes: &'a [ast::Attribute]) {
        let is_binding = |it: &&ast::Attribute| {
            it.name.name.as_str() == "binding"
                && it.scope.as_ref().is_some_and(|scope| scope.name.as_str() == "vk")
        };
        let Some(attribute) = attributes.iter().rfind(is_binding) else { return };
        if !self.options.spirv {
            return;
        }
        let mut numbers = [None, Some(0)];
        for (number, arg) in numbers.iter_mut().zip(&attribute.args) {
            let Some((value, _)) = self.constant_integer(arg, "a binding") else { return };
            *number = u32::try_from(value).ok();
        }
        let [Some(binding), Some(set)] = numbers else {
            let message = "`vk::binding` takes a binding and, if it is not 0, a descriptor set";
            self.error(&code::BAD_REGISTER, attribute.span, message);
            return;
        };
        let globals_buffer = self.globals_buffer.map(|(id, _)| id.0 as usize);
        for (_, info) in self
            .resources
            .iter_mut()
            .enumerate()
            .skip(first)
            .filter(|(i, _)| Some(*i) != globals_buffer)
        {
            // An initialiser may have added a view of a heap, which has no register.
            if info.class.has_registers() {
                (info.slot, info.space) = (Some(binding), set);
                info.chosen = Chosen::Binding;
            }
        }
    }

    /// `[[vk::constant_id(N)]] const T name = value;`: a specialization constant, whose value the host may replace
    /// before the program runs. Without `-spirv` the attribute has no effect. Returns whether it was one.
    pub(super) fn specialization_constant(
        &mut self,
        var: &'a ast::Var,
        attributes: &'a [ast::Attribute],
    ) -> bool {
        let attribute = attributes.iter().find(|it| {
            it.name.name.as_str() == "constant_id"
                && it.scope.as_ref().is_some_and(|scope| scope.name.as_str() == "vk")
        });
        let Some(attribute) = attribute.filter(|_| self.options.vulkan && var.template.is_none())
        else {
            return false;
        };
        let id = match attribute.args.first() {
            Some(arg) => self.constant_integer(arg, "the number of a specialization constant"),
            None => None,
        };
        let Some(id) = id.and_then(|(id, _)| u32::try_from(id).ok()) else {
            let message = "`vk::constant_id` takes the number of the constant";
            self.error(&code::BAD_ATTRIBUTE, attribute.span, message);
            return true;
        };
        let base = self.ty_with(&var.ty, &var.modifiers);
        for declarator in &var.declarators {
            let ty = self.array(base, &declarator.dims);
            let given = self.options.specialization.iter().rfind(|(it, _)| *it == id);
            let entity = self.static_entity(declarator, ty, true);
            if let (Type::Scalar(scalar), Some((_, bits)), ValueEntity::Global(global)) =
                (self.types.get(ty), given, &entity)
            {
                let bits = match scalar.ty(self.native_16bit()) {
                    ops::Ty::Bool => u64::from(*bits != 0),
                    held => bits & (u64::MAX >> (64 - 8 * held.bytes().min(8))),
                };
                self.specialize(*global, ty, bits, declarator.name.span);
            }
            self.declare(&declarator.name, entity);
        }
        true
    }

    /// `[[vk::push_constant]] S name;` or `… ConstantBuffer<S> name;`: without `-spirv` the attribute has no effect.
    /// Returns whether it was one.
    pub(super) fn push_constants(
        &mut self,
        var: &'a ast::Var,
        attributes: &'a [ast::Attribute],
    ) -> bool {
        let is_push = |it: &ast::Attribute| {
            it.name.name.as_str() == "push_constant"
                && it.scope.as_ref().is_some_and(|scope| scope.name.as_str() == "vk")
        };
        let Some(attribute) = attributes.iter().find(|it| is_push(it)) else { return false };
        if !self.options.vulkan || var.template.is_some() {
            return false;
        }
        let base = self.ty_with(&var.ty, &var.modifiers);
        for declarator in &var.declarators {
            let ty = self.array(base, &declarator.dims);
            let ty = match self.types.get(ty) {
                Type::Struct(_) if !self.types.holds_resource(ty) => {
                    self.types.intern(Type::Resource(ResourceType::Constant(ty)))
                }
                _ => ty,
            };
            if !matches!(self.types.get(ty), Type::Resource(ResourceType::Constant(_))) {
                if ty != Types::ERROR {
                    let message = format!(
                        "push constants must be a struct or a `ConstantBuffer` of one, not `{}`",
                        self.name_of(ty)
                    );
                    self.error(&code::BAD_ATTRIBUTE, attribute.span, message);
                }
                self.declare(&declarator.name, ValueEntity::Broken);
                continue;
            }
            let name = format!("{}{}", self.prefix(), declarator.name.name);
            let packing = match self.options.push_layout {
                PushLayout::Vulkan => Packing::Push,
                PushLayout::Scalar => Packing::Structured,
            };
            let mut info = ResourceInfo::without_registers(
                &name,
                ty,
                RegisterClass::Push,
                declarator.name.span,
            );
            info.packing = packing;
            if let Some(other) = self.resources.iter().find(|it| it.class == RegisterClass::Push) {
                let message = "a program can have only one block of push constants";
                let report = Diagnostic::new(&code::BAD_ATTRIBUTE, attribute.span, message)
                    .also(other.span, "the first one");
                self.report(report);
            }
            self.resources.push(info);
            let id = ResourceId(self.resources.len() as u32 - 1);
            self.declare(&declarator.name, ValueEntity::Resource(id));
        }
        true
    }

    // Constant buffers.

    /// `cbuffer C { … }`
    pub(super) fn buffer_block(&mut self, buffer: &'a ast::BufferBlock) {
        let name = format!("{}{}", self.prefix(), buffer.name.name);
        let fields = self.types.add_struct(Struct { name: name.clone(), fields: Vec::new() });
        let structure = self.types.intern(Type::Struct(fields));
        let resource = match buffer.texture {
            true => ResourceType::TextureBuffer(structure),
            false => ResourceType::Constant(structure),
        };
        let ty = self.types.intern(Type::Resource(resource));
        let Some(id) = self.add_resource(name, ty, &buffer.annotations, false, buffer.name.span)
        else {
            return;
        };
        for item in &buffer.members {
            let ItemKind::Var(var) = &item.kind else {
                self.item(item);
                continue;
            };
            let base = self.ty_with(&var.ty, &var.modifiers);
            for declarator in &var.declarators {
                let ty = self.array(base, &declarator.dims);
                let ty = self.no_string(ty, &declarator.name);
                if var.modifiers.has(Modifier::Static) {
                    self.static_var(declarator, ty, var.modifiers.has(Modifier::Const));
                } else if self.types.holds_resource(ty) {
                    self.file_resource_in_buffer(var, declarator, ty);
                } else {
                    self.buffer_member(id, fields, declarator, ty);
                }
            }
        }
        self.check_offsets(structure);
    }

    /// A resource declared in a constant buffer is a separate resource.
    fn file_resource_in_buffer(
        &mut self,
        var: &'a ast::Var,
        declarator: &'a Declarator,
        ty: TypeId,
    ) {
        if self.is_resource(ty) {
            self.resource_var(var, declarator, ty);
        } else {
            let message = "a struct with resources in a constant buffer is not supported yet";
            self.unsupported(declarator.span, message);
            self.declare(&declarator.name, ValueEntity::Broken);
        }
    }

    fn buffer_member(
        &mut self,
        resource: ResourceId,
        id: StructId,
        declarator: &'a Declarator,
        ty: TypeId,
    ) {
        let ty = self.variable_type(ty, declarator);
        if let Some(ast::Initializer::Expr(init)) = &declarator.init {
            self.removed(init.span, "initialisers for variables that the host sets");
            let report = Diagnostic::new(
                &code::INITIALIZER_IGNORED,
                init.span,
                format!(
                    "the initialiser of `{}` has no effect, since the host sets it",
                    declarator.name.name
                ),
            );
            self.report(report.help("declare it `static` to make it a variable of the program"));
        }
        let place = "a member of a constant buffer";
        let ty = match self.takes_no_long_vector(ty, place, declarator.name.span) {
            true => ty,
            false => Types::ERROR,
        };
        let mut offset = None;
        for annotation in &declarator.annotations {
            if let AnnotationKind::PackOffset { component } = &annotation.kind {
                offset = component.checked_mul(4).filter(|it| *it < 1 << 16);
                if offset.is_none() {
                    self.error(
                        &code::BAD_REGISTER,
                        annotation.span,
                        "the offset is beyond the 65536 bytes of a constant buffer",
                    );
                }
            }
        }
        let fields = &mut self.types.structure_mut(id).fields;
        let name = declarator.name.name.to_string();
        let span = declarator.name.span;
        fields.push(crate::types::Field { name, ty, bits: None, hidden: false, offset, span });
        let index = fields.len() as u32 - 1;
        let entity = if ty == Types::ERROR {
            ValueEntity::Broken
        } else {
            ValueEntity::BufferMember(resource, index)
        };
        self.declare(&declarator.name, entity);
    }

    /// Reports members that `packoffset` makes overlap.
    fn check_offsets(&mut self, structure: TypeId) {
        let Type::Struct(id) = self.types.get(structure) else { return };
        if self.types.structure(id).fields.iter().all(|it| it.offset.is_none()) {
            return;
        }
        let packing = Packing::Constant;
        let offsets =
            crate::types::field_offsets(&self.types, structure, packing, self.native_16bit());
        let mut taken: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
        for (index, (offset, ty)) in offsets.iter().copied().enumerate() {
            let size = layout_of(&self.types, ty, packing, self.native_16bit()).size;
            let end = offset.saturating_add(size);
            if let Some((_, (before_end, before))) = taken.range(..end).next_back()
                && *before_end > offset
            {
                let fields = &self.types.structure(id).fields;
                let (a, b) = (&fields[index], &fields[*before]);
                let message = format!("`{}` overlaps `{}`", a.name, b.name);
                let report = Diagnostic::new(&code::BAD_REGISTER, a.span, message)
                    .also(b.span, "the other member");
                self.report(report);
            }
            taken.insert(offset, (end, index));
        }
    }

    /// A variable outside functions that is neither static nor groupshared: a member of `$Globals`.
    pub(super) fn globals_member(
        &mut self,
        var: &'a ast::Var,
        declarator: &'a Declarator,
        ty: TypeId,
    ) {
        if self.types.holds_resource(ty) {
            self.struct_of_resources(var, declarator, ty);
            return;
        }
        let (resource, id) = match self.globals_buffer {
            Some(found) => found,
            None => {
                let name = "$Globals".to_owned();
                let id = self.types.add_struct(Struct { name: name.clone(), fields: Vec::new() });
                let structure = self.types.intern(Type::Struct(id));
                let ty = self.types.intern(Type::Resource(ResourceType::Constant(structure)));
                let Some(resource) = self.add_resource(name, ty, &[], false, declarator.name.span)
                else {
                    return;
                };
                self.globals_buffer = Some((resource, id));
                (resource, id)
            }
        };
        self.buffer_member(resource, id, declarator, ty);
    }

    /// A struct with resources: each becomes a separate resource, and the variable is a value composed of them.
    fn struct_of_resources(&mut self, var: &'a ast::Var, declarator: &'a Declarator, ty: TypeId) {
        let name = format!("{}{}", self.prefix(), declarator.name.name);
        let coherent = var.modifiers.has(Modifier::GloballyCoherent);
        let span = declarator.name.span;
        let first = self.resources.len();
        let entity = match self.compose_resources(&name, ty, coherent, span) {
            Some(init) => {
                let as_one = self.types.is_sampled(ty);
                self.registers_of_struct(first, &declarator.annotations, as_one);
                let kind = GlobalKind::Static { init: Some(init) };
                ValueEntity::Global(self.add_global(name, ty, kind, true, None, span))
            }
            None => {
                self.unsupported(span, "an array of structs with resources, or one with other fields, is not supported yet");
                ValueEntity::Broken
            }
        };
        self.declare(&declarator.name, entity);
    }

    /// `S s : register(u5) : register(t3)`: the resources of each class take consecutive registers from that one on, in
    /// field order. A combined texture and sampler share one number.
    fn registers_of_struct(&mut self, first: usize, annotations: &[Annotation], as_one: bool) {
        for annotation in annotations {
            let AnnotationKind::Register(register) = &annotation.kind else { continue };
            let Some((given, mut index)) = register.slot else { continue };
            if as_one {
                for info in &mut self.resources[first..] {
                    (info.slot, info.space) = (Some(index), register.space);
                }
                continue;
            }
            for info in self.resources[first..].iter_mut().filter(|it| letter(it.class) == given) {
                info.slot = Some(index);
                info.space = register.space;
                let Type::Array { len, .. } = self.types.get(info.ty) else {
                    index = index.saturating_add(1);
                    continue;
                };
                index = index.saturating_add(len.max(1));
            }
        }
    }

    fn compose_resources(
        &mut self,
        name: &str,
        ty: TypeId,
        coherent: bool,
        span: Span,
    ) -> Option<Expr> {
        match self.types.get(ty) {
            Type::Resource(_) => {
                let id = self.add_resource(name.to_owned(), ty, &[], coherent, span)?;
                Some(Expr { kind: ExprKind::Resource(id), ty, span })
            }
            Type::Struct(id) => {
                let mut parts = Vec::new();
                for field in self.types.structure(id).fields.clone() {
                    parts.push(self.compose_resources(
                        &format!("{name}.{}", field.name),
                        field.ty,
                        coherent,
                        span,
                    )?);
                }
                Some(Expr { kind: ExprKind::Construct(parts), ty, span })
            }
            // An array of resources is one resource with several registers; an array of structs is split into
            // resources.
            Type::Array { len: 1.., .. } if self.is_resource(ty) => {
                let id = self.add_resource(name.to_owned(), ty, &[], coherent, span)?;
                Some(Expr { kind: ExprKind::Resource(id), ty, span })
            }
            Type::Array { element, len: len @ 1..=MOST_STRUCTS } => {
                let mut parts = Vec::new();
                for index in 0..len {
                    let name = format!("{name}[{index}]");
                    parts.push(self.compose_resources(&name, element, coherent, span)?);
                }
                Some(Expr { kind: ExprKind::Construct(parts), ty, span })
            }
            _ => None,
        }
    }

    // Registers.

    /// The resources that the program uses, by ascending id, with their registers.
    pub(super) fn bind(&mut self, used: &[ResourceId]) -> Vec<hir::Resource> {
        let mut taken: BTreeMap<(RegisterClass, u32), Vec<Taken>> = BTreeMap::new();
        let mut registers: Vec<Option<u32>> = vec![None; used.len()];
        let counts: Vec<Option<u32>> =
            used.iter().map(|id| self.count_of(self.resources[id.0 as usize].ty)).collect();
        // In Vulkan an array is a single binding, regardless of its length.
        let arrays_are_one = self.options.spirv;
        let length = |count: Option<u32>| match count {
            _ if arrays_are_one => 1,
            Some(count) => u64::from(count),
            None => u64::from(u32::MAX) + 1,
        };
        for id in used {
            self.constants_fit(*id);
            self.elements_have_a_size(*id);
        }
        for (i, id) in used.iter().enumerate() {
            let info = self.resources[id.0 as usize].clone();
            let Some(slot) = info.slot else { continue };
            let (start, end) = (u64::from(slot), u64::from(slot).saturating_add(length(counts[i])));
            let ranges = taken.entry((info.class, info.space)).or_default();
            let overlaps = |(a, b, other): &&Taken| {
                // The two kinds of sampler of a combined texture and sampler share a binding.
                let is_same = self.resources[used[*other].0 as usize].span == info.span;
                *a < end && start < *b && !is_same
            };
            if let Some((_, _, other)) = ranges.iter().find(overlaps) {
                let other = &self.resources[used[*other].0 as usize];
                let report = Diagnostic::new(
                    &code::BAD_REGISTER,
                    info.span,
                    format!("the registers of `{}` overlap those of `{}`", info.name, other.name),
                );
                let report = report.also(other.span, "the other resource");
                self.report(report);
            }
            ranges.push((start, end, i));
            registers[i] = Some(slot);
        }
        // `$Globals` is the first constant buffer of a program, wherever its first member is declared.
        let globals_buffer = self.globals_buffer.map(|(id, _)| id);
        let mut order: Vec<usize> = (0..used.len()).collect();
        ops::sort_by_key(&mut order, |i| (Some(used[*i]) != globals_buffer, used[*i]));
        for i in order {
            let info = &mut self.resources[used[i].0 as usize];
            if info.slot.is_some() || !info.class.has_registers() {
                continue;
            }
            if info.space == 0 {
                info.space = self.options.auto_space;
            }
            let info = &self.resources[used[i].0 as usize];
            let ranges = taken.entry((info.class, info.space)).or_default();
            ranges.sort_unstable();
            let mut start = 0;
            for (from, to, _) in ranges.iter() {
                if *from < start + length(counts[i]) && start < *to {
                    start = *to;
                }
            }
            if start > u64::from(u32::MAX) {
                let report = Diagnostic::new(
                    &code::BAD_REGISTER,
                    info.span,
                    format!("no registers are left for `{}`", info.name),
                );
                self.report(report.help(
                    "an unbounded array takes all registers that follow; put it in a separate space",
                ));
                continue;
            }
            let end = start.saturating_add(length(counts[i]));
            ranges.push((start, end, i));
            registers[i] = Some(start as u32);
        }
        let resource = |(i, id): (usize, &ResourceId)| self.resource(*id, registers[i]);
        used.iter().enumerate().map(resource).collect()
    }

    /// The declared resources beside those that the program uses. Only those with a register in the source have one.
    pub(super) fn unreached(&self, used: &BTreeSet<ResourceId>) -> Vec<hir::Resource> {
        let reached: BTreeSet<&str> =
            used.iter().map(|id| self.resources[id.0 as usize].name.as_str()).collect();
        let all = (0..self.resources.len() as u32).map(ResourceId);
        all.filter(|id| {
            let info = &self.resources[id.0 as usize];
            !info.class.is_heap() && !reached.contains(info.name.as_str())
        })
        .map(|id| self.resource(id, self.resources[id.0 as usize].slot))
        .collect()
    }

    fn resource(&self, id: ResourceId, register: Option<u32>) -> hir::Resource {
        let info = &self.resources[id.0 as usize];
        hir::Resource {
            name: info.name.clone(),
            ty: info.ty,
            count: self.count_of(info.ty),
            dims: self.dims_of(info.ty),
            register: Register {
                class: info.class,
                index: register.unwrap_or(0),
                space: info.space,
            },
            chosen: info.slot.map_or(Chosen::Counted, |_| info.chosen),
            globally_coherent: info.globally_coherent,
            packing: info.packing,
            span: info.span,
        }
    }

    /// Reports a constant buffer beyond Direct3D's limit of 4096 rows of 16 bytes. Texture buffers may be larger there,
    /// but engines hold both alike.
    fn constants_fit(&mut self, id: ResourceId) {
        const MOST_BYTES: u32 = 1 << 16;
        let info = &self.resources[id.0 as usize];
        let (span, ty) = (info.span, self.resource_of(info.ty));
        let Some(ResourceType::Constant(contents) | ResourceType::TextureBuffer(contents)) = ty
        else {
            return;
        };
        let size = layout_of(&self.types, contents, Packing::Constant, self.native_16bit()).size;
        if size > MOST_BYTES && matches!(ty, Some(ResourceType::TextureBuffer(_))) {
            let what =
                format!("texture buffers of more than {MOST_BYTES} bytes are not supported yet");
            self.unsupported(span, what);
        } else if size > MOST_BYTES {
            let message = format!(
                "`{}` takes {size} bytes, but a constant buffer holds at most {MOST_BYTES}",
                info.name
            );
            let report = Diagnostic::new(&code::TOO_LARGE, info.span, message);
            self.report(
                report
                    .help("use a `StructuredBuffer` or a `ByteAddressBuffer`, which can be larger"),
            );
        }
    }

    /// Reports a structured buffer whose elements take no memory: an empty struct, or an array of unknown length.
    fn elements_have_a_size(&mut self, id: ResourceId) {
        let info = &self.resources[id.0 as usize];
        let Some(ResourceType::Structured { element, .. }) = self.resource_of(info.ty) else {
            return;
        };
        if element == Types::ERROR || self.types.scalar_count(element) > 0 {
            return;
        }
        let message = format!(
            "the elements of `{}` have no size: `{}` holds no values",
            info.name,
            self.name_of(element)
        );
        let report = Diagnostic::new(&code::TYPE_MISMATCH, info.span, message);
        self.report(report.help("give the array a length, or the struct a member"));
    }

    fn dims_of(&self, mut ty: TypeId) -> Vec<u32> {
        let mut dims = Vec::new();
        while let Type::Array { element, len } = self.types.get(ty) {
            dims.push(len);
            ty = element;
        }
        dims
    }

    /// The number of resources in an array, `None` for an unbounded one.
    fn count_of(&self, ty: TypeId) -> Option<u32> {
        let mut count: u32 = 1;
        for dim in self.dims_of(ty) {
            if dim == 0 {
                return None;
            }
            count = count.saturating_mul(dim);
        }
        Some(count)
    }
}
