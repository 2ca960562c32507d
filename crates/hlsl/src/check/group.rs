//! Mesh and amplification shaders: the inputs, outputs and payload of their groups, and the limits on them.

use diag::{Diagnostic, Span, code};
use ir::HostScalar;
use ir::group::MeshIo;
use ir::stage::{Element, slot_count};
use ops::intrinsics::Stage;

use super::entry::{Entry, Leaves, leaf, semantic_of, stage_word};
use super::semantic::Side;
use super::stage::{Param, with_article};
use super::{Checker, attr, semantic};
use crate::ast::{Attribute, Modifier};
use crate::hir::{Arg, Group, Mesh, SystemValue};
use crate::types::{Mode, Packing, Type, TypeId, layout_of};

/// The most threads of a group.
const MOST_THREADS: u32 = 128;
/// The most bytes of a payload.
pub(crate) const MOST_PAYLOAD: u32 = 16384;
/// The most bytes of the output of a group, with the lengths of its arrays rounded up to 32.
const MOST_OUTPUT: u64 = 32768;
/// The most bytes of a payload and the output together.
const MOST_OF_BOTH: u64 = 48128;
/// The most rows of four scalars of a vertex and a primitive together.
const MOST_ROWS: usize = 32;

impl<'a> Checker<'a> {
    /// Binds the parameters of a mesh or amplification shader whose attributes and semantics are in order.
    pub(super) fn group_entry(
        &mut self,
        entry: &mut Entry,
        attributes: &'a [Attribute],
        params: &[Param<'a>],
    ) -> Option<()> {
        let threads: u32 = entry.group_size.iter().product();
        if threads > MOST_THREADS {
            let span = attr::find(attributes, "numthreads").map_or(entry.span, |it| it.span);
            let word = with_article(stage_word(self.stage));
            let message = format!(
                "a group of {word} shader has at most {MOST_THREADS} threads, not {threads}"
            );
            self.error(&code::BAD_ATTRIBUTE, span, message);
            return None;
        }
        let mut group = Group::default();
        if self.stage == Stage::Mesh {
            let topology =
                attr::find(attributes, "outputtopology").and_then(|it| attr::text(it, 0));
            let corners = match topology {
                Some("point") => 1,
                Some("line") => 2,
                _ => 3,
            };
            group.mesh =
                Some(Mesh { io: MeshIo { corners, ..MeshIo::default() }, ..Mesh::default() });
        }
        let mut leaves = Leaves::new();
        let mut args = Vec::new();
        let mut has_structs = false;
        for param in params {
            match self.group_param(param, &mut group)? {
                Some(value) => {
                    let name =
                        param.ast.name.as_ref().map_or(String::new(), |it| it.name.to_string());
                    let place = leaf(value, name, param.ty, param.span, &mut leaves);
                    args.push(Arg::Out { place, ty: param.ty, mode: Mode::Reference });
                }
                None => {
                    has_structs |= matches!(self.types.get(param.ty), Type::Struct(_));
                    let name =
                        param.ast.name.as_ref().map_or(String::new(), |it| it.name.to_string());
                    let input = self.input(
                        &name,
                        param.ty,
                        &param.ast.annotations,
                        param.span,
                        &mut leaves,
                    )?;
                    args.push(Arg::In(input));
                }
            }
        }
        if let Some(mesh) = &group.mesh {
            self.mesh_fits(entry.span, &mesh.io, group.payload)?;
        }
        entry.inputs = leaves.iter().map(|it| it.0).collect();
        entry.group = Some(group);
        if has_structs {
            entry.wrapper = Some(self.wrapper(entry.function, args, leaves));
        }
        Some(())
    }

    /// What a parameter is, if it is not a system value; the outer `None` after a report.
    fn group_param(&mut self, param: &Param<'a>, group: &mut Group) -> Option<Option<SystemValue>> {
        let modifiers = &param.ast.modifiers;
        let array = match self.types.get(param.ty) {
            Type::Array { element, len } => Some((element, len)),
            _ => None,
        };
        let twice = |this: &mut Self, what: &str| {
            let message = format!("a shader has one parameter for its {what}");
            this.error(&code::BAD_ENTRY_POINT, param.span, message);
        };
        if modifiers.has(Modifier::Payload) || self.is_payload(param) {
            let size =
                layout_of(&self.types, param.ty, Packing::Structured, self.native_16bit()).size;
            if !matches!(self.types.get(param.ty), Type::Struct(_)) || param.mode != Mode::In {
                let message = "a payload is a struct and an input";
                let report = Diagnostic::new(&code::BAD_ENTRY_POINT, param.span, message);
                self.report(report.help("write `in payload Payload payload`"));
                return None;
            }
            if size > MOST_PAYLOAD {
                let message = format!("a payload has at most {MOST_PAYLOAD} bytes, not {size}");
                self.error(&code::TOO_LARGE, param.span, message);
                return None;
            }
            if group.payload.replace(param.ty).is_some() {
                twice(self, "payload");
                return None;
            }
            return Some(Some(SystemValue::Payload));
        }
        let Some(mesh) = &mut group.mesh else { return Some(None) };
        let Some((element, len)) = array else { return Some(None) };
        if modifiers.has(Modifier::Indices) {
            if mesh.io.most_primitives != 0 {
                twice(self, "indices");
                return None;
            }
            mesh.io.most_primitives = len;
            return Some(Some(SystemValue::Indices));
        }
        if modifiers.has(Modifier::Vertices) {
            if mesh.io.most_vertices != 0 {
                twice(self, "vertices");
                return None;
            }
            let (elements, slots) = self.element_rows(param, element, Side::Output)?;
            self.words_only(&elements, param.span)?;
            (mesh.io.most_vertices, mesh.io.vertices) = (len, elements);
            mesh.vertex_slots = slots;
            return Some(Some(SystemValue::Vertices));
        }
        if modifiers.has(Modifier::Primitives) {
            if !mesh.io.primitives.is_empty() {
                twice(self, "primitives");
                return None;
            }
            let (elements, slots) = self.element_rows(param, element, Side::Primitive)?;
            self.words_only(&elements, param.span)?;
            mesh.io.primitives = elements;
            mesh.primitive_slots = slots;
            return Some(Some(SystemValue::Primitives));
        }
        Some(None)
    }

    /// A mesh shader's struct without semantics is its payload, even if it is not marked.
    fn is_payload(&self, param: &Param<'a>) -> bool {
        let Type::Struct(id) = self.types.get(param.ty) else { return false };
        let fields = &self.types.structure(id).fields;
        let has_none = |field: &crate::types::Field| {
            semantic_of(self.annotations_of(id, &field.name)).is_none()
        };
        self.stage == Stage::Mesh
            && semantic_of(&param.ast.annotations).is_none()
            && fields.iter().all(has_none)
    }

    /// Refuses outputs of 64 bits.
    fn words_only(&mut self, elements: &[Element], span: Span) -> Option<()> {
        let is_wide = |it: &&Element| {
            matches!(it.scalar, HostScalar::I64 | HostScalar::U64 | HostScalar::F64)
        };
        let Some(wide) = elements.iter().find(is_wide) else { return Some(()) };
        let message = format!("`{}` has 64-bit scalars, which no output has", wide.semantic);
        self.error(&code::BAD_SEMANTIC, span, message);
        None
    }

    /// Checks the limits of the output of a group.
    fn mesh_fits(&mut self, span: Span, io: &MeshIo, payload: Option<TypeId>) -> Option<()> {
        let bytes = |elements: &[Element], len: u32| {
            4 * u64::from(slot_count(elements)) * u64::from(len.next_multiple_of(32))
        };
        let output =
            bytes(&io.vertices, io.most_vertices) + bytes(&io.primitives, io.most_primitives);
        if output > MOST_OUTPUT {
            let message =
                format!("the output of a group has at most {MOST_OUTPUT} bytes, not {output}");
            let report = Diagnostic::new(&code::TOO_LARGE, span, message);
            let note =
                "each scalar takes four bytes, and the lengths of arrays are rounded up to 32";
            self.report(report.note(note));
            return None;
        }
        let payload = payload.map_or(0, |ty| {
            layout_of(&self.types, ty, Packing::Structured, self.native_16bit()).size
        });
        let both = output + u64::from(payload);
        if both > MOST_OF_BOTH {
            let message = format!(
                "the payload and the output of a group have at most {MOST_OF_BOTH} bytes, not {both}"
            );
            self.error(&code::TOO_LARGE, span, message);
            return None;
        }
        let rows = io.vertices.len() + io.primitives.len();
        if rows > MOST_ROWS {
            let message = format!(
                "a vertex and a primitive together have at most {MOST_ROWS} rows of outputs, not {rows}"
            );
            self.error(&code::BAD_ENTRY_POINT, span, message);
            return None;
        }
        Some(())
    }

    /// Whether a semantic is the view, which only mesh shaders have among the stages that run in groups.
    pub(super) fn is_view(&self, name: &str) -> bool {
        self.stage == Stage::Mesh && semantic::split(name).0.eq_ignore_ascii_case("SV_ViewID")
    }
}
