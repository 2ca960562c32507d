//! Constants by name: `table.set("Count", 64)`, independent of the layout of the shader's constant buffers.
//!
//! Constants that are set belong to the table. A constant buffer that the host has bound, or that a list of dispatches
//! still uses, is copied before it changes, so that every dispatch sees what was set before it was recorded.

use std::fmt;
use std::sync::Arc;

use ir::{Member, ResourceKind};
use ops::F16;

use crate::memory::{Cell, Slot};
use crate::{BufferError, Layout, ResourceTable, Scalar};

/// A value for constants: a number or a `bool`, arrays, slices and tuples of them, and structures that
/// [`shader_struct!`](crate::shader_struct) declares.
///
/// An integer suits every integer type that can hold it, a float every float type (it is rounded to the nearest value),
/// and a `bool` only `bool`.
pub trait Constant {
    /// Appends its numbers in order.
    fn numbers(&self, all: &mut Vec<Number>);
}

/// One number of a [`Constant`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer; 0 and 1 are truth values too.
    Integer(i128),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
}

macro_rules! constants {
    ($($ty:ty => $number:ident;)*) => { $(
        impl Constant for $ty {
            fn numbers(&self, all: &mut Vec<Number>) {
                all.push(Number::$number((*self).into()));
            }
        }
    )* };
}

constants! {
    i8 => Integer; i16 => Integer; i32 => Integer; i64 => Integer;
    u8 => Integer; u16 => Integer; u32 => Integer; u64 => Integer;
    f32 => Float; f64 => Float; bool => Bool;
}

impl Constant for F16 {
    fn numbers(&self, all: &mut Vec<Number>) {
        all.push(Number::Float(self.to_f64()));
    }
}

impl Constant for Number {
    fn numbers(&self, all: &mut Vec<Number>) {
        all.push(*self);
    }
}

impl<T: Constant> Constant for [T] {
    fn numbers(&self, all: &mut Vec<Number>) {
        self.iter().for_each(|it| it.numbers(all));
    }
}

impl<T: Constant, const N: usize> Constant for [T; N] {
    fn numbers(&self, all: &mut Vec<Number>) {
        self.as_slice().numbers(all);
    }
}

impl<T: Constant + ?Sized> Constant for &T {
    fn numbers(&self, all: &mut Vec<Number>) {
        (**self).numbers(all);
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => { $(
        impl<$($name: Constant),+> Constant for ($($name,)+) {
            #[allow(non_snake_case, reason = "members are named by their types")]
            fn numbers(&self, all: &mut Vec<Number>) {
                let ($($name,)+) = self;
                $($name.numbers(all);)+
            }
        }
    )* };
}

tuples! {
    A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H;
}

/// The locations of the numbers of a constant.
struct Target {
    resource: usize,
    size: usize,
    /// The offset and the type of each number, in the order in which HLSL initialises them.
    scalars: Vec<(usize, Scalar)>,
}

impl ResourceTable {
    /// Sets a constant by its name: a member of a constant buffer (`Count`, or `Params.Count`), an element of an array
    /// (`Weights[3]`), a structure, or a whole constant buffer by the buffer's name. Members that are never set are 0.
    ///
    /// The value has as many numbers as the shader declares, in the order of declaration: vectors by component,
    /// matrices row by row, arrays by index. The caller need not know their offsets:
    ///
    /// ```
    /// use wavelane::{NoIncludes, Options, ResourceTable, Shader};
    ///
    /// let text = "cbuffer Params { uint Count; float3 Tint; float Weights[2]; };
    ///     RWStructuredBuffer<float> Out;
    ///     [numthreads(1, 1, 1)] void main() { Out[0] = Count * Tint.y + Weights[1]; }";
    /// let shader = Shader::compile("tint.hlsl", text, &Options::default(), &mut NoIncludes)?.shader()?;
    /// let mut table = ResourceTable::new(&shader);
    /// table.set("Count", 64)?;
    /// table.set("Weights[1]", 0.5)?;
    /// table.set("Params", (64, [1.0, 0.5, 0.0], [0.25, 0.5]))?;
    /// let error = table.set("Count", -1).unwrap_err();
    /// assert_eq!(error.to_string(), "`Count` is `u32`, which cannot hold -1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set(&mut self, name: &str, value: impl Constant) -> Result<(), ConstantError> {
        let fail = |problem| ConstantError { name: name.to_owned(), problem };
        let target = self.target(name).map_err(fail)?;
        let mut numbers = Vec::new();
        value.numbers(&mut numbers);
        if numbers.len() != target.scalars.len() {
            return Err(fail(ConstantProblem::Count {
                given: numbers.len(),
                needs: target.scalars.len(),
            }));
        }
        let mut stored = Vec::with_capacity(numbers.len());
        for (number, (offset, scalar)) in numbers.iter().zip(&target.scalars) {
            let bits = bits(*number, *scalar);
            let problem = ConstantProblem::Value { number: *number, scalar: *scalar };
            stored.push((*offset, scalar.bytes(), bits.ok_or_else(|| fail(problem))?));
        }
        let cell = self.own_constants(&target).map_err(|it| fail(ConstantProblem::Buffer(it)))?;
        let mut state = cell.lock();
        let slot = state.host_mut().map_err(|it| fail(ConstantProblem::Buffer(it.into())))?;
        for (offset, len, bits) in stored {
            if let Some(to) = slot.bytes.get_mut(offset..offset + len) {
                to.copy_from_slice(&bits.to_le_bytes()[..len]);
            }
        }
        Ok(())
    }

