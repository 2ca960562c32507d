//! Parses a SPIR-V module as far as a host needs: entry points, bindings, and memory layouts.
//!
//! Accepts any bytes and returns a module or a message. Every count is checked against the remaining words, ids against
//! the bound, and types are followed to a bounded depth. Deliberately absent: the bodies of functions, except which
//! variables they use, and all other validation.

use std::collections::{BTreeMap, BTreeSet};

use ops::texture::Dim;
use spirv::opcode::MAGIC;

/// SPIR-V's limit on the bound of ids.
const MOST_IDS: u32 = 0x003f_ffff;

/// The most bytes of a module.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// The limit on the nesting of types.
const MOST_DEPTH: u32 = 32;
/// Layouts of types with more scalars are not compared.
const MOST_SCALARS: usize = 1 << 16;

/// The parsed module.
#[derive(Clone, Debug, Default)]
pub(super) struct Parsed {
    pub(super) words: Vec<u32>,
    /// The compiler's registered generator number.
    pub(super) generator: u32,
    pub(super) capabilities: Vec<u32>,
    pub(super) entries: Vec<Entry>,
    pub(super) variables: Vec<Variable>,
    names: BTreeMap<u32, String>,
    decorations: BTreeMap<u32, Decorations>,
    members: BTreeMap<(u32, u32), MemberDecorations>,
    types: BTreeMap<u32, Type>,
    /// 32-bit constants, specialization constants with their defaults, and values computed from them.
    constants: BTreeMap<u32, u32>,
    specializable: Vec<Specializable>,
    composites: BTreeMap<u32, Vec<u32>>,
    /// Variables that functions use.
    used: BTreeSet<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    id: u32,
    pub(super) group_size: Option<[u32; 3]>,
    /// Whether the size of its groups is computed in a way that is not evaluated here.
    pub(super) is_size_unknown: bool,
    /// Whether it requests maximal reconvergence.
    pub(super) reconverges: bool,
}

/// A variable outside functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    id: u32,
    pub(super) name: String,
    pub(super) set: Option<u32>,
    pub(super) binding: Option<u32>,
    pub(super) kind: Kind,
    pub(super) count: Count,
    /// Whether it is read-only, by its decorations or its type.
    pub(super) is_read_only: bool,
    /// The type of the texels, for texel buffers and textures.
    pub(super) image: Option<Image>,
    /// The type of the variable: a block, for buffers.
    ty: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Uniform,
    Storage,
    Texels,
    Texture,
    Sampler,
    Push,
    /// A texture and its sampler in one descriptor.
    Combined,
    /// A kind that HLSL does not have, or an unknown one.
    Other,
}

/// The number of descriptors of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// Not an array.
    One,
    Array(u32),
    /// An unbounded array.
    Any,
    /// Computed in a way that is not evaluated here.
    Unknown,
}

/// The type of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// The type of a loaded component.
    pub(super) scalar: Scalar,
    /// `None` for a buffer of texels.
    pub(super) dim: Option<Dim>,
    pub(super) is_written: bool,
    /// The number of the declared format; 0 for none.
    pub(super) format: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    pub(super) bytes: u32,
    pub(super) kind: ScalarKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarKind {
    Float,
    Signed,
    Unsigned,
}

/// A constant that a host may replace.
#[derive(Clone, Copy, Debug)]
struct Specializable {
    id: u32,
    ty: u32,
    /// The index of its instruction's first word, and the number of its operands.
    at: usize,
    operands: usize,
}

#[derive(Clone, Debug, Default)]
struct Decorations {
    set: Option<u32>,
    binding: Option<u32>,
    is_buffer_block: bool,
    is_read_only: bool,
    array_stride: Option<u32>,
    is_group_size: bool,
    /// The number by which the host sets the constant.
    constant: Option<u32>,
}

#[derive(Clone, Debug, Default)]
struct MemberDecorations {
    offset: Option<u32>,
    matrix_stride: Option<u32>,
    is_row_major: bool,
    is_read_only: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    Bool,
    Scalar(Scalar),
    Vector(u32, u32),
    Matrix(u32, u32),
    Image {
        /// The type of its components.
        scalar: u32,
        dim: Option<Dim>,
        is_written: bool,
        format: u32,
    },
    Sampler,
    SampledImage,
    Array(u32, u32),
    RuntimeArray(u32),
    Struct(Vec<u32>),
    Pointer(u32, u32),
    Other,
}

