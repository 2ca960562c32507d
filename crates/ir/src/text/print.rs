//! Writes modules as text. Takes every module, well formed or not; what cannot be expressed is marked with `?`.

use std::fmt::{self, Display, Write};

use diag::Span;
use ops::{F16, Named, Ty};

use super::{Head, KindWord, MOST_DEPTH, NEEDS};
use crate::group::{GroupIo, MeshIo};
use crate::notes::{Scope, ScopeId, without};
use crate::print::MessageData;
use crate::stage::{self, EvalPlace, Holder, StageIo, StageTraits, TRAITS};
use crate::{
    Address, Chosen, Element, Inst, Memory, Module, Norm, Op, Place, QueryData, ROLES, Ray, Region,
    Resource, ResourceKind, Texture, Value, WaveSize,
};

/// The complete text of the module, without its notes.
pub fn print(module: &Module) -> String {
    Printer::new(&without(module), true).module()
}

/// The text of the module without source locations, for reading.
pub fn print_without_spans(module: &Module) -> String {
    Printer::new(&without(module), false).module()
}

/// The line of an instruction of a module without notes, as the text of the module has it. Of the regions of a
/// construct it has the names and parameters.
pub fn print_inst(module: &Module, inst: Inst) -> String {
    let mut printer = Printer { has_bodies: false, ..Printer::new(module, false) };
    // As if it stood after the instruction before it, so that only what branches can name has a label.
    printer.next_inst = inst.0;
    printer.inst(inst);
    printer.out
}

/// The word before the operands of an instruction's line.
pub fn op_name(op: &Op) -> String {
    let head = match op {
        Op::Unary(op, _) => return op.name().to_string(),
        Op::Binary(op, ..) => return op.name().to_string(),
        Op::Compare(op, ..) => return op.name().to_string(),
        Op::Ternary(op, _) => return op.name().to_string(),
        Op::Const { ty, .. } => Head::Const(*ty),
        Op::Undef(ty) => Head::Undef(*ty),
        Op::Builtin(builtin) => Head::Builtin(*builtin),
        Op::Input(_) => Head::Input,
        Op::Eval { place: EvalPlace::Centroid, .. } => Head::EvalCentroid,
        Op::Eval { place: EvalPlace::Sample(_), .. } => Head::EvalSample,
        Op::Eval { place: EvalPlace::Snapped(..), .. } => Head::EvalSnapped,
        Op::InputAt { .. } => Head::InputAt,
        Op::Output { .. } => Head::Output,
        Op::Discard => Head::Discard,
        Op::Wave { op, .. } => Head::Wave(*op),
        Op::Barrier { barrier, .. } => Head::Barrier(*barrier),
        Op::Load { .. } => Head::Load,
        Op::Store { .. } => Head::Store,
        Op::Atomic { op, .. } => Head::Atomic(*op),
        Op::Size { .. } => Head::Size,
        Op::Counter { .. } => Head::Counter,
        Op::Texture(texture) => Head::Texture(texture.op),
        Op::Ray(ray) => Head::Ray(ray.op),
        Op::Derivative(of, _) => Head::Derivative(*of),
        Op::SharedLoad { .. } => Head::SharedLoad,
        Op::SharedStore { .. } => Head::SharedStore,
        Op::SharedAtomic { op, .. } => Head::SharedAtomic(*op),
        Op::PrivateLoad { .. } => Head::PrivateLoad,
        Op::PrivateStore { .. } => Head::PrivateStore,
        Op::Print { .. } => Head::Print,
        Op::Note(_) => return "note".to_owned(),
        Op::If { .. } => Head::If,
        Op::Loop { .. } => Head::Loop,
        Op::Switch { .. } => Head::Switch,
        Op::Block { .. } => Head::Block,
        Op::Yield(_) => Head::Yield,
        Op::Exit { .. } => Head::Exit,
        Op::Return => Head::Return,
    };
    head.name().to_string()
}

