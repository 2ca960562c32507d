//! The encoder: from instructions with allocated registers to bytes.
//!
//! Around the body are the prologue, which saves the host's registers, and the routine that suspends a wave between any
//! two instructions. Jumps with 32-bit displacements are encoded here, everything else by `iced-x86`. In debug builds
//! every instruction is decoded again and compared.

use iced_x86::{Code, Encoder, Instruction, OpKind, Register};
use regalloc2::{Allocation, Edit, Inst, Output, ProgPoint, RegClass};

use crate::allocate::SAVED_BY_CALLER;
use crate::isa::Isa;
use crate::layout::{ASK, BACK, CALL, FUEL, Fuel, GRANT, Layout, RESUME, SPINNING};
use crate::local::{Allocated, Step};
use crate::machine::{
    Condition, Function, Immediate, Instructions, Memory, Op, Slot, SlotBase, View, X86,
};

const GENERAL: [Register; 16] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RSP,
    Register::RBP,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];
/// The low-byte registers; with a REX prefix, four of the numbers have a different meaning.
const BYTES: [Register; 16] = [
    Register::AL,
    Register::CL,
    Register::DL,
    Register::BL,
    Register::SPL,
    Register::BPL,
    Register::SIL,
    Register::DIL,
    Register::R8L,
    Register::R9L,
    Register::R10L,
    Register::R11L,
    Register::R12L,
    Register::R13L,
    Register::R14L,
    Register::R15L,
];
const KEPT: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
const FRAME: Register = Register::R15;

/// The code to write into executable pages.
pub(crate) struct Encoded {
    pub(crate) bytes: Vec<u8>,
    /// The offset at which the host enters.
    pub(crate) entry: usize,
    /// The offset at which a new frame starts.
    pub(crate) start: usize,
    /// The bytes of a frame.
    pub(crate) frame: usize,
    /// The resume offsets of waves that ran out of fuel, waited or ended, each with its loop or barrier; ascending.
    pub(crate) stops: Vec<(usize, ir::Inst)>,
}

/// A jump target, bound or not yet bound.
#[derive(Clone, Copy)]
struct Label(usize);

struct Writer<'a> {
    isa: Isa,
    layout: &'a Layout,
    encoder: Encoder,
    at: usize,
    labels: Vec<Option<usize>>,
    /// The location and the target of each 32-bit displacement.
    distances: Vec<(usize, Label)>,
    stops: Vec<(usize, ir::Inst)>,
    #[cfg(debug_assertions)]
    written: Vec<(usize, Instruction)>,
}

pub(crate) fn encode(
    function: &Function,
    output: &Output,
    segments: &[Allocated],
    isa: Isa,
    layout: &Layout,
) -> Encoded {
    let mut encoder = Encoder::new(64);
    // A vector instruction has some ten bytes.
    encoder.set_buffer(Vec::with_capacity(function.pool.len() + 10 * function.instructions()));
    let mut writer = Writer {
        isa,
        layout,
        encoder,
        at: 0,
        labels: Vec::new(),
        distances: Vec::new(),
        stops: Vec::new(),
        #[cfg(debug_assertions)]
        written: Vec::new(),
    };
    function.pool.iter().for_each(|byte| writer.byte(*byte));
    while !writer.at.is_multiple_of(16) {
        writer.byte(0xcc);
    }
    let entry = writer.at;
    let exit = writer.entry();
    let put_aside = writer.put_aside(exit);
    let start = writer.at;
    writer.body(function, output, segments, exit, put_aside);
    let frame = layout.spills + output.num_spillslots * 8;
    let stops = std::mem::take(&mut writer.stops);
    Encoded { bytes: writer.finish(), entry, start, frame: frame.next_multiple_of(64), stops }
}

