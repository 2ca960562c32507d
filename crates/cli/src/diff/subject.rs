//! The subject of a comparison: a shader with the buffers of the command line, or the runs of a test, and at which
//! widths.

use jobs::{Runnable, Sequence, Source, Test, TestFile, Widths, Work};
use wavelane::internal::Slots;
use wavelane::{ComputePipeline, Denormals, Device, Options, ResourceTable, Shader, SourceMap};

use super::DiffArgs;
use super::drawn::Drawn;
use crate::auto::Auto;
use crate::compile::{Remembered, flags_of};
use crate::draw::AskedDraw;
use crate::problem::{End, Exit};
use crate::testing::{Beside, run_name, setup};
use crate::{bind, compile};

/// A program with everything that it runs on.
pub(super) struct Subject {
    /// The file, with the case or the number of the run where it has several.
    pub(super) name: String,
    pub(super) shader: Shader,
    pub(super) sources: SourceMap,
    pub(super) table: ResourceTable,
    pub(super) groups: [u32; 3],
    /// The only widths that it is meant for, if these are not all that the shader allows.
    pub(super) widths: Option<Vec<u32>>,
    /// The flags of `wavelane san` that it needs.
    pub(super) san: Vec<String>,
    pub(super) source: Source,
    /// It may wait forever, which cannot be interrupted on a GPU.
    pub(super) may_wait: bool,
    /// The name of the test, where the command line names no shader.
    pub(super) test: Option<String>,
}

/// A program, several dispatches in order, or a draw.
pub(super) enum Item {
    One(Box<Subject>),
    Sequence(Box<InOrder>),
    Draw(Box<Drawn>),
}

/// The passes of a job.
pub(super) struct InOrder {
    /// The file, with the number of the run where it has several.
    pub(super) name: String,
    pub(super) sequence: Sequence,
    pub(super) test: String,
}

/// Why there is nothing to compare.
pub(super) struct Nothing {
    pub(super) exit: Exit,
    pub(super) why: String,
}

/// The shader that the command line names, with the bindings that were made up.
pub(super) fn of_command(args: &DiffArgs) -> Result<(Item, Option<Auto>), End> {
    let file = args.common.operand.as_ref().map_err(Clone::clone)?;
    if let Some(asked) = &args.draw {
        let AskedDraw { run, auto, .. } = AskedDraw::new(&args.common, asked)?;
        let (name, test) = (file.clone(), None);
        return Ok((Item::Draw(Box::new(Drawn { name, run, test })), auto));
    }
    let (shader, sources, source) = compile::program(file, &args.common.compile)?;
    let bound = bind::bind(&args.common.bind, args.common.launch.groups, &shader, &sources)?;
    bound.check_names(args.san.unordered.iter())?;
    let (name, table, groups) = (file.clone(), bound.table, args.common.launch.groups);
    let (widths, san, may_wait) = (None, Vec::new(), false);
    let (test, auto) = (None, bound.auto);
    let subject =
        Subject { name, shader, sources, table, groups, widths, san, source, may_wait, test };
    Ok((Item::One(Box::new(subject)), auto))
}

/// The runs of a test.
pub(super) fn of_test(args: &DiffArgs, test: &Test, file: &TestFile) -> Result<Vec<Item>, Nothing> {
    let device = Device::new(args.common.device.adapter.clone());
    let features = jobs::features(device.adapter(), args.common.select.api);
    let flags = flags_of(&args.common.compile);
    let fuel = |width| args.common.launch.fuel.at(width);
    let setup = setup(&args.common.launch, &device, &features, &Widths::All, &flags, &fuel);
    let runs = jobs::prepare(test, file, &setup, &mut Beside::of(&args.common.compile)).map_err(
        |outcome| {
            let exit = match outcome.verdict {
                jobs::Verdict::Unsupported => Exit::Unsupported,
                jobs::Verdict::Passed | jobs::Verdict::Failed => Exit::BadInput,
            };
            Nothing { exit, why: outcome.message }
        },
    )?;
    if runs.is_empty() {
        return Err(Nothing { exit: Exit::Unsupported, why: "nothing in it runs".to_owned() });
    }
    let several = runs.len() > 1;
    let item = |(number, run): (usize, Work)| {
        let name = run_name(test, several.then_some(number));
        let run = match run {
            Work::Shader(run) => *run,
            Work::Sequence(sequence) => {
                let test = test.name();
                return Item::Sequence(Box::new(InOrder { name, sequence: *sequence, test }));
            }
            Work::Draw(run) => {
                let test = Some(test.name());
                return Item::Draw(Box::new(Drawn { name, run: *run, test }));
            }
        };
        let Runnable {
            shader,
            pipeline: _,
            sources,
            table,
            groups,
            // A difference there follows from another one.
            log: _,
            widths,
            san,
            source,
            may_wait,
        } = run;
        let test = Some(test.name());
        let subject =
            Subject { name, shader, sources, table, groups, widths, san, source, may_wait, test };
        Item::One(Box::new(subject))
    };
    Ok((1..).zip(runs).map(item).collect())
}

impl Subject {
    /// The widths at which it is compared: those asked for, or else the one that each GPU has, which the others follow;
    /// without a GPU the usual one.
    pub(super) fn widths(
        &self,
        args: &DiffArgs,
        reference: &ComputePipeline,
        gpus: &[&ComputePipeline],
    ) -> Vec<u32> {
        let is_made_for =
            |width: &u32| self.widths.as_ref().is_none_or(|widths| widths.contains(width));
        let allowed: Vec<u32> =
            reference.wave_sizes().iter().copied().filter(is_made_for).collect();
        args.common.launch.widths_among(&allowed, || {
            let own = |gpu: &&ComputePipeline| {
                let mut all = gpu.wave_sizes().iter().copied().filter(is_made_for);
                let usual = Some(gpu.default_wave_size()).filter(is_made_for);
                usual.or_else(|| all.next())
            };
            let mut widths: Vec<u32> = match (gpus, &self.widths) {
                ([], Some(_)) => allowed.clone(),
                ([], None) => vec![reference.default_wave_size()],
                (gpus, _) => gpus.iter().filter_map(own).collect(),
            };
            widths.retain(|it| allowed.contains(it));
            widths.sort_unstable();
            widths.dedup();
            widths
        })
    }
}

impl Subject {
    /// The program with another text, and what is bound to it of what is bound here.
    pub(super) fn with(&self, text: &str, denormals: Denormals) -> Option<(Shader, ResourceTable)> {
        let Source { name, flags, included, .. } = &self.source;
        let options = Options { denormals, ..flags.options.clone() };
        // Another text may declare other resources, and no alias.
        if self.shader.aliases().next().is_some() {
            return None;
        }
        let compiled = Shader::compile(name, text, &options, &mut Remembered(included)).ok()?;
        let shader = compiled.shader?;
        let mut table = ResourceTable::new(&shader);
        for (resource, element, buffer) in self.table.iter() {
            let heap = resource.register.class.is_heap();
            if heap || shader.resource(&resource.name).is_some_and(|(_, it)| it.used) {
                table.bind_at(&resource.name, element, buffer.clone()).ok()?;
            }
        }
        table.unbound().is_empty().then_some((shader, table))
    }
}