struct Printer<'a> {
    module: &'a Module,
    out: String,
    indent: usize,
    depth: usize,
    spans: bool,
    /// Whether regions are written with their instructions.
    has_bodies: bool,
    /// The number that the reader will give to the next instruction.
    next_inst: u32,
    /// The regions written so far: a malformed module may use one twice, or inside itself.
    written: Vec<bool>,
}

/// A comma-separated list.
struct List<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for List<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, it) in self.0.clone().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{it}")?;
        }
        Ok(())
    }
}

fn list<T: Display>(items: &[T]) -> List<std::slice::Iter<'_, T>> {
    List(items.iter())
}

/// Further operands, each with a comma before it.
struct Rest<'a>(&'a [Value]);

impl Display for Rest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|it| write!(f, ", {it}"))
    }
}

/// A string in quotes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

struct At(Place, Option<Address>);

impl Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let At(place, at) = self;
        write!(f, "{}", place.binding)?;
        if let Some(element) = place.element {
            write!(f, "({element})")?;
        }
        match at {
            Some(Address::Structured { index, offset }) => {
                write!(f, "[element {index}, byte {offset}]")
            }
            Some(Address::Byte(at)) => write!(f, "[byte {at}]"),
            Some(Address::Texel(at)) => write!(f, "[texel {at}]"),
            Some(Address::Within { unit, bytes, when }) => {
                write!(f, "[within {bytes} {unit}")?;
                if let Some(when) = when {
                    write!(f, " if {when}")?;
                }
                write!(f, "]")
            }
            None => Ok(()),
        }
    }
}

/// Appends to the text; writing to a `String` cannot fail.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => {{
        let _ = write!($printer.out, $($arg)*);
    }};
}

