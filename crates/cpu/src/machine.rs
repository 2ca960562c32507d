//! The machine program: x86 instructions whose registers are virtual, in blocks, in SSA form.
//!
//! A [`Builder`] appends instructions to the current block. Mutable state, such as the active set, is a [`Var`];
//! reading one at a join adds a block parameter (the construction of Braun et al., "Simple and Efficient Construction
//! of SSA Form"). Parameters that turn out to have one source are removed in [`Builder::finish`].
//!
//! Deliberately absent: the purpose of the instructions, and the assignment of registers (`allocate`, `local`,
//! `encode`).

mod computed;
mod finish;
mod instructions;

use iced_x86::Code;
pub(crate) use regalloc2::{Block, RegClass, VReg};
use regalloc2::{Inst, InstRange, Operand, PRegSet};
use rustc_hash::FxHashMap as HashMap;
use smallvec::SmallVec;

use crate::dominators::Dominators;
use crate::segment::Segment;
use computed::Computed;
pub(crate) use instructions::{
    Condition, Instructions, Memory, NONE, Op, Placed, Slot, SlotBase, X86,
};

/// General registers.
pub(crate) const GENERAL: RegClass = RegClass::Int;
/// Vector registers.
pub(crate) const VECTOR: RegClass = RegClass::Float;
/// Mask registers.
pub(crate) const MASK: RegClass = RegClass::Vector;

/// The part of a register that an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    R8,
    R16,
    R32,
    R64,
    Xmm,
    Ymm,
    Zmm,
    K,
}

/// A source operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Register(View, VReg),
    Memory(Address),
    Immediate(Immediate),
}

/// An immediate, in the instruction's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Immediate {
    Byte(u8),
    /// A byte that is sign-extended to 64 bits.
    SignedByte64(i8),
    Word(u32),
    /// A word that is sign-extended to 64 bits.
    Signed64(i32),
    /// The lower word and the upper one: so that no instruction is larger for it.
    Long([u32; 2]),
}

impl Immediate {
    pub(crate) fn long(bits: u64) -> Immediate {
        Immediate::Long([bits as u32, (bits >> 32) as u32])
    }
}

impl Source {
    /// Whether it is the same at every read.
    pub(crate) fn is_constant(&self) -> bool {
        match self {
            Source::Register(..) | Source::Immediate(_) => true,
            Source::Memory(address) => address.base == Base::Pool,
        }
    }
}

/// A memory operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) base: Base,
    pub(crate) index: Option<(View, VReg)>,
    pub(crate) scale: u8,
    pub(crate) displacement: i32,
    /// Whether one element is broadcast to every lane.
    pub(crate) broadcast: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The frame of the running wave.
    Frame,
    /// The constant pool before the code.
    Pool,
    Register(VReg),
}

impl Address {
    pub(crate) fn frame(displacement: usize) -> Address {
        let displacement = i32::try_from(displacement).unwrap_or_else(|_| {
            unreachable!("frames that exceed such displacements are refused before")
        });
        Address::at(Base::Frame, displacement)
    }

    pub(crate) fn at(base: Base, displacement: i32) -> Address {
        Address { base, index: None, scale: 1, displacement, broadcast: false }
    }

    pub(crate) fn broadcast(self) -> Address {
        Address { broadcast: true, ..self }
    }
}

/// Constraints of an instruction beyond reading its sources and writing a fresh register.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// The lanes it writes.
    pub(crate) mask: Option<VReg>,
    /// The register that it modifies in place: lanes that it does not write are kept.
    pub(crate) tied: Option<VReg>,
    /// Lanes outside the mask become zero.
    pub(crate) zeroing: bool,
    /// The result may not share a register with a source, and the mask is destroyed.
    pub(crate) gather: bool,
    /// The second source may be a memory operand: if registers are scarce, as with AVX2, the instruction reads it
    /// there.
    pub(crate) folds: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Var(u32);

#[derive(Default)]
pub(crate) struct BlockData {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) successors: Vec<Block>,
    pub(crate) predecessors: Vec<Block>,
    pub(crate) params: Vec<VReg>,
    /// The arguments for the only successor of a block that jumps.
    pub(crate) args: Vec<VReg>,
    /// Rarely executed.
    pub(crate) rare: bool,
}

