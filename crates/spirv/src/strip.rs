//! Removing debug information from a module, for `-Qstrip_debug`: names, sources and lines.
//!
//! The result behaves as the input does. A string that an instruction outside the debug information refers to stays.

use std::collections::BTreeSet;

use crate::opcode::{self as op, Opcode};

/// Words before the first instruction.
const HEADER: usize = 5;

/// The module without debug information.
pub fn strip(words: &[u32]) -> Vec<u32> {
    let (header, code) = words.split_at(HEADER.min(words.len()));
    let is_debug = |inst: &[u32]| {
        let debug = [op::SOURCE_CONTINUED, op::SOURCE, op::NAME, op::LINE];
        debug.iter().any(|it| is(inst, *it))
    };
    // The formats of `printf` are strings, too.
    let called = instructions(code).filter(|it| is(it, op::EXT_INST));
    let used: BTreeSet<u32> =
        called.flat_map(|it| it.get(5..).unwrap_or_default().iter().copied()).collect();
    let is_unused_string =
        |inst: &[u32]| is(inst, op::STRING) && !inst.get(1).is_some_and(|id| used.contains(id));
    let kept = instructions(code).filter(|it| !is_debug(it) && !is_unused_string(it));
    header.iter().chain(kept.flatten()).copied().collect()
}

fn is(inst: &[u32], opcode: Opcode) -> bool {
    inst.first().is_some_and(|it| it & 0xffff == u32::from(opcode.number))
}

fn instructions(mut code: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let length = (*code.first()? >> 16) as usize;
        // Invariant: our own modules have no instruction of zero words.
        let (inst, rest) = code.split_at_checked(length.max(1))?;
        code = rest;
        Some(inst)
    })
}
