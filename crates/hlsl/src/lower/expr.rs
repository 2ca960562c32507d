//! Lowers expressions to scalars.

use diag::Span;
use ir::{Op, Value, values};
use ops::{Binary, Ternary, Ty, Unary};

use super::place::{Location, Lvalue};
use super::resource::is_handle;
use super::{Lower, Lowerer, Values};
use crate::check::fold::{Operation, operation};
use crate::hir::{Expr, ExprKind, LocalId};
use crate::lower::place::Storage;
use crate::types::convert;
use crate::types::{BinaryOp, ResourceType, Scalar, Type, TypeId, UnaryOp};

impl Lowerer<'_> {
    /// The scalars of an expression's value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Lower<Values> {
        self.enter(expr.span)?;
        let outer = std::mem::replace(&mut self.builder.span, expr.span);
        let values = self.expr_inner(expr);
        self.builder.span = outer;
        self.leave();
        values
    }

    /// An expression of one scalar.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Lower<Value> {
        let values = self.expr(expr)?;
        match values.first() {
            Some(value) => Ok(*value),
            None => {
                Err(self
                    .unsupported(expr.span, "a value without scalars is not supported yet here"))
            }
        }
    }

    // One function for each kind, so that the stack frame of this recursive one stays small.
    fn expr_inner(&mut self, expr: &Expr) -> Lower<Values> {
        match &expr.kind {
            // A string is not a value at run time.
            ExprKind::Const(_) if self.program.types.get(expr.ty) == Type::String => {
                Ok(Values::new())
            }
            ExprKind::Const(bits) => {
                let ty = self.ty(expr.ty);
                Ok(values![self.constant(ty, *bits)])
            }
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Resource(_)
            | ExprKind::Field(..)
            | ExprKind::Swizzle(..)
            | ExprKind::MatrixSwizzle(..)
            | ExprKind::Index(..) => self.load_expr(expr),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(..) => self.binary_chain(expr),
            ExprKind::Logic { .. } => self.logic_chain(expr),
            ExprKind::Conditional { short_circuit, cond, then, else_ } => {
                self.conditional(*short_circuit, cond, then, else_, expr.span)
            }
            ExprKind::Assign(place, value) => Ok(self.assign(place, value)?.1),
            ExprKind::AssignOp { op, place, compute, value } => {
                Ok(self.assign_op(*op, place, *compute, value)?.1)
            }
            ExprKind::Step { place, increment, prefix } => {
                let (_, before, after) = self.step(place, *increment)?;
                Ok(if *prefix { after } else { before })
            }
            ExprKind::Call { function, args } => self.call(*function, args, expr.span),
            ExprKind::Wave { intrinsic, output, args } => self.wave(intrinsic, *output, args, expr),
            ExprKind::Library { function, args } => self.library(*function, args, expr),
            ExprKind::Method { method, object, args } => self.method(*method, object, args, expr),
            ExprKind::Convert(operand) => self.convert_expr(operand, expr),
            ExprKind::Construct(parts)
                if parts.is_empty() && self.program.types.holds_query(expr.ty) =>
            {
                self.new_queries("query", expr.ty, expr.span)
            }
            ExprKind::Construct(parts) => {
                let mut values = Values::new();
                for part in parts {
                    values.extend(self.expr(part)?);
                }
                Ok(values)
            }
            ExprKind::Comma(..) => self.comma_chain(expr),
        }
    }

    #[inline(never)]
    fn load_expr(&mut self, expr: &Expr) -> Lower<Values> {
        let place = self.place(expr)?;
        self.load(&place, expr.span)
    }

    #[inline(never)]
    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Lower<Values> {
        let mut values = self.expr(operand)?;
        let op = match op {
            UnaryOp::Neg => Unary::Neg,
            UnaryOp::BitNot | UnaryOp::Not => Unary::Not,
        };
        for value in &mut values {
            let ty = self.builder.module.ty(*value);
            *value = self.value(Op::Unary(op, *value), ty);
        }
        Ok(values)
    }

    /// A chain such as `a + b + c` is a left-deep tree: iteration instead of recursion.
    #[inline(never)]
    fn binary_chain(&mut self, expr: &Expr) -> Lower<Values> {
        let mut chain = Vec::new();
        let mut left = expr;
        while let ExprKind::Binary(op, lhs, rhs) = &left.kind {
            chain.push((*op, lhs.ty, rhs, left.span));
            left = lhs;
        }
        let mut values = self.expr(left)?;
        while let Some((op, ty, rhs, span)) = chain.pop() {
            let right = self.expr(rhs)?;
            self.builder.span = span;
            values = self.binary(op, ty, &values, &right);
        }
        Ok(values)
    }

    /// An operator on two values of type `ty`.
    pub(super) fn binary(&mut self, op: BinaryOp, ty: TypeId, a: &[Value], b: &[Value]) -> Values {
        let op = operation(op, self.program.types.scalar_of(ty).unwrap_or(Scalar::I32));
        let mut values = Values::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            values.push(match op {
                Operation::Binary(op) => {
                    let ty = self.builder.module.ty(*a);
                    self.value(Op::Binary(op, *a, *b), ty)
                }
                Operation::Compare(op) => self.value(Op::Compare(op, *a, *b), Ty::Bool),
            });
        }
        values
    }

    /// A chain such as `a && b && c` is a left-deep tree, too.
    #[inline(never)]
    fn logic_chain(&mut self, expr: &Expr) -> Lower<Values> {
        let mut chain = Vec::new();
        let mut left = expr;
        while let ExprKind::Logic { and, short_circuit, lhs, rhs } = &left.kind {
            chain.push((*and, *short_circuit, rhs, left.span));
            left = lhs;
        }
        let mut values = self.expr(left)?;
        while let Some((and, short_circuit, rhs, span)) = chain.pop() {
            self.builder.span = span;
            values = self.logic(and, short_circuit, values, rhs)?;
        }
        Ok(values)
    }

    fn logic(&mut self, and: bool, short_circuit: bool, left: Values, rhs: &Expr) -> Lower<Values> {
        if let ([cond], true) = (left.as_slice(), short_circuit)
            && !self.can_speculate(rhs)
        {
            let decided = self.constant(Ty::Bool, u64::from(!and));
            let skip = |_: &mut Self| Ok(values![decided]);
            let run = |this: &mut Self| this.expr(rhs);
            return if and { self.if_(*cond, run, skip) } else { self.if_(*cond, skip, run) };
        }
        let right = self.expr(rhs)?;
        let op = if and { Binary::And } else { Binary::Or };
        let mut values = Values::with_capacity(left.len());
        for (a, b) in left.into_iter().zip(right) {
            values.push(self.value(Op::Binary(op, a, b), Ty::Bool));
        }
        Ok(values)
    }

    #[inline(never)]
    fn conditional(
        &mut self,
        short_circuit: bool,
        cond: &Expr,
        then: &Expr,
        else_: &Expr,
        span: Span,
    ) -> Lower<Values> {
        let cond = self.expr(cond)?;
        // As for `if`: the other arm may be another resource.
        if self.unrolling > 0
            && let ([cond], true) = (cond.as_slice(), short_circuit)
            && let Some(cond) = self.known(*cond)
        {
            return self.expr(if cond == 0 { else_ } else { then });
        }
        if let ([cond], true) = (cond.as_slice(), short_circuit)
            && !(self.can_speculate(then) && self.can_speculate(else_))
        {
            return self.if_(*cond, |this| this.expr(then), |this| this.expr(else_));
        }
        let then = self.expr(then)?;
        let else_ = self.expr(else_)?;
        self.builder.span = span;
        let mut values = Values::with_capacity(then.len());
        for (i, (a, b)) in then.into_iter().zip(else_).enumerate() {
            let cond = cond[i.min(cond.len() - 1)];
            values.push(if is_handle(a) {
                self.select_handle(cond, a, b, span)?
            } else {
                let ty = self.builder.module.ty(a);
                self.value(Op::Ternary(Ternary::Select, [cond, a, b]), ty)
            });
        }
        Ok(values)
    }

    /// Whether an expression can be speculated, that is, evaluated in more lanes than need it without a visible
    /// effect: it has no side effects, reads no memory, depends on no other lane, and uses nothing that may be
    /// uninitialised.
    pub(super) fn can_speculate(&self, expr: &Expr) -> bool {
        const MOST_NODES: usize = 16;
        let mut todo = vec![expr];
        let mut seen = 0;
        while let Some(expr) = todo.pop() {
            seen += 1;
            if seen > MOST_NODES {
                return false;
            }
            match &expr.kind {
                ExprKind::Const(_) => {}
                ExprKind::Local(id) => match self.frame().local(*id) {
                    Storage::Slots { first } => {
                        let count = self.count(expr.ty);
                        let is_set = |slot| self.is_initialised(self.env.get(slot), 8);
                        if count > 4 || !(*first..*first + count).all(is_set) {
                            return false;
                        }
                    }
                    Storage::Memory { .. } | Storage::Alias(_) => return false,
                },
                ExprKind::Swizzle(a, _) | ExprKind::Unary(_, a) => todo.push(a),
                ExprKind::Convert(a) if self.program.types.scalar_of(a.ty).is_some() => {
                    todo.push(a)
                }
                ExprKind::Binary(_, a, b) => todo.extend([&**a, &**b]),
                ExprKind::Logic { lhs, rhs, .. } => todo.extend([&**lhs, &**rhs]),
                ExprKind::Convert(_)
                | ExprKind::Global(_)
                | ExprKind::Resource(_)
                | ExprKind::Field(..)
                | ExprKind::MatrixSwizzle(..)
                | ExprKind::Index(..)
                | ExprKind::Conditional { .. }
                | ExprKind::Assign(..)
                | ExprKind::AssignOp { .. }
                | ExprKind::Step { .. }
                | ExprKind::Call { .. }
                | ExprKind::Wave { .. }
                | ExprKind::Library { .. }
                | ExprKind::Method { .. }
                | ExprKind::Construct(_)
                | ExprKind::Comma(..) => return false,
            }
        }
        true
    }

    /// Whether a value is certainly not poison; `false` where that would take long to find out.
    fn is_initialised(&self, value: Value, depth: u32) -> bool {
        let module = &self.builder.module;
        if depth == 0 || is_handle(value) {
            return false;
        }
        let Some(inst) = module.made_by(value) else { return false };
        match &module.inst(inst).op {
            Op::Const { .. } | Op::Builtin(_) => true,
            Op::Unary(_, a) => self.is_initialised(*a, depth - 1),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) => {
                self.is_initialised(*a, depth - 1) && self.is_initialised(*b, depth - 1)
            }
            _ => false,
        }
    }

    #[inline(never)]
    fn comma_chain(&mut self, expr: &Expr) -> Lower<Values> {
        let mut chain = Vec::new();
        let mut left = expr;
        while let ExprKind::Comma(first, second) = &left.kind {
            chain.push(second);
            left = first;
        }
        let mut values = self.expr(left)?;
        while let Some(next) = chain.pop() {
            values = self.expr(next)?;
        }
        Ok(values)
    }

    // Assignments.

    /// The right side comes first, as in C++.
    pub(super) fn assign(&mut self, target: &Expr, value: &Expr) -> Lower<(Lvalue, Values)> {
        let values = self.expr(value)?;
        let place = self.place(target)?;
        self.store(&place, &values)?;
        self.record_root(target);
        Ok((place, values))
    }

    pub(super) fn assign_op(
        &mut self,
        op: BinaryOp,
        target: &Expr,
        compute: TypeId,
        value: &Expr,
    ) -> Lower<(Lvalue, Values)> {
        let span = self.builder.span;
        let right = self.expr(value)?;
        let place = self.place(target)?;
        let before = self.load(&place, span)?;
        let left = self.convert(target.ty, compute, before, span)?;
        let after = self.binary(op, compute, &left, &right);
        let values = self.convert(compute, target.ty, after, span)?;
        self.store(&place, &values)?;
        self.record_root(target);
        Ok((place, values))
    }

    /// The lvalue, and its value before and after.
    pub(super) fn step(
        &mut self,
        target: &Expr,
        increment: bool,
    ) -> Lower<(Lvalue, Values, Values)> {
        let span = self.builder.span;
        let place = self.place(target)?;
        let before = self.load(&place, span)?;
        let op = if increment { Binary::Add } else { Binary::Sub };
        let mut after = Values::with_capacity(before.len());
        for value in &before {
            let ty = self.builder.module.ty(*value);
            let one = self.constant(ty, ops::Fold::Product.identity(ty));
            after.push(match ty {
                // Incrementing a `bool` sets it.
                Ty::Bool => one,
                Ty::I16 | Ty::I32 | Ty::I64 | Ty::F16 | Ty::F32 | Ty::F64 => {
                    self.value(Op::Binary(op, *value, one), ty)
                }
            });
        }
        self.store(&place, &after)?;
        self.record_root(target);
        Ok((place, before, after))
    }

    // Conversions.

    #[inline(never)]
    fn convert_expr(&mut self, operand: &Expr, expr: &Expr) -> Lower<Values> {
        if let Type::Resource(
            ResourceType::Constant(structure) | ResourceType::TextureBuffer(structure),
        ) = self.program.types.get(operand.ty)
        {
            let place = self.place(expr)?;
            let values = self.load(&place, expr.span)?;
            return self.convert(structure, expr.ty, values, expr.span);
        }
        let values = self.expr(operand)?;
        self.convert(operand.ty, expr.ty, values, expr.span)
    }

    pub(super) fn convert(
        &mut self,
        from: TypeId,
        to: TypeId,
        values: Values,
        span: Span,
    ) -> Lower<Values> {
        if from == to {
            return Ok(values);
        }
        let count = self.leaves(to, span)?.len();
        let types = &self.program.types;
        if types.holds_resource(to) {
            // Resources convert to themselves, and structs of them to their bases.
            return Ok(values.into_iter().take(count).collect());
        }
        const MOST: usize = super::MOST_SCALARS as usize;
        let (Some(before), Some(after)) = (types.numbers(from, MOST), types.numbers(to, MOST))
        else {
            return Ok(values);
        };
        let is_packed = types.has_bit_fields(to);
        let values =
            if types.has_bit_fields(from) { self.unpacked(from, values, span)? } else { values };
        let types = &self.program.types;
        let mut converted = Values::with_capacity(after.len());
        for (source, to) in convert::sources(types, from, to).into_iter().zip(after) {
            let (Some(value), Some(from)) = (values.get(source), before.get(source)) else {
                continue;
            };
            converted.push(match convert::operation(*from, to, self.native_16bit) {
                Some(op) => self.value(Op::Unary(op, *value), to.ty(self.native_16bit)),
                None => *value,
            });
        }
        if is_packed { self.packed(to, converted, span) } else { Ok(converted) }
    }

    /// The numbers in a value with bit-fields, one by one.
    fn unpacked(&mut self, ty: TypeId, values: Values, span: Span) -> Lower<Values> {
        let mut numbers = Values::new();
        for place in self.number_places(Lvalue::whole(Location::Values(values), ty), span)? {
            numbers.extend(self.load(&place, span)?);
        }
        Ok(numbers)
    }

    /// A value with bit-fields, assembled from its numbers.
    fn packed(&mut self, ty: TypeId, numbers: Values, span: Span) -> Lower<Values> {
        let leaves = self.leaves(ty, span)?;
        let first = self.env.len();
        for leaf in leaves.iter() {
            // Bits outside of all fields are zero.
            let zero = self.constant(leaf.unwrap_or(Ty::I32), 0);
            self.env.push(*leaf, zero);
        }
        let whole = Lvalue::whole(Location::Slots { first }, ty);
        let mut numbers = numbers.as_slice();
        for place in self.number_places(whole.clone(), span)? {
            let count = if place.bits.is_some() { 1 } else { self.count(place.ty) as usize };
            let (these, rest) = numbers.split_at(count.min(numbers.len()));
            self.store(&place, these)?;
            numbers = rest;
        }
        let values = self.load(&whole, span);
        self.env.truncate(first);
        values
    }

    /// The lvalues of the numbers in a value with bit-fields, in order; a part without bit-fields stays whole.
    fn number_places(&mut self, whole: Lvalue, span: Span) -> Lower<Vec<Lvalue>> {
        let types = &self.program.types;
        if whole.bits.is_some() || !types.has_bit_fields(whole.ty) {
            return Ok(vec![whole]);
        }
        let mut places = Vec::new();
        match types.get(whole.ty) {
            _ if types.contents(whole.ty).numbers == 0 => {}
            Type::Struct(id) => {
                for (i, field) in (0..).zip(&types.structure(id).fields) {
                    if !field.hidden {
                        let place = self.field(whole.clone(), i, span)?;
                        places.extend(self.number_places(place, span)?);
                    }
                }
            }
            Type::Array { element, len } => {
                for i in 0..len {
                    let place = self.known_element(whole.clone(), i, element, span)?;
                    places.extend(self.number_places(place, span)?);
                }
            }
            Type::Void
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Matrix { .. }
            | Type::Resource(_)
            | Type::String
            | Type::Error => {}
        }
        Ok(places)
    }

    // Names for debuggers.

    /// Records the values of a variable from here on.
    pub(super) fn record(&mut self, local: LocalId) {
        const MOST_SCALARS: u32 = 16;
        const MOST_VALUES: usize = 1 << 20;
        let program = self.program;
        let frame = self.frame();
        let declared = &program.function(frame.function).locals[local.0 as usize];
        let count = self.count(declared.ty);
        let Storage::Slots { first } = *frame.local(local) else { return };
        if count > MOST_SCALARS || self.variable_values > MOST_VALUES {
            return;
        }
        let values: Values = (first..first + count).map(|slot| self.env.get(slot)).collect();
        if values.iter().any(|it| is_handle(*it)) {
            return;
        }
        self.variable_values += values.len();
        let span = self.builder.span;
        self.builder.module.variables.push(ir::Variable {
            name: declared.name.clone(),
            values,
            span,
        });
    }

    fn record_root(&mut self, mut target: &Expr) {
        loop {
            match &target.kind {
                ExprKind::Local(id) => return self.record(*id),
                ExprKind::Field(base, _)
                | ExprKind::Swizzle(base, _)
                | ExprKind::MatrixSwizzle(base, _)
                | ExprKind::Index(base, _) => target = base,
                _ => return,
            }
        }
    }
}
