//! Programs that our engines must run alike, whatever HLSL leaves undefined: arbitrary indices and numbers, NaNs,
//! lanes that read missing lanes, races. The reference engine decides what is correct.
//!
//! `generate` produces well-defined programs of wave operations alone; these have every type, every kind of memory,
//! and textures.
//! A program is a section of the suite with one statement per line, so that a failure can be reduced line by line.

mod expression;

use std::fmt::Write;

use expression::{ALL, Type, VARIABLES};
use generate::Random;

/// The statements of a program, including nested ones.
const STATEMENTS: u32 = 24;
const MOST_DEPTH: usize = 4;

/// Generates the section of that seed. The same seed gives the same section at every width.
pub fn section(seed: u64) -> String {
    made(seed, 0)
}

/// The same with a few loops whose conditions are always true, most of which have no exit.
pub fn endless(seed: u64) -> String {
    made(seed ^ 0x00e1_d1e5_5000_0000, 3)
}

fn made(seed: u64, endless: u32) -> String {
    let mut maker = Maker {
        random: Random::new(seed ^ 0x5eed_0f4a_11ab_1e57),
        text: String::new(),
        depth: 1,
        loops: 0,
        counters: 0,
        left: STATEMENTS,
        endless,
        is_uniform: true,
        alike: false,
        parted: false,
    };
    maker.section(seed);
    maker.text
}

struct Maker {
    random: Random,
    text: String,
    /// The indentation of the next line.
    depth: usize,
    /// The number of open loops.
    loops: usize,
    counters: u32,
    left: u32,
    /// How many endless loops are still to be generated.
    endless: u32,
    /// Whether all threads of the group reach this point.
    is_uniform: bool,
    /// Whether expressions are currently uniform, as far as possible: engines treat these specially.
    alike: bool,
    /// Whether lanes have reached this point by different paths.
    parted: bool,
}

const RESOURCES: &str = "\
struct Mixed { uint a; float b; int16_t c; float16_t d; uint64_t e; double f; uint g[3]; };
RWStructuredBuffer<uint> Out : register(u0);
RWStructuredBuffer<Mixed> Many : register(u1);
RWByteAddressBuffer Bytes : register(u2);
RWBuffer<float4> Texels : register(u3);
RWTexture2D<float4> Picture : register(u4);
RWTexture2D<uint> Counts : register(u5);
RWStructuredBuffer<uint> Array[3] : register(u6);
StructuredBuffer<uint> In : register(t0);
ByteAddressBuffer Raw : register(t1);
Texture2D<float4> Image : register(t2);
Texture3D<float2> Volume : register(t3);
Texture2DArray<uint4> Layers : register(t4);
SamplerState Sampler : register(s0);
SamplerState Border : register(s1);
cbuffer Constants : register(b0) { uint4 First; float4 Second[3]; };
groupshared uint Shared[37];
groupshared double SharedWide[9];
";

const INPUTS: [&str; 17] = [
    "zero Out 4096",
    "zero Many 960",
    "zero Bytes 333",
    "zero Texels 64",
    "texture Picture RGBA8_UNORM 5x3",
    "texture Counts R32_UINT 4x4",
    "in Array[0] u32: 1 2 3 4 5",
    "zero Array[1] 4",
    "in Array[2] u32: 9 8 7",
    "in In u32: 0 1 0xffffffff 7*3 0x7fc00001 0x80000000 0x3f800000 100 0x7f800000 31 64",
    "in Raw u32: 5 0xfffffffe 3*8 0xff8000ff",
    "texture Image RGBA8_UNORM 8x4 mips 3: 0..168",
    "texture Volume RG32_FLOAT 3x3x3",
    "texture Layers RGBA8_UINT 4x2 layers 3: 0..96",
    "sampler Sampler linear wrap",
    "sampler Border min=linear mag=nearest mip=linear border border=1/0/0/1",
    "in Constants u32: 3 0 0xffffffff 17 0x3f800000 0x7fc00000 0 0x80000000 2*6 3 9",
];

