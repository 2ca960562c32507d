//! Static facts about a module: the nesting of instructions, the dependences of values, and the shapes of the textures
//! that are bound.

use std::sync::Arc;

use ir::exec::{Bindings, What};
use ir::flow::Structure;
use ir::{Atomic, Binding, Inst, Module, Op, Span, Value, ValueDef, Values, values};
use ops::texture::Shape;

/// Facts about one module.
pub(crate) struct Facts<'a> {
    pub(crate) module: &'a Module,
    nesting: Arc<Nesting>,
    /// By resource: the shape that all its textures have.
    shapes: Vec<Option<Shape>>,
}

/// How the instructions of a module nest: which all of its runs share.
pub(crate) struct Nesting {
    structure: Structure,
    /// The first and last position, in textual order, of an instruction and everything inside it.
    extent: Vec<(u32, u32)>,
    /// The yields at the ends of a construct's regions.
    yields: Vec<Vec<Inst>>,
}

impl Nesting {
    pub(crate) fn of(module: &Module) -> Nesting {
        let structure = Structure::of(module);
        let mut extent = vec![(0, 0); module.insts.len()];
        let mut yields = vec![Vec::new(); module.insts.len()];
        for (position, inst) in (0..).zip(structure.insts()) {
            extent[inst.index()] = (position, position + 1);
            if let (Op::Yield(_), Some(parent)) = (&module.inst(inst).op, structure.parent(inst)) {
                yields[parent.index()].push(inst);
            }
        }
        // The contents of a construct come after it: backwards, each end is known before it is propagated.
        for inst in structure.insts().collect::<Vec<_>>().into_iter().rev() {
            if let Some(parent) = structure.parent(inst) {
                let end = extent[inst.index()].1;
                let outer = &mut extent[parent.index()].1;
                *outer = end.max(*outer);
            }
        }
        Nesting { structure, extent, yields }
    }
}

impl<'a> Facts<'a> {
    pub(crate) fn new(module: &'a Module) -> Facts<'a> {
        Facts::nested(module, Arc::new(Nesting::of(module)))
    }

    /// The same for a module whose nesting is known already.
    pub(crate) fn nested(module: &'a Module, nesting: Arc<Nesting>) -> Facts<'a> {
        Facts { module, nesting, shapes: Vec::new() }
    }

    /// Learns what is bound, so that places in textures have coordinates.
    pub(crate) fn with_textures(mut self, bindings: &Bindings) -> Facts<'a> {
        let shape = |all: &Vec<ir::exec::Buffer>| {
            let mut shapes = all.iter().map(|it| match &it.what {
                What::Texture { shape, .. } => Some(*shape),
                _ => None,
            });
            let first = shapes.next()??;
            shapes.all(|it| it == Some(first)).then_some(first)
        };
        self.shapes = bindings.bindings.iter().map(shape).collect();
        self
    }

    /// The same, by the shapes of the textures of each resource.
    pub(crate) fn with_shapes(mut self, shapes: Vec<Option<Shape>>) -> Facts<'a> {
        self.shapes = shapes;
        self
    }

    /// The shape of a texture; `None` if it is not known, or elements of an array of textures have different ones.
    pub(crate) fn shape(&self, binding: Binding) -> Option<&Shape> {
        self.shapes.get(binding.index())?.as_ref()
    }

