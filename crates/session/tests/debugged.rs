//! What the debugger shows is what the second evaluator computes: every variable of generated programs, in all lanes, at every
//! statement that is printed on a line of its own, in the order of each wave.
//!
//! `PROGRAMS=10000` tries so many programs.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "the number of programs is given and shown"
)]

use std::collections::BTreeMap;

use generate::moments::{self, Moment, Value};
use generate::{Program, Statistics, second};
use ir::HostScalar;
use ir::exec::{Bindings, Buffer, Launch, Schedule};
use ops::F16;
use wavelane_session::{Forward, Recipe, Session, Source, Stop, WaveId};

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

/// Compares a stop with a moment; returns how many values were compared.
fn compare(session: &Session, wave: WaveId, wanted: &Moment) -> Result<u64, String> {
    let active: Vec<u32> = session.active(wave).iter().collect();
    if active != wanted.active {
        return Err(format!("active lanes {active:?}, not {:?}", wanted.active));
    }
    let mut count = 0;
    for (local, lanes) in wanted.locals.iter().enumerate() {
        let name = format!("v{local}");
        let id = session.find(wave, &name).ok_or_else(|| format!("`{name}` is not visible"))?;
        let types = &session.module().notes.variable(id).scalars;
        let variable = session.variable(wave, id);
        for (component, (row, scalar)) in variable.rows.iter().zip(types).enumerate() {
            for lane in &wanted.entered {
                let shown = match () {
                    () if !row.written.contains(*lane) => None,
                    () if row.poison.contains(*lane) => None,
                    () => Some(value(scalar.ty, row.bits[*lane as usize])),
                };
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
fn check(program: &Program, width: u32, schedule: Schedule) -> Result<(u64, u64), String> {
    let text = generate::print(program);
    let main = program.functions.len() - 1;
    let lines = moments::lines(&text, main);
    let mut wanted: BTreeMap<u32, Vec<Moment>> = BTreeMap::new();
    for moment in second::moments(program, width) {
        wanted.entry(moment.first / width).or_default().push(moment);
    }
    let mut next: BTreeMap<u32, usize> = BTreeMap::new();
    let mut session = opened(program, &text, width, schedule);
    let (mut statements, mut values) = (0, 0);
    loop {
        let wave = match session.forward(Forward::Any, FUEL) {
            Stop::Step(wave) => wave,
            Stop::End => break,
            other => return Err(format!("{other:?}")),
        };
        let Some((_, statement)) = session.current() else { continue };
        let Some(place) = session.sources().location(statement.span) else { continue };
        let Some((function, simple)) = lines.get(&place.line) else { continue };
        let at = next.entry(wave.1).or_default();
        let moment = wanted.get(&wave.1).and_then(|it| it.get(*at));
        let here = || format!("wave {}, line {}, statement {at}", wave.1, place.line);
        let Some(moment) = moment else { return Err(format!("{}: one too many", here())) };
        if (moment.function, moment.statement) != (*function, *simple) {
            let is = (*function, *simple);
            let wanted = (moment.function, moment.statement);
            return Err(format!("{}: {is:?}, not {wanted:?}", here()));
        }
        values += compare(&session, wave, moment).map_err(|it| format!("{}: {it}", here()))?;
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

#[test]
fn the_debugger_shows_what_the_second_evaluator_computes() {
    let programs = std::env::var("PROGRAMS").ok().and_then(|it| it.parse().ok());
    let programs: u64 = programs.unwrap_or(PROGRAMS);
    let (mut statements, mut values) = (0, 0);
    for seed in 0..programs {
        let width = WIDTHS[(seed % WIDTHS.len() as u64) as usize];
        let program = generate::program(seed, width, &mut Statistics::default());
        let schedule = match seed % 3 {
            0 => Schedule::Ascending,
            1 => Schedule::RoundRobin,
            _ => Schedule::Random(seed),
        };
        match check(&program, width, schedule) {
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
