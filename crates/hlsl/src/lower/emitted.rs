//! Geometry shaders: what a lane emits.
//!
//! A lane keeps its vertices in private memory and counts them. At the end they become outputs, which are words
//! ([`ir::stage::GeometryTraits`]): engines know neither streams nor strips.

use ir::stage::{CUT, GeometryTraits, StageTraits};
use ir::{Memory, Op, Private, Slot, Value};
use ops::{Binary, Compare, Sign, Ty, Unary};

use super::{Lower, Lowerer};
use crate::hir::{ResourceId, Signature};

/// The first of the numbers that denote streams where handles have those of resources.
const FIRST_STREAM: u32 = u32::MAX - 64;

/// Where a geometry shader keeps its vertices.
#[derive(Clone, Copy)]
pub(super) struct Emission {
    words: Private,
    /// How many vertices there are, and a bit for each stream that has been cut since its last one.
    state: Private,
    stride: u32,
    most: u32,
}

/// The number that a stream's handle has.
pub(super) fn stream_id(number: u32) -> ResourceId {
    ResourceId(FIRST_STREAM + number)
}

impl Lowerer<'_> {
    /// Declares the memory of a geometry shader.
    pub(super) fn begin_emission(&mut self, signature: &Signature) {
        let StageTraits::Geometry(traits) = &signature.io.traits else { return };
        let traits: &GeometryTraits = traits;
        let span = self.builder.span;
        let (stride, most) = (traits.stride(), traits.most_vertices);
        let privates = &mut self.builder.module.privates;
        let words = Private(privates.len() as u32);
        let array = |name: &str, len| Memory { name: name.to_owned(), ty: Ty::I32, len, span };
        privates.push(array("$emitted", stride * most));
        privates.push(array("$emission", 2));
        let state = Private(words.0 + 1);
        let zero = self.word(0);
        for i in 0..2 {
            let index = self.word(i);
            self.builder.inst(Op::PrivateStore { memory: state, index, value: zero }, &[]);
        }
        self.emission = Some(Emission { words, state, stride, most });
    }

    fn state(&mut self, emission: Emission, which: u32) -> Value {
        let index = self.word(which);
        self.value(Op::PrivateLoad { memory: emission.state, index }, Ty::I32)
    }

    fn set_state(&mut self, emission: Emission, which: u32, value: Value) {
        let index = self.word(which);
        self.builder.inst(Op::PrivateStore { memory: emission.state, index, value }, &[]);
    }

    /// `Append`: vertices beyond the declared number are dropped.
    pub(super) fn emit_vertex(&mut self, stream: ResourceId, values: &[Value]) -> Lower<()> {
        let Some(emission) = self.emission else { return Ok(()) };
        let program = self.program;
        let number = stream.0.wrapping_sub(FIRST_STREAM);
        let slots = program.entry.signature.as_ref().and_then(|it| it.streams.get(number as usize));
        let Some(slots) = slots else { return Ok(()) };
        let count = self.state(emission, 0);
        let most = self.word(emission.most);
        let fits = self.value(Op::Compare(Compare::Lt(Sign::Unsigned), count, most), Ty::Bool);
        let values = values.to_vec();
        self.when(fits, |this| {
            let stride = this.word(emission.stride);
            let base = this.value(Op::Binary(Binary::Mul, count, stride), Ty::I32);
            let cuts = this.state(emission, 1);
            let bit = this.word(1 << number);
            let own = this.value(Op::Binary(Binary::And, cuts, bit), Ty::I32);
            let is_cut = this.is_nonzero(own);
            let (cut, plain) = (this.word(number | CUT), this.word(number));
            let control = Op::Ternary(ops::Ternary::Select, [is_cut, cut, plain]);
            let control = this.value(control, Ty::I32);
            let memory = emission.words;
            this.builder.inst(Op::PrivateStore { memory, index: base, value: control }, &[]);
            for (value, slot) in values.into_iter().zip(slots) {
                let value = this.as_word(value);
                let index = this.offset(base, 1 + slot.0);
                this.builder.inst(Op::PrivateStore { memory, index, value }, &[]);
            }
            let others = this.word(!(1 << number));
            let rest = this.value(Op::Binary(Binary::And, cuts, others), Ty::I32);
            this.set_state(emission, 1, rest);
            Ok(())
        })?;
        // It keeps counting, so that the draw sees how many vertices were dropped.
        let next = self.offset(count, 1);
        self.set_state(emission, 0, next);
        Ok(())
    }

    /// `RestartStrip`.
    pub(super) fn cut_strip(&mut self, stream: ResourceId) {
        let Some(emission) = self.emission else { return };
        let cuts = self.state(emission, 1);
        let bit = self.word(1 << (stream.0.wrapping_sub(FIRST_STREAM) & 31));
        let all = self.value(Op::Binary(Binary::Or, cuts, bit), Ty::I32);
        self.set_state(emission, 1, all);
    }

    /// Makes outputs of what was emitted.
    pub(super) fn end_emission(&mut self) -> Lower<()> {
        let Some(emission) = self.emission else { return Ok(()) };
        let count = self.state(emission, 0);
        self.builder.inst(Op::Output { slot: Slot(0), value: count }, &[]);
        for vertex in 0..emission.most {
            let number = self.word(vertex);
            let is_there =
                self.value(Op::Compare(Compare::Lt(Sign::Unsigned), number, count), Ty::Bool);
            self.when(is_there, |this| {
                for word in vertex * emission.stride..(vertex + 1) * emission.stride {
                    let index = this.word(word);
                    let load = Op::PrivateLoad { memory: emission.words, index };
                    let value = this.value(load, Ty::I32);
                    this.builder.inst(Op::Output { slot: Slot(1 + word), value }, &[]);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The bits of a value as a word.
    fn as_word(&mut self, value: Value) -> Value {
        let (from_sign, to_sign) = (Sign::Unsigned, Sign::Unsigned);
        let convert = Unary::Convert { to: Ty::I32, from_sign, to_sign };
        match self.builder.module.ty(value) {
            Ty::I32 => value,
            Ty::F32 => self.value(Op::Unary(Unary::Bitcast(Ty::I32), value), Ty::I32),
            Ty::F16 => {
                let bits = self.value(Op::Unary(Unary::Bitcast(Ty::I16), value), Ty::I16);
                self.value(Op::Unary(convert, bits), Ty::I32)
            }
            Ty::Bool | Ty::I16 | Ty::I64 | Ty::F64 => {
                self.value(Op::Unary(convert, value), Ty::I32)
            }
        }
    }
}
