//! Vectors and masks, independent of the instruction set.
//!
//! A vector holds one chunk of words, or half a chunk of longs. `mask.rs` has masks, which only this file and its
//! folder tell apart by the instruction set, and `memory.rs` loads and stores.

mod mask;
mod memory;

use iced_x86::Code::{self, *};
use rustc_hash::FxHashMap as HashMap;
use smallvec::SmallVec;

use crate::isa::Isa;
use crate::machine::*;

/// Appends vector instructions.
pub(crate) struct Assembler {
    pub(crate) b: Builder,
    pub(crate) isa: Isa,
    /// The words that a single instruction computes from registers and constants, by the numbers of their registers.
    single: Vec<bool>,
    /// The definitions of masks that result from comparisons, and their lanes, if not all.
    tested: HashMap<VReg, (Code, [Source; 3], Option<VReg>)>,
    /// The constant masks.
    known: HashMap<VReg, u32>,
    /// The scalar in the lowest lane of a vector.
    lowest: HashMap<VReg, VReg>,
    /// For broadcast vectors, the vectors whose lowest lane they hold.
    spread: HashMap<VReg, VReg>,
}

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
            single: Vec::new(),
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

    fn note_single(&mut self, vector: VReg) {
        if self.single.len() <= vector.vreg() {
            self.single.resize(vector.vreg() + 1, false);
        }
        self.single[vector.vreg()] = true;
    }

    /// The instruction that computes words from registers and constants, and its sources.
    fn single(&self, vector: VReg) -> Option<(Code, SmallVec<[Source; 2]>)> {
        let is_single = self.single.get(vector.vreg()).is_some_and(|it| *it);
        let (code, sources) = self.b.definition(vector).filter(|_| is_single)?;
        Some((code, sources.collect()))
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
            self.note_single(result);
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

    /// The numbers of one vector, and those of another where the first has NaN, with AVX-512.
    pub(crate) fn unless_nan(&mut self, instead: VReg, vector: VReg, long: bool) -> VReg {
        // By the class of a number, what becomes of the lane, in four bits: it stays for both kinds of NaN, and takes
        // the number for the six other classes.
        const TABLE: u32 = 0x1111_1100;
        let (code, table) = match long {
            true => {
                (EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae, self.constant_long(TABLE.into()))
            }
            false => (EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae, self.constant_word(TABLE)),
        };
        let sources = [self.vector(vector), self.source(table), byte(0)];
        let options = Options { tied: Some(instead), ..Options::default() };
        self.b.define_with(code, View::Zmm, &sources, options)
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
                self.note_single(vector);
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

    // General registers.

    pub(crate) fn word(&mut self, bits: u32) -> VReg {
        self.b.define(Mov_r32_imm32, View::R32, &[Source::Immediate(Immediate::Word(bits))])
    }

    pub(crate) fn long(&mut self, bits: u64) -> VReg {
        if let Ok(word) = u32::try_from(bits) {
            return self.word(word);
        }
        self.b.define(Mov_r64_imm64, View::R64, &[Source::Immediate(Immediate::long(bits))])
    }

    /// `a op b` for an instruction that overwrites its first operand.
    pub(crate) fn general(&mut self, code: Code, view: View, a: VReg, b: Source) -> VReg {
        let options = Options { tied: Some(a), ..Options::default() };
        self.b.define_with(code, view, &[b], options)
    }
}
