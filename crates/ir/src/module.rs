//! The data structures of a module. Plain data with public fields; [`crate::verify`] lists the invariants.

use diag::Span;
use ops::wave::Fold;
use ops::{Barrier, Binary, Compare, Ternary, Ty, Unary, WaveOp};
use smallvec::SmallVec;

use crate::facts::{Access, Kind, Space};
use crate::group::GroupIo;
use crate::notes::{Note, Notes, ScopeId};
use crate::print::MessageData;
use crate::stage::{EvalPlace, StageIo};
use crate::{Derivative, QueryData, Ray, Texture};

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{self}")
            }
        }
    };
}

entity!(/** One scalar per lane. */ Value, "v");
entity!(/** An instruction. */ Inst, "i");
entity!(/** A list of instructions. */ Region, "r");
entity!(/** A resource binding: an index into [`Module::resources`]. */ Binding, "b");
entity!(/** An array in groupshared memory: an index into [`Module::groupshared`]. */ Shared, "g");
entity!(/** An array in a lane's private memory: an index into [`Module::privates`]. */ Private, "p");
entity!(/** Slots of ray queries: an index into [`Module::queries`]. */ Query, "q");
entity!(/** What an instruction prints: an index into [`Module::messages`]. */ Message, "m");
entity!(/** A component of an element of a stage's signature: see [`crate::stage`]. */ Slot, "s");

/// A short list of values, usually the scalars of one vector: as large as a `Vec`, and without an allocation up to
/// four.
pub type Values = SmallVec<[Value; 4]>;

/// One entry point and everything it uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    pub name: String,
    pub stage: ops::intrinsics::Stage,
    pub shader_model: ops::intrinsics::ShaderModel,
    pub group_size: [u32; 3],
    pub wave_size: WaveSize,
    /// The capabilities that a device must have to run it.
    pub needs: Needs,
    /// The inputs and outputs of a shader whose lanes come from a feed: all that run but those in groups.
    pub io: Option<StageIo>,
    /// What a group of a mesh or amplification shader receives and leaves.
    pub group: Option<Box<GroupIo>>,
    pub resources: Vec<Resource>,
    pub groupshared: Vec<Memory>,
    pub privates: Vec<Memory>,
    pub queries: Vec<QueryData>,
    pub messages: Vec<MessageData>,
    pub values: Vec<ValueData>,
    pub insts: Vec<InstData>,
    pub regions: Vec<RegionData>,
    pub body: Region,
    /// The values that held a source variable, for debuggers and for names in emitted code.
    pub variables: Vec<Variable>,
    /// The values that the source marks with `NonUniformResourceIndex`, and where; for the sanitizer.
    pub non_uniform: Vec<(Value, Span)>,
    /// The inlined functions, and what notes refer to if it was compiled for debugging.
    pub notes: Notes,
}

/// The `[WaveSize]` attribute; 0 means not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaveSize {
    pub min: u32,
    pub max: u32,
    pub preferred: u32,
}

/// The capabilities that a module needs of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    pub wave_ops: bool,
    pub int64: bool,
    pub native_16bit: bool,
    pub double: bool,
    /// Uses quad operations or derivatives, which decides the default lane order.
    pub quads: bool,
    /// Uses 32-bit wave masks, which cannot name lanes beyond 31.
    pub wave_masks: bool,
}

/// A resource as declared in the shader.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    pub name: String,
    pub kind: ResourceKind,
    /// The number of elements of its array: 1 if it is not an array, `None` if unbounded.
    pub count: Option<u32>,
    pub register: Register,
    /// What determined the register.
    pub chosen: Chosen,
    pub globally_coherent: bool,
    /// The resource whose memory it is bound to, for a run in which one buffer has two names: see [`Module::storage`].
    pub alias_of: Option<Binding>,
    /// Whether any operation of the module names it.
    pub used: bool,
    pub span: Span,
}

impl Resource {
    /// Whether the source gives its register, or its binding.
    pub fn has_own_register(&self) -> bool {
        self.chosen != Chosen::Counted
    }
}

/// The register of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    pub class: RegisterClass,
    pub index: u32,
    pub space: u32,
}

