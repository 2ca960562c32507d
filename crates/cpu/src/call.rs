//! The runtime for generated code: operations that are not compiled to instructions, on rows of lanes.
//!
//! [`ops`] defines the operations; this file converts between rows and their operands and results.

use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering::Relaxed;

use ir::access::{self, Reach, texel_bytes};
use ir::exec::{Evaluated, Feed};
use ir::print::{PrintEvent, PrintLog};
use ir::ray::{Queries, RayCall};
use ir::stage::EvalPlace;
use ir::{
    Address, Atomic, Binding, Derivative, Element, Message, Module, Private, ResourceKind, Shared,
    Slot, Span, TextureCall, quad_lane, texel,
};
use ops::ray::Search;
use ops::scalar::{self, Apply};
use ops::wave::{LanesMut, Wave};
use ops::{Binary, Compare, F16, Held, Lane, LaneMask, Repr, Ternary, Ty, Unary, WaveOp};

use crate::fault::Fault;
use crate::frame::Rows;
use crate::layout::{Header, Layout, scalar_bytes};
use crate::meter::Meter;
use crate::rays;
use crate::texture::Operand;
use crate::views::{View, Views};

/// A call site of the runtime. Operands are in the first rows, results in the rows after them.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) what: What,
    pub(crate) args: Vec<Ty>,
    pub(crate) results: Vec<Ty>,
    /// The number of lanes for which arithmetic is computed.
    pub(crate) lanes: u32,
    /// The approximate cost in units of fuel, which determines how often the cancellation flag is checked.
    pub(crate) effort: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The start of a wave.
    Begin,
    Unary(Unary),
    Binary(Binary),
    Compare(Compare),
    Ternary(Ternary),
    /// With `named`, the last operand is the mask of lanes that take part.
    Wave {
        op: WaveOp,
        ty: Ty,
        named: bool,
    },
    /// An input, interpolated elsewhere; operands are those of the place.
    Eval(Slot, EvalPlace<()>),
    /// An input at a vertex.
    AtVertex(Slot),
    Load(Where),
    Store(Where),
    Atomic(Where, Atomic),
    Size(Where),
    Counter(Where, i32),
    Derivative(Derivative),
    Texture(Box<TextureCall<Operand>>),
    /// With the method by which hits are found.
    Ray(Box<RayCall<Operand>>, Search),
    SharedLoad(Shared),
    SharedStore(Shared),
    SharedAtomic(Shared, Atomic),
    PrivateLoad(Private),
    PrivateStore(Private),
    Print(Message, Span),
    /// A definition that panics.
    #[cfg(test)]
    Panic,
}

/// A resource and the form of the address; operands are the element, the address and then the values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Where {
    pub(crate) binding: Binding,
    pub(crate) storage: Binding,
    pub(crate) element: bool,
    pub(crate) at: Option<Address>,
}

/// The state that all waves of a launch share.
pub(crate) struct Common<'a> {
    pub(crate) module: &'a Module,
    pub(crate) layout: &'a Layout,
    pub(crate) sites: &'a [Site],
    pub(crate) views: &'a Views<'a>,
    pub(crate) width: u32,
    pub(crate) fault: Fault,
    /// The width for which fuel is counted.
    pub(crate) asked: u32,
    pub(crate) meter: &'a Meter,
    pub(crate) prints: Option<&'a PrintLog>,
    /// What the waves of a vertex or pixel shader come from.
    pub(crate) feed: Option<RefCell<&'a mut dyn Feed>>,
}

/// The entry from generated code, a [`Callee`](crate::layout::Callee).
///
/// # Safety
/// `frame` must be the frame of the wave that calls, laid out by the code's own layout, and hold a launch that lives.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe extern "sysv64" fn enter(frame: *mut Header, site: u32) {
    // SAFETY: the caller's contract.
    unsafe { serve(frame, site) }
}

/// The same where no code is generated.
///
/// # Safety
/// As above.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe extern "C" fn enter(frame: *mut Header, site: u32) {
    // SAFETY: the caller's contract.
    unsafe { serve(frame, site) }
}

