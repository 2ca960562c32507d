//! Programs rewritten for a dispatch, where that cannot be observed: `legalize::rewritten`, as far as the device and
//! what is known of the dispatch allow.
//!
//! Most dispatches of a shader are rewritten alike, so that a pipeline serves all that have the same module.

use ir::Module;
use ir::exec::Launch;
use legalize::{Dispatch, Known, Rewritten, coarse_groups, rewritten, runs};
use spirv::Extension;

use super::instance::Capabilities;
use crate::engines::sizes::{MOST_DISPATCHES, sizes, small_sizes};
use crate::memory::Contents;

/// Enough groups to keep a device busy; Vulkan does not report how many processors it has.
const GROUPS_OF_GPU: u32 = 1024;

/// The same for a driver that runs on the machine's processor.
const GROUPS_OF_PROCESSOR: u32 = 64;

/// What decides how a module is rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Occasion {
    width: u32,
    dispatch: Dispatch,
    small: Vec<usize>,
}

/// A module that takes the place of the shader's for some dispatches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Replacement {
    pub(super) module: Module,
    pub(super) launched: Launched,
}

/// How the groups of a dispatch are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launched {
    /// The groups on the first axis that run as one.
    coarse: u32,
    /// The most groups that run the others in turn.
    in_turn: Option<u32>,
}

impl Launched {
    /// As the shader says.
    pub(super) const PLAIN: Launched = Launched { coarse: 1, in_turn: None };

    /// The groups to launch for those of a dispatch.
    pub(super) fn groups(self, groups: [u32; 3]) -> [u32; 3] {
        let groups = coarse_groups(groups, self.coarse);
        match self.in_turn {
            Some(blocks) => [runs(groups, blocks), 1, 1],
            None => groups,
        }
    }
}

/// What dispatches of a shader were rewritten to.
#[derive(Default)]
pub(super) struct Replacements {
    /// The index of the replacement, if there is one.
    occasions: Vec<(Occasion, Option<usize>)>,
    pub(super) all: Vec<Replacement>,
}

impl Replacements {
    /// The index of the module that takes the shader's place for a dispatch.
    pub(super) fn of(
        &mut self,
        module: &Module,
        capabilities: &Capabilities,
        launch: &Launch,
        contents: &Contents<'_>,
    ) -> Option<usize> {
        let groups = launch.groups();
        groups.iter().try_fold(1, |all: u32, it| all.checked_mul(*it))?;
        let dispatch = Dispatch { groups, bytes: sizes(module, contents) };
        let small = small_sizes(module, contents);
        let occasion = Occasion { width: launch.wave_width, dispatch, small };
        if let Some((_, known)) = self.occasions.iter().find(|it| it.0 == occasion) {
            return *known;
        }
        if self.occasions.len() >= MOST_DISPATCHES {
            return None;
        }
        let replacement = replacement(module, capabilities, &occasion);
        let index = replacement.map(|new| {
            let known = self.all.iter().position(|it| *it == new);
            known.unwrap_or_else(|| {
                self.all.push(new);
                self.all.len() - 1
            })
        });
        self.occasions.push((occasion, index));
        index
    }
}

fn replacement(
    module: &Module,
    capabilities: &Capabilities,
    occasion: &Occasion,
) -> Option<Replacement> {
    let environment = capabilities.environment();
    // Waves of a chosen width, all of whose lanes are there, and which reconverge as the IR says.
    if !capabilities.requires_width
        || !environment.full_waves
        || !environment.extensions.contains(&Extension::MaximalReconvergence)
    {
        return None;
    }
    let blocks = match capabilities.is_processor() {
        true => GROUPS_OF_PROCESSOR,
        false => GROUPS_OF_GPU,
    };
    let known = Known {
        width: occasion.width,
        dispatch: Some(&occasion.dispatch),
        // Copies begin as zeros.
        sizes: environment.zero_groupshared.then_some(&occasion.small[..]),
        blocks: Some(blocks),
        in_constants: true,
    };
    let target = environment.target().with_rewrites();
    let Rewritten { module: new, coarse, in_turn } = rewritten(module, &target, &known);
    let is_new = matches!(new, std::borrow::Cow::Owned(_));
    let shared = u64::from(capabilities.limits.max_compute_shared_memory_size);
    let fits = new.groupshared_bytes() <= shared.max(module.groupshared_bytes());
    let launched = Launched { coarse, in_turn: in_turn.then_some(blocks) };
    (is_new && fits).then(|| Replacement { module: new.into_owned(), launched })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_launched_as_they_were_rewritten() {
        let launched = |coarse, in_turn| Launched { coarse, in_turn };
        assert_eq!(Launched::PLAIN.groups([8, 3, 2]), [8, 3, 2]);
        assert_eq!(launched(4, None).groups([8, 3, 2]), [2, 3, 2]);
        assert_eq!(launched(2, Some(7)).groups([8, 3, 2]), [7, 1, 1]);
        assert_eq!(launched(2, Some(99)).groups([8, 3, 2]), [24, 1, 1]);
        assert_eq!(launched(4, Some(9)).groups([0, 3, 2]), [0, 1, 1]);
    }
}
