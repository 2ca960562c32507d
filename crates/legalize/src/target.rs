//! The capabilities of a device: each row has a class of operations, the operand types, and how exact the device is.

use Ty::{Bool, F16, F32, F64, I16, I32, I64};
use ir::exec::ElementFormat;
use ir::{Address, Binding, InstData, Module, Op, Place, ResourceKind};
use ops::scalar::Family;
use ops::wave::{Facts, Operands, Results, Sees, Spread};
use ops::{Binary, Fold, Sign, Ternary, Ty, Unary, WaveOp};

use crate::feedback::Feedback;
use crate::rewritten::Rewrites;

/// Operations that a device supports or lacks together, or a guarantee about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Arithmetic on the type. A device without that of 16-bit integers gets words, except in memory.
    Arithmetic,
    /// The NaN results of float arithmetic. Corner: the bits of the NaN.
    Nan,
    /// Negation, absolute value and `saturate` of floats. Corner: the bits of a NaN.
    Sign,
    /// `isnan`, `isinf`, `isfinite`. Corner: the device's compiler may assume that there are no such values.
    NanTest,
    /// Shifts. Corner: counts of the type's width or more.
    Shift,
    /// Division and remainder of integers. Corners: by zero; the smallest by -1; the sign of a remainder.
    IntegerDivision,
    /// Absolute values of integers.
    IntegerAbs,
    /// Conversions of floats to integers. Corners: out of range, and NaN.
    ToInteger,
    /// Conversions to and from `bool`.
    Truth,
    /// Conversions between integers and 16-bit floats.
    HalfToInteger,
    /// Minimum and maximum of floats. Corner: the sign of a zero.
    Extremum,
    /// Bit counts, bit reversal and the index of the first bit.
    Bits,
    /// The index of the highest bit that differs from the sign.
    SignedBit,
    /// Rounding to integers.
    Rounding,
    /// Square roots and their reciprocals.
    Root,
    /// Division of floats.
    Division,
    /// The remainder of floats.
    Remainder,
    Fma,
    /// Sine to logarithm, `atan2` and `pow`.
    Transcendental,
    /// The decimal logarithm, for devices that provide the other transcendental functions.
    DecimalLogarithm,
    /// Folds over lanes, with instructions for the type. Corner of floats: a sum of nothing but `-0`.
    Fold,
    /// Minimum and maximum of floats over lanes. Corners: the sign of a zero, and NaN.
    FoldExtremum,
    /// Folds and scans over the lanes of a partition.
    Partition,
    /// Counting lanes of a partition.
    PartitionCount,
    Match,
    /// Whether all lanes hold the same value.
    AllEqual,
    Rotate,
    QuadVote,
    /// Wave operations of the lanes that a mask names.
    NamedLanes,
    /// Switches. Corners: cases that fall through, or that see which lanes execute them together.
    Switch,
    /// Biases of samples. A device without multiplies the gradients, by a power of two that is given with the bias.
    SampleBias,
    /// Accesses to buffers, with addresses of any kind: those out of bounds load zeros and store nothing. A device
    /// without gets units and a condition; the misaligned part of an address is dropped.
    Bounds,
    /// The same for loads and stores of the one word of an element.
    WordBounds,
    /// Loads and stores of texels of typed buffers, which convert between formats. A device without moves the bytes,
    /// and converts by instructions for the formats that are bound. It lacks bounds as well.
    Texel,
    /// Exclusive scans by all lanes of a wave, if the target says when waves are whole.
    WholeScan,
    /// Matches of one word or less. A device without compares the words bit by bit, if they differ in few bits.
    WordMatch,
    /// Wave operations of pixel shaders without their helper lanes.
    Helpers,
    /// Instructions of ray queries. A device without searches scenes that are buffers.
    RayQuery,
}

impl Class {
    const COUNT: usize = Class::RayQuery as usize + 1;
}

