//! Linear-scan register allocation: assigns a row of lanes to every value; values with disjoint live ranges share
//! rows.
//!
//! Execution follows the text except for the back edges of loops, so a live range is an interval of the walk.
//! Each step has two positions: operands are read at the even one, and an elementwise result is written at the odd
//! one and may take the row of an operand whose live range ends there.
//! Constants have no interval: their rows are filled once and never overwritten.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use ir::{Inst, Module, Op, Value};
use ops::Repr;

use crate::code::{Constant, Row, RowCounts};
use crate::walk::{Event, Walk};

/// The row of each value.
pub(crate) struct Allocation {
    rows: Vec<Option<Row>>,
    pub(crate) counts: RowCounts,
    /// The number of rows before those of values that only notes need.
    pub(crate) own: RowCounts,
    pub(crate) constants: Vec<Constant>,
}

impl Allocation {
    pub(crate) fn row(&self, value: Value) -> Row {
        self.rows[value.index()].unwrap_or_else(|| unreachable!("{value} is used, so it has a row"))
    }

    /// An additional row, for the parallel copies at the back edge of a loop.
    pub(crate) fn extra(&mut self, repr: Repr) -> Row {
        let count = self.counts.of(repr);
        *count += 1;
        Row::new(repr, *count - 1)
    }
}

/// Allocates rows. Values that only notes need get separate rows, behind all others.
pub(crate) fn allocate(module: &Module, only_noted: &dyn Fn(Value) -> bool) -> Allocation {
    let mut lives = Lives::new(module, only_noted);
    for (step, event) in Walk::new(module).enumerate() {
        lives.visit(2 * step as u32, event);
    }
    lives.scan()
}

/// A live range, both ends included.
#[derive(Clone, Copy)]
struct Interval {
    start: u32,
    end: u32,
}

struct OpenLoop {
    construct: Inst,
    begin: u32,
    /// Live-in values: defined outside and used inside, so that every iteration needs them.
    carried: Vec<Value>,
}

struct Lives<'m> {
    module: &'m Module,
    /// Empty if there are none.
    only_noted: Vec<bool>,
    intervals: Vec<Option<Interval>>,
    /// The value whose row this one shares; its interval includes this one's.
    merged: Vec<Option<Value>>,
    begins: BTreeMap<Inst, u32>,
    loops: Vec<OpenLoop>,
    /// The constructs with an open region, and the index of that region.
    open: Vec<(Option<Inst>, usize)>,
    constants: BTreeMap<(u8, u64, bool), Row>,
    allocation: Allocation,
}