    /// The types of the numbers of a constant, in the order in which [`ResourceTable::set`] takes them.
    pub(crate) fn types_of(&self, name: &str) -> Result<Vec<Scalar>, ConstantError> {
        let fail = |problem| ConstantError { name: name.to_owned(), problem };
        let target = self.target(name).map_err(fail)?;
        Ok(target.scalars.iter().map(|(_, scalar)| *scalar).collect())
    }

    /// The constants of a buffer, in a cell without other owners.
    fn own_constants(&mut self, target: &Target) -> Result<Arc<Cell>, BufferError> {
        let name = &self.resources()[target.resource].name;
        let own = match self.cell(name, 0) {
            // The table's own reference is the only one.
            Some(cell) if Arc::strong_count(cell) == 1 => return Ok(cell.clone()),
            Some(cell) => cell.duplicate()?,
            None => Cell::new(Slot { bytes: vec![0; target.size].into(), ..Slot::default() }, None),
        };
        self.put_cell(target.resource, 0, own.clone());
        Ok(own)
    }

    fn target(&self, name: &str) -> Result<Target, ConstantProblem> {
        let (path, indices) =
            path(name).ok_or(ConstantProblem::NoSuchConstant { similar: None })?;
        let mut found: Option<Target> = None;
        for (resource, declared) in self.resources().iter().enumerate() {
            let ResourceKind::Constant { size, members } = &declared.kind else { continue };
            let chosen: Vec<&Member> = match path == declared.name {
                true => members.iter().collect(),
                false => {
                    let inner = path
                        .strip_prefix(declared.name.as_str())
                        .and_then(|it| it.strip_prefix('.'));
                    let is_named = |member: &str, path: &str| {
                        let rest = member.strip_prefix(path);
                        rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
                    };
                    let is_chosen = |it: &&Member| {
                        is_named(&it.name, path)
                            || inner.is_some_and(|path| is_named(&it.name, path))
                    };
                    members.iter().filter(is_chosen).collect()
                }
            };
            if chosen.is_empty() {
                continue;
            }
            if found.is_some() {
                return Err(ConstantProblem::Ambiguous);
            }
            if is_interleaved(&chosen) || chosen.len() > 1 && !indices.is_empty() {
                return Err(ConstantProblem::ArrayOfStructures);
            }
            let mut scalars = Vec::new();
            for member in chosen {
                let offsets = Layout::offsets_of(member, &indices);
                let scalar = Scalar::from(member.scalar);
                let offsets = offsets.ok_or(ConstantProblem::OutOfRange)?;
                scalars.extend(offsets.into_iter().map(|offset| (offset, scalar)));
            }
            found = Some(Target { resource, size: *size as usize, scalars });
        }
        found.ok_or_else(|| {
            let buffers = self.resources().iter().filter_map(|it| match &it.kind {
                ResourceKind::Constant { members, .. } => Some(members),
                _ => None,
            });
            let names = buffers.flatten().map(|it| it.name.as_str());
            let similar = diag::most_similar(path, names).map(str::to_owned);
            ConstantProblem::NoSuchConstant { similar }
        })
    }
}

