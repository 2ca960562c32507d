//! Generates statements.

use super::{ATTRIBUTES, Construct, Function, Maker, Scope, Ty, Variable};

impl Maker {
    pub(super) fn attribute(&mut self) {
        if self.random.one_in(6) {
            self.note(Construct::Attribute);
            let attribute = *self.random.pick(ATTRIBUTES);
            self.say(attribute);
            self.say(" ");
        }
    }

    pub(super) fn block(&mut self) {
        self.say("{ ");
        self.scopes.push(Scope::default());
        for _ in 0..self.random.below(4) {
            self.statement();
        }
        self.scopes.pop();
        self.say("}\n");
    }

    /// A loop's body.
    pub(super) fn body(&mut self) {
        self.loops += 1;
        self.breakable += 1;
        self.block();
        self.loops -= 1;
        self.breakable -= 1;
    }

    pub(super) fn condition(&mut self) -> String {
        self.numeric("bool", 1)
    }

    pub(super) fn statement(&mut self) {
        if self.room == 0 || self.depth > 12 {
            return;
        }
        self.room -= 1;
        self.depth += 2;
        if self.random.one_in(20) {
            self.attribute();
        }
        match self.random.below(35) {
            0..=7 => self.local(),
            8..=12 => self.assignment(),
            13 | 14 => {
                self.note(Construct::If);
                self.attribute();
                let cond = self.condition();
                self.say(&format!("if ({cond}) "));
                self.block();
                if self.random.one_in(2) {
                    self.say("else ");
                    self.block();
                }
            }
            15 | 16 => {
                self.note(Construct::For);
                self.attribute();
                self.scopes.push(Scope::default());
                let name = self.fresh();
                let end = self.random.below(6);
                let step = self.random.pick(&["++", "++", " += 2", "--"]).to_owned();
                self.add(&name, &Ty::Number("uint", 1), true);
                self.say(&format!("for (uint {name} = 0; {name} < {end}; {name}{step}) "));
                self.body();
                self.scopes.pop();
            }
            17 => {
                self.note(Construct::While);
                self.attribute();
                let cond = self.condition();
                self.say(&format!("while ({cond}) "));
                self.body();
            }
            18 => {
                self.note(Construct::Do);
                self.attribute();
                self.say("do ");
                self.body();
                let cond = self.condition();
                self.say(&format!("while ({cond});\n"));
            }
            19 => {
                self.note(Construct::Endless);
                let head = *self.random.pick(&["while (true) ", "for (;;) ", "for (;; O[0]++) "]);
                self.say(head);
                self.body();
            }
            20 | 21 => self.switch(),
            22 => {
                let word = match self.random.below(2) {
                    _ if self.wants_error() => "break; continue;",
                    0 if self.breakable > 0 => "break;",
                    _ if self.loops > 0 => "continue;",
                    _ => ";",
                };
                let cond = self.condition();
                self.say(&format!("if ({cond}) {word}\n"));
            }
            23 => {
                self.note(Construct::Return);
                let cond = self.condition();
                let value = self.result.clone().map_or(String::new(), |it| self.value(&it));
                self.say(&format!("if ({cond}) return {value};\n"));
            }
            24 | 25 => {
                self.note(Construct::LocalStruct);
                self.structure();
            }
            26 => {
                self.note(Construct::LocalResource);
                let name = self.fresh();
                self.say(&format!("RWStructuredBuffer<uint> {name} = O; {name}[lane] = 1;\n"));
            }
            27 => {
                self.note(Construct::Atomic);
                let value = self.numeric("uint", 1);
                let place = self.random.pick(&["O[lane]", "shared_[lane % 4]", "O[0]"]).to_owned();
                self.say(&format!("InterlockedAdd({place}, {value});\n"));
            }
            28 => {
                self.note(Construct::Barrier);
                self.say("GroupMemoryBarrierWithGroupSync();\n");
            }
            33 => {
                self.note(Construct::Print);
                let (a, b) = (self.numeric("uint", 1), self.numeric("float", 3));
                let format = match self.wants_error() {
                    true => {
                        *self.random.pick(&["%n", "%s%u", "%f %v2f", "100%", "%*d", "%ld %v3f", ""])
                    }
                    false => {
                        *self.random.pick(&["%u: %v3f\\n", "%08x%% %.2v3g", "%-5o %v3a", "%d %v3e"])
                    }
                };
                self.say(&format!("printf(\"{format}\", (uint)({a}), (float3)({b}));\n"));
            }
            29 => self.block(),
            30 => {
                let name = self.fresh();
                self.note(Construct::Enum);
                self.say(&format!(
                    "enum {name}_e {{ {name}0_{0}, {name}1_{0} = 5 }};\n",
                    self.room
                ));
            }
            31 => {
                self.note(Construct::Alias);
                let ty = self.number();
                let name = self.fresh();
                self.say(&format!(
                    "typedef {};\n",
                    Maker::declarator(&ty, &format!("{name}_t{}", self.room))
                ));
            }
            32 => {
                let ty = self.number();
                let value = self.value(&ty);
                self.say(&format!("{value};\n"));
            }
            _ => {
                let functions: Vec<Function> = self.functions.clone();
                if !functions.is_empty() {
                    let function = self.random.pick(&functions).clone();
                    if let Some(call) = self.call_of(&function.name, &function) {
                        self.say(&format!("{call};\n"));
                    }
                }
            }
        }
        self.depth -= 2;
    }

