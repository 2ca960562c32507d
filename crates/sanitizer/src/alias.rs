//! Aliased buffers: accesses to the same bytes through two names of one buffer.
//!
//! Compilers assume that resources of different names do not overlap, as SPIR-V says of variables that are not
//! decorated with `Aliased`. So one may move an access through one name over an access through another, unless
//! something else keeps the two in order: that the later one is computed from the earlier one, or a barrier that covers
//! the memory. What a read-only buffer contains counts as unchanging for the whole dispatch, and no barrier helps.
//!
//! Only accesses of one wave are related: those of different waves race, or synchronise as accesses through one name
//! do; but a store through another name also spoils the later loads of all waves through a read-only one. A load that
//! is moved down over a store, or repeated behind it, is not considered where the store depends on it, as in an update
//! in place.

use std::collections::HashMap;

use interp::observe::{AccessEvent, BarrierEvent, Space};
use ir::{Binding, Inst, Module};
use ops::{LaneMask, MemoryScope};

use crate::address;
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Site};
use crate::place;
use crate::slice;

/// What accesses do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Load,
    Store,
    Atomic,
}

/// An access of one lane.
#[derive(Clone, Copy)]
struct Record {
    /// The name that it uses.
    name: Binding,
    act: Act,
    inst: Inst,
    group: [u32; 3],
    wave: u32,
    lane: u32,
    /// The number of barriers that the wave had passed.
    barriers: u32,
}

/// What has been done to a byte.
#[derive(Clone, Default)]
struct Byte {
    stored: Option<Record>,
    /// Since then, the last load through each name.
    loaded: Vec<Record>,
}

/// Watches the memories that have several names.
#[derive(Default)]
pub(crate) struct Aliases {
    /// By the resource that has the memory.
    memories: HashMap<Binding, Vec<Byte>>,
    /// By group and wave.
    barriers: HashMap<([u32; 3], u32), u32>,
    /// For pairs of accesses, whether the later one depends on the earlier one.
    depends: HashMap<[Inst; 2], bool>,
    /// The pairs that have been reported.
    told: Vec<[Inst; 2]>,
}

impl Aliases {
    pub(crate) fn new(module: &Module) -> Aliases {
        let owners = module.resources.iter().filter_map(|it| it.alias_of);
        Aliases { memories: owners.map(|it| (it, Vec::new())).collect(), ..Aliases::default() }
    }

    /// Whether any memory has several names.
    pub(crate) fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    pub(crate) fn barrier(&mut self, event: &BarrierEvent) {
        if event.barrier.memory != MemoryScope::Group {
            *self.barriers.entry((event.at.group, event.at.wave)).or_default() += 1;
        }
    }

    pub(crate) fn access(
        &mut self,
        facts: &Facts<'_>,
        width: u32,
        event: &AccessEvent<'_>,
        act: Act,
    ) -> Option<Finding> {
        let Space::Buffer(memory, _) = event.space else { return None };
        let bytes = self.memories.get_mut(&memory)?;
        let at = event.at;
        let now = Record {
            name: address::named(facts.module, &facts.module.inst(at.inst).op, memory),
            act,
            inst: at.inst,
            group: at.group,
            wave: at.wave,
            lane: 0,
            barriers: self.barriers.get(&(at.group, at.wave)).copied().unwrap_or(0),
        };
        let mut found = None;
        for lane in (at.active & event.in_bounds & !event.address_poison).iter() {
            let (now, first) = (Record { lane, ..now }, event.addresses[lane as usize] as usize);
            let end = first + event.size as usize;
            if bytes.len() < end {
                bytes.resize_with(end, Byte::default);
            }
            for byte in &mut bytes[first..end] {
                let mut before = byte.stored.iter().chain(&byte.loaded);
                if found.is_none() {
                    let (told, depends) = (&self.told, &mut self.depends);
                    let is_new = |it: &&Record| !told.contains(&[it.inst, now.inst]);
                    let wrong = before.find(|it| is_new(it) && is_loose(facts, depends, it, &now));
                    found = wrong.map(|it| (*it, now));
                }
                byte.add(now);
            }
        }
        let (before, now) = found?;
        self.told.push([before.inst, now.inst]);
        Some(finding(facts, width, event, &before, &now))
    }
}

