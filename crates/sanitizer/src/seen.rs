//! The findings of a sweep: equal ones are merged, and those that follow from the same mistake are folded under the
//! first.
//!
//! Folding comes last: each finding keeps those that follow, so that a comment which allows one of them hides no other.

use diag::{Allows, Diagnostic, SourceMap};
use ir::exec::Invocation;
use ops::intrinsics::Stage;

use crate::finding::{Finding, Kind};
use crate::order::Order;
use crate::pixels;

/// The number of other results that are listed as depending on the same cause.
const MOST_RESULTS: usize = 3;

/// A finding and the widths at which it occurred.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// As it occurred at the smallest width.
    pub finding: Finding,
    /// The widths at which it, or what follows from it, occurred.
    pub widths: Vec<u32>,
    /// The widths at which no run that could show it was watched.
    pub unwatched: Vec<u32>,
    /// The order that shows it, if it is not that of the launch.
    pub order: Option<Order>,
    /// In a draw the stage, and the vertex, patch, primitive or pixel.
    pub of: Option<(Stage, Option<Invocation>)>,
    /// The widths at which it occurred itself.
    own: Vec<u32>,
    /// What follows from the same mistake, at other places.
    follows: Vec<Seen>,
}

impl Seen {
    /// A finding at one width.
    pub fn new(finding: Finding, order: Option<Order>) -> Seen {
        let own = vec![finding.width];
        let (widths, unwatched, follows) = (own.clone(), Vec::new(), Vec::new());
        Seen { finding, widths, unwatched, order, of: None, own, follows }
    }

    /// The same, about an invocation of a draw.
    pub(crate) fn of(mut self, stage: Stage, at: Option<Invocation>) -> Seen {
        self.of = Some((stage, at));
        self
    }

    /// The same where the width of the sweep differs from that of the program's waves.
    pub fn at_width(mut self, width: u32) -> Seen {
        self.widths = vec![width];
        self.own.clone_from(&self.widths);
        self.follows = self.follows.into_iter().map(|it| it.at_width(width)).collect();
        self
    }

    /// Merges another one if it is equal, or follows from the same mistake. Returns whether it did.
    pub fn takes(&mut self, other: &Seen) -> bool {
        let alike = |it: &Seen| it.finding.is_like(&other.finding);
        // At another width, and in another order, other lanes meet, in other accesses.
        if alike(self) {
            add(&mut self.own, &other.own);
        } else if let Some(known) = self.follows.iter_mut().find(|it| alike(it)) {
            add(&mut known.own, &other.own);
            add(&mut known.widths, &other.own);
        } else if self.has_cause_of(&other.finding) {
            self.follows.push(Seen { follows: Vec::new(), ..other.clone() });
        } else {
            return false;
        }
        add(&mut self.widths, &other.widths);
        true
    }

    /// Whether another finding follows from the same mistake as this one, or as what follows from it.
    fn has_cause_of(&self, other: &Finding) -> bool {
        self.finding.has_cause_of(other) || self.follows.iter().any(|it| it.has_cause_of(other))
    }

    /// Whether another finding is the lesser half of this one, or of what follows.
    pub(crate) fn supersedes(&self, other: &Finding) -> bool {
        self.finding.supersedes(other) || self.follows.iter().any(|it| it.supersedes(other))
    }

    /// This finding and those that follow, each by itself.
    pub fn apart(mut self) -> Vec<Seen> {
        let follows = std::mem::take(&mut self.follows);
        self.widths.clone_from(&self.own);
        std::iter::once(self).chain(follows).collect()
    }

    /// The findings that remain if some are allowed: none, or one for each mistake.
    pub fn without(self, mut is_allowed: impl FnMut(&Seen) -> bool) -> Vec<Seen> {
        let mut left: Vec<Seen> = Vec::new();
        // Each is tested, so that every comment that allows one of them counts as used.
        for it in self.apart().into_iter().filter(|it| !is_allowed(it)) {
            if !left.iter_mut().any(|known| known.takes(&it)) {
                left.push(it);
            }
        }
        left
    }

    /// Returns whether a comment of the source, `// wavelane: allow(CODE): REASON`, suppresses this finding, and marks
    /// the comment as used. It counts at each location that the report shows, and says nothing about findings that
    /// follow.
    pub fn is_allowed(&self, allows: &mut Allows, sources: &SourceMap) -> bool {
        let code = self.finding.kind.code();
        let related = self.finding.related.iter().map(|it| it.span);
        let mut places = std::iter::once(self.finding.site.span).chain(related);
        places.any(|place| allows.find(code, place, sources).is_some())
    }

    /// The vertex, patch, primitive or pixel of a draw that it is about, in words.
    pub fn invocation(&self) -> Option<String> {
        self.of.and_then(|it| it.1).map(pixels::named)
    }

    /// The finding, with a remark about those that follow.
    pub fn told(&self) -> Finding {
        let mut finding = self.finding.clone();
        finding.notes.extend(self.consequences());
        finding
    }

