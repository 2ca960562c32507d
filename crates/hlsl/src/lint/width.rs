//! Warnings about programs that assume a wave width: 32-bit masks for any number of lanes, arrays with one element for
//! each of too few waves, a `switch` over the number of lanes that omits widths.
//!
//! They look at the module, after inlining and SSA construction, so functions and variables hide nothing.
//! A program that tests the number of lanes is trusted: there are no warnings inside such an `if`. Deliberately absent:
//! anything that depends on values, which runs of the sanitizer find.

use std::cell::OnceCell;

use diag::{Diagnostic, code};
use ir::{InstData, Module, Op, Region, Value};
use ops::scalar::{Binary, Ternary};
use ops::wave::{Operands, Results, Signature};
use ops::{WIDTHS, WaveOp};

/// The longest chain of instructions through which a value is traced; longer ones have nothing to do with widths.
const MOST_STEPS: usize = 64;

pub(crate) fn width(module: &Module) -> Vec<Diagnostic> {
    let mut reader = Reader { module, used: OnceCell::new(), reports: Vec::new() };
    reader.walk();
    reader.reports
}

struct Reader<'a> {
    module: &'a Module,
    /// The values that instructions use, computed lazily: few modules need it.
    used: OnceCell<Vec<bool>>,
    reports: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Uses an explicit stack, since regions nest deeply.
    fn walk(&mut self) {
        let mut open: Vec<(Region, bool)> = vec![(self.module.body, false)];
        while let Some((region, is_guarded)) = open.pop() {
            for inst in &self.module.region(region).insts {
                let data = self.module.inst(*inst);
                if !is_guarded {
                    self.inst(data);
                }
                let guards = data.op.selector().is_some_and(|it| self.depends_on_width(it));
                let inner = data.op.regions().into_iter();
                open.extend(inner.map(|it| (it, is_guarded || guards)));
            }
        }
    }

    fn inst(&mut self, data: &InstData) {
        match &data.op {
            Op::Wave { op, lanes: None, .. } if op.chooses_lanes() => self.truncated_ballot(data),
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

    /// Warns about a ballot of which only the first word is used.
    fn truncated_ballot(&mut self, data: &InstData) {
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
                "only the first 32 bits of this set of lanes are used",
            )
            .note(format!("waves have up to {most} lanes; those from 32 on are in `.y`, `.z` and `.w`"))
            .help("to count all lanes, use `WaveActiveCountBits`, `WavePrefixCountBits` or `countbits` of all four words")
            .help("if the shader only runs with narrow waves, state it: `[WaveSize(4, 32)]`"),
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
                "a 32-bit mask has no bits for the lanes from 32 on",
            )
            .note(format!(
                "waves have up to {} lanes; lane 32 gets the bit of lane 0",
                self.widest()
            ))
            .help("use a `uint4` for a set of lanes: bit `lane % 32` of the component `lane / 32`")
            .help("if the shader only runs with narrow waves, state it: `[WaveSize(4, 32)]`"),
        );
    }

    /// Warns about an array with one element for each wave that is too short for narrow waves.
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
        // Splitting an array of vectors or structs may have given it more elements than its declaration has.
        let name = memory.name.split(['.', '[']).next().unwrap_or("");
        self.reports.push(
            Diagnostic::new(
                &code::ASSUMED_WAVE_COUNT,
                data.span,
                format!("`{name}` has elements for {places} waves, but a group can have {waves}"),
            )
            .also(memory.span, "declared here")
            .note(format!(
                "this shader allows waves of {narrowest} lanes, of which {threads} threads need {waves}"
            ))
            .help(format!("make it {waves} elements long, or state the widths with `[WaveSize]`")),
        );
    }

    fn lane_count_switch(&mut self, data: &InstData, labels: Vec<u64>, has_default: bool) {
        let (narrowest, widest) = (self.narrowest(), self.widest_stated());
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
                format!("this `switch` has no case for waves of {} lanes", missing.join(", ")),
            )
            .help("add a `default`, or state the widths with `[WaveSize]`"),
        );
    }

    /// The smallest wave width that the shader allows.
    fn narrowest(&self) -> u32 {
        match self.module.wave_size.min {
            0 => WIDTHS[0],
            min => min,
        }
    }

    /// One more than the highest lane that can exist: a group of few threads does not fill wide waves.
    fn widest(&self) -> u32 {
        let group = self.module.threads_per_group().next_power_of_two().max(WIDTHS[0]);
        self.widest_stated().min(group)
    }

    fn widest_stated(&self) -> u32 {
        let size = self.module.wave_size;
        match (size.min, size.max) {
            // Slang's functions with wave masks only take 32-bit masks.
            (0, _) if self.module.needs.wave_masks => 32,
            (0, _) => WIDTHS[WIDTHS.len() - 1],
            (only, 0) => only,
            (_, max) => max,
        }
    }

    fn op(&self, value: Value) -> Option<&Op> {
        self.module.made_by(value).map(|it| &self.module.inst(it).op)
    }

    fn is_wave(&self, value: Value, wanted: WaveOp) -> bool {
        matches!(self.op(value), Some(Op::Wave { op, .. }) if *op == wanted)
    }

    /// The stride between the elements of neighbouring waves, if an index is a wave's number: a quotient by the number
    /// of lanes, possibly with a constant factor and summand.
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
                // Bounds checks on an array of vectors select a constant index that is out of range.
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

    /// Whether a value is computed from the number of lanes or of waves, or from the lane's or wave's index.
    fn depends_on_width(&self, value: Value) -> bool {
        let mut next = vec![value];
        for _ in 0..MOST_STEPS {
            let Some(value) = next.pop() else { return false };
            match self.op(value) {
                Some(Op::Wave { op, .. }) => {
                    // An index or a number, of lanes or of waves.
                    let Signature { operands, results } = op.facts().signature;
                    if (operands, results) == (Operands::None, Results::Word) {
                        return true;
                    }
                }
                Some(op) if op.is_elementwise() => next.extend(op.operands()),
                _ => {}
            }
        }
        false
    }
}