/// What determined a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Chosen {
    /// The compiler, which assigned the next free one.
    #[default]
    Counted,
    /// The source, by `register(…)`.
    Register,
    /// The source, by `[[vk::binding(…)]]`: the register is a binding, its space a descriptor set.
    Binding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegisterClass {
    /// `b`: constant buffers.
    Constant,
    /// `t`: read-only resources.
    Shader,
    /// `u`: writable resources.
    Unordered,
    /// `s`: samplers.
    Sampler,
    /// No register: the push constants of Vulkan, of which a program has one block.
    Push,
    /// No register: the resource heap, seen as an array of one kind.
    ResourceHeap,
    /// No register: the sampler heap.
    SamplerHeap,
}

impl RegisterClass {
    /// Whether it is a descriptor heap. All resources of such a class are views of one heap: see
    /// [`Module::storage`].
    pub fn is_heap(self) -> bool {
        matches!(self, RegisterClass::ResourceHeap | RegisterClass::SamplerHeap)
    }

    /// Whether registers distinguish the resources of the class.
    pub fn has_registers(self) -> bool {
        !self.is_heap() && self != RegisterClass::Push
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ResourceKind {
    /// Constants, with the members through which a host sets them.
    Constant { size: u32, members: Vec<Member> },
    /// Elements of `stride` bytes; `members` describe one element.
    Structured { writable: bool, stride: u32, members: Vec<Member>, counter: bool },
    /// A byte-addressed buffer.
    Raw { writable: bool },
    /// Texels of up to four components, converted from and to the buffer's format.
    Typed { writable: bool, element: Element },
    /// Texels, filtered or not, converted from and to the texture's format.
    Texture { dim: ops::texture::Dim, writable: bool, element: Element },
    /// Sampler state.
    Sampler { comparison: bool },
    /// An acceleration structure, which ray queries traverse.
    Scene,
    /// A map of the parts of a texture that samples use; `array` if the texture is one of layers.
    Feedback { kind: ops::texture::feedback::FeedbackKind, array: bool },
}

impl ResourceKind {
    pub fn writable(&self) -> bool {
        match self {
            ResourceKind::Constant { .. } | ResourceKind::Sampler { .. } | ResourceKind::Scene => {
                false
            }
            ResourceKind::Structured { writable, .. }
            | ResourceKind::Raw { writable }
            | ResourceKind::Typed { writable, .. }
            | ResourceKind::Texture { writable, .. } => *writable,
            ResourceKind::Feedback { .. } => true,
        }
    }
}

/// The element of a typed buffer as seen by the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    pub scalar: HostScalar,
    pub components: u32,
    /// `unorm` or `snorm` as declared.
    pub norm: Norm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Norm {
    None,
    Unorm,
    Snorm,
}

/// A scalar in memory as seen by a host: with signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostScalar {
    Bool,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl HostScalar {
    /// The type of such a scalar in the IR.
    pub fn ty(self) -> Ty {
        match self {
            HostScalar::Bool => Ty::Bool,
            HostScalar::I16 | HostScalar::U16 => Ty::I16,
            HostScalar::I32 | HostScalar::U32 => Ty::I32,
            HostScalar::I64 | HostScalar::U64 => Ty::I64,
            HostScalar::F16 => Ty::F16,
            HostScalar::F32 => Ty::F32,
            HostScalar::F64 => Ty::F64,
        }
    }

    /// The size in a buffer, in bytes; a `bool` takes a whole word.
    pub fn bytes(self) -> u32 {
        match self {
            HostScalar::I16 | HostScalar::U16 | HostScalar::F16 => 2,
            HostScalar::Bool | HostScalar::I32 | HostScalar::U32 | HostScalar::F32 => 4,
            HostScalar::I64 | HostScalar::U64 | HostScalar::F64 => 8,
        }
    }
}

/// A scalar, vector or matrix in a constant buffer or a structured element.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The path from the buffer, such as `Light.Position` or `Weights`.
    pub name: String,
    pub offset: u32,
    pub scalar: HostScalar,
    /// The components of a vector, or of each stored vector of a matrix.
    pub components: u32,
    /// The number of stored vectors of a matrix, otherwise 1.
    pub vectors: u32,
    /// The distance in bytes between stored vectors.
    pub vector_stride: u32,
    /// A matrix stored row by row.
    pub row_major: bool,
    /// Array dimensions, outermost first, with their strides in bytes.
    pub dims: Vec<(u32, u32)>,
}

/// An array of scalars in groupshared or private memory.
/// Arrays of structures are split into one such array for each scalar member.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The path in the source, such as `tile.weight`.
    pub name: String,
    pub ty: Ty,
    pub len: u32,
    pub span: Span,
}

/// A source variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub values: Values,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueData {
    pub ty: Ty,
    pub def: ValueDef,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// A result of an instruction.
    Result(Inst, u32),
    /// A parameter of a region.
    Param(Region, u32),
}

