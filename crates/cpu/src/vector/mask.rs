//! Masks: comparisons, which make them, operations on them, and blends, which use them.
//!
//! A mask is a k register (AVX-512) or a vector of words that are all ones or zero (AVX2). Constant masks are known,
//! and comparisons are recomputed under the mask that they are intersected with.

use iced_x86::Code::{self, *};

use super::*;

/// The bit of a predicate that negates it, for both integers and floats.
const OPPOSITE: u8 = 4;

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

impl Assembler {
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
        if let Some((code, sources)) = self.single(b) {
            let options = Options { mask: Some(mask), tied: Some(a), ..Options::default() };
            return self.b.define_with(code, View::Zmm, &sources, options);
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

    /// How many lanes a mask has, if it is known to consist of the first ones.
    pub(crate) fn first_lanes_of(&self, mask: VReg) -> Option<u32> {
        let lanes = self.known(mask)?;
        (lanes & lanes.wrapping_add(1) == 0).then(|| lanes.count_ones())
    }
}
