//! `ResourceDescriptorHeap[i]` and `SamplerDescriptorHeap[i]`: an element of a descriptor heap gets a type where it is
//! used.
//!
//! Each type that the program uses a heap's elements as becomes a *view*: an unbounded array of that type, which is an
//! ordinary resource of the heap's class instead of a register's. `ResourceDescriptorHeap[i]` where a `Texture2D` is
//! expected is element `i` of the view of that type. The complete program contains views only, not the heap itself.

use diag::{Span, code};
use ops::intrinsics::ShaderModel;

use super::Checker;
use super::resource::ResourceInfo;
use crate::hir::{Expr, ExprKind, ResourceId};
use crate::types::heap::{HEAPS, Heap, heap_of_element, object};
use crate::types::{ResourceType, Type, TypeId};

impl Checker<'_> {
    /// The heap of that name, if there is one.
    pub(super) fn heap(&mut self, name: &str, span: Span) -> Option<Expr> {
        let heap = HEAPS.iter().find(|it| it.name == name)?;
        if self.shader_model() < ShaderModel::V6_6 {
            self.needs_shader_model(span, heap.name, ShaderModel::V6_6);
        }
        let ty = self.types.intern(object(heap.name));
        let id = self.heap_resource(heap, ty, span);
        Some(Expr { kind: ExprKind::Resource(id), ty, span })
    }

    /// The type of the elements, if that type is a heap.
    pub(super) fn heap_element(&mut self, ty: TypeId) -> Option<TypeId> {
        let Type::Resource(ResourceType::Other(it)) = self.types.get(ty) else { return None };
        let heap = HEAPS.iter().find(|heap| heap.name == it.name)?;
        Some(self.types.intern(object(heap.element)))
    }

    /// Converts an element of a heap to that type; other expressions are returned unchanged.
    pub(super) fn view(&mut self, expr: Expr, to: TypeId) -> Result<Expr, Expr> {
        let Some(heap) = heap_of_element(&self.types, expr.ty) else { return Err(expr) };
        let Expr { kind, span, .. } = expr;
        let kind = match kind {
            ExprKind::Index(base, index) => {
                let array = self.types.intern(Type::Array { element: to, len: 0 });
                let id = self.heap_resource(heap, array, base.span);
                let base = Expr { kind: ExprKind::Resource(id), ty: array, span: base.span };
                ExprKind::Index(base.into(), index)
            }
            ExprKind::Comma(first, second) => {
                let second = self.convert(*second, to);
                ExprKind::Comma(first, second.into())
            }
            ExprKind::Conditional { short_circuit, cond, then, else_ } => {
                let (then, else_) = (self.convert(*then, to), self.convert(*else_, to));
                ExprKind::Conditional {
                    short_circuit,
                    cond,
                    then: then.into(),
                    else_: else_.into(),
                }
            }
            _ => {
                let message = format!("an element of `{}` has no type here", heap.name);
                self.error(&code::TYPE_MISMATCH, span, message);
                return Ok(self.broken(span));
            }
        };
        Ok(Expr { kind, ty: to, span })
    }

    fn heap_resource(&mut self, heap: &Heap, ty: TypeId, span: Span) -> ResourceId {
        let known = self.resources.iter().position(|it| it.ty == ty && it.class == heap.class);
        let index = known.unwrap_or_else(|| {
            self.resources.push(ResourceInfo::without_registers(heap.name, ty, heap.class, span));
            self.resources.len() - 1
        });
        ResourceId(index as u32)
    }
}
