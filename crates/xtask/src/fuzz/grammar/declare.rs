//! Generates declarations: structs, functions, and other items of a file.

use super::{Construct, Function, Maker, Scope, Struct, Ty, Variable};

impl Maker {
    pub(super) fn structure(&mut self) {
        let name = self.fresh();
        // Templates are not allowed in functions.
        let may_be_template = self.scopes.len() == 1 || self.error_rate > 0;
        let is_template = may_be_template && self.scopes.len() < 4 && self.random.one_in(8);
        if is_template {
            self.note(if self.scopes.len() > 1 {
                Construct::LocalTemplate
            } else {
                Construct::StructTemplate
            });
            let parameter = *self.random.pick(&["T", "U"]);
            self.say(&format!("template<typename {parameter}> "));
            self.say(&format!(
                "struct {name} {{ {parameter} a; {parameter} get() {{ return a; }} }};\n"
            ));
            if self.scopes.len() > 1 {
                let variable = self.fresh();
                self.say(&format!(
                    "{name}<uint> {variable}; {variable}.a = lane; O[lane] += {variable}.get();\n"
                ));
            }
            return;
        }
        let mut made =
            Struct { name: name.clone(), fields: Vec::new(), methods: Vec::new(), adds: false };
        self.say(&format!("struct {name}"));
        if let Some(base) =
            self.known_struct().filter(|it| it.name != name && self.scopes.len() < 5)
            && self.random.one_in(5)
        {
            self.note(Construct::Base);
            self.say(&format!(" : {}", base.name));
            made.fields.extend(base.fields);
        }
        self.say(" {\n");
        // Methods see the enclosing scopes, except the locals of a function.
        let is_local = self.scopes.len() > 1;
        let hidden: Vec<Variable> = match is_local {
            true => self.scopes[1..].iter().flat_map(|it| it.variables.clone()).collect(),
            false => Vec::new(),
        };
        let mut set_aside = Vec::new();
        for scope in self.scopes.iter_mut().skip(1) {
            set_aside.push(std::mem::take(&mut scope.variables));
        }
        let outer_hidden = std::mem::replace(&mut self.hidden, hidden);
        self.scopes.push(Scope::default());
        let inherited: Vec<(String, Ty)> = made.fields.clone();
        for (field, ty) in inherited {
            if let Some(scope) = self.scopes.last_mut() {
                scope.taken.push(field.clone());
            }
            self.add(&field, &ty, true);
        }
        for _ in 0..=self.random.below(3) {
            self.member(&mut made);
        }
        if self.random.one_in(3) {
            self.note(Construct::Operator);
            made.adds = true;
            let op = *self.random.pick(&["+", "-", "*", "==", "[]", "()"]);
            let (result, value) = match op {
                "==" => ("bool", "false"),
                "[]" | "()" => ("uint", "other"),
                _ => (name.as_str(), "other"),
            };
            let param = if matches!(op, "[]" | "()") { "uint" } else { name.as_str() };
            self.say(&format!("{result} operator{op}({param} other) {{ return {value}; }}\n"));
        }
        for _ in 0..self.random.below(3) {
            self.note(Construct::Method);
            let methods = self.function(true);
            made.methods.extend(methods);
        }
        self.scopes.pop();
        self.hidden = outer_hidden;
        for (scope, variables) in self.scopes.iter_mut().skip(1).zip(set_aside) {
            scope.variables = variables;
        }
        self.say("};\n");
        if let Some(scope) = self.scopes.last_mut() {
            scope.structs.push(made);
        }
    }

    pub(super) fn member(&mut self, made: &mut Struct) {
        let ty = self.number();
        match self.random.below(14) {
            0 => {
                self.note(Construct::StaticMember);
                let (name, literal) = (self.fresh(), self.literal("uint"));
                self.say(&format!("static const uint {name} = {literal};\n"));
                self.add(&name, &Ty::Number("uint", 1), false);
            }
            1 => {
                self.note(Construct::BitField);
                let (name, bits) = (self.fresh(), 1 + self.random.below(20));
                self.say(&format!("uint {name} : {bits};\n"));
                made.fields.push((name.clone(), Ty::Number("uint", 1)));
                self.add(&name, &Ty::Number("uint", 1), true);
            }
            2 if self.depth < 6 => {
                self.note(Construct::Nested);
                self.depth += 3;
                self.structure();
                self.depth -= 3;
            }
            3 if self.error_rate > 0 => {
                self.note(Construct::ResourceField);
                let name = self.fresh();
                self.say(&format!("RWStructuredBuffer<uint> {name};\n"));
            }
            _ => {
                let name = self.fresh();
                self.say(&format!("{};\n", Maker::declarator(&ty, &name)));
                made.fields.push((name.clone(), ty.clone()));
                self.add(&name, &ty, true);
            }
        }
    }

