//! Findings: what the sanitizer reports.

use std::fmt;

use diag::{Diagnostic, Frame, Level, Span, Stack};
use interp::observe::At;
use ir::notes::ScopeId;
use ir::{Inst, Module};
use ops::LaneMask;

/// What is wrong with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The language does not define what happens.
    Undefined,
    /// One of several results, and the language does not say which.
    Unspecified,
    /// Defined, but different for waves of another width.
    WidthDependent,
    /// Defined, but different for another order of lanes, waves or groups.
    OrderDependent,
    /// Defined here, but not everywhere that shaders run.
    Portability,
}

impl Verdict {
    pub const ALL: [Verdict; 5] = [
        Verdict::Undefined,
        Verdict::Unspecified,
        Verdict::WidthDependent,
        Verdict::OrderDependent,
        Verdict::Portability,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Verdict::Undefined => "undefined",
            Verdict::Unspecified => "unspecified",
            Verdict::WidthDependent => "width-dependent",
            Verdict::OrderDependent => "order-dependent",
            Verdict::Portability => "portability",
        }
    }
}

macro_rules! kinds {
    ($($name:ident, $code:ident, $verdict:ident;)*) => {
        /// A kind of finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($name),* }

        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$name),*];

            /// The code under which it is reported and explained.
            pub fn code(self) -> &'static diag::Code {
                match self { $(Kind::$name => &diag::code::$code),* }
            }

            pub fn verdict(self) -> Verdict {
                match self { $(Kind::$name => Verdict::$verdict),* }
            }
        }
    };
}

kinds! {
    InactiveLaneRead, INACTIVE_LANE_READ, Undefined;
    LaneIndexOutOfRange, LANE_INDEX_OUT_OF_RANGE, Undefined;
    BadPartition, BAD_PARTITION, Undefined;
    BadWaveMask, BAD_WAVE_MASK, Undefined;
    IncompleteQuad, INCOMPLETE_QUAD, Undefined;
    UninitializedValue, UNINITIALIZED_VALUE, Undefined;
    OutOfBounds, OUT_OF_BOUNDS, Undefined;
    BufferOutOfBounds, BUFFER_OUT_OF_BOUNDS, Portability;
    DivisionByZero, DIVISION_BY_ZERO, Undefined;
    ConversionOutOfRange, CONVERSION_OUT_OF_RANGE, Undefined;
    ShiftOutOfRange, SHIFT_OUT_OF_RANGE, Portability;
    DivergentBarrier, DIVERGENT_BARRIER, Undefined;
    Race, RACE, Undefined;
    EqualStores, EQUAL_STORES, Portability;
    NotGloballyCoherent, NOT_GLOBALLY_COHERENT, Undefined;
    UnpublishedStore, UNPUBLISHED_STORE, Undefined;
    AliasedBuffers, ALIASED_BUFFERS, Unspecified;
    MisalignedAddress, MISALIGNED_ADDRESS, Undefined;
    DescriptorOutOfRange, DESCRIPTOR_OUT_OF_RANGE, Undefined;
    NonUniformResourceIndex, NON_UNIFORM_RESOURCE_INDEX, Undefined;
    EndlessWait, ENDLESS_WAIT, Undefined;
    TruncatedMask, TRUNCATED_MASK, WidthDependent;
    FloatEquality, FLOAT_EQUALITY, Unspecified;
    NonUniformLaneIndex, NON_UNIFORM_LANE_INDEX, Portability;
    SwitchConvergence, SWITCH_CONVERGENCE, Portability;
    Reconvergence, RECONVERGENCE, Portability;
    WidthDependentResult, WIDTH_DEPENDENT_RESULT, WidthDependent;
    OrderDependentResult, ORDER_DEPENDENT_RESULT, OrderDependent;
    PermutedResult, PERMUTED_RESULT, Portability;
    DependsOnWaveCount, DEPENDS_ON_WAVE_COUNT, Portability;
    HelperResult, HELPER_RESULT, Undefined;
    OtherQuadRead, OTHER_QUAD_READ, Unspecified;
    DependsOnHelpers, DEPENDS_ON_HELPERS, Unspecified;
    DependsOnPacking, DEPENDS_ON_PACKING, Unspecified;
    DependsOnQuads, DEPENDS_ON_QUADS, Portability;
    DependsOnAlphaSamples, DEPENDS_ON_ALPHA_SAMPLES, Portability;
    BrokenDepthPromise, BROKEN_DEPTH_PROMISE, Undefined;
    RayQueryState, RAY_QUERY_STATE, Undefined;
    RayFlags, RAY_FLAGS, Undefined;
    BadRay, BAD_RAY, Undefined;
    RayHitOutOfRange, RAY_HIT_OUT_OF_RANGE, Undefined;
    NoDataAccess, NO_DATA_ACCESS, Undefined;
    UnreadCandidates, UNREAD_CANDIDATES, Portability;
    CandidateDependentResult, CANDIDATE_DEPENDENT_RESULT, Unspecified;
    RayTie, RAY_TIE, Portability;
    BadInstance, BAD_INSTANCE, Undefined;
    FeedbackPair, FEEDBACK_PAIR, Undefined;
    FeedbackTier, FEEDBACK_TIER, Portability;
    FeedbackSlack, FEEDBACK_SLACK, Portability;
}

