//! The parser of the text form. Every text gives a module or an error with its position; the nesting depth is
//! bounded, and memory by the length of the text.

use std::fmt;
use std::str::FromStr;

use diag::{ExpansionId, Span};
use ops::intrinsics::{ShaderModel, Stage};
use ops::{Binary, Compare, Named, Ternary, Ty, Unary};

mod declarations;

use super::lex::{Lexer, Token};
use super::{Head, KindWord, MOST_DEPTH, NEEDS};
use crate::group::{GroupIo, MeshIo};
use crate::notes::ScopeId;
use crate::print::MessageData;
use crate::stage::{
    self, EvalPlace, GeometryTraits, Holder, HullTraits, Interpolation, StageIo, StageTraits,
    TRAITS,
};
use crate::{
    Address, Binding, Case, Chosen, Element, HostScalar, Inst, InstData, Member, Memory, Message,
    Module, Norm, Op, Place, Private, Query, QueryData, ROLES, Ray, RayOp, Region, RegionData,
    Register, RegisterClass, Resource, ResourceKind, Shared, Slot, Texture, TextureArgs, TextureOp,
    Value, ValueData, ValueDef, Values, Variable, WaveSize, values,
};

/// Why a text is not a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Lines and columns count from 1, columns in characters.
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// Reads the text form of a module.
pub fn read(text: &str) -> Result<Module, ReadError> {
    let mut lexer = Lexer::new(text);
    let (token, at) = lexer.next()?;
    let reader = Reader {
        lexer,
        token,
        at,
        values: Table::new("v"),
        insts: Table::new("i"),
        regions: Table::new("r"),
        next_inst: 0,
    };
    reader.module()
}

/// A position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) line: u32,
    pub(super) column: u32,
}

impl At {
    pub(super) fn error(self, message: impl Into<String>) -> ReadError {
        ReadError { line: self.line, column: self.column, message: message.into() }
    }
}

type Read<T> = Result<T, ReadError>;

/// Entities in textual order, with the numbers that the text gives them.
struct Table<T> {
    prefix: &'static str,
    rows: Vec<(u32, T, At)>,
}

impl<T> Table<T> {
    fn new(prefix: &'static str) -> Table<T> {
        Table { prefix, rows: Vec::new() }
    }

    /// In the order of their numbers, which must be consecutive from 0.
    fn dense(mut self) -> Read<Vec<T>> {
        ops::sort_by_key(&mut self.rows, |(number, _, at)| (*number, *at));
        for (i, (number, _, at)) in self.rows.iter().enumerate() {
            let prefix = self.prefix;
            match (*number as usize).cmp(&i) {
                std::cmp::Ordering::Equal => {}
                std::cmp::Ordering::Less => {
                    return Err(at.error(format!("`{prefix}{number}` is defined twice")));
                }
                std::cmp::Ordering::Greater => {
                    return Err(at.error(format!(
                        "`{prefix}{number}` is defined, but `{prefix}{i}` is not"
                    )));
                }
            }
        }
        Ok(self.rows.into_iter().map(|(_, it, _)| it).collect())
    }
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    at: At,
    values: Table<ValueData>,
    insts: Table<InstData>,
    regions: Table<RegionData>,
    next_inst: u32,
}

// The prefixes of resource and memory numbers.
const RESOURCE: &str = "b";
const SHARED: &str = "g";
const PRIVATE: &str = "p";
const MESSAGE: &str = "m";
const QUERY: &str = "q";

impl<'a> Reader<'a> {
    // Tokens.

    fn next(&mut self) -> Read<Token<'a>> {
        let (token, at) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        let found = match &self.token {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(_) => "a string".to_owned(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Newline => "the end of the line".to_owned(),
            Token::End => "the end of the text".to_owned(),
        };
        Err(self.at.error(format!("expected {what}, found {found}")))
    }

