//! Vectors and masks, independent of the instruction set.
//!
//! A vector holds one chunk of words, or half a chunk of longs. A mask is a k register (AVX-512) or a vector of words
//! that are all ones or zero (AVX2); only this file distinguishes them.

use iced_x86::Code::{self, *};
use rustc_hash::FxHashMap as HashMap;

use crate::isa::Isa;
use crate::machine::*;

/// Appends vector instructions.
pub(crate) struct Assembler {
    pub(crate) b: Builder,
    pub(crate) isa: Isa,
    /// The definitions of words that a single instruction computes.
    made: HashMap<VReg, (Code, Made)>,
    /// The definitions of masks that result from comparisons, and their lanes, if not all.
    tested: HashMap<VReg, (Code, [Source; 3], Option<VReg>)>,
    /// The constant masks.
    known: HashMap<VReg, u32>,
    /// The scalar in the lowest lane of a vector.
    lowest: HashMap<VReg, VReg>,
    /// For broadcast vectors, the vectors whose lowest lane they hold.
    spread: HashMap<VReg, VReg>,
}

/// The definition of a vector by one instruction.
#[derive(Clone, Copy)]
enum Made {
    Of1([Source; 1]),
    Of2([Source; 2]),
}

impl Made {
    fn sources(&self) -> &[Source] {
        match self {
            Made::Of1(source) => source,
            Made::Of2(sources) => sources,
        }
    }
}

/// The bit of a predicate that negates it, for both integers and floats.
const OPPOSITE: u8 = 4;

/// An operand: a register, or a constant in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    Register(VReg),
    Memory(Address),
}

/// Operations on vectors of words (D), longs (Q), floats (S) and doubles (F).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanewise {
    AddD,
    SubD,
    MulD,
    MinSd,
    MinUd,
    MaxSd,
    MaxUd,
    ShlD,
    ShrD,
    SarD,
    AddQ,
    SubQ,
    MulQ,
    MinSq,
    MinUq,
    MaxSq,
    MaxUq,
    ShlQ,
    ShrQ,
    SarQ,
    And,
    Or,
    Xor,
    AddS,
    SubS,
    MulS,
    DivS,
    MinS,
    MaxS,
    AddF,
    SubF,
    MulF,
    DivF,
    MinF,
    MaxF,
}

/// A comparison of two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Whether either is NaN.
    Unordered,
}

/// The element type of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    SignedWord,
    UnsignedWord,
    SignedLong,
    UnsignedLong,
    Float,
    Double,
}

impl Lanewise {
    /// The instruction of each instruction set, if there is one.
    fn code(self, isa: Isa) -> Option<Code> {
        use Lanewise::*;
        let (wide, narrow) = match self {
            AddD => (EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpaddd_ymm_ymm_ymmm256)),
            SubD => (EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpsubd_ymm_ymm_ymmm256)),
            MulD => (EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpmulld_ymm_ymm_ymmm256)),
            MinSd => (EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpminsd_ymm_ymm_ymmm256)),
            MinUd => (EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpminud_ymm_ymm_ymmm256)),
            MaxSd => (EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpmaxsd_ymm_ymm_ymmm256)),
            MaxUd => (EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpmaxud_ymm_ymm_ymmm256)),
            ShlD => (EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpsllvd_ymm_ymm_ymmm256)),
            ShrD => (EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpsrlvd_ymm_ymm_ymmm256)),
            SarD => (EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpsravd_ymm_ymm_ymmm256)),
            AddQ => (EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, Some(VEX_Vpaddq_ymm_ymm_ymmm256)),
            SubQ => (EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64, Some(VEX_Vpsubq_ymm_ymm_ymmm256)),
            MulQ => (EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64, None),
            MinSq => (EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64, None),
            MinUq => (EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64, None),
            MaxSq => (EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64, None),
            MaxUq => (EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64, None),
            ShlQ => (EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64, Some(VEX_Vpsllvq_ymm_ymm_ymmm256)),
            ShrQ => (EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64, Some(VEX_Vpsrlvq_ymm_ymm_ymmm256)),
            SarQ => (EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64, None),
            And => (EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpand_ymm_ymm_ymmm256)),
            Or => (EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpor_ymm_ymm_ymmm256)),
            Xor => (EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, Some(VEX_Vpxor_ymm_ymm_ymmm256)),
            AddS => (EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, Some(VEX_Vaddps_ymm_ymm_ymmm256)),
            SubS => (EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, Some(VEX_Vsubps_ymm_ymm_ymmm256)),
            MulS => (EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, Some(VEX_Vmulps_ymm_ymm_ymmm256)),
            DivS => (EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, Some(VEX_Vdivps_ymm_ymm_ymmm256)),
            MinS => (EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, Some(VEX_Vminps_ymm_ymm_ymmm256)),
            MaxS => (EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, Some(VEX_Vmaxps_ymm_ymm_ymmm256)),
            AddF => (EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er, Some(VEX_Vaddpd_ymm_ymm_ymmm256)),
            SubF => (EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er, Some(VEX_Vsubpd_ymm_ymm_ymmm256)),
            MulF => (EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, Some(VEX_Vmulpd_ymm_ymm_ymmm256)),
            DivF => (EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, Some(VEX_Vdivpd_ymm_ymm_ymmm256)),
            MinF => (EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae, Some(VEX_Vminpd_ymm_ymm_ymmm256)),
            MaxF => (EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae, Some(VEX_Vmaxpd_ymm_ymm_ymmm256)),
        };
        match isa {
            Isa::Avx512 => Some(wide),
            Isa::Avx2 => narrow,
        }
    }

    /// Whether it is for longs or doubles, which determines how a constant is broadcast.
    fn is_long(self) -> bool {
        use Lanewise::*;
        matches!(
            self,
            AddQ | SubQ
                | MulQ
                | MinSq
                | MinUq
                | MaxSq
                | MaxUq
                | ShlQ
                | ShrQ
                | SarQ
                | AddF
                | SubF
                | MulF
                | DivF
                | MinF
                | MaxF
        )
    }

    /// Whether the operation is commutative, except for the bits of a NaN.
    pub(crate) fn commutes(self) -> bool {
        use Lanewise::*;
        matches!(
            self,
            AddD | MulD
                | AddQ
                | MulQ
                | And
                | Or
                | Xor
                | AddS
                | MulS
                | AddF
                | MulF
                | MinSd
                | MinUd
                | MaxSd
                | MaxUd
                | MinSq
                | MinUq
                | MaxSq
                | MaxUq
        )
    }

    pub(crate) fn exists(self, isa: Isa) -> bool {
        self.code(isa).is_some()
    }
}

