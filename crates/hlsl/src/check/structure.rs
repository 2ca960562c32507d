//! Structs: fields, bases, bit-fields, methods, static members.

use diag::{Diagnostic, Span, code};

use super::scope::{Callee, ScopeId, ScopeKind, TypeEntity, ValueEntity};
use super::template::{Captured, StructTemplate};
use super::work::cost;
use super::{Checker, MOST_SCALARS, attr};
use crate::ast::{self, Item, ItemKind, Modifier, StructKind};
use crate::types::{BitField, Field, Scalar, Struct, StructId, Type, TypeId, Types};

/// The checker's information about a struct beyond its fields.
pub(super) struct StructInfo<'a> {
    pub(super) ast: &'a ast::Struct,
    pub(super) scope: ScopeId,
    /// All members have been read.
    pub(super) is_complete: bool,
    /// The template it is an instance of, with the arguments.
    pub(super) template: Option<(usize, Vec<Captured>)>,
    pub(super) bases: Vec<TypeId>,
    /// The number of fields, including those of inner structs; an array counts as one element.
    pub(super) fields: u64,
    /// After a bit-field of width 0: the next one begins a new storage unit.
    unit_is_closed: bool,
}

/// The most fields of a struct, including those of inner structs: layout visits each.
const MOST_FIELDS: u64 = 1 << 14;

/// The deepest nesting of structs and arrays, which bounds every recursion over a type.
const MOST_LEVELS: u32 = 256;

/// The longest chain of inheritance: each struct copies the fields of all its bases.
const MOST_GENERATIONS: usize = 256;

impl<'a> Checker<'a> {
    /// The declaration of a struct, which may be a template or a specialisation.
    pub(super) fn structure(&mut self, structure: &'a ast::Struct) {
        let current = self.scopes.current();
        let name = &structure.name;
        let known = self.scopes.own_type(current, &name.name).map(|it| (it.entity, it.span));
        if structure.template.is_some() || structure.specializes.is_some() {
            self.needs_2021(name.span, "templates");
            self.struct_template(structure, known.map(|it| it.0));
            return;
        }
        if structure.kind == StructKind::Interface {
            self.removed(name.span, "interfaces");
        }
        match known {
            None => {
                let ty = self.new_struct(structure, current, None);
                if structure.members.is_some() {
                    self.members(ty, structure);
                }
            }
            Some((TypeEntity::Type(ty), span)) => {
                let complete = match self.types.get(ty) {
                    Type::Struct(id) => self.structs.get(&id).is_none_or(|it| it.is_complete),
                    _ => true,
                };
                if structure.members.is_none() {
                    return;
                }
                if complete {
                    self.duplicate(name, span);
                    // Uses are ambiguous now, so the name gets the error type to avoid further reports.
                    let broken = TypeEntity::Type(Types::ERROR);
                    self.scopes.declare_type(current, name.name.clone(), broken, span);
                } else {
                    self.members(ty, structure);
                }
            }
            Some((_, span)) => self.duplicate(name, span),
        }
    }

    fn struct_template(&mut self, structure: &'a ast::Struct, known: Option<TypeEntity>) {
        let current = self.scopes.current();
        let name = &structure.name;
        if structure.specializes.is_some() {
            match known.or_else(|| self.scopes.find_type(current, &name.name).map(|it| it.entity)) {
                Some(TypeEntity::StructTemplate(index)) => {
                    self.struct_templates[index].special.push((structure, current));
                }
                _ => self.error(
                    &code::BAD_TEMPLATE,
                    name.span,
                    format!("`{}` is not a struct template", name.name),
                ),
            }
            return;
        }
        if let Some(TypeEntity::StructTemplate(index)) = known {
            // The definition after a forward declaration.
            if structure.members.is_some() {
                self.struct_templates[index].ast = structure;
            }
            return;
        }
        let index = self.struct_templates.len();
        self.struct_templates.push(StructTemplate {
            ast: structure,
            scope: current,
            special: Vec::new(),
            instances: Vec::new(),
            outside: Vec::new(),
        });
        self.scopes.declare_type(
            current,
            name.name.clone(),
            TypeEntity::StructTemplate(index),
            name.span,
        );
    }