/// A machine program, in the allocator's form.
pub(crate) struct Function {
    pub(crate) instructions: Instructions,
    /// The instructions that the allocator sees, block by block.
    pub(crate) order: Vec<u32>,
    pub(crate) blocks: Vec<BlockData>,
    /// Straight-line code that is one instruction for the allocator.
    pub(crate) segments: Vec<Segment>,
    /// The number of registers that the allocator sees.
    pub(crate) registers: usize,
    /// The number of all registers, by which segments know theirs.
    pub(crate) values: usize,
    pub(crate) vector_bytes: usize,
    saved_by_calls: PRegSet,
    everything: PRegSet,
    /// Constants, aligned to 64 bytes.
    pub(crate) pool: Vec<u8>,
}

struct Parameter {
    block: Block,
    register: VReg,
    /// One for each predecessor.
    args: Vec<VReg>,
}

pub(crate) struct Builder {
    instructions: Instructions,
    /// The instructions of each block, since blocks need not be filled in order.
    bodies: Vec<Vec<u32>>,
    blocks: Vec<BlockData>,
    current: Block,
    /// The instruction that writes each register, or `NONE`, as for parameters.
    makers: Vec<u32>,
    classes: Vec<RegClass>,
    definitions: HashMap<(Block, Var), VReg>,
    sealed: Vec<bool>,
    incomplete: Vec<(Block, Var, VReg)>,
    parameters: Vec<Parameter>,
    vector_bytes: usize,
    pool: Vec<u8>,
    pooled: HashMap<Vec<u8>, i32>,
    dominators: Dominators,
    computed: Computed,
    most_cost: i32,
}

/// The most dominators in which a computation is looked up, and the most candidates of its kind.
const MOST_ABOVE: usize = 24;
const MOST_ALIKE: usize = 4;

impl Builder {
    pub(crate) fn new(vector_bytes: usize) -> Builder {
        let mut builder = Builder {
            instructions: Instructions::default(),
            bodies: Vec::new(),
            blocks: Vec::new(),
            current: Block::new(0),
            makers: Vec::new(),
            classes: Vec::new(),
            definitions: HashMap::default(),
            sealed: Vec::new(),
            incomplete: Vec::new(),
            parameters: Vec::new(),
            vector_bytes,
            pool: Vec::new(),
            pooled: HashMap::default(),
            dominators: Dominators::default(),
            computed: Computed::default(),
            most_cost: 0,
        };
        let entry = builder.block();
        builder.seal(entry);
        builder
    }

    /// Makes room for this number of instructions, most of which are computations.
    pub(crate) fn expect(&mut self, instructions: usize) {
        self.instructions.reserve(instructions);
        self.makers.reserve(instructions);
        self.computed.reserve(instructions);
    }

    // Blocks.

    pub(crate) fn block(&mut self) -> Block {
        self.blocks.push(BlockData::default());
        self.bodies.push(Vec::new());
        self.sealed.push(false);
        self.dominators.push();
        Block::new(self.blocks.len() - 1)
    }

    /// Continues in that block. From now on, only blocks that it dominates may jump to it.
    pub(crate) fn switch_to(&mut self, block: Block) {
        self.current = block;
        if self.dominators.is_reached(block) {
            return;
        }
        let predecessors = &self.blocks[block.index()].predecessors;
        let reached = predecessors.iter().copied().filter(|it| self.dominators.is_reached(*it));
        if let Some(above) = reached.reduce(|one, other| self.dominators.meet(one, other)) {
            self.dominators.set_parent(block, above);
        }
    }

    /// The result of an equal computation that dominates this one, whose operands are pending.
    fn already(&self, hash: u32, x86: &X86) -> Option<VReg> {
        let mut alike = self.computed.alike(hash, x86, &self.instructions).peekable();
        alike.peek()?;
        let above = std::iter::successors(Some(self.current), |it| self.dominators.parent(*it));
        let above: SmallVec<[Block; MOST_ABOVE]> = above.take(MOST_ABOVE).collect();
        let same = alike.take(MOST_ALIKE).find(|it| above.contains(&it.block))?;
        self.instructions.at(same.instruction).made()
    }