pub(crate) fn byte(it: u8) -> Source {
    Source::Immediate(Immediate::Byte(it))
}

impl Assembler {
    pub(crate) fn new(isa: Isa) -> Assembler {
        Assembler {
            b: Builder::new(isa.vector_bytes()),
            isa,
            made: HashMap::default(),
            tested: HashMap::default(),
            known: HashMap::default(),
            lowest: HashMap::default(),
            spread: HashMap::default(),
        }
    }

    pub(crate) fn view(&self) -> View {
        match self.isa {
            Isa::Avx512 => View::Zmm,
            Isa::Avx2 => View::Ymm,
        }
    }

    fn wide(&self) -> bool {
        self.isa == Isa::Avx512
    }

    pub(crate) fn pick(&self, wide: Code, narrow: Code) -> Code {
        if self.wide() { wide } else { narrow }
    }

    pub(crate) fn mask_class(&self) -> RegClass {
        if self.wide() { MASK } else { VECTOR }
    }

    fn mask_view(&self) -> View {
        if self.wide() { View::K } else { View::Ymm }
    }

    pub(crate) fn vector(&self, register: VReg) -> Source {
        Source::Register(self.view(), register)
    }

    fn mask(&self, register: VReg) -> Source {
        Source::Register(self.mask_view(), register)
    }

    // Constants.

    /// A word in every lane; AVX-512 broadcasts it from memory.
    pub(crate) fn constant_word(&mut self, bits: u32) -> Arg {
        let word = bits.to_le_bytes();
        Arg::Memory(match self.isa {
            Isa::Avx512 => self.b.pooled(&word).broadcast(),
            Isa::Avx2 => self.b.pooled(&word.repeat(8)),
        })
    }

    pub(crate) fn constant_long(&mut self, bits: u64) -> Arg {
        let long = bits.to_le_bytes();
        Arg::Memory(match self.isa {
            Isa::Avx512 => self.b.pooled(&long).broadcast(),
            Isa::Avx2 => self.b.pooled(&long.repeat(4)),
        })
    }

    /// One word for each lane of a chunk.
    pub(crate) fn constant_words(&mut self, words: &[u32]) -> Arg {
        let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
        Arg::Memory(self.b.pooled(&bytes))
    }

    /// Puts an operand into a register.
    pub(crate) fn load(&mut self, arg: Arg, long: bool) -> VReg {
        let address = match arg {
            Arg::Register(register) => return register,
            Arg::Memory(address) => address,
        };
        let code = match (self.isa, address.broadcast, long) {
            (Isa::Avx512, true, false) => EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
            (Isa::Avx512, true, true) => EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
            (Isa::Avx512, false, _) => EVEX_Vmovdqu32_zmm_k1z_zmmm512,
            (Isa::Avx2, ..) => VEX_Vmovdqu_ymm_ymmm256,
        };
        let address = Address { broadcast: false, ..address };
        self.b.define(code, self.view(), &[Source::Memory(address)])
    }

    fn source(&self, arg: Arg) -> Source {
        match arg {
            Arg::Register(register) => self.vector(register),
            Arg::Memory(address) => Source::Memory(address),
        }
    }

    // Vectors.

    pub(crate) fn op(&mut self, op: Lanewise, a: Arg, b: Arg) -> VReg {
        let Some(code) = op.code(self.isa) else {
            unreachable!("the selection of {op:?} has checked that it exists")
        };
        // The result for two NaN depends on their order, but its bits are not observed.
        let (a, b) = match (a, b) {
            (Arg::Memory(_), Arg::Register(_)) if op.commutes() => (b, a),
            _ => (a, b),
        };
        let a = self.load(a, op.is_long());
        let sources = [self.vector(a), self.source(b)];
        let options = Options { folds: !self.wide(), ..Options::default() };
        let result = self.b.define_with(code, self.view(), &sources, options);
        if self.wide() && !op.is_long() && sources.iter().all(|it| it.is_constant()) {
            self.made.insert(result, (code, Made::Of2(sources)));
        }
        result
    }

