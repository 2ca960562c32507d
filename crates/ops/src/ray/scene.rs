//! Top levels: instances of bottom levels, with their transforms, masks and flags.

use std::fmt;
use std::sync::Arc;

use super::bottom::Bottom;
use super::refusal::Refusal;
use super::transform::{self, Transform};
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

const MOST_INSTANCES: usize = 1 << 24;

impl Scene {
    pub fn build(instances: &[Instance]) -> Result<Scene, Refusal> {
        if instances.len() > MOST_INSTANCES {
            return Err(Refusal::TooManyInstances(instances.len()));
        }
        let mut scene =
            Scene { instances: Vec::with_capacity(instances.len()), problems: Vec::new() };
        for (at, instance) in instances.iter().enumerate() {
            scene.problems.extend(instance.problem().map(|it| (at, it)));
            let mut given = instance.clone();
            given.id &= 0xff_ffff;
            given.contribution &= 0xff_ffff;
            let inverse = given.bottom.as_ref().and_then(|_| transform::inverse(&given.transform));
            scene.instances.push(Placed { given, world_to_object: inverse });
        }
        Ok(scene)
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
    /// The ray's origin and direction in the space of this instance, or `None` if the instance cannot be hit.
    pub(super) fn enter(&self, ray: &Ray) -> Option<([f32; 3], [f32; 3])> {
        let matrix = self.world_to_object.as_ref()?;
        let origin = transform::point(matrix, ray.origin);
        let direction = transform::direction(matrix, ray.direction);
        let nan = origin.iter().chain(&direction).any(|it| it.is_nan());
        (!nan && direction != [0.0; 3]).then_some((origin, direction))
    }
}

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