impl Kind {
    /// Whether comparing results shows it, rather than watching a run.
    pub(crate) fn is_of_results(self) -> bool {
        matches!(
            self,
            Kind::WidthDependentResult
                | Kind::OrderDependentResult
                | Kind::PermutedResult
                | Kind::DependsOnWaveCount
                | Kind::DependsOnHelpers
                | Kind::DependsOnPacking
                | Kind::DependsOnQuads
                | Kind::DependsOnAlphaSamples
                | Kind::CandidateDependentResult
                | Kind::RayTie
        )
    }
}

/// A source location and what happened there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub span: Span,
    /// What executed there, if it is an instruction.
    pub inst: Option<Inst>,
    pub text: String,
}

/// One defect, as it was first observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Kind,
    pub message: String,
    pub site: Site,
    /// The other locations involved.
    pub related: Vec<Site>,
    /// How execution came to these locations, where functions are called.
    pub stacks: Vec<Stack>,
    pub notes: Vec<String>,
    pub helps: Vec<String>,
    pub group: [u32; 3],
    pub wave: u32,
    pub lanes: LaneMask,
    /// The number of lanes of a wave.
    pub width: u32,
}

impl Finding {
    /// A finding about lanes that execute an instruction, without further details.
    pub(crate) fn at(
        at: At,
        width: u32,
        kind: Kind,
        lanes: LaneMask,
        message: String,
        text: String,
    ) -> Finding {
        Finding {
            kind,
            message,
            site: Site { span: at.span, inst: Some(at.inst), text },
            related: Vec::new(),
            stacks: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            group: at.group,
            wave: at.wave,
            lanes,
            width,
        }
    }

    /// The same at the place of the mistake, which comes before the place where it shows.
    pub(crate) fn caused_at(mut self, cause: Site) -> Finding {
        let shown = std::mem::replace(&mut self.site, cause);
        self.related.insert(0, shown);
        self
    }

    /// The same with the callers of the functions that its locations are in.
    ///
    /// A location that the text numbers always has them; another one only if it is in another call than those before.
    pub(crate) fn with_stacks(mut self, module: &Module) -> Finding {
        self.stacks.clear();
        if module.notes.scopes.is_empty() {
            return self;
        }
        let mut told: Vec<ScopeId> = Vec::new();
        for (place, site) in std::iter::once(&self.site).chain(&self.related).enumerate() {
            let Some(inst) = site.inst.filter(|it| it.index() < module.insts.len()) else {
                continue;
            };
            let scope = module.inst(inst).scope;
            let number = number_of(&site.text);
            if place > 0 && number.is_empty() && told.contains(&scope) {
                continue;
            }
            told.push(scope);
            let frame =
                |(function, span): (&str, Span)| Frame { function: function.to_owned(), span };
            let frames: Vec<Frame> = module.stack(inst).into_iter().map(frame).collect();
            if frames.len() > 1 {
                self.stacks.push(Stack { of: number.to_owned(), frames });
            }
        }
        self
    }

