//! The flat program that the engine runs: small instructions whose operands are rows of lanes.
//!
//! Control flow is part of the instructions. Every construct of the IR owns one frame while it runs;
//! each instruction that can leave no lane active says where execution continues then.

use std::ops::Range;

use ir::effort::Effort;
use ir::print::MessageKind;
use ir::ray::RayCall;
use ir::stage::EvalPlace;
use ir::{
    Atomic, Binding, Builtin, Derivative, Inst, Message, Private, ResourceKind, Shared, Slot, Span,
    TextureCall,
};
use ops::{Barrier, Binary, Compare, Repr, Ternary, Ty, Unary, WaveOp};

/// A decoded module, independent of the launch, so that it can be run many times.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) codes: Vec<Code>,
    /// For each code, the instruction that it was decoded from.
    pub(crate) origins: Vec<Inst>,
    /// For each instruction of the module, its source location.
    pub(crate) spans: Vec<Span>,
    /// The number of bit, word and long rows that a wave needs.
    pub(crate) rows: RowCounts,
    pub(crate) constants: Vec<Constant>,
    pub(crate) waves: Vec<WaveCode>,
    pub(crate) barriers: Vec<BarrierCode>,
    pub(crate) accesses: Vec<AccessCode>,
    pub(crate) textures: Vec<TextureCode>,
    pub(crate) rays: Vec<RayCode>,
    pub(crate) prints: Vec<PrintCode>,
    pub(crate) notes: Vec<NoteCode>,
    /// In a program of [`crate::decode_blocks`] the notes of all statements.
    pub(crate) begun: Vec<BlockNote>,
    /// The rows of values that something other than notes needs: in each representation the first ones.
    pub(crate) own_rows: RowCounts,
    pub(crate) switches: Vec<SwitchCode>,
    pub(crate) resources: Vec<ResourceKind>,
    /// The resources that are `globallycoherent`.
    pub(crate) coherent: Vec<bool>,
    /// Those of them that plain stores go to: a load may be the first half of a check-then-set.
    pub(crate) checked: Vec<bool>,
    pub(crate) groupshared: Vec<Array>,
    pub(crate) privates: Vec<Array>,
    /// The slots of ray queries of a lane.
    pub(crate) queries: u32,
    pub(crate) group_size: [u32; 3],
    pub(crate) wave_size: ir::WaveSize,
    pub(crate) wave_masks: bool,
    pub(crate) footprint: ir::exec::Footprint,
    pub(crate) evals: Vec<EvalCode>,
    /// The numbers of input and output slots of a vertex or pixel shader.
    pub(crate) slots: Option<[u32; 2]>,
    /// Helper lanes participate in wave operations, and their quads do not retire.
    pub(crate) helpers_take_part: bool,
}

/// A register: one value for each lane of a wave. The representation is in the two highest bits, followed by a
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row(u32);

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowCounts {
    pub(crate) bits: u32,
    pub(crate) words: u32,
    pub(crate) longs: u32,
}

/// A row that is written once, when the registers of a wave are created.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    pub(crate) row: Row,
    pub(crate) bits: u64,
    pub(crate) poisoned: bool,
}

