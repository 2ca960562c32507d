//! Calls into the runtime: operands go to rows of the frame, results come from the rows after them.

use ir::ray::{RayCall, RayOp, observed};
use ir::stage::EvalPlace;
use ir::{Address as At, Inst, Op, Place, TextureCall, Value, Values};
use ops::ray::Search;
use ops::{Repr, Ty};

use super::{Home, Selector};
use crate::call::{Site, What, Where};
use crate::isa::Isa;
use crate::layout::*;
use crate::machine::*;

use iced_x86::Code::*;

impl Selector<'_> {
    /// Prepares a wave: its private memory is cleared.
    pub(super) fn call_begin(&mut self) {
        self.site(What::Begin, Vec::new(), Vec::new(), 0);
    }

    fn site(&mut self, what: What, args: Vec<Ty>, results: Vec<Ty>, lanes: u32) {
        // Sets of lanes run in sequence, and lanes are compared with each other; everything else is computed lane by
        // lane.
        let effort = match what {
            What::Wave { named: true, .. } | What::Wave { op: ops::WaveOp::Match, .. } => {
                lanes * lanes
            }
            _ => 4 * lanes,
        };
        self.rows = self.rows.max(args.len() + results.len());
        if self.numbered_wave().is_some() {
            // The runtime reads it from the frame.
            let wave = self.wave_index();
            self.a.store_general(View::R32, Address::frame(WAVE), wave);
        }
        self.a.b.call(self.sites.len() as u32);
        self.sites.push(Site { what, args, results, lanes, effort });
    }

    /// An instruction, for all active lanes.
    pub(super) fn call(&mut self, inst: Inst) {
        let data = self.module.inst(inst);
        let results = data.results.as_slice();
        let at = |place: Place, at: Option<At>| Where {
            binding: place.binding,
            storage: self.module.storage(place.binding),
            element: place.element.is_some(),
            at,
        };
        let (what, args): (What, Values) = match &data.op {
            Op::Wave { op, args, lanes } => {
                let ty = args.first().map_or(Ty::I32, |it| self.ty(*it));
                let what = What::Wave { op: *op, ty, named: lanes.is_some() };
                (what, args.iter().chain(lanes).copied().collect())
            }
            Op::Load { place, at: address } => {
                (What::Load(at(*place, Some(*address))), data.op.operands())
            }
            Op::Store { place, at: address, .. } => {
                (What::Store(at(*place, Some(*address))), data.op.operands())
            }
            Op::Atomic { place, at: address, op, .. } => {
                (What::Atomic(at(*place, Some(*address)), *op), data.op.operands())
            }
            Op::Size { place } => (What::Size(at(*place, None)), data.op.operands()),
            Op::Counter { place, delta } => {
                (What::Counter(at(*place, None), *delta), data.op.operands())
            }
            Op::Eval { slot, place } => {
                let place = match place {
                    EvalPlace::Centroid => EvalPlace::Centroid,
                    EvalPlace::Sample(_) => EvalPlace::Sample(()),
                    EvalPlace::Snapped(..) => EvalPlace::Snapped((), ()),
                };
                (What::Eval(*slot, place), data.op.operands())
            }
            Op::InputAt { slot, .. } => (What::AtVertex(*slot), data.op.operands()),
            Op::Derivative(of, _) => (What::Derivative(*of), data.op.operands()),
            Op::SharedLoad { memory, .. } => (What::SharedLoad(*memory), data.op.operands()),
            Op::SharedStore { memory, .. } => (What::SharedStore(*memory), data.op.operands()),
            Op::SharedAtomic { memory, op, .. } => {
                (What::SharedAtomic(*memory, *op), data.op.operands())
            }
            Op::PrivateLoad { memory, .. } => (What::PrivateLoad(*memory), data.op.operands()),
            Op::PrivateStore { memory, .. } => (What::PrivateStore(*memory), data.op.operands()),
            Op::Print { message, .. } => (What::Print(*message, data.span), data.op.operands()),
            Op::Ray(ray) => {
                let mut args = Values::new();
                let call = RayCall::new(self.module, ray, |it| {
                    args.push(it);
                    args.len() - 1
                });
                let any = ray.op == RayOp::Proceed
                    && observed::allocated(self.module, ray.args[0])
                        .is_some_and(|it| self.any_hits[it.index()]);
                let search = if any { Search::ANY } else { Search::TREE };
                (What::Ray(Box::new(call), search), args)
            }
            Op::Texture(texture) => {
                // Operands have rows in their order.
                let mut args = Values::new();
                let call = TextureCall::new(self.module, texture, results, |it| {
                    args.push(it);
                    args.len() - 1
                });
                (What::Texture(Box::new(call)), args)
            }
            _ => unreachable!("arithmetic and constructs are not calls of this kind"),
        };
        let active = self.executing();
        for (i, part) in self.lane_bits(&active).into_iter().enumerate() {
            self.a.store_general(View::R64, Address::frame(ACTIVE + 8 * i), part);
        }
        if self.width <= 64 {
            let zero = self.a.word(0);
            self.a.store_general(View::R64, Address::frame(ACTIVE + 8), zero);
        }
        for (row, arg) in args.iter().enumerate() {
            self.put_row(row, *arg);
        }
        let types = |values: &[Value]| values.iter().map(|it| self.ty(*it)).collect::<Vec<Ty>>();
        let (arg_types, result_types) = (types(&args), types(results));
        self.site(what, arg_types, result_types, self.width);
        // All results are loaded before any is used, since the next call reuses the rows.
        for (i, result) in results.iter().enumerate() {
            self.take_row(args.len() + i, *result);
        }
    }

    /// Arithmetic: for a single lane if the operands are uniform.
    pub(super) fn call_pure(&mut self, what: What, args: &[Value], to: Value) {
        let single = args.iter().all(|it| self.is_single(*it));
        let types: Vec<Ty> = args.iter().map(|it| self.ty(*it)).collect();
        if !single {
            for (row, arg) in args.iter().enumerate() {
                self.put_row(row, *arg);
            }
            let lanes = self.layout.lanes as u32;
            self.site(what, types, vec![self.ty(to)], lanes);
            return self.take_row(args.len(), to);
        }
        for (row, arg) in args.iter().enumerate() {
            let at = Address::frame(self.layout.row(row));
            match self.home(*arg).clone() {
                Home::Splat(vector) => self.store_lowest(at, vector),
                _ => {
                    let register = self.general(*arg);
                    self.a.store_general(View::R64, at, register);
                }
            }
        }
        let ty = self.ty(to);
        self.site(what, types, vec![ty], 1);
        let at = Address::frame(self.layout.row(args.len()));
        let long = ty.repr() == Repr::Long;
        let register = self.a.load_general(if long { View::R64 } else { View::R32 }, at);
        let home = if ty.is_float() {
            Home::Splat(self.a.splat(register, long))
        } else {
            Home::General(register)
        };
        self.set(to, home);
    }

    fn store_lowest(&mut self, at: Address, vector: VReg) {
        let source = Source::Register(View::Xmm, vector);
        let code = self.a.pick(EVEX_Vmovq_xmmm64_xmm, VEX_Vmovq_xmmm64_xmm);
        self.a.b.store(code, at, source, None);
    }

    fn put_row(&mut self, row: usize, value: Value) {
        let at = self.layout.row(row);
        match self.ty(value).repr() {
            Repr::Bit => {
                let masks = self.bits(value);
                for (i, part) in self.lane_bits(&masks).into_iter().enumerate() {
                    self.a.store_general(View::R64, Address::frame(at + 8 * i), part);
                }
                if self.width <= 64 {
                    let zero = self.a.word(0);
                    self.a.store_general(View::R64, Address::frame(at + 8), zero);
                }
            }
            Repr::Word => {
                for (chunk, vector) in self.words(value).into_iter().enumerate() {
                    self.a.store_vector(Address::frame(at + 4 * self.lanes * chunk), vector);
                }
            }
            Repr::Long => {
                for (half, vector) in self.longs(value).into_iter().enumerate() {
                    self.a.store_vector(Address::frame(at + 4 * self.lanes * half), vector);
                }
            }
        }
    }

    /// The masks of a set of lanes in the frame.
    pub(super) fn load_set(&mut self, at: Address) -> Vec<VReg> {
        (0..self.chunks)
            .map(|chunk| {
                let byte = (chunk * self.lanes / 8) as i32;
                let source = Source::Memory(Address { displacement: at.displacement + byte, ..at });
                let code = match self.a.isa {
                    Isa::Avx512 => Movzx_r32_rm16,
                    Isa::Avx2 => Movzx_r32_rm8,
                };
                let bits = self.a.b.define(code, View::R32, &[source]);
                self.a.mask_of_bits(bits)
            })
            .collect()
    }

    fn take_row(&mut self, row: usize, value: Value) {
        let at = self.layout.row(row);
        let home = match self.ty(value).repr() {
            Repr::Bit => {
                let masks = self.load_set(Address::frame(at));
                Home::Bits(masks)
            }
            Repr::Word => Home::Words(
                (0..self.chunks)
                    .map(|i| self.a.load_vector(Address::frame(at + 4 * self.lanes * i)))
                    .collect(),
            ),
            Repr::Long => Home::Longs(
                (0..2 * self.chunks)
                    .map(|i| self.a.load_vector(Address::frame(at + 4 * self.lanes * i)))
                    .collect(),
            ),
        };
        self.set(value, home);
        if self.is_uniform(value) {
            self.make_single(value);
        }
    }

    /// A value that the analysis has found to be uniform, in one place for all lanes.
    pub(super) fn make_single(&mut self, value: Value) {
        let register = self.general(value);
        let ty = self.ty(value);
        let home = if ty.is_float() {
            Home::Splat(self.a.splat(register, ty.repr() == Repr::Long))
        } else {
            Home::General(register)
        };
        self.set(value, home);
    }
}
