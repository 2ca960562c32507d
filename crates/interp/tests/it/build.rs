//! Builds modules concisely and runs them.

use ir::exec::{Bindings, Buffer, Failure, Launch};
use ir::{
    Address, Binding, Builder, Builtin, Inst, Module, Op, Place, Resource, ResourceKind, Value,
    Values, values,
};
use ir::{Register, RegisterClass, Span};
use ops::{Binary, Compare, Sign, Ty, WaveOp};
use wavelane_interp::NoObserver;

/// A module with one group size and raw buffers, all writable.
pub(crate) fn module(group_size: [u32; 3], buffers: usize) -> Module {
    let resource = |index: usize| Resource {
        name: format!("buffer{index}"),
        kind: ResourceKind::Raw { writable: true },
        count: Some(1),
        register: Register { class: RegisterClass::Unordered, index: index as u32, space: 0 },
        chosen: Default::default(),
        globally_coherent: false,
        alias_of: None,
        used: true,
        span: Span::NONE,
    };
    Module {
        name: "test".into(),
        shader_model: ops::intrinsics::ShaderModel { major: 6, minor: 6 },
        group_size,
        resources: (0..buffers).map(resource).collect(),
        ..Module::empty()
    }
}

/// Short names for the most common instructions.
pub(crate) struct Shader {
    pub(crate) b: Builder,
    pub(crate) thread: Value,
}

impl Shader {
    pub(crate) fn new(module: Module) -> Shader {
        let mut b = Builder::new(module);
        let thread = b.value(Op::Builtin(Builtin::DispatchThreadId(0)), Ty::I32);
        Shader { b, thread }
    }

    pub(crate) fn int(&mut self, value: u32) -> Value {
        self.b.constant(Ty::I32, u64::from(value))
    }

    pub(crate) fn float(&mut self, value: f32) -> Value {
        self.b.constant(Ty::F32, u64::from(value.to_bits()))
    }

