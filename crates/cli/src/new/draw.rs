//! `wavelane new test` for a pixel shader, with the stages that draw it: a generated vertex shader, or the shaders of
//! the file that flags name.
//!
//! The expected results are those of the written job on the reference engine, so that the file passes as it is.

use std::collections::BTreeMap;

use jobs::{
    Api, DrawRepro, Flags, NumberFormat, ReproAttribute, ReproStage, Source, Test, TestFile,
};
use jobs::{Verdict, Widths};
use wavelane::internal::{Slots, StageElement, signature};
use wavelane::{HostScalar, ResourceTable, Shader, SourceMap, Stage};

use super::{NewArgs, Target, beside, checks_nothing, from_folder_of, made_up, no_word};
use crate::asked::{Compiling, DrawArgs};
use crate::compile::{compile, flags_of, program};
use crate::draw::{Scene, Tables};
use crate::problem::{End, Exit, Problem};
use crate::testing::{Beside, setup};

/// Whether an entry point without a profile is a pixel shader: it compiles as one, and as nothing that dispatches.
pub(super) fn is_pixel_shader(args: &NewArgs, compiling: &Compiling) -> Result<bool, Problem> {
    let compiles = |stage: Stage| {
        let mut compiling = compiling.clone();
        compiling.options.stage = stage;
        compile(&args.file, &compiling, Shader::check).map(|it| it.problem().is_none())
    };
    Ok(!compiles(Stage::Compute)? && compiles(Stage::Pixel)?)
}

pub(super) fn new(args: &NewArgs, mut compiling: Compiling) -> Result<Exit, End> {
    compiling.options.stage = Stage::Pixel;
    let (pixel, sources, mut source) = program(&args.file, &compiling)?;
    source.flags.includes = from_folder_of(&args.file, &source.flags.includes);
    let target = Target::beside(&args.file, pixel.entry())?;
    let what = if args.draw.mesh.is_some() { "1" } else { "fullscreen" };
    let draw = DrawArgs { what: what.to_owned(), ..args.draw.clone() };
    let scene = Scene::new(&args.file, &compiling, &draw, (&pixel, &sources), &args.bind)?;
    if scene.hull.is_some() {
        let what = "patches, which `wavelane new` does not write".to_owned();
        return Err(no_word(what).into());
    }
    let stages = stages(args, &scene, &pixel, &sources, &source)?;
    let own = beside(&args.file);
    let repro_stages: Vec<ReproStage<'_>> = stages
        .iter()
        .map(|it| ReproStage {
            stage: it.stage,
            shader: it.shader,
            source: &it.source,
            beside: (!it.is_made).then_some(own.as_str()),
            table: &it.table,
        })
        .collect();
    let targets: Vec<_> =
        scene.state.targets().map(|(name, format)| (name.to_owned(), format)).collect();
    let attributes = attributes(&scene);
    let mut repro = DrawRepro {
        comment: "",
        stages: &repro_stages,
        targets: &targets,
        size: draw.size,
        attributes: &attributes,
        groups: scene.groups,
        vertices: 3,
        expected: &BTreeMap::new(),
    };
    let plain = jobs::write_draw(&repro).map_err(no_word)?;
    let (api, flags) = match targets.len() {
        1 => (Api::DirectX, ""),
        _ => (Api::Wavelane, " --profile wavelane"),
    };
    let (expected, differing) = left(args, &compiling, &target, &plain, api, &repro)?;
    let asserts = repro.stages.iter().any(|it| it.shader.asserts());
    if expected.is_empty() && !asserts {
        return Err(checks_nothing(pixel.entry(), !differing.is_empty()).into());
    }
    let mut comment = format!(
        "A test of `{}` in {}. The contents of the buffers are made up: put in those that matter.\n\
         `Expected_NAME` is what the reference engine leaves in NAME now: check that it is right.\n",
        pixel.entry(),
        args.file
    );
    if !flags.is_empty() {
        comment.push_str("Several targets need the flag `--profile wavelane`.\n");
    }
    for name in differing {
        comment.push_str(&format!(
            "`{name}` depends on the wave size, so nothing is expected of it.\n"
        ));
    }
    repro.comment = &comment;
    repro.expected = &expected;
    let text = jobs::write_draw(&repro).map_err(no_word)?;
    target.write(&text, flags)
}

/// A shader of the draw, and what is made up for it.
struct Written<'a> {
    stage: Stage,
    shader: &'a Shader,
    source: Source,
    is_made: bool,
    table: ResourceTable,
}

