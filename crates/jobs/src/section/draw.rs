//! The directives of a section that draws, rather than dispatching: `//# draw`, `//# target`, `//# raster`,
//! `//# buffer`.
//!
//! The state is written as in a job and read by the reader of jobs.

use crate::features::Api;
use crate::job::draw::Draw;
use crate::job::{self, Job};
use crate::unit::Kind;
use wavelane::Stage;
use wavelane::texture::Format;

/// What a section draws.
#[derive(Clone, Debug)]
pub struct Drawn {
    width: u32,
    height: u32,
    vertices: u32,
    slices: u32,
    /// The groups of a mesh shader `ms`, which replaces the vertex shader `vs`.
    groups: Option<[u32; 3]>,
    /// Whether an amplification shader `amp` is in front of it.
    is_amplified: bool,
    /// Whether there is a geometry shader `gs`.
    has_geometry: bool,
    /// The control points of patches, for a hull shader `hs` and a domain shader `ds`.
    points: Option<u32>,
    /// Names and formats.
    targets: Vec<(String, Format)>,
    /// The fields of `Raster`.
    raster: Vec<String>,
    /// Of vertices, instances and indices, as in a job.
    buffers: Vec<String>,
}

/// The format of the target `Target` if no line names another one.
const USUAL: &str = "R32G32B32A32_FLOAT";
/// The buffer that receives the stencil.
pub const STENCIL: &str = "Stencil";
/// The most pixels of a row, rows, and slices.
const MOST: u32 = 1024;

/// Whether a case of unit tests may have a directive: what is drawn is for pixel shaders, and a full-screen triangle.
pub(super) fn allowed(directive: &str, kind: &Kind) -> Result<(), String> {
    let mut words = directive.split_whitespace();
    let word = words.next().unwrap_or("");
    if !["draw", "target", "raster"].contains(&word) {
        return Ok(());
    }
    match kind {
        Kind::Threads => Err(format!(
            "`{word}` is for pixel shaders, and the case has a thread group\n  \
             = help: write `TEST_DRAW(name, 8, 8)`, or `[shader(\"pixel\")]` for an entry point of your own"
        )),
        Kind::Pixels(Some(_)) if word == "draw" => {
            Err("`TEST_DRAW` says how many pixels the case draws".to_owned())
        }
        _ if word == "draw" && words.count() != 1 => {
            Err("expected `draw WxH`: a case draws a full-screen triangle".to_owned())
        }
        _ => Ok(()),
    }
}

impl Drawn {
    /// `WxH [vertices N] [slices N] [geometry] [patches N] [mesh X,Y,Z] [amplified X,Y,Z]`
    pub(super) fn read(text: &str) -> Result<Drawn, String> {
        let usage = "expected `draw WxH [vertices N] [slices N] [geometry] [patches N] [mesh X,Y,Z] \
                     [amplified X,Y,Z]`";
        let mut words = text.split_whitespace();
        let (width, height) = words.next().and_then(|it| it.split_once('x')).ok_or(usage)?;
        let number = |it: &str| it.parse::<u32>().map_err(|_| usage.to_owned());
        let mut drawn = Drawn::new([number(width)?, number(height)?]);
        while let Some(word) = words.next() {
            if word == "geometry" {
                drawn.has_geometry = true;
                continue;
            }
            let value = words.next().ok_or(usage)?;
            match word {
                "vertices" => drawn.vertices = number(value)?,
                "slices" => drawn.slices = number(value)?,
                "patches" => drawn.points = Some(number(value)?),
                "mesh" | "amplified" => {
                    drawn.is_amplified = word == "amplified";
                    let counts: Vec<u32> =
                        value.split(',').map(number).collect::<Result<_, _>>()?;
                    drawn.groups = Some(counts.try_into().map_err(|_| usage)?);
                }
                _ => return Err(usage.to_owned()),
            }
        }
        drawn.bounded()
    }

    /// A full-screen triangle of that size, which a case of unit tests draws.
    pub(super) fn of_size(size: [u32; 2]) -> Result<Drawn, String> {
        Drawn::new(size).bounded()
    }

    fn new([width, height]: [u32; 2]) -> Drawn {
        Drawn {
            width,
            height,
            vertices: 3,
            slices: 1,
            groups: None,
            is_amplified: false,
            has_geometry: false,
            points: None,
            targets: Vec::new(),
            raster: Vec::new(),
            buffers: Vec::new(),
        }
    }

    fn bounded(self) -> Result<Drawn, String> {
        if self.width.max(self.height).max(self.slices) > MOST {
            return Err(format!("at most {MOST}x{MOST} pixels and {MOST} slices are drawn here"));
        }
        if self.width.min(self.height).min(self.slices) == 0 {
            return Err("a draw has at least one pixel".to_owned());
        }
        Ok(self)
    }

    /// The width and the height of the targets.
    pub(crate) fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// `NAME FORMAT`
    pub(super) fn target(&mut self, text: &str) -> Result<(), String> {
        let (name, format) = text.split_once(' ').ok_or("expected `target NAME FORMAT`")?;
        let format = Format::parse(format.trim())
            .ok_or_else(|| format!("`{}` is not a texture format", format.trim()))?;
        self.targets.push((name.to_owned(), format));
        Ok(())
    }