    pub(crate) fn bin(&mut self, op: Binary, a: Value, b: Value) -> Value {
        let ty = self.b.module.ty(a);
        self.b.value(Op::Binary(op, a, b), ty)
    }

    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.bin(Binary::Add, a, b)
    }

    pub(crate) fn mul(&mut self, a: Value, b: Value) -> Value {
        self.bin(Binary::Mul, a, b)
    }

    pub(crate) fn cmp(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.b.value(Op::Compare(op, a, b), Ty::Bool)
    }

    pub(crate) fn lt(&mut self, a: Value, b: Value) -> Value {
        self.cmp(Compare::Lt(Sign::Unsigned), a, b)
    }

    pub(crate) fn eq(&mut self, a: Value, b: Value) -> Value {
        self.cmp(Compare::Eq, a, b)
    }

    /// Whether the given bit of a value is set.
    pub(crate) fn bit(&mut self, a: Value, bit: u32) -> Value {
        let one = self.int(bit);
        let and = self.bin(Binary::And, a, one);
        let zero = self.int(0);
        self.cmp(Compare::Ne, and, zero)
    }

    pub(crate) fn wave(&mut self, op: WaveOp, args: &[Value], ty: Ty) -> Value {
        self.b.value(Op::Wave { op, args: args.into(), lanes: None }, ty)
    }

    pub(crate) fn place(buffer: u32) -> Place {
        Place { binding: Binding(buffer), element: None }
    }

    /// `buffer[index]` in words.
    pub(crate) fn load(&mut self, buffer: u32, index: Value, ty: Ty) -> Value {
        let at = self.scaled(index, ty);
        self.b.value(Op::Load { place: Shader::place(buffer), at }, ty)
    }

    pub(crate) fn store(&mut self, buffer: u32, index: Value, value: Value) {
        let ty = self.b.module.ty(value);
        let at = self.scaled(index, ty);
        self.b.inst(Op::Store { place: Shader::place(buffer), at, values: values![value] }, &[]);
    }

    fn scaled(&mut self, index: Value, ty: Ty) -> Address {
        let bytes = self.int(ty.bytes());
        Address::Byte(self.mul(index, bytes))
    }

    /// Stores the active set at this point, as one word, to the slot of buffer 0.
    pub(crate) fn record(&mut self, slot: Value) {
        let everyone = self.b.constant(Ty::Bool, 1);
        let ballot = self.b.inst(
            Op::Wave { op: WaveOp::Ballot, args: values![everyone], lanes: None },
            &[Ty::I32, Ty::I32, Ty::I32, Ty::I32],
        );
        let low = self.b.results(ballot)[0];
        self.store(0, slot, low);
    }

    /// The same, at a constant slot.
    pub(crate) fn mark(&mut self, slot: u32) {
        let slot = self.int(slot);
        self.record(slot);
    }

    pub(crate) fn end(&mut self, values: &[Value]) {
        if !self.b.is_terminated() {
            self.b.terminate(Op::Yield(values.into()));
        }
    }

    pub(crate) fn exit(&mut self, to: Inst, args: &[Value]) {
        self.b.terminate(Op::Exit { to, args: args.into() });
    }

    /// An `if` without results.
    pub(crate) fn if_(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Shader),
        else_: impl FnOnce(&mut Shader),
    ) {
        self.b_if(
            cond,
            &[],
            |s| {
                then(s);
                Values::new()
            },
            |s| {
                else_(s);
                Values::new()
            },
        );
    }

    /// An `if` whose arms yield values.
    pub(crate) fn b_if(
        &mut self,
        cond: Value,
        results: &[Ty],
        then: impl FnOnce(&mut Shader) -> Values,
        else_: impl FnOnce(&mut Shader) -> Values,
    ) -> Values {
        let inst = self.b.reserve();
        let then_region = self.region(&[], |s, _| then(s)).0;
        let else_region = self.region(&[], |s, _| else_(s)).0;
        self.b.fill(inst, Op::If { cond, then: then_region, else_: else_region }, results);
        self.b.results(inst).into()
    }

    pub(crate) fn block(
        &mut self,
        results: &[Ty],
        body: impl FnOnce(&mut Shader, Inst) -> Values,
    ) -> Values {
        let inst = self.b.reserve();
        let body = self.region(&[], |s, _| body(s, inst)).0;
        self.b.fill(inst, Op::Block { body }, results);
        self.b.results(inst).into()
    }

    pub(crate) fn loop_(
        &mut self,
        inits: &[Value],
        results: &[Ty],
        body: impl FnOnce(&mut Shader, Inst, &[Value]) -> Values,
    ) -> Values {
        let inst = self.b.reserve();
        let tys: Vec<Ty> = inits.iter().map(|it| self.b.module.ty(*it)).collect();
        let body = self.region(&tys, |s, params| body(s, inst, params)).0;
        self.b.fill(inst, Op::Loop { body, inits: inits.into() }, results);
        self.b.results(inst).into()
    }

    /// `for (i = 0; i < end; ++i)`; the body gets a block to `continue` to and the loop to `break` from.
    pub(crate) fn for_(
        &mut self,
        end: Value,
        body: impl FnOnce(&mut Shader, Value, Inst, Inst),
        step: impl FnOnce(&mut Shader, Value),
    ) {
        let zero = self.int(0);
        self.loop_(&[zero], &[], |s, it, params| {
            let i = params[0];
            let more = s.lt(i, end);
            s.if_(more, |_| {}, |s| s.exit(it, &[]));
            s.block(&[], |s, next| {
                body(s, i, next, it);
                Values::new()
            });
            step(s, i);
            let one = s.int(1);
            values![s.add(i, one)]
        });
    }

    /// A switch without values; each case is its labels, whether it is the default, and the body.
    pub(crate) fn switch(&mut self, selector: Value, cases: Vec<(Vec<u64>, bool, Body<'_>)>) {
        let inst = self.b.reserve();
        let cases = cases
            .into_iter()
            .map(|(labels, default, body)| {
                let region = self
                    .region(&[], |s, _| {
                        body(s, inst);
                        Values::new()
                    })
                    .0;
                Builder::case(labels, default, region)
            })
            .collect();
        self.b.fill(inst, Op::Switch { selector, cases, inits: Values::new() }, &[]);
    }

    pub(crate) fn region(
        &mut self,
        params: &[Ty],
        body: impl FnOnce(&mut Shader, &[Value]) -> Values,
    ) -> (ir::Region, Values) {
        let (region, params) = self.b.open(params);
        let values = body(self, &params);
        self.end(&values);
        self.b.close();
        (region, params)
    }

    pub(crate) fn finish(mut self) -> Module {
        if !self.b.is_terminated() {
            self.b.terminate(Op::Return);
        }
        self.b.finish()
    }
}

pub(crate) type Body<'a> = Box<dyn FnOnce(&mut Shader, Inst) + 'a>;

pub(crate) fn launch(groups: u32, wave_width: u32) -> Launch {
    Launch { fuel: Some(10_000_000), ..Launch::dispatch([groups, 1, 1], wave_width) }
}

pub(crate) fn words(values: &[u32]) -> Buffer {
    Buffer { bytes: values.iter().flat_map(|it| it.to_le_bytes()).collect(), ..Buffer::default() }
}

pub(crate) fn to_words(buffer: &Buffer) -> Vec<u32> {
    buffer
        .bytes
        .chunks_exact(4)
        .map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]]))
        .collect()
}

pub(crate) fn try_run(
    module: &Module,
    launch: &Launch,
    buffers: Vec<Buffer>,
) -> (Result<(), Failure>, Vec<Buffer>) {
    let mut bindings = Bindings { bindings: buffers.into_iter().map(|it| vec![it]).collect() };
    let result = wavelane_interp::run(module, launch, &mut bindings, &mut NoObserver);
    (result, bindings.bindings.into_iter().map(|mut it| it.remove(0)).collect())
}

/// Runs one wave of four lanes and returns the words of buffer 0.
pub(crate) fn run_wave(module: &Module, size: usize) -> Vec<u32> {
    run_words(module, &launch(1, 4), vec![vec![0; size]]).remove(0)
}

pub(crate) fn run_words(module: &Module, launch: &Launch, buffers: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let (result, buffers) = try_run(module, launch, buffers.iter().map(|it| words(it)).collect());
    assert_eq!(result, Ok(()));
    buffers.iter().map(to_words).collect()
}
