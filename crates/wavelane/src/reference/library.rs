//! The reference of HLSL's functions other than wave functions.

use hlsl::library::{self, Class, Elem, Param, Row, Shape};

/// The library function of that name.
pub fn library_function(name: &str) -> Option<LibraryFunction> {
    let name = library::names().find(|it| *it == name)?;
    Some(LibraryFunction { name })
}

/// The names of all library functions, including those that are not supported yet.
pub fn library_names() -> impl Iterator<Item = &'static str> {
    library::names()
}

/// A function of the language that is not a wave function.
#[derive(Clone, Copy, Debug)]
pub struct LibraryFunction {
    name: &'static str,
}

impl LibraryFunction {
    /// The name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether it is supported, or only its name is known.
    pub fn is_built(self) -> bool {
        library::overloads(self.name).next().is_some()
    }

    /// The overloads, each with its declaration, the types that `T` may be if it is generic, and what it does.
    pub fn overloads(self) -> impl Iterator<Item = Overload> {
        library::overloads(self.name).map(|row| Overload { row })
    }
}

/// One overload of a library function.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    row: &'static Row,
}

impl Overload {
    /// The HLSL declaration.
    pub fn signature(self) -> String {
        let params: Vec<String> = self.row.params.iter().map(param).collect();
        let result = self.row.result.map_or("void".to_owned(), |(shape, elem)| ty(shape, elem));
        format!("{result} {}({})", self.row.name, params.join(", "))
    }

    /// The types that `T` may be; `None` if it is not generic.
    pub fn elements(self) -> Option<&'static str> {
        let mut all = self.row.params.iter().map(|it| (it.shape, it.elem)).chain(self.row.result);
        all.any(|(_, elem)| elem == Elem::T).then(|| class(self.row.class))
    }

    /// What it returns or does, as a phrase.
    pub fn summary(self) -> &'static str {
        self.row.summary
    }

    /// Whether it is computed in each lane independently, without memory accesses.
    pub fn is_pure(self) -> bool {
        matches!(self.row.function, library::Function::Pure(_))
    }

    /// The lowest shader model that has it.
    pub fn since(self) -> ops::intrinsics::ShaderModel {
        self.row.since
    }
}

fn param(param: &Param) -> String {
    use hlsl::types::Mode;
    let mode = match param.mode {
        Mode::In => "",
        Mode::Out => "out ",
        // An lvalue in groupshared memory or in a buffer is changed in place.
        Mode::InOut | Mode::Reference => "inout ",
    };
    format!("{mode}{} {}", ty(param.shape, param.elem), param.name)
}

fn ty(shape: Shape, elem: Elem) -> String {
    let name = match elem {
        Elem::T => "T",
        Elem::Is(scalar) => scalar.name(),
    };
    match (shape, elem) {
        (Shape::Common | Shape::CommonVector | Shape::Factor | Shape::Product, Elem::T) => {
            name.to_owned()
        }
        (Shape::Common | Shape::CommonVector | Shape::Factor | Shape::Product, Elem::Is(_)) => {
            format!("{name}<n>")
        }
        (Shape::Scalar, _) => name.to_owned(),
        (Shape::Resource, _) => "resource".to_owned(),
        (Shape::Text, _) => "string".to_owned(),
        (Shape::Vector(n), Elem::Is(_)) => format!("{name}{n}"),
        (Shape::Vector(n), Elem::T) => format!("vector<{name}, {n}>"),
        (Shape::Matrix, _) => format!("matrix<{name}, r, c>"),
        (Shape::Transposed, _) => format!("matrix<{name}, c, r>"),
        (Shape::Square, _) => format!("matrix<{name}, n, n>"),
    }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Any => "any number or bool",
        Class::Numeric => "any number",
        Class::Float => "float or a 16-bit float",
        Class::AnyFloat => "any float, including double",
        Class::Int => "any integer",
        Class::SmallInt | Class::SmallSigned => "an integer of 16 or 32 bits",
        Class::Word => "int, uint or float",
        Class::HalfWord => "a type of 16 bits",
        Class::Atomic => "an integer of 32 or 64 bits",
        Class::AtomicOrFloat => "an integer of 32 or 64 bits, or float",
        Class::AtomicFloat => "float",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_function_can_be_looked_up() {
        for name in library_names() {
            let function = library_function(name).unwrap();
            for overload in function.overloads() {
                assert!(overload.signature().contains(name), "{name}");
                assert!(!overload.summary().is_empty(), "{name}");
            }
        }
        let lerp = library_function("lerp").unwrap();
        assert_eq!(lerp.overloads().next().unwrap().signature(), "T lerp(T a, T b, T t)");
        assert!(library_function("nonsense").is_none());
    }
}