/// Runs the operation of a site for the wave of a frame.
///
/// # Safety
/// As above.
#[inline(always)]
unsafe fn serve(frame: *mut Header, site: u32) {
    // SAFETY: the host has stored it there, and keeps it for as long as code runs.
    let common = unsafe { &*(*frame).launch.cast::<Common<'_>>() };
    // SAFETY: the caller's contract; the wave waits for this call.
    let rows = unsafe { Rows::new(frame, common.layout) };
    // SAFETY: as above; the header is not written meanwhile.
    let header = unsafe { &*frame };
    let active = LaneMask(u128::from(header.active[0]) | u128::from(header.active[1]) << 64);
    let site = &common.sites[site as usize];
    let texels = Cell::new(0);
    let goes_on = !common.meter.is_stopped()
        && common.fault.guard(|| {
            Call { common, site, rows, active, header, texels: &texels }.run();
        })
        && {
            let sampled = ir::effort::of_texels(texels.get(), common.asked);
            common.meter.count(header, 1 + site.effort, sampled)
        };
    if !goes_on {
        // The wave continues with the current contents of its rows, up to the end of its loop, and no wave follows it:
        // it makes no long calls, and generated code stays in bounds whatever values it computes with. SAFETY: as
        // above; the reference to the header is not used any more.
        unsafe { ((*frame).remaining, (*frame).fuel) = (1, 0) };
    }
}

pub(crate) struct Call<'a> {
    pub(crate) common: &'a Common<'a>,
    site: &'a Site,
    pub(crate) rows: Rows<'a>,
    pub(crate) active: LaneMask,
    header: &'a Header,
    /// The number of sampled texels.
    pub(crate) texels: &'a Cell<u64>,
}

impl<'a> Call<'a> {
    fn run(&self) {
        match &self.site.what {
            #[cfg(test)]
            What::Panic => panic!("a bug in a definition"),
            What::Begin => {
                self.rows.clear_privates();
                self.queries().reset();
            }
            What::Unary(op) => scalar::unary(*op, self.site.args[0], self.map()),
            What::Binary(op) => scalar::binary(*op, self.site.args[0], self.map()),
            What::Compare(op) => scalar::compare(*op, self.site.args[0], self.map()),
            What::Ternary(op) => scalar::ternary(*op, self.site.args[2], self.map()),
            What::Wave { op, ty, named } => self.wave(*op, *ty, *named),
            What::Eval(slot, place) => {
                let word = |row, lane| self.rows.word(row, lane);
                self.eval(|feed, lane| {
                    let place = match place {
                        EvalPlace::Centroid => EvalPlace::Centroid,
                        EvalPlace::Sample(()) => EvalPlace::Sample(word(0, lane)),
                        EvalPlace::Snapped((), ()) => {
                            EvalPlace::Snapped(word(0, lane), word(1, lane))
                        }
                    };
                    feed.evaluate(*slot, lane as u32, place)
                });
            }
            What::AtVertex(slot) => {
                self.eval(|feed, lane| feed.at_vertex(*slot, lane as u32, self.rows.word(0, lane)))
            }
            What::Load(at) => self.load(at),
            What::Store(at) => self.store(at),
            What::Atomic(at, op) => self.atomic(at, *op),
            What::Size(at) => self.size(at),
            What::Counter(at, delta) => self.counter(at, *delta),
            What::Derivative(of) => self.derivative(*of),
            What::Texture(call) => self.texture(call),
            What::Ray(call, search) => self.ray(call, search),
            What::SharedLoad(memory) => self.shared(*memory, |it, lane, place| {
                let bits = place.map_or(0, |(view, at, size)| view.load(at, size));
                it.set_result(0, lane, bits);
            }),
            What::SharedStore(memory) => self.shared(*memory, |it, lane, place| {
                if let Some((view, at, size)) = place {
                    view.write(at, size, it.arg(1, lane));
                }
            }),
            What::SharedAtomic(memory, op) => self.shared(*memory, |it, lane, place| {
                let args = [1, 2].map(|i| if i < it.site.args.len() { it.arg(i, lane) } else { 0 });
                let ty = it.common.module.groupshared[memory.index()].ty;
                let change = |old| op.apply(ty, old, args);
                let old = place.map_or(0, |(view, at, size)| view.update(at, size, change));
                it.set_result(0, lane, old);
            }),
            What::PrivateLoad(memory) => {
                let own = &self.common.module.privates[memory.index()];
                self.each(|lane| {
                    let index = self.arg(0, lane) as usize;
                    let inside = index < own.len as usize;
                    let bits = match inside {
                        true => self.rows.private(memory.index(), own.ty, index, lane),
                        false => 0,
                    };
                    self.set_result(0, lane, bits);
                });
            }
            What::Print(message, span) => self.print(*message, *span),
            What::PrivateStore(memory) => {
                let own = &self.common.module.privates[memory.index()];
                self.each(|lane| {
                    let index = self.arg(0, lane) as usize;
                    if index < own.len as usize {
                        let bits = self.arg(1, lane);
                        self.rows.set_private(memory.index(), own.ty, index, lane, bits);
                    }
                });
            }
        }
    }

