//! Groups in turn: each group of the new module runs several of the source, one after another, and adds up in
//! groupshared copies what they add to small buffers. The copies are added to the buffers once, at the end.
//!
//! The difference cannot be observed under these conditions:
//! - *Additions.* The module only adds words to the buffer, and uses no result. Additions commute, so neither their
//!   order nor their number can be observed, but only the sums.
//! - *Groups in turn.* No loop reads memory that the module can write, so that no group waits for another; nothing is
//!   kept from one group to the next, because there are no groupshared and private arrays; and no lane returns early,
//!   so that all of them reach the end.
//!
//! The gain is in atomic operations: one for each element that a *group of the device* has added to, instead of one for
//! each wave.
//!
//! Deliberately absent: additions to buffers of a heap or an array, and to elements of several words.

use ir::{
    Address, Atomic, Binding, Builtin, Chosen, Inst, Memory, Module, Op, Place, Register,
    RegisterClass, Resource, ResourceKind, Shared, Value, values,
};
use ops::intrinsics::Stage;
use ops::{Barrier, Binary, Compare, MemoryScope, Sign, SyncScope, Ty};

use crate::additions::{accesses, is_only_added};
use crate::target::Target;
use crate::writer::Writer;

/// The largest buffer that is copied, and the most groupshared memory for all copies, in bytes.
const MOST_OF_ONE: usize = 16 << 10;
const MOST_OF_ALL: usize = 32 << 10;

/// The bytes of the record that the host writes: see [`record`].
const RECORD_BYTES: u32 = 16;

/// What replaces parts of the module while it is copied.
pub(crate) struct Merging {
    /// The buffers with copies: the copy of each is the groupshared array of that number.
    copies: Vec<Binding>,
    /// The number of the current group on each axis.
    groups: [Value; 3],
}

/// The record of a dispatch: the groups on the first two axes, how many there are, and how many groups of the new
/// module run them. It is the last resource of the new module.
pub fn record(groups: [u32; 3], runs: u32) -> Vec<u8> {
    let all = groups.iter().fold(1, |all: u32, it| all.saturating_mul(*it));
    [groups[0], groups[1], all, runs].into_iter().flat_map(u32::to_le_bytes).collect()
}

/// What groups in turn must know of the dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// It is in a buffer, the last resource, with the bytes of [`record`].
    Buffer,
    /// The groups of the dispatch, and how many groups of the new module run them.
    Constants { groups: [u32; 3], runs: u32 },
}

/// The new module, which finds the dispatch in a buffer: see [`merged_by`].
pub fn merged(module: &Module, bytes: &[usize]) -> Option<Module> {
    merged_by(module, bytes, Record::Buffer)
}

/// The new module, whose groups are counted on the first axis only. `bytes` are the sizes of the buffers that are bound
/// to each resource. `None` if a condition does not hold, or nothing is gained.
pub fn merged_by(module: &Module, bytes: &[usize], record: Record) -> Option<Module> {
    let module = &*ir::notes::without(module);
    let used = ir::flow::used(module);
    let copies = copies(module, &used, bytes);
    if copies.is_empty() || !runs_in_turn(module, &copies) {
        return None;
    }
    let threads = module.threads_per_group() as u32;
    let target = Target::everything();
    let mut writer = Writer::new(module, &target);
    let [columns, rows, all, runs] = writer.recorded(record);
    let first = writer.results(writer.early(Op::Builtin(Builtin::GroupId(0)), &[Ty::I32]))[0];
    let buffers: Vec<Binding> = copies.iter().map(|it| it.0).collect();
    writer.merging = Some(Merging { copies: buffers, groups: [first; 3] });

    let body = &module.region(module.body).insts;
    let (last, insts) = body.split_last()?;
    let inst = writer.construct_begins();
    let (_, params) = writer.open(&[Ty::I32]);
    let number = params[0];
    let groups = writer.places([columns, rows, all], number);
    if let Some(merging) = &mut writer.merging {
        merging.groups = groups;
    }
    for inst in insts {
        writer.inst(*inst);
    }
    let next = writer.op2(Binary::Add, number, runs);
    let is_done = writer.test(Compare::Ge(Sign::Unsigned), next, all);
    writer.leave_if(is_done, inst, &[next]);
    let body = writer.close_with(&[next]);
    writer.construct_ends(inst, Op::Loop { body, inits: values![first] }, &[Ty::I32]);

    let barrier = Barrier { memory: MemoryScope::Group, sync: SyncScope::Group };
    writer.add(Op::Barrier { barrier, lanes: None }, &[]);
    let thread = writer.value(Op::Builtin(Builtin::GroupIndex), Ty::I32);
    for (number, (binding, words)) in copies.iter().enumerate() {
        let place = Place { binding: *binding, element: None };
        writer.add_copy(Shared(number as u32), place, thread, *words, threads);
    }
    writer.add(module.inst(*last).op.clone(), &[]);

    let mut new = writer.finish();
    declare(&mut new, module, copies, record);
    Some(new)
}

