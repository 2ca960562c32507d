//! Wave operations: they pass rows to [`ops::wave::eval`], which defines their meaning, and write back its results.

use ops::wave::{self, FoldOrder, Lanes, LanesMut, Wave};
use ops::{LaneMask, Repr, WaveOp};

use crate::HelperPolicy;
use crate::buffers::MOST_WIDTH;
use crate::code::{Row, WaveCode};
use crate::machine::{Machine, WaveState};
use crate::observe::{At, Observer, WaveEvent};
use crate::registers::Registers;

/// The largest number of results of any operation: the words of a lane set.
const MOST_RESULTS: usize = 4;

/// Buffers for results, which must not overlap the operands.
pub(crate) struct WaveScratch {
    bits: LaneMask,
    words: [[u32; MOST_WIDTH]; MOST_RESULTS],
    longs: [u64; MOST_WIDTH],
}

impl Default for WaveScratch {
    fn default() -> WaveScratch {
        WaveScratch {
            bits: LaneMask::EMPTY,
            words: [[0; MOST_WIDTH]; MOST_RESULTS],
            longs: [0; MOST_WIDTH],
        }
    }
}

impl WaveScratch {
    /// Runs an operation; the results have the representations of the given rows.
    fn eval(&mut self, order: FoldOrder, code: &WaveCode, wave: &Wave, args: &[Lanes<'_>]) {
        let eval = |out: &mut [LanesMut<'_>]| {
            wave::eval_in(order, code.op, code.ty, wave, args, out);
        };
        match code.results[0].repr() {
            Repr::Bit => eval(&mut [LanesMut::Bits(&mut self.bits)]),
            Repr::Long => eval(&mut [LanesMut::Longs(&mut self.longs)]),
            Repr::Word => {
                let mut out = self.words.each_mut().map(|it| LanesMut::Words(it));
                eval(&mut out[..code.results.len().min(MOST_RESULTS)]);
            }
        }
    }

    fn result(&self, index: usize, row: Row) -> Lanes<'_> {
        match row.repr() {
            Repr::Bit => Lanes::Bits(self.bits),
            Repr::Word => Lanes::Words(&self.words[index]),
            Repr::Long => Lanes::Longs(&self.longs),
        }
    }

    /// Writes the results into their rows, for the given lanes.
    fn write(&self, code: &WaveCode, registers: &mut Registers, width: u32, lanes: LaneMask) {
        let all = lanes == LaneMask::first_n(width);
        let n = width as usize;
        for (row, words) in code.results.iter().zip(&self.words) {
            match row.repr() {
                Repr::Bit => {
                    let old = registers.bits(*row);
                    registers.set_bits(*row, old & !lanes | self.bits & lanes);
                }
                Repr::Word if all => registers.words_mut(*row)[..n].copy_from_slice(&words[..n]),
                Repr::Long if all => {
                    registers.longs_mut(*row)[..n].copy_from_slice(&self.longs[..n])
                }
                Repr::Word | Repr::Long => {
                    let result = if row.repr() == Repr::Word {
                        Lanes::Words(words)
                    } else {
                        Lanes::Longs(&self.longs)
                    };
                    lanes.iter().for_each(|lane| registers.set(*row, lane, result.get(lane)));
                }
            }
        }
    }
}

