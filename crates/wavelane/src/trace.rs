//! Tracing: runs a shader so that it records the values it computes, to find the first value in which two engines
//! differ.
//!
//! Not part of the stable interface. [`legalize::trace`] says what is traced, and how.

use diag::Span;
use ir::exec::LaneOrder;
use ir::{Module, Op};
use legalize::trace::{self, Event};
use ops::Ty;

use crate::guard::catch;
use crate::{Buffer, BufferError, Bug, ResourceTable, Scalar, Shader};

/// The name of the additional buffer of a traced shader.
pub const TRACE_NAME: &str = trace::NAME;

/// A value that a shader computes, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePoint {
    /// The source location.
    pub span: Span,
    /// The operation, in the spelling of the IR's text form.
    pub operation: String,
    /// The type, for printing.
    pub scalar: Scalar,
    /// Whether the language leaves the value open: the result of an atomic operation depends on the order of waves.
    pub is_open: bool,
    /// Whether it filters a texture: the precision of weights and levels is device-specific.
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

/// What a run records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    inner: trace::Trace,
}

impl Trace {
    /// These values, in ascending order of their indices in [`Shader::trace_points`], for each thread as many as fit
    /// after the first `skip`; `None` if there are too many threads for any. Only the reference engine supports a
    /// clock.
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

    /// The number of values that are kept for each thread.
    pub fn room(&self) -> u32 {
        self.inner.room
    }

    /// The traced shader.
    pub fn shader(&self, shader: &Shader) -> Result<Shader, Bug> {
        catch(|| {
            let module = self.inner.rewrite(&shader.module).0.into();
            Shader { module, ..shader.clone() }
        })
    }

    /// A table for that shader, with the contents of `table`.
    pub fn table(
        &self,
        shader: &Shader,
        traced: &Shader,
        table: &ResourceTable,
    ) -> Result<ResourceTable, BufferError> {
        let bytes = vec![0; self.inner.bytes(&shader.module)];
        table.with(traced, Buffer::from_bytes(bytes))
    }

    /// The values that each thread of the dispatch has computed, after a run.
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
    /// The values that can be traced.
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
        let order = order.unwrap_or_else(|| LaneOrder::natural(&self.module));
        let dealt = ir::deal(self.module.group_size, order);
        let slot = dealt.iter().position(|it| it[3] == thread)? as u32;
        Some((slot % width.max(1), slot / width.max(1)))
    }

    /// Parses a shader from the text form that [`Shader::ir`] writes. It must satisfy the verifier.
    pub fn from_ir(text: &str) -> Result<Shader, String> {
        let read = || -> Result<Module, String> {
            let module = ir::text::read(text).map_err(|error| format!("{error:?}"))?;
            ir::verify::verify(&module).map_err(|problems| problems[0].to_string())?;
            Ok(module)
        };
        let module = catch(read).map_err(|bug| bug.message)??;
        Ok(Shader {
            module: module.into(),
            patch: None,
            name: "a module given as text".into(),
            specialization: Default::default(),
            unreached: Default::default(),
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
    matches!(op, Op::Texture(it) if it.op.filters() || it.op.is_level_of_detail())
}
