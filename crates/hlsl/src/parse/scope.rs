//! The symbol table of the parser: which names are types, templates and namespaces, scope by scope, and which of them
//! a value hides.
//!
//! Only names that are (or once were) something other than a value are stored: every other name is a value, and most
//! names get no further than the first look-up in [`Scopes::find`].

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::ast::{Numeric, Scalar, Shape};
use crate::token::{Names, Symbol};

/// The names declared in one block, namespace or struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Space(u32);

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A variable or function that hides something else of that name.
    Value,
    /// With the names in it, where they are known.
    Type {
        template: bool,
        space: Option<Space>,
    },
    Namespace(Space),
    /// A template of functions or of variables.
    ValueTemplate,
}

/// The predeclared meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Nothing,
    Numeric(Numeric),
    /// An object type or `vector` and `matrix`, all of which may take arguments in `< >`.
    Object,
    /// A function or method that takes template arguments.
    Template,
}

pub(super) struct Scopes {
    /// By symbol: whether it was ever declared as something other than a value.
    declared: Vec<bool>,
    builtins: Vec<Option<Builtin>>,
    meanings: HashMap<(u32, u32), Meaning, BuildHasherDefault<PairHasher>>,
    /// By space: others whose names are visible in it (base structs, `using namespace`).
    parents: Vec<Vec<Space>>,
    stack: Vec<Space>,
}

impl Scopes {
    pub(super) fn new(names: usize) -> Scopes {
        Scopes {
            declared: vec![false; names],
            builtins: vec![None; names],
            meanings: HashMap::default(),
            parents: vec![Vec::new()],
            stack: vec![Space(0)],
        }
    }

    pub(super) const GLOBAL: Space = Space(0);

    pub(super) fn fresh(&mut self) -> Space {
        self.parents.push(Vec::new());
        Space(self.parents.len() as u32 - 1)
    }

    pub(super) fn push(&mut self, space: Space) {
        self.stack.push(space);
    }

    pub(super) fn pop(&mut self) {
        self.stack.pop();
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Leaves all scopes above a depth.
    pub(super) fn truncate(&mut self, depth: usize) {
        self.stack.truncate(depth.max(1));
    }

    pub(super) fn current(&self) -> Space {
        self.stack.last().copied().unwrap_or(Scopes::GLOBAL)
    }

    /// The scope around the current one.
    pub(super) fn outer(&self) -> Space {
        self.stack.len().checked_sub(2).map_or(Scopes::GLOBAL, |index| self.stack[index])
    }

    /// Makes the names of one space visible in another.
    pub(super) fn add_parent(&mut self, space: Space, parent: Space) {
        let parents = &mut self.parents[space.0 as usize];
        if space != parent && !parents.contains(&parent) {
            parents.push(parent);
        }
    }

    pub(super) fn declare(&mut self, space: Space, symbol: Symbol, meaning: Meaning) {
        self.declared[symbol.0 as usize] = true;
        self.meanings.insert((space.0, symbol.0), meaning);
    }

    /// Declares a variable or function; this matters only where the name means something else further out.
    pub(super) fn declare_value(&mut self, symbol: Symbol, names: &Names) {
        if !self.declared[symbol.0 as usize] && self.builtin(symbol, names) == Builtin::Nothing {
            return;
        }
        let space = self.current();
        // A non-template overload leaves the template callable.
        if self.find_in(space, symbol) != Some(Meaning::ValueTemplate) {
            self.declare(space, symbol, Meaning::Value);
        }
    }

    /// Whether a name has never been anything but a value.
    pub(super) fn is_plain(&mut self, symbol: Symbol, names: &Names) -> bool {
        !self.declared[symbol.0 as usize]
            && matches!(self.builtin(symbol, names), Builtin::Nothing | Builtin::Template)
    }

    /// The declared meaning of an unqualified name.
    pub(super) fn find(&self, symbol: Symbol) -> Option<Meaning> {
        if !self.declared[symbol.0 as usize] {
            return None;
        }
        self.stack.iter().rev().find_map(|space| self.find_in(*space, symbol))
    }

    /// The declared meaning of a name in a space.
    pub(super) fn find_in(&self, space: Space, symbol: Symbol) -> Option<Meaning> {
        if !self.declared[symbol.0 as usize] {
            return None;
        }
        let direct = self.meanings.get(&(space.0, symbol.0)).copied();
        if direct.is_some() || self.parents[space.0 as usize].is_empty() {
            return direct;
        }
        // Spaces may be each other's parents: the budget guarantees termination.
        let mut budget = 64;
        let mut todo = vec![space];
        while let Some(space) = todo.pop() {
            if let Some(meaning) = self.meanings.get(&(space.0, symbol.0)) {
                return Some(*meaning);
            }
            budget -= 1;
            if budget == 0 {
                return None;
            }
            todo.extend(self.parents[space.0 as usize].iter().rev());
        }
        None
    }

    /// The meaning of an undeclared name.
    pub(super) fn builtin(&mut self, symbol: Symbol, names: &Names) -> Builtin {
        *self.builtins[symbol.0 as usize].get_or_insert_with(|| builtin(names.text(symbol)))
    }

    /// Records the name of a method template: methods are looked up by name alone.
    pub(super) fn note_method_template(&mut self, symbol: Symbol) {
        self.builtins[symbol.0 as usize] = Some(Builtin::Template);
    }
}

/// Whether a name is a predeclared type.
pub(crate) fn is_builtin_type(name: &str) -> bool {
    matches!(builtin(name), Builtin::Numeric(_) | Builtin::Object)
}

/// The names of the predeclared types, scalars standing for their vectors and matrices too.
pub(crate) fn builtin_types() -> impl Iterator<Item = &'static str> {
    const SCALARS: [&str; 11] = [
        "bool",
        "int",
        "uint",
        "float",
        "double",
        "half",
        "min16float",
        "min16int",
        "min16uint",
        "int64_t",
        "uint64_t",
    ];
    SCALARS.into_iter().chain(OBJECTS.iter().copied())
}

