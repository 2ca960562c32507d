//! Generates unusual programs from a grammar: every kind of declaration and statement, in unusual places.
//!
//! Mutations stay near their seeds, and people rarely write a struct inside a function whose operator shadows a global.
//! Here such things are as likely as any other. Names come from a short list, so that they shadow each other; types are
//! tracked, so that many of the programs compile. Each program has an error rate: at zero it is meant to be valid,
//! otherwise it now and then contains a name that is not visible, a value of another type, or a superfluous word.
//!
//! A program is determined by its seed alone.

mod declare;
mod statement;
mod value;

use ops::Random;

/// What a program can contain, counted for the statistics.
macro_rules! constructs {
    ($($name:ident $word:literal,)*) => {
        #[derive(Clone, Copy)]
        #[repr(u8)]
        enum Construct { $($name),* }
        /// Their descriptions, by number.
        pub(super) const CONSTRUCTS: &[&str] = &[$($word),*];
    };
}

constructs! {
    LocalStruct "struct in a function",
    LocalTemplate "template in a function",
    Method "method",
    Operator "operator",
    Nested "struct in a struct",
    Base "base",
    StaticMember "static member",
    BitField "bit-field",
    Capture "method that names a local",
    Template "function template",
    StructTemplate "struct template",
    Namespace "namespace",
    Enum "enum",
    Alias "alias",
    ConstantBuffer "cbuffer",
    Texture "texture",
    LocalResource "resource in a variable",
    ResourceField "resource in a struct",
    ResourceParam "resource as a parameter",
    ResourceArray "array of resources",
    Groupshared "groupshared",
    Static "static local",
    Shadow "name that hides another",
    Endless "endless loop",
    For "for",
    While "while",
    Do "do",
    Switch "switch",
    FallThrough "fall-through",
    If "if",
    Attribute "attribute",
    Return "return in the middle",
    Wave "wave function",
    Atomic "atomic",
    Barrier "barrier",
    Print "printf",
    OutParam "out parameter",
    Default "default argument",
    Overload "overload",
    Array "array",
    Matrix "matrix",
    Swizzle "swizzle",
    List "list",
    Macro "macro",
    Wild "something wrong",
}

/// A program and what it contains.
pub(super) struct Program {
    pub(super) text: String,
    /// A bit for each of [`CONSTRUCTS`].
    pub(super) constructs: u64,
}

/// The program of a seed.
pub(super) fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    // Half of the programs are meant to be valid.
    let error_rate = [0, 0, 200, 40][random.below(4)];
    let mut maker = Maker {
        random,
        error_rate,
        text: String::new(),
        constructs: 0,
        scopes: vec![Scope::default()],
        functions: Vec::new(),
        room: 60,
        loops: 0,
        breakable: 0,
        result: None,
        hidden: Vec::new(),
        depth: 0,
    };
    maker.file();
    Program { text: maker.text, constructs: maker.constructs }
}