    /// Marks the current block as cold.
    pub(crate) fn is_rare(&mut self) {
        self.blocks[self.current.index()].rare = true;
    }

    /// Seals a block: all jumps to it are known.
    pub(crate) fn seal(&mut self, block: Block) {
        self.sealed[block.index()] = true;
        let (now, later) = std::mem::take(&mut self.incomplete)
            .into_iter()
            .partition::<Vec<_>, _>(|it| it.0 == block);
        self.incomplete = later;
        for (block, var, register) in now {
            self.complete(block, var, register);
        }
    }

    pub(crate) fn jump(&mut self, to: Block) {
        self.push(Op::Jump);
        self.edge(to);
    }

    /// Jumps by the flags; both blocks must be fresh, and are sealed.
    pub(crate) fn branch(&mut self, condition: Condition, then: Block, otherwise: Block) {
        self.push(Op::Branch(condition));
        self.edge(then);
        self.edge(otherwise);
        self.seal(then);
        self.seal(otherwise);
    }

    pub(crate) fn finish_waves(&mut self, status: u32) {
        self.push(Op::Finish { status });
    }

    fn edge(&mut self, to: Block) {
        debug_assert!(!self.sealed[to.index()], "a sealed block gets no more jumps");
        debug_assert!(
            !self.dominators.is_reached(to)
                || !self.dominators.is_reached(self.current)
                || self.dominators.meet(to, self.current) == to,
            "only blocks that a block dominates jump to it later"
        );
        self.blocks[self.current.index()].successors.push(to);
        self.blocks[to.index()].predecessors.push(self.current);
    }

    pub(crate) fn has_predecessors(&self, block: Block) -> bool {
        !self.blocks[block.index()].predecessors.is_empty()
    }

    pub(crate) fn size(&self) -> usize {
        self.instructions.len()
    }

    pub(crate) fn current(&self) -> Block {
        self.current
    }

    /// Whether that block dominates the current one, and is not far above it.
    pub(crate) fn is_dominated_by(&self, block: Block) -> bool {
        let mut at = self.current;
        for _ in 0..MOST_ABOVE {
            if at == block {
                return true;
            }
            let Some(next) = self.dominators.parent(at) else { return false };
            at = next;
        }
        false
    }

    /// Removes instructions that turned out to be superfluous, by the numbers that [`Builder::size`] had around them.
    pub(crate) fn forget(&mut self, ops: std::ops::Range<usize>) {
        if !ops.is_empty() {
            // They no longer keep their operands alive.
            self.instructions.clear(ops.clone());
            for body in &mut self.bodies {
                body.retain(|it| !ops.contains(&(*it as usize)));
            }
        }
    }

    // Variables.

    pub(crate) fn var(&mut self, class: RegClass) -> Var {
        self.classes.push(class);
        Var(self.classes.len() as u32 - 1)
    }

    pub(crate) fn write(&mut self, var: Var, value: VReg) {
        self.definitions.insert((self.current, var), value);
    }

    pub(crate) fn read(&mut self, var: Var) -> VReg {
        self.read_in(self.current, var)
    }

    fn read_in(&mut self, block: Block, var: Var) -> VReg {
        // A chain of blocks with one predecessor each is walked iteratively.
        let mut at = block;
        let mut chain = Vec::new();
        let found = loop {
            if let Some(value) = self.definitions.get(&(at, var)) {
                break *value;
            }
            chain.push(at);
            let data = &self.blocks[at.index()];
            if !self.sealed[at.index()] {
                let register = self.register(self.classes[var.0 as usize]);
                self.incomplete.push((at, var, register));
                break register;
            }
            match data.predecessors[..] {
                [only] => at = only,
                [] => unreachable!("a variable is written before it is read"),
                _ => {
                    let register = self.register(self.classes[var.0 as usize]);
                    self.definitions.insert((at, var), register);
                    let value = self.complete(at, var, register);
                    self.definitions.insert((at, var), value);
                    break value;
                }
            }
        };
        for block in chain {
            self.definitions.insert((block, var), found);
        }
        found
    }