impl<'a> Printer<'a> {
    fn new(module: &'a Module, spans: bool) -> Printer<'a> {
        let written = vec![false; module.regions.len()];
        let (out, has_bodies) = (String::new(), true);
        Printer { module, out, indent: 0, depth: 0, spans, has_bodies, next_inst: 0, written }
    }

    fn module(mut self) -> String {
        let module = self.module;
        put!(
            self,
            "entry {}: {} {}\n",
            Quoted(&module.name),
            module.stage.name(),
            module.shader_model
        );
        put!(self, "group_size {}\n", list(&module.group_size));
        if module.wave_size != WaveSize::default() {
            let WaveSize { min, max, preferred } = module.wave_size;
            put!(self, "wave_size {min}, {max}, {preferred}\n");
        }
        let mut needs = module.needs;
        let needs: Vec<&str> =
            NEEDS.iter().filter(|(_, field)| *field(&mut needs)).map(|(name, _)| *name).collect();
        if !needs.is_empty() {
            put!(self, "needs {}\n", list(&needs));
        }
        if let Some(io) = &module.io {
            self.stage_io(io);
        }
        if let Some(group) = &module.group {
            self.group_io(group);
        }
        for (i, resource) in module.resources.iter().enumerate() {
            self.resource(i, resource);
        }
        for (prefix, memories) in [("g", &module.groupshared), ("p", &module.privates)] {
            for (i, Memory { name, ty, len, span }) in memories.iter().enumerate() {
                put!(self, "{prefix}{i} {}: {} x {len}", Quoted(name), ty.name());
                self.span(*span);
                self.out.push('\n');
            }
        }
        for (i, QueryData { name, flags, len, span }) in module.queries.iter().enumerate() {
            put!(self, "q{i} {}: {flags} x {len}", Quoted(name));
            self.span(*span);
            self.out.push('\n');
        }
        for (i, MessageData { kind, format, types }) in module.messages.iter().enumerate() {
            put!(self, "m{i} {} {}", kind.name(), Quoted(format));
            for (i, ty) in types.iter().enumerate() {
                put!(self, "{} {}", if i == 0 { "" } else { "," }, ty.name());
            }
            self.out.push('\n');
        }
        for Scope { function, call, caller, innermost: _ } in &module.notes.scopes {
            if !self.spans {
                break;
            }
            put!(self, "scope {}", Quoted(function));
            if let Some(caller) = caller {
                put!(self, " in {}", caller.0);
            }
            self.span(*call);
            self.out.push('\n');
        }
        for variable in &module.variables {
            put!(self, "variable {}:", Quoted(&variable.name));
            self.args(&variable.values);
            self.span(variable.span);
            self.out.push('\n');
        }
        for (value, span) in &module.non_uniform {
            put!(self, "non_uniform");
            self.args(&[*value]);
            self.span(*span);
            self.out.push('\n');
        }
        self.out.push_str("\nbody ");
        self.region(module.body);
        self.out.push('\n');
        self.out
    }

    fn stage_io(&mut self, io: &StageIo) {
        let StageIo { inputs, outputs, pixel, traits: stage } = io;
        self.out.push_str("stage_io\n");
        self.elements("input", inputs);
        self.elements("output", outputs);
        let mut traits = *pixel;
        let traits = TRAITS.iter().filter(|(_, field)| *field(&mut traits));
        let traits: Vec<&str> = traits.map(|(name, _)| *name).collect();
        if !traits.is_empty() {
            put!(self, "pixel {}\n", list(&traits));
        }
        match stage {
            StageTraits::Plain => {}
            StageTraits::Geometry(it) => {
                let of = if it.reads_patch { "geometry_of_patches" } else { "geometry" };
                put!(self, "{of} {}, {}, {}\n", it.vertices, it.most_vertices, it.instances);
                for stream in &it.streams {
                    put!(self, "stream {}\n", stream.corners);
                    self.elements("emitted", &stream.elements);
                }
            }
            StageTraits::Hull(it) => {
                put!(self, "hull {} {}", it.domain.name(), it.partitioning.name());
                put!(self, " {} {}, {}\n", it.topology.name(), it.read, it.made);
            }
            StageTraits::Domain { domain, points } => {
                put!(self, "domain {} {points}\n", domain.name())
            }
        }
    }

    fn group_io(&mut self, group: &GroupIo) {
        put!(self, "group_io {}\n", group.payload);
        let Some(mesh) = &group.mesh else { return };
        let MeshIo { corners, most_vertices, most_primitives, vertices, primitives } = mesh;
        put!(self, "mesh {corners}, {most_vertices}, {most_primitives}\n");
        self.elements("vertex", vertices);
        self.elements("primitive", primitives);
    }

    fn elements(&mut self, word: &str, elements: &[stage::Element]) {
        for element in elements {
            let stage::Element {
                semantic,
                index,
                scalar,
                components,
                interpolation,
                holder,
                system,
                span,
            } = element;
            put!(self, "{word} {} {index}: {}", Quoted(semantic), scalar.name());
            put!(self, " x {components} {}", interpolation.mode.name());
            put!(self, " {}", interpolation.place.name());
            match holder {
                Holder::Own => {}
                Holder::Vertex(number) => put!(self, " vertex {number}"),
                Holder::Point(number) => put!(self, " point {number}"),
                Holder::Patch => put!(self, " patch"),
            }
            if let Some(system) = system {
                put!(self, " system {}", system.name());
            }
            self.span(*span);
            self.out.push('\n');
        }
    }

    fn resource(&mut self, i: usize, resource: &Resource) {
        let Resource {
            name,
            kind,
            count,
            register,
            chosen,
            globally_coherent,
            alias_of,
            used,
            span,
        } = resource;
        put!(self, "b{i} {}: ", Quoted(name));
        let (word, members) = match kind {
            ResourceKind::Constant { members, .. } => (KindWord::Constant, members.as_slice()),
            ResourceKind::Structured { members, .. } => (KindWord::Structured, members.as_slice()),
            ResourceKind::Raw { .. } => (KindWord::Raw, [].as_slice()),
            ResourceKind::Typed { .. } => (KindWord::Typed, [].as_slice()),
            ResourceKind::Texture { .. } => (KindWord::Texture, [].as_slice()),
            ResourceKind::Sampler { .. } => (KindWord::Sampler, [].as_slice()),
            ResourceKind::Scene => (KindWord::Scene, [].as_slice()),
            ResourceKind::Feedback { .. } => (KindWord::Feedback, [].as_slice()),
        };
        put!(self, "{}{}", word.name(), if kind.writable() { ".rw" } else { "" });
        match kind {
            ResourceKind::Constant { size, members: _ } => put!(self, " {size}"),
            ResourceKind::Structured { stride, counter, writable: _, members: _ } => {
                put!(self, " {stride}{}", if *counter { " counter" } else { "" });
            }
            ResourceKind::Raw { writable: _ } | ResourceKind::Scene => {}
            ResourceKind::Typed { element, writable: _ } => {
                self.element(*element);
            }
            ResourceKind::Texture { dim, element, writable: _ } => {
                put!(self, " {}", dim.name());
                self.element(*element);
            }
            ResourceKind::Sampler { comparison } => {
                put!(self, "{}", if *comparison { " comparison" } else { "" });
            }
            ResourceKind::Feedback { kind, array } => {
                put!(self, " {}{}", kind.name(), if *array { " array" } else { "" });
            }
        }
        put!(self, " at {}{}", register.class.name(), register.index);
        if register.space != 0 {
            put!(self, " space {}", register.space);
        }
        match count {
            Some(1) => {}
            Some(count) => put!(self, " count {count}"),
            None => put!(self, " count any"),
        }
        match chosen {
            Chosen::Counted => {}
            Chosen::Register => put!(self, " by_register"),
            Chosen::Binding => put!(self, " by_binding"),
        }
        put!(self, "{}", if *globally_coherent { " coherent" } else { "" });
        if let Some(other) = alias_of {
            put!(self, " alias_of {other}");
        }
        put!(self, "{}", if *used { " used" } else { "" });
        self.span(*span);
        if !members.is_empty() {
            self.out.push_str(" {\n");
            for member in members {
                put!(
                    self,
                    "  {}: {} x {}",
                    Quoted(&member.name),
                    member.scalar.name(),
                    member.components
                );
                put!(self, " at {}", member.offset);
                if (member.vectors, member.vector_stride) != (1, 0) {
                    put!(self, " vectors {} by {}", member.vectors, member.vector_stride);
                }
                put!(self, "{}", if member.row_major { " row_major" } else { "" });
                for (i, (count, stride)) in member.dims.iter().enumerate() {
                    put!(self, "{} {count} by {stride}", if i == 0 { " array" } else { "," });
                }
                self.out.push('\n');
            }
            self.out.push('}');
        }
        self.out.push('\n');
    }

    fn element(&mut self, element: Element) {
        put!(self, " {} x {}", element.scalar.name(), element.components);
        if element.norm != Norm::None {
            put!(self, " {}", element.norm.name());
        }
    }

    fn span(&mut self, span: Span) {
        if !self.spans || span == Span::NONE {
            return;
        }
        put!(self, " @{}..{}", span.lo, span.hi);
        if !span.expansion.is_none() {
            put!(self, "#{}", span.expansion.number());
        }
    }

    fn line(&mut self) {
        if !self.has_bodies {
            self.out.push(' ');
            return;
        }
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    /// `r1(PARAMS) { … }`, starting in the middle of a line and ending there.
    fn region(&mut self, region: Region) {
        let module = self.module;
        put!(self, "{region}");
        let Some(data) = module.regions.get(region.index()) else {
            put!(self, " ?");
            return;
        };
        if !data.params.is_empty() {
            self.out.push('(');
            self.typed(&data.params);
            self.out.push(')');
        }
        if !self.has_bodies {
            return;
        }
        if std::mem::replace(&mut self.written[region.index()], true) || self.depth >= MOST_DEPTH {
            put!(self, " ?");
            return;
        }
        self.out.push_str(" {");
        self.indent += 1;
        self.depth += 1;
        for inst in &data.insts {
            self.line();
            self.inst(*inst);
        }
        self.depth -= 1;
        self.indent -= 1;
        self.line();
        self.out.push('}');
    }

    /// `v1, v2: i32, v3: f32`
    fn typed(&mut self, values: &[Value]) {
        let ty = |it: &Value| self.module.values.get(it.index()).map(|data| data.ty);
        let chunks: Vec<&[Value]> = values.chunk_by(|a, b| ty(a) == ty(b)).collect();
        for (i, chunk) in chunks.into_iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let ty = self.module.values.get(chunk[0].index()).map_or("?", |data| data.ty.name());
            put!(self, "{comma}{}: {ty}", list(chunk));
        }
    }

    fn inst(&mut self, inst: Inst) {
        let module = self.module;
        let Some(data) = module.insts.get(inst.index()) else {
            put!(self, "{inst}: ?");
            return;
        };
        let is_target = matches!(data.op, Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. });
        if is_target || inst.0 != self.next_inst {
            put!(self, "{inst}: ");
        }
        self.next_inst = inst.0.wrapping_add(1);
        if !data.results.is_empty() {
            self.typed(&data.results);
            self.out.push_str(" = ");
        }
        self.op(&data.op, data.span, data.scope);
    }

