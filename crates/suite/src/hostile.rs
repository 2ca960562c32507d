//! Fuzzing of bounds checks: programs with arbitrary indices, in which every kind of memory is read, written and
//! changed atomically in and out of bounds, in buffers of any size including zero. The reference engine decides
//! what is correct. They are run where an access outside of the bound memory ends the process (`tests/hostile.rs`).
//!
//! `wild` generates programs of everything, with mostly harmless indices; these consist of little but accesses.

use std::fmt::Write;

use generate::Random;

/// The approximate number of accesses in a program.
const ACCESSES: u32 = 18;
const MOST_DEPTH: usize = 3;

const RESOURCES: &str = "\
struct Wide { uint a; float16_t b; double c; uint d[3]; float2x3 m; };
RWStructuredBuffer<uint> Out : register(u0);
RWStructuredBuffer<Wide> Outs : register(u1);
RWByteAddressBuffer Bytes : register(u2);
RWBuffer<uint> Words : register(u3);
RWTexture2D<float4> Picture : register(u4);
RWTexture2D<uint> Counts : register(u5);
RWTexture2DArray<uint> Piles : register(u6);
RWStructuredBuffer<uint> Targets[3] : register(u7);
RWByteAddressBuffer Raws[2] : register(u10);
StructuredBuffer<uint> In : register(t0);
StructuredBuffer<uint3> Triples : register(t1);
ByteAddressBuffer Raw : register(t2);
Buffer<float4> Texels : register(t3);
Texture2D<float4> Image : register(t4);
Texture3D<float2> Volume : register(t5);
StructuredBuffer<uint> Sources[3] : register(t6);
SamplerState Sampler : register(s0);
cbuffer Constants : register(b0) { uint4 First; uint4 Row[4]; float3x4 Matrix; };
groupshared uint Shared[13];
groupshared uint64_t SharedWide[5];
groupshared float16_t SharedHalf[7];
groupshared float3 SharedVector[3];
";

/// Reads at the index `@`, and at `#`.
const LOADS: [&str; 40] = [
    "In[@]",
    "Triples[@].z",
    "Triples[@][# & 3]",
    "Raw.Load(@)",
    "Raw.Load2(@).y",
    "Raw.Load3(@).z",
    "Raw.Load4(@).w",
    "(uint)Raw.Load<uint64_t>(@)",
    "(uint)Raw.Load<uint16_t>(@)",
    "(uint)(Raw.Load<double>(@) != 0)",
    "asuint(Texels[@].y)",
    "asuint(Texels[@].w)",
    "Words[@]",
    "Out[@]",
    "Outs[@].a",
    "Outs[@].d[#]",
    "(uint)Outs[@].b",
    "asuint(Outs[@].m[1].z)",
    "Bytes.Load(@)",
    "Bytes.Load4(@).z",
    "(uint)Bytes.Load<uint16_t>(@)",
    "(uint)Bytes.Load<uint64_t>(@)",
    "Row[@].z",
    "Row[@][#]",
    "asuint(Matrix[@].y)",
    "asuint(Image.Load(int3(@, #, @ & 3)).x)",
    "asuint(Image.SampleLevel(Sampler, float2(asfloat(@), #), asfloat(#)).z)",
    "asuint(Image.Gather(Sampler, float2(@, asfloat(#))).w)",
    "asuint(Volume.Load(int4(@, #, @, 0)).x)",
    "asuint(Picture[uint2(@, #)].x)",
    "Counts[uint2(@, #)]",
    "Piles[uint3(@, #, @)]",
    "Sources[NonUniformResourceIndex(@)][#]",
    "Targets[NonUniformResourceIndex(@)][#]",
    "Raws[NonUniformResourceIndex(@)].Load(#)",
    "((StructuredBuffer<uint>)ResourceDescriptorHeap[NonUniformResourceIndex(@)])[#]",
    "Shared[@] + (uint)SharedWide[#]",
    "(uint)SharedHalf[@] + asuint(SharedVector[#].y)",
    "own[@] + asuint(pairs[#].y) + (uint)(wide[@] > 3)",
    "WaveReadLaneAt(sum, @) + vector4[#]",
];

