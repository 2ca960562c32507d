//! Textures and samplers as buffers, with `ops::texture` written out: addressing, conversion of texels, filtering. The
//! bits are those of the reference engine in every format, mode and dimension.
//!
//! A texture becomes a typed buffer over its bytes. Beside it are records that a host writes for what is bound: the
//! shape of each element of the texture, the state of each sampler, and the table of the sRGB curve ([`Extra`]). Shapes
//! and states are data, so that one module serves all of them; the formats are known, because each has separate code.
//! Where elements of an array or a heap have several, that code is chosen per lane.
//!
//! # Map
//! `texel.rs`: texels in memory; `place.rs`: where a texel is; `sample.rs`: filters; `lod.rs`: levels of detail;
//! `cube.rs`: faces; `marks.rs`: sampler feedback; `records.rs`: what the host writes.
//!
//! Deliberately absent: atomic operations on texels of another size than their operand.

mod cube;
mod lod;
mod marks;
mod place;
mod records;
mod sample;
mod texel;

use ir::{
    Address, Binding, Chosen, Inst, Module, Op, Place, Register, RegisterClass, Resource,
    ResourceKind, Texture, TextureOp,
};
use ops::Ty;
use ops::texture::{Dim, Format};

use crate::CannotEmit;
use crate::target::Target;
use crate::term::Term;
use crate::writer::Writer;
use place::Shape;

pub use records::{Extra, formats};
pub(crate) use records::{SAMPLER_WORDS, sampler_words};

/// The resources of the new module.
pub(crate) struct Textures {
    /// For each resource of the source, the formats that are bound.
    formats: Vec<Vec<Format>>,
    /// For each resource of the source, its records, if it is a texture or a sampler.
    records: Vec<Option<Binding>>,
    /// For each resource of the source, the bytes of a unit, if it is a texture.
    units: Vec<u32>,
    curve: Binding,
}

/// A module without textures.
pub struct Lowered {
    pub module: Module,
    /// What the resources after those of the source contain.
    pub extras: Vec<Extra>,
    /// For each resource of the source that was a texture, the format of its units.
    pub units: Vec<Option<ir::exec::ElementFormat>>,
}

/// Whether a module has instructions on textures.
pub fn uses_textures(module: &Module) -> bool {
    module.insts.iter().any(|it| matches!(it.op, Op::Texture(_)))
}