    /// `FIELD: VALUE`, as under `Raster` of a job.
    pub(super) fn raster(&mut self, text: &str) {
        self.raster.push(text.to_owned());
    }

    /// `{ Name: NAME, … }`, as under `Buffers` of a job.
    pub(super) fn buffer(&mut self, text: &str) {
        self.buffers.push(text.to_owned());
    }

    /// The entry points of the draw.
    pub fn names(&self) -> Vec<&'static str> {
        self.entries().into_iter().map(|it| it.1).collect()
    }

    /// The stages of the draw, with their entry points.
    pub(crate) fn entries(&self) -> Vec<(Stage, &'static str)> {
        let mut all = Vec::new();
        if self.is_amplified {
            all.push((Stage::Amplification, "amp"));
        }
        match self.groups {
            Some(_) => all.push((Stage::Mesh, "ms")),
            None => all.push((Stage::Vertex, "vs")),
        }
        if self.points.is_some() {
            all.extend([(Stage::Hull, "hs"), (Stage::Domain, "ds")]);
        }
        if self.has_geometry {
            all.push((Stage::Geometry, "gs"));
        }
        all.push((Stage::Pixel, "ps"));
        all
    }

    /// The draw as a job: its buffers are the targets, those of the lines, and the stencil.
    pub fn job(&self) -> Result<(Job, Draw), String> {
        let Drawn { width, height, vertices, slices, .. } = self;
        let usual = Format::parse(USUAL).map(|it| ("Target".to_owned(), it));
        let targets = if self.targets.is_empty() {
            usual.into_iter().collect()
        } else {
            self.targets.clone()
        };
        let shaders: Vec<String> = self
            .entries()
            .into_iter()
            .map(|(stage, entry)| {
                format!("{{ Stage: {}, Entry: {entry} }}", job::stage_name(stage))
            })
            .collect();
        let mut text = format!("Shaders: [{}]\nBuffers:\n", shaders.join(", "));
        let texels = u64::from(*width) * u64::from(*height) * u64::from(*slices);
        for (name, format) in &targets {
            let bytes = format.bytes();
            text.push_str(&format!(
                "  - {{ Name: {name}, Format: Hex8, Channels: {bytes}, FillSize: {}, OutputProps: \
                 {{ Width: {width}, Height: {height}, Depth: {slices} }} }}\n",
                texels * bytes as u64
            ));
        }
        for buffer in &self.buffers {
            text.push_str(&format!("  - {buffer}\n"));
        }
        text.push_str(&format!("  - {{ Name: {STENCIL}, Format: Hex8, FillSize: {texels} }}\n"));
        let counts = match self.groups {
            Some([x, y, z]) => format!("DispatchGroupCount: [{x}, {y}, {z}]"),
            None => format!("VertexCount: {vertices}"),
        };
        if let Some(points) = self.points {
            text.push_str(&format!(
                "Bindings: {{ Topology: PatchList, PatchControlPoints: {points} }}\n"
            ));
        }
        text.push_str(&format!(
            "DescriptorSets: []\nDispatchParameters: {{ {counts} }}\nRaster:\n"
        ));
        for line in &self.raster {
            text.push_str(&format!("  {line}\n"));
        }
        if !self.raster.iter().any(|it| it.starts_with("RenderTargets:")) {
            text.push_str("  RenderTargets:\n");
            for (name, format) in &targets {
                text.push_str(&format!("    - {{ Name: {name}, Format: {format} }}\n"));
            }
        }
        let mut job = job::read_for(&text, Api::Wavelane).map_err(|errors| {
            errors.iter().map(|it| it.render("the draw", &text)).collect::<String>()
        })?;
        match job.draw.take() {
            Some(draw) => Ok((job, draw)),
            None => unreachable!("a job of these stages draws"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_draws_what_its_lines_say() {
        let mut drawn = Drawn::read("8x4 vertices 6").unwrap();
        let (job, draw) = drawn.job().unwrap();
        assert_eq!((draw.count, draw.targets.len(), job.buffers[0].size()), (6, 1, 8 * 4 * 16));
        drawn.target("A RGBA8_UNORM").unwrap();
        drawn.target("B R32_UINT").unwrap();
        drawn.raster("Samples: 4");
        drawn.raster("DepthStencil: { Stencil: { Name: Stencil, Ref: 1 } }");
        let (job, draw) = drawn.job().unwrap();
        assert_eq!((draw.targets.len(), draw.samples.count()), (2, 4));
        assert_eq!(job.buffers[draw.depth.stencil_buffer.unwrap()].name, STENCIL);
        drawn.raster("Samples: 5");
        assert!(drawn.job().unwrap_err().contains("given twice"));
        for bad in ["", "8", "8x", "8x8 verts 3", "8x8 vertices", "2048x1"] {
            assert!(Drawn::read(bad).is_err(), "{bad}");
        }
        assert!(Drawn::read("0x4").unwrap_err().contains("at least one pixel"));
        assert!(drawn.target("A NONSENSE").is_err());
    }
}
