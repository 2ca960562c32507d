//! What `--bind`, `--set` and `--counter` give to the stages of a draw.
//!
//! A value is for all stages whose shader has a resource or a member of that name. What several stages declare alike is
//! bound once, so that a stage sees what an earlier one has written; constants cannot be written, and each stage has
//! its own. A name that no stage declares is an error, and one that no stage uses causes a note. What is made up for a
//! stage has a size that fits its groups, or the pixels of the target.

use wavelane::internal::Slots;
use wavelane::{Contents, ResourceTable, Shader, SourceMap, Span, Stage, StageTables};

use super::Scene;
use crate::asked::Binds;
use crate::auto::Auto;
use crate::bind::{self, Bound, base_of, find_in, split_element};
use crate::launch;
use crate::missing::{Unused, is_read, tell_unused_in_draw, unknown};
use crate::problem::Problem;
use values::member::NotFound;

/// What is bound to each stage of a draw.
pub(crate) struct Tables {
    /// The pixel shader comes first, if there is one.
    stages: Vec<(Stage, Bound)>,
    /// What was made up for all of them, if `--auto` was given.
    pub(crate) auto: Option<Auto>,
}

impl Tables {
    /// Binds to the stages of a scene and to the pixel shader.
    pub(crate) fn bind(
        binds: &Binds,
        scene: &Scene,
        pixel: &Shader,
        size: [u32; 2],
        sources: &SourceMap,
    ) -> Result<Tables, Problem> {
        let mut shaders = vec![(Stage::Pixel, pixel)];
        shaders.extend(scene.shaders());
        check_names(binds, &shaders, sources)?;
        Tables::of(binds, &shaders, scene.groups, size, sources)
    }

    /// Binds to the stages before the pixel shader, which is another one than the command line names.
    pub(crate) fn without_pixel(
        binds: &Binds,
        scene: &Scene,
        size: [u32; 2],
        sources: &SourceMap,
    ) -> Result<Tables, Problem> {
        Tables::of(binds, &scene.shaders(), scene.groups, size, sources)
    }

    fn of(
        binds: &Binds,
        shaders: &[(Stage, &Shader)],
        groups: Option<[u32; 3]>,
        size: [u32; 2],
        sources: &SourceMap,
    ) -> Result<Tables, Problem> {
        let mut tables = Tables { stages: Vec::new(), auto: None };
        for (stage, shader) in shaders {
            let mut bound = Bound::new(shader);
            for (_, earlier) in &tables.stages {
                bound.share(earlier);
            }
            // Textures that only a feedback map uses are not among the resources of a shader.
            let is_own = |(name, _): &&(String, String)| {
                split_element(name).is_ok_and(|(it, at)| {
                    resource(it, shader).is_some() && bound.table.get(it, at).is_none()
                })
            };
            let given = binds.binds.iter().filter(is_own).cloned().collect();
            let own = Binds { binds: given, ..for_shader(binds, shader) };
            let mut unused = Unused::silent();
            let groups = groups.filter(|_| stage.is_of_meshlets());
            let groups = groups.unwrap_or([size[0], size[1], 1]);
            let mut bound = bind::bind_rest(bound, &own, groups, shader, sources, &mut unused)?;
            match (&mut tables.auto, bound.auto.take()) {
                (Some(all), Some(more)) => all.add(more),
                (all, more) => *all = all.take().or(more),
            }
            tables.stages.push((*stage, bound));
        }
        Ok(tables)
    }

    /// What is bound to a stage.
    pub(crate) fn of_stage(&self, stage: Stage) -> Option<&ResourceTable> {
        self.stages.iter().find(|it| it.0 == stage).map(|it| &it.1.table)
    }

    /// What is bound to all stages; `pixel` replaces the table of the pixel shader.
    pub(crate) fn all<'a>(&'a self, pixel: Option<&'a ResourceTable>) -> StageTables<'a> {
        let of = |stage| match stage {
            Stage::Pixel => pixel.or_else(|| self.of_stage(stage)),
            _ => self.of_stage(stage),
        };
        StageTables::by_stage(of)
            .unwrap_or_else(|| unreachable!("a draw has a vertex or a mesh shader"))
    }

    /// All that is bound, stage by stage; what several stages share is there for each.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &Bound> {
        self.stages.iter().map(|it| &it.1)
    }

    /// The tables alone, the pixel shader's last.
    pub(crate) fn into_tables(self) -> Vec<(Stage, ResourceTable)> {
        let mut all: Vec<_> = self.stages.into_iter().map(|it| (it.0, it.1.table)).collect();
        all.rotate_left(1);
        all
    }

    /// What draws can change, to begin again with.
    pub(crate) fn contents(&self) -> Vec<launch::Contents> {
        self.bounds().map(|it| launch::Contents::of(&it.table)).collect()
    }

    pub(crate) fn restore(&mut self, contents: &[launch::Contents]) {
        for (contents, (_, bound)) in contents.iter().zip(&mut self.stages) {
            contents.restore(&mut bound.table);
        }
    }
}

