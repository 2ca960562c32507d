//! Typed buffers: texels of up to four components, converted from and to the format that is bound. The conversions are
//! those of `ir::texel`, to the last bit; steps and limits are those of `ops::texture::Channel`.

use ir::exec::{ElementFormat, FormatScalar};
use ir::{Binding, Element, HostScalar, ResourceKind, Value, texel};
use ops::texture::{Channel, Encoding};
use ops::{Sign, Ty};

use crate::emit::Emitter;
use crate::memory::{Descriptor, Location};
use crate::scalar::signed;
use crate::text::{Class, Operand, Reg, put, put_if};

/// A number on its way between memory and shader.
#[derive(Clone, Copy)]
enum Number {
    /// In an f64.
    Float(Reg),
    /// In 64 bits, sign-extended.
    Signed(Reg),
    /// In 64 bits, zero-extended.
    Unsigned(Reg),
}

fn double(value: f64) -> Operand {
    Operand::Bits(Ty::F64, value.to_bits())
}

impl Emitter<'_> {
    fn format(&self, binding: Binding) -> (ElementFormat, Element) {
        let ResourceKind::Typed { element, .. } = &self.ir.resource(binding).kind else {
            unreachable!("the verifier has checked that texels are those of typed buffers")
        };
        let bound = self.environment.formats.get(binding.index()).copied().flatten();
        (ir::access::format(bound, element), *element)
    }

    pub(crate) fn texel_bytes(&self, binding: Binding) -> u32 {
        ir::access::texel_bytes(self.format(binding).0) as u32
    }

    pub(crate) fn load_texel(
        &mut self,
        binding: Binding,
        descriptor: Descriptor,
        unit: Value,
        inside: Option<Reg>,
        ty: Ty,
        count: usize,
    ) -> Vec<Operand> {
        let (format, _) = self.format(binding);
        let texel = self.texel_bytes(binding);
        let at = self.unit(descriptor.base, unit, texel);
        let size = texel::scalar_bytes(format.scalar);
        let mut all = Vec::new();
        for number in 0..count as u32 {
            let zero = Operand::Bits(ty, 0);
            let value = if number < format.components {
                let at = at.plus(number * size);
                let stored = self.load_stored(binding, format.scalar, at, inside);
                let value = self.loaded(format.scalar, ty, stored);
                // What was not loaded is zeros, which every format reads as 0.
                Operand::Reg(value)
            } else {
                let missing = Operand::Bits(ty, texel::missing(number, ty));
                match inside {
                    Some(inside) => self.select(ty, Operand::Reg(inside), missing, zero),
                    None => missing,
                }
            };
            all.push(value);
        }
        all
    }

    /// A scalar in memory: 8 bits in a word, the others in a register of their size.
    fn load_stored(
        &mut self,
        binding: Binding,
        scalar: FormatScalar,
        at: Location,
        inside: Option<Reg>,
    ) -> Reg {
        let name = self.load_name(binding);
        let (class, kind) = match (texel::scalar_bytes(scalar), scalar.channel().is_signed()) {
            (1, true) => (Class::Word, "s8"),
            (1, false) => (Class::Word, "u8"),
            (2, _) => (Class::Half, "b16"),
            (4, _) => (Class::Word, "b32"),
            _ => (Class::Long, "b64"),
        };
        let to = self.text.reg(class);
        if inside.is_some() {
            put!(self, "mov.{} {to}, 0", class.bits());
        }
        let when = self.when(inside);
        put_if!(self, when, "{name}.{kind} {to}, {at}");
        to
    }

    /// The type of a stored scalar as an instruction reads it from the register that holds it: 8 bits are in a word.
    fn stored_name(channel: Channel) -> String {
        let kind = match channel.encoding {
            Encoding::Float => 'f',
            _ if channel.is_signed() => 's',
            _ => 'u',
        };
        format!("{kind}{}", if channel.bits == 8 { 32 } else { channel.bits })
    }

    /// The bits that a shader reads.
    fn loaded(&mut self, scalar: FormatScalar, ty: Ty, stored: Reg) -> Reg {
        if texel::is_plain(scalar, ty) {
            return stored;
        }
        let channel = scalar.channel();
        let name = Self::stored_name(channel);
        if let (Some(steps), Ty::F32) = (channel.steps(), ty) {
            // Both are exact, so that the quotient is rounded once.
            let to = self.reg_for(ty);
            let most = Operand::Bits(Ty::F32, u64::from((steps as f32).to_bits()));
            put!(self, "cvt.rn.f32.{name} {to}, {stored}");
            put!(self, "div.rn.f32 {to}, {to}, {most}");
            if channel.is_signed() {
                put!(self, "max.f32 {to}, {to}, 0fBF800000");
            }
            return to;
        }
        // 64 bits are in a register of that size.
        let widen = |it: &mut Self, to: &str| {
            let wide = it.text.reg(Class::Long);
            put!(it, "cvt.{to}.{name} {wide}, {stored}");
            wide
        };
        let number = match channel.encoding {
            Encoding::Float if channel.bits == 64 => Number::Float(stored),
            Encoding::Float => Number::Float(widen(self, "f64")),
            Encoding::Sint if channel.bits == 64 => Number::Signed(stored),
            Encoding::Sint => Number::Signed(widen(self, "s64")),
            Encoding::Uint if channel.bits == 64 => Number::Unsigned(stored),
            Encoding::Uint => Number::Unsigned(widen(self, "u64")),
            Encoding::Unorm | Encoding::Snorm | Encoding::Srgb => {
                let wide = widen(self, "rn.f64");
                put!(self, "div.rn.f64 {wide}, {wide}, {}", double(Self::steps(channel)));
                if channel.is_signed() {
                    put!(self, "max.f64 {wide}, {wide}, {}", double(-1.0));
                }
                Number::Float(wide)
            }
        };
        self.read_as(number, ty)
    }

    fn steps(channel: Channel) -> f64 {
        let steps = channel.steps();
        steps.unwrap_or_else(|| unreachable!("a normalised format has steps")).into()
    }

    fn read_as(&mut self, number: Number, ty: Ty) -> Reg {
        match ty {
            Ty::Bool => {
                let wide = self.wide(number);
                let to = self.text.reg(Class::Predicate);
                put!(self, "setp.neu.f64 {to}, {wide}, {}", double(0.0));
                to
            }
            Ty::F64 => {
                let wide = self.wide(number);
                self.canonical(Ty::F64, wide)
            }
            Ty::F16 | Ty::F32 => {
                let wide = self.wide(number);
                let to = self.reg_for(ty);
                put!(self, "cvt.rn.{}.f64 {to}, {wide}", signed(ty, Sign::Signed));
                self.or_nan(ty, to, wide)
            }
            Ty::I16 | Ty::I32 | Ty::I64 => {
                let whole = match number {
                    Number::Float(wide) => self.truncated(wide, Sign::Signed),
                    Number::Signed(whole) | Number::Unsigned(whole) => whole,
                };
                self.convert(whole, Ty::I64, Sign::Unsigned, ty, Sign::Unsigned)
            }
        }
    }

    /// Toward zero, saturating; NaN gives 0.
    fn truncated(&mut self, wide: Reg, sign: Sign) -> Reg {
        self.convert(wide, Ty::F64, Sign::Signed, Ty::I64, sign)
    }

    fn wide(&mut self, number: Number) -> Reg {
        let wide = self.text.reg(Class::Long);
        match number {
            Number::Float(it) => return it,
            Number::Signed(it) => put!(self, "cvt.rn.f64.s64 {wide}, {it}"),
            Number::Unsigned(it) => put!(self, "cvt.rn.f64.u64 {wide}, {it}"),
        }
        wide
    }

    fn canonical(&mut self, ty: Ty, value: Reg) -> Reg {
        self.or_nan(ty, value, value)
    }

    /// A number, or the canonical NaN of its type if an f64 is a NaN.
    fn or_nan(&mut self, ty: Ty, value: Reg, of: Reg) -> Reg {
        let is_nan = self.text.reg(Class::Predicate);
        put!(self, "testp.notanumber.f64 {is_nan}, {of}");
        let nan = Operand::Bits(ty, ty.canonical_nan());
        let picked = self.select(ty, Operand::Reg(is_nan), nan, Operand::Reg(value));
        self.reg(picked)
    }

    pub(crate) fn store_texel(
        &mut self,
        binding: Binding,
        descriptor: Descriptor,
        unit: Value,
        inside: Option<Reg>,
        values: &[Value],
    ) {
        let (format, element) = self.format(binding);
        let texel = self.texel_bytes(binding);
        let at = self.unit(descriptor.base, unit, texel);
        let size = texel::scalar_bytes(format.scalar);
        let name = self.store_name(binding);
        let mut all = Vec::new();
        for value in values.iter().take(format.components as usize) {
            let ty = self.ir.ty(*value);
            let value = self.get_reg(*value);
            all.push(self.stored(format.scalar, &element, ty, value));
        }
        let when = self.when(inside);
        for (number, value) in (0..).zip(all) {
            let kind = match size {
                1 => "b8",
                _ => value.class.bits(),
            };
            let at = at.plus(number * size);
            put_if!(self, when, "{name}.{kind} {at}, {value}");
        }
    }

    /// The bits that are stored: 8 bits in a word, the others in a register of their size.
    fn stored(&mut self, scalar: FormatScalar, element: &Element, ty: Ty, value: Reg) -> Reg {
        if texel::is_plain(scalar, ty) {
            return value;
        }
        let channel = scalar.channel();
        let is_signed =
            matches!(element.scalar, HostScalar::I16 | HostScalar::I32 | HostScalar::I64);
        let sign = if is_signed { Sign::Signed } else { Sign::Unsigned };
        let number = match ty {
            Ty::F16 | Ty::F32 | Ty::F64 => {
                let signed = Sign::Signed;
                Number::Float(self.convert(value, ty, signed, Ty::F64, signed))
            }
            Ty::Bool => {
                let wide = self.text.reg(Class::Long);
                put!(self, "selp.b64 {wide}, 1, 0, {value}");
                Number::Unsigned(wide)
            }
            Ty::I16 | Ty::I32 | Ty::I64 => {
                let wide = self.convert(value, ty, sign, Ty::I64, sign);
                if is_signed { Number::Signed(wide) } else { Number::Unsigned(wide) }
            }
        };
        let bits = u32::from(channel.bits);
        match channel.encoding {
            Encoding::Float => match bits {
                16 => self.read_as(number, Ty::F16),
                32 => self.read_as(number, Ty::F32),
                _ => self.read_as(number, Ty::F64),
            },
            Encoding::Sint => {
                let whole = self.clamped_signed(number);
                if let Some((least, most)) = channel.limits().filter(|_| bits < 64) {
                    put!(self, "min.s64 {whole}, {whole}, {most}");
                    put!(self, "max.s64 {whole}, {whole}, {least}");
                }
                self.narrowed(whole, bits)
            }
            Encoding::Uint => {
                let whole = self.clamped_unsigned(number);
                if let Some((_, most)) = channel.limits().filter(|_| bits < 64) {
                    put!(self, "min.u64 {whole}, {whole}, {most}");
                }
                self.narrowed(whole, bits)
            }
            Encoding::Unorm | Encoding::Snorm | Encoding::Srgb => {
                let wide = self.wide(number);
                let scaled = self.text.reg(Class::Long);
                let half = self.text.reg(Class::Long);
                let low = if channel.is_signed() { -1.0 } else { 0.0 };
                let is_nan = self.text.reg(Class::Predicate);
                put!(self, "testp.notanumber.f64 {is_nan}, {wide}");
                put!(self, "max.f64 {scaled}, {wide}, {}", double(low));
                put!(self, "min.f64 {scaled}, {scaled}, {}", double(1.0));
                put!(self, "selp.b64 {scaled}, 0, {scaled}, {is_nan}");
                put!(self, "mul.rn.f64 {scaled}, {scaled}, {}", double(Self::steps(channel)));
                // Halves are rounded away from zero.
                put!(self, "and.b64 {half}, {scaled}, {}", i64::MIN);
                put!(self, "or.b64 {half}, {half}, {}", 0.5f64.to_bits());
                put!(self, "add.rn.f64 {scaled}, {scaled}, {half}");
                let whole = self.text.reg(Class::Long);
                put!(self, "cvt.rzi.s64.f64 {whole}, {scaled}");
                self.narrowed(whole, bits)
            }
        }
    }

    /// As a signed integer, saturating. In a separate register.
    fn clamped_signed(&mut self, number: Number) -> Reg {
        match number {
            Number::Float(wide) => self.truncated(wide, Sign::Signed),
            Number::Signed(whole) => self.copy(whole),
            Number::Unsigned(whole) => {
                let to = self.text.reg(Class::Long);
                put!(self, "min.u64 {to}, {whole}, {}", i64::MAX);
                to
            }
        }
    }

    fn clamped_unsigned(&mut self, number: Number) -> Reg {
        match number {
            Number::Float(wide) => self.truncated(wide, Sign::Unsigned),
            Number::Signed(whole) => {
                let to = self.text.reg(Class::Long);
                put!(self, "max.s64 {to}, {whole}, 0");
                to
            }
            Number::Unsigned(whole) => self.copy(whole),
        }
    }

    fn copy(&mut self, whole: Reg) -> Reg {
        let to = self.text.reg(Class::Long);
        put!(self, "mov.b64 {to}, {whole}");
        to
    }

    fn narrowed(&mut self, whole: Reg, bits: u32) -> Reg {
        let class = match bits {
            16 => Class::Half,
            64 => return whole,
            _ => Class::Word,
        };
        let to = self.text.reg(class);
        put!(self, "cvt.u{}.u64 {to}, {whole}", if bits == 16 { 16 } else { 32 });
        to
    }
}
