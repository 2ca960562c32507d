//! Channels of texels: the numbers that their bits stand for, and the bits of numbers, for textures and typed buffers.
//! The conversions are those of `ops::texture` and `ir::texel`, to the last bit; steps and limits are those of
//! `ops::texture::Channel`.

use ops::Sign::{self, Signed, Unsigned};
use ops::texture::{Channel, Encoding};
use ops::{Binary, Ty};

use crate::term::Term;
use crate::writer::Writer;

/// A number between memory and shader.
#[derive(Clone, Copy)]
pub(crate) enum Number<'a> {
    /// A float of any type.
    Float(Term<'a>),
    /// 32 or 64 bits.
    Unsigned(Term<'a>),
    /// 32 or 64 bits.
    Signed(Term<'a>),
}

/// A float rounded toward zero, saturating; NaN gives 0.
fn truncated(float: Term<'_>, sign: Sign, ty: Ty) -> Term<'_> {
    // Devices may convert f32 to integers, and not f16.
    let float = if float.ty() == Ty::F16 { float.as_number(Ty::F32) } else { float };
    float.convert(sign, ty)
}

impl<'a> Number<'a> {
    /// A value of the shader, whose integers have this sign.
    pub(crate) fn given(value: Term<'a>, ty: Ty, sign: Sign) -> Number<'a> {
        let sign = if ty == Ty::Bool { Unsigned } else { sign };
        let whole = match ty {
            Ty::F16 | Ty::F32 | Ty::F64 => return Number::Float(value),
            Ty::I32 | Ty::I64 => value,
            Ty::Bool | Ty::I16 => {
                let to = value.to;
                to.term(to.convert(value.value, ty, sign, Ty::I32, sign))
            }
        };
        match sign {
            Signed => Number::Signed(whole),
            Unsigned => Number::Unsigned(whole),
        }
    }

    pub(crate) fn double(self) -> Term<'a> {
        match self {
            Number::Float(it) | Number::Signed(it) => it.as_double(),
            Number::Unsigned(it) => it.convert(Unsigned, Ty::F64),
        }
    }

    /// As an integer of 32 or 64 bits, saturating; NaN gives 0.
    pub(crate) fn unsigned(self, ty: Ty) -> Term<'a> {
        match self {
            Number::Float(it) => truncated(it, Unsigned, ty),
            Number::Unsigned(it) => it.at_most_unsigned(ty.ones()).convert(Unsigned, ty),
            Number::Signed(it) => Number::Unsigned(it.max(it.zero())).unsigned(ty),
        }
    }

    /// The same as a signed integer.
    pub(crate) fn signed(self, ty: Ty) -> Term<'a> {
        let most = ty.ones() >> 1;
        match self {
            Number::Float(it) => truncated(it, Signed, ty),
            Number::Unsigned(it) => it.at_most_unsigned(most).convert(Unsigned, ty),
            Number::Signed(it) if it.ty().bits() > ty.bits() => {
                it.within(it.whole(!(most as i64)), it.whole(most as i64)).convert(Signed, ty)
            }
            Number::Signed(it) => it.convert(Signed, ty),
        }
    }

    /// As a shader of that type reads it. What has the type already keeps the bits of a NaN: a load is a move.
    pub(crate) fn component(self, ty: Ty) -> Term<'a> {
        match (ty, self) {
            (Ty::Bool, Number::Float(it) | Number::Unsigned(it) | Number::Signed(it)) => {
                it.differs(it.zero())
            }
            // Integers lose their upper bits.
            (Ty::I16 | Ty::I32 | Ty::I64, Number::Unsigned(it)) => it.convert(Unsigned, ty),
            (Ty::I16 | Ty::I32 | Ty::I64, Number::Signed(it)) => it.convert(Signed, ty),
            (Ty::I16 | Ty::I32 | Ty::I64, Number::Float(it)) => {
                truncated(it, Signed, Ty::I64).convert(Unsigned, ty)
            }
            (Ty::F16 | Ty::F32 | Ty::F64, Number::Float(it)) => it.convert(Signed, ty),
            // Words are exact in f64, and longer integers are rounded to it first.
            (Ty::F32, Number::Unsigned(it)) if it.ty() == Ty::I32 => it.convert(Unsigned, ty),
            (Ty::F32, Number::Signed(it)) if it.ty() == Ty::I32 => it.convert(Signed, ty),
            (Ty::F16 | Ty::F32 | Ty::F64, _) => self.double().as_number(ty),
        }
    }
}

/// The steps of a normalised channel.
fn steps(channel: Channel) -> u32 {
    // The alpha of sRGB formats is `Unorm` already.
    channel.steps().unwrap_or(255)
}

impl<'a> Writer<'a> {
    /// The number in a channel of integers or of a normalised format, from its bits as an integer with the channel's
    /// sign. A fraction is an f64, or an f32 for a reader of that type: both operands are exact there, so that it is
    /// rounded once.
    pub(crate) fn channel_number(
        &'a self,
        channel: Channel,
        whole: Term<'a>,
        reader: Ty,
    ) -> Number<'a> {
        match channel.encoding {
            Encoding::Uint => Number::Unsigned(whole),
            Encoding::Sint => Number::Signed(whole),
            Encoding::Unorm | Encoding::Snorm | Encoding::Srgb => {
                let steps = steps(channel);
                // The least integer is -1, as the next one.
                let (whole, sign) = match channel.is_signed() {
                    true => (whole.max(whole.whole(-i64::from(steps))), Signed),
                    false => (whole, Unsigned),
                };
                let value = whole.convert(sign, if reader == Ty::F32 { reader } else { Ty::F64 });
                Number::Float(value.number(Binary::Div(Signed), value.float(steps.into())))
            }
            Encoding::Float => unreachable!("a float is not an integer of its bits"),
        }
    }

    /// What a channel holds for a number: a float of its size, or an integer of 32 or 64 bits, whose bits above those
    /// of the channel may be anything.
    pub(crate) fn channel_value(&'a self, channel: Channel, number: Number<'a>) -> Term<'a> {
        let ty = if channel.bits > 32 { Ty::I64 } else { Ty::I32 };
        let (least, most) = channel.limits().unwrap_or_default();
        match channel.encoding {
            Encoding::Uint => number.unsigned(ty).at_most_unsigned(most),
            Encoding::Sint => match number.signed(ty) {
                it if u32::from(channel.bits) < ty.bits() => {
                    it.within(it.whole(least), it.whole(most as i64))
                }
                it => it,
            },
            Encoding::Float => number.component(match channel.bits {
                16 => Ty::F16,
                32 => Ty::F32,
                _ => Ty::F64,
            }),
            Encoding::Unorm | Encoding::Snorm | Encoding::Srgb => {
                let value = match number {
                    Number::Float(it) => it.as_number(Ty::F64),
                    Number::Unsigned(_) | Number::Signed(_) => number.double(),
                };
                let [zero, one] = [0.0, 1.0].map(|it| value.double(it));
                let least = if channel.is_signed() { value.double(-1.0) } else { zero };
                // NaN passes the clamp, and the conversion makes it 0.
                let value = value.less(least).pick(least, value);
                let value = value.greater(one).pick(one, value);
                let scaled = value.number(Binary::Mul, value.double(steps(channel).into()));
                // Halves are rounded away from zero.
                let half = match channel.is_signed() {
                    true => scaled.less(zero).pick(value.double(-0.5), value.double(0.5)),
                    false => value.double(0.5),
                };
                scaled.number(Binary::Add, half).convert(Signed, Ty::I32)
            }
        }
    }
}