/// How the stages of a draw relate to a name.
enum Named {
    Used,
    /// A stage declares it, there.
    Declared(Span),
}

/// Refuses names that no stage declares, and notes those that no stage uses.
fn check_names(
    binds: &Binds,
    shaders: &[(Stage, &Shader)],
    sources: &SourceMap,
) -> Result<(), Problem> {
    let given = binds.binds.iter().map(|(name, value)| ("--bind", name, value.clone()));
    let counters = binds.counters.iter();
    let counters = counters.map(|(name, count)| ("--counter", name, count.to_string()));
    for (flag, name, value) in given.chain(counters) {
        let (base, _) = split_element(name)?;
        let all = || shaders.iter().map(|it| it.1);
        match named(all().map(|it| resource(base, it))) {
            Some(Named::Used) => {}
            Some(Named::Declared(at)) => tell_unused_in_draw(base, at, sources),
            None => {
                let known = all().flat_map(|it| it.resources().iter().chain(it.unreached()));
                let opaque = all().flat_map(|it| it.opaque()).map(|it| it.name.as_str());
                let mut known: Vec<&str> = known.map(|it| it.name.as_str()).chain(opaque).collect();
                known.sort_unstable();
                known.dedup();
                let what = format!("no shader of the draw has a buffer `{base}`");
                let problem = unknown(&what, base, known.into_iter());
                return Err(binds.blamed(flag, name, &value, problem));
            }
        }
    }
    for (path, value) in &binds.sets {
        let mut found = Vec::new();
        let mut others: Vec<&str> = Vec::new();
        for (_, shader) in shaders {
            match values::member::find(path, shader.resources(), shader.unreached()) {
                Ok(target) => {
                    let index = shader.resource(&target.resource.name).map(|it| it.0);
                    let is_used = index.is_some_and(|it| is_read(shader, it, target.member));
                    let span = target.resource.span;
                    found.push(Some(if is_used { Named::Used } else { Named::Declared(span) }));
                }
                Err(NotFound::Unknown { known, .. }) => {
                    let opaque = shader.opaque().iter().find(|it| it.name == base_of(path));
                    found.push(opaque.map(|it| Named::Declared(it.span)));
                    others.extend(known);
                }
                // The mistake is in the path.
                Err(_) => find_in(path, shader).map(drop)?,
            }
        }
        match named(found.into_iter()) {
            Some(Named::Used) => {}
            Some(Named::Declared(at)) => tell_unused_in_draw(path, at, sources),
            None => {
                others.sort_unstable();
                others.dedup();
                let what = format!("no constant buffer of the draw has a member `{path}`");
                let problem = unknown(&what, base_of(path), others.into_iter());
                return Err(binds.blamed("--set", path, value, problem));
            }
        }
    }
    Ok(())
}

/// The strongest relation of any stage.
fn named(mut all: impl Iterator<Item = Option<Named>>) -> Option<Named> {
    all.try_fold(None, |known: Option<Named>, it| match it {
        Some(Named::Used) => Err(Named::Used),
        it => Ok(known.or(it)),
    })
    .unwrap_or_else(Some)
}

/// How a shader relates to the name of a resource.
fn resource(name: &str, shader: &Shader) -> Option<Named> {
    if let Some((_, it)) = shader.resource(name) {
        let is_used = it.used || it.register.class.is_heap();
        return Some(if is_used { Named::Used } else { Named::Declared(it.span) });
    }
    let unreached = shader.unreached().iter().find(|it| it.name == name).map(|it| it.span);
    let opaque = || shader.opaque().iter().find(|it| it.name == name).map(|it| it.span);
    unreached.or_else(opaque).map(Named::Declared)
}

/// What is given to a shader of several: what it has no resource for is meant for another one.
fn for_shader(binds: &Binds, shader: &Shader) -> Binds {
    let has = |name: &str| {
        let name = name.split('[').next().unwrap_or(name);
        shader.resource(name).is_some()
    };
    let is_constant = |path: &str| {
        let word = base_of(path);
        let constants = shader.resources().iter().map(|it| (it, it.kind.view()));
        constants
            .filter(|(_, view)| view.contents == Contents::Constants)
            .any(|(it, view)| it.name == word || view.members.iter().any(|it| it.name == word))
    };
    Binds {
        binds: binds.binds.iter().filter(|it| has(&it.0)).cloned().collect(),
        sets: binds.sets.iter().filter(|it| is_constant(&it.0)).cloned().collect(),
        counters: binds.counters.iter().filter(|it| has(&it.0)).cloned().collect(),
        ..binds.clone()
    }
}