    /// Creates the struct and declares its name, without members.
    pub(super) fn new_struct(
        &mut self,
        structure: &'a ast::Struct,
        scope: ScopeId,
        instance: Option<(String, usize, Vec<Captured>)>,
    ) -> TypeId {
        let prefix = self.scopes.prefix(scope, |id| self.types.structure(id).name.clone());
        let (name, template) = match instance {
            Some((name, index, args)) => (name, Some((index, args))),
            None => (format!("{prefix}{}", structure.name.name), None),
        };
        let id = self.types.add_struct(Struct { name, fields: Vec::new() });
        let ty = self.types.intern(Type::Struct(id));
        let inner = self.scopes.inside(scope, ScopeKind::Struct(id));
        let info = StructInfo {
            ast: structure,
            scope: inner,
            is_complete: false,
            template,
            bases: Vec::new(),
            fields: 0,
            unit_is_closed: false,
        };
        self.structs.insert(id, info);
        self.scopes.declare_type(
            scope,
            structure.name.name.clone(),
            TypeEntity::Type(ty),
            structure.name.span,
        );
        ty
    }

    /// Reads the members of a struct.
    pub(super) fn members(&mut self, ty: TypeId, structure: &'a ast::Struct) {
        let Type::Struct(id) = self.types.get(ty) else { return };
        let scope = self.structs[&id].scope;
        self.open_structs += 1;
        self.scopes.begins(scope);
        self.in_scope(scope, |this| {
            this.bases(id, scope, structure);
            for item in structure.members.as_deref().unwrap_or(&[]) {
                this.member(id, item);
            }
        });
        self.open_structs -= 1;
        if let Some(info) = self.structs.get_mut(&id) {
            info.is_complete = true;
        }
        if !structure.bases.is_empty() {
            self.keeps_interfaces(id, structure);
        }
        let fields = self
            .types
            .structure(id)
            .fields
            .iter()
            .fold(0, |sum: u64, it| sum.saturating_add(self.field_count(it.ty)));
        self.types_nest(ty, structure.name.span);
        if fields > MOST_FIELDS || self.types.scalar_count(ty) > MOST_SCALARS {
            self.error(
                &code::TOO_LARGE,
                structure.name.span,
                "this struct is too large for any device",
            );
            self.types.structure_mut(id).fields.clear();
        } else if let Some(info) = self.structs.get_mut(&id) {
            info.fields = fields;
        }
    }

    /// Reports a type that is nested too deeply, and returns whether it is fine. An offending struct loses its fields.
    pub(super) fn types_nest(&mut self, ty: TypeId, span: Span) -> bool {
        if self.types.contents(ty).depth <= MOST_LEVELS {
            return true;
        }
        let message = format!("structs and arrays are nested more than {MOST_LEVELS} levels deep");
        self.error(&code::NESTING_TOO_DEEP, span, message);
        if let Type::Struct(id) = self.types.get(ty) {
            self.types.structure_mut(id).fields.clear();
        }
        false
    }

    /// The number of fields in a type.
    fn field_count(&self, ty: TypeId) -> u64 {
        match self.types.get(ty) {
            Type::Array { element, .. } => self.field_count(element),
            Type::Struct(id) => self.structs.get(&id).map_or(1, |it| it.fields.max(1)),
            _ => 1,
        }
    }

    fn bases(&mut self, id: StructId, scope: ScopeId, structure: &'a ast::Struct) {
        for base in &structure.bases {
            let ty = self.ty(base);
            let Type::Struct(base_id) = self.types.get(ty) else {
                if ty != Types::ERROR {
                    let message =
                        format!("`{}` is not a struct, so it cannot be a base", self.name_of(ty));
                    self.error(&code::BAD_DECLARATION, base.span, message);
                }
                continue;
            };
            let Some(info) = self.structs.get(&base_id) else {
                let message = format!("`{}` cannot be a base", self.name_of(ty));
                self.error(&code::BAD_DECLARATION, base.span, message);
                continue;
            };
            if !info.is_complete {
                let message = format!("`{}` is incomplete here", self.name_of(ty));
                self.error(&code::BAD_DECLARATION, base.span, message);
                continue;
            }
            let (base_scope, is_interface) = (info.scope, info.ast.kind == StructKind::Interface);
            if self.generations(ty) >= MOST_GENERATIONS {
                let message =
                    format!("the chain of inheritance is longer than {MOST_GENERATIONS} structs");
                self.error(&code::NESTING_TOO_DEEP, base.span, message);
                continue;
            }
            self.scopes.see(scope, base_scope);
            if is_interface {
                continue;
            }
            if !self.types.structure(id).fields.is_empty() {
                self.error(
                    &code::BAD_DECLARATION,
                    base.span,
                    "a struct can inherit from only one struct",
                );
                continue;
            }
            let fields = self.types.structure(base_id).fields.len() as u64;
            if !self.spend(fields * cost::FIELD, base.span) {
                continue;
            }
            let inherited = self.types.structure(base_id).fields.clone();
            self.types.structure_mut(id).fields = inherited;
            if let Some(info) = self.structs.get_mut(&id) {
                info.bases.push(ty);
            }
        }
    }

