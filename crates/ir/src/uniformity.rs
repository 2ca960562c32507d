//! Uniformity analysis: which values are the same in all lanes, affine in the lane index, or different; and where
//! lanes diverge.
//!
//! # The lattice
//! ```text
//!            Varying
//!      /    |     |      \
//!  Uniform  Affine(1)  Affine(-4)  …        (Uniform is a stride of 0)
//!      \    |     |      /
//!         (never computed)
//! ```
//! An element describes one execution of the instruction that defines the value, and the lanes active there.
//! Because a value is visible only where a subset of these lanes is active, it holds at every use.
//! - `Uniform`: these lanes hold the same bits.
//! - `Affine { stride }`: an integer; lane L holds `base + stride * L` modulo the type, with one `base` for these
//!   lanes.
//! - `Varying`: nothing is known.
//!
//! What is never computed, such as the result of a loop that no lane leaves, counts as `Uniform`.
//! The lattice is about bits, not poison: a uniform value may be poisoned in some lanes only.
//!
//! # Where lanes diverge
//! Lanes diverge at an `if` or `switch` whose condition varies, and where some of them exit while others stay.
//! A construct *splits* if not all lanes that leave it reach its end at the same time and by the same path:
//! then its results vary although every argument is uniform. This is the temporal divergence of loops: an induction
//! variable is uniform in each iteration, but its last value differs between lanes that left in different ones.
//! An argument that is one value from outside the construct keeps its element.
//!
//! # Limits
//! The analysis is sound for every wave width and schedule, and for data races as if one lane read for all. In
//! groups whose X and Y are both even it is sound for every lane order, in others only for threads in index order.
//! It is conservative: it does not track memory or ranges. The module must be verified.

mod single_lane;

use ops::wave::Spread;
use ops::{Binary, Ternary, Ty, Unary, WaveOp};

use crate::flow::{Structure, yielded};
use crate::{Address, Builtin, Inst, Module, Op, Place, Region, Value};

/// How a value differs between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniformity {
    Uniform,
    /// The stride is not 0, and lies in the signed range of the value's type.
    Affine {
        stride: i64,
    },
    Varying,
}

/// The results for a module, indexed by its values, regions and instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniformities {
    values: Vec<Uniformity>,
    regions: Vec<Flow>,
    splits: Vec<bool>,
}

/// How the lanes of a wave enter a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// All lanes of the wave that have not returned run every instruction of the region together.
    Uniform,
    /// The lanes active before the construct enter the region together or not at all,
    /// but these may be a subset of the wave, or some may leave on the way.
    Together,
    /// Some of the lanes active before the construct may enter while others do not.
    Apart,
}

impl Uniformities {
    pub fn of(&self, value: Value) -> Uniformity {
        self.values[value.index()]
    }

    pub fn is_uniform(&self, value: Value) -> bool {
        self.of(value) == Uniformity::Uniform
    }

    pub fn flow(&self, region: Region) -> Flow {
        self.regions[region.index()]
    }

    /// Whether lanes may reach the end of a construct at different times or by different paths.
    pub fn splits(&self, construct: Inst) -> bool {
        self.splits[construct.index()]
    }
}

/// Analyses a verified module.
pub fn analyse(module: &Module) -> Uniformities {
    let mut analysis = Analysis {
        module,
        values: vec![None; module.values.len()],
        depths: vec![0; module.values.len()],
        apart: vec![false; module.regions.len()],
        parts: vec![false; module.insts.len()],
        path: Vec::new(),
        structure: Structure::of(module),
        changed: true,
    };
    // Fixpoint: elements only rise and flags only become true, so this terminates, usually after as many passes as
    // loops nest.
    while std::mem::take(&mut analysis.changed) {
        analysis.region(module.body, 0);
    }
    analysis.finish()
}

/// A computed element, or none yet.
type Known = Option<Uniformity>;

struct Analysis<'a> {
    module: &'a Module,
    values: Vec<Known>,
    /// The depth of the region that defines each value.
    depths: Vec<usize>,
    /// Regions that only a subset of the lanes active before their construct may enter.
    apart: Vec<bool>,
    /// Constructs that some lanes exit to while others stay inside, or leave at another time.
    parts: Vec<bool>,
    /// The constructs around the current point, outermost first, and for each the region that contains this point.
    path: Vec<(Inst, Region)>,
    structure: Structure,
    changed: bool,
}

impl<'a> Analysis<'a> {
    fn region(&mut self, region: Region, depth: usize) {
        let data = self.module.region(region);
        for param in &data.params {
            self.depths[param.index()] = depth;
        }
        for inst in &data.insts {
            for result in &self.module.inst(*inst).results {
                self.depths[result.index()] = depth;
            }
            self.inst(*inst, depth);
        }
    }

