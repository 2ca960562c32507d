//! Sampler feedback: records for a texture other than the map's, samplers that not every device can record, and on
//! request what devices may report differently.
//!
//! A shader cannot read a map, so that no run has to be repeated for the last: [`ops::texture::feedback::admissible`]
//! bounds what a device may make of each record, and the bounds of a run are joined here as the records themselves are.

use std::collections::{BTreeMap, BTreeSet};

use interp::observe::{At, FeedbackEvent, FeedbackWrite};
use ir::{Binding, Op, Texture};
use ops::LaneMask;
use ops::texture::Address;
use ops::texture::feedback::{self, Admissible, Map, NONE, Patch, Reason};

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::hash::HashSet;
use crate::watch::Rules;

/// How many texels are named for each reason; the rest are only counted.
const MOST_NAMED: usize = 4;

#[derive(Default)]
pub(crate) struct Feedback {
    /// The samplers that have been reported.
    told: HashSet<Binding>,
    /// The maps that were recorded in, if slack is wanted: which of a resource's.
    maps: BTreeMap<(Binding, u32), Bounds>,
}

/// Who recorded something first.
#[derive(Clone, Copy)]
struct By {
    at: At,
    lane: u32,
}

/// What devices may report after the records of a run.
struct Bounds {
    map: Map,
    name: String,
    /// The texels of this run.
    own: Vec<u32>,
    /// The texels of which all devices are certain.
    certain: Vec<u32>,
    besides: BTreeMap<Patch, By>,
    /// For texels that some device need not mark: why, and whose mark it is.
    doubtful: BTreeMap<usize, (Reason, By)>,
}

impl Feedback {
    /// The active lanes record; those with a poisoned operand are reported elsewhere.
    pub(crate) fn record(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        rules: &Rules,
        event: &FeedbackEvent<'_>,
    ) -> Vec<Finding> {
        let Op::Texture(texture) = &facts.module.inst(event.at.inst).op else { return Vec::new() };
        let sound = |it: &&FeedbackWrite<'_>| !event.poison.contains(it.lane);
        let writes: Vec<&FeedbackWrite<'_>> = event.writes.iter().filter(sound).collect();
        let lanes = |holds: &dyn Fn(&FeedbackWrite<'_>) -> bool| -> LaneMask {
            writes.iter().filter(|it| holds(it)).map(|it| it.lane).collect()
        };
        let mut findings = Vec::new();
        let unpaired = lanes(&|it| !it.is_paired);
        if !unpaired.is_empty() {
            findings.push(pair(facts, width, event.at, texture, unpaired));
        }
        if !rules.has_feedback_tier_1 {
            let odd = lanes(&|it| it.is_paired && odd_axis(it).is_some());
            let first = writes.iter().find(|it| Some(it.lane) == odd.first());
            if let (Some(first), Some(sampler)) = (first, &texture.sampler)
                && self.told.insert(sampler.binding)
            {
                findings.extend(tier(facts, width, event.at, sampler.binding, first, odd));
            }
        }
        if rules.feedback_slack {
            for write in writes.iter().filter(|it| it.is_paired) {
                let by = By { at: event.at, lane: write.lane };
                let bounds = self.maps.entry((event.map, write.element));
                let bounds = bounds.or_insert_with(|| Bounds::new(facts, texture, write));
                let FeedbackWrite { shape, dim, sampler, query, map, .. } = *write;
                bounds.add(&feedback::admissible(&map.map, shape, *dim, sampler, query), by);
            }
        }
        findings
    }

    /// The texels of the run's maps that devices may report differently: one finding for each instruction and map.
    pub(crate) fn slack(&mut self, width: u32) -> Vec<Finding> {
        let maps = std::mem::take(&mut self.maps);
        maps.into_values().flat_map(|it| it.findings(width)).collect()
    }
}

