//! Evaluates expressions of HLSL where a wave is stopped.
//!
//! Nothing here interprets them: the front end compiles the program again with one more entry point, which holds the
//! current values of variables and shows the value of the expression; the reference engine runs it at the width of the
//! wave, in its active lanes. So every function and overload of the language and of the program works.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use diag::{Level, Sink, SourceMap};
use interp::observe::NoteEvent;
use interp::{Advance, Observer, Program, Run, Variation};
use ir::exec::{Bindings, Buffer, Launch};
use ir::facts::{Kind, Space};
use ir::notes::{Note, Notes, Scalar, VariableId};
use ir::{HostScalar, Module};
use ops::LaneMask;

use crate::expression::{Expression, Refused, read};
use crate::session::Session;
use crate::waves::{Row, WaveId};

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The type as HLSL spells it.
    pub ty: String,
    pub scalars: Vec<Scalar>,
    /// One for each scalar.
    pub rows: Vec<Row>,
    /// The lanes that have evaluated it.
    pub active: LaneMask,
}

/// The wave-instructions that an expression may take.
const FUEL: u64 = 1 << 20;
/// The buffer of what variables hold: for each lane a word that says whether it is active, and three words for each
/// scalar: whether it has a value, and that value.
const INPUT: &str = "wavelane_values";
const SHOWN: &str = "wavelane_shown";
const ENTRY: &str = "wavelane_evaluate";
/// The most variables that an expression names.
const MOST_VARIABLES: usize = 32;

/// The most expressions that are kept.
const MOST_KEPT: usize = 64;

/// A variable that the expression names.
struct Given {
    name: String,
    id: VariableId,
    /// All lanes hold what this one holds.
    lane: Option<u32>,
    is_static: bool,
}

/// An expression, compiled for the places where the same variables are visible. It holds no values.
struct Compiled {
    given: Vec<Given>,
    module: Module,
    program: Program,
}

/// The expressions of a session, each compiled once: a condition is evaluated at every hit of its breakpoint.
#[derive(Default)]
pub(crate) struct Expressions {
    /// By the innermost variable that is visible, and the text.
    known: RefCell<BTreeMap<Key, Result<Arc<Compiled>, Refused>>>,
    compilations: std::cell::Cell<u64>,
}

type Key = (Option<VariableId>, String);

impl Expressions {
    /// How often an expression has been compiled.
    pub(crate) fn compilations(&self) -> u64 {
        self.compilations.get()
    }

    fn get(
        &self,
        session: &Session,
        innermost: Option<VariableId>,
        text: &str,
    ) -> Result<Arc<Compiled>, Refused> {
        let key = (innermost, text.to_owned());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        self.compilations.set(self.compilations.get() + 1);
        let compiled = compiled(session, innermost, text).map(Arc::new);
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST_KEPT {
            known.clear();
        }
        known.insert(key, compiled.clone());
        compiled
    }
}

pub(crate) fn eval(session: &Session, wave: WaveId, text: &str) -> Result<Shown, Refused> {
    let at = session.wave(wave).and_then(|it| it.here());
    let at = at.filter(|it| !it.active.is_empty());
    let at = at.ok_or_else(|| Refused("the wave has no active lanes here".to_owned()))?;
    let compiled = session.expressions.get(session, at.innermost, text)?;
    run(session, wave, &compiled, at.active)
}

/// Whether an expression could be evaluated where this variable is the innermost.
pub(crate) fn check(
    session: &Session,
    innermost: Option<VariableId>,
    text: &str,
) -> Result<(), Refused> {
    session.expressions.get(session, innermost, text).map(drop)
}

fn compiled(
    session: &Session,
    innermost: Option<VariableId>,
    text: &str,
) -> Result<Compiled, Refused> {
    let expression = read(text, session.width())?;
    let visible: Vec<VariableId> = session.module.notes.visible(innermost).collect();
    let given = given(session, &visible, &expression)?;
    let mut source = session.recipe.source.clone();
    source.text = program(session, &given, &expression);
    source.options.entry = ENTRY.to_owned();
    source.options.notes = true;
    let module = compile(source, text)?;
    refuse_changes(&module)?;
    let program = interp::decode(&module);
    Ok(Compiled { given, module, program })
}

fn given(
    session: &Session,
    visible: &[VariableId],
    expression: &Expression,
) -> Result<Vec<Given>, Refused> {
    let notes = &session.module.notes;
    let mut all: Vec<Given> = Vec::new();
    let named = expression.names.iter().map(|it| (it.clone(), it, None));
    let of_lanes = expression.of_lanes.iter().map(|it| (it.0.clone(), &it.1, Some(it.2)));
    for (name, of, lane) in named.chain(of_lanes) {
        let found = visible.iter().copied().find(|it| notes.variable(*it).name == *of);
        let Some(id) = found else {
            if lane.is_some() {
                return Err(Refused(format!("there is no variable `{of}` here")));
            }
            continue;
        };
        let is_static = notes.statics.contains(&id) && lane.is_none();
        if !all.iter().any(|it| it.name == name) {
            all.push(Given { name, id, lane, is_static });
        }
    }
    // Functions may read statics that the expression does not name; constant ones have the value they begin with.
    for id in &notes.statics {
        let is_given = all.iter().any(|it| it.id == *id && it.is_static);
        if is_changed(&session.module, *id) && !is_given {
            let name = notes.variable(*id).name.clone();
            all.push(Given { name, id: *id, lane: None, is_static: true });
        }
    }
    all.retain(|it| !it.is_static || is_changed(&session.module, it.id));
    if all.len() > MOST_VARIABLES {
        let what = format!("an expression can name at most {MOST_VARIABLES} variables");
        return Err(Refused(what));
    }
    Ok(all)
}