    /// The queries of the wave.
    fn queries(&self) -> &'a mut Queries {
        // SAFETY: the host keeps them beside the frame for as long as code runs in it, and this call alone uses them.
        unsafe { &mut *self.header.queries }
    }

    fn ray(&self, call: &RayCall<Operand>, search: &Search) {
        let bindings = &self.common.views.bindings;
        let scene = |it: Binding, element: u32| {
            let view = bindings.get(it.index())?.get(element as usize)?;
            view.what.scene().map(|it| &*it.0)
        };
        // SAFETY: generated code calls, which runs only on hosts that have its instructions.
        unsafe { rays::run(self.queries(), call, self, search, scene) };
    }

    fn print(&self, message: Message, span: Span) {
        let Some(log) = self.common.prints else { return };
        let event = PrintEvent {
            kind: self.common.module.messages[message.index()].kind,
            message,
            span,
            group: self.header.group,
            wave: self.header.wave,
            lanes: self.active,
            scalars: self.site.args.len(),
        };
        log.record(&event, &|arg, lane| self.arg(arg, lane as usize));
    }

    pub(crate) fn each(&self, mut visit: impl FnMut(usize)) {
        self.active.iter().for_each(|lane| visit(lane as usize));
    }

    pub(crate) fn arg(&self, index: usize, lane: usize) -> u64 {
        self.rows.get(index, self.site.args[index], lane)
    }

    #[inline(always)]
    pub(crate) fn set_result(&self, index: usize, lane: usize, bits: u64) {
        if let Some(ty) = self.site.results.get(index) {
            self.rows.set(self.site.args.len() + index, *ty, lane, bits);
        }
    }

    /// As many results as the call has.
    #[inline(always)]
    pub(crate) fn set_results(&self, lane: usize, bits: &[u64]) {
        for (index, bits) in bits.iter().enumerate().take(self.site.results.len()) {
            self.set_result(index, lane, *bits);
        }
    }

    fn map(&self) -> Map<'a> {
        Map { rows: self.rows, result: self.site.args.len(), lanes: self.site.lanes as usize }
    }

    // Wave operations.

    fn wave(&self, op: WaveOp, ty: Ty, named: bool) {
        let args = self.site.args.len() - usize::from(named);
        if !named {
            let members = LaneMask::first_n(self.common.width);
            return self.wave_of(op, ty, args, self.active, members);
        }
        // Lanes with the same mask run the operation together.
        let mut left = self.active;
        while let Some(first) = left.first() {
            let name = self.arg(args, first as usize);
            let members: LaneMask =
                left.iter().filter(|lane| self.arg(args, *lane as usize) == name).collect();
            left &= !members;
            self.wave_of(op, ty, args, LaneMask(u128::from(name)) & self.active, members);
        }
    }

    /// Runs the operation with these participants and returns the result to `members`.
    fn wave_of(&self, op: WaveOp, ty: Ty, args: usize, on: LaneMask, members: LaneMask) {
        let module = self.common.module;
        let sees_helpers =
            module.has_helpers() && (!module.helpers_take_part() || op == WaveOp::IsHelperLane);
        let wave = Wave {
            width: self.common.width,
            active: on,
            helpers: if sees_helpers { self.rows.helpers() } else { LaneMask::EMPTY },
            index_in_group: self.header.wave,
            waves_in_group: self.header.waves_in_group,
        };
        // SAFETY: a call writes only the rows of its results, which come after those of its operands.
        let operand = |i: usize| unsafe { self.rows.lanes(i, self.site.args[i]) };
        let operands: Vec<_> = (0..args).map(operand).collect();
        let lanes = || members.iter().map(|it| it as usize);
        match self.site.results[0].repr() {
            Repr::Bit => {
                let mut bits = LaneMask::EMPTY;
                ops::wave::eval(op, ty, &wave, &operands, &mut [LanesMut::Bits(&mut bits)]);
                lanes().for_each(|it| self.set_result(0, it, u64::from(bits.contains(it as u32))));
            }
            Repr::Long => {
                let mut longs = [0; 128];
                ops::wave::eval(op, ty, &wave, &operands, &mut [LanesMut::Longs(&mut longs)]);
                lanes().for_each(|it| self.set_result(0, it, longs[it]));
            }
            Repr::Word => {
                let mut words = [[0; 128]; 4];
                let mut out = words.each_mut().map(|it| LanesMut::Words(it));
                let results = self.site.results.len();
                ops::wave::eval(op, ty, &wave, &operands, &mut out[..results]);
                for (i, words) in words.iter().enumerate() {
                    lanes().for_each(|it| self.set_result(i, it, u64::from(words[it])));
                }
            }
        }
    }

    /// Asks the feed for each lane.
    fn eval(&self, value: impl Fn(&mut dyn Feed, usize) -> Evaluated) {
        let Some(feed) = &self.common.feed else {
            unreachable!("a shader with inputs runs from a feed only")
        };
        let mut feed = feed.borrow_mut();
        self.each(|lane| self.set_result(0, lane, value(&mut **feed, lane).bits));
    }

    fn derivative(&self, of: Derivative) {
        let ty = self.site.args[0];
        self.each(|lane| {
            let lanes = of.lanes(lane as u32 & 3);
            let lanes = lanes.map(|it| quad_lane(lane as u32, it, self.active) as usize);
            let [greater, lesser] = lanes.map(|it| self.arg(0, it));
            self.set_result(0, lane, scalar::eval_binary(Binary::Sub, ty, greater, lesser));
        });
    }

    // Buffers.

    fn view(&self, at: &Where, lane: usize) -> Option<&View> {
        let element = if at.element { self.arg(0, lane) as usize } else { 0 };
        let view = self.common.views.bindings.get(at.storage.index())?.get(element);
        view.filter(|it| it.what.is_buffer())
    }

    fn kind(&self, at: &Where) -> &ResourceKind {
        &self.common.module.resource(at.binding).kind
    }

    /// The element type of a typed buffer's texels, if the access converts them.
    fn element(&self, at: &Where) -> Option<Element> {
        match at.at {
            Some(Address::Within { bytes: 1.., .. }) => None,
            _ => self.kind(at).view().element,
        }
    }

    /// The size in memory of each scalar of an access that does not convert.
    fn scalar_bytes(at: &Where, ty: Ty) -> u32 {
        at.at.map_or(ty.bytes(), |it| it.scalar_bytes(ty))
    }

    /// The index of the first value among the operands.
    fn values(&self, at: &Where) -> usize {
        let address = match at.at {
            Some(Address::Structured { .. }) => 2,
            Some(Address::Byte(_) | Address::Texel(_)) => 1,
            Some(Address::Within { when, .. }) => 1 + usize::from(when.is_some()),
            None => 0,
        };
        usize::from(at.element) + address
    }

    /// The buffer that a lane accesses, and the part that it may access.
    fn reach(&self, at: &Where, lane: usize) -> (Option<&View>, Reach) {
        let view = self.view(at, lane);
        let len = view.map_or(0, |it| it.len);
        let first = usize::from(at.element);
        let word = |i: usize| self.arg(first + i, lane) as u32;
        let place = match at.at {
            Some(Address::Structured { .. }) => {
                let stride = self.kind(at).view().stride;
                access::At::Element { index: word(0), offset: word(1), stride }
            }
            Some(Address::Byte(_)) => access::At::Byte(word(0)),
            Some(Address::Within { when: Some(_), .. }) if word(1) == 0 => access::At::None,
            Some(Address::Within { bytes, .. }) if bytes > 0 => {
                access::At::Unit { index: word(0), bytes }
            }
            Some(Address::Texel(_) | Address::Within { .. }) => {
                let size = self.element(at).map_or(4, |it| texel_bytes(format(view, &it)));
                access::At::Texel { index: word(0), size }
            }
            None => access::At::None,
        };
        (view, place.reach(len))
    }

    fn load(&self, at: &Where) {
        let ty = self.site.results[0];
        let element = self.element(at);
        self.each(|lane| {
            let (view, reach) = self.reach(at, lane);
            let texels = element.map(|it| format(view, &it));
            for c in 0..self.site.results.len() {
                let bits = match (view, texels) {
                    (None, _) => 0,
                    (Some(view), Some(format)) => {
                        reach.load_component(c, format, ty, |at, size| view.load(at, size))
                    }
                    (Some(view), None) => {
                        let size = Self::scalar_bytes(at, ty);
                        reach.scalar(c, size).map_or(0, |at| view.load(at, size))
                    }
                };
                let bits = if ty == Ty::Bool { u64::from(bits != 0) } else { bits };
                self.set_result(c, lane, bits);
            }
        });
    }

    fn store(&self, at: &Where) {
        let first = self.values(at);
        let ty = self.site.args[first];
        let element = self.element(at);
        self.each(|lane| {
            let (Some(view), reach) = self.reach(at, lane) else { return };
            for (c, i) in (first..self.site.args.len()).enumerate() {
                let bits = self.arg(i, lane);
                match &element {
                    Some(element) => {
                        let format = format(Some(view), element);
                        if let Some((at, size)) = reach.store_component(c, format) {
                            view.write(at, size, texel::store(format.scalar, element, ty, bits));
                        }
                    }
                    None => {
                        let size = Self::scalar_bytes(at, ty);
                        if let Some(at) = reach.scalar(c, size) {
                            view.write(at, size, bits);
                        }
                    }
                }
            }
        });
    }

    fn atomic(&self, at: &Where, op: Atomic) {
        let first = self.values(at);
        let ty = self.site.args[first];
        let size = ty.bytes();
        self.each(|lane| {
            let (view, reach) = self.reach(at, lane);
            let args = [first, first + 1]
                .map(|i| if i < self.site.args.len() { self.arg(i, lane) } else { 0 });
            let old = match (view, reach.scalar(0, size)) {
                (Some(view), Some(at)) => view.update(at, size, |old| op.apply(ty, old, args)),
                _ => 0,
            };
            self.set_result(0, lane, old);
        });
    }

    fn size(&self, at: &Where) {
        self.each(|lane| {
            let view = self.view(at, lane);
            let len = view.map_or(0, |it| it.len);
            let sizes = access::size(self.kind(at), view.and_then(|it| it.what.format()), len);
            sizes.into_iter().enumerate().for_each(|(i, it)| self.set_result(i, lane, it));
        });
    }

    fn counter(&self, at: &Where, delta: i32) {
        self.each(|lane| {
            let before = self.view(at, lane).and_then(|it| it.counter());
            let before = before.map(|it| it.fetch_add(delta as u32, Relaxed));
            let seen =
                before.map_or(0, |it| if delta > 0 { it } else { it.wrapping_add_signed(delta) });
            self.set_result(0, lane, u64::from(seen));
        });
    }

    /// Calls `access` for each lane with the groupshared scalar at its index, if that is in bounds.
    fn shared(&self, memory: Shared, access: impl Fn(&Self, usize, Option<(&View, u64, u32)>)) {
        let own = &self.common.module.groupshared[memory.index()];
        let view = View::of(self.header.shared, self.common.layout.shared_bytes as u64);
        let size = scalar_bytes(own.ty) as u32;
        let start = self.common.layout.shared[memory.index()] as u64;
        self.each(|lane| {
            let index = self.arg(0, lane);
            let inside = index < u64::from(own.len);
            access(self, lane, inside.then(|| (&view, start + index * u64::from(size), size)));
        });
    }
}

