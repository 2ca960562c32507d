//! Sampler feedback: the kinds of maps, and where their methods can be used.

use diag::{Diagnostic, Span, code};
use ir::Detail;
use ops::intrinsics::Stage;
use ops::texture::feedback::FeedbackKind;

use super::Checker;
use crate::library::Method;
use crate::types::{ResourceType, Type, TypeId};

impl Checker<'_> {
    /// The number of the kind in `FeedbackTexture2D<…>`.
    pub(super) fn feedback_kind(&mut self, args: &[(i64, Span)]) -> Option<u32> {
        let (value, span) = args.first().copied()?;
        let known =
            u32::try_from(value).ok().filter(|it| FeedbackKind::by_number((*it).into()).is_some());
        if known.is_none() {
            let message = format!("{value} is not a kind of sampler feedback");
            let report = Diagnostic::new(&code::BAD_TEMPLATE, span, message);
            let [least, used] =
                [FeedbackKind::MinMip, FeedbackKind::MipRegionUsed].map(FeedbackKind::constant);
            self.report(report.help(format!("write `{least}` or `{used}`")));
        }
        known
    }

    /// Reports methods of feedback maps where they cannot be used. Derivatives are those of pixel shaders alone, unlike
    /// those of samples.
    // Spec: SamplerFeedback.md, the table of methods and stages.
    pub(super) fn gate_feedback(&mut self, object: TypeId, method: Method, name: &str, span: Span) {
        let Type::Resource(ResourceType::Other(map)) = self.types.get(object) else { return };
        match method {
            Method::Feedback(Detail::Implicit | Detail::Bias) if self.stage != Stage::Pixel => {
                let message = format!("`{name}` is only available in pixel shaders");
                let report = Diagnostic::new(&code::WRONG_STAGE, span, message);
                self.gate(report.help(
                    "use `WriteSamplerFeedbackGrad` or `WriteSamplerFeedbackLevel`, which need no derivatives",
                ));
            }
            Method::Feedback(_) | Method::FeedbackSize => {}
            _ => return,
        }
        self.gate_object(map, &format!("`{name}`"), span);
    }
}
