//! The formats of images that a foreign module may name, by number and name. The list is whole, but for formats that no
//! version of Vulkan has.

pub(super) fn name(number: u32) -> Option<&'static str> {
    TABLE.iter().find(|(it, _)| *it == number).map(|(_, name)| *name)
}

pub(crate) const TABLE: &[(u32, &str)] = &[
    (1, "Rgba32f"),
    (2, "Rgba16f"),
    (3, "R32f"),
    (4, "Rgba8"),
    (5, "Rgba8Snorm"),
    (6, "Rg32f"),
    (7, "Rg16f"),
    (8, "R11fG11fB10f"),
    (9, "R16f"),
    (10, "Rgba16"),
    (11, "Rgb10A2"),
    (12, "Rg16"),
    (13, "Rg8"),
    (14, "R16"),
    (15, "R8"),
    (16, "Rgba16Snorm"),
    (17, "Rg16Snorm"),
    (18, "Rg8Snorm"),
    (19, "R16Snorm"),
    (20, "R8Snorm"),
    (21, "Rgba32i"),
    (22, "Rgba16i"),
    (23, "Rgba8i"),
    (24, "R32i"),
    (25, "Rg32i"),
    (26, "Rg16i"),
    (27, "Rg8i"),
    (28, "R16i"),
    (29, "R8i"),
    (30, "Rgba32ui"),
    (31, "Rgba16ui"),
    (32, "Rgba8ui"),
    (33, "R32ui"),
    (34, "Rgb10a2ui"),
    (35, "Rg32ui"),
    (36, "Rg16ui"),
    (37, "Rg8ui"),
    (38, "R16ui"),
    (39, "R8ui"),
    (40, "R64ui"),
    (41, "R64i"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn every_number_stands_once_and_in_order() {
        assert!(super::TABLE.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(super::name(33), Some("R32ui"));
        assert_eq!(super::name(0), None);
    }
}