    pub(super) fn local(&mut self) {
        let ty = self.ty();
        let value = self.value(&ty);
        let name = self.fresh();
        let declared = Maker::declarator(&ty, &name);
        let literal = self.literal("uint");
        match (self.random.below(10), &ty) {
            (0, Ty::Number(..)) => {
                self.note(Construct::Static);
                self.say(&format!("static {declared} = {literal};\n"));
                self.add(&name, &ty, true);
            }
            (1 | 2, _) => {
                self.say(&format!("const {declared} = {value};\n"));
                self.add(&name, &ty, false);
            }
            (3, Ty::Number(_, n)) => {
                self.note(Construct::List);
                let list = vec![literal; *n].join(", ");
                self.say(&format!("{declared} = {{ {list} }};\n"));
                self.add(&name, &ty, true);
            }
            (4, _) => {
                self.say(&format!("{declared};\n"));
                self.add(&name, &ty, true);
            }
            _ => {
                self.say(&format!("{declared} = {value};\n"));
                self.add(&name, &ty, true);
            }
        }
    }

    pub(super) fn assignment(&mut self) {
        let targets: Vec<Variable> = self.visible().into_iter().filter(|it| it.writable).collect();
        if targets.is_empty() || self.random.one_in(4) {
            let value = self.numeric("uint", 1);
            self.say(&format!("O[lane] = {value};\n"));
            return;
        }
        let target = self.random.pick(&targets).clone();
        let value = self.value(&target.ty);
        let op = match &target.ty {
            Ty::Number("uint" | "int", _) => *self.random.pick(&["=", "+=", "^=", "<<=", "="]),
            Ty::Number("float", _) => *self.random.pick(&["=", "*=", "-="]),
            _ => "=",
        };
        match &target.ty {
            Ty::Number("uint" | "int", 1) if self.random.one_in(5) => {
                self.say(&format!("{}++;\n", target.name))
            }
            _ => self.say(&format!("{} {op} {value};\n", target.name)),
        }
    }

    pub(super) fn switch(&mut self) {
        self.note(Construct::Switch);
        self.attribute();
        let value = self.numeric("uint", 1);
        self.say(&format!("switch ({value}) {{ "));
        self.breakable += 1;
        let default = self.random.below(5);
        for label in 0..=self.random.below(4) {
            match label == default {
                true => self.say("default: "),
                false => self.say(&format!("case {label}: ")),
            }
            self.block();
            match self.random.one_in(4) {
                true => self.note(Construct::FallThrough),
                false => self.say("break; "),
            }
        }
        self.breakable -= 1;
        self.say("}\n");
    }
}
