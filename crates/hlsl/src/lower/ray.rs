//! Ray queries: a declaration makes a new query in a separate slot, and a variable holds its handle, an ordinary `i32`.

use diag::Span;
use ir::ray::MOST_SLOTS;
use ir::{Op, Query, QueryData, Ray, RayOp, Value, Values, values};
use ops::{Binary, Ty};

use super::place::Lvalue;
use super::{Lower, Lowerer};
use crate::hir::{Arg, Expr};
use crate::library::rays::RayMethod;
use crate::types::{Type, TypeId};

impl Lowerer<'_> {
    /// The value of a variable that is declared without an initialiser and holds queries: a new query for each of them,
    /// and nothing for the rest.
    pub(super) fn new_queries(&mut self, name: &str, ty: TypeId, span: Span) -> Lower<Values> {
        let leaves = self.leaves(ty, span)?;
        let mut flags = Vec::with_capacity(leaves.len());
        self.push_flags(ty, &mut flags);
        let mut values = Values::with_capacity(leaves.len());
        let mut slots: Option<(Query, u32)> = None;
        for (leaf, flags) in leaves.iter().zip(flags) {
            let value = match (flags, leaf) {
                (Some(flags), _) => {
                    // Consecutive queries of one type share an array of slots.
                    let known = slots.filter(|it| self.query(it.0).flags == flags);
                    let (query, index) = match known {
                        Some((query, last)) => (query, last + 1),
                        None => (self.new_slots(name, flags, span), 0),
                    };
                    self.builder.module.queries[query.index()].len = index + 1;
                    slots = Some((query, index));
                    self.new_query(query, index)
                }
                (None, Some(ty)) => self.undefined(*ty, span),
                (None, None) => super::resource::NO_HANDLE,
            };
            values.push(value);
        }
        let slots: u64 = self.builder.module.queries.iter().map(|it| u64::from(it.len)).sum();
        if slots > u64::from(MOST_SLOTS) {
            let message = format!("the program declares more than {MOST_SLOTS} ray queries");
            return Err(self.too_large(span, message));
        }
        Ok(values)
    }

    /// The flags of the query that each scalar of a value is, `None` for other scalars.
    fn push_flags(&self, ty: TypeId, flags: &mut Vec<Option<u32>>) {
        let types = &self.program.types;
        if !types.holds_query(ty) {
            flags.extend((0..types.scalar_count(ty)).map(|_| None));
            return;
        }
        match types.get(ty) {
            Type::Array { element, len } => (0..len).for_each(|_| self.push_flags(element, flags)),
            Type::Struct(id) => {
                let stored = types.structure(id).fields.iter().filter(|field| field.bits.is_none());
                stored.for_each(|field| self.push_flags(field.ty, flags));
            }
            _ => flags.push(types.query_flags(ty)),
        }
    }

    fn query(&self, query: Query) -> &QueryData {
        &self.builder.module.queries[query.index()]
    }

    fn new_slots(&mut self, name: &str, flags: u32, span: Span) -> Query {
        let queries = &mut self.builder.module.queries;
        queries.push(QueryData { name: name.to_owned(), flags, len: 0, span });
        Query(queries.len() as u32 - 1)
    }

    fn new_query(&mut self, query: Query, index: u32) -> Value {
        let args = values![self.word(index)];
        let ray = Ray { op: RayOp::Allocate, query: Some(query), scene: None, args };
        self.value(Op::Ray(Box::new(ray)), Ty::I32)
    }

    /// A method of a query.
    pub(super) fn ray_method(
        &mut self,
        method: RayMethod,
        object: &Expr,
        args: &[Arg],
        span: Span,
    ) -> Lower<Values> {
        let RayMethod { op, transposed } = method;
        let flags = self.program.types.query_flags(object.ty).unwrap_or(0);
        let mut operands = self.expr(object)?;
        let mut args = args.iter();
        let mut scene = None;
        if op == RayOp::Trace
            && let Some(Arg::In(first) | Arg::Out { place: first, .. }) = args.next()
        {
            let place: Lvalue = self.place(first)?;
            let resource = self.single_resource(&place, first.span)?;
            scene = Some(self.binding(resource, first.span)?);
        }
        for arg in args {
            operands.extend(self.input(arg)?);
        }
        self.builder.span = span;
        if let (RayOp::Trace, 1.., Some(dynamic)) = (op, flags, operands.get(1).copied()) {
            let flags = self.word(flags);
            operands[1] = self.value(Op::Binary(Binary::Or, dynamic, flags), Ty::I32);
        }
        let ray = Ray { op, query: None, scene, args: operands };
        let inst = self.builder.inst(Op::Ray(Box::new(ray)), &op.results());
        let results = Values::from(self.builder.results(inst));
        Ok(match transposed {
            // Three rows of four become four rows of three.
            true => (0..12).map(|i| results[i % 3 * 4 + i / 3]).collect(),
            false => results,
        })
    }
}