/// The memory layout of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Words, which the module addresses itself.
    Plain,
    /// Scalars at these offsets, with their sizes, in elements with this stride; a single element for constants.
    Scalars { stride: Option<u32>, scalars: Vec<(u32, u32)> },
    /// Too large to compare, or without a layout.
    Unknown,
}

/// The opcodes and enumerants that are used here.
mod number {
    use spirv::opcode;

    pub(super) use spirv::opcode::{
        ARRAY_STRIDE, BINDING, BUFFER_BLOCK, BUILT_IN, DESCRIPTOR_SET, MATRIX_STRIDE,
        MODE_LOCAL_SIZE as LOCAL_SIZE, MODE_LOCAL_SIZE_ID as LOCAL_SIZE_ID,
        MODE_MAXIMALLY_RECONVERGES as MAXIMALLY_RECONVERGES, MODEL_COMPUTE as COMPUTE,
        NON_WRITABLE, OFFSET, PUSH_CONSTANT, ROW_MAJOR, SPEC_ID, STORAGE_BUFFER, UNIFORM,
        UNIFORM_CONSTANT, WORKGROUP_SIZE,
    };

    macro_rules! instructions {
        ($($name:ident)*) => {
            $(pub(super) const $name: u32 = opcode::$name.number as u32;)*
        };
    }

    instructions! {
        NAME ENTRY_POINT EXECUTION_MODE CAPABILITY MEMORY_MODEL TYPE_BOOL TYPE_INT TYPE_FLOAT TYPE_VECTOR TYPE_MATRIX TYPE_IMAGE TYPE_SAMPLER TYPE_SAMPLED_IMAGE TYPE_ARRAY TYPE_RUNTIME_ARRAY TYPE_STRUCT TYPE_POINTER CONSTANT CONSTANT_COMPOSITE SPEC_CONSTANT_TRUE SPEC_CONSTANT_FALSE SPEC_CONSTANT SPEC_CONSTANT_COMPOSITE SPEC_CONSTANT_OP FUNCTION FUNCTION_END VARIABLE DECORATE MEMBER_DECORATE EXECUTION_MODE_ID I_ADD I_SUB I_MUL U_DIV
    }
}

/// Parses a module. The error says what is wrong with it.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, String> {
    if bytes.len() > MOST_BYTES {
        return Err(format!("it has {} bytes, and the limit is {MOST_BYTES}", bytes.len()));
    }
    if bytes.len() < 20 {
        return Err(format!("it has {} bytes, fewer than the 20 of a header", bytes.len()));
    }
    if !bytes.len().is_multiple_of(4) {
        return Err(format!("it has {} bytes, which is not a multiple of 4", bytes.len()));
    }
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect();
    if words[0] == MAGIC.swap_bytes() {
        words.iter_mut().for_each(|it| *it = it.swap_bytes());
    }
    read(words)
}

fn read(words: Vec<u32>) -> Result<Parsed, String> {
    if words[0] != MAGIC {
        return Err(format!("it begins with {:#010x}, not with SPIR-V's {MAGIC:#010x}", words[0]));
    }
    let bound = words[3];
    if bound == 0 || bound > MOST_IDS {
        return Err(format!("its bound of ids is {bound}; it must be from 1 to {MOST_IDS}"));
    }
    let generator = words[2] >> 16;
    let mut reader = Reader { bound, ..Reader::default() };
    let mut rest = &words[5..];
    while let Some(first) = rest.first() {
        let (count, opcode) = ((first >> 16) as usize, first & 0xffff);
        let at = words.len() - rest.len();
        let Some((inst, left)) = rest.split_at_checked(count).filter(|_| count > 0) else {
            let left = rest.len();
            return Err(format!(
                "the instruction at word {at} has {count} words, but {left} are left"
            ));
        };
        reader
            .inst(opcode, &inst[1..], at)
            .ok_or_else(|| format!("the instruction at word {at} (opcode {opcode}) is truncated"))?
            .map_err(|what| format!("at word {at}: {what}"))?;
        rest = left;
    }
    let mut parsed = reader.finish()?;
    parsed.generator = generator;
    parsed.words = words;
    Ok(parsed)
}

