//! Expressions of every type, over everything in scope.

use super::Maker;

/// Variables of each type.
pub(super) const VARIABLES: u32 = 3;

/// The types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    Uint,
    Int,
    Float,
    Half,
    Short,
    Ushort,
    Ulong,
    Long,
    Double,
}

pub(super) const ALL: [Type; 10] = [
    Type::Bool,
    Type::Uint,
    Type::Int,
    Type::Float,
    Type::Half,
    Type::Short,
    Type::Ushort,
    Type::Ulong,
    Type::Long,
    Type::Double,
];

const NUMBERS: [Type; 9] = [
    Type::Uint,
    Type::Int,
    Type::Float,
    Type::Half,
    Type::Short,
    Type::Ushort,
    Type::Ulong,
    Type::Long,
    Type::Double,
];

impl Type {
    pub(super) fn word(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Uint => "uint",
            Type::Int => "int",
            Type::Float => "float",
            Type::Half => "float16_t",
            Type::Short => "int16_t",
            Type::Ushort => "uint16_t",
            Type::Ulong => "uint64_t",
            Type::Long => "int64_t",
            Type::Double => "double",
        }
    }

    /// The initial letters of its variables.
    pub(super) fn letter(self) -> &'static str {
        match self {
            Type::Bool => "b",
            Type::Uint => "u",
            Type::Int => "i",
            Type::Float => "f",
            Type::Half => "h",
            Type::Short => "s",
            Type::Ushort => "w",
            Type::Ulong => "q",
            Type::Long => "l",
            Type::Double => "d",
        }
    }

    fn is_integer(self) -> bool {
        !matches!(self, Type::Bool | Type::Float | Type::Half | Type::Double)
    }

    pub(super) fn cast(self, value: &str) -> String {
        match self {
            Type::Bool => format!("((({value}) & 1) != 0)"),
            _ => format!("({})({value})", self.word()),
        }
    }

    /// All of its bits, in words.
    pub(super) fn words(self, value: &str) -> Vec<String> {
        match self {
            Type::Bool | Type::Short | Type::Ushort | Type::Uint | Type::Int => {
                vec![format!("(uint)({value})")]
            }
            Type::Float => vec![format!("asuint({value})")],
            Type::Half => vec![format!("(uint)asuint16({value})")],
            Type::Ulong | Type::Long => {
                vec![format!("(uint)({value})"), format!("(uint)({value} >> 32)")]
            }
            // Through memory, because a function would scalarise it.
            Type::Double => {
                vec![format!("(uint)(({value} < 0) ? 1 : 2)"), format!("asuint((float)({value}))")]
            }
        }
    }
}

impl Maker {
    pub(super) fn variable(&mut self, ty: Type) -> String {
        let number = if self.alike { VARIABLES - 1 } else { self.random.below(VARIABLES - 1) };
        format!("{}{number}", ty.letter())
    }

    pub(super) fn literal(&mut self, ty: Type) -> String {
        let number = match ty {
            Type::Bool => return self.random.pick(&["true", "false"]).to_owned(),
            Type::Float | Type::Half | Type::Double => self.random.pick(&[
                "0.0",
                "-0.0",
                "1.0",
                "-1.5",
                "0.1",
                "3.0e4",
                "1.0e-6",
                "(1.0 / 0.0)",
                "7.0",
            ]),
            _ => {
                self.random.pick(&["0", "1", "2", "3", "7", "31", "255", "0x7fff", "0x8000", "-1"])
            }
        };
        format!("({})({number})", ty.word())
    }

    pub(super) fn condition(&mut self) -> String {
        if self.alike {
            return self.expression(Type::Bool, 2);
        }
        match self.random.below(8) {
            0 => format!("(t & {}) == 0", 1 << self.random.below(5)),
            1 => format!("t < {}", self.random.below(70)),
            2 => "WaveIsFirstLane()".to_owned(),
            _ => self.expression(Type::Bool, 2),
        }
    }

    /// An index that may be out of bounds. Where the compiler could reject it, it includes a zero that the compiler
    /// does not know.
    pub(super) fn index(&mut self) -> String {
        if self.alike {
            return match self.random.below(3) {
                0 => self.random.below(3).to_string(),
                1 => "u2".to_owned(),
                _ => format!("({} + First.y)", self.expression(Type::Uint, 1)),
            };
        }
        let index = match self.random.below(9) {
            0 => return "t".to_owned(),
            1 => return format!("(t * {})", self.random.below(5)),
            2 => {
                let step = self.random.pick(&["1u", "3u", "0x3ffffff0", "0xfffffff0"]);
                return format!("(t + {step})");
            }
            3 => return self.random.below(3).to_string(),
            4 => return self.random.pick(&["id.x", "In[t]", "u0", "u1"]).to_owned(),
            5 => format!("{} % 7", self.expression(Type::Uint, 1)),
            6 => self.random.pick(&["0xffffffff", "0x80000000", "0x40000000", "33"]).to_owned(),
            7 => format!("(uint)({})", self.expression(Type::Int, 1)),
            _ => self.expression(Type::Uint, 1),
        };
        format!("({index} + First.y)")
    }