/// Clamps to the one to four components of a texel, regardless of what the host specifies.
fn format(view: Option<&View>, element: &Element) -> ir::exec::ElementFormat {
    access::format(view.and_then(|it| it.what.format()), element)
}

/// Applies the definition of an operation to rows.
struct Map<'a> {
    rows: Rows<'a>,
    result: usize,
    lanes: usize,
}

impl Map<'_> {
    #[inline(always)]
    fn get<T: Lane>(&self, row: usize, lane: usize) -> T {
        let bits = match T::Held::REPR {
            Repr::Bit => u64::from(self.rows.bits(row).contains(lane as u32)),
            Repr::Word => u64::from(self.rows.word(row, lane)),
            Repr::Long => self.rows.long(row, lane),
        };
        T::of(T::Held::from_bits(bits))
    }

    #[inline(always)]
    fn each<R: Lane>(&self, value: impl Fn(usize) -> R) {
        if R::Held::REPR == Repr::Bit {
            let lanes = (0..self.lanes).filter(|lane| value(*lane).hold().to_bits() == 1);
            return self.rows.set_bits(self.result, lanes.map(|it| it as u32).collect());
        }
        for lane in 0..self.lanes {
            let bits = value(lane).hold().to_bits();
            match R::Held::REPR {
                Repr::Long => self.rows.set_long(self.result, lane, bits),
                Repr::Bit | Repr::Word => self.rows.set_word(self.result, lane, bits as u32),
            }
        }
    }
}

impl Apply for Map<'_> {
    type Out = ();
    fn map1<A: Lane, R: Lane>(self, f: impl Fn(A) -> R) {
        self.each(|lane| f(self.get(0, lane)));
    }
    fn map2<A: Lane, B: Lane, R: Lane>(self, f: impl Fn(A, B) -> R) {
        self.each(|lane| f(self.get(0, lane), self.get(1, lane)));
    }
    fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(self, f: impl Fn(A, B, C) -> R) {
        self.each(|lane| f(self.get(0, lane), self.get(1, lane), self.get(2, lane)));
    }
    fn through_f32(self, is_half: bool, f: impl Fn(f32) -> f32) {
        self.each(|lane| match is_half {
            true => F16::from_f32(f(self.get::<F16>(0, lane).to_f32())).hold(),
            false => f(self.get(0, lane)).hold(),
        });
    }
}