/// How a device implements the operations of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Has {
    /// The bits that `ops` defines, always.
    Exact,
    /// These bits, except in the corner cases of the class, where the result is arbitrary.
    Partly,
    /// A device-specific result, which is accepted. Only for callers that prefer speed to exact bits.
    Near,
    No,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub class: Class,
    /// The type of the operands.
    pub types: &'static [Ty],
    pub has: Has,
}

/// A device, described by the rows in which it is not exact. Everything else is [`Has::Exact`]. Beside them are the
/// rewrites that make programs faster on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// For each class and type, the contents of the last of its rows.
    has: [[Has; Ty::ALL.len()]; Class::COUNT],
    pub(crate) rewrites: Rewrites,
    /// The number of lanes of every wave, if waves are whole whenever the group's X size is a multiple of it, and lanes
    /// reconverge as the IR specifies.
    pub(crate) whole_waves: Option<u32>,
    /// Whether folds over a partition are an instruction.
    pub(crate) partitions: bool,
    /// The words of a set of lanes, for matches bit by bit.
    pub(crate) set_words: usize,
    /// What is known about resources, for sampler feedback; without it, feedback is left to the device.
    pub(crate) feedback: Vec<Feedback>,
    /// For each resource, the format of its texels, if it is known and not that of the shader's element type.
    formats: Vec<Option<ElementFormat>>,
}

const FLOATS: &[Ty] = &[F16, F32, F64];
const INTEGERS: &[Ty] = &[I16, I32, I64];
const ALL: &[Ty] = &[Bool, I16, I32, I64, F16, F32, F64];
const NUMBERS: &[Ty] = &[I16, I32, I64, F16, F32, F64];

/// Corner cases that neither Vulkan nor the hardware defines.
const COMMON: &[Row] = &[
    row(Class::NanTest, FLOATS, Has::Partly),
    row(Class::Shift, INTEGERS, Has::Partly),
    row(Class::IntegerDivision, INTEGERS, Has::Partly),
    row(Class::IntegerAbs, INTEGERS, Has::No),
    row(Class::ToInteger, FLOATS, Has::Partly),
    row(Class::Truth, NUMBERS, Has::No),
    row(Class::HalfToInteger, INTEGERS, Has::No),
    row(Class::HalfToInteger, &[F16], Has::No),
    row(Class::Extremum, FLOATS, Has::Partly),
    row(Class::Bits, &[I16, I64], Has::No),
    row(Class::SignedBit, INTEGERS, Has::No),
    row(Class::Fold, &[I16], Has::No),
    row(Class::PartitionCount, &[Bool], Has::No),
    row(Class::AllEqual, FLOATS, Has::No),
    row(Class::Rotate, ALL, Has::No),
    row(Class::Bounds, ALL, Has::No),
    row(Class::WordBounds, ALL, Has::No),
    row(Class::Switch, ALL, Has::No),
    row(Class::Switch, &[I32], Has::Partly),
    row(Class::Helpers, ALL, Has::No),
];

/// Vulkan, with the reference engine's bits for floats.
const EXACT: &[Row] = &[
    row(Class::Nan, FLOATS, Has::Partly),
    row(Class::Sign, FLOATS, Has::Partly),
    row(Class::Rounding, &[F16], Has::No),
    row(Class::Root, &[F16, F32], Has::No),
    row(Class::Division, &[F16, F32], Has::No),
    row(Class::Remainder, FLOATS, Has::No),
    row(Class::Fma, &[F16, F32], Has::No),
    row(Class::Transcendental, &[F16, F32], Has::No),
    row(Class::Fold, FLOATS, Has::Partly),
    row(Class::FoldExtremum, FLOATS, Has::Partly),
    row(Class::SampleBias, &[F32], Has::No),
];