    pub(super) fn expression(&mut self, ty: Type, depth: u32) -> String {
        if depth == 0 {
            return if self.random.chance(3) { self.literal(ty) } else { self.variable(ty) };
        }
        match self.random.below(10) {
            0 => self.literal(ty),
            1 | 2 => self.variable(ty),
            3 if ty != Type::Bool => {
                let from = self.random.pick(&ALL);
                let value = self.expression(from, depth - 1);
                format!("({})({value})", ty.word())
            }
            4 => {
                let cond = self.expression(Type::Bool, depth - 1);
                let [a, b] = [0, 1].map(|_| self.expression(ty, depth - 1));
                let form = self.random.below(2);
                if form == 0 {
                    format!("({cond} ? {a} : {b})")
                } else {
                    format!("select({cond}, {a}, {b})")
                }
            }
            5 | 6 => self.wave(ty, depth),
            7 => self.load(ty, depth),
            _ => self.arithmetic(ty, depth),
        }
    }

    fn arithmetic(&mut self, ty: Type, depth: u32) -> String {
        if ty == Type::Bool {
            return self.truth(depth);
        }
        let a = self.expression(ty, depth - 1);
        if self.random.chance(4) {
            return self.function(ty, &a, depth);
        }
        let b = self.expression(ty, depth - 1);
        let ops: &[&str] = match ty.is_integer() {
            true => &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"],
            false => &["+", "-", "*", "/"],
        };
        format!("({a} {} {b})", self.random.pick(ops))
    }

    fn function(&mut self, ty: Type, a: &str, depth: u32) -> String {
        let b = self.expression(ty, depth - 1);
        let name = match ty {
            Type::Uint => self.random.pick(&[
                "countbits(@)",
                "firstbithigh(@)",
                "firstbitlow(@)",
                "reversebits(@)",
                "f32tof16(f0)",
                "min(@, #)",
                "max(@, #)",
                "~@",
                "asuint(f1)",
                "(uint)asuint16(h0)",
            ]),
            Type::Float => self.random.pick(&[
                "sqrt(@)",
                "rsqrt(@)",
                "rcp(@)",
                "floor(@)",
                "frac(@)",
                "round(@)",
                "trunc(@)",
                "sin(@)",
                "exp2(@)",
                "log2(@)",
                "pow(@, #)",
                "min(@, #)",
                "max(@, #)",
                "abs(@)",
                "saturate(@)",
                "mad(@, #, f0)",
                "lerp(@, #, f1)",
                "asfloat(u0)",
                "f16tof32(u1)",
                "ddx(@)",
                "ddy_fine(@)",
                "fmod(@, #)",
                "atan2(@, #)",
                "(@ == # ? @ : -#)",
            ]),
            Type::Half => {
                self.random.pick(&["min(@, #)", "sqrt(@)", "floor(@)", "abs(@)", "asfloat16(w0)"])
            }
            Type::Double => {
                self.random.pick(&["min(@, #)", "max(@, #)", "abs(@)", "-@", "fma(@, #, d0)"])
            }
            Type::Int | Type::Long => {
                self.random.pick(&["min(@, #)", "max(@, #)", "abs(@)", "-@", "~@"])
            }
            Type::Short | Type::Ushort | Type::Ulong | Type::Bool => {
                self.random.pick(&["min(@, #)", "max(@, #)", "~@"])
            }
        };
        let name = if ty == Type::Bool { "!@" } else { name };
        format!("({})({})", ty.word(), name.replace('@', a).replace('#', &b))
    }

    fn truth(&mut self, depth: u32) -> String {
        if self.random.chance(3) {
            let [a, b] = [0, 1].map(|_| self.expression(Type::Bool, depth - 1));
            return format!("({a} {} {b})", self.random.pick(&["&&", "||", "!=", "=="]));
        }
        let ty = self.random.pick(&NUMBERS);
        let [a, b] = [0, 1].map(|_| self.expression(ty, depth - 1));
        format!("({a} {} {b})", self.random.pick(&["<", "<=", ">", ">=", "==", "!="]))
    }