/// A jump target: a label while decoding, an index into `codes` in a finished program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target(pub(crate) u32);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Code {
    Unary {
        op: Unary,
        ty: Ty,
        to: Row,
        a: Row,
    },
    Binary {
        op: Binary,
        ty: Ty,
        to: Row,
        a: Row,
        b: Row,
    },
    Compare {
        op: Compare,
        ty: Ty,
        to: Row,
        a: Row,
        b: Row,
    },
    Ternary {
        op: Ternary,
        ty: Ty,
        to: Row,
        args: [Row; 3],
    },
    Builtin {
        builtin: Builtin,
        to: Row,
    },
    /// An input of a vertex or pixel shader.
    Input {
        slot: Slot,
        to: Row,
    },
    /// Index into a separate table.
    Eval(u32),
    Output {
        slot: Slot,
        value: Row,
    },
    /// Before an instruction that helper lanes do not execute, in modules that have some: they wait until the
    /// `WithHelpers` after it.
    WithoutHelpers,
    /// The helper lanes continue; the result of the instruction is 0 and poisoned for them.
    WithHelpers {
        result: Option<Row>,
    },
    /// The active lanes become helper lanes.
    Discard {
        skip: Target,
    },
    /// Copies all lanes, including inactive ones: for rows that no other lane needs.
    Copy {
        to: Row,
        from: Row,
    },
    /// Copies the active lanes.
    Blend {
        to: Row,
        from: Row,
    },
    /// Indices into separate tables.
    Wave(u32),
    Barrier(u32),
    Load(u32),
    Store(u32),
    Atomic(u32),
    Size(u32),
    Counter(u32),
    Texture(u32),
    Ray(u32),
    Print(u32),
    /// What the next instruction costs more than a plain one.
    Effort(Effort),
    /// A note, for the observer alone; costs nothing.
    Note(u32),
    /// The next instruction costs nothing: only notes need it.
    Free,
    /// From here on hazards are reported, or not; costs nothing.
    Hazards(bool),
    /// Does nothing, and costs as much as the copy that the module without notes has here.
    Pass,
    Derivative {
        of: Derivative,
        ty: Ty,
        to: Row,
        a: Row,
    },
    SharedLoad {
        memory: Shared,
        to: Row,
        index: Row,
    },
    SharedStore {
        memory: Shared,
        index: Row,
        value: Row,
    },
    SharedAtomic {
        memory: Shared,
        index: Row,
        table: u32,
    },
    PrivateLoad {
        memory: Private,
        to: Row,
        index: Row,
    },
    PrivateStore {
        memory: Private,
        index: Row,
        value: Row,
    },

    /// Pushes a frame and runs the first arm with the lanes for which the condition holds.
    If {
        cond: Row,
        otherwise: Target,
    },
    /// The lanes that reached the end of the first arm wait; those of the second run.
    Else {
        end: Target,
    },
    /// Pushes the frame of a loop or a block.
    Enter,
    /// The back edge of a loop, or its end if no lane is left in it.
    Next {
        start: Target,
        skip: Target,
        /// The widths at which its iterations do not count: see [`ir::turns::short_loops_by_width`].
        short: u8,
    },
    /// Pushes a frame and assigns the lanes to cases.
    Switch(u32),
    /// The lanes that selected the case join those that fell through.
    Case {
        index: u32,
        next: Target,
    },
    /// The same in two steps, so that the parameters of the selecting lanes can be written in between.
    CaseSelect {
        index: u32,
    },
    CaseJoin {
        next: Target,
    },
    /// Pops a frame; all lanes that arrived here continue.
    End {
        skip: Target,
    },
    /// The active lanes wait at the end of the construct whose frame lies `up` below the top.
    Exit {
        up: u32,
        to: Inst,
        skip: Target,
    },
    Return {
        skip: Target,
    },
    /// The wave has ended.
    Halt,
}

#[derive(Clone, Debug)]
pub(crate) struct WaveCode {
    pub(crate) op: WaveOp,
    /// The type of the values that the operation folds or moves.
    pub(crate) ty: Ty,
    pub(crate) args: Vec<Row>,
    pub(crate) results: Vec<Row>,
    pub(crate) lanes: Option<Row>,
    /// Helper lanes are not participants; otherwise they are like all others, if there are any.
    pub(crate) sees_helpers: bool,
}

