//! Pictures and arrays read as `--bind` reads them, written as `--out` writes them, and read again, for fuzzing the
//! readers. Built with the feature `tried` alone, since no command uses it.

use wavelane::internal::Slot;
use wavelane::texture::{Dim, Shape};
use wavelane::{Element, HostScalar, Layout, Norm};

use crate::{npy, texture};

/// The outcome for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It is not a valid file, for this reason.
    Refused(String),
    /// It was read, and written again as this file, which holds the same.
    Kept(Vec<u8>),
    /// The file that was written holds something else.
    Changed(String),
}

/// The textures that a picture or an array is bound to, one for each kind of texel.
const TEXELS: [(HostScalar, u32); 5] = [
    (HostScalar::F32, 4),
    (HostScalar::F32, 1),
    (HostScalar::U32, 4),
    (HostScalar::I32, 2),
    (HostScalar::F16, 3),
];

/// A PNG file, bound to a `Texture2D`; `texel` chooses what its texels are.
pub fn picture(file: &[u8], texel: usize) -> Tried {
    let read = |file: &[u8]| bound("@file.png", file, texel);
    round(file, read, |shape, bytes| {
        texture::file(shape, &Layout::of_texel(shape.format), bytes, true)
    })
}

/// A file of numpy, bound to a `Texture2D` or as numbers.
pub fn array(file: &[u8], texel: usize) -> Tried {
    if texel < TEXELS.len() {
        let read = |file: &[u8]| bound("@file.npy", file, texel);
        return match read(file) {
            Err(why) => Tried::Refused(why),
            Ok(_) => Tried::Kept(file.to_vec()),
        };
    }
    let array = match npy::read(file) {
        Ok(array) => array,
        Err(why) => return Tried::Refused(why),
    };
    let mut written = npy::header(array.scalar, &array.shape);
    written.extend_from_slice(&array.data);
    match npy::read(&written) {
        Ok(again) if again == array => Tried::Kept(written),
        again => Tried::Changed(format!("{array:?} became {again:?}")),
    }
}

fn round(
    file: &[u8],
    read: impl Fn(&[u8]) -> Result<(Shape, Slot), String>,
    write: impl Fn(&Shape, &[u8]) -> Result<Vec<u8>, String>,
) -> Tried {
    let (shape, buffer) = match read(file) {
        Ok(read) => read,
        Err(why) => return Tried::Refused(why),
    };
    let written = match write(&shape, &buffer.bytes) {
        Ok(written) => written,
        Err(why) => return Tried::Changed(format!("{shape:?} cannot be written: {why}")),
    };
    match read(&written) {
        Ok((again, other)) if again == shape && other.bytes == buffer.bytes => Tried::Kept(written),
        Ok((again, _)) => Tried::Changed(format!("{shape:?} became {again:?}, or its texels did")),
        Err(why) => Tried::Changed(format!("what was written of {shape:?} is refused: {why}")),
    }
}

/// The texture that `--bind` creates from a file.
fn bound(text: &str, file: &[u8], texel: usize) -> Result<(Shape, Slot), String> {
    let (scalar, components) = TEXELS[texel % TEXELS.len()];
    let element = Element { scalar, components, norm: Norm::None };
    let buffer = texture::texture(Dim::D2, &element, text, &mut |_| Ok(file.to_vec()))?;
    let shape = buffer.what.texture().ok_or("no texture came of it")?;
    Ok((shape, buffer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_was_written_holds_what_was_read() {
        let format = wavelane::texture::Format::parse("RGBA8_UNORM").unwrap();
        let shape = Shape::new(format, 2, 1, 1);
        let file =
            texture::file(&shape, &Layout::of_texel(shape.format), &[1, 2, 3, 4, 5, 6, 7, 8], true);
        let file = file.unwrap();
        assert!(matches!(picture(&file, 0), Tried::Kept(_)), "{:?}", picture(&file, 0));
        assert!(matches!(picture(&file[..20], 0), Tried::Refused(_)));
    }
}