#[derive(Default)]
struct Reader {
    bound: u32,
    parsed: Parsed,
    has_model: bool,
    /// The number of open functions.
    open: u32,
    functions: u32,
    /// Variables in the order of declaration: id, type of the pointer, storage class.
    variables: Vec<(u32, u32, u32)>,
    known: BTreeSet<u32>,
    modes: Vec<(u32, Mode)>,
}

enum Mode {
    Size([u32; 3]),
    SizeIds([u32; 3]),
    Reconverges,
}

impl Reader {
    /// `None` if operands are missing.
    fn inst(&mut self, opcode: u32, all: &[u32], word: usize) -> Option<Result<(), String>> {
        use number as n;
        let at = |index: usize| all.get(index).copied();
        let parsed = &mut self.parsed;
        if self.functions > 0 && opcode != n::FUNCTION_END {
            // Literals can look like ids; then an unused variable counts as used, which is harmless.
            parsed.used.extend(all.iter().filter(|it| self.known.contains(it)));
        }
        match opcode {
            n::CAPABILITY => parsed.capabilities.push(at(0)?),
            n::MEMORY_MODEL => {
                at(1)?;
                self.has_model = true;
            }
            n::ENTRY_POINT => {
                let (model, id) = (at(0)?, at(1)?);
                let name = text(all.get(2..)?);
                if model == n::COMPUTE {
                    parsed.entries.push(Entry { name, id, ..Entry::default() });
                }
            }
            n::EXECUTION_MODE | n::EXECUTION_MODE_ID => {
                let (id, mode) = (at(0)?, at(1)?);
                let mode = match mode {
                    n::LOCAL_SIZE => Mode::Size([at(2)?, at(3)?, at(4)?]),
                    n::LOCAL_SIZE_ID => Mode::SizeIds([at(2)?, at(3)?, at(4)?]),
                    n::MAXIMALLY_RECONVERGES => Mode::Reconverges,
                    _ => return Some(Ok(())),
                };
                self.modes.push((id, mode));
            }
            n::NAME => {
                parsed.names.insert(at(0)?, text(all.get(1..)?));
            }
            n::DECORATE => {
                let it = parsed.decorations.entry(at(0)?).or_default();
                match at(1)? {
                    n::BUFFER_BLOCK => it.is_buffer_block = true,
                    n::ARRAY_STRIDE => it.array_stride = Some(at(2)?),
                    n::NON_WRITABLE => it.is_read_only = true,
                    n::BINDING => it.binding = Some(at(2)?),
                    n::DESCRIPTOR_SET => it.set = Some(at(2)?),
                    n::BUILT_IN => it.is_group_size = at(2)? == n::WORKGROUP_SIZE,
                    n::SPEC_ID => it.constant = Some(at(2)?),
                    _ => {}
                }
            }
            n::MEMBER_DECORATE => {
                let it = parsed.members.entry((at(0)?, at(1)?)).or_default();
                match at(2)? {
                    n::OFFSET => it.offset = Some(at(3)?),
                    n::MATRIX_STRIDE => it.matrix_stride = Some(at(3)?),
                    n::ROW_MAJOR => it.is_row_major = true,
                    n::NON_WRITABLE => it.is_read_only = true,
                    _ => {}
                }
            }
            n::TYPE_BOOL => return Some(self.ty(at(0)?, Type::Bool)),
            n::TYPE_INT => {
                let kind = if at(2)? == 0 { ScalarKind::Unsigned } else { ScalarKind::Signed };
                return Some(self.ty(at(0)?, Type::Scalar(Scalar { bytes: at(1)? / 8, kind })));
            }
            n::TYPE_FLOAT => {
                let scalar = Scalar { bytes: at(1)? / 8, kind: ScalarKind::Float };
                return Some(self.ty(at(0)?, Type::Scalar(scalar)));
            }
            n::TYPE_VECTOR => return Some(self.ty(at(0)?, Type::Vector(at(1)?, at(2)?))),
            n::TYPE_MATRIX => return Some(self.ty(at(0)?, Type::Matrix(at(1)?, at(2)?))),
            n::TYPE_IMAGE => {
                let (scalar, is_written, format) = (at(1)?, at(6)? == 2, at(7)?);
                let ty = match dim(at(2)?, at(4)? != 0, at(5)? != 0) {
                    Some(dim) => Type::Image { scalar, dim, is_written, format },
                    None => Type::Other,
                };
                return Some(self.ty(at(0)?, ty));
            }
            n::TYPE_SAMPLER => return Some(self.ty(at(0)?, Type::Sampler)),
            n::TYPE_SAMPLED_IMAGE => return Some(self.ty(at(0)?, Type::SampledImage)),
            n::TYPE_ARRAY => return Some(self.ty(at(0)?, Type::Array(at(1)?, at(2)?))),
            n::TYPE_RUNTIME_ARRAY => return Some(self.ty(at(0)?, Type::RuntimeArray(at(1)?))),
            n::TYPE_STRUCT => {
                return Some(self.ty(at(0)?, Type::Struct(all.get(1..)?.to_vec())));
            }
            n::TYPE_POINTER => return Some(self.ty(at(0)?, Type::Pointer(at(1)?, at(2)?))),
            n::CONSTANT | n::SPEC_CONSTANT => {
                let (ty, id, low) = (at(0)?, at(1)?, at(2)?);
                // Lengths of arrays have 32 bits.
                if at(3).is_none() {
                    parsed.constants.insert(id, low);
                }
                if opcode == n::SPEC_CONSTANT {
                    let (at, operands) = (word, all.len());
                    parsed.specializable.push(Specializable { id, ty, at, operands });
                }
                return Some(self.id(id));
            }
            n::SPEC_CONSTANT_TRUE | n::SPEC_CONSTANT_FALSE => {
                let (ty, id) = (at(0)?, at(1)?);
                let (at, operands) = (word, all.len());
                parsed.specializable.push(Specializable { id, ty, at, operands });
                return Some(self.id(id));
            }
            n::SPEC_CONSTANT_OP => {
                let (ty, id, operation) = (at(0)?, at(1)?, at(2)?);
                let is_word = matches!(
                    parsed.types.get(&ty),
                    Some(Type::Scalar(it)) if it.bytes == 4 && it.kind != ScalarKind::Float
                );
                let operand = |index: usize| parsed.constants.get(all.get(index)?).copied();
                if let (true, Some(a), Some(b)) = (is_word, operand(3), operand(4)) {
                    let value = match operation {
                        n::I_ADD => Some(a.wrapping_add(b)),
                        n::I_SUB => Some(a.wrapping_sub(b)),
                        n::I_MUL => Some(a.wrapping_mul(b)),
                        n::U_DIV => a.checked_div(b),
                        _ => None,
                    };
                    parsed.constants.extend(value.map(|it| (id, it)));
                }
                return Some(self.id(id));
            }
            n::CONSTANT_COMPOSITE | n::SPEC_CONSTANT_COMPOSITE => {
                parsed.composites.insert(at(1)?, all.get(2..)?.to_vec());
                return Some(self.id(at(1)?));
            }
            n::VARIABLE => {
                let (ty, id, storage) = (at(0)?, at(1)?, at(2)?);
                if self.functions == 0 {
                    self.variables.push((id, ty, storage));
                    self.known.insert(id);
                }
                return Some(self.id(id));
            }
            n::FUNCTION => {
                at(3)?;
                self.functions += 1;
                self.open += 1;
                if self.open > 1 {
                    return Some(Err("a function begins inside another one".to_owned()));
                }
            }
            n::FUNCTION_END => match self.open.checked_sub(1) {
                Some(open) => self.open = open,
                None => return Some(Err("a function ends that has not begun".to_owned())),
            },
            _ => {}
        }
        Some(Ok(()))
    }

