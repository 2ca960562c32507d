//! What a draw renders to: its targets and its depth buffer, cleared as its state says.

use wavelane::graphics::{Samples, resolved};
use wavelane::texture::{Format, Shape, Texel};
use wavelane::{BufferError, DepthTarget, Draw as Drawing, RenderTarget, Texture};

use crate::job::draw::Draw;

/// The targets of a draw, and its depth buffer.
#[derive(Clone, Debug)]
pub struct Attachments {
    /// In the order of the state's targets.
    targets: Vec<Texture>,
    depth: Option<DepthTarget>,
    samples: Samples,
}

impl Attachments {
    /// Makes those of a draw; a size is width, height and slices.
    pub fn new(draw: &Draw, size: [u32; 3], has_depth: bool) -> Result<Attachments, BufferError> {
        let [width, height, layers] = size;
        let target = |format: Format, clear: [f64; 4]| {
            let shape = Shape {
                layers,
                samples: draw.samples.count(),
                ..Shape::new(format, width, height, 1)
            };
            let bytes = shape.bytes().ok_or(BufferError::Shape)?;
            let texel = cleared(format, clear);
            Texture::from_bytes(shape, texel.repeat(bytes / texel.len()))
        };
        let targets = draw.targets.iter().map(|it| target(it.format, it.clear));
        let depth = has_depth.then(|| {
            let depth = DepthTarget::new(draw.depth.format, width, height, layers, draw.samples)?;
            depth.clear(draw.depth.clear, draw.depth.stencil_clear)?;
            Ok::<_, BufferError>(depth)
        });
        let depth = depth.transpose()?;
        Ok(Attachments {
            targets: targets.collect::<Result<_, _>>()?,
            depth,
            samples: draw.samples,
        })
    }

    /// Renders to them.
    pub fn attach(&self, drawing: &mut Drawing) {
        drawing.targets = self.targets.iter().map(|it| Some(RenderTarget::from(it))).collect();
        drawing.depth.clone_from(&self.depth);
    }

    /// The texels of each target; those of several samples are resolved.
    pub fn texels(&self) -> Result<Vec<Vec<u8>>, BufferError> {
        let texels = |it: &Texture| match self.samples {
            Samples::One => it.read_bytes(),
            _ => resolved(it)?.read_bytes(),
        };
        self.targets.iter().map(texels).collect()
    }

    /// The format of the plane of depths, and the depth of each pixel: of several samples, the first.
    pub fn depth(&self) -> Result<Option<(Format, Vec<u8>)>, BufferError> {
        let Some(depth) = &self.depth else { return Ok(None) };
        let format = depth.format().plane();
        Ok(Some((format, self.first_sample(depth.depth(), format.bytes())?)))
    }

    /// The stencil of each pixel, if there is one: of several samples, the first.
    pub fn stencil(&self) -> Result<Option<Vec<u8>>, BufferError> {
        let plane = self.depth.as_ref().and_then(DepthTarget::stencil);
        plane.map(|it| self.first_sample(it, 1)).transpose()
    }

    fn first_sample(&self, plane: &Texture, texel: usize) -> Result<Vec<u8>, BufferError> {
        let bytes = plane.read_bytes()?;
        let samples = self.samples.count() as usize;
        Ok(bytes.chunks_exact(texel).step_by(samples).flatten().copied().collect())
    }
}

/// The bytes of a texel that is cleared to a colour.
fn cleared(format: Format, colour: [f64; 4]) -> Vec<u8> {
    let mut bytes = vec![0; format.bytes()];
    let texel = match format.decode(&bytes) {
        Texel::Float(_) => Texel::Float(colour.map(|it| it as f32)),
        Texel::Unsigned(_) => Texel::Unsigned(colour.map(|it| it as u64)),
        Texel::Signed(_) => Texel::Signed(colour.map(|it| it as i64)),
    };
    format.encode(texel, &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_cleared_in_their_format() {
        let of = |name: &str, colour| cleared(Format::parse(name).unwrap(), colour);
        assert_eq!(of("RGBA8_UNORM", [1.0, 0.5, 0.0, 1.0]), [255, 128, 0, 255]);
        assert_eq!(of("R32_UINT", [7.0, 0.0, 0.0, 0.0]), [7, 0, 0, 0]);
        assert_eq!(of("R16_SINT", [-1.0, 0.0, 0.0, 0.0]), [255, 255]);
    }
}
