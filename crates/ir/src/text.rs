//! The text form of a module: [`print()`] writes it, [`read()`] reads it back. Reading what was printed gives the same
//! module.
//!
//! ```text
//! entry "main": compute 6.6
//! group_size 64, 1, 1
//! needs wave_ops
//! b0 "Output": structured.rw 4 at u0 used
//!
//! body r0 {
//!   v0: i32 = builtin.group_index
//!   v1: i32 = const.i32 7
//!   v2: bool = lt.u v0, v1 @210..223
//!   v3: i32 = if v2 then r1 {
//!     v4: i32 = wave.reduce.sum v0
//!     yield v4
//!   } else r2 {
//!     yield v1
//!   }
//!   v5: i32 = const.i32 0
//!   store b0[element v0, byte v5], v3
//!   yield
//! }
//! ```
//!
//! # Lines
//! One instruction per line: `RESULTS = OP OPERANDS @SPAN`. Results are declared with their types, `v1, v2: i32,
//! v3: f32`, so that the text can also express what the verifier would reject. Text after `//` is a comment.
//! Instructions are numbered in textual order; one that is not, or that exits can name, starts with its number:
//! `i12:`. Values, regions and memories always carry their numbers. A span is `@LO..HI`, followed by `#N` for the
//! macro expansion N. `in 2` says that an instruction is in the inlined function 2, of which
//! `scope "f" in 1 @210..223` declares the name, the caller and the call. Both are left out together with spans.
//!
//! # Constructs
//! ```text
//! if v1 then r1 { … } else r2 { … }
//! i3: loop v1, v2 do r1(v3: i32, v4: f32) { … }
//! i3: switch v1 with v2 {
//!   case 0, 1, default r1(v3: i32) { … }
//! }
//! i3: block do r1 { … }
//! exit i3 v1, v2
//! ```
//!
//! # Places
//! `b0[element v1, byte v2]` is an address in a structured buffer, `b0[byte v1]` one in a raw or constant buffer,
//! `b0[texel v1]` one in a typed buffer,
//! `b0[within 4 v1 if v2]` unit `v1` of four bytes, whose bounds have been checked, for the lanes for which `v2` holds,
//! `b0(v5)[…]` one in the element `v5` of an array of buffers.
//!
//! `texture.sample.level b0, b1 at v1, v2 level v3` names a texture, a sampler, and operands by role.
//!
//! # Messages
//! `m0 print "i is %d" i32` declares what `print m0, v1` prints, with the types of its scalars; the kind is `print`,
//! `failure` or `break`.
//!
//! # Signatures
//! `input "TEXCOORD" 0: f32 x 2 linear centre` and `output "SV_Target" 0: f32 x 4 linear centre system target` are the
//! elements of a vertex or pixel shader, whose slots `s0`, `s1`, … instructions name. The line `pixel discards` lists
//! the traits of a pixel shader, and `stage_io` alone an empty signature.
//!
//! Deliberately absent: notes, which are for debuggers alone ([`print()`] drops them), and any check of the module.
//! [`print()`] takes every module, and marks what it cannot express; [`read()`] accepts everything that it can
//! represent, for [`crate::verify`] to judge.

mod lex;
mod print;
mod read;

pub use print::{op_name, print, print_inst, print_without_spans};
pub use read::{ReadError, read};

use ops::{Barrier, Sign, Ty, WaveOp, names};

use crate::print::MessageKind;
use crate::ray::{Field, Which};
use crate::{
    Atomic, Builtin, Derivative, Detail, HostScalar, Norm, RayOp, RegisterClass, TextureOp,
};

/// The nesting limit for regions in the text, and in a module that the verifier accepts.
pub const MOST_DEPTH: usize = 256;

/// The first word of an instruction whose operation is not one of [`ops::scalar`], which are written by name alone.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Head {
    Const(Ty),
    Undef(Ty),
    Builtin(Builtin),
    Input,
    EvalCentroid,
    EvalSample,
    EvalSnapped,
    InputAt,
    Output,
    Discard,
    Wave(WaveOp),
    Barrier(Barrier),
    Load,
    Store,
    Atomic(Atomic),
    Size,
    Counter,
    Texture(TextureOp),
    Ray(RayOp),
    Derivative(Derivative),
    SharedLoad,
    SharedStore,
    SharedAtomic(Atomic),
    PrivateLoad,
    PrivateStore,
    Print,
    If,
    Loop,
    Switch,
    Block,
    Yield,
    Exit,
    Return,
}