/// Rewrites a module to buffers. For each resource, the formats are those of [`formats`].
pub fn without_textures(module: &Module, formats: &[Vec<Format>]) -> Result<Lowered, CannotEmit> {
    let module = &*ir::notes::without(module);
    let first = module.resources.len() as u32;
    let mut extras = Vec::new();
    let (mut records, mut units) = (Vec::new(), Vec::new());
    for (index, resource) in module.resources.iter().enumerate() {
        let binding = Binding(index as u32);
        let extra = match resource.kind {
            ResourceKind::Texture { .. } => Some(Extra::Shapes(binding)),
            ResourceKind::Sampler { .. } => Some(Extra::Samplers(binding)),
            _ => None,
        };
        let extra = extra.filter(|_| resource.used);
        records.push(extra.map(|_| Binding(first + extras.len() as u32)));
        extras.extend(extra);
        let of = formats.get(index).map_or(&[][..], Vec::as_slice);
        let most = match resource.kind {
            ResourceKind::Texture { element, .. } => element.scalar.ty().bytes().max(4),
            _ => 4,
        };
        units.push(texel::unit_bytes(of, most));
    }
    let curve = Binding(first + extras.len() as u32);
    extras.push(Extra::Curve);
    let formats: Vec<Vec<Format>> = (0..module.resources.len())
        .map(|it| formats.get(it).cloned().unwrap_or_default())
        .collect();
    let textures = Textures { formats, records, units, curve };
    for (index, data) in module.insts.iter().enumerate() {
        textures.check(module, Inst(index as u32), data)?;
    }
    let target = Target::everything();
    let mut writer = Writer::new(module, &target);
    writer.textures = Some(textures);
    writer.list(module.body);
    let (mut new, textures) = writer.finish_with_textures();
    let mut unit_formats = Vec::new();
    for (index, resource) in new.resources.iter_mut().enumerate() {
        let mut format = None;
        match resource.kind {
            ResourceKind::Texture { writable, .. } => {
                let (element, scalar) = texel::unit_element(textures.units[index]);
                resource.kind = ResourceKind::Typed { writable, element };
                format = Some(ir::exec::ElementFormat { scalar, components: 1 });
            }
            ResourceKind::Sampler { .. } => resource.used = false,
            _ => {}
        }
        unit_formats.push(format);
    }
    let has_curve = textures.formats.iter().flatten().any(|it| is_srgb(*it));
    for (number, extra) in extras.iter().enumerate() {
        new.resources.push(Resource {
            name: extra.name(module),
            kind: ResourceKind::Structured {
                writable: false,
                stride: extra.stride(),
                members: Vec::new(),
                counter: false,
            },
            count: Some(1),
            register: Register {
                class: RegisterClass::Shader,
                index: number as u32,
                // Direct3D reserves these spaces, so no shader's resource has the same register.
                space: 0xffff_fff0,
            },
            chosen: Chosen::Register,
            globally_coherent: false,
            alias_of: None,
            used: *extra != Extra::Curve || has_curve,
            span: ir::Span::NONE,
        });
    }
    Ok(Lowered { module: new, extras, units: unit_formats })
}

fn is_srgb(format: Format) -> bool {
    let channel = format.channel(0);
    channel.is_some_and(|it| it.encoding == ops::texture::Encoding::Srgb)
}

impl Textures {
    /// Refuses sampler feedback, and atomic operations on what is not an integer of the operand's size.
    fn check(&self, module: &Module, inst: Inst, data: &ir::InstData) -> Result<(), CannotEmit> {
        let Op::Texture(texture) = &data.op else { return Ok(()) };
        let resource = module.resource(texture.texture.binding);
        if crate::feedback::is_of_map(module, texture) {
            let asked = format!("feedback for `{}`", resource.name);
            return Err(CannotEmit::new("sampler feedback", asked, module, Some(inst)));
        }
        if !matches!(texture.op, TextureOp::Atomic(_)) {
            return Ok(());
        }
        let size = module.ty(texture.args.values[0]).bytes() as usize;
        let binding = texture.texture.binding.index();
        let formats = &self.formats[binding];
        match formats.iter().find(|it| it.bytes() != size) {
            Some(format) => Err(CannotEmit::new(
                "atomic operations on texels of another size than the operand",
                format!("a texture of format {format}"),
                module,
                Some(inst),
            )),
            None => Ok(()),
        }
    }
}

/// The dimension of a texture, what its elements are, and its records.
#[derive(Clone, Copy)]
struct Source<'a> {
    place: Place,
    /// The element of the array, 0 if it is not one.
    element: Term<'a>,
    dim: Dim,
    is_signed: bool,
}

impl<'a> Writer<'a> {
    fn textures(&self) -> &Textures {
        match &self.textures {
            Some(textures) => textures,
            None => unreachable!("only a module that is rewritten to buffers comes here"),
        }
    }

    /// The records of a texture or sampler.
    fn records(&self, binding: Binding) -> Binding {
        let records = self.textures().records[binding.index()];
        records.unwrap_or_else(|| unreachable!("a texture that is named is used"))
    }