    fn nested(&mut self, construct: Inst, region: Region, depth: usize) {
        self.path.push((construct, region));
        self.region(region, depth + 1);
        self.path.pop();
    }

    fn raise(&mut self, value: Value, uniformity: Known) {
        let old = self.values[value.index()];
        let new = join(old, uniformity);
        if new != old {
            self.values[value.index()] = new;
            self.changed = true;
        }
    }

    fn raise_all(&mut self, values: &[Value], uniformity: Known) {
        values.iter().for_each(|it| self.raise(*it, uniformity));
    }

    fn set_apart(&mut self, region: Region) {
        self.changed |= !std::mem::replace(&mut self.apart[region.index()], true);
    }

    fn known(&self, value: Value) -> Known {
        self.values[value.index()]
    }

    fn is_varying(&self, value: Value) -> bool {
        !matches!(self.known(value), None | Some(Uniformity::Uniform))
    }

    fn inst(&mut self, inst: Inst, depth: usize) {
        let module = self.module;
        let data = module.inst(inst);
        let results = data.results.as_slice();
        match &data.op {
            Op::Const { .. } | Op::Undef(_) => self.raise_all(results, Some(Uniformity::Uniform)),
            Op::Builtin(builtin) => self.raise_all(results, Some(of_builtin(module, *builtin))),
            Op::Input(_) | Op::Eval { .. } | Op::InputAt { .. } => {
                self.raise_all(results, Some(Uniformity::Varying));
            }
            Op::Unary(op, a) => self.raise_all(
                results,
                self.known(*a).map(|it| unary(*op, it, module.ty(*a), module.ty(results[0]))),
            ),
            Op::Binary(op, a, b) => {
                let uniformity =
                    self.known(*a).zip(self.known(*b)).map(|(x, y)| self.binary(*op, *a, *b, x, y));
                self.raise_all(results, uniformity);
            }
            Op::Compare(_, a, b) => self.raise_all(results, self.pure(&[*a, *b])),
            Op::Ternary(Ternary::Fma, args) => self.raise_all(results, self.pure(args)),
            Op::Ternary(Ternary::Select, [cond, a, b]) => {
                let uniformity = match self.known(*cond) {
                    None => None,
                    Some(Uniformity::Uniform) => join(self.known(*a), self.known(*b)),
                    Some(_) if a == b => self.known(*a),
                    Some(_) => Some(Uniformity::Varying),
                };
                self.raise_all(results, uniformity);
            }
            Op::Wave { op, args, lanes } => {
                // Lanes that name different sets get the results of different sets.
                let uniformity =
                    if lanes.is_some() { Some(Uniformity::Varying) } else { self.wave(*op, args) };
                self.raise_all(results, uniformity);
            }
            Op::Load { place, at } => self.raise_all(results, self.access(*place, Some(*at))),
            Op::Size { place } => self.raise_all(results, self.access(*place, None)),
            Op::Texture(_) => {
                // Each lane runs an atomic operation separately.
                let uniformity = match data.op.effects().is_atomic() {
                    true => Some(Uniformity::Varying),
                    false => self.pure(&data.op.operands()),
                };
                self.raise_all(results, uniformity);
            }
            // Inactive lanes of the quad count as the reading lane.
            Op::Derivative(_, a) => self.raise_all(results, self.pure(&[*a])),
            Op::SharedLoad { index, .. } => self.raise_all(results, self.pure(&[*index])),
            // Each lane has its own private memory, and runs an atomic operation separately.
            Op::PrivateLoad { .. }
            | Op::Ray(_)
            | Op::Atomic { .. }
            | Op::SharedAtomic { .. }
            | Op::Counter { .. } => {
                self.raise_all(results, Some(Uniformity::Varying));
            }
            Op::Barrier { .. }
            | Op::Print { .. }
            | Op::Note(_)
            | Op::Output { .. }
            | Op::Discard
            | Op::Store { .. }
            | Op::SharedStore { .. }
            | Op::PrivateStore { .. } => {}
            Op::If { cond, then, else_ } => {
                let varying = self.is_varying(*cond);
                if varying {
                    self.set_apart(*then);
                    self.set_apart(*else_);
                }
                self.nested(inst, *then, depth);
                self.nested(inst, *else_, depth);
                let arms = self.structure.ways_out(module, inst);
                // If only one arm ends with a yield, all lanes come from there.
                self.leave(results, &arms, varying && arms.len() > 1, depth);
            }
            Op::Loop { body, inits } => {
                let params = &module.region(*body).params;
                for (param, init) in params.iter().zip(inits) {
                    self.raise(*param, self.known(*init));
                }
                self.nested(inst, *body, depth);
                // All lanes of an iteration come from the one yield: those that left earlier do not matter.
                for (param, arg) in params.iter().zip(yielded(module, *body).unwrap_or_default()) {
                    self.raise(*param, self.known(*arg));
                }
                let ways = self.structure.ways_out(module, inst);
                self.leave(results, &ways, self.parts[inst.index()], depth);
            }
            Op::Switch { selector, cases, inits } => {
                let varying = self.is_varying(*selector);
                let mut before: Option<&[Value]> = None;
                for case in cases {
                    if varying {
                        self.set_apart(case.body);
                    }
                    let params = &module.region(case.body).params;
                    let ways: Vec<&[Value]> =
                        std::iter::once(inits.as_slice()).chain(before).collect();
                    self.leave(params, &ways, varying && before.is_some(), depth);
                    self.nested(inst, case.body, depth);
                    before = yielded(module, case.body);
                }
                let ways = self.structure.ways_out(module, inst);
                self.leave(
                    results,
                    &ways,
                    self.parts[inst.index()] || varying && ways.len() > 1,
                    depth,
                );
            }
            Op::Block { body } => {
                self.nested(inst, *body, depth);
                let ways = self.structure.ways_out(module, inst);
                self.leave(results, &ways, self.parts[inst.index()], depth);
            }
            Op::Exit { to, .. } => self.exit(*to),
            Op::Yield(_) | Op::Return => {}
        }
    }