fn stages<'a>(
    args: &NewArgs,
    scene: &'a Scene,
    pixel: &'a Shader,
    sources: &SourceMap,
    source: &Source,
) -> Result<Vec<Written<'a>>, Problem> {
    let shaders = scene.shaders().into_iter().map(|it| it.1).chain([pixel]);
    let binds = shaders.fold(args.bind.clone(), |binds, it| made_up(it, &binds, [1; 3]));
    let tables = Tables::bind(&binds, scene, pixel, args.draw.size, sources)?;
    let bound = |stage: Stage| {
        let table = tables.of_stage(stage).map(ResourceTable::copied);
        table.unwrap_or_else(|| unreachable!("every stage of the draw has a table"))
    };
    let mut all = Vec::new();
    for (stage, shader) in scene.shaders() {
        let mut source = source.clone();
        let made = scene.made.as_ref().filter(|_| stage == Stage::Vertex);
        match made {
            Some((text, options)) => {
                let (text, options) = (text.clone(), options.clone());
                source = Source {
                    name: "vertex.hlsl".to_owned(),
                    text,
                    flags: Flags { options, includes: Vec::new(), remarks: Vec::new() },
                    included: BTreeMap::new(),
                };
            }
            None => {
                let options = &mut source.flags.options;
                (options.stage, options.entry) = (stage, shader.entry().to_owned());
            }
        }
        let (is_made, table) = (made.is_some(), bound(stage));
        all.push(Written { stage, shader, source, is_made, table });
    }
    // An amplification shader is in front of the mesh shader.
    all.sort_by_key(|it| it.stage != Stage::Amplification);
    let (stage, source, table) = (Stage::Pixel, source.clone(), bound(Stage::Pixel));
    all.push(Written { stage, shader: pixel, source, is_made: false, table });
    Ok(all)
}

/// What a vertex shader of the file reads: as `POSITION` the corners of a triangle that covers the target.
fn attributes(scene: &Scene) -> Vec<ReproAttribute> {
    if scene.made.is_some() || scene.groups.is_some() {
        return Vec::new();
    }
    let inputs = signature(&scene.vertex).map_or(&[][..], |it| &it.inputs);
    let attribute = |it: &StageElement| {
        let format = match it.scalar {
            HostScalar::F16 | HostScalar::F32 | HostScalar::F64 => NumberFormat::Float32,
            HostScalar::I16 | HostScalar::I32 | HostScalar::I64 => NumberFormat::Int32,
            HostScalar::Bool | HostScalar::U16 | HostScalar::U32 | HostScalar::U64 => {
                NumberFormat::UInt32
            }
        };
        let corners = [[-1.0f32, 1.0, 0.0, 1.0], [3.0, 1.0, 0.0, 1.0], [-1.0, -3.0, 0.0, 1.0]];
        let is_position = it.semantic.eq_ignore_ascii_case("POSITION") && it.index == 0;
        let word = |vertex: usize, component: usize| match (format, is_position) {
            (NumberFormat::Float32, true) => corners[vertex][component].to_bits(),
            (NumberFormat::Float32, false) => {
                // The texture coordinates of those corners, and similar numbers.
                let corner = [[0.0f32, 0.0], [2.0, 0.0], [0.0, 2.0]][vertex];
                corner.get(component).copied().unwrap_or(component as f32 - 2.0).to_bits()
            }
            _ => (vertex + component) as u32,
        };
        let vertices = [0, 1, 2].map(|vertex| {
            (0..usize::from(it.components)).map(|component| word(vertex, component)).collect()
        });
        ReproAttribute { semantic: format!("{}{}", it.semantic, it.index), format, vertices }
    };
    inputs.iter().filter(|it| it.system.is_none()).map(attribute).collect()
}

type Left = (BTreeMap<String, Vec<u8>>, Vec<String>);

/// What a job leaves at every width in its targets and writable buffers, by name, and which of them depend on the
/// width.
fn left(
    args: &NewArgs,
    compiling: &Compiling,
    target: &Target,
    text: &str,
    api: Api,
    repro: &DrawRepro<'_>,
) -> Result<Left, Problem> {
    let features = jobs::features(args.device.adapter(), api);
    let flags = flags_of(compiling);
    let fuel = |width| args.launch.fuel.at(width);
    let widths = Widths::All;
    let setup = jobs::Setup {
        wants_output: true,
        ..setup(&args.launch, &args.device, &features, &widths, &flags, &fuel)
    };
    let test = Test { file: target.name.clone(), case: None };
    let file = TestFile::new(target.name.clone(), text);
    let mut outcomes = Vec::new();
    let mut report = |outcome| outcomes.push(outcome);
    jobs::run(&test, &file, &setup, &mut Beside::of(compiling), &|_| true, &mut report);
    if let Some(bad) = outcomes.iter().find(|it| it.verdict != Verdict::Passed) {
        let exit = match bad.verdict {
            Verdict::Unsupported => Exit::Unsupported,
            Verdict::Passed | Verdict::Failed => Exit::BadInput,
        };
        let what = format!("the test does not run: {}", bad.message.trim_end());
        return Err(Problem::new(exit, what));
    }
    let writable = repro.stages.iter().flat_map(|it| it.shader.resources());
    let writable = writable.filter(|it| it.used && it.kind.writable()).map(|it| it.name.as_str());
    let named = repro.targets.iter().map(|it| it.0.as_str()).chain(writable);
    let (mut expected, mut differing) = (BTreeMap::new(), Vec::new());
    for name in named {
        if expected.contains_key(name) || differing.iter().any(|it| it == name) {
            continue;
        }
        let mut held = outcomes
            .iter()
            .map(|it| it.buffers.iter().find(|it| it.name == name).map(|it| &it.data));
        let first = held.next().flatten();
        let Some([bytes]) = first.map(Vec::as_slice) else { continue };
        match held.all(|it| it == first) {
            true => {
                expected.insert(name.to_owned(), bytes.clone());
            }
            false => differing.push(name.to_owned()),
        }
    }
    Ok((expected, differing))
}