/// Only the bodies of loops and the cases of switches have parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionData {
    pub params: Values,
    /// The last one is a terminator.
    pub insts: Vec<Inst>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct InstData {
    pub op: Op,
    pub results: Values,
    pub span: Span,
    /// The inlined function that it belongs to.
    pub scope: ScopeId,
}

/// A value that the dispatch provides to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    GroupId(u8),
    GroupThreadId(u8),
    DispatchThreadId(u8),
    GroupIndex,
}

/// The address of an access within a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// Byte `offset` of the element `index` of a structured buffer.
    Structured { index: Value, offset: Value },
    /// A byte address, of a raw or a constant buffer.
    Byte(Value),
    /// The texel `index` of a typed buffer.
    Texel(Value),
    /// An access whose bounds have been checked, of a buffer seen as an array of units of `bytes` bytes, or of the
    /// texels of a typed buffer if that is 0. A unit of one byte is loaded into a word, zero-extended, and stored from
    /// the low byte of one. All scalars are in bounds for the lanes for which `when` holds, for all lanes without it;
    /// the other lanes load zeros and store nothing. `legalize` makes such accesses.
    Within { unit: Value, bytes: u32, when: Option<Value> },
}

impl Address {
    /// The size in memory of each scalar of an access that does not convert, in bytes.
    pub fn scalar_bytes(self, ty: Ty) -> u32 {
        match self {
            Address::Within { bytes: 1, .. } => 1,
            _ => ty.bytes(),
        }
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        let (first, second) = match self {
            Address::Structured { index, offset } => (index, Some(offset)),
            Address::Byte(at) | Address::Texel(at) => (at, None),
            Address::Within { unit, bytes: _, when } => (unit, when),
        };
        std::iter::once(first).chain(second)
    }
}

/// A resource, or one element of a resource array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub binding: Binding,
    /// The element of the array, per lane.
    pub element: Option<Value>,
}

/// The operation of an atomic access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atomic {
    Add,
    And,
    Or,
    Xor,
    Min(ops::Sign),
    Max(ops::Sign),
    Exchange,
    /// Stores the second operand if the first equals the old value.
    CompareExchange,
}

impl Atomic {
    /// The fold of which the operation is one step: several such changes of one place commute, and are one change by
    /// what they fold to. `None` if the operation replaces the old value.
    pub fn fold(self) -> Option<Fold> {
        match self {
            Atomic::Add => Some(Fold::Sum),
            Atomic::And => Some(Fold::And),
            Atomic::Or => Some(Fold::Or),
            Atomic::Xor => Some(Fold::Xor),
            Atomic::Min(sign) => Some(Fold::Min(sign)),
            Atomic::Max(sign) => Some(Fold::Max(sign)),
            Atomic::Exchange | Atomic::CompareExchange => None,
        }
    }

    /// Whether the value that it leaves is independent of the previous one.
    pub fn ignores_old(self, ty: Ty, args: [u64; 2]) -> bool {
        match self {
            Atomic::Exchange => true,
            // A bit that does not depend on the old one is the same for both values of that.
            Atomic::And | Atomic::Or => self.apply(ty, 0, args) == self.apply(ty, u64::MAX, args),
            Atomic::Add
            | Atomic::Xor
            | Atomic::Min(_)
            | Atomic::Max(_)
            | Atomic::CompareExchange => false,
        }
    }

    /// The value that the operation leaves in memory.
    pub fn apply(self, ty: Ty, old: u64, args: [u64; 2]) -> u64 {
        match self.fold() {
            Some(fold) => ops::scalar::eval_binary(fold.binary(), ty, old, args[0]),
            None if self == Atomic::Exchange => args[0],
            None if old == args[0] => args[1],
            None => old,
        }
    }
}