    /// Records an exit of lanes to the end of a construct. If they may be a subset of the lanes inside it, it
    /// splits.
    fn exit(&mut self, to: Inst) {
        let around = self.path.iter().rposition(|(inst, _)| *inst == to);
        let Some(around) = around else {
            unreachable!("the verifier has checked that exits name an enclosing construct")
        };
        if self.is_partial(around) {
            self.changed |= !std::mem::replace(&mut self.parts[to.index()], true);
        }
    }

    /// Whether the lanes here may be only a subset of those still inside the construct at `path[around]`.
    /// That only a subset entered its region does not affect how that subset leaves it.
    fn is_partial(&self, around: usize) -> bool {
        let parted = |(inst, region): &(Inst, Region)| {
            self.apart[region.index()] || self.parts[inst.index()]
        };
        self.path[around + 1..].iter().any(parted)
    }

    /// The parameters or results of a join, in a region of this depth.
    /// `split`: lanes may arrive by different paths, or at different times, and continue together.
    fn leave(&mut self, results: &[Value], ways: &[&[Value]], split: bool, depth: usize) {
        for (i, result) in results.iter().enumerate() {
            let mut args = ways.iter().map(|way| way[i]);
            let same = match args.next() {
                Some(first)
                    if args.all(|it| it == first) && self.depths[first.index()] <= depth =>
                {
                    Some(first)
                }
                _ => None,
            };
            let uniformity = match same {
                Some(value) => self.known(value),
                None if split => Some(Uniformity::Varying),
                None => {
                    ways.iter().fold(None, |uniformity, way| join(uniformity, self.known(way[i])))
                }
            };
            self.raise(*result, uniformity);
        }
    }

    /// An operation whose result depends only on its operands.
    fn pure(&self, args: &[Value]) -> Known {
        let args: Option<Vec<Uniformity>> = args.iter().map(|it| self.known(*it)).collect();
        Some(if args?.iter().all(|it| *it == Uniformity::Uniform) {
            Uniformity::Uniform
        } else {
            Uniformity::Varying
        })
    }

    fn access(&self, place: Place, at: Option<Address>) -> Known {
        let args: Vec<Value> =
            place.element.into_iter().chain(at.into_iter().flat_map(Address::operands)).collect();
        self.pure(&args)
    }

    fn binary(&self, op: Binary, a: Value, b: Value, x: Uniformity, y: Uniformity) -> Uniformity {
        let ty = self.module.ty(a);
        if (x, y) == (Uniformity::Uniform, Uniformity::Uniform) {
            return Uniformity::Uniform;
        }
        let (Some(x), Some(y)) = (stride(x), stride(y)) else { return Uniformity::Varying };
        if !ty.is_int() {
            return Uniformity::Varying;
        }
        let constant = |value| self.module.constant(value).map(|bits| bits as i64);
        let result = match op {
            Binary::Add => Some(x.wrapping_add(y)),
            Binary::Sub => Some(x.wrapping_sub(y)),
            Binary::Mul => constant(b)
                .map(|factor| x.wrapping_mul(factor))
                .or_else(|| constant(a).map(|factor| y.wrapping_mul(factor))),
            Binary::Shl => constant(b).map(|count| x.wrapping_shl(count as u32 & (ty.bits() - 1))),
            Binary::Div(_)
            | Binary::Rem(_)
            | Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::Shr(_)
            | Binary::Min(_)
            | Binary::Max(_)
            | Binary::Atan2
            | Binary::Pow => None,
        };
        result.map_or(Uniformity::Varying, |stride| affine(stride, ty))
    }

