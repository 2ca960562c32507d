//! Reads PTX text: declarations, instructions, labels. Anything that the machine does not know is an error with its
//! line.

use std::collections::BTreeMap;

/// A fundamental type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Pred,
    Bits(u32),
    Unsigned(u32),
    Signed(u32),
    Float(u32),
}

impl Type {
    fn read(name: &str) -> Option<Type> {
        if name == "pred" {
            return Some(Type::Pred);
        }
        let (kind, bits) = name.split_at_checked(1)?;
        let bits: u32 = bits.parse().ok().filter(|it| [8, 16, 32, 64].contains(it))?;
        Some(match kind {
            "b" => Type::Bits(bits),
            "u" => Type::Unsigned(bits),
            "s" => Type::Signed(bits),
            "f" if bits > 8 => Type::Float(bits),
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            Type::Pred => 1,
            Type::Bits(bits) | Type::Unsigned(bits) | Type::Signed(bits) | Type::Float(bits) => {
                bits
            }
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Type::Float(_))
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Type::Signed(_))
    }
}

/// A register: its index among all, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register {
    pub(crate) index: usize,
    pub(crate) bits: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Register(Register),
    /// `{a, b}`.
    Vector(Vec<Register>),
    /// `a|p`.
    Pair(Register, Register),
    /// The bits of a constant.
    Constant(u64),
    /// `[base+offset]`.
    Memory(Base, i64),
    /// A special register or an array; a label until the whole kernel is read.
    Name(String),
    /// The instruction that a branch goes to.
    Label(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Base {
    Register(Register),
    Name(String),
}

/// The memory that an instruction accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    Shared,
    Local,
    Param,
}

impl Space {
    fn read(name: &str) -> Option<Space> {
        Some(match name {
            "global" => Space::Global,
            "shared" => Space::Shared,
            "local" => Space::Local,
            "param" => Space::Param,
            _ => return None,
        })
    }
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// The guard, and whether it is negated.
    pub(crate) guard: Option<(Register, bool)>,
    /// The name before the first dot.
    pub(crate) name: String,
    /// The parts after it that are not types.
    pub(crate) modifiers: Vec<String>,
    pub(crate) types: Vec<Type>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) space: Option<Space>,
    /// How many elements it loads or stores.
    pub(crate) elements: usize,
    /// Whether threads meet at it, so that one of them cannot execute it alone.
    pub(crate) meets: bool,
    /// For an instruction that computes: the types of its arguments, and the bits of its destination.
    pub(crate) arguments: Vec<Type>,
    pub(crate) result: u32,
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Instruction {
    /// The same, with what follows from its name.
    fn known(mut self) -> Instruction {
        let (name, ty) = (self.name.as_str(), self.ty());
        let is_wide = self.has("wide");
        let argument = |number: usize| match (name, number) {
            ("selp", 2) => Type::Pred,
            ("shl" | "shr", 1) => Type::Bits(32),
            ("mad", 2) if is_wide => Type::Bits(64),
            ("cvt", _) => self.types.get(1).copied().unwrap_or(ty),
            _ => ty,
        };
        let arguments = (0..self.operands.len().saturating_sub(1)).map(argument).collect();
        let result = match name {
            "setp" | "testp" => 1,
            "popc" | "bfind" => 32,
            "mad" | "mul" if is_wide => 64,
            _ => ty.bits(),
        };
        let meets = self.has("sync") || matches!(name, "bar" | "atom" | "red" | "exit" | "ret");
        (self.arguments, self.result, self.meets) = (arguments, result, meets);
        self
    }

    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|it| it == modifier)
    }

    /// The instruction type.
    pub(crate) fn ty(&self) -> Type {
        self.types.first().copied().unwrap_or(Type::Pred)
    }
}

/// A kernel.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    pub(crate) threads: u32,
    pub(crate) param: usize,
    pub(crate) shared: usize,
    pub(crate) local: usize,
    /// The number of registers, and where each class begins.
    pub(crate) registers: usize,
    classes: BTreeMap<String, (usize, u32, u32)>,
    pub(crate) code: Vec<Instruction>,
    labels: BTreeMap<String, usize>,
}

/// Reads a module with one kernel.
pub fn parse(text: &str) -> Result<Kernel, String> {
    let mut kernel = Kernel::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split("//").next().unwrap_or("").trim();
        let fail = |what: String| format!("line {number}: {what}: `{line}`");
        kernel.line(number, line).map_err(fail)?;
    }
    for branch in kernel.code.iter_mut().filter(|it| it.name == "bra") {
        for operand in &mut branch.operands {
            if let Operand::Name(name) = operand {
                let to = kernel.labels.get(name);
                let unknown = || format!("line {}: no label `{name}`", branch.line);
                *operand = Operand::Label(*to.ok_or_else(unknown)?);
            }
        }
    }
    Ok(kernel)
}

/// The number in brackets at the end of a declaration.
fn extent(text: &str) -> Result<usize, String> {
    let number = text.split_once('[').and_then(|it| it.1.split_once(']'));
    let number = number.and_then(|it| it.0.parse().ok());
    number.ok_or_else(|| "a declaration without a size".to_owned())
}

