//! Generates expressions of a given type, and sometimes of another one.

use super::{Construct, Function, Maker, Ty, Variable};

impl Maker {
    /// A value of a type.
    pub(super) fn value(&mut self, ty: &Ty) -> String {
        self.depth += 1;
        let text = match ty {
            _ if self.wants_error() => self.misfit(),
            Ty::Number(scalar, n) => self.numeric(scalar, *n),
            Ty::Matrix(scalar, rows, columns) => {
                let one = self.numeric(scalar, 1);
                match self.variable(ty) {
                    Some(found) if self.random.one_in(2) => found,
                    _ => format!("(({scalar}{rows}x{columns})({one}))"),
                }
            }
            Ty::Struct(name, _) => match self.variable(ty) {
                Some(found) if !self.random.one_in(4) => found,
                _ => format!("(({name})0)"),
            },
            Ty::Array(element, len) => match self.variable(ty) {
                Some(found) if !self.random.one_in(4) => found,
                _ => {
                    let (before, behind) = Maker::spelled(element);
                    format!("(({before}[{len}]{behind})0)")
                }
            },
        };
        self.depth -= 1;
        text
    }

    /// An expression that is wrong in its context.
    pub(super) fn misfit(&mut self) -> String {
        match self.random.below(9) {
            0 => "undeclared".to_owned(),
            1 => "this".to_owned(),
            2 => self.hidden.first().map_or("::a".to_owned(), |it| it.name.clone()),
            3 => "{1, 2}".to_owned(),
            4 => "O".to_owned(),
            5 => "main()".to_owned(),
            6 => "\"text\"".to_owned(),
            7 => "float2(1, 2).zw".to_owned(),
            _ => self.known_struct().map_or("S".to_owned(), |it| it.name),
        }
    }

    /// A variable of exactly that type, or a component of one.
    pub(super) fn variable(&mut self, ty: &Ty) -> Option<String> {
        let mut found = Vec::new();
        for it in self.visible() {
            Maker::parts(&it.name, &it.ty, ty, &mut found);
        }
        // A method of a local struct must not name a local; the compiler must report it.
        if let Some(it) = self.hidden.iter().rev().find(|it| it.ty == *ty).cloned()
            && self.error_rate > 0
            && self.random.one_in(12)
        {
            self.note(Construct::Capture);
            return Some(it.name);
        }
        (!found.is_empty()).then(|| self.random.pick(&found).clone())
    }

    pub(super) fn parts(path: &str, have: &Ty, want: &Ty, found: &mut Vec<String>) {
        if have == want {
            found.push(path.to_owned());
        }
        match have {
            Ty::Struct(_, fields) if path.len() < 40 => {
                fields.iter().for_each(|(name, ty)| {
                    Maker::parts(&format!("{path}.{name}"), ty, want, found)
                });
            }
            Ty::Array(element, len) => {
                Maker::parts(&format!("{path}[lane % {len}]"), element, want, found)
            }
            Ty::Number(scalar, n @ 2..) if *want == Ty::Number(scalar, 1) => {
                found.push(format!("{path}.{}", &"xyzw"[n - 1..*n]));
            }
            Ty::Number(..) | Ty::Struct(..) | Ty::Matrix(..) => {}
        }
    }

