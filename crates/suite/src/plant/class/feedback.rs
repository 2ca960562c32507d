//! Faults in sampler feedback, with the resources of [`resource`].

use ir::exec::{Buffer, FeedbackMap, What};
use ops::texture::{Address, Format, Sampler, Shape};
use sanitizer::Kind;

use super::{Class, Reach, Snippet};

const DECLARATIONS: [&str; 3] = [
    "Texture2D<float4> Paired, Unpaired;",
    "SamplerState Clamps, Mirrors;",
    "FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;",
];

/// What is bound to a resource of these names.
pub(crate) fn resource(name: &str) -> Option<Buffer> {
    let shape = Shape::new(Format::parse("R8_UNORM")?, 32, 32, 1);
    let sampler = |mode| Sampler { address: [mode; 3], ..Sampler::nearest() };
    let texture = |identity| Buffer {
        bytes: vec![0; 32 * 32].into(),
        what: What::Texture { shape, identity },
    };
    Some(match name {
        "Paired" => texture(1),
        "Unpaired" => texture(2),
        "Clamps" => What::Sampler(sampler(Address::Clamp)).into(),
        "Mirrors" => What::Sampler(sampler(Address::Mirror)).into(),
        "Map" => {
            let kind = ops::texture::feedback::FeedbackKind::MinMip;
            let map = FeedbackMap::new(kind, &shape, [8, 8], 1).ok()?;
            let bytes = map.map.memory().into();
            Buffer { bytes, what: What::Feedback(map) }
        }
        _ => return None,
    })
}

/// A record, and how its line reads with the fault.
fn recorded(clean: &str, faulty: &str) -> Snippet {
    let snippet = DECLARATIONS.into_iter().fold(Snippet::new(), Snippet::declare);
    let line = |arguments: &str| format!("Map.WriteSamplerFeedbackLevel({arguments}, 0);");
    snippet.line("float planted = thread & 3;").fault(&line(clean), &line(faulty))
}

const fn class(
    name: &'static str,
    kind: Kind,
    snippet: fn(&mut generate::Random, &super::Context<'_>) -> Option<Snippet>,
) -> Class {
    Class { name, kind, place: Reach::Anywhere, widths: &[], waves: None, groups: false, snippet }
}

pub(super) const ALL: &[Class] = &[
    class("feedback of another texture", Kind::FeedbackPair, |_, _| {
        let clean = "Paired, Clamps, (planted + 0.5) / 4";
        Some(recorded(clean, "Unpaired, Clamps, (planted + 0.5) / 4"))
    }),
    class("feedback through a sampler that mirrors", Kind::FeedbackTier, |_, _| {
        let clean = "Paired, Clamps, (planted + 0.5) / 4";
        Some(recorded(clean, "Paired, Mirrors, (planted + 0.5) / 4"))
    }),
    class("feedback on the edge between regions", Kind::FeedbackSlack, |_, context| {
        context.some_thread(|thread| thread % 4 != 0).then_some(())?;
        let clean = "Paired, Clamps, (planted + 0.5) / 4";
        Some(recorded(clean, "Paired, Clamps, planted / 4"))
    }),
];