/// One instruction. Results are listed in [`InstData::results`].
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// The same bits in all lanes.
    Const {
        ty: Ty,
        bits: u64,
    },
    /// An uninitialised value: 0, poisoned.
    Undef(Ty),
    Builtin(Builtin),
    /// An input of a shader that has a signature.
    Input(Slot),
    /// The same input, interpolated elsewhere in the pixel. Offsets and indices are `i32`.
    Eval {
        slot: Slot,
        place: EvalPlace<Value>,
    },
    /// The same input at a vertex of the primitive; the number is an `i32`.
    InputAt {
        slot: Slot,
        vertex: Value,
    },
    /// Sets an output of such a shader. The last value counts.
    Output {
        slot: Slot,
        value: Value,
    },
    /// The active lanes of a pixel shader become helper lanes, and go on; a quad of helper lanes ends, unless these
    /// participate in wave operations.
    Discard,
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    Compare(Compare, Value, Value),
    Ternary(Ternary, [Value; 3]),

    /// A wave operation; with `lanes`, the lanes named by this 32-bit mask participate instead of the active set.
    Wave {
        op: WaveOp,
        args: Values,
        lanes: Option<Value>,
    },
    Barrier {
        barrier: Barrier,
        lanes: Option<Value>,
    },

    /// Consecutive scalars; the results determine their number and type.
    Load {
        place: Place,
        at: Address,
    },
    Store {
        place: Place,
        at: Address,
        values: Values,
    },
    /// Returns the old value.
    Atomic {
        place: Place,
        at: Address,
        op: Atomic,
        args: Values,
    },
    /// The number of elements (structured, typed) or bytes (raw), and for structured buffers the stride.
    Size {
        place: Place,
    },
    /// Adds 1 or -1 to a structured buffer's hidden counter; returns the value before (+1) or after (-1).
    Counter {
        place: Place,
        delta: i32,
    },
    Texture(Box<Texture>),
    Ray(Box<Ray>),
    /// The difference between lanes of the quad. An inactive lane is read as the reading lane's own value.
    Derivative(Derivative, Value),

    SharedLoad {
        memory: Shared,
        index: Value,
    },
    SharedStore {
        memory: Shared,
        index: Value,
        value: Value,
    },
    SharedAtomic {
        memory: Shared,
        index: Value,
        op: Atomic,
        args: Values,
    },
    PrivateLoad {
        memory: Private,
        index: Value,
    },
    PrivateStore {
        memory: Private,
        index: Value,
        value: Value,
    },

    /// Each lane prints the message with these scalars.
    Print {
        message: Message,
        args: Values,
    },
    /// Debug information: see [`crate::notes`].
    Note(Box<Note>),

    /// The results are the arguments of the yields.
    If {
        cond: Value,
        then: Region,
        else_: Region,
    },
    /// Each iteration runs the body with its parameters: `inits` first, then the arguments of the body's yield.
    /// A yield is the back edge. Results come from exits to the loop.
    Loop {
        body: Region,
        inits: Values,
    },
    /// Lanes that select a case enter its region with `inits` as parameters; lanes that yield from a case enter the
    /// next one with the arguments of the yield, or leave the switch after the last. Lanes that select no case
    /// leave with `inits`.
    /// The results, as many as `inits`, come from there and from exits to the switch.
    Switch {
        selector: Value,
        cases: Vec<Case>,
        inits: Values,
    },
    /// The results come from the yield and from exits to the block.
    Block {
        body: Region,
    },

    // Terminators.
    /// The normal end of a region.
    Yield(Values),
    /// Continues at the end of an enclosing `loop`, `switch` or `block`.
    Exit {
        to: Inst,
        args: Values,
    },
    /// Ends the lanes for the rest of the wave's life.
    Return,
}

/// A case group of a switch: all labels before the same statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Bits of the selector's type.
    pub labels: Vec<u64>,
    pub default: bool,
    pub body: Region,
}