/// The type of a value.
#[derive(Clone, PartialEq)]
enum Ty {
    /// A scalar type's name and the number of components.
    Number(&'static str, usize),
    Matrix(&'static str, usize, usize),
    /// A struct by its name and its fields.
    Struct(String, Vec<(String, Ty)>),
    Array(Box<Ty>, usize),
}

#[derive(Clone)]
struct Variable {
    name: String,
    ty: Ty,
    writable: bool,
}

#[derive(Clone)]
struct Function {
    name: String,
    /// `true` for a parameter that the function writes.
    params: Vec<(Ty, bool)>,
    result: Option<Ty>,
}

#[derive(Clone)]
struct Struct {
    name: String,
    fields: Vec<(String, Ty)>,
    methods: Vec<Function>,
    adds: bool,
}

#[derive(Default)]
struct Scope {
    variables: Vec<Variable>,
    structs: Vec<Struct>,
    /// All names declared here.
    taken: Vec<String>,
}

struct Maker {
    random: Random,
    /// An error is inserted once in this many choices; never if 0.
    error_rate: usize,
    text: String,
    constructs: u64,
    scopes: Vec<Scope>,
    functions: Vec<Function>,
    /// How many more statements may be generated.
    room: usize,
    loops: usize,
    breakable: usize,
    /// The result type of the function under construction.
    result: Option<Ty>,
    /// Locals of functions around the method under construction.
    hidden: Vec<Variable>,
    depth: usize,
}

const NAMES: &[&str] =
    &["a", "b", "c", "d", "x", "y", "s", "t", "value", "main_", "lane", "min", "S", "T0"];
const SCALARS: &[&str] = &[
    "uint",
    "uint",
    "uint",
    "int",
    "int",
    "float",
    "float",
    "bool",
    "half",
    "min16uint",
    "int64_t",
    "double",
];
const ATTRIBUTES: &[&str] = &[
    "[unroll]",
    "[loop]",
    "[branch]",
    "[flatten]",
    "[unroll(3)]",
    "[allow_uav_condition]",
    "[fastopt]",
    "[call]",
    "[forcecase]",
    "[foo]",
    "[[vk::foo]]",
];

impl Maker {
    fn note(&mut self, what: Construct) {
        self.constructs |= 1 << what as u8;
    }

    /// Whether to insert an error here.
    fn wants_error(&mut self) -> bool {
        let wants_error = self.error_rate > 0 && self.random.one_in(self.error_rate);
        if wants_error {
            self.note(Construct::Wild);
        }
        wants_error
    }

    fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A name that is free in the current scope, and taken from now on.
    fn fresh(&mut self) -> String {
        let wants_error = self.wants_error();
        for tries in 0.. {
            let mut name = (*self.random.pick(NAMES)).to_owned();
            if tries > 4 {
                name = format!("{name}{}", self.random.below(1000));
            }
            let is_taken = |scope: &Scope| scope.taken.contains(&name);
            let Some((last, outer)) = self.scopes.split_last() else { break };
            if is_taken(last) && !wants_error {
                continue;
            }
            if outer.iter().any(is_taken) {
                self.note(Construct::Shadow);
            }
            if let Some(last) = self.scopes.last_mut() {
                last.taken.push(name.clone());
            }
            return name;
        }
        unreachable!("the numbers do not run out, and there is always a scope")
    }

    fn scalar(&mut self) -> &'static str {
        self.random.pick::<&str>(SCALARS)
    }

    fn number(&mut self) -> Ty {
        let n = [1, 1, 1, 2, 3, 4][self.random.below(6)];
        Ty::Number(self.scalar(), n)
    }

    fn ty(&mut self) -> Ty {
        match self.random.below(12) {
            0 => {
                self.note(Construct::Matrix);
                Ty::Matrix(
                    ["float", "int", "uint"][self.random.below(3)],
                    1 + self.random.below(4),
                    1 + self.random.below(4),
                )
            }
            1 | 2 => self
                .known_struct()
                .map_or(Ty::Number("uint", 1), |it| Ty::Struct(it.name, it.fields)),
            3 => {
                self.note(Construct::Array);
                let element = self.number();
                Ty::Array(element.into(), 1 + self.random.below(5))
            }
            _ => self.number(),
        }
    }

    /// A struct whose name is not shadowed here.
    fn known_struct(&mut self) -> Option<Struct> {
        let mut names: Vec<String> = Vec::new();
        let mut all = Vec::new();
        for scope in self.scopes.iter().rev() {
            all.extend(scope.structs.iter().filter(|it| !names.contains(&it.name)).cloned());
            names.extend(scope.taken.iter().cloned());
        }
        (!all.is_empty()).then(|| self.random.pick(&all).clone())
    }

    /// The variables whose names are not shadowed here.
    fn visible(&self) -> Vec<Variable> {
        let mut names: Vec<&String> = Vec::new();
        let mut all = Vec::new();
        for scope in self.scopes.iter().rev() {
            all.extend(scope.variables.iter().filter(|it| !names.contains(&&it.name)).cloned());
            names.extend(&scope.taken);
        }
        all
    }

    /// The words before and after the name in a declaration.
    fn spelled(ty: &Ty) -> (String, String) {
        match ty {
            Ty::Number(word, 1) => ((*word).to_owned(), String::new()),
            Ty::Number(word, n) if word.ends_with("_t") || word.starts_with("min") => {
                (format!("vector<{word}, {n}>"), String::new())
            }
            Ty::Number(word, n) => (format!("{word}{n}"), String::new()),
            Ty::Matrix(word, rows, columns) => (format!("{word}{rows}x{columns}"), String::new()),
            Ty::Struct(name, _) => (name.clone(), String::new()),
            Ty::Array(element, len) => {
                let (before, behind) = Maker::spelled(element);
                (before, format!("[{len}]{behind}"))
            }
        }
    }

    fn declarator(ty: &Ty, name: &str) -> String {
        let (before, behind) = Maker::spelled(ty);
        format!("{before} {name}{behind}")
    }

    fn add(&mut self, name: &str, ty: &Ty, writable: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            // An invalid program may declare a name twice; the first declaration counts.
            if !scope.variables.iter().any(|it| it.name == name) {
                scope.variables.push(Variable { name: name.to_owned(), ty: ty.clone(), writable });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::{self, Part, Variant};
    use super::*;

    #[test]
    fn a_seed_determines_its_program_and_many_compile() {
        assert_eq!(program(7).text, program(7).text);
        let (mut made, mut compiled) = (0u64, [0usize; CONSTRUCTS.len()]);
        for seed in 0..2000 {
            let it = program(seed);
            made |= it.constructs;
            let outcome = judge::judge_closely(Part::All, &it.text, Variant(0));
            let found = outcome.finding.map(|found| found.words());
            assert!(found.is_none(), "seed {seed}: {found:?}\n{}", it.text);
            for (bit, count) in compiled.iter_mut().enumerate() {
                *count += usize::from(outcome.compiled && it.constructs >> bit & 1 == 1);
            }
        }
        // A construct that is an error is in no program that compiles; every other construct is in some.
        for (bit, (word, count)) in CONSTRUCTS.iter().zip(compiled).enumerate() {
            assert!(made >> bit & 1 == 1, "no program has a {word}");
            let is_wrong = [Construct::Capture, Construct::LocalTemplate, Construct::ResourceField]
                .into_iter()
                .any(|it| it as usize == bit);
            assert!(count > 0 || is_wrong, "no program with a {word} compiles");
        }
    }
}
