//! Instructions and their registers, by number.
//!
//! A wide wave has tens of thousands of instructions, and every pass goes through them. Therefore they are small: all
//! registers are in one list, and an x86 instruction has at most one memory operand and one immediate. They stay where
//! they are appended; schedules and segments are lists of their numbers.
//!
//! Deliberately absent: blocks, and which instructions are needed (`finish`).

use iced_x86::Code;
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, VReg};

use super::{Address, Base, Immediate, Options, Source, View};

/// No instruction.
pub(crate) const NONE: u32 = u32::MAX;

/// An operand of an x86 instruction; registers are indices into the allocator's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Register(View, u8),
    /// The memory operand of the instruction.
    Memory,
    /// The immediate of the instruction.
    Immediate,
}

/// A memory operand; registers are indices as in [`Slot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) base: SlotBase,
    pub(crate) index: Option<(View, u8)>,
    pub(crate) scale: u8,
    pub(crate) displacement: i32,
    /// Whether one element is broadcast to every lane.
    pub(crate) broadcast: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotBase {
    Frame,
    Pool,
    Register(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct X86 {
    pub(crate) code: Code,
    pub(crate) slots: [Option<Slot>; 4],
    pub(crate) memory: Option<Memory>,
    pub(crate) immediate: Option<Immediate>,
    pub(crate) mask: Option<u8>,
    pub(crate) zeroing: bool,
    /// The instruction destroys its mask: it is given a copy.
    pub(crate) spends_mask: bool,
    /// It is atomic.
    pub(crate) lock: bool,
    /// It has side effects besides writing its register.
    pub(crate) effect: bool,
}

/// Conditions of jumps, by the flags of the preceding instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Zero,
    NotZero,
    // Of a comparison of unsigned numbers.
    Below,
    BelowOrEqual,
    Above,
    AboveOrEqual,
    // Of a comparison of signed numbers.
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    X86(X86),
    /// Leaves a register undefined.
    Undefined,
    /// A segment of the function, by number.
    Segment(u32),
    /// Calls the runtime, which clobbers all vectors and masks and most general registers.
    Call {
        site: u32,
    },
    /// Returns to the host; when the wave is resumed, it continues after this instruction.
    Suspend {
        status: u32,
        /// The instruction of the module that waits.
        of: ir::Inst,
    },
    /// Counts a loop iteration; if none is left, the wave is suspended with all registers saved.
    Fuel {
        cost: i32,
        /// The loop in the module.
        of: ir::Inst,
    },
    /// Accounts for the loops of a wave that has ended, and starts counting for the next one. If the cost is high, the
    /// frame is suspended with all registers saved.
    Settle {
        /// The instruction of the module at which waves end.
        of: ir::Inst,
    },
    Jump,
    Branch(Condition),
    /// The end of all waves of this frame.
    Finish {
        status: u32,
    },
}

/// An instruction with its registers.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) op: &'a Op,
    pub(crate) operands: &'a [Operand],
}

impl Placed<'_> {
    /// The registers that it reads.
    pub(crate) fn reads(self) -> impl DoubleEndedIterator<Item = VReg> {
        self.operands.iter().filter(|it| it.kind() == OperandKind::Use).map(|it| it.vreg())
    }

    /// The register that it writes.
    pub(crate) fn made(self) -> Option<VReg> {
        self.operands.first().filter(|it| it.kind() == OperandKind::Def).map(|it| it.vreg())
    }
}

/// A list of instructions.
#[derive(Default)]
pub(crate) struct Instructions {
    ops: Vec<Op>,
    /// The registers of all instructions, in their order.
    operands: Vec<Operand>,
    /// For each instruction, its first operand, and the one behind its last.
    ranges: Vec<(u32, u32)>,
}

impl Instructions {
    pub(crate) fn reserve(&mut self, instructions: usize) {
        self.ops.reserve(instructions);
        self.ranges.reserve(instructions);
        self.operands.reserve(3 * instructions);
    }

    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    pub(crate) fn op(&self, number: u32) -> &Op {
        &self.ops[number as usize]
    }

    pub(crate) fn operands(&self, number: u32) -> &[Operand] {
        let (start, end) = self.ranges[number as usize];
        &self.operands[start as usize..end as usize]
    }