/// Visits the parts of an instruction in order, borrowed either way: its operands, the resources it names, and the
/// regions directly inside. The only list of the parts of instructions.
macro_rules! visit_parts {
    ($op:expr, $value:ident, $resource:ident, $region:ident, $iter:ident, $by_role:ident $(, $mut:tt)?) => {{
        // The array element comes before the address.
        macro_rules! place {
            ($place:expr) => {{
                let place = $place;
                $resource(place);
                place.element.$iter().for_each(|it| $value(it));
            }};
        }
        macro_rules! address {
            ($at:expr) => {
                match $at {
                    Address::Structured { index, offset } => {
                        $value(index);
                        $value(offset);
                    }
                    Address::Byte(at) | Address::Texel(at) => $value(at),
                    Address::Within { unit, bytes: _, when } => {
                        $value(unit);
                        when.$iter().for_each(|it| $value(it));
                    }
                }
            };
        }
        match $op {
            Op::Const { .. }
            | Op::Undef(_)
            | Op::Builtin(_)
            | Op::Input(_)
            | Op::Discard
            | Op::Return => {}
            Op::Eval { place, .. } => match place {
                EvalPlace::Centroid => {}
                EvalPlace::Sample(index) => $value(index),
                EvalPlace::Snapped(x, y) => {
                    $value(x);
                    $value(y);
                }
            },
            Op::InputAt { vertex: a, .. } | Op::Output { value: a, .. } => $value(a),
            Op::Unary(_, a) => $value(a),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) => {
                $value(a);
                $value(b);
            }
            Op::Ternary(_, args) => args.$iter().for_each($value),
            Op::Wave { args, lanes, .. } => args.$iter().chain(lanes).for_each($value),
            Op::Barrier { lanes, .. } => lanes.$iter().for_each($value),
            Op::Load { place, at } => {
                place!(place);
                address!(at);
            }
            Op::Store { place, at, values } => {
                place!(place);
                address!(at);
                values.$iter().for_each($value);
            }
            Op::Atomic { place, at, args, .. } => {
                place!(place);
                address!(at);
                args.$iter().for_each($value);
            }
            Op::Size { place } | Op::Counter { place, .. } => place!(place),
            Op::Texture(texture) => {
                let Texture { op: _, texture, sampler, map, args } = & $($mut)? **texture;
                place!(texture);
                if let Some(sampler) = sampler {
                    place!(sampler);
                }
                if let Some(map) = map {
                    place!(map);
                }
                args.$by_role().into_iter().flatten().for_each($value);
            }
            Op::Ray(ray) => {
                let Ray { op: _, query: _, scene, args } = & $($mut)? **ray;
                if let Some(scene) = scene {
                    place!(scene);
                }
                args.$iter().for_each($value);
            }
            Op::Derivative(_, a) => $value(a),
            Op::SharedLoad { index, .. } | Op::PrivateLoad { index, .. } => $value(index),
            Op::SharedStore { index, value, .. } | Op::PrivateStore { index, value, .. } => {
                $value(index);
                $value(value);
            }
            Op::SharedAtomic { index, args, .. } => {
                $value(index);
                args.$iter().for_each($value);
            }
            Op::Print { args, .. } => args.$iter().for_each($value),
            Op::Note(note) => {
                if let Note::Write { values, .. } = & $($mut)? **note {
                    values.$iter().for_each($value);
                }
            }
            Op::If { cond, then, else_ } => {
                $value(cond);
                $region(then);
                $region(else_);
            }
            Op::Loop { body, inits } => {
                inits.$iter().for_each($value);
                $region(body);
            }
            Op::Switch { selector, cases, inits } => {
                $value(selector);
                inits.$iter().for_each($value);
                cases.$iter().for_each(|case| $region(& $($mut)? case.body));
            }
            Op::Block { body } => $region(body),
            Op::Yield(args) | Op::Exit { args, .. } => args.$iter().for_each($value),
        }
    }};
}

impl Op {
    /// The regions directly inside, in textual order.
    pub fn regions(&self) -> SmallVec<[Region; 4]> {
        let mut all = SmallVec::new();
        let (value, resource) = (|_: &Value| {}, |_: &Place| {});
        let mut region = |it: &Region| all.push(*it);
        visit_parts!(self, value, resource, region, iter, by_role);
        all
    }

    /// Calls `region` with every region directly inside, so that it can be replaced.
    pub fn for_each_region(&mut self, mut region: impl FnMut(&mut Region)) {
        let (value, resource) = (|_: &mut Value| {}, |_: &mut Place| {});
        visit_parts!(self, value, resource, region, iter_mut, by_role_mut, mut);
    }

    /// Calls `value` with every operand in order, so that it can be replaced.
    pub fn for_each_operand(&mut self, mut value: impl FnMut(&mut Value)) {
        let (resource, region) = (|_: &mut Place| {}, |_: &mut Region| {});
        visit_parts!(self, value, resource, region, iter_mut, by_role_mut, mut);
    }

    /// All operands in order.
    pub fn operands(&self) -> Values {
        let mut all = Values::new();
        let (resource, region) = (|_: &Place| {}, |_: &Region| {});
        let mut value = |it: &Value| all.push(*it);
        visit_parts!(self, value, resource, region, iter, by_role);
        all
    }

    /// The resources that the operation names: a buffer, a scene, or a texture followed by a sampler.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let mut all: SmallVec<[Place; 2]> = SmallVec::new();
        let (value, region) = (|_: &Value| {}, |_: &Region| {});
        let mut resource = |it: &Place| all.push(*it);
        visit_parts!(self, value, resource, region, iter, by_role);
        all.into_iter()
    }
}

