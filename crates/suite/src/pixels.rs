//! Vertex and pixel shaders without a rasterizer: a feed of waves made by hand, so that tests decide which lane is a
//! helper lane.

use std::mem::discriminant;
use std::sync::Arc;

use cpu::{Isa, Stopped};
use interp::observe::Observer;
use interp::{NoObserver, Variation};
use ir::exec::{
    Bindings, Buffer, Evaluated, Failure, Feed, FeedInPlace, Launch, WaveInPlace, WaveInputs,
    WaveOutputs, Work,
};
use ir::stage::{EvalPlace, slot_count, with_slots};
use ir::{Module, ResourceKind, Slot};
use ops::LaneMask;

use crate::{engines, run};

/// The bytes of every buffer of a shader.
pub const BYTES: usize = 1 << 14;

/// Tracks poison and sees nothing.
pub struct Poison;

impl Observer for Poison {}

/// One wave of quads: which lanes exist, and which of them are helper lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quads {
    pub lanes: u128,
    pub helpers: u128,
}

/// Deals waves in order, and keeps their outputs.
pub struct Dealt {
    waves: Vec<WaveInputs>,
    next: usize,
    /// How many slots outputs have.
    slots: u32,
    pub outputs: Vec<WaveOutputs>,
    /// Whether an engine may have the rows in its own memory; then only live lanes have outputs.
    is_in_place: bool,
}

impl Dealt {
    /// The lanes of all waves of a shader get their inputs from `bits`, by wave, semantic with its index, component and
    /// lane.
    pub fn new(
        module: &Module,
        width: u32,
        waves: &[Quads],
        bits: impl Fn(usize, &str, u8, u32) -> u64,
    ) -> Dealt {
        let inputs = module.io.as_ref().map_or(&[][..], |io| &io.inputs);
        let wave = |(number, quads): (usize, &Quads)| {
            let mut wave = WaveInputs::new(slot_count(inputs), width);
            wave.lanes = LaneMask(quads.lanes) & LaneMask::first_n(width);
            wave.helpers = LaneMask(quads.helpers);
            for (first, element) in with_slots(inputs) {
                let name = format!("{}{}", element.semantic.to_ascii_uppercase(), element.index);
                for component in 0..element.components {
                    let row = wave.rows.row_mut(Slot(first.0 + u32::from(component)));
                    for (lane, value) in (0..).zip(row) {
                        *value = bits(number, &name, component, lane);
                    }
                }
            }
            wave
        };
        let waves = waves.iter().enumerate().map(wave).collect();
        let slots = module.io.as_ref().map_or(0, |io| slot_count(&io.outputs));
        Dealt { waves, next: 0, slots, outputs: Vec::new(), is_in_place: false }
    }

    /// The same, exchanging rows in the engine's memory.
    pub fn in_place(self) -> Dealt {
        Dealt { is_in_place: true, ..self }
    }
}

impl Dealt {
    /// Whether the outputs are the same in all but poison.
    fn agrees(&self, other: &Dealt) -> bool {
        let outputs = |it: &Dealt| -> Vec<_> {
            let each = it.outputs.iter();
            each.map(|it| (it.live, it.helpers, it.rows.clone(), it.written.clone())).collect()
        };
        if !self.is_in_place {
            return outputs(self) == outputs(other);
        }
        let same = |(a, b): (&WaveOutputs, &WaveOutputs)| {
            let slots = (0..a.written.len() as u32).map(Slot);
            let mut cells = slots.flat_map(|slot| a.live.iter().map(move |lane| (slot, lane)));
            let cell = |it: &WaveOutputs, slot, lane: u32| it.rows.row(slot)[lane as usize];
            a.live == b.live && cells.all(|(slot, lane)| cell(a, slot, lane) == cell(b, slot, lane))
        };
        let (own, others) = (&self.outputs, &other.outputs);
        own.len() == others.len() && own.iter().zip(others).all(same)
    }
}

impl Feed for Dealt {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        let Some(next) = self.waves.get(self.next) else { return false };
        self.next += 1;
        wave.clone_from(next);
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        self.outputs.push(wave.clone());
    }

    fn in_place(&mut self) -> Option<&mut dyn FeedInPlace> {
        if self.is_in_place { Some(self) } else { None }
    }

    /// Bits that name the arguments.
    fn evaluate(&mut self, slot: Slot, lane: u32, place: EvalPlace<u32>) -> Evaluated {
        let place = match place {
            EvalPlace::Centroid => 1 << 12,
            EvalPlace::Sample(index) => 2 << 12 | index,
            EvalPlace::Snapped(x, y) => 3 << 12 | (x & 15) << 4 | y & 15,
        };
        Evaluated { bits: u64::from(lane << 20 | slot.0 << 16 | place), poisoned: false }
    }

    fn at_vertex(&mut self, slot: Slot, lane: u32, vertex: u32) -> Evaluated {
        let bits = u64::from(lane << 20 | slot.0 << 16 | 4 << 12 | vertex);
        Evaluated { bits, poisoned: vertex > 2 }
    }
}

