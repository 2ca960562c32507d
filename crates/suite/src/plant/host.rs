//! The host of a planted fault: a generated program as text, with what the planted lines need.

use std::collections::{BTreeMap, HashSet};

use interp::Observer;
use interp::observe::{AccessEvent, At, DivergeEvent, Space};
use ir::Inst;
use ops::LaneMask;

use super::class::{Class, Reach};
use super::{Setup, bindings, compile, launch};
use generate::{Random, Statistics};

pub(super) struct Host {
    lines: Vec<String>,
    /// The lines after which planted ones may be inserted: inside a function, and where `main` has not branched.
    sites: Vec<usize>,
    top: Vec<usize>,
    pub(super) setup: Setup,
}

/// A host with inserted lines.
pub(super) struct Text {
    pub(super) text: String,
    /// The number, from 1, of the first inserted line.
    pub(super) first_line: u32,
}

/// A wave that reaches the place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    pub(crate) wave: u32,
    pub(crate) active: LaneMask,
    /// Lanes with different selector values of an enclosing `switch`, or one around the call that leads there, are
    /// together.
    pub(crate) is_mixed: bool,
}

impl Host {
    pub(super) fn make(class: &Class, random: &mut Random) -> Host {
        let widths: Vec<u32> = match class.widths {
            [] => vec![random.pick(&[4, 8, 16, 32])],
            widths => widths.to_vec(),
        };
        let mut program = generate::program(
            u64::from(random.below(u32::MAX)),
            widths[0],
            &mut Statistics::default(),
        );
        if let Some(waves) = class.waves {
            let widest = widths.iter().copied().max().unwrap_or(4);
            program.threads = widest * (waves + random.below(2));
        }
        let groups = if class.groups { 2 + random.below(2) } else { 1 };
        let setup =
            Setup { widths, threads: program.threads, groups, places: program.places as u32 };
        let text = generate::print(&program);
        let mut host = Host { lines: Vec::new(), sites: Vec::new(), top: Vec::new(), setup };
        host.lines = text.lines().map(|it| host.adapted(it)).collect();
        host.find_sites();
        host
    }

    /// A line of a generated program as adapted for a host: with groups, and `self` for a thread of the dispatch.
    fn adapted(&self, line: &str) -> String {
        let Setup { threads, places, .. } = self.setup;
        match line {
            "RWStructuredBuffer<uint> Log;" => {
                "RWStructuredBuffer<uint> Log, Extra;\nDECLARATIONS".to_owned()
            }
            "static uint thread;" => "static uint thread, group, self;".to_owned(),
            "    Log[place] = Log[place] * 31 + value;" => {
                let place = format!("Log[group * {} + place]", threads * places);
                format!("    {place} = {place} * 31 + value;")
            }
            "    thread = index;" => {
                format!("    thread = index; group = id.x; self = group * {threads} + thread;")
            }
            _ if line.starts_with("void main(") => {
                "void main(uint index : SV_GroupIndex, uint3 id : SV_GroupID) {".to_owned()
            }
            _ => line.to_owned(),
        }
    }

    fn find_sites(&mut self) {
        let is_start = |it: &String| it.contains(" f0(") || it.starts_with("[numthreads");
        let first = self.lines.iter().position(is_start).unwrap_or(0);
        let mut depth = 0_i32;
        let mut in_main = false;
        for (index, line) in self.lines.iter().enumerate().skip(first) {
            let code = line.trim();
            in_main |= code.starts_with("void main(");
            depth += code.matches('{').count() as i32 - code.matches('}').count() as i32;
            let leaves = ["break;", "continue;", "return"].iter().any(|it| code.starts_with(it));
            let opens = code.ends_with('{') && !code.starts_with("switch");
            if depth == 0 || leaves || !(code.ends_with(';') || code.ends_with(':') || opens) {
                continue;
            }
            // In `main` the thread must be known first.
            if !code.starts_with("void main(") {
                self.sites.push(index);
                if in_main && depth == 1 {
                    self.top.push(index);
                }
            }
        }
    }

    pub(super) fn site(&self, place: Reach, random: &mut Random) -> Option<usize> {
        let sites = match place {
            Reach::Anywhere => &self.sites,
            Reach::WhereAllCome => &self.top,
        };
        (!sites.is_empty()).then(|| random.pick(sites))
    }

    /// The program with lines inserted after a line, in a separate block.
    pub(super) fn with(&self, lines: &[String], site: usize, declarations: &[String]) -> Text {
        let indent: String = self.lines[site].chars().take_while(|it| *it == ' ').collect();
        let mut text = String::new();
        for line in &self.lines[..=site] {
            text.push_str(line);
            text.push('\n');
        }
        text = text.replace("DECLARATIONS", &declarations.join(" "));
        let first_line = text.lines().count() as u32 + 2;
        text.push_str(&format!("{indent}{{\n"));
        for line in lines {
            text.push_str(&format!("{indent}    {line}\n"));
        }
        text.push_str(&format!("{indent}}}\n"));
        for line in &self.lines[site + 1..] {
            text.push_str(line);
            text.push('\n');
        }
        Text { text, first_line }
    }

    /// Which waves reach a line that stores; empty if none does.
    pub(super) fn visits(&self, text: &str, line: u32) -> Option<Vec<Visit>> {
        let compiled = compile(text).unwrap_or_else(|what| unreachable!("a host compiles: {what}"));
        let module = compiled.module.as_ref()?;
        let is_there = |inst: &Inst| {
            let at = compiled.sources.location(module.inst(*inst).span);
            at.is_some_and(|at| at.line == line)
        };
        let insts = (0..module.insts.len() as u32).map(Inst).filter(is_there).collect();
        let mut probe = Probe { insts, switches: Vec::new(), visits: Vec::new() };
        let mut bindings = bindings(module, &self.setup);
        interp::run(module, &launch(&self.setup), &mut bindings, &mut probe).ok()?;
        (!probe.visits.is_empty()).then_some(probe.visits)
    }
}

struct Probe {
    insts: HashSet<Inst>,
    /// The open switches of waves: the group and the wave, the switch, and the lanes of each selector value.
    switches: Vec<([u32; 3], u32, Inst, Vec<LaneMask>)>,
    visits: Vec<Visit>,
}

impl Observer for Probe {
    const POISON: bool = false;

    fn store(&mut self, event: &AccessEvent<'_>) {
        if matches!(event.space, Space::Buffer(..)) && self.insts.contains(&event.at.inst) {
            let At { group, wave, active, .. } = event.at;
            let mixes = |ways: &[LaneMask]| {
                ways.iter().filter(|it| !(**it & active).is_empty()).count() > 1
            };
            let around = self.switches.iter().filter(|it| (it.0, it.1) == (group, wave));
            let is_mixed = around.into_iter().any(|it| mixes(&it.3));
            self.visits.push(Visit { wave, active, is_mixed });
        }
    }

    fn diverge(&mut self, event: &DivergeEvent<'_>) {
        let Some(selector) = event.selector else { return };
        let At { group, wave, inst, active, .. } = event.at;
        let mut ways: BTreeMap<u64, LaneMask> = BTreeMap::new();
        for lane in active.iter() {
            *ways.entry(selector.get(lane)).or_default() |= LaneMask::only(lane);
        }
        self.switches.retain(|it| (it.0, it.1, it.2) != (group, wave, inst));
        self.switches.push((group, wave, inst, ways.into_values().collect()));
    }

    fn reconverge(&mut self, at: At) {
        self.switches.retain(|it| (it.0, it.1, it.2) != (at.group, at.wave, at.inst));
    }
}
