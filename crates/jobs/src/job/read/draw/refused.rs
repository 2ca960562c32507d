//! State of draws that other programs have and this one does not, by the names that it may be given.

use super::*;

/// Keys, and what they would set.
const REFUSED: [(&str, &str); 15] = [
    ("Wireframe", "wireframe rasterization"),
    ("FillMode", "how triangles are filled"),
    ("Conservative", CONSERVATIVE),
    ("ConservativeRaster", CONSERVATIVE),
    ("ForcedSampleCount", "a forced sample count"),
    ("LineWidth", "lines wider than a pixel"),
    ("AntialiasedLines", "anti-aliased lines"),
    ("LineMode", "lines other than aliased ones"),
    ("StreamOutput", "stream output"),
    ("ShadingRate", "variable-rate shading"),
    ("ViewInstancing", "view instancing"),
    ("Bounds", DEPTH_BOUNDS),
    ("DepthBounds", DEPTH_BOUNDS),
    ("ColorSamples", "a target with other samples than the depth buffer"),
    ("SampleQuality", "samples in other than the standard places"),
];

const CONSERVATIVE: &str = "conservative rasterization";
const DEPTH_BOUNDS: &str = "a test of depth bounds";

impl Reader {
    /// Ends a mapping of state: keys that are refused by name are not supported, and all other remaining keys are
    /// unknown.
    pub(super) fn done_with_state(&mut self, fields: Fields<'_>) {
        let refused = |key: &Key| REFUSED.iter().find(|it| it.0.eq_ignore_ascii_case(&key.name));
        let keys = || fields.entries.iter().map(|it| &it.0);
        for (key, (_, what)) in keys().filter_map(|it| Some((it, refused(it)?))) {
            let message = format!("`{}` sets {what}, which is not supported", key.name);
            self.errors.push(Error::unsupported(key.at.clone(), message));
        }
        for key in keys().filter(|it| refused(it).is_none()) {
            if !fields.asked.contains(&key.name.as_str()) {
                self.unknown(key, &fields.asked);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::job::draw::Draw;
    use crate::job::{StateKey, read_state};

    #[test]
    fn what_is_refused_is_not_supported_rather_than_unknown() {
        let read = |key, text: &str| read_state(&mut Draw::fixed(), key, text).unwrap_err();
        for (key, text) in [
            (StateKey::Raster, "Wireframe: true"),
            (StateKey::Raster, "{ Cull: Back, conservative: true }"),
            (StateKey::DepthStencil, "{ Bounds: [0, 1] }"),
        ] {
            let errors = read(key, text);
            assert!(errors.len() == 1 && errors[0].is_unsupported, "{text}: {errors:?}");
            assert!(errors[0].message.contains("is not supported"), "{text}: {errors:?}");
        }
        let both = read(StateKey::Raster, "{ Wireframe: true, Wierframe: true }");
        assert_eq!(both.iter().map(|it| it.is_unsupported).collect::<Vec<_>>(), [true, false]);
    }
}
