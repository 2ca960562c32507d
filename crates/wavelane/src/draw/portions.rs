//! The portions of a draw: vertices run ahead of pixels, a portion of them at a time, so that what they leave stays in
//! a processor's cache.

use std::ops::Range;

use raster::Assembly;

/// Primitives that are drawn together, and their vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) instances: Range<u32>,
    /// The numbers of the primitives of these instances.
    pub(super) primitives: Range<u32>,
    /// Counted from the first vertex of the draw.
    pub(super) vertices: Range<u64>,
    pub(super) is_last: bool,
}

/// The portions of a draw, in the order of its primitives: some instances, or a part of one.
pub(super) struct Portions {
    per_instance: u64,
    instances: u32,
    /// How many instances are together.
    step: u32,
    /// The vertices of a primitive, and how many primitives are together, if instances are divided.
    divided: Option<(u32, u32)>,
    /// The instance and the primitive that follow.
    next: (u32, u32),
}

impl Portions {
    /// With about `most` vertices each; `divides`: an instance that has more is divided.
    pub(super) fn new(assembly: &Assembly, instances: u32, most: u64, divides: bool) -> Portions {
        let per_instance = u64::from(assembly.vertices());
        let step = u32::try_from(most / per_instance.max(1)).unwrap_or(u32::MAX);
        let divided = assembly
            .separate()
            .filter(|_| divides && per_instance > most)
            .map(|each| (each, u32::try_from(most / u64::from(each)).unwrap_or(u32::MAX).max(1)));
        let step = step.clamp(1, instances.max(1));
        Portions { per_instance, instances, step, divided, next: (0, 0) }
    }
}

impl Iterator for Portions {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let (instance, primitive) = self.next;
        if instance >= self.instances {
            return None;
        }
        let at = |instance: u32| u64::from(instance) * self.per_instance;
        let Some((each, count)) = self.divided else {
            let end = instance.saturating_add(self.step).min(self.instances);
            self.next = (end, 0);
            return Some(Part {
                instances: instance..end,
                primitives: 0..u32::MAX,
                vertices: at(instance)..at(end),
                is_last: end == self.instances,
            });
        };
        let end = primitive.saturating_add(count);
        let within = |primitive: u32| u64::from(primitive) * u64::from(each);
        // Vertices that form no primitive belong to the last portion.
        let is_whole = within(end) + u64::from(each) > self.per_instance;
        self.next = if is_whole { (instance + 1, 0) } else { (instance, end) };
        let start = at(instance) + within(primitive);
        let vertices = start..if is_whole { at(instance + 1) } else { at(instance) + within(end) };
        Some(Part {
            instances: instance..instance + 1,
            primitives: primitive..end,
            vertices,
            is_last: is_whole && instance + 1 == self.instances,
        })
    }
}

#[cfg(test)]
mod tests {
    use raster::Topology;

    use super::*;

    /// Every vertex and every primitive is in one portion, and a primitive's vertices are in its own.
    #[test]
    fn portions_divide_a_draw() {
        for topology in
            [Topology::TriangleList, Topology::TriangleStrip, Topology::LineListAdjacency]
        {
            for vertices in [3, 4, 7, 29, 30, 31] {
                for most in [1, 3, 10, 64, u64::MAX] {
                    let assembly = Assembly::plain(topology, vertices);
                    let (mut next, mut drawn, mut last) = (0, Vec::new(), None);
                    for part in Portions::new(&assembly, 3, most, true) {
                        assert_eq!(part.vertices.start, next, "{topology:?} {vertices} {most}");
                        next = part.vertices.end;
                        for instance in part.instances.clone() {
                            for it in assembly.some_primitives(part.primitives.clone()) {
                                let first = u64::from(instance * vertices);
                                for vertex in it.vertices {
                                    assert!(part.vertices.contains(&(first + u64::from(vertex))));
                                }
                                drawn.push((instance, it.id));
                            }
                        }
                        assert!(!last.replace(part.is_last).unwrap_or(false));
                    }
                    assert_eq!((next, last), (3 * u64::from(vertices), Some(true)));
                    let count = assembly.count() as u32;
                    let all = (0..3).flat_map(|it| (0..count).map(move |id| (it, id)));
                    assert!(drawn.into_iter().eq(all), "{topology:?} {vertices} {most}");
                }
            }
        }
    }
}