/// The first axis with an address mode that tier 0.9 lacks.
// Spec: SamplerFeedback.md, D3D12_SAMPLER_FEEDBACK_TIER_0_9: WRAP and CLAMP only.
fn odd_axis(write: &FeedbackWrite<'_>) -> Option<usize> {
    let modes = &write.sampler.address[..2];
    modes.iter().position(|it| !matches!(it, Address::Wrap | Address::Clamp))
}

fn pair(facts: &Facts<'_>, width: u32, at: At, texture: &Texture, lanes: LaneMask) -> Finding {
    let sampled = facts.module.resource(texture.texture.binding);
    let map = facts.module.resource(texture.map.unwrap_or(texture.texture).binding);
    let (who, s) = (Named(lanes), third_person(lanes));
    let message = format!("`{}` is not the feedback map of `{}`", map.name, sampled.name);
    let text = format!("{who} record{s} samples of a texture other than the paired one");
    let mut found = Finding::at(at, width, Kind::FeedbackPair, lanes, message, text);
    found.related = [(map, "the map"), (sampled, "the texture that is sampled")]
        .map(|(it, what)| Site {
            span: it.span,
            inst: None,
            text: format!("{what} is declared here"),
        })
        .into();
    found.notes.push("here, nothing is recorded".to_owned());
    found.helps.push(format!(
        "pass the texture that the map was made for, or make a map for `{}`",
        sampled.name
    ));
    found
}

fn tier(
    facts: &Facts<'_>,
    width: u32,
    at: At,
    sampler: Binding,
    write: &FeedbackWrite<'_>,
    lanes: LaneMask,
) -> Option<Finding> {
    let axis = odd_axis(write)?;
    let mode = match write.sampler.address[axis] {
        Address::Wrap => "wrap",
        Address::Clamp => "clamp",
        Address::Mirror => "mirror",
        Address::Border => "border",
        Address::MirrorOnce => "mirror-once",
    };
    let resource = facts.module.resource(sampler);
    let name = &resource.name;
    let (who, s) = (Named(lanes), third_person(lanes));
    let message = format!("feedback is recorded through `{name}`, whose address mode is `{mode}`");
    let text = format!("{who} record{s} through it here");
    let mut found = Finding::at(at, width, Kind::FeedbackTier, lanes, message, text);
    found.related.push(Site {
        span: resource.span,
        inst: None,
        text: format!("`{name}` is declared here"),
    });
    let axis = ["u", "v"][axis];
    found.notes.push(format!(
        "`{name}` has `{axis}={mode}`; devices of tier 0.9 support only `wrap` and `clamp`"
    ));
    found.helps.push(
        "record through a sampler with `wrap` or `clamp`, or require tier 1.0; `--caps feedback=1.0` says that you do"
            .to_owned(),
    );
    Some(found)
}

impl Bounds {
    fn new(facts: &Facts<'_>, texture: &Texture, write: &FeedbackWrite<'_>) -> Bounds {
        let map = write.map.map;
        let resource = facts.module.resource(texture.map.unwrap_or(texture.texture).binding);
        let is_array = resource.count != Some(1) || resource.register.class.is_heap();
        let name = match is_array {
            true => format!("{}[{}]", resource.name, write.element),
            false => resource.name.clone(),
        };
        let own: Vec<u32> = map.decode(write.memory).into_iter().map(u32::from).collect();
        let certain = own.clone();
        Bounds { map, name, own, certain, besides: BTreeMap::new(), doubtful: BTreeMap::new() }
    }

    fn add(&mut self, write: &Admissible, by: By) {
        let kind = self.map.kind;
        for patch in &write.besides {
            self.besides.entry(*patch).or_insert(by);
        }
        for mark in &write.marks {
            let own = &mut self.own[mark.texel];
            *own = kind.joined(*own, mark.value);
            let mut certain = mark.value;
            for (why, marks) in &write.instead {
                let there = marks.iter().filter(|it| it.texel == mark.texel);
                let there =
                    there.fold(u32::from(kind.cleared()), |all, it| kind.joined(all, it.value));
                let weaker = kind.weaker(certain, there);
                if weaker != certain {
                    certain = weaker;
                    self.doubtful.entry(mark.texel).or_insert((*why, by));
                }
            }
            let all = &mut self.certain[mark.texel];
            *all = kind.joined(*all, certain);
        }
    }

