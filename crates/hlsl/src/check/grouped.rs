//! What only stages with thread groups have: barriers that wait for a group or order its memory, and that memory.

use diag::{Diagnostic, Span, code};
use ops::intrinsics::{Stage, Stages};
use ops::{Barrier, MemoryScope, SyncScope};

use super::Checker;
use crate::hir::{Expr, GlobalId, GlobalKind};
use crate::library::{Function, barrier_flags as flag};
use crate::types::Type;

impl Checker<'_> {
    /// Whether the stage has thread groups, or is not known: a library is for all stages.
    fn has_groups(&self) -> bool {
        self.stage == Stage::Library || Stages::GROUPS.contains(self.stage)
    }

    /// A barrier in a stage without groups orders buffers and textures, and nothing else.
    pub(super) fn gate_barrier(
        &mut self,
        function: Function,
        name: &str,
        args: &[Expr],
        span: Span,
    ) {
        let needs_group = match function {
            Function::Barrier(it) => {
                it != Barrier { memory: MemoryScope::Device, sync: SyncScope::None }
            }
            Function::FlagBarrier => self.flags_need_group(args),
            _ => false,
        };
        if !needs_group || self.has_groups() {
            return;
        }
        let report = self.without_groups(&format!("`{name}`"), span);
        self.gate(report.help(match function {
            Function::Barrier(_) => {
                "`DeviceMemoryBarrier()` orders buffers and textures in every stage"
            }
            _ => "`Barrier(UAV_MEMORY, DEVICE_SCOPE)` orders buffers and textures in every stage",
        }));
    }

    /// Whether the flags of a `Barrier` name the group's threads, or its memory alone. `ALL_MEMORY` is what the stage
    /// has.
    fn flags_need_group(&self, args: &[Expr]) -> bool {
        let [what, semantics] = args else { return false };
        let bits = |it| self.integer_of(it).unwrap_or(0) as u32;
        let is_resource = matches!(self.types.get(what.ty), Type::Resource(_));
        bits(semantics) & (flag::GROUP_SYNC | flag::GROUP_SCOPE) != 0
            || !is_resource && bits(what) == flag::GROUP_SHARED_MEMORY
    }

    /// Reports groupshared variables that an entry point of a stage without groups uses.
    pub(super) fn groupshared_has_group(&mut self, used: &[GlobalId]) {
        if self.has_groups() {
            return;
        }
        for id in used {
            let global = &self.global(*id).global;
            if matches!(global.kind, GlobalKind::Groupshared) {
                let (what, span) =
                    (format!("groupshared memory, such as `{}`,", global.name), global.span);
                let report = self.without_groups(&what, span);
                self.report(report);
            }
        }
    }

    fn without_groups(&self, what: &str, span: Span) -> Diagnostic {
        let message = format!("{}, which has no thread groups", self.unavailable(what));
        Diagnostic::new(&code::WRONG_STAGE, span, message)
    }
}
