//! The feedback maps of sections: `//# feedback NAME KIND TEXTURE WxH [: VALUES]`, after the directive of the texture.
//!
//! ```text
//! //# texture Paired R8_UNORM 16x16 mips 3
//! //# feedback Map min-mip Paired 4x4
//! //# feedback Used used Paired 8x4: 8*0
//! //# feedback Nothing none
//! ```

use wavelane::feedback::FeedbackKind;
use wavelane::internal::{FeedbackMap, What};

use super::{Input, Section, bytes, number};

pub(super) fn feedback(section: &mut Section, text: &str) -> Result<(), String> {
    let usage =
        "expected `feedback NAME min-mip|used TEXTURE WxH [: VALUES]`, or `feedback NAME none`";
    let (head, values) = match text.split_once(':') {
        Some((head, values)) => (head, Some(values)),
        None => (text, None),
    };
    let words: Vec<&str> = head.split_whitespace().collect();
    let (name, kind, texture, size) = match words[..] {
        // The null descriptor.
        [name, "none"] => {
            section.inputs.push(Input { name: name.to_owned(), ..Input::default() });
            return Ok(());
        }
        [name, "min-mip", texture, size] => (name, FeedbackKind::MinMip, texture, size),
        [name, "used", texture, size] => (name, FeedbackKind::MipRegionUsed, texture, size),
        _ => return Err(usage.to_owned()),
    };
    let (width, height) = size.split_once('x').ok_or(usage)?;
    let region = [number(width)? as u32, number(height)? as u32];
    let missing = || format!("there is no `//# texture {texture} …` above");
    let at = section.inputs.iter().position(|it| it.name == texture).ok_or_else(missing)?;
    let shape = section.inputs[at].what.texture().ok_or_else(missing)?;
    let paired = at as u64 + 1;
    section.inputs[at].what = What::Texture { shape, identity: paired };
    let map = FeedbackMap::new(kind, &shape, region, paired).map_err(|it| it.to_string())?;
    let bytes = match values {
        None => map.map.memory(),
        Some(values) => {
            let texels = bytes("u8", values)?;
            let needs = map.map.texels();
            if texels.len() != needs {
                return Err(format!("the map has {needs} texels, not {}", texels.len()));
            }
            map.map.encode(&texels)
        }
    };
    section.inputs.push(Input { name: name.to_owned(), bytes, what: What::Feedback(map) });
    Ok(())
}