impl FeedInPlace for Dealt {
    fn next_in_place(&mut self, wave: &mut dyn WaveInPlace) -> bool {
        let Some(next) = self.waves.get(self.next) else { return false };
        self.next += 1;
        wave.deal(next.lanes, next.helpers);
        for slot in (0..next.poison.len() as u32).map(Slot) {
            let Some(row) = wave.input(slot) else { continue };
            row.iter_mut().zip(next.rows.row(slot)).for_each(|(to, bits)| *to = *bits as u32);
        }
        true
    }

    fn take_in_place(&mut self, wave: &dyn WaveInPlace) {
        let width = self.waves[0].rows.width();
        let mut outputs = WaveOutputs::new(self.slots, width);
        outputs.live = wave.live();
        for slot in (0..self.slots).map(Slot) {
            let row = wave.output(slot);
            outputs.write(slot, wave.live(), |lane| u64::from(row[lane as usize]));
        }
        self.outputs.push(outputs);
    }
}

/// Compiles a shader for a profile such as `ps_6_6`, and checks the module.
pub fn compile(text: &str, profile: &str) -> Result<Module, String> {
    let flags = ["-T".to_owned(), profile.to_owned()];
    let options = run::options(&flags)?;
    let compiled = run::compile_text("pixels.hlsl", text, &options);
    let module = compiled.module.ok_or_else(|| {
        diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain)
    })?;
    run::check_module(&module)?;
    Ok(module)
}

/// Compiles a generated shader for a profile.
pub fn compile_generated(text: &str, profile: &str) -> Result<Module, String> {
    let flags = ["-T", profile, "-enable-16bit-types", "--dialect", "slang"].map(str::to_owned);
    let compiled = run::compile_text("generated.hlsl", text, &run::options(&flags)?);
    compiled.module.ok_or_else(|| {
        diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain)
    })
}

/// The log of a generated pixel shader on the reference engine, which that on the fast one must equal, for each of
/// these instruction sets.
pub fn log_of(program: &generate::Program, width: u32, sets: &[Isa]) -> Result<Vec<u32>, String> {
    let prepared = prepared(program, width)?;
    let (bindings, feed) = run_prepared(&prepared, width, Variation::default())?;
    let (module, waves, before) = prepared;
    let module = Arc::new(module);
    for isa in sets {
        let mut memory = before.clone();
        let mut again =
            Dealt::new(&module, width, &waves, |wave, _, _, lane| index(width, wave, lane));
        // Either way of exchanging rows.
        again.is_in_place = program.seed.is_multiple_of(2);
        run_on_cpu(&module, *isa, width, &mut memory, &mut again)
            .map_err(|failure| format!("`cpu` for {}: {failure:?}", isa.name()))?;
        let differs = |what: &str| Err(format!("`cpu` for {}: the {what} differ", isa.name()));
        if memory != bindings {
            return differs("logs");
        }
        if !again.agrees(&feed) {
            return differs("outputs");
        }
    }
    Ok(words(&bindings))
}

/// The same for a module that a pass has changed, on the reference engine alone.
pub fn log_with(
    program: &generate::Program,
    width: u32,
    variation: Variation,
    pass: impl Fn(&Module) -> Module,
) -> Result<Vec<u32>, String> {
    let (module, waves, before) = prepared(program, width)?;
    let (bindings, _) = run_prepared(&(pass(&module), waves, before), width, variation)?;
    Ok(words(&bindings))
}

/// A module, its packing, and its memory.
type Prepared = (Module, Vec<Quads>, Bindings);

fn run_prepared(
    (module, waves, before): &Prepared,
    width: u32,
    variation: Variation,
) -> Result<(Bindings, Dealt), String> {
    let mut feed = Dealt::new(module, width, waves, |wave, _, _, lane| index(width, wave, lane));
    let (decoded, launch) = (interp::decode(module), launch(width));
    let mut bindings = before.clone();
    interp::run_waves(&decoded, &launch, variation, &mut bindings, &mut feed, &mut NoObserver)
        .map_err(|failure| format!("{failure:?}"))?;
    Ok((bindings, feed))
}

/// The number of the thread that is a lane of a wave.
fn index(width: u32, wave: usize, lane: u32) -> u64 {
    wave as u64 * u64::from(width) + u64::from(lane)
}