    /// The report for users.
    pub fn report(&self) -> Diagnostic {
        let [x, y, z] = self.group;
        self.report_at(&format!("wave {} of group ({x}, {y}, {z})", self.wave))
    }

    /// The same, with the place in words.
    pub(crate) fn report_at(&self, place: &str) -> Diagnostic {
        let mut report = Diagnostic::new(self.kind.code(), self.site.span, self.message.clone())
            .label(self.site.text.clone());
        // Some codes are also warnings of the compiler, which only suspects what has happened here.
        report.level = match self.kind.verdict() {
            Verdict::Undefined
            | Verdict::Unspecified
            | Verdict::WidthDependent
            | Verdict::OrderDependent => Level::Error,
            Verdict::Portability => report.level.min(Level::Warning),
        };
        for site in &self.related {
            report = report.also(site.span, site.text.clone());
        }
        report.stacks.clone_from(&self.stacks);
        report = report.note(format!(
            "{}: {place}, waves of {} lanes",
            self.kind.verdict().word(),
            self.width
        ));
        for note in &self.notes {
            report = report.note(note.clone());
        }
        for help in &self.helps {
            report = report.help(help.clone());
        }
        report
    }

    /// Whether two findings are about the same mistake in the program, so that one report is enough.
    pub fn is_like(&self, other: &Finding) -> bool {
        let places = |it: &Finding| it.related.iter().map(|it| it.span).collect::<Vec<_>>();
        // A sampler is reported once, wherever it is used.
        let any_site = self.kind == Kind::FeedbackTier;
        self.kind == other.kind
            && (any_site || self.site.span == other.site.span)
            && match self.kind {
                // Whichever lanes fail to reach a barrier, it is the barrier that is misplaced.
                Kind::DivergentBarrier => true,
                // The two accesses make a race; the other places are advice.
                Kind::Race | Kind::EqualStores | Kind::NotGloballyCoherent => {
                    self.accesses() == other.accesses()
                        || self.checked().is_some() && self.checked() == other.checked()
                }
                _ => places(self) == places(other),
            }
    }
}

/// The label of a racing read because of which a barrier is not reached.
pub(crate) const RACES: &str = "which races";

/// The label of the place that a check-then-set checks.
pub(crate) const CHECKED: &str = "is checked here";

impl Finding {
    /// Whether this finding covers another one: some lanes store equal values there, and others do not.
    pub(crate) fn supersedes(&self, other: &Finding) -> bool {
        let ([a, b], others) = (self.accesses(), other.accesses());
        let have_one_check = self.checked().is_some() && self.checked() == other.checked();
        self.kind == Kind::Race
            && other.kind == Kind::EqualStores
            && (have_one_check || others == [a, b] || others == [b, a])
    }

    /// The two accesses of a race, the later one first.
    pub(crate) fn accesses(&self) -> [Option<Span>; 2] {
        let numbered = |number: &str| {
            let mut all = std::iter::once(&self.site).chain(&self.related);
            all.find(|it| number_of(&it.text) == number).map(|it| it.span)
        };
        let first = || self.related.first().map(|it| it.span);
        [numbered("(2)").or(Some(self.site.span)), numbered("(1)").or_else(first)]
    }

    /// The check of a check-then-set.
    fn checked(&self) -> Option<Span> {
        Some(self.site.span).filter(|_| self.site.text.ends_with(CHECKED))
    }