    pub(super) fn numeric(&mut self, scalar: &'static str, n: usize) -> String {
        let ty = Ty::Number(scalar, n);
        if self.depth > 5 {
            return self.variable(&ty).unwrap_or_else(|| self.literal(scalar));
        }
        let is_float = matches!(scalar, "float" | "half" | "double");
        match self.random.below(20) {
            0..=5 => self.variable(&ty).unwrap_or_else(|| self.literal(scalar)),
            6 | 7 => self.literal(scalar),
            8 if n > 1 => {
                let parts: Vec<String> = (0..n).map(|_| self.numeric(scalar, 1)).collect();
                format!("{}({})", Maker::spelled(&ty).0, parts.join(", "))
            }
            8 | 9 if n > 1 => {
                self.note(Construct::Swizzle);
                let whole = Ty::Number(scalar, 4);
                let of = self.value(&whole);
                let swizzle: String =
                    (0..n).map(|_| *self.random.pick(&['x', 'y', 'z', 'w'])).collect();
                format!("({of}).{swizzle}")
            }
            10 | 11 if scalar == "bool" => {
                let other = Ty::Number(["int", "uint", "float"][self.random.below(3)], n);
                let (l, r) = (self.value(&other), self.value(&other));
                let op = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
                format!("({l} {op} {r})")
            }
            10..=12 if scalar == "bool" && n == 1 => {
                let (l, r) = (self.value(&ty), self.value(&ty));
                let op = self.random.pick(&["&&", "||", "==", "!="]);
                format!("({l} {op} {r})")
            }
            10..=12 => {
                let (l, r) = (self.value(&ty), self.value(&ty));
                let integers: &[&str] = &["+", "-", "*", "&", "|", "^", "<<", ">>", "%", "/"];
                let floats: &[&str] = &["+", "-", "*", "/", "%"];
                let op = self.random.pick(if is_float { floats } else { integers });
                format!("({l} {op} {r})")
            }
            13 if n == 1 => {
                let cond = self.numeric("bool", 1);
                let (l, r) = (self.value(&ty), self.value(&ty));
                format!("({cond} ? {l} : {r})")
            }
            14 => {
                let from = Ty::Number(self.scalar(), n);
                let value = self.value(&from);
                format!("(({})({value}))", Maker::spelled(&ty).0)
            }
            15 => self.wave(scalar, &ty),
            16 => self.call(&ty).unwrap_or_else(|| self.literal(scalar)),
            17 => self.method_call(&ty).unwrap_or_else(|| self.literal(scalar)),
            18 if scalar == "uint" && n == 1 => match self.random.below(4) {
                0 => "O[lane]".to_owned(),
                1 => format!("sizeof({})", Maker::spelled(&self.ty()).0),
                2 => "raw.Load(lane * 4)".to_owned(),
                _ => "shared_[lane % 4]".to_owned(),
            },
            18 if scalar == "float" && n == 4 => {
                self.note(Construct::Texture);
                "image.Load(int3(lane, 0, 0))".to_owned()
            }
            19 if scalar != "bool" => {
                let value = self.value(&ty);
                let op =
                    self.random.pick(if is_float { &["-", "+", "-"] } else { &["~", "-", "+"] });
                format!("({op}{value})")
            }
            _ => self.variable(&ty).unwrap_or_else(|| self.literal(scalar)),
        }
    }

    pub(super) fn literal(&mut self, scalar: &str) -> String {
        let words: &[&str] = match scalar {
            "bool" => &["true", "false"],
            "float" | "half" | "double" => &["0.0", "1.5", "-2.25", "1e9", "3"],
            _ => &["0", "1", "2", "3", "7", "31", "0x10", "4000000"],
        };
        (*self.random.pick(words)).to_owned()
    }

    pub(super) fn wave(&mut self, scalar: &str, ty: &Ty) -> String {
        self.note(Construct::Wave);
        let value = self.value(ty);
        if scalar == "bool" {
            let function =
                self.random.pick(&["WaveReadLaneFirst", "QuadReadAcrossX", "WaveReadLaneFirst"]);
            return match *ty == Ty::Number("bool", 1) && self.random.one_in(2) {
                true => format!("WaveActiveAnyTrue({value})"),
                false => format!("{function}({value})"),
            };
        }
        let all: &[&str] = &[
            "WaveActiveSum",
            "WaveActiveMax",
            "WavePrefixSum",
            "WaveReadLaneFirst",
            "QuadReadAcrossY",
            "abs",
            "WaveActiveMin",
        ];
        let function = self.random.pick(all);
        match self.random.below(5) {
            0 => format!("WaveReadLaneAt({value}, lane ^ 1)"),
            1 => {
                let other = self.value(ty);
                format!("::min({value}, {other})").replacen("::", "", 1).replacen("min(", "max(", 1)
            }
            _ => format!("{function}({value})"),
        }
    }

    pub(super) fn call(&mut self, ty: &Ty) -> Option<String> {
        let fits = |it: &&Function| it.result.as_ref() == Some(ty);
        let all: Vec<Function> = self.functions.iter().filter(fits).cloned().collect();
        if all.is_empty() {
            return None;
        }
        let function = self.random.pick(&all).clone();
        self.call_of(&function.name, &function)
    }

    pub(super) fn call_of(&mut self, name: &str, function: &Function) -> Option<String> {
        let mut args = Vec::new();
        for (ty, is_written) in &function.params {
            args.push(match is_written {
                true => self.lvalue(ty)?,
                false => self.value(ty),
            });
        }
        Some(format!("{name}({})", args.join(", ")))
    }

    pub(super) fn method_call(&mut self, ty: &Ty) -> Option<String> {
        let structure = self.known_struct()?;
        let object = Ty::Struct(structure.name.clone(), structure.fields.clone());
        let method = structure.methods.iter().find(|it| it.result.as_ref() == Some(ty))?.clone();
        let object = self.variable(&object)?;
        self.call_of(&format!("{object}.{}", method.name), &method)
    }

    /// An lvalue.
    pub(super) fn lvalue(&mut self, ty: &Ty) -> Option<String> {
        let all: Vec<Variable> =
            self.visible().into_iter().filter(|it| it.writable && it.ty == *ty).collect();
        (!all.is_empty()).then(|| self.random.pick(&all).name.clone())
    }
}