/// Declares the copies, and the buffer of the record.
fn declare(new: &mut Module, module: &Module, copies: Vec<(Binding, u32)>, record: Record) {
    for (binding, words) in copies {
        new.groupshared.push(Memory {
            name: format!("{}.copy", module.resource(binding).name),
            ty: Ty::I32,
            len: words,
            span: ir::Span::NONE,
        });
    }
    if record != Record::Buffer {
        return;
    }
    new.resources.push(Resource {
        name: "groups".to_owned(),
        kind: ResourceKind::Structured {
            writable: false,
            stride: RECORD_BYTES,
            members: Vec::new(),
            counter: false,
        },
        count: Some(1),
        // Direct3D reserves this space, so no shader's resource has the same register.
        register: Register { class: RegisterClass::Shader, index: 0, space: 0xffff_fff1 },
        chosen: Chosen::Register,
        globally_coherent: false,
        alias_of: None,
        used: true,
        span: ir::Span::NONE,
    });
}

/// Whether an instruction accesses the first word of an element.
fn is_to_element(module: &Module, inst: Inst) -> bool {
    match module.inst(inst).op {
        Op::Atomic { at: Address::Structured { offset, .. }, .. } => {
            module.constant(offset) == Some(0)
        }
        _ => false,
    }
}

/// The buffers that get copies, and their sizes in words.
fn copies(module: &Module, used: &[bool], bytes: &[usize]) -> Vec<(Binding, u32)> {
    let mut all = Vec::new();
    let mut room = MOST_OF_ALL;
    for (index, resource) in module.resources.iter().enumerate() {
        let binding = Binding(index as u32);
        let size = bytes.get(index).copied().unwrap_or(0);
        let is_small = (4..=MOST_OF_ONE.min(room)).contains(&size);
        let is_of_words = matches!(resource.kind, ResourceKind::Structured { stride: 4, .. });
        let is_one = resource.count == Some(1) && !module.shares_memory(binding);
        if !(is_small && is_of_words && is_one && resource.used) {
            continue;
        }
        if is_only_added(module, used, binding)
            && accesses(module, binding).all(|it| is_to_element(module, it))
        {
            all.push((binding, (size / 4) as u32));
            room -= size;
        }
    }
    all
}

/// Whether groups can run one after another.
fn runs_in_turn(module: &Module, copies: &[(Binding, u32)]) -> bool {
    let keeps_nothing = module.groupshared.is_empty()
        && module.privates.is_empty()
        && module.queries.is_empty()
        && module.messages.is_empty();
    if module.stage != Stage::Compute || module.io.is_some() || !keeps_nothing {
        return false;
    }
    let is_copied =
        |op: &Op| op.places().any(|place| copies.iter().any(|it| it.0 == place.binding));
    let has_barriers = module.insts.iter().any(|it| match it.op {
        Op::Barrier { barrier, .. } => barrier.sync == SyncScope::Group,
        _ => false,
    });
    !has_barriers && !returns_or_waits(module, is_copied)
}

/// Whether a lane returns early, or a loop reads memory that the module can write, so that a wave may wait for another.
/// Accesses that are exempt do not count.
pub(crate) fn returns_or_waits(module: &Module, is_exempt: impl Fn(&Op) -> bool) -> bool {
    let mut open: Vec<(ir::Region, bool)> = vec![(module.body, false)];
    while let Some((region, in_loop)) = open.pop() {
        for inst in &module.region(region).insts {
            let op = &module.inst(*inst).op;
            let returns = matches!(op, Op::Return) && region != module.body;
            let waits = match op {
                _ if !in_loop || is_exempt(op) => false,
                op => match op.effects().reads() {
                    Some(ir::facts::Space::Resource(place)) => module.may_be_written(place.binding),
                    Some(space) => !space.is_private(),
                    None => false,
                },
            };
            if returns || waits {
                return true;
            }
            let loops = in_loop || matches!(op, Op::Loop { .. });
            open.extend(op.regions().into_iter().map(|it| (it, loops)));
        }
    }
    false
}