impl<'m> Lives<'m> {
    fn new(module: &'m Module, only_noted: &dyn Fn(Value) -> bool) -> Lives<'m> {
        let n = module.values.len();
        let allocation = Allocation {
            rows: vec![None; n],
            counts: RowCounts::default(),
            own: RowCounts::default(),
            constants: Vec::new(),
        };
        let only_noted = match module.has_notes() {
            true => (0..n as u32).map(|it| only_noted(Value(it))).collect(),
            false => Vec::new(),
        };
        Lives {
            module,
            only_noted,
            intervals: vec![None; n],
            merged: vec![None; n],
            begins: BTreeMap::new(),
            loops: Vec::new(),
            open: Vec::new(),
            constants: BTreeMap::new(),
            allocation,
        }
    }

    fn visit(&mut self, now: u32, event: Event) {
        match event {
            Event::Plain(inst) => self.plain(now, inst),
            Event::Begin(inst) => self.begin(now, inst),
            Event::Open { construct, index, .. } => {
                self.open.push((construct, index));
                let Some(construct) = construct else { return };
                if let Op::Switch { cases, inits, .. } = &self.module.inst(construct).op {
                    self.use_all(now, inits);
                    self.define_all(now, &self.module.region(cases[index].body).params);
                }
            }
            Event::Terminator(inst) => self.terminator(now, inst),
            Event::Close { construct, .. } => {
                self.open.pop();
                if self.loops.last().is_some_and(|it| Some(it.construct) == construct) {
                    self.close_loop(now);
                }
            }
            Event::End(inst) => self.use_all(now, &self.module.inst(inst).results),
        }
    }

    fn plain(&mut self, now: u32, inst: Inst) {
        let data = self.module.inst(inst);
        match data.op {
            Op::Const { ty, bits } => {
                return self.constant(data.results[0], ty.repr(), bits, false);
            }
            Op::Undef(ty) => return self.constant(data.results[0], ty.repr(), 0, true),
            _ => {}
        }
        self.use_all(now, &data.op.operands());
        let now = if data.op.is_elementwise() { now + 1 } else { now };
        self.define_all(now, &data.results);
    }

    fn begin(&mut self, now: u32, inst: Inst) {
        let data = self.module.inst(inst);
        self.use_all(now, &data.op.operands());
        self.begins.insert(inst, now);
        match &data.op {
            // Its results are written at the end of the first arm; see `terminator`.
            Op::If { .. } => {}
            Op::Loop { body, .. } => {
                self.define_all(now, &self.module.region(*body).params);
                self.define_all(now, &data.results);
                self.loops.push(OpenLoop { construct: inst, begin: now, carried: Vec::new() });
            }
            Op::Switch { .. } | Op::Block { .. } => self.define_all(now, &data.results),
            _ => unreachable!("the walk begins constructs only"),
        }
    }

    fn terminator(&mut self, now: u32, inst: Inst) {
        self.use_all(now, &self.module.inst(inst).op.operands());
        let Some((Some(construct), index)) = self.open.last().copied() else { return };
        let data = self.module.inst(construct);
        match &data.op {
            Op::If { .. } if index == 0 => {
                self.define_all(now, &data.results);
                let Op::Yield(args) = &self.module.inst(inst).op else { return };
                let begin = self.begins[&construct];
                for (result, arg) in data.results.iter().zip(args) {
                    self.merge_into_result(*arg, *result, begin);
                }
            }
            Op::Switch { cases, .. } => {
                if let Some(next) = cases.get(index + 1) {
                    self.define_all(now, &self.module.region(next.body).params);
                }
            }
            Op::Loop { body, .. } => {
                let Op::Yield(args) = &self.module.inst(inst).op else { return };
                for (param, arg) in self.module.region(*body).params.iter().zip(args) {
                    self.merge_into_param(*arg, *param);
                }
            }
            _ => {}
        }
    }

    fn close_loop(&mut self, now: u32) {
        let Some(closed) = self.loops.pop() else { return };
        self.extend_all(now, &closed.carried);
        if let Op::Loop { body, .. } = &self.module.inst(closed.construct).op {
            self.extend_all(now, &self.module.region(*body).params);
        }
    }

    fn define_all(&mut self, at: u32, values: &[Value]) {
        for value in values {
            self.intervals[value.index()].get_or_insert(Interval { start: at, end: at });
        }
    }

    fn use_all(&mut self, now: u32, values: &[Value]) {
        self.extend_all(now, values);
        for value in values {
            let Some(interval) = self.intervals[value.index()] else { continue };
            if let Some(outermost) = self.loops.iter_mut().find(|it| it.begin > interval.start) {
                outermost.carried.push(*value);
            }
        }
    }

    fn extend_all(&mut self, to: u32, values: &[Value]) {
        for value in values {
            let root = self.root(*value);
            for value in [*value, root] {
                if let Some(interval) = &mut self.intervals[value.index()] {
                    interval.end = interval.end.max(to);
                }
            }
        }
    }

    fn root(&self, mut value: Value) -> Value {
        while let Some(next) = self.merged[value.index()] {
            value = next;
        }
        value
    }

    /// Coalescing: a value of the first arm of an `if` can be computed in the row of the result, because the second
    /// arm does not need that row.
    fn merge_into_result(&mut self, arg: Value, result: Value, begin: u32) {
        let Some(own) = self.intervals[arg.index()] else { return };
        let fits =
            own.start > begin && self.merged[arg.index()].is_none() && self.same_class(arg, result);
        if let (true, Some(interval)) = (fits, &mut self.intervals[result.index()]) {
            interval.start = interval.start.min(own.start);
            self.merged[arg.index()] = Some(result);
        }
    }

    /// Coalescing: a value for the next iteration can be computed in the row of the parameter if this iteration no
    /// longer needs the parameter.
    fn merge_into_param(&mut self, arg: Value, param: Value) {
        let (Some(own), Some(old)) = (self.intervals[arg.index()], self.intervals[param.index()])
        else {
            return;
        };
        let fits = own.start > old.end
            && self.merged[arg.index()].is_none()
            && self.same_class(arg, param);
        if fits {
            self.merged[arg.index()] = Some(param);
            self.extend_all(own.end, &[param]);
        }
    }

    /// Whether two values may share a row.
    fn same_class(&self, a: Value, b: Value) -> bool {
        self.module.ty(a).repr() == self.module.ty(b).repr()
            && self.is_only_noted(a) == self.is_only_noted(b)
    }

    fn is_only_noted(&self, value: Value) -> bool {
        self.only_noted.get(value.index()).copied().unwrap_or(false)
    }

    fn constant(&mut self, value: Value, repr: Repr, bits: u64, poisoned: bool) {
        let allocation = &mut self.allocation;
        let row = *self.constants.entry((repr as u8, bits, poisoned)).or_insert_with(|| {
            let row = allocation.extra(repr);
            allocation.constants.push(Constant { row, bits, poisoned });
            row
        });
        self.allocation.rows[value.index()] = Some(row);
    }

    /// The linear scan.
    fn scan(mut self) -> Allocation {
        self.scan_class(false);
        self.allocation.own = self.allocation.counts;
        if !self.only_noted.is_empty() {
            self.scan_class(true);
        }
        for value in 0..self.merged.len() {
            if self.merged[value].is_some() {
                let root = self.root(Value(value as u32));
                self.allocation.rows[value] = self.allocation.rows[root.index()];
            }
        }
        self.allocation
    }

    fn scan_class(&mut self, only_noted: bool) {
        let mut order: Vec<(u32, u32, usize)> = (self.intervals.iter().enumerate())
            .filter(|(value, _)| self.merged[*value].is_none())
            .filter(|(value, _)| self.is_only_noted(Value(*value as u32)) == only_noted)
            .filter_map(|(value, interval)| interval.map(|it| (it.start, it.end, value)))
            .collect();
        order.sort_unstable();
        let mut busy: [BinaryHeap<Reverse<(u32, Row)>>; 3] = Default::default();
        let mut free: [Vec<Row>; 3] = Default::default();
        for (start, end, value) in order {
            let repr = self.module.values[value].ty.repr();
            let (busy, free) = (&mut busy[repr as usize], &mut free[repr as usize]);
            while let Some(Reverse((ended, row))) = busy.peek().copied()
                && ended < start
            {
                busy.pop();
                free.push(row);
            }
            let row = free.pop().unwrap_or_else(|| self.allocation.extra(repr));
            busy.push(Reverse((end, row)));
            self.allocation.rows[value] = Some(row);
        }
    }
}
