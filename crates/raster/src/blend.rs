//! Blending: combines the colour of a target and that of a shader.
//!
//! f32: each product is rounded, then their sum; nothing is fused. Minimum and maximum take no factors.
//!
//! Spec: Direct3D 11.3, 17.6 and 17.7.

use ops::scalar::eval_binary;
use ops::texture::{Encoding, Format};
use ops::{Binary, Sign, Ty};

/// What a colour is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factor {
    Zero,
    One,
    SrcColor,
    InvSrcColor,
    SrcAlpha,
    InvSrcAlpha,
    DestAlpha,
    InvDestAlpha,
    DestColor,
    InvDestColor,
    /// min(source alpha, 1 − destination alpha) for colours, 1 for alpha.
    SrcAlphaSat,
    BlendFactor,
    InvBlendFactor,
    Src1Color,
    InvSrc1Color,
    Src1Alpha,
    InvSrc1Alpha,
}

/// How the two products are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlendOp {
    Add,
    /// Source less destination.
    Subtract,
    /// Destination less source.
    RevSubtract,
    Min,
    Max,
}

/// One blend equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Equation {
    pub src: Factor,
    pub dst: Factor,
    pub op: BlendOp,
}

/// The equations of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Blend {
    pub color: Equation,
    pub alpha: Equation,
}

impl Factor {
    pub const ALL: [(&'static str, Factor); 17] = [
        ("Zero", Factor::Zero),
        ("One", Factor::One),
        ("SrcColor", Factor::SrcColor),
        ("InvSrcColor", Factor::InvSrcColor),
        ("SrcAlpha", Factor::SrcAlpha),
        ("InvSrcAlpha", Factor::InvSrcAlpha),
        ("DestAlpha", Factor::DestAlpha),
        ("InvDestAlpha", Factor::InvDestAlpha),
        ("DestColor", Factor::DestColor),
        ("InvDestColor", Factor::InvDestColor),
        ("SrcAlphaSat", Factor::SrcAlphaSat),
        ("BlendFactor", Factor::BlendFactor),
        ("InvBlendFactor", Factor::InvBlendFactor),
        ("Src1Color", Factor::Src1Color),
        ("InvSrc1Color", Factor::InvSrc1Color),
        ("Src1Alpha", Factor::Src1Alpha),
        ("InvSrc1Alpha", Factor::InvSrc1Alpha),
    ];

    /// Parses the name; case is ignored.
    pub fn parse(name: &str) -> Option<Factor> {
        Factor::ALL.into_iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, it)| it)
    }

    /// Whether it reads the second output of the shader.
    pub fn is_dual_source(self) -> bool {
        matches!(
            self,
            Factor::Src1Color | Factor::InvSrc1Color | Factor::Src1Alpha | Factor::InvSrc1Alpha
        )
    }

    /// The factor of a component.
    fn of(self, i: usize, colours: &Colours) -> f32 {
        let Colours { src, src1, dst, constant } = colours;
        match self {
            Factor::Zero => 0.0,
            Factor::One => 1.0,
            Factor::SrcColor => src[i],
            Factor::InvSrcColor => 1.0 - src[i],
            Factor::SrcAlpha => src[3],
            Factor::InvSrcAlpha => 1.0 - src[3],
            Factor::DestAlpha => dst[3],
            Factor::InvDestAlpha => 1.0 - dst[3],
            Factor::DestColor => dst[i],
            Factor::InvDestColor => 1.0 - dst[i],
            Factor::SrcAlphaSat if i == 3 => 1.0,
            Factor::SrcAlphaSat => least(src[3], 1.0 - dst[3]),
            Factor::BlendFactor => constant[i],
            Factor::InvBlendFactor => 1.0 - constant[i],
            Factor::Src1Color => src1[i],
            Factor::InvSrc1Color => 1.0 - src1[i],
            Factor::Src1Alpha => src1[3],
            Factor::InvSrc1Alpha => 1.0 - src1[3],
        }
    }
}

impl BlendOp {
    pub const ALL: [(&'static str, BlendOp); 5] = [
        ("Add", BlendOp::Add),
        ("Subtract", BlendOp::Subtract),
        ("RevSubtract", BlendOp::RevSubtract),
        ("Min", BlendOp::Min),
        ("Max", BlendOp::Max),
    ];

    /// Parses the name; case is ignored.
    pub fn parse(name: &str) -> Option<BlendOp> {
        BlendOp::ALL.into_iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, it)| it)
    }
}

impl Equation {
    fn apply(self, i: usize, colours: &Colours) -> f32 {
        let (src, dst) = (colours.src[i], colours.dst[i]);
        let products = || (src * self.src.of(i, colours), dst * self.dst.of(i, colours));
        match self.op {
            BlendOp::Add => {
                let (src, dst) = products();
                src + dst
            }
            BlendOp::Subtract => {
                let (src, dst) = products();
                src - dst
            }
            BlendOp::RevSubtract => {
                let (src, dst) = products();
                dst - src
            }
            BlendOp::Min => least(src, dst),
            BlendOp::Max => of_two(Binary::Max(Sign::Signed), src, dst),
        }
    }

    fn is_dual_source(self) -> bool {
        self.src.is_dual_source() || self.dst.is_dual_source()
    }
}

impl Blend {
    /// Whether it reads the second output of the shader.
    pub fn is_dual_source(self) -> bool {
        self.color.is_dual_source() || self.alpha.is_dual_source()
    }