    /// Gives a parameter its arguments; if all are the same, that argument replaces it.
    ///
    /// Instructions that use the parameter keep it until `finish` substitutes the replacement.
    fn complete(&mut self, block: Block, var: Var, register: VReg) -> VReg {
        let predecessors = self.blocks[block.index()].predecessors.clone();
        let args: Vec<VReg> = predecessors.into_iter().map(|it| self.read_in(it, var)).collect();
        let mut others = args.iter().filter(|it| **it != register);
        let value = match others.next() {
            Some(first) if others.all(|it| it == first) => *first,
            _ => register,
        };
        self.parameters.push(Parameter { block, register, args });
        value
    }

    // Instructions.

    pub(crate) fn register(&mut self, class: RegClass) -> VReg {
        self.makers.push(NONE);
        VReg::new(self.makers.len() - 1, class)
    }

    /// Appends an instruction whose operands are pending.
    fn push(&mut self, op: Op) -> u32 {
        let number = self.instructions.push(op);
        self.bodies[self.current.index()].push(number);
        if let Some(made) = self.instructions.at(number).made() {
            self.makers[made.vreg()] = number;
        }
        number
    }

    pub(crate) fn undefined(&mut self, class: RegClass) -> VReg {
        let register = self.register(class);
        self.instructions.push_operand(Operand::reg_def(register));
        self.push(Op::Undefined);
        register
    }

    pub(crate) fn call(&mut self, site: u32) {
        self.push(Op::Call { site });
    }

    pub(crate) fn suspend(&mut self, status: u32, of: ir::Inst) {
        self.push(Op::Suspend { status, of });
    }

    pub(crate) fn fuel(&mut self, cost: i32, of: ir::Inst) {
        self.most_cost = self.most_cost.max(cost);
        self.push(Op::Fuel { cost, of });
    }

    /// The cost of the most expensive loop iteration; 0 if no iterations are counted.
    pub(crate) fn most_cost(&self) -> i32 {
        self.most_cost
    }

    pub(crate) fn settle(&mut self, of: ir::Inst) {
        self.push(Op::Settle { of });
    }

    /// An instruction that writes a fresh register.
    pub(crate) fn define(&mut self, code: Code, view: View, sources: &[Source]) -> VReg {
        self.define_with(code, view, sources, Options::default())
    }

    pub(crate) fn define_with(
        &mut self,
        code: Code,
        view: View,
        sources: &[Source],
        options: Options,
    ) -> VReg {
        let class = match view {
            View::R8 | View::R16 | View::R32 | View::R64 => GENERAL,
            View::Xmm | View::Ymm | View::Zmm => VECTOR,
            View::K => MASK,
        };
        let is_pure = sources.len() <= 3
            && is_repeatable(code, class)
            && !options.gather
            && sources.iter().all(|it| it.is_constant());
        let to = self.register(class);
        let x86 = self.instructions.x86(code, Some((view, to)), sources, options);
        if !is_pure {
            self.push(Op::X86(x86));
            return to;
        }
        let hash = Computed::hash(&x86, self.instructions.pending());
        if let Some(same) = self.already(hash, &x86) {
            self.instructions.drop_pending();
            self.makers.pop();
            return same;
        }
        let number = self.push(Op::X86(x86));
        self.computed.add(hash, number, self.current);
        to
    }

    /// The instruction that writes a register: its code and its sources.
    pub(crate) fn definition(
        &self,
        register: VReg,
    ) -> Option<(Code, impl Iterator<Item = Source> + use<'_>)> {
        match self.makers[register.vreg()] {
            NONE => None,
            maker => self.instructions.sources(maker),
        }
    }

    /// An instruction that writes no register.
    pub(crate) fn effect(&mut self, code: Code, sources: &[Source]) {
        self.instruction(code, None, sources, Options::default());
    }

    /// A masked store.
    pub(crate) fn store(&mut self, code: Code, to: Address, value: Source, mask: Option<VReg>) {
        let options = Options { mask, ..Options::default() };
        self.instruction(code, None, &[Source::Memory(to), value], options);
    }

