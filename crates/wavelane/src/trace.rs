//! Running a shader so that it leaves what it computes: for whoever looks for the first value that two engines differ in.
//!
//! Not part of the stability promise. What is traced, and how, is the matter of [`ir::trace`].

use diag::Span;
use ir::exec::LaneOrder;
use ir::trace::{self, Event};
use ir::{Module, Op, TextureOp};
use ops::Ty;

use crate::guard::catch;
use crate::{Buffer, BufferError, Bug, ResourceTable, Scalar, Shader};

/// The name of the buffer that a traced shader has more.
pub const TRACE_NAME: &str = trace::NAME;

/// A value that a shader computes, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePoint {
    /// Where in the source.
    pub span: Span,
    /// The operation, as the text of the IR spells it.
    pub operation: String,
    /// The type, for showing it.
    pub scalar: Scalar,
    /// Whether the language leaves it to the device: what an atomic operation finds depends on the order of waves.
    pub is_open: bool,
    /// It filters a texture: how finely weights and levels are told apart is the device's own.
    pub is_filtered: bool,
}

impl TracePoint {
    /// Whether it is a sum or a product of floats over lanes, whose rounding depends on an order.
    pub fn folds_floats(&self) -> bool {
        let operation = self.operation.as_str();
        self.scalar.is_float()
            && operation.starts_with("wave.")
            && (operation.ends_with("sum") || operation.ends_with("product"))
    }
}

/// What a run is to leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    inner: trace::Trace,
}

impl Trace {
    /// These values, ascending by their places in [`Shader::trace_points`], of each thread as many as there is room for behind the first `skip`; `None` where there are too many
    /// threads for any. A clock is for the reference engine alone.
    pub fn new(
        shader: &Shader,
        groups: [u32; 3],
        points: Vec<usize>,
        skip: u32,
        clock: bool,
    ) -> Option<Trace> {
        let room = trace::Trace::most_room(shader.group_size(), groups)?;
        Some(Trace { inner: trace::Trace { groups, points, skip, room, clock } })
    }

    /// How many values of each thread are kept.
    pub fn room(&self) -> u32 {
        self.inner.room
    }

    /// What the shader is run as.
    pub fn shader(&self, shader: &Shader) -> Result<Shader, Bug> {
        catch(|| {
            let module = self.inner.rewrite(&shader.module).0.into();
            Shader { module, ..shader.clone() }
        })
    }

    /// A table for that shader, which holds what `table` does.
    pub fn table(
        &self,
        shader: &Shader,
        traced: &Shader,
        table: &ResourceTable,
    ) -> Result<ResourceTable, BufferError> {
        let bytes = vec![0; self.inner.bytes(&shader.module)];
        table.with(traced, Buffer::from_bytes(bytes))
    }

    /// What each thread of the dispatch has computed, after a run.
    pub fn read(
        &self,
        shader: &Shader,
        table: &ResourceTable,
    ) -> Result<Vec<Vec<Event>>, BufferError> {
        let buffer = table.buffer(trace::NAME);
        let bytes = buffer.map(|it| it.read_bytes()).transpose()?.unwrap_or_default();
        Ok(self.inner.read(&shader.module, &bytes))
    }
}

impl Shader {
    /// What of it can be traced.
    pub fn trace_points(&self) -> Vec<TracePoint> {
        let module = &self.module;
        let point = |it: trace::Point| {
            let op = &module.inst(it.inst).op;
            TracePoint {
                span: it.span,
                operation: ir::text::op_name(op),
                scalar: scalar(it.ty),
                is_open: op.effects().is_atomic(),
                is_filtered: is_filtered(op),
            }
        };
        trace::points(module).into_iter().map(point).collect()
    }

    /// The lane of a thread and its wave, by the thread's index in the group.
    pub fn lane_of(&self, thread: u32, width: u32, order: Option<LaneOrder>) -> Option<(u32, u32)> {
        let order = order.unwrap_or_else(|| crate::pipeline::natural_order(&self.module));
        let dealt = ir::deal(self.module.group_size, order);
        let slot = dealt.iter().position(|it| it[3] == thread)? as u32;
        Some((slot % width.max(1), slot / width.max(1)))
    }

    /// The shader that a text describes which [`Shader::ir`] could have written. It must hold what the verifier asks for.
    pub fn from_ir(text: &str) -> Result<Shader, String> {
        let read = || -> Result<Module, String> {
            let module = ir::text::read(text).map_err(|error| format!("{error:?}"))?;
            ir::verify::verify(&module).map_err(|problems| problems[0].to_string())?;
            Ok(module)
        };
        let module = catch(read).map_err(|bug| bug.message)??;
        Ok(Shader {
            module: module.into(),
            name: "a module given as text".into(),
            specialization: Default::default(),
        })
    }
}

fn scalar(ty: Ty) -> Scalar {
    match ty {
        Ty::Bool => Scalar::Bool,
        Ty::I16 => Scalar::U16,
        Ty::I32 => Scalar::U32,
        Ty::I64 => Scalar::U64,
        Ty::F16 => Scalar::F16,
        Ty::F32 => Scalar::F32,
        Ty::F64 => Scalar::F64,
    }
}

fn is_filtered(op: &Op) -> bool {
    let Op::Texture(texture) = op else { return false };
    match texture.op {
        TextureOp::Sample(_)
        | TextureOp::Compare(_)
        | TextureOp::LevelOfDetail
        | TextureOp::LevelOfDetailUnclamped => true,
        TextureOp::Load
        | TextureOp::Store
        | TextureOp::Atomic(_)
        | TextureOp::Gather(_)
        | TextureOp::GatherCompare(_)
        | TextureOp::Size => false,
    }
}
