//! Candidates that are draws: every shader of the draw is compiled from the text, as the command line compiles them.
//!
//! A GPU packs pixels into waves in its own way. Where the pixel shader can observe it, a comparison records that
//! packing, and the reference engine runs the same waves.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use jobs::DrawnRun;
use wavelane::draw::Recording;
use wavelane::internal::{self, Seen, Slots};
use wavelane::sanitizer::Plan;
use wavelane::{
    Device, DispatchError, Draw, DrawError, Options, ResourceTable, Shader, SourceMap, Stage,
};

use super::{Drawing, Left, Setting};
use crate::auto;
use crate::compare::drawn::compare_drawn;
use crate::compile::Remembered;
use crate::draw::{Scene, drawn_run};
use crate::problem::Problem;
use crate::side::{Runs, Side};

impl Setting {
    /// `None` if a shader does not compile or fit the others, or needs something that is not bound.
    pub(super) fn drawn(&self, drawing: &Drawing, text: &str) -> Option<DrawnRun> {
        let Drawing { asked, binds } = drawing;
        let (pixel, sources) = self.shader(text, &self.options)?;
        let pixel = auto::prepared(pixel, binds);
        let own = |options: Options| {
            let shader = self.shader(text, &options).map(|it| it.0);
            shader.ok_or_else(|| Problem::input("a shader does not compile"))
        };
        let scene = Scene::of(&self.options, &own, asked, (&pixel, &sources), binds).ok()?;
        let device = Device::new(self.adapter.clone());
        let pipeline = scene.pipeline(&device, &scene.state, (&pixel, &sources)).ok()?;
        let mut tables: Vec<(Stage, ResourceTable)> = Vec::new();
        for (stage, shader) in scene.shaders().into_iter().chain([(Stage::Pixel, &pixel)]) {
            let mut table = ResourceTable::new(shader);
            tables.iter().for_each(|it| table.share_from(&it.1));
            self.bind(shader, stage, &mut table)?;
            tables.push((stage, table));
        }
        drawn_run(&scene, asked, pipeline, (&pixel, &sources), tables).ok()
    }

    fn shader(&self, text: &str, options: &Options) -> Option<(Shader, SourceMap)> {
        let included = &mut Remembered(&self.included);
        let compiled = Shader::compile(&self.name, text, options, included).ok()?;
        Some((compiled.shader?, compiled.sources))
    }

    pub(super) fn examined_draw(
        &self,
        run: &DrawnRun,
        widest: u32,
        plan: &Plan,
    ) -> Option<Vec<Seen>> {
        let draw = Draw { fuel: Some(self.fuel(widest)), ..run.draw.clone() };
        let found = internal::examine_draw(&run.pipeline, &draw, plan, &run.tables(), &run.names);
        found.ok().map(|it| it.seen.into_iter().map(|it| it.1).collect())
    }

    /// What a side leaves at a width.
    pub(super) fn draw(
        &self,
        side: &Side,
        run: &DrawnRun,
        width: u32,
        set: impl FnOnce(&mut Draw),
    ) -> Result<internal::Left, Left> {
        let reference = || Device::new(self.adapter.clone());
        let desc = Cow::Borrowed(run.pipeline.desc());
        let (device, desc) = match &side.runs {
            Runs::Reference => (reference(), desc),
            Runs::Engine(device) => (device.clone(), desc),
            // Draws run on whole engines only.
            Runs::Legalized(_) | Runs::Module(..) | Runs::Missing(_) => return Err(Left::NotRun),
            #[cfg(test)]
            Runs::Planted(fault) | Runs::Misassembled(fault) => {
                let mut desc = desc.into_owned();
                (desc.vertex, desc.pixel) = (fault(&desc.vertex), desc.pixel.as_ref().map(fault));
                (reference(), Cow::Owned(desc))
            }
        };
        let pipeline = device.create_graphics_pipeline(&desc).map_err(|_| Left::NotRun)?;
        if !pipeline.wave_sizes().contains(&width) || pipeline.fallback(width).is_some() {
            return Err(Left::NotRun);
        }
        let limit = self.limit();
        let mut draw = Draw {
            wave_size: Some(width),
            fuel: Some(self.fuel(width)),
            cancel: limit.as_ref().map(|it| it.cancel.clone()),
            ..run.draw.clone()
        };
        set(&mut draw);
        internal::drawn(&pipeline, &draw, &run.tables(), &run.names).map_err(|error| match &error {
            DrawError::Run(DispatchError::Unsupported(_)) => Left::NotRun,
            _ if error.is_unsupported() => Left::NotRun,
            DrawError::Run(error) => Left::of(error),
            error => Left::Failed(error.to_string()),
        })
    }

    /// Whether the results of a side differ from the reference's at a width. `None` if one of them does not run.
    pub(super) fn draw_differs(&self, side: &Side, run: &DrawnRun, width: u32) -> Option<bool> {
        let sees_packing = run.of(Stage::Pixel).is_some_and(|it| it.shader.sees_packing());
        let recording = Arc::new(Mutex::new(Recording::default()));
        let is_recorded = side.is_gpu() && sees_packing;
        let got = self.draw(side, run, width, |draw| {
            draw.record = is_recorded.then(|| recording.clone());
        });
        let packing = recording.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let expected = self.draw(&Side::reference(), run, width, |draw| {
            draw.replay = is_recorded.then(|| Arc::new(packing));
        });
        let (expected, got) = match (expected, got) {
            (Ok(expected), Ok(got)) => (expected, got),
            (Ok(_), Err(why)) => return why.is_difference(),
            (Err(_), _) => return None,
        };
        let table = |stage| run.of(stage).map(|it| &it.table);
        let rules = self.rules();
        let found = match side.is_gpu() {
            true => compare_drawn(&expected, &got, table, &rules, internal::is_device_choice),
            false => compare_drawn(&expected, &got, table, &rules, |_, _, _| false),
        };
        Some(found.is_some())
    }
}
