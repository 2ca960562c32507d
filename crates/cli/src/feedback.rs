//! Feedback maps on the command line: the values of `--bind`, and how decoded maps are shown and written.
//!
//! | value | |
//! |---|---|
//! | `feedback(T, region=8x8)` | a cleared map of the texture that is bound to `T` |
//! | `feedback(T[2], region=16x8):@before.npy` | with these decoded texels: a list, `fill(0)`, `.npy`, `.bin`, or `.png` of a map with one level and layer |
//! | `none` | the null descriptor, to which writes do nothing |

use std::io::{self, Write};

use wavelane::feedback::{FeedbackDesc, FeedbackKind, FeedbackMap};
use wavelane::internal::{FeedbackMap as Held, Slot};
use wavelane::texture::Shape;
use wavelane::{Bindable, Element, HostScalar, Layout, Norm, Scalar, Texture};

use crate::texture::Open;
use crate::value::{self, Content};
use crate::{picture, texture};

/// Whether a value is that of a feedback map.
pub(crate) fn is_map(text: &str) -> bool {
    text.trim_start().starts_with("feedback(")
}

const USAGE: &str =
    "expected `feedback(T, region=8x8)`, where `T` is a texture that is bound, or `none`";

/// The name of the texture, the region, and what follows the parentheses.
fn parts(text: &str) -> Result<[&str; 3], String> {
    let inside = text.trim().strip_prefix("feedback(").and_then(|it| it.split_once(')'));
    let (arguments, rest) = inside.ok_or(USAGE)?;
    let (name, region) = arguments.split_once(',').ok_or(USAGE)?;
    Ok([name.trim(), region.trim(), rest.trim()])
}

/// `T` or `T[k]`
fn element_of(name: &str) -> Result<(&str, u32), String> {
    let Some((base, index)) = name.split_once('[') else { return Ok((name, 0)) };
    let index = index.strip_suffix(']').and_then(|it| it.trim().parse().ok());
    Ok((base, index.ok_or_else(|| format!("expected `T` or `T[k]`, not `{name}`"))?))
}

/// The texture that a map belongs to, by its name and element.
pub(crate) fn paired(text: &str) -> Option<(String, u32)> {
    let [name, ..] = parts(text).ok()?;
    let (base, element) = element_of(name).ok()?;
    Some((base.to_owned(), element))
}

/// What a value binds to a map of that kind; `texture` finds its texture.
pub(crate) fn contents(
    kind: FeedbackKind,
    text: &str,
    texture: &dyn Fn(&str, u32) -> Option<Texture>,
    open: Open<'_>,
) -> Result<Bindable, String> {
    let text = text.trim();
    if text == "none" {
        return Ok(Slot::default().into());
    }
    let [name, region, rest] = parts(text)?;
    let sizes = region.strip_prefix("region").map(str::trim_start);
    let sizes = sizes.and_then(|it| it.strip_prefix('=')?.trim().split_once('x')).ok_or(USAGE)?;
    let size = |word: &str| {
        word.trim().parse::<u32>().map_err(|_| format!("`{}` is not a size", word.trim()))
    };
    let region = [size(sizes.0)?, size(sizes.1)?];
    let (base, element) = element_of(name)?;
    let Some(paired) = texture(base, element) else {
        return Err(format!("no texture `{name}` is bound; a map belongs to a texture"));
    };
    let desc = FeedbackDesc { kind, paired: &paired, region };
    let map = FeedbackMap::new(&desc).map_err(|it| it.to_string())?;
    if !rest.is_empty() {
        let texels = texels(&map, rest, open)?;
        map.encode(&texels).map_err(|it| it.to_string())?;
    }
    Ok(map.into())
}