    /// Shifts every word or long by a constant.
    pub(crate) fn shift(&mut self, op: Lanewise, a: VReg, count: u8) -> VReg {
        use Lanewise::*;
        let (wide, narrow) = match op {
            ShlD => (EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, VEX_Vpslld_ymm_ymm_imm8),
            ShrD => (EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, VEX_Vpsrld_ymm_ymm_imm8),
            SarD => (EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, VEX_Vpsrad_ymm_ymm_imm8),
            ShlQ => (EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, VEX_Vpsllq_ymm_ymm_imm8),
            ShrQ => (EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, VEX_Vpsrlq_ymm_ymm_imm8),
            SarQ if self.wide() => (EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8, VEX_Vpsrlq_ymm_ymm_imm8),
            _ => unreachable!("{op:?} is not a shift by a constant"),
        };
        let code = self.pick(wide, narrow);
        let a = self.vector(a);
        self.b.define(code, self.view(), &[a, byte(count)])
    }

    /// An instruction with one vector operand.
    pub(crate) fn unary(&mut self, wide: Code, narrow: Code, a: VReg) -> VReg {
        let (code, a) = (self.pick(wide, narrow), self.vector(a));
        self.b.define(code, self.view(), &[a])
    }

    /// An instruction on bytes or halves of words.
    pub(crate) fn bytes(&mut self, wide: Code, narrow: Code, a: VReg, b: VReg) -> VReg {
        let sources = [self.vector(a), self.vector(b)];
        let code = self.pick(wide, narrow);
        self.b.define(code, self.view(), &sources)
    }

    pub(crate) fn zero(&mut self) -> VReg {
        let arg = self.constant_word(0);
        self.load(arg, false)
    }

    /// Broadcasts a general register.
    pub(crate) fn splat(&mut self, register: VReg, long: bool) -> VReg {
        let vector = self.splatted(register, long);
        if !long {
            self.lowest.insert(vector, register);
            if self.wide() {
                let source = Source::Register(View::R32, register);
                self.made.insert(vector, (EVEX_Vpbroadcastd_zmm_k1z_r32, Made::Of1([source])));
            }
        }
        vector
    }

    fn splatted(&mut self, register: VReg, long: bool) -> VReg {
        if self.wide() {
            let (code, view) = if long {
                (EVEX_Vpbroadcastq_zmm_k1z_r64, View::R64)
            } else {
                (EVEX_Vpbroadcastd_zmm_k1z_r32, View::R32)
            };
            return self.b.define(code, View::Zmm, &[Source::Register(view, register)]);
        }
        let (to, spread, view) = if long {
            (VEX_Vmovq_xmm_rm64, VEX_Vpbroadcastq_ymm_xmmm64, View::R64)
        } else {
            (VEX_Vmovd_xmm_rm32, VEX_Vpbroadcastd_ymm_xmmm32, View::R32)
        };
        let low = self.b.define(to, View::Xmm, &[Source::Register(view, register)]);
        self.b.define(spread, View::Ymm, &[Source::Register(View::Xmm, low)])
    }

    /// The lowest lane, in a general register.
    pub(crate) fn lowest(&mut self, vector: VReg, long: bool) -> VReg {
        if let (Some(register), false) = (self.lowest.get(&vector), long) {
            return *register;
        }
        // A broadcast is not needed for the lowest lane.
        let vector = self.spread.get(&vector).copied().unwrap_or(vector);
        let source = Source::Register(View::Xmm, vector);
        // Only the EVEX encoding can address all registers.
        if long {
            let code = self.pick(EVEX_Vmovq_rm64_xmm, VEX_Vmovq_rm64_xmm);
            self.b.define(code, View::R64, &[source])
        } else {
            let code = self.pick(EVEX_Vmovd_rm32_xmm, VEX_Vmovd_rm32_xmm);
            self.b.define(code, View::R32, &[source])
        }
    }

    /// Two neighbouring words of a vector in a general register.
    pub(crate) fn two_words(&mut self, vector: VReg, pair: usize) -> VReg {
        let quarter = match (pair / 2, self.isa) {
            (0, _) => vector,
            (part, Isa::Avx512) => {
                let code = EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8;
                let sources = [Source::Register(View::Zmm, vector), byte(part as u8)];
                self.b.define(code, View::Xmm, &sources)
            }
            (part, Isa::Avx2) => {
                let sources = [Source::Register(View::Ymm, vector), byte(part as u8)];
                self.b.define(VEX_Vextracti128_xmmm128_ymm_imm8, View::Xmm, &sources)
            }
        };
        let quarter = Source::Register(View::Xmm, quarter);
        if pair.is_multiple_of(2) {
            let code = self.pick(EVEX_Vmovq_rm64_xmm, VEX_Vmovq_rm64_xmm);
            return self.b.define(code, View::R64, &[quarter]);
        }
        let code = self.pick(EVEX_Vpextrq_rm64_xmm_imm8, VEX_Vpextrq_rm64_xmm_imm8);
        self.b.define(code, View::R64, &[quarter, byte(1)])
    }

    /// Broadcasts the lowest lane.
    pub(crate) fn spread_lowest(&mut self, vector: VReg, long: bool) -> VReg {
        let code = match (self.isa, long) {
            (Isa::Avx512, false) => EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
            (Isa::Avx512, true) => EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
            (Isa::Avx2, false) => VEX_Vpbroadcastd_ymm_xmmm32,
            (Isa::Avx2, true) => VEX_Vpbroadcastq_ymm_xmmm64,
        };
        let all = self.b.define(code, self.view(), &[Source::Register(View::Xmm, vector)]);
        self.spread.insert(all, vector);
        all
    }