/// Vulkan, with the device's floats.
const NEAR: &[Row] = &[
    row(Class::Nan, FLOATS, Has::Near),
    row(Class::Sign, FLOATS, Has::Near),
    row(Class::Root, FLOATS, Has::Near),
    row(Class::Division, FLOATS, Has::Near),
    row(Class::Remainder, FLOATS, Has::Near),
    row(Class::Fma, FLOATS, Has::Near),
    row(Class::Transcendental, &[F32], Has::Near),
    // Defined by conversion to f32.
    row(Class::Transcendental, &[F16], Has::No),
    row(Class::DecimalLogarithm, &[F32], Has::No),
    row(Class::Fold, FLOATS, Has::Near),
    row(Class::FoldExtremum, FLOATS, Has::Near),
];

const SHORT_WORDS: &[Row] = &[row(Class::Arithmetic, &[I16], Has::No)];

/// CUDA's PTX: divisions, roots and conversions follow IEEE 754; the bits of a NaN are hardware-specific. Folds of
/// floats are the back end's own trees, in the canonical order.
const CUDA: &[Row] = &[
    row(Class::Nan, FLOATS, Has::Partly),
    row(Class::Sign, FLOATS, Has::Partly),
    row(Class::NanTest, &[F32, F64], Has::Exact),
    row(Class::ToInteger, &[F32, F64], Has::Exact),
    row(Class::Bits, &[I64], Has::Exact),
    row(Class::SignedBit, &[I32, I64], Has::Exact),
    row(Class::Rounding, &[F16], Has::No),
    row(Class::Root, &[F16], Has::No),
    row(Class::Division, &[F16], Has::No),
    row(Class::Remainder, FLOATS, Has::No),
    row(Class::Transcendental, &[F16, F32], Has::No),
    row(Class::FoldExtremum, FLOATS, Has::Partly),
    row(Class::PartitionCount, &[Bool], Has::Exact),
    row(Class::NamedLanes, ALL, Has::No),
    row(Class::Switch, ALL, Has::Exact),
    row(Class::SampleBias, &[F32], Has::No),
    row(Class::Texel, ALL, Has::No),
];

/// Lane operations that SPIR-V has, natively or by a loop that costs less than one in the IR.
const LANES: &[Row] = &[
    row(Class::QuadVote, &[Bool], Has::No),
    row(Class::Match, ALL, Has::No),
    row(Class::NamedLanes, ALL, Has::No),
    // For floats the order of operations would differ.
    row(Class::Partition, INTEGERS, Has::No),
];

const fn row(class: Class, types: &'static [Ty], has: Has) -> Row {
    Row { class, types, has }
}