/// The predeclared meaning of a name.
fn builtin(text: &str) -> Builtin {
    if let Some(numeric) = numeric(text) {
        return Builtin::Numeric(numeric);
    }
    if OBJECTS.contains(&text) {
        return Builtin::Object;
    }
    if matches!(text, "Load" | "Store" | "Attributes" | "Invoke" | "GetAttributes") {
        return Builtin::Template;
    }
    Builtin::Nothing
}

/// `float`, `uint3`, `half2x4`, …
fn numeric(text: &str) -> Option<Numeric> {
    let whole = |scalar| Some(Numeric { scalar, shape: Shape::Scalar });
    if let Some(scalar) = scalar(text) {
        return whole(scalar);
    }
    match text {
        "int8_t4_packed" => return whole(Scalar::Int8x4Packed),
        "uint8_t4_packed" => return whole(Scalar::Uint8x4Packed),
        _ => {}
    }
    let size = |byte: u8| (b'1'..=b'4').contains(&byte).then(|| byte - b'0');
    match text.as_bytes() {
        [.., rows, b'x', columns] => {
            let shape = Shape::Matrix(size(*rows)?, size(*columns)?);
            Some(Numeric { scalar: scalar(&text[..text.len() - 3])?, shape })
        }
        [.., length] => {
            let shape = Shape::Vector(size(*length)?);
            Some(Numeric { scalar: scalar(&text[..text.len() - 1])?, shape })
        }
        [] => None,
    }
}

fn scalar(text: &str) -> Option<Scalar> {
    Some(match text {
        "bool" => Scalar::Bool,
        "int" | "int32_t" => Scalar::Int,
        "uint" | "dword" | "uint32_t" => Scalar::Uint,
        "float" | "float32_t" => Scalar::Float,
        "double" | "float64_t" => Scalar::Double,
        "half" => Scalar::Half,
        "min16float" => Scalar::Min16Float,
        "min10float" => Scalar::Min10Float,
        "min16int" => Scalar::Min16Int,
        "min12int" => Scalar::Min12Int,
        "min16uint" => Scalar::Min16Uint,
        "float16_t" => Scalar::Float16,
        "int16_t" | "short" => Scalar::Int16,
        "uint16_t" | "ushort" => Scalar::Uint16,
        "int64_t" => Scalar::Int64,
        "uint64_t" => Scalar::Uint64,
        _ => return None,
    })
}