    /// Records how to compute the scalar in the lowest lane of a vector of words, lazily.
    pub(crate) fn note_lowest(&mut self, vector: VReg, register: VReg) {
        self.lowest.insert(vector, register);
    }

    /// `b` where the mask is set, `a` elsewhere.
    ///
    /// A vector from a single instruction is recomputed with a mask; dead code elimination then removes the original.
    pub(crate) fn blend(&mut self, mask: VReg, b: VReg, a: VReg) -> VReg {
        match self.known.get(&mask) {
            Some(0) => return a,
            Some(bits) if *bits == self.all() => return b,
            _ => {}
        }
        let result = self.blend_some(mask, b, a);
        if let Some(bits) = self.known.get(&mask) {
            let from = if bits & 1 == 1 { b } else { a };
            if let Some(lowest) = self.lowest.get(&from) {
                self.lowest.insert(result, *lowest);
            }
        }
        result
    }

    fn blend_some(&mut self, mask: VReg, b: VReg, a: VReg) -> VReg {
        if let Some((code, made)) = self.made.get(&b).copied() {
            let options = Options { mask: Some(mask), tied: Some(a), ..Options::default() };
            return self.b.define_with(code, View::Zmm, made.sources(), options);
        }
        let [first, second] = [a, b].map(|it| self.vector(it));
        if self.wide() {
            let code = EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32;
            let options = Options { mask: Some(mask), ..Options::default() };
            return self.b.define_with(code, View::Zmm, &[first, second], options);
        }
        let sources = [first, second, self.vector(mask)];
        let options = Options { folds: true, ..Options::default() };
        self.b.define_with(VEX_Vpblendvb_ymm_ymm_ymmm256_ymm, View::Ymm, &sources, options)
    }

    /// The same for both halves of a chunk of longs.
    pub(crate) fn blend_long(&mut self, mask: VReg, half: usize, b: VReg, a: VReg) -> VReg {
        let mask = self.half_mask(mask, half);
        if self.wide() {
            let [first, second] = [a, b].map(|it| self.vector(it));
            let code = EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64;
            let options = Options { mask: Some(mask), ..Options::default() };
            return self.b.define_with(code, View::Zmm, &[first, second], options);
        }
        self.blend(mask, b, a)
    }

    /// A select by a mask of longs.
    pub(crate) fn pick_long(&mut self, mask: VReg, yes: VReg, no: VReg) -> VReg {
        if !self.wide() {
            return self.blend(mask, yes, no);
        }
        let sources = [no, yes].map(|it| self.vector(it));
        let options = Options { mask: Some(mask), ..Options::default() };
        self.b.define_with(EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64, View::Zmm, &sources, options)
    }

    /// A mask over the longs of one half of a chunk.
    pub(crate) fn half_mask(&mut self, mask: VReg, half: usize) -> VReg {
        match (self.isa, half) {
            (Isa::Avx512, 0) => mask,
            (Isa::Avx512, _) => self.b.define(
                VEX_Kshiftrw_kr_kr_imm8,
                View::K,
                &[Source::Register(View::K, mask), byte(8)],
            ),
            (Isa::Avx2, 0) => {
                let source = Source::Register(View::Xmm, mask);
                self.b.define(VEX_Vpmovsxdq_ymm_xmmm128, View::Ymm, &[source])
            }
            (Isa::Avx2, _) => {
                let source = Source::Register(View::Ymm, mask);
                let high =
                    self.b.define(VEX_Vextracti128_xmmm128_ymm_imm8, View::Xmm, &[source, byte(1)]);
                let source = Source::Register(View::Xmm, high);
                self.b.define(VEX_Vpmovsxdq_ymm_xmmm128, View::Ymm, &[source])
            }
        }
    }

    /// One mask from those over the longs of both halves.
    fn join_halves(&mut self, low: VReg, high: VReg) -> VReg {
        if self.wide() {
            let sources = [high, low].map(|it| Source::Register(View::K, it));
            return self.b.define(VEX_Kunpckbw_kr_kr_kr, View::K, &sources);
        }
        let sources = [self.vector(low), self.vector(high), byte(0x88)];
        let mixed = self.b.define(VEX_Vshufps_ymm_ymm_ymmm256_imm8, View::Ymm, &sources);
        let mixed = self.vector(mixed);
        self.b.define(VEX_Vpermq_ymm_ymmm256_imm8, View::Ymm, &[mixed, byte(0xd8)])
    }

    // Masks.

    /// Compares words or floats; with `on`, only in these lanes.
    pub(crate) fn test(
        &mut self,
        test: Test,
        kind: Kind,
        a: VReg,
        b: Arg,
        on: Option<VReg>,
    ) -> VReg {
        if self.wide() {
            let code = match kind {
                Kind::SignedWord => EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
                Kind::UnsignedWord => EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
                Kind::SignedLong => EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8,
                Kind::UnsignedLong => EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
                Kind::Float => EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
                Kind::Double => EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
            };
            let predicate = match kind {
                Kind::Float | Kind::Double => float_predicate(test),
                _ => match test {
                    Test::Eq => 0,
                    Test::Lt => 1,
                    Test::Le => 2,
                    Test::Ne => 4,
                    Test::Ge => 5,
                    Test::Gt => 6,
                    Test::Unordered => unreachable!("integers have an order"),
                },
            };
            let sources = [self.vector(a), self.source(b), byte(predicate)];
            let options = Options { mask: on, ..Options::default() };
            let result = self.b.define_with(code, View::K, &sources, options);
            if on.is_none() && sources.iter().all(|it| it.is_constant()) {
                self.tested.insert(result, (code, sources, None));
            }
            return result;
        }
        let result = self.test_narrow(test, kind, a, b);
        match on {
            Some(on) => self.mask_and(result, on),
            None => result,
        }
    }

