//! The end of lowering: what was put off goes to the front of the body, and the module says what it needs.

use ir::Module;

use super::Lowerer;

impl Lowerer<'_> {
    pub(super) fn finish(mut self) -> Module {
        let mut insts = self.take_prelude();
        let mut module = self.builder.finish();
        let body = &mut module.regions[module.body.index()].insts;
        insts.append(body);
        *body = insts;
        module.needs.wave_masks = self.wave_masks;
        module.summarise();
        module
    }
}