/// The built-in types that are not numeric.
const OBJECTS: &[&str] = &[
    "vector",
    "matrix",
    "string",
    "Buffer",
    "RWBuffer",
    "StructuredBuffer",
    "RWStructuredBuffer",
    "AppendStructuredBuffer",
    "ConsumeStructuredBuffer",
    "ByteAddressBuffer",
    "RWByteAddressBuffer",
    "ConstantBuffer",
    "TextureBuffer",
    "Texture1D",
    "Texture1DArray",
    "Texture2D",
    "Texture2DArray",
    "Texture2DMS",
    "Texture2DMSArray",
    "Texture3D",
    "TextureCube",
    "TextureCubeArray",
    "RWTexture1D",
    "RWTexture1DArray",
    "RWTexture2D",
    "RWTexture2DArray",
    "RWTexture2DMS",
    "RWTexture2DMSArray",
    "RWTexture3D",
    "FeedbackTexture2D",
    "FeedbackTexture2DArray",
    "RasterizerOrderedBuffer",
    "RasterizerOrderedByteAddressBuffer",
    "RasterizerOrderedStructuredBuffer",
    "RasterizerOrderedTexture1D",
    "RasterizerOrderedTexture1DArray",
    "RasterizerOrderedTexture2D",
    "RasterizerOrderedTexture2DArray",
    "RasterizerOrderedTexture3D",
    "texture",
    "texture1D",
    "texture2D",
    "texture3D",
    "textureCUBE",
    "sampler",
    "sampler1D",
    "sampler2D",
    "sampler3D",
    "samplerCUBE",
    "sampler_state",
    "SamplerState",
    "SamplerComparisonState",
    "InputPatch",
    "OutputPatch",
    "PointStream",
    "LineStream",
    "TriangleStream",
    "SubpassInput",
    "SubpassInputMS",
    "RaytracingAccelerationStructure",
    "RayDesc",
    "RAY_FLAG",
    "RAYQUERY_FLAG",
    "COMMITTED_STATUS",
    "CANDIDATE_TYPE",
    "RayQuery",
    "BuiltInTrianglePositions",
    "BuiltInTriangleIntersectionAttributes",
    "GlobalRootSignature",
    "LocalRootSignature",
    "StateObjectConfig",
    "SubobjectToExportsAssociation",
    "RaytracingShaderConfig",
    "RaytracingPipelineConfig",
    "RaytracingPipelineConfig1",
    "TriangleHitGroup",
    "ProceduralPrimitiveHitGroup",
    "DispatchNodeInputRecord",
    "RWDispatchNodeInputRecord",
    "GroupNodeInputRecords",
    "RWGroupNodeInputRecords",
    "ThreadNodeInputRecord",
    "RWThreadNodeInputRecord",
    "EmptyNodeInput",
    "NodeOutput",
    "NodeOutputArray",
    "EmptyNodeOutput",
    "EmptyNodeOutputArray",
    "ThreadNodeOutputRecords",
    "GroupNodeOutputRecords",
    "WaveMask",
];

/// Mixes the two numbers of a key; far faster than the default hasher.
#[derive(Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32((*byte).into());
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0.rotate_left(31) ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_names_are_decoded() {
        let shape = |text| numeric(text).map(|it| (it.scalar, it.shape));
        assert_eq!(shape("float"), Some((Scalar::Float, Shape::Scalar)));
        assert_eq!(shape("uint32_t4"), Some((Scalar::Uint, Shape::Vector(4))));
        assert_eq!(shape("min16float2x3"), Some((Scalar::Min16Float, Shape::Matrix(2, 3))));
        assert_eq!(shape("int64_t1x1"), Some((Scalar::Int64, Shape::Matrix(1, 1))));
        for other in ["float5", "float0", "floatx", "float4x5", "x", "", "1x1", "vector"] {
            assert_eq!(shape(other), None, "{other}");
        }
    }

    #[test]
    fn inner_scopes_hide_outer_ones_and_parents_are_seen() {
        let mut names = Names::new();
        let symbol = names.intern("T");
        let mut scopes = Scopes::new(names.len());
        let ty = Meaning::Type { template: false, space: None };
        let base = scopes.fresh();
        scopes.declare(base, symbol, ty);
        assert_eq!(scopes.find(symbol), None);
        let derived = scopes.fresh();
        scopes.add_parent(derived, base);
        scopes.add_parent(base, derived);
        scopes.push(derived);
        assert_eq!(scopes.find(symbol), Some(ty));
        let block = scopes.fresh();
        scopes.push(block);
        scopes.declare_value(symbol, &names);
        assert_eq!(scopes.find(symbol), Some(Meaning::Value));
        scopes.pop();
        assert_eq!(scopes.find(symbol), Some(ty));
    }
}