    /// The length of a struct's chain of inheritance.
    fn generations(&self, ty: TypeId) -> usize {
        let base_of = |ty: &TypeId| match self.types.get(*ty) {
            Type::Struct(id) => self.structs.get(&id)?.bases.first().copied(),
            _ => None,
        };
        // `MOST_GENERATIONS` bounds this walk too.
        std::iter::successors(Some(ty), base_of).count()
    }

    /// Checks that a struct defines every method of its interfaces.
    fn keeps_interfaces(&mut self, id: StructId, structure: &'a ast::Struct) {
        let scope = self.structs[&id].scope;
        for base in &structure.bases {
            // Errors were reported by `bases`.
            let (ty, _) = self.quietly(|this| this.in_scope(scope, |this| this.ty(base)));
            let Type::Struct(base_id) = self.types.get(ty) else { continue };
            let Some(interface) = self.structs.get(&base_id).map(|it| it.ast) else { continue };
            if interface.kind != StructKind::Interface {
                continue;
            }
            for item in interface.members.as_deref().unwrap_or(&[]) {
                let ItemKind::Function(method) = &item.kind else { continue };
                let key = Self::key(&method.name);
                let callees = match self.scopes.value_in(scope, &key).map(|it| it.entity) {
                    Some(ValueEntity::Functions(callees)) => callees,
                    _ => Vec::new(),
                };
                let is_defined = callees.iter().any(|it| match *it {
                    Callee::Function(id) => self.function(id).this != Some(ty),
                    Callee::Template(_) => false,
                });
                if !is_defined {
                    let (name, of) = (self.types.structure(id).name.clone(), self.name_of(ty));
                    let message = format!("`{name}` does not define `{key}` of `{of}`");
                    let report = Diagnostic::new(&code::BAD_DECLARATION, base.span, message);
                    self.report(report.also(method.name.span(), "declared here"));
                }
            }
        }
    }

    fn member(&mut self, id: StructId, item: &'a Item) {
        match &item.kind {
            ItemKind::Var(var) => {
                attr::report_misplaced(self, &item.attributes, attr::Target::Field);
                self.member_var(id, var, &item.attributes)
            }
            ItemKind::Function(function) => {
                self.declare_function(function, &item.attributes);
            }
            ItemKind::Struct(_)
            | ItemKind::Enum(_)
            | ItemKind::Alias(_)
            | ItemKind::UsingNamespace(_)
            | ItemKind::Using(_)
            | ItemKind::StaticAssert(_)
            | ItemKind::Empty => self.item(item),
            ItemKind::Namespace(_) | ItemKind::Buffer(_) => {
                self.error(
                    &code::BAD_DECLARATION,
                    item.span,
                    "this cannot be declared in a struct",
                );
            }
        }
    }

    fn member_var(&mut self, id: StructId, var: &'a ast::Var, attributes: &'a [ast::Attribute]) {
        let base = self.ty_with(&var.ty, &var.modifiers);
        let is_const = var.modifiers.has(Modifier::Const);
        for declarator in &var.declarators {
            let ty = self.array(base, &declarator.dims);
            let ty = self.no_string(ty, &declarator.name);
            if var.modifiers.has(Modifier::Static) {
                self.static_var(declarator, ty, is_const);
                continue;
            }
            if let Some(span) = var.modifiers.span(Modifier::GroupShared) {
                self.error(&code::BAD_DECLARATION, span, "a field cannot be groupshared");
            }
            if let Some(ast::Initializer::Expr(init)) = &declarator.init {
                self.error(&code::BAD_DECLARATION, init.span, "a field cannot have an initialiser");
            }
            self.field(id, declarator, ty);
            if let Some(offset) = self.vulkan_offset(attributes)
                && let Some(field) = self.types.structure_mut(id).fields.last_mut()
            {
                field.offset = Some(offset);
            }
        }
    }

    /// `[[vk::offset(N)]]`: the byte offset of a member; without `-spirv` it has no effect.
    fn vulkan_offset(&mut self, attributes: &'a [ast::Attribute]) -> Option<u32> {
        let attribute = attributes.iter().find(|it| {
            it.name.name.as_str() == "offset"
                && it.scope.as_ref().is_some_and(|scope| scope.name.as_str() == "vk")
        });
        let attribute = attribute.filter(|_| self.options.vulkan)?;
        let arg = attribute.args.first()?;
        let (value, _) = self.constant_integer(arg, "an offset")?;
        let offset = u32::try_from(value).ok().filter(|it| *it < 1 << 16);
        if offset.is_none() {
            let message = format!("the offset {value} is outside of any constant buffer");
            self.error(&code::BAD_ATTRIBUTE, attribute.span, message);
        }
        offset
    }