impl Kernel {
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        if line.is_empty() || ["{", "}", "(", ")"].contains(&line) {
            return Ok(());
        }
        if let Some(label) = line.strip_suffix(':') {
            if self.labels.insert(label.to_owned(), self.code.len()).is_some() {
                return Err("a label twice".to_owned());
            }
            return Ok(());
        }
        let first = line.split([' ', '\t']).next().unwrap_or("");
        match first {
            ".version" | ".target" | ".address_size" | ".file" | ".loc" | ".visible" => Ok(()),
            ".param" => {
                self.param = extent(line)?;
                Ok(())
            }
            ".shared" => {
                self.shared = extent(line)?;
                Ok(())
            }
            ".local" => {
                self.local = extent(line)?;
                Ok(())
            }
            ".reqntid" => {
                let words = line.trim_start_matches(".reqntid");
                let sizes: Result<Vec<u32>, _> =
                    words.split(',').map(|it| it.trim().parse()).collect();
                let sizes = sizes.map_err(|it| it.to_string())?;
                if sizes.len() != 3 || sizes[1..] != [1, 1] {
                    return Err("blocks have one dimension".to_owned());
                }
                self.threads = sizes[0];
                Ok(())
            }
            ".reg" => self.declare(line),
            _ if first.starts_with('.') => Err("unknown directive".to_owned()),
            _ => {
                let instruction = self.instruction(number, line)?;
                self.code.push(instruction);
                Ok(())
            }
        }
    }

    fn declare(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
        let [_, ty, range] = words.as_slice() else {
            return Err("unknown declaration".to_owned());
        };
        let ty = Type::read(ty.trim_start_matches('.')).ok_or("unknown type")?;
        let (name, count) = range.split_once('<').ok_or("no range of registers")?;
        let count: u32 = count.trim_end_matches('>').parse().map_err(|_| "no number")?;
        let class = (self.registers, count, ty.bits());
        if self.classes.insert(name.to_owned(), class).is_some() {
            return Err("declared twice".to_owned());
        }
        self.registers += count as usize;
        Ok(())
    }

    fn register(&self, name: &str) -> Result<Register, String> {
        let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let (class, number) = name.split_at(digits);
        let number: u32 = number.parse().map_err(|_| format!("no register `{name}`"))?;
        let (first, count, bits) =
            *self.classes.get(class).ok_or_else(|| format!("`{name}` is not declared"))?;
        if number >= count {
            return Err(format!("`{name}` is not declared"));
        }
        Ok(Register { index: first + number as usize, bits })
    }

    fn instruction(&self, number: usize, line: &str) -> Result<Instruction, String> {
        let text = line.strip_suffix(';').ok_or("no semicolon")?;
        let (guard, rest) = match text.strip_prefix('@') {
            None => (None, text),
            Some(guarded) => {
                let (guard, rest) = guarded.split_once(' ').ok_or("a guard alone")?;
                let (negated, name) = match guard.strip_prefix('!') {
                    Some(name) => (true, name),
                    None => (false, guard),
                };
                let register = self.register(name)?;
                if register.bits != 1 {
                    return Err("a guard is a predicate".to_owned());
                }
                (Some((register, negated)), rest)
            }
        };
        let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut parts = opcode.split('.');
        let name = parts.next().unwrap_or("").to_owned();
        let (mut modifiers, mut types) = (Vec::new(), Vec::new());
        for part in parts {
            match Type::read(part) {
                Some(ty) => types.push(ty),
                None => modifiers.push(part.to_owned()),
            }
        }
        let mut all = Vec::new();
        for operand in split(operands) {
            all.push(self.operand(operand)?);
        }
        let elements = modifiers.iter().find_map(|it| it.strip_prefix('v')?.parse().ok());
        let space = modifiers.iter().find_map(|it: &String| Space::read(it));
        let instruction = Instruction {
            guard,
            space,
            elements: elements.unwrap_or(1),
            name,
            modifiers,
            types,
            operands: all,
            meets: false,
            arguments: Vec::new(),
            result: 0,
            line: number,
            text: line.to_owned(),
        };
        Ok(instruction.known())
    }

    fn operand(&self, text: &str) -> Result<Operand, String> {
        if let Some(list) = text.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
            let registers: Result<Vec<Register>, String> =
                list.split(',').map(|it| self.register(it.trim())).collect();
            return Ok(Operand::Vector(registers?));
        }
        if let Some(memory) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            let (base, offset) = match memory.split_once('+') {
                None => (memory, 0),
                Some((base, offset)) => {
                    (base, offset.parse().map_err(|_| format!("no offset `{offset}`"))?)
                }
            };
            let base = match base.starts_with('%') {
                true => Base::Register(self.register(base)?),
                false => Base::Name(base.to_owned()),
            };
            return Ok(Operand::Memory(base, offset));
        }
        if let Some((first, second)) = text.split_once('|') {
            return Ok(Operand::Pair(self.register(first)?, self.register(second)?));
        }
        let hex = |digits: &str| u64::from_str_radix(digits, 16).map_err(|it| it.to_string());
        if let Some(digits) = text.strip_prefix("0f") {
            return Ok(Operand::Constant(hex(digits)?));
        }
        if let Some(digits) = text.strip_prefix("0d") {
            return Ok(Operand::Constant(hex(digits)?));
        }
        if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            let number: i128 = text.parse().map_err(|_| format!("no number `{text}`"))?;
            return Ok(Operand::Constant(number as u64));
        }
        // Special registers have names without a number.
        if text.starts_with('%') && text.ends_with(|c: char| c.is_ascii_digit()) {
            return Ok(Operand::Register(self.register(text)?));
        }
        Ok(Operand::Name(text.to_owned()))
    }
}

/// Operands, separated by commas outside braces.
fn split(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        all.push(text[start..].trim());
    }
    all
}
