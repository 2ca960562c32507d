//! What the debugger shows is what the second evaluator computes: every variable of generated programs, in all lanes,
//! at every statement that is printed on a separate line, in the order of each wave.
//!
//! `PROGRAMS=10000` tries that number of programs, and `PROGRAMS=1000..2000` those with these seeds. That the
//! comparison can fail is tested too, with debuggers that show wrong values.
#![allow(clippy::print_stdout, reason = "the number of programs is shown")]

use std::collections::BTreeMap;

use generate::moments::{self, Moment, Value};
use generate::{Program, Statistics, second};
use ir::HostScalar;
use ir::exec::{Bindings, Buffer, Launch, Schedule};
use ops::{F16, LaneMask};
use wavelane_session::{Forward, Recipe, Row, Session, Source, Stop, WaveId};

const WIDTHS: [u32; 6] = generate::CHECKED;
const PROGRAMS: u64 = 150;
const FUEL: u64 = 1 << 30;

fn opened(program: &Program, text: &str, width: u32, schedule: Schedule) -> Session {
    let options = hlsl::Options {
        enable_16bit: true,
        dialect: hlsl::Dialect::Slang,
        shader_model: hlsl::ShaderModel::V6_10,
        ..hlsl::Options::default()
    };
    let (name, text, included) = ("generated.hlsl".to_owned(), text.to_owned(), BTreeMap::new());
    let bytes = vec![0; program.words() * 4];
    let launch = Launch { schedule, fuel: Some(FUEL), ..Launch::dispatch([1, 1, 1], width) };
    let buffer = Buffer { bytes: bytes.into(), ..Buffer::default() };
    let recipe = Recipe {
        source: Source { name, text, options, included },
        launch,
        variation: interp::Variation::default(),
        bindings: Bindings { bindings: vec![vec![buffer]] },
    };
    Session::open(recipe).unwrap_or_else(|_| panic!("seed {}: it does not compile", program.seed))
}

fn value(ty: HostScalar, bits: u64) -> Value {
    match ty {
        HostScalar::Bool => Value::Bool(bits & 1 == 1),
        HostScalar::I16 => Value::Int((bits as i16).into()),
        HostScalar::U16 => Value::Int((bits as u16).into()),
        HostScalar::I32 => Value::Int((bits as i32).into()),
        HostScalar::U32 => Value::Int((bits as u32).into()),
        HostScalar::I64 => Value::Int((bits as i64).into()),
        HostScalar::U64 => Value::Int(bits.into()),
        HostScalar::F16 => Value::Float(F16(bits as u16).to_f32().into()),
        HostScalar::F32 => Value::Float(f32::from_bits(bits as u32).into()),
        HostScalar::F64 => Value::Float(f64::from_bits(bits)),
    }
}

/// What a debugger might do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Lanes that do not execute the statement count as active.
    AllActive,
    /// Each lane shows the value of its neighbour.
    Neighbour,
    /// The last lane's values are off in their lowest bit.
    LastLane,
    /// Lanes that do not execute the statement have no values.
    OnlyActive,
    /// Variables show what they held at the stop before.
    Stale,
    /// The seventh stop of a run is not made.
    Missed,
    /// The program that is stepped through has `|` in the place of `^`.
    OtherProgram,
}

/// What a debugger with a fault shows of a session.
struct Debugger {
    session: Session,
    fault: Fault,
    /// The stops of the run so far.
    stops: u64,
    /// The rows of variables at the last stop of a wave.
    before: BTreeMap<(WaveId, String), Vec<Row>>,
}

impl Debugger {
    fn active(&self, wave: WaveId) -> LaneMask {
        match (self.fault, self.session.current()) {
            (Fault::AllActive, Some((_, statement))) => statement.live,
            _ => self.session.active(wave),
        }
    }

    fn rows(&mut self, wave: WaveId, name: &str) -> Option<Vec<Row>> {
        let id = self.session.find(wave, name)?;
        let rows = self.session.variable(wave, id).rows.to_vec();
        if self.fault != Fault::Stale {
            return Some(rows);
        }
        let before = self.before.insert((wave, name.to_owned()), rows.clone());
        Some(before.filter(|it| it.len() == rows.len()).unwrap_or(rows))
    }

    /// The bits in a lane; `None` if it holds nothing.
    fn bits(&self, wave: WaveId, row: &Row, lane: u32) -> Option<u64> {
        let last = row.bits.len() as u32 - 1;
        let lane = if self.fault == Fault::Neighbour { lane ^ 1 } else { lane };
        let is_shown = self.fault != Fault::OnlyActive || self.session.active(wave).contains(lane);
        let is_known = row.written.contains(lane) && !row.poison.contains(lane) && is_shown;
        let off = u64::from(self.fault == Fault::LastLane && lane == last);
        is_known.then(|| row.bits[lane as usize] ^ off)
    }
}