    fn ty(&mut self, id: u32, ty: Type) -> Result<(), String> {
        self.id(id)?;
        match self.parsed.types.insert(id, ty) {
            None => Ok(()),
            Some(_) => Err(format!("%{id} is defined twice")),
        }
    }

    fn id(&self, id: u32) -> Result<(), String> {
        match id != 0 && id < self.bound {
            true => Ok(()),
            false => Err(format!("%{id} exceeds the bound of ids, {}", self.bound)),
        }
    }

    fn finish(mut self) -> Result<Parsed, String> {
        if !self.has_model {
            return Err("it has no memory model".to_owned());
        }
        if self.functions == 0 || self.open > 0 {
            return Err("its last function does not end, or it has none".to_owned());
        }
        let constant = |id: &u32| self.parsed.constants.get(id).copied();
        let size_of = |ids: &[u32]| -> Option<[u32; 3]> {
            ids.iter().map(constant).collect::<Option<Vec<u32>>>()?.try_into().ok()
        };
        let of_built_in = self
            .parsed
            .composites
            .iter()
            .find(|(id, _)| self.parsed.decorations.get(id).is_some_and(|it| it.is_group_size));
        let mut entries = std::mem::take(&mut self.parsed.entries);
        for entry in &mut entries {
            let mut computed = of_built_in.map(|(_, parts)| parts.clone());
            for (_, mode) in self.modes.iter().filter(|(id, _)| *id == entry.id) {
                match mode {
                    Mode::Size(size) => entry.group_size = Some(*size),
                    Mode::SizeIds(size) => computed = computed.or(Some(size.to_vec())),
                    Mode::Reconverges => entry.reconverges = true,
                }
            }
            if let Some(parts) = computed {
                entry.group_size = size_of(&parts);
                entry.is_size_unknown = entry.group_size.is_none();
            }
        }
        self.parsed.entries = entries;
        let variables = std::mem::take(&mut self.variables);
        let variables = variables.into_iter().filter(|it| self.parsed.used.contains(&it.0));
        let variables: Vec<Variable> = variables
            .filter_map(|(id, ty, storage)| self.parsed.variable(id, ty, storage))
            .collect();
        self.parsed.variables = variables;
        Ok(self.parsed)
    }
}