    fn findings(self, width: u32) -> Vec<Finding> {
        let Bounds { map, name, own, certain, besides, doubtful } = self;
        let kind = map.kind;
        /// What an instruction leaves open: the lanes that it was first executed by, and texels with their other
        /// values.
        struct Open {
            by: By,
            lanes: LaneMask,
            texels: BTreeMap<(Reason, usize), u32>,
        }
        let mut open: BTreeMap<u32, Open> = BTreeMap::new();
        let mut add = |by: By, why: Reason, texel: usize, value: u32| {
            let it = open.entry(by.at.inst.0).or_insert_with(|| Open {
                by,
                lanes: LaneMask::EMPTY,
                texels: BTreeMap::new(),
            });
            if (it.by.at.group, it.by.at.wave) == (by.at.group, by.at.wave) {
                it.lanes |= LaneMask::only(by.lane);
            }
            let known = it.texels.entry((why, texel)).or_insert(value);
            *known = kind.joined(*known, value);
        };
        for (texel, (why, by)) in doubtful {
            if certain[texel] != own[texel] {
                add(by, why, texel, certain[texel]);
            }
        }
        for (patch, by) in besides {
            for texel in patch.texels(&map) {
                let other = kind.joined(own[texel], patch.value);
                if other != own[texel] {
                    add(by, patch.why, texel, other);
                }
            }
        }
        let told = |Open { by, lanes, texels }: Open| {
            let all: BTreeSet<usize> = texels.keys().map(|it| it.1).collect();
            let (who, s) = (Named(lanes), third_person(lanes));
            let plural = if all.len() == 1 { "texel" } else { "texels" };
            let message =
                format!("devices may report {} {plural} of `{name}` differently", all.len());
            let text = format!("{who} record{s} here");
            let mut found = Finding::at(by.at, width, Kind::FeedbackSlack, lanes, message, text);
            for why in Reason::ALL {
                let of = texels.iter().filter(|it| it.0.0 == why);
                let of: Vec<(usize, u32)> = of.map(|it| (it.0.1, *it.1)).collect();
                if of.is_empty() {
                    continue;
                }
                let named = of.iter().take(MOST_NAMED).map(|(texel, value)| {
                    let (value, own) = (word(&map, *value), word(&map, own[*texel]));
                    format!("{} {value} instead of {own}", place(&map, *texel))
                });
                let named: Vec<String> = named.collect();
                let more = match of.len().saturating_sub(MOST_NAMED) {
                    0 => String::new(),
                    more => format!("; and {more} more"),
                };
                let (number, words) = (why.number(), why.words());
                found.notes.push(format!("reason {number}, {words}: {}{more}", named.join("; ")));
            }
            found.helps.push(
                "rely only on sampled regions being marked, never on others being unmarked"
                    .to_owned(),
            );
            found
        };
        open.into_values().map(told).collect()
    }
}

/// A texel's value in words.
fn word(map: &Map, value: u32) -> String {
    match map.kind {
        feedback::FeedbackKind::MinMip if value == u32::from(NONE) => "none".to_owned(),
        feedback::FeedbackKind::MinMip => value.to_string(),
        feedback::FeedbackKind::MipRegionUsed if value == 0 => "unused".to_owned(),
        feedback::FeedbackKind::MipRegionUsed => "used".to_owned(),
    }
}

/// Where a texel of the map is.
fn place(map: &Map, texel: usize) -> String {
    let (layer, level, [x, y]) = map.place(texel);
    let mut text = format!("({x}, {y})");
    if map.held_levels() > 1 {
        text.push_str(&format!(" of level {level}"));
    }
    if map.layers > 1 {
        text.push_str(&format!(" of layer {layer}"));
    }
    text
}