/// Whether a static variable is written more than once: it is not a constant.
fn is_changed(module: &Module, id: VariableId) -> bool {
    let writes = module.insts.iter().filter(|it| match &it.op {
        ir::Op::Note(note) => matches!(&**note, Note::Write { variable, .. } if *variable == id),
        _ => false,
    });
    writes.count() > 1 || module.notes.variable(id).memory.is_some()
}

/// Scalars in the buffer before those of each variable.
fn offsets<'a>(
    given: &'a [Given],
    notes: &'a Notes,
) -> impl Iterator<Item = (usize, &'a [Scalar])> {
    let mut next = 0;
    given.iter().map(move |it| {
        let scalars = notes.variable(it.id).scalars.as_slice();
        let first = next;
        next += scalars.len();
        (first, scalars)
    })
}

fn words_per_lane(given: &[Given], notes: &Notes) -> usize {
    1 + 3 * offsets(given, notes).map(|it| it.1.len()).sum::<usize>()
}

/// The program, with the entry point that evaluates.
fn program(session: &Session, given: &[Given], expression: &Expression) -> String {
    let notes = &session.module.notes;
    let mut text = session.recipe.source.text.clone();
    let stride = words_per_lane(given, notes);
    let width = session.width();
    // A failed write to a string is not possible.
    let _ = write!(
        text,
        "\nStructuredBuffer<uint> {INPUT} : register(t4095, space4095);\n\
         template<typename T> void {SHOWN}(T wavelane_value) {{}}\n"
    );
    let (mut parameters, mut arguments, mut body) = (Vec::new(), Vec::new(), String::new());
    for (number, (it, (first, scalars))) in given.iter().zip(offsets(given, notes)).enumerate() {
        let ty = notes.variable(it.id).ty.as_str();
        let (base, dims) = match ty.split_once('[') {
            Some((base, dims)) => (base, format!("[{dims}")),
            None => (ty, String::new()),
        };
        let local = format!("wavelane_given_{number}");
        let target = if it.is_static { it.name.clone() } else { local.clone() };
        if !it.is_static {
            let _ = writeln!(body, "  {base} {local}{dims};");
            parameters.push(format!("const {base} {}{dims}", it.name));
            arguments.push(local);
        }
        for (scalar, at) in scalars.iter().zip((first..).map(|it| 1 + 3 * it)) {
            let word = |at: usize| format!("{INPUT}[wavelane_at + {at}]");
            let (has_value, low, high) = (word(at), word(at + 1), word(at + 2));
            let value = match scalar.ty {
                HostScalar::Bool => format!("{low} != 0"),
                HostScalar::I16 | HostScalar::I32 => format!("int({low})"),
                HostScalar::U16 | HostScalar::U32 => low,
                HostScalar::I64 | HostScalar::U64 => {
                    format!("uint64_t({high}) << 32 | uint64_t({low})")
                }
                HostScalar::F16 => format!("f16tof32({low})"),
                HostScalar::F32 => format!("asfloat({low})"),
                HostScalar::F64 => format!("asdouble({low}, {high})"),
            };
            let path = &scalar.path;
            let _ = writeln!(body, "  if ({has_value} != 0) {target}{path} = {value};");
        }
    }
    let _ = write!(
        text,
        "void wavelane_expression({}) {{\n  {SHOWN}(({}));\n}}\n\
         [numthreads({width}, 1, 1)] void {ENTRY}(uint wavelane_thread : SV_GroupIndex) {{\n\
           uint wavelane_at = wavelane_thread * {stride};\n{body}\
           if ({INPUT}[wavelane_at] != 0) {{ wavelane_expression({}); }}\n}}\n",
        parameters.join(", "),
        expression.text,
        arguments.join(", "),
    );
    text
}

fn compile(mut source: crate::session::Source, text: &str) -> Result<Module, Refused> {
    let (mut sources, mut sink) = (SourceMap::new(), Sink::new());
    let options = source.options.clone();
    let main = sources.add(source.name.as_str(), source.text.as_str());
    let compiled =
        main.and_then(|it| hlsl::compile(it, &mut sources, &mut source, &options, &mut sink));
    match compiled {
        Some(compiled) => Ok(compiled.module),
        None => {
            let all = sink.into_sorted();
            let error = all.into_iter().find(|it| it.level >= Level::Error);
            let why = error.map_or_else(|| "it does not compile".to_owned(), |it| it.message);
            // The function that takes the value is ours, and takes every type except `void`.
            if why.contains(SHOWN) {
                return Err(Refused(format!("`{text}` has no value")));
            }
            Err(Refused(format!("`{text}`: {why}")))
        }
    }
}