impl Parsed {
    /// A variable for the host; `None` for those that the host does not bind.
    fn variable(&self, id: u32, pointer: u32, storage: u32) -> Option<Variable> {
        let Some(Type::Pointer(_, pointee)) = self.types.get(&pointer) else { return None };
        let (ty, count) = match self.types.get(pointee)? {
            Type::Array(inner, length) => {
                (*inner, self.constants.get(length).map_or(Count::Unknown, |it| Count::Array(*it)))
            }
            Type::RuntimeArray(inner) => (*inner, Count::Any),
            _ => (*pointee, Count::One),
        };
        let decorations = |id: u32| self.decorations.get(&id).cloned().unwrap_or_default();
        let (own, of_type) = (decorations(id), decorations(ty));
        let image = self.image(ty);
        let kind = match (storage, self.types.get(&ty)?) {
            (number::UNIFORM, _) if of_type.is_buffer_block => Kind::Storage,
            (number::UNIFORM, _) => Kind::Uniform,
            (number::STORAGE_BUFFER, _) => Kind::Storage,
            (number::PUSH_CONSTANT, _) => Kind::Push,
            (number::UNIFORM_CONSTANT, Type::Sampler) => Kind::Sampler,
            (number::UNIFORM_CONSTANT, Type::SampledImage) => Kind::Combined,
            (number::UNIFORM_CONSTANT, _) => match image.map(|it| it.dim) {
                Some(None) => Kind::Texels,
                Some(Some(_)) => Kind::Texture,
                None => Kind::Other,
            },
            _ => return None,
        };
        let members = match self.types.get(&ty) {
            Some(Type::Struct(members)) => members.len() as u32,
            _ => 0,
        };
        let is_read_only =
            |member| self.members.get(&(ty, member)).is_some_and(|it| it.is_read_only);
        let name = self.names.get(&id).filter(|it| !it.is_empty()).or(self.names.get(&ty));
        Some(Variable {
            id,
            name: name.cloned().unwrap_or_default(),
            set: own.set,
            binding: own.binding,
            kind,
            count,
            is_read_only: match image {
                Some(image) => !image.is_written,
                None => own.is_read_only || members > 0 && (0..members).all(is_read_only),
            },
            image,
            ty,
        })
    }

    fn image(&self, ty: u32) -> Option<Image> {
        let Type::Image { scalar, dim, is_written, format } = *self.types.get(&ty)? else {
            return None;
        };
        let Type::Scalar(scalar) = *self.types.get(&scalar)? else { return None };
        Some(Image { scalar, dim, is_written, format })
    }