/// The decoded texels after a `:`.
fn texels(map: &FeedbackMap, text: &str, open: Open<'_>) -> Result<Vec<u8>, String> {
    let [width, height] = map.size(0);
    let count = map.texels();
    let file = text.strip_prefix(':').and_then(|it| it.trim().strip_prefix('@'));
    if let Some(path) = file.filter(|it| it.to_ascii_lowercase().ends_with(".png")) {
        let byte = Element { scalar: HostScalar::U32, components: 1, norm: Norm::None };
        let slot = picture::read(&byte, Some(map.format()), &open(path)?)
            .map_err(|what| format!("`{path}`: {what}"))?;
        let size = slot.what.texture().map(|it| [it.width, it.height]);
        if count != (width * height) as usize {
            return Err("a picture has one level and one layer, and this map has more".to_owned());
        }
        return match size {
            Some(size) if size == [width, height] => Ok(slot.bytes.to_vec()),
            size => {
                let [w, h] = size.unwrap_or_default();
                Err(format!("`{path}`: the map has {width}x{height} texels, the picture {w}x{h}"))
            }
        };
    }
    let value = value::parse(&format!("u8[{count}]{text}"), open)?;
    if let Content::Bytes(given) = value.content {
        return match given.len() == count {
            true => Ok(given),
            false => Err(format!("the map has {count} texels, the file {} bytes", given.len())),
        };
    }
    let mut all = vec![0; count];
    value.for_each_scalar(
        count,
        |_| Scalar::U8,
        |i, bits| crate::number::write(bits, Scalar::U8, &mut all[i..]),
    )?;
    Ok(all)
}

/// What a run left in a slot, decoded if it is a map.
pub(crate) fn decoded(slot: Slot) -> Slot {
    match slot.what.feedback() {
        Some(held) => Slot::new(held.map.decode(&slot.bytes)),
        None => slot,
    }
}

/// The largest level of a decoded map, as a texture.
pub(crate) fn shape(held: &Held) -> Shape {
    level_shape(held, 0)
}

fn level_shape(held: &Held, level: u32) -> Shape {
    let [width, height] = held.map.size(level);
    Shape { layers: held.map.layers, ..Shape::new(held.map.texture().format, width, height, 1) }
}

/// The layout of decoded texels.
pub(crate) fn layout() -> Layout {
    Layout::uniform(Scalar::U8, 1)
}

/// Whether a decoded map has several levels, each of which is a separate file.
pub(crate) fn has_levels(held: &Held) -> bool {
    held.map.held_levels() > 1
}

/// The file of a level of a decoded map: `.png` or `.npy`.
pub(crate) fn file(
    held: &Held,
    texels: &[u8],
    level: u32,
    as_png: bool,
) -> Result<Vec<u8>, String> {
    let shape = level_shape(held, level);
    let size = (shape.width * shape.height) as usize;
    let mut bytes = Vec::with_capacity(size * shape.layers as usize);
    for layer in 0..shape.layers {
        let start = held.map.texel(layer, level, [0, 0]);
        bytes.extend(texels.get(start..start + size).unwrap_or(&[]));
    }
    texture::file(&shape, &layout(), &bytes, as_png)
}

/// The texels row by row; those that nothing has touched are dots.
pub(crate) fn text(
    held: &Held,
    texels: &[u8],
    most: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let map = &held.map;
    let mut shown = 0;
    for (layer, level) in
        (0..map.layers).flat_map(|layer| (0..map.held_levels()).map(move |level| (layer, level)))
    {
        let [width, height] = map.size(level);
        let several: Vec<String> =
            [("layer", layer, map.layers), ("level", level, map.held_levels())]
                .into_iter()
                .filter(|it| it.2 > 1)
                .map(|(word, number, _)| format!("{word} {number}"))
                .collect();
        if !several.is_empty() {
            writeln!(out, "    {}", several.join(", "))?;
        }
        for y in 0..height {
            if shown >= most {
                return writeln!(out, "    … more; `--out` writes all of it");
            }
            write!(out, "    {y:>3} |")?;
            for x in 0..width {
                match texels.get(map.texel(layer, level, [x, y])).copied() {
                    Some(it) if it != map.kind.cleared() => write!(out, " {it:>3}")?,
                    _ => write!(out, "   ·")?,
                }
            }
            writeln!(out)?;
            shown += width as usize;
        }
    }
    Ok(())
}