/// The words of the log.
fn words(bindings: &Bindings) -> Vec<u32> {
    let words = bindings.bindings[0][0].bytes.chunks_exact(4);
    words.map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
}

/// Runs waves on the fast engine.
fn run_on_cpu(
    module: &Arc<Module>,
    isa: Isa,
    width: u32,
    bindings: &mut Bindings,
    feed: &mut dyn Feed,
) -> Result<(), Stopped> {
    cpu::compile(module, isa, width)?.run_waves(&launch(width), bindings, feed)
}

/// The module of a generated pixel shader, its packing, and the memory for its log.
fn prepared(program: &generate::Program, width: u32) -> Result<Prepared, String> {
    let module = compile_generated(&generate::print(program), "ps_6_7")?;
    if program.seed.is_multiple_of(16) {
        run::check_module(&module)?;
    }
    let helpers = program.pixels().map_or(&[][..], |it| &it.helpers);
    let wave = |first: u32| {
        let lanes = LaneMask::first_n(width.min(program.threads - first)).0;
        let here = helpers.iter().filter_map(|it| it.checked_sub(first)).filter(|it| *it < width);
        Quads { lanes, helpers: here.map(LaneMask::only).fold(0, |all, it| all | it.0) }
    };
    let waves = (0..program.threads).step_by(width as usize).map(wave).collect();
    let bytes = vec![0; program.threads as usize * program.places * 4];
    let bindings =
        Bindings { bindings: vec![vec![Buffer { bytes: bytes.into(), ..Buffer::default() }]] };
    Ok((module, waves, bindings))
}

/// Zeroed buffers for every resource.
pub fn buffers(module: &Module) -> Bindings {
    let buffer = |kind: &ResourceKind| {
        let is_counter = matches!(kind, ResourceKind::Sampler { .. });
        let bytes = vec![0; if is_counter { 0 } else { BYTES }];
        vec![Buffer { bytes: bytes.into(), ..Buffer::default() }]
    };
    Bindings { bindings: module.resources.iter().map(|it| buffer(&it.kind)).collect() }
}

pub fn launch(width: u32) -> Launch {
    Launch { work: Work::Waves, ..engines::launch([0; 3], width) }
}

/// Runs waves on the reference engine, with and without tracking poison, and on the fast engine with each
/// instruction set of the host; all must agree in all but poison.
pub fn run(
    module: &Module,
    width: u32,
    waves: &[Quads],
    bits: impl Fn(usize, &str, u8, u32) -> u64,
) -> Result<(Vec<WaveOutputs>, Bindings), Failure> {
    let program = interp::decode(module);
    let variation = Variation::default();
    let mut feed = Dealt::new(module, width, waves, &bits);
    let mut bindings = buffers(module);
    let launch = launch(width);
    let ended =
        interp::run_waves(&program, &launch, variation, &mut bindings, &mut feed, &mut Poison);
    let shared = Arc::new(module.clone());
    for isa in engines::sets() {
        let mut memory = buffers(module);
        let mut again = Dealt::new(module, width, waves, &bits);
        match (run_on_cpu(&shared, isa, width, &mut memory, &mut again), &ended) {
            (Ok(()), Ok(())) => {}
            (Err(Stopped::Failure(got)), Err(wanted)) => {
                assert_eq!(discriminant(&got), discriminant(wanted), "{got:?}, not {wanted:?}");
                continue;
            }
            (got, wanted) => panic!("{}: {got:?}, not {wanted:?}", isa.name()),
        }
        assert_eq!(memory, bindings, "the memory depends on the engine, {}", isa.name());
        assert!(again.agrees(&feed), "the outputs depend on the engine, {}", isa.name());
        let mut in_place = Dealt::new(module, width, waves, &bits).in_place();
        let mut memory = buffers(module);
        let ended = run_on_cpu(&shared, isa, width, &mut memory, &mut in_place);
        assert!(ended.is_ok() && memory == bindings, "rows in place change the memory");
        assert!(in_place.agrees(&feed), "the outputs depend on where rows are, {}", isa.name());
    }
    ended?;
    let mut again = Dealt::new(module, width, waves, &bits);
    let mut memory = buffers(module);
    interp::run_waves(&program, &launch, variation, &mut memory, &mut again, &mut NoObserver)?;
    assert_eq!(memory, bindings, "the memory depends on the observer");
    for (a, b) in feed.outputs.iter().zip(&again.outputs) {
        assert_eq!((&a.rows, a.live, a.helpers), (&b.rows, b.live, b.helpers));
    }
    Ok((feed.outputs, bindings))
}