impl Target {
    /// The names that [`Target::named`] knows.
    pub const NAMES: [&'static str; 6] =
        ["vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4", "cuda", "least"];

    /// A device that has everything: legalisation changes nothing.
    pub fn everything() -> Target {
        Target::of_rows(&[])
    }

    /// A Vulkan device. With `exact`, it has 64-bit floats and integers, which are used to compute the reference
    /// engine's bits for smaller types; otherwise floats have the device's results.
    pub fn vulkan(exact: bool, short_words: bool) -> Target {
        let floats = if exact { EXACT } else { NEAR };
        let shorts = if short_words { SHORT_WORDS } else { &[] };
        Target::of_rows(&[COMMON, floats, shorts])
    }

    /// The same device, if it checks the bounds of single words itself.
    pub fn with_word_bounds(mut self) -> Target {
        self.put(&row(Class::WordBounds, ALL, Has::Exact));
        self
    }

    /// The same device, with native partitions of the active lanes.
    pub fn with_partitions(mut self) -> Target {
        self.partitions = true;
        self
    }

    pub fn cuda() -> Target {
        let rewrites = Rewrites { unrolling: true, ..Rewrites::default() };
        Target { rewrites, ..Target::of_rows(&[COMMON, CUDA]) }
    }

    /// The device with the fewest capabilities.
    pub fn least() -> Target {
        Target::of_rows(&[COMMON, EXACT, SHORT_WORDS, LANES])
    }

    /// The target with this name: a version of Vulkan means a device with 64-bit floats and integers.
    pub fn named(name: &str) -> Option<Target> {
        match name {
            "cuda" => Some(Target::cuda()),
            "least" => Some(Target::least()),
            name if Target::NAMES.contains(&name) => Some(Target::vulkan(true, true)),
            _ => None,
        }
    }

    /// The same device, if all its waves have this many lanes. Then lanes can read others by relative index, which is
    /// faster than an instruction that must determine the active lanes.
    pub fn with_whole_waves(mut self, lanes: u32) -> Target {
        self.put(&row(Class::WholeScan, INTEGERS, Has::No));
        self.whole_waves = Some(lanes);
        self
    }

    /// The same device, if matches of words are faster bit by bit than by its own instruction. Its waves have this many
    /// lanes.
    pub fn with_matches_by_bits(mut self, lanes: u32) -> Target {
        self.put(&row(Class::WordMatch, &[I16, I32, F16, F32], Has::No));
        self.set_words = lanes.div_ceil(32) as usize;
        self
    }

    /// The same device, if programs are rewritten for one dispatch where that cannot be observed
    /// ([`crate::rewritten`]).
    pub fn with_rewrites(mut self) -> Target {
        self.rewrites.of_dispatches = true;
        self
    }

    /// The same device, if the texels of typed buffers have these formats, by the numbers of resources; those without
    /// have the shader's own.
    pub fn with_formats(mut self, formats: Vec<Option<ElementFormat>>) -> Target {
        self.formats = formats;
        self
    }

    /// The format of the texels of a typed buffer.
    pub fn texel_format(&self, module: &Module, binding: Binding) -> ElementFormat {
        let ResourceKind::Typed { element, .. } = &module.resource(binding).kind else {
            unreachable!("the verifier has checked that texels are those of typed buffers")
        };
        let bound = self.formats.get(binding.index()).copied().flatten();
        ir::access::format(bound, element)
    }

    /// The same device, if it has no ray queries.
    pub fn without_ray_queries(mut self) -> Target {
        self.put(&row(Class::RayQuery, &[I32], Has::No));
        self
    }

    pub fn has(&self, class: Class, ty: Ty) -> Has {
        self.has[class as usize][ty as usize]
    }

    /// Later rows override earlier ones.
    fn of_rows(rows: &[&[Row]]) -> Target {
        let has = [[Has::Exact; Ty::ALL.len()]; Class::COUNT];
        let mut target = Target {
            has,
            rewrites: Rewrites::default(),
            whole_waves: None,
            partitions: false,
            set_words: 4,
            feedback: Vec::new(),
            formats: Vec::new(),
        };
        rows.iter().copied().flatten().for_each(|row| target.put(row));
        target
    }

    fn put(&mut self, row: &Row) {
        row.types.iter().for_each(|ty| self.has[row.class as usize][*ty as usize] = row.has);
    }

    /// Whether the corner cases of a class must be written out.
    pub(crate) fn leaves_open(&self, class: Class, ty: Ty) -> bool {
        matches!(self.has(class, ty), Has::Partly | Has::No)
    }

    pub(crate) fn lacks(&self, class: Class, ty: Ty) -> bool {
        self.has(class, ty) == Has::No
    }
}

/// The capabilities that an operation requires of a device: classes, and operand types.
pub fn asks(module: &Module, inst: &InstData) -> impl Iterator<Item = (Class, Ty)> {
    let op = &inst.op;
    let mut all: [Option<(Class, Ty)>; 4] = [None; 4];
    match op {
        Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } => {
            let access = buffer_access(module, inst).filter(|it| !uneven(module, it));
            all[0] = access.map(|it| (it.class, it.ty));
            all[1] = texel_ty(module, inst).map(|it| (Class::Texel, it));
        }
        Op::Unary(op, a) => all[..2].copy_from_slice(&asks_unary(*op, module.ty(*a))),
        Op::Binary(op, a, _) => all[0] = asks_binary(*op, module.ty(*a)),
        Op::Ternary(Ternary::Fma, [a, ..]) => all[0] = Some((Class::Fma, module.ty(*a))),
        Op::Wave { op, args, lanes } => {
            let ty = args.first().map_or(Bool, |it| module.ty(*it));
            all[..2].copy_from_slice(&asks_wave(*op, ty));
            all[2] = lanes.map(|_| (Class::NamedLanes, ty));
            let leaves_out = module.has_helpers() && !module.helpers_take_part();
            let depends = !matches!(op.facts().sees, Sees::Nothing | Sees::Quad);
            all[3] = (leaves_out && depends).then_some((Class::Helpers, ty));
        }
        Op::Texture(texture) if texture.is_biased() && texture.args.ddx.is_empty() => {
            all[0] = Some((Class::SampleBias, F32));
        }
        Op::Ray(_) => all[0] = Some((Class::RayQuery, I32)),
        Op::Switch { selector, .. } => all[0] = Some((Class::Switch, module.ty(*selector))),
        // Other operations are the same everywhere.
        _ => {}
    }
    // Moving bits and truncating words do not depend on the arithmetic of the device.
    let moves = matches!(op, Op::Unary(Unary::Bitcast(_) | Unary::Convert { .. }, _));
    let arithmetic = match op {
        Op::Unary(_, a) if !moves => Some(*a),
        Op::Binary(_, a, _) | Op::Compare(_, a, _) => Some(*a),
        _ => None,
    };
    if let Some(value) = arithmetic {
        all[2] = Some((Class::Arithmetic, module.ty(value)));
    }
    all.into_iter().flatten()
}