    pub(crate) fn at(&self, number: u32) -> Placed<'_> {
        Placed { op: self.op(number), operands: self.operands(number) }
    }

    pub(crate) fn operands_mut(&mut self, number: u32) -> &mut [Operand] {
        let (start, end) = self.ranges[number as usize];
        &mut self.operands[start as usize..end as usize]
    }

    /// The last instruction, if it is an x86 instruction.
    pub(crate) fn last_x86(&mut self) -> Option<&mut X86> {
        match self.ops.last_mut() {
            Some(Op::X86(x86)) => Some(x86),
            _ => None,
        }
    }

    /// Adds an instruction, which takes the pending operands; returns its number.
    pub(crate) fn push(&mut self, op: Op) -> u32 {
        self.ranges.push((self.closed(), self.operands.len() as u32));
        self.ops.push(op);
        self.ops.len() as u32 - 1
    }

    /// Adds a pending operand, for the next instruction.
    pub(crate) fn push_operand(&mut self, operand: Operand) {
        self.operands.push(operand);
    }

    /// The pending operands.
    pub(crate) fn pending(&self) -> &[Operand] {
        &self.operands[self.closed() as usize..]
    }

    /// Removes the pending operands.
    pub(crate) fn drop_pending(&mut self) {
        self.operands.truncate(self.closed() as usize);
    }

    /// The number of operands that instructions have.
    fn closed(&self) -> u32 {
        self.ranges.last().map_or(0, |it| it.1)
    }

    /// Removes the operands of instructions.
    pub(crate) fn clear(&mut self, numbers: std::ops::Range<usize>) {
        self.ranges[numbers].iter_mut().for_each(|it| it.0 = it.1);
    }

    /// An x86 instruction whose operands are pending.
    pub(crate) fn x86(
        &mut self,
        code: Code,
        to: Option<(View, VReg)>,
        sources: &[Source],
        options: Options,
    ) -> X86 {
        let Options { mask, tied, zeroing, gather: spends_mask, folds } = options;
        let mut x86 = X86 {
            code,
            slots: [None; 4],
            memory: None,
            immediate: None,
            mask: None,
            zeroing,
            spends_mask,
            lock: false,
            effect: to.is_none(),
        };
        let mut filled = 0;
        if let Some((view, to)) = to {
            let (constraint, position) = match tied {
                // The tied register is the second operand.
                Some(_) => (OperandConstraint::Reuse(1), OperandPos::Late),
                None if spends_mask => (OperandConstraint::Reg, OperandPos::Early),
                None => (OperandConstraint::Reg, OperandPos::Late),
            };
            self.push_operand(Operand::new(to, constraint, OperandKind::Def, position));
            x86.slots[0] = Some(Slot::Register(view, 0));
            filled = 1;
        }
        if let Some(tied) = tied {
            self.push_operand(Operand::reg_use(tied));
        }
        let late = spends_mask && tied.is_some();
        let position = if late { OperandPos::Late } else { OperandPos::Early };
        let mut read = |register: VReg, constraint: OperandConstraint| {
            self.push_operand(Operand::new(register, constraint, OperandKind::Use, position));
            self.pending().len() as u8 - 1
        };
        x86.mask = mask.map(|it| read(it, OperandConstraint::Reg));
        for (i, source) in sources.iter().enumerate() {
            x86.slots[filled] = Some(match *source {
                Source::Register(view, register) => {
                    let is_free = folds && i == 1;
                    let constraint =
                        if is_free { OperandConstraint::Any } else { OperandConstraint::Reg };
                    Slot::Register(view, read(register, constraint))
                }
                Source::Immediate(value) => {
                    debug_assert!(x86.immediate.is_none(), "an instruction has one immediate");
                    x86.immediate = Some(value);
                    Slot::Immediate
                }
                Source::Memory(Address { base, index, scale, displacement, broadcast }) => {
                    debug_assert!(x86.memory.is_none(), "an instruction has one memory operand");
                    let mut used = |register: VReg| read(register, OperandConstraint::Reg);
                    let base = match base {
                        Base::Frame => SlotBase::Frame,
                        Base::Pool => SlotBase::Pool,
                        Base::Register(register) => SlotBase::Register(used(register)),
                    };
                    let index = index.map(|(view, register)| (view, used(register)));
                    x86.memory = Some(Memory { base, index, scale, displacement, broadcast });
                    Slot::Memory
                }
            });
            filled += 1;
        }
        x86
    }

    /// The code of an x86 instruction, and the sources of [`Instructions::x86`].
    pub(crate) fn sources(&self, number: u32) -> Option<(Code, impl Iterator<Item = Source>)> {
        let Op::X86(x86) = self.op(number) else { return None };
        let operands = self.operands(number);
        let register = |index: u8| operands[usize::from(index)].vreg();
        let results = usize::from(!x86.effect);
        let source = move |slot: &Slot| match slot {
            Slot::Register(view, index) => Some(Source::Register(*view, register(*index))),
            Slot::Immediate => x86.immediate.map(Source::Immediate),
            Slot::Memory => x86.memory.map(|it| {
                let Memory { base, index, scale, displacement, broadcast } = it;
                let base = match base {
                    SlotBase::Frame => Base::Frame,
                    SlotBase::Pool => Base::Pool,
                    SlotBase::Register(index) => Base::Register(register(index)),
                };
                let index = index.map(|(view, index)| (view, register(index)));
                Source::Memory(Address { base, index, scale, displacement, broadcast })
            }),
        };
        Some((x86.code, x86.slots[results..].iter().flatten().filter_map(source)))
    }
}

#[cfg(test)]
impl Instructions {
    /// Adds an instruction on vectors, with an effect if it writes none.
    pub(crate) fn add(&mut self, code: Code, to: Option<VReg>, from: &[VReg]) {
        let sources: Vec<Source> = from.iter().map(|it| Source::Register(View::Zmm, *it)).collect();
        let to = to.map(|it| (View::Zmm, it));
        let x86 = self.x86(code, to, &sources, Options::default());
        self.push(Op::X86(x86));
    }
}