    /// The module with values for its specialization constants, by their numbers; the others keep their defaults.
    pub(super) fn specialized(&self, given: &[(u32, u64)]) -> Result<Parsed, String> {
        let mut words = self.words.clone();
        for constant in &self.specializable {
            let number = self.decorations.get(&constant.id).and_then(|it| it.constant);
            let Some((_, bits)) = given.iter().rfind(|(it, _)| Some(*it) == number) else {
                continue;
            };
            let count = constant.operands + 1;
            let Some(inst) = words.get_mut(constant.at..constant.at + count) else {
                unreachable!("the place of a constant is one of the words")
            };
            match (self.types.get(&constant.ty), inst) {
                (Some(Type::Bool), [first, _, _]) => {
                    let opcode = match bits {
                        0 => number::SPEC_CONSTANT_FALSE,
                        _ => number::SPEC_CONSTANT_TRUE,
                    };
                    *first = *first >> 16 << 16 | opcode;
                }
                (Some(Type::Scalar(scalar)), [_, _, _, rest @ ..]) => match (scalar, rest) {
                    (Scalar { bytes: 8, .. }, [low, high]) => {
                        (*low, *high) = (*bits as u32, (bits >> 32) as u32);
                    }
                    (Scalar { bytes: 4, .. }, [word]) => *word = *bits as u32,
                    // The rest of the word is sign-extended or zero.
                    (Scalar { bytes: 2, kind: ScalarKind::Signed }, [word]) => {
                        *word = *bits as u16 as i16 as u32;
                    }
                    (Scalar { bytes: 2, .. }, [word]) => *word = u32::from(*bits as u16),
                    _ => {
                        return Err(format!(
                            "the value of %{} does not have its type",
                            constant.id
                        ));
                    }
                },
                _ => return Err(format!("the value of %{} does not have its type", constant.id)),
            }
        }
        read(words)
    }

    /// The memory layout of a variable.
    pub(super) fn layout(&self, variable: &Variable) -> Layout {
        let Some(Type::Struct(members)) = self.types.get(&variable.ty) else {
            return Layout::Unknown;
        };
        // A buffer of elements is a block whose only member is an array.
        let array = match members.as_slice() {
            [only] => Some((*only, self.types.get(only))),
            _ => None,
        };
        let element = match array {
            Some((array, Some(Type::RuntimeArray(element) | Type::Array(element, _)))) => {
                let stride = self.decorations.get(&array).and_then(|it| it.array_stride);
                Some((*element, stride))
            }
            _ => None,
        };
        let is_array_of_elements = variable.kind == Kind::Storage
            || matches!(element, Some((it, Some(16))) if self.is_row_of_words(it));
        let (ty, stride) = match element.filter(|_| is_array_of_elements) {
            Some((element, stride)) => (element, stride),
            None => (variable.ty, None),
        };
        if element.is_some() && (self.is_plain(ty, stride) || self.is_row_of_words(ty)) {
            return Layout::Plain;
        }
        let mut scalars = Vec::new();
        match self.scalars(ty, 0, None, &mut scalars, 0) {
            Some(()) => Layout::Scalars { stride, scalars },
            None => Layout::Unknown,
        }
    }

    /// Consecutive scalars.
    fn is_plain(&self, ty: u32, stride: Option<u32>) -> bool {
        matches!(self.types.get(&ty), Some(Type::Scalar(it)) if stride == Some(it.bytes))
    }

    /// A constant register of four words.
    fn is_row_of_words(&self, ty: u32) -> bool {
        let Some(Type::Vector(element, 4)) = self.types.get(&ty) else { return false };
        matches!(self.types.get(element), Some(Type::Scalar(it)) if it.bytes == 4)
    }