impl Byte {
    fn add(&mut self, now: Record) {
        if now.act == Act::Load {
            self.loaded.retain(|it| it.name != now.name);
            self.loaded.push(now);
        } else {
            self.loaded.clear();
            self.stored = Some(now);
        }
    }
}

/// Whether a compiler may move one of two accesses over the other one.
fn is_loose(
    facts: &Facts<'_>,
    depends: &mut HashMap<[Inst; 2], bool>,
    before: &Record,
    now: &Record,
) -> bool {
    if before.name == now.name || before.act == Act::Load && now.act == Act::Load {
        return false;
    }
    if before.act != Act::Load && !facts.module.resource(now.name).kind.writable() {
        return true;
    }
    let place = |it: &Record| (it.group, it.wave, it.barriers);
    let is_needed = || slice::backward(facts, now.inst).contains(&before.inst);
    place(before) == place(now)
        && !(before.act == Act::Load
            && *depends.entry([before.inst, now.inst]).or_insert_with(is_needed))
}

fn finding(
    facts: &Facts<'_>,
    width: u32,
    event: &AccessEvent<'_>,
    before: &Record,
    now: &Record,
) -> Finding {
    let resource = |it: &Record| facts.module.resource(it.name);
    let [earlier, later] = [before, now].map(|it| resource(it).name.as_str());
    let same_wave = (before.group, before.wave) == (now.group, now.wave);
    let who = |it: &Record| match same_wave {
        true => format!("lane {}", it.lane),
        false => format!("lane {} of wave {} of group {:?}", it.lane, it.wave, it.group)
            .replace(['[', ']'], ""),
    };
    let space = Space::Buffer(now.name, None);
    let address = event.addresses[now.lane as usize];
    let place = place::place(facts, &space, address, u64::from(event.size));
    let verb = |it: &Record| match it.act {
        Act::Load => "reads",
        Act::Store => "writes",
        Act::Atomic => "changes",
    };
    let declared = |it: &Record| Site {
        span: resource(it).span,
        inst: None,
        text: format!("`{}` is declared here", resource(it).name),
    };
    let is_constant = !resource(now).kind.writable();
    let note = match is_constant {
        true => format!(
            "`{later}` is read-only: compilers and caches assume that its contents do not change during the dispatch, \
             whatever barriers there are"
        ),
        false => "compilers assume that resources of different names do not overlap, and may move (2) before (1)"
            .to_owned(),
    };
    let mut helps = vec![match is_constant {
        true => format!(
            "read the memory as `{earlier}`, or in a later dispatch, with a barrier between the two"
        ),
        false => format!("access this memory through one name, `{earlier}` or `{later}`"),
    }];
    if !is_constant {
        helps.push("or put `DeviceMemoryBarrier()` between the two accesses".to_owned());
    }
    Finding {
        kind: Kind::AliasedBuffers,
        message: format!(
            "`{earlier}` and `{later}` name the same memory, and compilers assume that they do not"
        ),
        site: Site {
            span: event.at.span,
            inst: Some(event.at.inst),
            text: format!("(2) {} {} {place} of `{later}` here", who(now), verb(now)),
        },
        related: vec![
            Site {
                span: facts.module.inst(before.inst).span,
                inst: Some(before.inst),
                text: format!("(1) {} {} it here, as `{earlier}`", who(before), verb(before)),
            },
            declared(before),
            declared(now),
        ],
        stacks: Vec::new(),
        notes: vec![note],
        helps,
        group: event.at.group,
        wave: event.at.wave,
        lanes: LaneMask::only(now.lane),
        width,
    }
}
