//! The scenes of sections: `//# scene NAME: INSTANCE | INSTANCE`, where an instance is a bottom level of geometries,
//! which `+` joins, with properties in front.
//!
//! ```text
//! //# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0) + non-opaque triangles(0 1 1, -1 -1 1, 1 -1 1)
//! //# scene Scene: id 7, mask 2, at 0 0 -1: boxes(-1 -1 -1 1 1 1) | flags 1: triangles(…)
//! //# scene Scene: none
//! ```

use std::sync::Arc;

use wavelane::internal::SharedScene;
use wavelane::internal::ray::{
    Bottom, BottomOptions, Geometry, GeometryData, IDENTITY, Instance, Scene, geometry_flag,
};

/// The numbers of a geometry.
enum Held {
    Triangles(Vec<[f32; 3]>),
    Boxes(Vec<[f32; 6]>),
}

/// `NAME: INSTANCES`; nothing is bound for `none`.
pub(super) fn scene(text: &str) -> Result<(String, Option<SharedScene>), String> {
    let (name, instances) = text.split_once(':').ok_or("expected `scene NAME: INSTANCES`")?;
    Ok((name.trim().to_owned(), short_scene(instances)?))
}

/// `INSTANCE | INSTANCE`; nothing is bound for `none`. Command lines have the same form.
pub fn short_scene(text: &str) -> Result<Option<SharedScene>, String> {
    if text.trim() == "none" {
        return Ok(None);
    }
    let all: Vec<Instance> =
        text.split('|').map(|it| instance(it.trim())).collect::<Result<_, _>>()?;
    let scene = Scene::build(&all).map_err(|it| it.to_string())?;
    Ok(Some(SharedScene(Arc::new(scene))))
}

/// `id 1, mask 2, contribution 3, flags 4, at X Y Z, matrix 12 numbers, sealed: GEOMETRY + GEOMETRY`
fn instance(text: &str) -> Result<Instance, String> {
    let (properties, geometries) = match text.split_once(':') {
        Some((properties, geometries)) => (properties, geometries),
        None => ("", text),
    };
    let mut instance = Instance { transform: IDENTITY, ..Instance::default() };
    let mut options = BottomOptions::default();
    for property in properties.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let (word, rest) = property.split_once(' ').unwrap_or((property, ""));
        let number = || rest.trim().parse::<u32>().map_err(|_| format!("`{rest}` is not a number"));
        let byte = || {
            let all = number()?;
            u8::try_from(all).map_err(|_| format!("`{word} {all}` does not fit into 8 bits"))
        };
        match word {
            "id" => instance.id = number()?,
            "mask" => instance.mask = byte()?,
            "contribution" => instance.contribution = number()?,
            "flags" => instance.flags = byte()?,
            "at" => {
                let [x, y, z] = exactly(floats(rest)?)?;
                for (row, by) in [x, y, z].into_iter().enumerate() {
                    instance.transform[row * 4 + 3] = by;
                }
            }
            "matrix" => instance.transform = exactly(floats(rest)?)?,
            // Without access to its data.
            "sealed" => options.data_access = false,
            _ => return Err(format!("unknown property `{word}` of an instance")),
        }
    }
    let parts: Vec<(Held, u32)> =
        geometries.split('+').map(|it| geometry(it.trim())).collect::<Result<_, _>>()?;
    let geometries: Vec<Geometry<'_>> = parts
        .iter()
        .map(|(held, flags)| {
            let data = match held {
                Held::Triangles(vertices) => {
                    GeometryData::Triangles { vertices, indices: None, transform: None }
                }
                Held::Boxes(boxes) => GeometryData::Boxes(boxes),
            };
            Geometry { data, flags: *flags }
        })
        .collect();
    instance.bottom = Some(Bottom::build(&geometries, options).map_err(|it| it.to_string())?);
    Ok(instance)
}

/// `[non-opaque] [once] triangles(X Y Z, …)` or `boxes(X Y Z X Y Z, …)`
fn geometry(text: &str) -> Result<(Held, u32), String> {
    let mut flags = geometry_flag::OPAQUE;
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix("non-opaque ") {
            (flags, rest) = (flags & !geometry_flag::OPAQUE, after.trim_start());
        } else if let Some(after) = rest.strip_prefix("once ") {
            flags |= geometry_flag::NO_DUPLICATE_ANYHIT_INVOCATION;
            rest = after.trim_start();
        } else {
            break;
        }
    }
    let wrong = || format!("expected `triangles(…)` or `boxes(…)`, not `{rest}`");
    let (word, list) = rest.split_once('(').ok_or_else(wrong)?;
    let list = list.trim_end().strip_suffix(')').ok_or_else(wrong)?;
    let parts = list.split(',').map(floats);
    let held = match word.trim() {
        "triangles" => {
            Held::Triangles(parts.map(|it| exactly(it?)).collect::<Result<_, String>>()?)
        }
        "boxes" => Held::Boxes(parts.map(|it| exactly(it?)).collect::<Result<_, String>>()?),
        _ => return Err(wrong()),
    };
    Ok((held, flags))
}

fn floats(text: &str) -> Result<Vec<f32>, String> {
    let number = |it: &str| it.parse().map_err(|_| format!("`{it}` is not a number"));
    text.split_whitespace().map(number).collect()
}

fn exactly<const N: usize>(numbers: Vec<f32>) -> Result<[f32; N], String> {
    let count = numbers.len();
    numbers.try_into().map_err(|_| format!("expected {N} numbers, not {count}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_read() {
        let text = "Scene: id 7, mask 2, at 1 2 3: triangles(0 1 0, -1 -1 0, 1 -1 0) | boxes(-1 -1 -1 1 1 1)";
        let (name, found) = scene(text).unwrap();
        let found = found.unwrap();
        assert_eq!((name.as_str(), found.0.instance_count()), ("Scene", 2));
        let first = found.0.instance(0).unwrap();
        assert_eq!((first.id, first.mask, first.transform[3]), (7, 2, 1.0));
        assert!(scene("Scene: none").unwrap().1.is_none());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("Scene", "expected `scene NAME: INSTANCES`"),
            ("Scene: balls(1)", "expected `triangles(…)` or `boxes(…)`, not `balls(1)`"),
            ("Scene: boxes(1 2 3)", "expected 6 numbers, not 3"),
            ("Scene: boxes(1 2 3 4 5 x)", "`x` is not a number"),
            ("Scene: mask 256: boxes(1 2 3 4 5 6)", "`mask 256` does not fit into 8 bits"),
            ("Scene: flags 999: boxes(1 2 3 4 5 6)", "`flags 999` does not fit into 8 bits"),
            ("Scene: big: boxes(1 2 3 4 5 6)", "unknown property `big` of an instance"),
        ] {
            assert_eq!(scene(text).unwrap_err(), expected, "{text}");
        }
    }
}