    fn words_of(
        &'a self,
        records: Binding,
        element: Term<'a>,
        from: u32,
        count: usize,
    ) -> Vec<Term<'a>> {
        let place = Place { binding: records, element: None };
        let mut all = Vec::new();
        for first in (0..count).step_by(4) {
            let offset = self.word(4 * (from + first as u32));
            let at = Address::Structured { index: element.value, offset };
            let types = vec![Ty::I32; (count - first).min(4)];
            let results = self.results(self.add(Op::Load { place, at }, &types));
            all.extend(results.iter().map(|it| self.term(*it)));
        }
        all
    }

    /// Replaces a texture instruction.
    pub(crate) fn texture(&'a self, inst: Inst) {
        let data = self.source.inst(inst);
        let Op::Texture(texture) = &data.op else {
            unreachable!("the caller passes texture instructions")
        };
        let resource = self.source.resource(texture.texture.binding);
        let ResourceKind::Texture { dim, element: scalar, writable: _ } = resource.kind else {
            unreachable!("the verifier has checked that texture instructions name textures")
        };
        let is_signed = matches!(
            scalar.scalar,
            ir::HostScalar::I16 | ir::HostScalar::I32 | ir::HostScalar::I64
        );
        let element = texture.texture.element.map(|it| self.get(it));
        let source = Source {
            place: Place { binding: texture.texture.binding, element },
            element: element.map_or_else(|| self.word_term(0), |it| self.term(it)),
            dim,
            is_signed,
        };
        let shape = self.shape(source);
        let results: Vec<Ty> = data.results.iter().map(|it| self.source.ty(*it)).collect();
        let args = self.args_by_role(texture);
        let news = match texture.op {
            TextureOp::Load => self.loaded_texel(source, &shape, &args, &results),
            TextureOp::Store => {
                self.stored_texel(source, &shape, &args);
                Vec::new()
            }
            TextureOp::Atomic(op) => self.atomic_texel(source, &shape, &args, op, &results),
            TextureOp::Size => self.sizes(dim, &shape, args[1].first().copied()),
            _ => {
                let sampler = texture.sampler.map(|it| {
                    let element = it.element.map(|it| self.term(self.get(it)));
                    (it.binding, element)
                });
                let Some((binding, element)) = sampler else {
                    unreachable!("the verifier has checked that what samples has a sampler")
                };
                let state = self.sampler_state(binding, element);
                self.sampled(source, &shape, &state, texture.op, &args, &results)
            }
        };
        for (old, new) in data.results.iter().zip(news) {
            self.set(*old, new.value);
        }
    }

    /// The operands, in the order of [`ir::TextureArgs::by_role`].
    fn args_by_role(&'a self, texture: &Texture) -> [Vec<Term<'a>>; 9] {
        let terms = |role: &ir::Values| role.iter().map(|it| self.term(self.get(*it))).collect();
        texture.args.by_role().map(terms)
    }

    /// The values for the format that a lane's texture has.
    fn by_format(
        &'a self,
        source: Source<'a>,
        shape: &Shape<'a>,
        zeros: &[Ty],
        of: &dyn Fn(Format) -> Vec<Term<'a>>,
    ) -> Vec<Term<'a>> {
        let formats = &self.textures().formats[source.place.binding.index()];
        let zeros = || -> Vec<Term<'a>> {
            zeros.iter().map(|it| self.term(self.constant(*it, 0))).collect()
        };
        let Some((last, others)) = formats.split_last() else { return zeros() };
        self.by_each_format(shape, others, 0, *last, of)
    }

    fn by_each_format(
        &'a self,
        shape: &Shape<'a>,
        others: &[Format],
        number: i64,
        last: Format,
        of: &dyn Fn(Format) -> Vec<Term<'a>>,
    ) -> Vec<Term<'a>> {
        let Some((first, others)) = others.split_first() else { return of(last) };
        let is_first = shape.format.equals(shape.format.whole(number));
        self.either_terms(
            is_first,
            || of(*first),
            || self.by_each_format(shape, others, number + 1, last, of),
        )
    }

    fn unit(&self, source: Source<'_>) -> u32 {
        self.textures().units[source.place.binding.index()]
    }
}
