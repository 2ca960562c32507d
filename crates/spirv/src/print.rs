//! What programs print: instructions of `NonSemantic.DebugPrintf`, which validation layers and debuggers read and
//! drivers ignore, and those of `NonSemantic.DebugBreak`.
//!
//! Vectors are put together again, since one conversion prints one operand. Before Vulkan 1.3 a device must have
//! `VK_KHR_shader_non_semantic_info`.

use ir::print::{FormatString, MessageKind};
use ir::{Message, Value};

use crate::emit::Emitter;
use crate::module::{Id, push, string};
use crate::opcode as op;

/// The only instruction of either set.
const FIRST: u32 = 1;

impl Emitter<'_> {
    pub(crate) fn print(&mut self, message: Message, args: &[Value]) {
        let shows = match self.ir.has_helpers() {
            true => {
                let helper = self.is_helper();
                let boolean = self.out.bool();
                Some(self.op(op::LOGICAL_NOT, boolean, &[helper]))
            }
            false => None,
        };
        self.guarded(shows, |it| {
            it.print_here(message, args);
            []
        });
    }

    fn print_here(&mut self, message: Message, args: &[Value]) {
        let data = &self.ir.messages[message.index()];
        if data.kind == MessageKind::Break {
            let set = self.out.set("NonSemantic.DebugBreak");
            return self.extended(set, &[]);
        }
        let set = self.out.set("NonSemantic.DebugPrintf");
        let format = self.out.id();
        let words = [vec![format.0], string(&data.format)].concat();
        push(&mut self.out.strings, op::STRING, &words);
        let mut operands = vec![format];
        let mut rest = args;
        let Ok(format) = FormatString::parse(&data.format) else {
            unreachable!("the verifier has read every format")
        };
        for conversion in format.conversions() {
            let (these, after) = rest.split_at(conversion.components as usize);
            rest = after;
            let ids = self.get_all(these);
            operands.push(match these {
                [_] => ids[0],
                _ => {
                    let of = self.ty_of(these[0]);
                    let ty = self.out.vector(of, conversion.components);
                    self.op(op::COMPOSITE_CONSTRUCT, ty, &ids)
                }
            });
        }
        self.extended(set, &operands);
    }

    fn extended(&mut self, set: Id, operands: &[Id]) {
        let void = self.out.void();
        let operands = operands.iter().map(|it| it.0);
        let words: Vec<u32> = [set.0, FIRST].into_iter().chain(operands).collect();
        self.op_words(op::EXT_INST, void, &words);
    }
}
