//! The values of expressions, lane by lane.

use super::values::{
    Vals, binary, boolean, cast, compare, double, int, integer, negate, number, pairs, wrap, zero,
};
use super::waves::Call;
use super::{Active, Frame, Tangle, Val, Wave};
use crate::{Expr, ExprKind, Kind};

impl Wave<'_> {
    /// The value of an expression in each lane of the tangle; other lanes do not matter.
    pub(super) fn expr(&mut self, it: &Expr, lanes: Tangle, frame: &Frame<'_>) -> Vec<Vals> {
        debug_assert!(frame.function.locals.len() == frame.locals.len());
        if lanes.is_empty() {
            return vec![Vals::default(); self.width as usize];
        }
        let kind = it.ty.kind;
        match &it.kind {
            ExprKind::Literal(values) => {
                let value: Vals = values.iter().map(|value| number(kind, *value)).collect();
                self.each(lanes, |_| value.clone())
            }
            ExprKind::Local(local) => self.each(lanes, |lane| frame.locals[*local][lane].clone()),
            ExprKind::Thread => {
                self.each(lanes, |lane| Vals::one(Val::Int(i128::from(self.thread(lane as u32)))))
            }
            ExprKind::Lane => self.each(lanes, |lane| Vals::one(Val::Int(lane as i128))),
            ExprKind::Group => {
                let number = i128::from(self.group.number);
                self.each(lanes, |_| Vals::one(Val::Int(number)))
            }
            ExprKind::Payload(index) => {
                let index = self.expr(index, lanes, frame);
                self.each(lanes, |lane| Vals::one(self.group.received(int(&index[lane]))))
            }
            ExprKind::Neg(a) => self.map(a, lanes, frame, |value| negate(kind, value)),
            ExprKind::Not(a) => self.map(a, lanes, frame, |value| Val::Bool(!boolean(value))),
            ExprKind::Shift { left, value, by } => self.map(value, lanes, frame, |value| {
                let value = integer(value);
                Val::Int(wrap(kind, if *left { value << by } else { value >> by }))
            }),
            ExprKind::Cast(a) => self.map(a, lanes, frame, |value| cast(a.ty.kind, kind, value)),
            ExprKind::Bin(op, a, b) => {
                self.map_pairs([a, b], lanes, frame, |a, b| binary(kind, *op, a, b))
            }
            ExprKind::Cmp(op, a, b) => {
                self.map_pairs([a, b], lanes, frame, |a, b| Val::Bool(compare(*op, a, b)))
            }
            ExprKind::Component(a, component) => {
                let a = self.expr(a, lanes, frame);
                self.each(lanes, |lane| {
                    Vals::one(a[lane][*component]).undefined_if(a[lane].is_undefined())
                })
            }
            ExprKind::Make(parts) => {
                let parts: Vec<_> = parts.iter().map(|it| self.expr(it, lanes, frame)).collect();
                self.each(lanes, |lane| {
                    let whole: Vals =
                        parts.iter().flat_map(|it| it[lane].iter()).copied().collect();
                    whole.undefined_if(parts.iter().any(|it| it[lane].is_undefined()))
                })
            }
            ExprKind::Logic { and, lhs, rhs } => self.logic(*and, [lhs, rhs], lanes, frame),
            ExprKind::Conditional(condition, a, b) => self.joined(|wave| {
                let (yes, no) = wave.split(condition, lanes, frame);
                let (a, b) = (wave.expr(a, yes, frame), wave.expr(b, no, frame));
                let taken = |lane| if yes.contains(lane as u32) { &a[lane] } else { &b[lane] };
                wave.each(lanes, |lane| taken(lane).clone())
            }),
            ExprKind::Wave { intrinsic, args } => {
                let kinds: Vec<Kind> = args.iter().map(|it| it.ty.kind).collect();
                let args: Vec<_> = args.iter().map(|it| self.expr(it, lanes, frame)).collect();
                self.wave(it, intrinsic.name, &kinds, &args, lanes)
            }
            ExprKind::Peer(flip) => {
                let active = self.participants(lanes);
                self.each(lanes, |lane| {
                    let (lane, other) = (lane as u32, lane as u32 ^ flip);
                    let peer = if active.contains(other) { other } else { lane };
                    let is_undefined = self.excluded().contains(lane);
                    Vals::one(Val::Int(i128::from(peer))).undefined_if(is_undefined)
                })
            }
            ExprKind::Derivative { down, fine, value } => {
                let values = self.expr(value, lanes, frame);
                self.derivative(*down, *fine, &values, lanes)
            }
            ExprKind::Call(function, argument) => {
                let argument = self.expr(argument, lanes, frame);
                let returned = self.call(*function, lanes, Some(argument));
                // Lanes that retire in the function return nothing, and nothing reads what is put here.
                self.each(lanes, |lane| returned[lane].clone().unwrap_or_else(|| zero(it.ty)))
            }
        }
    }

    /// A value for each lane of the tangle, and nothing for the others.
    fn each(&self, lanes: Tangle, value: impl Fn(usize) -> Vals) -> Vec<Vals> {
        let mut result = vec![Vals::default(); self.width as usize];
        for lane in lanes {
            result[lane as usize] = value(lane as usize).undefined_if(self.astray.contains(lane));
        }
        result
    }

    /// Evaluates an expression with arms; lanes that take an undefined one are together with the others behind it.
    fn joined(&mut self, evaluate: impl FnOnce(&mut Self) -> Vec<Vals>) -> Vec<Vals> {
        let before = self.astray;
        let values = evaluate(self);
        if !self.is_lost {
            self.astray = before;
        }
        values
    }

    /// Applies an operation to each component.
    fn map(
        &mut self,
        a: &Expr,
        lanes: Tangle,
        frame: &Frame<'_>,
        op: impl Fn(Val) -> Val,
    ) -> Vec<Vals> {
        let a = self.expr(a, lanes, frame);
        self.each(lanes, |lane| {
            let each: Vals = a[lane].iter().map(|value| op(*value)).collect();
            each.undefined_if(a[lane].is_undefined())
        })
    }

    /// Applies an operation to each pair of components.
    fn map_pairs(
        &mut self,
        [a, b]: [&Expr; 2],
        lanes: Tangle,
        frame: &Frame<'_>,
        op: impl Fn(Val, Val) -> Val,
    ) -> Vec<Vals> {
        let (a, b) = (self.expr(a, lanes, frame), self.expr(b, lanes, frame));
        self.each(lanes, |lane| pairs(&a[lane], &b[lane], &op))
    }

    /// `&&` and `||`, with short circuits.
    fn logic(
        &mut self,
        and: bool,
        [lhs, rhs]: [&Expr; 2],
        lanes: Tangle,
        frame: &Frame<'_>,
    ) -> Vec<Vals> {
        self.joined(|wave| {
            let (yes, no) = wave.split(lhs, lanes, frame);
            let (ask, known) = if and { (yes, no) } else { (no, yes) };
            let (right, _) = wave.split(rhs, ask, frame);
            wave.each(lanes, |lane| {
                let lane = lane as u32;
                Vals::one(Val::Bool(if known.contains(lane) { !and } else { right.contains(lane) }))
            })
        })
    }

    /// A call of a wave function by the lanes of a tangle.
    fn wave(
        &mut self,
        it: &Expr,
        name: &'static str,
        kinds: &[Kind],
        args: &[Vec<Vals>],
        lanes: Tangle,
    ) -> Vec<Vals> {
        let active = match lanes.len() {
            all if all == self.lanes => Active::All,
            1 => Active::One,
            _ => Active::Some,
        };
        *self.seen.observed.calls.entry((name, active)).or_default() += 1;
        let call = Call {
            name,
            ty: it.ty,
            kinds,
            args,
            lanes: self.present(lanes),
            active: self.participants(lanes),
            wave: self,
        };
        let results = call.run();
        self.each(lanes, |lane| match self.gone.contains(lane as u32) {
            true => zero(it.ty),
            false => results[lane].clone(),
        })
    }

    /// The difference between two lanes of a quad.
    fn derivative(&self, down: bool, fine: bool, values: &[Vals], lanes: Tangle) -> Vec<Vals> {
        let step = if down { 2 } else { 1 };
        self.each(lanes, |lane| {
            let lane = lane as u32;
            let from = if fine { lane & !step } else { lane & !3 };
            let held = |other: u32| {
                let is_there = lanes.contains(other);
                let value = &values[if is_there { other } else { lane } as usize];
                (double(value[0]), !is_there || value.is_undefined())
            };
            let ((end, one), (start, other)) = (held(from + step), held(from));
            Vals::one(Val::Float((end - start) % 16.0)).undefined_if(one || other)
        })
    }
}