    /// Whether another finding follows from the same mistake, although its place is different: two races that have an
    /// access in common, a race behind a check-then-set and a result that one of its accesses makes differ, barriers in
    /// one branch or loop that not all threads enter, or results that differ for the same reason.
    pub fn has_cause_of(&self, other: &Finding) -> bool {
        let declared = |it: &Finding| it.related.get(1).map(|it| it.span);
        let accesses = Finding::accesses;
        let parted = |it: &Finding| it.related.first().map(|it| it.span);
        match (self.kind, other.kind) {
            (Kind::Race, Kind::Race) => {
                self.checked().is_some() && self.checked() == other.checked()
                    || declared(self) == declared(other)
                        && accesses(self).iter().any(|it| accesses(other).contains(it))
            }
            // A lock that several waves hold lets each of them see the others' halves of an update.
            (Kind::Race, Kind::WidthDependentResult | Kind::OrderDependentResult) => {
                self.checked().is_some() && accesses(self).contains(&Some(other.site.span))
            }
            (Kind::Race, Kind::DivergentBarrier) => {
                let mut reads = other.related.iter().filter(|it| it.text.ends_with(RACES));
                reads.any(|it| accesses(self).contains(&Some(it.span)))
            }
            (Kind::DivergentBarrier, Kind::DivergentBarrier) => {
                parted(self).is_some() && parted(self) == parted(other)
            }
            // Of several accesses that belong to one, the first is enough to see what is missing.
            (Kind::EqualStores, Kind::EqualStores)
            | (Kind::NotGloballyCoherent, Kind::NotGloballyCoherent) => {
                self.site.span == other.site.span
            }
            (a, b) if a.is_of_results() => a == b && self.site.span == other.site.span,
            _ => false,
        }
    }
}

/// The number of a location in a report, such as `(1)`, with which its text begins.
fn number_of(text: &str) -> &str {
    let first = text.split(' ').next().unwrap_or("");
    let digits = first.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    if digits.is_some_and(|it| it.parse::<u32>().is_ok()) { first } else { "" }
}

/// Displays lanes in words: `lane 3`, `lanes 0 to 7`, `lanes 0, 2 and 5`.
pub(crate) struct Named(pub(crate) LaneMask);

/// The number of runs of lanes that are named; the rest are only counted.
const MOST_NAMED: usize = 4;

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for lane in self.0.iter() {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == lane => *last = lane,
                _ => runs.push((lane, lane)),
            }
        }
        if let [(first, last)] = runs[..] {
            return match last - first {
                0 => write!(f, "lane {first}"),
                1 => write!(f, "lanes {first} and {last}"),
                _ => write!(f, "lanes {first} to {last}"),
            };
        }
        let named = runs.len().min(MOST_NAMED);
        let rest: u32 = runs[named..].iter().map(|(first, last)| last - first + 1).sum();
        write!(f, "lanes ")?;
        for (i, (first, last)) in runs[..named].iter().enumerate() {
            let is_last = i + 1 == named && rest == 0;
            let before = if i == 0 {
                ""
            } else if is_last {
                " and "
            } else {
                ", "
            };
            match last - first {
                0 => write!(f, "{before}{first}")?,
                1 if !is_last => write!(f, "{before}{first}, {last}")?,
                _ => write!(f, "{before}{first} to {last}")?,
            }
        }
        if rest > 0 {
            write!(f, " and {rest} more")?;
        }
        Ok(())
    }
}

/// The verb for the lanes.
pub(crate) fn be(lanes: LaneMask) -> &'static str {
    if lanes.count() == 1 { "is" } else { "are" }
}

/// `s` if the subject of the verb is one lane.
pub(crate) fn third_person(lanes: LaneMask) -> &'static str {
    if lanes.count() == 1 { "s" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::Named;
    use ops::LaneMask;

    #[test]
    fn lanes_are_named_in_words() {
        let name = |lanes: &[u32]| Named(lanes.iter().copied().collect::<LaneMask>()).to_string();
        assert_eq!(name(&[3]), "lane 3");
        assert_eq!(name(&[3, 4]), "lanes 3 and 4");
        assert_eq!(name(&[3, 4, 5]), "lanes 3 to 5");
        assert_eq!(name(&[0, 2, 5]), "lanes 0, 2 and 5");
        assert_eq!(name(&[0, 2, 5, 6, 7]), "lanes 0, 2 and 5 to 7");
        assert_eq!(name(&[0, 2, 4, 6, 8, 10]), "lanes 0, 2, 4, 6 and 2 more");
    }
}
