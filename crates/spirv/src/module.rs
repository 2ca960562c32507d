//! A SPIR-V module under construction: ids, the sections in their order, deduplicated types and constants.
//! It knows the layout of words, not what they compute.

use std::collections::{BTreeMap, BTreeSet};

use ops::Ty;

use crate::opcode::{self as op, Opcode};

/// The result of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub(crate) u32);

/// The sections, in the order of the module.
pub(crate) struct Module {
    next: u32,
    pub(crate) capabilities: BTreeSet<u32>,
    pub(crate) extensions: BTreeSet<&'static str>,
    pub(crate) glsl: Option<Id>,
    /// Sets of instructions that change nothing, by their names.
    sets: BTreeMap<&'static str, Id>,
    pub(crate) modes: Vec<u32>,
    pub(crate) strings: Vec<u32>,
    pub(crate) names: Vec<u32>,
    pub(crate) decorations: Vec<u32>,
    pub(crate) globals: Vec<u32>,
    /// The variables of the function, at the start of its first block.
    pub(crate) variables: Vec<u32>,
    /// Instructions that run once, before everything else.
    pub(crate) prologue: Vec<u32>,
    pub(crate) body: Vec<u32>,
    /// Types and constants by their words without the result, for deduplication.
    made: BTreeMap<Vec<u32>, Id>,
    /// The words that are looked up, kept for the next time.
    key: Vec<u32>,
    /// Scalar types and constants that were made: nearly every instruction names some.
    scalars: [Option<Id>; Ty::ALL.len()],
    constants: BTreeMap<(Ty, u64), Id>,
}

/// Appends an instruction to a section.
pub(crate) fn push(section: &mut Vec<u32>, opcode: Opcode, operands: &[u32]) {
    section.push((operands.len() as u32 + 1) << 16 | u32::from(opcode.number));
    section.extend_from_slice(operands);
}

/// The same with operands in two parts.
pub(crate) fn push_all(section: &mut Vec<u32>, opcode: Opcode, first: &[u32], rest: &[u32]) {
    let count = (first.len() + rest.len()) as u32 + 1;
    section.push(count << 16 | u32::from(opcode.number));
    section.extend_from_slice(first);
    section.extend_from_slice(rest);
}

/// A string as operands: bytes packed into words, with a terminating zero.
pub(crate) fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.replace('\0', " ").into_bytes();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
}

impl Module {
    pub(crate) fn new() -> Module {
        Module {
            next: 1,
            capabilities: BTreeSet::from([op::CAP_SHADER]),
            extensions: BTreeSet::new(),
            glsl: None,
            sets: BTreeMap::new(),
            modes: Vec::new(),
            strings: Vec::new(),
            names: Vec::new(),
            decorations: Vec::new(),
            globals: Vec::new(),
            variables: Vec::new(),
            prologue: Vec::new(),
            body: Vec::new(),
            made: BTreeMap::new(),
            key: Vec::new(),
            scalars: [None; Ty::ALL.len()],
            constants: BTreeMap::new(),
        }
    }

    pub(crate) fn id(&mut self) -> Id {
        self.next += 1;
        Id(self.next - 1)
    }

    pub(crate) fn name(&mut self, id: Id, name: &str) {
        // A name longer than an instruction can hold is truncated; nothing depends on it.
        let end = name.char_indices().map(|it| it.0).take_while(|it| *it < 1000).last();
        let short = if name.len() < 1000 { name } else { &name[..end.unwrap_or(0)] };
        let words: Vec<u32> = [id.0].into_iter().chain(string(short)).collect();
        push(&mut self.names, op::NAME, &words);
    }

    pub(crate) fn decorate(&mut self, id: Id, decoration: u32, operands: &[u32]) {
        push_all(&mut self.decorations, op::DECORATE, &[id.0, decoration], operands);
    }

    /// A type, deduplicated by its operands. The flag says whether it is new.
    fn made(&mut self, opcode: Opcode, ty: Option<Id>, operands: &[u32]) -> (Id, bool) {
        self.made_apart(false, opcode, ty, operands)
    }

