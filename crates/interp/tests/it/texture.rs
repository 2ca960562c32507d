//! Textures: what observers see of accesses and samples, and how poison propagates.

use crate::build::{Shader, launch, module};
use ir::exec::{Bindings, Buffer, What};
use ir::{
    Binding, Derivative, Detail, Element, HostScalar, Norm, Op, Place, Resource, ResourceKind,
    Texture, TextureArgs, TextureOp, Values, values,
};
use ops::texture::{Dim, Format, Sampler, Shape};
use ops::{LaneMask, Ty};
use wavelane_interp::Observer;
use wavelane_interp::observe::{AccessEvent, DerivativeEvent, SampleEvent, Space};

#[derive(Default)]
struct Witness {
    log: Vec<String>,
}

impl Witness {
    fn access(&mut self, what: &str, event: &AccessEvent<'_>) {
        if event.space == Space::Buffer(Binding(1), None) {
            let at = event.at.active.iter().map(|lane| event.addresses[lane as usize] as i64);
            let at: Vec<i64> = at.collect();
            let (inside, poison) = (event.in_bounds, event.address_poison);
            self.log
                .push(format!("{what} {} at {at:?} in {inside:?} poison {poison:?}", event.size));
        } else if what == "store" {
            self.log.push(format!("stored poison {:?}", event.value_poison));
        }
    }
}

impl Observer for Witness {
    fn load(&mut self, event: &AccessEvent<'_>) {
        self.access("load", event);
    }
    fn store(&mut self, event: &AccessEvent<'_>) {
        self.access("store", event);
    }
    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.access("atomic", event);
    }
    fn sample(&mut self, event: &SampleEvent<'_>) {
        let SampleEvent { op, texture, sampler, poison, partial, .. } = event;
        self.log.push(format!(
            "{op:?} of {texture} with {sampler:?} poison {poison:?} partial {partial:?}"
        ));
    }
    fn derivative(&mut self, event: &DerivativeEvent) {
        self.log
            .push(format!("{:?} poison {:?} partial {:?}", event.of, event.poison, event.partial));
    }
}

/// Runs four lanes of a shader with a raw buffer, a texture of four numbers (`b1`) and a sampler (`b2`), and stores
/// the values that `make` returns to the buffer.
fn run(writable: bool, make: impl FnOnce(&mut Shader) -> Values) -> Vec<String> {
    let mut m = module([4, 1, 1], 3);
    let element = Element { scalar: HostScalar::F32, components: 1, norm: Norm::None };
    m.resources[1] = Resource {
        kind: ResourceKind::Texture { dim: Dim::D1, writable, element },
        ..m.resources[1].clone()
    };
    m.resources[2] =
        Resource { kind: ResourceKind::Sampler { comparison: false }, ..m.resources[2].clone() };
    let mut s = Shader::new(m);
    for value in make(&mut s) {
        let thread = s.thread;
        s.store(0, thread, value);
    }
    let shape = Shape::new(Format::parse("R32_FLOAT").unwrap(), 4, 1, 1);
    let texture = Buffer { bytes: vec![0; 16].into(), what: What::texture_of(shape) };
    let sampler = Buffer::from(What::Sampler(Sampler::default()));
    let mut bindings =
        Bindings { bindings: vec![vec![Buffer::default()], vec![texture], vec![sampler]] };
    let mut witness = Witness::default();
    let result = wavelane_interp::run(&s.finish(), &launch(1, 4), &mut bindings, &mut witness);
    assert_eq!(result, Ok(()));
    witness.log
}

fn texture(op: TextureOp, args: TextureArgs) -> Op {
    let place = |binding| Place { binding: Binding(binding), element: None };
    let sampler = op.samples().then(|| place(2));
    Op::Texture(Box::new(Texture { op, texture: place(1), sampler, map: None, args }))
}