impl Writer<'_> {
    fn byte(&mut self, byte: u8) {
        self.encoder.write_u8(byte);
        self.at += 1;
    }

    fn put(&mut self, instruction: Instruction) {
        match self.encoder.encode(&instruction, self.at as u64) {
            Ok(len) => {
                #[cfg(debug_assertions)]
                self.written.push((self.at, instruction));
                self.at += len;
            }
            Err(error) => unreachable!("every selected instruction can be encoded: {error}"),
        }
    }

    fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.at);
    }

    fn distance(&mut self, to: Label) {
        self.distances.push((self.at, to));
        (0..4).for_each(|_| self.byte(0));
    }

    fn jump(&mut self, to: Label) {
        self.byte(0xe9);
        self.distance(to);
    }

    /// `code` is the second byte of the conditional jump.
    fn jump_if(&mut self, code: u8, to: Label) {
        self.byte(0x0f);
        self.byte(code);
        self.distance(to);
    }

    /// `lea rax, [rip + label]`.
    fn address_of(&mut self, label: Label) {
        [0x48, 0x8d, 0x05].into_iter().for_each(|it| self.byte(it));
        self.distance(label);
    }

    fn finish(mut self) -> Vec<u8> {
        let mut bytes = self.encoder.take_buffer();
        for (at, to) in &self.distances {
            let Some(target) = self.labels[to.0] else {
                unreachable!("every label has been bound")
            };
            let distance = target as i64 - (*at as i64 + 4);
            bytes[*at..*at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        }
        #[cfg(debug_assertions)]
        self.read_back(&bytes);
        bytes
    }

    /// Decodes every instruction, and compares.
    #[cfg(debug_assertions)]
    fn read_back(&self, bytes: &[u8]) {
        use iced_x86::{Decoder, DecoderOptions};
        for (at, written) in &self.written {
            let mut decoder = Decoder::with_ip(64, &bytes[*at..], *at as u64, DecoderOptions::NONE);
            let read = decoder.decode();
            let same = read.code() == written.code()
                && read.op_count() == written.op_count()
                && read.op_mask() == written.op_mask()
                && read.zeroing_masking() == written.zeroing_masking()
                && read.is_broadcast() == written.is_broadcast()
                && (0..read.op_count()).all(|i| {
                    read.op_kind(i) == written.op_kind(i)
                        && match read.op_kind(i) {
                            OpKind::Register => read.op_register(i) == written.op_register(i),
                            OpKind::Memory => {
                                read.memory_base() == written.memory_base()
                                    && read.memory_index() == written.memory_index()
                                    && read.memory_displacement64()
                                        == written.memory_displacement64()
                            }
                            _ => read.immediate(i) == written.immediate(i),
                        }
                });
            assert!(same, "{written:?} was encoded as {read:?}");
        }
    }

    // The code around the body.

    /// The prologue: saves the host's registers and continues at the frame's resume address; the label is the return
    /// path.
    fn entry(&mut self) -> Label {
        let exit = self.label();
        for register in KEPT {
            self.put(unary(Code::Push_r64, register));
        }
        self.put(two(Code::Sub_rm64_imm8, Operand::R(Register::RSP), Operand::B64(8)));
        self.put(two(Code::Mov_r64_rm64, Operand::R(FRAME), Operand::R(Register::RDI)));
        self.put(jump_to_memory(Code::Jmp_rm64, RESUME));
        self.bind(exit);
        self.put(Instruction::with(Code::VEX_Vzeroupper));
        self.put(two(Code::Add_rm64_imm8, Operand::R(Register::RSP), Operand::B64(8)));
        for register in KEPT.into_iter().rev() {
            self.put(unary(Code::Pop_r64, register));
        }
        self.put(Instruction::with(Code::Retnq));
        exit
    }

    /// Saves all registers in the frame and returns to the host; rax holds the resume address.
    fn put_aside(&mut self, exit: Label) -> Label {
        let label = self.label();
        let restore = self.label();
        self.bind(label);
        self.put(two(Code::Mov_rm64_r64, frame(BACK), Operand::R(Register::RAX)));
        self.move_all(true);
        self.address_of(restore);
        self.leave(SPINNING, exit);
        self.bind(restore);
        self.move_all(false);
        self.put(jump_to_memory(Code::Jmp_rm64, BACK));
        label
    }

    fn leave(&mut self, status: u32, exit: Label) {
        self.put(two(Code::Mov_rm64_r64, frame(RESUME), Operand::R(Register::RAX)));
        self.put(two(Code::Mov_r32_imm32, Operand::R(Register::EAX), Operand::I(status)));
        self.jump(exit);
    }

    fn move_all(&mut self, out: bool) {
        let start = self.layout.saved;
        let vectors = match self.isa {
            Isa::Avx512 => 32,
            Isa::Avx2 => 16,
        };
        for number in 0..vectors {
            self.move_memory(RegClass::Float, number, start + 64 * number, out);
        }
        if self.isa == Isa::Avx512 {
            for number in 0..8 {
                self.move_memory(RegClass::Vector, number, start + 32 * 64 + 8 * number, out);
            }
        }
        for number in [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14] {
            self.move_memory(RegClass::Int, number, start + 33 * 64 + 8 * number, out);
        }
    }

    /// Saves or restores a register in the frame.
    fn move_memory(&mut self, class: RegClass, number: usize, at: usize, out: bool) {
        let (load, store) = match (class, self.isa) {
            (RegClass::Int, _) => (Code::Mov_r64_rm64, Code::Mov_rm64_r64),
            (RegClass::Float, Isa::Avx512) => {
                (Code::EVEX_Vmovaps_zmm_k1z_zmmm512, Code::EVEX_Vmovaps_zmmm512_k1z_zmm)
            }
            (RegClass::Float, Isa::Avx2) => {
                (Code::VEX_Vmovaps_ymm_ymmm256, Code::VEX_Vmovaps_ymmm256_ymm)
            }
            (RegClass::Vector, _) => (Code::VEX_Kmovq_kr_km64, Code::VEX_Kmovq_m64_kr),
        };
        let register = Operand::R(self.full(class, number));
        let instruction =
            if out { two(store, frame(at), register) } else { two(load, register, frame(at)) };
        self.put(instruction);
    }

    fn full(&self, class: RegClass, number: usize) -> Register {
        match (class, self.isa) {
            (RegClass::Int, _) => GENERAL[number],
            (RegClass::Float, Isa::Avx512) => Register::ZMM0 + number as u32,
            (RegClass::Float, Isa::Avx2) => Register::YMM0 + number as u32,
            (RegClass::Vector, _) => Register::K0 + number as u32,
        }
    }

    // The body.

    fn body(
        &mut self,
        function: &Function,
        output: &Output,
        segments: &[Allocated],
        exit: Label,
        put_aside: Label,
    ) {
        let blocks: Vec<Label> = function.blocks.iter().map(|_| self.label()).collect();
        let targets = Writer::targets(function, output);
        // The reachable blocks; the first is the entry.
        let written = |block: usize| block == 0 || targets[block] == block;
        (0..blocks.len()).filter(|it| !written(*it)).for_each(|it| self.bind(blocks[it]));
        // Cold blocks come last, so that hot paths have no jumps over them.
        let (rare, usual): (Vec<usize>, Vec<usize>) =
            (0..blocks.len()).filter(|it| written(*it)).partition(|it| function.blocks[*it].rare);
        let order = [usual, rare].concat();
        // The cold path for exhausted fuel.
        let mut outside: Vec<(Label, Label)> = Vec::new();
        for (place, index) in order.iter().copied().enumerate() {
            let block = &function.blocks[index];
            self.bind(blocks[index]);
            let next = order.get(place + 1).copied().unwrap_or(blocks.len());
            let first = ProgPoint::before(Inst::new(block.first));
            let behind = output.edits.partition_point(|(point, _)| *point < first);
            let mut edits = output.edits[behind..].iter().peekable();
            for position in block.first..block.end {
                let inst = Inst::new(position);
                while let Some((_, edit)) =
                    edits.next_if(|(point, _)| *point <= ProgPoint::before(inst))
                {
                    self.edit(edit);
                }
                match function.op(position) {
                    Op::X86(x86) => self.x86(x86, output.inst_allocs(inst)),
                    Op::Undefined => {}
                    Op::Segment(number) => {
                        let number = *number as usize;
                        self.segment(&function.instructions, &segments[number]);
                    }
                    Op::Call { site } => self.call(*site),
                    Op::Suspend { status, of } => {
                        let behind = self.label();
                        self.address_of(behind);
                        self.leave(*status, exit);
                        self.bind(behind);
                        self.stops.push((self.at, *of));
                    }
                    Op::Fuel { cost, of } => {
                        let (spent, behind) = (self.label(), self.label());
                        let round = Operand::I64(Fuel::round(*cost));
                        self.put(two(Code::Add_rm64_imm32, frame(FUEL), round));
                        self.jump_if(0x88, spent);
                        self.bind(behind);
                        self.stops.push((self.at, *of));
                        outside.push((spent, behind));
                    }
                    Op::Settle { of } => {
                        let (spent, behind) = (self.label(), self.label());
                        let (low, all) = (Operand::R(Register::EAX), Operand::R(Register::RAX));
                        self.put(two(Code::Mov_r32_rm32, low, frame(FUEL)));
                        let mask = Operand::I(Fuel::SPENT as u32);
                        self.put(two(Code::And_rm32_imm32, low, mask));
                        self.put(two(Code::Sub_rm32_r32, frame(ASK), low));
                        // Moves do not change the flags.
                        self.put(two(Code::Mov_r64_rm64, all, frame(GRANT)));
                        self.put(two(Code::Mov_rm64_r64, frame(FUEL), all));
                        self.jump_if(0x88, spent);
                        self.bind(behind);
                        self.stops.push((self.at, *of));
                        outside.push((spent, behind));
                    }
                    Op::Jump => {
                        let to = targets[block.successors[0].index()];
                        if to != next {
                            self.jump(blocks[to]);
                        }
                    }
                    Op::Branch(condition) => {
                        let [then, otherwise] =
                            [0, 1].map(|i| targets[block.successors[i].index()]);
                        let (yes, no) = match condition {
                            Condition::Zero => (0x84, 0x85),
                            Condition::NotZero => (0x85, 0x84),
                            Condition::Below => (0x82, 0x83),
                            Condition::AboveOrEqual => (0x83, 0x82),
                            Condition::BelowOrEqual => (0x86, 0x87),
                            Condition::Above => (0x87, 0x86),
                            Condition::Less => (0x8c, 0x8d),
                            Condition::GreaterOrEqual => (0x8d, 0x8c),
                            Condition::LessOrEqual => (0x8e, 0x8f),
                            Condition::Greater => (0x8f, 0x8e),
                        };
                        if then == next {
                            self.jump_if(no, blocks[otherwise]);
                        } else {
                            self.jump_if(yes, blocks[then]);
                            if otherwise != next {
                                self.jump(blocks[otherwise]);
                            }
                        }
                    }
                    Op::Finish { status } => {
                        let status = Operand::I(*status);
                        self.put(two(Code::Mov_r32_imm32, Operand::R(Register::EAX), status));
                        self.jump(exit);
                    }
                }
                while let Some((_, edit)) =
                    edits.next_if(|(point, _)| *point <= ProgPoint::after(inst))
                {
                    self.edit(edit);
                }
            }
        }
        for (spent, behind) in outside {
            self.bind(spent);
            self.address_of(behind);
            self.jump(put_aside);
        }
    }

    /// Jump threading: for each block, the target of a jump to it, skipping blocks that only jump.
    fn targets(function: &Function, output: &Output) -> Vec<usize> {
        let edited: Vec<usize> =
            output.edits.iter().map(|(point, _)| point.inst().index()).collect();
        let leads = |block: usize| {
            let data = &function.blocks[block];
            let only = data.end == data.first + 1 && matches!(function.op(data.first), Op::Jump);
            (only && edited.binary_search(&data.first).is_err()).then(|| data.successors[0].index())
        };
        let last = |mut block: usize| {
            // Bounded, because empty blocks may form a cycle.
            for _ in 0..function.blocks.len() {
                match leads(block) {
                    Some(next) => block = next,
                    None => break,
                }
            }
            block
        };
        (0..function.blocks.len()).map(last).collect()
    }

    fn segment(&mut self, instructions: &Instructions, allocated: &Allocated) {
        for step in &allocated.steps {
            match step {
                Step::Move(edit) => self.edit(edit),
                Step::Execute { number, places } => {
                    if let Op::X86(x86) = instructions.op(*number) {
                        self.x86(x86, &allocated.places[*places as usize..]);
                    }
                }
            }
        }
    }

    fn call(&mut self, site: u32) {
        self.put(Instruction::with(Code::VEX_Vzeroupper));
        self.put(two(Code::Mov_r64_rm64, Operand::R(Register::RDI), Operand::R(FRAME)));
        self.put(two(Code::Mov_r32_imm32, Operand::R(Register::ESI), Operand::I(site)));
        self.put(jump_to_memory(Code::Call_rm64, CALL));
        // Values that the runtime leaves in registers, such as counts of fuel, must not make equal states differ: at a
        // back edge all registers are compared (`endless`), since it is not known which are live.
        for number in SAVED_BY_CALLER {
            let register = Operand::R(Register::EAX + number as u32);
            self.put(two(Code::Xor_r32_rm32, register, register));
        }
    }

    fn edit(&mut self, edit: &Edit) {
        let Edit::Move { from, to } = edit;
        let slot = |it: &Allocation| {
            let slot = it.as_stack().map(|slot| self.layout.spills + slot.index() * 8);
            slot.unwrap_or_else(|| {
                unreachable!("the destination of a move is a register or a stack slot")
            })
        };
        match (from.as_reg(), to.as_reg()) {
            (Some(from), Some(to)) => {
                let code = match (to.class(), self.isa) {
                    (RegClass::Int, _) => Code::Mov_r64_rm64,
                    (RegClass::Float, Isa::Avx512) => Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
                    (RegClass::Float, Isa::Avx2) => Code::VEX_Vmovaps_ymm_ymmm256,
                    (RegClass::Vector, _) => Code::VEX_Kmovq_kr_km64,
                };
                let [to, from] = [to, from].map(|it| self.full(it.class(), it.hw_enc()));
                self.put(two(code, Operand::R(to), Operand::R(from)));
            }
            (Some(from), None) => self.move_memory(from.class(), from.hw_enc(), slot(to), true),
            (None, Some(to)) => self.move_memory(to.class(), to.hw_enc(), slot(from), false),
            (None, None) => unreachable!("the allocator uses a register for moves between slots"),
        }
    }

    fn x86(&mut self, x86: &X86, allocs: &[Allocation]) {
        let register = |index: u8, view: View| {
            let number = match allocs[usize::from(index)].as_reg() {
                Some(register) => register.hw_enc(),
                None => unreachable!("an operand is in a register, unless it may be in memory"),
            };
            match view {
                View::R8 => BYTES[number],
                View::R16 => Register::AX + number as u32,
                View::R32 => Register::EAX + number as u32,
                View::R64 => Register::RAX + number as u32,
                View::Xmm => Register::XMM0 + number as u32,
                View::Ymm => Register::YMM0 + number as u32,
                View::Zmm => Register::ZMM0 + number as u32,
                View::K => Register::K0 + number as u32,
            }
        };
        let mut instruction = Instruction::default();
        instruction.set_code(x86.code);
        for (i, slot) in (0..).zip(x86.slots.iter().flatten()) {
            match *slot {
                Slot::Register(view, index) => {
                    let operand = match allocs[usize::from(index)].as_stack() {
                        Some(slot) => frame(self.layout.spills + slot.index() * 8),
                        None => Operand::R(register(index, view)),
                    };
                    set(&mut instruction, i, operand);
                }
                Slot::Immediate => {
                    let Some(it) = x86.immediate else {
                        unreachable!("an instruction with a slot for an immediate has one")
                    };
                    set(&mut instruction, i, immediate(it));
                }
                Slot::Memory => {
                    let Some(it) = x86.memory else {
                        unreachable!("an instruction with a slot for memory has an operand there")
                    };
                    let Memory { base, index, scale, displacement, broadcast } = it;
                    instruction.set_is_broadcast(broadcast);
                    let (base, displacement) = match base {
                        SlotBase::Frame => (FRAME, i64::from(displacement)),
                        // Relative to the instruction: the encoder computes the displacement.
                        SlotBase::Pool => (Register::RIP, i64::from(displacement)),
                        SlotBase::Register(it) => {
                            (register(it, View::R64), i64::from(displacement))
                        }
                    };
                    let index = index.map_or(Register::None, |(view, it)| register(it, view));
                    set(&mut instruction, i, Operand::M(base, index, scale, displacement));
                }
            }
        }
        if let Some(mask) = x86.mask {
            match self.isa {
                Isa::Avx512 => {
                    let mut mask = register(mask, View::K);
                    if x86.spends_mask {
                        self.put(two(
                            Code::VEX_Kmovw_kr_km16,
                            Operand::R(Register::K7),
                            Operand::R(mask),
                        ));
                        mask = Register::K7;
                    }
                    instruction.set_op_mask(mask);
                }
                Isa::Avx2 => {
                    let mask = register(mask, View::Ymm);
                    let copy = Register::YMM15;
                    self.put(two(
                        Code::VEX_Vmovaps_ymm_ymmm256,
                        Operand::R(copy),
                        Operand::R(mask),
                    ));
                    let last = x86.slots.iter().flatten().count() as u32;
                    set(&mut instruction, last, Operand::R(copy));
                }
            }
        }
        instruction.set_zeroing_masking(x86.zeroing);
        instruction.set_has_lock_prefix(x86.lock);
        self.put(instruction);
    }
}