    fn op(&mut self, op: &Op, span: Span, scope: ScopeId) {
        self.head(op);
        match op {
            Op::Const { bits, ty } => {
                if ty.is_float() {
                    put!(self, " {bits:#x}");
                } else {
                    put!(self, " {bits}");
                }
            }
            Op::Undef(_) | Op::Builtin(_) | Op::Discard | Op::Return | Op::Block { .. } => {}
            Op::Input(slot) => put!(self, " {slot}"),
            Op::Eval { slot, place } => {
                put!(self, " {slot}");
                place.operands().for_each(|it| put!(self, ", {it}"));
            }
            Op::InputAt { slot, vertex } => put!(self, " {slot}, {vertex}"),
            Op::Output { slot, value } => put!(self, " {slot}, {value}"),
            Op::Unary(_, a) => put!(self, " {a}"),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) => put!(self, " {a}, {b}"),
            Op::Ternary(_, args) => put!(self, " {}", list(args)),
            Op::Wave { args, lanes, .. } => {
                self.args(args);
                if let Some(lanes) = lanes {
                    put!(self, " lanes {lanes}");
                }
            }
            Op::Barrier { lanes, .. } => {
                if let Some(lanes) = lanes {
                    put!(self, " lanes {lanes}");
                }
            }
            Op::Load { place, at } => put!(self, " {}", At(*place, Some(*at))),
            Op::Store { place, at, values } => {
                put!(self, " {}{}", At(*place, Some(*at)), Rest(values))
            }
            Op::Atomic { place, at, args, .. } => {
                put!(self, " {}{}", At(*place, Some(*at)), Rest(args))
            }
            Op::Size { place } => put!(self, " {}", At(*place, None)),
            Op::Counter { place, delta } => put!(self, " {}, {delta}", At(*place, None)),
            Op::Texture(texture) => {
                let Texture { op: _, texture, sampler, map, args } = &**texture;
                put!(self, " {}", At(*texture, None));
                for place in sampler.iter().chain(map) {
                    put!(self, ", {}", At(*place, None));
                }
                for (role, values) in ROLES.iter().zip(args.by_role()) {
                    if !values.is_empty() {
                        put!(self, " {role} {}", list(values));
                    }
                }
            }
            Op::Ray(ray) => {
                let Ray { op: _, query, scene, args } = &**ray;
                if let Some(query) = query {
                    put!(self, " {query}");
                }
                if let Some(scene) = scene {
                    put!(self, " {}", At(*scene, None));
                }
                match query.is_some() || scene.is_some() {
                    true => put!(self, "{}", Rest(args)),
                    false => self.args(args),
                }
            }
            Op::Derivative(_, a) => put!(self, " {a}"),
            Op::SharedLoad { memory, index } => put!(self, " {memory}[{index}]"),
            Op::SharedStore { memory, index, value } => put!(self, " {memory}[{index}], {value}"),
            Op::SharedAtomic { memory, index, args, .. } => {
                put!(self, " {memory}[{index}]{}", Rest(args))
            }
            Op::PrivateLoad { memory, index } => put!(self, " {memory}[{index}]"),
            Op::PrivateStore { memory, index, value } => put!(self, " {memory}[{index}], {value}"),
            Op::Print { message, args } => put!(self, " {message}{}", Rest(args)),
            Op::Note(_) => unreachable!("`print` has dropped the notes"),
            Op::If { cond, .. } => put!(self, " {cond}"),
            Op::Loop { inits, .. } => self.args(inits),
            Op::Switch { selector, inits, .. } => {
                put!(self, " {selector}");
                if !inits.is_empty() {
                    put!(self, " with {}", list(inits));
                }
            }
            Op::Yield(args) => self.args(args),
            Op::Exit { to, args } => {
                put!(self, " {to}");
                self.args(args);
            }
        }
        self.span(span);
        if self.spans && scope != ScopeId::ENTRY {
            put!(self, " in {}", scope.0);
        }
        if let Op::Const { ty, bits } = op {
            self.explain(*ty, *bits);
        }
        self.nested(op);
    }

    fn head(&mut self, op: &Op) {
        put!(self, "{}", op_name(op));
    }

    fn args(&mut self, args: &[Value]) {
        if !args.is_empty() {
            put!(self, " {}", list(args));
        }
    }

    /// The value of a constant as a comment, if the bits do not make it obvious.
    fn explain(&mut self, ty: Ty, bits: u64) {
        match ty {
            Ty::F16 => put!(self, " // {:?}", F16(bits as u16).to_f32()),
            Ty::F32 => put!(self, " // {:?}", f32::from_bits(bits as u32)),
            Ty::F64 => put!(self, " // {:?}", f64::from_bits(bits)),
            Ty::I32 if (bits as i32) < 0 => put!(self, " // {}", bits as i32),
            Ty::I64 if (bits as i64) < 0 => put!(self, " // {}", bits as i64),
            Ty::I16 if (bits as i16) < 0 => put!(self, " // {}", bits as i16),
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => {}
        }
    }

    /// The regions of a construct, after its operands.
    fn nested(&mut self, op: &Op) {
        match op {
            Op::If { then, else_, .. } => {
                self.out.push_str(" then ");
                self.region(*then);
                self.out.push_str(" else ");
                self.region(*else_);
            }
            Op::Loop { body, .. } | Op::Block { body } => {
                self.out.push_str(" do ");
                self.region(*body);
            }
            Op::Switch { cases, .. } => {
                self.out.push_str(" {");
                self.indent += 1;
                for case in cases {
                    self.line();
                    put!(self, "case {}", list(&case.labels));
                    match (case.labels.is_empty(), case.default) {
                        (true, true) => self.out.push_str("default "),
                        (false, true) => self.out.push_str(", default "),
                        (true, false) => {}
                        (false, false) => self.out.push(' '),
                    }
                    self.region(case.body);
                }
                self.indent -= 1;
                self.line();
                self.out.push('}');
            }
            _ => debug_assert!(op.regions().is_empty(), "a construct that is not printed: {op:?}"),
        }
    }
}