#[test]
fn accesses_to_texels_are_accesses_to_bytes() {
    let log = run(false, |s| {
        let (two, zero) = (s.int(2), s.int(0));
        let at = s.mul(s.thread, two);
        let args = TextureArgs { at: values![at], level: values![zero], ..TextureArgs::default() };
        let op = texture(TextureOp::Load, args);
        values![s.b.value(op, Ty::F32)]
    });
    assert_eq!(
        log,
        [
            format!("load 4 at [0, 8, -1, -1] in {:?} poison {:?}", LaneMask(3), LaneMask::EMPTY),
            format!("stored poison {:?}", LaneMask::EMPTY),
        ]
    );
    let log = run(true, |s| {
        let value = s.float(1.0);
        let undefined = s.b.value(Op::Undef(Ty::I32), Ty::I32);
        let args = TextureArgs {
            at: values![undefined],
            values: values![value],
            ..TextureArgs::default()
        };
        let op = texture(TextureOp::Store, args);
        s.b.inst(op, &[]);
        Values::new()
    });
    let all = LaneMask(15);
    assert_eq!(log, [format!("store 4 at [0, 0, 0, 0] in {all:?} poison {all:?}")]);
}

#[test]
fn samples_propagate_poison_and_derivatives_spread_it_over_the_quad() {
    let all = LaneMask(15);
    let log = run(false, |s| {
        // Only lane 1 has an undefined coordinate; the derivatives of its neighbours use it.
        let one = s.int(1);
        let is_one = s.eq(s.thread, one);
        let undefined = s.b.value(Op::Undef(Ty::F32), Ty::F32);
        let zero = s.float(0.0);
        let u = s.b.value(Op::Ternary(ops::Ternary::Select, [is_one, undefined, zero]), Ty::F32);
        let args = TextureArgs { at: values![u], ..TextureArgs::default() };
        let op = texture(TextureOp::Sample(Detail::Implicit), args.clone());
        let implicit = s.b.value(op, Ty::F32);
        let args = TextureArgs { level: values![zero], ..args };
        let op = texture(TextureOp::Sample(Detail::Level), args);
        let level = s.b.value(op, Ty::F32);
        let fine = s.b.value(Op::Derivative(Derivative::XFine, u), Ty::F32);
        values![implicit, level, fine]
    });
    let sampled = |detail: Detail, poison: LaneMask| {
        format!(
            "{:?} of b1 with Some(b2) poison {poison:?} partial {:?}",
            TextureOp::Sample(detail),
            LaneMask::EMPTY
        )
    };
    assert_eq!(
        log,
        [
            sampled(Detail::Implicit, all),
            sampled(Detail::Level, LaneMask(2)),
            format!("XFine poison {:?} partial {:?}", LaneMask(3), LaneMask::EMPTY),
            format!("stored poison {all:?}"),
            format!("stored poison {:?}", LaneMask(2)),
            format!("stored poison {:?}", LaneMask(3)),
        ]
    );
}

#[test]
fn derivatives_in_a_partially_active_quad_are_poisoned() {
    let log = run(false, |s| {
        let three = s.int(3);
        let is_inside = s.lt(s.thread, three);
        let x = s.float(1.0);
        let if_ = s.b.reserve();
        let (then, _) = s.b.open(&[]);
        let derivative = s.b.value(Op::Derivative(Derivative::YCoarse, x), Ty::F32);
        let thread = s.thread;
        s.store(0, thread, derivative);
        s.b.terminate(Op::Yield(Values::new()));
        s.b.close();
        let (else_, _) = s.b.open(&[]);
        s.b.terminate(Op::Yield(Values::new()));
        s.b.close();
        s.b.fill(if_, Op::If { cond: is_inside, then, else_ }, &[]);
        Values::new()
    });
    let three = LaneMask(7);
    assert_eq!(
        log,
        [
            format!("YCoarse poison {:?} partial {three:?}", LaneMask::EMPTY),
            format!("stored poison {three:?}"),
        ]
    );
}
