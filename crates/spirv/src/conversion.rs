//! Bit-exact conversions between texels and numbers, if the bound format is known.
//!
//! A device may return c / 255 with an error of an ulp, round ties of a store either way, and convert NaN to anything.
//! Its result is close enough to recover c, from which the exact number is computed; for a store, it gets a number that
//! has only one rounding. Steps and limits are those of `ops::texture::Channel`, which defines the conversions.
//!
//! Small floats are left to the device. Stores to sRGB do not occur, since devices do not support them.

use ops::texture::{Encoding, Format, Texel};
use ops::{Sign, Ty, Unary};

use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode as op;

impl Emitter<'_> {
    fn single(&mut self, value: f64) -> Id {
        self.out.constant(Ty::F32, Ty::F32.float_bits(value))
    }

    /// The exact value of a loaded component; `value` is the device's result.
    pub(crate) fn loaded(&mut self, format: Format, index: u32, value: Id) -> Id {
        // A missing component is 0 or 1 on every device.
        let Some(channel) = format.channel(index as usize) else { return value };
        if channel.encoding == Encoding::Srgb {
            return self.linear(value);
        }
        let Some(steps) = channel.steps() else { return value };
        let value = self.normalised(steps, value);
        if !channel.is_signed() {
            return value;
        }
        let least = self.single(-1.0);
        let is_below = self.test(op::F_ORD_LESS_THAN, value, least);
        self.choose(Ty::F32, is_below, least, value)
    }

    /// The nearest multiple of 1 / `most`, rounded once.
    fn normalised(&mut self, most: u32, value: Id) -> Id {
        let most = self.single(f64::from(most));
        let scaled = self.exact(op::F_MUL, Ty::F32, &[value, most]);
        let whole = self.unary(Unary::Round, Ty::F32, scaled);
        self.quotient(whole, most)
    }

    /// The linear value of the sRGB byte that is nearest to the device's result.
    fn linear(&mut self, value: Id) -> Id {
        let single = self.out.ty(Ty::F32);
        let (exponent, scale, shift) =
            (self.single(1.0 / 2.4), self.single(1.055), self.single(-0.055));
        let power = self.glsl(op::GLSL_POW, single, &[value, exponent]);
        let above = self.exact(op::F_MUL, Ty::F32, &[power, scale]);
        let above = self.exact(op::F_ADD, Ty::F32, &[above, shift]);
        let (slope, knee) = (self.single(12.92), self.single(0.0031308));
        let below = self.exact(op::F_MUL, Ty::F32, &[value, slope]);
        let is_below = self.test(op::F_ORD_LESS_THAN_EQUAL, value, knee);
        let curve = self.choose(Ty::F32, is_below, below, above);
        let most = self.single(255.0);
        let scaled = self.exact(op::F_MUL, Ty::F32, &[curve, most]);
        let byte = self.unary(Unary::Round, Ty::F32, scaled);
        let byte = self.convert(byte, Ty::F32, Sign::Unsigned, Ty::I32);
        let byte = self.words(op::BITWISE_AND, byte, 255);
        let table = self.srgb_table();
        let pointer = self.out.pointer(op::PRIVATE, single);
        let pointer = self.op(op::ACCESS_CHAIN, pointer, &[table, byte]);
        self.op(op::LOAD, single, &[pointer])
    }

    /// The linear values of all sRGB bytes.
    fn srgb_table(&mut self) -> Id {
        if let Some(id) = self.srgb {
            return id;
        }
        let format = Format::Plain {
            channels: ops::texture::Channels::R,
            bits: 8,
            encoding: Encoding::Srgb,
        };
        let mut numbers = Vec::new();
        for byte in 0..=u8::MAX {
            let texel = match format.decode(&[byte]) {
                Texel::Float(it) => it[0],
                Texel::Unsigned(_) | Texel::Signed(_) => {
                    unreachable!("sRGB texels are numbers between 0 and 1")
                }
            };
            numbers.push(self.out.constant(Ty::F32, u64::from(texel.to_bits())));
        }
        let single = self.out.ty(Ty::F32);
        let ty = self.out.array(single, 256);
        let all = self.out.composite(ty, &numbers);
        let table = self.global_with(op::PRIVATE, ty, Some(all));
        self.out.name(table, "srgb");
        self.srgb = Some(table);
        table
    }

    /// A component to store, as a number that the device can round only one way.
    pub(crate) fn stored(&mut self, format: Format, index: u32, value: Id) -> Id {
        let Some(channel) = format.channel(index as usize) else { return value };
        if let Some(steps) = channel.steps() {
            let inside = match channel.is_signed() {
                true => self.within_one(value),
                false => self.unary(Unary::Saturate, Ty::F32, value),
            };
            return self.stepped(steps, inside);
        }
        let Some((least, most)) = channel.limits().filter(|_| channel.bits < 32) else {
            return value;
        };
        let (less, more) = match channel.is_signed() {
            true => (Some(op::S_LESS_THAN), op::S_GREATER_THAN),
            false => (None, op::U_GREATER_THAN),
        };
        let (least, most) = (self.out.word(least as u32), self.out.word(most as u32));
        let is_beyond = self.test(more, value, most);
        let value = self.choose(Ty::I32, is_beyond, most, value);
        let Some(less) = less else { return value };
        let is_below = self.test(less, value, least);
        self.choose(Ty::I32, is_below, least, value)
    }

    /// A number clamped to -1 to 1; NaN gives 0.
    fn within_one(&mut self, value: Id) -> Id {
        let is_nan = self.magnitude(op::U_GREATER_THAN, Ty::F32, value);
        let (zero, low, high) = (self.single(0.0), self.single(-1.0), self.single(1.0));
        let value = self.choose(Ty::F32, is_nan, zero, value);
        let is_low = self.test(op::F_ORD_LESS_THAN, value, low);
        let value = self.choose(Ty::F32, is_low, low, value);
        let is_high = self.test(op::F_ORD_GREATER_THAN, value, high);
        self.choose(Ty::F32, is_high, high, value)
    }

    /// The nearest step, ties away from zero: exact in f64.
    fn stepped(&mut self, most: u32, inside: Id) -> Id {
        let constant = |it: &mut Self, value: f64| it.out.constant(Ty::F64, value.to_bits());
        let wide = self.float(inside, Ty::F32, Ty::F64);
        let (steps, half, minus) =
            (constant(self, f64::from(most)), constant(self, 0.5), constant(self, -0.5));
        let scaled = self.exact(op::F_MUL, Ty::F64, &[wide, steps]);
        let zero = constant(self, 0.0);
        let is_negative = self.test(op::F_ORD_LESS_THAN, scaled, zero);
        let away = self.choose(Ty::F64, is_negative, minus, half);
        let sum = self.exact(op::F_ADD, Ty::F64, &[scaled, away]);
        let whole = self.unary(Unary::Trunc, Ty::F64, sum);
        let whole = self.float(whole, Ty::F64, Ty::F32);
        let most = self.single(f64::from(most));
        self.quotient(whole, most)
    }
}