    /// The blended colour. The inputs are clamped to the range of the format; its contents already are in it.
    pub(crate) fn apply(self, format: Format, colours: Colours) -> [f32; 4] {
        let Colours { src, src1, dst, constant } = colours;
        let clamp = |it: [f32; 4]| it.map(|it| clamped(format, it));
        let colours =
            Colours { src: clamp(src), src1: clamp(src1), dst, constant: clamp(constant) };
        let of = |i: usize| if i == 3 { self.alpha } else { self.color };
        std::array::from_fn(|i| of(i).apply(i, &colours))
    }
}

/// What a blend equation reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colours {
    pub(crate) src: [f32; 4],
    pub(crate) src1: [f32; 4],
    pub(crate) dst: [f32; 4],
    pub(crate) constant: [f32; 4],
}

/// As `min` in HLSL: a NaN gives the other number.
fn least(a: f32, b: f32) -> f32 {
    of_two(Binary::Min(Sign::Signed), a, b)
}

fn of_two(op: Binary, a: f32, b: f32) -> f32 {
    let bits = eval_binary(op, Ty::F32, u64::from(a.to_bits()), u64::from(b.to_bits()));
    f32::from_bits(bits as u32)
}

/// A number in the range of a normalised format; NaN becomes 0.
fn clamped(format: Format, number: f32) -> f32 {
    let is_snorm = matches!(format, Format::Plain { encoding: Encoding::Snorm, .. });
    match (format.is_unorm(), is_snorm) {
        (false, false) => number,
        _ if number.is_nan() => 0.0,
        (true, _) => number.clamp(0.0, 1.0),
        (false, true) => number.clamp(-1.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLOURS: Colours = Colours {
        src: [0.5, 0.25, 0.75, 0.5],
        src1: [0.125, 0.5, 1.0, 0.25],
        dst: [0.25, 1.0, 0.0, 0.75],
        constant: [0.0, 0.5, 1.0, 0.125],
    };

    fn float() -> Format {
        Format::parse("RGBA32_FLOAT").unwrap()
    }

    #[test]
    fn every_factor_has_its_value() {
        for (factor, color, alpha) in [
            (Factor::Zero, 0.0, 0.0),
            (Factor::One, 1.0, 1.0),
            (Factor::SrcColor, 0.25, 0.5),
            (Factor::InvSrcColor, 0.75, 0.5),
            (Factor::SrcAlpha, 0.5, 0.5),
            (Factor::InvSrcAlpha, 0.5, 0.5),
            (Factor::DestAlpha, 0.75, 0.75),
            (Factor::InvDestAlpha, 0.25, 0.25),
            (Factor::DestColor, 1.0, 0.75),
            (Factor::InvDestColor, 0.0, 0.25),
            (Factor::SrcAlphaSat, 0.25, 1.0),
            (Factor::BlendFactor, 0.5, 0.125),
            (Factor::InvBlendFactor, 0.5, 0.875),
            (Factor::Src1Color, 0.5, 0.25),
            (Factor::InvSrc1Color, 0.5, 0.75),
            (Factor::Src1Alpha, 0.25, 0.25),
            (Factor::InvSrc1Alpha, 0.75, 0.75),
        ] {
            assert_eq!(
                [factor.of(1, &COLOURS), factor.of(3, &COLOURS)],
                [color, alpha],
                "{factor:?}"
            );
        }
        for (name, factor) in Factor::ALL {
            assert_eq!(Factor::parse(name), Some(factor));
            assert_eq!(name, format!("{factor:?}"));
        }
    }

    #[test]
    fn operations_combine_the_products() {
        // 0.5 · 0.5 and 0.25 · 0.75.
        for (op, color, alpha) in [
            (BlendOp::Add, 0.4375, 1.25),
            (BlendOp::Subtract, 0.0625, -0.25),
            (BlendOp::RevSubtract, -0.0625, 0.25),
            (BlendOp::Min, 0.25, 0.5),
            (BlendOp::Max, 0.5, 0.75),
        ] {
            let color_of = Equation { src: Factor::SrcAlpha, dst: Factor::DestAlpha, op };
            let alpha_of = Equation { src: Factor::One, dst: Factor::One, op };
            let blend = Blend { color: color_of, alpha: alpha_of };
            let result = blend.apply(float(), COLOURS);
            assert_eq!([result[0], result[3]], [color, alpha], "{op:?}");
            assert_eq!(BlendOp::parse(&format!("{op:?}")), Some(op));
        }
    }

    #[test]
    fn inputs_are_clamped_for_normalised_formats_only() {
        let one = Equation { src: Factor::BlendFactor, dst: Factor::Zero, op: BlendOp::Add };
        let blend = Blend { color: one, alpha: one };
        let colours = Colours { src: [4.0, -4.0, f32::NAN, 0.5], constant: [8.0; 4], ..COLOURS };
        let of = |name: &str| blend.apply(Format::parse(name).unwrap(), colours);
        assert_eq!(of("RGBA8_UNORM"), [1.0, 0.0, 0.0, 0.5]);
        assert_eq!(of("BGRA8_UNORM"), [1.0, 0.0, 0.0, 0.5]);
        assert_eq!(of("RGBA8_SNORM"), [1.0, -1.0, 0.0, 0.5]);
        let [r, g, b, a] = of("RGBA16_FLOAT");
        assert_eq!([r, g, a], [32.0, -32.0, 4.0]);
        assert!(b.is_nan());
    }

    #[test]
    fn products_are_not_fused() {
        // Fused, the sum would not be 0.
        let x = 1.0 + f32::EPSILON;
        let same =
            Equation { src: Factor::SrcColor, dst: Factor::DestColor, op: BlendOp::Subtract };
        let blend = Blend { color: same, alpha: same };
        let colours = Colours { src: [x; 4], dst: [x; 4], ..COLOURS };
        assert_eq!(blend.apply(float(), colours), [0.0; 4]);
    }
}