    /// The same; with `apart`, a type distinct from the one without, since it will have other decorations.
    fn made_apart(
        &mut self,
        apart: bool,
        opcode: Opcode,
        ty: Option<Id>,
        operands: &[u32],
    ) -> (Id, bool) {
        self.key.clear();
        self.key.push(u32::from(opcode.number) | u32::from(apart) << 16);
        self.key.extend(ty.map(|it| it.0));
        self.key.extend_from_slice(operands);
        if let Some(id) = self.made.get(self.key.as_slice()) {
            return (*id, false);
        }
        let id = self.id();
        match ty {
            Some(ty) => push_all(&mut self.globals, opcode, &[ty.0, id.0], operands),
            None => push_all(&mut self.globals, opcode, &[id.0], operands),
        }
        self.made.insert(self.key.clone(), id);
        (id, true)
    }

    pub(crate) fn made_type(&mut self, opcode: Opcode, operands: &[u32]) -> Id {
        self.made(opcode, None, operands).0
    }

    pub(crate) fn void(&mut self) -> Id {
        self.made_type(op::TYPE_VOID, &[])
    }

    pub(crate) fn bool(&mut self) -> Id {
        self.ty(Ty::Bool)
    }

    /// Integers are unsigned: the operations carry the sign.
    pub(crate) fn int(&mut self, bits: u32) -> Id {
        match bits {
            16 => self.capabilities.insert(op::CAP_INT16),
            64 => self.capabilities.insert(op::CAP_INT64),
            _ => false,
        };
        self.made_type(op::TYPE_INT, &[bits, 0])
    }

    pub(crate) fn uint(&mut self) -> Id {
        self.ty(Ty::I32)
    }

    pub(crate) fn float(&mut self, bits: u32) -> Id {
        match bits {
            16 => self.capabilities.insert(op::CAP_FLOAT16),
            64 => self.capabilities.insert(op::CAP_FLOAT64),
            _ => false,
        };
        self.made_type(op::TYPE_FLOAT, &[bits])
    }

    pub(crate) fn ty(&mut self, ty: Ty) -> Id {
        if let Some(id) = self.scalars[ty as usize] {
            return id;
        }
        let id = match ty {
            Ty::Bool => self.made_type(op::TYPE_BOOL, &[]),
            Ty::I16 | Ty::I32 | Ty::I64 => self.int(ty.bits()),
            Ty::F16 | Ty::F32 | Ty::F64 => self.float(ty.bits()),
        };
        self.scalars[ty as usize] = Some(id);
        id
    }

    pub(crate) fn vector(&mut self, of: Id, count: u32) -> Id {
        self.made_type(op::TYPE_VECTOR, &[of.0, count])
    }

    pub(crate) fn pointer(&mut self, storage: u32, to: Id) -> Id {
        self.made_type(op::TYPE_POINTER, &[storage, to.0])
    }

    pub(crate) fn array(&mut self, of: Id, count: u32) -> Id {
        let count = self.word(count);
        self.made_type(op::TYPE_ARRAY, &[of.0, count.0])
    }

    /// A block with one array with a stride of `stride` bytes; with a fixed length, or as long as its buffer.
    ///
    /// A read-only block has a separate type, whose member is decorated as such. If the type were shared with a
    /// writable block and only the variable decorated, a driver would treat the writable block as constant too (NVIDIA
    /// 580).
    pub(crate) fn block(&mut self, of: Id, stride: u32, count: Option<u32>, writable: bool) -> Id {
        let (array, new) = match count {
            None => self.made(op::TYPE_RUNTIME_ARRAY, None, &[of.0]),
            Some(count) => {
                let count = self.word(count);
                self.made(op::TYPE_ARRAY, None, &[of.0, count.0])
            }
        };
        if new {
            self.decorate(array, op::ARRAY_STRIDE, &[stride]);
        }
        let (block, new) = self.made_apart(!writable, op::TYPE_STRUCT, None, &[array.0]);
        if new {
            self.decorate(block, op::BLOCK, &[]);
            push(&mut self.decorations, op::MEMBER_DECORATE, &[block.0, 0, op::OFFSET, 0]);
            if !writable {
                push(&mut self.decorations, op::MEMBER_DECORATE, &[block.0, 0, op::NON_WRITABLE]);
            }
        }
        block
    }

    pub(crate) fn word(&mut self, value: u32) -> Id {
        self.constant(Ty::I32, u64::from(value))
    }

