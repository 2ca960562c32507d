//! Reads a module of SPIR-V as far as a host must know it: entry points, what is bound, and how it lies in memory.
//!
//! Takes any bytes and gives a module or a sentence. Every count is compared with what is there, ids with the bound, and
//! types are followed through a bounded number of steps.
//! Deliberately absent: the bodies of functions, but for which variables they name. Whether a module is valid beyond what
//! is read here is a question for a validator.

use std::collections::{BTreeMap, BTreeSet};

const MAGIC: u32 = 0x0723_0203;

/// The highest bound of ids that SPIR-V lets a module have.
const MOST_IDS: u32 = 0x003f_ffff;

/// Files beyond that are no module of a shader.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// How deep types nest at most.
const MOST_DEPTH: u32 = 32;
/// Of a type with more scalars than these the layout is not compared.
const MOST_SCALARS: usize = 1 << 16;

/// What was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Parsed {
    pub(super) words: Vec<u32>,
    /// Who made it, by the number registered for tools.
    pub(super) generator: u32,
    pub(super) capabilities: Vec<u32>,
    pub(super) entries: Vec<Entry>,
    pub(super) variables: Vec<Variable>,
    names: BTreeMap<u32, String>,
    decorations: BTreeMap<u32, Decorations>,
    members: BTreeMap<(u32, u32), MemberDecorations>,
    types: BTreeMap<u32, Type>,
    /// Constants of 32 bits, those that can be specialized with their default.
    constants: BTreeMap<u32, u32>,
    composites: BTreeMap<u32, Vec<u32>>,
    /// Variables that functions name.
    used: BTreeSet<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    id: u32,
    pub(super) group_size: Option<[u32; 3]>,
    /// Whether lanes reconverge maximally in it.
    pub(super) reconverges: bool,
}

/// A variable outside of functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    id: u32,
    pub(super) name: String,
    pub(super) set: Option<u32>,
    pub(super) binding: Option<u32>,
    pub(super) kind: Kind,
    /// How many descriptors; `None` for any number.
    pub(super) count: Option<u32>,
    /// Nothing writes to it, by its decorations.
    pub(super) is_read_only: bool,
    /// What the variable holds: a block, for buffers.
    ty: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Uniform,
    Storage,
    ReadTexels,
    WrittenTexels,
    Push,
    /// A texture, a sampler, or what came later.
    Other,
}

#[derive(Clone, Debug, Default)]
struct Decorations {
    set: Option<u32>,
    binding: Option<u32>,
    is_buffer_block: bool,
    is_read_only: bool,
    array_stride: Option<u32>,
    is_group_size: bool,
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
    /// Of so many bytes.
    Scalar(u32),
    Vector(u32, u32),
    Matrix(u32, u32),
    Texels {
        is_written: bool,
    },
    Array(u32, u32),
    RuntimeArray(u32),
    Struct(Vec<u32>),
    Pointer(u32, u32),
    Other,
}

/// How a buffer lies in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Words, addressed by the module itself.
    Plain,
    /// Scalars at these offsets, with their sizes, in elements of so many bytes; one element for constants.
    Scalars { stride: Option<u32>, scalars: Vec<(u32, u32)> },
    /// Too large to be compared, or nothing that has a layout.
    Unknown,
}

/// The numbers of SPIR-V's instructions, decorations, modes and storage classes that are looked at.
mod number {
    pub(super) const NAME: u32 = 5;
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const EXECUTION_MODE: u32 = 16;
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const MEMORY_MODEL: u32 = 14;
    pub(super) const TYPE_BOOL: u32 = 20;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_FLOAT: u32 = 22;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const TYPE_MATRIX: u32 = 24;
    pub(super) const TYPE_IMAGE: u32 = 25;
    pub(super) const TYPE_ARRAY: u32 = 28;
    pub(super) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(super) const TYPE_STRUCT: u32 = 30;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const CONSTANT_COMPOSITE: u32 = 44;
    pub(super) const SPEC_CONSTANT: u32 = 50;
    pub(super) const SPEC_CONSTANT_COMPOSITE: u32 = 51;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const FUNCTION_END: u32 = 56;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const MEMBER_DECORATE: u32 = 72;
    pub(super) const EXECUTION_MODE_ID: u32 = 331;

    pub(super) const COMPUTE: u32 = 5;
    pub(super) const LOCAL_SIZE: u32 = 17;
    pub(super) const LOCAL_SIZE_ID: u32 = 38;
    pub(super) const MAXIMALLY_RECONVERGES: u32 = 6023;