/// Compares a stop with a moment; returns how many values were compared.
fn compare(debugger: &mut Debugger, wave: WaveId, wanted: &Moment) -> Result<u64, String> {
    let active: Vec<u32> = debugger.active(wave).iter().collect();
    if active != wanted.active {
        return Err(format!("active lanes {active:?}, not {:?}", wanted.active));
    }
    let mut count = 0;
    for (local, lanes) in wanted.locals.iter().enumerate() {
        let name = format!("v{local}");
        let rows = debugger.rows(wave, &name).ok_or_else(|| format!("`{name}` is not visible"))?;
        let session = &debugger.session;
        let types =
            session.find(wave, &name).map(|id| &session.module().notes.variable(id).scalars);
        for (component, (row, scalar)) in rows.iter().zip(types.into_iter().flatten()).enumerate() {
            for lane in &wanted.entered {
                let shown = debugger.bits(wave, row, *lane).map(|bits| value(scalar.ty, bits));
                let wanted = lanes[*lane as usize][component];
                if shown != Some(wanted) {
                    return Err(format!(
                        "`{name}{}` in lane {lane}: {shown:?}, not {wanted:?}",
                        scalar.path
                    ));
                }
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Steps through a program; returns the numbers of statements and of values that were compared.
fn check(seed: u64, program: &Program, width: u32, fault: Fault) -> Result<(u64, u64), String> {
    let schedule = match seed % 3 {
        0 => Schedule::Ascending,
        1 => Schedule::RoundRobin,
        _ => Schedule::Random(seed),
    };
    let mut text = generate::print(program);
    if fault == Fault::OtherProgram {
        text = text.replace(" ^ ", " | ");
    }
    let main = program.functions.len() - 1;
    let lines = moments::lines(&text, main);
    let mut wanted: BTreeMap<u32, Vec<Moment>> = BTreeMap::new();
    for moment in second::moments(program, width) {
        wanted.entry(moment.first / width).or_default().push(moment);
    }
    let mut next: BTreeMap<u32, usize> = BTreeMap::new();
    let session = opened(program, &text, width, schedule);
    let mut debugger = Debugger { session, fault, stops: 0, before: BTreeMap::new() };
    let (mut statements, mut values) = (0, 0);
    loop {
        let wave = match debugger.session.forward(Forward::Any, FUEL) {
            Stop::Step(wave) => wave,
            Stop::End => break,
            other => return Err(format!("{other:?}")),
        };
        let Some((_, statement)) = debugger.session.current() else { continue };
        let Some(place) = debugger.session.sources().location(statement.span) else { continue };
        let Some((function, simple)) = lines.get(&place.line) else { continue };
        debugger.stops += 1;
        if fault == Fault::Missed && debugger.stops == 7 {
            continue;
        }
        let at = next.entry(wave.1).or_default();
        let moment = wanted.get(&wave.1).and_then(|it| it.get(*at));
        let here = || format!("wave {}, line {}, statement {at}", wave.1, place.line);
        let Some(moment) = moment else { return Err(format!("{}: one too many", here())) };
        if (moment.function, moment.statement) != (*function, *simple) {
            let is = (*function, *simple);
            let wanted = (moment.function, moment.statement);
            return Err(format!("{}: {is:?}, not {wanted:?}", here()));
        }
        values += compare(&mut debugger, wave, moment).map_err(|it| format!("{}: {it}", here()))?;
        statements += 1;
        *at += 1;
    }
    for (wave, all) in &wanted {
        let seen = next.get(wave).copied().unwrap_or(0);
        if seen != all.len() {
            return Err(format!("wave {wave}: {seen} statements, not {}", all.len()));
        }
    }
    Ok((statements, values))
}

fn generated(seed: u64) -> (Program, u32) {
    let width = WIDTHS[(seed % WIDTHS.len() as u64) as usize];
    (generate::program(seed, width, &mut Statistics::default()), width)
}

#[test]
fn the_debugger_shows_what_the_second_evaluator_computes() {
    let seeds = generate::seeds(PROGRAMS);
    let programs = seeds.end - seeds.start;
    let (mut statements, mut values) = (0, 0);
    for seed in seeds {
        let (program, width) = generated(seed);
        match check(seed, &program, width, Fault::None) {
            Ok((more, compared)) => {
                statements += more;
                values += compared;
            }
            Err(why) => {
                let text = generate::print(&program);
                let text = (1..).zip(text.lines()).map(|(at, it)| format!("{at:4} {it}\n"));
                panic!("seed {seed}, width {width}: {why}\n{}", text.collect::<String>());
            }
        }
    }
    println!("{programs} programs, {statements} statements, {values} values");
    assert!(statements > programs * 20, "only {statements} statements were compared");
}

/// Each fault is found in some of the first programs, and by the right part of the comparison.
#[test]
fn a_debugger_that_shows_wrong_values_is_noticed() {
    const TRIED: u64 = 12;
    for (fault, least, part) in [
        (Fault::AllActive, 4, "active lanes ["),
        (Fault::Neighbour, 10, " in lane "),
        (Fault::LastLane, 10, " in lane "),
        (Fault::OnlyActive, 4, ": None, not "),
        (Fault::Stale, 10, " in lane "),
        (Fault::Missed, 10, "statement 6: "),
        (Fault::OtherProgram, 4, " in lane "),
    ] {
        let found = (0..TRIED).filter_map(|seed| {
            let (program, width) = generated(seed);
            check(seed, &program, width, fault).err()
        });
        let found: Vec<String> = found.collect();
        let right = found.iter().filter(|it| it.contains(part)).count();
        assert!(right >= least, "{fault:?}: {right} of {TRIED}: {found:#?}");
    }
}