/// An input that is evaluated elsewhere than it was declared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvalCode {
    pub(crate) slot: Slot,
    pub(crate) at: EvalAt,
    pub(crate) to: Row,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum EvalAt {
    Place(EvalPlace<Row>),
    Vertex(Row),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierCode {
    pub(crate) barrier: Barrier,
    pub(crate) lanes: Option<Row>,
}

/// A buffer access.
#[derive(Clone, Debug)]
pub(crate) struct AccessCode {
    pub(crate) binding: Binding,
    /// The storage of its buffers: see [`ir::Module::storage`].
    pub(crate) storage: Binding,
    pub(crate) element: Option<Row>,
    pub(crate) at: AddressCode,
    /// The type of one scalar in memory.
    pub(crate) ty: Ty,
    /// The results of a load, or the operands of a store or an atomic operation.
    pub(crate) values: Vec<Row>,
    /// The result of an atomic operation.
    pub(crate) result: Option<Row>,
    pub(crate) atomic: Option<Atomic>,
    /// The increment of a counter.
    pub(crate) delta: i32,
}

/// A texture instruction.
#[derive(Clone, Debug)]
pub(crate) struct TextureCode {
    pub(crate) call: TextureCall<Row>,
    pub(crate) results: Vec<Row>,
}

/// An instruction of a ray query.
#[derive(Clone, Debug)]
pub(crate) struct RayCode {
    pub(crate) call: RayCall<Row>,
    pub(crate) results: Vec<Row>,
}

/// What lanes print.
#[derive(Clone, Debug)]
pub(crate) struct PrintCode {
    pub(crate) kind: MessageKind,
    pub(crate) message: Message,
    pub(crate) args: Vec<Row>,
}

/// A note, with the rows of the values that it names.
#[derive(Clone, Debug)]
pub(crate) struct NoteCode {
    pub(crate) note: ir::notes::Note,
    pub(crate) values: Vec<Row>,
    /// If it represents all statements of a basic block, where these are among those of [`Program::begun`].
    pub(crate) block: Option<Range<usize>>,
}

/// The note of a statement that begins in a basic block, and the position of its code, or of that which comes next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockNote {
    pub(crate) inst: Inst,
    pub(crate) position: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum AddressCode {
    Structured {
        index: Row,
        offset: Row,
        stride: u32,
    },
    Byte(Row),
    Texel(Row),
    /// Of a buffer without texels.
    Unit {
        index: Row,
        bytes: u32,
        when: Option<Row>,
    },
    CheckedTexel {
        index: Row,
        when: Option<Row>,
    },
    /// The access is to the resource as a whole.
    None,
}

impl AddressCode {
    /// The size in memory of each scalar of an access that does not convert, in bytes.
    pub(crate) fn scalar_bytes(self, ty: Ty) -> u32 {
        match self {
            AddressCode::Unit { bytes: 1, .. } => 1,
            _ => ty.bytes(),
        }
    }

    /// Whether it is a texel of a typed buffer.
    pub(crate) fn is_texel(self) -> bool {
        matches!(self, AddressCode::Texel(_) | AddressCode::CheckedTexel { .. })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SwitchCode {
    pub(crate) selector: Row,
    /// The labels of each case.
    pub(crate) cases: Vec<Vec<u64>>,
    pub(crate) default: Option<usize>,
}

/// An array in groupshared or private memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    pub(crate) ty: Ty,
    pub(crate) len: u32,
}

impl Row {
    const SHIFT: u32 = 30;

    pub(crate) fn new(repr: Repr, number: u32) -> Row {
        debug_assert!(number < 1 << Row::SHIFT);
        let tag = match repr {
            Repr::Bit => 0,
            Repr::Word => 1,
            Repr::Long => 2,
        };
        Row(tag << Row::SHIFT | number)
    }

    #[inline(always)]
    pub(crate) fn repr(self) -> Repr {
        match self.0 >> Row::SHIFT {
            0 => Repr::Bit,
            1 => Repr::Word,
            _ => Repr::Long,
        }
    }

    #[inline(always)]
    pub(crate) fn number(self) -> usize {
        (self.0 & ((1 << Row::SHIFT) - 1)) as usize
    }
}

impl RowCounts {
    pub(crate) fn of(&mut self, repr: Repr) -> &mut u32 {
        match repr {
            Repr::Bit => &mut self.bits,
            Repr::Word => &mut self.words,
            Repr::Long => &mut self.longs,
        }
    }
}

impl Code {
    /// Whether it can change which lanes are active or live, where execution continues, or which wave runs next in the
    /// canonical order.
    pub(crate) fn ends_block(&self) -> bool {
        match self {
            Code::WithoutHelpers
            | Code::WithHelpers { .. }
            | Code::Discard { .. }
            | Code::Barrier(_)
            | Code::If { .. }
            | Code::Else { .. }
            | Code::Enter
            | Code::Next { .. }
            | Code::Switch(_)
            | Code::Case { .. }
            | Code::CaseSelect { .. }
            | Code::CaseJoin { .. }
            | Code::End { .. }
            | Code::Exit { .. }
            | Code::Return { .. }
            | Code::Halt => true,
            Code::Unary { .. }
            | Code::Binary { .. }
            | Code::Compare { .. }
            | Code::Ternary { .. }
            | Code::Builtin { .. }
            | Code::Input { .. }
            | Code::Eval(_)
            | Code::Output { .. }
            | Code::Copy { .. }
            | Code::Blend { .. }
            | Code::Wave(_)
            | Code::Load(_)
            | Code::Store(_)
            | Code::Atomic(_)
            | Code::Size(_)
            | Code::Counter(_)
            | Code::Texture(_)
            | Code::Ray(_)
            | Code::Print(_)
            | Code::Effort(_)
            | Code::Note(_)
            | Code::Free
            | Code::Hazards(_)
            | Code::Pass
            | Code::Derivative { .. }
            | Code::SharedLoad { .. }
            | Code::SharedStore { .. }
            | Code::SharedAtomic { .. }
            | Code::PrivateLoad { .. }
            | Code::PrivateStore { .. } => false,
        }
    }
}

impl Program {
    /// The instructions that have codes, in the order of the codes; one may occur repeatedly.
    pub fn insts(&self) -> impl Iterator<Item = Inst> {
        self.origins.iter().copied()
    }

    /// For each basic block of a program of [`crate::decode_blocks`] the notes of the statements that begin in it.
    pub fn blocks(&self) -> impl Iterator<Item = impl ExactSizeIterator<Item = Inst>> {
        let blocks = self.notes.iter().filter_map(|it| it.block.clone());
        blocks.map(|it| self.begun[it].iter().map(|it| it.inst))
    }

    pub(crate) fn span(&self, pc: usize) -> Span {
        self.spans[self.origins[pc].index()]
    }
}