    /// A function or a method with its body; returned if it can be called by its name.
    pub(super) fn function(&mut self, is_method: bool) -> Option<Function> {
        let mut name = self.fresh();
        let result = if self.random.one_in(4) { None } else { Some(self.number()) };
        let is_template = !is_method && self.random.one_in(6);
        if is_template {
            self.note(Construct::Template);
            self.say("template<typename T> ");
        }
        self.attribute_of_function();
        let shown = result.as_ref().map_or("void".to_owned(), |it| Maker::spelled(it).0);
        self.say(&format!("{shown} {name}("));
        self.scopes.push(Scope::default());
        let mut params = Vec::new();
        let mut defaults = false;
        for index in 0..self.random.below(4) {
            if index > 0 {
                self.say(", ");
            }
            let ty = self.ty();
            let param = self.fresh();
            let mode = if defaults { 0 } else { self.random.below(8) };
            let word = ["", "", "in ", "out ", "inout ", "const ", "", ""][mode];
            let is_written = matches!(mode, 3 | 4);
            if is_written {
                self.note(Construct::OutParam);
            }
            self.say(word);
            self.say(&match is_template && index == 0 && !is_written {
                true => format!("T {param}"),
                false => Maker::declarator(&ty, &param),
            });
            // After a parameter with a default, all need one.
            if matches!(ty, Ty::Number(..))
                && !is_written
                && (defaults || self.random.one_in(10))
                && !is_template
            {
                self.note(Construct::Default);
                let literal = self.literal("uint");
                self.say(&format!(" = {literal}"));
                defaults = true;
            } else if defaults {
                self.say(" = 0");
            }
            // A template parameter accepts any type.
            if !(is_template && index == 0) {
                self.add(&param, &ty, mode != 5);
            }
            params.push((ty, is_written));
        }
        if !is_method && self.random.one_in(8) {
            self.note(Construct::ResourceParam);
            let comma = if params.is_empty() { "" } else { ", " };
            let default = if defaults { " = O" } else { "" };
            self.say(&format!("{comma}RWStructuredBuffer<uint> buffer_{default}) "));
            name = String::new();
        } else {
            self.say(") ");
        }
        let outer = std::mem::replace(&mut self.result, result.clone());
        let (loops, breakable) =
            (std::mem::take(&mut self.loops), std::mem::take(&mut self.breakable));
        self.say("{\n");
        for _ in 0..self.random.below(5) {
            self.statement();
        }
        if let Some(ty) = &result {
            let value = self.value(ty);
            self.say(&format!("return {value};\n"));
        }
        self.say("}\n");
        (self.result, self.loops, self.breakable) = (outer, loops, breakable);
        self.scopes.pop();
        (!name.is_empty()).then_some(Function { name, params, result })
    }

    pub(super) fn attribute_of_function(&mut self) {
        if self.random.one_in(10) {
            self.note(Construct::Attribute);
            let attribute = *self.random.pick(&[
                "[noinline] ",
                "[foo] ",
                "[[vk::bar]] ",
                "inline ",
                "[unroll] ",
            ]);
            self.say(attribute);
        }
    }

    pub(super) fn item(&mut self) {
        match self.random.below(16) {
            0..=3 => self.structure(),
            4..=8 => {
                if let Some(made) = self.function(false) {
                    if self.functions.iter().any(|it| it.name == made.name) {
                        self.note(Construct::Overload);
                    }
                    // Functions in a namespace are not called.
                    if self.scopes.len() == 1 {
                        self.functions.push(made);
                    }
                }
            }
            9 => {
                self.note(Construct::ConstantBuffer);
                let (block, ty) = (self.fresh(), self.number());
                let name = self.fresh();
                self.say(&format!(
                    "cbuffer {block}_cb{} {{ {}; }};\n",
                    self.room,
                    Maker::declarator(&ty, &name)
                ));
                self.add(&name, &ty, false);
            }
            10 => {
                self.note(Construct::Groupshared);
                let (ty, name) = (self.number(), self.fresh());
                self.say(&format!("groupshared {};\n", Maker::declarator(&ty, &name)));
                self.add(&name, &ty, true);
            }
            11 => {
                self.note(Construct::ResourceArray);
                let name = self.fresh();
                self.say(&format!("Buffer<float> {name}_r{}[3];\n", self.room));
            }
            12 if self.scopes.len() < 3 => {
                self.note(Construct::Namespace);
                let name = self.fresh();
                self.say(&format!("namespace {name} {{\n"));
                self.scopes.push(Scope::default());
                for _ in 0..self.random.below(3) {
                    self.item();
                }
                self.scopes.pop();
                self.say("}\n");
                if self.random.one_in(6) {
                    self.say(&format!("using namespace {name};\n"));
                }
            }
            13 => {
                self.note(Construct::Enum);
                let name = self.fresh();
                self.say(&format!("enum {name} {{ {name}_0{0}, {name}_1{0} = 4 }};\n", self.room));
            }
            14 => {
                self.note(Construct::Macro);
                let name = format!("M{}", self.random.below(4));
                let value = self.literal("uint");
                self.say(&format!("#undef {name}\n#define {name} {value}\n"));
            }
            _ => {
                let (ty, name) = (self.number(), self.fresh());
                let word = *self.random.pick(&["static ", "static const "]);
                let literal = self.literal("uint");
                self.say(&format!("{word}{} = {literal};\n", Maker::declarator(&ty, &name)));
                self.add(&name, &ty, word == "static ");
            }
        }
    }

    pub(super) fn file(&mut self) {
        self.say("RWStructuredBuffer<uint> O;\nByteAddressBuffer raw;\nTexture2D<float4> image;\n");
        self.say("groupshared uint shared_[4];\nstatic uint lane;\n");
        self.scopes[0].taken.extend(["lane", "main"].map(str::to_owned));
        self.add("lane", &Ty::Number("uint", 1), false);
        for _ in 0..self.random.below(7) {
            self.item();
        }
        self.attribute_of_function();
        self.say(
            "[numthreads(8, 1, 1)]\nvoid main(uint thread_ : SV_GroupIndex) {\nlane = thread_;\n",
        );
        self.scopes.push(Scope::default());
        for _ in 0..2 + self.random.below(8) {
            self.statement();
        }
        self.scopes.pop();
        self.say("}\n");
    }
}