names! { Head {
    "const" => Const(ty: Ty),
    "undef" => Undef(ty: Ty),
    "builtin" => Builtin(builtin: Builtin),
    "input" => Input,
    "eval_centroid" => EvalCentroid,
    "eval_sample" => EvalSample,
    "eval_snapped" => EvalSnapped,
    "input_at" => InputAt,
    "output" => Output,
    "discard" => Discard,
    "wave" => Wave(op: WaveOp),
    "barrier" => Barrier(barrier: Barrier),
    "load" => Load,
    "store" => Store,
    "atomic" => Atomic(op: Atomic),
    "size" => Size,
    "counter" => Counter,
    "texture" => Texture(op: TextureOp),
    "ray" => Ray(op: RayOp),
    "derivative" => Derivative(of: Derivative),
    "shared_load" => SharedLoad,
    "shared_store" => SharedStore,
    "shared_atomic" => SharedAtomic(op: Atomic),
    "private_load" => PrivateLoad,
    "private_store" => PrivateStore,
    "print" => Print,
    "if" => If,
    "loop" => Loop,
    "switch" => Switch,
    "block" => Block,
    "yield" => Yield,
    "exit" => Exit,
    "return" => Return,
} }

names! { Builtin {
    "group_id" => GroupId(component: u8),
    "group_thread_id" => GroupThreadId(component: u8),
    "dispatch_thread_id" => DispatchThreadId(component: u8),
    "group_index" => GroupIndex,
} }

names! { Atomic {
    "add" => Add,
    "and" => And,
    "or" => Or,
    "xor" => Xor,
    "min" => Min(sign: Sign),
    "max" => Max(sign: Sign),
    "exchange" => Exchange,
    "compare_exchange" => CompareExchange,
} }

names! { TextureOp {
    "load" => Load,
    "store" => Store,
    "atomic" => Atomic(op: Atomic),
    "sample" => Sample(detail: Detail),
    "compare" => Compare(detail: Detail),
    "gather" => Gather(component: u8),
    "gather_compare" => GatherCompare(component: u8),
    "lod" => LevelOfDetail,
    "lod_unclamped" => LevelOfDetailUnclamped,
    "feedback" => Feedback(detail: Detail),
    "size" => Size,
} }

names! { Detail {
    "implicit" => Implicit,
    "bias" => Bias,
    "level" => Level,
    "gradients" => Gradients,
} }

names! { RayOp {
    "allocate" => Allocate,
    "trace" => Trace,
    "proceed" => Proceed,
    "abort" => Abort,
    "commit_triangle" => CommitTriangle,
    "commit_procedural" => CommitProcedural,
    "get" => Get(which: Which, field: Field),
} }

names! { Derivative {
    "x_coarse" => XCoarse,
    "y_coarse" => YCoarse,
    "x_fine" => XFine,
    "y_fine" => YFine,
} }

names! { RegisterClass {
    "b" => Constant,
    "t" => Shader,
    "u" => Unordered,
    "s" => Sampler,
    "p" => Push,
    "h" => ResourceHeap,
    "z" => SamplerHeap,
} }

names! { HostScalar {
    "bool" => Bool,
    "i16" => I16,
    "u16" => U16,
    "i32" => I32,
    "u32" => U32,
    "i64" => I64,
    "u64" => U64,
    "f16" => F16,
    "f32" => F32,
    "f64" => F64,
} }

names! { Norm {
    "none" => None,
    "unorm" => Unorm,
    "snorm" => Snorm,
} }

names! { MessageKind {
    "print" => Print,
    "failure" => Failure,
    "break" => Break,
} }

/// A kind of resource, without its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum KindWord {
    Constant,
    Structured,
    Raw,
    Typed,
    Texture,
    Sampler,
    Scene,
    Feedback,
}

names! { KindWord {
    "constant" => Constant,
    "structured" => Structured,
    "raw" => Raw,
    "typed" => Typed,
    "texture" => Texture,
    "sampler" => Sampler,
    "scene" => Scene,
    "feedback" => Feedback,
} }

/// A field of [`crate::Needs`].
type Need = fn(&mut crate::Needs) -> &mut bool;

/// The words of the `needs` line, each with its field.
const NEEDS: [(&str, Need); 6] = [
    ("wave_ops", |it| &mut it.wave_ops),
    ("int64", |it| &mut it.int64),
    ("native_16bit", |it| &mut it.native_16bit),
    ("double", |it| &mut it.double),
    ("quads", |it| &mut it.quads),
    ("wave_masks", |it| &mut it.wave_masks),
];

#[cfg(test)]
mod tests;