    /// Atomically adds the tied register to a word in memory; returns the old value.
    pub(crate) fn exchange_add(&mut self, to: Address, options: Options) -> VReg {
        let old = self.register(GENERAL);
        let sources = [Source::Memory(to)];
        self.instruction(Code::Xadd_rm32_r32, Some((View::R32, old)), &sources, options);
        // Here the register comes second.
        if let Some(x86) = self.instructions.last_x86() {
            x86.slots.swap(0, 1);
            (x86.lock, x86.effect) = (true, true);
        }
        old
    }

    pub(crate) fn instruction(
        &mut self,
        code: Code,
        to: Option<(View, VReg)>,
        sources: &[Source],
        options: Options,
    ) {
        let x86 = self.instructions.x86(code, to, sources, options);
        self.push(Op::X86(x86));
    }

    // Constants.

    /// The offset of these bytes in the constant pool.
    pub(crate) fn pooled(&mut self, bytes: &[u8]) -> Address {
        let at = match self.pooled.get(bytes) {
            Some(at) => *at,
            None => {
                let align = bytes.len().next_power_of_two().min(64);
                self.pool.resize(self.pool.len().next_multiple_of(align), 0);
                let at = self.pool.len() as i32;
                self.pool.extend_from_slice(bytes);
                self.pooled.insert(bytes.to_vec(), at);
                at
            }
        };
        Address::at(Base::Pool, at)
    }
}

/// Whether the instruction is pure: it does not read flags, and its flags are not read.
fn is_repeatable(code: Code, to: RegClass) -> bool {
    to != GENERAL
        || matches!(
            code,
            Code::Mov_r32_imm32
                | Code::Mov_r64_imm64
                | Code::Mov_r32_rm32
                | Code::Movsxd_r64_rm32
                | Code::VEX_Kmovw_r32_kr
                | Code::VEX_Vmovmskps_r32_ymm
                | Code::Popcnt_r32_rm32
                | Code::Popcnt_r64_rm64
                | Code::Tzcnt_r64_rm64
        )
}

impl Function {
    /// The instruction at a position of the order.
    pub(crate) fn op(&self, position: usize) -> &Op {
        self.instructions.op(self.order[position])
    }

    /// The number of instructions, those of segments included.
    pub(crate) fn instructions(&self) -> usize {
        self.order.len() + self.segments.iter().map(|it| it.body.len()).sum::<usize>()
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, block) in self.blocks.iter().enumerate() {
            writeln!(f, "block{index}{:?}:", block.params)?;
            for at in block.first..block.end {
                let Placed { op, operands } = self.instructions.at(self.order[at]);
                match op {
                    Op::X86(x86) => writeln!(f, "  {at} {:?} {operands:?}", x86.code)?,
                    op => writeln!(f, "  {at} {op:?} {operands:?}")?,
                }
            }
            writeln!(f, "  -> {:?} {:?}", block.successors, block.args)?;
        }
        Ok(())
    }
}

impl regalloc2::Function for Function {
    fn num_insts(&self) -> usize {
        self.order.len()
    }
    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }
    fn entry_block(&self) -> Block {
        Block::new(0)
    }
    fn block_insns(&self, block: Block) -> InstRange {
        let BlockData { first, end, .. } = self.blocks[block.index()];
        InstRange::new(Inst::new(first), Inst::new(end))
    }
    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].successors
    }
    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].predecessors
    }
    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }
    fn is_ret(&self, inst: Inst) -> bool {
        matches!(self.op(inst.index()), Op::Finish { .. })
    }
    fn is_branch(&self, inst: Inst) -> bool {
        matches!(self.op(inst.index()), Op::Jump | Op::Branch(_))
    }
    fn branch_blockparams(&self, block: Block, _: Inst, successor: usize) -> &[VReg] {
        if successor == 0 { &self.blocks[block.index()].args } else { &[] }
    }
    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        self.instructions.operands(self.order[inst.index()])
    }
    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        match self.op(inst.index()) {
            Op::Segment(number) => self.segments[*number as usize].clobbers,
            Op::Call { .. } => self.saved_by_calls,
            Op::Suspend { .. } => self.everything,
            _ => PRegSet::empty(),
        }
    }
    fn num_vregs(&self) -> usize {
        self.registers
    }
    fn spillslot_size(&self, class: RegClass) -> usize {
        if class == VECTOR { self.vector_bytes / 8 } else { 1 }
    }
}