/// The type of the components, if an instruction loads or stores texels of a typed buffer.
fn texel_ty(module: &Module, inst: &InstData) -> Option<Ty> {
    let (at, value) = match &inst.op {
        Op::Load { at, .. } => (at, inst.results[0]),
        Op::Store { at, values, .. } => (at, values[0]),
        _ => return None,
    };
    let is_texel = matches!(at, Address::Texel(_) | Address::Within { bytes: 0, .. });
    is_texel.then(|| module.ty(value))
}

/// An access to a buffer whose bounds have not been checked.
pub(crate) struct BufferAccess {
    pub(crate) class: Class,
    pub(crate) ty: Ty,
    /// The size of its units, in bytes: 64 bits are two words, except for atomic operations.
    pub(crate) unit: u32,
    place: Place,
    at: Address,
}

pub(crate) fn buffer_access(module: &Module, inst: &InstData) -> Option<BufferAccess> {
    let (place, at, scalars) = match &inst.op {
        Op::Load { place, at } => (*place, *at, &inst.results),
        Op::Store { place, at, values } => (*place, *at, values),
        Op::Atomic { place, at, args, .. } => (*place, *at, args),
        _ => return None,
    };
    let ty = module.ty(scalars[0]);
    let resource = module.resource(place.binding);
    let is_atomic = matches!(inst.op, Op::Atomic { .. });
    let class = match (at, &resource.kind) {
        (Address::Within { .. }, _) => return None,
        (Address::Structured { offset, .. }, ResourceKind::Structured { stride: 4, .. })
            if !is_atomic
                && (ty.bytes(), scalars.len(), module.constant(offset)) == (4, 1, Some(0))
                && resource.count == Some(1) =>
        {
            Class::WordBounds
        }
        _ => Class::Bounds,
    };
    let unit = if is_atomic { ty.bytes() } else { ty.bytes().min(4) };
    Some(BufferAccess { class, ty, unit, place, at })
}

/// Whether the elements are not a whole number of units of the access.
pub(crate) fn uneven(module: &Module, access: &BufferAccess) -> bool {
    let kind = &module.resource(access.place.binding).kind;
    match (access.at, kind) {
        (Address::Structured { .. }, ResourceKind::Structured { stride, .. }) => {
            !stride.is_multiple_of(access.unit)
        }
        _ => false,
    }
}

