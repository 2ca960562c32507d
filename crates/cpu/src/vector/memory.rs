//! Loads and stores of vectors: whole, of the first lanes, under a mask, and by indices.

use iced_x86::Code::*;

use super::*;

impl Assembler {
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

    /// Contiguous words of one chunk, as with a mask; where the mask is known to be the first lanes, a narrow access
    /// serves them, since processors do not forward masked stores to loads.
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