    /// Adds a field to a struct, or to the members of a constant buffer.
    pub(super) fn field(&mut self, id: StructId, declarator: &'a ast::Declarator, ty: TypeId) {
        let mut ty = self.variable_type(ty, declarator);
        if let Some(inner) = self.incomplete(ty) {
            let message = format!("`{inner}` is incomplete here, so it cannot be a field");
            self.error(&code::BAD_DECLARATION, declarator.name.span, message);
            ty = Types::ERROR;
        }
        let is_unnamed = declarator.bits.is_some() && declarator.name.name.is_empty();
        if is_unnamed && self.closes_unit(id, declarator.bits.as_deref()) {
            return;
        }
        let bits = declarator.bits.as_ref().and_then(|width| self.bit_field(id, width, ty));
        let name = declarator.name.name.to_string();
        let offset = None;
        let fields = &mut self.types.structure_mut(id).fields;
        fields.push(Field { name, ty, bits, hidden: false, offset, span: declarator.name.span });
        let index = fields.len() as u32 - 1;
        if !is_unnamed {
            self.declare(&declarator.name, ValueEntity::Field(index));
        }
    }

    /// The name of an incomplete struct inside a type, if there is one.
    pub(super) fn incomplete(&self, ty: TypeId) -> Option<String> {
        match self.types.get(ty) {
            Type::Struct(id) => {
                let known = self.structs.get(&id)?;
                (!known.is_complete).then(|| self.name_of(ty))
            }
            Type::Array { element, .. } => self.incomplete(element),
            _ => None,
        }
    }

    /// Whether an unnamed bit-field has width 0, which only ends the storage unit.
    fn closes_unit(&mut self, id: StructId, width: Option<&'a ast::Expr>) -> bool {
        let zero = |it: &ast::Expr| matches!(&it.kind, ast::ExprKind::Int(it) if it.value == 0);
        let closes = width.is_some_and(zero);
        if let Some(info) = self.structs.get_mut(&id) {
            info.unit_is_closed |= closes;
        }
        closes
    }

    /// Allocates a bit-field of that width: in the current storage unit, or in a new one.
    fn bit_field(&mut self, id: StructId, width: &'a ast::Expr, ty: TypeId) -> Option<BitField> {
        self.needs_2021(width.span, "bit-fields");
        let scalar = match self.types.get(ty) {
            Type::Scalar(scalar) if scalar.is_int() || scalar == Scalar::Bool => scalar,
            Type::Error => return None,
            _ => {
                let message =
                    format!("a bit-field must have an integer type, not `{}`", self.name_of(ty));
                self.error(&code::TYPE_MISMATCH, width.span, message);
                return None;
            }
        };
        let unit_scalar = if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
        let most = unit_scalar.ty(self.native_16bit()).bits();
        let (value, _) = self.constant_integer(width, "the width of a bit-field")?;
        let width = match u32::try_from(value) {
            Ok(bits) if (1..=most).contains(&bits) => bits,
            _ => {
                let message =
                    format!("the width of this bit-field must be from 1 to {most}, not {value}");
                self.error(&code::BAD_DECLARATION, width.span, message);
                return None;
            }
        };
        let native_16bit = self.native_16bit();
        let is_closed =
            self.structs.get_mut(&id).is_some_and(|it| std::mem::take(&mut it.unit_is_closed));
        let fields = &self.types.structure(id).fields;
        if !is_closed && let Some(Field { bits: Some(last), .. }) = fields.last() {
            let unit = &fields[last.unit as usize];
            let unit_bits =
                self.types.scalar_of(unit.ty).map_or(0, |it| it.ty(native_16bit).bits());
            let offset = last.offset + last.width;
            if unit_bits == most && offset + width <= most {
                return Some(BitField { unit: last.unit, offset, width });
            }
        }
        let unit_ty = self.types.scalar(unit_scalar);
        let fields = &mut self.types.structure_mut(id).fields;
        let name = format!("<bits {}>", fields.len());
        fields.push(Field {
            name,
            ty: unit_ty,
            bits: None,
            hidden: true,
            offset: None,
            span: Span::NONE,
        });
        Some(BitField { unit: fields.len() as u32 - 1, offset: 0, width })
    }

    /// Whether a struct is the same as a second one, or inherits from it.
    pub(super) fn derives_from(&self, ty: TypeId, base: TypeId) -> bool {
        if ty == base {
            return true;
        }
        let Type::Struct(id) = self.types.get(ty) else { return false };
        let Some(info) = self.structs.get(&id) else { return false };
        info.bases.iter().any(|it| self.derives_from(*it, base))
    }
}
