//! Top levels: instances of bottom levels, with their transforms, masks and flags.

use std::fmt;
use std::sync::Arc;

use super::bottom::Bottom;
use super::refusal::Refusal;
use super::transform::{self, Transform};
use super::tree::{self, Bounds, Items, Leaf, Tree};
use super::{IDENTITY, Ray, instance_flag};

/// An instance, as the host describes it. The identifier and the contribution are cut to 24 bits.
#[derive(Clone, Debug)]
pub struct Instance {
    pub transform: Transform,
    pub id: u32,
    pub mask: u8,
    /// `InstanceContributionToHitGroupIndex`.
    pub contribution: u32,
    /// Of [`instance_flag`].
    pub flags: u8,
    /// An instance without a bottom level is inactive.
    pub bottom: Option<Arc<Bottom>>,
}

impl Default for Instance {
    fn default() -> Instance {
        Instance { transform: IDENTITY, id: 0, mask: 0xff, contribution: 0, flags: 0, bottom: None }
    }
}

/// A top-level acceleration structure.
#[derive(Debug, Default)]
pub struct Scene {
    pub(super) instances: Vec<Placed>,
    problems: Vec<(usize, InstanceProblem)>,
    /// Over the instances, if there are enough of them.
    pub(super) tree: Option<Tree<Leaf>>,
    /// The factor by which the origin of a ray moves in that tree: 16u times the greatest condition of an instance.
    pub(super) pad: f32,
    /// Whether there are boxes, which come after an opaque triangle at the same t.
    pub(super) has_boxes: bool,
}

/// An instance with the matrix into its space.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) given: Instance,
    /// `None` if the instance cannot be hit: it has no bottom level, or no inverse.
    pub(super) world_to_object: Option<Transform>,
}

/// What is undefined about an instance. It has a fixed result nonetheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceProblem {
    /// The transform has no inverse in f32: the instance is never hit.
    NotInvertible,
    /// The transform has a NaN: the instance is never hit.
    NanTransform,
    /// `FORCE_OPAQUE` with `FORCE_NON_OPAQUE`: the latter counts.
    ForcedBothWays,
    /// Bits without a flag, which are ignored.
    UnknownFlags,
}

/// Up to this many instances are entered one after the other.
pub(super) const FEW: usize = 2;
/// The greatest condition of a matrix whose box is used.
const WORST: f64 = 4096.0;
const MOST_INSTANCES: usize = 1 << 24;

impl Scene {
    pub fn build(instances: &[Instance]) -> Result<Scene, Refusal> {
        if instances.len() > MOST_INSTANCES {
            return Err(Refusal::TooManyInstances(instances.len()));
        }
        let mut scene =
            Scene { instances: Vec::with_capacity(instances.len()), ..Scene::default() };
        for (at, instance) in instances.iter().enumerate() {
            scene.problems.extend(instance.problem().map(|it| (at, it)));
            let mut given = instance.clone();
            given.id &= 0xff_ffff;
            given.contribution &= 0xff_ffff;
            let inverse = given.bottom.as_ref().and_then(|_| transform::inverse(&given.transform));
            scene.has_boxes |= given.bottom.as_ref().is_some_and(|it| it.is_procedural());
            scene.instances.push(Placed { given, world_to_object: inverse });
        }
        if scene.instances.len() > FEW {
            scene.plant();
        }
        Ok(scene)
    }

    /// Builds the tree over the instances.
    ///
    /// A hit in the space of an instance deviates from its ray there by 8u·(|box| + |o'|) across, and by as much again
    /// because o' and d' are rounded: less than 16u·(|box| + |o'|), with |o'| ≤ ‖W‖·|o| + |w|. The inverse M of the
    /// matrix takes this into the world: 16u·‖M‖·(|box| + |w|), by which the box of the instance is enlarged, and
    /// 16u·‖M‖·‖W‖·|o|, by which the origin moves.
    fn plant(&mut self) {
        let mut condition = 1.0f64;
        let mut items = Items::with_capacity(self.instances.len());
        for it in &self.instances {
            items.push(match it.bounds() {
                // Where the matrix is ill-conditioned, the box is not worth a larger padding of all others.
                Some((_, of)) if of > WORST => Some(Bounds::ALL),
                Some((bounds, of)) => {
                    condition = condition.max(of);
                    Some(bounds)
                }
                None => None,
            });
        }
        self.tree = Some(items.tree(tree::PAD, |_, leaf, to| *to = *leaf));
        self.pad = (f64::from(tree::PAD) * condition) as f32;
    }

