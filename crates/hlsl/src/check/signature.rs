//! The signature of a shader of a draw: its parameters and its result as rows of scalars ([`ir::stage`]).
//!
//! A semantic names one row of up to four components. What takes several rows, such as an array, a matrix or a struct
//! with a semantic, takes the indices that follow. A matrix has a row for each vector that its order stores; an array
//! of structs has those of one member after the other. The outermost semantic counts, and so do the innermost
//! interpolation modifiers.
//!
//! `stage.rs` has checked the semantics as they are written; here it is checked that no two rows are the same, and
//! that the modifiers agree.
//!
//! Where a parameter has the vertices of a primitive or the control points of a patch, each of them has the same rows.

use diag::{Diagnostic, Span, code};
use ir::Slot;
use ir::stage::{
    Element, Holder, Interpolation, InterpolationMode, InterpolationPlace, PixelTraits, StageIo,
    StageTraits, Stream, SystemValue,
};
use ops::intrinsics::Stage;

use super::entry::semantic_of;
use super::semantic::{self, Side};
use super::stage::Param;
use super::{Checker, attr};
use crate::ast::{Attribute, Ident, Modifier, Modifiers};
use crate::hir::{FunctionId, ParamSlots, Signature};
use crate::types::{Mode, Object, ResourceType, Scalar, StructId, Type, TypeId, Types, host};

/// The most scalars of one side of a signature: those of Direct3D's 32 registers. It also bounds the work on a
/// signature.
const MOST_SCALARS: u32 = 128;

/// A semantic that covers a value, and how many rows of it have been used.
#[derive(Clone, Copy)]
struct Outer<'a> {
    ident: &'a Ident,
    rows: u32,
}

/// One side of the signature under construction.
#[derive(Default)]
struct Rows {
    elements: Vec<(Element, Span)>,
    slots: u32,
}

/// What holds for a value inside of a parameter or the result.
#[derive(Clone, Copy)]
struct Context<'a> {
    side: Side,
    holder: Holder,
    modifiers: &'a [(Modifier, Span)],
    /// The position in the arrays of structs around it: members of the elements are rows after each other.
    position: u32,
    span: Span,
}

/// What a parameter is.
enum Part {
    Plain,
    /// The vertices of a primitive, or the points of a patch.
    Vertices {
        element: TypeId,
        count: u32,
        holder: fn(u8) -> Holder,
    },
    Stream {
        element: TypeId,
        corners: u8,
    },
}

impl Rows {
    fn push(&mut self, element: Element, span: Span) -> Slot {
        let first = Slot(self.slots);
        self.slots += u32::from(element.components);
        self.elements.push((element, span));
        first
    }
}