impl<O: Observer> Machine<'_, O> {
    pub(crate) fn wave_op(
        &mut self,
        group: [u32; 3],
        state: &mut WaveState,
        code: &WaveCode,
        pc: usize,
        active: LaneMask,
    ) {
        let Some(lanes) = code.lanes else {
            let everyone = LaneMask::first_n(self.width);
            let poison = self.wave_op_by(group, state, code, pc, active, active, None);
            self.scratch.write(code, &mut state.registers, self.width, everyone);
            if O::POISON {
                code.results.iter().for_each(|row| state.registers.set_poison(*row, poison));
            }
            return;
        };
        // Lanes that name the same set run the operation together. The results of one group may be written before
        // the next one reads its operands, because no result shares a row with an operand.
        let names = |lane: u32| state.registers.words(lanes)[lane as usize];
        let mut groups: Vec<(u32, LaneMask)> = Vec::new();
        for lane in active.iter() {
            match groups.iter_mut().find(|(name, _)| *name == names(lane)) {
                Some((_, members)) => *members |= LaneMask::only(lane),
                None => groups.push((names(lane), LaneMask::only(lane))),
            }
        }
        let mask_poison = state.registers.poison(lanes);
        let mut all_poison = LaneMask::EMPTY;
        for (name, members) in groups {
            let named = LaneMask(u128::from(name));
            let poison =
                self.wave_op_by(group, state, code, pc, active, named & active, Some(named));
            if !poison.is_empty() {
                // Lanes outside the set that they name still depend on it.
                all_poison |= members & (poison | !named);
            }
            self.scratch.write(code, &mut state.registers, self.width, members);
        }
        if O::POISON {
            code.results
                .iter()
                .for_each(|row| state.registers.set_poison(*row, all_poison | mask_poison));
        }
    }

    /// Runs the operation with the given participants, leaving the results in the scratch buffers; returns the
    /// poison of the results.
    #[expect(
        clippy::too_many_arguments,
        reason = "the fields of an event and the operands of an operation"
    )]
    fn wave_op_by(
        &mut self,
        group: [u32; 3],
        state: &WaveState,
        code: &WaveCode,
        pc: usize,
        active: LaneMask,
        participants: LaneMask,
        named: Option<LaneMask>,
    ) -> LaneMask {
        let takes_part = self.helpers == HelperPolicy::Included && code.op != WaveOp::IsHelperLane;
        let sees_helpers = code.sees_helpers && !takes_part;
        let spread = 1 + u32::from(self.sparse_waves);
        let wave = Wave {
            width: self.width,
            active: participants,
            helpers: if sees_helpers { state.helpers } else { LaneMask::EMPTY },
            index_in_group: state.index * spread,
            waves_in_group: self.waves_in_group * spread,
        };
        // Most operations have few operands: matching a wide vector has the most.
        let registers = &state.registers;
        let mut few = [Lanes::Bits(LaneMask::EMPTY); 5];
        let many: Vec<Lanes<'_>>;
        let args = if code.args.len() <= few.len() {
            few.iter_mut().zip(&code.args).for_each(|(lanes, row)| *lanes = registers.lanes(*row));
            &few[..code.args.len()]
        } else {
            many = code.args.iter().map(|row| registers.lanes(*row)).collect();
            &many
        };
        self.scratch.eval(self.folds, code, &wave, args);
        if !O::POISON && !O::EVENTS {
            return LaneMask::EMPTY;
        }
        let mut few_poison = [LaneMask::EMPTY; 5];
        let many_poison: Vec<LaneMask>;
        let arg_poison = if code.args.len() <= few_poison.len() {
            let rows = few_poison.iter_mut().zip(&code.args);
            rows.for_each(|(poison, row)| *poison = registers.poison(*row));
            &few_poison[..code.args.len()]
        } else {
            many_poison = code.args.iter().map(|row| registers.poison(*row)).collect();
            &many_poison
        };
        let result_poison = if O::POISON {
            wave::poison(code.op, &wave, args, arg_poison)
        } else {
            LaneMask::EMPTY
        };
        if O::EVENTS {
            let program = self.program;
            let mut results = [Lanes::Bits(LaneMask::EMPTY); MOST_RESULTS];
            for (i, (result, row)) in results.iter_mut().zip(&code.results).enumerate() {
                *result = self.scratch.result(i, *row);
            }
            self.observer.wave_op(&WaveEvent {
                at: At {
                    group,
                    wave: state.index,
                    inst: program.origins[pc],
                    span: program.span(pc),
                    active,
                },
                op: code.op,
                ty: code.ty,
                wave,
                named,
                args,
                arg_poison,
                results: &results[..code.results.len().min(MOST_RESULTS)],
                result_poison,
            });
        }
        result_poison
    }
}