    pub(crate) fn truth(&mut self, value: bool) -> Id {
        self.constant(Ty::Bool, u64::from(value))
    }

    pub(crate) fn constant(&mut self, ty: Ty, bits: u64) -> Id {
        if let Some(id) = self.constants.get(&(ty, bits)) {
            return *id;
        }
        let ty_id = self.ty(ty);
        let id = match ty {
            Ty::Bool if bits & 1 == 1 => self.made(op::CONSTANT_TRUE, Some(ty_id), &[]).0,
            Ty::Bool => self.made(op::CONSTANT_FALSE, Some(ty_id), &[]).0,
            Ty::I16 | Ty::F16 => self.made(op::CONSTANT, Some(ty_id), &[bits as u32 & 0xffff]).0,
            Ty::I32 | Ty::F32 => self.made(op::CONSTANT, Some(ty_id), &[bits as u32]).0,
            Ty::I64 | Ty::F64 => {
                self.made(op::CONSTANT, Some(ty_id), &[bits as u32, (bits >> 32) as u32]).0
            }
        };
        self.constants.insert((ty, bits), id);
        id
    }

    /// A signed constant, for operands that require one.
    pub(crate) fn signed(&mut self, value: i32) -> Id {
        let ty = self.made_type(op::TYPE_INT, &[32, 1]);
        self.made(op::CONSTANT, Some(ty), &[value as u32]).0
    }

    /// A vector of constants.
    pub(crate) fn composite(&mut self, ty: Id, parts: &[Id]) -> Id {
        let parts: Vec<u32> = parts.iter().map(|it| it.0).collect();
        self.made(op::CONSTANT_COMPOSITE, Some(ty), &parts).0
    }

    pub(crate) fn null(&mut self, ty: Id) -> Id {
        self.made(op::CONSTANT_NULL, Some(ty), &[]).0
    }

    /// An undefined value, for operands that are not used.
    pub(crate) fn undef(&mut self, ty: Id) -> Id {
        self.made(op::UNDEF, Some(ty), &[]).0
    }

    pub(crate) fn glsl(&mut self) -> Id {
        match self.glsl {
            Some(id) => id,
            None => {
                let id = self.id();
                self.glsl = Some(id);
                id
            }
        }
    }

    /// A set of non-semantic instructions.
    pub(crate) fn set(&mut self, name: &'static str) -> Id {
        self.extensions.insert("SPV_KHR_non_semantic_info");
        if let Some(id) = self.sets.get(name) {
            return *id;
        }
        let id = self.id();
        self.sets.insert(name, id);
        id
    }

    /// The whole module; `entry` are the operands of the entry point, `main` is the function, `label` its first block.
    pub(crate) fn finish(mut self, version: u32, entry: &[u32], main: Id, label: Id) -> Vec<u32> {
        let void = self.void();
        let signature = self.made_type(op::TYPE_FUNCTION, &[void.0]);
        // The generator is not registered.
        let mut words = vec![op::MAGIC, version, 0, self.next, 0];
        for capability in &self.capabilities {
            push(&mut words, op::CAPABILITY, &[*capability]);
        }
        for extension in &self.extensions {
            push(&mut words, op::EXTENSION, &string(extension));
        }
        if let Some(glsl) = self.glsl {
            let import = [vec![glsl.0], string("GLSL.std.450")].concat();
            push(&mut words, op::EXT_INST_IMPORT, &import);
        }
        for (name, id) in &self.sets {
            let import = [vec![id.0], string(name)].concat();
            push(&mut words, op::EXT_INST_IMPORT, &import);
        }
        // Logical addressing, and the memory model GLSL450.
        push(&mut words, op::MEMORY_MODEL, &[0, 1]);
        push(&mut words, op::ENTRY_POINT, entry);
        for section in [&self.modes, &self.strings, &self.names, &self.decorations, &self.globals] {
            words.extend_from_slice(section);
        }
        push(&mut words, op::FUNCTION, &[void.0, main.0, 0, signature.0]);
        push(&mut words, op::LABEL, &[label.0]);
        for section in [&self.variables, &self.prologue, &self.body] {
            words.extend_from_slice(section);
        }
        push(&mut words, op::FUNCTION_END, &[]);
        words
    }
}