impl<'a> Checker<'a> {
    /// The signature of an entry point whose semantics are in order; `None` after a report, or if something is missing.
    /// `results` is the side of what it passes on.
    pub(super) fn stage_signature(
        &mut self,
        id: FunctionId,
        attributes: &'a [Attribute],
        params: &[Param<'a>],
        results: Side,
    ) -> Option<Signature> {
        let (mut inputs, mut outputs) = (Rows::default(), Rows::default());
        let (mut slots, mut streams, mut stream_slots) = (Vec::new(), Vec::new(), Vec::new());
        for param in params {
            let part = self.part_of(param);
            let is_plain = matches!(part, Part::Plain);
            if param.ast.modifiers.has(Modifier::Uniform)
                || is_plain && self.types.holds_resource(param.ty)
            {
                let message = "`uniform` parameters, and resources as parameters of an entry point, are not supported yet";
                let report = Diagnostic::new(&code::UNSUPPORTED_FEATURE, param.span, message);
                self.missing.push(report);
                return None;
            }
            let semantic = semantic_of(&param.ast.annotations);
            let modifiers = interpolation_modifiers(&param.ast.modifiers);
            let rows = |this: &mut Self, ty, side, holder, rows: &mut Rows, found: &mut Vec<_>| {
                let span = param.span;
                let place = Context { side, holder, modifiers: &modifiers, position: 0, span };
                let mut outer = semantic.map(|ident| Outer { ident, rows: 0 });
                this.rows_of(ty, place, &mut outer, rows, found)
            };
            let mut of_param = ParamSlots::default();
            match part {
                Part::Plain => {
                    if matches!(param.mode, Mode::In | Mode::InOut) {
                        let found = &mut of_param.inputs;
                        rows(self, param.ty, Side::Input, Holder::Own, &mut inputs, found)?;
                    }
                    if matches!(param.mode, Mode::Out | Mode::InOut) {
                        let found = &mut of_param.outputs;
                        rows(self, param.ty, results, Holder::Own, &mut outputs, found)?;
                    }
                }
                Part::Vertices { element, count, holder } => {
                    for vertex in 0..count {
                        let holder = holder(vertex as u8);
                        let found = &mut of_param.inputs;
                        rows(self, element, Side::Input, holder, &mut inputs, found)?;
                    }
                    of_param.array = Some(self.types.intern(Type::Array { element, len: count }));
                }
                Part::Stream { element, corners } => {
                    let (mut own, mut found) = (Rows::default(), Vec::new());
                    rows(self, element, Side::Output, Holder::Own, &mut own, &mut found)?;
                    of_param.stream = Some(streams.len() as u32);
                    streams.push(Stream { corners, elements: self.distinct(own)? });
                    stream_slots.push(found);
                }
            }
            slots.push(of_param);
        }
        let function = self.function(id);
        let (result, ast) = (function.result, function.ast);
        let mut result_slots = Vec::new();
        if result != Types::VOID {
            let modifiers = interpolation_modifiers(&ast.modifiers);
            let place = Context {
                side: results,
                holder: Holder::Own,
                modifiers: &modifiers,
                position: 0,
                span: ast.result.span,
            };
            let semantic = semantic_of(&ast.annotations);
            let mut outer = semantic.map(|ident| Outer { ident, rows: 0 });
            self.rows_of(result, place, &mut outer, &mut outputs, &mut result_slots)?;
        }
        let inputs = self.distinct(inputs)?;
        let outputs = self.distinct(outputs)?;
        let pixel = match self.stage {
            Stage::Pixel => PixelTraits {
                early_depth: attr::find(attributes, "earlydepthstencil").is_some(),
                helpers_take_part: attr::find(attributes, "WaveOpsIncludeHelperLanes").is_some(),
                orders_pixels: self.names_ordered_views,
                ..PixelTraits::default()
            },
            _ => PixelTraits::default(),
        };
        let io = StageIo { inputs, outputs, pixel, traits: StageTraits::Plain };
        let mut signature =
            Signature { io, params: slots, result: result_slots, streams: stream_slots };
        self.stage_traits(&mut signature, attributes, params, streams)?;
        Some(signature)
    }

    /// The rows of the elements of an output array of a mesh shader, and the slots of the scalars of an element.
    pub(super) fn element_rows(
        &mut self,
        param: &Param<'a>,
        element: TypeId,
        side: Side,
    ) -> Option<(Vec<Element>, Vec<Slot>)> {
        let modifiers = interpolation_modifiers(&param.ast.modifiers);
        let span = param.span;
        let place = Context { side, holder: Holder::Own, modifiers: &modifiers, position: 0, span };
        let semantic = semantic_of(&param.ast.annotations);
        let mut outer = semantic.map(|ident| Outer { ident, rows: 0 });
        let (mut rows, mut found) = (Rows::default(), Vec::new());
        self.rows_of(element, place, &mut outer, &mut rows, &mut found)?;
        Some((self.distinct(rows)?, found))
    }

    fn part_of(&self, param: &Param<'a>) -> Part {
        match self.types.get(param.ty) {
            Type::Resource(ResourceType::Other(Object { name, element, count })) => match name {
                "InputPatch" => Part::Vertices { element, count, holder: Holder::Vertex },
                "OutputPatch" => Part::Vertices { element, count, holder: Holder::Point },
                "PointStream" => Part::Stream { element, corners: 1 },
                "LineStream" => Part::Stream { element, corners: 2 },
                "TriangleStream" => Part::Stream { element, corners: 3 },
                _ => Part::Plain,
            },
            Type::Array { element, len }
                if self.stage == Stage::Geometry && param.primitive().is_some() =>
            {
                Part::Vertices { element, count: len, holder: Holder::Vertex }
            }
            _ => Part::Plain,
        }
    }

    /// Appends the rows of a value, and the slots of its scalars in the order of [`Types::flatten`].
    fn rows_of(
        &mut self,
        ty: TypeId,
        place: Context<'_>,
        outer: &mut Option<Outer<'a>>,
        rows: &mut Rows,
        slots: &mut Vec<Slot>,
    ) -> Option<()> {
        match self.types.get(ty) {
            // Even without scalars, an array may have many elements.
            _ if self.types.scalar_count(ty) == 0 => Some(()),
            Type::Struct(id) => self.fields_rows(id, place, outer, rows, slots),
            Type::Array { element, len } if self.holds_structs(element) => {
                for i in 0..len {
                    // With a semantic of the whole array, rows are counted on.
                    let position = place.position.saturating_mul(len).saturating_add(i);
                    let position = if outer.is_some() { 0 } else { position };
                    self.rows_of(element, Context { position, ..place }, outer, rows, slots)?;
                }
                Some(())
            }
            _ => {
                let Some(semantic) = outer else { return None };
                let count = self.row_count(ty);
                let (name, index) = semantic::split(&semantic.ident.name);
                // A number that large repeats, which is reported.
                let before = place.position.saturating_mul(count).saturating_add(semantic.rows);
                let first = index.saturating_add(before);
                semantic.rows = semantic.rows.saturating_add(count);
                let (name, span) = (name.to_owned(), semantic.ident.span);
                let mut row = Row { name, index: first, place, span };
                self.value_rows(ty, &mut row, rows, slots)
            }
        }
    }

    fn fields_rows(
        &mut self,
        id: StructId,
        place: Context<'_>,
        outer: &mut Option<Outer<'a>>,
        rows: &mut Rows,
        slots: &mut Vec<Slot>,
    ) -> Option<()> {
        let fields = self.types.structure(id).fields.clone();
        for field in fields {
            if field.hidden {
                let message = "bit-fields as inputs or outputs are not supported yet";
                let report = Diagnostic::new(&code::UNSUPPORTED_FEATURE, place.span, message);
                self.missing.push(report);
                return None;
            }
            let (annotations, modifiers) = self.written_of(id, &field.name);
            let own = modifiers.map(interpolation_modifiers).unwrap_or_default();
            let modifiers = if own.is_empty() { place.modifiers } else { &own };
            let inner = Context { modifiers, span: field.span, ..place };
            match outer {
                Some(_) => self.rows_of(field.ty, inner, outer, rows, slots)?,
                None => {
                    let semantic = semantic_of(annotations);
                    let mut own = semantic.map(|ident| Outer { ident, rows: 0 });
                    self.rows_of(field.ty, inner, &mut own, rows, slots)?;
                }
            }
        }
        Some(())
    }

    /// Appends the rows of a value without structs.
    fn value_rows(
        &mut self,
        ty: TypeId,
        row: &mut Row<'_>,
        rows: &mut Rows,
        slots: &mut Vec<Slot>,
    ) -> Option<()> {
        match self.types.get(ty) {
            Type::Array { element, len } => {
                (0..len).try_for_each(|_| self.value_rows(element, row, rows, slots))
            }
            Type::Scalar(scalar) => {
                let first = self.push_row(row, scalar, 1, rows)?;
                slots.push(first);
                Some(())
            }
            Type::Vector(scalar, n) => {
                let first = self.push_row(row, scalar, n, rows)?;
                slots.extend((0..n).map(|i| Slot(first.0 + i)));
                Some(())
            }
            Type::Matrix { scalar, rows: height, columns: width, row_major } => {
                let (count, n) = if row_major { (height, width) } else { (width, height) };
                let mut firsts = Vec::new();
                for _ in 0..count {
                    firsts.push(self.push_row(row, scalar, n, rows)?);
                }
                for y in 0..height {
                    for x in 0..width {
                        let (vector, i) = if row_major { (y, x) } else { (x, y) };
                        slots.push(Slot(firsts[vector as usize].0 + i));
                    }
                }
                Some(())
            }
            Type::Void | Type::String | Type::Error | Type::Resource(_) | Type::Struct(_) => None,
        }
    }

    fn push_row(
        &mut self,
        row: &mut Row<'_>,
        scalar: Scalar,
        components: u32,
        rows: &mut Rows,
    ) -> Option<Slot> {
        let Context { side, mut holder, modifiers, .. } = row.place;
        if components > 4 {
            let message = "a vector of more than four components cannot be passed between stages";
            self.error(&code::BAD_SEMANTIC, row.place.span, message);
            return None;
        }
        let system = semantic::find(&row.name).and_then(|(it, _)| it.system(self.stage, side));
        // What is not a system value comes from the hull shader.
        if (self.stage, side, holder) == (Stage::Domain, Side::Input, Holder::Own)
            && system.is_none()
        {
            holder = Holder::Patch;
        }
        let interpolates = (self.stage, side) != (Stage::Vertex, Side::Input)
            && (self.stage, side) != (Stage::Pixel, Side::Output);
        let interpolation = match interpolates {
            true => self.interpolation(modifiers, scalar, system, row.place.span)?,
            false => Interpolation::default(),
        };
        let element = Element {
            semantic: row.name.clone(),
            index: row.index,
            scalar: host(scalar, self.native_16bit()),
            components: components as u8,
            interpolation,
            holder,
            system,
            span: row.span,
        };
        row.index = row.index.saturating_add(1);
        let others = rows.elements.iter().filter(|it| it.0.holder == holder);
        let scalars: u32 = others.map(|it| u32::from(it.0.components)).sum();
        if scalars + components > MOST_SCALARS {
            let word = if side == Side::Input { "inputs" } else { "outputs" };
            let message = format!("a shader has at most {MOST_SCALARS} scalars of {word}");
            self.error(&code::BAD_SEMANTIC, row.place.span, message);
            return None;
        }
        Some(rows.push(element, row.span))
    }

    fn interpolation(
        &mut self,
        modifiers: &[(Modifier, Span)],
        scalar: Scalar,
        system: Option<SystemValue>,
        span: Span,
    ) -> Option<Interpolation> {
        let of = |wanted: Modifier| modifiers.iter().find(|it| it.0 == wanted).map(|it| it.1);
        let others =
            [Modifier::Linear, Modifier::NoPerspective, Modifier::Centroid, Modifier::Sample];
        let first_other = others.into_iter().find_map(|it| Some((it, of(it)?)));
        if let (Some(flat), Some((other, at))) = (of(Modifier::NoInterpolation), first_other) {
            let message = format!("`nointerpolation` and `{}` exclude each other", other.word());
            let report = Diagnostic::new(&code::BAD_SEMANTIC, at, message);
            self.report(report.also(flat, "the other one"));
            return None;
        }
        if let (Some(centroid), Some(sample)) = (of(Modifier::Centroid), of(Modifier::Sample)) {
            let message = "`centroid` and `sample` exclude each other";
            let report = Diagnostic::new(&code::BAD_SEMANTIC, sample, message);
            self.report(report.also(centroid, "the other one"));
            return None;
        }
        let is_float = scalar.is_float();
        if let (false, Some((other, at)), None) = (is_float, first_other, system) {
            let word = other.word();
            let message = format!("integers are not interpolated, so `{word}` does not apply");
            let report = Diagnostic::new(&code::BAD_SEMANTIC, span, message);
            let report = report.also(at, "the modifier");
            self.report(report.help(
                "without it, or with `nointerpolation`, the value is that of the leading vertex",
            ));
            return None;
        }
        let mode = if of(Modifier::NoInterpolation).is_some() || !is_float {
            InterpolationMode::Flat
        } else if of(Modifier::NoPerspective).is_some() || system == Some(SystemValue::Position) {
            InterpolationMode::NoPerspective
        } else {
            InterpolationMode::Linear
        };
        let place = if of(Modifier::Sample).is_some() {
            InterpolationPlace::Sample
        } else if of(Modifier::Centroid).is_some() {
            InterpolationPlace::Centroid
        } else {
            InterpolationPlace::Centre
        };
        Some(Interpolation { mode, place })
    }

    /// The elements, if no two are the same row.
    fn distinct(&mut self, rows: Rows) -> Option<Vec<Element>> {
        for (i, (element, span)) in rows.elements.iter().enumerate() {
            // All vertices have the same elements.
            if matches!(element.holder, Holder::Vertex(1..) | Holder::Point(1..)) {
                continue;
            }
            let mut before = rows.elements[..i].iter();
            if let Some((_, other)) = before.find(|(it, _)| {
                it.holder == element.holder && it.is(&element.semantic, element.index)
            }) {
                let message =
                    format!("two values have the semantic `{}{}`", element.semantic, element.index);
                let report = Diagnostic::new(&code::BAD_SEMANTIC, *span, message);
                self.report(report.also(*other, "the other one"));
                return None;
            }
        }
        Some(rows.elements.into_iter().map(|it| it.0).collect())
    }

    fn holds_structs(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Struct(_) => true,
            Type::Array { element, .. } => self.holds_structs(element),
            _ => false,
        }
    }

    /// How many rows a value without structs takes.
    fn row_count(&self, ty: TypeId) -> u32 {
        match self.types.get(ty) {
            Type::Array { element, len } => len.saturating_mul(self.row_count(element)),
            Type::Matrix { rows, columns, row_major, .. } => {
                if row_major {
                    rows
                } else {
                    columns
                }
            }
            _ => 1,
        }
    }
}

/// The row to be appended next.
struct Row<'p> {
    name: String,
    index: u32,
    place: Context<'p>,
    /// Of the semantic.
    span: Span,
}

fn interpolation_modifiers(modifiers: &Modifiers) -> Vec<(Modifier, Span)> {
    let is_one = |it: &Modifier| {
        matches!(
            it,
            Modifier::NoInterpolation
                | Modifier::Linear
                | Modifier::Centroid
                | Modifier::NoPerspective
                | Modifier::Sample
        )
    };
    modifiers.list.iter().filter(|(it, _)| is_one(it)).copied().collect()
}
