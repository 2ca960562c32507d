//! Which contents of a draw something undefined may reach: a static slice from the instructions that did something
//! undefined, or used it.
//!
//! Contents are distinguished only behind the pixel shader. What an earlier shader does that is undefined may move, add
//! or drop any primitive, and so reaches everything.

use std::collections::BTreeMap;

use ir::stage::{SystemValue, element_of};
use ir::{Inst, Module, Op};
use ops::intrinsics::Stage;

use super::Part;
use super::contents::{Content, Holder};
use super::explain::writers;
use crate::facts::Facts;
use crate::hash::HashSet;
use crate::slice::{self, Memory};
use crate::spread::Cause;

/// What a draw did that is undefined, by its programs.
#[derive(Default)]
pub(super) struct Undefined {
    parts: BTreeMap<Part, BTreeMap<Inst, Cause>>,
    /// A difference that no instruction identifies.
    anywhere: Option<(Stage, Cause)>,
}

impl Undefined {
    pub(super) fn add(&mut self, part: Part, inst: Option<Inst>, cause: Cause) {
        match inst {
            Some(inst) if part == Part::Pixel => {
                self.parts.entry(part).or_default().entry(inst).or_insert(cause);
            }
            _ => {
                self.anywhere.get_or_insert((part.stage(), cause));
            }
        }
    }

    /// For each content what reaches it. `is_mixed`: outputs for one target decide about others.
    pub(super) fn reach(
        mut self,
        modules: &[(Part, &Module)],
        contents: &[Content],
        is_mixed: bool,
    ) -> Vec<Option<(Stage, Cause)>> {
        let mut reached = vec![self.anywhere; contents.len()];
        let pixel = modules.iter().find(|it| it.0 == Part::Pixel);
        let (Some((part, module)), None) = (pixel, self.anywhere) else { return reached };
        let Some(mut sources) = self.parts.remove(part) else { return reached };
        let facts = Facts::new(module);
        let slices: Vec<HashSet<Inst>> = contents
            .iter()
            .map(|content| {
                let all = writers(module, content, *part).into_iter().chain(discards(module));
                let decides = |it: &Inst| is_mixed || decides(module, *it, content.holder);
                all.filter(decides).flat_map(|it| slice::backward(&facts, it)).collect()
            })
            .collect();
        // Undefined contents of a buffer are undefined wherever they are read.
        loop {
            let before = reached.iter().flatten().count();
            for (number, content) in contents.iter().enumerate() {
                let cause = sources.iter().find(|it| slices[number].contains(it.0));
                let Some(cause) = cause.map(|it| *it.1).filter(|_| reached[number].is_none())
                else {
                    continue;
                };
                reached[number] = Some((part.stage(), cause));
                let memories: Vec<Option<Memory>> = content
                    .users
                    .iter()
                    .filter(|it| it.0 == *part)
                    .map(|it| Some(Memory::Buffer(module.storage(it.1))))
                    .collect();
                for inst in (0..module.insts.len() as u32).map(Inst) {
                    let read = slice::read(module, &module.inst(inst).op);
                    if read.is_some() && memories.contains(&read) {
                        sources.entry(inst).or_insert(cause);
                    }
                }
                // Stages before it are drawn with what it leaves only in another draw, but waves of theirs may follow.
                if content.users.iter().any(|it| it.0 != *part) {
                    return vec![Some((part.stage(), cause)); contents.len()];
                }
            }
            if reached.iter().flatten().count() == before {
                return reached;
            }
        }
    }
}

fn discards(module: &Module) -> impl Iterator<Item = Inst> {
    let all = (0..module.insts.len() as u32).map(Inst);
    all.filter(|it| matches!(module.inst(*it).op, Op::Discard))
}

/// Whether an instruction that writes may decide about a content.
fn decides(module: &Module, inst: Inst, holder: Holder) -> bool {
    let Op::Output { slot, .. } = &module.inst(inst).op else { return true };
    let outputs = module.io.as_ref().map_or(&[][..], |it| &it.outputs);
    match (element_of(outputs, *slot), holder) {
        (Some((element, _)), holder) if element.system == Some(SystemValue::Target) => {
            matches!(holder, Holder::Target(number, ..) if element.index == number)
        }
        _ => true,
    }
}