impl Writer<'_> {
    /// Replaces an instruction that depends on the group, or adds to a buffer with a copy. Returns whether it has.
    pub(crate) fn merges(&self, inst: Inst) -> bool {
        let Some(merging) = &self.merging else { return false };
        let data = self.source.inst(inst);
        match &data.op {
            Op::Builtin(Builtin::GroupId(axis)) => {
                self.set(data.results[0], merging.groups[usize::from(*axis)]);
            }
            Op::Builtin(Builtin::DispatchThreadId(axis)) => {
                let size = self.source.group_size[usize::from(*axis)];
                let group = merging.groups[usize::from(*axis)];
                let thread = self.value(Op::Builtin(Builtin::GroupThreadId(*axis)), Ty::I32);
                let start = self.with(Binary::Mul, group, size.into());
                self.set(data.results[0], self.op2(Binary::Add, start, thread));
            }
            Op::Atomic { place, at: Address::Structured { index, .. }, op, args } => {
                let copy = merging.copies.iter().position(|it| *it == place.binding);
                let Some(copy) = copy else { return false };
                let (memory, index) = (Shared(copy as u32), self.get(*index));
                let op = Op::SharedAtomic { memory, index, op: *op, args: self.get_all(args) };
                let new = self.results(self.add_like(op, &data.results));
                for (old, new) in data.results.iter().zip(new) {
                    self.set(*old, new);
                }
            }
            _ => return false,
        }
        true
    }

    /// The groups on the first two axes, how many there are, and how many run them.
    fn recorded(&self, record: Record) -> [Value; 4] {
        match record {
            Record::Buffer => {
                let binding = Binding(self.source.resources.len() as u32);
                let zero = self.word(0);
                let at = Address::Structured { index: zero, offset: zero };
                let load = Op::Load { place: Place { binding, element: None }, at };
                let words = self.results(self.early(load, &[Ty::I32; 4]));
                [words[0], words[1], words[2], words[3]]
            }
            Record::Constants { groups, runs } => {
                let all = groups.iter().fold(1, |all: u32, it| all.saturating_mul(*it));
                [groups[0], groups[1], all, runs].map(|it| self.word(it))
            }
        }
    }

    /// The number of a group on each axis.
    fn places(&self, [columns, rows, all]: [Value; 3], number: Value) -> [Value; 3] {
        // What is divided is less than `all`.
        let is_one = |it: Value| self.known(it) == Some(1);
        let is_all = |it: Value| self.known(it).is_some() && self.known(it) == self.known(all);
        let zero = self.word(0);
        let unsigned = Sign::Unsigned;
        if is_all(columns) {
            return [number, zero, zero];
        }
        let row = match is_one(columns) {
            true => number,
            false => self.op2(Binary::Div(unsigned), number, columns),
        };
        let column = self.op2(Binary::Rem(unsigned), number, columns);
        match (self.known(columns), self.known(rows), self.known(all)) {
            (Some(columns), Some(rows), Some(all)) if columns * rows == all => [column, row, zero],
            _ => [
                column,
                self.op2(Binary::Rem(unsigned), row, rows),
                self.op2(Binary::Div(unsigned), row, rows),
            ],
        }
    }

    /// Adds a copy to its buffer: each thread some of the words.
    fn add_copy(&self, memory: Shared, place: Place, thread: Value, words: u32, threads: u32) {
        let add = |index: Value| {
            let sum = self.value(Op::SharedLoad { memory, index }, Ty::I32);
            let is_some = self.test(Compare::Ne, sum, self.word(0));
            let to = || {
                let at = Address::Structured { index, offset: self.word(0) };
                let op = Op::Atomic { place, at, op: Atomic::Add, args: values![sum] };
                self.add(op, &[Ty::I32]);
                []
            };
            self.branch(is_some, to, || []);
        };
        let count = self.word(words);
        let is_below = self.test(Compare::Lt(Sign::Unsigned), thread, count);
        let all = || {
            if words <= threads {
                add(thread);
            } else {
                self.repeat_until([thread], |[index]| {
                    add(index);
                    let next = self.with(Binary::Add, index, threads.into());
                    (self.test(Compare::Ge(Sign::Unsigned), next, count), [next])
                });
            }
            []
        };
        self.branch(is_below, all, || []);
    }
}