    fn wave(&self, op: WaveOp, args: &[Value]) -> Known {
        match op.facts().spread {
            Spread::Uniform => Some(Uniformity::Uniform),
            Spread::LaneIndex => Some(Uniformity::Affine { stride: 1 }),
            Spread::Operands(from) => self.pure(&args[from..]),
            Spread::ByPlace | Spread::Any => Some(Uniformity::Varying),
        }
    }

    /// The whole wave runs a region if no lanes diverge on the way there.
    fn finish(self) -> Uniformities {
        let mut regions = vec![Flow::Uniform; self.module.regions.len()];
        let mut open = vec![(self.module.body, true)];
        while let Some((region, whole)) = open.pop() {
            if !whole {
                let apart = self.apart[region.index()];
                regions[region.index()] = if apart { Flow::Apart } else { Flow::Together };
            }
            for inst in &self.module.region(region).insts {
                let parts = self.parts[inst.index()];
                for inner in self.module.inst(*inst).op.regions() {
                    open.push((inner, whole && !parts && !self.apart[inner.index()]));
                }
            }
        }
        let splits = self.splits();
        let values = self.values.into_iter().map(|it| it.unwrap_or(Uniformity::Uniform)).collect();
        Uniformities { values, regions, splits }
    }

    fn splits(&self) -> Vec<bool> {
        let of = |(i, data): (usize, &crate::InstData)| match &data.op {
            Op::If { cond, .. } => self.is_varying(*cond),
            Op::Switch { selector, .. } => self.parts[i] || self.is_varying(*selector),
            _ => self.parts[i],
        };
        self.module.insts.iter().enumerate().map(of).collect()
    }
}

/// The join of the lattice: the least uniformity that covers both.
fn join(a: Known, b: Known) -> Known {
    match (a, b) {
        (None, it) | (it, None) => it,
        (Some(a), Some(b)) if a == b => Some(a),
        (Some(_), Some(_)) => Some(Uniformity::Varying),
    }
}

fn stride(uniformity: Uniformity) -> Option<i64> {
    match uniformity {
        Uniformity::Uniform => Some(0),
        Uniformity::Affine { stride } => Some(stride),
        Uniformity::Varying => None,
    }
}

/// The uniformity of an integer with the given stride, modulo the type.
fn affine(stride: i64, ty: Ty) -> Uniformity {
    let unused = 64 - ty.bits();
    match stride << unused >> unused {
        0 => Uniformity::Uniform,
        stride => Uniformity::Affine { stride },
    }
}

fn unary(op: Unary, uniformity: Uniformity, from: Ty, to: Ty) -> Uniformity {
    match (op, uniformity) {
        (_, Uniformity::Uniform) => Uniformity::Uniform,
        (Unary::Neg, Uniformity::Affine { stride }) if from.is_int() => {
            affine(stride.wrapping_neg(), from)
        }
        // The complement of x is -x - 1.
        (Unary::Not, Uniformity::Affine { stride }) if from.is_int() => {
            affine(stride.wrapping_neg(), from)
        }
        // A wider type exposes where the narrow one wraps around.
        (Unary::Convert { .. }, Uniformity::Affine { stride })
            if from.is_int() && to.is_int() && to.bits() <= from.bits() =>
        {
            affine(stride, to)
        }
        (Unary::Bitcast(_), Uniformity::Affine { stride }) if from == to => {
            Uniformity::Affine { stride }
        }
        (_, Uniformity::Affine { .. } | Uniformity::Varying) => Uniformity::Varying,
    }
}

/// Threads are assigned to lanes in the order of their index in the group, unless the group's X and Y are both
/// even:
/// then a launch may assign them in squares of four.
fn of_builtin(module: &Module, builtin: Builtin) -> Uniformity {
    let size = module.group_size;
    let linear = size[0] % 2 == 1 || size[1] % 2 == 1;
    let lane = Uniformity::Affine { stride: 1 };
    let widest = match (module.wave_size.max, module.wave_size.min) {
        (0, 0) => 128,
        (0, only) => only,
        (max, _) => max,
    };
    // Whether each wave lies within one row of threads.
    let in_rows = size[1] == 1 && size[2] == 1 || size[0].is_multiple_of(widest);
    match builtin {
        Builtin::GroupId(_) => Uniformity::Uniform,
        Builtin::GroupIndex if linear => lane,
        Builtin::GroupIndex => Uniformity::Varying,
        Builtin::GroupThreadId(i) | Builtin::DispatchThreadId(i) => match i {
            _ if size.get(usize::from(i)) == Some(&1) => Uniformity::Uniform,
            0 if linear && in_rows => lane,
            1 | 2 if linear && in_rows => Uniformity::Uniform,
            _ => Uniformity::Varying,
        },
    }
}

#[cfg(test)]
mod tests;