    pub fn instance_count(&self) -> usize {
        self.instances.len()
    }

    /// An instance as it was given, its identifier and contribution cut to 24 bits.
    pub fn instance(&self, at: u32) -> Option<&Instance> {
        self.instances.get(at as usize).map(|it| &it.given)
    }

    /// The matrix from the world into the space of an instance, unless it cannot be hit.
    pub fn world_to_object(&self, instance: u32) -> Option<&Transform> {
        self.instances.get(instance as usize)?.world_to_object.as_ref()
    }

    /// What is undefined about instances, each with its index.
    pub fn problems(&self) -> &[(usize, InstanceProblem)] {
        &self.problems
    }
}

impl Instance {
    fn problem(&self) -> Option<InstanceProblem> {
        let both = instance_flag::FORCE_OPAQUE | instance_flag::FORCE_NON_OPAQUE;
        let flags = u32::from(self.flags);
        if self.transform.iter().any(|it| it.is_nan()) {
            Some(InstanceProblem::NanTransform)
        } else if transform::inverse(&self.transform).is_none() {
            Some(InstanceProblem::NotInvertible)
        } else if flags & both == both {
            Some(InstanceProblem::ForcedBothWays)
        } else if flags & !instance_flag::KNOWN != 0 {
            Some(InstanceProblem::UnknownFlags)
        } else {
            None
        }
    }
}

impl Placed {
    /// The box of the instance in the world, enlarged, and the condition of its matrix; `None` if it cannot be hit.
    fn bounds(&self) -> Option<(Bounds, f64)> {
        let matrix = self.world_to_object.as_ref()?;
        let bottom = self.given.bottom.as_ref()?;
        let inside = bottom.bounds()?;
        let reach = f64::from(bottom.reach());
        let Some(inverse) = transform::inverse_64(matrix) else {
            return Some((Bounds::ALL, f64::INFINITY));
        };
        let norm = |m: &[f64; 12]| {
            let row = |at: usize| m[at * 4..at * 4 + 3].iter().map(|it| it.abs()).sum::<f64>();
            row(0).max(row(1)).max(row(2))
        };
        let matrix = matrix.map(f64::from);
        let shift = matrix[3].abs().max(matrix[7].abs()).max(matrix[11].abs());
        let condition = norm(&matrix) * norm(&inverse);
        let pad = f64::from(tree::PAD) * norm(&inverse) * (reach + shift);
        let mut bounds = Bounds::EMPTY;
        for corner in 0..8 {
            let p = [0, 1, 2].map(|axis| {
                let high = corner >> axis & 1 == 1;
                f64::from(if high { inside.high[axis] } else { inside.low[axis] })
            });
            for axis in 0..3 {
                let m = &inverse[axis * 4..axis * 4 + 4];
                let at = m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3];
                bounds.low[axis] = bounds.low[axis].min(((at - pad) as f32).next_down());
                bounds.high[axis] = bounds.high[axis].max(((at + pad) as f32).next_up());
            }
        }
        // A NaN would have been passed over.
        let sound = bounds.is_finite() && condition.is_finite();
        Some(if sound { (bounds, condition) } else { (Bounds::ALL, f64::INFINITY) })
    }

    /// The ray's origin and direction in the space of this instance, or `None` if the instance cannot be hit.
    #[inline(always)]
    pub(super) fn enter(&self, ray: &Ray) -> Option<([f32; 3], [f32; 3])> {
        let matrix = self.world_to_object.as_ref()?;
        let origin = transform::point(matrix, ray.origin);
        let direction = transform::direction(matrix, ray.direction);
        // A sum is a NaN if a number in it is one. So is one of infinities, which are tested again.
        let sum = origin[0] + origin[1] + origin[2] + direction[0] + direction[1] + direction[2];
        let nan = sum.is_nan() && origin.iter().chain(&direction).any(|it| it.is_nan());
        (!nan && direction != [0.0; 3]).then_some((origin, direction))
    }
}

impl std::error::Error for InstanceProblem {}

impl fmt::Display for InstanceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InstanceProblem::NotInvertible => "the transform has no inverse",
            InstanceProblem::NanTransform => "the transform has a NaN",
            InstanceProblem::ForcedBothWays => {
                "`FORCE_OPAQUE` and `FORCE_NON_OPAQUE` exclude each other"
            }
            InstanceProblem::UnknownFlags => "the instance has unknown flags",
        })
    }
}
