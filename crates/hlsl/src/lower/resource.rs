//! Resources as values: the binding that a variable names is known at compile time, only the index into its array
//! differs by lane.
//!
//! A scalar of a resource type is a *handle*: a `Value` beyond all real ones that denotes a [`ResourceRef`].
//! Handles pass through variables, parameters and structs like other scalars, and never occur in an instruction.

use diag::Span;
use ir::{Binding, Element, Op, Place, ResourceKind, Value};
use ops::{Ternary, Ty};

use super::{Lower, Lowerer};
use crate::hir::{Program, Resource, ResourceId};
use crate::types::{
    Access, Packing, ResourceType, Scalar, Type, TypeId, cbuffer_members, host, layout_of,
    structured_members,
};

/// The first value that is a handle; modules stay far below.
const FIRST_HANDLE: u32 = 1 << 31;

/// Resources that an entry point does not reach.
#[derive(Clone, Debug, Default)]
pub struct Unreached {
    pub resources: Vec<ir::Resource>,
    /// Those that no entry point can use yet.
    pub opaque: Vec<OpaqueResource>,
}

/// A resource of a kind that the IR lacks: an acceleration structure, for example.
#[derive(Clone, Debug)]
pub struct OpaqueResource {
    pub name: String,
    /// The type as HLSL names it, without the dimensions of an array.
    pub ty: String,
    /// Where it is declared.
    pub span: Span,
}

/// A resource, or a per-lane element of an array of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResourceRef {
    pub(super) id: ResourceId,
    pub(super) element: Option<Value>,
}

/// The resources that handles denote.
#[derive(Default)]
pub(super) struct Handles(Vec<ResourceRef>);

impl Handles {
    pub(super) fn make(&mut self, resource: ResourceRef) -> Value {
        let known = self.0.iter().rposition(|it| *it == resource);
        let index = known.unwrap_or_else(|| {
            self.0.push(resource);
            self.0.len() - 1
        });
        Value(FIRST_HANDLE + index as u32)
    }

    pub(super) fn get(&self, value: Value) -> Option<ResourceRef> {
        let index = value.0.checked_sub(FIRST_HANDLE)?;
        self.0.get(index as usize).copied()
    }
}

/// The handle in resource variables before their first assignment.
pub(super) const NO_HANDLE: Value = Value(u32::MAX);

pub(super) fn is_handle(value: Value) -> bool {
    value.0 >= FIRST_HANDLE
}

impl Lowerer<'_> {
    pub(super) fn declare_resources(&mut self) {
        let program = self.program;
        for resource in &program.resources {
            let binding = declared(program, resource, u64::MAX).map(|declared| {
                let resources = &mut self.builder.module.resources;
                resources.push(declared);
                Binding(resources.len() as u32 - 1)
            });
            self.bindings.push(binding);
        }
    }

    /// The resource that a handle denotes.
    pub(super) fn resource_of(&mut self, handle: Value, span: Span) -> Lower<ResourceRef> {
        self.handles.get(handle).ok_or_else(|| {
            self.unsupported(span, "this variable holds no resource on some path that leads here")
        })
    }

    /// The reference to the resource in instructions.
    pub(super) fn binding(&mut self, resource: ResourceRef, span: Span) -> Lower<Place> {
        if let Some(place) = self.own_buffer(resource) {
            return Ok(place);
        }
        let declared = self.program.resource(resource.id);
        match self.bindings[resource.id.0 as usize] {
            Some(binding) => Ok(Place { binding, element: resource.element }),
            None => {
                let name = self.program.types.name(declared.ty);
                Err(self.unsupported(
                    span,
                    format!("`{}` is a `{name}`, which is not supported yet", declared.name),
                ))
            }
        }
    }

    /// The resource type in a type, which may be an array of resources.
    pub(super) fn resource_type(&self, ty: TypeId) -> Option<ResourceType> {
        match self.program.types.get(ty) {
            Type::Resource(resource) => Some(resource),
            _ => None,
        }
    }

    /// Merges the handles of a variable on different paths: the resource that they share, and the element of each.
    pub(super) fn common_resource(
        &mut self,
        handles: &[Value],
        span: Span,
    ) -> Lower<(ResourceId, Vec<Option<Value>>)> {
        let mut id = None;
        let mut elements = Vec::new();
        for handle in handles {
            // Nothing reads a variable on a path that does not set it.
            let Some(resource) = self.handles.get(*handle) else {
                elements.push(None);
                continue;
            };
            if id.is_some_and(|id| id != resource.id) {
                return Err(self.differing_resources(span));
            }
            id = Some(resource.id);
            elements.push(resource.element);
        }
        match id {
            Some(id) => Ok((id, elements)),
            None => Err(self.differing_resources(span)),
        }
    }

    pub(super) fn differing_resources(&self, span: Span) -> super::Abort {
        let message =
            "a variable that holds different resources on different paths is not supported yet";
        self.unsupported(span, message)
    }

    /// A resource selected by a condition, with both sides evaluated.
    pub(super) fn select_handle(
        &mut self,
        cond: Value,
        then: Value,
        else_: Value,
        span: Span,
    ) -> Lower<Value> {
        if then == else_ {
            return Ok(then);
        }
        if let Some(cond) = self.known(cond) {
            return Ok(if cond == 0 { else_ } else { then });
        }
        let (id, elements) = self.common_resource(&[then, else_], span)?;
        let element = match (elements[0], elements[1]) {
            (Some(a), Some(b)) => {
                Some(self.value(Op::Ternary(Ternary::Select, [cond, a, b]), Ty::I32))
            }
            (a, b) => a.or(b),
        };
        Ok(self.handles.make(ResourceRef { id, element }))
    }
}