    pub(super) const BUFFER_BLOCK: u32 = 3;
    pub(super) const ROW_MAJOR: u32 = 4;
    pub(super) const ARRAY_STRIDE: u32 = 6;
    pub(super) const MATRIX_STRIDE: u32 = 7;
    pub(super) const BUILT_IN: u32 = 11;
    pub(super) const NON_WRITABLE: u32 = 24;
    pub(super) const BINDING: u32 = 33;
    pub(super) const DESCRIPTOR_SET: u32 = 34;
    pub(super) const OFFSET: u32 = 35;
    pub(super) const WORKGROUP_SIZE: u32 = 25;

    pub(super) const UNIFORM_CONSTANT: u32 = 0;
    pub(super) const UNIFORM: u32 = 2;
    pub(super) const PUSH_CONSTANT: u32 = 9;
    pub(super) const STORAGE_BUFFER: u32 = 12;
    pub(super) const DIM_BUFFER: u32 = 5;
}

/// Reads a module, or says what is wrong with it.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, String> {
    if bytes.len() > MOST_BYTES {
        return Err(format!("it has {} bytes, and {MOST_BYTES} are the most", bytes.len()));
    }
    if bytes.len() < 20 {
        return Err(format!("it has {} bytes, and a module's header alone has 20", bytes.len()));
    }
    if !bytes.len().is_multiple_of(4) {
        return Err(format!("it has {} bytes, which are no whole words", bytes.len()));
    }
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect();
    if words[0] == MAGIC.swap_bytes() {
        words.iter_mut().for_each(|it| *it = it.swap_bytes());
    }
    if words[0] != MAGIC {
        return Err(format!("it begins with {:#010x}, and SPIR-V with {MAGIC:#010x}", words[0]));
    }
    let bound = words[3];
    if bound == 0 || bound > MOST_IDS {
        return Err(format!("its bound of ids is {bound}; 1 to {MOST_IDS} can be"));
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
                "the instruction at word {at} says {count} words, {left} are left"
            ));
        };
        reader
            .inst(opcode, &inst[1..])
            .ok_or_else(|| format!("the instruction at word {at} (opcode {opcode}) is cut short"))?
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
    /// Functions that have begun and not ended.
    open: u32,
    functions: u32,
    /// Variables as they stand: id, type of the pointer, storage class.
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
    /// `None` where operands are missing.
    fn inst(&mut self, opcode: u32, all: &[u32]) -> Option<Result<(), String>> {
        use number as n;
        let at = |index: usize| all.get(index).copied();
        let parsed = &mut self.parsed;
        if self.functions > 0 && opcode != n::FUNCTION_END {
            // Literals can look like ids: then something counts as used that is not, which does no harm.
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
            n::TYPE_BOOL => return Some(self.ty(at(0)?, Type::Other)),
            n::TYPE_INT | n::TYPE_FLOAT => {
                return Some(self.ty(at(0)?, Type::Scalar(at(1)? / 8)));
            }
            n::TYPE_VECTOR => return Some(self.ty(at(0)?, Type::Vector(at(1)?, at(2)?))),
            n::TYPE_MATRIX => return Some(self.ty(at(0)?, Type::Matrix(at(1)?, at(2)?))),
            n::TYPE_IMAGE => {
                let ty = match at(2)? == n::DIM_BUFFER {
                    true => Type::Texels { is_written: at(6)? == 2 },
                    false => Type::Other,
                };
                return Some(self.ty(at(0)?, ty));
            }
            n::TYPE_ARRAY => return Some(self.ty(at(0)?, Type::Array(at(1)?, at(2)?))),
            n::TYPE_RUNTIME_ARRAY => return Some(self.ty(at(0)?, Type::RuntimeArray(at(1)?))),
            n::TYPE_STRUCT => {
                return Some(self.ty(at(0)?, Type::Struct(all.get(1..)?.to_vec())));
            }
            n::TYPE_POINTER => return Some(self.ty(at(0)?, Type::Pointer(at(1)?, at(2)?))),
            n::CONSTANT | n::SPEC_CONSTANT => {
                let (id, low) = (at(1)?, at(2)?);
                // Lengths of arrays have 32 bits.
                if at(3).is_none() {
                    parsed.constants.insert(id, low);
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
                    return Some(Err("a function stands in a function".to_owned()));
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
            false => Err(format!("%{id} is beyond the bound of ids, {}", self.bound)),
        }
    }

    fn finish(mut self) -> Result<Parsed, String> {
        if !self.has_model {
            return Err("it has no memory model".to_owned());
        }
        if self.functions == 0 || self.open > 0 {
            return Err("its last function does not end, or it has none".to_owned());
        }
        let constant = |id: u32| self.parsed.constants.get(&id).copied().unwrap_or(0);
        let of_built_in = self.parsed.composites.iter().find_map(|(id, parts)| {
            let is_size = self.parsed.decorations.get(id).is_some_and(|it| it.is_group_size);
            let size: [u32; 3] = parts.as_slice().try_into().ok()?;
            is_size.then(|| size.map(constant))
        });
        let mut entries = std::mem::take(&mut self.parsed.entries);
        for entry in &mut entries {
            for (_, mode) in self.modes.iter().filter(|(id, _)| *id == entry.id) {
                match mode {
                    Mode::Size(size) => entry.group_size = Some(*size),
                    Mode::SizeIds(size) => entry.group_size = Some(size.map(constant)),
                    Mode::Reconverges => entry.reconverges = true,
                }
            }
            entry.group_size = of_built_in.or(entry.group_size);
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
    /// A variable as a host sees it; `None` for those that are none of its business.
    fn variable(&self, id: u32, pointer: u32, storage: u32) -> Option<Variable> {
        let Some(Type::Pointer(_, pointee)) = self.types.get(&pointer) else { return None };
        let (ty, count) = match self.types.get(pointee)? {
            Type::Array(inner, length) => {
                (*inner, Some(self.constants.get(length).copied().unwrap_or(1)))
            }
            Type::RuntimeArray(inner) => (*inner, None),
            _ => (*pointee, Some(1)),
        };
        let decorations = |id: u32| self.decorations.get(&id).cloned().unwrap_or_default();
        let (own, of_type) = (decorations(id), decorations(ty));
        let kind = match (storage, self.types.get(&ty)?) {
            (number::UNIFORM, _) if of_type.is_buffer_block => Kind::Storage,
            (number::UNIFORM, _) => Kind::Uniform,
            (number::STORAGE_BUFFER, _) => Kind::Storage,
            (number::PUSH_CONSTANT, _) => Kind::Push,
            (number::UNIFORM_CONSTANT, Type::Texels { is_written: true }) => Kind::WrittenTexels,
            (number::UNIFORM_CONSTANT, Type::Texels { is_written: false }) => Kind::ReadTexels,
            (number::UNIFORM_CONSTANT, _) => Kind::Other,
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
            is_read_only: own.is_read_only || members > 0 && (0..members).all(is_read_only),
            ty,
        })
    }

    /// How what a variable holds lies in memory.
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

    /// One scalar after the other.
    fn is_plain(&self, ty: u32, stride: Option<u32>) -> bool {
        matches!(self.types.get(&ty), Some(Type::Scalar(bytes)) if stride == Some(*bytes))
    }

    /// Four words, as registers of constants are.
    fn is_row_of_words(&self, ty: u32) -> bool {
        let Some(Type::Vector(element, 4)) = self.types.get(&ty) else { return false };
        self.types.get(element) == Some(&Type::Scalar(4))
    }

    /// Appends the scalars of a type that lies at `base`.
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
            Type::Scalar(bytes) => {
                into.push((base, *bytes));
                Some(())
            }
            Type::Vector(element, count) => {
                let Type::Scalar(bytes) = self.types.get(element)? else { return None };
                repeat(*element, *count, *bytes)
            }
            Type::Matrix(column, columns) => {
                let stride = matrix?.matrix_stride?;
                let Type::Vector(element, rows) = self.types.get(column)? else { return None };
                let Type::Scalar(bytes) = self.types.get(element)? else { return None };
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
            Type::RuntimeArray(_) | Type::Texels { .. } | Type::Pointer(..) | Type::Other => None,
        }
    }
}

/// A string: bytes up to the first zero, which lie in words from the lowest byte on.
fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|it| it.to_le_bytes()).take_while(|it| *it != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_give_a_sentence() {
        let header = [MAGIC, 0x0001_0600, 0, 10, 0];
        let module = |rest: &[u32]| -> Vec<u8> {
            header.iter().chain(rest).flat_map(|it| it.to_le_bytes()).collect()
        };
        for (bytes, message) in [
            (Vec::new(), "0 bytes"),
            (vec![0; 22], "no whole words"),
            (vec![7; 24], "begins with 0x07070707"),
            (module(&[]), "no memory model"),
            (module(&[0]), "says 0 words, 1 are left"),
            (module(&[0xffff_0011]), "says 65535 words"),
            (module(&[0x0001_0011]), "is cut short"),
            (module(&[0x0004_0015, 99, 32, 0]), "beyond the bound"),
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
