//! Generated programs that are drawn: what the draw is, and which entry points other compilers get.
//!
//! Expected results hold for quads that are packed in the order of primitives, as our engines pack them. A GPU chooses
//! its own packing, so it runs no generated pixel shader here.

use generate::{Generated, PIXEL, Scene, VERTEX};
use wavelane::internal::PROFILES;
use wavelane::{Options, ShaderModel, Stage};

use super::Asked;
use crate::asked::{Binds, DrawArgs};
use crate::candidate::{Drawing, Setting};
use crate::problem::quoted;

/// The entry point of every program's first shader.
const MAIN: &str = "main";

/// How the pixel shader of a draw is compiled.
pub(super) fn pixel(stage: Stage, options: Options) -> Options {
    let entry = if stage == Stage::Mesh { PIXEL } else { MAIN };
    Options { stage: Stage::Pixel, entry: entry.to_owned(), ..options }
}

/// The draw, unless the program is a compute shader.
pub(crate) fn drawing(program: &Generated) -> Option<Drawing> {
    let entry = |stage: Stage| {
        let entries = program.entries();
        entries.iter().find(|it| it.stage == stage).map(|it| it.name.to_owned())
    };
    let asked = match program.scene()? {
        Scene::Quads(quads) => DrawArgs {
            what: (3 * quads).to_string(),
            size: [2 * quads, 2],
            vertex: Some(VERTEX.to_owned()),
            ..DrawArgs::default()
        },
        Scene::Groups([x, y]) => DrawArgs {
            what: format!("{x},{y}"),
            size: [1, 1],
            mesh: entry(Stage::Mesh),
            amplification: entry(Stage::Amplification),
            ..DrawArgs::default()
        },
    };
    Some(Drawing { asked, binds: Binds::default() })
}

/// The command that draws a program in a file.
pub(crate) fn command(asked: &Asked, program: &Generated, file: &str) -> Option<String> {
    let Drawing { asked: draw, .. } = drawing(program)?;
    let mut words = vec!["wavelane".to_owned(), "run".to_owned(), quoted(file)];
    let options = asked.options();
    words.extend(["-T".to_owned(), profile(options.stage, asked.model)]);
    if options.entry != MAIN {
        words.extend(["-E".to_owned(), options.entry]);
    }
    words.extend(["-enable-16bit-types".to_owned(), "--draw".to_owned(), draw.what]);
    let [width, height] = draw.size;
    words.extend(["--size".to_owned(), format!("{width}x{height}")]);
    let stages =
        [("--vertex", draw.vertex), ("--mesh", draw.mesh), ("--amplification", draw.amplification)];
    for (flag, entry) in stages {
        words.extend(entry.into_iter().flat_map(|it| [flag.to_owned(), it]));
    }
    for it in program.entries() {
        let value = format!("{}=[{}]", it.log, it.program.words());
        words.extend(["--bind".to_owned(), format!("'{value}'")]);
    }
    Some(words.join(" "))
}

/// The entry points that another compiler gets: those whose results are known.
pub(super) fn entries(asked: &Asked, setting: &Setting) -> Vec<(Stage, String)> {
    let draw = setting.drawing.as_ref().map(|it| &it.asked);
    let named = |stage: Stage, entry: Option<&String>| Some((stage, entry?.clone()));
    let amplification = draw.and_then(|it| it.amplification.as_ref());
    let first = named(Stage::Amplification, amplification);
    first.into_iter().chain([(asked.stage, MAIN.to_owned())]).collect()
}

/// A profile, such as `cs_6_7`.
pub(super) fn profile(stage: Stage, ShaderModel { major, minor }: ShaderModel) -> String {
    let prefix = PROFILES.iter().find(|it| it.1 == stage).map_or("cs", |it| it.0);
    format!("{prefix}_{major}_{minor}")
}

/// Whether an engine chooses how the quads of pixel shaders are packed.
pub(crate) fn packs_quads(engine: &str) -> bool {
    engine.split(':').next() == Some("vulkan")
}

/// The clause about such an engine, which follows its name.
pub(crate) const PACKS_QUADS: &str =
    "packs quads into waves in its own way, so that no results are known for pixel shaders";