/// Splits `Name[1][2]` into the name and the indices.
fn path(name: &str) -> Option<(&str, Vec<u32>)> {
    let Some((path, rest)) = name.split_once('[') else { return Some((name, Vec::new())) };
    let indices = rest.strip_suffix(']')?.split("][").map(|it| it.parse().ok());
    Some((path, indices.collect::<Option<_>>()?))
}

/// Whether members are interleaved, as in an array of structures.
fn is_interleaved(members: &[&Member]) -> bool {
    members.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        let extent = first.dims.iter().map(|(count, stride)| count.saturating_sub(1) * stride);
        (first.offset..first.offset + extent.sum::<u32>()).contains(&second.offset)
    })
}

/// The bits of a number in that type; `None` if the type cannot hold it.
fn bits(number: Number, scalar: Scalar) -> Option<u64> {
    match (number, scalar) {
        (Number::Bool(value), Scalar::Bool) => Some(value.into()),
        (Number::Float(value), Scalar::F64) => Some(value.to_bits()),
        (Number::Float(value), Scalar::F32) => Some((value as f32).to_bits().into()),
        (Number::Float(value), Scalar::F16) => Some(F16::from_f64(value).0.into()),
        (Number::Integer(value), _) => {
            let is_signed = matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
            if scalar.is_float() {
                return None;
            }
            let bits = 8 * scalar.bytes() as u32;
            let (min, max) = match is_signed {
                true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                false if scalar == Scalar::Bool => (0, 1),
                false => (0, (1i128 << bits) - 1),
            };
            (min..=max).contains(&value).then_some(value as u64)
        }
        (Number::Float(_) | Number::Bool(_), _) => None,
    }
}

/// Why a constant cannot be set.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantError {
    /// The name that the caller gave.
    pub name: String,
    /// What is wrong.
    pub problem: ConstantProblem,
}

/// What is wrong with a constant.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConstantProblem {
    /// The shader uses no constant of that name.
    NoSuchConstant {
        /// A constant with a similar name.
        similar: Option<String>,
    },
    /// Several constant buffers have a member of that name.
    Ambiguous,
    /// An index is out of range.
    OutOfRange,
    /// It is a member of an array of structures, whose members are interleaved.
    ArrayOfStructures,
    /// The value has the wrong number of components.
    Count {
        /// The number that was given.
        given: usize,
        /// How many the shader declares.
        needs: usize,
    },
    /// The type cannot hold the number.
    Value {
        /// The number.
        number: Number,
        /// The type.
        scalar: Scalar,
    },
    /// The constants that were set before cannot be read back.
    Buffer(BufferError),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Integer(value) => value.fmt(f),
            Number::Float(value) => write!(f, "{value:?}"),
            Number::Bool(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for ConstantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.problem {
            ConstantProblem::NoSuchConstant { similar } => {
                write!(f, "the shader uses no constant `{name}`")?;
                match similar {
                    Some(similar) => write!(f, "; did you mean `{similar}`?"),
                    None => Ok(()),
                }
            }
            ConstantProblem::Ambiguous => write!(
                f,
                "several constant buffers have a member `{name}`; name the buffer too: `Buffer.{name}`"
            ),
            ConstantProblem::OutOfRange => write!(f, "`{name}` is out of range"),
            ConstantProblem::ArrayOfStructures => {
                write!(f, "`{name}` is an array of structures; set its members one by one")
            }
            ConstantProblem::Count { given, needs } => {
                let plural = if *needs == 1 { "" } else { "s" };
                write!(f, "`{name}` takes {needs} number{plural}, got {given}")
            }
            ConstantProblem::Value { number, scalar } => {
                write!(f, "`{name}` is `{}`, which cannot hold {number}", scalar.name())
            }
            ConstantProblem::Buffer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConstantError {}