/// Writes at the index `@`: the value is `sum`.
const STORES: [&str; 28] = [
    "Out[@] = sum",
    "Outs[@].a = sum",
    "Outs[@].b = (float16_t)sum",
    "Outs[@].c = sum",
    "Outs[@].d[#] = sum",
    "Outs[@].m[#][1] = asfloat(sum)",
    "Bytes.Store(@, sum)",
    "Bytes.Store2(@, uint2(sum, 1))",
    "Bytes.Store3(@, uint3(1, sum, 3))",
    "Bytes.Store4(@, uint4(1, 2, 3, sum))",
    "Bytes.Store<uint16_t>(@, (uint16_t)sum)",
    "Bytes.Store<uint64_t>(@, (uint64_t)sum << 20)",
    "Bytes.Store<double>(@, sum)",
    "Words[@] = sum",
    "Picture[uint2(@, #)] = asfloat(sum & 0x3fffffff)",
    "Counts[uint2(@, #)] = sum",
    "Piles[uint3(#, 0, @)] = sum",
    "Targets[NonUniformResourceIndex(@)][#] = sum",
    "Raws[NonUniformResourceIndex(@)].Store(#, sum)",
    "Shared[@] = sum",
    "SharedWide[@] = sum",
    "SharedHalf[@] = (float16_t)(sum & 7)",
    "SharedVector[@][#] = (float)(sum & 255)",
    "own[@] = sum",
    "wide[@] = sum",
    "pairs[@][#] = (float)(sum & 255)",
    "vector4[@] = sum",
    "Out[@ + WavePrefixCountBits(true)] = sum",
];

/// Atomic operations; `old` is the old value.
const ATOMICS: [&str; 26] = [
    "InterlockedAdd(Out[@], sum, old)",
    "InterlockedAdd(Out[@], 1)",
    "InterlockedMax(Out[@], t, old)",
    "InterlockedCompareExchange(Out[@], #, sum, old)",
    "InterlockedExchange(Outs[@].a, sum, old)",
    "InterlockedAdd(Outs[@].d[#], sum, old)",
    "Bytes.InterlockedAdd(@, sum, old)",
    "Bytes.InterlockedXor(@, sum)",
    "Bytes.InterlockedExchange(@, sum, old)",
    "Bytes.InterlockedCompareExchange(@, #, sum, old)",
    "Bytes.InterlockedAdd64(@, (uint64_t)sum << 9, old64)",
    "InterlockedOr(Words[@], sum, old)",
    "InterlockedAdd(Counts[uint2(@, #)], 1, old)",
    "InterlockedMin(Piles[uint3(@, #, @)], sum, old)",
    "InterlockedAdd(Targets[NonUniformResourceIndex(@)][#], sum, old)",
    "InterlockedAdd(Shared[@], sum, old)",
    "InterlockedMax(SharedWide[@], (uint64_t)sum, old64)",
    "InterlockedAdd(Shared[@], t)",
    "InterlockedMin(Shared[@], sum)",
    "InterlockedXor(Shared[@], 9, old)",
    "InterlockedExchange(Shared[@], sum, old)",
    "InterlockedCompareExchange(Shared[@], #, sum, old)",
    "InterlockedAdd(SharedWide[@], (uint64_t)sum << 30)",
    "InterlockedCompareStore(SharedWide[@], (uint64_t)#, (uint64_t)sum)",
    "InterlockedExchange(SharedVector[@].y, (float)(sum & 255), oldfloat)",
    "Raws[NonUniformResourceIndex(@)].InterlockedAnd(#, sum, old)",
];

