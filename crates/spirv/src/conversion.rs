//! Bit-exact conversions between texels and numbers, if the bound format is known.
//!
//! A device may return c / 255 with an error of an ulp, round ties of a store either way, and convert NaN to anything.
//! Its result is close enough to recover c, from which the exact number is computed; for a store, it gets a number that
//! has only one rounding. The definitions are those of `ops::texture`.
//!
//! Small floats are left to the device. Stores to sRGB do not occur, since devices do not support them.

use ops::texture::{Encoding, Format, Texel};
use ops::{Sign, Ty, Unary};

use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode as op;

/// The number format of a channel.
enum Channel {
    /// From 0 to 1, with this number of steps.
    Unorm(u32),
    /// From -1 to 1, with this number of steps on each side.
    Snorm(u32),
    Srgb,
    Unsigned(u32),
    Signed(u32),
    /// No conversion.
    Other,
}

fn channel(format: Format, index: u32) -> Channel {
    let ones = |bits: u32| u32::MAX >> (32 - bits);
    let is_there = index < format.channels().count() as u32;
    let ten = |it: u32| if it < 3 { 10 } else { 2 };
    match format {
        // A missing component is 0 or 1 on every device.
        _ if !is_there => Channel::Other,
        Format::Plain { bits, encoding, .. } => {
            let bits = u32::from(bits);
            match encoding {
                Encoding::Unorm => Channel::Unorm(ones(bits)),
                Encoding::Snorm => Channel::Snorm(ones(bits - 1)),
                Encoding::Srgb if index < 3 => Channel::Srgb,
                Encoding::Srgb => Channel::Unorm(255),
                Encoding::Uint if bits < 32 => Channel::Unsigned(ones(bits)),
                Encoding::Sint if bits < 32 => Channel::Signed(ones(bits - 1)),
                Encoding::Uint | Encoding::Sint | Encoding::Float => Channel::Other,
            }
        }
        Format::Bgra8 { srgb: true } if index < 3 => Channel::Srgb,
        Format::Bgra8 { .. } => Channel::Unorm(255),
        Format::Rgb10A2 { uint: false } => Channel::Unorm(ones(ten(index))),
        Format::Rgb10A2 { uint: true } => Channel::Unsigned(ones(ten(index))),
        Format::Rg11B10Float | Format::Rgb9E5 => Channel::Other,
    }
}

impl Emitter<'_> {
    fn single(&mut self, value: f64) -> Id {
        self.out.constant(Ty::F32, Ty::F32.float_bits(value))
    }

    /// The exact value of a loaded component; `value` is the device's result.
    pub(crate) fn loaded(&mut self, format: Format, index: u32, value: Id) -> Id {
        match channel(format, index) {
            Channel::Unorm(most) => self.normalised(most, value),
            Channel::Snorm(most) => {
                let value = self.normalised(most, value);
                let least = self.single(-1.0);
                let is_below = self.test(op::F_ORD_LESS_THAN, value, least);
                self.choose(Ty::F32, is_below, least, value)
            }
            Channel::Srgb => self.linear(value),
            Channel::Unsigned(_) | Channel::Signed(_) | Channel::Other => value,
        }
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
        match channel(format, index) {
            Channel::Unorm(most) => {
                let inside = self.unary(Unary::Saturate, Ty::F32, value);
                self.stepped(most, inside)
            }
            Channel::Snorm(most) => {
                let is_nan = self.magnitude(op::U_GREATER_THAN, Ty::F32, value);
                let (zero, low, high) = (self.single(0.0), self.single(-1.0), self.single(1.0));
                let value = self.choose(Ty::F32, is_nan, zero, value);
                let is_low = self.test(op::F_ORD_LESS_THAN, value, low);
                let value = self.choose(Ty::F32, is_low, low, value);
                let is_high = self.test(op::F_ORD_GREATER_THAN, value, high);
                let inside = self.choose(Ty::F32, is_high, high, value);
                self.stepped(most, inside)
            }
            Channel::Unsigned(most) => {
                let most = self.out.word(most);
                let is_beyond = self.test(op::U_GREATER_THAN, value, most);
                self.choose(Ty::I32, is_beyond, most, value)
            }
            Channel::Signed(most) => {
                let (least, most) = (self.out.word(!most), self.out.word(most));
                let is_beyond = self.test(op::S_GREATER_THAN, value, most);
                let value = self.choose(Ty::I32, is_beyond, most, value);
                let is_below = self.test(op::S_LESS_THAN, value, least);
                self.choose(Ty::I32, is_below, least, value)
            }
            Channel::Srgb | Channel::Other => value,
        }
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