    fn wave(&mut self, ty: Type, depth: u32) -> String {
        let a = self.expression(ty, depth - 1);
        let lane = self.index();
        if self.random.chance(3) {
            return match self.random.below(3) {
                0 => format!("WaveReadLaneAt({a}, {lane})"),
                1 => format!("WaveReadLaneFirst({a})"),
                _ if ty == Type::Bool => format!("WaveReadLaneFirst({a})"),
                _ => {
                    let name = self.random.pick(&["AcrossX", "AcrossY", "AcrossDiagonal"]);
                    format!("QuadRead{name}({a})")
                }
            };
        }
        if ty == Type::Bool {
            let form = self.random.pick(&[
                "WaveActiveAnyTrue(@)",
                "WaveActiveAllTrue(@)",
                "WaveIsFirstLane()",
                "WaveActiveAllEqual(u0)",
                "WaveActiveAllEqual(f0)",
                "QuadAny(@)",
                "QuadAll(@)",
            ]);
            return form.replace('@', &a);
        }
        if ty == Type::Uint && self.random.chance(2) {
            let cond = self.expression(Type::Bool, depth - 1);
            let form = self.random.pick(&[
                "WaveActiveCountBits(@)",
                "WavePrefixCountBits(@)",
                "WaveActiveBallot(@).x",
                "WaveActiveBallot(@).w",
                "WaveGetLaneIndex()",
                "WaveMatch(u1).x",
                "WaveMatch(h0).y",
                "WaveMultiPrefixCountBits(@, WaveMatch(s0))",
            ]);
            return form.replace('@', &cond);
        }
        let mut forms = vec![
            "WaveActiveSum(@)",
            "WaveActiveProduct(@)",
            "WaveActiveMin(@)",
            "WaveActiveMax(@)",
            "WavePrefixSum(@)",
            "WavePrefixProduct(@)",
            "WaveMultiPrefixSum(@, WaveMatch(t % 3))",
            "WaveMultiPrefixProduct(@, WaveActiveBallot(b0))",
        ];
        if ty.is_integer() {
            forms.extend([
                "WaveMultiPrefixBitAnd(@, WaveMatch(u0))",
                "WaveMultiPrefixBitXor(@, WaveMatch(b0 ? 1 : 2))",
            ]);
        }
        if matches!(ty, Type::Uint | Type::Ulong) {
            forms.extend(["WaveActiveBitAnd(@)", "WaveActiveBitOr(@)", "WaveActiveBitXor(@)"]);
        }
        self.random.pick(&forms).replace('@', &a)
    }

    fn load(&mut self, ty: Type, depth: u32) -> String {
        let at = self.index();
        let other = self.expression(Type::Float, depth - 1);
        let place = match ty {
            Type::Uint => self.random.pick(&[
                "In[@]",
                "Raw.Load(@)",
                "Raw.Load3(@).z",
                "Out[@]",
                "Bytes.Load(@)",
                "Shared[@]",
                "own[@]",
                "Many[@].a",
                "Many[@].g[u0]",
                "First.y",
                "First[@]",
                "Counts[uint2(@, u1)]",
                "Layers.Load(int4(@, u0, u1, 0)).z",
                "Array[NonUniformResourceIndex(@)][u0]",
                "Array[u1 & 3][@]",
            ]),
            Type::Float => self.random.pick(&[
                "Many[@].b",
                "Texels[@].x",
                "Texels[@].w",
                "Second[1].y",
                "Second[@].z",
                "asfloat(In[@])",
                "Picture[uint2(@, u0)].y",
                "Image.Load(int3(@, u0, u1 & 3)).x",
                "Image.SampleLevel(Sampler, float2(#, f0), f1).y",
                "Image.Sample(Sampler, float2(#, f0)).z",
                "Image.SampleBias(Border, float2(#, 0.3), f2).w",
                "Image.SampleGrad(Border, float2(#, f1), f0, f2).x",
                "Image.GatherGreen(Border, float2(#, f2)).z",
                "Volume.SampleLevel(Sampler, float3(#, f0, f1), 0).y",
                "Image.CalculateLevelOfDetail(Sampler, float2(#, f1))",
            ]),
            Type::Half => self.random.pick(&["Many[@].d", "Bytes.Load<float16_t>(@)"]),
            Type::Short => self.random.pick(&["Many[@].c", "Bytes.Load<int16_t>(@)"]),
            Type::Ulong => self.random.pick(&["Many[@].e", "Bytes.Load<uint64_t>(@)"]),
            Type::Double => self.random.pick(&[
                "Many[@].f",
                "SharedWide[@]",
                "wide[@]",
                "Bytes.Load<double>(@)",
            ]),
            Type::Bool => "(In[@] > 7)",
            Type::Int | Type::Ushort | Type::Long => "In[@]",
        };
        format!("({})({})", ty.word(), place.replace('@', &at).replace('#', &other))
    }
}