    fn eat(&mut self, token: &Token<'_>) -> Read<bool> {
        let found = self.token == *token;
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn eat_sign(&mut self, sign: &'static str) -> Read<bool> {
        self.eat(&Token::Sign(sign))
    }

    fn eat_word(&mut self, word: &str) -> Read<bool> {
        self.eat(&Token::Word(word))
    }

    fn sign(&mut self, sign: &'static str) -> Read<()> {
        if self.eat_sign(sign)? { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    fn keyword(&mut self, word: &str) -> Read<()> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    fn newline(&mut self) -> Read<()> {
        if self.token == Token::End || self.eat(&Token::Newline)? {
            Ok(())
        } else {
            self.expected("the end of the line")
        }
    }

    fn string(&mut self) -> Read<String> {
        match &mut self.token {
            Token::Text(text) => {
                let text = std::mem::take(text);
                self.next()?;
                Ok(text)
            }
            _ => self.expected("a string"),
        }
    }

    fn number<N: TryFrom<u64>>(&mut self) -> Read<N> {
        let Token::Number(number) = self.token else { return self.expected("a number") };
        let number = N::try_from(number)
            .map_err(|_| self.at.error(format!("{number} is too large here")))?;
        self.next()?;
        Ok(number)
    }

    /// The result of `parse` for a word.
    fn word<T>(&mut self, what: &str, parse: impl FnOnce(&str) -> Option<T>) -> Read<T> {
        let Token::Word(word) = self.token else { return self.expected(what) };
        match parse(word) {
            Some(it) => {
                self.next()?;
                Ok(it)
            }
            None => self.expected(what),
        }
    }

    fn named<T: Named>(&mut self, what: &str) -> Read<T> {
        self.word(what, T::by_name)
    }

    /// The number of an entity such as `v7`.
    fn entity(&mut self, prefix: &str, what: &str) -> Read<u32> {
        self.word(what, |word| entity(word, prefix))
    }

    fn value(&mut self) -> Read<Value> {
        self.entity("v", "a value").map(Value)
    }

    /// Comma-separated values; none if the next token does not start one.
    fn values(&mut self) -> Read<Values> {
        match self.token {
            Token::Word(word) if entity(word, "v").is_some() => {
                let first = self.value()?;
                self.rest(values![first])
            }
            _ => Ok(Values::new()),
        }
    }

    /// Further values, each after a comma.
    fn rest(&mut self, mut values: Values) -> Read<Values> {
        while self.eat_sign(",")? {
            values.push(self.value()?);
        }
        Ok(values)
    }

    fn span(&mut self) -> Read<Span> {
        if !self.eat_sign("@")? {
            return Ok(Span::NONE);
        }
        let lo = self.number()?;
        self.sign("..")?;
        let hi = self.number()?;
        let expansion = if self.eat_sign("#")? {
            ExpansionId::from_number(self.number()?)
        } else {
            ExpansionId::NONE
        };
        Ok(Span { lo, hi, expansion })
    }

    /// The span of an instruction, and the scope that it is in.
    fn origin(&mut self) -> Read<(Span, ScopeId)> {
        let span = self.span()?;
        let scope = if self.eat_word("in")? { ScopeId(self.number()?) } else { ScopeId::ENTRY };
        Ok((span, scope))
    }

    // The header.

    fn module(mut self) -> Read<Module> {
        self.eat(&Token::Newline)?;
        self.keyword("entry")?;
        let name = self.string()?;
        self.sign(":")?;
        let stage: Stage = self.named("a shader stage")?;
        let major = self.number()?;
        self.sign(".")?;
        let minor = self.number()?;
        self.newline()?;
        let mut module =
            Module { name, stage, shader_model: ShaderModel { major, minor }, ..Module::empty() };
        self.keyword("group_size")?;
        module.group_size = self.triple()?;
        self.newline()?;
        if self.eat_word("wave_size")? {
            let [min, max, preferred] = self.triple()?;
            module.wave_size = WaveSize { min, max, preferred };
            self.newline()?;
        }
        if self.eat_word("needs")? {
            loop {
                let field = self
                    .word("a capability", |word| NEEDS.iter().find(|(name, _)| *name == word))?
                    .1;
                *field(&mut module.needs) = true;
                if !self.eat_sign(",")? {
                    break;
                }
            }
            self.newline()?;
        }
        if self.eat_word("stage_io")? {
            self.newline()?;
            module.io = Some(self.stage_io()?);
        }
        if self.eat_word("group_io")? {
            module.group = Some(Box::new(self.group_io()?));
        }
        while !self.eat_word("body")? {
            self.declaration(&mut module)?;
            self.newline()?;
        }
        module.body = self.region(0)?;
        self.newline()?;
        if self.token != Token::End {
            return self.expected("the end of the text");
        }
        module.values = self.values.dense()?;
        module.insts = self.insts.dense()?;
        module.regions = self.regions.dense()?;
        Ok(module)
    }

    fn triple(&mut self) -> Read<[u32; 3]> {
        let first = self.number()?;
        self.sign(",")?;
        let second = self.number()?;
        self.sign(",")?;
        Ok([first, second, self.number()?])
    }

    /// `v1, v2: i32, v3: f32`, which defines the values. None if the next token does not start one.
    fn definitions(&mut self, def: impl Fn(u32) -> ValueDef) -> Read<Values> {
        let mut values = Values::new();
        let mut untyped = 0;
        if !matches!(self.token, Token::Word(word) if entity(word, "v").is_some()) {
            return Ok(values);
        }
        loop {
            let at = self.at;
            let value = self.value()?;
            let data = ValueData { ty: Ty::Bool, def: def(values.len() as u32) };
            values.push(value);
            self.values.rows.push((value.0, data, at));
            untyped += 1;
            if self.eat_sign(":")? {
                let ty = self.ty()?;
                let first = self.values.rows.len() - std::mem::take(&mut untyped);
                self.values.rows[first..].iter_mut().for_each(|(_, data, _)| data.ty = ty);
                if !self.eat_sign(",")? {
                    return Ok(values);
                }
            } else {
                self.sign(",")?;
            }
        }
    }

    // `region`, `inst`, `construct` and `cases` recurse as deeply as regions nest. Functions that they call do the
    // work that needs stack space, so that the deepest text fits into a small stack.

    fn region(&mut self, depth: usize) -> Read<Region> {
        let at = self.at;
        let (region, params) = self.region_head(depth)?;
        let mut insts = Vec::new();
        while !self.eat_sign("}")? {
            insts.push(self.inst(depth)?);
            self.newline()?;
        }
        self.regions.rows.push((region.0, RegionData { params, insts }, at));
        Ok(region)
    }

    fn region_head(&mut self, depth: usize) -> Read<(Region, Values)> {
        if depth >= MOST_DEPTH {
            return Err(self.at.error(format!("regions nest more than {MOST_DEPTH} deep")));
        }
        let region = Region(self.entity("r", "a region")?);
        let mut params = Values::new();
        if self.eat_sign("(")? {
            params = self.definitions(|i| ValueDef::Param(region, i))?;
            self.sign(")")?;
        }
        self.sign("{")?;
        self.newline()?;
        Ok((region, params))
    }

    fn inst(&mut self, depth: usize) -> Read<Inst> {
        let at = self.at;
        let (inst, results) = self.inst_head()?;
        let (op, (span, scope)) = match self.token {
            Token::Word(word) => match Head::by_name(word) {
                Some(head @ (Head::If | Head::Loop | Head::Switch | Head::Block)) => {
                    self.construct(head, depth)?
                }
                _ => self.op()?,
            },
            _ => return self.expected("an instruction"),
        };
        self.insts.rows.push((inst.0, InstData { op, results, span, scope }, at));
        Ok(inst)
    }

    /// The number and the results.
    fn inst_head(&mut self) -> Read<(Inst, Values)> {
        let at = self.at;
        let mut number = self.next_inst;
        if let Token::Word(word) = self.token
            && let Some(label) = entity(word, "i")
        {
            number = label;
            self.next()?;
            self.sign(":")?;
        }
        let Some(next) = number.checked_add(1) else {
            return Err(at.error(format!("{number} is too large here")));
        };
        self.next_inst = next;
        let inst = Inst(number);
        let results = self.definitions(|i| ValueDef::Result(inst, i))?;
        if !results.is_empty() {
            self.sign("=")?;
        }
        Ok((inst, results))
    }

    /// An operation without regions.
    fn op(&mut self) -> Read<(Op, (Span, ScopeId))> {
        let Token::Word(word) = self.token else { return self.expected("an instruction") };
        let op = if let Some(head) = Head::by_name(word) {
            self.next()?;
            self.plain(head)?
        } else if let Some(op) = Unary::by_name(word) {
            self.next()?;
            Op::Unary(op, self.value()?)
        } else if let Some(op) = Binary::by_name(word) {
            self.next()?;
            let [a, b] = self.pair()?;
            Op::Binary(op, a, b)
        } else if let Some(op) = Compare::by_name(word) {
            self.next()?;
            let [a, b] = self.pair()?;
            Op::Compare(op, a, b)
        } else if let Some(op) = Ternary::by_name(word) {
            self.next()?;
            let [a, b] = self.pair()?;
            self.sign(",")?;
            Op::Ternary(op, [a, b, self.value()?])
        } else {
            return self.expected("an instruction");
        };
        Ok((op, self.origin()?))
    }

    fn pair(&mut self) -> Read<[Value; 2]> {
        let first = self.value()?;
        self.sign(",")?;
        Ok([first, self.value()?])
    }

    /// An instruction without regions, after its first word.
    fn plain(&mut self, head: Head) -> Read<Op> {
        Ok(match head {
            Head::Const(ty) => Op::Const { ty, bits: self.number()? },
            Head::Undef(ty) => Op::Undef(ty),
            Head::Builtin(builtin) => Op::Builtin(builtin),
            Head::Input => Op::Input(self.slot()?),
            Head::EvalCentroid => Op::Eval { slot: self.slot()?, place: EvalPlace::Centroid },
            Head::EvalSample => {
                let (slot, index) = self.slot_and_value()?;
                Op::Eval { slot, place: EvalPlace::Sample(index) }
            }
            Head::EvalSnapped => {
                let (slot, x) = self.slot_and_value()?;
                self.sign(",")?;
                Op::Eval { slot, place: EvalPlace::Snapped(x, self.value()?) }
            }
            Head::InputAt => {
                let (slot, vertex) = self.slot_and_value()?;
                Op::InputAt { slot, vertex }
            }
            Head::Output => {
                let (slot, value) = self.slot_and_value()?;
                Op::Output { slot, value }
            }
            Head::Discard => Op::Discard,
            Head::Wave(op) => Op::Wave { op, args: self.values()?, lanes: self.lanes()? },
            Head::Barrier(barrier) => Op::Barrier { barrier, lanes: self.lanes()? },
            Head::Load => Op::Load { place: self.place()?, at: self.address()? },
            Head::Store => Op::Store {
                place: self.place()?,
                at: self.address()?,
                values: self.rest(Values::new())?,
            },
            Head::Atomic(op) => Op::Atomic {
                place: self.place()?,
                at: self.address()?,
                op,
                args: self.rest(Values::new())?,
            },
            Head::Size => Op::Size { place: self.place()? },
            Head::Counter => {
                let place = self.place()?;
                self.sign(",")?;
                Op::Counter { place, delta: self.delta()? }
            }
            Head::Texture(op) => self.texture(op)?,
            Head::Ray(op) => self.ray(op)?,
            Head::Derivative(of) => Op::Derivative(of, self.value()?),
            Head::SharedLoad => Op::SharedLoad { memory: self.shared()?, index: self.index()? },
            Head::SharedStore => {
                let (memory, index) = (self.shared()?, self.index()?);
                self.sign(",")?;
                Op::SharedStore { memory, index, value: self.value()? }
            }
            Head::SharedAtomic(op) => Op::SharedAtomic {
                memory: self.shared()?,
                index: self.index()?,
                op,
                args: self.rest(Values::new())?,
            },
            Head::PrivateLoad => Op::PrivateLoad { memory: self.private()?, index: self.index()? },
            Head::PrivateStore => {
                let (memory, index) = (self.private()?, self.index()?);
                self.sign(",")?;
                Op::PrivateStore { memory, index, value: self.value()? }
            }
            Head::Print => {
                let message = Message(self.entity(MESSAGE, "a message")?);
                Op::Print { message, args: self.rest(Values::new())? }
            }
            Head::Yield => Op::Yield(self.values()?),
            Head::Exit => Op::Exit {
                to: Inst(self.entity("i", "the construct to leave")?),
                args: self.values()?,
            },
            Head::Return => Op::Return,
            Head::If | Head::Loop | Head::Switch | Head::Block => {
                unreachable!("constructs are read elsewhere")
            }
        })
    }

    fn texture(&mut self, op: TextureOp) -> Read<Op> {
        let texture = self.place()?;
        let sampler = if self.eat_sign(",")? { Some(self.place()?) } else { None };
        let map = if self.eat_sign(",")? { Some(self.place()?) } else { None };
        let mut args = TextureArgs::default();
        for (role, values) in ROLES.into_iter().zip(args.by_role_mut()) {
            if self.eat_word(role)? {
                *values = self.values()?;
            }
        }
        Ok(Op::Texture(Box::new(Texture { op, texture, sampler, map, args })))
    }

    fn ray(&mut self, op: RayOp) -> Read<Op> {
        let (mut query, mut scene) = (None, None);
        match self.token {
            Token::Word(word) if entity(word, QUERY).is_some() => {
                query = Some(Query(self.entity(QUERY, "queries")?));
            }
            Token::Word(word) if entity(word, RESOURCE).is_some() => scene = Some(self.place()?),
            _ => {}
        }
        let args = match query.is_some() || scene.is_some() {
            true => self.rest(Values::new())?,
            false => self.values()?,
        };
        Ok(Op::Ray(Box::new(Ray { op, query, scene, args })))
    }

    fn slot(&mut self) -> Read<Slot> {
        self.entity("s", "a slot").map(Slot)
    }

    fn slot_and_value(&mut self) -> Read<(Slot, Value)> {
        let slot = self.slot()?;
        self.sign(",")?;
        Ok((slot, self.value()?))
    }

    fn lanes(&mut self) -> Read<Option<Value>> {
        if self.eat_word("lanes")? { self.value().map(Some) } else { Ok(None) }
    }

    fn shared(&mut self) -> Read<Shared> {
        self.entity(SHARED, "a groupshared memory").map(Shared)
    }

    fn private(&mut self) -> Read<Private> {
        self.entity(PRIVATE, "a private memory").map(Private)
    }

    fn index(&mut self) -> Read<Value> {
        self.sign("[")?;
        let index = self.value()?;
        self.sign("]")?;
        Ok(index)
    }

    fn delta(&mut self) -> Read<i32> {
        let at = self.at;
        let negative = self.eat_sign("-")?;
        let size: u32 = self.number()?;
        let delta = if negative { -i64::from(size) } else { i64::from(size) };
        i32::try_from(delta).map_err(|_| at.error(format!("{delta} is too large here")))
    }

    fn place(&mut self) -> Read<Place> {
        let binding = Binding(self.entity(RESOURCE, "a resource")?);
        let mut element = None;
        if self.eat_sign("(")? {
            element = Some(self.value()?);
            self.sign(")")?;
        }
        Ok(Place { binding, element })
    }

    fn address(&mut self) -> Read<Address> {
        self.sign("[")?;
        let address = if self.eat_word("element")? {
            let index = self.value()?;
            self.sign(",")?;
            self.keyword("byte")?;
            Address::Structured { index, offset: self.value()? }
        } else if self.eat_word("byte")? {
            Address::Byte(self.value()?)
        } else if self.eat_word("texel")? {
            Address::Texel(self.value()?)
        } else if self.eat_word("within")? {
            let bytes = self.number()?;
            let unit = self.value()?;
            let when = if self.eat_word("if")? { Some(self.value()?) } else { None };
            Address::Within { unit, bytes, when }
        } else {
            return self.expected("`element`, `byte`, `texel` or `within`");
        };
        self.sign("]")?;
        Ok(address)
    }

    /// A construct that starts with the word `head`.
    fn construct(&mut self, head: Head, depth: usize) -> Read<(Op, (Span, ScopeId))> {
        let (operands, origin) = self.construct_head(head)?;
        match head {
            Head::If => {
                self.keyword("then")?;
                let then = self.region(depth + 1)?;
                self.keyword("else")?;
                Ok((Op::If { cond: operands[0], then, else_: self.region(depth + 1)? }, origin))
            }
            Head::Switch => {
                let cases = self.cases(depth)?;
                Ok((
                    Op::Switch { selector: operands[0], cases, inits: operands[1..].into() },
                    origin,
                ))
            }
            _ => {
                self.keyword("do")?;
                let body = self.region(depth + 1)?;
                let op = if head == Head::Loop {
                    Op::Loop { body, inits: operands }
                } else {
                    Op::Block { body }
                };
                Ok((op, origin))
            }
        }
    }

    /// The first word of a construct, its operands in order, and its origin.
    fn construct_head(&mut self, head: Head) -> Read<(Values, (Span, ScopeId))> {
        self.next()?;
        let operands = match head {
            Head::If => values![self.value()?],
            Head::Loop => self.values()?,
            Head::Switch => {
                let mut operands = values![self.value()?];
                if self.eat_word("with")? {
                    operands.extend(self.values()?);
                }
                operands
            }
            _ => Values::new(),
        };
        Ok((operands, self.origin()?))
    }

    fn cases(&mut self, depth: usize) -> Read<Vec<Case>> {
        self.sign("{")?;
        self.newline()?;
        let mut cases = Vec::new();
        while !self.eat_sign("}")? {
            let (labels, default) = self.labels()?;
            cases.push(Case { labels, default, body: self.region(depth + 1)? });
            self.newline()?;
        }
        Ok(cases)
    }

    /// `case 0, 1, default`
    fn labels(&mut self) -> Read<(Vec<u64>, bool)> {
        self.keyword("case")?;
        let mut labels = Vec::new();
        let mut default = self.eat_word("default")?;
        if let (false, Token::Number(_)) = (default, &self.token) {
            labels.push(self.number()?);
            while !default && self.eat_sign(",")? {
                default = self.eat_word("default")?;
                if !default {
                    labels.push(self.number()?);
                }
            }
        }
        Ok((labels, default))
    }
}

/// The number of an entity: the digits after its prefix, without leading zeros.
fn entity(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    let plain =
        digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    plain.then(|| u32::from_str(digits).ok())?
}
