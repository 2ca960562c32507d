//! The draw of `--draw`, in the form that the draws of jobs have.

use jobs::{DrawnRun, DrawnStage};
use wavelane::{Device, GraphicsPipeline, ResourceTable, Shader, SourceMap, Stage};

use super::{Scene, Tables, pixel_shader, widths};
use crate::asked::DrawArgs;
use crate::auto::{self, Auto};
use crate::common::Common;
use crate::problem::Problem;

/// The draw of a command line.
pub(crate) struct AskedDraw {
    pub(crate) run: DrawnRun,
    /// The requested widths.
    pub(crate) widths: Vec<u32>,
    /// The bindings that were made up.
    pub(crate) auto: Option<Auto>,
}

impl AskedDraw {
    pub(crate) fn new(common: &Common, asked: &DrawArgs) -> Result<AskedDraw, Problem> {
        let file = common.operand.as_ref().map_err(Clone::clone)?;
        let mut compiling = common.compile.clone();
        let (pixel, sources) = pixel_shader(file, &mut compiling)?;
        let pixel = auto::prepared(pixel, &common.bind);
        let scene = Scene::new(file, &compiling, asked, (&pixel, &sources), &common.bind)?;
        let device = Device::new(common.device.adapter.clone());
        let pipeline = scene.pipeline(&device, &scene.state, (&pixel, &sources))?;
        super::tell_of_ignored(&pipeline);
        let widths = widths(&common.launch, &pipeline)?;
        let mut tables = Tables::bind(&common.bind, &scene, &pixel, asked.size, &sources)?;
        let auto = tables.auto.take();
        let run = drawn_run(&scene, asked, pipeline, (&pixel, &sources), tables.into_tables())?;
        Ok(AskedDraw { run, widths, auto })
    }
}

/// A draw with what is bound to its stages, in the order of the draw.
pub(crate) fn drawn_run(
    scene: &Scene,
    asked: &DrawArgs,
    pipeline: GraphicsPipeline,
    (pixel, sources): (&Shader, &SourceMap),
    tables: Vec<(Stage, ResourceTable)>,
) -> Result<DrawnRun, Problem> {
    let cannot = |error: wavelane::BufferError| Problem::input(error.to_string());
    let (draw, _) = scene.draw(asked, &scene.state).map_err(cannot)?;
    let names = scene.state.names();
    let shaders = scene.shaders().into_iter().map(|it| it.1).chain([pixel]);
    let stage = |((stage, table), shader): ((_, _), &Shader)| DrawnStage {
        stage,
        shader: shader.clone(),
        sources: sources.clone(),
        table,
    };
    let stages = tables.into_iter().zip(shaders).map(stage).collect();
    let (san, log) = (Vec::new(), None);
    Ok(DrawnRun { pipeline, draw, stages, names, widths: None, san, log })
}