    fn test_narrow(&mut self, test: Test, kind: Kind, a: VReg, b: Arg) -> VReg {
        let long = matches!(kind, Kind::SignedLong | Kind::UnsignedLong);
        let float = match kind {
            Kind::Float => Some(VEX_Vcmpps_ymm_ymm_ymmm256_imm8),
            Kind::Double => Some(VEX_Vcmppd_ymm_ymm_ymmm256_imm8),
            _ => None,
        };
        if let Some(code) = float {
            let sources = [self.vector(a), self.source(b), byte(float_predicate(test))];
            let options = Options { folds: true, ..Options::default() };
            return self.b.define_with(code, View::Ymm, &sources, options);
        }
        let equal = if long { VEX_Vpcmpeqq_ymm_ymm_ymmm256 } else { VEX_Vpcmpeqd_ymm_ymm_ymmm256 };
        let greater =
            if long { VEX_Vpcmpgtq_ymm_ymm_ymmm256 } else { VEX_Vpcmpgtd_ymm_ymm_ymmm256 };
        let mut a = a;
        let mut b = self.load(b, long);
        if matches!(kind, Kind::UnsignedWord | Kind::UnsignedLong)
            && !matches!(test, Test::Eq | Test::Ne)
        {
            // Signed and unsigned order differ by the highest bit.
            let flip = if long { self.constant_long(1 << 63) } else { self.constant_word(1 << 31) };
            a = self.op(Lanewise::Xor, Arg::Register(a), flip);
            b = self.op(Lanewise::Xor, Arg::Register(b), flip);
        }
        let (code, first, second, negated) = match test {
            Test::Eq => (equal, a, b, false),
            Test::Ne => (equal, a, b, true),
            Test::Gt => (greater, a, b, false),
            Test::Lt => (greater, b, a, false),
            Test::Le => (greater, a, b, true),
            Test::Ge => (greater, b, a, true),
            Test::Unordered => unreachable!("integers have an order"),
        };
        let sources = [self.vector(first), self.vector(second)];
        let options = Options { folds: true, ..Options::default() };
        let result = self.b.define_with(code, View::Ymm, &sources, options);
        if negated { self.mask_not(result) } else { result }
    }

    /// Compares both halves of a chunk of longs or doubles.
    pub(crate) fn test_long(&mut self, test: Test, kind: Kind, a: [VReg; 2], b: [Arg; 2]) -> VReg {
        let [low, high] = [0, 1].map(|half| self.test(test, kind, a[half], b[half], None));
        self.join_halves(low, high)
    }

    /// All lanes of a chunk.
    fn all(&self) -> u32 {
        (1 << self.isa.lanes()) - 1
    }

    /// The lanes of a mask, if it is constant.
    pub(crate) fn known(&self, mask: VReg) -> Option<u32> {
        self.known.get(&mask).copied()
    }

