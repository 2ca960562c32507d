//! Typed buffers, for targets that lack [`crate::Class::Texel`]: each access moves the scalars of a texel as they are
//! in memory, and conversions between the format that is bound and the shader's type are written out. They are those of
//! `ir::texel`, to the last bit.
//!
//! An atomic operation on texels of another size than its operand stays as it is: no device has it.

use ir::exec::FormatScalar;
use ir::{Address, HostScalar, Op, Place, Value, Values, texel};
use ops::texture::Encoding;
use ops::{Binary, Sign, Ty};

use crate::channel::Number;
use crate::term::Term;
use crate::writer::Writer;

use Sign::{Signed, Unsigned};

/// A texel that may exist.
#[derive(Clone, Copy)]
pub(crate) struct TexelPlace {
    pub(crate) place: Place,
    pub(crate) index: Value,
    /// The lanes for which it does; `None` if it does for all.
    pub(crate) when: Option<Value>,
}

/// The type that holds a scalar of memory in the shader: a word for one byte.
fn moved(scalar: FormatScalar, ty: Ty) -> Ty {
    if texel::is_plain(scalar, ty) {
        return ty;
    }
    let channel = scalar.channel();
    match (channel.encoding, channel.bits) {
        (Encoding::Float, 16) => Ty::F16,
        (Encoding::Float, 32) => Ty::F32,
        (Encoding::Float, _) => Ty::F64,
        (_, 16) => Ty::I16,
        (_, 64) => Ty::I64,
        _ => Ty::I32,
    }
}

impl<'a> Writer<'a> {
    /// The components of a texel.
    pub(crate) fn load_typed(&'a self, texel: TexelPlace, ty: Ty, count: usize) -> Values {
        let format = self.target.texel_format(self.source, texel.place.binding);
        let scalar = format.scalar;
        let stored = vec![moved(scalar, ty); count.min(format.components as usize)];
        let (place, at) = (texel.place, self.typed_scalars(texel, format.components, scalar));
        let words = self.results(self.add(Op::Load { place, at }, &stored));
        let missing = |number: usize| {
            let (bits, zero) = (texel::missing(number as u32, ty), self.constant(ty, 0));
            match texel.when {
                Some(when) if bits != 0 => self.choose(when, self.constant(ty, bits), zero),
                _ => self.constant(ty, bits),
            }
        };
        // What was not loaded is zeros, which every format reads as 0.
        let loaded = words.iter().map(|it| self.typed_component(scalar, ty, *it));
        loaded.chain((stored.len()..count).map(missing)).collect()
    }

    /// What a shader reads for a scalar of memory.
    fn typed_component(&'a self, scalar: FormatScalar, ty: Ty, stored: Value) -> Value {
        if texel::is_plain(scalar, ty) {
            return self.loaded(stored, ty);
        }
        let channel = scalar.channel();
        let number = match channel.encoding {
            Encoding::Float => Number::Float(self.term(stored)),
            _ => self.channel_number(channel, self.typed_whole(scalar, stored), ty),
        };
        number.component(ty).value
    }

    /// The integer in a scalar of memory, with its sign, in 32 or 64 bits; the steps of a fraction also in 16.
    fn typed_whole(&'a self, scalar: FormatScalar, stored: Value) -> Term<'a> {
        let channel = scalar.channel();
        let sign = if channel.is_signed() { Signed } else { Unsigned };
        let word = self.term(stored);
        match channel.bits {
            8 if channel.is_signed() => word.left(24).right_signed(24),
            16 if channel.encoding == Encoding::Unorm => self.term(self.loaded(stored, Ty::I16)),
            16 => {
                let short = self.loaded(stored, Ty::I16);
                self.term(self.convert(short, Ty::I16, sign, Ty::I32, sign))
            }
            _ => word,
        }
    }

    /// Stores the components of a texel, which are values of the source.
    pub(crate) fn store_typed(&'a self, texel: TexelPlace, values: &[Value]) {
        let format = self.target.texel_format(self.source, texel.place.binding);
        let element = self.source.resource(texel.place.binding).kind.view().element;
        let sign = match element.map(|it| it.scalar) {
            Some(HostScalar::I16 | HostScalar::I32 | HostScalar::I64) => Signed,
            _ => Unsigned,
        };
        let stored = values.iter().take(format.components as usize);
        let values = stored.map(|it| self.typed_scalar(format.scalar, sign, *it)).collect();
        let at = self.typed_scalars(texel, format.components, format.scalar);
        self.add(Op::Store { place: texel.place, at, values }, &[]);
    }

    /// The scalar of memory for a value of the source, whose integers have this sign.
    fn typed_scalar(&'a self, scalar: FormatScalar, sign: Sign, value: Value) -> Value {
        let (new, ty) = (self.get(value), self.source.ty(value));
        if texel::is_plain(scalar, ty) {
            return self.stored(new, ty);
        }
        let number = Number::given(self.term(new), ty, sign);
        let value = self.channel_value(scalar.channel(), number);
        match moved(scalar, ty) {
            Ty::I16 => self.converted(value.value, Unsigned, Ty::I16),
            _ => value.value,
        }
    }

    /// The address of the scalars of a texel.
    fn typed_scalars(&self, texel: TexelPlace, components: u32, scalar: FormatScalar) -> Address {
        let unit = match (components, self.known(texel.index)) {
            (1, _) => texel.index,
            (_, Some(index)) => self.word((index as u32).wrapping_mul(components)),
            (2 | 4, None) => {
                self.with(Binary::Shl, texel.index, components.trailing_zeros().into())
            }
            (_, None) => self.with(Binary::Mul, texel.index, components.into()),
        };
        Address::Within { unit, bytes: texel::scalar_bytes(scalar), when: texel.when }
    }
}