/// Numbers at the limits of something.
const CORNERS: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "12",
    "13",
    "31",
    "64",
    "100",
    "0x0ffffff0",
    "0x20000000",
    "0x3fffffff",
    "0x40000000",
    "0x7ffffff8",
    "0x7fffffff",
    "0x80000000",
    "0xc0000000",
    "0xfffffff0",
    "0xffffffff",
];

/// Generates the section of that seed. The same seed gives the same section at every width.
pub fn section(seed: u64) -> String {
    let random = Random::new(seed ^ 0x0b5e_55ed_1d1e_5a11);
    let mut maker = Maker { random, text: String::new(), depth: 1, left: ACCESSES, loops: 0 };
    maker.section(seed);
    maker.text
}

struct Maker {
    random: Random,
    text: String,
    depth: usize,
    left: u32,
    loops: u32,
}

impl Maker {
    fn section(&mut self, seed: u64) {
        let _ = writeln!(self.text, "//--- hostile-{seed}");
        let _ = writeln!(self.text, "//# groups {} 1 1", 1 + self.random.below(3));
        let _ = writeln!(self.text, "//# args -enable-16bit-types -T cs_6_6");
        for name in ["Out", "Outs", "Bytes", "Words", "Texels", "Triples", "Raws[0]", "Raws[1]"] {
            let bytes = self.size();
            let _ = writeln!(self.text, "//# zero {name} {bytes}");
        }
        for name in ["Targets", "Sources", "ResourceDescriptorHeap"] {
            for element in 0..3 {
                let bytes = self.size();
                let _ = writeln!(self.text, "//# zero {name}[{element}] {bytes}");
            }
        }
        for name in ["In", "Raw", "Constants"] {
            let count = match name {
                "Constants" => 8 + self.random.below(28),
                _ => 1 + self.random.below(40),
            };
            let numbers: Vec<&str> = (0..count).map(|_| self.random.pick(&CORNERS)).collect();
            let _ = writeln!(self.text, "//# in {name} u32: {}", numbers.join(" "));
        }
        let (across, down) = (1 + self.random.below(5), 1 + self.random.below(4));
        let _ = writeln!(self.text, "//# texture Picture RGBA8_UNORM {across}x{down}");
        let _ = writeln!(self.text, "//# texture Counts R32_UINT {down}x{across}");
        let _ = writeln!(self.text, "//# texture Piles R32_UINT {across}x{down} layers 2");
        let _ = writeln!(self.text, "//# texture Image RGBA8_UNORM 8x4 mips 3: 0..168");
        let _ = writeln!(self.text, "//# texture Volume RG32_FLOAT {across}x{down}x2");
        let mode = self.random.pick(&["linear wrap", "nearest clamp", "linear border"]);
        let _ = writeln!(self.text, "//# sampler Sampler {mode}");
        self.text.push_str(RESOURCES);
        let threads = match self.random.below(3) {
            0 => "WIDTH".to_owned(),
            1 => "2 * WIDTH".to_owned(),
            _ => (1 + self.random.below(150)).to_string(),
        };
        let _ = writeln!(self.text, "[numthreads({threads}, 1, 1)]");
        self.text.push_str("void main(uint t : SV_GroupIndex, uint3 id : SV_DispatchThreadID) {\n");
        self.line("uint sum = t, old = 0; uint64_t old64 = 0; float oldfloat = 0;");
        self.line("uint own[5] = { t, 1, 2, 3, 4 }; double wide[3] = { 1, 2, t };");
        self.line("float2 pairs[3] = { float2(t, 1), float2(2, 3), float2(4, 5) }; uint4 vector4 = uint4(t, 1, 2, 3);");
        while self.left > 0 {
            self.statement();
        }
        self.line("Out[id.x] = sum + own[t % 5] + (uint)old64 + asuint(oldfloat);");
        self.text.push_str("}\n");
    }