pub(crate) fn asks_wave(op: WaveOp, ty: Ty) -> [Option<(Class, Ty)>; 2] {
    let Facts { signature, sees, spread, fold, .. } = op.facts();
    let folds = fold.map(|fold| match fold {
        Fold::Min(_) | Fold::Max(_) if ty.is_float() => Class::FoldExtremum,
        _ => Class::Fold,
    });
    let class = match (sees, signature.operands) {
        (Sees::Partition, _) if let Some(folds) = folds => {
            return [Some((folds, ty)), Some((Class::Partition, ty))];
        }
        _ if let Some(folds) = folds => folds,
        (Sees::Partition, _) => Class::PartitionCount,
        (Sees::Participants, Operands::Value) => Class::AllEqual,
        (Sees::Participants, Operands::Values) => Class::Match,
        // The operand is a distance: a uniform one still names a different lane for each.
        (Sees::Named, _) if spread == Spread::Any => Class::Rotate,
        (Sees::Quad, _) if signature.results == Results::Bool => Class::QuadVote,
        _ => return [None, None],
    };
    [Some((class, ty)), None]
}

pub(crate) fn asks_unary(op: Unary, ty: Ty) -> [Option<(Class, Ty)>; 2] {
    let class = match op.facts().family {
        Family::Sign if ty.is_float() => Class::Sign,
        Family::Sign if op == Unary::Abs => Class::IntegerAbs,
        Family::NumberTest => Class::NanTest,
        Family::BitCount if op == Unary::FirstBitHigh(Sign::Signed) => Class::SignedBit,
        Family::BitCount => Class::Bits,
        Family::Rounding => Class::Rounding,
        Family::Root => Class::Root,
        Family::Transcendental => Class::Transcendental,
        Family::Half if op == Unary::PackHalf => return [Some((Class::Nan, F16)), None],
        Family::Half => return [Some((Class::Nan, F32)), None],
        Family::Conversion => return asks_conversion(ty, op.result(ty).unwrap_or(ty)),
        Family::Bits
        | Family::Sign
        | Family::Ring
        | Family::Division
        | Family::Remainder
        | Family::Extremum
        | Family::Shift
        | Family::Comparison
        | Family::Fma => return [None, None],
    };
    [Some((class, ty)), None]
}

fn asks_conversion(from: Ty, to: Ty) -> [Option<(Class, Ty)>; 2] {
    let half = (from == F16 && to.is_int()) || (to == F16 && from.is_int());
    let second = half.then_some((Class::HalfToInteger, from));
    match (from, to) {
        _ if from == to => [None, None],
        (Bool, other) | (other, Bool) => [Some((Class::Truth, other)), None],
        _ if from.is_float() && to.is_float() => [Some((Class::Nan, to)), None],
        _ if from.is_float() => [Some((Class::ToInteger, from)), second],
        _ => [second, None],
    }
}

pub(crate) fn asks_binary(op: Binary, ty: Ty) -> Option<(Class, Ty)> {
    let class = match op.facts().family {
        Family::Ring if ty.is_float() => Class::Nan,
        Family::Division if ty.is_float() => Class::Division,
        Family::Remainder if ty.is_float() => Class::Remainder,
        Family::Extremum if ty.is_float() => Class::Extremum,
        Family::Division | Family::Remainder => Class::IntegerDivision,
        Family::Shift => Class::Shift,
        Family::Transcendental => Class::Transcendental,
        Family::Bits
        | Family::Sign
        | Family::Ring
        | Family::Extremum
        | Family::Comparison
        | Family::NumberTest
        | Family::BitCount
        | Family::Rounding
        | Family::Root
        | Family::Fma
        | Family::Conversion
        | Family::Half => return None,
    };
    Some((class, ty))
}