/// The most scalars of an unreached resource's element for which its members are listed: nothing has bounded them.
const MOST_LISTED: u64 = 1 << 12;

/// The resources that the entry point does not reach. They have no bindings: no instruction can name them.
pub(crate) fn unreached(program: &Program) -> Unreached {
    let mut all = Unreached::default();
    for resource in &program.unreached {
        match declared(program, resource, MOST_LISTED) {
            Some(it) => all.resources.push(it),
            None => all.opaque.push(opaque(program, resource)),
        }
    }
    all
}

/// A resource of a kind that the IR lacks.
fn opaque(program: &Program, resource: &Resource) -> OpaqueResource {
    let types = &program.types;
    let ty = element(program, resource);
    OpaqueResource { name: resource.name.clone(), ty: types.name(ty), span: resource.span }
}

/// The type of a resource, or of an element of an array of them.
fn element(program: &Program, resource: &Resource) -> TypeId {
    let mut ty = resource.ty;
    while let Type::Array { element, .. } = program.types.get(ty) {
        ty = element;
    }
    ty
}

/// The resource as the IR declares it, if the IR has its kind: not marked as used, and without members if there may be
/// more than `most`.
fn declared(program: &Program, resource: &Resource, most: u64) -> Option<ir::Resource> {
    Some(ir::Resource {
        name: resource.name.clone(),
        kind: kind(program, resource, most)?,
        count: resource.count,
        register: resource.register,
        chosen: resource.chosen,
        globally_coherent: resource.globally_coherent,
        alias_of: None,
        used: false,
        span: resource.span,
    })
}

/// The IR's kind of the resource, if it has one.
fn kind(program: &Program, resource: &Resource, most: u64) -> Option<ResourceKind> {
    let (types, native_16bit) = (&program.types, program.entry.native_16bit);
    let is_listed = |ty: TypeId| types.scalar_count(ty) <= most;
    let Type::Resource(ty) = types.get(element(program, resource)) else { return None };
    match ty {
        // A texture buffer has the layout of a constant buffer; only its register has a different class.
        ResourceType::Constant(structure) | ResourceType::TextureBuffer(structure) => {
            Some(ResourceKind::Constant {
                size: layout_of(types, structure, resource.packing, native_16bit).size,
                members: match is_listed(structure) {
                    true => cbuffer_members(types, structure, resource.packing, native_16bit),
                    false => Vec::new(),
                },
            })
        }
        ResourceType::Structured { element, access } => Some(ResourceKind::Structured {
            writable: access != Access::Read,
            stride: layout_of(types, element, Packing::Structured, native_16bit).size,
            members: match is_listed(element) {
                true => structured_members(types, element, native_16bit),
                false => Vec::new(),
            },
            // Others get one with the first counter instruction.
            counter: matches!(access, Access::Append | Access::Consume),
        }),
        ResourceType::Raw { writable } => Some(ResourceKind::Raw { writable }),
        ResourceType::Typed { element, writable, norm } => Some(ResourceKind::Typed {
            writable,
            element: Element {
                scalar: host(types.scalar_of(element).unwrap_or(Scalar::F32), native_16bit),
                components: u32::try_from(types.scalar_count(element)).unwrap_or(u32::MAX),
                norm,
            },
        }),
        ResourceType::Texture { dim, element, writable, norm } => {
            let scalar = types.scalar_of(element).unwrap_or(Scalar::F32);
            let scalar = host(scalar, native_16bit);
            let element = Element {
                scalar,
                components: u32::try_from(types.scalar_count(element)).unwrap_or(u32::MAX),
                norm,
            };
            Some(ResourceKind::Texture { dim: dim.dim(), writable, element })
        }
        ResourceType::Sampler { comparison } => Some(ResourceKind::Sampler { comparison }),
        ResourceType::AccelerationStructure => Some(ResourceKind::Scene),
        ResourceType::Other(object) => {
            let (kind, array) = object.feedback()?;
            Some(ResourceKind::Feedback { kind, array })
        }
    }
}