    fn consequences(&self) -> Vec<String> {
        let follow = |what: String| vec![format!("and {what} from the same mistake")];
        let all = self.follows.iter().filter(|it| !it.finding.kind.is_of_results()).count();
        let is_barrier = |it: &&Seen| it.finding.kind == Kind::DivergentBarrier;
        let barriers = self.follows.iter().filter(is_barrier).count();
        let mut told = match (self.finding.kind, all) {
            (_, 0) => Vec::new(),
            (Kind::Race, all) if barriers > 0 => {
                let what = match barriers {
                    1 => "a barrier that not all threads reach".to_owned(),
                    many => format!("{many} barriers that not all threads reach"),
                };
                follow(match (all, all - barriers) {
                    (1, _) => format!("{what}, which follows"),
                    (_, 0) => format!("{what}, which follow"),
                    (_, races) => format!("{what}, and {races} more of these races, which follow"),
                })
            }
            (Kind::Race, 1) => {
                follow("1 more race of these accesses with others, which follows".to_owned())
            }
            (Kind::Race, more) => {
                follow(format!("{more} more races of these accesses with others, which follow"))
            }
            (Kind::DivergentBarrier, 1) => {
                follow("1 more barrier in the same branch or loop, which follows".to_owned())
            }
            (Kind::DivergentBarrier, more) => {
                follow(format!("{more} more barriers in the same branch or loop, which follow"))
            }
            (..) => return self.results(),
        };
        told.extend(self.results());
        told
    }

    /// Other results that depend on the same cause.
    fn results(&self) -> Vec<String> {
        let mut messages: Vec<&str> = Vec::new();
        let counted = [Kind::Race, Kind::DivergentBarrier];
        for it in self.follows.iter().filter(|it| !counted.contains(&it.finding.kind)) {
            let message = it.finding.message.as_str();
            if message != self.finding.message && !messages.contains(&message) {
                messages.push(message);
            }
        }
        let more = messages.len().saturating_sub(MOST_RESULTS);
        let told = messages.iter().take(MOST_RESULTS);
        let mut notes: Vec<String> = told.map(|it| format!("{it} for the same reason")).collect();
        if more > 0 {
            notes.push(format!("so do {more} more"));
        }
        notes
    }

    /// The report for users.
    pub fn report(&self) -> Diagnostic {
        let finding = self.told();
        let Some((stage, _)) = self.of else { return finding.report() };
        let mut place = format!("wave {}", finding.wave);
        if stage.is_of_meshlets() {
            place.push_str(&format!(" of group {}", finding.group[0]));
        }
        place.push_str(&format!(" of the {} shader", stage.word()));
        if let Some(invocation) = self.invocation() {
            place.push_str(&format!(", {invocation}"));
        }
        finding.report_at(&place)
    }
}

fn add(widths: &mut Vec<u32>, more: &[u32]) {
    for width in more {
        if !widths.contains(width) {
            widths.push(*width);
        }
    }
}

/// What follows from one mistake: the first finding is reported, and the rest are counted.
pub(crate) fn folded(findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Seen> = Vec::new();
    for finding in findings {
        let seen = Seen::new(finding, None);
        if !kept.iter_mut().any(|it| it.takes(&seen)) {
            kept.push(seen);
        }
    }
    kept.iter().map(Seen::told).collect()
}

#[cfg(test)]
mod tests {
    use diag::Span;
    use ops::LaneMask;

    use super::*;
    use crate::finding::Site;

    /// A race of the accesses at two places.
    fn race([a, b]: [u32; 2], width: u32) -> Seen {
        let site = |at: u32| Site { span: Span::new(at, at + 1), inst: None, text: String::new() };
        let finding = Finding {
            kind: Kind::Race,
            message: String::new(),
            site: site(a),
            related: vec![site(b), site(100)],
            stacks: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            group: [0; 3],
            wave: 0,
            lanes: LaneMask::EMPTY,
            width,
        };
        Seen::new(finding, None)
    }

    #[test]
    fn an_allowed_finding_hides_none_that_was_folded_under_it() {
        let mut seen = race([5, 7], 4);
        // Two that share a place with it, one of them at another width; and itself at yet another one.
        for (places, width) in [([7, 7], 4), ([9, 7], 8), ([5, 7], 16)] {
            assert!(seen.takes(&race(places, width)));
        }
        assert!(!seen.takes(&race([20, 21], 4)));
        assert_eq!(seen.widths, [4, 8, 16]);
        assert_eq!(seen.told().notes.len(), 1);
        let mut asked = 0;
        let left = seen.without(|it| {
            asked += 1;
            it.finding.site.span.lo == 5
        });
        assert_eq!(asked, 3, "each may have a comment of its own");
        let [left] = left.as_slice() else { panic!("the two others share a place") };
        assert_eq!((left.finding.site.span.lo, left.widths.as_slice()), (7, &[4, 8][..]));
    }

    #[test]
    fn a_finding_that_shares_its_place_only_with_an_allowed_one_is_reported() {
        let mut seen = race([5, 7], 4);
        assert!(seen.takes(&race([8, 5], 4)) && seen.takes(&race([9, 7], 4)));
        let left = seen.without(|it| it.finding.site.span.lo == 5);
        assert_eq!(left.len(), 2);
    }
}