/// An expression may read everything, and change nothing.
fn refuse_changes(module: &Module) -> Result<(), Refused> {
    for inst in &module.insts {
        let effects = inst.op.effects();
        let what = match effects.kind {
            Kind::Memory(Space::Private(_), _) => continue,
            Kind::Memory(_, access) if access.writes() => "it stores to memory",
            Kind::Barrier => "it waits at a barrier",
            Kind::Print => "it prints",
            _ => continue,
        };
        return Err(Refused(format!("{what}; an expression may only look")));
    }
    Ok(())
}

fn run(
    session: &Session,
    wave: WaveId,
    compiled: &Compiled,
    active: LaneMask,
) -> Result<Shown, Refused> {
    let Compiled { given, module, program } = compiled;
    let width = session.width();
    let mut bindings = Bindings::default();
    for resource in &module.resources {
        if resource.name == INPUT {
            bindings.bindings.push(vec![inputs(session, wave, given, active)]);
            continue;
        }
        let own = session.module.resources.iter().position(|it| it.name == resource.name);
        let own = own.and_then(|it| session.bindings.bindings.get(it)).cloned();
        bindings.bindings.push(own.unwrap_or_else(|| vec![Buffer::default()]));
    }
    let launch = Launch {
        fuel: Some(FUEL),
        cancel: session.recipe.launch.cancel.clone(),
        ..Launch::dispatch([1, 1, 1], width)
    };
    let refused = |failure: ir::exec::Failure| Refused(failure.to_string());
    let mut run = Run::new(program, &launch, Variation::default()).map_err(refused)?;
    let mut catcher = Catcher { notes: &module.notes, width, shown: None };
    // Starts the group, whose memory becomes that of the inspected group.
    run.advance(program, &mut bindings, &mut catcher, 0).map_err(refused)?;
    share(session, wave, module, &mut run);
    while run.advance(program, &mut bindings, &mut catcher, u64::MAX).map_err(refused)?
        != Advance::Done
    {}
    catcher.shown.ok_or_else(|| Refused("the expression has no value".to_owned()))
}

/// Copies groupshared memory.
fn share(session: &Session, wave: WaveId, module: &Module, run: &mut Run) {
    let Some(own) = session.run.waves(&session.program).find(|it| it.group() == wave.0) else {
        return;
    };
    for (to, memory) in module.groupshared.iter().enumerate() {
        let all = &session.module.groupshared;
        let Some(from) = all.iter().position(|it| it.name == memory.name) else { continue };
        for index in 0..u64::from(memory.len) {
            if let Some((bits, poisoned)) = own.shared(ir::Shared(from as u32), index) {
                run.set_shared(ir::Shared(to as u32), index, bits, poisoned);
            }
        }
    }
}

fn inputs(session: &Session, wave: WaveId, given: &[Given], active: LaneMask) -> Buffer {
    let notes = &session.module.notes;
    let rows: Vec<Vec<Row>> = given.iter().map(|it| session.variable(wave, it.id).rows).collect();
    let stride = words_per_lane(given, notes);
    let mut words = vec![0u32; stride * session.width() as usize];
    for lane in 0..session.width() {
        let words = &mut words[lane as usize * stride..][..stride];
        words[0] = u32::from(active.contains(lane));
        for ((it, rows), (first, _)) in given.iter().zip(&rows).zip(offsets(given, notes)) {
            let from = it.lane.unwrap_or(lane);
            for (row, at) in rows.iter().zip((first..).map(|it| 1 + 3 * it)) {
                let bits = row.bits[from as usize];
                let has_value = row.written.contains(from) && !row.poison.contains(from);
                let values = [u32::from(has_value), bits as u32, (bits >> 32) as u32];
                words[at..at + 3].copy_from_slice(&values);
            }
        }
    }
    Buffer { bytes: words.iter().flat_map(|it| it.to_le_bytes()).collect(), ..Buffer::default() }
}

/// Takes the value that is shown.
struct Catcher<'a> {
    notes: &'a Notes,
    width: u32,
    shown: Option<Shown>,
}

impl Observer for Catcher<'_> {
    const INDIRECT: bool = true;

    fn note(&mut self, event: &NoteEvent<'_>) {
        let Note::Write { variable, first, .. } = event.note else { return };
        let data = self.notes.variable(*variable);
        if data.name != "wavelane_value" {
            return;
        }
        let width = self.width as usize;
        let shown = self.shown.get_or_insert_with(|| Shown {
            ty: data.ty.clone(),
            scalars: data.scalars.clone(),
            rows: vec![Row { bits: vec![0; width], ..Row::default() }; data.scalars.len()],
            active: LaneMask::EMPTY,
        });
        let active = event.at.active;
        shown.active |= active;
        let rows = shown.rows.iter_mut().skip(*first as usize);
        for (row, (values, poison)) in rows.zip(event.values) {
            active.iter().for_each(|lane| row.bits[lane as usize] = values.get(lane));
            row.written |= active;
            row.poison |= *poison & active;
        }
    }
}
