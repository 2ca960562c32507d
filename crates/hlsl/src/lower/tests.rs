//! Programs built by hand, so that only lowering is tested: the IR of the constructs, all of it verified.

mod flow;
mod places;

use diag::{Sink, Span};
use ir::{Module, Register, RegisterClass, WaveSize};
use ops::intrinsics::{Output, ShaderModel, Stage, by_name};

use super::lower;
use crate::hir::*;
use crate::options::Options;
use crate::types::{
    Access, BinaryOp, Field, Mode, ResourceType, Struct, Type, TypeId, Types, UnaryOp,
};

/// A compute shader `void main(uint t : SV_GroupIndex)` over `RWStructuredBuffer<uint> data`, and its functions.
struct Shader {
    types: Types,
    data: TypeId,
    locals: Vec<Local>,
    functions: Vec<Function>,
    globals: Vec<Global>,
    resources: Vec<Resource>,
}

const LANE: LocalId = LocalId(0);

fn local(name: &str, ty: TypeId) -> Local {
    Local { name: name.into(), ty, span: Span::NONE }
}

fn expr(kind: ExprKind, ty: TypeId) -> Expr {
    Expr { kind, ty, span: Span::NONE }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::NONE }
}

fn word(bits: u64) -> Expr {
    expr(ExprKind::Const(bits), Types::UINT)
}

fn get(id: LocalId) -> Expr {
    expr(ExprKind::Local(id), Types::UINT)
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let ty = if op.is_comparison() { Types::BOOL } else { a.ty };
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}

fn odd() -> Expr {
    binary(BinaryOp::Ne, binary(BinaryOp::And, get(LANE), word(1)), word(0))
}

fn set(place: Expr, value: Expr) -> Stmt {
    let ty = place.ty;
    stmt(StmtKind::Expr(expr(ExprKind::Assign(Box::new(place), Box::new(value)), ty)))
}

fn if_(cond: Expr, then: Vec<Stmt>, else_: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If { cond, then, else_ })
}

fn return_(value: Expr) -> Stmt {
    stmt(StmtKind::Return(Some(value)))
}

/// `WaveActiveCountBits(true)`.
fn active() -> Expr {
    let intrinsic = by_name("WaveActiveCountBits").unwrap().intrinsic;
    let args = vec![expr(ExprKind::Const(1), Types::BOOL)];
    expr(ExprKind::Wave { intrinsic, output: Output::Uint, args }, Types::UINT)
}

fn call(function: u32, args: Vec<Expr>) -> Expr {
    let args = args.into_iter().map(Arg::In).collect();
    expr(ExprKind::Call { function: FunctionId(function), args }, Types::UINT)
}

impl Shader {
    fn new() -> Shader {
        let mut types = Types::new();
        let data = ResourceType::Structured { element: Types::UINT, access: Access::ReadWrite };
        let data = types.intern(Type::Resource(data));
        let mut shader = Shader {
            types,
            data,
            locals: vec![local("t", Types::UINT)],
            functions: Vec::new(),
            globals: Vec::new(),
            resources: Vec::new(),
        };
        shader.resource("data", data, RegisterClass::Unordered, Vec::new());
        shader
    }

    /// A resource of that type, as an expression; with `dims` an array of them.
    fn resource(&mut self, name: &str, ty: TypeId, class: RegisterClass, dims: Vec<u32>) -> Expr {
        let ty = dims
            .iter()
            .rev()
            .fold(ty, |element, len| self.types.intern(Type::Array { element, len: *len }));
        let index = self.resources.len() as u32;
        self.resources.push(Resource {
            name: name.into(),
            ty,
            count: Some(dims.iter().product()),
            dims,
            register: Register { class, index, space: 0 },
            chosen: Default::default(),
            globally_coherent: false,
            packing: crate::types::Packing::Constant,
            span: Span::NONE,
        });
        expr(ExprKind::Resource(ResourceId(index)), ty)
    }

    fn structure(&mut self, name: &str, fields: &[(&str, TypeId)]) -> TypeId {
        let field = |(name, ty): &(&str, TypeId)| Field {
            name: (*name).into(),
            ty: *ty,
            bits: None,
            hidden: false,
            offset: None,
            span: Span::NONE,
        };
        let id = self
            .types
            .add_struct(Struct { name: name.into(), fields: fields.iter().map(field).collect() });
        self.types.intern(Type::Struct(id))
    }

    fn local(&mut self, name: &str, ty: TypeId) -> LocalId {
        self.locals.push(local(name, ty));
        LocalId(self.locals.len() as u32 - 1)
    }

    /// A function `uint f(uint t)`; the entry point comes after all others.
    fn function(&mut self, body: Vec<Stmt>) -> u32 {
        self.functions.push(Function {
            name: "f".into(),
            locals: vec![local("t", Types::UINT)],
            params: vec![Mode::In],
            result: Types::UINT,
            body,
            span: Span::NONE,
        });
        self.functions.len() as u32 - 1
    }

    /// `data[index]`.
    fn at(&self, index: Expr) -> Expr {
        let data = expr(ExprKind::Resource(ResourceId(0)), self.data);
        expr(ExprKind::Index(Box::new(data), Box::new(index)), Types::UINT)
    }

    fn try_lower(mut self, body: Vec<Stmt>) -> Result<Module, Vec<&'static str>> {
        self.functions.push(Function {
            name: "main".into(),
            locals: self.locals,
            params: vec![Mode::In],
            result: Types::VOID,
            body,
            span: Span::NONE,
        });
        let program = Program {
            entry: Entry {
                function: FunctionId(self.functions.len() as u32 - 1),
                stage: Stage::Compute,
                shader_model: ShaderModel::HIGHEST,
                group_size: [64, 1, 1],
                wave_size: WaveSize::default(),
                inputs: vec![SystemValue::GroupIndex],
                signature: None,
                patch: None,
                group: None,
                missing: Vec::new(),
                native_16bit: false,
                span: Span::NONE,
            },
            types: self.types.into(),
            functions: self.functions,
            globals: self.globals,
            resources: self.resources,
            unreached: Vec::new(),
        };
        let mut sink = Sink::new();
        let module = lower(&program, &Options::default(), &mut sink);
        let codes = || sink.as_slice().iter().map(|it| it.code.name).collect::<Vec<_>>();
        let mut module = module.ok_or_else(codes)?;
        ir::verify::verify(&module)
            .unwrap_or_else(|it| panic!("{it:?}\n{}", ir::text::print(&module)));
        ir::simplify::prune(&mut module);
        module.summarise();
        ir::verify::verify(&module)
            .unwrap_or_else(|it| panic!("{it:?}\n{}", ir::text::print(&module)));
        Ok(module)
    }

    /// The body, one line for each instruction.
    fn text(self, body: Vec<Stmt>) -> String {
        let text = ir::text::print_without_spans(&self.try_lower(body).unwrap());
        text[text.find("body").unwrap()..].to_owned()
    }
}

/// Compares line by line, ignoring indentation and comments.
#[track_caller]
fn expect(text: &str, lines: &str) {
    let line = |line: &str| line.split(" //").next().unwrap_or_default().trim().to_owned();
    let clean = |text: &str| {
        text.lines().map(line).filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n")
    };
    assert!(clean(text) == clean(lines), "got:\n{text}");
}