/// An operand of an instruction under construction.
#[derive(Clone, Copy)]
enum Operand {
    R(Register),
    M(Register, Register, u8, i64),
    /// An immediate: a byte, a byte sign-extended to 64 bits, a word, a word sign-extended to 64 bits, a long.
    B(u8),
    B64(i8),
    I(u32),
    I64(i32),
    L(u64),
}

fn immediate(it: Immediate) -> Operand {
    match it {
        Immediate::Byte(it) => Operand::B(it),
        Immediate::SignedByte64(it) => Operand::B64(it),
        Immediate::Word(it) => Operand::I(it),
        Immediate::Signed64(it) => Operand::I64(it),
        Immediate::Long([low, high]) => Operand::L(u64::from(low) | u64::from(high) << 32),
    }
}

fn set(instruction: &mut Instruction, i: u32, operand: Operand) {
    match operand {
        Operand::R(register) => {
            instruction.set_op_kind(i, OpKind::Register);
            instruction.set_op_register(i, register);
        }
        Operand::M(base, index, scale, displacement) => {
            instruction.set_op_kind(i, OpKind::Memory);
            instruction.set_memory_base(base);
            instruction.set_memory_index(index);
            instruction.set_memory_index_scale(u32::from(scale));
            instruction.set_memory_displacement64(displacement as u64);
            instruction.set_memory_displ_size(if base == Register::RIP { 8 } else { 1 });
        }
        Operand::B(it) => {
            instruction.set_op_kind(i, OpKind::Immediate8);
            instruction.set_immediate8(it);
        }
        Operand::B64(it) => {
            instruction.set_op_kind(i, OpKind::Immediate8to64);
            instruction.set_immediate8to64(i64::from(it));
        }
        Operand::I(it) => {
            instruction.set_op_kind(i, OpKind::Immediate32);
            instruction.set_immediate32(it);
        }
        Operand::I64(it) => {
            instruction.set_op_kind(i, OpKind::Immediate32to64);
            instruction.set_immediate32to64(i64::from(it));
        }
        Operand::L(it) => {
            instruction.set_op_kind(i, OpKind::Immediate64);
            instruction.set_immediate64(it);
        }
    }
}

fn frame(at: usize) -> Operand {
    Operand::M(FRAME, Register::None, 1, at as i64)
}

fn two(code: Code, first: Operand, second: Operand) -> Instruction {
    let mut instruction = Instruction::default();
    instruction.set_code(code);
    set(&mut instruction, 0, first);
    set(&mut instruction, 1, second);
    instruction
}

fn unary(code: Code, register: Register) -> Instruction {
    let mut instruction = Instruction::default();
    instruction.set_code(code);
    set(&mut instruction, 0, Operand::R(register));
    instruction
}

fn jump_to_memory(code: Code, at: usize) -> Instruction {
    let mut instruction = Instruction::default();
    instruction.set_code(code);
    set(&mut instruction, 0, frame(at));
    instruction
}