    /// The constructs around an instruction, innermost first.
    pub(crate) fn ancestors(&self, inst: Inst) -> impl Iterator<Item = Inst> + '_ {
        let structure = &self.nesting.structure;
        std::iter::successors(structure.parent(inst), |it| structure.parent(*it))
    }

    /// The instruction that defines a value: of a parameter, the construct whose region it belongs to.
    pub(crate) fn defined_in(&self, value: Value) -> Option<Inst> {
        match self.module.values[value.index()].def {
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Param(region, _) => self.nesting.structure.owner(region),
        }
    }

    /// The operation that computes a value from others: not a constant, an input, or a load.
    pub(crate) fn computed_by(&self, value: Value) -> Option<Inst> {
        self.module.made_by(value).filter(|it| {
            let op = &self.module.inst(*it).op;
            op.is_pure() && !op.operands().is_empty()
        })
    }

    /// The position of an instruction in textual order.
    pub(crate) fn position(&self, inst: Inst) -> u32 {
        self.nesting.extent[inst.index()].0
    }

    /// Whether `outer` is `inner` or encloses it.
    pub(crate) fn encloses(&self, outer: Inst, inner: Inst) -> bool {
        outer == inner || self.ancestors(inner).any(|it| it == outer)
    }

    /// Whether two instructions are in the same region of a construct.
    pub(crate) fn are_in_one_arm(&self, construct: Inst, a: Inst, b: Inst) -> bool {
        let arm = |inst: Inst| {
            let below = std::iter::once(inst).chain(self.ancestors(inst));
            let child = below.take_while(|it| *it != construct).last()?;
            let regions = self.module.inst(construct).op.regions();
            regions.into_iter().find(|it| self.module.region(*it).insts.contains(&child))
        };
        arm(a).is_some() && arm(a) == arm(b)
    }

    /// Whether lanes that reach `later` have left the outermost construct around `earlier` that does not enclose
    /// `later`, or `earlier` itself if there is none.
    pub(crate) fn is_past(&self, later: Inst, earlier: Inst) -> bool {
        let around = std::iter::once(earlier).chain(self.ancestors(earlier));
        let construct = around.take_while(|it| !self.encloses(*it, later)).last();
        construct.is_some_and(|it| {
            self.nesting.extent[later.index()].0 >= self.nesting.extent[it.index()].1
        })
    }

    /// The innermost branch or loop around an instruction, and where its condition is: of a loop, that of the first
    /// branch in which lanes leave it.
    pub(crate) fn condition(&self, inst: Inst) -> Option<(Inst, Span)> {
        let span = |it: Inst| self.module.inst(it).span;
        let is_branch = |it: &Inst| self.module.inst(*it).op.is_branch();
        let around =
            |it: &Inst| is_branch(it) || matches!(self.module.inst(*it).op, Op::Loop { .. });
        let construct = self.ancestors(inst).find(around)?;
        if is_branch(&construct) {
            return Some((construct, span(construct)));
        }
        let mut leaves = self.nesting.structure.exits_to(construct);
        let left = leaves.find_map(|it| self.ancestors(it).find(is_branch));
        let left = left.filter(|it| self.encloses(construct, *it)).unwrap_or(construct);
        Some((left, span(left)))
    }

    /// The instructions by which lanes reach the end of a construct, or its next iteration.
    pub(crate) fn enders(&self, construct: Inst) -> impl Iterator<Item = Inst> + '_ {
        let yields = self.nesting.yields[construct.index()].iter().copied();
        self.nesting.structure.exits_to(construct).chain(yields)
    }

    /// The conditions that decide whether lanes leave a loop.
    pub(crate) fn leaving(&self, around: Inst) -> Vec<Value> {
        let ways = self.nesting.structure.exits_to(around);
        let inside = ways.flat_map(|it| self.ancestors(it).take_while(|it| *it != around));
        inside.filter_map(|it| self.module.inst(it).op.selector()).collect()
    }

    /// The values from which a value is directly computed, not through memory.
    pub(crate) fn sources(&self, value: Value) -> Values {
        let module = self.module;
        let (construct, conditions) = match module.values[value.index()].def {
            ValueDef::Result(inst, _) => match &module.inst(inst).op {
                Op::If { cond, .. } => (inst, values![*cond]),
                Op::Switch { selector, .. } => (inst, values![*selector]),
                op if op.is_construct() => (inst, Values::new()),
                op => return op.operands(),
            },
            ValueDef::Param(region, _) => match self.nesting.structure.owner(region) {
                Some(owner) => (owner, Values::new()),
                None => return Values::new(),
            },
        };
        let mut sources = conditions;
        self.nesting.structure.joins(module, construct, |takers, ways| {
            if let Some(index) = takers.iter().position(|it| *it == value) {
                sources.extend(ways.iter().filter_map(|way| way.get(index).copied()));
            }
        });
        sources
    }
}

/// Whether an atomic operation changes nothing, whatever it finds: an `InterlockedOr` of 0 is a load.
pub(crate) fn only_reads(module: &Module, inst: Inst) -> bool {
    let (Op::Atomic { op, args, .. } | Op::SharedAtomic { op, args, .. }) = &module.inst(inst).op
    else {
        return false;
    };
    let operand = args.first().and_then(|it| module.constant(*it));
    matches!(op, Atomic::Add | Atomic::Or | Atomic::Xor) && operand == Some(0)
}
