//! What is known of a module only when it is complete: which resources it uses and what it needs of a device.

use ir::{Module, Needs, Op};
use ops::{Ty, WaveOp};

use super::Lowerer;

impl Lowerer<'_> {
    pub(super) fn finish(mut self) -> Module {
        let mut insts = self.take_prelude();
        let mut module = self.builder.finish();
        let body = &mut module.regions[module.body.index()].insts;
        insts.append(body);
        *body = insts;
        module.needs.wave_masks = self.wave_masks;
        summarise(&mut module);
        module
    }
}

/// Finds out anew which resources the module uses and what it needs; to be called when instructions have gone, too.
pub(crate) fn summarise(module: &mut Module) {
    let mut needs = Needs { wave_masks: module.needs.wave_masks, ..Needs::default() };
    let mut used = vec![false; module.resources.len()];
    for region in &module.regions {
        for inst in &region.insts {
            match &module.insts[inst.index()].op {
                Op::Wave { op, .. } => {
                    needs.wave_ops = true;
                    needs.quads |= is_quad(*op);
                }
                Op::Texture(texture) => needs.quads |= texture.op.needs_quad(),
                Op::Derivative(..) => needs.quads = true,
                Op::Load { .. }
                | Op::Store { .. }
                | Op::Atomic { .. }
                | Op::Size { .. }
                | Op::Counter { .. }
                | Op::Const { .. }
                | Op::Undef(_)
                | Op::Builtin(_)
                | Op::Unary(..)
                | Op::Binary(..)
                | Op::Compare(..)
                | Op::Ternary(..)
                | Op::Barrier { .. }
                | Op::SharedLoad { .. }
                | Op::SharedStore { .. }
                | Op::SharedAtomic { .. }
                | Op::PrivateLoad { .. }
                | Op::PrivateStore { .. }
                | Op::If { .. }
                | Op::Loop { .. }
                | Op::Switch { .. }
                | Op::Block { .. }
                | Op::Yield(_)
                | Op::Exit { .. }
                | Op::Return => {}
            }
            let places = module.insts[inst.index()].op.places();
            places.for_each(|place| used[place.binding.index()] = true);
            for value in &module.insts[inst.index()].results {
                needs_type(&mut needs, module.values[value.index()].ty);
            }
        }
    }
    module
        .groupshared
        .iter()
        .chain(&module.privates)
        .for_each(|memory| needs_type(&mut needs, memory.ty));
    for (resource, used) in module.resources.iter_mut().zip(used) {
        resource.used = used;
    }
    module.needs = needs;
}

fn needs_type(needs: &mut Needs, ty: Ty) {
    match ty {
        Ty::I16 | Ty::F16 => needs.native_16bit = true,
        Ty::I64 => needs.int64 = true,
        Ty::F64 => needs.double = true,
        Ty::Bool | Ty::I32 | Ty::F32 => {}
    }
}

fn is_quad(op: WaveOp) -> bool {
    matches!(op, WaveOp::QuadRead(_) | WaveOp::QuadReadLaneAt | WaveOp::QuadAny | WaveOp::QuadAll)
}
