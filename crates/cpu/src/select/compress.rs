//! Compressing stores: a store to `base + WavePrefixCountBits(p)` by the lanes with `p` writes neighbours.

use iced_x86::Code::*;
use ir::{Op, Value};
use ops::Binary;

use super::Selector;
use super::memory::Access;
use crate::isa::Isa;
use crate::machine::*;
use crate::vector::*;

impl Selector<'_> {
    /// `base`, if the index is `base` plus the number of active lanes below.
    pub(super) fn prefix_base(&self, index: Value) -> Option<Option<Value>> {
        let (wanted, before) = self.origins.last()?.condition.as_ref()?;
        let is_prefix = |value: Value| {
            self.prefixes
                .get(&value)
                .is_some_and(|(cond, active)| cond == wanted && active == before)
        };
        if is_prefix(index) {
            return Some(None);
        }
        let inst = self.module.made_by(index)?;
        let Op::Binary(Binary::Add, a, b) = self.module.inst(inst).op else { return None };
        if is_prefix(b) && self.uniformity.is_uniform(a) {
            return Some(Some(a));
        }
        (is_prefix(a) && self.uniformity.is_uniform(b)).then_some(Some(b))
    }

    /// A compressing store: writes the values of the active lanes contiguously. Usually there is room for a whole wave.
    pub(super) fn compress(&mut self, access: &Access, base: Option<Value>, value: Value) {
        let start = self.a.load_general(View::R64, Address::frame(access.slice));
        let position = match base {
            Some(base) => self.index(base),
            None => self.a.word(0),
        };
        let active = self.active();
        let values = self.words(value);
        let packed: Vec<(VReg, VReg, VReg)> = active
            .iter()
            .zip(&values)
            .map(|(on, values)| {
                let count = self.count_in_chunk(*on);
                let first = self.first_lanes(count);
                (self.packed(*values, *on), first, count)
            })
            .collect();
        let count = self.count(access, 0);
        let last = Address::at(Base::Register(position), self.layout.lanes as i32 - 1);
        let last = self.a.b.define(Lea_r64_m, View::R64, &[Source::Memory(last)]);
        let [inside, outside, joined] = [0; 3].map(|_| self.a.b.block());
        let sources = [Source::Register(View::R64, last), Source::Register(View::R64, count)];
        self.a.b.effect(Cmp_r64_rm64, &sources);
        self.a.b.branch(Condition::Below, inside, outside);
        let lanes: Vec<u32> = (0..self.lanes as u32).collect();
        for (block, is_inside) in [(inside, true), (outside, false)] {
            self.a.b.switch_to(block);
            if !is_inside {
                self.a.b.is_rare();
            }
            let mut position = position;
            for (packed, first, count) in &packed {
                // As many lanes as there are values, up to the end of the buffer.
                let mask = if is_inside {
                    *first
                } else {
                    let index = self.a.splat(position, false);
                    let table = self.a.constant_words(&lanes);
                    let index = self.a.op(Lanewise::AddD, Arg::Register(index), table);
                    let limit = self.count_arg(access, 0);
                    self.a.test(Test::Lt, Kind::UnsignedWord, index, limit, Some(*first))
                };
                let to = Address {
                    index: Some((View::R64, self.sign_extended(position))),
                    scale: 4,
                    ..Address::at(Base::Register(start), access.offset as i32)
                };
                self.a.store_masked(to, *packed, Some(mask));
                let count = Source::Register(View::R32, *count);
                position = self.a.general(Add_r32_rm32, View::R32, position, count);
            }
            self.a.b.jump(joined);
        }
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    /// Compresses the words of the lanes in the mask.
    fn packed(&mut self, words: VReg, mask: VReg) -> VReg {
        if self.a.isa == Isa::Avx512 {
            let options = Options { mask: Some(mask), zeroing: true, ..Options::default() };
            let code = EVEX_Vpcompressd_zmmm512_k1z_zmm;
            let words = Source::Register(View::Zmm, words);
            return self.a.b.define_with(code, View::Zmm, &[words], options);
        }
        // A permutation table: the indices of each set of lanes, a byte each.
        let orders: Vec<u8> = (0..256u32)
            .flat_map(|set| {
                let mut own: Vec<u8> = (0..8).filter(|lane| set >> lane & 1 == 1).collect();
                own.resize(8, 0);
                own
            })
            .collect();
        let bits = self.a.mask_bits(mask);
        let order = self.pooled_at(&orders, bits);
        let code = VEX_Vpmovzxbd_ymm_xmmm64;
        let order = self.a.b.define(code, View::Ymm, &[Source::Memory(order)]);
        let sources = [order, words].map(|it| Source::Register(View::Ymm, it));
        self.a.b.define(VEX_Vpermd_ymm_ymm_ymmm256, View::Ymm, &sources)
    }

    /// A mask of the first `count` lanes.
    fn first_lanes(&mut self, count: VReg) -> VReg {
        if self.a.isa == Isa::Avx512 {
            let ones = self.a.word(u32::MAX);
            let sources = [ones, count].map(|it| Source::Register(View::R32, it));
            let first = self.a.b.define(VEX_Bzhi_r32_rm32_r32, View::R32, &sources);
            return self.a.mask_of_bits(first);
        }
        let row = |count: usize| (0..8).map(move |lane| if lane < count { u32::MAX } else { 0 });
        let masks: Vec<u8> = (0..=8).flat_map(row).flat_map(u32::to_le_bytes).collect();
        let four = self.a.general(Shl_rm32_imm8, View::R32, count, byte(2));
        let mask = self.pooled_at(&masks, four);
        self.a.b.define(VEX_Vmovdqu_ymm_ymmm256, View::Ymm, &[Source::Memory(mask)])
    }

    /// Eight bytes of a table in the pool.
    fn pooled_at(&mut self, table: &[u8], index: VReg) -> Address {
        let table = Source::Memory(self.a.b.pooled(table));
        let table = self.a.b.define(Lea_r64_m, View::R64, &[table]);
        Address {
            index: Some((View::R64, index)),
            scale: 8,
            ..Address::at(Base::Register(table), 0)
        }
    }
}