    /// Appends the scalars of a type at offset `base`.
    fn scalars(
        &self,
        ty: u32,
        base: u32,
        matrix: Option<&MemberDecorations>,
        into: &mut Vec<(u32, u32)>,
        depth: u32,
    ) -> Option<()> {
        if depth > MOST_DEPTH || into.len() > MOST_SCALARS {
            return None;
        }
        let mut repeat = |element: u32, count: u32, stride: u32| {
            if count as usize > MOST_SCALARS {
                return None;
            }
            (0..count).try_for_each(|i| {
                let at = base.checked_add(stride.checked_mul(i)?)?;
                self.scalars(element, at, matrix, into, depth + 1)
            })
        };
        match self.types.get(&ty)? {
            Type::Scalar(scalar) => {
                into.push((base, scalar.bytes));
                Some(())
            }
            Type::Vector(element, count) => {
                let Type::Scalar(scalar) = self.types.get(element)? else { return None };
                repeat(*element, *count, scalar.bytes)
            }
            Type::Matrix(column, columns) => {
                let stride = matrix?.matrix_stride?;
                let Type::Vector(element, rows) = self.types.get(column)? else { return None };
                let Type::Scalar(Scalar { bytes, .. }) = self.types.get(element)? else {
                    return None;
                };
                let (outer, inner) =
                    if matrix?.is_row_major { (rows, columns) } else { (columns, rows) };
                if *outer > 4 || *inner > 4 {
                    return None;
                }
                for (i, k) in (0..*outer).flat_map(|i| (0..*inner).map(move |k| (i, k))) {
                    let at = stride.checked_mul(i)?.checked_add(bytes.checked_mul(k)?)?;
                    into.push((base.checked_add(at)?, *bytes));
                }
                Some(())
            }
            Type::Array(element, length) => {
                let stride = self.decorations.get(&ty)?.array_stride?;
                repeat(*element, *self.constants.get(length)?, stride)
            }
            Type::Struct(members) => (0..).zip(members).try_for_each(|(i, member)| {
                let decorations = self.members.get(&(ty, i))?;
                let at = base.checked_add(decorations.offset?)?;
                self.scalars(*member, at, Some(decorations), into, depth + 1)
            }),
            Type::Bool
            | Type::RuntimeArray(_)
            | Type::Image { .. }
            | Type::Sampler
            | Type::SampledImage
            | Type::Pointer(..)
            | Type::Other => None,
        }
    }
}

/// The kind of an image, by its dimension and whether it is arrayed and multisampled: the inner `None` is a buffer, the
/// outer one a kind that HLSL does not have.
fn dim(number: u32, is_array: bool, is_multisampled: bool) -> Option<Option<Dim>> {
    let dim = match (number, is_array, is_multisampled) {
        (0, false, false) => Dim::D1,
        (0, true, false) => Dim::D1Array,
        (1, false, false) => Dim::D2,
        (1, true, false) => Dim::D2Array,
        (1, false, true) => Dim::D2Ms,
        (1, true, true) => Dim::D2MsArray,
        (2, false, false) => Dim::D3,
        (3, false, false) => Dim::Cube,
        (3, true, false) => Dim::CubeArray,
        (5, false, false) => return Some(None),
        _ => return None,
    };
    Some(Some(dim))
}

/// A string: bytes up to the first zero, packed into words from the lowest byte.
fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|it| it.to_le_bytes()).take_while(|it| *it != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_give_a_message() {
        let header = [MAGIC, 0x0001_0600, 0, 10, 0];
        let module = |rest: &[u32]| -> Vec<u8> {
            header.iter().chain(rest).flat_map(|it| it.to_le_bytes()).collect()
        };
        for (bytes, message) in [
            (Vec::new(), "0 bytes"),
            (vec![0; 22], "not a multiple of 4"),
            (vec![7; 24], "begins with 0x07070707"),
            (module(&[]), "no memory model"),
            (module(&[0]), "has 0 words, but 1 are left"),
            (module(&[0xffff_0011]), "has 65535 words"),
            (module(&[0x0001_0011]), "is truncated"),
            (module(&[0x0004_0015, 99, 32, 0]), "exceeds the bound"),
            (module(&[0x0004_0015, 1, 32, 0, 0x0004_0015, 1, 32, 0]), "defined twice"),
            (module(&[0x0003_000e, 0, 1]), "has none"),
            (module(&[0x0003_000e, 0, 1, 0x0001_0038]), "has not begun"),
        ] {
            let error = parse(&bytes).map(|_| ()).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        let mut huge = module(&[]);
        huge[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(parse(&huge).map(|_| ()).unwrap_err().contains("bound"));
    }

    #[test]
    fn the_other_order_of_bytes_is_read_too() {
        let words =
            [MAGIC, 0x0001_0600, 0, 10, 0, 0x0003_000e, 0, 1, 0x0005_0036, 2, 3, 0, 4, 0x0001_0038];
        let bytes: Vec<u8> = words.iter().flat_map(|it: &u32| it.to_be_bytes()).collect();
        assert_eq!(parse(&bytes).map(|it| it.words), Ok(words.to_vec()));
    }
}
