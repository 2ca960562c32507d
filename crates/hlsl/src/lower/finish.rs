//! The end of lowering: deferred instructions go in front of the body, and the module records its requirements.

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