    /// The intersection of two masks; a comparison is recomputed with a mask.
    pub(crate) fn mask_and(&mut self, a: VReg, b: VReg) -> VReg {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => return self.mask_constant(a & b),
            (Some(0), _) => return a,
            (_, Some(0)) => return b,
            (Some(bits), _) if bits == self.all() => return b,
            (_, Some(bits)) if bits == self.all() => return a,
            _ if a == b => return a,
            _ => {}
        }
        for (test, on) in [(b, a), (a, b)] {
            if let Some((code, sources, None)) = self.tested.get(&test).copied() {
                let options = Options { mask: Some(on), ..Options::default() };
                let both = self.b.define_with(code, View::K, &sources, options);
                self.tested.insert(both, (code, sources, Some(on)));
                return both;
            }
        }
        self.mask_op(VEX_Kandw_kr_kr_kr, VEX_Vpand_ymm_ymm_ymmm256, a, b)
    }

    pub(crate) fn mask_or(&mut self, a: VReg, b: VReg) -> VReg {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => return self.mask_constant(a | b),
            (Some(0), _) => return b,
            (_, Some(0)) => return a,
            (Some(bits), _) if bits == self.all() => return a,
            (_, Some(bits)) if bits == self.all() => return b,
            _ if a == b => return a,
            _ => {}
        }
        self.mask_op(VEX_Korw_kr_kr_kr, VEX_Vpor_ymm_ymm_ymmm256, a, b)
    }

    pub(crate) fn mask_xor(&mut self, a: VReg, b: VReg) -> VReg {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => return self.mask_constant(a ^ b),
            (Some(0), _) => return b,
            (_, Some(0)) => return a,
            _ => {}
        }
        self.mask_op(VEX_Kxorw_kr_kr_kr, VEX_Vpxor_ymm_ymm_ymmm256, a, b)
    }

    /// `a` without `b`; if `b` is a comparison in the lanes of `a`, this is the negated comparison.
    pub(crate) fn mask_without(&mut self, a: VReg, b: VReg) -> VReg {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => return self.mask_constant(a & !b),
            (Some(0), _) | (_, Some(0)) => return a,
            (_, Some(bits)) if bits == self.all() => return self.mask_constant(0),
            _ if a == b => return self.mask_constant(0),
            _ => {}
        }
        if let Some((code, [x, y, Source::Immediate(Immediate::Byte(predicate))], on)) =
            self.tested.get(&b).copied()
            && on == Some(a).filter(|_| self.known(a) != Some(self.all()))
        {
            let options = Options { mask: on, ..Options::default() };
            let sources = [x, y, byte(predicate ^ OPPOSITE)];
            return self.b.define_with(code, View::K, &sources, options);
        }
        self.mask_op(VEX_Kandnw_kr_kr_kr, VEX_Vpandn_ymm_ymm_ymmm256, b, a)
    }

    fn mask_op(&mut self, wide: Code, narrow: Code, a: VReg, b: VReg) -> VReg {
        let sources = [self.mask(a), self.mask(b)];
        let code = self.pick(wide, narrow);
        let options = Options { folds: !self.wide(), ..Options::default() };
        self.b.define_with(code, self.mask_view(), &sources, options)
    }

    pub(crate) fn mask_not(&mut self, a: VReg) -> VReg {
        if let Some(bits) = self.known(a) {
            return self.mask_constant(!bits);
        }
        if self.wide() {
            let a = self.mask(a);
            return self.b.define(VEX_Knotw_kr_kr, View::K, &[a]);
        }
        let ones = self.constant_word(u32::MAX);
        self.op(Lanewise::Xor, Arg::Register(a), ones)
    }

    /// A constant mask: bit L is lane L of the chunk.
    pub(crate) fn mask_constant(&mut self, bits: u32) -> VReg {
        let bits = bits & self.all();
        let mask = self.constant_mask(bits);
        self.known.insert(mask, bits);
        mask
    }

    fn constant_mask(&mut self, bits: u32) -> VReg {
        if self.wide() {
            let general = self.word(bits);
            return self.b.define(
                VEX_Kmovw_kr_r32,
                View::K,
                &[Source::Register(View::R32, general)],
            );
        }
        let words: Vec<u32> =
            (0..8).map(|lane| if bits >> lane & 1 == 1 { !0 } else { 0 }).collect();
        let arg = self.constant_words(&words);
        self.load(arg, false)
    }

    /// The mask as bits of a general register.
    pub(crate) fn mask_bits(&mut self, mask: VReg) -> VReg {
        if let Some(bits) = self.known(mask) {
            return self.word(bits);
        }
        let code = self.pick(VEX_Kmovw_r32_kr, VEX_Vmovmskps_r32_ymm);
        let mask = self.mask(mask);
        self.b.define(code, View::R32, &[mask])
    }

    /// The lowest bits of a general register as a mask.
    pub(crate) fn mask_of_bits(&mut self, bits: VReg) -> VReg {
        if self.wide() {
            return self.b.define(VEX_Kmovw_kr_r32, View::K, &[Source::Register(View::R32, bits)]);
        }
        let spread = self.splat(bits, false);
        let table: Vec<u32> = (0..8).map(|lane| 1 << lane).collect();
        let table = self.constant_words(&table);
        let own = self.op(Lanewise::And, Arg::Register(spread), table);
        self.test(Test::Eq, Kind::SignedWord, own, table, None)
    }

    /// The lanes whose words have that bit; every lane of `bit` holds the same single one.
    pub(crate) fn test_bit(&mut self, words: VReg, bit: VReg) -> VReg {
        if self.wide() {
            let sources = [words, bit].map(|it| self.vector(it));
            return self.b.define(EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, View::K, &sources);
        }
        let own = self.op(Lanewise::And, Arg::Register(words), Arg::Register(bit));
        self.test(Test::Eq, Kind::SignedWord, own, Arg::Register(bit), None)
    }

    /// Words that are all ones in the lanes of the mask, and zero elsewhere.
    pub(crate) fn ones(&mut self, mask: VReg) -> VReg {
        if self.wide() {
            let source = [self.mask(mask)];
            return self.b.define(EVEX_Vpmovm2d_zmm_kr, View::Zmm, &source);
        }
        mask
    }

    /// The mask of words that are all ones or zero.
    pub(crate) fn mask_of_ones(&mut self, words: VReg) -> VReg {
        if self.wide() {
            let source = [self.vector(words)];
            return self.b.define(EVEX_Vpmovd2m_kr_zmm, View::K, &source);
        }
        words
    }

    /// The bits of `kept` in which `a` and `b` are equal.
    pub(crate) fn keep_where_equal(&mut self, kept: VReg, a: VReg, b: VReg) -> VReg {
        if self.wide() {
            // A truth table: bit 4 * kept + 2 * a + b of the number is the result for these three.
            let sources = [self.vector(a), self.vector(b), byte(0b1001_0000)];
            let options = Options { tied: Some(kept), ..Options::default() };
            let code = EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
            return self.b.define_with(code, View::Zmm, &sources, options);
        }
        let different = self.op(Lanewise::Xor, Arg::Register(a), Arg::Register(b));
        let sources = [self.vector(different), self.vector(kept)];
        let options = Options { folds: true, ..Options::default() };
        self.b.define_with(VEX_Vpandn_ymm_ymm_ymmm256, View::Ymm, &sources, options)
    }

    /// Sets the flags: zero if no lane is in any of the masks.
    pub(crate) fn test_any(&mut self, masks: &[VReg]) {
        let mut masks = masks.to_vec();
        while masks.len() > if self.wide() { 2 } else { 1 } {
            let (a, b) = (masks[0], masks[1]);
            masks.drain(..2);
            let both = self.mask_or(a, b);
            masks.push(both);
        }
        if !self.wide() {
            // A vector test takes two instructions, the extraction of sign bits one.
            let bits = self.mask_bits(masks[0]);
            let bits = Source::Register(View::R32, bits);
            return self.b.effect(Test_rm32_r32, &[bits, bits]);
        }
        let (first, last) = (masks[0], masks[masks.len() - 1]);
        self.b.effect(VEX_Kortestw_kr_kr, &[self.mask(first), self.mask(last)]);
    }

    // General registers.

    pub(crate) fn word(&mut self, bits: u32) -> VReg {
        self.b.define(Mov_r32_imm32, View::R32, &[Source::Immediate(Immediate::Word(bits))])
    }

    pub(crate) fn long(&mut self, bits: u64) -> VReg {
        if let Ok(word) = u32::try_from(bits) {
            return self.word(word);
        }
        self.b.define(Mov_r64_imm64, View::R64, &[Source::Immediate(Immediate::Long(bits))])
    }

    /// `a op b` for an instruction that overwrites its first operand.
    pub(crate) fn general(&mut self, code: Code, view: View, a: VReg, b: Source) -> VReg {
        let options = Options { tied: Some(a), ..Options::default() };
        self.b.define_with(code, view, &[b], options)
    }

    pub(crate) fn load_general(&mut self, view: View, address: Address) -> VReg {
        let code = if view == View::R64 { Mov_r64_rm64 } else { Mov_r32_rm32 };
        self.b.define(code, view, &[Source::Memory(address)])
    }

    pub(crate) fn store_general(&mut self, view: View, address: Address, value: VReg) {
        let code = if view == View::R64 { Mov_rm64_r64 } else { Mov_rm32_r32 };
        self.b.store(code, address, Source::Register(view, value), None);
    }

    pub(crate) fn load_vector(&mut self, address: Address) -> VReg {
        let code = self.pick(EVEX_Vmovdqu32_zmm_k1z_zmmm512, VEX_Vmovdqu_ymm_ymmm256);
        self.b.define(code, self.view(), &[Source::Memory(address)])
    }

    pub(crate) fn store_vector(&mut self, address: Address, value: VReg) {
        let code = self.pick(EVEX_Vmovdqu32_zmmm512_k1z_zmm, VEX_Vmovdqu_ymmm256_ymm);
        let value = self.vector(value);
        self.b.store(code, address, value, None);
    }

    /// The words of a chunk, or as many as a narrower wave has: a wider access would depend on the stores of the next
    /// wave.
    pub(crate) fn load_words(&mut self, address: Address, width: u32) -> VReg {
        let (code, view) = match (self.isa, width) {
            (Isa::Avx512, 4) => (EVEX_Vmovdqu32_xmm_k1z_xmmm128, View::Xmm),
            (Isa::Avx512, 8) => (EVEX_Vmovdqu32_ymm_k1z_ymmm256, View::Ymm),
            (Isa::Avx2, 4) => (VEX_Vmovdqu_xmm_xmmm128, View::Xmm),
            _ => return self.load_vector(address),
        };
        self.b.define(code, view, &[Source::Memory(address)])
    }

    pub(crate) fn store_words(&mut self, address: Address, value: VReg, width: u32) {
        let (code, view) = match (self.isa, width) {
            (Isa::Avx512, 4) => (EVEX_Vmovdqu32_xmmm128_k1z_xmm, View::Xmm),
            (Isa::Avx512, 8) => (EVEX_Vmovdqu32_ymmm256_k1z_ymm, View::Ymm),
            (Isa::Avx2, 4) => (VEX_Vmovdqu_xmmm128_xmm, View::Xmm),
            _ => return self.store_vector(address, value),
        };
        self.b.store(code, address, Source::Register(view, value), None);
    }

    /// Contiguous words of one chunk; lanes outside the mask are not accessed and become zero.
    pub(crate) fn load_masked(&mut self, address: Address, mask: Option<VReg>) -> VReg {
        let Some(mask) = mask else { return self.load_vector(address) };
        if self.wide() {
            let options = Options { mask: Some(mask), zeroing: true, ..Options::default() };
            let code = EVEX_Vmovdqu32_zmm_k1z_zmmm512;
            return self.b.define_with(code, View::Zmm, &[Source::Memory(address)], options);
        }
        let sources = [self.mask(mask), Source::Memory(address)];
        self.b.define(VEX_Vpmaskmovd_ymm_ymm_m256, View::Ymm, &sources)
    }

    pub(crate) fn store_masked(&mut self, address: Address, value: VReg, mask: Option<VReg>) {
        let Some(mask) = mask else { return self.store_vector(address, value) };
        let value = self.vector(value);
        if self.wide() {
            return self.b.store(EVEX_Vmovdqu32_zmmm512_k1z_zmm, address, value, Some(mask));
        }
        let sources = [Source::Memory(address), self.mask(mask), value];
        self.b.effect(VEX_Vpmaskmovd_m256_ymm_ymm, &sources);
    }

    /// Contiguous words of one chunk, as with a mask; where the mask is known to be the first lanes, a narrow access serves
    /// them, since processors do not forward masked stores to loads.
    pub(crate) fn load_lanes(&mut self, address: Address, mask: VReg) -> VReg {
        let source = [Source::Memory(address)];
        match self.first_lanes_of(mask) {
            Some(0) => self.zero(),
            Some(1) => {
                let code = self.pick(EVEX_Vmovd_xmm_rm32, VEX_Vmovd_xmm_rm32);
                self.b.define(code, View::Xmm, &source)
            }
            Some(2) => {
                let code = self.pick(EVEX_Vmovq_xmm_xmmm64, VEX_Vmovq_xmm_xmmm64);
                self.b.define(code, View::Xmm, &source)
            }
            Some(lanes @ (4 | 8 | 16)) => self.load_words(address, lanes),
            _ => self.load_masked(address, Some(mask)),
        }
    }

    /// Stores contiguous words of one chunk, as with a mask.
    pub(crate) fn store_lanes(&mut self, address: Address, value: VReg, mask: VReg) {
        let low = Source::Register(View::Xmm, value);
        match self.first_lanes_of(mask) {
            Some(0) => {}
            Some(1) => {
                let code = self.pick(EVEX_Vmovd_rm32_xmm, VEX_Vmovd_rm32_xmm);
                self.b.store(code, address, low, None);
            }
            Some(2) => {
                let code = self.pick(EVEX_Vmovq_xmmm64_xmm, VEX_Vmovq_xmmm64_xmm);
                self.b.store(code, address, low, None);
            }
            Some(lanes @ (4 | 8 | 16)) => self.store_words(address, value, lanes),
            _ => self.store_masked(address, value, Some(mask)),
        }
    }

    /// How many lanes a mask has, if it is known to consist of the first ones.
    pub(crate) fn first_lanes_of(&self, mask: VReg) -> Option<u32> {
        let lanes = self.known(mask)?;
        (lanes & lanes.wrapping_add(1) == 0).then(|| lanes.count_ones())
    }

    /// A scatter of the lanes of the mask, ascending; only for AVX-512.
    pub(crate) fn scatter(&mut self, address: Address, value: VReg, mask: VReg) {
        let options = Options { mask: Some(mask), gather: true, ..Options::default() };
        let sources = [Source::Memory(address), Source::Register(View::Zmm, value)];
        self.b.instruction(EVEX_Vpscatterdd_vm32z_k1_zmm, None, &sources, options);
    }

    /// A gather of words at `address + 4 * index` for the lanes of the mask; zero elsewhere.
    pub(crate) fn gather(&mut self, address: Address, index: VReg, scale: u8, mask: VReg) -> VReg {
        let zero = self.zero();
        let address = Address { index: Some((self.view(), index)), scale, ..address };
        let options =
            Options { mask: Some(mask), tied: Some(zero), gather: true, ..Options::default() };
        let code = self.pick(EVEX_Vpgatherdd_zmm_k1_vm32z, VEX_Vpgatherdd_ymm_vm32y_ymm);
        self.b.define_with(code, self.view(), &[Source::Memory(address)], options)
    }

    /// One half of the indices of a chunk, as gathers and scatters of longs take them.
    fn half_of_indices(&mut self, index: VReg, half: usize) -> (View, VReg) {
        let view = if self.wide() { View::Ymm } else { View::Xmm };
        if half == 0 {
            return (view, index);
        }
        let code =
            self.pick(EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, VEX_Vextracti128_xmmm128_ymm_imm8);
        let source = self.vector(index);
        (view, self.b.define(code, view, &[source, byte(1)]))
    }

    /// Longs at `address + 8 * index` for one half of the lanes of the mask; zero elsewhere.
    pub(crate) fn gather_long(
        &mut self,
        address: Address,
        index: VReg,
        half: usize,
        mask: VReg,
    ) -> VReg {
        let zero = self.zero();
        let index = self.half_of_indices(index, half);
        let mask = self.half_mask(mask, half);
        let address = Address { index: Some(index), scale: 8, ..address };
        let options =
            Options { mask: Some(mask), tied: Some(zero), gather: true, ..Options::default() };
        let code = self.pick(EVEX_Vpgatherdq_zmm_k1_vm32y, VEX_Vpgatherdq_ymm_vm32x_ymm);
        self.b.define_with(code, self.view(), &[Source::Memory(address)], options)
    }

    /// Stores the longs of one half of the lanes of the mask, ascending; only AVX-512 can.
    pub(crate) fn scatter_long(
        &mut self,
        address: Address,
        index: VReg,
        half: usize,
        value: VReg,
        mask: VReg,
    ) {
        let index = self.half_of_indices(index, half);
        let mask = self.half_mask(mask, half);
        let address = Address { index: Some(index), scale: 8, ..address };
        let options = Options { mask: Some(mask), gather: true, ..Options::default() };
        let sources = [Source::Memory(address), Source::Register(View::Zmm, value)];
        self.b.instruction(EVEX_Vpscatterdq_vm32y_k1_zmm, None, &sources, options);
    }
}

fn float_predicate(test: Test) -> u8 {
    // All of them are quiet (non-signalling).
    match test {
        Test::Eq => 0,
        Test::Unordered => 3,
        Test::Ne => 4,
        Test::Lt => 17,
        Test::Le => 18,
        Test::Ge => 29,
        Test::Gt => 30,
    }
}