    /// The size of a buffer in bytes, often tiny.
    fn size(&mut self) -> u32 {
        match self.random.below(4) {
            0 => 0,
            1 => self.random.pick(&[1, 3, 4, 7, 8, 12, 16]),
            2 => self.random.below(100),
            _ => 4 * (1 + self.random.below(400)),
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.depth);
    }

    /// Any number, in one of the forms that engines distinguish: uniform, a progression, or different in each lane.
    fn index(&mut self) -> String {
        let corner = self.random.pick(&CORNERS);
        let factor = self.random.pick(&["1", "2", "3", "4", "7", "0x10000000", "0x80000001"]);
        let unknown = self.random.pick(&["First.x", "First.y", "Row[1].z", "In[0]"]);
        match self.random.below(14) {
            0 => "t".to_owned(),
            1 => format!("(t * {factor})"),
            2 => format!("(t + {corner} + First.w * 0)"),
            3 => format!("({corner} - t)"),
            4 => format!("({unknown} + {corner})"),
            5 => format!("({unknown} + t * {factor})"),
            6 => "In[t]".to_owned(),
            7 => format!("(sum % {})", 1 + self.random.below(40)),
            8 => "sum".to_owned(),
            9 if self.loops > 0 => format!("(k{} * {factor} + {unknown})", self.loops - 1),
            10 => format!("WaveReadLaneFirst(sum ^ {corner})"),
            // Tiles.
            11 => format!("((t & 7) + t / 8 * {factor} + {unknown})"),
            12 => format!("(t / 8 + {corner} + First.w * 0)"),
            _ => format!("(id.x * {factor} + {unknown})"),
        }
    }

    fn filled(&mut self, form: &str) -> String {
        let (first, second) = (self.index(), self.index());
        form.replace('@', &first).replace('#', &second)
    }

    fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        let is_deep = self.depth > MOST_DEPTH || self.left == 0;
        match self.random.below(14) {
            0..=4 => {
                let form = self.random.pick(&LOADS);
                let value = self.filled(form);
                self.line(&format!("sum += {value};"));
            }
            5..=7 => {
                let form = self.random.pick(&STORES);
                let store = self.filled(form);
                self.line(&format!("{store};"));
            }
            8..=10 => {
                let form = self.random.pick(&ATOMICS);
                let atomic = self.filled(form);
                self.line(&format!("{atomic}; sum += old;"));
            }
            11 if !is_deep => {
                let index = self.index();
                let head = match self.random.below(4) {
                    0 => "if (WaveIsFirstLane())".to_owned(),
                    1 => format!("if (t < {})", self.random.below(40)),
                    2 => format!("if (({index} & 1) == 0)"),
                    _ => format!("if (WaveGetLaneIndex() == ({index} & 7))"),
                };
                self.braces(&head);
            }
            12 if !is_deep && self.loops < 2 => {
                let number = self.loops;
                self.loops += 1;
                let rounds = 1 + self.random.below(4);
                self.braces(&format!(
                    "for (uint k{number} = 0; k{number} < min(t, {rounds}); ++k{number})"
                ));
                self.loops -= 1;
            }
            13 if self.depth == 1 => self.line("GroupMemoryBarrierWithGroupSync();"),
            _ => {
                let form = self.random.pick(&LOADS);
                let value = self.filled(form);
                self.line(&format!("sum ^= {value};"));
            }
        }
    }

    fn braces(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        for _ in 0..=self.random.below(3) {
            self.statement();
        }
        self.depth -= 1;
        self.line("}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_compiles_and_runs() {
        (0..300).map(section).for_each(|text| crate::run::check_generated("hostile.hlsl", &text));
    }

    /// Each form of an access is in some program, so that the generator cannot silently omit one.
    #[test]
    fn every_form_is_used() {
        let all: String = (0..300).map(section).collect();
        for form in LOADS.iter().chain(&STORES).chain(&ATOMICS) {
            let start = form.split(['@', '#']).next().unwrap_or_default();
            assert!(all.contains(start), "{form}");
        }
    }
}
