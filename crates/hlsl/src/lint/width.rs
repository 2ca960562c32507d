//! Warnings about programs that take a width for granted: masks of 32 bits for any number of lanes, arrays with a place for
//! each of too few waves, a `switch` over the number of lanes that leaves widths out.
//!
//! They look at the module, where inlining and renaming are done: what a function or a variable hides is seen all the same.
//! Whoever asks for the number of lanes before is trusted to have the answer in mind: nothing is said inside of an `if` about
//! it. Deliberately absent: anything that depends on values; runs of the sanitizer see those.

use std::cell::OnceCell;

use diag::{Diagnostic, code};
use ir::{Inst, InstData, Module, Op, Region, Value, ValueDef};
use ops::WaveOp;
use ops::scalar::{Binary, Ternary};

/// The widths that there are.
const WIDTHS: [u32; 6] = [4, 8, 16, 32, 64, 128];

/// So far a value is followed back; longer chains say nothing of widths.
const MOST_STEPS: usize = 64;

pub(crate) fn width(module: &Module) -> Vec<Diagnostic> {
    let mut reader = Reader { module, used: OnceCell::new(), reports: Vec::new() };
    reader.walk();
    reader.reports
}

struct Reader<'a> {
    module: &'a Module,
    /// The values that some instruction takes; only few modules make us ask.
    used: OnceCell<Vec<bool>>,
    reports: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// With a stack of its own: regions nest deeply.
    fn walk(&mut self) {
        let mut open: Vec<(Region, bool)> = vec![(self.module.body, false)];
        while let Some((region, is_guarded)) = open.pop() {
            for inst in &self.module.region(region).insts {
                let data = self.module.inst(*inst);
                if !is_guarded {
                    self.inst(data);
                }
                let guards = match data.op {
                    Op::If { cond, .. } => self.asks_for_lanes(cond),
                    Op::Switch { selector, .. } => self.asks_for_lanes(selector),
                    _ => false,
                };
                let inner = data.op.regions().into_iter();
                open.extend(inner.map(|it| (it, is_guarded || guards)));
            }
        }
    }

    fn inst(&mut self, data: &InstData) {
        match &data.op {
            Op::Wave { op, lanes: None, .. } if op.chooses_lanes() => self.cut(data),
            Op::Binary(Binary::Shl, one, count) => self.lane_bit(data, *one, *count),
            Op::SharedLoad { memory, index }
            | Op::SharedStore { memory, index, .. }
            | Op::SharedAtomic { memory, index, .. } => self.wave_slot(data, *memory, *index),
            Op::Switch { selector, cases, .. } if self.is_wave(*selector, WaveOp::LaneCount) => {
                let labels = cases.iter().flat_map(|it| &it.labels).copied();
                self.lane_count_switch(data, labels.collect(), cases.iter().any(|it| it.default));
            }
            _ => {}
        }
    }

    fn used(&self) -> &[bool] {
        self.used.get_or_init(|| ir::flow::used(self.module))
    }

    /// A set of lanes of which only the first word is used.
    fn cut(&mut self, data: &InstData) {
        let [first, rest @ ..] = data.results.as_slice() else { return };
        let is_used = |it: &Value| self.used()[it.index()];
        if self.widest() <= 32 || !is_used(first) || rest.iter().any(is_used) {
            return;
        }
        let most = self.widest();
        self.reports.push(
            Diagnostic::new(
                &code::NARROW_LANE_MASK,
                data.span,
                "of this set of lanes only the first 32 bits are used",
            )
            .note(format!("waves have up to {most} lanes, and those from 32 on are in `.y`, `.z` and `.w`"))
            .help("`WaveActiveCountBits`, `WavePrefixCountBits` or `countbits` of all four words count all lanes")
            .help("a shader that runs with narrow waves only says so: `[WaveSize(4, 32)]`"),
        );
    }

    /// `1u << lane`
    fn lane_bit(&mut self, data: &InstData, one: Value, count: Value) {
        let is_one = matches!(self.op(one), Some(Op::Const { ty, bits: 1 }) if *ty == ops::Ty::I32);
        if self.widest() <= 32 || !is_one || !self.is_wave(count, WaveOp::LaneIndex) {
            return;
        }
        self.reports.push(
            Diagnostic::new(
                &code::NARROW_LANE_MASK,
                data.span,
                "32 bits have no place for the lanes from 32 on",
            )
            .note(format!(
                "waves have up to {} lanes; lane 32 gets the bit of lane 0",
                self.widest()
            ))
            .help("a set of lanes is a `uint4`: bit `lane % 32` of the component `lane / 32`")
            .help("a shader that runs with narrow waves only says so: `[WaveSize(4, 32)]`"),
        );
    }

    /// An array with an element for each wave of the group.
    fn wave_slot(&mut self, data: &InstData, memory: ir::Shared, index: Value) {
        let Some(stride) = self.strides_by_wave(index) else { return };
        let memory = &self.module.groupshared[memory.index()];
        let threads = self.module.threads_per_group();
        let narrowest = self.narrowest();
        let waves = u64::from(threads.div_ceil(narrowest));
        let places = u64::from(memory.len) / stride.max(1);
        if waves <= places {
            return;
        }
        // What an array of vectors or structures was taken apart into has more elements than its declaration says.
        let name = memory.name.split(['.', '[']).next().unwrap_or("");
        self.reports.push(
            Diagnostic::new(
                &code::ASSUMED_WAVE_COUNT,
                data.span,
                format!("`{name}` has places for {places} waves, and a group can have {waves}"),
            )
            .also(memory.span, "declared here")
            .note(format!(
                "{threads} threads are {waves} waves of {narrowest} lanes, which this shader allows"
            ))
            .help(format!("make it {waves} elements long, or state the widths with `[WaveSize]`")),
        );
    }

    fn lane_count_switch(&mut self, data: &InstData, labels: Vec<u64>, has_default: bool) {
        let (narrowest, widest) = (self.narrowest(), self.widest());
        let missing: Vec<String> = WIDTHS
            .iter()
            .filter(|it| (narrowest..=widest).contains(it) && !labels.contains(&u64::from(**it)))
            .map(u32::to_string)
            .collect();
        if has_default || missing.is_empty() {
            return;
        }
        self.reports.push(
            Diagnostic::new(
                &code::LANE_COUNT_SWITCH,
                data.span,
                format!("nothing is done for waves of {} lanes", missing.join(", ")),
            )
            .help("add a `default`, or state the widths with `[WaveSize]`"),
        );
    }

    /// The narrowest waves that the shader allows.
    fn narrowest(&self) -> u32 {
        match self.module.wave_size.min {
            0 => WIDTHS[0],
            min => min,
        }
    }

    fn widest(&self) -> u32 {
        let size = self.module.wave_size;
        match (size.min, size.max) {
            // Masks of 32 bits are all that Slang's functions of that kind take.
            (0, _) if self.module.needs.wave_masks => 32,
            (0, _) => WIDTHS[WIDTHS.len() - 1],
            (only, 0) => only,
            (_, max) => max,
        }
    }

    fn op(&self, value: Value) -> Option<&Op> {
        self.inst_of(value).map(|it| &self.module.inst(it).op)
    }

    fn inst_of(&self, value: Value) -> Option<Inst> {
        match self.module.values[value.index()].def {
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Param(..) => None,
        }
    }

    fn is_wave(&self, value: Value, wanted: WaveOp) -> bool {
        matches!(self.op(value), Some(Op::Wave { op, .. }) if *op == wanted)
    }

    /// The distance between the elements of neighbouring waves, where an index is the number of a wave: a quotient by the
    /// number of lanes, alone or with a constant factor and summand.
    fn strides_by_wave(&self, mut index: Value) -> Option<u64> {
        let constant = |value: Value| match self.op(value) {
            Some(Op::Const { bits, .. }) => Some(*bits),
            _ => None,
        };
        let mut stride: u64 = 1;
        for _ in 0..MOST_STEPS {
            index = match self.op(index)? {
                Op::Wave { op: WaveOp::GroupWaveIndex, .. } => return Some(stride),
                Op::Binary(Binary::Div(_), _, by) => {
                    return self.is_wave(*by, WaveOp::LaneCount).then_some(stride);
                }
                Op::Binary(Binary::Mul, a, b) => match (constant(*a), constant(*b)) {
                    (None, Some(factor)) => {
                        stride = stride.checked_mul(factor)?;
                        *a
                    }
                    (Some(factor), None) => {
                        stride = stride.checked_mul(factor)?;
                        *b
                    }
                    _ => return None,
                },
                // An index of a vector's array is brought out of range as a whole.
                Op::Ternary(Ternary::Select, [_, inside, outside]) => {
                    constant(*outside)?;
                    *inside
                }
                Op::Binary(Binary::Add, a, b) => match (constant(*a), constant(*b)) {
                    (None, Some(_)) => *a,
                    (Some(_), None) => *b,
                    _ => return None,
                },
                _ => return None,
            };
        }
        None
    }

    /// Whether a value is computed from the number of lanes, or from a lane's own.
    fn asks_for_lanes(&self, value: Value) -> bool {
        let mut next = vec![value];
        for _ in 0..MOST_STEPS {
            let Some(value) = next.pop() else { return false };
            match self.op(value) {
                Some(Op::Wave { op, .. }) => {
                    let asks = [
                        WaveOp::LaneCount,
                        WaveOp::LaneIndex,
                        WaveOp::GroupWaveIndex,
                        WaveOp::GroupWaveCount,
                    ];
                    if asks.contains(op) {
                        return true;
                    }
                }
                Some(op @ (Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Ternary(..))) => {
                    next.extend(op.operands());
                }
                _ => {}
            }
        }
        false
    }
}
