//! A scene on an engine of wavelane, through the device API.

use std::path::Path;

use bench::device::{StageKind, Work};
use raster::{DepthFormat, Samples};
use wavelane::graphics::{GraphicsDesc, GraphicsPipeline, IndexFormat, InputElement, Topology};
use wavelane::texture::{Format, Shape};
use wavelane::{
    Adapter, Buffer, CpuOptions, DepthTarget, Device, Draw, IndexBuffer, NoIncludes, Options,
    RenderTarget, ResourceTable, Shader, ShaderModel, Stage, StageTables, Texture, VertexBuffer,
};

use super::scenes::{SIDE, Scene};
use super::{Clock, DEPTH, Flags, color};

/// A scene on an engine of wavelane.
pub(super) struct Ours {
    pipeline: GraphicsPipeline,
    draw: Draw,
    /// Of the stages, by the order of the scene.
    tables: Vec<(Stage, ResourceTable)>,
    image: Texture,
    threads: usize,
}

impl Ours {
    pub(super) fn new(
        scene: &Scene,
        folder: &Path,
        width: u32,
        flags: &Flags<'_>,
    ) -> Result<Ours, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let path = folder.join(format!("{}.hlsl", scene.file));
        let source = std::fs::read_to_string(&path).map_err(|error| text(&error))?;
        let shader = |stage, entry: &str| {
            let entry = entry.to_owned();
            let options =
                Options { stage, entry, shader_model: ShaderModel::V6_6, ..Options::default() };
            Shader::compile(scene.name, &source, &options, &mut NoIncludes)
                .map_err(|error| text(&error))?
                .shader()
                .map_err(|error| text(&error))
        };
        let mut shaders = Vec::new();
        for (kind, entry) in scene.stages {
            let stage = match kind {
                StageKind::Vertex => Stage::Vertex,
                StageKind::Hull => Stage::Hull,
                StageKind::Domain => Stage::Domain,
                StageKind::Mesh => Stage::Mesh,
                StageKind::Pixel => Stage::Pixel,
            };
            shaders.push((stage, shader(stage, entry)?));
        }
        let of = |stage| shaders.iter().find(|it| it.0 == stage).map(|it| &it.1);
        let first = of(Stage::Vertex).or(of(Stage::Mesh)).ok_or("a scene has vertices")?;
        let device = match flags.engine {
            "interp" => Device::new(Adapter::reference()),
            _ => {
                let options = CpuOptions { threads: flags.threads, ..CpuOptions::default() };
                Device::with_cpu(Adapter::reference(), options).map_err(|error| text(&error))?
            }
        };
        let format = color();
        let mut desc = GraphicsDesc::new(first, of(Stage::Pixel));
        (desc.hull, desc.domain) = (of(Stage::Hull).cloned(), of(Stage::Domain).cloned());
        let mut offset = 0;
        for (semantic, floats) in scene.attributes {
            let name = if *floats == 3 { "RGB32_FLOAT" } else { "RGBA32_FLOAT" };
            desc.input_layout.push(InputElement {
                semantic: (*semantic).to_owned(),
                index: 0,
                format: Format::parse(name).ok_or("a format")?,
                slot: 0,
                offset,
                step_rate: None,
            });
            offset += 4 * *floats as usize;
        }
        if let Work::Patches(_) = scene.work {
            desc.topology = Topology::PatchList(4);
        }
        desc.targets = vec![Some(format)];
        desc.depth_format = Some(DepthFormat::D32Float);
        desc.depth_stencil.depth = Some(DEPTH);
        let pipeline = device.create_graphics_pipeline(&desc).map_err(|error| text(&error))?;
        let image = Texture::new(Shape::new(format, SIDE, SIDE, 1)).map_err(|it| text(&it))?;
        let mut draw = match scene.work {
            Work::Triangles(count) | Work::Patches(count) => Draw::new(count),
            Work::Groups(groups) => Draw::mesh([groups, 1, 1]),
        };
        let words = (scene.vertices)();
        if !words.is_empty() {
            draw.vertex_buffers =
                vec![VertexBuffer { buffer: Buffer::from_slice(&words), stride: offset }];
        }
        let indices = (scene.indices)();
        if !indices.is_empty() {
            let (buffer, format) = (Buffer::from_slice(&indices), IndexFormat::Uint32);
            draw.indices = Some(IndexBuffer { buffer, format });
        }
        draw.targets = vec![Some(RenderTarget::from(&image))];
        let depth = DepthTarget::new(DepthFormat::D32Float, SIDE, SIDE, 1, Samples::One);
        draw.depth = Some(depth.map_err(|error| text(&error))?);
        draw.wave_size = Some(width);
        let tables = shaders.iter().map(|(stage, it)| (*stage, ResourceTable::new(it))).collect();
        Ok(Ours { pipeline, draw, tables, image, threads: flags.threads })
    }

    pub(super) fn draw(&self) -> Result<f64, String> {
        if let Some(depth) = &self.draw.depth {
            depth.clear(1.0, 0).map_err(|error| error.to_string())?;
        }
        let table = |stage| self.tables.iter().find(|it| it.0 == stage).map(|it| &it.1);
        let tables = StageTables::by_stage(table).ok_or("a scene has vertices")?;
        let start = Clock::start(self.threads);
        self.pipeline.draw_stages(&self.draw, &tables).map_err(|error| error.to_string())?;
        Ok(start.milliseconds())
    }

    pub(super) fn pixels(&self) -> Result<Vec<u8>, String> {
        self.image.read_bytes().map_err(|error| error.to_string())
    }
}