impl Maker {
    fn section(&mut self, seed: u64) {
        let threads = match self.random.below(3) {
            0 => "WIDTH".to_owned(),
            1 => "2 * WIDTH".to_owned(),
            _ => (4 * (1 + self.random.below(40))).to_string(),
        };
        let _ = writeln!(self.text, "//--- wild-{seed}");
        let _ = writeln!(self.text, "//# groups {} 1 1", 1 + self.random.below(3));
        let _ = writeln!(self.text, "//# args -enable-16bit-types -T cs_6_7");
        for input in INPUTS {
            let _ = writeln!(self.text, "//# {input}");
        }
        self.text.push_str(RESOURCES);
        let _ = writeln!(self.text, "[numthreads({threads}, 1, 1)]");
        self.text.push_str("void main(uint t : SV_GroupIndex, uint3 id : SV_DispatchThreadID) {\n");
        for ty in ALL {
            for number in 0..VARIABLES {
                let value = self.start(ty, number);
                self.line(&format!("{} {}{number} = {value};", ty.word(), ty.letter()));
            }
        }
        self.line("uint own[6] = { t, 1, 2, 3, 4, id.x };");
        self.line("double wide[3] = { 1, 2, t };");
        while self.left > 0 {
            self.statement();
        }
        self.log();
        self.text.push_str("}\n");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.depth);
    }

    /// The initial value of a variable: dependent on the lane in the first ones of each type, uniform in the last
    /// one.
    fn start(&mut self, ty: Type, number: u32) -> String {
        match number {
            0 => ty.cast("t"),
            1 => ty.cast("id.x * 77 + 3"),
            _ => self.literal(ty),
        }
    }

    /// Writes all variables to the thread's own slot.
    fn log(&mut self) {
        self.line("uint hash = 2166136261;");
        for ty in ALL {
            for number in 0..VARIABLES {
                for word in ty.words(&format!("{}{number}", ty.letter())) {
                    self.line(&format!("hash = (hash ^ {word}) * 16777619;"));
                }
            }
        }
        self.line("Out[id.x + 4] = hash;");
    }

    // Statements.

    fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        self.alike = self.random.chance(if self.parted { 16 } else { 2 });
        let kind = self.random.below(20);
        let deep = self.depth > MOST_DEPTH || self.left == 0;
        match kind {
            0..=7 => self.assign(),
            8..=10 => self.write(),
            11 if self.is_uniform && self.loops == 0 => {
                self.line("GroupMemoryBarrierWithGroupSync();");
            }
            11 => self.line("DeviceMemoryBarrier();"),
            12 if self.loops > 0 => {
                let (cond, exit) = (self.condition(), self.random.pick(&["break", "continue"]));
                self.line(&format!("if ({cond}) {exit};"));
            }
            13 if self.random.chance(6) && !deep => {
                let cond = self.condition();
                self.line(&format!("if ({cond}) return;"));
                self.is_uniform = false;
            }
            14..=15 if !deep => self.if_(),
            16 | 17 if !deep => self.loop_(),
            18 if !deep => self.switch(),
            19 => self.print(),
            _ => self.assign(),
        }
    }

    /// A line with a few values, some of them vectors.
    fn print(&mut self) {
        let (mut format, mut args) = (String::new(), String::new());
        for _ in 0..1 + self.random.below(3) {
            let ty = self.random.pick(&ALL);
            let value = ty.cast(&self.expression(ty, 2));
            let (flags, letter) = match ty {
                Type::Bool | Type::Int | Type::Short => self.random.pick(&[("", "d"), ("5", "i")]),
                Type::Uint | Type::Ushort => self.random.pick(&[("", "u"), ("08", "X")]),
                Type::Long => ("", "ld"),
                Type::Ulong => self.random.pick(&[("", "lu"), ("", "lx")]),
                Type::Float | Type::Half | Type::Double => {
                    self.random.pick(&[("", "f"), (".9", "g"), ("", "a"), ("-12.3", "e")])
                }
            };
            if self.random.chance(4) {
                let other = self.variable(ty);
                let _ = write!(format, "%{flags}v2{letter} ");
                let _ = write!(args, ", {}2({value}, {other})", ty.word());
            } else {
                let _ = write!(format, "%{flags}{letter} ");
                let _ = write!(args, ", {value}");
            }
        }
        self.line(&format!("printf(\"{format}\"{args});"));
    }

    fn assign(&mut self) {
        let ty = self.random.pick(&ALL);
        let to = self.variable(ty);
        let value = self.expression(ty, 3);
        let op = match ty {
            Type::Bool => "=",
            _ => self.random.pick(&["=", "=", "=", "+=", "-=", "*="]),
        };
        self.line(&format!("{to} {op} {value};"));
    }

    /// Puts the lines that `body` emits in braces.
    fn braces(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        let before = (self.is_uniform, self.parted);
        (self.is_uniform, self.parted) = (false, self.parted || !self.alike);
        body(self);
        (self.is_uniform, self.parted) = before;
        self.depth -= 1;
        self.line("}");
    }

    fn some(&mut self) {
        for _ in 0..=self.random.below(4) {
            self.statement();
        }
    }

    fn if_(&mut self) {
        let alike = self.alike;
        let cond = self.condition();
        let head = match self.random.below(6) {
            0 => format!("[flatten] if ({cond})"),
            1 => format!("[branch] if ({cond})"),
            _ => format!("if ({cond})"),
        };
        self.braces(&head, Self::some);
        self.alike = alike;
        if self.random.chance(2) {
            self.braces("else", Self::some);
        }
    }

    fn loop_(&mut self) {
        let number = self.counters;
        self.counters += 1;
        let most = 1 + self.random.below(5);
        self.loops += 1;
        if self.endless > 0 && self.random.chance(2) {
            self.endless -= 1;
            let head = self.random.pick(&["while (true)", "for (;;)", "for (uint n = 0; ; ++n)"]);
            match self.random.below(4) {
                0 => self.line(&format!("{head} {{}}")),
                1 => self.line(&format!("{head} Out[t]++;")),
                _ => self.braces(head, Self::some),
            }
            self.loops -= 1;
            return;
        }
        match self.random.below(3) {
            0 => {
                let head = format!("for (uint k{number} = 0; k{number} < {most}; ++k{number})");
                self.braces(&head, Self::some);
            }
            1 => {
                let cond = self.condition();
                self.line(&format!("uint k{number} = 0;"));
                let head = format!("while (k{number}++ < {most} && {cond})");
                self.braces(&head, Self::some);
            }
            _ => {
                // As many iterations as the lane says.
                let bound = self.expression(Type::Uint, 2);
                let head = format!(
                    "for (uint k{number} = 0; k{number} < min({bound}, {most}u); ++k{number})"
                );
                self.braces(&head, Self::some);
            }
        }
        self.loops -= 1;
    }

    fn switch(&mut self) {
        let alike = self.alike;
        let selector = self.expression(Type::Uint, 2);
        let count = 2 + self.random.below(3);
        let default = self.random.below(2 * count);
        // `break` belongs to the switch here, and `continue` to nothing.
        let loops = std::mem::take(&mut self.loops);
        self.braces(&format!("switch ({selector} % {})", count + 1), |maker| {
            for label in 0..count {
                let default = if label == default { "default: " } else { "" };
                maker.alike = alike;
                maker.braces(&format!("case {label}: {default}"), Self::some);
                if maker.random.chance(2) {
                    maker.line("break;");
                }
            }
        });
        self.loops = loops;
    }

    fn write(&mut self) {
        let at = self.index();
        match self.random.below(14) {
            0 => {
                let value = self.expression(Type::Uint, 2);
                self.line(&format!("Out[{at}] = {value};"));
            }
            1 => {
                let value = self.expression(Type::Half, 2);
                self.line(&format!("Many[{at}].d = {value};"));
            }
            2 => {
                let value = self.expression(Type::Double, 2);
                self.line(&format!("Many[{at}].f = {value};"));
            }
            3 => {
                let (part, value) = (self.index(), self.expression(Type::Uint, 2));
                self.line(&format!("Many[{at}].g[{part}] = {value};"));
            }
            4 => {
                let value = self.expression(Type::Uint, 2);
                self.line(&format!("Bytes.Store({at}, {value});"));
            }
            5 => {
                let value = self.expression(Type::Ulong, 2);
                self.line(&format!("Bytes.Store<uint64_t>({at}, {value});"));
            }
            6 => {
                let (a, b) = (self.expression(Type::Float, 2), self.expression(Type::Float, 2));
                self.line(&format!("Texels[{at}] = float4({a}, {b}, 0.5, -1);"));
            }
            7 => {
                let (y, a) = (self.index(), self.expression(Type::Float, 2));
                self.line(&format!("Picture[uint2({at}, {y})] = float4({a}, 1, 0.25, 2);"));
            }
            8 => {
                let value = self.expression(Type::Uint, 2);
                let to = self.variable(Type::Uint);
                let op = self.random.pick(&["Add", "And", "Or", "Xor", "Min", "Max", "Exchange"]);
                let place = self.random.pick(&["Out", "Shared"]);
                // An operation whose old value is dropped has separate code.
                let to = match op {
                    "Add" | "Min" | "Xor" if self.random.below(3) == 0 => String::new(),
                    _ => format!(", {to}"),
                };
                self.line(&format!("Interlocked{op}({place}[{at}], {value}{to});"));
            }
            9 => {
                let (y, value) = (self.index(), self.expression(Type::Uint, 2));
                self.line(&format!("InterlockedAdd(Counts[uint2({at}, {y})], {value});"));
            }
            10 => {
                let value = self.expression(Type::Uint, 2);
                let place = self.random.pick(&["Shared", "own"]);
                self.line(&format!("{place}[{at}] = {value};"));
            }
            11 => {
                let value = self.expression(Type::Double, 2);
                let place = self.random.pick(&["SharedWide", "wide"]);
                self.line(&format!("{place}[{at}] = {value};"));
            }
            12 => {
                let (which, value) = (self.index(), self.expression(Type::Uint, 2));
                self.line(&format!("Array[NonUniformResourceIndex({which})][{at}] = {value};"));
            }
            _ => {
                // Compaction: a slot after those of other lanes.
                let cond = self.condition();
                let value = self.expression(Type::Uint, 2);
                self.braces(&format!("if ({cond})"), |maker| {
                    maker.line(&format!("Out[600 + WavePrefixCountBits(true)] = {value};"));
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_compiles_and_runs() {
        let all = (0..300).map(section).chain((0..100).map(endless));
        all.for_each(|text| crate::run::check_generated("wild.hlsl", &text));
    }

    #[test]
    fn a_seed_determines_the_program() {
        assert_eq!(section(5), section(5));
        assert_ne!(section(5), section(6));
    }
}