impl Module {
    /// An empty compute shader, without even a body, which [`crate::Builder`] begins.
    pub fn empty() -> Module {
        Module {
            name: String::new(),
            stage: ops::intrinsics::Stage::Compute,
            shader_model: ops::intrinsics::ShaderModel::HIGHEST,
            group_size: [1; 3],
            wave_size: WaveSize::default(),
            needs: Needs::default(),
            io: None,
            group: None,
            resources: Vec::new(),
            groupshared: Vec::new(),
            privates: Vec::new(),
            queries: Vec::new(),
            messages: Vec::new(),
            values: Vec::new(),
            insts: Vec::new(),
            regions: Vec::new(),
            body: Region(0),
            variables: Vec::new(),
            non_uniform: Vec::new(),
            notes: Notes::default(),
        }
    }

    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst.index()]
    }

    pub fn region(&self, region: Region) -> &RegionData {
        &self.regions[region.index()]
    }

    pub fn ty(&self, value: Value) -> Ty {
        self.values[value.index()].ty
    }

    pub fn resource(&self, binding: Binding) -> &Resource {
        &self.resources[binding.index()]
    }

    /// The binding under which a launch provides the buffers of a resource: its own or, for an alias, that of the other
    /// resource; for a view of a descriptor heap, that of the first view of this heap.
    pub fn storage(&self, binding: Binding) -> Binding {
        let resource = self.resource(binding);
        if let Some(other) = resource.alias_of {
            return other;
        }
        let class = resource.register.class;
        let first = self.resources.iter().position(|it| it.register.class == class);
        match first {
            Some(first) if class.is_heap() => Binding(first as u32),
            _ => binding,
        }
    }

    /// Whether other resources may name the same memory: those of the same descriptor heap, or an alias.
    pub fn shares_memory(&self, binding: Binding) -> bool {
        let resource = self.resource(binding);
        resource.register.class.is_heap()
            || resource.alias_of.is_some()
            || self.resources.iter().any(|it| it.alias_of == Some(binding))
    }

    /// Whether the module may write the memory of a resource, under whichever name. Of a descriptor heap, nothing is
    /// known.
    pub fn may_be_written(&self, binding: Binding) -> bool {
        self.resource(binding).kind.writable() || self.shares_memory(binding)
    }

    /// The bits of a value that is the same constant in all lanes.
    pub fn constant(&self, value: Value) -> Option<u64> {
        match self.op_of(value)? {
            Op::Const { bits, .. } => Some(*bits),
            _ => None,
        }
    }

    /// The instruction that defines a value; a parameter of a region has none.
    pub fn made_by(&self, value: Value) -> Option<Inst> {
        match self.values[value.index()].def {
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Param(..) => None,
        }
    }

    /// The operation that defines a value.
    pub fn op_of(&self, value: Value) -> Option<&Op> {
        self.made_by(value).map(|it| &self.inst(it).op)
    }

    /// The operands of the yield of a region that does nothing else.
    pub fn only_yields(&self, region: Region) -> Option<&[Value]> {
        match self.region(region).insts.as_slice() {
            [last] => match &self.inst(*last).op {
                Op::Yield(values) => Some(values),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether atomic operations are possible on the contents of a resource.
    pub fn changes_atomically(&self, resource: Binding) -> bool {
        self.insts.iter().any(|it| match it.op.effects().kind {
            Kind::Memory(Space::Resource(place), access) => {
                self.storage(place.binding) == self.storage(resource) && access == Access::Atomic
            }
            _ => false,
        })
    }

    /// A register for a resource that is added.
    pub fn free_register(&self) -> Register {
        let class = RegisterClass::Unordered;
        let taken = self.resources.iter().filter(|it| it.register.class == class);
        let space = taken.map(|it| it.register.space).max().unwrap_or(0);
        // Devices have few descriptor sets: use an existing space, after everything in it.
        let in_space = self.resources.iter().filter(|it| it.register.space == space);
        let index = in_space.map(|it| {
            it.register.index.saturating_add(it.count.unwrap_or(1 << 16)).min(u32::MAX - 1)
        });
        Register { class, index: index.max().unwrap_or(0), space }
    }

    pub fn threads_per_group(&self) -> u32 {
        self.group_size.iter().product()
    }

    /// The size of all groupshared arrays together.
    pub fn groupshared_bytes(&self) -> u64 {
        self.groupshared.iter().map(|it| u64::from(it.len) * u64::from(it.ty.bytes())).sum()
    }
}
